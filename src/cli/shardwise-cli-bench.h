/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The command of speed. It gets its own name as argv[0] and returns an exit status.
 *
 * bench [--json]
 *   How fast strategies are searched, in pre-training on H100s with Megatron-Core; of several runs the
 *   fastest:
 *   - live searches of two models on 8 to 131,072 GPUs, by the time of one core, with what was tried
 *     and the peak of memory so far;
 *   - the complete search, which has no bounds: strategies evaluated per second, on one core and on
 *     all;
 *   - the sweep over a cluster's sizes and the atlas, on all cores.
 *   Processor seconds and counts of searches are in the JSON only. */
int shardwise_cli_bench (int argc, char **argv);

G_END_DECLS
