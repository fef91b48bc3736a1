/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-window.h"

G_BEGIN_DECLS

/* What an assistant has to do with a window: its scenario as a state, changes that are proposed, how to
 * add the tools to one, and the job as a text. */
void shardwise_window_add_assistant_actions (ShardwiseWindow *self); /* once */
void shardwise_window_update_assistant (ShardwiseWindow *self);      /* follows the scenario */

G_END_DECLS
