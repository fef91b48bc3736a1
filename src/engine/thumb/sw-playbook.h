/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"

G_BEGIN_DECLS

/* The decision tree of the Ultra-Scale Playbook, step by step. */
typedef struct {
  gboolean fits;
  SwStrategy strategy;
  double weights_bytes,
      weights_bytes_per_tp_rank; /* 2 bytes a parameter: 140 GB and 17.5 GB for 70 B */
  double state_bytes;            /* 16 bytes a parameter, per GPU after TP and PP */
  double activation_bytes;       /* full recomputation, per GPU */
  double limit_bytes;            /* nominal memory x the memory target */
  SwEstimate estimate;           /* metrics of the analytical model */
} SwPlaybook;

void sw_playbook (const SwProblem *problem, SwPlaybook *out);

G_END_DECLS
