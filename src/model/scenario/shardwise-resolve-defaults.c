/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The defaults of a scenario, read off the resolved question. */
#include "shardwise-cost.h"
#include "shardwise-scenario-private.h"

#include <string.h>

static GVariant *
model_default (const SwModelSpec *model, const char *name)
{
  const struct {
    const char *name;
    guint value;
  } counts[] = {
    { "layers", model->layers },
    { "hidden_size", model->hidden_size },
    { "intermediate_size", model->intermediate_size },
    { "attention_heads", model->attention_heads },
    { "kv_heads", model->kv_heads },
    { "head_dim", model->head_dim },
    { "vocab_size", model->vocab_size },
    { "max_position_embeddings", model->max_position_embeddings },
    { "norms_per_layer", model->norms_per_layer },
    { "mtp_layers", model->mtp_layers },
  };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    if (g_str_equal (counts[i].name, name))
      return g_variant_new_int64 (counts[i].value);
  if (g_str_equal (name, "kind"))
    return g_variant_new_string (sw_model_kind_names[model->kind]);
  if (g_str_equal (name, "norm"))
    return g_variant_new_string (sw_norm_names[model->norm]);
  if (g_str_equal (name, "gated_mlp"))
    return g_variant_new_boolean (model->gated_mlp);
  if (g_str_equal (name, "tied_embeddings"))
    return g_variant_new_boolean (model->tied_embeddings);
  return NULL;
}

static GVariant *
cluster_default (const SwCluster *cluster, const char *name)
{
  const struct {
    const char *name;
    double value;
  } numbers[] = {
    { "gpu_memory_gb", cluster->gpu.memory_gb },
    { "intra_node_gb_s", cluster->intra.bytes_per_s / SW_GB },
    { "inter_node_gb_s", cluster->inter.bytes_per_s / SW_GB },
    { "oversubscription", cluster->oversubscription },
    { "host_ram_gb", cluster->host_ram_bytes / SW_GB },
  };
  const struct {
    const char *name;
    guint value;
  } counts[] = {
    { "gpus_per_node", cluster->gpus_per_node },
    { "nvlink_domain", cluster->nvlink_domain },
    { "pod_gpus", cluster->pod_gpus },
  };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (g_str_equal (numbers[i].name, name))
      return g_variant_new_double (numbers[i].value);
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    if (g_str_equal (counts[i].name, name))
      return g_variant_new_int64 (counts[i].value);
  if (g_str_equal (name, "gpu"))
    return g_variant_new_string (cluster->gpu.id);
  if (g_str_equal (name, "intra_node"))
    return g_variant_new_string (cluster->intra.id);
  return g_str_equal (name, "inter_node") ? g_variant_new_string (cluster->inter.id) : NULL;
}

static GVariant *
training_default (const SwProblem *problem, const char *name)
{
  const SwTraining *training = &problem->training;
  const struct {
    const char *name;
    guint value;
  } counts[] = {
    { "sequence_length", training->sequence_length },
    { "global_batch_size", training->global_batch },
    { "lora.rank", training->lora_rank },
    { "rlhf.response_length", training->rlhf_response_length },
  };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    if (g_str_equal (counts[i].name, name))
      return g_variant_new_int64 (counts[i].value);
  if (g_str_equal (name, "memory_target"))
    return g_variant_new_double (training->memory_target);
  if (g_str_equal (name, "software_date"))
    {
      guint months = (guint) (training->software_year * 12 + 0.5)
                     - 1; /* December is the year + 12/12 */

      return g_variant_new_take_string (
          g_strdup_printf ("%04u-%02u", months / 12, months % 12 + 1));
    }
  if (g_str_equal (name, "rlhf.colocated"))
    return g_variant_new_boolean (training->rlhf_colocated);
  if (g_str_equal (name, "rlhf.critic_parameters_b"))
    return g_variant_new_double ((training->rlhf_critic_parameters > 0
                                      ? training->rlhf_critic_parameters
                                      : problem->count.total)
                                 / 1e9);

  const struct {
    const char *name, *value;
  } words[] = {
    { "type", sw_training_type_names[training->type] },
    { "precision", sw_precision_names[training->precision] },
    { "optimizer", sw_optimizer_names[training->optimizer] },
    { "attention", sw_attention_names[training->attention] },
    { "framework", sw_framework_names[training->framework] },
    { "overlap", sw_overlap_names[training->overlap] },
    { "lora.targets", training->lora_all_linear ? "all-linear" : "attention" },
    { "rlhf.algorithm", training->rlhf_ppo ? "ppo" : "grpo" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_equal (words[i].name, name))
      return g_variant_new_string (words[i].value);
  return NULL;
}

static GVariant *
cost_default (const SwProblem *problem, const char *name)
{
  double value;

  if (g_str_equal (name, "currency"))
    return g_variant_new_string ("USD");
  value = shardwise_cost_default (problem, name);
  return value > 0 ? g_variant_new_double (value) : NULL;
}

/**
 * shardwise_resolve_default:
 * @problem: the resolved scenario
 * @path: a key that is not set
 *
 * Returns: (transfer floating) (nullable): the value that @path has now; %NULL where it has none
 * (it is searched, or optional)
 */
GVariant *
shardwise_resolve_default (const SwProblem *problem, const char *path)
{
  if (g_str_has_prefix (path, "model."))
    return model_default (&problem->model, path + strlen ("model."));
  if (g_str_has_prefix (path, "cluster."))
    return cluster_default (&problem->cluster, path + strlen ("cluster."));
  if (g_str_has_prefix (path, "training."))
    return training_default (problem, path + strlen ("training."));
  return g_str_has_prefix (path, "cost.") ? cost_default (problem, path + strlen ("cost.")) : NULL;
}
