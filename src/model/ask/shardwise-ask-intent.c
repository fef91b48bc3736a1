/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a question is after: its features, how much each speaks for each intent, and the intent that
 * they speak for most. The weights are data/catalogue/ask-weights.txt, which tests/bench/ask-fit learns
 * from tests/data/ask/train-*.txt: a line is a feature, a tab, and "intent:weight" for those that it
 * speaks for or against (above zero: for). */
#include "shardwise-ask-intent.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

#include "sw-types.h"

#define PATH "/io/github/shardwise/Shardwise/catalogue/ask-weights.txt"

typedef struct {
  guint8 intent;
  float weight;
} Weight;

static GHashTable *
table_new (void)
{
  g_autoptr (GBytes) bytes = g_resources_lookup_data (PATH, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  GHashTable *table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                             (GDestroyNotify) g_array_unref);
  g_autofree char *text = NULL;
  char *rest;

  if (bytes == NULL)
    g_error ("%s: not compiled in", PATH);
  text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  for (char *line = strtok_r (text, "\n", &rest); line != NULL; line = strtok_r (NULL, "\n", &rest))
    {
      char *tab = strchr (line, '\t'), *word, *words;
      GArray *weights;

      if (tab == NULL || *line == '#')
        continue;
      *tab = '\0';
      weights = g_array_new (FALSE, FALSE, sizeof (Weight));
      for (word = strtok_r (tab + 1, " ", &words); word != NULL;
           word = strtok_r (NULL, " ", &words))
        {
          char *colon = strchr (word, ':');
          int intent;

          if (colon == NULL)
            continue;
          *colon = '\0';
          intent = sw_name_index (shardwise_intent_names, word);
          if (intent >= 0)
            {
              Weight weight = { (guint8) intent, (float) g_ascii_strtod (colon + 1, NULL) };

              g_array_append_val (weights, weight);
            }
        }
      g_hash_table_insert (table, g_strdup (line), weights);
    }
  return table;
}

/**
 * shardwise_ask_weigh:
 * @features: of shardwise_ask_features()
 * @shares: (out): of each intent, how likely it is the one meant; together one
 *
 * Multinomial logistic regression: shares are exp (Σ weight × feature), normalised.
 */
void
shardwise_ask_weigh (GArray *features, double shares[SHARDWISE_N_INTENTS])
{
  static gsize once = 0;
  static GHashTable *table;
  double most = -G_MAXDOUBLE, sum = 0;

  if (g_once_init_enter (&once))
    {
      table = table_new ();
      g_once_init_leave (&once, 1);
    }
  memset (shares, 0, SHARDWISE_N_INTENTS * sizeof *shares);
  for (guint i = 0; i < features->len; i++)
    {
      const ShardwiseAskFeature *feature = &g_array_index (features, ShardwiseAskFeature, i);
      GArray *weights = g_hash_table_lookup (table, feature->name);

      for (guint j = 0; weights != NULL && j < weights->len; j++)
        {
          const Weight *weight = &g_array_index (weights, Weight, j);

          shares[weight->intent] += (double) weight->weight * feature->value;
        }
    }
  for (guint i = 0; i < SHARDWISE_N_INTENTS; i++)
    most = MAX (most, shares[i]);
  for (guint i = 0; i < SHARDWISE_N_INTENTS; i++)
    sum += shares[i] = exp (shares[i] - most);
  for (guint i = 0; i < SHARDWISE_N_INTENTS; i++)
    shares[i] /= sum;
}

/* What of a question says what it is after: its words, their stems, two and three of them in a row
 * or near each other, how its sentences begin, and what it names. What is named is reduced to its
 * class ("<gpu>", "<model>", "<split>", "<n>"), so that a weight learnt on one GPU holds for all.
 */

enum {
  STEM = 5,   /* letters of a word's stem */
  NEARBY = 3, /* words over which a pair reaches */
  FAR = 5,    /* meanings over which a pair of them reaches */
  MOST_WORDS = 120
};

#define BESIDE 0.45 /* weight of a sentence that asks nothing, beside one that does */

/* One word of the question, or the class of what is named there. */
typedef struct {
  const char *text;
  double weight;
  gboolean begins; /* a sentence */
  gboolean is_class;
} Word;

/* ---- words ---- */

/* The class of what is named at @at; %NULL: the word counts as it is. */
static const char *
class_at (const ShardwiseAskReader *self, guint at)
{
  static const struct {
    const char *prefix, *name;
  } classes[] = {
    { "strategy.", "<split>" },    { "measured.", "<rate>" },      { "cluster.gpus", "<count>" },
    { "nodes", "<count>" },        { "days", "<days>" },           { "budget", "<budget>" },
    { "cost.price", "<price>" },   { "cluster.gpu_mem", "<gb>" },  { "cluster.int", "<net>" },
    { "training.tok", "<tok>" },   { "training.seq", "<seq>" },    { "model.par", "<size>" },
    { "training.fra", "<frame>" }, { "training.pre", "<format>" },
  };

  if (self->used[at] == SHARDWISE_ASK_GPU)
    return "<gpu>";
  if (self->used[at] == SHARDWISE_ASK_MODEL)
    return "<model>";
  for (guint i = 0; !shardwise_ask_is_free (self, at) && i < self->question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->question->slots, i);

      if (slot->at != at)
        continue;
      for (guint k = 0; k < G_N_ELEMENTS (classes); k++)
        if (g_str_has_prefix (slot->path, classes[k].prefix))
          return classes[k].name;
      return "<value>";
    }
  return shardwise_ask_atom (self->atoms, at)->is_number ? "<n>" : NULL;
}

static gboolean
is_same_name (const ShardwiseAskReader *self, guint at)
{
  guint8 kind = self->used[at];

  return at > 0 && self->used[at - 1] == kind
         && (kind == SHARDWISE_ASK_GPU || kind == SHARDWISE_ASK_MODEL);
}

static gboolean
asks (const ShardwiseAskReader *self)
{
  for (guint i = 0; i < self->atoms->len; i++)
    if (shardwise_ask_atom (self->atoms, i)->asked)
      return TRUE;
  return FALSE;
}

/* The same as read_words(), of meanings and classes alone. */
static GArray *
read_concepts (const ShardwiseAskReader *self)
{
  GPtrArray *phrases = shardwise_ask_vocabulary_phrases (self->vocabulary, SHARDWISE_ASK_CONCEPT);
  GArray *words = g_array_new (FALSE, FALSE, sizeof (Word));
  gboolean any = asks (self), begins = FALSE;
  guint length;

  for (guint i = 0; i < self->atoms->len && words->len < MOST_WORDS; i += MAX (length, 1))
    {
      const ShardwiseAskAtom *atom = shardwise_ask_atom (self->atoms, i);
      const ShardwiseAskPhrase *concept = NULL; /* the longest there */
      Word word;

      length = 0;
      for (guint k = 0; k < phrases->len; k++)
        {
          guint found = shardwise_ask_match (self, g_ptr_array_index (phrases, k), i);

          if (found > length)
            {
              concept = g_ptr_array_index (phrases, k);
              length = found;
            }
        }
      word = (Word){ concept != NULL ? concept->target : class_at (self, i),
                     any && !atom->asked ? BESIDE : 1, begins || atom->begins, TRUE };
      begins = word.begins;
      if (word.text == NULL || (concept == NULL && is_same_name (self, i)))
        continue;
      begins = FALSE;
      g_array_append_val (words, word);
    }
  return words;
}

static GArray *
read_words (const ShardwiseAskReader *self)
{
  GArray *words = g_array_new (FALSE, FALSE, sizeof (Word));
  gboolean any = asks (self);

  for (guint i = 0; i < self->atoms->len && words->len < MOST_WORDS; i++)
    {
      const ShardwiseAskAtom *atom = shardwise_ask_atom (self->atoms, i);
      const char *name = class_at (self, i);
      Word word = { name != NULL ? name : atom->text, any && !atom->asked ? BESIDE : 1,
                    atom->begins || i == 0, name != NULL };

      if (!is_same_name (self, i))
        g_array_append_val (words, word);
    }
  return words;
}

/* ---- features ---- */

static void
add (GHashTable *features, double weight, char *name)
{
  double *value = g_hash_table_lookup (features, name);

  if (value == NULL)
    {
      value = g_new0 (double, 1);
      g_hash_table_insert (features, g_strdup (name), value);
    }
  *value = MAX (*value, weight);
  g_free (name);
}

static const Word *
word_at (GArray *words, guint index)
{
  return &g_array_index (words, Word, index);
}

/* A meaning, and the pairs that it makes with those that follow it in the sentence. */
static void
add_concept (GHashTable *features, GArray *concepts, guint at)
{
  const Word *word = word_at (concepts, at);

  add (features, word->weight, g_strdup_printf ("c:%s", word->text));
  if (word->begins)
    add (features, word->weight, g_strdup_printf ("c^%s", word->text));
  for (guint i = at + 1; i < concepts->len && i <= at + FAR && !word_at (concepts, i)->begins; i++)
    {
      const Word *next = word_at (concepts, i);
      double weight = MIN (word->weight, next->weight);

      if (i == at + 1)
        add (features, weight, g_strdup_printf ("d:%s %s", word->text, next->text));
      else
        add (features, 0.7 * weight, g_strdup_printf ("e:%s %s", word->text, next->text));
      if (word->begins)
        add (features, 0.7 * weight, g_strdup_printf ("d^%s %s", word->text, next->text));
    }
}

/* A word, its stem, and the pairs and threes that it makes with those that follow it in the
 * sentence. */
static void
add_word (GHashTable *features, GArray *words, guint at)
{
  const Word *word = word_at (words, at);

  add (features, word->weight, g_strdup_printf ("w:%s", word->text));
  if (!word->is_class && strlen (word->text) > STEM)
    add (features, 0.7 * word->weight, g_strdup_printf ("p:%.*s", STEM, word->text));
  for (guint i = at + 1; i < words->len && i <= at + NEARBY && !word_at (words, i)->begins; i++)
    {
      const Word *next = word_at (words, i);
      double weight = MIN (word->weight, next->weight);

      if (i == at + 1)
        add (features, weight, g_strdup_printf ("b:%s %s", word->text, next->text));
      else
        add (features, 0.6 * weight, g_strdup_printf ("s:%s %s", word->text, next->text));
      if (i == at + 2)
        add (features, 0.8 * weight,
             g_strdup_printf ("t:%s %s %s", word->text, word_at (words, at + 1)->text, next->text));
    }
  if (word->begins)
    add (features, word->weight, g_strdup_printf ("^%s", word->text));
  if (word->begins && at + 1 < words->len)
    add (features, word->weight,
         g_strdup_printf ("^%s %s", word->text, word_at (words, at + 1)->text));
}

/* What is named in the question as a whole, how long and how strange it is, and whether anything in
 * it is of the field: what is not may be worded alike, and is no question here. */
static void
add_whole (GHashTable *features, const ShardwiseAskReader *self, GArray *words, GArray *concepts)
{
  static const char *const field[] = {
    "memory", "oom",   "speed",        "step-time", "bottleneck", "hardware",  "comm",
    "bubble", "scale", "trouble",      "gpu-hours", "numerics",   "split-dim", "train-it",
    "faster", "slow",  "training-run", "strategy",  "split",      "inference", NULL
  };
  const ShardwiseQuestion *question = self->question;
  gboolean against = FALSE, valued = FALSE, is_of_field = question->slots->len > 0;
  guint all = 0, strange = 0; /* of the words, those that no table has */

  for (guint i = 0; i < question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (question->slots, i);

      add (features, 0.5, g_strdup_printf ("n:%s%s", slot->path, slot->value != NULL ? "=" : ""));
      against = against || slot->side == 1;
      valued = valued || slot->value != NULL;
    }
  for (guint i = 0; i < concepts->len; i++)
    is_of_field = is_of_field || g_strv_contains (field, word_at (concepts, i)->text);
  for (guint i = 0; i < self->atoms->len; i++)
    {
      const ShardwiseAskAtom *atom = shardwise_ask_atom (self->atoms, i);

      if (atom->is_number)
        continue;
      all++;
      if (shardwise_ask_is_free (self, i)
          && !shardwise_ask_vocabulary_knows (self->vocabulary, atom->text))
        strange++;
    }
  if (against)
    add (features, 1, g_strdup ("h:against"));
  if (valued)
    add (features, 0.5, g_strdup ("h:valued"));
  if (question->slots->len == 0)
    add (features, 0.5, g_strdup ("h:nothing"));
  if (!is_of_field)
    add (features, 1.5, g_strdup ("h:foreign"));
  if (strange > 0)
    add (features, 3 * ((double) strange / all), g_strdup ("h:strange"));
  if (words->len <= 3)
    add (features, 0.5, g_strdup ("h:short"));
}

static void
feature_clear (gpointer data)
{
  g_free (((ShardwiseAskFeature *) data)->name);
}

/**
 * shardwise_ask_features:
 * @self: a reader whose slots are read
 *
 * Returns: (transfer full) (element-type ShardwiseAskFeature): in no order
 */
GArray *
shardwise_ask_features (const ShardwiseAskReader *self)
{
  g_autoptr (GHashTable) table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GArray) words = read_words (self), concepts = read_concepts (self);
  GArray *features = g_array_new (FALSE, FALSE, sizeof (ShardwiseAskFeature));
  GHashTableIter iter;
  char *name;
  double *value, squares = 0;

  for (guint i = 0; i < words->len; i++)
    add_word (table, words, i);
  for (guint i = 0; i < concepts->len; i++)
    add_concept (table, concepts, i);
  add_whole (table, self, words, concepts);
  g_array_set_clear_func (features, feature_clear);
  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &value))
    squares += *value * *value;
  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, (gpointer *) &name, (gpointer *) &value))
    {
      ShardwiseAskFeature feature = { g_strdup (name), *value / sqrt (squares) };

      g_array_append_val (features, feature);
    }
  return features;
}

/* What a question is after: the intent that its features speak for most. */

enum {
  FEW = 5,   /* words up to which what is named says what is asked: "64 H200?" */
  DENIED = 4 /* words over which "than" reaches */
};

/* The longest phrase of @kind anywhere: its target. */
static char *
find_target (const ShardwiseAskReader *self, ShardwiseAskKind kind)
{
  GPtrArray *phrases = shardwise_ask_vocabulary_phrases (self->vocabulary, kind);
  const ShardwiseAskPhrase *best = NULL;
  guint longest = 0;

  for (guint i = 0; i < phrases->len; i++)
    for (guint at = 0; at < self->atoms->len; at++)
      {
        guint length = shardwise_ask_match (self, g_ptr_array_index (phrases, i), at);

        if (length > longest)
          {
            longest = length;
            best = g_ptr_array_index (phrases, i);
          }
      }
  return best != NULL ? g_strdup (best->target) : NULL;
}

/* Nothing says what is asked, but something is named: change it, explain it, or say of a goal that
 * stands alone what is asked of it: "time on this cluster?". */
static void
guess (ShardwiseAskReader *self)
{
  static const struct {
    const char *goal;
    ShardwiseIntent intent;
  } intents[] = {
    { "memory", SHARDWISE_INTENT_MEMORY }, { "speed", SHARDWISE_INTENT_THROUGHPUT },
    { "cost", SHARDWISE_INTENT_COST },     { "time", SHARDWISE_INTENT_TIME },
    { "bubble", SHARDWISE_INTENT_LIMIT },  { "communication", SHARDWISE_INTENT_LIMIT },
  };
  ShardwiseQuestion *question = self->question;
  gboolean has_side = FALSE;

  for (guint i = 0; i < question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (question->slots, i);

      has_side = has_side || (slot->side == 1 && slot->value != NULL);
    }
  question->intent = SHARDWISE_INTENT_UNKNOWN;
  if (has_side)
    question->intent = SHARDWISE_INTENT_COMPARE;
  else if (shardwise_question_has_values (question, 0))
    question->intent = SHARDWISE_INTENT_WHAT_IF;
  else if (question->term != NULL)
    question->intent = SHARDWISE_INTENT_DEFINE;
  else
    for (guint i = 0; question->goal != NULL && i < G_N_ELEMENTS (intents); i++)
      if (g_str_equal (intents[i].goal, question->goal))
        question->intent = intents[i].intent;
  question->confidence = question->intent == SHARDWISE_INTENT_UNKNOWN ? 0 : 0.4;
}

/* Only some questions hold one thing against another: "not enough memory with TP 8" does not. What
 * such a question is not about is dropped: "full, no LoRA", and of a slow job what it is held
 * against: "slower than one node". */
static void
forget_sides (ShardwiseAskReader *self)
{
  static const gboolean compares[SHARDWISE_N_INTENTS] = {
    [SHARDWISE_INTENT_WHY] = TRUE,     [SHARDWISE_INTENT_WHAT_IF] = TRUE,
    [SHARDWISE_INTENT_COMPARE] = TRUE, [SHARDWISE_INTENT_FITS] = TRUE,
    [SHARDWISE_INTENT_BEST] = TRUE,    [SHARDWISE_INTENT_HOW_TO] = TRUE,
    [SHARDWISE_INTENT_COST] = TRUE,    [SHARDWISE_INTENT_THROUGHPUT] = TRUE,
  };
  ShardwiseQuestion *question = self->question;

  for (guint i = question->slots->len; i > 0 && !compares[question->intent]; i--)
    {
      ShardwiseAskSlot *slot = g_ptr_array_index (question->slots, i - 1);
      gboolean is_count = g_str_equal (slot->path, shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPUS))
                          || g_str_equal (slot->path, "nodes"),
               is_denied = slot->at > 0 && slot->side == 1
                           && shardwise_ask_is_mark (self, slot->at - 1, "instead");

      if (question->intent == SHARDWISE_INTENT_SLOW && is_count)
        for (guint at = slot->at; at > 0 && slot->at - at < DENIED; at--)
          is_denied = is_denied || shardwise_ask_is_mark (self, at - 1, "over");
      if (is_denied)
        g_ptr_array_remove_index (question->slots, i - 1);
      else
        slot->side = 0;
    }
}

/**
 * shardwise_ask_read_intent:
 * @self: a reader whose slots are read; sets intent, confidence, term and goal of its question
 */
void
shardwise_ask_read_intent (ShardwiseAskReader *self)
{
  ShardwiseQuestion *question = self->question;
  g_autoptr (GArray) features = shardwise_ask_features (self);
  double shares[SHARDWISE_N_INTENTS];
  guint best = SHARDWISE_INTENT_UNKNOWN;

  question->term = find_target (self, SHARDWISE_ASK_TERM);
  question->goal = find_target (self, SHARDWISE_ASK_GOAL);
  shardwise_ask_weigh (features, shares);
  for (guint i = 1; i < SHARDWISE_N_INTENTS; i++)
    if (shares[i] > shares[best])
      best = i;
  question->intent = (ShardwiseIntent) best;
  question->confidence = best == SHARDWISE_INTENT_UNKNOWN ? 0 : shares[best];
  if (best == SHARDWISE_INTENT_UNKNOWN && self->atoms->len <= FEW)
    guess (self);
  forget_sides (self);
}

/**
 * shardwise_ask_read_topic:
 * @self: a reader whose question is after a fault; sets its term to what kind of fault
 */
void
shardwise_ask_read_topic (ShardwiseAskReader *self)
{
  g_free (self->question->term);
  self->question->term = find_target (self, SHARDWISE_ASK_TOPIC);
}
