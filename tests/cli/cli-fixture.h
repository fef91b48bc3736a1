/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* What a run of the program came to. */
typedef struct {
  int status;
  char *out, *err;
} Outcome;

void cli_outcome_clear (Outcome *outcome);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Outcome, cli_outcome_clear)

/* Runs the built shardwise-cli. `arguments`: separated by spaces; @EXAMPLES@ is the folder of the
 * examples. `input` (nullable): its standard input. */
void run (const char *arguments, const char *input, Outcome *out);
/* The same, which is to end with `status` and nothing said; the object it prints lives in
 * `node`. */
JsonObject *run_json (const char *arguments, const char *input, int status, JsonNode **node);

G_END_DECLS
