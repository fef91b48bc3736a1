/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Megatron-LM's launch scripts, core 0.20.0: the command with its arguments, and how it is split.
 */
#include "shardwise-import-megatron.h"

#include <glib/gi18n.h>
#include <string.h>

#define MAX_OPTIONS 2000
#define TP "--tensor-model-parallel-size"
#define PP "--pipeline-model-parallel-size"
#define CP "--context-parallel-size"
#define EP "--expert-model-parallel-size"
#define LAYOUT "--pipeline-model-parallel-layout"

/* A command is Megatron's where it has several of these. */
static const char *const marks[] = { "--num-layers",
                                     "--hidden-size",
                                     "--num-attention-heads",
                                     "--micro-batch-size",
                                     "--global-batch-size",
                                     "--seq-length",
                                     "--tensor-model-parallel-size",
                                     "--pipeline-model-parallel-size",
                                     "--train-iters",
                                     "--use-distributed-optimizer",
                                     "--bf16",
                                     "--swiglu",
                                     NULL };

/* Whether the command line has @option. */
gboolean
shardwise_megatron_has (ShardwiseImportJob *job, const char *option)
{
  return shardwise_node_member (job->root, option) != NULL;
}

/* ---- arguments ---- */

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
  return score;
}

/* The command with the most of them; else the options that the script assigns to variables. */
static const ShardwiseShellCommand *
find_command (ShardwiseImportJob *job, const ShardwiseShell *shell)
{
  const ShardwiseShellCommand *found = NULL;
  guint best = 1;

  for (guint i = 0; i < shell->commands->len; i++)
    {
      guint score = score_of (shell->commands->pdata[i]);

      if (score > best)
        {
          best = score;
          found = shell->commands->pdata[i];
        }
    }
  if (found == NULL && score_of (shell->loose) > 1)
    {
      found = shell->loose;
      shardwise_import_warn (job,
                             g_strdup (_ ("The script starts no training itself: the options that "
                                          "it assigns to variables are read as one command.")));
    }
  return found;
}

static ShardwiseNode *
value_node (const char *text, guint line, guint column)
{
  gint64 whole;
  char *end;
  double number = g_ascii_strtod (text, &end);

  if (g_ascii_string_to_signed (text, 10, G_MININT32, G_MAXINT64 / 2, &whole, NULL))
    return shardwise_node_new_scalar (SHARDWISE_NODE_INTEGER, line, column, text, (double) whole);
  if (end != text && *end == '\0' && g_ascii_isdigit (end[-1]))
    return shardwise_node_new_scalar (SHARDWISE_NODE_FLOAT, line, column, text, number);
  return shardwise_node_new_scalar (SHARDWISE_NODE_STRING, line, column, text, 0);
}

static gboolean
is_option (const char *text)
{
  return text[0] == '-' && (text[1] == '-' || g_ascii_isalpha (text[1]));
}

/* The launcher's options may be spelled with underscores, Megatron's may not. */
static char *
option_name (const char *text)
{
  char *name = g_strndup (text, strcspn (text, "="));

  if (g_str_has_prefix (name, "--n") || g_str_has_prefix (name, "--rdzv"))
    g_strdelimit (name, "_", '-');
  return name;
}

/* The words up to the next option; most options have one. */
static ShardwiseNode *
values_at (const ShardwiseShellCommand *command, guint index)
{
  const ShardwiseShellWord *option = command->words->pdata[index];
  const char *equals = strchr (option->text, '=');
  ShardwiseNode *list;
  guint n = 0;

  if (equals != NULL)
    return value_node (equals + 1, option->line, option->column);
  while (index + 1 + n < command->words->len
         && !is_option (((ShardwiseShellWord *) command->words->pdata[index + 1 + n])->text))
    n++;
  if (n == 0)
    return shardwise_node_new_scalar (SHARDWISE_NODE_BOOLEAN, option->line, option->column,
                                      option->text, 1);
  if (!g_str_equal (option->text, "--recompute-modules"))
    {
      const ShardwiseShellWord *word = command->words->pdata[index + 1];

      return value_node (word->text, word->line, word->column);
    }
  list = shardwise_node_new (SHARDWISE_NODE_LIST, option->line, option->column);
  for (guint i = 0; i < n; i++)
    {
      const ShardwiseShellWord *word = command->words->pdata[index + 1 + i];

      shardwise_node_add (list, value_node (word->text, word->line, word->column));
    }
  return list;
}

/* The file that a launcher of another framework is given: "--deepspeed ds_config.json". */
static const ShardwiseShellWord *
find_configuration (const ShardwiseShell *shell)
{
  static const char *const options[] = { "--deepspeed",        "--deepspeed_config",
                                         "--deepspeed-config", "--config_file",
                                         "--config-file",      "--job.config_file",
                                         "--job.config-file",  NULL };

  for (guint i = 0; i < shell->commands->len; i++)
    {
      const GPtrArray *words = ((ShardwiseShellCommand *) shell->commands->pdata[i])->words;

      for (guint j = 0; j + 1 < words->len; j++)
        {
          const ShardwiseShellWord *word = words->pdata[j], *next = words->pdata[j + 1];

          if (g_strv_contains (options, word->text) && *next->text != '-' && *next->text != '\0')
            return next;
        }
    }
  return NULL;
}

static GError *
no_megatron_error (const ShardwiseShell *shell)
{
  const ShardwiseShellWord *file = find_configuration (shell);
  g_autofree char *name = file != NULL ? g_path_get_basename (file->text) : NULL;

  if (file == NULL)
    return shardwise_position_error (
        1, 1, "%s",
        _ ("no command of this script has Megatron-LM’s arguments, such as --num-layers "
           "and --micro-batch-size"));
  return shardwise_position_error (file->line, file->column,
                                   /* Translators: the name of a file */
                                   _ ("the job’s configuration is in “%s”: open that file instead"),
                                   name);
}

static ShardwiseNode *
options_of (const ShardwiseShellCommand *command)
{
  ShardwiseNode *map = shardwise_node_new (SHARDWISE_NODE_MAP, 1, 1);

  for (guint i = 0; i < command->words->len && map->keys->len < MAX_OPTIONS; i++)
    {
      const ShardwiseShellWord *word = command->words->pdata[i];
      g_autofree char *name = NULL;

      if (!is_option (word->text))
        continue;
      name = option_name (word->text);
      shardwise_node_set (map, name, values_at (command, i));
    }
  return map;
}

/* ---- degrees ---- */

typedef struct {
  guint tp, pp, cp, vpp, layers;
} Degrees;

static guint
degree (ShardwiseImportJob *job, const char *option, const char *path)
{
  return shardwise_import_count_or (job, option, path, 1);
}

/* "Et*3|(tt|)*2tL": a bar ends a stage, also each time that brackets are repeated. */
static guint
count_bars (const char *layout)
{
  guint bars = 0, before = 0;

  for (const char *c = layout; *c != '\0'; c++)
    if (*c == '|')
      bars++;
    else if (*c == '(')
      before = bars;
    else if (*c == ')' && c[1] == '*')
      bars = before + (bars - before) * (guint) MIN (g_ascii_strtoull (c + 2, NULL, 10), 1000);
  return bars;
}

/* The stages of a layout, each a list of its own in Python; 0: there is none, or it is not known. */
static guint
stages_of_layout (ShardwiseImportJob *job)
{
  const ShardwiseNode *node = shardwise_import_at (job, LAYOUT);
  const char *layout;

  if (node != NULL && node->type == SHARDWISE_NODE_LIST)
    return node->items->len;
  layout = shardwise_import_text (job, LAYOUT);
  return layout != NULL ? count_bars (layout) + 1 : 0;
}

static guint
virtual_stages (ShardwiseImportJob *job, const Degrees *degrees)
{
  guint per_stage, vpp = 1, stages = stages_of_layout (job), layers = degrees->layers;

  if (stages > 0)
    return MAX (1, stages / degrees->pp);
  if (shardwise_import_count (job, "--num-virtual-stages-per-pipeline-rank", "strategy.vpp", &vpp))
    return vpp;
  if (!shardwise_import_count (job, "--num-layers-per-virtual-pipeline-stage", "model.layers",
                               &per_stage)
      || layers == 0)
    return 1;
  /* Each end counts as a layer more. */
  layers += shardwise_megatron_has (job, "--account-for-embedding-in-pipeline-split") ? 1 : 0;
  layers += shardwise_megatron_has (job, "--account-for-loss-in-pipeline-split") ? 1 : 0;
  if (layers % degrees->pp != 0 || layers / degrees->pp % per_stage != 0)
    shardwise_import_find (
        job, SHARDWISE_SEVERITY_ERROR, "vpp-layers",
        g_strdup (_ ("Megatron-LM wants the layers of a pipeline rank in multiples "
                     "of --num-layers-per-virtual-pipeline-stage.")));
  return MAX (1, layers / degrees->pp / per_stage);
}

/* Of a pipeline whose stages are not known nothing follows. */
static void
put_schedule (ShardwiseImportJob *job, const Degrees *degrees)
{
  if (shardwise_import_is_open (job, PP) || shardwise_import_is_open (job, LAYOUT)
      || shardwise_import_is_open (job, "--num-layers-per-virtual-pipeline-stage")
      || shardwise_import_is_open (job, "--num-virtual-stages-per-pipeline-rank"))
    return;
  shardwise_import_put_int (job, "strategy.vpp", degrees->vpp);
  shardwise_import_put_word (
      job, "strategy.schedule",
      sw_schedule_names[degrees->vpp > 1 ? SW_SCHEDULE_INTERLEAVED : SW_SCHEDULE_1F1B]);
}

/* One that comes from outside of the script stays open. */
static void
put_degree (ShardwiseImportJob *job, const char *option, const char *path, guint value)
{
  if (!shardwise_import_is_open (job, option))
    shardwise_import_put_int (job, path, value);
}

static void
put_degrees (ShardwiseImportJob *job, const Degrees *degrees)
{
  static const char *const cp_types[] = { "p2p", "all_gather", "a2a", "a2a+p2p", NULL };
  guint cp_type = 0, etp;

  put_degree (job, TP, "strategy.tp", degrees->tp);
  put_degree (job, PP, "strategy.pp", degrees->pp);
  put_degree (job, CP, "strategy.cp", degrees->cp);
  put_schedule (job, degrees);
  if (degrees->cp > 1)
    {
      shardwise_import_word_index (job, "--cp-comm-type", cp_types, &cp_type);
      shardwise_import_put_word (job, "strategy.cp_method", sw_cp_method_names[MIN (cp_type, 2)]);
    }
  put_degree (job, EP, "strategy.ep", degree (job, EP, "strategy.ep"));
  if (shardwise_import_count (job, "--expert-tensor-parallel-size", "strategy.etp", &etp))
    shardwise_import_put_int (job, "strategy.etp", etp);
  /* Megatron switches it off where TP is 1. */
  if (!shardwise_import_is_open (job, TP))
    shardwise_import_put_bool (job, "strategy.sequence_parallel",
                               degrees->tp > 1
                                   && shardwise_megatron_has (job, "--sequence-parallel"));
}

/* ---- sharding ---- */

/* Megatron's own FSDP is what the profile of FSDP 2 computes. */
static guint
zero_stage (ShardwiseImportJob *job)
{
  static const char *const words[] = { "no_shard", "optim", "optim_grads", "optim_grads_params",
                                       NULL };
  guint index = 0;

  if (shardwise_megatron_has (job, "--use-torch-fsdp2"))
    return 3;
  if (shardwise_megatron_has (job, "--deepspeed"))
    return shardwise_import_count_or (job, "--zero-stage", "strategy.zero_stage", 0);
  if (!shardwise_megatron_has (job, "--use-megatron-fsdp"))
    return shardwise_megatron_has (job, "--use-distributed-optimizer") ? 1 : 0;
  shardwise_import_word_index (job, "--data-parallel-sharding-strategy", words, &index);
  return index;
}

static void
put_sharding (ShardwiseImportJob *job, guint dp)
{
  const gboolean fsdp = shardwise_megatron_has (job, "--use-megatron-fsdp")
                        || shardwise_megatron_has (job, "--use-torch-fsdp2");
  guint instances = degree (job, "--num-distributed-optimizer-instances", "strategy.dp");

  shardwise_import_put_word (job, "training.framework",
                             fsdp                                          ? "fsdp2"
                             : shardwise_megatron_has (job, "--deepspeed") ? "deepspeed"
                                                                           : "megatron-core");
  shardwise_import_put_int (job, "strategy.zero_stage", zero_stage (job));
  if (dp > 0)
    shardwise_import_put_int (job, "strategy.dp", dp);
  if (dp > 0 && instances > 1 && dp % instances == 0)
    shardwise_import_put_int (job, "strategy.shard_group", dp / instances);
}

/* ---- one step ---- */

static void
put_batch (ShardwiseImportJob *job, guint dp)
{
  guint micro = 0, global;

  if (shardwise_import_count (job, "--micro-batch-size", "strategy.micro_batch_size", &micro))
    shardwise_import_put_int (job, "strategy.micro_batch_size", micro);
  if (shardwise_import_count (job, "--global-batch-size", "training.global_batch_size", &global))
    shardwise_import_put_int (job, "training.global_batch_size", global);
  else if (!shardwise_megatron_has (job, "--global-batch-size") && micro > 0 && dp > 0
           && (guint64) micro * dp <= 1000000000)
    shardwise_import_put_int (job, "training.global_batch_size", (gint64) micro * dp);
  shardwise_import_copy_count (job, "--seq-length", "training.sequence_length");
}

static void
put_modules (ShardwiseImportJob *job)
{
  const ShardwiseNode *list = shardwise_import_at (job, "--recompute-modules");
  g_autoptr (GPtrArray) words = g_ptr_array_new ();

  if (list == NULL || list->type != SHARDWISE_NODE_LIST)
    return;
  for (guint i = 0; i < list->items->len; i++)
    {
      const ShardwiseNode *item = list->items->pdata[i];

      if (item->type == SHARDWISE_NODE_STRING
          && sw_name_index (sw_recompute_module_names, item->text) >= 0)
        g_ptr_array_add (words, item->text);
    }
  if (words->len > 0)
    shardwise_import_put (job, "strategy.recompute_modules",
                          g_variant_new_strv ((const char *const *) words->pdata, words->len));
}

static void
put_recompute (ShardwiseImportJob *job, guint vpp)
{
  static const char *const words[] = { "full", "selective", NULL };
  guint granularity, layers;
  g_autofree char *word = NULL;

  if (!shardwise_import_word_index (job, "--recompute-granularity", words, &granularity))
    {
      if (!shardwise_import_is_open (job, "--recompute-granularity"))
        shardwise_import_put_word (
            job, "strategy.recompute",
            shardwise_megatron_has (job, "--recompute-activations")    ? "selective"
            : shardwise_megatron_has (job, "--checkpoint-activations") ? "full"
                                                                       : "none");
      return;
    }
  if (granularity == 1)
    put_modules (job);
  else if (shardwise_node_is_text (shardwise_import_at (job, "--recompute-method"), "block")
           && shardwise_import_count (job, "--recompute-num-layers", "model.layers", &layers))
    word = g_strdup_printf ("full_layers:%u", MIN (layers * vpp, 10000)); /* of each chunk */
  shardwise_import_put_word (job, "strategy.recompute", word != NULL ? word : words[granularity]);
}

static void
put_offload (ShardwiseImportJob *job)
{
  SwOffload offload = SW_OFFLOAD_NONE;

  if (shardwise_megatron_has (job, "--optimizer-cpu-offload"))
    offload = SW_OFFLOAD_OPTIMIZER;
  else if (shardwise_megatron_has (job, "--cpu-offloading-num-layers")
           || shardwise_megatron_has (job, "--cpu-offloading")
           || shardwise_megatron_has (job, "--fine-grained-activation-offloading"))
    offload = SW_OFFLOAD_ACTIVATIONS;
  shardwise_import_put_word (job, "strategy.offload", sw_offload_names[offload]);
}

static void
put_precision (ShardwiseImportJob *job)
{
  const ShardwiseNode *recipe = shardwise_import_at (job, "--fp8-recipe");
  SwPrecision precision = SW_PRECISION_BF16;

  if (shardwise_megatron_has (job, "--fp4-format") || shardwise_megatron_has (job, "--fp4"))
    precision = SW_PRECISION_NVFP4;
  else if (shardwise_megatron_has (job, "--fp8-format") || shardwise_megatron_has (job, "--fp8"))
    precision = shardwise_node_is_text (recipe, "mxfp8") ? SW_PRECISION_MXFP8 : SW_PRECISION_FP8;
  else if (shardwise_megatron_has (job, "--fp16"))
    precision = SW_PRECISION_FP16;
  else if (!shardwise_megatron_has (job, "--bf16"))
    shardwise_import_warn (job, g_strdup (_ ("Neither --bf16 nor --fp16 is given: the job runs in "
                                             "fp32, which is not computed; bf16 stands for it.")));
  shardwise_import_put_word (job, "training.precision", sw_precision_names[precision]);
}

static void
put_kernels (ShardwiseImportJob *job)
{
  const char *optimizer = shardwise_import_text (job, "--optimizer");
  SwOptimizer known = SW_OPTIMIZER_ADAMW;

  if (optimizer != NULL && g_str_equal (optimizer, "sgd"))
    known = SW_OPTIMIZER_SGD;
  else if (optimizer != NULL && strstr (optimizer, "muon") != NULL)
    known = SW_OPTIMIZER_MUON;
  shardwise_import_put_word (job, "training.optimizer", sw_optimizer_names[known]);
  if (shardwise_node_is_text (shardwise_import_at (job, "--attention-backend"), "unfused"))
    shardwise_import_put_word (job, "training.attention", "unfused");
}

/* ---- all of it ---- */

/**
 * shardwise_megatron_read_strategy:
 * @job: with the options as its root
 * @world: processes in all; 0: not known
 *
 * States how the model is split, and one step of it.
 */
void
shardwise_megatron_read_strategy (ShardwiseImportJob *job, guint world)
{
  Degrees degrees = { .tp = degree (job, TP, "strategy.tp"),
                      .pp = degree (job, PP, "strategy.pp"),
                      .cp = degree (job, CP, "strategy.cp") };
  const gboolean is_open = shardwise_import_is_open (job, TP) || shardwise_import_is_open (job, PP)
                           || shardwise_import_is_open (job, CP);
  guint64 model = (guint64) degrees.tp * degrees.pp * degrees.cp;
  guint dp = 0;

  shardwise_import_count (job, "--num-layers", "model.layers", &degrees.layers);
  if (job->error != NULL)
    return;
  degrees.vpp = MIN (virtual_stages (job, &degrees), 10000);
  if (!is_open && world % model == 0) /* else the diagnosis says so */
    dp = (guint) (world / model);
  put_degrees (job, &degrees);
  put_sharding (job, dp);
  put_batch (job, dp);
  put_recompute (job, degrees.vpp);
  put_offload (job);
  put_precision (job);
  put_kernels (job);
}

/**
 * shardwise_import_megatron:
 * @job: without a root
 * @text: the script
 * @length: its bytes
 *
 * Reads a launch script of Megatron-LM. It is parsed, never run.
 */
void
shardwise_import_megatron (ShardwiseImportJob *job, const char *text, gsize length)
{
  g_autoptr (ShardwiseShell) shell = shardwise_shell_read (text, length, &job->error);
  g_autoptr (ShardwiseNode) options = NULL;
  const ShardwiseShellCommand *command;
  guint world = 0;

  if (shell == NULL)
    return;
  command = find_command (job, shell);
  if (command == NULL)
    {
      job->error = no_megatron_error (shell);
      return;
    }
  if (shell->condition_line > 0)
    shardwise_import_warn (
        job,
        g_strdup_printf (_ ("Line %u and others decide by a condition, which is not evaluated: "
                            "all branches are read, and the last value of a variable counts."),
                         shell->condition_line));
  options = options_of (command);
  job->root = options;
  shardwise_megatron_find_program (job, command);
  shardwise_megatron_read_model (job);
  shardwise_megatron_read_world (job, shell, &world);
  shardwise_megatron_read_strategy (job, world);
  shardwise_megatron_find_errors (job, shell);
  job->root = NULL;
}
