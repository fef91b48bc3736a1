/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How to better something: each usual change is evaluated, and those that help are named. Then why
 * this, why not that, what if, which of two, which at all. */
#include "shardwise-ask-why.h"

#include <glib/gi18n.h>
#include <stdlib.h>
#include <string.h>

#include "shardwise-changes.h"
#include "shardwise-cost.h"
#include "shardwise-format.h"
#include "shardwise-text-reasons.h"
#include "shardwise-text-strategy.h"
#include "shardwise-advice.h"
#include "shardwise-ask-needs.h"
#include "shardwise-ask-question.h"

enum { MOST_NAMED = 4 };

#define NOTHING 0.01 /* of what should become better, below which a change is not named */

/* A change to try: a value, or a multiple of the present one. */
typedef struct {
  ShardwiseKeyId key;
  const char *value;
  double factor;
} Lever;

static const Lever memory_levers[] = {
  { SHARDWISE_KEY_STRATEGY_RECOMPUTE, "full", 0 },
  { SHARDWISE_KEY_STRATEGY_ZERO_STAGE, "3", 0 },
  { SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE, "1", 0 },
  { SHARDWISE_KEY_TRAINING_OPTIMIZER, "adam8bit", 0 },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, "optimizer", 0 },
  { SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL, "true", 0 },
  { SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH, NULL, 0.5 },
  { SHARDWISE_KEY_TRAINING_TYPE, "lora", 0 },
};

static const Lever speed_levers[] = {
  { SHARDWISE_KEY_TRAINING_PRECISION, "fp8", 0 },
  { SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, NULL, 2 },
  { SHARDWISE_KEY_STRATEGY_RECOMPUTE, "none", 0 },
  { SHARDWISE_KEY_STRATEGY_SCHEDULE, "zero-bubble", 0 },
  { SHARDWISE_KEY_CLUSTER_INTER_NODE_GB_S, NULL, 2 },
  { SHARDWISE_KEY_CLUSTER_GPU, "h200-141-sxm", 0 },
  { SHARDWISE_KEY_CLUSTER_GPU, "b200-180-sxm", 0 },
  { SHARDWISE_KEY_TRAINING_FRAMEWORK, "megatron-core", 0 },
  { SHARDWISE_KEY_CLUSTER_GPUS, NULL, 2 },
  { SHARDWISE_KEY_CLUSTER_GPUS, NULL, 0.5 },
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

static void
trial_clear (gpointer data)
{
  g_variant_unref (((Trial *) data)->changes);
}

/* A change that cannot be made, or leaves nothing that fits, helps nobody; nor has another GPU the
 * price, of rent or purchase, that was stated for this one. */
static void
try_lever (ShardwiseAsking *self, ShardwiseScenario *base, const Lever *lever, const char *goal,
           GArray *trials)
{
  const ShardwiseAdviceOptions options = { .top = 1 };
  const ShardwiseKey *key = shardwise_key_get (lever->key);
  double now = shardwise_scenario_get_number (base, lever->key, 0);
  g_autoptr (ShardwiseScenario) changed = NULL;
  g_autoptr (ShardwiseAdvice) advice = NULL;
  g_autoptr (GVariant) value = NULL, one = NULL, gpu = NULL;
  GVariantDict dict;
  Trial trial = { 0 };

  if (lever->factor > 0)
    value = now > 0 ? shardwise_key_normalise (
                key, g_variant_new_double (MAX (1, (double) (gint64) (now * lever->factor))), NULL)
                    : NULL;
  else if (key->kind == SHARDWISE_KIND_BOOLEAN)
    value = g_variant_ref_sink (g_variant_new_boolean (TRUE));
  else if (key->kind == SHARDWISE_KIND_INTEGER)
    value = g_variant_ref_sink (g_variant_new_int64 (g_ascii_strtoll (lever->value, NULL, 10)));
  else
    value = g_variant_ref_sink (g_variant_new_string (lever->value));
  if (value == NULL)
    return;
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, shardwise_key_path (lever->key), value);
  one = g_variant_ref_sink (g_variant_dict_end (&dict));
  trial.changes = shardwise_asking_settle (one, base);
  gpu = g_variant_lookup_value (trial.changes, shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPU),
                                NULL);
  changed = shardwise_scenario_copy (base);
  if (!(gpu != NULL && g_str_equal (goal, "cost")
        && (shardwise_scenario_is_set (base, SHARDWISE_KEY_COST_PRICE)
            || shardwise_scenario_is_set (base, SHARDWISE_KEY_COST_CAPEX_PER_GPU)))
      && shardwise_scenario_apply (changed, trial.changes, NULL))
    advice = shardwise_advice_compute (changed, &options, self->cancellable, NULL);
  if (advice != NULL && shardwise_advice_get_fits (advice))
    {
      trial.figure = figure_of (goal, changed, advice);
      trial.tokens_per_s = shardwise_advice_get_recommended (advice)->tokens_per_s;
    }
  if (trial.figure > 0)
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

/* "Recomputation full (−12 %, throughput −20 %)" for each that helps, the best first. */
static void
name_trials (ShardwiseAsking *self, const char *goal, GVariant *base, GArray *trials, double now,
             double rate_now)
{
  const gboolean is_rate = g_str_equal (goal, "speed") || g_str_equal (goal, "time");
  GString *list = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < trials->len && n < MOST_NAMED; i++)
    {
      const Trial *trial = &g_array_index (trials, Trial, i);
      double change = is_small_figure (goal) ? now - trial->figure : 1 - trial->figure / now,
             rate = trial->tokens_per_s / rate_now - 1;
      g_autofree char *what = NULL, *share = NULL, *speed = NULL;

      if (change < NOTHING)
        break;
      if (n++ == 0)
        {
          g_autoptr (GVariant) both = shardwise_asking_join (base, trial->changes);

          shardwise_asking_offer (self, both);
        }
      what = shardwise_asking_describe (trial->changes);
      share = shardwise_format_percent (is_rate ? now / trial->figure - 1 : change);
      speed = shardwise_format_percent (ABS (rate));
      g_string_append (list, list->len > 0 ? "; " : "");
      if (is_rate)
        g_string_append_printf (list, "%s (+%s)", what, share);
      else
        /* Translators: a change, how much less it makes something, a sign and the change of the
         * throughput */
        g_string_append_printf (list, _ ("%s (−%s, throughput %s%s)"), what, share,
                                rate < 0 ? "−" : "+", speed);
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

/* Evaluates the usual changes and names those that help most; offers the best. @goal: "memory",
 * "speed", "communication", "bubble", "cost" or "time"; @base: a{sv}: to what they are made. */
static void
say_levers (ShardwiseAsking *self, const char *goal, GVariant *base)
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
  if (g_str_equal (goal, "cost") && !(figure_of (goal, scenario, now) > 0))
    {
      /* What lowers a cost that is not known? */
      ShardwiseCostInputs inputs;

      shardwise_cost_inputs_read (scenario, shardwise_advice_get_problem (now), &inputs);
      shardwise_asking_say (self, shardwise_cost_cloud_text (&inputs));
      return;
    }
  figure = figure_text (goal, scenario, now);
  strategy = shardwise_text_strategy (&shardwise_advice_get_recommended (now)->strategy);
  /* Translators: the figure that should become better, a strategy */
  shardwise_asking_say (self, g_strdup_printf (_ ("Now it is %s, with %s."), figure, strategy));
  shardwise_asking_facts (self, "", now);
  say_levers (self, goal, changes);
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

/* "How do I save memory?": the usual changes, each evaluated. */
void
shardwise_asking_how_to (ShardwiseAsking *self)
{
  const char *goal = self->question->goal;
  gboolean names_value = goal == NULL;

  /* "Reduce the pipeline bubble" halves no pipeline, and the model and the machines say what is to
   * become faster: "speed up a 70B on 4 nodes". */
  for (guint i = 0; i < self->question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->question->slots, i);

      names_value =
          names_value
          || (slot->value != NULL && !g_str_has_prefix (slot->path, "model.")
              && !g_str_has_prefix (slot->path, "cluster.")
              && !g_str_equal (slot->path, shardwise_key_path (SHARDWISE_KEY_TRAINING_TYPE))
              && !g_str_equal (slot->path, shardwise_key_path (SHARDWISE_KEY_TRAINING_FRAMEWORK)));
    }
  self->answer->page = "advice";
  if (names_value && shardwise_question_has_values (self->question, 0))
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

/* ---- out of memory ---- */

/* "Why do I run out of memory?", and what would help. */
void
shardwise_asking_oom (ShardwiseAsking *self)
{
  g_autoptr (GVariant) changes = shardwise_asking_changes (self, 0);
  g_autoptr (ShardwiseAdvice) advice = shardwise_asking_evaluate (self, changes, TRUE);

  self->answer->page = "analysis";
  if (advice == NULL)
    return;
  if (!shardwise_advice_get_fits (advice))
    {
      SwRule rule = shardwise_advice_get_recommended (advice)->rule;

      if (rule == SW_RULE_GPU_MEMORY || rule == SW_RULE_HOST_MEMORY)
        shardwise_asking_say (self, g_strdup (_ ("By the model, too, this does not fit.")));
      shardwise_asking_verdict (self, advice);
      shardwise_asking_states (self, advice);
      shardwise_asking_ways_out (self, advice);
      return;
    }
  shardwise_asking_say (
      self,
      g_strdup (_ ("By the model this input has a strategy that fits, so compare yours with it.")));
  shardwise_asking_verdict (self, advice);
  say_levers (self, "memory", changes);
  shardwise_asking_say (
      self, g_strdup (_ ("What the model cannot see: fragmentation beyond the usual, other "
                         "processes on the GPU, buffers of "
                         "your own code. Measure torch.cuda.memory_summary() at the peak, and "
                         "nvidia-smi before the start; "
                         "import the job’s configuration to have it diagnosed as it is.")));
}

/* Why this, why not that, what if, which of two, which at all. */

#define STRATEGY "strategy."

enum {
  MOST_REASONS = 2 /* of a strategy as a whole */
};

/* ---- dimensions ---- */

static int
dimension_of (const char *path)
{
  return g_str_has_prefix (path, STRATEGY)
             ? sw_name_index (sw_dimension_names, path + strlen (STRATEGY))
             : -1;
}

/* The first dimension that the question names on @side; -1: none. */
static int
asked_dimension (const ShardwiseAsking *self, guint side)
{
  for (guint i = 0; i < self->question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->question->slots, i);

      if (slot->side == side && dimension_of (slot->path) >= 0)
        return dimension_of (slot->path);
    }
  return -1;
}

static void
say_rationale (ShardwiseAsking *self, ShardwiseAdvice *now, int dimension)
{
  GPtrArray *all = shardwise_advice_get_rationale (now);
  const SwEstimate *e = shardwise_advice_get_recommended (now);
  guint value = sw_strategy_get (&e->strategy, (SwDimension) dimension);
  g_autofree char *label = shardwise_text_label ((SwDimension) dimension, value);

  for (guint i = 0; i < all->len; i++)
    {
      const ShardwiseRationale *rationale = g_ptr_array_index (all, i);

      if ((int) rationale->dimension != dimension)
        continue;
      shardwise_asking_say (self, g_strdup (rationale->text));
      return;
    }
  /* Translators: a dimension with its value: "CP 1" */
  shardwise_asking_say (
      self, g_strdup_printf (_ ("The strategy has %s, and no other value was open here."), label));
}

/* What is asked for is not what is recommended: say so first. */
static void
contradict (ShardwiseAsking *self, ShardwiseAdvice *now)
{
  const SwStrategy *strategy = &shardwise_advice_get_recommended (now)->strategy;

  for (guint i = 0; i < self->question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->question->slots, i);
      int dimension = dimension_of (slot->path);
      g_autofree char *is = NULL, *asked = NULL;

      if (slot->side != 0 || dimension < 0 || slot->value == NULL
          || !g_variant_is_of_type (slot->value, G_VARIANT_TYPE_INT64)
          || g_variant_get_int64 (slot->value)
                 == sw_strategy_get (strategy, (SwDimension) dimension))
        continue;
      is = shardwise_text_label ((SwDimension) dimension,
                                 sw_strategy_get (strategy, (SwDimension) dimension));
      asked = shardwise_text_label ((SwDimension) dimension,
                                    (guint) g_variant_get_int64 (slot->value));
      /* Translators: two dimensions with their values: "TP 8", "TP 4" */
      shardwise_asking_say (
          self, g_strdup_printf (_ ("What is recommended here is %s, not %s."), is, asked));
    }
}

/* ---- why ---- */

/* Whether a change leads to something that could run, if need be with more memory: what a framework
 * does not support is not offered. */
static gboolean
is_possible (ShardwiseAdvice *advice)
{
  SwRule rule = shardwise_advice_get_recommended (advice)->rule;

  return shardwise_advice_get_fits (advice) || rule == SW_RULE_GPU_MEMORY
         || rule == SW_RULE_HOST_MEMORY;
}

/* The recommended strategy against what the question would have had instead. */
static void
say_counterfactual (ShardwiseAsking *self, ShardwiseAdvice *now, guint side)
{
  g_autoptr (GVariant) changes = shardwise_asking_changes (self, side);
  g_autoptr (ShardwiseAdvice) then = shardwise_asking_evaluate (self, changes, FALSE);
  g_autofree char *what = shardwise_asking_describe (changes);
  int dimension = asked_dimension (self, side);

  if (then == NULL)
    return;
  if (dimension >= 0 && shardwise_advice_get_fits (then))
    {
      /* In what the alternative loses, in the words of the table of neighbours. */
      const SwEstimate *a = shardwise_advice_get_recommended (now),
                       *b = shardwise_advice_get_recommended (then);
      SwNeighbour neighbour = { .estimate = *b, .rule = b->rule };
      g_autofree char *text = NULL, *label = NULL;

      neighbour.value = sw_strategy_get (&b->strategy, (SwDimension) dimension);
      neighbour.change = a->tokens_per_s / b->tokens_per_s - 1;
      label = shardwise_text_label ((SwDimension) dimension, neighbour.value);
      text = shardwise_text_neighbour (shardwise_advice_get_problem (now), a, &neighbour);
      shardwise_asking_say (self, g_strdup_printf (_ ("%s: %s."), label, text));
    }
  shardwise_asking_against (self, what, then, _ ("as it is"), now);
  if (is_possible (then))
    shardwise_asking_offer (self, changes);
}

/**
 * shardwise_asking_why:
 *
 * Why the recommended strategy is as it is, and not as the question would have it: both are
 * evaluated.
 */
void
shardwise_asking_why (ShardwiseAsking *self)
{
  g_autoptr (ShardwiseAdvice) now = shardwise_asking_evaluate (self, NULL, TRUE);
  int dimension = asked_dimension (self, 0), other = asked_dimension (self, 1),
      named = dimension >= 0 ? dimension : other;
  gboolean has_other = shardwise_question_has_values (self->question, 1),
           has_own = shardwise_question_has_values (self->question, 0);
  GPtrArray *rationale;
  gsize before;

  self->answer->page = "advice";
  if (now == NULL)
    return;
  if (!shardwise_advice_get_fits (now))
    {
      shardwise_asking_verdict (self, now);
      shardwise_asking_states (self, now);
      shardwise_asking_ways_out (self, now);
      return;
    }
  before = self->text->len;
  contradict (self, now);
  if (named >= 0
      && shardwise_text_is_pinned (shardwise_advice_get_problem (now), (SwDimension) named))
    shardwise_asking_say (
        self, g_strdup (_ ("The scenario fixes this value, so nothing else was searched for it.")));
  if (has_other)
    say_counterfactual (self, now, 1);
  else if (has_own && (self->text->len > before || dimension < 0))
    say_counterfactual (self, now, 0);
  else if (named >= 0)
    {
      say_rationale (self, now, named);
      shardwise_asking_facts (self, "", now);
    }
  else
    {
      rationale = shardwise_advice_get_rationale (now);
      shardwise_asking_verdict (self, now);
      for (guint i = 0; i < MIN (rationale->len, MOST_REASONS); i++)
        shardwise_asking_say (
            self, g_strdup (((ShardwiseRationale *) g_ptr_array_index (rationale, i))->text));
    }
}

/* ---- what if ---- */

/* Something is to change that only has a name: say where it stands and how it is asked. */
static void
say_open (ShardwiseAsking *self)
{
  for (guint i = 0; i < self->question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->question->slots, i);
      const ShardwiseKey *key = shardwise_key_find (slot->path);
      g_autofree char *range = key != NULL ? shardwise_key_describe_range (key) : NULL,
                      *now = key != NULL ? shardwise_scenario_get_string (self->scenario, key->id)
                                         : NULL;

      if (key == NULL)
        continue;
      if (now != NULL && *now != '\0')
        /* Translators: name of an input, its present value, the values that it accepts */
        shardwise_asking_say (self,
                              g_strdup_printf (_ ("%s is %s now; accepted: %s. Name a value."),
                                               _ (key->title), now, range));
      else
        /* Translators: name of an input, the values that it accepts */
        shardwise_asking_say (
            self, g_strdup_printf (_ ("%s is not given now; accepted: %s. Name a value."),
                                   _ (key->title), range));
      return;
    }
  shardwise_asking_say (
      self, g_strdup (_ ("Name what should change, for example another GPU, a number of GPUs, a "
                         "sequence length or a precision.")));
}

/* Whether all that changes is money: no throughput answers that. */
static gboolean
is_of_cost (GVariant *changes)
{
  GVariantIter iter;
  const char *path;
  GVariant *value;

  g_variant_iter_init (&iter, changes);
  while (g_variant_iter_next (&iter, "{&sv}", &path, &value))
    {
      g_variant_unref (value);
      if (!g_str_has_prefix (path, "cost."))
        return FALSE;
    }
  return g_variant_n_children (changes) > 0;
}

/* "What if I use H200s?": the change against the scenario as it is. */
void
shardwise_asking_what_if (ShardwiseAsking *self)
{
  g_autoptr (GVariant) changes = shardwise_asking_changes (self, 0);
  g_autoptr (ShardwiseAdvice) now = NULL, then = NULL;
  g_autofree char *what = NULL;

  if (is_of_cost (changes))
    {
      shardwise_asking_cost (self);
      return;
    }
  self->answer->page = "advice";
  if (g_variant_n_children (changes) == 0)
    {
      say_open (self);
      return;
    }
  now = shardwise_asking_evaluate (self, NULL, FALSE);
  then = now != NULL ? shardwise_asking_evaluate (self, changes, TRUE) : NULL;
  if (then == NULL)
    return;
  what = shardwise_asking_describe (changes);
  shardwise_asking_against (self, what, then, _ ("as it is"), now);
  if (!shardwise_advice_get_fits (then))
    shardwise_asking_ways_out (self, then);
  if (is_possible (then))
    shardwise_asking_offer (self, changes);
}

/* ---- compare ---- */

/* What only one side names holds for both, unless the sides have nothing in common: "16 H100 or 8
 * H200 with 8k", but "TP 8 or PP 8". Settled. */
static GVariant *
complete_side (ShardwiseAsking *self, GVariant *own, GVariant *other)
{
  g_autoptr (GVariant) both = NULL;
  GVariantDict dict;
  GVariantIter iter;
  const char *path;
  GVariant *value;
  gboolean in_common = FALSE;

  g_variant_iter_init (&iter, own);
  while (g_variant_iter_loop (&iter, "{&sv}", &path, &value))
    {
      g_autoptr (GVariant) same = g_variant_lookup_value (other, path, NULL);

      in_common = in_common || same != NULL;
    }
  g_variant_dict_init (&dict, own);
  g_variant_iter_init (&iter, other);
  while (in_common && g_variant_iter_loop (&iter, "{&sv}", &path, &value))
    if (!g_variant_dict_contains (&dict, path))
      g_variant_dict_insert_value (&dict, path, value);
  both = g_variant_ref_sink (g_variant_dict_end (&dict));
  return shardwise_asking_settle (both, self->scenario);
}

/* "What is the difference between SP and CP?": what each is, and what it does here. */
static void
compare_dimensions (ShardwiseAsking *self)
{
  gboolean defined = shardwise_asking_define_slots (self);
  g_autoptr (ShardwiseAdvice) now = shardwise_asking_evaluate (self, NULL, TRUE);
  gboolean said[SW_N_DIMENSIONS] = { FALSE };

  if (now == NULL || (asked_dimension (self, 0) < 0 && asked_dimension (self, 1) < 0))
    {
      if (!defined)
        say_open (self);
      return;
    }
  if (!shardwise_advice_get_fits (now))
    {
      shardwise_asking_verdict (self, now);
      return;
    }
  shardwise_asking_facts (self, "", now);
  for (guint i = 0; i < self->question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->question->slots, i);
      int dimension = dimension_of (slot->path);

      if (dimension >= 0 && !said[dimension])
        say_rationale (self, now, dimension);
      if (dimension >= 0)
        said[dimension] = TRUE;
    }
}

/* The bill of training the tokens with @changes, 0 where none is known; in words with its interval.
 */
static double
cost_of (ShardwiseAsking *self, GVariant *changes, ShardwiseAdvice *advice, char **text)
{
  g_autoptr (ShardwiseScenario) changed = shardwise_asking_changed (self, changes);
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const SwEstimate *e = shardwise_advice_get_recommended (advice);
  const ShardwiseBill *bill;
  ShardwiseCostInputs inputs;
  ShardwiseCost cost;
  double least, most;
  g_autofree char *amount = NULL, *low = NULL, *high = NULL;

  if (changed == NULL || !shardwise_advice_get_fits (advice))
    return 0;
  shardwise_cost_inputs_read (changed, problem, &inputs);
  shardwise_cost_compute (&inputs, problem, e, &cost);
  bill = shardwise_cost_bill (&cost);
  if (bill == NULL || bill->total <= 0)
    return 0;
  amount = shardwise_format_money (bill->total, inputs.currency);
  shardwise_cost_spread (bill->total, e, &least, &most);
  low = shardwise_format_money (least, inputs.currency);
  high = shardwise_format_money (most, inputs.currency);
  /* Translators: an amount of money, the interval that it lies in, the price of a GPU-hour */
  *text = cost.basis == SHARDWISE_BASIS_CLOUD ? g_strdup_printf (
              _ ("%s (%s–%s, at %.2f per GPU-hour)"), amount, low, high, inputs.price)
                                              : g_strdup_printf ("%s (%s–%s)", amount, low, high);
  return bill->total;
}

/* Who asks what is better for the money is told the money. Returns: -1 where @a costs less, 1 where
 * @b does, 0 where that was not asked or is not known. */
static int
compare_costs (ShardwiseAsking *self, GVariant *changes[2], ShardwiseAdvice *advices[2],
               const char *const names[2])
{
  g_autofree char *one = NULL, *two = NULL;
  double first, second;

  if (g_strcmp0 (self->question->goal, "cost") != 0 || !shardwise_advice_get_fits (advices[0])
      || !shardwise_advice_get_fits (advices[1])) /* which is said */
    return 0;
  first = cost_of (self, changes[0], advices[0], &one);
  second = cost_of (self, changes[1], advices[1], &two);
  if (one == NULL || two == NULL)
    {
      shardwise_asking_say (self, g_strdup (_ ("What either costs needs a number of tokens to "
                                               "train, and a price.")));
      return 0;
    }
  /* Translators: what is compared, its cost, and both again of the other */
  shardwise_asking_say (self, g_strdup_printf (_ ("The training costs %2$s with %1$s, and %4$s "
                                                  "with %3$s."),
                                               names[0], one, names[1], two));
  shardwise_asking_fact (self, "cost", first, "money");
  shardwise_asking_fact (self, "than_cost", second, "money");
  return first <= second ? -1 : 1;
}

/* "16 H100 or 8 H200?": both sides, by money where the question is of money. */
void
shardwise_asking_compare (ShardwiseAsking *self)
{
  g_autoptr (GVariant) left = shardwise_asking_named (self, 0),
                       right = shardwise_asking_named (self, 1),
                       one = complete_side (self, left, right),
                       two = complete_side (self, right, left);
  g_autofree char *what = NULL, *than = NULL;
  g_autoptr (ShardwiseAdvice) a = NULL, b = NULL;
  gboolean first_is_better;
  int cheaper;

  self->answer->page = "alternatives";
  if (g_variant_n_children (left) == 0 && g_variant_n_children (right) == 0)
    {
      compare_dimensions (self);
      return;
    }
  a = shardwise_asking_evaluate (self, one, FALSE);
  b = a != NULL ? shardwise_asking_evaluate (self, two, FALSE) : NULL;
  if (b == NULL)
    return;
  what = g_variant_n_children (left) > 0 ? shardwise_asking_describe (left)
                                         : g_strdup (_ ("as it is"));
  than = g_variant_n_children (right) > 0 ? shardwise_asking_describe (right)
                                          : g_strdup (_ ("as it is"));
  cheaper = compare_costs (self, (GVariant *[2]){ one, two }, (ShardwiseAdvice *[2]){ a, b },
                           (const char *const[2]){ what, than });
  shardwise_asking_against (self, what, a, than, b);
  first_is_better = shardwise_advice_get_fits (a)
                    && (!shardwise_advice_get_fits (b)
                        || shardwise_advice_get_recommended (a)->tokens_per_s
                               >= shardwise_advice_get_recommended (b)->tokens_per_s);
  if (cheaper != 0)
    first_is_better = cheaper < 0;
  if (is_possible (first_is_better ? a : b))
    shardwise_asking_offer (self, first_is_better ? one : two);
}

/* ---- best ---- */

/* "What is the best strategy?", or the best value of one dimension. */
void
shardwise_asking_best (ShardwiseAsking *self)
{
  g_autoptr (GVariant) changes = shardwise_asking_changes (self, 0);
  g_autoptr (ShardwiseAdvice) advice = shardwise_asking_evaluate (self, changes, TRUE);
  int dimension = asked_dimension (self, 0);

  self->answer->page = "advice";
  if (advice == NULL)
    return;
  shardwise_asking_verdict (self, advice);
  shardwise_asking_offer (self, changes);
  if (!shardwise_advice_get_fits (advice))
    {
      shardwise_asking_states (self, advice);
      shardwise_asking_ways_out (self, advice);
    }
  else if (dimension >= 0)
    say_rationale (self, advice, dimension);
}
