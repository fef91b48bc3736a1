/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sum behind each figure, from the engine's own parts, and what it assumes. */
#include "shardwise-metric.h"

#include <glib/gi18n.h>

#include "shardwise-key.h"
#include "shardwise-memory-unit.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"

#define TERA 1e12

static void
add_part (ShardwiseMetric *self, const char *label, char *value, double share)
{
  ShardwisePart *part = g_new0 (ShardwisePart, 1);

  part->label = g_strdup (label);
  part->value = value;
  part->share = share;
  g_ptr_array_add (self->parts, part);
}

static void
add_total (ShardwiseMetric *self, const char *label, char *value)
{
  add_part (self, label, value, -1);
  ((ShardwisePart *) g_ptr_array_index (self->parts, self->parts->len - 1))->is_total = TRUE;
}

static void
assume (ShardwiseMetric *self, char *text)
{
  g_ptr_array_add (self->assumptions, text);
}

static void
add_bytes (ShardwiseMetric *self, const char *label, double bytes, double total)
{
  if (bytes > 0)
    add_part (self, label, shardwise_format_bytes (bytes), total > 0 ? bytes / total : -1);
}

static void
add_seconds (ShardwiseMetric *self, const char *label, double seconds, double total)
{
  if (seconds > 0)
    add_part (self, label, shardwise_format_seconds (seconds), total > 0 ? seconds / total : -1);
}

static void
sum_memory (ShardwiseMetric *self, const SwProblem *problem, const SwEstimate *e)
{
  const SwMemoryParts *p = &e->memory.peak;
  const guint replicas = e->strategy.zero_stage > 0 ? e->strategy.shard_group : e->strategy.dp;

  add_bytes (self, _ ("Parameters"), p->parameters, p->total);
  add_bytes (self, _ ("Gradients"), p->gradients, p->total);
  add_bytes (self, _ ("Optimizer"), p->optimizer, p->total);
  add_bytes (self, _ ("Activations"), p->activations, p->total);
  add_bytes (self, _ ("Logits"), p->logits, p->total);
  add_bytes (self, _ ("Buffers"), p->buffers, p->total);
  add_bytes (self, _ ("Framework"), p->framework, p->total);
  add_total (self, _ ("Peak"), shardwise_format_bytes (p->total));
  if (e->strategy.pp > 1)
    assume (self,
            g_strdup_printf (_ ("The stage that needs most: stage %u."), e->memory.peak_stage));
  if (!shardwise_memory_unit_is_decimal ())
    assume (self, g_strdup (_ ("1 GiB is 2³⁰ bytes.")));
  assume (self,
          g_strdup_printf (
              ngettext ("Optimizer %s, %s arithmetic, ZeRO %u over %u replica, micro-batch %u.",
                        "Optimizer %s, %s arithmetic, ZeRO %u over %u replicas, micro-batch %u.",
                        replicas),
              shardwise_key_word_title ("training.optimizer",
                                        sw_optimizer_names[problem->training.optimizer]),
              sw_precision_names[problem->training.precision], e->strategy.zero_stage, replicas,
              e->strategy.micro_batch));
  if (e->memory.host_bytes > 0)
    {
      g_autofree char *host = shardwise_format_bytes (e->memory.host_bytes);
      assume (self, g_strdup_printf (_ ("Besides, %s of host memory on each node."), host));
    }
}

static void
sum_memory_use (ShardwiseMetric *self, const SwProblem *problem, const SwEstimate *e)
{
  g_autofree char *target = shardwise_format_percent (problem->training.memory_target);
  double left = e->memory_limit_bytes - e->memory.peak.total;

  add_part (self, _ ("Usable on the GPU"), shardwise_format_bytes (e->usable_bytes), -1);
  add_part (self, _ ("Memory target"), shardwise_format_bytes (e->memory_limit_bytes), -1);
  add_part (self, _ ("Peak"), shardwise_format_bytes (e->memory.peak.total), -1);
  add_total (self, left >= 0 ? _ ("Left under the target") : _ ("Missing"),
             shardwise_format_bytes (ABS (left)));
  assume (self, g_strdup_printf (_ ("The target is %s of the memory that a process can allocate; "
                                    "the rest stays free for peaks."),
                                 target));
}

static void
sum_throughput (ShardwiseMetric *self, const SwProblem *problem, const SwEstimate *e)
{
  double tokens = (double) problem->training.global_batch * problem->training.sequence_length;

  add_part (self, _ ("Sequences a step"), shardwise_format_whole (problem->training.global_batch),
            -1);
  add_part (self, _ ("× tokens a sequence"),
            shardwise_format_whole (problem->training.sequence_length), -1);
  add_part (self, _ ("= tokens a step"), shardwise_format_whole (tokens), -1);
  add_part (self, _ ("÷ step time"), shardwise_format_seconds (e->time.step_s), -1);
  if (self->kind == SHARDWISE_METRIC_PER_GPU)
    add_part (self, _ ("÷ GPUs in use"), shardwise_format_whole (e->gpus_used), -1);
  add_total (self, _ ("Tokens per second"),
             shardwise_format_significant (self->kind == SHARDWISE_METRIC_PER_GPU
                                               ? e->tokens_per_s_per_gpu
                                               : e->tokens_per_s));
  assume (self, g_strdup (_ ("Steady training: no checkpoints, evaluation or failures.")));
}

/* What counts as the model's arithmetic. */
static const char *
counted_passes (SwTrainingType type)
{
  switch (type)
    {
    case SW_TRAINING_LORA:
    case SW_TRAINING_QLORA:
      return _ ("the backward pass of frozen weights counted like the forward pass");
    case SW_TRAINING_RLHF: return _ ("every phase counted, training three times the forward pass");
    case SW_TRAINING_PRETRAIN:
    case SW_TRAINING_FINETUNE:
    default: return _ ("backward pass counted twice the forward pass");
    }
}

static void
sum_flops (ShardwiseMetric *self, const SwProblem *problem, const SwEstimate *e)
{
  add_part (self, _ ("Model arithmetic, TFLOP/s on each GPU"),
            shardwise_format_significant (e->model_flops_per_s_per_gpu / TERA), -1);
  add_part (self, _ ("÷ dense peak, TFLOP/s"),
            shardwise_format_significant (e->peak_flops_per_s / TERA), -1);
  add_total (self, _ ("MFU"), shardwise_format_percent (e->mfu));
  add_part (self, _ ("MFU with full attention"), shardwise_format_percent (e->mfu_full_attention),
            -1);
  add_part (self, _ ("HFU, with recomputation"), shardwise_format_percent (e->hfu), -1);
  add_part (self, _ ("HFU with full attention"), shardwise_format_percent (e->hfu_full_attention),
            -1);
  assume (self, g_strdup_printf (_ ("Peak of %s, dense, %s. Causal attention halved but where full "
                                    "attention is named; %s."),
                                 problem->cluster.gpu.name,
                                 sw_precision_names[problem->training.precision],
                                 counted_passes (problem->training.type)));
}

static void
sum_scaling (ShardwiseMetric *self, const SwProblem *problem, const SwEstimate *e)
{
  add_part (self, _ ("Whole step"), shardwise_format_percent (1), -1);
  add_part (self, _ ("− exposed communication"),
            shardwise_format_percent (e->communication_overhead), e->communication_overhead);
  add_part (self, _ ("− pipeline bubble"), shardwise_format_percent (e->bubble_fraction),
            e->bubble_fraction);
  add_total (self, _ ("Scaling efficiency"), shardwise_format_percent (e->scaling_efficiency));
  assume (self,
          g_strdup (
              _ ("Recomputation and the optimizer count as work here; MFU does not count them.")));
}

static void
sum_communication (ShardwiseMetric *self, const SwProblem *problem, const SwEstimate *e)
{
  const SwTime *t = &e->time;
  double exposed = t->tp_exposed_s + t->cp_exposed_s + t->ep_exposed_s + t->pp_exposed_s
                   + t->dp_exposed_s;
  double hidden = t->tp_hidden_s + t->cp_hidden_s + t->ep_hidden_s + t->pp_hidden_s
                  + t->dp_hidden_s;

  add_seconds (self, _ ("Tensor parallel"), t->tp_exposed_s, t->step_s);
  add_seconds (self, _ ("Context parallel"), t->cp_exposed_s, t->step_s);
  add_seconds (self, _ ("Expert parallel"), t->ep_exposed_s, t->step_s);
  add_seconds (self, _ ("Pipeline"), t->pp_exposed_s, t->step_s);
  add_seconds (self, _ ("Data parallel"), t->dp_exposed_s, t->step_s);
  add_total (self, _ ("Exposed"), shardwise_format_seconds (exposed));
  add_seconds (self, _ ("Hidden beside compute"), hidden, 0);
  add_seconds (self, _ ("Compute"), t->compute_s, 0);
  assume (self, g_strdup_printf (_ ("Links: %s in the node, %s between nodes."),
                                 problem->cluster.intra.name, problem->cluster.inter.name));
}

static void
sum_bubble (ShardwiseMetric *self, const SwProblem *problem, const SwEstimate *e)
{
  g_autofree char *schedule = NULL;

  add_part (self, _ ("Bubble"), shardwise_format_seconds (e->time.bubble_s), e->bubble_fraction);
  add_part (self, _ ("÷ step time"), shardwise_format_seconds (e->time.step_s), -1);
  add_total (self, _ ("Bubble share"), shardwise_format_percent (e->bubble_fraction));
  schedule = shardwise_text_dimension_value (SW_DIM_SCHEDULE, e->strategy.schedule);
  assume (self,
          g_strdup_printf (_ ("Schedule %s, %u stages, %u virtual stages each, %u micro-batches."),
                           schedule, e->strategy.pp, e->strategy.vpp, e->gradient_accumulation));
}

static void
sum_step (ShardwiseMetric *self, const SwProblem *problem, const SwEstimate *e)
{
  const SwTime *t = &e->time;

  add_seconds (self, _ ("Compute"), t->compute_s - t->recompute_s, t->step_s);
  add_seconds (self, _ ("Recomputation"), t->recompute_s, t->step_s);
  add_seconds (self, _ ("Tensor parallel, exposed"), t->tp_exposed_s, t->step_s);
  add_seconds (self, _ ("Context parallel, exposed"), t->cp_exposed_s, t->step_s);
  add_seconds (self, _ ("Expert parallel, exposed"), t->ep_exposed_s, t->step_s);
  add_seconds (self, _ ("Pipeline, exposed"), t->pp_exposed_s, t->step_s);
  add_seconds (self, _ ("Bubble"), t->bubble_s, t->step_s);
  add_seconds (self, _ ("Data parallel, exposed"), t->dp_exposed_s, t->step_s);
  add_seconds (self, _ ("Optimizer"), t->optimizer_s, t->step_s);
  add_seconds (self, _ ("Offload, exposed"), t->offload_exposed_s, t->step_s);
  add_seconds (self, _ ("Other"), t->other_s, t->step_s);
  add_total (self, _ ("Step"), shardwise_format_seconds (t->step_s));
  assume (self, g_strdup_printf (_ ("Constants of %s on %s, fitted on published runs."),
                                 shardwise_text_framework (e->strategy.framework),
                                 problem->cluster.gpu.name));
}

/**
 * shardwise_metric_add_sum:
 * @self: a figure
 * @problem: the question
 * @estimate: the strategy that is shown
 *
 * Adds the parts that the figure is the sum (or quotient) of, and the assumptions.
 */
void
shardwise_metric_add_sum (ShardwiseMetric *self, const SwProblem *problem,
                          const SwEstimate *estimate)
{
  static void (*const sums[SHARDWISE_N_METRICS]) (ShardwiseMetric *, const SwProblem *,
                                                  const SwEstimate *) = {
    [SHARDWISE_METRIC_MEMORY] = sum_memory,
    [SHARDWISE_METRIC_THROUGHPUT] = sum_throughput,
    [SHARDWISE_METRIC_MFU] = sum_flops,
    [SHARDWISE_METRIC_MEMORY_USE] = sum_memory_use,
    [SHARDWISE_METRIC_PER_GPU] = sum_throughput,
    [SHARDWISE_METRIC_SCALING] = sum_scaling,
    [SHARDWISE_METRIC_HFU] = sum_flops,
    [SHARDWISE_METRIC_COMMUNICATION] = sum_communication,
    [SHARDWISE_METRIC_BUBBLE] = sum_bubble,
    [SHARDWISE_METRIC_STEP] = sum_step,
    [SHARDWISE_METRIC_FLOPS] = sum_flops,
  };

  g_return_if_fail (self != NULL && problem != NULL && estimate != NULL);
  sums[self->kind](self, problem, estimate);
}
