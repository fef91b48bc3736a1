/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a question is after: the concepts of its words (data/catalogue/ask-*.ini), and rules over
 * them, of which the first decides whose concepts are all there. */
#include "shardwise-ask-intent.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-asking.h"
#include "shardwise-key.h"
#include "shardwise-terms.h"

enum {
  SHORT = 6,
  GIVEN_REACH = 3,  /* words over which "on" and "for" give what a question is about */
  LEAST_LETTERS = 3 /* of a word that says something */
};

#define SURE 0.8 /* rules from which on strange words beside do not matter */

/* ---- what is there ---- */

/* Whether a phrase stands in the sentence that asks, where there is one; not in a name: "A100 80 GB" speaks of no
 * memory. */
static gboolean
stands (const ShardwiseAskReader *self, const ShardwiseAskPhrase *phrase, gboolean in_asking)
{
  for (guint i = 0; i < self->atoms->len; i++)
    if ((!in_asking || shardwise_atom (self->atoms, i)->asked)
        && (phrase->kind != SHARDWISE_ASK_CONCEPT
            || (self->used[i] != SHARDWISE_ASK_GPU && self->used[i] != SHARDWISE_ASK_MODEL))
        && shardwise_ask_match (self, phrase, i) > 0)
      return TRUE;
  return FALSE;
}

static void
add_concepts (const ShardwiseAskReader *self, GHashTable *found)
{
  GPtrArray *phrases = shardwise_ask_vocabulary_phrases (self->vocabulary, SHARDWISE_ASK_CONCEPT);
  gboolean asks = FALSE;

  for (guint i = 0; i < self->atoms->len; i++)
    asks = asks || shardwise_atom (self->atoms, i)->asked;
  for (guint i = 0; i < phrases->len; i++)
    {
      const ShardwiseAskPhrase *phrase = g_ptr_array_index (phrases, i);

      if (!g_hash_table_contains (found, phrase->target)
          && stands (self, phrase, asks && phrase->number > 0))
        g_hash_table_add (found, g_strdup (phrase->target));
    }
}

/* Whether a slot follows "without" or "not" at once. */
static gboolean
is_denied (const ShardwiseAskReader *self, const ShardwiseAskSlot *slot)
{
  return slot->side > 0 && slot->at > 0 && shardwise_ask_is_mark (self, slot->at - 1, "instead");
}

/* Whether a slot is of a way to split the work: TP, ZeRO, a framework. */
static gboolean
is_way (const ShardwiseAskSlot *slot)
{
  static const ShardwiseKeyId ways[] = {
    SHARDWISE_KEY_STRATEGY_TP,
    SHARDWISE_KEY_STRATEGY_PP,
    SHARDWISE_KEY_STRATEGY_CP,
    SHARDWISE_KEY_STRATEGY_EP,
    SHARDWISE_KEY_STRATEGY_DP,
    SHARDWISE_KEY_STRATEGY_ZERO_STAGE,
    SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL,
    SHARDWISE_KEY_TRAINING_FRAMEWORK,
  };
  gboolean is_one = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    is_one = is_one || slot->key == ways[i];
  return is_one;
}

static guint
scope_of (const char *topic)
{
  const ShardwiseTerm *term = shardwise_term_find (topic);

  return term != NULL ? term->scope : 0;
}

static void
add_named (const ShardwiseAskReader *self, GHashTable *found)
{
  static const struct {
    const char *prefix, *name;
  } classes[] = {
    { "strategy.", "<split>" },     { "measured.", "<rate>" },    { "cluster.gpu", "<nodes>" },
    { "days", "<days>" },           { "budget", "<money>" },      { "cost.price", "<money>" },
    { "model.", "<job>" },          { "training.type", "<job>" }, { "said.change", "<change>" },
    { "model.layers", "<layers>" },
  };
  const ShardwiseQuestion *question = self->question;
  const ShardwiseAskSlot *slot;

  for (guint i = 0; (slot = shardwise_question_slot (question, i)) != NULL; i++)
    {
      const gboolean has_value = slot->value != NULL || slot->factor > 0;

      for (guint k = 0; k < G_N_ELEMENTS (classes); k++)
        if (g_str_has_prefix (slot->path, classes[k].prefix))
          g_hash_table_add (found, g_strdup (classes[k].name));
      if (has_value && slot->key != SHARDWISE_KEY_NONE)
        g_hash_table_add (found, g_strdup ("<value>"));
      if (slot->side > 0 && !g_str_has_prefix (slot->path, "said."))
        g_hash_table_add (found, g_strdup ("<two>"));
      if (is_denied (self, slot))
        g_hash_table_add (found, g_strdup ("<denied>"));
      for (guint j = 0; is_way (slot) && j < i; j++)
        {
          const ShardwiseAskSlot *other = shardwise_question_slot (question, j);

          if (is_way (other) && other->side != slot->side && other->key != slot->key)
            g_hash_table_add (found, g_strdup ("<ways>"));
        }
    }
  if (question->topics->len > 0)
    g_hash_table_add (found, g_strdup ("<term>"));
  for (guint i = 0; i < question->topics->len; i++)
    {
      const char *topic = g_ptr_array_index (question->topics, i);
      const guint scope = scope_of (topic);

      g_hash_table_add (found, g_strconcat ("topic:", topic, NULL));
      if (scope & SHARDWISE_TERM_OF_TIME)
        g_hash_table_add (found, g_strdup ("<of-time>"));
      if (scope != 0)
        g_hash_table_add (found, g_strdup ("<explains>"));
    }
  if (question->goal != NULL)
    g_hash_table_add (found, g_strdup ("<goal>"));
  if (question->goal != NULL && g_str_has_prefix (question->goal, "largest"))
    g_hash_table_add (found, g_strdup ("largest-that"));
  if (self->atoms->len <= SHORT)
    g_hash_table_add (found, g_strdup ("<short>"));
}

/* "a/b": one of them. */
static gboolean
has_one (GHashTable *found, const char *names)
{
  g_auto (GStrv) parts = g_strsplit (names, "/", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    if (g_hash_table_contains (found, parts[i]))
      return TRUE;
  return FALSE;
}

static gboolean
applies (const char *rule, GHashTable *found)
{
  g_auto (GStrv) needs = g_strsplit (rule, " ", -1);

  for (guint i = 0; needs[i] != NULL; i++)
    if (*needs[i] == '!' ? g_hash_table_contains (found, needs[i] + 1) : !has_one (found, needs[i]))
      return FALSE;
  return TRUE;
}

/* ---- what is asked ---- */

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

/* All that can be explained: what explains an observation before mere words, what is named by most
 * words first. */
static int
compare_topics (gconstpointer a, gconstpointer b)
{
  const gboolean x = scope_of (*(char *const *) a) != 0, y = scope_of (*(char *const *) b) != 0;

  return (int) y - (int) x;
}

static void
find_topics (ShardwiseAskReader *self)
{
  GPtrArray *phrases = shardwise_ask_vocabulary_phrases (self->vocabulary, SHARDWISE_ASK_TERM);
  GPtrArray *topics = self->question->topics;

  for (guint want = SHORT; want > 0; want--)
    for (guint i = 0; i < phrases->len; i++)
      {
        const ShardwiseAskPhrase *phrase = g_ptr_array_index (phrases, i);

        if (MIN (phrase->words->len, SHORT) == want && stands (self, phrase, FALSE)
            && !g_ptr_array_find_with_equal_func (topics, phrase->target, g_str_equal, NULL))
          g_ptr_array_add (topics, g_strdup (phrase->target));
      }
  g_ptr_array_sort (topics, compare_topics); /* stable, as GLib's is */
}

/* Marks the atoms of all phrases that say something. */
static void
hear (const ShardwiseAskReader *self, guint8 *heard)
{
  for (guint k = 0; k < SHARDWISE_ASK_RULE; k++)
    {
      GPtrArray *phrases = shardwise_ask_vocabulary_phrases (self->vocabulary,
                                                             (ShardwiseAskKind) k);

      for (guint i = 0; i < phrases->len; i++)
        for (guint at = 0; at < self->atoms->len; at++)
          memset (heard + at, TRUE, shardwise_ask_match (self, g_ptr_array_index (phrases, i), at));
    }
}

/* Whether a word is written as a name is: "DoRA", "MMLU". */
static gboolean
is_name (const char *text, const char *word)
{
  const gsize length = strlen (word);
  gsize capitals = 0;

  while (*text != '\0' && g_ascii_strncasecmp (text, word, length) != 0)
    text++;
  for (gsize i = 1; *text != '\0' && i < length; i++)
    capitals += g_ascii_isupper (text[i]) ? 1 : 0;
  return capitals > 0;
}

static void
add_word (GString *list, const char *word)
{
  g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", word);
}

/* Leaves out the words that nothing heard, names among them. Returns the share of the words that are known. */
static double
leave_unheard (ShardwiseAskReader *self, GString *unheard, GString *names)
{
  g_autofree guint8 *heard = g_malloc0 (self->atoms->len + 1);
  guint all = 0, strange = 0;

  hear (self, heard);
  for (guint i = 0; i < self->atoms->len; i++)
    {
      const ShardwiseAtom *atom = shardwise_atom (self->atoms, i);

      if (atom->is_number)
        continue;
      all++;
      if (heard[i] || !shardwise_ask_is_free (self, i))
        continue;
      strange += !shardwise_ask_vocabulary_knows (self->vocabulary, atom->text);
      if (strlen (atom->text) < LEAST_LETTERS
          || shardwise_ask_vocabulary_is_filler (self->vocabulary, atom->text))
        continue;
      add_word (unheard, atom->text);
      if (is_name (self->question->text, atom->text)
          || (i > 0 && shardwise_ask_is_mark (self, i - 1, "asks")))
        add_word (names, atom->text);
      shardwise_ask_leave_out (self, i, 1, _ ("an unknown word"));
    }
  return all > 0 ? 1 - (double) strange / all : 1;
}

/* Appends what the words are of that no model of training knows: benchmarks, serving, what is no language
 * model. */
static void
add_outside (const ShardwiseAskReader *self, GString *words)
{
  for (guint i = 0, length; i < self->atoms->len; i += MAX (length, 1))
    {
      shardwise_ask_match_any (self, SHARDWISE_ASK_OUTSIDE, i, &length);
      for (guint k = i; k < i + length; k++)
        g_string_append_printf (words, "%s%s",
                                words->len == 0 ? ""
                                : k == i        ? ", "
                                                : " ",
                                shardwise_atom (self->atoms, k)->text);
    }
}

/* Whether the answers of a kind pass over a concept, by the table: "how many GPUs" tells no money; "mention": what
 * is named without a value. */
static gboolean
passes_over (const ShardwiseAskReader *self, const char *concept)
{
  GPtrArray *untold = shardwise_ask_vocabulary_phrases (self->vocabulary, SHARDWISE_ASK_UNTOLD);
  const char *intent = shardwise_intent_names[self->question->intent];

  for (guint i = 0; i < untold->len; i++)
    {
      const ShardwiseAskPhrase *phrase = g_ptr_array_index (untold, i);

      if (g_str_equal (phrase->target, intent)
          && g_str_equal (g_ptr_array_index (phrase->words, 0), concept))
        return TRUE;
    }
  return FALSE;
}

/* Appends the first word of what else is asked and the answer would pass over. */
static void
add_untold (const ShardwiseAskReader *self, GString *words)
{
  GPtrArray *phrases = shardwise_ask_vocabulary_phrases (self->vocabulary, SHARDWISE_ASK_CONCEPT);

  for (guint k = 0; k < phrases->len; k++)
    {
      const ShardwiseAskPhrase *phrase = g_ptr_array_index (phrases, k);

      for (guint i = 0; i < self->atoms->len && passes_over (self, phrase->target); i++)
        if ((shardwise_ask_is_free (self, i) || self->used[i] == SHARDWISE_ASK_KEY)
            && shardwise_ask_match (self, phrase, i) > 0
            && strstr (words->str, shardwise_atom (self->atoms, i)->text) == NULL)
          add_word (words, shardwise_atom (self->atoms, i)->text);
    }
}

/* What stands in the way of an answer: what no model of training knows; names that nothing knows, and figures
 * that nothing explains, where no observation is told; words beside a rule that little speaks for. Returns
 * (transfer full) (nullable). */
static char *
missed (const ShardwiseAskReader *self, GHashTable *found, const char *unheard, const char *names)
{
  const ShardwiseQuestion *question = self->question;
  const ShardwiseIntent intent = question->intent;
  /* Who tells what was seen has figures of it. */
  const gboolean tells = intent == SHARDWISE_INTENT_OOM || intent == SHARDWISE_INTENT_SLOW
                         || intent == SHARDWISE_INTENT_FAULT
                         || (intent == SHARDWISE_INTENT_LIMIT && !has_one (found, "<value>"))
                         || (intent == SHARDWISE_INTENT_HOW_TO
                             && g_strcmp0 (question->goal, "memory") == 0)
                         || has_one (found, "cause/claim/count-claim/observe")
                         || (question->confidence >= SURE && has_one (found, "<explains>")
                             && !passes_over (self, "mention"));
  g_autoptr (GString) words = g_string_new (NULL);

  add_outside (self, words);
  if (!tells)
    add_untold (self, words);
  if (*names != '\0' && !has_one (found, "oom/software/trouble/observe"))
    add_word (words, names);
  for (guint i = 0; !tells && i < question->left_out->len; i++)
    {
      const ShardwiseAskLeftOut *left = g_ptr_array_index (question->left_out, i);

      if (left->is_figure)
        add_word (words, left->words);
    }
  /* Two measured steps are a comparison that nothing here makes. */
  if (shardwise_question_number (question, "measured.step_s") > 0
      && shardwise_question_number (question, "said.time") > 0)
    add_word (words, _ ("two durations"));
  /* A deadline is a date. */
  if (intent == SHARDWISE_INTENT_GPUS && shardwise_question_number (question, "days") > 0
      && shardwise_question_number (question, "days") < 1)
    add_word (words, _ ("less than a day"));
  for (guint i = 0; i < question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = shardwise_question_slot (question, i);

      const gboolean is_split = g_str_has_prefix (slot->path, "strategy."),
                     is_mention = slot->value == NULL && slot->factor <= 0;

      /* "What limits the batch size" is no question about time. */
      if (slot->key != SHARDWISE_KEY_NONE
          && (!tells
              || (intent == SHARDWISE_INTENT_LIMIT && g_str_has_prefix (slot->path, "training.")))
          && ((is_mention
               && (slot->side > 0
                       ? !is_split
                       : passes_over (self, "mention") && !has_one (found, "largest-that")))
              /* "Mix A100 and H100" */
              || (intent == SHARDWISE_INTENT_ALLOWED && slot->side > 0 && !is_split)))
        add_word (words, _ (shardwise_key_get (slot->key)->title));
    }
  if (*unheard != '\0' && words->len == 0 && question->unknown_gpu == NULL
      && ((question->confidence < SURE && !(has_one (found, "<job>") && has_one (found, "<nodes>")))
          || intent == SHARDWISE_INTENT_WHY
          || (!tells && intent != SHARDWISE_INTENT_DEFINE
              && !(intent == SHARDWISE_INTENT_WHAT_IF
                       ? shardwise_question_states (question, 0, TRUE)
                             || shardwise_question_states (question, 1, TRUE)
                       : shardwise_question_states (question, 0, FALSE)
                             || shardwise_question_states (question, 1, FALSE)))))
    add_word (words, unheard);
  return words->len > 0 ? g_strdup (words->str) : NULL;
}

/* Whether anything is named, or meant, that has to do with training on GPUs. */
static gboolean
is_of_field (const ShardwiseQuestion *question, GHashTable *found)
{
  return has_one (found, "hardware/memory/oom/training-run/speed/step-time/split-dim/comm/bubble/"
                         "strategy/bottleneck/gpu-hours/trouble/numerics/software")
         || question->slots->len > 0 || question->topics->len > 0 || question->goal != NULL;
}

/* Who asks what to do instead does not wish for what was tried: where the sentence of the trial
 * begins; G_MAXUINT: there is none. */
static guint
trial (const ShardwiseAskReader *self, GHashTable *found)
{
  guint begins = 0;

  if (self->question->intent != SHARDWISE_INTENT_BEST || !g_hash_table_contains (found, "tried"))
    return G_MAXUINT;
  for (guint i = 0; i < self->atoms->len; i++)
    {
      if (shardwise_atom (self->atoms, i)->begins)
        begins = i;
      if (shardwise_ask_is_mark (self, i, "tried"))
        return begins;
    }
  return G_MAXUINT;
}

/* What the kind of the question gives no sense to: what is denied ("full, no LoRA") and factors ("a larger
 * micro-batch is slower" doubles none) where nothing is held against another; other clusters where ways
 * to split are compared on the same GPUs; what was tried. */
static void
forget_slots (ShardwiseAskReader *self, GHashTable *found)
{
  GPtrArray *slots = self->question->slots;
  const ShardwiseIntent intent = self->question->intent;
  const gboolean changes = intent == SHARDWISE_INTENT_WHAT_IF || intent == SHARDWISE_INTENT_COMPARE,
                 compares = changes || intent == SHARDWISE_INTENT_HOW_TO
                            || intent == SHARDWISE_INTENT_WHY || intent == SHARDWISE_INTENT_BEST
                            || intent == SHARDWISE_INTENT_SLOW,
                 is_of_ways = intent == SHARDWISE_INTENT_COMPARE
                              && g_hash_table_contains (found, "<ways>");
  const guint tried = trial (self, found);

  for (guint i = slots->len; i > 0; i--)
    {
      ShardwiseAskSlot *slot = g_ptr_array_index (slots, i - 1);
      const gboolean is_off = !compares && is_denied (self, slot),
                     is_cluster = is_of_ways && slot->side > 0
                                  && g_str_has_prefix (slot->path, "cluster."),
                     is_tried = slot->at >= tried && g_str_has_prefix (slot->path, "strategy.");

      for (guint back = 1; has_one (found, "benefit") && back <= MIN (slot->at, GIVEN_REACH);
           back++)
        slot->given = slot->given
                      || ((g_str_has_prefix (slot->path, "model.")
                           || g_str_has_prefix (slot->path, "cluster.gpu")
                           || slot->key == SHARDWISE_KEY_TRAINING_TYPE)
                          && shardwise_ask_is_mark (self, slot->at - back, "given"));
      if (is_cluster)
        /* What a network is said to carry is not passed over. */
        shardwise_ask_leave_out (self, slot->at, 2, _ ("the ways are compared on the same GPUs"))
            ->is_figure = g_str_has_prefix (slot->path, "cluster.int");
      else if (is_tried && slot->at > 0)
        shardwise_ask_leave_out (self, slot->at - 1, 2, _ ("what was tried, not what is wished"));
      /* "Without TP" is TP 1. */
      if (is_off && intent == SHARDWISE_INTENT_ALLOWED && slot->value == NULL
          && shardwise_key_get (slot->key)->kind == SHARDWISE_KIND_INTEGER)
        slot->value = g_variant_ref_sink (g_variant_new_int64 (1));
      else if (is_off || is_cluster || is_tried)
        g_ptr_array_remove_index (slots, i - 1);
      else if (!changes)
        slot->factor = 0;
    }
  /* What is left are several values of one key, or one. */
  for (guint i = 0; i < slots->len && !compares; i++)
    {
      ShardwiseAskSlot *slot = g_ptr_array_index (slots, i);

      slot->side = 0;
      for (guint j = 0; j < i; j++)
        slot->side += g_str_equal (shardwise_question_slot (self->question, j)->path, slot->path);
    }
}

/* Who asks whether something fits "on a 3090" has one of them; "what if I use an H200" replaces all. */
static void
read_article (ShardwiseAskReader *self)
{
  const ShardwiseAskSlot *gpu = shardwise_question_find (self->question, SHARDWISE_KEY_CLUSTER_GPU,
                                                         0);

  if (self->question->intent == SHARDWISE_INTENT_FITS && gpu != NULL && gpu->at > 0
      && !shardwise_question_names (self->question, SHARDWISE_KEY_CLUSTER_GPUS, -1)
      && shardwise_ask_is_mark (self, gpu->at - 1, "article"))
    shardwise_ask_add_number (self, shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPUS), 1, NAN,
                              gpu->at);
}

/* @self: a reader whose slots are read; sets intent, confidence, topics and goal of its question. */
void
shardwise_ask_read_intent (ShardwiseAskReader *self)
{
  ShardwiseQuestion *question = self->question;
  g_autoptr (GHashTable) found = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GPtrArray *rules = shardwise_ask_vocabulary_phrases (self->vocabulary, SHARDWISE_ASK_RULE);
  const ShardwiseAskPhrase *rule = NULL;
  g_autoptr (GString) unheard = g_string_new (NULL), names = g_string_new (NULL);
  const double known = leave_unheard (self, unheard, names);

  find_topics (self);
  question->goal = find_target (self, SHARDWISE_ASK_GOAL);
  add_concepts (self, found);
  add_named (self, found);
  question->intent = SHARDWISE_INTENT_UNKNOWN;
  for (guint i = 0; i < rules->len && rule == NULL; i++)
    if (applies (((const ShardwiseAskPhrase *) g_ptr_array_index (rules, i))->target, found))
      rule = g_ptr_array_index (rules, i);
  if (rule != NULL)
    {
      question->intent = (ShardwiseIntent) sw_name_index (shardwise_intent_names, rule->value);
      question->confidence = rule->number * MIN (1, 0.4 + known);
      /* Nothing speaks of training: "how long is the flight". */
      if (known < 1 && !is_of_field (question, found))
        question->confidence /= 2;
    }
  if (question->intent == SHARDWISE_INTENT_FAULT)
    {
      g_autofree char *topic = g_hash_table_contains (found, "drift")
                                   ? g_strdup ("drift")
                                   : find_target (self, SHARDWISE_ASK_TOPIC);

      g_ptr_array_set_size (question->topics, 0);
      g_ptr_array_add (question->topics, g_strdup (topic != NULL ? topic : "software"));
    }
  forget_slots (self, found);
  read_article (self);
  if (rule != NULL)
    question->missed = missed (self, found, unheard->str, names->str);
}
