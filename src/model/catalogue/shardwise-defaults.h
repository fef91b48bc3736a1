/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What stands for figures that a scenario does not state, by the path of their key or a name beside it
 * ("cost.power_utilisation"): data/catalogue/defaults.json, each with its source. */

gboolean shardwise_defaults_find (const char *path, double *value, const char **source);
double shardwise_defaults_get (const char *path);

G_END_DECLS
