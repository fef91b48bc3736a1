/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One finding of a job. */
#include "shardwise-finding.h"

/**
 * shardwise_finding_new:
 * @severity: its severity
 * @code: a word, copied: words from files must not be interned, which would keep them forever
 * @text: (transfer full): the sentence
 * @effect: (transfer full) (nullable): its effect in figures
 *
 * Returns: (transfer full): a finding without changes
 */
ShardwiseFinding *
shardwise_finding_new (ShardwiseSeverity severity, const char *code, char *text, char *effect)
{
  ShardwiseFinding *finding = g_new0 (ShardwiseFinding, 1);
  g_autofree char *given = text;

  finding->severity = severity;
  finding->code = g_strdup (code);
  finding->text = g_utf8_make_valid (given, -1); /* a quotation may be cut within a character */
  finding->effect = effect;
  return finding;
}

/**
 * shardwise_finding_free:
 * @finding: (transfer full): a ShardwiseFinding
 */
void
shardwise_finding_free (gpointer finding)
{
  ShardwiseFinding *self = finding;

  g_free (self->code);
  g_free (self->text);
  g_free (self->effect);
  g_clear_pointer (&self->changes, g_variant_unref);
  g_free (self);
}

/**
 * shardwise_finding_is_said:
 * @finding: a finding of a diagnosis
 * @first: (nullable): ShardwiseFinding elements, of the file itself
 *
 * Returns: whether the file's own findings already include this error in other words
 */
gboolean
shardwise_finding_is_said (const ShardwiseFinding *finding, GPtrArray *first)
{
  for (guint i = 0; first != NULL && i < first->len; i++)
    {
      const ShardwiseFinding *other = g_ptr_array_index (first, i);

      if (finding->severity == SHARDWISE_SEVERITY_ERROR
          && other->severity == SHARDWISE_SEVERITY_ERROR
          && g_str_equal (other->code, finding->code))
        return TRUE;
    }
  return FALSE;
}

static void
append_json (JsonArray *array, GPtrArray *findings, GPtrArray *said)
{
  for (guint i = 0; findings != NULL && i < findings->len; i++)
    {
      const ShardwiseFinding *finding = g_ptr_array_index (findings, i);
      JsonObject *object;

      if (shardwise_finding_is_said (finding, said))
        continue;
      object = json_object_new ();
      json_object_set_string_member (object, "severity",
                                     shardwise_severity_names[finding->severity]);
      json_object_set_string_member (object, "code", finding->code);
      json_object_set_string_member (object, "text", finding->text);
      json_object_set_string_member (object, "effect",
                                     finding->effect != NULL ? finding->effect : "");
      json_array_add_object_element (array, object);
    }
}

/**
 * shardwise_findings_to_json:
 * @first: (nullable): ShardwiseFinding elements
 * @then: ShardwiseFinding elements
 *
 * Returns: (transfer full): the "diagnosis" of `import --json`
 */
JsonNode *
shardwise_findings_to_json (GPtrArray *first, GPtrArray *then)
{
  JsonArray *array = json_array_new ();
  JsonNode *node = json_node_init_array (json_node_alloc (), array);

  append_json (array, first, NULL);
  append_json (array, then, first);
  json_array_unref (array);
  return node;
}
