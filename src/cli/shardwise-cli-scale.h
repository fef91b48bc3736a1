/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Commands for clusters and models of other sizes. Each receives its own name as argv[0] and
 * returns an exit status.
 *
 * scale [FILE] [--gpus 8,16,…] [--batch fixed|per-gpu] [--compare-gpu ID] [--compare-network ID]
 *       [--from YYYY-MM-DD] [--csv | --json]
 *   The best strategy for each number of GPUs with days and cost, beside those of another cluster.
 *   If the scenario has a deadline, the plan that meets it. --batch selects whether the global
 *   batch stays fixed or grows with the GPUs.
 *
 * scale [FILE] --atlas [--sizes 1,8,80,…] [--nodes 1,2,4,…] [--csv | --json]
 *   The best strategy for models of each size on each number of nodes. Without a model, the options
 *   select the published benchmark. */
int shardwise_cli_scale (int argc, char **argv);

G_END_DECLS
