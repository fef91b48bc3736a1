/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-wrapped-label.h"

#include "shardwise-format.h"

/**
 * shardwise_wrapped_label_new:
 * @text: (nullable): its text
 * @css_class: (nullable): its style
 *
 * Returns: (transfer floating): a start-aligned label that wraps
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
 * shardwise_button_wrap:
 * @button: a button with a label whose translation may be wider than a narrow window
 *
 * Lets its label wrap.
 */
void
shardwise_button_wrap (GtkButton *button)
{
  GtkWidget *label = gtk_button_get_child (button);

  if (!GTK_IS_LABEL (label))
    return;
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_justify (GTK_LABEL (label), GTK_JUSTIFY_CENTER);
}

/**
 * shardwise_wrapped_label_show:
 * @label: a label that wraps
 * @text: (nullable): sentences with figures; "" and %NULL hide it
 *
 * Shows sentences without line breaks between a number and its unit.
 */
void
shardwise_wrapped_label_show (GtkLabel *label, const char *text)
{
  g_autofree char *unbroken = shardwise_format_unbroken (text != NULL ? text : "");

  gtk_label_set_label (label, unbroken);
  gtk_widget_set_visible (GTK_WIDGET (label), *unbroken != '\0');
}

/* Characters of the Unicode bidirectional algorithm (UAX #9, section 2.4). */
#define LEFT_TO_RIGHT_ISOLATE "\342\201\246"
#define POP_DIRECTIONAL_ISOLATE "\342\201\251"

/**
 * shardwise_isolate:
 * @figure: (nullable): a number with its sign and unit: "46.4 %"
 *
 * A text without letters takes the direction of its surroundings: "46.4 %" would read "% 46.4" in a
 * right-to-left window.
 *
 * Returns: (transfer full) (nullable): the figure for a label; %NULL for none
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

#define LEAST 24 /* letters in a line */
#define MOST 70

/* GTK's lines have 70 letters, more than a narrow window, which would truncate them. */
static int
letters_in_line (GtkWidget *widget)
{
  GtkWidget *root = GTK_WIDGET (gtk_widget_get_root (widget));
  PangoFontMetrics *metrics = pango_context_get_metrics (gtk_widget_get_pango_context (widget),
                                                         NULL, NULL);
  int letter = MAX (PANGO_PIXELS (pango_font_metrics_get_approximate_char_width (metrics)), 1);

  pango_font_metrics_unref (metrics);
  return CLAMP (gtk_widget_get_width (root) * 4 / 5 / letter, LEAST, MOST);
}

/**
 * shardwise_tooltip_fill:
 * @tooltip: the requested tooltip
 * @widget: its widget
 * @text: its text
 *
 * Shows @text in lines that fit the window, with figures and their units together.
 */
void
shardwise_tooltip_fill (GtkTooltip *tooltip, GtkWidget *widget, const char *text)
{
  g_autofree char *unbroken = shardwise_format_unbroken (text);
  GtkWidget *label = gtk_label_new (unbroken);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_max_width_chars (GTK_LABEL (label), letters_in_line (widget));
  gtk_tooltip_set_custom (tooltip, label);
}

static gboolean
wrap_cb (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  const char *text = gtk_widget_get_tooltip_text (widget);

  if (text == NULL)
    return FALSE;
  shardwise_tooltip_fill (tooltip, widget, text);
  return TRUE;
}

/**
 * shardwise_tooltip_wrap:
 * @widget: a widget whose tooltip-text may be longer than a narrow window is wide
 */
void
shardwise_tooltip_wrap (GtkWidget *widget)
{
  g_signal_connect (widget, "query-tooltip", G_CALLBACK (wrap_cb), NULL);
}

static gboolean
query_cb (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip, gpointer text)
{
  shardwise_tooltip_fill (tooltip, widget, text);
  return TRUE;
}

/**
 * shardwise_tooltip_set:
 * @widget: a widget whose tooltip changes often
 * @text: (nullable): its new text; %NULL: none
 *
 * gtk_widget_set_tooltip_text() queries the display for the pointer position, in three round trips
 * under X. Here the text is only provided when the pointer rests on the widget. Screen readers get
 * it as the description, as with GTK.
 */
void
shardwise_tooltip_set (GtkWidget *widget, const char *text)
{
  g_return_if_fail (GTK_IS_WIDGET (widget));

  g_signal_handlers_disconnect_matched (widget, G_SIGNAL_MATCH_FUNC, 0, 0, NULL, query_cb, NULL);
  if (text != NULL)
    g_signal_connect_data (widget, "query-tooltip", G_CALLBACK (query_cb), g_strdup (text),
                           (GClosureNotify) (GCallback) g_free, 0);
  gtk_widget_set_has_tooltip (widget, text != NULL);
  if (text != NULL)
    gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                    text, -1);
  else
    gtk_accessible_reset_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);
}
