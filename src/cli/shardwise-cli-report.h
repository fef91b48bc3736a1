/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A command: argv[0] is its name. Returns an exit status. */
int shardwise_cli_report (int argc, char **argv);

G_END_DECLS
