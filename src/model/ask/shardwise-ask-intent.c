/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a question is after: the intent that its features speak for most. */
#include "shardwise-ask-private.h"

#include "shardwise-ask-weights.h"

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

static gboolean
has_side (const ShardwiseQuestion *question)
{
  for (guint i = 0; i < question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (question->slots, i);

      if (slot->side == 1 && slot->value != NULL)
        return TRUE;
    }
  return FALSE;
}

/* What is asked of a goal that stands alone: "time on this cluster?". */
static ShardwiseIntent
intent_of_goal (const char *goal)
{
  static const struct {
    const char *goal;
    ShardwiseIntent intent;
  } intents[] = {
    { "memory", SHARDWISE_INTENT_MEMORY }, { "speed", SHARDWISE_INTENT_THROUGHPUT },
    { "cost", SHARDWISE_INTENT_COST },     { "time", SHARDWISE_INTENT_TIME },
    { "bubble", SHARDWISE_INTENT_LIMIT },  { "communication", SHARDWISE_INTENT_LIMIT },
  };

  for (guint i = 0; goal != NULL && i < G_N_ELEMENTS (intents); i++)
    if (g_str_equal (intents[i].goal, goal))
      return intents[i].intent;
  return SHARDWISE_INTENT_UNKNOWN;
}

/* Nothing says what is asked, but something is named: change it, explain it. */
static void
guess (ShardwiseAskReader *self)
{
  ShardwiseQuestion *question = self->question;

  question->confidence = 0.4;
  if (has_side (question))
    question->intent = SHARDWISE_INTENT_COMPARE;
  else if (shardwise_question_has_values (question, 0))
    question->intent = SHARDWISE_INTENT_WHAT_IF;
  else if (question->term != NULL)
    question->intent = SHARDWISE_INTENT_DEFINE;
  else
    question->intent = intent_of_goal (question->goal);
  if (question->intent == SHARDWISE_INTENT_UNKNOWN)
    question->confidence = 0;
}

/* Whether what is named is what the question is not about: "full, no LoRA", and of a slow job what
 * it is held against: "slower than one node". */
static gboolean
is_denied (const ShardwiseAskReader *self, const ShardwiseAskSlot *slot)
{
  gboolean is_count = g_str_equal (slot->path, "cluster.gpus") || g_str_equal (slot->path, "nodes");

  if (slot->at == 0)
    return FALSE;
  if (self->question->intent == SHARDWISE_INTENT_SLOW && is_count)
    for (guint i = slot->at; i > 0 && slot->at - i < DENIED; i--)
      if (shardwise_ask_is_mark (self, i - 1, "over"))
        return TRUE;
  return slot->side == 1 && shardwise_ask_is_mark (self, slot->at - 1, "instead");
}

/* Only some questions hold one thing against another: "not enough memory with TP 8" does not. */
static void
forget_sides (ShardwiseAskReader *self)
{
  ShardwiseQuestion *question = self->question;
  static const gboolean compares[SHARDWISE_N_INTENTS] = {
    [SHARDWISE_INTENT_WHY] = TRUE,     [SHARDWISE_INTENT_WHAT_IF] = TRUE,
    [SHARDWISE_INTENT_COMPARE] = TRUE, [SHARDWISE_INTENT_FITS] = TRUE,
    [SHARDWISE_INTENT_BEST] = TRUE,    [SHARDWISE_INTENT_HOW_TO] = TRUE,
    [SHARDWISE_INTENT_COST] = TRUE,    [SHARDWISE_INTENT_THROUGHPUT] = TRUE,
  };

  for (guint i = question->slots->len; i > 0 && !compares[question->intent]; i--)
    {
      ShardwiseAskSlot *slot = g_ptr_array_index (question->slots, i - 1);

      if (is_denied (self, slot))
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
