/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-comparison.h"

#include "shardwise-text-search.h"

/* The question that figures answer. */
typedef struct {
  ShardwiseAdvice *advice;     /* (nullable) */
  ShardwiseScenario *scenario; /* (nullable): its inputs at that time */
  ShardwiseCostInputs costs;
} Basis;

typedef struct {
  SwEstimate estimate; /* of the strategy */
  SwRule rule;         /* why it is not part of the answer; OK: it is */
  char *name;          /* of another scenario; NULL: pinned, for the current answer */
  Basis other;         /* of that scenario */
} Pinned;

struct _ShardwiseComparison {
  GObject parent_instance;
  Basis present;
  Pinned pinned[SHARDWISE_COMPARISON_MAX];
  guint n;
};

G_DEFINE_FINAL_TYPE (ShardwiseComparison, shardwise_comparison, G_TYPE_OBJECT)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
basis_set (Basis *basis, ShardwiseAdvice *advice, ShardwiseScenario *scenario)
{
  g_set_object (&basis->advice, advice);
  g_clear_object (&basis->scenario);
  if (advice == NULL)
    return;
  basis->scenario = shardwise_scenario_copy (scenario);
  shardwise_cost_inputs_read (scenario, shardwise_advice_get_problem (advice), &basis->costs);
}

static void
basis_clear (Basis *basis)
{
  g_clear_object (&basis->advice);
  g_clear_object (&basis->scenario);
}

static void
pinned_clear (Pinned *pinned)
{
  g_clear_pointer (&pinned->name, g_free);
  basis_clear (&pinned->other);
}

static const Basis *
basis_of (ShardwiseComparison *self, const Pinned *pinned)
{
  return pinned->name != NULL ? &pinned->other : &self->present;
}

static void
estimate (ShardwiseComparison *self, Pinned *pinned)
{
  const SwStrategy strategy = pinned->estimate.strategy;
  const Basis *basis = basis_of (self, pinned);
  const SwTraining *training;
  const SwProblem *problem;
  SwProblem question;

  if (basis->advice == NULL)
    return;
  problem = shardwise_advice_get_problem (basis->advice);
  sw_estimate (problem, &strategy, &pinned->estimate);
  pinned->rule = pinned->estimate.rule;
  /* Constraints of the inputs other than pins: the search tries nothing else. */
  training = &problem->training;
  if (pinned->rule == SW_RULE_OK
      && ((training->framework != SW_FRAMEWORK_ANY && !training->usual_frameworks
           && (guint) training->framework != strategy.framework)
          || (training->micro_batch != 0 && training->micro_batch != strategy.micro_batch)))
    pinned->rule = SW_RULE_PIN;
  if (pinned->estimate.rule != SW_RULE_PIN)
    return;
  /* A pinned value in the inputs does not remove the figures of a strategy with another value. */
  question = *problem;
  question.pins.mask = 0;
  sw_estimate (&question, &strategy, &pinned->estimate);
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
 * @advice: (nullable): the current answer; %NULL: no figures
 * @scenario: (nullable): its inputs, for the cost
 *
 * Estimates every strategy for that answer, except those of other scenarios.
 */
void
shardwise_comparison_set_advice (ShardwiseComparison *self, ShardwiseAdvice *advice,
                                 ShardwiseScenario *scenario)
{
  g_return_if_fail (SHARDWISE_IS_COMPARISON (self)
                    && (advice == NULL || SHARDWISE_IS_SCENARIO (scenario)));

  if (self->present.advice == advice)
    return;
  basis_set (&self->present, advice, scenario);
  for (guint i = 0; i < self->n; i++)
    estimate (self, &self->pinned[i]);
  emit_changed (self);
}

static int
find (ShardwiseComparison *self, const SwStrategy *strategy)
{
  for (guint i = 0; i < self->n; i++)
    if (self->pinned[i].name == NULL
        && sw_strategy_equal (&self->pinned[i].estimate.strategy, strategy))
      return (int) i;
  return -1;
}

/**
 * shardwise_comparison_pin:
 * @strategy: another strategy to compare; copied
 *
 * Returns: %FALSE: it is already compared, or the comparison is full
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
 * shardwise_comparison_add_scenario:
 * @name: name of the scenario
 * @advice: its answer
 * @scenario: its inputs; copied
 * @strategy: (nullable): one of its strategies; %NULL: the recommended one, or the nearest if
 * nothing fits
 *
 * Adds a strategy of another scenario in its current state. Its figures do not depend on the
 * current answer.
 *
 * Returns: %FALSE: the comparison is full, or the answer has no strategy
 */
gboolean
shardwise_comparison_add_scenario (ShardwiseComparison *self, const char *name,
                                   ShardwiseAdvice *advice, ShardwiseScenario *scenario,
                                   const SwStrategy *strategy)
{
  const SwEstimate *recommended;
  Pinned *pinned;

  g_return_val_if_fail (SHARDWISE_IS_COMPARISON (self) && name != NULL, FALSE);
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (advice) && SHARDWISE_IS_SCENARIO (scenario), FALSE);

  recommended = shardwise_advice_get_recommended (advice);
  if (self->n == SHARDWISE_COMPARISON_MAX || (strategy == NULL && recommended == NULL))
    return FALSE;
  pinned = &self->pinned[self->n++];
  *pinned = (Pinned){ .estimate.strategy = strategy != NULL ? *strategy : recommended->strategy,
                      .name = g_strdup (name) };
  basis_set (&pinned->other, advice, scenario);
  estimate (self, pinned);
  emit_changed (self);
  return TRUE;
}

/**
 * shardwise_comparison_remove:
 * @index: below shardwise_comparison_get_n()
 *
 * Removes it; the others keep their order.
 */
void
shardwise_comparison_remove (ShardwiseComparison *self, guint index)
{
  g_return_if_fail (SHARDWISE_IS_COMPARISON (self) && index < self->n);

  pinned_clear (&self->pinned[index]);
  self->n--;
  for (guint i = index; i < self->n; i++)
    self->pinned[i] = self->pinned[i + 1];
  self->pinned[self->n] = (Pinned){ 0 };
  emit_changed (self);
}

/**
 * shardwise_comparison_unpin:
 * @strategy: a pinned strategy
 *
 * Returns: whether it was compared; the others keep their order
 */
gboolean
shardwise_comparison_unpin (ShardwiseComparison *self, const SwStrategy *strategy)
{
  int at;

  g_return_val_if_fail (SHARDWISE_IS_COMPARISON (self) && strategy != NULL, FALSE);

  at = find (self, strategy);
  if (at >= 0)
    shardwise_comparison_remove (self, (guint) at);
  return at >= 0;
}

/**
 * shardwise_comparison_clear:
 *
 * Removes all strategies.
 */
void
shardwise_comparison_clear (ShardwiseComparison *self)
{
  g_return_if_fail (SHARDWISE_IS_COMPARISON (self));

  if (self->n == 0)
    return;
  while (self->n > 0)
    {
      pinned_clear (&self->pinned[--self->n]);
      self->pinned[self->n] = (Pinned){ 0 };
    }
  emit_changed (self);
}

/**
 * shardwise_comparison_has:
 *
 * Returns: whether @strategy is pinned; those of other scenarios are not
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
 * Returns: number of compared strategies
 */
guint
shardwise_comparison_get_n (ShardwiseComparison *self)
{
  g_return_val_if_fail (SHARDWISE_IS_COMPARISON (self), 0);

  return self->n;
}

/**
 * shardwise_comparison_get_estimate:
 * @index: below shardwise_comparison_get_n(), in the order of addition
 *
 * Returns: (transfer none): its figures; valid until the next change. If
 *   shardwise_comparison_has_figures() returns %FALSE, show only the strategy
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
 * Returns: whether the inputs allow the strategy, apart from memory
 */
gboolean
shardwise_comparison_has_figures (ShardwiseComparison *self, guint index)
{
  SwRule rule;

  g_return_val_if_fail (SHARDWISE_IS_COMPARISON (self) && index < self->n, FALSE);

  rule = self->pinned[index].rule;
  return basis_of (self, &self->pinned[index])->advice != NULL
         && (rule == SW_RULE_OK || rule == SW_RULE_PIN || rule == SW_RULE_GPU_MEMORY
             || rule == SW_RULE_HOST_MEMORY);
}

/**
 * shardwise_comparison_get_obstacle:
 *
 * Returns: (transfer full) (nullable): why the strategy does not fit the current inputs or those of
 * its scenario; %NULL: it fits
 */
char *
shardwise_comparison_get_obstacle (ShardwiseComparison *self, guint index)
{
  const Pinned *pinned;
  const Basis *basis;

  g_return_val_if_fail (SHARDWISE_IS_COMPARISON (self) && index < self->n, NULL);

  pinned = &self->pinned[index];
  basis = basis_of (self, pinned);
  if (basis->advice == NULL || pinned->rule == SW_RULE_OK)
    return NULL;
  return shardwise_text_rule (shardwise_advice_get_problem (basis->advice),
                              &pinned->estimate.strategy, pinned->rule,
                              pinned->estimate.missing_bytes);
}

/**
 * shardwise_comparison_get_name:
 *
 * Returns: (transfer none) (nullable): the scenario of the figures; %NULL: the current inputs
 */
const char *
shardwise_comparison_get_name (ShardwiseComparison *self, guint index)
{
  g_return_val_if_fail (SHARDWISE_IS_COMPARISON (self) && index < self->n, NULL);

  return self->pinned[index].name;
}

/**
 * shardwise_comparison_get_scenario:
 *
 * Returns: (transfer none) (nullable): the inputs of the figures at that time; %NULL: there is no
 * current answer
 */
ShardwiseScenario *
shardwise_comparison_get_scenario (ShardwiseComparison *self, guint index)
{
  g_return_val_if_fail (SHARDWISE_IS_COMPARISON (self) && index < self->n, NULL);

  return basis_of (self, &self->pinned[index])->scenario;
}

/**
 * shardwise_comparison_get_cost:
 * @index: of a strategy that has figures
 * @out: (out): duration and cost of the job
 * @currency: (out) (transfer none): currency of the amounts
 *
 * Returns: %FALSE: it has no figures
 */
gboolean
shardwise_comparison_get_cost (ShardwiseComparison *self, guint index, ShardwiseCost *out,
                               const char **currency)
{
  const Basis *basis;

  g_return_val_if_fail (
      SHARDWISE_IS_COMPARISON (self) && index < self->n && out != NULL && currency != NULL, FALSE);

  basis = basis_of (self, &self->pinned[index]);
  *currency = basis->costs.currency;
  if (!shardwise_comparison_has_figures (self, index))
    return FALSE;
  shardwise_cost_compute (&basis->costs, shardwise_advice_get_problem (basis->advice),
                          &self->pinned[index].estimate, out);
  return TRUE;
}

/* Type */

static void
shardwise_comparison_finalize (GObject *object)
{
  ShardwiseComparison *self = SHARDWISE_COMPARISON (object);

  for (guint i = 0; i < self->n; i++)
    pinned_clear (&self->pinned[i]);
  basis_clear (&self->present);
  G_OBJECT_CLASS (shardwise_comparison_parent_class)->finalize (object);
}

static void
shardwise_comparison_class_init (ShardwiseComparisonClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = shardwise_comparison_finalize;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
shardwise_comparison_init (ShardwiseComparison *self)
{}

/**
 * shardwise_comparison_new:
 *
 * Returns: (transfer full): an empty comparison
 */
ShardwiseComparison *
shardwise_comparison_new (void)
{
  return g_object_new (SHARDWISE_TYPE_COMPARISON, NULL);
}
