/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-document.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-config.h"
#include "shardwise-file-watch.h"
#include "shardwise-toast.h"
#include "shardwise-work.h"
#include "shardwise-file.h"

#define DRAFT_MS 250 /* the maximum delay until an edit is kept */
#define SLOW_MS 600  /* after that, the user is informed that saving takes long */

/* On a thread, because a disk may be slow or stall. Edits made during saving are not saved yet. */
typedef struct {
  /* for the thread */
  GFile *file;
  char *text;
  GPtrArray *others;         /* GFile elements: the files of other documents */
  ShardwiseFileCheck *check; /* (nullable): the question about others' changes */
  GFile *resolved;           /* the target of the file */

  ShardwiseScenario *written; /* the document being written */
  gboolean closes;            /* the document closes once it is saved */
  GFile *next;                /* (nullable): another file to save to next */
  gboolean again;             /* then save once more */
  gboolean slow;
  guint slow_id;
} Saving;

struct _ShardwiseDocument {
  GObject parent_instance;

  const ShardwiseDocumentView *view; /* NULL: closed */
  gpointer data;                     /* of @view */
  ShardwiseScenario *scenario;       /* NULL: none yet */
  ShardwiseImport *import;           /* the source of an import, without its scenario */
  char *saved;                       /* the scenario at the last open or save */
  GFile *file;                       /* NULL: never saved */
  ShardwiseFileWatch *watch;         /* of the file */
  gboolean detached;                 /* the user keeps it although its file no longer has it */
  Saving *saving;                    /* (nullable): running */

  ShardwiseDraft *draft; /* NULL: nothing was kept yet */
  guint draft_id;
  gboolean draft_failed;
  gboolean ended; /* the window closes: the draft is final */
  gboolean quits; /* with the program, to be restored with it */
  gboolean restored;
};

G_DEFINE_FINAL_TYPE (ShardwiseDocument, shardwise_document, G_TYPE_OBJECT)

enum { PROP_STATE = 1, N_PROPS };
static GParamSpec *properties[N_PROPS];

static void
saving_free (Saving *saving)
{
  g_clear_handle_id (&saving->slow_id, g_source_remove);
  g_object_unref (saving->file);
  g_free (saving->text);
  g_ptr_array_unref (saving->others);
  g_clear_pointer (&saving->check, shardwise_file_check_free);
  g_clear_object (&saving->resolved);
  g_object_unref (saving->written);
  g_clear_object (&saving->next);
  g_free (saving);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Saving, saving_free)

/* Whether it has a view. */
static gboolean
is_open (ShardwiseDocument *self)
{
  return self->view != NULL && !self->view->is_closed (self->data);
}

static void
notify_state (ShardwiseDocument *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
}

static void
shardwise_document_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_STATE)
    g_value_set_int (value, (int) shardwise_document_get_state (SHARDWISE_DOCUMENT (object)));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
shardwise_document_dispose (GObject *object)
{
  shardwise_document_close (SHARDWISE_DOCUMENT (object));
  G_OBJECT_CLASS (shardwise_document_parent_class)->dispose (object);
}

static void
shardwise_document_class_init (ShardwiseDocumentClass *klass)
{
  G_OBJECT_CLASS (klass)->get_property = shardwise_document_get_property;
  G_OBJECT_CLASS (klass)->dispose = shardwise_document_dispose;

  properties[PROP_STATE] = g_param_spec_int ("state", NULL, NULL, SHARDWISE_DOCUMENT_CALM,
                                             SHARDWISE_DOCUMENT_RESTORED, SHARDWISE_DOCUMENT_CALM,
                                             G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPS, properties);
}

static void
shardwise_document_init (ShardwiseDocument *self)
{}

/**
 * shardwise_document_new:
 * @view: valid until the document is freed or shardwise_document_close() is called
 * @data: for the functions of @view
 *
 * Returns: (transfer full): a document without a scenario
 */
ShardwiseDocument *
shardwise_document_new (const ShardwiseDocumentView *view, gpointer data)
{
  ShardwiseDocument *self = g_object_new (SHARDWISE_TYPE_DOCUMENT, NULL);

  self->view = view;
  self->data = data;
  return self;
}

/**
 * shardwise_document_close:
 *
 * Detaches the document from its view. A running save is completed, and a failure is reported
 * elsewhere.
 */
void
shardwise_document_close (ShardwiseDocument *self)
{
  g_return_if_fail (SHARDWISE_IS_DOCUMENT (self));

  self->view = NULL;
  g_clear_handle_id (&self->draft_id, g_source_remove);
  if (self->watch != NULL)
    g_signal_handlers_disconnect_by_data (self->watch, self);
  g_clear_object (&self->watch);
  g_clear_object (&self->draft);
  g_clear_pointer (&self->import, shardwise_import_free);
  g_clear_object (&self->scenario);
  g_clear_object (&self->file);
  g_clear_pointer (&self->saved, g_free);
}

/* (transfer full): the display name of a file. */
char *
shardwise_file_name (GFile *file)
{
  g_autofree char *base = g_file_get_basename (file);

  return g_filename_display_name (base);
}

/* ---- what it is ---- */

/* Makes `file` (nullable) the document's file and monitors it. The file is known to contain the
 * document as last saved. */
static void
set_file (ShardwiseDocument *self, GFile *file)
{
  g_set_object (&self->file, file);
  if (self->watch != NULL)
    g_signal_handlers_disconnect_by_data (self->watch, self);
  g_clear_object (&self->watch);
  self->detached = FALSE;
  if (file != NULL)
    {
      self->watch = shardwise_file_watch_new (file, self->saved);
      g_signal_connect_swapped (self->watch, "changed", G_CALLBACK (notify_state), self);
    }
  notify_state (self);
}

/* The file now contains the current document. */
static void
file_is_known (ShardwiseDocument *self)
{
  self->detached = FALSE;
  if (self->watch != NULL)
    shardwise_file_watch_set_known (self->watch, self->saved);
  notify_state (self);
}

/**
 * shardwise_document_set_scenario:
 * @scenario: from @file, or new
 * @file: (nullable): %NULL if it was never saved
 *
 * Replaces the scenario of the document.
 */
void
shardwise_document_set_scenario (ShardwiseDocument *self, ShardwiseScenario *scenario, GFile *file)
{
  g_return_if_fail (SHARDWISE_IS_DOCUMENT (self));
  g_return_if_fail (SHARDWISE_IS_SCENARIO (scenario));

  g_set_object (&self->scenario, scenario);
  shardwise_document_set_import (self, NULL);
  shardwise_document_set_saved (self, scenario);
  self->restored = FALSE;
  set_file (self, file);
}

/**
 * shardwise_document_get_scenario:
 *
 * Returns: (transfer none) (nullable): %NULL if there is none yet
 */
ShardwiseScenario *
shardwise_document_get_scenario (ShardwiseDocument *self)
{
  g_return_val_if_fail (SHARDWISE_IS_DOCUMENT (self), NULL);
  return self->scenario;
}

/**
 * shardwise_document_set_import:
 * @import: (nullable): its notes are used, not its scenario
 *
 * Notes of an imported job or model stay until the next import.
 */
void
shardwise_document_set_import (ShardwiseDocument *self, const ShardwiseImport *import)
{
  ShardwiseImport *taken = NULL;

  if (import != NULL)
    {
      taken = g_new0 (ShardwiseImport, 1);
      *taken = (ShardwiseImport){ .kind = import->kind,
                                  .warnings = g_ptr_array_ref (import->warnings),
                                  .assumed = g_ptr_array_ref (import->assumed),
                                  .findings = g_ptr_array_ref (import->findings) };
    }
  g_clear_pointer (&self->import, shardwise_import_free);
  self->import = taken;
}

/**
 * shardwise_document_get_import:
 *
 * Returns: (transfer none) (nullable): the import with its notes
 */
ShardwiseImport *
shardwise_document_get_import (ShardwiseDocument *self)
{
  g_return_val_if_fail (SHARDWISE_IS_DOCUMENT (self), NULL);
  return self->import;
}

/**
 * shardwise_document_set_saved:
 * @saved: the content of the document's file, or the text it was opened from; for a document
 *   without either, its initial content
 */
void
shardwise_document_set_saved (ShardwiseDocument *self, ShardwiseScenario *saved)
{
  g_free (self->saved);
  self->saved = shardwise_scenario_to_json (saved);
  shardwise_scenario_set_saved_as (self->scenario, saved);
}

/**
 * shardwise_document_has_unsaved:
 *
 * Returns: whether there is work that is not in a file: edits, including those being written, or a
 * document whose file was removed
 */
gboolean
shardwise_document_has_unsaved (ShardwiseDocument *self)
{
  g_return_val_if_fail (SHARDWISE_IS_DOCUMENT (self), FALSE);

  if (self->scenario == NULL)
    return FALSE;
  return shardwise_scenario_get_modified (self->scenario) || self->detached || self->saving != NULL
         || (self->watch != NULL
             && shardwise_file_watch_get_state (self->watch) != SHARDWISE_FILE_SAME);
}

/**
 * shardwise_document_get_state:
 *
 * Returns: its state for the window
 */
ShardwiseDocumentState
shardwise_document_get_state (ShardwiseDocument *self)
{
  g_return_val_if_fail (SHARDWISE_IS_DOCUMENT (self), SHARDWISE_DOCUMENT_CALM);

  if (self->saving != NULL && self->saving->slow)
    return SHARDWISE_DOCUMENT_SAVING;
  switch (self->watch != NULL ? shardwise_file_watch_get_state (self->watch) : SHARDWISE_FILE_SAME)
    {
    case SHARDWISE_FILE_CHANGED: return SHARDWISE_DOCUMENT_CHANGED;
    case SHARDWISE_FILE_GONE: return SHARDWISE_DOCUMENT_GONE;
    case SHARDWISE_FILE_MOVED: return SHARDWISE_DOCUMENT_MOVED;
    case SHARDWISE_FILE_SAME:
    default: return self->restored ? SHARDWISE_DOCUMENT_RESTORED : SHARDWISE_DOCUMENT_CALM;
    }
}

/**
 * shardwise_document_suggest_name:
 * @unnamed: the name for a scenario without a name
 * @extension: including its dot
 *
 * Returns: (transfer full): a file name for the scenario, from its name or that of an imported
 *   file: "train" for "train.sh"
 */
char *
shardwise_document_suggest_name (ShardwiseDocument *self, const char *unnamed,
                                 const char *extension)
{
  g_autoptr (GRegex) suffix = g_regex_new ("(?<=.)\\.[a-z]{2,9}$", 0, 0, NULL);
  g_autofree char *name = NULL, *stem = NULL;

  g_return_val_if_fail (SHARDWISE_IS_DOCUMENT (self), NULL);

  g_object_get (self->scenario, "name", &name, NULL);
  stem = g_regex_replace_literal (suffix, name != NULL && *name != '\0' ? name : unnamed, -1, 0, "",
                                  0, NULL);
  g_strdelimit (stem, "/\\", '-');
  return g_strconcat (stem, extension, NULL);
}

/* ---- its file ---- */

/**
 * shardwise_document_get_file:
 *
 * Returns: (transfer none) (nullable): %NULL if it was never saved
 */
GFile *
shardwise_document_get_file (ShardwiseDocument *self)
{
  g_return_val_if_fail (SHARDWISE_IS_DOCUMENT (self), NULL);
  return self->file;
}

/**
 * shardwise_document_get_target:
 *
 * Returns: (transfer none) (nullable): the file, with its new name if others renamed it
 */
GFile *
shardwise_document_get_target (ShardwiseDocument *self)
{
  g_return_val_if_fail (SHARDWISE_IS_DOCUMENT (self), NULL);
  return self->watch != NULL ? shardwise_file_watch_get_target (self->watch) : NULL;
}

/**
 * shardwise_document_is_of:
 *
 * Returns: whether @file contains the document, or is about to
 */
gboolean
shardwise_document_is_of (ShardwiseDocument *self, GFile *file)
{
  g_return_val_if_fail (SHARDWISE_IS_DOCUMENT (self), FALSE);

  return (self->saving != NULL && g_file_equal (self->saving->file, file))
         || (self->watch != NULL && shardwise_file_watch_is_of (self->watch, file));
}

/**
 * shardwise_document_add_files:
 * @files: (element-type GFile): receives the current and the future file of the document
 */
void
shardwise_document_add_files (ShardwiseDocument *self, GPtrArray *files)
{
  g_return_if_fail (SHARDWISE_IS_DOCUMENT (self));

  if (self->file != NULL)
    g_ptr_array_add (files, g_object_ref (self->file));
  if (self->watch != NULL)
    g_ptr_array_add (files, g_object_ref (shardwise_file_watch_get_resolved (self->watch)));
  if (self->saving != NULL)
    g_ptr_array_add (files, g_object_ref (self->saving->file));
}

/**
 * shardwise_document_look:
 *
 * Checks the file once, because some disks cannot be monitored.
 */
void
shardwise_document_look (ShardwiseDocument *self)
{
  g_return_if_fail (SHARDWISE_IS_DOCUMENT (self));

  if (self->watch != NULL)
    shardwise_file_watch_look (self->watch);
}

/**
 * shardwise_document_keep_mine:
 *
 * Keeps the document as it is, regardless of changes of its file by other programs.
 */
void
shardwise_document_keep_mine (ShardwiseDocument *self)
{
  g_return_if_fail (SHARDWISE_IS_DOCUMENT (self));

  if (self->watch == NULL || shardwise_file_watch_get_state (self->watch) == SHARDWISE_FILE_SAME)
    return;
  self->detached = TRUE;
  shardwise_file_watch_let_be (self->watch);
  shardwise_document_queue_draft (self);
}

/**
 * shardwise_document_follow_file:
 *
 * Uses the new name of the file after others renamed it.
 */
void
shardwise_document_follow_file (ShardwiseDocument *self)
{
  g_autoptr (GFile) target = NULL;

  g_return_if_fail (shardwise_document_get_target (self) != NULL);

  target = g_object_ref (shardwise_document_get_target (self));
  set_file (self, target);
  shardwise_document_queue_draft (self);
}

/**
 * shardwise_document_revert:
 * @scenario: the content of the file
 *
 * Reverts to it, which can be undone.
 */
void
shardwise_document_revert (ShardwiseDocument *self, ShardwiseScenario *scenario)
{
  g_return_if_fail (SHARDWISE_IS_DOCUMENT (self));

  shardwise_scenario_replace (self->scenario, scenario);
  shardwise_document_set_saved (self, self->scenario);
  shardwise_document_set_restored (self, FALSE);
  file_is_known (self);
  shardwise_document_queue_draft (self);
}

/* ---- writing it ---- */

static void write_to (ShardwiseDocument *self, GFile *file, gboolean look, gboolean closes);

/* Writes the file, unless others have it or changed it. The old file stays complete until the new
 * one is. */
static void
write_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Saving *saving = data;
  GError *error = NULL;
  GEqualFunc equal = (GEqualFunc) g_file_equal;

  saving->resolved = shardwise_file_resolve (saving->file);
  if (g_ptr_array_find_with_equal_func (saving->others, saving->file, equal, NULL)
      || g_ptr_array_find_with_equal_func (saving->others, saving->resolved, equal, NULL))
    g_task_return_new_error (
        task, G_IO_ERROR, G_IO_ERROR_BUSY,
        _ ("Another window has this file open, and the two would overwrite each other"));
  else if (saving->check != NULL && shardwise_file_check_is_changed (saving->check))
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_WRONG_ETAG, "changed");
  else if (shardwise_write_file (saving->file, saving->text, strlen (saving->text), &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

/* The document is now that of the file, except for edits made during saving. */
static void
take_written (ShardwiseDocument *self, Saving *saving)
{
  const gboolean own =
      self->watch != NULL
      && (g_file_equal (saving->file, self->file)
          || g_file_equal (saving->resolved, shardwise_file_watch_get_resolved (self->watch)));

  g_free (self->saved);
  self->saved = g_steal_pointer (&saving->text);
  if (own)
    file_is_known (self);
  else
    set_file (self, saving->file);
  shardwise_scenario_set_saved_as (self->scenario, saving->written); /* which updates the title */
  shardwise_document_set_restored (self, FALSE);
  self->view->file_taken (self->data, saving->file, !own);
  shardwise_document_queue_draft (self);
}

static void
written_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  ShardwiseDocument *self = SHARDWISE_DOCUMENT (source);
  g_autoptr (Saving) saving = g_steal_pointer (&self->saving);
  g_autoptr (GError) error = NULL;
  const gboolean written = g_task_propagate_boolean (G_TASK (result), &error);
  g_autofree char *name = shardwise_file_name (saving->file);

  g_debug ("%s: %s", name, written ? "written" : error->message);
  if (self->watch != NULL)
    shardwise_file_watch_set_coming (self->watch, NULL);
  if (!is_open (self)) /* its edits since were discarded */
    {
      if (!written)
        shardwise_late_error_tell (name, error);
      return;
    }
  if (written)
    take_written (self, saving);
  else
    notify_state (self);
  if (written && saving->next != NULL)
    write_to (self, saving->next, FALSE, saving->closes);
  else if (written && saving->again && shardwise_document_has_unsaved (self))
    shardwise_document_save (self, saving->closes);
  else if (written)
    self->view->saved (self->data, saving->closes);
  else if (saving->check != NULL && g_error_matches (error, G_IO_ERROR, G_IO_ERROR_WRONG_ETAG))
    {
      /* Another program wrote the file. It stays as it is if the user has chosen another file in
       * the meantime. */
      shardwise_document_look (self);
      if (saving->next != NULL)
        write_to (self, saving->next, FALSE, saving->closes);
      else
        self->view->conflicts (self->data, saving->closes);
    }
  else
    {
      self->view->failed (self->data, saving->file, error->message);
      if (saving->next != NULL)
        write_to (self, saving->next, FALSE, FALSE);
    }
}

static void
slow_cb (gpointer data)
{
  ShardwiseDocument *self = data;

  self->saving->slow_id = 0;
  self->saving->slow = TRUE;
  if (is_open (self))
    notify_state (self);
}

/* Writes the current document. look: whether to ask about changes that other programs made. */
static void
write_to (ShardwiseDocument *self, GFile *file, gboolean look, gboolean closes)
{
  g_autoptr (GTask) task = NULL;
  Saving *saving;

  if (self->saving != NULL)
    {
      g_set_object (&self->saving->next, file);
      self->saving->closes |= closes; /* another save does not cancel this */
      return;
    }
  saving = g_new0 (Saving, 1);
  saving->file = g_object_ref (file);
  saving->written = shardwise_scenario_copy (self->scenario);
  saving->text = shardwise_scenario_to_json (saving->written);
  saving->others = g_ptr_array_new_with_free_func (g_object_unref);
  if (self->view != NULL)
    self->view->add_others (self->data, saving->others);
  saving->closes = closes;
  if (self->watch != NULL)
    {
      saving->check = look ? shardwise_file_watch_check_new (self->watch) : NULL;
      shardwise_file_watch_set_coming (self->watch, saving->text);
    }
  saving->slow_id = g_timeout_add_once (SLOW_MS, slow_cb, self);
  self->saving = saving;
  task = g_task_new (self, NULL, written_cb, NULL);
  g_task_set_source_tag (task, write_to);
  g_task_set_task_data (task, saving, NULL);
  shardwise_hold_for_task (task);
  g_task_run_in_thread (task, write_thread);
}

/**
 * shardwise_document_save:
 * @closes: whether to close it then, or to continue quitting
 *
 * Saves to the file of the document; asks before overwriting changes by others.
 *
 * Returns: %FALSE if it has no file
 */
gboolean
shardwise_document_save (ShardwiseDocument *self, gboolean closes)
{
  g_return_val_if_fail (SHARDWISE_IS_DOCUMENT (self), TRUE);

  if (self->saving != NULL)
    {
      self->saving->again = TRUE;
      self->saving->closes |= closes;
      notify_state (self);
    }
  else if (self->file == NULL)
    return FALSE;
  else
    write_to (self, self->file, TRUE, closes);
  return TRUE;
}

/**
 * shardwise_document_save_to:
 * @file: a file; the user was asked about its content
 * @closes: whether to close it then, or to continue quitting
 */
void
shardwise_document_save_to (ShardwiseDocument *self, GFile *file, gboolean closes)
{
  g_return_if_fail (SHARDWISE_IS_DOCUMENT (self));
  g_return_if_fail (G_IS_FILE (file));

  write_to (self, file, FALSE, closes);
}

/**
 * shardwise_document_get_saving:
 * @closes: (out) (optional): whether it closes then
 *
 * Returns: (transfer none) (nullable): the file being written
 */
GFile *
shardwise_document_get_saving (ShardwiseDocument *self, gboolean *closes)
{
  g_return_val_if_fail (SHARDWISE_IS_DOCUMENT (self), NULL);

  if (closes != NULL)
    *closes = self->saving != NULL && self->saving->closes;
  return self->saving != NULL ? self->saving->file : NULL;
}

/**
 * shardwise_document_close_when_saved:
 *
 * If the running save includes all edits, the document closes after it.
 *
 * Returns: %FALSE if not, or if this was already requested
 */
gboolean
shardwise_document_close_when_saved (ShardwiseDocument *self)
{
  g_autofree char *text = NULL;

  g_return_val_if_fail (SHARDWISE_IS_DOCUMENT (self), FALSE);

  if (self->saving == NULL || self->saving->closes)
    return FALSE;
  text = shardwise_scenario_to_json (self->scenario);
  if (!g_str_equal (text, self->saving->text))
    return FALSE;
  self->saving->closes = TRUE;
  notify_state (self);
  return TRUE;
}

/**
 * shardwise_document_stay_open:
 *
 * Cancels closing it after the save.
 */
void
shardwise_document_stay_open (ShardwiseDocument *self)
{
  g_return_if_fail (SHARDWISE_IS_DOCUMENT (self));

  if (self->saving != NULL)
    self->saving->closes = FALSE;
  notify_state (self);
}

/* ---- its draft ---- */

/* (transfer full): the folder for drafts of documents. */
char *
shardwise_document_drafts_folder (void)
{
  return g_build_filename (g_get_user_state_dir (), APPLICATION_ID, "drafts", NULL);
}

/**
 * shardwise_document_take_draft:
 * @draft: the draft of the next document
 */
void
shardwise_document_take_draft (ShardwiseDocument *self, ShardwiseDraft *draft)
{
  g_return_if_fail (SHARDWISE_IS_DOCUMENT (self));
  g_set_object (&self->draft, draft);
}

/**
 * shardwise_document_set_restored:
 *
 * Marks the edits as restored after a crash, until the user answers or saves.
 */
void
shardwise_document_set_restored (ShardwiseDocument *self, gboolean restored)
{
  g_return_if_fail (SHARDWISE_IS_DOCUMENT (self));

  self->restored = restored;
  notify_state (self);
}

/**
 * shardwise_document_discard_restored:
 *
 * Discards the edits restored after a crash; Undo restores them.
 */
void
shardwise_document_discard_restored (ShardwiseDocument *self)
{
  g_autoptr (ShardwiseScenario) saved = NULL;

  g_return_if_fail (SHARDWISE_IS_DOCUMENT (self));

  if (!self->restored || self->saved == NULL)
    return;
  saved = shardwise_scenario_from_json (self->saved, -1, NULL);
  if (saved == NULL)
    return;
  shardwise_scenario_replace (self->scenario, saved);
  shardwise_document_set_restored (self, FALSE);
}

static ShardwiseDraft *
get_draft (ShardwiseDocument *self)
{
  g_autofree char *folder = NULL;
  g_autoptr (GPtrArray) drafts = NULL;

  if (self->draft != NULL)
    return self->draft;
  folder = shardwise_document_drafts_folder ();
  /* The user works on another document, so the previous one, closed properly, is not restored.
   * Documents that quit with this one stay; a draft with unsaved work, or one that was not closed
   * with the program, is never dropped. */
  if (!self->quits && self->view->is_alone (self->data))
    drafts = shardwise_drafts_claim (folder);
  for (guint i = 0; drafts != NULL && i < drafts->len; i++)
    {
      g_autoptr (ShardwiseDraftContent) content = shardwise_draft_read (drafts->pdata[i], NULL);

      if (content != NULL && content->ended && !shardwise_draft_content_has_edits (content))
        shardwise_draft_remove (drafts->pdata[i]);
    }
  self->draft = shardwise_draft_new (folder);
  return self->draft;
}

static ShardwiseDraftContent *
content_of (ShardwiseDocument *self, gboolean ended)
{
  ShardwiseDraftContent *content = shardwise_draft_content_new ();
  const gboolean given_up = self->view->is_given_up (self->data);
  gboolean edited = !given_up && shardwise_document_has_unsaved (self);

  content->uri = self->file != NULL ? g_file_get_uri (self->file) : g_strdup ("");
  content->saved = g_strdup (self->saved);
  content->edited = edited ? shardwise_scenario_to_json (self->scenario) : g_strdup ("");
  content->said = self->import != NULL && !given_up ? shardwise_import_to_json (self->import)
                                                    : g_strdup ("");
  content->factors = shardwise_scenario_get_factors (self->scenario);
  content->typed = given_up ? NULL : self->view->get_typed (self->data, ended);
  content->ended = ended;
  return content;
}

/* Reported once: the user can go on, but must know that edits are not kept. */
static void
tell_failure (ShardwiseDocument *self, const GError *error)
{
  g_message ("The session is not kept: %s", error->message);
  if (self->draft_failed)
    return;
  self->draft_failed = TRUE;
  if (is_open (self))
    {
      /* Translators: %s is the reason */
      g_autofree char *text = g_strdup_printf (_ ("Edits are not kept until you save: %s"),
                                               error->message);

      self->view->tell (self->data, text);
    }
}

static void
kept_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseDocument) self = data;
  g_autoptr (GError) error = NULL;

  if (shardwise_draft_write_finish (SHARDWISE_DRAFT (source), result, &error))
    self->draft_failed = FALSE;
  else if (self->view != NULL)
    tell_failure (self, error);
}

static gboolean
draft_cb (gpointer data)
{
  ShardwiseDocument *self = data;

  self->draft_id = 0;
  shardwise_draft_write_async (get_draft (self), content_of (self, FALSE), kept_cb,
                               g_object_ref (self));
  return G_SOURCE_REMOVE;
}

/**
 * shardwise_document_queue_draft:
 *
 * Keeps the document soon: a burst of edits is written once, but at most the delay after its first,
 * even during continuous typing.
 */
void
shardwise_document_queue_draft (ShardwiseDocument *self)
{
  g_return_if_fail (SHARDWISE_IS_DOCUMENT (self));

  if (self->draft_id == 0 && self->scenario != NULL && !self->ended && self->view != NULL)
    self->draft_id = g_timeout_add (DRAFT_MS, draft_cb, self);
}

/**
 * shardwise_document_keep_draft:
 *
 * Writes the document to the state directory now: the last saved state and, unless the edits were
 * discarded, the current state with text that is being typed.
 */
void
shardwise_document_keep_draft (ShardwiseDocument *self)
{
  g_autoptr (ShardwiseDraftContent) content = NULL;
  g_autoptr (GError) error = NULL;

  g_return_if_fail (SHARDWISE_IS_DOCUMENT (self));
  g_return_if_fail (self->scenario != NULL && self->view != NULL);

  g_clear_handle_id (&self->draft_id, g_source_remove);
  content = content_of (self, self->ended);
  if (!shardwise_draft_write (get_draft (self), content, &error))
    tell_failure (self, error);
}

/**
 * shardwise_document_end_draft:
 * @quits: whether it closes with the program
 *
 * Marks the document as closed: only documents that are open when the program ends are restored.
 */
void
shardwise_document_end_draft (ShardwiseDocument *self, gboolean quits)
{
  g_return_if_fail (SHARDWISE_IS_DOCUMENT (self));

  self->ended = TRUE;
  self->quits = quits;
  g_clear_handle_id (&self->draft_id, g_source_remove);
  if (quits || self->view->is_alone (self->data))
    shardwise_document_keep_draft (self);
  else if (self->draft != NULL)
    shardwise_draft_remove (self->draft);
  g_clear_object (&self->draft); /* another process may then restore it */
}
