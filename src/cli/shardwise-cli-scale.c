/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-cli.h"

#include <glib/gi18n.h>

#include "shardwise-sizing.h"
#include "shardwise-texts.h"

#define MOST_GPUS 131072
#define MOST_POINTS 1000

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
points_to_json (const SwProblem *problem, GPtrArray *points, GPtrArray *notes)
{
  JsonObject *object = json_object_new ();
  JsonArray *array = json_array_new ();
  JsonNode *root = json_node_init_object (json_node_alloc (), object);

  for (guint i = 0; i < points->len; i++)
    {
      const ShardwiseSizingPoint *point = g_ptr_array_index (points, i);
      SwProblem sized = *problem;
      JsonNode *node;

      sized.cluster.gpus = point->gpus;
      node = shardwise_estimate_to_json (&sized, &point->estimate, notes);
      json_object_set_int_member (json_node_get_object (node), "gpus", point->gpus);
      json_object_set_double_member (json_node_get_object (node), "days", point->days);
      json_object_set_double_member (json_node_get_object (node), "cost", point->cost);
      json_array_add_element (array, node);
    }
  json_object_set_array_member (object, "points", array);
  json_object_unref (object);
  return root;
}

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
  g_string_append_printf (out, "  %s\n", summary);
}

static char *
points_to_text (GPtrArray *points)
{
  GString *out = g_string_new (NULL);
  const ShardwiseSizingPoint *last = g_ptr_array_index (points, points->len - 1);

  g_string_append_printf (out, "%8s  %10s  %7s", _("GPUs"), _("tokens/s"), _("MFU"));
  if (last->days > 0)
    g_string_append_printf (out, "  %9s", _("days"));
  if (last->cost > 0)
    g_string_append_printf (out, "  %12s", _("cost"));
  g_string_append_printf (out, "  %s\n", _("strategy"));
  for (guint i = 0; i < points->len; i++)
    append_point (out, g_ptr_array_index (points, i));
  return g_string_free (out, FALSE);
}

static gboolean
any_fits (GPtrArray *points)
{
  for (guint i = 0; i < points->len; i++)
    if (((const ShardwiseSizingPoint *) g_ptr_array_index (points, i))->estimate.fits)
      return TRUE;
  return FALSE;
}

static int
scale (ShardwiseCliInput *input, GArray *sizes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) points = NULL, notes = NULL;
  g_autofree char *text = NULL;
  SwProblem problem;
  int status;

  if (!shardwise_scenario_is_set (input->scenario, "cluster.gpus"))
    shardwise_scenario_set (input->scenario, "cluster.gpus",
                            g_variant_new_uint32 (g_array_index (sizes, guint, 0)), NULL);
  points = shardwise_sizing_compute (input->scenario, (const guint *) (gpointer) sizes->data,
                                     sizes->len, NULL, NULL, NULL, &error);
  if (points == NULL || !shardwise_scenario_resolve (input->scenario, &problem, &notes, &error))
    return shardwise_cli_fail (input->file, error);
  status = any_fits (points) ? SHARDWISE_CLI_DONE : SHARDWISE_CLI_NOTHING_FITS;
  if (input->json)
    return shardwise_cli_print_json (points_to_json (&problem, points, notes), status);
  text = points_to_text (points);
  return shardwise_cli_print (text, status);
}

static const char *
check_sizes (gconstpointer data)
{
  const char *const *gpus = data;
  g_autoptr (GArray) sizes = *gpus != NULL ? parse_sizes (*gpus) : NULL;

  return sizes != NULL
           ? NULL
           : _("--gpus needs numbers of GPUs, accepted: 1 to 131072, such as 8,16,32");
}

int
shardwise_cli_scale (int argc, char **argv)
{
  g_autofree char *gpus = NULL;
  ShardwiseCliInput input = { .check = check_sizes, .data = &gpus };
  g_autoptr (GArray) sizes = NULL;
  const GOptionEntry entries[] = {
    { "gpus", 0, 0, G_OPTION_ARG_STRING, &gpus, N_("Numbers of GPUs"), "8,16,…" },
    { NULL },
  };
  int status = shardwise_cli_input_read (&input, argc, argv, entries,
                                         _("The best strategy for each number of GPUs."));

  if (status == SHARDWISE_CLI_DONE)
    {
      sizes = parse_sizes (gpus);
      status = scale (&input, sizes);
    }
  shardwise_cli_input_clear (&input);
  return status;
}
