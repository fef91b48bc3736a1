/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a question is after: the concepts of its words (data/catalogue/ask-*.ini), and one table of rules
 * over them, of which the first decides whose concepts are all there. */
#include "shardwise-ask-intent.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-asking.h"
#include "shardwise-key.h"

/* What a question must have: concepts; "a/b": either, "!a": none of it. Of what it names: "<split>" a
 * dimension of the strategy, "<two>" something held against another, "<ways>" other ways to split, "<value>" a value,
 * "<nodes>" a cluster, "<rate>" something measured, "<days>", "<money>", "<term>" what can be
 * explained, "<many>" a key with several values, "<goal>" what should become better,
 * "<short>" few words. */
typedef struct {
  ShardwiseIntent intent;
  double confidence;
  const char *needs;
} Rule;

static const Rule rules[] = {
  { SHARDWISE_INTENT_UNKNOWN, 0, "inference !train-it !memory !training-run !fit" },
  /* what the figures contradict or explain, before what else the words might ask */
  { SHARDWISE_INTENT_DEFINE, 0.85, "replicate <term> !oom" },
  { SHARDWISE_INTENT_DEFINE, 0.85, "count-claim <counting>" },
  { SHARDWISE_INTENT_DEFINE, 0.85, "<norms> !oom !slow" },
  { SHARDWISE_INTENT_DEFINE, 0.85, "compare/better <schedules>" },
  { SHARDWISE_INTENT_WHAT_IF, 0.9, "what-if <value> !oom !slow !cause" },
  { SHARDWISE_INTENT_FAULT, 0.85, "drift !memory !oom" },
  /* what a framework or a division allows */
  { SHARDWISE_INTENT_ALLOWED, 0.9, "allowed !fit !oom !money" },
  { SHARDWISE_INTENT_ALLOWED, 0.8, "hang pipeline-few" },
  /* what no model knows */
  { SHARDWISE_INTENT_FAULT, 0.9, "software !oom !memory !slow !speed !allowed" },
  { SHARDWISE_INTENT_FAULT, 0.9, "trouble !oom !slow !fit !allowed !how-many !memory" },
  { SHARDWISE_INTENT_FAULT, 0.8, "trouble slow !oom !<rate>" },
  { SHARDWISE_INTENT_FAULT, 0.9, "node-slow/flaky" },
  { SHARDWISE_INTENT_FAULT, 0.8, "numerics !oom !memory !speed !compare" },
  { SHARDWISE_INTENT_HOW_TO, 0.9, "where-set" },
  /* counting */
  { SHARDWISE_INTENT_GPUS, 0.9, "how-many <nodes> need !speed !duration !money !slow" },
  { SHARDWISE_INTENT_GPUS, 0.9, "how-many hardware/<nodes> !duration !money !memory !slow !speed" },
  { SHARDWISE_INTENT_GPUS, 0.9, "how-many hardware/<nodes> <days>" },
  { SHARDWISE_INTENT_GPUS, 0.85, "smallest hardware !money !oom !duration" },
  { SHARDWISE_INTENT_GPUS, 0.85, "which/what hardware need !money !cause !method-q" },
  { SHARDWISE_INTENT_GPUS, 0.85, "which-gpu !money" },
  /* money and days */
  { SHARDWISE_INTENT_COST, 0.9, "money !comm !faster !compare !reduce !cheaper !improve" },
  { SHARDWISE_INTENT_COST, 0.8, "energy/rent/gpu-hours" },
  { SHARDWISE_INTENT_COMPARE, 0.85, "cheaper/money <two>/<value> !how-much" },
  { SHARDWISE_INTENT_HOW_TO, 0.8, "cheaper/money" },
  { SHARDWISE_INTENT_TIME, 0.9, "how-long !<two> !largest !slow" },
  { SHARDWISE_INTENT_COMPARE, 0.85, "difference !cause" },
  { SHARDWISE_INTENT_COMPARE, 0.85, "cause/slow/faster <ways> !oom !memory !fit" },
  { SHARDWISE_INTENT_COMPARE, 0.85, "up-or-down <split>" },
  /* the largest that fits */
  { SHARDWISE_INTENT_FITS, 0.9, "largest-that !slow !cause" },
  { SHARDWISE_INTENT_BEST, 0.85, "ask-config !cause !fit !how-to" },
  { SHARDWISE_INTENT_BEST, 0.85, "best strategy/split" },
  { SHARDWISE_INTENT_BEST, 0.8, "recommend strategy" },
  { SHARDWISE_INTENT_FITS, 0.85, "method-q !slow" },
  { SHARDWISE_INTENT_MEMORY, 0.85, "claim memory" },
  /* memory that runs out, or is more than thought */
  { SHARDWISE_INTENT_FITS, 0.85, "will-oom !cause" },
  { SHARDWISE_INTENT_FITS, 0.85, "can fit !cause !oom !what-can !compare" },
  { SHARDWISE_INTENT_FITS, 0.85, "can train-it <nodes> !cause !how-to !slow !money" },
  { SHARDWISE_INTENT_FITS, 0.85, "no-oom !how-to !what-can" },
  { SHARDWISE_INTENT_OOM, 0.9, "oom" },
  { SHARDWISE_INTENT_OOM, 0.85, "cause not fit" },
  { SHARDWISE_INTENT_OOM, 0.85, "cause memory !slow !benefit !faster" },
  { SHARDWISE_INTENT_OOM, 0.85, "memory-more !slow" },
  { SHARDWISE_INTENT_OOM, 0.85, "cause not train-it <nodes> !slow" },
  { SHARDWISE_INTENT_OOM, 0.8, "cause only train-it <nodes> !slow" },
  { SHARDWISE_INTENT_HOW_TO, 0.9, "how-to/ways/what-can/want reduce <goal>" },
  { SHARDWISE_INTENT_MEMORY, 0.9,
    "how-much/which/what-is/how-big memory !money !<ways> !fit !enough !reduce" },
  { SHARDWISE_INTENT_MEMORY, 0.8, "calculate memory" },
  { SHARDWISE_INTENT_FITS, 0.85, "fit !cause !how-to !define !best !<two> !what-if" },
  { SHARDWISE_INTENT_FITS, 0.85, "enough !slow !fast !cause" },
  /* slow */
  { SHARDWISE_INTENT_SLOW, 0.85, "cause slow" },
  { SHARDWISE_INTENT_SLOW, 0.85, "<rate> normal/low/cause/observe/slow/drop/claim/only/should" },
  { SHARDWISE_INTENT_SLOW, 0.8, "speed normal/only/low !what-is-the !which !what" },
  { SHARDWISE_INTENT_WHAT_IF, 0.8, "how-bad <value>/<split>" },
  { SHARDWISE_INTENT_SLOW, 0.8, "normal/claim <of-time>" },
  { SHARDWISE_INTENT_SLOW, 0.8, "slow !what-if !how-bad !<ways> !what-does !improve" },
  { SHARDWISE_INTENT_SLOW, 0.75, "cause drop/low/scale" },
  { SHARDWISE_INTENT_SLOW, 0.75, "speed low/drop !how-to" },
  { SHARDWISE_INTENT_LIMIT, 0.85, "bottleneck/reward" },
  { SHARDWISE_INTENT_LIMIT, 0.8, "time-goes !cause" },
  { SHARDWISE_INTENT_THROUGHPUT, 0.85, "what-is-the speed/step-time !best" },
  { SHARDWISE_INTENT_THROUGHPUT, 0.85,
    "what/which/how-many speed/step-time <value>/normal/reach/should !cause !compare !best "
    "!switch" },
  /* words */
  { SHARDWISE_INTENT_DEFINE, 0.9, "define <term> !cause !compare !difference !best" },
  { SHARDWISE_INTENT_DEFINE, 0.85,
    "what-is <term> !cause !compare !difference !best !should !<value>" },
  { SHARDWISE_INTENT_DEFINE, 0.85, "what-is <explains> !cause" },
  { SHARDWISE_INTENT_DEFINE, 0.8, "how-is/calculate/work <term> !should !<ways>" },
  /* one against another */
  { SHARDWISE_INTENT_COMPARE, 0.9, "which-is !cause" },
  { SHARDWISE_INTENT_COMPARE, 0.85, "compare <two>" },
  { SHARDWISE_INTENT_BEST, 0.8, "do-i-need <split> !<two> !cause" },
  { SHARDWISE_INTENT_HOW_TO, 0.8, "what-can/ways/how-to <goal> !<value>" },
  { SHARDWISE_INTENT_WHY, 0.9, "cause" },
  { SHARDWISE_INTENT_WHAT_IF, 0.85, "what-if" },
  { SHARDWISE_INTENT_COMPARE, 0.85, "or <two>" },
  { SHARDWISE_INTENT_COMPARE, 0.8, "better/when <two>" },
  { SHARDWISE_INTENT_COMPARE, 0.8, "what-does faster/slow <split>" },
  { SHARDWISE_INTENT_BEST, 0.85, "which should !<two> !speed" },
  { SHARDWISE_INTENT_HOW_TO, 0.85, "how-to switch <split> !what-can" },
  { SHARDWISE_INTENT_BEST, 0.85, "best/recommend/ask-config !faster" },
  { SHARDWISE_INTENT_BEST, 0.8, "which/what/how-to strategy/split/split-dim !benefit" },
  { SHARDWISE_INTENT_HOW_TO, 0.85,
    "how-to/ways/what-can faster/improve/reduce/increase/cheaper/speed/oom" },
  { SHARDWISE_INTENT_HOW_TO, 0.8, "how-to" },
  { SHARDWISE_INTENT_WHAT_IF, 0.8, "if/switch/benefit/what-does/how-would/should <value>/<split>" },
  { SHARDWISE_INTENT_THROUGHPUT, 0.85, "how-fast" },
  { SHARDWISE_INTENT_TIME, 0.8, "duration/finish !speed !step-time" },
  { SHARDWISE_INTENT_HOW_TO, 0.8, "faster !how-bad !<value>" },
  { SHARDWISE_INTENT_SLOW, 0.75, "<rate> !how-many !how-to !compare !define" },
  { SHARDWISE_INTENT_THROUGHPUT, 0.8, "speed/step-time" },
  { SHARDWISE_INTENT_FITS, 0.7, "can train-it/<nodes> !speed !how-much !switch !allowed" },
  { SHARDWISE_INTENT_MEMORY, 0.7, "memory !<ways>" },
  { SHARDWISE_INTENT_HOW_TO, 0.75, "faster/improve/reduce/increase" },
  { SHARDWISE_INTENT_FITS, 0.7, "can train-it/<nodes>" },
  { SHARDWISE_INTENT_SLOW, 0.7, "drop/low" },
  { SHARDWISE_INTENT_FITS, 0.7, "can training-run !inference" },
  { SHARDWISE_INTENT_TIME, 0.7, "how-much time" },
  { SHARDWISE_INTENT_COMPARE, 0.7, "<two>" },
  { SHARDWISE_INTENT_WHAT_IF, 0.6, "<value> <short>" },
  { SHARDWISE_INTENT_DEFINE, 0.65, "<explains>" },
  { SHARDWISE_INTENT_DEFINE, 0.6, "<term>" },
  { SHARDWISE_INTENT_GPUS, 0.6, "hardware need" },
};

/* Concepts that ask: they count in the sentence that asks alone, others in all of the text. */
static const char *const asking[] = {
  "cause",     "how-many",  "how-much", "how-long", "how-fast",   "how-big",  "how-is",
  "how-would", "how-to",    "how-bad",  "how",      "which",      "what-is",  "what-does",
  "what-if",   "what-can",  "what",     "where",    "where-set",  "when",     "can",
  "should",    "do-i-need", "if",       "compare",  "difference", "which-is", "define",
  "recommend", "best",      "better",   "or",       "want",       NULL
};

enum { SHORT = 6 };

/* ---- what is there ---- */

/* Whether a phrase stands in the sentence that asks, where there is one. */
static gboolean
stands (const ShardwiseAskReader *self, const ShardwiseAskPhrase *phrase, gboolean in_asking)
{
  for (guint i = 0; i < self->atoms->len; i++)
    if ((!in_asking || shardwise_ask_atom (self->atoms, i)->asked)
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
    asks = asks || shardwise_ask_atom (self->atoms, i)->asked;
  for (guint i = 0; i < phrases->len; i++)
    {
      const ShardwiseAskPhrase *phrase = g_ptr_array_index (phrases, i);

      if (!g_hash_table_contains (found, phrase->target)
          && stands (self, phrase, asks && g_strv_contains (asking, phrase->target)))
        g_hash_table_add (found, phrase->target);
    }
}

/* Whether two slots of different sides are different ways to split the work: "TP" and "ZeRO 3". */
static gboolean
are_ways (const ShardwiseAskSlot *a, const ShardwiseAskSlot *b)
{
  static const char *const splits[] = { "strategy.tp",
                                        "strategy.pp",
                                        "strategy.cp",
                                        "strategy.ep",
                                        "strategy.dp",
                                        "strategy.zero_stage",
                                        "strategy.sequence_parallel",
                                        "training.framework",
                                        NULL };

  return a->side != b->side && !g_str_equal (a->path, b->path) && g_strv_contains (splits, a->path)
         && g_strv_contains (splits, b->path);
}

static void
add_named (const ShardwiseAskReader *self, GHashTable *found)
{
  static const struct {
    const char *prefix, *name;
  } classes[] = {
    { "strategy.", "<split>" }, { "measured.", "<rate>" }, { "cluster.gpu", "<nodes>" },
    { "days", "<days>" },       { "budget", "<money>" },   { "cost.price", "<money>" },
  };
  const ShardwiseQuestion *question = self->question;

  for (guint i = 0; i < question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (question->slots, i);
      gboolean has_value = slot->value != NULL || slot->factor > 0;

      for (guint k = 0; k < G_N_ELEMENTS (classes); k++)
        if (g_str_has_prefix (slot->path, classes[k].prefix))
          g_hash_table_add (found, (char *) classes[k].name);
      if (has_value && shardwise_key_find (slot->path) != NULL)
        g_hash_table_add (found, (char *) "<value>");
      if (slot->side > 0)
        g_hash_table_add (found, (char *) "<two>");
    }
  for (guint i = 0; i < question->slots->len; i++)
    for (guint j = 0; j < i; j++)
      if (are_ways (g_ptr_array_index (question->slots, i), g_ptr_array_index (question->slots, j)))
        g_hash_table_add (found, (char *) "<ways>");
  if (question->topics->len > 0)
    g_hash_table_add (found, (char *) "<term>");
  for (guint i = 0; i < question->topics->len; i++)
    {
      const char *topic = g_ptr_array_index (question->topics, i);
      const guint scope = shardwise_ask_topic_scope (topic);

      if (g_str_equal (topic, "schedules"))
        g_hash_table_add (found, (char *) "<schedules>");
      if (g_str_equal (topic, "norms") || g_str_equal (topic, "dp-link"))
        g_hash_table_add (found, (char *) "<norms>");
      if (g_str_equal (topic, "counting"))
        g_hash_table_add (found, (char *) "<counting>");
      if (scope & SHARDWISE_ASK_OF_TIME)
        g_hash_table_add (found, (char *) "<of-time>");
      if (scope != 0)
        g_hash_table_add (found, (char *) "<explains>");
    }
  if (question->goal != NULL)
    g_hash_table_add (found, (char *) "<goal>");
  if (question->goal != NULL && g_str_has_prefix (question->goal, "largest"))
    g_hash_table_add (found, (char *) "largest-that");
  if (self->atoms->len <= SHORT)
    g_hash_table_add (found, (char *) "<short>");
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
applies (const Rule *rule, GHashTable *found)
{
  g_auto (GStrv) needs = g_strsplit (rule->needs, " ", -1);

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
  const gboolean x = shardwise_ask_topic_scope (*(char *const *) a) != 0,
                 y = shardwise_ask_topic_scope (*(char *const *) b) != 0;

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

/* Of the words that no list has, one in so many makes what was understood uncertain. */
static double
known_share (const ShardwiseAskReader *self)
{
  guint all = 0, strange = 0;

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
  return all > 0 ? 1 - (double) strange / all : 1;
}

/* Whether anything is named, or meant, that has to do with training on GPUs. */
static gboolean
is_of_field (const ShardwiseQuestion *question, GHashTable *found)
{
  static const char *const field[] = { "hardware", "memory",    "oom",        "training-run",
                                       "speed",    "step-time", "split-dim",  "comm",
                                       "bubble",   "strategy",  "bottleneck", "gpu-hours",
                                       "trouble",  "numerics",  "software",   NULL };

  for (guint i = 0; field[i] != NULL; i++)
    if (g_hash_table_contains (found, field[i]))
      return TRUE;
  return question->slots->len > 0 || question->topics->len > 0 || question->goal != NULL;
}

/* Only some questions hold one thing against another: "not enough memory with TP 8" does not; what it
 * denies is dropped: "full, no LoRA". */
static void
forget_sides (ShardwiseAskReader *self)
{
  static const gboolean compares[SHARDWISE_N_INTENTS] = {
    [SHARDWISE_INTENT_WHY] = TRUE,     [SHARDWISE_INTENT_WHAT_IF] = TRUE,
    [SHARDWISE_INTENT_COMPARE] = TRUE, [SHARDWISE_INTENT_BEST] = TRUE,
    [SHARDWISE_INTENT_HOW_TO] = TRUE,  [SHARDWISE_INTENT_SLOW] = TRUE,
  };
  GPtrArray *slots = self->question->slots;

  for (guint i = slots->len; i > 0 && !compares[self->question->intent]; i--)
    {
      ShardwiseAskSlot *slot = g_ptr_array_index (slots, i - 1);

      if (slot->side > 0 && slot->at > 0 && shardwise_ask_is_mark (self, slot->at - 1, "instead"))
        g_ptr_array_remove_index (slots, i - 1);
    }
  /* What is left are several values of one key, or one. */
  for (guint i = 0; i < slots->len && !compares[self->question->intent]; i++)
    {
      ShardwiseAskSlot *slot = g_ptr_array_index (slots, i);

      slot->side = 0;
      for (guint j = 0; j < i; j++)
        if (g_str_equal (((ShardwiseAskSlot *) g_ptr_array_index (slots, j))->path, slot->path))
          slot->side++;
    }
}

/* Ways to split are compared on the same GPUs: "if it does not fit on one GPU, is TP better than FSDP?" */
static void
forget_clusters (ShardwiseAskReader *self, GHashTable *found)
{
  GPtrArray *slots = self->question->slots;

  for (guint i = slots->len; i > 0 && g_hash_table_contains (found, "<ways>")
                             && self->question->intent == SHARDWISE_INTENT_COMPARE;
       i--)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (slots, i - 1);

      if (slot->side == 0 || !g_str_has_prefix (slot->path, "cluster."))
        continue;
      shardwise_ask_leave_out (self, slot->at, 2, _ ("the ways are compared on the same GPUs"));
      g_ptr_array_remove_index (slots, i - 1);
    }
}

/* "A larger micro-batch is slower" doubles none: only what asks for a change has one by a mere
 * comparative. */
static void
forget_factors (ShardwiseAskReader *self)
{
  GPtrArray *slots = self->question->slots;

  for (guint i = 0; i < slots->len; i++)
    {
      ShardwiseAskSlot *slot = g_ptr_array_index (slots, i);

      if (self->question->intent != SHARDWISE_INTENT_WHAT_IF
          && self->question->intent != SHARDWISE_INTENT_COMPARE
          && self->question->intent != SHARDWISE_INTENT_HOW_TO)
        slot->factor = 0;
    }
}

/* Who asks what to do instead does not wish for what was tried. */
static void
forget_tried (ShardwiseAskReader *self, GHashTable *found)
{
  GPtrArray *slots = self->question->slots;
  guint from = self->atoms->len; /* where the sentence of the trial begins */

  if (!g_hash_table_contains (found, "tried") || self->question->intent != SHARDWISE_INTENT_BEST)
    return;
  for (guint i = 0, begins = 0; i < self->atoms->len && from == self->atoms->len; i++)
    {
      if (shardwise_ask_atom (self->atoms, i)->begins)
        begins = i;
      if (shardwise_ask_is_word (self, i, "tried") || shardwise_ask_is_word (self, i, "versucht")
          || shardwise_ask_is_word (self, i, "probiert"))
        from = begins;
    }
  for (guint i = slots->len; i > 0; i--)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (slots, i - 1);

      if (slot->at < from || !g_str_has_prefix (slot->path, "strategy."))
        continue;
      if (slot->at > 0)
        shardwise_ask_leave_out (self, slot->at - 1, 2, _ ("what was tried, not what is wished"));
      g_ptr_array_remove_index (slots, i - 1);
    }
}

/**
 * shardwise_ask_read_intent:
 * @self: a reader whose slots are read; sets intent, confidence, topics and goal of its question
 */
void
shardwise_ask_read_intent (ShardwiseAskReader *self)
{
  ShardwiseQuestion *question = self->question;
  g_autoptr (GHashTable) found = g_hash_table_new (g_str_hash, g_str_equal);
  const double known = known_share (self);

  find_topics (self);
  question->goal = find_target (self, SHARDWISE_ASK_GOAL);
  add_concepts (self, found);
  add_named (self, found);
  question->intent = SHARDWISE_INTENT_UNKNOWN;
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    if (applies (&rules[i], found))
      {
        question->intent = rules[i].intent;
        question->confidence = rules[i].confidence * MIN (1, 0.4 + known);
        /* Nothing speaks of training: "how long is the flight". */
        if (known < 1 && !is_of_field (question, found))
          question->confidence /= 2;
        break;
      }
  if (question->intent == SHARDWISE_INTENT_FAULT)
    {
      g_autofree char *topic = g_hash_table_contains (found, "drift")
                                   ? g_strdup ("drift")
                                   : find_target (self, SHARDWISE_ASK_TOPIC);

      g_ptr_array_set_size (question->topics, 0);
      g_ptr_array_add (question->topics, g_strdup (topic != NULL ? topic : "software"));
    }
  forget_sides (self);
  forget_clusters (self, found);
  forget_factors (self);
  forget_tried (self, found);
}
