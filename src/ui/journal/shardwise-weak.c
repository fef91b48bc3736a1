/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-weak.h"

/**
 * shardwise_weak_new:
 * @object: a window that may go with its parent meanwhile, or the like: a reference would keep it,
 *   with a pointer to that parent
 *
 * Returns: (transfer full): for one shardwise_weak_take()
 */
GWeakRef *
shardwise_weak_new (gpointer object)
{
  GWeakRef *weak = g_new (GWeakRef, 1);

  g_weak_ref_init (weak, object);
  return weak;
}

/**
 * shardwise_weak_take:
 * @weak: (transfer full): of shardwise_weak_new()
 *
 * Returns: (transfer full) (nullable): the object, unless it is gone
 */
gpointer
shardwise_weak_take (GWeakRef *weak)
{
  gpointer object = g_weak_ref_get (weak);

  g_weak_ref_clear (weak);
  g_free (weak);
  return object;
}
