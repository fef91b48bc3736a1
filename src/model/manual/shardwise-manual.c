/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The manual as trees of elements. Its pages use a small part of Mallard 1.0
 * (projectmallard.org). */
#include "shardwise-manual.h"

#include <gio/gio.h>
#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-atoms.h"
#include "shardwise-config.h"

#define RESOURCES APPLICATION_PATH "/help"
#define SUFFIX ".page"

struct _ShardwiseManual {
  GPtrArray *pages; /* of ShardwiseManualNode, by title */
};

/* ---- elements ---- */

static void
node_free (ShardwiseManualNode *self)
{
  g_free (self->name);
  g_free (self->text);
  g_clear_pointer (&self->attributes, g_hash_table_unref);
  g_clear_pointer (&self->children, g_ptr_array_unref);
  g_free (self);
}

/**
 * shardwise_manual_node_is:
 * @name: an element name
 *
 * Returns: whether it is an element with that name
 */
gboolean
shardwise_manual_node_is (const ShardwiseManualNode *self, const char *name)
{
  return self->name != NULL && strcmp (self->name, name) == 0;
}

/**
 * shardwise_manual_node_get:
 * @attribute: its name
 *
 * Returns: (transfer none) (nullable): the value; %NULL if it is not set
 */
const char *
shardwise_manual_node_get (const ShardwiseManualNode *self, const char *attribute)
{
  return self->attributes != NULL ? g_hash_table_lookup (self->attributes, attribute) : NULL;
}

/**
 * shardwise_manual_node_child:
 * @name: an element name
 *
 * Returns: (transfer none) (nullable): the first child with that name
 */
const ShardwiseManualNode *
shardwise_manual_node_child (const ShardwiseManualNode *self, const char *name)
{
  for (guint i = 0; self->children != NULL && i < self->children->len; i++)
    if (shardwise_manual_node_is (self->children->pdata[i], name))
      return self->children->pdata[i];
  return NULL;
}

static void
append_text (const ShardwiseManualNode *self, GString *out)
{
  if (self->name == NULL)
    {
      g_string_append (out, self->text);
      return;
    }
  if (g_str_equal (self->name, "info"))
    return;
  for (guint i = 0; i < self->children->len; i++)
    append_text (self->children->pdata[i], out);
  g_string_append_c (out, ' ');
}

/**
 * shardwise_manual_node_text:
 *
 * Returns: (transfer full): all its words, with single spaces
 */
char *
shardwise_manual_node_text (const ShardwiseManualNode *self)
{
  GString *out = g_string_new (NULL);
  g_auto (GStrv) words = NULL;
  g_autofree char *text = NULL;
  guint n = 0;

  append_text (self, out);
  text = g_string_free (out, FALSE);
  words = g_strsplit_set (text, " \t\n", -1);
  for (guint i = 0; words[i] != NULL; i++)
    if (*words[i] != '\0')
      words[n++] = words[i];
    else
      g_free (words[i]);
  words[n] = NULL;
  return g_strjoinv (" ", words);
}

/**
 * shardwise_manual_node_title:
 * @self: a page or a section
 *
 * Returns: (transfer full): its title
 */
char *
shardwise_manual_node_title (const ShardwiseManualNode *self)
{
  const ShardwiseManualNode *title = shardwise_manual_node_child (self, "title");

  return title != NULL ? shardwise_manual_node_text (title) : g_strdup ("");
}

/* ---- reading ---- */

typedef struct {
  GPtrArray *open; /* of ShardwiseManualNode: from the page to the current element */
  ShardwiseManualNode *page;
} Reader;

static ShardwiseManualNode *
add_node (Reader *reader)
{
  ShardwiseManualNode *node = g_new0 (ShardwiseManualNode, 1);

  if (reader->open->len > 0)
    {
      ShardwiseManualNode *parent = reader->open->pdata[reader->open->len - 1];

      g_ptr_array_add (parent->children, node);
    }
  return node;
}

static void
start_cb (GMarkupParseContext *context, const char *name, const char **keys, const char **values,
          gpointer data, GError **error)
{
  Reader *reader = data;
  ShardwiseManualNode *node = add_node (reader);

  node->name = g_strdup (name);
  node->children = g_ptr_array_new_with_free_func ((GDestroyNotify) node_free);
  node->attributes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; keys[i] != NULL; i++)
    g_hash_table_insert (node->attributes, g_strdup (keys[i]), g_strdup (values[i]));
  if (reader->page == NULL)
    reader->page = node;
  g_ptr_array_add (reader->open, node);
}

static void
end_cb (GMarkupParseContext *context, const char *name, gpointer data, GError **error)
{
  Reader *reader = data;

  g_ptr_array_set_size (reader->open, (int) reader->open->len - 1);
}

static void
text_cb (GMarkupParseContext *context, const char *text, gsize length, gpointer data,
         GError **error)
{
  Reader *reader = data;

  if (reader->open->len > 0)
    add_node (reader)->text = g_strndup (text, length);
}

/* A message of the manual is the text between two tags, with its markup. */
static gboolean
translate_cb (const GMatchInfo *match, GString *result, gpointer data)
{
  g_autofree char *open = g_match_info_fetch (match, 1), *text = g_match_info_fetch (match, 3),
                  *close = g_match_info_fetch (match, 4);

  g_string_append_printf (result, "%s%s%s", open, *text != '\0' ? _ (text) : "", close);
  return FALSE;
}

/* Titles, descriptions and the most used pages are translatable (see data/gettext/its/manual.its);
 * the paragraphs of other pages remain in English. */
static char *
translate (const char *page, gsize length)
{
  g_autoptr (GRegex) messages = g_regex_new ("(<(p|title|desc)>)(.*?)(</\\2>)", G_REGEX_DOTALL,
                                             (GRegexMatchFlags) 0, NULL);

  return g_regex_replace_eval (messages, page, (gssize) length, 0, (GRegexMatchFlags) 0,
                               translate_cb, NULL, NULL);
}

static ShardwiseManualNode *
read_page (const char *name)
{
  static const GMarkupParser parser = { .start_element = start_cb,
                                        .end_element = end_cb,
                                        .text = text_cb };
  g_autofree char *path = g_strconcat (RESOURCES "/", name, NULL);
  g_autoptr (GBytes) bytes = g_resources_lookup_data (path, 0, NULL);
  g_autoptr (GPtrArray) open = g_ptr_array_new ();
  Reader reader = { open, NULL };
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, &reader, NULL);
  g_autofree char *page = translate (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_autoptr (GError) error = NULL;

  if (!g_markup_parse_context_parse (context, page, -1, &error))
    g_error ("%s: %s", name, error->message); /* compiled in: a mistake in the source */
  return reader.page;
}

static int
compare_titles (gconstpointer a, gconstpointer b)
{
  g_autofree char *left = shardwise_manual_node_title (*(ShardwiseManualNode *const *) a);
  g_autofree char *right = shardwise_manual_node_title (*(ShardwiseManualNode *const *) b);

  return g_utf8_collate (left, right);
}

/**
 * shardwise_manual_new:
 *
 * Returns: (transfer full): the manual
 */
ShardwiseManual *
shardwise_manual_new (void)
{
  g_auto (GStrv) names = g_resources_enumerate_children (RESOURCES, 0, NULL);
  ShardwiseManual *self = g_new0 (ShardwiseManual, 1);

  self->pages = g_ptr_array_new_with_free_func ((GDestroyNotify) node_free);
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    if (g_str_has_suffix (names[i], SUFFIX))
      g_ptr_array_add (self->pages, read_page (names[i]));
  g_ptr_array_sort (self->pages, compare_titles);
  return self;
}

/**
 * shardwise_manual_free:
 * @self: (transfer full) (nullable)
 */
void
shardwise_manual_free (ShardwiseManual *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->pages);
  g_free (self);
}

/* ---- finding ---- */

/**
 * shardwise_manual_get_pages:
 *
 * Returns: (transfer none) (element-type ShardwiseManualNode): all pages, by title
 */
GPtrArray *
shardwise_manual_get_pages (ShardwiseManual *self)
{
  return self->pages;
}

static const ShardwiseManualNode *
find_section (const ShardwiseManualNode *self, const char *id)
{
  for (guint i = 0; i < self->children->len; i++)
    {
      const ShardwiseManualNode *child = self->children->pdata[i], *found;

      if (!shardwise_manual_node_is (child, "section"))
        continue;
      if (g_strcmp0 (shardwise_manual_node_get (child, "id"), id) == 0)
        return child;
      found = find_section (child, id);
      if (found != NULL)
        return found;
    }
  return NULL;
}

/**
 * shardwise_manual_find:
 * @topic: "memory", or a section of it: "memory#logits"
 * @page: (out) (optional): the page that has it
 *
 * Returns: (transfer none) (nullable): the page or section
 */
const ShardwiseManualNode *
shardwise_manual_find (ShardwiseManual *self, const char *topic, const ShardwiseManualNode **page)
{
  g_auto (GStrv) parts = g_strsplit (topic, "#", 2);

  for (guint i = 0; parts[0] != NULL && i < self->pages->len; i++)
    {
      const ShardwiseManualNode *found = self->pages->pdata[i];

      if (g_strcmp0 (shardwise_manual_node_get (found, "id"), parts[0]) != 0)
        continue;
      if (page != NULL)
        *page = found;
      return parts[1] == NULL ? found : find_section (found, parts[1]);
    }
  return NULL;
}

static gboolean
is_guided (const ShardwiseManualNode *page, const char *topic)
{
  const ShardwiseManualNode *info = shardwise_manual_node_child (page, "info");

  for (guint i = 0; info != NULL && i < info->children->len; i++)
    {
      const ShardwiseManualNode *link = info->children->pdata[i];

      if (shardwise_manual_node_is (link, "link")
          && g_strcmp0 (shardwise_manual_node_get (link, "type"), "guide") == 0
          && g_strcmp0 (shardwise_manual_node_get (link, "xref"), topic) == 0)
        return TRUE;
    }
  return FALSE;
}

/**
 * shardwise_manual_get_guided:
 * @topic: a page or section
 *
 * Returns: (transfer container) (element-type ShardwiseManualNode): the pages that declare it as
 *   their guide
 */
GPtrArray *
shardwise_manual_get_guided (ShardwiseManual *self, const char *topic)
{
  GPtrArray *found = g_ptr_array_new ();

  for (guint i = 0; i < self->pages->len; i++)
    if (is_guided (self->pages->pdata[i], topic))
      g_ptr_array_add (found, self->pages->pdata[i]);
  return found;
}

/* ---- searching ---- */

/*
 * shardwise_manual_hit_free:
 * @self: (transfer full)
 */
static void
shardwise_manual_hit_free (ShardwiseManualHit *self)
{
  g_free (self->topic);
  g_free (self->title);
  g_free (self->text);
  g_free (self);
}

/* The text of a part, without that of its sections with an id. */
static char *
own_text (const ShardwiseManualNode *self)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < self->children->len; i++)
    {
      const ShardwiseManualNode *child = self->children->pdata[i];
      g_autofree char *text = NULL;

      if (shardwise_manual_node_is (child, "info"))
        child = shardwise_manual_node_child (child, "desc");
      if (child == NULL || child->name == NULL || shardwise_manual_node_is (child, "title")
          || (shardwise_manual_node_is (child, "section")
              && shardwise_manual_node_get (child, "id") != NULL))
        continue;
      text = shardwise_manual_node_text (child);
      g_string_append_printf (out, "%s%s", out->len > 0 ? " " : "", text);
    }
  return g_string_free (out, FALSE);
}

static void
search_part (const ShardwiseManualNode *part, const char *page, const char *words,
             GPtrArray *in_title, GPtrArray *in_text)
{
  const char *id = shardwise_manual_node_get (part, "id");
  ShardwiseManualHit *hit = g_new0 (ShardwiseManualHit, 1);
  g_autofree char *both = NULL;

  hit->topic = part->name[0] == 's' ? g_strdup_printf ("%s#%s", page, id) : g_strdup (page);
  hit->title = shardwise_manual_node_title (part);
  hit->text = own_text (part);
  both = g_strconcat (hit->title, " ", hit->text, NULL);
  if (shardwise_text_has_words (hit->title, words))
    g_ptr_array_add (in_title, hit);
  else if (shardwise_text_has_words (both, words))
    g_ptr_array_add (in_text, hit);
  else
    shardwise_manual_hit_free (hit);
  for (guint i = 0; i < part->children->len; i++)
    {
      const ShardwiseManualNode *child = part->children->pdata[i];

      if (shardwise_manual_node_is (child, "section")
          && shardwise_manual_node_get (child, "id") != NULL)
        search_part (child, page, words, in_title, in_text);
    }
}

/**
 * shardwise_manual_search:
 * @words: as typed; all must match
 *
 * Returns: (transfer full) (element-type ShardwiseManualHit): pages and sections; matches in titles
 *   come first
 */
GPtrArray *
shardwise_manual_search (ShardwiseManual *self, const char *words)
{
  GPtrArray *hits = g_ptr_array_new_with_free_func ((GDestroyNotify) shardwise_manual_hit_free);
  g_autoptr (GPtrArray) in_text = g_ptr_array_new ();
  g_autofree char *wanted = g_strstrip (g_strdup (words));

  for (guint i = 0; i < self->pages->len && *wanted != '\0'; i++)
    search_part (self->pages->pdata[i], shardwise_manual_node_get (self->pages->pdata[i], "id"),
                 wanted, hits, in_text);
  g_ptr_array_extend (hits, in_text, NULL, NULL);
  return hits;
}

/* Whether the manual is installed where help viewers look for it. */
static gboolean
has_manual (void)
{
  const char *const *folders = g_get_system_data_dirs ();

  for (guint i = 0; folders[i] != NULL; i++)
    {
      g_autofree char *index = g_build_filename (folders[i], "help", "C", "shardwise", "index.page",
                                                 NULL);

      if (g_file_test (index, G_FILE_TEST_EXISTS))
        return TRUE;
    }
  return FALSE;
}

/**
 * shardwise_manual_show_in_viewer:
 * @topic: (nullable): a page of the manual or a section of one; %NULL: its contents
 *
 * Shows the manual in the desktop's help viewer.
 *
 * Returns: whether a viewer was started; never in a sandbox, where a viewer may not have the manual
 */
gboolean
shardwise_manual_show_in_viewer (const char *topic)
{
  g_autoptr (GAppInfo) viewer = g_app_info_get_default_for_uri_scheme ("help");
  g_autofree char *uri = topic != NULL ? g_strdup_printf ("help:shardwise/%s", topic)
                                       : g_strdup ("help:shardwise");

  return viewer != NULL && has_manual () && !g_file_test ("/.flatpak-info", G_FILE_TEST_EXISTS)
         && g_app_info_launch_default_for_uri (uri, NULL, NULL);
}
