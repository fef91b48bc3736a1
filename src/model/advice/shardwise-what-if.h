/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-estimate.h"

G_BEGIN_DECLS

/* What the search finds where something of the question is another. */
SwStrategy shardwise_what_if_complete (const SwProblem *problem, const SwStrategy *recommended,
                                       const SwPins *degrees);
/* The best strategy with `dimension` at `value`. FALSE: none fits; then it is the nearest one, or
 * else the present one with that value, and its rule says why. */
gboolean shardwise_what_if (const SwProblem *problem, const SwEstimate *estimate,
                            SwDimension dimension, guint value, SwEstimate *out);
/* The same with several dimensions at the values of `pins`, in a framework or, ANY, in the best. */
gboolean shardwise_what_if_pins (const SwProblem *problem, const SwStrategy *present,
                                 SwFramework framework, const SwPins *pins, SwEstimate *out);
gboolean shardwise_what_if_freed (const SwProblem *problem, const SwEstimate *chosen,
                                  SwDimension dimension, SwEstimate *out);
/* Where no strategy fits: whether one does without the values that the user fixed. */
gboolean shardwise_what_if_unpinned (const SwProblem *problem);
/* The GPU that the advice of a larger one names; (nullable): none makes it fit. */
const SwGpu *shardwise_what_if_bigger_gpu (const SwProblem *problem);

G_END_DECLS
