/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a window keeps of the file of a job: a broken one gives nothing, a good one comes back. */
#include "fuzz-target.h"

#include "shardwise-import.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_autoptr (ShardwiseImport) import = shardwise_import_from_json (text), back = NULL;
  g_autofree char *json = NULL, *again = NULL;

  if (import == NULL)
    return 0;
  json = shardwise_import_to_json (import);
  back = shardwise_import_from_json (json);
  g_assert_nonnull (back);
  again = shardwise_import_to_json (back);
  g_assert_cmpstr (json, ==, again);
  return 0;
}
