/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "sw-problem.h"

G_BEGIN_DECLS

double sw_checkpoint_bytes (const SwProblem *problem, const SwStrategy *strategy);

G_END_DECLS
