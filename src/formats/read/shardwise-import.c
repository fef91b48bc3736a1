/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of training jobs and of models as scenarios: which kind a file is, and what was read of it,
 * also as a text, so that it outlives the program. No file of the input is opened, and none of it
 * is run. */
#include "shardwise-import.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-foreign.h"
#include "shardwise-import-job.h"
#include "shardwise-import-python.h"
#include "shardwise-file.h"
#include "shardwise-json.h"
#include "shardwise-yaml.h"
#include "shardwise-toml.h"
#include "shardwise-node-json.h"
#include "shardwise-resolve.h"
#include "shardwise-node-python.h"

static const ShardwiseImportReader scenario_reader = { "scenario", N_ ("Shardwise scenario"),
                                                       SHARDWISE_N_FORMATS, NULL };

static const ShardwiseImportReader *const readers[SHARDWISE_N_IMPORTS] = {
  [SHARDWISE_IMPORT_SCENARIO] = &scenario_reader,
  [SHARDWISE_IMPORT_CONFIG] = &shardwise_import_config,
  [SHARDWISE_IMPORT_PARAMS] = &shardwise_import_params,
  [SHARDWISE_IMPORT_DEEPSPEED] = &shardwise_import_deepspeed,
  [SHARDWISE_IMPORT_NANOTRON] = &shardwise_import_nanotron,
  [SHARDWISE_IMPORT_MEGATRON] = &shardwise_import_megatron,
  [SHARDWISE_IMPORT_TORCHTITAN] = &shardwise_import_torchtitan,
  [SHARDWISE_IMPORT_ACCELERATE] = &shardwise_import_accelerate,
  [SHARDWISE_IMPORT_TORCHTITAN_MAIN] = &shardwise_import_torchtitan_main,
  [SHARDWISE_IMPORT_BRIDGE] = &shardwise_import_bridge,
  [SHARDWISE_IMPORT_PYTORCH] = &shardwise_import_pytorch,
};

typedef enum {
  SYNTAX_JSON,
  SYNTAX_YAML,
  SYNTAX_TOML,
  SYNTAX_PYTHON,
  SYNTAX_SHELL,
  SYNTAX_UNKNOWN
} Syntax;

/**
 * shardwise_import_name:
 * @kind: what a file is
 *
 * Returns: (transfer none): the same as a word of the JSON output
 */
const char *
shardwise_import_name (ShardwiseImportKind kind)
{
  g_return_val_if_fail (kind < SHARDWISE_N_IMPORTS, NULL);

  return readers[kind]->name;
}

/**
 * shardwise_import_title:
 * @kind: what a file is
 *
 * Returns: (transfer none): the same in words, translated
 */
const char *
shardwise_import_title (ShardwiseImportKind kind)
{
  return kind < SHARDWISE_N_IMPORTS ? _ (readers[kind]->title) : _ ("Unknown file");
}

/* ---- which kind ---- */

static gboolean
has_suffix (const char *name, const char *const *suffixes)
{
  g_autofree char *lower = g_ascii_strdown (name, -1);

  for (guint i = 0; suffixes[i] != NULL; i++)
    if (g_str_has_suffix (lower, suffixes[i]))
      return TRUE;
  return FALSE;
}

/* Whether a line of the text fits; the expression is of our own making. */
static gboolean
has_line (const char *text, const char *expression)
{
  return g_regex_match_simple (expression, text, G_REGEX_MULTILINE, 0);
}

static Syntax
syntax_of (const char *text, const char *name)
{
  static const char *const shell[] = { ".sh", ".bash", ".sbatch", ".slurm", NULL };
  static const char *const toml[] = { ".toml", NULL };
  static const char *const yaml[] = { ".yaml", ".yml", NULL };
  static const char *const json[] = { ".json", ".hjson", ".shardwise", NULL };
  static const char *const python[] = { ".py", NULL };
  static const char *const options[] = { "--tensor-model-parallel-size",
                                         "--pipeline-model-parallel-size", "--num-layers",
                                         "--micro-batch-size" };
  g_autofree char *line = g_strndup (text, strcspn (text, "\n"));
  const char *first = text, *last;

  /* Comments may stand before the document. */
  do
    {
      last = first;
      while (g_ascii_isspace (*first))
        first++;
      if (g_str_has_prefix (first, "/*") && strstr (first, "*/") != NULL)
        first = strstr (first, "*/") + 2;
      else if (*first == '#' || g_str_has_prefix (first, "//"))
        first += strcspn (first, "\n");
    }
  while (first != last);
  if (has_suffix (name, shell))
    return SYNTAX_SHELL;
  if (has_suffix (name, toml))
    return SYNTAX_TOML;
  if (has_suffix (name, yaml))
    return SYNTAX_YAML;
  if (has_suffix (name, python))
    return SYNTAX_PYTHON;
  if (has_suffix (name, json) || *first == '{')
    return SYNTAX_JSON;
  /* Imports, which no other syntax has in this form; a shell script may hold some in its text. */
  if (!(g_str_has_prefix (line, "#!") && strstr (line, "sh") != NULL)
      && has_line (text, "^(from [A-Za-z_.0-9]+ import [A-Za-z_(*]|import [A-Za-z_.0-9]+"
                         "( as [A-Za-z_0-9]+)?[ \t\r]*(#.*|,.*)?$)"))
    return SYNTAX_PYTHON;
  if (g_str_has_prefix (text, "#!"))
    return SYNTAX_SHELL;
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    if (strstr (text, options[i]) != NULL && !has_line (text, "^apiVersion:"))
      return SYNTAX_SHELL;
  if (has_line (text, "^\\[[A-Za-z_.\"]+\\][ \t\r]*(#|$)"))
    return SYNTAX_TOML;
  if (*first == '[' || *first == '\0')
    return SYNTAX_JSON;
  return has_line (text, "^[A-Za-z_]+:([ \t\r]|$)") ? SYNTAX_YAML : SYNTAX_UNKNOWN;
}

static gboolean
has_any (const ShardwiseNode *root, const char *const *keys)
{
  for (guint i = 0; keys[i] != NULL; i++)
    if (shardwise_node_member (root, keys[i]) != NULL)
      return TRUE;
  return FALSE;
}

static ShardwiseImportKind
kind_of_json (const ShardwiseNode *root)
{
  static const char *const scenario[] = { "format", "cluster", "strategy", "training", NULL };
  static const char *const deepspeed[] = { "train_batch_size",
                                           "train_micro_batch_size_per_gpu",
                                           "gradient_accumulation_steps",
                                           "zero_optimization",
                                           "tensor_parallel",
                                           "gradient_clipping",
                                           NULL };
  static const char *const config[] = { "model_type", "architectures",     "text_config",
                                        "n_embd",     "num_hidden_layers", "hidden_size",
                                        "d_model",    "num_layers",        NULL };

  if (root->type != SHARDWISE_NODE_MAP)
    return SHARDWISE_IMPORT_UNKNOWN;
  if (has_any (root, scenario))
    return SHARDWISE_IMPORT_SCENARIO;
  if (has_any (root, deepspeed))
    return SHARDWISE_IMPORT_DEEPSPEED;
  if (shardwise_node_member (root, "dim") != NULL
      && shardwise_node_member (root, "n_layers") != NULL)
    return SHARDWISE_IMPORT_PARAMS;
  if (has_any (root, config))
    return SHARDWISE_IMPORT_CONFIG;
  return SHARDWISE_IMPORT_SCENARIO;
}

/* ---- the text ---- */

/* The bytes as text: without a byte order mark; else an error with line and column. */
static char *
decode (const char *bytes, gsize length, GError **error)
{
  const char *invalid;
  guint line = 1, column = 1;

  if (length > SHARDWISE_JSON_MAX_BYTES)
    {
      shardwise_json_check (bytes, length, error); /* says so */
      return NULL;
    }
  if (length >= 3 && memcmp (bytes, "\xef\xbb\xbf", 3) == 0)
    {
      bytes += 3;
      length -= 3;
    }
  if (g_utf8_validate (bytes, (gssize) length, &invalid)) /* which refuses NUL, too */
    return g_strndup (bytes, length);
  for (const char *p = bytes; p < invalid; p++)
    {
      column = *p == '\n' ? 1 : column + (((guchar) *p & 0xc0) != 0x80);
      line += *p == '\n';
    }
  g_propagate_error (error, shardwise_position_error (line, column, "%s",
                                                      _ ("not UTF-8 text, accepted: text in UTF-8 "
                                                         "without the character U+0000")));
  return NULL;
}

static ShardwiseNode *
parse (Syntax syntax, const char *text, guint *hjson_line, GError **error)
{
  *hjson_line = 0;
  if (syntax == SYNTAX_JSON)
    {
      /* Hjson is for DeepSpeed alone, whose loader takes it; of any other file the error is that of
       * JSON, which the others read. */
      g_autoptr (GError) refused = NULL, not_hjson = NULL;
      ShardwiseNode *root = shardwise_node_from_json (text, strlen (text), &refused);
      guint line;

      if (root != NULL)
        return root;
      root = shardwise_node_from_hjson (text, strlen (text), &line, &not_hjson);
      if (root != NULL && kind_of_json (root) == SHARDWISE_IMPORT_DEEPSPEED)
        {
          *hjson_line = MAX (line, 1);
          return root;
        }
      if (root == NULL && has_line (text, "^[^#/]*(train_(micro_)?batch_size|zero_optimization)"))
        g_propagate_error (error, g_steal_pointer (&not_hjson));
      else
        g_propagate_error (error, g_steal_pointer (&refused));
      shardwise_node_unref (root);
      return NULL;
    }
  if (syntax == SYNTAX_YAML)
    return shardwise_node_from_yaml (text, strlen (text), error);
  if (syntax == SYNTAX_PYTHON)
    return shardwise_node_from_python (text, strlen (text), error);
  return shardwise_node_from_toml (text, strlen (text), error);
}

static ShardwiseImportKind
kind_of (Syntax syntax, const ShardwiseNode *root)
{
  static const char *const nanotron[] = { "tokens", "general", "optimizer", "data_stages", NULL };
  static const char *const accelerate[] = { "distributed_type",   "compute_environment",
                                            "num_processes",      "fsdp_config",
                                            "deepspeed_config",   "megatron_lm_config",
                                            "parallelism_config", NULL };
  static const char *const torchtitan[] = { "parallelism", "training", "job", "model", NULL };

  if (syntax == SYNTAX_JSON)
    return kind_of_json (root);
  if (syntax == SYNTAX_PYTHON)
    return shardwise_import_kind_of_python (root);
  if (syntax == SYNTAX_TOML)
    return has_any (root, torchtitan) ? SHARDWISE_IMPORT_TORCHTITAN : SHARDWISE_IMPORT_UNKNOWN;
  if (shardwise_import_is_megatron_yaml (root))
    return SHARDWISE_IMPORT_MEGATRON;
  if (shardwise_node_member (root, "parallelism") != NULL && has_any (root, nanotron))
    return SHARDWISE_IMPORT_NANOTRON;
  return has_any (root, accelerate) ? SHARDWISE_IMPORT_ACCELERATE : SHARDWISE_IMPORT_UNKNOWN;
}

/* Whether it is a file of a framework that is not read: an error names that. A script of another
 * framework may call what PyTorch has, too. */
static gboolean
is_foreign (Syntax syntax, ShardwiseImportKind kind, const char *text, GError **error)
{
  const gboolean is_script = syntax == SYNTAX_PYTHON;
  const char *name = NULL;

  if (is_script && (kind == SHARDWISE_IMPORT_UNKNOWN || kind == SHARDWISE_IMPORT_PYTORCH))
    name = shardwise_foreign_script (text);
  else if (syntax == SYNTAX_YAML || syntax == SYNTAX_JSON)
    name = shardwise_foreign_configuration (text);
  if (name != NULL)
    g_propagate_error (error, shardwise_position_error (
                                  1, 1,
                                  is_script ? /* Translators: a framework, "verl" */
                                      _ ("this is a script of %s, which is not read yet")
                                            : /* Translators: a framework, "Axolotl" */
                                      _ ("this is a configuration of %s, which is not read yet"),
                                  name));
  return name != NULL;
}

/**
 * shardwise_import_detect:
 * @text: any bytes
 * @length: their count
 * @name: the name of the file, "" where it has none
 *
 * Returns: what the text is, %SHARDWISE_IMPORT_UNKNOWN where it is none of what is read or is not
 * well formed
 */
ShardwiseImportKind
shardwise_import_detect (const char *text, gsize length, const char *name)
{
  g_autofree char *decoded = decode (text, length, NULL), *script = NULL;
  g_autoptr (ShardwiseNode) root = NULL;
  ShardwiseImportKind kind;
  guint hjson_line;
  Syntax syntax;

  if (decoded == NULL)
    return SHARDWISE_IMPORT_UNKNOWN;
  syntax = syntax_of (decoded, name);
  if (syntax == SYNTAX_SHELL)
    return SHARDWISE_IMPORT_MEGATRON;
  if (syntax != SYNTAX_UNKNOWN)
    root = parse (syntax, decoded, &hjson_line, NULL);
  if (root != NULL && (script = shardwise_import_kubernetes_script (root)) != NULL)
    return SHARDWISE_IMPORT_MEGATRON;
  kind = root != NULL ? kind_of (syntax, root) : SHARDWISE_IMPORT_UNKNOWN;
  return is_foreign (syntax, kind, decoded, NULL) ? SHARDWISE_IMPORT_UNKNOWN : kind;
}

/* ---- reading ---- */

static ShardwiseImport *
read_kind (ShardwiseImportKind kind, const ShardwiseNode *root, const char *text, const char *name,
           ShardwiseScenario *base, guint hjson_line, GError **error)
{
  g_autoptr (ShardwiseImport) self = shardwise_import_new (kind);
  g_autoptr (ShardwiseScenario) whole = NULL;
  g_autofree char *base_name = *name != '\0' ? g_path_get_basename (name) : NULL, *title = NULL;
  ShardwiseImportJob job = { .out = self, .text = text, .root = root, .base = base, .name = name };

  self->scenario = g_object_new (SHARDWISE_TYPE_SCENARIO, NULL);
  if (hjson_line > 0)
    shardwise_import_warn (&job,
                           _ ("Line %u is Hjson and no JSON (a comment, a word without quotes, a "
                              "comma too many or too few): DeepSpeed reads it, Hugging Face’s "
                              "loader does not."),
                           hjson_line);
  if (root != NULL && root->repeated > 0)
    shardwise_import_find (
        &job, SHARDWISE_SEVERITY_WARNING, "repeated-key",
        _ ("Line %u states a key a second time: the last value counts, without a "
           "word from the framework."),
        root->repeated);
  readers[kind]->read (&job);
  shardwise_import_complete (&job);
  shardwise_import_keep_assumed (self);
  if (base_name == NULL || g_str_equal (base_name, "-"))
    title = g_strdup (shardwise_import_title (kind));
  else
    title = g_utf8_make_valid (base_name, -1);
  shardwise_import_put_word (&job, SHARDWISE_KEY_NAME, title);
  if (job.error != NULL)
    {
      g_debug ("“%s” is refused as %s: %s", name, shardwise_import_name (kind), job.error->message);
      g_propagate_error (error, job.error);
      return NULL;
    }
  g_debug ("Read “%s” as %s: %u warnings, %u findings", name, shardwise_import_name (kind),
           self->warnings->len, self->findings->len);
  whole = g_steal_pointer (&self->scenario);
  self->scenario = shardwise_scenario_copy (whole); /* without the steps that made it */
  return g_steal_pointer (&self);
}

static ShardwiseImport *
fail_unknown (const ShardwiseNode *root, GError **error)
{
  const char *text =
      shardwise_node_member (root, "apiVersion") != NULL
          ? _ ("a Kubernetes file without Megatron-LM’s arguments, which only names a program; "
               "accepted: that program’s configuration")
          : _ ("not a file that is read, accepted: a scenario, config.json, params.json, a "
               "DeepSpeed JSON, a Nanotron or Accelerate YAML, a TorchTitan TOML or Python file, a "
               "Megatron-LM launch script, a Megatron-Bridge or NeMo recipe, a Python script with "
               "PyTorch’s FSDP or device mesh");

  g_propagate_error (error, shardwise_position_error (1, 1, "%s", text));
  return NULL;
}

/**
 * shardwise_import_read:
 * @text: any bytes
 * @length: their count
 * @name: the file's name, "" where it has none; its ending helps where the content could be several
 *   things
 * @base: (nullable): the scenario at hand, for the model, the cluster and the rest that the file
 *   does not state; %NULL: defaults
 *
 * Returns: (transfer full): a scenario with the strategy of the job pinned; %NULL with @error
 * naming line and column
 */
ShardwiseImport *
shardwise_import_read (const char *text, gsize length, const char *name, ShardwiseScenario *base,
                       GError **error)
{
  g_autofree char *decoded = decode (text, length, error);
  g_autoptr (ShardwiseNode) root = NULL;
  guint hjson_line = 0;
  ShardwiseImportKind kind = SHARDWISE_IMPORT_MEGATRON;
  Syntax syntax;

  if (decoded == NULL)
    return NULL;
  syntax = syntax_of (decoded, name);
  if (syntax == SYNTAX_UNKNOWN)
    return fail_unknown (NULL, error);
  if (syntax != SYNTAX_SHELL)
    {
      if (syntax != SYNTAX_PYTHON && is_foreign (syntax, kind, decoded, error))
        return NULL;
      root = parse (syntax, decoded, &hjson_line, error);
      if (root == NULL)
        return NULL;
      kind = kind_of (syntax, root);
      if (syntax == SYNTAX_PYTHON && is_foreign (syntax, kind, decoded, error))
        return NULL;
    }
  if (kind == SHARDWISE_IMPORT_UNKNOWN)
    {
      g_autofree char *script = shardwise_import_kubernetes_script (root);

      return script != NULL
                 ? read_kind (SHARDWISE_IMPORT_MEGATRON, NULL, script, name, base, 0, error)
                 : fail_unknown (root, error);
    }
  if (kind == SHARDWISE_IMPORT_SCENARIO)
    {
      g_autoptr (ShardwiseImport) self = shardwise_import_new (SHARDWISE_IMPORT_SCENARIO);

      self->scenario = shardwise_scenario_from_json (decoded, -1, error);
      return self->scenario != NULL ? g_steal_pointer (&self) : NULL;
    }
  return read_kind (kind, root, decoded, name, base, hjson_line, error);
}

/**
 * shardwise_import_document:
 * @text: a scenario, or the configuration of a job or a model
 * @length: in bytes
 * @name: of its file; "": none
 * @base: (nullable): what a configuration leaves open
 * @error: says also where a scenario names no model or no GPUs: it is none
 *
 * Reads what is to be a document of its own. One that names a wrong link is read, and its row says
 * so; a job that names no model is read, too, and asks for one.
 *
 * Returns: (transfer full) (nullable): what was read
 */
ShardwiseImport *
shardwise_import_document (const char *text, gsize length, const char *name,
                           ShardwiseScenario *base, GError **error)
{
  g_autoptr (ShardwiseImport) import = shardwise_import_read (text, length, name, base, error);
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  g_autoptr (GError) unresolved = NULL;

  if (import == NULL)
    return NULL;
  if (import->kind == SHARDWISE_IMPORT_SCENARIO
      && !shardwise_scenario_resolve (import->scenario, problem, NULL, &unresolved)
      && g_error_matches (unresolved, SHARDWISE_ERROR, SHARDWISE_ERROR_MISSING))
    {
      g_propagate_error (error, g_steal_pointer (&unresolved));
      return NULL;
    }
  return g_steal_pointer (&import);
}

/**
 * shardwise_import_file:
 * @file: a scenario, or the configuration of a job or a model
 * @base: (nullable): what a configuration leaves open
 *
 * Reads a file as shardwise_import_document() does; blocks.
 *
 * Returns: (transfer full) (nullable): what was read
 */
ShardwiseImport *
shardwise_import_file (GFile *file, ShardwiseScenario *base, GCancellable *cancellable,
                       GError **error)
{
  g_autoptr (GBytes) bytes = shardwise_read_file (file, cancellable, error);
  g_autofree char *path = g_file_get_basename (file), *name = g_filename_display_name (path);
  const char *text;
  gsize length;

  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &length);
  return shardwise_import_document (text != NULL ? text : "", length, name, base, error);
}

/**
 * shardwise_import_format:
 * @kind: of a file
 * @scenario: what was read from it
 *
 * Returns: (transfer none) (nullable): the export that writes such a job, whose rules are those of
 * its framework
 */
const ShardwiseFormatInfo *
shardwise_import_format (ShardwiseImportKind kind, ShardwiseScenario *scenario)
{
  g_autofree char *framework = shardwise_scenario_get_string (scenario,
                                                              SHARDWISE_KEY_TRAINING_FRAMEWORK);

  if (kind >= SHARDWISE_N_IMPORTS || readers[kind]->format == SHARDWISE_N_FORMATS)
    return NULL;
  if (kind == SHARDWISE_IMPORT_PYTORCH && g_strcmp0 (framework, "fsdp") == 0)
    return shardwise_format_info (SHARDWISE_FORMAT_FSDP1);
  return shardwise_format_info (readers[kind]->format);
}

/* ---- kept ---- */

/**
 * shardwise_import_to_json:
 * @self: an import; its scenario is left out
 *
 * Returns: (transfer full): its kind, warnings and findings
 */
char *
shardwise_import_to_json (const ShardwiseImport *self)
{
  JsonObject *object = json_object_new ();
  g_autoptr (JsonNode) node = shardwise_json_take_object (object);
  JsonArray *assumed = json_array_new ();

  for (guint i = 0; i < self->assumed->len; i++)
    {
      const ShardwiseImportAssumption *assumption = g_ptr_array_index (self->assumed, i);
      JsonObject *item = json_object_new ();

      json_object_set_string_member (item, "warning", assumption->warning);
      json_object_set_string_member (item, "path", shardwise_key_path (assumption->key));
      json_object_set_string_member (item, "value", assumption->value);
      json_array_add_object_element (assumed, item);
    }

  json_object_set_string_member (object, "kind", shardwise_import_name (self->kind));
  json_object_set_array_member (object, "warnings", shardwise_json_strings (self->warnings));
  json_object_set_array_member (object, "assumed", assumed);
  json_object_set_member (object, "findings", shardwise_findings_to_json (self->findings, NULL));
  return shardwise_json_to_string (node);
}

static JsonArray *
list_of (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

/* The text of a member of an object; NULL where either is something else. */
static const char *
text_of (JsonNode *node, const char *name)
{
  JsonNode *member = node != NULL && JSON_NODE_HOLDS_OBJECT (node)
                         ? json_object_get_member (json_node_get_object (node), name)
                         : NULL;

  return member != NULL && json_node_get_value_type (member) == G_TYPE_STRING
             ? json_node_get_string (member)
             : NULL;
}

/**
 * shardwise_import_from_json:
 * @text: from shardwise_import_to_json(), or anything
 *
 * Returns: (transfer full) (nullable): the import without a scenario; %NULL where the text is none
 */
ShardwiseImport *
shardwise_import_from_json (const char *text)
{
  g_autoptr (JsonNode) node = shardwise_json_parse (text, strlen (text), NULL);
  JsonObject *object = node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node)
                                                                     : NULL;
  JsonArray *warnings = object != NULL ? list_of (object, "warnings") : NULL,
            *findings = object != NULL ? list_of (object, "findings") : NULL,
            *assumed = object != NULL ? list_of (object, "assumed") : NULL;
  ShardwiseImportKind kind = SHARDWISE_IMPORT_SCENARIO;
  ShardwiseImport *self;

  if (warnings == NULL || findings == NULL)
    return NULL;
  while (kind < SHARDWISE_N_IMPORTS && g_strcmp0 (readers[kind]->name, text_of (node, "kind")) != 0)
    kind++;
  if (kind == SHARDWISE_N_IMPORTS)
    return NULL;
  self = shardwise_import_new (kind);
  for (guint i = 0; i < json_array_get_length (warnings); i++)
    if (json_node_get_value_type (json_array_get_element (warnings, i)) == G_TYPE_STRING)
      g_ptr_array_add (self->warnings, g_strdup (json_array_get_string_element (warnings, i)));
  /* What a version without it wrote stays open. */
  for (guint i = 0; assumed != NULL && i < json_array_get_length (assumed); i++)
    {
      JsonNode *item = json_array_get_element (assumed, i);
      const char *warning = text_of (item, "warning"), *path = text_of (item, "path"),
                 *value = text_of (item, "value");
      const ShardwiseKey *key = path != NULL ? shardwise_key_find (path) : NULL;

      if (warning != NULL && key != NULL && value != NULL)
        shardwise_import_add_assumption (self, warning, key->id, value);
    }
  for (guint i = 0; i < json_array_get_length (findings); i++)
    {
      JsonNode *item = json_array_get_element (findings, i);
      const char *severity = text_of (item, "severity"), *code = text_of (item, "code"),
                 *said = text_of (item, "text"), *effect = text_of (item, "effect");
      int index = severity != NULL ? sw_name_index (shardwise_severity_names, severity) : -1;

      if (index >= 0 && code != NULL && said != NULL)
        g_ptr_array_add (
            self->findings,
            shardwise_finding_new ((ShardwiseSeverity) index, code, g_strdup (said),
                                   effect != NULL && *effect != '\0' ? g_strdup (effect) : NULL));
    }
  return self;
}
