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
  guint n_keys;

  shardwise_keys (&n_keys);
  g_ptr_array_set_size (values, (int) n_keys);
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
 * @b: as many
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

static guint
key_index (const ShardwiseKey *key)
{
  guint n_keys;

  return (guint) (key - shardwise_keys (&n_keys));
}

void
shardwise_values_set (GPtrArray *values, const ShardwiseKey *key, GVariant *value)
{
  guint index = key_index (key);

  value_unref (values->pdata[index]);
  values->pdata[index] = value != NULL ? g_variant_ref (value) : NULL;
}

GVariant *
shardwise_values_get (GPtrArray *values, const char *path)
{
  const ShardwiseKey *key = shardwise_key_find (path);

  return key != NULL ? values->pdata[key_index (key)] : NULL;
}

/**
 * shardwise_model_form_of_path:
 * @path: a key path
 *
 * Returns: which of the three ways to name a model @path belongs to
 */
ShardwiseModelForm
shardwise_model_form_of_path (const char *path)
{
  if (g_str_equal (path, "model.preset"))
    return SHARDWISE_MODEL_PRESET;
  if (g_str_equal (path, "model.parameters_b"))
    return SHARDWISE_MODEL_SIZE;
  return g_str_has_prefix (path, "model.") ? SHARDWISE_MODEL_ARCHITECTURE : SHARDWISE_MODEL_NONE;
}

/* Drops the keys of every way to say the model but @keep. */
void
shardwise_values_drop_other_models (GPtrArray *values, ShardwiseModelForm keep)
{
  guint n_keys;
  const ShardwiseKey *keys = shardwise_keys (&n_keys);

  for (guint i = 0; i < n_keys; i++)
    {
      ShardwiseModelForm form = shardwise_model_form_of_path (keys[i].path);

      if (form != SHARDWISE_MODEL_NONE && form != keep)
        shardwise_values_set (values, &keys[i], NULL);
    }
}

/* The path of the only key in which the two differ; "" where there are several. */
const char *
shardwise_values_difference (GPtrArray *a, GPtrArray *b)
{
  guint n_keys;
  const ShardwiseKey *keys = shardwise_keys (&n_keys);
  const char *path = NULL;

  for (guint i = 0; i < n_keys; i++)
    if (!shardwise_value_equal (a->pdata[i], b->pdata[i]))
      {
        if (path != NULL)
          return "";
        path = keys[i].path;
      }
  return path;
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
 * @path: a path that is no key
 *
 * Returns: (transfer full): the error that names @path and the key nearest to it
 */
GError *
shardwise_unknown_key_error (const char *path)
{
  guint n_keys, best = G_MAXUINT;
  const ShardwiseKey *keys = shardwise_keys (&n_keys);
  const char *nearest = "";
  g_autofree char *head = g_strndup (path, 100);

  for (guint i = 0; i < n_keys; i++)
    {
      guint distance = edit_distance (head, keys[i].path);

      if (distance < best)
        {
          best = distance;
          nearest = keys[i].path;
        }
    }
  /* Translators: the most similar key that exists */
  return shardwise_error_new (SHARDWISE_ERROR_UNKNOWN_KEY, path,
                              _ ("unknown key, the nearest one is %s"), nearest);
}
