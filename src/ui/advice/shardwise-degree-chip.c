/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-degree-chip.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "shardwise-container.h"
#include "shardwise-wrap-layout.h"
#include "shardwise-wrapped-label.h"
#include "shardwise-text-strategy.h"

struct _ShardwiseDegreeChip {
  GtkButton parent_instance;
  SwDimension dimension;
  GtkLabel *name, *figure;
};

G_DEFINE_FINAL_TYPE (ShardwiseDegreeChip, shardwise_degree_chip, GTK_TYPE_BUTTON)

enum { PROP_0, PROP_DIMENSION, PROP_VALUE, N_PROPS };
static GParamSpec *properties[N_PROPS];

enum { CHIP_RADIUS = 12, BAND_HEIGHT = 4 };

static const ShardwiseColor colors[SW_N_DIMENSIONS] = {
  [SW_DIM_TP] = SHARDWISE_COLOR_TENSOR,
  [SW_DIM_ETP] = SHARDWISE_COLOR_TENSOR,
  [SW_DIM_PP] = SHARDWISE_COLOR_PIPELINE,
  [SW_DIM_VPP] = SHARDWISE_COLOR_PIPELINE,
  [SW_DIM_DP] = SHARDWISE_COLOR_DATA,
  [SW_DIM_CP] = SHARDWISE_COLOR_CONTEXT,
  [SW_DIM_CP_METHOD] = SHARDWISE_COLOR_CONTEXT,
  [SW_DIM_EP] = SHARDWISE_COLOR_EXPERT,
  [SW_DIM_SP] = SHARDWISE_COLOR_TENSOR,
  [SW_DIM_ZERO] = SHARDWISE_COLOR_OPTIMIZER,
  [SW_DIM_SHARD_GROUP] = SHARDWISE_COLOR_OPTIMIZER,
  [SW_DIM_MICRO_BATCH] = SHARDWISE_COLOR_COMPUTE,
  [SW_DIM_RECOMPUTE] = SHARDWISE_COLOR_ACTIVATIONS,
  [SW_DIM_SCHEDULE] = SHARDWISE_COLOR_PIPELINE,
  [SW_DIM_OFFLOAD] = SHARDWISE_COLOR_OPTIMIZER,
};

static void shardwise_degree_chip_set_value (ShardwiseDegreeChip *self, const char *value);

static void
shardwise_degree_chip_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  ShardwiseDegreeChip *self = SHARDWISE_DEGREE_CHIP (widget);
  float width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  gboolean dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  gboolean lit = gtk_widget_get_state_flags (widget)
                 & (GTK_STATE_FLAG_PRELIGHT | GTK_STATE_FLAG_ACTIVE);
  GdkRGBA color, tint;
  GskRoundedRect outline;

  shardwise_palette_get (colors[self->dimension], dark, &color);
  tint = color;
  tint.alpha = lit ? 0.32f : 0.16f;
  gsk_rounded_rect_init_from_rect (&outline, &GRAPHENE_RECT_INIT (0, 0, width, height),
                                   CHIP_RADIUS);
  gtk_snapshot_push_rounded_clip (snapshot, &outline);
  gtk_snapshot_append_color (snapshot, &tint, &outline.bounds);
  gtk_snapshot_append_color (snapshot, &color,
                             &GRAPHENE_RECT_INIT (0, height - BAND_HEIGHT, width, BAND_HEIGHT));
  gtk_snapshot_pop (snapshot);
  GTK_WIDGET_CLASS (shardwise_degree_chip_parent_class)->snapshot (widget, snapshot);
}

static void
shardwise_degree_chip_state_flags_changed (GtkWidget *widget, GtkStateFlags previous)
{
  GTK_WIDGET_CLASS (shardwise_degree_chip_parent_class)->state_flags_changed (widget, previous);
  gtk_widget_queue_draw (widget);
}

static void
shardwise_degree_chip_constructed (GObject *object)
{
  ShardwiseDegreeChip *self = SHARDWISE_DEGREE_CHIP (object);

  G_OBJECT_CLASS (shardwise_degree_chip_parent_class)->constructed (object);
  gtk_label_set_label (self->name, shardwise_dimension_short_name (self->dimension));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), shardwise_dimension_tooltip (self->dimension));
  shardwise_tooltip_wrap (GTK_WIDGET (self));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  shardwise_dimension_tooltip (self->dimension), -1);
}

static void
shardwise_degree_chip_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  ShardwiseDegreeChip *self = SHARDWISE_DEGREE_CHIP (object);

  if (id == PROP_DIMENSION)
    g_value_set_int (value, self->dimension);
  else if (id == PROP_VALUE)
    g_value_set_string (value, shardwise_degree_chip_get_value (self));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
shardwise_degree_chip_set_property (GObject *object, guint id, const GValue *value,
                                    GParamSpec *pspec)
{
  ShardwiseDegreeChip *self = SHARDWISE_DEGREE_CHIP (object);

  if (id == PROP_DIMENSION)
    self->dimension = g_value_get_int (value);
  else if (id == PROP_VALUE)
    shardwise_degree_chip_set_value (self, g_value_get_string (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
shardwise_degree_chip_class_init (ShardwiseDegreeChipClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->constructed = shardwise_degree_chip_constructed;
  object_class->get_property = shardwise_degree_chip_get_property;
  object_class->set_property = shardwise_degree_chip_set_property;
  widget_class->snapshot = shardwise_degree_chip_snapshot;
  widget_class->state_flags_changed = shardwise_degree_chip_state_flags_changed;
  properties[PROP_DIMENSION] = g_param_spec_int ("dimension", NULL, NULL, 0, SW_N_DIMENSIONS - 1, 0,
                                                 G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY
                                                     | G_PARAM_STATIC_STRINGS);
  properties[PROP_VALUE] = g_param_spec_string ("value", NULL, NULL, NULL,
                                                G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY
                                                    | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
shardwise_degree_chip_init (ShardwiseDegreeChip *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  self->name = GTK_LABEL (gtk_label_new (NULL));
  self->figure = GTK_LABEL (gtk_label_new (NULL));
  /* The names of recomputed modules share one line if there is room. */
  gtk_label_set_wrap (self->figure, TRUE);
  gtk_label_set_natural_wrap_mode (self->figure, GTK_NATURAL_WRAP_NONE);
  gtk_widget_add_css_class (GTK_WIDGET (self->name), "chip-name");
  gtk_widget_add_css_class (GTK_WIDGET (self->figure), "chip-figure");
  gtk_widget_add_css_class (GTK_WIDGET (self->figure), "numeric");
  gtk_widget_set_valign (GTK_WIDGET (self->name), GTK_ALIGN_BASELINE);
  gtk_widget_set_valign (GTK_WIDGET (self->figure), GTK_ALIGN_BASELINE);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->name));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->figure));
  gtk_button_set_child (GTK_BUTTON (self), box);
  gtk_widget_add_css_class (GTK_WIDGET (self), "degree-chip");
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
}

/**
 * shardwise_degree_chip_get_dimension:
 *
 * Returns: the chip's dimension
 */
SwDimension
shardwise_degree_chip_get_dimension (ShardwiseDegreeChip *self)
{
  g_return_val_if_fail (SHARDWISE_IS_DEGREE_CHIP (self), SW_DIM_TP);
  return self->dimension;
}

/**
 * shardwise_degree_chip_get_value:
 *
 * Returns: (transfer none): the value shown
 */
const char *
shardwise_degree_chip_get_value (ShardwiseDegreeChip *self)
{
  g_return_val_if_fail (SHARDWISE_IS_DEGREE_CHIP (self), NULL);
  return gtk_label_get_label (self->figure);
}

/*
 * shardwise_degree_chip_set_value:
 * @value: translated, e.g. "8" or "selective"
 */
static void
shardwise_degree_chip_set_value (ShardwiseDegreeChip *self, const char *value)
{
  g_autofree char *sentence = NULL;

  g_return_if_fail (SHARDWISE_IS_DEGREE_CHIP (self));
  if (g_strcmp0 (gtk_label_get_label (self->figure), value) == 0)
    return;
  gtk_label_set_label (self->figure, value ? value : "");
  /* Translators: a dimension of the strategy and its value, as a screen reader says it: "TP 8" */
  sentence = g_strdup_printf (_ ("%s %s"), gtk_label_get_label (self->name), value ? value : "");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, sentence,
                                  -1);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_VALUE]);
}

static const SwDimension chip_order[] = {
  SW_DIM_TP,          SW_DIM_ETP,       SW_DIM_PP,       SW_DIM_VPP,         SW_DIM_DP,
  SW_DIM_CP,          SW_DIM_EP,        SW_DIM_ZERO,     SW_DIM_SHARD_GROUP, SW_DIM_SP,
  SW_DIM_MICRO_BATCH, SW_DIM_RECOMPUTE, SW_DIM_SCHEDULE, SW_DIM_OFFLOAD,
};

/**
 * shardwise_degree_chip_dimensions:
 * @strategy: a strategy
 * @dimensions: (out): the dimensions worth a chip, in the order of their chips
 *
 * Returns: their number
 */
guint
shardwise_degree_chip_dimensions (const SwStrategy *strategy,
                                  SwDimension dimensions[SW_N_DIMENSIONS])
{
  guint n = 0;

  g_return_val_if_fail (strategy != NULL && dimensions != NULL, 0);
  for (guint i = 0; i < G_N_ELEMENTS (chip_order); i++)
    if (shardwise_dimension_matters (strategy, chip_order[i], SHARDWISE_MATTERS_CHIP))
      dimensions[n++] = chip_order[i];
  return n;
}

/**
 * shardwise_dimension_color:
 * @dimension: a dimension
 *
 * Returns: the category whose color it has everywhere
 */
ShardwiseColor
shardwise_dimension_color (SwDimension dimension)
{
  g_return_val_if_fail (dimension < SW_N_DIMENSIONS, SHARDWISE_COLOR_COMPUTE);
  return colors[dimension];
}

struct _ShardwiseChipRow {
  ShardwiseContainer parent_instance;
  ShardwiseDegreeChip *chips[SW_N_DIMENSIONS];
};

G_DEFINE_FINAL_TYPE (ShardwiseChipRow, shardwise_chip_row, SHARDWISE_TYPE_CONTAINER)

enum { DIMENSION_ACTIVATED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
clicked_cb (ShardwiseChipRow *self, ShardwiseDegreeChip *chip)
{
  g_signal_emit (self, signals[DIMENSION_ACTIVATED], 0,
                 (int) shardwise_degree_chip_get_dimension (chip));
}

static void
shardwise_chip_row_class_init (ShardwiseChipRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  signals[DIMENSION_ACTIVATED] = g_signal_new ("dimension-activated", G_TYPE_FROM_CLASS (klass),
                                               G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                               1, G_TYPE_INT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
shardwise_chip_row_init (ShardwiseChipRow *self)
{
  gtk_widget_set_layout_manager (GTK_WIDGET (self), shardwise_wrap_layout_new (8, 8, 0, 0));
  for (guint i = 0; i < G_N_ELEMENTS (chip_order); i++)
    {
      GtkWidget *chip = g_object_new (SHARDWISE_TYPE_DEGREE_CHIP, "dimension", (int) chip_order[i],
                                      "visible", FALSE, NULL);

      gtk_widget_set_parent (chip, GTK_WIDGET (self));
      g_signal_connect_object (chip, "clicked", G_CALLBACK (clicked_cb), self, G_CONNECT_SWAPPED);
      self->chips[chip_order[i]] = SHARDWISE_DEGREE_CHIP (chip);
    }
}

/**
 * shardwise_chip_row_set_strategy:
 * @strategy: the strategy; dimensions that are off have no chip
 */
void
shardwise_chip_row_set_strategy (ShardwiseChipRow *self, const SwStrategy *strategy)
{
  SwDimension shown[SW_N_DIMENSIONS];
  g_autofree char *sentence = NULL;
  guint n, mask = 0;

  g_return_if_fail (SHARDWISE_IS_CHIP_ROW (self) && strategy != NULL);
  n = shardwise_degree_chip_dimensions (strategy, shown);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *value = shardwise_text_value (strategy, shown[i]);

      shardwise_degree_chip_set_value (self->chips[shown[i]], value);
      mask |= 1u << shown[i];
    }
  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    if (self->chips[i])
      gtk_widget_set_visible (GTK_WIDGET (self->chips[i]), mask & (1u << i));
  sentence = shardwise_text_strategy (strategy);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, sentence,
                                  -1);
}
