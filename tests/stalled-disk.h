/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <errno.h>
#include <glib.h>
#include <unistd.h>

G_BEGIN_DECLS

/* A disk that stalls, or fails: whoever writes below a folder waits in fsync () until it goes on.
 * For one file of a test program: it takes the place of the C library's. */
static struct {
  GMutex mutex;
  GCond cond;
  const char *folder; /* (nullable): nothing stalls */
  const char *broken; /* (nullable): nothing fails */
  guint waiting, n;
} disk;

static inline gboolean
disk_is_below (int descriptor, const char *folder)
{
  g_autofree char *name = g_strdup_printf ("/proc/self/fd/%d", descriptor);
  g_autofree char *path = g_file_read_link (name, NULL);

  return folder != NULL && path != NULL && g_str_has_prefix (path, folder);
}

int fsync (int descriptor);
int fdatasync (int descriptor);

int
fsync (int descriptor)
{
  gboolean stalls, fails;

  g_mutex_lock (&disk.mutex);
  disk.n++;
  stalls = disk_is_below (descriptor, disk.folder);
  disk.waiting += stalls;
  g_cond_broadcast (&disk.cond);
  if (stalls)
    g_main_context_wakeup (NULL); /* which may wait for that */
  while (stalls && disk.folder != NULL)
    g_cond_wait (&disk.cond, &disk.mutex);
  disk.waiting -= stalls;
  fails = disk_is_below (descriptor, disk.broken);
  g_mutex_unlock (&disk.mutex);
  if (fails)
    errno = EIO;
  return fails ? -1 : 0;
}

/* As SQLite does. */
int
fdatasync (int descriptor)
{
  return fsync (descriptor);
}

/* From now on. */
static inline void
disk_stall (const char *folder)
{
  g_mutex_lock (&disk.mutex);
  disk.folder = folder;
  disk.n = 0;
  g_mutex_unlock (&disk.mutex);
}

/* Waits until somebody waits for the disk. */
static inline void
disk_await (void)
{
  g_mutex_lock (&disk.mutex);
  while (disk.waiting == 0)
    g_cond_wait (&disk.cond, &disk.mutex);
  g_mutex_unlock (&disk.mutex);
}

/* From now on, until it is NULL. */
static inline void
disk_break (const char *folder)
{
  g_mutex_lock (&disk.mutex);
  disk.broken = folder;
  g_mutex_unlock (&disk.mutex);
}

static inline void
disk_go_on (void)
{
  g_mutex_lock (&disk.mutex);
  disk.folder = NULL;
  g_cond_broadcast (&disk.cond);
  g_mutex_unlock (&disk.mutex);
}

G_END_DECLS
