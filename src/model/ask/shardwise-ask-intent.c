/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The intent of a question: the first rule (data/catalogue/ask-*.ini) whose concepts are all present. */
#include "shardwise-ask-intent.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-key.h"
#include "shardwise-terms.h"

enum {
  SHORT = 6,
  GIVEN_REACH = 3,  /* words over which "on" and "for" give what a question is about */
  MOST_STRANGE = 2, /* unknown words beside which a question is answered, */
  STRANGE_SHARE = 4 /* if they are no more than one in four */
};

#define STRONG 0.8       /* of a rule: unknown words beside it change nothing */
#define WITH_STRANGE 0.6 /* confidence that is left */

/* ---- what is there ---- */

/* The words that say @name, TRUE at each atom; made where there are none yet. */
static guint8 *
words_of (const ShardwiseAskReader *self, GHashTable *found, const char *name)
{
  guint8 *words = g_hash_table_lookup (found, name);

  if (words == NULL)
    {
      words = g_malloc0 (self->atoms->len + 1);
      g_hash_table_insert (found, g_strdup (name), words);
    }
  return words;
}

/* Marks under @name the words of a phrase outside names of models and GPUs. Returns whether it occurs. */
static gboolean
note_phrase (const ShardwiseAskReader *self, GHashTable *found, const char *name,
             const ShardwiseAskPhrase *phrase, gboolean in_asking)
{
  gboolean stands = FALSE;

  for (guint i = 0; i < self->atoms->len; i++)
    if ((!in_asking || shardwise_atom (self->atoms, i)->asked)
        && (phrase->kind != SHARDWISE_ASK_CONCEPT
            || (self->used[i] != SHARDWISE_ASK_GPU && self->used[i] != SHARDWISE_ASK_MODEL))
        && shardwise_ask_match (self, phrase, i) > 0)
      {
        shardwise_ask_note (self, phrase, i, words_of (self, found, name));
        stands = TRUE;
      }
  return stands;
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

      note_phrase (self, found, phrase->target, phrase, asks && phrase->number > 0);
    }
  for (guint i = 0; i < self->atoms->len; i++)
    if (shardwise_atom (self->atoms, i)->begins && (!asks || shardwise_atom (self->atoms, i)->asked)
        && shardwise_ask_is_mark (self, i, "yes-no"))
      words_of (self, found, "<yes-no>")[i] = TRUE;
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
  return (slot->key >= SHARDWISE_KEY_STRATEGY_TP && slot->key <= SHARDWISE_KEY_STRATEGY_ZERO_STAGE)
         || slot->key == SHARDWISE_KEY_TRAINING_FRAMEWORK;
}

static guint
scope_of (const char *topic)
{
  const ShardwiseTerm *term = shardwise_term_find (topic);

  return term != NULL ? term->scope : 0;
}

/* What paths are called in rules, and what an answer must use to account for their slots. */
static const struct {
  const char *prefix, *name, *use; /* (nullable) */
} classes[] = {
  { "measured.", "<rate>", "<rate>" }, { "budget", "<money>", "<budget>" },
  { "cost.", "<money>", "<money>" },   { "days", "<days>", "<days>" },
  { "said.memory", NULL, "<amount>" }, { "model.layers", "<job>", "<layers>" },
  { "strategy.", "<split>", NULL },    { "cluster.gpu", "<nodes>", NULL },
  { "model.", "<job>", NULL },         { "training.type", "<job>", NULL },
};

/* What an answer must use of a slot to account for it; "<value>" for a value of the job. */
static const char *
use_of (const ShardwiseAskReader *self, const ShardwiseAskSlot *slot)
{
  const gboolean is_split = shardwise_ask_splits (slot),
                 is_multiple = slot->value == NULL && slot->factor > 0;

  if (is_denied (self, slot) && slot->value == NULL)
    return "<denied>";
  /* Of two figures that were measured an answer knows one. */
  if (slot->side > 0 && g_str_has_prefix (slot->path, "measured."))
    return "<rates>";
  if (g_str_equal (slot->path, "days") && g_variant_get_double (slot->value) < 1)
    return "<hours>";
  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    if (classes[i].use != NULL && g_str_has_prefix (slot->path, classes[i].prefix)
        && (slot->value != NULL || slot->key == SHARDWISE_KEY_MODEL_LAYERS))
      return classes[i].use;
  if (slot->value == NULL)
    return is_multiple ? "<factor>" : is_split ? "<mention>" : "<name>";
  return slot->side == 0 ? "<value>" : is_split ? "<sides>" : "<two>";
}

static void
add_named (const ShardwiseAskReader *self, GHashTable *found)
{
  static const char *const between[] = { "over", "versus", "or", "between", "each", NULL };
  GPtrArray *marks = shardwise_ask_vocabulary_phrases (self->vocabulary, SHARDWISE_ASK_MARK);
  const ShardwiseQuestion *question = self->question;
  const ShardwiseAskSlot *slot;

  for (guint i = 0; (slot = shardwise_question_slot (question, i)) != NULL; i++)
    {
      for (guint at = slot->at; at < self->atoms->len; at++)
        if (at == slot->at || self->used[at] == SHARDWISE_ASK_KEY)
          words_of (self, found, use_of (self, slot))[at] = TRUE;
        else
          break;
      for (guint k = 0; k < G_N_ELEMENTS (classes); k++)
        if (classes[k].name != NULL && g_str_has_prefix (slot->path, classes[k].prefix))
          words_of (self, found, classes[k].name);
      if ((slot->value != NULL || slot->factor > 0) && slot->key != SHARDWISE_KEY_NONE
          && !g_str_has_prefix (slot->path, "cost."))
        words_of (self, found, "<value>");
      if (slot->side > 0 && !g_str_has_prefix (slot->path, "said."))
        words_of (self, found, "<two>");
      if (is_denied (self, slot))
        words_of (self, found, "<denied>")[slot->at - 1] = TRUE;
      for (guint j = 0; is_way (slot) && j < i; j++)
        {
          const ShardwiseAskSlot *other = shardwise_question_slot (question, j);

          if (is_way (other) && other->side != slot->side && other->key != slot->key)
            words_of (self, found, "<ways>");
        }
    }
  for (guint i = 0; i < question->topics->len; i++)
    {
      const char *topic = g_ptr_array_index (question->topics, i);
      const guint scope = scope_of (topic);
      g_autofree char *name = g_strconcat ("topic:", topic, NULL);

      words_of (self, found, name);
      if (scope & SHARDWISE_TERM_OF_TIME)
        words_of (self, found, "<of-time>");
    }
  if (question->goal != NULL && g_str_has_prefix (question->goal, "largest"))
    words_of (self, found, "largest-that");
  if (self->atoms->len <= SHORT)
    words_of (self, found, "<short>");
  for (guint i = 0; i < self->atoms->len; i++)
    if (self->used[i] == SHARDWISE_ASK_FACTOR)
      words_of (self, found, "<factor>")[i] = TRUE;
  for (guint i = 0; i < marks->len; i++)
    {
      const ShardwiseAskPhrase *mark = g_ptr_array_index (marks, i);

      if (g_str_equal (mark->target, "amount"))
        note_phrase (self, found, "<reported>", mark, FALSE);
      else if (g_strv_contains (between, mark->target))
        note_phrase (self, found, "<marks>", mark, FALSE);
      /* "Not" says something of what follows at once. */
      for (guint k = 0; g_str_equal (mark->target, "instead") && k < question->slots->len; k++)
        {
          slot = shardwise_question_slot (question, k);
          for (guint at = slot->at > 3 ? slot->at - 3 : 0; at < slot->at; at++)
            if (shardwise_ask_match (self, mark, at) > 0)
              shardwise_ask_note (self, mark, at, words_of (self, found, "<marks>"));
        }
    }
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
    if (*needs[i] == '!' ? g_hash_table_contains (found, needs[i] + 1)
                         : *needs[i] != '+' && !has_one (found, needs[i]))
      return FALSE;
  return TRUE;
}

/* ---- what is asked ---- */

/* The longest phrase of @kind anywhere: its target, noted under @name. */
static char *
find_target (const ShardwiseAskReader *self, ShardwiseAskKind kind, GHashTable *found,
             const char *name)
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
  if (best != NULL)
    note_phrase (self, found, name, best, FALSE);
  return best != NULL ? g_strdup (best->target) : NULL;
}

/* Finds the topics: those that explain an observation first, what is named by most words first. */
static void
find_topics (ShardwiseAskReader *self, GHashTable *found)
{
  GPtrArray *phrases = shardwise_ask_vocabulary_phrases (self->vocabulary, SHARDWISE_ASK_TERM);
  GPtrArray *topics = self->question->topics;

  for (guint want = 2 * SHORT; want > 0; want--)
    for (guint i = 0; i < phrases->len; i++)
      {
        const ShardwiseAskPhrase *phrase = g_ptr_array_index (phrases, i);
        const guint first = scope_of (phrase->target) != 0 ? SHORT : 0;

        if (MIN (phrase->words->len, SHORT) + first != want
            || !note_phrase (self, found, "<term>", phrase, FALSE))
          continue;
        if (first > 0)
          note_phrase (self, found, "<explains>", phrase, FALSE);
        if (!g_ptr_array_find_with_equal_func (topics, phrase->target, g_str_equal, NULL))
          g_ptr_array_add (topics, g_strdup (phrase->target));
      }
}

/* ---- whether all of it is used ---- */

/* What the answer of a rule uses: what the rule needs, and what the table says of answers of its kind, and of all. */
static GStrv
uses_of (const ShardwiseAskReader *self, const ShardwiseAskPhrase *rule)
{
  GPtrArray *told = shardwise_ask_vocabulary_phrases (self->vocabulary, SHARDWISE_ASK_TOLD);
  g_autoptr (GString) all = g_string_new (rule->target);

  for (guint i = 0; i < told->len; i++)
    {
      const ShardwiseAskPhrase *line = g_ptr_array_index (told, i);

      if (g_str_equal (line->target, rule->value) || g_str_equal (line->target, "all"))
        g_string_append_printf (all, " %s", line->value);
    }
  return g_strsplit_set (all->str, " /+", -1);
}

/* Which words an answer that uses @uses accounts for, TRUE at each. */
static guint8 *
account_for (const ShardwiseAskReader *self, GHashTable *found, GStrv uses)
{
  GPtrArray *concepts = shardwise_ask_vocabulary_phrases (self->vocabulary, SHARDWISE_ASK_CONCEPT),
            *left_out = self->question->left_out;
  const guint8 *yes_no = g_hash_table_lookup (found, "<yes-no>");
  guint8 *words = g_malloc0 (self->atoms->len + 1);

  for (guint i = 0; i < self->atoms->len; i++)
    {
      const char *text = shardwise_atom (self->atoms, i)->text;
      const gboolean is_sign = !g_unichar_isalpha (g_utf8_get_char (text)),
                     is_bound = *text == '<' || *text == '>';

      /* Numbers are left out with a reason. */
      words[i] = (is_sign && !is_bound && !g_ascii_isdigit (*text)) || text[1] == '\0'
                 || shardwise_ask_vocabulary_is_filler (self->vocabulary, text)
                 || (!shardwise_ask_is_free (self, i) && self->used[i] != SHARDWISE_ASK_KEY
                     && self->used[i] != SHARDWISE_ASK_FACTOR);
    }
  /* Who asks "how many" and "how much" asks two things, and "is it" wants a yes or no. */
  for (guint i = 0; yes_no != NULL && i < self->atoms->len; i++)
    words[i] = words[i] && !yes_no[i];
  for (guint k = 0; k < concepts->len; k++)
    {
      const ShardwiseAskPhrase *concept = g_ptr_array_index (concepts, k);
      const guint8 *asked = concept->number > 0 ? g_hash_table_lookup (found, concept->target)
                                                : NULL;

      for (guint i = 0; asked != NULL && i < self->atoms->len; i++)
        words[i] = words[i] && !asked[i];
    }
  for (guint k = 0; k < left_out->len; k++)
    {
      const ShardwiseAskLeftOut *left = g_ptr_array_index (left_out, k);

      words[left->at] = words[left->at] && !left->is_figure;
    }
  for (guint k = 0; uses[k] != NULL; k++)
    {
      const guint8 *more = g_hash_table_lookup (found, uses[k]);

      for (guint i = 0; more != NULL && i < self->atoms->len; i++)
        words[i] |= more[i];
    }
  return words;
}

static void
add_word (GString *list, const char *word)
{
  if (strstr (list->str, word) == NULL)
    g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", word);
}

/* Whether a slot of another side has no counterpart on the first side: the comparison is unclear. */
static gboolean
is_lone (const ShardwiseQuestion *question, const ShardwiseAskSlot *slot)
{
  gboolean is_one = slot->side > 0 && !shardwise_ask_splits (slot)
                    && slot->key != SHARDWISE_KEY_TRAINING_TYPE
                    && slot->key != SHARDWISE_KEY_TRAINING_OPTIMIZER
                    && slot->key != SHARDWISE_KEY_TRAINING_PRECISION;
  const ShardwiseAskSlot *other;

  for (guint i = 0; (other = shardwise_question_slot (question, i)) != NULL; i++)
    is_one = is_one && (other->side > 0 || !g_str_equal (other->path, slot->path));
  return is_one;
}

/* Whether the tables know nothing of an ordinary word: it is no name, and no side, and not what is asked for. */
static gboolean
is_strange (const ShardwiseAskReader *self, GHashTable *found, guint at)
{
  static const char *const before[] = { "asks", "versus", "or", "instead", "over" };
  const ShardwiseAtom *atom = shardwise_atom (self->atoms, at),
                      *next = shardwise_atom (self->atoms, at + 1);
  GHashTableIter iter;
  gpointer words;

  g_hash_table_iter_init (&iter, found);
  while (g_hash_table_iter_next (&iter, NULL, &words))
    if (((const guint8 *) words)[at])
      return FALSE;
  for (guint i = 0; at > 0 && i < G_N_ELEMENTS (before); i++)
    if (shardwise_ask_is_mark (self, at - 1, before[i]))
      return FALSE;
  return g_unichar_isalpha (g_utf8_get_char (atom->text)) && shardwise_ask_is_free (self, at)
         && !atom->named && !(next != NULL && next->named)
         && (!atom->capital || (self->question->german && (next == NULL || !next->is_number)));
}

/* Leaves out what @strange is set at, if the rest of the question is strong. Returns whether it did. */
static gboolean
leave_strange (ShardwiseAskReader *self, const ShardwiseAskPhrase *rule, const guint8 *strange)
{
  /* What is said of words rests on each of them. */
  static const char *const wordy[] = { "why", "define", "allowed", NULL };
  guint unknown = 0, content = 0;
  gboolean has_value = FALSE;

  for (guint i = 0; i < self->question->slots->len; i++)
    has_value = has_value || shardwise_question_slot (self->question, i)->value != NULL;
  for (guint i = 0; i < self->atoms->len; i++)
    {
      const char *text = shardwise_atom (self->atoms, i)->text;

      unknown += strange[i];
      content += !shardwise_ask_vocabulary_is_filler (self->vocabulary, text);
    }
  if (!has_value || rule->number < STRONG || g_strv_contains (wordy, rule->value)
      || unknown > MOST_STRANGE || unknown * STRANGE_SHARE > content)
    return FALSE;
  for (guint i = 0; i < self->atoms->len; i++)
    if (strange[i])
      shardwise_ask_leave_out (self, i, 1, _ ("Not understood"));
  self->question->confidence = MIN (self->question->confidence, WITH_STRANGE);
  return TRUE;
}

/* Returns (transfer full) (nullable): the words, inputs and figures that an answer by @rule does not use. */
static char *
passed_over (ShardwiseAskReader *self, GHashTable *found, const ShardwiseAskPhrase *rule)
{
  g_auto (GStrv) uses = uses_of (self, rule);
  g_autofree guint8 *words = account_for (self, found, uses),
                    *strange = g_malloc0 (self->atoms->len + 1);
  const ShardwiseAskSlot *slot;
  guint known = 0; /* what is passed over and is no unknown word */
  GString *list = g_string_new (NULL);
  const gboolean is_compared = g_str_equal (rule->value,
                                            shardwise_intent_names[SHARDWISE_INTENT_COMPARE]);
  /* Who tells what was seen has figures of it. */
  const gboolean tells = g_strv_contains ((const char *const *) uses, "<figure>")
                         || (has_one (found, "cause/claim/count-claim")
                             && g_strv_contains ((const char *const *) uses, "<cause-figure>"));

  if (g_strv_contains ((const char *const *) uses, "<anything>"))
    return g_string_free (list, TRUE);
  for (guint i = 0; i < self->atoms->len; i++)
    {
      if (words[i] || g_ascii_isdigit (*shardwise_atom (self->atoms, i)->text))
        continue;
      strange[i] = is_strange (self, found, i);
      known += !strange[i];
      add_word (list, shardwise_atom (self->atoms, i)->text);
    }
  for (guint i = 0; i < self->question->left_out->len; i++)
    {
      const ShardwiseAskLeftOut *left = g_ptr_array_index (self->question->left_out, i);

      if (!left->is_figure || words[left->at])
        continue;
      known++;
      if (!tells)
        add_word (list, left->words);
    }
  for (guint i = 0; (slot = shardwise_question_slot (self->question, i)) != NULL; i++)
    {
      const char *use = use_of (self, slot);

      if ((slot->repeats
           && !(has_one (found, "benefit") && slot->key == SHARDWISE_KEY_TRAINING_ATTENTION))
          || (g_strv_contains ((const char *const *) uses, use) && !slot->unclear
              && !(is_compared && is_lone (self->question, slot)))
          || (slot->value == NULL && words[slot->at]))
        continue;
      known++;
      add_word (list, slot->key != SHARDWISE_KEY_NONE
                          ? _ (shardwise_key_get (slot->key)->title)
                          : shardwise_atom (self->atoms, slot->at)->text);
    }
  return g_string_free (list,
                        list->len == 0 || (known == 0 && leave_strange (self, rule, strange)));
}

/* Where the question speaks of what was tried, if it asks for another way; G_MAXUINT: nowhere. */
static guint
trial (const ShardwiseAskReader *self)
{
  guint at = 0;

  while (at < self->atoms->len && !shardwise_ask_is_mark (self, at, "tried"))
    at++;
  return self->question->intent == SHARDWISE_INTENT_BEST ? at : G_MAXUINT;
}

/* Drops slots that the intent cannot use: "full, no LoRA", factors without a comparison, what was tried. */
static void
forget_slots (ShardwiseAskReader *self, GHashTable *found)
{
  GPtrArray *slots = self->question->slots;
  const ShardwiseIntent intent = self->question->intent;
  const gboolean changes = intent == SHARDWISE_INTENT_WHAT_IF || intent == SHARDWISE_INTENT_COMPARE,
                 compares = changes || intent == SHARDWISE_INTENT_HOW_TO
                            || intent == SHARDWISE_INTENT_WHY || intent == SHARDWISE_INTENT_BEST
                            || intent == SHARDWISE_INTENT_SLOW;
  const guint tried = trial (self);

  for (guint i = slots->len; i > 0; i--)
    {
      ShardwiseAskSlot *slot = g_ptr_array_index (slots, i - 1);
      const gboolean is_off = !compares && is_denied (self, slot),
                     is_tried = slot->at >= tried && g_str_has_prefix (slot->path, "strategy.");

      for (guint back = 1; has_one (found, "benefit") && back <= MIN (slot->at, GIVEN_REACH);
           back++)
        slot->given = slot->given
                      || ((g_str_has_prefix (slot->path, "model.")
                           || g_str_has_prefix (slot->path, "cluster.gpu")
                           || slot->key == SHARDWISE_KEY_TRAINING_TYPE)
                          && shardwise_ask_is_mark (self, slot->at - back, "given"));
      if (is_tried && slot->at > 0)
        shardwise_ask_leave_out (self, slot->at - 1, 2, _ ("what was tried, not what is wished"));
      /* "Without TP" is TP 1. */
      if (is_off && slot->value == NULL && slot->key != SHARDWISE_KEY_NONE
          && shardwise_key_get (slot->key)->kind == SHARDWISE_KIND_INTEGER)
        slot->value = g_variant_ref_sink (g_variant_new_int64 (1));
      else if (is_off || is_tried)
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

/* Sets intent, confidence, topics, goal and unused words. @self: a reader whose slots are read. */
void
shardwise_ask_read_intent (ShardwiseAskReader *self)
{
  ShardwiseQuestion *question = self->question;
  g_autoptr (GHashTable) found = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  GPtrArray *rules = shardwise_ask_vocabulary_phrases (self->vocabulary, SHARDWISE_ASK_RULE);
  const ShardwiseAskPhrase *rule = NULL;

  find_topics (self, found);
  question->goal = find_target (self, SHARDWISE_ASK_GOAL, found, "<goal>");
  add_concepts (self, found);
  add_named (self, found);
  for (guint i = 0; i < rules->len && rule == NULL; i++)
    if (applies (((const ShardwiseAskPhrase *) g_ptr_array_index (rules, i))->target, found))
      rule = g_ptr_array_index (rules, i);
  question->intent = (ShardwiseIntent) sw_name_index (shardwise_intent_names, rule->value);
  question->confidence = rule->number;
  question->missed = passed_over (self, found, rule);
  if (question->intent == SHARDWISE_INTENT_FAULT)
    {
      g_autofree char *topic = find_target (self, SHARDWISE_ASK_TOPIC, found, "<topic>");

      g_ptr_array_set_size (question->topics, 0);
      g_ptr_array_add (question->topics, g_strdup (topic != NULL ? topic : "software"));
    }
  forget_slots (self, found);
  read_article (self);
}
