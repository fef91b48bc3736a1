/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of constants. */
#include "fit-write.h"

#include "fit-residual.h"
#include "fit-report.h"

#include <math.h>
#include <string.h>

static void
set_constant (JsonObject *root, const FitParameter *parameter)
{
  g_auto (GStrv) parts = g_strsplit (parameter->spec->name, ".", -1);
  g_autofree char *source = g_strdup_printf ("fitted on measured_runs.csv, prior %.4g",
                                             parameter->spec->prior);
  JsonObject *object = root;

  for (guint i = 0; parts[i] != NULL; i++)
    object = json_object_get_object_member (object, parts[i]);
  json_object_set_double_member (object, "value", *parameter->value);
  json_object_set_string_member (object, "source", source);
}

static int
compare_ids (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* The GPUs on which runs were measured: figures of all others are not validated. */
static void
set_measured_gpus (const Fit *fit, JsonObject *root)
{
  g_autoptr (GPtrArray) ids = g_ptr_array_new ();
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < fit->n_samples; i++)
    {
      char *id = fit->sample[i].run.problem.cluster.gpu.id;

      if (!g_ptr_array_find_with_equal_func (ids, id, g_str_equal, NULL))
        g_ptr_array_add (ids, id);
    }
  g_ptr_array_sort (ids, compare_ids);
  for (guint i = 0; i < ids->len; i++)
    json_array_add_string_element (array, g_ptr_array_index (ids, i));
  json_object_set_array_member (root, "measured_gpus", array);
}

static void append_node (GString *out, JsonNode *node, guint depth);

static void
append_object (GString *out, JsonObject *object, guint depth)
{
  g_autoptr (GList) names = json_object_get_members (object);

  g_string_append (out, "{\n");
  for (GList *l = names; l != NULL; l = l->next)
    {
      g_string_append_printf (out, "%*s\"%s\": ", 2 * (depth + 1), "", (char *) l->data);
      append_node (out, json_object_get_member (object, l->data), depth + 1);
      g_string_append (out, l->next != NULL ? ",\n" : "\n");
    }
  g_string_append_printf (out, "%*s}", 2 * depth, "");
}

static void
append_array (GString *out, JsonArray *array, guint depth)
{
  g_string_append (out, "[\n");
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      g_string_append_printf (out, "%*s", 2 * (depth + 1), "");
      append_node (out, json_array_get_element (array, i), depth + 1);
      g_string_append (out, i + 1 < json_array_get_length (array) ? ",\n" : "\n");
    }
  g_string_append_printf (out, "%*s]", 2 * depth, "");
}

/* As json-glib would write it, but with numbers of six digits, which a reviewer can read. */
static void
append_node (GString *out, JsonNode *node, guint depth)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (JSON_NODE_HOLDS_OBJECT (node))
    append_object (out, json_node_get_object (node), depth);
  else if (JSON_NODE_HOLDS_ARRAY (node))
    append_array (out, json_node_get_array (node), depth);
  else if (json_node_get_value_type (node) == G_TYPE_DOUBLE)
    g_string_append (out,
                     g_ascii_formatd (number, sizeof number, "%.6g", json_node_get_double (node)));
  else
    {
      g_autofree char *text = json_to_string (node, FALSE);

      g_string_append (out, text);
    }
}

/* To four digits, as constants are. */
static double
rounded (double value)
{
  return round (value * 1e4) / 1e4;
}

static void
set_accuracy (const Fit *fit, const FitLeftOut *halves, JsonObject *root)
{
  JsonObject *all = json_object_new ();
  SwAccuracy accuracy[2];

  fit_accuracy (fit, halves, accuracy);
  for (guint i = 0; i < G_N_ELEMENTS (accuracy); i++)
    {
      JsonObject *one = json_object_new ();

      json_object_set_double_member (one, "time_median", rounded (accuracy[i].time_median));
      json_object_set_double_member (one, "time_p90", rounded (accuracy[i].time_p90));
      json_object_set_double_member (one, "memory_median", rounded (accuracy[i].memory_median));
      json_object_set_double_member (one, "memory_p90", rounded (accuracy[i].memory_p90));
      json_object_set_object_member (all, sw_accuracy_names[i], one);
    }
  json_object_set_object_member (root, "accuracy", all);
}

/**
 * fit_write:
 * @fit: the constants
 * @halves: errors of each half of the sources by a fit of the other, for the stated accuracy
 * @left_out: errors of what the fit had not seen, for the table of residuals
 * @path: a calibration.json; what the fit does not know is kept
 * @error: why the file cannot be read or written
 *
 * Returns: whether the file was written
 */
gboolean
fit_write (const Fit *fit, const FitLeftOut *halves, const FitLeftOut *left_out, const char *path,
           GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GString) out = g_string_new (NULL);
  JsonObject *root;

  if (!json_parser_load_from_file (parser, path, error))
    return FALSE;
  root = json_node_get_object (json_parser_get_root (parser));
  for (FitKind kind = 0; kind < FIT_N_SECTIONS; kind++)
    for (guint i = 0; i < fit->n_constants[kind]; i++)
      set_constant (root, &fit->parameter[kind][i]);
  fit_set_residuals (fit, left_out, root);
  set_accuracy (fit, halves, root);
  set_measured_gpus (fit, root);
  append_node (out, json_parser_get_root (parser), 0);
  g_string_append_c (out, '\n');
  return g_file_set_contents (path, out->str, (gssize) out->len, error);
}

/**
 * fit_compare:
 * @fit: the constants that the fit yields
 * @tolerance: the relative difference that counts as equal
 *
 * Returns: how many of the compiled-in constants are others; each is printed
 */
guint
fit_compare (const Fit *fit, double tolerance)
{
  SwCalibration committed = *shardwise_catalogue_calibration (shardwise_catalogue_get ());
  guint wrong = 0;

  for (FitKind kind = 0; kind < FIT_N_SECTIONS; kind++)
    for (guint i = 0; i < fit->n_constants[kind]; i++)
      {
        const FitParameter *parameter = &fit->parameter[kind][i];
        double value = *sw_calibration_lookup (&committed, parameter->spec->name);

        if (fabs (value - *parameter->value) <= tolerance * fabs (*parameter->value))
          continue;
        g_printerr ("%s: the fit yields %.4g, calibration.json says %.4g\n", parameter->spec->name,
                    *parameter->value, value);
        wrong++;
      }
  return wrong;
}
