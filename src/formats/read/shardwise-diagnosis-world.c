/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first rule of every framework: the degrees and the processes that are started. */
#include "shardwise-diagnosis-private.h"

#include <glib/gi18n.h>

/* "Megatron-LM core 0.20.0" */
static char *
framework_name (const ShardwiseDiagnosis *self)
{
  if (self->format == NULL)
    return g_strdup (_ ("the framework"));
  return g_strdup_printf ("%s %s", self->format->product, self->format->version);
}

/* Degrees that the job states, multiplied; %FALSE: not all of TP, PP and CP. */
static gboolean
stated_product (ShardwiseScenario *scenario, double *product)
{
  static const char *const degrees[] = { "strategy.tp", "strategy.pp", "strategy.cp" };

  *product = 1;
  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    {
      if (!shardwise_scenario_is_set (scenario, degrees[i]))
        return FALSE;
      *product *= shardwise_scenario_get_number (scenario, degrees[i], 1);
    }
  return TRUE;
}

/**
 * shardwise_diagnosis_check_world:
 * @self: of a scenario that need not hold together
 *
 * Adds what is wrong between the degrees and the GPUs, in one sentence.
 *
 * Returns: whether something is
 */
gboolean
shardwise_diagnosis_check_world (ShardwiseDiagnosis *self)
{
  const double gpus = shardwise_scenario_get_number (self->scenario, "cluster.gpus", 8),
               dp = shardwise_scenario_get_number (self->scenario, "strategy.dp", 1);
  const gboolean has_dp = shardwise_scenario_is_set (self->scenario, "strategy.dp");
  g_autofree char *name = framework_name (self), *text = NULL;
  double product;

  if (!stated_product (self->scenario, &product))
    return FALSE;
  if (has_dp && product * dp != gpus)
    /* Translators: counts of GPUs, a framework with its version */
    text = g_strdup_printf (_ ("The degrees use TP × PP × CP × DP = %'.0f GPUs and the job has "
                               "%'.0f: %s wants both to be equal."),
                            product * dp, gpus, name);
  else if (!has_dp && (guint64) gpus % (guint64) product != 0)
    /* Translators: a count of GPUs, what it is to be a multiple of, a framework with its version */
    text = g_strdup_printf (_ ("The job has %'.0f GPUs, which are no multiple of TP × PP × CP = "
                               "%.0f, as %s wants them to be."),
                            gpus, product, name);
  if (text == NULL)
    return FALSE;
  g_ptr_array_add (self->findings, shardwise_finding_new (SHARDWISE_SEVERITY_ERROR, "world-size",
                                                          g_steal_pointer (&text), NULL));
  return TRUE;
}

/**
 * shardwise_diagnosis_use_all_gpus:
 * @self: with its problem
 *
 * A job runs on every process that is started: where it leaves DP open, DP is what the other
 * degrees leave over, also where fewer replicas would need less memory.
 */
void
shardwise_diagnosis_use_all_gpus (ShardwiseDiagnosis *self)
{
  SwPins *pins = &self->problem.pins;
  double product;

  if (sw_pins_has (pins, SW_DIM_DP) || !stated_product (self->scenario, &product)
      || self->problem.cluster.gpus % (guint64) product != 0)
    return;
  sw_strategy_set (&pins->value, SW_DIM_DP, (guint) (self->problem.cluster.gpus / product));
  pins->mask |= 1u << SW_DIM_DP;
}
