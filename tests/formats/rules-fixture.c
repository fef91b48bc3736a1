/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules-fixture.h"

#include <glib/gstdio.h>

#include "shardwise-json.h"

static void
value_free (gpointer data)
{
  FixtureValue *value = data;

  g_free (value->type);
  g_free (value->text);
  g_free (value);
}

static GHashTable *
values_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, value_free);
}

static void
add_value (GHashTable *values, const char *path, const char *type, const char *text)
{
  FixtureValue *value = g_new0 (FixtureValue, 1);

  value->type = g_strdup (type);
  value->text = g_strdup (text);
  if (!g_hash_table_insert (values, g_strdup (path), value))
    g_error ("%s comes twice", path);
}

gboolean
fixture_has_python (void)
{
  g_autofree char *python = g_find_program_in_path ("python3");

  if (python == NULL)
    g_test_skip ("no python3");
  return python != NULL;
}

static void
read_lines (const char *output, GPtrArray *tables)
{
  g_auto (GStrv) lines = g_strsplit (output, "\n", -1);

  for (guint i = 0; lines[i] != NULL && lines[i][0] != '\0'; i++)
    {
      g_auto (GStrv) parts = g_strsplit (lines[i], "\t", 4);

      g_assert_cmpuint (g_strv_length (parts), ==, 4);
      add_value (g_ptr_array_index (tables, g_ascii_strtoull (parts[0], NULL, 10)), parts[1],
                 g_str_equal (parts[2], "option") ? NULL : parts[2], parts[3]);
    }
}

GPtrArray *
fixture_flatten (const char *language, GPtrArray *texts)
{
  g_autofree char *script = g_test_build_filename (G_TEST_DIST, "formats", "flatten.py", NULL);
  g_autofree char *folder = g_dir_make_tmp ("shardwise-flatten-XXXXXX", NULL);
  g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
  GPtrArray *tables = g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref);
  g_autofree char *output = NULL;
  gint status = 1;

  g_ptr_array_add (argv, g_strdup ("python3"));
  g_ptr_array_add (argv, g_strdup (script));
  g_ptr_array_add (argv, g_strdup (language));
  for (guint i = 0; i < texts->len; i++)
    {
      char *path = g_strdup_printf ("%s/%u", folder, i);

      g_assert_true (g_file_set_contents (path, g_ptr_array_index (texts, i), -1, NULL));
      g_ptr_array_add (argv, path);
      g_ptr_array_add (tables, values_new ());
    }
  g_ptr_array_add (argv, NULL);
  g_assert_true (g_spawn_sync (NULL, (char **) argv->pdata, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                               &output, NULL, &status, NULL));
  if (status == 0)
    read_lines (output, tables);
  for (guint i = 3; i + 1 < argv->len; i++)
    g_remove (g_ptr_array_index (argv, i));
  g_rmdir (folder);
  g_assert_cmpint (status, ==, 0);

  return tables;
}

GHashTable *
fixture_flatten_one (const char *language, const char *text)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new ();
  g_autoptr (GPtrArray) tables = NULL;

  g_ptr_array_add (texts, (char *) text);
  tables = fixture_flatten (language, texts);
  return g_hash_table_ref (g_ptr_array_index (tables, 0));
}

GHashTable *
fixture_flatten_yaml (const char *text)
{
  g_autoptr (GHashTable) yaml = fixture_yaml (text);
  GHashTable *values = values_new ();
  GHashTableIter iter;
  gpointer path, value;

  g_hash_table_iter_init (&iter, yaml);
  while (g_hash_table_iter_next (&iter, &path, &value))
    add_value (values, path, NULL, value);
  return values;
}

static void
read_json (JsonNode *node, const char *path, GHashTable *values)
{
  if (JSON_NODE_HOLDS_OBJECT (node))
    {
      JsonObjectIter iter;
      const char *name;
      JsonNode *member;

      json_object_iter_init (&iter, json_node_get_object (node));
      while (json_object_iter_next (&iter, &name, &member))
        {
          g_autofree char *inner = path[0] != '\0' ? g_strdup_printf ("%s.%s", path, name)
                                                   : g_strdup (name);

          read_json (member, inner, values);
        }
    }
  else if (JSON_NODE_HOLDS_ARRAY (node))
    {
      g_autofree char *text = json_to_string (node, FALSE);

      add_value (values, path, "list", g_strdelimit (text, "[],\"", ' '));
    }
  else
    {
      const GType type = json_node_get_value_type (node);
      g_autofree char *text = type == G_TYPE_STRING ? json_node_dup_string (node)
                                                    : json_to_string (node, FALSE);

      add_value (values, path,
                 type == G_TYPE_INT64     ? "int"
                 : type == G_TYPE_DOUBLE  ? "float"
                 : type == G_TYPE_BOOLEAN ? "bool"
                                          : "str",
                 text);
    }
}

GHashTable *
fixture_flatten_json (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = shardwise_json_parse (text, strlen (text), &error);
  GHashTable *values = values_new ();

  g_assert_no_error (error); /* strict: no key twice, no comment */
  read_json (root, "", values);
  return values;
}

static gboolean
matches_type (FixtureType type, const char *text)
{
  static const char *const patterns[] = {
    [FIXTURE_INT] = "^-?[0-9]+$",
    [FIXTURE_FLOAT] = "^-?[0-9]+(\\.[0-9]+)?(e-?[0-9]+)?$",
    [FIXTURE_BOOL] = "^(true|false)$",
    [FIXTURE_TEXT] = "^[^ ]+$",
    [FIXTURE_FLAG] = "^$",
    [FIXTURE_LIST] = "^[^ ]+( [^ ]+)*$",
    [FIXTURE_NULL_OR_INT] = "^(null|[0-9]+)$",
    [FIXTURE_CODE] = ".",
    [FIXTURE_YAML_FLOAT] = "^-?[0-9]+\\.[0-9]+(e[-+][0-9]+)?$",
  };

  return g_regex_match_simple (patterns[type], text, 0, 0);
}

static gboolean
has_type (FixtureType type, const char *name)
{
  static const char *const names[] = {
    [FIXTURE_INT] = "int",
    [FIXTURE_FLOAT] = "float|int",
    [FIXTURE_BOOL] = "bool",
    [FIXTURE_TEXT] = "str",
    [FIXTURE_FLAG] = "import",
    [FIXTURE_LIST] = "list",
    [FIXTURE_NULL_OR_INT] = "NoneType|int",
    [FIXTURE_CODE] = "code|NoneType|str",
    [FIXTURE_YAML_FLOAT] = "float",
  };
  g_auto (GStrv) allowed = g_strsplit (names[type], "|", -1);

  return g_strv_contains ((const char *const *) allowed, name);
}

gboolean
fixture_accepts (const FixtureRule *rule, const FixtureValue *value)
{
  g_auto (GStrv) choices = g_strsplit (rule->choices != NULL ? rule->choices : "", "|", -1);
  g_auto (GStrv) words = g_strsplit (value->text, " ", -1);

  if (value->type != NULL ? !has_type (rule->type, value->type)
                          : !matches_type (rule->type, value->text))
    return FALSE;
  if (rule->choices == NULL)
    return TRUE;
  if (rule->type != FIXTURE_LIST)
    return g_strv_contains ((const char *const *) choices, value->text);
  for (guint i = 0; words[i] != NULL; i++)
    if (!g_strv_contains ((const char *const *) choices, words[i]))
      return FALSE;

  return TRUE;
}

static gboolean
covers (const char *pattern, const char *path)
{
  gsize length = strlen (pattern);

  if (length > 0 && pattern[length - 1] == '*')
    return strncmp (pattern, path, length - 1) == 0;
  return g_str_equal (pattern, path);
}

/* An unknown key, a value of the wrong type or a missing key fails, as it does in the framework. */
void
fixture_check (GHashTable *values, const FixtureRule *rules, gsize n_rules)
{
  GHashTableIter iter;
  gpointer path, value;

  g_hash_table_iter_init (&iter, values);
  while (g_hash_table_iter_next (&iter, &path, &value))
    {
      gboolean known = FALSE, accepted = FALSE;

      for (gsize i = 0; i < n_rules && !accepted; i++)
        if (covers (rules[i].path, path))
          {
            known = TRUE;
            accepted = fixture_accepts (&rules[i], value);
          }
      if (!known)
        g_error ("there is no key %s", (const char *) path);
      if (!accepted)
        g_error ("%s cannot be “%s”", (const char *) path, ((FixtureValue *) value)->text);
    }
  for (gsize i = 0; i < n_rules; i++)
    if (rules[i].required && !g_hash_table_contains (values, rules[i].path))
      g_error ("%s is missing", rules[i].path);
}

const char *
fixture_text (GHashTable *values, const char *path)
{
  const FixtureValue *value = g_hash_table_lookup (values, path);

  return value != NULL ? value->text : NULL;
}

guint
fixture_number (GHashTable *values, const char *path, guint fallback)
{
  const char *text = fixture_text (values, path);

  return text != NULL ? (guint) g_ascii_strtoull (text, NULL, 10) : fallback;
}

static void
case_free (gpointer data)
{
  fixture_case_clear (data);
  g_free (data);
}

/* Half of the questions are plain bf16 pre-training with AdamW, which every framework runs. */
static void
random_training (SwTraining *training)
{
  if (g_test_rand_bit ())
    return;

  training->optimizer = (SwOptimizer) g_test_rand_int_range (0, SW_OPTIMIZER_SGD + 1);
  training->type = (SwTrainingType) g_test_rand_int_range (0, SW_TRAINING_RLHF + 1);
  training->precision = (SwPrecision) g_test_rand_int_range (0, SW_PRECISION_NVFP4 + 1);
  training->overlap = g_test_rand_bit () ? SW_OVERLAP_AUTO : SW_OVERLAP_NONE;
}

GPtrArray *
fixture_random_cases (ShardwiseFormat format, const char *const *models, guint count)
{
  GPtrArray *cases = g_ptr_array_new_with_free_func (case_free);
  guint n_models = g_strv_length ((char **) models);

  for (guint i = 0; i < count; i++)
    {
      FixtureCase *random = g_new0 (FixtureCase, 1);
      g_autoptr (GError) error = NULL;

      fixture_problem (models[g_test_rand_int_range (0, (gint) n_models)], 32, &random->problem);
      random_training (&random->problem.training);
      fixture_random_strategy (&random->problem, &random->strategy);
      random->strategy.framework = (guint8) g_test_rand_int_range (SW_FRAMEWORK_MEGATRON_CORE,
                                                                   SW_N_FRAMEWORKS);
      random->files = fixture_write (format, &random->problem, &random->strategy, &error);
      if (random->files != NULL)
        {
          random->strategy = random->files->estimate.strategy;
          g_ptr_array_add (cases, random);
          continue;
        }
      g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_UNSUPPORTED);
      g_assert_nonnull (shardwise_error_path (error));
      case_free (random);
    }
  g_test_message ("%s: %u of %u were written", shardwise_format_info (format)->title, cases->len,
                  count);
  return cases;
}

void
fixture_case_init (FixtureCase *self, const char *model, guint tp, guint pp, guint dp)
{
  *self = (FixtureCase){ .files = NULL };
  fixture_problem (model, tp * pp * dp, &self->problem);
  fixture_strategy (tp, pp, dp, &self->strategy);
}

void
fixture_case_clear (FixtureCase *self)
{
  g_clear_pointer (&self->files, shardwise_export_free);
}

/* The parsers of the other languages are Python's. */
static const char *
language_of (const char *name)
{
  return g_str_has_suffix (name, ".py")     ? "python"
         : g_str_has_suffix (name, ".toml") ? "toml"
                                            : "shell";
}

const char *
fixture_case_write (FixtureCase *self, ShardwiseFormat format)
{
  fixture_case_clear (self);
  self->files = fixture_written (format, &self->problem, &self->strategy);
  return fixture_file (self->files, shardwise_format_info (format)->file_name);
}

GHashTable *
fixture_case_read (FixtureCase *self, ShardwiseFormat format)
{
  const char *name = shardwise_format_info (format)->file_name;
  const char *text = fixture_case_write (self, format);

  if (g_str_has_suffix (name, ".json"))
    return fixture_flatten_json (text);
  if (g_str_has_suffix (name, ".yaml"))
    return fixture_flatten_yaml (text);
  return fixture_flatten_one (language_of (name), text);
}

GPtrArray *
fixture_read_cases (GPtrArray *cases)
{
  const FixtureCase *first = cases->pdata[0];
  const char *name = first->files->info->file_name;
  g_autoptr (GPtrArray) texts = g_ptr_array_new ();

  for (guint i = 0; i < cases->len; i++)
    g_ptr_array_add (texts, (char *) fixture_file (((FixtureCase *) cases->pdata[i])->files, name));
  return fixture_flatten (language_of (name), texts);
}
