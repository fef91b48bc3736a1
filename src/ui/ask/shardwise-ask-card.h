/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-ask-answer.h"

G_BEGIN_DECLS

/* An answer of the conversation: its text, where it is shown, and what it offers to change. It
 * knows the input it was computed for and says so once that is no longer the present one. */
#define SHARDWISE_TYPE_ASK_CARD (shardwise_ask_card_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAskCard, shardwise_ask_card, SHARDWISE, ASK_CARD, AdwBin)
/* signals "page-activated" (string): the link to a page was followed; "applied": its change was
 * asked for, after win.apply; "corrected" (string, string): a part of what was understood, and what
 * it is to be */

GtkWidget *shardwise_ask_card_new (const ShardwiseAnswer *answer, const ShardwiseQuestion *question,
                                   const char *input);
const ShardwiseQuestion *shardwise_ask_card_get_question (ShardwiseAskCard *self);
void shardwise_ask_card_set_input (ShardwiseAskCard *self, const char *input);
void shardwise_ask_card_set_applied (ShardwiseAskCard *self, const char *input);

G_END_DECLS
