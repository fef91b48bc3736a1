/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-clusters.h"

#include <string.h>

#include "shardwise-catalogue-read.h"
#include "shardwise-config.h"
#include "shardwise-file.h"
#include "shardwise-json.h"

/* Whoever measures more keeps the first of them, by name. */
#define MOST 64

static GFile *
get_folder (void)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), APPLICATION_ID, "clusters",
                                            NULL);

  return g_file_new_for_path (path);
}

static void
cluster_free (gpointer data)
{
  ShardwiseKeptCluster *self = data;

  g_free (self->name);
  g_free (self->object);
  g_free (self);
}

/**
 * shardwise_cluster_name:
 * @object: JSON text of an object for cluster.gpu
 *
 * Returns: (transfer full) (nullable): what it is called
 */
char *
shardwise_cluster_name (const char *object)
{
  g_autoptr (JsonNode) node = shardwise_json_parse (object, strlen (object), NULL);

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node)
             ? g_strdup (shardwise_json_text (json_node_get_object (node), "name"))
             : NULL;
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return g_utf8_collate ((*(ShardwiseKeptCluster *const *) a)->name,
                         (*(ShardwiseKeptCluster *const *) b)->name);
}

/**
 * shardwise_clusters_list:
 * Blocks. What is no cluster is left alone.
 *
 * Returns: (transfer full): #ShardwiseKeptCluster, by name
 */
GPtrArray *
shardwise_clusters_list (void)
{
  g_autoptr (GFile) folder = get_folder ();
  GPtrArray *clusters = g_ptr_array_new_with_free_func (cluster_free);
  g_autoptr (GFileEnumerator) files = g_file_enumerate_children (
      folder, G_FILE_ATTRIBUTE_STANDARD_NAME, G_FILE_QUERY_INFO_NONE, NULL, NULL);
  GFileInfo *info;
  GFile *file;

  while (files != NULL && clusters->len < MOST
         && g_file_enumerator_iterate (files, &info, &file, NULL, NULL) && info != NULL)
    {
      g_autoptr (GBytes) bytes = shardwise_read_file (file, NULL, NULL);
      gsize length = 0;
      const char *data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;
      g_autofree char *object = data != NULL ? g_strndup (data, length) : NULL;
      char *name = object != NULL ? shardwise_cluster_name (object) : NULL;
      ShardwiseKeptCluster *cluster;

      if (name == NULL)
        continue;
      cluster = g_new0 (ShardwiseKeptCluster, 1);
      cluster->name = name;
      cluster->object = g_strstrip (g_steal_pointer (&object));
      g_ptr_array_add (clusters, cluster);
    }
  g_ptr_array_sort (clusters, by_name);
  return clusters;
}

/**
 * shardwise_clusters_keep:
 * @object: JSON text of a cluster; one of the same name is replaced
 *
 * Blocks.
 *
 * Returns: whether it is kept
 */
gboolean
shardwise_clusters_keep (const char *object, GError **error)
{
  g_autoptr (GFile) folder = get_folder ();
  g_autofree char *name = shardwise_cluster_name (object),
                  *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, name != NULL ? name : "",
                                                        -1),
                  *file_name = g_strdup_printf ("%.16s.json", sum);
  g_autoptr (GFile) file = g_file_get_child (folder, file_name);

  g_file_make_directory_with_parents (folder, NULL, NULL); /* writing says what is wrong */
  return shardwise_write_file (file, object, strlen (object), error);
}
