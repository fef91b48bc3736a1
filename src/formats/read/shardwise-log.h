/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>
#include "shardwise-error.h"

G_BEGIN_DECLS

/* What a training log states about speed and memory; 0: not stated. */
typedef struct {
  const char *framework;       /* the framework whose line stated the most, "Megatron-LM"; static */
  guint lines;                 /* lines that stated a speed */
  double step_s;               /* median over the lines */
  double tokens_per_s_per_gpu; /* if the log has no step time */
  double samples_per_s;        /* of the whole job, if the log has no step time */
  guint global_batch;          /* sequences */
  double memory_gib;           /* maximum over the lines */
  char memory_kind;            /* 'r'eserved or 'a'llocated by PyTorch; 0: unknown */
} ShardwiseLog;

gboolean shardwise_log_read (const char *text, gssize length, ShardwiseLog *out, GError **error);
double shardwise_log_get_step_s (const ShardwiseLog *self, guint gpus, guint global_batch,
                                 guint sequence_length);

G_END_DECLS
