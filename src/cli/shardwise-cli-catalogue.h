/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Commands for the data behind the answers. Each receives its own name as argv[0] and returns an
 * exit status.
 *
 * models [--json], gpus [--json]
 *   Lists the entries of the catalog: one line each, or one object with all sizes. */
int shardwise_cli_models (int argc, char **argv);
int shardwise_cli_gpus (int argc, char **argv);

/* prices [GPU [PRICE | default]] [--json]
 *   Lists the hourly price of every GPU in the catalog, or of one. PRICE, in USD, sets the user's
 *   own price, which replaces the catalog's from then on. */
int shardwise_cli_prices (int argc, char **argv);

/* validate CSV [--summary] [--json]
 *   Compares measured runs with their predictions and prints the errors of each group; --summary
 *   omits the runs. */
int shardwise_cli_validate (int argc, char **argv);

G_END_DECLS
