/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The place of what has the focus in a scrolled window, while what is above it grows and shrinks.
 */
#include "shardwise-place.h"

#include <math.h>

typedef struct {
  GtkWidget *widget; /* (nullable), weak: has the focus */
  GtkWidget *window; /* (nullable), weak: scrolls it */
  GdkFrameClock *clock;
  gulong layout_id;
  double y;     /* from the top of @window */
  double value; /* of the adjustment then */
  double rest;  /* how far it would have to be scrolled beyond the end */
} Place;

static void
place_free (gpointer data)
{
  Place *self = data;

  /* a surface that goes disposes of its clock, and so of the handler */
  if (g_signal_handler_is_connected (self->clock, self->layout_id))
    g_signal_handler_disconnect (self->clock, self->layout_id);
  g_clear_object (&self->clock);
  g_clear_weak_pointer (&self->widget);
  g_clear_weak_pointer (&self->window);
  g_free (self);
}

static GQuark
place_quark (void)
{
  return g_quark_from_static_string ("shardwise-place");
}

/* FALSE where it cannot be seen, so that it has no place to be kept. */
static gboolean
find_place (GtkWidget *widget, GtkWidget *window, double *y)
{
  return gtk_widget_get_mapped (widget)
         && gtk_widget_translate_coordinates (widget, window, 0, 0, NULL, y)
         && *y + gtk_widget_get_height (widget) > 0 && *y < gtk_widget_get_height (window);
}

/* Who scrolled chose another place; what became too short for where it was scrolled to, none. */
static void
follow (Place *self, GtkAdjustment *adjustment)
{
  double value = gtk_adjustment_get_value (adjustment),
         most = gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_page_size (adjustment);

  if (value > self->value || (value < self->value && value < most))
    {
      self->y += self->rest - (value - self->value);
      self->rest = 0;
    }
  self->value = value;
}

/* A frame is laid out again where this moves something, before it is drawn. Who goes elsewhere with
 * the focus wants no place to be kept. */
static void
layout_cb (GtkWidget *content)
{
  Place *self = g_object_get_qdata (G_OBJECT (content), place_quark ());
  GtkRoot *root = gtk_widget_get_root (content);
  GtkAdjustment *adjustment;
  double y, value;

  if (self->widget == NULL || self->window == NULL || root == NULL
      || gtk_root_get_focus (root) != self->widget)
    {
      g_object_set_qdata (G_OBJECT (content), place_quark (), NULL);
      return;
    }
  if (!gtk_widget_get_mapped (self->widget)
      || !gtk_widget_translate_coordinates (self->widget, self->window, 0, 0, NULL, &y))
    return;
  adjustment = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->window));
  follow (self, adjustment);
  if (fabs (y - self->y) < 1)
    return;
  value = self->value + y - self->y;
  gtk_adjustment_set_value (adjustment, value);
  self->value = gtk_adjustment_get_value (adjustment);
  self->rest = value - self->value;
}

/**
 * shardwise_place_keep:
 * @content: what a scrolled window scrolls, and is about to change
 *
 * From now on, until the focus goes elsewhere, what has the focus in @content stays where it is on
 * the screen, as far as can be scrolled: what was pressed does not slip away below the pointer.
 * Nothing where the focus is not in sight.
 */
void
shardwise_place_keep (GtkWidget *content)
{
  GtkWidget *window = gtk_widget_get_ancestor (content, GTK_TYPE_SCROLLED_WINDOW), *focus;
  GtkRoot *root = gtk_widget_get_root (content);
  Place *self;
  double y;

  g_object_set_qdata (G_OBJECT (content), place_quark (), NULL);
  focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  if (window == NULL || focus == NULL || !gtk_widget_is_ancestor (focus, content)
      || !find_place (focus, window, &y))
    return;
  self = g_new0 (Place, 1);
  self->y = y;
  self->value =
      gtk_adjustment_get_value (gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (window)));
  g_set_weak_pointer (&self->widget, focus);
  g_set_weak_pointer (&self->window, window);
  self->clock = g_object_ref (gtk_widget_get_frame_clock (content));
  /* after the window, which lays out then; the handler goes with @content */
  self->layout_id = g_signal_connect_data (self->clock, "layout", G_CALLBACK (layout_cb), content,
                                           NULL, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_object_set_qdata_full (G_OBJECT (content), place_quark (), self, place_free);
}
