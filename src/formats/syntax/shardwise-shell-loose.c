/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A script that another one sources only assigns options to variables; they are read as one
 * command, in the order of their lines. */
#include "shardwise-shell-private.h"

/* Cuts a value at its spaces; its words stand where the variable is set. */
static void
collect_value (GPtrArray *words, const ShardwiseShellWord *value)
{
  g_auto (GStrv) parts = g_strsplit_set (value->text, " \t\r\n", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    if (*parts[i] != '\0')
      g_ptr_array_add (words, shardwise_shell_word_new (parts[i], value->line, value->column));
}

static int
by_place (gconstpointer a, gconstpointer b)
{
  const GPtrArray *x = *(GPtrArray *const *) a, *y = *(GPtrArray *const *) b;
  const ShardwiseShellWord *p = x->pdata[0], *q = y->pdata[0];

  if (p->line != q->line)
    return p->line < q->line ? -1 : 1;
  return p->column < q->column ? -1 : p->column > q->column;
}

/* What comes from outside may stand before the first option. */
static gboolean
begins_with_option (GPtrArray *words)
{
  for (guint i = 0; i < words->len; i++)
    {
      const ShardwiseShellWord *word = words->pdata[i];

      if (*word->text != SHARDWISE_NODE_UNKNOWN)
        return g_str_has_prefix (word->text, "--") && g_ascii_isalpha (word->text[2]);
    }
  return FALSE;
}

static void
add_list (GPtrArray *lists, GPtrArray *words)
{
  if (begins_with_option (words))
    g_ptr_array_add (lists, words);
  else
    g_ptr_array_unref (words);
}

/**
 * shardwise_shell_collect_loose:
 * @self: at the end of its script
 *
 * Takes the variables and arrays that begin with an option as one command. What one of them takes
 * over from another stands twice, and the later one counts, as on a command line.
 */
void
shardwise_shell_collect_loose (ShardwiseShellReader *self)
{
  g_autoptr (GPtrArray) lists = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->values);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      GPtrArray *words = g_ptr_array_new_with_free_func (shardwise_shell_word_free);

      collect_value (words, value);
      add_list (lists, words);
    }
  g_hash_table_iter_init (&iter, self->arrays);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      GPtrArray *words = g_ptr_array_new_with_free_func (shardwise_shell_word_free);

      for (guint i = 0; i < ((GPtrArray *) value)->len; i++)
        collect_value (words, ((GPtrArray *) value)->pdata[i]);
      add_list (lists, words);
    }
  g_ptr_array_sort (lists, by_place);
  self->out->loose = shardwise_shell_command_new ();
  for (guint i = 0; i < lists->len; i++)
    g_ptr_array_extend_and_steal (self->out->loose->words, g_ptr_array_ref (lists->pdata[i]));
}
