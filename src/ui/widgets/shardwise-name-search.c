/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-name-search.h"

#include <string.h>

typedef struct {
  GtkExpression *name;
  char *text; /* what is typed, without case; never NULL */
} Search;

static void
search_free (gpointer data)
{
  Search *search = data;

  gtk_expression_unref (search->name);
  g_free (search->text);
  g_free (search);
}

static char *
without_case (const char *text)
{
  g_autofree char *normal = g_utf8_normalize (text, -1, G_NORMALIZE_ALL);

  return g_utf8_casefold (normal != NULL ? normal : text, -1);
}

/* A word with a number in front is not found within a number: "7b" is not in "17B", nor in "2.7B".
 * Once the next word has begun its own number is whole: "3 8b" is not in "3.1 8B". */
static gboolean
has_word (const char *name, const char *word, gsize length, gboolean ended)
{
  for (const char *at = name; *at != '\0'; at = g_utf8_next_char (at))
    {
      if (strncmp (at, word, length) != 0)
        continue;
      if (g_ascii_isdigit (*word) && at > name
          && (g_ascii_isdigit (at[-1])
              || (at[-1] == '.' && at - name > 1 && g_ascii_isdigit (at[-2]))))
        continue;
      if (ended && g_ascii_isdigit (word[length - 1])
          && (g_ascii_isdigit (at[length])
              || (at[length] == '.' && g_ascii_isdigit (at[length + 1]))))
        continue;
      return TRUE;
    }
  return FALSE;
}

static gboolean
matches (gpointer item, gpointer data)
{
  const Search *search = data;
  g_auto (GValue) value = G_VALUE_INIT;
  g_autofree char *name = NULL;

  if (!gtk_expression_evaluate (search->name, item, &value) || g_value_get_string (&value) == NULL)
    return FALSE;
  name = without_case (g_value_get_string (&value));
  for (const char *word = search->text; *word != '\0';)
    {
      const gsize length = strcspn (word, " ");

      if (length > 0 && !has_word (name, word, length, word[length] == ' '))
        return FALSE;
      word += length + (word[length] == ' ');
    }
  return TRUE;
}

static GQuark
search_quark (void)
{
  return g_quark_from_static_string ("shardwise-name-search");
}

/**
 * shardwise_name_search_new:
 * @name: (transfer none): the name of an item, a string
 *
 * Returns: (transfer full): a filter that lets through what has every word that is typed, until
 *   shardwise_name_search_set_text() everything
 */
GtkFilter *
shardwise_name_search_new (GtkExpression *name)
{
  Search *search = g_new (Search, 1);
  GtkFilter *filter;

  *search = (Search){ gtk_expression_ref (name), g_strdup ("") };
  filter = GTK_FILTER (gtk_custom_filter_new (matches, search, search_free));
  g_object_set_qdata (G_OBJECT (filter), search_quark (), search);
  return filter;
}

/**
 * shardwise_name_search_set_text:
 * @search: a filter of shardwise_name_search_new()
 * @text: what is typed
 *
 * Looks for words between spaces, in any order, without regard to case. A number is found by how it
 * begins, so that "7" finds "70B" while it is typed, and "7b" does not find "17B".
 */
void
shardwise_name_search_set_text (GtkFilter *search, const char *text)
{
  Search *self = g_object_get_qdata (G_OBJECT (search), search_quark ());

  g_return_if_fail (self != NULL && text != NULL);

  g_free (self->text);
  self->text = without_case (text);
  gtk_filter_changed (search, GTK_FILTER_CHANGE_DIFFERENT);
}
