/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-search.h"

G_BEGIN_DECLS

/* What a search is held against: every strategy of a small problem that fits, estimated one by one,
 * without any bound or order. (transfer full): of SwCandidate */
GArray *sw_brute_force (const SwProblem *problem);
gboolean sw_keeps_pins (const SwProblem *problem, const SwStrategy *s);

G_END_DECLS
