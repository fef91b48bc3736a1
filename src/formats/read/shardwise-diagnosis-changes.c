/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The changes of a job that gain the most: one dimension freed at a time and then all of them, each
 * searched, so that the effect named is the engine's. */

#include <glib/gi18n.h>

#include "shardwise-estimate.h"
#include "shardwise-changes.h"
#include "shardwise-resolve.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-advice.h"
#include "shardwise-export.h"
#include "shardwise-finding.h"
#include "sw-search-result.h"
#include "sw-search.h"

#define MOST_CHANGES 5
#define LEAST_GAIN 0.01
#define CANDIDATES 200 /* of the fastest there may be many that the framework refuses */
#define MOST_GROWTH 8  /* of a cluster: beyond that, more GPUs are no advice */

#define D(name) (1u << SW_DIM_##name)

/* Dimensions that move together: another TP leaves other ranks for DP, and so on. */
static const struct {
  const char *code;
  guint dimensions;
} moves[] = {
  { "change-recompute", D (RECOMPUTE) },
  { "change-micro-batch", D (MICRO_BATCH) },
  { "change-zero", D (ZERO) | D (SHARD_GROUP) },
  { "change-offload", D (OFFLOAD) },
  { "change-sequence-parallel", D (SP) },
  { "change-schedule", D (VPP) | D (SCHEDULE) },
  { "change-memory", D (RECOMPUTE) | D (MICRO_BATCH) | D (ZERO) | D (SHARD_GROUP) | D (OFFLOAD) },
  { "change-tp", D (TP) | D (ETP) | D (DP) | D (SP) | D (SHARD_GROUP) },
  { "change-pp", D (PP) | D (VPP) | D (SCHEDULE) | D (DP) | D (SHARD_GROUP) },
  { "change-cp", D (CP) | D (CP_METHOD) | D (DP) | D (SHARD_GROUP) },
  { "change-ep", D (EP) | D (ETP) },
  { "change-strategy", (1u << SW_N_DIMENSIONS) - 1 },
};

typedef struct {
  const char *code;
  SwEstimate estimate;
  GVariant *changes; /* of keys beside the strategy; (nullable) */
  char *text;        /* of these */
} Change;

static void
change_clear (gpointer data)
{
  Change *change = data;

  g_clear_pointer (&change->changes, g_variant_unref);
  g_clear_pointer (&change->text, g_free);
}

/* ---- searching ---- */

/* The best strategy that the framework itself runs, too, and as predicted: another is no advice. */
static gboolean
search_among (ShardwiseDiagnosis *self, const SwProblem *problem, guint candidates, SwEstimate *out)
{
  const SwSearchOptions options = { .top = candidates };
  SwSearchResult result;
  gboolean found = FALSE;

  if (g_cancellable_is_cancelled (self->cancellable))
    return FALSE;
  sw_search (problem, &options, &result);
  for (guint i = 0; i < result.n_best && !found; i++)
    {
      const SwStrategy *strategy = &result.best[i].strategy;

      found = (self->format == NULL || !shardwise_format_avoids (self->format, problem, strategy))
              && shardwise_diagnosis_allows (self, problem, strategy, NULL);
      if (found)
        sw_estimate (problem, &result.best[i].strategy, out);
    }
  sw_search_result_clear (&result);
  return found;
}

/**
 * shardwise_diagnosis_search:
 * @problem: the job, with some of it open
 * @out: (out): of the best strategy that the framework runs
 *
 * Returns: whether there is one that fits
 */
gboolean
shardwise_diagnosis_search (ShardwiseDiagnosis *self, const SwProblem *problem, SwEstimate *out)
{
  return search_among (self, problem, CANDIDATES, out);
}

/* What moves more and comes to the same is no other change: ZeRO, say, over one replica. */
static gboolean
is_known (GArray *changes, const SwEstimate *estimate)
{
  for (guint i = 0; i < changes->len; i++)
    {
      const SwEstimate *known = &g_array_index (changes, Change, i).estimate;

      if (sw_strategy_equal (&known->strategy, &estimate->strategy)
          || (G_APPROX_VALUE (known->time.step_s, estimate->time.step_s, 1e-9)
              && G_APPROX_VALUE (known->memory.peak.total, estimate->memory.peak.total, 1)))
        return TRUE;
    }
  return FALSE;
}

/* A job that does not run gains from anything that does. */
static gboolean
gains (const ShardwiseDiagnosis *self, const SwEstimate *estimate)
{
  return !self->now.fits || estimate->tokens_per_s > self->now.tokens_per_s * (1 + LEAST_GAIN);
}

/* The dimensions that are stated, the micro-batch among the inputs too. Without any, which only a
 * job has whose pins contradict each other, all move at once. */
static guint
stated_dimensions (const ShardwiseDiagnosis *self)
{
  return self->now.strategy.tp > 0 && self->problem.training.micro_batch > 0
             ? self->problem.pins.mask | D (MICRO_BATCH)
             : self->problem.pins.mask;
}

static void
try_moves (ShardwiseDiagnosis *self, GArray *changes)
{
  const guint stated = stated_dimensions (self);

  for (guint i = 0; i < G_N_ELEMENTS (moves); i++)
    {
      SwProblem problem = self->problem;
      Change change = { .code = moves[i].code };

      if ((stated & moves[i].dimensions) == 0 && (stated != 0 || i + 1 < G_N_ELEMENTS (moves)))
        continue;
      problem.pins.mask &= ~moves[i].dimensions;
      if (moves[i].dimensions & D (MICRO_BATCH))
        problem.training.micro_batch = 0;
      if (shardwise_diagnosis_search (self, &problem, &change.estimate)
          && gains (self, &change.estimate) && !is_known (changes, &change.estimate))
        g_array_append_val (changes, change);
    }
}

static GVariant *
one_change (const char *path, const char *word)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, path, "s", word);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/* Kernels and number formats, the strategy as it is. */
static void
try_training (ShardwiseDiagnosis *self, GArray *changes)
{
  SwProblem problem = self->problem;
  Change kernel = { .code = "change-attention" }, overlap = { .code = "change-overlap" };

  if (!self->now.fits)
    return;
  problem.training.attention = SW_ATTENTION_FLASH;
  if (self->problem.training.attention != SW_ATTENTION_FLASH
      && shardwise_diagnosis_search (self, &problem, &kernel.estimate)
      && gains (self, &kernel.estimate))
    {
      kernel.changes = one_change ("training.attention", "flash");
      kernel.text = g_strdup (_ ("Flash attention instead of unfused attention"));
      g_array_append_val (changes, kernel);
    }
  problem = self->problem;
  problem.training.overlap = SW_OVERLAP_AUTO;
  if (self->problem.training.overlap != SW_OVERLAP_AUTO
      && shardwise_diagnosis_search (self, &problem, &overlap.estimate)
      && gains (self, &overlap.estimate))
    {
      overlap.changes = one_change ("training.overlap", "auto");
      overlap.text = g_strdup (_ ("Communication overlapped with compute"));
      g_array_append_val (changes, overlap);
    }
}

/* A global batch that the replicas can split, where this is what is wrong. */
static void
try_batch (ShardwiseDiagnosis *self, GArray *changes)
{
  const SwStrategy *now = &self->now.strategy;
  const guint64 unit = (guint64) now->dp * now->micro_batch;
  SwProblem problem = self->problem;
  Change change = { .code = "change-batch" };
  GVariantDict dict;
  guint64 whole;

  if (self->now.rule != SW_RULE_BATCH || unit == 0)
    return;
  whole = (problem.training.global_batch + unit - 1) / unit * unit;
  if (whole > 1000000000)
    return;
  problem.training.global_batch = (guint) whole;
  /* The strategy stays open where it was, so that the best must be the framework's, too. */
  if (!search_among (self, &problem, 1, &change.estimate))
    return;
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "training.global_batch_size", "x", (gint64) whole);
  change.changes = g_variant_ref_sink (g_variant_dict_end (&dict));
  /* Translators: numbers of sequences */
  change.text = g_strdup_printf (_ ("A global batch of %'u sequences instead of %'u"),
                                 (guint) whole, self->problem.training.global_batch);
  g_array_append_val (changes, change);
}

/* ---- words ---- */

static gboolean
differs (const SwStrategy *a, const SwStrategy *b, SwDimension dimension)
{
  if (shardwise_dimension_is_implied (a, b, dimension))
    return FALSE;
  if (dimension == SW_DIM_ZERO && MAX (a->zero_stage, b->zero_stage) == 1 && a->dp * a->cp == 1
      && b->dp * b->cp == 1)
    return FALSE; /* the optimizer has nothing to shard over */
  if (dimension == SW_DIM_RECOMPUTE && a->recompute == b->recompute)
    return a->recompute == SW_RECOMPUTE_FULL_LAYERS && a->full_layers != b->full_layers;
  return sw_strategy_get (a, dimension) != sw_strategy_get (b, dimension);
}

/* Whether the job says it; what it leaves open was chosen for it, and it may run another value. */
static gboolean
is_stated (const SwProblem *problem, SwDimension dimension)
{
  return sw_pins_has (&problem->pins, dimension) || dimension == SW_DIM_DP
         || dimension == SW_DIM_SHARD_GROUP || dimension == SW_DIM_ETP
         || (dimension == SW_DIM_MICRO_BATCH && problem->training.micro_batch > 0);
}

/* "Tensor parallel 4 instead of 8 · Data parallel 8 instead of 4 · Recomputation none" */
static char *
difference_text (const ShardwiseDiagnosis *self, const SwStrategy *then)
{
  const SwStrategy *now = &self->now.strategy;
  GString *text = g_string_new (NULL);

  for (SwDimension i = 0; i < SW_N_DIMENSIONS; i++)
    {
      g_autofree char *title = NULL, *was = NULL, *is = NULL;

      if (!differs (now, then, i))
        continue;
      title = shardwise_text_dimension (i);
      was = shardwise_text_value (now, i);
      is = shardwise_text_value (then, i);
      if (text->len > 0)
        g_string_append (text, " · ");
      if (is_stated (&self->problem, i))
        /* Translators: a dimension of the strategy, its new value, its value now */
        g_string_append_printf (text, _ ("%s %s instead of %s"), title, is, was);
      else
        /* Translators: a dimension and its value: "Tensor parallel 8" */
        g_string_append_printf (text, _ ("%s %s"), title, is);
    }
  return g_string_free (text, FALSE);
}

static char *
change_text (const ShardwiseDiagnosis *self, const Change *change)
{
  g_autofree char *strategy = NULL;

  if (change->text != NULL)
    return g_strdup (change->text);
  if (self->now.strategy.tp > 0)
    return difference_text (self, &change->estimate.strategy);
  strategy = shardwise_text_strategy (&change->estimate.strategy);
  /* Translators: a strategy: "TP 8 · PP 4 · …" */
  return g_strdup_printf (_ ("Another strategy: %s"), strategy);
}

/* Of a job that did not start, or did not fit. */
static char *
runs_text (const SwEstimate *now, const SwEstimate *then)
{
  g_autofree char *memory = shardwise_format_bytes (then->memory.peak.total),
                  *usable = shardwise_format_bytes (then->usable_bytes),
                  *rate = shardwise_format_count (then->tokens_per_s);

  if (then->fits && now->memory.peak.total > 0 && now->memory.peak.total <= now->usable_bytes
      && now->rule == SW_RULE_GPU_MEMORY)
    return g_strdup_printf (
        /* Translators: memory per GPU, tokens per second */
        _ ("then it keeps the memory target: %s on the fullest GPU, %s tokens/s"), memory, rate);
  if (then->fits)
    /* Translators: memory per GPU, tokens per second */
    return g_strdup_printf (_ ("then it runs: %s on the fullest GPU, %s tokens/s"), memory, rate);
  /* Translators: memory per GPU, the memory there is */
  return g_strdup_printf (_ ("then it starts, and needs %s of %s on the fullest GPU"), memory,
                          usable);
}

static char *
effect_text (const ShardwiseDiagnosis *self, const SwEstimate *then)
{
  g_autofree char *memory = shardwise_format_bytes (then->memory.peak.total),
                  *rate = shardwise_format_count (then->tokens_per_s), *gain = NULL;

  if (!self->now.fits)
    return runs_text (&self->now, then);
  gain = shardwise_format_percent (then->tokens_per_s / self->now.tokens_per_s - 1);
  /* Translators: a share, tokens per second, memory per GPU */
  return g_strdup_printf (_ ("+%s: %s tokens/s, %s on the fullest GPU"), gain, rate, memory);
}

/* ---- what Apply does ---- */

/* A micro-batch that stands among the inputs changes there. */
static void
move_micro_batch (const ShardwiseDiagnosis *self, GVariantDict *dict)
{
  static const char *const pin = "strategy.micro_batch_size", *const input =
                                                                  "training.micro_batch_size";
  g_autoptr (GVariant) value = g_variant_dict_lookup_value (dict, pin, NULL);

  if (value == NULL || shardwise_scenario_is_set (self->scenario, pin)
      || !shardwise_scenario_is_set (self->scenario, input))
    return;
  g_variant_dict_remove (dict, pin);
  g_variant_dict_insert_value (dict, input, value);
}

/* Pins what the row says is to become other, so that its effect is what comes; a job whose pins
 * contradict each other gets all of them new. */
static GVariant *
changes_of (const ShardwiseDiagnosis *self, const Change *change)
{
  const SwStrategy *now = &self->now.strategy, *then = &change->estimate.strategy;
  const gboolean is_new = now->tp == 0;
  g_autoptr (GVariant) pins = NULL;
  GVariantDict dict;
  guint dimensions = 0;

  if (change->changes != NULL)
    return g_variant_ref (change->changes);
  for (SwDimension i = 0; i < SW_N_DIMENSIONS; i++)
    {
      g_autofree char *path = g_strconcat ("strategy.", sw_dimension_names[i], NULL);
      const gboolean is_set = shardwise_scenario_is_set (self->scenario, path);

      if ((is_new && is_set) || differs (now, then, i)
          || (is_set && sw_strategy_get (now, i) != sw_strategy_get (then, i)))
        dimensions |= 1u << i;
    }
  pins = g_variant_ref_sink (shardwise_strategy_changes (then, dimensions));
  g_variant_dict_init (&dict, pins);
  if (shardwise_scenario_is_set (self->scenario, "strategy.recompute_modules")
      && then->recompute != SW_RECOMPUTE_SELECTIVE)
    g_variant_dict_insert (&dict, "strategy.recompute_modules", "s", "");
  move_micro_batch (self, &dict);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/* Offers a change only where the scenario, changed so, is a question that holds together. */
static gboolean
is_whole (const ShardwiseDiagnosis *self, GVariant *changes)
{
  g_autoptr (ShardwiseScenario) copy = shardwise_scenario_copy (self->scenario);
  g_autofree SwProblem *problem = g_new (SwProblem, 1);

  return g_variant_n_children (changes) > 0 && shardwise_scenario_apply (copy, changes, NULL)
         && shardwise_scenario_resolve (copy, problem, NULL, NULL);
}

static void
add_change (ShardwiseDiagnosis *self, const Change *change)
{
  g_autoptr (GVariant) changes = changes_of (self, change);
  ShardwiseFinding *finding;

  if (!is_whole (self, changes))
    return;
  finding = shardwise_finding_new (SHARDWISE_SEVERITY_INFO, change->code,
                                   change_text (self, change),
                                   effect_text (self, &change->estimate));
  finding->changes = g_steal_pointer (&changes);
  g_ptr_array_add (self->findings, finding);
}

/* Whether a change is one of the strategy, which the moves above are too. */
static gboolean
is_of_strategy (GVariant *changes)
{
  GVariantIter iter;
  const char *path;

  g_variant_iter_init (&iter, changes);
  while (g_variant_iter_next (&iter, "{&sv}", &path, NULL))
    if (!g_str_has_prefix (path, "strategy.") && !g_str_equal (path, "training.micro_batch_size"))
      return FALSE;
  return TRUE;
}

/* More GPUs with the strategy named, and more GPUs alone, may be the same. */
static gboolean
is_told (const ShardwiseDiagnosis *self, const char *effect)
{
  for (guint i = 0; i < self->findings->len; i++)
    {
      const ShardwiseFinding *finding = g_ptr_array_index (self->findings, i);

      if (finding->changes != NULL && g_strcmp0 (finding->effect, effect) == 0)
        return TRUE;
    }
  return FALSE;
}

/* More GPUs, a shorter sequence, another optimizer: what is asked for, not how it is split. */
static void
add_ways_out (ShardwiseDiagnosis *self)
{
  static const ShardwiseAdviceOptions options = { .explain = TRUE };
  g_autoptr (ShardwiseAdvice) advice = NULL;
  GPtrArray *ways;

  if (self->now.fits || self->now.strategy.tp == 0)
    return;
  advice = shardwise_advice_compute (self->scenario, &options, self->cancellable, NULL);
  ways = advice != NULL ? shardwise_advice_get_ways_out (advice) : NULL;
  for (guint i = 0; ways != NULL && i < ways->len; i++)
    {
      const ShardwiseWayOut *way = g_ptr_array_index (ways, i);
      g_autofree char *effect = runs_text (&self->now, &way->result);
      ShardwiseFinding *finding;

      if (way->changes == NULL || is_of_strategy (way->changes) || is_told (self, effect))
        continue;
      finding = shardwise_finding_new (SHARDWISE_SEVERITY_INFO, "change-job", g_strdup (way->name),
                                       g_steal_pointer (&effect));
      finding->changes = g_variant_ref (way->changes);
      g_ptr_array_add (self->findings, finding);
    }
}

/* The changes of the strategy to that of @then, and the number of GPUs. */
static GVariant *
with_gpus (const ShardwiseDiagnosis *self, const Change *then, guint gpus)
{
  g_autoptr (GVariant) strategy = changes_of (self, then);
  GVariantDict dict;

  g_variant_dict_init (&dict, strategy);
  g_variant_dict_insert (&dict, "cluster.gpus", "x", (gint64) gpus);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/* A job that states its replicas cannot use more GPUs as it is; with more replicas it shards what
 * it keeps over more of them, if need be with a smaller micro-batch so that the batch goes
 * round. */
static void
add_more_gpus (ShardwiseDiagnosis *self)
{
  static const guint freed[] = { D (DP) | D (SHARD_GROUP),
                                 D (DP) | D (SHARD_GROUP) | D (MICRO_BATCH) };
  const guint here = self->problem.cluster.gpus;
  Change change = { .code = "change-gpus" };
  g_autofree char *gpus = NULL, *strategy = NULL;
  g_autoptr (GVariant) changes = NULL;
  SwProblem problem;
  gboolean found = FALSE;
  ShardwiseFinding *finding;

  if (self->now.fits || self->now.strategy.tp == 0 || !sw_pins_has (&self->problem.pins, SW_DIM_DP))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (freed) && !found; i++)
    {
      problem = self->problem;
      problem.pins.mask &= ~freed[i];
      if (freed[i] & D (MICRO_BATCH))
        problem.training.micro_batch = 0;
      problem.cluster.gpus = sw_least_gpus (&problem);
      found = problem.cluster.gpus > here && problem.cluster.gpus <= MOST_GROWTH * here
              && shardwise_diagnosis_search (self, &problem, &change.estimate);
    }
  if (!found)
    return;
  changes = with_gpus (self, &change, problem.cluster.gpus);
  if (!is_whole (self, changes))
    return;
  /* Translators: numbers of GPUs */
  gpus = g_strdup_printf (
      ngettext ("%'u GPU instead of %'u", "%'u GPUs instead of %'u", problem.cluster.gpus),
      problem.cluster.gpus, here);
  strategy = difference_text (self, &change.estimate.strategy);
  finding = shardwise_finding_new (SHARDWISE_SEVERITY_INFO, change.code,
                                   g_strjoin (" · ", gpus, strategy, NULL),
                                   runs_text (&self->now, &change.estimate));
  finding->changes = g_steal_pointer (&changes);
  g_ptr_array_add (self->findings, finding);
}

/* The GPUs that the stated degrees need; without DP among them a multiple where there are more. */
static guint
needed_gpus (ShardwiseScenario *scenario, guint here)
{
  static const char *const factors[] = { "strategy.tp", "strategy.pp", "strategy.cp",
                                         "strategy.dp" };
  double product = 1;

  for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
    if (shardwise_scenario_is_set (scenario, factors[i]))
      product *= shardwise_scenario_get_number (scenario, factors[i], 1);
  if (shardwise_scenario_is_set (scenario, "strategy.dp"))
    return product <= 131072 ? (guint) product : here;
  return product <= 131072 ? (here + (guint) product - 1) / (guint) product * (guint) product
                           : here;
}

/* A script for 128 GPUs that is started on 8 wants 128 before it wants another strategy. */
static void
add_needed_gpus (ShardwiseDiagnosis *self)
{
  g_autoptr (ShardwiseScenario) copy = shardwise_scenario_copy (self->scenario);
  guint here = (guint) shardwise_scenario_get_number (copy, "cluster.gpus", 8),
        needed = needed_gpus (copy, here);
  g_autoptr (GPtrArray) notes = NULL;
  g_autofree SwProblem *problem = g_new (SwProblem, 1);
  ShardwiseFinding *finding;
  GVariantDict dict;
  SwEstimate then;

  if (needed == here)
    return;
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "cluster.gpus", "x", (gint64) needed);
  finding = shardwise_finding_new (
      SHARDWISE_SEVERITY_INFO, "change-gpus",
      /* Translators: numbers of GPUs */
      g_strdup_printf (ngettext ("%'u GPU instead of %'u: what the degrees need",
                                 "%'u GPUs instead of %'u: what the degrees need", needed),
                       needed, here),
      NULL);
  finding->changes = g_variant_ref_sink (g_variant_dict_end (&dict));
  if (shardwise_scenario_apply (copy, finding->changes, NULL)
      && shardwise_scenario_resolve (copy, problem, NULL, NULL)
      && (shardwise_diagnosis_search (self, problem, &then)
          || (shardwise_estimate_scenario (copy, problem, &then, &notes, NULL)
              && then.memory.peak.total > 0)))
    {
      finding->effect = runs_text (&self->now, &then);
      g_ptr_array_add (self->findings, finding);
    }
  else
    shardwise_finding_free (finding);
}

static int
by_gain (gconstpointer a, gconstpointer b)
{
  double x = ((const Change *) a)->estimate.tokens_per_s,
         y = ((const Change *) b)->estimate.tokens_per_s;

  return x < y ? 1 : x > y ? -1 : 0;
}

/**
 * shardwise_diagnosis_add_changes:
 * @self: with what the job is now; no strategy there where its pins contradict each other
 *
 * Adds the changes that gain the most, the greatest first, each with its effect.
 */
void
shardwise_diagnosis_add_changes (ShardwiseDiagnosis *self)
{
  g_autoptr (GArray) changes = g_array_new (FALSE, FALSE, sizeof (Change));

  g_array_set_clear_func (changes, change_clear);
  if (self->now.strategy.tp == 0)
    add_needed_gpus (self);
  try_moves (self, changes);
  try_training (self, changes);
  try_batch (self, changes);
  g_array_sort (changes, by_gain);
  for (guint i = 0; i < MIN (MOST_CHANGES, changes->len); i++)
    add_change (self, &g_array_index (changes, Change, i));
  add_more_gpus (self);
  add_ways_out (self);
}
