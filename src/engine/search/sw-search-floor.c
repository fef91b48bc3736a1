/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The least memory that the stages of a level-1 point can do with: what does not fit so is not
 * looked at with every recomputation. */
#include "sw-search-private.h"

#include <math.h>
#include <string.h>

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

/* What a strategy without replicas saves at most: the communicators of replicas and of hybrid
 * sharding. */
double
sw_search_communicator_bytes (const SwSearch *search)
{
  return 2.0 * search->problem->calibration->nccl_bytes_per_group;
}

/* Whether a single replica would be too big where these are, too: the communicators do not make the
 * difference. FSDP has buffers that it then does not need. Of the nearest every one counts. */
static gboolean
one_is_too_big (const SwSearch *search, const SwPoint *point)
{
  return !search->keeps_nearest && !sw_framework_is_fsdp (point->strategy.framework)
         && point->least_missing_bytes > sw_search_communicator_bytes (search);
}

/* How many replica counts, fewest first, may fit where number @at is too big: one alone has no
 * communicator, as many as a pinned shard group have none between such groups, and those that leave
 * GPUs of a node idle share its memory among fewer. */
guint
sw_search_fewer_of_interest (const SwSearch *search, const SwPoint *point, guint at)
{
  const SwPins *pins = &search->problem->pins;
  const SwStrategy *s = &point->strategy;
  guint most = sw_pins_has (pins, SW_DIM_SHARD_GROUP) ? pins->value.shard_group : 1;

  if (one_is_too_big (search, point))
    return 0;
  if (point->least_missing_bytes <= 0.0)
    most = MAX (most, (search->problem->cluster.gpus_per_node - 1) / (s->tp * s->cp * s->pp));
  return MIN (at, sw_space_replicas_within (search->space, most));
}

/* What was found for one number of stages: the largest micro-batch that fits, as far as is known,
 * and the smallest that does not; 0: none. */
typedef struct {
  guint fits, too_big;
} Known;

/* Of the level-1 points that differ by the micro-batch alone: they share their place in groups of
 * one family. */
typedef struct {
  guint any_fits;     /* of all numbers of stages, with the smallest micro-batch */
  Known by_stages[1]; /* as many as the space has */
} Row;

enum {
  ROW_BYTES = 1 << 22, /* of all rows */
  MOST_ROWS_BITS = 13,
  NOT_KNOWN = G_MAXUINT
};

/* What was found lately: each row has its one place, where a later one may displace it. Nothing is
 * allocated as it fills, and only the keys are cleared before: most searches take few rows, and
 * memory that is not touched costs nothing. */
struct _SwFloors {
  gsize row_size, n_stages;
  guint row_bits;
  guint64 *keys; /* of the rows; 0: of none */
  guint8 *rows;
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
        least.has_layer_memory = least.has_kept_memory = FALSE;
        least.micro_batch_s = least.stage_s = least.others_s = least.phases_s = 0.0;
        least.split_fill = 0.0;
        floor->only_activations = i > 0;
        sw_search_walk_replicas (floor, &least, stages, replicas);
      }
  return floor->found;
}

/* The row of a level-1 point. */
static Row *
row_of (const SwSearch *search, const SwNode *node)
{
  const SwGroupNode *group = &g_array_index (search->nodes->groups, SwGroupNode, node->group);
  const struct _SwFloors *floors = search->floors;
  const guint64 key = ((guint64) group->family << 32 | node->ordinal) + 1;
  const guint64 place = (key * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> (64 - floors->row_bits);
  Row *row = (Row *) (gpointer) (floors->rows + place * floors->row_size);

  if (floors->keys[place] == key)
    return row;
  memset (row, 0, floors->row_size);
  floors->keys[place] = key;
  row->any_fits = NOT_KNOWN;
  return row;
}

static gboolean
asks_floor (const SwSearch *search)
{
  return search->floors != NULL && sw_search_least_recomputes (search) != 0;
}

/* Whether the stages fit with the strategy's micro-batch. What fits with one fits with all that
 * divide it, and what does not fit does not with any multiple. */
static gboolean
is_known_to_fit (SwSearch *search, const SwStrategy *strategy, const SwUse *use, Known *known)
{
  const SwListed *stages = &g_array_index (search->space->stages, SwListed, use->stages);
  const guint micro_batch = strategy->micro_batch;
  guint ranks, replicas;
  gboolean fits;

  if (known->fits != 0 && known->fits % micro_batch == 0)
    return TRUE;
  if (known->too_big != 0 && micro_batch % known->too_big == 0)
    return FALSE;
  ranks = search->problem->cluster.gpus / (strategy->tp * strategy->cp * stages->value);
  replicas = sw_space_most_replicas (search->problem, search->space, ranks, micro_batch);
  fits = replicas != G_MAXUINT && fits_on_floor (search, strategy, stages, replicas);
  if (fits)
    known->fits = MAX (known->fits, micro_batch);
  else if (known->too_big == 0 || micro_batch < known->too_big)
    known->too_big = micro_batch;
  return fits;
}

/* Whether no stages at all fit with the smallest micro-batch, so that none of the points that
 * differ by the micro-batch and the recomputation is worth a look. Asked once for all of them. */
gboolean
sw_search_family_is_below_floor (SwSearch *search, const SwNode *node)
{
  SwStrategy smallest = node->strategy;
  const SwUses *uses;
  Row *row;

  if (!asks_floor (search))
    return FALSE;
  row = row_of (search, node);
  if (row->any_fits != NOT_KNOWN)
    return !row->any_fits;
  smallest.micro_batch = search->space->micro_batch.values[0];
  uses = sw_spaces_uses (search->spaces, &smallest);
  row->any_fits = FALSE;
  for (guint i = 0; i < uses->uses->len && !row->any_fits; i++)
    {
      const SwUse *use = &g_array_index (uses->uses, SwUse, i);

      smallest.pp = g_array_index (search->space->stages, SwListed, use->stages).value;
      row->any_fits = is_known_to_fit (search, &smallest, use, &row->by_stages[use->stages]);
    }
  return !row->any_fits;
}

/* Whether the stages of a use take too much memory, whatever the recomputation: with the smallest
 * micro-batch, which never takes more than any other and is asked for once for all, or with the
 * present one. */
gboolean
sw_search_is_below_floor (SwSearch *search, const SwNode *node, const SwStrategy *strategy,
                          const SwUse *use)
{
  SwStrategy smallest;
  Known *known;

  if (!asks_floor (search))
    return FALSE;
  known = &row_of (search, node)->by_stages[use->stages];
  if (known->fits == 0 || known->fits % strategy->micro_batch != 0)
    {
      smallest = *strategy;
      smallest.micro_batch = search->space->micro_batch.values[0];
      if (!is_known_to_fit (search, &smallest, use, known)
          || !is_known_to_fit (search, strategy, use, known))
        {
          search->out->bounded += sw_search_counts (search);
          return TRUE;
        }
    }
  return FALSE;
}

/* As many rows as there is room for, but one at least. */
static struct _SwFloors *
floors_new (const SwSpaces *spaces)
{
  struct _SwFloors *self = g_new0 (struct _SwFloors, 1);

  for (guint i = 0; i < SW_N_FRAMEWORKS; i++)
    if (spaces->by_framework[i].stages != NULL)
      self->n_stages = MAX (self->n_stages, spaces->by_framework[i].stages->len);
  self->row_size = sizeof (Row) + self->n_stages * sizeof (Known);
  self->row_bits = MOST_ROWS_BITS;
  while (self->row_bits > 1 && self->row_size << self->row_bits > ROW_BYTES)
    self->row_bits--;
  self->keys = g_new0 (guint64, (gsize) 1 << self->row_bits);
  self->rows = g_malloc (self->row_size << self->row_bits);
  return self;
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
  search->floors = floors_new (search->spaces);
}

/* Frees the floors of this search. */
void
sw_search_floor_clear (SwSearch *search)
{
  g_free (search->floors->keys);
  g_free (search->floors->rows);
  g_clear_pointer (&search->floors, g_free);
  search->floor = NULL;
}
