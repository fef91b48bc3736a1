/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions from anywhere: no text may crash or hang the reader, or name a value that its key does
 * not take. A line after the first continues the one before. */
#include "fuzz-target.h"

#include <math.h>
#include <string.h>

#include "shardwise-ask-question.h"

enum { MOST_LINES = 8 };

static void
check_slot (const ShardwiseAskSlot *slot)
{
  const ShardwiseKey *key = shardwise_key_find (slot->path);

  g_assert_cmpuint (slot->side, <=, 300); /* as many as there are words */
  g_assert_true (isfinite (slot->factor) && slot->factor >= 0);
  if (key != NULL && slot->value != NULL && key->kind != SHARDWISE_KIND_STRING)
    g_assert_true (shardwise_key_check (key, slot->value, NULL));
  if (slot->value != NULL && g_variant_is_of_type (slot->value, G_VARIANT_TYPE_DOUBLE))
    g_assert_true (isfinite (g_variant_get_double (slot->value)));
}

static void
check_question (const ShardwiseQuestion *question)
{
  g_autoptr (GVariant) changes = g_variant_ref_sink (shardwise_question_changes (question, 0));
  g_autoptr (JsonNode) json = shardwise_question_slots_to_json (question);

  g_assert_cmpint (question->intent, <, SHARDWISE_N_INTENTS);
  g_assert_cmpfloat (question->confidence, >=, 0);
  g_assert_cmpfloat (question->confidence, <=, 1);
  g_assert_true (g_utf8_validate (question->text, -1, NULL));
  for (guint i = 0; i < question->left_out->len; i++)
    {
      const ShardwiseAskLeftOut *left = g_ptr_array_index (question->left_out, i);

      g_assert_true (g_utf8_validate (left->words, -1, NULL)
                     && g_utf8_validate (left->why, -1, NULL));
    }
  for (guint i = 0; i < question->slots->len; i++)
    check_slot (g_ptr_array_index (question->slots, i));
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_auto (GStrv) lines = g_strsplit (text, "\n", MOST_LINES);
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (ShardwiseQuestion) before = NULL;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      ShardwiseQuestion *question = shardwise_question_parse (lines[i], scenario, before);

      check_question (question);
      g_clear_pointer (&before, shardwise_question_free);
      before = question;
    }
  return 0;
}
