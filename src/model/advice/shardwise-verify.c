/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A short plan to check a prediction on the cluster: what to look at in the framework's log, and
 * what to change if memory runs out or steps take longer. */
#include "shardwise-verify.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-changes.h"
#include "shardwise-format.h"
#include "shardwise-text-estimate.h"
#include "shardwise-text-reasons.h"
#include "shardwise-text-strategy.h"

/* ---- what to look at ---- */

typedef enum { LOOK_STEP, LOOK_MEMORY, LOOK_TOKENS, LOOK_MFU, N_LOOKS } Look;

static const struct {
  const char *what, *title;
} looks[N_LOOKS] = {
  [LOOK_STEP] = { "step", N_ ("Time of a step") },
  [LOOK_MEMORY] = { "memory", N_ ("Peak memory per GPU") },
  [LOOK_TOKENS] = { "tokens", N_ ("Tokens per second") },
  [LOOK_MFU] = { "mfu", N_ ("MFU") },
};

/* The names in the logs: Megatron-LM training_log() and report_memory() in
 * megatron/training/training.py and utils.py, TorchTitan components/metrics.py, DeepSpeed
 * ThroughputTimer in deepspeed/utils/timer.py, Nanotron trainer.py and helpers.py, transformers
 * speed_metrics() in trainer_utils.py, torchtune get_memory_stats() in training/memory.py and its
 * recipes, verl trainer/ppo/metric_utils.py. */
#define MEGATRON                                                                                   \
  {                                                                                                \
    N_ ("In the log: “elapsed time per iteration (ms)”."),                                         \
        N_ ("In the log after the first steps: “max reserved”, for each stage."),                  \
        N_ ("Global batch × sequence length / step time."),                                        \
        N_ ("With --log-throughput: “throughput per GPU (TFLOP/s/GPU)” / peak."),                  \
  }
#define BY_HAND                                                                                    \
  {                                                                                                \
    N_ ("Time between two steps, each after torch.cuda.synchronize()."),                           \
        N_ ("torch.cuda.max_memory_reserved() after a step, on every rank."),                      \
        N_ ("Global batch × sequence length / step time."),                                        \
        N_ ("Tokens per second × FLOPs per token / peak of all GPUs."),                            \
  }
#define TRAINER                                                                                    \
  {                                                                                                \
    N_ ("At the end of the log: “train_runtime” / number of steps."),                              \
        N_ ("torch.cuda.max_memory_reserved() after a step, on every rank."),                      \
        N_ ("At the end of the log: “train_samples_per_second” × sequence length."),               \
        N_ ("Tokens per second × FLOPs per token / peak of all GPUs."),                            \
  }
static const char *const logs[SW_N_FRAMEWORKS][N_LOOKS] = {
  [SW_FRAMEWORK_ANY] = BY_HAND,
  [SW_FRAMEWORK_MEGATRON_2021] = MEGATRON,
  [SW_FRAMEWORK_MEGATRON_CORE] = MEGATRON,
  [SW_FRAMEWORK_FSDP] = BY_HAND,
  [SW_FRAMEWORK_FSDP2] = {
      N_ ("In TorchTitan’s metrics: “time_metrics/end_to_end(s)”."),
      N_ ("In TorchTitan’s log: “memory”, which is reserved memory."),
      N_ ("In TorchTitan’s log: “tps”, which is per GPU."),
      N_ ("In TorchTitan’s log: “mfu”."),
  },
  [SW_FRAMEWORK_DEEPSPEED] = {
      N_ ("Global batch / “CurrSamplesPerSec” in the log."),
      N_ ("In the log: “MaxMemAllocated”, which excludes memory that is only reserved."),
      N_ ("“CurrSamplesPerSec” in the log × sequence length."),
      N_ ("Tokens per second × FLOPs per token / peak of all GPUs."),
  },
  [SW_FRAMEWORK_NANOTRON] = {
      N_ ("In the log: “elapsed_time_per_iteration_ms”."),
      N_ ("In the log: “Peak reserved”."),
      N_ ("In the log: “tokens_per_sec”."),
      N_ ("In the log: “model_tflops_per_gpu” / peak."),
  },
  [SW_FRAMEWORK_HF_TRAINER] = TRAINER,
  [SW_FRAMEWORK_UNSLOTH] = TRAINER,
  [SW_FRAMEWORK_TORCHTUNE] = {
      N_ ("Time between two steps, each after torch.cuda.synchronize()."),
      N_ ("In torchtune’s metrics: “peak_memory_reserved”."),
      N_ ("In torchtune’s metrics: “tokens_per_second_per_gpu”."),
      N_ ("Tokens per second × FLOPs per token / peak of all GPUs."),
  },
  [SW_FRAMEWORK_VERL] = {
      N_ ("In verl’s metrics: “perf/time_per_step”."),
      N_ ("In verl’s metrics: “perf/max_memory_reserved_gb”."),
      N_ ("In verl’s metrics: “perf/throughput”, which is per GPU."),
      N_ ("In verl’s metrics: “perf/mfu/actor”, which covers policy training only."),
  },
  [SW_FRAMEWORK_OPENRLHF] = BY_HAND,
};

static void
look_free (gpointer data)
{
  ShardwiseLookAt *self = data;

  g_free (self->title);
  g_free (self->value);
  g_free (self->where);
  g_free (self);
}

static ShardwiseLookAt *
look_new (const SwProblem *problem, const SwEstimate *e, Look look)
{
  static char *(*const formats[N_LOOKS]) (
      double) = { shardwise_format_seconds, shardwise_format_bytes, shardwise_format_count,
                  shardwise_format_percent };
  const double per_token = e->mfu / e->tokens_per_s;
  ShardwiseLookAt *self = g_new0 (ShardwiseLookAt, 1);
  /* TorchTitan only pre-trains: other FSDP 2 jobs have their own training loop. */
  const SwFramework logger = e->strategy.framework == SW_FRAMEWORK_FSDP2
                                     && problem->training.type != SW_TRAINING_PRETRAIN
                                 ? SW_FRAMEWORK_FSDP
                                 : (SwFramework) e->strategy.framework;
  GString *where = g_string_new (_ (logs[logger][look]));
  g_autofree char *value = NULL, *from = NULL, *to = NULL;

  self->what = looks[look].what;
  self->title = g_strdup (_ (looks[look].title));
  switch (look)
    {
    case LOOK_STEP:
      self->expected = e->time.step_s;
      self->low = e->step_low_s;
      self->high = e->step_high_s;
      break;
    case LOOK_MEMORY:
      self->expected = e->memory.peak.total;
      self->low = e->memory_low_bytes;
      self->high = e->memory_high_bytes;
      if (e->memory.peak.framework > 0)
        {
          g_autofree char *own = shardwise_format_bytes (e->memory.peak.framework);

          shardwise_text_append (where, g_strdup_printf (
                                            /* Translators: the framework's own memory */
                                            _ ("nvidia-smi or rocm-smi shows all memory; a log may "
                                               "exclude the framework’s own %s."),
                                            own));
        }
      break;
    case LOOK_TOKENS:
      self->expected = e->tokens_per_s;
      self->low = e->tokens_low_per_s;
      self->high = e->tokens_high_per_s;
      break;
    case LOOK_MFU:
      self->expected = e->mfu;
      self->low = per_token * e->tokens_low_per_s;
      self->high = per_token * e->tokens_high_per_s;
      {
        g_autofree char *peak = shardwise_format_significant (e->peak_flops_per_s / 1e12);

        shardwise_text_append (where, g_strdup_printf (
                                          /* Translators: a rate */
                                          _ ("The peak is %s TFLOP/s, dense."), peak));
      }
      break;
    case N_LOOKS:
    default: break;
    }
  value = formats[look](self->expected);
  from = formats[look](self->low);
  to = formats[look](self->high);
  /* Translators: a figure, and the interval in which it should be: "14.2 s (12.1 s to 17.3 s)" */
  self->value = g_strdup_printf (_ ("%s (%s to %s)"), value, from, to);
  self->where = g_string_free (where, FALSE);
  return self;
}

/* ---- out of memory ---- */

static void
remedy_free (gpointer data)
{
  ShardwiseRemedy *self = data;

  g_free (self->name);
  g_free (self->text);
  g_variant_unref (self->changes);
  g_free (self);
}

/* Only the step: "TP 8 (with DP 4)". */
static char *
rung_name (const SwStrategy *before, const SwRung *rung)
{
  const SwStrategy *after = &rung->estimate.strategy;
  g_autofree char *part = NULL, *rest = NULL;

  if (rung->dimension == SW_N_DIMENSIONS)
    return g_strdup_printf (
        /* Translators: a length */
        _ ("Sequence length %'u"), rung->value);
  part = shardwise_text_part (after, rung->dimension);
  rest = shardwise_text_differences (before, after, rung->dimension);
  if (rest == NULL)
    return g_steal_pointer (&part);
  /* Translators: "TP 4", then what changes with it: "PP 8, DP 1" */
  return g_strdup_printf (_ ("%s (with %s)"), part, rest);
}

static ShardwiseRemedy *
remedy_new (const SwProblem *problem, const SwStrategy *before, const SwRung *rung)
{
  ShardwiseRemedy *self = g_new0 (ShardwiseRemedy, 1);
  const SwEstimate *e = &rung->estimate;
  const SwTraining *training = &problem->training;
  g_autofree char *total = shardwise_format_bytes (e->memory.peak.total);
  g_autofree char *freed = shardwise_format_bytes (rung->freed_bytes);
  g_autofree char *share = shardwise_format_percent (fabs (1.0 / (1.0 + rung->change) - 1.0));
  g_autofree char *untried = shardwise_text_untried (e->untried);
  g_autoptr (GVariant) strategy =
      g_variant_ref_sink (shardwise_strategy_changes (&e->strategy, SHARDWISE_ALL_DIMENSIONS));
  GString *text = g_string_new (NULL);
  GVariantDict dict;

  self->rung = *rung;
  self->name = rung_name (before, rung);
  g_string_append_printf (
      text,
      rung->change >= 0.0
          /* Translators: a change ("TP 8"), memory of a GPU, how much less that
                                 is, and a percentage of the tokens per second */
          ? _ ("%s needs %s per GPU, which is %s less, and lowers throughput by %s.")
          /* Translators: a change ("TP 8"), memory of a GPU, how much less that
                                 is, and a percentage of the tokens per second */
          : _ ("%s needs %s per GPU, which is %s less, and raises throughput by %s."),
      self->name, total, freed, share);
  if (untried != NULL)
    shardwise_text_append (text, g_strdup_printf (
                                     /* Translators: what of a strategy is not proven: "offload to
                                        the host’s memory" */
                                     _ ("Untried: %s."), untried));
  self->text = g_string_free (text, FALSE);
  g_variant_dict_init (&dict, strategy);
  if (rung->dimension == SW_N_DIMENSIONS)
    {
      shardwise_changes_insert (&dict, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH, "x",
                                (gint64) rung->value);
      shardwise_changes_insert (&dict, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, "x",
                                (gint64) training->global_batch
                                    * (training->sequence_length / rung->value));
    }
  self->changes = g_variant_ref_sink (g_variant_dict_end (&dict));
  return self;
}

/* ---- slower than predicted ---- */

/* In the order of shardwise_time_parts(). */
static const struct {
  const char *part, *hint;
} suspects[SHARDWISE_N_TIME_PARTS] = {
  { "compute", N_ ("Check clocks and power limits (nvidia-smi -q -d CLOCK,PERFORMANCE). Check that "
                   "flash attention and fused kernels are on.") },
  { "recompute", N_ ("If memory is free, recompute less.") },
  { "uneven", N_ ("Try another number of stages, or fewer layers on the first and last stages.") },
  { "tp", N_ ("Check that TP stays within a node (nvidia-smi topo -m). Try half the TP.") },
  { "cp", N_ ("Check that CP stays within a node. Try half the CP.") },
  { "ep", N_ ("Run alltoall_perf from nccl-tests. Try EP within a node.") },
  { "pp", N_ ("Run sendrecv_perf from nccl-tests. Try fewer stages.") },
  { "dp", N_ ("Run all_reduce_perf from nccl-tests. Check that communication overlaps. Try more "
              "gradient accumulation.") },
  { "bubble", N_ ("Try more micro-batches per step, or virtual stages.") },
  { "optimizer", N_ ("Check that the optimizer is fused and sharded.") },
  { "offload",
    N_ ("Check PCIe (nvbandwidth). Check that each process is bound to the socket of its GPU.") },
  { "other", N_ ("Check for data loading, logging and checkpoints within the step.") },
};

#define LEAST_SHARE 0.01 /* of the step */
#define MOST_SUSPECTS 3

static void
suspect_free (gpointer data)
{
  ShardwiseSuspect *self = data;

  g_free (self->text);
  g_free (self);
}

/* The largest parts of a step except plain compute, then compute. */
static GPtrArray *
suspects_of (const SwEstimate *e)
{
  GPtrArray *out = g_ptr_array_new_with_free_func (suspect_free);
  ShardwiseTimePart parts[SHARDWISE_N_TIME_PARTS];
  guint taken = 1u << 0;

  shardwise_time_parts (&e->time, parts);
  while (out->len < MOST_SUSPECTS)
    {
      ShardwiseSuspect *self;
      g_autofree char *share = NULL, *name = NULL;
      guint most = 0;

      for (guint i = 1; i < SHARDWISE_N_TIME_PARTS; i++)
        if ((taken & 1u << i) == 0 && parts[i].seconds >= LEAST_SHARE * e->time.step_s
            && (most == 0 || parts[i].seconds > parts[most].seconds))
          most = i;
      taken |= 1u << most;
      self = g_new0 (ShardwiseSuspect, 1);
      self->part = suspects[most].part;
      self->share = parts[most].seconds / e->time.step_s;
      share = shardwise_format_percent (self->share);
      name = shardwise_text_capitalise (_ (parts[most].name));
      /* Translators: a part of a step ("The pipeline bubble"), its predicted percentage, what to do */
      self->text = g_strdup_printf (_ ("%s, predicted %s of the step. %s"), name, share,
                                    _ (suspects[most].hint));
      g_ptr_array_add (out, self);
      if (most == 0)
        break;
    }
  return out;
}

/* ---- the plan ---- */

/**
 * shardwise_verify_new:
 * @problem: the question
 * @estimate: of a strategy that fits
 *
 * Returns: (transfer full): what to check in a run, and what to change; free with
 *   shardwise_verify_unref()
 */
ShardwiseVerify *
shardwise_verify_new (const SwProblem *problem, const SwEstimate *estimate)
{
  ShardwiseVerify *self = g_atomic_rc_box_new0 (ShardwiseVerify);
  SwRung rungs[SW_MOST_RUNGS];
  const guint n = sw_ladder (problem, estimate, rungs);

  self->look_at = g_ptr_array_new_with_free_func (look_free);
  self->if_out_of_memory = g_ptr_array_new_with_free_func (remedy_free);
  self->if_slower = suspects_of (estimate);
  for (guint i = 0; i < N_LOOKS; i++)
    g_ptr_array_add (self->look_at, look_new (problem, estimate, (Look) i));
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (self->if_out_of_memory,
                     remedy_new (problem,
                                 i == 0 ? &estimate->strategy : &rungs[i - 1].estimate.strategy,
                                 &rungs[i]));
  return self;
}

/**
 * shardwise_verify_ref:
 *
 * Returns: (transfer full): @self
 */
ShardwiseVerify *
shardwise_verify_ref (ShardwiseVerify *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear (gpointer data)
{
  ShardwiseVerify *self = data;

  g_ptr_array_unref (self->look_at);
  g_ptr_array_unref (self->if_out_of_memory);
  g_ptr_array_unref (self->if_slower);
}

void
shardwise_verify_unref (ShardwiseVerify *self)
{
  g_atomic_rc_box_release_full (self, clear);
}

/**
 * shardwise_verify_summary:
 *
 * Returns: (transfer full): how to run it, in a sentence
 */
char *
shardwise_verify_summary (void)
{
  return g_strdup_printf (
      /* Translators: two numbers of training steps */
      _ ("Run %d steps and ignore the first %d. Investigate figures outside their interval."),
      SHARDWISE_VERIFY_STEPS, SHARDWISE_VERIFY_WARM_UP);
}
