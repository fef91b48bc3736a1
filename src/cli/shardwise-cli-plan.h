/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The command of capacity. It gets its own name as argv[0] and returns an exit status.
 *
 * plan GPU [--gpus N] [--models ID,ID,…] [--json]
 *   What can be fine-tuned on this machine: models of each size by method, each with its memory, tokens/s
 *   and the longest sequence.
 *
 * plan --model ID [--json]
 *   What this model needs, by method: of each GPU the least number on which it surely fits, the cheapest
 *   hour first.
 *
 * The other options for keys of a scenario hold for both. */
int shardwise_cli_plan (int argc, char **argv);

G_END_DECLS
