/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences and facts that several answers share. */
#include "shardwise-ask-answer-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-format.h"
#include "shardwise-text-strategy.h"

/* Bytes of the states of full training with Adam in mixed precision, per parameter: weights and
 * gradients in 2, master weights and two moments in 4 each (Rajbhandari et al. 2020, ZeRO). */
#define STATE_BYTES 16.0

/* What counts as no change. */
#define SAME 0.005

/**
 * shardwise_asking_say:
 * @sentence: (transfer full) (nullable): appended to the answer
 */
void
shardwise_asking_say (ShardwiseAsking *self, char *sentence)
{
  if (sentence != NULL && *sentence != '\0')
    g_string_append_printf (self->text, "%s%s", self->text->len > 0 ? " " : "", sentence);
  g_free (sentence);
}

/* Facts are finite, whatever the engine could not tell. */
void
shardwise_asking_fact (ShardwiseAsking *self, const char *name, double value, const char *unit)
{
  ShardwiseAskFact *fact;

  if (!isfinite (value))
    return;
  fact = g_new0 (ShardwiseAskFact, 1);
  fact->name = g_strdup (name);
  fact->value = value;
  fact->unit = unit;
  g_ptr_array_add (self->answer->facts, fact);
}

static void
prefixed_fact (ShardwiseAsking *self, const char *prefix, const char *name, double value,
               const char *unit)
{
  g_autofree char *full = g_strconcat (prefix, name, NULL);

  shardwise_asking_fact (self, full, value, unit);
}

/**
 * shardwise_asking_facts:
 * @prefix: of their names: "", "now_"
 * @advice: whose figures they are
 */
void
shardwise_asking_facts (ShardwiseAsking *self, const char *prefix, ShardwiseAdvice *advice)
{
  const SwEstimate *e = shardwise_advice_get_recommended (advice);
  const SwProblem *problem = shardwise_advice_get_problem (advice);

  prefixed_fact (self, prefix, "fits", shardwise_advice_get_fits (advice) ? 1 : 0, "");
  prefixed_fact (self, prefix, "gpus", problem->cluster.gpus, "GPUs");
  prefixed_fact (self, prefix, "memory", e->memory.peak.total / SW_GIB, "GiB");
  prefixed_fact (self, prefix, "memory_low", e->memory_low_bytes / SW_GIB, "GiB");
  prefixed_fact (self, prefix, "memory_high", e->memory_high_bytes / SW_GIB, "GiB");
  prefixed_fact (self, prefix, "usable_memory", e->usable_bytes / SW_GIB, "GiB");
  if (!shardwise_advice_get_fits (advice))
    {
      prefixed_fact (self, prefix, "missing_memory", e->missing_bytes / SW_GIB, "GiB");
      return;
    }
  prefixed_fact (self, prefix, "tokens_per_s", e->tokens_per_s, "tokens/s");
  prefixed_fact (self, prefix, "tokens_per_s_low", e->tokens_low_per_s, "tokens/s");
  prefixed_fact (self, prefix, "tokens_per_s_high", e->tokens_high_per_s, "tokens/s");
  prefixed_fact (self, prefix, "step", e->time.step_s, "s");
  prefixed_fact (self, prefix, "mfu", e->mfu, "1");
  if (shardwise_advice_get_days (advice) > 0)
    prefixed_fact (self, prefix, "days", shardwise_advice_get_days (advice), "d");
}

/* The verdict, with its interval, and what it is the verdict on. */
void
shardwise_asking_verdict (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  shardwise_asking_say (self, g_strdup (shardwise_advice_get_verdict (advice)));
  if (shardwise_advice_get_fits (advice))
    {
      g_autofree char *strategy =
          shardwise_text_strategy (&shardwise_advice_get_recommended (advice)->strategy);

      /* Translators: a strategy: "TP 8 · PP 4" */
      shardwise_asking_say (self, g_strdup_printf (_ ("Strategy: %s."), strategy));
    }
  shardwise_asking_facts (self, "", advice);
}

/* "26.1 k tokens/s (24.0 k–28.2 k)" */
char *
shardwise_asking_rate (const SwEstimate *e)
{
  g_autofree char *rate = shardwise_format_count (e->tokens_per_s),
                  *low = shardwise_format_count (e->tokens_low_per_s),
                  *high = shardwise_format_count (e->tokens_high_per_s);

  /* Translators: a rate and its interval */
  return g_strdup_printf (_ ("%s tokens/s (%s–%s)"), rate, low, high);
}

/* ---- one against another ---- */

static char *
ratio_text (double ratio)
{
  g_autofree char *share = shardwise_format_percent (fabs (ratio - 1)),
                  *times = shardwise_format_significant (ratio);

  if (fabs (ratio - 1) < SAME)
    return g_strdup (_ ("as fast"));
  if (ratio >= 2)
    /* Translators: a factor: "2.1 times as fast" */
    return g_strdup_printf (_ ("%s times as fast"), times);
  /* Translators: a percentage */
  return ratio > 1 ? g_strdup_printf (_ ("%s faster"), share)
                   : g_strdup_printf (_ ("%s slower"), share);
}

static void
say_rates (ShardwiseAsking *self, const char *what, const SwEstimate *then, const char *than,
           const SwEstimate *now)
{
  g_autofree char *a = shardwise_asking_rate (then), *b = shardwise_asking_rate (now),
                  *ratio = ratio_text (then->tokens_per_s / now->tokens_per_s);
  double each = then->tokens_per_s_per_gpu / now->tokens_per_s_per_gpu;

  shardwise_asking_say (
      self,
      g_strdup_printf (
          /* Translators: what is changed ("64 GPUs"), a rate with its interval, what it is held
             against, its rate with its interval, and how the two compare ("12 % faster") */
          _ ("%s: %s, against %s: %s; that is %s."), what, a, than, b, ratio));
  if (then->gpus_used != now->gpus_used)
    {
      g_autofree char *share = shardwise_format_percent (each);

      shardwise_asking_say (self, g_strdup_printf (
                                      /* Translators: a percentage */
                                      _ ("Per GPU it is %s."), share));
    }
  if (then->tokens_low_per_s < now->tokens_high_per_s
      && now->tokens_low_per_s < then->tokens_high_per_s
      && fabs (then->tokens_per_s / now->tokens_per_s - 1) >= SAME)
    shardwise_asking_say (
        self, g_strdup (_ ("The intervals overlap, though both share most of their error.")));
}

static void
say_memory (ShardwiseAsking *self, const SwEstimate *then, const SwEstimate *now)
{
  g_autofree char *a = shardwise_format_bytes (then->memory.peak.total),
                  *b = shardwise_format_bytes (now->memory.peak.total),
                  *of = shardwise_format_bytes (then->usable_bytes),
                  *strategy = shardwise_text_strategy (&then->strategy);

  /* Translators: memory, usable memory, other memory, a strategy */
  shardwise_asking_say (self,
                        g_strdup_printf (_ ("Memory per GPU: %s of %s, against %s. Strategy: %s."),
                                         a, of, b, strategy));
}

/**
 * shardwise_asking_against:
 * @what: names of the changes, translated
 * @then: with them
 * @than: what they are held against, translated
 * @now: without
 *
 * Says how the two compare, and gives the facts of both.
 */
void
shardwise_asking_against (ShardwiseAsking *self, const char *what, ShardwiseAdvice *then,
                          const char *than, ShardwiseAdvice *now)
{
  const SwEstimate *a = shardwise_advice_get_recommended (then),
                   *b = shardwise_advice_get_recommended (now);
  g_autofree char *begin = shardwise_text_capitalise (what),
                  *other = shardwise_text_capitalise (than);

  shardwise_asking_facts (self, "", then);
  shardwise_asking_facts (self, "now_", now);
  if (shardwise_advice_get_fits (then) && shardwise_advice_get_fits (now))
    {
      say_rates (self, begin, a, than, b);
      say_memory (self, a, b);
      if (shardwise_advice_get_days (then) > 0 && shardwise_advice_get_days (now) > 0)
        {
          g_autofree char *days = shardwise_format_significant (shardwise_advice_get_days (then)),
                          *against = shardwise_format_significant (shardwise_advice_get_days (now));

          /* Translators: two numbers of days */
          shardwise_asking_say (
              self, g_strdup_printf (_ ("The training takes %s days, against %s."), days, against));
        }
      return;
    }
  /* Translators: what is changed, then a verdict on it */
  shardwise_asking_say (self,
                        g_strdup_printf (_ ("%s: %s"), begin, shardwise_advice_get_verdict (then)));
  shardwise_asking_say (self,
                        g_strdup_printf (_ ("%s: %s"), other, shardwise_advice_get_verdict (now)));
}

/* ---- what does not fit ---- */

/**
 * shardwise_asking_states:
 * @advice: that nothing fits
 *
 * The sum that contradicts a hope: what the states of training alone take, and what is there.
 */
void
shardwise_asking_states (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const SwTraining *training = &problem->training;
  double states = STATE_BYTES * problem->count.total,
         there = problem->cluster.gpus * problem->cluster.usable_bytes;
  g_autofree char *parameters = shardwise_format_count (problem->count.total),
                  *need = shardwise_format_bytes (states), *have = shardwise_format_bytes (there);

  SwRule rule = shardwise_advice_get_recommended (advice)->rule;

  if (!shardwise_advice_get_fits (advice) && rule != SW_RULE_GPU_MEMORY
      && rule != SW_RULE_HOST_MEMORY)
    return;
  if (training->optimizer != SW_OPTIMIZER_ADAMW || sw_training_is_adapter (training)
      || training->type == SW_TRAINING_RLHF)
    return;
  shardwise_asking_say (self, g_strdup_printf (ngettext (
                                                   /* Translators: number of parameters, memory of
                                                      the states, number of GPUs, their memory */
                                                   "The sum: %s parameters × 16 bytes (weights, "
                                                   "gradients and Adam’s states) are %s before any "
                                                   "activation; %'u GPU has %s.",
                                                   "The sum: %s parameters × 16 bytes (weights, "
                                                   "gradients and Adam’s states) are %s before any "
                                                   "activation; %'u GPUs together have %s.",
                                                   problem->cluster.gpus),
                                               parameters, need, problem->cluster.gpus, have));
  shardwise_asking_fact (self, "states", states / SW_GIB, "GiB");
  shardwise_asking_fact (self, "memory_of_all_gpus", there / SW_GIB, "GiB");
}

/**
 * shardwise_asking_ways_out:
 * @advice: with reasons; where nothing fits the smallest changes that do are named
 */
void
shardwise_asking_ways_out (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  GPtrArray *ways = shardwise_advice_get_ways_out (advice);
  GString *list = g_string_new (NULL);
  guint least = shardwise_advice_get_least_gpus (advice);

  for (guint i = 0; i < MIN (ways->len, 3); i++)
    {
      const ShardwiseWayOut *way = g_ptr_array_index (ways, i);

      g_string_append_printf (list, "%s%s", i > 0 ? "; " : "", way->change);
    }
  if (ways->len > 0)
    /* Translators: a list of changes that make a job fit */
    shardwise_asking_say (self, g_strdup_printf (_ ("What would fit: %s."), list->str));
  else if (least == 0)
    shardwise_asking_say (self, g_strdup (_ ("No single change makes it fit.")));
  if (least > 0)
    {
      shardwise_asking_fact (self, "least_gpus", least, "GPUs");
      shardwise_asking_say (self,
                            g_strdup_printf (ngettext ("The least that fits is %'u GPU.",
                                                       "The least that fits is %'u GPUs.", least),
                                             least));
    }
  g_string_free (list, TRUE);
}
