/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-chart-table.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-csv.h"
#include "shardwise-format.h"
#include "sw-types.h"

#define MOST_DIGITS 6 /* what is less is the rounding of a sum */

/* One row, by its number: the cells are asked from the chart when they are shown. */
#define SHARDWISE_TYPE_CHART_ROW (shardwise_chart_row_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseChartRow, shardwise_chart_row, SHARDWISE, CHART_ROW, GObject)

struct _ShardwiseChartRow {
  GObject parent_instance;
  guint index;
};

G_DEFINE_FINAL_TYPE (ShardwiseChartRow, shardwise_chart_row, G_TYPE_OBJECT)

static void
shardwise_chart_row_class_init (ShardwiseChartRowClass *klass)
{}

static void
shardwise_chart_row_init (ShardwiseChartRow *self)
{}

struct _ShardwiseChartTable {
  GObject parent_instance;
  ShardwiseChart *chart; /* weak */
  guint n_rows;
};

static GType
get_item_type (GListModel *model)
{
  return SHARDWISE_TYPE_CHART_ROW;
}

static guint
get_n_items (GListModel *model)
{
  return SHARDWISE_CHART_TABLE (model)->n_rows;
}

static gpointer
get_item (GListModel *model, guint position)
{
  ShardwiseChartRow *row;

  if (position >= SHARDWISE_CHART_TABLE (model)->n_rows)
    return NULL;
  row = g_object_new (SHARDWISE_TYPE_CHART_ROW, NULL);
  row->index = position;
  return row;
}

static void
list_model_init (GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (ShardwiseChartTable, shardwise_chart_table, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

static void
changed_cb (ShardwiseChartTable *self)
{
  guint before = self->n_rows;

  self->n_rows = SHARDWISE_CHART_GET_CLASS (self->chart)->n_rows (self->chart);
  g_list_model_items_changed (G_LIST_MODEL (self), 0, before, self->n_rows);
}

static void
shardwise_chart_table_dispose (GObject *object)
{
  g_clear_weak_pointer (&SHARDWISE_CHART_TABLE (object)->chart);
  G_OBJECT_CLASS (shardwise_chart_table_parent_class)->dispose (object);
}

static void
shardwise_chart_table_class_init (ShardwiseChartTableClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = shardwise_chart_table_dispose;
}

static void
shardwise_chart_table_init (ShardwiseChartTable *self)
{}

/**
 * shardwise_chart_table_new:
 * @chart: a chart
 *
 * Returns: (transfer full): a GListModel with an item per row of the chart's data, which follows
 *   the chart
 */
ShardwiseChartTable *
shardwise_chart_table_new (ShardwiseChart *chart)
{
  ShardwiseChartTable *self = g_object_new (SHARDWISE_TYPE_CHART_TABLE, NULL);

  g_set_weak_pointer (&self->chart, chart);
  self->n_rows = SHARDWISE_CHART_GET_CLASS (chart)->n_rows (chart);
  g_signal_connect_object (chart, "changed", G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
  return self;
}

/* As many as the column has, or more for two significant ones of a small number that is not whole:
 * the tenth of a day that a short job takes is not 0. */
static int
digits_of (double number, int digits)
{
  double magnitude = fabs (number);
  int enough = magnitude > 0 && magnitude < 10 ? 1 - (int) floor (log10 (magnitude)) : 0;

  return magnitude == floor (magnitude) || enough > MOST_DIGITS ? digits : MAX (digits, enough);
}

/**
 * shardwise_chart_cell_text:
 * @chart: a chart
 * @row: of its data
 * @column: of its data
 *
 * Returns: (transfer full): the cell as it is shown
 */
char *
shardwise_chart_cell_text (ShardwiseChart *chart, guint row, guint column)
{
  ShardwiseChartCell cell = { NULL, 0 };
  guint n;
  const ShardwiseChartColumn *described = &shardwise_chart_get_columns (chart, &n)[column];
  int digits = described->digits;

  SHARDWISE_CHART_GET_CLASS (chart)->cell (chart, row, column, &cell);
  if (strstr (described->title, "GiB") != NULL)
    cell.number *= SW_GIB / shardwise_memory_unit_bytes ();
  if (cell.text == NULL && digits >= 0)
    /* The apostrophe groups thousands as the locale does. */
    cell.text = g_strdup_printf ("%'.*f", digits_of (cell.number, digits), cell.number);
  return cell.text != NULL ? cell.text : g_strdup ("");
}

/**
 * shardwise_chart_to_csv:
 * @chart: a chart
 *
 * Returns: (transfer full): its data as RFC 4180, numbers with nine digits and a point in every
 *   locale; a number that is not known is an empty field
 */
char *
shardwise_chart_to_csv (ShardwiseChart *chart)
{
  GString *csv = g_string_new (NULL);
  guint n_columns, n_rows = SHARDWISE_CHART_GET_CLASS (chart)->n_rows (chart);
  const ShardwiseChartColumn *columns = shardwise_chart_get_columns (chart, &n_columns);

  for (guint column = 0; column < n_columns; column++)
    {
      shardwise_csv_append_field (csv, _ (columns[column].title));
      g_string_append (csv, column + 1 < n_columns ? "," : "\r\n");
    }
  for (guint row = 0; row < n_rows; row++)
    for (guint column = 0; column < n_columns; column++)
      {
        int digits = columns[column].digits;
        ShardwiseChartCell cell = { NULL, 0 };
        char number[G_ASCII_DTOSTR_BUF_SIZE + 32];

        SHARDWISE_CHART_GET_CLASS (chart)->cell (chart, row, column, &cell);
        if (cell.text != NULL && (digits < 0 || !g_str_equal (cell.text, "–")))
          shardwise_csv_append_field (csv, cell.text);
        else if (cell.text == NULL && digits >= 0)
          g_string_append (csv, g_ascii_formatd (number, sizeof number, "%.9g", cell.number));
        g_free (cell.text);
        g_string_append (csv, column + 1 < n_columns ? "," : "\r\n");
      }
  return g_string_free (csv, FALSE);
}

/* The column view */

typedef struct {
  ShardwiseChart *chart;
  guint column;
  gboolean is_number;
} Column;

static void
column_free (gpointer data, GClosure *closure)
{
  g_free (data);
}

static void
setup_cb (GtkSignalListItemFactory *factory, GtkListItem *item, Column *column)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), column->is_number ? 1 : 0);
  gtk_widget_add_css_class (label, "numeric");
  gtk_list_item_set_child (item, label);
}

static void
bind_cb (GtkSignalListItemFactory *factory, GtkListItem *item, Column *column)
{
  ShardwiseChartRow *row = gtk_list_item_get_item (item);
  g_autofree char *text = shardwise_chart_cell_text (column->chart, row->index, column->column);

  gtk_label_set_label (GTK_LABEL (gtk_list_item_get_child (item)), text);
}

/* In the unit of memory that is shown now, as the cells are. */
static void
update_titles (ShardwiseChart *chart, GtkColumnView *view)
{
  GListModel *view_columns = gtk_column_view_get_columns (view);
  guint n;
  const ShardwiseChartColumn *columns = shardwise_chart_get_columns (chart, &n);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (view_columns, i);
      g_autofree char *title = shardwise_memory_unit_text (_ (columns[i].title));

      gtk_column_view_column_set_title (column, title);
    }
}

/**
 * shardwise_chart_table_view_new:
 * @chart: a chart, which must outlive the view
 *
 * Returns: (transfer floating): a column view over the chart's data
 */
GtkWidget *
shardwise_chart_table_view_new (ShardwiseChart *chart)
{
  GListModel *table = G_LIST_MODEL (shardwise_chart_table_new (chart));
  GtkWidget *view = gtk_column_view_new (GTK_SELECTION_MODEL (gtk_single_selection_new (table)));
  guint n;
  const ShardwiseChartColumn *columns = shardwise_chart_get_columns (chart, &n);

  for (guint i = 0; i < n; i++)
    {
      GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
      g_autoptr (GtkColumnViewColumn) view_column = gtk_column_view_column_new (NULL, factory);
      const Column column = { chart, i, columns[i].digits >= 0 };

      g_signal_connect_data (factory, "setup", G_CALLBACK (setup_cb),
                             g_memdup2 (&column, sizeof column), column_free, 0);
      g_signal_connect_data (factory, "bind", G_CALLBACK (bind_cb),
                             g_memdup2 (&column, sizeof column), column_free, 0);
      gtk_column_view_column_set_expand (view_column, i == 0);
      gtk_column_view_column_set_resizable (view_column, TRUE);
      gtk_column_view_append_column (GTK_COLUMN_VIEW (view), view_column);
    }
  update_titles (chart, GTK_COLUMN_VIEW (view));
  g_signal_connect_object (chart, "changed", G_CALLBACK (update_titles), view, 0);
  gtk_accessible_update_property (GTK_ACCESSIBLE (view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Data of the chart"), -1);
  return view;
}
