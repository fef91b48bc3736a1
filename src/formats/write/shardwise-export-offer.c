/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which target to offer for an answer: one that can be written. */
#include "shardwise-export-private.h"

/* Whether no rule of one of its profiles is against the question with what it pins. */
static gboolean
takes_question (const ShardwiseFormatInfo *info, const SwProblem *problem)
{
  for (guint i = 0; i < SW_N_FRAMEWORKS; i++)
    {
      SwProblem own = *problem;
      SwStrategy pinned = problem->pins.value;

      own.training.framework = (SwFramework) i;
      pinned.framework = (guint8) i;
      if ((info->profiles & (1u << i)) != 0
          && shardwise_export_check_rules (info, &own, &pinned, own.pins.mask, NULL))
        return TRUE;
    }

  return FALSE;
}

/* Whether it writes the very strategy, which fits in memory then. */
static gboolean
takes_strategy (const ShardwiseFormatInfo *info, ShardwiseAdvice *advice,
                const SwEstimate *selected)
{
  g_autoptr (ShardwiseExport) files =
      shardwise_export_write (info->format, shardwise_advice_get_problem (advice), selected, NULL);

  return files != NULL && files->estimate.fits;
}

/**
 * shardwise_export_can_write:
 * @info: a target
 * @advice: an answer
 * @selected: the strategy of it that is looked at
 *
 * Tells without a search. Where @selected is the recommended strategy, the target may write another
 * one, and only what the question itself asks for is held against its rules: that such a strategy
 * fits in memory is not known then.
 *
 * Returns: %FALSE where an export of it would be refused
 */
gboolean
shardwise_export_can_write (const ShardwiseFormatInfo *info, ShardwiseAdvice *advice,
                            const SwEstimate *selected)
{
  const SwEstimate *recommended;

  g_return_val_if_fail (info != NULL, FALSE);
  g_return_val_if_fail (SHARDWISE_IS_ADVICE (advice), FALSE);
  g_return_val_if_fail (selected != NULL, FALSE);

  recommended = shardwise_advice_get_recommended (advice);
  return (sw_strategy_equal (&selected->strategy, &recommended->strategy)
          && takes_question (info, shardwise_advice_get_problem (advice)))
         || takes_strategy (info, advice, selected);
}

/* The target chosen last, in its version, where it is one for the framework. */
static const ShardwiseFormatInfo *
chosen_format (const char *id, const char *version, const char *chosen_for, guint framework)
{
  const ShardwiseFormatInfo *info = shardwise_format_find_version (id, version);

  if (info == NULL)
    info = shardwise_format_find (id);
  if (info == NULL)
    return NULL;

  return (info->profiles & (1u << framework)) != 0
                 || g_strcmp0 (chosen_for, sw_framework_names[framework]) == 0
             ? info
             : NULL;
}

/* The first framework's that writes the very strategy, else the first that may write another. */
static const ShardwiseFormatInfo *
other_format (ShardwiseAdvice *advice, const SwEstimate *selected)
{
  const ShardwiseFormatInfo *possible = NULL;

  for (guint i = 0; i < SHARDWISE_N_FORMATS; i++)
    {
      const ShardwiseFormatInfo *info = shardwise_format_info (i);

      if (info->launcher || !shardwise_format_is_default (info))
        continue;
      if (takes_strategy (info, advice, selected))
        return info;
      if (possible == NULL && shardwise_export_can_write (info, advice, selected))
        possible = info;
    }

  return possible;
}

/**
 * shardwise_export_offered:
 * @id: (nullable): the id of the target that was chosen last
 * @version: (nullable): its version, or ""
 * @chosen_for: (nullable): the name of the framework that it was chosen for
 * @advice: an answer
 * @selected: the strategy of it that is looked at
 *
 * Returns: (transfer none): the target to offer first: the one chosen last, where it can express
 * the strategy's framework or was chosen for it, else the framework's own, each unless it would
 * refuse (see shardwise_export_can_write()), else another framework's; the framework's own where
 * all would refuse
 */
const ShardwiseFormatInfo *
shardwise_export_offered (const char *id, const char *version, const char *chosen_for,
                          ShardwiseAdvice *advice, const SwEstimate *selected)
{
  const ShardwiseFormatInfo *chosen, *own, *other;

  g_return_val_if_fail (SHARDWISE_IS_ADVICE (advice), NULL);
  g_return_val_if_fail (selected != NULL, NULL);

  chosen = chosen_format (id, version, chosen_for, selected->strategy.framework);
  if (chosen != NULL && shardwise_export_can_write (chosen, advice, selected))
    return chosen;
  own = shardwise_format_of_profile ((SwFramework) selected->strategy.framework);
  if (shardwise_export_can_write (own, advice, selected))
    return own;
  other = other_format (advice, selected);

  return other != NULL ? other : own;
}
