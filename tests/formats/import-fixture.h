/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import.h"

G_BEGIN_DECLS

/* Files that are read, and what was read of them. */

ShardwiseImport *fixture_import (const char *text, const char *name); /* (transfer full) */
/* (transfer full): of tests/data/import */
ShardwiseImport *fixture_import_file (const char *folder, const char *name);
gboolean fixture_says (GPtrArray *texts, const char *part); /* one of the texts has it */
gboolean fixture_finds (const ShardwiseImport *import, const char *code, const char *part);
void fixture_assert_accepted (const ShardwiseImport *import); /* its framework refuses and ignores
                                                                 nothing of it */
/* "path=value", "path=" where it is not set */
void fixture_assert_set (const ShardwiseImport *import, const char *const *expected);

G_END_DECLS
