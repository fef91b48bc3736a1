/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>
#include <locale.h>

#include "shardwise-application.h"
#include "shardwise-config.h"

int
main (int argc, char *argv[])
{
  g_autoptr (ShardwiseApplication) application = NULL;

  /* Where the user has chosen cairo nothing is drawn with OpenGL: GTK would load its drivers all the
   * same, which takes longer than the first page and more memory. */
  if (g_strcmp0 (g_getenv ("GSK_RENDERER"), "cairo") == 0)
    {
      const char *options = g_getenv ("GDK_DEBUG");
      g_autofree char *more = g_strconcat (options != NULL ? options : "",
                                           options != NULL ? "," : "", "gl-disable", NULL);

      g_setenv ("GDK_DEBUG", more, TRUE);
    }
  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  gtk_disable_setlocale (); /* threads that format numbers begin before GTK */

  application = shardwise_application_new ();
  return g_application_run (G_APPLICATION (application), argc, argv);
}
