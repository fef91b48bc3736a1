/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-report-print.h"

#include <cairo-pdf.h>
#include <glib/gi18n.h>
#include <gtk/gtk.h>

#include "shardwise-deadline.h"
#include "shardwise-work.h"
#include "shardwise-report.h"
#include "shardwise-file.h"

#define MARGIN 18.0   /* points, beside those of the printer */
#define MARGIN_Y 36.0 /* holds the head and the foot of a page */
#define CELL_GAP 10.0
#define STRONG_GAP 5.0   /* above a head or a total */
#define CHART_PIXELS 760 /* width that charts are laid out at */

/* An item, or a line of one that is longer than a page, with its height on the page. */
typedef struct {
  const ShardwiseReportItem *item; /* of the report */
  PangoLayout *layouts[SHARDWISE_REPORT_CELLS];
  double x[SHARDWISE_REPORT_CELLS];
  double height, before; /* points; before: above it, unless it begins a page */
  guint page;
  double y;
} Placed;

struct _ShardwiseReportPages {
  ShardwiseReport *report;
  PangoContext *context;
  double width, height;
  GArray *placed; /* of Placed */
  guint n_pages;
};

static const struct {
  const char *font;
  double before;
} styles[] = {
  [SHARDWISE_REPORT_TITLE] = { "Sans Bold 20", 0 },
  [SHARDWISE_REPORT_HEADING] = { "Sans Bold 13", 18 },
  [SHARDWISE_REPORT_PARAGRAPH] = { "Sans 9.5", 6 },
  [SHARDWISE_REPORT_SMALL] = { "Sans 8", 6 },
  [SHARDWISE_REPORT_ROW] = { "Sans 9", 3 },
  [SHARDWISE_REPORT_CHART] = { "Sans 9", 8 },
};

/* The share of the width of each cell of a row of two, three or four. */
static const double shares[][SHARDWISE_REPORT_CELLS] = {
  { 1 }, { 1 }, { 0.36, 0.64 }, { 0.32, 0.26, 0.42 }, { 0.6, 0.14, 0.11, 0.15 },
};

/* ---- heights ---- */

static PangoLayout *
layout_new (const ShardwiseReportPages *self, const char *text, const char *font, gboolean bold,
            double width)
{
  g_autoptr (PangoFontDescription) description = pango_font_description_from_string (font);
  PangoLayout *layout = pango_layout_new (self->context);

  if (bold)
    pango_font_description_set_weight (description, PANGO_WEIGHT_BOLD);
  pango_layout_set_font_description (layout, description);
  pango_layout_set_width (layout, (int) (width * PANGO_SCALE));
  pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_text (layout, text, -1);
  return layout;
}

static double
layout_height (PangoLayout *layout)
{
  int height;

  pango_layout_get_size (layout, NULL, &height);
  return (double) height / PANGO_SCALE;
}

static double
content_width (const ShardwiseReportPages *self)
{
  return self->width - 2 * MARGIN;
}

static void
measure_item (const ShardwiseReportPages *self, Placed *placed)
{
  const ShardwiseReportItem *item = placed->item;
  double x = MARGIN;

  placed->before = styles[item->kind].before + (item->strong ? STRONG_GAP : 0);
  if (item->chart != NULL)
    {
      /* Measured at a width in pixels, drawn at the width of the page. */
      int natural;

      gtk_widget_measure (GTK_WIDGET (item->chart), GTK_ORIENTATION_VERTICAL, CHART_PIXELS, NULL,
                          &natural, NULL, NULL);
      gtk_widget_size_allocate (GTK_WIDGET (item->chart),
                                &(GtkAllocation){ 0, 0, CHART_PIXELS, natural }, -1);
      placed->height = natural * content_width (self) / CHART_PIXELS;
    }
  for (guint i = 0; i < item->n_cells; i++)
    {
      double width = content_width (self) * shares[item->n_cells][i];

      placed->x[i] = x;
      placed->layouts[i] = layout_new (self, item->cells[i], styles[item->kind].font, item->strong,
                                       width - CELL_GAP);
      placed->height = MAX (placed->height, layout_height (placed->layouts[i]));
      x += width;
    }
}

/* A text that no page can hold goes on where one ends, between two lines. */
static void
append_item (ShardwiseReportPages *self, const ShardwiseReportItem *item)
{
  Placed placed = { .item = item };

  measure_item (self, &placed);
  if (item->n_cells != 1 || placed.height <= self->height - 2 * MARGIN_Y)
    {
      g_array_append_val (self->placed, placed);
      return;
    }
  for (GSList *line = pango_layout_get_lines_readonly (placed.layouts[0]); line != NULL;
       line = line->next)
    {
      const int start = pango_layout_line_get_start_index (line->data);
      g_autofree char *text = g_strndup (item->cells[0] + start,
                                         (gsize) pango_layout_line_get_length (line->data));
      Placed part = { .item = item, .before = start == 0 ? placed.before : 0 };

      part.x[0] = placed.x[0];
      part.layouts[0] = layout_new (self, text, styles[item->kind].font, FALSE,
                                    content_width (self) - CELL_GAP);
      part.height = layout_height (part.layouts[0]);
      g_array_append_val (self->placed, part);
    }
  g_object_unref (placed.layouts[0]);
}

/* ---- pages ---- */

/* Whether an item must not be the last of a page: a heading, the head of a table, and the words
 * about a chart. */
static gboolean
stays_with_next (const ShardwiseReportItem *item, const ShardwiseReportItem *next)
{
  if (item->kind == SHARDWISE_REPORT_HEADING)
    return TRUE;
  if (item->kind == SHARDWISE_REPORT_ROW)
    return item->strong && next->kind == SHARDWISE_REPORT_ROW;
  return item->kind == SHARDWISE_REPORT_PARAGRAPH && next->kind == SHARDWISE_REPORT_CHART;
}

static void
place_items (ShardwiseReportPages *self)
{
  double y = MARGIN_Y, bottom = self->height - MARGIN_Y;

  self->n_pages = 1;
  for (guint i = 0; i < self->placed->len; i++)
    {
      Placed *placed = &g_array_index (self->placed, Placed, i);
      /* the height of an item with all that must stay with it */
      double needed = placed->height;

      for (guint next = i; next + 1 < self->placed->len
                           && stays_with_next (placed[next - i].item, placed[next - i + 1].item);
           next++)
        needed += placed[next - i + 1].before + placed[next - i + 1].height;
      if (y > MARGIN_Y && y + placed->before + needed > bottom)
        {
          self->n_pages++;
          y = MARGIN_Y;
        }
      else if (y > MARGIN_Y)
        {
          y += placed->before;
        }
      placed->page = self->n_pages - 1;
      placed->y = y;
      y += placed->height;
    }
}

/**
 * shardwise_report_pages_new:
 * @report: what is printed
 * @context: for the fonts, with one unit a point
 * @width: of a page; points
 * @height: of a page; points
 *
 * Returns: (transfer full): the report on pages of that size
 */
ShardwiseReportPages *
shardwise_report_pages_new (ShardwiseReport *report, PangoContext *context, double width,
                            double height)
{
  ShardwiseReportPages *self = g_new0 (ShardwiseReportPages, 1);

  self->report = g_object_ref (report);
  self->context = g_object_ref (context);
  self->width = width;
  self->height = height;
  self->placed = g_array_new (FALSE, TRUE, sizeof (Placed));
  for (guint i = 0; i < shardwise_report_n_items (report); i++)
    append_item (self, shardwise_report_get_item (report, i));
  place_items (self);
  return self;
}

/**
 * shardwise_report_pages_free:
 * @self: pages
 */
void
shardwise_report_pages_free (ShardwiseReportPages *self)
{
  for (guint i = 0; i < self->placed->len; i++)
    for (guint j = 0; j < SHARDWISE_REPORT_CELLS; j++)
      g_clear_object (&g_array_index (self->placed, Placed, i).layouts[j]);
  g_array_unref (self->placed);
  g_object_unref (self->context);
  g_object_unref (self->report);
  g_free (self);
}

/**
 * shardwise_report_pages_count:
 * @self: pages
 *
 * Returns: their count, at least 1
 */
guint
shardwise_report_pages_count (const ShardwiseReportPages *self)
{
  return self->n_pages;
}

/* ---- drawing ---- */

static void
draw_rule (const ShardwiseReportPages *self, cairo_t *cr, double y)
{
  cairo_set_line_width (cr, 0.5);
  cairo_set_source_rgb (cr, 0.7, 0.7, 0.7);
  cairo_move_to (cr, MARGIN, y);
  cairo_line_to (cr, self->width - MARGIN, y);
  cairo_stroke (cr);
}

static void
draw_text (const ShardwiseReportPages *self, cairo_t *cr, const char *text, double y,
           PangoAlignment alignment)
{
  g_autoptr (PangoLayout) layout = layout_new (self, text, "Sans 8", FALSE, content_width (self));

  pango_layout_set_alignment (layout, alignment);
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
  cairo_set_source_rgb (cr, 0.35, 0.35, 0.35);
  cairo_move_to (cr, MARGIN, y);
  pango_cairo_show_layout (cr, layout);
}

static void
draw_item (const ShardwiseReportPages *self, cairo_t *cr, const Placed *placed)
{
  const ShardwiseReportItem *item = placed->item;
  double grey = item->kind == SHARDWISE_REPORT_SMALL ? 0.35 : 0;

  if (item->chart != NULL)
    {
      double scale = content_width (self) / CHART_PIXELS;

      cairo_save (cr);
      cairo_translate (cr, MARGIN, placed->y);
      cairo_rectangle (cr, 0, 0, content_width (self), placed->height);
      cairo_clip (cr);
      cairo_scale (cr, scale, scale);
      shardwise_chart_render (placed->item->chart, cr);
      cairo_restore (cr);
    }
  if (item->kind == SHARDWISE_REPORT_ROW && item->strong)
    draw_rule (self, cr, placed->y + placed->height + 1);
  cairo_set_source_rgb (cr, grey, grey, grey);
  for (guint i = 0; i < item->n_cells; i++)
    {
      cairo_move_to (cr, placed->x[i], placed->y);
      pango_cairo_show_layout (cr, placed->layouts[i]);
    }
}

/*
 * shardwise_report_pages_draw:
 * @self: pages
 * @cr: where to draw, one unit a point
 * @page: which, from 0
 *
 * Draws a page with its head and its number.
 */
static void
shardwise_report_pages_draw (const ShardwiseReportPages *self, cairo_t *cr, guint page)
{
  g_return_if_fail (page < self->n_pages);

  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *date = g_date_time_format (now, "%x");
  /* Translators: a page and the number of pages */
  g_autofree char *number = g_strdup_printf (_ ("Page %u of %u"), page + 1, self->n_pages);

  draw_text (self, cr, shardwise_report_get_title (self->report), 8, PANGO_ALIGN_LEFT);
  draw_rule (self, cr, 22);
  draw_rule (self, cr, self->height - 24);
  /* Translators: %s is a date */
  g_autofree char *made = g_strdup_printf (_ ("Shardwise, %s"), date);

  draw_text (self, cr, made, self->height - 20, PANGO_ALIGN_LEFT);
  draw_text (self, cr, number, self->height - 20, PANGO_ALIGN_RIGHT);
  for (guint i = 0; i < self->placed->len; i++)
    if (g_array_index (self->placed, Placed, i).page == page)
      draw_item (self, cr, &g_array_index (self->placed, Placed, i));
}

struct _ShardwiseReportPdf {
  ShardwiseReportPages *pages;
  GByteArray *bytes; /* what was drawn */
  cairo_surface_t *surface;
  cairo_t *cr;
  guint next; /* the page that is drawn next */
};

static cairo_status_t
append_cb (void *bytes, const unsigned char *data, unsigned length)
{
  g_byte_array_append (bytes, data, length);
  return CAIRO_STATUS_SUCCESS;
}

/**
 * shardwise_report_pdf_new:
 * @report: what is printed
 *
 * Lays the report out on the paper of the locale, with GTK's margins.
 *
 * Returns: (transfer full): its file, without a page yet
 */
ShardwiseReportPdf *
shardwise_report_pdf_new (ShardwiseReport *report)
{
  ShardwiseReportPdf *self = g_new0 (ShardwiseReportPdf, 1);
  g_autoptr (GtkPageSetup) paper = gtk_page_setup_new ();
  PangoContext *fonts = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  cairo_font_options_t *options = cairo_font_options_create ();

  /* Fonts for a page where one unit is a point, as GTK prints with. */
  cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_OFF);
  pango_cairo_context_set_font_options (fonts, options);
  pango_cairo_context_set_resolution (fonts, 72);
  cairo_font_options_destroy (options);
  self->pages = shardwise_report_pages_new (
      report, fonts, gtk_page_setup_get_page_width (paper, GTK_UNIT_POINTS),
      gtk_page_setup_get_page_height (paper, GTK_UNIT_POINTS));
  g_object_unref (fonts);
  self->bytes = g_byte_array_new ();
  self->surface = cairo_pdf_surface_create_for_stream (
      append_cb, self->bytes, gtk_page_setup_get_paper_width (paper, GTK_UNIT_POINTS),
      gtk_page_setup_get_paper_height (paper, GTK_UNIT_POINTS));
  cairo_pdf_surface_set_metadata (self->surface, CAIRO_PDF_METADATA_TITLE,
                                  shardwise_report_get_title (report));
  self->cr = cairo_create (self->surface);
  cairo_translate (self->cr, gtk_page_setup_get_left_margin (paper, GTK_UNIT_POINTS),
                   gtk_page_setup_get_top_margin (paper, GTK_UNIT_POINTS));
  return self;
}

/**
 * shardwise_report_pdf_draw_next:
 * @self: a file
 *
 * Draws the next page.
 *
 * Returns: whether there are more
 */
gboolean
shardwise_report_pdf_draw_next (ShardwiseReportPdf *self)
{
  g_return_val_if_fail (self->next < shardwise_report_pages_count (self->pages), FALSE);

  shardwise_report_pages_draw (self->pages, self->cr, self->next);
  cairo_show_page (self->cr);
  return ++self->next < shardwise_report_pages_count (self->pages);
}

/**
 * shardwise_report_pdf_finish:
 * @self: a file whose pages were drawn
 * @error: (out): what cairo could not draw
 *
 * Returns: (transfer full) (nullable): its content
 */
GBytes *
shardwise_report_pdf_finish (ShardwiseReportPdf *self, GError **error)
{
  cairo_status_t status = cairo_status (self->cr);

  cairo_surface_finish (self->surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (self->surface);
  if (status != CAIRO_STATUS_SUCCESS)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, cairo_status_to_string (status));
      return NULL;
    }
  return g_bytes_new (self->bytes->data, self->bytes->len);
}

/**
 * shardwise_report_pdf_free:
 * @self: a file
 */
void
shardwise_report_pdf_free (ShardwiseReportPdf *self)
{
  cairo_destroy (self->cr);
  cairo_surface_destroy (self->surface); /* which may write */
  g_byte_array_unref (self->bytes);
  shardwise_report_pages_free (self->pages);
  g_free (self);
}

/* ---- the print operation ---- */

typedef struct {
  ShardwiseReport *report;
  ShardwiseReportPages *pages; /* NULL: not laid out yet */
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

/* The end of all. */
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
