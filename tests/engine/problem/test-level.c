/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What recipes of the frameworks combine, and in what they differ by the kind of job. */
#include "sw-level.h"

#include "sw-fixture.h"

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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/level/shards-alone", test_shards_alone);
  g_test_add_func ("/level/modules", test_modules);
  return g_test_run ();
}
