/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The entries of the catalogue as JSON. */
#include "shardwise-catalogue-json.h"

#include "shardwise-json.h"

/**
 * shardwise_catalogue_add_model:
 * @object: receives what the model of the catalogue is
 * @id: its id
 */
void
shardwise_catalogue_add_model (JsonObject *object, const char *id)
{
  const SwModelSpec *spec = shardwise_catalogue_find_model (shardwise_catalogue_get (), id);
  SwParameterCount count;

  sw_model_count (spec, &count);
  json_object_set_string_member (object, "kind", sw_model_kind_names[spec->kind]);
  json_object_set_double_member (object, "parameters_b", count.total / 1e9);
  json_object_set_double_member (object, "active_parameters_b", count.active / 1e9);
  json_object_set_int_member (object, "layers", spec->layers);
  json_object_set_int_member (object, "hidden_size", spec->hidden_size);
  json_object_set_int_member (object, "experts", spec->moe.experts);
  json_object_set_boolean_member (object, "approximated", spec->approximated);
}

/**
 * shardwise_catalogue_add_gpu:
 * @object: receives what the GPU of the catalogue has
 * @id: its id
 */
void
shardwise_catalogue_add_gpu (JsonObject *object, const char *id)
{
  const SwGpu *gpu = shardwise_catalogue_find_gpu (shardwise_catalogue_get (), id);

  json_object_set_string_member (object, "generation", sw_generation_names[gpu->generation]);
  json_object_set_double_member (object, "memory_gb", gpu->memory_gb);
  shardwise_json_set_gib (object, "usable_gib", gpu->usable_bytes);
  json_object_set_double_member (object, "hbm_gb_s", gpu->hbm_bytes_per_s / SW_GB);
  json_object_set_double_member (object, "peak_bf16_tflops", gpu->peak_bf16_flops_per_s / 1e12);
  json_object_set_double_member (object, "peak_fp8_tflops", gpu->peak_fp8_flops_per_s / 1e12);
}

/**
 * shardwise_catalogue_add_network:
 * @object: receives what the network of the catalogue has
 * @id: its id
 */
void
shardwise_catalogue_add_network (JsonObject *object, const char *id)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  SwLink link;

  if (!shardwise_catalogue_find_link (catalogue, id,
                                      shardwise_catalogue_find_gpu (catalogue, "h100-80-sxm"), TRUE,
                                      &link, NULL))
    return;
  json_object_set_double_member (object, "gb_per_s_per_gpu", link.bytes_per_s / SW_GB);
  json_object_set_double_member (object, "latency_us", link.latency_s * 1e6);
  json_object_set_boolean_member (object, "shared_by_node", link.shared_by_node);
}
