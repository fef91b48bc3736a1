/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-communication.h"
#include "sw-estimate.h"
#include "sw-pipeline.h"
#include "sw-sensitivity.h"
#include "sw-tensors.h"

G_BEGIN_DECLS

/* An estimate in words: translated, and newly allocated unless static. */
const char *shardwise_text_phase (SwPhaseKind phase); /* "Generation"; static */
/* Each is (nullable). */
char *shardwise_text_generation (const SwProblem *problem, const SwEstimate *estimate);
char *shardwise_text_unmeasured (const SwProblem *problem, const SwEstimate *estimate);
char *shardwise_text_untried (guint untried);          /* (nullable) */
char *shardwise_text_fit (const SwEstimate *estimate); /* (nullable) */
char *
shardwise_text_evaluation (const SwEstimate *estimate, const SwMoments *moments); /* (nullable) */
char *shardwise_text_accuracy (const SwAccuracy *a);
char *shardwise_text_interval (const SwProblem *problem, const SwEstimate *estimate);
void
shardwise_note_estimate (GPtrArray *notes, const SwProblem *problem, const SwEstimate *estimate);

/* "Data parallel, gradients" */
const char *shardwise_text_communication (const SwCommunication *row);
const char *shardwise_text_collective (const SwCommunication *row); /* "all-gather" */
char *shardwise_text_links (const SwProblem *problem, const SwCommunication *row);
char *
shardwise_text_communications (const SwProblem *problem, const SwCommunication *rows, guint n);

const char *shardwise_text_tensor (const SwTensor *tensor);  /* "Weights of the experts" */
char *shardwise_text_tensor_detail (const SwTensor *tensor); /* "80 × 64 MiB" */

const char *shardwise_text_memory_part (SwMemoryPart part); /* "Gradients"; static */
char *shardwise_text_largest_part (const SwEstimate *estimate);
char *shardwise_text_other_parts (const SwEstimate *estimate); /* "Gradients 25.1 GiB · …" */
char *shardwise_text_memory (const SwProblem *problem, const SwEstimate *estimate);
const char *shardwise_text_task (SwTaskKind kind); /* "Forward"; static */
char *shardwise_text_pipeline (const SwPipeline *pipeline);
const char *shardwise_text_resource (SwResource resource); /* "Network"; static */
char *shardwise_text_more (double factor);                 /* "+25 %" */
/* "Network +25 %: +3.1 % tokens/s; this strategy stays the best" */
char *shardwise_text_gain (SwResource resource, const SwSensitivity *gain, const SwStrategy *now);

G_END_DECLS
