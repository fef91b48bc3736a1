/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A recipe of pre-training that Megatron-Bridge or NeMo 2 before it has: Python that a written file
 * changes, and that a file which is read starts from. */
typedef struct {
  const char *id;     /* of the catalogue */
  const char *module; /* (nullable): of megatron.bridge.recipes */
  const char *recipe; /* (nullable): its function */
  const char *nemo;   /* (nullable): of nemo.collections.llm */
  gboolean by_muon;   /* the recipe of Megatron-Bridge has another optimizer than Adam */
} ShardwiseRecipe;

/* (nullable): by the function's name, or a longer one of the same model, or NeMo's */
const ShardwiseRecipe *shardwise_recipe_find (const char *name);

G_END_DECLS
