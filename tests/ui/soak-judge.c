/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "soak-judge.h"

static int
compare (gconstpointer a, gconstpointer b)
{
  const double *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

/* How much values grow from the first step to the last one, at the median of the rates from each to
 * the next: what is loaded once moves one of them, a reading that is out of line two. What fell
 * before and comes back has not grown: no more than there is at the end. */
double
soak_judge_growth (const double *steps, const double *values, guint n)
{
  g_autoptr (GArray) rates = g_array_new (FALSE, FALSE, sizeof (double));
  double change = values[n - 1] - values[0], growth;

  for (guint i = 1; i < n; i++)
    {
      double rate = (values[i] - values[i - 1]) / (steps[i] - steps[i - 1]);

      g_array_append_val (rates, rate);
    }
  g_array_sort (rates, compare);
  growth = (g_array_index (rates, double, (rates->len - 1) / 2)
            + g_array_index (rates, double, rates->len / 2))
           / 2 * (steps[n - 1] - steps[0]);
  return change > 0 ? CLAMP (growth, 0, change) : CLAMP (growth, change, 0);
}

/* Whether values rise from each step to the next, and never at less than a third of their rate over
 * all: what is done often and leaks does so, what happens once does not. */
gboolean
soak_judge_rises (const double *steps, const double *values, guint n)
{
  double rate = (values[n - 1] - values[0]) / (steps[n - 1] - steps[0]);

  for (guint i = 1; i < n; i++)
    if (values[i] <= values[i - 1]
        || values[i] - values[i - 1] < rate / 3 * (steps[i] - steps[i - 1]))
      return FALSE;
  return TRUE;
}
