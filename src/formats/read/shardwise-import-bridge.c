/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recipes of Megatron-Bridge 0.7.0 and NeMo 2: their attributes, as the equivalent arguments of
 * Megatron-LM. */
#include "shardwise-megatron-arguments.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-export-megatron.h"
#include "shardwise-import-python.h"
#include "shardwise-node-python.h"

#define MIXED_PRECISION "mixed_precision"

/* Attributes are matched by name alone: the same name occurs on cfg.model, on NeMo's strategy and
 * as an argument of a provider. */
static const struct {
  const char *attribute, *option;
} names[] = {
  { "tensor_model_parallel_size", "--tensor-model-parallel-size" },
  { "pipeline_model_parallel_size", "--pipeline-model-parallel-size" },
  { "virtual_pipeline_model_parallel_size", "--num-virtual-stages-per-pipeline-rank" },
  { "pipeline_model_parallel_layout", "--pipeline-model-parallel-layout" },
  { "account_for_embedding_in_pipeline_split", "--account-for-embedding-in-pipeline-split" },
  { "account_for_loss_in_pipeline_split", "--account-for-loss-in-pipeline-split" },
  { "context_parallel_size", "--context-parallel-size" },
  { "cp_comm_type", "--cp-comm-type" },
  { "expert_model_parallel_size", "--expert-model-parallel-size" },
  { "expert_tensor_parallel_size", "--expert-tensor-parallel-size" },
  { "sequence_parallel", "--sequence-parallel" },
  { "use_distributed_optimizer", "--use-distributed-optimizer" },
  { "num_distributed_optimizer_instances", "--num-distributed-optimizer-instances" },
  { "use_megatron_fsdp", "--use-megatron-fsdp" },
  { "use_torch_fsdp2", "--use-torch-fsdp2" },
  { "data_parallel_sharding_strategy", "--data-parallel-sharding-strategy" },
  { "micro_batch_size", "--micro-batch-size" },
  { "global_batch_size", "--global-batch-size" },
  { "seq_length", "--seq-length" },
  { "recompute_granularity", "--recompute-granularity" },
  { "recompute_method", "--recompute-method" },
  { "recompute_num_layers", "--recompute-num-layers" },
  { "recompute_modules", "--recompute-modules" },
  { "optimizer_cpu_offload", "--optimizer-cpu-offload" },
  { "cpu_offloading", "--cpu-offloading" },
  { "fp8", "--fp8-format" },
  { "fp8_recipe", "--fp8-recipe" },
  { "fp4", "--fp4-format" },
  { "num_layers", "--num-layers" },
  { "hidden_size", "--hidden-size" },
  { "ffn_hidden_size", "--ffn-hidden-size" },
  { "num_attention_heads", "--num-attention-heads" },
  { "num_query_groups", "--num-query-groups" },
  { "kv_channels", "--kv-channels" },
  { "vocab_size", "--vocab-size" },
  { "gated_linear_unit", "--swiglu" },
  { "normalization", "--normalization" },
  { "position_embedding_type", "--position-embedding-type" },
  { "num_moe_experts", "--num-experts" },
  { "moe_router_topk", "--moe-router-topk" },
  { "moe_ffn_hidden_size", "--moe-ffn-hidden-size" },
  { "moe_shared_expert_intermediate_size", "--moe-shared-expert-intermediate-size" },
  { "tp_comm_overlap", "--tp-comm-overlap" },
  { "overlap_moe_expert_parallel_comm", "--overlap-moe-expert-parallel-comm" },
  { "cuda_graph_scope", "--cuda-graph-scope" },
  { "moe_token_dispatcher_type", "--moe-token-dispatcher-type" },
  { "moe_flex_dispatcher_backend", "--moe-flex-dispatcher-backend" },
  { "num_nodes", "--nnodes" },
  { "num_gpus_per_node", "--nproc-per-node" },
  { "devices", "--nproc-per-node" },
  { "mixed_precision", MIXED_PRECISION },
  { "plugins", MIXED_PRECISION }, /* of NeMo's trainer, if it is that plugin */
};

static const char *
attribute_of (const char *option)
{
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i].option, option))
      return names[i].attribute;
  return option;
}

/* ---- attributes ---- */

static void
collect (const ShardwiseNode *map, ShardwiseNode *options)
{
  for (guint i = 0; i < map->keys->len; i++)
    {
      const char *attribute = map->keys->pdata[i], *option = NULL;
      ShardwiseNode *item = map->items->pdata[i];
      /* Whether a value is for an option, rather than a group of options or an unrelated plugin. */
      const gboolean is_value = g_str_equal (attribute, "plugins")
                                    ? strstr (shardwise_python_callee (item), "_mixed") != NULL
                                    : item->type != SHARDWISE_NODE_MAP
                                          || shardwise_node_member (item, SHARDWISE_NODE_CALLEE)
                                                 != NULL;

      for (guint j = 0; j < G_N_ELEMENTS (names) && option == NULL; j++)
        if (g_str_equal (names[j].attribute, attribute))
          option = names[j].option;
      if (option != NULL && is_value)
        {
          /* False and None unset an option; the last value counts. */
          const gboolean off = item->type == SHARDWISE_NODE_NULL
                               || (item->type == SHARDWISE_NODE_BOOLEAN && item->number == 0);

          shardwise_node_set (
              options, option,
              off ? shardwise_node_new (SHARDWISE_NODE_NULL, item->line, item->column)
                  : shardwise_node_ref (item));
        }
      else if (item->type == SHARDWISE_NODE_MAP)
        collect (item, options);
    }
}

static void
add_flag (ShardwiseNode *options, const char *option)
{
  shardwise_node_set (options, option,
                      shardwise_node_new_scalar (SHARDWISE_NODE_BOOLEAN, 1, 1, "True", 1));
}

/* "bf16_with_mxfp8_mixed", or the function of that name. */
static void
add_precision (ShardwiseImportJob *job, ShardwiseNode *options)
{
  const ShardwiseNode *stated = shardwise_node_member (options, MIXED_PRECISION),
                      *half = shardwise_node_member (stated, "fp16");
  const char *callee = shardwise_python_callee (stated), *name = ""; /* "": unknown */
  gboolean is_half;

  if (stated == NULL)
    name = "bf16_mixed";
  else if (g_str_equal (callee, "MixedPrecisionConfig"))
    name = half != NULL && half->number != 0 ? "fp16_mixed" : "bf16_mixed";
  else if (*callee != '\0')
    name = callee;
  else if (stated->type == SHARDWISE_NODE_STRING && *stated->text != SHARDWISE_NODE_UNKNOWN)
    name = stated->text;
  is_half = strstr (name, "fp16") != NULL;
  add_flag (options, is_half ? "--fp16" : "--bf16");
  if (!is_half && strstr (name, "bf16") == NULL)
    {
      shardwise_import_warn (job, _ ("The precision in line %u is unknown: Shardwise uses bf16."),
                             stated->line);
      return;
    }
  if (strstr (name, "fp8") != NULL)
    add_flag (options, "--fp8-format");
  if (strstr (name, "mxfp8") != NULL)
    shardwise_node_set (options, "--fp8-recipe",
                        shardwise_node_new_scalar (SHARDWISE_NODE_STRING, 1, 1, "mxfp8", 0));
  if (strstr (name, "fp4") != NULL)
    add_flag (options, "--fp4-format");
}

/* Recipe by name. Fine-tuning recipes are named like pre-training recipes except for the part for
 * the trained parameters. */
static const ShardwiseRecipe *
find_recipe (ShardwiseImportJob *job, const char *name)
{
  static const struct {
    const char *part, *type;
  } others[] = { { "_sft_", "finetune" }, { "_finetune_", "finetune" }, { "_peft_", "lora" } };
  const ShardwiseRecipe *recipe = shardwise_recipe_find (name);
  const char *type = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (others) && type == NULL; i++)
    if (strstr (name, others[i].part) != NULL)
      {
        g_auto (GStrv) pieces = g_strsplit (name, others[i].part, 2);
        g_autofree char *usual = g_strjoinv ("_pretrain_", pieces);

        recipe = recipe != NULL ? recipe : shardwise_recipe_find (usual);
        type = others[i].type;
      }
  if (recipe != NULL && type != NULL)
    shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_TYPE, type);
  return recipe;
}

/* Reads a recipe of Megatron-Bridge or NeMo. It is parsed, never executed. */
static void
read_file (ShardwiseImportJob *job)
{
  static const char *const needed[] = { "--tensor-model-parallel-size",
                                        "--pipeline-model-parallel-size", "--micro-batch-size",
                                        "--global-batch-size" };
  static const char *const usual[] = { "--use-distributed-optimizer", "--overlap-grad-reduce",
                                       "--overlap-param-gather" };
  const ShardwiseNode *root = job->root,
                      *calls = shardwise_node_member (root, SHARDWISE_NODE_CALLS);
  g_autoptr (ShardwiseNode) all = shardwise_node_new (SHARDWISE_NODE_MAP, 1, 1);
  g_autoptr (ShardwiseNode) options = shardwise_node_new (SHARDWISE_NODE_MAP, 1, 1);
  g_autoptr (GString) list = g_string_new (NULL);
  const ShardwiseNode *stated = shardwise_node_member (root, "WORLD_SIZE");
  const ShardwiseRecipe *recipe = NULL;
  guint nodes = 0, per_node = 0, world = 0;
  const char *type;

  collect (root, all); /* constants of the file, overridden by arguments and attributes */
  for (guint i = 0; i < calls->items->len; i++)
    collect (calls->items->pdata[i], all);
  for (guint i = 0; i < root->items->len; i++)
    if (((ShardwiseNode *) root->items->pdata[i])->type == SHARDWISE_NODE_MAP)
      collect (root->items->pdata[i], all);
  /* Values that the recipe does not contain. */
  for (guint i = 0; i < G_N_ELEMENTS (needed); i++)
    if (shardwise_node_member (all, needed[i]) == NULL)
      g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", attribute_of (needed[i]));
  if (list->len > 0)
    shardwise_import_warn (
        job, _ ("The file does not set %s: the recipe’s own value is unknown, and it is searched."),
        list->str);

  /* A recipe without its degrees must not get Megatron-LM's silent defaults. */
  job->is_part = job->is_part
                 || (shardwise_node_member (all, needed[0]) == NULL
                     && shardwise_node_member (all, needed[1]) == NULL);
  /* Without options that are off: Megatron-LM's arguments omit them. */
  for (guint i = 0; i < all->keys->len; i++)
    {
      ShardwiseNode *item = all->items->pdata[i];

      if (item->type != SHARDWISE_NODE_NULL)
        shardwise_node_set (options, all->keys->pdata[i], shardwise_node_ref (item));
    }
  add_precision (job, options);
  if (shardwise_node_member (options, "--num-query-groups") != NULL)
    add_flag (options, "--group-query-attention");
  job->root = options;
  job->spell = attribute_of;
  /* "llama3_70b_pretrain_config ()" and "llm.llama3_70b.pretrain_recipe (…)", the nearest part
   * first, because the module has the name of only one of its models. */
  for (guint i = 0; i < calls->items->len && recipe == NULL; i++)
    {
      const ShardwiseNode *callee = shardwise_node_member (calls->items->pdata[i],
                                                           SHARDWISE_NODE_CALLEE);
      g_auto (GStrv) parts = g_strsplit (callee->text, ".", 20);

      for (guint j = g_strv_length (parts); j > 0 && recipe == NULL; j--)
        recipe = find_recipe (job, parts[j - 1]);
    }
  if (recipe != NULL)
    shardwise_import_put_word (job, SHARDWISE_KEY_MODEL_PRESET, recipe->id);
  else
    shardwise_megatron_read_model (job);
  /* Recipes shard the optimizer and overlap its messages by default; those for adapters differ. */
  type = shardwise_scenario_peek_string (job->out->scenario, SHARDWISE_KEY_TRAINING_TYPE);
  for (guint i = 0; i < G_N_ELEMENTS (usual) && recipe != NULL && g_strcmp0 (type, "lora") != 0;
       i++)
    if (shardwise_node_member (all, usual[i]) == NULL)
      add_flag (options, usual[i]);

  shardwise_import_count (job, "--nnodes", SHARDWISE_KEY_CLUSTER_GPUS, &nodes);
  shardwise_import_count (job, "--nproc-per-node", SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE, &per_node);
  if (nodes > 0 && per_node > 0)
    world = (guint) shardwise_import_product (nodes, per_node, 1, 1);
  else if (shardwise_node_is_number (stated) && stated->number >= 1)
    world = (guint) MIN (stated->number, 131073);
  if (world > 131072)
    world = 0;
  if (world > 0)
    shardwise_import_put_world (job, world, per_node);
  else
    shardwise_import_warn (job, _ ("The file does not set the number of GPUs: DP follows from the "
                                   "number of GPUs that you set."));
  shardwise_megatron_read_strategy (job, world);
  job->root = root;
  job->spell = NULL;
  shardwise_python_warn_condition (job, root);
}

const ShardwiseImportReader shardwise_import_bridge = {
  "megatron-bridge", N_ ("Megatron-Bridge or NeMo recipe"), SHARDWISE_FORMAT_MEGATRON,
  /* Bridge's rules are on models and do not apply to a job. */ read_file
};
