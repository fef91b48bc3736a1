/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The threads of the program, by who made them. */
typedef struct {
  guint evaluating; /* besides the thread of a task: those of a search, and of the reasons */
  guint pooled;     /* of GLib's pools: tasks, the pieces of a sweep, and those it keeps for more */
  guint others;     /* this one, GLib's own, and those of the display */
} SoakThreads;

SoakThreads soak_threads_count (void);
gboolean soak_threads_are_idle (void);
guint soak_threads_most_evaluating (void);
guint soak_threads_most_pooled (void);
guint soak_threads_most_kept (void);

G_END_DECLS
