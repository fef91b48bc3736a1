/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-search.h"

G_BEGIN_DECLS

/* What the foot of the list says of a search: its counts, and why strategies fell away. */
char *shardwise_search_counts (const SwSearchResult *search, guint shown, guint listed);
char *shardwise_search_details (const SwSearchResult *search); /* time, reasons, limits */

G_END_DECLS
