/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window and assistants. A proposal over D-Bus (see src/mcp) is shown with the values before
 * and after; only the user applies it. */
#include "shardwise-window-assistant.h"

#include <glib/gi18n.h>

#include "shardwise-advisor.h"
#include "shardwise-compat.h"
#include "shardwise-config.h"
#include "shardwise-diagnosis.h"
#include "shardwise-input-control.h"
#include "shardwise-text-sums.h"
#include "shardwise-window-private.h"

#define MOST_SHOWN 12 /* changes that a dialog lists */

static void
set_state (ShardwiseWindow *self, const char *action, const char *state)
{
  g_simple_action_set_state (
      G_SIMPLE_ACTION (g_action_map_lookup_action (G_ACTION_MAP (self), action)),
      g_variant_new_string (state));
}

/* ---- proposals ---- */

/* A proposal that waits for the user. */
typedef struct {
  ShardwiseWindow *window; /* the dialog closes with it */
  GVariant *changes;
} Proposal;

static void
proposal_free (gpointer data)
{
  Proposal *self = data;

  g_variant_unref (self->changes);
  g_free (self);
}

static void
proposal_answer_cb (const char *response, gpointer data)
{
  Proposal *self = data;
  const gboolean accepted = g_str_equal (response, "apply");

  if (accepted)
    g_action_group_activate_action (G_ACTION_GROUP (self->window), "apply", self->changes);
  set_state (self->window, "proposal", accepted ? "accepted" : "dismissed");
  proposal_free (self);
}

/* "Tensor parallel: 8 → 4", a line for each change. */
static char *
changes_text (ShardwiseScenario *before, ShardwiseScenario *after, GVariant *changes)
{
  GString *text = g_string_new (NULL);
  GVariantIter iter;
  const char *path;
  guint n = 0;

  g_variant_iter_init (&iter, changes);
  while (g_variant_iter_loop (&iter, "{&sv}", &path, NULL))
    {
      const ShardwiseKey *key = shardwise_key_find (path);
      g_autofree char *from = NULL, *to = NULL;

      if (key == NULL || n++ >= MOST_SHOWN)
        continue;
      from = shardwise_control_describe (key, before);
      to = shardwise_control_describe (key, after);
      /* Translators: an input, its value before and after */
      g_string_append_printf (text, _ ("%s: %s → %s"), _ (key->title), *from != '\0' ? from : "–",
                              *to != '\0' ? to : "–");
      g_string_append_c (text, '\n');
    }
  if (n > MOST_SHOWN)
    g_string_append_printf (text,
                            ngettext ("and %u more change", "and %u more changes", n - MOST_SHOWN),
                            n - MOST_SHOWN);
  return g_string_free (text, FALSE);
}

/* Shows changes that a program proposes, with its reason. */
static void
propose_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  const ShardwiseResponse responses[] = {
    { "cancel", _ ("_Dismiss"), ADW_RESPONSE_DEFAULT },
    { "apply", _ ("_Apply"), ADW_RESPONSE_SUGGESTED },
  };
  ShardwiseWindow *self = data;
  ShardwiseScenario *open = shardwise_document_get_scenario (self->document);
  g_autoptr (ShardwiseScenario) before = open != NULL ? g_object_ref (open)
                                                      : shardwise_scenario_new (),
                                after = shardwise_scenario_copy (before);
  g_autoptr (GVariant) changes = NULL;
  g_autoptr (GVariant) state = g_action_group_get_action_state (G_ACTION_GROUP (self), "proposal");
  g_autoptr (GError) error = NULL;
  g_autofree char *list = NULL, *body = NULL;
  const char *reason;
  Proposal *proposal;

  if (g_str_equal (g_variant_get_string (state, NULL), "waiting"))
    return;
  g_variant_get (parameter, "(@a{sv}&s)", &changes, &reason);
  if (!shardwise_scenario_apply (after, changes, &error))
    {
      g_autofree char *text = shardwise_describe_error (shardwise_error_path (error),
                                                        error->message);

      shardwise_window_toast (self, text);
      set_state (self, "proposal", "dismissed");
      return;
    }
  list = changes_text (before, after, changes);
  body = g_strdup_printf ("%s\n\n%s", reason, list);
  proposal = g_new0 (Proposal, 1);
  proposal->window = self;
  proposal->changes = g_variant_ref (changes);
  set_state (self, "proposal", "waiting");
  shardwise_compat_ask (GTK_WINDOW (self), _ ("An Assistant Proposes Changes"), body, responses,
                        G_N_ELEMENTS (responses), proposal_answer_cb, proposal, proposal_free);
}

/* ---- how to add the tools ---- */

/* The assistants and how each one adds a server; %s: the command in its syntax. */
static const struct {
  const char *title, *before, *after;
  gboolean is_json; /* the command as members of an object */
} assistants[] = {
  { "Claude Code", "claude mcp add shardwise -- ", "", FALSE },
  { "Codex", "codex mcp add shardwise -- ", "", FALSE },
  { "Gemini CLI", "gemini mcp add shardwise ", "", FALSE },
  { "VS Code", "code --add-mcp '{\"name\": \"shardwise\", ", "}'", TRUE },
  { N_ ("Claude Desktop, Cursor and others"), "{\"mcpServers\": {\"shardwise\": {", "}}}", TRUE },
};

static char *
assistant_line (guint i)
{
  const gboolean in_flatpak = g_file_test ("/.flatpak-info", G_FILE_TEST_EXISTS);

  if (assistants[i].is_json)
    return g_strconcat (assistants[i].before,
                        in_flatpak ? "\"command\": \"flatpak\", \"args\": [\"run\", "
                                     "\"--command=shardwise-cli\", \"" APPLICATION_ID "\", \"mcp\"]"
                                   : "\"command\": \"shardwise-cli\", \"args\": [\"mcp\"]",
                        assistants[i].after, NULL);
  return g_strconcat (assistants[i].before,
                      in_flatpak ? "flatpak run --command=shardwise-cli " APPLICATION_ID " mcp"
                                 : "shardwise-cli mcp",
                      assistants[i].after, NULL);
}

static void
copy_line_cb (GtkButton *button, gpointer data)
{
  ShardwiseWindow *self = SHARDWISE_WINDOW (
      gtk_window_get_transient_for (GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (button)))));

  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (button)), data);
  gtk_window_destroy (GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (button))));
  shardwise_window_toast (self, _ ("The line was copied to the clipboard"));
}

static void
use_assistant_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GtkWidget *window = g_object_new (ADW_TYPE_WINDOW, "title", _ ("Use with an Assistant"), "modal",
                                    TRUE, "transient-for", data, "default-width", 480,
                                    "default-height", 460, "destroy-with-parent", TRUE, NULL),
            *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0),
            *page = g_object_new (ADW_TYPE_PREFERENCES_PAGE, "vexpand", TRUE, NULL),
            *group = adw_preferences_group_new ();
  GtkEventController *keys = gtk_shortcut_controller_new ();

  gtk_box_append (GTK_BOX (box), adw_header_bar_new ());
  gtk_box_append (GTK_BOX (box), page);
  adw_preferences_group_set_description (
      ADW_PREFERENCES_GROUP (group),
      _ ("An assistant that supports the Model Context Protocol computes with Shardwise instead of "
         "guessing. Add this line to the assistant once. It then starts Shardwise by itself and "
         "needs no network."));
  adw_preferences_page_add (ADW_PREFERENCES_PAGE (page), ADW_PREFERENCES_GROUP (group));
  for (guint i = 0; i < G_N_ELEMENTS (assistants); i++)
    {
      g_autofree char *line = assistant_line (i), *escaped = g_markup_escape_text (line, -1);
      const char *title = _ (assistants[i].title);
      /* Translators: the name of a program */
      g_autofree char *name = g_strdup_printf (_ ("Copy the line for %s"), title);
      GtkWidget *row = adw_action_row_new (),
                *button = gtk_button_new_from_icon_name ("edit-copy-symbolic");

      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
      adw_action_row_set_subtitle (ADW_ACTION_ROW (row), escaped);
      gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
      gtk_widget_add_css_class (button, "flat");
      gtk_widget_set_tooltip_text (button, name);
      gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                      -1);
      g_signal_connect_data (button, "clicked", G_CALLBACK (copy_line_cb), g_steal_pointer (&line),
                             (GClosureNotify) (void (*) (void)) g_free, 0);
      adw_action_row_add_suffix (ADW_ACTION_ROW (row), button);
      adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), button);
      adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), row);
    }
  gtk_shortcut_controller_add_shortcut (
      GTK_SHORTCUT_CONTROLLER (keys), gtk_shortcut_new (gtk_keyval_trigger_new (GDK_KEY_Escape, 0),
                                                        gtk_named_action_new ("window.close")));
  gtk_widget_add_controller (window, keys);
  adw_window_set_content (ADW_WINDOW (window), box);
  gtk_window_present (GTK_WINDOW (window));
}

/* ---- the job as a text ---- */

static void
copy_for_assistant_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;
  ShardwiseAdvice *advice = self->advisor != NULL ? shardwise_advisor_get_advice (self->advisor)
                                                  : NULL;
  g_autofree char *text = NULL;

  if (advice == NULL)
    {
      shardwise_window_toast (self, _ ("There is no advice to copy yet"));
      return;
    }
  text = shardwise_text_brief (shardwise_document_get_scenario (self->document), advice);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text);
  shardwise_window_toast (self, _ ("The job and the advice were copied to the clipboard"));
}

static const GActionEntry entries[] = {
  { .name = "use-assistant", .activate = use_assistant_cb },
  { .name = "copy-for-assistant", .activate = copy_for_assistant_cb },
  { .name = "propose", .activate = propose_cb, .parameter_type = "(a{sv}s)" },
};

/* They are read-only: a request to change one is dropped. */
static void
change_state_cb (GSimpleAction *action, GVariant *value, gpointer data)
{}

static void
add_state (ShardwiseWindow *self, const char *name)
{
  g_autoptr (GSimpleAction) action = g_simple_action_new_stateful (name, NULL,
                                                                   g_variant_new_string (""));

  g_signal_connect (action, "change-state", G_CALLBACK (change_state_cb), NULL);
  g_action_map_add_action (G_ACTION_MAP (self), G_ACTION (action));
}

/* Adds the actions; win.scenario is the text of the open scenario, win.proposal the state of the
 * last proposal: waiting, accepted or dismissed. */
void
shardwise_window_add_assistant_actions (ShardwiseWindow *self)
{
  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  add_state (self, "scenario");
  add_state (self, "proposal");
}

/* The scenario was changed or replaced. */
void
shardwise_window_update_assistant (ShardwiseWindow *self)
{
  ShardwiseScenario *scenario = shardwise_document_get_scenario (self->document);
  g_autofree char *text = scenario != NULL ? shardwise_scenario_to_json (scenario) : NULL;

  set_state (self, "scenario", text != NULL ? text : "");
  g_simple_action_set_enabled (
      G_SIMPLE_ACTION (g_action_map_lookup_action (G_ACTION_MAP (self), "copy-for-assistant")),
      scenario != NULL);
}
