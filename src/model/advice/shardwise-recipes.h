/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-scenario.h"
#include "sw-estimate.h"

G_BEGIN_DECLS

/* How somebody published that a model is trained: a layout, never what was measured with it. */
typedef struct {
  char *id, *by;
  char *source;     /* repository, commit and path, or a paper's table */
  gboolean any_gpu; /* it names no GPU: that of the scenario is one on which it was looked at */
  ShardwiseScenario *scenario; /* with the whole strategy */
  SwProblem problem;
  SwEstimate estimate;
} ShardwisePublished;

enum { SHARDWISE_MOST_RECIPES = 3 };

GPtrArray *shardwise_recipes_read (const char *text, gssize length, GError **error);
GPtrArray *shardwise_recipes_get (void);
guint shardwise_recipes_match (const SwProblem *problem,
                               const ShardwisePublished *out[SHARDWISE_MOST_RECIPES]);

G_END_DECLS
