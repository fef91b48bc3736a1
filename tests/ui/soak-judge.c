/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "soak-judge.h"

static int
compare (gconstpointer a, gconstpointer b)
{
  const double *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

/* How much values grow from the first step to the last one: along the median of the slopes between
 * any two (Theil 1950, Sen 1968), which one reading that is out of line does not move. */
double
soak_judge_growth (const double *steps, const double *values, guint n)
{
  g_autoptr (GArray) slopes = g_array_new (FALSE, FALSE, sizeof (double));
  double median;

  for (guint i = 0; i < n; i++)
    for (guint j = i + 1; j < n; j++)
      {
        double slope = (values[j] - values[i]) / (steps[j] - steps[i]);

        g_array_append_val (slopes, slope);
      }
  g_array_sort (slopes, compare);
  median = (g_array_index (slopes, double, (slopes->len - 1) / 2)
            + g_array_index (slopes, double, slopes->len / 2)) / 2;
  return median * (steps[n - 1] - steps[0]);
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
