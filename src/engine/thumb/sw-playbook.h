/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"

G_BEGIN_DECLS

/* A value that a step of the tree considers, and what a GPU would hold with it. */
typedef struct {
  guint value; /* 0: none */
  double bytes;
} SwPlaybookValue;

/* The decision tree of the Ultra-Scale Playbook, step by step. */
typedef struct {
  gboolean fits;       /* by the tree's own count */
  SwStrategy decided;  /* by the steps */
  SwStrategy strategy; /* the same, as memory pressure changes it, in a framework that can run it */
  double weights_bytes,
      weights_bytes_per_tp_rank;      /* 2 bytes a parameter: 140 GB and 17.5 GB for 70 B */
  double state_bytes;                 /* 16 bytes a parameter, per GPU after TP and PP */
  double activation_bytes;            /* full recomputation, per GPU */
  double total_bytes;                 /* states as ZeRO shards them, and activations */
  double limit_bytes;                 /* nominal memory x the memory target */
  gboolean tp_fits, pp_fits;          /* whether steps 1 and 2 found what suffices */
  SwPlaybookValue tp_taken, pp_taken; /* what they took, and what a GPU would hold with it */
  SwPlaybookValue tp_before, pp_before, zero_before; /* the ones before those, over the limit */
  guint dp_before;          /* replicas that would not divide the batch, traded for TP and PP; 0 */
  gboolean lowered, raised; /* under memory pressure: the micro-batch, the ZeRO stage */
  SwEstimate estimate;      /* metrics of the analytical model */
} SwPlaybook;

void sw_playbook (const SwProblem *problem, SwPlaybook *out);

G_END_DECLS
