/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli-fixture.h"

#include <string.h>

#include "shardwise-json.h"

void
cli_outcome_clear (Outcome *outcome)
{
  g_free (outcome->out);
  g_free (outcome->err);
}

void
run (const char *arguments, const char *input, Outcome *out)
{
  g_autofree char *examples = g_test_build_filename (G_TEST_DIST, "..", "data", "examples", NULL);
  g_autoptr (GString) line = g_string_new (arguments);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_auto (GStrv) words = NULL;
  g_autoptr (GError) error = NULL;

  g_string_replace (line, "@EXAMPLES@", examples, 0);
  words = g_strsplit (line->str, " ", -1);
  g_ptr_array_add (argv, (gpointer) g_getenv ("SHARDWISE_CLI"));
  for (guint i = 0; words[i] != NULL; i++)
    if (*words[i] != '\0')
      g_ptr_array_add (argv, words[i]);
  g_ptr_array_add (argv, NULL);
  process = g_subprocess_newv ((const char *const *) argv->pdata,
                               G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE
                                   | G_SUBPROCESS_FLAGS_STDERR_PIPE,
                               &error);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_communicate_utf8 (process, input != NULL ? input : "", NULL,
                                                &out->out, &out->err, NULL));
  g_assert_true (g_subprocess_get_if_exited (process));
  out->status = g_subprocess_get_exit_status (process);
}

JsonObject *
run_json (const char *arguments, const char *input, int status, JsonNode **node)
{
  g_auto (Outcome) outcome = { 0 };

  run (arguments, input, &outcome);
  g_assert_cmpint (outcome.status, ==, status);
  g_assert_cmpstr (outcome.err, ==, "");
  *node = shardwise_json_parse (outcome.out, strlen (outcome.out), NULL);
  g_assert_nonnull (*node);
  return json_node_get_object (*node);
}
