/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-name-search.h"

#include <string.h>

struct _ShardwiseNameSearch {
  GtkFilter parent_instance;
  GtkExpression *name;
  char *text; /* what is typed, without case; never NULL */
};

G_DEFINE_FINAL_TYPE (ShardwiseNameSearch, shardwise_name_search, GTK_TYPE_FILTER)

static char *
without_case (const char *text)
{
  g_autofree char *normal = g_utf8_normalize (text, -1, G_NORMALIZE_ALL);

  return g_utf8_casefold (normal != NULL ? normal : text, -1);
}

/* "70 b parameters" is found as "70b", too. */
static void
join_size (char *name)
{
  char *at = strstr (name, " b ");

  if (at != NULL && at > name && g_ascii_isdigit (at[-1]))
    memmove (at, at + 1, strlen (at));
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
shardwise_name_search_match (GtkFilter *filter, gpointer item)
{
  ShardwiseNameSearch *self = SHARDWISE_NAME_SEARCH (filter);
  g_auto (GValue) value = G_VALUE_INIT;
  g_autofree char *name = NULL;

  if (!gtk_expression_evaluate (self->name, item, &value) || g_value_get_string (&value) == NULL)
    return FALSE;
  name = without_case (g_value_get_string (&value));
  join_size (name);
  for (const char *word = self->text; *word != '\0';)
    {
      const gsize length = strcspn (word, " ");

      if (length > 0 && !has_word (name, word, length, word[length] == ' '))
        return FALSE;
      word += length + (word[length] == ' ');
    }
  return TRUE;
}

static void
shardwise_name_search_finalize (GObject *object)
{
  ShardwiseNameSearch *self = SHARDWISE_NAME_SEARCH (object);

  gtk_expression_unref (self->name);
  g_free (self->text);
  G_OBJECT_CLASS (shardwise_name_search_parent_class)->finalize (object);
}

static void
shardwise_name_search_class_init (ShardwiseNameSearchClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = shardwise_name_search_finalize;
  GTK_FILTER_CLASS (klass)->match = shardwise_name_search_match;
}

static void
shardwise_name_search_init (ShardwiseNameSearch *self)
{
  self->text = g_strdup ("");
}

/**
 * shardwise_name_search_new:
 * @name: (transfer none): the name of an item, a string
 *
 * Returns: (transfer full): lets through what has every word that is typed, until
 *   shardwise_name_search_set_text() everything
 */
ShardwiseNameSearch *
shardwise_name_search_new (GtkExpression *name)
{
  ShardwiseNameSearch *self = g_object_new (SHARDWISE_TYPE_NAME_SEARCH, NULL);

  self->name = gtk_expression_ref (name);
  return self;
}

/**
 * shardwise_name_search_set_text:
 * @self: a search
 * @text: what is typed
 *
 * Looks for words between spaces, in any order, without regard to case. A number is found by how it
 * begins, so that "7" finds "70B" while it is typed, and "7b" does not find "17B".
 */
void
shardwise_name_search_set_text (ShardwiseNameSearch *self, const char *text)
{
  g_return_if_fail (SHARDWISE_IS_NAME_SEARCH (self) && text != NULL);

  g_free (self->text);
  self->text = without_case (text);
  gtk_filter_changed (GTK_FILTER (self), GTK_FILTER_CHANGE_DIFFERENT);
}
