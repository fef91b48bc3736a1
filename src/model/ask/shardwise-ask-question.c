/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A question in plain words, read to an intent and slots. */
#include "shardwise-ask-question.h"

#include <string.h>

#include "shardwise-ask-features.h"
#include "shardwise-ask-private.h"
#include "shardwise-json.h"

const char *const shardwise_intent_names[] = {
  "unknown", "why", "what-if", "fits",   "gpus",    "memory", "time", "cost",  "throughput",
  "limit",   "oom", "slow",    "define", "compare", "how-to", "best", "fault", NULL,
};
G_STATIC_ASSERT (G_N_ELEMENTS (shardwise_intent_names) == SHARDWISE_N_INTENTS + 1);

static void
slot_free (gpointer data)
{
  ShardwiseAskSlot *slot = data;

  g_free (slot->path);
  g_clear_pointer (&slot->value, g_variant_unref);
  g_free (slot);
}

/**
 * shardwise_question_free:
 * @self: a question
 */
void
shardwise_question_free (ShardwiseQuestion *self)
{
  g_ptr_array_unref (self->slots);
  g_free (self->text);
  g_free (self->term);
  g_free (self->goal);
  g_free (self->unknown_gpu);
  g_free (self->wrong);
  g_free (self);
}

/* ---- words ---- */

/* ---- follow-ups ---- */

static gboolean
names_path (const ShardwiseQuestion *self, const char *path)
{
  for (guint i = 0; i < self->slots->len; i++)
    if (g_str_equal (((ShardwiseAskSlot *) g_ptr_array_index (self->slots, i))->path, path))
      return TRUE;
  return FALSE;
}

/* A model is named by a preset or by a size. */
static gboolean
is_replaced (const ShardwiseQuestion *self, const char *path)
{
  if (g_str_has_prefix (path, "model."))
    return names_path (self, "model.preset") || names_path (self, "model.parameters_b");
  return names_path (self, path);
}

/* The key that "and with 64?" is about. */
static const char *
path_of_numbers (const ShardwiseQuestion *before)
{
  const char *path = "cluster.gpus";

  for (guint i = 0; i < before->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (before->slots, i);
      const ShardwiseKey *key = shardwise_key_find (slot->path);

      if (key != NULL && key->kind == SHARDWISE_KEY_INTEGER && slot->side == 0)
        path = slot->path;
    }
  return path;
}

static void
follow (ShardwiseAskReader *self, const ShardwiseQuestion *before)
{
  ShardwiseQuestion *question = self->question;
  gboolean begins = shardwise_ask_is_mark (self, 0, "follow"),
           has_intent = question->intent != SHARDWISE_INTENT_UNKNOWN && question->confidence > 0.4;

  if (!begins
      && (has_intent
          || !(question->slots->len > 0 || question->term != NULL || question->goal != NULL)))
    return;

  guint own = question->slots->len;

  for (guint i = 0; i < before->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (before->slots, i);
      ShardwiseAskSlot *copy;

      if (is_replaced (question, slot->path) || (slot->side == 1 && own > 0))
        continue;
      copy = g_new0 (ShardwiseAskSlot, 1);
      copy->path = g_strdup (slot->path);
      copy->value = slot->value != NULL ? g_variant_ref (slot->value) : NULL;
      copy->factor = slot->factor;
      copy->side = slot->side;
      g_ptr_array_add (question->slots, copy);
    }
  if (has_intent && question->intent != SHARDWISE_INTENT_WHAT_IF)
    return;
  question->intent = before->intent;
  question->confidence = MAX (question->confidence, 0.5);
  if (question->term == NULL)
    question->term = g_strdup (before->term);
  if (question->goal == NULL)
    question->goal = g_strdup (before->goal);
}

static void
read_slots (ShardwiseAskReader *self, const char *path)
{
  for (guint i = 0; i < self->atoms->len; i++)
    {
      const ShardwiseAskAtom *atom = shardwise_ask_atom (self->atoms, i);
      const char *right;

      if (atom->is_number)
        continue;
      right = shardwise_ask_vocabulary_spell (self->vocabulary, atom->text);
      if (right != NULL)
        shardwise_ask_atom_replace (self->atoms, i, right);
    }

  int sum = 0;

  for (guint i = 0; i < self->atoms->len; i++)
    sum += shardwise_ask_vocabulary_german (self->vocabulary,
                                            shardwise_ask_atom (self->atoms, i)->text);
  self->question->german = sum > 0;
  shardwise_ask_read_names (self);
  shardwise_ask_read_keys (self);
  shardwise_ask_settle_slots (self, path);
}

static ShardwiseQuestion *
question_new (const char *text)
{
  ShardwiseQuestion *self = g_new0 (ShardwiseQuestion, 1);

  self->text = g_utf8_make_valid (text, -1);
  self->slots = g_ptr_array_new_with_free_func (slot_free);
  return self;
}

/**
 * shardwise_ask_features_of:
 * @text: a question
 * @scenario: (nullable): what it is about
 *
 * Returns: (transfer full) (element-type ShardwiseAskFeature): what its intent is read from
 */
GArray *
shardwise_ask_features_of (const char *text, ShardwiseScenario *scenario)
{
  g_autoptr (ShardwiseQuestion) question = question_new (text);
  g_autoptr (GArray) atoms = shardwise_ask_atoms (text);
  g_autofree guint8 *used = g_malloc (MAX (atoms->len, 1));
  ShardwiseAskReader self = { shardwise_ask_vocabulary_get (), atoms, used, scenario, question };

  memset (used, SHARDWISE_ASK_N_KINDS, atoms->len);
  read_slots (&self, NULL);
  return shardwise_ask_features (&self);
}

/**
 * shardwise_question_parse:
 * @text: in English or German; any text
 * @scenario: (nullable): what "twice" is twice of, and how many GPUs a node has
 * @before: (nullable): the question before, of which this may be the continuation
 *
 * Returns: (transfer full): what is asked; %SHARDWISE_INTENT_UNKNOWN where that is not understood
 */
ShardwiseQuestion *
shardwise_question_parse (const char *text, ShardwiseScenario *scenario,
                          const ShardwiseQuestion *before)
{
  ShardwiseQuestion *question = question_new (text);
  g_autoptr (GArray) atoms = shardwise_ask_atoms (text);
  g_autofree guint8 *used = g_malloc (MAX (atoms->len, 1));
  ShardwiseAskReader self = { shardwise_ask_vocabulary_get (), atoms, used, scenario, question };

  memset (used, SHARDWISE_ASK_N_KINDS, atoms->len);
  read_slots (&self, before != NULL ? path_of_numbers (before) : NULL);
  shardwise_ask_read_intent (&self);
  if (question->intent == SHARDWISE_INTENT_FAULT)
    shardwise_ask_read_topic (&self);
  if (before != NULL)
    follow (&self, before);
  return question;
}

/* ---- slots ---- */

/**
 * shardwise_question_find:
 * @path: key path
 * @side: 0, or 1 for what is held against it
 *
 * Returns: (transfer none) (nullable): the slot, one with a value before one without
 */
const ShardwiseAskSlot *
shardwise_question_find (const ShardwiseQuestion *self, const char *path, guint side)
{
  const ShardwiseAskSlot *found = NULL;

  for (guint i = 0; i < self->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->slots, i);

      if (slot->side == side && g_str_equal (slot->path, path)
          && (found == NULL || found->value == NULL))
        found = slot;
    }
  return found;
}

/**
 * shardwise_question_has_values:
 * @self: a question
 * @side: of a comparison; 0 where there is none
 *
 * Returns: whether that side states a value, or a factor, of a key of the scenario
 */
gboolean
shardwise_question_has_values (const ShardwiseQuestion *self, guint side)
{
  for (guint i = 0; i < self->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->slots, i);

      if (slot->side == side && (slot->value != NULL || slot->factor > 0)
          && shardwise_key_find (slot->path) != NULL)
        return TRUE;
    }
  return FALSE;
}

/**
 * shardwise_question_changes:
 * @side: 0, or 1 for what is held against it
 *
 * Returns: (transfer floating): a{sv}, the values that the question names, as win.apply takes them
 */
GVariant *
shardwise_question_changes (const ShardwiseQuestion *self, guint side)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  for (guint i = 0; i < self->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->slots, i);

      if (slot->side == side && slot->value != NULL && shardwise_key_find (slot->path) != NULL)
        g_variant_dict_insert_value (&dict, slot->path, slot->value);
    }
  return g_variant_dict_end (&dict);
}

static void
set_slot (JsonObject *object, const ShardwiseAskSlot *slot)
{
  if (slot->value == NULL && slot->factor > 0)
    json_object_set_double_member (object, slot->path, slot->factor);
  else if (slot->value == NULL)
    json_object_set_null_member (object, slot->path);
  else
    json_object_set_member (object, slot->path, json_gvariant_serialize (slot->value));
}

/**
 * shardwise_question_slots_to_json:
 *
 * Returns: (transfer full): the slots by key path; in "than" those that they are held against;
 *   "term", "goal" and "gpu" where there are any
 */
JsonNode *
shardwise_question_slots_to_json (const ShardwiseQuestion *self)
{
  JsonObject *object = json_object_new (), *than = json_object_new ();

  for (guint i = 0; i < self->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->slots, i);

      set_slot (slot->side == 1 ? than : object, slot);
    }
  if (json_object_get_size (than) > 0)
    json_object_set_object_member (object, "than", json_object_ref (than));
  if (self->term != NULL)
    json_object_set_string_member (object, "term", self->term);
  if (self->goal != NULL)
    json_object_set_string_member (object, "goal", self->goal);
  if (self->unknown_gpu != NULL)
    json_object_set_string_member (object, "gpu", self->unknown_gpu);
  json_object_unref (than);
  return shardwise_json_take_object (object);
}
