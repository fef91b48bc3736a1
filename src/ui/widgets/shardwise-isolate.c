/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures that keep their order in a window from right to left. */
#include "shardwise-isolate.h"

/* Characters of the Unicode bidirectional algorithm (UAX #9, section 2.4). */
#define LEFT_TO_RIGHT_ISOLATE "\342\201\246"
#define POP_DIRECTIONAL_ISOLATE "\342\201\251"

/**
 * shardwise_isolate:
 * @figure: (nullable): a number with its sign and unit: "46.4 %"
 *
 * A text without letters takes the direction of what is around it: "46.4 %" would read "% 46.4" in
 * a window from right to left.
 *
 * Returns: (transfer full) (nullable): the figure as a label shows it; %NULL for none
 */
char *
shardwise_isolate (const char *figure)
{
  if (figure == NULL || *figure == '\0' || gtk_widget_get_default_direction () != GTK_TEXT_DIR_RTL)
    return g_strdup (figure);
  return g_strconcat (LEFT_TO_RIGHT_ISOLATE, figure, POP_DIRECTIONAL_ISOLATE, NULL);
}

/**
 * shardwise_figure_label_new:
 * @figure: (nullable): a number with its sign and unit
 *
 * Returns: (transfer floating): a label that shows it
 */
GtkWidget *
shardwise_figure_label_new (const char *figure)
{
  g_autofree char *text = shardwise_isolate (figure);

  return gtk_label_new (text);
}

/**
 * shardwise_label_set_figure:
 * @label: a label
 * @figure: a number with its sign and unit, or several such
 */
void
shardwise_label_set_figure (GtkLabel *label, const char *figure)
{
  g_autofree char *text = shardwise_isolate (figure);

  gtk_label_set_label (label, text);
}
