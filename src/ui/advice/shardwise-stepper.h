/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "shardwise-container.h"

G_BEGIN_DECLS

/* The three steps to a strategy, side by side or, without room for that, stacked.
 *
 * CSS node: stepper, with a child of the class .step for each step */
#define SHARDWISE_TYPE_STEPPER (shardwise_stepper_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseStepper, shardwise_stepper, SHARDWISE, STEPPER, ShardwiseContainer)

void shardwise_stepper_set_advice (ShardwiseStepper *self, ShardwiseAdvice *advice);

G_END_DECLS
