/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>
#include "sw-calibration.h"

G_BEGIN_DECLS

/* How a user's own runs differ from the model: physical factors on its constants, 1 as it is. */
typedef struct {
  double kernel;  /* rate of every kernel, of arithmetic and of memory alike */
  double network; /* bandwidth that collectives reach, on every link */
  double memory;  /* what the allocator reserves over what it hands out */
} ShardwiseFactors;

#define SHARDWISE_FACTORS_NEUTRAL ((ShardwiseFactors){ 1.0, 1.0, 1.0 })

/* No factor that a fit may give is outside: a run twice as fast as predicted is another job. */
#define SHARDWISE_FACTOR_LEAST 0.5
#define SHARDWISE_FACTOR_MOST 2.0

ShardwiseFactors shardwise_factors_round (const ShardwiseFactors *factors);
gboolean shardwise_factors_are_neutral (const ShardwiseFactors *factors);
gboolean shardwise_factors_equal (const ShardwiseFactors *a, const ShardwiseFactors *b);
void shardwise_factors_apply (const ShardwiseFactors *factors, const SwCalibration *base,
                              SwCalibration *out);
char *shardwise_factors_to_text (const ShardwiseFactors *factors);

G_END_DECLS
