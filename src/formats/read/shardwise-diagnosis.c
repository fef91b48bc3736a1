/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings of a job: whether it is valid, whether it fits, where its time goes, and which changes
 * gain the most. Changes free one dimension at a time, then all of them; each is searched, so the
 * engine computes its effect. */
#include "shardwise-diagnosis.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-estimate.h"
#include "shardwise-resolve.h"
#include "shardwise-text-advice.h"
#include "shardwise-format.h"
#include "shardwise-text-search.h"
#include "shardwise-changes.h"
#include "shardwise-dimension.h"
#include "shardwise-text-strategy.h"
#include "sw-start.h"

#define WORTH_NAMING 0.01

#define MOST_CHANGES 5
#define LEAST_GAIN 0.01
#define CANDIDATES 200 /* the framework may refuse many of the fastest */
#define MOST_GROWTH 8  /* times the cluster: beyond that, more GPUs are not helpful advice */

typedef struct {
  ShardwiseScenario *scenario;
  const ShardwiseFormatInfo *format; /* (nullable): the format whose rules apply */
  GCancellable *cancellable;
  SwProblem problem;
  SwEstimate now; /* of the job as it is, with the best values for missing ones */
  GPtrArray *findings;
} Diagnosis;

static ShardwiseFinding *
add (Diagnosis *self, ShardwiseSeverity severity, const char *code, char *text, char *effect)
{
  ShardwiseFinding *finding = shardwise_finding_new (severity, code, text, effect);

  g_ptr_array_add (self->findings, finding);
  return finding;
}

/* ---- validity ---- */

/* Rules on the strategy are the framework's. Rules on the model or the training may be limits of
 * our exports, which do not apply to an existing job. */
static gboolean
allows (const Diagnosis *self, const SwProblem *problem, const SwStrategy *strategy, GError **error)
{
  g_autoptr (GError) refusal = NULL;
  const char *path;

  if (self->format == NULL || (self->format->profiles & (1u << problem->training.framework)) == 0)
    return TRUE;
  if (shardwise_export_runs (self->format, problem, strategy, &refusal))
    return TRUE;
  path = shardwise_error_path (refusal);
  if (path == NULL || !g_str_has_prefix (path, "strategy."))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&refusal));
  return FALSE;
}

/**
 * shardwise_describe_error:
 * @path: (nullable): the key path of an error
 * @message: its message, which starts with the path
 *
 * Returns: (transfer full): the message with the title of the input instead of the path
 */
char *
shardwise_describe_error (const char *path, const char *message)
{
  const ShardwiseKey *key = path != NULL ? shardwise_key_find (path) : NULL;
  gsize length = path != NULL ? strlen (path) : 0;

  g_return_val_if_fail (message != NULL, NULL);

  if (g_strcmp0 (path, SHARDWISE_NO_MODEL) == 0)
    return g_strdup (_ ("Choose the model that you train, or enter its size."));
  if (key == NULL || strncmp (message, path, length) != 0 || message[length] != ':')
    return g_strdup (message);
  /* Translators: the title of an input, and what is wrong with it */
  return g_strdup_printf (_ ("%s: %s"), _ (key->title), message + length + 2);
}

static char *
readable (const GError *error)
{
  return shardwise_describe_error (shardwise_error_path (error), error->message);
}

static gboolean
is_memory_rule (SwRule rule)
{
  return rule == SW_RULE_OK || rule == SW_RULE_GPU_MEMORY || rule == SW_RULE_HOST_MEMORY;
}

/* ---- time ---- */

typedef struct {
  const char *name;
  double seconds;
} Part;

static int
by_time (gconstpointer a, gconstpointer b)
{
  const Part *x = a, *y = b;

  return x->seconds < y->seconds ? 1 : x->seconds > y->seconds ? -1 : 0;
}

static void
check_time (Diagnosis *self)
{
  const SwEstimate *now = &self->now;
  g_autofree char *step = NULL, *rate = NULL, *mfu = NULL;
  g_autoptr (GString) shares = g_string_new (NULL);
  Part parts[] = {
    { _ ("compute"), now->time.compute_s - now->time.recompute_s },
    { _ ("recomputation"), now->time.recompute_s },
    { _ ("uneven stages"), now->time.uneven_s },
    { _ ("tensor-parallel communication"), now->time.tp_exposed_s },
    { _ ("context-parallel communication"), now->time.cp_exposed_s },
    { _ ("expert-parallel communication"), now->time.ep_exposed_s },
    { _ ("communication between stages"), now->time.pp_exposed_s },
    { _ ("data-parallel communication"), now->time.dp_exposed_s },
    { _ ("pipeline bubble"), now->time.bubble_s },
    { _ ("optimizer"), now->time.optimizer_s },
    { _ ("offload"), now->time.offload_exposed_s },
    { _ ("other"), now->time.other_s },
  };
  guint set;

  if (!is_memory_rule (now->rule) || now->time.step_s <= 0)
    return;
  step = shardwise_format_seconds (now->time.step_s);
  /* "compute 71 %, tensor-parallel communication 12 %, …": the four largest. */
  qsort (parts, G_N_ELEMENTS (parts), sizeof parts[0], by_time);
  for (guint i = 0; i < 4 && parts[i].seconds > WORTH_NAMING * now->time.step_s; i++)
    {
      g_autofree char *share = shardwise_format_percent (parts[i].seconds / now->time.step_s);

      /* Translators: a part of the step and its share */
      g_string_append_printf (shares, i > 0 ? ", %s %s" : "%s %s", parts[i].name, share);
    }
  rate = shardwise_format_count (now->tokens_per_s);
  mfu = shardwise_format_percent (now->mfu);
  add (self, SHARDWISE_SEVERITY_INFO, "time",
       now->memory.peak.total > now->usable_bytes
           /* Translators: duration of a step, then its parts with their shares */
           ? g_strdup_printf (_ ("With enough memory a step would take %s: %s."), step, shares->str)
           /* Translators: duration of a step, then its parts with their shares */
           : g_strdup_printf (_ ("A step takes %s: %s."), step, shares->str),
       /* Translators: a rate, a share */
       g_strdup_printf (_ ("%s tokens/s, MFU %s"), rate, mfu));
  set = now->fits ? sw_estimate_advice (&self->problem, now) & ~(1u << SW_ADVICE_MEMORY_HIGH) : 0;
  for (SwAdviceCode code = 0; code < SW_N_ADVICE; code++)
    if ((set & (1u << code)) != 0
        && (shardwise_advice_severity (code) == SHARDWISE_SEVERITY_WARNING
            || code == SW_ADVICE_GPUS_IDLE))
      {
        ShardwiseEffect effect;

        shardwise_what_if_advised (&self->problem, now, code, &effect);
        add (self, SHARDWISE_SEVERITY_WARNING, sw_advice_names[code],
             shardwise_text_advice (&self->problem, now, code, &effect), NULL);
      }
}

/* ---- degrees and processes ---- */

/* The product of the stated degrees; %FALSE if TP, PP or CP is missing. */
static gboolean
stated_product (ShardwiseScenario *scenario, double *product)
{
  static const ShardwiseKeyId degrees[] = { SHARDWISE_KEY_STRATEGY_TP, SHARDWISE_KEY_STRATEGY_PP,
                                            SHARDWISE_KEY_STRATEGY_CP };

  *product = 1;
  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    {
      if (!shardwise_scenario_is_set (scenario, degrees[i]))
        return FALSE;
      *product *= shardwise_scenario_get_number (scenario, degrees[i], 1);
    }
  return TRUE;
}

/* Adds the contradiction between the degrees and the GPUs, in one sentence. Returns: whether there
 * is one */
static gboolean
check_world (Diagnosis *self)
{
  const double gpus = shardwise_scenario_get_number (self->scenario, SHARDWISE_KEY_CLUSTER_GPUS, 8),
               dp = shardwise_scenario_get_number (self->scenario, SHARDWISE_KEY_STRATEGY_DP, 1);
  const gboolean has_dp = shardwise_scenario_is_set (self->scenario, SHARDWISE_KEY_STRATEGY_DP);
  /* "Megatron-LM core 0.20.0" */
  g_autofree char *name = self->format != NULL ? g_strdup_printf ("%s %s", self->format->product,
                                                                  self->format->version)
                                               : g_strdup (_ ("the framework"));
  g_autofree char *text = NULL;
  double product;

  if (!stated_product (self->scenario, &product))
    return FALSE;
  if (has_dp && product * dp != gpus)
    /* Translators: counts of GPUs, a framework with its version */
    text = g_strdup_printf (_ ("The parallel sizes use TP × PP × CP × DP = %'.0f GPUs, but the job "
                               "has %'.0f: %s requires both to be equal."),
                            product * dp, gpus, name);
  else if (!has_dp && (guint64) gpus % (guint64) product != 0)
    /* Translators: a count of GPUs, what it is to be a multiple of, a framework with its version */
    text = g_strdup_printf (_ ("The job has %'.0f GPUs, which is not a multiple of TP × PP × CP = "
                               "%.0f, as %s requires."),
                            gpus, product, name);
  if (text == NULL)
    return FALSE;
  add (self, SHARDWISE_SEVERITY_ERROR, "world-size", g_steal_pointer (&text), NULL);
  return TRUE;
}

/* ---- changes: searching ---- */

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
  GVariant *changes; /* (nullable): of keys outside the strategy */
  char *text;        /* the changes as text */
} Change;

static void
change_clear (gpointer data)
{
  Change *change = data;

  g_clear_pointer (&change->changes, g_variant_unref);
  g_clear_pointer (&change->text, g_free);
}

/* Finds the best strategy that the framework also runs as predicted; others are not useful advice.
 * Returns: its index; -1: none */
static int
find_first (Diagnosis *self, const SwProblem *problem, guint candidates, SwEstimate *out)
{
  const SwSearchOptions options = { .top = candidates };
  SwProblem asked;
  SwSearchResult result;
  int found = -1;

  if (g_cancellable_is_cancelled (self->cancellable))
    return -1;
  asked = *problem;
  sw_search_start (&asked, &options, &result);
  for (guint i = 0; i < result.n_best && found < 0; i++)
    {
      const SwStrategy *strategy = &result.best[i].strategy;

      if ((self->format != NULL && shardwise_format_avoids (self->format, problem, strategy))
          || !allows (self, problem, strategy, NULL))
        continue;
      found = (int) i;
      sw_estimate (problem, strategy, out);
    }
  sw_search_result_clear (&result);
  return found;
}

/* Where the framework does not run the offload for which a strategy without any was passed over, the
 * latter may be the better one after all. */
static gboolean
search_among (Diagnosis *self, const SwProblem *problem, guint candidates, SwEstimate *out)
{
  const int place = find_first (self, problem, candidates, out);
  SwProblem without = *problem;
  SwEstimate other;

  if (place > 0 && out->strategy.offload != SW_OFFLOAD_NONE
      && !sw_pins_has (&problem->pins, SW_DIM_OFFLOAD))
    {
      without.pins.mask |= D (OFFLOAD);
      sw_strategy_set (&without.pins.value, SW_DIM_OFFLOAD, SW_OFFLOAD_NONE);
      if (find_first (self, &without, candidates, &other) >= 0
          && other.tokens_per_s > out->tokens_per_s)
        *out = other;
    }
  return place >= 0;
}

/* Returns: whether there is one that fits */
static gboolean
search (Diagnosis *self, const SwProblem *problem, SwEstimate *out)
{
  return search_among (self, problem, CANDIDATES, out);
}

/* Any strategy that runs improves a job that does not run. */
static gboolean
gains (const Diagnosis *self, const SwEstimate *estimate)
{
  return !self->now.fits || estimate->tokens_per_s > self->now.tokens_per_s * (1 + LEAST_GAIN);
}

static void
try_moves (Diagnosis *self, GArray *changes)
{
  /* The stated dimensions, including a micro-batch in the inputs. A job without any, whose pins
   * contradict each other, may move all at once. */
  const gboolean is_input = self->now.strategy.tp > 0 && self->problem.training.micro_batch > 0;
  const guint stated = self->problem.pins.mask | (is_input ? D (MICRO_BATCH) : 0);

  for (guint i = 0; i < G_N_ELEMENTS (moves); i++)
    {
      SwProblem problem = self->problem;
      Change change = { .code = moves[i].code };
      gboolean is_known = FALSE;

      if ((stated & moves[i].dimensions) == 0 && (stated != 0 || i + 1 < G_N_ELEMENTS (moves)))
        continue;
      problem.pins.mask &= ~moves[i].dimensions;
      if (moves[i].dimensions & D (MICRO_BATCH))
        problem.training.micro_batch = 0;
      if (!search (self, &problem, &change.estimate) || !gains (self, &change.estimate))
        continue;
      /* Skips a move with more changes and the same result, such as ZeRO over one replica. */
      for (guint j = 0; j < changes->len && !is_known; j++)
        {
          const SwEstimate *known = &g_array_index (changes, Change, j).estimate;

          is_known = sw_strategy_equal (&known->strategy, &change.estimate.strategy)
                     || (G_APPROX_VALUE (known->time.step_s, change.estimate.time.step_s, 1e-9)
                         && G_APPROX_VALUE (known->memory.peak.total,
                                            change.estimate.memory.peak.total, 1));
        }
      if (!is_known)
        g_array_append_val (changes, change);
    }
}

static GVariant *
one_change (ShardwiseKeyId id, const char *word)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  shardwise_changes_insert (&dict, id, "s", word);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/* Kernels and overlap with the same strategy, and, if needed, a global batch that the replicas can
 * split. */
static void
try_training (Diagnosis *self, GArray *changes)
{
  const SwStrategy *now = &self->now.strategy;
  const guint64 unit = (guint64) now->dp * now->micro_batch;
  SwProblem problem = self->problem;
  Change kernel = { .code = "change-attention" }, overlap = { .code = "change-overlap" },
         batch = { .code = "change-batch" };
  GVariantDict dict;
  guint64 whole;

  problem.training.attention = SW_ATTENTION_FLASH;
  if (self->now.fits && self->problem.training.attention != SW_ATTENTION_FLASH
      && search (self, &problem, &kernel.estimate) && gains (self, &kernel.estimate))
    {
      kernel.changes = one_change (SHARDWISE_KEY_TRAINING_ATTENTION, "flash");
      kernel.text = g_strdup (_ ("Flash attention instead of unfused attention"));
      g_array_append_val (changes, kernel);
    }
  problem = self->problem;
  problem.training.overlap = SW_OVERLAP_AUTO;
  if (self->now.fits && self->problem.training.overlap != SW_OVERLAP_AUTO
      && search (self, &problem, &overlap.estimate) && gains (self, &overlap.estimate))
    {
      overlap.changes = one_change (SHARDWISE_KEY_TRAINING_OVERLAP, "auto");
      overlap.text = g_strdup (_ ("Communication overlapped with compute"));
      g_array_append_val (changes, overlap);
    }

  if (self->now.rule != SW_RULE_BATCH || unit == 0)
    return;
  problem = self->problem;
  whole = (problem.training.global_batch + unit - 1) / unit * unit;
  if (whole > 1000000000)
    return;
  problem.training.global_batch = (guint) whole;
  /* Open values stay open, so the best choice must also be the framework's. */
  if (!search_among (self, &problem, 1, &batch.estimate))
    return;
  g_variant_dict_init (&dict, NULL);
  shardwise_changes_insert (&dict, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, "x", (gint64) whole);
  batch.changes = g_variant_ref_sink (g_variant_dict_end (&dict));
  /* Translators: numbers of sequences */
  batch.text = g_strdup_printf (_ ("A global batch of %'u sequences instead of %'u"), (guint) whole,
                                self->problem.training.global_batch);
  g_array_append_val (changes, batch);
}

/* ---- words ---- */

static gboolean
differs (const SwStrategy *a, const SwStrategy *b, SwDimension dimension)
{
  if (shardwise_dimension_is_implied (a, b, dimension))
    return FALSE;
  if (dimension == SW_DIM_ZERO && MAX (a->zero_stage, b->zero_stage) == 1 && a->dp * a->cp == 1
      && b->dp * b->cp == 1)
    return FALSE; /* nothing to shard the optimizer over */
  if (dimension == SW_DIM_RECOMPUTE && a->recompute == b->recompute)
    return a->recompute == SW_RECOMPUTE_FULL_LAYERS && a->full_layers != b->full_layers;
  return sw_strategy_get (a, dimension) != sw_strategy_get (b, dimension);
}

/* "Tensor parallel 4 instead of 8 · Data parallel 8 instead of 4 · Recomputation none" */
static char *
difference_text (const Diagnosis *self, const SwStrategy *then)
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
      /* Whether the job states it; an open value was chosen for it, and the job may run another
       * value. */
      if (sw_pins_has (&self->problem.pins, i) || i == SW_DIM_DP || i == SW_DIM_SHARD_GROUP
          || i == SW_DIM_ETP || (i == SW_DIM_MICRO_BATCH && self->problem.training.micro_batch > 0))
        /* Translators: a dimension of the strategy, its new value, its value now */
        g_string_append_printf (text, _ ("%s %s instead of %s"), title, is, was);
      else
        /* Translators: a dimension and its value: "Tensor parallel 8" */
        g_string_append_printf (text, _ ("%s %s"), title, is);
    }
  return g_string_free (text, FALSE);
}

/* For a job that did not start or did not fit. */
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
        _ ("then it stays within the memory target: %s on the fullest GPU, %s tokens/s"), memory,
        rate);
  if (then->fits)
    /* Translators: memory per GPU, tokens per second */
    return g_strdup_printf (_ ("then it runs: %s on the fullest GPU, %s tokens/s"), memory, rate);
  /* Translators: memory per GPU, the memory there is */
  return g_strdup_printf (_ ("then it starts, and uses %s of %s on the fullest GPU"), memory,
                          usable);
}

/* ---- what Apply does ---- */

/* Pins the new values of the row, so that applying it has the stated effect; a job with
 * contradictory pins gets new values for all of them. */
static GVariant *
changes_of (const Diagnosis *self, const Change *change)
{
  const ShardwiseKeyId pin = SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE,
                       input = SHARDWISE_KEY_TRAINING_MICRO_BATCH_SIZE;
  const SwStrategy *now = &self->now.strategy, *then = &change->estimate.strategy;
  const gboolean is_new = now->tp == 0;
  g_autoptr (GVariant) pins = NULL;
  GVariantDict dict;
  guint dimensions = 0;

  if (change->changes != NULL)
    return g_variant_ref (change->changes);
  for (SwDimension i = 0; i < SW_N_DIMENSIONS; i++)
    {
      const gboolean is_set = shardwise_scenario_is_set (self->scenario,
                                                         shardwise_dimension_key (i));

      if ((is_new && is_set) || differs (now, then, i)
          || (is_set && sw_strategy_get (now, i) != sw_strategy_get (then, i)))
        dimensions |= 1u << i;
    }
  pins = g_variant_ref_sink (shardwise_strategy_changes (then, dimensions));
  g_variant_dict_init (&dict, pins);
  if (shardwise_scenario_is_set (self->scenario, SHARDWISE_KEY_STRATEGY_RECOMPUTE_MODULES)
      && then->recompute != SW_RECOMPUTE_SELECTIVE)
    shardwise_changes_insert (&dict, SHARDWISE_KEY_STRATEGY_RECOMPUTE_MODULES, "s", "");
  /* A micro-batch in the inputs changes there. */
  if (!shardwise_scenario_is_set (self->scenario, pin)
      && shardwise_scenario_is_set (self->scenario, input))
    {
      g_autoptr (GVariant) value = g_variant_dict_lookup_value (&dict, shardwise_key_path (pin),
                                                                NULL);

      g_variant_dict_remove (&dict, shardwise_key_path (pin));
      if (value != NULL)
        g_variant_dict_insert_value (&dict, shardwise_key_path (input), value);
    }
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/* Offers a change only if the changed scenario is consistent. */
static gboolean
is_whole (const Diagnosis *self, GVariant *changes)
{
  g_autoptr (ShardwiseScenario) copy = shardwise_scenario_copy (self->scenario);
  g_autofree SwProblem *problem = g_new (SwProblem, 1);

  return g_variant_n_children (changes) > 0 && shardwise_scenario_apply (copy, changes, NULL)
         && shardwise_scenario_resolve (copy, problem, NULL, NULL);
}

/* A job with a fixed number of replicas cannot use more GPUs. More replicas shard its states
 * further, if needed with a smaller micro-batch so that the batch divides. */
static void
add_more_gpus (Diagnosis *self)
{
  static const guint freed[] = { D (DP) | D (SHARD_GROUP),
                                 D (DP) | D (SHARD_GROUP) | D (MICRO_BATCH) };
  const guint here = self->problem.cluster.gpus;
  Change change = { .code = "change-gpus" };
  g_autofree char *gpus = NULL, *text = NULL;
  g_autoptr (GVariant) strategy = NULL, changes = NULL;
  GVariantDict dict;
  SwProblem problem;
  gboolean found = FALSE;

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
              && search (self, &problem, &change.estimate);
    }
  if (!found)
    return;
  strategy = changes_of (self, &change);
  g_variant_dict_init (&dict, strategy);
  shardwise_changes_insert (&dict, SHARDWISE_KEY_CLUSTER_GPUS, "x", (gint64) problem.cluster.gpus);
  changes = g_variant_ref_sink (g_variant_dict_end (&dict));
  if (!is_whole (self, changes))
    return;
  /* Translators: numbers of GPUs */
  gpus = g_strdup_printf (
      ngettext ("%'u GPU instead of %'u", "%'u GPUs instead of %'u", problem.cluster.gpus),
      problem.cluster.gpus, here);
  text = difference_text (self, &change.estimate.strategy);
  add (self, SHARDWISE_SEVERITY_INFO, change.code, g_strjoin (" · ", gpus, text, NULL),
       runs_text (&self->now, &change.estimate))
      ->changes = g_steal_pointer (&changes);
}

/* A script for 128 GPUs that is started on 8 GPUs needs 128 GPUs rather than another strategy. */
static void
add_needed_gpus (Diagnosis *self)
{
  g_autoptr (ShardwiseScenario) copy = shardwise_scenario_copy (self->scenario);
  static const ShardwiseKeyId factors[] = { SHARDWISE_KEY_STRATEGY_TP, SHARDWISE_KEY_STRATEGY_PP,
                                            SHARDWISE_KEY_STRATEGY_CP, SHARDWISE_KEY_STRATEGY_DP };
  guint here = (guint) shardwise_scenario_get_number (copy, SHARDWISE_KEY_CLUSTER_GPUS, 8), needed;
  double product = 1;
  g_autoptr (GPtrArray) notes = NULL;
  g_autofree SwProblem *problem = g_new (SwProblem, 1);
  ShardwiseFinding *finding;
  GVariantDict dict;
  SwEstimate then;

  /* The number of GPUs for the stated degrees; if DP is open, a multiple of it up to the available
   * GPUs. */
  for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
    if (shardwise_scenario_is_set (copy, factors[i]))
      product *= shardwise_scenario_get_number (copy, factors[i], 1);
  if (product > 131072)
    return;
  needed = (guint) product;
  if (!shardwise_scenario_is_set (copy, SHARDWISE_KEY_STRATEGY_DP))
    needed = (here + needed - 1) / needed * needed;
  if (needed == here)
    return;
  g_variant_dict_init (&dict, NULL);
  shardwise_changes_insert (&dict, SHARDWISE_KEY_CLUSTER_GPUS, "x", (gint64) needed);
  finding = shardwise_finding_new (
      SHARDWISE_SEVERITY_INFO, "change-gpus",
      /* Translators: numbers of GPUs */
      g_strdup_printf (ngettext ("%'u GPU instead of %'u, as the parallel sizes require",
                                 "%'u GPUs instead of %'u, as the parallel sizes require", needed),
                       needed, here),
      NULL);
  finding->changes = g_variant_ref_sink (g_variant_dict_end (&dict));
  if (shardwise_scenario_apply (copy, finding->changes, NULL)
      && shardwise_scenario_resolve (copy, problem, NULL, NULL)
      && (search (self, problem, &then)
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

/* Adds the changes that gain the most, the largest first, each with its effect. */
static void
add_changes (Diagnosis *self)
{
  /* More GPUs, a shorter sequence, another optimizer: changes of the question rather than the
   * split. */
  static const ShardwiseAdviceOptions options = { .explain = TRUE };
  g_autoptr (GArray) changes = g_array_new (FALSE, FALSE, sizeof (Change));
  g_autoptr (ShardwiseAdvice) advice = NULL;
  GPtrArray *ways;

  g_array_set_clear_func (changes, change_clear);
  if (self->now.strategy.tp == 0)
    add_needed_gpus (self);
  try_moves (self, changes);
  try_training (self, changes);
  g_array_sort (changes, by_gain);
  for (guint i = 0; i < MIN (MOST_CHANGES, changes->len); i++)
    {
      const Change *change = &g_array_index (changes, Change, i);
      g_autoptr (GVariant) values = changes_of (self, change);
      const SwEstimate *then = &change->estimate;
      g_autofree char *memory = shardwise_format_bytes (then->memory.peak.total),
                      *rate = shardwise_format_count (then->tokens_per_s),
                      *strategy = shardwise_text_strategy (&then->strategy), *gain = NULL;
      char *text, *effect;

      if (!is_whole (self, values))
        continue;
      if (change->text != NULL)
        text = g_strdup (change->text);
      else if (self->now.strategy.tp > 0)
        text = difference_text (self, &then->strategy);
      else
        /* Translators: a strategy: "TP 8 · PP 4 · …" */
        text = g_strdup_printf (_ ("Another strategy: %s"), strategy);
      if (self->now.fits)
        {
          gain = shardwise_format_percent (then->tokens_per_s / self->now.tokens_per_s - 1);
          /* Translators: a share, tokens per second, memory per GPU */
          effect = g_strdup_printf (_ ("+%s: %s tokens/s, %s on the fullest GPU"), gain, rate,
                                    memory);
        }
      else
        effect = runs_text (&self->now, then);
      add (self, SHARDWISE_SEVERITY_INFO, change->code, text, effect)->changes =
          g_steal_pointer (&values);
    }
  add_more_gpus (self);

  if (self->now.fits || self->now.strategy.tp == 0)
    return;
  advice = shardwise_advice_compute (self->scenario, &options, self->cancellable, NULL);
  ways = advice != NULL ? shardwise_advice_get_ways_out (advice) : NULL;
  for (guint i = 0; ways != NULL && i < ways->len; i++)
    {
      const ShardwiseWayOut *way = g_ptr_array_index (ways, i);
      g_autofree char *effect = runs_text (&self->now, &way->result);
      gboolean is_other = FALSE, is_told = FALSE;
      GVariantIter iter;
      const char *path;

      if (way->changes == NULL)
        continue;
      /* The moves above already include the strategy. */
      g_variant_iter_init (&iter, way->changes);
      while (g_variant_iter_next (&iter, "{&sv}", &path, NULL))
        is_other = is_other
                   || (!g_str_has_prefix (path, "strategy.")
                       && !g_str_equal (
                           path, shardwise_key_path (SHARDWISE_KEY_TRAINING_MICRO_BATCH_SIZE)));
      /* More GPUs with a stated strategy may equal more GPUs alone. */
      for (guint j = 0; j < self->findings->len; j++)
        {
          const ShardwiseFinding *finding = g_ptr_array_index (self->findings, j);

          is_told = is_told
                    || (finding->changes != NULL && g_strcmp0 (finding->effect, effect) == 0);
        }
      if (is_other && !is_told)
        add (self, SHARDWISE_SEVERITY_INFO, "change-job", g_strdup (way->name),
             g_steal_pointer (&effect))
            ->changes = g_variant_ref (way->changes);
    }
}

/* ---- the job as it is ---- */

/* Open values are chosen for the job as its framework runs it; if every choice breaks a rule, only
 * the pins count. */
static void
find_now (Diagnosis *self)
{
  const SwSearchOptions options = { .top = 1 };
  SwPins *pins = &self->problem.pins;
  g_autoptr (GPtrArray) notes = NULL;
  SwProblem asked;
  SwSearchResult result;
  SwProblem problem;
  double product;

  /* A job runs on all started processes: an open DP is what the other degrees leave, even if fewer
   * replicas would need less memory. */
  if (!sw_pins_has (pins, SW_DIM_DP) && stated_product (self->scenario, &product)
      && self->problem.cluster.gpus % (guint64) product == 0)
    {
      sw_strategy_set (&pins->value, SW_DIM_DP, (guint) (self->problem.cluster.gpus / product));
      pins->mask |= 1u << SW_DIM_DP;
    }
  if (shardwise_estimate_scenario (self->scenario, &problem, &self->now, &notes, NULL)
      && self->now.fits)
    return;
  if (search (self, &self->problem, &self->now))
    return;
  asked = self->problem;
  sw_search_start (&asked, &options, &result);
  if (result.n_best > 0)
    sw_estimate (&self->problem, &result.best[0].strategy, &self->now);
  else if (result.n_nearest > 0)
    sw_estimate (&self->problem, &result.nearest[0].strategy, &self->now);
  else if (self->now.strategy.tp == 0)
    {
      SwStrategy strategy = self->problem.pins.value;

      strategy.framework = (guint8) self->problem.training.framework;
      strategy.micro_batch = MAX (1, strategy.micro_batch);
      sw_estimate (&self->problem, &strategy, &self->now);
    }
  sw_search_result_clear (&result);
}

static void
check_rules_and_memory (Diagnosis *self)
{
  const SwEstimate *now = &self->now;
  const SwMemoryParts *peak = &now->memory.peak;
  g_autofree char *total = shardwise_format_bytes (peak->total),
                  *usable = shardwise_format_bytes (now->usable_bytes),
                  *share = shardwise_format_percent (now->memory_utilisation),
                  *states =
                      shardwise_format_bytes (peak->parameters + peak->gradients + peak->optimizer),
                  *activations = shardwise_format_bytes (peak->activations + peak->logits),
                  /* Translators: memory, the memory there is, a share in percent */
                      *memory = g_strdup_printf (_ ("%s of %s on the fullest GPU, %s"), total,
                                                 usable, share);
  g_autoptr (GError) refusal = NULL;

  if (!is_memory_rule (now->rule))
    {
      add (self, SHARDWISE_SEVERITY_ERROR, sw_rule_names[now->rule],
           shardwise_text_rule (&self->problem, &now->strategy, now->rule, now->missing_bytes),
           NULL);
      return;
    }
  if (!allows (self, &self->problem, &now->strategy, &refusal))
    add (self, SHARDWISE_SEVERITY_ERROR, "framework-rule", readable (refusal), NULL);
  if (now->rule == SW_RULE_HOST_MEMORY)
    add (self, SHARDWISE_SEVERITY_ERROR, "host-memory",
         shardwise_text_rule (&self->problem, &now->strategy, now->rule, now->missing_bytes),
         g_strdup (memory));
  if (peak->total > now->usable_bytes)
    /* The reason that it does not fit: the largest parts of the memory. */
    add (self, SHARDWISE_SEVERITY_ERROR, "does-not-fit",
         /* Translators: two amounts of memory */
         g_strdup_printf (_ ("The job runs out of memory: weights, gradients and optimizer states "
                             "take %s, activations %s."),
                          states, activations),
         g_strdup (memory));
  else if (now->rule == SW_RULE_GPU_MEMORY)
    add (self, SHARDWISE_SEVERITY_WARNING, "memory-target",
         g_strdup (_ ("The job fits, but exceeds the memory target.")), g_strdup (memory));
  else if (now->rule == SW_RULE_OK)
    add (self, SHARDWISE_SEVERITY_INFO, "fits", g_strdup (_ ("The job fits in memory.")),
         g_strdup (memory));
}

/* A job whose degrees contradict each other or its GPUs has no figures; without its pins it
 * does. */
static void
run_without_pins (Diagnosis *self)
{
  g_autoptr (ShardwiseScenario) copy = shardwise_scenario_copy (self->scenario);

  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    if (g_str_has_prefix (shardwise_key_path (i), "strategy."))
      shardwise_scenario_reset (copy, i);
  if (!shardwise_scenario_resolve (copy, &self->problem, NULL, NULL))
    return;
  self->now.rule = SW_RULE_WORLD_SIZE;
  add_changes (self);
}

/**
 * shardwise_diagnose:
 * @scenario: a job; not changed. No other thread may change it during the call: pass a copy
 * @kind: the format of the job's file, for the rules of its framework
 * @cancellable: (nullable): stops it between two searches
 *
 * Finds errors of the job, whether it fits, where its time goes, and which changes gain the most,
 * each with the effect that the engine computes for it.
 *
 * Returns: (transfer full): of ShardwiseFinding, in that order; %NULL with @error if the work
 * was cancelled
 */
GPtrArray *
shardwise_diagnose (ShardwiseScenario *scenario, ShardwiseImportKind kind,
                    GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) findings = g_ptr_array_new_with_free_func (shardwise_finding_free);
  g_autofree Diagnosis *self = g_new0 (Diagnosis, 1);
  g_autoptr (GError) unresolved = NULL;

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (scenario), NULL);

  *self = (Diagnosis){ .scenario = scenario,
                       .format = shardwise_import_format (kind, scenario),
                       .cancellable = cancellable,
                       .findings = findings };
  if (!shardwise_names_model (scenario))
    g_debug ("Nothing is diagnosed without a model"); /* the import asks for it */
  else if (check_world (self))
    run_without_pins (self);
  else if (shardwise_scenario_resolve (scenario, &self->problem, NULL, &unresolved))
    {
      find_now (self);
      check_rules_and_memory (self);
      check_time (self);
      add_changes (self);
    }
  else
    {
      add (self, SHARDWISE_SEVERITY_ERROR, "inconsistent", readable (unresolved), NULL);
      run_without_pins (self);
    }
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  g_debug ("Diagnosed a job of %s: %u findings",
           self->format != NULL ? self->format->id : "no framework", findings->len);
  return g_steal_pointer (&findings);
}

/* ---- on a thread ---- */

typedef struct {
  ShardwiseScenario *scenario;
  ShardwiseImportKind kind;
} Request;

static void
request_free (gpointer data)
{
  g_object_unref (((Request *) data)->scenario);
  g_free (data);
}

static void
diagnose_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Request *request = data;
  GError *error = NULL;
  GPtrArray *findings = shardwise_diagnose (request->scenario, request->kind, cancellable, &error);

  if (findings == NULL)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, findings, (GDestroyNotify) g_ptr_array_unref);
}

/**
 * shardwise_diagnose_async:
 * @scenario: a job; the call works on a copy
 * @callback: finishes with shardwise_diagnose_finish()
 *
 * shardwise_diagnose() on a worker thread.
 */
void
shardwise_diagnose_async (ShardwiseScenario *scenario, ShardwiseImportKind kind,
                          GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  Request *request = g_new (Request, 1);

  *request = (Request){ shardwise_scenario_copy (scenario), kind };
  g_task_set_source_tag (task, shardwise_diagnose_async);
  g_task_set_task_data (task, request, request_free);
  g_task_run_in_thread (task, diagnose_thread);
}

/**
 * shardwise_diagnose_finish:
 *
 * Returns: (transfer full): as shardwise_diagnose()
 */
GPtrArray *
shardwise_diagnose_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
