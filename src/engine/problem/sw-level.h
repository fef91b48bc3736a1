/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-framework.h"
#include "sw-problem.h"

G_BEGIN_DECLS

/* How well tested a strategy is. */
typedef enum {
  SW_LEVEL_MEASURED, /* measured runs include runs of this kind */
  SW_LEVEL_USUAL,    /* recipes or documentation of the framework use this combination */
  SW_LEVEL_UNTRIED,  /* recipes do not use it, or no measured run checks its figures: SwUntried
                        states which part */
} SwLevel;
extern const char *const sw_level_names[];

/* Unproven parts of a strategy: a set of bits. */
typedef enum {
  SW_UNTRIED_OFFLOAD = 1 << 0,     /* anything in host memory: recipes use it, but no measured run
                                   checks its modeled cost */
  SW_UNTRIED_TP = 1 << 1,          /* tensor parallelism beyond a node's fast links, or beyond 8 */
  SW_UNTRIED_CP = 1 << 2,          /* sequences split into short parts */
  SW_UNTRIED_EP = 1 << 3,          /* experts over more than 64 GPUs */
  SW_UNTRIED_STAGES = 1 << 4,      /* stages whose layers, counting the ends, are uneven */
  SW_UNTRIED_SCHEDULE = 1 << 5,    /* GPipe or a zero-bubble schedule */
  SW_UNTRIED_SHARD_GROUP = 1 << 6, /* shards over neither whole nodes nor all replicas */
  /* Recipes of this framework do not use these in such a job: */
  SW_UNTRIED_TP_HERE = 1 << 7,
  SW_UNTRIED_EP_HERE = 1 << 8,
  SW_UNTRIED_PP_HERE = 1 << 9,
} SwUntried;
#define SW_N_UNTRIED 10
#define SW_UNTRIED_ALL ((1u << SW_N_UNTRIED) - 1)

gboolean sw_is_last_resort (const SwProblem *problem, SwFramework framework);
guint sw_usual_frameworks (const SwProblem *problem, SwFramework frameworks[SW_N_FRAMEWORKS]);

#define SW_MOST_MODULE_SETS 4
guint
sw_usual_modules (const SwProblem *problem, SwFramework framework, guint sets[SW_MOST_MODULE_SETS]);

guint sw_untried (const SwProblem *problem, const SwStrategy *strategy);
gboolean sw_is_left_out (const SwProblem *problem, const SwStrategy *strategy);

/* Whether recipes use this value; called while a search builds its lists. */
gboolean sw_usual_tp (const SwProblem *problem, SwFramework framework, guint tp);
gboolean sw_usual_cp (const SwProblem *problem, guint cp);
gboolean sw_usual_ep (const SwProblem *problem, SwFramework framework, guint ep);
gboolean sw_usual_pp (const SwProblem *problem, SwFramework framework, guint pp);
gboolean sw_usual_shard_group (const SwProblem *problem, guint shard_group, guint dp, guint ranks);

/* Schedules that recipes use: bits 1 << SwSchedule. */
#define SW_USUAL_SCHEDULES (1u << SW_SCHEDULE_1F1B | 1u << SW_SCHEDULE_INTERLEAVED)

G_END_DECLS
