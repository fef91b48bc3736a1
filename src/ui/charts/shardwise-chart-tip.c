/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-chart-tip.h"

#include "shardwise-wrapped-label.h"

static gboolean
query_tooltip_cb (ShardwiseChart *self, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  const char *readout = shardwise_chart_get_readout (self);
  graphene_rect_t area;
  int point = shardwise_chart_get_point (self);

  if (point < 0 || readout == NULL)
    return FALSE;
  /* The whole column, so that it shows under the chart or over it and covers none of its points. */
  if (SHARDWISE_CHART_GET_CLASS (self)->point_area (self, (guint) point, &area))
    gtk_tooltip_set_tip_area (
        tooltip, &(GdkRectangle){ area.origin.x, 0, MAX (area.size.width, 1),
                                  MAX (gtk_widget_get_height (GTK_WIDGET (self)), 1) });
  shardwise_tooltip_fill (tooltip, GTK_WIDGET (self), readout);
  return TRUE;
}

/**
 * shardwise_chart_tip_add:
 * @self: a chart
 *
 * Lets it show the sentence of the point that is looked at as its tooltip.
 */
void
shardwise_chart_tip_add (ShardwiseChart *self)
{
  g_signal_connect (self, "query-tooltip", G_CALLBACK (query_tooltip_cb), NULL);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
}
