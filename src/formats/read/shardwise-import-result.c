/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of an import: the scenario, the warnings and findings, and the assumed values for
 * missing ones, until the user chooses them. */
#include "shardwise-import-result.h"

/**
 * shardwise_import_is_job:
 * @kind: the kind of a file
 *
 * Returns: whether it describes training, so that it can be diagnosed
 */
gboolean
shardwise_import_is_job (ShardwiseImportKind kind)
{
  return kind >= SHARDWISE_IMPORT_DEEPSPEED && kind < SHARDWISE_N_IMPORTS;
}

static void
assumption_free (gpointer data)
{
  ShardwiseImportAssumption *self = data;

  g_free (self->warning);
  g_free (self->value);
  g_free (self);
}

/**
 * shardwise_import_new:
 * @kind: the kind of the file
 *
 * Returns: (transfer full): an empty import without a scenario
 */
ShardwiseImport *
shardwise_import_new (ShardwiseImportKind kind)
{
  ShardwiseImport *self = g_new0 (ShardwiseImport, 1);

  self->kind = kind;
  self->warnings = g_ptr_array_new_with_free_func (g_free);
  self->assumed = g_ptr_array_new_with_free_func (assumption_free);
  self->findings = g_ptr_array_new_with_free_func (shardwise_finding_free);
  return self;
}

/**
 * shardwise_import_free:
 * @self: (transfer full) (nullable): an import
 */
void
shardwise_import_free (ShardwiseImport *self)
{
  if (self == NULL)
    return;
  g_clear_object (&self->scenario);
  g_ptr_array_unref (self->warnings);
  g_ptr_array_unref (self->assumed);
  g_ptr_array_unref (self->findings);
  g_free (self);
}

/**
 * shardwise_import_add_assumption:
 * @warning: one of the import's warnings
 * @id: the key with an assumed value
 * @value: the value, as text of a GVariant
 *
 * Restores the assumed value for a warning of a stored import.
 */
void
shardwise_import_add_assumption (ShardwiseImport *self, const char *warning, ShardwiseKeyId id,
                                 const char *value)
{
  ShardwiseImportAssumption *assumption = g_new0 (ShardwiseImportAssumption, 1);

  assumption->warning = g_strdup (warning);
  assumption->key = id;
  assumption->value = g_strdup (value);
  g_ptr_array_add (self->assumed, assumption);
}

static char *
value_of (ShardwiseScenario *scenario, ShardwiseKeyId id)
{
  g_autoptr (GVariant) value = shardwise_scenario_get (scenario, id);

  return value != NULL ? g_variant_print (value, FALSE) : g_strdup ("");
}

/**
 * shardwise_import_keep_assumed:
 * @self: an import with its whole scenario
 *
 * Records the assumed values of keys that the file does not state.
 */
void
shardwise_import_keep_assumed (ShardwiseImport *self)
{
  for (guint i = 0; i < self->assumed->len; i++)
    {
      ShardwiseImportAssumption *assumption = g_ptr_array_index (self->assumed, i);

      g_free (assumption->value);
      assumption->value = value_of (self->scenario, assumption->key);
    }
}

/**
 * shardwise_assumptions_hold:
 * @assumed: ShardwiseImportAssumption elements
 * @warning: a warning of the same import
 * @scenario: the current scenario
 *
 * Returns: whether the warning still applies, because the assumed value is unchanged
 */
gboolean
shardwise_assumptions_hold (GPtrArray *assumed, const char *warning, ShardwiseScenario *scenario)
{
  for (guint i = 0; i < assumed->len; i++)
    {
      const ShardwiseImportAssumption *assumption = g_ptr_array_index (assumed, i);
      g_autofree char *now = NULL;

      if (!g_str_equal (assumption->warning, warning))
        continue;
      now = value_of (scenario, assumption->key);
      if (!g_str_equal (now, assumption->value))
        return FALSE;
    }
  return TRUE;
}

/**
 * shardwise_names_model:
 * @scenario: the scenario of a file
 *
 * Returns: whether it states anything about a model
 */
gboolean
shardwise_names_model (ShardwiseScenario *scenario)
{
  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    if (g_str_has_prefix (shardwise_key_path (i), "model.")
        && shardwise_scenario_is_set (scenario, i))
      return TRUE;
  return FALSE;
}
