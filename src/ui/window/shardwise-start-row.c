/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-start-row.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-line-layout.h"
#include "shardwise-page.h"
#include "shardwise-wrapped-label.h"

struct _ShardwiseStartRow {
  AdwActionRow parent_instance;

  char *command; /* (nullable): as it is copied */
};

G_DEFINE_FINAL_TYPE (ShardwiseStartRow, shardwise_start_row, ADW_TYPE_ACTION_ROW)

static void
copy_cb (ShardwiseStartRow *self)
{
  GtkWidget *page = gtk_widget_get_ancestor (GTK_WIDGET (self), SHARDWISE_TYPE_PAGE);
  g_autofree char *text = NULL;

  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), self->command);
  /* Translators: %s is a file name, "ds_config.json" */
  text = g_strdup_printf (_ ("Copied %s"), self->command);
  if (page != NULL)
    shardwise_page_toast (SHARDWISE_PAGE (page), text);
}

static void
shardwise_start_row_finalize (GObject *object)
{
  g_free (SHARDWISE_START_ROW (object)->command);

  G_OBJECT_CLASS (shardwise_start_row_parent_class)->finalize (object);
}

static void
shardwise_start_row_class_init (ShardwiseStartRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = shardwise_start_row_finalize;
}

static void
shardwise_start_row_init (ShardwiseStartRow *self)
{
  GtkWidget *button = gtk_button_new_from_icon_name ("edit-copy-symbolic");

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (self), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), _ ("Start"));
  adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (self), 0);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (button, _ ("Copy the command"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Copy the command"), -1);
  gtk_widget_add_css_class (button, "flat");
  g_signal_connect_object (button, "clicked", G_CALLBACK (copy_cb), self, G_CONNECT_SWAPPED);
  adw_action_row_add_suffix (ADW_ACTION_ROW (self), button);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (self), FALSE);
  shardwise_line_layout_rows (GTK_WIDGET (self));
  shardwise_tooltip_wrap (GTK_WIDGET (self));
}

/**
 * shardwise_start_row_show:
 * @self: a row
 * @files: what was written
 *
 * Shows how they are started.
 */
void
shardwise_start_row_show (ShardwiseStartRow *self, const ShardwiseExport *files)
{
  g_autofree char *words = NULL;

  g_return_if_fail (SHARDWISE_IS_START_ROW (self) && files != NULL);

  g_free (self->command);
  self->command = shardwise_export_start (files);

  /* Lines end between the words of a command, not behind a hyphen: it has word joiners there, of no
   * width. */
  g_auto (GStrv) parts = g_strsplit (self->command, "-", -1);

  words = g_strjoinv ("-\342\201\240", parts);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self), words);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self),
                               strstr (self->command, "NODE_RANK") != NULL
                                   ? _ ("Run this on every node, with NODE_RANK counted from 0 and "
                                        "MASTER_ADDR the first node’s address.")
                                   : NULL);
}
