/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "import-fixture.h"

#include <string.h>

ShardwiseImport *
fixture_import (const char *text, const char *name)
{
  g_autoptr (GError) error = NULL;
  ShardwiseImport *import = shardwise_import_read (text, strlen (text), name, NULL, &error);

  g_assert_no_error (error);
  return import;
}

ShardwiseImport *
fixture_import_file (const char *folder, const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "import", folder, name, NULL);
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return fixture_import (text, path);
}

gboolean
fixture_says (GPtrArray *texts, const char *part)
{
  for (guint i = 0; i < texts->len; i++)
    if (strstr (texts->pdata[i], part) != NULL)
      return TRUE;
  return FALSE;
}

gboolean
fixture_finds (const ShardwiseImport *import, const char *code, const char *part)
{
  for (guint i = 0; i < import->findings->len; i++)
    {
      const ShardwiseFinding *finding = import->findings->pdata[i];

      if (g_str_equal (finding->code, code) && strstr (finding->text, part) != NULL)
        return TRUE;
    }
  return FALSE;
}

/* That a file names no model is no fault of it: most of them cannot. */
void
fixture_assert_accepted (const ShardwiseImport *import)
{
  for (guint i = 0; i < import->findings->len; i++)
    {
      const ShardwiseFinding *finding = import->findings->pdata[i];

      g_test_message ("finding: %s", finding->text);
      g_assert_cmpstr (finding->code, ==, "model-unknown");
    }
}

/* The keys of the scenario that were set, as "path=value". */
void
fixture_assert_set (const ShardwiseImport *import, const char *const *expected)
{
  for (guint i = 0; expected[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (expected[i], "=", 2);
      const ShardwiseKey *key = shardwise_key_find (parts[0]);
      g_autofree char *value = NULL;

      g_assert_nonnull (key);
      if (*parts[1] == '\0')
        {
          g_assert_false (shardwise_scenario_is_set (import->scenario, key->id));
          continue;
        }
      g_assert_true (shardwise_scenario_is_set (import->scenario, key->id));
      value = shardwise_scenario_get_string (import->scenario, key->id);
      g_test_message ("%s", expected[i]);
      g_assert_cmpstr (value, ==, parts[1]);
    }
}
