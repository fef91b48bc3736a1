/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-factors.h"
#include "shardwise-journal.h"
#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* The predictions for one run. */
typedef struct {
  double step_s, memory_gib;                       /* by the model as it is */
  double calibrated_step_s, calibrated_memory_gib; /* with the fitted factors */
  char *job;   /* (nullable): "Llama 3 8B on 16 H100 SXM5 80 GB, TP 2 · DP 8" */
  char *error; /* (nullable): why there is no prediction */
} ShardwiseJournalPrediction;

/* The fit of all runs of a journal. */
typedef struct {
  ShardwiseFactors factors; /* for the requested GPU */
  guint n_time, n_memory;   /* number of figures used */
  /* Medians of |predicted / measured - 1|. left_out: each run with factors fitted on the others; 0
   * with fewer than three runs. */
  double time_before, time_after, time_left_out;
  double memory_before, memory_after;
  GPtrArray *predictions; /* of ShardwiseJournalPrediction, in the order of the runs */
} ShardwiseJournalFit;

ShardwiseFactors shardwise_factors_of_runs (GPtrArray *runs, const char *gpu);
ShardwiseJournalFit *shardwise_journal_fit (GPtrArray *runs, const char *gpu);
void shardwise_journal_fit_async (ShardwiseJournal *journal, ShardwiseScenario *scenario,
                                  GCancellable *cancellable, GAsyncReadyCallback callback,
                                  gpointer data);
ShardwiseJournalFit *
shardwise_journal_fit_finish (ShardwiseJournal *journal, GAsyncResult *result, GError **error);
void shardwise_journal_fit_free (ShardwiseJournalFit *self);
char *shardwise_journal_fit_text (const ShardwiseJournalFit *self);
char *shardwise_journal_run_text (const ShardwiseJournalRun *run,
                                  const ShardwiseJournalPrediction *prediction);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseJournalFit, shardwise_journal_fit_free)

G_END_DECLS
