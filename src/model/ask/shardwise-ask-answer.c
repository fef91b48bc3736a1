/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers to questions: sentences and facts that several share, the changes of a question and their
 * evaluation, questions to begin with; then the intent picks who answers, on a worker thread for the
 * window. */
#include "shardwise-ask-answer.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-changes.h"
#include "shardwise-dimension.h"
#include "shardwise-format.h"
#include "shardwise-json.h"
#include "shardwise-key.h"
#include "shardwise-text-strategy.h"
#include "shardwise-ask-needs.h"
#include "shardwise-ask-terms.h"
#include "shardwise-ask-why.h"

/* Bytes of the states of full training with Adam in mixed precision, per parameter: weights and
 * gradients in 2, master weights and two moments in 4 each (Rajbhandari et al. 2020, ZeRO). */
#define STATE_BYTES 16.0

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

static char *
ratio_text (double ratio)
{
  g_autofree char *share = shardwise_format_percent (fabs (ratio - 1)),
                  *times = shardwise_format_significant (ratio);

  if (fabs (ratio - 1) < SAME)
    return g_strdup (_ ("as fast"));
  if (ratio >= 2)
    /* Translators: a factor: "2.1 times as fast" */
    return g_strdup_printf (_ ("%s times as fast"), times);
  /* Translators: a percentage */
  return ratio > 1 ? g_strdup_printf (_ ("%s faster"), share)
                   : g_strdup_printf (_ ("%s slower"), share);
}

static void
say_rates (ShardwiseAsking *self, const char *what, const SwEstimate *then, const char *than,
           const SwEstimate *now)
{
  g_autofree char *a = shardwise_asking_rate (then), *b = shardwise_asking_rate (now),
                  *ratio = ratio_text (then->tokens_per_s / now->tokens_per_s);
  double each = then->tokens_per_s_per_gpu / now->tokens_per_s_per_gpu;

  shardwise_asking_say (
      self,
      g_strdup_printf (
          /* Translators: what is changed ("64 GPUs"), a rate with its interval, what it is held
             against, its rate with its interval, and how the two compare ("12 % faster") */
          _ ("%s: %s, against %s: %s; that is %s."), what, a, than, b, ratio));
  if (then->gpus_used != now->gpus_used)
    {
      g_autofree char *share = shardwise_format_percent (each);

      shardwise_asking_say (self, g_strdup_printf (
                                      /* Translators: a percentage */
                                      _ ("Per GPU it is %s."), share));
    }
  if (then->tokens_low_per_s < now->tokens_high_per_s
      && now->tokens_low_per_s < then->tokens_high_per_s
      && fabs (then->tokens_per_s / now->tokens_per_s - 1) >= SAME)
    shardwise_asking_say (
        self, g_strdup (_ ("The intervals overlap, though both share most of their error.")));
}

static void
say_memory (ShardwiseAsking *self, const SwEstimate *then, const SwEstimate *now)
{
  g_autofree char *a = shardwise_format_bytes (then->memory.peak.total),
                  *b = shardwise_format_bytes (now->memory.peak.total),
                  *of = shardwise_format_bytes (then->usable_bytes),
                  *strategy = shardwise_text_strategy (&then->strategy);

  /* Translators: memory, usable memory, other memory, a strategy */
  shardwise_asking_say (self,
                        g_strdup_printf (_ ("Memory per GPU: %s of %s, against %s. Strategy: %s."),
                                         a, of, b, strategy));
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
                  *other = shardwise_text_capitalise (than);

  shardwise_asking_facts (self, "", then);
  shardwise_asking_facts (self, "now_", now);
  if (shardwise_advice_get_fits (then) && shardwise_advice_get_fits (now))
    {
      say_rates (self, begin, a, than, b);
      say_memory (self, a, b);
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
  double states = STATE_BYTES * problem->count.total,
         there = problem->cluster.gpus * problem->cluster.usable_bytes;
  g_autofree char *parameters = shardwise_format_count (problem->count.total),
                  *need = shardwise_format_bytes (states), *have = shardwise_format_bytes (there);

  SwRule rule = shardwise_advice_get_recommended (advice)->rule;

  if (!shardwise_advice_get_fits (advice) && rule != SW_RULE_GPU_MEMORY
      && rule != SW_RULE_HOST_MEMORY)
    return;
  if (training->optimizer != SW_OPTIMIZER_ADAMW || sw_training_is_adapter (training)
      || training->type == SW_TRAINING_RLHF)
    return;
  shardwise_asking_say (self, g_strdup_printf (ngettext (
                                                   /* Translators: number of parameters, memory of
                                                      the states, number of GPUs, their memory */
                                                   "The sum: %s parameters × 16 bytes (weights, "
                                                   "gradients and Adam’s states) are %s before any "
                                                   "activation; %'u GPU has %s.",
                                                   "The sum: %s parameters × 16 bytes (weights, "
                                                   "gradients and Adam’s states) are %s before any "
                                                   "activation; %'u GPUs together have %s.",
                                                   problem->cluster.gpus),
                                               parameters, need, problem->cluster.gpus, have));
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
  guint least = shardwise_advice_get_least_gpus (advice);

  for (guint i = 0; i < MIN (ways->len, 3); i++)
    {
      const ShardwiseWayOut *way = g_ptr_array_index (ways, i);

      g_string_append_printf (list, "%s%s", i > 0 ? "; " : "", way->change);
    }
  if (ways->len > 0)
    /* Translators: a list of changes that make a job fit */
    shardwise_asking_say (self, g_strdup_printf (_ ("What would fit: %s."), list->str));
  else if (least == 0)
    shardwise_asking_say (self, g_strdup (_ ("No single change makes it fit.")));
  if (least > 0)
    {
      shardwise_asking_fact (self, "least_gpus", least, "GPUs");
      shardwise_asking_say (self,
                            g_strdup_printf (ngettext ("The least that fits is %'u GPU.",
                                                       "The least that fits is %'u GPUs.", least),
                                             least));
    }
  g_string_free (list, TRUE);
}

/* From the slots of a question to the changes that the window could apply, and their evaluation. */

/* ---- changes ---- */

static gboolean
has (GVariant *changes, const char *path)
{
  g_autoptr (GVariant) value = g_variant_lookup_value (changes, path, NULL);

  return value != NULL;
}

static void
reset (GVariantDict *dict, ShardwiseScenario *scenario, GVariant *changes, const char *path)
{
  if (!has (changes, path) && shardwise_scenario_is_set (scenario, path))
    g_variant_dict_insert (dict, path, "s", "");
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
  if (has (changes, "cluster.gpu"))
    shardwise_other_cluster_forget_gpu (&dict, scenario);
  if (has (changes, "cluster.gpu_memory_gb"))
    reset (&dict, scenario, changes, "cluster.gpu");
  if (has (changes, "cluster.inter_node"))
    reset (&dict, scenario, changes, "cluster.inter_node_gb_s");
  if (has (changes, "cluster.intra_node"))
    reset (&dict, scenario, changes, "cluster.intra_node_gb_s");
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/* "Twice the batch" of the scenario's; integers stay integers. */
static void
insert_factor (ShardwiseAsking *self, GVariantDict *dict, const ShardwiseAskSlot *slot)
{
  const ShardwiseKey *key = shardwise_key_find (slot->path);
  double now = shardwise_scenario_get_number (self->scenario, slot->path, NAN),
         value = now * slot->factor;

  if (key == NULL || isnan (now) || g_variant_dict_contains (dict, slot->path))
    return;
  if (key->kind == SHARDWISE_KEY_INTEGER)
    g_variant_dict_insert (dict, slot->path, "x", (gint64) MAX (1, floor (value)));
  else
    g_variant_dict_insert (dict, slot->path, "d", value);
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

      if (slot->side == side && slot->factor > 0 && slot->value == NULL)
        insert_factor (self, &dict, slot);
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
describe_number (const ShardwiseKey *key, GVariant *value)
{
  double number = g_variant_is_of_type (value, G_VARIANT_TYPE_INT64)
                      ? (double) g_variant_get_int64 (value)
                      : g_variant_get_double (value);
  g_autofree char *count = number >= 1e6 ? shardwise_format_count (number)
                                         : shardwise_format_tick (number);
  g_autofree char *plain = floor (number) == number && number < 1e6
                               ? shardwise_format_whole (number)
                           : number < 1e6 ? g_strdup_printf ("%.4g", number)
                                          : g_strdup (count);

  if (g_str_equal (key->path, "cluster.gpus"))
    return shardwise_format_gpus ((guint) number);
  /* Translators: name of an input, its value: "Sequence length 8192" */
  if (key->unit == NULL)
    return g_strdup_printf (_ ("%s %s"), _ (key->title), plain);
  /* Translators: name of an input, its value, its unit: "Network bandwidth per GPU 100 GB/s" */
  return g_strdup_printf (_ ("%s %s %s"), _ (key->title), plain, _ (key->unit));
}

static char *
describe_change (const ShardwiseKey *key, GVariant *value)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  const char *text;

  if (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    return g_strdup_printf (_ ("%s %s"), _ (key->title),
                            g_variant_get_boolean (value) ? _ ("on") : _ ("off"));
  if (!g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    return g_variant_is_of_type (value, G_VARIANT_TYPE_INT64)
                   || g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE)
               ? describe_number (key, value)
               : NULL;
  text = g_variant_get_string (value, NULL);
  if (*text == '\0')
    return NULL;
  if (g_str_equal (key->path, "cluster.gpu")
      && shardwise_catalogue_find_gpu (catalogue, text) != NULL)
    return g_strdup (shardwise_catalogue_find_gpu (catalogue, text)->name);
  if (g_str_equal (key->path, "model.preset")
      && shardwise_catalogue_find_model (catalogue, text) != NULL)
    return g_strdup (shardwise_catalogue_find_model (catalogue, text)->name);
  return g_strdup_printf (_ ("%s %s"), _ (key->title), shardwise_key_word_title (key->path, text));
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
  guint n;
  const ShardwiseKey *keys = shardwise_keys (&n);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GVariant) value = g_variant_lookup_value (changes, keys[i].path, NULL);
      g_autofree char *text = value != NULL ? describe_change (&keys[i], value) : NULL;

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

/* Questions to begin with, about the present input and its answer. */

/* The largest of the splits, against half of it; without any, the sharding. */
static char *
why (const SwStrategy *strategy)
{
  static const SwDimension splits[] = { SW_DIM_TP, SW_DIM_PP, SW_DIM_CP, SW_DIM_EP };
  guint best = G_N_ELEMENTS (splits), most = 1;

  for (guint i = 0; i < G_N_ELEMENTS (splits); i++)
    {
      guint value = sw_strategy_get (strategy, splits[i]);

      if (value > most)
        {
          best = i;
          most = value;
        }
    }
  if (best < G_N_ELEMENTS (splits))
    /* Translators: a question that Ask understands; keep it in words that it reads (English or
     * German): "Why TP 8 rather than 4?" */
    return g_strdup_printf (_ ("Why %s %u rather than %u?"),
                            shardwise_dimension_degree (splits[best]), most, most / 2);
  return g_strdup (strategy->zero_stage == 3 ? _ ("Why not ZeRO 1?") : _ ("Why not ZeRO 3?"));
}

/**
 * shardwise_ask_examples:
 * @scenario: what is asked about
 * @advice: (nullable): its answer
 *
 * Returns: (transfer full) (element-type utf8): questions that fit the present input: why its
 * strategy is as it is and what holds it back, or what to do where none fits; what another cluster
 * would change; what it costs
 */
GPtrArray *
shardwise_ask_examples (ShardwiseScenario *scenario, ShardwiseAdvice *advice)
{
  GPtrArray *questions = g_ptr_array_new_with_free_func (g_free);
  double gpus = shardwise_scenario_get_number (scenario, "cluster.gpus", 0);
  g_autofree char *gpu = shardwise_scenario_get_string (scenario, "cluster.gpu");

  if (advice != NULL && !shardwise_advice_get_fits (advice))
    {
      g_ptr_array_add (questions, g_strdup (_ ("How many GPUs do I need?")));
      g_ptr_array_add (questions, g_strdup (_ ("How can I save memory?")));
    }
  else
    {
      g_ptr_array_add (questions, advice != NULL
                                      ? why (&shardwise_advice_get_recommended (advice)->strategy)
                                      : g_strdup (_ ("Why this strategy?")));
      g_ptr_array_add (questions, g_strdup (_ ("What limits me?")));
    }
  if (gpus > 0 && gpus <= G_MAXUINT16)
    /* Translators: a question that Ask understands; keep it in words that it reads (English or
     * German) */
    g_ptr_array_add (questions, g_strdup_printf (_ ("What if I use %u GPUs?"), (guint) gpus * 2));
  g_ptr_array_add (questions, gpu != NULL && g_str_has_prefix (gpu, "h200")
                                  ? g_strdup (_ ("What if I use B200?"))
                                  : g_strdup (_ ("What if I use H200?")));
  g_ptr_array_add (questions, g_strdup (_ ("How much does it cost?")));
  return questions;
}

/* Answers: the question's intent picks who says it; on a worker thread for the window. */

typedef void (*Teller) (ShardwiseAsking *self);

static const Teller tellers[SHARDWISE_N_INTENTS] = {
  [SHARDWISE_INTENT_UNKNOWN] = shardwise_asking_unknown,
  [SHARDWISE_INTENT_WHY] = shardwise_asking_why,
  [SHARDWISE_INTENT_WHAT_IF] = shardwise_asking_what_if,
  [SHARDWISE_INTENT_FITS] = shardwise_asking_fits,
  [SHARDWISE_INTENT_GPUS] = shardwise_asking_gpus,
  [SHARDWISE_INTENT_MEMORY] = shardwise_asking_memory,
  [SHARDWISE_INTENT_TIME] = shardwise_asking_time,
  [SHARDWISE_INTENT_COST] = shardwise_asking_cost,
  [SHARDWISE_INTENT_THROUGHPUT] = shardwise_asking_throughput,
  [SHARDWISE_INTENT_LIMIT] = shardwise_asking_limit,
  [SHARDWISE_INTENT_OOM] = shardwise_asking_oom,
  [SHARDWISE_INTENT_SLOW] = shardwise_asking_slow,
  [SHARDWISE_INTENT_DEFINE] = shardwise_asking_define,
  [SHARDWISE_INTENT_COMPARE] = shardwise_asking_compare,
  [SHARDWISE_INTENT_HOW_TO] = shardwise_asking_how_to,
  [SHARDWISE_INTENT_BEST] = shardwise_asking_best,
  [SHARDWISE_INTENT_FAULT] = shardwise_asking_fault,
};

static void
fact_free (gpointer data)
{
  g_free (((ShardwiseAskFact *) data)->name);
  g_free (data);
}

/**
 * shardwise_answer_free:
 * @self: an answer
 */
void
shardwise_answer_free (ShardwiseAnswer *self)
{
  g_free (self->text);
  g_free (self->change);
  g_clear_pointer (&self->changes, g_variant_unref);
  g_ptr_array_unref (self->facts);
  g_ptr_array_unref (self->suggestions);
  g_free (self);
}

/* A number that no scenario takes, or a GPU that nobody measured: said before anything is computed.
 */
static gboolean
refuses (ShardwiseAsking *self)
{
  const ShardwiseQuestion *question = self->question;

  if (question->wrong != NULL)
    /* Translators: what is wrong with a value, and what is accepted */
    shardwise_asking_say (self, g_strdup_printf (_ ("That cannot be: %s."), question->wrong));
  else if (question->unknown_gpu != NULL)
    shardwise_asking_say (self, g_strdup_printf (
                                    /* Translators: name of a GPU */
                                    _ ("The catalogue has no figures of the %s, so nothing is "
                                       "computed for it. Name a GPU of the catalogue, or "
                                       "only its memory: “8 GPUs with 24 GB”."),
                                    question->unknown_gpu));
  else
    return FALSE;
  return TRUE;
}

/**
 * shardwise_answer_compute:
 * @scenario: what the question is about; not changed
 * @question: of shardwise_question_parse()
 * @cancellable: (nullable): stops it
 *
 * Returns: (transfer full): the answer; %NULL with @error only where it was cancelled. What is
 * wrong with scenario or question is said in the answer.
 */
ShardwiseAnswer *
shardwise_answer_compute (ShardwiseScenario *scenario, const ShardwiseQuestion *question,
                          GCancellable *cancellable, GError **error)
{
  g_autoptr (ShardwiseAnswer) answer = g_new0 (ShardwiseAnswer, 1);
  ShardwiseAsking self = { .scenario = scenario,
                           .question = question,
                           .cancellable = cancellable,
                           .answer = answer,
                           .text = g_string_new (NULL) };

  answer->facts = g_ptr_array_new_with_free_func (fact_free);
  answer->suggestions = g_ptr_array_new_with_free_func (g_free);
  answer->confidence = question->confidence;
  if (!refuses (&self))
    tellers[question->intent](&self);
  shardwise_asking_suggest (&self);
  answer->text = g_string_free (self.text, FALSE);
  if (self.error == NULL && !g_cancellable_set_error_if_cancelled (cancellable, &self.error))
    return g_steal_pointer (&answer);
  g_propagate_error (error, self.error);
  return NULL;
}

/* ---- on a worker ---- */

typedef struct {
  ShardwiseScenario *scenario; /* a copy that nobody else has */
  ShardwiseQuestion *question;
} AnswerData;

static void
answer_data_free (gpointer data)
{
  AnswerData *self = data;

  g_object_unref (self->scenario);
  g_clear_pointer (&self->question, shardwise_question_free);
  g_free (self);
}

static void
answer_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  AnswerData *self = data;
  g_autoptr (GError) error = NULL;
  ShardwiseAnswer *answer = shardwise_answer_compute (self->scenario, self->question, cancellable,
                                                      &error);

  if (answer != NULL)
    g_task_return_pointer (task, answer, (GDestroyNotify) shardwise_answer_free);
  else
    g_task_return_error (task, g_steal_pointer (&error));
}

/**
 * shardwise_answer_async:
 * @scenario: copied here
 * @text: the question
 * @before: (nullable): the question before
 *
 * Reads the question here, and answers it on a worker thread.
 */
void
shardwise_answer_async (ShardwiseScenario *scenario, const char *text,
                        const ShardwiseQuestion *before, GCancellable *cancellable,
                        GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  AnswerData *self = g_new0 (AnswerData, 1);

  self->scenario = shardwise_scenario_copy (scenario);
  self->question = shardwise_question_parse (text, scenario, before);
  g_task_set_source_tag (task, shardwise_answer_async);
  g_task_set_task_data (task, self, answer_data_free);
  g_task_run_in_thread (task, answer_thread);
}

/**
 * shardwise_answer_finish:
 * @result: of shardwise_answer_async()
 * @question: (out) (transfer full) (optional): what was understood, for the next question
 *
 * Returns: (transfer full): the answer, or %NULL with @error where it was cancelled
 */
ShardwiseAnswer *
shardwise_answer_finish (GAsyncResult *result, ShardwiseQuestion **question, GError **error)
{
  AnswerData *self = g_task_get_task_data (G_TASK (result));
  ShardwiseAnswer *answer = g_task_propagate_pointer (G_TASK (result), error);

  if (answer != NULL && question != NULL)
    *question = g_steal_pointer (&self->question);
  return answer;
}

/* ---- JSON ---- */

static JsonArray *
facts_to_json (const ShardwiseAnswer *self)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < self->facts->len; i++)
    {
      const ShardwiseAskFact *fact = g_ptr_array_index (self->facts, i);
      JsonObject *object = json_object_new ();

      json_object_set_string_member (object, "name", fact->name);
      json_object_set_double_member (object, "value", fact->value);
      json_object_set_string_member (object, "unit", fact->unit);
      json_array_add_object_element (array, object);
    }
  return array;
}

/**
 * shardwise_answer_to_json:
 * @question: that it answers
 *
 * Returns: (transfer full): the object of `ask --json`
 */
JsonNode *
shardwise_answer_to_json (const ShardwiseAnswer *self, const ShardwiseQuestion *question)
{
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "intent", shardwise_intent_names[question->intent]);
  json_object_set_member (object, "slots", shardwise_question_slots_to_json (question));
  json_object_set_string_member (object, "answer", self->text);
  json_object_set_array_member (object, "facts", facts_to_json (self));
  json_object_set_member (object, "changes",
                          (self->changes != NULL
                               ? json_gvariant_serialize (self->changes)
                               : shardwise_json_take_object (json_object_new ())));
  json_object_set_double_member (object, "confidence", self->confidence);
  json_object_set_array_member (object, "suggestions", shardwise_json_strings (self->suggestions));
  if (self->page != NULL)
    json_object_set_string_member (object, "page", self->page);
  return shardwise_json_take_object (object);
}
