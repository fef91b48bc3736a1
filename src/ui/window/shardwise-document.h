/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-draft.h"
#include "shardwise-import.h"

G_BEGIN_DECLS

/* The state of a document to report to the user. Changes by other programs take precedence over
 * restored edits. */
typedef enum {
  SHARDWISE_DOCUMENT_CALM,     /* nothing to report */
  SHARDWISE_DOCUMENT_SAVING,   /* a save takes long */
  SHARDWISE_DOCUMENT_CHANGED,  /* another program changed its file */
  SHARDWISE_DOCUMENT_GONE,     /* its file was deleted or moved */
  SHARDWISE_DOCUMENT_MOVED,    /* its file was renamed: shardwise_document_get_target() */
  SHARDWISE_DOCUMENT_RESTORED, /* its edits were restored after a crash; the user has not decided
                                  yet */
} ShardwiseDocumentState;

/* Callbacks to the window that shows a document. */
typedef struct {
  gboolean (*is_closed) (gpointer view); /* only pending work holds it */
  /* adds the files of the program's other documents: shardwise_document_add_files() */
  void (*add_others) (gpointer view, GPtrArray *files);
  gboolean (*is_alone) (gpointer view); /* no other document is open */
  /* a{ss} (transfer full) (nullable): typed text; ended: for the next start */
  GVariant *(*get_typed) (gpointer view, gboolean ended);
  gboolean (*is_given_up) (gpointer view); /* its edits are discarded: no draft */
  void (*file_taken) (gpointer view, GFile *file, gboolean elsewhere); /* the document now uses
                                                                          this file */
  void (*saved) (gpointer view, gboolean closes);                      /* all requested saves are
                                                                          done */
  void (*conflicts) (gpointer view, gboolean closes); /* others changed the file: not saved */
  void (*failed) (gpointer view, GFile *file, const char *message);
  void (*tell) (gpointer view, const char *text); /* text: translated */
} ShardwiseDocumentView;

/* A scenario with its file. It knows which edits are unsaved, watches the file for changes by
 * others, writes it in a thread, one save at a time, and keeps a draft in the state directory from
 * a quarter of a second after a change, which survives crashes.
 *
 * Property "state" (ShardwiseDocumentState, as int; read-only): notifies when the state or its
 * texts may have changed. */
#define SHARDWISE_TYPE_DOCUMENT (shardwise_document_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseDocument, shardwise_document, SHARDWISE, DOCUMENT, GObject)

ShardwiseDocument *shardwise_document_new (const ShardwiseDocumentView *view, gpointer data);
void shardwise_document_close (ShardwiseDocument *self);
char *shardwise_file_name (GFile *file);

/* ---- content ---- */
void
shardwise_document_set_scenario (ShardwiseDocument *self, ShardwiseScenario *scenario, GFile *file);
ShardwiseScenario *shardwise_document_get_scenario (ShardwiseDocument *self);
void shardwise_document_set_import (ShardwiseDocument *self, const ShardwiseImport *import);
ShardwiseImport *shardwise_document_get_import (ShardwiseDocument *self);
void shardwise_document_set_saved (ShardwiseDocument *self, ShardwiseScenario *saved);
gboolean shardwise_document_has_unsaved (ShardwiseDocument *self);
ShardwiseDocumentState shardwise_document_get_state (ShardwiseDocument *self);
char *shardwise_document_suggest_name (ShardwiseDocument *self, const char *unnamed,
                                       const char *extension);

/* ---- file ---- */
GFile *shardwise_document_get_file (ShardwiseDocument *self);
GFile *shardwise_document_get_target (ShardwiseDocument *self);
gboolean shardwise_document_is_of (ShardwiseDocument *self, GFile *file);
void shardwise_document_add_files (ShardwiseDocument *self, GPtrArray *files);
void shardwise_document_look (ShardwiseDocument *self);
void shardwise_document_keep_mine (ShardwiseDocument *self);
void shardwise_document_follow_file (ShardwiseDocument *self);
void shardwise_document_revert (ShardwiseDocument *self, ShardwiseScenario *scenario);

/* ---- saving ---- */
gboolean shardwise_document_save (ShardwiseDocument *self, gboolean closes);
void shardwise_document_save_to (ShardwiseDocument *self, GFile *file, gboolean closes);
GFile *shardwise_document_get_saving (ShardwiseDocument *self, gboolean *closes);
gboolean shardwise_document_close_when_saved (ShardwiseDocument *self);
void shardwise_document_stay_open (ShardwiseDocument *self);

/* ---- draft ---- */
char *shardwise_document_drafts_folder (void);
void shardwise_document_take_draft (ShardwiseDocument *self, ShardwiseDraft *draft);
void shardwise_document_set_restored (ShardwiseDocument *self, gboolean restored);
void shardwise_document_discard_restored (ShardwiseDocument *self);
void shardwise_document_queue_draft (ShardwiseDocument *self);
void shardwise_document_keep_draft (ShardwiseDocument *self);
void shardwise_document_end_draft (ShardwiseDocument *self, gboolean quits);

G_END_DECLS
