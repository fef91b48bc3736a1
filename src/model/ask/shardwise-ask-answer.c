/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Questions to begin with, and their answers: the intent picks who answers, on a worker thread for the
 * window. */
#include "shardwise-ask-answer.h"

#include <glib/gi18n.h>

#include "shardwise-dimension.h"
#include "shardwise-json.h"
#include "shardwise-ask-needs.h"
#include "shardwise-ask-why.h"

/* Questions to begin with, about the present input and its answer. */

/**
 * shardwise_ask_examples:
 * @scenario: what is asked about
 * @advice: (nullable): its answer
 *
 * Returns: (transfer full) (element-type utf8): questions that fit the present input: why its
 * strategy is as it is and what holds it back, or what to do where none fits; what another cluster
 * would change; what it costs
 */
GPtrArray *
shardwise_ask_examples (ShardwiseScenario *scenario, ShardwiseAdvice *advice)
{
  static const SwDimension splits[] = { SW_DIM_TP, SW_DIM_PP, SW_DIM_CP, SW_DIM_EP };
  GPtrArray *questions = g_ptr_array_new_with_free_func (g_free);
  double gpus = shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0);
  g_autofree char *gpu = shardwise_scenario_get_string (scenario, SHARDWISE_KEY_CLUSTER_GPU);

  if (advice != NULL && !shardwise_advice_get_fits (advice))
    {
      g_ptr_array_add (questions, g_strdup (_ ("How many GPUs do I need?")));
      g_ptr_array_add (questions, g_strdup (_ ("How can I save memory?")));
    }
  else
    {
      const SwStrategy *strategy = advice != NULL
                                       ? &shardwise_advice_get_recommended (advice)->strategy
                                       : NULL;
      guint best = G_N_ELEMENTS (splits), most = 1;

      for (guint i = 0; strategy != NULL && i < G_N_ELEMENTS (splits); i++)
        if (sw_strategy_get (strategy, splits[i]) > most)
          {
            best = i;
            most = sw_strategy_get (strategy, splits[i]);
          }
      /* The largest of the splits, against half of it; without any, the sharding. */
      if (strategy == NULL)
        g_ptr_array_add (questions, g_strdup (_ ("Why this strategy?")));
      else if (best < G_N_ELEMENTS (splits))
        /* Translators: a question that Ask understands; keep it in words that it reads (English or
         * German): "Why TP 8 rather than 4?" */
        g_ptr_array_add (questions, g_strdup_printf (_ ("Why %s %u rather than %u?"),
                                                     shardwise_dimension_degree (splits[best]),
                                                     most, most / 2));
      else
        g_ptr_array_add (questions, g_strdup (strategy->zero_stage == 3 ? _ ("Why not ZeRO 1?")
                                                                        : _ ("Why not ZeRO 3?")));
      g_ptr_array_add (questions, g_strdup (_ ("What limits me?")));
    }
  if (gpus > 0 && gpus <= G_MAXUINT16)
    /* Translators: a question that Ask understands; keep it in words that it reads (English or
     * German) */
    g_ptr_array_add (questions, g_strdup_printf (_ ("What if I use %u GPUs?"), (guint) gpus * 2));
  g_ptr_array_add (questions, gpu != NULL && g_str_has_prefix (gpu, "h200")
                                  ? g_strdup (_ ("What if I use B200?"))
                                  : g_strdup (_ ("What if I use H200?")));
  g_ptr_array_add (questions, g_strdup (_ ("How much does it cost?")));
  return questions;
}

/* Answers: the question's intent picks who says it; on a worker thread for the window. */

typedef void (*Teller) (ShardwiseAsking *self);

static const Teller tellers[SHARDWISE_N_INTENTS] = {
  [SHARDWISE_INTENT_UNKNOWN] = shardwise_asking_unknown,
  [SHARDWISE_INTENT_WHY] = shardwise_asking_why,
  [SHARDWISE_INTENT_WHAT_IF] = shardwise_asking_what_if,
  [SHARDWISE_INTENT_FITS] = shardwise_asking_fits,
  [SHARDWISE_INTENT_GPUS] = shardwise_asking_gpus,
  [SHARDWISE_INTENT_MEMORY] = shardwise_asking_memory,
  [SHARDWISE_INTENT_TIME] = shardwise_asking_time,
  [SHARDWISE_INTENT_COST] = shardwise_asking_cost,
  [SHARDWISE_INTENT_THROUGHPUT] = shardwise_asking_throughput,
  [SHARDWISE_INTENT_LIMIT] = shardwise_asking_limit,
  [SHARDWISE_INTENT_OOM] = shardwise_asking_oom,
  [SHARDWISE_INTENT_SLOW] = shardwise_asking_slow,
  [SHARDWISE_INTENT_DEFINE] = shardwise_asking_define,
  [SHARDWISE_INTENT_COMPARE] = shardwise_asking_compare,
  [SHARDWISE_INTENT_HOW_TO] = shardwise_asking_how_to,
  [SHARDWISE_INTENT_BEST] = shardwise_asking_best,
  [SHARDWISE_INTENT_FAULT] = shardwise_asking_fault,
};

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
  g_free (self);
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
                           .text = g_string_new (NULL) };

  answer->facts = g_ptr_array_new_with_free_func (fact_free);
  answer->suggestions = g_ptr_array_new_with_free_func (g_free);
  answer->confidence = question->confidence;
  /* A number that no scenario takes, or a GPU that nobody measured, is said before anything is
   * computed. */
  if (question->wrong != NULL)
    /* Translators: what is wrong with a value, and what is accepted */
    shardwise_asking_say (&self, g_strdup_printf (_ ("That cannot be: %s."), question->wrong));
  else if (question->unknown_gpu != NULL)
    shardwise_asking_say (&self, g_strdup_printf (
                                     /* Translators: name of a GPU */
                                     _ ("The catalogue has no figures of the %s, so nothing is "
                                        "computed for it. Name a GPU of the catalogue, or "
                                        "only its memory: “8 GPUs with 24 GB”."),
                                     question->unknown_gpu));
  else
    tellers[question->intent](&self);
  shardwise_asking_suggest (&self);
  answer->text = g_string_free (self.text, FALSE);
  if (self.error == NULL && !g_cancellable_set_error_if_cancelled (cancellable, &self.error))
    return g_steal_pointer (&answer);
  g_propagate_error (error, self.error);
  return NULL;
}

/* ---- on a worker ---- */

typedef struct {
  ShardwiseScenario *scenario; /* a copy that nobody else has */
  ShardwiseQuestion *question;
} AnswerData;

static void
answer_data_free (gpointer data)
{
  AnswerData *self = data;

  g_object_unref (self->scenario);
  g_clear_pointer (&self->question, shardwise_question_free);
  g_free (self);
}

static void
answer_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  AnswerData *self = data;
  g_autoptr (GError) error = NULL;
  ShardwiseAnswer *answer = shardwise_answer_compute (self->scenario, self->question, cancellable,
                                                      &error);

  if (answer != NULL)
    g_task_return_pointer (task, answer, (GDestroyNotify) shardwise_answer_free);
  else
    g_task_return_error (task, g_steal_pointer (&error));
}

/**
 * shardwise_answer_async:
 * @scenario: copied here
 * @text: the question
 * @before: (nullable): the question before
 *
 * Reads the question here, and answers it on a worker thread.
 */
void
shardwise_answer_async (ShardwiseScenario *scenario, const char *text,
                        const ShardwiseQuestion *before, GCancellable *cancellable,
                        GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  AnswerData *self = g_new0 (AnswerData, 1);

  self->scenario = shardwise_scenario_copy (scenario);
  self->question = shardwise_question_parse (text, scenario, before);
  g_task_set_source_tag (task, shardwise_answer_async);
  g_task_set_task_data (task, self, answer_data_free);
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
  AnswerData *self = g_task_get_task_data (G_TASK (result));
  ShardwiseAnswer *answer = g_task_propagate_pointer (G_TASK (result), error);

  if (answer != NULL && question != NULL)
    *question = g_steal_pointer (&self->question);
  return answer;
}

/* ---- JSON ---- */

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
  JsonArray *facts = json_array_new ();

  for (guint i = 0; i < self->facts->len; i++)
    {
      const ShardwiseAskFact *fact = g_ptr_array_index (self->facts, i);
      JsonObject *one = json_object_new ();

      json_object_set_string_member (one, "name", fact->name);
      json_object_set_double_member (one, "value", fact->value);
      json_object_set_string_member (one, "unit", fact->unit);
      json_array_add_object_element (facts, one);
    }
  json_object_set_string_member (object, "intent", shardwise_intent_names[question->intent]);
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
