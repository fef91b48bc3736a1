/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of a question says what it is after: its words, their stems, two and three of them in a row
 * or near each other, how its sentences begin, and what it names. What is named is reduced to its
 * class ("<gpu>", "<model>", "<split>", "<n>"), so that a weight learnt on one GPU holds for all.
 */
#include "shardwise-ask-features.h"

#include <math.h>
#include <string.h>

#include "shardwise-ask-private.h"

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

static const ShardwiseAskSlot *
slot_at (const ShardwiseAskReader *self, guint at)
{
  for (guint i = 0; i < self->question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->question->slots, i);

      if (slot->at == at)
        return slot;
    }
  return NULL;
}

/* The class of what is named at @at; %NULL: the word counts as it is. */
static const char *
class_at (const ShardwiseAskReader *self, guint at)
{
  const ShardwiseAskSlot *slot;

  if (self->used[at] == SHARDWISE_ASK_GPU)
    return "<gpu>";
  if (self->used[at] == SHARDWISE_ASK_MODEL)
    return "<model>";
  slot = shardwise_ask_is_free (self, at) ? NULL : slot_at (self, at);
  if (slot != NULL)
    {
      static const struct {
        const char *prefix, *name;
      } classes[] = {
        { "strategy.", "<split>" },    { "measured.", "<rate>" },
        { "cluster.gpus", "<count>" }, { "nodes", "<count>" },
        { "days", "<days>" },          { "budget", "<budget>" },
        { "cost.price", "<price>" },   { "cluster.gpu_mem", "<gb>" },
        { "cluster.int", "<net>" },    { "training.tok", "<tok>" },
        { "training.seq", "<seq>" },   { "model.par", "<size>" },
        { "training.fra", "<frame>" }, { "training.pre", "<format>" },
      };

      for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
        if (g_str_has_prefix (slot->path, classes[i].prefix))
          return classes[i].name;
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

/* The longest phrase of one meaning at @at. */
static const ShardwiseAskPhrase *
concept_at (const ShardwiseAskReader *self, guint at, guint *length)
{
  GPtrArray *phrases = shardwise_ask_vocabulary_phrases (self->vocabulary, SHARDWISE_ASK_CONCEPT);
  const ShardwiseAskPhrase *best = NULL;

  *length = 0;
  for (guint i = 0; i < phrases->len; i++)
    {
      guint found = shardwise_ask_match (self, g_ptr_array_index (phrases, i), at);

      if (found > *length)
        {
          best = g_ptr_array_index (phrases, i);
          *length = found;
        }
    }
  return best;
}

/* The same as read_words(), of meanings and classes alone. */
static GArray *
read_concepts (const ShardwiseAskReader *self)
{
  GArray *words = g_array_new (FALSE, FALSE, sizeof (Word));
  gboolean any = asks (self), begins = FALSE;
  guint length;

  for (guint i = 0; i < self->atoms->len && words->len < MOST_WORDS; i += MAX (length, 1))
    {
      const ShardwiseAskAtom *atom = shardwise_ask_atom (self->atoms, i);
      const ShardwiseAskPhrase *concept = concept_at (self, i, &length);
      const char *name = concept != NULL ? concept->target : class_at (self, i);
      Word word = { name, any && !atom->asked ? BESIDE : 1, begins || atom->begins, TRUE };

      begins = word.begins;
      if (name == NULL || (concept == NULL && is_same_name (self, i)))
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

static void
add_word (GHashTable *features, const Word *word)
{
  gsize length = strlen (word->text);

  add (features, word->weight, g_strdup_printf ("w:%s", word->text));
  if (!word->is_class && length > STEM)
    add (features, 0.7 * word->weight, g_strdup_printf ("p:%.*s", STEM, word->text));
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

static void
add_beginning (GHashTable *features, GArray *words, guint at)
{
  const Word *word = word_at (words, at);

  add (features, word->weight, g_strdup_printf ("^%s", word->text));
  if (at + 1 < words->len)
    add (features, word->weight,
         g_strdup_printf ("^%s %s", word->text, word_at (words, at + 1)->text));
}

static void
add_neighbours (GHashTable *features, GArray *words, guint at)
{
  const Word *word = word_at (words, at);

  for (guint i = at + 1; i < words->len && i <= at + NEARBY; i++)
    {
      const Word *next = word_at (words, i);
      double weight = MIN (word->weight, next->weight);

      if (next->begins)
        return;
      if (i == at + 1)
        add (features, weight, g_strdup_printf ("b:%s %s", word->text, next->text));
      else
        add (features, 0.6 * weight, g_strdup_printf ("s:%s %s", word->text, next->text));
      if (i == at + 2)
        add (features, 0.8 * weight,
             g_strdup_printf ("t:%s %s %s", word->text, word_at (words, at + 1)->text, next->text));
    }
}

/* Whether anything in it is of the field: what is not may be worded alike, and is no question here.
 */
static gboolean
is_of_field (const ShardwiseAskReader *self, GArray *concepts)
{
  static const char *const field[] = {
    "memory", "oom",   "speed",        "step-time", "bottleneck", "hardware",  "comm",
    "bubble", "scale", "trouble",      "gpu-hours", "numerics",   "split-dim", "train-it",
    "faster", "slow",  "training-run", "strategy",  "split",      "inference", NULL
  };

  if (self->question->slots->len > 0)
    return TRUE;
  for (guint i = 0; i < concepts->len; i++)
    if (g_strv_contains (field, word_at (concepts, i)->text))
      return TRUE;
  return FALSE;
}

/* The share of words that no table has. */
static double
strangeness (const ShardwiseAskReader *self)
{
  guint words = 0, strange = 0;

  for (guint i = 0; i < self->atoms->len; i++)
    {
      const ShardwiseAskAtom *atom = shardwise_ask_atom (self->atoms, i);

      if (atom->is_number)
        continue;
      words++;
      if (shardwise_ask_is_free (self, i)
          && !shardwise_ask_vocabulary_knows (self->vocabulary, atom->text))
        strange++;
    }
  return words > 0 ? (double) strange / words : 0;
}

/* What is named in the question as a whole, and how long it is. */
static void
add_whole (GHashTable *features, const ShardwiseAskReader *self, GArray *words, GArray *concepts)
{
  const ShardwiseQuestion *question = self->question;
  gboolean against = FALSE, valued = FALSE;

  for (guint i = 0; i < question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (question->slots, i);

      add (features, 0.5, g_strdup_printf ("n:%s%s", slot->path, slot->value != NULL ? "=" : ""));
      against = against || slot->side == 1;
      valued = valued || slot->value != NULL;
    }
  if (against)
    add (features, 1, g_strdup ("h:against"));
  if (valued)
    add (features, 0.5, g_strdup ("h:valued"));
  if (question->slots->len == 0)
    add (features, 0.5, g_strdup ("h:nothing"));
  if (!is_of_field (self, concepts))
    add (features, 1.5, g_strdup ("h:foreign"));
  if (strangeness (self) > 0)
    add (features, 3 * strangeness (self), g_strdup ("h:strange"));
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

  for (guint i = 0; i < words->len; i++)
    {
      add_word (table, word_at (words, i));
      add_neighbours (table, words, i);
      if (word_at (words, i)->begins)
        add_beginning (table, words, i);
    }
  for (guint i = 0; i < concepts->len; i++)
    add_concept (table, concepts, i);
  add_whole (table, self, words, concepts);

  GArray *features = g_array_new (FALSE, FALSE, sizeof (ShardwiseAskFeature));
  GHashTableIter iter;
  char *name;
  double *value, squares = 0;

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
