/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Definitions and explanations with the figures of the job, and paragraphs that several answers use. */
#include "shardwise-ask-needs.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-format.h"
#include "shardwise-terms.h"

enum { MOST_TOPICS = 2 };

/* ---- paragraphs ---- */

/* Tells the sum of the states, the available memory, and whether a claimed amount can be right. */
void
shardwise_asking_sum (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const double states = shardwise_asking_figure (self, advice, "states");
  const ShardwiseAskSlot *slot;

  if (problem->training.type == SW_TRAINING_RLHF || shardwise_asking_is_told (self, "sum"))
    return;
  shardwise_asking_apart (self);
  shardwise_asking_tell_of (
      self, advice,
      sw_training_is_adapter (&problem->training)
          ? _ ("The sum: {model_parameters} parameters × {base_bytes} bytes of the frozen model, "
               "and "
               "for the {trained_share} that is trained {state_bytes}, in {framework_name} are "
               "{states} of states before any activation.")
          : _ ("The sum: {model_parameters} parameters × {state_bytes} bytes (weights "
               "{weight_bytes}, gradients {gradient_bytes}, optimizer and any master weights "
               "{optimizer_bytes}) in {framework_name} are {states} of states before any "
               "activation."));
  shardwise_asking_tell_of (
      self, advice,
      problem->cluster.gpus == 1
          ? _ ("The GPU has {memory_of_all_gpus}.")
          : _ ("On each of {gpus} GPUs that is {states_per_gpu} if all of it is sharded; together "
               "they have {memory_of_all_gpus}."));
  shardwise_asking_fact (self, "bytes_per_parameter", states / problem->count.total, "B");
  for (guint i = 0; (slot = shardwise_question_slot (self->question, i)) != NULL; i++)
    {
      double said = g_str_equal (slot->path, "said.memory_gb")
                        ? g_variant_get_double (slot->value) * 1e9
                        : 0;
      g_autofree char *claim = shardwise_format_significant (said / 1e9),
                      *times = shardwise_format_significant (states / said),
                      *rest = shardwise_format_significant (said / problem->count.total);

      if (said > 2 * problem->cluster.usable_bytes && said < 0.95 * states)
        shardwise_asking_say (
            self,
            /* Translators: an amount that was named, a factor, bytes per parameter */
            _ ("The %s GB named cannot be right for that: the states alone are %s times as "
               "much. They would be %s bytes a parameter, as with 16-bit states and 8-bit "
               "Adam (6) or adapters (2)."),
            claim, times, rest);
    }
}

/* The fullest GPU, part by part. */
void
shardwise_asking_parts (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwMemory *memory = &shardwise_advice_get_recommended (advice)->memory;

  if (!(memory->peak.total > 0) || shardwise_asking_is_told (self, "parts"))
    return;
  shardwise_asking_apart (self);
  shardwise_asking_tell_of (self, advice,
                            _ ("The fullest GPU: {parts} = {memory} ({memory_low}–{memory_high}) "
                               "of {usable_memory}; at most {memory_limit} may be taken."));
  if (memory->host_bytes > 0)
    shardwise_asking_tell_of (self, advice,
                              _ ("Host memory of a node: {host} needed, of {host_there}."));
}

/* What the states take on a GPU under each ZeRO stage if all GPUs are data-parallel. */
void
shardwise_asking_sharding (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);

  if (sw_training_is_adapter (&problem->training) || problem->cluster.gpus < 2
      || shardwise_asking_is_told (self, "sharding"))
    return;
  shardwise_asking_apart (self);
  shardwise_asking_tell_of (self, advice,
                            _ ("States per GPU if nothing else splits the model: {zero_stages}."));
}

/* Each stage of a pipeline. */
void
shardwise_asking_stages (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  if (shardwise_advice_get_recommended (advice)->strategy.pp < 2
      || shardwise_asking_is_told (self, "stages"))
    return;
  shardwise_asking_apart (self);
  shardwise_asking_tell_of (self, advice,
                            _ ("By stage: {stages}. The fullest is stage {peak_stage}."));
}

static void
say_methods (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  shardwise_asking_methods (self, FALSE);
}

static void
say_experts (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  if (shardwise_advice_get_problem (advice)->model.moe.experts == 0)
    shardwise_asking_tell (self, _ ("This model is dense: it has no experts."));
  else if (!shardwise_asking_is_told (self, "experts"))
    shardwise_asking_tell_of (
        self, advice,
        _ ("One layer of {experts} experts has {expert_layer_parameters} parameters, "
           "{expert_layer} in 16 bits: with EP 1 a sharded layer is gathered whole, with EP 8 only "
           "{expert_layer_ep8} of it. Here EP is {ep}."));
}

static void
say_count (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);

  shardwise_asking_fact (self, "parameters_b", problem->count.total / 1e9, "1e9 parameters");
  shardwise_asking_tell_of (
      self, advice,
      problem->model.moe.experts > 0
          ? _ ("{model} has {model_parameters} parameters, of which a token uses "
               "{active_parameters}; states are of all of them.")
          : _ ("{model} has {model_parameters}: {layers} layers of {layer_parameters} (hidden "
               "{hidden_size}, intermediate {intermediate_size}) and the embeddings; with two MLP "
               "matrices in place of three it would be {two_matrices}."));
}

static const struct {
  const char *name;
  void (*say) (ShardwiseAsking *self, ShardwiseAdvice *advice);
} paragraphs[] = {
  { "sum", shardwise_asking_sum },
  { "parts", shardwise_asking_parts },
  { "sharding", shardwise_asking_sharding },
  { "stages", shardwise_asking_stages },
  { "methods", say_methods },
  { "experts", say_experts },
  { "count", say_count },
};

/* ---- terms ---- */

/* A strategy with a pipeline: the own one, or that of the job with one of four stages. */
static ShardwiseAdvice *
with_pipeline (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  g_autoptr (GVariant) changes = shardwise_asking_with (NULL, SHARDWISE_KEY_STRATEGY_PP, "x",
                                                        (gint64) 4);
  g_autoptr (ShardwiseAdvice) found = NULL;

  if (shardwise_advice_get_recommended (advice)->strategy.pp > 1)
    return g_object_ref (advice);
  found = shardwise_asking_try (self, changes);
  if (found == NULL || shardwise_advice_get_recommended (found)->strategy.pp < 2)
    return NULL;
  shardwise_asking_tell (self, _ ("Nothing is pipelined here; with four stages:"));
  return g_steal_pointer (&found);
}

/* The figures of a term here, each sentence once. */
static void
say_here (ShardwiseAsking *self, const ShardwiseTerm *term, ShardwiseAdvice *advice)
{
  g_autoptr (ShardwiseAdvice) own = term->piped ? with_pipeline (self, advice)
                                                : g_object_ref (advice);

  for (guint i = 1; own != NULL && i < term->sentences->len; i++)
    {
      const char *sentence = g_ptr_array_index (term->sentences, i);

      if (!shardwise_asking_is_told (self, sentence))
        shardwise_asking_tell_of (self, own, _ (sentence));
    }
  for (guint i = 0; own != NULL && term->then != NULL && term->then[i] != NULL; i++)
    for (guint k = 0; k < G_N_ELEMENTS (paragraphs); k++)
      if (g_str_equal (paragraphs[k].name, term->then[i]))
        paragraphs[k].say (self, own);
}

/* What it means, and its figures where there is an advice. */
static void
say_term (ShardwiseAsking *self, const ShardwiseTerm *term, ShardwiseAdvice *advice)
{
  shardwise_asking_apart (self);
  shardwise_asking_tell (self, _ (g_ptr_array_index (term->sentences, 0)));
  if (advice != NULL)
    say_here (self, term, advice);
}

/* Explains the observed topics within @scope (#ShardwiseTermScope) with figures of @advice. */
void
shardwise_asking_topics (ShardwiseAsking *self, ShardwiseAdvice *advice, guint scope)
{
  const ShardwiseQuestion *question = self->question;
  const SwProblem *problem = shardwise_advice_get_problem (advice);

  /* What matters whether it was named or not. */
  if ((scope & SHARDWISE_TERM_OF_MEMORY) && problem->training.attention == SW_ATTENTION_UNFUSED
      && !shardwise_question_has_topic (question, "attention-scores"))
    say_here (self, shardwise_term_find ("attention-scores"), advice);
  if (problem->model.moe.experts > 0
      && (shardwise_question_names (question, SHARDWISE_KEY_STRATEGY_EP, 0)
          || shardwise_question_has_topic (question, "ep")))
    say_experts (self, advice);
  for (guint i = 0, n = 0; i < question->topics->len && n < MOST_TOPICS; i++)
    {
      const ShardwiseTerm *term = shardwise_term_find (g_ptr_array_index (question->topics, i));

      /* Of two that tell the same figures the first is enough. */
      if (term == NULL || (term->scope & scope) == 0
          || (term->sentences->len > 1
              && g_hash_table_contains (self->told, g_ptr_array_index (term->sentences, 1))))
        continue;
      say_term (self, term, advice);
      n++;
    }
}

/* "What is the pipeline bubble?": what it means, and its figures here. */
void
shardwise_asking_define (ShardwiseAsking *self)
{
  g_autoptr (ShardwiseAdvice) now = shardwise_asking_own (self);
  guint n = 0;

  for (guint i = 0; i < self->question->topics->len && n < MOST_TOPICS; i++)
    {
      const ShardwiseTerm *term =
          shardwise_term_find (g_ptr_array_index (self->question->topics, i));

      if (term == NULL)
        continue;
      if (n++ == 0)
        self->answer->page = term->page;
      say_term (self, term, now);
    }
  if (n == 0)
    {
      shardwise_asking_unknown (self);
      return;
    }
  if (now != NULL && shardwise_advice_get_fits (now))
    {
      shardwise_asking_tell_of (self, now, _ ("Recommended here: {strategy}."));
      shardwise_asking_facts (self, "", now);
    }
}
