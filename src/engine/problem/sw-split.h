/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-problem.h"

G_BEGIN_DECLS

/* How a model's layers are split into pipeline stages. */
typedef struct {
  guint layers, pp;
  guint first, last;     /* layers of the first and the last stage */
  guint between, longer; /* layers of each middle stage; `longer` of them have one more */
  gboolean longer_first; /* the longer stages follow the first stage; else they precede the last */
  double share;          /* Nanotron: cost of one stage, in layers; else 0 */
} SwSplit;

void sw_split (const SwProblem *problem, const SwStrategy *strategy, SwSplit *out);
guint sw_split_start (const SwSplit *split, guint stage);
guint sw_split_stage_of (const SwSplit *split, guint layer);
void sw_split_kinds (const SwSplit *split, const SwModelSpec *model, guint stage,
                     guint layers[SW_N_LAYER_KINDS]);
guint sw_stage_layers (const SwProblem *problem, const SwStrategy *strategy, guint stage);
void sw_stage_layer_kinds (const SwProblem *problem, const SwStrategy *strategy, guint stage,
                           guint layers[SW_N_LAYER_KINDS]);
guint sw_split_longest (const SwSplit *split);
guint sw_split_most_layers (const SwSplit *split);
gboolean sw_split_has_chunks (const SwSplit *split, guint vpp);
guint sw_split_chunk_layers (const SwSplit *split, guint vpp, guint stage, guint chunk);

G_END_DECLS
