/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-application.h"
#include "shardwise-window-private.h"

G_BEGIN_DECLS

/* What somebody might do to the windows of the program, one thing at a time, drawn by chance. The
 * chance of step N depends on the seed and on N alone: what one step does moves no other. */
typedef struct {
  ShardwiseApplication *application;
  ShardwiseWindow *window; /* (transfer full): the one that is measured */
  char *directory;         /* for files */
  guint32 seed;
  guint step;
  GRand *rand;       /* of this step */
  GHashTable *alive; /* windows and pages that were seen and are not freed */
  FILE *journal;     /* what was done, a line a step */
} SoakDriver;

void soak_driver_init (SoakDriver *self, ShardwiseApplication *application, const char *directory,
                       guint32 seed);
void soak_driver_clear (SoakDriver *self);
void soak_driver_renew (SoakDriver *self);
void soak_driver_take_window (SoakDriver *self, guint most);
GtkWidget *soak_driver_find_popover (GtkWidget *widget);
GtkWidget *soak_driver_find_popover_of_any (void);
void soak_driver_close_window (SoakDriver *self, GtkWindow *window);
void soak_driver_note (SoakDriver *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* soak-steps.c */
void soak_driver_step (SoakDriver *self);
void soak_driver_step_of_each_kind (SoakDriver *self);

G_END_DECLS
