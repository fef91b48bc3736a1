/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-window-private.h"

#include <glib/gi18n.h>

#include "shardwise-compat.h"
#include "shardwise-config.h"

/* The menu of the Open button: scenarios used last, then examples. */

#define MIME_TYPE "application/vnd.shardwise.scenario+json"
#define MAX_RECENT 8

/* The file was opened or saved now: for this menu, and those of other programs. */
void
shardwise_window_remember (ShardwiseWindow *self, GFile *file)
{
  g_autofree char *uri = g_file_get_uri (file);
  GtkRecentData data = { .mime_type = (char *) MIME_TYPE,
                         .app_name = (char *) "Shardwise",
                         .app_exec = (char *) "shardwise %u" };

  gtk_recent_manager_add_full (gtk_recent_manager_get_default (), uri, &data);
}

/* Named as on the start page. */
static const struct {
  const char *id, *name;
} examples[] = {
  { "llama-3-8b-8", N_ ("Llama 3 8B on one node") },
  { "llama-3-70b-32", N_ ("Llama 3 70B on four nodes") },
  { "mixtral-8x22b-128", N_ ("Mixtral 8x22B, a mixture of experts") },
  { "llama-3.1-405b-16384", N_ ("Llama 3.1 405B, 16,384 GPUs") },
  { "llama-3-70b-lora-8", N_ ("LoRA of Llama 3 70B, 8 A100") },
  { "llama-3-8b-long-context", N_ ("Long context, 131,072 tokens") },
  { "llama-3.1-405b-too-large", N_ ("A model too large for its GPUs") },
};

/* (transfer full) (nullable): an example as its file has it, with its name translated. */
static char *
read_example (const char *id)
{
  g_autofree char *path = g_strdup_printf (APPLICATION_PATH "/examples/%s.shardwise", id);
  g_autoptr (GBytes) bytes = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  g_autoptr (ShardwiseScenario) scenario = NULL;

  if (bytes != NULL)
    scenario = shardwise_scenario_from_json (g_bytes_get_data (bytes, NULL),
                                             (gssize) g_bytes_get_size (bytes), NULL);
  if (scenario == NULL)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (examples); i++)
    if (g_str_equal (examples[i].id, id))
      shardwise_scenario_set (scenario, "name", g_variant_new_string (_ (examples[i].name)), NULL);
  return shardwise_scenario_to_json (scenario);
}

/* Opens one of the compiled-in examples as a new scenario. */
void
shardwise_window_open_example (ShardwiseWindow *self, const char *id)
{
  g_autofree char *text = read_example (id);

  if (text == NULL)
    shardwise_window_tell_open_error (self, id, _ ("There is no such example."));
  else
    shardwise_window_open_text (self, text, -1, id);
}

static GMenu *
examples_menu (void)
{
  GMenu *menu = g_menu_new ();

  for (guint i = 0; i < G_N_ELEMENTS (examples); i++)
    {
      g_autoptr (GMenuItem) item = g_menu_item_new (_ (examples[i].name), NULL);

      g_menu_item_set_action_and_target (item, "win.open-example", "s", examples[i].id);
      g_menu_append_item (menu, item);
    }
  return menu;
}

/* The one used last comes first: the list keeps the order in which files were met first. */
static int
compare_recent (gconstpointer a, gconstpointer b)
{
  return g_date_time_compare (gtk_recent_info_get_modified ((GtkRecentInfo *) b),
                              gtk_recent_info_get_modified ((GtkRecentInfo *) a));
}

static GMenuItem *
item_for (GtkRecentInfo *info)
{
  g_autofree char *label = shardwise_compat_menu_label (gtk_recent_info_get_display_name (info));
  GMenuItem *item = g_menu_item_new (label, NULL);

  g_menu_item_set_action_and_target (item, "app.open-uri", "s", gtk_recent_info_get_uri (info));
  return item;
}

/* (transfer full): items for all scenarios that were used, the last one first. */
static GPtrArray *
list_recent (void)
{
  GPtrArray *items = g_ptr_array_new_with_free_func (g_object_unref);
  GList *infos = g_list_sort (gtk_recent_manager_get_items (gtk_recent_manager_get_default ()),
                              compare_recent);

  for (GList *link = infos; link != NULL; link = link->next)
    if (g_strcmp0 (gtk_recent_info_get_mime_type (link->data), MIME_TYPE) == 0)
      g_ptr_array_add (items, item_for (link->data));
  g_list_free_full (infos, (GDestroyNotify) gtk_recent_info_unref);
  return items;
}

static gboolean
is_there (GMenuItem *item)
{
  g_autoptr (GVariant) uri = g_menu_item_get_attribute_value (item, G_MENU_ATTRIBUTE_TARGET,
                                                              G_VARIANT_TYPE_STRING);
  g_autofree char *path = g_filename_from_uri (g_variant_get_string (uri, NULL), NULL, NULL);

  return path != NULL && g_file_test (path, G_FILE_TEST_EXISTS);
}

/* Leaves out files that are gone: one may lie on a disk that is slow to say so. */
static void
find_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GPtrArray *items = data, *found = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < items->len && found->len < MAX_RECENT; i++)
    if (is_there (items->pdata[i]))
      g_ptr_array_add (found, g_object_ref (items->pdata[i]));
  g_task_return_pointer (task, found, (GDestroyNotify) g_ptr_array_unref);
}

/* recent: of GMenuItem */
static void
fill (ShardwiseWindow *self, GPtrArray *recent)
{
  g_autoptr (GMenu) section = g_menu_new (), known = examples_menu ();

  for (guint i = 0; i < recent->len; i++)
    g_menu_append_item (section, recent->pdata[i]);
  shardwise_compat_empty_menu (self->recent_menu);
  if (recent->len > 0)
    g_menu_append_section (self->recent_menu, _ ("Recent"), G_MENU_MODEL (section));
  g_menu_append_section (self->recent_menu, _ ("Examples"), G_MENU_MODEL (known));
}

static void
found_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GPtrArray) recent = g_task_propagate_pointer (G_TASK (result), NULL);
  g_autoptr (ShardwiseWindow) self = g_weak_ref_get (data);
  gboolean again;

  g_weak_ref_clear (data);
  g_free (data);
  if (self == NULL || self->cancellable == NULL) /* it is gone */
    return;
  again = self->recent_again;
  self->recent_finding = self->recent_again = FALSE;
  fill (self, recent);
  if (again)
    shardwise_window_update_recent (self);
}

/* Looks for what is there on one thread at a time; the examples do not wait for it. The task does
 * not hold the window, which can be closed meanwhile. */
static gboolean
update_cb (gpointer data)
{
  ShardwiseWindow *self = data;
  g_autoptr (GPtrArray) items = NULL;
  g_autoptr (GTask) task = NULL;
  GWeakRef *weak;

  self->recent_id = 0;
  self->recent_again = self->recent_finding;
  if (self->recent_finding)
    return G_SOURCE_REMOVE;
  items = list_recent ();
  if (items->len == 0 || g_menu_model_get_n_items (G_MENU_MODEL (self->recent_menu)) == 0)
    {
      g_autoptr (GPtrArray) none = g_ptr_array_new ();

      fill (self, none);
    }
  if (items->len == 0)
    return G_SOURCE_REMOVE;
  self->recent_finding = TRUE;
  weak = g_new (GWeakRef, 1);
  g_weak_ref_init (weak, self);
  task = g_task_new (NULL, NULL, found_cb, weak);
  g_task_set_source_tag (task, update_cb);
  g_task_set_task_data (task, g_steal_pointer (&items), (GDestroyNotify) g_ptr_array_unref);
  g_task_run_in_thread (task, find_thread);
  return G_SOURCE_REMOVE;
}

/* Fills the menu when there is nothing better to do. */
void
shardwise_window_update_recent (ShardwiseWindow *self)
{
  if (self->recent_id == 0)
    self->recent_id = g_idle_add_full (G_PRIORITY_LOW, update_cb, self, NULL);
}
