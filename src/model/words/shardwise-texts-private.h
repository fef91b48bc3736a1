/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-texts.h"

G_BEGIN_DECLS

/* One part of a step's time, of which a sentence can say that it grew. */
typedef struct {
  const char *name; /* "exposed tensor-parallel communication"; not yet translated */
  double seconds;
} ShardwiseTimePart;

enum { SHARDWISE_N_TIME_PARTS = 11 };

char *shardwise_text_growth (const SwEstimate *before, const SwEstimate *after);
void shardwise_time_parts (const SwTime *time, ShardwiseTimePart parts[SHARDWISE_N_TIME_PARTS]);

char *
shardwise_text_label (SwDimension dimension, guint value); /* "TP 8", "Micro-batch 4", "SP on" */
char *shardwise_text_part (const SwStrategy *strategy, SwDimension dimension); /* likewise */
guint shardwise_text_domain (const SwProblem *problem);     /* GPUs that the fast link joins */
void shardwise_text_append (GString *text, char *sentence); /* takes the sentence */

/* "PP 8, ZeRO 1": what else differs; at most three. NULL: nothing. */
char *
shardwise_text_differences (const SwStrategy *chosen, const SwStrategy *other, SwDimension except);

/* Whether the user fixed the dimension, and what would be without that. */
gboolean shardwise_text_is_pinned (const SwProblem *problem, SwDimension dimension);
char *shardwise_text_pin (const SwProblem *problem, const SwEstimate *chosen, SwDimension dimension,
                          SwStrategy *named);
/* Where no strategy fits: whether one does without the values that the user fixed. */
gboolean shardwise_text_fits_unpinned (const SwProblem *problem);

/* The GPU that the advice of a larger one names; (nullable): none makes it fit. */
const SwGpu *shardwise_text_bigger_gpu (const SwProblem *problem);

/* The best strategy with `dimension` at `value`, as sw_explain() finds it. FALSE: none fits; then it
 * is the nearest one, or else the present one with that value, and its rule says why. */
gboolean shardwise_text_evaluate (const SwProblem *problem, const SwEstimate *estimate,
                                  SwDimension dimension, guint value, SwEstimate *out);
/* The same with several dimensions at the values of `pins`, in a framework or, ANY, in the best. */
gboolean shardwise_text_evaluate_pins (const SwProblem *problem, const SwStrategy *present,
                                       SwFramework framework, const SwPins *pins, SwEstimate *out);
/* What does not fit of that, and why: "TP 4 does not fit here: it lacks 3.1 GiB per GPU". */
char *shardwise_text_misfit (const SwProblem *problem, const char *way, const SwEstimate *misfit);

G_END_DECLS
