/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-memory.h"

G_BEGIN_DECLS

/* Questions built by hand, without catalogue or calibration file. */
const SwCalibration *sw_fixture_calibration (void);
void sw_fixture_h100 (SwGpu *gpu);
void sw_fixture_cluster (SwCluster *cluster, guint gpus);
void sw_fixture_training (SwTraining *training);
void sw_fixture_llama3_8b (SwModelSpec *model);
void sw_fixture_llama3_70b (SwModelSpec *model);
void sw_fixture_mixtral_8x7b (SwModelSpec *model);
void sw_fixture_deepseek_v3 (SwModelSpec *model);
void sw_fixture_problem (SwProblem *problem, const SwModelSpec *model, guint gpus);
void sw_fixture_problem_70b (SwProblem *problem);
void
sw_fixture_problem_bench (SwProblem *problem, SwFramework framework, gboolean experts, guint gpus);
void sw_fixture_strategy_70b (SwStrategy *strategy);
void sw_fixture_memory (const SwProblem *problem, const SwStrategy *strategy, SwMemory *out);
void sw_fixture_random_model (GRand *rand, SwModelSpec *model);
void sw_fixture_random_problem (GRand *rand, SwProblem *problem);
gboolean sw_fixture_random_strategy (GRand *rand, const SwProblem *problem, SwStrategy *strategy);

G_END_DECLS
