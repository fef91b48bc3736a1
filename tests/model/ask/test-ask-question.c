/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions as people word them, read to an intent and slots: tests/data/ask/. */
#include <math.h>
#include <string.h>

#include "scenario-fixture.h"
#include "shardwise-ask-match.h"
#include "shardwise-ask-question.h"
#include "shardwise-ask-vocabulary.h"

static ShardwiseScenario *
make_scenario (void)
{
  return scenario_of (SCENARIO_70B_32 (""));
}

/* ---- a question as the tables write it ---- */

static char *
slot_to_text (const ShardwiseAskSlot *slot)
{
  g_autofree char *value = NULL;
  const char *than = slot->side > 0 ? "than." : "";

  if (slot->value != NULL && g_variant_is_of_type (slot->value, G_VARIANT_TYPE_STRING))
    value = g_strdup_printf ("=\"%s\"", g_variant_get_string (slot->value, NULL));
  else if (slot->value != NULL && g_variant_is_of_type (slot->value, G_VARIANT_TYPE_INT64))
    value = g_strdup_printf ("=%" G_GINT64_FORMAT, g_variant_get_int64 (slot->value));
  else if (slot->value != NULL && g_variant_is_of_type (slot->value, G_VARIANT_TYPE_DOUBLE))
    value = g_strdup_printf ("=%.6g", g_variant_get_double (slot->value));
  else if (slot->value != NULL)
    value = g_strdup_printf ("=%s", g_variant_get_boolean (slot->value) ? "true" : "false");
  else if (slot->factor > 0)
    value = g_strdup_printf ("*%.6g", slot->factor);
  return g_strconcat (than, slot->path, value, NULL);
}

/* Numbers of the tables in the same form: "1e12", "1.5e13". */
static char *
normalise (const char *word)
{
  const char *equals = strchr (word, '=');
  char *end;
  double number = equals != NULL ? g_ascii_strtod (equals + 1, &end) : NAN;

  if (equals == NULL || end == equals + 1 || *end != '\0')
    return g_strdup (word);
  return number == floor (number) && fabs (number) < 9e15
             ? g_strdup_printf ("%.*s=%.0f", (int) (equals - word), word, number)
             : g_strdup_printf ("%.*s=%.6g", (int) (equals - word), word, number);
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static char *
join_sorted (GPtrArray *words)
{
  g_ptr_array_sort (words, compare);
  g_ptr_array_add (words, NULL);
  return g_strjoinv (" ", (char **) words->pdata);
}

static char *
expected_text (const char *text)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) parts = g_strsplit_set (text, " ", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    if (*parts[i] != '\0')
      g_ptr_array_add (words, normalise (parts[i]));
  return join_sorted (words);
}

/* Only what the line speaks of: a term beside slots says nothing. */
static char *
found_text (const ShardwiseQuestion *question, const char *expected)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  gboolean with_slots = strstr (expected, "term=") == NULL || strchr (expected, '.') != NULL;

  for (guint i = 0; i < question->slots->len; i++)
    {
      g_autofree char *slot = slot_to_text (g_ptr_array_index (question->slots, i));

      if (with_slots && strstr (expected, "goal=") == NULL && strstr (slot, "said.") == NULL)
        g_ptr_array_add (words, normalise (slot)); /* what was said is no input */
    }
  if (question->topics->len > 0 && strstr (expected, "term=") != NULL)
    g_ptr_array_add (words, g_strconcat ("term=", g_ptr_array_index (question->topics, 0), NULL));
  if (question->goal != NULL && strstr (expected, "goal=") != NULL)
    g_ptr_array_add (words, g_strconcat ("goal=", question->goal, NULL));
  if (question->unknown_gpu != NULL)
    g_ptr_array_add (words, g_strconcat ("gpu=", question->unknown_gpu, NULL));
  return join_sorted (words);
}

/* ---- the tables ---- */

/* Returns the question; says what differs, and counts it. */
static ShardwiseQuestion *
check_line (const char *line, ShardwiseScenario *scenario, const ShardwiseQuestion *before,
            guint *wrong)
{
  g_auto (GStrv) columns = g_strsplit (line, "|", 3);
  ShardwiseQuestion *question;
  g_autofree char *expected = NULL, *found = NULL;

  g_assert_cmpuint (g_strv_length (columns), ==, 3);
  for (guint i = 0; i < 3; i++)
    g_strstrip (columns[i]);
  question = shardwise_question_parse (columns[0], scenario, before);
  expected = expected_text (columns[2]);
  found = found_text (question, columns[2]);
  if (!g_str_equal (shardwise_intent_names[question->intent], columns[1])
      || !g_str_equal (expected, found))
    {
      g_test_message ("%s\n#   expected %s %s\n#   found    %s %s", columns[0], columns[1],
                      expected, shardwise_intent_names[question->intent], found);
      ++*wrong;
    }
  g_assert_cmpfloat (question->confidence, >=, 0);
  g_assert_cmpfloat (question->confidence, <=, 1);
  return question;
}

static char **
read_lines (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "ask", name, NULL);
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return g_strsplit (text, "\n", -1);
}

static void
test_questions (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_auto (GStrv) lines = read_lines ("questions.txt");
  guint n = 0, wrong = 0;

  for (guint i = 0; lines[i] != NULL; i++)
    if (*lines[i] != '#' && *lines[i] != '\0')
      {
        g_autoptr (ShardwiseQuestion) question = check_line (lines[i], scenario, NULL, &wrong);

        n++;
      }
  g_test_message ("%u of %u questions", n - wrong, n);
  g_assert_cmpuint (n, >=, 200);
  g_assert_cmpuint (wrong, ==, 0);
}

/* Whether @found is one of the intents that @wanted parts by commas. */
static gboolean
is_wanted (const char *wanted, const char *found)
{
  g_auto (GStrv) intents = g_strsplit (wanted, ",", -1);

  for (guint i = 0; intents[i] != NULL; i++)
    g_assert_cmpint (sw_name_index (shardwise_intent_names, intents[i]), >=, 0);
  return g_strv_contains ((const char *const *) intents, found);
}

/* Questions of forums, of which the tables of words need not know each: most are sure, and few of those are of
 * another kind than was meant. */
static void
test_forum (gconstpointer data)
{
  const char *name = data;
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_auto (GStrv) lines = read_lines (name);
  guint n = 0, sure = 0, wrong = 0;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) columns = g_strsplit (lines[i], " | ", 2);
      g_autoptr (ShardwiseQuestion) question = NULL;
      const char *found;

      if (*lines[i] == '#' || *lines[i] == '\0')
        continue;
      g_assert_cmpuint (g_strv_length (columns), ==, 2);
      question = shardwise_question_parse (columns[0], scenario, NULL);
      found = shardwise_intent_names[question->intent];
      n++;
      if (question->missed != NULL || question->confidence < 0.5)
        {
          g_test_message ("%s\n#   not sure: %s", columns[0], question->missed);
          continue;
        }
      sure++;
      if (is_wanted (columns[1], found))
        continue;
      g_test_message ("%s\n#   expected %s\n#   found    %s", columns[0], columns[1], found);
      wrong++;
    }
  g_test_message ("%s: %u questions, %u sure, of these %u wrong", name, n, sure, wrong);
  g_assert_cmpuint (n, >=, 60);
  g_assert_cmpuint (3 * sure, >=, 2 * n);
  g_assert_cmpuint (20 * wrong, <=, n);
}

static void
test_conversations (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_auto (GStrv) lines = read_lines ("follow-ups.txt");
  g_autoptr (ShardwiseQuestion) before = NULL;
  guint wrong = 0;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      ShardwiseQuestion *question = NULL;

      if (*lines[i] == '#')
        continue;
      if (*lines[i] != '\0')
        question = check_line (lines[i], scenario, before, &wrong);
      g_clear_pointer (&before, shardwise_question_free);
      before = question;
    }
  g_assert_cmpuint (wrong, ==, 0);
}

/* ---- the parts ---- */

static void
check_number (const char *text, double value, double grouped)
{
  g_autoptr (GArray) atoms = shardwise_atoms (text);
  const ShardwiseAtom *atom = shardwise_atom (atoms, 0);

  g_assert_cmpuint (atoms->len, ==, 1);
  g_assert_true (atom->is_number);
  g_assert_cmpfloat_with_epsilon (atom->value, value, 1e-9 * value + 1e-12);
  if (isnan (grouped))
    g_assert_true (isnan (atom->grouped));
  else
    g_assert_cmpfloat (atom->grouped, ==, grouped);
}

static void
check_atoms (const char *text, guint n)
{
  g_autoptr (GArray) atoms = shardwise_atoms (text);

  g_assert_cmpuint (atoms->len, ==, n);
}

static void
test_numbers (void)
{
  check_number ("64", 64, NAN);
  check_number ("1,5", 1.5, NAN);
  check_number ("2.25", 2.25, NAN);
  check_number ("16,384", 16384, 16384);
  check_number ("16.384", 16.384, 16384);
  check_number ("1.234.567", 1234567, 1234567);
  check_number ("1.234,5", 1234.5, NAN);
  check_number ("1,234.5", 1234.5, NAN);
  check_number ("0.125", 0.125, NAN);
  check_number ("5e11", 5e11, NAN);
  check_number ("2^20", 1048576, NAN);
  check_number ("9^999999", 0, NAN);
  check_number ("16 384", 16384, NAN);
  check_number ("1\u00a0000\u202f000", 1000000, NAN);
  check_atoms ("64 128", 2);
  check_atoms ("tp8 300", 3);
  check_atoms ("64, 300", 2);
  check_atoms ("3 405 B", 3);
  check_atoms ("8 400G", 3);
}

static void
test_atoms (void)
{
  static const char *const expected[] = { "was", "waere", "mit", "8", "x", "h", "100", "s", NULL };
  g_autoptr (GArray) atoms = shardwise_atoms ("Was wäre mit 8×H100’s?");

  g_assert_cmpuint (atoms->len, ==, g_strv_length ((char **) expected));
  for (guint i = 0; i < atoms->len; i++)
    g_assert_cmpstr (shardwise_atom (atoms, i)->text, ==, expected[i]);
  g_assert_false (shardwise_atom (atoms, 3)->glued);
  g_assert_true (shardwise_atom (atoms, 6)->glued);
  g_assert_null (shardwise_atom (atoms, atoms->len));
}

static void
test_spelling (void)
{
  const ShardwiseAskVocabulary *vocabulary = shardwise_ask_vocabulary_get ();

  g_assert_cmpuint (shardwise_text_distance ("pipeline", "pipeline", 2), ==, 0);
  g_assert_cmpuint (shardwise_text_distance ("pipelnie", "pipeline", 2), ==, 1);
  g_assert_cmpuint (shardwise_text_distance ("piplne", "pipeline", 2), ==, 2);
  g_assert_cmpuint (shardwise_text_distance ("tensor", "pipeline", 2), ==, 3);
  g_assert_cmpuint (shardwise_text_distance ("", "ab", 2), ==, 2);
  g_assert_cmpstr (shardwise_ask_vocabulary_spell (vocabulary, "paralelism"), ==, "parallelism");
  g_assert_cmpstr (shardwise_ask_vocabulary_spell (vocabulary, "botleneck"), ==, "bottleneck");
  g_assert_null (shardwise_ask_vocabulary_spell (vocabulary, "pipeline"));
  g_assert_null (shardwise_ask_vocabulary_spell (vocabulary, "xylophone"));
}

/* Every phrase names what there is: an intent, a key with a value that it accepts, a catalogue id.
 */
static void
test_vocabulary (void)
{
  const ShardwiseAskVocabulary *vocabulary = shardwise_ask_vocabulary_get ();

  for (guint kind = 0; kind < SHARDWISE_ASK_N_KINDS; kind++)
    {
      GPtrArray *phrases = shardwise_ask_vocabulary_phrases (vocabulary, (ShardwiseAskKind) kind);

      g_assert_cmpuint (phrases->len, >, 0);
      for (guint i = 0; i < phrases->len; i++)
        {
          const ShardwiseAskPhrase *phrase = g_ptr_array_index (phrases, i);
          const ShardwiseKey *key = shardwise_key_find (phrase->target);

          if (kind == SHARDWISE_ASK_GPU)
            g_assert_nonnull (
                shardwise_catalogue_find_gpu (shardwise_catalogue_get (), phrase->value));
          if (kind == SHARDWISE_ASK_MODEL)
            g_assert_nonnull (
                shardwise_catalogue_find_model (shardwise_catalogue_get (), phrase->value));
          if (kind != SHARDWISE_ASK_VALUE)
            continue;
          g_assert_nonnull (key);
          if (key->kind == SHARDWISE_KIND_CHOICE)
            g_assert_true (g_strv_contains (key->choices, phrase->value));
        }
    }
}

/* An answer that would pass over a word, a number or a second question is not sure, and names it. */
static void
test_unused (void)
{
  static const struct {
    const char *text, *missed; /* (nullable): it is sure */
  } cases[] = {
    { "How many H100 do I need?", NULL },
    { "How many H100 do I need for bananas?", "bananas" },
    { "How many H100 do I need, and how long does it take?", "long" },
    { "What if I use 64 GPUs?", NULL },
    { "What if I use 64 GPUs and Mosaic streaming?", "mosaic, streaming" },
    { "Does it fit on 8 A100?", NULL },
    { "Does it fit on 8 A100 below 35 degrees?", "below" },
    { "Is a 13B 3x faster than a 70B?", "3" },
    { "Why does GPU 0 use 74 GB with PP 8?", NULL },
    { "What is the memory of layer 7?", "layer" },
    { "How do I set up FSDP in torchtune?", "Framework" },
    { "Passt das auf 8 A100?", NULL },
    { "Does Kimi K3 fit on 64 H100?", "kimi" },
    { "Is zero++ faster than ZeRO 3 on 64 H100?", "zero" },
  };
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseQuestion) before = NULL, rest = NULL, other = NULL, strange = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ShardwiseQuestion) question = shardwise_question_parse (cases[i].text, scenario,
                                                                         NULL);

      g_test_message ("%s: %s", cases[i].text, question->missed);
      g_assert_true ((cases[i].missed == NULL) == (question->missed == NULL));
      if (cases[i].missed != NULL)
        g_assert_nonnull (strstr (question->missed, cases[i].missed));
    }
  /* A single word that the tables do not know is left out, and makes it less sure. */
  strange = shardwise_question_parse ("Passt das auf 8 A100 im Wohnzimmer?", scenario, NULL);
  g_assert_null (strange->missed);
  g_assert_cmpuint (strange->left_out->len, ==, 1);
  g_assert_cmpfloat (strange->confidence, >=, 0.5);
  g_assert_cmpfloat (strange->confidence, <=, 0.7);
  /* The rest of a conversation is held to the same. */
  before = shardwise_question_parse ("What if I use 64 GPUs?", scenario, NULL);
  rest = shardwise_question_parse ("and with 128?", scenario, before);
  other = shardwise_question_parse ("do bananas with 8 H100 taste", scenario, before);
  g_assert_null (rest->missed);
  g_assert_nonnull (other->missed);
}

/* A value that no key accepts is reported with the allowed values, and becomes no slot. */
static void
test_range (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseQuestion) question =
      shardwise_question_parse ("what if I use 999999999 GPUs?", scenario, NULL);

  g_assert_null (shardwise_question_find (question, SHARDWISE_KEY_CLUSTER_GPUS, 0));
  g_assert_cmpuint (question->left_out->len, ==, 1);
  g_assert_nonnull (
      strstr (((ShardwiseAskLeftOut *) g_ptr_array_index (question->left_out, 0))->why, "131072"));
}

/* A node has as many GPUs as nodes of the GPU that is named usually have. */
static void
test_nodes (void)
{
  static const struct {
    const char *text;
    gint64 gpus;
  } cases[] = { { "how fast would it be on 2 nodes?", 16 },
                { "how fast would it be on 2 nodes of H100?", 16 },
                { "how fast would it be on 2 nodes of GB200?", 8 } };
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ShardwiseQuestion) question = shardwise_question_parse (cases[i].text, scenario,
                                                                         NULL);
      const ShardwiseAskSlot *gpus = shardwise_question_find (question, SHARDWISE_KEY_CLUSTER_GPUS,
                                                              0);

      g_assert_nonnull (gpus);
      g_assert_cmpint (g_variant_get_int64 (gpus->value), ==, cases[i].gpus);
    }
}

/* Of a text that is no question the beginning is read, and the rest is left alone. */
static void
test_length (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (GString) text = g_string_new ("from 64 gpus to");
  g_autoptr (ShardwiseQuestion) question = NULL;
  const ShardwiseAskSlot *slot;

  for (guint i = 0; i < 1000; i++)
    g_string_append_printf (text, " %u", 8 + i);
  question = shardwise_question_parse (text->str, scenario, NULL);
  slot = shardwise_question_find (question, SHARDWISE_KEY_CLUSTER_GPUS, 0);
  g_assert_nonnull (slot);
  g_assert_cmpint (g_variant_get_int64 (slot->value), <, 1007);
}

static void
test_changes (void)
{
  g_autoptr (ShardwiseScenario) scenario = make_scenario ();
  g_autoptr (ShardwiseQuestion) question =
      shardwise_question_parse ("What if I use 64 H200s with tp=4 at $2?", scenario, NULL);
  g_autoptr (GVariant) changes = g_variant_ref_sink (shardwise_question_changes (question, 0));
  g_autoptr (JsonNode) json = shardwise_question_slots_to_json (question);
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (g_variant_n_children (changes), ==, 4);
  g_assert_true (shardwise_scenario_apply (scenario, changes, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==,
                     64);
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, SHARDWISE_KEY_COST_PRICE, 0), ==, 2);
  g_assert_cmpstr (json_object_get_string_member (json_node_get_object (json), "cluster.gpu"), ==,
                   "h200-141-sxm");
}

/* A date to come is a deadline, not three numbers; a past one is not understood. */
static void
test_dates (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autoptr (GDateTime) then = g_date_time_add_days (now, 30);
  g_autofree char *day = g_date_time_format (then, "%Y-%m-%d");
  g_autofree char *text = g_strdup_printf ("How many GPUs do I need to finish by %s?", day);
  g_autoptr (ShardwiseQuestion) question = shardwise_question_parse (text, scenario, NULL),
                                past = shardwise_question_parse (
                                    "How many GPUs do I need to finish by 2020-01-15?", scenario,
                                    NULL);

  g_assert_cmpint (question->intent, ==, SHARDWISE_INTENT_GPUS);
  g_assert_cmpfloat (shardwise_question_number (question, "days"), ==, 30);
  g_assert_cmpuint (question->slots->len, ==, 1);
  g_assert_cmpuint (past->slots->len, ==, 0);
  g_assert_nonnull (past->missed);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ask/numbers", test_numbers);
  g_test_add_func ("/ask/atoms", test_atoms);
  g_test_add_func ("/ask/spelling", test_spelling);
  g_test_add_func ("/ask/vocabulary", test_vocabulary);
  g_test_add_func ("/ask/questions", test_questions);
  g_test_add_data_func ("/ask/forum/1", "forum.txt", test_forum);
  g_test_add_data_func ("/ask/forum/2", "forum-2.txt", test_forum);
  g_test_add_data_func ("/ask/forum/3", "forum-3.txt", test_forum);
  g_test_add_data_func ("/ask/forum/4", "forum-4.txt", test_forum);
  g_test_add_func ("/ask/conversations", test_conversations);
  g_test_add_func ("/ask/unused", test_unused);
  g_test_add_func ("/ask/range", test_range);
  g_test_add_func ("/ask/nodes", test_nodes);
  g_test_add_func ("/ask/length", test_length);
  g_test_add_func ("/ask/changes", test_changes);
  g_test_add_func ("/ask/dates", test_dates);
  return g_test_run ();
}
