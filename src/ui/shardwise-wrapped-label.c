/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-wrapped-label.h"

/**
 * shardwise_wrapped_label_new:
 * @text: (nullable): of the label
 * @css_class: (nullable): its style
 *
 * Returns: (transfer floating): a label that begins at the start and takes the lines that it needs
 */
GtkWidget *
shardwise_wrapped_label_new (const char *text, const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  return label;
}
