/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-problem.h"

G_BEGIN_DECLS

SwFramework shardwise_run_framework (const char *name);
double shardwise_run_software_year (const char *framework, const char *date);
SwRecompute shardwise_run_unstated_recompute (const char *framework);
void shardwise_run_read_recipe (const char *framework, SwProblem *problem);
guint shardwise_run_usual_micro_batch (const SwTraining *training, const SwStrategy *strategy);
guint shardwise_run_usual_chunks (const SwProblem *problem, const SwStrategy *s);
guint shardwise_run_usual_modules (const SwProblem *problem, const SwStrategy *s);

G_END_DECLS
