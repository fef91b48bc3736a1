/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Commands that compare figures. Each receives its own name as argv[0] and returns an exit status.
 *
 * compare FILE FILE… [--all] [--csv | --json]
 *   Compares two to four scenarios or jobs, each with its best strategy. Lists only the inputs that
 *   differ; --all lists every input. */
int shardwise_cli_compare (int argc, char **argv);

/* sensitivity [FILE] [--factor F] [--json]
 *   Shows what limits the speed: the gain from F times (1.25 by default) as much of one resource at
 *   a time. NOTHING_FITS if nothing fits. */
int shardwise_cli_sensitivity (int argc, char **argv);

G_END_DECLS
