/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

/* A rule of thumb, a line of a checklist or a pitfall: the playbook's own, or the user's. A note is
 * one without conditions. */
typedef struct {
  char *id;
  char *topic;        /* title of its group, translated; "" of the user's own */
  char *title, *text; /* translated */
  char *source;
  char *when;         /* ShardwiseCondition: on which jobs it bears */
  char *want;         /* ShardwiseCondition: what it asks for; "": it cannot be violated */
  char *rule, *model; /* quantities that it and the model each give a number for; "" */
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
