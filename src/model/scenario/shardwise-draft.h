/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include "shardwise-factors.h"

G_BEGIN_DECLS

/* The saved state of an open document. */
typedef struct {
  char *uri;                /* of its file; "": none */
  char *saved;              /* the scenario as last opened or saved */
  char *edited;             /* the current scenario; "": unchanged */
  char *said;               /* messages about the imported job or model; "": none */
  ShardwiseFactors factors; /* from the user's runs; calibrate the document */
  GVariant *typed;          /* a{ss} (nullable): key path to typed text that is not a valid value
                               yet */
  gboolean ended;           /* the program ended normally */
} ShardwiseDraftContent;

ShardwiseDraftContent *shardwise_draft_content_new (void);
void shardwise_draft_content_free (ShardwiseDraftContent *content);
gboolean shardwise_draft_content_has_edits (const ShardwiseDraftContent *content);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseDraftContent, shardwise_draft_content_free)

/* A file in the state directory for each open document, which survives crashes. Only the program
 * that holds its lock writes it. */
#define SHARDWISE_TYPE_DRAFT (shardwise_draft_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseDraft, shardwise_draft, SHARDWISE, DRAFT, GObject)

ShardwiseDraft *shardwise_draft_new (const char *folder);
GPtrArray *shardwise_drafts_claim (const char *folder); /* (element-type ShardwiseDraft): left by
                                                           programs that have ended */
ShardwiseDraftContent *shardwise_draft_read (ShardwiseDraft *self, GError **error);
gboolean
shardwise_draft_write (ShardwiseDraft *self, const ShardwiseDraftContent *content, GError **error);
void shardwise_draft_write_async (ShardwiseDraft *self, ShardwiseDraftContent *content,
                                  /* (transfer full) */
                                  GAsyncReadyCallback callback, gpointer data);
gboolean shardwise_draft_write_finish (ShardwiseDraft *self, GAsyncResult *result, GError **error);
void shardwise_draft_remove (ShardwiseDraft *self);
char *shardwise_draft_set_aside (ShardwiseDraft *self);

G_END_DECLS
