/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What answers to questions share: sentences and facts, the changes that a question names and their
 * evaluation; what words mean, with their figure here; and what can be asked. */
#include "shardwise-asking.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-ask-match.h"
#include "shardwise-changes.h"
#include "shardwise-format.h"
#include "shardwise-key.h"
#include "shardwise-text-strategy.h"
#include "sw-recipe.h"

/* What counts as no change. */
#define SAME 0.005

/**
 * shardwise_asking_say:
 * @sentence: (transfer full) (nullable): appended to the answer
 */
void
shardwise_asking_say (ShardwiseAsking *self, char *sentence)
{
  if (sentence != NULL && *sentence != '\0')
    g_string_append_printf (self->text, "%s%s", self->text->len > 0 ? " " : "", sentence);
  g_free (sentence);
}

/* Facts are finite, whatever the engine could not tell. */
void
shardwise_asking_fact (ShardwiseAsking *self, const char *name, double value, const char *unit)
{
  ShardwiseAskFact *fact;

  if (!isfinite (value))
    return;
  fact = g_new0 (ShardwiseAskFact, 1);
  fact->name = g_strdup (name);
  fact->value = value;
  fact->unit = unit;
  g_ptr_array_add (self->answer->facts, fact);
}

static void
prefixed_fact (ShardwiseAsking *self, const char *prefix, const char *name, double value,
               const char *unit)
{
  g_autofree char *full = g_strconcat (prefix, name, NULL);

  shardwise_asking_fact (self, full, value, unit);
}

/**
 * shardwise_asking_facts:
 * @prefix: of their names: "", "now_"
 * @advice: whose figures they are
 */
void
shardwise_asking_facts (ShardwiseAsking *self, const char *prefix, ShardwiseAdvice *advice)
{
  const SwEstimate *e = shardwise_advice_get_recommended (advice);
  const SwProblem *problem = shardwise_advice_get_problem (advice);

  prefixed_fact (self, prefix, "fits", shardwise_advice_get_fits (advice) ? 1 : 0, "");
  prefixed_fact (self, prefix, "gpus", problem->cluster.gpus, "GPUs");
  prefixed_fact (self, prefix, "memory", e->memory.peak.total / SW_GIB, "GiB");
  prefixed_fact (self, prefix, "memory_low", e->memory_low_bytes / SW_GIB, "GiB");
  prefixed_fact (self, prefix, "memory_high", e->memory_high_bytes / SW_GIB, "GiB");
  prefixed_fact (self, prefix, "usable_memory", e->usable_bytes / SW_GIB, "GiB");
  if (!shardwise_advice_get_fits (advice))
    {
      prefixed_fact (self, prefix, "missing_memory", e->missing_bytes / SW_GIB, "GiB");
      return;
    }
  prefixed_fact (self, prefix, "tokens_per_s", e->tokens_per_s, "tokens/s");
  prefixed_fact (self, prefix, "tokens_per_s_low", e->tokens_low_per_s, "tokens/s");
  prefixed_fact (self, prefix, "tokens_per_s_high", e->tokens_high_per_s, "tokens/s");
  prefixed_fact (self, prefix, "step", e->time.step_s, "s");
  prefixed_fact (self, prefix, "mfu", e->mfu, "1");
  if (shardwise_advice_get_days (advice) > 0)
    prefixed_fact (self, prefix, "days", shardwise_advice_get_days (advice), "d");
}

/* The verdict, with its interval, and what it is the verdict on. */
void
shardwise_asking_verdict (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  shardwise_asking_say (self, g_strdup (shardwise_advice_get_verdict (advice)));
  if (shardwise_advice_get_fits (advice))
    {
      g_autofree char *strategy =
          shardwise_text_strategy (&shardwise_advice_get_recommended (advice)->strategy);

      /* Translators: a strategy: "TP 8 · PP 4" */
      shardwise_asking_say (self, g_strdup_printf (_ ("Strategy: %s."), strategy));
    }
  shardwise_asking_facts (self, "", advice);
}

/* "26.1 k tokens/s (24.0 k–28.2 k)" */
char *
shardwise_asking_rate (const SwEstimate *e)
{
  g_autofree char *rate = shardwise_format_count (e->tokens_per_s),
                  *low = shardwise_format_count (e->tokens_low_per_s),
                  *high = shardwise_format_count (e->tokens_high_per_s);

  /* Translators: a rate and its interval */
  return g_strdup_printf (_ ("%s tokens/s (%s–%s)"), rate, low, high);
}

/* ---- one against another ---- */

static void
say_rates (ShardwiseAsking *self, const char *what, const SwEstimate *then, const char *than,
           const SwEstimate *now)
{
  double ratio = then->tokens_per_s / now->tokens_per_s;
  g_autofree char *a = shardwise_asking_rate (then), *b = shardwise_asking_rate (now),
                  *share = shardwise_format_percent (fabs (ratio - 1)),
                  *times = shardwise_format_significant (ratio), *beside = NULL;

  if (fabs (ratio - 1) < SAME)
    beside = g_strdup (_ ("as fast"));
  else if (ratio >= 2)
    /* Translators: a factor: "2.1 times as fast" */
    beside = g_strdup_printf (_ ("%s times as fast"), times);
  else
    /* Translators: a percentage */
    beside = ratio > 1 ? g_strdup_printf (_ ("%s faster"), share)
                       : g_strdup_printf (_ ("%s slower"), share);
  shardwise_asking_say (
      self,
      g_strdup_printf (
          /* Translators: what is changed ("64 GPUs"), a rate with its interval, what it is held
             against, its rate with its interval, and how the two compare ("12 % faster") */
          _ ("%s: %s, against %s: %s; that is %s."), what, a, than, b, beside));
  if (then->gpus_used != now->gpus_used)
    {
      g_autofree char *each =
          shardwise_format_percent (then->tokens_per_s_per_gpu / now->tokens_per_s_per_gpu);

      shardwise_asking_say (self, g_strdup_printf (
                                      /* Translators: a percentage */
                                      _ ("Per GPU it is %s."), each));
    }
  if (then->tokens_low_per_s < now->tokens_high_per_s
      && now->tokens_low_per_s < then->tokens_high_per_s && fabs (ratio - 1) >= SAME)
    shardwise_asking_say (
        self, g_strdup (_ ("The intervals overlap, though both share most of their error.")));
}

/**
 * shardwise_asking_against:
 * @what: names of the changes, translated
 * @then: with them
 * @than: what they are held against, translated
 * @now: without
 *
 * Says how the two compare, and gives the facts of both.
 */
void
shardwise_asking_against (ShardwiseAsking *self, const char *what, ShardwiseAdvice *then,
                          const char *than, ShardwiseAdvice *now)
{
  const SwEstimate *a = shardwise_advice_get_recommended (then),
                   *b = shardwise_advice_get_recommended (now);
  g_autofree char *begin = shardwise_text_capitalise (what),
                  *other = shardwise_text_capitalise (than), *memory = NULL, *less = NULL,
                  *of = NULL, *strategy = NULL;

  shardwise_asking_facts (self, "", then);
  shardwise_asking_facts (self, "now_", now);
  if (shardwise_advice_get_fits (then) && shardwise_advice_get_fits (now))
    {
      say_rates (self, begin, a, than, b);
      memory = shardwise_format_bytes (a->memory.peak.total);
      less = shardwise_format_bytes (b->memory.peak.total);
      of = shardwise_format_bytes (a->usable_bytes);
      strategy = shardwise_text_strategy (&a->strategy);
      /* Translators: memory, usable memory, other memory, a strategy */
      shardwise_asking_say (
          self, g_strdup_printf (_ ("Memory per GPU: %s of %s, against %s. Strategy: %s."), memory,
                                 of, less, strategy));
      if (shardwise_advice_get_days (then) > 0 && shardwise_advice_get_days (now) > 0)
        {
          g_autofree char *days = shardwise_format_significant (shardwise_advice_get_days (then)),
                          *against = shardwise_format_significant (shardwise_advice_get_days (now));

          /* Translators: two numbers of days */
          shardwise_asking_say (
              self, g_strdup_printf (_ ("The training takes %s days, against %s."), days, against));
        }
      return;
    }
  /* Translators: what is changed, then a verdict on it */
  shardwise_asking_say (self,
                        g_strdup_printf (_ ("%s: %s"), begin, shardwise_advice_get_verdict (then)));
  shardwise_asking_say (self,
                        g_strdup_printf (_ ("%s: %s"), other, shardwise_advice_get_verdict (now)));
}

/* ---- what does not fit ---- */

/**
 * shardwise_asking_states:
 * @advice: that nothing fits
 *
 * The sum that contradicts a hope: what the states of training alone take, and what is there.
 */
void
shardwise_asking_states (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const SwTraining *training = &problem->training;
  double states = sw_unsharded_state_bytes (problem,
                                            &shardwise_advice_get_recommended (advice)->strategy),
         there = problem->cluster.gpus * problem->cluster.usable_bytes;
  g_autofree char *parameters = shardwise_format_count (problem->count.total),
                  *each = shardwise_format_significant (states / problem->count.total),
                  *need = shardwise_format_bytes (states), *have = shardwise_format_bytes (there);
  SwRule rule = shardwise_advice_get_recommended (advice)->rule;

  if (!shardwise_advice_get_fits (advice) && rule != SW_RULE_GPU_MEMORY
      && rule != SW_RULE_HOST_MEMORY)
    return;
  if (training->optimizer != SW_OPTIMIZER_ADAMW || sw_training_is_adapter (training)
      || training->type == SW_TRAINING_RLHF)
    return;
  shardwise_asking_say (
      self,
      g_strdup_printf (ngettext (
                           /* Translators: number of parameters, bytes of the states of one, of
                                    all, number of GPUs, their memory */
                           "The sum: %s parameters × %s bytes (weights, gradients and Adam’s "
                           "states) are %s before any activation; %'u GPU has %s.",
                           "The sum: %s parameters × %s bytes (weights, gradients and Adam’s "
                           "states) are %s before any activation; %'u GPUs together have %s.",
                           problem->cluster.gpus),
                       parameters, each, need, problem->cluster.gpus, have));
  shardwise_asking_fact (self, "states", states / SW_GIB, "GiB");
  shardwise_asking_fact (self, "memory_of_all_gpus", there / SW_GIB, "GiB");
}

/**
 * shardwise_asking_ways_out:
 * @advice: with reasons; where nothing fits the smallest changes that do are named
 */
void
shardwise_asking_ways_out (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  GPtrArray *ways = shardwise_advice_get_ways_out (advice);
  GString *list = g_string_new (NULL);
  guint n;
  const SwLeastGpus *least = shardwise_advice_get_least (advice, &n);
  g_autofree char *numbers = shardwise_text_least (least, n);

  for (guint i = 0; i < MIN (ways->len, 3); i++)
    {
      const ShardwiseWayOut *way = g_ptr_array_index (ways, i);

      g_string_append_printf (list, "%s%s", i > 0 ? "; " : "", way->change);
    }
  if (ways->len > 0)
    /* Translators: a list of changes that make a job fit */
    shardwise_asking_say (self, g_strdup_printf (_ ("What would fit: %s."), list->str));
  else if (n == 0)
    shardwise_asking_say (self, g_strdup (_ ("No small change makes it fit.")));
  if (n > 0)
    {
      shardwise_asking_fact (self, "least_gpus", least[0].gpus, "GPUs");
      /* Translators: numbers of GPUs, and what they take: "24; 8 with 8-bit Adam" */
      shardwise_asking_say (
          self, g_strdup_printf (_ ("Fewest GPUs on which it fits for certain: %s."), numbers));
    }
  g_string_free (list, TRUE);
}

/* From the slots of a question to the changes that the window could apply, and their evaluation. */

/* ---- changes ---- */

static gboolean
has (GVariant *changes, ShardwiseKeyId id)
{
  g_autoptr (GVariant) value = g_variant_lookup_value (changes, shardwise_key_path (id), NULL);

  return value != NULL;
}

static void
reset (GVariantDict *dict, ShardwiseScenario *scenario, GVariant *changes, ShardwiseKeyId id)
{
  if (!has (changes, id) && shardwise_scenario_is_set (scenario, id))
    shardwise_changes_insert (dict, id, "s", "");
}

/**
 * shardwise_asking_settle:
 * @changes: (transfer none): a{sv}
 * @scenario: that they are made to
 *
 * Another GPU brings its own memory, links and prices; GPUs of which only the memory is named are
 * not those of the scenario.
 *
 * Returns: (transfer full): a{sv}, with resets of what @changes makes void
 */
GVariant *
shardwise_asking_settle (GVariant *changes, ShardwiseScenario *scenario)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, changes);
  if (has (changes, SHARDWISE_KEY_CLUSTER_GPU))
    shardwise_other_cluster_forget_gpu (&dict, scenario);
  if (has (changes, SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB))
    reset (&dict, scenario, changes, SHARDWISE_KEY_CLUSTER_GPU);
  if (has (changes, SHARDWISE_KEY_CLUSTER_INTER_NODE))
    reset (&dict, scenario, changes, SHARDWISE_KEY_CLUSTER_INTER_NODE_GB_S);
  if (has (changes, SHARDWISE_KEY_CLUSTER_INTRA_NODE))
    reset (&dict, scenario, changes, SHARDWISE_KEY_CLUSTER_INTRA_NODE_GB_S);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/**
 * shardwise_asking_named:
 * @side: of the question
 *
 * Returns: (transfer full): a{sv}: what the question names; empty where it names nothing
 */
GVariant *
shardwise_asking_named (ShardwiseAsking *self, guint side)
{
  g_autoptr (GVariant) named =
      g_variant_ref_sink (shardwise_question_changes (self->question, side));
  GVariantDict dict;

  g_variant_dict_init (&dict, named);
  for (guint i = 0; i < self->question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->question->slots, i);
      const ShardwiseKey *key = shardwise_key_find (slot->path);
      double now = key != NULL ? shardwise_scenario_get_number (self->scenario, key->id, NAN) : NAN,
             value = now * slot->factor;

      if (slot->side != side || !(slot->factor > 0) || slot->value != NULL || isnan (now)
          || g_variant_dict_contains (&dict, slot->path))
        continue;
      /* "Twice the batch" of the scenario's; integers stay integers. */
      if (key->kind == SHARDWISE_KIND_INTEGER)
        g_variant_dict_insert (&dict, slot->path, "x", (gint64) MAX (1, floor (value)));
      else
        g_variant_dict_insert (&dict, slot->path, "d", value);
    }
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/**
 * shardwise_asking_changes:
 * @side: of the question
 *
 * Returns: (transfer full): a{sv}: shardwise_asking_named(), settled
 */
GVariant *
shardwise_asking_changes (ShardwiseAsking *self, guint side)
{
  g_autoptr (GVariant) named = shardwise_asking_named (self, side);

  return shardwise_asking_settle (named, self->scenario);
}

/* ---- words ---- */

static char *
describe_change (const ShardwiseKey *key, GVariant *value)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  g_autofree char *plain = NULL;
  const char *text;
  double number;

  if (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    return g_strdup_printf (_ ("%s %s"), _ (key->title),
                            g_variant_get_boolean (value) ? _ ("on") : _ ("off"));
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    {
      text = g_variant_get_string (value, NULL);
      if (*text == '\0')
        return NULL;
      if (key->id == SHARDWISE_KEY_CLUSTER_GPU
          && shardwise_catalogue_find_gpu (catalogue, text) != NULL)
        return g_strdup (shardwise_catalogue_find_gpu (catalogue, text)->name);
      if (key->id == SHARDWISE_KEY_MODEL_PRESET
          && shardwise_catalogue_find_model (catalogue, text) != NULL)
        return g_strdup (shardwise_catalogue_find_model (catalogue, text)->name);
      return g_strdup_printf (_ ("%s %s"), _ (key->title),
                              shardwise_key_word_title (key->id, text));
    }
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_INT64))
    number = (double) g_variant_get_int64 (value);
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE))
    number = g_variant_get_double (value);
  else
    return NULL;
  if (key->id == SHARDWISE_KEY_CLUSTER_GPUS)
    return shardwise_format_gpus ((guint) number);
  plain = number >= 1e6              ? shardwise_format_count (number)
          : floor (number) == number ? shardwise_format_whole (number)
                                     : g_strdup_printf ("%.4g", number);
  /* Translators: name of an input, its value: "Sequence length 8192" */
  if (key->unit == NULL)
    return g_strdup_printf (_ ("%s %s"), _ (key->title), plain);
  /* Translators: name of an input, its value, its unit: "Network bandwidth per GPU 100 GB/s" */
  return g_strdup_printf (_ ("%s %s %s"), _ (key->title), plain, _ (key->unit));
}

/**
 * shardwise_asking_describe:
 * @changes: a{sv}
 *
 * Returns: (transfer full): "64 GPUs, H200 SXM5 141 GB, Tensor parallel 4", in the order of the
 * file
 */
char *
shardwise_asking_describe (GVariant *changes)
{
  GString *out = g_string_new (NULL);

  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    {
      g_autoptr (GVariant) value = g_variant_lookup_value (changes, shardwise_key_path (i), NULL);
      g_autofree char *text = value != NULL ? describe_change (shardwise_key_get (i), value) : NULL;

      if (text != NULL)
        g_string_append_printf (out, "%s%s", out->len > 0 ? ", " : "", text);
    }
  return g_string_free (out, FALSE);
}

/* ---- evaluation ---- */

/**
 * shardwise_asking_changed:
 * @changes: a{sv}
 *
 * Returns: (transfer full) (nullable): the scenario with them; %NULL where it does not take them,
 *   which is then said
 */
ShardwiseScenario *
shardwise_asking_changed (ShardwiseAsking *self, GVariant *changes)
{
  g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (self->scenario);
  g_autoptr (GError) error = NULL;

  if (shardwise_scenario_apply (changed, changes, &error))
    return g_steal_pointer (&changed);
  /* Translators: why a change cannot be made */
  shardwise_asking_say (self,
                        g_strdup_printf (_ ("That cannot be evaluated: %s."), error->message));
  return NULL;
}

/**
 * shardwise_asking_fail:
 * @error: (transfer full): why something was not computed
 *
 * Says so, or keeps that it was cancelled: then there is no answer.
 */
void
shardwise_asking_fail (ShardwiseAsking *self, GError *error)
{
  g_autoptr (GError) why = error;

  if (g_error_matches (why, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_clear_error (&self->error);
      self->error = g_steal_pointer (&why);
    }
  else
    shardwise_asking_say (self,
                          g_strdup_printf (_ ("That cannot be evaluated: %s."), why->message));
}

/**
 * shardwise_asking_join:
 * @base: a{sv}
 * @more: a{sv}
 *
 * Returns: (transfer full): a{sv}: @base, and @more over it
 */
GVariant *
shardwise_asking_join (GVariant *base, GVariant *more)
{
  GVariantDict dict;
  GVariantIter iter;
  const char *path;
  GVariant *value;

  g_variant_dict_init (&dict, base);
  g_variant_iter_init (&iter, more);
  while (g_variant_iter_loop (&iter, "{&sv}", &path, &value))
    g_variant_dict_insert_value (&dict, path, value);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/**
 * shardwise_asking_evaluate:
 * @changes: (nullable): a{sv}
 * @explain: whether reasons and ways out are needed
 *
 * Returns: (transfer full) (nullable): the advice for the scenario with them; %NULL where there is
 *   none, which is then said, or where it was cancelled
 */
ShardwiseAdvice *
shardwise_asking_evaluate (ShardwiseAsking *self, GVariant *changes, gboolean explain)
{
  const ShardwiseAdviceOptions options = { .top = 1, .explain = explain };
  g_autoptr (ShardwiseScenario) changed = NULL;
  g_autoptr (GError) error = NULL;
  ShardwiseAdvice *advice;

  changed = changes != NULL ? shardwise_asking_changed (self, changes)
                            : g_object_ref (self->scenario);
  if (changed == NULL)
    return NULL;
  advice = shardwise_advice_compute (changed, &options, self->cancellable, &error);
  if (advice != NULL)
    return advice;
  shardwise_asking_fail (self, g_steal_pointer (&error));
  return NULL;
}

/**
 * shardwise_asking_offer:
 * @changes: (nullable): a{sv}: what the button under the answer does; replaces an earlier offer
 */
void
shardwise_asking_offer (ShardwiseAsking *self, GVariant *changes)
{
  ShardwiseAnswer *answer = self->answer;

  g_clear_pointer (&answer->changes, g_variant_unref);
  g_clear_pointer (&answer->change, g_free);
  if (changes == NULL || g_variant_n_children (changes) == 0)
    return;
  answer->changes = g_variant_ref (changes);
  answer->change = shardwise_asking_describe (changes);
}

/* ---- terms ---- */

typedef struct {
  const char *term, *text, *page;
} Term;

static const Term terms[] = {
  { "bubble",
    N_ ("The pipeline bubble is the time in which stages wait at the beginning and end of a step, "
        "for the first "
        "micro-batches to arrive and the last to return. With p stages, v virtual stages and m "
        "micro-batches "
        "it is about (p − 1)/(v·m) of the computation."),
    "analysis" },
  { "mfu",
    N_ ("MFU, model FLOPs utilisation, is the arithmetic that the model needs per second over the "
        "GPU’s dense peak. "
        "Recomputation does not count, and the masked half of causal attention is left out."),
    "advice" },
  { "hfu",
    N_ ("HFU, hardware FLOPs utilisation, is the arithmetic that is done per second, recomputation "
        "included, over the "
        "dense peak."),
    "advice" },
  { "tp",
    N_ ("Tensor parallelism cuts every matrix of a layer over some GPUs, which exchange "
        "activations twice in each "
        "direction of a layer; so it should stay on the fast link of a node."),
    "advice" },
  { "pp",
    N_ ("Pipeline parallelism gives consecutive layers to different GPUs, which pass activations "
        "on; little is sent, "
        "but stages wait for one another: the bubble."),
    "analysis" },
  { "dp",
    N_ ("Data parallelism trains replicas on different sequences; their gradients are summed once "
        "a step."),
    "advice" },
  { "cp",
    N_ ("Context parallelism cuts the sequence over GPUs, which exchange keys and values; it is "
        "for sequences whose "
        "activations do not fit otherwise."),
    "advice" },
  { "ep",
    N_ ("Expert parallelism gives the experts of a mixture to different GPUs; tokens go to their "
        "experts and back by "
        "all-to-all."),
    "advice" },
  { "sp",
    N_ ("Sequence parallelism cuts norms and dropout, which tensor parallelism leaves whole, along "
        "the sequence over the "
        "same GPUs: less activation memory at the same communication."),
    "advice" },
  { "zero",
    N_ ("ZeRO shards what data-parallel replicas hold alike: stage 1 the optimizer states, stage 2 "
        "the gradients "
        "too, stage 3 the parameters too, which are then gathered layer by layer."),
    "analysis" },
  { "fsdp",
    N_ ("FSDP is PyTorch’s sharded data parallelism, like ZeRO 3: parameters are gathered layer by "
        "layer. HSDP shards "
        "within groups and replicates between them."),
    "advice" },
  { "micro-batch",
    N_ ("A micro-batch is what one GPU runs through the model at once. A larger one makes larger, "
        "more "
        "efficient kernels, and takes activations in proportion."),
    "advice" },
  { "global-batch",
    N_ ("The global batch is all sequences of one optimizer step: micro-batch × gradient "
        "accumulation × data "
        "parallel."),
    "advice" },
  { "gradient-accumulation",
    N_ ("Gradient accumulation runs several micro-batches before one optimizer step; it is the "
        "global "
        "batch over micro-batch × data parallel."),
    "advice" },
  { "recompute",
    N_ ("Recomputation (activation checkpointing) drops activations in the forward pass and "
        "computes them again "
        "in the backward pass: full recomputation costs about a third more arithmetic, selective "
        "only that "
        "of cheap, large parts."),
    "analysis" },
  { "offload",
    N_ ("Offloading keeps optimizer states, parameters or activations in the host’s memory and "
        "moves them over "
        "PCIe when they are needed."),
    "analysis" },
  { "schedule",
    N_ ("The schedule is the order in which a stage runs forward and backward passes: GPipe all "
        "forward first, 1F1B "
        "one of each in turn, interleaved with several virtual stages per GPU, zero-bubble with "
        "weight "
        "gradients put off into the gaps."),
    "analysis" },
  { "goodput",
    N_ ("Goodput is the share of the time that advances the training: what checkpoints, failures "
        "and restarts "
        "leave."),
    "scale" },
  { "scaling-efficiency",
    N_ ("Scaling efficiency is what is left of a step after exposed communication and bubble."),
    "scale" },
  { "intensity",
    N_ ("The ratio of computation to communication: from about 10 to 1 on, communication can hide "
        "behind "
        "computation."),
    "advice" },
  { "lora",
    N_ ("LoRA trains small matrices beside frozen weights, QLoRA beside weights in four bits; only "
        "the small ones need "
        "gradients and optimizer states."),
    "advice" },
  { "moe",
    N_ ("A mixture of experts has many MLPs per layer, of which each token uses a few: many "
        "parameters, little "
        "arithmetic."),
    "advice" },
  { "activations",
    N_ ("Activations are what the forward pass keeps for the backward pass; they grow with "
        "micro-batch and "
        "sequence, and with the micro-batches in flight of a pipeline."),
    "analysis" },
  { "optimizer-states",
    N_ ("Adam keeps master weights and two moments in 4 bytes each, 12 bytes per parameter, beside "
        "weights "
        "and gradients in 2 bytes each."),
    "analysis" },
  { "all-reduce",
    N_ ("Collectives are exchanges of a whole group: all-reduce sums over all and gives everyone "
        "the sum, "
        "reduce-scatter gives each a part of it, all-gather collects the parts."),
    "analysis" },
  { "nvlink",
    N_ ("NVLink joins the GPUs of a node, or of a rack, many times as fast as the network."),
    "analysis" },
  { "infiniband",
    N_ ("InfiniBand and RoCE join nodes with direct access to memory (RDMA), typically 25 to 100 "
        "GB/s per GPU."),
    "analysis" },
  { "memory-target",
    N_ ("The memory target is the share of the usable memory that a strategy may take; what is "
        "above it is left "
        "out of the search."),
    "advice" },
  { "error-interval",
    N_ ("The interval beside a figure holds nine in ten measured runs of that kind, each predicted "
        "without "
        "having seen its source."),
    "advice" },
  { "pareto",
    N_ ("The Pareto front holds the strategies of which no other is both faster and smaller."),
    "alternatives" },
  { "playbook",
    N_ ("The Ultra-Scale Playbook is a decision tree of rules of thumb; its strategy stands beside "
        "the model’s as a "
        "second opinion."),
    "advice" },
  { "quick-score",
    N_ ("The quick score enumerates strategies and weighs four shares; a second opinion."),
    "advice" },
  { "step-time",
    N_ ("The step time is that of one optimizer step: computation, exposed communication, bubble "
        "and optimizer."),
    "analysis" },
  { "tokens-per-second", N_ ("Throughput is the tokens of a global batch over the time of a step."),
    "advice" },
  { "mixed-precision",
    N_ ("In mixed precision matrices multiply in bf16, fp16 or fp8, while sums and master weights "
        "stay in "
        "fp32; fp8 about doubles the peak where the GPU has it."),
    "advice" },
};

static const Term *
find_term (const char *name)
{
  for (guint i = 0; name != NULL && i < G_N_ELEMENTS (terms); i++)
    if (g_str_equal (terms[i].term, name))
      return &terms[i];
  return NULL;
}

void
shardwise_asking_define (ShardwiseAsking *self)
{
  const Term *term = find_term (self->question->term);
  g_autoptr (ShardwiseAdvice) now = NULL;
  g_autofree char *strategy = NULL, *share = NULL;
  const SwEstimate *e;
  double value;

  if (term == NULL)
    {
      shardwise_asking_unknown (self);
      return;
    }
  self->answer->page = term->page;
  shardwise_asking_say (self, g_strdup (_ (term->text)));
  now = shardwise_asking_evaluate (self, NULL, FALSE);
  if (now == NULL || !shardwise_advice_get_fits (now))
    return;
  e = shardwise_advice_get_recommended (now);
  strategy = shardwise_text_strategy (&e->strategy);
  /* The term's own figure in the present answer. */
  value = g_str_equal (term->term, "bubble")               ? e->bubble_fraction
          : g_str_equal (term->term, "mfu")                ? e->mfu
          : g_str_equal (term->term, "hfu")                ? e->hfu
          : g_str_equal (term->term, "scaling-efficiency") ? e->scaling_efficiency
                                                           : -1;
  if (value >= 0)
    {
      share = shardwise_format_percent (value);
      shardwise_asking_fact (self, term->term, value, "1");
      /* Translators: a percentage, a strategy */
      shardwise_asking_say (self, g_strdup_printf (_ ("Here it is %s, with %s."), share, strategy));
    }
  else
    /* Translators: a strategy */
    shardwise_asking_say (self, g_strdup_printf (_ ("Recommended here: %s."), strategy));
  shardwise_asking_facts (self, "", now);
}

/**
 * shardwise_asking_define_slots:
 *
 * Says what each key is that the question names, once, and then the term that it has besides.
 *
 * Returns: whether anything was said
 */
gboolean
shardwise_asking_define_slots (ShardwiseAsking *self)
{
  static const struct {
    ShardwiseKeyId key;
    const char *term;
  } others[] = {
    { SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL, "sp" },
    { SHARDWISE_KEY_STRATEGY_ZERO_STAGE, "zero" },
    { SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE, "micro-batch" },
    { SHARDWISE_KEY_STRATEGY_VPP, "schedule" },
    { SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, "global-batch" },
    { SHARDWISE_KEY_TRAINING_PRECISION, "mixed-precision" },
  };
  gboolean said[G_N_ELEMENTS (terms)] = { FALSE }, any = FALSE;

  for (guint i = 0; i <= self->question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = i < self->question->slots->len
                                         ? g_ptr_array_index (self->question->slots, i)
                                         : NULL;
      const char *name = self->question->term;
      const Term *term;

      if (slot != NULL)
        {
          /* The term of a key: that of its name, "tp" of "strategy.tp", but for a few. */
          name = strrchr (slot->path, '.');
          name = name != NULL ? name + 1 : slot->path;
          for (guint k = 0; k < G_N_ELEMENTS (others); k++)
            if (g_str_equal (shardwise_key_path (others[k].key), slot->path))
              name = others[k].term;
        }
      term = find_term (name);
      if (term == NULL || said[term - terms])
        continue;
      said[term - terms] = any = TRUE;
      shardwise_asking_say (self, g_strdup (_ (term->text)));
    }
  return any;
}

/* ---- what can be asked ---- */

static const struct {
  ShardwiseIntent intent; /* after which it is a good next question */
  const char *text;
} examples[] = {
  { SHARDWISE_INTENT_BEST, N_ ("Why this strategy?") },
  { SHARDWISE_INTENT_WHY, N_ ("Why not ZeRO 3?") },
  { SHARDWISE_INTENT_WHAT_IF, N_ ("What if I use H200?") },
  { SHARDWISE_INTENT_THROUGHPUT, N_ ("What if I use twice as many GPUs?") },
  { SHARDWISE_INTENT_LIMIT, N_ ("What if the network had twice the bandwidth?") },
  { SHARDWISE_INTENT_COMPARE, N_ ("Which is faster, fp8 or bf16?") },
  { SHARDWISE_INTENT_FITS, N_ ("Does a 70B model fit on 8 H100?") },
  { SHARDWISE_INTENT_GPUS, N_ ("How many GPUs do I need?") },
  { SHARDWISE_INTENT_OOM, N_ ("How much memory does each GPU use?") },
  { SHARDWISE_INTENT_TIME, N_ ("How long does 1T tokens take?") },
  { SHARDWISE_INTENT_COST, N_ ("How much does it cost?") },
  { SHARDWISE_INTENT_SLOW, N_ ("What is the bottleneck?") },
  { SHARDWISE_INTENT_MEMORY, N_ ("How can I save memory?") },
  { SHARDWISE_INTENT_HOW_TO, N_ ("How can I make it faster?") },
  { SHARDWISE_INTENT_DEFINE, N_ ("What is the pipeline bubble?") },
  { SHARDWISE_INTENT_FAULT, N_ ("My training is slow, why?") },
};

enum { SUGGESTIONS = 3 };

/* How many words the two questions share. */
static guint
likeness (GArray *atoms, const char *text)
{
  g_autoptr (GArray) others = shardwise_ask_atoms (text);
  guint n = 0;

  for (guint i = 0; i < atoms->len; i++)
    for (guint j = 0; j < others->len; j++)
      if (strlen (shardwise_ask_atom (atoms, i)->text) > 2
          && g_str_equal (shardwise_ask_atom (atoms, i)->text,
                          shardwise_ask_atom (others, j)->text))
        {
          n++;
          break;
        }
  return n;
}

/* What is said where nothing was understood. */
void
shardwise_asking_unknown (ShardwiseAsking *self)
{
  g_autoptr (GArray) atoms = shardwise_ask_atoms (self->question->text);
  gboolean used[G_N_ELEMENTS (examples)] = { FALSE };

  self->answer->confidence = 0;
  shardwise_asking_say (
      self, g_strdup (_ ("I did not understand that. I can say why a strategy is as it is and not "
                         "otherwise; what another GPU, "
                         "number, batch, sequence, network, precision, model or price would "
                         "change; whether it fits, on how "
                         "many GPUs, how long it takes and what it costs; what limits it, and what "
                         "to do where memory or "
                         "speed is short; what a term means; and how two settings compare.")));
  /* The nearest questions by their words; where none is near, one of each sort. */
  for (guint n = 0; n < SUGGESTIONS; n++)
    {
      guint best = G_N_ELEMENTS (examples), most = 0;

      for (guint i = 0; i < G_N_ELEMENTS (examples); i++)
        {
          guint like = likeness (atoms, _ (examples[i].text)) + 1;

          if (!used[i] && like > most)
            {
              best = i;
              most = like;
            }
        }
      used[best] = TRUE;
      g_ptr_array_add (self->answer->suggestions, g_strdup (_ (examples[best].text)));
    }
}

/**
 * shardwise_asking_suggest:
 *
 * What people ask next: the questions that follow the one in the list.
 */
void
shardwise_asking_suggest (ShardwiseAsking *self)
{
  guint at = 0;

  if (self->answer->suggestions->len > 0)
    return;
  while (at < G_N_ELEMENTS (examples) && examples[at].intent != self->question->intent)
    at++;
  for (guint i = 0; i < SUGGESTIONS; i++)
    {
      guint next = (at + i * 5 + (i > 0 ? 1 : 0)) % G_N_ELEMENTS (examples);

      if (g_ascii_strcasecmp (_ (examples[next].text), self->question->text) != 0)
        g_ptr_array_add (self->answer->suggestions, g_strdup (_ (examples[next].text)));
    }
}
