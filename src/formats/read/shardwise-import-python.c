/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared code of the readers of Python files: the framework of a file, its calls, and the trained
 * model. */
#include "shardwise-import-python.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-import-config.h"
#include "shardwise-node-python.h"

/* ---- which framework ---- */

static gboolean
imports (const ShardwiseNode *root, const char *module)
{
  const ShardwiseNode *list = shardwise_node_member (root, SHARDWISE_NODE_IMPORTS);
  const gsize length = strlen (module);

  for (guint i = 0; i < list->items->len; i++)
    {
      const char *name = ((const ShardwiseNode *) list->items->pdata[i])->text;

      if (strncmp (name, module, length) == 0 && (name[length] == '\0' || name[length] == '.'))
        return TRUE;
    }
  return FALSE;
}

/**
 * shardwise_import_kind_of_python:
 * @root: a Python file
 *
 * Returns: the framework that it configures, from its imports; %SHARDWISE_IMPORT_UNKNOWN if
 * unsupported
 */
ShardwiseImportKind
shardwise_import_kind_of_python (const ShardwiseNode *root)
{
  static const char *const calls[] = { "FullyShardedDataParallel", "fully_shard",
                                       "init_device_mesh", NULL };

  if (imports (root, "torchtitan"))
    return SHARDWISE_IMPORT_TORCHTITAN_MAIN;
  if (imports (root, "megatron.bridge") || imports (root, "nemo"))
    return SHARDWISE_IMPORT_BRIDGE;
  if (imports (root, "deepspeed")
      && (shardwise_python_call (root, "initialize") != NULL
          || shardwise_python_call (root, "PipelineModule") != NULL))
    return SHARDWISE_IMPORT_DEEPSPEED;
  for (guint i = 0; calls[i] != NULL; i++)
    if (shardwise_python_call (root, calls[i]) != NULL)
      return SHARDWISE_IMPORT_PYTORCH;
  return SHARDWISE_IMPORT_UNKNOWN;
}

/* ---- calls and names ---- */

static const char *
last_part (const char *name)
{
  const char *dot = strrchr (name, '.');

  return dot != NULL ? dot + 1 : name;
}

const char *
shardwise_python_callee (const ShardwiseNode *call)
{
  const ShardwiseNode *callee = shardwise_node_member (call, SHARDWISE_NODE_CALLEE);

  return callee != NULL && callee->type == SHARDWISE_NODE_STRING ? last_part (callee->text) : "";
}

const ShardwiseNode *
shardwise_python_call (const ShardwiseNode *root, const char *name)
{
  const ShardwiseNode *calls = shardwise_node_member (root, SHARDWISE_NODE_CALLS);

  for (guint i = calls->items->len; i > 0; i--)
    if (g_str_equal (shardwise_python_callee (calls->items->pdata[i - 1]), name))
      return calls->items->pdata[i - 1];
  return NULL;
}

/* An argument by its keyword, otherwise by its position; %NULL if it is absent or None. */
const ShardwiseNode *
shardwise_python_argument (const ShardwiseNode *call, const char *keyword, guint index)
{
  const ShardwiseNode *list = shardwise_node_member (call, SHARDWISE_NODE_ARGUMENTS),
                      *value = keyword != NULL ? shardwise_node_member (call, keyword) : NULL;

  if (value == NULL && list != NULL && index < list->items->len)
    value = list->items->pdata[index];
  return value != NULL && value->type != SHARDWISE_NODE_NULL ? value : NULL;
}

gboolean
shardwise_python_refers (const ShardwiseNode *node, const char *name)
{
  /* "torch.float16", a name from an import; otherwise NULL. */
  const char *reference = node != NULL && node->type == SHARDWISE_NODE_STRING
                                  && node->text[0] == SHARDWISE_NODE_UNKNOWN
                                  && node->text[1] != '\0'
                              ? node->text + 1
                              : NULL;

  return reference != NULL && g_str_equal (last_part (reference), name);
}

/* Warns about values that depend on a condition. */
void
shardwise_python_warn_condition (ShardwiseImportJob *job, const ShardwiseNode *root)
{
  const ShardwiseNode *line = shardwise_node_member (root, SHARDWISE_NODE_CONDITION);

  if (line != NULL)
    shardwise_import_warn (job,
                           _ ("Line %u sets a value under a condition, which is not evaluated: all "
                              "branches are read, and the last value is used."),
                           line->line);
}

/**
 * shardwise_python_read_model:
 *
 * Sets what a script trains: the model that it loads, and adapters.
 */
void
shardwise_python_read_model (ShardwiseImportJob *job)
{
  const ShardwiseNode *lora = shardwise_python_call (job->root, "LoraConfig"),
                      *rank = shardwise_node_member (lora, "r"),
                      *list = shardwise_node_member (job->root, SHARDWISE_NODE_CALLS);

  if (lora != NULL)
    shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_TYPE, "lora");
  if (shardwise_node_is_number (rank) && rank->number >= 1 && rank->number <= 65536)
    shardwise_import_put_int (job, SHARDWISE_KEY_TRAINING_LORA_RANK, (gint64) rank->number);

  /* from_pretrained ("meta-llama/Meta-Llama-3-8B") */
  for (guint i = 0; i < list->items->len; i++)
    {
      const ShardwiseNode *call = list->items->pdata[i],
                          *name = shardwise_python_argument (call, NULL, 0);

      if (g_str_equal (shardwise_python_callee (call), "from_pretrained") && name != NULL
          && name->type == SHARDWISE_NODE_STRING
          && shardwise_import_put_model_named (job, name->text))
        return;
    }
}
