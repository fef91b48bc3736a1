/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The framework as a part of the answer. */
#include "scenario-fixture.h"
#include "shardwise-advice.h"
#include "shardwise-text-strategy.h"
#include "shardwise-trade.h"

#include <string.h>

#define JOB(model, cluster, training)                                                              \
  "{\"model\": {\"preset\": \"" model "\"}, \"cluster\": {" cluster "}, \"training\": {" training  \
  "}}"

static const struct {
  const char *json;
  SwFramework usual[4]; /* some that must be in question; ends with ANY */
} jobs[] = {
  { JOB ("llama-3-70b", "\"gpus\": 64", ""),
    { SW_FRAMEWORK_MEGATRON_CORE, SW_FRAMEWORK_FSDP2, SW_FRAMEWORK_DEEPSPEED,
      SW_FRAMEWORK_NANOTRON } },
  { JOB ("llama-3-8b", "\"gpus\": 8", "\"type\": \"finetune\""),
    { SW_FRAMEWORK_TORCHTUNE, SW_FRAMEWORK_DEEPSPEED, SW_FRAMEWORK_HF_TRAINER } },
  { JOB ("llama-3-70b", "\"gpu\": \"rtx-3090\", \"gpus\": 2", "\"type\": \"qlora\""),
    { SW_FRAMEWORK_TORCHTUNE, SW_FRAMEWORK_DEEPSPEED, SW_FRAMEWORK_HF_TRAINER } },
  { JOB ("llama-3-8b", "\"gpu\": \"rtx-4090\", \"gpus\": 1", "\"type\": \"qlora\""),
    { SW_FRAMEWORK_UNSLOTH, SW_FRAMEWORK_HF_TRAINER, SW_FRAMEWORK_TORCHTUNE } },
  { JOB ("llama-3-8b", "\"gpus\": 8", "\"type\": \"rlhf\", \"rlhf\": {\"algorithm\": \"grpo\"}"),
    { SW_FRAMEWORK_VERL, SW_FRAMEWORK_OPENRLHF, SW_FRAMEWORK_HF_TRAINER } },
  { JOB ("llama-3-70b", "\"gpu\": \"mi300x\", \"gpus\": 16", ""),
    { SW_FRAMEWORK_MEGATRON_CORE, SW_FRAMEWORK_FSDP2 } },
  { JOB ("mixtral-8x7b", "\"gpus\": 32", ""), { SW_FRAMEWORK_MEGATRON_CORE, SW_FRAMEWORK_FSDP2 } },
  { JOB ("llama-3.1-405b", "\"gpus\": 8", ""), { SW_FRAMEWORK_MEGATRON_CORE } },
};

static ShardwiseAdvice *
advise (ShardwiseScenario *scenario)
{
  const ShardwiseAdviceOptions options = { .top = 5, .explain = TRUE };
  g_autoptr (GError) error = NULL;
  ShardwiseAdvice *advice = shardwise_advice_compute (scenario, &options, NULL, &error);

  g_assert_no_error (error);
  return advice;
}

static const ShardwiseFrameworkChoice *
find (GArray *choices, SwFramework framework)
{
  for (guint i = 0; i < choices->len; i++)
    if (g_array_index (choices, ShardwiseFrameworkChoice, i).framework == framework)
      return &g_array_index (choices, ShardwiseFrameworkChoice, i);
  return NULL;
}

/* The answer is the first of the table: none that is as sure is faster by more than a tenth, and none
 * is surer. */
static void
test_choice (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    {
      g_autoptr (ShardwiseScenario) scenario = scenario_of (jobs[i].json);
      g_autoptr (ShardwiseAdvice) advice = advise (scenario);
      GArray *choices = shardwise_advice_get_frameworks (advice);
      const ShardwiseFrameworkChoice *first = &g_array_index (choices, ShardwiseFrameworkChoice, 0);
      const SwEstimate *recommended = shardwise_advice_get_recommended (advice);

      g_assert_cmpuint (choices->len, >=, 2);
      /* The class is what the estimate shows. */
      g_assert_true ((first->class != SW_START_NONE) == recommended->fits);
      g_assert_true ((first->class == SW_START_TIGHT || first->class == SW_START_SAFE)
                     == (recommended->fits && recommended->level != SW_LEVEL_UNTRIED));
      if (first->class == SW_START_SAFE)
        g_assert_cmpint (recommended->fit, ==, SW_FIT_FITS);
      g_assert_cmpuint (recommended->strategy.framework, ==, first->framework);
      g_assert_true (sw_strategy_equal (&recommended->strategy, &first->estimate.strategy));
      g_assert_cmpuint (shardwise_advice_get_problem (advice)->training.framework, ==,
                        first->framework);
      for (guint j = 0; j < 4 && jobs[i].usual[j] != SW_FRAMEWORK_ANY; j++)
        g_assert_nonnull (find (choices, jobs[i].usual[j]));
      for (guint j = 1; j < choices->len; j++)
        {
          const ShardwiseFrameworkChoice *other = &g_array_index (choices, ShardwiseFrameworkChoice,
                                                                  j);

          g_assert_cmpint (other->class, <=, first->class);
          if (first->class != SW_START_NONE && other->class == first->class)
            g_assert_cmpfloat (other->estimate.tokens_per_s, <,
                               1.101 * first->estimate.tokens_per_s);
        }
      if (shardwise_advice_get_fits (advice))
        g_assert_nonnull (strstr (shardwise_advice_get_verdict (advice),
                                  shardwise_text_framework (first->framework)));
      else
        g_assert_nonnull (strstr (shardwise_advice_get_verdict (advice), "all usual frameworks"));
    }
}

/* Each row is what its framework answers when it is named. */
static void
test_rows (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    {
      g_autoptr (ShardwiseScenario) scenario = scenario_of (jobs[i].json);
      g_autoptr (ShardwiseAdvice) advice = advise (scenario);
      GArray *choices = shardwise_advice_get_frameworks (advice);

      for (guint j = 0; j < choices->len; j++)
        {
          const ShardwiseFrameworkChoice *choice = &g_array_index (choices,
                                                                   ShardwiseFrameworkChoice, j);
          g_autofree char *name = g_strdup_printf ("'%s'", sw_framework_names[choice->framework]);
          g_autoptr (ShardwiseScenario) named = shardwise_scenario_copy (scenario);
          g_autoptr (ShardwiseAdvice) of_name = NULL;

          scenario_set (named, SHARDWISE_KEY_TRAINING_FRAMEWORK, name);
          of_name = advise (named);
          g_assert_cmpuint (shardwise_advice_get_frameworks (of_name)->len, ==, 0);
          if (choice->has_strategy)
            g_assert_true (sw_strategy_equal (&shardwise_advice_get_recommended (of_name)->strategy,
                                              &choice->estimate.strategy));
        }
    }
}

/* What does not fit in one framework and does in another is not said to need more GPUs. */
static void
test_fits_elsewhere (void)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_of (
      JOB ("llama-3-70b", "\"gpu\": \"rtx-4090\", \"gpus\": 2", "\"type\": \"qlora\""));
  g_autoptr (ShardwiseAdvice) advice = advise (scenario);
  guint n;
  const SwLeastGpus *least = shardwise_advice_get_least (advice, &n);

  g_assert_true (shardwise_advice_get_fits (advice));
  g_assert_cmpuint (n, >, 0);
  g_assert_cmpuint (least[n - 1].gpus, <=, 2);
}

/* A framework that is named, and would not have been chosen, is the first warning, with its undoing. */
static void
test_named (void)
{
  g_autoptr (ShardwiseScenario) scenario =
      scenario_of (JOB ("llama-3-70b", "\"gpus\": 64", "\"framework\": \"deepspeed\""));
  g_autoptr (ShardwiseAdvice) advice = advise (scenario), open = NULL;
  const ShardwiseRecommendation *first =
      g_ptr_array_index (shardwise_advice_get_recommendations (advice), 0);

  g_assert_cmpstr (first->code, ==, "framework-costs");
  g_assert_true (shardwise_scenario_apply (scenario, first->changes, NULL));
  open = advise (scenario);
  g_assert_cmpuint (shardwise_advice_get_frameworks (open)->len, >=, 2);
  g_assert_nonnull (strstr (
      first->text,
      shardwise_text_framework (shardwise_advice_get_recommended (open)->strategy.framework)));
}

/* The next best are other splits, and say truly what they have over the recommended strategy. */
static void
test_trades (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    {
      g_autoptr (ShardwiseScenario) scenario = scenario_of (jobs[i].json);
      g_autoptr (ShardwiseAdvice) advice = advise (scenario);
      const SwEstimate *best = shardwise_advice_get_recommended (advice);
      gboolean has_ended = FALSE;

      if (!shardwise_advice_get_fits (advice))
        continue;
      for (guint j = 0; j < shardwise_advice_get_n_alternatives (advice); j++)
        {
          const SwEstimate *other = shardwise_advice_get_alternative (advice, j);
          const SwStrategy *a = &best->strategy, *b = &other->strategy;
          const guint trades = shardwise_trades (best, other);
          g_autofree char *text = shardwise_text_trades (best, other);

          g_assert_true (a->framework != b->framework || a->tp != b->tp || a->pp != b->pp
                         || a->dp != b->dp || a->cp != b->cp || a->ep != b->ep
                         || a->zero_stage != b->zero_stage);
          g_assert_true ((text == NULL) == (trades == 0));
          has_ended |= trades == 0;
          g_assert_true (trades == 0 || !has_ended); /* those that buy something come first */
          if ((trades & SHARDWISE_TRADE_MEMORY) != 0)
            g_assert_cmpfloat (other->memory.peak.total, <, best->memory.peak.total);
          if ((trades & SHARDWISE_TRADE_FASTER) != 0)
            g_assert_cmpfloat (other->tokens_per_s, >, best->tokens_per_s);
          if ((trades & SHARDWISE_TRADE_NO_PP) != 0)
            g_assert_cmpuint (b->pp, ==, 1);
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/frameworks/choice", test_choice);
  g_test_add_func ("/frameworks/rows", test_rows);
  g_test_add_func ("/frameworks/fits-elsewhere", test_fits_elsewhere);
  g_test_add_func ("/frameworks/named", test_named);
  g_test_add_func ("/frameworks/trades", test_trades);
  return g_test_run ();
}
