/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The readers below the readers: JSON with positions, YAML, TOML and launch scripts. */
#include <string.h>

#include "shardwise-node.h"
#include "shardwise-shell.h"
#include "shardwise-yaml.h"
#include "shardwise-toml.h"
#include "shardwise-node-json.h"

typedef ShardwiseNode *(*Reader) (const char *text, gsize length, GError **error);

static ShardwiseNode *
read_hjson (const char *text, gsize length, GError **error)
{
  guint line;

  return shardwise_node_from_hjson (text, length, &line, error);
}

/* A path, the type at it, its text, and its position. */
typedef struct {
  Reader reader;
  const char *text, *path;
  ShardwiseNodeType type;
  const char *value;
  guint line, column;
} Good;

static const Good good[] = {
  { read_hjson, "# c\n{\n  a: 1 // one\n  b: two, three\n}", "a", SHARDWISE_NODE_INTEGER, "1", 3,
    6 },
  { read_hjson, "# c\n{\n  a: 1 // one\n  b: two, three\n}", "b", SHARDWISE_NODE_STRING,
    "two, three", 4, 6 },
  { read_hjson, "a: true, b: nullx, c\n'c d': 'it'", "a", SHARDWISE_NODE_BOOLEAN, "true", 1, 4 },
  { read_hjson, "a: {b: [1, 2\n 3,]}", "a.b", SHARDWISE_NODE_LIST, NULL, 1, 8 },
  { read_hjson, "{a:\n  '''\n  one\n    two\n  '''\n}", "a", SHARDWISE_NODE_STRING, "one\n  two", 2,
    3 },
  { read_hjson, "{a: '\\u00e9\\ud83d\\ude00'}", "a", SHARDWISE_NODE_STRING, "é😀", 1, 5 },
  { read_hjson, "{a: -1.5e-3}", "a", SHARDWISE_NODE_FLOAT, "-1.5e-3", 1, 5 },
  { read_hjson, "{a: 007\n}", "a", SHARDWISE_NODE_STRING, "007", 1, 5 },
  { read_hjson, "{a: 1e999\n}", "a", SHARDWISE_NODE_STRING, "1e999", 1, 5 },
  { read_hjson, "{a: SIZE,\n b: 2}", "a", SHARDWISE_NODE_STRING, "SIZE,", 1, 5 },
  { read_hjson, "{/* x */\"a\": null}", "a", SHARDWISE_NODE_NULL, NULL, 1, 14 },
  { shardwise_node_from_json, "{\n  \"a\": {\"b\": [1, -2.5e3]},\n  \"ü\": true }", "a",
    SHARDWISE_NODE_MAP, NULL, 2, 8 },
  { shardwise_node_from_json, "{\n  \"a\": {\"b\": [1, -2.5e3]},\n  \"ü\": true }", "a.b",
    SHARDWISE_NODE_LIST, NULL, 2, 14 },
  { shardwise_node_from_json, "{\n  \"a\": {\"b\": [1, -2.5e3]},\n  \"ü\": true }", "ü",
    SHARDWISE_NODE_BOOLEAN, "true", 3, 8 },
  { shardwise_node_from_json, "{\"a\": \"x\\\"y\\u00e9\", \"b\": 7}", "a", SHARDWISE_NODE_STRING,
    "x\"yé", 1, 7 },
  { shardwise_node_from_json, "{\"a\": \"x\\\"y\\u00e9\", \"b\": 7}", "b", SHARDWISE_NODE_INTEGER,
    "7", 1, 26 },
  { shardwise_node_from_json, "{\"e\": {}, \"l\": [ ], \"z\": null}", "z", SHARDWISE_NODE_NULL,
    NULL, 1, 26 },
  { read_hjson, "{ // a comment\n \"a\": 1, /* two\n lines */ \"b\": 2, # more\n}", "b",
    SHARDWISE_NODE_INTEGER, "2", 3, 16 },
  { shardwise_node_from_json, "{\"a\": \"# no // comment /* \", \"b\": 2}", "b",
    SHARDWISE_NODE_INTEGER, "2", 1, 35 },
  { shardwise_node_from_yaml, "a: 1e-8", "a", SHARDWISE_NODE_STRING, "1e-8", 1, 4 },
  { shardwise_node_from_yaml, "a: 1.0e-08", "a", SHARDWISE_NODE_FLOAT, "1.0e-08", 1, 4 },
  { shardwise_node_from_yaml, "a: 1.0e8", "a", SHARDWISE_NODE_STRING, "1.0e8", 1, 4 },
  { shardwise_node_from_yaml, "a: NO\nb: 'no'", "a", SHARDWISE_NODE_BOOLEAN, "NO", 1, 4 },
  { shardwise_node_from_yaml, "a: NO\nb: 'no'", "b", SHARDWISE_NODE_STRING, "no", 2, 4 },
  { shardwise_node_from_yaml, "a: ~\nb: 1_000", "a", SHARDWISE_NODE_NULL, NULL, 1, 4 },
  { shardwise_node_from_yaml, "a: ~\nb: 1_000", "b", SHARDWISE_NODE_INTEGER, "1_000", 2, 4 },
  { shardwise_node_from_yaml, "x: &k {p: 2}\ny:\n  z: *k", "y.z.p", SHARDWISE_NODE_INTEGER, "2", 1,
    11 },
  { shardwise_node_from_yaml, "x: &k {p: 2, q: 3}\ny:\n  q: 4\n  <<: *k", "y.p",
    SHARDWISE_NODE_INTEGER, "2", 1, 11 },
  { shardwise_node_from_yaml, "x: &k {p: 2, q: 3}\ny:\n  <<: *k\n  q: 4", "y.q",
    SHARDWISE_NODE_INTEGER, "4", 4, 6 },
  { shardwise_node_from_yaml, "x: &k {p: 2}\nz: &l {p: 5, r: 6}\ny: {<<: [*k, *l]}", "y.p",
    SHARDWISE_NODE_INTEGER, "2", 1, 11 },
  { shardwise_node_from_yaml, "x: &k {p: 2}\nz: &l {p: 5, r: 6}\ny: {<<: [*k, *l]}", "y.r",
    SHARDWISE_NODE_INTEGER, "6", 2, 17 },
  { shardwise_node_from_yaml, "x: &k {p: 2}\ny: {<<: *k, z: *k}", "y.z.p", SHARDWISE_NODE_INTEGER,
    "2", 1, 11 },
  { shardwise_node_from_yaml, "a: 1\r\na: 2\r\n", "a", SHARDWISE_NODE_INTEGER, "2", 2, 4 },
  { shardwise_node_from_toml, "[a]\nb = 0x1F # c\n", "a.b", SHARDWISE_NODE_INTEGER, "0x1F", 2, 5 },
  { shardwise_node_from_toml, "a.b.c = 1.5e-4", "a.b.c", SHARDWISE_NODE_FLOAT, "1.5e-4", 1, 9 },
  { shardwise_node_from_toml, "a = 'C:\\x'\nb = \"\"\"\nx\\\n   y\"\"\"", "a",
    SHARDWISE_NODE_STRING, "C:\\x", 1, 5 },
  { shardwise_node_from_toml, "a = 'C:\\x'\nb = \"\"\"\nx\\\n   y\"\"\"", "b",
    SHARDWISE_NODE_STRING, "xy", 2, 5 },
  { shardwise_node_from_toml, "t = { x = [1, 2,\n 3, ], y = true }\n", "t.y",
    SHARDWISE_NODE_BOOLEAN, "true", 2, 12 },
  { shardwise_node_from_toml, "[[p]]\na=1\n[[p]]\na=2\n[p.q]\nz=-7", "p", SHARDWISE_NODE_LIST, NULL,
    1, 4 },
  { shardwise_node_from_toml, "d = 1979-05-27T07:32:00Z", "d", SHARDWISE_NODE_STRING,
    "1979-05-27T07:32:00Z", 1, 5 },
  { shardwise_node_from_toml, "\"a b\".'c' = 1_000\r\n", "a b.c", SHARDWISE_NODE_INTEGER, "1_000",
    1, 13 },
};

static void
test_good (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseNode) root = good[i].reader (good[i].text, strlen (good[i].text), &error);
      const ShardwiseNode *node;

      g_test_message ("%s", good[i].text);
      g_assert_no_error (error);
      node = shardwise_node_find (root, good[i].path);
      g_assert_nonnull (node);
      g_assert_cmpint (node->type, ==, good[i].type);
      g_assert_cmpstr (node->text, ==, good[i].value);
      g_assert_cmpuint (node->line, ==, good[i].line);
      g_assert_cmpuint (node->column, ==, good[i].column);
    }
}

static const struct {
  Reader reader;
  const char *text, *says;
} bad[] = {
  { read_hjson, "{a: 1,\n a: 2}", "line 2, column 2: the key “a” occurs twice" },
  { read_hjson, "{a: [1, 2\n", "line 2, column 1: expected ]" },
  { read_hjson, "{a 1}", "line 1, column 4: expected a colon" },
  { read_hjson, "{a: ,}", "line 1, column 5: expected a value" },
  { read_hjson, "{a: \"x\ny\"}", "line 1, column 7: the text has no closing quote" },
  { read_hjson, "{a: \"\\q\"}", "line 1, column 6: invalid JSON escape" },
  { read_hjson, "{a: \"\\u0000\"}", "line 1, column 6: invalid JSON escape" },
  { read_hjson, "{a: '''x", "line 1, column 9: the text has no closing quotes" },
  { read_hjson, "{a: 1} 2", "line 1, column 8: expected the end of the document" },
  { read_hjson, "{: 1}", "line 1, column 2: expected a key" },
  { shardwise_node_from_json, "", "line 1, column 1" },
  { shardwise_node_from_json, "{\"a\": 1,, \"b\": 2}", "line 1, column 9" },
  { read_hjson, "{\"a\": 1 /* no end", "line 1, column" },
  { shardwise_node_from_json, "{a: 1}", "line 1, column 2" },
  { shardwise_node_from_yaml, "a: [1, 2", "line" },
  { shardwise_node_from_yaml, "a: 1\n---\nb: 2\n", "line 2, column 1: a second document" },
  { shardwise_node_from_yaml, "a: *nowhere", "line 1, column 4" },
  { shardwise_node_from_yaml, "a: {<<: 3}", "a map, or a list of maps" },
  { shardwise_node_from_yaml, "a: {<<: [{x: 1}, 3]}", "a map, or a list of maps" },
  { shardwise_node_from_yaml, "? [x]\n: 1", "a key" },
  { shardwise_node_from_yaml, "a: b: c", "line 1" },
  { shardwise_node_from_toml, "a = 1\na = 2", "line 2, column 3: the key “a” occurs twice" },
  { shardwise_node_from_toml, "[a]\n[a]", "occurs twice" },
  { shardwise_node_from_toml, "a = {x=1}\na.y = 2", "occurs twice" },
  { shardwise_node_from_toml, "a.b = 1\n[a]\n", "occurs twice" },
  { shardwise_node_from_toml, "a = 01", "line 1, column 5: not a TOML value" },
  { shardwise_node_from_toml, "a = 1__0", "not a TOML value" },
  { shardwise_node_from_toml, "a = .5", "not a TOML value" },
  { shardwise_node_from_toml, "a = \"x\ny\"", "line 1, column 7: the string has no end" },
  { shardwise_node_from_toml, "a = \"\\q\"", "unknown escape" },
  { shardwise_node_from_toml, "a = 1 b = 2", "line 1, column 7" },
  { shardwise_node_from_toml, "[a\nb = 1", "line 1, column 3: expected ]" },
  { shardwise_node_from_toml, "= 1", "expected a key" },
};

static void
test_bad (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseNode) root = bad[i].reader (bad[i].text, strlen (bad[i].text), &error);

      g_test_message ("%s: %s", bad[i].text, error != NULL ? error->message : "accepted");
      g_assert_null (root);
      g_assert_nonnull (strstr (error->message, bad[i].says));
      g_assert_nonnull (strstr (error->message, "line"));
    }
}

/* Deep nesting, and aliases that would double at every level, end with an error or at once. */
static void
test_hostile (void)
{
  g_autoptr (GString) deep = g_string_new (NULL), laughs = g_string_new ("l0: &l0 [x, x]\n");
  Reader readers[] = { shardwise_node_from_json, read_hjson, shardwise_node_from_yaml };

  for (guint i = 0; i < 100000; i++)
    g_string_append_c (deep, '[');
  for (guint i = 0; i < G_N_ELEMENTS (readers); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (readers[i](deep->str, deep->len, &error));
      g_assert_nonnull (strstr (error->message, "64"));
    }
  g_string_prepend (deep, "a = ");
  {
    g_autoptr (GError) error = NULL;

    g_assert_null (shardwise_node_from_toml (deep->str, deep->len, &error));
    g_assert_nonnull (strstr (error->message, "levels"));
  }
  for (guint i = 1; i < 40; i++)
    g_string_append_printf (laughs, "l%u: &l%u [*l%u, *l%u]\n", i, i, i - 1, i - 1);
  {
    g_autoptr (ShardwiseNode) root = shardwise_node_from_yaml (laughs->str, laughs->len, NULL);

    g_assert_nonnull (shardwise_node_find (root, "l39"));
  }
}

/* ---- scripts ---- */

static char *
words_of (const ShardwiseShell *shell)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < shell->commands->len; i++)
    {
      const ShardwiseShellCommand *command = shell->commands->pdata[i];

      g_string_append (text, i > 0 ? " ; " : "");
      for (guint j = 0; j < command->words->len; j++)
        g_string_append_printf (text, j > 0 ? "|%s" : "%s",
                                ((ShardwiseShellWord *) command->words->pdata[j])->text);
    }
  g_strdelimit (text->str, "\x01", '?');
  return g_string_free (text, FALSE);
}

static const struct {
  const char *script, *words;
} scripts[] = {
  { "a b 'c d' \"e f\" g\\ h # comment\n", "a|b|c d|e f|g h" },
  { "X=3; Y=$X${X}; run --n=$Y --q \"${Y}\" '$Y'", "run|--n=33|--q|33|$Y" },
  { "run ${A:-8} ${B-9} ${C:=x y}", "run|8|9|x|y" },
  { "A=; run \"${A:-d}\" \"${A-e}\" \"${A:+f}\"", "run|d||" },
  { "TP=4\nPP=$((2 * (TP + 4) / 8))\nrun $((TP*PP)) $((1/0))", "run|8|?" },
  { "ARGS=(--a 1 \\\n  --b \"x y\" # why\n  --c\n)\nrun \"${ARGS[@]}\" ${ARGS[1]}",
    "run|--a|1|--b|x y|--c|1" },
  { "N=3\nrun $((1<<N)) $((1 << 2 + 1)) $(( (64>>N) * 2 )) $((1<<40)) $((1 < 2))",
    "run|8|8|16|?|?" },
  { "A=(1)\nA+=(2 3)\nA+=(\"${A[@]}\")\nrun ${A[*]}", "run|1|2|3|1|2|3" },
  { "O=\" \\\n --tp 8 \\\n --pp 2\"\nO+=\" --x\"\nrun $O", "run|--tp|8|--pp|2|--x" },
  { "run $(hostname) `date` $1 \"$@\" $UNSET", "run|?|?|?|?" },
  { "export A=1 B=2\nlocal -r C=3\nrun $A $B $C", "run|1|2|3" },
  { "if [ -n \"$X\" ]; then\n  N=2\nelse\n  N=4\nfi\nrun $N", "run|4" },
  /* What the script itself says decides. */
  { "S=b\nif [ $S = a ]; then\n  N=1; x\nelif [[ \"$S\" == b ]]; then\n  N=2; y\nelse\n  N=3; "
    "z\nfi\n"
    "run $N",
    "y ; run|2" },
  { "N=8\nif [ $N -gt 4 ] && ! [ $N -eq 9 ]; then M=1; else M=2; fi\n"
    "if [ $N -lt 4 ] || test -z \"\"; then K=1; fi\nrun $M $K",
    "run|1|1" },
  { "S=13B\ncase $S in\n  7B) N=1 ;;\n  13B|14B)\n    N=2\n    ;;\n  *) N=3 ;;\nesac\nrun $N",
    "run|2" },
  { "A=(1)\nif false; then A+=(2); fi\nif true; then A+=(3); fi\nrun ${A[@]}", "run|1|3" },
  /* Values for some cases, none of which is known to be, are none; that for all others is one. */
  { "if [ $1 = a ]; then N=1; elif [ $1 = b ]; then N=2; fi\nrun $N", "run|??" },
  { "case $1 in\n a) N=1;;\n b) N=2;;\nesac\nrun $N", "run|??" },
  { "case $1 in\n a) N=1;;\n *) N=2;;\nesac\nrun $N", "run|2" },
  { "if [ $1 = a ]; then if [ $2 = b ]; then N=1; fi; elif [ $1 = c ]; then N=2; fi\nrun $N",
    "run|??" },
  { "N=1\nif [ $1 = a ]; then N=2; fi\nrun $N", "run|2" },
  { "fi\nesac\nelse\nthen\ncase\nif\nrun", "run" },
  { "cat <<EOF > out\nrun --not a command\nEOF\nreal 2>&1 >log <in", "cat ; real" },
  { "cat <<'END'\n$A\nEND\nX=1 run $X&\nb|c && d", "cat ; run|1 ; b ; c ; d" },
  { "CMD=\"torchrun t.py --a 1\"\neval \"$CMD\"",
    "eval|torchrun t.py --a 1 ; torchrun|t.py|--a|1" },
  { "srun bash -c \"run --n 2 --m 'x y'\"",
    "srun|bash|-c|run --n 2 --m 'x y' ; run|--n|2|--m|x y" },
  { "a\r\nb \\\r\n c\r\n", "a ; b|c" },
  { "#!/bin/bash\n#SBATCH --nodes=4 --gpus-per-node=8\nrun $((SLURM_NNODES * SLURM_GPUS_ON_NODE))",
    "run|32" },
  { "run\n#SBATCH --nodes=4\necho $SLURM_NNODES", "run ; echo|?" },
};

static void
test_scripts (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (scripts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseShell) shell =
          shardwise_shell_read (scripts[i].script, strlen (scripts[i].script), NULL, &error);
      g_autofree char *words = NULL;

      g_assert_no_error (error);
      words = words_of (shell);
      g_assert_cmpstr (words, ==, scripts[i].words);
    }
}

/* Words of an array stand where they are written, not where the array is used. */
static void
test_script_positions (void)
{
  const char *script = "A=(\n  --num-layers 80\n)\nrun \"${A[@]}\"\n";
  g_autoptr (ShardwiseShell) shell = shardwise_shell_read (script, strlen (script), NULL, NULL);
  const ShardwiseShellCommand *command = shell->commands->pdata[0];
  const ShardwiseShellWord *word = command->words->pdata[2];

  g_assert_cmpstr (word->text, ==, "80");
  g_assert_cmpuint (word->line, ==, 2);
  g_assert_cmpuint (word->column, ==, 16);
}

static void
test_bad_scripts (void)
{
  static const struct {
    const char *script, *says;
  } cases[] = {
    { "run 'x", "line 1, column 7: the quote is not closed" },
    { "run \"x", "the quote is not closed" },
    { "A=(1 2", "line 1, column 7: the array is not closed" },
    { "A=(1 ; 2)", "a word or )" },
    { "run ${A", "the bracket is not closed" },
    { "run `x", "the quote is not closed" },
  };
  g_autoptr (GString) doubling = g_string_new ("A=xxxxxxxxxxxxxxxx\n");
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) why = NULL;

      g_assert_null (shardwise_shell_read (cases[i].script, strlen (cases[i].script), NULL, &why));
      g_test_message ("%s", why->message);
      g_assert_nonnull (strstr (why->message, cases[i].says));
    }
  for (guint i = 0; i < 60; i++)
    g_string_append (doubling, "A=$A$A\n");
  g_assert_null (shardwise_shell_read (doubling->str, doubling->len, NULL, &error));
  g_assert_nonnull (strstr (error->message, "too long"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/node/good", test_good);
  g_test_add_func ("/node/bad", test_bad);
  g_test_add_func ("/node/hostile", test_hostile);
  g_test_add_func ("/shell/words", test_scripts);
  g_test_add_func ("/shell/positions", test_script_positions);
  g_test_add_func ("/shell/bad", test_bad_scripts);
  return g_test_run ();
}
