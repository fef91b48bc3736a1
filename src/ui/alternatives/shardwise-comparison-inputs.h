/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-comparison.h"

G_BEGIN_DECLS

/* An input in which compared scenarios are not the same. */
typedef struct {
  char *title; /* "Sequence length, tokens"; translated */
  guint n;
  char *texts[SHARDWISE_COMPARISON_MAX]; /* of each column; "–": it says nothing of it */
} ShardwiseComparisonInput;

GPtrArray *shardwise_comparison_inputs (ShardwiseComparison *comparison);

G_END_DECLS
