/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published recipes beside the advice for the same job: what the model says of each, and why where
 * they are apart. Exits with 1 where a recipe that is usual and fits is ahead of the advice. */
#include "shardwise-advice.h"
#include "shardwise-recipes.h"
#include "shardwise-text-reasons.h"
#include "shardwise-text-search.h"
#include "shardwise-text-strategy.h"
#include "sw-search-state.h"

#include <locale.h>
#include <stdio.h>

/* Two strategies of one framework share what the model errs in; within the band in which a simpler
 * one comes first the difference of two predictions says nothing. */
#define SHARED_ERROR SW_RANK_BAND

/* The answer to the job alone, without its strategy. */
static ShardwiseAdvice *
advise (const ShardwisePublished *recipe, GError **error)
{
  const ShardwiseAdviceOptions options = { .top = 1 };
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_copy (recipe->scenario);

  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    if (g_str_has_prefix (shardwise_key_path (i), "strategy."))
      shardwise_scenario_reset (scenario, i);
  return shardwise_advice_compute (scenario, &options, NULL, error);
}

/* Why the advice is behind a recipe, which it is only for what it is about. */
static const char *
excuse_of (const SwEstimate *recipe, const SwEstimate *best, double ahead)
{
  if (recipe->fit == SW_FIT_MAY_NOT && best->fit == SW_FIT_FITS)
    return "the recipe may not fit";
  if (recipe->level == SW_LEVEL_UNTRIED && best->level != SW_LEVEL_UNTRIED)
    return "the recipe is untried";
  return ahead <= SHARED_ERROR ? "the advice is simpler, and within the shared error" : NULL;
}

int
main (void)
{
  GPtrArray *recipes = shardwise_recipes_get ();
  guint n_run = 0, n_slower = 0, n_ahead = 0;

  setlocale (LC_ALL, "C.UTF-8");
  printf ("%-40s %9s %9s %7s\n", "recipe (tokens/s per GPU of it, of the advice)", "recipe",
          "advice", "gap");
  for (guint i = 0; i < recipes->len; i++)
    {
      const ShardwisePublished *recipe = g_ptr_array_index (recipes, i);
      const SwEstimate *own = &recipe->estimate, *best;
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseAdvice) advice = advise (recipe, &error);
      g_autofree char *strategy = NULL, *why = NULL;
      double gap;

      if (advice == NULL || !shardwise_advice_get_fits (advice))
        {
          printf ("%-40s nothing fits\n", recipe->id);
          continue;
        }
      best = shardwise_advice_get_recommended (advice);
      strategy = shardwise_text_strategy (&best->strategy);
      if (own->rule != SW_RULE_OK)
        {
          why = shardwise_text_rule (&recipe->problem, &own->strategy, own->rule,
                                     own->missing_bytes);
          printf ("%-40s %9s %9.0f %7s  %s | %s\n", recipe->id, "–", best->tokens_per_s_per_gpu, "",
                  why, strategy);
          continue;
        }
      n_run++;
      gap = best->tokens_per_s / own->tokens_per_s - 1.0;
      printf ("%-40s %9.0f %9.0f %+6.1f%%", recipe->id, own->tokens_per_s_per_gpu,
              best->tokens_per_s_per_gpu, 100.0 * gap);
      if (gap < -1e-6)
        {
          const char *excuse = excuse_of (own, best, -gap);

          n_slower += excuse == NULL;
          printf ("  %s", excuse != NULL ? excuse : "SLOWER");
        }
      else if (gap > SHARED_ERROR)
        {
          n_ahead++;
          why = shardwise_text_growth (&recipe->problem, best, own);
          printf ("  ahead: with the recipe %s", why);
        }
      printf (" | %s\n", strategy);
    }
  printf ("%u recipes, %u run by our model; the advice is slower without a reason for %u, ahead by "
          "more than %.0f %% of %u\n",
          recipes->len, n_run, n_slower, 100.0 * SHARED_ERROR, n_ahead);
  return n_slower > 0;
}
