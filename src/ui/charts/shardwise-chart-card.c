/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-chart-card.h"

#include <cairo-svg.h>
#include <glib/gi18n.h>
#include "shardwise-chart-table.h"
#include "shardwise-compat.h"
#include "shardwise-list-bin.h"
#include "shardwise-page.h"
#include "shardwise-format.h"

#define TABLE_HEIGHT 420 /* pixels, at most: a table of more rows scrolls */

struct _ShardwiseChartCard {
  GtkWidget parent_instance;

  ShardwiseChart *chart; /* owned by the scroller */
  char *title, *takeaway;
  gboolean zoomable, table;

  GtkLabel *takeaway_label, *readout_label;
  GtkStack *stack;
  GtkBox *controls_box;
  GtkScrolledWindow *chart_scroller;
  GMenu *copy_menu;
  GtkWidget *table_bin; /* (nullable): made when the table is first asked for */
};

G_DEFINE_FINAL_TYPE (ShardwiseChartCard, shardwise_chart_card, GTK_TYPE_WIDGET)

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
  /* One of few rows says itself how low it may be, so that no empty space is left below them. */
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

      shardwise_wheel_pass_on (GTK_SCROLLED_WINDOW (scroller));
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

/* Pixels at twice the size on the screen, so that they stay sharp in a document. */
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
 * @controls: what chooses what the chart shows; goes above it
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
  GtkWidget *child;

  /* The table's cells are asked from the chart: it goes first. */
  if (self->table_bin != NULL)
    gtk_stack_remove (self->stack, self->table_bin);
  self->table_bin = NULL;
  if (self->copy_menu != NULL)
    shardwise_compat_empty_menu (self->copy_menu);
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_CHART_CARD);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
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
  shardwise_wheel_pass_on (self->chart_scroller);
}
