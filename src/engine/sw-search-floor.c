/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The least memory that the stages of a level-1 point can do with: what does not fit so is not
 * looked at with every recomputation. */
#include "sw-search-private.h"

#include <math.h>

/* What takes the least memory: full recomputation, but where activations are offloaded, for then it
 * is the layer that runs again which takes the most. */
static const guint least_recomputes[] = { SW_RECOMPUTE_FULL, SW_RECOMPUTE_SELECTIVE,
                                          SW_RECOMPUTE_NONE };

/* Whether a smaller micro-batch, more recomputation or more replicas never take more memory. Other
 * phases of reinforcement learning take what they take: of it every strategy is looked at. */
gboolean
sw_search_is_ordered (const SwProblem *problem)
{
  return problem->training.type != SW_TRAINING_RLHF;
}

/* Which of these tell whether anything fits. 0: as many as there are, since full recomputation is
 * not in question. */
guint
sw_search_least_recomputes (const SwSearch *search)
{
  const guint allowed = search->space->rules->recompute_mask | 1u << SW_RECOMPUTE_NONE;
  const guint full = 1u << SW_RECOMPUTE_FULL, first = 1u << SW_RECOMPUTE_FULL_LAYERS;
  const guint offloads = sw_pins_mask (&search->problem->pins, SW_DIM_OFFLOAD,
                                       search->space->rules->offload_mask);

  if ((allowed & full) == 0 || !sw_search_is_ordered (search->problem)
      || sw_pins_has (&search->problem->pins, SW_DIM_RECOMPUTE))
    return 0;
  return (offloads & 1u << SW_OFFLOAD_ACTIVATIONS) != 0 ? allowed & ~first : full;
}

/* What was found for one number of stages of a level-1 point. */
typedef struct
{
  guint64 key;
  gboolean fits;
} Known;

enum
{
  KNOWN_BITS = 15,
  NO_STAGES = (1u << 24) - 1 /* of all numbers of stages together */
};

/* What was found lately: each has its one place, where a later one may displace it. Nothing is
 * allocated as it fills. */
struct _SwFloors
{
  Known known[1u << KNOWN_BITS];
};

/* Whether the stages fit with any of the recomputations that take the least, with every sharding
 * and offload, and the most replicas or fewer. */
static gboolean
fits_on_floor (SwSearch *search, const SwStrategy *strategy, const SwListed *stages, guint replicas)
{
  const guint mask = sw_search_least_recomputes (search);
  SwSearch *floor = search->floor;
  SwPoint least;

  floor->space = search->space;
  floor->found = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (least_recomputes) && !floor->found; i++)
    if ((mask & (1u << least_recomputes[i])) != 0)
      {
        least.strategy = *strategy;
        least.strategy.recompute = (guint8) least_recomputes[i];
        least.strategy.full_layers = 0;
        least.has_layer_memory = FALSE;
        least.micro_batch_s = least.stage_s = 0.0;
        floor->only_activations = i > 0;
        sw_search_walk_replicas (floor, &least, stages, replicas);
      }
  return floor->found;
}

/* Where it is noted, by the group of the point, its place there and the index of the stages. */
static Known *
place_of (SwSearch *search, guint group, guint ordinal, guint stages, guint64 *key)
{
  *key = ((guint64) group << 40 | (guint64) ordinal << 24 | stages) + 1;
  return &search->floors->known[(*key * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15))
                                >> (64 - KNOWN_BITS)];
}

/* The same, asked once: by the group of the point, its place there and the number of stages. */
static gboolean
is_known_to_fit (SwSearch *search,
                 const SwStrategy *strategy,
                 const SwUse *use,
                 guint group,
                 guint ordinal)
{
  const SwListed *stages = &g_array_index (search->space->stages, SwListed, use->stages);
  guint64 key;
  Known *known = place_of (search, group, ordinal, use->stages, &key);
  guint ranks, replicas;

  if (known->key == key)
    return known->fits;
  ranks = search->problem->cluster.gpus / (strategy->tp * strategy->cp * stages->value);
  replicas = sw_space_most_replicas (search->problem, search->space, ranks, strategy->micro_batch);
  known->key = key;
  known->fits = replicas != G_MAXUINT && fits_on_floor (search, strategy, stages, replicas);
  return known->fits;
}

/* Whether no stages at all fit with the smallest micro-batch, so that none of the points that
 * differ by the micro-batch and the recomputation is worth a look. Asked once for all of them. */
gboolean
sw_search_family_is_below_floor (SwSearch *search, const SwNode *node)
{
  const SwGroupNode *group = &g_array_index (search->nodes->groups, SwGroupNode, node->group);
  SwStrategy smallest = node->strategy;
  gboolean fits = FALSE;
  const SwUses *uses;
  Known *known;
  guint64 key;

  if (search->floors == NULL || sw_search_least_recomputes (search) == 0)
    return FALSE;
  known = place_of (search, group->family, node->ordinal, NO_STAGES, &key);
  if (known->key == key)
    return !known->fits;
  smallest.micro_batch = search->space->micro_batch.values[0];
  uses = sw_spaces_uses (search->spaces, &smallest);
  for (guint i = 0; i < uses->uses->len && !fits; i++)
    {
      const SwUse *use = &g_array_index (uses->uses, SwUse, i);

      smallest.pp = g_array_index (search->space->stages, SwListed, use->stages).value;
      fits = is_known_to_fit (search, &smallest, use, group->family, node->ordinal);
    }
  known->key = key;
  known->fits = fits;
  return !fits;
}

/* Whether the stages of a use take too much memory, whatever the recomputation: with the smallest
 * micro-batch, which never takes more than any other and is asked for once for all, or with the
 * present one. */
gboolean
sw_search_is_below_floor (SwSearch *search,
                          const SwNode *node,
                          const SwStrategy *strategy,
                          const SwUse *use)
{
  const SwGroupNode *group = &g_array_index (search->nodes->groups, SwGroupNode, node->group);
  SwStrategy smallest = *strategy;

  if (search->floors == NULL || sw_search_least_recomputes (search) == 0)
    return FALSE;
  smallest.micro_batch = search->space->micro_batch.values[0];
  if (is_known_to_fit (search, &smallest, use, group->family, node->ordinal)
      && (group->family == node->group
          || is_known_to_fit (search, strategy, use, node->group, node->ordinal)))
    return FALSE;
  search->out->bounded += sw_search_counts (search);
  return TRUE;
}

/* Lets @search ask @floor for what takes the least memory; nothing is counted of that. */
void
sw_search_floor_init (SwSearch *search, SwSearch *floor, SwSearchResult *out)
{
  *floor = *search;
  floor->pass = SW_PASS_FEASIBLE;
  floor->limit_s = INFINITY;
  floor->out = out;
  search->floor = floor;
  search->floors = g_new0 (struct _SwFloors, 1);
}

void
sw_search_floor_clear (SwSearch *search)
{
  g_clear_pointer (&search->floors, g_free);
  search->floor = NULL;
}
