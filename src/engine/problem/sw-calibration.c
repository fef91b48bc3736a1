/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-calibration.h"

#include "sw-framework.h"

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
#define ITEM(section, member)                                                                      \
  {                                                                                                \
#member, offsetof(SwCalibration, section[0].member) - offsetof(SwCalibration, section)         \
  }
#define GENERATION(member) ITEM (generation, member)

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
  GLOBAL (gptq_unpacking),
  GLOBAL (unfused_attention),
  GLOBAL (nvlink_efficiency),
  GLOBAL (network_efficiency),
  GLOBAL (pcie_efficiency),
  GLOBAL (intra_half_bytes),
  GLOBAL (intra_slice_bytes),
  GLOBAL (inter_half_bytes),
  GLOBAL (inter_half_link_bytes_per_s),
  GLOBAL (intra_latency_s),
  GLOBAL (inter_latency_s),
  GLOBAL (all_to_all_efficiency),
  GLOBAL (all_to_all_hashed),
  GLOBAL (optimizer_factor),
  GLOBAL (host_bytes_per_s),
  GLOBAL (host_optimizer_bytes_per_s),
  GLOBAL (host_optimizer_unfused),
  GLOBAL (context_bytes),
  GLOBAL (nccl_bytes_per_group),
  GLOBAL (fixed_s),
  GLOBAL (gemm_slices),
  GLOBAL (gemm_slice_below),
  GLOBAL (gemm_slice_k),
  GLOBAL (gemm_slice_rate),
  GLOBAL (gemm_most),
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
  GLOBAL (deepspeed_bucket_elements),
  GLOBAL (deepspeed_sub_group_elements),
  GLOBAL (deepspeed_live_parameters),
  GLOBAL (megatron_bucket_parameters),
  GLOBAL (megatron_bucket_parameters_per_rank),
  GLOBAL (unmeasured_beyond_widest),
  GLOBAL (unmeasured_beyond_all),
  GLOBAL (cast_delay),
  GLOBAL (retries_from),
  GLOBAL (retries_most),
  GLOBAL (launch_blocking),
  GLOBAL (loss_chunks),
  GLOBAL (launch_s_per_tensor),
  GLOBAL (launch_s_per_hook),
  GLOBAL (launch_s_per_adapter),
  GLOBAL (since.mla_rope_fused),
  GLOBAL (since.permute_fused),
  GLOBAL (since.experts_fused),
  GLOBAL (since.probabilities_in_activation),
  GLOBAL (since.operator_policy),
  GLOBAL (since.deepspeed_hugging_face),
  GLOBAL (since.newest),
  GLOBAL (since.newest_megatron_2021),
  GLOBAL (since.sequence_parallel),
  GLOBAL (since.megatron_offload),
  GLOBAL (since.nemo_2),
  GLOBAL (since.frozen_inputs_freed),
  GLOBAL (since.selective_norms),
  GLOBAL (probe.kernel_known),
  GLOBAL (probe.kernel_unknown),
  GLOBAL (probe.kernel_gap),
  GLOBAL (probe.memory_gap),
  GLOBAL (probe.launch),
  GLOBAL (probe.loose_gap),
  GLOBAL (probe.link),
  GLOBAL (probe.link_inside),
  GLOBAL (probe.link_gap),
  GLOBAL (probe.footprint),
};

const char *const sw_accuracy_names[] = { "training", "fine-tuning" };

static const Field generation_fields[] = {
  GENERATION (gemm_bf16),    GENERATION (gemm_fp8),
  GENERATION (gemm_fp4),     GENERATION (attention_flash),
  GENERATION (hbm),          GENERATION (best_gemm),
  GENERATION (w_per_tflops), GENERATION (launch_s_per_routing),
  GENERATION (host_factor),
};

static const Field tile_fields[] = {
  FIELD (SwTile, per_row),
  FIELD (SwTile, per_column),
  FIELD (SwTile, rate),
};

static const Field profile_fields[] = {
  PROFILE (gemm_factor),      PROFILE (tp_exposed),     PROFILE (tp_exposed_packed),
  PROFILE (dp_exposed),       PROFILE (ep_exposed),     PROFILE (cp_exposed),
  PROFILE (pp_exposed),       PROFILE (fsdp_exposed),   PROFILE (selective_share),
  PROFILE (allocator_factor), PROFILE (gradient_bytes), PROFILE (straggler_per_doubling),
};

static const Field kernel_fields[] = {
  ITEM (kernels, memory_bound_factor),
  ITEM (kernels, launch_s_per_layer),
};

static const Field flash_fields[] = {
  ITEM (flash, before_hopper),
  ITEM (flash, hopper),
  ITEM (flash, blackwell),
};

static double *
find_field (gpointer base, const Field *fields, gsize n_fields, const char *name)
{
  for (gsize i = 0; i < n_fields; i++)
    if (strcmp (fields[i].name, name) == 0)
      return G_STRUCT_MEMBER_P (base, fields[i].offset);
  return NULL;
}

/* Removes the part up to the next dot from `name`. Returns the index of that part in `names`, or
 * -1. */
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

/* The sections of calibration.json whose members have individual names. */
enum {
  SECTION_GENERATION,
  SECTION_PROFILE,
  SECTION_FEATURE,
  SECTION_KERNELS,
  SECTION_FLASH,
  SECTION_TILE,
};

static const char *const section_names[] = {
  "generation", "profile", "feature", "kernels", "flash", "tile", NULL,
};

static const char *const tile_names[] = { "0", "1", "2", "3", "4", NULL };

static const struct {
  const char *const *names; /* of its items */
  gsize offset, size;       /* offset of the first, size of each */
  const Field *fields;
  gsize n_fields;
} sections[] = {
#define SECTION(member, names, fields)                                                             \
  {                                                                                                \
    names, offsetof (SwCalibration, member), sizeof ((SwCalibration *) 0)->member[0], fields,      \
        G_N_ELEMENTS (fields)                                                                      \
  }
  [SECTION_GENERATION] = SECTION (generation, sw_generation_names, generation_fields),
  [SECTION_PROFILE] = SECTION (profile, sw_framework_names, profile_fields),
  [SECTION_KERNELS] = SECTION (kernels, sw_kernel_class_names, kernel_fields),
  [SECTION_FLASH] = SECTION (flash, sw_flash_kernel_names, flash_fields),
  [SECTION_TILE] = SECTION (tile, tile_names, tile_fields),
#undef SECTION
};

/**
 * sw_calibration_lookup:
 * @calibration: the constants
 * @name: dotted path of calibration.json: "gemm_k_half", "generation.hopper.gemm_bf16",
 *   "profile.megatron-core.tp_exposed", "feature.fsdp.flash_2", "kernels.eager.launch_s_per_layer",
 *   "flash.2.hopper", "tile.0.rate", "since.experts_fused"
 *
 * Returns: (transfer none) (nullable): the address of that constant within @calibration, or NULL
 * for an unknown name
 */
double *
sw_calibration_lookup (SwCalibration *calibration, const char *name)
{
  int section = take_part (&name, section_names), item;

  if (section < 0)
    return find_field (calibration, global_fields, G_N_ELEMENTS (global_fields), name);
  if (section == SECTION_FEATURE)
    {
      int framework = take_part (&name, sw_framework_names);
      int feature = sw_name_index (sw_feature_names, name);

      return framework < 0 || feature < 0 ? NULL : &calibration->feature[framework][feature];
    }
  item = take_part (&name, sections[section].names);
  if (item < 0)
    return NULL;
  return find_field ((char *) calibration + sections[section].offset
                         + (gsize) item * sections[section].size,
                     sections[section].fields, sections[section].n_fields, name);
}

/**
 * sw_calibration_residual:
 * @calibration: the constants
 * @generation: of the GPU
 * @framework: the software profile
 * @is_moe: whether the model is a mixture of experts
 * @is_adapter: whether adapters are trained beside frozen weights
 *
 * Returns: (transfer none): the errors of runs of that kind, or those of all runs (with rows 0) if
 * fewer than three similar runs were measured
 */
const SwResidual *
sw_calibration_residual (const SwCalibration *calibration, SwGeneration generation,
                         SwFramework framework, gboolean is_moe, gboolean is_adapter)
{
  const SwResidual *residual =
      &calibration->residual[generation][sw_engine (framework)][is_moe ? 1 : 0][is_adapter ? 1 : 0];

  return residual->rows >= 3 ? residual : &calibration->residual_all;
}

/**
 * sw_calibration_knows_gpu:
 * @calibration: the constants
 * @id: of a GPU in the catalog
 *
 * Returns: whether runs on that GPU were measured; constants without a list are assumed to know all
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
 * @out: (out): the largest error of each sort among the kinds with at least three measured runs,
 * and at least that of all runs
 */
void
sw_calibration_widest (const SwCalibration *calibration, gboolean is_moe, SwResidual *out)
{
  *out = calibration->residual_all;
  for (guint g = 0; g < SW_N_GENERATIONS; g++)
    for (guint f = 0; f < SW_N_FRAMEWORKS; f++)
      for (guint adapter = 0; adapter < 2; adapter++)
        {
          const SwResidual *kind = &calibration->residual[g][f][is_moe ? 1 : 0][adapter];

          if (kind->rows < 3)
            continue;
          out->time_p90 = MAX (out->time_p90, kind->time_p90);
          out->memory_p90 = MAX (out->memory_p90, kind->memory_p90);
        }
}
