/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenario-fixture.h"
#include "shardwise-advice.h"
#include "shardwise-recipes.h"
#include "shardwise-resolve.h"
#include "sw-rules.h"

#include <string.h>

/* What is published and by our model or rules does not run as it stands: those of the memory target's
 * last percents, layouts that count embedding and head as layers of chunks of their own, and those
 * for which we predict more memory than there is. */
static const struct {
  const char *id;
  SwRule rule;
} refused[] = {
  { "nvidia-llama-3-8b-h100-8-fp8", SW_RULE_GPU_MEMORY },
  { "nvidia-llama-3.1-405b-b200-128", SW_RULE_VPP_LAYERS },
  { "nvidia-llama-3.1-405b-gb200-256-mxfp8", SW_RULE_VPP_LAYERS },
  { "nvidia-deepseek-v3-h100-1024", SW_RULE_VPP_LAYERS },
  { "nvidia-qwen3-30b-a3b-b200-8", SW_RULE_GPU_MEMORY },
  { "nvidia-gpt3-175b-h100-32", SW_RULE_GPU_MEMORY },
  { "nemo-mixtral-8x7b-64", SW_RULE_GPU_MEMORY },
  { "megatron-lm-llama-3-8b-h100-fp8", SW_RULE_GPU_MEMORY },
};

static SwRule
refusal_of (const char *id)
{
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    if (g_str_equal (refused[i].id, id))
      return refused[i].rule;
  return SW_RULE_OK;
}

static void
test_catalogue (void)
{
  GPtrArray *recipes = shardwise_recipes_get ();
  guint n_refused = 0;

  g_assert_cmpuint (recipes->len, >=, 50);
  for (guint i = 0; i < recipes->len; i++)
    {
      const ShardwisePublished *recipe = g_ptr_array_index (recipes, i);
      const SwStrategy *strategy = &recipe->estimate.strategy;

      g_test_message ("%s", recipe->id);
      g_assert_cmpint (recipe->estimate.rule, ==, refusal_of (recipe->id));
      n_refused += recipe->estimate.rule != SW_RULE_OK;
      g_assert_cmpuint (recipe->estimate.gpus_idle, ==, 0);
      g_assert_cmpuint (
          recipe->problem.training.global_batch % (strategy->dp * strategy->micro_batch), ==, 0);
      g_assert_true (
          shardwise_scenario_is_set (recipe->scenario, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE));
    }
  g_assert_cmpuint (n_refused, ==, G_N_ELEMENTS (refused));
}

#define SCENARIO                                                                                   \
  "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": "   \
  "8}, \"training\": {\"framework\": \"fsdp2\", \"global_batch_size\": 8}, \"strategy\": "         \
  "{\"tp\": 1, \"pp\": 1, \"micro_batch_size\": 1}}"

/* A broken file says where and what. */
static void
test_strict (void)
{
  static const struct {
    const char *json, *message; /* NULL: it is right */
  } cases[] = {
    { "{\"recipes\": [{\"id\": \"a\", \"by\": \"b\", \"source\": \"c\", \"scenario\": " SCENARIO
      "}]}",
      NULL },
    { "{\"recipes\": 1}", "recipes" },
    { "{\"recipes\": [1]}", "recipes[0]" },
    { "{\"recipes\": [{\"by\": \"b\", \"source\": \"c\", \"scenario\": " SCENARIO "}]}",
      "recipes[0].id" },
    { "{\"recipes\": [{\"id\": \"\", \"by\": \"b\", \"source\": \"c\", \"scenario\": " SCENARIO
      "}]}",
      "recipes[0].id" },
    { "{\"recipes\": [{\"id\": \"a\", \"by\": 1, \"source\": \"c\", \"scenario\": " SCENARIO "}]}",
      "recipes[0].by" },
    { "{\"recipes\": [{\"id\": \"a\", \"by\": \"b\", \"source\": \"c\"}]}", "recipes[0].scenario" },
    { "{\"recipes\": [{\"id\": \"a\", \"by\": \"b\", \"source\": \"c\", \"tokens_per_s\": 1, "
      "\"scenario\": " SCENARIO "}]}",
      "recipes[0].tokens_per_s" },
    { "{\"recipes\": [{\"id\": \"a\", \"by\": \"b\", \"source\": \"c\", \"scenario\": " SCENARIO
      "}, {\"id\": \"a\", \"by\": \"b\", \"source\": \"c\", \"scenario\": " SCENARIO "}]}",
      "a is there twice" },
    { "{\"recipes\": [{\"id\": \"a\", \"by\": \"b\", \"source\": \"c\", \"scenario\": "
      "{\"model\": {\"preset\": \"llama-9\"}}}]}",
      "model.preset" },
    { "{\"recipes\": [{\"id\": \"a\", \"by\": \"b\", \"source\": \"c\", \"scenario\": "
      "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", "
      "\"gpus\": 8}, \"training\": {\"framework\": \"fsdp2\"}}}]}",
      "strategy." },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) recipes = shardwise_recipes_read (cases[i].json, -1, &error);

      if (cases[i].message == NULL)
        {
          g_assert_no_error (error);
          g_assert_cmpuint (recipes->len, ==, 1);
          continue;
        }
      g_assert_null (recipes);
      g_assert_nonnull (error);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, cases[i].message));
    }
}

static guint
match (const char *model, const char *gpu, guint gpus, const char *type,
       const ShardwisePublished *out[SHARDWISE_MOST_RECIPES])
{
  g_autofree char *json =
      g_strdup_printf ("{\"model\": {\"preset\": \"%s\"}, \"cluster\": {\"gpu\": \"%s\", "
                       "\"gpus\": %u, \"gpus_per_node\": 8, \"inter_node\": \"infiniband\"}, "
                       "\"training\": {\"type\": \"%s\"}}",
                       model, gpu, gpus, type);
  g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
  g_autoptr (GError) error = NULL;
  SwProblem problem;

  shardwise_scenario_resolve (scenario, &problem, NULL, &error);
  g_assert_no_error (error);
  return shardwise_recipes_match (&problem, out);
}

/* The same model and GPU, the nearest number of GPUs up to four times away; one of each publisher. */
static void
test_match (void)
{
  const ShardwisePublished *out[SHARDWISE_MOST_RECIPES];

  g_assert_cmpuint (match ("llama-3-70b", "h100-80-sxm", 64, "pretrain", out), >=, 1);
  g_assert_cmpstr (out[0]->id, ==, "nvidia-llama-3-70b-h100-64");
  g_assert_cmpuint (match ("llama-3.1-70b", "h100-80-sxm", 32, "pretrain", out), >=, 1);
  g_assert_cmpstr (out[0]->by, ==, "NVIDIA"); /* of the same size */
  for (guint i = 0; i < match ("llama-3-70b", "h100-80-sxm", 512, "pretrain", out); i++)
    g_assert_cmpuint (out[i]->problem.cluster.gpus, >=, 128);
  g_assert_cmpuint (match ("llama-3-70b", "rtx-4090", 64, "pretrain", out), ==, 0);
  g_assert_cmpuint (match ("llama-3-8b", "rtx-4090", 1, "qlora", out), ==, 2);
  g_assert_cmpstr (out[0]->by, !=, out[1]->by);
  g_assert_cmpuint (match ("mixtral-8x7b", "a100-80-sxm", 64, "pretrain", out), >=, 1);
  g_assert_true (out[0]->any_gpu);
  g_assert_cmpuint (match ("llama-3-8b", "h100-80-sxm", 8, "rlhf", out), ==, 0);
}

/* They are listed beside the advice, the convention first. Applying one gives the listed
 * strategy. */
static void
test_usual (void)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_of (SCENARIO_70B_32 (""));
  const ShardwiseAdviceOptions options = { .top = 3 };
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseAdvice) advice = shardwise_advice_compute (scenario, &options, NULL, &error);
  GPtrArray *all = shardwise_advice_get_usual (advice);

  g_assert_no_error (error);
  g_assert_cmpuint (all->len, >=, 2);
  for (guint i = 0; i < all->len; i++)
    {
      const ShardwiseUsual *usual = g_ptr_array_index (all, i);
      g_autoptr (ShardwiseScenario) pinned = shardwise_scenario_copy (scenario);
      SwProblem problem;
      SwEstimate estimate;

      g_assert_true ((usual->recipe == NULL) == (i == 0));
      g_assert_true (*usual->name != '\0' && *usual->text != '\0');
      g_assert_true (shardwise_scenario_apply (pinned, usual->changes, &error));
      g_assert_no_error (error);
      g_assert_true (shardwise_estimate_scenario (pinned, &problem, &estimate, NULL, &error));
      g_assert_no_error (error);
      g_assert_cmpfloat_with_epsilon (estimate.time.step_s, usual->estimate.time.step_s, 1e-9);
      g_assert_true (usual->estimate.fits || !estimate.fits); /* by all of the memory */
      if (usual->estimate.fits)
        g_assert_true (g_str_has_prefix (usual->text, "Predicted: "));
      else
        g_assert_true (g_str_has_prefix (usual->text, "By our estimate, it does not fit: it needs ")
                       || g_str_has_prefix (usual->text, "It may fit: by our estimate, "));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recipes/catalogue", test_catalogue);
  g_test_add_func ("/recipes/strict", test_strict);
  g_test_add_func ("/recipes/match", test_match);
  g_test_add_func ("/recipes/usual", test_usual);
  return g_test_run ();
}
