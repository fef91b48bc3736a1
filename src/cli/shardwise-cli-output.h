/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "sw-estimate.h"

G_BEGIN_DECLS

/* Both free what they print and return `status`, or WRONG_INPUT if writing failed. */
int shardwise_cli_print (char *text, int status);
int shardwise_cli_print_json (JsonNode *node, int status);

/* Each begins with an empty line and a heading. */
void
shardwise_cli_append_estimate (GString *out, const SwProblem *problem, const SwEstimate *estimate);
void shardwise_cli_append_communication (GString *out, const SwProblem *problem,
                                         const SwStrategy *strategy);
void shardwise_cli_append_notes (GString *out, GPtrArray *notes);

void shardwise_cli_append_heading (GString *out, const char *title);
void shardwise_cli_append_row (GString *out, const char *label, const char *value);
void shardwise_cli_append_number (GString *csv, double value, gboolean known);
void shardwise_cli_append_wrapped (GString *out, const char *indent, const char *text);

G_END_DECLS
