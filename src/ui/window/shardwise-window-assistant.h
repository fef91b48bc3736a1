/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-window.h"

G_BEGIN_DECLS

/* The window's connection to an assistant: its scenario as a state, proposed changes, how to add
 * the tools to an assistant, and the job as a text. */
void shardwise_window_add_assistant_actions (ShardwiseWindow *self); /* once */
void shardwise_window_update_assistant (ShardwiseWindow *self);      /* updates the state for the
                                                                        scenario */

G_END_DECLS
