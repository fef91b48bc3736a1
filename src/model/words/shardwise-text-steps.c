/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The three steps of the playbook for this very input: fit in memory, hit the batch size, optimise
 * throughput. */
#include "shardwise-texts-private.h"

#include <glib/gi18n.h>

#include "shardwise-memory-unit.h"

enum {
  LONG_SEQUENCE = 131072, /* tokens from which the playbook calls a sequence long: 128 K */
  PLAYBOOK_NODE = 8       /* GPUs that its ways begin with */
};

static void
step_free (gpointer data)
{
  ShardwiseStep *step = data;

  g_free (step->title);
  g_free (step->text);
  g_free (step->value);
  g_free (step);
}

static ShardwiseStep *
step_new (const char *step, const char *title, char *text, char *value, gboolean done)
{
  ShardwiseStep *self = g_new0 (ShardwiseStep, 1);

  self->step = step;
  self->title = g_strdup (title);
  self->text = text;
  self->value = value;
  self->done = done;
  return self;
}

/* What full training with Adam would hold without sharding; nothing of the kind is said of other
 * recipes. */
static char *
whole_sentence (const SwProblem *problem)
{
  const SwTrainingType type = problem->training.type;
  g_autofree char *whole = shardwise_format_bytes (16.0 * problem->count.total);

  if (problem->training.optimizer != SW_OPTIMIZER_ADAMW
      || (type != SW_TRAINING_PRETRAIN && type != SW_TRAINING_FINETUNE))
    return NULL;
  return g_strdup_printf (
      /* Translators: memory of all model states */
      _ ("In mixed precision with Adam the model’s states take %s unsharded."), whole);
}

static char *
fit_sentence (const SwProblem *problem, const SwEstimate *e)
{
  const SwMemoryParts *peak = &e->memory.peak;
  g_autofree char *states =
      shardwise_format_bytes (peak->parameters + peak->gradients + peak->optimizer);
  g_autofree char *activations = shardwise_format_bytes (peak->activations);
  g_autofree char *missing = shardwise_format_bytes (e->missing_bytes);
  g_autofree char *strategy = shardwise_text_strategy (&e->strategy);
  g_autofree char *rule = NULL;

  if (e->fits)
    return g_strdup_printf (
        /* Translators: a strategy, memory of states and of activations per GPU */
        _ ("%s leaves %s of states and %s of activations on the fullest GPU."), strategy, states,
        activations);
  if (e->rule == SW_RULE_GPU_MEMORY || e->rule == SW_RULE_HOST_MEMORY)
    return g_strdup_printf (
        /* Translators: a strategy, missing memory */
        _ ("The nearest strategy, %s, lacks %s."), strategy, missing);
  rule = shardwise_text_rule (problem, &e->strategy, e->rule, e->missing_bytes);
  return g_strdup_printf (
      /* Translators: a strategy, then why it cannot run */
      _ ("%s cannot run: %s."), strategy, rule);
}

/* Where the Ultra-Scale Playbook begins with a model of this size, sequence and kind. */
static char *
starting_point (const SwProblem *problem, gboolean fits)
{
  const double parameters = problem->count.total;
  const char *start = parameters < 10e9    ? _ ("TP 8 or ZeRO-3 with full recomputation on 8 GPUs")
                      : parameters < 100e9 ? _ ("TP 8 with PP, TP 8 with ZeRO-3, or ZeRO-3 alone")
                                           : _ ("TP 8 with PP and ZeRO-2");
  GString *text = g_string_new (NULL);

  /* What it calls GPU-poor: its other starts take a node of 8. */
  if (!fits || problem->cluster.gpus < PLAYBOOK_NODE)
    start = _ ("full recomputation, gradient accumulation and a smaller micro-batch");
  g_string_append_printf (text,
                          /* Translators: a way to split a model */
                          _ ("The playbook starts here with %s."), start);
  if (problem->training.sequence_length >= LONG_SEQUENCE)
    shardwise_text_append (text, g_strdup (_ ("For sequences this long it adds CP across nodes.")));
  if (problem->model.moe.experts > 0)
    shardwise_text_append (text, g_strdup (_ ("For the experts it adds EP across nodes.")));
  return g_string_free (text, FALSE);
}

/* What it takes next, by the number of GPUs; NULL: fewer than it speaks of. */
static char *
next_point (const SwProblem *problem)
{
  const guint gpus = problem->cluster.gpus;
  const char *next =
      gpus <= 8     ? _ ("TP 8 or ZeRO-3")
      : gpus <= 64  ? _ ("TP 8 with PP, or with ZeRO-3")
      : gpus < 1024 ? _ ("TP 8 with PP and DP (ZeRO-1 or 2)")
                    : _ ("TP 8 with PP, DP (ZeRO-2), CP for long sequences and EP for experts");

  if (gpus < PLAYBOOK_NODE)
    return NULL;
  return g_strdup_printf (
      /* Translators: a number of GPUs, then a way to split a model */
      ngettext ("On %'u GPU the playbook takes %s.", "On %'u GPUs the playbook takes %s.", gpus),
      gpus, next);
}

static char *
fit_text (const SwProblem *problem, const SwEstimate *e)
{
  GString *text = g_string_new (NULL);

  shardwise_text_append (text, whole_sentence (problem));
  shardwise_text_append (text, fit_sentence (problem, e));
  shardwise_text_append (text, starting_point (problem, e->fits));
  return g_string_free (text, FALSE);
}

static ShardwiseStep *
fit_step (const SwProblem *problem, const SwEstimate *e)
{
  g_autofree char *used =
      shardwise_format_significant (e->memory.peak.total / shardwise_memory_unit_bytes ());
  g_autofree char *usable = shardwise_format_bytes (e->usable_bytes);

  return step_new ("fit", _ ("Fit in memory"), fit_text (problem, e),
                   /* Translators: memory used and usable: "61.2 of 79.2 GiB" */
                   g_strdup_printf (_ ("%s of %s"), used, usable), e->fits);
}

static ShardwiseStep *
batch_step (const SwProblem *problem, const SwEstimate *e)
{
  const SwTraining *training = &problem->training;
  const guint64 product = (guint64) e->strategy.dp * e->strategy.micro_batch
                          * e->gradient_accumulation;
  g_autofree char *tokens =
      shardwise_format_count ((double) training->global_batch * training->sequence_length);

  return step_new ("batch", _ ("Hit the batch size"),
                   g_strdup_printf (
                       /* Translators: sequences of a batch, replicas, sequences of a micro-batch,
                          accumulation steps, tokens */
                       _ ("A global batch of %'u sequences is DP %u × micro-batch %u × %u "
                          "accumulation steps: %s tokens per step. More "
                          "DP or accumulation raises it; trading DP for TP or PP lowers it."),
                       training->global_batch, e->strategy.dp, e->strategy.micro_batch,
                       e->gradient_accumulation, tokens),
                   /* Translators: a number of tokens */
                   g_strdup_printf (_ ("%s tokens"), tokens), product == training->global_batch);
}

static char *
throughput_text (const SwProblem *problem, const SwEstimate *e, const SwSearchResult *search)
{
  g_autofree char *communication = shardwise_format_percent (e->communication_overhead);
  g_autofree char *bubble = shardwise_format_percent (e->bubble_fraction);
  g_autofree char *fit = NULL, *tried = NULL;
  GString *text = g_string_new (NULL);

  if (search != NULL && search->n_best > 0
      && sw_strategy_equal (&search->best[0].strategy, &e->strategy))
    {
      fit = shardwise_format_whole ((double) search->fit);
      tried = shardwise_format_whole ((double) search->tried);
      shardwise_text_append (text, g_strdup_printf (
                                       /* Translators: two numbers of strategies */
                                       _ ("Of %s strategies that were tried %s fit; this is "
                                          "the fastest, or within 1 %% of it and simpler."),
                                       tried, fit));
    }
  shardwise_text_append (text,
                         g_strdup_printf (
                             /* Translators: two percentages */
                             _ ("Communication takes %s of the step and the pipeline bubble %s."),
                             communication, bubble));
  shardwise_text_append (text, next_point (problem));
  return g_string_free (text, FALSE);
}

static ShardwiseStep *
throughput_step (const SwProblem *problem, const SwEstimate *e, const SwSearchResult *search)
{
  g_autofree char *rate = shardwise_format_significant (e->tokens_per_s_per_gpu);

  return step_new ("throughput", _ ("Optimise throughput"), throughput_text (problem, e, search),
                   /* Translators: a rate per GPU */
                   g_strdup_printf (_ ("%s tokens/s per GPU"), rate), e->fits);
}

/**
 * shardwise_text_steps:
 * @problem: the question
 * @estimate: of the recommended strategy, or of the nearest where nothing fits
 * @search: (nullable): the search that found it
 *
 * Returns: (transfer full) (element-type ShardwiseStep): fit, batch, throughput
 */
GPtrArray *
shardwise_text_steps (const SwProblem *problem, const SwEstimate *estimate,
                      const SwSearchResult *search)
{
  GPtrArray *steps = g_ptr_array_new_with_free_func (step_free);

  g_ptr_array_add (steps, fit_step (problem, estimate));
  g_ptr_array_add (steps, batch_step (problem, estimate));
  g_ptr_array_add (steps, throughput_step (problem, estimate, search));
  return steps;
}
