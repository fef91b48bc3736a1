/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-write-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* GIO writes in place where a file is a link, has a second name or belongs to somebody else, and a
 * disk that is full then costs the old content. Here a new file always takes the old one's
 * place. */

static gboolean
fail (GError **error, const char *path, int code)
{
  g_autofree char *name = g_filename_display_name (path);

  g_set_error (error, G_IO_ERROR, (int) g_io_error_from_errno (code),
               /* Translators: the path of a file, and why */
               _ ("%s cannot be written: %s"), name, g_strerror (code));
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

/* The new file belongs to whom the old one did, as far as that is allowed: only root gives a file
 * back to another user, and a group is kept by its members. Where the group is ours instead, it may
 * do what everybody may. Returns the permissions that the file is to have. */
static mode_t
give_back (int descriptor, const struct stat *before)
{
  const mode_t mode = before->st_mode & 07777;

  if (fchown (descriptor, before->st_uid, before->st_gid) == 0
      || fchown (descriptor, (uid_t) -1, before->st_gid) == 0)
    return mode;
  return (mode & (mode_t) ~S_IRWXG) | ((mode & S_IRWXO) << 3);
}

/* Content and access of the new file; errno says what went wrong. before: of the old one, or
 * NULL. */
static gboolean
fill (int descriptor, const char *text, gsize length, const struct stat *before)
{
  if (!write_all (descriptor, text, length))
    return FALSE;
  if (before != NULL && fchmod (descriptor, give_back (descriptor, before)) != 0)
    return FALSE;
  return fsync (descriptor) == 0;
}

/* The name of the new file lasts, too, when the power fails now. */
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
                   _ ("No file can be made in the folder %s: %s"), name, g_strerror (errno));
      return FALSE;
    }
  if (!fill (descriptor, text, length, before))
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
 * @file: to be written; a link stays one, and what it leads to is replaced
 * @text: the content
 * @length: of @text in bytes
 * @error: (out): which file or folder, and why: of #G_IO_ERROR
 *
 * Writes a file so that at any moment, whatever fails, it is either what it was or @text, whole. A
 * file that is there keeps its permissions; one that may not be written is refused. Blocks.
 *
 * Returns: whether it was written; else the file is as it was
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
      /* A file that may not be written may not be replaced either, though its folder would let us. */
      if (access (target, W_OK) != 0)
        return fail (error, target, errno);
      return replace (target, text, length, &before, error);
    }
  return g_file_replace_contents (file, text, length, NULL, FALSE, G_FILE_CREATE_NONE, NULL, NULL,
                                  error);
}
