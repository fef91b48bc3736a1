/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models that a machine can train, and machines that a model needs. */
#include "shardwise-cli-plan.h"

#include <glib/gi18n.h>

#include "shardwise-capacity.h"
#include "shardwise-catalogue.h"
#include "shardwise-cli-input.h"
#include "shardwise-cli-output.h"
#include "shardwise-format.h"

/* The number of printed GPUs per method; the JSON contains all. */
#define MOST_ROWS 12

static void
append_machine (GString *out, const ShardwiseCapacity *capacity)
{
  const SwProblem *problem = &capacity->problem;
  g_autofree char *length = shardwise_format_whole (problem->training.sequence_length);

  /* Translators: a number, the name of a GPU, a number of tokens */
  g_string_append_printf (out, _ ("%u %s, sequences of at least %s tokens"), problem->cluster.gpus,
                          problem->cluster.gpu.name, length);
  g_string_append_c (out, '\n');
  for (guint i = 0; i < capacity->rows->len; i++)
    {
      const ShardwiseCapacityRow *row = g_ptr_array_index (capacity->rows, i);

      g_string_append_printf (out, "\n%s\n", row->name);
      for (guint t = 0; t < SHARDWISE_N_TUNINGS; t++)
        {
          const ShardwiseCapacityCell *cell = &row->cells[t];
          g_autofree char *text = shardwise_capacity_text (cell);

          shardwise_cli_append_row (out, shardwise_tuning_title (cell->tuning), text);
        }
    }
}

static void
append_method (GString *out, const ShardwiseCapacity *capacity, ShardwiseTuning tuning)
{
  g_autoptr (GPtrArray) sorted = shardwise_capacity_by_price (capacity, tuning);

  g_string_append_printf (out, "\n%s\n", shardwise_tuning_title (tuning));
  if (sorted->len == 0)
    g_string_append_printf (out, "  %s\n", _ ("does not fit"));
  for (guint i = 0; i < MIN (sorted->len, MOST_ROWS); i++)
    {
      const ShardwiseCapacityRow *row = g_ptr_array_index (sorted, i);
      const ShardwiseCapacityCell *cell = &row->cells[tuning];
      g_autofree char *gpus = g_strdup_printf ("%u %s", cell->gpus, row->name);
      g_autofree char *text = shardwise_capacity_text (cell);
      g_autofree char *price = cell->price_per_hour > 0
                                   ? shardwise_format_price (cell->price_per_hour, cell->currency)
                                   : NULL;
      /* Translators: a price and the month in which it was looked up */
      g_autofree char *dated = price != NULL ? g_strdup_printf (_ ("%s an hour (%s)"), price,
                                                                cell->price_date)
                                             : g_strdup (_ ("price unknown"));
      /* Translators: a price, and figures of a strategy */
      g_autofree char *value = g_strdup_printf (_ ("%s: %s"), dated, text);

      shardwise_cli_append_row (out, gpus, value);
    }
}

static char *
to_text (const ShardwiseCapacity *capacity)
{
  GString *out = g_string_new (NULL);

  if (!capacity->of_gpus)
    {
      append_machine (out, capacity);
      return g_string_free (out, FALSE);
    }
  /* Translators: the name of a model */
  g_string_append_printf (
      out, _ ("GPUs for %s: the fewest on which it is certain to fit, lowest hourly price first"),
      capacity->problem.model.name);
  g_string_append_c (out, '\n');
  for (guint t = 0; t < SHARDWISE_N_TUNINGS; t++)
    append_method (out, capacity, (ShardwiseTuning) t);
  return g_string_free (out, FALSE);
}

/* @models: (nullable): models to try on the machine of the input. */
static int
plan (ShardwiseCliInput *input, gboolean has_machine, const char *models)
{
  g_auto (GStrv) ids = models != NULL ? g_strsplit (models, ",", -1) : NULL;
  g_autoptr (ShardwiseCapacity) capacity = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  if (has_machine && !shardwise_scenario_is_set (input->scenario, SHARDWISE_KEY_CLUSTER_GPUS))
    shardwise_scenario_set (input->scenario, SHARDWISE_KEY_CLUSTER_GPUS, g_variant_new_int64 (1),
                            NULL);
  capacity = has_machine ? shardwise_capacity_of_machine (
                 input->scenario, (const char *const *) ids, NULL, NULL, NULL, &error)
                         : shardwise_capacity_for_model (input->scenario, NULL, NULL, NULL, &error);
  if (capacity == NULL)
    return shardwise_cli_fail (input->file, error);
  status = shardwise_capacity_fits (capacity) ? SHARDWISE_CLI_DONE : SHARDWISE_CLI_NOTHING_FITS;
  return input->json ? shardwise_cli_print_json (shardwise_capacity_to_json (capacity), status)
                     : shardwise_cli_print (to_text (capacity), status);
}

int
shardwise_cli_plan (int argc, char **argv)
{
  g_autofree char *models = NULL;
  const GOptionEntry entries[] = {
    { "models", 0, 0, G_OPTION_ARG_STRING, &models,
      N_ ("Models to try on the machine (default: one or two of each size)"), "ID,ID,…" },
    { NULL },
  };
  g_auto (ShardwiseCliInput) input = { .file = NULL };
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  gboolean has_machine;
  int status;

  /* A GPU name alone means that machine. */
  for (int i = 0; i < argc; i++)
    {
      if (i > 0 && shardwise_catalogue_find_gpu (shardwise_catalogue_get (), argv[i]) != NULL
          && !g_str_has_prefix (argv[i - 1], "--"))
        g_ptr_array_add (arguments, (gpointer) "--gpu");
      g_ptr_array_add (arguments, argv[i]);
    }
  g_ptr_array_add (arguments, NULL);
  status = shardwise_cli_input_read (
      &input, (int) arguments->len - 1, (char **) arguments->pdata, entries,
      _ ("Lists what a GPU can fine-tune, or which GPUs a model needs."));
  if (status != SHARDWISE_CLI_DONE)
    return status;
  has_machine = shardwise_scenario_is_set (input.scenario, SHARDWISE_KEY_CLUSTER_GPU)
                || shardwise_scenario_is_set (input.scenario, SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB);
  if (models != NULL && !has_machine)
    return shardwise_cli_usage (argv[0], _ ("--models requires a GPU"));
  return plan (&input, has_machine, models);
}
