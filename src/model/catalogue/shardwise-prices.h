/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "sw-cluster.h"

G_BEGIN_DECLS

gboolean shardwise_prices_open (GFile *where, GError **error);
double shardwise_prices_get (const char *gpu, char date[24]);
gboolean shardwise_prices_set (const char *gpu, double price, const char *date, GError **error);
void shardwise_prices_apply (SwGpu *gpu);

G_END_DECLS
