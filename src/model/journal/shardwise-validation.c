/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictions against measured runs: errors per family, and out-of-memory rows. */
#include "shardwise-validation.h"

#include <math.h>

/* ---- statistics ---- */

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Linear interpolation between the two nearest of sorted values. */
static double
quantile (GArray *sorted, double share)
{
  double at = share * (sorted->len - 1);
  guint below = (guint) floor (at), above = MIN (below + 1, sorted->len - 1);
  double low = g_array_index (sorted, double, below), high = g_array_index (sorted, double, above);

  return low + (at - below) * (high - low);
}

static void
family_errors (GArray *predictions, const char *family, gboolean memory, ShardwiseErrors *out)
{
  g_autoptr (GArray) errors = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < predictions->len; i++)
    {
      const ShardwiseRunPrediction *p = &g_array_index (predictions, ShardwiseRunPrediction, i);
      double error;

      if (!g_str_equal (p->run->family, family)
          || !(memory ? p->run->judged && p->run->measured_memory_bytes > 0
                      : p->run->judged && p->run->measured_step_s > 0))
        continue;
      error = memory ? log (p->memory_bytes / p->run->measured_memory_bytes)
                     : log (p->step_s / p->run->measured_step_s);
      g_array_append_val (errors, error);
    }
  /* `errors`: ln (predicted / measured). */
  *out = (ShardwiseErrors){ .rows = errors->len };
  if (errors->len == 0)
    return;
  g_array_sort (errors, compare_doubles);
  out->bias = quantile (errors, 0.5);
  for (guint i = 0; i < errors->len; i++)
    g_array_index (errors, double, i) = fabs (g_array_index (errors, double, i));
  g_array_sort (errors, compare_doubles);
  out->median = quantile (errors, 0.5);
  out->p90 = quantile (errors, 0.9);
}

/* ---- families ---- */

static void
add_to_means (const ShardwiseErrors *errors, ShardwiseErrors *means)
{
  if (errors->rows == 0)
    return;
  means->rows++;
  means->median += (errors->median - means->median) / means->rows;
  means->p90 += (errors->p90 - means->p90) / means->rows;
  means->bias += (errors->bias - means->bias) / means->rows;
}

static void
add_families (ShardwiseValidation *self)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < self->predictions->len; i++)
    {
      char *name = g_array_index (self->predictions, ShardwiseRunPrediction, i).run->family;

      if (g_hash_table_add (seen, name))
        {
          ShardwiseFamilyErrors family = { .family = name };

          family_errors (self->predictions, name, FALSE, &family.time);
          family_errors (self->predictions, name, TRUE, &family.memory);
          shardwise_validation_rank (self->predictions, &family);
          add_to_means (&family.time, &self->time);
          add_to_means (&family.memory, &self->memory);
          if (family.pairs > 0)
            self->kendall_tau += (family.kendall_tau - self->kendall_tau) / ++self->ranked;
          if (family.groups > 0)
            self->regret += (family.regret - self->regret) / ++self->compared;
          g_array_append_val (self->families, family);
        }
    }
}

/* ---- out of memory ---- */

/* A run that ran, of whatever recomputation was inferred for it, must be predicted to fit. */
gboolean
shardwise_validation_is_false_alarm (const ShardwiseRunPrediction *prediction)
{
  return prediction->run->judged && !prediction->fits;
}

/**
 * shardwise_validate:
 * @runs: (element-type ShardwiseRun): measured runs
 *
 * Predicts every run and compares: per family the median and 90th percentile of |ln (predicted /
 * measured)|, the bias (median of ln, with its sign), Kendall's tau over pairs of strategies
 * measured more than 5 % apart within groups of one model, cluster and batch, and the regret (how
 * much slower than the group's best the one predicted best is). Families weigh the same in means.
 * Rows of doubtful quality and rows without measured values are predicted but not judged.
 *
 * Returns: (transfer full): the comparison
 */
ShardwiseValidation *
shardwise_validate (GPtrArray *runs)
{
  ShardwiseValidation *self;

  g_return_val_if_fail (runs != NULL, NULL);

  self = g_new0 (ShardwiseValidation, 1);
  self->runs = g_ptr_array_ref (runs);
  self->predictions = g_array_new (FALSE, TRUE, sizeof (ShardwiseRunPrediction));
  self->families = g_array_new (FALSE, TRUE, sizeof (ShardwiseFamilyErrors));
  for (guint i = 0; i < runs->len; i++)
    {
      ShardwiseRunPrediction p = { .run = g_ptr_array_index (runs, i) };

      if (p.run->skip != NULL)
        continue;
      shardwise_run_predict (p.run, &p.step_s, &p.memory_bytes, &p.fits, &p.used);
      g_array_append_val (self->predictions, p);
    }
  add_families (self);
  for (guint i = 0; i < self->predictions->len; i++)
    {
      const ShardwiseRunPrediction *p = &g_array_index (self->predictions, ShardwiseRunPrediction,
                                                        i);

      self->oom_rows += p->run->oom ? 1 : 0;
      self->oom_found += p->run->oom && !p->fits ? 1 : 0;
      self->false_alarms += shardwise_validation_is_false_alarm (p) ? 1 : 0;
    }
  return self;
}

/**
 * shardwise_validation_free:
 * @self: a validation
 */
void
shardwise_validation_free (ShardwiseValidation *self)
{
  g_ptr_array_unref (self->runs);
  g_array_unref (self->predictions);
  g_array_unref (self->families);
  g_free (self);
}
