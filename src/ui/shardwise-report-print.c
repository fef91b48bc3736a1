/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-report-print.h"

#include <glib/gi18n.h>

#include "shardwise-deadline.h"
#include "shardwise-report-content.h"
#include "shardwise-report-pages.h"

/* ---- the print operation ---- */

static void
begin_print_cb (GtkPrintOperation *operation, GtkPrintContext *context, ShardwiseReport *report)
{
  PangoContext *fonts = gtk_print_context_create_pango_context (context);
  ShardwiseReportPages *pages;

  pages = shardwise_report_pages_new (report, fonts, gtk_print_context_get_width (context),
                                      gtk_print_context_get_height (context));
  g_object_unref (fonts);
  g_object_set_data_full (G_OBJECT (operation), "pages", pages,
                          (GDestroyNotify)shardwise_report_pages_free);
  gtk_print_operation_set_n_pages (operation, (int)shardwise_report_pages_count (pages));
}

static void
draw_page_cb (GtkPrintOperation *operation,
              GtkPrintContext *context,
              int page,
              ShardwiseReport *report)
{
  shardwise_report_pages_draw (g_object_get_data (G_OBJECT (operation), "pages"),
                               gtk_print_context_get_cairo_context (context), (guint)page);
}

static GtkPrintOperation *
operation_new (ShardwiseReport *report)
{
  GtkPrintOperation *operation = gtk_print_operation_new ();

  gtk_print_operation_set_unit (operation, GTK_UNIT_POINTS);
  gtk_print_operation_set_job_name (operation, shardwise_report_get_title (report));
  gtk_print_operation_set_embed_page_setup (operation, TRUE);
  g_object_set_data_full (G_OBJECT (operation), "report", g_object_ref (report), g_object_unref);
  g_signal_connect (operation, "begin-print", G_CALLBACK (begin_print_cb), report);
  g_signal_connect (operation, "draw-page", G_CALLBACK (draw_page_cb), report);
  return operation;
}

/**
 * shardwise_report_write:
 * @report: what is printed
 * @path: of a PDF file, which is replaced
 *
 * Returns: whether it was written; else @error says why
 */
gboolean
shardwise_report_write (ShardwiseReport *report, const char *path, GError **error)
{
  g_autoptr (GtkPrintOperation) operation = operation_new (report);

  gtk_print_operation_set_export_filename (operation, path);
  return gtk_print_operation_run (operation, GTK_PRINT_OPERATION_ACTION_EXPORT, NULL, error)
         == GTK_PRINT_OPERATION_RESULT_APPLY;
}

/* ---- from a scenario ---- */

typedef struct
{
  ShardwiseScenario *scenario; /* a copy */
  ShardwiseAdvice *advice;
  SwEstimate estimate;
  gboolean has_estimate;
  GtkWindow *parent;
  GFile *file; /* (nullable) */
  ShardwiseReportFunc func;
  gpointer data;
} Request;

static void
request_free (Request *request)
{
  g_object_unref (request->scenario);
  g_object_unref (request->advice);
  g_clear_object (&request->parent);
  g_clear_object (&request->file);
  g_free (request);
}

/* The clusters of the chart of cost against time; without tokens there are none. */
static void
clusters_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Request *request = data;
  GPtrArray *clusters = NULL;
  GError *error = NULL;
  GDate today;

  shardwise_date_today (&today);
  if (shardwise_advice_get_problem (request->advice)->training.tokens > 0)
    clusters =
        shardwise_deadline_search (request->scenario, &today, NULL, NULL, cancellable, &error);
  if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, clusters, (GDestroyNotify)g_ptr_array_unref);
}

static void
ask_for_printer (Request *request, ShardwiseReport *report)
{
  g_autoptr (GtkPrintOperation) operation = operation_new (report);
  g_autoptr (GError) error = NULL;

  gtk_print_operation_run (operation, GTK_PRINT_OPERATION_ACTION_PRINT_DIALOG, request->parent,
                           &error);
  request->func (error, request->data);
}

static void
write_file (Request *request, ShardwiseReport *report)
{
  g_autofree char *path = g_file_get_path (request->file);
  g_autoptr (GError) error = NULL;

  if (path == NULL)
    g_set_error (&error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                 _ ("The report can only be written to this computer."));
  else
    shardwise_report_write (report, path, &error);
  request->func (error, request->data);
}

static void
clusters_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Request *request = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) clusters = g_task_propagate_pointer (G_TASK (result), &error);
  g_autoptr (ShardwiseReport) report = NULL;

  if (error != NULL
      || (request->file == NULL && !gtk_widget_get_realized (GTK_WIDGET (request->parent))))
    {
      request->func (error, request->data); /* or its window was closed */
      request_free (request);
      return;
    }
  report =
      shardwise_report_of_scenario (request->scenario, request->advice,
                                    request->has_estimate ? &request->estimate : NULL, clusters);
  if (request->file != NULL)
    write_file (request, report);
  else
    ask_for_printer (request, report);
  request_free (request);
}

/**
 * shardwise_report_print_async:
 * @advisor: which has advice on its scenario
 * @parent: the window above which the dialog stands
 * @file: (nullable): the PDF file to write; %NULL asks for a printer
 * @func: called at the end
 * @data: for @func
 *
 * Makes the report of what the window shows, other clusters computed on worker threads.
 */
void
shardwise_report_print_async (ShardwiseAdvisor *advisor,
                              GtkWindow *parent,
                              GFile *file,
                              ShardwiseReportFunc func,
                              gpointer data)
{
  const SwEstimate *selected = shardwise_advisor_get_selected (advisor);
  g_autoptr (GTask) task = NULL;
  Request *request;

  g_return_if_fail (shardwise_advisor_get_advice (advisor) != NULL);

  request = g_new0 (Request, 1);
  request->scenario = shardwise_scenario_copy (shardwise_advisor_get_scenario (advisor));
  request->advice = g_object_ref (shardwise_advisor_get_advice (advisor));
  request->has_estimate = selected != NULL;
  if (selected != NULL)
    request->estimate = *selected;
  g_set_object (&request->parent, parent);
  g_set_object (&request->file, file);
  request->func = func;
  request->data = data;
  task = g_task_new (NULL, NULL, clusters_cb, request);
  g_task_set_source_tag (task, shardwise_report_print_async);
  g_task_set_task_data (task, request, NULL);
  g_task_run_in_thread (task, clusters_thread);
}
