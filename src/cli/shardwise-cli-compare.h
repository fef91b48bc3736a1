/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Commands that set figures side by side. Each gets its own name as argv[0] and returns an exit status.
 *
 * compare FILE FILE… [--all] [--csv | --json]
 *   Two to four scenarios or jobs, each with its best strategy; of the inputs those that differ, with
 *   --all the others, too. */
int shardwise_cli_compare (int argc, char **argv);

/* sensitivity [FILE] [--factor F] [--json]
 *   What limits the speed: what F times (1.25) as much of one resource at a time would give. Where
 *   nothing fits: NOTHING_FITS. */
int shardwise_cli_sensitivity (int argc, char **argv);

G_END_DECLS
