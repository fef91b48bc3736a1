/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-problem.h"

G_BEGIN_DECLS

typedef enum { SW_COLLECTIVE_ALL_REDUCE, SW_COLLECTIVE_ALL_GATHER, SW_COLLECTIVE_REDUCE_SCATTER, SW_COLLECTIVE_ALL_TO_ALL, SW_COLLECTIVE_P2P } SwCollective;

/* A communicator: `size` ranks, neighbouring ranks `stride` GPUs apart (rank order tp, cp, ep, dp, pp, innermost first). */
typedef struct { guint size, stride; } SwGroup;

double sw_collective_seconds (const SwProblem *problem, SwCollective kind, SwGroup group, double bytes, guint messages);

G_END_DECLS
