/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands of launch scripts: their options, and the processes that they start. */
#include "shardwise-command.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-node-python.h"

#define MAX_OPTIONS 2000

/* ---- options ---- */

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
  /* Only one word is read as the value; the rest may belong to the script. */
  if (!g_str_equal (option->text, "--recompute-modules")
      && (n == 1 || !g_str_equal (option->text, "--num-experts")))
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

/**
 * shardwise_command_options:
 * @command: a command of a script
 * @has_underscores: whether its program takes "--an_option" for "--an-option"
 *
 * Returns: (transfer full): its options as a map of "--option" to its value
 */
ShardwiseNode *
shardwise_command_options (const ShardwiseShellCommand *command, gboolean has_underscores)
{
  ShardwiseNode *options = shardwise_node_new (SHARDWISE_NODE_MAP, 1, 1);

  for (guint i = 0; i < command->words->len && options->keys->len < MAX_OPTIONS; i++)
    {
      const ShardwiseShellWord *word = command->words->pdata[i];
      g_autofree char *name = NULL;

      if (!is_option (word->text))
        continue;
      name = g_strndup (word->text, strcspn (word->text, "="));
      /* The launcher's options may use any case, Megatron's may not. */
      if (has_underscores || g_str_has_prefix (name, "--n") || g_str_has_prefix (name, "--rdzv"))
        g_strdelimit (name, "_", '-');
      shardwise_node_set (options, name, values_at (command, i));
    }
  return options;
}

/* ---- processes ---- */

/* The last number of "8", "2:8" of an elastic job (the maximum), "gpu:8" or "gpu:h100:8" of
 * Slurm. */
static guint
last_number (const char *text)
{
  const char *last = text != NULL ? strrchr (text, ':') : NULL;
  guint64 value;

  if (text == NULL
      || !g_ascii_string_to_unsigned (last != NULL ? last + 1 : text, 10, 1, 131072, &value, NULL))
    return 0;
  return (guint) value;
}

static guint
of_options (ShardwiseImportJob *job, const char *const *options)
{
  for (guint i = 0; options[i] != NULL; i++)
    {
      const ShardwiseNode *node = shardwise_import_at (job, options[i]);
      guint value = node != NULL && node->text != NULL ? last_number (node->text) : 0;

      if (value > 0)
        return value;
    }
  return 0;
}

static guint
of_sbatch (const ShardwiseShell *shell, const char *const *options)
{
  for (guint i = 0; shell != NULL && options[i] != NULL; i++)
    for (guint j = 0; j < shell->sbatch->len; j++)
      {
        const char *text = ((ShardwiseShellWord *) shell->sbatch->pdata[j])->text;
        gsize length = strlen (options[i]);
        guint value = 0;

        if (!g_str_has_prefix (text, options[i]))
          continue;
        if (text[length] == '=')
          value = last_number (text + length + 1);
        else if (text[length] == '\0' && j + 1 < shell->sbatch->len)
          value = last_number (((ShardwiseShellWord *) shell->sbatch->pdata[j + 1])->text);
        if (value > 0)
          return value;
      }
  return 0;
}

static guint
of_variables (const ShardwiseShell *shell, const char *const *names)
{
  for (guint i = 0; shell != NULL && names[i] != NULL; i++)
    {
      guint value = last_number (g_hash_table_lookup (shell->variables, names[i]));

      if (value > 0)
        return value;
    }
  return 0;
}

/* The number of entries in "0,1,2,3"; 0: not stated. */
static guint
visible_devices (const ShardwiseShell *shell)
{
  const char *list = shell != NULL ? g_hash_table_lookup (shell->variables, "CUDA_VISIBLE_DEVICES")
                                   : NULL;
  guint n = 1;

  if (list == NULL || !g_ascii_isdigit (*list))
    return 0;
  for (const char *c = list; *c != '\0'; c++)
    n += *c == ',';
  return n;
}

static guint
first_known (guint a, guint b, guint c)
{
  return a > 0 ? a : b > 0 ? b : c;
}

/**
 * shardwise_command_read_world:
 * @job: with the options of the command as its root
 * @shell: (nullable): the script; %NULL if the file is not a script
 * @is_one_node: whether its launcher starts one node by default, as torchrun does
 *
 * Sets the cluster from the launcher's options, the #SBATCH lines, or variables by their usual
 * names.
 *
 * Returns: the total number of processes; 0: unknown
 */
guint
shardwise_command_read_world (ShardwiseImportJob *job, const ShardwiseShell *shell,
                              gboolean is_one_node)
{
  static const char *const node_options[] = { "--nnodes", "--num-nodes", "--num_nodes", NULL };
  static const char *const node_lines[] = { "--nodes", "-N", NULL };
  static const char *const node_names[] = { "NNODES",       "NUM_NODES",           "N_NODES",
                                            "SLURM_NNODES", "SLURM_JOB_NUM_NODES", NULL };
  static const char *const gpu_options[] = { "--nproc-per-node", "--num-gpus", "--num_gpus",
                                             "--ntasks-per-node", NULL };
  static const char *const gpu_lines[] = { "--gpus-per-node", "--gres", "--ntasks-per-node", NULL };
  static const char *const gpu_names[] = { "GPUS_PER_NODE", "NPROC_PER_NODE", "NUM_GPUS",
                                           "NGPUS",         "N_GPUS",         NULL };
  static const char *const world_names[] = { "WORLD_SIZE", "NPROCS", NULL };
  guint nodes = first_known (of_options (job, node_options), of_sbatch (shell, node_lines),
                             of_variables (shell, node_names));
  guint per_node = first_known (of_options (job, gpu_options), of_sbatch (shell, gpu_lines),
                                of_variables (shell, gpu_names));
  guint64 world = of_variables (shell, world_names);

  if (per_node == 0 && is_one_node)
    per_node = visible_devices (shell);
  if (per_node > 0 && nodes == 0 && world == 0
      && (is_one_node || shardwise_import_at (job, "--nproc-per-node") != NULL)
      && shardwise_import_at (job, "--nnodes") == NULL)
    nodes = 1;
  if (nodes > 0 && per_node > 0)
    world = (guint64) nodes * per_node;
  if (world == 0 || world > 131072)
    {
      shardwise_import_warn (job, _ ("The script does not set the number of processes: DP follows "
                                     "from the number of GPUs that you set."));
      return 0;
    }
  shardwise_import_put_world (job, (guint) world, per_node <= 1024 ? per_node : 0);
  return (guint) world;
}
