/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Commands: argv[0] is the name of the command. Return an exit status. */
int shardwise_cli_compare (int argc, char **argv);
int shardwise_cli_sensitivity (int argc, char **argv);

G_END_DECLS
