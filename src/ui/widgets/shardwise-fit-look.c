/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-fit-look.h"

const ShardwiseFitLook shardwise_fit_looks[SHARDWISE_N_FITS] = {
  [SW_FIT_FITS] = { "object-select-symbolic", "success" },
  [SW_FIT_MAY_NOT] = { "dialog-warning-symbolic", "warning" },
  [SW_FIT_DOES_NOT_FIT] = { "window-close-symbolic", "error" },
};

/**
 * shardwise_fit_look_show:
 * @fit: whether a job fits
 * @widget: the widget for the style class, which replaces another
 * @icon: the icon
 */
void
shardwise_fit_look_show (SwFit fit, GtkWidget *widget, GtkImage *icon)
{
  gtk_image_set_from_icon_name (icon, shardwise_fit_looks[fit].icon);
  for (guint i = 0; i < SHARDWISE_N_FITS; i++)
    gtk_widget_remove_css_class (widget, shardwise_fit_looks[i].css_class);
  gtk_widget_add_css_class (widget, shardwise_fit_looks[fit].css_class);
}
