/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-node.h"

G_BEGIN_DECLS

/* the value of a variable that branches set to different ones */
#define SHARDWISE_SHELL_UNDECIDED "\001?"

typedef struct {
  char *text;
  guint line, column;
} ShardwiseShellWord;

/* A command with its arguments, after expansion. */
typedef struct {
  GPtrArray *words; /* of ShardwiseShellWord */
} ShardwiseShellCommand;

/* What a launch script of sh or bash says, without running any of it: assignments, arrays and
 * quotes are followed from top to bottom, conditions are not evaluated. */
typedef struct {
  GPtrArray *commands;          /* of ShardwiseShellCommand */
  GHashTable *variables;        /* name -> value; without arrays */
  GPtrArray *sbatch;            /* of ShardwiseShellWord: options of #SBATCH lines */
  ShardwiseShellCommand *loose; /* options in variables, in the order of their lines: of a file for
                                   another script to source */
  guint condition_line;         /* of the first if, case or loop; 0: none */
} ShardwiseShell;

/* sources: (nullable): the text of files that it may source, by their names without folder */
ShardwiseShell *
shardwise_shell_read (const char *text, gsize length, GHashTable *sources, GError **error);
void shardwise_shell_free (ShardwiseShell *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseShell, shardwise_shell_free)

G_END_DECLS
