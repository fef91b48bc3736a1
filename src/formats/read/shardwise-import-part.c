/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file before its reader runs: its text, its kind, and its values as a tree. The content
 * determines the kind; if it is ambiguous, the extension does. */
#include "shardwise-import-part.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-import-job.h"
#include "shardwise-import-python.h"
#include "shardwise-json.h"
#include "shardwise-node-json.h"
#include "shardwise-node-python.h"
#include "shardwise-toml.h"
#include "shardwise-yaml.h"

/* ---- the tool of a file, by typical marks ----
 *
 * Which reader reads it, or which unsupported tool it belongs to, so that the error states the tool and
 * not a missing key of another format. */

/* Keys of a configuration, all at its outermost level. */
typedef struct {
  const char *name, *keys[4];
  ShardwiseImportKind kind; /* SCENARIO, which none of these is: unsupported */
} Keys;

/* An expression for a line: of a command that is not a comment, or of a Python file. */
typedef struct {
  const char *name, *expression;
  ShardwiseImportKind kind;
} Line;

/* The first match counts: specific ones come before general ones. */
static const Keys configurations[] = {
  { "Axolotl", { "base_model", "datasets" }, SHARDWISE_IMPORT_AXOLOTL },
  { "Axolotl", { "base_model", "sequence_len" }, SHARDWISE_IMPORT_AXOLOTL },
  { "Axolotl", { "base_model", "micro_batch_size" }, SHARDWISE_IMPORT_AXOLOTL },
  { "LLaMA-Factory", { "model_name_or_path", "finetuning_type" }, SHARDWISE_IMPORT_LLAMA_FACTORY },
  { "LLaMA-Factory", { "model_name_or_path", "stage" }, SHARDWISE_IMPORT_LLAMA_FACTORY },
  { "LLaMA-Factory", { "model_name_or_path", "template" }, SHARDWISE_IMPORT_LLAMA_FACTORY },
  { "LLaMA-Factory", { "model", "model_class" } },
  { "SkyPilot", { "resources", "run" }, SHARDWISE_IMPORT_SKYPILOT },
  { "SkyPilot", { "resources", "setup" }, SHARDWISE_IMPORT_SKYPILOT },
  { "TRL", { "model_name_or_path", "output_dir" }, SHARDWISE_IMPORT_TRAINER },
  { "TRL", { "model_name_or_path", "dataset_name" }, SHARDWISE_IMPORT_TRAINER },
  { "TRL", { "per_device_train_batch_size" }, SHARDWISE_IMPORT_TRAINER },
  { "torchtune", { "policy_model", "tokenizer" } },
  { "torchtune", { "checkpointer", "tokenizer", "model" }, SHARDWISE_IMPORT_TORCHTUNE },
  { "llm-foundry", { "model", "train_loader" } },
  { "llm-foundry", { "models", "icl_tasks" } },
  { "llm-foundry", { "integrations", "command" } },
  { "verl", { "actor_rollout_ref" }, SHARDWISE_IMPORT_VERL },
  { "verl", { "actor", "rollout" }, SHARDWISE_IMPORT_VERL },
  { "verl", { "ulysses_sequence_parallel_size", "trainer" }, SHARDWISE_IMPORT_VERL },
  { "NeMo RL", { "policy", "grpo" } },
  { "NeMo RL", { "policy", "sft" } },
  { "NeMo RL", { "policy", "dpo" } },
  { "NeMo RL", { "policy", "cluster" } },
  { "NeMo", { "trainer", "exp_manager" } },
  { "NeMo", { "trainer", "tensor_model_parallel_size" } },
  { "NeMo", { "name", "trainer", "model" } },
  { "NeMo", { "inference", "trainer" } },
  { "GPT-NeoX", { "pipe_parallel_size" } },
  { "GPT-NeoX", { "pipe-parallel-size" } },
  { "GPT-NeoX", { "model_parallel_size", "num_layers" } },
  { "GPT-NeoX", { "model-parallel-size", "num-layers" } },
  { "GPT-NeoX", { "train_micro_batch_size_per_gpu", "data_path" } },
  { "GPT-NeoX", { "train-data-paths" } },
  { "GPT-NeoX", { "train_data_paths" } },
  { "GPT-NeoX", { "data_path", "vocab_file" } },
  { "GPT-NeoX", { "data-path", "vocab-file" } },
  { "MaxText", { "base_emb_dim" } },
  { "MaxText", { "base_config" } },
  { "MaxText", { "base_num_decoder_layers" } },
  { "MaxText", { "per_device_batch_size", "run_name" } },
  { "MaxText", { "model_name", "max_target_length" } },
  { "Primus", { "work_group", "modules" } },
  { "LitGPT", { "out_dir", "precision", "devices", "train" } },
  { "OLMo", { "max_duration", "global_train_batch_size", "model" } },
};

static const Line commands[] = {
  { "verl", "verl\\.(trainer|experimental)\\.", SHARDWISE_IMPORT_VERL },
  { "OpenRLHF", "openrlhf\\.cli\\.train|/openrlhf", SHARDWISE_IMPORT_OPENRLHF },
  { "LLaMA-Factory",
    "llamafactory-cli +train|llamafactory\\.launcher|src/train(_bash)?\\.py .*--stage",
    SHARDWISE_IMPORT_LLAMA_FACTORY },
  { "Axolotl", "axolotl\\.cli\\.|(^|[ \t;])axolotl +[a-z]", SHARDWISE_IMPORT_AXOLOTL },
  { "torchtune", "(^|[ \t;])tune +(run|download)", SHARDWISE_IMPORT_TORCHTUNE },
  { "llm-foundry", "(^|[ \t;])composer +|llmfoundry" },
  { "GPT-NeoX", "deepy\\.py" },
  { "MaxText", "MaxText[./]|maxtext[./]" },
  { "NeMo", "megatron_gpt_[a-z_]+\\.py|(^|[ \t;])nemo +(llm|run)" },
  { "NeMo RL", "examples/run_(grpo|sft|dpo)" },
  { "LitGPT", "(^|[ \t;])litgpt +[a-z]" },
  { "ms-swift", "(^|[ \t;])swift +(sft|pt|rlhf)" },
  { "ms-swift", "swift/cli/(sft|pt|rlhf)\\.py" },
  { "Primus", "primus" },
  { "TRL", "(^|[ \t;])trl +(sft|dpo|grpo|kto|reward|rloo)\\b", SHARDWISE_IMPORT_TRAINER },
  { "Hugging Face’s Trainer", "--per_device_train_batch_size", SHARDWISE_IMPORT_TRAINER },
};

static const Line scripts[] = {
  { "Unsloth", "^(from|import) +unsloth\\b", SHARDWISE_IMPORT_UNSLOTH },
  { "torchtune", "^(from|import) +torchtune\\b" },
  { "verl", "^(from|import) +verl\\b" },
  { "OpenRLHF", "^(from|import) +openrlhf\\b" },
  { "Axolotl", "^(from|import) +axolotl\\b" },
  { "LLaMA-Factory", "^(from|import) +llamafactory\\b" },
  { "llm-foundry", "^(from|import) +llmfoundry\\b" },
  { "MaxText", "^(from|import) +(MaxText|maxtext)\\b" },
  { "LitGPT", "^(from|import) +litgpt\\b" },
  { "ms-swift", "^(from|import) +swift\\b" },
  { "InternEvo", "^(from|import) +internlm\\b" },
  { "InternEvo", "^parallel *= *dict\\(" },
  { "TRL", "^(from|import) +trl\\b", SHARDWISE_IMPORT_TRAINER },
  { "Hugging Face’s Trainer", "^from +transformers +import .*\\bTrainer\\b",
    SHARDWISE_IMPORT_TRAINER },
};

/* The reader for a row of the tables. */
static ShardwiseImportKind
own_kind (ShardwiseImportKind kind)
{
  return kind != SHARDWISE_IMPORT_SCENARIO ? kind : SHARDWISE_IMPORT_UNKNOWN;
}

/* Whether a line of the text matches our own expression. */
static gboolean
has_line (const char *text, const char *expression)
{
  return g_regex_match_simple (expression, text, G_REGEX_MULTILINE, 0);
}

/* Whether a line starts with the key: at the margin, or in quotes within the outer braces. */
static gboolean
has_key (const char *text, const char *key)
{
  g_autofree char *expression =
      g_strdup_printf ("^(%s|[ \t{]*\"%s\"|'%s')[ \t]*:([ \t\r\"'{\\[]|$)", key, key, key);

  return has_line (text, expression);
}

/**
 * shardwise_foreign_command:
 * @text: a shell script
 * @kind: (out): the reader for the program that it starts; %SHARDWISE_IMPORT_UNKNOWN: none
 *
 * Returns: (transfer none) (nullable): the framework that a line of it starts
 */
const char *
shardwise_foreign_command (const char *text, ShardwiseImportKind *kind)
{
  *kind = SHARDWISE_IMPORT_UNKNOWN;
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_autofree char *expression = g_strdup_printf ("^[^#\n]*(%s)", commands[i].expression);

      if (has_line (text, expression))
        {
          *kind = own_kind (commands[i].kind);
          return commands[i].name;
        }
    }
  return NULL;
}

typedef enum {
  SYNTAX_JSON,
  SYNTAX_YAML,
  SYNTAX_TOML,
  SYNTAX_PYTHON,
  SYNTAX_SHELL,
  SYNTAX_UNKNOWN
} Syntax;

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

#define MAX_COMMANDS 100000 /* bytes of terminal input */

/* Whether a line is a command of a known tool: its program, with an option or a configuration;
 * words about a tool have neither. A prompt may precede it. */
static gboolean
has_command (const char *text)
{
  ShardwiseImportKind own;

  return strlen (text) <= MAX_COMMANDS
         && has_line (
             text,
             "^[ \t]*([^\n]*[$#%>] +|! *)?([A-Z_0-9]+=[^ \n]* +)*"
             "(nohup +|srun +|uv run +|python3? +-m +)?"
             "(accelerate|torchrun|torch\\.distributed\\.[a-z]+|deepspeed|python3?|trl|tune|ray|"
             "llamafactory-cli|llamafactory\\.[a-z]+|axolotl(\\.cli\\.[a-z_]+)?|"
             "openrlhf\\.cli\\.[a-z_]+|verl\\.[a-z_.]+|composer|litgpt|swift|nemo)[ \t]"
             "[^\n]*(--?[a-z]|[a-z_]=|\\.ya?ml|\\\\[ \t\r]*$)")
         && shardwise_foreign_command (text, &own) != NULL;
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

  /* Comments may precede the document. */
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
  /* Imports, which exist in this form in no other syntax; a shell script may contain some in its
   * text. */
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
  if (has_line (text, "^[A-Za-z_]+:([ \t\r]|$)"))
    return SYNTAX_YAML;
  return has_command (text) ? SYNTAX_SHELL : SYNTAX_UNKNOWN;
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
  if (shardwise_node_is_text (shardwise_node_member (root, "format"), "shardwise-probe")
      || shardwise_node_is_text (shardwise_node_member (root, "format"), "shardwise-step-probe"))
    return SHARDWISE_IMPORT_PROBE;
  if (has_any (root, scenario))
    return SHARDWISE_IMPORT_SCENARIO;
  if (shardwise_node_member (root, "per_device_train_batch_size") != NULL)
    return SHARDWISE_IMPORT_TRAINER;
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

/* The bytes as text without a byte order mark; otherwise an error with line and column. */
static char *
decode (const char *bytes, gsize length, GError **error)
{
  const char *invalid;
  guint line = 1, column = 1;

  if (length > SHARDWISE_JSON_MAX_BYTES)
    {
      shardwise_json_check (bytes, length, error); /* sets the error */
      return NULL;
    }
  if (length >= 3 && memcmp (bytes, "\xef\xbb\xbf", 3) == 0)
    {
      bytes += 3;
      length -= 3;
    }
  if (g_utf8_validate (bytes, (gssize) length, &invalid)) /* which also refuses NUL */
    return g_strndup (bytes, length);
  for (const char *p = bytes; p < invalid; p++)
    {
      column = *p == '\n' ? 1 : column + (((guchar) *p & 0xc0) != 0x80);
      line += *p == '\n';
    }
  g_propagate_error (
      error, shardwise_position_error (
                 line, column, "%s",
                 _ ("not UTF-8 text; allowed: text in UTF-8 without the character U+0000")));
  return NULL;
}

/* (transfer full): without NaN and Infinity, which Python reads and writes and JSON lacks: null
 * replaces them, as they are never dimensions. Positions stay valid. */
static char *
without_infinities (const char *text)
{
  static const char *const words[] = { "-Infinity", "Infinity", "NaN" };
  char *copy = g_strdup (text);

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    for (char *at = strstr (copy, words[i]); at != NULL; at = strstr (at + 1, words[i]))
      if (at > copy && strchr (" \t\n[:,", at[-1]) != NULL)
        {
          memset (at, ' ', strlen (words[i]));
          *at = '0';
        }
  return copy;
}

static ShardwiseNode *
parse (Syntax syntax, const char *text, guint *hjson_line, GError **error)
{
  *hjson_line = 0;
  if (syntax == SYNTAX_JSON)
    {
      /* Hjson is only for DeepSpeed, whose loader accepts it; other files get JSON's error. */
      g_autoptr (GError) refused = NULL, not_hjson = NULL;
      g_autofree char *finite = without_infinities (text);
      ShardwiseNode *root = shardwise_node_from_json (finite, strlen (finite), &refused);
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

/* Whether it is a file of an unsupported framework, which the error then states. A script for
 * another framework may also call PyTorch. */
static gboolean
is_foreign (Syntax syntax, ShardwiseImportKind *kind, const char *text, GError **error)
{
  const gboolean is_script = syntax == SYNTAX_PYTHON;
  ShardwiseImportKind own = SHARDWISE_IMPORT_UNKNOWN;
  const char *name = NULL;

  if (is_script && (*kind == SHARDWISE_IMPORT_UNKNOWN || *kind == SHARDWISE_IMPORT_PYTORCH))
    {
      for (guint i = 0; i < G_N_ELEMENTS (scripts) && name == NULL; i++)
        if (has_line (text, scripts[i].expression))
          {
            name = scripts[i].name;
            own = own_kind (scripts[i].kind);
          }
    }
  else if (syntax == SYNTAX_YAML || syntax == SYNTAX_JSON)
    for (guint i = 0; i < G_N_ELEMENTS (configurations) && name == NULL; i++)
      {
        const char *const *keys = configurations[i].keys;
        guint j = 0;

        while (j < G_N_ELEMENTS (configurations[i].keys) && keys[j] != NULL
               && has_key (text, keys[j]))
          j++;
        if (j < G_N_ELEMENTS (configurations[i].keys) && keys[j] != NULL)
          continue;
        name = configurations[i].name;
        own = own_kind (configurations[i].kind);
      }
  if (own != SHARDWISE_IMPORT_UNKNOWN)
    {
      *kind = own;
      return FALSE;
    }
  if (name != NULL)
    g_propagate_error (error, shardwise_position_error (
                                  1, 1,
                                  is_script ? /* Translators: a framework, "verl" */
                                      _ ("this is a script of %s, which cannot be read yet")
                                            : /* Translators: a framework, "Axolotl" */
                                      _ ("this is a configuration of %s, which cannot be read yet"),
                                  name));
  return name != NULL;
}

/* Whether it is a library of configurations, with a function for each of several jobs: an error
 * says so, because it is unclear which one to read. */
static gboolean
is_library (ShardwiseImportKind kind, const char *text, GError **error)
{
  g_autoptr (GRegex) regex = g_regex_new (
      "^def +([A-Za-z]\\w*_(config|recipe)|[A-Za-z]\\w*(?=\\(\\) *-> *Trainer\\.Config))\\b",
      G_REGEX_MULTILINE | G_REGEX_OPTIMIZE, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  g_autofree char *first = NULL;
  guint n = 0;

  if (kind != SHARDWISE_IMPORT_BRIDGE && kind != SHARDWISE_IMPORT_TORCHTITAN_MAIN)
    return FALSE;
  for (g_regex_match (regex, text, 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL))
    if (n++ == 0)
      first = g_match_info_fetch (match, 1);
  if (n > 1)
    g_propagate_error (error,
                       shardwise_position_error (
                           1, 1,
                           /* Translators: a number, the name of a function */
                           _ ("this file defines %u configurations, of which %.60s is the first, "
                              "but does not select one; allowed: a file that sets one of them"),
                           n, first));
  return n > 1;
}

static void
fail_unknown (const ShardwiseNode *root, GError **error)
{
  const char *text =
      shardwise_node_member (root, "apiVersion") != NULL
          ? _ ("a Kubernetes file without arguments of Megatron-LM, which only specifies a "
               "program; allowed: the configuration of that program")
          : _ ("unsupported file; allowed: a scenario, config.json, params.json, a DeepSpeed JSON, "
               "a Nanotron or Accelerate YAML, a TorchTitan TOML or Python file, a Megatron-LM "
               "launch script, a Megatron-Bridge or NeMo recipe, a Python script with PyTorch’s "
               "FSDP or device mesh, a configuration, script or command of Hugging Face’s trainer, "
               "Axolotl, LLaMA-Factory, torchtune, Unsloth, verl or OpenRLHF, a SkyPilot task");

  g_propagate_error (error, shardwise_position_error (1, 1, "%s", text));
}

/**
 * shardwise_import_part_new:
 * @text: any bytes
 * @length: their count
 * @name: the file's name, "" if it has none
 *
 * Returns: (transfer full): the file, parsed; %NULL with @error if it is unsupported or malformed
 */
ShardwiseImportPart *
shardwise_import_part_new (const char *text, gsize length, const char *name, GError **error)
{
  g_autofree char *decoded = decode (text, length, error), *script = NULL;
  g_autoptr (ShardwiseNode) root = NULL;
  ShardwiseImportKind kind = SHARDWISE_IMPORT_MEGATRON, own = SHARDWISE_IMPORT_UNKNOWN;
  ShardwiseImportPart *self;
  guint hjson_line = 0;
  Syntax syntax;

  if (decoded == NULL)
    return NULL;
  syntax = syntax_of (decoded, name);
  if (syntax == SYNTAX_UNKNOWN)
    {
      fail_unknown (NULL, error);
      return NULL;
    }
  if (syntax != SYNTAX_SHELL)
    {
      if (syntax != SYNTAX_PYTHON && is_foreign (syntax, &own, decoded, error))
        return NULL;
      root = parse (syntax, decoded, &hjson_line, error);
      if (root == NULL)
        return NULL;
      kind = own != SHARDWISE_IMPORT_UNKNOWN ? own : kind_of (syntax, root);
      if (syntax == SYNTAX_PYTHON
          && (is_foreign (syntax, &kind, decoded, error) || is_library (kind, decoded, error)))
        return NULL;
    }
  else if (!shardwise_import_is_megatron_script (decoded, NULL))
    {
      shardwise_foreign_command (decoded, &own);
      if (own != SHARDWISE_IMPORT_UNKNOWN)
        kind = own;
    }
  if (kind == SHARDWISE_IMPORT_UNKNOWN)
    {
      script = shardwise_import_kubernetes_script (root);
      if (script == NULL)
        {
          fail_unknown (root, error);
          return NULL;
        }
      kind = SHARDWISE_IMPORT_MEGATRON;
      g_clear_pointer (&root, shardwise_node_unref);
    }
  self = g_new0 (ShardwiseImportPart, 1);
  self->kind = kind;
  self->name = g_strdup (name);
  self->text = script != NULL ? g_steal_pointer (&script) : g_steal_pointer (&decoded);
  self->root = g_steal_pointer (&root);
  self->hjson_line = hjson_line;
  return self;
}

/**
 * shardwise_import_part_free:
 * @self: (transfer full) (nullable): a file
 */
void
shardwise_import_part_free (ShardwiseImportPart *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_free (self->text);
  shardwise_node_unref (self->root);
  g_free (self);
}
