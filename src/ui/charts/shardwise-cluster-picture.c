/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-cluster-picture.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "shardwise-cluster-map.h"

enum { SWATCH = 12 };     /* pixels */
#define LABEL_SCALE 0.85  /* height of the text above a node */
#define LEAST_NUMBERED 16 /* minimum pixels of a square with a number */
#define LEAST_SHRINK 0.5  /* smaller text is truncated: half of 200 % is 100 % */

typedef struct {
  GtkWidget *widget;
  const ShardwiseClusterLayout *layout;
} Drawing;

static gboolean
is_dark (void)
{
  return adw_style_manager_get_dark (adw_style_manager_get_default ());
}

static void
set_scale (PangoLayout *layout, double scale)
{
  g_autoptr (PangoAttrList) attributes = pango_attr_list_new ();

  pango_attr_list_insert (attributes, pango_attr_scale_new (scale));
  pango_attr_list_insert (attributes, pango_attr_font_features_new ("tnum=1"));
  pango_layout_set_attributes (layout, attributes);
}

/* Large text must not grow wider than its place, so that its end stays visible. */
static void
append_text (const Drawing *self, GtkSnapshot *snapshot, const char *text,
             const graphene_rect_t *place, gboolean centred, double scale, const GdkRGBA *color)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (self->widget, text);
  int width, height;

  set_scale (layout, scale);
  pango_layout_get_pixel_size (layout, &width, &height);
  if (width > place->size.width)
    set_scale (layout, scale * MAX (LEAST_SHRINK, 0.98 * place->size.width / width));
  if (!centred)
    {
      pango_layout_set_width (layout, place->size.width * PANGO_SCALE);
      pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
    }
  pango_layout_get_pixel_size (layout, &width, &height);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (
      snapshot, &GRAPHENE_POINT_INIT (centred ? place->origin.x + (place->size.width - width) / 2
                                              : place->origin.x,
                                      place->origin.y + (place->size.height - height) / 2));
  gtk_snapshot_append_layout (snapshot, layout, color);
  gtk_snapshot_restore (snapshot);
}

static void
init_corners (GskRoundedRect *out, const graphene_rect_t *square)
{
  gsk_rounded_rect_init_from_rect (out, square, MIN (6, square->size.width / 4));
}

static void
append_outline (GtkSnapshot *snapshot, const graphene_rect_t *square, float thickness,
                const GdkRGBA *color)
{
  GskRoundedRect outline;
  float widths[] = { thickness, thickness, thickness, thickness };
  GdkRGBA colors[] = { *color, *color, *color, *color };

  init_corners (&outline, square);
  gtk_snapshot_append_border (snapshot, &outline, widths, colors);
}

static void
append_filled (GtkSnapshot *snapshot, const graphene_rect_t *square, const GdkRGBA *color)
{
  GskRoundedRect outline;

  init_corners (&outline, square);
  gtk_snapshot_push_rounded_clip (snapshot, &outline);
  gtk_snapshot_append_color (snapshot, color, square);
  gtk_snapshot_pop (snapshot);
}

/* The pattern that distinguishes stages without colors, faint enough for a number on it. */
static void
append_pattern (GtkSnapshot *snapshot, const graphene_rect_t *square, ShardwisePattern pattern,
                const GdkRGBA *fill)
{
  GskRoundedRect outline;
  GdkRGBA line;
  cairo_t *cr;

  init_corners (&outline, square);
  shardwise_palette_text_on (fill, &line);
  line.alpha = 0.22f;
  gtk_snapshot_push_rounded_clip (snapshot, &outline);
  cr = gtk_snapshot_append_cairo (snapshot, square);
  shardwise_palette_hatch (cr, pattern, &line, square->origin.x, square->origin.y,
                           square->size.width, square->size.height);
  cairo_destroy (cr);
  gtk_snapshot_pop (snapshot);
}

static void
append_square (const Drawing *self, GtkSnapshot *snapshot, guint gpu, const graphene_rect_t *square)
{
  ShardwiseRank rank;
  GdkRGBA fill, text = { 1, 1, 1, 1 };
  ShardwiseClusterShade shade;
  g_autofree char *number = NULL;

  shardwise_rank_of_gpu (&self->layout->strategy, gpu, &rank);
  if (rank.idle)
    {
      shardwise_palette_text (is_dark (), 1, &text);
      text.alpha = 0.4f;
      if (self->layout->generates)
        append_filled (snapshot, square, &text);
      else
        append_outline (snapshot, square, 1.5f, &text);
      return;
    }
  shardwise_cluster_shade (&self->layout->strategy, &rank, &shade);
  shardwise_cluster_shade_color (&shade, is_dark (), &fill);
  append_filled (snapshot, square, &fill);
  if (shade.count > 1)
    append_pattern (snapshot, square, shardwise_ink_pattern (shardwise_cluster_shade_ink (&shade)),
                    &fill);
  if (shade.count < 2 || shade.index > 99 || square->size.width < LEAST_NUMBERED)
    return;
  number = g_strdup_printf ("%u", shade.index);
  shardwise_palette_text_on (&fill, &text);
  append_text (self, snapshot, number, square, TRUE, 0.78, &text);
}

/* The line under neighboring squares that share a tensor-parallel group. */
static void
append_tensor_bars (const Drawing *self, GtkSnapshot *snapshot, const ShardwiseTile *tile,
                    const graphene_rect_t *place)
{
  guint columns = shardwise_cluster_layout_columns (self->layout),
        used = MIN (sw_strategy_gpus (&self->layout->strategy), self->layout->gpus);
  GdkRGBA color;

  shardwise_palette_get (SHARDWISE_COLOR_TENSOR, is_dark (), &color);
  for (guint slot = 0; slot < shardwise_cluster_layout_squares (self->layout); slot++)
    {
      guint gpu = tile->node * self->layout->gpus_per_node + slot;
      gboolean joined = slot % columns != columns - 1
                        && slot + 1 < shardwise_cluster_layout_squares (self->layout)
                        && (gpu + 1) % self->layout->strategy.tp != 0;
      graphene_rect_t square;

      if (gpu >= used)
        break;
      shardwise_cluster_layout_square (self->layout, place, slot, &square);
      gtk_snapshot_append_color (
          snapshot, &color,
          &GRAPHENE_RECT_INIT (
              square.origin.x, square.origin.y + square.size.height + SHARDWISE_CLUSTER_GAP / 2.0f,
              square.size.width + (joined ? SHARDWISE_CLUSTER_GAP : 0), SHARDWISE_CLUSTER_BAR));
    }
}

/* Whether the labels with the numbers of the nodes fit. */
static gboolean
has_room_for_nodes (const Drawing *self)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (self->widget, NULL);

  set_scale (layout, LABEL_SCALE);
  for (guint i = 0; i < self->layout->tiles->len; i++)
    {
      const ShardwiseTile *tile = &g_array_index (self->layout->tiles, ShardwiseTile, i);
      g_autofree char *label = shardwise_cluster_layout_label (self->layout, tile);
      graphene_rect_t place;
      int width;

      shardwise_cluster_layout_tile (self->layout, i, &place);
      pango_layout_set_text (layout, label, -1);
      pango_layout_get_pixel_size (layout, &width, NULL);
      if (shardwise_cluster_layout_is_drawn (tile)
          && width > place.size.width - 2 * SHARDWISE_CLUSTER_PADDING)
        return FALSE;
    }
  return TRUE;
}

/* The nodes of the tile and their content; briefly: only the nodes. */
static void
append_tile (const Drawing *self, GtkSnapshot *snapshot, guint index, gboolean briefly)
{
  const ShardwiseTile *tile = &g_array_index (self->layout->tiles, ShardwiseTile, index);
  g_autofree char *label = NULL;
  graphene_rect_t place, square;
  GdkRGBA text, ground;
  GskRoundedRect outline;

  shardwise_cluster_layout_tile (self->layout, index, &place);
  shardwise_palette_text (is_dark (), 1, &text);
  label = !briefly || !shardwise_cluster_layout_is_drawn (tile)
              ? shardwise_cluster_layout_label (self->layout, tile)
              : shardwise_cluster_map_node_content (&self->layout->strategy, self->layout->gpus,
                                                    self->layout->gpus_per_node,
                                                    self->layout->generates, tile->node);
  if (!shardwise_cluster_layout_is_drawn (tile))
    {
      append_text (self, snapshot, label, &place, TRUE, 0.9, &text);
      return;
    }
  ground = text;
  ground.alpha = 0.05f;
  gsk_rounded_rect_init_from_rect (&outline, &place, 12);
  gtk_snapshot_push_rounded_clip (snapshot, &outline);
  gtk_snapshot_append_color (snapshot, &ground, &place);
  gtk_snapshot_pop (snapshot);
  append_text (self, snapshot, label,
               &GRAPHENE_RECT_INIT (place.origin.x + SHARDWISE_CLUSTER_PADDING,
                                    place.origin.y + SHARDWISE_CLUSTER_PADDING - 3,
                                    place.size.width - 2 * SHARDWISE_CLUSTER_PADDING,
                                    SHARDWISE_CLUSTER_LABEL_HEIGHT),
               FALSE, LABEL_SCALE, &text);
  if (self->layout->strategy.tp > 1)
    append_tensor_bars (self, snapshot, tile, &place);
  for (guint slot = 0; slot < shardwise_cluster_layout_squares (self->layout); slot++)
    if (tile->node * self->layout->gpus_per_node + slot < self->layout->gpus)
      {
        shardwise_cluster_layout_square (self->layout, &place, slot, &square);
        append_square (self, snapshot, tile->node * self->layout->gpus_per_node + slot, &square);
      }
}

/* Draws one entry of the legend; returns the start of the next one. */
static float
append_legend_entry (const Drawing *self, GtkSnapshot *snapshot, float x, float height,
                     const GdkRGBA *color, const char *words)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (self->widget, words);
  float y = gtk_widget_get_height (self->widget) - SHARDWISE_CLUSTER_LEGEND_HEIGHT;
  gboolean mirrored = gtk_widget_get_direction (self->widget) == GTK_TEXT_DIR_RTL;
  int width;
  float total, start;
  GdkRGBA text;

  pango_layout_get_pixel_size (layout, &width, NULL);
  total = SWATCH + 6 + width;
  start = mirrored ? gtk_widget_get_width (self->widget) - x - total : x;
  shardwise_palette_text (is_dark (), 1, &text);
  gtk_snapshot_append_color (
      snapshot, color,
      &GRAPHENE_RECT_INIT (mirrored ? start + width + 6 : start,
                           y + (SHARDWISE_CLUSTER_LEGEND_HEIGHT - height) / 2, SWATCH, height));
  append_text (self, snapshot, words,
               &GRAPHENE_RECT_INIT (mirrored ? start : start + SWATCH + 6, y, width + 2,
                                    SHARDWISE_CLUSTER_LEGEND_HEIGHT),
               FALSE, 0.85, &text);
  return x + total + 12;
}

/* Each stage or replica has a color: the first swatch shows some of them. */
static void
append_legend_bands (const Drawing *self, GtkSnapshot *snapshot, const ShardwiseClusterShade *first)
{
  const gboolean mirrored = gtk_widget_get_direction (self->widget) == GTK_TEXT_DIR_RTL;
  const guint n = MIN (first->count, 3);
  const float x = mirrored ? gtk_widget_get_width (self->widget) - SWATCH : 0,
              y = gtk_widget_get_height (self->widget)
                  - (SHARDWISE_CLUSTER_LEGEND_HEIGHT + SWATCH) / 2.0f;

  for (guint i = 1; i < n; i++)
    {
      const ShardwiseClusterShade shade = { first->category, i, first->count };
      GdkRGBA color;

      shardwise_cluster_shade_color (&shade, is_dark (), &color);
      gtk_snapshot_append_color (snapshot, &color,
                                 &GRAPHENE_RECT_INIT (x + (float) (i * SWATCH) / (float) n, y,
                                                      SWATCH / (float) n, SWATCH));
    }
}

static void
append_legend (const Drawing *self, GtkSnapshot *snapshot)
{
  const SwStrategy *strategy = &self->layout->strategy;
  ShardwiseClusterShade shade;
  GdkRGBA color;
  float x = 0;

  shardwise_cluster_shade (strategy, &(ShardwiseRank){ 0 }, &shade);
  shardwise_palette_get (shade.category, is_dark (), &color);
  if (shade.count > 1)
    {
      const float end = append_legend_entry (self, snapshot, x, SWATCH, &color,
                                             strategy->pp > 1 ? _ ("pipeline stage")
                                                              : _ ("replica"));

      append_legend_bands (self, snapshot, &shade);
      x = end;
    }
  shardwise_palette_get (SHARDWISE_COLOR_TENSOR, is_dark (), &color);
  if (strategy->tp > 1)
    append_legend_entry (self, snapshot, x, shade.count > 1 ? SHARDWISE_CLUSTER_BAR : SWATCH,
                         &color, _ ("tensor group"));
}

/* Draws a GPU and its group members, outlined in the color of the group. */
static void
append_light (const Drawing *self, GtkSnapshot *snapshot, guint lit)
{
  for (guint i = 0; i < self->layout->tiles->len; i++)
    {
      const ShardwiseTile *tile = &g_array_index (self->layout->tiles, ShardwiseTile, i);
      graphene_rect_t place, square;

      shardwise_cluster_layout_tile (self->layout, i, &place);
      for (guint slot = 0; shardwise_cluster_layout_is_drawn (tile)
                           && slot < shardwise_cluster_layout_squares (self->layout);
           slot++)
        {
          guint gpu = tile->node * self->layout->gpus_per_node + slot;
          ShardwiseGroups groups = shardwise_rank_common_groups (&self->layout->strategy, lit, gpu);
          GdkRGBA color;

          if (gpu >= self->layout->gpus || (groups == SHARDWISE_GROUP_NONE && gpu != lit))
            continue;
          shardwise_cluster_layout_square (self->layout, &place, slot, &square);
          append_square (self, snapshot, gpu, &square);
          shardwise_cluster_group_color (gpu == lit ? SHARDWISE_GROUP_NONE : groups, is_dark (),
                                         &color);
          graphene_rect_inset (&square, -2, -2);
          append_outline (snapshot, &square, gpu == lit ? 3 : 2, &color);
        }
    }
}

/**
 * shardwise_cluster_has_legend:
 * @layout: the drawn nodes
 *
 * Returns: whether any color below the nodes needs an explanation; a single GPU with the model does
 * not
 */
gboolean
shardwise_cluster_has_legend (const ShardwiseClusterLayout *layout)
{
  ShardwiseClusterShade shade;

  shardwise_cluster_shade (&layout->strategy, &(ShardwiseRank){ 0 }, &shade);
  return shade.count > 1 || layout->strategy.tp > 1;
}

struct _ShardwiseClusterPicture {
  GtkWidget parent_instance;
  ShardwiseClusterLayout layout;
  int hovered, focused; /* GPUs; -1: none */
  char *summary, *readout;
  GskRenderNode *base; /* everything but the highlight, at the current size */
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
  const Drawing drawing = { widget, &self->layout };
  int lit = lit_gpu (self);

  if (!self->layout.tiles)
    return;
  if (!self->base)
    {
      GtkSnapshot *base = gtk_snapshot_new ();
      const gboolean briefly = !has_room_for_nodes (&drawing);

      for (guint i = 0; i < self->layout.tiles->len; i++)
        append_tile (&drawing, base, i, briefly);
      append_legend (&drawing, base);
      self->base = gtk_snapshot_free_to_node (base);
    }
  if (!self->base)
    return;
  if (lit >= 0)
    gtk_snapshot_push_opacity (snapshot, 0.35);
  gtk_snapshot_append_node (snapshot, self->base);
  if (lit < 0)
    return;
  gtk_snapshot_pop (snapshot);
  append_light (&drawing, snapshot, lit);
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
  char *readout = lit >= 0 ? shardwise_cluster_map_describe (&self->layout.strategy,
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

/* Highlights the groups of a GPU; -1: none. */
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

static gboolean
key_pressed_cb (ShardwiseClusterPicture *self, guint keyval, guint keycode, GdkModifierType state)
{
  int across = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL ? -1 : 1, step = 0;

  switch (keyval)
    {
    case GDK_KEY_Right:
    case GDK_KEY_KP_Right: step = across; break;
    case GDK_KEY_Left:
    case GDK_KEY_KP_Left: step = -across; break;
    case GDK_KEY_Down:
    case GDK_KEY_KP_Down: step = (int) self->layout.gpus_per_node; break;
    case GDK_KEY_Up:
    case GDK_KEY_KP_Up: step = -(int) self->layout.gpus_per_node; break;
    default: break;
    }
  if (step == 0 || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK)) || self->focused + step < 0
      || self->focused + step >= (int) self->layout.gpus)
    return GDK_EVENT_PROPAGATE;
  self->focused += step;
  self->hovered = -1;
  update_readout (self);
  return GDK_EVENT_STOP;
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
  GtkEventController *motion = gtk_event_controller_motion_new (),
                     *key = gtk_event_controller_key_new ();
  GtkGesture *click = gtk_gesture_click_new ();

  self->hovered = -1;
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  g_signal_connect_swapped (motion, "enter", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (leave_cb), self);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  g_signal_connect_swapped (key, "key-pressed", G_CALLBACK (key_pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (GTK_WIDGET (self), key);
  g_signal_connect (self, "notify::has-focus", G_CALLBACK (update_readout), NULL);
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
 * @gpus: GPUs of the cluster; unused ones are drawn hollow
 * @gpus_per_node: GPUs per node
 * @generates: whether the GPUs that training does not use generate answers
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
 * Returns: %FALSE if the GPU is only summarized
 */
gboolean
shardwise_cluster_picture_get_place (ShardwiseClusterPicture *self, guint gpu, graphene_rect_t *out)
{
  g_return_val_if_fail (SHARDWISE_IS_CLUSTER_PICTURE (self) && out != NULL, FALSE);
  return shardwise_cluster_layout_place (&self->layout, gpu, out);
}
