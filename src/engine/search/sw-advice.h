/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-quick-score.h"

G_BEGIN_DECLS

/* Recommendations that may apply to a result. The model layer has the texts. */
typedef enum {
  SW_ADVICE_DOES_NOT_FIT,
  SW_ADVICE_RAISE_TP,
  SW_ADVICE_BIGGER_GPU,
  SW_ADVICE_TP_OVERHEAD,
  SW_ADVICE_MEMORY_HIGH,
  SW_ADVICE_MEMORY_LOW,
  SW_ADVICE_DP_ONE,
  SW_ADVICE_TP_ACROSS_NODES,
  SW_ADVICE_BUBBLE_LARGE,
  SW_ADVICE_COMMUNICATION_HIGH,
  SW_ADVICE_BATCH_LARGE,
  SW_ADVICE_BATCH_SMALL,
  SW_ADVICE_GPUS_IDLE,
  SW_ADVICE_PIN_COSTS, /* these two need a search without the pins */
  SW_ADVICE_PINS_COST,
  SW_ADVICE_BATCH_DEFAULT, /* the batch is the default, and another may use the GPUs better */
  SW_N_ADVICE
} SwAdviceCode;
extern const char *const sw_advice_names[]; /* "does-not-fit", "raise-tp", … */

#define SW_BATCH_LARGE_TOKENS 16.8e6 /* per step of pre-training: see sw-advice.c */
#define SW_WORTH_ANOTHER_BATCH                                                                     \
  0.05 /* smallest gain in throughput over the default batch worth
                                        mentioning */

/* Return the set (bits 1 << SwAdviceCode) that applies to a quick score, to the strategy of the
 * decision tree, and to an estimate. */
guint sw_quick_score_advice (const SwProblem *problem, const SwQuickScoreResult *result);
guint sw_playbook_advice (const SwProblem *problem, const SwEstimate *estimate);
guint sw_estimate_advice (const SwProblem *problem, const SwEstimate *estimate);

G_END_DECLS
