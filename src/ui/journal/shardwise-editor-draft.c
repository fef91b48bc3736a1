/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-editor-draft.h"

#include "shardwise-config.h"
#include "shardwise-draft.h"
#include "shardwise-editor-entries.h"

#define KEEPER "shardwise-editor-draft"
#define DELAY_MS 250 /* as for documents */

typedef struct {
  GtkWindow *editor;
  char *kind, *subject, *label;
  char **before;         /* what stood in the editor when it was opened */
  ShardwiseDraft *draft; /* (nullable): nothing was entered */
  guint keep_id;
} Keeper;

static char *
folder_of_editors (void)
{
  return g_build_filename (g_get_user_state_dir (), APPLICATION_ID, "editors", NULL);
}

/* The editor is closed: what stood there was saved or given up. */
static void
drop (Keeper *keeper)
{
  if (keeper->draft != NULL)
    shardwise_draft_remove (keeper->draft);
  g_clear_object (&keeper->draft);
}

static void
keeper_free (gpointer data)
{
  Keeper *keeper = data;

  g_clear_handle_id (&keeper->keep_id, g_source_remove);
  drop (keeper);
  g_free (keeper->kind);
  g_free (keeper->subject);
  g_free (keeper->label);
  g_strfreev (keeper->before);
  g_free (keeper);
}

static GVariant *
typed_of (const char *const *texts)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{ss}"));
  for (guint i = 0; texts[i] != NULL; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);

      g_variant_builder_add (&builder, "{ss}", number, texts[i]);
    }
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

static char **
texts_of (GVariant *typed)
{
  gsize n = g_variant_n_children (typed);
  GStrvBuilder *builder = g_strv_builder_new ();
  char **texts;

  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *number = g_strdup_printf ("%" G_GSIZE_FORMAT, i);
      const char *text = NULL;

      if (!g_variant_lookup (typed, number, "&s", &text))
        break;
      g_strv_builder_add (builder, text);
    }
  texts = g_strv_builder_end (builder);
  g_strv_builder_unref (builder);
  return texts;
}

static void
kept_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;

  if (!shardwise_draft_write_finish (SHARDWISE_DRAFT (source), result, &error))
    g_message ("What is being entered is not kept: %s", error->message);
}

static gboolean
keep_cb (gpointer data)
{
  Keeper *keeper = data;
  g_auto (GStrv) texts = shardwise_editor_entries_get (GTK_WIDGET (keeper->editor));
  ShardwiseDraftContent *content;

  keeper->keep_id = 0;
  if (g_strv_equal ((const char *const *) texts, (const char *const *) keeper->before))
    {
      drop (keeper);
      return G_SOURCE_REMOVE;
    }
  if (keeper->draft == NULL)
    {
      g_autofree char *folder = folder_of_editors ();

      keeper->draft = shardwise_draft_new (folder);
    }
  content = shardwise_draft_content_new ();
  content->uri = g_strdup (keeper->kind);
  content->saved = g_strdup (keeper->subject);
  content->said = g_strdup (keeper->label);
  content->edited = g_strdup ("");
  content->typed = typed_of ((const char *const *) texts);
  shardwise_draft_write_async (keeper->draft, content, kept_cb, NULL);
  return G_SOURCE_REMOVE;
}

static void
changed_cb (GtkWindow *editor)
{
  Keeper *keeper = g_object_get_data (G_OBJECT (editor), KEEPER);

  if (keeper != NULL && keeper->keep_id == 0)
    keeper->keep_id = g_timeout_add (DELAY_MS, keep_cb, keeper);
}

static void
destroy_cb (GtkWindow *editor)
{
  g_object_set_data (G_OBJECT (editor), KEEPER, NULL);
}

/**
 * shardwise_editor_draft_begin:
 * @editor: with entries, as they are when nothing was entered yet
 * @kind: of editor
 * @subject: what it edits; with @kind all that is needed to open such an editor again
 * @label: what else it shows; "" for nothing
 *
 * From now on what is entered is kept in the state directory within a quarter of a second, until
 * @editor is destroyed.
 */
void
shardwise_editor_draft_begin (GtkWindow *editor, const char *kind, const char *subject,
                              const char *label)
{
  Keeper *keeper;

  g_return_if_fail (GTK_IS_WINDOW (editor));
  g_return_if_fail (kind != NULL && subject != NULL && label != NULL);

  keeper = g_new0 (Keeper, 1);
  keeper->editor = editor;
  keeper->kind = g_strdup (kind);
  keeper->subject = g_strdup (subject);
  keeper->label = g_strdup (label);
  keeper->before = shardwise_editor_entries_get (GTK_WIDGET (editor));
  g_object_set_data_full (G_OBJECT (editor), KEEPER, keeper, keeper_free);
  shardwise_editor_entries_watch (GTK_WIDGET (editor), G_CALLBACK (changed_cb), editor);
  g_signal_connect (editor, "destroy", G_CALLBACK (destroy_cb), NULL);
}

/* Whether there may be something to restore. */
gboolean
shardwise_editor_drafts_exist (void)
{
  g_autofree char *folder = folder_of_editors ();
  g_autoptr (GDir) directory = g_dir_open (folder, 0, NULL);

  return directory != NULL && g_dir_read_name (directory) != NULL;
}

/**
 * shardwise_editor_drafts_restore:
 * @func: opens an editor
 * @data: for @func
 *
 * Opens the editors that a crash closed, with what was entered there. One that cannot be opened now
 * is kept for the next time.
 */
void
shardwise_editor_drafts_restore (ShardwiseEditorFunc func, gpointer data)
{
  g_autofree char *folder = folder_of_editors ();
  g_autoptr (GPtrArray) drafts = shardwise_drafts_claim (folder);

  g_return_if_fail (func != NULL);

  for (guint i = 0; i < drafts->len; i++)
    {
      ShardwiseDraft *draft = drafts->pdata[i];
      g_autoptr (ShardwiseDraftContent) content = shardwise_draft_read (draft, NULL);
      GtkWindow *editor = content != NULL && content->typed != NULL
                              ? func (content->uri, content->saved, content->said, data)
                              : NULL;
      Keeper *keeper = editor != NULL ? g_object_get_data (G_OBJECT (editor), KEEPER) : NULL;
      g_auto (GStrv) texts = keeper != NULL ? texts_of (content->typed) : NULL;

      if (content == NULL)
        g_free (shardwise_draft_set_aside (draft));
      if (keeper == NULL)
        continue;
      g_set_object (&keeper->draft, draft);
      shardwise_editor_entries_set (GTK_WIDGET (editor), (const char *const *) texts);
    }
}
