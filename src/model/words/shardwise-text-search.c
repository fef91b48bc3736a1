/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a search tried, what it left out and why, and what strategies are held against. */
#include "shardwise-texts.h"
#include "sw-rejection.h"

#include <glib/gi18n.h>

/* Why candidates were left out; the exact numbers of one candidate are in shardwise_text_rule(). */
static const char *const rule_titles[SW_N_RULES] = {
  [SW_RULE_OK] = NULL,
  [SW_RULE_WORLD_SIZE] = N_ ("The degrees need more GPUs than there are"),
  [SW_RULE_TP_HEADS] = N_ ("Attention heads do not divide by TP"),
  [SW_RULE_TP_KV_HEADS] = N_ ("KV heads do not go with TP"),
  [SW_RULE_TP_WIDTH] = N_ ("Layer width does not divide by TP"),
  [SW_RULE_ETP] = N_ ("Expert tensor parallel does not go with TP or the expert width"),
  [SW_RULE_PP_LAYERS] = N_ ("Layers cannot be cut into so many stages"),
  [SW_RULE_VPP_LAYERS] = N_ ("Layers of a stage do not divide into virtual stages"),
  [SW_RULE_VPP_MICRO_BATCHES] = N_ ("Interleaving wants micro-batches in multiples of PP"),
  [SW_RULE_CP_SEQUENCE] = N_ ("The sequence does not divide by CP"),
  [SW_RULE_CP_HEADS] = N_ ("Attention heads do not divide by TP × CP"),
  [SW_RULE_EP_EXPERTS] = N_ ("Experts do not divide by EP"),
  [SW_RULE_EP_WORLD] = N_ ("EP does not divide the GPUs of a stage"),
  [SW_RULE_BATCH] = N_ ("The global batch does not divide by DP × micro-batch"),
  [SW_RULE_SHARD_GROUP] = N_ ("DP does not divide into shard groups"),
  [SW_RULE_SEQUENCE_PARALLEL] = N_ ("Sequence parallelism needs TP"),
  [SW_RULE_FRAMEWORK_TP] = N_ ("The framework has no tensor parallelism"),
  [SW_RULE_FRAMEWORK_PP] = N_ ("The framework has no such pipeline"),
  [SW_RULE_FRAMEWORK_CP] = N_ ("The framework has no such context parallelism"),
  [SW_RULE_FRAMEWORK_EP] = N_ ("The framework has no expert parallelism"),
  [SW_RULE_FRAMEWORK_ZERO] = N_ ("The framework refuses that ZeRO stage"),
  [SW_RULE_FRAMEWORK_SCHEDULE] = N_ ("The framework has no such schedule"),
  [SW_RULE_FRAMEWORK_RECOMPUTE] = N_ ("The framework has no such recomputation"),
  [SW_RULE_FRAMEWORK_OFFLOAD] = N_ ("The framework has no such offload"),
  [SW_RULE_FRAMEWORK_SP] = N_ ("The framework decides sequence parallelism otherwise"),
  [SW_RULE_PRECISION] = N_ ("GPU or framework lacks that arithmetic"),
  [SW_RULE_PIN] = N_ ("Another value is pinned"),
  [SW_RULE_GPU_MEMORY] = N_ ("Over the memory target"),
  [SW_RULE_HOST_MEMORY] = N_ ("Over the memory of the host"),
};

static const char *const limit_titles[SW_N_LIMITS] = {
  [SW_LIMIT_GPUS] = N_ ("number of GPUs"),
  [SW_LIMIT_DIVISIBILITY] = N_ ("divisibility"),
  [SW_LIMIT_FRAMEWORK] = N_ ("what the framework can run"),
  [SW_LIMIT_PINS] = N_ ("pinned values"),
  [SW_LIMIT_MEMORY_TARGET] = N_ ("memory target"),
  [SW_LIMIT_HOST_MEMORY] = N_ ("memory of the host"),
  [SW_LIMIT_IDLE_GPUS] = N_ ("GPUs left over"),
  [SW_LIMIT_SCALE_UP_DOMAIN] = N_ ("tensor parallelism beyond a node"),
  [SW_LIMIT_BUBBLE] = N_ ("pipeline bubble"),
  [SW_LIMIT_COMMUNICATION] = N_ ("communication"),
  [SW_LIMIT_SIMPLICITY] = N_ ("simplicity"),
  [SW_LIMIT_HEADROOM] = N_ ("memory left free"),
};

/**
 * shardwise_text_rule_title:
 * @rule: why strategies fell away; not OK
 *
 * Returns: (transfer none): the rule in a few words, without the numbers of any one strategy
 */
const char *
shardwise_text_rule_title (SwRule rule)
{
  g_return_val_if_fail (rule > SW_RULE_OK && rule < SW_N_RULES, "");

  return _ (rule_titles[rule]);
}

/**
 * shardwise_text_limits:
 * @filters: those that make a strategy fall away; else those that only rank it lower
 *
 * Returns: (transfer full): a sentence with the limits, in the order of the engine
 */
char *
shardwise_text_limits (gboolean filters)
{
  g_autofree char *list = NULL;
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < SW_N_LIMITS; i++)
    if (!sw_limit_filters ((SwLimit) i) == !filters)
      {
        if (text->len > 0)
          /* Translators: between two items of a list */
          g_string_append (text, _ (", "));
        g_string_append (text, _ (limit_titles[i]));
      }
  list = g_string_free (text, FALSE);
  if (filters)
    /* Translators: a list of limits */
    return g_strdup_printf (_ ("What breaks one of these is left out: %s."), list);
  /* Translators: a list of limits */
  return g_strdup_printf (_ ("These only rank: %s."), list);
}

static int
by_count (gconstpointer a, gconstpointer b, gpointer data)
{
  const guint64 *rejected = data;
  const guint64 x = rejected[*(const guint *) a], y = rejected[*(const guint *) b];

  return x < y ? 1 : x > y ? -1 : 0;
}

/**
 * shardwise_search_rejections:
 * @search: a search that has ended
 * @rules: (out caller-allocates): the rules that made strategies fall away, most frequent first
 * @total: (out): how many strategies they are together
 *
 * Returns: how many rules there are
 */
guint
shardwise_search_rejections (const SwSearchResult *search, guint rules[SW_N_RULES], guint64 *total)
{
  guint n = 0;

  *total = 0;
  for (guint rule = SW_RULE_OK + 1; rule < SW_N_RULES; rule++)
    if (search->rejected[rule] > 0)
      {
        rules[n++] = rule;
        *total += search->rejected[rule];
      }
  g_qsort_with_data (rules, (int) n, sizeof rules[0], by_count, (gpointer) search->rejected);
  return n;
}

/**
 * shardwise_text_rejections:
 * @search: a search that has ended
 *
 * Returns: (transfer full): a line for each reason for which strategies fell away, with their
 * number, most frequent first
 */
char *
shardwise_text_rejections (const SwSearchResult *search)
{
  GString *text = g_string_new (NULL);
  guint rules[SW_N_RULES];
  guint64 total;
  const guint n = shardwise_search_rejections (search, rules, &total);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%'" G_GUINT64_FORMAT "  %s", i > 0 ? "\n" : "",
                            search->rejected[rules[i]],
                            shardwise_text_rule_title ((SwRule) rules[i]));
  return g_string_free (text, FALSE);
}

/**
 * shardwise_text_searched:
 * @search: a search that has ended
 *
 * Returns: (transfer full): how many strategies were tried, timed and fit, and how long it took
 */
char *
shardwise_text_searched (const SwSearchResult *search)
{
  g_autofree char *tried = shardwise_format_whole ((double) search->tried),
                  *timed = shardwise_format_whole ((double) search->timed);
  g_autofree char *fit = shardwise_format_whole ((double) search->fit);
  g_autofree char *seconds = shardwise_format_seconds (search->seconds);

  /* Translators: counts of strategies (tried, timed by the model, fitting), and a duration */
  return g_strdup_printf (_ ("%s tried, %s timed, %s fit, in %s"), tried, timed, fit, seconds);
}

/**
 * shardwise_text_search_kind:
 * @search: a search that has ended
 *
 * Returns: (transfer full): whether every strategy was tried, or how often a bound cut off a part
 */
char *
shardwise_text_search_kind (const SwSearchResult *search)
{
  g_autofree char *bounded = shardwise_format_whole ((double) search->bounded);

  if (search->all != NULL)
    return g_strdup (_ ("Every strategy was tried."));
  return g_strdup_printf (
      /* Translators: a count */
      ngettext ("The live search leaves out what cannot be among the best; a bound cut off a part "
                "of the strategies %s time.",
                "The live search leaves out what cannot be among the best; a bound cut off a part "
                "of the strategies %s times.",
                (gulong) search->bounded),
      bounded);
}
