/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-beside.h"

#define FIRST_SHARE 0.58 /* of the width, where both show */

struct _ShardwiseBeside {
  GtkWidget parent_instance;
  GtkWidget *first, *second;
  int first_width, second_width; /* that they want beside each other, pixels */
  gboolean folded, shows_second;
  guint notify_id;
};

G_DEFINE_FINAL_TYPE (ShardwiseBeside, shardwise_beside, GTK_TYPE_WIDGET)

enum { PROP_0, PROP_FOLDED, PROP_SECOND, N_PROPS };

static GParamSpec *properties[N_PROPS];

static gboolean
has_room (ShardwiseBeside *self, int width)
{
  return width < 0 || width >= self->first_width + self->second_width;
}

static void
measure_children (ShardwiseBeside *self, GtkOrientation orientation, int for_size, int *minimum,
                  int *natural)
{
  int other_minimum, other_natural;

  gtk_widget_measure (self->first, orientation, for_size, minimum, natural, NULL, NULL);
  gtk_widget_measure (self->second, orientation, for_size, &other_minimum, &other_natural, NULL,
                      NULL);
  *minimum = MAX (*minimum, other_minimum);
  *natural = MAX (*natural, other_natural);
}

/* Both have to have room in the same width, one at a time: that is the least. Height is not
 * measured for each width: both fill what they get and scroll. */
static void
shardwise_beside_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                          int *natural, int *minimum_baseline, int *natural_baseline)
{
  ShardwiseBeside *self = SHARDWISE_BESIDE (widget);

  measure_children (self, orientation, -1, minimum, natural);
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    *natural = MAX (*natural, self->first_width + self->second_width);
}

/* Not while sizes are given out: what listens may show or hide widgets. */
static gboolean
notify_cb (gpointer data)
{
  ShardwiseBeside *self = data;

  self->notify_id = 0;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FOLDED]);
  return G_SOURCE_REMOVE;
}

static void
set_folded (ShardwiseBeside *self, gboolean folded)
{
  if (self->folded == folded)
    return;
  self->folded = folded;
  if (self->notify_id == 0)
    self->notify_id = g_idle_add_full (G_PRIORITY_HIGH_IDLE, notify_cb, self, NULL);
}

static void
shardwise_beside_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  ShardwiseBeside *self = SHARDWISE_BESIDE (widget);
  int first = MAX (self->first_width, (int) (width * FIRST_SHARE));
  gboolean left_to_right = gtk_widget_get_direction (widget) != GTK_TEXT_DIR_RTL;

  set_folded (self, !has_room (self, width));
  gtk_widget_set_child_visible (self->first, !self->folded || !self->shows_second);
  gtk_widget_set_child_visible (self->second, !self->folded || self->shows_second);
  if (self->folded)
    {
      gtk_widget_size_allocate (self->shows_second ? self->second : self->first,
                                &(GtkAllocation){ 0, 0, width, height }, baseline);
      return;
    }
  gtk_widget_size_allocate (self->first,
                            &(GtkAllocation){ left_to_right ? 0 : width - first, 0, first, height },
                            baseline);
  gtk_widget_size_allocate (self->second,
                            &(GtkAllocation){ left_to_right ? first : 0, 0, width - first, height },
                            baseline);
}

static void
shardwise_beside_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  ShardwiseBeside *self = SHARDWISE_BESIDE (object);

  if (id == PROP_FOLDED)
    g_value_set_boolean (value, self->folded);
  else if (id == PROP_SECOND)
    g_value_set_boolean (value, self->shows_second);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
}

static void
shardwise_beside_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  if (id != PROP_SECOND)
    {
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
      return;
    }
  SHARDWISE_BESIDE (object)->shows_second = g_value_get_boolean (value);
  gtk_widget_queue_allocate (GTK_WIDGET (object));
}

static void
shardwise_beside_dispose (GObject *object)
{
  ShardwiseBeside *self = SHARDWISE_BESIDE (object);

  g_clear_handle_id (&self->notify_id, g_source_remove);
  g_clear_pointer (&self->first, gtk_widget_unparent);
  g_clear_pointer (&self->second, gtk_widget_unparent);
  G_OBJECT_CLASS (shardwise_beside_parent_class)->dispose (object);
}

static void
shardwise_beside_class_init (ShardwiseBesideClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = shardwise_beside_dispose;
  object_class->get_property = shardwise_beside_get_property;
  object_class->set_property = shardwise_beside_set_property;
  widget_class->measure = shardwise_beside_measure;
  widget_class->size_allocate = shardwise_beside_size_allocate;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  properties[PROP_FOLDED] = g_param_spec_boolean ("folded", NULL, NULL, FALSE,
                                                  G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_SECOND] = g_param_spec_boolean ("second", NULL, NULL, FALSE,
                                                  G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
shardwise_beside_init (ShardwiseBeside *self)
{}

/**
 * shardwise_beside_new:
 * @first: shown at the start
 * @second: shown at the end, or in place of @first
 * @first_width: that @first wants where both show, pixels
 * @second_width: that @second wants
 *
 * Returns: (transfer floating): a widget that owns both
 */
GtkWidget *
shardwise_beside_new (GtkWidget *first, GtkWidget *second, int first_width, int second_width)
{
  ShardwiseBeside *self;

  g_return_val_if_fail (GTK_IS_WIDGET (first) && GTK_IS_WIDGET (second), NULL);
  self = g_object_new (SHARDWISE_TYPE_BESIDE, NULL);
  self->first = first;
  self->second = second;
  self->first_width = first_width;
  self->second_width = second_width;
  gtk_widget_set_parent (first, GTK_WIDGET (self));
  gtk_widget_set_parent (second, GTK_WIDGET (self));
  return GTK_WIDGET (self);
}

/**
 * shardwise_beside_get_folded:
 *
 * Returns: %TRUE while only one of both shows
 */
gboolean
shardwise_beside_get_folded (ShardwiseBeside *self)
{
  g_return_val_if_fail (SHARDWISE_IS_BESIDE (self), FALSE);
  return self->folded;
}
