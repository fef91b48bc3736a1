/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* Exit statuses: a contract. */
enum {
  SHARDWISE_CLI_DONE = 0,
  SHARDWISE_CLI_WRONG_INPUT = 1,
  SHARDWISE_CLI_USAGE = 2,
  SHARDWISE_CLI_NOTHING_FITS = 3,
};

/* What every command that reads a scenario has. */
typedef struct {
  char *file;                  /* as in messages: FILE as it was given, or "command line" */
  ShardwiseScenario *scenario; /* NULL: the input was wrong, and that was said */
  gboolean json;
  gboolean is_optional;    /* neither FILE nor a key is needed; then there is no scenario */
  gboolean takes_question; /* a question follows FILE */
  char *question;
  /* (nullable): what is wrong with the command's own options, or NULL; asked before FILE is read,
   * since a wrong usage is wrong with any file */
  const char *(*check) (gconstpointer data);
  gconstpointer data;
} ShardwiseCliInput;

void shardwise_cli_input_clear (ShardwiseCliInput *input);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ShardwiseCliInput, shardwise_cli_input_clear)
/* Parses options (NULL-terminated `entries` of the command beside the keys of a scenario) and reads
 * the scenario.
 * Returns an exit status; only DONE leaves a scenario. `summary`: one line for the usage. */
int shardwise_cli_input_read (ShardwiseCliInput *input, int argc, char **argv,
                              const GOptionEntry *entries, const char *summary);
#define SHARDWISE_CLI_SOME G_MAXUINT      /* parameters: one or more */
#define SHARDWISE_CLI_ANY (G_MAXUINT - 1) /* or none */
/* The options of a command that reads no scenario; `parameters`: "FILE" etc. for the usage; `rest`
 * (out) (transfer full): what is left, checked against n_rest. */
int shardwise_cli_options (int argc, char **argv, const GOptionEntry *entries,
                           const char *parameters, const char *summary, guint n_rest, char ***rest);
GBytes *shardwise_cli_read (const char *file, GError **error);      /* "-": standard input */
gboolean shardwise_cli_parse_start (const char *text, GDate *out);  /* YYYY-MM-DD; NULL: today */
int shardwise_cli_fail (const char *file, const GError *error);     /* one line; WRONG_INPUT */
int shardwise_cli_usage (const char *command, const char *message); /* one line; USAGE */

G_END_DECLS
