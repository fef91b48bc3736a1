/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include "shardwise-factors.h"

G_BEGIN_DECLS

/* What is kept of a document while it is open. */
typedef struct {
  char *uri;    /* of its file; "" where it has none */
  char *saved;  /* the scenario as it was opened or saved last */
  char *edited; /* as it is now; "" where that is the same */
  char *said;   /* about the job or model that it came from; "" where there is nothing */
  ShardwiseFactors factors; /* of the user's runs that it is calibrated by */
  GVariant *typed;          /* a{ss} (nullable): key path to text that no scenario holds yet */
  gboolean ended;           /* the program ended as it should */
} ShardwiseDraftContent;

ShardwiseDraftContent *shardwise_draft_content_new (void);
void shardwise_draft_content_free (ShardwiseDraftContent *content);
gboolean shardwise_draft_content_has_edits (const ShardwiseDraftContent *content);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseDraftContent, shardwise_draft_content_free)

/* A file in the state directory that outlives the program: one for each open document, written only
 * by the program that holds its lock. */
#define SHARDWISE_TYPE_DRAFT (shardwise_draft_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseDraft, shardwise_draft, SHARDWISE, DRAFT, GObject)

ShardwiseDraft *shardwise_draft_new (const char *folder);
GPtrArray *shardwise_drafts_claim (const char *folder); /* (element-type ShardwiseDraft): left by
                                                           programs that are gone */
ShardwiseDraftContent *shardwise_draft_read (ShardwiseDraft *self, GError **error);
gboolean
shardwise_draft_write (ShardwiseDraft *self, const ShardwiseDraftContent *content, GError **error);
void shardwise_draft_write_async (ShardwiseDraft *self, ShardwiseDraftContent *content,
                                  /* takes the content */
                                  GAsyncReadyCallback callback, gpointer data);
gboolean shardwise_draft_write_finish (ShardwiseDraft *self, GAsyncResult *result, GError **error);
void shardwise_draft_remove (ShardwiseDraft *self);
char *shardwise_draft_set_aside (ShardwiseDraft *self);

G_END_DECLS
