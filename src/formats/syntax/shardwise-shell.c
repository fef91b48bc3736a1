/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Launch scripts: from text to commands and variables, from top to bottom, as if every branch were
 * taken. Nothing is run and no file that a script names is opened. */
#include "shardwise-shell.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-cursor.h"

typedef struct {
  ShardwiseCursor cursor;
  ShardwiseShell *out;
  GHashTable *values; /* name -> ShardwiseShellWord */
  GHashTable *arrays; /* name -> GPtrArray of ShardwiseShellWord */
  gsize work;         /* bytes that expansion made, so that doubling variables end */
  guint depth;        /* of texts within texts */
  GError *error;
} ShardwiseShellReader;

/* The fields that one word becomes. */
typedef struct {
  GPtrArray *fields;  /* of ShardwiseShellWord */
  GString *text;      /* of the field that is being made */
  gboolean is_open;   /* there is one, if only an empty one in quotes */
  gboolean splits;    /* values outside quotes are cut at spaces */
  gboolean is_quoted; /* some of it stood in quotes */
  guint line, column;
} ShardwiseShellField;

/* shardwise-shell-word.c */

/* shardwise-shell-expand.c: at a dollar or a backquote */

/* shardwise-shell-loose.c: options that are only assigned */

/* Bytes of a script, bytes that expansion may make of it, scripts in strings within each other. */
#define MAX_BYTES (1024u * 1024)
#define MAX_WORK (8u * 1024 * 1024)
#define MAX_SCRIPTS 3

static void shardwise_shell_field_init (ShardwiseShellField *self,
                                        const ShardwiseShellReader *reader, gboolean splits);

static void shardwise_shell_field_clear (ShardwiseShellField *self);

static gboolean shardwise_shell_read_word (ShardwiseShellReader *self, ShardwiseShellField *field);

static gboolean shardwise_shell_skip_brackets (ShardwiseShellReader *self, char open, char close);

static gboolean
shardwise_shell_expand (ShardwiseShellReader *self, ShardwiseShellField *field, gboolean quoted);

static void shardwise_shell_collect_loose (ShardwiseShellReader *self);

/* (transfer full): a word with its place in the script. */
static ShardwiseShellWord *
shardwise_shell_word_new (const char *text, guint line, guint column)
{
  ShardwiseShellWord *word = g_new (ShardwiseShellWord, 1);

  *word = (ShardwiseShellWord){ g_strdup (text), line, column };
  return word;
}

/* Frees a #ShardwiseShellWord. */
static void
shardwise_shell_word_free (gpointer data)
{
  ShardwiseShellWord *word = data;

  g_free (word->text);
  g_free (word);
}

/*
 * shardwise_shell_command_new:
 *
 * Returns: (transfer full): a command without words
 */
static ShardwiseShellCommand *
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
static gboolean
shardwise_shell_fail (ShardwiseShellReader *self, const char *text)
{
  if (self->error == NULL)
    self->error = shardwise_position_error (self->cursor.line, self->cursor.column, "%s", text);
  return FALSE;
}

/* Counts what expansion has written; FALSE, with an error, where it is too much. */
static gboolean
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
static void
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

  /* Slurm reads #SBATCH lines up to the first command, and expands nothing in them. */
  static const char *const from[][2] = {
    { "SLURM_NNODES", "--nodes" },
    { "SLURM_JOB_NUM_NODES", "--nodes" },
    { "SLURM_NTASKS", "--ntasks" },
    { "SLURM_NTASKS_PER_NODE", "--ntasks-per-node" },
    { "SLURM_GPUS_PER_NODE", "--gpus-per-node" },
    { "SLURM_GPUS_ON_NODE", "--gpus-per-node" },
  };
  const ShardwiseCursor start = self.cursor;

  while (strchr ("#\n\r", shardwise_cursor_peek (&self.cursor, 0))
         && self.cursor.at < self.cursor.end)
    {
      if (shardwise_cursor_starts (&self.cursor, "#SBATCH"))
        {
          shardwise_cursor_step (&self.cursor, strlen ("#SBATCH"));
          read_options (&self);
        }
      skip_line (&self);
      shardwise_cursor_step (&self.cursor, 1);
    }
  self.cursor = start;
  for (guint i = 0; i < G_N_ELEMENTS (from); i++)
    set_from_sbatch (&self, from[i][0], from[i][1]);
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

/* One word of a script: quotes, backslashes, and the fields that it is cut into. */

/* Begins at the place of @reader. */
static void
shardwise_shell_field_init (ShardwiseShellField *self, const ShardwiseShellReader *reader,
                            gboolean splits)
{
  *self =
      (ShardwiseShellField){ .fields = g_ptr_array_new_with_free_func (shardwise_shell_word_free),
                             .text = g_string_new (NULL),
                             .splits = splits,
                             .line = reader->cursor.line,
                             .column = reader->cursor.column };
}

/* The field that is being made is whole. */
static void
shardwise_shell_field_end (ShardwiseShellField *self)
{
  if (self->is_open)
    g_ptr_array_add (self->fields,
                     shardwise_shell_word_new (self->text->str, self->line, self->column));
  g_string_truncate (self->text, 0);
  self->is_open = FALSE;
}

/* Frees what the field has gathered. */
static void
shardwise_shell_field_clear (ShardwiseShellField *self)
{
  g_clear_pointer (&self->fields, g_ptr_array_unref);
  if (self->text != NULL)
    g_string_free (self->text, TRUE);
  self->text = NULL;
}

static gboolean
append (ShardwiseShellReader *self, ShardwiseShellField *field, char c)
{
  g_string_append_c (field->text, c);
  field->is_open = TRUE;
  return shardwise_shell_spend (self, 1);
}

static gboolean
read_single_quotes (ShardwiseShellReader *self, ShardwiseShellField *field)
{
  field->is_open = field->is_quoted = TRUE;
  shardwise_cursor_step (&self->cursor, 1);
  while (shardwise_cursor_peek (&self->cursor, 0) != '\'')
    {
      if (self->cursor.at == self->cursor.end)
        return shardwise_shell_fail (self, _ ("the quote has no end"));
      if (!append (self, field, *self->cursor.at))
        return FALSE;
      shardwise_cursor_step (&self->cursor, 1);
    }
  shardwise_cursor_step (&self->cursor, 1);
  return TRUE;
}

/* Behind a backslash: the character itself, nothing for the end of a line. */
static gboolean
read_escape (ShardwiseShellReader *self, ShardwiseShellField *field, const char *escapable)
{
  char next = shardwise_cursor_peek (&self->cursor, 1);
  const gboolean is_crlf = next == '\r' && shardwise_cursor_peek (&self->cursor, 2) == '\n';
  gboolean good = TRUE;

  if (next == '\n' || is_crlf)
    {
      shardwise_cursor_step (&self->cursor, is_crlf ? 3 : 2);
      return TRUE;
    }
  if (escapable != NULL && (next == '\0' || strchr (escapable, next) == NULL))
    good = append (self, field, '\\');
  shardwise_cursor_step (&self->cursor, 1);
  if (good && self->cursor.at < self->cursor.end)
    {
      good = append (self, field, *self->cursor.at);
      shardwise_cursor_step (&self->cursor, 1);
    }
  return good;
}

/* "${ARRAY[@]}" of no items is no field at all, nor is "$@" of no arguments. */
static gboolean
may_vanish (const ShardwiseShellReader *self)
{
  gsize length = 2;

  if (shardwise_cursor_starts (&self->cursor, "$@\""))
    return TRUE;
  if (!shardwise_cursor_starts (&self->cursor, "${"))
    return FALSE;
  while (g_ascii_isalnum (shardwise_cursor_peek (&self->cursor, length))
         || shardwise_cursor_peek (&self->cursor, length) == '_')
    length++;
  return shardwise_cursor_peek (&self->cursor, length) == '['
         && shardwise_cursor_peek (&self->cursor, length + 1) == '@';
}

static gboolean
read_double_quotes (ShardwiseShellReader *self, ShardwiseShellField *field)
{
  shardwise_cursor_step (&self->cursor, 1);
  field->is_quoted = TRUE;
  field->is_open = field->is_open || !may_vanish (self);
  while (shardwise_cursor_peek (&self->cursor, 0) != '"')
    {
      char c = shardwise_cursor_peek (&self->cursor, 0);
      gboolean good;

      if (self->cursor.at == self->cursor.end)
        return shardwise_shell_fail (self, _ ("the quote has no end"));
      if (c == '\\')
        good = read_escape (self, field, "$`\"\\");
      else if (c == '$' || c == '`')
        good = shardwise_shell_expand (self, field, TRUE);
      else
        {
          good = append (self, field, c);
          shardwise_cursor_step (&self->cursor, 1);
        }
      if (!good)
        return FALSE;
    }
  shardwise_cursor_step (&self->cursor, 1);
  return TRUE;
}

static gboolean
ends_word (char c)
{
  return c == '\0' || strchr (" \t\r\n;&|<>()", c) != NULL;
}

/*
 * shardwise_shell_read_word:
 * @self: at the beginning of a word
 * @field: receives the fields it becomes
 *
 * Returns: whether it is well formed
 */
static gboolean
shardwise_shell_read_word (ShardwiseShellReader *self, ShardwiseShellField *field)
{
  gboolean good = TRUE;

  while (good && self->cursor.at < self->cursor.end && !ends_word (*self->cursor.at))
    switch (*self->cursor.at)
      {
      case '\'': good = read_single_quotes (self, field); break;
      case '"': good = read_double_quotes (self, field); break;
      case '\\': good = read_escape (self, field, NULL); break;
      case '$':
      case '`': good = shardwise_shell_expand (self, field, !field->splits); break;
      default:
        good = append (self, field, *self->cursor.at);
        shardwise_cursor_step (&self->cursor, 1);
      }
  shardwise_shell_field_end (field);
  return good;
}

/* $name, ${name…}, $(( … )) and $( … ): values from the script itself; the output of a command is
 * never known, since none is run. */

#define MAX_DEPTH 16

static const char unknown_text[] = { SHARDWISE_NODE_UNKNOWN, '\0' };

/* ---- values into fields ---- */

static gboolean
append_piece (ShardwiseShellReader *self, ShardwiseShellField *field, const char *text,
              gsize length)
{
  g_string_append_len (field->text, text, (gssize) length);
  field->is_open = TRUE;
  return shardwise_shell_spend (self, length + 16);
}

/* Outside quotes a value is cut at spaces; its fields stand where the variable was set. */
static gboolean
append_value (ShardwiseShellReader *self, ShardwiseShellField *field,
              const ShardwiseShellWord *value, gboolean quoted)
{
  const char *at = value->text;

  if (quoted)
    return append_piece (self, field, at, strlen (at));
  while (*at != '\0')
    {
      gsize length = strcspn (at, " \t\r\n");

      if (length == 0)
        {
          shardwise_shell_field_end (field);
          at += strspn (at, " \t\r\n");
          continue;
        }
      if (!field->is_open)
        {
          field->line = value->line;
          field->column = value->column;
        }
      if (!append_piece (self, field, at, length))
        return FALSE;
      at += length;
    }
  return TRUE;
}

static gboolean
append_array (ShardwiseShellReader *self, ShardwiseShellField *field, GPtrArray *items,
              gboolean quoted)
{
  for (guint i = 0; i < items->len; i++)
    {
      const ShardwiseShellWord *item = items->pdata[i];

      if (i > 0 && field->splits)
        shardwise_shell_field_end (field);
      else if (i > 0 && !append_piece (self, field, " ", 1)) /* assigned to a plain variable */
        return FALSE;
      if (!field->is_open)
        {
          field->line = item->line;
          field->column = item->column;
        }
      if (!append_value (self, field, item, quoted))
        return FALSE;
    }
  return TRUE;
}

static gboolean
append_unknown (ShardwiseShellReader *self, ShardwiseShellField *field)
{
  return append_piece (self, field, unknown_text, 1);
}

/* ---- commands ---- */

/*
 * shardwise_shell_skip_brackets:
 * @self: at an opening bracket
 * @open: that bracket
 * @close: the one that closes it
 *
 * Skips to behind the bracket that closes the one at the cursor.
 *
 * Returns: whether there is one
 */
static gboolean
shardwise_shell_skip_brackets (ShardwiseShellReader *self, char open, char close)
{
  guint depth = 0;

  while (self->cursor.at < self->cursor.end)
    {
      char c = *self->cursor.at;

      if (c == '\\')
        shardwise_cursor_step (&self->cursor, 1);
      else if (c == '\'' || c == '"')
        {
          /* From a quote to behind the one that closes it; in double quotes a backslash guards the character
           * behind it. */
          const char quote = *self->cursor.at;

          do
            {
              if (quote == '"' && *self->cursor.at == '\\')
                shardwise_cursor_step (&self->cursor, 1);
              shardwise_cursor_step (&self->cursor, 1);
            }
          while (self->cursor.at < self->cursor.end && *self->cursor.at != quote);
        }
      else if (c == open)
        depth++;
      else if (c == close && --depth == 0)
        {
          shardwise_cursor_step (&self->cursor, 1);
          return TRUE;
        }
      shardwise_cursor_step (&self->cursor, 1);
    }
  return shardwise_shell_fail (self, _ ("the bracket has no end"));
}

static gboolean
skip_backquotes (ShardwiseShellReader *self)
{
  do
    {
      if (*self->cursor.at == '\\')
        shardwise_cursor_step (&self->cursor, 1);
      shardwise_cursor_step (&self->cursor, 1);
    }
  while (self->cursor.at < self->cursor.end && *self->cursor.at != '`');
  if (self->cursor.at == self->cursor.end)
    return shardwise_shell_fail (self, _ ("the quote has no end"));
  shardwise_cursor_step (&self->cursor, 1);
  return TRUE;
}

static char *
lookup_cb (const char *name, gpointer data)
{
  ShardwiseShellReader *self = data;
  const ShardwiseShellWord *value = g_hash_table_lookup (self->values, name);

  return value != NULL ? g_strdup (value->text) : NULL;
}

static gboolean
expand_arithmetic (ShardwiseShellReader *self, ShardwiseShellField *field)
{
  const char *start = self->cursor.at + 3;
  g_autofree char *sum = NULL, *text = NULL;
  gint64 result;

  shardwise_cursor_step (&self->cursor, 1);
  if (!shardwise_shell_skip_brackets (self, '(', ')'))
    return FALSE;
  sum = g_strndup (start, MAX (0, self->cursor.at - 2 - start));
  if (!shardwise_shell_arithmetic (sum, lookup_cb, self, &result))
    return append_unknown (self, field);
  text = g_strdup_printf ("%" G_GINT64_FORMAT, result);
  return append_piece (self, field, text, strlen (text));
}

/* ---- variables ---- */

static gboolean
expand_name (ShardwiseShellReader *self, ShardwiseShellField *field, const char *name,
             gboolean quoted)
{
  const ShardwiseShellWord *value = g_hash_table_lookup (self->values, name);
  GPtrArray *items = g_hash_table_lookup (self->arrays, name);

  if (value != NULL)
    return append_value (self, field, value, quoted);
  if (items != NULL && items->len > 0)
    return append_value (self, field, items->pdata[0], quoted);
  return append_unknown (self, field);
}

/* A text inside a text, such as the default of ${NAME:-default}. */
static gboolean
expand_inner (ShardwiseShellReader *self, ShardwiseShellField *field, const char *text,
              gboolean quoted)
{
  const ShardwiseCursor outer = self->cursor;
  ShardwiseShellField inner;
  gboolean good = TRUE;

  if (self->depth >= MAX_DEPTH)
    return shardwise_shell_fail (self, _ ("variables are nested too deep"));
  self->depth++;
  self->cursor.at = text;
  self->cursor.end = text + strlen (text);
  shardwise_shell_field_init (&inner, self, FALSE);
  while (good && self->cursor.at < self->cursor.end)
    {
      const char *before = self->cursor.at;

      good = shardwise_shell_read_word (self, &inner);
      if (good && self->cursor.at == before) /* a space or a bracket, which is itself here */
        {
          g_ptr_array_add (inner.fields,
                           shardwise_shell_word_new ((char[]){ *before, '\0' }, 0, 0));
          shardwise_cursor_step (&self->cursor, 1);
        }
    }
  self->cursor = outer;
  self->depth--;
  for (guint i = 0; good && i < inner.fields->len; i++)
    {
      const ShardwiseShellWord *part = inner.fields->pdata[i];

      ShardwiseShellWord word = { (char *) part->text, self->cursor.line, self->cursor.column };

      good = append_value (self, field, &word, quoted);
    }
  shardwise_shell_field_clear (&inner);
  return good;
}

static gboolean
is_set (ShardwiseShellReader *self, const char *name, gboolean or_empty)
{
  const ShardwiseShellWord *value = g_hash_table_lookup (self->values, name);

  if (value == NULL)
    return g_hash_table_contains (self->arrays, name);
  return or_empty || *value->text != '\0';
}

/* ${NAME:=default}: the variable has that value from here on. */
static gboolean
assign_default (ShardwiseShellReader *self, const char *name, const char *word)
{
  const guint line = self->cursor.line, column = self->cursor.column;
  ShardwiseShellField value;
  gboolean good;

  shardwise_shell_field_init (&value, self, FALSE);
  good = expand_inner (self, &value, word, TRUE);
  if (good)
    shardwise_shell_set_value (self, name, value.text->str, line, column);
  shardwise_shell_field_clear (&value);
  return good;
}

/* ${NAME:-default} and its kin; anything else that can follow a name gives an unknown value. */
static gboolean
expand_operator (ShardwiseShellReader *self, ShardwiseShellField *field, const char *name,
                 const char *rest, gboolean quoted)
{
  const gboolean colon = *rest == ':';
  const char operation = rest[colon];
  const char *word = rest + colon + 1;
  const gboolean known = is_set (self, name, !colon);

  if (operation == '\0' || strchr ("-=+?", operation) == NULL)
    return append_unknown (self, field);
  if (operation == '+')
    return !known || expand_inner (self, field, word, quoted);
  if (!known && operation == '=' && !assign_default (self, name, word))
    return FALSE;
  if (known || operation != '-')
    return expand_name (self, field, name, quoted);
  return expand_inner (self, field, word, quoted);
}

/* ${NAME[@]}, ${NAME[*]}, ${NAME[3]} */
static gboolean
expand_item (ShardwiseShellReader *self, ShardwiseShellField *field, const char *name,
             const char *rest, gboolean quoted)
{
  GPtrArray *items = g_hash_table_lookup (self->arrays, name);
  guint64 index;
  g_autofree char *inside = g_strndup (rest + 1, strcspn (rest + 1, "]"));

  if (g_str_equal (inside, "@") || g_str_equal (inside, "*"))
    {
      if (items != NULL)
        return append_array (self, field, items, quoted);
      return !g_hash_table_contains (self->values, name) || expand_name (self, field, name, quoted);
    }
  if (items != NULL && g_ascii_string_to_unsigned (inside, 10, 0, G_MAXUINT, &index, NULL)
      && index < items->len)
    return append_value (self, field, items->pdata[index], quoted);
  return append_unknown (self, field);
}

static gboolean
expand_braces (ShardwiseShellReader *self, ShardwiseShellField *field, gboolean quoted)
{
  const char *start = self->cursor.at + 2;
  g_autofree char *inside = NULL, *name = NULL;
  gsize length = 0;

  shardwise_cursor_step (&self->cursor, 1);
  if (!shardwise_shell_skip_brackets (self, '{', '}'))
    return FALSE;
  inside = g_strndup (start, self->cursor.at - 1 - start);
  while (g_ascii_isalnum (inside[length]) || inside[length] == '_')
    length++;
  name = g_strndup (inside, length);
  if (length == 0)
    return append_unknown (self, field);
  if (inside[length] == '\0')
    return expand_name (self, field, name, quoted);
  if (inside[length] == '[')
    return expand_item (self, field, name, inside + length, quoted);
  return expand_operator (self, field, name, inside + length, quoted);
}

static gboolean
expand_plain (ShardwiseShellReader *self, ShardwiseShellField *field, gboolean quoted)
{
  const char *start = self->cursor.at + 1;
  gsize length = 0;
  g_autofree char *name = NULL;

  while (start + length < self->cursor.end
         && (g_ascii_isalnum (start[length]) || start[length] == '_'))
    length++;
  if (length > 0)
    {
      name = g_strndup (start, length);
      shardwise_cursor_step (&self->cursor, length + 1);
      return expand_name (self, field, name, quoted);
    }
  if (start < self->cursor.end && strchr ("@*", *start) != NULL) /* the user's own arguments */
    {
      shardwise_cursor_step (&self->cursor, 2);
      return TRUE;
    }
  if (start < self->cursor.end && strchr ("#?$!-", *start) != NULL)
    {
      shardwise_cursor_step (&self->cursor, 2);
      return append_unknown (self, field);
    }
  shardwise_cursor_step (&self->cursor, 1);
  return append_piece (self, field, "$", 1);
}

/*
 * shardwise_shell_expand:
 * @self: at a dollar or a backquote
 * @field: receives the value
 * @quoted: whether it stands in double quotes, and is not cut at spaces
 *
 * Returns: whether it is well formed
 */
static gboolean
shardwise_shell_expand (ShardwiseShellReader *self, ShardwiseShellField *field, gboolean quoted)
{
  if (*self->cursor.at == '`')
    return skip_backquotes (self) && append_unknown (self, field);
  if (shardwise_cursor_starts (&self->cursor, "$(("))
    return expand_arithmetic (self, field);
  if (shardwise_cursor_starts (&self->cursor, "$("))
    {
      shardwise_cursor_step (&self->cursor, 1);
      return shardwise_shell_skip_brackets (self, '(', ')') && append_unknown (self, field);
    }
  if (shardwise_cursor_starts (&self->cursor, "${"))
    return expand_braces (self, field, quoted);
  return expand_plain (self, field, quoted);
}

/* A script that another one sources only assigns options to variables; they are read as one
 * command, in the order of their lines. */

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

/*
 * shardwise_shell_collect_loose:
 * @self: at the end of its script
 *
 * Takes the variables and arrays that begin with an option as one command. What one of them takes
 * over from another stands twice, and the later one counts, as on a command line.
 */
static void
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
