/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-search.h"

G_BEGIN_DECLS

GArray *sw_pareto_front (const SwCandidate *candidates, guint n);

G_END_DECLS
