/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-rlhf.h"
G_BEGIN_DECLS

void sw_generation_plan (SwGenerationRounds *rounds, const SwProblem *problem,
                         const SwStrategy *strategy, double resident_bytes, SwGenerationPlan *out);
void sw_generation_time (const SwProblem *problem, const SwStrategy *strategy,
                         SwGenerationPlan *plan, SwTime *out);
void sw_generation_time_with (SwGenerationRounds *rounds, const SwProblem *problem,
                              const SwStrategy *strategy, SwGenerationPlan *plan, SwTime *out);
guint sw_generation_most_at_once (const SwProblem *problem, guint tp);
double sw_generation_round_s (const SwProblem *problem, guint tp, guint sequences);

/* What generation takes at least, by how many GPUs do it; read by all threads of a search. */
typedef struct _SwGenerationFloor SwGenerationFloor;

SwGenerationFloor *sw_generation_floor_new (const SwProblem *problem);
void sw_generation_floor_free (SwGenerationFloor *self);
double sw_generation_floor_s (const SwGenerationFloor *self, guint gpus);
double sw_generation_split_s (const SwGenerationFloor *self, double work);

G_END_DECLS
