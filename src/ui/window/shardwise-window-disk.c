/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-window-private.h"

#include <glib/gi18n.h>

/* The file of the document in the hands of others, and the banner that says what became of it. */

static void
say_changed (ShardwiseWindow *self, const char *name)
{
  const ShardwiseBannerButton buttons[] = {
    { _ ("_Reload"), "win.reload" },
    { _ ("_Keep Mine"), "win.keep-mine" },
  };
  /* Translators: %s is the name of a file */
  g_autofree char *text = g_strdup_printf (
      _ ("Another program changed “%s”. Reload shows what it holds now; Undo takes that back."),
      name);

  shardwise_banner_say (self->banner, text, buttons, G_N_ELEMENTS (buttons));
}

static void
say_gone (ShardwiseWindow *self, const char *name)
{
  const ShardwiseBannerButton buttons[] = {
    { _ ("_Save"), "win.save" },
    { _ ("_Ignore"), "win.keep-mine" },
  };
  /* Translators: %s is the name of a file */
  g_autofree char *text = g_strdup_printf (
      _ ("“%s” was deleted or moved. The scenario is still here; Save writes it again."), name);

  shardwise_banner_say (self->banner, text, buttons, G_N_ELEMENTS (buttons));
}

/* A name that another window has meanwhile is not offered. */
static void
say_moved (ShardwiseWindow *self, const char *name)
{
  const ShardwiseBannerButton buttons[] = {
    { _ ("_Use the New Name"), "win.follow-file" },
    { _ ("_Ignore"), "win.keep-mine" },
  };
  GFile *target = shardwise_file_watch_get_target (self->watch);
  g_autofree char *target_name = shardwise_file_name (target);
  /* Translators: the old and the new name of a file */
  g_autofree char *text = g_strdup_printf (_ ("“%s” was renamed to “%s”."), name, target_name);

  if (shardwise_window_is_elsewhere (self, target))
    say_gone (self, name);
  else
    shardwise_banner_say (self->banner, text, buttons, G_N_ELEMENTS (buttons));
}

static void
say_restored (ShardwiseWindow *self)
{
  const ShardwiseBannerButton buttons[] = {
    { _ ("_Keep"), "win.keep-restored" },
    { _ ("_Discard Edits"), "win.discard-restored" },
  };

  shardwise_banner_say (
      self->banner,
      _ ("Shardwise ended unexpectedly. The edits of this scenario that were not saved are back."),
      buttons, G_N_ELEMENTS (buttons));
}

/* Says what is to be said of the file. What others did to it weighs more than what the program
 * brought back. */
void
shardwise_window_update_banner (ShardwiseWindow *self)
{
  g_autofree char *name = self->file != NULL ? shardwise_file_name (self->file) : NULL;

  if (shardwise_window_say_saving (self))
    return;
  switch (self->watch != NULL ? shardwise_file_watch_get_state (self->watch) : SHARDWISE_FILE_SAME)
    {
    case SHARDWISE_FILE_CHANGED: say_changed (self, name); break;
    case SHARDWISE_FILE_GONE: say_gone (self, name); break;
    case SHARDWISE_FILE_MOVED: say_moved (self, name); break;
    case SHARDWISE_FILE_SAME:
    default:
      if (self->restored)
        say_restored (self);
      else
        shardwise_banner_hide (self->banner);
    }
}

/* Takes `file` (nullable) as that of the document and looks after it; the document as it was saved
 * last is what it is known to hold. */
void
shardwise_window_set_file (ShardwiseWindow *self, GFile *file)
{
  g_set_object (&self->file, file);
  if (self->watch != NULL)
    g_signal_handlers_disconnect_by_data (self->watch, self);
  g_clear_object (&self->watch);
  self->detached = FALSE;
  if (file != NULL)
    {
      self->watch = shardwise_file_watch_new (file, self->saved);
      g_signal_connect_swapped (self->watch, "changed", G_CALLBACK (shardwise_window_update_banner),
                                self);
    }
  shardwise_window_update_banner (self);
}

/* The file holds the document as it is now. */
void
shardwise_window_file_is_known (ShardwiseWindow *self)
{
  self->detached = FALSE;
  if (self->watch != NULL)
    shardwise_file_watch_set_known (self->watch, self->saved);
  shardwise_window_update_banner (self);
}

/* Whether there is work that no file has: edits, be they on their way to a file, or a document
 * whose file others took away. */
gboolean
shardwise_window_has_unsaved (ShardwiseWindow *self)
{
  if (self->scenario == NULL)
    return FALSE;
  return shardwise_scenario_get_modified (self->scenario) || self->detached || self->saving != NULL
         || (self->watch != NULL
             && shardwise_file_watch_get_state (self->watch) != SHARDWISE_FILE_SAME);
}

/* The edits that came back after a crash are marked as such until the user answers or saves. */
void
shardwise_window_set_restored (ShardwiseWindow *self, gboolean restored)
{
  self->restored = restored;
  shardwise_window_update_banner (self);
}

static void
reload_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;

  if (self->file != NULL)
    shardwise_window_revert (self);
}

static void
keep_mine_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;

  if (self->watch == NULL || shardwise_file_watch_get_state (self->watch) == SHARDWISE_FILE_SAME)
    return;
  self->detached = TRUE;
  shardwise_file_watch_let_be (self->watch);
  shardwise_window_queue_session (self);
}

static void
follow_file_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;
  GFile *target = self->watch != NULL ? shardwise_file_watch_get_target (self->watch) : NULL;
  g_autoptr (GFile) held = target != NULL ? g_object_ref (target) : NULL;

  if (held == NULL)
    return;
  if (shardwise_window_is_elsewhere (self, held)) /* it was opened since */
    {
      shardwise_window_update_banner (self);
      return;
    }
  shardwise_window_set_file (self, held);
  shardwise_window_queue_session (self);
}

static void
keep_restored_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_window_set_restored (data, FALSE);
}

/* Undo brings them back once more. */
static void
discard_restored_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;
  g_autoptr (ShardwiseScenario) saved = self->saved != NULL
                                            ? shardwise_scenario_from_json (self->saved, -1, NULL)
                                            : NULL;

  if (!self->restored || saved == NULL)
    return;
  shardwise_inputs_flush (self->inputs);
  shardwise_scenario_replace (self->scenario, saved);
  shardwise_window_set_restored (self, FALSE);
}

static void
stay_open_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  shardwise_window_stay_open (data);
}

static const GActionEntry entries[] = {
  { .name = "reload", .activate = reload_cb },
  { .name = "keep-mine", .activate = keep_mine_cb },
  { .name = "follow-file", .activate = follow_file_cb },
  { .name = "keep-restored", .activate = keep_restored_cb },
  { .name = "discard-restored", .activate = discard_restored_cb },
  { .name = "stay-open", .activate = stay_open_cb },
};

/* Not every disk can be watched: whoever comes back to the window may have changed the file. */
static void
active_cb (ShardwiseWindow *self)
{
  if (self->watch != NULL && gtk_window_is_active (GTK_WINDOW (self)))
    shardwise_file_watch_look (self->watch);
}

/* Adds what the buttons of the banner do. */
void
shardwise_window_set_up_disk (ShardwiseWindow *self)
{
  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  g_signal_connect (self, "notify::is-active", G_CALLBACK (active_cb), NULL);
}
