/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Commands about one cluster. Each gets its own name as argv[0] and returns an exit status.
 *
 * advise [FILE] [--method analytical|playbook|quick-score] [--top N] [--complete] [--json]
 *   The best strategy: its memory, time and throughput, why each dimension has its value,
 *   alternatives, what was left out and the nearest measured run; where nothing fits, what would. */
int shardwise_cli_advise (int argc, char **argv);

/* estimate [FILE] [--json]
 *   Memory, time and communication of the strategy in the scenario; the reason where it does not
 *   run. */
int shardwise_cli_estimate (int argc, char **argv);

/* ask [FILE] QUESTION [--json]
 *   The answer to a question in plain words, and what else may be asked. */
int shardwise_cli_ask (int argc, char **argv);

G_END_DECLS
