/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of a step grows under another strategy. */
#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-texts-private.h"

/* A share of the step that grew by less says little: then the seconds are named. */
#define CLEARLY 0.01

#define PART_TENSOR 2 /* of shardwise_time_parts() */

/* The parts of a step, which add up to it. */
void
shardwise_time_parts (const SwTime *time, ShardwiseTimePart parts[SHARDWISE_N_TIME_PARTS])
{
  const ShardwiseTimePart all[SHARDWISE_N_TIME_PARTS] = {
    { N_ ("compute"), time->compute_s - time->recompute_s },
    { N_ ("recomputation"), time->recompute_s },
    { N_ ("exposed tensor-parallel communication"), time->tp_exposed_s },
    { N_ ("exposed context-parallel communication"), time->cp_exposed_s },
    { N_ ("exposed expert-parallel communication"), time->ep_exposed_s },
    { N_ ("exposed pipeline communication"), time->pp_exposed_s },
    { N_ ("exposed data-parallel communication"), time->dp_exposed_s },
    { N_ ("the pipeline bubble"), time->bubble_s },
    { N_ ("the optimizer step"), time->optimizer_s },
    { N_ ("exposed offload traffic"), time->offload_exposed_s },
    { N_ ("the rest of the step"), time->other_s },
  };

  memcpy (parts, all, sizeof all);
}

/* The part of the step that grew most, in seconds. */
static guint
part_that_grew (const SwTime *before, const SwTime *after)
{
  ShardwiseTimePart old[SHARDWISE_N_TIME_PARTS], new[SHARDWISE_N_TIME_PARTS];
  guint most = 0;

  shardwise_time_parts (before, old);
  shardwise_time_parts (after, new);
  for (guint i = 1; i < SHARDWISE_N_TIME_PARTS; i++)
    if (new[i].seconds - old[i].seconds > new[most].seconds - old[most].seconds)
      most = i;
  return most;
}

/* "… grows from 8.1 % to 31.0 % of the step": shares where they grew, else seconds. */
static char *
growth_of (const char *name, double old_s, double new_s, gboolean of_step, const SwTime *before,
           const SwTime *after)
{
  const double old_share = old_s / before->step_s, new_share = new_s / after->step_s;
  g_autofree char *from = NULL, *to = NULL;

  if (of_step && new_share > old_share + CLEARLY)
    {
      from = shardwise_format_percent (old_share);
      to = shardwise_format_percent (new_share);
      return g_strdup_printf (
          /* Translators: a part of the time, its share before and after */
          _ ("%s grows from %s to %s of the step"), name, from, to);
    }
  from = shardwise_format_seconds (old_s);
  to = shardwise_format_seconds_beside (new_s, old_s);
  return g_strdup_printf (
      /* Translators: a part of the time, its duration before and after */
      _ ("%s grows from %s to %s per step"), name, from, to);
}

/* Of a step of phases: the one that grew most. */
static char *
growth_of_phase (const SwEstimate *before, const SwEstimate *after)
{
  const SwPhase *old = before->phases.phase, *new = after->phases.phase;
  guint most = 0;

  for (guint i = 1; i < before->phases.n; i++)
    if (new[i].time.step_s - old[i].time.step_s > new[most].time.step_s - old[most].time.step_s)
      most = i;
  return growth_of (shardwise_text_phase (old[most].kind), old[most].time.step_s,
                    new[most].time.step_s, TRUE, &before->time, &after->time);
}

/**
 * shardwise_text_growth:
 * @before: an estimate
 * @after: of another strategy
 *
 * Compute is most of a step: its share says less than its seconds. Where a strategy is not tensor
 * parallel its traffic of that kind is the generation's, which has a degree of its own: then the
 * phase is named.
 *
 * Returns: (transfer full): what of the step grew most: "exposed tensor-parallel communication
 * grows from 8.1 % to 31.0 % of the step"
 */
char *
shardwise_text_growth (const SwEstimate *before, const SwEstimate *after)
{
  const guint part = part_that_grew (&before->time, &after->time);
  ShardwiseTimePart old[SHARDWISE_N_TIME_PARTS], new[SHARDWISE_N_TIME_PARTS];

  shardwise_time_parts (&before->time, old);
  shardwise_time_parts (&after->time, new);
  if (part == PART_TENSOR && after->strategy.tp == 1 && before->phases.n > 0
      && before->phases.n == after->phases.n)
    return growth_of_phase (before, after);
  return growth_of (_ (old[part].name), old[part].seconds, new[part].seconds, part > 0,
                    &before->time, &after->time);
}
