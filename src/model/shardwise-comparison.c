/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-comparison.h"

#include "shardwise-texts.h"

typedef struct {
  SwEstimate estimate; /* of the strategy, for the present answer */
  SwRule rule;         /* why it is none of the answer's; OK: it is one */
} Pinned;

struct _ShardwiseComparison {
  GObject parent_instance;
  ShardwiseAdvice *advice; /* (nullable) */
  ShardwiseCostInputs costs;
  Pinned pinned[SHARDWISE_COMPARISON_MAX];
  guint n;
};

G_DEFINE_FINAL_TYPE (ShardwiseComparison, shardwise_comparison, G_TYPE_OBJECT)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* A value that is fixed in the inputs takes nothing from the figures of a strategy with another one. */
static void
estimate_without_pins (const SwProblem *problem, const SwStrategy *strategy, SwEstimate *out)
{
  SwProblem question = *problem;

  question.pins.mask = 0;
  sw_estimate (&question, strategy, out);
}

/* What the inputs ask for beside the pins: the search tries nothing else. */
static gboolean
is_asked_for (const SwProblem *problem, const SwStrategy *strategy)
{
  const SwTraining *training = &problem->training;

  return (training->framework == SW_FRAMEWORK_ANY || (guint) training->framework == strategy->framework)
         && (training->micro_batch == 0 || training->micro_batch == strategy->micro_batch);
}

static void
estimate (ShardwiseComparison *self, Pinned *pinned)
{
  const SwStrategy strategy = pinned->estimate.strategy;
  const SwProblem *problem;

  if (self->advice == NULL)
    return;
  problem = shardwise_advice_get_problem (self->advice);
  sw_estimate (problem, &strategy, &pinned->estimate);
  pinned->rule = pinned->estimate.rule;
  if (pinned->rule == SW_RULE_OK && !is_asked_for (problem, &strategy))
    pinned->rule = SW_RULE_PIN;
  if (pinned->estimate.rule != SW_RULE_PIN)
    return;
  estimate_without_pins (problem, &strategy, &pinned->estimate);
  if (!pinned->estimate.fits)
    pinned->rule = pinned->estimate.rule;
}

static void
emit_changed (ShardwiseComparison *self)
{
  g_signal_emit (self, signals[CHANGED], 0);
}

/**
 * shardwise_comparison_set_advice:
 * @advice: (nullable): the present answer; %NULL: there are no figures
 * @scenario: (nullable): its inputs, for what they say of cost
 *
 * Estimates every strategy for that answer.
 */
void
shardwise_comparison_set_advice (ShardwiseComparison *self, ShardwiseAdvice *advice, ShardwiseScenario *scenario)
{
  g_return_if_fail (SHARDWISE_IS_COMPARISON (self) && (advice == NULL || SHARDWISE_IS_SCENARIO (scenario)));

  if (!g_set_object (&self->advice, advice))
    return;
  if (advice != NULL)
    shardwise_cost_inputs_read (scenario, shardwise_advice_get_problem (advice), &self->costs);
  for (guint i = 0; i < self->n; i++)
    estimate (self, &self->pinned[i]);
  emit_changed (self);
}

static int
find (ShardwiseComparison *self, const SwStrategy *strategy)
{
  for (guint i = 0; i < self->n; i++)
    if (sw_strategy_equal (&self->pinned[i].estimate.strategy, strategy))
      return (int) i;
  return -1;
}

/**
 * shardwise_comparison_pin:
 * @strategy: one more to compare; copied
 *
 * Returns: %FALSE: it is there already, or there is no room for one more
 */
gboolean
shardwise_comparison_pin (ShardwiseComparison *self, const SwStrategy *strategy)
{
  g_return_val_if_fail (SHARDWISE_IS_COMPARISON (self) && strategy != NULL, FALSE);

  if (self->n == SHARDWISE_COMPARISON_MAX || find (self, strategy) >= 0)
    return FALSE;
  self->pinned[self->n] = (Pinned){ .estimate.strategy = *strategy };
  estimate (self, &self->pinned[self->n++]);
  emit_changed (self);
  return TRUE;
}

/**
 * shardwise_comparison_unpin:
 * @strategy: one that is compared
 *
 * Returns: whether it was there; the others keep their order
 */
gboolean
shardwise_comparison_unpin (ShardwiseComparison *self, const SwStrategy *strategy)
{
  int at;

  g_return_val_if_fail (SHARDWISE_IS_COMPARISON (self) && strategy != NULL, FALSE);

  at = find (self, strategy);
  if (at < 0)
    return FALSE;
  self->n--;
  for (guint i = (guint) at; i < self->n; i++)
    self->pinned[i] = self->pinned[i + 1];
  emit_changed (self);
  return TRUE;
}

/**
 * shardwise_comparison_clear:
 *
 * Compares nothing.
 */
void
shardwise_comparison_clear (ShardwiseComparison *self)
{
  g_return_if_fail (SHARDWISE_IS_COMPARISON (self));

  if (self->n == 0)
    return;
  self->n = 0;
  emit_changed (self);
}

/**
 * shardwise_comparison_has:
 *
 * Returns: whether @strategy is compared
 */
gboolean
shardwise_comparison_has (ShardwiseComparison *self, const SwStrategy *strategy)
{
  g_return_val_if_fail (SHARDWISE_IS_COMPARISON (self) && strategy != NULL, FALSE);

  return find (self, strategy) >= 0;
}

/**
 * shardwise_comparison_get_n:
 *
 * Returns: how many are compared
 */
guint
shardwise_comparison_get_n (ShardwiseComparison *self)
{
  g_return_val_if_fail (SHARDWISE_IS_COMPARISON (self), 0);

  return self->n;
}

/**
 * shardwise_comparison_get_estimate:
 * @index: below shardwise_comparison_get_n(), in the order they came
 *
 * Returns: (transfer none): its figures; valid until the next change. Where shardwise_comparison_has_figures() says
 *   that it has none, only the strategy is to be shown
 */
const SwEstimate *
shardwise_comparison_get_estimate (ShardwiseComparison *self, guint index)
{
  g_return_val_if_fail (SHARDWISE_IS_COMPARISON (self) && index < self->n, NULL);

  return &self->pinned[index].estimate;
}

/**
 * shardwise_comparison_has_figures:
 *
 * Returns: whether the present inputs let the strategy run, were there memory enough
 */
gboolean
shardwise_comparison_has_figures (ShardwiseComparison *self, guint index)
{
  SwRule rule;

  g_return_val_if_fail (SHARDWISE_IS_COMPARISON (self) && index < self->n, FALSE);

  rule = self->pinned[index].rule;
  return self->advice != NULL
         && (rule == SW_RULE_OK || rule == SW_RULE_PIN || rule == SW_RULE_GPU_MEMORY || rule == SW_RULE_HOST_MEMORY);
}

/**
 * shardwise_comparison_get_obstacle:
 *
 * Returns: (transfer full) (nullable): why the strategy is none of those that fit the present inputs; %NULL: it is one
 */
char *
shardwise_comparison_get_obstacle (ShardwiseComparison *self, guint index)
{
  const Pinned *pinned;

  g_return_val_if_fail (SHARDWISE_IS_COMPARISON (self) && index < self->n, NULL);

  pinned = &self->pinned[index];
  if (self->advice == NULL || pinned->rule == SW_RULE_OK)
    return NULL;
  return shardwise_text_rule (shardwise_advice_get_problem (self->advice), &pinned->estimate.strategy, pinned->rule,
                              pinned->estimate.missing_bytes);
}

/**
 * shardwise_comparison_get_problem:
 *
 * Returns: (transfer none) (nullable): the question that the figures answer
 */
const SwProblem *
shardwise_comparison_get_problem (ShardwiseComparison *self)
{
  g_return_val_if_fail (SHARDWISE_IS_COMPARISON (self), NULL);

  return self->advice != NULL ? shardwise_advice_get_problem (self->advice) : NULL;
}

/**
 * shardwise_comparison_get_cost:
 * @index: of a strategy that has figures
 * @out: (out): what the job takes and costs with it
 * @currency: (out) (transfer none): of the amounts
 *
 * Returns: %FALSE: it has no figures
 */
gboolean
shardwise_comparison_get_cost (ShardwiseComparison *self, guint index, ShardwiseCost *out, const char **currency)
{
  g_return_val_if_fail (SHARDWISE_IS_COMPARISON (self) && index < self->n && out != NULL && currency != NULL, FALSE);

  *currency = self->costs.currency;
  if (!shardwise_comparison_has_figures (self, index))
    return FALSE;
  shardwise_cost_compute (&self->costs, shardwise_advice_get_problem (self->advice), &self->pinned[index].estimate,
                          out);
  return TRUE;
}

/* Type */

static void
shardwise_comparison_finalize (GObject *object)
{
  g_clear_object (&SHARDWISE_COMPARISON (object)->advice);
  G_OBJECT_CLASS (shardwise_comparison_parent_class)->finalize (object);
}

static void
shardwise_comparison_class_init (ShardwiseComparisonClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = shardwise_comparison_finalize;
  signals[CHANGED] =
    g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
shardwise_comparison_init (ShardwiseComparison *self)
{
}

/**
 * shardwise_comparison_new:
 *
 * Returns: (transfer full): one of no strategy
 */
ShardwiseComparison *
shardwise_comparison_new (void)
{
  return g_object_new (SHARDWISE_TYPE_COMPARISON, NULL);
}
