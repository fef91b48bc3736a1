/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "sw-communication.h"
#include "sw-tensors.h"

G_BEGIN_DECLS

/* Translated sentences and formatted numbers of the engine's values. All return newly allocated
 * strings. */
char *shardwise_text_dimension (SwDimension dimension); /* "Tensor parallel" */
char *
shardwise_text_dimension_value (SwDimension dimension, guint value); /* "8", "selective", "on" */
/* "8", "first 3 layers" */
char *shardwise_text_value (const SwStrategy *strategy, SwDimension dimension);
gboolean
shardwise_dimension_is_implied (const SwStrategy *a, const SwStrategy *b, SwDimension dimension);
const char *shardwise_text_framework (guint framework); /* "Megatron-Core"; static */
char *shardwise_text_rule (const SwProblem *problem, const SwStrategy *strategy, SwRule rule,
                           double missing_bytes);
char *shardwise_text_strategy (const SwStrategy *strategy); /* "TP 8 · PP 4 · DP 1 · ZeRO 1 · …" */
char *shardwise_text_gpu_of_stage (const SwStrategy *strategy, guint stage);
int shardwise_text_beside (const SwReason *reason, int step);
char *shardwise_text_rationale (const SwProblem *problem, const SwEstimate *chosen,
                                const SwReason *reason);
char *shardwise_text_neighbour (const SwProblem *problem, const SwEstimate *chosen,
                                const SwNeighbour *neighbour);
char *
shardwise_text_advice (const SwProblem *problem, const SwEstimate *estimate, SwAdviceCode code);
char *shardwise_text_quick_advice (const SwProblem *problem, const SwQuickScoreResult *result,
                                   SwAdviceCode code);
ShardwiseSeverity shardwise_advice_severity (SwAdviceCode code);
char *shardwise_text_change_name (const SwProblem *problem, const SwChange *change);
char *shardwise_text_change (const SwProblem *problem, const SwChange *change);
char *shardwise_text_miss (const SwProblem *problem, const SwChange *change);
char *shardwise_text_capitalise (const char *text);
char *shardwise_text_host_lack (const SwProblem *problem, const SwEstimate *estimate);
char *shardwise_text_refusal (const SwProblem *problem, const SwEstimate *estimate);
char *shardwise_text_verdict (const SwProblem *problem, const SwEstimate *estimate, double days,
                              double cost, const char *currency);
char *shardwise_text_validated_choice (const SwEstimate *recommended, const SwEstimate *validated);
GPtrArray *shardwise_text_steps (const SwProblem *problem, const SwEstimate *estimate,
                                 const SwSearchResult *search); /* of ShardwiseStep */
const char *shardwise_text_rule_title (SwRule rule); /* "Over the memory target"; static */
char *shardwise_text_limits (gboolean filters);      /* "These only rank: communication, …" */
guint
shardwise_search_rejections (const SwSearchResult *search, guint rules[SW_N_RULES], guint64 *total);
char *shardwise_text_rejections (const SwSearchResult *search); /* a line for each reason */
char *shardwise_text_searched (const SwSearchResult *search);
char *shardwise_text_search_kind (const SwSearchResult *search);

const char *shardwise_text_tensor (const SwTensor *tensor);  /* "Weights of the experts" */
char *shardwise_text_tensor_detail (const SwTensor *tensor); /* "80 × 64 MiB" */
JsonArray *
shardwise_tensors_to_json (const SwProblem *problem, const SwStrategy *strategy, guint stage);
/* "Data parallel, gradients" */
const char *shardwise_text_communication (const SwCommunication *row);
const char *shardwise_text_collective (const SwCommunication *row); /* "all-gather" */
char *shardwise_text_links (const SwProblem *problem, const SwCommunication *row);
char *
shardwise_text_communications (const SwProblem *problem, const SwCommunication *rows, guint n);
JsonArray *shardwise_communication_to_json (const SwProblem *problem, const SwStrategy *strategy);
const char *shardwise_text_phase (SwPhaseKind phase); /* "Generation"; static */
char *shardwise_text_generation (const SwProblem *problem, const SwEstimate *estimate);
char *shardwise_text_unmeasured (const SwProblem *problem, const SwEstimate *estimate);
/* (nullable) */
char *shardwise_text_interval (const SwProblem *problem, const SwEstimate *estimate);
void
shardwise_note_estimate (GPtrArray *notes, const SwProblem *problem, const SwEstimate *estimate);

char *shardwise_format_bytes (double bytes); /* "61.2 GiB": three significant digits, unit once */
char *shardwise_format_seconds (double seconds);                      /* "8.42 s", "310 ms" */
char *shardwise_format_seconds_beside (double seconds, double other); /* in the unit of the other */
double shardwise_seconds_unit (double whole);
char *shardwise_format_seconds_in (double seconds, double unit, double step); /* "0.042 s" */
char *shardwise_format_count (double count);   /* "13.1 k", "70.6 B" */
char *shardwise_format_whole (double count);   /* all digits: "16,384" */
char *shardwise_format_gpus (guint gpus);      /* "16,384 GPUs" */
char *shardwise_format_tick (double count);    /* of a round count: "50 k", "2.5 M" */
char *shardwise_format_percent (double share); /* 0.412 -> "41.2 %" */
char *shardwise_format_change (double share);  /* -0.031 -> "−3.1 %" */
char *shardwise_format_money (double amount, const char *currency); /* "$169,000" */
double shardwise_money_digit (double total);
char *shardwise_format_amount (double amount, double total); /* "2.58", "1,234,568" */
char *shardwise_format_item (double amount, double total, const char *currency);
char *shardwise_format_price (double amount, const char *currency); /* "$2.58" */
char *shardwise_format_months (const char *months);                 /* "2026-09 – 2026-11" */
char *shardwise_format_significant (double value); /* three significant digits, grouped */
char *shardwise_format_unbroken (const char *text);
char *shardwise_text_join (const char *text);                                /* in a line */
void shardwise_text_append_cell (GString *out, int width, const char *text); /* of a table */

G_END_DECLS
