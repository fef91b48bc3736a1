/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits the free constants of data/catalogue/calibration.json on the measured runs that are compiled
 * in: robust loss, families weighing the same, and a penalty in log space that holds every constant
 * near its prior. Begins at the priors, so that what the file said before has no influence.
 *
 *   fit CALIBRATION.json    fit, also each half of the sources and without each source in turn;
 *                           write constants and residuals
 *   fit --two-fold          errors of each half of the sources by a fit of the other: the accuracy
 *                           that the program states
 *   fit --leave-out         errors of each source by a fit that has not seen it
 *   fit --check             fit and compare with the constants that are compiled in
 *   fit --report            errors of the constants that are compiled in
 *   --rows                  every row too
 *   --probes FOLDER         what is reported of two folds as if machines had been measured */
#include "fit-report.h"
#include "fit-residual.h"
#include "fit-search.h"
#include "fit-write.h"

/* Constants that differ by less are the same: four digits are written, and another mathematical
 * library may round the last bit of a prediction elsewhere. */
#define TOLERANCE 2e-3

typedef struct {
  gboolean report, leave_out, two_fold, check, rows;
  char *probes;
} Options;

static int
check (Fit *fit)
{
  guint wrong;

  fit_run (fit);
  wrong = fit_compare (fit, TOLERANCE);
  if (wrong > 0)
    g_printerr ("%u constants are not what the fit yields: run meson compile refit\n", wrong);
  return wrong > 0 ? 1 : 0;
}

/* As compiled in. */
static void
load_constants (Fit *fit)
{
  fit->constants = *shardwise_catalogue_calibration (shardwise_catalogue_get ());
  fit_infer (fit);
  for (FitKind kind = 0; kind < FIT_N_SECTIONS; kind++)
    fit_refresh (fit, kind);
}

static double
seconds_since (gint64 start)
{
  return (double) (g_get_monotonic_time () - start) / 1e6;
}

/* `halves`, `each` (nullable): errors by fits of half of the sources, and of all sources but one. */
static void
report (const Fit *fit, const FitLeftOut *halves, const FitLeftOut *each, const Options *options)
{
  g_print ("objective: time %.5f, memory %.5f\n", fit_objective (fit, FIT_TIME),
           fit_objective (fit, FIT_MEMORY));
  if (halves != NULL)
    fit_report_families (fit, halves, "each half of the sources by a fit of the other");
  if (each != NULL)
    fit_report_families (fit, each, "each source by a fit that has not seen it");
  fit_report_families (fit, NULL, "the fit");
  if (each != NULL)
    fit_report_coverage (fit, each);
  if (options->rows)
    fit_report_rows (fit, halves != NULL ? halves : each);
  fit_report_constants (fit);
}

static int
fit_and_write (GPtrArray *runs, Fit *fit, const char *path, const Options *options)
{
  g_autoptr (FitLeftOut) halves = NULL;
  g_autoptr (FitLeftOut) each = NULL;
  g_autoptr (GError) error = NULL;
  gint64 start = g_get_monotonic_time ();
  double seconds;

  fit_run (fit);
  seconds = seconds_since (start);
  if (!options->leave_out)
    halves = fit_left_out_new (runs, fit, FIT_LEAVE_HALF, options->probes);
  if (!options->two_fold)
    each = fit_left_out_new (runs, fit, FIT_LEAVE_EACH, options->probes);
  g_printerr ("fit %.1f s, without sources %.1f s\n", seconds, seconds_since (start) - seconds);
  report (fit, halves, each, options);
  if (path == NULL || fit_write (fit, halves, each, path, &error))
    return 0;
  g_printerr ("%s\n", error->message);
  return 1;
}

int
main (int argc, char **argv)
{
  Options options = { 0 };
  GOptionEntry entries[] = {
    { "report", 0, 0, G_OPTION_ARG_NONE, &options.report, "Errors of the constants as they are",
      NULL },
    { "leave-out", 0, 0, G_OPTION_ARG_NONE, &options.leave_out, "Fit and report, write nothing",
      NULL },
    { "two-fold", 0, 0, G_OPTION_ARG_NONE, &options.two_fold,
      "Fit each half of the sources, report the other", NULL },
    { "check", 0, 0, G_OPTION_ARG_NONE, &options.check,
      "Whether the constants compiled in are those of the fit", NULL },
    { "probes", 0, 0, G_OPTION_ARG_FILENAME, &options.probes,
      "As if GPUs had been measured, by the probes in this folder", "FOLDER" },
    { "rows", 0, 0, G_OPTION_ARG_NONE, &options.rows, "Every row too", NULL },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("[CALIBRATION.json]");
  g_autoptr (GPtrArray) runs = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (Fit) fit = NULL;
  gboolean writes;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    {
      g_printerr ("%s\n", error->message);
      return 2;
    }
  writes = !options.report && !options.leave_out && !options.two_fold && !options.check;
  if (argc > 2 || (writes && argc < 2))
    {
      g_printerr ("fit [--report|--leave-out|--two-fold|--check] [--rows] [CALIBRATION.json]\n");
      return 2;
    }
  runs = shardwise_runs_builtin ();
  fit = fit_new (runs);
  if (options.check)
    return check (fit);
  if (!options.report)
    return fit_and_write (runs, fit, writes ? argv[1] : NULL, &options);
  load_constants (fit);
  report (fit, NULL, NULL, &options);
  return 0;
}
