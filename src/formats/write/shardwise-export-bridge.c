/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-megatron.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-rule-conditions.h"

/* Megatron-Bridge 0.7.0, and NeMo 2 before it: Python that changes one of their recipes. Bridge's
 * cfg.model refuses unknown attributes, the other sections take any: each name here is a field of
 * the dataclasses. Only values computed here enter the text, never a string of the user outside the
 * comments. */

typedef struct {
  const char *id;     /* of the catalogue */
  const char *module; /* (nullable): of megatron.bridge.recipes */
  const char *recipe; /* (nullable): its function */
  const char *nemo;   /* (nullable): of nemo.collections.llm */
  gboolean by_muon;   /* the recipe of Megatron-Bridge has another optimizer than Adam */
} Recipe;

static const Recipe recipes[] = {
  { "llama-2-7b", "llama.llama2", "llama2_7b_pretrain_config", "llama2_7b" },
  { "llama-3-8b", "llama.llama3", "llama3_8b_pretrain_config", "llama3_8b" },
  { "llama-3-70b", "llama.llama3", "llama3_70b_pretrain_config", "llama3_70b" },
  { "llama-3.1-8b", "llama.llama3", "llama31_8b_pretrain_config", "llama31_8b" },
  { "llama-3.1-70b", "llama.llama3", "llama31_70b_pretrain_config", "llama31_70b" },
  { "llama-3.3-70b", "llama.llama3", "llama31_70b_pretrain_config", "llama31_70b" },
  { "llama-3.1-405b", "llama.llama3", "llama31_405b_pretrain_config", "llama31_405b" },
  { "llama-3.2-1b", "llama.llama3", "llama32_1b_pretrain_config", "llama32_1b" },
  { "llama-3.2-3b", "llama.llama3", "llama32_3b_pretrain_config", "llama32_3b" },
  { "qwen2-0.5b", "qwen.qwen2", "qwen2_500m_pretrain_config", "qwen2_500m" },
  { "qwen2-1.5b", "qwen.qwen2", "qwen2_1p5b_pretrain_config", "qwen2_1p5b" },
  { "qwen2-7b", "qwen.qwen2", "qwen2_7b_pretrain_config", "qwen2_7b" },
  { "qwen2-72b", "qwen.qwen2", "qwen2_72b_pretrain_config", "qwen2_72b" },
  { "qwen2.5-0.5b", "qwen.qwen2", "qwen25_500m_pretrain_config", "qwen25_500m" },
  { "qwen2.5-1.5b", "qwen.qwen2", "qwen25_1p5b_pretrain_config", "qwen25_1p5b" },
  { "qwen2.5-7b", "qwen.qwen2", "qwen25_7b_pretrain_config", "qwen25_7b" },
  { "qwen2.5-14b", "qwen.qwen2", "qwen25_14b_pretrain_config", "qwen25_14b" },
  { "qwen2.5-32b", "qwen.qwen2", "qwen25_32b_pretrain_config", "qwen25_32b" },
  { "qwen2.5-72b", "qwen.qwen2", "qwen25_72b_pretrain_config", "qwen25_72b" },
  { "qwen3-0.6b", "qwen.qwen3", "qwen3_600m_pretrain_config", "qwen3_600m" },
  { "qwen3-1.7b", "qwen.qwen3", "qwen3_1p7b_pretrain_config", "qwen3_1p7b" },
  { "qwen3-4b", "qwen.qwen3", "qwen3_4b_pretrain_config", "qwen3_4b" },
  { "qwen3-8b", "qwen.qwen3", "qwen3_8b_pretrain_config", "qwen3_8b" },
  { "qwen3-14b", "qwen.qwen3", "qwen3_14b_pretrain_config", "qwen3_14b" },
  { "qwen3-32b", "qwen.qwen3", "qwen3_32b_pretrain_config", "qwen3_32b" },
  { "qwen3-30b-a3b", "qwen.qwen3_moe", "qwen3_30b_a3b_pretrain_config", "qwen3_30b_a3b" },
  { "qwen3-235b-a22b", "qwen.qwen3_moe", "qwen3_235b_a22b_pretrain_config", "qwen3_235b_a22b" },
  { "deepseek-v2-lite", "deepseek.deepseek_v2", "deepseek_v2_lite_pretrain_config",
    "deepseek_v2_lite" },
  { "deepseek-v2", "deepseek.deepseek_v2", "deepseek_v2_pretrain_config", "deepseek_v2" },
  { "deepseek-v3", "deepseek.deepseek_v3", "deepseek_v3_pretrain_config", "deepseek_v3" },
  { "moonlight-16b-a3b", "moonlight.moonlight_16b", "moonlight_16b_pretrain_config", NULL },
  { "kimi-k2", "kimi.kimi_k2", "kimi_k2_pretrain_config", NULL, TRUE },
  { "olmoe-7b-a1b", "olmoe.olmoe_7b", "olmoe_7b_pretrain_config", NULL },
  { "glm-4.5-355b-a32b", "glm.glm45", "glm45_355b_pretrain_config", NULL },
  { "glm-4.5-air-106b-a12b", "glm.glm45", "glm45_air_106b_pretrain_config", NULL },
  { "gpt-oss-20b", "gpt_oss.gpt_oss", "gpt_oss_20b_pretrain_config", NULL },
  { "gpt-oss-120b", "gpt_oss.gpt_oss", "gpt_oss_120b_pretrain_config", NULL },
  { "gpt3-175b", "gpt.gpt3_175b", "gpt3_175b_pretrain_config", "gpt3_175b" },
  { "gemma-2-2b", "gemma.gemma2", "gemma2_2b_pretrain_config", "gemma2_2b" },
  { "gemma-2-9b", "gemma.gemma2", "gemma2_9b_pretrain_config", "gemma2_9b" },
  { "gemma-2-27b", "gemma.gemma2", "gemma2_27b_pretrain_config", "gemma2_27b" },
  { "llama-4-scout", NULL, NULL, "llama4_e16" },
  { "llama-4-maverick", NULL, NULL, "llama4_e128" },
  { "mistral-nemo-12b", NULL, NULL, "mistral_nemo_12b" },
  { "mixtral-8x7b", NULL, NULL, "mixtral_8x7b" },
  { "mixtral-8x22b", NULL, NULL, "mixtral_8x22b" },
  { "nemotron-4-15b", NULL, NULL, "nemotron4_15b" },
  { "nemotron-4-340b", NULL, NULL, "nemotron4_340b" },
  { "starcoder2-3b", NULL, NULL, "starcoder2_3b" },
  { "starcoder2-7b", NULL, NULL, "starcoder2_7b" },
  { "starcoder2-15b", NULL, NULL, "starcoder2_15b" },
};

static const Recipe *
find_recipe (const SwProblem *problem)
{
  for (guint i = 0; i < G_N_ELEMENTS (recipes); i++)
    if (g_str_equal (recipes[i].id, problem->model.id))
      return &recipes[i];

  return NULL;
}

/**
 * shardwise_recipe_model:
 * @name: a function of Megatron-Bridge, "llama3_70b_pretrain_config" and longer names of the same
 *   model, or a module of NeMo, "llama3_70b"
 *
 * Returns: (transfer none) (nullable): the catalogue's id of the model that it trains
 */
const char *
shardwise_recipe_model (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (recipes); i++)
    {
      const char *recipe = recipes[i].recipe;

      if ((recipe != NULL && strncmp (recipe, name, strlen (recipe) - strlen ("config")) == 0)
          || g_strcmp0 (recipes[i].nemo, name) == 0)
        return recipes[i].id;
    }
  return NULL;
}

static gboolean
no_recipe (const SwProblem *problem, const SwStrategy *s)
{
  const Recipe *recipe = find_recipe (problem);

  return recipe == NULL || recipe->recipe == NULL;
}

static gboolean
no_nemo_recipe (const SwProblem *problem, const SwStrategy *s)
{
  const Recipe *recipe = find_recipe (problem);

  return recipe == NULL || recipe->nemo == NULL;
}

static gboolean
fine_tuning (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.type != SW_TRAINING_PRETRAIN;
}

static const ShardwiseFormatRule recipe_rules[] = {
  { "training.type", 0, fine_tuning,
    N_ ("The recipe is one of pre-training; fine-tuning and LoRA have recipes of their own") },
  { "training.optimizer", 0, shardwise_rule_is_not_adamw, N_ ("The recipe’s optimizer is Adam") },
  { "training.precision", 0, shardwise_rule_is_not_bf16,
    N_ ("The recipe’s precision is bf16; 8-bit training has recipes of its own") },
};

static const ShardwiseFormatRule bridge_rules[] = {
  { "model", 0, no_recipe,
    N_ ("Megatron-Bridge has recipes for Llama 2 and 3, Qwen2 to Qwen3, Gemma 2, DeepSeek V2 and "
        "V3, Moonlight, Kimi K2, OLMoE, GLM-4.5, gpt-oss and GPT-3, each in its published sizes") },
};

#define D(name) SHARDWISE_DIM (SW_DIM_##name)

static const ShardwiseFormatRule nemo_rules[] = {
  { "strategy.offload", D (OFFLOAD), shardwise_rule_offloads,
    N_ ("NeMo 2’s recipes are written without offload") },
  { "model", 0, no_nemo_recipe,
    N_ ("NeMo 2 is written for its recipes of Llama 2 to 4, Qwen2 to Qwen3, Gemma 2, Mistral NeMo, "
        "Mixtral, Nemotron-4, StarCoder2, DeepSeek V2 and V3 and GPT-3, each in its published "
        "sizes") },
};

static void
append_set (GString *text, const char *target, const char *name, const char *value)
{
  g_string_append_printf (text, "    %s.%s = %s\n", target, name, value);
}

static void
append_number (GString *text, const char *target, const char *name, guint value)
{
  g_string_append_printf (text, "    %s.%s = %u\n", target, name, value);
}

static void
append_bool (GString *text, const char *target, const char *name, gboolean value)
{
  append_set (text, target, name, value ? "True" : "False");
}

static void
append_stages (const ShardwiseExportJob *job, const char *target, GString *text)
{
  const SwStrategy *s = &job->estimate.strategy;

  append_number (text, target, "pipeline_model_parallel_size", s->pp);
  if (s->vpp > 1)
    append_number (text, target, "virtual_pipeline_model_parallel_size", s->vpp);
  else
    append_set (text, target, "virtual_pipeline_model_parallel_size", "None");
  append_set (text, target, "pipeline_dtype", s->pp > 1 ? "torch.bfloat16" : "None");
}

/* The layers of each stage; some recipes bring a split of their own. */
static void
append_split (const ShardwiseExportJob *job, const char *target, GString *text)
{
  const SwStrategy *s = &job->estimate.strategy;
  ShardwiseMegatronStages stages = shardwise_megatron_stages (&job->problem, s);

  append_set (text, target, "num_layers_in_first_pipeline_stage", "None");
  append_set (text, target, "num_layers_in_last_pipeline_stage", "None");
  append_bool (text, target, "account_for_embedding_in_pipeline_split",
               s->pp > 1 && stages == SHARDWISE_STAGES_ENDS);
  append_bool (text, target, "account_for_loss_in_pipeline_split",
               s->pp > 1 && stages == SHARDWISE_STAGES_ENDS);
  if (s->pp > 1 && stages == SHARDWISE_STAGES_LAYOUT)
    {
      g_autofree char *layout = shardwise_megatron_layout (&job->problem, s);

      g_string_append_printf (text, "    %s.pipeline_model_parallel_layout = \"%s\"\n", target,
                              layout);
    }
  else
    {
      append_set (text, target, "pipeline_model_parallel_layout", "None");
    }
}

static void
append_parallelism (const ShardwiseExportJob *job, const char *target, const char *model,
                    GString *text)
{
  static const char *const cp_types[] = { "\"p2p\"", "\"all_gather\"", "\"a2a\"" };
  const SwStrategy *s = &job->estimate.strategy;

  append_number (text, target, "tensor_model_parallel_size", s->tp);
  append_stages (job, target, text);
  append_number (text, target, "context_parallel_size", s->cp);
  if (s->cp > 1)
    append_set (text, model, "cp_comm_type", cp_types[s->cp_method]);
  append_bool (text, target, "sequence_parallel", s->sequence_parallel);
  if (job->problem.model.moe.experts == 0)
    return;

  append_number (text, target, "expert_model_parallel_size", s->ep);
  append_number (text, target, "expert_tensor_parallel_size", s->etp);
}

static void
append_modules (guint modules, const char *target, GString *text)
{
  gboolean first = TRUE;

  if (modules == 0)
    {
      append_set (text, target, "recompute_modules", "[\"core_attn\"]");
      return;
    }
  g_string_append_printf (text, "    %s.recompute_modules = [", target);
  for (guint i = 0; sw_recompute_module_names[i] != NULL; i++)
    if ((modules & (1u << i)) != 0)
      {
        g_string_append_printf (text, "%s\"%s\"", first ? "" : ", ", sw_recompute_module_names[i]);
        first = FALSE;
      }
  g_string_append (text, "]\n");
}

static void
append_recompute (const SwStrategy *s, const char *target, GString *text)
{
  switch ((SwRecompute) s->recompute)
    {
    case SW_RECOMPUTE_SELECTIVE:
      append_set (text, target, "recompute_granularity", "\"selective\"");
      append_set (text, target, "recompute_method", "None");
      append_set (text, target, "recompute_num_layers", "None");
      append_modules (s->recompute_modules, target, text);
      break;
    case SW_RECOMPUTE_FULL:
    case SW_RECOMPUTE_FULL_LAYERS:
      append_set (text, target, "recompute_granularity", "\"full\"");
      append_set (text, target, "recompute_method",
                  s->recompute == SW_RECOMPUTE_FULL ? "\"uniform\"" : "\"block\"");
      append_number (text, target, "recompute_num_layers",
                     s->recompute == SW_RECOMPUTE_FULL ? 1 : s->full_layers / s->vpp);
      break;
    case SW_RECOMPUTE_NONE:
    default:
      append_set (text, target, "recompute_granularity", "None");
      append_set (text, target, "recompute_method", "None");
      append_set (text, target, "recompute_num_layers", "None");
      break;
    }
}

static void
append_sharding (const ShardwiseExportJob *job, const char *target, const char *instances,
                 GString *text)
{
  const SwStrategy *s = &job->estimate.strategy;
  gboolean overlap = job->problem.training.overlap != SW_OVERLAP_NONE;

  append_bool (text, target, "use_distributed_optimizer", s->zero_stage > 0);
  append_bool (text, target, "overlap_grad_reduce", overlap);
  append_bool (text, target, "overlap_param_gather", overlap && s->zero_stage > 0);
  if (s->zero_stage > 0 && s->shard_group < s->dp)
    append_number (text, instances, "num_distributed_optimizer_instances", s->dp / s->shard_group);
}

#define ADAM "distributed_fused_adam_with_cosine_annealing"

/* Some recipes keep gradients or moments in 16 bits, or have Muon, which runs without the
 * distributed optimizer: none of that is predicted. */
static void
append_optimizer (const ShardwiseExportJob *job, GString *text)
{
  static const char *const kept[] = { "main_grads_dtype", "main_params_dtype", "exp_avg_dtype",
                                      "exp_avg_sq_dtype" };
  const gboolean offload = job->estimate.strategy.offload == SW_OFFLOAD_OPTIMIZER;

  append_set (text, "cfg", "mixed_precision", "\"bf16_mixed\"");
  if (find_recipe (&job->problem)->by_muon)
    g_string_append (text, "    cfg.optimizer, cfg.scheduler = " ADAM "()\n");
  append_bool (text, "cfg.optimizer", "use_precision_aware_optimizer", offload);
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    append_set (text, "cfg.optimizer", kept[i], "torch.float32");
  if (offload)
    append_bool (text, "cfg.optimizer", "optimizer_cpu_offload", TRUE);
}

static void
append_bridge (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *s = &job->estimate.strategy;
  guint steps = shardwise_export_train_steps (&job->problem);

  append_parallelism (job, "cfg.model", "cfg.model", text);
  append_split (job, "cfg.model", text);
  append_recompute (s, "cfg.model", text);
  append_number (text, "cfg.model", "seq_length", job->problem.training.sequence_length);
  append_number (text, "cfg.dataset", "seq_length", job->problem.training.sequence_length);
  append_number (text, "cfg.train", "micro_batch_size", s->micro_batch);
  append_number (text, "cfg.train", "global_batch_size", shardwise_export_global_batch (job));
  append_number (text, "cfg.train", "train_iters", steps);
  append_optimizer (job, text);
  append_number (text, "cfg.scheduler", "lr_warmup_iters", MAX (steps / 10, 1));
  append_sharding (job, "cfg.ddp", "cfg.ddp", text);
  if (s->offload == SW_OFFLOAD_ACTIVATIONS)
    {
      append_bool (text, "cfg.model", "cpu_offloading", TRUE);
      append_number (text, "cfg.model", "cpu_offloading_num_layers", job->problem.model.layers - 1);
    }
}

static void
add_notes (ShardwiseExportJob *job)
{
  shardwise_export_note (job,
                         _ ("The model: the recipe takes its dimensions from Hugging Face’s."));
  shardwise_export_note (job, _ ("The data: the recipe trains on made-up tokens."));
  if (job->problem.training.attention == SW_ATTENTION_UNFUSED)
    shardwise_export_note (job, _ ("Unfused attention: the recipe’s own is kept."));
  shardwise_export_note_common (job);
}

static void
write_bridge (ShardwiseExportJob *job)
{
  const Recipe *recipe = find_recipe (&job->problem);
  GString *text = g_string_new (NULL);

  add_notes (job);
  shardwise_export_append_header (job, text);
  g_string_append_printf (
      text,
      "import os\n\n"
      "import torch\n"
      "from megatron.bridge.recipes.%s import %s\n"
      "%s"
      "from megatron.bridge.training.config import ConfigContainer\n"
      "from megatron.bridge.training.gpt_step import forward_step\n"
      "from megatron.bridge.training.pretrain import pretrain\n"
      "\nWORLD_SIZE = %u\n"
      "\n\ndef build() -> ConfigContainer:\n"
      "    cfg = %s()\n",
      recipe->module, recipe->recipe,
      recipe->by_muon ? "from megatron.bridge.recipes.utils.optimizer_utils import " ADAM "\n" : "",
      shardwise_export_gpus (job), recipe->recipe);
  append_bridge (job, text);
  g_string_append (text, "    return cfg\n\n\n"
                         "if __name__ == \"__main__\":\n"
                         "    if int(os.environ.get(\"WORLD_SIZE\", WORLD_SIZE)) != WORLD_SIZE:\n"
                         "        raise RuntimeError(f\"this strategy is for {WORLD_SIZE} GPUs\")\n"
                         "    pretrain(config=build(), forward_step_func=forward_step)\n");
  shardwise_export_add_file (job, job->info->file_name, g_string_free (text, FALSE));
}

static void
append_nemo (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *s = &job->estimate.strategy;

  append_parallelism (job, "strategy", "recipe.model.config", text);
  append_split (job, "strategy", text);
  append_recompute (s, "recipe.model.config", text);
  append_sharding (job, "strategy.ddp", "strategy", text);
  append_number (text, "recipe.data", "micro_batch_size", s->micro_batch);
  append_number (text, "recipe.data", "global_batch_size", shardwise_export_global_batch (job));
  append_number (text, "recipe.data", "seq_length", job->problem.training.sequence_length);
  append_number (text, "recipe.trainer", "max_steps", shardwise_export_train_steps (&job->problem));
}

static void
write_nemo (ShardwiseExportJob *job)
{
  const Recipe *recipe = find_recipe (&job->problem);
  guint per_node = shardwise_export_gpus_per_node (job);
  GString *text = g_string_new (NULL);

  shardwise_export_note (
      job, _ ("NeMo 2’s recipes have moved to Megatron-Bridge: use that for new work."));
  add_notes (job);
  shardwise_export_append_header (job, text);
  g_string_append_printf (text,
                          "import nemo_run as run\n"
                          "import torch\n"
                          "from nemo.collections import llm\n"
                          "\n\ndef build():\n"
                          "    recipe = llm.%s.pretrain_recipe(name=\"shardwise\", num_nodes=%u, "
                          "num_gpus_per_node=%u)\n"
                          "    strategy = recipe.trainer.strategy\n",
                          recipe->nemo, shardwise_export_nodes (job), per_node);
  append_nemo (job, text);
  g_string_append_printf (text,
                          "    return recipe\n\n\n"
                          "if __name__ == \"__main__\":\n"
                          "    run.run(build(), executor=run.LocalExecutor(ntasks_per_node=%u, "
                          "launcher=\"torchrun\"))\n",
                          per_node);
  shardwise_export_add_file (job, job->info->file_name, g_string_free (text, FALSE));
}

static void
launch (const ShardwiseExportJob *job, ShardwiseLaunch *out)
{
  shardwise_launch_init (out, job->info->file_name);
  if (shardwise_megatron_needs_one_connection (&job->problem, &job->estimate.strategy))
    shardwise_launch_set (out, "CUDA_DEVICE_MAX_CONNECTIONS", "1");
}

static const ShardwiseFormatPin narrow[] = {
  { "strategy.schedule", "1f1b", FALSE },
  { "strategy.vpp", NULL, FALSE },
  { "strategy.offload", "none", FALSE },
  { NULL, NULL, FALSE },
};

/* What Megatron-Core itself refuses; the models are the recipes'. */
static const ShardwiseFormatWriter core = {
  .rules = shardwise_megatron_rules,
  .n_rules = SHARDWISE_MEGATRON_N_STRATEGY_RULES,
};
static const ShardwiseFormatWriter recipe_base = {
  .rules = recipe_rules,
  .n_rules = G_N_ELEMENTS (recipe_rules),
  .base = &core,
};

const ShardwiseFormatWriter shardwise_bridge_writer = {
  .rules = bridge_rules,
  .n_rules = G_N_ELEMENTS (bridge_rules),
  .base = &recipe_base,
  .narrow = narrow,
  .write = write_bridge,
  .launch = launch,
};

/* The legacy recipes say less: no offload. */
const ShardwiseFormatWriter shardwise_nemo_writer = {
  .rules = nemo_rules,
  .n_rules = G_N_ELEMENTS (nemo_rules),
  .base = &recipe_base,
  .narrow = narrow,
  .write = write_nemo,
  .launch = launch,
};
