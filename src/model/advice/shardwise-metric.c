/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-metric.h"

#include <glib/gi18n.h>

#include "shardwise-cost.h"
#include "shardwise-key.h"
#include "shardwise-format.h"
#include "shardwise-text-search.h"
#include "shardwise-text-estimate.h"
#include "shardwise-dimension.h"
#include "shardwise-text-strategy.h"

/* The sum behind each figure, from the engine's own parts, and its assumptions. */

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

  for (guint i = 0; i < SW_N_PARTS; i++)
    add_bytes (self, shardwise_text_memory_part ((SwMemoryPart) i),
               sw_memory_part_bytes (p, (SwMemoryPart) i), p->total);
  add_total (self, _ ("Peak"), shardwise_format_bytes (p->total));
  if (e->strategy.pp > 1)
    assume (self, g_strdup_printf (_ ("Fullest stage: stage %u."), e->memory.peak_stage));
  if (!shardwise_memory_unit_is_decimal ())
    assume (self, g_strdup (_ ("1 GiB is 2³⁰ bytes.")));
  assume (self,
          g_strdup_printf (
              ngettext ("Optimizer %s, %s precision, ZeRO %u over %u replica, micro-batch %u.",
                        "Optimizer %s, %s precision, ZeRO %u over %u replicas, micro-batch %u.",
                        replicas),
              shardwise_key_word_title (SHARDWISE_KEY_TRAINING_OPTIMIZER,
                                        sw_optimizer_names[problem->training.optimizer]),
              sw_precision_names[problem->training.precision], e->strategy.zero_stage, replicas,
              e->strategy.micro_batch));
  if (e->memory.host_bytes > 0)
    {
      g_autofree char *host = shardwise_format_bytes (e->memory.host_bytes);
      assume (self, g_strdup_printf (_ ("In addition, %s of host memory per node."), host));
    }
}

static void
sum_memory_use (ShardwiseMetric *self, const SwProblem *problem, const SwEstimate *e)
{
  g_autofree char *target = shardwise_format_percent (problem->training.memory_target);
  double left = e->memory_limit_bytes - e->memory.peak.total;

  add_part (self, _ ("Usable GPU memory"), shardwise_format_bytes (e->usable_bytes), -1);
  add_part (self, _ ("Memory target"), shardwise_format_bytes (e->memory_limit_bytes), -1);
  add_part (self, _ ("Peak"), shardwise_format_bytes (e->memory.peak.total), -1);
  add_total (self, left >= 0 ? _ ("Free below the target") : _ ("Missing"),
             shardwise_format_bytes (ABS (left)));
  assume (self, g_strdup_printf (_ ("The target is %s of the memory that a process can allocate. "
                                    "The rest stays free for peaks."),
                                 target));
}

static void
sum_throughput (ShardwiseMetric *self, const SwProblem *problem, const SwEstimate *e)
{
  double tokens = (double) problem->training.global_batch * problem->training.sequence_length;

  add_part (self, _ ("Sequences per step"), shardwise_format_whole (problem->training.global_batch),
            -1);
  add_part (self, _ ("× tokens per sequence"),
            shardwise_format_whole (problem->training.sequence_length), -1);
  add_part (self, _ ("= tokens per step"), shardwise_format_whole (tokens), -1);
  add_part (self, _ ("÷ step time"), shardwise_format_seconds (e->time.step_s), -1);
  if (self->kind == SHARDWISE_METRIC_PER_GPU)
    add_part (self, _ ("÷ GPUs in use"), shardwise_format_whole (e->gpus_used), -1);
  add_total (self, _ ("Tokens per second"),
             shardwise_format_significant (self->kind == SHARDWISE_METRIC_PER_GPU
                                               ? e->tokens_per_s_per_gpu
                                               : e->tokens_per_s));
  assume (self, g_strdup (_ ("Steady training, without checkpoints, evaluation or failures.")));
}

/* The FLOPs that count as the model's. */
static const char *
counted_passes (const SwTraining *training)
{
  switch (sw_training_is_adapter (training) ? sw_training_states (training) : training->type)
    {
    case SW_TRAINING_LORA:
    case SW_TRAINING_QLORA:
      return _ ("the backward pass of frozen weights counts as one forward pass");
    case SW_TRAINING_RLHF: return _ ("all phases count; training counts as three forward passes");
    case SW_TRAINING_PRETRAIN:
    case SW_TRAINING_FINETUNE:
    default: return _ ("the backward pass counts as two forward passes");
    }
}

static void
sum_flops (ShardwiseMetric *self, const SwProblem *problem, const SwEstimate *e)
{
  add_part (self, _ ("Model TFLOP/s per GPU"),
            shardwise_format_significant (e->model_flops_per_s_per_gpu / TERA), -1);
  add_part (self, _ ("÷ dense peak, TFLOP/s"),
            shardwise_format_significant (e->peak_flops_per_s / TERA), -1);
  add_total (self, _ ("MFU"), shardwise_format_percent (e->mfu));
  add_part (self, _ ("MFU with full attention"), shardwise_format_percent (e->mfu_full_attention),
            -1);
  add_part (self, _ ("HFU, with recomputation"), shardwise_format_percent (e->hfu), -1);
  add_part (self, _ ("HFU with full attention"), shardwise_format_percent (e->hfu_full_attention),
            -1);
  assume (self, g_strdup_printf (_ ("Peak of %s: dense, %s. Causal attention counts half unless "
                                    "full attention is stated; %s."),
                                 problem->cluster.gpu.name,
                                 sw_precision_names[problem->training.precision],
                                 counted_passes (&problem->training)));
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
  assume (self, g_strdup (_ (
                    "Recomputation and the optimizer count as useful work here, but not in MFU.")));
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
  add_seconds (self, _ ("Overlapped with compute"), hidden, 0);
  add_seconds (self, _ ("Compute"), t->compute_s + t->uneven_s, 0);
  assume (self, g_strdup_printf (_ ("Links: %s within a node, %s between nodes."),
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
  add_seconds (self, _ ("Uneven stages"), t->uneven_s, t->step_s);
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
  assume (self, g_strdup_printf (_ ("Constants of %s on %s, fitted to published runs."),
                                 shardwise_text_framework (e->strategy.framework),
                                 problem->cluster.gpu.name));
}

/* Limits for good and fair. Communication and bubble: the triggers of the recommendations
 * (sw-advice.c). MFU: Llama 3 405B trained at 38-43 % on H100 (The Llama 3 Herd of Models, 2024,
 * table 4). Scaling efficiency: the rest after a good bubble and good communication. */
#define COMMUNICATION_GOOD (1.0 / 11.0)
#define COMMUNICATION_FAIR 0.2
#define BUBBLE_GOOD 0.1
#define BUBBLE_FAIR 0.2
#define MFU_GOOD 0.38
#define MFU_FAIR 0.25
#define SCALING_GOOD 0.8
#define SCALING_FAIR 0.65
#define MEMORY_LOW 0.5

static void
part_free (ShardwisePart *part)
{
  g_free (part->label);
  g_free (part->value);
  g_free (part);
}

/* Splits "8.42 s" into figure and unit at the last space, which may be one that does not break; @unit:
 * (out) (transfer none). Returns: (transfer full): the figure */
static char *
split_figure (const char *text, const char **unit)
{
  static const char *const spaces[] = { " ", "\302\240", "\342\200\257" };
  const char *end = NULL;

  *unit = "";
  for (guint i = 0; i < G_N_ELEMENTS (spaces); i++)
    {
      const char *space = g_strrstr (text, spaces[i]);

      if (space != NULL && (end == NULL || space > end))
        {
          end = space;
          *unit = space + strlen (spaces[i]);
        }
    }
  return end != NULL ? g_strndup (text, end - text) : g_strdup (text);
}

/* @unit: (nullable): what @text is without */
static void
set_figure (ShardwiseMetric *self, const char *text, const char *unit)
{
  const char *own;

  self->number = unit != NULL ? g_strdup (text) : split_figure (text, &own);
  self->unit = g_strdup (unit != NULL ? unit : own);
}

/* An interval is called skewed if one side of it is so many times the other. */
#define SKEWED 1.2

/* Half of the width of the interval or, where it is skewed, its ends. @least, @most: both as text.
 * Returns: whether it is the ends */
static gboolean
set_interval (ShardwiseMetric *self, double value, double low, double high, const char *least,
              const char *most)
{
  g_autofree char *number = NULL;
  const char *unit, *other;

  if (value <= 0 || low <= 0 || high <= low)
    return FALSE;
  if (high - value <= SKEWED * (value - low) && value - low <= SKEWED * (high - value))
    {
      /* Translators: half of the width of the model's error interval, in percent */
      self->interval = g_strdup_printf (_ ("± %.0f %%"), (high - low) / 2 / value * 100);
      return FALSE;
    }
  number = split_figure (least, &unit);
  g_free (split_figure (most, &other));
  self->interval = g_strdup_printf ("%s–%s", g_str_equal (unit, other) ? number : least, most);
  return TRUE;
}

static char *
threshold (double share)
{
  /* Translators: a threshold in whole percent */
  return g_strdup_printf (_ ("%.0f %%"), share * 100);
}

static void
grade_at_least (ShardwiseMetric *self, double value, double good, double fair)
{
  g_autofree char *good_text = threshold (good), *fair_text = threshold (fair);

  self->grade = value >= good   ? SHARDWISE_GRADE_GOOD
                : value >= fair ? SHARDWISE_GRADE_FAIR
                                : SHARDWISE_GRADE_POOR;
  if (self->grade == SHARDWISE_GRADE_GOOD)
    self->assessment = g_strdup_printf (_ ("good: %s or more"), good_text);
  else if (self->grade == SHARDWISE_GRADE_FAIR)
    self->assessment = g_strdup_printf (_ ("fair: good is %s or more"), good_text);
  else
    self->assessment = g_strdup_printf (_ ("poor: below %s"), fair_text);
}

static void
grade_at_most (ShardwiseMetric *self, double value, double good, double fair)
{
  g_autofree char *good_text = threshold (good), *fair_text = threshold (fair);

  self->grade = value <= good   ? SHARDWISE_GRADE_GOOD
                : value <= fair ? SHARDWISE_GRADE_FAIR
                                : SHARDWISE_GRADE_POOR;
  if (self->grade == SHARDWISE_GRADE_GOOD)
    self->assessment = g_strdup_printf (_ ("good: %s or less"), good_text);
  else if (self->grade == SHARDWISE_GRADE_FAIR)
    self->assessment = g_strdup_printf (_ ("fair: good is %s or less"), good_text);
  else
    self->assessment = g_strdup_printf (_ ("poor: above %s"), fair_text);
}

static void
set_memory (ShardwiseMetric *self, const SwProblem *problem, const SwEstimate *e)
{
  double peak = e->memory.peak.total, unit = shardwise_memory_unit_bytes ();
  g_autofree char *name = shardwise_memory_unit_text (_ ("GiB")), *exact = NULL;
  g_autofree char *number = shardwise_format_significant (peak / unit);
  g_autofree char *low = shardwise_format_bytes (e->memory_low_bytes),
                  *high = shardwise_format_bytes (e->memory_high_bytes);
  g_autofree char *usable = shardwise_format_bytes (e->usable_bytes);

  self->title = g_strdup (_ ("Memory per GPU"));
  set_figure (self, number, name);
  set_interval (self, peak, e->memory_low_bytes, e->memory_high_bytes, low, high);
  /* Translators: memory of a GPU that can be used */
  self->detail = g_strdup_printf (_ ("of %s usable"), usable);
  /* Translators: exact memory in GiB and in bytes, then the error interval */
  exact = g_strdup_printf (_ ("%.3f GiB (%'.0f bytes); %s to %s"), peak / unit, peak, low, high);
  self->exact = shardwise_memory_unit_text (exact);
  self->meaning = g_strdup (_ ("Peak memory of the fullest GPU. Includes weights, gradients, "
                               "optimizer states, activations, buffers and the framework itself."));
  if (!(e->usable_bytes > 0))
    return;
  self->level = peak / e->usable_bytes;
  self->limit = e->memory_limit_bytes / e->usable_bytes;
  self->low = e->memory_low_bytes / e->usable_bytes;
  self->high = e->memory_high_bytes / e->usable_bytes;
}

static void
set_throughput (ShardwiseMetric *self, const SwProblem *problem, const SwEstimate *e)
{
  g_autofree char *number = shardwise_format_count (e->tokens_per_s);
  g_autofree char *low = shardwise_format_count (e->tokens_low_per_s),
                  *high = shardwise_format_count (e->tokens_high_per_s);

  self->title = g_strdup (_ ("Throughput"));
  set_figure (self, number, _ ("tokens/s"));
  set_interval (self, e->tokens_per_s, e->tokens_low_per_s, e->tokens_high_per_s, low, high);
  self->detail = g_strdup_printf (ngettext ("on %'u GPU", "on %'u GPUs", e->gpus_used),
                                  e->gpus_used);
  self->exact = g_strdup_printf (_ ("%.1f tokens/s; %s to %s"), e->tokens_per_s, low, high);
  self->meaning = g_strdup (_ ("Tokens that the whole job processes per second."));
}

static void
set_mfu (ShardwiseMetric *self, const SwProblem *problem, const SwEstimate *e)
{
  g_autofree char *number = shardwise_format_percent (e->mfu);
  g_autofree char *peak = shardwise_format_significant (e->peak_flops_per_s / TERA);
  const double per_token = e->tokens_per_s > 0 ? e->mfu / e->tokens_per_s : 0,
               least = per_token * e->tokens_low_per_s, most = per_token * e->tokens_high_per_s;
  g_autofree char *low = shardwise_format_percent (least), *high = shardwise_format_percent (most);

  self->title = g_strdup (_ ("Model FLOPs utilization"));
  set_figure (self, number, NULL);
  set_interval (self, e->mfu, least, most, low, high);
  /* Translators: dense peak of the GPU and the arithmetic: "of 989 TFLOP/s dense bf16" */
  self->detail = g_strdup_printf (_ ("of %s TFLOP/s dense %s"), peak,
                                  sw_precision_names[problem->training.precision]);
  self->exact = g_strdup_printf (_ ("MFU %.2f %% of %s TFLOP/s dense %s; causal attention halved"),
                                 e->mfu * 100, peak,
                                 sw_precision_names[problem->training.precision]);
  self->meaning =
      g_strdup (_ ("MFU: the FLOPs that the model needs, as a share of the dense peak of the GPUs. "
                   "Causal attention counts half; recomputation does not count."));
  grade_at_least (self, e->mfu, MFU_GOOD, MFU_FAIR);
}

static void
set_memory_use (ShardwiseMetric *self, const SwProblem *problem, const SwEstimate *e)
{
  g_autofree char *number = shardwise_format_percent (e->memory_utilisation);
  g_autofree char *limit = shardwise_format_bytes (e->memory_limit_bytes),
                  *usable = shardwise_format_bytes (e->usable_bytes);
  g_autofree char *peak = shardwise_format_bytes (e->memory.peak.total);

  self->title = g_strdup (_ ("Memory use"));
  set_figure (self, number, NULL);
  self->level = e->memory_utilisation;
  self->limit = e->usable_bytes > 0 ? e->memory_limit_bytes / e->usable_bytes : 1;
  self->detail = g_strdup_printf (_ ("limit %s of %s"), limit, usable);
  self->exact = g_strdup_printf (_ ("%s of %s usable; strategies above %s are excluded"), peak,
                                 usable, limit);
  self->meaning = g_strdup (_ ("Memory use of the fullest GPU. The red line is the memory target. "
                               "Strategies above it are excluded."));
  self->grade = !e->fits                             ? SHARDWISE_GRADE_POOR
                : e->memory_utilisation < MEMORY_LOW ? SHARDWISE_GRADE_FAIR
                                                     : SHARDWISE_GRADE_GOOD;
  if (self->grade == SHARDWISE_GRADE_POOR)
    {
      const double over = e->memory.peak.total - e->memory_limit_bytes;
      g_autofree char *missing = shardwise_format_bytes (over);

      self->assessment = over > 0 ? g_strdup_printf (_ ("does not fit: needs %s more"), missing)
                                  : shardwise_text_rule (problem, &e->strategy, e->rule,
                                                         e->missing_bytes);
    }
  else if (e->fit == SW_FIT_MAY_NOT)
    {
      self->grade = SHARDWISE_GRADE_FAIR;
      self->assessment = g_strdup (_ ("fair: may not fit, by the upper end of the interval"));
    }
  else
    self->assessment = g_strdup (self->grade == SHARDWISE_GRADE_GOOD
                                     ? _ ("good: fits, and uses at least half")
                                     : _ ("fair: more than half is unused"));
}

static void
set_per_gpu (ShardwiseMetric *self, const SwProblem *problem, const SwEstimate *e)
{
  double share = e->tokens_per_s > 0 ? e->tokens_per_s_per_gpu / e->tokens_per_s : 0;
  g_autofree char *number = shardwise_format_significant (e->tokens_per_s_per_gpu);
  g_autofree char *low = shardwise_format_significant (e->tokens_low_per_s * share);
  g_autofree char *high = shardwise_format_significant (e->tokens_high_per_s * share);

  self->title = g_strdup (_ ("Throughput per GPU"));
  set_figure (self, number, _ ("tokens/s"));
  if (!set_interval (self, e->tokens_per_s, e->tokens_low_per_s, e->tokens_high_per_s, low, high))
    /* Translators: ends of the error interval */
    self->detail = g_strdup_printf (_ ("%s to %s"), low, high);
  self->exact = g_strdup_printf (_ ("%.2f tokens/s on each GPU; %s to %s"), e->tokens_per_s_per_gpu,
                                 low, high);
  self->meaning =
      g_strdup (_ ("Tokens per second of each GPU in use. Strategies are ranked by this figure."));
}

static void
set_hfu (ShardwiseMetric *self, const SwProblem *problem, const SwEstimate *e)
{
  g_autofree char *number = shardwise_format_percent (e->hfu);
  g_autofree char *extra = shardwise_format_percent ((e->hfu - e->mfu) / e->hfu);

  self->title = g_strdup (_ ("Hardware FLOPs utilization"));
  set_figure (self, number, NULL);
  if (e->time.recompute_s > 0)
    /* Translators: the share of this figure that is recomputation */
    self->detail = g_strdup_printf (_ ("%s recomputation"), extra);
  else
    self->detail = g_strdup (_ ("no recomputation"));
  self->exact = g_strdup_printf (_ ("HFU %.2f %%, MFU %.2f %%"), e->hfu * 100, e->mfu * 100);
  self->meaning = g_strdup (_ ("HFU: like MFU, but includes the FLOPs of recomputation. If it is "
                               "far above MFU, recomputation trades much time for memory."));
}

static void
set_scaling (ShardwiseMetric *self, const SwProblem *problem, const SwEstimate *e)
{
  g_autofree char *number = shardwise_format_percent (e->scaling_efficiency);

  self->title = g_strdup (_ ("Scaling efficiency"));
  set_figure (self, number, NULL);
  self->detail = g_strdup (_ ("excluding communication and bubble"));
  self->exact =
      g_strdup_printf (_ ("%.2f %% of the step, excluding exposed communication and bubble"),
                       e->scaling_efficiency * 100);
  self->meaning = g_strdup (_ (
      "The share of the step that remains after exposed communication and the pipeline bubble."));
  grade_at_least (self, e->scaling_efficiency, SCALING_GOOD, SCALING_FAIR);
}

static void
set_communication (ShardwiseMetric *self, const SwProblem *problem, const SwEstimate *e)
{
  g_autofree char *number = shardwise_format_percent (e->communication_overhead);
  g_autofree char *ratio = shardwise_format_significant (e->compute_to_communication);

  self->title = g_strdup (_ ("Communication"));
  set_figure (self, number, NULL);
  if (e->compute_to_communication <= 0)
    self->detail = g_strdup (_ ("none"));
  else
    /* Translators: the ratio of compute to communication; a part of it is hidden, and costs no
     * time */
    self->detail = g_strdup_printf (_ ("compute %s : 1, incl. overlapped"), ratio);
  self->exact = g_strdup_printf (_ ("%.2f %% of the step is exposed communication; compute %.2f : "
                                    "1 of all communication, overlapped or not"),
                                 e->communication_overhead * 100, e->compute_to_communication);
  self->meaning =
      g_strdup (_ ("Time that GPUs wait for data from one another. Communication that overlaps "
                   "with compute is excluded. The ratio includes all communication."));
  grade_at_most (self, e->communication_overhead, COMMUNICATION_GOOD, COMMUNICATION_FAIR);
}

static void
set_bubble (ShardwiseMetric *self, const SwProblem *problem, const SwEstimate *e)
{
  g_autofree char *number = shardwise_format_percent (e->bubble_fraction);

  self->title = g_strdup (_ ("Pipeline bubble"));
  set_figure (self, number, NULL);
  if (e->strategy.pp > 1)
    self->detail = g_strdup_printf (ngettext ("%u micro-batch over %u stages",
                                              "%u micro-batches over %u stages",
                                              e->gradient_accumulation),
                                    e->gradient_accumulation, e->strategy.pp);
  else
    self->detail = g_strdup (_ ("no pipeline"));
  self->exact = g_strdup_printf (_ ("%.2f %% of the step: %.4f s of %.4f s"),
                                 e->bubble_fraction * 100, e->time.bubble_s, e->time.step_s);
  self->meaning = g_strdup (_ ("Time that stages are idle while the pipeline fills and drains. "
                               "More micro-batches shrink it."));
  grade_at_most (self, e->bubble_fraction, BUBBLE_GOOD, BUBBLE_FAIR);
}

static void
set_step (ShardwiseMetric *self, const SwProblem *problem, const SwEstimate *e)
{
  g_autofree char *number = shardwise_format_seconds (e->time.step_s);
  g_autofree char *low = shardwise_format_seconds_beside (e->step_low_s, e->time.step_s),
                  *high = shardwise_format_seconds_beside (e->step_high_s, e->time.step_s);
  g_autofree char *tokens = shardwise_format_count ((double) problem->training.global_batch
                                                    * problem->training.sequence_length);

  self->title = g_strdup (_ ("Step time"));
  set_figure (self, number, NULL);
  set_interval (self, e->time.step_s, e->step_low_s, e->step_high_s, low, high);
  self->detail = g_strdup_printf (_ ("%s tokens per step"), tokens);
  self->exact = g_strdup_printf (_ ("%.4f s; %s to %s"), e->time.step_s, low, high);
  self->meaning =
      g_strdup (_ ("Time from one optimizer update to the next, for the whole global batch."));
}

static void
set_flops (ShardwiseMetric *self, const SwProblem *problem, const SwEstimate *e)
{
  const double flops = e->model_flops_per_s_per_gpu / TERA,
               share = e->tokens_per_s > 0 ? flops / e->tokens_per_s : 0;
  g_autofree char *number = shardwise_format_significant (flops);
  g_autofree char *peak = shardwise_format_significant (e->peak_flops_per_s / TERA);
  g_autofree char *low = shardwise_format_significant (share * e->tokens_low_per_s),
                  *high = shardwise_format_significant (share * e->tokens_high_per_s);

  self->title = g_strdup (_ ("Compute per GPU"));
  set_figure (self, number, _ ("TFLOP/s"));
  set_interval (self, e->tokens_per_s, e->tokens_low_per_s, e->tokens_high_per_s, low, high);
  /* Translators: dense peak of the GPU and the arithmetic */
  self->detail = g_strdup_printf (_ ("dense peak %s (%s)"), peak,
                                  sw_precision_names[problem->training.precision]);
  self->exact = g_strdup_printf (
      _ ("%.2f TFLOP/s of model FLOPs per GPU; causal attention halved, no recomputation"), flops);
  self->meaning = g_strdup (_ ("Model FLOPs that each GPU completes per second."));
}

static void
set_nearest (ShardwiseMetric *self, const ShardwiseNearestRun *run)
{
  g_autofree char *measured = NULL, *predicted = NULL, *error = NULL;

  if (!run || run->measured_step_s <= 0)
    return;
  measured = shardwise_format_seconds (run->measured_step_s);
  predicted = shardwise_format_seconds_beside (run->predicted_step_s, run->measured_step_s);
  error = shardwise_format_change (run->predicted_step_s / run->measured_step_s - 1);
  /* Translators: a published run: id, description, source, its measured and predicted step time,
   * the error as a percentage with its sign */
  self->nearest = g_strdup_printf (_ ("%s: %s (%s). Measured step time %s, predicted %s (%s)."),
                                   run->id, run->description, run->source, measured, predicted,
                                   error);
}

/**
 * shardwise_metric_new:
 * @kind: which figure
 * @problem: the question
 * @estimate: the shown strategy
 * @nearest: (nullable): the most similar published measured run
 *
 * Returns: (transfer full): the figure with its texts
 */
ShardwiseMetric *
shardwise_metric_new (ShardwiseMetricKind kind, const SwProblem *problem,
                      const SwEstimate *estimate, const ShardwiseNearestRun *nearest)
{
  /* Adds the parts that make up the figure as a sum or quotient, and its assumptions. */
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
  static void (*const setters[SHARDWISE_N_METRICS]) (ShardwiseMetric *, const SwProblem *,
                                                     const SwEstimate *) = {
    [SHARDWISE_METRIC_MEMORY] = set_memory,   [SHARDWISE_METRIC_THROUGHPUT] = set_throughput,
    [SHARDWISE_METRIC_MFU] = set_mfu,         [SHARDWISE_METRIC_MEMORY_USE] = set_memory_use,
    [SHARDWISE_METRIC_PER_GPU] = set_per_gpu, [SHARDWISE_METRIC_SCALING] = set_scaling,
    [SHARDWISE_METRIC_HFU] = set_hfu,         [SHARDWISE_METRIC_COMMUNICATION] = set_communication,
    [SHARDWISE_METRIC_BUBBLE] = set_bubble,   [SHARDWISE_METRIC_STEP] = set_step,
    [SHARDWISE_METRIC_FLOPS] = set_flops,
  };
  ShardwiseMetric *self;
  char *why;

  g_return_val_if_fail (kind < SHARDWISE_N_METRICS && problem != NULL && estimate != NULL, NULL);
  self = g_new0 (ShardwiseMetric, 1);
  self->kind = kind;
  self->level = -1;
  self->parts = g_ptr_array_new_with_free_func ((GDestroyNotify) part_free);
  self->assumptions = g_ptr_array_new_with_free_func (g_free);
  setters[kind](self, problem, estimate);
  /* For a job that cannot run, only that is rated. */
  if (!estimate->fits && kind != SHARDWISE_METRIC_MEMORY_USE)
    {
      self->grade = SHARDWISE_GRADE_NONE;
      g_clear_pointer (&self->assessment, g_free);
    }
  /* Explains the interval in the sum, or why no measurement supports the figure. The verdict states
   * once that no figure is validated. */
  why = shardwise_text_unmeasured (problem, estimate);
  self->unvalidated = why != NULL;
  if (why != NULL)
    g_ptr_array_add (self->assumptions, why);
  else if (self->interval != NULL)
    g_ptr_array_add (self->assumptions, shardwise_text_interval (problem, estimate));
  if (kind == SHARDWISE_METRIC_MEMORY || kind == SHARDWISE_METRIC_MEMORY_USE)
    why = shardwise_text_fit (estimate);
  else
    why = NULL;
  if (why != NULL)
    assume (self, why);
  sums[self->kind](self, problem, estimate);
  set_nearest (self, nearest);
  return self;
}

/**
 * shardwise_metric_new_cost:
 * @scenario: with its prices, or the catalog's if it has none
 * @problem: @scenario, resolved
 * @estimate: the shown strategy, which fits
 *
 * Returns: (transfer full) (nullable): the duration and cost of the whole job; %NULL if it has no
 * days
 */
ShardwiseMetric *
shardwise_metric_new_cost (ShardwiseScenario *scenario, const SwProblem *problem,
                           const SwEstimate *estimate)
{
  ShardwiseMetric *self;
  ShardwiseCostInputs inputs;
  ShardwiseCost cost;
  const ShardwiseBill *bill;
  g_autofree char *time = NULL, *hours = NULL, *source = NULL, *price = NULL, *least = NULL,
                  *most = NULL;
  double low, high;

  g_return_val_if_fail (problem != NULL && estimate != NULL, NULL);
  shardwise_cost_inputs_read (scenario, problem, &inputs);
  shardwise_cost_compute (&inputs, problem, estimate, &cost);
  if (!(cost.days > 0))
    return NULL;
  self = g_new0 (ShardwiseMetric, 1);
  self->kind = SHARDWISE_METRIC_COST;
  self->level = -1;
  self->parts = g_ptr_array_new_with_free_func ((GDestroyNotify) part_free);
  self->assumptions = g_ptr_array_new_with_free_func (g_free);
  self->title = g_strdup (_ ("Days and cost"));
  time = shardwise_format_seconds (cost.days * 86400);
  set_figure (self, time, NULL);
  shardwise_cost_spread (cost.days, estimate, &low, &high);
  least = shardwise_format_seconds_beside (low * 86400, cost.days * 86400);
  most = shardwise_format_seconds_beside (high * 86400, cost.days * 86400);
  set_interval (self, cost.days, low, high, least, most);
  hours = shardwise_format_count (cost.gpu_hours);
  add_part (self, _ ("GPU-hours"), g_strdup (hours), -1);
  bill = shardwise_cost_bill (&cost);
  if (bill != NULL)
    {
      g_autofree char *money = shardwise_format_money (bill->total, inputs.currency);

      /* Translators: an amount of money */
      self->detail = g_strdup_printf (_ ("about %s"), money);
      for (guint i = 0; i < bill->n; i++)
        if (bill->items[i].amount > 0)
          add_part (self, shardwise_text_cost_item (bill->items[i].kind),
                    shardwise_format_money (bill->items[i].amount, inputs.currency),
                    bill->items[i].amount / bill->total);
      add_total (self, _ ("Cost"), g_strdup (money));
    }
  else
    /* Translators: a number of hours of one GPU */
    self->detail = g_strdup_printf (_ ("%s GPU-hours"), hours);
  /* Translators: ends of the error interval */
  self->exact = g_strdup_printf (_ ("%s to %s"), least, most);
  self->meaning = g_strdup (
      _ ("Duration and cost of the whole job, including checkpoints, failures and restarts."));
  price = shardwise_cost_assumption (scenario, problem, &inputs, SHARDWISE_KEY_COST_PRICE, &source);
  if (price != NULL)
    /* Translators: a price with its unit, and its source */
    assume (self, g_strdup_printf (_ ("%s, %s"), price, source));
  return self;
}

/**
 * shardwise_metric_free:
 * @self: (nullable): a figure
 */
void
shardwise_metric_free (ShardwiseMetric *self)
{
  if (!self)
    return;
  g_free (self->title);
  g_free (self->number);
  g_free (self->unit);
  g_free (self->interval);
  g_free (self->detail);
  g_free (self->exact);
  g_free (self->meaning);
  g_free (self->assessment);
  g_free (self->nearest);
  g_ptr_array_unref (self->parts);
  g_ptr_array_unref (self->assumptions);
  g_free (self);
}

/**
 * shardwise_metric_sentence:
 *
 * Returns: (transfer full): title, figure, interval and rating as one sentence
 */
char *
shardwise_metric_sentence (const ShardwiseMetric *self)
{
  GString *text = g_string_new (NULL);

  /* Translators: title, figure and unit of a metric, as a screen reader says it */
  g_string_append_printf (text, _ ("%s: %s %s"), self->title, self->number, self->unit);
  if (self->interval)
    g_string_append_printf (text, " %s", self->interval);
  if (self->detail)
    shardwise_text_items (text, "%s", self->detail);
  if (self->assessment)
    shardwise_text_list (text, "%s", self->assessment);
  g_string_append_c (text, '.');
  return g_string_free (text, FALSE);
}
