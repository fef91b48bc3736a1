/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-copy-button.h"

#include <glib/gi18n.h>

#include "shardwise-export-picker.h"

/**
 * shardwise_copy_button_wrap:
 * @button: of the configuration to copy
 *
 * With a long translation it would be wider than a narrow window.
 */
void
shardwise_copy_button_wrap (AdwSplitButton *button)
{
  GtkWidget *inner = gtk_widget_get_first_child (GTK_WIDGET (button));
  GtkWidget *label = GTK_IS_BUTTON (inner) ? gtk_button_get_child (GTK_BUTTON (inner)) : NULL;

  if (GTK_IS_LABEL (label))
    {
      gtk_label_set_wrap (GTK_LABEL (label), TRUE);
      gtk_label_set_justify (GTK_LABEL (label), GTK_JUSTIFY_CENTER);
    }
}

/**
 * shardwise_copy_button_name:
 * @button: of the configuration to copy
 * @settings: the application's
 * @advice: (nullable): an answer
 * @selected: (nullable): the strategy of it that is looked at
 *
 * Says on it what it copies: the format chosen last, or that of the strategy's framework, or
 * another one where they would refuse.
 */
void
shardwise_copy_button_name (AdwSplitButton *button, GSettings *settings, ShardwiseAdvice *advice,
                            const SwEstimate *selected)
{
  g_autofree char *label = NULL;

  if (selected != NULL)
    /* Translators: name of a framework; the underscore marks the mnemonic */
    label =
        g_strdup_printf (_ ("_Copy %s Configuration"),
                         shardwise_export_picker_get_offered (settings, advice, selected)->title);
  adw_split_button_set_label (button, label != NULL ? label : _ ("_Copy Configuration"));
}
