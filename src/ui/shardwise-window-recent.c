/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-window-private.h"

#include <glib/gi18n.h>

#include "shardwise-compat.h"

/* The menu of the Open button: scenarios used last, then examples. */

#define MIME_TYPE "application/vnd.shardwise.scenario+json"
#define MAX_RECENT 8

/* The file was opened or saved now: for this menu, and those of other programs. */
void
shardwise_window_remember (ShardwiseWindow *self, GFile *file)
{
  g_autofree char *uri = g_file_get_uri (file);
  GtkRecentData data = { .mime_type = (char *)MIME_TYPE,
                         .app_name = (char *)"Shardwise",
                         .app_exec = (char *)"shardwise %u" };

  gtk_recent_manager_add_full (gtk_recent_manager_get_default (), uri, &data);
}

static void
add_example (GMenu *menu, const char *label, const char *name)
{
  g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

  g_menu_item_set_action_and_target (item, "win.open-example", "s", name);
  g_menu_append_item (menu, item);
}

static GMenu *
examples_menu (void)
{
  GMenu *menu = g_menu_new ();

  add_example (menu, _("Llama 3 8B, 8 GPUs"), "llama-3-8b-8");
  add_example (menu, _("Llama 3 70B, 32 GPUs"), "llama-3-70b-32");
  add_example (menu, _("Mixtral 8×22B, 128 GPUs"), "mixtral-8x22b-128");
  add_example (menu, _("Llama 3.1 405B, 16,384 GPUs"), "llama-3.1-405b-16384");
  add_example (menu, _("LoRA of Llama 3 70B, 8 A100"), "llama-3-70b-lora-8");
  add_example (menu, _("Long context, 131,072 tokens"), "llama-3-8b-long-context");
  add_example (menu, _("A model too large for its GPUs"), "llama-3.1-405b-too-large");
  return menu;
}

/* The one used last comes first: the list keeps the order in which files were met first. */
static int
compare_recent (gconstpointer a, gconstpointer b)
{
  return g_date_time_compare (gtk_recent_info_get_modified ((GtkRecentInfo *)b),
                              gtk_recent_info_get_modified ((GtkRecentInfo *)a));
}

static gboolean
is_offered (GtkRecentInfo *info)
{
  return g_strcmp0 (gtk_recent_info_get_mime_type (info), MIME_TYPE) == 0
         && gtk_recent_info_exists (info);
}

/* Fills the menu; files that are gone are left out. */
static gboolean
update_cb (gpointer data)
{
  ShardwiseWindow *self = data;
  g_autoptr (GMenu) recent = g_menu_new (), examples = examples_menu ();
  GList *items = g_list_sort (gtk_recent_manager_get_items (gtk_recent_manager_get_default ()),
                              compare_recent);
  guint n = 0;

  self->recent_id = 0;
  for (GList *link = items; link != NULL && n < MAX_RECENT; link = link->next)
    {
      g_autoptr (GMenuItem) item = NULL;
      g_autofree char *label = NULL;

      if (!is_offered (link->data))
        continue;
      label = shardwise_compat_menu_label (gtk_recent_info_get_display_name (link->data));
      item = g_menu_item_new (label, NULL);
      g_menu_item_set_action_and_target (item, "app.open-uri", "s",
                                         gtk_recent_info_get_uri (link->data));
      g_menu_append_item (recent, item);
      n++;
    }
  g_list_free_full (items, (GDestroyNotify)gtk_recent_info_unref);

  shardwise_compat_empty_menu (self->recent_menu);
  if (n > 0)
    g_menu_append_section (self->recent_menu, _("Recent"), G_MENU_MODEL (recent));
  g_menu_append_section (self->recent_menu, _("Examples"), G_MENU_MODEL (examples));
  return G_SOURCE_REMOVE;
}

/* Fills the menu when there is nothing better to do. */
void
shardwise_window_update_recent (ShardwiseWindow *self)
{
  if (self->recent_id == 0)
    self->recent_id = g_idle_add_full (G_PRIORITY_LOW, update_cb, self, NULL);
}
