/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* Exit statuses. Scripts depend on them: do not change them. */
enum {
  SHARDWISE_CLI_DONE = 0,
  SHARDWISE_CLI_WRONG_INPUT = 1,
  SHARDWISE_CLI_USAGE = 2,
  SHARDWISE_CLI_NOTHING_FITS = 3,
};

/* The input of every command that reads a scenario. */
typedef struct {
  char *file;                  /* for messages: FILE as given, or "command line" */
  ShardwiseScenario *scenario; /* NULL: the input was wrong and the error has been printed */
  gboolean json;
  gboolean is_optional;    /* FILE and keys may both be missing; then there is no scenario */
  gboolean takes_question; /* a question follows FILE */
  char *question;
  /* (nullable): returns what is wrong with the command's own options, or NULL. Called before FILE
   * is read, because wrong usage is wrong with any file. */
  const char *(*check) (gconstpointer data);
  gconstpointer data;
} ShardwiseCliInput;

void shardwise_cli_input_clear (ShardwiseCliInput *input);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ShardwiseCliInput, shardwise_cli_input_clear)
/* Parses the options (the command's own `entries`, NULL-terminated, and the keys of a scenario) and
 * reads the scenario. Returns an exit status; sets a scenario only on DONE. `summary` is one line
 * of the usage text. */
int shardwise_cli_input_read (ShardwiseCliInput *input, int argc, char **argv,
                              const GOptionEntry *entries, const char *summary);
#define SHARDWISE_CLI_SOME G_MAXUINT      /* parameters: one or more */
#define SHARDWISE_CLI_ANY (G_MAXUINT - 1) /* zero or more */
/* Parses the options of a command that reads no scenario. `parameters`: "FILE" etc. for the usage
 * text; `rest` (out) (transfer full): the other arguments, checked against n_rest. Returns an exit
 * status. */
int shardwise_cli_options (int argc, char **argv, const GOptionEntry *entries,
                           const char *parameters, const char *summary, guint n_rest, char ***rest);
GBytes *shardwise_cli_read (const char *file, GError **error);      /* "-": standard input;
                                                                       (transfer full) */
gboolean shardwise_cli_parse_start (const char *text, GDate *out);  /* YYYY-MM-DD; NULL: today */
int shardwise_cli_fail (const char *file, const GError *error);     /* prints one line; returns
                                                                       WRONG_INPUT */
int shardwise_cli_usage (const char *command, const char *message); /* prints one line; returns
                                                                       USAGE */

G_END_DECLS
