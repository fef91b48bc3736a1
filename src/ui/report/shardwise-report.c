/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-report.h"

#include "shardwise-format.h"

struct _ShardwiseReport {
  GObject parent_instance;

  char *title;
  GPtrArray *items; /* of ShardwiseReportItem */
};

G_DEFINE_FINAL_TYPE (ShardwiseReport, shardwise_report, G_TYPE_OBJECT)

static void
item_free (gpointer data)
{
  ShardwiseReportItem *item = data;

  for (guint i = 0; i < item->n_cells; i++)
    g_free (item->cells[i]);
  g_clear_object (&item->chart);
  g_free (item);
}

static ShardwiseReportItem *
add_item (ShardwiseReport *self, ShardwiseReportKind kind)
{
  ShardwiseReportItem *item = g_new0 (ShardwiseReportItem, 1);

  item->kind = kind;
  g_ptr_array_add (self->items, item);
  return item;
}

/**
 * shardwise_report_new:
 * @title: what stands at the head of each page
 *
 * Returns: (transfer full): a report without content
 */
ShardwiseReport *
shardwise_report_new (const char *title)
{
  ShardwiseReport *self = g_object_new (SHARDWISE_TYPE_REPORT, NULL);

  self->title = g_strdup (title);
  return self;
}

/**
 * shardwise_report_get_title:
 * @self: a report
 *
 * Returns: (transfer none): what stands at the head of each page
 */
const char *
shardwise_report_get_title (ShardwiseReport *self)
{
  g_return_val_if_fail (SHARDWISE_IS_REPORT (self), NULL);
  return self->title;
}

/**
 * shardwise_report_add_text:
 * @self: a report
 * @kind: neither a row nor a chart
 * @text: (nullable): %NULL or "" adds nothing
 *
 * Adds a text at the end; numbers stay with their units.
 */
void
shardwise_report_add_text (ShardwiseReport *self, ShardwiseReportKind kind, const char *text)
{
  ShardwiseReportItem *item;

  g_return_if_fail (SHARDWISE_IS_REPORT (self));

  if (text == NULL || *text == '\0')
    return;
  item = add_item (self, kind);
  item->cells[0] = shardwise_format_unbroken (text);
  item->n_cells = 1;
}

/**
 * shardwise_report_add_row:
 * @self: a report
 * @strong: whether it is a head or a total
 * @cells: (array zero-terminated=1): at most %SHARDWISE_REPORT_CELLS
 *
 * Adds a row of a table at the end; rows with as many cells that follow each other are one table.
 */
void
shardwise_report_add_row (ShardwiseReport *self, gboolean strong, const char *const *cells)
{
  ShardwiseReportItem *item;

  g_return_if_fail (SHARDWISE_IS_REPORT (self));

  item = add_item (self, SHARDWISE_REPORT_ROW);
  item->strong = strong;
  for (; cells[item->n_cells] != NULL && item->n_cells < SHARDWISE_REPORT_CELLS; item->n_cells++)
    item->cells[item->n_cells] = shardwise_format_unbroken (cells[item->n_cells]);
}

/**
 * shardwise_report_add_chart:
 * @self: a report
 * @chart: (transfer floating): in no window
 *
 * Adds a picture at the end, dark on white.
 */
void
shardwise_report_add_chart (ShardwiseReport *self, ShardwiseChart *chart)
{
  g_return_if_fail (SHARDWISE_IS_REPORT (self) && SHARDWISE_IS_CHART (chart));

  shardwise_chart_set_paper (chart);
  add_item (self, SHARDWISE_REPORT_CHART)->chart = g_object_ref_sink (chart);
}

/**
 * shardwise_report_n_items:
 * @self: a report
 *
 * Returns: the count of its items
 */
guint
shardwise_report_n_items (ShardwiseReport *self)
{
  g_return_val_if_fail (SHARDWISE_IS_REPORT (self), 0);
  return self->items->len;
}

/**
 * shardwise_report_get_item:
 * @self: a report
 * @index: of an item
 *
 * Returns: (transfer none): the item
 */
const ShardwiseReportItem *
shardwise_report_get_item (ShardwiseReport *self, guint index)
{
  g_return_val_if_fail (SHARDWISE_IS_REPORT (self) && index < self->items->len, NULL);
  return g_ptr_array_index (self->items, index);
}

static void
shardwise_report_finalize (GObject *object)
{
  ShardwiseReport *self = SHARDWISE_REPORT (object);

  g_ptr_array_unref (self->items);
  g_free (self->title);
  G_OBJECT_CLASS (shardwise_report_parent_class)->finalize (object);
}

static void
shardwise_report_class_init (ShardwiseReportClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = shardwise_report_finalize;
}

static void
shardwise_report_init (ShardwiseReport *self)
{
  self->items = g_ptr_array_new_with_free_func (item_free);
}
