/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-value-row.h"

#include "shardwise-line-layout.h"

struct _ShardwiseValueRow {
  AdwActionRow parent_instance;

  GtkLabel *value;
};

G_DEFINE_FINAL_TYPE (ShardwiseValueRow, shardwise_value_row, ADW_TYPE_ACTION_ROW)

static void
shardwise_value_row_class_init (ShardwiseValueRowClass *klass)
{}

static void
shardwise_value_row_init (ShardwiseValueRow *self)
{
  self->value = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (self->value, 1);
  gtk_label_set_selectable (self->value, TRUE);
  gtk_widget_set_can_focus (GTK_WIDGET (self->value), FALSE);
  gtk_widget_add_css_class (GTK_WIDGET (self->value), "numeric");
  adw_action_row_add_suffix (ADW_ACTION_ROW (self), GTK_WIDGET (self->value));
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (self), FALSE);
  adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (self), 0);
  /* Its title, which would be its name: the value belongs to it. */
  gtk_accessible_reset_relation (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_RELATION_LABELLED_BY);
  shardwise_line_layout_rows (GTK_WIDGET (self));
}

/**
 * shardwise_value_row_new:
 * @title: what it is, translated
 * @strong: for a total
 *
 * Returns: (transfer floating): a row without a value, which is not shown
 */
GtkWidget *
shardwise_value_row_new (const char *title, gboolean strong)
{
  ShardwiseValueRow *self = g_object_new (SHARDWISE_TYPE_VALUE_ROW, "title", title, "visible",
                                          FALSE, NULL);

  if (strong)
    gtk_widget_add_css_class (GTK_WIDGET (self), "chosen");
  return GTK_WIDGET (self);
}

/**
 * shardwise_value_row_set:
 * @self: a row
 * @value: (nullable): how much, with its unit; %NULL hides the row
 * @detail: (nullable): more about it
 */
void
shardwise_value_row_set (ShardwiseValueRow *self, const char *value, const char *detail)
{
  g_autofree char *sentence = NULL;

  g_return_if_fail (SHARDWISE_IS_VALUE_ROW (self));

  gtk_widget_set_visible (GTK_WIDGET (self), value != NULL);
  if (value == NULL)
    return;
  gtk_label_set_label (self->value, value);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self), detail != NULL ? detail : "");
  sentence = g_strdup_printf ("%s: %s", adw_preferences_row_get_title (ADW_PREFERENCES_ROW (self)),
                              value);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, sentence,
                                  -1);
}
