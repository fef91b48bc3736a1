/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Low-rank adapters beside frozen weights (LoRA, Hu et al. 2021, section 4.1). */
#include "sw-layer-work.h"

/**
 * sw_layer_work_adapter:
 * @scene: of the layer; its training is LoRA or QLoRA
 * @m: rows: tokens
 * @n: columns of the linear layer
 * @k: its inner dimension
 * @work: added to
 *
 * y += (x A) B with A[k x r] and B[r x n]: two thin GEMMs forward, two for the gradients of their
 * inputs, two for those of A and B, all in 16 bits and bound by memory. The result is added to the
 * base's output, its input gradient to the base's: each reads two tensors and writes one. Coarse:
 * the first layer's base needs no gradient of its input before its first adapter, one GEMM of one
 * layer, which is not left out.
 */
void
sw_layer_work_adapter (const SwLayerScene *scene, double m, double n, double k, SwWork *work)
{
  const SwRates *r = &scene->rates;
  double rank = scene->problem->training.lora_rank > 0 ? scene->problem->training.lora_rank : 1;
  double down = sw_rates_gemm (r, r->half_flops_per_s, 2, m, rank, k);
  double up = sw_rates_gemm (r, r->half_flops_per_s, 2, m, n, rank);
  double input_up = sw_rates_gemm (r, r->half_flops_per_s, 2, m, rank, n);
  double input_down = sw_rates_gemm (r, r->half_flops_per_s, 2, m, k, rank);
  double add_s = 6 * m * n / r->memory_bytes_per_s, add_input_s = 6 * m * k / r->memory_bytes_per_s;

  work->forward_s += down + up + add_s;
  work->input_s += input_up + input_down + add_input_s;
  work->memory_s += add_s + add_input_s;
  work->weight_s += sw_rates_gemm (r, r->half_flops_per_s, 2, rank, k, m)
                    + sw_rates_gemm (r, r->half_flops_per_s, 2, n, rank, m);
}
