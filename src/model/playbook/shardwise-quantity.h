/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"

G_BEGIN_DECLS

typedef enum {
  SHARDWISE_UNIT_COUNT,
  SHARDWISE_UNIT_BILLIONS,
  SHARDWISE_UNIT_MILLIONS, /* of tokens */
  SHARDWISE_UNIT_PERCENT,
  SHARDWISE_UNIT_GIB,
  SHARDWISE_UNIT_MEGABYTES,
  SHARDWISE_UNIT_RATIO,
  SHARDWISE_UNIT_FLAG,     /* 0 or 1 */
  SHARDWISE_UNIT_DIMENSION /* of a strategy, formatted like the dimension */
} ShardwiseUnit;

/* A number that rules can use: of the job, of the strategy, or computed by a rule of thumb. */
typedef struct {
  const char *name;  /* its name in conditions: "batch-tokens" */
  const char *label; /* not yet translated */
  ShardwiseUnit unit;
  SwDimension dimension; /* with SHARDWISE_UNIT_DIMENSION */
  double (*get) (const SwProblem *problem, const SwEstimate *estimate);
} ShardwiseQuantity;

const ShardwiseQuantity *shardwise_quantity_find (const char *name);
double shardwise_quantity_get (const ShardwiseQuantity *self, const SwProblem *problem,
                               const SwEstimate *estimate);
char *shardwise_quantity_format (const ShardwiseQuantity *self, double value);
char *shardwise_quantity_format_bound (const ShardwiseQuantity *self, double value);
char *shardwise_quantity_describe (const ShardwiseQuantity *self, double value);

G_END_DECLS
