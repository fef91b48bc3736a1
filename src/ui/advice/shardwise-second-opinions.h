/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-advice.h"

G_BEGIN_DECLS

/* Fills `box` with a card each for the model, the playbook and the quick score, side by side. */
void shardwise_second_opinions_fill (GtkWidget *box, ShardwiseAdvice *advice);

G_END_DECLS
