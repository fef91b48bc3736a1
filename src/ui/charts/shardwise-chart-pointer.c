/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-chart-pointer.h"

typedef struct {
  ShardwiseChart *chart; /* which has this */
  double x, y;           /* where the pointer was last; -1: elsewhere */
  double pressed_x, pressed_y;
} Pointer;

static int
pick (ShardwiseChart *chart, double x, double y)
{
  return SHARDWISE_CHART_GET_CLASS (chart)->pick (chart, x, y);
}

/* A pointer that rests is reported again whenever something moves under it: that takes nothing from
 * the keyboard. */
static void
motion_cb (Pointer *self, double x, double y)
{
  if (x == self->x && y == self->y)
    return;
  self->x = x;
  self->y = y;
  shardwise_chart_set_hovered (self->chart, pick (self->chart, x, y));
}

static void
leave_cb (Pointer *self)
{
  self->x = self->y = -1;
  shardwise_chart_set_hovered (self->chart, -1);
}

static void
pressed_cb (Pointer *self, int n_press, double x, double y)
{
  self->pressed_x = x;
  self->pressed_y = y;
}

/* What was dragged meanwhile was not clicked. */
static void
released_cb (Pointer *self, int n_press, double x, double y)
{
  int point;

  gtk_widget_grab_focus (GTK_WIDGET (self->chart));
  if (gtk_drag_check_threshold (GTK_WIDGET (self->chart), (int) self->pressed_x,
                                (int) self->pressed_y, (int) x, (int) y))
    return;
  point = pick (self->chart, x, y);
  shardwise_chart_set_point (self->chart, point);
  if (point >= 0)
    g_signal_emit_by_name (self->chart, "point-activated", (guint) point);
}

/**
 * shardwise_chart_pointer_add:
 * @self: a chart
 *
 * Lets the pointer look at the points of a chart, and a click choose one.
 */
void
shardwise_chart_pointer_add (ShardwiseChart *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkGesture *click = gtk_gesture_click_new ();
  Pointer *pointer = g_new0 (Pointer, 1);

  pointer->chart = self;
  pointer->x = pointer->y = -1;
  g_object_set_data_full (G_OBJECT (self), "shardwise-chart-pointer", pointer, g_free);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (motion_cb), pointer);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (leave_cb), pointer);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), pointer);
  g_signal_connect_swapped (click, "released", G_CALLBACK (released_cb), pointer);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
}
