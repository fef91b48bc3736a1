/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-chart.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-chart-draw.h"
#include "shardwise-wrapped-label.h"

#define LEAST_HEIGHT 220

typedef struct {
  GskRenderNode *node; /* (nullable): the drawn geometry */
  graphene_rect_t plot;
  int width, height; /* size of `node` */
  guint resize_id, readout_id;
  ShardwiseLegendEntry legend[SHARDWISE_LEGEND_MAX];
  guint n_legend;
  int hovered, cursor;         /* points; -1: none */
  double pointer_x, pointer_y; /* last position of the pointer; -1: outside */
  double pressed_x, pressed_y;
  char *summary, *readout;
  const ShardwiseChartColumn *columns; /* (nullable): only for this chart */
} ShardwiseChartPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ShardwiseChart, shardwise_chart, GTK_TYPE_WIDGET)

enum { PROP_0, PROP_SUMMARY, PROP_READOUT, N_PROPS };
enum { SIGNAL_CHANGED, SIGNAL_POINT_ACTIVATED, N_SIGNALS };
static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

static ShardwiseChartPrivate *
private_of (ShardwiseChart *self)
{
  return shardwise_chart_get_instance_private (self);
}

/**
 * shardwise_chart_n_points:
 * @self: a chart
 *
 * Returns: the number of points for the keyboard
 */
guint
shardwise_chart_n_points (ShardwiseChart *self)
{
  return SHARDWISE_CHART_GET_CLASS (self)->n_points (self);
}

/**
 * shardwise_chart_get_columns:
 * @self: a chart
 * @n: (out): their number
 *
 * Returns: (transfer none) (array length=n): the columns of its table
 */
const ShardwiseChartColumn *
shardwise_chart_get_columns (ShardwiseChart *self, guint *n)
{
  const ShardwiseChartColumn *columns = private_of (self)->columns;

  if (columns == NULL)
    columns = SHARDWISE_CHART_GET_CLASS (self)->columns;
  for (*n = 0; columns[*n].title != NULL;)
    ++*n;
  return columns;
}

/**
 * shardwise_chart_set_columns:
 * @self: a chart
 * @columns: (nullable): static; %NULL: those of its class
 *
 * Sets columns of its table that differ from those of its class.
 */
void
shardwise_chart_set_columns (ShardwiseChart *self, const ShardwiseChartColumn *columns)
{
  g_return_if_fail (SHARDWISE_IS_CHART (self));

  private_of (self)->columns = columns;
}

/**
 * shardwise_chart_get_plot:
 * @self: a chart
 * @out: (out): the area without the legend, in pixels of the widget
 */
void
shardwise_chart_get_plot (ShardwiseChart *self, graphene_rect_t *out)
{
  *out = private_of (self)->plot;
}

/**
 * shardwise_chart_get_pen:
 * @self: a chart
 * @snapshot: (nullable): the target of the drawing
 * @out: (out): the pen with the current colors
 */
void
shardwise_chart_get_pen (ShardwiseChart *self, GtkSnapshot *snapshot, ShardwisePen *out)
{
  AdwStyleManager *manager =
      adw_style_manager_get_for_display (gtk_widget_get_display (GTK_WIDGET (self)));

  out->chart = self;
  out->snapshot = snapshot;
  shardwise_chart_get_plot (self, &out->plot);
  out->vector = FALSE;
  out->dark = adw_style_manager_get_dark (manager);
  out->high_contrast = adw_style_manager_get_high_contrast (manager);
  shardwise_palette_text (out->dark, 1, &out->text);
  shardwise_palette_text (out->dark, out->high_contrast ? 1 : 0.7, &out->dim);
  shardwise_palette_text (out->dark, out->high_contrast ? 0.5 : 0.15, &out->grid);
  shardwise_palette_card (out->dark, &out->card);
}

/* The geometry layer */

static GskRenderNode *
draw_geometry (ShardwiseChart *self, gboolean vector)
{
  ShardwiseChartPrivate *priv = private_of (self);
  g_autoptr (GtkSnapshot) snapshot = gtk_snapshot_new ();
  ShardwisePen pen;

  shardwise_chart_get_pen (self, snapshot, &pen);
  pen.vector = vector;
  shardwise_draw_legend (&pen, priv->legend, priv->n_legend, priv->width);
  SHARDWISE_CHART_GET_CLASS (self)->draw (self, &pen);
  return gtk_snapshot_free_to_node (g_steal_pointer (&snapshot));
}

static void
lay_out (ShardwiseChart *self)
{
  ShardwiseChartPrivate *priv = private_of (self);
  ShardwiseChartClass *klass = SHARDWISE_CHART_GET_CLASS (self);
  int top = shardwise_draw_legend_height (self, priv->legend, priv->n_legend, priv->width);

  graphene_rect_init (&priv->plot, 0, top, priv->width, MAX (priv->height - top, 1));
  if (priv->width > 0)
    klass->layout (self, &priv->plot);
}

static void
shardwise_chart_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  ShardwiseChart *self = SHARDWISE_CHART (widget);
  ShardwiseChartPrivate *priv = private_of (self);
  ShardwisePen pen;
  int point;

  if (priv->node == NULL && priv->width > 0 && priv->height > 0)
    {
      shardwise_draw_texts_begin (self);
      lay_out (self); /* numbers the points */
      priv->node = draw_geometry (self, FALSE);
    }
  point = shardwise_chart_get_point (self);
  if (priv->node != NULL)
    gtk_snapshot_append_node (snapshot, priv->node);
  if (point < 0)
    return;
  shardwise_chart_get_pen (self, snapshot, &pen);
  SHARDWISE_CHART_GET_CLASS (self)->draw_point (self, &pen, (guint) point);
}

static gboolean
resize_cb (gpointer data)
{
  private_of (data)->resize_id = 0;
  gtk_widget_queue_resize (data);
  return G_SOURCE_REMOVE;
}

/* A scrolled window requests the height without a width, so a new width requires a new request. */
static void
shardwise_chart_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  ShardwiseChartPrivate *priv = private_of (SHARDWISE_CHART (widget));

  if (priv->width == width && priv->height == height)
    return;
  if (priv->width != width && priv->resize_id == 0)
    priv->resize_id = g_idle_add_full (GDK_PRIORITY_REDRAW - 5, resize_cb, widget, NULL);
  priv->width = width;
  priv->height = height;
  g_clear_pointer (&priv->node, gsk_render_node_unref);
  lay_out (SHARDWISE_CHART (widget));
}

static GtkSizeRequestMode
shardwise_chart_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
shardwise_chart_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                         int *natural, int *minimum_baseline, int *natural_baseline)
{
  ShardwiseChart *self = SHARDWISE_CHART (widget);
  ShardwiseChartPrivate *priv = private_of (self);
  ShardwiseChartClass *klass = SHARDWISE_CHART_GET_CLASS (self);
  int width = klass->plot_width != NULL ? klass->plot_width (self) : 240;

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = width;
      *natural = MAX (width, 600);
    }
  else
    {
      int given = for_size >= 0     ? for_size
                  : priv->width > 0 ? priv->width
                                    : 600,
          least = LEAST_HEIGHT;
      int wanted = klass->plot_height (self, given, &least),
          most = klass->plot_most != NULL ? klass->plot_most (self, given) : LEAST_HEIGHT;
      int legend = shardwise_draw_legend_height (self, priv->legend, priv->n_legend, given);

      /* At least the height for an overview, at most the height that its content can use. */
      *minimum = MAX (legend + least, MIN (LEAST_HEIGHT, legend + most));
      *natural = MAX (legend + wanted, *minimum);
    }
}

/* Points */

static void
shardwise_chart_draw_point (ShardwiseChart *self, const ShardwisePen *pen, guint point)
{
  graphene_rect_t area;

  if (!SHARDWISE_CHART_GET_CLASS (self)->point_area (self, point, &area))
    return;
  /* Dark and light, so that it is visible on every color. */
  graphene_rect_inset (&area, -1, -1);
  shardwise_draw_outline (pen, &pen->text, &area, 1);
  graphene_rect_inset (&area, 1, 1);
  shardwise_draw_outline (pen, &pen->card, &area, 1);
}

static int
shardwise_chart_pick (ShardwiseChart *self, double x, double y)
{
  const ShardwiseChartClass *klass = SHARDWISE_CHART_GET_CLASS (self);
  double best = klass->reach;
  graphene_rect_t area;
  int found = -1;

  for (guint i = 0, n = shardwise_chart_n_points (self); i < n; i++)
    {
      graphene_point_t middle;
      double distance;

      if (!klass->point_area (self, i, &area))
        continue;
      if (klass->reach <= 0 && graphene_rect_contains_point (&area, &GRAPHENE_POINT_INIT (x, y)))
        return (int) i;
      graphene_rect_get_center (&area, &middle);
      distance = hypot (middle.x - x, middle.y - y);
      if (distance >= best)
        continue;
      best = distance;
      found = (int) i;
    }
  return found;
}

static int
shardwise_chart_step (ShardwiseChart *self, guint point, GtkDirectionType direction)
{
  gboolean back = direction == GTK_DIR_LEFT || direction == GTK_DIR_UP;

  return back ? (int) point - 1 : (int) point + 1;
}

static void
update_readout (ShardwiseChart *self)
{
  ShardwiseChartPrivate *priv = private_of (self);
  int point = shardwise_chart_get_point (self);
  g_autofree char *readout = point < 0
                                 ? NULL
                                 : SHARDWISE_CHART_GET_CLASS (self)->readout (self, (guint) point);

  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (g_strcmp0 (readout, priv->readout) == 0)
    return;
  g_free (priv->readout);
  priv->readout = g_steal_pointer (&readout);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  priv->readout != NULL ? priv->readout : "", -1);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_READOUT]);
}

static gboolean
readout_cb (gpointer data)
{
  private_of (data)->readout_id = 0;
  update_readout (data);
  return G_SOURCE_REMOVE;
}

/* Public */

/**
 * shardwise_chart_redraw:
 * @self: a chart
 *
 * Redraws the geometry after a change of the view, the colors or the font, but not of the data.
 */
void
shardwise_chart_redraw (ShardwiseChart *self)
{
  ShardwiseChartPrivate *priv = private_of (self);

  g_return_if_fail (SHARDWISE_IS_CHART (self));

  g_clear_pointer (&priv->node, gsk_render_node_unref);
  lay_out (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/**
 * shardwise_chart_changed:
 * @self: a chart
 *
 * Updates size, legend, sentence, table and drawing after a change of the data; resets the cursor.
 */
void
shardwise_chart_changed (ShardwiseChart *self)
{
  ShardwiseChartPrivate *priv = private_of (self);
  ShardwiseChartClass *klass = SHARDWISE_CHART_GET_CLASS (self);

  g_return_if_fail (SHARDWISE_IS_CHART (self));

  priv->n_legend = klass->legend != NULL ? klass->legend (self, priv->legend) : 0;
  g_free (priv->summary);
  priv->summary = klass->summary (self);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  priv->summary, -1);
  priv->hovered = priv->cursor = -1;
  update_readout (self);
  shardwise_chart_redraw (self);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SUMMARY]);
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/**
 * shardwise_chart_get_point:
 * @self: a chart
 *
 * Returns: the point under the pointer, otherwise under the cursor, otherwise -1
 */
int
shardwise_chart_get_point (ShardwiseChart *self)
{
  ShardwiseChartPrivate *priv = private_of (self);

  g_return_val_if_fail (SHARDWISE_IS_CHART (self), -1);

  return priv->hovered >= 0 ? priv->hovered : priv->cursor;
}

/**
 * shardwise_chart_set_point:
 * @self: a chart
 * @point: the cursor's point; -1: none
 */
void
shardwise_chart_set_point (ShardwiseChart *self, int point)
{
  ShardwiseChartPrivate *priv = private_of (self);
  ShardwiseChartClass *klass = SHARDWISE_CHART_GET_CLASS (self);

  g_return_if_fail (SHARDWISE_IS_CHART (self));
  g_return_if_fail (point < (int) shardwise_chart_n_points (self));

  priv->hovered = -1;
  priv->cursor = MAX (point, -1);
  if (priv->cursor >= 0 && klass->reveal != NULL)
    klass->reveal (self, (guint) priv->cursor);
  update_readout (self);
}

static void
set_hovered (ShardwiseChart *self, int point)
{
  ShardwiseChartPrivate *priv = private_of (self);

  if (priv->hovered == point)
    return;
  priv->hovered = point;
  update_readout (self);
}

/**
 * shardwise_chart_renumber:
 * @self: a chart whose layout renumbers its points
 * @number: (scope call): returns the new number of a point
 * @data: for @number
 *
 * Pointer and cursor keep their points.
 */
void
shardwise_chart_renumber (ShardwiseChart *self, ShardwiseChartNumber number, gconstpointer data)
{
  ShardwiseChartPrivate *priv = private_of (self);

  if (priv->hovered >= 0)
    priv->hovered = (int) number (self, (guint) priv->hovered, data);
  if (priv->cursor >= 0)
    priv->cursor = (int) number (self, (guint) priv->cursor, data);
  /* Not during allocation, because the sentence has a label. */
  if (priv->readout != NULL && priv->readout_id == 0)
    priv->readout_id = g_idle_add_full (GDK_PRIORITY_REDRAW - 5, readout_cb, self, NULL);
}

/**
 * shardwise_chart_get_summary:
 * @self: a chart
 *
 * Returns: (transfer none): its content in one sentence; "" without data
 */
const char *
shardwise_chart_get_summary (ShardwiseChart *self)
{
  g_return_val_if_fail (SHARDWISE_IS_CHART (self), "");

  return private_of (self)->summary != NULL ? private_of (self)->summary : "";
}

/**
 * shardwise_chart_get_readout:
 * @self: a chart
 *
 * Returns: (transfer none) (nullable): the sentence of the selected point
 */
const char *
shardwise_chart_get_readout (ShardwiseChart *self)
{
  g_return_val_if_fail (SHARDWISE_IS_CHART (self), NULL);

  return private_of (self)->readout;
}

/**
 * shardwise_chart_render:
 * @self: a chart with a size
 * @cr: where to draw, in pixels of the widget
 *
 * Draws the chart without pointer and cursor, over its card.
 */
void
shardwise_chart_render (ShardwiseChart *self, cairo_t *cr)
{
  ShardwiseChartPrivate *priv = private_of (self);
  ShardwisePen pen;
  GskRenderNode *node;

  g_return_if_fail (SHARDWISE_IS_CHART (self));

  shardwise_chart_get_pen (self, NULL, &pen);
  gdk_cairo_set_source_rgba (cr, &pen.card);
  cairo_paint (cr);
  if (priv->width <= 0 || priv->height <= 0)
    return;
  lay_out (self);
  node = draw_geometry (self, TRUE);
  if (node != NULL)
    {
      gsk_render_node_draw (node, cr);
      gsk_render_node_unref (node);
    }
}

/* Keys */

static void
move_cursor (ShardwiseChart *self, int point)
{
  int n = (int) shardwise_chart_n_points (self);

  shardwise_chart_set_point (self, n == 0 ? -1 : CLAMP (point, 0, n - 1));
}

static gboolean
step_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  ShardwiseChart *self = SHARDWISE_CHART (widget);
  int point = shardwise_chart_get_point (self);
  GtkDirectionType direction = (GtkDirectionType) g_variant_get_int32 (args);

  move_cursor (self, point < 0
                         ? 0
                         : SHARDWISE_CHART_GET_CLASS (self)->step (self, (guint) point, direction));
  return TRUE;
}

static gboolean
end_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  move_cursor (SHARDWISE_CHART (widget), g_variant_get_int32 (args));
  return TRUE;
}

static gboolean
forget_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  ShardwiseChart *self = SHARDWISE_CHART (widget);

  if (shardwise_chart_get_point (self) < 0)
    return FALSE;
  shardwise_chart_set_point (self, -1);
  return TRUE;
}

static gboolean
activate_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  int point = shardwise_chart_get_point (SHARDWISE_CHART (widget));

  if (point < 0)
    return FALSE;
  g_signal_emit_by_name (widget, "point-activated", (guint) point);
  return TRUE;
}

/* Pointer */

/* GTK reports a resting pointer again whenever something moves under it; this must not take the
 * focus from the keyboard. */
static void
motion_cb (ShardwiseChart *self, double x, double y)
{
  ShardwiseChartPrivate *priv = private_of (self);

  if (x == priv->pointer_x && y == priv->pointer_y)
    return;
  priv->pointer_x = x;
  priv->pointer_y = y;
  set_hovered (self, SHARDWISE_CHART_GET_CLASS (self)->pick (self, x, y));
}

static void
leave_cb (ShardwiseChart *self)
{
  private_of (self)->pointer_x = private_of (self)->pointer_y = -1;
  set_hovered (self, -1);
}

static void
pressed_cb (ShardwiseChart *self, int n_press, double x, double y)
{
  private_of (self)->pressed_x = x;
  private_of (self)->pressed_y = y;
}

/* A drag is not a click. */
static void
released_cb (ShardwiseChart *self, int n_press, double x, double y)
{
  ShardwiseChartPrivate *priv = private_of (self);
  int point;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (gtk_drag_check_threshold (GTK_WIDGET (self), (int) priv->pressed_x, (int) priv->pressed_y,
                                (int) x, (int) y))
    return;
  point = SHARDWISE_CHART_GET_CLASS (self)->pick (self, x, y);
  shardwise_chart_set_point (self, point);
  if (point >= 0)
    g_signal_emit (self, signals[SIGNAL_POINT_ACTIVATED], 0, (guint) point);
}

/* Tooltip */

static gboolean
query_tooltip_cb (ShardwiseChart *self, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  const char *readout = shardwise_chart_get_readout (self);
  graphene_rect_t area;
  int point = shardwise_chart_get_point (self);

  if (point < 0 || readout == NULL)
    return FALSE;
  /* The whole column, so that the tooltip is below or above the chart and does not cover a
   * point. */
  if (SHARDWISE_CHART_GET_CLASS (self)->point_area (self, (guint) point, &area))
    gtk_tooltip_set_tip_area (
        tooltip, &(GdkRectangle){ area.origin.x, 0, MAX (area.size.width, 1),
                                  MAX (gtk_widget_get_height (GTK_WIDGET (self)), 1) });
  shardwise_tooltip_fill (tooltip, GTK_WIDGET (self), readout);
  return TRUE;
}

/* Type */

static void
shardwise_chart_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (shardwise_chart_parent_class)->css_changed (widget, change);
  g_clear_pointer (&private_of (SHARDWISE_CHART (widget))->node, gsk_render_node_unref);
}

static void
shardwise_chart_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  ShardwiseChart *self = SHARDWISE_CHART (object);

  switch (id)
    {
    case PROP_SUMMARY: g_value_set_string (value, shardwise_chart_get_summary (self)); break;
    case PROP_READOUT: g_value_set_string (value, shardwise_chart_get_readout (self)); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
    }
}

static void
shardwise_chart_dispose (GObject *object)
{
  g_clear_handle_id (&private_of (SHARDWISE_CHART (object))->resize_id, g_source_remove);
  g_clear_handle_id (&private_of (SHARDWISE_CHART (object))->readout_id, g_source_remove);
  G_OBJECT_CLASS (shardwise_chart_parent_class)->dispose (object);
}

static void
shardwise_chart_finalize (GObject *object)
{
  ShardwiseChartPrivate *priv = private_of (SHARDWISE_CHART (object));

  g_clear_pointer (&priv->node, gsk_render_node_unref);
  g_free (priv->summary);
  g_free (priv->readout);
  G_OBJECT_CLASS (shardwise_chart_parent_class)->finalize (object);
}

static void
shardwise_chart_class_init (ShardwiseChartClass *klass)
{
  const struct {
    guint key, keypad;
    GtkDirectionType direction;
  } arrows[] = {
    { GDK_KEY_Left, GDK_KEY_KP_Left, GTK_DIR_LEFT },
    { GDK_KEY_Right, GDK_KEY_KP_Right, GTK_DIR_RIGHT },
    { GDK_KEY_Up, GDK_KEY_KP_Up, GTK_DIR_UP },
    { GDK_KEY_Down, GDK_KEY_KP_Down, GTK_DIR_DOWN },
  };
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = shardwise_chart_dispose;
  object_class->finalize = shardwise_chart_finalize;
  object_class->get_property = shardwise_chart_get_property;
  widget_class->snapshot = shardwise_chart_snapshot;
  widget_class->get_request_mode = shardwise_chart_get_request_mode;
  widget_class->measure = shardwise_chart_measure;
  widget_class->size_allocate = shardwise_chart_size_allocate;
  widget_class->css_changed = shardwise_chart_css_changed;
  klass->draw_point = shardwise_chart_draw_point;
  klass->pick = shardwise_chart_pick;
  klass->step = shardwise_chart_step;
  klass->n_rows = shardwise_chart_n_points;

  properties[PROP_SUMMARY] = g_param_spec_string ("summary", NULL, NULL, "",
                                                  G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_READOUT] = g_param_spec_string ("readout", NULL, NULL, NULL,
                                                  G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  signals[SIGNAL_CHANGED] = g_signal_new ("changed", SHARDWISE_TYPE_CHART, G_SIGNAL_RUN_LAST, 0,
                                          NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_POINT_ACTIVATED] = g_signal_new ("point-activated", SHARDWISE_TYPE_CHART,
                                                  G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                                  G_TYPE_NONE, 1, G_TYPE_UINT);

  for (guint i = 0; i < G_N_ELEMENTS (arrows); i++)
    {
      gtk_widget_class_add_binding (widget_class, arrows[i].key, 0, step_cb, "i",
                                    (int) arrows[i].direction);
      gtk_widget_class_add_binding (widget_class, arrows[i].keypad, 0, step_cb, "i",
                                    (int) arrows[i].direction);
    }
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Home, 0, end_cb, "i", 0);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_End, 0, end_cb, "i", G_MAXINT);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Escape, 0, forget_cb, NULL);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Return, 0, activate_cb, NULL);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_KP_Enter, 0, activate_cb, NULL);
  gtk_widget_class_set_css_name (widget_class, "chart");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
shardwise_chart_init (ShardwiseChart *self)
{
  ShardwiseChartPrivate *priv = private_of (self);
  GtkWidget *widget = GTK_WIDGET (self);
  AdwStyleManager *manager = adw_style_manager_get_for_display (gtk_widget_get_display (widget));
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkGesture *click = gtk_gesture_click_new ();

  priv->hovered = priv->cursor = -1;
  priv->pointer_x = priv->pointer_y = -1;
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (leave_cb), self);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  g_signal_connect_swapped (click, "released", G_CALLBACK (released_cb), self);
  gtk_widget_add_controller (widget, motion);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  g_signal_connect (self, "query-tooltip", G_CALLBACK (query_tooltip_cb), NULL);
  gtk_widget_set_has_tooltip (widget, TRUE);
  gtk_widget_set_focusable (widget, TRUE);
  /* Until there is a sentence on its content. */
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Computing…"), -1);
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  /* Time and sizes grow to the right in every language, and numbers keep their signs in front. */
  gtk_widget_set_direction (widget, GTK_TEXT_DIR_LTR);
  g_signal_connect_object (manager, "notify::dark", G_CALLBACK (shardwise_chart_redraw), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (manager, "notify::high-contrast", G_CALLBACK (shardwise_chart_redraw),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect (self, "notify::scale-factor", G_CALLBACK (shardwise_chart_redraw), NULL);
}
