/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-playbook-row.h"

#include <glib/gi18n.h>

#include "shardwise-format.h"
#include "shardwise-wrapped-label.h"

struct _ShardwisePlaybookRow {
  AdwExpanderRow parent_instance;
  ShardwiseHeuristic *rule;
  ShardwiseRuleState state;
  GtkWidget *icon;
};

G_DEFINE_FINAL_TYPE (ShardwisePlaybookRow, shardwise_playbook_row, ADW_TYPE_EXPANDER_ROW)

enum { EDIT, REMOVE, N_SIGNALS };
static guint signals[N_SIGNALS];

/* The style of a state; its word is in the subtitle. */
static const struct {
  const char *icon, *css_class;
} looks[SHARDWISE_N_RULE_STATES] = {
  [SHARDWISE_RULE_UNKNOWN] = { "content-loading-symbolic", "dim-label" },
  [SHARDWISE_RULE_NOT_RELEVANT] = { "list-remove-symbolic", "dim-label" },
  [SHARDWISE_RULE_APPLIES] = { "dialog-information-symbolic", "accent" },
  [SHARDWISE_RULE_SATISFIED] = { "object-select-symbolic", "success" },
  [SHARDWISE_RULE_VIOLATED] = { "dialog-warning-symbolic", "warning" },
};

static void
shardwise_playbook_row_finalize (GObject *object)
{
  ShardwisePlaybookRow *self = SHARDWISE_PLAYBOOK_ROW (object);

  g_clear_pointer (&self->rule, shardwise_heuristic_free);
  G_OBJECT_CLASS (shardwise_playbook_row_parent_class)->finalize (object);
}

static void
shardwise_playbook_row_class_init (ShardwisePlaybookRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = shardwise_playbook_row_finalize;
  signals[EDIT] = g_signal_new ("edit", SHARDWISE_TYPE_PLAYBOOK_ROW, G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 0);
  signals[REMOVE] = g_signal_new ("remove", SHARDWISE_TYPE_PLAYBOOK_ROW, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 0);
}

static void
shardwise_playbook_row_init (ShardwisePlaybookRow *self)
{
  self->icon = gtk_image_new ();
  gtk_accessible_update_state (GTK_ACCESSIBLE (self->icon), GTK_ACCESSIBLE_STATE_HIDDEN, TRUE, -1);
  adw_expander_row_add_prefix (ADW_EXPANDER_ROW (self), self->icon);
  gtk_widget_add_css_class (GTK_WIDGET (self), "numeric");
}

static void
edit_cb (ShardwisePlaybookRow *self)
{
  g_signal_emit (self, signals[EDIT], 0);
}

static void
remove_cb (ShardwisePlaybookRow *self)
{
  g_signal_emit (self, signals[REMOVE], 0);
}

static GtkWidget *
label_new (const char *text, const char *css_class)
{
  GtkWidget *label = shardwise_wrapped_label_new (text, css_class);

  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  return label;
}

static GtkWidget *
details_new (ShardwisePlaybookRow *self, gboolean own)
{
  GtkWidget *row = adw_preferences_row_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  gtk_widget_set_margin_top (box, 12);
  gtk_widget_set_margin_bottom (box, 12);
  gtk_widget_set_margin_start (box, 12);
  gtk_widget_set_margin_end (box, 12);
  if (*self->rule->text != '\0')
    gtk_box_append (GTK_BOX (box), label_new (self->rule->text, NULL));
  if (*self->rule->source != '\0')
    {
      g_autofree char *source = g_strdup_printf (
          /* Translators: where a rule is from */
          _ ("Source: %s"), self->rule->source);

      gtk_box_append (GTK_BOX (box), label_new (source, "dim-label"));
    }
  if (own)
    {
      GtkWidget *buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
      GtkWidget *edit = gtk_button_new_with_mnemonic (_ ("_Edit…"));
      GtkWidget *remove = gtk_button_new_with_mnemonic (_ ("_Delete"));

      gtk_widget_set_halign (buttons, GTK_ALIGN_END);
      gtk_widget_add_css_class (remove, "destructive-action");
      gtk_widget_set_name (edit, "edit");
      gtk_widget_set_name (remove, "remove");
      g_signal_connect_object (edit, "clicked", G_CALLBACK (edit_cb), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (remove, "clicked", G_CALLBACK (remove_cb), self, G_CONNECT_SWAPPED);
      gtk_box_append (GTK_BOX (buttons), edit);
      gtk_box_append (GTK_BOX (buttons), remove);
      gtk_box_append (GTK_BOX (box), buttons);
    }
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  return row;
}

/**
 * shardwise_playbook_row_new:
 * @rule: the rule; copied
 * @own: whether the user may edit and delete it
 *
 * Returns: (transfer floating): the row
 */
GtkWidget *
shardwise_playbook_row_new (const ShardwiseHeuristic *rule, gboolean own)
{
  ShardwisePlaybookRow *self = g_object_new (SHARDWISE_TYPE_PLAYBOOK_ROW, NULL);

  self->rule = shardwise_heuristic_copy (rule);
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (self), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), rule->title);
  adw_expander_row_add_row (ADW_EXPANDER_ROW (self), details_new (self, own));
  return GTK_WIDGET (self);
}

/**
 * shardwise_playbook_row_get_rule:
 * @self: a row
 *
 * Returns: (transfer none): its rule
 */
const ShardwiseHeuristic *
shardwise_playbook_row_get_rule (ShardwisePlaybookRow *self)
{
  g_return_val_if_fail (SHARDWISE_IS_PLAYBOOK_ROW (self), NULL);

  return self->rule;
}

/**
 * shardwise_playbook_row_set_finding:
 * @self: a row
 * @finding: the verdict of its rule on the job
 */
void
shardwise_playbook_row_set_finding (ShardwisePlaybookRow *self, const ShardwiseRuleFinding *finding)
{
  g_autofree char *text = NULL, *unbroken = NULL;

  g_return_if_fail (SHARDWISE_IS_PLAYBOOK_ROW (self) && finding != NULL);

  text = shardwise_rule_finding_text (finding);
  gtk_widget_remove_css_class (self->icon, looks[self->state].css_class);
  self->state = finding->state;
  gtk_widget_add_css_class (self->icon, looks[self->state].css_class);
  gtk_image_set_from_icon_name (GTK_IMAGE (self->icon), looks[self->state].icon);
  unbroken = shardwise_format_unbroken (text);
  adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (self), unbroken);
}

/**
 * shardwise_playbook_row_get_state:
 * @self: a row
 *
 * Returns: the state of the displayed finding
 */
ShardwiseRuleState
shardwise_playbook_row_get_state (ShardwisePlaybookRow *self)
{
  g_return_val_if_fail (SHARDWISE_IS_PLAYBOOK_ROW (self), SHARDWISE_RULE_UNKNOWN);

  return self->state;
}
