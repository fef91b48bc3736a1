/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "sw-estimate.h"

G_BEGIN_DECLS

/* How it looks that a job fits, may not fit or does not: an icon and a style class of libadwaita, by
 * SwFit. Words stand beside them. */
typedef struct {
  const char *icon, *css_class;
} ShardwiseFitLook;

enum { SHARDWISE_N_FITS = SW_FIT_DOES_NOT_FIT + 1 };
extern const ShardwiseFitLook shardwise_fit_looks[SHARDWISE_N_FITS];

void shardwise_fit_look_show (SwFit fit, GtkWidget *widget, GtkImage *icon);

G_END_DECLS
