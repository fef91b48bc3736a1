/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-report-print.h"

#include <glib/gi18n.h>
#include <gtk/gtk.h>

#include "shardwise-work.h"
#include "shardwise-file.h"

/* ---- the print operation ---- */

typedef struct {
  ShardwiseReport *report;
  ShardwiseReportPages *pages; /* NULL: before the layout */
} Printing;

static void
printing_free (gpointer data, GClosure *closure)
{
  Printing *self = data;

  g_object_unref (self->report);
  g_clear_pointer (&self->pages, shardwise_report_pages_free);
  g_free (self);
}

static void
begin_print_cb (GtkPrintOperation *operation, GtkPrintContext *context, Printing *self)
{
  PangoContext *fonts = gtk_print_context_create_pango_context (context);

  g_clear_pointer (&self->pages, shardwise_report_pages_free);
  self->pages = shardwise_report_pages_new (self->report, fonts,
                                            gtk_print_context_get_width (context),
                                            gtk_print_context_get_height (context));
  g_object_unref (fonts);
  gtk_print_operation_set_n_pages (operation, (int) shardwise_report_pages_count (self->pages));
}

static void
draw_page_cb (GtkPrintOperation *operation, GtkPrintContext *context, int page, Printing *self)
{
  shardwise_report_pages_draw (self->pages, gtk_print_context_get_cairo_context (context),
                               (guint) page);
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

/* The end of the whole operation. */
static void
done_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Request *request = data;
  g_autoptr (GError) error = NULL;

  g_task_propagate_boolean (G_TASK (result), &error);
  request->func (error, request->data);
  g_object_unref (request->scenario);
  g_object_unref (request->advice);
  g_clear_object (&request->parent);
  g_clear_object (&request->file);
  g_clear_pointer (&request->pdf, shardwise_report_pdf_free);
  g_clear_pointer (&request->content, g_bytes_unref);
  g_free (request);
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

/* A part of `whole`, with its request. It does not hold the window, because the thread would free
 * it if it released the part last. */
static void
run_in_thread (GTask *whole, GTaskThreadFunc func, GAsyncReadyCallback callback)
{
  g_autoptr (GTask) part = g_task_new (NULL, NULL, callback, whole);

  g_task_set_source_tag (part, run_in_thread);
  g_task_set_task_data (part, g_task_get_task_data (whole), NULL);
  g_task_run_in_thread (part, func);
}

static void
extras_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Request *request = data;
  GError *error = NULL;
  ShardwiseReportExtras *extras = shardwise_report_extras_new (request->scenario, request->advice,
                                                               cancellable, &error);

  if (extras == NULL)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, extras, (GDestroyNotify) shardwise_report_extras_free);
}

static GError *
ask_for_printer (Request *request, ShardwiseReport *report)
{
  g_autoptr (GtkPrintOperation) operation = gtk_print_operation_new ();
  Printing *printing;
  GError *error = NULL;

  gtk_print_operation_set_unit (operation, GTK_UNIT_POINTS);
  gtk_print_operation_set_job_name (operation, shardwise_report_get_title (report));
  gtk_print_operation_set_embed_page_setup (operation, TRUE);
  printing = g_new0 (Printing, 1);
  printing->report = g_object_ref (report);
  g_signal_connect_data (operation, "begin-print", G_CALLBACK (begin_print_cb), printing,
                         printing_free, 0);
  g_signal_connect (operation, "draw-page", G_CALLBACK (draw_page_cb), printing);
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

/* Draws one page at a time, when the main loop is idle. */
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
extras_cb (GObject *source, GAsyncResult *result, gpointer whole)
{
  Request *request = g_task_get_task_data (whole);
  GError *error = NULL;
  g_autoptr (ShardwiseReportExtras) extras = g_task_propagate_pointer (G_TASK (result), &error);
  g_autoptr (ShardwiseReport) report = NULL;

  if (error != NULL
      || (request->file == NULL && !gtk_widget_get_realized (GTK_WIDGET (request->parent))))
    {
      finish (whole, error); /* or its window was closed */
      return;
    }
  report = shardwise_report_of_scenario (request->scenario, request->advice,
                                         request->has_estimate ? &request->estimate : NULL, extras);
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
 * @advisor: an advisor with advice
 * @parent: the parent of the dialog
 * @file: (nullable): the PDF file to write; %NULL asks for a printer
 * @func: called at the end
 * @data: for @func
 *
 * Makes the report for the content of the window. Threads compute the missing parts and write the
 * file. The application does not end before that, even if @parent is closed meanwhile.
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
  run_in_thread (whole, extras_thread, extras_cb);
}
