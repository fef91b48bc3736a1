/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a job fits and on how many GPUs, what memory it takes and why it runs out: the run as it is
 * stated first, with its sum; then what else would do. */
#include "shardwise-ask-needs.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-capacity.h"
#include "shardwise-changes.h"
#include "shardwise-deadline.h"
#include "shardwise-format.h"
#include "shardwise-resolve.h"
#include "shardwise-text-search.h"
#include "shardwise-text-strategy.h"

/* The largest model, micro-batch or context that fits, searched for with the engine. */

/* What is searched: doubled from @least until it does not fit or is more than @most, then
 * bisected @steps times. */
typedef struct {
  const char *goal;
  ShardwiseKeyId key;
  const char *fact, *unit;
  double least, most;
  guint steps;
} Largest;

enum { LARGEST_MODEL, LARGEST_BATCH, LARGEST_CONTEXT, N_LARGEST };

static const Largest searched_for[N_LARGEST] = {
  [LARGEST_MODEL] = { "largest-model", SHARDWISE_KEY_MODEL_PARAMETERS_B, "largest_model_b",
                      "1e9 parameters", 0.5, 10000, 5 },
  [LARGEST_BATCH] = { "largest-batch", SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE,
                      "largest_micro_batch", "sequences", 1, 4096, 0 },
  [LARGEST_CONTEXT] = { "largest-context", SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH,
                        "largest_sequence", "tokens", 1024, 33554432, 0 },
};

static GVariant *
with_value (ShardwiseAsking *self, const Largest *what, double value)
{
  g_autoptr (GVariant) named = shardwise_asking_changes (self, 0);
  const ShardwiseKey *key = shardwise_key_get (what->key);
  GVariantDict dict;

  g_variant_dict_init (&dict, named);
  if (key->kind == SHARDWISE_KIND_INTEGER)
    shardwise_changes_insert (&dict, what->key, "x", (gint64) value);
  else
    shardwise_changes_insert (&dict, what->key, "d", value);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/* Whether anything fits with @value; FALSE, too, where that was cancelled, which self->error says.
 */
static gboolean
fits_with (ShardwiseAsking *self, const Largest *what, double value)
{
  const ShardwiseAdviceOptions options = { .top = 1, .bare = TRUE };
  g_autoptr (GVariant) changes = with_value (self, what, value);
  g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (self->scenario);
  g_autoptr (ShardwiseAdvice) advice = NULL;
  g_autoptr (GError) error = NULL;

  if (!shardwise_scenario_apply (changed, changes, &error))
    return FALSE;
  /* Nothing in the host's memory of which nobody spoke. */
  if (!shardwise_scenario_is_set (changed, SHARDWISE_KEY_STRATEGY_OFFLOAD))
    shardwise_scenario_set (changed, SHARDWISE_KEY_STRATEGY_OFFLOAD, g_variant_new_string ("none"),
                            NULL);
  advice = shardwise_advice_compute (changed, &options, self->cancellable, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED) && self->error == NULL)
    self->error = g_steal_pointer (&error);
  return advice != NULL && shardwise_advice_get_fits (advice);
}

/* The greatest value that fits, 0 where none does; @misfit: the least that was found not to. */
static double
find_largest (ShardwiseAsking *self, const Largest *what, double *misfit)
{
  double fit = 0, next = what->least;

  while (next <= what->most && self->error == NULL && fits_with (self, what, next))
    {
      fit = next;
      next *= 2;
    }
  for (guint i = 0; i < what->steps && fit > 0 && self->error == NULL; i++)
    {
      double middle = sqrt (fit * next);

      if (fits_with (self, what, middle))
        fit = middle;
      else
        next = middle;
    }
  *misfit = next;
  return fit;
}

/* To two digits, down for what fits and up for what does not: neither is said of more than was
 * shown. */
static double
rounded (double value, gboolean up)
{
  double unit = pow (10, floor (log10 (value)) - 1);

  return unit * (up ? ceil (value / unit) : floor (value / unit));
}

/* Of a question whether something fits: whether it asks for the largest model, batch or context, and
 * that was answered. */
static gboolean
answer_largest (ShardwiseAsking *self)
{
  const ShardwiseQuestion *question = self->question;

  for (guint i = 0; i < G_N_ELEMENTS (searched_for); i++)
    {
      const Largest *what = &searched_for[i];
      const ShardwiseAskSlot *slot = shardwise_question_find (question,
                                                              shardwise_key_path (what->key), 0);
      g_autoptr (GVariant) changes = NULL;
      g_autoptr (ShardwiseAdvice) advice = NULL;
      double fit, misfit;

      if (g_strcmp0 (question->goal, what->goal) != 0 || (slot != NULL && slot->value != NULL))
        continue;
      fit = find_largest (self, what, &misfit);
      if (self->error != NULL || fit == 0)
        return self->error != NULL;
      if (what->steps > 0)
        {
          fit = rounded (fit, FALSE);
          misfit = rounded (misfit, TRUE);
        }
      changes = with_value (self, what, fit);
      advice = shardwise_asking_evaluate (self, changes, TRUE);
      shardwise_asking_fact (self, what->fact, fit, what->unit);
      if (misfit > what->most)
        shardwise_asking_say (self,
                              /* Translators: name of an input, a value */
                              _ ("%s: even %'.0f fits; more was not tried."),
                              _ (shardwise_key_get (what->key)->title), fit);
      else if (i == LARGEST_MODEL)
        shardwise_asking_say (self,
                              _ ("The largest dense model that fits has about %.4g billion "
                                 "parameters; %.4g billion do not fit."),
                              fit, misfit);
      else if (i == LARGEST_BATCH)
        shardwise_asking_say (
            self,
            _ ("The largest micro-batch that fits is %.0f, in powers of two; %.0f does not. Memory "
               "does not bound the global batch, which is accumulated from micro-batches."),
            fit, misfit);
      else
        shardwise_asking_say (
            self,
            _ ("The longest sequence that fits has %'.0f tokens, in powers of two; "
               "%'.0f do not fit."),
            fit, misfit);
      if (advice != NULL)
        {
          shardwise_asking_verdict (self, advice);
          shardwise_asking_offer (self, changes);
        }
      return TRUE;
    }
  return FALSE;
}

/* ---- whether it fits ---- */

/* What makes it fit, with what the question names. */
static void
offer_first_way (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  GPtrArray *ways = shardwise_advice_get_ways_out (advice);
  const ShardwiseWayOut *way = ways->len > 0 ? g_ptr_array_index (ways, 0) : NULL;
  g_autoptr (GVariant) named = shardwise_asking_changes (self, 0), both = NULL;
  g_autoptr (ShardwiseAdvice) then = NULL;

  if (way == NULL || way->changes == NULL || g_variant_n_children (way->changes) == 0)
    return;
  both = shardwise_asking_join (named, way->changes);
  then = shardwise_asking_try (self, both);
  if (then == NULL || !shardwise_advice_get_fits (then))
    return;
  shardwise_asking_offer (self, both);
  g_free (self->answer->change);
  self->answer->change = g_strdup (way->name);
}

/* A run that does not fit, whatever was asked: the sum, and what would. */
void
shardwise_asking_misfit (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwEstimate *e = shardwise_advice_get_recommended (advice);
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  g_autofree char *strategy = shardwise_text_strategy (&e->strategy),
                  *why = shardwise_text_rule (problem, &e->strategy, e->rule, e->missing_bytes);

  shardwise_asking_say (self,
                        /* Translators: a model, number and name of GPUs, the nearest strategy,
                               why it cannot run */
                        _ ("%s on %'u × %s as stated: the nearest is %s, and %s."),
                        problem->model.name, problem->cluster.gpus, problem->cluster.gpu.name,
                        strategy, why);
  shardwise_asking_say_plain (self);
  shardwise_asking_facts (self, "", advice);
  shardwise_asking_sum (self, advice);
  shardwise_asking_parts (self, advice);
  shardwise_asking_sharding (self, advice);
  shardwise_asking_ways_out (self, advice);
  shardwise_asking_methods (self, FALSE);
  offer_first_way (self, advice);
}

/* "With ZeRO 2 and ZeRO 3": each of several values, all else held. */
static void
say_each_value (ShardwiseAsking *self)
{
  for (guint side = 1; shardwise_question_has_values (self->question, side); side++)
    {
      g_autoptr (GVariant) named = shardwise_asking_changes (self, 0),
                           own = shardwise_asking_own_changes (self, side),
                           both = shardwise_asking_join (named, own), plain = NULL;
      g_autoptr (ShardwiseAdvice) advice = NULL;
      g_autofree char *what = shardwise_asking_describe (own);
      GVariantDict dict;

      g_variant_dict_init (&dict, both);
      if (shardwise_scenario_peek (self->scenario, SHARDWISE_KEY_STRATEGY_OFFLOAD) == NULL
          && !g_variant_dict_contains (&dict, shardwise_key_path (SHARDWISE_KEY_STRATEGY_OFFLOAD)))
        shardwise_changes_insert (&dict, SHARDWISE_KEY_STRATEGY_OFFLOAD, "s", "none");
      plain = g_variant_ref_sink (g_variant_dict_end (&dict));
      if (self->question->intent == SHARDWISE_INTENT_GPUS)
        {
          g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (self->scenario);
          SwProblem problem;
          guint least = shardwise_scenario_apply (changed, both, NULL)
                                && shardwise_scenario_resolve (changed, &problem, NULL, NULL)
                            ? sw_least_gpus_with (&problem, SW_MEANS_NONE, TRUE)
                            : 0;

          if (least > 0)
            /* Translators: a model or another change, a number of GPUs */
            shardwise_asking_say (self, _ ("%s: from %'u GPUs on."), what, least);
          continue;
        }
      advice = shardwise_asking_evaluate (self, plain, FALSE);
      if (advice != NULL)
        /* Translators: what is changed, then a verdict on it */
        shardwise_asking_say (self, _ ("%s: %s"), what, shardwise_advice_get_verdict (advice));
    }
}

/* Of adapters, whose states are small, the sequence decides. */
static void
say_longest (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  double misfit, fit;

  if (!sw_training_is_adapter (&shardwise_advice_get_problem (advice)->training))
    return;
  fit = find_largest (self, &searched_for[LARGEST_CONTEXT], &misfit);
  shardwise_asking_apart (self);
  if (fit > 0)
    shardwise_asking_say (self,
                          _ ("The longest sequence that fits has %'.0f tokens, in powers of two; "
                             "%'.0f do not fit."),
                          fit, misfit);
  else
    /* Translators: a number of tokens */
    shardwise_asking_say (self, _ ("No sequence fits, not even one of %'.0f tokens."), misfit);
  shardwise_asking_fact (self, "longest_sequence", fit, "tokens");
}

/* What the interval leaves open, and what would change the answer. */
static void
say_room (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwEstimate *e = shardwise_advice_get_recommended (advice);
  g_autofree char *room = shardwise_asking_bytes (MAX (0, e->usable_bytes - e->memory.peak.total));

  shardwise_asking_say_plain (self);
  if (e->fit == SW_FIT_MAY_NOT)
    /* Translators: an amount of memory */
    shardwise_asking_say (self,
                          _ ("That is marginal: %s are left, and the upper "
                             "end of the interval does not fit."),
                          room);
  else
    /* Translators: an amount of memory */
    shardwise_asking_say (self, _ ("%s are left."), room);
}

/* "Does it fit?" */
void
shardwise_asking_fits (ShardwiseAsking *self)
{
  g_autoptr (ShardwiseAdvice) advice = NULL, plain = NULL;
  g_autoptr (GVariant) named = shardwise_asking_changes (self, 0);

  self->answer->page = "advice";
  if (answer_largest (self))
    return;
  plain = shardwise_asking_plain (self);
  advice = shardwise_asking_own (self);
  if (advice == NULL)
    return;
  if (shardwise_advice_get_fits (advice))
    {
      shardwise_asking_tell (self, _ ("Yes."));
      shardwise_asking_verdict (self, advice);
      say_room (self, advice);
      shardwise_asking_sum (self, advice);
      shardwise_asking_parts (self, advice);
      if (shardwise_advice_get_recommended (advice)->fit == SW_FIT_MAY_NOT)
        shardwise_asking_methods (self, FALSE);
      shardwise_asking_offer (self, named);
    }
  else
    {
      shardwise_asking_tell (self, _ ("No."));
      shardwise_asking_misfit (self, advice);
    }
  say_longest (self, advice);
  say_each_value (self);
  shardwise_asking_topics (self, advice, SHARDWISE_ASK_OF_MEMORY);
  /* Translators: a framework, a year */
  shardwise_asking_say (
      self, _ ("All of it for %s as of %.0f, within the interval given."),
      shardwise_text_framework (shardwise_advice_get_recommended (advice)->strategy.framework),
      floor (shardwise_advice_get_problem (advice)->training.software_year));
}

/* ---- how many GPUs ---- */

static void
offer_gpus (ShardwiseAsking *self, guint gpus)
{
  g_autoptr (GVariant) named = shardwise_asking_changes (self, 0), changes = NULL;
  GVariantDict dict;

  g_variant_dict_init (&dict, named);
  shardwise_changes_insert (&dict, SHARDWISE_KEY_CLUSTER_GPUS, "x", (gint64) gpus);
  changes = g_variant_ref_sink (g_variant_dict_end (&dict));
  shardwise_asking_offer (self, changes);
}

/* The smallest of a row of clusters that is done in time. */
static void
say_gpus_for_days (ShardwiseAsking *self, double days)
{
  g_autoptr (GVariant) changes = shardwise_asking_changes (self, 0);
  g_autoptr (ShardwiseScenario) changed = shardwise_asking_changed (self, changes);
  g_autoptr (GArray) sizes = NULL;
  g_autoptr (GPtrArray) points = NULL;
  g_autoptr (GError) error = NULL;
  const ShardwiseSizingPoint *best = NULL;

  if (changed == NULL)
    return;
  if (!shardwise_scenario_is_set (changed, SHARDWISE_KEY_TRAINING_TOKENS))
    {
      shardwise_asking_tell (
          self, _ ("How long it takes depends on the number of tokens, which is not given: "
                   "name it, for example “for 1T tokens in 30 days”."));
      return;
    }
  sizes = shardwise_deadline_sizes (
      (guint) shardwise_scenario_get_number (changed, SHARDWISE_KEY_CLUSTER_GPUS, 8));
  points = shardwise_sizing_compute (changed, (const guint *) (gpointer) sizes->data, sizes->len,
                                     NULL, NULL, self->cancellable, &error);
  if (points == NULL)
    shardwise_asking_fail (self, g_steal_pointer (&error));
  for (guint i = 0; points != NULL && i < points->len; i++)
    {
      const ShardwiseSizingPoint *point = g_ptr_array_index (points, i);

      if (point->estimate.fits && point->days > 0 && point->days <= days
          && (best == NULL || point->gpus < best->gpus))
        best = point;
    }
  if (best != NULL)
    {
      g_autofree char *takes = shardwise_format_significant (best->days),
                      *wanted = shardwise_format_significant (days),
                      *rate = shardwise_asking_rate (&best->estimate);

      shardwise_asking_fact (self, "gpus", best->gpus, "GPUs");
      shardwise_asking_fact (self, "days", best->days, "d");
      shardwise_asking_say (self,
                            ngettext (
                                /* Translators: number of GPUs, a rate, days that it
                                        takes, days that were asked for */
                                "%'u GPU: %s, which takes %s days with checkpoints and "
                                "interruptions, within the %s asked for.",
                                "%'u GPUs: %s, which takes %s days with checkpoints "
                                "and interruptions, within the %s asked for.",
                                best->gpus),
                            best->gpus, rate, takes, wanted);
      offer_gpus (self, best->gpus);
    }
  else if (points != NULL)
    shardwise_asking_say (self, _ ("None of the sizes up to %'u GPUs is done in %.4g days."),
                          g_array_index (sizes, guint, sizes->len - 1), days);
}

/* Whether the GPUs of the scenario, or those that the question names, are among them. */
static void
say_now (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  shardwise_asking_facts (self, "now_", advice);
  shardwise_asking_say (self,
                        /* Translators: a number of GPUs, a verdict on them */
                        _ ("On the %'u of the inputs: %s"),
                        shardwise_advice_get_problem (advice)->cluster.gpus,
                        shardwise_advice_get_verdict (advice));
  say_each_value (self);
}

/* "Which GPU?": the fewest of each kind, by method. */
static gboolean
answer_which_gpu (ShardwiseAsking *self)
{
  g_autoptr (GVariant) named = NULL;
  g_autoptr (ShardwiseScenario) changed = NULL;
  g_autoptr (ShardwiseCapacity) capacity = NULL;
  GString *list = g_string_new (NULL);

  if (self->question->goal == NULL || !g_str_equal (self->question->goal, "which-gpu"))
    {
      g_string_free (list, TRUE);
      return FALSE;
    }
  named = shardwise_asking_changes (self, 0);
  changed = shardwise_asking_changed (self, named);
  capacity = changed != NULL
                 ? shardwise_capacity_for_model (changed, NULL, NULL, self->cancellable, NULL)
                 : NULL;
  for (guint i = 0; capacity != NULL && i < capacity->rows->len; i++)
    {
      const ShardwiseCapacityRow *row = g_ptr_array_index (capacity->rows, i);

      g_string_append_printf (list, "%s%s:", i > 0 ? "; " : "", row->name);
      for (guint t = 0; t < SHARDWISE_N_TUNINGS; t++)
        if (row->cells[t].gpus > 0)
          g_string_append_printf (list, " %s %u", shardwise_tuning_title ((ShardwiseTuning) t),
                                  row->cells[t].gpus);
    }
  if (list->len > 0)
    shardwise_asking_say (self,
                          /* Translators: GPUs, each with ways to train and the fewest */
                          _ ("Fewest GPUs by kind and method: %s."), list->str);
  g_string_free (list, TRUE);
  return capacity != NULL;
}

/* "How many GPUs do I need?", also to be done in some days. */
void
shardwise_asking_gpus (ShardwiseAsking *self)
{
  const ShardwiseAskSlot *days = shardwise_question_find (self->question, "days", 0);
  g_autoptr (ShardwiseAdvice) advice = NULL;
  const SwProblem *problem;
  guint least, sensible, n;
  const SwLeastGpus *by;

  self->answer->page = "scale";
  if (days != NULL)
    {
      say_gpus_for_days (self, g_variant_get_double (days->value));
      return;
    }
  if (answer_which_gpu (self))
    return;
  advice = shardwise_asking_own (self);
  if (advice == NULL)
    return;
  problem = shardwise_advice_get_problem (advice);
  least = shardwise_advice_get_least_gpus (advice);
  sensible = shardwise_advice_get_sensible_gpus (advice);
  if (least == 0)
    {
      shardwise_asking_say (self,
                            /* Translators: a model, a GPU */
                            _ ("No number of %2$s that was tried holds %1$s."), problem->model.name,
                            problem->cluster.gpu.name);
      shardwise_asking_ways_out (self, advice);
      return;
    }
  shardwise_asking_fact (self, "least_gpus", least, "GPUs");
  shardwise_asking_fact (self, "sensible_gpus", sensible, "GPUs");
  shardwise_asking_say (self,
                        /* Translators: a model, a number, a GPU */
                        _ ("%s fits from %'u %s on."), problem->model.name, least,
                        problem->cluster.gpu.name);
  by = shardwise_advice_get_least (advice, &n);
  if (n > 1)
    {
      g_autofree char *fewer = shardwise_text_least (by + 1, n - 1);

      /* Translators: numbers of GPUs, and what they take: "8 with 8-bit Adam" */
      shardwise_asking_say (self, _ ("Fewer are enough: %s."), fewer);
    }
  if (sensible > 0)
    shardwise_asking_say (self,
                          ngettext ("A sensible number is %'u GPU: fewer slow each one down.",
                                    "A sensible number is %'u GPUs: fewer slow each one down.",
                                    sensible),
                          sensible);
  shardwise_asking_sum (self, advice);
  shardwise_asking_methods (self, TRUE);
  say_now (self, advice);
  shardwise_asking_topics (self, advice, SHARDWISE_ASK_OF_MEMORY);
  offer_gpus (self, sensible > 0 ? sensible : least);
}

/* ---- memory ---- */

/* "How much memory does it take?" */
void
shardwise_asking_memory (ShardwiseAsking *self)
{
  g_autoptr (ShardwiseAdvice) plain = shardwise_asking_plain (self),
                              advice = plain != NULL ? g_object_ref (plain)
                                                     : shardwise_asking_own (self);
  g_autoptr (GVariant) named = shardwise_asking_changes (self, 0);
  const SwEstimate *e;

  self->answer->page = "analysis";
  if (advice == NULL)
    return;
  e = shardwise_advice_get_recommended (advice);
  if (!e->fits && e->rule != SW_RULE_GPU_MEMORY && e->rule != SW_RULE_HOST_MEMORY)
    shardwise_asking_take (self, shardwise_text_refusal (shardwise_advice_get_problem (advice), e));
  shardwise_asking_say_plain (self);
  shardwise_asking_parts (self, advice);
  shardwise_asking_sum (self, advice);
  shardwise_asking_facts (self, "", advice);
  shardwise_asking_sharding (self, advice);
  shardwise_asking_stages (self, advice);
  if (!shardwise_advice_get_fits (advice))
    {
      shardwise_asking_tell (self, _ ("That does not fit."));
      shardwise_asking_ways_out (self, advice);
    }
  else
    shardwise_asking_offer (self, named);
  say_each_value (self);
  shardwise_asking_topics (self, advice, SHARDWISE_ASK_OF_MEMORY);
}

/* ---- out of memory ---- */

/* "Why do I run out of memory?": the run as stated, and what explains what was seen. */
void
shardwise_asking_oom (ShardwiseAsking *self)
{
  g_autoptr (ShardwiseAdvice) plain = shardwise_asking_plain (self),
                              advice = plain != NULL ? g_object_ref (plain)
                                                     : shardwise_asking_own (self);
  gsize before;

  self->answer->page = "analysis";
  if (advice == NULL)
    return;
  before = self->text->len;
  shardwise_asking_topics (self, advice, SHARDWISE_ASK_OF_MEMORY);
  if (!shardwise_advice_get_fits (advice))
    {
      SwRule rule = shardwise_advice_get_recommended (advice)->rule;

      if (rule == SW_RULE_GPU_MEMORY || rule == SW_RULE_HOST_MEMORY)
        shardwise_asking_tell (self, _ ("By the model, too, this does not fit."));
      shardwise_asking_misfit (self, advice);
      say_each_value (self);
      return;
    }
  shardwise_asking_verdict (self, advice);
  say_room (self, advice);
  shardwise_asking_sum (self, advice);
  shardwise_asking_parts (self, advice);
  shardwise_asking_sharding (self, advice);
  say_each_value (self);
  if (self->question->topics->len == 0 || before == self->text->len)
    shardwise_asking_stages (self, advice);
  if (self->question->topics->len == 0)
    shardwise_asking_methods (self, FALSE);
  shardwise_asking_tell (
      self, _ ("If yours runs out of memory all the same, it is not laid out so, or something the "
               "model cannot see takes memory: compare it with the strategy above, and measure "
               "torch.cuda.memory_summary() at the peak and nvidia-smi before the start."));
}
