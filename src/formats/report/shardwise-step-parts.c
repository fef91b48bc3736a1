/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-step-parts.h"

#include <glib/gi18n.h>

#include "shardwise-format.h"

#define LEAST_SHARE 0.0005 /* of the step: shares are shown to a tenth of a percent */

/* Adds a part; one that rounds to 0 is added to the rest. */
static void
add_part (GArray *parts, ShardwiseStepPart part, double step_s, double *from_s, double *rest_s)
{
  if (part.seconds < LEAST_SHARE * step_s && part.hidden_s < LEAST_SHARE * step_s)
    {
      *rest_s += part.seconds;
      return;
    }
  part.from_s = *from_s;
  *from_s += part.seconds;
  g_array_append_val (parts, part);
}

/**
 * shardwise_step_parts:
 * @time: of one step
 * @kernels: (nullable) (array fixed-size=SW_N_KERNELS): its compute by kind, by sw_kernels(); NULL:
 *   compute is one part
 *
 * Returns: (transfer full) (element-type ShardwiseStepPart): compute by kind, then the rest
 */
GArray *
shardwise_step_parts (const SwTime *time, const double *kernels)
{
  /* Translators: GEMM: multiplication of matrices, the work of a linear layer */
  static const char *const kernel_names[SW_N_KERNELS] = {
    [SW_KERNEL_ATTENTION] = N_ ("Attention core"),
    [SW_KERNEL_PROJECTION] = N_ ("Attention GEMMs"),
    [SW_KERNEL_MLP] = N_ ("MLP GEMMs"),
    [SW_KERNEL_EXPERTS] = N_ ("Expert GEMMs"),
    [SW_KERNEL_MEMORY] = N_ ("Memory-bound kernels"),
    [SW_KERNEL_VOCABULARY] = N_ ("Embedding and logits"),
    [SW_KERNEL_PREDICTION] = N_ ("Multi-token prediction"),
    [SW_KERNEL_LAUNCH] = N_ ("Kernel launch delays"),
    [SW_KERNEL_OTHER] = N_ ("Other phases"),
  };
  const ShardwiseStepPart rest[] = {
    { SHARDWISE_COLOR_RECOMPUTE, N_ ("Recomputation"), 0, time->recompute_s, 0 },
    { SHARDWISE_COLOR_BUBBLE, N_ ("Uneven stages"), 0, time->uneven_s, 0 },
    { SHARDWISE_COLOR_TENSOR, N_ ("Tensor parallel"), 0, time->tp_exposed_s, time->tp_hidden_s },
    { SHARDWISE_COLOR_CONTEXT, N_ ("Context parallel"), 0, time->cp_exposed_s, time->cp_hidden_s },
    { SHARDWISE_COLOR_EXPERT, N_ ("Expert parallel"), 0, time->ep_exposed_s, time->ep_hidden_s },
    { SHARDWISE_COLOR_PIPELINE, N_ ("Pipeline transfers"), 0, time->pp_exposed_s,
      time->pp_hidden_s },
    { SHARDWISE_COLOR_BUBBLE, N_ ("Bubble"), 0, time->bubble_s, 0 },
    { SHARDWISE_COLOR_DATA, N_ ("Data parallel"), 0, time->dp_exposed_s, time->dp_hidden_s },
    { SHARDWISE_COLOR_BUFFERS, N_ ("Offload"), 0, time->offload_exposed_s, time->offload_hidden_s },
    { SHARDWISE_COLOR_OPTIMIZER, N_ ("Optimizer"), 0, time->optimizer_s, 0 },
  };
  GArray *parts = g_array_new (FALSE, FALSE, sizeof (ShardwiseStepPart));
  const double compute_s = time->compute_s - time->recompute_s, step_s = time->step_s;
  double from_s = 0, rest_s = 0;

  for (guint i = 0; kernels != NULL && i < SW_N_KERNELS; i++)
    add_part (parts,
              (ShardwiseStepPart){ /* A waiting GPU does not compute. */
                                   i == SW_KERNEL_LAUNCH ? SHARDWISE_COLOR_OTHER
                                                         : SHARDWISE_COLOR_COMPUTE,
                                   kernel_names[i], 0, kernels[i], 0 },
              step_s, &from_s, &rest_s);
  if (kernels == NULL)
    add_part (parts,
              (ShardwiseStepPart){ SHARDWISE_COLOR_COMPUTE, N_ ("Compute"), 0, compute_s, 0 },
              step_s, &from_s, &rest_s);
  else
    from_s = compute_s - rest_s; /* their sum, without rounding errors */
  for (guint i = 0; i < G_N_ELEMENTS (rest); i++)
    add_part (parts, rest[i], step_s, &from_s, &rest_s);
  add_part (parts,
            (ShardwiseStepPart){ SHARDWISE_COLOR_OTHER, N_ ("Stragglers and other"), 0,
                                 time->other_s + rest_s, 0 },
            step_s, &from_s, &rest_s);
  return parts;
}

/**
 * shardwise_step_parts_text:
 * @parts: (element-type ShardwiseStepPart): the parts of a step
 * @step_s: its time
 *
 * Returns: (transfer full): the share of compute, and the largest parts of the rest
 */
char *
shardwise_step_parts_text (const GArray *parts, double step_s)
{
  const ShardwiseStepPart *greatest = NULL;
  g_autofree char *step = shardwise_format_seconds (step_s), *compute = NULL, *loss = NULL;
  double computing = 0;

  for (guint i = 0; i < parts->len; i++)
    {
      const ShardwiseStepPart *part = &g_array_index (parts, ShardwiseStepPart, i);
      const gboolean useful = part->color == SHARDWISE_COLOR_COMPUTE
                              || part->color == SHARDWISE_COLOR_RECOMPUTE;

      computing += useful ? part->seconds : 0;
      if (!useful && (greatest == NULL || part->seconds > greatest->seconds))
        greatest = part;
    }
  compute = shardwise_format_percent (step_s > 0 ? computing / step_s : 0);
  if (greatest == NULL || greatest->seconds < 0.001 * step_s)
    /* Translators: the time of a step, and a percentage */
    return g_strdup_printf (_ ("A step takes %s; the GPUs compute for %s of it."), step, compute);
  loss = shardwise_format_percent (step_s > 0 ? greatest->seconds / step_s : 0);
  /* Translators: the time of a step, a percentage, what costs most of the rest ("Bubble"), and its
   * percentage */
  return g_strdup_printf (
      _ ("A step takes %s; the GPUs compute for %s of it. Largest loss: %s, %s."), step, compute,
      _ (greatest->name), loss);
}
