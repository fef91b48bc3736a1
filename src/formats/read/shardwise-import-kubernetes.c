/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs of Kubernetes (Kubeflow's TrainJob and PyTorchJob) as the launch script that they stand for.
 * Each word keeps the line that it has in the YAML, so that what is said of it names that line. */
#include "shardwise-import-private.h"

#include <string.h>

typedef struct {
  GString *text;
  guint line;
} Script;

/* Goes to a line; a command goes on over the end of a line. */
static void
go_to_line (Script *script, guint line)
{
  for (; script->line < line; script->line++)
    g_string_append (script->text, " \\\n");
  g_string_append_c (script->text, ' ');
}

static void
add_word (Script *script, const ShardwiseNode *word)
{
  g_autofree char *quoted = g_shell_quote (word->text);

  go_to_line (script, word->line);
  g_string_append (script->text, quoted);
  for (const char *p = quoted; *p != '\0'; p++)
    script->line += *p == '\n';
}

static gboolean
is_variable (const char *name)
{
  return g_regex_match_simple ("^[A-Za-z_][A-Za-z0-9_]*$", name, 0, 0);
}

/* Before the first line's end: an environment has no order towards the command. */
static void
add_environment (Script *script, const ShardwiseNode *list)
{
  for (guint i = 0; list != NULL && list->type == SHARDWISE_NODE_LIST && i < list->items->len; i++)
    {
      const ShardwiseNode *name = shardwise_node_member (list->items->pdata[i], "name"),
                          *value = shardwise_node_member (list->items->pdata[i], "value");
      g_autofree char *quoted = NULL;

      if (name == NULL || name->text == NULL || !is_variable (name->text) || value == NULL
          || value->text == NULL || strchr (value->text, '\n') != NULL)
        continue;
      quoted = g_shell_quote (value->text);
      g_string_append_printf (script->text, "export %s=%s; ", name->text, quoted);
    }
}

/* ---- the two kinds of jobs ---- */

/* A count, which PyTorchJob writes as a text; 0: it is not known ("gpu", "auto"). */
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

static const ShardwiseNode *
container_of (const ShardwiseNode *root, guint *nodes, guint *processes)
{
  const ShardwiseNode *trainer = shardwise_node_find (root, "spec.trainer"), *list;

  if (trainer != NULL)
    {
      *nodes = count_at (trainer, "numNodes", 1);
      *processes = count_at (trainer, "numProcPerNode", 0);
      return trainer;
    }
  list = shardwise_node_find (root, "spec.pytorchReplicaSpecs.Master.template.spec.containers");
  if (list == NULL || list->type != SHARDWISE_NODE_LIST || list->items->len == 0)
    return NULL;
  *nodes = 1 + count_at (root, "spec.pytorchReplicaSpecs.Worker.replicas", 0);
  *processes = count_at (root, "spec.nprocPerNode", 0);
  return list->items->pdata[0];
}

/* Kubeflow hands the sizes to torchrun in its environment. */
static void
add_sizes (Script *script, const ShardwiseNode *program, guint nodes, guint processes)
{
  if (g_str_has_suffix (program->text, "torchrun") && nodes > 0 && processes > 0)
    g_string_append_printf (script->text, " --nnodes=%u --nproc-per-node=%u", nodes, processes);
}

static guint
add_words (Script *script, const ShardwiseNode *list, guint nodes, guint processes, guint n)
{
  for (guint i = 0; list != NULL && list->type == SHARDWISE_NODE_LIST && i < list->items->len; i++)
    {
      const ShardwiseNode *word = list->items->pdata[i];

      if (word->text == NULL)
        continue;
      add_word (script, word);
      if (n++ == 0)
        add_sizes (script, word, nodes, processes);
    }
  return n;
}

/**
 * shardwise_import_kubernetes_script:
 * @root: a YAML file
 *
 * Returns: (transfer full) (nullable): the command of its container as a script; %NULL where the
 * file is no job of Kubeflow, or its command does not hold the arguments of Megatron-LM
 */
char *
shardwise_import_kubernetes_script (const ShardwiseNode *root)
{
  Script script = { g_string_new (NULL), 1 };
  guint nodes = 1, processes = 0, n = 0;
  const ShardwiseNode *container = NULL;

  if (shardwise_node_member (root, "apiVersion") != NULL)
    container = container_of (root, &nodes, &processes);
  if (container != NULL)
    {
      add_environment (&script, shardwise_node_member (container, "env"));
      n = add_words (&script, shardwise_node_member (container, "command"), nodes, processes, n);
      add_words (&script, shardwise_node_member (container, "args"), nodes, processes, n);
      g_string_append_c (script.text, '\n');
    }
  if (strstr (script.text->str, "--num-layers") == NULL)
    {
      g_string_free (script.text, TRUE);
      return NULL;
    }
  return g_string_free (script.text, FALSE);
}
