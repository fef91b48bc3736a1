/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-yaml.h"

#include <yaml.h>

struct _ShardwiseYaml {
  yaml_emitter_t emitter;
  GString *text;
};

static int
write_cb (void *data, unsigned char *buffer, size_t size)
{
  g_string_append_len (data, (const char *) buffer, (gssize) size);
  return 1;
}

/* Every event is built from values of this program: it fails only where memory does, and GLib
 * aborts then too. */
static void
emit (ShardwiseYaml *self, yaml_event_t *event, int initialised)
{
  if (!initialised || !yaml_emitter_emit (&self->emitter, event))
    g_error ("YAML: %s", self->emitter.problem != NULL ? self->emitter.problem : "no memory");
}

static void
emit_scalar (ShardwiseYaml *self, const char *value, yaml_scalar_style_t style)
{
  yaml_event_t event;

  emit (self, &event,
        yaml_scalar_event_initialize (&event, NULL, NULL, (const yaml_char_t *) value, -1,
                                      style == YAML_PLAIN_SCALAR_STYLE, TRUE, style));
}

static void
emit_key (ShardwiseYaml *self, const char *key)
{
  if (key != NULL)
    emit_scalar (self, key, YAML_PLAIN_SCALAR_STYLE);
}

/**
 * shardwise_yaml_new:
 *
 * Returns: (transfer full): a document whose root is a mapping
 */
ShardwiseYaml *
shardwise_yaml_new (void)
{
  ShardwiseYaml *self = g_new0 (ShardwiseYaml, 1);
  yaml_event_t event;

  self->text = g_string_new (NULL);
  if (!yaml_emitter_initialize (&self->emitter))
    g_error ("YAML: no memory");
  yaml_emitter_set_output (&self->emitter, write_cb, self->text);
  yaml_emitter_set_unicode (&self->emitter, TRUE);
  yaml_emitter_set_width (&self->emitter, -1);
  emit (self, &event, yaml_stream_start_event_initialize (&event, YAML_UTF8_ENCODING));
  emit (self, &event, yaml_document_start_event_initialize (&event, NULL, NULL, NULL, TRUE));
  shardwise_yaml_begin_map (self, NULL);

  return self;
}

/**
 * shardwise_yaml_finish:
 * @self: (transfer full): a document
 *
 * Returns: (transfer full): its text
 */
char *
shardwise_yaml_finish (ShardwiseYaml *self)
{
  yaml_event_t event;
  char *text;

  shardwise_yaml_end_map (self);
  emit (self, &event, yaml_document_end_event_initialize (&event, TRUE));
  emit (self, &event, yaml_stream_end_event_initialize (&event));
  yaml_emitter_delete (&self->emitter);
  text = g_string_free (self->text, FALSE);
  g_free (self);

  return text;
}

/**
 * shardwise_yaml_begin_map:
 * @self: a document
 * @key: (nullable): the key in the mapping around it, %NULL in a sequence
 */
void
shardwise_yaml_begin_map (ShardwiseYaml *self, const char *key)
{
  yaml_event_t event;

  emit_key (self, key);
  emit (self, &event,
        yaml_mapping_start_event_initialize (&event, NULL, NULL, TRUE, YAML_BLOCK_MAPPING_STYLE));
}

/**
 * shardwise_yaml_end_map:
 * @self: a document
 */
void
shardwise_yaml_end_map (ShardwiseYaml *self)
{
  yaml_event_t event;

  emit (self, &event, yaml_mapping_end_event_initialize (&event));
}

/**
 * shardwise_yaml_begin_list:
 * @self: a document
 * @key: (nullable): the key in the mapping around it
 */
void
shardwise_yaml_begin_list (ShardwiseYaml *self, const char *key)
{
  yaml_event_t event;

  emit_key (self, key);
  emit (self, &event,
        yaml_sequence_start_event_initialize (&event, NULL, NULL, TRUE, YAML_BLOCK_SEQUENCE_STYLE));
}

/**
 * shardwise_yaml_end_list:
 * @self: a document
 */
void
shardwise_yaml_end_list (ShardwiseYaml *self)
{
  yaml_event_t event;

  emit (self, &event, yaml_sequence_end_event_initialize (&event));
}

/**
 * shardwise_yaml_int:
 * @self: a document
 * @key: (nullable): the key
 * @value: an integer
 */
void
shardwise_yaml_int (ShardwiseYaml *self, const char *key, gint64 value)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, value);

  shardwise_yaml_word (self, key, text);
}

/**
 * shardwise_yaml_bool:
 * @self: a document
 * @key: (nullable): the key
 * @value: a truth value
 */
void
shardwise_yaml_bool (ShardwiseYaml *self, const char *key, gboolean value)
{
  shardwise_yaml_word (self, key, value ? "true" : "false");
}

/**
 * shardwise_yaml_null:
 * @self: a document
 * @key: (nullable): the key
 */
void
shardwise_yaml_null (ShardwiseYaml *self, const char *key)
{
  shardwise_yaml_word (self, key, "null");
}

/**
 * shardwise_yaml_word:
 * @self: a document
 * @key: (nullable): the key
 * @value: a constant of the format, or a number, written without quotes. YAML 1.1 wants a dot and a
 * signed exponent in a float: "1.0e-08", since it reads "1e-8" as a string
 */
void
shardwise_yaml_word (ShardwiseYaml *self, const char *key, const char *value)
{
  emit_key (self, key);
  emit_scalar (self, value, YAML_PLAIN_SCALAR_STYLE);
}

/**
 * shardwise_yaml_string:
 * @self: a document
 * @key: (nullable): the key
 * @value: a string of any content, written in double quotes
 */
void
shardwise_yaml_string (ShardwiseYaml *self, const char *key, const char *value)
{
  emit_key (self, key);
  emit_scalar (self, value, YAML_DOUBLE_QUOTED_SCALAR_STYLE);
}
