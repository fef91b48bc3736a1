/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of a job that sentences contain in braces and that assistants receive: one table of
 * numbers, and one of words and lists. Sources of the sums: bubbles from Narayanan et al. 2021 and
 * Qi et al. 2023 (zero bubble), DualPipe's from its README; attention scores from Korthikanti et
 * al. 2022. */
#include "shardwise-figures.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-format.h"
#include "shardwise-text-estimate.h"
#include "shardwise-text-strategy.h"
#include "sw-memory.h"
#include "sw-recipe.h"

enum { MOST_STAGES = 6 };

/* The strategy that figures describe, and its parts. */
typedef struct {
  const ShardwiseFigures *of;
  const SwProblem *p;
  const SwEstimate *e;
  const SwStrategy *s;
  const SwMemoryParts *m;
} Job;

static Job
job_of (const ShardwiseFigures *self)
{
  const SwEstimate *e = self->estimate;

  return (Job){ self, self->problem, e, &e->strategy, &e->memory.peak };
}

static void
told (const Job *j, const char *name, double value, const char *unit)
{
  if (j->of->told != NULL && isfinite (value))
    j->of->told (name, value, unit, j->of->data);
}

/* ---- sums ---- */

/* Bytes of the states per parameter from the engine's recipe: whole on each GPU, and divided. */
typedef struct {
  double weights, gradients, optimizer, whole, shared, base;
} StateBytes;

static StateBytes
state_bytes (const SwProblem *problem, const SwStrategy *strategy)
{
  SwRecipe recipes[SW_N_RECIPES];
  const SwRecipe *r = &recipes[SW_RECIPE_LAYERS];

  sw_recipes_init (problem, strategy, recipes);
  return (StateBytes){ .weights = r->parameters_whole + r->parameters_shared,
                       .gradients = r->gradients_whole + r->gradients_shared,
                       .optimizer = r->optimizer_whole + r->optimizer_shared,
                       .whole = r->parameters_whole + r->gradients_whole + r->optimizer_whole,
                       .shared = r->parameters_shared + r->gradients_shared + r->optimizer_shared,
                       .base = r->frozen_whole + r->frozen_shared };
}

static StateBytes
own_bytes (const Job *j)
{
  return state_bytes (j->p, j->s);
}

/* The same if only a ZeRO stage over a number of GPUs splits the model. */
static StateBytes
sharded_bytes (const SwProblem *problem, guint framework, guint stage, guint gpus)
{
  SwStrategy s;

  sw_strategy_init_default (&s);
  s.framework = (guint8) framework;
  s.zero_stage = (guint8) stage;
  s.tp = s.pp = s.cp = s.ep = s.etp = s.vpp = s.micro_batch = 1;
  s.dp = s.shard_group = gpus;
  return state_bytes (problem, &s);
}

static double
sharded_states (const Job *j, guint framework, guint stage, guint gpus)
{
  const StateBytes each = sharded_bytes (j->p, framework, stage, gpus);

  return j->p->count.total * (each.whole + each.shared / gpus);
}

static double
micro_batches (const Job *j)
{
  return sw_strategy_micro_batches (j->p, j->s);
}

static double
bubble_of (double p, double v, double m)
{
  return (p - 1) / (v * m);
}

static double
own_bubble (const Job *j)
{
  return bubble_of (j->s->pp, j->s->vpp, micro_batches (j));
}

static double
on_node (const Job *j)
{
  return MIN (j->p->cluster.gpus_per_node, j->p->cluster.gpus);
}

/* Bytes of scores that unfused attention keeps in a layer: 5 for each head and pair of tokens. */
static double
scores_of_layer (const Job *j)
{
  return 5.0 * j->p->model.attention_heads / j->s->tp
         * pow (j->p->training.sequence_length / j->s->cp, 2) * j->s->micro_batch;
}

static double
stage_layers (const Job *j)
{
  return ceil ((double) j->p->model.layers / j->s->pp);
}

/* The count with two matrices per MLP. */
static double
two_matrices (const Job *j)
{
  const SwModelSpec *m = &j->p->model;

  return j->p->count.total
         - (m->gated_mlp ? (double) m->layers * m->hidden_size * m->intermediate_size : 0);
}

static double
norm_parameters (const Job *j)
{
  return j->p->count.norms * j->p->model.layers + j->p->count.final_norm;
}

static double
gradients_to_reduce (const Job *j)
{
  return sw_gradient_bytes (j->p, j->s) * j->p->count.total * sw_trained_share (j->p)
         / (j->s->tp * j->s->pp);
}

static double
states_on_gpu (const Job *j)
{
  return j->m->parameters + j->m->gradients + j->m->optimizer;
}

/* ---- numbers ---- */

static char *
format_plain (double value)
{
  return g_strdup_printf ("%.4g", value);
}

/* "70.6 GB (65.7 GiB)": both units, as in forums and programs. */
static char *
format_both_units (double bytes)
{
  static const char *const units[] = { "MB", "GB", "TB" };
  const guint unit = bytes < 1e9 ? 0 : bytes < 1e12 ? 1 : 2;
  g_autofree char *value = shardwise_format_significant (bytes / pow (1000, unit + 2)),
                  *binary = shardwise_format_bytes (bytes);

  return shardwise_memory_unit_is_decimal ()
             ? g_steal_pointer (&binary)
             : g_strdup_printf ("%s %s (%s)", value, units[unit], binary);
}

typedef enum { BYTES, SIZE, SECONDS, SHARE, COUNT, WHOLE, GPUS, NUMBER, EACH, RATE, FLAG } Kind;

static const struct {
  char *(*format) (double value);
  const char *unit; /* of the figure */
  double divisor;
} kinds[] = {
  [BYTES] = { format_both_units, "GiB", SW_GIB },
  [SIZE] = { shardwise_format_bytes, "GiB", SW_GIB },
  [SECONDS] = { shardwise_format_seconds, "s", 1 },
  [SHARE] = { shardwise_format_percent, "1", 1 },
  [COUNT] = { shardwise_format_count, "", 1 },
  [WHOLE] = { shardwise_format_whole, "", 1 },
  [GPUS] = { shardwise_format_whole, "GPUs", 1 },
  [NUMBER] = { shardwise_format_significant, "", 1 },
  [EACH] = { format_plain, "B", 1 },
  [RATE] = { shardwise_format_count, "tokens/s", 1 },
  [FLAG] = { shardwise_format_whole, "", 1 },
};

/* Name, kind, topic, value. */
#define NUMBERS(X)                                                                                 \
  X (fits, FLAG, OTHER, j->e->fits)                                                                \
  X (gpus, GPUS, OTHER, j->p->cluster.gpus)                                                        \
  X (node_gpus, GPUS, OTHER, on_node (j))                                                          \
  X (experts, WHOLE, OTHER, j->p->model.moe.experts)                                               \
  X (tp, WHOLE, OTHER, j->s->tp)                                                                   \
  X (pp, WHOLE, OTHER, j->s->pp)                                                                   \
  X (vpp, WHOLE, OTHER, j->s->vpp)                                                                 \
  X (ep, WHOLE, OTHER, j->s->ep)                                                                   \
  X (cp, WHOLE, OTHER, j->s->cp)                                                                   \
  X (dp, WHOLE, OTHER, j->s->dp)                                                                   \
  X (product, GPUS, OTHER, j->s->tp * j->s->cp * j->s->dp * j->s->pp)                              \
  X (dp_stride, GPUS, OTHER, j->s->tp * j->s->cp)                                                  \
  X (pp_stride, GPUS, OTHER, j->s->tp * j->s->cp * j->s->dp)                                       \
  X (memory, SIZE, OTHER, j->m->total)                                                             \
  X (memory_low, SIZE, OTHER, j->e->memory_low_bytes)                                              \
  X (memory_high, SIZE, OTHER, j->e->memory_high_bytes)                                            \
  X (usable_memory, SIZE, OTHER, j->e->usable_bytes)                                               \
  X (memory_limit, SIZE, MEMORY, j->e->memory_limit_bytes)                                         \
  X (missing_memory, SIZE, MEMORY, j->e->missing_bytes)                                            \
  X (room, SIZE, OTHER, MAX (0, j->e->usable_bytes - j->m->total))                                 \
  X (host, BYTES, MEMORY, j->e->memory.host_bytes)                                                 \
  X (host_there, BYTES, MEMORY, sw_cluster_host_bytes (&j->p->cluster))                            \
  X (host_optimizer, BYTES, MEMORY, 12 * j->p->count.total / sw_cluster_nodes (&j->p->cluster))    \
  X (host_all, BYTES, MEMORY, 16 * j->p->count.total / sw_cluster_nodes (&j->p->cluster))          \
  X (host_buffered, BYTES, OTHER, 24 * j->p->count.total / sw_cluster_nodes (&j->p->cluster))      \
  X (parameters, SIZE, OTHER, j->m->parameters)                                                    \
  X (gradients, SIZE, OTHER, j->m->gradients)                                                      \
  X (optimizer, SIZE, OTHER, j->m->optimizer)                                                      \
  X (activations, SIZE, OTHER, j->m->activations)                                                  \
  X (logits, SIZE, OTHER, j->m->logits)                                                            \
  X (buffers, SIZE, OTHER, j->m->buffers)                                                          \
  X (framework, SIZE, OTHER, j->m->framework)                                                      \
  X (before_first_step, SIZE, MEMORY, j->m->total - j->m->optimizer)                               \
  X (states_in_gpu, SIZE, OTHER, states_on_gpu (j))                                                \
  X (states_on_gpu, BYTES, MEMORY, states_on_gpu (j))                                              \
  X (beside_states, BYTES, MEMORY, j->m->total - states_on_gpu (j))                                \
  X (model_parameters, COUNT, MEMORY, j->p->count.total)                                           \
  X (active_parameters, COUNT, OTHER, j->p->count.active)                                          \
  X (layer_parameters, COUNT, OTHER, j->p->count.dense_layer)                                      \
  X (two_matrices, COUNT, OTHER, two_matrices (j))                                                 \
  X (layers, WHOLE, OTHER, j->p->model.layers)                                                     \
  X (hidden_size, WHOLE, OTHER, j->p->model.hidden_size)                                           \
  X (intermediate_size, WHOLE, OTHER, j->p->model.intermediate_size)                               \
  X (norm_parameters, COUNT, OTHER, norm_parameters (j))                                           \
  X (norm_states, BYTES, MEMORY, 16 * norm_parameters (j))                                         \
  X (weight_bytes, EACH, MEMORY, own_bytes (j).weights)                                            \
  X (gradient_bytes, EACH, MEMORY, own_bytes (j).gradients)                                        \
  X (optimizer_bytes, EACH, MEMORY, own_bytes (j).optimizer)                                       \
  X (base_bytes, EACH, MEMORY, own_bytes (j).base)                                                 \
  X (state_bytes, EACH, MEMORY, own_bytes (j).whole + own_bytes (j).shared)                        \
  X (trained_share, SHARE, OTHER, sw_trained_share (j->p))                                         \
  X (states, BYTES, MEMORY, sw_unsharded_state_bytes (j->p, j->s))                                 \
  X (states_per_gpu, BYTES, MEMORY, sw_unsharded_state_bytes (j->p, j->s) / j->p->cluster.gpus)    \
  X (memory_of_all_gpus, BYTES, MEMORY, j->p->cluster.gpus * j->p->cluster.usable_bytes)           \
  X (states_over_node, BYTES, MEMORY,                                                              \
     sharded_states (j, SW_FRAMEWORK_FSDP2, 3, (guint) on_node (j)))                               \
  X (states_over_all, BYTES, MEMORY,                                                               \
     sharded_states (j, SW_FRAMEWORK_FSDP2, 3, j->p->cluster.gpus))                                \
  X (weights, BYTES, MEMORY, 2 * j->p->count.total)                                                \
  X (weights_fp32, BYTES, OTHER, 4 * j->p->count.total)                                            \
  X (weights_of_node, BYTES, MEMORY, 2 * j->p->count.total * on_node (j))                          \
  X (logits_fp32, BYTES, MEMORY,                                                                   \
     4.0 * j->p->training.sequence_length * j->p->model.vocab_size / j->s->tp)                     \
  X (scores_of_layer, BYTES, MEMORY, scores_of_layer (j))                                          \
  X (scores, BYTES, MEMORY, scores_of_layer (j) * stage_layers (j))                                \
  X (stage_layers, WHOLE, OTHER, stage_layers (j))                                                 \
  X (expert_layer_parameters, COUNT, OTHER, j->p->count.expert * j->p->model.moe.experts)          \
  X (expert_layer, BYTES, MEMORY, 2 * j->p->count.expert * j->p->model.moe.experts)                \
  X (expert_layer_ep8, BYTES, MEMORY, j->p->count.expert * j->p->model.moe.experts / 4)            \
  X (gradients_to_reduce, BYTES, MEMORY, gradients_to_reduce (j))                                  \
  X (buckets, WHOLE, OTHER, ceil (gradients_to_reduce (j) / 25e6))                                 \
  X (micro_batches, WHOLE, PIPELINE, micro_batches (j))                                            \
  X (enough_micro_batches, WHOLE, PIPELINE, 4 * j->s->pp)                                          \
  X (bubble, SHARE, PIPELINE, j->e->bubble_fraction)                                               \
  X (bubble_ideal, SHARE, PIPELINE, own_bubble (j))                                                \
  X (bubble_of_pass, SHARE, PIPELINE, own_bubble (j) / (1 + own_bubble (j)))                       \
  X (bubble_1f1b, SHARE, PIPELINE, bubble_of (j->s->pp, 1, micro_batches (j)))                     \
  X (bubble_interleaved, SHARE, PIPELINE, bubble_of (j->s->pp, 2, micro_batches (j)))              \
  X (bubble_zb_h1, SHARE, PIPELINE, bubble_of (j->s->pp, 3, micro_batches (j)))                    \
  X (bubble_dualpipe, SHARE, PIPELINE, 2 * MAX (0, j->s->pp / 2.0 - 1) / (3 * micro_batches (j)))  \
  X (tokens_per_s, RATE, OTHER, j->e->tokens_per_s)                                                \
  X (tokens_per_s_low, RATE, OTHER, j->e->tokens_low_per_s)                                        \
  X (tokens_per_s_high, RATE, OTHER, j->e->tokens_high_per_s)                                      \
  X (tokens_per_s_per_gpu, RATE, OTHER, j->e->tokens_per_s_per_gpu)                                \
  X (step, SECONDS, OTHER, j->e->time.step_s)                                                      \
  X (exposed, SECONDS, OTHER,                                                                      \
     j->e->time.tp_exposed_s + j->e->time.cp_exposed_s + j->e->time.ep_exposed_s                   \
         + j->e->time.pp_exposed_s + j->e->time.dp_exposed_s)                                      \
  X (hidden, SECONDS, OTHER,                                                                       \
     j->e->time.tp_hidden_s + j->e->time.cp_hidden_s + j->e->time.ep_hidden_s                      \
         + j->e->time.pp_hidden_s + j->e->time.dp_hidden_s)                                        \
  X (waits, SHARE, OTHER, j->e->communication_overhead)                                            \
  X (mfu, SHARE, OTHER, j->e->mfu)                                                                 \
  X (hfu, SHARE, OTHER, j->e->hfu)                                                                 \
  X (scaling_efficiency, SHARE, OTHER, j->e->scaling_efficiency)                                   \
  X (tflops_per_gpu, NUMBER, OTHER, j->e->model_flops_per_s_per_gpu / 1e12)                        \
  X (peak_tflops, NUMBER, OTHER, j->e->peak_flops_per_s / 1e12)

#define GETTER(name, kind, topic, value)                                                           \
  static double get_##name (const Job *j) { return (double) (value); }
NUMBERS (GETTER)

#define NUMBER_ROW(name, kind, topic, value)                                                       \
  { #name, kind, SHARDWISE_FIGURES_OF_##topic, get_##name },
static const struct {
  const char *name;
  Kind kind;
  ShardwiseFigureTopic topic;
  double (*get) (const Job *job);
} numbers[] = { NUMBERS (NUMBER_ROW) };

/* ---- words and lists ---- */

static char *
text_strategy (const Job *j)
{
  return shardwise_text_strategy (j->s);
}

static char *
text_framework (const Job *j)
{
  return g_strdup (shardwise_text_framework (j->s->framework));
}

static char *
text_model (const Job *j)
{
  return g_strdup (j->p->model.name);
}

static char *
text_gpu (const Job *j)
{
  return g_strdup (j->p->cluster.gpu.name);
}

static char *
text_attention (const Job *j)
{
  return g_strdup (j->p->training.attention == SW_ATTENTION_FLASH ? _ ("fused") : _ ("unfused"));
}

/* "26.1 k tokens/s (24.0 k–28.2 k)" */
static char *
text_rate (const Job *j)
{
  return shardwise_text_rate (j->e);
}

/**
 * shardwise_text_rate:
 * @estimate: of a strategy
 *
 * Returns: (transfer full): "26.1 k tokens/s (24.0 k–28.2 k)"
 */
char *
shardwise_text_rate (const SwEstimate *estimate)
{
  g_autofree char *rate = shardwise_format_count (estimate->tokens_per_s),
                  *low = shardwise_format_count (estimate->tokens_low_per_s),
                  *high = shardwise_format_count (estimate->tokens_high_per_s);

  /* Translators: a rate and its interval */
  return g_strdup_printf (_ ("%s tokens/s (%s–%s)"), rate, low, high);
}

static char *
text_parts (const Job *j)
{
  static const struct {
    const char *name, *title;
  } parts[] = {
    { "parameters", N_ ("parameters") },
    { "gradients", N_ ("gradients") },
    { "optimizer", N_ ("optimizer states") },
    { "activations", N_ ("activations") },
    { "logits", N_ ("logits") },
    { "buffers", N_ ("buffers") },
    { "framework", N_ ("framework") },
  };
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      double bytes = shardwise_figure (j->of, parts[i].name);
      g_autofree char *text = shardwise_format_bytes (bytes);

      told (j, parts[i].name, bytes / SW_GIB, "GiB");
      if (bytes > 0.005 * j->m->total)
        g_string_append_printf (list, "%s%s %s", list->len > 0 ? " + " : "", _ (parts[i].title),
                                text);
    }
  return g_string_free (list, FALSE);
}

/* For a deep pipeline the first, the middle and the last stages. */
static char *
text_stages (const Job *j)
{
  GString *list = g_string_new (NULL);

  for (guint stage = 0; stage < j->s->pp; stage++)
    {
      SwMemoryParts parts;
      g_autofree char *total = NULL, *activations = NULL;

      if (j->s->pp > MOST_STAGES && stage > 1 && stage != j->s->pp / 2 && stage + 1 < j->s->pp)
        continue;
      sw_estimate_stage (j->p, j->s, stage, &parts);
      total = shardwise_format_bytes (parts.total);
      activations = shardwise_format_bytes (parts.activations);
      shardwise_text_list (
          list,
          /* Translators: number of a stage, its layers, micro-batches in flight, memory of
             activations and in all */
          _ ("stage %u: %u layers, %.3g in flight, activations %s, in all %s"), stage,
          sw_stage_layers (j->p, j->s, stage),
          sw_in_flight (j->s, (guint) micro_batches (j), stage), activations, total);
    }
  return g_string_free (list, FALSE);
}

static char *
text_peak_stage (const Job *j)
{
  return g_strdup_printf ("%u", j->e->memory.peak_stage);
}

/* Model states per GPU with each ZeRO stage: of the framework itself if it supports the stage,
 * otherwise of DeepSpeed, which supports all. */
static char *
text_zero_stages (const Job *j)
{
  const guint gpus = j->p->cluster.gpus;
  GString *list = g_string_new (NULL);

  for (guint stage = 0; stage <= 3; stage++)
    {
      const guint framework =
          sw_framework_allows (sw_framework_rules ((SwFramework) j->s->framework)->zero_mask, stage)
              ? j->s->framework
              : SW_FRAMEWORK_DEEPSPEED;
      const StateBytes each = sharded_bytes (j->p, framework, stage, gpus);
      const double bytes = sharded_states (j, framework, stage, gpus);
      g_autofree char *text = format_both_units (bytes),
                      *name = g_strdup_printf ("zero_%u_states", stage);

      told (j, name, bytes / SW_GIB, "GiB");
      /* Translators: ZeRO stage, a framework, bytes per parameter that are whole, and divided by
         a number of GPUs, bytes */
      shardwise_text_list (list, _ ("ZeRO %u (%s): %.4g + %.4g/%u bytes = %s"), stage,
                           shardwise_text_framework (framework), each.whole, each.shared, gpus,
                           text);
    }
  return g_string_free (list, FALSE);
}

/* For the frameworks that keep states differently. */
static char *
text_framework_bytes (const Job *j)
{
  GString *list = g_string_new (NULL);

  for (guint f = SW_FRAMEWORK_MEGATRON_CORE; f <= SW_FRAMEWORK_NANOTRON; f++)
    {
      const guint stage = f == SW_FRAMEWORK_FSDP || f == SW_FRAMEWORK_FSDP2 ? 3 : 1;
      const StateBytes each = sharded_bytes (j->p, f, stage, MAX (2, j->p->cluster.gpus));

      shardwise_text_list (list, "%s %.3g + %.3g + %.4g = %.4g", shardwise_text_framework (f),
                           each.weights, each.gradients, each.optimizer,
                           each.weights + each.gradients + each.optimizer);
    }
  return g_string_free (list, FALSE);
}

static char *
text_bubbles (const Job *j)
{
  GString *list = g_string_new (NULL);

  for (guint b = 1; b <= 8 && j->p->training.global_batch >= j->s->dp * b; b *= 2)
    {
      const guint m = j->p->training.global_batch / (j->s->dp * b);
      g_autofree char *text = shardwise_format_percent (bubble_of (j->s->pp, j->s->vpp, m));

      /* Translators: micro-batch, number of micro-batches, the bubble */
      shardwise_text_list (list, _ ("micro-batch %u: m = %u, %s"), b, m, text);
    }
  return g_string_free (list, FALSE);
}

static char *
text_traffic (const Job *j)
{
  SwCommunication rows[SW_MAX_COMMUNICATIONS];
  const guint n = sw_communication (j->p, j->s, rows);
  g_autofree char *text = n > 0 ? shardwise_text_communications (j->p, rows, n) : NULL;

  return text != NULL ? shardwise_text_join (text) : g_strdup (_ ("nothing"));
}

/* "TP 2.1 GB, DP 40 GB": the same by group. */
static char *
text_sent (const Job *j)
{
  static const char *const names[] = { "TP", "CP", "EP", "PP", "DP" };
  SwCommunication rows[SW_MAX_COMMUNICATIONS];
  const guint n = sw_communication (j->p, j->s, rows);
  double bytes[SW_N_COMMUNICATION_GROUPS] = { 0 };
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    bytes[rows[i].group] += rows[i].bytes;
  for (guint i = 0; i < SW_N_COMMUNICATION_GROUPS; i++)
    if (bytes[i] > 0)
      {
        g_autofree char *text = shardwise_format_bytes (bytes[i]);

        shardwise_text_items (list, "%s %s", names[i], text);
      }
  return list->len > 0 ? g_string_free (list, FALSE)
                       : (g_string_free (list, TRUE), g_strdup (_ ("nothing")));
}

static char *
text_recompute_sweep (const Job *j)
{
  GString *list = g_string_new (NULL);

  for (guint r = SW_RECOMPUTE_NONE; r <= SW_RECOMPUTE_FULL; r++)
    {
      SwStrategy s = *j->s;
      SwEstimate then;
      g_autofree char *label = shardwise_text_label (SW_DIM_RECOMPUTE, r), *memory = NULL,
                      *step = NULL;

      s.recompute = (guint8) r;
      if (!shardwise_figures_estimate (j->p, &s, &then))
        continue;
      memory = shardwise_format_bytes (then.memory.peak.total);
      step = shardwise_format_seconds (then.time.step_s);
      /* Translators: a setting, memory, duration of a step */
      shardwise_text_list (list, _ ("%s: %s per GPU, a step of %s"), label, memory, step);
    }
  return g_string_free (list, FALSE);
}

/* The same strategy at several micro-batches. */
static char *
text_micro_batch_sweep (const Job *j)
{
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < MAX (j->of->n_sizes, 1); i++)
    {
      SwStrategy s = *j->s;
      SwEstimate e;
      g_autofree char *each = NULL, *rate = NULL, *memory = NULL, *share = NULL, *bubble = NULL;

      s.micro_batch = j->of->n_sizes > 0 ? j->of->sizes[i] : s.micro_batch;
      if (!shardwise_figures_estimate (j->p, &s, &e))
        continue;
      each = shardwise_format_seconds (e.time.step_s / MAX (1, e.gradient_accumulation));
      rate = shardwise_format_count (e.tokens_per_s);
      memory = shardwise_format_bytes (e.memory.peak.total);
      share = shardwise_format_percent (e.memory_utilisation);
      bubble = shardwise_format_percent (e.bubble_fraction);
      shardwise_text_list (
          list,
          /* Translators: micro-batch, number of micro-batches, time of each, a rate, memory and its
             share of the GPU, the bubble */
          _ ("micro-batch %u (%u a step): %s each, %s tokens/s, %s per GPU (%s), bubble %s"),
          s.micro_batch, e.gradient_accumulation, each, rate, memory, share, bubble);
    }
  return g_string_free (list, FALSE);
}

static const struct {
  const char *name;
  char *(*get) (const Job *job);
} texts[] = {
  { "strategy", text_strategy },
  { "framework_name", text_framework },
  { "model", text_model },
  { "gpu", text_gpu },
  { "attention", text_attention },
  { "rate", text_rate },
  { "parts", text_parts },
  { "stages", text_stages },
  { "peak_stage", text_peak_stage },
  { "zero_stages", text_zero_stages },
  { "framework_bytes", text_framework_bytes },
  { "bubbles", text_bubbles },
  { "traffic", text_traffic },
  { "sent", text_sent },
  { "recompute_sweep", text_recompute_sweep },
  { "micro_batch_sweep", text_micro_batch_sweep },
};

/* ---- sentences ---- */

/* A figure in words; %NULL: none with that name. */
static char *
figure_text (const Job *j, const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    if (g_str_equal (texts[i].name, name))
      return texts[i].get (j);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (g_str_equal (numbers[i].name, name))
      {
        const double value = numbers[i].get (j);

        told (j, name, value / kinds[numbers[i].kind].divisor, kinds[numbers[i].kind].unit);
        return kinds[numbers[i].kind].format (value);
      }
  return NULL;
}

/**
 * shardwise_figure:
 * @self: the source of the figures
 * @name: name of a number, as in sentences
 *
 * Returns: the number, in bytes, seconds, or as a share of 1; NAN if there is none with that name
 */
double
shardwise_figure (const ShardwiseFigures *self, const char *name)
{
  const Job job = job_of (self);

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (g_str_equal (numbers[i].name, name))
      return numbers[i].get (&job);
  return NAN;
}

/**
 * shardwise_figures_fill:
 * @self: the source of the figures; each named figure is replaced by its value
 * @sentence: translated, with names of figures in braces: "{gpus} GPUs hold {states}"
 *
 * Returns: (transfer full): the sentence with the figures
 */
char *
shardwise_figures_fill (const ShardwiseFigures *self, const char *sentence)
{
  const Job job = job_of (self);
  GString *out = g_string_new (NULL);
  const char *open, *close;

  while ((open = strchr (sentence, '{')) != NULL && (close = strchr (open, '}')) != NULL)
    {
      g_autofree char *name = g_strndup (open + 1, (gsize) (close - open - 1)),
                      *text = figure_text (&job, name);

      if (text == NULL)
        g_critical ("no figure is called %s", name);
      g_string_append_len (out, sentence, open - sentence);
      g_string_append (out, text != NULL ? text : "?");
      sentence = close + 1;
    }
  g_string_append (out, sentence);
  return g_string_free (out, FALSE);
}

/* Lists all figures that are about a topic. */
void
shardwise_figures_tell (const ShardwiseFigures *self, ShardwiseFigureTopic topic)
{
  const Job job = job_of (self);

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (numbers[i].topic == topic)
      told (&job, numbers[i].name, numbers[i].get (&job) / kinds[numbers[i].kind].divisor,
            kinds[numbers[i].kind].unit);
  if (topic == SHARDWISE_FIGURES_OF_MEMORY)
    g_free (text_zero_stages (&job));
}

/**
 * shardwise_figures_estimate:
 * @problem: a question
 * @strategy: a strategy, regardless of pins; the batch is rounded up if it does not divide
 * @out: (out): its estimate
 *
 * Returns: whether it could run, apart from memory
 */
gboolean
shardwise_figures_estimate (const SwProblem *problem, const SwStrategy *strategy, SwEstimate *out)
{
  SwProblem open = *problem;
  const guint pass = strategy->dp * strategy->micro_batch;

  open.pins.mask = 0;
  open.training.micro_batch = 0;
  open.training.global_batch = (open.training.global_batch + pass - 1) / pass * pass;
  sw_estimate (&open, strategy, out);
  return out->rule == SW_RULE_OK || out->rule == SW_RULE_GPU_MEMORY;
}
