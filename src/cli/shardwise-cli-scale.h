/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Commands about clusters and models of other sizes. A command gets its own name as argv[0] and
 * returns an exit status.
 *
 * scale [FILE] [--gpus 8,16,…] [--batch fixed|per-gpu] [--compare-gpu ID] [--compare-network ID]
 *       [--from YYYY-MM-DD] [--csv | --json]
 *   The best strategy for each number of GPUs with its days and cost, beside those of another cluster;
 *   where the scenario has a deadline, the plan that keeps it. --batch says whether the global batch
 *   stays as it is or grows with the GPUs.
 *
 * scale [FILE] --atlas [--sizes 1,8,80,…] [--nodes 1,2,4,…] [--csv | --json]
 *   The best strategy for models of each size on each number of nodes; options alone, without a model, ask for
 *   the published benchmark. */
int shardwise_cli_scale (int argc, char **argv);

G_END_DECLS
