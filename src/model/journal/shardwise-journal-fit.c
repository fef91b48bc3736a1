/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-journal-fit.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-estimate.h"
#include "shardwise-format.h"
#include "shardwise-measured.h"
#include "shardwise-resolve.h"
#include "shardwise-text-strategy.h"
#include "shardwise-prediction.h"

/* Prior belief before any run, as standard deviations of the logarithm: the model's own errors on
 * measured runs for kernels and memory (help, "accuracy"); networks differ more, because of their
 * topology and their neighbors. One run moves a factor only partly; many runs move it fully. */
static const double believed[] = { 0.10, 0.20, 0.05 };

/* The accuracy of a run's measurement, including effects that no factor explains: the same as the
 * prior of kernels and memory, so that one run moves a factor halfway. */
#define TIME_NOISE 0.10
#define MEMORY_NOISE 0.05

/* Beyond this many deviations a run counts as an outlier, with Huber's weights (95 %
 * efficiency). */
#define HUBER 1.345

enum { KERNEL, NETWORK, MEMORY, N_FACTORS };

typedef struct {
  ShardwiseRun run;
  double step_s, memory_bytes; /* measured; 0: not */
  ShardwiseFactors factors;    /* for its GPU */
  char *error;
  gboolean left_out;
} Job;

static void
job_free (Job *job)
{
  g_free (job->error);
  g_free (job);
}

static Job *
job_new (const ShardwiseJournalRun *run)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_from_json (run->scenario, -1, &error);
  Job *job = g_new0 (Job, 1);
  SwEstimate estimate;

  if (scenario == NULL
      || !shardwise_estimate_scenario (scenario, &job->run.problem, &estimate, NULL, &error))
    {
      job->error = g_strdup (error->message);
      return job;
    }
  job->run.strategy = estimate.strategy;
  job->run.memory_kind = run->memory_kind;
  job->step_s = run->step_s;
  job->memory_bytes = run->memory_gib * SW_GIB;
  return job;
}

static ShardwiseFactors
to_factors (const double x[N_FACTORS])
{
  return (ShardwiseFactors){ exp (x[KERNEL]), exp (x[NETWORK]), exp (x[MEMORY]) };
}

static void
predict (const Job *job, const ShardwiseFactors *factors, double *step_s, double *memory_bytes)
{
  SwCalibration calibration;
  ShardwiseRun run = job->run;
  ShardwiseRunPrediction prediction;

  shardwise_factors_apply (factors, job->run.problem.calibration, &calibration);
  run.problem.calibration = &calibration;
  shardwise_run_predict (&run, &prediction);
  *step_s = prediction.step_s;
  *memory_bytes = prediction.memory_bytes;
}

/* ln (predicted / measured) of time and memory, divided by their noise; 0 if not measured. */
static void
residuals (const Job *job, const double x[N_FACTORS], double out[2])
{
  ShardwiseFactors factors = to_factors (x);
  double step_s, memory_bytes;

  predict (job, &factors, &step_s, &memory_bytes);
  out[0] = job->step_s > 0 ? log (step_s / job->step_s) / TIME_NOISE : 0;
  out[1] = job->memory_bytes > 0 ? log (memory_bytes / job->memory_bytes) / MEMORY_NOISE : 0;
}

/* Adds one job to the normal equations a * step = b around x. */
static void
add_job (const Job *job, const double x[N_FACTORS], double a[N_FACTORS][N_FACTORS],
         double b[N_FACTORS])
{
  const double h = 0.02;
  double here[2], slope[2][N_FACTORS];

  residuals (job, x, here);
  for (guint k = 0; k < N_FACTORS; k++)
    {
      double moved[N_FACTORS] = { x[0], x[1], x[2] }, there[2];

      moved[k] += h;
      residuals (job, moved, there);
      for (guint r = 0; r < 2; r++)
        slope[r][k] = (there[r] - here[r]) / h;
    }
  for (guint r = 0; r < 2; r++)
    {
      double weight = fabs (here[r]) > HUBER ? HUBER / fabs (here[r]) : 1;

      for (guint i = 0; i < N_FACTORS; i++)
        {
          b[i] -= weight * slope[r][i] * here[r];
          for (guint k = 0; k < N_FACTORS; k++)
            a[i][k] += weight * slope[r][i] * slope[r][k];
        }
    }
}

/* Solves a * x = b for a positive definite a, by elimination; b becomes x. */
static void
solve (double a[N_FACTORS][N_FACTORS], double b[N_FACTORS])
{
  for (guint i = 0; i < N_FACTORS; i++)
    for (guint r = i + 1; r < N_FACTORS; r++)
      {
        double factor = a[r][i] / a[i][i];

        for (guint k = i; k < N_FACTORS; k++)
          a[r][k] -= factor * a[i][k];
        b[r] -= factor * b[i];
      }
  for (guint i = N_FACTORS; i-- > 0;)
    {
      for (guint k = i + 1; k < N_FACTORS; k++)
        b[i] -= a[i][k] * b[k];
      b[i] /= a[i][i];
    }
}

static const char *
gpu_of (const Job *job)
{
  return job->run.problem.cluster.gpu.id;
}

static gboolean
is_usable (const Job *job, const char *gpu)
{
  return job->error == NULL && !job->left_out && (gpu == NULL || g_str_equal (gpu_of (job), gpu));
}

/* The most likely factors given the prior: Gauss-Newton with Huber's weights (Huber 1964, "Robust
 * Estimation of a Location Parameter"). If there are runs on the requested GPU, others are ignored,
 * because their kernels and links differ by other factors. @gpu: (nullable): the id of the GPU to
 * predict; NULL: all runs count */
static ShardwiseFactors
fit_factors (GPtrArray *jobs, const char *gpu, const ShardwiseFactors *start)
{
  const guint iterations = 20;
  const double most = log (SHARDWISE_FACTOR_MOST), enough = 1e-5;
  double x[N_FACTORS] = { log (start->kernel), log (start->network), log (start->memory) };
  double moved = 1;
  gboolean known = FALSE;
  ShardwiseFactors factors;

  for (guint i = 0; i < jobs->len; i++)
    known = known || is_usable (jobs->pdata[i], gpu);
  gpu = known ? gpu : NULL;

  for (guint n = 0; n < iterations && moved > enough; n++)
    {
      double a[N_FACTORS][N_FACTORS] = { 0 }, b[N_FACTORS] = { 0 };

      for (guint k = 0; k < N_FACTORS; k++)
        {
          a[k][k] = 1 / (believed[k] * believed[k]);
          b[k] = -x[k] * a[k][k];
        }
      for (guint i = 0; i < jobs->len; i++)
        {
          const Job *job = g_ptr_array_index (jobs, i);

          if (is_usable (job, gpu))
            add_job (job, x, a, b);
        }
      solve (a, b);
      moved = 0;
      for (guint k = 0; k < N_FACTORS; k++)
        {
          moved = MAX (moved, fabs (b[k]));
          x[k] = CLAMP (x[k] + b[k], -most, most);
        }
    }
  factors = to_factors (x);
  return shardwise_factors_round (&factors);
}

/* The factors of each job's GPU. */
static void
fit_each (GPtrArray *jobs)
{
  for (guint i = 0; i < jobs->len; i++)
    {
      Job *job = jobs->pdata[i];
      guint first = 0;

      while (!g_str_equal (gpu_of (jobs->pdata[first]), gpu_of (job)))
        first++;
      job->factors = first < i ? ((const Job *) jobs->pdata[first])->factors
                               : fit_factors (jobs, gpu_of (job), &SHARDWISE_FACTORS_NEUTRAL);
    }
}

/**
 * shardwise_factors_of_runs:
 * @runs: (element-type ShardwiseRun): measured runs of one user
 * @gpu: (nullable): the id of the GPU to calibrate
 *
 * Returns: the factors of these runs for that GPU
 */
ShardwiseFactors
shardwise_factors_of_runs (GPtrArray *runs, const char *gpu)
{
  g_autoptr (GPtrArray) jobs = g_ptr_array_new_with_free_func ((GDestroyNotify) job_free);

  for (guint i = 0; i < runs->len; i++)
    {
      const ShardwiseRun *run = runs->pdata[i];
      Job *job = g_new0 (Job, 1);

      job->run = *run;
      job->step_s = run->measured_step_s;
      job->memory_bytes = run->measured_memory_bytes;
      g_ptr_array_add (jobs, job);
    }
  return fit_factors (jobs, gpu, &SHARDWISE_FACTORS_NEUTRAL);
}

/* ---- how well it fits ---- */

static void
add_error (GArray *errors, double predicted, double measured)
{
  double error = fabs (predicted / measured - 1); /* for display beside each run */

  if (measured > 0)
    g_array_append_val (errors, error);
}

static void
errors_of (GPtrArray *jobs, gboolean calibrated, double *time, double *memory)
{
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) memories = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < jobs->len; i++)
    {
      const Job *job = g_ptr_array_index (jobs, i);
      double step_s, memory_bytes;

      if (job->error != NULL)
        continue;
      predict (job, calibrated ? &job->factors : &SHARDWISE_FACTORS_NEUTRAL, &step_s,
               &memory_bytes);
      add_error (times, step_s, job->step_s);
      add_error (memories, memory_bytes, job->memory_bytes);
    }
  *time = sw_median (times);
  *memory = sw_median (memories);
}

static ShardwiseJournalPrediction *
prediction_new (const Job *job)
{
  ShardwiseJournalPrediction *self = g_new0 (ShardwiseJournalPrediction, 1);
  const SwProblem *problem = &job->run.problem;
  g_autofree char *strategy = NULL;

  self->error = g_strdup (job->error);
  if (job->error != NULL)
    return self;
  strategy = shardwise_text_strategy (&job->run.strategy);
  self->job = g_strdup_printf (
      /* Translators: model, number of GPUs, GPU name, strategy */
      _ ("%s on %'u %s, %s"), problem->model.name, problem->cluster.gpus, problem->cluster.gpu.name,
      strategy);
  predict (job, &SHARDWISE_FACTORS_NEUTRAL, &self->step_s, &self->memory_gib);
  predict (job, &job->factors, &self->calibrated_step_s, &self->calibrated_memory_gib);
  self->memory_gib /= SW_GIB;
  self->calibrated_memory_gib /= SW_GIB;
  return self;
}

static void
prediction_free (ShardwiseJournalPrediction *self)
{
  g_free (self->job);
  g_free (self->error);
  g_free (self);
}

/**
 * shardwise_journal_fit:
 * @runs: (element-type ShardwiseJournalRun): of a journal
 * @gpu: (nullable): the id of the GPU to calibrate
 *
 * Compares each run with the model, and finds the factors for kernels, network and memory with
 * which they agree best, shrunk toward 1 if there are few runs; only from runs on that GPU if there
 * are any. Each run is calibrated with the factors of its own GPU.
 *
 * Returns: (transfer full): the fit; its factors are neutral if no run can be used
 */
ShardwiseJournalFit *
shardwise_journal_fit (GPtrArray *runs, const char *gpu)
{
  g_autoptr (GPtrArray) jobs = g_ptr_array_new_with_free_func ((GDestroyNotify) job_free);
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (double));
  ShardwiseJournalFit *self = g_new0 (ShardwiseJournalFit, 1);

  g_return_val_if_fail (runs != NULL, NULL);

  self->predictions = g_ptr_array_new_with_free_func ((GDestroyNotify) prediction_free);
  for (guint i = 0; i < runs->len; i++)
    {
      Job *job = job_new (g_ptr_array_index (runs, i));

      g_ptr_array_add (jobs, job);
      self->n_time += job->step_s > 0;
      self->n_memory += job->memory_bytes > 0;
    }
  self->factors = fit_factors (jobs, gpu, &SHARDWISE_FACTORS_NEUTRAL);
  fit_each (jobs);
  for (guint i = 0; i < jobs->len; i++)
    g_ptr_array_add (self->predictions, prediction_new (g_ptr_array_index (jobs, i)));
  errors_of (jobs, FALSE, &self->time_before, &self->memory_before);
  errors_of (jobs, TRUE, &self->time_after, &self->memory_after);
  for (guint i = 0; i < jobs->len; i++)
    {
      Job *job = g_ptr_array_index (jobs, i);
      ShardwiseFactors factors;
      double step_s, memory_bytes;

      if (job->error != NULL || job->step_s <= 0)
        continue;
      job->left_out = TRUE;
      factors = fit_factors (jobs, gpu_of (job), &job->factors);
      job->left_out = FALSE;
      predict (job, &factors, &step_s, &memory_bytes);
      add_error (times, step_s, job->step_s);
    }
  self->time_left_out = times->len >= 3 ? sw_median (times) : 0;
  return self;
}

static void
fit_thread (GTask *task, gpointer source, gpointer runs, GCancellable *cancellable)
{
  const char *gpu = g_object_get_data (G_OBJECT (task), "gpu");

  g_task_return_pointer (task, shardwise_journal_fit (runs, gpu),
                         (GDestroyNotify) shardwise_journal_fit_free);
}

static gpointer
copy_run (gconstpointer run, gpointer data)
{
  return shardwise_journal_run_copy (run);
}

/**
 * shardwise_journal_fit_async:
 * @scenario: its GPU is calibrated
 * @cancellable: (nullable)
 * @callback: called with the journal
 *
 * Fits the current runs of @journal in a worker thread.
 */
void
shardwise_journal_fit_async (ShardwiseJournal *journal, ShardwiseScenario *scenario,
                             GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = NULL;
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  GPtrArray *runs;

  g_return_if_fail (SHARDWISE_IS_JOURNAL (journal));

  task = g_task_new (journal, cancellable, callback, data);
  runs = g_ptr_array_copy (shardwise_journal_get_runs (journal), copy_run, NULL);
  g_ptr_array_set_free_func (runs, (GDestroyNotify) shardwise_journal_run_free);
  g_task_set_task_data (task, runs, (GDestroyNotify) g_ptr_array_unref);
  if (shardwise_scenario_resolve (scenario, problem, NULL, NULL))
    g_object_set_data_full (G_OBJECT (task), "gpu", g_strdup (problem->cluster.gpu.id), g_free);
  g_task_run_in_thread (task, fit_thread);
}

/**
 * shardwise_journal_fit_finish:
 *
 * Returns: (transfer full): the fit, or %NULL with @error if it was canceled
 */
ShardwiseJournalFit *
shardwise_journal_fit_finish (ShardwiseJournal *journal, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, journal), NULL);
  return g_task_propagate_pointer (G_TASK (result), error);
}

/**
 * shardwise_journal_fit_free:
 * @self: (transfer full) (nullable)
 */
void
shardwise_journal_fit_free (ShardwiseJournalFit *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->predictions);
  g_free (self);
}

/* ---- words ---- */

/* "Median error of a step’s time: 6.2 % as the model is, 1.9 % calibrated, 2.4 % where …" */
static char *
describe_time_errors (const ShardwiseJournalFit *fit)
{
  g_autofree char *before = shardwise_format_percent (fit->time_before);
  g_autofree char *after = shardwise_format_percent (fit->time_after);
  g_autofree char *left_out = shardwise_format_percent (fit->time_left_out);

  if (fit->n_time == 0)
    return g_strdup (_ ("None of the runs has a step time."));
  if (fit->time_left_out > 0)
    return g_strdup_printf (
        /* Translators: three percentages */
        _ ("Median error of the step time: %s uncalibrated, %s calibrated, %s when each run is "
           "predicted from the others."),
        before, after, left_out);
  return g_strdup_printf (
      /* Translators: two percentages */
      _ ("Median error of the step time: %s uncalibrated, %s calibrated. With few runs, the "
         "factors change only partially."),
      before, after);
}

/**
 * shardwise_journal_fit_text:
 * @fit: a fit
 *
 * Returns: (transfer full): the model's error for the runs, without and with calibration
 */
char *
shardwise_journal_fit_text (const ShardwiseJournalFit *fit)
{
  g_autofree char *time = describe_time_errors (fit);
  g_autofree char *before = shardwise_format_percent (fit->memory_before);
  g_autofree char *after = shardwise_format_percent (fit->memory_after);
  g_autofree char *memory = NULL;

  if (fit->n_memory == 0)
    return g_steal_pointer (&time);
  memory = g_strdup_printf (
      /* Translators: two percentages */
      _ ("Median error of memory: %s uncalibrated, %s calibrated."), before, after);
  return g_strdup_printf ("%s %s", time, memory);
}

/* "5.12 s measured, 4.80 s predicted (−6.3 %), 5.05 s calibrated (−1.4 %)" */
static char *
side_by_side (const char *measured, const char *predicted, double change, const char *calibrated,
              double calibrated_change)
{
  g_autofree char *error = shardwise_format_change (change);
  g_autofree char *calibrated_error = shardwise_format_change (calibrated_change);

  return g_strdup_printf (
      /* Translators: three amounts with units; the percentages are signed */
      _ ("%s measured, %s predicted (%s), %s calibrated (%s)"), measured, predicted, error,
      calibrated, calibrated_error);
}

static void
append_line (GString *text, const char *line)
{
  if (line == NULL || *line == '\0')
    return;
  if (text->len > 0)
    g_string_append_c (text, '\n');
  g_string_append (text, line);
}

/**
 * shardwise_journal_run_text:
 * @run: a run
 * @prediction: its prediction
 *
 * Returns: (transfer full): its day, its job, and measurement and prediction, in lines
 */
char *
shardwise_journal_run_text (const ShardwiseJournalRun *run,
                            const ShardwiseJournalPrediction *prediction)
{
  GString *text = g_string_new (NULL);
  g_autofree char *time = NULL, *memory = NULL;

  append_line (text, run->day);
  if (prediction->error != NULL)
    {
      append_line (text, prediction->error);
      return g_string_free (text, FALSE);
    }
  append_line (text, prediction->job);

  g_autofree char *measured = shardwise_format_seconds (run->step_s);
  g_autofree char *predicted = shardwise_format_seconds_beside (prediction->step_s, run->step_s);
  g_autofree char *calibrated = shardwise_format_seconds_beside (prediction->calibrated_step_s,
                                                                 run->step_s);

  time = run->step_s > 0
             ? side_by_side (measured, predicted, prediction->step_s / run->step_s - 1, calibrated,
                             prediction->calibrated_step_s / run->step_s - 1)
             : NULL;
  if (run->memory_gib > 0)
    {
      g_autofree char *of_run = shardwise_format_bytes (run->memory_gib * SW_GIB);
      g_autofree char *of_model = shardwise_format_bytes (prediction->memory_gib * SW_GIB);
      g_autofree char *of_fit = shardwise_format_bytes (prediction->calibrated_memory_gib * SW_GIB);

      memory = side_by_side (of_run, of_model, prediction->memory_gib / run->memory_gib - 1, of_fit,
                             prediction->calibrated_memory_gib / run->memory_gib - 1);
    }
  append_line (text, time);
  append_line (text, memory);
  append_line (text, run->note);
  return g_string_free (text, FALSE);
}
