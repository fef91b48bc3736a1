/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the values of a scenario to the engine's question: defaults, links, pins and checks across keys. */
#include "shardwise-catalogue-private.h"
#include "shardwise-scenario-private.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-json.h"

/* Host memory of a node where none is stated: 256 GB a GPU, 2 TB in a DGX H100. */
#define HOST_GB_PER_GPU 256.0

static gboolean
fail (GError **error, ShardwiseError code, const char *path, char *text)
{
  g_propagate_error (error, shardwise_error_new (code, path, "%s", text));
  g_free (text);
  return FALSE;
}

static double
number (ShardwiseScenario *self, const char *path, double fallback)
{
  return shardwise_scenario_peek_number (self, path, fallback);
}

static guint
word (ShardwiseScenario *self, const char *path, const char *const *names, guint fallback)
{
  const char *text = shardwise_scenario_peek_string (self, path);
  int index = text != NULL ? sw_name_index (names, text) : -1;

  return index < 0 ? fallback : (guint) index;
}

/* ---- GPU ---- */

static gboolean
unknown_gpu (const char *id, GError **error)
{
  if (strchr (id, ',') != NULL || strchr (id, '+') != NULL)
    return fail (error, SHARDWISE_ERROR_CHOICE, "cluster.gpu",
                 g_strdup (_("several GPU types in one job are not supported, accepted: one GPU type; advise each type on its own")));
  return fail (error, SHARDWISE_ERROR_CHOICE, "cluster.gpu",
               g_strdup_printf (_("“%.60s” is not in the catalogue, accepted: an id that “shardwise-cli gpus” lists"), id));
}

static gboolean
check_gpu_number (const char *path, JsonNode *node, GError **error)
{
  double value;

  if (JSON_NODE_HOLDS_OBJECT (node))
    {
      JsonObjectIter iter;
      const char *name;
      JsonNode *child;

      json_object_iter_init (&iter, json_node_get_object (node));
      while (json_object_iter_next (&iter, &name, &child))
        {
          g_autofree char *below = g_strconcat (path, ".", name, NULL);

          if (g_str_equal (name, "type") || g_str_equal (name, "currency") || g_str_equal (name, "month"))
            continue;
          if (!check_gpu_number (below, child, error))
            return FALSE;
        }
      return TRUE;
    }
  if (!JSON_NODE_HOLDS_VALUE (node) || (json_node_get_value_type (node) != G_TYPE_INT64 && json_node_get_value_type (node) != G_TYPE_DOUBLE))
    return fail (error, SHARDWISE_ERROR_TYPE, path, g_strdup (_("of the wrong type, accepted: a number")));
  value = json_node_get_double (node);
  if (value <= 0 || value > 1e7)
    return fail (error, SHARDWISE_ERROR_RANGE, path, g_strdup_printf (_("%g is out of range, accepted: above 0, at most 1e7"), value));
  return TRUE;
}

static gboolean
check_gpu_object (JsonObject *object, GError **error)
{
  static const char *const numbers[] = { "memory_gb", "usable_memory_gib", "hbm_bandwidth_gb_s", "peak_dense_tflops", "sm_count",
                                         "l2_mb", "scale_up", "pcie", "tdp_w", "cloud_price_per_gpu_hour", NULL };
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &node))
    {
      g_autofree char *path = g_strconcat ("cluster.gpu.", name, NULL);

      if (g_str_equal (name, "base") || g_str_equal (name, "name"))
        {
          if (json_node_get_value_type (node) != G_TYPE_STRING)
            return fail (error, SHARDWISE_ERROR_TYPE, path, g_strdup (_("of the wrong type, accepted: a text")));
        }
      else if (!g_strv_contains (numbers, name))
        return fail (error, SHARDWISE_ERROR_UNKNOWN_KEY, path,
                     g_strdup (_("unknown key, accepted: base, name, memory_gb, usable_memory_gib, hbm_bandwidth_gb_s, peak_dense_tflops, sm_count, l2_mb, scale_up, pcie, tdp_w, cloud_price_per_gpu_hour")));
      else if (!check_gpu_number (path, node, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
gpu_from_object (const char *text, SwGpu *out, GError **error)
{
  g_autoptr (JsonNode) root = shardwise_json_parse (text, strlen (text), error);
  const char *base;
  const SwGpu *found;
  double memory_gb;

  if (root == NULL || !check_gpu_object (json_node_get_object (root), error))
    return FALSE;
  base = shardwise_json_text (json_node_get_object (root), "base");
  if (base == NULL)
    return fail (error, SHARDWISE_ERROR_MISSING, "cluster.gpu.base", g_strdup (_("is missing, accepted: an id that “shardwise-cli gpus” lists")));
  found = shardwise_catalogue_find_gpu (shardwise_catalogue_get (), base);
  if (found == NULL)
    return fail (error, SHARDWISE_ERROR_CHOICE, "cluster.gpu.base",
                 g_strdup_printf (_("“%.60s” is not in the catalogue, accepted: an id that “shardwise-cli gpus” lists"), base));
  *out = *found;
  shardwise_catalogue_read_gpu (json_node_get_object (root), out);
  memory_gb = shardwise_json_number (json_node_get_object (root), "memory_gb", 80);
  if (memory_gb < 8 || memory_gb > 320)
    return fail (error, SHARDWISE_ERROR_RANGE, "cluster.gpu.memory_gb", g_strdup_printf (_("%g is out of range, accepted: 8 to 320 GB"), memory_gb));
  return TRUE;
}

static gboolean
resolve_gpu (ShardwiseScenario *self, SwGpu *out, GError **error)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  const char *id = shardwise_scenario_peek_string (self, "cluster.gpu");
  double memory_gb = number (self, "cluster.gpu_memory_gb", 0);
  const SwGpu *found;

  if (id != NULL && id[0] == '{')
    return gpu_from_object (id, out, error);
  if (id != NULL)
    found = shardwise_catalogue_find_gpu (catalogue, id);
  else
    found = memory_gb > 0 ? shardwise_catalogue_gpu_for_memory (catalogue, memory_gb) : shardwise_catalogue_find_gpu (catalogue, "h100-80-sxm");
  if (found == NULL)
    return unknown_gpu (id, error);
  *out = *found;
  return TRUE;
}

/* ---- cluster ---- */

static gboolean
is_superchip_rack (const SwGpu *gpu)
{
  return g_str_has_prefix (gpu->id, "gb200") || g_str_has_prefix (gpu->id, "gb300");
}

/* A stated bandwidth makes any link known; its name is then the user's word or "custom". */
static gboolean
resolve_link (ShardwiseScenario *self, gboolean inter_node, const SwGpu *gpu, SwLink *out, GError **error)
{
  const char *path = inter_node ? "cluster.inter_node" : "cluster.intra_node";
  double bandwidth = number (self, inter_node ? "cluster.inter_node_gb_s" : "cluster.intra_node_gb_s", 0);
  const char *asked = shardwise_scenario_peek_string (self, path);
  g_autoptr (GError) local = NULL;

  memset (out, 0, sizeof *out);
  if (!shardwise_catalogue_find_link (shardwise_catalogue_get (), asked, gpu, inter_node, out, &local))
    {
      /* No such link is known for the GPU: a bandwidth, or a job inside one node, can do without. */
      if (bandwidth <= 0 && !(inter_node && asked == NULL && number (self, "cluster.gpus", 1) <= number (self, "cluster.gpus_per_node", 8)))
        {
          g_propagate_error (error, g_steal_pointer (&local));
          return FALSE;
        }
      if (!shardwise_catalogue_find_link (shardwise_catalogue_get (), inter_node ? "ethernet" : "pcie", gpu, inter_node, out, error))
        return FALSE;
    }
  if (bandwidth > 0)
    {
      out->bytes_per_s = bandwidth * SW_GB;
      out->shared_by_node = FALSE;
    }
  return TRUE;
}

/* How many GPUs the fast link joins: a rack's domain is wider than a node; a bridge's is narrower. */
static guint
default_domain (const SwCluster *cluster)
{
  guint domain = shardwise_catalogue_link_domain (shardwise_catalogue_get (), &cluster->intra, &cluster->gpu);

  return domain == 8 || (domain > 8 && domain <= cluster->gpus_per_node) ? cluster->gpus_per_node : domain;
}

static gboolean
resolve_cluster (ShardwiseScenario *self, SwCluster *out, GError **error)
{
  double nominal;

  if (shardwise_scenario_peek (self, "cluster.gpus") == NULL)
    {
      g_autofree char *accepted = shardwise_key_describe_range (shardwise_key_find ("cluster.gpus"));

      return fail (error, SHARDWISE_ERROR_MISSING, "cluster.gpus", g_strdup_printf (_("is missing, accepted: %s"), accepted));
    }
  if (!resolve_gpu (self, &out->gpu, error))
    return FALSE;
  out->gpus = (guint) number (self, "cluster.gpus", 1);
  out->gpus_per_node = (guint) number (self, "cluster.gpus_per_node", is_superchip_rack (&out->gpu) ? 4 : 8);
  if (!resolve_link (self, FALSE, &out->gpu, &out->intra, error) || !resolve_link (self, TRUE, &out->gpu, &out->inter, error))
    return FALSE;
  out->nvlink_domain = (guint) number (self, "cluster.nvlink_domain", default_domain (out));
  out->oversubscription = number (self, "cluster.oversubscription", 1);
  out->pod_gpus = (guint) number (self, "cluster.pod_gpus", 0);
  out->host_ram_bytes = SW_GB * number (self, "cluster.host_ram_gb", HOST_GB_PER_GPU * out->gpus_per_node);
  nominal = number (self, "cluster.gpu_memory_gb", out->gpu.memory_gb);
  out->usable_bytes = nominal * out->gpu.usable_bytes / out->gpu.memory_gb;
  return TRUE;
}

/* ---- training ---- */

/* The newest software that the constants of a profile were seen with (measured_runs.csv, software_date). */
static double
newest_software (SwFramework framework)
{
  switch (framework)
    {
    case SW_FRAMEWORK_MEGATRON_2021:
      return 2022 + 5 / 12.0;
    case SW_FRAMEWORK_ANY:
    case SW_FRAMEWORK_MEGATRON_CORE:
    case SW_FRAMEWORK_FSDP:
    case SW_FRAMEWORK_FSDP2:
    case SW_FRAMEWORK_DEEPSPEED:
    case SW_FRAMEWORK_NANOTRON:
    case SW_N_FRAMEWORKS:
    default:
      return 2026 + 6 / 12.0;
    }
}

static double
software_year (ShardwiseScenario *self, SwFramework framework)
{
  const char *date = shardwise_scenario_peek_string (self, "training.software_date");

  if (date == NULL)
    return newest_software (framework);
  return (double) g_ascii_strtoll (date, NULL, 10) + (double) g_ascii_strtoll (date + 5, NULL, 10) / 12.0;
}

static SwPrecision
precision (ShardwiseScenario *self)
{
  const char *text = shardwise_scenario_peek_string (self, "training.precision");

  if (text != NULL && g_str_equal (text, "fp8-tensorwise"))
    return SW_PRECISION_FP8;
  return word (self, "training.precision", sw_precision_names, SW_PRECISION_BF16);
}

static void
resolve_adaptation (ShardwiseScenario *self, SwTraining *out)
{
  out->lora_rank = (guint) number (self, "training.lora.rank", 16);
  out->lora_all_linear = g_strcmp0 (shardwise_scenario_peek_string (self, "training.lora.targets"), "attention") != 0;
  out->rlhf_colocated = (gboolean) number (self, "training.rlhf.colocated", TRUE);
  out->rlhf_ppo = g_strcmp0 (shardwise_scenario_peek_string (self, "training.rlhf.algorithm"), "grpo") != 0;
  out->rlhf_critic_parameters = 1e9 * number (self, "training.rlhf.critic_parameters_b", 0);
  out->rlhf_response_length = (guint) number (self, "training.rlhf.response_length", 1024);
  out->mean_document = (guint) number (self, "training.packing.mean_document", 0);
}

static void
resolve_training (ShardwiseScenario *self, SwTraining *out)
{
  double pinned = number (self, "strategy.micro_batch_size", 0);

  out->type = word (self, "training.type", sw_training_type_names, SW_TRAINING_PRETRAIN);
  out->sequence_length = (guint) number (self, "training.sequence_length", 4096);
  out->global_batch = (guint) number (self, "training.global_batch_size", 0);
  out->micro_batch = (guint) (pinned > 0 ? pinned : number (self, "training.micro_batch_size", 0));
  out->precision = precision (self);
  out->optimizer = word (self, "training.optimizer", sw_optimizer_names, SW_OPTIMIZER_ADAMW);
  out->attention = word (self, "training.attention", sw_attention_names, SW_ATTENTION_FLASH);
  out->framework = word (self, "training.framework", sw_framework_names, SW_FRAMEWORK_MEGATRON_CORE);
  out->software_year = software_year (self, out->framework);
  out->overlap = word (self, "training.overlap", sw_overlap_names, SW_OVERLAP_AUTO);
  out->memory_target = number (self, "training.memory_target", 0.9);
  out->tokens = number (self, "training.tokens", 0);
  resolve_adaptation (self, out);
}

/* ---- pins ---- */

typedef struct {
  const char *path;
  SwDimension dimension;
  const char *const *names; /* of a word */
} Pin;

static const Pin pins[] = {
  { "strategy.tp", SW_DIM_TP, NULL },
  { "strategy.etp", SW_DIM_ETP, NULL },
  { "strategy.pp", SW_DIM_PP, NULL },
  { "strategy.vpp", SW_DIM_VPP, NULL },
  { "strategy.dp", SW_DIM_DP, NULL },
  { "strategy.cp", SW_DIM_CP, NULL },
  { "strategy.cp_method", SW_DIM_CP_METHOD, sw_cp_method_names },
  { "strategy.ep", SW_DIM_EP, NULL },
  { "strategy.sequence_parallel", SW_DIM_SP, NULL },
  { "strategy.zero_stage", SW_DIM_ZERO, NULL },
  { "strategy.shard_group", SW_DIM_SHARD_GROUP, NULL },
  { "strategy.micro_batch_size", SW_DIM_MICRO_BATCH, NULL },
  { "strategy.schedule", SW_DIM_SCHEDULE, sw_schedule_names },
  { "strategy.offload", SW_DIM_OFFLOAD, sw_offload_names },
};

static guint
module_mask (GVariant *value)
{
  g_autofree const char **words = value != NULL ? g_variant_get_strv (value, NULL) : NULL;
  guint mask = 0;

  for (guint i = 0; words != NULL && words[i] != NULL; i++)
    mask |= 1u << sw_name_index (sw_recompute_module_names, words[i]);
  return mask;
}

static void
pin_recompute (ShardwiseScenario *self, SwPins *out)
{
  const char *text = shardwise_scenario_peek_string (self, "strategy.recompute");

  out->value.recompute_modules = module_mask (shardwise_scenario_peek (self, "strategy.recompute_modules"));
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

static void
resolve_pins (ShardwiseScenario *self, SwPins *out)
{
  sw_strategy_init_default (&out->value);
  for (guint i = 0; i < G_N_ELEMENTS (pins); i++)
    if (shardwise_scenario_peek (self, pins[i].path) != NULL)
      {
        out->mask |= 1u << pins[i].dimension;
        sw_strategy_set (&out->value, pins[i].dimension,
                         pins[i].names != NULL ? word (self, pins[i].path, pins[i].names, 0) : (guint) number (self, pins[i].path, 0));
      }
  pin_recompute (self, out);
}

/* ---- checks across keys ---- */

static char *
divisors (guint number_, guint most)
{
  GString *text = g_string_new (NULL);

  for (guint i = 1; i <= MIN (number_, most) && text->len < 60; i++)
    if (number_ % i == 0)
      g_string_append_printf (text, text->len > 0 ? ", %u" : "%u", i);
  return g_string_free (text, FALSE);
}

static gboolean
check_divides (const SwProblem *problem, SwDimension dimension, const char *path, guint total, const char *what, GError **error)
{
  guint value = sw_strategy_get (&problem->pins.value, dimension);
  g_autofree char *accepted = NULL;

  if (!sw_pins_has (&problem->pins, dimension) || total % value == 0)
    return TRUE;
  accepted = divisors (total, problem->cluster.gpus);
  return fail (error, SHARDWISE_ERROR_INCONSISTENT, path,
               /* Translators: a degree, a count, what is counted ("attention heads"), then a list of numbers */
               g_strdup_printf (_("%u does not divide the %u %s, accepted: %s"), value, total, what, accepted));
}

static gboolean
check_product (const SwProblem *problem, GError **error)
{
  static const struct { SwDimension dimension; const char *path; } factors[] = {
    { SW_DIM_TP, "strategy.tp" }, { SW_DIM_PP, "strategy.pp" }, { SW_DIM_CP, "strategy.cp" }, { SW_DIM_DP, "strategy.dp" },
  };
  guint64 product = 1;

  for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
    if (sw_pins_has (&problem->pins, factors[i].dimension))
      {
        guint value = sw_strategy_get (&problem->pins.value, factors[i].dimension);

        if (product * value > problem->cluster.gpus)
          return fail (error, SHARDWISE_ERROR_INCONSISTENT, factors[i].path,
                       /* Translators: a degree, how many GPUs the degrees need together, how many there are, the greatest degree */
                       g_strdup_printf (_("%u makes the degrees need %" G_GUINT64_FORMAT " GPUs, more than the %u there are, accepted: 1 to %" G_GUINT64_FORMAT),
                                        value, product * value, problem->cluster.gpus, MAX (1, problem->cluster.gpus / product)));
        product *= value;
      }
  return TRUE;
}

static gboolean
check_stages (const SwProblem *problem, GError **error)
{
  guint pp = problem->pins.value.pp;

  if (!sw_pins_has (&problem->pins, SW_DIM_PP) || pp <= problem->model.layers)
    return TRUE;
  return fail (error, SHARDWISE_ERROR_INCONSISTENT, "strategy.pp",
               g_strdup_printf (_("%u stages are more than the %u layers, accepted: 1 to %u"), pp, problem->model.layers, problem->model.layers));
}

static gboolean
check_experts (const SwProblem *problem, GError **error)
{
  if (!sw_pins_has (&problem->pins, SW_DIM_EP) || problem->pins.value.ep == 1)
    return TRUE;
  if (problem->model.moe.experts == 0)
    return fail (error, SHARDWISE_ERROR_INCONSISTENT, "strategy.ep", g_strdup (_("the model has no experts, accepted: 1")));
  return check_divides (problem, SW_DIM_EP, "strategy.ep", problem->model.moe.experts, _("experts"), error);
}

static gboolean
check_shard_group (const SwProblem *problem, GError **error)
{
  if (!sw_pins_has (&problem->pins, SW_DIM_DP))
    return TRUE;
  return check_divides (problem, SW_DIM_SHARD_GROUP, "strategy.shard_group", problem->pins.value.dp, _("data-parallel ranks"), error);
}

static gboolean
check_batch (const SwProblem *problem, GError **error)
{
  guint batch = problem->training.global_batch, micro = problem->training.micro_batch;

  if (micro <= batch || batch == 0)
    return TRUE;
  return fail (error, SHARDWISE_ERROR_INCONSISTENT,
               sw_pins_has (&problem->pins, SW_DIM_MICRO_BATCH) ? "strategy.micro_batch_size" : "training.micro_batch_size",
               g_strdup_printf (_("%u is more than the global batch of %u sequences, accepted: 1 to %u"), micro, batch, batch));
}

static gboolean
check (const SwProblem *problem, GError **error)
{
  return check_divides (problem, SW_DIM_TP, "strategy.tp", problem->model.attention_heads, _("attention heads"), error)
         && check_stages (problem, error) && check_experts (problem, error) && check_shard_group (problem, error)
         && check_product (problem, error) && check_batch (problem, error);
}

static void
note_effects (ShardwiseScenario *self, GPtrArray *notes)
{
  guint n_keys;
  const ShardwiseKey *keys = shardwise_keys (&n_keys);

  for (guint i = 0; i < n_keys; i++)
    if (!keys[i].takes_effect && shardwise_scenario_peek (self, keys[i].path) != NULL)
      /* Translators: path of a key, its title */
      g_ptr_array_add (notes, g_strdup_printf (_("%s (%s) is kept but has no effect yet."), keys[i].path, _(keys[i].title)));
}

static void
note_length (const SwProblem *problem, GPtrArray *notes)
{
  guint most = problem->model.max_position_embeddings;

  if (most > 0 && problem->training.sequence_length > most)
    /* Translators: a sequence length, and the longest that the model was made for */
    g_ptr_array_add (notes, g_strdup_printf (_("A sequence of %u tokens is longer than the %u that this model was made for."),
                                             problem->training.sequence_length, most));
}

/**
 * shardwise_scenario_resolve:
 * @out: (out): the engine's question, complete
 * @notes: (out) (transfer full) (optional): sentences on what is approximated or has no effect
 *
 * Resolves presets, defaults and links.
 *
 * Returns: whether the scenario is complete and holds together; else @error carries the path
 */
gboolean
shardwise_scenario_resolve (ShardwiseScenario *self, SwProblem *out, GPtrArray **notes, GError **error)
{
  g_autoptr (GPtrArray) collected = g_ptr_array_new_with_free_func (g_free);

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (self) && out != NULL, FALSE);

  memset (out, 0, sizeof *out);
  if (!shardwise_resolve_model (self, &out->model, collected, error) || !resolve_cluster (self, &out->cluster, error))
    return FALSE;
  resolve_training (self, &out->training);
  resolve_pins (self, &out->pins);
  out->calibration = shardwise_catalogue_calibration (shardwise_catalogue_get ());
  sw_problem_prepare (out);
  if (!check (out, error))
    return FALSE;
  note_length (out, collected);
  note_effects (self, collected);
  if (notes != NULL)
    *notes = g_steal_pointer (&collected);
  return TRUE;
}

/* ---- defaults, read off a resolved question ---- */

static GVariant *
model_default (const SwModelSpec *model, const char *name)
{
  const struct { const char *name; guint value; } counts[] = {
    { "layers", model->layers }, { "hidden_size", model->hidden_size }, { "intermediate_size", model->intermediate_size },
    { "attention_heads", model->attention_heads }, { "kv_heads", model->kv_heads }, { "head_dim", model->head_dim },
    { "vocab_size", model->vocab_size }, { "max_position_embeddings", model->max_position_embeddings },
    { "norms_per_layer", model->norms_per_layer }, { "mtp_layers", model->mtp_layers },
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
  const struct { const char *name; double value; } numbers[] = {
    { "gpu_memory_gb", cluster->gpu.memory_gb }, { "intra_node_gb_s", cluster->intra.bytes_per_s / SW_GB },
    { "inter_node_gb_s", cluster->inter.bytes_per_s / SW_GB }, { "oversubscription", cluster->oversubscription },
    { "host_ram_gb", cluster->host_ram_bytes / SW_GB },
  };
  const struct { const char *name; guint value; } counts[] = {
    { "gpus_per_node", cluster->gpus_per_node }, { "nvlink_domain", cluster->nvlink_domain }, { "pod_gpus", cluster->pod_gpus },
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
training_word (const SwTraining *training, const char *name)
{
  const struct { const char *name, *value; } words[] = {
    { "type", sw_training_type_names[training->type] }, { "precision", sw_precision_names[training->precision] },
    { "optimizer", sw_optimizer_names[training->optimizer] }, { "attention", sw_attention_names[training->attention] },
    { "framework", sw_framework_names[training->framework] }, { "overlap", sw_overlap_names[training->overlap] },
    { "lora.targets", training->lora_all_linear ? "all-linear" : "attention" },
    { "rlhf.algorithm", training->rlhf_ppo ? "ppo" : "grpo" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_equal (words[i].name, name))
      return g_variant_new_string (words[i].value);
  return NULL;
}

static GVariant *
software_default (double year)
{
  guint months = (guint) (year * 12 + 0.5) - 1; /* December is the year + 12/12 */

  return g_variant_new_take_string (g_strdup_printf ("%04u-%02u", months / 12, months % 12 + 1));
}

static GVariant *
training_default (const SwProblem *problem, const char *name)
{
  const SwTraining *training = &problem->training;
  const struct { const char *name; guint value; } counts[] = {
    { "sequence_length", training->sequence_length }, { "global_batch_size", training->global_batch },
    { "lora.rank", training->lora_rank }, { "rlhf.response_length", training->rlhf_response_length },
  };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    if (g_str_equal (counts[i].name, name))
      return g_variant_new_int64 (counts[i].value);
  if (g_str_equal (name, "memory_target"))
    return g_variant_new_double (training->memory_target);
  if (g_str_equal (name, "software_date"))
    return software_default (training->software_year);
  if (g_str_equal (name, "rlhf.colocated"))
    return g_variant_new_boolean (training->rlhf_colocated);
  if (g_str_equal (name, "rlhf.critic_parameters_b"))
    return g_variant_new_double ((training->rlhf_critic_parameters > 0 ? training->rlhf_critic_parameters : problem->count.total) / 1e9);
  return training_word (training, name);
}

/**
 * shardwise_resolve_default:
 * @problem: the resolved scenario
 * @path: a key that is not set
 *
 * Returns: (transfer floating) (nullable): the value that @path has now; %NULL where it has none (it is searched,
 *   or optional)
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
  return g_str_equal (path, "cost.currency") ? g_variant_new_string ("USD") : NULL;
}
