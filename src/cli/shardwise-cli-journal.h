/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Commands that compare a job with experience. Each receives its own name as argv[0] and returns an
 * exit status.
 *
 * journal list [--json]
 * journal add FILE [--step-s S] [--memory-gib GIB] [--memory-kind KIND] [--log FILE] [--name NAME]
 *         [--day YYYY-MM-DD] [--note TEXT]
 * journal fit [--json]
 *   Lists and adds the user's own runs, and prints the factors by which they calibrate the model.
 *   --database selects a journal other than the window's. */
int shardwise_cli_journal (int argc, char **argv);

/* playbook [FILE] [--all] [--json]
 *   Applies the rules of the playbook, and the user's own, to a job and its best strategy. */
int shardwise_cli_playbook (int argc, char **argv);

G_END_DECLS
