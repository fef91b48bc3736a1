/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenario-fixture.h"
#include "shardwise-advice.h"
#include "shardwise-estimate.h"
#include "shardwise-estimate.h"
#include "shardwise-json.h"
#include "shardwise-sizing.h"
#include "shardwise-changes.h"
#include "shardwise-format.h"
#include "shardwise-advice-json.h"
#include "sw-estimate.h"

#include <math.h>
#include <string.h>

static ShardwiseAdvice *
advise (const char *json, ShardwiseMethod method)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
  const ShardwiseAdviceOptions options = { .method = method, .top = 5, .explain = TRUE };
  g_autoptr (GError) error = NULL;
  ShardwiseAdvice *advice = shardwise_advice_compute (scenario, &options, NULL, &error);

  g_assert_no_error (error);
  return advice;
}

static const char llama_32[] =
    "{\"model\": {\"preset\": \"llama-3-70b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", "
    "\"gpus\": 32, \"gpus_per_node\": 8, \"inter_node\": \"infiniband\"},"
    " \"training\": {\"sequence_length\": 8192, \"global_batch_size\": 128, \"micro_batch_size\": "
    "4, \"tokens\": 1e11}, \"cost\": {\"price\": 2.5}}";
static const char llama_64[] =
    "{\"model\": {\"preset\": \"llama-3-70b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", "
    "\"gpus\": 64, \"gpus_per_node\": 8, \"inter_node\": \"infiniband\"},"
    " \"training\": {\"sequence_length\": 8192, \"global_batch_size\": 128, "
    "\"micro_batch_size\": 4}}";
/* m = global batch / (DP x micro-batch) = 64 / (2 x 4) = 8 at the winner's DP */
static const char score_64[] =
    "{\"model\": {\"parameters_b\": 70}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 64},"
    " \"training\": {\"global_batch_size\": 64}}";
static const char hopeless[] =
    "{\"model\": {\"preset\": \"llama-3.1-405b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", "
    "\"gpus\": 8}, \"training\": {\"sequence_length\": 8192}}";

/* Published: TP 8, PP 4, DP 1, ZeRO 1, SP on, CP 1, 20 layers per stage, gradient accumulation
 * 32. */
static void
test_playbook (void)
{
  g_autoptr (ShardwiseAdvice) small = advise (llama_32, SHARDWISE_METHOD_PLAYBOOK),
                              big = advise (llama_64, SHARDWISE_METHOD_PLAYBOOK);
  const SwEstimate *estimate = shardwise_advice_get_recommended (small);

  g_assert_true (shardwise_advice_get_fits (small));
  g_assert_cmpuint (estimate->strategy.tp, ==, 8);
  g_assert_cmpuint (estimate->strategy.pp, ==, 4);
  g_assert_cmpuint (estimate->strategy.dp, ==, 1);
  g_assert_cmpuint (estimate->strategy.cp, ==, 1);
  g_assert_cmpuint (estimate->strategy.zero_stage, ==, 1);
  g_assert_true (estimate->strategy.sequence_parallel);
  g_assert_cmpuint (estimate->gradient_accumulation, ==, 32);
  g_assert_cmpuint (sw_stage_layers (shardwise_advice_get_problem (small), &estimate->strategy, 0),
                    ==, 20);
  estimate = shardwise_advice_get_recommended (big);
  g_assert_cmpuint (estimate->strategy.tp, ==, 8);
  g_assert_cmpuint (estimate->strategy.pp, ==, 4);
  g_assert_cmpuint (estimate->strategy.dp, ==, 2);
}

/* Published: TP 8, PP 4, DP 2 at a target of 80 % with m = 8; compute utilisation 0.507. */
static void
test_quick_score (void)
{
  g_autoptr (ShardwiseAdvice) advice = advise (score_64, SHARDWISE_METHOD_QUICK_SCORE);
  const SwQuickScoreResult *result = shardwise_advice_get_quick_score (advice);

  g_assert_true (shardwise_advice_get_fits (advice));
  g_assert_cmpfloat (shardwise_advice_get_problem (advice)->training.memory_target, ==, 0.8);
  g_assert_cmpuint (shardwise_advice_get_problem (advice)->training.micro_batch, ==, 4);
  g_assert_cmpuint (result->best.tp, ==, 8);
  g_assert_cmpuint (result->best.pp, ==, 4);
  g_assert_cmpuint (result->best.dp, ==, 2);
  g_assert_cmpfloat_with_epsilon (result->best.compute_utilisation, 0.507, 0.0005);
  g_assert_cmpuint (shardwise_advice_get_recommended (advice)->strategy.tp, ==, 8);
  g_assert_cmpuint (shardwise_advice_get_n_alternatives (advice), ==, result->n_alternatives);
}

/* Without a global batch the published m is 8, whatever DP; the estimate has our default batch. */
static void
test_quick_score_default (void)
{
  g_autoptr (ShardwiseAdvice) advice =
      advise ("{\"model\": {\"parameters_b\": 70}, \"cluster\": {\"gpu\": \"h100-80-sxm\", "
              "\"gpus\": 64}}",
              SHARDWISE_METHOD_QUICK_SCORE);
  const SwQuickScoreResult *result = shardwise_advice_get_quick_score (advice);

  g_assert_cmpuint (result->best.micro_batches, ==, 8);
  g_assert_cmpuint (result->best.tp, ==, 8);
  g_assert_cmpuint (result->best.pp, ==, 4);
  g_assert_cmpuint (result->best.dp, ==, 2);
  g_assert_cmpfloat_with_epsilon (result->best.compute_utilisation, 0.507, 0.0005);
  g_assert_cmpuint (shardwise_advice_get_problem (advice)->training.global_batch, ==, 256);
  g_assert_cmpuint (shardwise_advice_get_recommended (advice)->gradient_accumulation, ==, 32);
}

/* What differs in chunks, methods and switches alone is no choice. */
static gboolean
same_split (const SwStrategy *a, const SwStrategy *b)
{
  return a->tp == b->tp && a->pp == b->pp && a->dp == b->dp && a->cp == b->cp && a->ep == b->ep
         && a->zero_stage == b->zero_stage && a->framework == b->framework;
}

static void
test_analytical (void)
{
  guint n;
  g_autoptr (ShardwiseAdvice) advice = advise (llama_32, SHARDWISE_METHOD_ANALYTICAL);
  const SwEstimate *best = shardwise_advice_get_recommended (advice);
  const char *currency;
  ShardwiseCostInputs inputs;
  ShardwiseCost cost;
  double days = 1e11 / best->tokens_per_s / 86400;
  g_autoptr (ShardwiseScenario) scenario = scenario_of (llama_32);

  shardwise_cost_inputs_read (scenario, shardwise_advice_get_problem (advice), &inputs);
  shardwise_cost_compute (&inputs, shardwise_advice_get_problem (advice), best, &cost);
  g_assert_cmpfloat (cost.goodput.ratio, <, 1);
  days /= cost.goodput.ratio; /* checkpoints and interruptions */

  g_assert_true (shardwise_advice_get_fits (advice));
  g_assert_true (best->fits);
  g_assert_cmpfloat (best->memory.peak.total, <=, 0.9 * best->usable_bytes);
  g_assert_cmpfloat_with_epsilon (shardwise_advice_get_days (advice), days, 1e-9 * days);
  g_assert_cmpfloat_with_epsilon (shardwise_advice_get_cost (advice, &currency),
                                  days * 24 * 32 * 2.5, 1e-6 * days * 2000);
  g_assert_cmpstr (currency, ==, "USD");
  n = shardwise_advice_get_n_alternatives (advice);
  g_assert_cmpuint (n, >=, 3);
  g_assert_cmpuint (n, <=, 5);
  for (guint i = 0; i < n; i++)
    {
      const SwEstimate *other = shardwise_advice_get_alternative (advice, i);

      g_assert_true (other->fits);
      g_assert_false (same_split (&other->strategy, &best->strategy));
      for (guint j = 0; j < i; j++)
        g_assert_false (
            same_split (&other->strategy, &shardwise_advice_get_alternative (advice, j)->strategy));
      g_assert_cmpint (other->level, !=, SW_LEVEL_UNTRIED);
      g_assert_cmpfloat (other->tokens_per_s, <=,
                         best->tokens_per_s * 1.031); /* within 3 % simplicity decides */
    }
  g_assert_null (shardwise_advice_get_alternative (advice, n));
  g_assert_cmpuint (shardwise_advice_get_rationale (advice)->len, >=, 5);
  g_assert_cmpuint (shardwise_advice_get_steps (advice)->len, ==, 3);
  g_assert_cmpuint (shardwise_advice_get_ways_out (advice)->len, ==, 0);
  g_assert_cmpuint (shardwise_advice_get_least_gpus (advice), <=, 32);
  g_assert_cmpuint (shardwise_advice_get_least_gpus (advice), >, 0);
  g_assert_nonnull (shardwise_advice_get_nearest_run (advice));
  g_assert_cmpfloat (shardwise_advice_get_nearest_run (advice)->measured_step_s, >, 0);
}

static void
test_rationale (void)
{
  g_autoptr (ShardwiseAdvice) advice = advise (llama_32, SHARDWISE_METHOD_ANALYTICAL);
  GPtrArray *rationale = shardwise_advice_get_rationale (advice);

  for (guint i = 0; i < rationale->len; i++)
    {
      const ShardwiseRationale *reason = g_ptr_array_index (rationale, i);
      guint chosen = 0;

      g_assert_cmpuint (strlen (reason->text), >, 20);
      for (guint j = 0; j < reason->rows->len; j++)
        {
          const ShardwiseNeighbourRow *row = g_ptr_array_index (reason->rows, j);

          g_assert_nonnull (row->value);
          g_assert_nonnull (row->reason);
          chosen += row->neighbour.chosen;
        }
      g_assert_cmpuint (chosen, ==, 1);
    }
}

/* Each way out, applied to the scenario, leads to a strategy that fits. */
static void
test_ways_out (void)
{
  g_autoptr (ShardwiseAdvice) advice = advise (hopeless, SHARDWISE_METHOD_ANALYTICAL);
  GPtrArray *ways = shardwise_advice_get_ways_out (advice);
  const ShardwiseAdviceOptions options = { .top = 1 };

  g_assert_false (shardwise_advice_get_fits (advice));
  g_assert_false (shardwise_advice_get_recommended (advice)->fits);
  g_assert_cmpfloat (shardwise_advice_get_recommended (advice)->missing_bytes, >, 0);
  g_assert_cmpuint (shardwise_advice_get_least_gpus (advice), >, 8);
  g_assert_cmpuint (ways->len, >, 0);
  g_assert_cmpuint (shardwise_advice_get_misses (advice)->len, >, 2);
  g_assert_cmpfloat (shardwise_advice_get_days (advice), ==, 0);
  for (guint i = 0; i < ways->len; i++)
    {
      const ShardwiseWayOut *way = g_ptr_array_index (ways, i);
      g_autoptr (ShardwiseScenario) scenario = scenario_of (hopeless);
      g_autoptr (ShardwiseAdvice) changed = NULL;

      g_assert_true (way->result.fits);
      g_assert_true (shardwise_scenario_apply (scenario, way->changes, NULL));
      changed = shardwise_advice_compute (scenario, &options, NULL, NULL);
      g_assert_true (shardwise_advice_get_fits (changed));
    }
}

/* The headline of what does not fit is the answer; the least numbers name what they take. */
static void
test_least (void)
{
  g_autoptr (ShardwiseAdvice) advice = advise (hopeless, SHARDWISE_METHOD_ANALYTICAL);
  guint n;
  const SwLeastGpus *least = shardwise_advice_get_least (advice, &n);
  g_autofree char *numbers = shardwise_text_least (least, n), *headline = NULL;

  g_assert_cmpuint (n, >, 1);
  g_assert_cmpuint (least[0].gpus, ==, shardwise_advice_get_least_gpus (advice));
  headline = g_strdup_printf ("; it needs at least %s. ", numbers);
  g_assert_nonnull (strstr (shardwise_advice_get_verdict (advice), headline));
  g_assert_nonnull (strstr (numbers, " with "));
  g_assert_null (shardwise_advice_get_verify (advice));
}

/* What is to be seen on the cluster, and a ladder each step of which the scenario can take. */
static void
test_verify (void)
{
  g_autoptr (ShardwiseAdvice) advice = advise (llama_32, SHARDWISE_METHOD_ANALYTICAL);
  const ShardwiseVerify *verify = shardwise_advice_get_verify (advice);
  double last = shardwise_advice_get_recommended (advice)->memory.peak.total;

  g_assert_nonnull (verify);
  g_assert_cmpuint (verify->look_at->len, ==, 4);
  g_assert_cmpuint (verify->if_slower->len, >, 0);
  g_assert_cmpuint (verify->if_out_of_memory->len, ==, SW_MOST_RUNGS);
  for (guint i = 0; i < verify->if_out_of_memory->len; i++)
    {
      const ShardwiseRemedy *remedy = g_ptr_array_index (verify->if_out_of_memory, i);
      g_autoptr (ShardwiseScenario) scenario = scenario_of (llama_32);
      SwProblem problem;
      SwEstimate estimate;

      /* "TP 8 needs …": the name is singular. */
      g_assert_false (g_str_has_prefix (remedy->text, "Sequences "));
      g_assert_true (shardwise_scenario_apply (scenario, remedy->changes, NULL));
      g_assert_true (shardwise_estimate_scenario (scenario, &problem, &estimate, NULL, NULL));
      g_assert_true (estimate.fits);
      g_assert_cmpfloat_with_epsilon (estimate.memory.peak.total,
                                      remedy->rung.estimate.memory.peak.total, 1.0);
      g_assert_cmpfloat (estimate.memory.peak.total, <, last);
      last = estimate.memory.peak.total;
    }
}

/* Returns: (nullable) */
static const ShardwiseRecommendation *
find_recommendation (ShardwiseAdvice *advice, const char *code)
{
  GPtrArray *all = shardwise_advice_get_recommendations (advice);

  for (guint i = 0; i < all->len; i++)
    if (g_str_equal (((ShardwiseRecommendation *) g_ptr_array_index (all, i))->code, code))
      return g_ptr_array_index (all, i);
  return NULL;
}

/* What fits with offload alone is told what would do without: adapters of 16 bits a base of 4. */
static void
test_untried (void)
{
  static const char job[] =
      "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"t4\", "
      "\"gpus\": 1}, \"training\": {\"type\": \"lora\"}}";
  g_autoptr (ShardwiseAdvice) advice = advise (job, SHARDWISE_METHOD_ANALYTICAL), proven = NULL;
  g_autoptr (ShardwiseScenario) scenario = scenario_of (job);
  const ShardwiseAdviceOptions options = { .top = 1 };
  const ShardwiseRecommendation *recommendation = find_recommendation (advice, "untried");

  g_assert_cmpint (shardwise_advice_get_recommended (advice)->level, ==, SW_LEVEL_UNTRIED);
  g_assert_nonnull (recommendation);
  g_assert_true (shardwise_scenario_apply (scenario, recommendation->changes, NULL));
  proven = shardwise_advice_compute (scenario, &options, NULL, NULL);
  g_assert_cmpint (shardwise_advice_get_recommended (proven)->fit, ==, SW_FIT_FITS);
  g_assert_cmpint (shardwise_advice_get_recommended (proven)->level, !=, SW_LEVEL_UNTRIED);
  g_assert_cmpint (shardwise_advice_get_problem (proven)->training.type, ==, SW_TRAINING_QLORA);
}

/* A batch that does not divide over the GPUs leaves some idle: the next that does is offered. */
static void
test_whole_batch (void)
{
  static const char job[] = "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": "
                            "\"a100-80-sxm\", \"gpus\": 6}, \"training\": {\"type\": \"lora\", "
                            "\"sequence_length\": 2048, \"global_batch_size\": 16}}";
  g_autoptr (ShardwiseAdvice) advice = advise (job, SHARDWISE_METHOD_ANALYTICAL), whole = NULL;
  g_autoptr (ShardwiseScenario) scenario = scenario_of (job);
  const ShardwiseAdviceOptions options = { .top = 1 };
  const ShardwiseRecommendation *recommendation = find_recommendation (advice, "gpus-idle");

  g_assert_nonnull (recommendation);
  g_assert_nonnull (strstr (recommendation->text, "12 sequences"));
  g_assert_true (shardwise_scenario_apply (scenario, recommendation->changes, NULL));
  whole = shardwise_advice_compute (scenario, &options, NULL, NULL);
  g_assert_cmpuint (shardwise_advice_get_recommended (whole)->gpus_idle, ==, 0);
  g_assert_cmpfloat (shardwise_advice_get_recommended (whole)->tokens_per_s, >,
                     shardwise_advice_get_recommended (advice)->tokens_per_s);
}

/* Of two nodes' worth on one, amber: the change beside it makes it green. */
static void
test_safety (void)
{
  static const char job[] = "{\"model\": {\"preset\": \"llama-3-70b\"}, \"cluster\": {\"gpu\": "
                            "\"b200-180-sxm\", \"gpus\": 8}, \"training\": {\"framework\": "
                            "\"megatron-core\"}, \"strategy\": {\"offload\": \"none\"}}";
  g_autoptr (ShardwiseAdvice) advice = advise (job, SHARDWISE_METHOD_ANALYTICAL), safe = NULL;
  g_autoptr (ShardwiseScenario) scenario = scenario_of (job);
  const ShardwiseAdviceOptions options = { .top = 1 };
  const ShardwiseRecommendation *recommendation = find_recommendation (advice, "may-not-fit");

  g_assert_cmpint (shardwise_advice_get_recommended (advice)->fit, ==, SW_FIT_MAY_NOT);
  g_assert_nonnull (recommendation);
  g_assert_nonnull (recommendation->changes);
  g_assert_true (shardwise_scenario_apply (scenario, recommendation->changes, NULL));
  safe = shardwise_advice_compute (scenario, &options, NULL, NULL);
  g_assert_cmpint (shardwise_advice_get_recommended (safe)->fit, ==, SW_FIT_FITS);
}

/* 70B on 16 GPUs: what fits for certain with offload comes before what may not fit, unless it is far
 * slower; what may not fit stays beside it, and 8-bit Adam is offered, which needs neither. */
static void
test_certain_first (void)
{
  static const char job[] = "{\"model\": {\"preset\": \"llama-3.1-70b\"}, \"cluster\": {\"gpu\": "
                            "\"h100-80-sxm\", \"gpus\": 16}, \"training\": {\"type\": "
                            "\"finetune\", \"sequence_length\": 4096}}";
  g_autoptr (ShardwiseAdvice) advice = advise (job, SHARDWISE_METHOD_ANALYTICAL);
  const SwEstimate *recommended = shardwise_advice_get_recommended (advice);
  const ShardwiseRecommendation *recommendation = find_recommendation (advice, "untried");
  GArray *frameworks = shardwise_advice_get_frameworks (advice);
  gboolean has_tight = FALSE;

  g_assert_cmpint (recommended->fit, ==, SW_FIT_FITS);
  g_assert_cmpint (recommended->strategy.offload, !=, SW_OFFLOAD_NONE);
  for (guint i = 1; i < frameworks->len; i++)
    {
      const ShardwiseFrameworkChoice *other = &g_array_index (frameworks, ShardwiseFrameworkChoice,
                                                              i);

      has_tight |= other->class == SW_START_TIGHT;
      g_assert_cmpfloat (other->estimate.tokens_per_s, <, 2 * recommended->tokens_per_s);
    }
  g_assert_true (has_tight);
  g_assert_nonnull (strstr (recommendation->text, "8-bit Adam"));
}

/* Full fine-tuning over a slow network waits for it, so adapters are recommended as much faster.
 * Over a fast network nothing is recommended. */
static void
test_hardly_works (void)
{
  static const char job[] = "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": "
                            "\"rtx-4090\", \"gpus\": 16}, \"training\": {\"type\": "
                            "\"finetune\", \"framework\": \"fsdp2\"}}";
  static const char fast[] = "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": "
                             "\"h100-80-sxm\", \"gpus\": 16}, \"training\": {\"type\": "
                             "\"finetune\"}}";
  g_autoptr (ShardwiseAdvice) advice = advise (job, SHARDWISE_METHOD_ANALYTICAL), adapted = NULL,
                              works = advise (fast, SHARDWISE_METHOD_ANALYTICAL);
  g_autoptr (ShardwiseScenario) scenario = scenario_of (job);
  const ShardwiseAdviceOptions options = { .top = 1 };
  const ShardwiseRecommendation *recommendation = find_recommendation (advice, "hardly-works");

  g_assert_null (find_recommendation (works, "hardly-works"));
  g_assert_nonnull (recommendation);
  g_assert_nonnull (strstr (recommendation->text, "network"));
  g_assert_true (shardwise_scenario_apply (scenario, recommendation->changes, NULL));
  adapted = shardwise_advice_compute (scenario, &options, NULL, NULL);
  g_assert_cmpfloat (shardwise_advice_get_recommended (adapted)->tokens_per_s, >,
                     2 * shardwise_advice_get_recommended (advice)->tokens_per_s);
}

/* The button beside a recommendation does what its text says, and keeps no price for another GPU. A
 * change without effect is not listed as a gain of 0 %. */
static void
test_recommendations (void)
{
  static const char json[] =
      "{\"model\": {\"preset\": \"llama-3-70b\"}, \"cluster\": {\"gpu\": \"a100-40-sxm\", "
      "\"gpus\": 8}, \"training\": {\"global_batch_size\": 8192}, \"strategy\": {\"offload\": "
      "\"none\"}, \"cost\": {\"price\": 1.2}}";
  static const char pinned[] =
      "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8192}, \"training\": "
      "{\"global_batch_size\": 8192}, \"strategy\": {\"dp\": 8192}}";
  g_autoptr (ShardwiseAdvice) advice = advise (json, SHARDWISE_METHOD_ANALYTICAL),
                              narrow = advise (pinned, SHARDWISE_METHOD_ANALYTICAL), changed = NULL;
  g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
  const ShardwiseRecommendation *bigger = find_recommendation (advice, "bigger-gpu");
  const ShardwiseAdviceOptions options = { .top = 1 };

  g_assert_nonnull (strstr (bigger->text, "B200"));
  g_assert_true (shardwise_scenario_apply (scenario, bigger->changes, NULL));
  g_assert_false (shardwise_scenario_is_set (scenario, SHARDWISE_KEY_COST_PRICE));
  changed = shardwise_advice_compute (scenario, &options, NULL, NULL);
  g_assert_true (shardwise_advice_get_fits (changed));
  g_assert_null (strstr (find_recommendation (advice, "batch-large")->text, "would change"));
  g_assert_null (strstr (find_recommendation (narrow, "batch-large")->text, "would change"));
}

/* Strategies and figures without texts are those of the whole answer. */
static void
test_bare (void)
{
  const ShardwiseAdviceOptions options = { .top = 5, .bare = TRUE };
  const char *const jobs[] = { llama_32, hopeless };

  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    {
      g_autoptr (ShardwiseScenario) scenario = scenario_of (jobs[i]);
      g_autoptr (ShardwiseAdvice) bare = shardwise_advice_compute (scenario, &options, NULL, NULL);
      g_autoptr (ShardwiseAdvice) whole = advise (jobs[i], SHARDWISE_METHOD_ANALYTICAL);
      const SwEstimate *a = shardwise_advice_get_recommended (bare),
                       *b = shardwise_advice_get_recommended (whole);

      g_assert_true (sw_strategy_equal (&a->strategy, &b->strategy));
      g_assert_cmpfloat (a->tokens_per_s, ==, b->tokens_per_s);
      g_assert_cmpint (shardwise_advice_get_fits (bare), ==, shardwise_advice_get_fits (whole));
      g_assert_cmpuint (shardwise_advice_get_n_alternatives (bare), >=,
                        shardwise_advice_get_n_alternatives (whole));
      g_assert_cmpuint (shardwise_advice_get_recommendations (bare)->len, ==, 0);
      g_assert_cmpuint (shardwise_advice_get_recommendations (whole)->len, >, 0);
    }
}

static void
test_cancelled (void)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_of (llama_32);
  const ShardwiseAdviceOptions options = { .top = 1, .explain = TRUE };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_null (shardwise_advice_compute (scenario, &options, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* Every number anywhere in a JSON tree is finite; objects are not empty where the contract has
 * keys. */
static void
check_finite (JsonNode *node)
{
  if (JSON_NODE_HOLDS_OBJECT (node))
    {
      g_autoptr (GList) members = json_object_get_values (json_node_get_object (node));

      for (GList *l = members; l != NULL; l = l->next)
        check_finite (l->data);
    }
  else if (JSON_NODE_HOLDS_ARRAY (node))
    {
      JsonArray *array = json_node_get_array (node);

      for (guint i = 0; i < json_array_get_length (array); i++)
        check_finite (json_array_get_element (array, i));
    }
  else if (json_node_get_value_type (node) == G_TYPE_DOUBLE)
    g_assert_true (isfinite (json_node_get_double (node)));
}

static void
check_members (JsonObject *object, const char *names)
{
  g_auto (GStrv) list = g_strsplit (names, " ", -1);

  for (guint i = 0; list[i] != NULL; i++)
    {
      if (!json_object_has_member (object, list[i]))
        g_test_message ("%s is missing", list[i]);
      g_assert_true (json_object_has_member (object, list[i]));
    }
}

static double
sum (JsonObject *object, const char *names)
{
  g_auto (GStrv) list = g_strsplit (names, " ", -1);
  double total = 0;

  for (guint i = 0; list[i] != NULL; i++)
    total += json_object_get_double_member (object, list[i]);
  return total;
}

#define PARTS                                                                                      \
  "parameters_gib gradients_gib optimizer_gib activations_gib logits_gib buffers_gib "             \
  "framework_gib"

/* The contract of `estimate --json`, with the sums that it promises. */
static void
check_estimate (JsonObject *object)
{
  JsonObject *memory = json_object_get_object_member (object, "memory"),
             *time = json_object_get_object_member (object, "time");
  JsonObject *strategy = json_object_get_object_member (object, "strategy");
  JsonArray *stages = json_object_get_array_member (memory, "stages");
  double exposed = sum (
      time, "tp_exposed_s cp_exposed_s ep_exposed_s pp_exposed_s dp_exposed_s offload_exposed_s");
  double step = json_object_get_double_member (time, "step_s"), worst = 0;

  check_members (object, "fits notes strategy memory time tokens_per_s tokens_per_s_per_gpu "
                         "model_tflops_per_gpu mfu hfu peak_tflops flop_convention "
                         "communication_overhead bubble_fraction scaling_efficiency "
                         "compute_to_communication error_interval nearest_run");
  check_members (strategy, "tp etp pp vpp dp cp cp_method ep sequence_parallel zero_stage "
                           "shard_group micro_batch_size gradient_accumulation recompute "
                           "schedule offload layers_per_stage gpus_used gpus_idle framework");
  check_members (memory, "total_gib " PARTS " host_gib usable_gib utilisation stages");
  check_members (json_object_get_object_member (object, "error_interval"),
                 "step_s total_gib tokens_per_s");
  g_assert_cmpfloat_with_epsilon (sum (memory, PARTS),
                                  json_object_get_double_member (memory, "total_gib"), 1e-6);
  g_assert_cmpfloat_with_epsilon (
      sum (time, "compute_s uneven_s bubble_s optimizer_s other_s") + exposed, step, 1e-9 * step);
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (object, "bubble_fraction"),
                                  json_object_get_double_member (time, "bubble_s") / step, 1e-9);
  g_assert_cmpfloat_with_epsilon (
      sum (object, "communication_overhead bubble_fraction scaling_efficiency"), 1, 1e-9);
  g_assert_cmpuint (json_array_get_length (stages), ==,
                    json_object_get_int_member (strategy, "pp"));
  for (guint i = 0; i < json_array_get_length (stages); i++)
    {
      JsonObject *stage = json_array_get_object_element (stages, i);

      g_assert_cmpfloat_with_epsilon (sum (stage, PARTS),
                                      json_object_get_double_member (stage, "total_gib"), 1e-6);
      worst = MAX (worst, json_object_get_double_member (stage, "total_gib"));
    }
  g_assert_cmpfloat_with_epsilon (worst, json_object_get_double_member (memory, "total_gib"), 1e-6);
}

/* Every stage lists what makes up its total; tensors of states name their parameters. */
static void
check_tensors (JsonObject *object)
{
  JsonObject *memory = json_object_get_object_member (object, "memory");
  JsonArray *stages = json_object_get_array_member (memory, "stages");

  for (guint i = 0; i < json_array_get_length (stages); i++)
    {
      JsonObject *stage = json_array_get_object_element (stages, i);
      JsonArray *tensors = json_object_get_array_member (stage, "tensors");
      double gib = 0;

      for (guint j = 0; j < json_array_get_length (tensors); j++)
        {
          JsonObject *tensor = json_array_get_object_element (tensors, j);

          check_members (tensor, "name part gib count tensor_parallel sharded_over");
          gib += json_object_get_double_member (tensor, "gib");
        }
      g_assert_cmpfloat_with_epsilon (gib, json_object_get_double_member (stage, "total_gib"),
                                      1e-6);
    }
}

/* The kernels of a step are its compute without what is recomputed. */
static void
check_kernels (JsonObject *object)
{
  JsonObject *kernels = json_object_get_object_member (object, "kernels");
  JsonObject *time = json_object_get_object_member (object, "time");
  g_autoptr (GList) seconds = json_object_get_values (kernels);
  double sum = 0;

  for (GList *at = seconds; at != NULL; at = at->next)
    sum += json_node_get_double (at->data);
  g_assert_cmpfloat_with_epsilon (sum,
                                  json_object_get_double_member (time, "compute_s")
                                      - json_object_get_double_member (time, "recompute_s"),
                                  1e-6);
}

static void
check_advice_json (const char *json, ShardwiseMethod method)
{
  g_autoptr (ShardwiseAdvice) advice = advise (json, method);
  g_autoptr (JsonNode) node = shardwise_advice_to_json (advice), back = NULL;
  g_autofree char *text = shardwise_json_to_string (node);
  JsonObject *object = json_node_get_object (node);
  JsonArray *alternatives = json_object_get_array_member (object, "alternatives");

  back = shardwise_json_parse (text, strlen (text), NULL);
  g_assert_nonnull (back);
  check_finite (node);
  check_members (object, "method recommended rationale recommendations steps alternatives "
                         "least_gpus least_gpus_by sensible_gpus verify searched nearest");
  g_assert_true (json_object_get_null_member (object, "verify")
                 == !shardwise_advice_get_recommended (advice)->fits);
  check_members (json_object_get_object_member (object, "searched"),
                 "tried timed fit seconds rejected");
  check_estimate (json_object_get_object_member (object, "recommended"));
  g_assert_true (json_object_has_member (object, "quick_score")
                 == (method == SHARDWISE_METHOD_QUICK_SCORE));
  for (guint i = 0; i < json_array_get_length (alternatives); i++)
    {
      JsonObject *alternative = json_array_get_object_element (alternatives, i);

      check_estimate (alternative);
      g_assert_true (json_object_has_member (alternative, "quick_score")
                     == (method == SHARDWISE_METHOD_QUICK_SCORE));
    }
  g_assert_true ((json_array_get_length (json_object_get_array_member (object, "nearest")) > 0)
                 == !shardwise_advice_get_fits (advice));
}

static void
test_json (void)
{
  check_advice_json (llama_32, SHARDWISE_METHOD_ANALYTICAL);
  check_advice_json (llama_32, SHARDWISE_METHOD_PLAYBOOK);
  check_advice_json (score_64, SHARDWISE_METHOD_QUICK_SCORE);
  check_advice_json (hopeless, SHARDWISE_METHOD_ANALYTICAL);
  check_advice_json (hopeless, SHARDWISE_METHOD_PLAYBOOK);
  check_advice_json (hopeless, SHARDWISE_METHOD_QUICK_SCORE);
}

/* The recommended strategy is proven and fits by the upper end of its interval, if any does. A
 * strategy that is predicted to be faster is listed beside it, and is faster. The other methods do
 * not have this. */
static void
test_start (void)
{
  /* Of the last, another framework is as certain and a little faster: it is among the frameworks. */
  static const char *const jobs[] = {
    llama_32,
    llama_64,
    "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": \"qwen2.5-7b\"}, "
    "\"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 8}, \"training\": {\"type\": \"rlhf\", "
    "\"rlhf\": {\"algorithm\": \"grpo\"}}}",
  };
  g_autoptr (ShardwiseAdvice) playbook = advise (llama_32, SHARDWISE_METHOD_PLAYBOOK);
  guint faster = 0;

  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    {
      g_autoptr (ShardwiseAdvice) advice = advise (jobs[i], SHARDWISE_METHOD_ANALYTICAL);
      const SwEstimate *recommended = shardwise_advice_get_recommended (advice);
      const SwEstimate *fastest = shardwise_advice_get_fastest (advice);

      g_assert_cmpint (recommended->level, !=, SW_LEVEL_UNTRIED);
      g_assert_cmpint (recommended->fit, ==, SW_FIT_FITS);
      g_assert_cmpuint (recommended->strategy.offload, ==, SW_OFFLOAD_NONE);
      if (fastest == NULL)
        continue;
      faster++;
      g_assert_true (fastest->fits);
      g_assert_true (fastest->level == SW_LEVEL_UNTRIED || fastest->fit == SW_FIT_MAY_NOT);
      g_assert_cmpfloat (fastest->tokens_per_s, >, 1.01 * recommended->tokens_per_s);
    }
  g_assert_cmpuint (faster, >, 0);
  g_assert_null (shardwise_advice_get_fastest (playbook));
}

/* What is given is kept, what follows is derived, what does neither is asked for. */
static void
test_estimate (void)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_of (llama_64);
  g_autoptr (GError) error = NULL, none = NULL;
  g_autoptr (GPtrArray) notes = NULL;
  g_autoptr (JsonNode) node = NULL;
  SwProblem problem;
  SwEstimate estimate;

  g_assert_false (shardwise_estimate_scenario (scenario, &problem, &estimate, NULL, &none));
  g_assert_error (none, SHARDWISE_ERROR, SHARDWISE_ERROR_MISSING);
  g_assert_cmpstr (shardwise_error_path (none), ==, "strategy.tp");
  shardwise_scenario_apply (
      scenario,
      g_variant_new_parsed (
          "{'strategy.tp': <8>, 'strategy.pp': <4>, 'strategy.recompute': <'full_layers:20'>}"),
      &error);
  g_assert_no_error (error);
  g_assert_true (shardwise_estimate_scenario (scenario, &problem, &estimate, &notes, &error));
  g_assert_cmpuint (estimate.strategy.dp, ==, 2);
  g_assert_cmpuint (estimate.strategy.etp, ==, 8);
  g_assert_cmpuint (estimate.strategy.shard_group, ==, 2);
  g_assert_cmpuint (estimate.strategy.full_layers, ==, 20);
  g_assert_cmpuint (estimate.strategy.micro_batch, ==, 4);
  g_assert_cmpuint (notes->len, ==, 1);
  node = shardwise_estimate_scenario_to_json (scenario, &problem, &estimate, notes);
  check_finite (node);
  check_estimate (json_node_get_object (node));
  check_tensors (json_node_get_object (node));
  check_kernels (json_node_get_object (node));
}

/* A whole strategy, pinned and estimated, is the same strategy. */
static void
test_pin (void)
{
  g_autoptr (ShardwiseAdvice) advice = advise (llama_32, SHARDWISE_METHOD_ANALYTICAL);
  const SwEstimate *best = shardwise_advice_get_recommended (advice);
  g_autoptr (ShardwiseScenario) scenario = scenario_of (llama_32);
  g_autoptr (GError) error = NULL;
  SwProblem problem;
  SwEstimate again;

  g_assert_true (shardwise_scenario_apply (
      scenario, shardwise_strategy_changes (&best->strategy, SHARDWISE_ALL_DIMENSIONS), &error));
  g_assert_no_error (error);
  g_assert_true (shardwise_estimate_scenario (scenario, &problem, &again, NULL, &error));
  g_assert_true (sw_strategy_equal (&again.strategy, &best->strategy));
  g_assert_cmpfloat (again.time.step_s, ==, best->time.step_s);
  g_assert_cmpfloat (again.memory.peak.total, ==, best->memory.peak.total);
}

/* A pin that costs is the first of the warnings, and undoing it gives what is said. */
static void
test_pin_costs (void)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_of (llama_32);
  g_autoptr (ShardwiseAdvice) advice = advise (llama_32, SHARDWISE_METHOD_ANALYTICAL),
                              scored = advise (llama_32, SHARDWISE_METHOD_QUICK_SCORE),
                              freed = NULL;
  const ShardwiseAdviceOptions options = { .top = 5, .explain = TRUE };
  const ShardwiseRecommendation *first =
      g_ptr_array_index (shardwise_advice_get_recommendations (advice), 0);
  const SwEstimate *then = &first->effect.then;

  g_assert_cmpstr (first->code, ==, "pin-costs");
  g_assert_cmpint (first->severity, ==, SHARDWISE_SEVERITY_WARNING);
  g_assert_cmpint (first->effect.dimension, ==, SW_DIM_MICRO_BATCH);
  g_assert_true (g_str_has_prefix (first->text, "Pinning Micro-batch 4 costs "));
  g_assert_cmpfloat (then->time.step_s, <,
                     0.98 * shardwise_advice_get_recommended (advice)->time.step_s);
  g_assert_true (shardwise_scenario_apply (scenario, first->changes, NULL));
  freed = shardwise_advice_compute (scenario, &options, NULL, NULL);
  g_assert_true (
      sw_strategy_equal (&shardwise_advice_get_recommended (freed)->strategy, &then->strategy));
  for (guint i = 0; i < shardwise_advice_get_recommendations (freed)->len; i++)
    {
      const ShardwiseRecommendation *other =
          g_ptr_array_index (shardwise_advice_get_recommendations (freed), i);

      g_assert_false (g_str_has_prefix (other->code, "pin"));
    }
  /* The rules of thumb have a micro-batch of their own. */
  first = g_ptr_array_index (shardwise_advice_get_recommendations (scored), 0);
  g_assert_false (g_str_has_prefix (first->code, "pin"));
}

/* Degrees that hold each other: none alone may be another, all together are another answer. */
static void
test_pins_cost (void)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_of (
      "{\"model\": {\"preset\": \"llama-3-70b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", "
      "\"gpus\": 64, \"gpus_per_node\": 8, \"inter_node\": \"infiniband\"}, \"training\": "
      "{\"sequence_length\": 8192, \"global_batch_size\": 128}, \"strategy\": {\"tp\": 2, \"pp\": "
      "16, \"cp\": 2, \"dp\": 1}}");
  const ShardwiseAdviceOptions options = { .top = 5, .explain = TRUE };
  g_autoptr (ShardwiseAdvice) found = shardwise_advice_compute (scenario, &options, NULL, NULL),
                              freed = NULL;
  GPtrArray *all = shardwise_advice_get_recommendations (found);
  const ShardwiseRecommendation *together = NULL;

  for (guint i = 0; i < all->len && together == NULL; i++)
    {
      const ShardwiseRecommendation *one = g_ptr_array_index (all, i);

      if (g_str_equal (one->code, "pins-cost"))
        together = one;
      else /* only what single pins cost is before it */
        g_assert_cmpstr (one->code, ==, "pin-costs");
    }
  g_assert_nonnull (together);
  g_assert_true (g_str_has_prefix (together->text, "Together, the pinned values cost "));
  g_assert_true (shardwise_scenario_apply (scenario, together->changes, NULL));
  freed = shardwise_advice_compute (scenario, &options, NULL, NULL);
  g_assert_true (sw_strategy_equal (&shardwise_advice_get_recommended (freed)->strategy,
                                    &together->effect.then.strategy));
}

static void
test_sizing (void)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_of (llama_32);
  const guint sizes[] = { 64, 32, 8 };
  g_autoptr (GPtrArray) points = shardwise_sizing_compute (scenario, sizes, 3, NULL, NULL, NULL,
                                                           NULL);
  g_autoptr (GPtrArray) around = shardwise_sizing_compute (scenario, NULL, 0, NULL, NULL, NULL,
                                                           NULL);
  const ShardwiseSizingPoint *a = g_ptr_array_index (points, 0), *b = g_ptr_array_index (points, 1);

  g_assert_cmpuint (points->len, ==, 3);
  g_assert_cmpuint (a->gpus, ==, 64);
  g_assert_true (a->estimate.fits && b->estimate.fits);
  g_assert_cmpfloat (a->days, <, b->days);
  g_assert_cmpfloat_with_epsilon (a->cost, a->days * 24 * 64 * 2.5, 1e-6 * a->cost);
  g_assert_cmpuint (around->len, ==, 15); /* 8, 16 … 131,072 */
}

/* Every example opens and has an answer; only the one that says so does not fit. */
static void
test_examples (void)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "..", "data", "examples", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL), *text = NULL;
      g_autoptr (ShardwiseScenario) scenario = NULL;
      g_autoptr (ShardwiseAdvice) advice = NULL;
      const ShardwiseAdviceOptions options = { .top = 3 };

      if (!g_str_has_suffix (name, ".shardwise"))
        continue;
      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      scenario = scenario_of (text);
      advice = shardwise_advice_compute (scenario, &options, NULL, NULL);
      g_test_message ("%s: %s", name, shardwise_advice_get_verdict (advice));
      g_assert_cmpint (shardwise_advice_get_fits (advice), ==, strstr (name, "-too-large") == NULL);
      n++;
    }
  g_assert_cmpuint (n, >=, 6);
}

/* The same words are the same number, however few alternatives are asked for: the window keeps
 * fifty, the command line three. */
/* Replicas read the whole model in each process, FSDP once a node; a 4-bit base goes onto the GPU in
 * pieces. The first pass has no moments yet; what starts from nothing has none of these. */
static void
test_moments (void)
{
  static const char *const jobs[] = {
    "\"type\": \"lora\"}, \"strategy\": {\"zero_stage\": 0",
    "\"type\": \"finetune\"}, \"strategy\": {\"zero_stage\": 3",
    "\"type\": \"qlora\"}, \"strategy\": {\"zero_stage\": 0",
    "\"type\": \"pretrain\"}, \"strategy\": {\"zero_stage\": 3",
  };
  double host[G_N_ELEMENTS (jobs)] = { 0 }, whole = 0;

  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    {
      g_autofree char *json = g_strdup_printf (
          "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", "
          "\"gpus\": 8}, \"training\": {\"sequence_length\": 2048, \"global_batch_size\": 64, "
          "\"framework\": \"fsdp\", %s, \"tp\": 1, \"pp\": 1, \"cp\": 1, \"dp\": 8, "
          "\"recompute\": \"full\", \"micro_batch_size\": 1}}",
          jobs[i]);
      g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
      g_autoptr (GPtrArray) notes = NULL;
      SwMoments moments;
      SwEstimate estimate;
      SwProblem problem;

      g_assert_true (shardwise_estimate_scenario (scenario, &problem, &estimate, &notes, NULL));
      g_assert_cmpint (sw_moments (&problem, &estimate, &moments), ==, i < 3);
      if (i == 3)
        break;
      host[i] = moments.loading_host;
      whole = problem.count.total;
      g_assert_cmpfloat (moments.loading, <, estimate.memory.peak.total);
      g_assert_cmpfloat (moments.evaluation, <, estimate.memory.peak.total);
      g_assert_cmpfloat_with_epsilon (moments.first_backward + estimate.memory.peak.optimizer,
                                      estimate.memory.peak.total, 1);
    }
  g_assert_cmpfloat_with_epsilon (host[0], 8 * 2 * whole, 1);
  g_assert_cmpfloat_with_epsilon (host[1], 4 * whole, 1);
  g_assert_cmpfloat (host[2], <, 0.1 * host[0]);
}

static void
test_counts (void)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_of (llama_32);
  const ShardwiseAdviceOptions few = { .top = 3, .explain = TRUE }, many = { .top = 50 };
  g_autoptr (ShardwiseAdvice) told = shardwise_advice_compute (scenario, &few, NULL, NULL);
  g_autoptr (ShardwiseAdvice) shown = shardwise_advice_compute (scenario, &many, NULL, NULL);

  g_assert_cmpuint (shardwise_advice_get_n_alternatives (told), ==, 3);
  g_assert_cmpuint (shardwise_advice_get_search (told)->tried, ==,
                    shardwise_advice_get_search (shown)->tried);
  g_assert_cmpuint (shardwise_advice_get_search (told)->fit, ==,
                    shardwise_advice_get_search (shown)->fit);
}

/* A default batch is reported as a limit if a larger one gives the stated gain; a batch that the
 * user set is not. */
static void
test_default_batch (void)
{
  static const char job[] = "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": "
                            "\"h100-80-sxm\", \"gpus\": 256}}";
  g_autoptr (ShardwiseScenario) scenario = scenario_of (job);
  const ShardwiseAdviceOptions options = { .top = 1 };
  g_autoptr (ShardwiseAdvice) before = advise (job, SHARDWISE_METHOD_ANALYTICAL), after = NULL,
                              playbook = advise (job, SHARDWISE_METHOD_PLAYBOOK);
  const ShardwiseRecommendation *said = find_recommendation (before, "batch-default");
  g_autofree char *batch = NULL, *gain = NULL;
  const SwEstimate *now = shardwise_advice_get_recommended (before), *then;

  g_assert_nonnull (said);
  g_assert_cmpint (said->severity, ==, SHARDWISE_SEVERITY_INFO);
  g_assert_nonnull (said->changes);
  g_assert_true (shardwise_scenario_apply (scenario, said->changes, NULL));
  after = shardwise_advice_compute (scenario, &options, NULL, NULL);
  then = shardwise_advice_get_recommended (after);
  batch = g_strdup_printf ("%u sequences",
                           shardwise_advice_get_problem (after)->training.global_batch);
  gain = shardwise_format_change (then->tokens_per_s / now->tokens_per_s - 1);
  g_assert_cmpfloat (then->tokens_per_s, >, 1.05 * now->tokens_per_s);
  g_assert_nonnull (strstr (said->text, batch));
  g_assert_nonnull (strstr (said->text, gain));
  g_assert_null (find_recommendation (after, "batch-default"));
  g_assert_null (find_recommendation (playbook, "batch-default"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/advice/playbook", test_playbook);
  g_test_add_func ("/advice/quick-score", test_quick_score);
  g_test_add_func ("/advice/quick-score-default", test_quick_score_default);
  g_test_add_func ("/advice/analytical", test_analytical);
  g_test_add_func ("/advice/rationale", test_rationale);
  g_test_add_func ("/advice/ways-out", test_ways_out);
  g_test_add_func ("/advice/least", test_least);
  g_test_add_func ("/advice/verify", test_verify);
  g_test_add_func ("/advice/untried", test_untried);
  g_test_add_func ("/advice/whole-batch", test_whole_batch);
  g_test_add_func ("/advice/safety", test_safety);
  g_test_add_func ("/advice/certain-first", test_certain_first);
  g_test_add_func ("/advice/hardly-works", test_hardly_works);
  g_test_add_func ("/advice/recommendations", test_recommendations);
  g_test_add_func ("/advice/bare", test_bare);
  g_test_add_func ("/advice/cancelled", test_cancelled);
  g_test_add_func ("/advice/json", test_json);
  g_test_add_func ("/advice/start", test_start);
  g_test_add_func ("/advice/estimate", test_estimate);
  g_test_add_func ("/advice/pin", test_pin);
  g_test_add_func ("/advice/pin-costs", test_pin_costs);
  g_test_add_func ("/advice/pins-cost", test_pins_cost);
  g_test_add_func ("/advice/sizing", test_sizing);
  g_test_add_func ("/advice/moments", test_moments);
  g_test_add_func ("/advice/counts", test_counts);
  g_test_add_func ("/advice/examples", test_examples);
  g_test_add_func ("/advice/default-batch", test_default_batch);
  return g_test_run ();
}
