/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns the values of a scenario into the engine's question: its GPU, model and pinned dimensions,
 * defaults, links and checks across keys; and reads defaults from the resolved question. */
#include "shardwise-resolve.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-catalogue-read.h"
#include "shardwise-catalogue.h"
#include "shardwise-changes.h"
#include "shardwise-cost.h"
#include "shardwise-format.h"
#include "shardwise-json.h"
#include "shardwise-model-values.h"
#include "shardwise-prices.h"
#include "shardwise-software.h"
#include "sw-level.h"

/* The fields of gpus.json. */
static const char *const texts[] = { "base",   "id",          "name",
                                     "vendor", "form_factor", "usable_memory_source",
                                     "source", "note",        NULL };
static const char *const figures[] = { "memory_gb",
                                       "usable_memory_mib",
                                       "usable_memory_gib",
                                       "hbm_bandwidth_gb_s",
                                       "sm_count",
                                       "l2_mb",
                                       "tdp_w",
                                       NULL };

/* Members of a section other than its figures. */
static const char *const remarks[] = { "type",     "source", "note", "month",
                                       "currency", "kernel", "unit", NULL };

typedef struct {
  const char *name;
  gboolean has_lists; /* figures may be in arrays, and in objects with their source */
  const char *const *figures;
} Section;

static const char *const peak_figures[] = { "bf16", "fp16", "fp8", "fp4", "tf32", NULL };
static const char *const scale_up_figures[] = {
  "unidirectional_gb_s",           "domain_size",
  "bridge_unidirectional_gb_s",    "bridge_domain_size",
  "pairwise_unidirectional_gb_s",  "effective_unidirectional_gb_s",
  "scale_out_unidirectional_gb_s", NULL
};
static const char *const pcie_figures[] = { "unidirectional_gb_s", "gen", NULL };
static const char *const price_figures[] = { "low", "high", NULL };
static const char *const achievable_figures[] = { "bf16_gemm_tflops",
                                                  "fp16_gemm_tflops",
                                                  "fp8_gemm_tflops",
                                                  "fp4_gemm_tflops",
                                                  "memory_copy_gb_s",
                                                  "peer_copy_gb_s",
                                                  "host_to_device_gb_s",
                                                  "flash_attention",
                                                  "flash_attention_8k",
                                                  "bf16_gemm_fraction_of_peak_by_shape",
                                                  "attention_in_training_step",
                                                  "rest_of_training_step",
                                                  NULL };

static const Section sections[] = {
  { "peak_dense_tflops", FALSE, peak_figures },
  { "scale_up", FALSE, scale_up_figures },
  { "pcie", FALSE, pcie_figures },
  { "cloud_price_per_gpu_hour", FALSE, price_figures },
  { "achievable", TRUE, achievable_figures },
};

/* Sets @error; (transfer full) @text. Returns: FALSE */
static gboolean
fail_at (GError **error, ShardwiseError code, const char *path, char *text)
{
  g_propagate_error (error, shardwise_error_new (code, path, "%s", text));
  g_free (text);
  return FALSE;
}

static gboolean
fail (GError **error, ShardwiseError code, ShardwiseKeyId id, char *text)
{
  return fail_at (error, code, shardwise_key_path (id), text);
}

/* The index in @names of the word set at @id; @fallback if none is set. */
static guint
word_of (ShardwiseScenario *self, ShardwiseKeyId id, const char *const *names, guint fallback)
{
  const char *text = shardwise_scenario_peek_string (self, id);
  int index = text != NULL ? sw_name_index (names, text) : -1;

  return index < 0 ? fallback : (guint) index;
}

static gboolean
wrong_type (const char *path, const char *message, GError **error)
{
  return fail_at (error, SHARDWISE_ERROR_TYPE, path, g_strdup (message));
}

/* Takes ownership of @accepted. */
static gboolean
unknown_field (const char *path, char *accepted, GError **error)
{
  /* Translators: names of keys */
  char *text = g_strdup_printf (_ ("unknown key; allowed: %s"), accepted);

  g_free (accepted);
  return fail_at (error, SHARDWISE_ERROR_UNKNOWN_KEY, path, text);
}

static gboolean
check_text (const char *path, JsonNode *node, GError **error)
{
  return JSON_NODE_HOLDS_NULL (node) || json_node_get_value_type (node) == G_TYPE_STRING
         || wrong_type (path, _ ("has the wrong type; allowed: a text"), error);
}

/* A figure is a positive number; null means unknown. */
static gboolean
check_figure (const char *path, JsonNode *node, GError **error)
{
  GType type = json_node_get_value_type (node);
  double value;

  if (JSON_NODE_HOLDS_NULL (node))
    return TRUE;
  if (type != G_TYPE_INT64 && type != G_TYPE_DOUBLE)
    return wrong_type (path, _ ("has the wrong type; allowed: a number"), error);
  value = json_node_get_double (node);
  if (value <= 0 || value > 1e7)
    return fail_at (
        error, SHARDWISE_ERROR_RANGE, path,
        g_strdup_printf (_ ("%g is out of range; allowed: above 0, at most 1e7"), value));
  return TRUE;
}

/* Single figures, figures in arrays, or figures in objects with remarks. */
static gboolean
check_list (const char *path, JsonNode *node, GError **error)
{
  JsonArray *array = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  if (JSON_NODE_HOLDS_OBJECT (node))
    {
      JsonObject *object = json_node_get_object (node);
      JsonObjectIter iter;
      const char *name;
      JsonNode *child;

      json_object_iter_init_ordered (&iter, object);
      while (json_object_iter_next_ordered (&iter, &name, &child))
        {
          g_autofree char *below = g_strconcat (path, ".", name, NULL);

          if (!(g_strv_contains (remarks, name) ? check_text (below, child, error)
                                                : check_list (below, child, error)))
            return FALSE;
        }
      return TRUE;
    }
  if (array == NULL)
    return check_figure (path, node, error);
  for (guint i = 0; i < json_array_get_length (array); i++)
    if (!check_list (path, json_array_get_element (array, i), error))
      return FALSE;
  return TRUE;
}

static gboolean
check_section (const Section *section, const char *path, JsonNode *node, GError **error)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *child;

  if (JSON_NODE_HOLDS_NULL (node))
    return TRUE;
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return wrong_type (path, _ ("has the wrong type; allowed: an object"), error);
  json_object_iter_init_ordered (&iter, json_node_get_object (node));
  while (json_object_iter_next_ordered (&iter, &name, &child))
    {
      g_autofree char *below = g_strconcat (path, ".", name, NULL);

      gboolean fits;

      if (g_strv_contains (remarks, name))
        fits = check_text (below, child, error);
      else if (!g_strv_contains (section->figures, name))
        fits = unknown_field (below, shardwise_text_enumerate (section->figures), error);
      else
        fits = section->has_lists ? check_list (below, child, error)
                                  : check_figure (below, child, error);
      if (!fits)
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_field (const char *name, JsonNode *node, GError **error)
{
  g_autofree char *path = g_strconcat ("cluster.gpu.", name, NULL);
  GString *accepted;

  for (guint i = 0; i < G_N_ELEMENTS (sections); i++)
    if (g_str_equal (sections[i].name, name))
      return check_section (&sections[i], path, node, error);

  if (g_strv_contains (figures, name))
    return check_figure (path, node, error);
  if (g_strv_contains (texts, name))
    return check_text (path, node, error);
  accepted = g_string_new ("base");
  shardwise_text_items (accepted, "name");
  for (guint i = 0; figures[i] != NULL; i++)
    shardwise_text_items (accepted, "%s", figures[i]);
  for (guint i = 0; i < G_N_ELEMENTS (sections); i++)
    shardwise_text_items (accepted, "%s", sections[i].name);
  return unknown_field (path, g_string_free (accepted, FALSE), error);
}

/* @machine: its measurements, if any. */
static gboolean
gpu_from_object (const char *text, SwGpu *out, ShardwiseMachine *machine, GError **error)
{
  g_autoptr (JsonNode) root = shardwise_json_parse (text, strlen (text), error);
  JsonObject *object = root != NULL ? json_node_get_object (root) : NULL;
  JsonObjectIter iter;
  const char *base, *name;
  JsonNode *node;
  const SwGpu *found;
  double memory_gb;

  if (root == NULL)
    return FALSE;
  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &node))
    if (g_str_equal (name, "measured") && JSON_NODE_HOLDS_OBJECT (node)
            ? !shardwise_machine_read (json_node_get_object (node), machine, error)
            : !check_field (name, node, error))
      return FALSE;
  base = shardwise_json_text (object, "base");
  if (base == NULL)
    return fail_at (error, SHARDWISE_ERROR_MISSING, "cluster.gpu.base",
                    g_strdup (_ ("is required; use an ID from “shardwise-cli gpus”")));
  found = shardwise_catalogue_find_gpu (shardwise_catalogue_get (), base);
  if (found == NULL)
    return fail_at (
        error, SHARDWISE_ERROR_CHOICE, "cluster.gpu.base",
        g_strdup_printf (_ ("“%.60s” is not in the catalog; use an ID from “shardwise-cli gpus”"),
                         base));
  *out = *found;
  shardwise_prices_apply (out);
  shardwise_catalogue_read_gpu (object, out);
  memory_gb = shardwise_json_number (object, "memory_gb", 80);
  if (memory_gb < 8 || memory_gb > 320)
    return fail_at (error, SHARDWISE_ERROR_RANGE, "cluster.gpu.memory_gb",
                    g_strdup_printf (_ ("%g is out of range; allowed: 8 to 320 GB"), memory_gb));
  return TRUE;
}

/* The GPU of a scenario: a record of the catalog, an object based on one, or a GPU with that
 * memory. */
static gboolean
resolve_gpu (ShardwiseScenario *self, SwGpu *out, ShardwiseMachine *machine, GError **error)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  const char *id = shardwise_scenario_peek_string (self, SHARDWISE_KEY_CLUSTER_GPU);
  double memory_gb = shardwise_scenario_peek_number (self, SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB, 0);
  const SwGpu *found;

  if (id != NULL && id[0] == '{')
    return gpu_from_object (id, out, machine, error);
  if (id != NULL)
    found = shardwise_catalogue_find_gpu (catalogue, id);
  else
    found = memory_gb > 0 ? shardwise_catalogue_gpu_for_memory (catalogue, memory_gb)
                          : shardwise_catalogue_find_gpu (catalogue, "h100-80-sxm");
  if (found == NULL)
    {
      if (strchr (id, ',') != NULL || strchr (id, '+') != NULL)
        return fail (error, SHARDWISE_ERROR_CHOICE, SHARDWISE_KEY_CLUSTER_GPU,
                     g_strdup (_ ("one job cannot use several GPU types; allowed: one GPU type. "
                                  "Run “advise” for each type")));
      return fail (
          error, SHARDWISE_ERROR_CHOICE, SHARDWISE_KEY_CLUSTER_GPU,
          g_strdup_printf (_ ("“%.60s” is not in the catalog; use an ID from “shardwise-cli gpus”"),
                           id));
    }
  *out = *found;
  shardwise_prices_apply (out);
  return TRUE;
}

/* The "model" section of a scenario: a preset, a size or an architecture. */

/* A figure with a default in the data. */
static double
stated_or_default (ShardwiseScenario *self, ShardwiseKeyId id)
{
  return shardwise_scenario_peek_number (self, id,
                                         shardwise_defaults_get (shardwise_key_path (id)));
}

static gboolean
any_set (ShardwiseScenario *self, const char *section)
{
  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    if (g_str_has_prefix (shardwise_key_path (i), section)
        && shardwise_scenario_peek (self, i) != NULL)
      return TRUE;
  return FALSE;
}

/* A derived dimension must not be set to 0. */
static void
set_default (guint *value, guint fallback)
{
  if (*value == 0)
    *value = fallback;
}

static gboolean
check_moe (const SwModelSpec *model, GError **error)
{
  const SwMoe *moe = &model->moe;

  if (moe->experts == 0)
    return fail (error, SHARDWISE_ERROR_MISSING, SHARDWISE_KEY_MODEL_MOE_EXPERTS,
                 g_strdup (_ ("is required; allowed: 1 to 65,536")));
  if (moe->top_k > moe->experts)
    return fail (
        error, SHARDWISE_ERROR_INCONSISTENT, SHARDWISE_KEY_MODEL_MOE_TOP_K,
        g_strdup_printf (_ ("%u experts per token exceed the %u experts; allowed: 1 to %u"),
                         moe->top_k, moe->experts, moe->experts));
  if (moe->first_dense_layers > model->layers)
    return fail (error, SHARDWISE_ERROR_INCONSISTENT, SHARDWISE_KEY_MODEL_MOE_FIRST_DENSE_LAYERS,
                 g_strdup_printf (_ ("%u dense layers exceed the %u layers; allowed: 0 to %u"),
                                  moe->first_dense_layers, model->layers, model->layers));
  return TRUE;
}

static gboolean
check_mla (const SwModelSpec *model, GError **error)
{
  if (model->mla.kv_lora_rank == 0)
    return fail (error, SHARDWISE_ERROR_MISSING, SHARDWISE_KEY_MODEL_MLA_KV_LORA_RANK,
                 g_strdup (_ ("is required; allowed: 1 to 1,048,576")));
  if (model->mla.qk_nope_head_dim + model->mla.qk_rope_head_dim == 0)
    return fail (
        error, SHARDWISE_ERROR_INCONSISTENT, SHARDWISE_KEY_MODEL_MLA_QK_NOPE_HEAD_DIM,
        g_strdup (
            _ ("queries and keys have no width; allowed: at least 1 with or without rotary")));
  return TRUE;
}

static gboolean
resolve_architecture (ShardwiseScenario *self, SwModelSpec *out, GPtrArray *notes, GError **error)
{
  static const ShardwiseKeyId required[] = { SHARDWISE_KEY_MODEL_LAYERS,
                                             SHARDWISE_KEY_MODEL_HIDDEN_SIZE,
                                             SHARDWISE_KEY_MODEL_ATTENTION_HEADS,
                                             SHARDWISE_KEY_MODEL_VOCAB_SIZE };
  const gboolean has_experts = any_set (self, "model.moe."),
                 is_latent = any_set (self, "model.mla.");

  for (guint i = 0; i < G_N_ELEMENTS (required); i++)
    if (shardwise_scenario_peek (self, required[i]) == NULL)
      {
        g_autofree char *accepted = shardwise_key_describe_range (shardwise_key_get (required[i]));

        /* Translators: a range of numbers */
        return fail (
            error, SHARDWISE_ERROR_MISSING, required[i],
            g_strdup_printf (_ ("is required in this architecture; allowed: %s"), accepted));
      }

  /* Missing dimensions are those of a Llama: gated MLP of 8/3 of the width in steps of 256,
   * RMSNorm, rotary positions; with experts two per token, in every layer; with latent attention
   * DeepSeek's rotated width. */
  *out = (SwModelSpec){ .kind = SW_MODEL_DECODER,
                        .gated_mlp = TRUE,
                        .norm = SW_NORM_RMSNORM,
                        .norms_per_layer = 2,
                        .qk_norm = SW_QK_NORM_NONE,
                        .position = SW_POSITION_ROPE,
                        .window_pattern = SW_WINDOW_ALL };
  if (has_experts)
    out->moe = (SwMoe){ .top_k = 2, .layer_frequency = 1 };
  if (is_latent)
    out->mla.qk_rope_head_dim = 64;
  shardwise_model_values_read (self, out);
  set_default (&out->kv_heads, out->attention_heads);
  set_default (&out->head_dim, MAX (1, out->hidden_size / out->attention_heads));
  set_default (&out->max_position_embeddings,
               stated_or_default (self, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH));
  set_default (&out->intermediate_size, out->gated_mlp
                                            ? (out->hidden_size * 8 / 3 + 255) / 256 * 256
                                            : 4 * out->hidden_size);
  if (has_experts)
    set_default (&out->moe.intermediate_size, out->intermediate_size);
  if (is_latent)
    {
      set_default (&out->mla.v_head_dim, out->head_dim);
      if (shardwise_scenario_peek (self, SHARDWISE_KEY_MODEL_MLA_QK_NOPE_HEAD_DIM) == NULL)
        out->mla.qk_nope_head_dim = out->head_dim;
    }
  out->approximated = out->kind != SW_MODEL_DECODER;
  if (out->kv_heads > out->attention_heads || out->attention_heads % out->kv_heads != 0)
    return fail (error, SHARDWISE_ERROR_INCONSISTENT, SHARDWISE_KEY_MODEL_KV_HEADS,
                 /* Translators: numbers of attention heads */
                 g_strdup_printf (
                     _ ("%u does not divide the %u attention heads; allowed: a divisor of them"),
                     out->kv_heads, out->attention_heads));
  /* Without a width of its own, a head has its share of the hidden size, which must be a whole
   * number. Latent attention has other widths. */
  if (shardwise_scenario_peek (self, SHARDWISE_KEY_MODEL_HEAD_DIM) == NULL && !is_latent
      && out->hidden_size % out->attention_heads != 0)
    return fail (
        error, SHARDWISE_ERROR_INCONSISTENT, SHARDWISE_KEY_MODEL_ATTENTION_HEADS,
        g_strdup_printf (
            /* Translators: a number of attention heads, a width; head_dim is a key of the file */
            _ ("%u does not divide the hidden size %'u; allowed: a divisor of it, or set "
               "model.head_dim"),
            out->attention_heads, out->hidden_size));
  if (out->approximated)
    g_ptr_array_add (
        notes,
        g_strdup (_ (
            "Vision models are approximated: blocks count as transformer layers over the sequence "
            "length, without a causal mask; patch and condition embeddings do not count.")));
  g_strlcpy (out->name, _ ("Custom architecture"), sizeof out->name);
  if ((has_experts && !check_moe (out, error)) || (is_latent && !check_mla (out, error)))
    return FALSE;
  shardwise_catalogue_complete_routing (shardwise_catalogue_get (), out);
  return TRUE;
}

/* Whether the scenario has a known and consistent model. */
static gboolean
resolve_model (ShardwiseScenario *self, SwModelSpec *out, GPtrArray *notes, GError **error)
{
  const char *preset = shardwise_scenario_peek_string (self, SHARDWISE_KEY_MODEL_PRESET);
  double billions = shardwise_scenario_peek_number (self, SHARDWISE_KEY_MODEL_PARAMETERS_B, 0);

  memset (out, 0, sizeof *out);
  if (preset != NULL)
    {
      const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
      const SwModelSpec *spec = shardwise_catalogue_find_model (catalogue, preset);
      char *note;

      if (spec == NULL)
        return fail (error, SHARDWISE_ERROR_CHOICE, SHARDWISE_KEY_MODEL_PRESET,
                     g_strdup_printf (
                         _ ("“%.60s” is not in the catalog; use an ID from “shardwise-cli models”"),
                         preset));
      *out = *spec;
      note = shardwise_catalogue_model_approximation (catalogue, preset);
      if (note != NULL)
        g_ptr_array_add (notes, note);
      return TRUE;
    }
  if (billions > 0)
    {
      sw_model_from_size (billions * 1e9, out);
      return TRUE;
    }
  if (any_set (self, "model."))
    return resolve_architecture (self, out, notes, error);
  return fail_at (error, SHARDWISE_ERROR_MISSING, "model",
                  g_strdup (_ ("is required; allowed: {\"preset\": id}, {\"parameters_b\": 0.1 to "
                               "10,000} or an architecture")));
}

/* The "strategy" section of a scenario: pinned dimensions, and values that are impossible from the
 * start. */

/* The pins of the "strategy" section. */
static void
resolve_pins (ShardwiseScenario *self, SwPins *out)
{
  const char *text = shardwise_scenario_peek_string (self, SHARDWISE_KEY_STRATEGY_RECOMPUTE);
  GVariant *modules = shardwise_scenario_peek (self, SHARDWISE_KEY_STRATEGY_RECOMPUTE_MODULES);
  g_autofree const char **words = modules != NULL ? g_variant_get_strv (modules, NULL) : NULL;

  sw_strategy_init_default (&out->value);
  for (SwDimension i = 0; i < SW_N_DIMENSIONS; i++)
    {
      const ShardwiseKey *key = shardwise_key_get (shardwise_dimension_key (i));

      if (key->kind == SHARDWISE_KIND_RECOMPUTE || shardwise_scenario_peek (self, key->id) == NULL)
        continue;
      out->mask |= 1u << i;
      sw_strategy_set (&out->value, i,
                       key->kind == SHARDWISE_KIND_CHOICE
                           ? word_of (self, key->id, key->choices, 0)
                           : (guint) shardwise_scenario_peek_number (self, key->id, 0));
    }

  for (guint i = 0; words != NULL && words[i] != NULL; i++)
    out->value.recompute_modules |= 1u << sw_name_index (sw_recompute_module_names, words[i]);
  if (text == NULL)
    return;
  out->mask |= 1u << SW_DIM_RECOMPUTE;
  if (g_str_has_prefix (text, "full_layers:"))
    {
      out->value.recompute = SW_RECOMPUTE_FULL_LAYERS;
      out->value.full_layers = (guint) g_ascii_strtoull (text + strlen ("full_layers:"), NULL, 10);
    }
  else
    out->value.recompute = (guint8) sw_name_index (sw_recompute_names, text);
}

static gboolean
check_divides (const SwProblem *problem, SwDimension dimension, guint total, const char *what,
               GError **error)
{
  guint value = sw_strategy_get (&problem->pins.value, dimension);
  g_autoptr (GString) accepted = g_string_new (NULL);

  if (!sw_pins_has (&problem->pins, dimension) || total % value == 0)
    return TRUE;
  for (guint i = 1; i <= MIN (total, problem->cluster.gpus) && accepted->len < 60; i++)
    if (total % i == 0)
      shardwise_text_items (accepted, "%u", i);

  return fail (error, SHARDWISE_ERROR_INCONSISTENT, shardwise_dimension_key (dimension),
               /* Translators: a degree, a count, what is counted ("attention
                                    heads"), then a list of numbers */
               g_strdup_printf (_ ("%u does not divide the %u %s; allowed: %s"), value, total, what,
                                accepted->str));
}

static gboolean
check_product (const SwProblem *problem, GError **error)
{
  static const SwDimension factors[] = { SW_DIM_TP, SW_DIM_PP, SW_DIM_CP, SW_DIM_DP };
  guint64 product = 1;

  for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
    if (sw_pins_has (&problem->pins, factors[i]))
      {
        guint value = sw_strategy_get (&problem->pins.value, factors[i]);

        if (product * value > problem->cluster.gpus)
          {
            guint64 most = MAX (1, problem->cluster.gpus / product);
            g_autofree char *accepted = most > 1 ? g_strdup_printf (_ ("1 to %'.0f"), (double) most)
                                                 : g_strdup ("1");

            return fail (
                error, SHARDWISE_ERROR_INCONSISTENT, shardwise_dimension_key (factors[i]),
                /* Translators: a degree, how many GPUs the degrees need together, how many there
                   are, the degrees that can be, as "1 to 4" */
                g_strdup_printf (_ ("%u needs %'.0f GPUs but only %'u are available; allowed: %s"),
                                 value, (double) product * value, problem->cluster.gpus, accepted));
          }
        product *= value;
      }
  return TRUE;
}

/* Whether the pins are consistent for some values of the rest; otherwise @error states the key and
 * its allowed values. */
static gboolean
check_pins (const SwProblem *problem, GError **error)
{
  const SwPins *pinned = &problem->pins;
  guint pp = pinned->value.pp, experts = problem->model.moe.experts;
  guint batch = problem->training.global_batch, micro = problem->training.micro_batch;

  if (!check_divides (problem, SW_DIM_TP, problem->model.attention_heads, _ ("attention heads"),
                      error))
    return FALSE;
  if (sw_pins_has (pinned, SW_DIM_PP) && pp > problem->model.layers)
    return fail (error, SHARDWISE_ERROR_INCONSISTENT, SHARDWISE_KEY_STRATEGY_PP,
                 g_strdup_printf (_ ("%u stages exceed the %u layers; allowed: 1 to %u"), pp,
                                  problem->model.layers, problem->model.layers));
  if (sw_pins_has (pinned, SW_DIM_EP) && pinned->value.ep != 1)
    {
      if (experts == 0)
        return fail (error, SHARDWISE_ERROR_INCONSISTENT, SHARDWISE_KEY_STRATEGY_EP,
                     g_strdup (_ ("the model has no experts; allowed: 1")));
      if (!check_divides (problem, SW_DIM_EP, experts, _ ("experts"), error))
        return FALSE;
    }
  if (sw_pins_has (pinned, SW_DIM_DP)
      && !check_divides (problem, SW_DIM_SHARD_GROUP, pinned->value.dp, _ ("data-parallel ranks"),
                         error))
    return FALSE;
  if (!check_product (problem, error))
    return FALSE;
  if (micro <= batch || batch == 0)
    return TRUE;
  return fail (
      error, SHARDWISE_ERROR_INCONSISTENT,
      sw_pins_has (pinned, SW_DIM_MICRO_BATCH) ? SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE
                                               : SHARDWISE_KEY_TRAINING_MICRO_BATCH_SIZE,
      g_strdup_printf (_ ("%'u exceeds the global batch of %'u sequences; allowed: 1 to %'u"),
                       micro, batch, batch));
}

/* Turns the values of a scenario into the engine's question: defaults, links, pins and checks
 * across keys. */

/* ---- cluster ---- */

static gboolean
resolve_link (ShardwiseScenario *self, gboolean inter_node, const SwCluster *cluster, SwLink *out,
              GError **error)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  const SwGpu *gpu = &cluster->gpu;
  const ShardwiseKeyId link = inter_node ? SHARDWISE_KEY_CLUSTER_INTER_NODE
                                         : SHARDWISE_KEY_CLUSTER_INTRA_NODE;
  double bandwidth = shardwise_scenario_peek_number (
      self,
      inter_node ? SHARDWISE_KEY_CLUSTER_INTER_NODE_GB_S : SHARDWISE_KEY_CLUSTER_INTRA_NODE_GB_S,
      0);
  const char *asked = shardwise_scenario_peek_string (self, link);
  GError *reason = NULL;
  /* A network with a stated bandwidth replaces the usual one. */
  const gboolean found = inter_node && asked == NULL && bandwidth > 0
                             ? shardwise_catalogue_find_rdma (catalogue, gpu, out, &reason)
                             : shardwise_catalogue_find_link (catalogue, asked, gpu, inter_node,
                                                              out, &reason);

  if (!found)
    {
      /* Without a known link, a bandwidth defines one, named by the user's word; a job inside one
       * node needs no network. */
      const char *name = asked != NULL ? asked : "custom";

      if (bandwidth > 0 && !g_error_matches (reason, SHARDWISE_ERROR, SHARDWISE_ERROR_CHOICE))
        {
          g_error_free (reason);
          memset (out, 0, sizeof *out);
          g_strlcpy (out->id, name, sizeof out->id);
          g_strlcpy (out->name, name, sizeof out->name);
          out->is_pcie = g_str_equal (name, "pcie");
          out->is_ethernet = g_str_equal (name, "ethernet");
          out->is_hashed = out->is_ethernet || g_str_equal (name, "roce");
          out->lacks_verbs = out->is_ethernet || g_str_equal (name, "efa");
          out->bytes_per_s = bandwidth * SW_GB;
          return TRUE;
        }
      if (inter_node && asked == NULL && cluster->gpus <= cluster->gpus_per_node)
        {
          g_error_free (reason);
          return shardwise_catalogue_find_link (catalogue, "ethernet", gpu, TRUE, out, error);
        }
      g_propagate_error (error, reason);
      return FALSE;
    }

  if (!inter_node)
    {
      /* The links of an object based on a GPU override the fabrics of its generation. */
      const SwGpu *base = shardwise_catalogue_find_gpu (catalogue, gpu->id);

      if (out->is_pcie && gpu->pcie_bytes_per_s != base->pcie_bytes_per_s)
        out->bytes_per_s = gpu->pcie_bytes_per_s;
      else if (asked == NULL && gpu->scale_up_bytes_per_s != base->scale_up_bytes_per_s)
        out->bytes_per_s = gpu->scale_up_bytes_per_s;
    }
  if (bandwidth > 0)
    {
      out->bytes_per_s = bandwidth * SW_GB;
      out->shared_by_node = FALSE;
    }
  return TRUE;
}

static gboolean
resolve_cluster (ShardwiseScenario *self, SwCluster *out, ShardwiseMachine *machine, GError **error)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  const SwGpu *gpu = &out->gpu;
  ShardwiseNodeClass nodes;
  double nominal;
  guint domain;

  if (shardwise_scenario_peek (self, SHARDWISE_KEY_CLUSTER_GPUS) == NULL)
    {
      g_autofree char *accepted =
          shardwise_key_describe_range (shardwise_key_get (SHARDWISE_KEY_CLUSTER_GPUS));

      return fail (error, SHARDWISE_ERROR_MISSING, SHARDWISE_KEY_CLUSTER_GPUS,
                   g_strdup_printf (_ ("is required; allowed: %s"), accepted));
    }
  if (!resolve_gpu (self, &out->gpu, machine, error))
    return FALSE;
  out->gpus = (guint) shardwise_scenario_peek_number (self, SHARDWISE_KEY_CLUSTER_GPUS, 1);
  shardwise_catalogue_node_class (catalogue, gpu->id, &nodes);
  out->gpus_per_node = (guint) shardwise_scenario_peek_number (
      self, SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE, nodes.gpus_per_node);
  if (!resolve_link (self, FALSE, out, &out->intra, error)
      || !resolve_link (self, TRUE, out, &out->inter, error))
    return FALSE;
  /* Number of GPUs that the fast link joins: a rack's domain is larger than a node, a bridge's is
   * smaller. */
  domain = shardwise_catalogue_link_domain (catalogue, &out->intra, gpu);
  if (gpu->scale_up_domain != shardwise_catalogue_find_gpu (catalogue, gpu->id)->scale_up_domain)
    domain = MAX (1, gpu->scale_up_domain); /* of the user's object */
  else if (domain == 8 || (domain > 8 && domain <= out->gpus_per_node))
    domain = out->gpus_per_node;
  out->nvlink_domain =
      (guint) shardwise_scenario_peek_number (self, SHARDWISE_KEY_CLUSTER_NVLINK_DOMAIN, domain);

  out->oversubscription =
      shardwise_scenario_peek_number (self, SHARDWISE_KEY_CLUSTER_OVERSUBSCRIPTION, 1);
  out->pod_gpus = (guint) shardwise_scenario_peek_number (self, SHARDWISE_KEY_CLUSTER_POD_GPUS, 0);
  out->host_ram_bytes =
      SW_GB * shardwise_scenario_peek_number (self, SHARDWISE_KEY_CLUSTER_HOST_RAM_GB, 0);
  out->host_bytes_per_gpu = nodes.host_bytes_per_gpu;
  out->nvme_bytes_per_s = SW_GB * stated_or_default (self, SHARDWISE_KEY_CLUSTER_NVME_GB_S);
  nominal = shardwise_scenario_peek_number (self, SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB,
                                            out->gpu.memory_gb);
  out->usable_bytes = nominal * out->gpu.usable_bytes / out->gpu.memory_gb;
  return TRUE;
}

/* ---- training ---- */

static double
software_year (ShardwiseScenario *self, SwFramework framework)
{
  const char *date = shardwise_scenario_peek_string (self, SHARDWISE_KEY_TRAINING_SOFTWARE_DATE);
  const SwReleases *since = &shardwise_catalogue_calibration (shardwise_catalogue_get ())->since;

  if (date == NULL)
    return framework == SW_FRAMEWORK_MEGATRON_2021 ? since->newest_megatron_2021 : since->newest;
  return (double) g_ascii_strtoll (date, NULL, 10)
         + (double) g_ascii_strtoll (date + 5, NULL, 10) / 12.0;
}

/* Default: bf16, if the GPU supports it. */
static SwPrecision
precision (ShardwiseScenario *self, const SwCluster *cluster)
{
  const char *text = shardwise_scenario_peek_string (self, SHARDWISE_KEY_TRAINING_PRECISION);

  if (text == NULL)
    return sw_cluster_peak_flops (cluster, SW_PRECISION_BF16) > 0 ? SW_PRECISION_BF16
                                                                  : SW_PRECISION_FP16;
  if (g_str_equal (text, "fp8-tensorwise"))
    return SW_PRECISION_FP8;
  return word_of (self, SHARDWISE_KEY_TRAINING_PRECISION, sw_precision_names, SW_PRECISION_BF16);
}

/* Whether the software is set to have no flash kernel. */
static gboolean
states_no_flash (ShardwiseScenario *self)
{
  return shardwise_scenario_peek_number (self, SHARDWISE_KEY_TRAINING_SOFTWARE_FLASH_ATTENTION, 1)
         == 0;
}

/* A version of FlashAttention, or none, also sets the attention kernel. */
static gboolean
check_attention (ShardwiseScenario *self, const SwTraining *training, GError **error)
{
  const gboolean flash = training->attention == SW_ATTENTION_FLASH;

  if (!shardwise_scenario_is_set (self, SHARDWISE_KEY_TRAINING_SOFTWARE_FLASH_ATTENTION)
      || flash == !states_no_flash (self))
    return TRUE;
  return fail (error, SHARDWISE_ERROR_INCONSISTENT, SHARDWISE_KEY_TRAINING_SOFTWARE_FLASH_ATTENTION,
               flash ? g_strdup (_ ("“false” conflicts with the attention kernel “flash”; allowed: "
                                    "1 to 3, or “unfused” as training.attention"))
                     : g_strdup (_ ("a version conflicts with the attention kernel “unfused”; "
                                    "allowed: false, or “flash” as training.attention")));
}

/* Bytes of a key's word; 0 if it is not set. */
static double
bytes_of (ShardwiseScenario *self, ShardwiseKeyId key)
{
  static const struct {
    const char *word;
    double bytes;
  } table[] = { { "fp32", 4 }, { "bf16", 2 }, { "8bit", 1 } };
  const char *text = shardwise_scenario_peek_string (self, key);

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    if (g_strcmp0 (text, table[i].word) == 0)
      return table[i].bytes;
  return 0;
}

/* With fp32 parameters, these are the master weights. */
static void
resolve_states (ShardwiseScenario *self, SwTraining *out)
{
  const char *master = shardwise_scenario_peek_string (self, SHARDWISE_KEY_TRAINING_STATES_MASTER);

  out->parameter_bytes = bytes_of (self, SHARDWISE_KEY_TRAINING_STATES_PARAMETERS);
  out->gradient_bytes = bytes_of (self, SHARDWISE_KEY_TRAINING_STATES_GRADIENTS);
  out->moment_bytes = bytes_of (self, SHARDWISE_KEY_TRAINING_STATES_MOMENTS);
  out->no_master = g_strcmp0 (master, "none") == 0;
  out->states_stated = master != NULL || out->parameter_bytes > 0;
  if (g_strcmp0 (master, "fp32") == 0 && out->parameter_bytes == 2)
    out->master_bytes = 4;
  out->optimizer_in_backward = (gboolean) shardwise_scenario_peek_number (
      self, SHARDWISE_KEY_TRAINING_OPTIMIZER_IN_BACKWARD, FALSE);
  out->base = word_of (self, SHARDWISE_KEY_TRAINING_BASE_PRECISION, sw_base_names, SW_BASE_AUTO);
}

static gboolean
switch_of (ShardwiseScenario *self, ShardwiseKeyId id, gboolean fallback)
{
  return (gboolean) shardwise_scenario_peek_number (self, id, fallback);
}

/* The named modules with adapters; 0: none named. */
static guint
lora_modules (ShardwiseScenario *self)
{
  GVariant *value = shardwise_scenario_peek (self, SHARDWISE_KEY_TRAINING_LORA_MODULES);
  g_autofree const char **names = value != NULL ? g_variant_get_strv (value, NULL) : NULL;
  guint out = 0;

  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    out |= 1u << sw_name_index (sw_lora_module_names, names[i]);
  return out;
}

/* The training method, and the models that only run forward besides the trained model. The
 * reference of adapters is the base without them, and KTO compares with answers to other prompts by
 * both models (Rafailov et al. 2023, section 4; Ethayarajh et al. 2024, section 4.1; trl,
 * KTOTrainer). ORPO and SimPO need none (Hong et al. 2024; Meng et al. 2024). Pairs are scored
 * together (trl, DPOTrainer.concatenated_forward). */
static void
resolve_method (ShardwiseScenario *self, const SwModelSpec *model, SwTraining *out)
{
  static const SwMethod methods[] = { SW_METHOD_PREFERENCE, SW_METHOD_REWARD, SW_METHOD_DISTILL };
  const guint type = word_of (self, SHARDWISE_KEY_TRAINING_TYPE, sw_training_choices,
                              SW_TRAINING_PRETRAIN);
  const char *adapters = shardwise_scenario_peek_string (self, SHARDWISE_KEY_TRAINING_ADAPTERS);
  const SwTrainingType trained = g_strcmp0 (adapters, "lora") == 0    ? SW_TRAINING_LORA
                                 : g_strcmp0 (adapters, "qlora") == 0 ? SW_TRAINING_QLORA
                                                                      : SW_TRAINING_FINETUNE;
  const gboolean is_rlhf = type == SW_TRAINING_RLHF;
  gboolean reference;

  out->type = MIN (type, SW_TRAINING_RLHF);
  if (type > SW_TRAINING_RLHF)
    {
      out->method = methods[type - SW_TRAINING_RLHF - 1];
      out->type = trained;
    }
  out->algorithm = word_of (self, SHARDWISE_KEY_TRAINING_RLHF_ALGORITHM, sw_algorithm_names,
                            is_rlhf ? SW_ALGORITHM_PPO : SW_ALGORITHM_DPO);
  out->rlhf_ppo = !is_rlhf || out->algorithm == SW_ALGORITHM_PPO;
  reference = switch_of (self, SHARDWISE_KEY_TRAINING_RLHF_REFERENCE,
                         out->algorithm < SW_ALGORITHM_ORPO);
  out->no_reference = is_rlhf && !reference;
  out->policy = is_rlhf ? trained : out->type;
  out->together = out->method == SW_METHOD_REWARD
                          || (out->method == SW_METHOD_PREFERENCE
                              && out->algorithm != SW_ALGORITHM_KTO)
                      ? 2
                      : 1;
  out->scalar_head = out->method == SW_METHOD_REWARD;
  if (out->method == SW_METHOD_PREFERENCE)
    {
      out->forward_passes = (reference ? 1 : 0) + (out->algorithm == SW_ALGORITHM_KTO ? 2 : 0);
      out->frozen_copies = reference && !sw_training_is_adapter (out) ? 1 : 0;
    }
  if (out->method == SW_METHOD_DISTILL)
    {
      SwParameterCount count;
      double teacher = 1e9
                       * shardwise_scenario_peek_number (
                           self, SHARDWISE_KEY_TRAINING_DISTILL_TEACHER_PARAMETERS_B, 0);

      sw_model_count (model, &count);
      out->forward_passes = out->frozen_copies = teacher > 0 ? teacher / count.total : 1;
      out->teacher_logits = TRUE;
    }
}

/* Values that apply to one kind of training only. */
static gboolean
check_method (ShardwiseScenario *self, const SwTraining *training, GError **error)
{
  const gboolean is_rlhf = training->type == SW_TRAINING_RLHF;

  if (!shardwise_scenario_is_set (self, SHARDWISE_KEY_TRAINING_RLHF_ALGORITHM)
      || (!is_rlhf && training->method != SW_METHOD_PREFERENCE)
      || is_rlhf == (training->algorithm <= SW_ALGORITHM_RLOO))
    return TRUE;
  return fail (error, SHARDWISE_ERROR_INCONSISTENT, SHARDWISE_KEY_TRAINING_RLHF_ALGORITHM,
               g_strdup_printf (is_rlhf ? _ ("%s is not a reinforcement learning algorithm; "
                                             "allowed: ppo, grpo, rloo, or “dpo” as training.type")
                                        : _ ("%s does not train on pairs; allowed: dpo, ipo, kto, "
                                             "orpo, simpo, or “rlhf” as training.type"),
                                sw_algorithm_names[training->algorithm]));
}

/* Tokens of a training with a stated number of examples: as many whole batches as they fill. An
 * example is a sequence, one of a pair, the answers to a prompt, or one of several packed into a
 * sequence. */
static void
count_examples (ShardwiseScenario *self, SwProblem *problem)
{
  SwTraining *training = &problem->training;
  const double examples = shardwise_scenario_peek_number (self, SHARDWISE_KEY_TRAINING_EXAMPLES, 0)
                          * shardwise_scenario_peek_number (self, SHARDWISE_KEY_TRAINING_EPOCHS, 1);
  double sequences = examples * training->together * MAX (training->rlhf_group, 1);

  if (training->tokens > 0 || examples <= 0)
    return;
  if (training->mean_document > 0)
    sequences *= MIN ((double) training->mean_document / training->sequence_length, 1);
  training->tokens = ceil (sequences / training->global_batch) * training->global_batch
                     * training->sequence_length;
}

/* Parts of a recipe that are not modeled, or are modeled differently from the input. */
static void
add_method_notes (ShardwiseScenario *self, const SwProblem *problem, GPtrArray *notes)
{
  const SwTraining *training = &problem->training;
  const double mean = shardwise_scenario_peek_number (
                   self, SHARDWISE_KEY_TRAINING_PADDING_MEAN_LENGTH, 0),
               counts = mean / training->sequence_length;
  g_autofree char *share = shardwise_format_percent (counts);

  if (mean > 0 && counts < 1)
    g_ptr_array_add (
        notes,
        g_strdup_printf (
            /* Translators: a percentage */
            _ ("Only %s of the tokens count; the others are padding. Rates include all tokens."),
            share));
  if (training->method == SW_METHOD_DISTILL)
    g_ptr_array_add (
        notes,
        g_strdup (_ ("The teacher is modeled with the shape of the student, scaled to its size.")));
}

static void
resolve_training (ShardwiseScenario *self, const SwModelSpec *model, const SwCluster *cluster,
                  SwTraining *out)
{
  const char *attention = shardwise_scenario_peek_string (self, SHARDWISE_KEY_TRAINING_ATTENTION);
  double pinned = shardwise_scenario_peek_number (self, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE, 0);

  resolve_method (self, model, out);
  out->sequence_length = (guint) stated_or_default (self, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH);
  out->global_batch =
      (guint) shardwise_scenario_peek_number (self, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, 0);
  out->micro_batch = (guint) (pinned > 0 ? pinned
                                         : shardwise_scenario_peek_number (
                                             self, SHARDWISE_KEY_TRAINING_MICRO_BATCH_SIZE, 0));
  out->precision = precision (self, cluster);
  out->optimizer = word_of (self, SHARDWISE_KEY_TRAINING_OPTIMIZER, sw_optimizer_names,
                            SW_OPTIMIZER_ADAMW);
  out->offloads_to_nvme =
      g_strcmp0 (shardwise_scenario_peek_string (self, SHARDWISE_KEY_TRAINING_OFFLOAD_DEVICE),
                 "nvme")
      == 0;
  shardwise_software_read (self, &out->software);
  resolve_states (self, out);
  out->attention = attention == NULL
                       ? (states_no_flash (self) ? SW_ATTENTION_UNFUSED : SW_ATTENTION_FLASH)
                   : g_str_equal (attention, "unfused") || g_str_equal (attention, "eager")
                       ? SW_ATTENTION_UNFUSED
                       : SW_ATTENTION_FLASH;
  if (g_strcmp0 (attention, "sdpa") == 0
      && !shardwise_scenario_is_set (self, SHARDWISE_KEY_TRAINING_SOFTWARE_FLASH_ATTENTION))
    sw_software_state (&out->software, SW_FEATURE_FLASH_3, FALSE);
  /* Words that are not names: "auto". */
  out->usual_frameworks = word_of (self, SHARDWISE_KEY_TRAINING_FRAMEWORK, sw_framework_names,
                                   SW_N_FRAMEWORKS)
                          == SW_N_FRAMEWORKS;
  out->framework = word_of (self, SHARDWISE_KEY_TRAINING_FRAMEWORK, sw_framework_names,
                            SW_FRAMEWORK_ANY);
  out->software_year = software_year (self, out->framework);
  out->overlap = word_of (self, SHARDWISE_KEY_TRAINING_OVERLAP, sw_overlap_names, SW_OVERLAP_AUTO);
  out->memory_target = stated_or_default (self, SHARDWISE_KEY_TRAINING_MEMORY_TARGET);
  out->target_steers = !shardwise_scenario_is_set (self, SHARDWISE_KEY_TRAINING_MEMORY_TARGET);
  out->left_out = shardwise_scenario_peek_number (self, SHARDWISE_KEY_TRAINING_ALLOW_UNTRIED, FALSE)
                      ? 0
                      : SW_UNTRIED_ALL;
  out->tokens = shardwise_scenario_peek_number (self, SHARDWISE_KEY_TRAINING_TOKENS, 0);
  out->lora_rank = (guint) stated_or_default (self, SHARDWISE_KEY_TRAINING_LORA_RANK);
  out->lora_all_linear =
      g_strcmp0 (shardwise_scenario_peek_string (self, SHARDWISE_KEY_TRAINING_LORA_TARGETS),
                 "attention")
      != 0;
  out->rlhf_colocated =
      (gboolean) shardwise_scenario_peek_number (self, SHARDWISE_KEY_TRAINING_RLHF_COLOCATED, TRUE);
  out->lora_modules = lora_modules (self);
  out->lora_dropout = shardwise_scenario_peek_number (self, SHARDWISE_KEY_TRAINING_LORA_DROPOUT, 0);
  out->lora_alpha =
      (guint) lround (shardwise_scenario_peek_number (self, SHARDWISE_KEY_TRAINING_LORA_ALPHA, 0));
  out->lora_dora = switch_of (self, SHARDWISE_KEY_TRAINING_LORA_DORA, FALSE);
  out->lora_vocabulary = switch_of (self, SHARDWISE_KEY_TRAINING_LORA_EMBEDDINGS, FALSE);
  out->single_scales = !switch_of (self, SHARDWISE_KEY_TRAINING_DOUBLE_QUANTIZATION, TRUE);
  out->rlhf_group =
      (guint) shardwise_scenario_peek_number (self, SHARDWISE_KEY_TRAINING_RLHF_GROUP_SIZE, 0);
  out->rlhf_critic_parameters =
      1e9
      * shardwise_scenario_peek_number (self, SHARDWISE_KEY_TRAINING_RLHF_CRITIC_PARAMETERS_B, 0);
  out->rlhf_response_length =
      (guint) stated_or_default (self, SHARDWISE_KEY_TRAINING_RLHF_RESPONSE_LENGTH);
  out->mean_document = (guint) shardwise_scenario_peek_number (
      self, SHARDWISE_KEY_TRAINING_PACKING_MEAN_DOCUMENT, 0);
}

/* A stated link is not the measured one. */
static void
drop_stated_links (ShardwiseScenario *self, ShardwiseMachine *machine)
{
  static const struct {
    ShardwiseKeyId keys[2];
    ShardwiseFigureId figure;
  } links[] = {
    { { SHARDWISE_KEY_CLUSTER_INTRA_NODE, SHARDWISE_KEY_CLUSTER_INTRA_NODE_GB_S },
      SHARDWISE_FIGURE_INTRA },
    { { SHARDWISE_KEY_CLUSTER_INTER_NODE, SHARDWISE_KEY_CLUSTER_INTER_NODE_GB_S },
      SHARDWISE_FIGURE_INTER },
  };

  for (guint i = 0; i < G_N_ELEMENTS (links); i++)
    for (guint k = 0; k < G_N_ELEMENTS (links[i].keys); k++)
      if (shardwise_scenario_peek (self, links[i].keys[k]) != NULL)
        machine->figure[links[i].figure].value = 0;
}

/* The constants: the catalog's, replaced by the machine's measurements where there are any,
 * otherwise with the factors of the user's runs. */
static void
resolve_constants (ShardwiseScenario *self, ShardwiseMachine *machine, SwProblem *out,
                   GPtrArray *notes)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  ShardwiseFactors factors = shardwise_scenario_get_factors (self);
  SwCalibration made;

  out->calibration = shardwise_catalogue_calibration (catalogue);
  drop_stated_links (self, machine);
  if (machine->date[0] != '\0')
    {
      shardwise_machine_add_notes (machine, out, notes);
      shardwise_machine_apply (machine, out, &made);
      out->calibration = shardwise_catalogue_keep (catalogue, &made);
    }
  factors = shardwise_factors_round (&factors);
  if (shardwise_factors_are_neutral (&factors))
    return;
  g_ptr_array_add (notes, shardwise_factors_to_text (&factors));
  shardwise_factors_apply (&factors, out->calibration, &made);
  out->calibration = shardwise_catalogue_keep (catalogue, &made);
}

/**
 * shardwise_scenario_resolve:
 * @out: (out): the engine's question, complete
 * @notes: (out) (transfer full) (optional): sentences about approximations
 *
 * Resolves presets, defaults and links.
 *
 * Returns: whether the scenario is complete and consistent; otherwise @error has the path
 */
gboolean
shardwise_scenario_resolve (ShardwiseScenario *self, SwProblem *out, GPtrArray **notes,
                            GError **error)
{
  g_autoptr (GPtrArray) collected = g_ptr_array_new_with_free_func (g_free);
  ShardwiseMachine machine = { .date = "" };
  guint most;

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (self) && out != NULL, FALSE);

  memset (out, 0, sizeof *out);
  if (!resolve_model (self, &out->model, collected, error)
      || !resolve_cluster (self, &out->cluster, &machine, error))
    return FALSE;
  resolve_training (self, &out->model, &out->cluster, &out->training);
  /* A score replaces the head. */
  out->model.tied_embeddings |= out->training.scalar_head;
  if (!check_attention (self, &out->training, error) || !check_method (self, &out->training, error))
    return FALSE;
  if (!sw_cluster_has_precision (&out->cluster, out->training.precision))
    {
      g_autoptr (GString) accepted = g_string_new (NULL);

      for (guint i = 0; sw_precision_names[i] != NULL; i++)
        if (sw_cluster_has_precision (&out->cluster, (SwPrecision) i))
          shardwise_text_items (accepted, "%s", sw_precision_names[i]);
      return fail (
          error, SHARDWISE_ERROR_INCONSISTENT, SHARDWISE_KEY_TRAINING_PRECISION,
          /* Translators: a number format ("fp8"), name of a GPU, a list of number formats */
          g_strdup_printf (_ ("%s is not supported on %s; allowed: %s"),
                           sw_precision_names[out->training.precision], out->cluster.gpu.name,
                           accepted->str));
    }
  resolve_pins (self, &out->pins);
  resolve_constants (self, &machine, out, collected);
  sw_problem_prepare (out);
  count_examples (self, out);
  if (!check_pins (out, error))
    return FALSE;

  most = out->model.max_position_embeddings;
  if (most > 0 && out->training.sequence_length > most)
    /* Translators: a sequence length, and the longest that the model was made for */
    g_ptr_array_add (collected, g_strdup_printf (_ ("A sequence of %'u tokens is longer than the "
                                                    "%'u tokens that this model is designed for."),
                                                 out->training.sequence_length, most));
  shardwise_software_add_notes (out, collected);
  add_method_notes (self, out, collected);
  if (notes != NULL)
    *notes = g_steal_pointer (&collected);
  return TRUE;
}

/**
 * shardwise_scenario_get_machine:
 * @machine: (out): the measurements of the scenario's cluster
 * @base: (out): the question with the catalog's constants only
 *
 * Returns: whether there are measurements and the scenario is complete
 */
gboolean
shardwise_scenario_get_machine (ShardwiseScenario *self, ShardwiseMachine *machine, SwProblem *base)
{
  SwGpu gpu;

  memset (machine, 0, sizeof *machine);
  if (!shardwise_scenario_resolve (self, base, NULL, NULL)
      || !resolve_gpu (self, &gpu, machine, NULL))
    return FALSE;
  drop_stated_links (self, machine);
  base->calibration = shardwise_catalogue_calibration (shardwise_catalogue_get ());
  return machine->date[0] != '\0';
}

/**
 * shardwise_scenario_resolve_on:
 * @gpus: instead of the number of GPUs that the scenario states
 * @out: (out): the engine's question, complete
 *
 * Another number of GPUs may need values that the scenario's own does not: inside one node the
 * network does not affect the answer, so any network will do.
 *
 * Returns: as for shardwise_scenario_resolve()
 */
gboolean
shardwise_scenario_resolve_on (ShardwiseScenario *self, guint gpus, SwProblem *out, GError **error)
{
  g_autoptr (ShardwiseScenario) other = NULL;

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (self) && out != NULL, FALSE);

  other = shardwise_scenario_copy (self);
  if (shardwise_scenario_is_set (self, SHARDWISE_KEY_CLUSTER_GPUS)
      && !shardwise_scenario_set (other, SHARDWISE_KEY_CLUSTER_GPUS, g_variant_new_uint32 (gpus),
                                  error))
    return FALSE;
  return shardwise_scenario_resolve (other, out, NULL, error);
}

/**
 * shardwise_scenario_get_unpinning:
 *
 * Returns: (transfer floating) (nullable): a{sv} for shardwise_scenario_apply() that lets the
 * search choose the strategy, if that makes an incomplete scenario complete
 */
GVariant *
shardwise_scenario_get_unpinning (ShardwiseScenario *self)
{
  g_autoptr (ShardwiseScenario) without = NULL;
  GVariantBuilder changes;

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (self), NULL);

  if (shardwise_scenario_get_resolves (self))
    return NULL;
  without = shardwise_scenario_copy (self);
  g_variant_builder_init (&changes, G_VARIANT_TYPE_VARDICT);
  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    if (g_str_has_prefix (shardwise_key_path (i), "strategy.")
        && shardwise_scenario_is_set (self, i))
      {
        shardwise_scenario_reset (without, i);
        g_variant_builder_add (&changes, "{sv}", shardwise_key_path (i), g_variant_new_string (""));
      }
  if (shardwise_scenario_get_resolves (without))
    return g_variant_builder_end (&changes);
  g_variant_builder_clear (&changes);
  return NULL;
}

static GVariant *
default_of_cluster (const SwCluster *cluster, ShardwiseKeyId id)
{
  switch ((guint) id)
    {
    case SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE: return g_variant_new_int64 (cluster->gpus_per_node);
    case SHARDWISE_KEY_CLUSTER_NVLINK_DOMAIN: return g_variant_new_int64 (cluster->nvlink_domain);
    case SHARDWISE_KEY_CLUSTER_POD_GPUS: return g_variant_new_int64 (cluster->pod_gpus);
    case SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB: return g_variant_new_double (cluster->gpu.memory_gb);
    case SHARDWISE_KEY_CLUSTER_INTRA_NODE_GB_S:
      return g_variant_new_double (cluster->intra.bytes_per_s / SW_GB);
    case SHARDWISE_KEY_CLUSTER_INTER_NODE_GB_S:
      return g_variant_new_double (cluster->inter.bytes_per_s / SW_GB);
    case SHARDWISE_KEY_CLUSTER_OVERSUBSCRIPTION:
      return g_variant_new_double (cluster->oversubscription);
    case SHARDWISE_KEY_CLUSTER_HOST_RAM_GB:
      return g_variant_new_double (sw_cluster_host_bytes (cluster) / SW_GB);
    case SHARDWISE_KEY_CLUSTER_NVME_GB_S:
      return g_variant_new_double (cluster->nvme_bytes_per_s / SW_GB);
    case SHARDWISE_KEY_CLUSTER_GPU: return g_variant_new_string (cluster->gpu.id);
    case SHARDWISE_KEY_CLUSTER_INTRA_NODE: return g_variant_new_string (cluster->intra.id);
    case SHARDWISE_KEY_CLUSTER_INTER_NODE: return g_variant_new_string (cluster->inter.id);
    default: return NULL;
    }
}

/**
 * shardwise_resolve_default:
 * @problem: the resolved scenario
 * @id: a key that is not set
 *
 * Returns: (transfer floating) (nullable): the current default of @id; %NULL if it has none (it is
 * searched, or optional)
 */
GVariant *
shardwise_resolve_default (const SwProblem *problem, ShardwiseKeyId id)
{
  const SwTraining *training = &problem->training;
  GVariant *value = default_of_cluster (&problem->cluster, id);
  double cost;

  if (value != NULL)
    return value;
  /* Dimensions that every model has. */
  if ((id >= SHARDWISE_KEY_MODEL_KIND && id <= SHARDWISE_KEY_MODEL_NORMS_PER_LAYER)
      || id == SHARDWISE_KEY_MODEL_MTP_LAYERS)
    return shardwise_model_values_get (&problem->model, id);
  switch ((guint) id)
    {
    case SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH:
      return g_variant_new_int64 (training->sequence_length);
    case SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE:
      return g_variant_new_int64 (training->global_batch);
    case SHARDWISE_KEY_TRAINING_LORA_RANK: return g_variant_new_int64 (training->lora_rank);
    case SHARDWISE_KEY_TRAINING_RLHF_RESPONSE_LENGTH:
      return g_variant_new_int64 (training->rlhf_response_length);
    case SHARDWISE_KEY_TRAINING_RLHF_GROUP_SIZE:
      return g_variant_new_int64 (MAX (training->rlhf_group, 1));
    case SHARDWISE_KEY_TRAINING_MEMORY_TARGET:
      return g_variant_new_double (training->memory_target);
    case SHARDWISE_KEY_TRAINING_RLHF_CRITIC_PARAMETERS_B:
      return g_variant_new_double ((training->rlhf_critic_parameters > 0
                                        ? training->rlhf_critic_parameters
                                        : problem->count.total)
                                   / 1e9);
    case SHARDWISE_KEY_TRAINING_DISTILL_TEACHER_PARAMETERS_B:
      return g_variant_new_double (training->frozen_copies * problem->count.total / 1e9);
    case SHARDWISE_KEY_TRAINING_EPOCHS: return g_variant_new_double (1);
    case SHARDWISE_KEY_TRAINING_RLHF_COLOCATED:
      return g_variant_new_boolean (training->rlhf_colocated);
    case SHARDWISE_KEY_TRAINING_ALLOW_UNTRIED:
      return g_variant_new_boolean (training->left_out == 0);
    case SHARDWISE_KEY_TRAINING_OPTIMIZER_IN_BACKWARD:
      return g_variant_new_boolean (training->optimizer_in_backward);
    case SHARDWISE_KEY_TRAINING_LORA_DORA: return g_variant_new_boolean (training->lora_dora);
    case SHARDWISE_KEY_TRAINING_LORA_EMBEDDINGS:
      return g_variant_new_boolean (training->lora_vocabulary);
    case SHARDWISE_KEY_TRAINING_DOUBLE_QUANTIZATION:
      return g_variant_new_boolean (!training->single_scales);
    case SHARDWISE_KEY_TRAINING_RLHF_REFERENCE:
      return g_variant_new_boolean (training->type == SW_TRAINING_RLHF
                                        ? !training->no_reference
                                        : training->forward_passes > 0);
    case SHARDWISE_KEY_TRAINING_TYPE: /* as in a question */
      return g_variant_new_string (
          sw_training_choices[training->method == SW_METHOD_TOKENS
                                  ? (guint) training->type
                                  : SW_TRAINING_RLHF + (guint) training->method]);
    case SHARDWISE_KEY_TRAINING_ADAPTERS:
      return g_variant_new_string (!sw_training_is_adapter (training)                   ? "none"
                                   : sw_training_states (training) == SW_TRAINING_QLORA ? "qlora"
                                                                                        : "lora");
    case SHARDWISE_KEY_TRAINING_PRECISION:
      return g_variant_new_string (sw_precision_names[training->precision]);
    case SHARDWISE_KEY_TRAINING_OPTIMIZER:
      return g_variant_new_string (sw_optimizer_names[training->optimizer]);
    case SHARDWISE_KEY_TRAINING_ATTENTION:
      return g_variant_new_string (sw_attention_names[training->attention]);
    case SHARDWISE_KEY_TRAINING_FRAMEWORK:
      return g_variant_new_string (training->usual_frameworks
                                       ? sw_framework_choices[0]
                                       : sw_framework_names[training->framework]);
    case SHARDWISE_KEY_TRAINING_OFFLOAD_DEVICE:
      return g_variant_new_string (training->offloads_to_nvme ? "nvme" : "host");
    case SHARDWISE_KEY_TRAINING_OVERLAP:
      return g_variant_new_string (sw_overlap_names[training->overlap]);
    case SHARDWISE_KEY_TRAINING_LORA_TARGETS:
      return g_variant_new_string (training->lora_all_linear ? "all-linear" : "attention");
    case SHARDWISE_KEY_TRAINING_BASE_PRECISION:
      return g_variant_new_string (sw_base_names[sw_training_base (training)]);
    case SHARDWISE_KEY_TRAINING_RLHF_ALGORITHM:
      return g_variant_new_string (sw_algorithm_names[training->algorithm]);
    case SHARDWISE_KEY_COST_CURRENCY: return g_variant_new_string ("USD");
    default: break;
    }
  if (id == SHARDWISE_KEY_TRAINING_SOFTWARE_DATE)
    {
      guint months = (guint) (training->software_year * 12 + 0.5)
                     - 1; /* December is the year + 12/12 */

      return g_variant_new_take_string (
          g_strdup_printf ("%04u-%02u", months / 12, months % 12 + 1));
    }
  if (shardwise_software_is_key (id))
    return shardwise_software_default (problem, id);
  if (!g_str_has_prefix (shardwise_key_path (id), "cost."))
    return NULL;
  cost = shardwise_cost_default (problem, id);
  return cost > 0 ? g_variant_new_double (cost) : NULL;
}
