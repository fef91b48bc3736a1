/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Launch scripts: from text to commands and variables, from top to bottom, as if every branch were
 * taken. Nothing is run and no file that a script names is opened. */
#include "shardwise-shell-private.h"

#include <glib/gi18n.h>
#include <string.h>

/* Bytes of a script, bytes that expansion may make of it, scripts in strings within each other. */
#define MAX_BYTES (1024u * 1024)
#define MAX_WORK (8u * 1024 * 1024)
#define MAX_SCRIPTS 3

/* (transfer full): a word with its place in the script. */
ShardwiseShellWord *
shardwise_shell_word_new (const char *text, guint line, guint column)
{
  ShardwiseShellWord *word = g_new (ShardwiseShellWord, 1);

  *word = (ShardwiseShellWord){ g_strdup (text), line, column };
  return word;
}

/* Frees a #ShardwiseShellWord. */
void
shardwise_shell_word_free (gpointer data)
{
  ShardwiseShellWord *word = data;

  g_free (word->text);
  g_free (word);
}

/**
 * shardwise_shell_command_new:
 *
 * Returns: (transfer full): a command without words
 */
ShardwiseShellCommand *
shardwise_shell_command_new (void)
{
  ShardwiseShellCommand *command = g_new (ShardwiseShellCommand, 1);

  command->words = g_ptr_array_new_with_free_func (shardwise_shell_word_free);
  return command;
}

static void
command_free (gpointer data)
{
  ShardwiseShellCommand *command = data;

  g_ptr_array_unref (command->words);
  g_free (command);
}

/* ---- the cursor ---- */

/* Ends the reading with an error at the cursor, unless there is one; FALSE. */
gboolean
shardwise_shell_fail (ShardwiseShellReader *self, const char *text)
{
  if (self->error == NULL)
    self->error = shardwise_position_error (self->cursor.line, self->cursor.column, "%s", text);
  return FALSE;
}

/* Counts what expansion has written; FALSE, with an error, where it is too much. */
gboolean
shardwise_shell_spend (ShardwiseShellReader *self, gsize bytes)
{
  self->work += bytes;
  return self->work <= MAX_WORK
         || shardwise_shell_fail (self, _ ("the variables of this script grow too long"));
}

static void
skip_blanks (ShardwiseShellReader *self)
{
  for (;;)
    if (shardwise_cursor_peek (&self->cursor, 0) == ' '
        || shardwise_cursor_peek (&self->cursor, 0) == '\t'
        || shardwise_cursor_peek (&self->cursor, 0) == '\r')
      shardwise_cursor_step (&self->cursor, 1);
    else if (shardwise_cursor_starts (&self->cursor, "\\\n"))
      shardwise_cursor_step (&self->cursor, 2);
    else if (shardwise_cursor_starts (&self->cursor, "\\\r\n"))
      shardwise_cursor_step (&self->cursor, 3);
    else
      return;
}

static void
skip_line (ShardwiseShellReader *self)
{
  while (self->cursor.at < self->cursor.end && *self->cursor.at != '\n')
    shardwise_cursor_step (&self->cursor, 1);
}

/* ---- assignments ---- */

/* Sets a variable, in place of an array of its name. */
void
shardwise_shell_set_value (ShardwiseShellReader *self, const char *name, const char *text,
                           guint line, guint column)
{
  g_hash_table_remove (self->arrays, name);
  g_hash_table_insert (self->values, g_strdup (name),
                       shardwise_shell_word_new (text, line, column));
}

static gboolean
skip_between_items (ShardwiseShellReader *self)
{
  for (;;)
    {
      skip_blanks (self);
      if (shardwise_cursor_peek (&self->cursor, 0) == '#')
        skip_line (self);
      else if (shardwise_cursor_peek (&self->cursor, 0) == '\n')
        shardwise_cursor_step (&self->cursor, 1);
      else
        return self->cursor.at < self->cursor.end
               || shardwise_shell_fail (self, _ ("the array has no end; ) is expected"));
    }
}

/* NAME=( words ), NAME+=( words ) */
static gboolean
read_array (ShardwiseShellReader *self, const char *name, gboolean appends)
{
  GPtrArray *before = g_hash_table_lookup (self->arrays, name);
  g_autoptr (GPtrArray) items = appends && before != NULL
                                    ? g_ptr_array_ref (before)
                                    : g_ptr_array_new_with_free_func (shardwise_shell_word_free);

  shardwise_cursor_step (&self->cursor, 1);
  while (skip_between_items (self))
    {
      ShardwiseShellField field;
      gboolean good;

      if (*self->cursor.at == ')')
        {
          shardwise_cursor_step (&self->cursor, 1);
          g_hash_table_remove (self->values, name);
          g_hash_table_insert (self->arrays, g_strdup (name), g_steal_pointer (&items));
          return TRUE;
        }
      shardwise_shell_field_init (&field, self, TRUE);
      good = strchr (";&|<>(", *self->cursor.at) == NULL
             && shardwise_shell_read_word (self, &field);
      if (good)
        g_ptr_array_extend_and_steal (items, g_steal_pointer (&field.fields));
      shardwise_shell_field_clear (&field);
      if (!good)
        return shardwise_shell_fail (self, _ ("a word or ) is expected in an array"));
    }
  return FALSE;
}

/* The length of the name where NAME=, NAME+= begins here; 0: no assignment. */
static gsize
assignment_length (const ShardwiseShellReader *self, gboolean *appends)
{
  gsize length = 0;
  char c = shardwise_cursor_peek (&self->cursor, 0);

  if (!g_ascii_isalpha (c) && c != '_')
    return 0;
  while (g_ascii_isalnum (c) || c == '_')
    c = shardwise_cursor_peek (&self->cursor, ++length);
  *appends = c == '+' && shardwise_cursor_peek (&self->cursor, length + 1) == '=';
  return c == '=' || *appends ? length : 0;
}

static gboolean
read_assignment (ShardwiseShellReader *self, gsize length, gboolean appends)
{
  g_autofree char *name = g_strndup (self->cursor.at, length);

  shardwise_cursor_step (&self->cursor, length + (appends ? 2 : 1));
  if (shardwise_cursor_peek (&self->cursor, 0) == '(')
    return read_array (self, name, appends);

  const ShardwiseShellWord *before = g_hash_table_lookup (self->values, name);
  guint line = self->cursor.line, column = self->cursor.column;
  g_autoptr (GString) text = g_string_new (appends && before != NULL ? before->text : NULL);
  ShardwiseShellField field;
  gboolean good;

  shardwise_shell_field_init (&field, self, FALSE);
  good = shardwise_shell_spend (self, text->len) && shardwise_shell_read_word (self, &field);
  for (guint i = 0; good && i < field.fields->len; i++)
    g_string_append (text, ((ShardwiseShellWord *) field.fields->pdata[i])->text);
  shardwise_shell_field_clear (&field);
  if (good)
    shardwise_shell_set_value (self, name, text->str, line, column);
  return good;
}

/* ---- commands ---- */

typedef struct {
  GPtrArray *words;   /* of the command that is being read */
  GPtrArray *pending; /* of char*: words that end here-documents of this line */
  gboolean declares;  /* after export, local and so on */
} Line;

static gboolean read_script (ShardwiseShellReader *self);

/* A word that holds options of its own ("bash -c '…'", "eval \"$command\"") is a script as well. */
static gboolean
read_nested (ShardwiseShellReader *self, const ShardwiseShellWord *word)
{
  const ShardwiseCursor outer = self->cursor;
  gboolean good = TRUE;

  if (self->depth >= MAX_SCRIPTS || strstr (word->text, " --") == NULL)
    return TRUE;
  self->depth++;
  self->cursor = (ShardwiseCursor){ word->text, word->text + strlen (word->text), word->line,
                                    word->column };
  good = read_script (self);
  self->cursor = outer;
  self->depth--;
  return good;
}

static gboolean
end_command (ShardwiseShellReader *self, Line *line)
{
  ShardwiseShellCommand *command;
  gboolean good = TRUE;

  line->declares = FALSE;
  if (line->words->len == 0)
    return TRUE;
  command = shardwise_shell_command_new ();
  g_ptr_array_extend_and_steal (command->words, g_steal_pointer (&line->words));
  line->words = g_ptr_array_new_with_free_func (shardwise_shell_word_free);
  g_ptr_array_add (self->out->commands, command);
  for (guint i = 0; good && i < command->words->len; i++)
    good = read_nested (self, command->words->pdata[i]);
  return good;
}

/* <<WORD, < file, > file, 2>&1 */
static gboolean
read_redirection (ShardwiseShellReader *self, Line *line)
{
  const gboolean is_document = shardwise_cursor_starts (&self->cursor, "<<")
                               && !shardwise_cursor_starts (&self->cursor, "<<<");
  ShardwiseShellField field;
  gboolean good;

  while (strchr ("<>&|-", shardwise_cursor_peek (&self->cursor, 0))
         && self->cursor.at < self->cursor.end)
    shardwise_cursor_step (&self->cursor, 1);
  skip_blanks (self);
  shardwise_shell_field_init (&field, self, FALSE);
  good = shardwise_shell_read_word (self, &field);
  if (good && is_document && field.fields->len > 0)
    g_ptr_array_add (line->pending,
                     g_strdup (((ShardwiseShellWord *) field.fields->pdata[0])->text));
  shardwise_shell_field_clear (&field);
  return good;
}

static gboolean
is_keyword (ShardwiseShellReader *self, Line *line, const ShardwiseShellWord *word)
{
  static const char *const conditions[] = { "if",  "elif",  "else",  "case",
                                            "for", "while", "until", NULL };
  static const char *const others[] = { "then", "fi", "do",   "done",     "esac", "in",
                                        "{",    "}",  "time", "function", "!",    NULL };
  static const char *const declarations[] = { "export",   "declare", "local",
                                              "readonly", "typeset", NULL };

  if (g_strv_contains (conditions, word->text))
    {
      if (self->out->condition_line == 0)
        self->out->condition_line = word->line;
      return TRUE;
    }
  if (g_strv_contains (declarations, word->text))
    {
      line->declares = TRUE;
      return TRUE;
    }
  return g_strv_contains (others, word->text);
}

/* A number right before < or > names a file descriptor. */
static gboolean
is_descriptor (const ShardwiseShellReader *self, const ShardwiseShellField *field)
{
  const char *text;

  if (field->fields->len != 1 || field->is_quoted
      || strchr ("<>", shardwise_cursor_peek (&self->cursor, 0)) == NULL
      || self->cursor.at == self->cursor.end)
    return FALSE;
  text = ((ShardwiseShellWord *) field->fields->pdata[0])->text;
  return strspn (text, "0123456789") == strlen (text);
}

static gboolean
read_argument (ShardwiseShellReader *self, Line *line)
{
  ShardwiseShellField field;
  gboolean good, appends;
  gsize length = line->words->len == 0 ? assignment_length (self, &appends) : 0;

  if (length > 0)
    return read_assignment (self, length, appends);
  shardwise_shell_field_init (&field, self, TRUE);
  good = shardwise_shell_read_word (self, &field);
  if (good && !field.is_quoted && line->words->len == 0 && field.fields->len == 1
      && is_keyword (self, line, field.fields->pdata[0]))
    g_ptr_array_set_size (field.fields, 0);
  if (line->declares || (good && is_descriptor (self, &field)))
    g_ptr_array_set_size (field.fields, 0); /* also the options and names of declare */
  if (good)
    g_ptr_array_extend_and_steal (line->words, g_steal_pointer (&field.fields));
  shardwise_shell_field_clear (&field);
  return good;
}

static gboolean
read_token (ShardwiseShellReader *self, Line *line)
{
  switch (*self->cursor.at)
    {
    case '#': skip_line (self); return TRUE;
    case '\n':
      shardwise_cursor_step (&self->cursor, 1);
      if (!end_command (self, line))
        return FALSE;
      /* The text of a here-document is no command. */
      while (line->pending->len > 0 && self->cursor.at < self->cursor.end)
        {
          const char *start = self->cursor.at;
          g_autofree char *text = NULL;

          skip_line (self);
          text = g_strndup (start, self->cursor.at - start);
          shardwise_cursor_step (&self->cursor, 1);
          if (g_str_equal (g_strstrip (text), line->pending->pdata[0]))
            g_ptr_array_remove_index (line->pending, 0);
        }
      return TRUE;
    case '<':
    case '>': return read_redirection (self, line);
    case '(':
      if (line->words->len == 0 && shardwise_cursor_starts (&self->cursor, "(("))
        return shardwise_shell_skip_brackets (self, '(', ')');
      G_GNUC_FALLTHROUGH;
    case ';':
    case '&':
    case '|':
    case ')': shardwise_cursor_step (&self->cursor, 1); return end_command (self, line);
    default: return read_argument (self, line);
    }
}

static gboolean
read_script (ShardwiseShellReader *self)
{
  Line line = { .words = g_ptr_array_new_with_free_func (shardwise_shell_word_free),
                .pending = g_ptr_array_new_with_free_func (g_free) };
  gboolean good = TRUE;

  for (skip_blanks (self); good && self->cursor.at < self->cursor.end; skip_blanks (self))
    good = read_token (self, &line);
  good = good && end_command (self, &line);
  g_ptr_array_unref (line.words);
  g_ptr_array_unref (line.pending);
  return good;
}

/* ---- what Slurm sets ---- */

static void
set_from_sbatch (ShardwiseShellReader *self, const char *name, const char *option)
{
  for (guint i = 0; i < self->out->sbatch->len; i++)
    {
      const ShardwiseShellWord *word = self->out->sbatch->pdata[i];
      gsize length = strlen (option);

      if (g_str_has_prefix (word->text, option) && word->text[length] == '='
          && !g_hash_table_contains (self->values, name))
        shardwise_shell_set_value (self, name, word->text + length + 1, word->line, word->column);
    }
}

static void
read_options (ShardwiseShellReader *self)
{
  for (skip_blanks (self); !strchr ("\n#", shardwise_cursor_peek (&self->cursor, 0));
       skip_blanks (self))
    {
      guint line = self->cursor.line, column = self->cursor.column;
      const char *start = self->cursor.at;
      g_autofree char *text = NULL;

      while (!strchr (" \t\r\n", shardwise_cursor_peek (&self->cursor, 0)))
        shardwise_cursor_step (&self->cursor, 1);
      text = g_strndup (start, self->cursor.at - start);
      g_ptr_array_add (self->out->sbatch, shardwise_shell_word_new (text, line, column));
    }
}

/* Slurm reads #SBATCH lines up to the first command, and expands nothing in them. */
static void
read_sbatch (ShardwiseShellReader *self)
{
  static const char *const from[][2] = {
    { "SLURM_NNODES", "--nodes" },
    { "SLURM_JOB_NUM_NODES", "--nodes" },
    { "SLURM_NTASKS", "--ntasks" },
    { "SLURM_NTASKS_PER_NODE", "--ntasks-per-node" },
    { "SLURM_GPUS_PER_NODE", "--gpus-per-node" },
    { "SLURM_GPUS_ON_NODE", "--gpus-per-node" },
  };
  const ShardwiseCursor start = self->cursor;

  while (strchr ("#\n\r", shardwise_cursor_peek (&self->cursor, 0))
         && self->cursor.at < self->cursor.end)
    {
      if (shardwise_cursor_starts (&self->cursor, "#SBATCH"))
        {
          shardwise_cursor_step (&self->cursor, strlen ("#SBATCH"));
          read_options (self);
        }
      skip_line (self);
      shardwise_cursor_step (&self->cursor, 1);
    }
  self->cursor = start;
  for (guint i = 0; i < G_N_ELEMENTS (from); i++)
    set_from_sbatch (self, from[i][0], from[i][1]);
}

/**
 * shardwise_shell_read:
 * @text: a script, valid UTF-8 without NUL
 * @length: its bytes
 *
 * Returns: (transfer full): its commands; %NULL with @error naming line and column
 */
ShardwiseShell *
shardwise_shell_read (const char *text, gsize length, GError **error)
{
  g_autoptr (ShardwiseShell) out = g_new0 (ShardwiseShell, 1);
  ShardwiseShellReader self = { .cursor = { text, text + length, 1, 1 }, .out = out };
  gboolean good;

  if (length > MAX_BYTES)
    {
      g_propagate_error (error, shardwise_position_error (1, 1,
                                                          _ ("a launch script of more than "
                                                             "1 MiB")));
      return NULL;
    }
  out->commands = g_ptr_array_new_with_free_func (command_free);
  out->variables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  out->sbatch = g_ptr_array_new_with_free_func (shardwise_shell_word_free);
  self.values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, shardwise_shell_word_free);
  self.arrays = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                       (GDestroyNotify) g_ptr_array_unref);
  read_sbatch (&self);
  good = read_script (&self);
  if (good)
    {
      GHashTableIter iter;
      gpointer name, value;

      g_hash_table_iter_init (&iter, self.values);
      while (g_hash_table_iter_next (&iter, &name, &value))
        g_hash_table_insert (self.out->variables, g_strdup (name),
                             g_strdup (((ShardwiseShellWord *) value)->text));
      shardwise_shell_collect_loose (&self);
    }
  g_hash_table_unref (self.values);
  g_hash_table_unref (self.arrays);
  if (good)
    return g_steal_pointer (&out);
  g_propagate_error (error, self.error);
  return NULL;
}

/**
 * shardwise_shell_free:
 * @self: (transfer full) (nullable): a script
 */
void
shardwise_shell_free (ShardwiseShell *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->commands, g_ptr_array_unref);
  g_clear_pointer (&self->variables, g_hash_table_unref);
  g_clear_pointer (&self->sbatch, g_ptr_array_unref);
  g_clear_pointer (&self->loose, command_free);
  g_free (self);
}
