/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-fixture.h"
#include "sw-split.h"
#include "sw-tensors.h"

#include <math.h>

static double
states (const SwMemory *memory)
{
  return memory->peak.parameters + memory->peak.gradients + memory->peak.optimizer;
}

/* Layers of every stage, and their kinds. DeepSeek-V3: 61 layers, the first three dense. */
static void
test_stage_layers (void)
{
  static const struct {
    guint layers, pp, expected[8];
  } splits[] = {
    { 80, 4, { 20, 20, 20, 20 } },
    { 126, 8, { 15, 16, 16, 16, 16, 16, 16, 15 } }, /* embedding and head count as layers */
    { 61, 4, { 15, 16, 16, 14 } },                  /* the head is worth more than a layer */
    { 5, 3, { 2, 2, 1 } },
    { 10, 4, { 2, 3, 3, 2 } },
    { 3, 3, { 1, 1, 1 } },
    { 9, 1, { 9 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (splits); i++)
    {
      SwProblem problem;
      SwStrategy strategy;

      sw_fixture_problem_70b (&problem);
      sw_strategy_init_default (&strategy);
      problem.model.layers = splits[i].layers;
      strategy.pp = splits[i].pp;
      for (guint stage = 0; stage < splits[i].pp; stage++)
        g_assert_cmpuint (sw_stage_layers (&problem, &strategy, stage), ==,
                          splits[i].expected[stage]);
    }
}

static void
test_stage_kinds (void)
{
  SwModelSpec model;
  SwProblem problem;
  SwStrategy strategy;
  guint kinds[SW_N_LAYER_KINDS];

  sw_fixture_deepseek_v3 (&model);
  sw_fixture_problem (&problem, &model, 64);
  sw_strategy_init_default (&strategy);
  strategy.pp = 4;
  sw_stage_layer_kinds (&problem, &strategy, 0, kinds);
  g_assert_cmpuint (kinds[SW_LAYER_DENSE], ==, 3);
  g_assert_cmpuint (kinds[SW_LAYER_MOE], ==, 13);
  sw_stage_layer_kinds (&problem, &strategy, 2, kinds);
  g_assert_cmpuint (kinds[SW_LAYER_DENSE], ==, 0);
  g_assert_cmpuint (kinds[SW_LAYER_MOE], ==, 16);
}

/* Every split of every depth holds each layer once, and the kinds agree with the model's own rule.
 */
static void
test_stages_cover_the_model (void)
{
  SwModelSpec model;
  SwProblem problem;
  SwStrategy strategy;

  sw_fixture_deepseek_v3 (&model);
  sw_fixture_problem (&problem, &model, 64);
  sw_strategy_init_default (&strategy);
  for (guint layers = 1; layers <= 70; layers++)
    for (strategy.pp = 1; strategy.pp <= layers; strategy.pp++)
      {
        guint layer = 0;

        problem.model.layers = layers;
        problem.model.moe.layer_frequency = 1 + layers % 3;
        for (guint stage = 0; stage < strategy.pp; stage++)
          {
            guint kinds[SW_N_LAYER_KINDS], moe = 0,
                                           n = sw_stage_layers (&problem, &strategy, stage);

            g_assert_cmpuint (n, >=, 1);
            for (guint i = 0; i < n; i++)
              moe += sw_model_layer_is_moe (&problem.model, layer++) ? 1 : 0;
            sw_stage_layer_kinds (&problem, &strategy, stage, kinds);
            g_assert_cmpuint (kinds[SW_LAYER_MOE], ==, moe);
            g_assert_cmpuint (kinds[SW_LAYER_DENSE], ==, n - moe);
          }
        g_assert_cmpuint (layer, ==, layers);
      }
}

/* On one GPU, bytes per parameter: Megatron 2 + 4 + 12; DeepSpeed's bf16 optimizer 2 + 6 + 12; FSDP
 * on fp32 parameters 4 + 4 + 8. Over 8 GPUs with ZeRO 1, Megatron's 6 + 12 / 8; FSDP's stage 3 16
 * / 8. */
static void
test_bytes_per_parameter (void)
{
  static const struct {
    SwFramework framework;
    guint dp, zero;
    double bytes;
  } recipes[] = {
    { SW_FRAMEWORK_MEGATRON_CORE, 1, 0, 18 },
    { SW_FRAMEWORK_MEGATRON_CORE, 8, 0, 18 },
    { SW_FRAMEWORK_MEGATRON_CORE, 8, 1, 7.5 },
    { SW_FRAMEWORK_DEEPSPEED, 1, 1, 20 },
    { SW_FRAMEWORK_DEEPSPEED, 8, 1, 9.5 },
    { SW_FRAMEWORK_DEEPSPEED, 8, 2, 3.75 },
    { SW_FRAMEWORK_DEEPSPEED, 8, 3, 2 },
    { SW_FRAMEWORK_FSDP, 1, 3, 16 },
    { SW_FRAMEWORK_FSDP, 8, 3, 2 },
    { SW_FRAMEWORK_FSDP2, 8, 2, 4 },
    { SW_FRAMEWORK_NANOTRON, 8, 1, 7.5 },
    { SW_FRAMEWORK_MEGATRON_2021, 8, 0, 18 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (recipes); i++)
    {
      SwModelSpec model;
      SwProblem problem;
      SwStrategy strategy;
      SwMemory memory;

      sw_fixture_llama3_8b (&model);
      model.vocab_size = 128 * 1024; /* no padding */
      sw_fixture_problem (&problem, &model, 8);
      sw_strategy_init_default (&strategy);
      strategy.framework = (guint8) recipes[i].framework;
      strategy.dp = strategy.shard_group = recipes[i].dp;
      strategy.zero_stage = (guint8) recipes[i].zero;
      problem.training.accumulates = TRUE; /* gradients stay */
      sw_fixture_memory (&problem, &strategy, &memory);
      g_assert_cmpfloat_with_epsilon (states (&memory) / problem.count.total, recipes[i].bytes,
                                      1e-9);
    }
}

/* Mixtral over EP 8, DP 8: the experts' states are on their own, whole; the rest is sharded over 8.
 * By hand, per GPU: one expert of 176,160,768 in each of 32 layers at 18 bytes, 1,605,636,096 other
 * parameters at 6 + 12 / 8. */
static void
test_experts_have_their_own_group (void)
{
  SwModelSpec model;
  SwProblem problem;
  SwStrategy strategy;
  SwMemory memory;
  double experts = 32 * 176160768.0, rest = 1605636096.0;

  sw_fixture_mixtral_8x7b (&model);
  sw_fixture_problem (&problem, &model, 8);
  sw_strategy_init_default (&strategy);
  strategy.dp = strategy.ep = strategy.shard_group = 8;
  strategy.zero_stage = 1;
  sw_fixture_memory (&problem, &strategy, &memory);
  g_assert_cmpfloat_with_epsilon (states (&memory) / (experts * 18 + rest * 7.5), 1, 1e-9);
}

/* The base of LoRA is weights alone: 16 GB of an 8 B model in bf16, a quarter of it and constants
 * in NF4, but for embedding and head, which stay in bf16. Rank 16 on all matrices of Llama 3 8B:
 * 41,943,040 adapter parameters (as PEFT prints). */
static void
test_lora (void)
{
  SwModelSpec model;
  SwProblem problem;
  SwStrategy strategy;
  SwMemory memory;
  const double adapters = 41943040, vocabulary = 2.0 * 128 * 1024 * 4096;

  sw_fixture_llama3_8b (&model);
  model.vocab_size = 128 * 1024;
  sw_fixture_problem (&problem, &model, 1);
  sw_strategy_init_default (&strategy);
  problem.training.type = SW_TRAINING_LORA;
  sw_fixture_memory (&problem, &strategy, &memory);
  g_assert_cmpfloat_with_epsilon (memory.peak.parameters, 2 * (problem.count.total + adapters), 1);
  g_assert_cmpfloat_with_epsilon (memory.peak.optimizer, 12 * adapters, 1);
  problem.training.type = SW_TRAINING_QLORA;
  sw_fixture_memory (&problem, &strategy, &memory);
  g_assert_cmpfloat_with_epsilon (
      memory.peak.parameters,
      vocabulary * 2 + (problem.count.total - vocabulary) * 4.127 / 8 + 2 * adapters, 1);
}

/* Bytes per parameter of Llama 3 8B by the precision of its states: parameters, gradients and
 * optimizer, on one GPU. */
static void
test_states (void)
{
  static const struct {
    SwFramework framework;
    SwTraining states;
    double parameters, gradients, optimizer;
  } table[] = {
    { SW_FRAMEWORK_FSDP, { .no_master = FALSE }, 4, 4, 8 },
    { SW_FRAMEWORK_FSDP, { .no_master = TRUE }, 2, 2, 2 * 2 },
    { SW_FRAMEWORK_FSDP, { .no_master = TRUE, .moment_bytes = 4 }, 2, 2, 2 * 4 },
    { SW_FRAMEWORK_FSDP, { .moment_bytes = 1 }, 4, 4, 2 * (1 + 4.0 / 256) },
    { SW_FRAMEWORK_FSDP, { .autocast = TRUE }, 4 + 2, 4, 8 },
    { SW_FRAMEWORK_FSDP, { .no_master = TRUE, .optimizer_in_backward = TRUE }, 2, 0, 2 * 2 },
    { SW_FRAMEWORK_MEGATRON_CORE, { .gradient_bytes = 4 }, 2, 4, 4 + 8 },
    { SW_FRAMEWORK_MEGATRON_CORE, { .no_master = TRUE, .gradient_bytes = 2 }, 2, 2, 2 * 2 },
    { SW_FRAMEWORK_MEGATRON_CORE,
      { .master_bytes = 2, .moment_bytes = 2, .gradient_bytes = 2 },
      2,
      2,
      2 + 2 * 2 },
    { SW_FRAMEWORK_DEEPSPEED, { .no_master = FALSE }, 2, 2 + 4, 4 + 8 },
    { SW_FRAMEWORK_DEEPSPEED, { .no_master = TRUE }, 2, 2, 2 * 2 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      const SwTraining *states = &table[i].states;
      SwModelSpec model;
      SwProblem problem;
      SwStrategy strategy;
      SwMemory memory;

      sw_fixture_llama3_8b (&model);
      model.vocab_size = 128 * 1024;
      sw_fixture_problem (&problem, &model, 1);
      problem.training.gradient_bytes = states->gradient_bytes;
      problem.training.no_master = states->no_master;
      problem.training.master_bytes = states->master_bytes;
      problem.training.moment_bytes = states->moment_bytes;
      problem.training.autocast = states->autocast;
      problem.training.optimizer_in_backward = states->optimizer_in_backward;
      sw_strategy_init_default (&strategy);
      strategy.framework = (guint8) table[i].framework;
      sw_fixture_memory (&problem, &strategy, &memory);
      g_test_message ("row %u", i);
      g_assert_cmpfloat_with_epsilon (memory.peak.parameters / problem.count.total,
                                      table[i].parameters, 1e-6);
      g_assert_cmpfloat_with_epsilon (memory.peak.gradients / problem.count.total,
                                      table[i].gradients, 1e-6);
      g_assert_cmpfloat_with_epsilon (memory.peak.optimizer / problem.count.total,
                                      table[i].optimizer, 1e-6);
    }
}

/* The one figure of a parameter is that of the breakdown: 18 bytes under Megatron with fp32
 * gradients, 16 under FSDP, however it is sharded. */
static void
test_unsharded_states (void)
{
  static const struct {
    SwFramework framework;
    double bytes;
  } table[] = { { SW_FRAMEWORK_MEGATRON_CORE, 18 }, { SW_FRAMEWORK_FSDP, 16 } };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    for (guint stage = 0; stage <= 3; stage += 3)
      {
        SwModelSpec model;
        SwProblem problem;
        SwStrategy strategy;
        SwMemory memory;
        double states;

        sw_fixture_llama3_8b (&model);
        model.vocab_size = 128 * 1024;
        sw_fixture_problem (&problem, &model, 8);
        sw_strategy_init_default (&strategy);
        strategy.framework = (guint8) table[i].framework;
        states = sw_unsharded_state_bytes (&problem, &strategy);
        g_assert_cmpfloat_with_epsilon (states / problem.count.total, table[i].bytes, 1e-9);
        sw_fixture_memory (&problem, &strategy, &memory);
        g_assert_cmpfloat_with_epsilon (
            (memory.peak.parameters + memory.peak.gradients + memory.peak.optimizer) / states, 1,
            1e-9);
        strategy.dp = strategy.shard_group = 8;
        strategy.zero_stage = (guint8) stage;
        g_assert_cmpfloat_with_epsilon (sw_unsharded_state_bytes (&problem, &strategy), states, 1);
      }
}

/* An adapter's base: one byte in FP8, 4 bits and a scale in GPTQ, four bytes where autocast casts it;
 * embedding and head have 16 bits at least, and are copied where they are trained, with gradients
 * and states. */
static void
test_bases (void)
{
  static const struct {
    SwBase base;
    double bytes;
  } table[] = { { SW_BASE_BF16, 2 },
                { SW_BASE_FP8, 1 },
                { SW_BASE_NF4, 4.127 / 8 },
                { SW_BASE_INT4, (4 + 20 / 128.0) / 8 },
                { SW_BASE_FP32, 4 } };
  const double adapters = 41943040, vocabulary = 2.0 * 128 * 1024 * 4096;
  SwModelSpec model;
  SwProblem problem;
  SwStrategy strategy;
  SwMemory memory;

  sw_fixture_llama3_8b (&model);
  model.vocab_size = 128 * 1024;
  sw_fixture_problem (&problem, &model, 1);
  sw_strategy_init_default (&strategy);
  problem.training.type = SW_TRAINING_LORA;
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      problem.training.base = table[i].base;
      sw_fixture_memory (&problem, &strategy, &memory);
      g_assert_cmpfloat_with_epsilon (memory.peak.parameters,
                                      vocabulary * MAX (table[i].bytes, 2)
                                          + (problem.count.total - vocabulary) * table[i].bytes
                                          + 2 * adapters,
                                      1);
    }
  problem.training.base = SW_BASE_BF16;
  problem.training.lora_vocabulary = TRUE;
  sw_fixture_memory (&problem, &strategy, &memory);
  g_assert_cmpfloat_with_epsilon (memory.peak.parameters,
                                  2 * problem.count.total + 2 * (adapters + vocabulary), 1);
  g_assert_cmpfloat_with_epsilon (memory.peak.optimizer, 12 * (adapters + vocabulary), 1);
}

/* Paged states are in the host's memory where the GPU's runs short; beside the total they stay on it
 * while there is room. */
static void
test_paged_states (void)
{
  SwModelSpec model;
  SwProblem problem;
  SwStrategy strategy;
  SwMemory memory;
  const double states = 2 * (1 + 4.0 / 256);

  sw_fixture_llama3_8b (&model);
  sw_fixture_problem (&problem, &model, 1);
  problem.training.optimizer = SW_OPTIMIZER_PAGED_ADAM8BIT;
  problem.training.no_master = TRUE;
  sw_strategy_init_default (&strategy);
  strategy.framework = SW_FRAMEWORK_FSDP;
  sw_fixture_memory (&problem, &strategy, &memory);
  g_assert_cmpfloat (memory.peak.optimizer, ==, 0);
  g_assert_cmpfloat_with_epsilon (memory.host_bytes / problem.count.total, states, 1e-6);
  g_assert_cmpfloat_with_epsilon (memory.peak.reclaimable / problem.count.total, states, 1e-6);
}

/* Master weights and states of Llama 3 8B. Adafactor: two fp32 vectors of a 4096 x 4096 matrix;
 * Muon runs AdamW on embedding and head, 1,050,673,152 of 8,030,261,248 parameters. */
static void
test_optimizers (void)
{
  static const struct {
    SwOptimizer optimizer;
    double bytes;
  } table[] = {
    { SW_OPTIMIZER_ADAMW, 12 },
    { SW_OPTIMIZER_ADAM8BIT, 6.03125 },
    { SW_OPTIMIZER_ADAFACTOR, 4 + 8.0 / 4096 },
    { SW_OPTIMIZER_MUON, 8 + 4 * 1050673152.0 / 8030261248.0 },
    { SW_OPTIMIZER_SGD, 8 },
    { SW_OPTIMIZER_LION, 8 },
    { SW_OPTIMIZER_PAGED_ADAM8BIT, 0 }, /* they leave the GPU where memory is short */
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      SwModelSpec model;
      SwProblem problem;
      SwStrategy strategy;
      SwMemory memory;

      sw_fixture_llama3_8b (&model);
      sw_fixture_problem (&problem, &model, 1);
      problem.training.optimizer = table[i].optimizer;
      sw_strategy_init_default (&strategy);
      sw_fixture_memory (&problem, &strategy, &memory);
      g_assert_cmpfloat_with_epsilon (memory.peak.optimizer / problem.count.total, table[i].bytes,
                                      0.001);
    }
}

/* What leaves the GPU is found on the host: 8 GPUs of a node; and fp32 gradients of each parameter. */
static void
test_offload (void)
{
  SwModelSpec model;
  SwProblem problem;
  SwStrategy strategy;
  SwMemory before, after;
  double gradients;

  sw_fixture_llama3_8b (&model);
  sw_fixture_problem (&problem, &model, 8);
  sw_strategy_init_default (&strategy);
  strategy.framework = SW_FRAMEWORK_DEEPSPEED;
  strategy.dp = strategy.shard_group = 8;
  strategy.zero_stage = 3;
  gradients = 4 * problem.count.total;
  sw_fixture_memory (&problem, &strategy, &before);
  g_assert_cmpfloat (before.host_bytes, ==, 0);
  strategy.offload = SW_OFFLOAD_OPTIMIZER;
  sw_fixture_memory (&problem, &strategy, &after);
  g_assert_cmpfloat (after.peak.optimizer, ==, 0);
  g_assert_cmpfloat_with_epsilon (after.host_bytes / (8 * before.peak.optimizer + gradients), 1,
                                  1e-3);
  strategy.offload = SW_OFFLOAD_OPTIMIZER_PARAMS;
  sw_fixture_memory (&problem, &strategy, &after);
  g_assert_cmpfloat_with_epsilon (after.host_bytes / (8 * states (&before) + gradients), 1, 1e-3);
  strategy.offload = SW_OFFLOAD_ACTIVATIONS;
  sw_fixture_memory (&problem, &strategy, &after);
  g_assert_cmpfloat (after.peak.activations, <, before.peak.activations);
  g_assert_cmpfloat (after.host_bytes, >, 0);
}

/* FSDP in a pipeline keeps parameters gathered (bf16) and gradients whole (fp32): only the shards
 * of fp32 parameters, gradients and moments leave for the host, 16 bytes over the group of 4. */
static void
test_offload_in_a_pipeline (void)
{
  SwModelSpec model;
  SwProblem problem;
  SwStrategy strategy;
  SwMemory before, after;

  sw_fixture_llama3_8b (&model);
  sw_fixture_problem (&problem, &model, 8);
  sw_strategy_init_default (&strategy);
  strategy.framework = SW_FRAMEWORK_FSDP2;
  strategy.pp = 2;
  strategy.dp = strategy.shard_group = 4;
  strategy.zero_stage = 3;
  sw_fixture_memory (&problem, &strategy, &before);
  strategy.offload = SW_OFFLOAD_OPTIMIZER_PARAMS;
  sw_fixture_memory (&problem, &strategy, &after);
  g_assert_cmpfloat_with_epsilon (after.peak.parameters / before.peak.parameters, 2.0 / 3, 1e-12);
  g_assert_cmpfloat_with_epsilon (after.peak.gradients / before.peak.gradients, 4.0 / 5, 1e-12);
  g_assert_cmpfloat (after.peak.optimizer, ==, 0);
  /* The host's share is of the stage with the final norm, the peak of the other. */
  g_assert_cmpfloat_with_epsilon (after.host_bytes / (8 * 4 * before.peak.parameters / 3), 1, 1e-5);
}

/* A recipe that accumulates gradients in bf16 takes two bytes less. */
static void
test_gradients_of_a_recipe (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwMemory fp32, bf16;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  g_assert_cmpfloat (sw_gradient_bytes (&problem, &strategy), ==, 4);
  sw_fixture_memory (&problem, &strategy, &fp32);
  problem.training.gradient_bytes = 2;
  sw_fixture_memory (&problem, &strategy, &bf16);
  g_assert_cmpfloat_with_epsilon (bf16.peak.gradients / fp32.peak.gradients, 0.5, 1e-12);
}

/* 5 % of surplus over what is allocated, and 1 GB of context with 0.25 GB for each of TP and PP. */
static void
test_allocated (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwMemory memory;
  double allocated;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  sw_fixture_memory (&problem, &strategy, &memory);
  allocated = sw_memory_allocated (&problem, &strategy, &memory.peak);
  g_assert_cmpfloat_with_epsilon (memory.peak.framework, 1.5e9, 1e-3);
  g_assert_cmpfloat_with_epsilon (memory.peak.total / (allocated * 1.05 + 1.5e9), 1, 1e-12);
}

/* Copies of the optimizer step count where they outweigh the activations, whose place they take;
 * the lesser of the two stays with the allocator. With bf16 gradients Megatron makes 4 bytes of
 * fp32 ones, over 8 GPUs half a byte. */
static void
test_copies_of_the_step (void)
{
  SwCalibration calibration = *sw_fixture_calibration ();
  SwModelSpec model;
  SwProblem problem;
  SwStrategy strategy;
  SwMemory memory;
  double passes;

  calibration.profile[SW_FRAMEWORK_MEGATRON_CORE].allocator_factor = 1;
  sw_fixture_llama3_8b (&model);
  model.vocab_size = 128 * 1024;
  sw_fixture_problem (&problem, &model, 8);
  problem.calibration = &calibration;
  sw_strategy_init_default (&strategy);
  sw_fixture_memory (&problem, &strategy, &memory);
  passes = memory.peak.activations + memory.peak.logits + memory.peak.buffers;
  g_assert_cmpfloat (memory.peak.reclaimable, ==, 0);
  problem.training.step_bytes = 1000;
  problem.training.step_released_bytes = 6;
  sw_fixture_memory (&problem, &strategy, &memory);
  g_assert_cmpfloat_with_epsilon (
      (memory.peak.activations + memory.peak.logits + memory.peak.buffers)
          / (1000 * problem.count.total),
      1, 1e-9);
  g_assert_cmpfloat_with_epsilon (memory.peak.reclaimable / (passes + 6 * problem.count.total), 1,
                                  1e-9);
  problem.training.step_bytes = problem.training.step_released_bytes = 0;
  problem.training.gradient_bytes = 2;
  strategy.dp = strategy.shard_group = 8;
  strategy.zero_stage = 1;
  sw_fixture_memory (&problem, &strategy, &memory);
  g_assert_cmpfloat_with_epsilon (memory.peak.reclaimable / (0.5 * problem.count.total), 1, 1e-9);
}

/* Where a step is one micro-batch PyTorch's gradients come as activations go: they count as far as
 * they are more than what the passes have left by then. Those of replicas stay, in buckets too, and
 * so do DeepSpeed's. FSDP's sharded ones take blocks of the allocator of their own. */
static void
test_gradients_come_as_activations_go (void)
{
  static const struct {
    SwFramework framework;
    guint zero;
    gboolean goes;
    double buckets; /* bytes per parameter */
  } table[] = {
    { SW_FRAMEWORK_FSDP, 3, TRUE, 0 },
    { SW_FRAMEWORK_FSDP2, 3, TRUE, 0 },
    { SW_FRAMEWORK_FSDP, 0, FALSE, 4 },
    { SW_FRAMEWORK_DEEPSPEED, 2, FALSE, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      SwCalibration calibration = *sw_fixture_calibration ();
      SwModelSpec model;
      SwProblem problem;
      SwStrategy strategy;
      SwMemory kept, gone;

      calibration.profile[table[i].framework].allocator_factor = 1;
      sw_fixture_llama3_8b (&model);
      model.vocab_size = 128 * 1024;
      sw_fixture_problem (&problem, &model, 8);
      problem.calibration = &calibration;
      problem.training.global_batch = 8;
      problem.training.layout_is_given = TRUE;
      sw_strategy_init_default (&strategy);
      strategy.framework = (guint8) table[i].framework;
      strategy.dp = strategy.shard_group = 8;
      strategy.zero_stage = (guint8) table[i].zero;
      sw_fixture_memory (&problem, &strategy, &gone);
      problem.training.accumulates = TRUE;
      sw_fixture_memory (&problem, &strategy, &kept);
      g_assert_cmpfloat (kept.peak.gradients_later, ==, 0);
      g_assert_cmpfloat_with_epsilon (
          (gone.peak.gradients + gone.peak.gradients_later) / kept.peak.gradients, 1, 1e-9);
      g_assert_true ((gone.peak.gradients_later > 0) == table[i].goes);
      g_assert_cmpfloat (gone.peak.total + gone.peak.gradients_later, >=,
                         kept.peak.total * (1 - 1e-9));
      if (table[i].goes)
        g_assert_cmpfloat (gone.peak.reclaimable, >=, gone.peak.gradients_later);
      g_assert_cmpfloat (gone.peak.buffers, >=,
                         table[i].buckets * problem.count.total * (1 - 1e-9));
      /* With more micro-batches they stay, too. */
      problem.training.accumulates = FALSE;
      problem.training.global_batch = 16;
      sw_fixture_memory (&problem, &strategy, &gone);
      g_assert_cmpfloat (gone.peak.gradients_later, ==, 0);
    }
}

/* Gradients that FSDP does not reduce in each micro-batch are whole, in 16 bits. */
static void
test_unsharded_gradients (void)
{
  SwModelSpec model;
  SwProblem problem;
  SwStrategy strategy;
  SwMemory memory;

  sw_fixture_llama3_8b (&model);
  model.vocab_size = 128 * 1024;
  sw_fixture_problem (&problem, &model, 8);
  problem.training.global_batch = 16;
  sw_software_state (&problem.training.software, SW_FEATURE_UNSHARDED_ACCUMULATION, TRUE);
  sw_strategy_init_default (&strategy);
  strategy.framework = SW_FRAMEWORK_FSDP;
  strategy.dp = strategy.shard_group = 8;
  strategy.zero_stage = 3;
  sw_fixture_memory (&problem, &strategy, &memory);
  g_assert_cmpfloat_with_epsilon (memory.peak.gradients / problem.count.total, 2, 1e-9);
  problem.training.global_batch = 32;
  strategy.micro_batch = 4;
  sw_fixture_memory (&problem, &strategy, &memory);
  g_assert_cmpfloat (memory.peak.gradients + memory.peak.gradients_later, <,
                     0.6 * problem.count.total);
}

/* Mixtral over EP 8: experts have their own optimizer. Temporaries are those of the larger one: 32
 * experts of 176,160,768, whole, exceed 1,605,636,096 others divided by 8. */
static void
test_one_optimizer_at_a_time (void)
{
  SwCalibration calibration = *sw_fixture_calibration ();
  SwModelSpec model;
  SwProblem problem;
  SwStrategy strategy;
  SwMemory memory;

  calibration.profile[SW_FRAMEWORK_MEGATRON_CORE].allocator_factor = 1;
  sw_fixture_mixtral_8x7b (&model);
  sw_fixture_problem (&problem, &model, 8);
  problem.calibration = &calibration;
  problem.training.step_bytes = 1000;
  sw_strategy_init_default (&strategy);
  strategy.dp = strategy.ep = strategy.shard_group = 8;
  strategy.zero_stage = 1;
  sw_fixture_memory (&problem, &strategy, &memory);
  g_assert_cmpfloat_with_epsilon (
      (memory.peak.activations + memory.peak.logits + memory.peak.buffers)
          / (1000 * 32 * 176160768.0),
      1, 1e-9);
}

/* Llama 3 8B, 131072 x 4096 in embedding and in head, 6,979,588,096 other parameters. Linear
 * weights of Megatron-Core by precision; embedding and head stay in bf16. */
static void
test_quantised_weights (void)
{
  static const struct {
    SwPrecision precision;
    SwGeneration generation;
    gboolean once;
    double bytes;
  } table[] = {
    { SW_PRECISION_BF16, SW_GENERATION_HOPPER, FALSE, 2 },
    { SW_PRECISION_FP8, SW_GENERATION_HOPPER, FALSE, 2 },
    { SW_PRECISION_FP8, SW_GENERATION_HOPPER, TRUE, 1 },
    { SW_PRECISION_FP8, SW_GENERATION_BLACKWELL, FALSE, 1 },
    { SW_PRECISION_MXFP8, SW_GENERATION_BLACKWELL, FALSE, 2.0625 },
    { SW_PRECISION_NVFP4, SW_GENERATION_BLACKWELL, FALSE, 1.125 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      const double vocabulary = 2.0 * 131072 * 4096;
      SwModelSpec model;
      SwProblem problem;
      SwStrategy strategy;
      SwMemory memory;

      sw_fixture_llama3_8b (&model);
      model.vocab_size = 131072;
      sw_fixture_problem (&problem, &model, 1);
      problem.cluster.gpu.generation = table[i].generation;
      problem.training.precision = table[i].precision;
      problem.training.weights_once = table[i].once;
      sw_strategy_init_default (&strategy);
      sw_fixture_memory (&problem, &strategy, &memory);
      g_assert_cmpfloat_with_epsilon (
          memory.peak.parameters / (2 * vocabulary + table[i].bytes * 6979588096.0), 1, 1e-9);
    }
}

/* Measured with Megatron-LM 0.14 on 8 B200: Llama 3 70B cut to 12 layers, 4096 tokens, nothing
 * recomputed, peak of torch's allocator 28.29 GiB at TP 8 and 39.07 GiB at TP 4, DP 2. Within 2 %.
 */
static void
test_measured_peak (void)
{
  static const struct {
    guint tp, dp;
    double gib;
  } runs[] = { { 8, 1, 28.29 }, { 4, 2, 39.07 } };

  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    {
      SwModelSpec model;
      SwProblem problem;
      SwStrategy strategy;
      SwMemory memory;
      SwCalibration calibration = *sw_fixture_calibration ();

      calibration.profile[SW_FRAMEWORK_MEGATRON_CORE].allocator_factor = 1;
      calibration.context_bytes = calibration.nccl_bytes_per_group = 0;
      sw_fixture_llama3_70b (&model);
      model.layers = 12;
      sw_fixture_problem (&problem, &model, 8);
      problem.calibration = &calibration;
      problem.training.sequence_length = 4096;
      sw_strategy_init_default (&strategy);
      strategy.tp = strategy.etp = runs[i].tp;
      strategy.dp = strategy.shard_group = runs[i].dp;
      strategy.sequence_parallel = TRUE;
      strategy.zero_stage = 1;
      sw_fixture_memory (&problem, &strategy, &memory);
      g_assert_cmpfloat_with_epsilon (memory.peak.total / SW_GIB / runs[i].gib, 1, 0.02);
    }
}

static const SwTensor *
find_tensor (const SwTensor *tensors, guint n, SwTensorKind kind, SwTensorOwner owner)
{
  for (guint i = 0; i < n; i++)
    if (tensors[i].kind == kind && tensors[i].owner == owner)
      return &tensors[i];
  g_assert_not_reached ();
}

/* Llama 3 70B, TP 8, PP 4, sequences of 8192 in micro-batches of 4, first stage: 20 layers with 4
 * micro-batches in flight. Inputs of 32768 tokens x 8192 x 2 bytes over 8 GPUs; the softmax
 * statistics of 8 heads, fp32. Weights of a layer: 8192 x (8192 + 2 x 1024 + 8192 + 3 x 28672) over
 * 8, and two norms. */
static void
test_tensors (void)
{
  const double layer = 8192.0 * (2 * 8192 + 2 * 1024 + 3 * 28672) / 8 + 2 * 8192;
  SwProblem problem;
  SwStrategy strategy;
  SwTensor tensors[SW_MAX_TENSORS];
  const SwTensor *found;
  guint n;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  n = sw_memory_tensors (&problem, &strategy, 0, tensors);
  found = find_tensor (tensors, n, SW_TENSOR_LAYER_INPUTS, SW_OWNER_NONE);
  g_assert_cmpfloat_with_epsilon (found->bytes, 4 * 20 * 32768.0 * 8192 * 2 / 8, 1e-3);
  g_assert_cmpfloat (found->count, ==, 80);
  g_assert_cmpuint (found->tp, ==, 8);
  g_assert_cmpint (found->part, ==, SW_PART_ACTIVATIONS);
  found = find_tensor (tensors, n, SW_TENSOR_WEIGHTS, SW_OWNER_LAYERS);
  g_assert_cmpfloat_with_epsilon (found->bytes, 2 * 20 * layer, 1e-3);
  g_assert_cmpfloat_with_epsilon (found->count, 20 * layer, 1e-3);
  found = find_tensor (tensors, n, SW_TENSOR_OPTIMIZER, SW_OWNER_VOCABULARY);
  g_assert_cmpfloat_with_epsilon (found->bytes, 12 * 128.0 * 1024 * 8192 / 8, 5e7);
  strategy.recompute = SW_RECOMPUTE_NONE;
  n = sw_memory_tensors (&problem, &strategy, 0, tensors);
  found = find_tensor (tensors, n, SW_TENSOR_ATTENTION_SCORES, SW_OWNER_NONE);
  g_assert_cmpfloat_with_epsilon (found->bytes, 4 * 20 * 32768.0 * 8 * 4, 1e-3);
}

/* What the step of Nanotron and DeepSpeed's fp16 optimizer copy is kept by the allocator, unless it is
 * more than what the passes left; what sequence parallelism sends waits for the network's stream; and
 * buckets whose views the gradients are take no memory of their own. */
static void
test_copies_of_frameworks (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwMemoryParts before, after;
  SwLayerMemory layer;
  SwModelSpec model;

  sw_fixture_llama3_8b (&model);
  sw_fixture_problem (&problem, &model, 64);
  sw_strategy_init_default (&strategy);
  strategy.framework = SW_FRAMEWORK_NANOTRON;
  strategy.tp = 4;
  strategy.dp = strategy.shard_group = 16;
  strategy.zero_stage = 1;
  sw_layer_memory (&problem, &strategy, &layer);
  sw_memory_stage (&problem, &strategy, &layer, 0, &before);
  g_assert_cmpfloat (before.reclaimable, >, 0);
  strategy.zero_stage = 0;
  sw_memory_stage (&problem, &strategy, &layer, 0, &after);
  g_assert_cmpfloat (after.reclaimable, ==, 0);
  strategy.sequence_parallel = TRUE;
  sw_layer_memory (&problem, &strategy, &layer);
  sw_memory_stage (&problem, &strategy, &layer, 0, &before);
  g_assert_cmpfloat (before.buffers - after.buffers, >,
                     2.0 * 32 * 2 * 4096 * strategy.micro_batch * problem.training.sequence_length
                         - (after.total - before.total));

  problem.training.precision = SW_PRECISION_FP16;
  strategy.framework = SW_FRAMEWORK_DEEPSPEED;
  strategy.sequence_parallel = FALSE;
  sw_layer_memory (&problem, &strategy, &layer);
  sw_memory_stage (&problem, &strategy, &layer, 0, &after);
  g_assert_cmpfloat (after.reclaimable, >, 0);
  g_assert_cmpfloat_with_epsilon (after.optimizer / after.parameters, 12 / 2.0, 1e-9);

  strategy.framework = SW_FRAMEWORK_FSDP;
  strategy.tp = 1;
  strategy.dp = strategy.shard_group = 64;
  sw_layer_memory (&problem, &strategy, &layer);
  sw_memory_stage (&problem, &strategy, &layer, 0, &before);
  problem.training.views_buckets = TRUE;
  sw_memory_stage (&problem, &strategy, &layer, 0, &after);
  g_assert_cmpfloat_with_epsilon (before.total - after.total,
                                  sw_allocator_factor (&problem, &strategy) * after.gradients, 1e6);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/memory/stages/layers", test_stage_layers);
  g_test_add_func ("/memory/stages/kinds", test_stage_kinds);
  g_test_add_func ("/memory/stages/cover-the-model", test_stages_cover_the_model);
  g_test_add_func ("/memory/states/bytes-per-parameter", test_bytes_per_parameter);
  g_test_add_func ("/memory/states/experts-have-their-own-group",
                   test_experts_have_their_own_group);
  g_test_add_func ("/memory/states/optimizers", test_optimizers);
  g_test_add_func ("/memory/states/precision", test_states);
  g_test_add_func ("/memory/states/unsharded", test_unsharded_states);
  g_test_add_func ("/memory/states/bases", test_bases);
  g_test_add_func ("/memory/states/paged", test_paged_states);
  g_test_add_func ("/memory/states/lora", test_lora);
  g_test_add_func ("/memory/states/gradients-of-a-recipe", test_gradients_of_a_recipe);
  g_test_add_func ("/memory/states/copies-of-the-step", test_copies_of_the_step);
  g_test_add_func ("/memory/states/copies-of-frameworks", test_copies_of_frameworks);
  g_test_add_func ("/memory/states/one-optimizer-at-a-time", test_one_optimizer_at_a_time);
  g_test_add_func ("/memory/gradients-come-as-activations-go",
                   test_gradients_come_as_activations_go);
  g_test_add_func ("/memory/unsharded-gradients", test_unsharded_gradients);
  g_test_add_func ("/memory/states/quantised-weights", test_quantised_weights);
  g_test_add_func ("/memory/allocated", test_allocated);
  g_test_add_func ("/memory/tensors", test_tensors);
  g_test_add_func ("/memory/offload", test_offload);
  g_test_add_func ("/memory/offload-in-a-pipeline", test_offload_in_a_pipeline);
  g_test_add_func ("/memory/measured-peak", test_measured_peak);
  return g_test_run ();
}
