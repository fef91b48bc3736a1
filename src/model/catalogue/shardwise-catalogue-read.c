/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the JSON records of data/catalogue to the engine's structs. */
#include "shardwise-catalogue-read.h"

#include <string.h>

#include "shardwise-error.h"

/* GiB that a process can allocate per nominal GB, if no source states it: the median of the records
 * that have both. */
#define USABLE_GIB_PER_GB 0.989

#define RESOURCE "/io/github/shardwise/Shardwise/catalogue/"

/**
 * shardwise_catalogue_load:
 * @name: a file of the catalog
 *
 * Returns: (transfer full): its root, immutable
 */
JsonNode *
shardwise_catalogue_load (const char *name)
{
  g_autofree char *path = g_strconcat (RESOURCE, name, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autoptr (GBytes) bytes = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, &error);

  if (bytes == NULL
      || !json_parser_load_from_data (parser, g_bytes_get_data (bytes, NULL),
                                      (gssize) g_bytes_get_size (bytes), &error))
    g_error ("%s is broken: %s", name, error->message); /* compiled in: a defect of the build */
  g_debug ("read %s", name);
  return json_parser_steal_root (parser);
}

static JsonNode *
member (JsonObject *object, const char *name)
{
  JsonNode *node = object != NULL ? json_object_get_member (object, name) : NULL;

  return node != NULL && !JSON_NODE_HOLDS_NULL (node) ? node : NULL;
}

/* The number at @name; @fallback if it is missing or null. */
double
shardwise_json_number (JsonObject *object, const char *name, double fallback)
{
  JsonNode *node = member (object, name);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_double (node) : fallback;
}

/* The string at @name; NULL if it is missing. */
const char *
shardwise_json_text (JsonObject *object, const char *name)
{
  JsonNode *node = member (object, name);

  return node != NULL && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

/* The object at @name; NULL if it is missing. */
JsonObject *
shardwise_json_object (JsonObject *object, const char *name)
{
  JsonNode *node = member (object, name);

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

static gboolean
flag (JsonObject *object, const char *name)
{
  JsonNode *node = member (object, name);

  return node != NULL && json_node_get_value_type (node) == G_TYPE_BOOLEAN
         && json_node_get_boolean (node);
}

static guint
count (JsonObject *object, const char *name)
{
  return (guint) shardwise_json_number (object, name, 0);
}

static guint
word (const char *const *names, JsonObject *object, const char *name)
{
  const char *text = shardwise_json_text (object, name);
  int index = text != NULL ? sw_name_index (names, text) : -1;

  return index < 0 ? 0 : (guint) index;
}

static SwWindowPattern
window_pattern (JsonObject *object)
{
  const char *text = shardwise_json_text (object, "sliding_window_pattern");

  if (text == NULL)
    return SW_WINDOW_ALL;
  if (g_str_has_prefix (text, "every second"))
    return SW_WINDOW_EVERY_SECOND;
  return g_str_has_prefix (text, "5 local") ? SW_WINDOW_FIVE_TO_ONE : SW_WINDOW_ALL;
}

static void
read_architecture (JsonObject *object, SwModelSpec *spec)
{
  JsonObject *bias = shardwise_json_object (object, "bias");
  JsonObject *moe = shardwise_json_object (object, "moe");
  JsonObject *mla = shardwise_json_object (object, "mla");

  spec->layers = count (object, "layers");
  spec->hidden_size = count (object, "hidden_size");
  spec->intermediate_size = count (object, "intermediate_size");
  spec->attention_heads = count (object, "attention_heads");
  spec->kv_heads = count (object, "kv_heads");
  spec->head_dim = count (object, "head_dim");
  spec->vocab_size = count (object, "vocab_size");
  spec->max_position_embeddings = count (object, "max_position_embeddings")
                                  + count (object, "position_offset");
  spec->norms_per_layer = count (object, "norms_per_layer");
  spec->sliding_window = count (object, "sliding_window");
  spec->mtp_layers = count (object, "mtp_layers");
  spec->kind = word (sw_model_kind_names, object, "kind");
  spec->gated_mlp = flag (object, "gated_mlp");
  spec->tied_embeddings = flag (object, "tied_embeddings");
  spec->parallel_block = flag (object, "parallel_block");
  spec->attention_output_gate = flag (object, "attention_output_gate");
  spec->qkv_bias = flag (bias, "qkv");
  spec->attn_out_bias = flag (bias, "attn_out");
  spec->mlp_bias = flag (bias, "mlp");
  spec->norm = word (sw_norm_names, object, "norm");
  spec->qk_norm = word (sw_qk_norm_names, object, "qk_norm");
  spec->position = word (sw_position_names, object, "position_embedding");
  spec->window_pattern = window_pattern (object);
  if (moe != NULL)
    {
      spec->moe.experts = count (moe, "experts");
      spec->moe.top_k = count (moe, "top_k");
      spec->moe.intermediate_size = count (moe, "intermediate_size");
      spec->moe.shared_intermediate_size = count (moe, "shared_experts_intermediate_size");
      spec->moe.first_dense_layers = count (moe, "first_dense_layers");
      spec->moe.layer_frequency = MAX (1, count (moe, "layer_frequency"));
      spec->moe.groups = count (moe, "groups");
      spec->moe.chosen_groups = count (moe, "chosen_groups");
      spec->moe.scaling = shardwise_json_number (moe, "router_scaling", 0);
      spec->moe.router_bias = flag (moe, "router_bias");
      spec->moe.shared_gate = flag (moe, "shared_gate");
    }
  if (mla != NULL)
    {
      spec->mla.q_lora_rank = count (mla, "q_lora_rank");
      spec->mla.kv_lora_rank = count (mla, "kv_lora_rank");
      spec->mla.qk_nope_head_dim = count (mla, "qk_nope_head_dim");
      spec->mla.qk_rope_head_dim = count (mla, "qk_rope_head_dim");
      spec->mla.v_head_dim = count (mla, "v_head_dim");
    }
}

/* One record of models.json. */
void
shardwise_catalogue_read_model (JsonObject *object, ShardwiseModelRecord *out)
{
  JsonObject *hybrid = shardwise_json_object (object, "hybrid");
  JsonObject *vision = shardwise_json_object (object, "vision");
  SwModelSpec *spec = &out->spec;

  memset (out, 0, sizeof *out);
  g_strlcpy (spec->id, shardwise_json_text (object, "id"), sizeof spec->id);
  g_strlcpy (spec->name, shardwise_json_text (object, "name"), sizeof spec->name);
  read_architecture (object, spec);
  spec->extra_params_per_layer = shardwise_json_number (vision, "extra_params_per_layer", 0);

  if (flag (object, "attention_sinks"))
    spec->extra_params_per_layer += spec->attention_heads;
  /* Transformer-XL, XLNet: an additional h x h projection */
  if (flag (object, "relative_position_projection"))
    spec->extra_params_per_layer += (double) spec->hidden_size * spec->hidden_size;

  /* Parameters that the dimensions do not determine: a norm after the embedding, a bias of the
   * head, attention sinks. */
  spec->other_params = shardwise_json_number (vision, "other_params", 0);
  if (flag (object, "embedding_norm"))
    spec->other_params += spec->norm == SW_NORM_LAYERNORM ? 2.0 * spec->hidden_size
                                                          : spec->hidden_size;
  if (flag (object, "lm_head_bias"))
    spec->other_params += spec->vocab_size;

  spec->approximated = hybrid != NULL || spec->kind != SW_MODEL_DECODER;
  out->hybrid = hybrid != NULL ? g_strdup (shardwise_json_text (hybrid, "type")) : NULL;
  out->reported_parameters = 1e9 * shardwise_json_number (object, "parameters_total_b", 0);
  out->computed_parameters = 1e9 * shardwise_json_number (object, "parameters_computed_b", 0);
  if (hybrid != NULL)
    {
      /* A hybrid's recurrent layers are not part of the dimensions: the difference to its record's
       * count is spread over the layers. */
      SwParameterCount counted;

      sw_model_count (spec, &counted);
      if (out->computed_parameters > 0 && spec->layers > 0)
        spec->extra_params_per_layer += (out->computed_parameters - counted.total) / spec->layers;
    }
}

/* Sets @field if the record has the number; @scale converts the record's unit to the engine's. */
static void
take (JsonObject *object, const char *name, double scale, double *field)
{
  double value = shardwise_json_number (object, name, -1);

  if (value >= 0)
    *field = value * scale;
}

static double
measurement (JsonNode *node)
{
  if (JSON_NODE_HOLDS_OBJECT (node))
    return shardwise_json_number (json_node_get_object (node), "value", 0);
  return JSON_NODE_HOLDS_VALUE (node) ? json_node_get_double (node) : 0;
}

/* The best of the published measurements of @name, [{"value": …}, …], or the only one; replaces the
 * base's. */
static void
take_best (JsonObject *achievable, const char *name, double scale, double *field)
{
  JsonNode *node = member (achievable, name);
  JsonArray *array = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node)
                                                                  : NULL;
  double best = node != NULL && array == NULL ? measurement (node) : 0;

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    best = MAX (best, measurement (json_array_get_element (array, i)));
  if (best > 0)
    *field = scale * best;
}

/**
 * shardwise_catalogue_read_gpu:
 * @object: a record of gpus.json, or a user's object with some of its fields
 * @gpu: (inout): zeroed, or the base that @object differs from; generation does not change
 */
void
shardwise_catalogue_read_gpu (JsonObject *object, SwGpu *gpu)
{
  JsonObject *scale_up = shardwise_json_object (object, "scale_up");
  JsonObject *peak = shardwise_json_object (object, "peak_dense_tflops");
  JsonObject *achievable = shardwise_json_object (object, "achievable");
  JsonObject *price = shardwise_json_object (object, "cloud_price_per_gpu_hour");
  const char *name = shardwise_json_text (object, "name"), *id = shardwise_json_text (object, "id");
  const char *month = price != NULL ? shardwise_json_text (price, "month") : NULL;
  const char *currency = price != NULL ? shardwise_json_text (price, "currency") : NULL;
  double before = gpu->memory_gb;
  double domain = gpu->scale_up_domain, sm_count = gpu->sm_count;

  if (id != NULL && gpu->id[0] == '\0') /* a user's object keeps the base's id, because links
                                           depend on it */
    g_strlcpy (gpu->id, id, sizeof gpu->id);
  if (name != NULL)
    g_strlcpy (gpu->name, name, sizeof gpu->name);

  take (object, "memory_gb", 1, &gpu->memory_gb);
  if (before > 0 && gpu->memory_gb > 0) /* with a base: the base's ratio */
    gpu->usable_bytes *= gpu->memory_gb / before;
  else
    gpu->usable_bytes = gpu->memory_gb * USABLE_GIB_PER_GB * SW_GIB;
  take (object, "usable_memory_mib", SW_GIB / 1024, &gpu->usable_bytes);
  take (object, "usable_memory_gib", SW_GIB, &gpu->usable_bytes);

  take (object, "hbm_bandwidth_gb_s", SW_GB, &gpu->hbm_bytes_per_s);
  take (peak, "bf16", 1e12, &gpu->peak_bf16_flops_per_s);
  take (peak, "fp16", 1e12, &gpu->peak_fp16_flops_per_s);
  take (peak, "fp8", 1e12, &gpu->peak_fp8_flops_per_s);
  take (peak, "fp4", 1e12, &gpu->peak_fp4_flops_per_s);
  take_best (achievable, "bf16_gemm_tflops", 1e12, &gpu->measured_bf16_flops_per_s);
  if (gpu->peak_bf16_flops_per_s <= 0) /* V100: fp16 only */
    take_best (achievable, "fp16_gemm_tflops", 1e12, &gpu->measured_bf16_flops_per_s);
  take (object, "sm_count", 1, &sm_count);
  take (scale_up, "unidirectional_gb_s", SW_GB, &gpu->scale_up_bytes_per_s);
  take (scale_up, "domain_size", 1, &domain);
  take (shardwise_json_object (object, "pcie"), "unidirectional_gb_s", SW_GB,
        &gpu->pcie_bytes_per_s);
  take (object, "tdp_w", 1, &gpu->tdp_w);
  /* Prices in other currencies are ignored: an exchange rate would be a guess. */
  if (currency == NULL || g_str_equal (currency, "USD"))
    {
      take (price, "low", 1, &gpu->price_per_hour_low);
      take (price, "high", 1, &gpu->price_per_hour_high);
      if (month != NULL)
        g_strlcpy (gpu->price_month, month, sizeof gpu->price_month);
    }
  gpu->scale_up_domain = (guint) domain;
  gpu->sm_count = (guint) sm_count;
}

static void
read_residual (JsonObject *object, SwResidual *out)
{
  out->rows = count (object, "rows");
  out->sources = count (object, "sources");
  out->time_p90 = shardwise_json_number (object, "time_p90", 0);
  out->memory_p90 = shardwise_json_number (object, "memory_p90", 0);
}

static void
read_accuracy (JsonObject *object, SwCalibration *out)
{
  for (guint i = 0; i < G_N_ELEMENTS (out->accuracy); i++)
    {
      const char *name = sw_accuracy_names[i];
      JsonObject *one = json_object_has_member (object, name)
                            ? json_object_get_object_member (object, name)
                            : NULL;

      if (one != NULL)
        out->accuracy[i] = (SwAccuracy){ shardwise_json_number (one, "time_median", 0),
                                         shardwise_json_number (one, "time_p90", 0),
                                         shardwise_json_number (one, "memory_median", 0),
                                         shardwise_json_number (one, "memory_p90", 0) };
    }
}

static gboolean
read_residuals (JsonArray *array, SwCalibration *out, GError **error)
{
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonObject *row = json_array_get_object_element (array, i);
      const char *generation = shardwise_json_text (row, "generation"),
                 *framework = shardwise_json_text (row, "framework");
      int g = generation != NULL ? sw_name_index (sw_generation_names, generation) : -1;
      int f = framework != NULL ? sw_name_index (sw_framework_names, framework) : -1;

      if (g < 0 || f < 0)
        {
          g_propagate_error (error,
                             shardwise_error_new (SHARDWISE_ERROR_CHOICE, "residual",
                                                  "unknown generation or framework in row %u", i));
          return FALSE;
        }
      read_residual (
          row, &out->residual[g][f][flag (row, "moe") ? 1 : 0][flag (row, "adapter") ? 1 : 0]);
    }
  return TRUE;
}

/* A constant is an object with a "value"; every other object contains constants under its name. */
static gboolean
read_constants (const char *prefix, JsonObject *object, SwCalibration *out, GError **error)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;
  gboolean done = TRUE;

  json_object_iter_init (&iter, object);
  while (done && json_object_iter_next (&iter, &name, &node))
    {
      g_autofree char *path = prefix != NULL ? g_strconcat (prefix, ".", name, NULL)
                                             : g_strdup (name);
      JsonObject *child = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;

      if (g_str_equal (path, "residual") && JSON_NODE_HOLDS_ARRAY (node))
        done = read_residuals (json_node_get_array (node), out, error);
      else if (g_str_equal (path, "measured_gpus") && JSON_NODE_HOLDS_ARRAY (node))
        {
          JsonArray *gpus = json_node_get_array (node);
          guint n = MIN (json_array_get_length (gpus), SW_MAX_MEASURED_GPUS - 1);

          for (guint i = 0; i < n; i++)
            g_strlcpy (out->measured_gpu[i], json_array_get_string_element (gpus, i),
                       sizeof out->measured_gpu[i]);
        }
      else if (g_str_equal (path, "accuracy") && child != NULL)
        read_accuracy (child, out);
      else if (g_str_equal (path, "residual_all") && child != NULL)
        read_residual (child, &out->residual_all);
      else if (child != NULL && json_object_has_member (child, "value"))
        {
          double *field = sw_calibration_lookup (out, path);

          done = field != NULL;
          if (done)
            *field = shardwise_json_number (child, "value", 0);
          else
            g_propagate_error (
                error, shardwise_error_new (SHARDWISE_ERROR_UNKNOWN_KEY, path, "no such constant"));
        }
      else if (child != NULL)
        done = read_constants (path, child, out, error);
    }
  return done;
}

/**
 * shardwise_catalogue_read_calibration:
 * @object: the root of calibration.json
 * @out: zeroed
 *
 * Returns: whether every name in the file is a constant of the engine
 */
gboolean
shardwise_catalogue_read_calibration (JsonObject *object, SwCalibration *out, GError **error)
{
  return read_constants (NULL, object, out, error);
}
