/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the values of a scenario to the engine's question: defaults, links, pins and checks across
 * keys. */
#include "shardwise-catalogue-private.h"
#include "shardwise-scenario-private.h"

#include <glib/gi18n.h>
#include <string.h>

/* Host memory of a node where none is stated: 256 GB a GPU, 2 TB in a DGX H100. */
#define HOST_GB_PER_GPU 256.0

/* Sets @error; (transfer full) @text. Returns: FALSE */
gboolean
shardwise_resolve_fail (GError **error, ShardwiseError code, const char *path, char *text)
{
  g_propagate_error (error, shardwise_error_new (code, path, "%s", text));
  g_free (text);
  return FALSE;
}

/* The index in @names of the word that was set at @path; @fallback where none was. */
guint
shardwise_resolve_word (ShardwiseScenario *self, const char *path, const char *const *names,
                        guint fallback)
{
  const char *text = shardwise_scenario_peek_string (self, path);
  int index = text != NULL ? sw_name_index (names, text) : -1;

  return index < 0 ? fallback : (guint) index;
}

/* ---- cluster ---- */

/* Where no link is known: a bandwidth makes one, and a job inside one node needs no network. */
static gboolean
unknown_link (ShardwiseScenario *self, const char *asked, double bandwidth, gboolean inter_node,
              const SwGpu *gpu, SwLink *out, GError *reason, GError **error)
{
  double gpus = shardwise_scenario_peek_number (self, "cluster.gpus", 1);
  double node = shardwise_scenario_peek_number (self, "cluster.gpus_per_node", 8);

  if (bandwidth > 0 && !g_error_matches (reason, SHARDWISE_ERROR, SHARDWISE_ERROR_CHOICE))
    {
      g_error_free (reason);

      /* A link that the catalogue does not have for this GPU, by the user's word and bandwidth. */
      const char *name = asked != NULL ? asked : "custom";

      memset (out, 0, sizeof *out);
      g_strlcpy (out->id, name, sizeof out->id);
      g_strlcpy (out->name, name, sizeof out->name);
      out->is_pcie = g_str_equal (name, "pcie");
      out->is_ethernet = g_str_equal (name, "ethernet");
      out->bytes_per_s = bandwidth * SW_GB;
      return TRUE;
    }
  if (inter_node && asked == NULL && gpus <= node)
    {
      g_error_free (reason);
      return shardwise_catalogue_find_link (shardwise_catalogue_get (), "ethernet", gpu, TRUE, out,
                                            error);
    }
  g_propagate_error (error, reason);
  return FALSE;
}

static gboolean
resolve_link (ShardwiseScenario *self, gboolean inter_node, const SwGpu *gpu, SwLink *out,
              GError **error)
{
  const char *path = inter_node ? "cluster.inter_node" : "cluster.intra_node";
  double bandwidth = shardwise_scenario_peek_number (
      self, inter_node ? "cluster.inter_node_gb_s" : "cluster.intra_node_gb_s", 0);
  const char *asked = shardwise_scenario_peek_string (self, path);
  GError *reason = NULL;

  if (!shardwise_catalogue_find_link (shardwise_catalogue_get (), asked, gpu, inter_node, out,
                                      &reason))
    return unknown_link (self, asked, bandwidth, inter_node, gpu, out, reason, error);
  if (!inter_node)
    {
      /* What an object over a base says of the GPU's own links wins over the fabrics of its
       * generation. */
      const SwGpu *base = shardwise_catalogue_find_gpu (shardwise_catalogue_get (), gpu->id);

      if (out->is_pcie && gpu->pcie_bytes_per_s != base->pcie_bytes_per_s)
        out->bytes_per_s = gpu->pcie_bytes_per_s;
      else if (!(asked != NULL) && gpu->scale_up_bytes_per_s != base->scale_up_bytes_per_s)
        out->bytes_per_s = gpu->scale_up_bytes_per_s;
    }
  if (bandwidth > 0)
    {
      out->bytes_per_s = bandwidth * SW_GB;
      out->shared_by_node = FALSE;
    }
  return TRUE;
}

/* How many GPUs the fast link joins: a rack's domain is wider than a node; a bridge's is
 * narrower. */
static guint
default_domain (const SwCluster *cluster)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  const SwGpu *gpu = &cluster->gpu;
  guint domain = shardwise_catalogue_link_domain (catalogue, &cluster->intra, gpu);

  if (gpu->scale_up_domain != shardwise_catalogue_find_gpu (catalogue, gpu->id)->scale_up_domain)
    return MAX (1, gpu->scale_up_domain); /* of the user's object */
  return domain == 8 || (domain > 8 && domain <= cluster->gpus_per_node) ? cluster->gpus_per_node
                                                                         : domain;
}

static gboolean
resolve_cluster (ShardwiseScenario *self, SwCluster *out, GError **error)
{
  double nominal;

  if (shardwise_scenario_peek (self, "cluster.gpus") == NULL)
    {
      g_autofree char *accepted =
          shardwise_key_describe_range (shardwise_key_find ("cluster.gpus"));

      return shardwise_resolve_fail (error, SHARDWISE_ERROR_MISSING, "cluster.gpus",
                                     g_strdup_printf (_ ("is missing, accepted: %s"), accepted));
    }
  if (!shardwise_resolve_gpu (self, &out->gpu, error))
    return FALSE;
  out->gpus = (guint) shardwise_scenario_peek_number (self, "cluster.gpus", 1);
  out->gpus_per_node = (guint) shardwise_scenario_peek_number (
      self, "cluster.gpus_per_node",
      g_str_has_prefix (out->gpu.id, "gb200") || g_str_has_prefix (out->gpu.id, "gb300") ? 4 : 8);
  if (!resolve_link (self, FALSE, &out->gpu, &out->intra, error)
      || !resolve_link (self, TRUE, &out->gpu, &out->inter, error))
    return FALSE;
  out->nvlink_domain = (guint) shardwise_scenario_peek_number (self, "cluster.nvlink_domain",
                                                               default_domain (out));
  out->oversubscription = shardwise_scenario_peek_number (self, "cluster.oversubscription", 1);
  out->pod_gpus = (guint) shardwise_scenario_peek_number (self, "cluster.pod_gpus", 0);
  out->host_ram_bytes = SW_GB
                        * shardwise_scenario_peek_number (self, "cluster.host_ram_gb",
                                                          HOST_GB_PER_GPU * out->gpus_per_node);
  nominal = shardwise_scenario_peek_number (self, "cluster.gpu_memory_gb", out->gpu.memory_gb);
  out->usable_bytes = nominal * out->gpu.usable_bytes / out->gpu.memory_gb;
  return TRUE;
}

/* ---- training ---- */

static double
software_year (ShardwiseScenario *self, SwFramework framework)
{
  const char *date = shardwise_scenario_peek_string (self, "training.software_date");

  if (date == NULL)
    {
      /* The newest software that the constants of a profile were seen with (measured_runs.csv,
       * software_date). */
      switch (framework)
        {
        case SW_FRAMEWORK_MEGATRON_2021: return 2022 + 5 / 12.0;
        case SW_FRAMEWORK_ANY:
        case SW_FRAMEWORK_MEGATRON_CORE:
        case SW_FRAMEWORK_FSDP:
        case SW_FRAMEWORK_FSDP2:
        case SW_FRAMEWORK_DEEPSPEED:
        case SW_FRAMEWORK_NANOTRON:
        case SW_N_FRAMEWORKS:
        default: return 2026 + 6 / 12.0;
        }
    }
  return (double) g_ascii_strtoll (date, NULL, 10)
         + (double) g_ascii_strtoll (date + 5, NULL, 10) / 12.0;
}

/* Without a word: bf16, where the GPU has it. */
static SwPrecision
precision (ShardwiseScenario *self, const SwCluster *cluster)
{
  const char *text = shardwise_scenario_peek_string (self, "training.precision");

  if (text == NULL)
    return sw_cluster_peak_flops (cluster, SW_PRECISION_BF16) > 0 ? SW_PRECISION_BF16
                                                                  : SW_PRECISION_FP16;
  if (g_str_equal (text, "fp8-tensorwise"))
    return SW_PRECISION_FP8;
  return shardwise_resolve_word (self, "training.precision", sw_precision_names, SW_PRECISION_BF16);
}

static gboolean
check_precision (const SwCluster *cluster, SwPrecision wanted, GError **error)
{
  g_autoptr (GString) accepted = g_string_new (NULL);

  if (sw_cluster_has_precision (cluster, wanted))
    return TRUE;
  for (guint i = 0; sw_precision_names[i] != NULL; i++)
    if (sw_cluster_has_precision (cluster, (SwPrecision) i))
      g_string_append_printf (accepted, "%s%s", accepted->len > 0 ? ", " : "",
                              sw_precision_names[i]);
  return shardwise_resolve_fail (
      error, SHARDWISE_ERROR_INCONSISTENT, "training.precision",
      /* Translators: a number format ("fp8"), name of a GPU, a list of number formats */
      g_strdup_printf (_ ("%s is no arithmetic of %s, accepted: %s"), sw_precision_names[wanted],
                       cluster->gpu.name, accepted->str));
}

static void
resolve_training (ShardwiseScenario *self, const SwCluster *cluster, SwTraining *out)
{
  double pinned = shardwise_scenario_peek_number (self, "strategy.micro_batch_size", 0);

  out->type = shardwise_resolve_word (self, "training.type", sw_training_type_names,
                                      SW_TRAINING_PRETRAIN);
  out->sequence_length = (guint) shardwise_scenario_peek_number (self, "training.sequence_length",
                                                                 4096);
  out->global_batch = (guint) shardwise_scenario_peek_number (self, "training.global_batch_size",
                                                              0);
  out->micro_batch =
      (guint) (pinned > 0 ? pinned
                          : shardwise_scenario_peek_number (self, "training.micro_batch_size", 0));
  out->precision = precision (self, cluster);
  out->optimizer = shardwise_resolve_word (self, "training.optimizer", sw_optimizer_names,
                                           SW_OPTIMIZER_ADAMW);
  out->attention = shardwise_resolve_word (self, "training.attention", sw_attention_names,
                                           SW_ATTENTION_FLASH);
  out->framework = shardwise_resolve_word (self, "training.framework", sw_framework_names,
                                           SW_FRAMEWORK_MEGATRON_CORE);
  out->software_year = software_year (self, out->framework);
  out->overlap = shardwise_resolve_word (self, "training.overlap", sw_overlap_names,
                                         SW_OVERLAP_AUTO);
  out->memory_target = shardwise_scenario_peek_number (self, "training.memory_target", 0.9);
  out->tokens = shardwise_scenario_peek_number (self, "training.tokens", 0);
  out->lora_rank = (guint) shardwise_scenario_peek_number (self, "training.lora.rank", 16);
  out->lora_all_linear =
      g_strcmp0 (shardwise_scenario_peek_string (self, "training.lora.targets"), "attention") != 0;
  out->rlhf_colocated = (gboolean) shardwise_scenario_peek_number (self, "training.rlhf.colocated",
                                                                   TRUE);
  out->rlhf_ppo =
      g_strcmp0 (shardwise_scenario_peek_string (self, "training.rlhf.algorithm"), "grpo") != 0;
  out->rlhf_critic_parameters =
      1e9 * shardwise_scenario_peek_number (self, "training.rlhf.critic_parameters_b", 0);
  out->rlhf_response_length =
      (guint) shardwise_scenario_peek_number (self, "training.rlhf.response_length", 1024);
  out->mean_document = (guint) shardwise_scenario_peek_number (self,
                                                               "training.packing.mean_document", 0);
}

/**
 * shardwise_scenario_resolve:
 * @out: (out): the engine's question, complete
 * @notes: (out) (transfer full) (optional): sentences on what is approximated
 *
 * Resolves presets, defaults and links.
 *
 * Returns: whether the scenario is complete and holds together; else @error carries the path
 */
gboolean
shardwise_scenario_resolve (ShardwiseScenario *self, SwProblem *out, GPtrArray **notes,
                            GError **error)
{
  const ShardwiseFactors factors = shardwise_scenario_get_factors (self);
  g_autoptr (GPtrArray) collected = g_ptr_array_new_with_free_func (g_free);

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (self) && out != NULL, FALSE);

  memset (out, 0, sizeof *out);
  if (!shardwise_resolve_model (self, &out->model, collected, error)
      || !resolve_cluster (self, &out->cluster, error))
    return FALSE;
  resolve_training (self, &out->cluster, &out->training);
  if (!check_precision (&out->cluster, out->training.precision, error))
    return FALSE;
  shardwise_resolve_pins (self, &out->pins);
  out->calibration = shardwise_catalogue_calibration_with (shardwise_catalogue_get (), &factors);
  sw_problem_prepare (out);
  if (!shardwise_resolve_check (out, error))
    return FALSE;

  guint most = out->model.max_position_embeddings;

  if (most > 0 && out->training.sequence_length > most)
    /* Translators: a sequence length, and the longest that the model was made for */
    g_ptr_array_add (
        collected,
        g_strdup_printf (
            _ ("A sequence of %'u tokens is longer than the %'u that this model was made for."),
            out->training.sequence_length, most));
  if (!shardwise_factors_are_neutral (&factors))
    g_ptr_array_add (collected, shardwise_factors_to_text (&factors));
  if (notes != NULL)
    *notes = g_steal_pointer (&collected);
  return TRUE;
}

/**
 * shardwise_scenario_resolve_on:
 * @gpus: instead of the number of GPUs that the scenario states
 * @out: (out): the engine's question, complete
 *
 * What is of another number of GPUs may need what the scenario's own does not: inside one node a
 * network is no part of the answer, and whichever there is will do.
 *
 * Returns: as shardwise_scenario_resolve()
 */
gboolean
shardwise_scenario_resolve_on (ShardwiseScenario *self, guint gpus, SwProblem *out, GError **error)
{
  g_autoptr (ShardwiseScenario) other = NULL;

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (self) && out != NULL, FALSE);

  other = shardwise_scenario_copy (self);
  if (shardwise_scenario_is_set (self, "cluster.gpus")
      && !shardwise_scenario_set (other, "cluster.gpus", g_variant_new_uint32 (gpus), error))
    return FALSE;
  return shardwise_scenario_resolve (other, out, NULL, error);
}

/**
 * shardwise_scenario_get_unpinning:
 *
 * Returns: (transfer floating) (nullable): a{sv} for shardwise_scenario_apply() that lets the
 * search choose the strategy, where that makes a whole question of what is none now
 */
GVariant *
shardwise_scenario_get_unpinning (ShardwiseScenario *self)
{
  g_autoptr (ShardwiseScenario) without = NULL;
  GVariantBuilder changes;
  guint n_keys;
  const ShardwiseKey *keys = shardwise_keys (&n_keys);

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (self), NULL);

  if (shardwise_scenario_get_resolves (self))
    return NULL;
  without = shardwise_scenario_copy (self);
  g_variant_builder_init (&changes, G_VARIANT_TYPE_VARDICT);
  for (guint i = 0; i < n_keys; i++)
    if (g_str_has_prefix (keys[i].path, "strategy.")
        && shardwise_scenario_is_set (self, keys[i].path))
      {
        shardwise_scenario_reset (without, keys[i].path);
        g_variant_builder_add (&changes, "{sv}", keys[i].path, g_variant_new_string (""));
      }
  if (shardwise_scenario_get_resolves (without))
    return g_variant_builder_end (&changes);
  g_variant_builder_clear (&changes);
  return NULL;
}
