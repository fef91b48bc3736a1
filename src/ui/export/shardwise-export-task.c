/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-task.h"

#include <glib/gi18n.h>

#include "shardwise-export-search.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"

/* The worker's input, copied, because the scenario and the advice may change. */
typedef struct {
  ShardwiseScenario *scenario;
  ShardwiseAdvice *advice;
  SwEstimate selected;
  ShardwiseFormat format;
  ShardwiseExportMode mode;
} ExportJob;

static void
export_job_free (gpointer data)
{
  ExportJob *job = data;

  g_clear_object (&job->scenario);
  g_clear_object (&job->advice);
  g_free (job);
}

/**
 * shardwise_export_result_free:
 * @self: (transfer full) (nullable): a result
 */
void
shardwise_export_result_free (ShardwiseExportResult *self)
{
  if (self == NULL)
    return;

  shardwise_export_free (self->files);
  g_free (self);
}

/* The shown strategy is written unchanged if the same software profile runs it. */
static ShardwiseExport *
write_job (const ExportJob *job, GCancellable *cancellable, GError **error)
{
  const SwProblem *problem = shardwise_advice_get_problem (job->advice);
  ShardwiseExport *files = NULL;

  if (job->mode == SHARDWISE_EXPORT_SELECTED)
    return shardwise_export_write (job->format, problem, &job->selected, error);
  if (job->mode == SHARDWISE_EXPORT_NEAREST)
    return shardwise_export_nearest (job->format, job->scenario, cancellable, NULL, error);

  if (job->selected.fits
      && (job->selected.strategy.framework == shardwise_format_info (job->format)->framework
          || (job->selected.strategy.framework >= SW_N_ENGINES
              && shardwise_format_is_of (shardwise_format_info (job->format),
                                         job->selected.strategy.framework))))
    files = shardwise_export_write (job->format, problem, &job->selected, NULL);
  if (files == NULL)
    files = shardwise_export_best (job->format, job->scenario, cancellable, NULL, error);

  return files;
}

static void
export_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const ExportJob *job = data;
  g_autoptr (GError) error = NULL;
  ShardwiseExport *files = write_job (job, cancellable, &error);
  ShardwiseExportResult *result;

  if (files == NULL)
    {
      g_task_return_error (task, g_steal_pointer (&error));
      return;
    }

  result = g_new0 (ShardwiseExportResult, 1);
  result->files = files;
  result->shown = job->selected;
  g_task_return_pointer (task, result, (GDestroyNotify) shardwise_export_result_free);
}

/**
 * shardwise_export_async:
 * @advisor: source of the advice and the selection; it must have an advice
 * @format: the target
 * @mode: the choice of the strategy
 * @cancellable: (nullable): stops the search
 * @callback: called when the files are ready
 * @data: for @callback
 *
 * Writes the files of one framework on a worker thread.
 */
void
shardwise_export_async (ShardwiseAdvisor *advisor, ShardwiseFormat format, ShardwiseExportMode mode,
                        GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = NULL;
  ExportJob *job;

  g_return_if_fail (SHARDWISE_IS_ADVISOR (advisor));
  g_return_if_fail (shardwise_advisor_get_advice (advisor) != NULL);

  job = g_new0 (ExportJob, 1);
  job->scenario = shardwise_scenario_copy (shardwise_advisor_get_scenario (advisor));
  job->advice = g_object_ref (shardwise_advisor_get_advice (advisor));
  job->selected = *shardwise_advisor_get_selected (advisor);
  job->format = format;
  job->mode = mode;

  task = g_task_new (NULL, cancellable, callback, data);
  g_task_set_source_tag (task, shardwise_export_async);
  g_task_set_task_data (task, job, export_job_free);
  g_task_run_in_thread (task, export_thread);
}

/**
 * shardwise_export_finish:
 * @result: the result from the callback
 * @error: return location for an error
 *
 * Returns: (transfer full) (nullable): the files, or %NULL with @error set
 */
ShardwiseExportResult *
shardwise_export_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (G_IS_TASK (result), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

/**
 * shardwise_export_is_shown:
 * @self: a result
 *
 * Returns: whether the written strategy is the shown one, rather than another one that the
 * framework can run
 */
gboolean
shardwise_export_is_shown (const ShardwiseExportResult *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return sw_strategy_equal (&self->files->estimate.strategy, &self->shown.strategy)
         && self->files->estimate.strategy.framework == self->shown.strategy.framework;
}

/**
 * shardwise_export_describe_difference:
 * @self: a result
 *
 * Returns: (transfer full) (nullable): a translated sentence on how the strategy written differs from
 * the one that the page shows, and what that costs by the model; %NULL if it is that one
 */
char *
shardwise_export_describe_difference (const ShardwiseExportResult *self)
{
  const SwEstimate *written = &self->files->estimate;
  g_autofree char *share = NULL;
  double ratio;

  if (!written->fits)
    {
      g_autofree char *missing = shardwise_format_bytes (written->missing_bytes);

      /* Translators: an amount of memory, "3.2 GiB" */
      return g_strdup_printf (
          _ ("Prediction: this does NOT fit; it needs %s more than the memory target."), missing);
    }
  if (shardwise_export_is_shown (self))
    return NULL;
  ratio = self->shown.tokens_per_s > 0 ? written->tokens_per_s / self->shown.tokens_per_s : 1;
  share = shardwise_format_percent (ABS (ratio - 1));
  if (!self->shown.fits)
    return g_strdup (_ ("The strategy on this page does not fit."));
  if (ABS (ratio - 1) < 0.0005)
    return g_strdup (_ ("It is as fast as the strategy on this page."));
  /* Translators: %s is a percentage, "4.2 %" */
  return g_strdup_printf (ratio < 1 ? _ ("It is %s slower than the strategy on this page.")
                                    /* Translators: %s is a percentage, "4.2 %" */
                                    : _ ("It is %s faster than the strategy on this page."),
                          share);
}

/**
 * shardwise_export_explain_refusal:
 * @error: the reason that there are no files
 *
 * Returns: the message without the path of the key, which is for the command line
 */
const char *
shardwise_export_explain_refusal (const GError *error)
{
  const char *path = shardwise_error_path (error);
  gsize length = path != NULL ? strlen (path) : 0;

  if (length > 0 && strncmp (error->message, path, length) == 0
      && g_str_has_prefix (error->message + length, ": "))
    return error->message + length + 2;

  return error->message;
}
