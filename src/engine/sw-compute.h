/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-problem.h"

G_BEGIN_DECLS

/* Seconds of kernels on one GPU. m, n, k: rows, columns and inner dimension; one forward GEMM = 2 m n k FLOPs. */
double sw_gemm_seconds (const SwProblem *problem, SwFramework framework, double m, double n, double k);
double sw_grouped_gemm_seconds (const SwProblem *problem, SwFramework framework, double tokens_per_expert, double experts, double n, double k);
double sw_attention_seconds (const SwProblem *problem, SwFramework framework, double batch, double heads, double queries, double attended, double head_dim, gboolean backward);
double sw_memory_bound_seconds (const SwProblem *problem, SwFramework framework, double bytes);

G_END_DECLS
