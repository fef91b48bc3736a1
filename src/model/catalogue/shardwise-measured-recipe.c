/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the recipes of what ran a measured job depart from their framework's software profile: read
 * in their sources, by framework and date, never by run. */
#include "shardwise-measured-private.h"

/* The software profile that is nearest to what ran the job: InternEvo is a Megatron of its time;
 * JAX compiles and overlaps like FSDP2. */
SwFramework
shardwise_run_framework (const char *name)
{
  static const struct {
    const char *prefix;
    SwFramework framework;
  } table[] = {
    { "Megatron-LM 202", SW_FRAMEWORK_MEGATRON_2021 },
    { "Megatron-DeepSpeed", SW_FRAMEWORK_DEEPSPEED },
    { "DeepSpeed", SW_FRAMEWORK_DEEPSPEED },
    { "NeMo AutoModel", SW_FRAMEWORK_FSDP2 },
    { "torchtitan", SW_FRAMEWORK_FSDP2 },
    { "MaxText", SW_FRAMEWORK_FSDP2 },
    { "PaXML", SW_FRAMEWORK_FSDP2 },
    { "llm-foundry", SW_FRAMEWORK_FSDP },
    { "fms", SW_FRAMEWORK_FSDP },
    { "lit-gpt", SW_FRAMEWORK_FSDP },
    { "Nanotron", SW_FRAMEWORK_NANOTRON },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    if (g_str_has_prefix (name, table[i].prefix))
      return table[i].framework;
  return SW_FRAMEWORK_MEGATRON_CORE;
}

/* The year of "2025-02", as a fraction; 0 where no date is stated. MaxText calls cuDNN's attention
 * through Transformer Engine (attention: cudnn_flash_te) and compiles the loss, as FSDP2's users
 * did later. */
double
shardwise_run_software_year (const char *framework, const char *date)
{
  static const double maxtext_is_like_year = 2025.5;
  double year = 0;

  if (strlen (date) >= 7)
    year = (double) g_ascii_strtoull (date, NULL, 10)
           + (double) g_ascii_strtoull (date + 5, NULL, 10) / 12.0;
  return g_str_has_prefix (framework, "MaxText") ? MAX (year, maxtext_is_like_year) : year;
}

/* JAX programs rematerialise by a policy that keeps some products' outputs: operations in part. */
SwRecompute
shardwise_run_unstated_recompute (const char *framework)
{
  return strstr (framework, "JAX") != NULL ? SW_RECOMPUTE_SELECTIVE : SW_RECOMPUTE_NONE;
}

/* The recipes of NeMo and Megatron-Bridge accumulate and reduce gradients in bf16 (bf16_mixed:
 * grad_reduce_in_fp32 False), and so do InternEvo and the scripts of Megatron-LM's published runs
 * (examples/llama: --grad-reduce-in-bf16); Megatron-LM without more in fp32. 0: as the profile has
 * it. */
static double
gradient_bytes_of (const char *name)
{
  static const char *const in_bf16[] = { "NeMo", "Megatron-Bridge", "InternEvo" };

  for (guint i = 0; i < G_N_ELEMENTS (in_bf16); i++)
    if (g_str_has_prefix (name, in_bf16[i]))
      return 2;
  return g_str_equal (name, "Megatron-LM") ? 2 : 0;
}

/* Megatron-Bridge's recipes of dense models keep no transposed FP8 weights
 * (disable_parameter_transpose_cache). It trains models with latent attention with bf16 moments and
 * the lower half of fp32 master weights (recipes of DeepSeek and Moonlight:
 * use_precision_aware_optimizer, store_param_remainders), which Transformer Engine's Adam turned
 * into fp32 for the step until it came to fuse that (February 2026; its containers, some months
 * later). */
static void
read_megatron_bridge (SwProblem *problem)
{
  SwTraining *training = &problem->training;

  training->weights_once = problem->model.moe.experts == 0;
  if (problem->model.mla.kv_lora_rank == 0 || sw_training_is_adapter (training))
    return;
  training->optimizer_bytes = 2 + 2 + 2;
  training->step_bytes = 4 + 4;
}

/* AutoModel's benchmarks train bf16 parameters with PyTorch's Adam, whose moments are bf16 then.
 * NeMo before its second version ran Apex's distributed Adam, with fp32 moments and the lower half
 * of master weights (megatron_base_model.py: store_param_remainders). */
static void
read_nemo (const char *name, SwTraining *training)
{
  static const double nemo_2_year = 2024.75;

  if (g_str_has_prefix (name, "NeMo AutoModel"))
    {
      training->parameter_bytes = 2;
      training->optimizer_bytes = 2 + 2;
    }
  else if (training->software_year < nemo_2_year)
    training->optimizer_bytes = 2 + 4 + 4;
}

/* InternEvo runs PyTorch's AdamW on fp32 copies of the gradients: 4 bytes of gradients and twice 4
 * of denominators. Its own ZeRO has released 4 of fp32 copies for the norm and 2 of flattened
 * gradients by then (hybrid_zero_optim.py; utils.py, reduce_grads); under FSDP the blocks are of
 * one size and serve again. */
static void
read_intern_evo (SwTraining *training)
{
  training->step_bytes = 4 + 4 + 4;
  training->step_released_bytes = 4 + 2;
}

/* What a recipe adapts and trains on where it fine-tunes. Those of NeMo and Megatron-Bridge adapt
 * the attention's input projection alone (peft.target_modules linear_qkv), which comes nearest to
 * the attention's, and pack the questions of SQuAD into sequences (packed_sequence_size):
 * paragraphs of about 120 words with a question of ten and an answer (Rajpurkar et al. 2016), some
 * 180 tokens. AutoModel adapts every linear layer and trains on mock data of full length. */
static void
read_fine_tuning (const char *name, SwTraining *training)
{
  gboolean packs = g_str_has_prefix (name, "Megatron-Bridge")
                   || (g_str_has_prefix (name, "NeMo")
                       && !g_str_has_prefix (name, "NeMo AutoModel"));

  training->lora_rank = 16;
  training->lora_all_linear = !packs;
  if (packs && training->type != SW_TRAINING_PRETRAIN)
    training->mean_document = 180;
}

/* Fills what the recipe of @framework, as a table of measured runs names it, says of states, their
 * update and fine-tuning; the model, the kind of training and the date are known. */
void
shardwise_run_read_recipe (const char *framework, SwProblem *problem)
{
  problem->training.gradient_bytes = gradient_bytes_of (framework);
  read_fine_tuning (framework, &problem->training);
  if (g_str_has_prefix (framework, "Megatron-Bridge"))
    read_megatron_bridge (problem);
  else if (g_str_has_prefix (framework, "NeMo"))
    read_nemo (framework, &problem->training);
  else if (g_str_has_prefix (framework, "InternEvo"))
    read_intern_evo (&problem->training);
}
