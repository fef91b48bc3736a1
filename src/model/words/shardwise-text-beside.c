/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of the neighbouring values are named where there is room for one on either side. */
#include "shardwise-texts.h"

/* No choice of the rest helps: its value breaks a rule that is not about memory. */
static gboolean
is_impossible (const SwNeighbour *neighbour)
{
  return neighbour->rule != SW_RULE_OK && neighbour->rule != SW_RULE_GPU_MEMORY
         && neighbour->rule != SW_RULE_HOST_MEMORY;
}

static int
index_of_chosen (const SwReason *reason)
{
  for (guint i = 0; i < reason->n_neighbours; i++)
    if (reason->neighbours[i].chosen)
      return (int) i;
  return -1;
}

/**
 * shardwise_text_beside:
 * @reason: of sw_explain()
 * @step: -1 for the side of the lower values, 1 for the other
 *
 * Returns: the index of the neighbour that says most of that side: the nearest that could be
 * chosen or lacks memory alone, else the nearest; -1 where there is none
 */
int
shardwise_text_beside (const SwReason *reason, int step)
{
  const int chosen = index_of_chosen (reason), n = (int) reason->n_neighbours;

  g_return_val_if_fail (step == -1 || step == 1, -1);

  if (chosen < 0 || chosen + step < 0 || chosen + step >= n)
    return -1;
  for (int i = chosen + step; i >= 0 && i < n; i += step)
    if (!is_impossible (&reason->neighbours[i]))
      return i;
  return chosen + step;
}
