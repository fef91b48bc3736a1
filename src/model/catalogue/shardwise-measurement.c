/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measurements as stored in a scenario file. */
#include "shardwise-measurement.h"

#include <glib/gi18n.h>

#include "shardwise-error.h"

#define PATH "cluster.gpu.measured"

/**
 * shardwise_measured_refuse:
 * @name: a key of the section
 * @text: what is wrong with it
 *
 * Returns: %FALSE
 */
gboolean
shardwise_measured_refuse (GError **error, const char *name, const char *text)
{
  g_autofree char *path = g_strconcat (PATH ".", name, NULL);

  g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_RANGE, path, "%s", text));
  return FALSE;
}

/**
 * shardwise_measured_number:
 * @node: (nullable): a value
 * @name: its key
 * @low: the minimum
 * @high: the maximum
 * @out: (out): the number
 *
 * Returns: whether it is valid
 */
gboolean
shardwise_measured_number (JsonNode *node, const char *name, double low, double high, double *out,
                           GError **error)
{
  const GType type = node != NULL ? json_node_get_value_type (node) : G_TYPE_INVALID;
  g_autofree char *accepted = NULL;

  if (type == G_TYPE_INT64 || type == G_TYPE_DOUBLE)
    {
      *out = json_node_get_double (node);
      if (*out >= low && *out <= high)
        return TRUE;
    }
  /* Translators: two numbers */
  accepted = g_strdup_printf (_ ("must be a number from %g to %g"), low, high);
  return shardwise_measured_refuse (error, name, accepted);
}

/**
 * shardwise_measurement_read:
 * @node: an object of value and spread
 * @name: its key
 * @low: the minimum
 * @high: the maximum
 * @out: (out): the measurement
 *
 * Returns: whether it is valid
 */
gboolean
shardwise_measurement_read (JsonNode *node, const char *name, double low, double high,
                            ShardwiseMeasurement *out, GError **error)
{
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;

  if (object == NULL || json_object_get_size (object) != 2)
    return shardwise_measured_refuse (error, name,
                                      _ ("not a measurement; allowed: value and spread"));
  return shardwise_measured_number (json_object_get_member (object, "value"), name, low, high,
                                    &out->value, error)
         && shardwise_measured_number (json_object_get_member (object, "spread"), name, 0, 10,
                                       &out->spread, error);
}

/* Number of digits: more are noise. */
static double
rounded (double value)
{
  g_autofree char *text = g_strdup_printf ("%.4g", value);

  return g_ascii_strtod (text, NULL);
}

/**
 * shardwise_measurement_to_json:
 * @self: in the file's unit
 * @low: the minimum
 * @high: the maximum
 *
 * Returns: (transfer full): the object
 */
JsonObject *
shardwise_measurement_to_json (const ShardwiseMeasurement *self, double low, double high)
{
  JsonObject *object = json_object_new ();

  json_object_set_double_member (object, "value", rounded (CLAMP (self->value, low, high)));
  json_object_set_double_member (object, "spread", rounded (CLAMP (self->spread, 0, 10)));
  return object;
}
