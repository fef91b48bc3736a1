/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other sizes: of the cluster, also next to another cluster, or of model and cluster together (the
 * atlas). */
#include "shardwise-cli-scale.h"

#include <glib/gi18n.h>

#include "shardwise-advice-json.h"
#include "shardwise-changes.h"
#include "shardwise-cli-input.h"
#include "shardwise-cli-output.h"
#include "shardwise-deadline.h"
#include "shardwise-format.h"
#include "shardwise-json.h"
#include "shardwise-resolve.h"
#include "shardwise-scaling.h"
#include "shardwise-text-advice.h"
#include "shardwise-text-strategy.h"

/* The command's own options; lists as typed. */
typedef struct {
  char *gpus, *from, *batch, *compare_gpu, *compare_network;
  char *sizes, *nodes; /* of the atlas */
  gboolean is_atlas, csv;
  char *wrong; /* the unparsable ones */
} Options;

/* ---- columns ---- */

typedef struct {
  int width;
  const char *title;
} Column;

/* The titles of the columns, and of the strategy at the end of each line. */
static void
append_titles (GString *out, const Column *columns, guint n)
{
  for (guint i = 0; i < n; i++)
    shardwise_text_append_cell (out, columns[i].width, columns[i].title);
  g_string_append_printf (out, "  %s\n", _ ("strategy"));
}

/* Replaces the figures if nothing fits: the reason, from the nearest strategy. */
static void
append_misfit (GString *out, const SwEstimate *estimate)
{
  g_autofree char *missing = shardwise_format_bytes (estimate->missing_bytes);

  g_string_append (out, "  ");
  if (estimate->missing_bytes > 0)
    /* Translators: an amount of memory */
    g_string_append_printf (out, _ ("nothing fits; %s more memory needed\n"), missing);
  else
    g_string_append (out, _ ("no strategy is possible\n"));
}

/* ---- the sizes of a cluster ---- */

/* One series of sizes. */
typedef struct {
  ShardwiseScenario *scenario;
  SwProblem problem;
  ShardwiseCostInputs costs;
  GPtrArray *points, *notes;
  const ShardwiseSizingPoint *reference; /* (nullable): the base of scaling */
  SwLeastGpus least[SW_N_MEANS];         /* n_least entries */
  guint n_least;
} Series;

/* The results. */
typedef struct {
  Series own, compared; /* compared.points NULL: no comparison */
  const char *rule;
  gboolean has_plan;
  ShardwiseDeadlinePlan plan;
} Answer;

static void
series_to_json (const Series *self, JsonObject *object)
{
  json_object_set_array_member (
      object, "points", shardwise_sizing_to_array (&self->problem, self->points, self->notes));
  json_object_set_array_member (object, "least_gpus_by",
                                shardwise_least_to_array (self->least, self->n_least));
  json_object_set_string_member (object, "currency", self->costs.currency);
  shardwise_json_set_known (object, "price", self->costs.price,
                            self->costs.price_is_stated || self->costs.price > 0);
  json_object_set_string_member (object, "price_date", self->costs.price_date);
}

static JsonNode *
to_json (const Answer *self)
{
  JsonObject *object = json_object_new ();

  series_to_json (&self->own, object);
  json_object_set_string_member (object, "batch", self->rule);
  if (self->compared.points != NULL)
    {
      JsonObject *compared = json_object_new ();

      json_object_set_string_member (compared, "gpu", self->compared.problem.cluster.gpu.id);
      json_object_set_string_member (compared, "network", self->compared.problem.cluster.inter.id);
      series_to_json (&self->compared, compared);
      json_object_set_object_member (object, "compared", compared);
    }
  if (self->has_plan)
    json_object_set_member (object, "deadline",
                            shardwise_deadline_to_json (&self->plan, self->own.points));
  return shardwise_json_take_object (object);
}

/* Unrounded numbers; ids and strategies never contain a comma or quote. */
static void
append_csv (GString *out, const Series *self)
{
  for (guint i = 0; i < self->points->len; i++)
    {
      const ShardwiseSizingPoint *point = g_ptr_array_index (self->points, i);
      const SwEstimate *estimate = &point->estimate;
      gboolean fits = estimate->fits, has_days = point->days > 0;
      g_autofree char *strategy = fits ? shardwise_text_strategy (&estimate->strategy)
                                       : g_strdup ("");

      g_string_append_printf (out, "%u,%d", point->gpus, fits);
      shardwise_cli_append_number (out, estimate->tokens_per_s, fits);
      shardwise_cli_append_number (out, estimate->mfu, fits);
      shardwise_cli_append_number (out, estimate->time.step_s, fits);
      shardwise_cli_append_number (out, point->bill.goodput.ratio, fits);
      shardwise_cli_append_number (out, point->days, has_days);
      shardwise_cli_append_number (out, point->cost,
                                   has_days && shardwise_cost_bill (&point->bill) != NULL);
      g_string_append_printf (out, ",%s", self->costs.currency);
      shardwise_cli_append_number (out, point->bill.energy_kwh, has_days);
      shardwise_cli_append_number (out, point->bill.kg_co2, has_days);
      g_string_append_printf (out, ",\"%s\",%s,%s,%u", strategy, self->problem.cluster.gpu.id,
                              self->problem.cluster.inter.id, point->global_batch);
      shardwise_cli_append_number (out, shardwise_sizing_efficiency (self->reference, point), fits);
      g_string_append (out, "\r\n");
    }
}

static void
append_column (GString *out, const char *format, double value, gboolean known)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  g_autofree char *text = known ? g_strdup_printf (format, value) : g_strdup ("–");
#pragma GCC diagnostic pop

  shardwise_text_append_cell (out, 14, text);
}

/* The last point that fits determines whether there are days and cost, and their units. */
static const ShardwiseSizingPoint *
last_fitting (GPtrArray *points)
{
  for (guint i = points->len; i > 0; i--)
    if (((const ShardwiseSizingPoint *) g_ptr_array_index (points, i - 1))->estimate.fits)
      return g_ptr_array_index (points, i - 1);
  return NULL;
}

/* Appends a separate sentence and takes ownership; NULL: nothing. */
static void
append_sentence (GString *out, char *text)
{
  if (text != NULL)
    {
      g_string_append_c (out, '\n');
      shardwise_cli_append_wrapped (out, "", text);
    }
  g_free (text);
}

static void
append_series (GString *out, const Series *self)
{
  const ShardwiseSizingPoint *last = last_fitting (self->points), *best = self->reference;
  const Column columns[] = {
    { 8, _ ("GPUs") }, { 12, _ ("tokens/s") }, { 9, _ ("ideal") },
    { 9, _ ("MFU") },  { 14, _ ("days") },     { 14, self->costs.currency },
  };

  /* Translators: names of a GPU and of a network */
  g_string_append_printf (out, _ ("%s, %s"), self->problem.cluster.gpu.name,
                          self->problem.cluster.inter.name);
  g_string_append_c (out, '\n');
  append_titles (out, columns, G_N_ELEMENTS (columns));
  for (guint i = 0; i < self->points->len; i++)
    {
      const ShardwiseSizingPoint *point = g_ptr_array_index (self->points, i);
      const SwEstimate *estimate = &point->estimate;
      g_autofree char *summary = shardwise_text_strategy (&estimate->strategy),
                      *rate = shardwise_format_count (estimate->tokens_per_s),
                      *ideal = shardwise_format_percent (
                          shardwise_sizing_efficiency (self->reference, point)),
                      *mfu = shardwise_format_percent (estimate->mfu);

      g_string_append_printf (out, "%8u", point->gpus);
      if (!estimate->fits)
        {
          append_misfit (out, estimate);
          continue;
        }
      shardwise_text_append_cell (out, 12, rate);
      shardwise_text_append_cell (out, 9, ideal);
      shardwise_text_append_cell (out, 9, mfu);
      append_column (out, "%'.1f", point->days, point->days > 0);
      append_column (out, "%'.0f", point->cost,
                     point->days > 0 && shardwise_cost_bill (&point->bill) != NULL);
      g_string_append_printf (out, "  %s", summary);
      if (!sw_estimate_is_validated (estimate))
        g_string_append_printf (out, " (%s)", _ ("not validated"));
      g_string_append_c (out, '\n');
    }
  append_sentence (out, shardwise_text_least_sentence (self->least, self->n_least));
  if (last == NULL)
    return;
  append_sentence (out, shardwise_sizing_least_text (self->points));

  /* The reason for the size that is furthest above ideal scaling. */
  for (guint i = 0; i < self->points->len; i++)
    if (shardwise_sizing_efficiency (self->reference, g_ptr_array_index (self->points, i))
        > shardwise_sizing_efficiency (self->reference, best))
      best = g_ptr_array_index (self->points, i);
  append_sentence (out, shardwise_sizing_gain_text (self->reference, best));
  append_sentence (out, shardwise_sizing_dip_text (self->points, NULL));
  if (last->days > 0)
    {
      g_autoptr (GPtrArray) notes = shardwise_cost_notes (&self->costs, &last->bill);

      append_sentence (out, g_strdup (_ ("Days and cost include checkpoints, interruptions and "
                                         "restarts; “shardwise-cli cost” lists them.")));
      shardwise_cli_append_notes (out, notes);
    }
}

static char *
to_text (const Answer *self, gboolean csv)
{
  GString *out = g_string_new (csv ? "gpus,fits,tokens_per_s,mfu,step_s,goodput,days,cost,currency,"
                                     "energy_kwh,kg_co2,strategy,gpu,network,global_batch_size,"
                                     "share_of_ideal\r\n"
                                   : NULL);

  (csv ? append_csv : append_series) (out, &self->own);
  if (self->compared.points != NULL)
    {
      if (!csv)
        g_string_append_c (out, '\n');
      (csv ? append_csv : append_series) (out, &self->compared);
    }
  if (!csv && self->has_plan && last_fitting (self->own.points) != NULL)
    append_sentence (
        out, shardwise_deadline_text (&self->plan, self->own.points, self->own.costs.currency));
  return g_string_free (out, FALSE);
}

static gboolean
compute (Series *self, GArray *sizes, ShardwiseBatchRule rule, GError **error)
{
  if (!shardwise_scenario_resolve (self->scenario, &self->problem, &self->notes, error))
    return FALSE;
  shardwise_cost_inputs_read (self->scenario, &self->problem, &self->costs);
  self->points = shardwise_sizing_compute_with (
      self->scenario, sizes != NULL ? (const guint *) (gpointer) sizes->data : NULL,
      sizes != NULL ? sizes->len : 0, rule, NULL, NULL, NULL, error);
  if (self->points == NULL)
    return FALSE;
  self->reference = shardwise_sizing_reference (self->points);
  self->n_least = sw_least_gpus_by (&self->problem, self->least);
  return TRUE;
}

/* The requested other cluster: the other GPU, over the other network. */
static gboolean
compute_compared (Answer *self, const Options *options, GArray *sizes, ShardwiseBatchRule rule,
                  GError **error)
{
  ShardwiseScenario *other = g_object_ref (self->own.scenario);

  if (options->compare_gpu != NULL)
    {
      g_object_unref (other);
      other = shardwise_other_cluster_of_gpu (self->own.scenario, options->compare_gpu, error);
    }
  if (other != NULL && options->compare_network != NULL)
    {
      g_autoptr (ShardwiseScenario) before = other;

      other = shardwise_other_cluster_of_network (before, options->compare_network, error);
    }
  self->compared.scenario = other;
  return other != NULL && compute (&self->compared, sizes, rule, error);
}

static void
series_clear (Series *self)
{
  g_clear_object (&self->scenario);
  g_clear_pointer (&self->points, g_ptr_array_unref);
  g_clear_pointer (&self->notes, g_ptr_array_unref);
}

static int
scale (ShardwiseCliInput *input, const Options *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) sizes = NULL;
  const ShardwiseBatchRule rule =
      options->batch != NULL
              && g_str_equal (options->batch, shardwise_batch_rule_names[SHARDWISE_BATCH_PER_GPU])
          ? SHARDWISE_BATCH_PER_GPU
          : SHARDWISE_BATCH_FIXED;
  Answer answer = { .own = { .scenario = g_object_ref (input->scenario) },
                    .rule = shardwise_batch_rule_names[rule] };
  const gboolean is_compared = options->compare_gpu != NULL || options->compare_network != NULL;
  GDate start;
  int status;

  if (options->gpus != NULL)
    shardwise_sizing_parse (options->gpus, &sizes, NULL);
  /* If the scenario states no number of GPUs: the smallest size that can hold its pins. If none
   * can, the smallest size, whose error is reported. */
  if (!shardwise_scenario_is_set (input->scenario, SHARDWISE_KEY_CLUSTER_GPUS))
    {
      g_autoptr (GArray) all = sizes != NULL ? g_array_ref (sizes) : shardwise_sizing_sizes (8, 8);
      gboolean holds = FALSE;
      SwProblem problem;

      for (guint i = 0; !holds && i <= all->len; i++)
        {
          const guint gpus = g_array_index (all, guint, i % all->len);

          shardwise_scenario_set (input->scenario, SHARDWISE_KEY_CLUSTER_GPUS,
                                  g_variant_new_uint32 (gpus), NULL);
          holds = shardwise_scenario_resolve (input->scenario, &problem, NULL, NULL);
        }
    }
  if (!compute (&answer.own, sizes, rule, &error)
      || (is_compared && !compute_compared (&answer, options, sizes, rule, &error)))
    status = shardwise_cli_fail (input->file, error);
  else
    {
      if (shardwise_cli_parse_start (options->from, &start))
        answer.has_plan = shardwise_deadline_plan (input->scenario, &start, answer.own.points,
                                                   &answer.plan);
      status = answer.own.reference != NULL ? SHARDWISE_CLI_DONE : SHARDWISE_CLI_NOTHING_FITS;
      status = input->json ? shardwise_cli_print_json (to_json (&answer), status)
                           : shardwise_cli_print (to_text (&answer, options->csv), status);
    }
  series_clear (&answer.own);
  series_clear (&answer.compared);
  return status;
}

/* ---- the atlas ---- */

/* Numbers from "1,8,80"; NULL if a part is not a number. */
static GArray *
parse_sizes (const char *text)
{
  g_auto (GStrv) parts = g_strsplit_set (text, ", ", -1);
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (double));
  const ShardwiseKey *key = shardwise_key_get (SHARDWISE_KEY_MODEL_PARAMETERS_B);

  for (guint i = 0; parts[i] != NULL; i++)
    {
      char *end;
      double size = g_ascii_strtod (parts[i], &end);
      g_autoptr (GVariant) value = g_variant_ref_sink (g_variant_new_double (size));

      if (*parts[i] == '\0')
        continue;
      if (*end != '\0' || !shardwise_key_check (key, value, NULL))
        return NULL;
      g_array_append_val (sizes, size);
    }
  return sizes->len > 0 ? g_steal_pointer (&sizes) : NULL;
}

static char *
atlas_to_text (GPtrArray *cells, gboolean csv)
{
  const Column columns[] = {
    { 10, _ ("model") }, { 8, _ ("nodes") },   { 10, _ ("GPUs") },
    { 9, _ ("MFU") },    { 12, _ ("memory") },
  };
  GString *out = g_string_new (NULL);

  if (csv)
    g_string_append (
        out, "parameters_b,nodes,gpus,fits,mfu,tokens_per_s,memory_gib,missing_gib,strategy\r\n");
  else
    append_titles (out, columns, G_N_ELEMENTS (columns));
  for (guint i = 0; i < cells->len; i++)
    {
      const ShardwiseAtlasCell *cell = g_ptr_array_index (cells, i);
      const SwEstimate *estimate = &cell->estimate;
      g_autofree char *size = shardwise_format_count (cell->parameters_b * 1e9),
                      *mfu = shardwise_format_percent (estimate->mfu),
                      *memory = shardwise_format_bytes (estimate->memory.peak.total),
                      *strategy = shardwise_text_strategy (&estimate->strategy);
      char number[G_ASCII_DTOSTR_BUF_SIZE];

      if (csv)
        {
          g_string_append_printf (out, "%s,%u,%u,%d",
                                  g_ascii_dtostr (number, sizeof number, cell->parameters_b),
                                  cell->nodes, cell->gpus, estimate->fits);
          shardwise_cli_append_number (out, estimate->mfu, estimate->fits);
          shardwise_cli_append_number (out, estimate->tokens_per_s, estimate->fits);
          shardwise_cli_append_number (out, estimate->memory.peak.total / SW_GIB, estimate->fits);
          shardwise_cli_append_number (out, estimate->missing_bytes / SW_GIB, TRUE);
          g_string_append_printf (out, ",\"%s\"\r\n", estimate->fits ? strategy : "");
          continue;
        }
      shardwise_text_append_cell (out, 10, size);
      g_string_append_printf (out, "  %6u  %8u", cell->nodes, cell->gpus);
      if (!estimate->fits)
        {
          append_misfit (out, estimate);
          continue;
        }
      shardwise_text_append_cell (out, 9, mfu);
      shardwise_text_append_cell (out, 12, memory);
      g_string_append_printf (out, "  %s\n", strategy);
    }
  return g_string_free (out, FALSE);
}

/* Options without a model start from the published benchmark. Each cell has its own number of
 * GPUs. */
static ShardwiseScenario *
atlas_question (ShardwiseScenario *scenario, GError **error)
{
  const gboolean names_model = shardwise_scenario_is_set (scenario, SHARDWISE_KEY_MODEL_PRESET)
                               || shardwise_scenario_is_set (scenario, SHARDWISE_KEY_MODEL_LAYERS)
                               || shardwise_scenario_is_set (scenario,
                                                             SHARDWISE_KEY_MODEL_PARAMETERS_B);
  g_autoptr (ShardwiseScenario) asked = names_model ? shardwise_scenario_new ()
                                                    : shardwise_atlas_benchmark (NULL, error);

  if (asked == NULL)
    return NULL;
  if (names_model)
    shardwise_scenario_reset (asked, SHARDWISE_KEY_MODEL_PRESET);
  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    if (shardwise_scenario_is_set (scenario, i))
      {
        g_autoptr (GVariant) value = shardwise_scenario_get (scenario, i);

        if (!shardwise_scenario_set (asked, i, value, error))
          return NULL;
      }
  return g_steal_pointer (&asked);
}

static int
atlas (ShardwiseCliInput *input, const Options *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseScenario) scenario = atlas_question (input->scenario, &error);
  g_autoptr (GArray) sizes = options->sizes != NULL ? parse_sizes (options->sizes) : NULL,
                     nodes = NULL;
  g_autoptr (GPtrArray) cells = NULL, notes = NULL;
  JsonObject *object;
  JsonArray *array;
  SwProblem problem;
  int status = SHARDWISE_CLI_NOTHING_FITS;

  if (options->nodes != NULL)
    shardwise_sizing_parse (options->nodes, &nodes, NULL);
  if (scenario != NULL && shardwise_scenario_resolve (scenario, &problem, &notes, &error))
    cells = shardwise_atlas_compute (
        scenario, sizes != NULL ? (const double *) (gpointer) sizes->data : NULL,
        sizes != NULL ? sizes->len : 0,
        nodes != NULL ? (const guint *) (gpointer) nodes->data : shardwise_atlas_nodes,
        nodes != NULL ? nodes->len : SHARDWISE_ATLAS_BENCHMARK_NODES, NULL, NULL, NULL, &error);
  if (cells == NULL)
    return shardwise_cli_fail (input->file, error);
  for (guint i = 0; i < cells->len; i++)
    if (((const ShardwiseAtlasCell *) g_ptr_array_index (cells, i))->estimate.fits)
      status = SHARDWISE_CLI_DONE;
  if (!input->json)
    return shardwise_cli_print (atlas_to_text (cells, options->csv), status);
  object = json_object_new ();
  array = json_array_new ();
  for (guint i = 0; i < cells->len; i++)
    {
      const ShardwiseAtlasCell *cell = g_ptr_array_index (cells, i);
      SwProblem sized = problem;
      JsonNode *node;
      JsonObject *row;

      sw_model_from_size (cell->parameters_b * 1e9, &sized.model);
      sized.cluster.gpus = cell->gpus;
      sw_problem_prepare (&sized);
      node = shardwise_estimate_to_json (&sized, &cell->estimate, notes);
      row = json_node_get_object (node);
      json_object_set_double_member (row, "parameters_b", cell->parameters_b);
      json_object_set_int_member (row, "nodes", cell->nodes);
      json_object_set_int_member (row, "gpus", cell->gpus);
      json_array_add_element (array, node);
    }
  json_object_set_array_member (object, "cells", array);
  return shardwise_cli_print_json (shardwise_json_take_object (object), status);
}

/* ---- the command ---- */

static const char *
check_options (gconstpointer data)
{
  Options *options = (Options *) data;
  g_autofree char *why = NULL;
  GDate start;

  if (options->is_atlas
      && (options->gpus != NULL || options->batch != NULL || options->compare_gpu != NULL
          || options->compare_network != NULL || options->from != NULL))
    return _ ("--atlas cannot be combined with --gpus, --batch, --compare-gpu, --compare-network "
              "or --from");
  if (options->is_atlas)
    {
      g_autoptr (GArray) sizes = options->sizes != NULL ? parse_sizes (options->sizes) : NULL;

      if (options->sizes != NULL && sizes == NULL)
        return _ ("--sizes must be numbers of billions of parameters, such as 1,8,80; allowed: 0.1 "
                  "to 10000");
      if (options->nodes != NULL && !shardwise_sizing_parse (options->nodes, NULL, NULL))
        return _ ("--nodes must be numbers of nodes, such as 1,2,4; allowed: 1 to 131072");
      return NULL;
    }
  if (options->sizes != NULL || options->nodes != NULL)
    return _ ("--sizes and --nodes require --atlas");
  if (options->gpus != NULL && !shardwise_sizing_parse (options->gpus, NULL, &why))
    {
      /* Translators: an option, and what is wrong with it */
      options->wrong = g_strdup_printf (_ ("%s: %s"), "--gpus", why);
      return options->wrong;
    }
  if (options->batch != NULL
      && !g_strv_contains ((const char *const *) shardwise_batch_rule_names, options->batch))
    return _ ("--batch must be fixed or per-gpu");
  return shardwise_cli_parse_start (options->from, &start)
             ? NULL
             : _ ("--from must be a date in the form YYYY-MM-DD");
}

int
shardwise_cli_scale (int argc, char **argv)
{
  Options options = { NULL };
  ShardwiseCliInput input = { .check = check_options, .data = &options };
  const GOptionEntry entries[] = {
    { "gpus", 0, 0, G_OPTION_ARG_STRING, &options.gpus,
      N_ ("Numbers of GPUs (default: 8 to 131072)"), "8,16,…" },
    { "batch", 0, 0, G_OPTION_ARG_STRING, &options.batch,
      N_ ("Keep the global batch fixed, or keep each GPU’s share of it"), "fixed|per-gpu" },
    { "compare-gpu", 0, 0, G_OPTION_ARG_STRING, &options.compare_gpu, N_ ("GPU to compare with"),
      "ID" },
    { "compare-network", 0, 0, G_OPTION_ARG_STRING, &options.compare_network,
      N_ ("Network to compare with"), "ID" },
    { "csv", 0, 0, G_OPTION_ARG_NONE, &options.csv, N_ ("Print comma-separated values"), NULL },
    { "from", 0, 0, G_OPTION_ARG_STRING, &options.from,
      N_ ("Start date of the training, for the deadline (default: today)"), "YYYY-MM-DD" },
    { "atlas", 0, 0, G_OPTION_ARG_NONE, &options.is_atlas,
      N_ ("Evaluate models of each size on each number of nodes"), NULL },
    { "sizes", 0, 0, G_OPTION_ARG_STRING, &options.sizes,
      N_ ("Model sizes of the atlas, in billions of parameters"), "1,8,80,…" },
    { "nodes", 0, 0, G_OPTION_ARG_STRING, &options.nodes,
      N_ ("Numbers of nodes of the atlas (default: 1 to 64)"), "1,2,4,…" },
    { NULL },
  };
  int status = shardwise_cli_input_read (&input, argc, argv, entries,
                                         _ ("Finds the best strategy for each number of GPUs."));

  if (status == SHARDWISE_CLI_DONE)
    status = options.is_atlas ? atlas (&input, &options) : scale (&input, &options);
  shardwise_cli_input_clear (&input);
  g_free (options.gpus);
  g_free (options.from);
  g_free (options.batch);
  g_free (options.compare_gpu);
  g_free (options.compare_network);
  g_free (options.wrong);
  g_free (options.sizes);
  g_free (options.nodes);
  return status;
}
