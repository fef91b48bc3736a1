/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The capacity command. It receives its own name as argv[0] and returns an exit status.
 *
 * plan GPU [--gpus N] [--models ID,ID,…] [--json]
 *   What this machine can fine-tune: models of each size by method, with memory, tokens/s and the
 *   longest sequence.
 *
 * plan --model ID [--json]
 *   What this model needs, by method: for each GPU type the smallest number that surely fits,
 *   lowest hourly price first.
 *
 * Both accept the other options for scenario keys. */
int shardwise_cli_plan (int argc, char **argv);

G_END_DECLS
