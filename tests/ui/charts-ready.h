/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-chart.h"
#include "shardwise-sweep.h"

/* Whether every chart that is seen has its data, and nothing that shows its progress is computed. */
static inline gboolean
ui_charts_are_ready (GtkWidget *widget)
{
  if (SHARDWISE_IS_CHART (widget) && gtk_widget_get_mapped (widget)
      && *shardwise_chart_get_summary (SHARDWISE_CHART (widget)) == '\0')
    return FALSE;
  if (SHARDWISE_IS_SWEEP (widget) && gtk_widget_get_mapped (widget)
      && shardwise_sweep_is_running (SHARDWISE_SWEEP (widget)))
    return FALSE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (!ui_charts_are_ready (child))
      return FALSE;
  return TRUE;
}
