/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-advice.h"

G_BEGIN_DECLS

/* A card each for the model, the playbook and the quick score, in place of what the box holds. */
void shardwise_opinion_cards_fill (GtkBox *box, ShardwiseAdvice *advice);

G_END_DECLS
