/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions to begin with, about the present input and its answer. */
#include "shardwise-ask-examples.h"
#include "shardwise-dimension.h"

#include <glib/gi18n.h>

/* The largest of the splits, against half of it; without any, the sharding. */
static char *
why (const SwStrategy *strategy)
{
  static const SwDimension splits[] = { SW_DIM_TP, SW_DIM_PP, SW_DIM_CP, SW_DIM_EP };
  guint best = G_N_ELEMENTS (splits), most = 1;

  for (guint i = 0; i < G_N_ELEMENTS (splits); i++)
    {
      guint value = sw_strategy_get (strategy, splits[i]);

      if (value > most)
        {
          best = i;
          most = value;
        }
    }
  if (best < G_N_ELEMENTS (splits))
    /* Translators: a question that Ask understands; keep it in words that it reads (English or
     * German): "Why TP 8 rather than 4?" */
    return g_strdup_printf (_ ("Why %s %u rather than %u?"),
                            shardwise_dimension_degree (splits[best]), most, most / 2);
  return g_strdup (strategy->zero_stage == 3 ? _ ("Why not ZeRO 1?") : _ ("Why not ZeRO 3?"));
}

/**
 * shardwise_ask_examples:
 * @scenario: what is asked about
 * @advice: (nullable): its answer
 *
 * Returns: (transfer full) (element-type utf8): questions that fit the present input: why its
 * strategy is as it is and what holds it back, or what to do where none fits; what another cluster
 * would change; what it costs
 */
GPtrArray *
shardwise_ask_examples (ShardwiseScenario *scenario, ShardwiseAdvice *advice)
{
  GPtrArray *questions = g_ptr_array_new_with_free_func (g_free);
  double gpus = shardwise_scenario_get_number (scenario, "cluster.gpus", 0);
  g_autofree char *gpu = shardwise_scenario_get_string (scenario, "cluster.gpu");

  if (advice != NULL && !shardwise_advice_get_fits (advice))
    {
      g_ptr_array_add (questions, g_strdup (_ ("How many GPUs do I need?")));
      g_ptr_array_add (questions, g_strdup (_ ("How can I save memory?")));
    }
  else
    {
      g_ptr_array_add (questions, advice != NULL
                                      ? why (&shardwise_advice_get_recommended (advice)->strategy)
                                      : g_strdup (_ ("Why this strategy?")));
      g_ptr_array_add (questions, g_strdup (_ ("What limits me?")));
    }
  if (gpus > 0 && gpus <= G_MAXUINT16)
    /* Translators: a question that Ask understands; keep it in words that it reads (English or
     * German) */
    g_ptr_array_add (questions, g_strdup_printf (_ ("What if I use %u GPUs?"), (guint) gpus * 2));
  g_ptr_array_add (questions, gpu != NULL && g_str_has_prefix (gpu, "h200")
                                  ? g_strdup (_ ("What if I use B200?"))
                                  : g_strdup (_ ("What if I use H200?")));
  g_ptr_array_add (questions, g_strdup (_ ("How much does it cost?")));
  return questions;
}
