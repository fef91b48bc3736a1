/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>
#include "shardwise-scenario.h"

G_BEGIN_DECLS

/* The marks beside the control of an input row: the value is pinned, a button that resets it, and
 * an error. */
typedef struct {
  GtkWidget *pin, *reset; /* floating until added to a row */
} ShardwiseInputMarks;

GtkWidget *shardwise_input_pin_new (void);
void
shardwise_input_marks_make (ShardwiseInputMarks *self, const ShardwiseKey *key, gboolean automatic);
void shardwise_input_marks_update (ShardwiseInputMarks *self, const ShardwiseKey *key,
                                   gboolean automatic, ShardwiseScenario *scenario, gboolean wrong);
gboolean shardwise_input_marks_focus (ShardwiseInputMarks *self, GtkWidget *entry,
                                      GtkDirectionType direction);
const char *
shardwise_input_subtitle (const ShardwiseKey *key, GtkWidget *control, const char *hint);
void shardwise_input_mark_wrong (GtkWidget *row, GtkWidget *control, gboolean wrong);

G_END_DECLS
