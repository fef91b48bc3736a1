/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Commands that write and read the files of other programs. Each receives its own name as argv[0]
 * and returns an exit status.
 *
 * export [FILE] --to FRAMEWORK|all [--framework-version VERSION] [--launcher LAUNCHER] [--bundle]
 *        [--output DIR] [--json]
 *   Writes the configuration of the best strategy that the framework can run; lists on standard
 *   error what it cannot express. NOTHING_FITS if the framework rejects the job. */
int shardwise_cli_export (int argc, char **argv);

/* import FILE [--json]
 *   Prints the scenario of a training job or a model, and its diagnosis on standard error. */
int shardwise_cli_import (int argc, char **argv);

/* report [FILE] --output PDF
 *   Writes verdict, figures, charts, reasons, second opinions, cost and every assumption. Needs no
 *   display; uses the fonts of the machine. */
int shardwise_cli_report (int argc, char **argv);

/* probe [FILE] --to DIR [--launcher torchrun|slurm] [--quick] [--json]
 *   Writes the script that measures a cluster. */
int shardwise_cli_probe (int argc, char **argv);

/* step-probe [FILE] --to DIR | --measured JSON [--json]
 *   Writes the script that measures a layer of the best strategy, or compares its measurements with
 *   the prediction, kernel kind by kernel kind. */
int shardwise_cli_step_probe (int argc, char **argv);

G_END_DECLS
