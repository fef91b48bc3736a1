/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Python as names and values: what is constant is known, the rest is said not to be. */
#include <string.h>

#include "shardwise-node.h"
#include "shardwise-node-python.h"

static ShardwiseNode *
read_python (const char *text)
{
  g_autoptr (GError) error = NULL;
  ShardwiseNode *root = shardwise_node_from_python (text, strlen (text), &error);

  g_test_message ("%s", text);
  g_assert_no_error (error);
  return root;
}

static const struct {
  const char *text, *path;
  ShardwiseNodeType type;
  const char *value;
  guint line, column;
} good[] = {
  { "a = 8\n", "a", SHARDWISE_NODE_INTEGER, "8", 1, 5 },
  { "a = 1_000 ; b = 0x10 # c", "b", SHARDWISE_NODE_INTEGER, "0x10", 1, 17 },
  { "x = 1\na: int = 1.5e-4", "a", SHARDWISE_NODE_FLOAT, "1.5e-4", 2, 10 },
  { "a = .5e+3", "a", SHARDWISE_NODE_FLOAT, ".5e+3", 1, 5 },
  { "a = b = 3", "a", SHARDWISE_NODE_INTEGER, "3", 1, 9 },
  { "a, (b) = 1, 2", "b", SHARDWISE_NODE_INTEGER, "2", 1, 13 },
  { "tp, pp = 8, 4,", "tp", SHARDWISE_NODE_INTEGER, "8", 1, 10 },
  { "a = 'x\\ty' \"z\"", "a", SHARDWISE_NODE_STRING, "x\tyz", 1, 5 },
  { "a = rb'\\t' '''\n\"'''", "a", SHARDWISE_NODE_STRING, "\\t\n\"", 1, 5 },
  { "a = not_a\na = None", "a", SHARDWISE_NODE_NULL, NULL, 2, 5 },
  { "a = True", "a", SHARDWISE_NODE_BOOLEAN, "True", 1, 5 },
  { "a = -3", "a", SHARDWISE_NODE_INTEGER, "-3", 1, 5 },
  { "B = 4\na = B * 8192 + 2**3 - 7 // 2", "a", SHARDWISE_NODE_INTEGER, "32773", 1, 5 },
  { "a = 1 << 3 | 1", "a", SHARDWISE_NODE_STRING, "?", 1, 5 },
  { "a = 7 % 4", "a", SHARDWISE_NODE_INTEGER, "3", 1, 5 },
  { "a = 1 / 0", "a", SHARDWISE_NODE_STRING, "?", 1, 5 },
  { "a = int(4.9)", "a", SHARDWISE_NODE_INTEGER, "4", 1, 9 },
  { "a = int(os.environ['N'])", "a", SHARDWISE_NODE_STRING, "?os.environ.N", 1, 9 },
  { "x.a = args.tp", "x.a", SHARDWISE_NODE_STRING, "?args.tp", 1, 1 },
  { "a = 2 if x else 4", "a", SHARDWISE_NODE_STRING, "?", 1, 5 },
  { "a = f\"{x['a']}{{{y!r:>{n}}\"", "a", SHARDWISE_NODE_STRING, "?", 1, 5 },
  { "a = lambda x, *y, z=1: (x, y)", "a", SHARDWISE_NODE_STRING, "?", 1, 26 },
  { "a = (8)", "a", SHARDWISE_NODE_INTEGER, "8", 1, 6 },
  { "a = (8,)", "a", SHARDWISE_NODE_LIST, NULL, 1, 7 },
  { "a = {'k': {'l': 2}, **z, 'm': 3}\nb = a['k']['l']", "b", SHARDWISE_NODE_INTEGER, "2", 1, 17 },
  { "a = [1, [2, 3]]\nb = a[1][0]", "b", SHARDWISE_NODE_INTEGER, "2", 1, 10 },
  { "c = f(x=1)\nc.y.z = 2\n", "c.y.z", SHARDWISE_NODE_INTEGER, "2", 2, 9 },
  { "c = f(x=1)\nc.y.z = 2\n", "c.x", SHARDWISE_NODE_INTEGER, "1", 1, 9 },
  { "c = f()\np = c.par\np.tp = 8", "c.par.tp", SHARDWISE_NODE_INTEGER, "8", 3, 8 },
  { "p = P(tp=8)\nc = C(par=p)\np.tp = 4", "c.par.tp", SHARDWISE_NODE_INTEGER, "8", 1, 10 },
  { "o = {'k': 2}\nc = f(a, *b, **o)", "c.k", SHARDWISE_NODE_INTEGER, "2", 1, 11 },
  { "import torch as t\na.b = t.float16", "a.b", SHARDWISE_NODE_STRING, "?torch.float16", 2, 1 },
  { "from a.b import (c as d,\n e,)\nx = d.f()", "x.()", SHARDWISE_NODE_STRING, "a.b.c.f", 3, 8 },
  { "def f(tp: int = 8, /, *, pp=4, **k) -> 'T':\n  return tp", "pp", SHARDWISE_NODE_INTEGER, "4",
    1, 29 },
  { "class A(B, metaclass=C):\n  tp: int = 2\n", "tp", SHARDWISE_NODE_INTEGER, "2", 2, 13 },
  { "if (n := 3) > 2: a = n", "a", SHARDWISE_NODE_INTEGER, "3", 1, 10 },
  { "match x:\n  case [1, *_] if y: a = 1\n  case _: a = 2", "a", SHARDWISE_NODE_INTEGER, "2", 3,
    15 },
  { "type = 3\nmatch = type", "match", SHARDWISE_NODE_INTEGER, "3", 1, 8 },
  { "async def f():\n  async with a as b, c: x = await d\n  async for e in f: y = 5", "y",
    SHARDWISE_NODE_INTEGER, "5", 3, 25 },
  { "a = \\\n  3", "a", SHARDWISE_NODE_INTEGER, "3", 2, 3 },
  { "a = 1\r\nb = 2\r\n", "b", SHARDWISE_NODE_INTEGER, "2", 2, 5 },
  { "a += 1\na @= 2", "a", SHARDWISE_NODE_STRING, "?", 2, 6 },
};

static void
test_good (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autoptr (ShardwiseNode) root = read_python (good[i].text);
      const ShardwiseNode *node = shardwise_node_find (root, good[i].path);
      g_autofree char *text = NULL;

      g_assert_nonnull (node);
      text = g_strdup (node->text);
      if (text != NULL)
        g_strdelimit (text, "\x01", '?');
      g_assert_cmpint (node->type, ==, good[i].type);
      g_assert_cmpstr (text, ==, good[i].value);
      g_assert_cmpuint (node->line, ==, good[i].line);
      g_assert_cmpuint (node->column, ==, good[i].column);
    }
}

static const struct {
  const char *text, *says;
} bad[] = {
  { "a = ", "line 1, column 5: expected a value" },
  { "a = = 2", "line 1, column 5: expected a value" },
  { "x = 1\na = (1, 2", "line 2, column 10: the bracket is not closed" },
  { "a = 1)", "line 1, column 6: a closing bracket without an opening one" },
  { "a = [1}", "line 1, column 7: a closing bracket without an opening one" },
  { "a = 'x\nb = 2", "line 1, column 5: the string has no closing quote" },
  { "a = '''x\nb = 2", "line 1, column 5: the string has no closing quote" },
  { "a = 1 b = 2", "line 1, column 7: expected the end of the statement" },
  { "print 'x'", "line 1, column 7: expected the end of the statement" },
  { "if x\n  a = 1", "line 1, column 5: expected “:”" },
  { "a = $x", "line 1, column 5: a character that Python does not allow" },
  { "a = b.2", "line 1" },
  { "a = b. = 2", "line 1, column 8: expected the name of an attribute" },
  { "from x\n", "expected “import”" },
  { "def (x): pass", "line 1, column 5: expected a name" },
  { "for x = 2: pass", "expected “in”" },
  { "a = x if y", "expected “else”" },
  { "a = {'b' 2}", "expected “}”" },
};

static void
test_bad (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseNode) root = shardwise_node_from_python (bad[i].text,
                                                                   strlen (bad[i].text), &error);

      g_test_message ("%s: %s", bad[i].text, error != NULL ? error->message : "accepted");
      g_assert_null (root);
      g_assert_nonnull (strstr (error->message, bad[i].says));
      g_assert_nonnull (strstr (error->message, "line"));
    }
}

/* A text repeated, then another. */
static char *
repeated (const char *start, const char *text, guint n, const char *end)
{
  GString *out = g_string_new (start);

  for (guint i = 0; i < n; i++)
    g_string_append (out, text);
  g_string_append (out, end);
  return g_string_free (out, FALSE);
}

/* Nesting and doubling end with an error, or with what is left out; chains of any length are read.
 */
static void
test_hostile (void)
{
  static const struct {
    const char *start, *text, *end, *says;
  } texts[] = {
    { "a = ", "[", "", "deeper than 64 levels" },
    { "a = ", "(", "", "deeper than 64 levels" },
    { "a = ", "-", "1", "deeper than 200 levels" },
    { "a = ", "not ", "1", "deeper than 200 levels" },
    { "a = ", "lambda: ", "1", "deeper than 200 levels" },
    { "a = ", "1 if x else ", "1", "deeper than 200 levels" },
    { "a = 1", " ** 1", "", "deeper than 200 levels" },
    { "a = f()\n", "a.b = a\n", "", "a million" },
    { "a = 1", " + 1", "", NULL },
    { "a", ".b", " = 1", NULL },
    { "a = 1\n", "a = [a, a]\n", "", NULL },
    { "a = x\n", "a = a.b\n", "", NULL },
    { "", "a = ", "1", NULL },
    { "", "if x: a = 1\n", "", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *text = repeated (texts[i].start, texts[i].text, 20000, texts[i].end);
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseNode) root = shardwise_node_from_python (text, strlen (text), &error);

      g_test_message ("%s…: %s", texts[i].text, error != NULL ? error->message : "read");
      g_assert_true ((root == NULL) == (texts[i].says != NULL));
      if (error != NULL)
        g_assert_nonnull (strstr (error->message, texts[i].says));
    }
}

/* Values under an `if` are reported, but not those under the guard of the main program, nor
 * strings. */
static void
test_conditions (void)
{
  static const struct {
    const char *text;
    guint line;
  } cases[] = {
    { "if x:\n  y = 1\n", 2 },   { "if x:\n  pass\nelse:\n  y = 1\n", 4 },
    { "if x: y = 1", 1 },        { "if x:\n  pass\ny = 1\n", 0 },
    { "if x:\n  y = 'a'\n", 0 }, { "if __name__ == '__main__':\n  y = 1\n", 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ShardwiseNode) root = read_python (cases[i].text);
      const ShardwiseNode *line = shardwise_node_member (root, SHARDWISE_NODE_CONDITION);

      g_assert_cmpuint (line != NULL ? line->line : 0, ==, cases[i].line);
    }
}

/* Calls come in their order, the inner ones first. */
static void
test_calls (void)
{
  g_autoptr (ShardwiseNode) root =
      read_python ("import m.n\nf(g(1), k=h())\n@m.n.d(2)\ndef x(): return y.z(3)\n");
  const ShardwiseNode *calls = shardwise_node_member (root, SHARDWISE_NODE_CALLS);
  static const char *const names[] = { "g", "h", "f", "m.n.d", "y.z" };

  g_assert_cmpuint (calls->items->len, ==, G_N_ELEMENTS (names));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_assert_cmpstr (shardwise_node_member (calls->items->pdata[i], SHARDWISE_NODE_CALLEE)->text,
                     ==, names[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/node-python/good", test_good);
  g_test_add_func ("/node-python/bad", test_bad);
  g_test_add_func ("/node-python/hostile", test_hostile);
  g_test_add_func ("/node-python/conditions", test_conditions);
  g_test_add_func ("/node-python/calls", test_calls);
  return g_test_run ();
}
