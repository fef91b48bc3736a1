/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-recipes.h"

G_BEGIN_DECLS

/* Another common choice beside the recommended strategy: the default of the framework's users, or a
 * recipe published for this model and GPU. Texts are translated. */
typedef struct {
  const ShardwisePublished *recipe; /* (nullable): NULL: the default of the framework's users */
  SwEstimate estimate;              /* of that choice, for this question */
  double change;     /* time per token relative to the recommended strategy: +0.08 = 8 % slower */
  char *name;        /* "Plain FSDP", "NVIDIA’s recipe for 64 H100" */
  char *text;        /* the model's assessment */
  GVariant *changes; /* a{sv} for win.apply: pins it */
} ShardwiseUsual;

GPtrArray *shardwise_usual_find (const SwProblem *problem, const SwEstimate *recommended);

G_END_DECLS
