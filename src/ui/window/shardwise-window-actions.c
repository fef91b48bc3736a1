/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-window-private.h"

#include <glib/gi18n.h>

#include "shardwise-changes-button.h"
#include "shardwise-compat.h"
#include "shardwise-diagnosis.h"
#include "shardwise-export.h"
#include "shardwise-new-scenario.h"

/* The actions are entries of the window's GActionMap, not class actions, because only those are
 * exported on the bus. */

static GSimpleAction *
find_action (ShardwiseWindow *self, const char *name)
{
  return G_SIMPLE_ACTION (g_action_map_lookup_action (G_ACTION_MAP (self), name));
}

static void
start_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;
  g_autoptr (ShardwiseScenario) scenario = shardwise_new_scenario (self->settings);

  shardwise_window_set_scenario (self, scenario, NULL);
  if (adw_flap_get_folded (self->flap)) /* there is nothing to read before something is stated */
    adw_flap_set_reveal_flap (self->flap, TRUE);
  if (adw_flap_get_reveal_flap (self->flap)) /* the button that had the focus is gone */
    gtk_widget_grab_focus (GTK_WIDGET (shardwise_inputs_find_row (self->inputs, "model.preset")));
}

static void
open_example_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_window_open_example (data, g_variant_get_string (parameter, NULL));
}

static void
paste_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_window_paste (data);
}

static void
save_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_inputs_flush (SHARDWISE_WINDOW (data)->inputs);
  shardwise_window_save (data);
}

static void
save_as_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_inputs_flush (SHARDWISE_WINDOW (data)->inputs);
  shardwise_window_save_as (data);
}

static void
revert_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_window_revert (data);
}

static void
print_report_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_inputs_flush (SHARDWISE_WINDOW (data)->inputs);
  shardwise_window_print_report (data);
}

static void
save_report_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_inputs_flush (SHARDWISE_WINDOW (data)->inputs);
  shardwise_window_save_report (data);
}

static void
undo_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_inputs_flush (SHARDWISE_WINDOW (data)->inputs);
  shardwise_scenario_undo (SHARDWISE_WINDOW (data)->scenario);
}

static void
redo_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_scenario_redo (SHARDWISE_WINDOW (data)->scenario);
}

static void
keep_cluster_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;

  shardwise_inputs_flush (self->inputs);
  shardwise_new_scenario_keep_cluster (self->scenario, self->settings);
}

/* Every input has its default again; the message takes that back. */
static void
reset_inputs_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;
  g_autofree char *text = NULL;
  AdwToast *toast;
  guint n;

  shardwise_inputs_flush (self->inputs);
  n = shardwise_input_changes_reset (self->scenario);
  if (n == 0)
    return;
  text = g_strdup_printf (ngettext ("%u input reset", "%u inputs reset", n), n);
  toast = shardwise_compat_toast (self->toasts, text);
  adw_toast_set_button_label (toast, _ ("_Undo"));
  adw_toast_set_action_name (toast, "win.undo");
}

static void
evaluate_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_inputs_flush (SHARDWISE_WINDOW (data)->inputs);
  shardwise_advisor_evaluate (SHARDWISE_WINDOW (data)->advisor);
}

static void
stop_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SHARDWISE_WINDOW (data)->copy_due = FALSE;
  shardwise_advisor_stop (SHARDWISE_WINDOW (data)->advisor);
}

static void
page_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;
  const char *name = g_variant_get_string (parameter, NULL);

  if (!shardwise_window_set_page (self, name))
    {
      /* Translators: %s is a word that a program sent */
      g_autofree char *text = g_strdup_printf (_ ("There is no page “%s”"), name);

      shardwise_window_toast (self, text);
    }
}

/* Sets several keys at once, all or nothing; on the start page it begins a new scenario with them.
 */
static void
apply_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;
  g_autoptr (ShardwiseScenario) scenario = self->scenario ? g_object_ref (self->scenario)
                                                          : shardwise_scenario_new ();
  g_autoptr (GError) error = NULL;

  if (!shardwise_scenario_apply (scenario, parameter, &error))
    {
      g_autofree char *text = shardwise_describe_error (shardwise_error_path (error),
                                                        error->message);

      shardwise_window_toast (self, text);
    }
  else if (self->scenario == NULL)
    shardwise_window_set_scenario (self, scenario, NULL);
}

/* Shows a scenario, given as the text of its file, beside the document that is open. */
static void
open_scenario_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseScenario) scenario =
      shardwise_scenario_from_json (g_variant_get_string (parameter, NULL), -1, &error);

  if (scenario != NULL)
    shardwise_window_show_beside (SHARDWISE_WINDOW (data), scenario);
  else
    shardwise_window_toast (SHARDWISE_WINDOW (data), error->message);
}

static ShardwiseStatus
get_status (ShardwiseWindow *self)
{
  return self->advisor != NULL ? shardwise_advisor_get_status (self->advisor)
                               : SHARDWISE_STATUS_EMPTY;
}

static ShardwiseExportPage *
export_page (ShardwiseWindow *self)
{
  return SHARDWISE_EXPORT_PAGE (shardwise_window_get_page (self, "export"));
}

static void
export_to_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;
  const char *format = g_variant_get_string (parameter, NULL);

  if (shardwise_format_find (format) == NULL)
    {
      /* Translators: %s is a word that a program sent */
      g_autofree char *text = g_strdup_printf (_ ("There is no export format “%s”"), format);

      shardwise_window_toast (self, text);
      return;
    }
  shardwise_export_page_select (export_page (self), format);
  shardwise_window_set_page (self, "export");
}

static void
copy_export (ShardwiseWindow *self)
{
  if (get_status (self) != SHARDWISE_STATUS_ERROR
      && shardwise_export_page_copy (export_page (self)))
    return;
  shardwise_window_set_page (self, "export"); /* which says why */
  shardwise_window_toast (self, _ ("There is no configuration to copy"));
}

/* Whether the files that are there are of other inputs, and those of these are on their way. */
static gboolean
awaits_files (ShardwiseWindow *self)
{
  shardwise_inputs_flush (self->inputs);
  return get_status (self) == SHARDWISE_STATUS_STALE && shardwise_advisor_get_live (self->advisor);
}

static void
copy_export_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;

  self->copy_due = awaits_files (self);
  if (!self->copy_due)
    copy_export (self);
}

static void
save_export_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;

  if (awaits_files (self))
    shardwise_window_toast (self, _ ("There is no file to save yet"));
  else
    shardwise_export_page_save (export_page (self));
}

static void
journal_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_window_show_journal (data);
}

static void
toggle_ask_cb (GSimpleAction *action, GVariant *state, gpointer data)
{
  shardwise_window_reveal (SHARDWISE_WINDOW (data)->ask_flap, g_variant_get_boolean (state));
}

static void
toggle_inputs_cb (GSimpleAction *action, GVariant *state, gpointer data)
{
  shardwise_window_reveal (SHARDWISE_WINDOW (data)->flap, g_variant_get_boolean (state));
}

static void
playbook_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_window_show_playbook (data);
}

static const GActionEntry entries[] = {
  { .name = "start", .activate = start_cb },
  { .name = "open-example", .activate = open_example_cb, .parameter_type = "s" },
  { .name = "paste", .activate = paste_cb },
  { .name = "save", .activate = save_cb },
  { .name = "save-as", .activate = save_as_cb },
  { .name = "revert", .activate = revert_cb },
  { .name = "print-report", .activate = print_report_cb },
  { .name = "save-report", .activate = save_report_cb },
  { .name = "undo", .activate = undo_cb },
  { .name = "redo", .activate = redo_cb },
  { .name = "keep-cluster", .activate = keep_cluster_cb },
  { .name = "reset-inputs", .activate = reset_inputs_cb },
  { .name = "evaluate", .activate = evaluate_cb },
  { .name = "stop", .activate = stop_cb },
  { .name = "page", .activate = page_cb, .parameter_type = "s", .state = "'advice'" },
  { .name = "toggle-ask", .state = "false", .change_state = toggle_ask_cb },
  { .name = "toggle-inputs", .state = "true", .change_state = toggle_inputs_cb },
  { .name = "export-to", .activate = export_to_cb, .parameter_type = "s" },
  { .name = "copy-export", .activate = copy_export_cb },
  { .name = "save-export", .activate = save_export_cb },
  { .name = "journal", .activate = journal_cb },
  { .name = "playbook", .activate = playbook_cb },
  { .name = "open-scenario", .activate = open_scenario_cb, .parameter_type = "s" },
  { .name = "apply", .activate = apply_cb, .parameter_type = "a{sv}" },
};

static void
page_changed_cb (ShardwiseWindow *self)
{
  const char *name = adw_view_stack_get_visible_child_name (self->view_stack);

  if (name != NULL)
    g_simple_action_set_state (find_action (self, "page"), g_variant_new_string (name));
}

/* The status is for reading only: a request to change it is dropped. */
static void
status_change_state_cb (GSimpleAction *action, GVariant *value, gpointer data)
{}

static void
add_status_action (ShardwiseWindow *self)
{
  g_autoptr (GSimpleAction) status = g_simple_action_new_stateful ("status", NULL,
                                                                   g_variant_new_string ("empty"));

  g_signal_connect (status, "change-state", G_CALLBACK (status_change_state_cb), NULL);
  g_action_map_add_action (G_ACTION_MAP (self), G_ACTION (status));
}

/* Adds every win.* action. */
void
shardwise_window_add_actions (ShardwiseWindow *self)
{
  g_assert (SHARDWISE_IS_WINDOW (self));

  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  add_status_action (self);
  g_signal_connect_object (self->view_stack, "notify::visible-child", G_CALLBACK (page_changed_cb),
                           self, G_CONNECT_SWAPPED);
  page_changed_cb (self);
}

static void
enable (ShardwiseWindow *self, const char *name, gboolean enabled)
{
  g_simple_action_set_enabled (find_action (self, name), enabled);
}

/* Follows the scenario and the advisor: what can be done now, and win.status. */
void
shardwise_window_update_actions (ShardwiseWindow *self)
{
  static const char *const words[] = { "empty", "stale", "ready", "error" };
  static const char *const need_scenario[] = { "save",         "save-as",     "evaluate",
                                               "page",         "export-to",   "copy-export",
                                               "save-export",  "journal",     "print-report",
                                               "save-report",  "toggle-ask",  "playbook",
                                               "reset-inputs", "keep-cluster" };
  ShardwiseStatus status = get_status (self);
  gboolean can_undo = FALSE, can_redo = FALSE, modified = FALSE;

  if (self->scenario != NULL)
    g_object_get (self->scenario, "can-undo", &can_undo, "can-redo", &can_redo, "modified",
                  &modified, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (need_scenario); i++)
    enable (self, need_scenario[i], self->scenario != NULL);
  enable (self, "start", self->scenario == NULL);
  enable (self, "undo", can_undo);
  enable (self, "redo", can_redo);
  enable (self, "revert", modified && self->file != NULL);
  enable (self, "stop", status == SHARDWISE_STATUS_STALE);
  g_simple_action_set_state (find_action (self, "status"), g_variant_new_string (words[status]));
  if (self->copy_due && status != SHARDWISE_STATUS_STALE)
    {
      self->copy_due = FALSE;
      if (status != SHARDWISE_STATUS_EMPTY)
        copy_export (self);
    }
}
