/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-advisor.h"
#include "shardwise-container.h"

G_BEGIN_DECLS

/* A conversation of questions and answers about an advisor's scenario. Answers are cards with
 * changes to apply and pages to open. */
#define SHARDWISE_TYPE_ASK_PANEL (shardwise_ask_panel_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAskPanel, shardwise_ask_panel, SHARDWISE, ASK_PANEL,
                      ShardwiseContainer)
/* Signal "page-activated" (string): the user followed an answer's link to a page */
/* Signal "typed": the typed question changed */

void shardwise_ask_panel_set_advisor (ShardwiseAskPanel *self, ShardwiseAdvisor *advisor);
void shardwise_ask_panel_set_page (ShardwiseAskPanel *self, const char *page);
const char *shardwise_ask_panel_get_typed (ShardwiseAskPanel *self);
void shardwise_ask_panel_set_typed (ShardwiseAskPanel *self, const char *text);

/* The text field can be placed elsewhere; it shares the buffer. */
GtkWidget *shardwise_ask_panel_get_entry (ShardwiseAskPanel *self); /* (transfer none) */
void shardwise_ask_panel_set_has_entry (ShardwiseAskPanel *self, gboolean has_entry);
void shardwise_ask_panel_ask_typed (ShardwiseAskPanel *self);
void shardwise_ask_panel_ask (ShardwiseAskPanel *self, const char *question);

G_END_DECLS
