/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The benchmark command. It receives its own name as argv[0] and returns an exit status.
 *
 * bench [--json]
 *   Measures how fast the search is, for pre-training on H100s with Megatron-Core. Each figure is
 *   the fastest of several runs:
 *   - live searches of two models on 8 to 131,072 GPUs: time on one core, strategies tried, and
 *     peak memory so far;
 *   - the complete search, without bounds: strategies evaluated per second on one core and on all;
 *   - the sweep over cluster sizes and the atlas, on all cores.
 *   Only the JSON contains processor seconds and search counts. */
int shardwise_cli_bench (int argc, char **argv);

G_END_DECLS
