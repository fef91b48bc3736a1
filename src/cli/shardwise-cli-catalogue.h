/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Commands about the data behind the answers. Each gets its own name as argv[0] and returns an exit
 * status.
 *
 * models [--json], gpus [--json]
 *   A line, or an object with its sizes, for each entry of the catalogue. */
int shardwise_cli_models (int argc, char **argv);
int shardwise_cli_gpus (int argc, char **argv);

/* prices [GPU [PRICE | default]] [--json]
 *   What an hour of each GPU of the catalogue costs, or of one; with a price, in USD, the user's own one
 *   from now on, which goes before the catalogue's. */
int shardwise_cli_prices (int argc, char **argv);

/* validate CSV [--summary] [--json]
 *   Measured runs beside what is predicted for them, and the errors in each group; --summary leaves
 *   the runs out. */
int shardwise_cli_validate (int argc, char **argv);

G_END_DECLS
