/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-wrapped-label.h"

#include "shardwise-format.h"

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

/**
 * shardwise_wrapped_label_show:
 * @label: that takes the lines that it needs
 * @text: (nullable): sentences with figures; "" and %NULL: it is not seen
 *
 * Shows sentences in which no line ends between a number and its unit.
 */
void
shardwise_wrapped_label_show (GtkLabel *label, const char *text)
{
  g_autofree char *unbroken = shardwise_format_unbroken (text != NULL ? text : "");

  gtk_label_set_label (label, unbroken);
  gtk_widget_set_visible (GTK_WIDGET (label), *unbroken != '\0');
}
