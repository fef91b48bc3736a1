/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fit, number of GPUs, memory use and out-of-memory: the stated run first, then alternatives. */
#include "shardwise-ask-needs.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-capacity.h"
#include "shardwise-deadline.h"
#include "shardwise-format.h"
#include "shardwise-resolve.h"
#include "shardwise-text-search.h"
#include "shardwise-text-strategy.h"
#include "shardwise-ways.h"
#include "shardwise-terms.h"

/* ---- the largest that fits ---- */

/* A search: doubles from @least until it does not fit or exceeds @most, then bisects @steps times. */
typedef struct {
  const char *goal;
  ShardwiseKeyId key;
  const char *fact, *unit;
  double least, most;
  guint steps;
  const char *text;
} Largest;

static const Largest searched_for[] = {
  { "largest-model", SHARDWISE_KEY_MODEL_PARAMETERS_B, "largest_model_b", "1e9 parameters", 0.5,
    10000, 5,
    /* Translators: two numbers */
    N_ ("The largest dense model that fits has about %s billion parameters; %s billion do not "
        "fit.") },
  { "largest-batch", SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE, "largest_micro_batch", "sequences", 1,
    4096, 0,
    N_ ("The largest micro-batch that fits is %s, in powers of two; %s does not. Memory does not "
        "bound the global batch, which is accumulated from micro-batches.") },
  { "largest-context", SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH, "largest_sequence", "tokens", 1024,
    33554432, 0,
    N_ ("The longest sequence that fits has %s tokens, in powers of two; %s do not fit.") },
};

static GVariant *
with_value (ShardwiseAsking *self, const Largest *what, double value)
{
  g_autoptr (GVariant) named = shardwise_asking_changes (self, 0);

  return shardwise_key_get (what->key)->kind == SHARDWISE_KIND_INTEGER
             ? shardwise_asking_with (named, what->key, "x", (gint64) value)
             : shardwise_asking_with (named, what->key, "d", value);
}

/* Returns (transfer full) (nullable): the scenario with changes, without offload unless stated. */
static ShardwiseScenario *
scenario_with (ShardwiseScenario *scenario, GVariant *changes)
{
  g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (scenario);

  if (!shardwise_scenario_apply (changed, changes, NULL))
    return NULL;
  shardwise_keep_off_host (changed);
  return g_steal_pointer (&changed);
}

/* Whether anything fits with @value; nothing does any more once it was cancelled. */
static gboolean
fits_with (ShardwiseAsking *self, const Largest *what, double value)
{
  const ShardwiseAdviceOptions options = { .top = 1, .bare = TRUE };
  g_autoptr (GVariant) changes = with_value (self, what, value);
  g_autoptr (ShardwiseScenario) changed = scenario_with (self->scenario, changes);
  g_autoptr (ShardwiseAdvice) advice =
      changed != NULL ? shardwise_advice_compute (changed, &options, self->cancellable, NULL)
                      : NULL;

  return advice != NULL && shardwise_advice_get_fits (advice);
}

/* Rounds to two digits, down for what fits and up for what does not fit. */
static double
rounded (double value, gboolean up)
{
  double unit = pow (10, floor (log10 (value)) - 1);

  return unit * (up ? ceil (value / unit) : floor (value / unit));
}

/* Says the greatest value that fits. Returns it: 0 where none does. */
static double
say_largest (ShardwiseAsking *self, const Largest *what)
{
  double fit = 0, next = what->least;
  g_autofree char *fits = NULL, *misfits = NULL;

  while (next <= what->most && fits_with (self, what, next))
    {
      fit = next;
      next *= 2;
    }
  for (guint i = 0; i < what->steps && fit > 0; i++)
    {
      double middle = sqrt (fit * next);

      if (fits_with (self, what, middle))
        fit = middle;
      else
        next = middle;
    }
  if (fit == 0 || g_cancellable_is_cancelled (self->cancellable))
    return 0;
  if (what->steps > 0)
    {
      fit = rounded (fit, FALSE);
      next = rounded (next, TRUE);
    }
  shardwise_asking_fact (self, what->fact, fit, what->unit);
  fits = g_strdup_printf ("%'.10g", fit);
  misfits = g_strdup_printf ("%'.10g", next);
  if (next > what->most)
    /* Translators: name of an input, a value */
    shardwise_asking_say (self, _ ("%s: even %s fits; more was not tried."),
                          _ (shardwise_key_get (what->key)->title), fits);
  else
    {
      g_auto (GStrv) parts = g_strsplit (_ (what->text), "%s", 3);

      shardwise_asking_take (self, g_strconcat (parts[0], fits, parts[1], misfits, parts[2], NULL));
    }
  return fit;
}

/* Answers a question for the largest model, batch or context; FALSE: it is none, or nothing fits. */
static gboolean
answer_largest (ShardwiseAsking *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (searched_for); i++)
    {
      const Largest *what = &searched_for[i];
      const ShardwiseAskSlot *slot = shardwise_question_find (self->question, what->key, 0);
      g_autoptr (GVariant) changes = NULL;
      g_autoptr (ShardwiseAdvice) advice = NULL;
      double fit;

      if (g_strcmp0 (self->question->goal, what->goal) != 0
          || (slot != NULL && slot->value != NULL))
        continue;
      fit = say_largest (self, what);
      if (fit == 0)
        return g_cancellable_is_cancelled (self->cancellable);
      changes = with_value (self, what, fit);
      advice = shardwise_asking_evaluate (self, changes, TRUE);
      if (advice != NULL)
        {
          shardwise_asking_verdict (self, advice);
          shardwise_asking_offer (self, changes);
        }
      return TRUE;
    }
  return FALSE;
}

/* ---- other ways ---- */

/* Lists ways to train with less memory. @least: with their fewest GPUs, else with the memory per GPU. */
void
shardwise_asking_methods (ShardwiseAsking *self, gboolean least)
{
  const ShardwiseAdviceOptions options = { .top = 1, .bare = TRUE };
  g_autoptr (GVariant) named = shardwise_asking_changes (self, 0);
  g_autoptr (ShardwiseScenario) own = shardwise_asking_changed (self, named);
  GString *list = g_string_new (NULL);

  for (guint i = 0; own != NULL && i < SHARDWISE_N_WAYS; i++)
    {
      const ShardwiseWay *way = &shardwise_ways[i];
      g_autoptr (ShardwiseScenario) changed = way->is_whole || (least && way->is_offload)
                                                  ? NULL
                                                  : shardwise_way_apply (way, own);
      g_autoptr (ShardwiseAdvice) advice = NULL;
      const guint gpus = changed != NULL && least ? shardwise_least_gpus (changed) : 0;
      g_autofree char *figure = gpus > 0 ? shardwise_format_gpus (gpus) : NULL;

      if (changed != NULL && !least)
        advice = shardwise_advice_compute (changed, &options, self->cancellable, NULL);
      if (advice != NULL && shardwise_advice_get_recommended (advice)->fit == SW_FIT_FITS)
        figure = shardwise_asking_fill (self, advice, "{memory}");
      if (figure != NULL)
        shardwise_text_list (list, "%s %s", _ (way->title), figure);
    }
  shardwise_asking_apart (self);
  shardwise_asking_say_list (self,
                             least ? /* Translators: a list: "LoRA 4 GPUs" */
                                 _ ("Fewest GPUs by other methods: %s.")
                                   : /* Translators: a list: "LoRA 17 GiB" */
                                 _ ("What fits by other methods, per GPU: %s."),
                             list);
}

/* @advice: with reasons; where nothing fits the smallest changes that do are named. */
void
shardwise_asking_ways_out (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  GPtrArray *ways = shardwise_advice_get_ways_out (advice);
  GString *list = g_string_new (NULL);
  guint n;
  const SwLeastGpus *least = shardwise_advice_get_least (advice, &n);
  g_autofree char *numbers = shardwise_text_least (least, n);

  for (guint i = 0; i < MIN (ways->len, 3); i++)
    shardwise_text_list (list, "%s", ((ShardwiseWayOut *) g_ptr_array_index (ways, i))->change);
  shardwise_asking_apart (self);
  /* Translators: a list of changes that make a job fit */
  shardwise_asking_say_list (self, _ ("What would fit: %s."), list);
  if (ways->len == 0 && n == 0)
    shardwise_asking_tell (self, _ ("No small change makes it fit."));
  if (n == 0)
    return;
  shardwise_asking_fact (self, "least_gpus", least[0].gpus, "GPUs");
  /* Translators: numbers of GPUs, and what they take: "24; 8 with 8-bit Adam" */
  shardwise_asking_say (self, _ ("Fewest GPUs on which it fits for certain: %s."), numbers);
}

/* ---- whether it fits ---- */

/* A run that does not fit, whatever was asked: the sum, and what would. */
void
shardwise_asking_misfit (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwEstimate *e = shardwise_advice_get_recommended (advice);
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  g_autofree char *strategy = shardwise_text_strategy (&e->strategy),
                  *why = shardwise_text_rule (problem, &e->strategy, e->rule, e->missing_bytes);
  GPtrArray *ways = shardwise_advice_get_ways_out (advice);
  const ShardwiseWayOut *first = ways->len > 0 ? g_ptr_array_index (ways, 0) : NULL;

  shardwise_asking_sum (self, advice);
  shardwise_asking_apart (self);
  shardwise_asking_say (self,
                        /* Translators: a model, number and name of GPUs, the nearest strategy,
                               why it cannot run */
                        _ ("%s on %'u × %s as stated: the nearest is %s, and %s."),
                        problem->model.name, problem->cluster.gpus, problem->cluster.gpu.name,
                        strategy, why);
  shardwise_asking_facts (self, "", advice);
  if (e->strategy.shard_group == 1 && problem->cluster.gpus > 1
      && !sw_training_is_adapter (&problem->training))
    shardwise_asking_tell (self,
                           _ ("At DP 1 there is nothing that ZeRO could divide states over."));
  if (shardwise_question_names (self->question, SHARDWISE_KEY_STRATEGY_ZERO_STAGE, 1))
    shardwise_asking_sharding (self, advice);
  shardwise_asking_ways_out (self, advice);
  shardwise_asking_methods (self, FALSE);
  if (first != NULL && first->changes != NULL && g_variant_n_children (first->changes) > 0)
    {
      g_autoptr (GVariant) named = shardwise_asking_changes (self, 0),
                           both = shardwise_asking_join (named, first->changes);

      shardwise_asking_offer (self, both);
      g_free (self->answer->change);
      self->answer->change = g_strdup (first->name);
    }
}

/* "With ZeRO 2 and ZeRO 3": each of several values, all else held. */
static void
say_each_value (ShardwiseAsking *self)
{
  for (guint side = 1; shardwise_question_states (self->question, side, FALSE); side++)
    {
      g_autoptr (GVariant) named = shardwise_asking_changes (self, 0),
                           own = shardwise_asking_own_changes (self, side),
                           both = shardwise_asking_join (named, own);
      g_autoptr (ShardwiseScenario) changed = scenario_with (self->scenario, both);
      g_autoptr (ShardwiseAdvice) advice = NULL;
      g_autofree char *what = shardwise_asking_describe (own);
      const ShardwiseAdviceOptions options = { .top = 1 };
      guint least;

      if (changed == NULL)
        continue;
      if (self->question->intent != SHARDWISE_INTENT_GPUS)
        {
          advice = shardwise_advice_compute (changed, &options, self->cancellable, NULL);
          if (advice != NULL)
            /* Translators: what is changed, then a verdict on it */
            shardwise_asking_say (self, _ ("%s: %s"), what, shardwise_advice_get_verdict (advice));
          continue;
        }
      shardwise_scenario_reset (changed, SHARDWISE_KEY_STRATEGY_OFFLOAD);
      least = shardwise_least_gpus (changed);
      if (least > 0)
        /* Translators: a model or another change, a number of GPUs */
        shardwise_asking_say (self, _ ("%s: from %'u GPUs on."), what, least);
    }
}

/* Of adapters, whose states are small, the sequence decides. */
static void
say_longest (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const Largest *what = &searched_for[G_N_ELEMENTS (searched_for) - 1];

  if (!sw_training_is_adapter (&shardwise_advice_get_problem (advice)->training))
    return;
  shardwise_asking_apart (self);
  if (say_largest (self, what) == 0)
    /* Translators: a number of tokens */
    shardwise_asking_say (self, _ ("No sequence fits, not even one of %'.0f tokens."), what->least);
}

/* A run that fits: the verdict, what the interval leaves open, and the sums. */
static void
say_fit (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const gboolean is_marginal = shardwise_advice_get_recommended (advice)->fit == SW_FIT_MAY_NOT;
  g_autofree char *strategy = shardwise_asking_fill (self, advice, "{strategy},");

  shardwise_asking_verdict (self, advice);
  /* Translators: an amount of memory */
  shardwise_asking_tell_of (self, advice,
                            is_marginal ? _ ("That is marginal: {room} are left, and the upper end "
                                             "of the interval does not fit.")
                                        : _ ("{room} are left."));
  /* What is said of the run already is not said again of the plainest. */
  if (self->plain != NULL && strstr (self->plain, strategy) == NULL)
    shardwise_asking_tell (self, self->plain);
  shardwise_asking_sum (self, advice);
  shardwise_asking_parts (self, advice);
  if (is_marginal)
    shardwise_asking_methods (self, FALSE);
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
      say_fit (self, advice);
      shardwise_asking_offer (self, named);
    }
  else
    {
      shardwise_asking_tell (self, _ ("No."));
      shardwise_asking_misfit (self, advice);
    }
  say_longest (self, advice);
  say_each_value (self);
  shardwise_asking_topics (self, advice, SHARDWISE_TERM_OF_MEMORY);
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
  g_autoptr (GVariant) named = shardwise_asking_changes (self, 0),
                       changes = shardwise_asking_with (named, SHARDWISE_KEY_CLUSTER_GPUS, "x",
                                                        (gint64) gpus);

  shardwise_asking_offer (self, changes);
}

/* The smallest cluster that is done in time, by the plan of a deadline. */
static void
say_gpus_for_days (ShardwiseAsking *self, double days)
{
  g_autoptr (GVariant) changes = shardwise_asking_changes (self, 0);
  g_autoptr (ShardwiseScenario) changed = shardwise_asking_changed (self, changes);
  g_autoptr (GPtrArray) points = NULL;
  g_autoptr (GError) error = NULL;
  ShardwiseDeadlinePlan plan;
  ShardwiseCostInputs costs;
  SwProblem problem;
  GDate start, end;
  char text[12];

  if (changed == NULL)
    return;
  if (!shardwise_scenario_is_set (changed, SHARDWISE_KEY_TRAINING_TOKENS))
    {
      shardwise_asking_tell (
          self, _ ("How long it takes depends on the number of tokens, which is not given: "
                   "name it, for example “for 1T tokens in 30 days”."));
      return;
    }
  shardwise_date_today (&start);
  end = start;
  g_date_add_days (&end, (guint) CLAMP (days, 1, 36500));
  g_date_strftime (text, sizeof text, "%Y-%m-%d", &end);
  if (!shardwise_scenario_set (changed, SHARDWISE_KEY_TRAINING_DEADLINE,
                               g_variant_new_string (text), &error)
      || !shardwise_scenario_resolve (changed, &problem, NULL, &error)
      || (points = shardwise_deadline_search (changed, &start, NULL, NULL, self->cancellable,
                                              &error))
             == NULL)
    {
      shardwise_asking_fail (self, g_steal_pointer (&error));
      return;
    }
  shardwise_cost_inputs_read (changed, &problem, &costs);
  shardwise_deadline_plan (changed, &start, points, &plan);
  shardwise_asking_take (self, shardwise_deadline_text (&plan, points, costs.currency));
  if (plan.smallest >= 0)
    {
      const ShardwiseSizingPoint *best = g_ptr_array_index (points, plan.smallest);

      shardwise_asking_fact (self, "gpus", best->gpus, "GPUs");
      shardwise_asking_fact (self, "days", best->days, "d");
      offer_gpus (self, best->gpus);
    }
}

/* "Which GPU?": the fewest of each kind, by method. Returns whether that is asked, and known. */
static gboolean
answer_which_gpu (ShardwiseAsking *self)
{
  g_autoptr (GVariant) named = shardwise_asking_changes (self, 0);
  g_autoptr (ShardwiseScenario) changed = shardwise_asking_changed (self, named);
  g_autoptr (ShardwiseCapacity) capacity = NULL;
  GString *list;

  if (changed == NULL || g_strcmp0 (self->question->goal, "which-gpu") != 0)
    return FALSE;
  capacity = shardwise_capacity_for_model (changed, NULL, NULL, self->cancellable, NULL);
  if (capacity == NULL)
    return FALSE;
  list = g_string_new (NULL);
  for (guint i = 0; i < capacity->rows->len; i++)
    {
      const ShardwiseCapacityRow *row = g_ptr_array_index (capacity->rows, i);

      shardwise_text_list (list, "%s:", row->name);
      for (guint t = 0; t < SHARDWISE_N_TUNINGS; t++)
        if (row->cells[t].gpus > 0)
          g_string_append_printf (list, " %s %u", shardwise_tuning_title ((ShardwiseTuning) t),
                                  row->cells[t].gpus);
    }
  /* Translators: GPUs, each with ways to train and the fewest */
  shardwise_asking_say_list (self, _ ("Fewest GPUs by kind and method: %s."), list);
  return TRUE;
}

/* "How many GPUs do I need?", also to be done in some days. */
void
shardwise_asking_gpus (ShardwiseAsking *self)
{
  const double days = shardwise_question_number (self->question, "days");
  g_autoptr (ShardwiseAdvice) advice = NULL;
  const SwProblem *problem;
  guint least, sensible, n;
  const SwLeastGpus *by;

  self->answer->page = "scale";
  if (days > 0)
    {
      say_gpus_for_days (self, days);
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
  shardwise_asking_facts (self, "now_", advice);
  shardwise_asking_say (self,
                        /* Translators: a number of GPUs, a verdict on them */
                        _ ("On the %'u of the inputs: %s"), problem->cluster.gpus,
                        shardwise_advice_get_verdict (advice));
  say_each_value (self);
  shardwise_asking_topics (self, advice, SHARDWISE_TERM_OF_MEMORY);
  offer_gpus (self, sensible > 0 ? sensible : least);
}

/* ---- memory ---- */

/* Returns (transfer full) (nullable): the plainest run, where that fits, else the run as stated. */
static ShardwiseAdvice *
plain_or_own (ShardwiseAsking *self)
{
  ShardwiseAdvice *plain = shardwise_asking_plain (self);

  self->answer->page = "analysis";
  return plain != NULL ? plain : shardwise_asking_own (self);
}

/* "How much memory does it take?" */
void
shardwise_asking_memory (ShardwiseAsking *self)
{
  g_autoptr (ShardwiseAdvice) advice = plain_or_own (self);
  g_autoptr (GVariant) named = shardwise_asking_changes (self, 0);
  const SwEstimate *e;

  if (advice == NULL)
    return;
  e = shardwise_advice_get_recommended (advice);
  if (!e->fits && e->rule != SW_RULE_GPU_MEMORY && e->rule != SW_RULE_HOST_MEMORY)
    shardwise_asking_take (self, shardwise_text_refusal (shardwise_advice_get_problem (advice), e));
  else if (!e->fits)
    shardwise_asking_tell_of (self, advice,
                              _ ("With {strategy} a GPU needs {memory} of {usable_memory}: that "
                                 "does not fit."));
  shardwise_asking_tell (self, self->plain);
  shardwise_asking_parts (self, advice);
  shardwise_asking_sum (self, advice);
  shardwise_asking_facts (self, "", advice);
  shardwise_asking_sharding (self, advice);
  shardwise_asking_stages (self, advice);
  if (e->fits)
    shardwise_asking_offer (self, named);
  else
    shardwise_asking_ways_out (self, advice);
  say_each_value (self);
  shardwise_asking_topics (self, advice, SHARDWISE_TERM_OF_MEMORY);
}

/* "Why do I run out of memory?": the run as stated, and what explains what was seen. */
void
shardwise_asking_oom (ShardwiseAsking *self)
{
  g_autoptr (ShardwiseAdvice) advice = plain_or_own (self);
  const gboolean is_explained = self->question->topics->len > 0;
  SwRule rule;

  if (advice == NULL)
    return;
  rule = shardwise_advice_get_recommended (advice)->rule;
  if (rule == SW_RULE_GPU_MEMORY || rule == SW_RULE_HOST_MEMORY)
    shardwise_asking_tell (self, _ ("By the model, too, this does not fit."));
  shardwise_asking_topics (self, advice, SHARDWISE_TERM_OF_MEMORY);
  shardwise_asking_apart (self);
  if (!shardwise_advice_get_fits (advice))
    {
      shardwise_asking_misfit (self, advice);
      say_each_value (self);
      return;
    }
  say_fit (self, advice);
  say_each_value (self);
  if (!is_explained)
    {
      shardwise_asking_stages (self, advice);
      shardwise_asking_methods (self, FALSE);
    }
  shardwise_asking_tell (
      self, _ ("If yours runs out of memory all the same, it is not laid out so, or something the "
               "model cannot see takes memory: compare it with the strategy above, and measure "
               "torch.cuda.memory_summary() at the peak and nvidia-smi before the start."));
}
