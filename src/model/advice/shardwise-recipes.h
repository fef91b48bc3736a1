/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-scenario.h"
#include "sw-estimate.h"

G_BEGIN_DECLS

/* A published way to train a model: only the layout, never the results measured with it. */
typedef struct {
  char *id, *by;
  char *source;     /* repository, commit and path, or table of a paper */
  gboolean any_gpu; /* the source does not name a GPU; the scenario's is one of the possible */
  ShardwiseScenario *scenario; /* includes the whole strategy */
  SwProblem problem;
  SwEstimate estimate;
} ShardwisePublished;

enum { SHARDWISE_MOST_RECIPES = 3 };

GPtrArray *shardwise_recipes_read (const char *text, gssize length, GError **error);
GPtrArray *shardwise_recipes_get (void);
guint shardwise_recipes_match (const SwProblem *problem,
                               const ShardwisePublished *out[SHARDWISE_MOST_RECIPES]);

G_END_DECLS
