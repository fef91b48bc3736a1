/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The error interval of an estimate, by (GPU generation, framework, dense or mixture of experts,
 * adapters or not): that of a posterior prediction for a run of a source that nobody has seen.
 *
 * Its errors are those of sources by fits without them, which hold all three parts: what is not known
 * of the constants, how sources differ, and how the runs of one do. A kind's variances between and
 * within sources are shrunk towards those of all kinds as if these were PRIOR_SOURCES of its own, and
 * Student's distribution with as many degrees of freedom makes the interval wider where fewer sources
 * speak. Errors have longer tails than that: one factor for all kinds makes nine in ten runs lie
 * within the interval that the other sources give them. */
#include "fit-residual.h"

#include "sw-estimate.h"
#include "sw-framework.h"

#include <math.h>

/* What the interval claims to hold, and the normal deviate of that share on both sides. */
#define SHARE 0.9
#define DEVIATE 1.645
#define PRIOR_SOURCES 3.0
/* Memory of a kind of which only the time was measured; what was not measured at all the engine
 * widens itself. */
#define UNMEASURED 1.5

typedef struct {
  int generation, framework; /* negative: any */
  gboolean is_moe, is_adapter;
  guint without; /* a family that does not count; out of range: none */
} Kind;

/* Of left-out errors: how many, and their mean squares by source. */
typedef struct {
  guint rows, sources;
  double between, within; /* sums over sources: of the squared mean error, of the variance */
} Spread;

static gboolean
is_of_kind (const FitSample *sample, const Kind *kind)
{
  const SwProblem *problem = &sample->run.problem;

  return sw_training_is_adapter (&problem->training) == kind->is_adapter
         && (kind->generation < 0
             || ((int) problem->cluster.gpu.generation == kind->generation
                 && (int) sw_engine (sample->used.framework) == kind->framework
                 && (problem->model.moe.experts > 0) == kind->is_moe));
}

static void
measure_spread (const Fit *fit, const FitLeftOut *left_out, const Kind *kind, FitKind of,
                Spread *out)
{
  *out = (Spread){ 0 };
  for (guint f = 0; f < fit->families->len; f++)
    {
      double sum = 0, squares = 0, mean;
      guint rows = 0;

      for (guint i = 0; i < fit->n_samples && f != kind->without; i++)
        {
          const FitSample *sample = &fit->sample[i];
          double error = left_out->error[of][i];

          if (sample->family != f || !fit_is_measured (sample, of) || !is_of_kind (sample, kind))
            continue;
          sum += error;
          squares += error * error;
          rows++;
        }
      if (rows == 0)
        continue;
      mean = sum / rows;
      out->rows += rows;
      out->sources++;
      out->between += mean * mean;
      out->within += MAX (squares / rows - mean * mean, 0);
    }
}

/* Student's quantile for DEVIATE (Abramowitz and Stegun, 26.7.5, two terms). */
static double
student (double freedom)
{
  const double z = DEVIATE, z2 = z * z;

  return z
         * (1 + (z2 + 1) / (4 * freedom) + (5 * z2 * z2 + 16 * z2 + 3) / (96 * freedom * freedom));
}

/* Half of the interval of a kind, in log space. `rows`, `sources` (nullable): that were measured. */
static double
half_interval (const Fit *fit, const FitLeftOut *left_out, const Kind *kind, FitKind of,
               guint *rows, guint *sources)
{
  const Kind any = { .generation = -1, .is_adapter = kind->is_adapter, .without = kind->without };
  Spread own, all;
  double known, between, within, half;

  measure_spread (fit, left_out, &any, of, &all);
  measure_spread (fit, left_out, kind, of, &own);
  if (rows != NULL)
    *rows = own.rows;
  if (sources != NULL)
    *sources = own.sources;
  if (all.sources == 0)
    return 0;
  if (kind->generation < 0)
    own = (Spread){ 0 };
  known = PRIOR_SOURCES + own.sources;
  between = (PRIOR_SOURCES * all.between / all.sources + own.between) / known;
  within = (PRIOR_SOURCES * all.within / all.sources + own.within) / known;
  half = student (known) * sqrt (between * (1 + 1 / known) + within);
  return kind->generation >= 0 && own.sources == 0 ? UNMEASURED * half : half;
}

static void
fill_residual (const Fit *fit, const FitLeftOut *left_out, const Kind *kind,
               const double factor[FIT_N_SECTIONS], SwResidual *out)
{
  out->time_p90 = factor[FIT_TIME]
                  * half_interval (fit, left_out, kind, FIT_TIME, &out->rows, &out->sources);
  out->memory_p90 = factor[FIT_MEMORY]
                    * half_interval (fit, left_out, kind, FIT_MEMORY, NULL, NULL);
}

/* The table that the engine reads its error intervals from, of all families but `without`. */
static void
fill_residuals (const Fit *fit, const FitLeftOut *left_out, guint without,
                const double factor[FIT_N_SECTIONS], SwCalibration *out)
{
  Kind kind = { .generation = -1, .without = without };

  fill_residual (fit, left_out, &kind, factor, &out->residual_all);
  for (kind.generation = 0; kind.generation < SW_N_GENERATIONS; kind.generation++)
    for (kind.framework = 0; kind.framework < SW_N_FRAMEWORKS; kind.framework++)
      for (guint which = 0; which < 4; which++)
        {
          kind.is_moe = which & 1;
          kind.is_adapter = which >> 1;
          fill_residual (
              fit, left_out, &kind, factor,
              &out->residual[kind.generation][kind.framework][kind.is_moe][kind.is_adapter]);
        }
}

/* ---- the factor that makes it hold ---- */

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
  double ratio, weight; /* error over its interval */
} Weighed;

static int
compare_weighed (gconstpointer a, gconstpointer b)
{
  double x = ((const Weighed *) a)->ratio, y = ((const Weighed *) b)->ratio;

  return (x > y) - (x < y);
}

/* The least value that a share of the weight does not exceed; 0 of none. */
static double
weighed_quantile (GArray *values, double share)
{
  double total = 0, sum = 0;

  g_array_sort (values, compare_weighed);
  for (guint i = 0; i < values->len; i++)
    total += g_array_index (values, Weighed, i).weight;
  for (guint i = 0; i < values->len; i++)
    {
      sum += g_array_index (values, Weighed, i).weight;
      if (sum >= share * total - 1e-9)
        return g_array_index (values, Weighed, i).ratio;
    }
  return 0;
}

/* Visits every measured row with the interval that the other sources give it. */
typedef void (*Visit) (const FitSample *sample, FitKind of, double error, double interval,
                       gpointer data);

static void
visit_blind (const Fit *fit, const FitLeftOut *left_out, const double factor[FIT_N_SECTIONS],
             Visit visit, gpointer data)
{
  for (guint f = 0; f < fit->families->len; f++)
    {
      g_autofree SwCalibration *table = g_memdup2 (&fit->constants, sizeof fit->constants);

      fill_residuals (fit, left_out, f, factor, table);
      for (guint i = 0; i < fit->n_samples; i++)
        for (FitKind of = 0; of < FIT_N_SECTIONS; of++)
          if (fit->sample[i].family == f && fit_is_measured (&fit->sample[i], of))
            visit (&fit->sample[i], of, left_out->error[of][i],
                   blind_interval (&fit->sample[i], table, of), data);
    }
}

typedef struct {
  GArray *ratios[FIT_N_SECTIONS];
  guint *rows[FIT_N_SECTIONS]; /* of each family */
} Ratios;

static void
count_row (const FitSample *sample, FitKind of, double error, double interval, gpointer data)
{
  Ratios *ratios = data;

  ratios->rows[of][sample->family]++;
}

static void
add_ratio (const FitSample *sample, FitKind of, double error, double interval, gpointer data)
{
  Ratios *ratios = data;
  Weighed weighed = { fabs (error) / interval, 1.0 / ratios->rows[of][sample->family] };

  g_array_append_val (ratios->ratios[of], weighed);
}

static void
find_factors (const Fit *fit, const FitLeftOut *left_out, double factor[FIT_N_SECTIONS])
{
  const double plain[FIT_N_SECTIONS] = { 1, 1 };
  Ratios ratios;

  for (FitKind of = 0; of < FIT_N_SECTIONS; of++)
    {
      ratios.ratios[of] = g_array_new (FALSE, FALSE, sizeof (Weighed));
      ratios.rows[of] = g_new0 (guint, fit->families->len);
    }
  visit_blind (fit, left_out, plain, count_row, &ratios);
  visit_blind (fit, left_out, plain, add_ratio, &ratios);
  for (FitKind of = 0; of < FIT_N_SECTIONS; of++)
    {
      factor[of] = weighed_quantile (ratios.ratios[of], SHARE);
      g_array_unref (ratios.ratios[of]);
      g_free (ratios.rows[of]);
    }
}

/* ---- writing ---- */

static JsonObject *
residual_to_json (const SwResidual *residual)
{
  JsonObject *object = json_object_new ();

  json_object_set_int_member (object, "rows", residual->rows);
  json_object_set_int_member (object, "sources", residual->sources);
  json_object_set_double_member (object, "time_p90", residual->time_p90);
  json_object_set_double_member (object, "memory_p90", residual->memory_p90);
  return object;
}

/* Writes the table that the engine reads its error intervals from. */
void
fit_set_residuals (const Fit *fit, const FitLeftOut *left_out, JsonObject *root)
{
  JsonArray *array = json_array_new ();
  g_autofree SwCalibration *table = g_new0 (SwCalibration, 1);
  double factor[FIT_N_SECTIONS];

  find_factors (fit, left_out, factor);
  fill_residuals (fit, left_out, fit->families->len, factor, table);
  for (guint g = 0; g < SW_N_GENERATIONS; g++)
    for (guint f = 0; f < SW_N_FRAMEWORKS; f++)
      for (guint which = 0; which < 4; which++)
        {
          const SwResidual *residual = &table->residual[g][f][which & 1][which >> 1];
          JsonObject *object;

          if (residual->rows == 0)
            continue;
          object = residual_to_json (residual);
          json_object_set_string_member (object, "generation", sw_generation_names[g]);
          json_object_set_string_member (object, "framework", sw_framework_names[f]);
          json_object_set_boolean_member (object, "moe", (which & 1) != 0);
          json_object_set_boolean_member (object, "adapter", which >> 1 != 0);
          json_array_add_object_element (array, object);
        }
  json_object_set_array_member (root, "residual", array);
  json_object_set_object_member (root, "residual_all", residual_to_json (&table->residual_all));
}

/* ---- does the interval hold what it claims? ---- */

typedef struct {
  guint rows, held;
} Count;

typedef struct {
  Count *count[FIT_N_SECTIONS];
  GArray *widths[FIT_N_SECTIONS];
} Coverage;

static void
cover (const FitSample *sample, FitKind of, double error, double interval, gpointer data)
{
  Coverage *coverage = data;
  Weighed width = { interval, 1 };

  coverage->count[of][sample->family].rows++;
  coverage->count[of][sample->family].held += fabs (error) <= interval ? 1 : 0;
  g_array_append_val (coverage->widths[of], width);
}

static void
print_coverage (const Fit *fit, FitKind of, const Count *count, GArray *widths, double factor)
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
      "narrower than +-%.0f %%; factor on Student's %.2f\n",
      100 * mean / MAX (families, 1), 100.0 * held / MAX (rows, 1), 100 * SHARE,
      100 * weighed_quantile (widths, 0.5), factor);
}

/* Prints how many rows of each source lie within the interval that the other sources give them. */
void
fit_report_coverage (const Fit *fit, const FitLeftOut *left_out)
{
  double factor[FIT_N_SECTIONS];
  Coverage coverage;

  find_factors (fit, left_out, factor);
  for (FitKind of = 0; of < FIT_N_SECTIONS; of++)
    {
      coverage.count[of] = g_new0 (Count, fit->families->len);
      coverage.widths[of] = g_array_new (FALSE, FALSE, sizeof (Weighed));
    }
  visit_blind (fit, left_out, factor, cover, &coverage);
  for (FitKind of = FIT_N_SECTIONS; of-- > 0;)
    {
      print_coverage (fit, of, coverage.count[of], coverage.widths[of], factor[of]);
      g_array_unref (coverage.widths[of]);
      g_free (coverage.count[of]);
    }
}
