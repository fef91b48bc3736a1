/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules-fixture.h"

/* The attributes of Megatron-Bridge 0.7.0's ConfigContainer that a recipe may set: cfg.model
 * refuses unknown ones, the other sections take any without a word. */
static const FixtureRule fields[] = {
  { "import megatron.bridge.training.finetune.finetune", FIXTURE_FLAG },
  { "CHECKPOINT", FIXTURE_TEXT },
  { "finetune(*", FIXTURE_CODE },
  { "default_squad_config(seq_length)", FIXTURE_INT },
  { "default_squad_config(enable_offline_packing)", FIXTURE_BOOL },
  { "default_squad_config(pad_seq_to_mult)", FIXTURE_INT },
  { "cfg.checkpoint.pretrained_checkpoint", FIXTURE_CODE, "CHECKPOINT" },
  { "cfg.dataset", FIXTURE_CODE },
  { "cfg.peft.dim", FIXTURE_INT },
  { "cfg.peft.alpha", FIXTURE_INT },
  { "cfg.peft.target_modules", FIXTURE_LIST, "linear_qkv|linear_proj" },
  { "import megatron.bridge.recipes.*", FIXTURE_FLAG },
  { "import megatron.bridge.training.comm_overlap.CommOverlapConfig", FIXTURE_FLAG, NULL, TRUE },
  { "import megatron.bridge.training.config.ConfigContainer", FIXTURE_FLAG, NULL, TRUE },
  { "import megatron.bridge.training.gpt_step.forward_step", FIXTURE_FLAG, NULL, TRUE },
  { "import megatron.bridge.training.pretrain.pretrain", FIXTURE_FLAG },
  { "pretrain(config)", FIXTURE_CODE, "build()" },
  { "pretrain(forward_step_func)", FIXTURE_CODE, "forward_step" },
  { "cfg.model.tensor_model_parallel_size", FIXTURE_INT, NULL, TRUE },
  { "cfg.model.pipeline_model_parallel_size", FIXTURE_INT, NULL, TRUE },
  { "cfg.model.virtual_pipeline_model_parallel_size", FIXTURE_NULL_OR_INT, NULL, TRUE },
  { "cfg.model.pipeline_dtype", FIXTURE_CODE, "torch.bfloat16|None", TRUE },
  { "cfg.model.num_layers_in_first_pipeline_stage", FIXTURE_CODE, "None", TRUE },
  { "cfg.model.num_layers_in_last_pipeline_stage", FIXTURE_CODE, "None", TRUE },
  { "cfg.model.account_for_embedding_in_pipeline_split", FIXTURE_BOOL, NULL, TRUE },
  { "cfg.model.account_for_loss_in_pipeline_split", FIXTURE_BOOL, NULL, TRUE },
  { "cfg.model.pipeline_model_parallel_layout", FIXTURE_CODE, NULL, TRUE },
  { "cfg.model.context_parallel_size", FIXTURE_INT, NULL, TRUE },
  { "cfg.model.cp_comm_type", FIXTURE_TEXT, "p2p|all_gather|a2a|a2a+p2p" },
  { "cfg.model.sequence_parallel", FIXTURE_BOOL, NULL, TRUE },
  { "cfg.model.expert_model_parallel_size", FIXTURE_INT },
  { "cfg.model.expert_tensor_parallel_size", FIXTURE_INT },
  { "cfg.model.recompute_granularity", FIXTURE_CODE, "None|full|selective", TRUE },
  { "cfg.model.recompute_method", FIXTURE_CODE, "None|uniform|block" },
  { "cfg.model.recompute_num_layers", FIXTURE_NULL_OR_INT },
  { "cfg.model.recompute_modules", FIXTURE_LIST },
  { "cfg.model.cpu_offloading", FIXTURE_BOOL },
  { "cfg.model.cpu_offloading_num_layers", FIXTURE_INT },
  { "cfg.model.seq_length", FIXTURE_INT, NULL, TRUE },
  { "cfg.dataset.seq_length", FIXTURE_INT, NULL, TRUE },
  { "cfg.train.micro_batch_size", FIXTURE_INT, NULL, TRUE },
  { "cfg.train.global_batch_size", FIXTURE_INT, NULL, TRUE },
  { "cfg.train.train_iters", FIXTURE_INT },
  { "cfg.scheduler.lr_warmup_iters", FIXTURE_INT },
  { "cfg.ddp.use_distributed_optimizer", FIXTURE_BOOL, NULL, TRUE },
  { "cfg.ddp.overlap_grad_reduce", FIXTURE_BOOL },
  { "cfg.ddp.overlap_param_gather", FIXTURE_BOOL },
  { "cfg.ddp.num_distributed_optimizer_instances", FIXTURE_INT },
  { "cfg.comm_overlap", FIXTURE_CODE },
  { "CommOverlapConfig(tp_comm_overlap)", FIXTURE_BOOL },
  { "CommOverlapConfig(overlap_grad_reduce)", FIXTURE_BOOL },
  { "CommOverlapConfig(overlap_param_gather)", FIXTURE_BOOL },
  { "CommOverlapConfig(overlap_moe_expert_parallel_comm)", FIXTURE_BOOL },
  { "cfg.model.moe_token_dispatcher_type", FIXTURE_TEXT, "alltoall|flex" },
  { "cfg.model.moe_flex_dispatcher_backend", FIXTURE_CODE, "None|deepep|hybridep" },
  { "cfg.model.moe_router_dtype", FIXTURE_TEXT, "fp32" },
  { "cfg.model.moe_shared_expert_overlap", FIXTURE_BOOL },
  { "cfg.model.cuda_graph_impl", FIXTURE_TEXT, "none|transformer_engine" },
  { "cfg.model.cuda_graph_scope", FIXTURE_LIST, "moe_router|moe_preprocess" },
  { "cfg.model.use_te_rng_tracker", FIXTURE_BOOL },
  { "cfg.rng.te_rng_tracker", FIXTURE_BOOL },
  { "import megatron.bridge.recipes.utils.optimizer_utils."
    "distributed_fused_adam_with_cosine_annealing",
    FIXTURE_FLAG },
  { "cfg.mixed_precision", FIXTURE_TEXT, "bf16_mixed", TRUE },
  { "cfg.optimizer.use_precision_aware_optimizer", FIXTURE_BOOL, NULL, TRUE },
  { "cfg.optimizer.main_grads_dtype", FIXTURE_CODE, "torch.float32", TRUE },
  { "cfg.optimizer.main_params_dtype", FIXTURE_CODE, "torch.float32", TRUE },
  { "cfg.optimizer.exp_avg_dtype", FIXTURE_CODE, "torch.float32", TRUE },
  { "cfg.optimizer.exp_avg_sq_dtype", FIXTURE_CODE, "torch.float32", TRUE },
  { "cfg.optimizer.optimizer_cpu_offload", FIXTURE_BOOL },
};

/* NeMo 2.6's recipe: fewer, and under other names. */
static const FixtureRule nemo_fields[] = {
  { "import nemo.collections.llm", FIXTURE_FLAG, NULL, TRUE },
  { "llm.*", FIXTURE_CODE },
  { "llm.*", FIXTURE_INT },
  { "run.*", FIXTURE_CODE },
  { "run.*", FIXTURE_INT },
  { "run.*", FIXTURE_BOOL },
  { "strategy.tensor_model_parallel_size", FIXTURE_INT, NULL, TRUE },
  { "strategy.pipeline_model_parallel_size", FIXTURE_INT, NULL, TRUE },
  { "strategy.virtual_pipeline_model_parallel_size", FIXTURE_NULL_OR_INT },
  { "strategy.pipeline_dtype", FIXTURE_CODE, "torch.bfloat16|None", TRUE },
  { "strategy.account_for_embedding_in_pipeline_split", FIXTURE_BOOL, NULL, TRUE },
  { "strategy.account_for_loss_in_pipeline_split", FIXTURE_BOOL, NULL, TRUE },
  { "strategy.pipeline_model_parallel_layout", FIXTURE_CODE, NULL, TRUE },
  { "strategy.num_layers_in_first_pipeline_stage", FIXTURE_CODE, "None", TRUE },
  { "strategy.num_layers_in_last_pipeline_stage", FIXTURE_CODE, "None", TRUE },
  { "strategy.num_distributed_optimizer_instances", FIXTURE_INT },
  { "strategy.context_parallel_size", FIXTURE_INT },
  { "strategy.sequence_parallel", FIXTURE_BOOL },
  { "strategy.expert_model_parallel_size", FIXTURE_INT },
  { "strategy.expert_tensor_parallel_size", FIXTURE_INT },
  { "strategy.ddp.use_distributed_optimizer", FIXTURE_BOOL },
  { "strategy.ddp.overlap_grad_reduce", FIXTURE_BOOL },
  { "strategy.ddp.overlap_param_gather", FIXTURE_BOOL },
  { "recipe.model.config.cp_comm_type", FIXTURE_TEXT },
  { "recipe.model.config.recompute_granularity", FIXTURE_CODE },
  { "recipe.model.config.recompute_method", FIXTURE_CODE },
  { "recipe.model.config.recompute_num_layers", FIXTURE_NULL_OR_INT },
  { "recipe.model.config.recompute_modules", FIXTURE_LIST },
  { "recipe.data.micro_batch_size", FIXTURE_INT, NULL, TRUE },
  { "recipe.data.global_batch_size", FIXTURE_INT, NULL, TRUE },
  { "recipe.data.seq_length", FIXTURE_INT, NULL, TRUE },
  { "recipe.trainer.max_steps", FIXTURE_INT },
};

static void
assert_says (GHashTable *v, const FixtureCase *written, const char *model)
{
  static const char *const names[] = { "tensor_model_parallel_size", "pipeline_model_parallel_size",
                                       "context_parallel_size", "expert_model_parallel_size",
                                       "virtual_pipeline_model_parallel_size" };
  const SwStrategy *s = &written->strategy;
  const guint values[] = { s->tp, s->pp, s->cp, s->ep, s->vpp };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_strdup_printf ("%s.%s", model, names[i]);
      const char *text = fixture_text (v, path);

      if (text != NULL && !g_str_equal (text, "None"))
        g_assert_cmpuint (fixture_number (v, path, 0), ==, values[i]);
      else
        g_assert_cmpuint (values[i], ==, 1);
    }
}

/* validate() of ConfigContainer, as far as it is arithmetic. */
static void
assert_valid (GHashTable *v, const FixtureCase *written)
{
  const SwStrategy *s = &written->strategy;
  const char *granularity = fixture_text (v, "cfg.model.recompute_granularity");

  fixture_check (v, fields, G_N_ELEMENTS (fields));
  assert_says (v, written, "cfg.model");
  g_assert_cmpuint (fixture_number (v, "cfg.train.global_batch_size", 0)
                        % (fixture_number (v, "cfg.train.micro_batch_size", 1) * s->dp),
                    ==, 0);
  g_assert_cmpstr (fixture_text (v, "cfg.model.seq_length"), ==,
                   fixture_text (v, "cfg.dataset.seq_length"));
  if (s->pp > 1)
    g_assert_cmpstr (fixture_text (v, "cfg.model.pipeline_dtype"), ==, "torch.bfloat16");
  if (g_str_equal (fixture_text (v, "cfg.ddp.overlap_param_gather"), "True"))
    g_assert_cmpstr (fixture_text (v, "cfg.ddp.use_distributed_optimizer"), ==, "True");
  if (g_str_equal (granularity, "full"))
    g_assert_cmpstr (fixture_text (v, "cfg.model.recompute_method"), !=, "None");
  else
    g_assert_cmpstr (fixture_text (v, "cfg.model.recompute_method"), ==, "None");
  if (s->recompute == SW_RECOMPUTE_FULL_LAYERS) /* counted by virtual stage */
    g_assert_cmpuint (fixture_number (v, "cfg.model.recompute_num_layers", 0) * s->vpp, ==,
                      s->full_layers);
  if (s->sequence_parallel)
    g_assert_cmpuint (s->tp, >, 1);
}

static void
test_reference (void)
{
  g_auto (FixtureCase) written = { 0 };
  g_autoptr (GHashTable) values = NULL;

  if (!fixture_has_python ())
    return;
  fixture_case_init (&written, "llama-3-70b", 8, 4, 1);
  written.strategy.sequence_parallel = TRUE;
  written.strategy.vpp = 4;
  written.strategy.schedule = SW_SCHEDULE_INTERLEAVED;
  values = fixture_case_read (&written, SHARDWISE_FORMAT_MEGATRON_BRIDGE);
  fixture_check (values, fields, G_N_ELEMENTS (fields));
  /* A count of stages, not of layers. */
  g_assert_cmpstr (fixture_text (values, "cfg.model.virtual_pipeline_model_parallel_size"), ==,
                   "4");
  g_assert_true (g_hash_table_contains (
      values, "import megatron.bridge.recipes.llama.llama3.llama3_70b_pretrain_config"));
  fixture_compare_with_golden (fixture_file (written.files, "megatron_bridge.py"),
                               "megatron_bridge.py");
}

static const char *const models[] = { "llama-3-8b", "llama-3-70b",      "qwen3-30b-a3b",
                                      "qwen2-7b",   "deepseek-v2-lite", NULL };

static void
test_random (void)
{
  g_autoptr (GPtrArray) cases = NULL, tables = NULL;

  if (!fixture_has_python ())
    return;
  cases = fixture_random_cases (SHARDWISE_FORMAT_MEGATRON_BRIDGE, models, 2500);
  g_assert_cmpuint (cases->len, >, 60);
  tables = fixture_read_cases (cases);
  for (guint i = 0; i < cases->len; i++)
    assert_valid (tables->pdata[i], cases->pdata[i]);
}

/* Kimi K2's recipe has Muon, which refuses the distributed optimizer; Adam was predicted. */
static void
test_muon (void)
{
  g_auto (FixtureCase) written = { 0 };
  g_autoptr (GHashTable) values = NULL;

  if (!fixture_has_python ())
    return;
  fixture_case_init (&written, "kimi-k2", 1, 1, 32);
  values = fixture_case_read (&written, SHARDWISE_FORMAT_MEGATRON_BRIDGE);
  fixture_check (values, fields, G_N_ELEMENTS (fields));
  g_assert_nonnull (strstr (fixture_file (written.files, "megatron_bridge.py"),
                            "    cfg.optimizer, cfg.scheduler = "
                            "distributed_fused_adam_with_cosine_annealing()\n"));
  g_assert_true (g_hash_table_contains (values,
                                        "import megatron.bridge.recipes.utils.optimizer_utils."
                                        "distributed_fused_adam_with_cosine_annealing"));
}

/* Tuning has recipes of its own, which start from a checkpoint. */
static void
test_tuning (void)
{
  g_auto (FixtureCase) written = { 0 };
  g_autoptr (GHashTable) values = NULL, adapted = NULL;

  if (!fixture_has_python ())
    return;
  fixture_case_init (&written, "llama-3-8b", 1, 1, 32);
  written.problem.training.type = SW_TRAINING_FINETUNE;
  values = fixture_case_read (&written, SHARDWISE_FORMAT_MEGATRON_BRIDGE);
  fixture_check (values, fields, G_N_ELEMENTS (fields));
  g_assert_true (g_hash_table_contains (
      values, "import megatron.bridge.recipes.llama.llama3.llama3_8b_sft_config"));
  g_assert_nonnull (strstr (fixture_file (written.files, "megatron_bridge.py"),
                            "    finetune(config=build(), forward_step_func=forward_step)\n"));
  written.problem.training.type = SW_TRAINING_LORA;
  written.problem.training.lora_rank = 16;
  adapted = fixture_case_read (&written, SHARDWISE_FORMAT_MEGATRON_BRIDGE);
  fixture_check (adapted, fields, G_N_ELEMENTS (fields));
  g_assert_true (g_hash_table_contains (
      adapted, "import megatron.bridge.recipes.llama.llama3.llama3_8b_peft_config"));
  g_assert_cmpstr (fixture_text (adapted, "cfg.peft.dim"), ==, "16");
  g_assert_cmpstr (fixture_text (adapted, "cfg.peft.alpha"), ==, "32");
}

static void
test_random_nemo (void)
{
  g_autoptr (GPtrArray) cases = NULL, tables = NULL;

  if (!fixture_has_python ())
    return;
  cases = fixture_random_cases (SHARDWISE_FORMAT_NEMO, models, 2500);
  g_assert_cmpuint (cases->len, >, 30);
  tables = fixture_read_cases (cases);
  for (guint i = 0; i < cases->len; i++)
    {
      fixture_check (tables->pdata[i], nemo_fields, G_N_ELEMENTS (nemo_fields));
      assert_says (tables->pdata[i], cases->pdata[i], "strategy");
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/bridge/tuning", test_tuning);
  g_test_add_func ("/bridge/reference", test_reference);
  g_test_add_func ("/bridge/random", test_random);
  g_test_add_func ("/bridge/muon", test_muon);
  g_test_add_func ("/bridge/random-nemo", test_random_nemo);

  return g_test_run ();
}
