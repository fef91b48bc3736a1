/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"

G_BEGIN_DECLS

/* A value that a step of the tree considers, and the bytes per GPU with it. */
typedef struct {
  guint value; /* 0: none */
  double bytes;
} SwPlaybookValue;

/* The decision tree of the Ultra-Scale Playbook, step by step. */
typedef struct {
  gboolean fits;       /* by the tree's own estimate */
  SwStrategy decided;  /* result of the steps */
  SwStrategy strategy; /* the same after changes for memory pressure, in a framework that can run
                          it */
  double weights_bytes,
      weights_bytes_per_tp_rank;      /* 2 bytes per parameter: 140 GB and 17.5 GB for 70B */
  double state_bytes;                 /* 16 bytes per parameter, per GPU after TP and PP */
  double activation_bytes;            /* full recomputation, per GPU */
  double total_bytes;                 /* states as sharded by ZeRO, and activations */
  double limit_bytes;                 /* nominal memory x the memory target */
  gboolean tp_fits, pp_fits;          /* whether steps 1 and 2 found a value that suffices */
  SwPlaybookValue tp_taken, pp_taken; /* the values taken */
  SwPlaybookValue tp_before, pp_before, zero_before; /* the values before those, over the limit */
  guint dp_before;          /* replicas traded for TP and PP because they would not divide the
                               batch; 0: none */
  gboolean lowered, raised; /* under memory pressure: micro-batch lowered, ZeRO stage raised */
  SwEstimate estimate;      /* of `strategy`, by the analytical model */
} SwPlaybook;

void sw_playbook (const SwProblem *problem, SwPlaybook *out);

G_END_DECLS
