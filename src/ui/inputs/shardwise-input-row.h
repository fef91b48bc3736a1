/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-input-option.h"
#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* One key of the scenario as a row: title, unit, control, reset button and error. The table of keys
 * defines all differences between rows. */
#define SHARDWISE_TYPE_INPUT_ROW (shardwise_input_row_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseInputRow, shardwise_input_row, SHARDWISE, INPUT_ROW, AdwActionRow)

/* Properties: "path" (string, construct-only), "hint" (string, nullable: subtitle before the unit),
 * "automatic" (boolean, construct-only: if not set, the search chooses), "scenario" */

const ShardwiseKey *shardwise_input_row_get_key (ShardwiseInputRow *self);
void shardwise_input_row_set_scenario (ShardwiseInputRow *self, ShardwiseScenario *scenario);
/* message: (nullable): from the advice */
void shardwise_input_row_set_error (ShardwiseInputRow *self, const char *message);
/* Sets the search's choice ("8"), shown as "Auto (8)". options: (nullable): of
 * ShardwiseInputOption: the values that it can be pinned to. */
void
shardwise_input_row_set_choice (ShardwiseInputRow *self, const char *chosen, GListModel *options);
void shardwise_input_row_flush (ShardwiseInputRow *self);
/* Typed text that is not in the scenario, so that it can be saved in the draft. Signal "typed"
 * (row): there may be some. */
const char *shardwise_input_row_get_typed (ShardwiseInputRow *self); /* (nullable) */
void shardwise_input_row_set_typed (ShardwiseInputRow *self, const char *text);
/* (transfer none): entry, drop-down or switch */
GtkWidget *shardwise_input_row_get_control (ShardwiseInputRow *self);

char *shardwise_input_help_text (ShardwiseInputRow *row);

G_END_DECLS
