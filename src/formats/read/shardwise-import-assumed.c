/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands for something that a file does not state, until somebody chooses it. */
#include "shardwise-import-private.h"

static ShardwiseAssumption *
assumption_new (const char *warning, const char *path, const char *value)
{
  ShardwiseAssumption *self = g_new0 (ShardwiseAssumption, 1);

  self->warning = g_strdup (warning);
  self->path = g_strdup (path);
  self->value = g_strdup (value);
  return self;
}

/**
 * shardwise_assumption_free:
 * @data: a #ShardwiseAssumption
 */
void
shardwise_assumption_free (gpointer data)
{
  ShardwiseAssumption *self = data;

  g_free (self->warning);
  g_free (self->path);
  g_free (self->value);
  g_free (self);
}

static char *
value_of (ShardwiseScenario *scenario, const char *path)
{
  g_autoptr (GVariant) value = shardwise_scenario_get (scenario, path);

  return value != NULL ? g_variant_print (value, FALSE) : g_strdup ("");
}

/* As shardwise_import_warn(), of a value that stands for the one at @path; takes @text. */
void
shardwise_import_assume (ShardwiseImportJob *job, const char *path, char *text)
{
  g_ptr_array_add (job->out->assumed, assumption_new (text, path, ""));
  shardwise_import_warn (job, text);
}

/* Notes the values that were taken, once all are. */
void
shardwise_import_settle (ShardwiseImport *self)
{
  for (guint i = 0; i < self->assumed->len; i++)
    {
      ShardwiseAssumption *assumption = g_ptr_array_index (self->assumed, i);

      g_free (assumption->value);
      assumption->value = value_of (self->scenario, assumption->path);
    }
}

/**
 * shardwise_import_add_assumption:
 * @warning: one of the import's warnings
 * @path: of the key whose value was assumed
 * @value: which, as text of a GVariant
 *
 * Adds what a kept import says of one of its warnings.
 */
void
shardwise_import_add_assumption (ShardwiseImport *self, const char *warning, const char *path,
                                 const char *value)
{
  g_ptr_array_add (self->assumed, assumption_new (warning, path, value));
}

/**
 * shardwise_assumptions_hold:
 * @assumed: of ShardwiseAssumption
 * @warning: a warning of the same import
 * @scenario: as it is now
 *
 * Returns: whether the warning still stands: nothing else was chosen for what it says is assumed
 */
gboolean
shardwise_assumptions_hold (GPtrArray *assumed, const char *warning, ShardwiseScenario *scenario)
{
  for (guint i = 0; i < assumed->len; i++)
    {
      const ShardwiseAssumption *assumption = g_ptr_array_index (assumed, i);
      g_autofree char *now = NULL;

      if (!g_str_equal (assumption->warning, warning))
        continue;
      now = value_of (scenario, assumption->path);
      if (!g_str_equal (now, assumption->value))
        return FALSE;
    }
  return TRUE;
}
