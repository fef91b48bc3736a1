/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-types.h"

G_BEGIN_DECLS

/* How a job is split. tp * pp * cp * dp = GPUs used. ep is not a factor: etp * ep * edp * pp also
 * equals the GPUs used; etp = tp by default. */
typedef struct {
  guint tp, etp, pp, vpp, dp, cp, ep;
  guint shard_group; /* data-parallel ranks that ZeRO or FSDP shards over; divides dp; = dp: no
                        hybrid sharding */
  guint micro_batch; /* sequences */
  guint full_layers; /* layers per stage recomputed by SW_RECOMPUTE_FULL_LAYERS */
  guint recompute_modules; /* SwRecomputeModules; 0: the profile's default */
  guint8 zero_stage;       /* 0-3; 3 = FSDP */
  guint8 sequence_parallel;
  guint8 recompute; /* SwRecompute */
  guint8 schedule;  /* SwSchedule */
  guint8 offload;   /* SwOffload */
  guint8 cp_method; /* SwCpMethod */
  guint8 framework; /* SwFramework; never ANY in a result */
} SwStrategy;

typedef enum {
  SW_DIM_TP,
  SW_DIM_ETP,
  SW_DIM_PP,
  SW_DIM_VPP,
  SW_DIM_DP,
  SW_DIM_CP,
  SW_DIM_CP_METHOD,
  SW_DIM_EP,
  SW_DIM_SP,
  SW_DIM_ZERO,
  SW_DIM_SHARD_GROUP,
  SW_DIM_MICRO_BATCH,
  SW_DIM_RECOMPUTE,
  SW_DIM_SCHEDULE,
  SW_DIM_OFFLOAD,
  SW_N_DIMENSIONS
} SwDimension;
extern const char *const sw_dimension_names[]; /* the keys of the scenario's "strategy" */

/* A strategy with only the dimensions of `mask` fixed (bit 1 << SwDimension). */
typedef struct {
  guint mask;
  SwStrategy value;
} SwPins;

/* Whether the user fixed a dimension. Inline, because a search calls it millions of times. */
static inline gboolean
sw_pins_has (const SwPins *pins, SwDimension dimension)
{
  return (pins->mask & (1u << dimension)) != 0;
}

guint sw_strategy_gpus (const SwStrategy *strategy);
guint sw_strategy_edp (const SwStrategy *strategy);
guint sw_strategy_get (const SwStrategy *strategy, SwDimension dimension);
void sw_strategy_set (SwStrategy *strategy, SwDimension dimension, guint value);
gboolean sw_strategy_equal (const SwStrategy *a, const SwStrategy *b);
gboolean sw_same_split (const SwStrategy *a, const SwStrategy *b);
guint sw_strategy_complexity (const SwStrategy *strategy);
void sw_strategy_init_default (SwStrategy *strategy);
guint sw_dimension_followers (SwDimension dimension);

G_END_DECLS
