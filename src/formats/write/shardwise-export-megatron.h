/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A pre-training recipe of Megatron-Bridge, or of its predecessor NeMo 2: exported Python modifies
 * it, and imported Python starts from it. */
typedef struct {
  const char *id;     /* in the catalog */
  const char *module; /* (nullable): in megatron.bridge.recipes */
  const char *recipe; /* (nullable): its function */
  const char *nemo;   /* (nullable): in nemo.collections.llm */
  gboolean by_muon;   /* Megatron-Bridge's recipe does not use Adam */
} ShardwiseRecipe;

/* Returns: (nullable): the recipe by function name, by a longer name for the same model, or by
 * NeMo's name */
const ShardwiseRecipe *shardwise_recipe_find (const char *name);

G_END_DECLS
