/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The branches of a script: conditions on values that the script itself sets are evaluated; for
 * other conditions all branches are read. A variable that such branches set to different values is
 * unknown after them, unless a last else sets the value for all other cases. */
#include "shardwise-shell-branches.h"

#include <string.h>

#include "shardwise-node-python.h"

typedef enum {
  TRUTH_NO,
  TRUTH_YES,
  TRUTH_OPEN,
} Truth;

typedef enum {
  PLACE_BODY,
  PLACE_TEST,    /* between if and then */
  PLACE_SUBJECT, /* between case and the end of its first line */
  PLACE_PATTERN, /* between the clauses of a case */
} Place;

/* The values, the clause that set them, and whether clauses differ. */
typedef struct {
  char *value;
  guint clause;
  gboolean differs;
} Assigned;

typedef struct {
  Place place;
  gboolean is_case, is_outer_skipped, is_active, is_taken, is_undecided, is_rest, is_negated;
  guint clause, n_tests;
  Truth truth;
  char *subject; /* of a case; NULL: unknown */
  GHashTable *assigned;
} Branch;

struct _ShardwiseShellBranches {
  GArray *stack; /* Branch elements */
};

static void
assigned_free (gpointer data)
{
  Assigned *self = data;

  g_free (self->value);
  g_free (self);
}

static void
branch_clear (gpointer data)
{
  Branch *self = data;

  g_free (self->subject);
  g_hash_table_unref (self->assigned);
}

/**
 * shardwise_shell_branches_new:
 *
 * Returns: (transfer full): branches of a script, outside of any
 */
ShardwiseShellBranches *
shardwise_shell_branches_new (void)
{
  ShardwiseShellBranches *self = g_new0 (ShardwiseShellBranches, 1);

  self->stack = g_array_new (FALSE, TRUE, sizeof (Branch));
  g_array_set_clear_func (self->stack, branch_clear);
  return self;
}

/**
 * shardwise_shell_branches_free:
 * @self: (transfer full) (nullable): branches
 */
void
shardwise_shell_branches_free (ShardwiseShellBranches *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->stack);
  g_free (self);
}

static Branch *
top (const ShardwiseShellBranches *self)
{
  return self->stack->len > 0 ? &g_array_index (self->stack, Branch, self->stack->len - 1) : NULL;
}

/**
 * shardwise_shell_branches_depth:
 *
 * Returns: the current number of nested branches
 */
guint
shardwise_shell_branches_depth (const ShardwiseShellBranches *self)
{
  return self->stack->len;
}

/**
 * shardwise_shell_branches_skip:
 *
 * Returns: whether the next commands are not run
 */
gboolean
shardwise_shell_branches_skip (const ShardwiseShellBranches *self)
{
  const Branch *branch = top (self);

  return branch != NULL && (branch->is_outer_skipped || !branch->is_active);
}

/**
 * shardwise_shell_branches_is_undecided:
 *
 * Returns: whether the innermost condition depends on an unknown value
 */
gboolean
shardwise_shell_branches_is_undecided (const ShardwiseShellBranches *self)
{
  const Branch *branch = top (self);

  return branch != NULL && branch->is_undecided && !branch->is_outer_skipped;
}

static void
enter (ShardwiseShellBranches *self, gboolean is_case)
{
  Branch branch = { .is_case = is_case,
                    .place = is_case ? PLACE_SUBJECT : PLACE_TEST,
                    .is_outer_skipped = shardwise_shell_branches_skip (self),
                    .is_active = TRUE,
                    .assigned = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                       assigned_free) };

  g_array_append_val (self->stack, branch);
}

/* Begins a clause that runs if @truth and no previous clause did. */
static void
begin_clause (Branch *branch, Truth truth)
{
  branch->place = PLACE_BODY;
  branch->clause++;
  branch->is_active = !branch->is_taken && truth != TRUTH_NO;
  if (branch->is_taken)
    return;
  branch->is_taken = truth == TRUTH_YES;
  branch->is_undecided = branch->is_undecided || truth == TRUTH_OPEN;
}

/**
 * shardwise_shell_branches_keyword:
 * @word: the first word of a command, without quotes
 *
 * Follows if, elif, then, else and case; shardwise_shell_branches_leave() handles fi and esac.
 *
 * Returns: whether it is one of these
 */
gboolean
shardwise_shell_branches_keyword (ShardwiseShellBranches *self, const char *word)
{
  Branch *branch = top (self);
  const gboolean is_if = branch != NULL && !branch->is_case;

  if (g_str_equal (word, "if") || g_str_equal (word, "case"))
    enter (self, *word == 'c');
  else if (is_if && g_str_equal (word, "then") && branch->place == PLACE_TEST)
    begin_clause (branch, branch->n_tests > 0 ? branch->truth : TRUTH_OPEN);
  else if (is_if && g_str_equal (word, "else"))
    {
      begin_clause (branch, TRUTH_YES);
      branch->is_rest = TRUE;
    }
  else if (is_if && g_str_equal (word, "elif"))
    {
      branch->place = PLACE_TEST;
      branch->n_tests = 0;
      branch->is_active = TRUE; /* so that its words are read */
    }
  else if (is_if && g_str_equal (word, "!") && branch->place == PLACE_TEST)
    branch->is_negated = TRUE;
  else
    return FALSE;
  return TRUE;
}

/* ---- conditions ---- */

static gboolean
is_known (const char *word)
{
  return strchr (word, SHARDWISE_NODE_UNKNOWN) == NULL;
}

static Truth
truth_of (gboolean value)
{
  return value ? TRUTH_YES : TRUTH_NO;
}

static Truth not(Truth truth)
{
  return truth == TRUTH_OPEN ? TRUTH_OPEN : truth_of (truth == TRUTH_NO);
}

/* Two values with an operator between them. */
static Truth
compare (const char *a, const char *operation, const char *b)
{
  static const char *const numbers[] = { "-eq", "-ne", "-lt", "-le", "-gt", "-ge" };
  gint64 x, y;

  if (!is_known (a) || !is_known (b))
    return TRUTH_OPEN;
  if (g_str_equal (operation, "=") || g_str_equal (operation, "=="))
    return strpbrk (b, "*?[") != NULL ? TRUTH_OPEN : truth_of (g_str_equal (a, b));
  if (g_str_equal (operation, "!="))
    return strpbrk (b, "*?[") != NULL ? TRUTH_OPEN : truth_of (!g_str_equal (a, b));
  if (!g_ascii_string_to_signed (a, 10, G_MININT32, G_MAXINT32, &x, NULL)
      || !g_ascii_string_to_signed (b, 10, G_MININT32, G_MAXINT32, &y, NULL))
    return TRUTH_OPEN;
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (g_str_equal (operation, numbers[i]))
      {
        const gboolean results[] = { x == y, x != y, x<y, x <= y, x> y, x >= y };

        return truth_of (results[i]);
      }
  return TRUTH_OPEN;
}

/* "[ a = b ]", "[[ -n a ]]", "test a", and parts of a condition separated by && and ||: "[[ a ==
 * b", "c == d ]]". */
static Truth
test (const char *const *words, guint n)
{
  static const char *const begins[] = { "[", "[[", "test", NULL }, *const ends[] = { "]", "]]",
                                                                                     NULL };
  gboolean is_negated = FALSE;
  Truth truth = TRUTH_OPEN;

  if (n > 0 && g_strv_contains (begins, words[0]))
    {
      words++;
      n--;
    }
  if (n > 0 && g_strv_contains (ends, words[n - 1]))
    n--;
  if (n > 0 && g_str_equal (words[0], "!"))
    {
      is_negated = TRUE;
      words++;
      n--;
    }
  if (n == 3)
    truth = compare (words[0], words[1], words[2]);
  else if (n == 2 && is_known (words[1]) && g_str_equal (words[0], "-z"))
    truth = truth_of (*words[1] == '\0');
  else if (n == 2 && is_known (words[1]) && g_str_equal (words[0], "-n"))
    truth = truth_of (*words[1] != '\0');
  else if (n == 1 && g_str_equal (words[0], "true"))
    truth = TRUTH_YES;
  else if (n == 1 && g_str_equal (words[0], "false"))
    truth = TRUTH_NO;
  return is_negated ? not(truth) : truth;
}

static void
take_test (Branch *branch, const char *const *words, guint n, char before)
{
  Truth truth = test (words, n);

  if (branch->is_negated)
    truth = not(truth);
  branch->is_negated = FALSE;
  if (branch->n_tests++ == 0)
    branch->truth = truth;
  else if (before == '&')
    branch->truth = branch->truth == TRUTH_NO || truth == TRUTH_NO ? TRUTH_NO
                    : branch->truth == TRUTH_YES                   ? truth
                                                                   : TRUTH_OPEN;
  else if (before == '|')
    branch->truth = branch->truth == TRUTH_YES || truth == TRUTH_YES ? TRUTH_YES
                    : branch->truth == TRUTH_NO                      ? truth
                                                                     : TRUTH_OPEN;
  else
    branch->truth = truth; /* the last of several commands counts */
}

/**
 * shardwise_shell_branches_take:
 * @words: the words of a complete command
 * @n: their number
 * @before: the character that ended the previous command
 * @end: the character that ends it
 *
 * Returns: whether it was a part of a condition, rather than a command
 */
gboolean
shardwise_shell_branches_take (ShardwiseShellBranches *self, const char *const *words, guint n,
                               char before, char end)
{
  Branch *branch = top (self);

  if (branch == NULL || branch->place == PLACE_BODY)
    return FALSE;
  if (branch->place == PLACE_TEST)
    {
      static const char *const tests[] = { "[", "[[", "test", "true", "false", NULL };
      const gboolean is_test = n > 0
                               && (g_strv_contains (tests, words[0])
                                   || g_str_equal (words[n - 1], "]]")
                                   || g_str_equal (words[n - 1], "]"));

      if (n > 0)
        take_test (branch, words, n, before);
      return is_test;
    }
  if (branch->place == PLACE_SUBJECT)
    {
      if (n == 2 && is_known (words[0]))
        branch->subject = g_strdup (words[0]);
      branch->place = PLACE_PATTERN;
      branch->truth = TRUTH_NO;
      return TRUE;
    }
  for (guint i = 0; i < n; i++)
    {
      const gboolean is_decided = branch->subject != NULL && is_known (words[i])
                                  && strpbrk (words[i], "[\\") == NULL;

      if (g_str_equal (words[i], "*"))
        {
          branch->truth = TRUTH_YES;
          branch->is_rest = TRUE;
        }
      else if (!is_decided)
        branch->truth = branch->truth == TRUTH_YES ? TRUTH_YES : TRUTH_OPEN;
      else if (g_pattern_match_simple (words[i], branch->subject))
        branch->truth = TRUTH_YES;
    }
  if (end == ')')
    begin_clause (branch, branch->truth);
  return TRUE;
}

/**
 * shardwise_shell_branches_end_clause:
 *
 * Ends a clause of a case, at two semicolons.
 */
void
shardwise_shell_branches_end_clause (ShardwiseShellBranches *self)
{
  Branch *branch = top (self);

  if (branch == NULL || !branch->is_case || branch->place != PLACE_BODY)
    return;
  branch->place = PLACE_PATTERN;
  branch->truth = TRUTH_NO;
  branch->is_active = TRUE;
}

/* ---- what branches set ---- */

/**
 * shardwise_shell_branches_set:
 * @name: a variable
 * @value: its new value
 */
void
shardwise_shell_branches_set (ShardwiseShellBranches *self, const char *name, const char *value)
{
  Branch *branch = top (self);
  Assigned *assigned = branch != NULL ? g_hash_table_lookup (branch->assigned, name) : NULL;

  if (branch == NULL)
    return;
  if (assigned == NULL)
    {
      assigned = g_new0 (Assigned, 1);
      assigned->clause = branch->clause;
      g_hash_table_insert (branch->assigned, g_strdup (name), assigned);
    }
  else if (assigned->clause != branch->clause && !g_str_equal (assigned->value, value))
    assigned->differs = TRUE;
  if (branch->is_rest)
    assigned->differs = FALSE;
  assigned->clause = branch->clause;
  g_free (assigned->value);
  assigned->value = g_strdup (value);
}

/**
 * shardwise_shell_branches_leave:
 *
 * Ends a condition at fi or esac.
 *
 * Returns: (transfer full) (element-type utf8): the variables with an unknown value after it
 */
GPtrArray *
shardwise_shell_branches_leave (ShardwiseShellBranches *self)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  GHashTable *assigned;
  GHashTableIter iter;
  gpointer name, item;
  gboolean is_undecided;

  if (self->stack->len == 0)
    return names;
  assigned = g_hash_table_ref (top (self)->assigned);
  is_undecided = top (self)->is_undecided;
  g_array_set_size (self->stack, self->stack->len - 1);
  g_hash_table_iter_init (&iter, assigned);
  while (g_hash_table_iter_next (&iter, &name, &item))
    {
      const Assigned *value = item;

      if (is_undecided && value->differs)
        g_ptr_array_add (names, g_strdup (name));
      else
        shardwise_shell_branches_set (self, name, value->value);
    }
  g_hash_table_unref (assigned);
  return names;
}
