/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a question is after: phrases of the tables vote, what else stands in it tips the balance. */
#include "shardwise-ask-private.h"

#include <string.h>

#include "sw-types.h"

/* How much a phrase beside the strongest one of its intent still counts. */
#define FURTHER 0.35

/* ---- phrases ---- */

static void
count_phrases (const ShardwiseAskReader *self, double scores[SHARDWISE_N_INTENTS])
{
  GPtrArray *phrases = shardwise_ask_vocabulary_phrases (self->vocabulary, SHARDWISE_ASK_INTENT);
  double strongest[SHARDWISE_N_INTENTS] = { 0 }, sum[SHARDWISE_N_INTENTS] = { 0 };

  for (guint i = 0; i < phrases->len; i++)
    {
      const ShardwiseAskPhrase *phrase = g_ptr_array_index (phrases, i);
      int intent = sw_name_index (shardwise_intent_names, phrase->target);
      gboolean found = FALSE;

      for (guint at = 0; at < self->atoms->len && !found; at++)
        found = shardwise_ask_match (self, phrase, at) > 0;
      if (!found)
        continue;
      sum[intent] += phrase->weight;
      strongest[intent] = MAX (strongest[intent], phrase->weight);
    }
  for (guint i = 0; i < SHARDWISE_N_INTENTS; i++)
    scores[i] = strongest[i] + FURTHER * (sum[i] - strongest[i]);
}

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

/* ---- what else tips the balance ---- */

static gboolean
has_side (const ShardwiseQuestion *question, gboolean valued)
{
  for (guint i = 0; i < question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (question->slots, i);

      if (slot->side == 1 && (!valued || slot->value != NULL))
        return TRUE;
    }
  return FALSE;
}

/* Who tells a rate of their own wants it judged. */
static gboolean
has_measured (const ShardwiseQuestion *question)
{
  for (guint i = 0; i < question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (question->slots, i);

      if (slot->value != NULL && g_str_has_prefix (slot->path, "measured."))
        return TRUE;
    }
  return FALSE;
}

static void
tip (const ShardwiseAskReader *self, double scores[SHARDWISE_N_INTENTS])
{
  const ShardwiseQuestion *question = self->question;
  gboolean valued = shardwise_question_has_values (question, 0);

  if (question->term != NULL && !valued && scores[SHARDWISE_INTENT_DEFINE] > 0)
    scores[SHARDWISE_INTENT_DEFINE] += 1.5;
  if (has_side (question, FALSE) && scores[SHARDWISE_INTENT_COMPARE] > 0)
    scores[SHARDWISE_INTENT_COMPARE] += 1.5;
  if (valued && scores[SHARDWISE_INTENT_WHAT_IF] > 0)
    scores[SHARDWISE_INTENT_WHAT_IF] += 1;
  if (has_measured (question))
    scores[SHARDWISE_INTENT_SLOW] += 6;
  if (question->goal != NULL && scores[SHARDWISE_INTENT_HOW_TO] > 0)
    scores[SHARDWISE_INTENT_HOW_TO] += 1.5;
  if (shardwise_question_find (question, "days", 0) != NULL && scores[SHARDWISE_INTENT_GPUS] > 0)
    scores[SHARDWISE_INTENT_GPUS] += 4;
}

/* What is asked of a goal that stands alone: "time on this cluster?". */
static ShardwiseIntent
intent_of_goal (const char *goal)
{
  static const struct
  {
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
  if (has_side (question, TRUE))
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

/* Only some questions hold one thing against another: "not enough memory with TP 8" does not. */
static void
forget_sides (ShardwiseQuestion *question)
{
  static const gboolean compares[SHARDWISE_N_INTENTS] = {
    [SHARDWISE_INTENT_WHY] = TRUE,     [SHARDWISE_INTENT_WHAT_IF] = TRUE,
    [SHARDWISE_INTENT_COMPARE] = TRUE, [SHARDWISE_INTENT_FITS] = TRUE,
    [SHARDWISE_INTENT_BEST] = TRUE,    [SHARDWISE_INTENT_HOW_TO] = TRUE,
    [SHARDWISE_INTENT_COST] = TRUE,    [SHARDWISE_INTENT_THROUGHPUT] = TRUE,
  };

  for (guint i = 0; i < question->slots->len && !compares[question->intent]; i++)
    ((ShardwiseAskSlot *)g_ptr_array_index (question->slots, i))->side = 0;
}

/**
 * shardwise_ask_read_intent:
 * @self: a reader whose slots are read; sets intent, confidence, term and goal of its question
 */
void
shardwise_ask_read_intent (ShardwiseAskReader *self)
{
  ShardwiseQuestion *question = self->question;
  double scores[SHARDWISE_N_INTENTS], second = 0;
  guint best = SHARDWISE_INTENT_UNKNOWN;

  question->term = find_target (self, SHARDWISE_ASK_TERM);
  question->goal = find_target (self, SHARDWISE_ASK_GOAL);
  count_phrases (self, scores);
  tip (self, scores);
  scores[SHARDWISE_INTENT_UNKNOWN] = 0;
  for (guint i = 1; i < SHARDWISE_N_INTENTS; i++)
    if (scores[i] > scores[best])
      {
        second = scores[best];
        best = i;
      }
    else
      second = MAX (second, scores[i]);
  question->intent = (ShardwiseIntent)best;
  if (best == SHARDWISE_INTENT_UNKNOWN)
    guess (self);
  else
    question->confidence = scores[best] / (scores[best] + second / 2 + 1);
  forget_sides (question);
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
