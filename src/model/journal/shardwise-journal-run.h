/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

/* A measured run of the user's own. Either figure may be missing, not both. */
typedef struct {
  gint64 id; /* 0: not stored yet */
  char *name;
  char *day;         /* "2026-11-22": when it was measured */
  char *scenario;    /* JSON of a scenario that pins the whole strategy */
  double step_s;     /* of one step; 0: not measured */
  double memory_gib; /* greatest on one GPU; 0: not measured */
  char memory_kind;  /* 'p'rocess as nvidia-smi counts, PyTorch's 'r'eserved or 'a'llocated */
  char *note;
} ShardwiseJournalRun;

#define SHARDWISE_TYPE_JOURNAL_RUN (shardwise_journal_run_get_type ())
GType shardwise_journal_run_get_type (void);
ShardwiseJournalRun *shardwise_journal_run_new (void);
ShardwiseJournalRun *shardwise_journal_run_copy (const ShardwiseJournalRun *self);
void shardwise_journal_run_free (ShardwiseJournalRun *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseJournalRun, shardwise_journal_run_free)

G_END_DECLS
