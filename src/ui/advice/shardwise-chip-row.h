/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-degree-chip.h"

G_BEGIN_DECLS

/* The strategy as a row of chips that wraps. */
#define SHARDWISE_TYPE_CHIP_ROW (shardwise_chip_row_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseChipRow, shardwise_chip_row, SHARDWISE, CHIP_ROW, GtkWidget)
/* signal "dimension-activated" (int, SwDimension): a chip was clicked */

void shardwise_chip_row_set_strategy (ShardwiseChipRow *self, const SwStrategy *strategy);

G_END_DECLS
