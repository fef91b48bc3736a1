/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds of the memory of every strategy, on cases drawn at random with a fixed seed. */
#include "sw-estimate.h"
#include "sw-fixture.h"

#include "sw-tensors.h"
#include "sw-rules.h"

#include <math.h>

enum { SEED = 20261121, CASES = 10000 };

static double
states (const SwMemory *memory)
{
  return memory->peak.parameters + memory->peak.gradients + memory->peak.optimizer;
}

static GRand *
seeded (void)
{
  g_test_message ("seed %d, %d cases", SEED, CASES);
  return g_rand_new_with_seed (SEED);
}

static void
assert_parts (const SwMemoryParts *parts)
{
  const double all[] = { parts->parameters, parts->gradients, parts->optimizer, parts->activations,
                         parts->logits,     parts->buffers,   parts->framework };
  double sum = 0;

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    {
      g_assert_true (isfinite (all[i]));
      g_assert_cmpfloat (all[i], >=, 0);
      sum += all[i];
    }
  g_assert_cmpfloat_with_epsilon (sum / parts->total, 1, 1e-9);
}

/* Models of all make-ups, also with depths that no pipeline divides. */
static void
random_problem (GRand *rand, SwProblem *problem)
{
  SwModelSpec model;

  sw_fixture_random_model (rand, &model);
  if (g_rand_boolean (rand))
    model.layers = (guint) g_rand_int_range (rand, 5, 100);
  if (model.moe.experts > 0 && g_rand_boolean (rand))
    model.moe.layer_frequency = 2;
  model.tied_embeddings = g_rand_boolean (rand);
  sw_fixture_problem (problem, &model, 1u << g_rand_int_range (rand, 0, 9));
  problem->training.type = g_rand_boolean (rand) ? SW_TRAINING_PRETRAIN
                                                 : (SwTrainingType) g_rand_int_range (rand, 0, 5);
  problem->training.attention = g_rand_boolean (rand) ? SW_ATTENTION_FLASH : SW_ATTENTION_UNFUSED;
  problem->training.sequence_length = 1024u << g_rand_int_range (rand, 0, 6);
}

/* One stage as if it were the only one. */
static void
stage_memory (const SwProblem *problem, const SwStrategy *strategy, const SwLayerMemory *layer,
              guint stage, SwMemoryParts *out)
{
  SwScheduleMemory schedule;
  SwMemory memory;

  sw_schedule_memory_of_stage (problem, strategy, layer, stage, &schedule);
  sw_estimate_memory (problem, strategy, &schedule, &memory);
  *out = memory.peak;
}

/* The fullest stage that sw_memory names is the maximum over all stages, and parts are sums. */
static void
test_maximum_over_stages (void)
{
  g_autoptr (GRand) rand = seeded ();
  guint checked = 0;

  while (checked < CASES)
    {
      SwProblem problem;
      SwStrategy strategy;
      SwLayerMemory layer;
      SwMemory memory;
      double greatest = 0;

      random_problem (rand, &problem);
      if (!sw_fixture_random_strategy (rand, &problem, &strategy))
        continue;
      checked++;
      sw_fixture_memory (&problem, &strategy, &memory);
      assert_parts (&memory.peak);
      sw_layer_memory (&problem, &strategy, &layer);
      for (guint stage = 0; stage < strategy.pp; stage++)
        {
          SwMemoryParts parts;

          stage_memory (&problem, &strategy, &layer, stage, &parts);
          assert_parts (&parts);
          greatest = MAX (greatest, parts.total);
        }
      g_assert_cmpfloat_with_epsilon (memory.peak.total / greatest, 1, 1e-12);
    }
}

/* Experts in every so many layers only, after any number of dense ones. */
static void
random_rare_experts (GRand *rand, SwProblem *problem)
{
  SwModelSpec model;

  if (g_rand_boolean (rand))
    sw_fixture_mixtral_8x7b (&model);
  else
    sw_fixture_deepseek_v3 (&model);
  model.layers = (guint) g_rand_int_range (rand, 5, 130);
  model.moe.layer_frequency = (guint) g_rand_int_range (rand, 1, 9);
  model.moe.first_dense_layers = (guint) g_rand_int_range (rand, 0, (gint32) model.layers);
  model.moe.intermediate_size = 256u << g_rand_int_range (rand, 0, 6);
  sw_fixture_problem (problem, &model, 1u << g_rand_int_range (rand, 3, 9));
  problem->training.global_batch = 512;
}

/* Wherever the experts are, the stages that are looked at hold the most: of the GPUs' memory and,
 * with offload, of the hosts'. */
static void
test_rare_experts (void)
{
  g_autoptr (GRand) rand = seeded ();
  guint checked = 0;

  while (checked < CASES)
    {
      SwProblem problem;
      SwStrategy strategy;
      SwLayerMemory layer;
      SwMemory memory;
      double greatest = 0, host_bytes = 0;

      random_rare_experts (rand, &problem);
      if (!sw_fixture_random_strategy (rand, &problem, &strategy) || strategy.pp < 3)
        continue;
      checked++;
      strategy.offload = (guint8) g_rand_int_range (rand, 0, SW_OFFLOAD_ACTIVATIONS + 1);
      sw_fixture_memory (&problem, &strategy, &memory);
      sw_layer_memory (&problem, &strategy, &layer);
      for (guint stage = 0; stage < strategy.pp; stage++)
        {
          SwScheduleMemory schedule;
          SwMemory alone;

          sw_schedule_memory_of_stage (&problem, &strategy, &layer, stage, &schedule);
          sw_estimate_memory (&problem, &strategy, &schedule, &alone);
          greatest = MAX (greatest, alone.peak.total);
          host_bytes = MAX (host_bytes, alone.host_bytes);
        }
      g_assert_cmpfloat_with_epsilon (memory.peak.total / greatest, 1, 1e-12);
      g_assert_cmpfloat (memory.host_bytes, >=, host_bytes * (1 - 1e-12));
    }
}

/* A case: a question and a strategy that breaks no rule; whatever the strategy offloads. */
static void
random_case (GRand *rand, SwProblem *problem, SwStrategy *strategy)
{
  do
    {
      random_problem (rand, problem);
      problem->training.optimizer = (SwOptimizer) g_rand_int_range (rand, 0, SW_OPTIMIZER_SGD + 1);
      problem->training.precision = (SwPrecision) g_rand_int_range (rand, 0,
                                                                    SW_PRECISION_NVFP4 + 1);
    }
  while (!sw_fixture_random_strategy (rand, problem, strategy));
  strategy->offload = (guint8) g_rand_int_range (rand, 0, SW_OFFLOAD_ACTIVATIONS + 1);
  if (strategy->recompute == SW_RECOMPUTE_SELECTIVE && g_rand_boolean (rand))
    strategy->recompute_modules = (guint) g_rand_int_range (rand, 0, 1 << 7);
}

static double
part_of (const SwMemoryParts *parts, SwMemoryPart part)
{
  const double all[SW_N_PARTS] = { parts->parameters,  parts->gradients, parts->optimizer,
                                   parts->activations, parts->logits,    parts->buffers,
                                   parts->framework };

  return all[part];
}

/* The tensors of every stage add up to its total and to each of its parts. */
static void
test_tensors_add_up (void)
{
  g_autoptr (GRand) rand = seeded ();

  for (guint i = 0; i < CASES; i++)
    {
      SwProblem problem;
      SwStrategy strategy;
      SwMemoryParts parts;
      SwTensor tensors[SW_MAX_TENSORS];
      double sum[SW_N_PARTS] = { 0 }, total = 0;
      guint stage, n;

      random_case (rand, &problem, &strategy);
      stage = (guint) g_rand_int_range (rand, 0, (gint32) strategy.pp);
      sw_estimate_stage (&problem, &strategy, stage, &parts);
      n = sw_memory_tensors (&problem, &strategy, stage, tensors);
      g_assert_cmpuint (n, <=, SW_MAX_TENSORS);
      for (guint j = 0; j < n; j++)
        {
          g_assert_cmpfloat (tensors[j].bytes, >, 0);
          g_assert_cmpuint (tensors[j].tp * tensors[j].data, >=, 1);
          sum[tensors[j].part] += tensors[j].bytes;
          total += tensors[j].bytes;
        }
      g_assert_cmpfloat_with_epsilon (total / parts.total, 1, 1e-9);
      for (guint part = 0; part < SW_N_PARTS; part++)
        g_assert_cmpfloat_with_epsilon (sum[part] / parts.total,
                                        part_of (&parts, (SwMemoryPart) part) / parts.total, 1e-9);
    }
}

/* Longer micro-batches keep no less, offload leaves no more on the GPU, and recomputing all layers
 * keeps no more of them than recomputing none. */
static void
test_activations_are_ordered (void)
{
  g_autoptr (GRand) rand = seeded ();

  for (guint i = 0; i < CASES; i++)
    {
      SwProblem problem;
      SwStrategy strategy, other;
      SwMemory memory, than;
      SwLayerMemory layer;

      random_case (rand, &problem, &strategy);
      problem.training.type = SW_TRAINING_PRETRAIN;
      strategy.offload = SW_OFFLOAD_NONE;
      sw_fixture_memory (&problem, &strategy, &memory);
      other = strategy;
      other.micro_batch *= 2;
      problem.training.global_batch *= 2;
      sw_fixture_memory (&problem, &other, &than);
      problem.training.global_batch /= 2;
      g_assert_cmpfloat (than.peak.total, >=, memory.peak.total);
      other = strategy;
      other.offload = (guint8) g_rand_int_range (rand, 1, SW_OFFLOAD_ACTIVATIONS + 1);
      sw_fixture_memory (&problem, &other, &than);
      g_assert_cmpfloat (than.peak.total, <=, memory.peak.total * (1 + 1e-12));
      g_assert_cmpfloat (than.host_bytes, >=, 0);
      strategy.recompute = SW_RECOMPUTE_NONE;
      strategy.recompute_modules = 0;
      sw_layer_memory (&problem, &strategy, &layer);
      g_assert_cmpfloat (layer.activation_full_bytes, <=, layer.activation_bytes[SW_LAYER_DENSE]);
    }
}

/* Model states of the stage that has most of them, which need not be the fullest one. */
static double
greatest_states (const SwProblem *problem, const SwStrategy *strategy)
{
  SwLayerMemory layer;
  double greatest = 0;

  sw_layer_memory (problem, strategy, &layer);
  for (guint stage = 0; stage < strategy->pp; stage++)
    {
      SwMemory memory;

      stage_memory (problem, strategy, &layer, stage, &memory.peak);
      greatest = MAX (greatest, states (&memory));
    }
  return greatest;
}

/* One degree doubled: model states per GPU do not grow, but for the padding of the vocabulary. The
 * first cut of an FSDP2 job into a pipeline is no sharding in this sense: parameters and gradients
 * are no longer sharded at all times. */
static void
test_states_never_grow_with_sharding (void)
{
  static const SwDimension dimensions[] = { SW_DIM_TP, SW_DIM_PP, SW_DIM_EP, SW_DIM_SHARD_GROUP,
                                            SW_DIM_ZERO };
  g_autoptr (GRand) rand = seeded ();
  guint checked = 0;

  while (checked < CASES)
    {
      SwProblem problem;
      SwStrategy strategy, sharded;
      SwDimension dimension = dimensions[g_rand_int_range (rand, 0, G_N_ELEMENTS (dimensions))];
      double padding;

      random_problem (rand, &problem);
      problem.training.type = SW_TRAINING_PRETRAIN;
      if (!sw_fixture_random_strategy (rand, &problem, &strategy))
        continue;
      sharded = strategy;
      sw_strategy_set (&sharded, dimension,
                       sw_strategy_get (&strategy, dimension) * (dimension == SW_DIM_ZERO ? 1 : 2)
                           + (dimension == SW_DIM_ZERO ? 1 : 0));
      if (strategy.etp == strategy.tp && dimension == SW_DIM_TP)
        sharded.etp = sharded.tp;
      problem.cluster.gpus *= 2;
      if (sw_rules_check (&problem, &sharded) != SW_RULE_OK
          || (strategy.framework == SW_FRAMEWORK_FSDP2 && dimension == SW_DIM_PP
              && strategy.pp == 1))
        continue;
      checked++;
      padding = 2 * 22 * 128.0 * problem.model.hidden_size;
      g_assert_cmpfloat (greatest_states (&problem, &sharded), <=,
                         greatest_states (&problem, &strategy) + padding);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/memory-properties/maximum-over-stages", test_maximum_over_stages);
  g_test_add_func ("/memory-properties/rare-experts", test_rare_experts);
  g_test_add_func ("/memory-properties/tensors-add-up", test_tensors_add_up);
  g_test_add_func ("/memory-properties/activations-are-ordered", test_activations_are_ordered);
  g_test_add_func ("/memory-properties/states-never-grow-with-sharding",
                   test_states_never_grow_with_sharding);
  return g_test_run ();
}
