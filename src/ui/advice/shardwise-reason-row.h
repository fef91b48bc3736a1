/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-advice.h"

G_BEGIN_DECLS

/* Why a dimension has its value: one line that expands to the paragraph and the table of other
 * values. */
#define SHARDWISE_TYPE_REASON_ROW (shardwise_reason_row_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseReasonRow, shardwise_reason_row, SHARDWISE, REASON_ROW,
                      AdwExpanderRow)

GtkWidget *shardwise_reason_row_new (SwDimension dimension);
SwDimension shardwise_reason_row_get_dimension (ShardwiseReasonRow *self);
/* The row holds a reference on the advice that owns the rationale. */
void shardwise_reason_row_set_rationale (ShardwiseReasonRow *self, ShardwiseAdvice *advice,
                                         const ShardwiseRationale *rationale);

G_END_DECLS
