/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* The free constants: at most 60, keyed by GPU generation, kind of kernels or framework, never by
 * source, model or row; at least three sources support each. `tolerance`: log-space width of the
 * prior; the objective penalizes a larger distance. */
typedef struct {
  const char *name;
  double prior, tolerance, least, most;
} FitConstant;

#define FIT_MAX_CONSTANTS 60

static const FitConstant fit_constants[] = {
  { "generation.ampere.gemm_bf16", 0.83, 0.02, 0.5, 0.9 },
  { "generation.hopper.gemm_bf16", 0.70, 0.04, 0.5, 0.85 },
  { "generation.hopper.gemm_fp8", 0.70, 0.06, 0.45, 0.8 },
  { "generation.blackwell.gemm_bf16", 0.55, 0.08, 0.45, 0.8 },
  { "generation.blackwell.gemm_fp8", 0.68, 0.08, 0.45, 0.8 },
  { "generation.ampere.attention_flash", 0.60, 0.08, 0.3, 0.7 },
  { "generation.hopper.attention_flash", 0.52, 0.08, 0.3, 0.7 },
  { "generation.blackwell.attention_flash", 0.45, 0.10, 0.25, 0.7 },
  { "flash.1.before_hopper", 0.6, 0.15, 0.3, 1 },
  { "flash.2.hopper", 0.6, 0.10, 0.3, 1 },
  { "generation.hopper.hbm", 0.80, 0.06, 0.6, 0.95 },
  { "generation.blackwell.hbm", 0.75, 0.08, 0.5, 0.95 },
  { "kernels.eager.memory_bound_factor", 2.0, 0.15, 1.2, 4 },
  { "kernels.fused.memory_bound_factor", 1.15, 0.08, 1, 2 },
  { "kernels.compiled.memory_bound_factor", 1.15, 0.08, 1, 2 },
  { "kernels.eager.launch_s_per_layer", 1e-3, 0.3, 1e-4, 3e-3 },
  { "kernels.fused.launch_s_per_layer", 1e-3, 0.2, 3e-5, 2e-3 },
  { "cast_traffic", 1.5, 0.3, 1, 5 },
  { "cast_s", 2e-5, 0.5, 1e-6, 2e-4 },
  { "cast_delay", 0.15, 0.4, 0.01, 0.5 },
  { "expert_tokens_half", 150, 0.3, 50, 800 },
  { "launch_s_per_expert", 5e-5, 0.5, 5e-6, 2e-4 },
  { "launch_s_per_cast_expert", 2e-4, 0.5, 1e-5, 6e-4 },
  { "generation.hopper.launch_s_per_routing", 3e-3, 0.3, 3e-4, 8e-3 },
  { "generation.blackwell.launch_s_per_routing", 5e-4, 0.5, 3e-5, 4e-3 },
  { "ep_beside_exposed", 0.5, 0.3, 0.1, 1 },
  { "permute_traffic", 1.5, 0.3, 1, 4 },
  { "unfused_attention", 0.5, 0.2, 0.2, 0.9 },
  { "nvlink_efficiency", 0.75, 0.06, 0.6, 0.95 },
  { "network_efficiency", 0.80, 0.06, 0.6, 0.95 },
  { "inter_latency_s", 6e-6, 0.4, 2e-6, 3e-5 },
  { "optimizer_factor", 1.3, 0.2, 1, 3 },
  { "launch_s_per_adapter", 1e-4, 0.4, 1e-5, 1e-3 },
  { "launch_s_per_tensor", 1e-4, 0.5, 1e-6, 1e-3 },
  { "launch_s_per_hook", 3e-4, 0.5, 2e-5, 3e-3 },
  { "fixed_s", 0.015, 0.3, 0.001, 0.1 },
  { "profile.megatron-core.tp_exposed", 0.43, 0.15, 0.1, 1 },
  { "profile.megatron-core.dp_exposed", 0.25, 0.3, 0.05, 1 },
  { "profile.megatron-core.ep_exposed", 0.83, 0.2, 0.2, 1 },
  { "profile.fsdp.fsdp_exposed", 0.25, 0.3, 0.02, 1 },
  { "profile.fsdp.selective_share", 0.5, 0.3, 0.1, 1 },
};

/* Those of memory, fitted before the others on the runs that state their memory and what they
 * recompute. */
static const FitConstant fit_memory_constants[] = {
  { "profile.deepspeed.allocator_factor", 1.05, 0.06, 1, 1.3 },
};
