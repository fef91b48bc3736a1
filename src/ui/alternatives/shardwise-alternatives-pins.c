/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The strategies that are pinned on the page of alternatives, and their comparison. */
#include "shardwise-alternatives-page-private.h"

#include <glib/gi18n.h>
#include "shardwise-strategy.h"

static void
pin (ShardwiseAlternativesPage *self, const SwStrategy *strategy)
{
  if (shardwise_comparison_has (self->comparison, strategy))
    shardwise_comparison_unpin (self->comparison, strategy);
  else if (!shardwise_comparison_pin (self->comparison, strategy))
    shardwise_page_toast (SHARDWISE_PAGE (self),
                          _ ("Four strategies are compared: let go of one first"));
}

static void
pin_selected_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (widget));
  const SwEstimate *selected = advisor != NULL ? shardwise_advisor_get_selected (advisor) : NULL;

  if (selected != NULL)
    pin (SHARDWISE_ALTERNATIVES_PAGE (widget), &selected->strategy);
}

static void
pin_recommended_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (widget));
  ShardwiseAdvice *advice = advisor != NULL ? shardwise_advisor_get_advice (advisor) : NULL;

  if (advice != NULL)
    pin (SHARDWISE_ALTERNATIVES_PAGE (widget),
         &shardwise_advice_get_recommended (advice)->strategy);
}

/* The row with the cursor; else what every page shows. */
static void
pin_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ShardwiseAlternativesPage *self = SHARDWISE_ALTERNATIVES_PAGE (widget);
  int row = shardwise_strategy_view_get_cursor (self->view);
  g_autoptr (ShardwiseStrategy) strategy =
      row >= 0 && !self->compares ? g_list_model_get_item (G_LIST_MODEL (self->list), (guint) row)
                                  : NULL;

  if (strategy != NULL && !shardwise_strategy_is_awaited (strategy))
    pin (self, &shardwise_strategy_get_estimate (strategy)->strategy);
  else
    pin_selected_cb (widget, action, parameter);
}

/* The focus follows what is shown: to what is compared, back to the button that led there, or to
 * what stands in place of the list where nothing fits. */
static void
compare_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ShardwiseAlternativesPage *self = SHARDWISE_ALTERNATIVES_PAGE (widget);
  GtkWidget *next = GTK_WIDGET (self->comparison_view);

  self->compares = g_str_equal (action, "alternatives.compare");
  shardwise_alternatives_page_show_child (self);
  if (!self->compares)
    next = gtk_widget_get_mapped (GTK_WIDGET (self->compare_chip)) ? GTK_WIDGET (self->compare_chip)
                                                                   : GTK_WIDGET (self->stack);
  gtk_widget_child_focus (next, GTK_DIR_TAB_FORWARD);
}

static void
look_cb (ShardwiseAlternativesPage *self, guint index)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));

  if (advisor != NULL)
    shardwise_advisor_set_selected (advisor,
                                    shardwise_comparison_get_estimate (self->comparison, index));
}

static void
comparison_changed_cb (ShardwiseAlternativesPage *self)
{
  guint n = shardwise_comparison_get_n (self->comparison);
  /* Translators: how many strategies are compared */
  g_autofree char *label = n > 0 ? g_strdup_printf (_ ("Compare (%u)"), n)
                                 : g_strdup (_ ("Compare"));

  gtk_button_set_label (self->compare_chip, label);
  if (self->keep_id == 0) /* else the chart is that of another answer */
    shardwise_scatter_chart_set_pins (self->chart, self->comparison);
}

/* What is pinned is worked out for the present answer; an answer that is out of date changes
 * nothing. */
void
shardwise_alternatives_page_update_pins (ShardwiseAlternativesPage *self)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);
  const SwEstimate *selected = shardwise_advisor_get_selected (advisor);

  if (shardwise_advisor_get_status (advisor) == SHARDWISE_STATUS_READY || advice == NULL)
    shardwise_comparison_set_advice (self->comparison, advice,
                                     shardwise_advisor_get_scenario (advisor));
  shardwise_comparison_view_set_marks (
      self->comparison_view,
      advice != NULL ? &shardwise_advice_get_recommended (advice)->strategy : NULL,
      selected != NULL ? &selected->strategy : NULL);
}

/* The actions of what is pinned. */
void
shardwise_alternatives_page_install_pins (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "alternatives.pin", NULL, pin_cb);
  gtk_widget_class_install_action (widget_class, "alternatives.pin-selected", NULL,
                                   pin_selected_cb);
  gtk_widget_class_install_action (widget_class, "alternatives.pin-recommended", NULL,
                                   pin_recommended_cb);
  gtk_widget_class_install_action (widget_class, "alternatives.compare", NULL, compare_cb);
  gtk_widget_class_install_action (widget_class, "alternatives.list", NULL, compare_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_d, GDK_CONTROL_MASK,
                                       "alternatives.pin", NULL);
}

/* Follows the comparison and its view; both are there. */
void
shardwise_alternatives_page_connect_pins (ShardwiseAlternativesPage *self)
{
  g_signal_connect_object (self->comparison_view, "activated", G_CALLBACK (look_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->comparison, "changed", G_CALLBACK (comparison_changed_cb), self,
                           G_CONNECT_SWAPPED);
}
