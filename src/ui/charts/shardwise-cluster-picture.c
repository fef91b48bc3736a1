/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-cluster-picture.h"

#include <adwaita.h>

#include "shardwise-cluster-draw.h"
#include "shardwise-cluster-layout.h"

struct _ShardwiseClusterPicture {
  GtkWidget parent_instance;
  ShardwiseClusterLayout layout;
  int hovered, focused; /* GPUs; -1: none */
  char *summary, *readout;
  GskRenderNode *base; /* everything but the highlight, at the present size */
};

G_DEFINE_FINAL_TYPE (ShardwiseClusterPicture, shardwise_cluster_picture, GTK_TYPE_WIDGET)

enum { PROP_0, PROP_READOUT, N_PROPS };
static GParamSpec *properties[N_PROPS];

static void
shardwise_cluster_picture_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                                   int *minimum, int *natural, int *minimum_baseline,
                                   int *natural_baseline)
{
  ShardwiseClusterPicture *self = SHARDWISE_CLUSTER_PICTURE (widget);
  int width;

  *minimum = *natural = 0;
  if (!self->layout.tiles)
    return;
  width = shardwise_cluster_layout_tile_width (&self->layout);
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = width;
      *natural = MIN (4, self->layout.tiles->len) * (width + SHARDWISE_CLUSTER_TILE_GAP)
                 - SHARDWISE_CLUSTER_TILE_GAP;
      return;
    }
  *minimum = *natural =
      shardwise_cluster_layout_height (&self->layout, for_size < 0 ? width : for_size)
      + (shardwise_cluster_has_legend (&self->layout) ? SHARDWISE_CLUSTER_LEGEND_HEIGHT : 0);
}

/* ---- what is drawn ---- */

static int
lit_gpu (ShardwiseClusterPicture *self)
{
  if (self->hovered >= 0)
    return self->hovered;
  return gtk_widget_has_focus (GTK_WIDGET (self)) ? self->focused : -1;
}

static void
shardwise_cluster_picture_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  ShardwiseClusterPicture *self = SHARDWISE_CLUSTER_PICTURE (widget);
  int lit = lit_gpu (self);

  if (!self->layout.tiles)
    return;
  if (!self->base)
    self->base = shardwise_cluster_draw (widget, &self->layout);
  if (!self->base)
    return;
  if (lit >= 0)
    gtk_snapshot_push_opacity (snapshot, 0.35);
  gtk_snapshot_append_node (snapshot, self->base);
  if (lit < 0)
    return;
  gtk_snapshot_pop (snapshot);
  shardwise_cluster_draw_light (widget, &self->layout, lit, snapshot);
}

static void
invalidate (ShardwiseClusterPicture *self)
{
  g_clear_pointer (&self->base, gsk_render_node_unref);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
shardwise_cluster_picture_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  ShardwiseClusterPicture *self = SHARDWISE_CLUSTER_PICTURE (widget);

  self->layout.width = width;
  self->layout.mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  invalidate (self);
}

static void
shardwise_cluster_picture_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (shardwise_cluster_picture_parent_class)->css_changed (widget, change);
  invalidate (SHARDWISE_CLUSTER_PICTURE (widget));
}

/* ---- pointer, keyboard and words ---- */

static void
update_readout (ShardwiseClusterPicture *self)
{
  int lit = lit_gpu (self);
  char *readout = lit >= 0
                      ? shardwise_cluster_map_describe (&self->layout.strategy, self->layout.gpus,
                                                        self->layout.gpus_per_node,
                                                        self->layout.generates, lit)
                      : g_strdup (self->summary);

  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (g_strcmp0 (readout, self->readout) == 0)
    {
      g_free (readout);
      return;
    }
  g_free (self->readout);
  self->readout = readout;
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  readout, -1);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_READOUT]);
}

/* Lights up the groups of a GPU; -1: none. */
static void
light (ShardwiseClusterPicture *self, int gpu)
{
  if (self->hovered == gpu)
    return;
  self->hovered = gpu;
  update_readout (self);
}

static void
motion_cb (ShardwiseClusterPicture *self, double x, double y)
{
  light (self, shardwise_cluster_layout_gpu_at (&self->layout, x, y));
}

static void
leave_cb (ShardwiseClusterPicture *self)
{
  light (self, -1);
}

static void
pressed_cb (ShardwiseClusterPicture *self, int n_press, double x, double y)
{
  int gpu = shardwise_cluster_layout_gpu_at (&self->layout, x, y);

  if (gpu >= 0)
    self->focused = gpu;
  gtk_widget_grab_focus (GTK_WIDGET (self));
  update_readout (self);
}

static int
step_of_key (ShardwiseClusterPicture *self, guint keyval)
{
  int across = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL ? -1 : 1;

  switch (keyval)
    {
    case GDK_KEY_Right:
    case GDK_KEY_KP_Right: return across;
    case GDK_KEY_Left:
    case GDK_KEY_KP_Left: return -across;
    case GDK_KEY_Down:
    case GDK_KEY_KP_Down: return self->layout.gpus_per_node;
    case GDK_KEY_Up:
    case GDK_KEY_KP_Up: return -(int) self->layout.gpus_per_node;
    default: return 0;
    }
}

static gboolean
key_pressed_cb (ShardwiseClusterPicture *self, guint keyval, guint keycode, GdkModifierType state)
{
  int step = step_of_key (self, keyval), to = self->focused + step;

  if (step == 0 || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) || to < 0
      || to >= (int) self->layout.gpus)
    return GDK_EVENT_PROPAGATE;
  self->focused = to;
  self->hovered = -1;
  update_readout (self);
  return GDK_EVENT_STOP;
}

static void
add_controllers (ShardwiseClusterPicture *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new (),
                     *key = gtk_event_controller_key_new ();
  GtkGesture *click = gtk_gesture_click_new ();

  g_signal_connect_swapped (motion, "enter", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (leave_cb), self);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  g_signal_connect_swapped (key, "key-pressed", G_CALLBACK (key_pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (GTK_WIDGET (self), key);
  g_signal_connect (self, "notify::has-focus", G_CALLBACK (update_readout), NULL);
}

/* ---- object ---- */

static void
shardwise_cluster_picture_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_READOUT)
    g_value_set_string (value, SHARDWISE_CLUSTER_PICTURE (object)->readout);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
shardwise_cluster_picture_finalize (GObject *object)
{
  ShardwiseClusterPicture *self = SHARDWISE_CLUSTER_PICTURE (object);

  g_clear_pointer (&self->base, gsk_render_node_unref);
  shardwise_cluster_layout_clear (&self->layout);
  g_clear_pointer (&self->summary, g_free);
  g_clear_pointer (&self->readout, g_free);
  G_OBJECT_CLASS (shardwise_cluster_picture_parent_class)->finalize (object);
}

static GtkSizeRequestMode
shardwise_cluster_picture_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
shardwise_cluster_picture_class_init (ShardwiseClusterPictureClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->get_property = shardwise_cluster_picture_get_property;
  object_class->finalize = shardwise_cluster_picture_finalize;
  widget_class->measure = shardwise_cluster_picture_measure;
  widget_class->get_request_mode = shardwise_cluster_picture_get_request_mode;
  widget_class->size_allocate = shardwise_cluster_picture_size_allocate;
  widget_class->snapshot = shardwise_cluster_picture_snapshot;
  widget_class->css_changed = shardwise_cluster_picture_css_changed;
  properties[PROP_READOUT] = g_param_spec_string ("readout", NULL, NULL, NULL,
                                                  G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  gtk_widget_class_set_css_name (widget_class, "clusterpicture");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
shardwise_cluster_picture_init (ShardwiseClusterPicture *self)
{
  self->hovered = -1;
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  add_controllers (self);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (invalidate), self, G_CONNECT_SWAPPED);
}

/**
 * shardwise_cluster_picture_new:
 *
 * Returns: (transfer floating): an empty picture
 */
GtkWidget *
shardwise_cluster_picture_new (void)
{
  return g_object_new (SHARDWISE_TYPE_CLUSTER_PICTURE, NULL);
}

/**
 * shardwise_cluster_picture_set_strategy:
 * @strategy: how the GPUs are grouped
 * @gpus: GPUs of the cluster; those that nothing uses are drawn hollow
 * @gpus_per_node: of one node
 * @generates: whether those that training leaves over generate answers
 */
void
shardwise_cluster_picture_set_strategy (ShardwiseClusterPicture *self, const SwStrategy *strategy,
                                        guint gpus, guint gpus_per_node, gboolean generates)
{
  g_return_if_fail (SHARDWISE_IS_CLUSTER_PICTURE (self));
  g_return_if_fail (strategy != NULL && gpus > 0 && gpus_per_node > 0);
  if (self->layout.tiles && sw_strategy_equal (&self->layout.strategy, strategy)
      && self->layout.gpus == gpus && self->layout.gpus_per_node == MIN (gpus_per_node, gpus)
      && self->layout.generates == generates)
    return;
  self->layout.generates = generates;
  shardwise_cluster_layout_set (&self->layout, strategy, gpus, gpus_per_node,
                                SW_N_COMMUNICATION_GROUPS);
  self->hovered = -1;
  self->focused = 0;
  g_free (self->summary);
  self->summary = shardwise_cluster_map_summary (strategy, gpus, self->layout.gpus_per_node,
                                                 generates);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  self->summary, -1);
  update_readout (self);
  invalidate (self);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

/**
 * shardwise_cluster_picture_get_place:
 * @gpu: number of a GPU
 * @out: (out): its square, in the widget's coordinates
 *
 * Returns: %FALSE where the GPU is only summarised
 */
gboolean
shardwise_cluster_picture_get_place (ShardwiseClusterPicture *self, guint gpu, graphene_rect_t *out)
{
  g_return_val_if_fail (SHARDWISE_IS_CLUSTER_PICTURE (self) && out != NULL, FALSE);
  return shardwise_cluster_layout_place (&self->layout, gpu, out);
}
