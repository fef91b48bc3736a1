/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"

G_BEGIN_DECLS

typedef enum { SW_FSDP_NO_SHARD, SW_FSDP_SHARD_GRAD_OP, SW_FSDP_FULL_SHARD } SwFsdpStrategy;
extern const char *const sw_fsdp_strategy_names[]; /* NO_SHARD, SHARD_GRAD_OP, FULL_SHARD */

/* One (TP, PP, DP) with its weighted score; shares are 0-1, memory in 1e9 bytes. */
typedef struct {
  guint tp, pp, dp, micro_batches;
  gboolean has_batch; /* micro_batches follow from a stated batch, not from the method's 8 */
  guint gpus_idle;    /* because more replicas would not divide the batch */
  double score, compute_utilisation, tp_overhead, bubble, dp_overhead;
  double dp_bonus;
  double memory_utilisation; /* memory_gb / nominal memory */
  double memory_gb;          /* per GPU */
  double limit_gb;           /* nominal memory x the memory target */
  guint zero_stage;          /* as published */
  SwFsdpStrategy fsdp;
  gboolean fits;
} SwQuickScore;

enum { SW_QUICK_SCORE_ALTERNATIVES = 3 };

typedef struct {
  gboolean fits;
  SwQuickScore best; /* if nothing fits, the one with the least memory per GPU */
  guint n_alternatives;
  SwQuickScore alternatives[SW_QUICK_SCORE_ALTERNATIVES];
  guint n, n_fit, n_refused; /* all splits; those within the target; those that no framework runs */
} SwQuickScoreResult;

double sw_quick_score_total_gb (double parameters, gboolean lora);
double sw_quick_score_bubble (guint pp, guint micro_batches);
void
sw_quick_score_evaluate (const SwProblem *problem, guint tp, guint pp, guint dp, SwQuickScore *out);
void sw_quick_score (const SwProblem *problem, SwQuickScoreResult *out);
void sw_quick_score_describe (const SwProblem *problem, const SwQuickScore *score, SwStrategy *out);
void sw_quick_score_strategy (const SwProblem *problem, const SwQuickScore *score, SwStrategy *out);

G_END_DECLS
