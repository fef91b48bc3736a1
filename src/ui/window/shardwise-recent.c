/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-recent.h"

#include <glib/gi18n.h>
#include <gtk/gtk.h>

#include "shardwise-config.h"
#include "shardwise-container.h"
#include "shardwise-scenario.h"

#define MIME_TYPE "application/vnd.shardwise.scenario+json"
#define MAX_RECENT 8

struct _ShardwiseRecent {
  GMenu *menu;
  gulong changed_id; /* of the recent manager */
  guint update_id;
  enum { IDLE, FINDING, FIND_AGAIN } finding; /* files of the menu, on a thread */
  gatomicrefcount references;                 /* the owner's and the task's */
};

/* Tells this menu, and those of other programs, that the file was opened or saved. */
void
shardwise_recent_remember (GFile *file)
{
  g_autofree char *uri = g_file_get_uri (file);
  GtkRecentData data = { .mime_type = (char *) MIME_TYPE,
                         .app_name = (char *) "Shardwise",
                         .app_exec = (char *) "shardwise %u" };

  gtk_recent_manager_add_full (gtk_recent_manager_get_default (), uri, &data);
}

/* The question of each example, and the name of its scenario. */
static const struct {
  const char *id, *question, *name;
} examples[] = {
  { "llama-3-70b-qlora-2", N_ ("Can I fine-tune a 70B model on two 24 GB cards?"),
    N_ ("QLoRA of Llama 3 70B on two 24 GB cards") },
  { "llama-3-8b-8", N_ ("How fast does Llama 3 8B train on one node?"),
    N_ ("Llama 3 8B on one node") },
  { "llama-3-70b-32", N_ ("How should Llama 3 70B be split over four nodes?"),
    N_ ("Llama 3 70B on four nodes") },
  { "llama-3-70b-lora-8", N_ ("Does LoRA of Llama 3 70B fit on eight A100?"),
    N_ ("LoRA of Llama 3 70B, 8 A100") },
  { "mixtral-8x22b-128", N_ ("How is a mixture of experts spread over 128 GPUs?"),
    N_ ("Mixtral 8x22B, a mixture of experts") },
  { "llama-3-8b-long-context", N_ ("How do I train on sequences of 131,072 tokens?"),
    N_ ("Long context, 131,072 tokens") },
  { "llama-3.1-405b-16384", N_ ("What does Llama 3.1 405B take on 16,384 GPUs?"),
    N_ ("Llama 3.1 405B, 16,384 GPUs") },
  { "llama-3.1-405b-too-large", N_ ("What helps a model that is too large for its GPUs?"),
    N_ ("A model too large for its GPUs") },
};

/* (transfer full) (nullable): an example from its file, with a translated name. */
char *
shardwise_example_read (const char *id)
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
      shardwise_scenario_set (scenario, SHARDWISE_KEY_NAME,
                              g_variant_new_string (_ (examples[i].name)), NULL);
  return shardwise_scenario_to_json (scenario);
}

/* The last used one comes first: the list is in the order of first use. */
static int
compare_recent (gconstpointer a, gconstpointer b)
{
  return g_date_time_compare (gtk_recent_info_get_modified ((GtkRecentInfo *) b),
                              gtk_recent_info_get_modified ((GtkRecentInfo *) a));
}

/* (transfer full): items for all used scenarios, the last one first. */
static GPtrArray *
list_recent (void)
{
  GPtrArray *items = g_ptr_array_new_with_free_func (g_object_unref);
  GList *infos = g_list_sort (gtk_recent_manager_get_items (gtk_recent_manager_get_default ()),
                              compare_recent);

  for (GList *link = infos; link != NULL; link = link->next)
    if (g_strcmp0 (gtk_recent_info_get_mime_type (link->data), MIME_TYPE) == 0)
      {
        g_autofree char *label =
            shardwise_menu_label (gtk_recent_info_get_display_name (link->data));
        GMenuItem *item = g_menu_item_new (label, NULL);

        g_menu_item_set_action_and_target (item, "app.open-uri", "s",
                                           gtk_recent_info_get_uri (link->data));
        g_ptr_array_add (items, item);
      }
  g_list_free_full (infos, (GDestroyNotify) gtk_recent_info_unref);
  return items;
}

/* Omits missing files; a slow disk may delay this. */
static void
find_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GPtrArray *items = data, *found = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < items->len && found->len < MAX_RECENT; i++)
    {
      g_autoptr (GVariant) uri = g_menu_item_get_attribute_value (
          items->pdata[i], G_MENU_ATTRIBUTE_TARGET, G_VARIANT_TYPE_STRING);
      g_autofree char *path = g_filename_from_uri (g_variant_get_string (uri, NULL), NULL, NULL);

      if (path != NULL && g_file_test (path, G_FILE_TEST_EXISTS))
        g_ptr_array_add (found, g_object_ref (items->pdata[i]));
    }
  g_task_return_pointer (task, found, (GDestroyNotify) g_ptr_array_unref);
}

/* recent: GMenuItem elements */
static void
fill (ShardwiseRecent *self, GPtrArray *recent)
{
  g_autoptr (GMenu) section = g_menu_new (), known = g_menu_new ();

  for (guint i = 0; i < recent->len; i++)
    g_menu_append_item (section, recent->pdata[i]);
  for (guint i = 0; i < G_N_ELEMENTS (examples); i++)
    {
      g_autoptr (GMenuItem) item = g_menu_item_new (_ (examples[i].question), NULL);

      g_menu_item_set_action_and_target (item, "win.open-example", "s", examples[i].id);
      g_menu_append_item (known, item);
    }
  shardwise_menu_empty (self->menu);
  if (recent->len > 0)
    g_menu_append_section (self->menu, _ ("Recent"), G_MENU_MODEL (section));
  g_menu_append_section (self->menu, _ ("Examples"), G_MENU_MODEL (known));
}

static void
unref (ShardwiseRecent *self)
{
  if (g_atomic_ref_count_dec (&self->references))
    g_free (self);
}

static void update (ShardwiseRecent *self);

static void
found_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  ShardwiseRecent *self = data;
  g_autoptr (GPtrArray) recent = g_task_propagate_pointer (G_TASK (result), NULL);
  const gboolean again = self->finding == FIND_AGAIN;

  self->finding = IDLE;
  if (self->menu != NULL) /* otherwise it was freed */
    {
      fill (self, recent);
      if (again)
        update (self);
    }
  unref (self);
}

/* Looks for existing files on one thread at a time; the examples do not wait for it. The task does
 * not keep the menu, which may be freed. */
static gboolean
update_cb (gpointer data)
{
  ShardwiseRecent *self = data;
  g_autoptr (GPtrArray) items = NULL;
  g_autoptr (GTask) task = NULL;

  self->update_id = 0;
  if (self->finding != IDLE)
    {
      self->finding = FIND_AGAIN;
      return G_SOURCE_REMOVE;
    }
  items = list_recent ();
  g_debug ("%u recent files", items->len);
  if (items->len == 0 || g_menu_model_get_n_items (G_MENU_MODEL (self->menu)) == 0)
    {
      g_autoptr (GPtrArray) none = g_ptr_array_new ();

      fill (self, none);
    }
  if (items->len == 0)
    return G_SOURCE_REMOVE;
  self->finding = FINDING;
  g_atomic_ref_count_inc (&self->references);
  task = g_task_new (NULL, NULL, found_cb, self);
  g_task_set_source_tag (task, update_cb);
  g_task_set_task_data (task, g_steal_pointer (&items), (GDestroyNotify) g_ptr_array_unref);
  g_task_run_in_thread (task, find_thread);
  return G_SOURCE_REMOVE;
}

/* When the main loop is idle. */
static void
update (ShardwiseRecent *self)
{
  if (self->update_id == 0)
    self->update_id = g_idle_add_full (G_PRIORITY_LOW, update_cb, self, NULL);
}

/**
 * shardwise_recent_new:
 * @menu: the menu to fill
 *
 * Returns: (transfer full): an updater of the recent scenarios in @menu, with examples after them
 */
ShardwiseRecent *
shardwise_recent_new (GMenu *menu)
{
  ShardwiseRecent *self = g_new0 (ShardwiseRecent, 1);

  g_atomic_ref_count_init (&self->references);
  self->menu = g_object_ref (menu);
  self->changed_id = g_signal_connect_swapped (gtk_recent_manager_get_default (), "changed",
                                               G_CALLBACK (update), self);
  update (self);
  return self;
}

/**
 * shardwise_recent_free:
 * @self: (transfer full)
 */
void
shardwise_recent_free (ShardwiseRecent *self)
{
  g_clear_handle_id (&self->update_id, g_source_remove);
  g_clear_signal_handler (&self->changed_id, gtk_recent_manager_get_default ());
  g_clear_object (&self->menu);
  unref (self);
}
