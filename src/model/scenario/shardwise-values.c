/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The values of a scenario: an array with one slot per key of the table; NULL: not set. */
#include "shardwise-values.h"

#include "shardwise-error.h"

#include <glib/gi18n.h>
#include <string.h>

static void
value_unref (gpointer value)
{
  if (value != NULL)
    g_variant_unref (value);
}

GPtrArray *
shardwise_values_new (void)
{
  GPtrArray *values = g_ptr_array_new_with_free_func (value_unref);

  g_ptr_array_set_size (values, SHARDWISE_N_KEYS);
  return values;
}

GPtrArray *
shardwise_values_copy (GPtrArray *values)
{
  GPtrArray *copy = shardwise_values_new ();

  for (guint i = 0; i < values->len; i++)
    if (values->pdata[i] != NULL)
      copy->pdata[i] = g_variant_ref (values->pdata[i]);
  return copy;
}

gboolean
shardwise_value_equal (GVariant *a, GVariant *b)
{
  return a == b || (a != NULL && b != NULL && g_variant_equal (a, b));
}

/**
 * shardwise_values_equal:
 * @a: the values of all keys
 * @b: the same for another scenario
 *
 * Returns: whether the same keys are set, to the same values
 */
gboolean
shardwise_values_equal (GPtrArray *a, GPtrArray *b)
{
  for (guint i = 0; i < a->len; i++)
    if (!shardwise_value_equal (a->pdata[i], b->pdata[i]))
      return FALSE;
  return TRUE;
}

void
shardwise_values_set (GPtrArray *values, ShardwiseKeyId id, GVariant *value)
{
  value_unref (values->pdata[id]);
  values->pdata[id] = value != NULL ? g_variant_ref (value) : NULL;
}

GVariant *
shardwise_values_get (GPtrArray *values, ShardwiseKeyId id)
{
  return values->pdata[id];
}

/**
 * shardwise_model_form:
 * @id: a key
 *
 * Returns: the form of a model that @id belongs to
 */
ShardwiseModelForm
shardwise_model_form (ShardwiseKeyId id)
{
  if (id == SHARDWISE_KEY_MODEL_PRESET)
    return SHARDWISE_MODEL_PRESET;
  if (id == SHARDWISE_KEY_MODEL_PARAMETERS_B)
    return SHARDWISE_MODEL_SIZE;
  return g_str_has_prefix (shardwise_key_path (id), "model.") ? SHARDWISE_MODEL_ARCHITECTURE
                                                              : SHARDWISE_MODEL_NONE;
}

/* Drops the keys of every form of a model except @keep. */
void
shardwise_values_drop_other_models (GPtrArray *values, ShardwiseModelForm keep)
{
  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    {
      ShardwiseModelForm form = shardwise_model_form (i);

      if (form != SHARDWISE_MODEL_NONE && form != keep)
        shardwise_values_set (values, i, NULL);
    }
}

/* The number of keys that differ; @key: (out): the last of them. */
guint
shardwise_values_differ (GPtrArray *a, GPtrArray *b, ShardwiseKeyId *key)
{
  guint n = 0;

  for (guint i = 0; i < SHARDWISE_N_KEYS; i++)
    if (!shardwise_value_equal (a->pdata[i], b->pdata[i]))
      {
        *key = i;
        n++;
      }
  return n;
}

static guint
edit_distance (const char *a, const char *b)
{
  gsize n = strlen (b);
  g_autofree guint *row = g_new (guint, n + 1);

  for (gsize j = 0; j <= n; j++)
    row[j] = (guint) j;
  for (gsize i = 1; a[i - 1] != '\0'; i++)
    {
      guint diagonal = row[0];

      row[0] = (guint) i;
      for (gsize j = 1; j <= n; j++)
        {
          guint above = row[j];

          row[j] = MIN (MIN (row[j - 1], above) + 1, diagonal + (a[i - 1] != b[j - 1]));
          diagonal = above;
        }
    }
  return row[n];
}

/**
 * shardwise_unknown_key_error:
 * @path: a path that is not a key
 *
 * Returns: (transfer full): an error with @path and the most similar key
 */
GError *
shardwise_unknown_key_error (const char *path)
{
  guint best = G_MAXUINT;
  const char *nearest = "";
  g_autofree char *head = g_strndup (path, 100);

  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    {
      guint distance = edit_distance (head, shardwise_key_path (i));

      if (distance < best)
        {
          best = distance;
          nearest = shardwise_key_path (i);
        }
    }
  /* Translators: the most similar key that exists */
  return shardwise_error_new (SHARDWISE_ERROR_UNKNOWN_KEY, path,
                              _ ("unknown key; the nearest key is %s"), nearest);
}
