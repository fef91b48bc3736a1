/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-export-job.h"

G_BEGIN_DECLS

/* A command line of options, written as a shell array if it has a name. */
typedef struct {
  const char *name; /* (nullable): "MODEL_ARGS" */
  GPtrArray *args;  /* of char*: an option, then its values */
} ShardwiseArguments;

/* The program that starts the processes of a node. */
typedef enum {
  SHARDWISE_STARTER_TORCHRUN,
  SHARDWISE_STARTER_ACCELERATE, /* accelerate launch */
  SHARDWISE_STARTER_TUNE,       /* tune run; takes torchrun's options */
  SHARDWISE_STARTER_PYTHON,     /* one process */
  SHARDWISE_STARTER_RAY,        /* one process on the first node of a Ray cluster */
} ShardwiseStarter;

/* How the files of a format are started on each node. */
struct _ShardwiseLaunch {
  ShardwiseStarter starter;
  const char *config;     /* accelerate launch: its file */
  char *script;           /* "pretrain_gpt.py" */
  gboolean is_module;     /* torchrun -m */
  GPtrArray *groups;      /* of ShardwiseArguments */
  GPtrArray *environment; /* of char*: "NAME=value" */
};

/* Command lines, as values and as shell text. They contain only computed values, never a string
 * from the user. */
void shardwise_launch_init (ShardwiseLaunch *self, const char *script);
void shardwise_launch_clear (ShardwiseLaunch *self);
/* (transfer none) */
GPtrArray *shardwise_launch_add_group (ShardwiseLaunch *self, const char *name);
void shardwise_launch_set (ShardwiseLaunch *self, const char *variable, const char *value);
void shardwise_launch_limit_connections (ShardwiseLaunch *self, const ShardwiseExportJob *job);
void shardwise_args_flag (GPtrArray *args, const char *option);
void shardwise_args_word (GPtrArray *args, const char *option, const char *value);
void shardwise_args_int (GPtrArray *args, const char *option, guint value);
void shardwise_launch_append_script (const ShardwiseLaunch *self, const ShardwiseExportJob *job,
                                     GString *text);
char *shardwise_launch_line (const ShardwiseExportJob *job);
char *shardwise_launcher_text (const ShardwiseFormatInfo *launcher, ShardwiseExportJob *job);
void shardwise_launcher_add_notes (const ShardwiseFormatInfo *launcher, ShardwiseExportJob *job);
void shardwise_launch_of (const ShardwiseExportJob *job, ShardwiseLaunch *launch);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ShardwiseLaunch, shardwise_launch_clear)

G_END_DECLS
