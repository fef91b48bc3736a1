/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-rejections.h"

#include <glib/gi18n.h>

static const char *
rule_name (SwRule rule)
{
  static const char *const names[SW_N_RULES] = {
    [SW_RULE_WORLD_SIZE] = N_ ("does not divide the GPUs"),
    [SW_RULE_TP_HEADS] = N_ ("attention heads are not a multiple of TP"),
    [SW_RULE_TP_KV_HEADS] = N_ ("KV heads do not suit TP"),
    [SW_RULE_TP_WIDTH] = N_ ("widths are not a multiple of TP"),
    [SW_RULE_ETP] = N_ ("the experts' width does not suit their tensor parallelism"),
    [SW_RULE_PP_LAYERS] = N_ ("layers do not suit the pipeline"),
    [SW_RULE_VPP_LAYERS] = N_ ("layers do not suit the virtual stages"),
    [SW_RULE_VPP_MICRO_BATCHES] = N_ ("interleaving wants micro-batches in multiples of PP"),
    [SW_RULE_CP_SEQUENCE] = N_ ("the sequence does not suit CP"),
    [SW_RULE_CP_HEADS] = N_ ("heads do not suit Ulysses"),
    [SW_RULE_EP_EXPERTS] = N_ ("experts are not a multiple of EP"),
    [SW_RULE_EP_WORLD] = N_ ("EP does not divide the replicas"),
    [SW_RULE_BATCH] = N_ ("the batch is not a multiple of DP × micro-batch"),
    [SW_RULE_SHARD_GROUP] = N_ ("the shard group does not divide DP"),
    [SW_RULE_SEQUENCE_PARALLEL] = N_ ("sequence parallelism without TP"),
    [SW_RULE_FRAMEWORK_TP] = N_ ("the framework has no such TP"),
    [SW_RULE_FRAMEWORK_PP] = N_ ("the framework has no such pipeline"),
    [SW_RULE_FRAMEWORK_CP] = N_ ("the framework has no such CP"),
    [SW_RULE_FRAMEWORK_EP] = N_ ("the framework has no such EP"),
    [SW_RULE_FRAMEWORK_ZERO] = N_ ("the framework refuses this ZeRO stage here"),
    [SW_RULE_FRAMEWORK_SCHEDULE] = N_ ("the framework has no such schedule"),
    [SW_RULE_FRAMEWORK_RECOMPUTE] = N_ ("the framework has no such recomputation"),
    [SW_RULE_FRAMEWORK_OFFLOAD] = N_ ("the framework has no such offload"),
    [SW_RULE_FRAMEWORK_SP] = N_ ("the framework has no sequence parallelism"),
    [SW_RULE_PRECISION] = N_ ("no such arithmetic"),
    [SW_RULE_PIN] = N_ ("another value is fixed"),
    [SW_RULE_GPU_MEMORY] = N_ ("over the memory target"),
    [SW_RULE_HOST_MEMORY] = N_ ("over the memory of the host"),
  };

  return names[rule] != NULL ? _ (names[rule]) : sw_rule_names[rule];
}

static char *
grouped (guint64 count)
{
  return g_strdup_printf ("%'" G_GUINT64_FORMAT, count);
}

/**
 * shardwise_rejections_list:
 * @search: a search that has ended
 *
 * Returns: (transfer full): a line for each reason for which strategies fell away, with their number
 */
char *
shardwise_rejections_list (const SwSearchResult *search)
{
  GString *text = g_string_new (NULL);

  for (guint rule = SW_RULE_OK + 1; rule < SW_N_RULES; rule++)
    if (search->rejected[rule] > 0)
      {
        if (text->len > 0)
          g_string_append_c (text, '\n');
        g_string_append_printf (text, "%'" G_GUINT64_FORMAT "  %s", search->rejected[rule],
                                rule_name (rule));
      }
  return g_string_free (text, FALSE);
}

/**
 * shardwise_search_counts:
 * @search: a search that has ended
 * @shown: rows that pass the filter
 * @listed: rows without a filter
 *
 * Returns: (transfer full): the counts in a line
 */
char *
shardwise_search_counts (const SwSearchResult *search, guint shown, guint listed)
{
  g_autofree char *tried = grouped (search->tried), *timed = grouped (search->timed), *fit = grouped (search->fit);

  if (search->all != NULL)
    /* Translators: counts of strategies: tried, fitting; then how many the list shows */
    return g_strdup_printf (_ ("%s tried, %s fit. The list shows %'u. Why the others fell away"), tried, fit, shown);
  /* Translators: counts of strategies: tried, timed by the model, fitting; then how many the list shows of how many it has */
  return g_strdup_printf (
    _ ("%s tried, %s timed, %s fit. The list shows %'u of the best %'u. Why the others fell away"), tried, timed, fit,
    shown, listed);
}

/**
 * shardwise_search_kind:
 * @search: a search that has ended
 *
 * Returns: (transfer full): whether every strategy was tried, or how often a bound cut off a part
 */
char *
shardwise_search_kind (const SwSearchResult *search)
{
  g_autofree char *bounded = NULL;

  if (search->all != NULL)
    return g_strdup (_ ("Every strategy was tried:"));
  bounded = grouped (search->bounded);
  /* Translators: a count */
  return g_strdup_printf (_ ("The live search leaves out what cannot be among the best; a bound cut off a part of "
                             "the strategies %s times:"),
                          bounded);
}
