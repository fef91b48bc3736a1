/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-scale-page.h"

#include <gtk/gtk.h>
#include <math.h>

#include "shardwise-atlas-view.h"
#include "shardwise-column.h"
#include "shardwise-cost-section.h"
#include "shardwise-sizing-view.h"

/* The place of what has the focus in a scrolled window, while what is above it grows and shrinks.
 */

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
place_free (Place *self)
{
  /* a surface that goes disposes of its clock, and so of the handler */
  if (g_signal_handler_is_connected (self->clock, self->layout_id))
    g_signal_handler_disconnect (self->clock, self->layout_id);
  g_clear_object (&self->clock);
  g_clear_weak_pointer (&self->widget);
  g_clear_weak_pointer (&self->window);
  g_free (self);
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

struct _ShardwiseScalePage {
  ShardwisePage parent_instance;

  GtkStack *stack;
  ShardwiseColumn *content;
  Place *place; /* (nullable): that is kept */
  ShardwiseSizingView *sizing;
  GtkBox *cost_section;
  ShardwiseCostSection *cost;
  ShardwiseAtlasView *atlas;
};

G_DEFINE_FINAL_TYPE (ShardwiseScalePage, shardwise_scale_page, SHARDWISE_TYPE_PAGE)

static gboolean
has_answer (ShardwiseAdvisor *advisor)
{
  return shardwise_advisor_get_status (advisor) == SHARDWISE_STATUS_READY
         && shardwise_advisor_get_advice (advisor) != NULL;
}

/* A frame is laid out again where this moves something, before it is drawn. Who goes elsewhere with
 * the focus wants no place to be kept. */
static void
layout_cb (ShardwiseScalePage *page)
{
  Place *self = page->place;
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (page));
  GtkAdjustment *adjustment;
  double y, value;

  if (self->widget == NULL || self->window == NULL || root == NULL
      || gtk_root_get_focus (root) != self->widget)
    {
      g_clear_pointer (&page->place, place_free);
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

/* From now on, until the focus goes elsewhere, what has the focus in the content, which is about to
 * change, stays where it is on the screen, as far as can be scrolled: what was pressed does not slip
 * away below the pointer. Nothing where the focus is not in sight. */
static void
keep_place (ShardwiseScalePage *page)
{
  GtkWidget *content = GTK_WIDGET (page->content);
  GtkWidget *window = gtk_widget_get_ancestor (content, GTK_TYPE_SCROLLED_WINDOW), *focus;
  GtkRoot *root = gtk_widget_get_root (content);
  Place *self;
  double y;

  g_clear_pointer (&page->place, place_free);
  focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  if (window == NULL || focus == NULL || !gtk_widget_is_ancestor (focus, content)
      || !gtk_widget_get_mapped (focus)
      || !gtk_widget_translate_coordinates (focus, window, 0, 0, NULL, &y)
      || y + gtk_widget_get_height (focus) <= 0 || y >= gtk_widget_get_height (window))
    return; /* it cannot be seen, so that it has no place to be kept */
  self = page->place = g_new0 (Place, 1);
  self->y = y;
  self->value =
      gtk_adjustment_get_value (gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (window)));
  g_set_weak_pointer (&self->widget, focus);
  g_set_weak_pointer (&self->window, window);
  self->clock = g_object_ref (gtk_widget_get_frame_clock (content));
  /* after the window, which lays out then */
  self->layout_id = g_signal_connect_data (self->clock, "layout", G_CALLBACK (layout_cb), page,
                                           NULL, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
}

/* A page updates only while it can be seen, so long work begins when someone looks. */
static void
shardwise_scale_page_update (ShardwisePage *page)
{
  ShardwiseScalePage *self = SHARDWISE_SCALE_PAGE (page);
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (page);
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);
  gboolean sized_soon;

  gtk_stack_set_visible_child_name (self->stack, advice != NULL ? "sections" : "empty");
  if (!has_answer (advisor))
    return;
  keep_place (self);
  shardwise_column_rest (self->content);
  sized_soon = shardwise_sizing_view_show (self->sizing, shardwise_advisor_get_scenario (advisor),
                                           advice);
  shardwise_cost_section_show (self->cost, advisor);
  if (sized_soon && gtk_widget_get_mapped (GTK_WIDGET (self)))
    shardwise_sizing_view_await (self->sizing);
}

/* What is further down and searches, too, leaves the processors to the sizes, which are looked at
 * first. */
static void
shardwise_scale_page_finish (ShardwisePage *page)
{
  ShardwiseScalePage *self = SHARDWISE_SCALE_PAGE (page);
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (page);

  if (!has_answer (advisor))
    return;
  shardwise_cost_section_plan (self->cost, advisor);
  shardwise_atlas_view_show (self->atlas, shardwise_advisor_get_scenario (advisor),
                             shardwise_advisor_get_advice (advisor));
}

static void
shardwise_scale_page_dispose (GObject *object)
{
  g_clear_pointer (&SHARDWISE_SCALE_PAGE (object)->place, place_free);
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_SCALE_PAGE);
  G_OBJECT_CLASS (shardwise_scale_page_parent_class)->dispose (object);
}

static void
shardwise_scale_page_class_init (ShardwiseScalePageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_scale_page_dispose;
  SHARDWISE_PAGE_CLASS (klass)->update = shardwise_scale_page_update;
  SHARDWISE_PAGE_CLASS (klass)->finish = shardwise_scale_page_finish;

  g_type_ensure (SHARDWISE_TYPE_ATLAS_VIEW);
  g_type_ensure (SHARDWISE_TYPE_COLUMN);
  g_type_ensure (SHARDWISE_TYPE_SIZING_VIEW);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-scale-page.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, stack);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, content);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, sizing);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, cost_section);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, atlas);
}

static void
shardwise_scale_page_init (ShardwiseScalePage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->cost = SHARDWISE_COST_SECTION (shardwise_cost_section_new ());
  gtk_box_append (self->cost_section, GTK_WIDGET (self->cost));
}
