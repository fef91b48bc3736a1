/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an input means, accepts and is by default: shown while the pointer rests on its row, and
 * read out with its control. */
#include "shardwise-input-row.h"

#include <glib/gi18n.h>

#include "shardwise-input-control.h"
#include "shardwise-key.h"
#include "shardwise-wrapped-label.h"

/**
 * shardwise_input_help_text:
 *
 * Returns: (transfer full): of the row's key, with its default in the scenario at hand
 */
char *
shardwise_input_help_text (ShardwiseInputRow *row)
{
  const ShardwiseKey *key = shardwise_key_find (shardwise_input_row_get_path (row));
  g_autoptr (ShardwiseScenario) scenario = NULL;
  g_autofree char *usual = NULL;

  g_object_get (row, "scenario", &scenario, NULL);
  if (scenario != NULL)
    usual = shardwise_control_usual (key, scenario);
  return shardwise_key_describe_help (key, usual);
}

static gboolean
query_cb (GtkWidget *row, int x, int y, gboolean by_keyboard, GtkTooltip *tooltip, gpointer data)
{
  g_autofree char *help = shardwise_input_help_text (SHARDWISE_INPUT_ROW (row));
  /* Translators: below what an input means; F1 is the key */
  g_autofree char *text = g_strconcat (help, "\n", _ ("F1 opens the manual there"), NULL);

  shardwise_tooltip_fill (tooltip, row, text);
  return TRUE;
}

/**
 * shardwise_input_help_attach:
 * @control: that sets its value
 */
void
shardwise_input_help_attach (ShardwiseInputRow *row, GtkWidget *control)
{
  const ShardwiseKey *key = shardwise_key_find (shardwise_input_row_get_path (row));
  g_autofree char *text = shardwise_key_describe_help (key, NULL);

  gtk_widget_set_has_tooltip (GTK_WIDGET (row), TRUE);
  g_signal_connect (row, "query-tooltip", G_CALLBACK (query_cb), NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (control), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  text, -1);
}
