/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Example questions, and answers: the intent selects the function; the window uses a worker thread. */
#include "shardwise-ask-answer.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-dimension.h"
#include "shardwise-json.h"
#include "shardwise-ask-needs.h"
#include "shardwise-ask-match.h"
#include "shardwise-format.h"
#include "shardwise-resolve.h"

/* Translators: questions that Ask understands; keep them in words that it reads (English or German) */
static const struct {
  const char *page, *text;
} of_pages[] = {
  { "analysis", N_ ("Why so much memory?") },
  { "analysis", N_ ("What is the pipeline bubble?") },
  { "analysis", N_ ("What if the sequence length doubles?") },
  { "analysis", N_ ("How can I save memory?") },
  { "alternatives", N_ ("Tensor parallelism or FSDP?") },
  { "alternatives", N_ ("Pipeline parallelism or ZeRO 3?") },
  { "alternatives", N_ ("What if I use full recomputation?") },
  { "scale", N_ ("How many GPUs do I need?") },
  { "scale", N_ ("Does it fit on A100s?") },
  { "scale", N_ ("How long does 1T tokens take?") },
  { "alternatives", N_ ("Is ZeRO 2 allowed with a pipeline?") },
  { "alternatives", N_ ("Is context parallelism allowed in DeepSpeed?") },
};

/* Translators: a question that Ask understands; keep it in words that it reads (English or
 * German): "Why TP 8 rather than 4?" */
static char *
ask_why (ShardwiseAdvice *advice)
{
  const SwStrategy *strategy = advice != NULL ? &shardwise_advice_get_recommended (advice)->strategy
                                              : NULL;

  if (strategy == NULL || (strategy->tp < 2 && strategy->zero_stage != 3))
    return g_strdup (_ ("Why this strategy?"));
  return strategy->tp > 1 ? g_strdup_printf (_ ("Why %s %u rather than %u?"),
                                             shardwise_dimension_degree (SW_DIM_TP), strategy->tp,
                                             strategy->tp / 2u)
                          : g_strdup (_ ("Why not ZeRO 1?"));
}

/**
 * shardwise_ask_examples:
 * @scenario: what is asked about
 * @advice: (nullable): its answer
 * @page: (nullable): that is looked at
 *
 * Returns: (transfer full) (element-type utf8): questions that fit the present input and page: why its
 * strategy is as it is and what holds it back, or what to do where none fits; what another cluster
 * would change; what it costs
 */
GPtrArray *
shardwise_ask_examples (ShardwiseScenario *scenario, ShardwiseAdvice *advice, const char *page)
{
  GPtrArray *questions = g_ptr_array_new_with_free_func (g_free);
  const double gpus = shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0);

  for (guint i = 0; page != NULL && i < G_N_ELEMENTS (of_pages); i++)
    if (g_str_equal (of_pages[i].page, page))
      g_ptr_array_add (questions, g_strdup (_ (of_pages[i].text)));
  if (advice != NULL && !shardwise_advice_get_fits (advice))
    {
      g_ptr_array_add (questions, g_strdup (_ ("How many GPUs do I need?")));
      g_ptr_array_add (questions, g_strdup (_ ("How can I save memory?")));
    }
  else
    {
      g_ptr_array_add (questions, ask_why (advice));
      g_ptr_array_add (questions, g_strdup (_ ("What limits me?")));
    }
  if (questions->len > 3)
    return questions;
  if (gpus > 0 && gpus <= G_MAXUINT16)
    /* Translators: a question that Ask understands; keep it in words that it reads */
    g_ptr_array_add (questions, g_strdup_printf (_ ("What if I use %u GPUs?"), (guint) gpus * 2));
  g_ptr_array_add (questions, g_strdup (_ ("What if I use H200?")));
  g_ptr_array_add (questions, g_strdup (_ ("How much does it cost?")));
  return questions;
}

/* ---- what can be asked ---- */

/* Of each kind of question how a chip names it, one that may be asked, and who answers it. */
static const struct {
  const char *title, *example;
  void (*answer) (ShardwiseAsking *self);
} intents[SHARDWISE_N_INTENTS] = {
  [SHARDWISE_INTENT_UNKNOWN] = { N_ ("Not understood"), NULL, shardwise_asking_unknown },
  [SHARDWISE_INTENT_WHY] = { N_ ("Why?"), N_ ("Why not ZeRO 3?"), shardwise_asking_why },
  [SHARDWISE_INTENT_WHAT_IF] = { N_ ("What if?"), N_ ("What if I use H200?"),
                                 shardwise_asking_what_if },
  [SHARDWISE_INTENT_FITS] = { N_ ("Does it fit?"), N_ ("Does a 70B model fit on 8 H100?"),
                              shardwise_asking_fits },
  [SHARDWISE_INTENT_GPUS] = { N_ ("How many GPUs?"), N_ ("How many GPUs do I need?"),
                              shardwise_asking_gpus },
  [SHARDWISE_INTENT_MEMORY] = { N_ ("How much memory?"), N_ ("How much memory does each GPU use?"),
                                shardwise_asking_memory },
  [SHARDWISE_INTENT_TIME] = { N_ ("How long?"), N_ ("How long does 1T tokens take?"),
                              shardwise_asking_time },
  [SHARDWISE_INTENT_COST] = { N_ ("How much does it cost?"), N_ ("How much does it cost?"),
                              shardwise_asking_cost },
  [SHARDWISE_INTENT_THROUGHPUT] = { N_ ("How fast?"), N_ ("What if I use twice as many GPUs?"),
                                    shardwise_asking_throughput },
  [SHARDWISE_INTENT_LIMIT] = { N_ ("What limits me?"),
                               N_ ("What if the network had twice the bandwidth?"),
                               shardwise_asking_limit },
  [SHARDWISE_INTENT_OOM] = { N_ ("Why so much memory?"), N_ ("How can I save memory?"),
                             shardwise_asking_oom },
  [SHARDWISE_INTENT_SLOW] = { N_ ("Why so slow?"), N_ ("What is the bottleneck?"),
                              shardwise_asking_slow },
  [SHARDWISE_INTENT_DEFINE] = { N_ ("What does it mean?"), N_ ("What is the pipeline bubble?"),
                                shardwise_asking_define },
  [SHARDWISE_INTENT_COMPARE] = { N_ ("Which is better?"), N_ ("Which is faster, fp8 or bf16?"),
                                 shardwise_asking_compare },
  [SHARDWISE_INTENT_HOW_TO] = { N_ ("How do I improve it?"), N_ ("How can I make it faster?"),
                                shardwise_asking_how_to },
  [SHARDWISE_INTENT_BEST] = { N_ ("Which strategy?"), N_ ("Why this strategy?"),
                              shardwise_asking_best },
  [SHARDWISE_INTENT_FAULT] = { N_ ("A fault"), N_ ("My training is slow, why?"),
                               shardwise_asking_fault },
  [SHARDWISE_INTENT_ALLOWED] = { N_ ("Is it allowed?"), N_ ("Is ZeRO 2 allowed with a pipeline?"),
                                 shardwise_asking_allowed },
};

enum { SUGGESTIONS = 3 };

/* How many words the two questions share. */
static guint
likeness (GArray *atoms, const char *text)
{
  g_autoptr (GArray) others = shardwise_atoms (text);
  guint n = 0;

  for (guint i = 0; i < atoms->len; i++)
    for (guint j = 0; j < others->len; j++)
      n += strlen (shardwise_atom (atoms, i)->text) > 2
           && g_str_equal (shardwise_atom (atoms, i)->text, shardwise_atom (others, j)->text);
  return n;
}

/* What is said where nothing was understood. */
void
shardwise_asking_unknown (ShardwiseAsking *self)
{
  ShardwiseAskPart *kind = g_ptr_array_index (self->answer->understood, 0);

  self->answer->confidence = MIN (self->answer->confidence, SHARDWISE_ASK_UNSURE);
  g_free (kind->value);
  kind->value = g_strdup (shardwise_intent_title (SHARDWISE_INTENT_UNKNOWN));
  if (self->question->missed != NULL)
    {
      /* Translators: words of a question */
      shardwise_asking_say (self,
                            _ ("Not understood: %s. Put it in other words, or leave it out. "
                               "The nearest questions that can be answered are listed below."),
                            self->question->missed);
      return;
    }
  shardwise_asking_tell (
      self, _ ("I did not understand that. I can say why a strategy is as it is and not otherwise; "
               "what another GPU, number, batch, sequence, network, precision, model or price "
               "would change; whether it fits, on how many GPUs, how long it takes and what it "
               "costs; what limits it, and what to do where memory or speed is short; what a term "
               "means; and how two settings compare."));
}

/* Suggests questions: of the same kind and with the same words if the answer is unsure, else other kinds. */
static void
suggest (ShardwiseAsking *self)
{
  g_autoptr (GArray) atoms = shardwise_atoms (self->question->text);
  const gboolean is_unknown = self->answer->confidence <= SHARDWISE_ASK_UNSURE;
  gboolean used[SHARDWISE_N_INTENTS] = { [SHARDWISE_INTENT_UNKNOWN] = TRUE };

  used[self->question->intent] = !is_unknown || self->question->intent == SHARDWISE_INTENT_UNKNOWN;
  for (guint n = 0; n < SUGGESTIONS; n++)
    {
      guint best = 0, most = 0;

      for (guint k = 1; k <= SHARDWISE_N_INTENTS; k++)
        {
          const guint i = (self->question->intent + k * 5) % SHARDWISE_N_INTENTS,
                      like = used[i]       ? 0
                             : !is_unknown ? 1
                             : self->question->intent == i
                                 ? G_MAXINT
                                 : likeness (atoms, _ (intents[i].example)) + 1;

          if (like > most && g_ascii_strcasecmp (_ (intents[i].example), self->question->text) != 0)
            {
              best = i;
              most = like;
            }
        }
      used[best] = TRUE;
      g_ptr_array_add (self->answer->suggestions, g_strdup (_ (intents[best].example)));
    }
}

/* ---- what was understood ---- */

/**
 * shardwise_intent_title:
 * @intent: a kind of question
 *
 * Returns: (transfer none): its name, translated
 */
const char *
shardwise_intent_title (ShardwiseIntent intent)
{
  return _ (intents[intent].title);
}

static void
part_free (gpointer data)
{
  ShardwiseAskPart *self = data;

  g_free (self->value);
  g_free (self);
}

static void
add_part (GPtrArray *parts, const char *part, char *value)
{
  ShardwiseAskPart *self = g_new0 (ShardwiseAskPart, 1);

  self->part = g_intern_string (part);
  self->value = value;
  g_ptr_array_add (parts, self);
}

/* (nullable) */
static char *
slot_text (const ShardwiseAskSlot *slot)
{
  g_autoptr (GVariant) one = NULL;
  g_autofree char *number = NULL;

  if (slot->key != SHARDWISE_KEY_NONE && slot->value == NULL)
    return slot->factor > 0
               ? g_strdup_printf ("%s × %g", _ (shardwise_key_get (slot->key)->title), slot->factor)
               : g_strdup (_ (shardwise_key_get (slot->key)->title));
  if (slot->key != SHARDWISE_KEY_NONE)
    {
      one = g_variant_ref_sink (g_variant_new_parsed ("{%s: %v}", slot->path, slot->value));
      return shardwise_asking_describe (one);
    }
  if (slot->value == NULL || g_str_has_prefix (slot->path, "said."))
    return NULL;
  number = shardwise_format_significant (g_variant_get_double (slot->value));
  return g_strdup_printf (strcmp (slot->path, "days") == 0
                              ? /* Translators: a number of days */
                              _ ("%s days")
                              : strcmp (slot->path, "budget") == 0
                                    ? /* Translators: an amount of money */
                                    _ ("a budget of %s")
                                    : /* Translators: a number */
                                    _ ("%s measured"),
                          number);
}

/* The parts of a question: its kind, the job that it is about, and what else it names. */
static GPtrArray *
understood_new (ShardwiseScenario *scenario, const ShardwiseQuestion *question)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func (part_free);
  g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (scenario);
  g_autoptr (GVariant) named = g_variant_ref_sink (shardwise_question_changes (question, 0)),
                       settled = shardwise_asking_settle (named, scenario);
  g_autofree char *type = NULL;
  const ShardwiseAskSlot *slot;
  SwProblem problem;

  add_part (parts, "intent", g_strdup (shardwise_intent_title (question->intent)));
  if (question->intent == SHARDWISE_INTENT_DEFINE)
    for (guint i = 0; i < MIN (question->topics->len, 3); i++)
      add_part (parts, "topic", g_strdup (g_ptr_array_index (question->topics, i)));
  shardwise_scenario_apply (changed, settled, NULL);
  if (shardwise_scenario_resolve (changed, &problem, NULL, NULL))
    {
      add_part (parts, shardwise_key_path (SHARDWISE_KEY_MODEL_PRESET),
                g_strdup (problem.model.name));
      add_part (parts, shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPUS),
                g_strdup_printf ("%u × %s", problem.cluster.gpus, problem.cluster.gpu.name));
      type = shardwise_scenario_get_string (changed, SHARDWISE_KEY_TRAINING_TYPE);
      if (type != NULL)
        add_part (parts, shardwise_key_path (SHARDWISE_KEY_TRAINING_TYPE),
                  g_strdup (shardwise_key_word_title (SHARDWISE_KEY_TRAINING_TYPE, type)));
    }
  for (guint i = 0; (slot = shardwise_question_slot (question, i)) != NULL; i++)
    {
      const ShardwiseKeyId key = slot->key;
      g_autofree char *text = slot_text (slot);

      /* What stands in the job already. */
      if (slot->side == 0 && slot->value != NULL
          && (slot->repeats || key == SHARDWISE_KEY_MODEL_PRESET
              || key == SHARDWISE_KEY_MODEL_PARAMETERS_B || key == SHARDWISE_KEY_CLUSTER_GPU
              || key == SHARDWISE_KEY_CLUSTER_GPUS || key == SHARDWISE_KEY_TRAINING_TYPE))
        continue;
      if (text != NULL && *text != '\0')
        add_part (parts, slot->path,
                  slot->side == 0 ? g_steal_pointer (&text)
                                  : /* Translators: what is held against the rest */
                      g_strdup_printf (_ ("against %s"), text));
    }
  return parts;
}

/* ---- answers ---- */

static void
fact_free (gpointer data)
{
  g_free (((ShardwiseAskFact *) data)->name);
  g_free (data);
}

/**
 * shardwise_answer_free:
 * @self: an answer
 */
void
shardwise_answer_free (ShardwiseAnswer *self)
{
  g_free (self->text);
  g_free (self->change);
  g_clear_pointer (&self->changes, g_variant_unref);
  g_ptr_array_unref (self->facts);
  g_ptr_array_unref (self->suggestions);
  g_clear_pointer (&self->understood, g_ptr_array_unref);
  g_free (self);
}

/* Whether the inputs accept what is asked; "TP 8, PP 4 and DP 4 on 64 GPUs" is not a valid run. */
static gboolean
can_be (ShardwiseScenario *scenario, const ShardwiseQuestion *question)
{
  g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (scenario);
  g_autoptr (GVariant) named = g_variant_ref_sink (shardwise_question_changes (question, 0)),
                       settled = shardwise_asking_settle (named, scenario);
  SwProblem problem;

  return (question->intent != SHARDWISE_INTENT_FITS && question->intent != SHARDWISE_INTENT_WHAT_IF)
         || (shardwise_scenario_apply (changed, settled, NULL)
             && shardwise_scenario_resolve (changed, &problem, NULL, NULL));
}

/**
 * shardwise_answer_compute:
 * @scenario: what the question is about; not changed
 * @question: of shardwise_question_parse()
 * @cancellable: (nullable): stops it
 *
 * Returns: (transfer full): the answer; %NULL with @error only where it was cancelled. What is
 * wrong with scenario or question is said in the answer.
 */
ShardwiseAnswer *
shardwise_answer_compute (ShardwiseScenario *scenario, const ShardwiseQuestion *question,
                          GCancellable *cancellable, GError **error)
{
  g_autoptr (ShardwiseAnswer) answer = g_new0 (ShardwiseAnswer, 1);
  ShardwiseAsking self = { .scenario = scenario,
                           .question = question,
                           .cancellable = cancellable,
                           .answer = answer,
                           .text = g_string_new (NULL),
                           .told = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };

  answer->facts = g_ptr_array_new_with_free_func (fact_free);
  answer->suggestions = g_ptr_array_new_with_free_func (g_free);
  answer->confidence = question->confidence;
  answer->understood = understood_new (scenario, question);
  /* A GPU that nobody measured is said before anything is computed. */
  if (question->unknown_gpu != NULL)
    shardwise_asking_say (
        &self,
        /* Translators: name of a GPU */
        _ ("The catalog has no data for the %s, so nothing is computed for it. Choose a GPU of the "
           "catalog, or enter only its memory: “8 GPUs with 24 GB”."),
        question->unknown_gpu);
  if (question->confidence <= SHARDWISE_ASK_UNSURE || question->missed != NULL)
    shardwise_asking_unknown (&self);
  else if (question->unknown_gpu != NULL)
    {
      g_autoptr (ShardwiseAdvice) advice = shardwise_asking_own (&self);

      /* The sum of the states is the same on any. */
      if (advice != NULL)
        {
          shardwise_asking_sum (&self, advice);
          shardwise_asking_sharding (&self, advice);
          shardwise_asking_ways_out (&self, advice);
        }
    }
  else
    (can_be (scenario, question) ? intents[question->intent].answer
                                 : shardwise_asking_allowed) (&self);
  suggest (&self);
  g_clear_object (&self.now);
  g_free (self.plain);
  g_hash_table_unref (self.told);
  answer->text = g_strstrip (g_string_free (self.text, FALSE));
  if (self.error == NULL && !g_cancellable_set_error_if_cancelled (cancellable, &self.error))
    return g_steal_pointer (&answer);
  g_propagate_error (error, self.error);
  return NULL;
}

/* ---- on a worker ---- */

/* @source: a copy of the scenario that nobody else has; @data: the question. */
static void
answer_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  ShardwiseAnswer *answer = shardwise_answer_compute (source, data, cancellable, &error);

  if (answer != NULL)
    g_task_return_pointer (task, answer, (GDestroyNotify) shardwise_answer_free);
  else
    g_task_return_error (task, error);
}

/**
 * shardwise_answer_async:
 * @scenario: copied here
 * @question: (transfer full): of shardwise_question_parse()
 *
 * Answers on a worker thread.
 */
void
shardwise_answer_async (ShardwiseScenario *scenario, ShardwiseQuestion *question,
                        GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (ShardwiseScenario) copy = shardwise_scenario_copy (scenario);
  g_autoptr (GTask) task = g_task_new (copy, cancellable, callback, data);

  g_task_set_source_tag (task, shardwise_answer_async);
  g_task_set_task_data (task, question, (GDestroyNotify) shardwise_question_free);
  g_task_run_in_thread (task, answer_thread);
}

/**
 * shardwise_answer_finish:
 * @result: of shardwise_answer_async()
 * @question: (out) (transfer full) (optional): what was understood, for the next question
 *
 * Returns: (transfer full): the answer, or %NULL with @error where it was cancelled
 */
ShardwiseAnswer *
shardwise_answer_finish (GAsyncResult *result, ShardwiseQuestion **question, GError **error)
{
  ShardwiseAnswer *answer = g_task_propagate_pointer (G_TASK (result), error);

  if (answer != NULL && question != NULL)
    *question = shardwise_question_copy (g_task_get_task_data (G_TASK (result)));
  return answer;
}

/* ---- JSON ---- */

static void
add_pair (JsonArray *array, const char *name, const char *text, const char *other,
          const char *other_text)
{
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, name, text);
  json_object_set_string_member (object, other, other_text);
  json_array_add_object_element (array, object);
}

/**
 * shardwise_answer_to_json:
 * @question: that it answers
 *
 * Returns: (transfer full): the object of `ask --json`
 */
JsonNode *
shardwise_answer_to_json (const ShardwiseAnswer *self, const ShardwiseQuestion *question)
{
  JsonObject *object = json_object_new ();
  JsonArray *facts = json_array_new (), *understood = json_array_new (),
            *left_out = json_array_new ();

  for (guint i = 0; i < self->facts->len; i++)
    {
      const ShardwiseAskFact *fact = g_ptr_array_index (self->facts, i);

      add_pair (facts, "name", fact->name, "unit", fact->unit);
      json_object_set_double_member (json_array_get_object_element (facts, i), "value",
                                     fact->value);
    }
  for (guint i = 0; i < self->understood->len; i++)
    {
      const ShardwiseAskPart *part = g_ptr_array_index (self->understood, i);

      add_pair (understood, "part", part->part, "value", part->value);
    }
  for (guint i = 0; i < question->left_out->len; i++)
    {
      const ShardwiseAskLeftOut *left = g_ptr_array_index (question->left_out, i);

      add_pair (left_out, "words", left->words, "why", left->why);
    }
  json_object_set_string_member (object, "intent", shardwise_intent_names[question->intent]);
  json_object_set_array_member (object, "understood", understood);
  json_object_set_array_member (object, "left_out", left_out);
  json_object_set_member (object, "slots", shardwise_question_slots_to_json (question));
  json_object_set_string_member (object, "answer", self->text);
  json_object_set_array_member (object, "facts", facts);
  json_object_set_member (object, "changes",
                          (self->changes != NULL
                               ? json_gvariant_serialize (self->changes)
                               : shardwise_json_take_object (json_object_new ())));
  json_object_set_double_member (object, "confidence", self->confidence);
  json_object_set_array_member (object, "suggestions", shardwise_json_strings (self->suggestions));
  if (self->page != NULL)
    json_object_set_string_member (object, "page", self->page);
  return shardwise_json_take_object (object);
}
