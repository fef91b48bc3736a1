/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-error.h"

G_BEGIN_DECLS

/* A table of text: RFC 4180 with a header line, UTF-8. Immutable. */
typedef struct _ShardwiseCsv ShardwiseCsv;

ShardwiseCsv *shardwise_csv_parse (const char *text, gssize length, GError **error);
void shardwise_csv_free (ShardwiseCsv *self);
guint shardwise_csv_n_rows (const ShardwiseCsv *self);
guint shardwise_csv_line (const ShardwiseCsv *self, guint row);
gboolean shardwise_csv_has_column (const ShardwiseCsv *self, const char *column);
const char *shardwise_csv_text (const ShardwiseCsv *self, guint row, const char *column);
gboolean shardwise_csv_number (const ShardwiseCsv *self, guint row, const char *column,
                               double *value, GError **error);

void shardwise_csv_append_field (GString *csv, const char *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseCsv, shardwise_csv_free)

G_END_DECLS
