/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of a scenario as numbers and texts. */
#include "shardwise-scenario-private.h"

static double
number_of (GVariant *value, double fallback)
{
  if (value == NULL)
    return fallback;
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_INT64))
    return (double) g_variant_get_int64 (value);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE))
    return g_variant_get_double (value);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    return g_variant_get_boolean (value);
  return fallback;
}

/* The number or boolean that was set at @path, else @fallback. */
double
shardwise_scenario_peek_number (ShardwiseScenario *self, const char *path, double fallback)
{
  return number_of (shardwise_scenario_peek (self, path), fallback);
}

/* The text that was set at @path: (transfer none) (nullable). */
const char *
shardwise_scenario_peek_string (ShardwiseScenario *self, const char *path)
{
  GVariant *value = shardwise_scenario_peek (self, path);

  return value != NULL && g_variant_is_of_type (value, G_VARIANT_TYPE_STRING)
             ? g_variant_get_string (value, NULL)
             : NULL;
}

/**
 * shardwise_scenario_get_string:
 *
 * Returns: (transfer full) (nullable): the value at @path, or its default, as text: numbers in the
 * C locale, an array's words joined by commas
 */
char *
shardwise_scenario_get_string (ShardwiseScenario *self, const char *path)
{
  g_autoptr (GVariant) value = shardwise_scenario_get (self, path);
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (value == NULL)
    return NULL;
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    return g_variant_dup_string (value, NULL);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    return g_strdup (g_variant_get_boolean (value) ? "true" : "false");
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING_ARRAY))
    {
      g_autofree const char **words = g_variant_get_strv (value, NULL);

      return g_strjoinv (",", (char **) words);
    }
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_INT64))
    return g_strdup_printf ("%" G_GINT64_FORMAT, g_variant_get_int64 (value));
  return g_strdup (g_ascii_formatd (buffer, sizeof buffer, "%.15g", g_variant_get_double (value)));
}

/**
 * shardwise_scenario_get_number:
 *
 * Returns: the number (or 0 and 1 of a boolean) at @path, or its default; @fallback where it has
 * neither
 */
double
shardwise_scenario_get_number (ShardwiseScenario *self, const char *path, double fallback)
{
  g_autoptr (GVariant) value = shardwise_scenario_get (self, path);

  return number_of (value, fallback);
}
