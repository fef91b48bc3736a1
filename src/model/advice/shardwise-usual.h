/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-recipes.h"

G_BEGIN_DECLS

/* What others would run, beside what is recommended: as the framework's users begin, or as somebody
 * published it for this model and GPU. Texts are translated. */
typedef struct {
  const ShardwisePublished *recipe; /* (nullable): the convention of the framework */
  SwEstimate estimate;              /* of it, in this question */
  double change;     /* time per token relative to the recommended one: +0.08 = 8 % slower */
  char *name;        /* "Plain FSDP", "NVIDIA’s recipe for 64 H100" */
  char *text;        /* what the model says of it */
  GVariant *changes; /* a{sv} for win.apply: pins it */
} ShardwiseUsual;

GPtrArray *shardwise_usual_find (const SwProblem *problem, const SwEstimate *recommended);

G_END_DECLS
