/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-calibration.h"

#include <stddef.h>
#include <string.h>

/* The address of a constant by its name in calibration.json. */
typedef struct {
  const char *name;
  gsize offset;
} Field;

#define FIELD(type, member)                                                                        \
  {                                                                                                \
#member, offsetof(type, member)                                                                \
  }
#define GLOBAL(member) FIELD (SwCalibration, member)
#define PROFILE(member) FIELD (SwProfile, member)
#define GENERATION(member)                                                                         \
  {                                                                                                \
#member, offsetof(SwCalibration, generation[0].member) - offsetof(SwCalibration, generation)   \
  }

static const Field global_fields[] = {
  GLOBAL (power_exponent),
  GLOBAL (gemm_k_half),
  GLOBAL (fp8_rowwise),
  GLOBAL (mxfp8),
  GLOBAL (cast_traffic),
  GLOBAL (cast_s),
  GLOBAL (expert_tokens_half),
  GLOBAL (expert_imbalance),
  GLOBAL (launch_s_per_expert),
  GLOBAL (launch_s_per_cast_expert),
  GLOBAL (ep_beside_exposed),
  GLOBAL (superchip_host_bytes_per_s),
  GLOBAL (permute_traffic),
  GLOBAL (unfused_attention),
  GLOBAL (nvlink_efficiency),
  GLOBAL (network_efficiency),
  GLOBAL (pcie_efficiency),
  GLOBAL (intra_half_bytes),
  GLOBAL (intra_slice_bytes),
  GLOBAL (inter_half_bytes),
  GLOBAL (intra_latency_s),
  GLOBAL (inter_latency_s),
  GLOBAL (all_to_all_efficiency),
  GLOBAL (optimizer_factor),
  GLOBAL (host_bytes_per_s),
  GLOBAL (context_bytes),
  GLOBAL (nccl_bytes_per_group),
  GLOBAL (fixed_s),
  GLOBAL (gemm_slices),
  GLOBAL (gemm_slice_below),
  GLOBAL (gemm_slice_k),
  GLOBAL (gemm_slice_rate),
  GLOBAL (power_most),
  GLOBAL (gemm_narrow),
  GLOBAL (gemm_half_aligned),
  GLOBAL (gemm_unaligned),
  GLOBAL (expert_gradient_half),
  GLOBAL (attention_head_half),
  GLOBAL (attention_keys_half),
  GLOBAL (attention_block),
  GLOBAL (attention_forward),
  GLOBAL (attention_backward),
  GLOBAL (latent_attention),
  GLOBAL (pcie_copy_efficiency),
  GLOBAL (pcie_uplinks),
  GLOBAL (baseboard_gpus),
  GLOBAL (pcie_pair_share),
  GLOBAL (pcie_all_to_all_share),
  GLOBAL (pcie_root_share),
  GLOBAL (pcie_root_gpus),
  GLOBAL (pcie_most),
  GLOBAL (tree_hops),
  GLOBAL (all_to_all_batch),
  GLOBAL (intra_slice_link_bytes_per_s),
  GLOBAL (short_message_ramp),
  GLOBAL (permute_unfused),
  GLOBAL (permute_row_overhead),
  GLOBAL (routing_ungraphed),
  GLOBAL (plain_dispatch_ranks),
  GLOBAL (attention_merge_bytes),
  GLOBAL (attention_merge_unfused_bytes),
  GLOBAL (ep_exposed_fused),
  GLOBAL (deepspeed_bucket_elements),
  GLOBAL (deepspeed_live_parameters),
  GLOBAL (megatron_bucket_parameters),
  GLOBAL (megatron_bucket_parameters_per_rank),
  GLOBAL (unmeasured_beyond_widest),
  GLOBAL (unmeasured_beyond_all),
  GLOBAL (since.mla_rope_fused),
  GLOBAL (since.permute_fused),
  GLOBAL (since.tokens_forwarded),
  GLOBAL (since.tokens_forwarded_inside),
  GLOBAL (since.experts_beside),
  GLOBAL (since.router_graphed),
  GLOBAL (since.experts_fused),
  GLOBAL (since.probabilities_in_activation),
  GLOBAL (since.operator_policy),
  GLOBAL (since.fsdp_eager_loss),
  GLOBAL (since.fsdp2_fused_loss),
  GLOBAL (since.deepspeed_hugging_face),
  GLOBAL (since.newest),
  GLOBAL (since.newest_megatron_2021),
  GLOBAL (since.sequence_parallel),
  GLOBAL (since.megatron_offload),
  GLOBAL (since.nemo_2),
  GLOBAL (since.selective_norms),
};

static const Field generation_fields[] = {
  GENERATION (gemm_bf16),    GENERATION (gemm_fp8),
  GENERATION (gemm_fp4),     GENERATION (attention_flash),
  GENERATION (hbm),          GENERATION (best_gemm),
  GENERATION (w_per_tflops), GENERATION (launch_s_per_routing),
};

static const Field tile_fields[] = {
  FIELD (SwTile, per_row),
  FIELD (SwTile, per_column),
  FIELD (SwTile, rate),
};

static const Field profile_fields[] = {
  PROFILE (until_year),
  PROFILE (gemm_factor),
  PROFILE (fp8_delay_blackwell),
  PROFILE (attention_factor),
  PROFILE (attention_factor_before_hopper),
  PROFILE (launch_s_per_layer),
  PROFILE (launch_blocking),
  PROFILE (memory_bound_factor),
  PROFILE (tp_exposed),
  PROFILE (tp_exposed_packed),
  PROFILE (dp_exposed),
  PROFILE (ep_exposed),
  PROFILE (cp_exposed),
  PROFILE (pp_exposed),
  PROFILE (fsdp_exposed),
  PROFILE (selective_share),
  PROFILE (allocator_factor),
  PROFILE (gradient_bytes),
  PROFILE (straggler_per_doubling),
};

static double *
find_field (gpointer base, const Field *fields, gsize n_fields, const char *name)
{
  for (gsize i = 0; i < n_fields; i++)
    if (strcmp (fields[i].name, name) == 0)
      return G_STRUCT_MEMBER_P (base, fields[i].offset);
  return NULL;
}

/* Cuts the part up to the next dot off `name`. Returns the index of that part in `names`, -1 where
 * there is none. */
static int
take_part (const char **name, const char *const *names)
{
  const char *dot = strchr (*name, '.');

  if (dot == NULL)
    return -1;
  for (int i = 0; names[i] != NULL; i++)
    if (strlen (names[i]) == (gsize) (dot - *name) && strncmp (names[i], *name, dot - *name) == 0)
      {
        *name = dot + 1;
        return i;
      }
  return -1;
}

/**
 * sw_calibration_lookup:
 * @calibration: the constants
 * @name: dotted path of calibration.json: "gemm_k_half", "generation.hopper.gemm_bf16",
 *   "profile.megatron-core.tp_exposed", "era.deepspeed.0.launch_s_per_layer", "tile.0.rate",
 *   "since.experts_fused"
 *
 * Returns: (transfer none) (nullable): the address of that constant within @calibration, or NULL
 * for an unknown name
 */
double *
sw_calibration_lookup (SwCalibration *calibration, const char *name)
{
  static const char *const sections[] = { "generation", "profile", "era", "tile", NULL };
  static const char *const tiles[] = { "0", "1", "2", "3", "4", NULL };
  int section = take_part (&name, sections);

  if (section == 0)
    {
      int generation = take_part (&name, sw_generation_names);

      return generation < 0 ? NULL
                            : find_field (&calibration->generation[generation], generation_fields,
                                          G_N_ELEMENTS (generation_fields), name);
    }
  if (section == 3)
    {
      int tile = take_part (&name, tiles);

      return tile < 0 ? NULL
                      : find_field (&calibration->tile[tile], tile_fields,
                                    G_N_ELEMENTS (tile_fields), name);
    }
  if (section > 0)
    {
      /* "FRAMEWORK.FIELD", or "FRAMEWORK.N.FIELD" for the N-th of its earlier eras. */
      int framework = take_part (&name, sw_framework_names);
      SwProfile *profile;

      if (framework < 0)
        return NULL;
      profile = &calibration->profile[framework];
      if (section == 2)
        {
          if (name[0] < '0' || name[0] >= '0' + SW_N_ERAS || name[1] != '.')
            return NULL;
          profile = &calibration->era[framework][name[0] - '0'];
          name += 2;
        }
      return find_field (profile, profile_fields, G_N_ELEMENTS (profile_fields), name);
    }
  return find_field (calibration, global_fields, G_N_ELEMENTS (global_fields), name);
}

/**
 * sw_calibration_profile:
 * @calibration: the constants
 * @framework: the software profile; never ANY
 * @software_year: date of the software, 2026.5 = June 2026; 0: the newest
 *
 * Returns: (transfer none): what that framework does in its release of that date
 */
const SwProfile *
sw_calibration_profile (const SwCalibration *calibration, SwFramework framework,
                        double software_year)
{
  if (software_year > 0)
    for (guint i = 0; i < SW_N_ERAS; i++)
      if (software_year < calibration->era[framework][i].until_year)
        return &calibration->era[framework][i];
  return &calibration->profile[framework];
}

/**
 * sw_calibration_residual:
 * @calibration: the constants
 * @generation: of the GPU
 * @framework: the software profile
 * @is_moe: whether the model is a mixture of experts
 *
 * Returns: (transfer none): the errors of runs of that kind, or those of all runs (with rows 0)
 * where fewer than three like it were measured
 */
const SwResidual *
sw_calibration_residual (const SwCalibration *calibration, SwGeneration generation,
                         SwFramework framework, gboolean is_moe)
{
  const SwResidual *residual = &calibration->residual[generation][framework][is_moe ? 1 : 0];

  return residual->rows >= 3 ? residual : &calibration->residual_all;
}

/**
 * sw_calibration_knows_gpu:
 * @calibration: the constants
 * @id: of a GPU in the catalogue
 *
 * Returns: whether runs on that GPU were measured; constants that name none are taken to know all
 */
gboolean
sw_calibration_knows_gpu (const SwCalibration *calibration, const char *id)
{
  if (calibration->measured_gpu[0][0] == '\0')
    return TRUE;
  for (guint i = 0; i < SW_MAX_MEASURED_GPUS && calibration->measured_gpu[i][0] != '\0'; i++)
    if (strcmp (calibration->measured_gpu[i], id) == 0)
      return TRUE;
  return FALSE;
}

/**
 * sw_calibration_widest:
 * @calibration: the constants
 * @is_moe: of mixtures of experts, else of dense models
 * @out: (out): the greatest error of each sort over the kinds of which three runs or more were
 * measured; those of all runs are the least
 */
void
sw_calibration_widest (const SwCalibration *calibration, gboolean is_moe, SwResidual *out)
{
  *out = calibration->residual_all;
  for (guint g = 0; g < SW_N_GENERATIONS; g++)
    for (guint f = 0; f < SW_N_FRAMEWORKS; f++)
      {
        const SwResidual *kind = &calibration->residual[g][f][is_moe ? 1 : 0];

        if (kind->rows < 3)
          continue;
        out->time_p90 = MAX (out->time_p90, kind->time_p90);
        out->memory_p90 = MAX (out->memory_p90, kind->memory_p90);
      }
}
