/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "sw-estimate.h"

G_BEGIN_DECLS

/* The icon and libadwaita style class of a job that fits, may not fit or does not fit, by SwFit.
 * Shown beside words. */
typedef struct {
  const char *icon, *css_class;
} ShardwiseFitLook;

enum { SHARDWISE_N_FITS = SW_FIT_DOES_NOT_FIT + 1 };
extern const ShardwiseFitLook shardwise_fit_looks[SHARDWISE_N_FITS];

void shardwise_fit_look_show (SwFit fit, GtkWidget *widget, GtkImage *icon);

G_END_DECLS
