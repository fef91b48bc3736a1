/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-rlhf.h"

G_BEGIN_DECLS

/* What generation takes at least, by how many GPUs do it; read by all threads of a search. */
typedef struct _SwGenerationFloor SwGenerationFloor;

SwGenerationFloor *sw_generation_floor_new (const SwProblem *problem);
void sw_generation_floor_free (SwGenerationFloor *self);
double sw_generation_floor_s (const SwGenerationFloor *self, guint gpus);
double sw_generation_split_s (const SwGenerationFloor *self, double work);

G_END_DECLS
