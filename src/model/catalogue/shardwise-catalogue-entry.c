/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-catalogue-private.h"

struct _ShardwiseCatalogueEntry {
  GObject parent_instance;
  char *id, *name, *subtitle;
};

G_DEFINE_FINAL_TYPE (ShardwiseCatalogueEntry, shardwise_catalogue_entry, G_TYPE_OBJECT)

enum { PROP_0, PROP_ID, PROP_NAME, PROP_SUBTITLE, N_PROPS };

static GParamSpec *properties[N_PROPS];

static void
shardwise_catalogue_entry_get_property (GObject *object, guint prop_id, GValue *value,
                                        GParamSpec *pspec)
{
  ShardwiseCatalogueEntry *self = SHARDWISE_CATALOGUE_ENTRY (object);

  switch (prop_id)
    {
    case PROP_ID: g_value_set_string (value, self->id); break;
    case PROP_NAME: g_value_set_string (value, self->name); break;
    case PROP_SUBTITLE: g_value_set_string (value, self->subtitle); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
shardwise_catalogue_entry_finalize (GObject *object)
{
  ShardwiseCatalogueEntry *self = SHARDWISE_CATALOGUE_ENTRY (object);

  g_free (self->id);
  g_free (self->name);
  g_free (self->subtitle);
  G_OBJECT_CLASS (shardwise_catalogue_entry_parent_class)->finalize (object);
}

static void
shardwise_catalogue_entry_class_init (ShardwiseCatalogueEntryClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  static const char *const names[] = { NULL, "id", "name", "subtitle" };

  object_class->get_property = shardwise_catalogue_entry_get_property;
  object_class->finalize = shardwise_catalogue_entry_finalize;
  for (guint i = PROP_ID; i < N_PROPS; i++)
    properties[i] = g_param_spec_string (names[i], NULL, NULL, NULL,
                                         G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
shardwise_catalogue_entry_init (ShardwiseCatalogueEntry *self)
{}

/**
 * shardwise_catalogue_entry_new:
 * @id: of the catalogue
 * @name: as lists show it
 * @subtitle: (transfer full): translated
 *
 * Returns: (transfer full): an entry of a list
 */
ShardwiseCatalogueEntry *
shardwise_catalogue_entry_new (const char *id, const char *name, char *subtitle)
{
  ShardwiseCatalogueEntry *self = g_object_new (SHARDWISE_TYPE_CATALOGUE_ENTRY, NULL);

  self->id = g_strdup (id);
  self->name = g_strdup (name);
  self->subtitle = subtitle;
  return self;
}
