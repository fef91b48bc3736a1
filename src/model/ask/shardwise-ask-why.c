/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why this and not that, what if, which of two, which at all, how to better something, and whether it is
 * allowed: the present answer beside what the question would change, all else held. */
#include "shardwise-ask-needs.h"

#include <glib/gi18n.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shardwise-changes.h"
#include "shardwise-cost.h"
#include "shardwise-format.h"
#include "shardwise-text-estimate.h"
#include "shardwise-text-reasons.h"
#include "shardwise-text-search.h"
#include "shardwise-text-strategy.h"

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
      shardwise_asking_tell (self, rationale->text);
      return;
    }
  /* Translators: a dimension with its value: "CP 1" */
  shardwise_asking_say (self, _ ("The strategy has %s, and no other value was open here."), label);
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
      shardwise_asking_say (self, _ ("What is recommended here is %s, not %s."), is, asked);
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
      shardwise_asking_say (self, _ ("%s: %s."), label, text);
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
      shardwise_asking_misfit (self, now);
      shardwise_asking_topics (self, now, SHARDWISE_ASK_OF_ALL);
      return;
    }
  before = self->text->len;
  contradict (self, now);
  if (named >= 0
      && shardwise_text_is_pinned (shardwise_advice_get_problem (now), (SwDimension) named))
    shardwise_asking_tell (
        self, _ ("The scenario fixes this value, so nothing else was searched for it."));
  if (has_own && self->text->len > before)
    say_counterfactual (self, now, 0);
  else if (has_other)
    say_counterfactual (self, now, 1);
  else if (has_own && dimension < 0)
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
        shardwise_asking_tell (self,
                               ((ShardwiseRationale *) g_ptr_array_index (rationale, i))->text);
    }
  shardwise_asking_topics (self, now, SHARDWISE_ASK_OF_ALL);
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
        shardwise_asking_say (self, _ ("%s is %s now; accepted: %s. Name a value."), _ (key->title),
                              now, range);
      else
        /* Translators: name of an input, the values that it accepts */
        shardwise_asking_say (self, _ ("%s is not given now; accepted: %s. Name a value."),
                              _ (key->title), range);
      return;
    }
  shardwise_asking_tell (self,
                         _ ("Name what should change, for example another GPU, a number of GPUs, a "
                            "sequence length or a precision."));
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
  /* "Swap the H100s for H200s": what the inputs have already is no change. */
  g_autoptr (GVariant) changes =
      shardwise_asking_changes (self, shardwise_question_changes_any (self->question, 0) ? 0 : 1);
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
  shardwise_asking_topics (self, then, SHARDWISE_ASK_OF_ALL);
  if (is_possible (then))
    shardwise_asking_offer (self, changes);
}

/* ---- one against another ---- */

enum { MOST_SIDES = 6, MOST_DEGREE = 16 };

/* One side of a comparison, with the best that it comes to. */
typedef struct {
  GVariant *changes;
  char *name;
  ShardwiseAdvice *advice;
} Side;

static void
side_clear (gpointer data)
{
  Side *self = data;

  g_clear_pointer (&self->changes, g_variant_unref);
  g_clear_object (&self->advice);
  g_free (self->name);
}

static const SwDimension degrees[] = { SW_DIM_TP, SW_DIM_PP, SW_DIM_CP, SW_DIM_EP };

/* Whether the question names the dimension on @side; of any side: -1. */
static gboolean
names_dimension (ShardwiseAsking *self, SwDimension dimension, int side)
{
  for (guint i = 0; i < self->question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->question->slots, i);

      if ((side < 0 || slot->side == (guint) side) && dimension_of (slot->path) == (int) dimension)
        return TRUE;
    }
  return FALSE;
}

static gboolean
names_path (ShardwiseAsking *self, ShardwiseKeyId id, guint side)
{
  return shardwise_question_find (self->question, shardwise_key_path (id), side) != NULL;
}

/* What a side is called: its values and what it names without one, but for what all sides share. */
static char *
side_name (ShardwiseAsking *self, guint side)
{
  GString *name = g_string_new (NULL);

  for (guint i = 0; i < self->question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->question->slots, i);
      const ShardwiseKey *key = shardwise_key_find (slot->path);
      g_autofree char *text = NULL;

      if (slot->side != side || key == NULL
          || (slot->repeats
              && (g_str_has_prefix (slot->path, "model.")
                  || g_str_has_prefix (slot->path, "cluster.")))
          || (side == 0 && !g_str_has_prefix (slot->path, STRATEGY)
              && shardwise_question_find (self->question, slot->path, 1) == NULL
              && key->id != SHARDWISE_KEY_TRAINING_FRAMEWORK
              && shardwise_question_has_values (self->question, 1)))
        continue;
      if (slot->value != NULL)
        {
          g_autoptr (GVariant) one =
              g_variant_ref_sink (g_variant_new_parsed ("{%s: %v}", slot->path, slot->value));

          text = shardwise_asking_describe (one);
        }
      else
        text = g_strdup (_ (key->title));
      if (text != NULL)
        g_string_append_printf (name, "%s%s", name->len > 0 ? " + " : "", text);
    }
  return g_string_free (name, FALSE);
}

/* What a side stands for: the values that it names; of a way to split without a degree the best of its
 * degrees, without the ways of the other sides. */
static void
evaluate_side (ShardwiseAsking *self, guint index, GVariant *held, Side *side)
{
  g_autoptr (GVariant) own = shardwise_asking_own_changes (self, index),
                       both = shardwise_asking_join (held, own), base = NULL;
  GVariantDict dict;
  gboolean splits = FALSE, has_degree = FALSE;
  int open = -1; /* a degree without a value */

  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    splits = splits || names_dimension (self, degrees[i], -1);
  splits = splits || names_dimension (self, SW_DIM_SP, -1);
  g_variant_dict_init (&dict, both);
  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    {
      const char *path = shardwise_key_path (shardwise_dimension_key (degrees[i]));
      const ShardwiseAskSlot *slot = shardwise_question_find (self->question, path, index);

      has_degree = has_degree || (slot != NULL && slot->value != NULL);
    }
  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    {
      const ShardwiseKeyId key = shardwise_dimension_key (degrees[i]);
      const gboolean is_own = names_dimension (self, degrees[i], (int) index);

      if (is_own && !g_variant_dict_contains (&dict, shardwise_key_path (key)) && open < 0)
        open = (int) degrees[i];
      if (degrees[i] == SW_DIM_TP && names_dimension (self, SW_DIM_SP, (int) index)
          && !g_variant_dict_contains (&dict, shardwise_key_path (key)))
        {
          /* Sequence parallelism is over the ranks of TP. */
          shardwise_changes_insert (&dict, SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL, "b", TRUE);
          open = SW_DIM_TP;
          continue;
        }
      /* What the other sides do, one without a value does not. */
      if (!is_own && !has_degree && names_dimension (self, degrees[i], -1)
          && !g_variant_dict_contains (&dict, shardwise_key_path (key)))
        shardwise_changes_insert (&dict, key, "x", (gint64) 1);
    }
  if (splits
      && (names_path (self, SHARDWISE_KEY_TRAINING_FRAMEWORK, index)
          || (names_path (self, SHARDWISE_KEY_STRATEGY_ZERO_STAGE, index)
              && !g_variant_dict_contains (
                  &dict, shardwise_key_path (SHARDWISE_KEY_STRATEGY_ZERO_STAGE)))))
    {
      /* FSDP or ZeRO held against ways to split is sharding alone. */
      shardwise_changes_insert (&dict, SHARDWISE_KEY_STRATEGY_ZERO_STAGE, "x", (gint64) 3);
      for (guint i = 0; i < 3; i++)
        if (!names_dimension (self, degrees[i], (int) index))
          shardwise_changes_insert (&dict, shardwise_dimension_key (degrees[i]), "x", (gint64) 1);
    }
  base = g_variant_ref_sink (g_variant_dict_end (&dict));
  side->name = side_name (self, index);
  side->changes = shardwise_asking_settle (base, self->scenario);
  if (open < 0)
    {
      side->advice = shardwise_asking_evaluate (self, side->changes, FALSE);
      return;
    }
  for (guint degree = 2; degree <= MOST_DEGREE; degree *= 2)
    {
      g_autoptr (ShardwiseAdvice) advice = NULL;
      g_autoptr (GVariant) tried = NULL;
      const SwEstimate *now, *then;

      g_variant_dict_init (&dict, side->changes);
      shardwise_changes_insert (&dict, shardwise_dimension_key ((SwDimension) open), "x",
                                (gint64) degree);
      tried = g_variant_ref_sink (g_variant_dict_end (&dict));
      advice = shardwise_asking_try (self, tried);
      if (advice == NULL)
        continue;
      then = shardwise_advice_get_recommended (advice);
      now = side->advice != NULL ? shardwise_advice_get_recommended (side->advice) : NULL;
      if (now == NULL || (then->fits && !now->fits)
          || (then->fits == now->fits && then->fits && then->tokens_per_s > now->tokens_per_s)
          || (!then->fits && !now->fits && then->rule == SW_RULE_GPU_MEMORY
              && then->missing_bytes < now->missing_bytes))
        g_set_object (&side->advice, advice);
    }
}

/* "TP 2.1 GB, DP 40 GB": what a GPU sends in a step, by group. */
static char *
traffic_text (const SwProblem *problem, const SwStrategy *strategy)
{
  static const char *const names[] = { "TP", "CP", "EP", "PP", "DP" };
  SwCommunication rows[SW_MAX_COMMUNICATIONS];
  const guint n = sw_communication (problem, strategy, rows);
  double bytes[SW_N_COMMUNICATION_GROUPS] = { 0 };
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    bytes[rows[i].group] += rows[i].bytes;
  for (guint i = 0; i < SW_N_COMMUNICATION_GROUPS; i++)
    if (bytes[i] > 0)
      {
        g_autofree char *text = shardwise_format_bytes (bytes[i]);

        g_string_append_printf (list, "%s%s %s", list->len > 0 ? ", " : "", names[i], text);
      }
  return g_string_free (list, FALSE);
}

static void
say_side (ShardwiseAsking *self, const Side *side, guint index)
{
  const SwEstimate *e = shardwise_advice_get_recommended (side->advice);
  const SwProblem *problem = shardwise_advice_get_problem (side->advice);
  g_autofree char *strategy = shardwise_text_strategy (&e->strategy),
                  *begin = shardwise_text_capitalise (side->name), *prefix = NULL;

  prefix = index == 0   ? g_strdup ("")
           : index == 1 ? g_strdup ("now_")
                        : g_strdup_printf ("side%u_", index);
  shardwise_asking_facts (self, prefix, side->advice);
  if (e->fits)
    {
      g_autofree char *rate = shardwise_asking_rate (e),
                      *step = shardwise_format_seconds (e->time.step_s),
                      *memory = shardwise_format_bytes (e->memory.peak.total),
                      *sent = traffic_text (problem, &e->strategy),
                      *waits = shardwise_format_percent (e->communication_overhead),
                      *bubble = shardwise_format_percent (e->bubble_fraction);

      shardwise_asking_say (
          self,
          /* Translators: what is compared, a strategy, a rate with its interval, duration
                       of a step, memory, what is sent, share of waiting for it, share of the bubble */
          _ ("%s, as %s: %s, a step of %s, %s per GPU; a GPU sends %s a step and waits "
             "%s of it for communication, %s in the bubble."),
          begin, strategy, rate, step, memory, *sent != '\0' ? sent : _ ("nothing"), waits, bubble);
      if (e->gpus_idle > 0)
        shardwise_asking_say (self,
                              ngettext ("%'u GPU stays idle.", "%'u GPUs stay idle.", e->gpus_idle),
                              e->gpus_idle);
    }
  else
    {
      g_autofree char *why = shardwise_text_misfit (problem, begin, e);

      /* Translators: why something does not fit, the nearest strategy */
      shardwise_asking_say (self, _ ("%s (the nearest: %s)."), why, strategy);
    }
}

static void
say_ranking (ShardwiseAsking *self, GArray *sides)
{
  const Side *best = NULL, *worst = NULL;
  guint n_fit = 0;
  const SwEstimate *a, *b;
  g_autofree char *ratio = NULL;

  for (guint i = 0; i < sides->len; i++)
    {
      const Side *side = &g_array_index (sides, Side, i);
      double rate = shardwise_advice_get_recommended (side->advice)->tokens_per_s;

      if (!shardwise_advice_get_fits (side->advice))
        continue;
      n_fit++;
      if (best == NULL || rate > shardwise_advice_get_recommended (best->advice)->tokens_per_s)
        best = side;
      if (worst == NULL || rate < shardwise_advice_get_recommended (worst->advice)->tokens_per_s)
        worst = side;
    }
  if (best == NULL)
    {
      shardwise_asking_ways_out (self, g_array_index (sides, Side, 0).advice);
      return;
    }
  if (n_fit == 1)
    {
      if (sides->len > 1 && best->name != NULL)
        /* Translators: one of several that were compared */
        shardwise_asking_say (self, _ ("Only %s fits."), best->name);
      shardwise_asking_offer (self, best->changes);
      return;
    }
  a = shardwise_advice_get_recommended (best->advice);
  b = shardwise_advice_get_recommended (worst->advice);
  if (sw_strategy_equal (&a->strategy, &b->strategy) && a->gpus_used == b->gpus_used
      && fabs (a->tokens_per_s / b->tokens_per_s - 1) < 0.005)
    {
      shardwise_asking_tell (self, _ ("Both come to the same."));
      return;
    }
  ratio = shardwise_format_significant (a->tokens_per_s / b->tokens_per_s);
  shardwise_asking_fact (self, "ratio", a->tokens_per_s / b->tokens_per_s, "1");
  shardwise_asking_say (self,
                        /* Translators: two that are compared, a factor */
                        _ ("%1$s is %3$s times as fast as %2$s."), best->name, worst->name, ratio);
  if (a->tokens_low_per_s < b->tokens_high_per_s)
    shardwise_asking_tell (self,
                           _ ("The intervals overlap, though both share most of their error."));
  shardwise_asking_offer (self, best->changes);
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

/* Who asks what is better for the money is told the money. */
static void
say_costs (ShardwiseAsking *self, GArray *sides)
{
  if (g_strcmp0 (self->question->goal, "cost") != 0)
    return;
  for (guint i = 0; i < sides->len; i++)
    {
      const Side *side = &g_array_index (sides, Side, i);
      g_autofree char *text = NULL;
      double amount = cost_of (self, side->changes, side->advice, &text);

      if (text == NULL && shardwise_advice_get_fits (side->advice))
        {
          shardwise_asking_tell (self, _ ("What either costs needs a number of tokens to "
                                          "train, and a price."));
          return;
        }
      if (text != NULL)
        /* Translators: what is compared, its cost */
        shardwise_asking_say (self, _ ("%s costs %s."), side->name, text);
      shardwise_asking_fact (self, i == 0 ? "cost" : "than_cost", amount, "money");
    }
}

/* What only the first side names holds for all, unless it has nothing in common with them: "16 H100 or 8
 * H200". */
static GVariant *
held_changes (ShardwiseAsking *self)
{
  g_autoptr (GVariant) first = shardwise_asking_named (self, 0);
  GVariantDict dict;
  GVariantIter iter;
  const char *path;
  GVariant *value;
  gboolean in_common = FALSE;

  g_variant_dict_init (&dict, NULL);
  g_variant_iter_init (&iter, first);
  while (g_variant_iter_loop (&iter, "{&sv}", &path, &value))
    {
      gboolean is_repeated = FALSE;

      for (guint side = 1; side < MOST_SIDES; side++)
        is_repeated = is_repeated || shardwise_question_find (self->question, path, side) != NULL;
      in_common = in_common || is_repeated;
      if (!is_repeated && !g_str_has_prefix (path, STRATEGY))
        g_variant_dict_insert_value (&dict, path, value);
    }
  if (!in_common && !shardwise_question_has_values (self->question, 0))
    {
      g_variant_dict_clear (&dict);
      g_variant_dict_init (&dict, NULL);
    }
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/* Several ways side by side, of which the advice of the deepest pipeline is returned (transfer full)
 * (nullable); where only one is named, against the same without it, or the present one. */
static ShardwiseAdvice *
compare_sides (ShardwiseAsking *self)
{
  g_autoptr (GArray) sides = g_array_new (FALSE, TRUE, sizeof (Side));
  g_autoptr (GVariant) held = held_changes (self);
  ShardwiseAdvice *deepest;
  guint last = 0;

  g_array_set_clear_func (sides, side_clear);
  for (guint i = 0; i < self->question->slots->len; i++)
    last = MAX (last, ((ShardwiseAskSlot *) g_ptr_array_index (self->question->slots, i))->side);
  for (guint i = 0; i <= MIN (last, MOST_SIDES - 1); i++)
    {
      Side side = { 0 };

      evaluate_side (self, i, held, &side);
      if (side.advice != NULL)
        g_array_append_val (sides, side);
      else
        side_clear (&side);
    }
  if (last == 0)
    {
      /* The natural alternative. */
      Side side = { .name = g_strdup (_ ("as it is")) };
      GVariantDict dict;
      gboolean without = FALSE;

      g_variant_dict_init (&dict, NULL);
      for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
        if (names_dimension (self, degrees[i], 0))
          {
            shardwise_changes_insert (&dict, shardwise_dimension_key (degrees[i]), "x", (gint64) 1);
            without = TRUE;
          }
      side.changes = g_variant_ref_sink (g_variant_dict_end (&dict));
      if (without)
        {
          g_free (side.name);
          side.name = shardwise_asking_describe (side.changes);
        }
      side.advice = shardwise_asking_evaluate (self, side.changes, FALSE);
      if (side.advice != NULL)
        g_array_append_val (sides, side);
      else
        side_clear (&side);
    }
  if (sides->len == 0)
    return NULL;
  deepest = g_array_index (sides, Side, 0).advice;
  for (guint i = 0; i < sides->len; i++)
    {
      Side *side = &g_array_index (sides, Side, i);

      if (*side->name == '\0')
        {
          g_free (side->name);
          side->name = g_strdup (_ ("as it is"));
        }
      say_side (self, side, i);
    }
  say_ranking (self, sides);
  say_costs (self, sides);
  shardwise_asking_tell (self, _ ("Model, batch and sequence are held, and all that the "
                                  "question does not name is the best of each."));
  for (guint i = 0; i < sides->len; i++)
    if (shardwise_advice_get_recommended (g_array_index (sides, Side, i).advice)->strategy.pp
        > shardwise_advice_get_recommended (deepest)->strategy.pp)
      deepest = g_array_index (sides, Side, i).advice;
  return g_object_ref (deepest);
}

/* "16 H100 or 8 H200?", "TP or FSDP?". */
void
shardwise_asking_compare (ShardwiseAsking *self)
{
  g_autoptr (ShardwiseAdvice) now = NULL;

  self->answer->page = "alternatives";
  if (!shardwise_question_has_values (self->question, 0)
      && !shardwise_question_has_values (self->question, 1))
    shardwise_asking_words (self);
  if (self->question->slots->len > 0)
    now = compare_sides (self);
  if (now == NULL)
    now = shardwise_asking_evaluate (self, NULL, FALSE);
  if (now != NULL)
    shardwise_asking_topics (self, now, SHARDWISE_ASK_OF_ALL);
  if (self->text->len == 0)
    say_open (self);
}

/* ---- best ---- */

/* "TP 1: …; TP 2: …": each value of a dimension with the best of the rest. */
static void
sweep (ShardwiseAsking *self, GVariant *base, SwDimension dimension)
{
  GString *list = g_string_new (NULL);

  for (guint degree = 1; degree <= MOST_DEGREE; degree *= 2)
    {
      g_autoptr (GVariant) changes = NULL;
      g_autoptr (ShardwiseAdvice) advice = NULL;
      g_autofree char *label = shardwise_text_label (dimension, degree), *figure = NULL;
      const SwEstimate *e;
      GVariantDict dict;

      g_variant_dict_init (&dict, base);
      shardwise_changes_insert (&dict, shardwise_dimension_key (dimension), "x", (gint64) degree);
      changes = g_variant_ref_sink (g_variant_dict_end (&dict));
      advice = shardwise_asking_try (self, changes);
      if (advice == NULL)
        continue;
      e = shardwise_advice_get_recommended (advice);
      figure = e->fits ? shardwise_asking_rate (e)
                       : shardwise_text_rule (shardwise_advice_get_problem (advice), &e->strategy,
                                              e->rule, e->missing_bytes);
      g_string_append_printf (list, "%s%s: %s", list->len > 0 ? "; " : "", label, figure);
    }
  if (list->len > 0)
    /* Translators: a list of values, each with what it gives */
    shardwise_asking_say (self, _ ("Each with the best of the rest: %s."), list->str);
  g_string_free (list, TRUE);
}

/* The best of each framework, and the next best. */
static void
say_others (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  GString *list = g_string_new (NULL);
  const guint n = MIN (shardwise_advice_get_n_alternatives (advice), 3);

  for (guint i = 0; i < n; i++)
    {
      const SwEstimate *e = shardwise_advice_get_alternative (advice, i);
      g_autofree char *strategy = shardwise_text_strategy (&e->strategy),
                      *rate = shardwise_format_count (e->tokens_per_s);

      /* Translators: a strategy, a rate */
      g_string_append_printf (list, "%s", list->len > 0 ? "; " : "");
      g_string_append_printf (list, _ ("%s at %s tokens/s"), strategy, rate);
    }
  if (list->len > 0)
    /* Translators: a list of strategies, each with its rate */
    shardwise_asking_say (self, _ ("Next best: %s."), list->str);
  g_string_free (list, TRUE);
}

/* "What is the best strategy?", or the best value of one dimension. */
void
shardwise_asking_best (ShardwiseAsking *self)
{
  g_autoptr (GVariant) changes = shardwise_asking_changes (self, 0);
  g_autoptr (ShardwiseAdvice) advice = shardwise_asking_own (self), compared = NULL;
  int dimension = asked_dimension (self, 0);

  self->answer->page = "advice";
  if (advice == NULL)
    return;
  if (shardwise_advice_get_fits (advice))
    {
      shardwise_asking_verdict (self, advice);
      say_others (self, advice);
    }
  else
    shardwise_asking_misfit (self, advice);
  if (shardwise_advice_get_fits (advice))
    shardwise_asking_offer (self, changes);
  if (shardwise_advice_get_fits (advice) && dimension >= 0)
    say_rationale (self, advice, dimension);
  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    if (names_dimension (self, degrees[i], -1)
        && !shardwise_question_find (self->question,
                                     shardwise_key_path (shardwise_dimension_key (degrees[i])), 0)
                ->value)
      sweep (self, changes, degrees[i]);
  if (shardwise_question_has_values (self->question, 1))
    compared = compare_sides (self);
  shardwise_asking_topics (self, advice, SHARDWISE_ASK_OF_ALL);
}

/* ---- is it allowed ---- */

/* The job's strategy with what the question names, in @framework, held against the rules alone. */
static SwRule
check (ShardwiseAsking *self, const SwProblem *problem, const SwStrategy *base,
       SwFramework framework, SwStrategy *s)
{
  guint others;

  *s = *base;
  s->framework = (guint8) framework;
  for (guint i = 0; i < self->question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->question->slots, i);
      const int dimension = dimension_of (slot->path);

      if (dimension < 0)
        continue;
      if (slot->value == NULL)
        {
          /* Named without a number: in use. */
          if (sw_strategy_get (s, (SwDimension) dimension) < 2
              && (dimension == SW_DIM_TP || dimension == SW_DIM_PP || dimension == SW_DIM_CP
                  || dimension == SW_DIM_EP || dimension == SW_DIM_VPP))
            sw_strategy_set (s, (SwDimension) dimension, 2);
          else if (dimension == SW_DIM_SP || (dimension == SW_DIM_OFFLOAD && s->offload == 0))
            sw_strategy_set (s, (SwDimension) dimension, 1);
        }
      else if (g_variant_is_of_type (slot->value, G_VARIANT_TYPE_INT64))
        sw_strategy_set (s, (SwDimension) dimension, (guint) g_variant_get_int64 (slot->value));
      else if (g_variant_is_of_type (slot->value, G_VARIANT_TYPE_BOOLEAN))
        sw_strategy_set (s, (SwDimension) dimension, g_variant_get_boolean (slot->value) ? 1 : 0);
      else if (g_variant_is_of_type (slot->value, G_VARIANT_TYPE_STRING))
        {
          const char *word = g_variant_get_string (slot->value, NULL);
          const char *const *names = dimension == SW_DIM_SCHEDULE    ? sw_schedule_names
                                     : dimension == SW_DIM_RECOMPUTE ? sw_recompute_names
                                     : dimension == SW_DIM_OFFLOAD   ? sw_offload_names
                                     : dimension == SW_DIM_CP_METHOD ? sw_cp_method_names
                                                                     : NULL;
          int value = names != NULL ? sw_name_index (names, word) : -1;

          if (value >= 0)
            sw_strategy_set (s, (SwDimension) dimension, (guint) value);
        }
    }
  /* What the best strategy has besides is not asked. */
  if (!names_dimension (self, SW_DIM_VPP, -1) && !names_dimension (self, SW_DIM_SCHEDULE, -1))
    {
      s->vpp = 1;
      s->schedule = SW_SCHEDULE_1F1B;
    }
  if (s->vpp > 1)
    s->schedule = SW_SCHEDULE_INTERLEAVED;
  else if (s->schedule == SW_SCHEDULE_INTERLEAVED)
    s->vpp = s->pp > 1 ? 2 : 1;
  if (!names_dimension (self, SW_DIM_SP, -1))
    s->sequence_parallel = s->tp > 1 && sw_framework_rules (framework)->sp;
  s->etp = s->tp;
  /* "46 layers over 16 GPUs": each is a stage. */
  if (!names_dimension (self, SW_DIM_PP, -1) && !names_dimension (self, SW_DIM_TP, -1)
      && names_path (self, SHARDWISE_KEY_MODEL_LAYERS, 0)
      && names_path (self, SHARDWISE_KEY_CLUSTER_GPUS, 0))
    {
      s->tp = s->etp = s->cp = 1;
      s->pp = problem->cluster.gpus;
      s->sequence_parallel = FALSE;
    }
  others = s->tp * s->pp * s->cp;
  if (!names_dimension (self, SW_DIM_DP, -1) || s->dp == 0)
    s->dp = MAX (1, problem->cluster.gpus / MAX (others, 1));
  s->shard_group = s->dp;
  if (!names_dimension (self, SW_DIM_MICRO_BATCH, -1))
    s->micro_batch = MIN (s->micro_batch, MAX (1, problem->training.global_batch / MAX (1, s->dp)));
  return sw_rules_check (problem, s);
}

/* "Is it allowed?": by the rules of the framework that is named, or of each. */
void
shardwise_asking_allowed (ShardwiseAsking *self)
{
  g_autoptr (GVariant) named = shardwise_asking_named (self, 0);
  g_autoptr (ShardwiseAdvice) now = shardwise_asking_evaluate (self, NULL, FALSE);
  g_autoptr (GVariant) framework = g_variant_lookup_value (
      named, shardwise_key_path (SHARDWISE_KEY_TRAINING_FRAMEWORK), G_VARIANT_TYPE_STRING);
  const ShardwiseAskSlot *layers =
      shardwise_question_find (self->question, shardwise_key_path (SHARDWISE_KEY_MODEL_LAYERS), 0);
  GString *yes = g_string_new (NULL), *no = g_string_new (NULL);
  const SwEstimate *e;
  SwProblem problem;
  SwStrategy base, checked;
  gsize begins = self->text->len;
  int named_framework = -1;

  self->answer->page = "alternatives";
  if (now == NULL)
    goto end;
  problem = *shardwise_advice_get_asked (now);
  e = shardwise_advice_get_recommended (now);
  checked = base = e->strategy;
  for (guint d = 0; d < SW_N_DIMENSIONS; d++)
    if (sw_pins_has (&problem.pins, (SwDimension) d))
      sw_strategy_set (&base, (SwDimension) d,
                       sw_strategy_get (&problem.pins.value, (SwDimension) d));
  problem.pins.mask = 0;
  if (layers != NULL && layers->value != NULL)
    problem.model.layers = (guint) g_variant_get_int64 (layers->value);
  if (framework != NULL)
    named_framework = sw_name_index (sw_framework_names, g_variant_get_string (framework, NULL));
  else if (problem.training.framework != SW_FRAMEWORK_ANY && !problem.training.usual_frameworks)
    named_framework = (int) problem.training.framework;
  for (guint f = SW_FRAMEWORK_MEGATRON_CORE; f < SW_N_FRAMEWORKS; f++)
    {
      SwStrategy s;
      SwRule rule;

      if (named_framework >= 0 && (guint) named_framework != f)
        continue;
      rule = check (self, &problem, &base, (SwFramework) f, &s);
      checked = s;
      if (rule == SW_RULE_OK)
        g_string_append_printf (yes, "%s%s", yes->len > 0 ? ", " : "",
                                shardwise_text_framework (f));
      else
        {
          g_autofree char *why = shardwise_text_rule (&problem, &s, rule, 0);

          if (strstr (no->str, why) == NULL)
            g_string_append_printf (no, "%s%s", no->len > 0 ? "; " : "", why);
        }
      if (named_framework >= 0)
        {
          g_autofree char *text = shardwise_text_strategy (&s);

          /* Translators: a strategy that was checked, a framework */
          shardwise_asking_say (self, _ ("Checked: %s in %s."), text, shardwise_text_framework (f));
        }
    }
  if (g_ptr_array_find_with_equal_func (self->question->topics, "few-micro-batches", g_str_equal,
                                        NULL)
      && sw_strategy_micro_batches (&problem, &base) < base.pp)
    {
      g_string_truncate (yes, 0);
      g_string_append_printf (no, "%s%s", no->len > 0 ? "; " : "",
                              _ ("there are fewer micro-batches than stages"));
    }
  if (!shardwise_asking_division (self, &problem, &checked))
    {
      g_string_truncate (yes, 0);
      if (no->len == 0)
        g_string_append (no, _ ("the layers do not divide"));
    }
  shardwise_asking_fact (self, "allowed", yes->len > 0 ? 1 : 0, "");
  if (yes->len == 0 || no->len == 0)
    {
      g_string_insert (self->text, begins, " ");
      g_string_insert (self->text, begins, yes->len > 0 ? _ ("Yes.") : _ ("No."));
    }
  if (yes->len > 0)
    /* Translators: a list of frameworks */
    shardwise_asking_say (self, _ ("It is allowed in %s."), yes->str);
  if (no->len > 0)
    /* Translators: reasons why something is not allowed */
    shardwise_asking_say (self, _ ("Not allowed: %s."), no->str);
  shardwise_asking_topics (self, now, SHARDWISE_ASK_OF_ALL);
end:
  g_string_free (yes, TRUE);
  g_string_free (no, TRUE);
}

/* ---- something better ---- */

/* Usual changes, of what should become better: memory, or else speed. */
static const struct {
  gboolean of_memory;
  const char *changes; /* of a{sv}, as text */
} levers[] = {
  { TRUE, "{'strategy.recompute': <'full'>}" },
  { TRUE, "{'strategy.zero_stage': <int64 3>}" },
  { TRUE, "{'strategy.micro_batch_size': <int64 1>}" },
  { TRUE, "{'training.optimizer': <'adam8bit'>}" },
  { TRUE, "{'strategy.offload': <'optimizer'>}" },
  { TRUE, "{'training.type': <'lora'>}" },
  { FALSE, "{'training.precision': <'fp8'>}" },
  { FALSE, "{'strategy.recompute': <'none'>}" },
  { FALSE, "{'strategy.schedule': <'zero-bubble'>}" },
  { FALSE, "{'training.framework': <'megatron-core'>}" },
  { FALSE, "{'cluster.gpu': <'h200-141-sxm'>}" },
  { FALSE, "{'cluster.gpu': <'b200-180-sxm'>}" },
};

/* What should become small. */
static double
figure_of (const char *goal, const SwEstimate *e)
{
  if (g_str_equal (goal, "memory"))
    return e->memory.peak.total;
  if (g_str_equal (goal, "communication"))
    return e->communication_overhead;
  return g_str_equal (goal, "bubble") ? e->bubble_fraction : 1 / e->tokens_per_s_per_gpu;
}

/* Names the usual changes that help, each with what it gains and what it does to the throughput; offers
 * the best. Memory is what a strategy takes: it is held, since the search would spend it on speed. */
static void
say_levers (ShardwiseAsking *self, const char *goal, GVariant *base, const SwEstimate *now)
{
  const gboolean is_memory = g_str_equal (goal, "memory"), is_cost = g_str_equal (goal, "cost");
  g_autoptr (GVariant) held = is_memory ? g_variant_ref_sink (shardwise_strategy_changes (
                                  &now->strategy, SHARDWISE_ALL_DIMENSIONS))
                                        : NULL,
                       start = held != NULL ? shardwise_asking_join (base, held)
                                            : g_variant_ref (base);
  GString *list = g_string_new (NULL);
  double best = 0;

  for (guint i = 0; i < G_N_ELEMENTS (levers); i++)
    {
      g_autoptr (GVariant) one = g_variant_ref_sink (g_variant_new_parsed (levers[i].changes)),
                           settled = shardwise_asking_settle (one, self->scenario),
                           all = shardwise_asking_join (start, settled), offer = NULL;
      g_autoptr (ShardwiseAdvice) advice = NULL;
      g_autofree char *what = NULL, *share = NULL, *speed = NULL;
      const SwEstimate *then;
      double gain;

      if (levers[i].of_memory != is_memory
          || (is_cost && strstr (levers[i].changes, "cluster.gpu") != NULL) /* at another price */
          || (advice = shardwise_asking_try (self, all)) == NULL
          || !shardwise_advice_get_fits (advice))
        continue;
      then = shardwise_advice_get_recommended (advice);
      gain = 1 - figure_of (goal, then) / figure_of (goal, now);
      if (!(gain > 0.01))
        continue;
      if (gain > best)
        {
          offer = shardwise_asking_join (base, settled);
          shardwise_asking_offer (self, offer);
          best = gain;
        }
      what = shardwise_asking_describe (one);
      share = shardwise_format_percent (gain);
      speed = shardwise_format_change (then->tokens_per_s / now->tokens_per_s - 1);
      g_string_append (list, list->len > 0 ? "; " : "");
      /* Translators: a change, how much less it makes something, change of the throughput */
      g_string_append_printf (list, _ ("%s (−%s, throughput %s)"), what, share, speed);
    }
  if (list->len == 0)
    shardwise_asking_tell (self, _ ("None of the usual changes helps."));
  else if (is_memory)
    /* Translators: a list of changes, each with what it gains */
    shardwise_asking_say (self, _ ("What helps, all else as it is: %s."), list->str);
  else
    shardwise_asking_say (self, _ ("What helps, each with its own best strategy: %s."), list->str);
  g_string_free (list, TRUE);
}

/* ---- how to ---- */

static void
say_goal (ShardwiseAsking *self, const char *goal)
{
  g_autoptr (GVariant) changes = shardwise_asking_changes (self, 0);
  g_autoptr (ShardwiseAdvice) now = shardwise_asking_evaluate (self, changes, TRUE);

  if (now == NULL)
    return;
  if (!shardwise_advice_get_fits (now))
    {
      shardwise_asking_misfit (self, now);
      return;
    }
  if (g_str_equal (goal, "cost"))
    {
      ShardwiseCostInputs inputs;

      /* What lowers a cost that is not known? */
      shardwise_cost_inputs_read (self->scenario, shardwise_advice_get_problem (now), &inputs);
      if (!(inputs.price > 0) && !(inputs.capex_per_gpu > 0))
        {
          shardwise_asking_take (self, shardwise_cost_cloud_text (&inputs));
          return;
        }
    }
  shardwise_asking_verdict (self, now);
  say_levers (self, goal, changes, shardwise_advice_get_recommended (now));
  shardwise_asking_topics (self, now, SHARDWISE_ASK_OF_ALL);
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
          self,
          /* Translators: name of an input, what it accepts, its key in the file */
          _ ("Set “%s” among the inputs; accepted: %s. In a file it is %s."), _ (key->title), range,
          key->path);
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
