/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "export-fixture.h"
#include "shardwise-resolve.h"

#include <glib/gstdio.h>
#include <yaml.h>

void
fixture_problem (const char *model, guint gpus, SwProblem *out)
{
  g_autofree char *json = g_strdup_printf (
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": \"%s\"},"
      " \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": %u, \"gpus_per_node\": 8, "
      "\"inter_node\": \"infiniband\"},"
      " \"training\": {\"sequence_length\": 8192, \"global_batch_size\": 128}}",
      model, gpus);
  g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
  g_autoptr (GError) error = NULL;

  shardwise_scenario_resolve (scenario, out, NULL, &error);
  g_assert_no_error (error);
}

void
fixture_strategy (guint tp, guint pp, guint dp, SwStrategy *out)
{
  sw_strategy_init_default (out);
  out->tp = out->etp = tp;
  out->pp = pp;
  out->dp = out->shard_group = dp;
  out->micro_batch = 4;
  out->zero_stage = 1;
  out->sequence_parallel = FALSE;
  out->recompute = SW_RECOMPUTE_NONE;
  out->schedule = SW_SCHEDULE_1F1B;
}

/* 1, 2, 4 … up to 2^exponent, and not more than there is. */
static guint
random_power (guint exponent, guint limit)
{
  guint power = 1u << g_test_rand_int_range (0, (gint) exponent + 1);

  return MIN (power, limit);
}

void
fixture_random_strategy (const SwProblem *problem, SwStrategy *out)
{
  guint left = problem->cluster.gpus;

  sw_strategy_init_default (out);
  out->tp = random_power (3, left);
  left /= out->tp;
  out->pp = g_test_rand_bit () ? 1 : random_power (3, left);
  left /= out->pp;
  out->cp = g_test_rand_int_range (0, 4) > 0 ? 1 : random_power (2, left);
  left /= out->cp;
  out->dp = left;
  out->etp = g_test_rand_bit () ? out->tp : 1;
  out->ep = problem->model.moe.experts > 0 && g_test_rand_bit () ? random_power (3, 8) : 1;
  out->vpp = out->pp > 1 && g_test_rand_int_range (0, 4) == 0 ? 2 : 1;
  out->shard_group = g_test_rand_int_range (0, 4) == 0 && left % 2 == 0 ? left / 2 : left;
  out->micro_batch = random_power (2, 4);
  out->zero_stage = (guint8) g_test_rand_int_range (0, 4);
  out->sequence_parallel = out->tp > 1 && g_test_rand_bit ();
  out->recompute = (guint8) g_test_rand_int_range (0, 4);
  /* Megatron-LM counts them by virtual stage. */
  out->full_layers = out->recompute == SW_RECOMPUTE_FULL_LAYERS ? out->vpp : 0;
  out->schedule = (guint8) (out->vpp > 1         ? SW_SCHEDULE_INTERLEAVED
                            : g_test_rand_bit () ? SW_SCHEDULE_1F1B
                                                 : SW_SCHEDULE_GPIPE);
  out->offload = (guint8) (g_test_rand_bit () ? SW_OFFLOAD_NONE : g_test_rand_int_range (0, 4));
  out->cp_method = (guint8) g_test_rand_int_range (0, 3);
}

ShardwiseExport *
fixture_write (ShardwiseFormat format, const SwProblem *problem, const SwStrategy *strategy,
               GError **error)
{
  SwEstimate estimate = { .strategy = *strategy };

  return shardwise_export_write (format, problem, &estimate, error);
}

ShardwiseExport *
fixture_written (ShardwiseFormat format, const SwProblem *problem, const SwStrategy *strategy)
{
  g_autoptr (GError) error = NULL;
  ShardwiseExport *files = fixture_write (format, problem, strategy, &error);

  g_assert_no_error (error);
  return files;
}

void
fixture_assert_refused (ShardwiseFormat format, const SwProblem *problem,
                        const SwStrategy *strategy, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseExport) files = fixture_write (format, problem, strategy, &error);

  g_assert_null (files);
  g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_UNSUPPORTED);
  g_assert_cmpstr (shardwise_error_path (error), ==, path);
  g_assert_true (g_str_has_prefix (error->message, path));
}

const char *
fixture_file (ShardwiseExport *files, const char *name)
{
  for (guint i = 0; i < files->files->len; i++)
    {
      const ShardwiseExportFile *file = g_ptr_array_index (files->files, i);

      if (g_str_equal (file->name, name))
        return file->content;
    }

  g_error ("no file %s", name);
}

char *
fixture_without_comments (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  GString *rest = g_string_new (NULL);

  for (guint i = 0; lines[i] != NULL; i++)
    if (lines[i][0] != '#')
      g_string_append_printf (rest, lines[i + 1] != NULL ? "%s\n" : "%s", lines[i]);

  return g_string_free (rest, FALSE);
}

/* SHARDWISE_TEST_UPDATE=1 writes the golden files anew, for a reviewer to read. */
void
fixture_compare_with_golden (const char *text, const char *golden)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "export", golden, NULL);
  g_autofree char *expected = NULL;
  g_autofree char *code = fixture_without_comments (text);
  g_autoptr (GError) error = NULL;

  if (g_getenv ("SHARDWISE_TEST_UPDATE") != NULL)
    {
      g_file_set_contents (path, code, -1, &error);
      g_assert_no_error (error);
    }
  g_file_get_contents (path, &expected, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (code, ==, expected);
}

/* A string starting at `text`, with its quotes: its length, or 0 where it does not end. */
static gsize
python_string_length (const char *text)
{
  gboolean triple = text[0] == text[1] && text[0] == text[2];
  g_autofree char *quotes = g_strnfill (triple ? 3 : 1, text[0]);
  const char *end = strstr (text + strlen (quotes), quotes);

  if (end == NULL || (!triple && memchr (text, '\n', (gsize) (end - text)) != NULL))
    return 0;

  return (gsize) (end - text) + strlen (quotes);
}

static gboolean
closes (GString *open, char bracket)
{
  const char *pairs = "()[]{}";
  const char *at = strchr (pairs, bracket);
  gboolean matches = open->len > 0 && open->str[open->len - 1] == at[-1];

  if (matches)
    g_string_truncate (open, open->len - 1);

  return matches;
}

static gboolean
indents_are_fours (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    if (strspn (lines[i], " ") % 4 != 0 || strchr (lines[i], '\t') != NULL)
      return FALSE;

  return TRUE;
}

gboolean
fixture_python_is_balanced (const char *text)
{
  g_autoptr (GString) open = g_string_new (NULL);

  for (const char *c = text; *c != '\0'; c++)
    {
      gsize length;

      if (*c == '#')
        c = strchr (c, '\n');
      else if (strchr ("([{", *c) != NULL)
        g_string_append_c (open, *c);
      else if (strchr (")]}", *c) != NULL && !closes (open, *c))
        return FALSE;
      else if (*c == '"' || *c == '\'')
        {
          length = python_string_length (c);
          if (length == 0)
            return FALSE;
          c += length - 1;
        }
    }

  return open->len == 0 && indents_are_fours (text);
}

static void
write_texts (GPtrArray *texts, const char *folder, GPtrArray *argv)
{
  for (guint i = 0; i < texts->len; i++)
    {
      char *path = g_strdup_printf ("%s/file%u.py", folder, i);

      g_assert_true (g_file_set_contents (path, g_ptr_array_index (texts, i), -1, NULL));
      g_ptr_array_add (argv, path);
    }
}

gboolean
fixture_python_compiles (GPtrArray *texts)
{
  g_autofree char *python = g_find_program_in_path ("python3");
  g_autofree char *folder = g_dir_make_tmp ("shardwise-python-XXXXXX", NULL);
  g_autofree char *output = NULL;
  g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
  gint status = 0;

  if (python != NULL)
    {
      g_ptr_array_add (argv, g_strdup (python));
      g_ptr_array_add (argv, g_strdup ("-c"));
      g_ptr_array_add (argv, g_strdup ("import ast, sys\nfor path in sys.argv[1:]: "
                                       "ast.parse(open(path, encoding='utf-8').read(), path)"));
      write_texts (texts, folder, argv);
      g_ptr_array_add (argv, NULL);
      g_assert_true (g_spawn_sync (NULL, (char **) argv->pdata, NULL, G_SPAWN_DEFAULT, NULL, NULL,
                                   NULL, &output, &status, NULL));
      if (status != 0)
        g_test_message ("%s", output);
      for (guint i = 3; i + 1 < argv->len; i++)
        g_remove (g_ptr_array_index (argv, i));
    }
  else
    {
      g_test_message ("no python3: checked by its brackets only");
    }
  g_rmdir (folder);

  return status == 0;
}

guint
fixture_python_number (const char *text, const char *name)
{
  g_autofree char *start = g_strdup_printf ("\n%s = ", name);
  const char *at = strstr (text, start);

  g_assert_nonnull (at);
  return (guint) g_ascii_strtoull (at + strlen (start), NULL, 10);
}

static void
read_node (yaml_document_t *document, yaml_node_t *node, const char *path, GHashTable *out)
{
  if (node->type == YAML_SCALAR_NODE)
    {
      gboolean is_new = g_hash_table_insert (out, g_strdup (path),
                                             g_strdup ((const char *) node->data.scalar.value));

      g_assert_true (is_new); /* a key that comes twice */
      return;
    }

  if (node->type == YAML_SEQUENCE_NODE)
    for (yaml_node_item_t *item = node->data.sequence.items.start;
         item < node->data.sequence.items.top; item++)
      {
        g_autofree char *inner = g_strdup_printf ("%s.%ld", path,
                                                  (long) (item - node->data.sequence.items.start));

        read_node (document, yaml_document_get_node (document, *item), inner, out);
      }
  else
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++)
      {
        const char *key =
            (const char *) yaml_document_get_node (document, pair->key)->data.scalar.value;
        g_autofree char *inner = path[0] != '\0' ? g_strdup_printf ("%s.%s", path, key)
                                                 : g_strdup (key);

        read_node (document, yaml_document_get_node (document, pair->value), inner, out);
      }
}

GHashTable *
fixture_yaml (const char *text)
{
  GHashTable *out = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  yaml_parser_t parser;
  yaml_document_t document;

  g_assert_true (yaml_parser_initialize (&parser));
  yaml_parser_set_input_string (&parser, (const unsigned char *) text, strlen (text));
  g_assert_true (yaml_parser_load (&parser, &document));
  g_assert_nonnull (yaml_document_get_root_node (&document));
  read_node (&document, yaml_document_get_root_node (&document), "", out);
  yaml_document_delete (&document);
  yaml_parser_delete (&parser);

  return out;
}

guint
fixture_yaml_number (GHashTable *yaml, const char *path)
{
  const char *text = g_hash_table_lookup (yaml, path);

  g_assert_nonnull (text);
  return (guint) g_ascii_strtoull (text, NULL, 10);
}
