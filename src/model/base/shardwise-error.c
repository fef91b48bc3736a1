/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-error.h"

typedef struct {
  char *path;
} ShardwiseErrorPrivate;

static void
shardwise_error_private_init (ShardwiseErrorPrivate *priv)
{}

static void
shardwise_error_private_copy (const ShardwiseErrorPrivate *src, ShardwiseErrorPrivate *dest)
{
  dest->path = g_strdup (src->path);
}

static void
shardwise_error_private_clear (ShardwiseErrorPrivate *priv)
{
  g_clear_pointer (&priv->path, g_free);
}

G_DEFINE_EXTENDED_ERROR (ShardwiseError, shardwise_error)

/**
 * shardwise_error_path:
 * @error: any error
 *
 * Returns: (transfer none) (nullable): the key path at which @error happened, "cluster.gpus";
 *   %NULL if it has none or is of another domain
 */
const char *
shardwise_error_path (const GError *error)
{
  g_return_val_if_fail (error != NULL, NULL);

  if (error->domain != SHARDWISE_ERROR)
    return NULL;
  return shardwise_error_get_private (error)->path;
}

/**
 * shardwise_error_new:
 * @code: the kind
 * @path: (nullable): key path; becomes the beginning of the message
 * @format: printf format of the problem and the allowed values
 *
 * Returns: (transfer full): a new error of %SHARDWISE_ERROR
 */
GError *
shardwise_error_new (ShardwiseError code, const char *path, const char *format, ...)
{
  g_autofree char *text = NULL, *whole = NULL, *message = NULL;
  GError *error;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);

  whole = path != NULL && *path != '\0' ? g_strdup_printf ("%s: %s", path, text) : g_strdup (text);

  /* Messages contain values and keys of a hostile file, possibly cut within a character: makes one
   * line of valid UTF-8. */
  char *tidied = g_utf8_make_valid (whole, -1);

  for (char *p = tidied; *p != '\0'; p++)
    if (g_ascii_iscntrl (*p))
      *p = ' ';
  message = tidied;
  error = g_error_new_literal (SHARDWISE_ERROR, (int) code, message);
  shardwise_error_get_private (error)->path = g_strdup (path);
  return error;
}
