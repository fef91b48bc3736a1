/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-chart-card.h"

#include <cairo-svg.h>
#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-container.h"
#include "shardwise-gtk-faults.h"
#include "shardwise-csv.h"
#include "shardwise-format.h"
#include "shardwise-list-bin.h"
#include "shardwise-page.h"
#include "sw-types.h"

#define TABLE_HEIGHT 420 /* maximum, pixels: a longer table scrolls */
#define MOST_DIGITS 6    /* further digits are rounding errors of a sum */

/* The data as rows */

/* One row, by its number: the chart provides the cells when they are shown. */
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

/* The column's digits, or more for two significant digits of a small fraction: the tenth of a day
 * of a short job is not 0. */
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
 * @row: a row of its data
 * @column: a column of its data
 *
 * Returns: (transfer full): the displayed cell
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
    /* The apostrophe enables the locale's digit grouping. */
    cell.text = g_strdup_printf ("%'.*f", digits_of (cell.number, digits), cell.number);
  return cell.text != NULL ? cell.text : g_strdup ("");
}

/**
 * shardwise_chart_to_csv:
 * @chart: a chart
 *
 * Returns: (transfer full): its data as RFC 4180, numbers with nine digits and a point in every
 *   locale; an unknown number is an empty field
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

/* In the current unit of memory, like the cells. */
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

/* The card */

struct _ShardwiseChartCard {
  ShardwiseContainer parent_instance;

  ShardwiseChart *chart; /* owned by the scroller */
  char *title, *takeaway;
  gboolean zoomable, table;

  GtkLabel *takeaway_label, *readout_label;
  GtkStack *stack;
  GtkBox *controls_box;
  GtkScrolledWindow *chart_scroller;
  GMenu *copy_menu;
  GtkWidget *table_bin; /* (nullable): created when the table is first requested */
};

G_DEFINE_FINAL_TYPE (ShardwiseChartCard, shardwise_chart_card, SHARDWISE_TYPE_CONTAINER)

enum { PROP_0, PROP_TITLE, PROP_TAKEAWAY, PROP_CHART, PROP_ZOOMABLE, PROP_TABLE, N_PROPS };
static GParamSpec *properties[N_PROPS];

static void
update_takeaway (ShardwiseChartCard *self)
{
  const char *text = self->takeaway;
  g_autofree char *unbroken = NULL;

  if (text == NULL && self->chart != NULL)
    text = shardwise_chart_get_summary (self->chart);
  unbroken = shardwise_format_unbroken (text != NULL ? text : "");
  gtk_label_set_label (self->takeaway_label, unbroken);
  gtk_widget_set_visible (GTK_WIDGET (self->takeaway_label), text != NULL && *text != '\0');
}

static void
update_readout (ShardwiseChartCard *self)
{
  const char *readout = shardwise_chart_get_readout (self->chart);

  /* A space keeps the line, so that nothing moves under the pointer. */
  gtk_label_set_label (self->readout_label, readout != NULL ? readout : " ");
}

static void
set_chart (ShardwiseChartCard *self, ShardwiseChart *chart)
{
  if (chart == NULL)
    return;
  self->chart = chart;
  gtk_scrolled_window_set_child (self->chart_scroller, GTK_WIDGET (chart));
  /* A chart with few rows sets its own minimum height, so that there is no empty space below
   * them. */
  if (SHARDWISE_CHART_GET_CLASS (chart)->plot_most != NULL)
    gtk_scrolled_window_set_min_content_height (self->chart_scroller, -1);
  if (SHARDWISE_CHART_GET_CLASS (chart)->is_whole)
    gtk_scrolled_window_set_max_content_height (self->chart_scroller, -1);
  g_signal_connect_object (chart, "notify::summary", G_CALLBACK (update_takeaway), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (chart, "notify::readout", G_CALLBACK (update_readout), self,
                           G_CONNECT_SWAPPED);
  update_takeaway (self);
  update_readout (self);
}

static void
set_table (ShardwiseChartCard *self, gboolean table)
{
  if (self->table == table)
    return;
  self->table = table;
  if (table && self->table_bin == NULL)
    {
      GtkWidget *scroller = g_object_new (GTK_TYPE_SCROLLED_WINDOW, "propagate-natural-height",
                                          TRUE, "max-content-height", TABLE_HEIGHT, "child",
                                          shardwise_chart_table_view_new (self->chart), NULL);

      shardwise_gtk_pass_wheel_on (GTK_SCROLLED_WINDOW (scroller));
      self->table_bin = shardwise_list_bin_new (scroller);
      gtk_stack_add_child (self->stack, self->table_bin);
    }
  gtk_stack_set_visible_child (self->stack,
                               table ? self->table_bin : GTK_WIDGET (self->chart_scroller));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TABLE]);
}

/* Copy */

static cairo_status_t
append_bytes (void *data, const unsigned char *bytes, unsigned int length)
{
  g_byte_array_append (data, bytes, length);
  return CAIRO_STATUS_SUCCESS;
}

/* Twice the size on the screen, so that it stays sharp in a document. */
static void
copy_picture (ShardwiseChartCard *self, gboolean svg)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self->chart)),
      height = gtk_widget_get_height (GTK_WIDGET (self->chart));
  g_autoptr (GdkContentProvider) content = NULL;
  g_autoptr (GBytes) bytes = NULL;
  GByteArray *out;
  cairo_surface_t *surface;
  cairo_t *cr;

  if (width <= 0 || height <= 0)
    return;
  out = g_byte_array_new ();
  surface = svg ? cairo_svg_surface_create_for_stream (append_bytes, out, width, height)
                : cairo_image_surface_create (CAIRO_FORMAT_RGB24, width * 2, height * 2);
  cr = cairo_create (surface);
  if (!svg)
    cairo_scale (cr, 2, 2);
  shardwise_chart_render (self->chart, cr);
  cairo_destroy (cr);
  if (svg)
    cairo_surface_finish (surface);
  else
    cairo_surface_write_to_png_stream (surface, append_bytes, out);
  cairo_surface_destroy (surface);
  bytes = g_byte_array_free_to_bytes (out);
  content = gdk_content_provider_new_for_bytes (svg ? "image/svg+xml" : "image/png", bytes);
  gdk_clipboard_set_content (gtk_widget_get_clipboard (GTK_WIDGET (self)), content);
}

static void
copy_cb (GtkWidget *widget, const char *action, GVariant *target)
{
  ShardwiseChartCard *self = SHARDWISE_CHART_CARD (widget);
  const char *format = g_variant_get_string (target, NULL);
  GtkWidget *page = gtk_widget_get_ancestor (widget, SHARDWISE_TYPE_PAGE);

  if (g_str_equal (format, "csv"))
    {
      g_autofree char *csv = shardwise_chart_to_csv (self->chart);

      gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), csv);
    }
  else
    {
      copy_picture (self, g_str_equal (format, "svg"));
    }
  if (page != NULL)
    shardwise_page_toast (SHARDWISE_PAGE (page), _ ("Copied"));
}

static void
zoom_cb (GtkWidget *widget, const char *action, GVariant *target)
{
  gtk_widget_activate_action (GTK_WIDGET (SHARDWISE_CHART_CARD (widget)->chart), "chart.zoom", "i",
                              g_variant_get_int32 (target));
}

/* Public */

/**
 * shardwise_chart_card_set_controls:
 * @self: a card
 * @controls: widgets above the chart that choose its content
 */
void
shardwise_chart_card_set_controls (ShardwiseChartCard *self, GtkWidget *controls)
{
  g_return_if_fail (SHARDWISE_IS_CHART_CARD (self) && GTK_IS_WIDGET (controls));

  gtk_box_append (self->controls_box, controls);
  gtk_widget_set_visible (GTK_WIDGET (self->controls_box), TRUE);
}

/**
 * shardwise_chart_card_set_takeaway:
 * @self: a card
 * @takeaway: (nullable): the sentence above the chart; NULL: the chart's own
 */
void
shardwise_chart_card_set_takeaway (ShardwiseChartCard *self, const char *takeaway)
{
  g_return_if_fail (SHARDWISE_IS_CHART_CARD (self));

  if (g_strcmp0 (self->takeaway, takeaway) == 0)
    return;
  g_free (self->takeaway);
  self->takeaway = g_strdup (takeaway);
  update_takeaway (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TAKEAWAY]);
}

/* Type */

static void
shardwise_chart_card_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  ShardwiseChartCard *self = SHARDWISE_CHART_CARD (object);

  switch (id)
    {
    case PROP_TITLE: g_value_set_string (value, self->title); break;
    case PROP_TAKEAWAY: g_value_set_string (value, self->takeaway); break;
    case PROP_CHART: g_value_set_object (value, self->chart); break;
    case PROP_ZOOMABLE: g_value_set_boolean (value, self->zoomable); break;
    case PROP_TABLE: g_value_set_boolean (value, self->table); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
    }
}

static void
shardwise_chart_card_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  ShardwiseChartCard *self = SHARDWISE_CHART_CARD (object);

  switch (id)
    {
    case PROP_TITLE:
      g_free (self->title);
      self->title = g_value_dup_string (value);
      break;
    case PROP_TAKEAWAY: shardwise_chart_card_set_takeaway (self, g_value_get_string (value)); break;
    case PROP_CHART: set_chart (self, g_value_get_object (value)); break;
    case PROP_ZOOMABLE: self->zoomable = g_value_get_boolean (value); break;
    case PROP_TABLE: set_table (self, g_value_get_boolean (value)); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
    }
}

static void
shardwise_chart_card_dispose (GObject *object)
{
  ShardwiseChartCard *self = SHARDWISE_CHART_CARD (object);

  /* The chart provides the table's cells, so the table is removed first. */
  if (self->table_bin != NULL)
    gtk_stack_remove (self->stack, self->table_bin);
  self->table_bin = NULL;
  if (self->copy_menu != NULL)
    shardwise_menu_empty (self->copy_menu);
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_CHART_CARD);
  G_OBJECT_CLASS (shardwise_chart_card_parent_class)->dispose (object);
}

static void
shardwise_chart_card_finalize (GObject *object)
{
  g_free (SHARDWISE_CHART_CARD (object)->title);
  g_free (SHARDWISE_CHART_CARD (object)->takeaway);
  G_OBJECT_CLASS (shardwise_chart_card_parent_class)->finalize (object);
}

static void
shardwise_chart_card_class_init (ShardwiseChartCardClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = shardwise_chart_card_dispose;
  object_class->finalize = shardwise_chart_card_finalize;
  object_class->get_property = shardwise_chart_card_get_property;
  object_class->set_property = shardwise_chart_card_set_property;
  properties[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, flags);
  properties[PROP_TAKEAWAY] = g_param_spec_string ("takeaway", NULL, NULL, NULL,
                                                   flags | G_PARAM_EXPLICIT_NOTIFY);
  properties[PROP_CHART] = g_param_spec_object ("chart", NULL, NULL, SHARDWISE_TYPE_CHART, flags);
  properties[PROP_ZOOMABLE] = g_param_spec_boolean ("zoomable", NULL, NULL, FALSE, flags);
  properties[PROP_TABLE] = g_param_spec_boolean ("table", NULL, NULL, FALSE,
                                                 flags | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  gtk_widget_class_install_action (widget_class, "card.copy", "s", copy_cb);
  gtk_widget_class_install_action (widget_class, "card.zoom", "i", zoom_cb);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-chart-card.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseChartCard, takeaway_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseChartCard, readout_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseChartCard, controls_box);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseChartCard, stack);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseChartCard, chart_scroller);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseChartCard, copy_menu);
}

static void
shardwise_chart_card_init (ShardwiseChartCard *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  shardwise_gtk_pass_wheel_on (self->chart_scroller);
}
