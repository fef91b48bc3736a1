/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of the words of the scenario file. */
#include "shardwise-key.h"

#include <glib/gi18n.h>

#include "shardwise-text-strategy.h"

/* The same word may mean different things under different keys: a key of its own comes first. */
static const struct {
  const char *path, *word, *title;
} titles[] = {
  { "training.type", "pretrain", N_ ("Pre-training") },
  { "training.type", "finetune", N_ ("Full fine-tuning") },
  { "training.type", "lora", N_ ("LoRA") },
  { "training.type", "qlora", N_ ("QLoRA") },
  { "training.type", "rlhf", N_ ("RLHF") },
  { "training.precision", "bf16", N_ ("BF16") },
  { "training.precision", "fp16", N_ ("FP16") },
  { "training.precision", "fp8", N_ ("FP8, one scale per tensor") },
  { "training.precision", "fp8-tensorwise", N_ ("FP8, one scale per tensor") },
  { "training.precision", "fp8-rowwise", N_ ("FP8, one scale per row") },
  { "training.precision", "mxfp8", N_ ("MXFP8") },
  { "training.precision", "nvfp4", N_ ("NVFP4") },
  { "training.optimizer", "adamw", N_ ("AdamW") },
  { "training.optimizer", "adam8bit", N_ ("8-bit Adam") },
  { "training.optimizer", "adafactor", N_ ("Adafactor") },
  { "training.optimizer", "muon", N_ ("Muon") },
  { "training.optimizer", "sgd", N_ ("SGD with momentum") },
  { "training.attention", "flash", N_ ("FlashAttention") },
  { "training.attention", "unfused", N_ ("Unfused") },
  { "training.overlap", "auto", N_ ("As the framework does") },
  { "training.overlap", "none", N_ ("None") },
  { "training.lora.targets", "all-linear", N_ ("All linear layers") },
  { "training.lora.targets", "attention", N_ ("Attention only") },
  { "training.rlhf.algorithm", "ppo", N_ ("PPO") },
  { "training.rlhf.algorithm", "grpo", N_ ("GRPO") },
  { "strategy.recompute", "none", N_ ("None") },
  { "strategy.recompute", "selective", N_ ("Selective") },
  { "strategy.recompute", "full", N_ ("Full") },
  { "strategy.schedule", "gpipe", N_ ("GPipe") },
  { "strategy.schedule", "1f1b", N_ ("1F1B") },
  { "strategy.schedule", "interleaved", N_ ("Interleaved 1F1B") },
  { "strategy.schedule", "zero-bubble", N_ ("Zero bubble (ZB-H1)") },
  { "strategy.offload", "none", N_ ("None") },
  { "strategy.offload", "optimizer", N_ ("Optimizer") },
  { "strategy.offload", "optimizer+params", N_ ("Optimizer and parameters") },
  { "strategy.offload", "activations", N_ ("Activations") },
  { "strategy.cp_method", "ring", N_ ("Ring") },
  { "strategy.cp_method", "allgather", N_ ("All-gather") },
  { "strategy.cp_method", "ulysses", N_ ("Ulysses") },
  { "strategy.zero_stage", "0", N_ ("0 – nothing sharded") },
  { "strategy.zero_stage", "1", N_ ("1 – optimizer sharded") },
  { "strategy.zero_stage", "2", N_ ("2 – and gradients") },
  { "strategy.zero_stage", "3", N_ ("3 – and parameters") },
  { "cluster", "nvlink", N_ ("NVLink") },
  { "cluster", "infiniband", N_ ("InfiniBand") },
  { "cluster", "roce", N_ ("RoCE") },
  { "cluster", "pcie", N_ ("PCIe") },
  { "cluster", "ethernet", N_ ("Ethernet") },
  { "cluster", "efa", N_ ("EFA") },
};

/**
 * shardwise_key_word_title:
 * @path: of a key of the scenario file
 * @word: one of its words
 *
 * Returns: (transfer none): the name that the user reads, translated; @word itself where it has
 * none
 */
const char *
shardwise_key_word_title (const char *path, const char *word)
{
  int framework = sw_name_index (sw_framework_names, word);

  if (g_str_equal (path, "training.framework") && framework >= 0)
    return shardwise_text_framework (framework);
  for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
    if (g_str_has_prefix (path, titles[i].path) && g_str_equal (titles[i].word, word))
      return _ (titles[i].title);
  return word;
}
