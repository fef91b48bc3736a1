/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The playbook's rules, from data/catalogue/playbook.xml. */
#include "shardwise-heuristic.h"

#include <gio/gio.h>
#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-atoms.h"
#include "shardwise-format.h"

#define RESOURCE "/io/github/shardwise/Shardwise/catalogue/playbook.xml"

G_DEFINE_BOXED_TYPE (ShardwiseHeuristic, shardwise_heuristic, shardwise_heuristic_copy,
                     shardwise_heuristic_free)

/**
 * shardwise_heuristic_new:
 *
 * Returns: (transfer full): an empty rule
 */
ShardwiseHeuristic *
shardwise_heuristic_new (void)
{
  ShardwiseHeuristic *self = g_new0 (ShardwiseHeuristic, 1);
  char **fields[] = { &self->id,   &self->topic, &self->title, &self->text, &self->source,
                      &self->when, &self->want,  &self->rule,  &self->model };

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    *fields[i] = g_strdup ("");
  return self;
}

/**
 * shardwise_heuristic_copy:
 * @self: a rule of thumb
 *
 * Returns: (transfer full): a copy
 */
ShardwiseHeuristic *
shardwise_heuristic_copy (const ShardwiseHeuristic *self)
{
  ShardwiseHeuristic *copy = g_new0 (ShardwiseHeuristic, 1);

  copy->id = g_strdup (self->id);
  copy->topic = g_strdup (self->topic);
  copy->title = g_strdup (self->title);
  copy->text = g_strdup (self->text);
  copy->source = g_strdup (self->source);
  copy->when = g_strdup (self->when);
  copy->want = g_strdup (self->want);
  copy->rule = g_strdup (self->rule);
  copy->model = g_strdup (self->model);
  return copy;
}

/**
 * shardwise_heuristic_free:
 * @self: (nullable): a rule of thumb
 */
void
shardwise_heuristic_free (ShardwiseHeuristic *self)
{
  if (self == NULL)
    return;
  g_free (self->id);
  g_free (self->topic);
  g_free (self->title);
  g_free (self->text);
  g_free (self->source);
  g_free (self->when);
  g_free (self->want);
  g_free (self->rule);
  g_free (self->model);
  g_free (self);
}

/**
 * shardwise_heuristic_matches:
 * @self: a rule
 * @search: words
 *
 * Returns: whether each word occurs in its texts, conditions or source
 */
gboolean
shardwise_heuristic_matches (const ShardwiseHeuristic *self, const char *search)
{
  g_autofree char *all = g_strjoin (" ", self->title, self->text, self->topic, self->source,
                                    self->want, self->when, NULL);

  return shardwise_text_has_words (all, search);
}

/* ---- the file ---- */

typedef struct {
  GPtrArray *rules;
  ShardwiseHeuristic *rule; /* (nullable): the rule being read */
  char *topic;
  GString *text;
} Reader;

static const char *
attribute (const char **names, const char **values, const char *name)
{
  for (guint i = 0; names[i] != NULL; i++)
    if (g_str_equal (names[i], name))
      return values[i];
  return "";
}

static void
start_cb (GMarkupParseContext *context, const char *element, const char **names,
          const char **values, gpointer data, GError **error)
{
  Reader *reader = data;

  g_string_truncate (reader->text, 0);
  if (!g_str_equal (element, "rule"))
    return;
  reader->rule = g_new0 (ShardwiseHeuristic, 1);
  reader->rule->id = g_strdup (attribute (names, values, "id"));
  reader->rule->when = g_strdup (attribute (names, values, "when"));
  reader->rule->want = g_strdup (attribute (names, values, "want"));
  reader->rule->rule = g_strdup (attribute (names, values, "rule"));
  reader->rule->model = g_strdup (attribute (names, values, "model"));
  reader->rule->topic = g_strdup (reader->topic);
}

static void
text_cb (GMarkupParseContext *context, const char *text, gsize length, gpointer data,
         GError **error)
{
  g_string_append_len (((Reader *) data)->text, text, (gssize) length);
}

static void
end_cb (GMarkupParseContext *context, const char *element, gpointer data, GError **error)
{
  Reader *reader = data;
  g_autofree char *text = shardwise_text_join (reader->text->str);
  char **target = NULL;

  g_string_truncate (reader->text, 0);
  if (g_str_equal (element, "rule"))
    g_ptr_array_add (reader->rules, g_steal_pointer (&reader->rule));
  else if (g_str_equal (element, "title"))
    target = reader->rule != NULL ? &reader->rule->title : &reader->topic;
  else if (g_str_equal (element, "text"))
    target = &reader->rule->text;
  else if (g_str_equal (element, "source"))
    target = &reader->rule->source;
  if (target == NULL)
    return;
  g_free (*target);
  *target = g_str_equal (element, "source") ? g_steal_pointer (&text) : g_strdup (_ (text));
}

/**
 * shardwise_heuristics_load:
 *
 * Returns: (transfer full) (element-type ShardwiseHeuristic): the playbook's rules, sorted by topic
 */
GPtrArray *
shardwise_heuristics_load (void)
{
  static const GMarkupParser parser = { .start_element = start_cb,
                                        .end_element = end_cb,
                                        .text = text_cb };
  Reader reader = {
    .rules = g_ptr_array_new_with_free_func ((GDestroyNotify) shardwise_heuristic_free),
    .topic = g_strdup (""),
    .text = g_string_new (NULL),
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_resources_lookup_data (RESOURCE, G_RESOURCE_LOOKUP_FLAGS_NONE,
                                                      &error);
  g_autoptr (GMarkupParseContext) context =
      g_markup_parse_context_new (&parser, G_MARKUP_DEFAULT_FLAGS, &reader, NULL);
  gsize length = 0;
  const char *data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  if (data == NULL || !g_markup_parse_context_parse (context, data, (gssize) length, &error)
      || !g_markup_parse_context_end_parse (context, &error))
    g_error ("the playbook is unreadable: %s", error->message); /* compiled in: a bug */
  g_free (reader.topic);
  g_string_free (reader.text, TRUE);
  return reader.rules;
}
