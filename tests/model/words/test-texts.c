/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-resolve.h"
#include "shardwise-format.h"
#include "shardwise-metric.h"
#include "shardwise-text-strategy.h"
#include "shardwise-text-search.h"
#include "shardwise-text-reasons.h"
#include "shardwise-text-advice.h"
#include "shardwise-text-estimate.h"
#include "shardwise-catalogue.h"
#include "shardwise-estimate.h"

#include <locale.h>
#include <string.h>

/* On H100s, 8 per node. */
static void
problem_of (const char *model, SwProblem *problem, guint gpus)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (GError) error = NULL;

  shardwise_scenario_set (scenario, SHARDWISE_KEY_MODEL_PRESET, g_variant_new_string (model),
                          &error);
  g_assert_no_error (error);
  shardwise_scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, g_variant_new_int64 (gpus), &error);
  g_assert_no_error (error);
  shardwise_scenario_set (scenario, SHARDWISE_KEY_TRAINING_FRAMEWORK,
                          g_variant_new_string ("megatron-core"), &error);
  g_assert_no_error (error);
  shardwise_scenario_set (scenario, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH,
                          g_variant_new_int64 (8192), &error);
  g_assert_no_error (error);
  shardwise_scenario_resolve (scenario, problem, NULL, &error);
  g_assert_no_error (error);
}

static void
problem_70b (SwProblem *problem, guint gpus)
{
  problem_of ("llama-3-70b", problem, gpus);
}

/* TP 8, PP 4; figures made up, so that every number of a sentence can be told. */
static void
made_up_estimate (SwEstimate *e)
{
  memset (e, 0, sizeof *e);
  sw_strategy_init_default (&e->strategy);
  e->strategy.tp = e->strategy.etp = 8;
  e->strategy.pp = 4;
  e->strategy.micro_batch = 4;
  e->strategy.zero_stage = 1;
  e->fits = TRUE;
  e->gpus_used = 32;
  e->gradient_accumulation = 32;
  e->usable_bytes = 79.19 * SW_GIB;
  e->memory_limit_bytes = 71.27 * SW_GIB;
  e->memory.peak.total = 61.2 * SW_GIB;
  e->time = (SwTime){ .step_s = 10, .compute_s = 8.19, .tp_exposed_s = 0.81, .bubble_s = 1.0 };
  e->bubble_fraction = 0.1;
  e->tokens_per_s = 410 * 32;
  e->tokens_per_s_per_gpu = 410;
  e->tokens_low_per_s = 380 * 32;
  e->tokens_high_per_s = 440 * 32;
}

/* Modules to recompute are named in words, not by Megatron's identifiers. */
static void
test_modules (void)
{
  SwStrategy strategy;
  g_autofree char *text = NULL;

  sw_strategy_init_default (&strategy);
  strategy.recompute = SW_RECOMPUTE_SELECTIVE;
  strategy.recompute_modules = SW_MODULE_MLA_UP_PROJ | SW_MODULE_MOE_ACT;
  text = shardwise_text_part (&strategy, SW_DIM_RECOMPUTE);
  g_assert_cmpstr (text, ==, "Recomputation: MLA up-projections + expert activations");
}

/* Half the width of an even interval, both ends of a skewed one. */
static void
test_interval (void)
{
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  SwEstimate e;

  problem_70b (problem, 32);
  made_up_estimate (&e);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (ShardwiseMetric) metric = NULL;

      e.step_low_s = i == 0 ? 9 : 6.4;
      e.step_high_s = i == 0 ? 11.1 : 15.7;
      metric = shardwise_metric_new (SHARDWISE_METRIC_STEP, problem, &e, NULL);
      g_assert_cmpstr (metric->interval, ==, i == 0 ? "± 10 %" : "6.40–15.7 s");
    }
}

/* Evaluation is named where it needs more than a training step, to which the total refers. */
static void
test_evaluation (void)
{
  SwEstimate e;
  SwMoments moments = { 0 };
  g_autofree char *more = NULL;

  made_up_estimate (&e);
  moments.evaluation = 60.0 * SW_GIB;
  g_assert_null (shardwise_text_evaluation (&e, &moments));
  moments.evaluation = 62.5 * SW_GIB;
  more = shardwise_text_evaluation (&e, &moments);
  g_assert_nonnull (strstr (more, "62.5 GiB"));
  g_assert_nonnull (strstr (more, "61.2 GiB"));
}

static void
test_verdict (void)
{
  static const SwLeastGpus least[] = {
    { .gpus = 64 },
    { .gpus = 40, .means = SW_MEANS_OFFLOAD_OPTIMIZER, .host_bytes = 512 * SW_GIB },
  };
  g_autofree char *text = NULL, *misfit = NULL, *enough = NULL, *both = NULL, *none = NULL,
                  *unstated = NULL;
  SwEstimate estimate;
  SwProblem problem;

  problem_70b (&problem, 32);
  problem.training.tokens = 1e11;
  made_up_estimate (&estimate);
  text = shardwise_text_verdict (&problem, &estimate, shardwise_what_if_unpinned (&problem), NULL,
                                 0, 88, 169123, TRUE, "USD");
  g_assert_cmpstr (
      text, ==,
      "Llama 3 70B trains on these 32 H100 SXM5 80 GB at about 410 tokens/s per GPU (380–440), "
      "using 61.2 of 79.2 GiB. Training on 100 B tokens takes 88.0 days and costs about $169000.");
  unstated = shardwise_text_verdict (&problem, &estimate, FALSE, NULL, 0, 88, 169123, FALSE, "USD");
  g_assert_nonnull (strstr (unstated, "$169000 at the lowest price in the catalog."));
  estimate.fits = FALSE;
  estimate.rule = SW_RULE_GPU_MEMORY;
  estimate.memory.peak.total = 93.1 * SW_GIB;
  estimate.missing_bytes = estimate.memory.peak.total - estimate.memory_limit_bytes;
  misfit = shardwise_text_verdict (&problem, &estimate, shardwise_what_if_unpinned (&problem),
                                   least, G_N_ELEMENTS (least), 0, 0, FALSE, NULL);
  g_assert_nonnull (
      strstr (misfit, "does not fit on 32 H100 SXM5 80 GB; it needs at least 64 "
                      "without offload; 40 with the optimizer in host memory (512 GiB per node)."));
  g_assert_nonnull (
      strstr (misfit, "needs 93.1 GiB per GPU, which is 21.8 GiB above the memory target."));
  enough = shardwise_text_host_lack (&problem, &estimate);
  g_assert_cmpstr (enough, ==, "");
  problem.cluster.host_ram_bytes = 512 * SW_GIB;
  estimate.memory.host_bytes = 1024 * SW_GIB;
  both = shardwise_text_host_lack (&problem, &estimate);
  g_assert_cmpstr (both, ==,
                   "Its offload needs 1020 GiB of host memory per node, but a node has 512 GiB.");
  none = shardwise_text_verdict (&problem, NULL, FALSE, NULL, 0, 0, 0, FALSE, NULL);
  g_assert_nonnull (strstr (none, "The pinned values allow no valid strategy for "));
}

/* With what is searched for the texts. */
static char *
text_rationale (const SwProblem *problem, const SwEstimate *chosen, const SwReason *reason)
{
  SwEstimate freed;
  const gboolean has_freed = shardwise_text_is_pinned (problem, reason->dimension)
                             && shardwise_what_if_freed (problem, chosen, reason->dimension,
                                                         &freed);

  return shardwise_text_rationale (problem, chosen, reason, has_freed ? &freed : NULL);
}

static char *
text_advice (const SwProblem *problem, const SwEstimate *estimate, SwAdviceCode code)
{
  ShardwiseEffect effect;

  shardwise_what_if_advised (problem, estimate, code, &effect);
  return shardwise_text_advice (problem, estimate, code, &effect);
}

static SwNeighbour
neighbour (guint value, const SwEstimate *estimate, const SwEstimate *chosen)
{
  return (SwNeighbour){ .value = value,
                        .estimate = *estimate,
                        .rule = estimate->rule,
                        .change = estimate->time.step_s / chosen->time.step_s - 1 };
}

/* The example of the product: TP 4 lacks memory, TP 16 crosses nodes. */
static void
test_rationale (void)
{
  g_autofree char *text = NULL, *first = NULL, *last = NULL, *chosen_text = NULL;
  SwReason reason = { .dimension = SW_DIM_TP, .value = 8, .n_neighbours = 3 };
  SwEstimate chosen, four, sixteen;
  SwProblem problem;

  problem_70b (&problem, 32);
  made_up_estimate (&chosen);
  four = sixteen = chosen;
  four.strategy.tp = 4;
  four.fits = FALSE;
  four.rule = SW_RULE_GPU_MEMORY;
  four.missing_bytes = 31.2 * SW_GIB;
  four.memory.peak.total = problem.cluster.usable_bytes + four.missing_bytes;
  sixteen.strategy.tp = 16;
  sixteen.time =
      (SwTime){ .step_s = 16.13, .compute_s = 8.19, .tp_exposed_s = 5.0, .bubble_s = 2.94 };
  reason.neighbours[0] = neighbour (4, &four, &chosen);
  reason.neighbours[1] = (SwNeighbour){ .value = 8, .chosen = TRUE, .estimate = chosen };
  reason.neighbours[2] = neighbour (16, &sixteen, &chosen);
  text = text_rationale (&problem, &chosen, &reason);
  g_assert_true (g_str_has_prefix (text, "TP 8 keeps tensor-parallel communication on "));
  g_assert_nonnull (strstr (text, " within a node; its exposed part takes 8.1 % of the step."));
  g_assert_nonnull (strstr (text, " TP 4 exceeds the memory target by 31.2 GiB per GPU."));
  g_assert_nonnull (
      strstr (text, " TP 16 would cross nodes and lower throughput by 38.0 %, because exposed "
                    "tensor-parallel communication grows from 8.1 % to 31.0 % of the step."));
  first = shardwise_text_neighbour (&problem, &chosen, &reason.neighbours[0]);
  g_assert_cmpstr (first, ==, "it needs 31.2 GiB more per GPU");
  chosen_text = shardwise_text_neighbour (&problem, &chosen, &reason.neighbours[1]);
  g_assert_cmpstr (chosen_text, ==, "chosen");
  last = shardwise_text_neighbour (&problem, &chosen, &reason.neighbours[2]);
  g_assert_true (g_str_has_prefix (
      last, "38.0 % lower throughput: exposed tensor-parallel communication grows"));
}

/* With eight key-value heads, the costs of TP 2 and TP 8 are more useful than that TP 3 and TP 6
 * are impossible. If a side has no other value, the impossible one is listed. */
static void
test_beside (void)
{
  const SwRule rules[] = { SW_RULE_GPU_MEMORY,  SW_RULE_TP_KV_HEADS, SW_RULE_OK,
                           SW_RULE_TP_KV_HEADS, SW_RULE_OK,          SW_RULE_WORLD_SIZE };
  SwReason reason = { .dimension = SW_DIM_TP, .value = 4, .n_neighbours = G_N_ELEMENTS (rules) };

  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    reason.neighbours[i] = (SwNeighbour){ .value = i + 2, .rule = rules[i], .chosen = i == 2 };
  g_assert_cmpint (shardwise_text_beside (&reason, -1), ==, 0);
  g_assert_cmpint (shardwise_text_beside (&reason, 1), ==, 4);
  reason.neighbours[4].rule = SW_RULE_TP_KV_HEADS;
  g_assert_cmpint (shardwise_text_beside (&reason, 1), ==, 3);
  reason.n_neighbours = 3;
  g_assert_cmpint (shardwise_text_beside (&reason, 1), ==, -1);
}

/* The strategy that the search takes without the pin is told of once, as that. */
static void
check_named_once (const SwProblem *problem, const SwEstimate *chosen, const SwReason *pinned)
{
  g_autofree char *text = NULL;
  SwEstimate slow = *chosen;
  SwReason reason = *pinned;
  SwEstimate freed;
  SwStrategy named;

  slow.time.step_s = 1e6;
  g_assert_true (shardwise_what_if_freed (problem, &slow, reason.dimension, &freed));
  g_free (shardwise_text_pin (&slow, reason.dimension, &freed, &named));
  g_assert_cmpuint (named.tp, >, 0);
  reason.neighbours[1].estimate.strategy = named;
  text = text_rationale (problem, &slow, &reason);
  g_assert_nonnull (strstr (text, " is pinned; without that, "));
  g_assert_null (strstr (text, "but another value is pinned."));
}

/* Of the phases of reinforcement learning others than training may split the layers. */
static void
test_other_phases (void)
{
  SwReason reason = { .dimension = SW_DIM_TP, .value = 1 };
  g_autofree char *none = NULL, *others = NULL;
  SwEstimate chosen;
  SwProblem problem;

  problem_70b (&problem, 32);
  made_up_estimate (&chosen);
  chosen.strategy.tp = 1;
  chosen.time.tp_exposed_s = 0;
  none = text_rationale (&problem, &chosen, &reason);
  g_assert_nonnull (strstr (none, "there is no tensor-parallel communication"));
  chosen.time.tp_exposed_s = chosen.time.step_s / 4;
  others = text_rationale (&problem, &chosen, &reason);
  g_assert_nonnull (strstr (
      others,
      "exposed tensor-parallel communication of the other phases takes 25.0 % of the step"));
}

/* For an impossible value, the reason is shown. */
static void
test_misfit (void)
{
  SwPins pins = { .mask = 1u << SW_DIM_TP };
  g_autofree char *heads = NULL, *memory = NULL;
  SwEstimate chosen, misfit;
  SwProblem problem;

  problem_70b (&problem, 32);
  made_up_estimate (&chosen);
  pins.value.tp = 3;
  g_assert_false (shardwise_what_if_pins (&problem, &chosen.strategy, SW_FRAMEWORK_MEGATRON_CORE,
                                          &pins, &misfit));
  heads = shardwise_text_misfit (&problem, "TP 3", &misfit);
  g_assert_cmpstr (heads, ==,
                   "TP 3 is not possible here: 64 attention heads cannot be split over TP 3");
  pins.mask |= 1u << SW_DIM_PP;
  pins.value.tp = pins.value.pp = 1;
  g_assert_false (shardwise_what_if_pins (&problem, &chosen.strategy, SW_FRAMEWORK_MEGATRON_CORE,
                                          &pins, &misfit));
  memory = shardwise_text_misfit (&problem, "TP 1, PP 1", &misfit);
  g_assert_true (g_str_has_prefix (memory, "TP 1, PP 1 does not fit here: it needs "));
}

/* Faster neighbours exist inside the band of 1 %, or where a pin excludes them; the text says
 * which. */
static void
test_faster_neighbour (void)
{
  g_autofree char *band = NULL, *roomier = NULL, *pinned = NULL, *batch = NULL;
  SwReason reason = { .dimension = SW_DIM_PP, .value = 4, .n_neighbours = 2 };
  SwEstimate chosen, faster;
  SwProblem problem;

  problem_70b (&problem, 32);
  made_up_estimate (&chosen);
  faster = chosen;
  faster.strategy.pp = 8;
  faster.strategy.vpp = chosen.strategy.vpp * 2;
  faster.time.step_s = 9.92;
  reason.neighbours[0] = (SwNeighbour){ .value = 4, .chosen = TRUE, .estimate = chosen };
  reason.neighbours[1] = neighbour (8, &faster, &chosen);
  band = text_rationale (&problem, &chosen, &reason);
  g_assert_nonnull (strstr (band, "PP 8 (with VPP 2) would raise throughput by only 0.8 %, at the "
                                  "cost of a more complex strategy."));
  reason.neighbours[1].estimate.strategy.vpp = chosen.strategy.vpp;
  roomier = text_rationale (&problem, &chosen, &reason);
  g_assert_nonnull (
      strstr (roomier, "PP 8 would raise throughput by only 0.8 % and leave less memory free."));
  problem.pins.mask = 1u << SW_DIM_PP;
  problem.pins.value = chosen.strategy;
  pinned = text_rationale (&problem, &chosen, &reason);
  g_assert_nonnull (
      strstr (pinned, "PP 8 would raise throughput by 0.8 %, but another value is pinned."));
  g_assert_nonnull (strstr (pinned, " PP 4 is pinned; "));
  check_named_once (&problem, &chosen, &reason);
  problem.pins.mask = 0;
  problem.training.micro_batch = 4;
  reason.dimension = SW_DIM_MICRO_BATCH;
  batch = text_rationale (&problem, &chosen, &reason);
  g_assert_nonnull (strstr (batch, "but another value is pinned."));
}

static void
check_sentence (const char *text)
{
  g_assert_nonnull (text);
  g_assert_cmpuint (strlen (text), >, 0);
  g_assert_true (g_utf8_validate (text, -1, NULL));
  g_assert_null (strstr (text, "(null)"));
  g_assert_null (strstr (text, "nan"));
  g_assert_null (strstr (text, "inf "));
  g_assert_null (strstr (text, "%s"));
  g_assert_null (strstr (text, "%u"));
}

/* Every text of a real answer: all dimensions, all neighbours, all recommendations, the steps. */
static void
test_real_answer (void)
{
  const SwSearchOptions options = { .top = 5 };
  SwDimension dimensions[SW_N_DIMENSIONS];
  g_autoptr (GPtrArray) steps = NULL;
  g_autofree char *tried = NULL, *counted = NULL;
  SwExplainer *explainer;
  SwSearchResult result;
  SwEstimate chosen;
  SwProblem problem;
  guint n;

  problem_70b (&problem, 32);
  sw_search (&problem, &options, &result);
  g_assert_cmpuint (result.n_best, >, 0);
  sw_estimate (&problem, &result.best[0].strategy, &chosen);
  n = sw_explain_dimensions (&problem, &chosen, dimensions);
  explainer = sw_explainer_new (&problem, &chosen);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *text = NULL;
      SwReason reason;

      sw_explainer_explain (explainer, dimensions[i], &reason);
      text = text_rationale (&problem, &chosen, &reason);
      check_sentence (text);
      for (guint j = 0; j < reason.n_neighbours; j++)
        {
          g_autofree char *row = shardwise_text_neighbour (&problem, &chosen,
                                                           &reason.neighbours[j]);

          check_sentence (row);
        }
    }
  sw_explainer_free (explainer);
  for (guint code = 0; code < SW_N_ADVICE; code++)
    {
      g_autofree char *text = text_advice (&problem, &chosen, (SwAdviceCode) code);

      check_sentence (text);
    }
  for (guint gpus = 1; gpus <= 2; gpus++) /* one GPU has nothing to split */
    {
      SwEstimate low = chosen;
      g_autofree char *text = NULL;

      low.gpus_used = gpus;
      text = text_advice (&problem, &low, SW_ADVICE_MEMORY_LOW);
      g_assert_cmpint (strstr (text, "less parallelism") != NULL, ==, gpus > 1);
    }
  steps = shardwise_text_steps (&problem, &chosen, &result, FALSE);
  g_assert_cmpuint (steps->len, ==, 3);
  for (guint i = 0; i < steps->len; i++)
    {
      const ShardwiseStep *step = g_ptr_array_index (steps, i);

      check_sentence (step->text);
      check_sentence (step->title);
      check_sentence (step->value);
      g_assert_true (step->done);
    }
  g_assert_nonnull (strstr (((const ShardwiseStep *) steps->pdata[0])->text, "In mixed precision"));
  problem.training.no_master = TRUE;
  g_ptr_array_unref (steps);
  steps = shardwise_text_steps (&problem, &chosen, &result, FALSE);
  g_assert_nonnull (
      strstr (((const ShardwiseStep *) steps->pdata[0])->text, "without a 32-bit copy"));
  tried = shardwise_format_whole ((double) result.tried);
  counted = g_strdup_printf ("Of %s strategies tried, ", tried);
  g_assert_true (
      g_str_has_prefix (((const ShardwiseStep *) g_ptr_array_index (steps, 2))->text, counted));
  sw_search_result_clear (&result);
}

/* Every rule has a sentence of its own, with the numbers of the strategy. */
static void
test_rules (void)
{
  g_autofree char *heads = NULL;
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  SwEstimate estimate;
  SwProblem problem;

  problem_70b (&problem, 32);
  made_up_estimate (&estimate);
  for (guint rule = SW_RULE_OK; rule < SW_N_RULES; rule++)
    {
      char *text = shardwise_text_rule (&problem, &estimate.strategy, (SwRule) rule, SW_GIB);

      check_sentence (text);
      g_assert_true (g_hash_table_add (seen, text));
    }
  estimate.strategy.tp = 24;
  heads = shardwise_text_rule (&problem, &estimate.strategy, SW_RULE_TP_HEADS, 0);
  g_assert_cmpstr (heads, ==, "64 attention heads cannot be split over TP 24");
}

static void
test_quick_advice (void)
{
  g_autofree char *misfit = NULL, *overhead = NULL;
  SwQuickScoreResult result;
  SwProblem problem;

  problem_70b (&problem, 8);
  problem.count.total = 70e9;
  problem.training.memory_target = 0.8;
  sw_quick_score (&problem, &result);
  misfit = shardwise_text_quick_advice (&problem, &result, SW_ADVICE_DOES_NOT_FIT);
  g_assert_cmpstr (misfit, ==,
                   "The model requires 181 GB per GPU, but only 64.0 GB of the GPU’s 80.0 GB may "
                   "be used. Consider more GPUs or different hardware.");
  sw_quick_score_evaluate (&problem, 8, 1, 1, &result.best);
  overhead = shardwise_text_quick_advice (&problem, &result, SW_ADVICE_TP_OVERHEAD);
  g_assert_nonnull (strstr (overhead, "(20.0 %)"));
}

static void
test_severity (void)
{
  g_assert_cmpint (shardwise_advice_severity (SW_ADVICE_DOES_NOT_FIT), ==,
                   SHARDWISE_SEVERITY_ERROR);
  g_assert_cmpint (shardwise_advice_severity (SW_ADVICE_TP_ACROSS_NODES), ==,
                   SHARDWISE_SEVERITY_WARNING);
  g_assert_cmpint (shardwise_advice_severity (SW_ADVICE_MEMORY_HIGH), ==,
                   SHARDWISE_SEVERITY_WARNING);
  g_assert_cmpint (shardwise_advice_severity (SW_ADVICE_BUBBLE_LARGE), ==,
                   SHARDWISE_SEVERITY_WARNING);
  g_assert_cmpint (shardwise_advice_severity (SW_ADVICE_COMMUNICATION_HIGH), ==,
                   SHARDWISE_SEVERITY_WARNING);
  g_assert_cmpint (shardwise_advice_severity (SW_ADVICE_DP_ONE), ==, SHARDWISE_SEVERITY_INFO);
}

/* Nothing fits: the verdict and every way out name numbers. */
static void
test_ways_out (void)
{
  SwChange changes[SW_MOST_CHANGES];
  SwProblem problem;
  guint n;

  problem_70b (&problem, 8);
  problem.cluster.usable_bytes = 20e9;
  problem.cluster.host_ram_bytes = 64e9;
  problem.training.type = SW_TRAINING_FINETUNE;
  n = sw_changes_tried (&problem, changes);
  g_assert_cmpuint (n, >, 0);
  for (guint i = 0; i < n; i++)
    {
      gboolean fits = changes[i].result.fits;
      g_autofree char *text = fits ? shardwise_text_change (&problem, &changes[i])
                                   : shardwise_text_miss (&problem, &changes[i]);

      check_sentence (text);
      g_assert_nonnull (strstr (text, fits ? "GiB per GPU" : "(it needs "));
      g_assert_true (!fits || changes[i].result.strategy.offload == SW_OFFLOAD_NONE
                     || strstr (text, "Offload: ") != NULL);
    }
}

/* What is pinned does not fit, the model does: the sentences say which, and a TP that would fit
 * takes the pinned DP with it. */
static void
test_pinned_misfit (void)
{
  static const SwStrategy job = { .tp = 2,
                                  .etp = 2,
                                  .pp = 1,
                                  .vpp = 1,
                                  .dp = 4,
                                  .cp = 1,
                                  .ep = 1,
                                  .sequence_parallel = TRUE,
                                  .zero_stage = 1,
                                  .shard_group = 4,
                                  .micro_batch = 4,
                                  .schedule = SW_SCHEDULE_1F1B };
  g_autofree char *verdict = NULL, *misfit = NULL, *raise = NULL, *open = NULL;
  SwEstimate estimate;
  SwProblem problem;

  problem_of ("llama-3-8b", &problem, 8);
  problem.pins.value = job;
  problem.pins.mask = 1u << SW_DIM_TP | 1u << SW_DIM_PP | 1u << SW_DIM_DP | 1u << SW_DIM_CP
                      | 1u << SW_DIM_ZERO | 1u << SW_DIM_MICRO_BATCH | 1u << SW_DIM_RECOMPUTE
                      | 1u << SW_DIM_OFFLOAD;
  sw_estimate (&problem, &job, &estimate);
  g_assert_cmpint (estimate.rule, ==, SW_RULE_GPU_MEMORY);
  verdict = shardwise_text_verdict (&problem, &estimate, shardwise_what_if_unpinned (&problem),
                                    NULL, 0, 0, 0, FALSE, NULL);
  g_assert_nonnull (strstr (verdict, "does not fit on these 8 H100 SXM5 80 GB with the pinned"));
  misfit = text_advice (&problem, &estimate, SW_ADVICE_DOES_NOT_FIT);
  g_assert_nonnull (strstr (misfit, "Without the pinned values, it fits"));
  g_assert_null (strstr (misfit, "more GPUs"));
  raise = text_advice (&problem, &estimate, SW_ADVICE_RAISE_TP);
  g_assert_nonnull (strstr (raise, "TP 4 (with DP 2) fits and needs "));
  problem.cluster.usable_bytes = 8e9; /* nor does it without them */
  sw_estimate (&problem, &job, &estimate);
  open = shardwise_text_verdict (&problem, &estimate, shardwise_what_if_unpinned (&problem), NULL,
                                 0, 0, 0, FALSE, NULL);
  g_assert_null (strstr (open, "pinned"));
}

/* On fewer GPUs than the playbook's ways begin with, none of them is offered. */
static void
test_few_gpus (void)
{
  for (guint gpus = 1; gpus <= 8; gpus += 7)
    {
      g_autoptr (GPtrArray) steps = NULL;
      g_autofree char *rule = NULL;
      SwEstimate estimate;
      SwProblem problem;

      problem_70b (&problem, gpus);
      made_up_estimate (&estimate);
      estimate.fits = TRUE;
      steps = shardwise_text_steps (&problem, &estimate, NULL, FALSE);
      for (guint i = 0; i < steps->len; i++)
        {
          const ShardwiseStep *step = g_ptr_array_index (steps, i);

          g_assert_true (gpus == 8 || strstr (step->text, "TP 8 or") == NULL);
          g_assert_true (gpus == 8 || strstr (step->text, "playbook suggests") == NULL);
          g_assert_true (gpus == 1 || i != 2 || strstr (step->text, "playbook suggests TP 8 or"));
        }
      rule = shardwise_text_rule (&problem, &estimate.strategy, SW_RULE_WORLD_SIZE, 0);
      g_assert_true (g_str_has_suffix (rule, gpus == 1 ? "exceeds 1 GPU" : "exceeds 8 GPUs"));
    }
}

/* Every count of a search is in its texts, every limit in one of both lists. */
static void
test_search (void)
{
  const SwSearchOptions options = { .top = 1, .complete = TRUE };
  g_autofree char *filters = shardwise_text_limits (TRUE), *ranks = shardwise_text_limits (FALSE);
  g_autofree char *searched = NULL, *kind = NULL, *live = NULL, *rejections = NULL, *tried = NULL;
  g_auto (GStrv) lines = NULL;
  guint rules[SW_N_RULES], n;
  guint64 total = 0, sum = 0;
  SwSearchResult result;
  SwProblem problem;

  problem_70b (&problem, 32);
  sw_search (&problem, &options, &result);
  n = shardwise_search_rejections (&result, rules, &total);
  g_assert_cmpuint (total + result.fit, ==, result.tried);
  rejections = shardwise_text_rejections (&result);
  lines = g_strsplit (rejections, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, n);
  for (guint i = 0; i < n; i++)
    {
      sum += g_ascii_strtoull (g_strchug (lines[i]), NULL, 10);
      g_assert_true (i == 0 || result.rejected[rules[i]] <= result.rejected[rules[i - 1]]);
      g_assert_nonnull (strstr (lines[i], shardwise_text_rule_title ((SwRule) rules[i])));
    }
  g_assert_cmpuint (sum, ==, total);
  searched = shardwise_text_searched (&result);
  tried = g_strdup_printf ("%" G_GUINT64_FORMAT " tried", result.tried);
  g_assert_nonnull (strstr (searched, tried));
  kind = shardwise_text_search_kind (&result);
  g_assert_nonnull (strstr (kind, "tried every strategy"));
  sw_search_result_clear (&result);
  sw_search (&problem, &(SwSearchOptions){ .top = 1 }, &result);
  live = shardwise_text_search_kind (&result);
  g_assert_nonnull (strstr (live, "a bound pruned"));
  sw_search_result_clear (&result);
  g_assert_nonnull (strstr (filters, "memory target"));
  g_assert_null (strstr (filters, "bubble"));
  g_assert_nonnull (strstr (ranks, "bubble"));
  g_assert_null (strstr (ranks, "memory target"));
}

/* Usual values are not mentioned; deviations from them are. */
static void
test_strategy (void)
{
  SwStrategy strategy;
  g_autofree char *usual = NULL, *unusual = NULL, *single = NULL;

  sw_strategy_init_default (&strategy);
  strategy.tp = strategy.etp = 8;
  strategy.sequence_parallel = TRUE;
  strategy.dp = strategy.shard_group = 4;
  strategy.zero_stage = 1;
  usual = shardwise_text_strategy (&strategy);
  g_assert_cmpstr (usual, ==, "TP 8 · PP 1 · DP 4 · ZeRO 1 · Micro-batch 1");
  strategy.sequence_parallel = FALSE;
  strategy.shard_group = 2;
  strategy.ep = 4;
  strategy.etp = 1;
  unusual = shardwise_text_strategy (&strategy);
  g_assert_cmpstr (unusual, ==,
                   "TP 8 · SP off · PP 1 · DP 4 · EP 4 · ETP 1 · ZeRO 1 · Shard group 2"
                   " · Micro-batch 1");
  strategy.tp = 1; /* nothing to switch off, nothing sharded */
  strategy.ep = 1;
  strategy.zero_stage = 0;
  strategy.schedule = SW_SCHEDULE_GPIPE; /* of one stage: without effect */
  strategy.cp_method = SW_CP_ULYSSES;    /* of whole sequences: likewise */
  single = shardwise_text_strategy (&strategy);
  g_assert_cmpstr (single, ==, "TP 1 · PP 1 · DP 4 · ZeRO 0 · Micro-batch 1");
}

/* Without tensor parallelism such traffic is the generation's, which has a degree of its own: what
 * grew is named by its phase. */
static void
test_growth (void)
{
  SwEstimate before = { .time = { .step_s = 10, .tp_exposed_s = 1, .compute_s = 9 },
                        .gpus_used = 64 };
  SwEstimate after = before;
  SwProblem problem;
  g_autofree char *of_part = NULL, *of_phase = NULL;

  problem_70b (&problem, 64);
  before.phases.n = after.phases.n = 2;
  before.phases.phase[0] = (SwPhase){ .kind = SW_PHASE_GENERATION, .time = { .step_s = 4 } };
  before.phases.phase[1] = (SwPhase){ .kind = SW_PHASE_POLICY, .time = { .step_s = 6 } };
  memcpy (after.phases.phase, before.phases.phase, sizeof after.phases.phase);
  after.time.step_s = 12;
  after.time.tp_exposed_s = 3;
  after.phases.phase[0].time.step_s = 6;
  after.strategy.tp = 2;
  of_part = shardwise_text_growth (&problem, &before, &after);
  g_assert_cmpstr (of_part, ==,
                   "exposed tensor-parallel communication grows from 10.0 % to 25.0 % of the step");
  after.strategy.tp = 1;
  of_phase = shardwise_text_growth (&problem, &before, &after);
  g_assert_cmpstr (of_phase, ==, "Generation grows from 40.0 % to 50.0 % of the step");
}

static void
check_cause (const SwProblem *problem, const SwEstimate *before, const SwEstimate *after,
             const char *expected)
{
  g_autofree char *cause = shardwise_text_growth (problem, before, after);

  g_assert_cmpstr (cause, ==, expected);
}

/* Fewer busy GPUs compute longer, each: what makes the difference is the idle ones, and why they
 * are. Stages that do not share the layers evenly are a cause of their own. */
static void
test_causes (void)
{
  SwEstimate before = {
    .time = { .step_s = 10, .compute_s = 9.5, .uneven_s = 0.5 },
    .strategy = { .tp = 4, .cp = 2, .pp = 4, .vpp = 1, .dp = 2, .micro_batch = 1 },
    .gradient_accumulation = 256,
    .gpus_used = 64
  };
  SwEstimate after = before;
  SwProblem problem;

  problem_70b (&problem, 64);
  after.strategy.pp = 5;
  after.strategy.dp = 1;
  after.gradient_accumulation = 512;
  after.gpus_used = 40;
  after.gpus_idle = 24;
  after.time = (SwTime){ .step_s = 16.3, .compute_s = 9.5 * 64 / 40, .uneven_s = 1.1 };
  check_cause (&problem, &before, &after,
               "24 of the 64 GPUs are idle: the number of GPUs is not a multiple of the replica "
               "size, 40 GPUs");
  after.strategy = (SwStrategy){ .tp = 5, .cp = 1, .pp = 2, .vpp = 1, .dp = 4, .micro_batch = 1 };
  after.gradient_accumulation = 128;
  check_cause (&problem, &before, &after,
               "24 of the 64 GPUs are idle: DP 6 would use them, but does not divide the batch of "
               "512 sequences");
  after.strategy.dp = 5;
  check_cause (&problem, &before, &after,
               "24 of the 64 GPUs are idle: 64 GPUs are not divisible by DP 5");
  /* A few idle ones do not hide what takes longer. */
  after = before;
  after.gpus_used = 62;
  after.gpus_idle = 2;
  after.time = (SwTime){ .step_s = 14, .compute_s = 9.6, .dp_exposed_s = 4.4 };
  check_cause (&problem, &before, &after,
               "exposed data-parallel communication grows from 0.0 % to 31.4 % of the step");
  after = before;
  after.strategy.pp = 12;
  after.time = (SwTime){ .step_s = 11, .compute_s = 9.5, .uneven_s = 1.5 };
  check_cause (
      &problem, &before, &after,
      "80 layers do not divide evenly over PP 12: waiting for the fullest stage grows from "
      "5.0 % to 13.6 % of the step");
  /* Another batch counts by what a sequence takes. */
  after = before;
  after.gradient_accumulation = 512;
  after.time = (SwTime){ .step_s = 24, .compute_s = 19, .uneven_s = 1, .bubble_s = 4 };
  check_cause (&problem, &before, &after,
               "the pipeline bubble grows from 0.0 % to 16.7 % of the step");
}

/* The accuracy that is stated is the file's: time in the median and of nine in ten, and memory. */
static void
test_accuracy (void)
{
  const SwAccuracy *a = &shardwise_catalogue_calibration (shardwise_catalogue_get ())->accuracy[0];
  const double figures[] = { a->time_median, a->time_p90, a->memory_median, a->memory_p90 };
  g_autofree char *text = shardwise_text_accuracy (a);
  const char *at = text;

  for (guint i = 0; i < G_N_ELEMENTS (figures); i++)
    {
      g_autofree char *figure = shardwise_format_percent (figures[i]);

      g_assert_cmpfloat (figures[i], >, 0.01);
      g_assert_cmpfloat (figures[i], <, 0.4);
      at = strstr (at, figure);
      g_assert_nonnull (at);
      at++;
    }
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "C.UTF-8");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/texts/strategy", test_strategy);
  g_test_add_func ("/texts/modules", test_modules);
  g_test_add_func ("/texts/interval", test_interval);
  g_test_add_func ("/texts/evaluation", test_evaluation);
  g_test_add_func ("/texts/verdict", test_verdict);
  g_test_add_func ("/texts/pinned-misfit", test_pinned_misfit);
  g_test_add_func ("/texts/few-gpus", test_few_gpus);
  g_test_add_func ("/texts/rationale", test_rationale);
  g_test_add_func ("/texts/beside", test_beside);
  g_test_add_func ("/texts/misfit", test_misfit);
  g_test_add_func ("/texts/faster-neighbour", test_faster_neighbour);
  g_test_add_func ("/texts/other-phases", test_other_phases);
  g_test_add_func ("/texts/real-answer", test_real_answer);
  g_test_add_func ("/texts/rules", test_rules);
  g_test_add_func ("/texts/quick-advice", test_quick_advice);
  g_test_add_func ("/texts/severity", test_severity);
  g_test_add_func ("/texts/ways-out", test_ways_out);
  g_test_add_func ("/texts/growth", test_growth);
  g_test_add_func ("/texts/causes", test_causes);
  g_test_add_func ("/texts/search", test_search);
  g_test_add_func ("/texts/accuracy", test_accuracy);
  return g_test_run ();
}
