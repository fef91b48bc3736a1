/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The error interval of an estimate, by (GPU generation, software profile, dense or mixture of
 * experts).
 *
 * A user's job is a source that the fit has not seen: the interval comes from errors of sources by
 * fits without them, sources weighing the same, and fit_report_coverage() tests whether nine of ten
 * runs of a source lie within the interval that the other sources give it. Intervals from the
 * errors of the fit itself held fewer than they claim. */
#include "fit-residual.h"

#include "sw-estimate.h"

#include <math.h>

/* What the interval claims to hold. */
#define SHARE 0.9
/* Two or three sources that happen to agree do not make a kind of run much better known than all:
 * below this share of the error of all runs no kind's error is believed. */
#define LEAST_OF_ALL 0.75
/* Memory of a kind of which only the time was measured; what was not measured at all the engine
 * widens itself. */
#define UNMEASURED 1.5
typedef struct {
  int generation, framework; /* negative: any */
  gboolean is_moe;
  guint without; /* a family that does not count; out of range: none */
} Kind;

typedef struct {
  double error, weight;
} Weighed;

static gboolean
is_of_kind (const FitSample *sample, const Kind *kind)
{
  return kind->generation < 0
         || ((int) sample->run.problem.cluster.gpu.generation == kind->generation
             && (int) sample->used.framework == kind->framework
             && (sample->run.problem.model.moe.experts > 0) == kind->is_moe);
}

static int
compare_weighed (gconstpointer a, gconstpointer b)
{
  double x = ((const Weighed *) a)->error, y = ((const Weighed *) b)->error;

  return (x > y) - (x < y);
}

/* Sizes of the left-out errors of a kind of run, each family of weight 1. Returns the number of
 * families. */
static guint
collect (const Fit *fit, const FitLeftOut *left_out, const Kind *kind, FitKind of, GArray *out)
{
  g_autofree guint *rows = g_new0 (guint, fit->families->len);
  guint sources = 0;

  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < fit->n_samples; i++)
      {
        const FitSample *sample = &fit->sample[i];
        Weighed weighed = { .error = fabs (left_out->error[of][i]) };

        if (!fit_is_measured (sample, of) || sample->family == kind->without
            || !is_of_kind (sample, kind))
          continue;
        if (pass == 0)
          sources += rows[sample->family]++ == 0 ? 1 : 0;
        else
          {
            weighed.weight = 1.0 / rows[sample->family];
            g_array_append_val (out, weighed);
          }
      }
  g_array_sort (out, compare_weighed);
  return sources;
}

/* The least error that a share of the weight does not exceed; 0 of none. */
static double
weighed_quantile (GArray *sorted, double share)
{
  double total = 0, sum = 0;

  for (guint i = 0; i < sorted->len; i++)
    total += g_array_index (sorted, Weighed, i).weight;
  for (guint i = 0; i < sorted->len; i++)
    {
      sum += g_array_index (sorted, Weighed, i).weight;
      if (sum >= share * total - 1e-9)
        return g_array_index (sorted, Weighed, i).error;
    }
  return 0;
}

/* The error that a share of such runs does not exceed. `rows` (nullable): how many there are. */
static double
error_of (const Fit *fit, const FitLeftOut *left_out, const Kind *kind, FitKind of, double share,
          guint *rows)
{
  g_autoptr (GArray) own = g_array_new (FALSE, FALSE, sizeof (Weighed));
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Weighed));
  const Kind any = { .generation = -1, .without = kind->without };
  guint sources = collect (fit, left_out, kind, of, own);
  double error = weighed_quantile (own, share), least;

  collect (fit, left_out, &any, of, all);
  least = weighed_quantile (all, share);
  if (rows != NULL)
    *rows = own->len;
  if (kind->generation < 0)
    return error;
  if (sources == 0)
    return UNMEASURED * least;
  return MAX (error, (sources == 1 ? 1 : LEAST_OF_ALL) * least);
}

static void
fill_residual (const Fit *fit, const FitLeftOut *left_out, const Kind *kind, SwResidual *out)
{
  out->time_p90 = error_of (fit, left_out, kind, FIT_TIME, SHARE, &out->rows);
  out->time_median = error_of (fit, left_out, kind, FIT_TIME, 0.5, NULL);
  out->memory_p90 = error_of (fit, left_out, kind, FIT_MEMORY, SHARE, NULL);
  out->memory_median = error_of (fit, left_out, kind, FIT_MEMORY, 0.5, NULL);
}

/* The table that the engine reads its error intervals from, of all families but `without`. */
static void
fill_residuals (const Fit *fit, const FitLeftOut *left_out, guint without, SwCalibration *out)
{
  Kind kind = { .generation = -1, .without = without };

  fill_residual (fit, left_out, &kind, &out->residual_all);
  for (kind.generation = 0; kind.generation < SW_N_GENERATIONS; kind.generation++)
    for (kind.framework = 0; kind.framework < SW_N_FRAMEWORKS; kind.framework++)
      for (guint moe = 0; moe < 2; moe++)
        {
          kind.is_moe = moe != 0;
          fill_residual (fit, left_out, &kind,
                         &out->residual[kind.generation][kind.framework][moe]);
        }
}

static JsonObject *
residual_to_json (const SwResidual *residual)
{
  JsonObject *object = json_object_new ();

  json_object_set_int_member (object, "rows", residual->rows);
  json_object_set_double_member (object, "time_median", residual->time_median);
  json_object_set_double_member (object, "time_p90", residual->time_p90);
  json_object_set_double_member (object, "memory_median", residual->memory_median);
  json_object_set_double_member (object, "memory_p90", residual->memory_p90);
  return object;
}

static void
add_residual (const SwCalibration *c, guint generation, guint framework, guint moe,
              JsonArray *array)
{
  const SwResidual *residual = &c->residual[generation][framework][moe];
  JsonObject *object;

  if (residual->rows == 0)
    return;
  object = residual_to_json (residual);
  json_object_set_string_member (object, "generation", sw_generation_names[generation]);
  json_object_set_string_member (object, "framework", sw_framework_names[framework]);
  json_object_set_boolean_member (object, "moe", moe != 0);
  json_array_add_object_element (array, object);
}

/* Writes the table that the engine reads its error intervals from. */
void
fit_set_residuals (const Fit *fit, const FitLeftOut *left_out, JsonObject *root)
{
  JsonArray *array = json_array_new ();
  SwCalibration table = { 0 };

  fill_residuals (fit, left_out, fit->families->len, &table);
  for (guint g = 0; g < SW_N_GENERATIONS; g++)
    for (guint f = 0; f < SW_N_FRAMEWORKS; f++)
      for (guint moe = 0; moe < 2; moe++)
        add_residual (&table, g, f, moe, array);
  json_object_set_array_member (root, "residual", array);
  json_object_set_object_member (root, "residual_all", residual_to_json (&table.residual_all));
}

/* ---- does the interval hold what it claims? ---- */

/* The interval that a run would be shown by a table without its source. */
static double
blind_interval (const FitSample *sample, const SwCalibration *table, FitKind of)
{
  SwProblem problem = sample->run.problem;
  SwEstimate e;

  problem.calibration = table;
  sw_estimate (&problem, &sample->used, &e);
  return of == FIT_TIME ? log (e.step_high_s / e.time.step_s)
                        : log (e.memory_high_bytes / e.memory.peak.total);
}

typedef struct {
  guint rows, held;
} Count;

static void
print_coverage (const Fit *fit, FitKind of, const Count *count, GArray *widths)
{
  double mean = 0;
  guint families = 0, rows = 0, held = 0;

  g_print ("%s, rows of a source within the interval from the other sources:",
           of == FIT_TIME ? "time" : "memory");
  for (guint f = 0; f < fit->families->len; f++)
    if (count[f].rows > 0)
      {
        g_print (" %s %u/%u", (char *) g_ptr_array_index (fit->families, f), count[f].held,
                 count[f].rows);
        mean += (double) count[f].held / count[f].rows;
        families++;
        rows += count[f].rows;
        held += count[f].held;
      }
  g_print (
      "\n  mean of sources %.0f %%, of rows %.0f %%, claimed %.0f %%; half of the intervals are "
      "narrower than +-%.0f %%\n",
      100 * mean / MAX (families, 1), 100.0 * held / MAX (rows, 1), 100 * SHARE,
      100 * weighed_quantile (widths, 0.5));
}

/* Counts the rows of a family that lie within their interval. */
static void
count_family (const Fit *fit, const FitLeftOut *left_out, guint family, Count *counts[],
              GArray *widths[])
{
  SwCalibration table = fit->constants;

  fill_residuals (fit, left_out, family, &table);
  for (guint i = 0; i < fit->n_samples; i++)
    for (FitKind of = 0; of < FIT_N_SECTIONS; of++)
      {
        const FitSample *sample = &fit->sample[i];
        Weighed width = { .weight = 1 };

        if (sample->family != family || !fit_is_measured (sample, of))
          continue;
        width.error = blind_interval (sample, &table, of);
        g_array_append_val (widths[of], width);
        counts[of][family].rows++;
        counts[of][family].held += fabs (left_out->error[of][i]) <= width.error ? 1 : 0;
      }
}

/* Prints how many rows of each source lie within the interval that the other sources give them. */
void
fit_report_coverage (const Fit *fit, const FitLeftOut *left_out)
{
  Count *counts[FIT_N_SECTIONS];
  GArray *widths[FIT_N_SECTIONS];

  for (FitKind of = 0; of < FIT_N_SECTIONS; of++)
    {
      counts[of] = g_new0 (Count, fit->families->len);
      widths[of] = g_array_new (FALSE, FALSE, sizeof (Weighed));
    }
  for (guint f = 0; f < fit->families->len; f++)
    count_family (fit, left_out, f, counts, widths);
  for (FitKind of = FIT_N_SECTIONS; of-- > 0;)
    {
      g_array_sort (widths[of], compare_weighed);
      print_coverage (fit, of, counts[of], widths[of]);
      g_array_unref (widths[of]);
      g_free (counts[of]);
    }
}
