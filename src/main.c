/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>
#include <locale.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "shardwise-application.h"
#include "shardwise-config.h"

/* Where the user has chosen cairo nothing is drawn with OpenGL: GTK would load its drivers all the
 * same, which takes longer than the first page and more memory. */
static void
leave_gl_out (void)
{
  const char *options = g_getenv ("GDK_DEBUG");
  g_autofree char *more = NULL;

  if (g_strcmp0 (g_getenv ("GSK_RENDERER"), "cairo") != 0)
    return;
  more =
    g_strconcat (options != NULL ? options : "", options != NULL ? "," : "", "gl-disable", NULL);
  g_setenv ("GDK_DEBUG", more, TRUE);
}

/* A search takes much memory for a moment and gives it back: to the system, not to be kept by the
 * allocator for later, in as many heaps as there were threads. */
static void
give_memory_back (void)
{
#ifdef __GLIBC__
  mallopt (M_MMAP_THRESHOLD, 128 * 1024);
  mallopt (M_TRIM_THRESHOLD, 256 * 1024);
  mallopt (M_ARENA_MAX, 2);
#endif
}

int
main (int argc, char *argv[])
{
  g_autoptr (ShardwiseApplication) application = NULL;

  give_memory_back ();
  leave_gl_out ();
  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  application = shardwise_application_new ();
  return g_application_run (G_APPLICATION (application), argc, argv);
}
