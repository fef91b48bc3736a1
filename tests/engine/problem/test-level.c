/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What recipes of the frameworks combine, and in what they differ by the kind of job. */
#include "sw-level.h"

#include "sw-fixture.h"
#include "sw-framework.h"

static SwProblem
question (SwTrainingType type)
{
  SwProblem problem;

  sw_fixture_problem_70b (&problem);
  problem.training.type = type;
  return problem;
}

/* Layers and stages are split by Megatron-DeepSpeed, which trains anew; torchtune splits whole models
 * and no adapters; TorchTitan has stages on several nodes. */
static void
test_shards_alone (void)
{
  SwProblem anew = question (SW_TRAINING_PRETRAIN), tuned = question (SW_TRAINING_FINETUNE),
            adapted = question (SW_TRAINING_LORA);

  g_assert_true (sw_usual_tp (&anew, SW_FRAMEWORK_DEEPSPEED, 4));
  g_assert_true (sw_usual_pp (&anew, SW_FRAMEWORK_DEEPSPEED, 4));
  g_assert_false (sw_usual_tp (&tuned, SW_FRAMEWORK_DEEPSPEED, 4));
  g_assert_false (sw_usual_pp (&tuned, SW_FRAMEWORK_DEEPSPEED, 4));
  g_assert_true (sw_usual_tp (&tuned, SW_FRAMEWORK_FSDP2, 4));
  g_assert_false (sw_usual_tp (&adapted, SW_FRAMEWORK_FSDP2, 4));
  g_assert_false (sw_usual_pp (&tuned, SW_FRAMEWORK_FSDP2, 4));
  g_assert_true (sw_usual_tp (&adapted, SW_FRAMEWORK_MEGATRON_CORE, 4));
  g_assert_false (sw_usual_tp (&anew, SW_FRAMEWORK_FSDP, 2));
}

/* Recipes name modules of models with experts alone, and Megatron-Core's alone. */
static void
test_modules (void)
{
  SwProblem problem = question (SW_TRAINING_PRETRAIN);
  guint sets[SW_MOST_MODULE_SETS];

  g_assert_cmpuint (sw_usual_modules (&problem, SW_FRAMEWORK_MEGATRON_CORE, sets), ==, 1);
  g_assert_cmpuint (sets[0], ==, 0);
  sw_fixture_deepseek_v3 (&problem.model);
  g_assert_cmpuint (sw_usual_modules (&problem, SW_FRAMEWORK_MEGATRON_CORE, sets), ==, 4);
  g_assert_cmpuint (sets[1], ==, SW_MODULE_MLA_UP_PROJ);
  g_assert_cmpuint (sw_usual_modules (&problem, SW_FRAMEWORK_FSDP2, sets), ==, 1);
}

static gboolean
is_usual (const SwProblem *problem, SwFramework framework)
{
  SwFramework usual[SW_N_FRAMEWORKS];

  for (guint n = sw_usual_frameworks (problem, usual); n > 0; n--)
    if (usual[n - 1] == framework)
      return TRUE;
  return FALSE;
}

/* Nobody begins with what does not have the model, the training or the hardware. */
static void
test_frameworks (void)
{
  SwProblem problem = question (SW_TRAINING_FINETUNE);
  SwFramework usual[SW_N_FRAMEWORKS];

  problem.cluster.gpus = problem.cluster.gpus_per_node;
  g_strlcpy (problem.model.id, "llama-3-8b", sizeof problem.model.id);
  g_assert_true (is_usual (&problem, SW_FRAMEWORK_TORCHTUNE));
  g_assert_true (is_usual (&problem, SW_FRAMEWORK_FSDP2));
  g_assert_cmpuint (sw_usual_frameworks (&problem, usual), >, 1);
  g_assert_cmpuint (usual[0], !=, SW_FRAMEWORK_TORCHTUNE);
  /* Pairs of answers are a tool's. */
  problem.training.method = SW_METHOD_PREFERENCE;
  problem.training.algorithm = SW_ALGORITHM_DPO;
  g_assert_false (is_usual (&problem, SW_FRAMEWORK_FSDP2));
  g_assert_true (is_usual (&problem, SW_FRAMEWORK_HF_TRAINER));
  g_assert_true (is_usual (&problem, SW_FRAMEWORK_TORCHTUNE));
  /* On several nodes, too. */
  problem.cluster.gpus = 4 * problem.cluster.gpus_per_node;
  g_assert_true (is_usual (&problem, SW_FRAMEWORK_DEEPSPEED));
  g_assert_false (is_usual (&problem, SW_FRAMEWORK_FSDP2));
  g_assert_false (is_usual (&problem, SW_FRAMEWORK_MEGATRON_CORE));
  problem.cluster.gpus = problem.cluster.gpus_per_node;
  problem.training.algorithm = SW_ALGORITHM_ORPO;
  g_assert_false (is_usual (&problem, SW_FRAMEWORK_TORCHTUNE));
  problem.training.method = SW_METHOD_TOKENS;
  g_strlcpy (problem.model.id, "falcon-7b", sizeof problem.model.id);
  g_assert_false (is_usual (&problem, SW_FRAMEWORK_TORCHTUNE));
  problem.training.type = SW_TRAINING_RLHF;
  problem.training.rlhf_ppo = FALSE;
  g_assert_true (is_usual (&problem, SW_FRAMEWORK_HF_TRAINER));
  problem.training.rlhf_ppo = TRUE;
  g_assert_false (is_usual (&problem, SW_FRAMEWORK_HF_TRAINER));

  problem.cluster.gpus = 1;
  problem.training.type = SW_TRAINING_QLORA;
  g_assert_true (is_usual (&problem, SW_FRAMEWORK_UNSLOTH));
  problem.model.parallel_block = TRUE;
  g_assert_false (is_usual (&problem, SW_FRAMEWORK_UNSLOTH));

  /* Mixtures spread experts, but Megatron-Core has no quantized base. */
  problem.cluster.gpus = problem.cluster.gpus_per_node;
  sw_fixture_deepseek_v3 (&problem.model);
  g_assert_true (is_usual (&problem, SW_FRAMEWORK_FSDP2));
  g_assert_false (is_usual (&problem, SW_FRAMEWORK_MEGATRON_CORE));
  problem.training.type = SW_TRAINING_PRETRAIN;
  g_assert_true (is_usual (&problem, SW_FRAMEWORK_MEGATRON_CORE));
  g_assert_false (is_usual (&problem, SW_FRAMEWORK_NANOTRON));

  problem.training.type = SW_TRAINING_LORA;
  problem.cluster.gpu.generation = SW_GENERATION_CDNA;
  g_assert_true (is_usual (&problem, SW_FRAMEWORK_HF_TRAINER));
  problem.cluster.gpu.generation = SW_GENERATION_GAUDI;
  g_assert_cmpuint (sw_usual_frameworks (&problem, usual), >, 0);
  g_assert_cmpuint (usual[0], ==, SW_FRAMEWORK_DEEPSPEED);
}

/* TorchTitan spreads the experts of its own models, DeepSpeed those that AutoEP knows, and neither where
 * something else than the next token is learned. */
static void
test_experts (void)
{
  SwProblem problem = question (SW_TRAINING_PRETRAIN);

  sw_fixture_deepseek_v3 (&problem.model);
  g_strlcpy (problem.model.id, "deepseek-v3", sizeof problem.model.id);
  g_assert_true (sw_usual_ep (&problem, SW_FRAMEWORK_FSDP2, 8));
  g_assert_true (sw_usual_ep (&problem, SW_FRAMEWORK_DEEPSPEED, 8));
  g_strlcpy (problem.model.id, "mixtral-8x7b", sizeof problem.model.id);
  g_assert_false (sw_usual_ep (&problem, SW_FRAMEWORK_FSDP2, 8));
  g_assert_true (sw_usual_ep (&problem, SW_FRAMEWORK_FSDP2, 1));
  g_assert_false (sw_usual_tp (&problem, SW_FRAMEWORK_FSDP2, 2));
  g_assert_true (sw_usual_ep (&problem, SW_FRAMEWORK_DEEPSPEED, 8));
  g_assert_true (sw_usual_ep (&problem, SW_FRAMEWORK_MEGATRON_CORE, 8));
  problem.training.type = SW_TRAINING_FINETUNE;
  problem.training.method = SW_METHOD_PREFERENCE;
  g_assert_false (sw_usual_ep (&problem, SW_FRAMEWORK_DEEPSPEED, 8));
  g_strlcpy (problem.model.id, "qwen3-30b-a3b", sizeof problem.model.id);
  problem.training.type = SW_TRAINING_PRETRAIN;
  g_assert_false (sw_usual_pp (&problem, SW_FRAMEWORK_FSDP2, 2));
}

/* What Megatron-Core's options require: sequence parallelism and one node; virtual stages; GPUs, links
 * and a network that DeepEP knows, and experts on several nodes of eight. */
static void
test_features (void)
{
  SwProblem problem = question (SW_TRAINING_PRETRAIN);
  SwStrategy s;

  sw_strategy_init_default (&s);
  s.framework = SW_FRAMEWORK_MEGATRON_CORE;
  s.tp = 8;
  s.sequence_parallel = TRUE;
  g_assert_true (sw_framework_enables (&problem, &s, SW_FEATURE_ASYNC_TP));
  s.tp = 16;
  g_assert_false (sw_framework_enables (&problem, &s, SW_FEATURE_ASYNC_TP));
  s.tp = 1;
  s.ep = 16;
  s.pp = 4;
  s.vpp = 1;
  g_assert_false (sw_framework_enables (&problem, &s, SW_FEATURE_MOE_OVERLAP));
  s.vpp = 2;
  g_assert_true (sw_framework_enables (&problem, &s, SW_FEATURE_MOE_OVERLAP));
  s.recompute = SW_RECOMPUTE_FULL;
  g_assert_false (sw_framework_enables (&problem, &s, SW_FEATURE_MOE_OVERLAP));
  g_assert_false (sw_framework_enables (&problem, &s, SW_FEATURE_CUDA_GRAPHS));
  g_assert_true (sw_framework_enables (&problem, &s, SW_FEATURE_MOE_FORWARDING));
  s.ep = 8;
  g_assert_false (sw_framework_enables (&problem, &s, SW_FEATURE_MOE_FORWARDING));
  s.ep = 24;
  g_assert_false (sw_framework_enables (&problem, &s, SW_FEATURE_MOE_FORWARDING));
  s.ep = 16;
  problem.cluster.inter.lacks_verbs = TRUE;
  g_assert_false (sw_framework_enables (&problem, &s, SW_FEATURE_MOE_FORWARDING));
  problem.cluster.nvlink_domain = 72;
  problem.cluster.gpu.generation = SW_GENERATION_BLACKWELL;
  g_assert_true (sw_framework_enables (&problem, &s, SW_FEATURE_MOE_FORWARDING));
  problem.cluster.gpu.generation = SW_GENERATION_CDNA;
  g_assert_false (sw_framework_enables (&problem, &s, SW_FEATURE_MOE_FORWARDING));
  /* A stated feature, and one of a run that took place, are there whatever the rules say. */
  g_assert_false (sw_problem_enables (&problem, &s, SW_FEATURE_MOE_FORWARDING));
  sw_software_state_forwarding (&problem.training.software, TRUE);
  g_assert_true (sw_problem_enables (&problem, &s, SW_FEATURE_MOE_FORWARDING));
  problem.training.software = (SwSoftware){ 0, 0 };
  problem.training.layout_is_given = TRUE;
  g_assert_true (sw_problem_enables (&problem, &s, SW_FEATURE_MOE_FORWARDING));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/level/shards-alone", test_shards_alone);
  g_test_add_func ("/level/modules", test_modules);
  g_test_add_func ("/level/frameworks", test_frameworks);
  g_test_add_func ("/level/experts", test_experts);
  g_test_add_func ("/level/features", test_features);
  return g_test_run ();
}
