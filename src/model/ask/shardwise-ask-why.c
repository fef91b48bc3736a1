/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why this, why not that, what if, which of two, which at all. */
#include "shardwise-ask-answer-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-cost.h"
#include "shardwise-money.h"
#include "shardwise-text-strategy.h"
#include "shardwise-text-reasons.h"

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

static const ShardwiseRationale *
find_rationale (ShardwiseAdvice *advice, int dimension)
{
  GPtrArray *all = shardwise_advice_get_rationale (advice);

  for (guint i = 0; i < all->len; i++)
    {
      const ShardwiseRationale *one = g_ptr_array_index (all, i);

      if ((int) one->dimension == dimension)
        return one;
    }
  return NULL;
}

static void
say_rationale (ShardwiseAsking *self, ShardwiseAdvice *now, int dimension)
{
  const ShardwiseRationale *rationale = find_rationale (now, dimension);
  const SwEstimate *e = shardwise_advice_get_recommended (now);
  guint value = sw_strategy_get (&e->strategy, (SwDimension) dimension);
  g_autofree char *label = shardwise_text_label ((SwDimension) dimension, value);

  if (rationale != NULL)
    shardwise_asking_say (self, g_strdup (rationale->text));
  else
    /* Translators: a dimension with its value: "CP 1" */
    shardwise_asking_say (
        self,
        g_strdup_printf (_ ("The strategy has %s, and no other value was open here."), label));
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

static void
say_whole (ShardwiseAsking *self, ShardwiseAdvice *now)
{
  GPtrArray *rationale = shardwise_advice_get_rationale (now);

  shardwise_asking_verdict (self, now);
  for (guint i = 0; i < MIN (rationale->len, MOST_REASONS); i++)
    shardwise_asking_say (
        self, g_strdup (((ShardwiseRationale *) g_ptr_array_index (rationale, i))->text));
}

/* In what the alternative loses, in the words of the table of neighbours. */
static void
say_loss (ShardwiseAsking *self, ShardwiseAdvice *now, ShardwiseAdvice *then, int dimension)
{
  const SwEstimate *a = shardwise_advice_get_recommended (now),
                   *b = shardwise_advice_get_recommended (then);
  SwNeighbour neighbour = { .estimate = *b, .rule = b->rule };
  g_autofree char *text = NULL, *label = NULL;

  if (dimension < 0 || !shardwise_advice_get_fits (then))
    return;
  neighbour.value = sw_strategy_get (&b->strategy, (SwDimension) dimension);
  neighbour.change = a->tokens_per_s / b->tokens_per_s - 1;
  label = shardwise_text_label ((SwDimension) dimension, neighbour.value);
  text = shardwise_text_neighbour (shardwise_advice_get_problem (now), a, &neighbour);
  shardwise_asking_say (self, g_strdup_printf (_ ("%s: %s."), label, text));
}

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
say_counterfactual (ShardwiseAsking *self, ShardwiseAdvice *now, guint side, gboolean offers)
{
  g_autoptr (GVariant) changes = shardwise_asking_changes (self, side);
  g_autoptr (ShardwiseAdvice) then = shardwise_asking_evaluate (self, changes, FALSE);
  g_autofree char *what = shardwise_asking_describe (changes);

  if (then == NULL)
    return;
  say_loss (self, now, then, asked_dimension (self, side));
  shardwise_asking_against (self, what, then, _ ("as it is"), now);
  if (offers && is_possible (then))
    shardwise_asking_offer (self, changes);
}

static void
say_pin (ShardwiseAsking *self, ShardwiseAdvice *now, int dimension)
{
  const SwProblem *problem = shardwise_advice_get_problem (now);

  if (dimension >= 0 && shardwise_text_is_pinned (problem, (SwDimension) dimension))
    shardwise_asking_say (
        self, g_strdup (_ ("The scenario fixes this value, so nothing else was searched for it.")));
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
  int dimension = asked_dimension (self, 0), other = asked_dimension (self, 1);
  gboolean has_other = shardwise_question_has_values (self->question, 1),
           has_own = shardwise_question_has_values (self->question, 0);
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
  say_pin (self, now, dimension >= 0 ? dimension : other);
  if (has_other)
    say_counterfactual (self, now, 1, TRUE);
  else if (has_own && (self->text->len > before || dimension < 0))
    say_counterfactual (self, now, 0, TRUE);
  else if (dimension >= 0 || other >= 0)
    {
      say_rationale (self, now, dimension >= 0 ? dimension : other);
      shardwise_asking_facts (self, "", now);
    }
  else
    say_whole (self, now);
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
                      *now = key != NULL
                                 ? shardwise_scenario_get_string (self->scenario, slot->path)
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
