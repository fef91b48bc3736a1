/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-job.h"

#include <glib/gi18n.h>

#include "shardwise-config.h"
#include "shardwise-export-program.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-software.h"

/* Where the scenario states no number of tokens, the length that the frameworks' own examples use.
 */
#define DEFAULT_TRAIN_STEPS 1000

static const ShardwiseFormatWriter *const writers[SHARDWISE_N_FORMATS] = {
  [SHARDWISE_FORMAT_DEEPSPEED] = &shardwise_deepspeed_writer,
  [SHARDWISE_FORMAT_FSDP1] = &shardwise_fsdp1_writer,
  [SHARDWISE_FORMAT_FSDP2] = &shardwise_fsdp2_writer,
  [SHARDWISE_FORMAT_NANOTRON] = &shardwise_nanotron_writer,
  [SHARDWISE_FORMAT_MEGATRON] = &shardwise_megatron_writer,
  [SHARDWISE_FORMAT_TORCHTITAN] = &shardwise_torchtitan_writer,
  [SHARDWISE_FORMAT_ACCELERATE] = &shardwise_accelerate_writer,
  [SHARDWISE_FORMAT_MEGATRON_BRIDGE] = &shardwise_bridge_writer,
  [SHARDWISE_FORMAT_TRL] = &shardwise_trl_writer,
  [SHARDWISE_FORMAT_AXOLOTL] = &shardwise_axolotl_writer,
  [SHARDWISE_FORMAT_LLAMA_FACTORY] = &shardwise_llama_factory_writer,
  [SHARDWISE_FORMAT_TORCHTUNE] = &shardwise_torchtune_writer,
  [SHARDWISE_FORMAT_UNSLOTH] = &shardwise_unsloth_writer,
  [SHARDWISE_FORMAT_VERL] = &shardwise_verl_writer,
  [SHARDWISE_FORMAT_OPENRLHF] = &shardwise_openrlhf_writer,
  [SHARDWISE_FORMAT_TORCHRUN] = &shardwise_torchrun_writer,
  [SHARDWISE_FORMAT_SLURM] = &shardwise_slurm_writer,
  [SHARDWISE_FORMAT_KUBERNETES] = &shardwise_kubernetes_writer,
  [SHARDWISE_FORMAT_SKYPILOT] = &shardwise_skypilot_writer,
  [SHARDWISE_FORMAT_TORCHTITAN_MAIN] = &shardwise_torchtitan_main_writer,
  [SHARDWISE_FORMAT_NEMO] = &shardwise_nemo_writer,
  [SHARDWISE_FORMAT_PYTORCHJOB] = &shardwise_kubernetes_writer,
};

/**
 * shardwise_format_writer:
 * @info: a target
 *
 * Returns: (transfer none): what writes its files
 */
const ShardwiseFormatWriter *
shardwise_format_writer (const ShardwiseFormatInfo *info)
{
  return writers[info->format];
}

/**
 * shardwise_export_add_file:
 * @job: the job
 * @name: the file's name
 * @content: (transfer full): its text
 */
void
shardwise_export_add_file (ShardwiseExportJob *job, const char *name, char *content)
{
  shardwise_export_file_add (job->files, name, content);
}

/**
 * shardwise_export_add_program:
 * @job: the job of a framework, whose own files are written
 *
 * Adds the training program beside them, where the framework brings none.
 */
void
shardwise_export_add_program (ShardwiseExportJob *job)
{
  const ShardwiseFormatWriter *writer = shardwise_format_writer (job->info);

  if (writer->program != NULL)
    shardwise_export_add_file (job, SHARDWISE_PROGRAM, writer->program (job));
}

/* Whether a run that is started from the files as they are stops, or runs otherwise than predicted.
 * Running out of memory is stopping. */
static const ShardwiseNoteEffect effects[SHARDWISE_N_NOTES] = {
  [SHARDWISE_NOTE_OWN_WAY] = SHARDWISE_EFFECT_NONE,
  [SHARDWISE_NOTE_SEEN_TO] = SHARDWISE_EFFECT_NONE,
  [SHARDWISE_NOTE_STARTING_POINT] = SHARDWISE_EFFECT_NONE,
  [SHARDWISE_NOTE_PLACE] = SHARDWISE_EFFECT_NONE,
  [SHARDWISE_NOTE_IDLE] = SHARDWISE_EFFECT_NONE,
  [SHARDWISE_NOTE_OTHERWISE] = SHARDWISE_EFFECT_CHANGES_RESULT,
  [SHARDWISE_NOTE_COMPARE] = SHARDWISE_EFFECT_CHANGES_RESULT,
  [SHARDWISE_NOTE_SOFTWARE] = SHARDWISE_EFFECT_CHANGES_RESULT,
  [SHARDWISE_NOTE_MADE_UP_DATA] = SHARDWISE_EFFECT_CHANGES_RESULT,
  [SHARDWISE_NOTE_MISSING_FILE] = SHARDWISE_EFFECT_BREAKS_RUN,
  [SHARDWISE_NOTE_IN_SCRIPT] = SHARDWISE_EFFECT_BREAKS_RUN,
  [SHARDWISE_NOTE_ADDRESS] = SHARDWISE_EFFECT_BREAKS_RUN,
  [SHARDWISE_NOTE_NODES] = SHARDWISE_EFFECT_BREAKS_RUN,
};

/**
 * shardwise_export_note_free:
 * @data: (transfer full): a ShardwiseExportNote
 */
void
shardwise_export_note_free (gpointer data)
{
  ShardwiseExportNote *self = data;

  g_free (self->text);
  g_free (self);
}

/**
 * shardwise_export_note:
 * @job: the job
 * @kind: of what the note is, which tells how bad it is
 * @note: a translated sentence on what the format cannot say
 */
void
shardwise_export_note (ShardwiseExportJob *job, ShardwiseNoteKind kind, const char *note)
{
  shardwise_export_take_note (job, kind, g_strdup (note));
}

/**
 * shardwise_export_take_note:
 * @job: the job
 * @kind: as of shardwise_export_note()
 * @note: (transfer full): as of shardwise_export_note()
 */
void
shardwise_export_take_note (ShardwiseExportJob *job, ShardwiseNoteKind kind, char *note)
{
  ShardwiseExportNote *taken = g_new (ShardwiseExportNote, 1);

  *taken = (ShardwiseExportNote){ note, effects[kind] };
  g_ptr_array_add (job->not_expressed, taken);
}

/**
 * shardwise_export_note_source:
 * @job: the job of a framework
 * @program: what the files start
 *
 * Adds that the program lies in the framework's source, which an installed package does not have.
 */
void
shardwise_export_note_source (ShardwiseExportJob *job, const char *program)
{
  shardwise_export_take_note (
      /* Translators: a framework, the name of a file */
      job, SHARDWISE_NOTE_MISSING_FILE,
      g_strdup_printf (_ ("Source of %s: start from its folder, which contains %s."),
                       job->info->title, program));
}

/**
 * shardwise_export_global_batch:
 * @job: the job
 *
 * Returns: sequences of one optimizer step as the files state them: micro-batch x accumulation x DP
 */
guint
shardwise_export_global_batch (const ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;

  return strategy->micro_batch * MAX (job->estimate.gradient_accumulation, 1) * strategy->dp;
}

/* The base of the rotary positions, which is not among a model's dimensions, by the start of the
 * catalogue id: as the families' published configurations have it. Sources that were read: NeMo's
 * model classes (Llama 3 and 4, Code Llama, Mistral NeMo and Large, Mixtral, Qwen2, StarCoder2; the
 * global layers of Gemma 3), Pai-Megatron-Patch's scripts (Qwen1.5, Qwen3-Next, Yi), LitGPT's
 * config.py (Code Llama 70B), config.json as quoted in public code (Phi-4, Mistral Small 24B). The
 * others are not looked up: every file asks to compare them with the model's own. */
static const struct {
  const char *prefix;
  guint base;
} rope_bases[] = {
  { "llama-3-", 500000 },       { "llama-3.", 500000 }, /* not llama-33b */
  { "llama-4", 500000 },        { "codellama", 1000000 },
  { "yi-6b", 5000000 },         { "yi-34b", 5000000 },
  { "mixtral", 1000000 },       { "mistral-7b-v0.3", 1000000 },
  { "mistral-nemo", 1000000 },  { "mistral-large", 1000000 },
  { "qwen3-next", 10000000 },   { "qwen", 1000000 },
  { "olmo-2", 500000 },         { "gpt-oss", 150000 },
  { "kimi-k2", 50000 },         { "moonlight", 50000 },
  { "glm-4.5", 1000000 },       { "mistral-small-24b", 100000000 },
  { "gemma-3", 1000000 },       { "starcoder2-3b", 999999 },
  { "starcoder2-7b", 1000000 }, { "starcoder2-15b", 100000 },
  { "phi-4-mini", 10000 },      { "phi-4", 250000 },
};

/**
 * shardwise_export_rope_base:
 * @model: a model with rotary positions
 *
 * Returns: their base: that of the family where it is known to differ, else 10000
 */
guint
shardwise_export_rope_base (const SwModelSpec *model)
{
  for (guint i = 0; i < G_N_ELEMENTS (rope_bases); i++)
    if (g_str_has_prefix (model->id, rope_bases[i].prefix))
      return rope_bases[i].base;

  return 10000;
}

/**
 * shardwise_export_gpus:
 * @job: the job
 *
 * Returns: GPUs that train, which are the processes that a launcher starts; those that only
 * generate for them are none
 */
guint
shardwise_export_gpus (const ShardwiseExportJob *job)
{
  return sw_strategy_gpus (&job->estimate.strategy);
}

/**
 * shardwise_export_nodes:
 * @job: the job
 *
 * Returns: nodes that the GPUs take with the same number on each, at least 1
 */
guint
shardwise_export_nodes (const ShardwiseExportJob *job)
{
  guint per_node = MAX (job->problem.cluster.gpus_per_node, 1);
  guint gpus = MAX (shardwise_export_gpus (job), 1), nodes = (gpus + per_node - 1) / per_node;

  while (gpus % nodes != 0)
    nodes++;

  return nodes;
}

/**
 * shardwise_export_gpus_per_node:
 * @job: the job
 *
 * Returns: GPUs that are used on each of these nodes
 */
guint
shardwise_export_gpus_per_node (const ShardwiseExportJob *job)
{
  return shardwise_export_gpus (job) / shardwise_export_nodes (job);
}

/**
 * shardwise_export_has_adapters:
 * @problem: the question
 *
 * Returns: whether adapters are trained beside frozen weights (LoRA, QLoRA)
 */
gboolean
shardwise_export_has_adapters (const SwProblem *problem)
{
  return sw_training_is_adapter (&problem->training);
}

/**
 * shardwise_export_train_steps:
 * @problem: the question
 *
 * Returns: optimizer steps that the tokens to train on take, 1000 where no number is stated
 */
guint
shardwise_export_train_steps (const SwProblem *problem)
{
  double step = (double) problem->training.global_batch * problem->training.sequence_length;
  double steps = step > 0 ? problem->training.tokens / step : 0;

  if (steps <= 0)
    return DEFAULT_TRAIN_STEPS;

  return (guint) CLAMP (steps + 0.5, 10, 1e9);
}

/**
 * shardwise_export_append_text:
 * @text: where to append to
 * @prefix: what starts the line: "# "
 * @sentence: a translated sentence, or what a user typed
 *
 * Appends one line: control characters of the sentence become spaces.
 */
void
shardwise_export_append_text (GString *text, const char *prefix, const char *sentence)
{
  /* A comment ends at the end of its line: a name with control characters in it must not. YAML ends
   * a line at these, too: next line, line and paragraph separator. */
  static const char *const breaks[] = { "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9" };
  g_autoptr (GString) line = g_string_new (sentence);

  for (guint i = 0; i < G_N_ELEMENTS (breaks); i++)
    g_string_replace (line, breaks[i], " ", 0);
  for (char *c = line->str; *c != '\0'; c++)
    if (g_ascii_iscntrl (*c))
      *c = ' ';

  g_string_append_printf (text, "%s%s\n", prefix, line->str);
}

static void
append_take (GString *text, const char *prefix, char *sentence)
{
  shardwise_export_append_text (text, prefix, sentence);
  g_free (sentence);
}

/**
 * shardwise_export_append_prediction:
 * @job: the job
 * @prefix: what starts each line: "# "
 * @text: where to append to
 *
 * Appends what the engine predicts for the strategy.
 */
void
shardwise_export_append_prediction (const ShardwiseExportJob *job, const char *prefix,
                                    GString *text)
{
  const SwEstimate *estimate = &job->estimate;
  g_autofree char *step = shardwise_format_seconds (estimate->time.step_s);
  g_autofree char *memory = shardwise_format_bytes (estimate->memory.peak.total);
  g_autofree char *usable = shardwise_format_bytes (estimate->usable_bytes);
  g_autofree char *tokens = shardwise_format_count (estimate->tokens_per_s);

  append_take (
      text, prefix,
      /* Translators: a time, "8.42 s"; a number, "83.6 k"; memory, "61.2 GiB", and the memory there
         is */
      g_strdup_printf (_ ("Prediction: %s per step, %s tokens/s, %s of %s on the fullest GPU."),
                       step, tokens, memory, usable));
  if (estimate->rule == SW_RULE_GPU_MEMORY || estimate->rule == SW_RULE_HOST_MEMORY)
    {
      g_autofree char *missing = shardwise_format_bytes (estimate->missing_bytes);

      append_take (
          text, prefix,
          /* Translators: an amount of memory, "3.2 GiB" */
          g_strdup_printf (
              _ ("Prediction: this does NOT fit; it needs %s more than the memory target."),
              missing));
    }
}

/**
 * shardwise_export_append_header:
 * @job: the job; its notes must be complete
 * @text: where to append to
 *
 * Appends the comment on top of a file, in lines that start with '#': the version that it was
 * checked against, the strategy, what the engine predicts for it, and what the file cannot say.
 */
void
shardwise_export_append_header (ShardwiseExportJob *job, GString *text)
{
  const SwProblem *problem = &job->problem;
  g_autofree char *strategy = shardwise_text_strategy (&job->estimate.strategy);

  append_take (
      text, "# ",
      /* Translators: the version of this program, "FSDP 1", "PyTorch" and the version of that */
      g_strdup_printf (_ ("Written by Shardwise %s for %s, checked against %s %s."),
                       PACKAGE_VERSION, job->info->title, job->info->product, job->info->version));
  if (job->target->launcher)
    append_take (text, "# ",
                 /* Translators: "Kubernetes", "Kubeflow TrainJob", its version */
                 g_strdup_printf (_ ("Started by %s, checked against %s %s."), job->target->title,
                                  job->target->product, job->target->version));
  append_take (text, "# ",
               /* Translators: "Llama 3 70B on 32 × NVIDIA H100: TP 8 · PP 4" */
               g_strdup_printf (_ ("%s on %u × %s: %s"),
                                problem->model.name[0] != '\0' ? problem->model.name
                                                               : _ ("Model with custom dimensions"),
                                shardwise_export_gpus (job), problem->cluster.gpu.name, strategy));
  shardwise_export_append_prediction (job, "# ", text);

  if (job->not_expressed->len > 0)
    shardwise_export_append_text (text, "# ", _ ("Not included in this file:"));
  for (guint i = 0; i < job->not_expressed->len; i++)
    append_take (text, "# ",
                 g_strconcat ("- ", shardwise_export_note_text (job->not_expressed, i), NULL));
}

/**
 * shardwise_export_wants:
 * @job: the job
 * @feature: of its software
 * @otherwise: what the format writes where nothing is stated
 *
 * Returns: whether the files switch @feature on
 */
gboolean
shardwise_export_wants (const ShardwiseExportJob *job, SwFeature feature, gboolean otherwise)
{
  const SwSoftware *software = &job->problem.training.software;

  return (software->stated & (1u << feature)) != 0 ? (software->on & (1u << feature)) != 0
                                                   : otherwise;
}

/**
 * shardwise_export_lack:
 * @job: the job, before it is predicted
 * @features: SHARDWISE_FEATURE() of those that the files do not switch on
 *
 * Predicts the files without these, unless the job states them.
 */
void
shardwise_export_lack (ShardwiseExportJob *job, guint features)
{
  SwSoftware *software = &job->problem.training.software;

  features &= ~software->stated;
  software->stated |= features;
  software->on &= ~features;
}

/**
 * shardwise_export_note_drives:
 * @job: the job
 *
 * Says that the path of the drives is an example, where something is offloaded to them.
 */
void
shardwise_export_note_drives (ShardwiseExportJob *job)
{
  if (job->problem.training.offloads_to_nvme && job->estimate.strategy.offload != SW_OFFLOAD_NONE)
    shardwise_export_take_note (
        job, SHARDWISE_NOTE_MISSING_FILE, /* Translators: a folder */
        g_strdup_printf (_ ("Mount point of the drives: %s is written."), SHARDWISE_NVME_PATH));
}

/**
 * shardwise_export_note_software:
 * @job: the job
 * @written: SHARDWISE_FEATURE() of those that its files say
 *
 * Adds the stated features of the software that the files do not say.
 */
void
shardwise_export_note_software (ShardwiseExportJob *job, guint written)
{
  ShardwiseKeyId said = SHARDWISE_KEY_NONE;

  for (SwFeature i = 0; i < SW_N_FEATURES; i++)
    {
      const ShardwiseKeyId id = shardwise_software_key (i);

      if ((job->problem.training.software.stated & ~written & (1u << i)) == 0 || id == said)
        continue;
      said = id;
      shardwise_export_take_note (
          job, SHARDWISE_NOTE_SOFTWARE,
          /* Translators: title of a feature of software: "FlashAttention version" */
          g_strdup_printf (_ ("“%s”, which the prediction assumes: make sure that the job’s "
                              "software provides it."),
                           _ (shardwise_key_get (id)->title)));
    }
}

/**
 * shardwise_export_rate:
 * @problem: the question
 *
 * Returns: a usual learning rate of AdamW in a program of the user's: of a trained model whose weights
 *   are all trained it is a tenth of that from scratch or less (torchtune and Axolotl, full
 *   fine-tuning: 1e-5 to 2e-5)
 */
const char *
shardwise_export_rate (const SwProblem *problem)
{
  return problem->training.type == SW_TRAINING_FINETUNE ? "1e-5" : "1.5e-4";
}

/**
 * shardwise_export_note_common:
 * @job: the job of a framework whose files load no model
 *
 * Adds what its files cannot say: the kind of training, and what shardwise_export_note_nodes() does.
 */
void
shardwise_export_note_common (ShardwiseExportJob *job)
{
  switch (job->problem.training.type)
    {
    case SW_TRAINING_FINETUNE:
      shardwise_export_note (
          job, SHARDWISE_NOTE_COMPARE,
          shardwise_format_writer (job->info)->program != NULL
              ? _ ("Checkpoint that the fine-tuning starts from: train.py loads it; a program of "
                   "your own must load it before the first step.")
              : _ ("Checkpoint that the fine-tuning starts from: load it before the first step."));
      break;
    case SW_TRAINING_QLORA:
      shardwise_export_note (job, SHARDWISE_NOTE_IN_SCRIPT,
                             _ ("4-bit weights: train.py quantizes the frozen model when it loads "
                                "it; a program of your own must do so, too."));
      break;
    case SW_TRAINING_RLHF:
      shardwise_export_note (job, SHARDWISE_NOTE_OTHERWISE,
                             _ ("Other models of RLHF and their generation: this is the training "
                                "of the policy only."));
      break;
    case SW_TRAINING_PRETRAIN:
    case SW_TRAINING_LORA:
    default: break;
    }
  shardwise_export_note_nodes (job);
}

/**
 * shardwise_export_note_nodes:
 * @job: the job
 *
 * Adds what none of the formats can say: idle GPUs, nodes that there are not, and that the recipe of
 * the optimizer is the user's.
 */
void
shardwise_export_note_nodes (ShardwiseExportJob *job)
{
  guint idle = job->estimate.gpus_idle;
  const guint per_node = MAX (job->problem.cluster.gpus_per_node, 1),
              there = (job->problem.cluster.gpus + per_node - 1) / per_node,
              nodes = shardwise_export_nodes (job);

  if (idle > 0)
    shardwise_export_take_note (
        job, SHARDWISE_NOTE_IDLE,
        g_strdup_printf (
            /* Translators: GPUs that stay idle, nodes, GPUs of each that are used */
            ngettext ("%u GPU, which this strategy does not use: the job takes %u nodes with %u "
                      "GPUs each.",
                      "%u GPUs, which this strategy does not use: the job takes %u nodes with %u "
                      "GPUs each.",
                      idle),
            idle, nodes, shardwise_export_gpus_per_node (job)));

  if (nodes > there) /* no number of the nodes there are divides the GPUs */
    shardwise_export_take_note (
        job, SHARDWISE_NOTE_NODES, /* Translators: numbers of GPUs, of nodes, of GPUs, of nodes */
        g_strdup_printf (_ ("Nodes: %u GPUs can be spread evenly over %u nodes with %u each only; "
                            "the cluster has %u."),
                         shardwise_export_gpus (job), nodes, shardwise_export_gpus_per_node (job),
                         there));
  shardwise_export_note (job, SHARDWISE_NOTE_STARTING_POINT,
                         _ ("Data, learning rate and schedule: the values in the file are common "
                            "starting points, not results."));
}
