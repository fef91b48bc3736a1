/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Commands for one cluster. Each receives its own name as argv[0] and returns an exit status.
 *
 * advise [FILE] [--method analytical|playbook|quick-score] [--top N] [--complete] [--json]
 *   Prints the best strategy with its memory, time and throughput, the reason for each value, the
 *   alternatives, the rejected strategies and the nearest measured run. If nothing fits, it prints
 *   what would. */
int shardwise_cli_advise (int argc, char **argv);

/* estimate [FILE] [--json]
 *   Prints memory, time and communication of the strategy in the scenario, or why it does not
 *   run. */
int shardwise_cli_estimate (int argc, char **argv);

/* ask [FILE] QUESTION [--json]
 *   Answers a question in plain words and suggests further questions. */
int shardwise_cli_ask (int argc, char **argv);

G_END_DECLS
