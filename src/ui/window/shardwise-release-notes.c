/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-release-notes.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-format.h"

typedef struct {
  GString *notes;
  GString *block;     /* (nullable): the paragraph or item of a list that is being read */
  char *version;      /* (nullable): of the first release, which is the newest */
  gboolean is_inside; /* its description */
  gboolean is_over;   /* that release */
} NotesReader;

/* All that metainfo may hold in a description, and all that libadwaita shows. */
static const char *const blocks[] = { "p", "li", NULL };
static const char *const lists[] = { "ul", "ol", NULL };
static const char *const inlines[] = { "em", "code", NULL };

static void
notes_start_cb (GMarkupParseContext *context, const char *name, const char **keys,
                const char **values, gpointer data, GError **error)
{
  NotesReader *self = data;

  if (g_str_equal (name, "release") && self->version == NULL)
    for (guint i = 0; keys[i] != NULL; i++)
      if (g_str_equal (keys[i], "version"))
        self->version = g_strdup (values[i]);
  if (g_str_equal (name, "description") && self->version != NULL && !self->is_over)
    self->is_inside = TRUE;
  else if (!self->is_inside)
    return;
  else if (g_strv_contains (blocks, name))
    self->block = g_string_new (NULL);
  else if (g_strv_contains (lists, name))
    g_string_append_printf (self->notes, "<%s>", name);
  else if (self->block != NULL && g_strv_contains (inlines, name))
    g_string_append_printf (self->block, "<%s>", name);
}

static void
notes_end_cb (GMarkupParseContext *context, const char *name, gpointer data, GError **error)
{
  NotesReader *self = data;

  self->is_over |= g_str_equal (name, "release");
  if (!self->is_inside)
    return;
  if (g_str_equal (name, "description"))
    self->is_inside = FALSE;
  else if (self->block != NULL && g_strv_contains (blocks, name))
    {
      /* A block is one of the program's translated messages, in a line as xgettext joins it. */
      g_autofree char *text = shardwise_text_join (self->block->str);

      g_string_free (g_steal_pointer (&self->block), TRUE);
      if (*text != '\0') /* its translation is the catalog's header */
        g_string_append_printf (self->notes, "<%s>%s</%s>", name, _ (text), name);
    }
  else if (g_strv_contains (lists, name))
    g_string_append_printf (self->notes, "</%s>", name);
  else if (self->block != NULL && g_strv_contains (inlines, name))
    g_string_append_printf (self->block, "</%s>", name);
}

/* As in the file and in the messages: quotes and apostrophes as they are. */
static void
notes_text_cb (GMarkupParseContext *context, const char *text, gsize length, gpointer data,
               GError **error)
{
  NotesReader *self = data;

  for (gsize i = 0; self->block != NULL && i < length; i++)
    if (text[i] == '&')
      g_string_append (self->block, "&amp;");
    else if (text[i] == '<')
      g_string_append (self->block, "&lt;");
    else if (text[i] == '>')
      g_string_append (self->block, "&gt;");
    else
      g_string_append_c (self->block, text[i]);
}

/**
 * shardwise_release_notes_read:
 * @metainfo: the text of a metainfo file, untranslated; releases newest first
 * @length: its bytes, or -1
 * @version: (out) (transfer full) (nullable): of the release that the notes are about
 *
 * Returns: (transfer full) (nullable): the notes of the newest release, translated, with the
 * elements that an about window takes: p, ul, ol, li, em and code; %NULL if the file has none
 */
char *
shardwise_release_notes_read (const char *metainfo, gssize length, char **version)
{
  static const GMarkupParser parser = { .start_element = notes_start_cb,
                                        .end_element = notes_end_cb,
                                        .text = notes_text_cb };
  g_autoptr (GString) notes = g_string_new (NULL);
  NotesReader reader = { .notes = notes };
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, &reader, NULL);
  gboolean is_whole = g_markup_parse_context_parse (context, metainfo, length, NULL)
                      && g_markup_parse_context_end_parse (context, NULL);

  if (reader.block != NULL)
    g_string_free (reader.block, TRUE);
  if (!is_whole || notes->len == 0)
    g_clear_pointer (&reader.version, g_free);
  *version = reader.version;
  return reader.version != NULL ? g_strdup (notes->str) : NULL;
}
