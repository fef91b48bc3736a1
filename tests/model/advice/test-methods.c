/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two rules of thumb: whatever the job, what they say holds together. */
#include "scenario-fixture.h"
#include "shardwise-advice-json.h"
#include "shardwise-advice.h"
#include "shardwise-resolve.h"
#include "shardwise-text-method.h"

#include <string.h>

static const char *const models[] = { "llama-3.2-1b",   "llama-3-8b",  "qwen2.5-14b",
                                      "qwen2.5-32b",    "llama-3-70b", "mixtral-8x7b",
                                      "llama-3.1-405b", "deepseek-v3" };
static const guint sizes[] = { 1, 4, 8, 24, 64, 96, 512, 2048 };

static ShardwiseAdvice *
advise_scenario (ShardwiseScenario *scenario, ShardwiseMethod method)
{
  const ShardwiseAdviceOptions options = { .method = method, .top = 3, .explain = TRUE };
  g_autoptr (GError) error = NULL;
  ShardwiseAdvice *advice = shardwise_advice_compute (scenario, &options, NULL, &error);

  g_assert_no_error (error);
  return advice;
}

static ShardwiseAdvice *
advise (const char *json, ShardwiseMethod method)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_of (json);

  return advise_scenario (scenario, method);
}

static gboolean
recommends (ShardwiseAdvice *advice, const char *code)
{
  GPtrArray *list = shardwise_advice_get_recommendations (advice);

  for (guint i = 0; i < list->len; i++)
    if (g_str_equal (((const ShardwiseRecommendation *) list->pdata[i])->code, code))
      return TRUE;
  return FALSE;
}

static gboolean
notes (ShardwiseAdvice *advice, const char *part)
{
  GPtrArray *list = shardwise_advice_get_notes (advice);

  for (guint i = 0; i < list->len; i++)
    if (strstr (list->pdata[i], part) != NULL)
      return TRUE;
  return FALSE;
}

static const char *
reason (ShardwiseAdvice *advice, SwDimension dimension)
{
  GPtrArray *list = shardwise_advice_get_rationale (advice);

  for (guint i = 0; i < list->len; i++)
    {
      const ShardwiseRationale *rationale = list->pdata[i];

      if (rationale->dimension == dimension)
        return rationale->text;
    }
  return "";
}

/* "75.4 > 72.0 GB" is more and "40.4 of 72.0 GB" is not. */
static void
check_figures (const char *text)
{
  g_autoptr (GRegex) regex = g_regex_new ("([0-9.,]+) (>|of) ([0-9.,]+) GB", 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;

  for (g_regex_match (regex, text, 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL))
    {
      g_autofree char *need = g_match_info_fetch (match, 1), *sign = g_match_info_fetch (match, 2),
                      *limit = g_match_info_fetch (match, 3);

      if (*sign == '>')
        g_assert_cmpfloat (g_ascii_strtod (need, NULL), >, g_ascii_strtod (limit, NULL));
      else
        g_assert_cmpfloat (g_ascii_strtod (need, NULL), <=, g_ascii_strtod (limit, NULL));
    }
}

/* No reason speaks for another value by figures of the analytical model. */
static void
check_reasons (ShardwiseAdvice *advice)
{
  GPtrArray *list = shardwise_advice_get_rationale (advice);

  g_assert_cmpuint (list->len, >=, 4);
  for (guint i = 0; i < list->len; i++)
    {
      const ShardwiseRationale *rationale = list->pdata[i];

      g_assert_cmpuint (rationale->rows->len, ==, 0);
      g_assert_null (strstr (rationale->text, "raise throughput"));
      check_figures (rationale->text);
    }
  list = shardwise_advice_get_recommendations (advice);
  for (guint i = 0; i < list->len; i++)
    g_assert_null (
        strstr (((const ShardwiseRecommendation *) list->pdata[i])->text, "raise throughput"));
}

/* The answer, the rule of what it recommends, the JSON and every text say the same. */
static void
check (ShardwiseAdvice *advice, guint gpus)
{
  const SwEstimate *estimate = shardwise_advice_get_recommended (advice);
  const char *verdict = shardwise_advice_get_verdict (advice);
  gboolean fits = shardwise_advice_get_fits (advice);
  g_autoptr (JsonNode) node = shardwise_advice_to_json (advice);
  JsonObject *object = json_node_get_object (node),
             *recommended = json_object_get_object_member (object, "recommended");
  const SwQuickScoreResult *quick = shardwise_advice_get_quick_score (advice);
  g_autoptr (GPtrArray) figures =
      shardwise_advice_get_method (advice) == SHARDWISE_METHOD_QUICK_SCORE
          ? shardwise_text_quick_figures (shardwise_advice_get_problem (advice), &quick->best)
          : shardwise_text_playbook_figures (shardwise_advice_get_playbook (advice));

  /* Never refused: it fits or lacks memory. */
  g_assert_true (estimate->rule == SW_RULE_OK || estimate->rule == SW_RULE_GPU_MEMORY);
  g_assert_cmpuint (estimate->gpus_used + estimate->gpus_idle, ==, gpus);
  g_assert_null (strstr (verdict, "cannot"));
  g_assert_true ((strstr (verdict, " trains on ") != NULL) == fits);
  g_assert_true ((strstr (verdict, "does not fit") != NULL) == !fits);
  g_assert_true (recommends (advice, "does-not-fit") == !fits);
  g_assert_true (json_object_get_boolean_member (object, "fits") == fits);
  g_assert_true (json_object_get_boolean_member (recommended, "fits")
                 == g_str_equal (json_object_get_string_member (recommended, "rule"), "ok"));
  if (fits)
    {
      g_assert_true (estimate->fits);
      g_assert_cmpint (estimate->rule, ==, SW_RULE_OK);
    }
  if (shardwise_advice_get_method (advice) == SHARDWISE_METHOD_QUICK_SCORE)
    {
      g_assert_true (!fits || quick->fits);
      g_assert_cmpuint (estimate->strategy.dp, ==, quick->best.dp);
    }
  else
    g_assert_true (!fits || shardwise_advice_get_playbook (advice)->fits);
  check_figures (verdict);
  check_reasons (advice);
  for (guint i = 0; i < figures->len; i++)
    check_figures (((const ShardwiseFigure *) figures->pdata[i])->value);
}

/* Of 64 jobs none is answered by something that cannot run, and none by a contradiction. */
static void
test_grid (gconstpointer data)
{
  const ShardwiseMethod method = (ShardwiseMethod) GPOINTER_TO_INT (data);
  guint run = 0;

  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    for (guint j = 0; j < G_N_ELEMENTS (sizes); j++)
      {
        g_autofree char *json = g_strdup_printf (
            "{\"model\": {\"preset\": \"%s\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", "
            "\"gpus\": %u, \"gpus_per_node\": 8, \"inter_node\": \"infiniband\"}}",
            models[i], sizes[j]);
        g_autoptr (ShardwiseAdvice) advice = advise (json, method);

        check (advice, sizes[j]);
        run += shardwise_advice_get_fits (advice);
      }
  g_test_message ("%s runs %u of 64", shardwise_method_names[method], run);
  g_assert_cmpuint (run, >=, method == SHARDWISE_METHOD_PLAYBOOK ? 40 : 33);
}

/* Whatever framework is stated, batch that no power of two divides, or number of GPUs. */
static void
test_stated (void)
{
  static const char *const jobs[] = {
    "\"training\": {\"framework\": \"megatron-core\", \"global_batch_size\": 100}",
    "\"training\": {\"framework\": \"fsdp2\", \"global_batch_size\": 252}",
    "\"training\": {\"framework\": \"fsdp\"}",
    "\"training\": {\"framework\": \"deepspeed\"}",
    "\"training\": {\"framework\": \"nanotron\", \"global_batch_size\": 250}",
    "\"training\": {\"framework\": \"any\", \"type\": \"lora\", \"global_batch_size\": 30}",
    "\"training\": {\"framework\": \"any\", \"global_batch_size\": 7}",
    "\"training\": {\"framework\": \"any\", \"sequence_length\": 131072}",
  };
  static const guint gpus[] = { 6, 16, 48, 72 };

  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    for (guint j = 0; j < G_N_ELEMENTS (gpus); j++)
      for (ShardwiseMethod method = SHARDWISE_METHOD_PLAYBOOK;
           method <= SHARDWISE_METHOD_QUICK_SCORE; method++)
        {
          g_autofree char *json = g_strdup_printf (
              "{\"model\": {\"preset\": \"llama-3-70b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", "
              "\"gpus\": %u, \"gpus_per_node\": 8, \"inter_node\": \"infiniband\"}, %s}",
              gpus[j], jobs[i]);
          g_autoptr (ShardwiseAdvice) advice = advise (json, method);

          check (advice, gpus[j]);
        }
}

/* What is over the limit by less than three digits show is still seen to be over it. */
static void
test_just_over (void)
{
  g_autoptr (ShardwiseAdvice) advice = advise ("{\"model\": {\"preset\": \"llama-3-8b\"}, "
                                               "\"cluster\": {\"gpu\": \"rtx-4090\", \"gpus\": 8}, "
                                               "\"training\": {\"type\": \"lora\"}}",
                                               SHARDWISE_METHOD_PLAYBOOK);

  check (advice, 8);
  g_assert_nonnull (strstr (reason (advice, SW_DIM_PP), "(21.64 > 21.6 GB)"));
}

/* A framework that lacks a ZeRO stage gets the nearest, and the notes say so. */
static void
test_zero (void)
{
  static const char job[] = "{\"model\": {\"preset\": \"llama-3-70b\"}, \"cluster\": {\"gpu\": "
                            "\"h100-80-sxm\", \"gpus\": 64, \"gpus_per_node\": 8, \"inter_node\": "
                            "\"infiniband\"}, \"training\": {\"framework\": \"%s\"}}";
  static const struct {
    const char *framework;
    guint zero;
    SwFramework chosen;
    const char *note;
  } rows[] = {
    { "megatron-core", 1, SW_FRAMEWORK_MEGATRON_CORE,
      "Megatron-Core does not support ZeRO 2 with a pipeline: ZeRO 1 instead." },
    { "deepspeed", 1, SW_FRAMEWORK_DEEPSPEED, "does not support ZeRO 2 with a pipeline" },
    { "any", 2, SW_FRAMEWORK_FSDP2, "No framework is set" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GString) json = g_string_new (job);
      g_autoptr (ShardwiseAdvice) advice = NULL;
      const SwStrategy *strategy;

      g_string_replace (json, "%s", rows[i].framework, 1);
      advice = advise (json->str, SHARDWISE_METHOD_QUICK_SCORE);
      strategy = &shardwise_advice_get_recommended (advice)->strategy;
      g_assert_cmpuint (shardwise_advice_get_quick_score (advice)->best.zero_stage, ==, 2);
      g_assert_cmpuint (strategy->zero_stage, ==, rows[i].zero);
      g_assert_cmpint (strategy->framework, ==, rows[i].chosen);
      g_assert_cmpuint (strategy->recompute, ==, SW_RECOMPUTE_FULL);
      g_assert_true (notes (advice, rows[i].note));
    }
}

/* A strategy that no framework runs is not reported as short of memory. */
static void
test_refused (void)
{
  g_autoptr (ShardwiseAdvice) advice = advise (
      "{\"model\": {\"preset\": \"phi-4\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 8}, "
      "\"training\": {\"framework\": \"deepspeed\", \"type\": \"lora\"}, \"strategy\": "
      "{\"recompute\": \"selective\"}}",
      SHARDWISE_METHOD_QUICK_SCORE);

  g_assert_false (shardwise_advice_get_fits (advice));
  g_assert_nonnull (strstr (shardwise_advice_get_verdict (advice), "cannot be trained"));
  g_assert_true (recommends (advice, "does-not-fit"));
  g_assert_false (recommends (advice, "raise-tp"));
  g_assert_nonnull (strstr (reason (advice, SW_DIM_TP), "DeepSpeed cannot run any of the splits"));
  check_reasons (advice);
}

/* Pinned values stay, and the rest is chosen around them. */
static void
test_pins (void)
{
  static const char job[] =
      "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": "
      "64, \"gpus_per_node\": 8, \"inter_node\": \"infiniband\"}, \"strategy\": {\"tp\": 4, "
      "\"cp\": 2, \"recompute\": \"none\", \"micro_batch_size\": 1}}";

  for (ShardwiseMethod method = SHARDWISE_METHOD_PLAYBOOK; method <= SHARDWISE_METHOD_QUICK_SCORE;
       method++)
    {
      g_autoptr (ShardwiseAdvice) advice = advise (job, method);
      const SwStrategy *strategy = &shardwise_advice_get_recommended (advice)->strategy;

      g_assert_true (shardwise_advice_get_fits (advice));
      check (advice, 64);
      g_assert_cmpuint (strategy->tp, ==, 4);
      g_assert_cmpuint (strategy->cp, ==, 2);
      g_assert_cmpuint (strategy->dp * strategy->pp, ==, 8);
      g_assert_cmpuint (strategy->recompute, ==, SW_RECOMPUTE_NONE);
      g_assert_cmpuint (strategy->micro_batch, ==, 1);
      g_assert_cmpstr (reason (advice, SW_DIM_TP), ==, "It is pinned.");
    }
}

/* To type a default that is shown changes nothing. */
static void
test_defaults (void)
{
  static const char *const jobs[] = {
    "{\"model\": {\"parameters_b\": 70}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 64}}",
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"a100-80-sxm\", \"gpus\": "
    "8}}",
  };

  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    {
      g_autoptr (ShardwiseAdvice) playbook = advise (jobs[i], SHARDWISE_METHOD_PLAYBOOK),
                                  quick = advise (jobs[i], SHARDWISE_METHOD_QUICK_SCORE);
      g_autoptr (ShardwiseScenario) scenario = scenario_of (jobs[i]);
      SwProblem problem;

      g_assert_true (shardwise_scenario_resolve (scenario, &problem, NULL, NULL));
      for (ShardwiseKeyId key = SHARDWISE_KEY_NONE + 1; key < SHARDWISE_N_KEYS; key++)
        {
          g_autoptr (ShardwiseScenario) typed = shardwise_scenario_copy (scenario);
          g_autoptr (GVariant) value = NULL;
          g_autoptr (ShardwiseAdvice) a = NULL, b = NULL;
          GVariant *shown;

          if (!g_str_has_prefix (shardwise_key_path (key), "training.")
              || shardwise_scenario_is_set (scenario, key))
            continue;
          shown = shardwise_resolve_default (&problem, key);
          value = shown != NULL ? g_variant_ref_sink (shown) : NULL;
          if (value == NULL || !shardwise_scenario_set (typed, key, value, NULL)
              || !shardwise_scenario_resolve (typed, &problem, NULL, NULL))
            continue;
          a = advise_scenario (typed, SHARDWISE_METHOD_PLAYBOOK);
          b = advise_scenario (typed, SHARDWISE_METHOD_QUICK_SCORE);
          g_test_message ("%s", shardwise_key_path (key));
          g_assert_true (
              sw_strategy_equal (&shardwise_advice_get_recommended (a)->strategy,
                                 &shardwise_advice_get_recommended (playbook)->strategy));
          g_assert_true (sw_strategy_equal (&shardwise_advice_get_recommended (b)->strategy,
                                            &shardwise_advice_get_recommended (quick)->strategy));
          g_assert_cmpfloat (shardwise_advice_get_quick_score (a)->best.score, ==,
                             shardwise_advice_get_quick_score (quick)->best.score);
          g_assert_cmpfloat (shardwise_advice_get_quick_score (b)->best.limit_gb, ==,
                             shardwise_advice_get_quick_score (quick)->best.limit_gb);
          g_assert_cmpfloat (shardwise_advice_get_playbook (a)->total_bytes, ==,
                             shardwise_advice_get_playbook (playbook)->total_bytes);
        }
    }
}

/* A bare size is taken exactly, and the published case gives its published reasons. */
static void
test_published (void)
{
  static const char job[] =
      "{\"model\": {\"parameters_b\": 70}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 32, "
      "\"gpus_per_node\": 8, \"inter_node\": \"infiniband\"}, \"training\": {\"sequence_length\": "
      "8192, \"global_batch_size\": 128}}";
  g_autoptr (ShardwiseAdvice) tree = advise (job, SHARDWISE_METHOD_PLAYBOOK),
                              score = advise (job, SHARDWISE_METHOD_QUICK_SCORE);
  const SwPlaybook *playbook = shardwise_advice_get_playbook (tree);

  g_assert_cmpfloat_with_epsilon (playbook->weights_bytes, 140e9, 1);
  g_assert_cmpfloat_with_epsilon (playbook->weights_bytes_per_tp_rank, 17.5e9, 1);
  g_assert_nonnull (
      strstr (reason (tree, SW_DIM_TP),
              "140 > 72.0 GB with TP 8. The weights take 140 GB in total and 17.5 GB per"));
  g_assert_nonnull (
      strstr (reason (tree, SW_DIM_PP),
              "No smaller PP fits: 75.4 > 72.0 GB with PP 2; PP 4 takes 40.4 of 72.0 GB."));
  g_assert_nonnull (
      strstr (reason (tree, SW_DIM_DP),
              "No GPUs are left for DP. Use gradient accumulation: 32 micro-batches"));
  g_assert_cmpfloat_with_epsilon (shardwise_advice_get_quick_score (score)->best.memory_gb,
                                  1449.0 / 32, 1e-9);
  g_assert_nonnull (strstr (reason (score, SW_DIM_TP), "half as much needs 90.6 > 64.0 GB"));
}

/* The limit that is named is the one that is missed: 80 % of the GPU, not the whole. */
static void
test_limit (void)
{
  g_autoptr (ShardwiseAdvice) advice = advise (
      "{\"model\": {\"parameters_b\": 13}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 4}}",
      SHARDWISE_METHOD_QUICK_SCORE);
  GPtrArray *list = shardwise_advice_get_recommendations (advice);

  g_assert_false (shardwise_advice_get_fits (advice));
  g_assert_true (recommends (advice, "does-not-fit"));
  g_assert_cmpstr (((const ShardwiseRecommendation *) list->pdata[0])->text, ==,
                   "The model requires 67.3 GB per GPU, but only 64.0 GB of the GPU’s 80.0 GB may "
                   "be used. Consider more GPUs or different hardware.");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/methods/grid-playbook", GINT_TO_POINTER (SHARDWISE_METHOD_PLAYBOOK),
                        test_grid);
  g_test_add_data_func ("/methods/grid-quick-score", GINT_TO_POINTER (SHARDWISE_METHOD_QUICK_SCORE),
                        test_grid);
  g_test_add_func ("/methods/stated", test_stated);
  g_test_add_func ("/methods/just-over", test_just_over);
  g_test_add_func ("/methods/zero", test_zero);
  g_test_add_func ("/methods/refused", test_refused);
  g_test_add_func ("/methods/pins", test_pins);
  g_test_add_func ("/methods/defaults", test_defaults);
  g_test_add_func ("/methods/published", test_published);
  g_test_add_func ("/methods/limit", test_limit);
  return g_test_run ();
}
