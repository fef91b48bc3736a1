/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-window-private.h"

#include <glib/gi18n.h>

#include "shardwise-compat.h"
#include "shardwise-config.h"
#include "shardwise-editor.h"

/* The document outlives the program: what is on the screen is kept in the state directory, one
 * draft for each window, from a quarter of a second after a change on. */

#define SESSION_DELAY_MS 250
#define QUESTION "ask.question" /* among what was typed: no key of a scenario */

static char *
drafts_folder (void)
{
  return g_build_filename (g_get_user_state_dir (), APPLICATION_ID, "drafts", NULL);
}

/* Whether another window of the program has a document, too. */
static gboolean
is_beside_others (ShardwiseWindow *self)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (self));
  GList *windows = application != NULL ? gtk_application_get_windows (application) : NULL;

  for (GList *link = windows; link != NULL; link = link->next)
    if (SHARDWISE_IS_WINDOW (link->data) && link->data != self
        && SHARDWISE_WINDOW (link->data)->scenario != NULL)
      return TRUE;
  return FALSE;
}

/* A draft that was not closed with the program, or of work that no file has, is never dropped. */
static gboolean
is_finished (ShardwiseDraft *draft)
{
  g_autoptr (ShardwiseDraftContent) content = shardwise_draft_read (draft, NULL);

  return content != NULL && content->ended && !shardwise_draft_content_has_edits (content);
}

/* Another document is worked on: the last one, closed as it should be, does not come back. */
static void
drop_finished (const char *folder)
{
  g_autoptr (GPtrArray) drafts = shardwise_drafts_claim (folder);

  for (guint i = 0; i < drafts->len; i++)
    if (is_finished (drafts->pdata[i]))
      shardwise_draft_remove (drafts->pdata[i]);
}

static ShardwiseDraft *
get_draft (ShardwiseWindow *self)
{
  if (self->draft == NULL)
    {
      g_autofree char *folder = drafts_folder ();

      if (!self->keep && !is_beside_others (self)) /* those that quit with it stay */
        drop_finished (folder);
      self->draft = shardwise_draft_new (folder);
    }
  return self->draft;
}

/* What is being typed into the inputs and, while the window is open, as a question. (transfer full)
 * (nullable) */
static GVariant *
typed_of (ShardwiseWindow *self, gboolean ended)
{
  g_autoptr (GVariant) inputs = shardwise_inputs_get_typed (self->inputs);
  const char *question = ended ? "" : shardwise_ask_panel_get_typed (self->ask_panel);
  GVariantBuilder builder;
  gsize n = inputs != NULL ? g_variant_n_children (inputs) : 0;

  if (*question == '\0')
    return g_steal_pointer (&inputs);
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{ss}"));
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (inputs, i);

      g_variant_builder_add_value (&builder, entry);
    }
  g_variant_builder_add (&builder, "{ss}", QUESTION, question);
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

/* Types it again, too. */
static void
restore_question (ShardwiseWindow *self, GVariant *typed)
{
  const char *question;

  if (!g_variant_lookup (typed, QUESTION, "&s", &question))
    return;
  shardwise_ask_panel_set_typed (self->ask_panel, question);
  adw_flap_set_reveal_flap (self->ask_flap, TRUE);
}

/* A question is no edit of the scenario. */
static gboolean
has_edits_of_scenario (const ShardwiseDraftContent *content)
{
  const char *question;

  return shardwise_draft_content_has_edits (content)
         && (*content->edited != '\0' || g_variant_n_children (content->typed) > 1
             || !g_variant_lookup (content->typed, QUESTION, "&s", &question));
}

static ShardwiseDraftContent *
content_of (ShardwiseWindow *self, gboolean ended)
{
  ShardwiseDraftContent *content = shardwise_draft_content_new ();
  gboolean edited = !self->discard && shardwise_window_has_unsaved (self);

  content->uri = self->file != NULL ? g_file_get_uri (self->file) : g_strdup ("");
  content->saved = g_strdup (self->saved);
  content->edited = edited ? shardwise_scenario_to_json (self->scenario) : g_strdup ("");
  content->said = self->import != NULL && !self->discard ? shardwise_import_to_json (self->import)
                                                         : g_strdup ("");
  content->factors = shardwise_scenario_get_factors (self->scenario);
  content->typed = self->discard ? NULL : typed_of (self, ended);
  content->ended = ended;
  return content;
}

/* Said once: the work goes on, but the user must know that it is not kept. */
static void
tell_failure (ShardwiseWindow *self, const GError *error)
{
  g_message ("The session is not kept: %s", error->message);
  if (self->session_failed)
    return;
  self->session_failed = TRUE;
  if (!shardwise_window_is_closed (self))
    {
      /* Translators: %s is the reason */
      g_autofree char *text = g_strdup_printf (_ ("Edits are not kept until you save: %s"),
                                               error->message);

      shardwise_window_toast (self, text);
    }
}

static void
kept_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseWindow) self = data;
  g_autoptr (GError) error = NULL;

  if (shardwise_draft_write_finish (SHARDWISE_DRAFT (source), result, &error))
    self->session_failed = FALSE;
  else if (!g_cancellable_is_cancelled (self->cancellable))
    tell_failure (self, error);
}

static gboolean
session_cb (gpointer data)
{
  ShardwiseWindow *self = data;

  self->session_id = 0;
  shardwise_draft_write_async (get_draft (self), content_of (self, FALSE), kept_cb,
                               g_object_ref (self));
  return G_SOURCE_REMOVE;
}

/* Keeps the document soon: a burst of edits is written once, but no later than the delay after its
 * first, however long somebody types. */
void
shardwise_window_queue_session (ShardwiseWindow *self)
{
  if (self->session_id == 0 && self->scenario != NULL && !self->closed)
    self->session_id = g_timeout_add (SESSION_DELAY_MS, session_cb, self);
}

/**
 * shardwise_window_keep_session:
 *
 * Writes the document to the state directory now: as it was saved last and, unless its edits were
 * discarded, as it is, with what is being typed.
 */
void
shardwise_window_keep_session (ShardwiseWindow *self)
{
  g_autoptr (ShardwiseDraftContent) content = NULL;
  g_autoptr (GError) error = NULL;

  g_return_if_fail (SHARDWISE_IS_WINDOW (self));
  g_return_if_fail (self->scenario != NULL);

  g_clear_handle_id (&self->session_id, g_source_remove);
  content = content_of (self, self->closed);
  if (!shardwise_draft_write (get_draft (self), content, &error))
    tell_failure (self, error);
}

/* The window closes: the documents that are open when the program ends come back with it, others do
 * not. Nobody looks at a window that waits for a slow disk. */
void
shardwise_window_end_session (ShardwiseWindow *self)
{
  self->closed = TRUE;
  g_clear_handle_id (&self->session_id, g_source_remove);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
  gdk_display_flush (gtk_widget_get_display (GTK_WIDGET (self)));
  if (self->keep || !is_beside_others (self))
    shardwise_window_keep_session (self);
  else if (self->draft != NULL)
    shardwise_draft_remove (self->draft);
  g_clear_object (&self->draft); /* any program may take it over */
}

static ShardwiseScenario *
read_scenario (const char *text)
{
  return *text != '\0' ? shardwise_scenario_from_json (text, -1, NULL) : NULL;
}

static void
set_aside (ShardwiseWindow *self, ShardwiseDraft *draft)
{
  g_autofree char *path = shardwise_draft_set_aside (draft);
  g_autofree char *name = g_filename_display_name (path);
  /* Translators: %s is the path of a file */
  g_autofree char *text = g_strdup_printf (
      _ ("What was kept of it cannot be read. It is still there for whoever can: %s"), name);

  shardwise_window_appear (self);
  shardwise_compat_tell (GTK_WINDOW (self), _ ("A Scenario Cannot Be Restored"), text);
}

/* Shows a draft in a window without a document. Returns whether it can be read. */
static gboolean
restore (ShardwiseWindow *self, ShardwiseDraft *draft, const ShardwiseDraftContent *content)
{
  g_autoptr (ShardwiseScenario) saved = read_scenario (content->saved);
  g_autoptr (ShardwiseScenario) edited = read_scenario (content->edited);
  g_autoptr (GFile) file = *content->uri != '\0' ? g_file_new_for_uri (content->uri) : NULL;
  g_autoptr (ShardwiseImport) import = *content->said != '\0'
                                           ? shardwise_import_from_json (content->said)
                                           : NULL;
  ShardwiseScenario *shown;

  if (saved == NULL && edited == NULL)
    return FALSE;
  if (saved == NULL)
    saved = shardwise_scenario_new ();
  /* There is nothing to undo to before a job that was opened. */
  shown = import != NULL && file == NULL && edited != NULL ? edited : saved;
  g_set_object (&self->draft, draft);
  if (file == NULL) /* of one with a file the journal knows */
    shardwise_scenario_set_factors (shown, &content->factors);
  shardwise_window_set_scenario (self, shown, file);
  if (shown == edited)
    shardwise_window_set_saved (self, saved);
  else if (edited != NULL)
    shardwise_scenario_replace (saved, edited);
  if (content->typed != NULL)
    {
      shardwise_inputs_set_typed (self->inputs, content->typed);
      restore_question (self, content->typed);
    }
  if (import != NULL)
    shardwise_window_set_import (self, import);
  shardwise_window_set_restored (self, !content->ended && has_edits_of_scenario (content));
  return TRUE;
}

/**
 * shardwise_window_restore_session:
 * @edited_only: leaves out, and drops, documents without unsaved work
 *
 * Opens what was open when the program ended, however it ended, with its unsaved edits, which can
 * be undone: the document worked on last here, if there is none here yet, each other one in a
 * window of its own; then the editors in which something was being entered.
 *
 * Returns: whether there was a document
 */
gboolean
shardwise_window_restore_session (ShardwiseWindow *self, gboolean edited_only)
{
  g_autofree char *folder = NULL;
  g_autoptr (GPtrArray) drafts = NULL;
  gboolean any = FALSE;

  g_return_val_if_fail (SHARDWISE_IS_WINDOW (self), FALSE);

  folder = drafts_folder ();
  drafts = shardwise_drafts_claim (folder);
  for (guint i = drafts->len; i > 0; i--)
    {
      ShardwiseDraft *draft = drafts->pdata[i - 1];
      g_autoptr (ShardwiseDraftContent) content = shardwise_draft_read (draft, NULL);
      ShardwiseWindow *window = self;

      if (content != NULL && edited_only && !shardwise_draft_content_has_edits (content))
        {
          shardwise_draft_remove (draft);
          continue;
        }
      if (content != NULL && self->scenario != NULL)
        window = shardwise_window_new_beside (self);
      if (content != NULL && restore (window, draft, content))
        any = TRUE;
      else
        {
          set_aside (self, draft);
          if (window != self)
            gtk_window_destroy (GTK_WINDOW (window));
        }
    }
  if (any)
    shardwise_window_present_soon (self);
  shardwise_window_restore_editors (self);
  return any;
}

static gboolean
restore_cb (gpointer data)
{
  ShardwiseWindow *self = data;

  self->opening--;
  if (shardwise_window_is_closed (self))
    return G_SOURCE_REMOVE;
  if (self->scenario == NULL && !shardwise_window_restore_session (self, FALSE))
    shardwise_window_show_start (self);
  shardwise_window_appear_if_ready (self);
  return G_SOURCE_REMOVE;
}

/**
 * shardwise_window_restore_session_soon:
 *
 * Opens what was open when the program ended, from the main loop. Without a session the start page
 * stays.
 */
void
shardwise_window_restore_session_soon (ShardwiseWindow *self)
{
  g_autofree char *folder = drafts_folder ();
  g_autoptr (GDir) directory = g_dir_open (folder, 0, NULL);

  g_return_if_fail (SHARDWISE_IS_WINDOW (self));

  if ((directory == NULL || g_dir_read_name (directory) == NULL)
      && !shardwise_editor_drafts_exist ())
    return;
  self->opening++;
  gtk_stack_set_visible_child_full (self->main_stack, "blank", GTK_STACK_TRANSITION_TYPE_NONE);
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, restore_cb, g_object_ref (self), g_object_unref);
}
