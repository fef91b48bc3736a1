/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-compute.h"
#include "sw-estimate.h"
#include "sw-fixture.h"
#include "sw-start.h"

#include <math.h>

static void
estimate_70b (SwEstimate *out)
{
  SwProblem problem;
  SwStrategy strategy;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  sw_estimate (&problem, &strategy, out);
}

static double
sum_of_parts (const SwTime *t)
{
  return t->compute_s + t->uneven_s + t->tp_exposed_s + t->cp_exposed_s + t->ep_exposed_s
         + t->pp_exposed_s + t->dp_exposed_s + t->bubble_s + t->optimizer_s + t->offload_exposed_s
         + t->other_s;
}

/* Llama 3 70B on 32 H100s in bf16: known jobs of that kind reach 40 to 50 % of the peak. */
static void
test_reference (void)
{
  SwEstimate e;
  double flops;

  estimate_70b (&e);
  g_assert_cmpuint (e.gpus_used, ==, 32);
  g_assert_cmpuint (e.gpus_idle, ==, 0);
  g_assert_cmpfloat (e.mfu, >, 0.3);
  g_assert_cmpfloat (e.mfu, <, 0.6);
  g_assert_cmpfloat (e.mfu_full_attention, >, e.mfu);
  g_assert_cmpfloat (e.hfu, >=, e.mfu);
  /* 6 FLOPs a parameter and token, attention and without the embedding's look-up, at 8192 tokens:
   * within a tenth. */
  flops = e.model_flops_per_s_per_gpu / e.tokens_per_s_per_gpu;
  g_assert_cmpfloat (fabs (log (flops / (6 * 70.55e9))), <, 0.1);
  g_assert_cmpfloat_with_epsilon (e.tokens_per_s, 32 * e.tokens_per_s_per_gpu, 1e-6);
}

/* Frozen weights have no gradient: two thirds of the FLOPs, of which adapters beside every linear
 * layer win back a part by the memory they move; quantised ones cost their expansion. */
static void
test_adapters (void)
{
  static const SwTrainingType types[] = { SW_TRAINING_PRETRAIN, SW_TRAINING_LORA };
  double compute[3];

  for (guint i = 0; i < 2; i++)
    {
      SwProblem problem;
      SwStrategy strategy;
      SwEstimate e;

      sw_fixture_problem_70b (&problem);
      sw_fixture_strategy_70b (&strategy);
      problem.training.type = types[i];
      sw_estimate (&problem, &strategy, &e);
      compute[i] = e.time.compute_s;
      problem.training.type = SW_TRAINING_QLORA;
      sw_estimate (&problem, &strategy, &e);
      compute[2] = e.time.compute_s;
    }
  g_assert_cmpfloat (compute[1], <, 0.92 * compute[0]);
  g_assert_cmpfloat (compute[1], >, 0.6 * compute[0]);
  g_assert_cmpfloat (compute[2], >, compute[1]);
}

/* For any strategy that breaks no rule: finite numbers, the parts add up exactly, the shares are
 * shares. */
static void
check_consistent (const SwEstimate *e)
{
  const SwTime *t = &e->time;
  const double parts[] = {
    t->compute_s,    t->recompute_s,  t->tp_exposed_s, t->cp_exposed_s, t->ep_exposed_s,
    t->pp_exposed_s, t->dp_exposed_s, t->bubble_s,     t->optimizer_s,  t->offload_exposed_s,
    t->other_s,      t->tp_hidden_s,  t->cp_hidden_s,  t->ep_hidden_s,  t->pp_hidden_s,
    t->dp_hidden_s,  e->mfu,          e->hfu,          e->tokens_per_s, e->compute_to_communication,
    t->uneven_s
  };

  g_assert_true (t->step_s == sum_of_parts (t));
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    g_assert_true (isfinite (parts[i]) && parts[i] >= 0);
  g_assert_cmpfloat (t->recompute_s, <=, t->compute_s);
  g_assert_cmpfloat (e->mfu, <, 1);
  g_assert_cmpfloat_with_epsilon (
      e->scaling_efficiency + e->bubble_fraction + e->communication_overhead, 1, 1e-12);
  g_assert_cmpfloat (e->step_low_s, <=, t->step_s);
  g_assert_cmpfloat (e->step_high_s, >=, t->step_s);
  if (e->rule == SW_RULE_OK)
    g_assert_cmpfloat (e->memory.peak.total, <=, e->memory_limit_bytes);
  if (e->rule == SW_RULE_GPU_MEMORY)
    g_assert_cmpfloat_with_epsilon (e->missing_bytes, e->memory.peak.total - e->memory_limit_bytes,
                                    1);
}

static void
random_problem (GRand *rand, SwProblem *problem)
{
  static void (*const models[]) (SwModelSpec *) = { sw_fixture_llama3_8b, sw_fixture_llama3_70b,
                                                    sw_fixture_mixtral_8x7b,
                                                    sw_fixture_deepseek_v3 };
  SwModelSpec model;

  models[g_rand_int_range (rand, 0, G_N_ELEMENTS (models))](&model);
  sw_fixture_problem (problem, &model, 8u << g_rand_int_range (rand, 0, 8));
  problem->training.precision = g_rand_int_range (rand, SW_PRECISION_BF16,
                                                  SW_PRECISION_FP8_ROWWISE + 1);
  problem->training.overlap = g_rand_boolean (rand) ? SW_OVERLAP_AUTO : SW_OVERLAP_NONE;
  problem->training.sequence_length = 2048u << g_rand_int_range (rand, 0, 6);
}

static void
test_random_strategies (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  guint checked = 0;

  for (guint i = 0; i < 20000; i++)
    {
      SwProblem problem;
      SwStrategy strategy;
      SwEstimate e;

      random_problem (rand, &problem);
      if (!sw_fixture_random_strategy (rand, &problem, &strategy))
        continue;
      sw_estimate (&problem, &strategy, &e);
      check_consistent (&e);
      checked++;
    }
  g_assert_cmpuint (checked, >, 200);
}

/* A slower network or memory never makes a step shorter; overlap never makes it longer. */
static void
test_monotone (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (23);

  for (guint i = 0; i < 10000; i++)
    {
      SwProblem problem, slower;
      SwStrategy strategy;
      SwEstimate before, after;

      random_problem (rand, &problem);
      if (!sw_fixture_random_strategy (rand, &problem, &strategy))
        continue;
      problem.training.overlap = SW_OVERLAP_AUTO;
      sw_estimate (&problem, &strategy, &before);
      slower = problem;
      slower.cluster.inter.bytes_per_s /= 2;
      sw_estimate (&slower, &strategy, &after);
      g_assert_cmpfloat (after.time.step_s, >=, before.time.step_s * (1 - 1e-12));
      slower = problem;
      slower.cluster.intra.bytes_per_s /= 4;
      sw_estimate (&slower, &strategy, &after);
      g_assert_cmpfloat (after.time.step_s, >=, before.time.step_s * (1 - 1e-12));
      slower = problem;
      slower.training.overlap = SW_OVERLAP_NONE;
      sw_estimate (&slower, &strategy, &after);
      g_assert_cmpfloat (after.time.step_s, >=, before.time.step_s * (1 - 1e-12));
    }
}

/* More micro-batches: a smaller share of bubble. Twice the batch at the same micro-batch. */
static void
test_bubble_falls (void)
{
  double last = 1;

  for (guint batch = 4; batch <= 512; batch *= 2)
    {
      SwProblem problem;
      SwStrategy strategy;
      SwEstimate e;

      sw_fixture_problem_70b (&problem);
      sw_fixture_strategy_70b (&strategy);
      strategy.micro_batch = 1;
      problem.training.global_batch = batch;
      sw_estimate (&problem, &strategy, &e);
      g_assert_cmpfloat (e.bubble_fraction, <, last);
      last = e.bubble_fraction;
    }
  g_assert_cmpfloat (last, <, 0.02);
}

/* Seconds of the optimizer step of @model on one GPU over those of so many parameters: 30 bytes
 * each with AdamW, at the rate that the fixture's memory reaches. */
static double
stepped_share (SwModelSpec *model, double parameters)
{
  SwProblem problem;
  SwStrategy strategy;
  SwEstimate e;

  sw_fixture_problem (&problem, model, 1);
  sw_fixture_strategy_70b (&strategy);
  strategy.tp = strategy.etp = strategy.pp = strategy.vpp = strategy.dp = strategy.shard_group = 1;
  strategy.schedule = SW_SCHEDULE_1F1B;
  strategy.sequence_parallel = FALSE;
  strategy.zero_stage = 0;
  sw_estimate (&problem, &strategy, &e);
  return e.time.optimizer_s / (30 * parameters / sw_stream_bytes_per_s (&problem));
}

/* Every parameter is stepped once: a tied head is the embedding, and the layers of multi-token
 * prediction have experts of their own. */
static void
test_steps_every_parameter (void)
{
  SwParameterCount count;
  SwModelSpec model;

  sw_fixture_llama3_8b (&model);
  model.tied_embeddings = TRUE;
  sw_model_count (&model, &count);
  g_assert_cmpfloat_with_epsilon (stepped_share (&model, count.total), 1, 1e-3);
  sw_fixture_deepseek_v3 (&model);
  sw_model_count (&model, &count);
  g_assert_cmpfloat_with_epsilon (stepped_share (&model, count.total + count.mtp), 1, 1e-3);
}

/* Full recomputation runs every layer's forward pass again: a fourth of the layers' FLOPs. */
static void
test_full_recompute (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwEstimate none, some, full;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  strategy.recompute = SW_RECOMPUTE_NONE;
  sw_estimate (&problem, &strategy, &none);
  g_assert_cmpfloat (none.time.recompute_s, ==, 0);
  strategy.recompute = SW_RECOMPUTE_FULL;
  sw_estimate (&problem, &strategy, &full);
  g_assert_cmpfloat (full.time.recompute_s / none.time.compute_s, >, 0.25);
  g_assert_cmpfloat (full.time.recompute_s / none.time.compute_s, <, 0.37);
  g_assert_cmpfloat (full.time.tp_exposed_s, >, none.time.tp_exposed_s);
  strategy.recompute = SW_RECOMPUTE_FULL_LAYERS;
  strategy.full_layers = 10;
  sw_estimate (&problem, &strategy, &some);
  g_assert_cmpfloat_with_epsilon (some.time.recompute_s, full.time.recompute_s / 2, 1e-9);
}

/* Stage by stage the parts of memory are those of the whole: the worst of them. */
static void
test_stages (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwEstimate e;
  double worst = 0;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  sw_estimate (&problem, &strategy, &e);
  for (guint stage = 0; stage < strategy.pp; stage++)
    {
      SwMemoryParts parts;

      sw_estimate_stage (&problem, &strategy, stage, &parts);
      worst = MAX (worst, parts.total);
    }
  g_assert_cmpfloat_with_epsilon (worst, e.memory.peak.total, 1);
}

static void
test_host_memory (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwEstimate e;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  problem.training.framework = SW_FRAMEWORK_DEEPSPEED;
  problem.cluster.host_ram_bytes = 1e9;
  strategy.framework = SW_FRAMEWORK_DEEPSPEED;
  strategy.offload = SW_OFFLOAD_OPTIMIZER;
  strategy.pp = 1;
  strategy.dp = 4;
  strategy.shard_group = 4;
  strategy.zero_stage = 2;
  strategy.sequence_parallel = FALSE;
  strategy.micro_batch = 1;
  strategy.recompute = SW_RECOMPUTE_FULL;
  sw_estimate (&problem, &strategy, &e);
  g_assert_cmpfloat (e.memory.host_bytes, >, 1e9);
  g_assert_cmpfloat (e.time.offload_exposed_s, >, 0);
  if (e.rule == SW_RULE_HOST_MEMORY)
    g_assert_cmpfloat_with_epsilon (e.missing_bytes, e.memory.host_bytes - 1e9, 1);
  else
    g_assert_cmpint (e.rule, ==, SW_RULE_GPU_MEMORY);
}

/* The ends of what is accepted, and a GPU without the arithmetic that is asked for: finite numbers
 * all the same. */
static void
test_extremes (void)
{
  static const guint sequences[] = { 1, 2, 1u << 30 };

  for (guint i = 0; i < G_N_ELEMENTS (sequences); i++)
    for (guint precision = SW_PRECISION_BF16; precision <= SW_PRECISION_NVFP4; precision++)
      {
        SwProblem problem;
        SwStrategy strategy;
        SwEstimate e;

        sw_fixture_problem_70b (&problem);
        sw_fixture_strategy_70b (&strategy);
        problem.training.sequence_length = sequences[i];
        problem.training.global_batch = 4;
        problem.training.precision = precision;
        problem.cluster.gpu.peak_bf16_flops_per_s = 0;
        problem.cluster.gpu.measured_bf16_flops_per_s = 0;
        problem.cluster.gpu.tdp_w = 0;
        sw_estimate (&problem, &strategy, &e);
        g_assert_true (isfinite (e.time.step_s) && e.time.step_s > 0);
        g_assert_true (isfinite (e.mfu) && isfinite (e.tokens_high_per_s)
                       && isfinite (e.compute_to_communication));
      }
}

/* Muon turns the matrices of the layers, each by its shorter side; embedding and head have
 * AdamW. */
static void
test_muon (void)
{
  static void (*const models[]) (SwModelSpec *) = { sw_fixture_llama3_8b, sw_fixture_mixtral_8x7b };
  static const double experts_side[] = { 0, 4096 };

  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    {
      const SwOptimizer optimizers[] = { SW_OPTIMIZER_ADAMW, SW_OPTIMIZER_MUON };
      double optimizer_s[2], bytes_s, experts, dense;
      SwLayerMemory layer;
      SwStrategy strategy;
      SwModelSpec model;
      SwProblem problem;
      SwEstimate e;
      SwRates rates;

      models[i](&model);
      sw_fixture_problem (&problem, &model, 1);
      sw_strategy_init_default (&strategy);
      for (guint j = 0; j < 2; j++)
        {
          problem.training.optimizer = optimizers[j];
          sw_estimate (&problem, &strategy, &e);
          optimizer_s[j] = e.time.optimizer_s;
        }
      sw_layer_memory (&problem, &strategy, &layer);
      sw_rates_init (&rates, &problem, SW_FRAMEWORK_MEGATRON_CORE);
      dense = 32 * layer.layer_parameters[experts_side[i] > 0 ? SW_LAYER_MOE : SW_LAYER_DENSE];
      experts = 32 * layer.expert_parameters;
      bytes_s = optimizer_s[0] * (4 + 16 + 2) / (4 + 24 + 2); /* read and written */
      g_assert_cmpfloat_with_epsilon (
          optimizer_s[1] - bytes_s,
          30 * (dense * 4096 + experts * experts_side[i]) / rates.half_flops_per_s, 1e-9);
    }
}

/* A target that nobody stated steers: what is above it, but leaves the allocator room, may fit, and is
 * found where nothing is within it. A target that is stated excludes. */
static void
test_target (void)
{
  static const struct {
    double share; /* of usable memory that the least takes */
    SwFit steered, stated;
  } cases[] = { { 0.5, SW_FIT_FITS, SW_FIT_FITS },
                { 0.93, SW_FIT_MAY_NOT, SW_FIT_DOES_NOT_FIT },
                { 0.97, SW_FIT_DOES_NOT_FIT, SW_FIT_DOES_NOT_FIT } };
  const SwSearchOptions options = { .top = 1 };
  SwModelSpec model;
  SwProblem problem, asked;
  SwEstimate estimate;

  sw_fixture_llama3_8b (&model);
  sw_fixture_problem (&problem, &model, 8);
  problem.training.framework = SW_FRAMEWORK_MEGATRON_CORE;
  problem.cluster.usable_bytes = 1e9; /* nothing fits: the nearest takes the least */
  asked = problem;
  {
    SwSearchResult result;

    sw_search_start (&asked, &options, &result);
    g_assert_cmpuint (result.n_nearest, >, 0);
    sw_estimate (&problem, &result.nearest[0].strategy, &estimate);
    sw_search_result_clear (&result);
  }
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint steers = 0; steers < 2; steers++)
      {
        const SwFit fit = steers ? cases[i].steered : cases[i].stated;
        SwSearchResult result;
        SwEstimate other;

        problem.cluster.usable_bytes = estimate.memory.peak.total / cases[i].share;
        problem.training.memory_target = 0.9;
        problem.training.target_steers = steers != 0;
        sw_estimate (&problem, &estimate.strategy, &other);
        g_assert_cmpint (other.fit, ==, fit);
        asked = problem;
        sw_search_start (&asked, &options, &result);
        g_assert_cmpint (result.n_best > 0, ==, fit != SW_FIT_DOES_NOT_FIT);
        sw_search_result_clear (&result);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/estimate/reference", test_reference);
  g_test_add_func ("/estimate/adapters", test_adapters);
  g_test_add_func ("/estimate/random-strategies", test_random_strategies);
  g_test_add_func ("/estimate/monotone", test_monotone);
  g_test_add_func ("/estimate/bubble-falls", test_bubble_falls);
  g_test_add_func ("/estimate/steps-every-parameter", test_steps_every_parameter);
  g_test_add_func ("/estimate/full-recompute", test_full_recompute);
  g_test_add_func ("/estimate/stages", test_stages);
  g_test_add_func ("/estimate/host-memory", test_host_memory);
  g_test_add_func ("/estimate/extremes", test_extremes);
  g_test_add_func ("/estimate/muon", test_muon);
  g_test_add_func ("/estimate/target", test_target);
  return g_test_run ();
}
