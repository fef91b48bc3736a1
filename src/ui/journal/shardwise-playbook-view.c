/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-playbook-view.h"

#include <glib/gi18n.h>

#include "shardwise-compat.h"
#include "shardwise-config.h"
#include "shardwise-container.h"
#include "shardwise-editor.h"
#include "shardwise-note-editor.h"
#include "shardwise-playbook-row.h"
#include "shardwise-text-strategy.h"
#include "shardwise-toast.h"
#include "shardwise-wrap-layout.h"

struct _ShardwisePlaybookView {
  AdwBin parent_instance;
  ShardwiseNotes *notes; /* (nullable): their file cannot be read */
  ShardwiseAdvisor *advisor;
  GPtrArray *rows;           /* ShardwisePlaybookRow elements: the playbook's, then the user's */
  GPtrArray *groups;         /* AdwPreferencesGroup elements: the group of each row */
  guint n_playbook;          /* rows of the playbook */
  GCancellable *cancellable; /* of the running comparison */
  GtkSearchEntry *search;
  GtkDropDown *filter;
  GtkLabel *summary;
  GtkStack *stack;
  GtkBox *page;
  AdwPreferencesGroup *own;
  GMenu *menu;
};

G_DEFINE_FINAL_TYPE (ShardwisePlaybookView, shardwise_playbook_view, ADW_TYPE_BIN)

/* In the order of the drop-down. */
enum { FILTER_RELEVANT, FILTER_VIOLATED, FILTER_ALL };

/* ---- what is shown ---- */

static gboolean
is_shown (ShardwisePlaybookView *self, ShardwisePlaybookRow *row)
{
  const ShardwiseRuleState state = shardwise_playbook_row_get_state (row);
  const guint filter = gtk_drop_down_get_selected (self->filter);

  if (filter == FILTER_VIOLATED && state != SHARDWISE_RULE_VIOLATED)
    return FALSE;
  if (filter == FILTER_RELEVANT && state == SHARDWISE_RULE_NOT_RELEVANT)
    return FALSE;
  return shardwise_heuristic_matches (shardwise_playbook_row_get_rule (row),
                                      gtk_editable_get_text (GTK_EDITABLE (self->search)));
}

static void
filter_cb (ShardwisePlaybookView *self)
{
  gboolean any = FALSE;

  for (guint i = 0; i < self->rows->len; i++)
    gtk_widget_set_visible (self->groups->pdata[i], FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self->own), FALSE);
  for (guint i = 0; i < self->rows->len; i++)
    {
      const gboolean shown = is_shown (self, self->rows->pdata[i]);

      gtk_widget_set_visible (self->rows->pdata[i], shown);
      if (shown)
        gtk_widget_set_visible (self->groups->pdata[i], TRUE);
      any |= shown;
    }
  gtk_stack_set_visible_child_name (self->stack, any ? "rules" : "none");
}

static void
show_summary (ShardwisePlaybookView *self, const SwEstimate *estimate)
{
  guint n[SHARDWISE_N_RULE_STATES] = { 0 };
  g_autofree char *text = NULL, *explained = NULL;

  if (estimate == NULL)
    {
      gtk_label_set_label (self->summary, _ ("There is no strategy to check the rules against."));
      return;
    }
  for (guint i = 0; i < self->rows->len; i++)
    n[shardwise_playbook_row_get_state (self->rows->pdata[i])]++;
  text = g_strdup_printf (
      /* Translators: four numbers of rules */
      _ ("%u violated, %u satisfied, %u apply, %u not relevant."), n[SHARDWISE_RULE_VIOLATED],
      n[SHARDWISE_RULE_SATISFIED], n[SHARDWISE_RULE_APPLIES], n[SHARDWISE_RULE_NOT_RELEVANT]);
  explained = g_strjoin (
      " ",
      estimate->fits ? text
                     : _ ("No strategy fits. The rules are checked against the nearest one."),
      estimate->fits ? _ ("Rules of thumb are starting points; where the model disagrees, both "
                          "figures are shown.")
                     : text,
      NULL);
  gtk_label_set_label (self->summary, explained);
}

static void
made_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  GWeakRef *reference = data;
  g_autoptr (ShardwisePlaybookView) self = g_weak_ref_get (reference);
  g_autoptr (GPtrArray) findings = shardwise_rule_findings_make_finish (result, NULL);

  g_weak_ref_clear (reference);
  g_free (reference);
  if (findings == NULL || self == NULL)
    return; /* canceled: another one is running, or the view was closed */
  for (guint i = 0; i < MIN (findings->len, self->rows->len); i++)
    shardwise_playbook_row_set_finding (self->rows->pdata[i], findings->pdata[i]);
}

/* The states at once; the effect of following a rule when it is computed. Only while it is
 * visible. */
static void
update (ShardwisePlaybookView *self)
{
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;

  ShardwiseAdvice *advice = shardwise_advisor_get_advice (self->advisor);
  const SwEstimate *estimate = advice != NULL ? shardwise_advisor_get_selected (self->advisor)
                                              : NULL;
  const SwProblem *problem = advice != NULL ? shardwise_advice_get_problem (advice) : NULL;
  g_autoptr (GPtrArray) rules = g_ptr_array_new ();
  GWeakRef *reference;

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  for (guint i = 0; i < self->rows->len; i++)
    {
      const ShardwiseHeuristic *rule = shardwise_playbook_row_get_rule (self->rows->pdata[i]);
      g_autoptr (ShardwiseRuleFinding) finding = shardwise_rule_finding_new (rule, problem,
                                                                             estimate);

      shardwise_playbook_row_set_finding (self->rows->pdata[i], finding);
      g_ptr_array_add (rules, (gpointer) rule);
    }
  show_summary (self, estimate);
  filter_cb (self);
  if (estimate == NULL)
    return;
  self->cancellable = g_cancellable_new ();
  reference = g_new0 (GWeakRef, 1); /* the comparison does not keep the view */
  g_weak_ref_init (reference, self);
  shardwise_rule_findings_make_async (rules, advice, estimate, self->cancellable, made_cb,
                                      reference);
}

/* ---- the user's own ---- */

static void
edit (ShardwisePlaybookView *self, const ShardwiseHeuristic *rule)
{
  GtkWidget *editor = shardwise_note_editor_new (self->notes, rule);

  shardwise_editor_present (SHARDWISE_EDITOR (editor),
                            GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))));
}

static void
edit_cb (ShardwisePlaybookRow *row, ShardwisePlaybookView *self)
{
  edit (self, shardwise_playbook_row_get_rule (row));
}

/* self (nullable): it was closed. */
static void
tell (ShardwisePlaybookView *self, const GError *error)
{
  shardwise_late_error_tell_on (shardwise_toast_overlay_of (self), "playbook.json", error);
}

static void
written_cb (GObject *notes, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwisePlaybookView) self = shardwise_weak_take (data);
  g_autoptr (GError) error = NULL;

  if (!shardwise_notes_finish (SHARDWISE_NOTES (notes), result, NULL, &error))
    tell (self, error);
}

static void
undo_cb (AdwToast *message, ShardwisePlaybookView *self)
{
  shardwise_notes_save_async (self->notes, g_object_get_data (G_OBJECT (message), "rule"),
                              written_cb, shardwise_weak_new (self));
}

static void notes_changed_cb (ShardwisePlaybookView *self);

/* A note that is being removed. */
typedef struct {
  GWeakRef *view;
  ShardwiseHeuristic *rule;
} Removal;

static void
removed_cb (GObject *notes, GAsyncResult *result, gpointer data)
{
  g_autofree Removal *removal = data;
  g_autoptr (ShardwisePlaybookView) self = shardwise_weak_take (removal->view);
  g_autoptr (ShardwiseHeuristic) rule = removal->rule;
  g_autoptr (GError) error = NULL;
  AdwToast *message;

  if (!shardwise_notes_finish (SHARDWISE_NOTES (notes), result, NULL, &error))
    {
      tell (self, error);
      if (self != NULL)
        notes_changed_cb (self); /* its row can be used again */
      return;
    }
  if (shardwise_toast_overlay_of (self) == NULL)
    return;
  message = shardwise_toast_show (shardwise_toast_overlay_of (self), _ ("Note deleted"));
  adw_toast_set_button_label (message, _ ("_Undo"));
  g_object_set_data_full (G_OBJECT (message), "rule", g_steal_pointer (&rule),
                          (GDestroyNotify) shardwise_heuristic_free);
  g_signal_connect_object (message, "button-clicked", G_CALLBACK (undo_cb), self, 0);
}

/* Deleted without a question, but with Undo. */
static void
remove_cb (ShardwisePlaybookRow *row, ShardwisePlaybookView *self)
{
  const ShardwiseHeuristic *rule = shardwise_playbook_row_get_rule (row);
  Removal *removal = g_new (Removal, 1);

  *removal = (Removal){ shardwise_weak_new (self), shardwise_heuristic_copy (rule) };
  gtk_widget_set_sensitive (GTK_WIDGET (row), FALSE);
  shardwise_notes_remove_async (self->notes, rule->id, removed_cb, removal);
}

static void
add_row (ShardwisePlaybookView *self, const ShardwiseHeuristic *rule, AdwPreferencesGroup *group)
{
  GtkWidget *row = shardwise_playbook_row_new (rule, group == self->own);

  g_signal_connect_object (row, "edit", G_CALLBACK (edit_cb), self, 0);
  g_signal_connect_object (row, "remove", G_CALLBACK (remove_cb), self, 0);
  adw_preferences_group_add (group, row);
  g_ptr_array_add (self->rows, row);
  g_ptr_array_add (self->groups, group);
}

static void
notes_changed_cb (ShardwisePlaybookView *self)
{
  GPtrArray *rules = shardwise_notes_get_rules (self->notes);

  for (guint i = self->n_playbook; i < self->rows->len; i++)
    adw_preferences_group_remove (self->own, self->rows->pdata[i]);
  g_ptr_array_set_size (self->rows, (int) self->n_playbook);
  g_ptr_array_set_size (self->groups, (int) self->n_playbook);
  for (guint i = 0; i < rules->len; i++)
    add_row (self, rules->pdata[i], self->own);
  update (self);
}

static void
add_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  edit (SHARDWISE_PLAYBOOK_VIEW (widget), NULL);
}

static void
imported_cb (GObject *notes, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwisePlaybookView) self = shardwise_weak_take (data);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  guint n = 0;

  if (!shardwise_notes_finish (SHARDWISE_NOTES (notes), result, &n, &error))
    {
      tell (self, error);
      return;
    }
  if (shardwise_toast_overlay_of (self) == NULL)
    return;
  text = g_strdup_printf (
      /* Translators: a number of notes */
      ngettext ("%u note imported", "%u notes imported", n), n);
  shardwise_toast_show (shardwise_toast_overlay_of (self), text);
}

static void
import_file_cb (GFile *file, gpointer data)
{
  g_autoptr (ShardwisePlaybookView) self = data;

  if (file != NULL && self->notes != NULL)
    shardwise_notes_import_async (self->notes, file, imported_cb, shardwise_weak_new (self));
}

static void
export_file_cb (GFile *file, gpointer data)
{
  g_autoptr (ShardwisePlaybookView) self = data;

  if (file != NULL && self->notes != NULL)
    shardwise_notes_export_async (self->notes, file, written_cb, shardwise_weak_new (self));
}

static void
import_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  shardwise_compat_open_file (GTK_WINDOW (gtk_widget_get_root (widget)), _ ("Import Notes"),
                              import_file_cb, g_object_ref (widget));
}

static void
export_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  shardwise_compat_save_file (GTK_WINDOW (gtk_widget_get_root (widget)), _ ("Export Notes"), NULL,
                              "playbook.json", export_file_cb, g_object_ref (widget));
}

/* ---- object ---- */

static void
shardwise_playbook_view_dispose (GObject *object)
{
  ShardwisePlaybookView *self = SHARDWISE_PLAYBOOK_VIEW (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->rows, g_ptr_array_unref);
  g_clear_pointer (&self->groups, g_ptr_array_unref);
  if (self->menu != NULL)
    shardwise_menu_empty (self->menu);
  gtk_widget_dispose_template (GTK_WIDGET (self), SHARDWISE_TYPE_PLAYBOOK_VIEW);
  g_clear_object (&self->notes);
  g_clear_object (&self->advisor);
  G_OBJECT_CLASS (shardwise_playbook_view_parent_class)->dispose (object);
}

static void
shardwise_playbook_view_class_init (ShardwisePlaybookViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_playbook_view_dispose;
  g_type_ensure (SHARDWISE_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               APPLICATION_PATH "/ui/shardwise-playbook-view.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlaybookView, search);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlaybookView, filter);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlaybookView, summary);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlaybookView, stack);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlaybookView, page);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlaybookView, own);
  gtk_widget_class_bind_template_child (widget_class, ShardwisePlaybookView, menu);
  gtk_widget_class_bind_template_callback (widget_class, filter_cb);
  gtk_widget_class_install_action (widget_class, "playbook.add", NULL, add_cb);
  gtk_widget_class_install_action (widget_class, "playbook.import", NULL, import_cb);
  gtk_widget_class_install_action (widget_class, "playbook.export", NULL, export_cb);
}

static void
shardwise_playbook_view_init (ShardwisePlaybookView *self)
{
  self->rows = g_ptr_array_new ();
  self->groups = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_search_entry_set_key_capture_widget (self->search, GTK_WIDGET (self));
  g_signal_connect (self, "map", G_CALLBACK (update), NULL);
}

/**
 * shardwise_playbook_view_new:
 * @notes: (nullable): the user's own; %NULL if their file cannot be read
 * @advisor: the source of the selected strategy to compare with
 *
 * Returns: (transfer floating): the view
 */
GtkWidget *
shardwise_playbook_view_new (ShardwiseNotes *notes, ShardwiseAdvisor *advisor)
{
  ShardwisePlaybookView *self;

  g_return_val_if_fail (SHARDWISE_IS_ADVISOR (advisor), NULL);

  self = g_object_new (SHARDWISE_TYPE_PLAYBOOK_VIEW, NULL);
  self->advisor = g_object_ref (advisor);

  g_autoptr (GPtrArray) rules = shardwise_heuristics_load ();
  AdwPreferencesGroup *group = NULL;

  for (guint i = 0; i < rules->len; i++)
    {
      const ShardwiseHeuristic *rule = rules->pdata[i];

      if (group == NULL || !g_str_equal (adw_preferences_group_get_title (group), rule->topic))
        {
          group = ADW_PREFERENCES_GROUP (adw_preferences_group_new ());
          adw_preferences_group_set_title (group, rule->topic);
          gtk_box_append (self->page, GTK_WIDGET (group));
        }
      add_row (self, rule, group);
    }
  self->n_playbook = self->rows->len;
  g_signal_connect_object (advisor, "selected-changed", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "playbook.add", notes != NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "playbook.import", notes != NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "playbook.export", notes != NULL);
  if (notes == NULL)
    return GTK_WIDGET (self);
  self->notes = g_object_ref (notes);
  g_signal_connect_object (notes, "changed", G_CALLBACK (notes_changed_cb), self,
                           G_CONNECT_SWAPPED);
  notes_changed_cb (self);
  return GTK_WIDGET (self);
}
