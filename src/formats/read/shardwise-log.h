/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>
#include "shardwise-error.h"

G_BEGIN_DECLS

/* What lines of a training log say of speed and memory; 0: not said. */
typedef struct {
  const char *framework;       /* "Megatron-LM", of the line that told most; static */
  guint lines;                 /* that said something of speed */
  double step_s;               /* of one step, the median of the lines */
  double tokens_per_s_per_gpu; /* where the log has no time */
  double samples_per_s;        /* of the whole job, likewise */
  guint global_batch;          /* sequences, where the log says it */
  double memory_gib;           /* the maximum */
  char memory_kind;            /* 'r'eserved or 'a'llocated by PyTorch; 0 */
} ShardwiseLog;

gboolean shardwise_log_read (const char *text, gssize length, ShardwiseLog *out, GError **error);
double shardwise_log_get_step_s (const ShardwiseLog *self, guint gpus, guint global_batch,
                                 guint sequence_length);

G_END_DECLS
