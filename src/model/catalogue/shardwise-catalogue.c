/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The catalog of the program: models, GPUs, links and their lists; the constants of the model,
 * plain and with the factors of a user's runs; and defaults of figures. */
#include "shardwise-catalogue.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-catalogue-read.h"
#include "shardwise-error.h"
#include "shardwise-format.h"
#include "shardwise-json.h"
#include "shardwise-key.h"

struct _ShardwiseCatalogueEntry {
  GObject parent_instance;
  char *id, *name, *subtitle;
};

G_DEFINE_FINAL_TYPE (ShardwiseCatalogueEntry, shardwise_catalogue_entry, G_TYPE_OBJECT)

enum { PROP_0, PROP_ID, PROP_NAME, PROP_SUBTITLE, N_PROPS };

static GParamSpec *properties[N_PROPS];

static void
shardwise_catalogue_entry_get_property (GObject *object, guint prop_id, GValue *value,
                                        GParamSpec *pspec)
{
  ShardwiseCatalogueEntry *self = SHARDWISE_CATALOGUE_ENTRY (object);

  switch (prop_id)
    {
    case PROP_ID: g_value_set_string (value, self->id); break;
    case PROP_NAME: g_value_set_string (value, self->name); break;
    case PROP_SUBTITLE: g_value_set_string (value, self->subtitle); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
shardwise_catalogue_entry_finalize (GObject *object)
{
  ShardwiseCatalogueEntry *self = SHARDWISE_CATALOGUE_ENTRY (object);

  g_free (self->id);
  g_free (self->name);
  g_free (self->subtitle);
  G_OBJECT_CLASS (shardwise_catalogue_entry_parent_class)->finalize (object);
}

static void
shardwise_catalogue_entry_class_init (ShardwiseCatalogueEntryClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  static const char *const names[] = { NULL, "id", "name", "subtitle" };

  object_class->get_property = shardwise_catalogue_entry_get_property;
  object_class->finalize = shardwise_catalogue_entry_finalize;
  for (guint i = PROP_ID; i < N_PROPS; i++)
    properties[i] = g_param_spec_string (names[i], NULL, NULL, NULL,
                                         G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
shardwise_catalogue_entry_init (ShardwiseCatalogueEntry *self)
{}

/* subtitle: (transfer full): translated. */
static ShardwiseCatalogueEntry *
entry_new (const char *id, const char *name, char *subtitle)
{
  ShardwiseCatalogueEntry *self = g_object_new (SHARDWISE_TYPE_CATALOGUE_ENTRY, NULL);

  self->id = g_strdup (id);
  self->name = g_strdup (name);
  self->subtitle = subtitle;
  return self;
}

/* Each file is read on first use, so the program starts without the models. */
struct _ShardwiseCatalogue {
  GOnce models_once, gpus_once, fabrics_once;
};

/* GLib's one-time initialization needs writable storage; its contents never change after
 * creation. */
static ShardwiseCatalogue catalogue = { G_ONCE_INIT, G_ONCE_INIT, G_ONCE_INIT };

static gpointer
load_models (gpointer data)
{
  g_autoptr (JsonNode) root = shardwise_catalogue_load ("models.json");
  JsonArray *array = json_node_get_array (root);
  GArray *models = g_array_sized_new (FALSE, TRUE, sizeof (ShardwiseModelRecord),
                                      json_array_get_length (array));

  g_array_set_size (models, json_array_get_length (array));
  for (guint i = 0; i < models->len; i++)
    shardwise_catalogue_read_model (json_array_get_object_element (array, i),
                                    &g_array_index (models, ShardwiseModelRecord, i));
  return models;
}

/* All threads share the catalog's object, so it is returned as const. */
static ShardwiseCatalogue *
unconst (const ShardwiseCatalogue *self)
{
  g_assert (self == &catalogue);
  return &catalogue;
}

static GArray *
models_of (const ShardwiseCatalogue *self)
{
  return g_once (&unconst (self)->models_once, load_models, NULL);
}

static gpointer
load_fabrics (gpointer data)
{
  return shardwise_catalogue_load ("fabrics.json");
}

static JsonObject *
fabrics_of (const ShardwiseCatalogue *self)
{
  return json_node_get_object (g_once (&unconst (self)->fabrics_once, load_fabrics, NULL));
}

static const char *
generation_of (const ShardwiseCatalogue *self, const char *gpu_id)
{
  return shardwise_json_text (shardwise_json_object (fabrics_of (self), "gpu_generations"), gpu_id);
}

/* fabrics.json has more detailed names: "hopper-sxm-h800", "cdna3", "gaudi2". */
static SwGeneration
engine_generation (const char *generation)
{
  for (guint i = 0; sw_generation_names[i] != NULL; i++)
    if (g_str_has_prefix (generation, sw_generation_names[i]))
      return (SwGeneration) i;
  g_error ("fabrics.json: the generation “%s” is unknown", generation);
}

static gpointer
load_gpus (gpointer data)
{
  g_autoptr (JsonNode) root = shardwise_catalogue_load ("gpus.json");
  JsonArray *array = json_node_get_array (root);
  GArray *gpus = g_array_new (FALSE, TRUE, sizeof (ShardwiseGpuRecord));

  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonObject *object = json_array_get_object_element (array, i);
      ShardwiseGpuRecord record = { 0 };
      const char *generation;

      shardwise_catalogue_read_gpu (object, &record.gpu);
      generation = generation_of (data, record.gpu.id);
      if (generation == NULL)
        g_error ("fabrics.json: no generation for %s", record.gpu.id);
      record.gpu.generation = engine_generation (generation);
      record.is_usual = g_strcmp0 (shardwise_json_text (object, "vendor"), "nvidia") == 0
                        && g_strcmp0 (shardwise_json_text (object, "form_factor"), "sxm") == 0
                        && record.gpu.generation != SW_GENERATION_RUBIN;
      g_array_append_val (gpus, record);
    }
  return gpus;
}

static GArray *
gpus_of (const ShardwiseCatalogue *self)
{
  return g_once (&unconst (self)->gpus_once, load_gpus, unconst (self));
}

/**
 * shardwise_catalogue_get:
 *
 * Returns: (transfer none): the catalog of the program; any thread may use it
 */
const ShardwiseCatalogue *
shardwise_catalogue_get (void)
{
  return &catalogue;
}

static void
read_link (JsonObject *fabric, SwLink *out)
{
  JsonObject *latency = shardwise_json_object (fabric, "latency_us");
  double per_gpu = shardwise_json_number (fabric, "per_gpu_unidirectional_gb_s", 0);

  memset (out, 0, sizeof *out);
  g_strlcpy (out->id, shardwise_json_text (fabric, "id"), sizeof out->id);
  g_strlcpy (out->name, shardwise_json_text (fabric, "name"), sizeof out->name);
  out->is_pcie = g_str_has_prefix (out->id, "pcie");
  out->is_ethernet = g_str_has_prefix (out->id, "ethernet");
  out->is_hashed = out->is_ethernet || g_str_has_prefix (out->id, "roce");
  /* EFA and GPUDirect-TCPX have transports of their own. */
  out->lacks_verbs = out->is_ethernet || g_str_has_prefix (out->id, "aws-efa")
                     || g_str_equal (out->id, "gcp-a3-high")
                     || g_str_equal (out->id, "gcp-a3-mega");
  out->shared_by_node = per_gpu <= 0;
  out->bytes_per_s = SW_GB
                     * (per_gpu > 0 ? per_gpu : shardwise_json_number (fabric, "per_node_gb_s", 0));
  /* The latency that the adapter adds per hop, if published; the hop itself is a constant of the
   * calibration. */
  if (g_strcmp0 (shardwise_json_text (latency, "what"), "adapter, one way") == 0)
    out->latency_s = 1e-6 * shardwise_json_number (latency, "value", 0);
}

static void
append_entry (GListStore *store, const char *id, const char *name, char *subtitle)
{
  g_autoptr (ShardwiseCatalogueEntry) entry = entry_new (id, name, subtitle);

  g_list_store_append (store, entry);
}

/**
 * shardwise_catalogue_describe_model:
 * @spec: an architecture, from the catalog or not
 * @parameters: its number of parameters
 *
 * Returns: (transfer full): its size: "8.03 B parameters, 32 layers"
 */
char *
shardwise_catalogue_describe_model (const SwModelSpec *spec, double parameters)
{
  g_autofree char *count = shardwise_format_count (parameters);

  if (spec->moe.experts > 0)
    /* Translators: size of a model ("70.6 B"), its layers, its experts */
    return g_strdup_printf (_ ("%s parameters, %u layers, %u experts"), count, spec->layers,
                            spec->moe.experts);
  /* Translators: size of a model ("70.6 B"), its layers */
  return g_strdup_printf (_ ("%s parameters, %u layers"), count, spec->layers);
}

/**
 * shardwise_catalogue_models:
 *
 * Returns: (transfer full): #ShardwiseCatalogueEntry of every model, in the catalog's order
 */
GListModel *
shardwise_catalogue_models (const ShardwiseCatalogue *self)
{
  GListStore *store = g_list_store_new (SHARDWISE_TYPE_CATALOGUE_ENTRY);
  GArray *models = models_of (self);

  for (guint i = 0; i < models->len; i++)
    {
      const ShardwiseModelRecord *record = &g_array_index (models, ShardwiseModelRecord, i);

      append_entry (
          store, record->spec.id, record->spec.name,
          shardwise_catalogue_describe_model (&record->spec, record->computed_parameters > 0
                                                                 ? record->computed_parameters
                                                                 : record->reported_parameters));
    }
  return G_LIST_MODEL (store);
}

/**
 * shardwise_catalogue_gpus:
 *
 * Returns: (transfer full): #ShardwiseCatalogueEntry of every GPU, in the catalog's order
 */
GListModel *
shardwise_catalogue_gpus (const ShardwiseCatalogue *self)
{
  GListStore *store = g_list_store_new (SHARDWISE_TYPE_CATALOGUE_ENTRY);
  GArray *gpus = gpus_of (self);

  for (guint i = 0; i < gpus->len; i++)
    {
      const SwGpu *gpu = &g_array_index (gpus, ShardwiseGpuRecord, i).gpu;
      double peak = MAX (gpu->peak_bf16_flops_per_s, gpu->peak_fp16_flops_per_s) / 1e12;

      /* Translators: memory of a GPU and its dense 16-bit rate */
      append_entry (store, gpu->id, gpu->name,
                    g_strdup_printf (_ ("%g GB, %.4g TFLOP/s"), gpu->memory_gb, peak));
    }
  return G_LIST_MODEL (store);
}

/**
 * shardwise_catalogue_networks:
 *
 * Returns: (transfer full): #ShardwiseCatalogueEntry of every network between nodes, in the
 *   catalog's order
 */
GListModel *
shardwise_catalogue_networks (const ShardwiseCatalogue *self)
{
  GListStore *store = g_list_store_new (SHARDWISE_TYPE_CATALOGUE_ENTRY);
  JsonArray *array = json_object_get_array_member (fabrics_of (self), "inter_node");

  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      SwLink link;

      read_link (json_array_get_object_element (array, i), &link);
      append_entry (store, link.id, link.name,
                    g_strdup_printf (link.shared_by_node
                                         /* Translators: nominal bandwidth of a network */
                                         ? _ ("%.4g GB/s per node")
                                         : _ ("%.4g GB/s per GPU"),
                                     link.bytes_per_s / SW_GB));
    }
  return G_LIST_MODEL (store);
}

static const ShardwiseModelRecord *
find_model (const ShardwiseCatalogue *self, const char *id)
{
  GArray *models = models_of (self);

  for (guint i = 0; i < models->len; i++)
    if (g_str_equal (g_array_index (models, ShardwiseModelRecord, i).spec.id, id))
      return &g_array_index (models, ShardwiseModelRecord, i);
  return NULL;
}

/**
 * shardwise_catalogue_find_model:
 *
 * Returns: (transfer none) (nullable): the architecture of that id
 */
const SwModelSpec *
shardwise_catalogue_find_model (const ShardwiseCatalogue *self, const char *id)
{
  const ShardwiseModelRecord *record = find_model (self, id);

  return record != NULL ? &record->spec : NULL;
}

/**
 * shardwise_catalogue_complete_routing:
 * @self: the catalog
 * @model: (inout): an architecture given by its dimensions
 *
 * Copies the router's groups of experts and its scaling of weights, which the dimensions do not
 * determine, from the catalog model with the same layers, width and experts.
 */
void
shardwise_catalogue_complete_routing (const ShardwiseCatalogue *self, SwModelSpec *model)
{
  GArray *models = models_of (self);

  for (guint i = 0; i < models->len && model->moe.experts > 0; i++)
    {
      const SwModelSpec *known = &g_array_index (models, ShardwiseModelRecord, i).spec;

      if (known->layers != model->layers || known->hidden_size != model->hidden_size
          || known->moe.experts != model->moe.experts || known->moe.top_k != model->moe.top_k)
        continue;
      model->moe.groups = known->moe.groups;
      model->moe.chosen_groups = known->moe.chosen_groups;
      model->moe.scaling = known->moe.scaling;
      return;
    }
}

/**
 * shardwise_catalogue_model_reported_parameters:
 *
 * Returns: the publisher's parameter count; 0 if there is none
 */
double
shardwise_catalogue_model_reported_parameters (const ShardwiseCatalogue *self, const char *id)
{
  const ShardwiseModelRecord *record = find_model (self, id);

  return record != NULL ? record->reported_parameters : 0;
}

/**
 * shardwise_catalogue_model_computed_parameters:
 *
 * Returns: the catalog's own count from the dimensions, which checks the engine's; 0 if there is
 * none
 */
double
shardwise_catalogue_model_computed_parameters (const ShardwiseCatalogue *self, const char *id)
{
  const ShardwiseModelRecord *record = find_model (self, id);

  return record != NULL ? record->computed_parameters : 0;
}

/**
 * shardwise_catalogue_model_approximation:
 *
 * Returns: (transfer full) (nullable): which part of the model is approximated and how, translated;
 * %NULL: none
 */
char *
shardwise_catalogue_model_approximation (const ShardwiseCatalogue *self, const char *id)
{
  const ShardwiseModelRecord *record = find_model (self, id);

  if (record == NULL || !record->spec.approximated)
    return NULL;
  if (record->hybrid != NULL)
    /* Translators: name of a model, kind of its special layers ("mamba2") */
    return g_strdup_printf (_ ("%s is approximated: its %s layers count as full attention layers "
                               "of the same width for memory, parameters and time."),
                            record->spec.name, record->hybrid);
  /* Translators: name of a vision model */
  return g_strdup_printf (
      _ ("%s is approximated: its blocks count as transformer layers over the sequence length, "
         "without a causal mask; patch and condition embeddings count as parameters only."),
      record->spec.name);
}

/**
 * shardwise_catalogue_find_gpu:
 *
 * Returns: (transfer none) (nullable): the GPU of that id
 */
const SwGpu *
shardwise_catalogue_find_gpu (const ShardwiseCatalogue *self, const char *id)
{
  GArray *gpus = gpus_of (self);

  for (guint i = 0; i < gpus->len; i++)
    if (g_str_equal (g_array_index (gpus, ShardwiseGpuRecord, i).gpu.id, id))
      return &g_array_index (gpus, ShardwiseGpuRecord, i).gpu;
  return NULL;
}

/* The nearest memory wins, then the faster GPU, then the first. */
static gboolean
is_nearer (const SwGpu *a, const SwGpu *b, double memory_gb)
{
  double da = fabs (a->memory_gb - memory_gb), db;

  if (b == NULL)
    return TRUE;
  db = fabs (b->memory_gb - memory_gb);
  return da < db || (da == db && a->peak_bf16_flops_per_s > b->peak_bf16_flops_per_s);
}

/**
 * shardwise_catalogue_gpu_for_memory:
 * @memory_gb: nominal memory
 *
 * The GPU that people mean by "80 GB GPUs": the NVIDIA SXM GPU within 15 % of that memory, the
 * fastest if several have the same; otherwise the nearest in the whole catalog.
 *
 * Returns: (transfer none): never %NULL
 */
const SwGpu *
shardwise_catalogue_gpu_for_memory (const ShardwiseCatalogue *self, double memory_gb)
{
  GArray *gpus = gpus_of (self);
  const SwGpu *usual = NULL, *any = NULL;

  for (guint i = 0; i < gpus->len; i++)
    {
      const ShardwiseGpuRecord *record = &g_array_index (gpus, ShardwiseGpuRecord, i);

      if (is_nearer (&record->gpu, any, memory_gb))
        any = &record->gpu;
      if (record->is_usual && fabs (record->gpu.memory_gb / memory_gb - 1) <= 0.15
          && is_nearer (&record->gpu, usual, memory_gb))
        usual = &record->gpu;
    }
  return usual != NULL ? usual : any;
}

static JsonObject *
find_fabric (const ShardwiseCatalogue *self, const char *section, const char *id)
{
  JsonArray *array = json_object_get_array_member (fabrics_of (self), section);

  for (guint i = 0; i < json_array_get_length (array); i++)
    if (g_strcmp0 (shardwise_json_text (json_array_get_object_element (array, i), "id"), id) == 0)
      return json_array_get_object_element (array, i);
  return NULL;
}

/* The class of the nodes of a GPU, in fabrics.json. */
static const char *
class_of (const ShardwiseCatalogue *self, const char *gpu_id, JsonObject **out)
{
  JsonObject *classes = shardwise_json_object (fabrics_of (self), "node_classes");
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, classes);
  while (json_object_iter_next_ordered (&iter, &name, &node))
    {
      JsonArray *gpus;

      if (!JSON_NODE_HOLDS_OBJECT (node)) /* the note */
        continue;
      *out = json_node_get_object (node);
      gpus = json_object_get_array_member (*out, "gpus");
      for (guint i = 0; i < json_array_get_length (gpus); i++)
        if (g_str_equal (json_array_get_string_element (gpus, i), gpu_id))
          return name;
    }
  g_error ("fabrics.json: no class of nodes for %s", gpu_id);
}

/**
 * shardwise_catalogue_node_class:
 * @gpu_id: of a GPU of the catalog
 * @out: (out): what a node of such GPUs usually has
 */
void
shardwise_catalogue_node_class (const ShardwiseCatalogue *self, const char *gpu_id,
                                ShardwiseNodeClass *out)
{
  JsonObject *object;

  class_of (self, gpu_id, &object);
  *out = (ShardwiseNodeClass){
    .network = shardwise_json_text (object, "network"),
    .gpus_per_node = (guint) shardwise_json_number (object, "gpus_per_node", 0),
    .host_bytes_per_gpu = SW_GB * shardwise_json_number (object, "host_gb_per_gpu", 0),
  };
}

/* The meaning of a plain word, by the GPU's generation or its nodes. */
static const char *
alias_of (const ShardwiseCatalogue *self, const char *word, const SwGpu *gpu)
{
  JsonObject *row = shardwise_json_object (shardwise_json_object (fabrics_of (self), "aliases"),
                                           word);
  const char *id = shardwise_json_text (row, generation_of (self, gpu->id));
  JsonObject *unused;

  return id != NULL ? id : shardwise_json_text (row, class_of (self, gpu->id, &unused));
}

/**
 * shardwise_catalogue_find_link:
 * @word: (nullable): a fabric id, a plain word (nvlink, infiniband, roce, pcie, ethernet, efa,
 * scale_up), or %NULL for the usual link of @gpu
 * @gpu: the GPU: its generation or nodes determine the meaning of a plain word
 * @inter_node: the network between nodes, else the link inside one
 * @out: (out): the link
 *
 * Returns: whether such a link is known; otherwise @error is set
 */
gboolean
shardwise_catalogue_find_link (const ShardwiseCatalogue *self, const char *word, const SwGpu *gpu,
                               gboolean inter_node, SwLink *out, GError **error)
{
  const char *section = inter_node ? "inter_node" : "intra_node";
  JsonObject *aliases = shardwise_json_object (fabrics_of (self), "aliases");
  JsonObject *fabric = word != NULL ? find_fabric (self, section, word) : NULL;
  ShardwiseNodeClass nodes;
  const char *id;

  g_return_val_if_fail (gpu != NULL && out != NULL, FALSE);

  if (fabric == NULL)
    {
      if (word != NULL && shardwise_json_object (aliases, word) == NULL)
        {
          g_propagate_error (
              error, shardwise_error_new (
                         SHARDWISE_ERROR_CHOICE,
                         shardwise_key_path (inter_node ? SHARDWISE_KEY_CLUSTER_INTER_NODE
                                                        : SHARDWISE_KEY_CLUSTER_INTRA_NODE),
                         /* Translators: a word that is no link */
                         inter_node ? _ ("“%s” is unknown; allowed: infiniband, roce, ethernet, "
                                         "efa, or a network in the catalog such as ib-ndr")
                                    : _ ("“%s” is unknown; allowed: nvlink, pcie, or a link in the "
                                         "catalog such as nvlink4"),
                         word));
          return FALSE;
        }
      shardwise_catalogue_node_class (self, gpu->id, &nodes);
      id = alias_of (self, word != NULL ? word : inter_node ? nodes.network : "scale_up", gpu);
      fabric = id != NULL ? find_fabric (self, section, id) : NULL;
    }
  if (fabric != NULL)
    read_link (fabric, out);
  else if (!inter_node && (word == NULL || g_str_equal (word, "scale_up")))
    {
      memset (out, 0, sizeof *out);
      g_strlcpy (out->id, "scale_up", sizeof out->id);
      g_strlcpy (out->name, gpu->name, sizeof out->name);
      out->bytes_per_s = gpu->scale_up_bytes_per_s;
    }
  else
    {
      const char *path = shardwise_key_path (inter_node ? SHARDWISE_KEY_CLUSTER_INTER_NODE
                                                        : SHARDWISE_KEY_CLUSTER_INTRA_NODE);

      if (word != NULL)
        g_propagate_error (
            error,
            shardwise_error_new (SHARDWISE_ERROR_INCONSISTENT, path,
                                 /* Translators: "nvlink", name of a GPU, path of a key */
                                 _ ("the catalog has no link “%s” for %s; allowed: another link, a "
                                    "fabric in the catalog, or a bandwidth in %s_gb_s"),
                                 word, gpu->name, path));
      else
        g_propagate_error (
            error,
            shardwise_error_new (SHARDWISE_ERROR_MISSING, path,
                                 /* Translators: name of a GPU, path of a key */
                                 _ ("the catalog has no usual network for %s; allowed: roce, "
                                    "ethernet, a fabric in the catalog, or a bandwidth in %s_gb_s"),
                                 gpu->name, path));
      return FALSE;
    }
  return TRUE;
}

/**
 * shardwise_catalogue_find_rdma:
 * @gpu: the GPU: its generation determines the link
 * @out: (out): InfiniBand, else RoCE
 *
 * The assumed network if only its bandwidth is known.
 *
 * Returns: as for shardwise_catalogue_find_link()
 */
gboolean
shardwise_catalogue_find_rdma (const ShardwiseCatalogue *self, const SwGpu *gpu, SwLink *out,
                               GError **error)
{
  return shardwise_catalogue_find_link (self, "infiniband", gpu, TRUE, out, NULL)
         || shardwise_catalogue_find_link (self, "roce", gpu, TRUE, out, error);
}

/**
 * shardwise_catalogue_link_domain:
 * @link: a link inside a node
 * @gpu: the GPU that has it
 *
 * Returns: number of GPUs that @link joins
 */
guint
shardwise_catalogue_link_domain (const ShardwiseCatalogue *self, const SwLink *link,
                                 const SwGpu *gpu)
{
  JsonObject *fabric = find_fabric (self, "intra_node", link->id);

  return (guint) MAX (1, fabric != NULL ? shardwise_json_number (fabric, "domain_size", 8)
                                        : gpu->scale_up_domain);
}

/* Constants that differ from the program's: with the factors of a user's runs, or measured on a
 * machine. They live as long as the program, because answers computed with them may; there are as
 * many as there were such states. */
static struct {
  GOnce once;
  GMutex lock;
  GPtrArray *kept; /* (nullable) of SwCalibration, under the lock */
} constants = { .once = G_ONCE_INIT };

static gpointer
load_calibration (gpointer data)
{
  g_autoptr (JsonNode) root = shardwise_catalogue_load ("calibration.json");
  g_autoptr (GError) error = NULL;
  SwCalibration *calibration = g_new0 (SwCalibration, 1);

  if (!shardwise_catalogue_read_calibration (json_node_get_object (root), calibration, &error))
    g_error ("calibration.json: %s", error->message);
  return calibration;
}

/**
 * shardwise_catalogue_calibration:
 *
 * Returns: (transfer none): the constants of the model; they live as long as the program
 */
const SwCalibration *
shardwise_catalogue_calibration (const ShardwiseCatalogue *self)
{
  return g_once (&constants.once, load_calibration, NULL);
}

/**
 * shardwise_catalogue_keep:
 * @made: constants copied from the program's, including padding, and changed
 *
 * Returns: (transfer none): the same; they live as long as the program. Callable in any thread.
 */
const SwCalibration *
shardwise_catalogue_keep (const ShardwiseCatalogue *self, const SwCalibration *made)
{
  const SwCalibration *kept = NULL;

  g_mutex_lock (&constants.lock);
  for (guint i = 0; constants.kept != NULL && i < constants.kept->len && kept == NULL; i++)
    if (memcmp (g_ptr_array_index (constants.kept, i), made, sizeof *made) == 0)
      kept = g_ptr_array_index (constants.kept, i);
  if (kept == NULL)
    {
      if (constants.kept == NULL)
        constants.kept = g_ptr_array_new ();
      kept = g_memdup2 (made, sizeof *made);
      g_ptr_array_add (constants.kept, (gpointer) kept);
    }
  g_mutex_unlock (&constants.lock);
  return kept;
}

/* ---- entries as JSON ---- */

/**
 * shardwise_catalogue_add_model:
 * @object: receives the values of the catalog's model
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
 * @object: receives the values of the catalog's GPU
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
 * @object: receives the values of the catalog's network
 * @id: its id
 */
void
shardwise_catalogue_add_network (JsonObject *object, const char *id)
{
  const ShardwiseCatalogue *self = shardwise_catalogue_get ();
  SwLink link;

  if (!shardwise_catalogue_find_link (self, id, shardwise_catalogue_find_gpu (self, "h100-80-sxm"),
                                      TRUE, &link, NULL))
    return;
  json_object_set_double_member (object, "gb_per_s_per_gpu", link.bytes_per_s / SW_GB);
  json_object_set_double_member (object, "latency_us", link.latency_s * 1e6);
  json_object_set_boolean_member (object, "shared_by_node", link.shared_by_node);
}

static gpointer
load_defaults (gpointer data)
{
  return shardwise_catalogue_load ("defaults.json");
}

/**
 * shardwise_defaults_find:
 * @path: of a key, or the name of a related figure
 * @value: (out) (optional): the figure, in the unit of its key's name
 * @source: (out) (optional) (transfer none): its source
 *
 * Returns: whether there is one
 */
gboolean
shardwise_defaults_find (const char *path, double *value, const char **source)
{
  static GOnce once = G_ONCE_INIT;
  JsonObject *root = json_node_get_object (g_once (&once, load_defaults, NULL));
  JsonObject *record = shardwise_json_object (root, path);

  if (record == NULL)
    return FALSE;
  if (value != NULL)
    *value = shardwise_json_number (record, "value", 0);
  if (source != NULL)
    *source = shardwise_json_text (record, "source");
  return TRUE;
}

/**
 * shardwise_defaults_get:
 * @path: of a figure with a default
 *
 * Returns: the figure, in the unit of its key's name
 */
double
shardwise_defaults_get (const char *path)
{
  double value = 0;
  gboolean found = shardwise_defaults_find (path, &value, NULL);

  g_return_val_if_fail (found, 0);

  return value;
}
