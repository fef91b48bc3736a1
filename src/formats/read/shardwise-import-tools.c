/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of fine-tuning tools, read as maps of arguments. A configuration is such a map; for a
 * Python script the arguments of its calls are combined, for a launch script those of its command
 * are used. A SkyPilot task specifies the machines and contains such a script. */
#include "shardwise-import-tuning.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-command.h"
#include "shardwise-export-names.h"
#include "shardwise-import-part.h"
#include "shardwise-import-python.h"
#include "shardwise-node-python.h"

#define MAX_WORDS 4000
#define MAX_DEPTH 8

static void
refuse (ShardwiseImportJob *job, const char *text)
{
  if (job->error == NULL)
    job->error = shardwise_position_error (1, 1, "%s", text);
}

/* ---- commands ---- */

static ShardwiseNode *
scalar_of (const char *text, const ShardwiseShellWord *word)
{
  gint64 whole;
  char *end;
  const double number = g_ascii_strtod (text, &end);

  if (g_ascii_string_to_signed (text, 10, G_MININT32, G_MAXINT64 / 2, &whole, NULL))
    return shardwise_node_new_scalar (SHARDWISE_NODE_INTEGER, word->line, word->column, text,
                                      (double) whole);
  if (end != text && *end == '\0' && g_ascii_isdigit (end[-1]))
    return shardwise_node_new_scalar (SHARDWISE_NODE_FLOAT, word->line, word->column, text, number);
  return shardwise_node_new_scalar (SHARDWISE_NODE_STRING, word->line, word->column, text, 0);
}

/* Sets "a.b.c" in a map of maps. */
static void
set_at (ShardwiseNode *root, const char *path, ShardwiseNode *value)
{
  g_auto (GStrv) parts = g_strsplit (path, ".", MAX_DEPTH);
  const guint n = g_strv_length (parts);
  ShardwiseNode *map = root;

  for (guint i = 0; i + 1 < n && map != NULL; i++)
    {
      ShardwiseNode *inner = shardwise_node_member (map, parts[i]);

      if (inner == NULL)
        {
          inner = shardwise_node_new (SHARDWISE_NODE_MAP, value->line, value->column);
          shardwise_node_set (map, parts[i], inner);
        }
      map = inner->type == SHARDWISE_NODE_MAP ? inner : NULL;
    }
  if (map != NULL && n > 0 && *parts[n - 1] != '\0')
    shardwise_node_set (map, parts[n - 1], value);
  else
    shardwise_node_unref (value);
}

static gboolean
is_option (const char *text)
{
  return text[0] == '-' && text[1] == '-' && text[2] != '\0';
}

/* "--a_name value", "--a-name=value", "--flag" and "a.b=value" as maps of names with underscores. */
static ShardwiseNode *
arguments_of (const ShardwiseShellCommand *command)
{
  ShardwiseNode *root = shardwise_node_new (SHARDWISE_NODE_MAP, 1, 1);

  for (guint i = 0; i < MIN (command->words->len, MAX_WORDS); i++)
    {
      const ShardwiseShellWord *word = command->words->pdata[i], *next;
      const gboolean option = is_option (word->text);
      const char *start = word->text + (option ? 2 : strspn (word->text, "+")),
                 *equals = strchr (start, '=');
      g_autofree char *name = g_strndup (start, equals != NULL ? (gsize) (equals - start)
                                                               : strlen (start));

      if (!option && (equals == NULL || strpbrk (name, "/$ {\"'") != NULL))
        continue;
      g_strdelimit (name, "-", '_');
      next = option && equals == NULL && i + 1 < command->words->len ? command->words->pdata[i + 1]
                                                                     : NULL;
      if (equals != NULL)
        set_at (root, name, scalar_of (equals + 1, word));
      else if (next == NULL || is_option (next->text))
        set_at (root, name,
                shardwise_node_new_scalar (SHARDWISE_NODE_BOOLEAN, word->line, word->column,
                                           word->text, 1));
      else
        {
          /* Several words form a list, such as the names of layers. */
          ShardwiseNode *value = scalar_of (next->text, next);

          if (i + 2 < command->words->len
              && !is_option (((ShardwiseShellWord *) command->words->pdata[i + 2])->text)
              && strchr (((ShardwiseShellWord *) command->words->pdata[i + 2])->text, '=') == NULL)
            {
              ShardwiseNode *list = shardwise_node_new (SHARDWISE_NODE_LIST, next->line,
                                                        next->column);

              shardwise_node_add (list, value);
              for (i++; i + 1 < command->words->len
                        && !is_option (((ShardwiseShellWord *) command->words->pdata[i + 1])->text);
                   i++)
                {
                  const ShardwiseShellWord *item = command->words->pdata[i + 1];

                  shardwise_node_add (list, scalar_of (item->text, item));
                }
              /* A positional word, after the value of a flag or an option. */
              value = list->items->len > 0
                              && ((ShardwiseNode *) list->items->pdata[0])->type
                                     != SHARDWISE_NODE_STRING
                          ? shardwise_node_ref (list->items->pdata[0])
                          : shardwise_node_ref (list);
              shardwise_node_unref (list);
            }
          set_at (root, name, value);
        }
    }
  return root;
}

/* Reads `read -d '' NAME <<END … END` as an assignment; line numbers are kept. */
static char *
without_documents (const char *text)
{
  g_autoptr (GRegex) regex = g_regex_new ("read -r -d '' (\\w+) *<< *-?'?\"?(\\w+)'?\"?"
                                          "((?:\n(?!\\2\\b)[^\n]*)*)\n\\2\\b",
                                          0, 0, NULL);
  char *out = g_regex_replace (regex, text, -1, 0, "\\1=\"\\3\"\n", 0, NULL);

  return out != NULL ? out : g_strdup (text);
}

/* The command with the most arguments among those that start the tool; otherwise among all. */
static const ShardwiseShellCommand *
command_of (const ShardwiseShell *shell, ShardwiseImportKind kind)
{
  const ShardwiseShellCommand *best = NULL;
  guint most = 0;

  for (guint i = 0; i < shell->commands->len; i++)
    {
      const ShardwiseShellCommand *command = shell->commands->pdata[i];
      g_autoptr (GString) line = g_string_new (NULL);
      ShardwiseImportKind of = SHARDWISE_IMPORT_UNKNOWN;
      guint score;

      for (guint j = 0; j < MIN (command->words->len, MAX_WORDS); j++)
        g_string_append_printf (line, "%s ",
                                ((ShardwiseShellWord *) command->words->pdata[j])->text);
      g_strdelimit (line->str, "\n", ' ');
      shardwise_foreign_command (line->str, &of);
      score = command->words->len + (of == kind ? 2 * MAX_WORDS : 0);
      if (score > most)
        {
          most = score;
          best = command;
        }
    }
  return best;
}

/* Whether it starts processes with torchrun's options, rather than the tool's own. */
static gboolean
has_launcher (const ShardwiseShellCommand *command)
{
  static const char *const words[] = { "torchrun",
                                       "deepspeed",
                                       "accelerate",
                                       "tune",
                                       "torch.distributed.run",
                                       "torch.distributed.launch",
                                       NULL };

  for (guint i = 0; i < MIN (command->words->len, 8); i++)
    {
      g_autofree char *name =
          g_path_get_basename (((ShardwiseShellWord *) command->words->pdata[i])->text);

      if (g_strv_contains (words, name))
        return TRUE;
    }
  return FALSE;
}

static const char *
method_of (const char *text)
{
  static const char *const methods[] = { "grpo", "rloo",   "dpo", "orpo", "cpo",
                                         "kto",  "reward", "_rm", "ppo",  "gkd" };

  for (guint i = 0; i < G_N_ELEMENTS (methods); i++)
    if (strstr (text, methods[i]) != NULL)
      return methods[i][0] == '_' ? "rm" : methods[i];
  return NULL;
}

static void
set_method (ShardwiseNode *root, const char *text)
{
  g_autofree char *lower = g_ascii_strdown (text, -1);
  const char *method = method_of (lower);

  if (method != NULL && shardwise_node_member (root, "method") == NULL)
    shardwise_node_set (root, "method",
                        shardwise_node_new_scalar (SHARDWISE_NODE_STRING, 1, 1, method, 0));
}

static void
warn_of_machines (ShardwiseImportJob *job)
{
  shardwise_import_warn (job, _ ("The task specifies only the machines: open it together with the "
                                 "files that its command refers to."));
}

/* TRL's default arguments, if they differ from those of Hugging Face's trainer
 * (trl/trainer/base_config.py, sft_config.py, dpo_config.py). */
static void
set_defaults (ShardwiseNode *root)
{
  static const char *const lengths[] = { "max_length", "max_seq_length", "vllm_max_model_length",
                                         "max_completion_length" };
  gboolean has_length = FALSE;

  if (shardwise_node_member (root, "gradient_checkpointing") == NULL)
    shardwise_node_set (root, "gradient_checkpointing",
                        shardwise_node_new_scalar (SHARDWISE_NODE_BOOLEAN, 1, 1, "true", 1));
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    has_length = has_length || shardwise_node_member (root, lengths[i]) != NULL;
  if (!has_length)
    shardwise_node_set (root, "max_length",
                        shardwise_node_new_scalar (SHARDWISE_NODE_INTEGER, 1, 1, "1024", 1024));
}

/* Whether a command, or the comment of a configuration, starts TRL's own trainers. */
static gboolean
starts_trl (const char *text)
{
  return g_regex_match_simple ("(^|[ \t])trl +(sft|dpo|grpo|kto|reward|rloo)\\b", text,
                               G_REGEX_MULTILINE, 0);
}

static void
read_script (ShardwiseImportJob *job, ShardwiseImportKind kind)
{
  g_autofree char *text = without_documents (job->text);
  g_autoptr (ShardwiseShell) shell = shardwise_shell_read (text, strlen (text), job->sources,
                                                           &job->error);
  const ShardwiseShellCommand *command = shell != NULL ? command_of (shell, kind) : NULL;
  g_autoptr (ShardwiseNode) options = NULL, root = NULL;
  const ShardwiseNode *processes;

  if (command == NULL)
    {
      if (job->error == NULL)
        refuse (job, _ ("this script has no command that Shardwise can read"));
      return;
    }
  options = shardwise_command_options (command, TRUE);
  root = arguments_of (command);
  processes = shardwise_node_member (root, "num_processes");
  job->root = options;
  if (shardwise_node_is_number (processes) && processes->number >= 1
      && processes->number <= 131072) /* Accelerate's number for all machines */
    shardwise_import_put_world (job, (guint) processes->number, 0);
  else if (has_launcher (command) && job->part->kind != SHARDWISE_IMPORT_SKYPILOT)
    shardwise_command_read_world (job, shell, TRUE);
  /* The recipe of `tune run` determines what is trained, and on how many GPUs. */
  for (guint i = 0; kind == SHARDWISE_IMPORT_TORCHTUNE && i < command->words->len; i++)
    if (g_str_has_suffix (((ShardwiseShellWord *) command->words->pdata[i])->text,
                          "_single_device"))
      shardwise_import_put_world (job, 1, 0);
  for (guint i = 0; i < MIN (command->words->len, 30); i++)
    {
      const char *word = ((ShardwiseShellWord *) command->words->pdata[i])->text,
                 *before = i > 0 ? ((ShardwiseShellWord *) command->words->pdata[i - 1])->text : "";

      if (g_str_has_suffix (word, ".py") || strstr (word, "openrlhf.") != NULL
          || strstr (word, "verl.trainer.main_ppo") != NULL || g_str_equal (before, "trl"))
        set_method (root, word);
    }
  if (kind == SHARDWISE_IMPORT_TRAINER && starts_trl (job->text))
    set_defaults (root);
  job->root = root;
  if (root->keys->len < 3 && job->part->kind == SHARDWISE_IMPORT_SKYPILOT)
    warn_of_machines (job);
  else if (root->keys->len < 3)
    refuse (job,
            _ ("this command only refers to a configuration: open that file, or both together"));
  else
    shardwise_import_read_tuning (job, kind);
  job->root = NULL;
}

/* ---- Python ---- */

static void
merge (ShardwiseNode *root, const ShardwiseNode *call)
{
  for (guint i = 0; call->keys != NULL && i < call->keys->len; i++)
    {
      const char *name = call->keys->pdata[i];
      ShardwiseNode *value = call->items->pdata[i];

      if (g_str_equal (name, SHARDWISE_NODE_CALLEE) || g_str_equal (name, SHARDWISE_NODE_ARGUMENTS)
          || shardwise_node_member (value, SHARDWISE_NODE_CALLEE) != NULL
          || shardwise_node_member (root, name) != NULL)
        continue;
      /* "torch.bfloat16" from a module that is not read. */
      if (value->type == SHARDWISE_NODE_STRING && value->text[0] == SHARDWISE_NODE_UNKNOWN)
        {
          const char *dot = strrchr (value->text, '.');

          if (dot == NULL)
            continue;
          shardwise_node_set (root, name,
                              shardwise_node_new_scalar (SHARDWISE_NODE_STRING, value->line,
                                                         value->column, dot + 1, 0));
        }
      else
        shardwise_node_set (root, name, shardwise_node_ref (value));
    }
}

/* The classes of arguments, by their suffix: TrainingArguments, SFTConfig, DPOConfig … */
static gboolean
is_arguments (const char *name)
{
  g_autofree char *lower = g_ascii_strdown (name, -1);
  static const char *const names[] = { "LoraConfig", "BitsAndBytesConfig", "get_peft_model",
                                       "SFTTrainer", "SFTConfig",          NULL };

  return g_str_has_suffix (name, "TrainingArguments") || g_strv_contains (names, name)
         || (g_str_has_suffix (lower, "config") && method_of (lower) != NULL);
}

static void
read_python (ShardwiseImportJob *job, ShardwiseImportKind kind)
{
  const ShardwiseNode *file = job->root,
                      *calls = shardwise_node_member (file, SHARDWISE_NODE_CALLS);
  g_autoptr (ShardwiseNode) root = shardwise_node_new (SHARDWISE_NODE_MAP, 1, 1);
  gboolean has_arguments = FALSE, is_trl = FALSE;

  for (guint i = 0; i < calls->items->len; i++)
    {
      const ShardwiseNode *call = calls->items->pdata[i],
                          *first = shardwise_python_argument (call, NULL, 0);
      const char *name = shardwise_python_callee (call);

      if (g_str_equal (name, "from_pretrained"))
        {
          merge (root, call);
          if (first != NULL && first->type == SHARDWISE_NODE_STRING
              && first->text[0] != SHARDWISE_NODE_UNKNOWN
              && shardwise_node_member (root, "model_name") == NULL)
            shardwise_node_set (root, "model_name", shardwise_node_ref ((ShardwiseNode *) first));
        }
      else if (is_arguments (name))
        {
          merge (root, call);
          if (!g_str_equal (name, "LoraConfig") && !g_str_equal (name, "get_peft_model")
              && !g_str_equal (name, "BitsAndBytesConfig"))
            {
              has_arguments = has_arguments || call->keys->len > 2;
              is_trl = is_trl || g_str_has_suffix (name, "Config");
              set_method (root, name);
            }
        }
    }
  shardwise_python_warn_condition (job, file);
  if (!has_arguments)
    {
      refuse (job, _ ("this script takes its arguments from the command line: open the command, or "
                      "its configuration"));
      return;
    }
  if (is_trl && kind == SHARDWISE_IMPORT_TRAINER)
    set_defaults (root);
  job->root = root;
  shardwise_import_read_tuning (job, kind);
  job->root = file;
}

/* ---- all ---- */

/* Configurations that generate, evaluate, quantize or merge. */
static gboolean
trains (const ShardwiseNode *root, ShardwiseImportKind kind)
{
  static const struct {
    ShardwiseImportKind kind;
    const char *keys[5];
  } needed[] = {
    { SHARDWISE_IMPORT_LLAMA_FACTORY,
      { "do_train", "per_device_train_batch_size", "learning_rate", "num_train_epochs" } },
    { SHARDWISE_IMPORT_TORCHTUNE, { "optimizer", "batch_size" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (needed); i++)
    {
      gboolean some = needed[i].kind != kind;

      for (guint j = 0; j < G_N_ELEMENTS (needed[i].keys) && needed[i].keys[j] != NULL; j++)
        some = some || shardwise_node_member (root, needed[i].keys[j]) != NULL;
      if (!some)
        return FALSE;
    }
  return TRUE;
}

/* The arguments of a trainer, used by one of several; its keys or the file's path determine
 * which. */
static void
read_arguments (ShardwiseImportJob *job)
{
  static const char *const keys[][2] = { { "num_generations", "grpo" },
                                         { "reward_funcs", "grpo" },
                                         { "desirable_weight", "kto" },
                                         { "beta", "dpo" },
                                         { "loss_type", "dpo" } };
  const ShardwiseNode *file = job->root;
  g_autoptr (ShardwiseNode) root = shardwise_node_new (SHARDWISE_NODE_MAP, 1, 1);

  for (guint i = 0; i < file->keys->len; i++)
    shardwise_node_set (root, file->keys->pdata[i], shardwise_node_ref (file->items->pdata[i]));
  set_method (root, job->name);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (shardwise_node_member (root, keys[i][0]) != NULL)
      set_method (root, keys[i][1]);
  if (starts_trl (job->text))
    set_defaults (root);
  job->root = root;
  shardwise_import_read_tuning (job, SHARDWISE_IMPORT_TRAINER);
  job->root = file;
}

static void
read_kind (ShardwiseImportJob *job, ShardwiseImportKind kind)
{
  if (job->root == NULL)
    read_script (job, kind);
  else if (shardwise_node_member (job->root, SHARDWISE_NODE_CALLS) != NULL)
    read_python (job, kind);
  else if (!trains (job->root, kind))
    refuse (job, _ ("this is not a training configuration: it sets no batch and no optimizer"));
  else if (kind == SHARDWISE_IMPORT_TRAINER)
    read_arguments (job);
  else
    shardwise_import_read_tuning (job, kind);
}

#define READER(variable, KIND, name, title, format)                                                \
  static void read_##variable (ShardwiseImportJob *job)                                            \
  {                                                                                                \
    read_kind (job, SHARDWISE_IMPORT_##KIND);                                                      \
  }                                                                                                \
  const ShardwiseImportReader shardwise_import_##variable = { name, title, format,                 \
                                                              read_##variable };

READER (trainer, TRAINER, "hf-trainer", N_ ("Arguments of Hugging Face’s trainer"),
        SHARDWISE_FORMAT_TRL)
READER (axolotl, AXOLOTL, "axolotl", N_ ("Axolotl configuration"), SHARDWISE_FORMAT_AXOLOTL)
READER (llama_factory, LLAMA_FACTORY, "llama-factory", N_ ("LLaMA-Factory configuration"),
        SHARDWISE_FORMAT_LLAMA_FACTORY)
READER (torchtune, TORCHTUNE, "torchtune", N_ ("torchtune configuration"),
        SHARDWISE_FORMAT_TORCHTUNE)
READER (unsloth, UNSLOTH, "unsloth", N_ ("Unsloth script"), SHARDWISE_FORMAT_UNSLOTH)
READER (verl, VERL, "verl", N_ ("verl job"), SHARDWISE_FORMAT_VERL)
READER (openrlhf, OPENRLHF, "openrlhf", N_ ("OpenRLHF job"), SHARDWISE_FORMAT_OPENRLHF)

/* ---- SkyPilot ---- */

/* "H100:8", a map of that, or a list whose first entry counts. */
static void
read_accelerators (ShardwiseImportJob *job, const ShardwiseNode *node, guint nodes)
{
  g_autofree char *name = NULL;
  const char *colon, *id;
  double count = 1;

  if (node != NULL && node->type == SHARDWISE_NODE_LIST && node->items->len > 0)
    node = node->items->pdata[0];
  if (node != NULL && node->type == SHARDWISE_NODE_MAP && node->keys->len > 0)
    {
      const ShardwiseNode *value = node->items->pdata[0];

      name = g_strdup (node->keys->pdata[0]);
      if (shardwise_node_is_number (value))
        count = value->number;
    }
  else if (node != NULL && node->text != NULL)
    {
      colon = strchr (node->text, ':');
      name = g_strndup (node->text,
                        colon != NULL ? (gsize) (colon - node->text) : strlen (node->text));
      if (colon != NULL)
        count = g_ascii_strtod (colon + 1, NULL);
    }
  if (name == NULL || !(count >= 1 && count <= 1024))
    return;
  id = shardwise_names_gpu (name);
  if (id != NULL)
    shardwise_import_put_word (job, SHARDWISE_KEY_CLUSTER_GPU, id);
  else
    shardwise_import_warn (job, /* Translators: the name of a GPU */
                           _ ("The accelerator “%.40s” is not in the catalog: choose the GPU."),
                           name);
  shardwise_import_put_world (
      job, (guint) MIN (shardwise_import_product ((guint) count, nodes, 1, 1), 131072),
      (guint) count);
}

/* The command of a task, as a script. */
static void
read_skypilot (ShardwiseImportJob *job)
{
  const ShardwiseNode *file = job->root, *run = shardwise_node_member (file, "run");
  const char *text = job->text;
  ShardwiseImportKind kind = SHARDWISE_IMPORT_UNKNOWN;
  const gboolean is_alone = job->parts->len == 1;
  guint nodes = shardwise_import_count_or (job, "num_nodes", SHARDWISE_KEY_CLUSTER_GPUS, 1);

  read_accelerators (job, shardwise_node_find (file, "resources.accelerators"), nodes);
  if (run != NULL && run->type == SHARDWISE_NODE_STRING)
    shardwise_foreign_command (run->text, &kind);
  if (kind != SHARDWISE_IMPORT_UNKNOWN && is_alone)
    {
      job->text = run->text;
      read_script (job, kind);
      job->text = text;
      job->root = file;
    }
  else if (is_alone)
    warn_of_machines (job);
}

const ShardwiseImportReader shardwise_import_skypilot = { "skypilot", N_ ("SkyPilot task"),
                                                          SHARDWISE_N_FORMATS, read_skypilot };

/**
 * shardwise_import_has_tool:
 *
 * Returns: whether a file of the job belongs to a fine-tuning tool, which states its batch
 */
gboolean
shardwise_import_has_tool (const ShardwiseImportJob *job)
{
  for (ShardwiseImportKind kind = SHARDWISE_IMPORT_AXOLOTL; kind <= SHARDWISE_IMPORT_UNSLOTH;
       kind++)
    if (shardwise_import_has_part (job, kind))
      return TRUE;
  return FALSE;
}
