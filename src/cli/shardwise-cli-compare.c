/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The differences between scenarios, and the effect of more of a resource. */
#include "shardwise-cli-compare.h"

#include <glib/gi18n.h>

#include "shardwise-advice-json.h"
#include "shardwise-cli-input.h"
#include "shardwise-cli-output.h"
#include "shardwise-comparison-figures.h"
#include "shardwise-estimate.h"
#include "shardwise-format.h"
#include "shardwise-import.h"
#include "shardwise-json.h"
#include "shardwise-text-estimate.h"
#include "shardwise-text-strategy.h"

/* ---- compare ---- */

/* A column: a file with its answer. */
typedef struct {
  const char *file;
  char *name;
  ShardwiseScenario *scenario;
  ShardwiseAdvice *advice;
} Column;

static void
column_clear (gpointer data)
{
  Column *self = data;

  g_free (self->name);
  g_clear_object (&self->scenario);
  g_clear_object (&self->advice);
}

/* Any document: a scenario, a job or a model. */
static gboolean
column_read (Column *self, const char *file, GError **error)
{
  g_autoptr (GBytes) bytes = shardwise_cli_read (file, error);
  g_autoptr (ShardwiseImport) import = NULL;
  const char *text;
  gsize length;

  if (bytes == NULL)
    return FALSE;
  text = g_bytes_get_data (bytes, &length);
  import = shardwise_import_document (text != NULL ? text : "", length,
                                      g_str_equal (file, "-") ? "" : file, NULL, error);
  if (import == NULL)
    return FALSE;
  self->file = file;
  self->scenario = g_object_ref (import->scenario);
  self->name = shardwise_scenario_get_string (self->scenario, SHARDWISE_KEY_NAME);
  if (self->name == NULL || *self->name == '\0')
    {
      g_free (self->name);
      self->name = g_path_get_basename (file);
    }
  self->advice = shardwise_advice_compute (
      self->scenario, &(ShardwiseAdviceOptions){ .top = 1, .bare = TRUE }, NULL, error);
  return self->advice != NULL;
}

/* Keys with different values: {"key", "values"}, as `export` writes a scenario. */
static JsonArray *
differing_keys (GArray *columns)
{
  JsonArray *array = json_array_new ();

  for (ShardwiseKeyId k = SHARDWISE_KEY_NONE + 1; k < SHARDWISE_N_KEYS; k++)
    {
      JsonArray *values = json_array_new ();
      g_autofree char *first = NULL;
      gboolean differs = FALSE;

      for (guint i = 0; i < columns->len; i++)
        {
          ShardwiseScenario *scenario = g_array_index (columns, Column, i).scenario;
          g_autofree char *value = shardwise_scenario_is_set (scenario, k)
                                       ? shardwise_scenario_get_string (scenario, k)
                                       : NULL;

          differs |= i > 0 && g_strcmp0 (value, first) != 0;
          if (value != NULL)
            json_array_add_string_element (values, value);
          else
            json_array_add_null_element (values);
          if (i == 0)
            first = g_steal_pointer (&value);
        }
      if (differs && k != SHARDWISE_KEY_NAME && k != SHARDWISE_KEY_NOTES)
        {
          JsonObject *row = json_object_new ();

          json_object_set_string_member (row, "key", shardwise_key_path (k));
          json_object_set_array_member (row, "values", values);
          json_array_add_object_element (array, row);
        }
      else
        json_array_unref (values);
    }
  return array;
}

static JsonNode *
comparison_to_json (GArray *columns, ShardwiseComparison *comparison)
{
  JsonObject *object = json_object_new ();
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < columns->len; i++)
    {
      const Column *column = &g_array_index (columns, Column, i);
      const char *currency = NULL;
      ShardwiseCost cost = { 0 };
      const gboolean known = shardwise_comparison_get_cost (comparison, i, &cost, &currency);
      const ShardwiseBill *bill = known ? shardwise_cost_bill (&cost) : NULL;
      JsonNode *node =
          shardwise_estimate_to_json (shardwise_advice_get_problem (column->advice),
                                      shardwise_comparison_get_estimate (comparison, i),
                                      shardwise_advice_get_notes (column->advice));
      JsonObject *row = json_node_get_object (node);

      json_object_set_string_member (row, "file", column->file);
      json_object_set_string_member (row, "name", column->name);
      shardwise_json_set_known (row, "days", cost.days, known && cost.days > 0);
      shardwise_json_set_known (row, "cost", bill != NULL ? bill->total : 0, bill != NULL);
      if (bill != NULL)
        json_object_set_string_member (row, "currency", currency);
      json_array_add_element (array, node);
    }
  json_object_set_array_member (object, "columns", array);
  json_object_set_array_member (object, "differs", differing_keys (columns));
  return shardwise_json_take_object (object);
}

/* The value of a figure, and its difference from the first column. */
static char *
cell_text (const ShardwiseComparisonFigure *figure, guint column)
{
  const ShardwiseComparisonCell *cell = &figure->cells[column];
  g_autofree char *change = NULL;

  if (column == 0 || !cell->differs || figure->unit == NULL || !cell->is_known
      || !(cell->change == cell->change)) /* NAN: unknown */
    return g_strdup (cell->text);
  change = figure->is_share ? shardwise_signed_points (cell->change)
                            : shardwise_signed_percent (cell->change);
  return g_strdup_printf ("%s (%s)", cell->text, change);
}

static char *
comparison_to_text (GArray *columns, ShardwiseComparison *comparison, gboolean all)
{
  g_autoptr (GPtrArray) figures = shardwise_comparison_figures (comparison);
  GString *out = g_string_new (NULL);
  const char *section = NULL;

  for (guint i = 0; i < columns->len; i++)
    {
      const Column *column = &g_array_index (columns, Column, i);
      g_autofree char *strategy = shardwise_text_strategy (
                          &shardwise_comparison_get_estimate (comparison, i)->strategy),
                      *named = NULL, *line = NULL;
      g_autoptr (GString) text = g_string_new (strategy);

      if (!shardwise_advice_get_fits (column->advice))
        shardwise_text_items (text, "%s", _ ("does not fit"));
      /* Translators: name of a scenario, and its strategy */
      named = g_strdup_printf (_ ("%s: %s"), column->name, text->str);
      line = g_strdup_printf ("%c  %s", shardwise_comparison_letter (i), named);
      shardwise_cli_append_wrapped (out, "", line);
    }
  for (guint row = 0; row < figures->len; row++)
    {
      const ShardwiseComparisonFigure *figure = g_ptr_array_index (figures, row);

      if (!all && !shardwise_comparison_figure_differs (figure))
        continue;
      if (section != figure->section)
        shardwise_cli_append_heading (out, figure->section);
      section = figure->section;
      g_string_append (out, "  ");
      shardwise_text_append_cell (out, -33, figure->title);
      for (guint i = 0; i < figure->n; i++)
        {
          g_autofree char *text = cell_text (figure, i);

          g_string_append_c (out, ' ');
          shardwise_text_append_cell (out, i + 1 < figure->n ? -21 : 0, text);
        }
      g_string_append_c (out, '\n');
    }
  return g_string_free (out, FALSE);
}

int
shardwise_cli_compare (int argc, char **argv)
{
  gboolean json = FALSE, csv = FALSE, all = FALSE;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, N_ ("Print one JSON object"), NULL },
    { "csv", 0, 0, G_OPTION_ARG_NONE, &csv, N_ ("Print comma-separated values"), NULL },
    { "all", 0, 0, G_OPTION_ARG_NONE, &all, N_ ("Include figures that are the same for all"),
      NULL },
    { NULL },
  };
  g_auto (GStrv) files = NULL;
  g_autoptr (GArray) columns = g_array_new (FALSE, TRUE, sizeof (Column));
  g_autoptr (ShardwiseComparison) comparison = NULL;
  int status = shardwise_cli_options (
      argc, argv, entries, _ ("FILE FILE…"),
      _ ("Compares two to four scenarios or jobs side by side, each with its best strategy."),
      SHARDWISE_CLI_SOME, &files);
  const guint n = status == SHARDWISE_CLI_DONE ? g_strv_length (files) : 0;

  if (status != SHARDWISE_CLI_DONE)
    return status;
  if (n < 2 || n > SHARDWISE_COMPARISON_MAX)
    return shardwise_cli_usage (argv[0], _ ("two to four files are required"));
  g_array_set_clear_func (columns, column_clear);
  g_array_set_size (columns, n);
  comparison = shardwise_comparison_new ();
  status = SHARDWISE_CLI_NOTHING_FITS;
  for (guint i = 0; i < n; i++)
    {
      Column *column = &g_array_index (columns, Column, i);
      g_autoptr (GError) error = NULL;

      if (!column_read (column, files[i], &error))
        return shardwise_cli_fail (files[i], error);
      shardwise_comparison_add_scenario (comparison, column->name, column->advice, column->scenario,
                                         NULL);
      if (shardwise_advice_get_fits (column->advice))
        status = SHARDWISE_CLI_DONE;
    }
  if (json)
    return shardwise_cli_print_json (comparison_to_json (columns, comparison), status);
  return shardwise_cli_print (csv ? shardwise_comparison_to_csv (comparison)
                                  : comparison_to_text (columns, comparison, all),
                              status);
}

/* ---- sensitivity ---- */

#define USUAL_FACTOR 1.25 /* as in the window's chart of limits on the speed */

static JsonNode *
gains_to_json (const SwProblem *problem, const SwEstimate *estimate, GPtrArray *gains,
               double factor)
{
  JsonObject *object = json_object_new ();
  JsonArray *array = json_array_new ();

  json_object_set_double_member (object, "factor", factor);
  json_object_set_object_member (object, "strategy",
                                 shardwise_strategy_to_object (problem, estimate));
  json_object_set_double_member (object, "tokens_per_s", estimate->tokens_per_s);
  for (guint i = 0; i < gains->len; i++)
    {
      const SwSensitivity *gain = g_ptr_array_index (gains, i);
      JsonObject *row = json_object_new ();
      SwProblem scaled = *problem;
      SwEstimate then;

      sw_problem_scale_resource (&scaled, &estimate->strategy, (SwResource) i, factor);
      sw_estimate (&scaled, &gain->strategy, &then);
      json_object_set_string_member (row, "resource", sw_resource_names[i]);
      json_object_set_double_member (row, "factor", gain->factor);
      json_object_set_boolean_member (row, "runs", gain->runs);
      shardwise_json_set_known (row, "held", gain->held, gain->runs);
      json_object_set_double_member (row, "reoptimised", gain->reoptimised);
      json_object_set_object_member (row, "strategy",
                                     shardwise_strategy_to_object (&scaled, &then));
      json_array_add_object_element (array, row);
    }
  json_object_set_array_member (object, "resources", array);
  return shardwise_json_take_object (object);
}

/* The largest gain first. */
static int
compare_gains (gconstpointer a, gconstpointer b, gpointer gains)
{
  const SwSensitivity *first = g_ptr_array_index ((GPtrArray *) gains, *(const guint *) a),
                      *second = g_ptr_array_index ((GPtrArray *) gains, *(const guint *) b);

  return (first->reoptimised < second->reoptimised) - (first->reoptimised > second->reoptimised);
}

static char *
gains_to_text (const SwEstimate *estimate, GPtrArray *gains, double factor)
{
  g_autofree char *strategy = shardwise_text_strategy (&estimate->strategy),
                  *more = shardwise_text_more (factor),
                  *title = g_strdup_printf (
                      /* Translators: how much more of something ("+25 %"), then a strategy */
                      _ ("Effect of %s of one resource at a time: %s"), more, strategy);
  GString *out = g_string_new (NULL);
  guint order[SW_N_RESOURCES];

  shardwise_cli_append_wrapped (out, "", title);
  for (guint i = 0; i < SW_N_RESOURCES; i++)
    order[i] = i;
  g_qsort_with_data (order, SW_N_RESOURCES, sizeof order[0], compare_gains, gains);
  for (guint i = 0; i < SW_N_RESOURCES; i++)
    {
      g_autofree char *text = shardwise_text_gain (
          (SwResource) order[i], g_ptr_array_index (gains, order[i]), &estimate->strategy);

      shardwise_cli_append_wrapped (out, "  ", text);
    }
  return g_string_free (out, FALSE);
}

static const char *
check_factor (gconstpointer data)
{
  const double factor = *(const double *) data;

  return factor > 1 && factor <= 16 ? NULL : _ ("--factor is out of range; allowed: above 1 to 16");
}

int
shardwise_cli_sensitivity (int argc, char **argv)
{
  double factor = USUAL_FACTOR;
  const GOptionEntry entries[] = {
    { "factor", 0, 0, G_OPTION_ARG_DOUBLE, &factor,
      N_ ("Factor by which a resource grows (default: 1.25, a quarter more)"), "F" },
    { NULL },
  };
  g_auto (ShardwiseCliInput) input = { .check = check_factor, .data = &factor };
  int status = shardwise_cli_input_read (
      &input, argc, argv, entries,
      _ ("Finds what limits the speed: shows the effect of more of each resource."));
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseAdvice) advice = NULL;
  g_autoptr (GPtrArray) gains = NULL;
  const SwProblem *problem;
  const SwEstimate *estimate;

  if (status != SHARDWISE_CLI_DONE)
    return status;
  advice = shardwise_advice_compute (input.scenario, &(ShardwiseAdviceOptions){ .top = 1 }, NULL,
                                     &error);
  if (advice == NULL)
    return shardwise_cli_fail (input.file, error);
  if (!shardwise_advice_get_fits (advice))
    {
      if (input.json)
        return shardwise_cli_print_json (shardwise_advice_to_json (advice),
                                         SHARDWISE_CLI_NOTHING_FITS);
      return shardwise_cli_print (g_strdup_printf ("%s\n", shardwise_advice_get_verdict (advice)),
                                  SHARDWISE_CLI_NOTHING_FITS);
    }
  problem = shardwise_advice_get_problem (advice);
  estimate = shardwise_advice_get_recommended (advice);
  gains = shardwise_sensitivity_compute (problem, estimate, factor, NULL, NULL, NULL, &error);
  if (gains == NULL)
    return shardwise_cli_fail (input.file, error);
  if (input.json)
    return shardwise_cli_print_json (gains_to_json (problem, estimate, gains, factor), status);
  return shardwise_cli_print (gains_to_text (estimate, gains, factor), status);
}
