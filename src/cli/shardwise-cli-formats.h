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

/* report [FILE] --output PDF
 *   Verdict, figures, charts, reasons, second opinions, cost and every assumption. It is drawn without
 *   a display, with the fonts that the machine has. */
int shardwise_cli_report (int argc, char **argv);

/* probe [FILE] --to DIR [--launcher torchrun|slurm] [--quick] [--json]
 *   The script that measures a cluster. */
int shardwise_cli_probe (int argc, char **argv);

/* step-probe [FILE] --to DIR | --measured JSON [--json]
 *   The script that measures a layer of the best strategy; or what it measured beside the
 *   prediction, kind by kind. */
int shardwise_cli_step_probe (int argc, char **argv);

G_END_DECLS
