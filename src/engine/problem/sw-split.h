/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-problem.h"

G_BEGIN_DECLS

/* How the layers of a model are split over the stages of a pipeline. */
typedef struct {
  guint layers, pp;
  guint first, last;     /* layers of the first and of the last stage */
  guint between, longer; /* each stage between has so many layers; `longer` of them have one more */
  gboolean longer_first; /* those behind the first stage, else those before the last */
  double share;          /* Nanotron: layers that a stage takes by their cost; else 0 */
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
