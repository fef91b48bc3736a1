/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Commands that write and read what other programs understand. Each gets its own name as argv[0] and
 * returns an exit status.
 *
 * export [FILE] --to FRAMEWORK|all [--framework-version VERSION] [--launcher LAUNCHER] [--bundle]
 *        [--output DIR] [--json]
 *   The configuration of the best strategy that the framework can run; on standard error what it
 *   cannot express. Where the framework refuses: NOTHING_FITS. */
int shardwise_cli_export (int argc, char **argv);

/* import FILE [--json]
 *   The scenario of a training job or a model; on standard error its diagnosis. */
int shardwise_cli_import (int argc, char **argv);

/* Writes the first `n` ShardwiseExportFile of `files` to a folder, which it makes. */
gboolean shardwise_cli_write_files (const char *folder, GPtrArray *files, guint n, GError **error);

G_END_DECLS
