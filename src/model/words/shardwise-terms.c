/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Definitions of terms and explanations of observations: data/catalogue/ask-terms.xml. */
#include "shardwise-terms.h"

#include <gio/gio.h>
#include <glib/gi18n.h>

#include "shardwise-format.h"

#define RESOURCE "/io/github/shardwise/Shardwise/catalogue/ask-terms.xml"

/* Reads elements into the terms that are there. */
static void
start_cb (GMarkupParseContext *context, const char *element, const char **names,
          const char **values, gpointer data, GError **error)
{
  GPtrArray *terms = data;
  ShardwiseTerm *term;

  if (!g_str_equal (element, "term"))
    return;
  term = g_new0 (ShardwiseTerm, 1);
  term->sentences = g_ptr_array_new ();
  g_ptr_array_add (terms, term);
  for (guint i = 0; names[i] != NULL; i++)
    if (g_str_equal (names[i], "id"))
      term->id = g_strdup (values[i]);
    else if (g_str_equal (names[i], "page"))
      term->page = g_strdup (values[i]);
    else if (g_str_equal (names[i], "explains"))
      term->scope = g_str_equal (values[i], "memory") ? SHARDWISE_TERM_OF_MEMORY
                                                      : SHARDWISE_TERM_OF_TIME;
    else if (g_str_equal (names[i], "piped"))
      term->piped = TRUE;
    else if (g_str_equal (names[i], "then"))
      term->then = g_strsplit (values[i], " ", -1);
}

static void
text_cb (GMarkupParseContext *context, const char *text, gsize length, gpointer data,
         GError **error)
{
  GPtrArray *terms = data;
  const char *element = g_markup_parse_context_get_element (context);

  if (g_str_equal (element, "text") || g_str_equal (element, "here"))
    g_ptr_array_add (((ShardwiseTerm *) g_ptr_array_index (terms, terms->len - 1))->sentences,
                     g_strndup (text, length));
}

/* Returns: (transfer none) (element-type ShardwiseTerm): the terms of the file, read on first use;
 * thread-safe. */
static GPtrArray *
get_terms (void)
{
  static const GMarkupParser parser = { .start_element = start_cb, .text = text_cb };
  static gsize once = 0;
  static GPtrArray *terms;

  if (g_once_init_enter (&once))
    {
      GPtrArray *read = g_ptr_array_new ();
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) bytes = g_resources_lookup_data (RESOURCE, G_RESOURCE_LOOKUP_FLAGS_NONE,
                                                          &error);
      g_autoptr (GMarkupParseContext) context =
          g_markup_parse_context_new (&parser, G_MARKUP_DEFAULT_FLAGS, read, NULL);
      gsize length = 0;
      const char *data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

      if (data == NULL || !g_markup_parse_context_parse (context, data, (gssize) length, &error))
        g_error ("the terms are unreadable: %s", error->message); /* compiled in: a bug */
      terms = read;
      g_once_init_leave (&once, 1);
    }
  return terms;
}

/**
 * shardwise_term_find:
 * @id: of a term
 *
 * Returns: (nullable): the term
 */
const ShardwiseTerm *
shardwise_term_find (const char *id)
{
  GPtrArray *terms = get_terms ();

  for (guint i = 0; i < terms->len; i++)
    if (g_str_equal (((const ShardwiseTerm *) g_ptr_array_index (terms, i))->id, id))
      return g_ptr_array_index (terms, i);
  return NULL;
}

/* Returns: (transfer full): the ids of all terms, as a list for an error message. */
char *
shardwise_terms_describe (void)
{
  GPtrArray *terms = get_terms ();
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < terms->len; i++)
    shardwise_text_items (out, "%s", ((const ShardwiseTerm *) g_ptr_array_index (terms, i))->id);
  return g_string_free (out, FALSE);
}

/**
 * shardwise_term_text:
 * @self: a term
 * @figures: of a job
 *
 * Returns: (transfer full): its definition and its figures for the job, translated
 */
char *
shardwise_term_text (const ShardwiseTerm *self, const ShardwiseFigures *figures)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < self->sentences->len; i++)
    if (i == 0 || !self->piped || figures->estimate->strategy.pp > 1)
      shardwise_text_append (
          out, shardwise_figures_fill (figures, _ (g_ptr_array_index (self->sentences, i))));
  return g_string_free (out, FALSE);
}
