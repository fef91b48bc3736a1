/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a probe (data/probe) measured, or a step probe of one layer, as the GPU of a scenario: the
 * catalog's, with measured figures in place of its own; and what is wrong with the machine. Each
 * measurement is compared with the model's own prediction of it; the median of those of a figure says
 * how far that is off. */
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-format.h"
#include "shardwise-import-job.h"
#include "shardwise-json.h"
#include "shardwise-machine.h"
#include "shardwise-resolve.h"
#include "shardwise-step.h"
#include "sw-collective.h"

/* ---- values: an invalid one sets the error of the job, and a harmless one is returned ---- */

/* (nullable): the value of a key with a required type */
static const ShardwiseNode *
get_member (ShardwiseImportJob *job, const ShardwiseNode *map, const char *key,
            ShardwiseNodeType type)
{
  const ShardwiseNode *node = shardwise_node_member (map, key);

  if (node != NULL && node->type == type)
    return node;
  shardwise_import_fail (job, node != NULL ? node : map, key, "%s",
                         type == SHARDWISE_NODE_STRING ? _ ("must be text")
                         : type == SHARDWISE_NODE_LIST ? _ ("must be a list")
                                                       : _ ("must be an object"));
  return NULL;
}

/* "" after an error */
static const char *
get_text (ShardwiseImportJob *job, const ShardwiseNode *map, const char *key)
{
  const ShardwiseNode *node = get_member (job, map, key, SHARDWISE_NODE_STRING);

  return node != NULL ? node->text : "";
}

/* low after an error */
static double
get_number (ShardwiseImportJob *job, const ShardwiseNode *map, const char *key, double low,
            double high)
{
  const ShardwiseNode *node = shardwise_node_member (map, key);

  if (node != NULL && shardwise_node_is_number (node) && node->number >= low
      && node->number <= high)
    return node->number;
  shardwise_import_fail (job, node != NULL ? node : map, key, _ ("must be a number from %g to %g"),
                         low, high);
  return low;
}

/* Whether a map has only the known keys and its own; own: (nullable). */
static gboolean
check_keys (ShardwiseImportJob *job, const ShardwiseNode *map, const char *const *known,
            const char *const *own)
{
  for (guint i = 0; i < map->keys->len; i++)
    {
      const char *key = map->keys->pdata[i];

      if (g_strv_contains (known, key) || (own != NULL && g_strv_contains (own, key)))
        continue;
      shardwise_import_fail (job, map->items->pdata[i], key, "%s",
                             own != NULL
                                 ? _ ("unknown key; allowed: the keys of this kind of measurement")
                                 : _ ("unknown key; allowed: the keys that a probe writes"));
      return FALSE;
    }
  return TRUE;
}

/* ---- one layer, by a step probe ---- */

/* The relative spread of a measured time is at most this. */
#define MOST_SPREAD 10.0

static void
read_layer (ShardwiseImportJob *job, const ShardwiseNode *map, ShardwiseMeasuredStep *out)
{
  const char *known[SHARDWISE_N_LAYER_FIELDS + 1] = { NULL };

  for (guint i = 0; i < SHARDWISE_N_LAYER_FIELDS; i++)
    {
      const ShardwiseLayerField field = (ShardwiseLayerField) i;

      known[i] = shardwise_step_layer_name (field);
      out->layer[i] = (guint) get_number (job, map, known[i], 0, shardwise_step_layer_most (field));
    }
  if (check_keys (job, map, known, NULL) && !shardwise_step_has_layer (out->layer))
    shardwise_import_fail (job, map, "layer", "%s", _ ("no layer; allowed: what a probe writes"));
}

/* Returns: whether the measurement failed. */
static gboolean
read_step_row (ShardwiseImportJob *job, const ShardwiseNode *map, ShardwiseMeasuredStep *out)
{
  static const char *const known[] = { "kind",    "pass",       "flops",  "bytes",
                                       "seconds", "bytes_held", "spread", "failed",
                                       "repeats", "title",      NULL };
  const char *kind = map->type == SHARDWISE_NODE_MAP ? get_text (job, map, "kind") : "";
  const gboolean has_pass = map->type == SHARDWISE_NODE_MAP
                            && shardwise_node_member (map, "pass") != NULL;
  const char *pass = has_pass ? get_text (job, map, "pass") : NULL;
  const gboolean is_section = g_str_equal (kind, "section");
  guint row = 0;

  while (row < SHARDWISE_N_STEP_ROWS
         && (!g_str_equal (shardwise_step_kind ((ShardwiseStepRowId) row), kind)
             || g_strcmp0 (shardwise_step_pass ((ShardwiseStepRowId) row), pass) != 0))
    row++;
  if (row == SHARDWISE_N_STEP_ROWS && !is_section)
    shardwise_import_fail (job, map, "measurements", "%s",
                           _ ("unknown measurement; allowed: those of a probe"));
  if (job->error != NULL || !check_keys (job, map, known, NULL))
    return FALSE;
  if (shardwise_node_member (map, "failed") != NULL || is_section)
    return TRUE;
  out->row[row] =
      row >= SHARDWISE_STEP_KEPT
          ? (ShardwiseMeasurement){ get_number (job, map, "bytes", 0, 1e13), 0 }
          : (ShardwiseMeasurement){ get_number (job, map, "seconds", 1e-9, 86400),
                                    MIN (get_number (job, map, "spread", 0, 1e6), MOST_SPREAD) };
  return FALSE;
}

/* Returns: the number of failed measurements */
static guint
read_step (ShardwiseImportJob *job, const ShardwiseNode *root, ShardwiseMeasuredStep *out)
{
  static const char *const known[] = { "format",       "version",   "complete", "date",
                                       "took_s",       "framework", "layer",    "machine",
                                       "measurements", "software",  NULL };
  const ShardwiseNode *layer = get_member (job, root, "layer", SHARDWISE_NODE_MAP),
                      *machine = get_member (job, root, "machine", SHARDWISE_NODE_MAP),
                      *measurements = get_member (job, root, "measurements", SHARDWISE_NODE_LIST);
  const char *framework = get_text (job, root, "framework"), *gpu;
  const int index = sw_name_index (sw_framework_names, framework);
  guint failed = 0;

  memset (out, 0, sizeof *out);
  check_keys (job, root, known, NULL);
  if (index < 0 || index == SW_FRAMEWORK_ANY)
    shardwise_import_fail (job, root, "framework", "%s",
                           _ ("unknown framework; allowed: what a probe writes"));
  if (job->error != NULL)
    return 0;
  gpu = get_text (job, machine, "gpu");
  if (gpu[0] == '\0' || strlen (gpu) >= sizeof out->gpu)
    shardwise_import_fail (job, machine, "gpu", "%s", _ ("no name; allowed: the name of a GPU"));
  out->framework = (guint) MAX (index, 0);
  read_layer (job, layer, out);
  for (guint i = 0; job->error == NULL && i < measurements->items->len; i++)
    failed += read_step_row (job, measurements->items->pdata[i], out);
  g_strlcpy (out->gpu, gpu, sizeof out->gpu);
  return failed;
}

/* ---- a machine, by a probe ---- */

/* Bandwidth bounds messages from this size on. */
#define LARGE_BYTES (16.0 * 1024 * 1024)

/* Thresholds of warnings. The first three are judgments: repeats of a product differ by 1 to 3
 * %. */
#define SLOW_GPU 0.92
#define SLOW_NODE 0.95
#define THROTTLED 0.93
#define SLOW_KERNELS 0.75
#define SLOW_LINK 0.5

#define N_OPERATIONS (SW_COLLECTIVE_P2P + 1)

typedef struct {
  double logarithm; /* logarithm of measured over predicted seconds */
  double spread;
} Sample;

typedef struct {
  ShardwiseImportJob *job;
  SwProblem base; /* the machine with the catalog's figures */
  GArray *samples[SHARDWISE_N_FIGURES];
  GArray *first_rates, *rates, *nodes; /* for each rank: double, double, guint */
  guint processes, per_node;           /* of the current probe */
  guint most_processes, most_per_node; /* of the probe with the most processes */
  guint n_failed;
  double overlap_s[N_OPERATIONS][3]; /* compute, communication, both; 0: not measured */
} Probe;

static guint
count_at (Probe *self, const ShardwiseNode *map, const char *key, guint most)
{
  return (guint) get_number (self->job, map, key, 1, most);
}

/* ---- the machine ---- */

/* The match between a GPU of the catalog and a driver's name ("NVIDIA H100 80GB HBM3"): the name
 * must contain its number, should contain its form, and the memory must be the same. */
static double
likeness (const SwGpu *gpu, char **words, double memory_gb)
{
  g_auto (GStrv) parts = g_strsplit (gpu->id, "-", -1);
  gboolean is_named = FALSE;
  double score = -10 * fabs (gpu->memory_gb / MAX (memory_gb, 1) - 1);

  for (guint i = 0; parts[i] != NULL; i++)
    {
      const gboolean is_number = strpbrk (parts[i], "0123456789") != NULL,
                     is_memory = is_number && strspn (parts[i], "0123456789") == strlen (parts[i])
                                 && strlen (parts[i]) < 4;
      gboolean found = FALSE;

      for (guint w = 0; words[w] != NULL && !found; w++)
        found = g_str_equal (words[w], parts[i])
                || (g_str_equal (parts[i], "sxm") && g_str_has_prefix (words[w], "sxm"));
      if (is_memory && !found)
        continue;
      is_named = is_named || (is_number && found);
      if (is_number && !found && !is_named)
        return -G_MAXDOUBLE;
      score += found ? 10 : -5;
    }
  return is_named ? score : -G_MAXDOUBLE;
}

/* (transfer full) (nullable): the id of the GPU with the driver's name @name. */
static char *
find_gpu (const char *name, double memory_gib)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  g_autoptr (GListModel) gpus = shardwise_catalogue_gpus (catalogue);
  g_autofree char *lower = g_ascii_strdown (name, -1);
  g_auto (GStrv) words = g_strsplit_set (lower, " -/", -1);
  g_autofree char *best = NULL;
  double most = -G_MAXDOUBLE;

  for (guint i = 0; i < g_list_model_get_n_items (gpus); i++)
    {
      g_autoptr (GObject) entry = g_list_model_get_item (gpus, i);
      g_autofree char *id = NULL;
      double score;

      g_object_get (entry, "id", &id, NULL);
      score = likeness (shardwise_catalogue_find_gpu (catalogue, id), words,
                        memory_gib * SW_GIB / SW_GB);
      if (score <= most)
        continue;
      most = score;
      g_free (best);
      best = g_steal_pointer (&id);
    }
  return g_steal_pointer (&best);
}

/* The catalog's machine with that number of GPUs, as the engine's question. */
static gboolean
resolve_base (Probe *self, const char *gpu)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  const struct {
    ShardwiseKeyId key;
    GVariant *value;
  } values[] = {
    { SHARDWISE_KEY_CLUSTER_GPU, g_variant_new_string (gpu) },
    { SHARDWISE_KEY_CLUSTER_GPUS, g_variant_new_int64 (self->processes) },
    { SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE, g_variant_new_int64 (self->per_node) },
  };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    shardwise_scenario_set (scenario, values[i].key, values[i].value, NULL);
  if (shardwise_scenario_resolve (scenario, &self->base, NULL, NULL))
    return TRUE;
  shardwise_scenario_set (scenario, SHARDWISE_KEY_CLUSTER_INTER_NODE,
                          g_variant_new_string ("ethernet"), NULL);
  return shardwise_scenario_resolve (scenario, &self->base, NULL, &self->job->error);
}

/* ---- measurements ---- */

static void
add_sample (Probe *self, ShardwiseFigureId id, double predicted_s, double seconds, double spread)
{
  const Sample sample = { log (seconds / predicted_s), spread };

  if (predicted_s > 0 && seconds > 0)
    g_array_append_val (self->samples[id], sample);
}

static void
read_gemm (Probe *self, const ShardwiseNode *map, double seconds, double spread)
{
  const char *precision = get_text (self->job, map, "precision"),
             *plain = self->base.cluster.gpu.peak_bf16_flops_per_s > 0 ? "bf16" : "fp16";
  const double m = get_number (self->job, map, "m", 1, 1e9),
               n = get_number (self->job, map, "n", 1, 1e9),
               k = get_number (self->job, map, "k", 1, 1e9);
  const gboolean fp8 = g_str_equal (precision, "fp8");
  SwRates rates;
  double predicted_s, bytes;

  if (!fp8 && !g_str_equal (precision, plain))
    return;
  shardwise_machine_rates (&self->base, fp8, &rates);
  predicted_s = sw_rates_gemm (&rates, rates.linear_flops_per_s, rates.linear_bytes, m, n, k);
  bytes = rates.linear_bytes * k * (m + n) + 2 * m * n;
  /* Products bound by memory are no measure of arithmetic. */
  if (bytes / rates.stream_bytes_per_s < 0.7 * predicted_s)
    add_sample (self, fp8 ? SHARDWISE_FIGURE_GEMM_FP8 : SHARDWISE_FIGURE_GEMM, predicted_s, seconds,
                spread);
}

static void
read_attention (Probe *self, const ShardwiseNode *map, double seconds, double spread)
{
  const double tokens = get_number (self->job, map, "tokens", 1, 1e9),
               sequences = get_number (self->job, map, "sequences", 1, 1e9),
               heads = get_number (self->job, map, "heads", 1, 1e6),
               size = get_number (self->job, map, "head_size", 1, 1e4);
  const gboolean backward = g_str_equal (get_text (self->job, map, "pass"), "backward");
  SwRates rates;

  shardwise_machine_rates (&self->base, FALSE, &rates);
  add_sample (self, SHARDWISE_FIGURE_ATTENTION,
              sw_rates_attention (&rates, sequences, heads, tokens, tokens / 2, size, backward),
              seconds, spread);
}

static void
read_memory (Probe *self, const ShardwiseNode *map, double seconds, double spread)
{
  const double bytes = get_number (self->job, map, "bytes", 1, 1e15);

  get_text (self->job, map, "kernel");
  add_sample (self, SHARDWISE_FIGURE_MEMORY, bytes / sw_stream_bytes_per_s (&self->base), seconds,
              spread);
}

static void
read_host_copy (Probe *self, const ShardwiseNode *map, double seconds, double spread)
{
  const double bytes = get_number (self->job, map, "bytes", 1, 1e15);

  get_text (self->job, map, "direction");
  add_sample (self, SHARDWISE_FIGURE_HOST_COPY,
              bytes / sw_host_link_bytes_per_s (&self->base, FALSE), seconds, spread);
}

static void
read_launch (Probe *self, const ShardwiseNode *map, double seconds, double spread)
{
  const double passes = g_str_equal (get_text (self->job, map, "pass"), "both") ? 2 : 1;

  if (g_str_equal (get_text (self->job, map, "mode"), "eager"))
    add_sample (self, SHARDWISE_FIGURE_LAUNCH,
                passes * shardwise_machine_expected (&self->base, SHARDWISE_FIGURE_LAUNCH), seconds,
                spread);
}

static void
read_collective (Probe *self, const ShardwiseNode *map, double seconds, double spread)
{
  const int kind = sw_name_index (sw_collective_names, get_text (self->job, map, "operation"));
  const SwGroup group = { count_at (self, map, "ranks", 1 << 20),
                          count_at (self, map, "stride", 1 << 20) };
  const double bytes = get_number (self->job, map, "bytes", 1, 1e15);
  gboolean inside, network;

  if (kind < 0)
    shardwise_import_fail (
        self->job, map, "operation", "%s",
        _ ("unknown; allowed: all-reduce, all-gather, reduce-scatter, all-to-all, p2p"));
  if (self->job->error != NULL || bytes < LARGE_BYTES || group.size < 2)
    return;
  sw_collective_links (&self->base.cluster, (SwCollective) kind, group, &inside, &network);
  add_sample (self, network ? SHARDWISE_FIGURE_INTER : SHARDWISE_FIGURE_INTRA,
              sw_collective_seconds (&self->base, (SwCollective) kind, group, bytes, 1), seconds,
              spread);
}

static void
read_overlap (Probe *self, const ShardwiseNode *map, double seconds, double spread)
{
  static const char *const words[] = { "compute", "communication", "both", NULL };
  const int index = sw_name_index (words, get_text (self->job, map, "what"));
  /* The first probes only had an all-reduce. */
  const int kind = shardwise_node_member (map, "operation") != NULL
                       ? sw_name_index (sw_collective_names, get_text (self->job, map, "operation"))
                       : SW_COLLECTIVE_ALL_REDUCE;

  if (index >= 0 && kind >= 0)
    self->overlap_s[kind][index] = seconds;
}

/* Compares bytes instead of times with the model's own figure. */
static void
read_footprint (Probe *self, const ShardwiseNode *map)
{
  const ShardwiseFigureId id = g_str_equal (get_text (self->job, map, "of"), "context")
                                   ? SHARDWISE_FIGURE_CONTEXT
                                   : SHARDWISE_FIGURE_COMMUNICATOR;
  const double bytes = get_number (self->job, map, "bytes", 0, 1e12);

  /* Later groups reuse the allocations of the first. */
  if (bytes >= 1e6)
    add_sample (self, id, shardwise_machine_expected (&self->base, id), bytes, 0.1);
}

/* A table of measurements; entries that are only displayed have no reader. */
static const struct {
  const char *kind, *keys[7]; /* own keys */
  void (*read) (Probe *self, const ShardwiseNode *map, double seconds, double spread);
} kinds[] = {
  { "gemm", { "precision", "m", "n", "k" }, read_gemm },
  { "attention", { "pass", "sequences", "heads", "tokens", "head_size" }, read_attention },
  { "memory", { "kernel" }, read_memory },
  { "host-copy", { "direction" }, read_host_copy },
  { "launch", { "mode", "pass" }, read_launch },
  { "collective", { "operation", "ranks", "stride" }, read_collective },
  { "overlap", { "what", "operation" }, read_overlap },
  { "footprint", { "of", "ranks", "stride" }, NULL },
  { "load", { "samples" }, NULL },
  { "section", { "title" }, NULL },
};

static void
read_measurement (Probe *self, const ShardwiseNode *map)
{
  static const char *const common[] = { "kind",   "flops",   "bytes",  "bytes_held", "seconds",
                                        "spread", "repeats", "failed", NULL };
  const char *kind = map->type == SHARDWISE_NODE_MAP ? get_text (self->job, map, "kind") : "";
  guint i = 0;
  double seconds, spread;

  while (i < G_N_ELEMENTS (kinds) && !g_str_equal (kinds[i].kind, kind))
    i++;
  if (i == G_N_ELEMENTS (kinds))
    shardwise_import_fail (
        self->job, map, "measurements", "%s",
        _ ("unknown measurement; allowed kinds: gemm, attention, memory, host-copy, launch, "
           "collective, overlap, footprint, load, section"));
  if (self->job->error != NULL || !check_keys (self->job, map, common, kinds[i].keys))
    return;
  if (shardwise_node_member (map, "failed") != NULL)
    self->n_failed++;
  else if (g_str_equal (kind, "footprint"))
    read_footprint (self, map);
  else if (kinds[i].read != NULL)
    {
      seconds = get_number (self->job, map, "seconds", 1e-9, 1e6);
      spread = get_number (self->job, map, "spread", 0, 1e3);
      kinds[i].read (self, map, seconds, MIN (spread, 1));
    }
}

/* ---- ranks ---- */

static void
read_rank (Probe *self, const ShardwiseNode *map)
{
  static const char *const names[] = { "first_flops_per_s", "flops_per_s" };
  GArray *const rates[] = { self->first_rates, self->rates };
  guint node;

  if (map->type != SHARDWISE_NODE_MAP)
    {
      shardwise_import_fail (self->job, map, "ranks", "%s", _ ("must be an object"));
      return;
    }
  node = (guint) get_number (self->job, map, "node", 0, 1e6);
  g_array_append_val (self->nodes, node);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const ShardwiseNode *value = shardwise_node_member (map, names[i]);
      double rate = 0; /* null: it failed */

      if (value != NULL && value->type != SHARDWISE_NODE_NULL)
        rate = get_number (self->job, map, names[i], 0, 1e18);
      g_array_append_val (rates[i], rate);
    }
}

/* The median of positive numbers; 0 for an empty list. @node: (nullable): only the ranks of that
 * node. */
static double
median_of (const GArray *values, const GArray *nodes, const guint *node)
{
  g_autoptr (GArray) some = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < values->len; i++)
    if (g_array_index (values, double, i) > 0
        && (node == NULL || g_array_index (nodes, guint, i) == *node))
      g_array_append_val (some, g_array_index (values, double, i));
  return sw_median (some);
}

/* ---- findings ---- */

static void
say_slow_ranks (Probe *self)
{
  const double usual = median_of (self->rates, NULL, NULL);
  guint said = G_MAXUINT; /* once per node for all of its GPUs */

  for (guint i = 0; i < self->rates->len && usual > 0; i++)
    {
      const double rate = g_array_index (self->rates, double, i);
      const guint node = g_array_index (self->nodes, guint, i);
      const double of_node = median_of (self->rates, self->nodes, &node);
      g_autofree char *share = shardwise_format_percent (rate / usual),
                      *node_share = shardwise_format_percent (of_node / usual);

      if (self->per_node > 1 && self->processes > self->per_node && of_node > 0
          && of_node < SLOW_NODE * usual && node != said)
        {
          said = node;
          shardwise_import_find (self->job, SHARDWISE_SEVERITY_WARNING, "straggler-node",
                                 /* Translators: the number of a node, a percentage */
                                 _ ("Node %u computes at %s of the rate of the others, and all "
                                    "nodes wait for it. Check its temperatures, its power limit "
                                    "and other processes on it, or exclude it."),
                                 node, node_share);
        }
      else if (rate > 0 && rate < SLOW_GPU * usual && node != said)
        shardwise_import_find (self->job, SHARDWISE_SEVERITY_WARNING, "slow-gpu",
                               /* Translators: the number of a GPU, a percentage */
                               _ ("GPU %u computes at %s of the rate of the others, and all GPUs "
                                  "wait for it. Check its power limit and clocks (nvidia-smi -q -d "
                                  "PERFORMANCE), its cooling, and other processes on it."),
                               i, share);
    }
}

static void
say_throttling (Probe *self)
{
  const double first = median_of (self->first_rates, NULL, NULL),
               last = median_of (self->rates, NULL, NULL);
  g_autofree char *share = first > 0 ? shardwise_format_percent (last / first) : NULL;

  if (first > 0 && last > 0 && last < THROTTLED * first)
    shardwise_import_find (
        self->job, SHARDWISE_SEVERITY_WARNING, "throttling",
        /* Translators: a percentage */
        _ ("At the end, the GPUs computed at %s of their initial rate: heat or power limits them. "
           "Check temperatures, fans and the power limit (nvidia-smi -q -d PERFORMANCE,POWER). A "
           "long training runs at the lower rate."),
        share);
}

static void
say_overlap (Probe *self)
{
  double most = 0;
  g_autofree char *share = NULL;

  for (guint i = 0; i < N_OPERATIONS; i++)
    {
      const double *s = self->overlap_s[i];

      if (s[0] > 0 && s[1] > 0)
        most = MAX (most, s[2] / MAX (s[0], s[1]));
    }
  if (most <= 1.3)
    return;
  share = shardwise_format_percent (most - 1);
  shardwise_import_find (
      self->job, SHARDWISE_SEVERITY_INFO, "overlap",
      /* Translators: a percentage */
      _ ("Matrix products and a collective that run at the same time take up to %s longer than the "
         "slower of them alone. Communication that a framework hides costs this much here."),
      share);
}

/* For each figure: the share of the catalog's figure below which a finding is added, and its
 * text. */
static void
say_figure (Probe *self, ShardwiseFigureId id, double share)
{
  g_autofree char *percentage = shardwise_format_percent (share);
  const gboolean is_pcie = self->base.cluster.intra.is_pcie;

  if (id == SHARDWISE_FIGURE_GEMM && share < SLOW_KERNELS)
    shardwise_import_find (self->job, SHARDWISE_SEVERITY_WARNING, "slow-products",
                           /* Translators: a percentage */
                           _ ("Matrix products reach %s of what this GPU usually reaches. Check "
                              "the power limit and the clocks (nvidia-smi -q -d CLOCK,POWER), "
                              "other processes, and the versions of driver and PyTorch."),
                           percentage);
  else if (id == SHARDWISE_FIGURE_MEMORY && share < SLOW_KERNELS)
    shardwise_import_find (
        self->job, SHARDWISE_SEVERITY_WARNING, "slow-memory",
        /* Translators: a percentage */
        _ ("GPU memory reaches %s of the bandwidth that this GPU usually reaches. Check for memory "
           "errors (nvidia-smi -q -d ECC), MIG, and other processes."),
        percentage);
  else if (id == SHARDWISE_FIGURE_INTRA && share < SLOW_LINK)
    shardwise_import_find (
        self->job, SHARDWISE_SEVERITY_WARNING, is_pcie ? "slow-pcie" : "nvlink-missing",
        is_pcie
            /* Translators: a percentage */
            ? _ ("Collectives within the node reach %s of what PCIe usually reaches. Check the "
                 "width of the slots (nvidia-smi -q -d PCIE), and that the GPUs access each other "
                 "without the host (NCCL_DEBUG=INFO shows P2P; ACS and IOMMU are off).")
            : _ (
                "Collectives within the node reach %s of what NVLink usually reaches, as if they "
                "used PCIe. Check nvidia-smi topo -m and nvidia-smi nvlink -s, the fabric manager, "
                "NCCL_P2P_DISABLE, and that the container shares memory between processes."),
        percentage);
  else if (id == SHARDWISE_FIGURE_INTER && share < SLOW_LINK)
    shardwise_import_find (
        self->job, SHARDWISE_SEVERITY_WARNING, "network-slow",
        /* Translators: a percentage */
        _ ("Collectives between nodes reach %s of what this network usually reaches, as if they "
           "went through host memory. Check that GPUDirect RDMA is available (NCCL_DEBUG=INFO "
           "shows GDRDMA; nvidia_peermem or DMA-BUF), which adapters are used (NCCL_IB_HCA), and "
           "that each GPU has its own."),
        percentage);
}

/* ---- the scenario ---- */

/* The median of a figure's samples, and its error. */
static void
settle (Probe *self, ShardwiseFigureId id, ShardwiseMeasurement *out)
{
  GArray *samples = self->samples[id];
  const double expected = shardwise_machine_expected (&self->base, id);
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (double)),
                     spreads = g_array_new (FALSE, FALSE, sizeof (double)),
                     distances = g_array_new (FALSE, FALSE, sizeof (double));
  double ratio;

  if (expected <= 0)
    return;
  for (guint i = 0; i < samples->len; i++)
    {
      const Sample *sample = &g_array_index (samples, Sample, i);
      const double value = exp (sample->logarithm), spread = sample->spread + 1e-6;

      g_array_append_val (values, value);
      g_array_append_val (spreads, spread);
    }
  ratio = median_of (values, NULL, NULL);
  for (guint i = 0; i < values->len; i++)
    {
      const double distance = fabs (log (g_array_index (values, double, i) / ratio)) + 1e-6;

      g_array_append_val (distances, distance);
    }
  /* A rate falls with a longer time; times and bytes are used as measured. */
  out->value = shardwise_figure_is_rate (id) ? expected / ratio : expected * ratio;
  /* The error of the median, from the median distance (the normal deviation is 1.4826 times
   * that). */
  out->spread = MAX (median_of (spreads, NULL, NULL),
                     1.4826 * median_of (distances, NULL, NULL) / sqrt (samples->len));
  if (id != SHARDWISE_FIGURE_LAUNCH)
    say_figure (self, id, out->value / expected);
}

/* Measurements are of the first rank at the beginning; long training runs at the rate of the
 * slowest rank at the end. */
static double
sustained_share (const Probe *self)
{
  double least = G_MAXDOUBLE;

  for (guint i = 0; i < self->rates->len; i++)
    if (g_array_index (self->rates, double, i) > 0)
      least = MIN (least, g_array_index (self->rates, double, i));
  if (self->rates->len == 0 || g_array_index (self->first_rates, double, 0) <= 0)
    return 1;
  return CLAMP (least / g_array_index (self->first_rates, double, 0), 0.2, 1);
}

/* (transfer full) (nullable): the object in cluster.gpu of the current scenario. */
static JsonNode *
get_object (Probe *self)
{
  g_autofree char *text = self->job->base != NULL ? shardwise_scenario_get_string (
                              self->job->base, SHARDWISE_KEY_CLUSTER_GPU)
                                                  : NULL;

  return text != NULL && text[0] == '{' ? shardwise_json_parse (text, strlen (text), NULL) : NULL;
}

static void
put_object (Probe *self, JsonNode *node)
{
  g_autofree char *text = g_strstrip (shardwise_json_to_string (node));

  shardwise_import_put_word (self->job, SHARDWISE_KEY_CLUSTER_GPU, text);
}

/* The section of a scenario's object; NULL if it is absent. */
static JsonObject *
get_measured (JsonNode *node)
{
  JsonObject *object = node != NULL ? json_node_get_object (node) : NULL;

  return object != NULL && json_object_has_member (object, "measured")
                 && JSON_NODE_HOLDS_OBJECT (json_object_get_member (object, "measured"))
             ? json_object_get_object_member (object, "measured")
             : NULL;
}

/* Adds one layer to the other data on the GPU in the current scenario, even if the layer ran on
 * another GPU; without a scenario, the GPU is the one of the layer. @found: (nullable): its id. */
static void
put_step (Probe *self, const ShardwiseMachine *machine, const char *found)
{
  g_autofree SwProblem *here = g_new0 (SwProblem, 1);
  const char *id = self->job->base != NULL
                           && shardwise_scenario_resolve (self->job->base, here, NULL, NULL)
                       ? here->cluster.gpu.id
                       : found;
  g_autoptr (JsonNode) node = get_object (self);
  JsonObject *section = get_measured (node);

  if (id == NULL)
    {
      shardwise_import_find (
          self->job, SHARDWISE_SEVERITY_WARNING, "gpu-unknown",
          _ ("“%.60s” is not a GPU of the catalog: nothing from this probe is used."),
          machine->step.gpu);
      return;
    }
  if (g_strcmp0 (id, found) != 0)
    shardwise_import_find (self->job, SHARDWISE_SEVERITY_WARNING, "step-elsewhere",
                           /* Translators: names of two GPUs */
                           _ ("The layer ran on “%.60s”, but the prediction is for %s."),
                           machine->step.gpu, here->cluster.gpu.name);
  if (node == NULL)
    {
      node = shardwise_json_take_object (json_object_new ());
      json_object_set_string_member (json_node_get_object (node), "base", id);
    }
  if (section != NULL)
    json_object_set_object_member (section, "step", shardwise_step_to_json (&machine->step));
  else
    json_object_set_member (json_node_get_object (node), "measured",
                            shardwise_machine_to_json (machine));
  put_object (self, node);
  if (self->job->base == NULL)
    shardwise_import_put_world (self->job, self->processes, self->per_node);
}

/* The number of GPUs per node, if the probe shows it: from several nodes, or from as many GPUs as
 * the scenario has in one. Fewer may be a part of a node, such as its first GPU. 0: unknown. */
static guint
known_per_node (const Probe *self)
{
  g_autofree SwProblem *here = g_new0 (SwProblem, 1);

  return self->job->base == NULL || self->processes > self->per_node
                 || !shardwise_scenario_resolve (self->job->base, here, NULL, NULL)
                 || self->per_node >= here->cluster.gpus_per_node
             ? self->per_node
             : 0;
}

/* The catalog's GPU with the measured figures, as the object in a scenario. */
static void
put_machine (Probe *self, const ShardwiseMachine *machine)
{
  JsonObject *object = json_object_new ();
  g_autoptr (JsonNode) node = shardwise_json_take_object (object), before = get_object (self);
  JsonNode *measured = shardwise_machine_to_json (machine);
  JsonObject *old = get_measured (before);
  /* Translators: the name of a GPU, a date */
  g_autofree char *name = g_strdup_printf (_ ("%s, measured %s"), self->base.cluster.gpu.name,
                                           machine->date);

  /* A previously measured layer stays next to it. */
  if (old != NULL && machine->step.gpu[0] == '\0' && json_object_has_member (old, "step"))
    json_object_set_member (json_node_get_object (measured), "step",
                            json_node_copy (json_object_get_member (old, "step")));
  json_object_set_string_member (object, "base", self->base.cluster.gpu.id);
  json_object_set_string_member (object, "name", name);
  json_object_set_member (object, "measured", measured);
  put_object (self, node);
  shardwise_import_put_world (self->job, self->job->base == NULL ? self->processes : 0,
                              known_per_node (self));
  /* A link in the scenario may differ from the measured one, so it is removed. */
  if (machine->figure[SHARDWISE_FIGURE_INTRA].value > 0)
    {
      shardwise_scenario_reset (self->job->out->scenario, SHARDWISE_KEY_CLUSTER_INTRA_NODE);
      shardwise_scenario_reset (self->job->out->scenario, SHARDWISE_KEY_CLUSTER_INTRA_NODE_GB_S);
    }
  if (machine->figure[SHARDWISE_FIGURE_INTER].value > 0)
    {
      shardwise_scenario_reset (self->job->out->scenario, SHARDWISE_KEY_CLUSTER_INTER_NODE);
      shardwise_scenario_reset (self->job->out->scenario, SHARDWISE_KEY_CLUSTER_INTER_NODE_GB_S);
    }
}

static void
read_report (Probe *self, const ShardwiseNode *root)
{
  static const char *const known[] = { "format", "version",      "complete", "date",
                                       "quick",  "took_s",       "machine",  "software",
                                       "ranks",  "measurements", NULL };
  const ShardwiseNode *measurements = get_member (self->job, root, "measurements",
                                                  SHARDWISE_NODE_LIST),
                      *ranks = get_member (self->job, root, "ranks", SHARDWISE_NODE_LIST);

  check_keys (self->job, root, known, NULL);
  for (guint i = 0; self->job->error == NULL && i < measurements->items->len; i++)
    read_measurement (self, measurements->items->pdata[i]);
  for (guint i = 0; self->job->error == NULL && i < ranks->items->len; i++)
    read_rank (self, ranks->items->pdata[i]);
  if (shardwise_node_member (root, "complete") != NULL
      && shardwise_node_member (root, "complete")->number == 0)
    shardwise_import_warn (self->job,
                           _ ("The probe ended early: the catalog provides the missing values."));
}

/* @name: (out): the name of its GPU. Returns: the GPU's id, or NULL if unknown. */
static char *
read_machine (Probe *self, const ShardwiseNode *root, const char **name)
{
  const ShardwiseNode *machine = get_member (self->job, root, "machine", SHARDWISE_NODE_MAP);
  double memory_gib = 0;

  if (get_number (self->job, root, "version", 1, 1e6) > 1)
    shardwise_import_fail (self->job, shardwise_node_member (root, "version"), "version", "%s",
                           _ ("written by a newer version; allowed: 1"));
  if (machine == NULL || self->job->error != NULL)
    return NULL;
  *name = get_text (self->job, machine, "gpu");
  self->processes = count_at (self, machine, "processes", 131072);
  self->per_node = MIN (count_at (self, machine, "per_node", 1024), self->processes);
  if (self->processes > self->most_processes)
    {
      self->most_processes = self->processes;
      self->most_per_node = self->per_node;
    }
  if (g_str_equal (get_text (self->job, machine, "kind"), "cpu") || self->job->error != NULL)
    return NULL;
  memory_gib = get_number (self->job, machine, "memory_gib", 0.1, 1e4);
  return find_gpu (*name, memory_gib);
}

static void
read_probes (Probe *self, GPtrArray *parts)
{
  ShardwiseMachine machine = { .date = "" };
  g_autofree char *gpu = NULL;
  const char *name = "", *first = NULL;
  gboolean measured = FALSE, is_step;
  GDate date;

  for (guint i = 0; i < parts->len && self->job->error == NULL; i++)
    {
      const ShardwiseNode *root = ((const ShardwiseImportPart *) parts->pdata[i])->root;
      g_autofree char *found = NULL;

      self->job->part = parts->pdata[i]; /* so that errors refer to the right file */
      found = read_machine (self, root, &name);
      is_step = shardwise_node_is_text (shardwise_node_member (root, "format"),
                                        "shardwise-step-probe");
      if (self->job->error != NULL)
        return;
      if (first != NULL && !g_str_equal (first, name))
        {
          shardwise_import_fail (self->job, root, "machine.gpu", "%s",
                                 _ ("the probes are from different GPUs; allowed: one GPU type"));
          return;
        }
      if (found == NULL && !is_step)
        {
          shardwise_import_find (
              self->job, SHARDWISE_SEVERITY_WARNING, "gpu-unknown",
              /* Translators: the name of a GPU, or "CPU" */
              _ ("“%.60s” is not a GPU of the catalog: nothing from this probe is used."), name);
          return;
        }
      first = name;
      g_free (gpu);
      gpu = g_strdup (found);
      if (!is_step && !resolve_base (self, found))
        return;
      g_strlcpy (machine.date, get_text (self->job, root, "date"), sizeof machine.date);
      if (!shardwise_date_parse (machine.date, &date))
        shardwise_import_fail (self->job, shardwise_node_member (root, "date"), "date", "%s",
                               _ ("not a date; allowed: a date as YYYY-MM-DD"));
      if (is_step && self->job->error == NULL)
        self->n_failed += read_step (self->job, root, &machine.step);
      else if (self->job->error == NULL)
        read_report (self, root);
    }
  if (self->job->error != NULL)
    return;
  self->job->part = parts->pdata[0];
  self->processes = self->most_processes;
  self->per_node = self->most_per_node;
  for (guint i = 0; i < SHARDWISE_N_FIGURES; i++)
    {
      if (self->samples[i]->len > 0)
        settle (self, (ShardwiseFigureId) i, &machine.figure[i]);
      measured = measured || machine.figure[i].value > 0;
    }
  for (guint i = SHARDWISE_FIGURE_GEMM; i <= SHARDWISE_FIGURE_ATTENTION; i++)
    machine.figure[i].value *= sustained_share (self);
  say_slow_ranks (self);
  say_throttling (self);
  say_overlap (self);
  if (self->n_failed > 0)
    shardwise_import_warn (self->job,
                           ngettext ("%u measurement failed and is omitted.",
                                     "%u measurements failed and are omitted.", self->n_failed),
                           self->n_failed);
  if (measured)
    put_machine (self, &machine);
  else if (machine.step.gpu[0] != '\0')
    put_step (self, &machine, gpu);
}

/* Several probes of one cluster are read together, as part of the first. */
static void
read_file (ShardwiseImportJob *job)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new ();
  Probe self = { .job = job, .processes = 1, .per_node = 1 };

  for (guint i = 0; i < job->parts->len; i++)
    {
      const ShardwiseImportPart *part = job->parts->pdata[i];

      if (part->kind != SHARDWISE_IMPORT_PROBE)
        continue;
      if (parts->len == 0 && part != job->part)
        return;
      g_ptr_array_add (parts, (gpointer) part);
    }
  for (guint i = 0; i < SHARDWISE_N_FIGURES; i++)
    self.samples[i] = g_array_new (FALSE, FALSE, sizeof (Sample));
  self.first_rates = g_array_new (FALSE, FALSE, sizeof (double));
  self.rates = g_array_new (FALSE, FALSE, sizeof (double));
  self.nodes = g_array_new (FALSE, FALSE, sizeof (guint));
  read_probes (&self, parts);
  for (guint i = 0; i < SHARDWISE_N_FIGURES; i++)
    g_array_unref (self.samples[i]);
  g_array_unref (self.first_rates);
  g_array_unref (self.rates);
  g_array_unref (self.nodes);
}

const ShardwiseImportReader shardwise_import_probe = { "probe", N_ ("Measured cluster"),
                                                       SHARDWISE_N_FORMATS, read_file };
