/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>
#include "sw-calibration.h"

G_BEGIN_DECLS

/* How a user's own runs differ from the model: factors on its physical constants; 1: as
 * predicted. */
typedef struct {
  double kernel;  /* rate of all kernels, arithmetic and memory */
  double network; /* bandwidth of collectives on all links */
  double memory;  /* reserved / allocated memory */
} ShardwiseFactors;

#define SHARDWISE_FACTORS_NEUTRAL ((ShardwiseFactors){ 1.0, 1.0, 1.0 })

/* Limits of fitted factors: a run twice as fast as predicted is a different job. */
#define SHARDWISE_FACTOR_LEAST 0.5
#define SHARDWISE_FACTOR_MOST 2.0

ShardwiseFactors shardwise_factors_round (const ShardwiseFactors *factors);
gboolean shardwise_factors_are_neutral (const ShardwiseFactors *factors);
gboolean shardwise_factors_equal (const ShardwiseFactors *a, const ShardwiseFactors *b);
void shardwise_factors_apply (const ShardwiseFactors *factors, const SwCalibration *base,
                              SwCalibration *out);
char *shardwise_factors_to_text (const ShardwiseFactors *factors);

G_END_DECLS
