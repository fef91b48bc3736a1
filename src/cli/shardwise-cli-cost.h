/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The cost command. It receives its own name as argv[0] and returns an exit status.
 *
 * cost [FILE] [--from YYYY-MM-DD] [--csv | --json]
 *   Prints what the job costs on its own cluster: days, cloud and owned-hardware bills, energy and
 *   CO₂, including checkpoints, interruptions and restarts. If the scenario has a deadline, it adds
 *   the plan for other numbers of GPUs.
 *   --from is the first day of training (today by default); only the deadline uses it. The scenario
 *   must state its tokens.
 *   CSV has one line for each part and item, `part,item,amount,unit`, and omits unknown amounts.
 *   NOTHING_FITS if nothing fits, with the nearest strategy and what it lacks. Numbers in JSON and
 *   CSV are not rounded. */
int shardwise_cli_cost (int argc, char **argv);

G_END_DECLS
