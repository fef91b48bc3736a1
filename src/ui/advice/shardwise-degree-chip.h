/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-palette.h"
#include "shardwise-dimension.h"
#include "shardwise-container.h"

G_BEGIN_DECLS

/* One dimension of the strategy as a large, colored button: "TP 8". */
#define SHARDWISE_TYPE_DEGREE_CHIP (shardwise_degree_chip_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseDegreeChip, shardwise_degree_chip, SHARDWISE, DEGREE_CHIP, GtkButton)
/* Properties: "dimension" (int, SwDimension, construct-only), "value" (string) */

SwDimension shardwise_degree_chip_get_dimension (ShardwiseDegreeChip *self);
const char *shardwise_degree_chip_get_value (ShardwiseDegreeChip *self);

/* Gets the dimensions that a strategy shows as chips, in order, without those that are off. */
guint shardwise_degree_chip_dimensions (const SwStrategy *strategy,
                                        SwDimension dimensions[SW_N_DIMENSIONS]);
ShardwiseColor shardwise_dimension_color (SwDimension dimension);

/* The strategy as a wrapping row of chips. */
#define SHARDWISE_TYPE_CHIP_ROW (shardwise_chip_row_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseChipRow, shardwise_chip_row, SHARDWISE, CHIP_ROW, ShardwiseContainer)
/* Signal "dimension-activated" (int, SwDimension): a chip was clicked */

void shardwise_chip_row_set_strategy (ShardwiseChipRow *self, const SwStrategy *strategy);

G_END_DECLS
