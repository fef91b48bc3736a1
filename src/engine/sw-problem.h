/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-calibration.h"
#include "sw-cluster.h"
#include "sw-model.h"
#include "sw-strategy.h"

G_BEGIN_DECLS

typedef struct {
  SwTrainingType type;
  guint sequence_length;
  guint global_batch; /* sequences; 0: about 1 M tokens, resolved by sw_problem_prepare */
  guint micro_batch;  /* pinned by training.micro_batch_size; 0: searched */
  SwPrecision precision;
  SwOptimizer optimizer;
  SwAttentionKernel attention;
  SwFramework framework;
  double software_year; /* 2026.5 = June 2026: what framework versions know is dated; 0: the newest, resolved by prepare */
  double gradient_bytes; /* of a gradient while it accumulates, 2 or 4, where a recipe departs from its framework; 0 */
  SwOverlap overlap;
  double memory_target; /* share of usable memory that a strategy may take; filters */
  double tokens;        /* to train on; 0: not stated */
  guint lora_rank;
  gboolean lora_all_linear; /* else attention projections only */
  gboolean rlhf_colocated, rlhf_ppo; /* else GRPO: no critic */
  double rlhf_critic_parameters;
  guint rlhf_response_length;
  guint mean_document; /* packed sequences; 0: not packed */
} SwTraining;

/* A whole question. A value: copy it to hand it to another thread; `calibration` is immutable and outlives it. */
typedef struct {
  SwModelSpec model;
  SwParameterCount count; /* of model, by sw_problem_prepare */
  SwCluster cluster;
  SwTraining training;
  SwPins pins;
  const SwCalibration *calibration;
  const int *cancelled; /* (nullable): atomic; non-zero ends every search for this question early */
} SwProblem;

void sw_problem_prepare (SwProblem *problem);
gboolean sw_training_is_adapter (const SwTraining *training);
double sw_trained_share (const SwProblem *problem);

G_END_DECLS
