/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-software.h"

#include <glib/gi18n.h>

#include "shardwise-text-strategy.h"
#include "sw-framework.h"

/* The dispatcher without forwarding. */
#define DISPATCHER_PLAIN "alltoall"

/* The features that a key switches; FlashAttention's versions share one key, and so do the features
 * of a dispatcher. */
static const ShardwiseKeyId keys[SW_N_FEATURES] = {
  [SW_FEATURE_COMPILE] = SHARDWISE_KEY_TRAINING_SOFTWARE_COMPILE,
  [SW_FEATURE_FUSED_KERNELS] = SHARDWISE_KEY_TRAINING_SOFTWARE_FUSED_KERNELS,
  [SW_FEATURE_FLASH_1] = SHARDWISE_KEY_TRAINING_SOFTWARE_FLASH_ATTENTION,
  [SW_FEATURE_FLASH_2] = SHARDWISE_KEY_TRAINING_SOFTWARE_FLASH_ATTENTION,
  [SW_FEATURE_FLASH_3] = SHARDWISE_KEY_TRAINING_SOFTWARE_FLASH_ATTENTION,
  [SW_FEATURE_ASYNC_TP] = SHARDWISE_KEY_TRAINING_SOFTWARE_ASYNC_TP,
  [SW_FEATURE_DP_OVERLAP] = SHARDWISE_KEY_TRAINING_SOFTWARE_DP_OVERLAP,
  [SW_FEATURE_FLAT_BUFFERS] = SHARDWISE_KEY_TRAINING_SOFTWARE_FLAT_BUFFERS,
  [SW_FEATURE_CUDA_GRAPHS] = SHARDWISE_KEY_TRAINING_SOFTWARE_CUDA_GRAPHS,
  [SW_FEATURE_MOE_OVERLAP] = SHARDWISE_KEY_TRAINING_SOFTWARE_MOE_OVERLAP,
  [SW_FEATURE_FUSED_CROSS_ENTROPY] = SHARDWISE_KEY_TRAINING_SOFTWARE_FUSED_CROSS_ENTROPY,
  [SW_FEATURE_CHUNKED_CROSS_ENTROPY] = SHARDWISE_KEY_TRAINING_SOFTWARE_CHUNKED_CROSS_ENTROPY,
  [SW_FEATURE_FUSED_CASTS] = SHARDWISE_KEY_TRAINING_SOFTWARE_FUSED_CASTS,
  [SW_FEATURE_BLOCKING_LAUNCHES] = SHARDWISE_KEY_TRAINING_SOFTWARE_BLOCKING_LAUNCHES,
  [SW_FEATURE_REENTRANT_CHECKPOINTING] = SHARDWISE_KEY_TRAINING_SOFTWARE_REENTRANT_CHECKPOINTING,
  [SW_FEATURE_UNSHARDED_ACCUMULATION] = SHARDWISE_KEY_TRAINING_SOFTWARE_UNSHARDED_ACCUMULATION,
  [SW_FEATURE_LOSS_UPCAST] = SHARDWISE_KEY_TRAINING_SOFTWARE_LOSS_UPCAST,
  [SW_FEATURE_FUSED_ADAPTERS] = SHARDWISE_KEY_TRAINING_SOFTWARE_FUSED_ADAPTERS,
  [SW_FEATURE_MOE_FORWARDING] = SHARDWISE_KEY_TRAINING_SOFTWARE_MOE_DISPATCHER,
  [SW_FEATURE_MOE_FORWARDING_INSIDE] = SHARDWISE_KEY_TRAINING_SOFTWARE_MOE_DISPATCHER,
};

/* Features that no release of a framework has: a job that sets one is predicted as if it existed,
 * with a note. */
static const guint impossible[SW_N_FRAMEWORKS] = {
  /* As published with Narayanan et al. 2021 and Korthikanti et al. 2022: before torch.compile
   * (2023), FlashAttention 2 (2023) and models with experts. */
  [SW_FRAMEWORK_MEGATRON_2021] = SW_HAS (COMPILE) | SW_HAS (FLASH_2) | SW_HAS (FLASH_3)
                                 | SW_HAS (ASYNC_TP) | SW_HAS (DP_OVERLAP) | SW_HAS (CUDA_GRAPHS)
                                 | SW_HAS (MOE_OVERLAP) | SW_HAS (CHUNKED_CROSS_ENTROPY)
                                 | SW_HAS (FUSED_CASTS) | SW_HAS (MOE_FORWARDING),
  /* Features that exports support but these frameworks have no option for. */
  [SW_FRAMEWORK_FSDP] = SW_HAS (ASYNC_TP) | SW_HAS (CUDA_GRAPHS) | SW_HAS (MOE_OVERLAP)
                        | SW_HAS (MOE_FORWARDING),
  [SW_FRAMEWORK_DEEPSPEED] = SW_HAS (CUDA_GRAPHS) | SW_HAS (MOE_OVERLAP) | SW_HAS (MOE_FORWARDING),
  [SW_FRAMEWORK_NANOTRON] = SW_HAS (CUDA_GRAPHS) | SW_HAS (MOE_OVERLAP) | SW_HAS (MOE_FORWARDING),
};

/**
 * shardwise_software_is_key:
 * @id: a key
 *
 * Returns: whether it is a feature of the software
 */
gboolean
shardwise_software_is_key (ShardwiseKeyId id)
{
  return id >= SHARDWISE_KEY_TRAINING_SOFTWARE_COMPILE
         && id <= SHARDWISE_KEY_TRAINING_SOFTWARE_MOE_DISPATCHER;
}

/**
 * shardwise_software_key:
 * @feature: of a job's software
 *
 * Returns: its key
 */
ShardwiseKeyId
shardwise_software_key (SwFeature feature)
{
  g_return_val_if_fail (feature < SW_N_FEATURES, SHARDWISE_KEY_NONE);
  return keys[feature];
}

/**
 * shardwise_software_read:
 * @scenario: a scenario
 * @out: (out): its features
 */
void
shardwise_software_read (ShardwiseScenario *scenario, SwSoftware *out)
{
  *out = (SwSoftware){ 0, 0 };
  for (SwFeature i = 0; i < SW_N_FEATURES; i++)
    {
      guint value;

      if (!shardwise_scenario_is_set (scenario, keys[i]))
        continue;
      if (keys[i] == SHARDWISE_KEY_TRAINING_SOFTWARE_MOE_DISPATCHER)
        {
          sw_software_state (
              out, i,
              !g_str_equal (shardwise_scenario_peek_string (scenario, keys[i]), DISPATCHER_PLAIN));
          continue;
        }
      value = (guint) shardwise_scenario_peek_number (scenario, keys[i], 0);
      if (keys[i] == SHARDWISE_KEY_TRAINING_SOFTWARE_FLASH_ATTENTION)
        sw_software_state_flash (out, value);
      else
        sw_software_state (out, i, value != 0);
    }
}

/**
 * shardwise_software_default:
 * @problem: the resolved scenario
 * @id: a key of a feature
 *
 * Returns: (transfer floating) (nullable): the default of the framework at the date of the
 * software; %NULL while no framework is chosen
 */
GVariant *
shardwise_software_default (const SwProblem *problem, ShardwiseKeyId id)
{
  const SwFramework framework = problem->training.framework;
  guint version = 0;

  if (framework == SW_FRAMEWORK_ANY)
    return NULL;
  if (id == SHARDWISE_KEY_TRAINING_SOFTWARE_FLASH_ATTENTION)
    {
      if (problem->training.attention == SW_ATTENTION_FLASH)
        while (version < SW_N_FLASH_KERNELS
               && sw_problem_has (problem, framework, SW_FEATURE_FLASH_1 + version))
          version++;
      return g_variant_new_int64 (version);
    }
  if (id == SHARDWISE_KEY_TRAINING_SOFTWARE_MOE_DISPATCHER)
    return g_variant_new_string (sw_problem_has (problem, framework, SW_FEATURE_MOE_FORWARDING)
                                     ? "deepep"
                                     : DISPATCHER_PLAIN);
  for (SwFeature i = 0; i < SW_N_FEATURES; i++)
    if (keys[i] == id)
      return g_variant_new_boolean (sw_problem_has (problem, framework, i));
  return NULL;
}

/**
 * shardwise_software_add_notes:
 * @problem: the resolved scenario
 * @notes: of char*; sentences about stated features that do not exist are added, translated
 */
void
shardwise_software_add_notes (const SwProblem *problem, GPtrArray *notes)
{
  const SwTraining *training = &problem->training;
  const guint stated = training->software.stated & training->software.on;

  for (SwFeature i = 0; i < SW_N_FEATURES; i++)
    if ((stated & impossible[sw_engine (training->framework)] & (1u << i)) != 0)
      /* Translators: name of a framework, title of a feature of software */
      g_ptr_array_add (
          notes, g_strdup_printf (
                     _ ("No known release of %s has “%s”; the prediction assumes that one does."),
                     shardwise_text_framework (training->framework),
                     _ (shardwise_key_get (keys[i])->title)));
  if ((stated & SW_HAS (FLASH_3)) != 0 && problem->cluster.gpu.generation < SW_GENERATION_HOPPER)
    /* Translators: %s is the name of a GPU */
    g_ptr_array_add (notes, g_strdup_printf (_ ("FlashAttention 3 requires Hopper or newer; on %s, "
                                                "the prediction assumes FlashAttention 2."),
                                             problem->cluster.gpu.name));
}
