/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-search.h"

G_BEGIN_DECLS

/* What lists say of a search: its counts, and why strategies fell away. */
char *shardwise_rejections_list (const SwSearchResult *search); /* a line for each reason */
char *shardwise_search_counts (const SwSearchResult *search, guint shown, guint listed);
char *shardwise_search_kind (const SwSearchResult *search); /* every strategy, or what the live search leaves out */

G_END_DECLS
