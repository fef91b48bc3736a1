/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-editor.h"

#include <glib/gi18n.h>

#include "shardwise-compat.h"
#include "shardwise-config.h"
#include "shardwise-draft.h"
#include "shardwise-toast.h"

/**
 * shardwise_weak_new:
 * @object: a window that may go with its parent meanwhile, or the like: a reference would keep it,
 *   with a pointer to that parent
 *
 * Returns: (transfer full): for one shardwise_weak_take()
 */
GWeakRef *
shardwise_weak_new (gpointer object)
{
  GWeakRef *weak = g_new (GWeakRef, 1);

  g_weak_ref_init (weak, object);
  return weak;
}

/**
 * shardwise_weak_take:
 * @weak: (transfer full): of shardwise_weak_new()
 *
 * Returns: (transfer full) (nullable): the object, unless it is gone
 */
gpointer
shardwise_weak_take (GWeakRef *weak)
{
  gpointer object = g_weak_ref_get (weak);

  g_weak_ref_clear (weak);
  g_free (weak);
  return object;
}

#define KEEP_MS 250 /* as for documents */
#define SLOW_MS 600 /* then the user is told why the window is still there, as for documents */

typedef struct {
  GtkWidget *page, *save;
  char *kind, *subject, *label; /* kind: NULL if it is closed */
  char **before;                /* what stood in the editor when it was opened */
  ShardwiseDraft *draft;        /* (nullable): nothing was entered */
  guint keep_id;
  gboolean asking, saving;
  gboolean closing;    /* when it is saved */
  gboolean quitting;   /* goes on once the window is closed */
  guint slow_id;       /* shows that saving is not finished */
  GtkWindow *question; /* (nullable): about a window that is being saved */
} ShardwiseEditorPrivate;

G_DEFINE_TYPE_WITH_PRIVATE (ShardwiseEditor, shardwise_editor, ADW_TYPE_WINDOW)

static ShardwiseEditorPrivate *
get (ShardwiseEditor *self)
{
  return shardwise_editor_get_instance_private (self);
}

/* ---- content ---- */

static void
collect (GtkWidget *widget, GPtrArray *entries)
{
  if (GTK_IS_TEXT_VIEW (widget) || GTK_IS_EDITABLE (widget) || ADW_IS_COMBO_ROW (widget))
    {
      g_ptr_array_add (entries, widget);
      return;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    collect (child, entries);
}

static GPtrArray *
entries_of (ShardwiseEditor *self)
{
  GPtrArray *entries = g_ptr_array_new ();

  collect (GTK_WIDGET (self), entries);
  return entries;
}

/* (transfer full): the text of each entry, in order; for a list, the index of the selection. */
static char **
get_texts (ShardwiseEditor *self)
{
  g_autoptr (GPtrArray) entries = entries_of (self);
  char **texts = g_new0 (char *, entries->len + 1);

  for (guint i = 0; i < entries->len; i++)
    if (GTK_IS_TEXT_VIEW (entries->pdata[i]))
      g_object_get (gtk_text_view_get_buffer (entries->pdata[i]), "text", &texts[i], NULL);
    else if (GTK_IS_EDITABLE (entries->pdata[i]))
      texts[i] = g_strdup (gtk_editable_get_text (entries->pdata[i]));
    else
      texts[i] = g_strdup_printf ("%u", adw_combo_row_get_selected (entries->pdata[i]));
  return texts;
}

static gboolean
has_edits (ShardwiseEditor *self)
{
  g_auto (GStrv) texts = get_texts (self);

  return !g_strv_equal ((const char *const *) texts, (const char *const *) get (self)->before);
}

/* ---- the draft of it ---- */

static char *
folder_of_editors (void)
{
  return g_build_filename (g_get_user_state_dir (), APPLICATION_ID, "editors", NULL);
}

/* The text of the editor was saved or discarded. */
static void
drop (ShardwiseEditorPrivate *priv)
{
  if (priv->draft != NULL)
    shardwise_draft_remove (priv->draft);
  g_clear_object (&priv->draft);
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
  ShardwiseEditorPrivate *priv = get (data);
  g_auto (GStrv) texts = get_texts (data);
  ShardwiseDraftContent *content;
  GVariantBuilder typed;

  priv->keep_id = 0;
  if (!has_edits (data))
    {
      drop (priv);
      return G_SOURCE_REMOVE;
    }
  if (priv->draft == NULL)
    {
      g_autofree char *folder = folder_of_editors ();

      priv->draft = shardwise_draft_new (folder);
    }
  g_variant_builder_init (&typed, G_VARIANT_TYPE ("a{ss}"));
  for (guint i = 0; texts[i] != NULL; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);

      g_variant_builder_add (&typed, "{ss}", number, texts[i]);
    }
  content = shardwise_draft_content_new ();
  content->uri = g_strdup (priv->kind);
  content->saved = g_strdup (priv->subject);
  content->said = g_strdup (priv->label);
  content->edited = g_strdup ("");
  content->typed = g_variant_ref_sink (g_variant_builder_end (&typed));
  shardwise_draft_write_async (priv->draft, content, kept_cb, NULL);
  return G_SOURCE_REMOVE;
}

static void
changed_cb (ShardwiseEditor *self)
{
  if (get (self)->keep_id == 0 && get (self)->kind != NULL)
    get (self)->keep_id = g_timeout_add (KEEP_MS, keep_cb, self);
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
 * Opens the editors closed by a crash, with their text. One that cannot be opened now is kept for
 * the next time.
 */
void
shardwise_editor_drafts_restore (ShardwiseEditorFunc func, gpointer data)
{
  g_autofree char *folder = folder_of_editors ();
  g_autoptr (GPtrArray) drafts = shardwise_drafts_claim (folder);

  g_return_if_fail (func != NULL);

  g_debug ("%u editors to restore", drafts->len);
  for (guint i = 0; i < drafts->len; i++)
    {
      ShardwiseDraft *draft = drafts->pdata[i];
      g_autoptr (ShardwiseDraftContent) content = shardwise_draft_read (draft, NULL);
      ShardwiseEditor *editor = content != NULL && content->typed != NULL
                                    ? func (content->uri, content->saved, content->said, data)
                                    : NULL;
      g_autoptr (GPtrArray) entries = NULL;

      if (content == NULL)
        g_free (shardwise_draft_set_aside (draft));
      if (editor == NULL)
        continue;
      g_set_object (&get (editor)->draft, draft);
      entries = entries_of (editor);
      for (guint n = 0; n < entries->len; n++)
        {
          g_autofree char *number = g_strdup_printf ("%u", n);
          const char *text;

          if (!g_variant_lookup (content->typed, number, "&s", &text))
            break;

          GtkWidget *entry = entries->pdata[n];
          guint64 selected;

          if (GTK_IS_TEXT_VIEW (entry))
            gtk_text_buffer_set_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (entry)), text, -1);
          else if (GTK_IS_EDITABLE (entry))
            gtk_editable_set_text (GTK_EDITABLE (entry), text);
          else if (g_ascii_string_to_unsigned (
                       text, 10, 0,
                       g_list_model_get_n_items (adw_combo_row_get_model (ADW_COMBO_ROW (entry)))
                           - 1,
                       &selected, NULL))
            adw_combo_row_set_selected (ADW_COMBO_ROW (entry), (guint) selected);
        }
    }
}

/* ---- its end ---- */

static void
quit_cb (gpointer data)
{
  g_autoptr (GApplication) application = data;

  g_action_group_activate_action (G_ACTION_GROUP (application), "quit", NULL);
}

/* The window stays. */
static void
stay (ShardwiseEditorPrivate *priv)
{
  priv->closing = FALSE;
  priv->quitting = FALSE;
  g_clear_handle_id (&priv->slow_id, g_source_remove);
}

static void
discard_cb (gpointer data)
{
  g_autoptr (GtkWindow) window = shardwise_weak_take (data);

  if (window != NULL)
    gtk_window_destroy (window);
}

static void
save_cb (gpointer data)
{
  g_autoptr (ShardwiseEditor) self = shardwise_weak_take (data);

  if (self != NULL && gtk_widget_get_mapped (GTK_WIDGET (self)))
    g_signal_emit_by_name (get (self)->save, "clicked");
}

/* The dialog closes with its window. */
static void
answer_cb (const char *response, gpointer data)
{
  ShardwiseEditorPrivate *priv = get (data);

  priv->asking = FALSE;
  if (g_str_equal (response, "discard"))
    g_idle_add_once (discard_cb, shardwise_weak_new (data));
  else if (g_str_equal (response, "save"))
    {
      priv->closing = TRUE;
      g_idle_add_once (save_cb, shardwise_weak_new (data));
    }
  else
    stay (priv);
}

/* Closing does not stop a running save: it is completed, or its failure is reported. */
static void
ask_to_wait (ShardwiseEditor *self)
{
  const ShardwiseResponse responses[] = {
    { "cancel", _ ("_Cancel"), ADW_RESPONSE_DEFAULT },
    { "discard", _ ("Close _Anyway"), ADW_RESPONSE_DEFAULT },
  };
  ShardwiseEditorPrivate *priv = get (self);
  GtkWindow *question;

  g_clear_handle_id (&priv->slow_id, g_source_remove);
  priv->asking = TRUE;
  question = shardwise_compat_ask (
      GTK_WINDOW (self), _ ("Still Saving"),
      _ ("The disk is not responding. Your entries are saved as soon as it responds, even if you "
         "close the window. A message appears if saving fails."),
      responses, G_N_ELEMENTS (responses), answer_cb, self, NULL);
  g_set_weak_pointer (&priv->question, question);
}

static void
slow_cb (gpointer data)
{
  get (data)->slow_id = 0;
  ask_to_wait (data);
}

/* Closes after saving; if the disk is slow, the window says so. */
static void
wait_for_save (ShardwiseEditor *self)
{
  ShardwiseEditorPrivate *priv = get (self);

  priv->closing = TRUE;
  if (priv->slow_id == 0)
    priv->slow_id = g_timeout_add_once (SLOW_MS, slow_cb, self);
}

/* Saving is offered only if the content is valid. If saving is not finished, the window closes
 * afterwards, unless the user closes it again. */
static gboolean
asks_before_close (ShardwiseEditor *self)
{
  const ShardwiseResponse responses[] = {
    { "cancel", _ ("_Cancel"), ADW_RESPONSE_DEFAULT },
    { "discard", _ ("_Discard"), ADW_RESPONSE_DESTRUCTIVE },
    { "save", _ ("_Save"), ADW_RESPONSE_SUGGESTED },
  };
  ShardwiseEditorPrivate *priv = get (self);

  if (!has_edits (self))
    return FALSE;
  if (priv->asking)
    return TRUE;
  if (!priv->saving)
    {
      priv->asking = TRUE;
      shardwise_compat_ask (GTK_WINDOW (self), _ ("Save Changes?"), "", responses,
                            gtk_widget_is_sensitive (priv->save) ? 3 : 2, answer_cb, self, NULL);
    }
  else if (priv->closing)
    ask_to_wait (self);
  else
    wait_for_save (self);
  return TRUE;
}

static gboolean
shardwise_editor_close_request (GtkWindow *window)
{
  return asks_before_close (SHARDWISE_EDITOR (window))
         || GTK_WINDOW_CLASS (shardwise_editor_parent_class)->close_request (window);
}

/* Quitting asks the next window with unsaved edits. */
static void
shardwise_editor_dispose (GObject *object)
{
  ShardwiseEditorPrivate *priv = get (SHARDWISE_EDITOR (object));
  GApplication *application = g_application_get_default ();

  g_clear_pointer (&priv->kind, g_free);
  g_clear_handle_id (&priv->keep_id, g_source_remove);
  drop (priv);
  g_clear_handle_id (&priv->slow_id, g_source_remove);
  if (priv->quitting && application != NULL)
    g_idle_add_once (quit_cb, g_object_ref (application));
  priv->quitting = FALSE;
  G_OBJECT_CLASS (shardwise_editor_parent_class)->dispose (object);
}

static void
shardwise_editor_finalize (GObject *object)
{
  ShardwiseEditorPrivate *priv = get (SHARDWISE_EDITOR (object));

  g_clear_weak_pointer (&priv->question);
  g_free (priv->subject);
  g_free (priv->label);
  g_strfreev (priv->before);
  G_OBJECT_CLASS (shardwise_editor_parent_class)->finalize (object);
}

static void
shardwise_editor_class_init (ShardwiseEditorClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = shardwise_editor_dispose;
  G_OBJECT_CLASS (klass)->finalize = shardwise_editor_finalize;
  GTK_WINDOW_CLASS (klass)->close_request = shardwise_editor_close_request;
  gtk_widget_class_add_binding_action (GTK_WIDGET_CLASS (klass), GDK_KEY_Escape, 0, "window.close",
                                       NULL);
}

static void
shardwise_editor_init (ShardwiseEditor *self)
{}

/**
 * shardwise_editor_begin:
 * @self: an editor with its initial entries
 * @page: the page of @self with the entries
 * @save: its button to save
 * @kind: the kind of editor
 * @subject: the edited object; together with @kind enough to open the editor again
 * @label: additional text; "" for none
 *
 * From now on closing @self asks first if its entries were changed. Entered text is kept in the
 * state directory within a quarter of a second, until @self is destroyed.
 */
void
shardwise_editor_begin (ShardwiseEditor *self, GtkWidget *page, GtkWidget *save, const char *kind,
                        const char *subject, const char *label)
{
  ShardwiseEditorPrivate *priv = get (self);
  g_autoptr (GPtrArray) entries = NULL;

  g_return_if_fail (SHARDWISE_IS_EDITOR (self) && GTK_IS_WIDGET (page) && GTK_IS_BUTTON (save));
  g_return_if_fail (kind != NULL && subject != NULL && label != NULL);

  priv->page = page;
  priv->save = save;
  priv->kind = g_strdup (kind);
  priv->subject = g_strdup (subject);
  priv->label = g_strdup (label);
  priv->before = get_texts (self);
  entries = entries_of (self);
  for (guint i = 0; i < entries->len; i++)
    {
      gpointer entry = entries->pdata[i];

      if (GTK_IS_TEXT_VIEW (entry))
        entry = gtk_text_view_get_buffer (entry);
      g_signal_connect_object (entry, ADW_IS_COMBO_ROW (entry) ? "notify::selected" : "changed",
                               G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
    }
}

static void
set_sensitive (const ShardwiseEditorPrivate *priv, gboolean sensitive)
{
  gtk_widget_set_sensitive (priv->page, sensitive);
  gtk_widget_set_sensitive (priv->save, sensitive);
}

/**
 * shardwise_editor_begin_save:
 * @self: an editor
 *
 * Until shardwise_editor_end_save(), @self accepts no input, and closing it waits. If this takes
 * long, a message appears, and the user can still close @self.
 */
void
shardwise_editor_begin_save (ShardwiseEditor *self)
{
  ShardwiseEditorPrivate *priv = get (self);

  g_return_if_fail (SHARDWISE_IS_EDITOR (self));

  /* GTK 4.18 warns if a text loses the focus because it becomes insensitive. */
  gtk_window_set_focus (GTK_WINDOW (self), NULL);
  set_sensitive (priv, FALSE);
  priv->saving = TRUE;
  if (priv->closing)
    wait_for_save (self);
}

/**
 * shardwise_editor_end_save:
 * @self: (nullable): of shardwise_editor_begin_save(); %NULL: it was closed
 * @name: the displayed name of the file
 * @error: (nullable): the error; %NULL after success
 *
 * Closes the window after a successful save. After a failure the user can try again; if the window
 * is closed, the failure is reported elsewhere.
 *
 * Returns: whether @self stays and must show @error
 */
gboolean
shardwise_editor_end_save (ShardwiseEditor *self, const char *name, const GError *error)
{
  ShardwiseEditorPrivate *priv;

  if (self == NULL && error != NULL)
    shardwise_late_error_tell (name, error);
  else if (self != NULL && error == NULL)
    gtk_window_destroy (GTK_WINDOW (self));
  if (self == NULL || error == NULL)
    return FALSE;

  priv = get (self);
  priv->saving = FALSE;
  set_sensitive (priv, TRUE);
  stay (priv);
  if (priv->question != NULL)
    {
      priv->asking = FALSE;
      gtk_window_destroy (priv->question);
    }
  gtk_widget_grab_focus (priv->save);
  return TRUE;
}

/**
 * shardwise_editor_settle:
 * @self: an editor
 *
 * Asks, like closing @self, before the program quits; app.quit is activated again once @self is
 * closed, unless it stays.
 *
 * Returns: whether @self has no unsaved entries
 */
gboolean
shardwise_editor_settle (ShardwiseEditor *self)
{
  g_return_val_if_fail (SHARDWISE_IS_EDITOR (self), TRUE);

  if (!asks_before_close (self))
    return TRUE;
  get (self)->quitting = TRUE;
  return FALSE;
}

/**
 * shardwise_editor_present:
 * @self: not yet shown
 * @parent: its parent
 */
void
shardwise_editor_present (ShardwiseEditor *self, GtkWindow *parent)
{
  g_return_if_fail (SHARDWISE_IS_EDITOR (self));
  g_return_if_fail (GTK_IS_WINDOW (parent));

  gtk_window_set_transient_for (GTK_WINDOW (self), parent);
  gtk_window_set_application (GTK_WINDOW (self), gtk_window_get_application (parent));
  gtk_window_set_destroy_with_parent (GTK_WINDOW (self), TRUE);
  gtk_window_present (GTK_WINDOW (self));
}
