/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "soak-census.h"

/* Objects are counted where every class chains up to: there is no room for a pointer. */
static struct {
  GMutex lock;
  GHashTable *counts; /* of the type's name */
  void (*constructed) (GObject *object);
  void (*finalize) (GObject *object);
} census;

static void
count (GObject *object, int by)
{
  gpointer name = (gpointer) G_OBJECT_TYPE_NAME (object);
  int before;

  g_mutex_lock (&census.lock);
  before = GPOINTER_TO_INT (g_hash_table_lookup (census.counts, name));
  g_hash_table_insert (census.counts, name, GINT_TO_POINTER (before + by));
  g_mutex_unlock (&census.lock);
}

static void
constructed (GObject *object)
{
  count (object, 1);
  census.constructed (object);
}

static void
finalize (GObject *object)
{
  count (object, -1);
  census.finalize (object);
}

/* Starts to count; to be called before any other class is used, each of which copies the first. */
void
soak_census_begin (void)
{
  GObjectClass *class = g_type_class_ref (G_TYPE_OBJECT);

  census.counts = g_hash_table_new (g_str_hash, g_str_equal);
  census.constructed = class->constructed;
  census.finalize = class->finalize;
  class->constructed = constructed;
  class->finalize = finalize;
}

/* Returns: (transfer full): the number of objects by the name of their type, as pointers. */
GHashTable *
soak_census_take (void)
{
  GHashTable *taken = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTableIter iter;
  gpointer name, number;

  g_mutex_lock (&census.lock);
  g_hash_table_iter_init (&iter, census.counts);
  while (g_hash_table_iter_next (&iter, &name, &number))
    g_hash_table_insert (taken, name, number);
  g_mutex_unlock (&census.lock);
  return taken;
}
