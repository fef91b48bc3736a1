/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

/* A rule of thumb, checklist item or pitfall, from the playbook or from the user. A note has no
 * conditions. */
typedef struct {
  char *id;
  char *topic;        /* title of its group, translated; "" for the user's own */
  char *title, *text; /* translated */
  char *source;
  char *when;         /* ShardwiseCondition: the jobs it applies to */
  char *want;         /* ShardwiseCondition: what it requires; "": it cannot be violated */
  char *rule, *model; /* quantities of the rule and of the model to compare; "" */
} ShardwiseHeuristic;

#define SHARDWISE_TYPE_HEURISTIC (shardwise_heuristic_get_type ())
GType shardwise_heuristic_get_type (void);
ShardwiseHeuristic *shardwise_heuristic_new (void);
ShardwiseHeuristic *shardwise_heuristic_copy (const ShardwiseHeuristic *self);
void shardwise_heuristic_free (ShardwiseHeuristic *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseHeuristic, shardwise_heuristic_free)
gboolean shardwise_heuristic_matches (const ShardwiseHeuristic *self, const char *search);

GPtrArray *shardwise_heuristics_load (void);

G_END_DECLS
