/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why, what if, comparisons, best strategy, improvements and rules: the present answer beside the change. */
#include "shardwise-ask-needs.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-changes.h"
#include "shardwise-cost.h"
#include "shardwise-format.h"
#include "shardwise-text-reasons.h"
#include "shardwise-text-search.h"
#include "shardwise-text-strategy.h"
#include "shardwise-terms.h"

#define STRATEGY "strategy."

/* What counts as no difference of speed. */
#define SAME 0.005

enum {
  MOST_REASONS = 2, /* of a strategy as a whole */
  MOST_SIDES = 6,
  MOST_DEGREE = 16
};

static const SwDimension degrees[] = { SW_DIM_TP, SW_DIM_PP, SW_DIM_CP, SW_DIM_EP };

/* ---- what is named ---- */

static int
dimension_of (const ShardwiseAskSlot *slot)
{
  return slot != NULL && g_str_has_prefix (slot->path, STRATEGY)
             ? sw_name_index (sw_dimension_names, slot->path + strlen (STRATEGY))
             : -1;
}

/* The first dimension that the question names on @side; -1: none. */
static int
asked_dimension (const ShardwiseAsking *self, guint side)
{
  const ShardwiseAskSlot *slot;

  for (guint i = 0; (slot = shardwise_question_slot (self->question, i)) != NULL; i++)
    if (slot->side == side && dimension_of (slot) >= 0)
      return dimension_of (slot);
  return -1;
}

/* Whether the question names the dimension on @side; on any side: -1. */
static gboolean
names (ShardwiseAsking *self, SwDimension dimension, int side)
{
  return shardwise_question_names (self->question, shardwise_dimension_key (dimension), side);
}

/* Whether the result could run, possibly with more memory; unsupported changes are not offered. */
static gboolean
is_possible (ShardwiseAdvice *advice)
{
  SwRule rule = shardwise_advice_get_recommended (advice)->rule;

  return shardwise_advice_get_fits (advice) || rule == SW_RULE_GPU_MEMORY
         || rule == SW_RULE_HOST_MEMORY;
}

/* ---- one against another ---- */

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

static const SwEstimate *
estimate_of (const Side *side)
{
  return shardwise_advice_get_recommended (side->advice);
}

/* (transfer full) of both; where there is no advice, nothing is added. */
static void
add_side (GArray *sides, GVariant *changes, char *name, ShardwiseAdvice *advice)
{
  Side side = { changes, name, advice };

  if (*name == '\0')
    {
      g_free (name);
      side.name = g_strdup (_ ("the job as it is"));
    }
  if (advice != NULL)
    g_array_append_val (sides, side);
  else
    side_clear (&side);
}

static GArray *
sides_new (void)
{
  GArray *sides = g_array_new (FALSE, TRUE, sizeof (Side));

  g_array_set_clear_func (sides, side_clear);
  return sides;
}

static void
say_side (ShardwiseAsking *self, const Side *side, guint index)
{
  const SwEstimate *e = estimate_of (side);
  g_autofree char *begin = shardwise_text_capitalise (side->name), *text = NULL,
                  *prefix = index == 0   ? g_strdup ("")
                            : index == 1 ? g_strdup ("now_")
                                         : g_strdup_printf ("side%u_", index);

  shardwise_asking_facts (self, prefix, side->advice);
  if (!e->fits)
    {
      g_autofree char *why = shardwise_text_misfit (shardwise_advice_get_problem (side->advice),
                                                    begin, e),
                      *nearest = shardwise_text_strategy (&e->strategy);

      /* Translators: why something does not fit, the nearest strategy */
      shardwise_asking_say (self, _ ("%s (the nearest: %s)."), why, nearest);
      return;
    }
  text = shardwise_asking_fill (
      self, side->advice,
      /* Translators: what follows what is compared; the words in braces stay */
      _ ("{rate} with {strategy}, a step of {step}, {memory} per GPU; a GPU sends {sent} a step "
         "and "
         "waits {waits} of it for communication, {bubble} in the bubble."));
  shardwise_asking_say (self, _ ("%s: %s"), begin, text);
  if (shardwise_advice_get_days (side->advice) > 0)
    {
      g_autofree char *days =
          shardwise_format_significant (shardwise_advice_get_days (side->advice));

      /* Translators: a number of days */
      shardwise_asking_say (self, _ ("The training takes %s days."), days);
    }
  shardwise_asking_idle (self, e);
}

/* Whether all sides come to the same strategy with the same memory. */
static gboolean
are_same (GArray *sides)
{
  const SwEstimate *first = estimate_of (&g_array_index (sides, Side, 0));

  for (guint i = 1; i < sides->len; i++)
    {
      const SwEstimate *other = estimate_of (&g_array_index (sides, Side, i));

      if (!sw_strategy_equal (&first->strategy, &other->strategy)
          || first->memory.peak.total != other->memory.peak.total
          || first->tokens_per_s != other->tokens_per_s)
        return FALSE;
    }
  return TRUE;
}

/* The fastest of those that fit against the slowest, and against a mere count of GPUs per GPU. */
static void
say_ranking (ShardwiseAsking *self, GArray *sides)
{
  const Side *best = NULL, *worst = NULL;
  const SwEstimate *a, *b;
  guint n_fit = 0;
  g_autofree char *ratio = NULL, *begin = NULL;

  for (guint i = 0; i < sides->len; i++)
    {
      const Side *side = &g_array_index (sides, Side, i);

      if (!estimate_of (side)->fits)
        continue;
      n_fit++;
      if (best == NULL || estimate_of (side)->tokens_per_s > estimate_of (best)->tokens_per_s)
        best = side;
      if (worst == NULL || estimate_of (side)->tokens_per_s < estimate_of (worst)->tokens_per_s)
        worst = side;
    }
  if (best == NULL)
    {
      shardwise_asking_ways_out (self, g_array_index (sides, Side, 0).advice);
      return;
    }
  shardwise_asking_offer (self, best->changes);
  a = estimate_of (best);
  b = estimate_of (worst);
  if (n_fit == 1)
    {
      if (sides->len > 1)
        /* Translators: one of several that were compared */
        shardwise_asking_say (self, _ ("Only %s fits."), best->name);
      return;
    }
  if (a->tokens_per_s / b->tokens_per_s - 1 < SAME && a->gpus_used == b->gpus_used)
    {
      shardwise_asking_tell (self, are_same (sides) ? _ ("Both come to the same.")
                                                    : _ ("Both are as fast."));
      return;
    }
  begin = shardwise_text_capitalise (best->name);
  ratio = shardwise_format_significant (a->tokens_per_s / b->tokens_per_s);
  shardwise_asking_fact (self, "ratio", a->tokens_per_s / b->tokens_per_s, "1");
  shardwise_asking_say (self,
                        /* Translators: two that are compared, a factor */
                        _ ("%1$s is %3$s times as fast as %2$s."), begin, worst->name, ratio);
  if (a->gpus_used != b->gpus_used)
    {
      g_autofree char *each =
          shardwise_format_percent (a->tokens_per_s_per_gpu / b->tokens_per_s_per_gpu);

      /* Translators: a percentage */
      shardwise_asking_say (self, _ ("Per GPU it is %s."), each);
    }
  if (a->tokens_low_per_s < b->tokens_high_per_s)
    shardwise_asking_tell (self,
                           _ ("The intervals overlap, though both share most of their error."));
}

/* The ranking first, which is the answer, then each side. */
static void
say_sides (ShardwiseAsking *self, GArray *sides)
{
  say_ranking (self, sides);
  for (guint i = 0; i < sides->len; i++)
    say_side (self, &g_array_index (sides, Side, i), i);
}

/* The job with changes against the job as it is, or as it is given; offered where it could run. */
static void
say_change (ShardwiseAsking *self, GVariant *changes, gboolean is_given, ShardwiseAdvice *then,
            ShardwiseAdvice *now)
{
  g_autoptr (GArray) sides = sides_new ();

  add_side (sides, g_variant_ref (changes), shardwise_asking_describe (changes),
            g_object_ref (then));
  /* Translators: what is compared with a change on a cluster or model that was named for both */
  add_side (sides, NULL, g_strdup (is_given ? _ ("the same without it") : ""), g_object_ref (now));
  say_sides (self, sides);
  shardwise_asking_offer (self, is_possible (then) ? changes : NULL);
}

/* ---- why ---- */

static void
say_rationale (ShardwiseAsking *self, ShardwiseAdvice *now, int dimension)
{
  GPtrArray *all = shardwise_advice_get_rationale (now);
  g_autofree char *label = shardwise_text_label (
      (SwDimension) dimension,
      sw_strategy_get (&shardwise_advice_get_recommended (now)->strategy, (SwDimension) dimension));

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

/* Whether the recommended strategy has the degrees that the question names. */
static gboolean
is_recommended (ShardwiseAsking *self, ShardwiseAdvice *now)
{
  const SwStrategy *strategy = &shardwise_advice_get_recommended (now)->strategy;
  const ShardwiseAskSlot *slot;
  gboolean is_so = TRUE;

  for (guint i = 0; (slot = shardwise_question_slot (self->question, i)) != NULL; i++)
    is_so = is_so
            && (slot->side > 0 || dimension_of (slot) < 0 || slot->value == NULL
                || !g_variant_is_of_type (slot->value, G_VARIANT_TYPE_INT64)
                || g_variant_get_int64 (slot->value)
                       == sw_strategy_get (strategy, (SwDimension) dimension_of (slot)));
  return is_so;
}

/* The recommended strategy against what the question would have had instead. */
static void
say_counterfactual (ShardwiseAsking *self, GVariant *job, ShardwiseAdvice *now, guint side)
{
  g_autoptr (GVariant) own = shardwise_asking_changes (self, side),
                       changes = shardwise_asking_join (job, own);
  g_autoptr (ShardwiseAdvice) then = shardwise_asking_evaluate (self, changes, FALSE);
  int dimension = asked_dimension (self, side);

  if (then == NULL)
    return;
  if (dimension >= 0 && shardwise_advice_get_fits (then))
    {
      /* In what the alternative loses, in the words of the table of neighbours. */
      const SwEstimate *a = shardwise_advice_get_recommended (now),
                       *b = shardwise_advice_get_recommended (then);
      const SwNeighbour neighbour = {
        .estimate = *b,
        .rule = b->rule,
        .value = sw_strategy_get (&b->strategy, (SwDimension) dimension),
        .change = a->tokens_per_s / b->tokens_per_s - 1,
      };
      g_autofree char *label = shardwise_text_label ((SwDimension) dimension, neighbour.value),
                      *text = shardwise_text_neighbour (shardwise_advice_get_problem (now), a,
                                                        &neighbour);

      shardwise_asking_say (self, _ ("%s: %s."), label, text);
    }
  say_change (self, changes, FALSE, then, now);
}

/* The changes of the job itself. */
static GVariant *
without_strategy (GVariant *changes)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, changes);
  for (guint d = 0; d < SW_N_DIMENSIONS; d++)
    g_variant_dict_remove (&dict, shardwise_key_path (shardwise_dimension_key ((SwDimension) d)));
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/* Explains the recommended strategy, or evaluates it beside the alternative in the question. */
void
shardwise_asking_why (ShardwiseAsking *self)
{
  g_autoptr (GVariant) own = shardwise_asking_changes (self, 0), job = without_strategy (own);
  g_autoptr (ShardwiseAdvice) now = shardwise_asking_evaluate (self, job, TRUE);
  const int dimension = asked_dimension (self, 0),
            named = dimension >= 0 ? dimension : asked_dimension (self, 1);
  const gboolean has_other = shardwise_question_states (self->question, 1, FALSE),
                 has_own = g_variant_n_children (own) > g_variant_n_children (job);

  self->answer->page = "advice";
  if (now == NULL)
    return;
  if (!shardwise_advice_get_fits (now))
    {
      shardwise_asking_misfit (self, now);
      shardwise_asking_topics (self, now, SHARDWISE_TERM_OF_ALL);
      return;
    }
  if (named >= 0
      && shardwise_text_is_pinned (shardwise_advice_get_problem (now), (SwDimension) named))
    shardwise_asking_tell (
        self, _ ("The scenario fixes this value, so nothing else was searched for it."));
  if (has_own && (dimension >= 0 ? !is_recommended (self, now) : !has_other))
    say_counterfactual (self, job, now, 0);
  else if (has_other)
    say_counterfactual (self, job, now, 1);
  else if (named >= 0)
    {
      say_rationale (self, now, named);
      shardwise_asking_facts (self, "", now);
    }
  else
    {
      GPtrArray *rationale = shardwise_advice_get_rationale (now);

      shardwise_asking_verdict (self, now);
      for (guint i = 0; i < MIN (rationale->len, MOST_REASONS); i++)
        shardwise_asking_tell (self,
                               ((ShardwiseRationale *) g_ptr_array_index (rationale, i))->text);
    }
  shardwise_asking_topics (self, now, SHARDWISE_TERM_OF_ALL);
}

/* ---- what if ---- */

/* The first key that is named, with what it accepts. */
static void
say_key (ShardwiseAsking *self)
{
  const ShardwiseAskSlot *slot = shardwise_question_slot (self->question, 0);
  const ShardwiseKey *key = slot != NULL && slot->key != SHARDWISE_KEY_NONE
                                ? shardwise_key_get (slot->key)
                                : NULL;
  g_autofree char *range = key != NULL ? shardwise_key_describe_range (key) : NULL;

  if (key != NULL)
    /* Translators: name of an input, what it accepts, its key in the file */
    shardwise_asking_say (self, _ ("Set “%s” in the inputs; allowed: %s. In a file it is %s."),
                          _ (key->title), range, key->path);
}

/* What both sides have: "is fp8 worth it on H100"; empty where nothing else changes. */
static GVariant *
given_changes (ShardwiseAsking *self, GVariant *changes)
{
  const ShardwiseAskSlot *slot;
  GVariantDict given;
  g_autoptr (GVariant) both = NULL;

  g_variant_dict_init (&given, NULL);
  for (guint i = 0; (slot = shardwise_question_slot (self->question, i)) != NULL; i++)
    if (slot->given && slot->value != NULL)
      g_variant_dict_insert_value (&given, slot->path, slot->value);
  both = g_variant_ref_sink (g_variant_dict_end (&given));
  return g_variant_n_children (both) < g_variant_n_children (changes)
             ? shardwise_asking_settle (both, self->scenario)
             : g_variant_ref_sink (g_variant_new_parsed ("@a{sv} {}"));
}

/* "What if I use H200s?": the change against the scenario as it is. */
void
shardwise_asking_what_if (ShardwiseAsking *self)
{
  const gboolean is_new = shardwise_question_states (self->question, 0, TRUE);
  /* "Swap the H100s for H200s": what the inputs have already is no change. */
  g_autoptr (GVariant) changes = shardwise_asking_changes (self, is_new ? 0 : 1),
                       given = given_changes (self, changes);
  g_autoptr (ShardwiseAdvice) now = NULL, then = NULL;

  self->answer->page = "advice";
  if (is_new && shardwise_question_states (self->question, 1, TRUE))
    shardwise_asking_compare (self);
  else if (g_variant_n_children (changes) > 0)
    {
      now = shardwise_asking_evaluate (self, given, FALSE);
      then = now != NULL ? shardwise_asking_evaluate (self, changes, TRUE) : NULL;
      if (then == NULL)
        return;
      say_change (self, changes, g_variant_n_children (given) > 0, then, now);
      if (!shardwise_advice_get_fits (then))
        shardwise_asking_ways_out (self, then);
      shardwise_asking_topics (self, then, SHARDWISE_TERM_OF_ALL);
    }
  /* What was named only has a meaning, or is so already. */
  else if (shardwise_question_states (self->question, 0, FALSE))
    shardwise_asking_best (self);
  else
    shardwise_asking_define (self);
}

/* ---- which of several ---- */

/* Whether a value of side 0 is not shared: another side names its key or a related one. */
static gboolean
is_own (ShardwiseAsking *self, ShardwiseKeyId key)
{
  static const ShardwiseKeyId alike[][2] = {
    { SHARDWISE_KEY_TRAINING_TYPE, SHARDWISE_KEY_TRAINING_OPTIMIZER },
    { SHARDWISE_KEY_TRAINING_OPTIMIZER, SHARDWISE_KEY_TRAINING_TYPE },
    { SHARDWISE_KEY_CLUSTER_INTER_NODE_GB_S, SHARDWISE_KEY_CLUSTER_INTER_NODE },
  };
  const ShardwiseAskSlot *slot;
  gboolean is_one = FALSE;

  for (guint i = 0; (slot = shardwise_question_slot (self->question, i)) != NULL; i++)
    {
      is_one = is_one || (slot->side > 0 && slot->key == key);
      for (guint k = 0; k < G_N_ELEMENTS (alike); k++)
        is_one = is_one || (slot->side > 0 && key == alike[k][0] && slot->key == alike[k][1]);
    }
  return is_one;
}

/* What a side is called: its values and what it names without one, but for what all sides share. */
static char *
side_name (ShardwiseAsking *self, guint side)
{
  GString *name = g_string_new (NULL);
  const ShardwiseAskSlot *slot;

  for (guint i = 0; (slot = shardwise_question_slot (self->question, i)) != NULL; i++)
    {
      g_autofree char *text = NULL;

      if (slot->side != side || slot->key == SHARDWISE_KEY_NONE
          || (slot->repeats
              && (g_str_has_prefix (slot->path, "model.")
                  || g_str_has_prefix (slot->path, "cluster.")))
          || (side == 0 && !g_str_has_prefix (slot->path, STRATEGY) && !is_own (self, slot->key)
              && slot->key != SHARDWISE_KEY_TRAINING_FRAMEWORK
              && shardwise_question_states (self->question, 1, FALSE)))
        continue;
      if (slot->value != NULL)
        {
          g_autoptr (GVariant) one =
              g_variant_ref_sink (g_variant_new_parsed ("{%s: %v}", slot->path, slot->value));

          text = shardwise_asking_describe (one);
        }
      else
        text = g_strdup (_ (shardwise_key_get (slot->key)->title));
      if (text != NULL)
        g_string_append_printf (name, "%s%s", name->len > 0 ? " + " : "", text);
    }
  return g_string_free (name, FALSE);
}

/* Whether one is the better of two: it fits, is faster, or lacks less. */
static gboolean
is_better (const SwEstimate *then, const SwEstimate *now)
{
  if (now == NULL || then->fits != now->fits)
    return now == NULL || then->fits;
  return then->fits ? then->tokens_per_s > now->tokens_per_s
                    : then->rule == SW_RULE_GPU_MEMORY && then->missing_bytes < now->missing_bytes;
}

/* Tries the degrees of a dimension from @least on, listed in @list (nullable). Returns (transfer full) (nullable): the best. */
static ShardwiseAdvice *
try_degrees (ShardwiseAsking *self, GVariant *base, SwDimension dimension, guint least,
             GString *list)
{
  ShardwiseAdvice *best = NULL;

  for (guint degree = least; degree <= MOST_DEGREE; degree *= 2)
    {
      g_autoptr (GVariant) tried = shardwise_asking_with (base, shardwise_dimension_key (dimension),
                                                          "x", (gint64) degree);
      g_autoptr (ShardwiseAdvice) advice = shardwise_asking_try (self, tried);
      g_autofree char *label = shardwise_text_label (dimension, degree), *figure = NULL;
      const SwEstimate *e;

      if (advice == NULL)
        continue;
      e = shardwise_advice_get_recommended (advice);
      figure = e->fits ? shardwise_text_rate (e)
                       : shardwise_text_rule (shardwise_advice_get_problem (advice), &e->strategy,
                                              e->rule, e->missing_bytes);
      if (list != NULL)
        shardwise_text_list (list, "%s: %s", label, figure);
      if (is_better (e, best != NULL ? shardwise_advice_get_recommended (best) : NULL))
        g_set_object (&best, advice);
    }
  return best;
}

/* What is used where it is named without a value. */
static const struct {
  ShardwiseKeyId key;
  const char *used;
} techniques[] = {
  { SHARDWISE_KEY_STRATEGY_RECOMPUTE, "full" },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, "optimizer" },
};

/* Puts to use what a side names without a value, of changes that have none of it; off: where another side names it. */
static void
use_techniques (ShardwiseAsking *self, guint index, GVariant *changes, GVariantDict *dict)
{
  for (guint i = 0; i < G_N_ELEMENTS (techniques); i++)
    if (!shardwise_asking_has (changes, techniques[i].key)
        && shardwise_question_names (self->question, techniques[i].key, -1))
      shardwise_changes_insert (
          dict, techniques[i].key, "s",
          shardwise_question_names (self->question, techniques[i].key, (int) index)
              ? techniques[i].used
              : "none");
}

/* Evaluates a side: its values, or the best degree of a named split, without the splits of other sides. */
static void
evaluate_side (ShardwiseAsking *self, guint index, GVariant *held, GArray *sides)
{
  g_autoptr (GVariant) own = shardwise_asking_own_changes (self, index),
                       both = shardwise_asking_join (held, own), base = NULL, settled = NULL;
  const gboolean has_sp = names (self, SW_DIM_SP, (int) index);
  GVariantDict dict;
  gboolean splits = names (self, SW_DIM_SP, -1) || names (self, SW_DIM_DP, -1), has_degree = FALSE,
           is_relative = FALSE;
  guint n_named = 0, n_own = 0;
  int open = -1; /* a degree without a value */

  g_variant_dict_init (&dict, both);
  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    {
      const ShardwiseAskSlot *slot =
          shardwise_question_find (self->question, shardwise_dimension_key (degrees[i]), index);

      splits = splits || names (self, degrees[i], -1);
      has_degree = has_degree || (slot != NULL && slot->value != NULL);
      is_relative = is_relative || (slot != NULL && slot->factor > 0);
      n_named += names (self, degrees[i], -1);
      n_own += names (self, degrees[i], (int) index);
    }
  /* "PP 4 or TP 4": either without the other. */
  has_degree = is_relative || (has_degree && !(n_named == 2 && n_own == 1));
  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    {
      const ShardwiseKeyId key = shardwise_dimension_key (degrees[i]);

      if (shardwise_asking_has (both, key))
        continue;
      /* Sequence parallelism is over the ranks of TP. */
      if ((degrees[i] == SW_DIM_TP && has_sp)
          || (open < 0 && names (self, degrees[i], (int) index)))
        open = (int) degrees[i];
      /* What the other sides do, one without a value does not. */
      else if (!names (self, degrees[i], (int) index) && names (self, degrees[i], -1)
               && !has_degree)
        shardwise_changes_insert (&dict, key, "x", (gint64) 1);
    }
  if (has_sp && open == SW_DIM_TP)
    shardwise_changes_insert (&dict, SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL, "b", TRUE);
  use_techniques (self, index, both, &dict);
  if (splits
      && ((shardwise_question_names (self->question, SHARDWISE_KEY_TRAINING_FRAMEWORK, (int) index)
           && !has_sp && n_own == 0)
          || (names (self, SW_DIM_ZERO, (int) index)
              && !shardwise_asking_has (both, SHARDWISE_KEY_STRATEGY_ZERO_STAGE))))
    {
      /* FSDP or ZeRO held against ways to split is sharding alone. */
      shardwise_changes_insert (&dict, SHARDWISE_KEY_STRATEGY_ZERO_STAGE, "x", (gint64) 3);
      for (guint i = 0; i < 3; i++)
        if (!names (self, degrees[i], (int) index))
          shardwise_changes_insert (&dict, shardwise_dimension_key (degrees[i]), "x", (gint64) 1);
    }
  else if (names (self, SW_DIM_DP, (int) index)
           && shardwise_question_names (self->question, SHARDWISE_KEY_TRAINING_FRAMEWORK, -1))
    shardwise_changes_insert (&dict, SHARDWISE_KEY_STRATEGY_ZERO_STAGE, "x", (gint64) 0);
  base = g_variant_ref_sink (g_variant_dict_end (&dict));
  settled = shardwise_asking_settle (base, self->scenario);
  add_side (sides, g_variant_ref (settled), side_name (self, index),
            open < 0 ? shardwise_asking_evaluate (self, settled, FALSE)
                     : try_degrees (self, settled, (SwDimension) open, 2, NULL));
}

/* Who asks what is better for the money is told the money, and offered the cheaper. */
static void
say_costs (ShardwiseAsking *self, GArray *sides)
{
  double least = G_MAXDOUBLE;

  for (guint i = 0; i < sides->len && g_strcmp0 (self->question->goal, "cost") == 0; i++)
    {
      const Side *side = &g_array_index (sides, Side, i);
      g_autoptr (ShardwiseScenario) changed = shardwise_asking_changed (self, side->changes);
      const SwProblem *problem = shardwise_advice_get_problem (side->advice);
      const ShardwiseBill *bill = NULL;
      g_autofree char *amount = NULL;
      ShardwiseCostInputs inputs;
      ShardwiseCost cost;

      if (!estimate_of (side)->fits || changed == NULL)
        continue;
      shardwise_cost_inputs_read (changed, problem, &inputs);
      shardwise_cost_compute (&inputs, problem, estimate_of (side), &cost);
      bill = shardwise_cost_bill (&cost);
      if (bill == NULL || !(bill->total > 0))
        {
          shardwise_asking_tell (self, _ ("What either costs needs a number of tokens to "
                                          "train, and a price."));
          return;
        }
      amount = shardwise_format_money (bill->total, inputs.currency);
      /* Translators: what is compared, its cost */
      shardwise_asking_say (self, _ ("%s costs %s."), side->name, amount);
      shardwise_asking_fact (self, i == 0 ? "cost" : "than_cost", bill->total, "money");
      if (bill->total < least)
        shardwise_asking_offer (self, side->changes);
      least = MIN (least, bill->total);
    }
}

/* What holds for all sides: what only the first names, but for ways to split. */
static GVariant *
held_changes (ShardwiseAsking *self)
{
  g_autoptr (GVariant) first = shardwise_asking_named (self, 0);
  const ShardwiseAskSlot *slot;
  GVariantDict dict;

  g_variant_dict_init (&dict, first);
  for (guint i = 0; (slot = shardwise_question_slot (self->question, i)) != NULL; i++)
    if (g_str_has_prefix (slot->path, STRATEGY) || is_own (self, slot->key))
      g_variant_dict_remove (&dict, slot->path);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/* Compares sides, or one side without its splits. Returns (transfer full) (nullable): the first side. */
static ShardwiseAdvice *
compare_sides (ShardwiseAsking *self)
{
  g_autoptr (GArray) sides = sides_new ();
  g_autoptr (GVariant) held = held_changes (self);
  const ShardwiseAskSlot *slot;
  guint last = 0;

  for (guint i = 0; (slot = shardwise_question_slot (self->question, i)) != NULL; i++)
    last = MAX (last, slot->side);
  for (guint i = 0; i <= MIN (last, MOST_SIDES - 1); i++)
    evaluate_side (self, i, held, sides);
  if (last == 0)
    {
      /* The natural alternative. */
      g_autoptr (GVariant) without = NULL;
      GVariantDict dict;

      g_variant_dict_init (&dict, held);
      for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
        if (names (self, degrees[i], 0))
          shardwise_changes_insert (&dict, shardwise_dimension_key (degrees[i]), "x", (gint64) 1);
      for (guint i = 0; i < G_N_ELEMENTS (techniques); i++)
        if (shardwise_question_names (self->question, techniques[i].key, 0))
          shardwise_changes_insert (&dict, techniques[i].key, "s", "none");
      without = g_variant_ref_sink (g_variant_dict_end (&dict));
      add_side (sides, g_variant_ref (without), shardwise_asking_describe (without),
                shardwise_asking_evaluate (self, without, FALSE));
    }
  if (sides->len == 0)
    return NULL;
  /* Neither is what was meant, where what has no value comes to the same. */
  if (sides->len > 1 && are_same (sides)
      && !(shardwise_question_states (self->question, 0, FALSE)
           && shardwise_question_states (self->question, 1, FALSE)))
    return NULL;
  say_sides (self, sides);
  say_costs (self, sides);
  shardwise_asking_tell (self, _ ("Model, batch and sequence are held, and all that the "
                                  "question does not name is the best of each."));
  return g_object_ref (g_array_index (sides, Side, 0).advice);
}

/* "16 H100 or 8 H200?", "TP or FSDP?". */
void
shardwise_asking_compare (ShardwiseAsking *self)
{
  g_autoptr (ShardwiseAdvice) now = NULL;

  self->answer->page = "alternatives";
  if (self->question->slots->len > 0)
    now = compare_sides (self);
  if (now == NULL)
    now = shardwise_asking_evaluate (self, NULL, FALSE);
  if (now != NULL)
    shardwise_asking_topics (self, now, SHARDWISE_TERM_OF_ALL);
  if (self->text->len == 0)
    shardwise_asking_unknown (self);
}

/* ---- best ---- */

/* "TP 1: …; TP 2: …": each value of a dimension with the best of the rest. */
static void
sweep (ShardwiseAsking *self, GVariant *base, SwDimension dimension)
{
  GString *list = g_string_new (NULL);
  g_autoptr (ShardwiseAdvice) best = try_degrees (self, base, dimension, 1, list);

  /* Translators: a list of values, each with what it gives */
  shardwise_asking_say_list (self, _ ("Each with the best of the rest: %s."), list);
}

/* The next best. */
static void
say_others (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < MIN (shardwise_advice_get_n_alternatives (advice), 3); i++)
    {
      const SwEstimate *e = shardwise_advice_get_alternative (advice, i);
      g_autofree char *strategy = shardwise_text_strategy (&e->strategy),
                      *rate = shardwise_format_count (e->tokens_per_s);

      /* Translators: a strategy, a rate */
      shardwise_text_list (list, _ ("%s at %s tokens/s"), strategy, rate);
    }
  /* Translators: a list of strategies, each with its rate */
  shardwise_asking_say_list (self, _ ("Next best: %s."), list);
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
      shardwise_asking_offer (self, changes);
      if (dimension >= 0)
        say_rationale (self, advice, dimension);
    }
  else
    shardwise_asking_misfit (self, advice);
  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    if (names (self, degrees[i], -1)
        && !shardwise_asking_has (changes, shardwise_dimension_key (degrees[i])))
      sweep (self, changes, degrees[i]);
  if (shardwise_question_states (self->question, 1, FALSE))
    compared = compare_sides (self);
  shardwise_asking_topics (self, advice, SHARDWISE_TERM_OF_ALL);
}

/* ---- is it allowed ---- */

/* What the question names, of the job and of how it is split; what has no number is in use. */
static GVariant *
named_in_use (ShardwiseAsking *self)
{
  static const SwDimension split[] = { SW_DIM_TP, SW_DIM_PP, SW_DIM_CP, SW_DIM_EP, SW_DIM_VPP };
  g_autoptr (GVariant) named = shardwise_asking_named (self, 0);
  const ShardwiseAskSlot *layers = shardwise_question_find (self->question,
                                                            SHARDWISE_KEY_MODEL_LAYERS, 0),
                         *gpus = shardwise_question_find (self->question,
                                                          SHARDWISE_KEY_CLUSTER_GPUS, 0);
  GVariantDict dict;

  g_variant_dict_init (&dict, named);
  for (guint i = 0; i < G_N_ELEMENTS (split); i++)
    if (names (self, split[i], 0)
        && !shardwise_asking_has (named, shardwise_dimension_key (split[i]))
        && shardwise_scenario_peek (self->scenario, shardwise_dimension_key (split[i])) == NULL)
      shardwise_changes_insert (&dict, shardwise_dimension_key (split[i]), "x", (gint64) 2);
  if (names (self, SW_DIM_SP, 0)
      && !shardwise_asking_has (named, SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL))
    shardwise_changes_insert (&dict, SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL, "b", TRUE);
  use_techniques (self, 0, named, &dict);
  /* "46 layers over 16 GPUs": each is a stage. */
  if (!names (self, SW_DIM_PP, -1) && !names (self, SW_DIM_TP, -1) && layers != NULL && gpus != NULL
      && gpus->value != NULL)
    g_variant_dict_insert_value (&dict, shardwise_key_path (SHARDWISE_KEY_STRATEGY_PP),
                                 gpus->value);
  /* They are of no model that is known; the division tells. */
  g_variant_dict_remove (&dict, shardwise_key_path (SHARDWISE_KEY_MODEL_LAYERS));
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/* Searches the job in one framework; why: (out) (transfer full) (nullable): the rule that forbids it. */
static ShardwiseAdvice *
allowed_in (ShardwiseAsking *self, GVariant *changes, SwFramework framework, char **why)
{
  const ShardwiseAdviceOptions options = { .top = 1 };
  g_autoptr (GVariant) all = shardwise_asking_with (changes, SHARDWISE_KEY_TRAINING_FRAMEWORK, "s",
                                                    sw_framework_names[framework]),
                       settled = shardwise_asking_settle (all, self->scenario);
  g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (self->scenario);
  g_autoptr (GError) error = NULL;
  ShardwiseAdvice *advice = shardwise_scenario_apply (changed, settled, &error)
                                ? shardwise_advice_compute (changed, &options, self->cancellable,
                                                            &error)
                                : NULL;

  if (advice == NULL)
    *why = g_strdup (error->message);
  else if (!is_possible (advice))
    {
      const SwEstimate *e = shardwise_advice_get_recommended (advice);

      *why = shardwise_text_rule (shardwise_advice_get_problem (advice), &e->strategy, e->rule,
                                  e->missing_bytes);
    }
  return advice;
}

/* Tells whether the layers divide into the stages and chunks. */
static gboolean
say_division (ShardwiseAsking *self, guint layers, const SwStrategy *s)
{
  /* ZB-V and DualPipeV have two chunks on each GPU. */
  const gboolean is_v = shardwise_question_has_topic (self->question, "schedules") && s->vpp == 1;
  const guint v = is_v ? 2 : s->vpp, chunks = s->pp * v;

  if (s->pp < 2
      || (!names (self, SW_DIM_VPP, -1) && !is_v
          && !shardwise_question_names (self->question, SHARDWISE_KEY_MODEL_LAYERS, 0)))
    return TRUE;
  shardwise_asking_fact (self, "layers_over", layers % chunks, "");
  if (layers % chunks == 0)
    /* Translators: layers, stages, virtual stages, layers of each */
    shardwise_asking_say (self, _ ("%u layers divide into PP %u × %u chunks: %u layers each."),
                          layers, s->pp, v, layers / chunks);
  else
    shardwise_asking_say (
        self,
        /* Translators: layers, stages, virtual stages, chunks, the rest, two numbers of
           layers that divide */
        _ ("%u layers do not divide into PP %u × %u chunks = %u: %u are left over, which "
           "an even split drops or refuses; %u or %u would, or an uneven split with fewer "
           "layers in the first and last stage where the framework has one."),
        layers, s->pp, v, chunks, layers % chunks, layers / chunks * chunks,
        (layers / chunks + 1) * chunks);
  return layers % chunks == 0;
}

/* "Is it allowed?": by the rules of the framework that is named, or of each. */
void
shardwise_asking_allowed (ShardwiseAsking *self)
{
  g_autoptr (GVariant) named = named_in_use (self);
  g_autoptr (ShardwiseAdvice) now = shardwise_asking_evaluate (self, NULL, FALSE);
  const ShardwiseAskSlot *layers = shardwise_question_find (self->question,
                                                            SHARDWISE_KEY_MODEL_LAYERS, 0);
  const char *framework = NULL;
  g_autoptr (GString) yes = g_string_new (NULL), no = g_string_new (NULL);
  SwProblem problem;
  SwStrategy checked;
  const gsize begins = self->text->len;
  int only = -1; /* framework */

  self->answer->page = "alternatives";
  if (now == NULL)
    return;
  problem = *shardwise_advice_get_asked (now);
  checked = shardwise_advice_get_recommended (now)->strategy;
  if (layers != NULL && layers->value != NULL)
    problem.model.layers = (guint) g_variant_get_int64 (layers->value);
  if (g_variant_lookup (named, shardwise_key_path (SHARDWISE_KEY_TRAINING_FRAMEWORK), "&s",
                        &framework))
    only = sw_name_index (sw_framework_names, framework);
  else if (problem.training.framework != SW_FRAMEWORK_ANY && !problem.training.usual_frameworks)
    only = (int) problem.training.framework;
  for (guint f = SW_FRAMEWORK_MEGATRON_CORE; f < SW_N_FRAMEWORKS; f++)
    {
      g_autofree char *why = NULL, *text = NULL;
      g_autoptr (ShardwiseAdvice) advice = NULL;

      if (only >= 0 && (guint) only != f)
        continue;
      advice = allowed_in (self, named, (SwFramework) f, &why);
      if (advice != NULL)
        checked = shardwise_advice_get_recommended (advice)->strategy;
      else if (only >= 0)
        checked.pp = 1;
      if (why == NULL)
        g_string_append_printf (yes, "%s%s", yes->len > 0 ? ", " : "",
                                shardwise_text_framework (f));
      else if (strstr (no->str, why) == NULL)
        shardwise_text_list (no, "%s", why);
      if (only < 0 || advice == NULL)
        continue;
      text = shardwise_text_strategy (&checked);
      /* Translators: a strategy that was checked, a framework */
      shardwise_asking_say (self, _ ("Checked: %s in %s."), text, shardwise_text_framework (f));
    }
  if (shardwise_question_has_topic (self->question, "few-micro-batches")
      && sw_strategy_micro_batches (&problem, &checked) < checked.pp)
    {
      g_string_truncate (yes, 0);
      shardwise_text_list (no, "%s", _ ("there are fewer micro-batches than stages"));
    }
  if (!say_division (self, problem.model.layers, &checked))
    {
      g_string_truncate (yes, 0);
      if (no->len == 0)
        g_string_append (no, _ ("the layers do not divide"));
    }
  shardwise_asking_fact (self, "allowed", yes->len > 0 ? 1 : 0, "");
  if (yes->len == 0 || no->len == 0)
    {
      if (self->text->len > begins)
        g_string_insert (self->text, (gssize) begins, " ");
      g_string_insert (self->text, (gssize) begins, yes->len > 0 ? _ ("Yes.") : _ ("No."));
    }
  if (yes->len > 0)
    /* Translators: a list of frameworks */
    shardwise_asking_say (self, _ ("It is allowed in %s."), yes->str);
  if (no->len > 0)
    /* Translators: reasons why something is not allowed */
    shardwise_asking_say (self, _ ("Not allowed: %s."), no->str);
  shardwise_asking_topics (self, now, SHARDWISE_TERM_OF_ALL);
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

/* Lists usual changes with their gains and offers the best; for memory the strategy is held. */
static void
say_levers (ShardwiseAsking *self, const char *goal, GVariant *base, const SwEstimate *now)
{
  const gboolean is_memory = g_str_equal (goal, "memory");
  g_autoptr (GVariant) held = g_variant_ref_sink (shardwise_strategy_changes (
                           &now->strategy, is_memory ? SHARDWISE_ALL_DIMENSIONS : 0)),
                       start = shardwise_asking_join (base, held);
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

      if (levers[i].of_memory != is_memory || (advice = shardwise_asking_try (self, all)) == NULL
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
      /* Translators: a change, how much less it makes something, change of the throughput */
      shardwise_text_list (list, _ ("%s (−%s, throughput %s)"), what, share, speed);
    }
  if (list->len == 0)
    shardwise_asking_tell (self, _ ("None of the usual changes helps."));
  /* Translators: a list of changes, each with what it gains */
  shardwise_asking_say_list (self,
                             is_memory ? _ ("What helps, all else as it is: %s.")
                                       : _ ("What helps, each with its own best strategy: %s."),
                             list);
}

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
  say_levers (self, goal, changes, shardwise_advice_get_recommended (now));
  shardwise_asking_verdict (self, now);
  shardwise_asking_topics (self, now, SHARDWISE_TERM_OF_ALL);
}

/* "How do I save memory?": the usual changes, each evaluated. */
void
shardwise_asking_how_to (ShardwiseAsking *self)
{
  const char *goal = self->question->goal;
  const ShardwiseAskSlot *slot;
  gboolean names_value = goal == NULL;

  /* What is to become better is the job that is named: only another way to run it is a change. */
  for (guint i = 0; (slot = shardwise_question_slot (self->question, i)) != NULL; i++)
    names_value = names_value
                  || (slot->value != NULL
                      && (g_str_has_prefix (slot->path, STRATEGY)
                          || slot->key == SHARDWISE_KEY_TRAINING_PRECISION
                          || slot->key == SHARDWISE_KEY_TRAINING_OPTIMIZER));
  self->answer->page = goal != NULL ? "analysis" : "advice";
  if (names_value && shardwise_question_states (self->question, 0, FALSE))
    {
      say_key (self);
      shardwise_asking_what_if (self);
    }
  else if (goal != NULL || self->question->slots->len == 0)
    say_goal (self, goal != NULL ? goal : "speed");
  else
    say_key (self);
}
