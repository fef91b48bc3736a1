/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-candidate-facets.h"

/* A place for each value up to the greatest: counting millions of strategies looks nothing up. */
typedef struct {
  guint count;
  gboolean exists;
} Place;

struct _ShardwiseCandidateFacets {
  GArray *places[SHARDWISE_N_FACETS]; /* of Place; NULL once finished */
  GArray *values[SHARDWISE_N_FACETS]; /* of ShardwiseFacetValue */
};

/**
 * shardwise_candidate_facets_new:
 *
 * Returns: (transfer full): without any value
 */
ShardwiseCandidateFacets *
shardwise_candidate_facets_new (void)
{
  ShardwiseCandidateFacets *self = g_new (ShardwiseCandidateFacets, 1);

  for (guint facet = 0; facet < SHARDWISE_N_FACETS; facet++)
    {
      self->places[facet] = g_array_new (FALSE, TRUE, sizeof (Place));
      self->values[facet] = g_array_new (FALSE, FALSE, sizeof (ShardwiseFacetValue));
    }
  return self;
}

static void
clear_places (ShardwiseCandidateFacets *self)
{
  for (guint facet = 0; facet < SHARDWISE_N_FACETS; facet++)
    g_clear_pointer (&self->places[facet], g_array_unref);
}

/**
 * shardwise_candidate_facets_free:
 * @self: (transfer full): facets
 */
void
shardwise_candidate_facets_free (ShardwiseCandidateFacets *self)
{
  clear_places (self);
  for (guint facet = 0; facet < SHARDWISE_N_FACETS; facet++)
    g_array_unref (self->values[facet]);
  g_free (self);
}

/**
 * shardwise_candidate_facets_count:
 * @self: facets that are not finished
 * @strategy: one of the answer
 * @misses: as shardwise_candidate_filter_misses() says of it
 */
void
shardwise_candidate_facets_count (ShardwiseCandidateFacets *self, const SwStrategy *strategy,
                                  guint misses)
{
  for (guint facet = 0; facet < SHARDWISE_N_FACETS; facet++)
    {
      GArray *places = self->places[facet];
      guint value = shardwise_facet_value (strategy, facet);
      Place *place;

      if (value >= places->len)
        g_array_set_size (places, value + 1);
      place = &g_array_index (places, Place, value);
      place->exists = TRUE;
      place->count += (misses & ~(1u << facet)) == 0;
    }
}

/**
 * shardwise_candidate_facets_finish:
 * @self: facets of which every strategy was counted
 */
void
shardwise_candidate_facets_finish (ShardwiseCandidateFacets *self)
{
  for (guint facet = 0; facet < SHARDWISE_N_FACETS; facet++)
    for (guint value = 0; value < self->places[facet]->len; value++)
      {
        const Place *place = &g_array_index (self->places[facet], Place, value);
        ShardwiseFacetValue found = { value, place->count };

        if (place->exists)
          g_array_append_val (self->values[facet], found);
      }
  clear_places (self);
}

/**
 * shardwise_candidate_facets_get:
 * @self: finished facets
 * @facet: a SwDimension, or %SHARDWISE_FACET_FRAMEWORK
 * @n: (out): how many
 *
 * Returns: (transfer none) (array length=n): its values, rising
 */
const ShardwiseFacetValue *
shardwise_candidate_facets_get (const ShardwiseCandidateFacets *self, guint facet, guint *n)
{
  g_return_val_if_fail (self != NULL && facet < SHARDWISE_N_FACETS && n != NULL, NULL);

  *n = self->values[facet]->len;
  return (const ShardwiseFacetValue *) (gpointer) self->values[facet]->data;
}
