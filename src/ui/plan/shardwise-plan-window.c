/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-plan-window.h"

#include "shardwise-config.h"
#include "shardwise-plan-view.h"

struct _ShardwisePlanWindow {
  AdwWindow parent_instance;
  guint reveal_id;
  AdwViewSwitcherTitle *switcher;
  AdwViewSwitcherBar *bar;
  ShardwisePlanView *machine, *model;
};

G_DEFINE_FINAL_TYPE (ShardwisePlanWindow, shardwise_plan_window, ADW_TYPE_WINDOW)

static guint open_signal;

static void
open_cb (ShardwisePlanWindow *self, ShardwiseScenario *scenario)
{
  g_signal_emit (self, open_signal, 0, scenario);
}

static gboolean
reveal_cb (gpointer data)
{
  ShardwisePlanWindow *self = data;

  self->reveal_id = 0;
  adw_view_switcher_bar_set_reveal (self->bar,
                                    adw_view_switcher_title_get_title_visible (self->switcher));
  return G_SOURCE_REMOVE;
}

/* The title finds out while it is given its place, when the bar has been given none. */
static void
title_visible_cb (ShardwisePlanWindow *self)
{
  if (self->reveal_id == 0)
    self->reveal_id = g_idle_add (reveal_cb, self);
}

static void
shardwise_plan_window_dispose (GObject *object)
{
  g_clear_handle_id (&SHARDWISE_PLAN_WINDOW (object)->reveal_id, g_source_remove);
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_PLAN_WINDOW);
  G_OBJECT_CLASS (shardwise_plan_window_parent_class)->dispose (object);
}

static void
shardwise_plan_window_class_init (ShardwisePlanWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_plan_window_dispose;
  open_signal = g_signal_new ("open-scenario", SHARDWISE_TYPE_PLAN_WINDOW, G_SIGNAL_RUN_LAST, 0,
                              NULL, NULL, NULL, G_TYPE_NONE, 1, SHARDWISE_TYPE_SCENARIO);
  g_type_ensure (SHARDWISE_TYPE_PLAN_VIEW);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               APPLICATION_PATH "/ui/shardwise-plan-window.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlanWindow, switcher);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlanWindow, bar);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlanWindow, machine);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlanWindow, model);
  gtk_widget_class_bind_template_callback (widget_class, open_cb);
  gtk_widget_class_bind_template_callback (widget_class, title_visible_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
shardwise_plan_window_init (ShardwisePlanWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * shardwise_plan_window_new:
 * @scenario: what the question begins with; a copy is taken
 *
 * Returns: (transfer floating): the window
 */
GtkWidget *
shardwise_plan_window_new (ShardwiseScenario *scenario)
{
  g_autoptr (ShardwiseScenario) asked = NULL;
  ShardwisePlanWindow *self;

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (scenario), NULL);

  self = g_object_new (SHARDWISE_TYPE_PLAN_WINDOW, NULL);
  asked = shardwise_scenario_copy (scenario);
  shardwise_plan_view_set_scenario (self->machine, asked);
  shardwise_plan_view_set_scenario (self->model, asked);
  return GTK_WIDGET (self);
}
