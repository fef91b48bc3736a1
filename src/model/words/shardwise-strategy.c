/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-strategy.h"
#include "shardwise-candidate-view.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"

#include <glib/gi18n.h>

struct _ShardwiseStrategy {
  GObject parent_instance;
  ShardwiseAdvice *advice; /* NULL: the content of this row is unknown yet */
  guint rank, variants;
  SwEstimate estimate;
};

G_DEFINE_FINAL_TYPE (ShardwiseStrategy, shardwise_strategy, G_TYPE_OBJECT)

enum {
  PROP_0,
  PROP_RANK,
  PROP_TP,
  PROP_PP,
  PROP_VPP,
  PROP_DP,
  PROP_CP,
  PROP_EP,
  PROP_ZERO,
  PROP_MICRO_BATCH,
  PROP_GPUS, /* uint */
  PROP_RECOMPUTE,
  PROP_SCHEDULE,
  PROP_OFFLOAD,
  PROP_FRAMEWORK,
  PROP_SUMMARY,
  PROP_DIFFERENCE, /* string */
  PROP_MEMORY_GIB,
  PROP_STEP_SECONDS,
  PROP_TOKENS_PER_S,
  PROP_TOKENS_PER_S_PER_GPU,
  PROP_MFU, /* double */
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

enum { CHANGED, N_SIGNALS };

static guint signals[N_SIGNALS];

#define LEAST_CHANGE 0.0005 /* smallest change of the throughput to show */

static double
change_of (ShardwiseStrategy *self)
{
  const SwEstimate *best = shardwise_advice_get_recommended (self->advice);

  return best->tokens_per_s > 0 ? self->estimate.tokens_per_s / best->tokens_per_s - 1 : 0;
}

/* "3.2 % slower: TP 4, …": the loss of throughput, as everywhere, and the differences from the
 * recommended strategy. The figure comes first, because the list may be truncated. */
static char *
difference_text (ShardwiseStrategy *self)
{
  const SwEstimate *best = shardwise_advice_get_recommended (self->advice);
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *what = NULL, *share = NULL;
  const double change = change_of (self);

  for (SwDimension i = 0; i < SW_N_DIMENSIONS; i++)
    {
      g_autofree char *was = shardwise_text_part (&best->strategy, i),
                      *is = shardwise_text_part (&self->estimate.strategy, i);

      if (!g_str_equal (was, is)
          && !shardwise_dimension_is_implied (&self->estimate.strategy, &best->strategy, i))
        g_ptr_array_add (parts, g_steal_pointer (&is));
    }
  if (self->estimate.strategy.framework != best->strategy.framework)
    g_ptr_array_add (parts,
                     g_strdup (shardwise_text_framework (self->estimate.strategy.framework)));
  if (parts->len == 0)
    return g_strdup (_ ("Recommended strategy"));
  g_ptr_array_add (parts, NULL);
  what = shardwise_text_enumerate ((const char *const *) parts->pdata);
  if (ABS (change) < LEAST_CHANGE)
    /* Translators: what differs: "TP 4, PP 8" */
    return g_strdup_printf (_ ("Equally fast: %s"), what);
  share = shardwise_format_percent (ABS (change));
  /* Translators: a percentage, then what differs: "TP 4, PP 8" */
  return g_strdup_printf (change < 0 ? _ ("%s slower: %s") : _ ("%s faster: %s"), share, what);
}

static void
shardwise_strategy_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  ShardwiseStrategy *self = SHARDWISE_STRATEGY (object);
  const SwEstimate *e = &self->estimate;
  const SwStrategy *s = &e->strategy;

  if (self->advice == NULL) /* the content is unknown */
    return;
  switch (prop_id)
    {
    case PROP_RANK: g_value_set_uint (value, self->rank); break;
    case PROP_TP: g_value_set_uint (value, s->tp); break;
    case PROP_PP: g_value_set_uint (value, s->pp); break;
    case PROP_VPP: g_value_set_uint (value, s->vpp); break;
    case PROP_DP: g_value_set_uint (value, s->dp); break;
    case PROP_CP: g_value_set_uint (value, s->cp); break;
    case PROP_EP: g_value_set_uint (value, s->ep); break;
    case PROP_ZERO: g_value_set_uint (value, s->zero_stage); break;
    case PROP_MICRO_BATCH: g_value_set_uint (value, s->micro_batch); break;
    case PROP_GPUS: g_value_set_uint (value, e->gpus_used); break;
    case PROP_RECOMPUTE:
      g_value_take_string (value, shardwise_text_value (s, SW_DIM_RECOMPUTE));
      break;
    case PROP_SCHEDULE:
      g_value_take_string (value, shardwise_text_dimension_value (SW_DIM_SCHEDULE, s->schedule));
      break;
    case PROP_OFFLOAD:
      g_value_take_string (value, shardwise_text_dimension_value (SW_DIM_OFFLOAD, s->offload));
      break;
    case PROP_FRAMEWORK: g_value_set_string (value, shardwise_text_framework (s->framework)); break;
    case PROP_SUMMARY: g_value_take_string (value, shardwise_text_strategy (s)); break;
    case PROP_DIFFERENCE: g_value_take_string (value, difference_text (self)); break;
    case PROP_MEMORY_GIB: g_value_set_double (value, e->memory.peak.total / SW_GIB); break;
    case PROP_STEP_SECONDS: g_value_set_double (value, e->time.step_s); break;
    case PROP_TOKENS_PER_S: g_value_set_double (value, e->tokens_per_s); break;
    case PROP_TOKENS_PER_S_PER_GPU: g_value_set_double (value, e->tokens_per_s_per_gpu); break;
    case PROP_MFU: g_value_set_double (value, e->mfu); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
shardwise_strategy_finalize (GObject *object)
{
  g_clear_object (&SHARDWISE_STRATEGY (object)->advice);
  G_OBJECT_CLASS (shardwise_strategy_parent_class)->finalize (object);
}

static void
shardwise_strategy_class_init (ShardwiseStrategyClass *klass)
{
  static const char *const names[] = { NULL,           "rank",         "tp",
                                       "pp",           "vpp",          "dp",
                                       "cp",           "ep",           "zero",
                                       "micro-batch",  "gpus",         "recompute",
                                       "schedule",     "offload",      "framework",
                                       "summary",      "difference",   "memory-gib",
                                       "step-seconds", "tokens-per-s", "tokens-per-s-per-gpu",
                                       "mfu" };
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  G_STATIC_ASSERT (G_N_ELEMENTS (names) == N_PROPS);
  object_class->get_property = shardwise_strategy_get_property;
  object_class->finalize = shardwise_strategy_finalize;
  for (guint i = PROP_RANK; i < N_PROPS; i++)
    if (i <= PROP_GPUS)
      properties[i] = g_param_spec_uint (names[i], NULL, NULL, 0, G_MAXUINT, 0, flags);
    else if (i <= PROP_DIFFERENCE)
      properties[i] = g_param_spec_string (names[i], NULL, NULL, NULL, flags);
    else
      properties[i] = g_param_spec_double (names[i], NULL, NULL, 0, G_MAXDOUBLE, 0, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  /**
   * ShardwiseStrategy::changed:
   *
   * The row has another strategy or other figures. Replaces a notification for each property, for
   * which a table would compute the same texts repeatedly.
   */
  signals[CHANGED] = g_signal_new ("changed", SHARDWISE_TYPE_STRATEGY, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
shardwise_strategy_init (ShardwiseStrategy *self)
{}

/**
 * shardwise_strategy_get_estimate:
 *
 * Returns: (transfer none): all figures of the strategy; undefined while it is awaited
 */
const SwEstimate *
shardwise_strategy_get_estimate (ShardwiseStrategy *self)
{
  g_return_val_if_fail (SHARDWISE_IS_STRATEGY (self), NULL);

  return &self->estimate;
}

/**
 * shardwise_strategy_speed_text:
 * @self: a strategy of an answer
 *
 * Returns: (transfer full) (nullable): "3.2 % slower" than the recommended one; %NULL: as fast, or
 * unknown
 */
char *
shardwise_strategy_speed_text (ShardwiseStrategy *self)
{
  g_autofree char *share = NULL;
  double change;

  g_return_val_if_fail (SHARDWISE_IS_STRATEGY (self), NULL);
  change = self->advice != NULL ? change_of (self) : 0;
  if (ABS (change) < LEAST_CHANGE)
    return NULL;
  share = shardwise_format_percent (ABS (change));
  /* Translators: a percentage */
  return g_strdup_printf (change < 0 ? _ ("%s slower") : _ ("%s faster"), share);
}

/**
 * shardwise_strategy_get_variants:
 *
 * Returns: number of other strategies of its split that the row represents
 */
guint
shardwise_strategy_get_variants (ShardwiseStrategy *self)
{
  g_return_val_if_fail (SHARDWISE_IS_STRATEGY (self), 0);

  return self->variants;
}

static void
take (ShardwiseStrategy *self, ShardwiseAdvice *advice, guint candidate)
{
  guint n;
  const SwCandidate *candidates = shardwise_advice_get_candidates (advice, &n);

  g_return_if_fail (candidate < n);

  g_set_object (&self->advice, advice);
  self->rank = candidate + 1;
  sw_estimate (shardwise_advice_get_problem (advice), &candidates[candidate].strategy,
               &self->estimate);
}

/**
 * shardwise_strategy_set:
 * @advice: an answer
 * @candidate: index of its candidate, best first
 * @variants: number of other strategies of its split that the row represents
 *
 * Changes the content of the row; emits "changed" if anything differs.
 */
void
shardwise_strategy_set (ShardwiseStrategy *self, ShardwiseAdvice *advice, guint candidate,
                        guint variants)
{
  const SwEstimate before = self->estimate;
  const guint rank = self->rank, others = self->variants;
  g_autoptr (ShardwiseAdvice) known = NULL;

  g_return_if_fail (SHARDWISE_IS_STRATEGY (self) && SHARDWISE_IS_ADVICE (advice));

  known = g_steal_pointer (&self->advice);
  take (self, advice, candidate);
  self->variants = variants;
  if (known == NULL || rank != self->rank || others != variants
      || memcmp (&before, &self->estimate, sizeof before) != 0
      || memcmp (shardwise_advice_get_recommended (known),
                 shardwise_advice_get_recommended (advice), sizeof (SwEstimate))
             != 0)
    g_signal_emit (self, signals[CHANGED], 0);
}

/**
 * shardwise_strategy_await:
 *
 * The content of this row is unknown until shardwise_strategy_set().
 */
void
shardwise_strategy_await (ShardwiseStrategy *self)
{
  g_return_if_fail (SHARDWISE_IS_STRATEGY (self));

  if (self->advice == NULL)
    return;
  g_clear_object (&self->advice);
  g_signal_emit (self, signals[CHANGED], 0);
}

/**
 * shardwise_strategy_is_awaited:
 *
 * Returns: whether the content of this row is unknown: it has no figures
 */
gboolean
shardwise_strategy_is_awaited (ShardwiseStrategy *self)
{
  g_return_val_if_fail (SHARDWISE_IS_STRATEGY (self), TRUE);

  return self->advice == NULL;
}

/**
 * shardwise_strategy_new_awaited:
 *
 * Returns: (transfer full): a row with unknown content
 */
ShardwiseStrategy *
shardwise_strategy_new_awaited (void)
{
  return g_object_new (SHARDWISE_TYPE_STRATEGY, NULL);
}

/**
 * shardwise_strategy_new:
 * @advice: an answer
 * @candidate: index of its candidate, best first
 *
 * Returns: (transfer full): that strategy, with all its figures
 */
ShardwiseStrategy *
shardwise_strategy_new (ShardwiseAdvice *advice, guint candidate)
{
  ShardwiseStrategy *self;
  guint n;

  g_return_val_if_fail (SHARDWISE_IS_ADVICE (advice), NULL);
  shardwise_advice_get_candidates (advice, &n);
  g_return_val_if_fail (candidate < n, NULL);

  self = shardwise_strategy_new_awaited ();
  take (self, advice, candidate);
  return self;
}
