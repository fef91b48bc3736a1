/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-gtk-faults.h"

#include <math.h>

/**
 * shardwise_gtk_let_go_of_focus:
 * @widget: a widget about to be hidden
 *
 * Takes the focus from @widget and its children. GTK 4.8 keeps a reference to a hidden widget with
 * the focus until the next frame, and forever if another widget with the same focus is removed
 * before.
 */
void
shardwise_gtk_let_go_of_focus (GtkWidget *widget)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  if (focus != NULL && (focus == widget || gtk_widget_is_ancestor (focus, widget)))
    gtk_root_set_focus (root, NULL);
}

/* A stack returns the focus to the last widget, even in a popover that was closed. */
static void
focus_moved_cb (GtkWindow *window, GParamSpec *pspec, GSignalGroup *unmapping)
{
  GtkWidget *focus = gtk_window_get_focus (window);

  g_signal_group_set_target (unmapping, focus);
  if (focus != NULL && !gtk_widget_is_visible (focus)
      && gtk_widget_get_mapped (GTK_WIDGET (window)))
    shardwise_gtk_let_go_of_focus (focus);
}

/**
 * shardwise_gtk_keep_focus_in_sight:
 * @window: a window
 *
 * Makes sure that no hidden widget has the focus before GTK finds the next one with the next frame.
 */
void
shardwise_gtk_keep_focus_in_sight (GtkWindow *window)
{
  GSignalGroup *unmapping;

  g_return_if_fail (GTK_IS_WINDOW (window));

  unmapping = g_signal_group_new (GTK_TYPE_WIDGET);
  g_signal_group_connect (unmapping, "unmap", G_CALLBACK (shardwise_gtk_let_go_of_focus), NULL);
  g_signal_connect_data (window, "notify::focus-widget", G_CALLBACK (focus_moved_cb), unmapping,
                         (GClosureNotify) (GCallback) g_object_unref, 0);
}

/**
 * shardwise_gtk_close_popovers:
 * @widget: a widget about to be destroyed
 *
 * Closes every popover in @widget, including those of hidden pages. GTK 4.8 never frees a popover
 * that is open when its window is destroyed.
 */
void
shardwise_gtk_close_popovers (GtkWidget *widget)
{
  GtkWidget *next;

  g_return_if_fail (GTK_IS_WIDGET (widget));

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL; child = next)
    {
      next = gtk_widget_get_next_sibling (child);
      shardwise_gtk_close_popovers (child);
    }
  if (GTK_IS_POPOVER (widget))
    gtk_widget_set_visible (widget, FALSE);
}

static gboolean
outlived_cb (gpointer data)
{
  return G_SOURCE_REMOVE;
}

/**
 * shardwise_gtk_outlive_editing:
 * @label: a #GtkEditableLabel about to be destroyed
 *
 * A label that loses the focus ends its editing a tenth of a second later, and in GTK 4.8 nothing
 * keeps it alive until then: it crashes if its window is closed before.
 */
void
shardwise_gtk_outlive_editing (GtkWidget *label)
{
  g_return_if_fail (GTK_IS_EDITABLE_LABEL (label));

  g_timeout_add_full (G_PRIORITY_LOW, 300, outlived_cb, g_object_ref (label), g_object_unref);
}

static void
ellipsize (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget))
    gtk_label_set_ellipsize (GTK_LABEL (widget), PANGO_ELLIPSIZE_END);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    ellipsize (child);
}

/**
 * shardwise_gtk_ellipsize:
 * @label: a #GtkEditableLabel
 *
 * Ellipsizes a text that is too long for its place. GTK does not do this, so the label and
 * everything next to it would be as wide as the text.
 */
void
shardwise_gtk_ellipsize (GtkWidget *label)
{
  g_return_if_fail (GTK_IS_EDITABLE_LABEL (label));

  ellipsize (label);
}

/**
 * shardwise_gtk_measure_before_drawing:
 * @text: a #GtkTextView in what scrolls
 *
 * Lays the text out in the same frame in which it changes. Lines that come while a frame is made
 * are measured by GTK 4.8 only as it draws them; the scroll bar, which it draws next, then has
 * another place, and GTK warns and leaves it out.
 */
void
shardwise_gtk_measure_before_drawing (GtkTextView *text)
{
  g_return_if_fail (GTK_IS_TEXT_VIEW (text));

  g_signal_connect_object (gtk_text_view_get_buffer (text), "changed",
                           G_CALLBACK (gtk_widget_queue_resize), text, G_CONNECT_SWAPPED);
}

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
 * shardwise_gtk_pass_wheel_on:
 * @window: a scrolled window inside a scrolling page
 *
 * A scrolled window of GTK 4.8 consumes the wheel even if its child is at its end or fully visible:
 * the page would not move. Passes scrolling that @window cannot use on to the page.
 */
void
shardwise_gtk_pass_wheel_on (GtkScrolledWindow *window)
{
  GtkEventController *controller;

  g_return_if_fail (GTK_IS_SCROLLED_WINDOW (window));

  controller = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  g_signal_connect_swapped (controller, "scroll", G_CALLBACK (wheel_cb), window);
  gtk_widget_add_controller (GTK_WIDGET (window), controller);
}
