/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer in one or two sentences. */
#include "shardwise-texts-private.h"

#include <glib/gi18n.h>

#include "shardwise-memory-unit.h"

static char *
tokens_sentence (const SwProblem *problem, double days, double cost, const char *currency)
{
  g_autofree char *tokens = shardwise_format_count (problem->training.tokens);
  g_autofree char *time = shardwise_format_seconds (days * 86400.0);
  g_autofree char *money = shardwise_format_money (cost, currency);

  if (problem->training.tokens <= 0.0 || days <= 0.0)
    return NULL;
  if (cost <= 0.0)
    return g_strdup_printf (
        /* Translators: a number of tokens, then a duration */
        _ ("%s tokens take %s."), tokens, time);
  return g_strdup_printf (
      /* Translators: a number of tokens, a duration, an amount of money */
      _ ("%s tokens take %s and cost about %s."), tokens, time, money);
}

static char *
generation_sentence (const SwEstimate *e)
{
  g_autofree char *step = shardwise_format_seconds (e->time.step_s);
  g_autofree char *share = NULL;

  if (e->phases.n == 0)
    return NULL;
  share = shardwise_format_percent (e->phases.phase[0].time.step_s / e->time.step_s);
  return g_strdup_printf (
      /* Translators: a percentage and a duration: how long answers are generated */
      _ ("Generation takes %s of a step of %s."), share, step);
}

static char *
fit_sentence (const SwProblem *problem, const SwEstimate *e)
{
  const double gpus = MAX (1, e->gpus_used);
  g_autofree char *rate = shardwise_format_significant (e->tokens_per_s_per_gpu);
  g_autofree char *low = shardwise_format_significant (e->tokens_low_per_s / gpus);
  g_autofree char *high = shardwise_format_significant (e->tokens_high_per_s / gpus);
  g_autofree char *used =
      shardwise_format_significant (e->memory.peak.total / shardwise_memory_unit_bytes ());
  g_autofree char *usable = shardwise_format_bytes (e->usable_bytes);

  if (e->gpus_idle > 0)
    return g_strdup_printf (
        /* Translators: model, used GPUs, all GPUs, GPU name, rate with its interval, memory used
           and usable */
        _ ("%s trains on %'u of these %'u %s at about %s tokens/s per GPU (%s–%s), using %s of "
           "%s."),
        problem->model.name, e->gpus_used, problem->cluster.gpus, problem->cluster.gpu.name, rate,
        low, high, used, usable);
  return g_strdup_printf (
      /* Translators: model, number of GPUs, GPU name, rate with its interval, memory used and
         usable */
      ngettext ("%s trains on %'u %s at about %s tokens/s per GPU (%s–%s), using %s of %s.",
                "%s trains on these %'u %s at about %s tokens/s per GPU (%s–%s), using %s of %s.",
                problem->cluster.gpus),
      problem->model.name, problem->cluster.gpus, problem->cluster.gpu.name, rate, low, high, used,
      usable);
}

/**
 * shardwise_text_host_lack:
 * @problem: the question
 * @estimate: of a strategy that is over a GPU's memory
 *
 * Returns: (transfer full): what it lacks on its host besides, with a space before it; "" where
 * that is enough
 */
char *
shardwise_text_host_lack (const SwProblem *problem, const SwEstimate *estimate)
{
  g_autofree char *need = shardwise_format_bytes (estimate->memory.host_bytes);
  g_autofree char *there = shardwise_format_bytes (problem->cluster.host_ram_bytes);

  if (problem->cluster.host_ram_bytes <= 0
      || estimate->memory.host_bytes <= problem->cluster.host_ram_bytes)
    return g_strdup ("");
  /* Translators: a second sentence, with the space before it: memory needed and there */
  return g_strdup_printf (_ (" What it offloads needs %s of a node’s memory, which has %s."), need,
                          there);
}

/**
 * shardwise_text_refusal:
 * @problem: the question
 * @estimate: of a strategy that cannot run: not of every one that could be tried
 *
 * Returns: (transfer full): why this strategy cannot, as a sentence
 */
char *
shardwise_text_refusal (const SwProblem *problem, const SwEstimate *estimate)
{
  g_autofree char *strategy = shardwise_text_strategy (&estimate->strategy);
  g_autofree char *rule = shardwise_text_rule (problem, &estimate->strategy, estimate->rule,
                                               estimate->missing_bytes);

  return g_strdup_printf (
      /* Translators: model, strategy, then why it cannot run */
      _ ("%s cannot be trained with %s: %s."), problem->model.name, strategy, rule);
}

static char *
misfit_sentence (const SwProblem *problem, const SwEstimate *e)
{
  g_autofree char *need = NULL, *missing = NULL;

  if (e->rule != SW_RULE_GPU_MEMORY)
    return shardwise_text_refusal (problem, e);
  need = shardwise_format_bytes (e->memory.peak.total);
  missing = shardwise_format_bytes (e->missing_bytes);
  return g_strdup_printf (
      shardwise_text_fits_unpinned (problem)
          /* Translators: model, number of GPUs, GPU name, memory needed, how much of it is above
             the memory target */
          ? ngettext ("%s does not fit on %'u %s with the pinned values: it needs %s per GPU, %s "
                      "above the memory target.",
                      "%s does not fit on these %'u %s with the pinned values: it needs %s per "
                      "GPU, %s above the memory target.",
                      problem->cluster.gpus)
          /* Translators: model, number of GPUs, GPU name, memory needed, how much of it is above
             the memory target */
          : ngettext ("%s does not fit on %'u %s: the nearest strategy needs %s per GPU, %s above "
                      "the memory target.",
                      "%s does not fit on these %'u %s: the nearest strategy needs %s per GPU, %s "
                      "above the memory target.",
                      problem->cluster.gpus),
      problem->model.name, problem->cluster.gpus, problem->cluster.gpu.name, need, missing);
}

/**
 * shardwise_text_verdict:
 * @problem: the question
 * @estimate: (nullable): of the recommended strategy, else of the nearest; %NULL: no strategy is
 * valid
 * @days: to train the tokens; 0: not known
 * @cost: of that; 0: not known
 * @currency: (nullable): of @cost
 *
 * Returns: (transfer full): the answer in one or two sentences
 */
char *
shardwise_text_verdict (const SwProblem *problem, const SwEstimate *estimate, double days,
                        double cost, const char *currency)
{
  GString *text = g_string_new (NULL);

  if (estimate == NULL)
    shardwise_text_append (
        text, g_strdup_printf (
                  /* Translators: model, number of GPUs, GPU name */
                  ngettext ("No strategy for %s on %'u %s is valid within the pinned values.",
                            "No strategy for %s on these %'u %s is valid within the pinned values.",
                            problem->cluster.gpus),
                  problem->model.name, problem->cluster.gpus, problem->cluster.gpu.name));
  else if (estimate->fits)
    {
      shardwise_text_append (text, fit_sentence (problem, estimate));
      shardwise_text_append (text, tokens_sentence (problem, days, cost, currency));
      shardwise_text_append (text, generation_sentence (estimate));
    }
  else
    shardwise_text_append (text, misfit_sentence (problem, estimate));
  if (estimate != NULL && !sw_estimate_is_validated (estimate))
    shardwise_text_append (text, g_strdup (_ ("These figures are not validated.")));
  return g_string_free (text, FALSE);
}

/**
 * shardwise_text_validated_choice:
 * @recommended: a strategy that offloads
 * @validated: the best one that does not, of a kind that was measured
 *
 * Returns: (transfer full): the choice between them in two sentences
 */
char *
shardwise_text_validated_choice (const SwEstimate *recommended, const SwEstimate *validated)
{
  g_autofree char *strategy = shardwise_text_strategy (&validated->strategy);
  g_autofree char *rate = shardwise_format_significant (validated->tokens_per_s_per_gpu);
  g_autofree char *best = shardwise_format_significant (recommended->tokens_per_s_per_gpu);

  return g_strdup_printf (
      /* Translators: a strategy, its rate, the rate of the recommended strategy */
      _ ("No run with offload was measured. The best strategy without it, %s, is validated: %s "
         "instead of %s tokens/s per GPU."),
      strategy, rate, best);
}
