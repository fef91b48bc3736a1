/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-ask-answer.h"

G_BEGIN_DECLS

/* An answer in the conversation: its text, links to pages, and the changes it offers. It shows a
 * note once the input differs from the one it was computed for. */
#define SHARDWISE_TYPE_ASK_CARD (shardwise_ask_card_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAskCard, shardwise_ask_card, SHARDWISE, ASK_CARD, AdwBin)
/* Signals: "page-activated" (string): a link to a page was followed; "applied": its change was
 * applied with win.apply; "corrected" (string, string): a part of the understood question, and its
 * replacement */

GtkWidget *shardwise_ask_card_new (const ShardwiseAnswer *answer, const ShardwiseQuestion *question,
                                   const char *input);
const ShardwiseQuestion *shardwise_ask_card_get_question (ShardwiseAskCard *self);
void shardwise_ask_card_set_input (ShardwiseAskCard *self, const char *input);
void shardwise_ask_card_set_applied (ShardwiseAskCard *self, const char *input);

G_END_DECLS
