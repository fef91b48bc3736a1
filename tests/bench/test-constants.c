/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the constants say of where they come from, against the list of those that are fitted. */
#include <json-glib/json-glib.h>

#include "fit-constants.h"
#include "shardwise-catalogue.h"

#define PATH "/io/github/shardwise/Shardwise/catalogue/calibration.json"

static gboolean
is_free (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (fit_constants); i++)
    if (g_str_equal (fit_constants[i].name, name))
      return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (fit_memory_constants); i++)
    if (g_str_equal (fit_memory_constants[i].name, name))
      return TRUE;
  return FALSE;
}

/* Counts the constants below @object that say they were fitted: none but the free ones may. One
 * that was free once and kept its last value would be one more, hidden. */
static guint
count_fitted (JsonObject *object, const char *path)
{
  g_autoptr (GList) names = json_object_get_members (object);
  guint n = 0;

  if (json_object_has_member (object, "value"))
    {
      const char *source = json_object_get_string_member (object, "source");
      gboolean fitted = g_str_has_prefix (source, "fitted on");

      g_assert_cmpstr (source, !=, "");
      if (fitted != is_free (path))
        g_error ("%s: %s, and it is %s", path, source, fitted ? "not free" : "free");
      return fitted ? 1 : 0;
    }
  for (GList *l = names; l != NULL; l = l->next)
    {
      JsonNode *node = json_object_get_member (object, l->data);
      g_autofree char *below = *path != '\0' ? g_strdup_printf ("%s.%s", path, (char *) l->data)
                                             : g_strdup (l->data);

      if (JSON_NODE_HOLDS_OBJECT (node))
        n += count_fitted (json_node_get_object (node), below);
    }
  return n;
}

static void
test_sources (void)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  gsize length;
  const char *data;

  g_assert_nonnull (shardwise_catalogue_get ());
  bytes = g_resources_lookup_data (PATH, G_RESOURCE_LOOKUP_FLAGS_NONE, &error);
  g_assert_no_error (error);
  data = g_bytes_get_data (bytes, &length);
  json_parser_load_from_data (parser, data, (gssize) length, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (count_fitted (json_node_get_object (json_parser_get_root (parser)), ""), ==,
                    G_N_ELEMENTS (fit_constants) + G_N_ELEMENTS (fit_memory_constants));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/constants/sources", test_sources);
  return g_test_run ();
}
