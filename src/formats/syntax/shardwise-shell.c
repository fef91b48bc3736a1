/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Launch scripts: from text to commands and variables, from top to bottom, in the branches that may
 * run. Nothing is executed, and files are never opened. */
#include "shardwise-shell.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-shell-branches.h"

typedef struct {
  ShardwiseCursor cursor;
  ShardwiseShell *out;
  GHashTable *sources; /* (nullable): file name -> its text */
  GHashTable *values;  /* name -> ShardwiseShellWord */
  GHashTable *arrays;  /* name -> GPtrArray of ShardwiseShellWord */
  ShardwiseShellBranches *branches;
  char operation; /* the character that ended the previous command */
  gsize work;     /* bytes from expansion, to limit doubling variables */
  guint depth;    /* of nested texts */
  GError *error;
} Reader;

/* The fields from one word. */
typedef struct {
  GPtrArray *fields;  /* ShardwiseShellWord elements */
  GString *text;      /* of the current field */
  gboolean is_open;   /* there is one, perhaps empty in quotes */
  gboolean splits;    /* values outside quotes are split at spaces */
  gboolean is_quoted; /* a part of it was in quotes */
  guint line, column;
} Field;

/* Bytes of a script, bytes from its expansion, and scripts in nested strings. */
#define MAX_BYTES (1024u * 1024)
#define MAX_WORK (8u * 1024 * 1024)
#define MAX_SCRIPTS 3
#define MAX_DEPTH 16 /* of nested values */
#define MAX_SUMS 32  /* of nested brackets and signs */

static gboolean read_script (Reader *self);
static gboolean read_word (Reader *self, Field *field);
static gboolean expand (Reader *self, Field *field, gboolean quoted);

/* (transfer full): a word with its position in the script. */
static ShardwiseShellWord *
word_new (const char *text, guint line, guint column)
{
  ShardwiseShellWord *word = g_new (ShardwiseShellWord, 1);

  *word = (ShardwiseShellWord){ g_strdup (text), line, column };
  return word;
}

/* Frees a #ShardwiseShellWord. */
static void
word_free (gpointer data)
{
  ShardwiseShellWord *word = data;

  g_free (word->text);
  g_free (word);
}

static ShardwiseShellCommand *
command_new (void)
{
  ShardwiseShellCommand *command = g_new (ShardwiseShellCommand, 1);

  command->words = g_ptr_array_new_with_free_func (word_free);
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

/* Stops with an error at the cursor, unless there is one; returns FALSE. */
static gboolean
fail (Reader *self, const char *text)
{
  if (self->error == NULL)
    self->error = shardwise_position_error (self->cursor.line, self->cursor.column, "%s", text);
  return FALSE;
}

/* Counts the output of expansion; FALSE with an error above the limit. */
static gboolean
spend (Reader *self, gsize bytes)
{
  self->work += bytes;
  return self->work <= MAX_WORK || fail (self, _ ("the variables of this script become too long"));
}

static void
skip_blanks (Reader *self)
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
skip_line (Reader *self)
{
  while (self->cursor.at < self->cursor.end && *self->cursor.at != '\n')
    shardwise_cursor_step (&self->cursor, 1);
}

/* Skips to after the bracket that closes the one at the cursor; FALSE with an error if there is
 * none. */
static gboolean
skip_brackets (Reader *self, char open, char close)
{
  guint depth = 0;

  while (self->cursor.at < self->cursor.end)
    {
      char c = *self->cursor.at;

      if (c == '\\')
        shardwise_cursor_step (&self->cursor, 1);
      else if (c == '\'' || c == '"')
        {
          /* Skips to the closing quote; in double quotes a backslash escapes the next character. */
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
  return fail (self, _ ("the bracket is not closed"));
}

/* ---- fields ---- */

/* Starts at the position of @reader. */
static void
field_init (Field *self, const Reader *reader, gboolean splits)
{
  *self = (Field){ .fields = g_ptr_array_new_with_free_func (word_free),
                   .text = g_string_new (NULL),
                   .splits = splits,
                   .line = reader->cursor.line,
                   .column = reader->cursor.column };
}

/* Completes the current field. */
static void
field_end (Field *self)
{
  if (self->is_open)
    g_ptr_array_add (self->fields, word_new (self->text->str, self->line, self->column));
  g_string_truncate (self->text, 0);
  self->is_open = FALSE;
}

/* Frees the current field. */
static void
field_clear (Field *self)
{
  g_clear_pointer (&self->fields, g_ptr_array_unref);
  if (self->text != NULL)
    g_string_free (self->text, TRUE);
  self->text = NULL;
}

/* ---- assignments ---- */

/* Sets a variable, which replaces an array with that name. */
static void
set_value (Reader *self, const char *name, const char *text, guint line, guint column)
{
  if (shardwise_shell_branches_skip (self->branches))
    return;
  shardwise_shell_branches_set (self->branches, name, text);
  g_hash_table_remove (self->arrays, name);
  g_hash_table_insert (self->values, g_strdup (name), word_new (text, line, column));
}

/* NAME=( words ), NAME+=( words ) */
static gboolean
read_array (Reader *self, const char *name, gboolean appends)
{
  GPtrArray *before = g_hash_table_lookup (self->arrays, name);
  const gboolean is_skipped = shardwise_shell_branches_skip (self->branches);
  g_autoptr (GPtrArray) items = appends && before != NULL && !is_skipped
                                    ? g_ptr_array_ref (before)
                                    : g_ptr_array_new_with_free_func (word_free);

  shardwise_cursor_step (&self->cursor, 1);
  for (skip_blanks (self); self->cursor.at < self->cursor.end; skip_blanks (self))
    {
      const char c = *self->cursor.at;

      if (c == '#')
        skip_line (self);
      else if (c == '\n')
        shardwise_cursor_step (&self->cursor, 1);
      else if (c == ')')
        {
          shardwise_cursor_step (&self->cursor, 1);
          if (is_skipped)
            return TRUE;
          g_hash_table_remove (self->values, name);
          g_hash_table_insert (self->arrays, g_strdup (name), g_steal_pointer (&items));
          return TRUE;
        }
      else
        {
          Field field;
          gboolean good;

          field_init (&field, self, TRUE);
          good = strchr (";&|<>(", c) == NULL && read_word (self, &field);
          if (good)
            g_ptr_array_extend_and_steal (items, g_steal_pointer (&field.fields));
          field_clear (&field);
          if (!good)
            return fail (self, _ ("expected a word or ) in an array"));
        }
    }
  return fail (self, _ ("the array is not closed; expected )"));
}

/* NAME=, NAME+=; *is_one: whether an assignment begins here. */
static gboolean
read_assignment (Reader *self, gboolean *is_one)
{
  g_autofree char *name = NULL;
  g_autoptr (GString) text = NULL;
  const ShardwiseShellWord *before;
  Field field;
  gboolean appends, good;
  guint line, column;
  gsize length = 0;
  char c = shardwise_cursor_peek (&self->cursor, 0);

  if (g_ascii_isalpha (c) || c == '_')
    while (g_ascii_isalnum (c) || c == '_')
      c = shardwise_cursor_peek (&self->cursor, ++length);
  appends = c == '+' && shardwise_cursor_peek (&self->cursor, length + 1) == '=';
  *is_one = length > 0 && (c == '=' || appends);
  if (!*is_one)
    return TRUE;
  name = g_strndup (self->cursor.at, length);
  shardwise_cursor_step (&self->cursor, length + (appends ? 2 : 1));
  if (shardwise_cursor_peek (&self->cursor, 0) == '(')
    return read_array (self, name, appends);

  before = g_hash_table_lookup (self->values, name);
  line = self->cursor.line;
  column = self->cursor.column;
  text = g_string_new (appends && before != NULL ? before->text : NULL);
  field_init (&field, self, FALSE);
  good = spend (self, text->len) && read_word (self, &field);
  for (guint i = 0; good && i < field.fields->len; i++)
    g_string_append (text, ((ShardwiseShellWord *) field.fields->pdata[i])->text);
  field_clear (&field);
  if (good)
    set_value (self, name, text->str, line, column);
  return good;
}

/* ---- commands ---- */

typedef struct {
  GPtrArray *words;   /* of the current command */
  GPtrArray *pending; /* strings: words that end here-documents of this line */
  gboolean declares;  /* after export, local and so on */
} Line;

/* After fi or esac. */
static void
leave_branch (Reader *self)
{
  g_autoptr (GPtrArray) names = shardwise_shell_branches_leave (self->branches);

  for (guint i = 0; i < names->len; i++)
    set_value (self, names->pdata[i], SHARDWISE_SHELL_UNDECIDED, self->cursor.line,
               self->cursor.column);
}

/* Passes the words of a command to the condition that may contain it. */
static gboolean
is_condition (Reader *self, const GPtrArray *words, char before, char end)
{
  g_autofree const char **texts = g_new0 (const char *, words->len + 1);

  for (guint i = 0; i < words->len; i++)
    texts[i] = ((const ShardwiseShellWord *) words->pdata[i])->text;
  return shardwise_shell_branches_take (self->branches, texts, words->len, before, end);
}

static gboolean
read_within (Reader *self, const char *text, guint line, guint column)
{
  const ShardwiseCursor outer = self->cursor;
  const guint within = shardwise_shell_branches_depth (self->branches);
  gboolean good;

  self->depth++;
  self->cursor = (ShardwiseCursor){ text, text + strlen (text), line, column };
  good = read_script (self);
  while (shardwise_shell_branches_depth (self->branches) > within)
    leave_branch (self);
  self->cursor = outer;
  self->depth--;
  return good;
}

/* "source models/8b.sh", in any folder: (nullable): its text, if available. */
static const char *
sourced_text (Reader *self, const ShardwiseShellCommand *command)
{
  const ShardwiseShellWord *first = command->words->pdata[0],
                           *file = command->words->len > 1 ? command->words->pdata[1] : NULL;
  g_autofree char *name = NULL;

  if (self->sources == NULL || file == NULL
      || !(g_str_equal (first->text, "source") || g_str_equal (first->text, ".")))
    return NULL;
  name = g_path_get_basename (file->text);
  return g_hash_table_lookup (self->sources, name);
}

/* end: the character that ends it. */
static gboolean
end_command (Reader *self, Line *line, char end)
{
  char before;
  ShardwiseShellCommand *command;
  const char *sourced;
  gboolean good = TRUE;

  line->declares = FALSE;
  if (line->words->len == 0)
    return TRUE;
  before = self->operation;
  self->operation = end;
  if (is_condition (self, line->words, before, end)
      || shardwise_shell_branches_skip (self->branches))
    {
      if (self->out->condition_line == 0 && shardwise_shell_branches_is_undecided (self->branches))
        self->out->condition_line = ((const ShardwiseShellWord *) line->words->pdata[0])->line;
      g_ptr_array_set_size (line->words, 0);
      return TRUE;
    }
  command = command_new ();
  g_ptr_array_extend_and_steal (command->words, g_steal_pointer (&line->words));
  line->words = g_ptr_array_new_with_free_func (word_free);
  g_ptr_array_add (self->out->commands, command);
  sourced = sourced_text (self, command);
  if (sourced != NULL && self->depth < MAX_SCRIPTS)
    return spend (self, strlen (sourced)) && read_within (self, sourced, 1, 1);

  /* A word with options of its own ("bash -c '…'", "eval \"$command\"") is also read as a
   * script. */
  for (guint i = 0; good && i < command->words->len && self->depth < MAX_SCRIPTS; i++)
    {
      const ShardwiseShellWord *word = command->words->pdata[i];

      if (strstr (word->text, " --") != NULL)
        good = read_within (self, word->text, word->line, word->column);
    }
  return good;
}

/* <<WORD, < file, > file, 2>&1 */
static gboolean
read_redirection (Reader *self, Line *line)
{
  const gboolean is_document = shardwise_cursor_starts (&self->cursor, "<<")
                               && !shardwise_cursor_starts (&self->cursor, "<<<");
  Field field;
  gboolean good;

  while (strchr ("<>&|-", shardwise_cursor_peek (&self->cursor, 0))
         && self->cursor.at < self->cursor.end)
    shardwise_cursor_step (&self->cursor, 1);
  skip_blanks (self);
  field_init (&field, self, FALSE);
  good = read_word (self, &field);
  if (good && is_document && field.fields->len > 0)
    g_ptr_array_add (line->pending,
                     g_strdup (((ShardwiseShellWord *) field.fields->pdata[0])->text));
  field_clear (&field);
  return good;
}

/* A keyword of the language at the start of a command. */
static void
follow (Reader *self, const ShardwiseShellWord *word)
{
  static const char *const loops[] = { "for", "while", "until", NULL };

  if (g_str_equal (word->text, "fi") || g_str_equal (word->text, "esac"))
    leave_branch (self);
  else
    shardwise_shell_branches_keyword (self->branches, word->text);
  if (self->out->condition_line == 0
      && (g_strv_contains (loops, word->text)
          || shardwise_shell_branches_is_undecided (self->branches)))
    self->out->condition_line = word->line;
}

static gboolean
read_argument (Reader *self, Line *line)
{
  static const char *const keywords[] = { "if",    "elif",  "else",     "case", "for",
                                          "while", "until", "then",     "fi",   "do",
                                          "done",  "esac",  "in",       "{",    "}",
                                          "time",  "!",     "function", NULL };
  static const char *const declarations[] = { "export",   "declare", "local",
                                              "readonly", "typeset", NULL };
  const gboolean is_first = line->words->len == 0;
  gboolean good, is_assignment;
  Field field;

  if (is_first)
    {
      good = read_assignment (self, &is_assignment);
      if (is_assignment)
        return good;
    }
  field_init (&field, self, TRUE);
  good = read_word (self, &field);
  if (good && !field.is_quoted && field.fields->len == 1)
    {
      const ShardwiseShellWord *word = field.fields->pdata[0];
      const gboolean is_keyword = is_first && g_strv_contains (keywords, word->text);
      /* A number directly before < or > is a file descriptor. */
      const gboolean is_descriptor = self->cursor.at < self->cursor.end
                                     && strchr ("<>", *self->cursor.at) != NULL
                                     && strspn (word->text, "0123456789") == strlen (word->text);

      if (is_keyword)
        follow (self, word);
      if (is_first && g_strv_contains (declarations, word->text))
        line->declares = TRUE;
      if (is_keyword || is_descriptor)
        g_ptr_array_set_size (field.fields, 0);
    }
  if (line->declares)
    g_ptr_array_set_size (field.fields, 0); /* also the options and names of declare */
  if (good)
    g_ptr_array_extend_and_steal (line->words, g_steal_pointer (&field.fields));
  field_clear (&field);
  return good;
}

static gboolean
read_script (Reader *self)
{
  Line line = { .words = g_ptr_array_new_with_free_func (word_free),
                .pending = g_ptr_array_new_with_free_func (g_free) };
  gboolean good = TRUE;
  char end;

  for (skip_blanks (self); good && self->cursor.at < self->cursor.end; skip_blanks (self))
    switch (*self->cursor.at)
      {
      case '#': skip_line (self); break;
      case '\n':
        shardwise_cursor_step (&self->cursor, 1);
        good = end_command (self, &line, '\n');
        /* The text of a here-document is not a command. */
        while (good && line.pending->len > 0 && self->cursor.at < self->cursor.end)
          {
            const char *start = self->cursor.at;
            g_autofree char *text = NULL;

            skip_line (self);
            text = g_strndup (start, self->cursor.at - start);
            shardwise_cursor_step (&self->cursor, 1);
            if (g_str_equal (g_strstrip (text), line.pending->pdata[0]))
              g_ptr_array_remove_index (line.pending, 0);
          }
        break;
      case '<':
      case '>': good = read_redirection (self, &line); break;
      case '(':
        if (line.words->len == 0 && shardwise_cursor_starts (&self->cursor, "(("))
          {
            good = skip_brackets (self, '(', ')');
            break;
          }
        G_GNUC_FALLTHROUGH;
      case ';':
      case '&':
      case '|':
      case ')':
        end = *self->cursor.at;
        shardwise_cursor_step (&self->cursor, 1);
        good = end_command (self, &line, end);
        if (end == ';' && shardwise_cursor_peek (&self->cursor, 0) == ';')
          {
            shardwise_cursor_step (&self->cursor, 1);
            shardwise_shell_branches_end_clause (self->branches);
          }
        break;
      default: good = read_argument (self, &line);
      }
  good = good && end_command (self, &line, '\n');
  g_ptr_array_unref (line.words);
  g_ptr_array_unref (line.pending);
  return good;
}

/* ---- what Slurm sets ---- */

/* Slurm reads #SBATCH lines up to the first command, without expanding them. */
static void
read_sbatch (Reader *self)
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
  GPtrArray *options = self->out->sbatch;

  for (; self->cursor.at < self->cursor.end && strchr ("#\n\r", *self->cursor.at) != NULL;
       skip_line (self), shardwise_cursor_step (&self->cursor, 1))
    {
      if (!shardwise_cursor_starts (&self->cursor, "#SBATCH"))
        continue;
      shardwise_cursor_step (&self->cursor, strlen ("#SBATCH"));
      for (skip_blanks (self); !strchr ("\n#", shardwise_cursor_peek (&self->cursor, 0));
           skip_blanks (self))
        {
          const guint line = self->cursor.line, column = self->cursor.column;
          const char *option = self->cursor.at;
          g_autofree char *text = NULL;

          while (!strchr (" \t\r\n", shardwise_cursor_peek (&self->cursor, 0)))
            shardwise_cursor_step (&self->cursor, 1);
          text = g_strndup (option, self->cursor.at - option);
          g_ptr_array_add (options, word_new (text, line, column));
        }
    }
  self->cursor = start;
  for (guint i = 0; i < G_N_ELEMENTS (from); i++)
    for (guint j = 0; j < options->len && !g_hash_table_contains (self->values, from[i][0]); j++)
      {
        const ShardwiseShellWord *word = options->pdata[j];
        const gsize length = strlen (from[i][1]);

        if (g_str_has_prefix (word->text, from[i][1]) && word->text[length] == '=')
          set_value (self, from[i][0], word->text + length + 1, word->line, word->column);
      }
}

/* ---- words ---- */

static gboolean
append (Reader *self, Field *field, char c)
{
  g_string_append_c (field->text, c);
  field->is_open = TRUE;
  return spend (self, 1);
}

/* After a backslash: the character itself; a line break is dropped. */
static gboolean
read_escape (Reader *self, Field *field, const char *escapable)
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

/* Between single quotes every character is literal. */
static gboolean
read_quotes (Reader *self, Field *field)
{
  const char quote = *self->cursor.at;
  gboolean vanishes = FALSE;

  shardwise_cursor_step (&self->cursor, 1);
  if (quote == '"')
    {
      /* "${ARRAY[@]}" without items gives no field, and neither does "$@" without arguments. */
      gsize length = 2;

      while (g_ascii_isalnum (shardwise_cursor_peek (&self->cursor, length))
             || shardwise_cursor_peek (&self->cursor, length) == '_')
        length++;
      vanishes = shardwise_cursor_starts (&self->cursor, "$@\"")
                 || (shardwise_cursor_starts (&self->cursor, "${")
                     && shardwise_cursor_peek (&self->cursor, length) == '['
                     && shardwise_cursor_peek (&self->cursor, length + 1) == '@');
    }
  field->is_quoted = TRUE;
  field->is_open = field->is_open || !vanishes;
  while (shardwise_cursor_peek (&self->cursor, 0) != quote)
    {
      const char c = shardwise_cursor_peek (&self->cursor, 0);
      gboolean good;

      if (self->cursor.at == self->cursor.end)
        return fail (self, _ ("the quote is not closed"));
      if (quote == '"' && c == '\\')
        good = read_escape (self, field, "$`\"\\");
      else if (quote == '"' && (c == '$' || c == '`'))
        good = expand (self, field, TRUE);
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

/* The fields from the current word; FALSE if it is malformed. */
static gboolean
read_word (Reader *self, Field *field)
{
  gboolean good = TRUE;

  while (good && self->cursor.at < self->cursor.end
         && strchr (" \t\r\n;&|<>()", *self->cursor.at) == NULL)
    switch (*self->cursor.at)
      {
      case '\'':
      case '"': good = read_quotes (self, field); break;
      case '\\': good = read_escape (self, field, NULL); break;
      case '$':
      case '`': good = expand (self, field, !field->splits); break;
      default:
        good = append (self, field, *self->cursor.at);
        shardwise_cursor_step (&self->cursor, 1);
      }
  field_end (field);
  return good;
}

/* ---- $(( … )): integers, variables, + - * / % << >> and brackets ---- */

typedef struct {
  const char *at;
  GHashTable *values; /* the script's variables */
  guint depth;
} Sum;

static gboolean read_shift (Sum *self, gint64 *result);

static void
skip_space (Sum *self)
{
  while (g_ascii_isspace (*self->at))
    self->at++;
}

static gboolean
read_atom (Sum *self, gint64 *result)
{
  gboolean good;

  skip_space (self);
  if (*self->at == '$') /* also ${name} */
    self->at += self->at[1] == '{' ? 2 : 1;
  if (g_ascii_isalpha (*self->at) || *self->at == '_')
    {
      const char *start = self->at;
      g_autofree char *name = NULL, *text = NULL;
      const ShardwiseShellWord *value;

      while (g_ascii_isalnum (*self->at) || *self->at == '_')
        self->at++;
      name = g_strndup (start, self->at - start);
      if (*self->at == '}')
        self->at++;
      value = g_hash_table_lookup (self->values, name);
      text = value != NULL ? g_strstrip (g_strdup (value->text)) : NULL;
      return text != NULL
             && g_ascii_string_to_signed (text, 10, G_MININT32, G_MAXINT32, result, NULL);
    }
  if (*self->at != '(' && *self->at != '-')
    {
      char *end;

      *result = g_ascii_strtoll (self->at, &end, 10);
      good = end != self->at && *result <= G_MAXINT32;
      self->at = end;
      return good;
    }
  if (++self->depth > MAX_SUMS)
    return FALSE;
  if (*self->at++ == '-')
    {
      good = read_atom (self, result);
      if (good)
        *result = -*result;
    }
  else
    {
      good = read_shift (self, result);
      skip_space (self);
      good = good && *self->at == ')';
      self->at += good;
    }
  self->depth--;
  return good;
}

static gboolean
combine (char operation, gint64 other, gint64 *result)
{
  if ((operation == '/' || operation == '%') && other == 0)
    return FALSE;
  if (operation == '*')
    *result *= other;
  else if (operation == '/')
    *result /= other;
  else if (operation == '%')
    *result %= other;
  else
    *result += operation == '+' ? other : -other;
  return ABS (*result) <= G_MAXINT32; /* so that no product overflows */
}

static gboolean
read_product (Sum *self, gint64 *result)
{
  gint64 other;

  if (!read_atom (self, result))
    return FALSE;
  for (skip_space (self); *self->at != '\0' && strchr ("*/%", *self->at) != NULL; skip_space (self))
    {
      char operation = *self->at++;

      if (!read_atom (self, &other) || !combine (operation, other, result))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_sum (Sum *self, gint64 *result)
{
  gint64 other;

  if (!read_product (self, result))
    return FALSE;
  for (skip_space (self); *self->at == '+' || *self->at == '-'; skip_space (self))
    {
      char operation = *self->at++;

      if (!read_product (self, &other) || !combine (operation, other, result))
        return FALSE;
    }
  return TRUE;
}

/* "1 << 3" and "8 >> 1", with lower precedence than sums. */
static gboolean
read_shift (Sum *self, gint64 *result)
{
  gint64 places;

  if (!read_sum (self, result))
    return FALSE;
  for (skip_space (self); g_str_has_prefix (self->at, "<<") || g_str_has_prefix (self->at, ">>");
       skip_space (self))
    {
      const gboolean is_left = *self->at == '<';

      self->at += 2;
      if (!read_sum (self, &places) || places < 0 || places > 31 || *result < 0)
        return FALSE;
      if (!combine (is_left ? '*' : '/', (gint64) 1 << places, result))
        return FALSE;
    }
  return TRUE;
}

/* $name, ${name…}, $(( … )) and $( … ): values from the script itself; the output of a command is
 * always unknown, as none is executed. */

static const char unknown_text[] = { SHARDWISE_NODE_UNKNOWN, '\0' };

/* ---- values into fields ---- */

static gboolean
append_piece (Reader *self, Field *field, const char *text, gsize length)
{
  g_string_append_len (field->text, text, (gssize) length);
  field->is_open = TRUE;
  return spend (self, length + 16);
}

/* Outside quotes a value is split at spaces; its fields get the position where the variable was
 * set. */
static gboolean
append_value (Reader *self, Field *field, const ShardwiseShellWord *value, gboolean quoted)
{
  const char *at = value->text;

  if (quoted)
    return append_piece (self, field, at, strlen (at));
  while (*at != '\0')
    {
      gsize length = strcspn (at, " \t\r\n");

      if (length == 0)
        {
          field_end (field);
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
append_unknown (Reader *self, Field *field)
{
  return append_piece (self, field, unknown_text, 1);
}

/* ---- variables ---- */

static gboolean
expand_name (Reader *self, Field *field, const char *name, gboolean quoted)
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
expand_inner (Reader *self, Field *field, const char *text, gboolean quoted)
{
  const ShardwiseCursor outer = self->cursor;
  Field inner;
  gboolean good = TRUE;

  if (self->depth >= MAX_DEPTH)
    return fail (self, _ ("variables are nested too deeply"));
  self->depth++;
  self->cursor.at = text;
  self->cursor.end = text + strlen (text);
  field_init (&inner, self, FALSE);
  while (good && self->cursor.at < self->cursor.end)
    {
      const char *before = self->cursor.at;

      good = read_word (self, &inner);
      if (good && self->cursor.at == before) /* a space or a bracket, which is literal here */
        {
          g_ptr_array_add (inner.fields, word_new ((char[]){ *before, '\0' }, 0, 0));
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
  field_clear (&inner);
  return good;
}

/* ${NAME:-default} and similar; any other suffix of a name gives an unknown value. */
static gboolean
expand_operator (Reader *self, Field *field, const char *name, const char *rest, gboolean quoted)
{
  const gboolean colon = *rest == ':';
  const char operation = rest[colon];
  const char *word = rest + colon + 1;
  const ShardwiseShellWord *value = g_hash_table_lookup (self->values, name);
  const gboolean known = value != NULL ? !colon || *value->text != '\0'
                                       : g_hash_table_contains (self->arrays, name);

  if (operation == '\0' || strchr ("-=+?", operation) == NULL)
    return append_unknown (self, field);
  if (operation == '+')
    return !known || expand_inner (self, field, word, quoted);
  if (!known && operation == '=') /* the variable has that value from now on */
    {
      const guint line = self->cursor.line, column = self->cursor.column;
      Field inner;
      gboolean good;

      field_init (&inner, self, FALSE);
      good = expand_inner (self, &inner, word, TRUE);
      if (good)
        set_value (self, name, inner.text->str, line, column);
      field_clear (&inner);
      if (!good)
        return FALSE;
    }
  if (known || operation != '-')
    return expand_name (self, field, name, quoted);
  return expand_inner (self, field, word, quoted);
}

/* ${NAME[@]}, ${NAME[*]}, ${NAME[3]} */
static gboolean
expand_item (Reader *self, Field *field, const char *name, const char *rest, gboolean quoted)
{
  GPtrArray *items = g_hash_table_lookup (self->arrays, name);
  g_autofree char *inside = g_strndup (rest + 1, strcspn (rest + 1, "]"));
  const gboolean is_whole = g_str_equal (inside, "@") || g_str_equal (inside, "*");
  guint64 index;

  if (is_whole && items == NULL)
    return !g_hash_table_contains (self->values, name) || expand_name (self, field, name, quoted);
  for (guint i = 0; is_whole && i < items->len; i++)
    {
      const ShardwiseShellWord *item = items->pdata[i];

      if (i > 0 && field->splits)
        field_end (field);
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
  if (is_whole)
    return TRUE;
  if (items != NULL && g_ascii_string_to_unsigned (inside, 10, 0, G_MAXUINT, &index, NULL)
      && index < items->len)
    return append_value (self, field, items->pdata[index], quoted);
  return append_unknown (self, field);
}

static gboolean
expand_braces (Reader *self, Field *field, gboolean quoted)
{
  const char *start = self->cursor.at + 2;
  g_autofree char *inside = NULL, *name = NULL;
  gsize length = 0;

  shardwise_cursor_step (&self->cursor, 1);
  if (!skip_brackets (self, '{', '}'))
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

/* At a dollar or a backquote; quoted: in double quotes, where a value is not split at spaces. */
static gboolean
expand (Reader *self, Field *field, gboolean quoted)
{
  const char *start = self->cursor.at + 1;
  g_autofree char *name = NULL;
  gsize length = 0;

  if (*self->cursor.at == '`')
    {
      do
        {
          if (*self->cursor.at == '\\')
            shardwise_cursor_step (&self->cursor, 1);
          shardwise_cursor_step (&self->cursor, 1);
        }
      while (self->cursor.at < self->cursor.end && *self->cursor.at != '`');
      if (self->cursor.at == self->cursor.end)
        return fail (self, _ ("the quote is not closed"));
      shardwise_cursor_step (&self->cursor, 1);
      return append_unknown (self, field);
    }
  if (shardwise_cursor_starts (&self->cursor, "$("))
    {
      const gboolean is_sum = shardwise_cursor_starts (&self->cursor, "$((");
      const char *begin = self->cursor.at + 3;
      Sum sum = { .values = self->values };
      g_autofree char *text = NULL;
      gint64 result;

      shardwise_cursor_step (&self->cursor, 1);
      if (!skip_brackets (self, '(', ')'))
        return FALSE;
      if (is_sum)
        text = g_strndup (begin, MAX (0, self->cursor.at - 2 - begin));
      sum.at = text;
      if (!is_sum || !read_shift (&sum, &result))
        return append_unknown (self, field);
      skip_space (&sum);
      if (*sum.at != '\0')
        return append_unknown (self, field);
      g_free (text);
      text = g_strdup_printf ("%" G_GINT64_FORMAT, result);
      return append_piece (self, field, text, strlen (text));
    }
  if (shardwise_cursor_starts (&self->cursor, "${"))
    return expand_braces (self, field, quoted);
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

/* A sourced script only assigns options to variables; they are read as one command, in the order of
 * their lines. */

/* Splits a value at its spaces; its words get the position where the variable is set. */
static void
collect_value (GPtrArray *words, const ShardwiseShellWord *value)
{
  g_auto (GStrv) parts = g_strsplit_set (value->text, " \t\r\n", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    if (*parts[i] != '\0')
      g_ptr_array_add (words, word_new (parts[i], value->line, value->column));
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

static void
add_list (GPtrArray *lists, GPtrArray *words)
{
  const ShardwiseShellWord *first = NULL;

  /* Values from outside may precede the first option. */
  for (guint i = 0; i < words->len && (first == NULL || *first->text == SHARDWISE_NODE_UNKNOWN);
       i++)
    first = words->pdata[i];
  if (first != NULL && g_str_has_prefix (first->text, "--") && g_ascii_isalpha (first->text[2]))
    g_ptr_array_add (lists, words);
  else
    g_ptr_array_unref (words);
}

/* (transfer full): the variables and arrays that begin with an option, as one command. Options that
 * one variable includes from another occur twice; the later one is used, as on a command line. */
static ShardwiseShellCommand *
collect_loose (Reader *self)
{
  g_autoptr (GPtrArray) lists = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  ShardwiseShellCommand *loose = command_new ();
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->values);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      GPtrArray *words = g_ptr_array_new_with_free_func (word_free);

      collect_value (words, value);
      add_list (lists, words);
    }
  g_hash_table_iter_init (&iter, self->arrays);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      GPtrArray *words = g_ptr_array_new_with_free_func (word_free);

      for (guint i = 0; i < ((GPtrArray *) value)->len; i++)
        collect_value (words, ((GPtrArray *) value)->pdata[i]);
      add_list (lists, words);
    }
  g_ptr_array_sort (lists, by_place);
  for (guint i = 0; i < lists->len; i++)
    g_ptr_array_extend_and_steal (loose->words, g_ptr_array_ref (lists->pdata[i]));
  return loose;
}

/**
 * shardwise_shell_read:
 * @text: a script, valid UTF-8 without NUL
 * @length: its bytes
 * @sources: (nullable): the texts of files that it may source, by name without a folder
 *
 * Returns: (transfer full): its commands; %NULL with @error with line and column
 */
ShardwiseShell *
shardwise_shell_read (const char *text, gsize length, GHashTable *sources, GError **error)
{
  g_autoptr (ShardwiseShell) out = g_new0 (ShardwiseShell, 1);
  Reader self = { .cursor = { text, text + length, 1, 1 }, .out = out, .sources = sources };
  gboolean good;

  if (length > MAX_BYTES)
    {
      g_propagate_error (error, shardwise_position_error (1, 1,
                                                          _ ("a launch script of more than "
                                                             "1 MiB")));
      return NULL;
    }
  self.branches = shardwise_shell_branches_new ();
  out->commands = g_ptr_array_new_with_free_func (command_free);
  out->variables = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  out->sbatch = g_ptr_array_new_with_free_func (word_free);
  self.values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, word_free);
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
      self.out->loose = collect_loose (&self);
    }
  g_hash_table_unref (self.values);
  g_hash_table_unref (self.arrays);
  shardwise_shell_branches_free (self.branches);
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
