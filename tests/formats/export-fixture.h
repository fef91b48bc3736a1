/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "scenario-fixture.h"
#include "shardwise-export.h"

G_BEGIN_DECLS

/* Questions and strategies to export, and readers of what was written that know nothing of how it
 * was written. */

/* 8 H100 a node, sequences of 8192, batch 128 */
void fixture_problem (const char *model, guint gpus, SwProblem *out);
/* micro-batch 4, ZeRO 1, no recomputation, 1F1B */
void fixture_strategy (guint tp, guint pp, guint dp, SwStrategy *out);
/* any, most of them invalid somewhere */
void fixture_random_strategy (const SwProblem *problem, SwStrategy *out);
ShardwiseExport *fixture_write (ShardwiseFormat format, const SwProblem *problem,
                                const SwStrategy *strategy, GError **error);
/* the same, which must succeed */
ShardwiseExport *
fixture_written (ShardwiseFormat format, const SwProblem *problem, const SwStrategy *strategy);

/* (transfer none): the text of that file */
const char *fixture_file (ShardwiseExport *files, const char *name);
char *fixture_without_comments (const char *text); /* without the lines that start with '#' */
/* tests/data/export/GOLDEN, comments aside */
void fixture_compare_with_golden (const char *text, const char *golden);
void fixture_assert_refused (ShardwiseFormat format, const SwProblem *problem,
                             const SwStrategy *strategy, const char *path);

gboolean fixture_python_is_balanced (const char *text); /* brackets and quotes close, indents are
                                                           fours */
gboolean fixture_python_compiles (GPtrArray *texts);    /* TRUE also where there is no python3 */
guint fixture_python_number (const char *text, const char *name); /* of "NAME = 12" */

GHashTable *fixture_yaml (const char *text); /* "tokens.micro_batch_size" -> "4" */
guint fixture_yaml_number (GHashTable *yaml, const char *path);

G_END_DECLS
