/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-shortcuts-window.h"

#include <glib/gi18n.h>

/* GtkShortcutsWindow is wider than a narrow screen: its columns do not shrink, and it goes. */
struct _ShardwiseShortcutsWindow {
  AdwWindow parent_instance;
};

G_DEFINE_FINAL_TYPE (ShardwiseShortcutsWindow, shardwise_shortcuts_window, ADW_TYPE_WINDOW)

/* What a key does, and an action that has it, or the key itself where none does. A title without
 * either begins a group. */
static const struct {
  const char *title, *action, *accelerator;
} entries[] = {
  { NC_ ("shortcuts", "General"), NULL, NULL },
  { NC_ ("shortcuts", "New window"), "app.new", NULL },
  { NC_ ("shortcuts", "Open"), "app.open", NULL },
  { NC_ ("shortcuts", "Preferences"), "app.preferences", NULL },
  { NC_ ("shortcuts", "Keyboard shortcuts"), "app.shortcuts", NULL },
  { NC_ ("shortcuts", "Help"), "app.help", NULL },
  { NC_ ("shortcuts", "Close the window"), "window.close", NULL },
  { NC_ ("shortcuts", "Quit"), "app.quit", NULL },
  { NC_ ("shortcuts", "Scenario"), NULL, NULL },
  { NC_ ("shortcuts", "Save"), "win.save", NULL },
  { NC_ ("shortcuts", "Save as"), "win.save-as", NULL },
  { NC_ ("shortcuts", "Print the report"), "win.print-report", NULL },
  { NC_ ("shortcuts", "Undo"), "win.undo", NULL },
  { NC_ ("shortcuts", "Redo"), "win.redo", NULL },
  { NC_ ("shortcuts", "Open what is on the clipboard"), NULL, "<Control>v" },
  { NC_ ("shortcuts", "Evaluate"), "win.evaluate", NULL },
  { NC_ ("shortcuts", "Stop evaluating"), "win.stop", NULL },
  { NC_ ("shortcuts", "View"), NULL, NULL },
  { NC_ ("shortcuts", "Main menu"), NULL, "F10" },
  { NC_ ("shortcuts", "Show or hide the inputs"), "win.toggle-inputs", NULL },
  { NC_ ("shortcuts", "Ask a question"), "win.ask", NULL },
  { NC_ ("shortcuts", "What can I train?"), "win.plan", NULL },
  { NC_ ("shortcuts", "Answer"), "win.page('advice')", NULL },
  { NC_ ("shortcuts", "Why"), "win.page('analysis')", NULL },
  { NC_ ("shortcuts", "Compare"), "win.page('alternatives')", NULL },
  { NC_ ("shortcuts", "Plan"), "win.page('scale')", NULL },
  { NC_ ("shortcuts", "Compare"), NULL, NULL },
  { NC_ ("shortcuts", "Pin or unpin a strategy to compare"), NULL, "<Control>d" },
  { NC_ ("shortcuts", "Export"), NULL, NULL },
  { NC_ ("shortcuts", "Copy the configuration"), "win.copy-export", NULL },
  { NC_ ("shortcuts", "Save the configuration"), "win.save-export", NULL },
};

static void
shardwise_shortcuts_window_class_init (ShardwiseShortcutsWindowClass *klass)
{
  gtk_widget_class_add_binding_action (GTK_WIDGET_CLASS (klass), GDK_KEY_Escape, 0, "window.close",
                                       NULL);
}

static void
shardwise_shortcuts_window_init (ShardwiseShortcutsWindow *self)
{
  gtk_window_set_title (GTK_WINDOW (self), C_ ("shortcuts", "Keyboard Shortcuts"));
  gtk_window_set_modal (GTK_WINDOW (self), TRUE);
  gtk_window_set_default_size (GTK_WINDOW (self), 480, 640);
}

/**
 * shardwise_shortcuts_window_new:
 * @application: whose keys these are
 *
 * Returns: (transfer none): a modal window, not yet shown
 */
GtkWidget *
shardwise_shortcuts_window_new (GtkApplication *application)
{
  GtkWidget *self, *box, *page;
  AdwPreferencesGroup *group = NULL;

  g_return_val_if_fail (GTK_IS_APPLICATION (application), NULL);

  self = g_object_new (SHARDWISE_TYPE_SHORTCUTS_WINDOW, NULL);
  box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  page = adw_preferences_page_new ();
  for (guint i = 0; i < G_N_ELEMENTS (entries); i++)
    {
      const char *title = g_dpgettext2 (NULL, "shortcuts", entries[i].title);
      g_auto (GStrv) accels = entries[i].action != NULL ? gtk_application_get_accels_for_action (
                                  application, entries[i].action)
                                                        : NULL;
      const char *key = accels != NULL ? accels[0] : entries[i].accelerator;

      if (entries[i].action == NULL && entries[i].accelerator == NULL)
        {
          group = ADW_PREFERENCES_GROUP (adw_preferences_group_new ());
          adw_preferences_group_set_title (group, title);
          adw_preferences_page_add (ADW_PREFERENCES_PAGE (page), group);
        }
      else if (key != NULL)
        {
          GtkWidget *row = adw_action_row_new (), *keys = gtk_shortcut_label_new (key);
          GdkModifierType modifiers = 0;
          g_autofree char *name = NULL;
          guint keyval = 0;

          /* The keys are pictures to a screen reader: it is told their names. */
          gtk_accelerator_parse (key, &keyval, &modifiers);
          name = gtk_accelerator_get_label (keyval, modifiers);
          gtk_widget_set_valign (keys, GTK_ALIGN_CENTER);
          adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
          adw_action_row_add_suffix (ADW_ACTION_ROW (row), keys);
          gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                          title, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, name, -1);
          adw_preferences_group_add (group, row);
        }
    }
  gtk_widget_set_vexpand (page, TRUE);
  gtk_box_append (GTK_BOX (box), adw_header_bar_new ());
  gtk_box_append (GTK_BOX (box), page);
  adw_window_set_content (ADW_WINDOW (self), box);
  return self;
}
