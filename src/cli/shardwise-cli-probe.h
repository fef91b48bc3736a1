/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

int shardwise_cli_probe (int argc, char **argv);

/* step-probe [FILE] --to DIR | --measured JSON [--json]
 *   The script that measures a layer of the best strategy; or what it measured beside the
 *   prediction, kind by kind. */
int shardwise_cli_step_probe (int argc, char **argv);

G_END_DECLS
