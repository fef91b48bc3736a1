/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the foot of the list says of a search. */
#include "shardwise-strategy-words.h"

#include <glib/gi18n.h>

#include "shardwise-format.h"
#include "shardwise-text-search.h"

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
  g_autofree char *tried = shardwise_format_whole ((double) search->tried),
                  *timed = shardwise_format_whole ((double) search->timed),
                  *fit = shardwise_format_whole ((double) search->fit);

  if (search->all != NULL)
    /* Translators: counts of strategies: tried, fitting; then how many the list shows */
    return g_strdup_printf (_ ("%s tried, %s fit. The list shows %'u. Why the others fell away"),
                            tried, fit, shown);
  /* Translators: counts of strategies: tried, timed by the model, fitting; then how many the list
   * shows of how many it has */
  return g_strdup_printf (_ ("%s tried, %s timed, %s fit. The list shows %'u of the best %'u. Why "
                             "the others fell away"),
                          tried, timed, fit, shown, listed);
}

/**
 * shardwise_search_details:
 * @search: a search that has ended
 *
 * Returns: (transfer full): beside those counts, whether every strategy was tried, why strategies
 * fell away, and what filters and what only ranks
 */
char *
shardwise_search_details (const SwSearchResult *search)
{
  g_autofree char *kind = shardwise_text_search_kind (search);
  g_autofree char *rejections = shardwise_text_rejections (search);
  g_autofree char *filters = shardwise_text_limits (TRUE), *ranks = shardwise_text_limits (FALSE);

  return g_strjoin ("\n", kind, "", rejections, "", filters, ranks, NULL);
}
