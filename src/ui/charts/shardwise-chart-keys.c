/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-chart-keys.h"

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

/**
 * shardwise_chart_keys_add:
 * @klass: the class of charts
 *
 * Adds the keys that step through the points of a chart.
 */
void
shardwise_chart_keys_add (GtkWidgetClass *klass)
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

  for (guint i = 0; i < G_N_ELEMENTS (arrows); i++)
    {
      gtk_widget_class_add_binding (klass, arrows[i].key, 0, step_cb, "i",
                                    (int) arrows[i].direction);
      gtk_widget_class_add_binding (klass, arrows[i].keypad, 0, step_cb, "i",
                                    (int) arrows[i].direction);
    }
  gtk_widget_class_add_binding (klass, GDK_KEY_Home, 0, end_cb, "i", 0);
  gtk_widget_class_add_binding (klass, GDK_KEY_End, 0, end_cb, "i", G_MAXINT);
  gtk_widget_class_add_binding (klass, GDK_KEY_Escape, 0, forget_cb, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_Return, 0, activate_cb, NULL);
  gtk_widget_class_add_binding (klass, GDK_KEY_KP_Enter, 0, activate_cb, NULL);
}
