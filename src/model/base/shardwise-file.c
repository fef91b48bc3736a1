/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole files: reading one that may be hostile, and replacing one. */
#include "shardwise-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shardwise-config.h"
#include "shardwise-json.h"

/* ---- reading ---- */

static GError *
error_too_large (void)
{
  return shardwise_error_new (SHARDWISE_ERROR_SYNTAX, NULL,
                              _ ("too large; allowed: at most %u MiB"),
                              SHARDWISE_JSON_MAX_BYTES / (1024 * 1024));
}

static gboolean
check_file (GFile *file, GCancellable *cancellable, GError **error)
{
  g_autoptr (GFileInfo) info =
      g_file_query_info (file, G_FILE_ATTRIBUTE_STANDARD_TYPE "," G_FILE_ATTRIBUTE_STANDARD_SIZE,
                         G_FILE_QUERY_INFO_NONE, cancellable, error);

  if (info == NULL)
    {
      if (error != NULL && g_error_matches (*error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
        {
          g_free ((*error)->message); /* GLib's message repeats the path and mentions
                                         "information" */
          (*error)->message = g_strdup (_ ("file not found"));
        }
      return FALSE;
    }
  if (g_file_info_get_file_type (info) == G_FILE_TYPE_DIRECTORY)
    g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_SYNTAX, NULL,
                                                   _ ("is a folder; a file is required")));
  else if (g_file_info_get_file_type (info) == G_FILE_TYPE_SYMBOLIC_LINK) /* a broken link */
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, _ ("file not found"));
  else if (g_file_info_get_file_type (info) != G_FILE_TYPE_REGULAR)
    g_propagate_error (
        error, shardwise_error_new (SHARDWISE_ERROR_SYNTAX, NULL, _ ("is not a regular file")));
  else if (g_file_info_get_size (info) > SHARDWISE_JSON_MAX_BYTES)
    g_propagate_error (error, error_too_large ());
  else
    return TRUE;
  return FALSE;
}

/**
 * shardwise_read_stream:
 * @stream: a file, a pipe, standard input
 * @cancellable: (nullable): stops it
 *
 * Returns: (transfer full): the content of @stream without a byte-order mark, at most
 * %SHARDWISE_JSON_MAX_BYTES; %NULL with @error
 */
GBytes *
shardwise_read_stream (GInputStream *stream, GCancellable *cancellable, GError **error)
{
  g_autoptr (GByteArray) array = g_byte_array_new ();
  guint8 buffer[65536];
  gssize n;

  g_return_val_if_fail (G_IS_INPUT_STREAM (stream), NULL);

  while ((n = g_input_stream_read (stream, buffer, sizeof buffer, cancellable, error)) > 0)
    {
      g_byte_array_append (array, buffer, (guint) n);
      if (array->len > SHARDWISE_JSON_MAX_BYTES)
        {
          g_propagate_error (error, error_too_large ());
          return NULL;
        }
    }
  if (n < 0)
    return NULL;
  /* Editors on other systems put U+FEFF before a text; no syntax here allows it. */
  if (array->len >= 3 && memcmp (array->data, "\xEF\xBB\xBF", 3) == 0)
    g_byte_array_remove_range (array, 0, 3);
  return g_byte_array_free_to_bytes (g_steal_pointer (&array));
}

/**
 * shardwise_read_file:
 * @file: a file
 * @cancellable: (nullable): stops it
 *
 * Reads a file that may be hostile: folders, devices and files over %SHARDWISE_JSON_MAX_BYTES are
 * rejected before reading, and reading stops if the file grows beyond it.
 *
 * Returns: (transfer full): the bytes, or %NULL with @error set
 */
GBytes *
shardwise_read_file (GFile *file, GCancellable *cancellable, GError **error)
{
  g_autoptr (GFileInputStream) stream = NULL;
  GBytes *bytes;

  g_return_val_if_fail (G_IS_FILE (file), NULL);

  if (!check_file (file, cancellable, error))
    return NULL;
  stream = g_file_read (file, cancellable, error);
  if (stream == NULL)
    return NULL;
  bytes = shardwise_read_stream (G_INPUT_STREAM (stream), cancellable, error);
  if (bytes != NULL)
    g_debug ("read %s: %" G_GSIZE_FORMAT " bytes", g_file_peek_path (file),
             g_bytes_get_size (bytes));
  return bytes;
}

/* ---- writing ---- */

/* GIO writes in place if a file is a link, has a second name or belongs to someone else, which
 * loses the old content if the disk is full. Here a new file always replaces the old one. */

static gboolean
fail (GError **error, const char *path, int code)
{
  g_autofree char *name = g_filename_display_name (path);

  g_set_error (error, G_IO_ERROR, (int) g_io_error_from_errno (code),
               /* Translators: the path of a file, and why */
               _ ("Cannot write %s: %s"), name, g_strerror (code));
  return FALSE;
}

static gboolean
write_all (int descriptor, const char *text, gsize length)
{
  while (length > 0)
    {
      gssize written = write (descriptor, text, length);

      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0)
        return FALSE;
      text += written;
      length -= (gsize) written;
    }
  return TRUE;
}

/* Gives the new file the owner of the old one as far as possible: only root can give a file to
 * another user, and members of a group can keep it. If the group becomes ours instead, it gets the
 * permissions of everybody. Returns: the permissions for the file. */
static mode_t
give_back (int descriptor, const struct stat *before)
{
  const mode_t mode = before->st_mode & 07777;

  if (fchown (descriptor, before->st_uid, before->st_gid) == 0
      || fchown (descriptor, (uid_t) -1, before->st_gid) == 0)
    return mode;
  return (mode & (mode_t) ~S_IRWXG) | ((mode & S_IRWXO) << 3);
}

/* Makes the new name durable, too, in case the power fails now. */
static void
sync_folder (const char *folder)
{
  int descriptor = g_open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

  if (descriptor < 0)
    return;
  if (fsync (descriptor) != 0)
    g_debug ("%s: %s", folder, g_strerror (errno));
  close (descriptor);
}

static gboolean
replace (const char *path, const char *text, gsize length, const struct stat *before,
         GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *other = g_build_filename (folder, ".shardwise-XXXXXX", NULL);
  int descriptor = g_mkstemp_full (other, O_WRONLY | O_CLOEXEC, before != NULL ? 0600 : 0666);
  int code = 0;

  if (descriptor < 0)
    {
      g_autofree char *name = g_filename_display_name (folder);

      g_set_error (error, G_IO_ERROR, (int) g_io_error_from_errno (errno),
                   /* Translators: the path of a folder, and why */
                   _ ("Cannot create a file in the folder %s: %s"), name, g_strerror (errno));
      return FALSE;
    }
  if (!write_all (descriptor, text, length)
      || (before != NULL && fchmod (descriptor, give_back (descriptor, before)) != 0)
      || fsync (descriptor) != 0)
    code = errno;
  if (close (descriptor) != 0 && code == 0)
    code = errno;
  if (code == 0 && g_rename (other, path) != 0)
    code = errno;
  if (code != 0)
    {
      g_unlink (other);
      return fail (error, path, code);
    }
  sync_folder (folder);
  return TRUE;
}

/**
 * shardwise_write_file:
 * @file: the file; a link stays a link, and its target is replaced
 * @text: the content
 * @length: of @text in bytes
 * @error: (out): the file or folder and the reason, of #G_IO_ERROR
 *
 * Writes a file atomically: whatever fails, it has either its old content or all of @text. An
 * existing file keeps its permissions; a read-only file is rejected. Blocks.
 *
 * Returns: whether it was written; if not, the file is unchanged
 */
gboolean
shardwise_write_file (GFile *file, const char *text, gsize length, GError **error)
{
  g_autofree char *path = NULL;

  g_return_val_if_fail (G_IS_FILE (file), FALSE);
  g_return_val_if_fail (text != NULL, FALSE);

  path = g_file_is_native (file) ? g_file_get_path (file) : NULL;
  if (path != NULL)
    {
      g_autofree char *target = NULL;
      char *resolved = realpath (path, NULL);
      struct stat before;

      if (resolved == NULL && (errno != ENOENT || g_file_test (path, G_FILE_TEST_IS_SYMLINK)))
        return fail (error, path, errno);
      if (resolved == NULL)
        return replace (path, text, length, NULL, error);
      target = g_strdup (resolved);
      free (resolved);
      if (stat (target, &before) != 0)
        return fail (error, target, errno);
      if (S_ISDIR (before.st_mode))
        return fail (error, target, EISDIR);
      if (!S_ISREG (before.st_mode))
        return fail (error, target, EINVAL);
      /* A read-only file must not be replaced, although its folder would allow it. */
      if (access (target, W_OK) != 0)
        return fail (error, target, errno);
      return replace (target, text, length, &before, error);
    }
  return g_file_replace_contents (file, text, length, NULL, FALSE, G_FILE_CREATE_NONE, NULL, NULL,
                                  error);
}

/**
 * shardwise_user_file:
 * @name: name of a file
 *
 * Returns: (transfer full): its path in the user's data directory, the same for window and command
 * line
 */
char *
shardwise_user_file (const char *name)
{
  return g_build_filename (g_get_user_data_dir (), APPLICATION_ID, name, NULL);
}
