/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-node.h"

G_BEGIN_DECLS

/* the value of a variable that branches set differently */
#define SHARDWISE_SHELL_UNDECIDED "\001?"

typedef struct {
  char *text;
  guint line, column;
} ShardwiseShellWord;

/* A command with its arguments after expansion. */
typedef struct {
  GPtrArray *words; /* of ShardwiseShellWord */
} ShardwiseShellCommand;

/* What an sh or bash launch script defines, without running it: assignments, arrays and quotes are
 * evaluated from top to bottom, conditions are not. */
typedef struct {
  GPtrArray *commands;          /* of ShardwiseShellCommand */
  GHashTable *variables;        /* name -> value; without arrays */
  GPtrArray *sbatch;            /* of ShardwiseShellWord: options of #SBATCH lines */
  ShardwiseShellCommand *loose; /* options assigned to variables, in line order: of a file that
                                   another script sources */
  guint condition_line;         /* line of the first if, case or loop; 0: none */
} ShardwiseShell;

/* sources: (nullable): texts of the files that it may source, by base name */
ShardwiseShell *
shardwise_shell_read (const char *text, gsize length, GHashTable *sources, GError **error);
void shardwise_shell_free (ShardwiseShell *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseShell, shardwise_shell_free)

G_END_DECLS
