/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-memory-unit.h"

#include "sw-types.h"

/* Beside the locale all that decides how a number is written; texts are made on threads. */
static int is_decimal;

/**
 * shardwise_memory_unit_set_decimal:
 * @decimal: whether memory is told in GB (1e9 bytes) rather than in GiB (2^30 bytes)
 *
 * Texts that were made before stay as they are: whoever shows them makes them again.
 */
void
shardwise_memory_unit_set_decimal (gboolean decimal)
{
  g_atomic_int_set (&is_decimal, decimal);
}

/**
 * shardwise_memory_unit_is_decimal:
 *
 * Returns: whether memory is told in GB
 */
gboolean
shardwise_memory_unit_is_decimal (void)
{
  return g_atomic_int_get (&is_decimal);
}

/**
 * shardwise_memory_unit_bytes:
 *
 * Returns: bytes of one GiB or GB
 */
double
shardwise_memory_unit_bytes (void)
{
  return shardwise_memory_unit_is_decimal () ? SW_GB : SW_GIB;
}

/**
 * shardwise_memory_unit_text:
 * @text: the title of an axis or a column, or a format, translated: every language writes "GiB"
 *
 * Returns: (transfer full): the text with the unit that is preferred
 */
char *
shardwise_memory_unit_text (const char *text)
{
  g_autoptr (GString) out = g_string_new (text);

  if (shardwise_memory_unit_is_decimal ())
    g_string_replace (out, "GiB", "GB", 0);
  return g_string_free (g_steal_pointer (&out), FALSE);
}
