/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Megatron-LM's launch scripts, core 0.20.0, and the Kubernetes jobs that correspond to one: the
 * command with its arguments, the program and its processes, and what Megatron-LM rejects when it
 * starts. */
#include "shardwise-megatron-arguments.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-command.h"
#include "shardwise-import-config.h"
#include "shardwise-import-part.h"
#include "shardwise-megatron-dialect.h"
#include "shardwise-shell.h"

#define MODEL_ARGS "MODEL_ARGS"
#define SURE 10 /* score of an unambiguous command */

/* A command with several of these options is Megatron's. */
static const char *const marks[] = { "--num-layers",
                                     "--hidden-size",
                                     "--num-attention-heads",
                                     "--micro-batch-size",
                                     "--global-batch-size",
                                     "--seq-length",
                                     "--tensor-model-parallel-size",
                                     "--pipeline-model-parallel-size",
                                     "--context-parallel-size",
                                     "--expert-model-parallel-size",
                                     "--hf-checkpoint",
                                     "--train-iters",
                                     "--use-distributed-optimizer",
                                     "--bf16",
                                     "--swiglu",
                                     NULL };

/* ---- the command ---- */

static guint
score_of (const ShardwiseShellCommand *command)
{
  guint score = 0;

  for (guint i = 0; i < command->words->len; i++)
    {
      const ShardwiseShellWord *word = command->words->pdata[i];
      g_autofree char *option = g_strndup (word->text, strcspn (word->text, "="));

      score += g_strv_contains (marks, option);
    }
  if (shardwise_megatron_is_swift (command))
    score += SURE;
  return score;
}

/* Reports the configuration file of another framework's launcher: "--deepspeed ds_config.json". */
static GError *
no_megatron_error (const ShardwiseShell *shell, const char *text)
{
  static const char *const options[] = { "--deepspeed",        "--deepspeed_config",
                                         "--deepspeed-config", "--config_file",
                                         "--config-file",      "--job.config_file",
                                         "--job.config-file",  NULL };
  ShardwiseImportKind kind;
  const char *foreign = shardwise_foreign_command (text, &kind);

  for (guint i = 0; i < shell->commands->len; i++)
    {
      const GPtrArray *words = ((ShardwiseShellCommand *) shell->commands->pdata[i])->words;

      for (guint j = 0; j + 1 < words->len; j++)
        {
          const ShardwiseShellWord *word = words->pdata[j], *file = words->pdata[j + 1];
          g_autofree char *name = NULL;

          /* A name without an extension is not a file: ms-swift has such names of its own. */
          if (!g_strv_contains (options, word->text) || *file->text == '-'
              || strchr (file->text, '.') == NULL)
            continue;
          name = g_path_get_basename (file->text);
          return shardwise_position_error (
              file->line, file->column,
              /* Translators: the name of a file */
              _ ("the configuration of the job is in “%s”: open that file, or both together"),
              name);
        }
    }
  if (foreign != NULL)
    return shardwise_position_error (1, 1,
                                     /* Translators: a framework, "verl" */
                                     _ ("this script starts %s, whose commands cannot be read yet"),
                                     foreign);
  return shardwise_position_error (1, 1, "%s",
                                   _ ("no command of this script has arguments of Megatron-LM, "
                                      "such as --num-layers and --micro-batch-size"));
}

/* ---- what Megatron-LM refuses ---- */

/* Reports what Megatron-LM's argument checks refuse, apart from divisibility, which is checked on
 * the scenario. */
static void
find_errors (ShardwiseImportJob *job, const ShardwiseShell *shell)
{
  /* Options that web pages recommend. */
  static const char *const options[] = {
    "--tensor-parallel-size",        "--pipeline-parallel-size", "--sequence-parallel-size",
    "--gradient-accumulation-steps", "--data-parallel-size",     "--world-size",
    "--overlap-p2p-communication"
  };
  const char *stated = shell != NULL
                           ? g_hash_table_lookup (shell->variables, "CUDA_DEVICE_MAX_CONNECTIONS")
                           : "1"; /* the environment of a YAML belongs to its runner */
  const gboolean fsdp = shardwise_megatron_has (job, "--use-megatron-fsdp")
                        || shardwise_megatron_has (job, "--use-torch-fsdp2");
  const gboolean split =
      shardwise_import_count_or (job, "--tensor-model-parallel-size", SHARDWISE_KEY_STRATEGY_TP, 1)
          > 1
      || shardwise_import_count_or (job, "--context-parallel-size", SHARDWISE_KEY_STRATEGY_CP, 1)
             > 1;
  const gboolean param_gather = shardwise_megatron_has (job, "--overlap-param-gather");
  guint vpp_options = shardwise_megatron_has (job, "--num-layers-per-virtual-pipeline-stage")
                      + shardwise_megatron_has (job, "--num-virtual-stages-per-pipeline-rank")
                      + shardwise_megatron_has (job, "--pipeline-model-parallel-layout");
  guint length = shardwise_import_count_or (job, "--seq-length",
                                            SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH, 0);
  guint positions = shardwise_import_count_or (
      job, "--max-position-embeddings", SHARDWISE_KEY_MODEL_MAX_POSITION_EMBEDDINGS, G_MAXUINT);

  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    {
      const ShardwiseNode *node = shardwise_node_member (job->root, options[i]);

      if (node != NULL)
        shardwise_import_find (
            job, SHARDWISE_SEVERITY_ERROR, "unknown-key",
            /* Translators: an option and the line it stands in */
            _ ("%s (line %u) is not an option of Megatron-LM, which rejects unknown options."),
            options[i], node->line);
    }
  if (fsdp && g_strcmp0 (stated, "1") == 0)
    shardwise_import_find_error (job, "connections",
                                 _ ("Megatron-LM’s FSDP rejects CUDA_DEVICE_MAX_CONNECTIONS=1."));
  if (!fsdp && split && g_strcmp0 (stated, "1") != 0)
    shardwise_import_find (job, SHARDWISE_SEVERITY_WARNING, "connections",
                           _ ("On NVIDIA Hopper and older GPUs, and on AMD GPUs, Megatron-LM "
                              "rejects TP or CP above 1 unless CUDA_DEVICE_MAX_CONNECTIONS=1 is "
                              "set in the environment; the script does not set it."));
  if (vpp_options > 1)
    shardwise_import_find_error (
        job, "vpp-layers",
        _ ("Megatron-LM accepts at most one of --num-layers-per-virtual-pipeline-stage, "
           "--num-virtual-stages-per-pipeline-rank and --pipeline-model-parallel-layout."));
  if (param_gather
      && (!shardwise_megatron_has (job, "--overlap-grad-reduce")
          || !shardwise_megatron_has (job, "--use-distributed-optimizer")))
    shardwise_import_find_error (job, "overlap",
                                 _ ("--overlap-param-gather requires --overlap-grad-reduce and "
                                    "--use-distributed-optimizer."));
  if (shardwise_megatron_has (job, "--tp-comm-overlap")
      && !shardwise_megatron_has (job, "--sequence-parallel"))
    shardwise_import_find_error (job, "overlap",
                                 _ ("--tp-comm-overlap requires --sequence-parallel."));
  if (shardwise_node_is_text (shardwise_import_at (job, "--recompute-granularity"), "full")
      && !shardwise_megatron_has (job, "--recompute-method"))
    shardwise_import_find_error (job, "recompute",
                                 _ ("Full recomputation requires --recompute-method."));
  if (!shardwise_megatron_has (job, "--micro-batch-size"))
    shardwise_import_find_error (
        job, "missing-key",
        _ ("--micro-batch-size is required: Megatron-LM does not start without it."));
  if (positions < length)
    shardwise_import_find_error (
        job, "sequence",
        _ ("Megatron-LM requires --max-position-embeddings to be at least --seq-length."));
  if (shardwise_megatron_has (job, "--save") && !shardwise_megatron_has (job, "--save-interval"))
    shardwise_import_find_error (job, "missing-key", _ ("--save requires --save-interval."));
}

/* ---- the program ---- */

/* Reports approximated parts of the program, and options that are not Megatron-LM's own. */
static void
find_program (ShardwiseImportJob *job, const ShardwiseShellCommand *command,
              ShardwiseMegatronDialect dialect)
{
  /* Models other than decoders with attention layers, and programs other than training. */
  static const struct {
    const char *parts[8], *options[7], *text;
  } kinds[] = {
    { { "bert", "_ict", "biencoder", "vision_classify", NULL },
      { NULL },
      N_ ("“%s” trains an encoder: its attention is modeled as a decoder’s, which covers only half "
          "of the sequence.") },
    { { "t5", NULL },
      { "--encoder-num-layers", "--decoder-num-layers", NULL },
      N_ ("“%s” trains an encoder and a decoder: only the stack of --num-layers is modeled, as "
          "decoder layers; the other stack and its cross-attention are omitted.") },
    { { "mamba", "hybrid", NULL },
      { "--hybrid-override-pattern", "--hybrid-layer-pattern", "--hybrid-attention-ratio",
        "--is-hybrid-model", NULL },
      N_ ("“%s” combines attention with recurrent layers: all layers are modeled as attention "
          "layers, so memory and time of the recurrent layers are approximate.") },
    { { "vlm", "multimodal", "mimo", "llava", "qwen2_vl", "vision", NULL },
      { "--vision-model-type", "--freeze-ViT", "--allow-missing-vision-projection-checkpoint",
        "--mrope-section", NULL },
      N_ ("“%s” trains a language model with an image or audio encoder, which is omitted.") },
    { { NULL },
      { "--spec", NULL },
      N_ ("“%s” has a custom layer specification (--spec), which is not read: the other arguments "
          "define the layers.") },
    { { "retro", NULL },
      { "--retro-add-retriever", NULL },
      N_ ("“%s” trains with retrieval: its encoder and its cross-attention are omitted.") },
    { { "generat", "inference", "server", "convert", "eval", "analyze", "prompt", NULL },
      { "--overlapping-eval", "--strict-lambada", "--num-tokens-to-generate", "--out-seq-length",
        "--guess-file", NULL },
      N_ ("“%s” does not seem to be training: memory and time are those of training with these "
          "arguments.") },
  };
  /* Options of forks and of old versions of Megatron-LM. */
  static const char *const options[] = { "--deepspeed",  "--deepspeed_config",
                                         "--zero-stage", "--checkpoint-activations",
                                         "--DDP-impl",   "--no-pipeline-parallel" };
  g_autofree char *program = NULL, *lower = NULL;
  /* Tasks of one program: the type of its tokenizer, and whether it has data to train on. */
  const ShardwiseNode *tokenizer = shardwise_import_at (job, "--tokenizer-type");
  const gboolean encodes = tokenizer != NULL && tokenizer->type == SHARDWISE_NODE_STRING
                           && g_str_has_prefix (tokenizer->text, "BertWordPiece"),
                 evaluates = shardwise_megatron_has (job, "--task")
                             && !shardwise_megatron_has (job, "--train-data");

  /* The first word that is a Python script, in any folder. */
  for (guint i = 0; i < command->words->len && program == NULL; i++)
    {
      const ShardwiseShellWord *word = command->words->pdata[i];
      g_autofree char *name = g_path_get_basename (word->text);

      if (g_str_has_suffix (name, ".py") && strchr (name, SHARDWISE_NODE_UNKNOWN) == NULL)
        program = g_steal_pointer (&name);
    }
  lower = g_ascii_strdown (program != NULL ? program : "", -1);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *text = NULL;
      gboolean is_kind = (i == 0 && encodes) || (i == G_N_ELEMENTS (kinds) - 1 && evaluates);

      for (guint j = 0; kinds[i].parts[j] != NULL; j++)
        is_kind = is_kind || strstr (lower, kinds[i].parts[j]) != NULL;
      for (guint j = 0; kinds[i].options[j] != NULL; j++)
        is_kind = is_kind || shardwise_megatron_has (job, kinds[i].options[j]);
      if (!is_kind)
        continue;
      text = shardwise_import_fill (_ (kinds[i].text), program != NULL ? program : "Megatron-LM");
      shardwise_import_warn (job, "%s", text);
    }
  if (dialect == SHARDWISE_MEGATRON_DEEPSPEED && shardwise_megatron_has (job, "--deepspeed")
      && !shardwise_import_has_part (job, SHARDWISE_IMPORT_DEEPSPEED))
    shardwise_import_warn (job,
                           _ ("The script starts Megatron-DeepSpeed, a fork: the content of its "
                              "DeepSpeed JSON is unknown, because no other file is opened."));
  if (dialect != SHARDWISE_MEGATRON_CORE)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    {
      const ShardwiseNode *node = shardwise_node_member (job->root, options[i]);

      if (node != NULL)
        shardwise_import_find (job, SHARDWISE_SEVERITY_WARNING, "unknown-key",
                               /* Translators: an option and the line it stands in */
                               _ ("%s (line %u) is an option of older versions or of a fork: "
                                  "Megatron-LM core 0.20.0 rejects it."),
                               options[i], node->line);
    }
}

/* The model whose arguments a script sources: "source models/qwen3-32B.sh". */
static void
read_sourced (ShardwiseImportJob *job, const ShardwiseShell *shell)
{
  for (guint i = 0; i < shell->commands->len && job->model.layers == 0; i++)
    {
      const GPtrArray *words = ((const ShardwiseShellCommand *) shell->commands->pdata[i])->words;
      const ShardwiseShellWord *first = words->len > 1 ? words->pdata[0] : NULL,
                               *file = words->len > 1 ? words->pdata[1] : NULL;
      g_autofree char *name = NULL;

      if (first == NULL || !g_str_has_suffix (file->text, ".sh")
          || !(g_str_equal (first->text, "source") || g_str_equal (first->text, ".")))
        continue;
      name = g_strndup (file->text, strlen (file->text) - strlen (".sh"));
      if (shardwise_import_put_model_named (job, name))
        return;
    }
}

/* The layers with experts, if a loop of the script makes the list: slime's scripts state the number
 * of leading dense layers. */
static void
find_dense_layers (const ShardwiseShell *shell, ShardwiseNode *options)
{
  const ShardwiseNode *list = shardwise_node_member (options, "--moe-layer-freq"),
                      *layers = shardwise_node_member (options, "--num-layers");
  const char *text = g_hash_table_lookup (shell->variables, "FIRST_K_DENSE_REPLACE");
  g_autofree char *regular = NULL;
  guint64 dense;

  if (list == NULL || list->type != SHARDWISE_NODE_STRING || text == NULL
      || strchr (list->text, SHARDWISE_NODE_UNKNOWN) == NULL || !shardwise_node_is_number (layers)
      || !g_ascii_string_to_unsigned (text, 10, 0, 10000, &dense, NULL)
      || (double) dense > layers->number)
    return;
  regular = dense > 0 ? g_strdup_printf ("[0]*%u+[1]*%.0f", (guint) dense,
                                         layers->number - (double) dense)
                      : g_strdup_printf ("[1]*%.0f", layers->number);
  shardwise_node_set (
      options, "--moe-layer-freq",
      shardwise_node_new_scalar (SHARDWISE_NODE_STRING, list->line, list->column, regular, 0));
}

/* Whether an outside variable may contain options: "$EXTRA_ARGS". It may contain the missing
 * ones. */
static gboolean
has_open_word (const ShardwiseShellCommand *command)
{
  const char unknown[] = { SHARDWISE_NODE_UNKNOWN, '\0' };

  for (guint i = 1; i < command->words->len; i++)
    {
      const char *before = ((const ShardwiseShellWord *) command->words->pdata[i - 1])->text,
                 *word = ((const ShardwiseShellWord *) command->words->pdata[i])->text;

      /* Directly after an option it may be its value; the last word rarely is. */
      if (g_str_equal (word, unknown)
          && (i + 1 == command->words->len || !g_str_has_prefix (before, "-")))
        return TRUE;
    }
  return FALSE;
}

/* Reads the options in job->root. */
static void
read_options (ShardwiseImportJob *job, const ShardwiseShell *shell,
              ShardwiseMegatronDialect dialect, gboolean has_open_words)
{
  guint world = 0;

  shardwise_megatron_read_model (job);
  if (shell != NULL && job->model.layers == 0)
    read_sourced (job, shell);
  shardwise_megatron_read_training (job, dialect);
  world = shardwise_command_read_world (job, shell, dialect == SHARDWISE_MEGATRON_SWIFT);
  shardwise_megatron_read_strategy (job, world);
  /* Off by default; for the fork, its DeepSpeed JSON decides. */
  if (!shardwise_megatron_has (job, "--overlap-grad-reduce") && !job->is_part
      && dialect != SHARDWISE_MEGATRON_DEEPSPEED)
    shardwise_import_put_bool (job, SHARDWISE_KEY_TRAINING_SOFTWARE_DP_OVERLAP, FALSE);
  if (dialect == SHARDWISE_MEGATRON_CORE && !job->is_part && !has_open_words)
    find_errors (job, shell);
}

/* (nullable): the command with the most of its options; otherwise those in variables of the
 * script. */
static const ShardwiseShellCommand *
find_command (const ShardwiseShell *shell)
{
  const ShardwiseShellCommand *command = NULL;
  guint best = 1;

  for (guint i = 0; i < shell->commands->len; i++)
    {
      guint score = score_of (shell->commands->pdata[i]);

      if (score > best)
        {
          best = score;
          command = shell->commands->pdata[i];
        }
    }
  return command == NULL && score_of (shell->loose) > 1 ? shell->loose : command;
}

/**
 * shardwise_import_is_megatron_script:
 * @text: a script
 * @sources: (nullable): the texts of files that it may source, by name
 *
 * Returns: whether it contains Megatron-LM's arguments, instead of only starting something else
 */
gboolean
shardwise_import_is_megatron_script (const char *text, GHashTable *sources)
{
  g_autoptr (ShardwiseShell) shell = shardwise_shell_read (text, strlen (text), sources, NULL);

  return shell != NULL && find_command (shell) != NULL;
}

/* Reads a launch script of Megatron-LM. It is parsed, never executed. */
static void
read_script (ShardwiseImportJob *job)
{
  g_autoptr (ShardwiseShell) shell = shardwise_shell_read (job->text, strlen (job->text),
                                                           job->sources, &job->error);
  g_autoptr (ShardwiseNode) options = NULL;
  const ShardwiseShellCommand *command;
  ShardwiseMegatronDialect dialect;

  if (shell == NULL)
    return;
  command = find_command (shell);
  /* Missing options may depend on a condition that is not evaluated, so defaults are not assumed
   * for them. */
  for (guint i = 0; command != NULL && i < command->words->len; i++)
    job->is_part = job->is_part
                   || g_str_equal (((ShardwiseShellWord *) command->words->pdata[i])->text,
                                   SHARDWISE_SHELL_UNDECIDED);
  if (command == shell->loose)
    {
      job->is_part = TRUE;
      shardwise_import_warn (job, _ ("The script does not start a training itself: the options "
                                     "that it assigns to variables are read as one command."));
    }
  if (command == NULL)
    {
      job->error = no_megatron_error (shell, job->text);
      return;
    }
  if (shell->condition_line > 0)
    shardwise_import_warn (
        job,
        _ ("Line %u and others have conditions that depend on values from outside the script: all "
           "branches are read. If branches set the same variable, the last value is used, or none "
           "if each branch is for a separate case."),
        shell->condition_line);
  options = shardwise_command_options (command, shardwise_megatron_is_swift (command));
  dialect = shardwise_megatron_dialect_of (command, options);
  job->root = options;
  find_program (job, command, dialect);
  find_dense_layers (shell, options);
  shardwise_megatron_translate (job, dialect, options);
  read_options (job, shell, dialect, has_open_word (command));
  job->root = NULL;
}

/* (transfer full): a value of a YAML file; values from its environment are unknown. */
static ShardwiseNode *
value_of_yaml (const ShardwiseNode *value)
{
  const char unknown[] = { SHARDWISE_NODE_UNKNOWN, '\0' };

  if (value->type == SHARDWISE_NODE_STRING && strchr (value->text, '$') != NULL)
    return shardwise_node_new_scalar (SHARDWISE_NODE_STRING, value->line, value->column, unknown,
                                      0);
  return shardwise_node_ref ((ShardwiseNode *) value);
}

/* Reads the arguments of a YAML in the form of Megatron-LM's own tests: MODEL_ARGS with a value for
 * each option, true for a flag. */
static void
read_yaml (ShardwiseImportJob *job)
{
  const ShardwiseNode *root = job->root, *map = shardwise_node_member (root, MODEL_ARGS);
  g_autoptr (ShardwiseNode) options = shardwise_node_new (SHARDWISE_NODE_MAP, 1, 1);
  ShardwiseMegatronDialect dialect;

  for (guint i = 0; i < map->keys->len; i++)
    {
      const ShardwiseNode *item = map->items->pdata[i];

      if (item->type != SHARDWISE_NODE_NULL
          && (item->type != SHARDWISE_NODE_BOOLEAN || item->number != 0))
        shardwise_node_set (options, map->keys->pdata[i], value_of_yaml (item));
    }
  dialect = shardwise_megatron_dialect_of (NULL, options);
  job->root = options;
  shardwise_megatron_translate (job, dialect, options);
  read_options (job, NULL, dialect, FALSE);
  job->root = root;
}

static void
read_file (ShardwiseImportJob *job)
{
  if (job->root != NULL)
    read_yaml (job);
  else
    read_script (job);
}

const ShardwiseImportReader shardwise_import_megatron = { "megatron",
                                                          N_ ("Megatron-LM launch script"),
                                                          SHARDWISE_FORMAT_MEGATRON, read_file };

/**
 * shardwise_import_is_megatron_yaml:
 * @root: a YAML file
 *
 * Returns: whether it contains Megatron-LM's arguments, as MODEL_ARGS
 */
gboolean
shardwise_import_is_megatron_yaml (const ShardwiseNode *root)
{
  const ShardwiseNode *map = shardwise_node_member (root, MODEL_ARGS);

  return map != NULL && map->type == SHARDWISE_NODE_MAP && map->keys->len > 0
         && g_str_has_prefix (map->keys->pdata[0], "--");
}

/* ---- jobs of Kubernetes (Kubeflow's TrainJob and PyTorchJob) as the launch script that they stand
 * for; each word keeps the line that it has in the YAML, so that what is said of it names that line
 * ---- */

typedef struct {
  GString *text;
  guint line;
} Script;

/* A count, which PyTorchJob writes as text; 0: unknown ("gpu", "auto"). */
static guint
count_at (const ShardwiseNode *root, const char *path, guint fallback)
{
  const ShardwiseNode *node = shardwise_node_find (root, path);
  guint64 value;

  if (node == NULL)
    return fallback;
  if (node->text == NULL || !g_ascii_string_to_unsigned (node->text, 10, 1, 131072, &value, NULL))
    return 0;
  return (guint) value;
}

/* Adds the words of a list; n: the current number of words. */
static guint
add_words (Script *script, const ShardwiseNode *list, guint nodes, guint processes, guint n)
{
  for (guint i = 0; list != NULL && list->type == SHARDWISE_NODE_LIST && i < list->items->len; i++)
    {
      const ShardwiseNode *word = list->items->pdata[i];
      g_autofree char *quoted = NULL;

      if (word->text == NULL)
        continue;
      /* A command continues on the next line. */
      for (; script->line < word->line; script->line++)
        g_string_append (script->text, " \\\n");
      quoted = g_shell_quote (word->text);
      g_string_append_printf (script->text, " %s", quoted);
      for (const char *p = quoted; *p != '\0'; p++)
        script->line += *p == '\n';
      /* Kubeflow passes the sizes to torchrun in its environment. */
      if (n++ == 0 && g_str_has_suffix (word->text, "torchrun") && nodes > 0 && processes > 0)
        g_string_append_printf (script->text, " --nnodes=%u --nproc-per-node=%u", nodes, processes);
    }
  return n;
}

/**
 * shardwise_import_kubernetes_script:
 * @root: a YAML file
 *
 * Returns: (transfer full) (nullable): the command of its container as a script; %NULL if the file
 * is not a job of Kubeflow, or its command lacks the arguments of Megatron-LM
 */
char *
shardwise_import_kubernetes_script (const ShardwiseNode *root)
{
  g_autoptr (GString) text = g_string_new (NULL);
  Script script = { text, 1 };
  guint nodes = 1, processes = 0, n = 0;
  const ShardwiseNode *trainer = shardwise_node_find (root, "spec.trainer"), *container = NULL,
                      *masters = shardwise_node_find (
                          root, "spec.pytorchReplicaSpecs.Master.template.spec.containers");

  if (shardwise_node_member (root, "apiVersion") == NULL)
    return NULL;
  if (trainer != NULL)
    {
      nodes = count_at (trainer, "numNodes", 1);
      processes = count_at (trainer, "numProcPerNode", 0);
      container = trainer;
    }
  else if (masters != NULL && masters->type == SHARDWISE_NODE_LIST && masters->items->len > 0)
    {
      nodes = 1 + count_at (root, "spec.pytorchReplicaSpecs.Worker.replicas", 0);
      processes = count_at (root, "spec.nprocPerNode", 0);
      container = masters->items->pdata[0];
    }
  if (container != NULL)
    {
      /* On the first line, because an environment has no position relative to the command. */
      const ShardwiseNode *list = shardwise_node_member (container, "env");

      for (guint i = 0; list != NULL && list->type == SHARDWISE_NODE_LIST && i < list->items->len;
           i++)
        {
          const ShardwiseNode *name = shardwise_node_member (list->items->pdata[i], "name"),
                              *value = shardwise_node_member (list->items->pdata[i], "value");
          g_autofree char *quoted = NULL;

          if (name == NULL || name->text == NULL
              || !g_regex_match_simple ("^[A-Za-z_][A-Za-z0-9_]*$", name->text, 0, 0)
              || value == NULL || value->text == NULL || strchr (value->text, '\n') != NULL)
            continue;
          quoted = g_shell_quote (value->text);
          g_string_append_printf (script.text, "export %s=%s; ", name->text, quoted);
        }
      n = add_words (&script, shardwise_node_member (container, "command"), nodes, processes, n);
      add_words (&script, shardwise_node_member (container, "args"), nodes, processes, n);
      g_string_append_c (script.text, '\n');
    }
  return strstr (text->str, "--num-layers") != NULL ? g_strdup (text->str) : NULL;
}
