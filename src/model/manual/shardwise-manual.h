/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The pages of the manual (help/C) built into the program, for machines without a help viewer. */
typedef struct _ShardwiseManual ShardwiseManual;

/* An element of a page, or text between elements. */
typedef struct {
  char *name;             /* "section"; NULL: text */
  char *text;             /* only of text */
  GHashTable *attributes; /* name -> value; NULL: text */
  GPtrArray *children;    /* of ShardwiseManualNode; NULL: text */
} ShardwiseManualNode;

/* A search result in the manual. */
typedef struct {
  char *topic; /* "memory#logits" */
  char *title, *text;
} ShardwiseManualHit;

ShardwiseManual *shardwise_manual_new (void);
void shardwise_manual_free (ShardwiseManual *self);
GPtrArray *shardwise_manual_get_pages (ShardwiseManual *self);
const ShardwiseManualNode *
shardwise_manual_find (ShardwiseManual *self, const char *topic, const ShardwiseManualNode **page);
GPtrArray *shardwise_manual_get_guided (ShardwiseManual *self, const char *topic);
GPtrArray *shardwise_manual_search (ShardwiseManual *self, const char *words);
gboolean shardwise_manual_show_in_viewer (const char *topic);

gboolean shardwise_manual_node_is (const ShardwiseManualNode *self, const char *name);
const char *shardwise_manual_node_get (const ShardwiseManualNode *self, const char *attribute);
const ShardwiseManualNode *
shardwise_manual_node_child (const ShardwiseManualNode *self, const char *name);
char *shardwise_manual_node_text (const ShardwiseManualNode *self);
char *shardwise_manual_node_title (const ShardwiseManualNode *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseManual, shardwise_manual_free)

G_END_DECLS
