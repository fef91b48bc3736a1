/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-cli.h"

#include <glib/gi18n.h>

#include "shardwise-deadline.h"
#include "shardwise-texts.h"

#define MOST_GPUS 131072
#define MOST_POINTS 1000

/* The options of the command itself. */
typedef struct {
  char *gpus, *from;
  gboolean csv;
} Options;

/* What was computed. */
typedef struct {
  SwProblem problem;
  ShardwiseCostInputs costs;
  GPtrArray *points, *notes;
  gboolean has_plan;
  ShardwiseDeadlinePlan plan;
} Answer;

/* "8,16,32" to numbers; NULL where a part is none. */
static GArray *
parse_sizes (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; parts[i] != NULL; i++)
    {
      guint64 value;
      guint size;

      if (i >= MOST_POINTS
          || !g_ascii_string_to_unsigned (g_strstrip (parts[i]), 10, 1, MOST_GPUS, &value, NULL))
        return NULL;
      size = (guint) value;
      g_array_append_val (sizes, size);
    }
  return sizes->len > 0 ? g_steal_pointer (&sizes) : NULL;
}

static JsonNode *
point_to_json (const Answer *self, const ShardwiseSizingPoint *point)
{
  SwProblem sized = self->problem;
  JsonNode *node;
  JsonObject *object;

  sized.cluster.gpus = point->gpus;
  node = shardwise_estimate_to_json (&sized, &point->estimate, self->notes);
  object = json_node_get_object (node);
  json_object_set_int_member (object, "gpus", point->gpus);
  json_object_set_double_member (object, "days", point->days);
  json_object_set_double_member (object, "cost", point->cost);
  json_object_set_double_member (object, "goodput", point->bill.goodput.ratio);
  json_object_set_double_member (object, "energy_kwh", point->bill.energy_kwh);
  json_object_set_double_member (object, "kg_co2", point->bill.kg_co2);
  return node;
}

static JsonNode *
to_json (const Answer *self)
{
  JsonObject *object = json_object_new ();
  JsonArray *array = json_array_new ();
  JsonNode *root = json_node_init_object (json_node_alloc (), object);

  for (guint i = 0; i < self->points->len; i++)
    json_array_add_element (array, point_to_json (self, g_ptr_array_index (self->points, i)));
  json_object_set_array_member (object, "points", array);
  json_object_set_string_member (object, "currency", self->costs.currency);
  json_object_set_double_member (object, "price", self->costs.price);
  json_object_set_string_member (object, "price_date", self->costs.price_date);
  if (self->has_plan)
    json_object_set_member (object, "deadline",
                            shardwise_deadline_to_json (&self->plan, self->points));
  json_object_unref (object);
  return root;
}

/* ---- CSV ---- */

static void
append_number (GString *out, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (out, ",%s", g_ascii_dtostr (buffer, sizeof buffer, value));
}

/* Numbers as they are, unrounded; strategies hold no comma or quote. */
static char *
to_csv (const Answer *self)
{
  GString *out = g_string_new ("gpus,fits,tokens_per_s,mfu,step_s,goodput,days,cost,currency,"
                               "energy_kwh,kg_co2,strategy\r\n");

  for (guint i = 0; i < self->points->len; i++)
    {
      const ShardwiseSizingPoint *point = g_ptr_array_index (self->points, i);
      const SwEstimate *estimate = &point->estimate;
      g_autofree char *strategy = shardwise_text_strategy (&estimate->strategy);

      g_string_append_printf (out, "%u,%d", point->gpus, estimate->fits);
      if (!estimate->fits)
        {
          g_string_append_printf (out, ",,,,,,,%s,,,\r\n", self->costs.currency);
          continue;
        }
      append_number (out, estimate->tokens_per_s);
      append_number (out, estimate->mfu);
      append_number (out, estimate->time.step_s);
      append_number (out, point->bill.goodput.ratio);
      append_number (out, point->days);
      append_number (out, point->cost);
      g_string_append_printf (out, ",%s", self->costs.currency);
      append_number (out, point->bill.energy_kwh);
      append_number (out, point->bill.kg_co2);
      g_string_append_printf (out, ",\"%s\"\r\n", strategy);
    }
  return g_string_free (out, FALSE);
}

/* ---- text ---- */

static void
append_point (GString *out, const ShardwiseSizingPoint *point)
{
  const SwEstimate *estimate = &point->estimate;
  g_autofree char *summary = shardwise_text_strategy (&estimate->strategy);
  g_autofree char *rate = shardwise_format_count (estimate->tokens_per_s),
                  *mfu = shardwise_format_percent (estimate->mfu);
  g_autofree char *missing = shardwise_format_bytes (estimate->missing_bytes);

  if (!estimate->fits)
    {
      /* Translators: a number of GPUs, an amount of memory */
      g_string_append_printf (out, _("%8u  nothing fits; %s missing\n"), point->gpus, missing);
      return;
    }
  g_string_append_printf (out, "%8u  %10s  %7s", point->gpus, rate, mfu);
  if (point->days > 0)
    g_string_append_printf (out, "  %9.1f", point->days);
  if (point->cost > 0)
    g_string_append_printf (out, "  %12.0f", point->cost);
  g_string_append_printf (out, "  %s", summary);
  if (!sw_estimate_is_validated (estimate))
    g_string_append_printf (out, " (%s)", _("not validated"));
  g_string_append_c (out, '\n');
}

/* The last point that fits says whether there are days and cost, and what they count. */
static const ShardwiseSizingPoint *
last_fitting (GPtrArray *points)
{
  for (guint i = points->len; i > 0; i--)
    if (((const ShardwiseSizingPoint *) g_ptr_array_index (points, i - 1))->estimate.fits)
      return g_ptr_array_index (points, i - 1);
  return NULL;
}

static void
append_basis (GString *out, const Answer *self, const ShardwiseSizingPoint *last)
{
  g_autoptr (GPtrArray) notes = shardwise_cost_notes (&self->costs, &last->bill);

  if (last->days > 0)
    {
      g_string_append_c (out, '\n');
      shardwise_cli_append_wrapped (out, "",
                                    _("Days and cost count checkpoints, interruptions and restarts; "
                                      "“shardwise-cli cost” lists them."));
      shardwise_cli_append_notes (out, notes);
    }
  if (self->has_plan)
    {
      g_autofree char *text =
        shardwise_deadline_text (&self->plan, self->points, self->costs.currency);

      g_string_append_c (out, '\n');
      shardwise_cli_append_wrapped (out, "", text);
    }
}

static char *
to_text (const Answer *self)
{
  GString *out = g_string_new (NULL);
  const ShardwiseSizingPoint *last = last_fitting (self->points);

  g_string_append_printf (out, "%8s  %10s  %7s", _("GPUs"), _("tokens/s"), _("MFU"));
  if (last != NULL && last->days > 0)
    g_string_append_printf (out, "  %9s", _("days"));
  if (last != NULL && last->cost > 0)
    g_string_append_printf (out, "  %12s", self->costs.currency);
  g_string_append_printf (out, "  %s\n", _("strategy"));
  for (guint i = 0; i < self->points->len; i++)
    append_point (out, g_ptr_array_index (self->points, i));
  if (last != NULL)
    append_basis (out, self, last);
  return g_string_free (out, FALSE);
}

/* ---- the command ---- */

static int
print (const ShardwiseCliInput *input, const Answer *self, gboolean csv)
{
  g_autofree char *text = NULL;
  int status = last_fitting (self->points) != NULL ? SHARDWISE_CLI_DONE : SHARDWISE_CLI_NOTHING_FITS;

  if (input->json)
    return shardwise_cli_print_json (to_json (self), status);
  text = csv ? to_csv (self) : to_text (self);
  return shardwise_cli_print (text, status);
}

static int
scale (ShardwiseCliInput *input, const Options *options, GArray *sizes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) points = NULL, notes = NULL;
  Answer answer = { .has_plan = FALSE };
  GDate start;

  if (!shardwise_scenario_is_set (input->scenario, "cluster.gpus"))
    shardwise_scenario_set (input->scenario, "cluster.gpus",
                            g_variant_new_uint32 (g_array_index (sizes, guint, 0)), NULL);
  points = shardwise_sizing_compute (input->scenario, (const guint *) (gpointer) sizes->data,
                                     sizes->len, NULL, NULL, NULL, &error);
  if (points == NULL || !shardwise_scenario_resolve (input->scenario, &answer.problem, &notes, &error))
    return shardwise_cli_fail (input->file, error);
  shardwise_cost_inputs_read (input->scenario, &answer.problem, &answer.costs);
  answer.points = points;
  answer.notes = notes;
  if (shardwise_cli_parse_start (options->from, &start))
    answer.has_plan = shardwise_deadline_plan (input->scenario, &start, points, &answer.plan);
  return print (input, &answer, options->csv);
}

static const char *
check_options (gconstpointer data)
{
  const Options *options = data;
  g_autoptr (GArray) sizes = options->gpus != NULL ? parse_sizes (options->gpus) : NULL;
  GDate start;

  if (sizes == NULL)
    return _("--gpus needs numbers of GPUs, accepted: 1 to 131072, such as 8,16,32");
  return shardwise_cli_parse_start (options->from, &start)
           ? NULL
           : _("--from needs a date as YYYY-MM-DD");
}

int
shardwise_cli_scale (int argc, char **argv)
{
  Options options = { NULL };
  ShardwiseCliInput input = { .check = check_options, .data = &options };
  g_autoptr (GArray) sizes = NULL;
  const GOptionEntry entries[] = {
    { "gpus", 0, 0, G_OPTION_ARG_STRING, &options.gpus, N_("Numbers of GPUs"), "8,16,…" },
    { "csv", 0, 0, G_OPTION_ARG_NONE, &options.csv, N_("Print comma-separated values"), NULL },
    { "from", 0, 0, G_OPTION_ARG_STRING, &options.from,
      N_("Day on which training begins, for the deadline; default: today"), "YYYY-MM-DD" },
    { NULL },
  };
  int status = shardwise_cli_input_read (&input, argc, argv, entries,
                                         _("The best strategy for each number of GPUs."));

  if (status == SHARDWISE_CLI_DONE)
    {
      sizes = parse_sizes (options.gpus);
      status = scale (&input, &options, sizes);
    }
  shardwise_cli_input_clear (&input);
  g_free (options.gpus);
  g_free (options.from);
  return status;
}
