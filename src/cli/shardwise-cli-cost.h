/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The command of money. It gets its own name as argv[0] and returns an exit status.
 *
 * cost [FILE] [--from YYYY-MM-DD] [--csv | --json]
 *   What the job takes on its own cluster: days, bills of a cloud and of owned machines, energy and
 *   CO₂, with checkpoints, interruptions and restarts. Where the scenario has a deadline: the plan
 *   over other numbers of GPUs.
 *   Options: --from is the day on which training begins, today by default; only the deadline asks for
 *   it. The scenario must state its tokens.
 *   CSV has a line for each part and item, `part,item,amount,unit`; what is not known has none.
 *   Where nothing fits: NOTHING_FITS, with the nearest strategy and what it lacks. JSON and CSV have
 *   numbers as they are, unrounded. */
int shardwise_cli_cost (int argc, char **argv);

G_END_DECLS
