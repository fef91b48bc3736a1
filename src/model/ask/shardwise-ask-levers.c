/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How to better something: each usual change is evaluated, and those that help are named. */
#include "shardwise-ask-answer-private.h"

#include <glib/gi18n.h>
#include <stdlib.h>

#include "shardwise-cost.h"
#include "shardwise-changes.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"

enum { MOST_NAMED = 4 };

#define NOTHING 0.01 /* of what should become better, below which a change is not named */

/* A change to try: a value, or a multiple of the present one. */
typedef struct {
  const char *path, *value;
  double factor;
} Lever;

static const Lever memory_levers[] = {
  { "strategy.recompute", "full", 0 },       { "strategy.zero_stage", "3", 0 },
  { "strategy.micro_batch_size", "1", 0 },   { "training.optimizer", "adam8bit", 0 },
  { "strategy.offload", "optimizer", 0 },    { "strategy.sequence_parallel", "true", 0 },
  { "training.sequence_length", NULL, 0.5 }, { "training.type", "lora", 0 },
};

static const Lever speed_levers[] = {
  { "training.precision", "fp8", 0 },
  { "training.global_batch_size", NULL, 2 },
  { "strategy.recompute", "none", 0 },
  { "strategy.schedule", "zero-bubble", 0 },
  { "cluster.inter_node_gb_s", NULL, 2 },
  { "cluster.gpu", "h200-141-sxm", 0 },
  { "cluster.gpu", "b200-180-sxm", 0 },
  { "training.framework", "megatron-core", 0 },
  { "cluster.gpus", NULL, 2 },
  { "cluster.gpus", NULL, 0.5 },
};

typedef struct {
  GVariant *changes;
  double figure; /* what should become small: memory, time per token, share of communication, … */
  double tokens_per_s;
} Trial;

/* ---- figures ---- */

/* What should become small. */
static double
figure_of (const char *goal, ShardwiseScenario *scenario, ShardwiseAdvice *advice)
{
  const SwEstimate *e = shardwise_advice_get_recommended (advice);

  if (g_str_equal (goal, "memory"))
    return e->memory.peak.total;
  if (g_str_equal (goal, "communication"))
    return e->communication_overhead;
  if (g_str_equal (goal, "bubble"))
    return e->bubble_fraction;
  if (g_str_equal (goal, "time"))
    return 1 / e->tokens_per_s;
  if (g_str_equal (goal, "cost"))
    {
      /* Of a million tokens, by the bill that is the answer; 0: no price is known. */
      const SwProblem *problem = shardwise_advice_get_problem (advice);
      SwProblem counted = *problem;
      const ShardwiseBill *bill;
      ShardwiseCostInputs inputs;
      ShardwiseCost cost;

      if (!(counted.training.tokens > 0))
        counted.training.tokens = 1e6; /* the bill is in proportion to them */
      shardwise_cost_inputs_read (scenario, problem, &inputs);
      shardwise_cost_compute (&inputs, &counted, e, &cost);
      bill = shardwise_cost_bill (&cost);
      return bill != NULL ? bill->per_million_tokens : 0;
    }
  return 1 / e->tokens_per_s_per_gpu;
}

static gboolean
is_small_figure (const char *goal)
{
  return g_str_equal (goal, "communication") || g_str_equal (goal, "bubble");
}

static char *
figure_text (const char *goal, ShardwiseScenario *scenario, ShardwiseAdvice *advice)
{
  const SwEstimate *e = shardwise_advice_get_recommended (advice);
  g_autofree char *rate = shardwise_asking_rate (e),
                  *each = shardwise_format_significant (e->tokens_per_s_per_gpu);

  if (g_str_equal (goal, "memory"))
    return shardwise_format_bytes (e->memory.peak.total);
  if (is_small_figure (goal))
    return shardwise_format_percent (figure_of (goal, scenario, advice));
  if (g_str_equal (goal, "cost") && figure_of (goal, scenario, advice) > 0)
    /* Translators: an amount of money */
    return g_strdup_printf (_ ("%.4g per million tokens"), figure_of (goal, scenario, advice));
  if (g_str_equal (goal, "time"))
    return g_steal_pointer (&rate);
  /* Translators: a rate of one GPU */
  return g_strdup_printf (_ ("%s tokens/s per GPU"), each);
}

/* ---- trials ---- */

static GVariant *
value_of (ShardwiseScenario *base, const Lever *lever)
{
  const ShardwiseKey *key = shardwise_key_find (lever->path);
  double now = shardwise_scenario_get_number (base, lever->path, 0);

  if (lever->factor > 0)
    return now > 0 ? shardwise_key_normalise (
               key, g_variant_new_double (MAX (1, (double) (gint64) (now * lever->factor))), NULL)
                   : NULL;
  if (key->kind == SHARDWISE_KEY_BOOLEAN)
    return g_variant_ref_sink (g_variant_new_boolean (TRUE));
  if (key->kind == SHARDWISE_KEY_INTEGER)
    return g_variant_ref_sink (g_variant_new_int64 (g_ascii_strtoll (lever->value, NULL, 10)));
  return g_variant_ref_sink (g_variant_new_string (lever->value));
}

static void
trial_clear (gpointer data)
{
  g_variant_unref (((Trial *) data)->changes);
}

/* A change that cannot be made, or leaves nothing that fits, helps nobody; nor has another GPU the
 * price, of rent or purchase, that was stated for this one. */
static ShardwiseAdvice *
evaluate_trial (ShardwiseAsking *self, ShardwiseScenario *base, const char *goal, Trial *trial)
{
  const ShardwiseAdviceOptions options = { .top = 1 };
  g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (base);
  g_autoptr (ShardwiseAdvice) advice = NULL;
  g_autoptr (GVariant) gpu = g_variant_lookup_value (trial->changes, "cluster.gpu", NULL);

  if (gpu != NULL && g_str_equal (goal, "cost")
      && (shardwise_scenario_is_set (base, "cost.price")
          || shardwise_scenario_is_set (base, "cost.capex_per_gpu")))
    return NULL;
  if (shardwise_scenario_apply (changed, trial->changes, NULL))
    advice = shardwise_advice_compute (changed, &options, self->cancellable, NULL);
  if (advice == NULL || !shardwise_advice_get_fits (advice))
    return NULL;
  trial->figure = figure_of (goal, changed, advice);
  trial->tokens_per_s = shardwise_advice_get_recommended (advice)->tokens_per_s;
  return g_steal_pointer (&advice);
}

static void
try_lever (ShardwiseAsking *self, ShardwiseScenario *base, const Lever *lever, const char *goal,
           GArray *trials)
{
  g_autoptr (GVariant) value = value_of (base, lever), one = NULL;
  g_autoptr (ShardwiseAdvice) advice = NULL;
  GVariantDict dict;
  Trial trial = { 0 };

  if (value == NULL)
    return;
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, lever->path, value);
  one = g_variant_ref_sink (g_variant_dict_end (&dict));
  trial.changes = shardwise_asking_settle (one, base);
  advice = evaluate_trial (self, base, goal, &trial);
  if (advice != NULL && trial.figure > 0)
    g_array_append_val (trials, trial);
  else
    trial_clear (&trial);
}

static int
compare_trials (const void *a, const void *b)
{
  const Trial *x = a, *y = b;

  return x->figure < y->figure ? -1 : x->figure > y->figure;
}

/* "Recomputation full (−12 %, throughput −20 %)" */
static char *
trial_text (const char *goal, const Trial *trial, double now, double rate_now)
{
  double change = is_small_figure (goal) ? now - trial->figure : 1 - trial->figure / now,
         rate = trial->tokens_per_s / rate_now - 1;
  g_autofree char *what = shardwise_asking_describe (trial->changes),
                  *share = shardwise_format_percent (change),
                  *faster = shardwise_format_percent (now / trial->figure - 1),
                  *speed = shardwise_format_percent (ABS (rate));

  if (g_str_equal (goal, "speed") || g_str_equal (goal, "time"))
    return g_strdup_printf ("%s (+%s)", what, faster);
  /* Translators: a change, how much less it makes something, a sign and the change of the
   * throughput */
  return g_strdup_printf (_ ("%s (−%s, throughput %s%s)"), what, share, rate < 0 ? "−" : "+",
                          speed);
}

static void
name_trials (ShardwiseAsking *self, const char *goal, GVariant *base, GArray *trials, double now,
             double rate_now)
{
  GString *list = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < trials->len && n < MOST_NAMED; i++)
    {
      const Trial *trial = &g_array_index (trials, Trial, i);
      g_autofree char *text = trial_text (goal, trial, now, rate_now);

      if ((is_small_figure (goal) ? now - trial->figure : 1 - trial->figure / now) < NOTHING)
        break;
      if (n++ == 0)
        {
          g_autoptr (GVariant) both = shardwise_asking_join (base, trial->changes);

          shardwise_asking_offer (self, both);
        }
      g_string_append_printf (list, "%s%s", list->len > 0 ? "; " : "", text);
    }
  if (n == 0)
    shardwise_asking_say (self, g_strdup (_ ("None of the usual changes helps.")));
  else if (g_str_equal (goal, "memory"))
    /* Translators: a list of changes, each with what it gains */
    shardwise_asking_say (self,
                          g_strdup_printf (_ ("What helps, all else as it is: %s."), list->str));
  else
    shardwise_asking_say (
        self, g_strdup_printf (_ ("What helps, each with its own best strategy: %s."), list->str));
  g_string_free (list, TRUE);
}

/**
 * shardwise_asking_levers:
 * @goal: "memory", "speed", "communication", "bubble", "cost" or "time"
 * @base: a{sv}: to what the changes are made
 *
 * Evaluates the usual changes and names those that help most; offers the best.
 */
void
shardwise_asking_levers (ShardwiseAsking *self, const char *goal, GVariant *base)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_asking_changed (self, base);
  g_autoptr (ShardwiseAdvice) now = shardwise_asking_evaluate (self, base, FALSE);
  g_autoptr (GArray) trials = g_array_new (FALSE, FALSE, sizeof (Trial));
  gboolean is_memory = g_str_equal (goal, "memory");
  const Lever *levers = is_memory ? memory_levers : speed_levers;
  guint n = is_memory ? G_N_ELEMENTS (memory_levers) : G_N_ELEMENTS (speed_levers);
  double figure;

  g_array_set_clear_func (trials, trial_clear);
  if (scenario == NULL || now == NULL)
    return;
  figure = figure_of (goal, scenario, now);
  if (is_memory)
    {
      /* Memory is what a strategy takes: it is held, since the search would spend what is saved on speed.
       */
      const SwStrategy *strategy = &shardwise_advice_get_recommended (now)->strategy;

      shardwise_scenario_apply (
          scenario, shardwise_strategy_changes (strategy, SHARDWISE_ALL_DIMENSIONS), NULL);
    }
  for (guint i = 0; i < n && !g_cancellable_is_cancelled (self->cancellable); i++)
    try_lever (self, scenario, &levers[i], goal, trials);
  qsort (trials->data, trials->len, sizeof (Trial), compare_trials);
  name_trials (self, goal, base, trials, figure,
               shardwise_advice_get_recommended (now)->tokens_per_s);
}

/* ---- how to ---- */

/* Says so where it is asked what lowers a cost that is not known. */
static gboolean
lacks_price (ShardwiseAsking *self, const char *goal, ShardwiseScenario *scenario,
             ShardwiseAdvice *now)
{
  ShardwiseCostInputs inputs;

  if (!g_str_equal (goal, "cost") || figure_of (goal, scenario, now) > 0)
    return FALSE;
  shardwise_cost_inputs_read (scenario, shardwise_advice_get_problem (now), &inputs);
  shardwise_asking_say (self, shardwise_cost_cloud_text (&inputs));
  return TRUE;
}

static void
say_goal (ShardwiseAsking *self, const char *goal)
{
  g_autoptr (GVariant) changes = shardwise_asking_changes (self, 0);
  g_autoptr (ShardwiseAdvice) now = shardwise_asking_evaluate (self, changes, TRUE);
  g_autoptr (ShardwiseScenario) scenario = NULL;
  g_autofree char *figure = NULL, *strategy = NULL;

  if (now == NULL)
    return;
  if (!shardwise_advice_get_fits (now))
    {
      shardwise_asking_verdict (self, now);
      shardwise_asking_ways_out (self, now);
      return;
    }
  scenario = shardwise_asking_changed (self, changes);
  if (lacks_price (self, goal, scenario, now))
    return;
  figure = figure_text (goal, scenario, now);
  strategy = shardwise_text_strategy (&shardwise_advice_get_recommended (now)->strategy);
  /* Translators: the figure that should become better, a strategy */
  shardwise_asking_say (self, g_strdup_printf (_ ("Now it is %s, with %s."), figure, strategy));
  shardwise_asking_facts (self, "", now);
  shardwise_asking_levers (self, goal, changes);
}

static void
say_key (ShardwiseAsking *self)
{
  for (guint i = 0; i < self->question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->question->slots, i);
      const ShardwiseKey *key = shardwise_key_find (slot->path);
      g_autofree char *range = key != NULL ? shardwise_key_describe_range (key) : NULL;

      if (key == NULL)
        continue;
      shardwise_asking_say (
          self, g_strdup_printf (
                    /* Translators: name of an input, what it accepts, its key in the file */
                    _ ("Set “%s” among the inputs; accepted: %s. In a file it is %s."),
                    _ (key->title), range, key->path));
      return;
    }
}

/* Whether a value to set is named; "reduce the pipeline bubble" halves no pipeline, and the model
 * and the machines say what is to become faster: "speed up a 70B on 4 nodes". */
static gboolean
names_value (const ShardwiseQuestion *question)
{
  for (guint i = 0; i < question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (question->slots, i);

      if (slot->value != NULL && !g_str_has_prefix (slot->path, "model.")
          && !g_str_has_prefix (slot->path, "cluster.")
          && !g_str_equal (slot->path, "training.type")
          && !g_str_equal (slot->path, "training.framework"))
        return TRUE;
    }
  return FALSE;
}

/* "How do I save memory?": the usual changes, each evaluated. */
void
shardwise_asking_how_to (ShardwiseAsking *self)
{
  const char *goal = self->question->goal;

  self->answer->page = "advice";
  if (shardwise_question_has_values (self->question, 0)
      && (goal == NULL || names_value (self->question)))
    {
      say_key (self);
      shardwise_asking_what_if (self);
    }
  else if (goal != NULL)
    {
      self->answer->page = "analysis";
      say_goal (self, goal);
    }
  else if (self->question->slots->len > 0)
    say_key (self);
  else
    say_goal (self, "speed");
}
