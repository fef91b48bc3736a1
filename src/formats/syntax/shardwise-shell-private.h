/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-cursor.h"
#include "shardwise-shell.h"

G_BEGIN_DECLS

typedef struct {
  ShardwiseCursor cursor;
  ShardwiseShell *out;
  GHashTable *values; /* name -> ShardwiseShellWord */
  GHashTable *arrays; /* name -> GPtrArray of ShardwiseShellWord */
  gsize work;         /* bytes that expansion made, so that doubling variables end */
  guint depth;        /* of texts within texts */
  GError *error;
} ShardwiseShellReader;

/* The fields that one word becomes. */
typedef struct {
  GPtrArray *fields;  /* of ShardwiseShellWord */
  GString *text;      /* of the field that is being made */
  gboolean is_open;   /* there is one, if only an empty one in quotes */
  gboolean splits;    /* values outside quotes are cut at spaces */
  gboolean is_quoted; /* some of it stood in quotes */
  guint line, column;
} ShardwiseShellField;

ShardwiseShellWord *shardwise_shell_word_new (const char *text, guint line, guint column);
void shardwise_shell_word_free (gpointer word);
gboolean shardwise_shell_fail (ShardwiseShellReader *self, const char *text);
gboolean shardwise_shell_spend (ShardwiseShellReader *self, gsize bytes);
void shardwise_shell_set_value (ShardwiseShellReader *self, const char *name, const char *text,
                                guint line, guint column);

/* shardwise-shell-word.c */
gboolean shardwise_shell_read_word (ShardwiseShellReader *self, ShardwiseShellField *field);
void shardwise_shell_field_init (ShardwiseShellField *self, const ShardwiseShellReader *reader,
                                 gboolean splits);
void shardwise_shell_field_end (ShardwiseShellField *self);
void shardwise_shell_field_clear (ShardwiseShellField *self);

/* shardwise-shell-expand.c: at a dollar or a backquote */
gboolean
shardwise_shell_expand (ShardwiseShellReader *self, ShardwiseShellField *field, gboolean quoted);
gboolean shardwise_shell_skip_brackets (ShardwiseShellReader *self, char open, char close);

/* shardwise-shell-loose.c: options that are only assigned */
void shardwise_shell_collect_loose (ShardwiseShellReader *self);

G_END_DECLS
