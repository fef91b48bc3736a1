/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The command that writes what the window prints. It gets its own name as argv[0] and returns an exit
 * status.
 *
 * report [FILE] --output PDF
 *   Verdict, figures, charts, reasons, second opinions, cost and every assumption. It is drawn without
 *   a display, with the fonts that the machine has. */
int shardwise_cli_report (int argc, char **argv);

G_END_DECLS
