/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-report-print.h"

#include "shardwise-deadline.h"
#include "shardwise-work.h"
#include "shardwise-report-content.h"
#include "shardwise-report-pages.h"
#include "shardwise-report-pdf.h"
#include "shardwise-write-file.h"

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
                          (GDestroyNotify) shardwise_report_pages_free);
  gtk_print_operation_set_n_pages (operation, (int) shardwise_report_pages_count (pages));
}

static void
draw_page_cb (GtkPrintOperation *operation, GtkPrintContext *context, int page,
              ShardwiseReport *report)
{
  shardwise_report_pages_draw (g_object_get_data (G_OBJECT (operation), "pages"),
                               gtk_print_context_get_cairo_context (context), (guint) page);
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

/* ---- from a scenario ---- */

typedef struct {
  ShardwiseScenario *scenario; /* a copy */
  ShardwiseAdvice *advice;
  SwEstimate estimate;
  gboolean has_estimate;
  GtkWindow *parent;
  GFile *file;             /* (nullable) */
  ShardwiseReportPdf *pdf; /* (nullable): of the file, being drawn */
  GBytes *content;         /* (nullable): of the file, drawn */
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
  g_clear_pointer (&request->pdf, shardwise_report_pdf_free);
  g_clear_pointer (&request->content, g_bytes_unref);
  g_free (request);
}

/* The end of all. */
static void
done_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Request *request = data;
  g_autoptr (GError) error = NULL;

  g_task_propagate_boolean (G_TASK (result), &error);
  request->func (error, request->data);
  request_free (request);
}

/* Ends `whole`. error (transfer full) (nullable). */
static void
finish (GTask *whole, GError *error)
{
  if (error != NULL)
    g_task_return_error (whole, error);
  else
    g_task_return_boolean (whole, TRUE);
  g_object_unref (whole);
}

/* A part of `whole`, with its request. It does not hold the window, which would be freed on the
 * thread where that is the last to let go of it. */
static void
run_in_thread (GTask *whole, GTaskThreadFunc func, GAsyncReadyCallback callback)
{
  g_autoptr (GTask) part = g_task_new (NULL, NULL, callback, whole);

  g_task_set_source_tag (part, run_in_thread);
  g_task_set_task_data (part, g_task_get_task_data (whole), NULL);
  g_task_run_in_thread (part, func);
}

/* The clusters of the chart of cost against time; without tokens, or a network that joins more nodes
 * than the job's own, there are none. */
static void
clusters_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Request *request = data;
  g_autoptr (GError) error = NULL;
  GPtrArray *clusters = NULL;
  GDate today;

  shardwise_date_today (&today);
  if (shardwise_advice_get_problem (request->advice)->training.tokens > 0)
    clusters = shardwise_deadline_search (request->scenario, &today, NULL, NULL, cancellable,
                                          &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_task_return_error (task, g_steal_pointer (&error));
  else
    g_task_return_pointer (task, clusters, (GDestroyNotify) g_ptr_array_unref);
}

static GError *
ask_for_printer (Request *request, ShardwiseReport *report)
{
  g_autoptr (GtkPrintOperation) operation = operation_new (report);
  GError *error = NULL;

  gtk_print_operation_run (operation, GTK_PRINT_OPERATION_ACTION_PRINT_DIALOG, request->parent,
                           &error);
  return error;
}

static void
write_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Request *request = data;
  GError *error = NULL;
  gsize length;
  const char *content = g_bytes_get_data (request->content, &length);

  if (shardwise_write_file (request->file, content, length, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
written_cb (GObject *source, GAsyncResult *result, gpointer whole)
{
  GError *error = NULL;

  g_task_propagate_boolean (G_TASK (result), &error);
  finish (whole, error);
}

/* A page at a time, when nothing else is to be drawn. */
static gboolean
draw_cb (gpointer whole)
{
  Request *request = g_task_get_task_data (whole);
  GError *error = NULL;

  if (shardwise_report_pdf_draw_next (request->pdf))
    return G_SOURCE_CONTINUE;
  request->content = shardwise_report_pdf_finish (request->pdf, &error);
  g_clear_pointer (&request->pdf, shardwise_report_pdf_free);
  if (request->content != NULL)
    run_in_thread (whole, write_thread, written_cb);
  else
    finish (whole, error);
  return G_SOURCE_REMOVE;
}

static void
clusters_cb (GObject *source, GAsyncResult *result, gpointer whole)
{
  Request *request = g_task_get_task_data (whole);
  GError *error = NULL;
  g_autoptr (GPtrArray) clusters = g_task_propagate_pointer (G_TASK (result), &error);
  g_autoptr (ShardwiseReport) report = NULL;

  if (error != NULL
      || (request->file == NULL && !gtk_widget_get_realized (GTK_WIDGET (request->parent))))
    {
      finish (whole, error); /* or its window was closed */
      return;
    }
  report = shardwise_report_of_scenario (request->scenario, request->advice,
                                         request->has_estimate ? &request->estimate : NULL,
                                         clusters);
  if (request->file == NULL)
    {
      finish (whole, ask_for_printer (request, report));
      return;
    }
  request->pdf = shardwise_report_pdf_new (report);
  g_idle_add (draw_cb, whole);
}

/**
 * shardwise_report_print_async:
 * @advisor: which has advice on its scenario
 * @parent: the window above which the dialog stands
 * @file: (nullable): the PDF file to write; %NULL asks for a printer
 * @func: called at the end
 * @data: for @func
 *
 * Makes the report of what the window shows; other clusters are computed, and the file is written,
 * on threads. The application does not end before that, also where @parent is closed meanwhile.
 */
void
shardwise_report_print_async (ShardwiseAdvisor *advisor, GtkWindow *parent, GFile *file,
                              ShardwiseReportFunc func, gpointer data)
{
  const SwEstimate *selected = shardwise_advisor_get_selected (advisor);
  Request *request;
  GTask *whole;

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
  whole = g_task_new (NULL, NULL, done_cb, request);
  g_task_set_source_tag (whole, shardwise_report_print_async);
  g_task_set_task_data (whole, request, NULL);
  shardwise_hold_for_task (whole);
  run_in_thread (whole, clusters_thread, clusters_cb);
}
