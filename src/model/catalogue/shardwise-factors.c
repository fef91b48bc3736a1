/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-factors.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-format.h"

/* Runs do not justify more precision than a thousandth. */
#define STEPS 1000.0

static double
round_factor (double factor)
{
  return CLAMP (round (factor * STEPS) / STEPS, SHARDWISE_FACTOR_LEAST, SHARDWISE_FACTOR_MOST);
}

/**
 * shardwise_factors_round:
 *
 * Returns: @factors rounded to a thousandth, within the allowed range
 */
ShardwiseFactors
shardwise_factors_round (const ShardwiseFactors *factors)
{
  g_return_val_if_fail (factors != NULL, SHARDWISE_FACTORS_NEUTRAL);

  return (ShardwiseFactors){ round_factor (factors->kernel), round_factor (factors->network),
                             round_factor (factors->memory) };
}

static gboolean
same (double a, double b)
{
  return fabs (a - b) < 0.5 / STEPS;
}

/**
 * shardwise_factors_equal:
 *
 * Returns: whether both are equal to a thousandth
 */
gboolean
shardwise_factors_equal (const ShardwiseFactors *a, const ShardwiseFactors *b)
{
  return same (a->kernel, b->kernel) && same (a->network, b->network)
         && same (a->memory, b->memory);
}

/**
 * shardwise_factors_are_neutral:
 *
 * Returns: whether @factors do not change the model
 */
gboolean
shardwise_factors_are_neutral (const ShardwiseFactors *factors)
{
  return shardwise_factors_equal (factors, &SHARDWISE_FACTORS_NEUTRAL);
}

/**
 * shardwise_factors_apply:
 * @factors: of the user's runs
 * @base: the constants of the program
 * @out: (out): the constants with the factors
 */
void
shardwise_factors_apply (const ShardwiseFactors *factors, const SwCalibration *base,
                         SwCalibration *out)
{
  g_return_if_fail (factors != NULL && base != NULL && out != NULL);

  memcpy (out, base, sizeof *out); /* including padding: it is compared as bytes */
  for (guint i = 0; i < SW_N_FRAMEWORKS; i++)
    {
      out->profile[i].gemm_factor *= factors->kernel;
      out->profile[i].allocator_factor *= factors->memory;
    }
  for (guint i = 0; i < SW_N_FLASH_KERNELS; i++)
    {
      out->flash[i].before_hopper *= factors->kernel;
      out->flash[i].hopper *= factors->kernel;
      out->flash[i].blackwell *= factors->kernel;
    }
  for (guint i = 0; i < SW_N_GENERATIONS; i++)
    out->generation[i].hbm *= factors->kernel;
  out->nvlink_efficiency *= factors->network;
  out->network_efficiency *= factors->network;
  out->pcie_efficiency *= factors->network;
}

/**
 * shardwise_factors_to_text:
 *
 * Returns: (transfer full): the effect of the factors, as one sentence for the notes of an answer
 */
char *
shardwise_factors_to_text (const ShardwiseFactors *factors)
{
  g_autofree char *kernel = shardwise_format_significant (factors->kernel);
  g_autofree char *network = shardwise_format_significant (factors->network);
  g_autofree char *memory = shardwise_format_significant (factors->memory);

  return g_strdup_printf (
      /* Translators: three factors on the model's constants, "0.93" */
      _ ("Calibrated with your run journal: kernel rates × %s, network × %s, memory overhead × "
         "%s."),
      kernel, network, memory);
}
