/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values measured on the user's own machine, which replace the catalog's; and the library of
 * measured machines. */
#include "shardwise-machine.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-catalogue-read.h"
#include "shardwise-config.h"
#include "shardwise-file.h"
#include "shardwise-format.h"
#include "shardwise-json.h"
#include "sw-estimate.h"

/* A measurement beyond hundreds of times the expected rate is an error. */
#define MOST_RATIO 20.0

/* Half of the interval that contains nine in ten of a normal distribution. */
#define NORMAL_P90 1.645

/* The prior belief about a figure: which constants of calibration.json. */
typedef enum {
  BELIEF_GEMM,
  BELIEF_MEMORY,
  BELIEF_LOOSE_KERNEL, /* a step uses it in another form: other formats, a framework's own
                          kernels */
  BELIEF_INSIDE,       /* links of a scale-up domain */
  BELIEF_LAST_OF_KIND = BELIEF_INSIDE, /* up to here, runs on a GPU of that kind also count */
  BELIEF_LAUNCH,
  BELIEF_LINK,
  BELIEF_FOOTPRINT
} Belief;

/* The table of all figures. */
static const struct {
  const char *name;       /* name in the file, including its unit */
  double unit, low, high; /* of the number in the file, and its range */
  const char *title, *unit_name;
  Belief belief;
} figures[SHARDWISE_N_FIGURES] = {
  [SHARDWISE_FIGURE_GEMM] = { "gemm_tflops", 1e12, 1e-3, 1e5, N_ ("16-bit matrix products"),
                              N_ ("TFLOP/s"), BELIEF_GEMM },
  [SHARDWISE_FIGURE_GEMM_FP8] = { "gemm_fp8_tflops", 1e12, 1e-3, 1e5, N_ ("8-bit matrix products"),
                                  N_ ("TFLOP/s"), BELIEF_GEMM },
  [SHARDWISE_FIGURE_ATTENTION] = { "attention_tflops", 1e12, 1e-3, 1e5, N_ ("Attention"),
                                   N_ ("TFLOP/s"), BELIEF_LOOSE_KERNEL },
  [SHARDWISE_FIGURE_MEMORY] = { "memory_gb_s", SW_GB, 0.1, 1e6, N_ ("GPU memory"), N_ ("GB/s"),
                                BELIEF_MEMORY },
  [SHARDWISE_FIGURE_LAUNCH] = { "launch_us", 1e-6, 1, 1e6, N_ ("Kernel launches per layer"),
                                N_ ("µs"), BELIEF_LAUNCH },
  [SHARDWISE_FIGURE_HOST_COPY] = { "host_copy_gb_s", SW_GB, 1e-2, 1e5, N_ ("Copies to the host"),
                                   N_ ("GB/s"), BELIEF_LINK },
  [SHARDWISE_FIGURE_INTRA] = { "intra_node_gb_s", SW_GB, 1e-2, 1e5,
                               N_ ("Collectives within a node"), N_ ("GB/s"), BELIEF_LINK },
  [SHARDWISE_FIGURE_INTER] = { "inter_node_gb_s", SW_GB, 1e-3, 1e5,
                               N_ ("Collectives between nodes"), N_ ("GB/s"), BELIEF_LINK },
  [SHARDWISE_FIGURE_CONTEXT] = { "context_gb", SW_GB, 1e-3, 100, N_ ("Process context"), N_ ("GB"),
                                 BELIEF_FOOTPRINT },
  [SHARDWISE_FIGURE_COMMUNICATOR] = { "communicator_gb", SW_GB, 1e-3, 100,
                                      N_ ("Communicator buffer"), N_ ("GB"), BELIEF_FOOTPRINT },
};

/**
 * shardwise_figure_title:
 * @id: a figure
 *
 * Returns: (transfer none): its title, translated
 */
const char *
shardwise_figure_title (ShardwiseFigureId id)
{
  return _ (figures[id].title);
}

/**
 * shardwise_figure_text:
 * @id: a figure
 * @value: in its unit
 *
 * Returns: (transfer full): "687 TFLOP/s"
 */
char *
shardwise_figure_text (ShardwiseFigureId id, double value)
{
  g_autofree char *number = shardwise_format_significant (value / figures[id].unit);

  return g_strdup_printf ("%s %s", number, _ (figures[id].unit_name));
}

/**
 * shardwise_figure_is_rate:
 * @id: a figure
 *
 * Returns: whether higher is better: neither a time nor bytes
 */
gboolean
shardwise_figure_is_rate (ShardwiseFigureId id)
{
  return id != SHARDWISE_FIGURE_LAUNCH && id != SHARDWISE_FIGURE_CONTEXT
         && id != SHARDWISE_FIGURE_COMMUNICATOR;
}

/* ---- the file ---- */

/**
 * shardwise_machine_read:
 * @object: the section
 * @out: (out): zeroed first
 *
 * Returns: whether it is valid; else @error has the path
 */
gboolean
shardwise_machine_read (JsonObject *object, ShardwiseMachine *out, GError **error)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;

  memset (out, 0, sizeof *out);
  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &node))
    {
      guint id = 0;
      GDate date;

      if (g_str_equal (name, "date"))
        {
          if (json_node_get_value_type (node) != G_TYPE_STRING
              || !shardwise_date_parse (json_node_get_string (node), &date))
            return shardwise_measured_refuse (error, name,
                                              _ ("not a date; allowed: a date as YYYY-MM-DD"));
          g_strlcpy (out->date, json_node_get_string (node), sizeof out->date);
          continue;
        }
      if (g_str_equal (name, "step"))
        {
          if (!shardwise_step_read (node, &out->step, error))
            return FALSE;
          continue;
        }
      while (id < SHARDWISE_N_FIGURES && !g_str_equal (figures[id].name, name))
        id++;
      if (id == SHARDWISE_N_FIGURES)
        return shardwise_measured_refuse (
            error, name, _ ("unknown key; allowed: date and the figures that a probe measures"));
      if (!shardwise_measurement_read (node, name, figures[id].low, figures[id].high,
                                       &out->figure[id], error))
        return FALSE;
      out->figure[id].value *= figures[id].unit;
    }
  return out->date[0] != '\0' || shardwise_measured_refuse (error, "date", _ ("is required"));
}

/**
 * shardwise_machine_to_json:
 * @self: a machine
 *
 * Returns: (transfer full): the section
 */
JsonNode *
shardwise_machine_to_json (const ShardwiseMachine *self)
{
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "date", self->date);
  for (guint i = 0; i < SHARDWISE_N_FIGURES; i++)
    {
      const ShardwiseMeasurement figure = { self->figure[i].value / figures[i].unit,
                                            self->figure[i].spread };

      if (figure.value > 0)
        json_object_set_object_member (
            object, figures[i].name,
            shardwise_measurement_to_json (&figure, figures[i].low, figures[i].high));
    }
  if (self->step.gpu[0] != '\0')
    json_object_set_object_member (object, "step", shardwise_step_to_json (&self->step));
  return shardwise_json_take_object (object);
}

/* ---- the constants ---- */

/**
 * shardwise_machine_rates:
 * @problem: the cluster and the constants
 * @fp8: 8-bit linear layers, else 16-bit
 * @rates: (out): rates of isolated kernels in PyTorch, with its own flash kernel and no framework's
 *   kernels
 */
void
shardwise_machine_rates (const SwProblem *problem, gboolean fp8, SwRates *rates)
{
  const SwCalibration *c = problem->calibration;
  const SwGeneration generation = problem->cluster.gpu.generation;
  /* Isolated GEMMs are faster than those of a step, which share power and memory with other
   * kernels. The ratio is that of the generation's best measured GEMM to the rate that fits its
   * steps. */
  const double by_itself = c->generation[generation].best_gemm > 0
                               ? c->generation[generation].best_gemm
                                     / c->generation[generation].gemm_bf16
                               : 1;
  SwProblem bare = *problem;

  sw_software_state_flash (&bare.training.software, 2);
  sw_software_state (&bare.training.software, SW_FEATURE_FUSED_CASTS, TRUE);
  bare.training.type = SW_TRAINING_PRETRAIN;
  bare.training.precision = fp8                                          ? SW_PRECISION_FP8
                            : bare.cluster.gpu.peak_bf16_flops_per_s > 0 ? SW_PRECISION_BF16
                                                                         : SW_PRECISION_FP16;
  sw_rates_init (rates, &bare, SW_FRAMEWORK_FSDP2);
  rates->half_flops_per_s *= by_itself / rates->profile->gemm_factor;
  rates->linear_flops_per_s *= (fp8 ? 1 : by_itself) / rates->profile->gemm_factor;
}

static double
kernel_rate (const SwProblem *problem, ShardwiseFigureId id)
{
  SwRates rates;

  shardwise_machine_rates (problem, id == SHARDWISE_FIGURE_GEMM_FP8, &rates);
  return id == SHARDWISE_FIGURE_ATTENTION ? rates.attention_flops_per_s : rates.linear_flops_per_s;
}

/* Nominal rate of a link for one GPU. */
static double
link_rate (const SwCluster *cluster, const SwLink *link)
{
  return link->bytes_per_s / (link->shared_by_node ? MAX (cluster->gpus_per_node, 1) : 1);
}

static double *
link_efficiency (SwCalibration *calibration, const SwCluster *cluster, ShardwiseFigureId id)
{
  if (id == SHARDWISE_FIGURE_INTER)
    return &calibration->network_efficiency;
  return cluster->intra.is_pcie ? &calibration->pcie_efficiency : &calibration->nvlink_efficiency;
}

/**
 * shardwise_machine_expected:
 * @problem: the cluster and the constants
 * @id: a figure
 *
 * Returns: its value by the constants; 0 if the GPU does not support it
 */
double
shardwise_machine_expected (const SwProblem *problem, ShardwiseFigureId id)
{
  const SwCluster *cluster = &problem->cluster;
  SwCalibration c = *problem->calibration;

  switch (id)
    {
    case SHARDWISE_FIGURE_GEMM_FP8:
      return cluster->gpu.peak_fp8_flops_per_s > 0 ? kernel_rate (problem, id) : 0;
    case SHARDWISE_FIGURE_GEMM:
    case SHARDWISE_FIGURE_ATTENTION: return kernel_rate (problem, id);
    case SHARDWISE_FIGURE_MEMORY: return sw_stream_bytes_per_s (problem);
    case SHARDWISE_FIGURE_LAUNCH:
      return c.kernels[SW_KERNEL_CLASS_EAGER].launch_s_per_layer
             * c.generation[cluster->gpu.generation].host_factor;
    case SHARDWISE_FIGURE_HOST_COPY: return sw_host_link_bytes_per_s (problem, FALSE);
    case SHARDWISE_FIGURE_INTRA:
      return link_rate (cluster, &cluster->intra) * *link_efficiency (&c, cluster, id);
    case SHARDWISE_FIGURE_INTER:
      return link_rate (cluster, &cluster->inter) * *link_efficiency (&c, cluster, id);
    case SHARDWISE_FIGURE_CONTEXT: return c.context_bytes;
    case SHARDWISE_FIGURE_COMMUNICATOR: return c.nccl_bytes_per_group;
    case SHARDWISE_N_FIGURES:
    default: return 0;
    }
}

static Belief
belief_of (const SwProblem *base, ShardwiseFigureId id)
{
  return id == SHARDWISE_FIGURE_INTRA && !base->cluster.intra.is_pcie ? BELIEF_INSIDE
                                                                      : figures[id].belief;
}

/* How far the catalog's constant may differ from this machine's, and how far a probe's result may
 * differ from a step's, as standard deviations of the logarithm. */
static void
beliefs (const SwProblem *base, ShardwiseFigureId id, double *before, double *gap)
{
  const SwProbeBelief *b = &base->calibration->probe;
  const double kernel = sw_calibration_knows_gpu (base->calibration, base->cluster.gpu.id)
                            ? b->kernel_known
                            : b->kernel_unknown;
  const struct {
    double before, gap;
  } table[] = {
    [BELIEF_GEMM] = { kernel, b->kernel_gap },
    [BELIEF_MEMORY] = { kernel, b->memory_gap },
    [BELIEF_LOOSE_KERNEL] = { kernel, b->loose_gap },
    [BELIEF_INSIDE] = { b->link_inside, b->link_gap },
    [BELIEF_LAUNCH] = { b->launch, b->loose_gap },
    [BELIEF_LINK] = { b->link, b->link_gap },
    [BELIEF_FOOTPRINT] = { b->footprint, 0 },
  };

  *before = table[belief_of (base, id)].before;
  *gap = table[belief_of (base, id)].gap;
}

/* The share of the way from the constant to the measurement, where @off is the logarithm of their
 * ratio: the mean of two normal distributions, weighted by precision. A measurement slower than
 * chance and the catalog's uncertainty explain indicates a faulty machine and is believed (the
 * prior's variance becomes that of the measurement). A measurement faster than a kind with measured
 * steps differs from what a step sees, so the constant stays. */
static double
weight (const ShardwiseMachine *self, const SwProblem *base, ShardwiseFigureId id, double off)
{
  const double spread = self->figure[id].spread;
  const gboolean slower = shardwise_figure_is_rate (id) ? off < 0 : off > 0;
  double before, gap, noise;

  if (belief_of (base, id) <= BELIEF_LAST_OF_KIND && !slower
      && sw_calibration_knows_gpu (base->calibration, base->cluster.gpu.id))
    return 0;
  beliefs (base, id, &before, &gap);
  noise = gap * gap + spread * spread;
  before *= before;
  if (slower)
    before = MAX (before, off * off - noise);
  return before / (before + noise);
}

/* PyTorch's attention is FlashAttention 2 or, on newer GPUs, cuDNN's, which is as fast as 3. The
 * probe does not state which: the nearer one is assumed. */
static double
nearest_kernel (const SwProblem *base, double value, double expected)
{
  const SwGeneration generation = base->cluster.gpu.generation;
  const SwCalibration *c = base->calibration;
  double faster = expected;

  if (generation == SW_GENERATION_HOPPER)
    faster *= c->flash[2].hopper / c->flash[1].hopper;
  else if (generation > SW_GENERATION_HOPPER)
    faster *= c->flash[2].blackwell / c->flash[1].blackwell;
  return fabs (log (value / faster)) < fabs (log (value / expected)) ? faster : expected;
}

/**
 * shardwise_machine_row:
 * @self: a machine
 * @base: its cluster, with the catalog's constants
 * @id: a figure
 * @out: (out): it with the catalog's value
 *
 * Returns: whether it was measured and the catalog has a value
 */
gboolean
shardwise_machine_row (const ShardwiseMachine *self, const SwProblem *base, ShardwiseFigureId id,
                       ShardwiseMachineRow *out)
{
  const double value = self->figure[id].value;
  double expected = shardwise_machine_expected (base, id), off;

  if (id == SHARDWISE_FIGURE_ATTENTION && value > 0 && expected > 0)
    expected = nearest_kernel (base, value, expected);
  *out = (ShardwiseMachineRow){ value, self->figure[id].spread, expected, expected };
  if (value <= 0 || expected <= 0)
    return FALSE;
  off = log (CLAMP (value / expected, 1 / MOST_RATIO, MOST_RATIO));
  out->used = expected * exp (weight (self, base, id, off) * off);
  return TRUE;
}

/* Measurements of a card replace the values derived from its generation's best card. */
static void
apply_kernels (const SwProblem *base, const double factor[SHARDWISE_N_FIGURES], SwCalibration *out)
{
  const SwGpu *gpu = &base->cluster.gpu;
  const double peak = gpu->peak_bf16_flops_per_s > 0 ? gpu->peak_bf16_flops_per_s
                                                     : gpu->peak_fp16_flops_per_s;
  SwRates rates;
  double card;

  if (peak <= 0)
    return;
  sw_rates_init (&rates, base, SW_FRAMEWORK_FSDP2);
  card = rates.half_flops_per_s / rates.profile->gemm_factor
         / (peak * out->generation[gpu->generation].gemm_bf16);
  out->generation[gpu->generation].gemm_bf16 *= card * factor[SHARDWISE_FIGURE_GEMM];
  out->generation[gpu->generation].gemm_fp8 *= card * factor[SHARDWISE_FIGURE_GEMM_FP8];
  out->generation[gpu->generation].gemm_fp4 *= card * factor[SHARDWISE_FIGURE_GEMM_FP8];
  out->generation[gpu->generation].attention_flash *= card * factor[SHARDWISE_FIGURE_ATTENTION];
  /* So no factor of the card remains. */
  if (gpu->tdp_w > 0)
    out->generation[gpu->generation].w_per_tflops = gpu->tdp_w / (peak / 1e12);
  if (gpu->measured_bf16_flops_per_s > 0)
    out->generation[gpu->generation].best_gemm = gpu->measured_bf16_flops_per_s / peak;
  out->gemm_most = MAX (out->gemm_most, out->generation[gpu->generation].gemm_bf16);
}

/* Runs on equal machines also differ because of the machine, which is now measured; a GPU without
 * measured runs is no longer unknown. What is known about the machine is no longer part of the
 * error. */
static void
apply_interval (const ShardwiseMachine *self, const SwProblem *base, SwCalibration *out)
{
  const SwGpu *gpu = &base->cluster.gpu;
  const double machine = NORMAL_P90 * base->calibration->probe.kernel_known;

  if (self->figure[SHARDWISE_FIGURE_INTRA].value > 0)
    out->excuses |= SW_UNMEASURED_PCIE;
  if (self->figure[SHARDWISE_FIGURE_GEMM].value <= 0
      || self->figure[SHARDWISE_FIGURE_MEMORY].value <= 0)
    return;
  out->excuses |= SW_UNMEASURED_GPU | SW_UNMEASURED_FRAMEWORK;
  if (sw_calibration_knows_gpu (base->calibration, gpu->id))
    for (guint f = 0; f < SW_N_FRAMEWORKS; f++)
      for (guint kind = 0; kind < 4; kind++)
        {
          double *p90 = &out->residual[gpu->generation][f][kind / 2][kind % 2].time_p90;

          *p90 = sqrt (MAX (*p90 * *p90 - machine * machine, *p90 * *p90 / 4));
        }
}

/**
 * shardwise_machine_apply:
 * @self: a machine
 * @base: its cluster, with the catalog's constants
 * @out: (out): those constants, with measured values instead of the catalog's
 */
void
shardwise_machine_apply (const ShardwiseMachine *self, const SwProblem *base, SwCalibration *out)
{
  const SwCluster *cluster = &base->cluster;
  double factor[SHARDWISE_N_FIGURES];
  gboolean has[SHARDWISE_N_FIGURES];

  memcpy (out, base->calibration, sizeof *out); /* including padding: it is compared as bytes */
  for (guint i = 0; i < SHARDWISE_N_FIGURES; i++)
    {
      ShardwiseMachineRow row;

      has[i] = shardwise_machine_row (self, base, (ShardwiseFigureId) i, &row);
      factor[i] = has[i] ? row.used / row.expected : 1;
    }
  /* Arithmetic in other formats, and attention, deviate as much as GEMMs unless they are
   * measured. */
  if (!has[SHARDWISE_FIGURE_GEMM_FP8])
    factor[SHARDWISE_FIGURE_GEMM_FP8] = factor[SHARDWISE_FIGURE_GEMM];
  if (!has[SHARDWISE_FIGURE_ATTENTION])
    factor[SHARDWISE_FIGURE_ATTENTION] = factor[SHARDWISE_FIGURE_GEMM];
  if (has[SHARDWISE_FIGURE_GEMM] || has[SHARDWISE_FIGURE_GEMM_FP8]
      || has[SHARDWISE_FIGURE_ATTENTION])
    apply_kernels (base, factor, out);
  out->generation[cluster->gpu.generation].hbm *= factor[SHARDWISE_FIGURE_MEMORY];
  out->generation[cluster->gpu.generation].host_factor *= factor[SHARDWISE_FIGURE_LAUNCH];
  out->pcie_copy_efficiency *= factor[SHARDWISE_FIGURE_HOST_COPY];
  out->superchip_host_bytes_per_s *= factor[SHARDWISE_FIGURE_HOST_COPY];
  *link_efficiency (out, cluster, SHARDWISE_FIGURE_INTRA) *= factor[SHARDWISE_FIGURE_INTRA];
  *link_efficiency (out, cluster, SHARDWISE_FIGURE_INTER) *= factor[SHARDWISE_FIGURE_INTER];
  out->context_bytes *= factor[SHARDWISE_FIGURE_CONTEXT];
  out->nccl_bytes_per_group *= factor[SHARDWISE_FIGURE_COMMUNICATOR];
  apply_interval (self, base, out);
}

/* Whether the figure matters for a job on this cluster. */
static gboolean
applies (const SwProblem *base, ShardwiseFigureId id)
{
  if (id == SHARDWISE_FIGURE_INTER)
    return base->cluster.gpus > base->cluster.gpus_per_node;
  return base->cluster.gpus > 1
         || (id != SHARDWISE_FIGURE_INTRA && id != SHARDWISE_FIGURE_COMMUNICATOR);
}

/**
 * shardwise_machine_add_notes:
 * @self: a machine
 * @base: its cluster, with the catalog's constants
 * @notes: notes of an answer
 *
 * Lists which figures are measured and which are not.
 */
void
shardwise_machine_add_notes (const ShardwiseMachine *self, const SwProblem *base, GPtrArray *notes)
{
  g_autoptr (GString) is = g_string_new (NULL), is_not = g_string_new (NULL);

  for (guint i = 0; i < SHARDWISE_N_FIGURES; i++)
    {
      ShardwiseMachineRow row;
      const gboolean has = shardwise_machine_row (self, base, (ShardwiseFigureId) i, &row);
      GString *list = has ? is : is_not;
      g_autofree char *text = has ? shardwise_figure_text ((ShardwiseFigureId) i, row.measured)
                                  : NULL;

      if (row.expected <= 0 || !applies (base, (ShardwiseFigureId) i))
        continue;
      shardwise_text_items (list, "%s", _ (figures[i].title));
      if (has)
        g_string_append_printf (list, " (%s)", text);
    }
  if (is->len > 0)
    /* Translators: a date, a list of figures with their values */
    g_ptr_array_add (
        notes, g_strdup_printf (_ ("Measured on this cluster (%s): %s."), self->date, is->str));
  if (is->len > 0 && is_not->len > 0)
    /* Translators: a list of figures */
    g_ptr_array_add (
        notes, g_strdup_printf (_ ("Not measured, taken from the catalog: %s."), is_not->str));
}

/* ---- the library ---- */

/* The library keeps the first clusters, by name, up to this number. */
#define MOST_KEPT 64

static GFile *
get_folder (void)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), APPLICATION_ID, "clusters",
                                            NULL);

  return g_file_new_for_path (path);
}

static void
cluster_free (gpointer data)
{
  ShardwiseKeptCluster *self = data;

  g_free (self->name);
  g_free (self->object);
  g_free (self);
}

/**
 * shardwise_cluster_name:
 * @object: JSON text of an object for cluster.gpu
 *
 * Returns: (transfer full) (nullable): its name
 */
char *
shardwise_cluster_name (const char *object)
{
  g_autoptr (JsonNode) node = shardwise_json_parse (object, strlen (object), NULL);

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node)
             ? g_strdup (shardwise_json_text (json_node_get_object (node), "name"))
             : NULL;
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return g_utf8_collate ((*(ShardwiseKeptCluster *const *) a)->name,
                         (*(ShardwiseKeptCluster *const *) b)->name);
}

/**
 * shardwise_clusters_list: Blocks. Ignores files that are not clusters.
 *
 * Returns: (transfer full): #ShardwiseKeptCluster, by name
 */
GPtrArray *
shardwise_clusters_list (void)
{
  g_autoptr (GFile) folder = get_folder ();
  GPtrArray *clusters = g_ptr_array_new_with_free_func (cluster_free);
  g_autoptr (GFileEnumerator) files = g_file_enumerate_children (
      folder, G_FILE_ATTRIBUTE_STANDARD_NAME, G_FILE_QUERY_INFO_NONE, NULL, NULL);
  GFileInfo *info;
  GFile *file;

  while (files != NULL && clusters->len < MOST_KEPT
         && g_file_enumerator_iterate (files, &info, &file, NULL, NULL) && info != NULL)
    {
      g_autoptr (GBytes) bytes = shardwise_read_file (file, NULL, NULL);
      gsize length = 0;
      const char *data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;
      g_autofree char *object = data != NULL ? g_strndup (data, length) : NULL;
      char *name = object != NULL ? shardwise_cluster_name (object) : NULL;
      ShardwiseKeptCluster *cluster;

      if (name == NULL)
        continue;
      cluster = g_new0 (ShardwiseKeptCluster, 1);
      cluster->name = name;
      cluster->object = g_strstrip (g_steal_pointer (&object));
      g_ptr_array_add (clusters, cluster);
    }
  g_ptr_array_sort (clusters, by_name);
  return clusters;
}

/**
 * shardwise_clusters_keep:
 * @object: JSON text of a cluster; one of the same name is replaced
 *
 * Blocks.
 *
 * Returns: whether it was saved
 */
gboolean
shardwise_clusters_keep (const char *object, GError **error)
{
  g_autoptr (GFile) folder = get_folder ();
  g_autofree char *name = shardwise_cluster_name (object),
                  *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, name != NULL ? name : "",
                                                        -1),
                  *file_name = g_strdup_printf ("%.16s.json", sum);
  g_autoptr (GFile) file = g_file_get_child (folder, file_name);

  g_file_make_directory_with_parents (folder, NULL, NULL); /* writing reports the error */
  return shardwise_write_file (file, object, strlen (object), error);
}
