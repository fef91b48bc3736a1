/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-wheel.h"

#include <math.h>

static gboolean
has_room (GtkAdjustment *adjustment, double dy)
{
  double value = gtk_adjustment_get_value (adjustment);
  double end = gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_page_size (adjustment);

  return dy < 0 ? value > gtk_adjustment_get_lower (adjustment) : value < end;
}

static gboolean
wheel_cb (GtkWidget *window, double dx, double dy, GtkEventController *controller)
{
  GtkAdjustment *own = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (window)), *page;
  GtkWidget *outer = gtk_widget_get_ancestor (gtk_widget_get_parent (window),
                                              GTK_TYPE_SCROLLED_WINDOW);
  double step;

  if (outer == NULL || fabs (dy) <= fabs (dx) || has_room (own, dy)
      || (gtk_event_controller_get_current_event_state (controller)
          & (GDK_CONTROL_MASK | GDK_SHIFT_MASK | GDK_ALT_MASK)))
    return GDK_EVENT_PROPAGATE;
  page = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (outer));
  step = gtk_event_controller_scroll_get_unit (GTK_EVENT_CONTROLLER_SCROLL (controller))
                 == GDK_SCROLL_UNIT_WHEEL
             ? pow (gtk_adjustment_get_page_size (page), 2.0 / 3) /* as GTK does */
             : 1;
  gtk_adjustment_set_value (page, gtk_adjustment_get_value (page) + dy * step);
  return GDK_EVENT_STOP;
}

/**
 * shardwise_wheel_pass_on:
 * @window: what scrolls inside a page that scrolls
 *
 * A scrolled window of GTK 4.8 takes the wheel even where its child is at its end or shows whole:
 * the page would stand still under the pointer. What @window cannot use goes on to the page.
 */
void
shardwise_wheel_pass_on (GtkScrolledWindow *window)
{
  GtkEventController *controller;

  g_return_if_fail (GTK_IS_SCROLLED_WINDOW (window));

  controller = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (controller, "scroll", G_CALLBACK (wheel_cb), window);
  gtk_widget_add_controller (GTK_WIDGET (window), controller);
}
