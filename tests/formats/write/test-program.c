/* SPDX-License-Identifier: GPL-3.0-or-later */
/* train.py: it is there wherever the framework brings no program, it is Python, and what starts it
 * names it. What it does is run by tests/formats/run. */
#include "rules-fixture.h"

#define CONTAINS(text, part) g_assert_nonnull (strstr (text, part))

typedef struct {
  ShardwiseFormat format;
  SwFramework profile;
} Target;

static void
test_random (gconstpointer data)
{
  static const char *const models[] = { "llama-3-8b", "llama-3.2-1b", "mixtral-8x7b", "gpt2-xl",
                                        "deepseek-v3" };
  const Target *target = data;
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < 2000 && texts->len < 60; i++)
    {
      SwProblem problem;
      SwStrategy strategy;
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseExport) files = NULL;
      const char *program, *launch;

      fixture_problem (models[g_test_rand_int_range (0, G_N_ELEMENTS (models))], 16, &problem);
      problem.training.optimizer = (SwOptimizer) g_test_rand_int_range (0, SW_OPTIMIZER_LION + 1);
      problem.training.type = (SwTrainingType) g_test_rand_int_range (0, SW_TRAINING_RLHF + 1);
      problem.training.framework = target->profile;
      fixture_random_strategy (&problem, &strategy);
      strategy.framework = (guint8) target->profile;
      files = fixture_write (target->format, &problem, &strategy, &error);
      if (files == NULL)
        continue;
      shardwise_export_bundle (files, SHARDWISE_FORMAT_TORCHRUN);
      program = fixture_file (files, "train.py");
      launch = fixture_file (files, "launch.sh");
      CONTAINS (program, "\nDATA = \"data.jsonl\"  # your data set");
      CONTAINS (program, "\n    main()\n");
      CONTAINS (launch, "    train.py\n");
      CONTAINS (fixture_file (files, "README.md"), "`train.py`");
      g_assert_true (fixture_python_is_balanced (program));
      g_ptr_array_add (texts, g_strdup (program));
    }
  g_assert_cmpuint (texts->len, >, 10);
  g_assert_true (fixture_python_compiles (texts));
}

/* A known model by its name, another by its dimensions, and one that neither is known of as the
 * user's own. */
static void
test_models (void)
{
  g_auto (FixtureCase) written = { 0 };
  const char *text;

  fixture_case_init (&written, "llama-3-8b", 1, 1, 8);
  written.strategy.zero_stage = 3;
  fixture_case_write (&written, SHARDWISE_FORMAT_FSDP2);
  shardwise_export_bundle (written.files, SHARDWISE_FORMAT_TORCHRUN);
  text = fixture_file (written.files, "train.py");
  CONTAINS (text, "MODEL = TOKENIZER = \"meta-llama/Meta-Llama-3-8B\"");
  CONTAINS (text, "AutoModelForCausalLM.from_config(CONFIG");
  written.problem.training.type = SW_TRAINING_FINETUNE;
  fixture_case_write (&written, SHARDWISE_FORMAT_FSDP2);
  shardwise_export_bundle (written.files, SHARDWISE_FORMAT_TORCHRUN);
  CONTAINS (fixture_file (written.files, "train.py"), "AutoModelForCausalLM.from_pretrained(MODEL");
  CONTAINS (fixture_file (written.files, "train_fsdp2.py"), "lr=1e-5,"); /* not that from scratch */
  CONTAINS (fixture_file (written.files, "README.md"), "starts from: train.py loads it;");
  written.problem.training.type = SW_TRAINING_PRETRAIN;
  g_strlcpy (written.problem.model.id, "", sizeof written.problem.model.id);
  fixture_case_write (&written, SHARDWISE_FORMAT_FSDP2);
  shardwise_export_bundle (written.files, SHARDWISE_FORMAT_TORCHRUN);
  text = fixture_file (written.files, "train.py");
  CONTAINS (text, "AutoConfig.for_model(\n    \"llama\",\n    hidden_size=4096,");
  CONTAINS (text, "TOKENIZER = \"tokenizer\"");
}

/* Where a scale is not written, PEFT takes 8 whatever the rank; frozen 4-bit weights are stored in
 * the type of the others, or FSDP does not shard them. */
static void
test_adapters (void)
{
  g_auto (FixtureCase) written = { 0 };

  fixture_case_init (&written, "deepseek-v3", 1, 1, 8);
  written.strategy.zero_stage = 3;
  written.problem.training.type = SW_TRAINING_QLORA;
  written.problem.training.lora_rank = 64;
  written.problem.training.lora_all_linear = FALSE;
  CONTAINS (fixture_case_write (&written, SHARDWISE_FORMAT_FSDP2), "lora_alpha=128,");
  CONTAINS (fixture_case_write (&written, SHARDWISE_FORMAT_FSDP2),
            "target_modules=[\"q_a_proj\", \"q_b_proj\", \"kv_a_proj_with_mqa\", "
            "\"kv_b_proj\", \"o_proj\"]");
  shardwise_export_bundle (written.files, SHARDWISE_FORMAT_TORCHRUN);
  CONTAINS (fixture_file (written.files, "train.py"), "bnb_4bit_quant_storage=torch.bfloat16");
  CONTAINS (fixture_file (written.files, "train.py"), "device_map=");
  fixture_case_write (&written, SHARDWISE_FORMAT_DEEPSPEED);
  CONTAINS (fixture_file (written.files, "ds_setup.py"), "lora_alpha=128,");
  /* Under ZeRO 3, transformers refuses a place for the weights. */
  shardwise_export_bundle (written.files, SHARDWISE_FORMAT_TORCHRUN);
  CONTAINS (fixture_file (written.files, "train.py"), "load_in_4bit=True");
  g_assert_null (strstr (fixture_file (written.files, "train.py"), "device_map="));
}

/* Each stage has its own copy of a weight that embedding and head share; what the embedding
 * computes cannot be recomputed, for its input has no gradient. */
static void
test_pipeline (void)
{
  g_auto (FixtureCase) written = { 0 };
  const char *program;

  fixture_case_init (&written, "llama-3.2-1b", 1, 2, 8);
  written.problem.training.framework = SW_FRAMEWORK_DEEPSPEED;
  written.strategy.framework = (guint8) SW_FRAMEWORK_DEEPSPEED;
  written.strategy.zero_stage = 1;
  written.strategy.recompute = SW_RECOMPUTE_FULL;
  fixture_case_write (&written, SHARDWISE_FORMAT_DEEPSPEED);
  CONTAINS (fixture_file (written.files, "ds_setup.py"), "checkpointable_layers=[layer_class],");
  shardwise_export_bundle (written.files, SHARDWISE_FORMAT_TORCHRUN);
  program = fixture_file (written.files, "train.py");
  CONTAINS (program, "TiedLayerSpec(\"embedding\", Embedding, model, forward_fn=head, **options)");
  g_assert_null (strstr (program, "class Head("));
  written.strategy.recompute = SW_RECOMPUTE_NONE;
  fixture_case_write (&written, SHARDWISE_FORMAT_DEEPSPEED);
  g_assert_null (strstr (fixture_file (written.files, "ds_setup.py"), "checkpointable_layers"));
}

int
main (int argc, char **argv)
{
  static const Target targets[] = {
    { SHARDWISE_FORMAT_FSDP1, SW_FRAMEWORK_FSDP },
    { SHARDWISE_FORMAT_FSDP2, SW_FRAMEWORK_FSDP2 },
    { SHARDWISE_FORMAT_DEEPSPEED, SW_FRAMEWORK_DEEPSPEED },
    { SHARDWISE_FORMAT_ACCELERATE, SW_FRAMEWORK_FSDP },
    { SHARDWISE_FORMAT_ACCELERATE, SW_FRAMEWORK_FSDP2 },
    { SHARDWISE_FORMAT_ACCELERATE, SW_FRAMEWORK_DEEPSPEED },
    { SHARDWISE_FORMAT_ACCELERATE, SW_FRAMEWORK_MEGATRON_CORE },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    {
      g_autofree char *path = g_strdup_printf ("/program/random/%s/%s",
                                               shardwise_format_info (targets[i].format)->id,
                                               sw_framework_names[targets[i].profile]);

      g_test_add_data_func (path, &targets[i], test_random);
    }
  g_test_add_func ("/program/models", test_models);
  g_test_add_func ("/program/adapters", test_adapters);
  g_test_add_func ("/program/pipeline", test_pipeline);

  return g_test_run ();
}
