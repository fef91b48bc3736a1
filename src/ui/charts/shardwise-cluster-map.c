/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-cluster-map.h"
#include "shardwise-format.h"

#include <glib/gi18n.h>

/**
 * shardwise_rank_of_gpu:
 * @strategy: a strategy
 * @gpu: number of the GPU, counted through the nodes
 * @out: (out): its coordinates
 *
 * rank = tp + TP (cp + CP (dp + DP pp)). Within a stage the experts are laid out over the same
 * ranks as etp + ETP (ep + EP edp), as in Megatron-Core's parallel state.
 */
void
shardwise_rank_of_gpu (const SwStrategy *strategy, guint gpu, ShardwiseRank *out)
{
  guint in_stage;

  g_return_if_fail (strategy != NULL && out != NULL);
  *out = (ShardwiseRank){ .idle = gpu >= sw_strategy_gpus (strategy) };
  if (out->idle)
    return;
  in_stage = gpu % (strategy->tp * strategy->cp * strategy->dp);
  out->tp = gpu % strategy->tp;
  out->cp = gpu / strategy->tp % strategy->cp;
  out->dp = gpu / (strategy->tp * strategy->cp) % strategy->dp;
  out->pp = gpu / (strategy->tp * strategy->cp * strategy->dp);
  out->ep = in_stage / MAX (1, strategy->etp) % MAX (1, strategy->ep);
}

/**
 * shardwise_rank_common_groups:
 * @strategy: a strategy
 * @gpu_a: a GPU
 * @gpu_b: another (or the same) GPU
 *
 * Returns: the communicators that hold both; groups of one GPU do not count
 */
ShardwiseGroups
shardwise_rank_common_groups (const SwStrategy *strategy, guint gpu_a, guint gpu_b)
{
  ShardwiseRank a, b;
  gboolean tp, cp, dp, pp;
  ShardwiseGroups groups = SHARDWISE_GROUP_NONE;
  guint stage, etp, span;

  g_return_val_if_fail (strategy != NULL, SHARDWISE_GROUP_NONE);
  shardwise_rank_of_gpu (strategy, gpu_a, &a);
  shardwise_rank_of_gpu (strategy, gpu_b, &b);
  if (a.idle || b.idle)
    return SHARDWISE_GROUP_NONE;
  tp = a.tp == b.tp;
  cp = a.cp == b.cp;
  dp = a.dp == b.dp;
  pp = a.pp == b.pp;
  if (strategy->tp > 1 && cp && dp && pp)
    groups |= SHARDWISE_GROUP_TENSOR;
  if (strategy->cp > 1 && tp && dp && pp)
    groups |= SHARDWISE_GROUP_CONTEXT;
  if (strategy->dp > 1 && tp && cp && pp)
    groups |= SHARDWISE_GROUP_DATA;
  if (strategy->pp > 1 && tp && cp && dp)
    groups |= SHARDWISE_GROUP_PIPELINE;
  /* Within a stage: experts are laid out over its ranks separately. */
  stage = strategy->tp * strategy->cp * strategy->dp;
  etp = MAX (1, strategy->etp);
  span = etp * strategy->ep;
  if (strategy->ep > 1 && pp && gpu_a % stage % etp == gpu_b % stage % etp
      && gpu_a % stage / span == gpu_b % stage / span)
    groups |= SHARDWISE_GROUP_EXPERT;
  return groups;
}

/* Whether a GPU and the next one of its node share a tensor-parallel group. */
static gboolean
is_joined (const SwStrategy *strategy, guint gpu, guint gpus_per_node)
{
  return (gpu + 1) % gpus_per_node != 0 && (gpu + 1) % strategy->tp != 0;
}

/**
 * shardwise_rank_coordinate:
 * @rank: the rank of a used GPU
 * @group: a kind of group; SW_N_COMMUNICATION_GROUPS: none
 *
 * Returns: its position in its group of that kind, from 0
 */
guint
shardwise_rank_coordinate (const ShardwiseRank *rank, SwCommunicationGroup group)
{
  switch (group)
    {
    case SW_COMMUNICATION_TENSOR: return rank->tp;
    case SW_COMMUNICATION_CONTEXT: return rank->cp;
    case SW_COMMUNICATION_EXPERT: return rank->ep;
    case SW_COMMUNICATION_PIPELINE: return rank->pp;
    case SW_COMMUNICATION_DATA: return rank->dp;
    case SW_N_COMMUNICATION_GROUPS:
    default: return 0;
    }
}

/* Whether two nodes look the same: stages, tensor groups, idle GPUs, and the coordinates for their
 * colors. Nodes that look like others are omitted. */
static gboolean
nodes_alike (const SwStrategy *strategy, guint gpus, guint gpus_per_node, guint node_a,
             guint node_b, SwCommunicationGroup group)
{
  for (guint i = 0; i < gpus_per_node; i++)
    {
      guint gpu_a = node_a * gpus_per_node + i, gpu_b = node_b * gpus_per_node + i;
      ShardwiseRank a, b;

      if ((gpu_a < gpus) != (gpu_b < gpus))
        return FALSE;
      shardwise_rank_of_gpu (strategy, gpu_a, &a);
      shardwise_rank_of_gpu (strategy, gpu_b, &b);
      if (a.idle != b.idle || a.pp != b.pp
          || shardwise_rank_coordinate (&a, group) != shardwise_rank_coordinate (&b, group)
          || is_joined (strategy, gpu_a, gpus_per_node)
                 != is_joined (strategy, gpu_b, gpus_per_node))
        return FALSE;
    }
  return TRUE;
}

/**
 * shardwise_cluster_map_generates:
 * @training: a job
 *
 * Returns: whether the GPUs that do not train generate the answers to learn from
 */
gboolean
shardwise_cluster_map_generates (const SwTraining *training)
{
  g_return_val_if_fail (training != NULL, FALSE);
  return training->type == SW_TRAINING_RLHF && !training->rlhf_colocated;
}

/**
 * shardwise_cluster_map_node_content:
 * @strategy: how the GPUs are grouped
 * @gpus: the number of GPUs of the cluster
 * @gpus_per_node: GPUs per node
 * @generates: whether GPUs that do not train generate answers
 * @node: number of the node
 *
 * Returns: (transfer full): the content of the node, in a few words
 */
char *
shardwise_cluster_map_node_content (const SwStrategy *strategy, guint gpus, guint gpus_per_node,
                                    gboolean generates, guint node)
{
  guint used, begin = node * gpus_per_node;
  ShardwiseRank first, last;

  g_return_val_if_fail (strategy != NULL && gpus_per_node > 0, NULL);
  used = MIN (sw_strategy_gpus (strategy), gpus);
  if (begin >= used)
    /* Translators: what a node does: it generates the answers of reinforcement learning */
    return g_strdup (generates ? _ ("generation") : _ ("idle"));
  shardwise_rank_of_gpu (strategy, begin, &first);
  shardwise_rank_of_gpu (strategy, MIN (begin + gpus_per_node, used) - 1, &last);
  if (strategy->pp > 1 && first.pp != last.pp)
    /* Translators: pipeline stages that a node holds, first and last */
    return g_strdup_printf (_ ("stages %u–%u"), first.pp, last.pp);
  if (strategy->pp > 1)
    return g_strdup_printf (_ ("stage %u"), first.pp);
  if (strategy->dp > 1 && first.dp != last.dp)
    /* Translators: copies of the model (data parallel) that a node holds, first and last */
    return g_strdup_printf (_ ("replicas %u–%u"), first.dp, last.dp);
  return g_strdup_printf (_ ("replica %u"), first.dp);
}

static void
append_factor (GString *text, char *part)
{
  if (text->len > 0)
    g_string_append (text, " × ");
  g_string_append (text, part);
  g_free (part);
}

/**
 * shardwise_cluster_map_coordinates:
 * @strategy: how the GPUs are grouped
 * @gpus_per_node: GPUs per node
 * @gpu: number of a GPU, counted through the nodes
 *
 * Returns: (transfer full): its position in the cluster and, if the strategy uses it, its
 * coordinates along the dimensions that are in use, all counted from 0
 */
char *
shardwise_cluster_map_coordinates (const SwStrategy *strategy, guint gpus_per_node, guint gpu)
{
  GString *text = g_string_new (NULL);
  ShardwiseRank rank;

  g_return_val_if_fail (strategy != NULL && gpus_per_node > 0, g_string_free (text, FALSE));
  /* Translators: place of a GPU in the cluster, counted from 0 */
  g_string_append_printf (text, _ ("GPU %u (node %u, slot %u)"), gpu, gpu / gpus_per_node,
                          gpu % gpus_per_node);
  shardwise_rank_of_gpu (strategy, gpu, &rank);
  if (rank.idle)
    return g_string_free (text, FALSE);
  /* Translators: coordinates of a GPU, counted from 0: "stage 1 of 4" */
  if (strategy->pp > 1)
    shardwise_text_items (text, _ ("stage %u of %u"), rank.pp, strategy->pp);
  if (strategy->dp > 1)
    shardwise_text_items (text, _ ("replica %u of %u"), rank.dp, strategy->dp);
  if (strategy->tp > 1)
    shardwise_text_items (text, _ ("tensor rank %u of %u"), rank.tp, strategy->tp);
  if (strategy->cp > 1)
    shardwise_text_items (text, _ ("context rank %u of %u"), rank.cp, strategy->cp);
  if (strategy->ep > 1)
    shardwise_text_items (text, _ ("expert rank %u of %u"), rank.ep, strategy->ep);
  return g_string_free (text, FALSE);
}

/**
 * shardwise_cluster_map_describe:
 * @strategy: how the GPUs are grouped
 * @gpus_per_node: GPUs per node
 * @generates: whether GPUs that do not train generate answers
 * @gpu: number of the GPU, counted through the nodes
 *
 * Returns: (transfer full): its node, its coordinates and its tensor-parallel group, as a sentence
 */
char *
shardwise_cluster_map_describe (const SwStrategy *strategy, guint gpus_per_node, gboolean generates,
                                guint gpu)
{
  g_autofree char *place = shardwise_cluster_map_coordinates (strategy, gpus_per_node, gpu);
  guint first, last;

  g_return_val_if_fail (strategy != NULL && gpus_per_node > 0, g_steal_pointer (&place));

  if (gpu >= sw_strategy_gpus (strategy))
    /* Translators: the place of a GPU: "GPU 9 (node 1, slot 1)" */
    return g_strdup_printf (generates ? _ ("%s: generates answers, does not train.")
                                      : _ ("%s: idle, the strategy does not use it."),
                            place);
  if (strategy->tp <= 1)
    /* Translators: ends a sentence */
    return g_strdup_printf (_ ("%s."), place);
  first = gpu - gpu % strategy->tp;
  last = first + strategy->tp - 1;
  return g_strdup_printf (
      first / gpus_per_node == last / gpus_per_node
          /* Translators: the place of a GPU and its coordinates, and first and last GPU of its
             tensor-parallel group */
          ? _ ("%s. Its tensor group, GPUs %u–%u, stays within the node.")
          : _ ("%s. Its tensor group, GPUs %u–%u, spans nodes."),
      place, first, last);
}

/* "4 pipeline stages × 2 replicas × tensor groups of 8": the degrees that are more than one. */
static char *
split_text (const SwStrategy *strategy)
{
  GString *text = g_string_new (NULL);

  if (strategy->pp > 1)
    append_factor (
        text, g_strdup_printf (ngettext ("%u pipeline stage", "%u pipeline stages", strategy->pp),
                               strategy->pp));
  if (strategy->dp > 1)
    append_factor (
        text, g_strdup_printf (ngettext ("%u replica", "%u replicas", strategy->dp), strategy->dp));
  if (strategy->cp > 1)
    append_factor (text, g_strdup_printf (ngettext ("context groups of %u", "context groups of %u",
                                                    strategy->cp),
                                          strategy->cp));
  if (strategy->tp > 1)
    append_factor (text, g_strdup_printf (
                             ngettext ("tensor groups of %u", "tensor groups of %u", strategy->tp),
                             strategy->tp));
  if (strategy->ep > 1)
    append_factor (text, g_strdup_printf (
                             ngettext ("expert groups of %u", "expert groups of %u", strategy->ep),
                             strategy->ep));
  if (text->len == 0)
    g_string_append (text, _ ("the whole model on one GPU"));
  return g_string_free (text, FALSE);
}

/**
 * shardwise_cluster_map_summary:
 * @strategy: how the GPUs are grouped
 * @gpus: the number of GPUs of the cluster
 * @gpus_per_node: GPUs per node
 * @generates: whether GPUs that do not train generate answers
 *
 * Returns: (transfer full): the picture in one sentence, for its accessible label
 */
char *
shardwise_cluster_map_summary (const SwStrategy *strategy, guint gpus, guint gpus_per_node,
                               gboolean generates)
{
  guint nodes, used, rest;
  g_autofree char *where = NULL, *split = NULL;

  g_return_val_if_fail (strategy != NULL && gpus_per_node > 0, NULL);
  used = MIN (sw_strategy_gpus (strategy), gpus);
  nodes = (used + gpus_per_node - 1) / gpus_per_node;
  rest = gpus - used;
  if (nodes == 1)
    where = g_strdup_printf (ngettext ("%u GPU on one node", "%u GPUs on one node", used), used);
  else
    /* Translators: how many GPUs the strategy uses, on how many nodes */
    where = g_strdup_printf (ngettext ("%'u GPU on %'u nodes", "%'u GPUs on %'u nodes", used), used,
                             nodes);
  split = split_text (strategy);
  if (rest > 0 && generates)
    return g_strdup_printf (
        ngettext ("%s: %s; %'u GPU generates answers.", "%s: %s; %'u GPUs generate answers.", rest),
        where, split, rest);
  if (rest > 0)
    return g_strdup_printf (
        ngettext ("%s: %s; %'u GPU is idle.", "%s: %s; %'u GPUs are idle.", rest), where, split,
        rest);
  return g_strdup_printf (_ ("%s: %s."), where, split);
}

/* All nodes up to MAX_TILES are drawn; of more, at most MOST_ALIKE that look the same. A node with
 * more than MAX_SQUARES GPUs is truncated. */
enum {
  MAX_TILES = 16,
  MOST_ALIKE = 8,
  MAX_COLUMNS = 8,
  LARGE_NODE = 32,
  LARGE_NODE_COLUMNS = 12,
  MAX_SQUARES = 144,
  MIN_COLUMNS = 4,
  FEW_LINES = 4 /* of nodes: leaves room for the answer below */
};

static void
append (ShardwiseClusterLayout *layout, ShardwiseTileKind kind, guint node, guint count)
{
  g_array_append_vals (layout->tiles, &(ShardwiseTile){ kind, node, count }, 1);
}

/* Few runs: some nodes of each, and the number of further nodes that look the same. */
static void
choose_nodes (ShardwiseClusterLayout *layout, GArray *runs)
{
  guint shown = MAX (1, MOST_ALIKE / runs->len - 1);

  for (guint i = 0; i < runs->len; i++)
    {
      const ShardwiseNodeRun *run = &g_array_index (runs, ShardwiseNodeRun, i);

      for (guint n = 0; n < MIN (shown, run->count); n++)
        append (layout, SHARDWISE_TILE_NODE, run->first + n, 1);
      if (run->count > shown)
        append (layout, SHARDWISE_TILE_MORE_ALIKE, run->first + shown, run->count - shown);
    }
}

/* Many runs: one node for each, and the number of the remaining nodes. */
static void
choose_runs (ShardwiseClusterLayout *layout, GArray *runs, guint nodes)
{
  guint shown = runs->len > MAX_TILES ? MAX_TILES - 1 : runs->len;

  for (guint i = 0; i < shown; i++)
    {
      const ShardwiseNodeRun *run = &g_array_index (runs, ShardwiseNodeRun, i);

      append (layout, run->count > 1 ? SHARDWISE_TILE_RUN : SHARDWISE_TILE_NODE, run->first,
              run->count);
    }
  if (shown < runs->len)
    {
      guint first = g_array_index (runs, ShardwiseNodeRun, shown).first;

      append (layout, SHARDWISE_TILE_MORE, first, nodes - first);
    }
}

/**
 * shardwise_cluster_layout_set:
 * @layout: zero-initialized, or already set
 * @strategy: how the GPUs are grouped
 * @gpus: the number of GPUs of the cluster
 * @gpus_per_node: GPUs per node
 * @group: the group whose coordinate determines the color; SW_N_COMMUNICATION_GROUPS: as in the
 * picture of the advice, by stage or replica
 *
 * Chooses the drawn nodes. Cost: linear in the number of GPUs.
 */
void
shardwise_cluster_layout_set (ShardwiseClusterLayout *layout, const SwStrategy *strategy,
                              guint gpus, guint gpus_per_node, SwCommunicationGroup group)
{
  g_autoptr (GArray) runs = NULL; /* ShardwiseNodeRun elements */
  guint nodes;

  g_return_if_fail (layout != NULL && strategy != NULL && gpus > 0 && gpus_per_node > 0);
  if (!layout->tiles)
    layout->tiles = g_array_new (FALSE, FALSE, sizeof (ShardwiseTile));
  layout->strategy = *strategy;
  layout->gpus = gpus;
  layout->gpus_per_node = MIN (gpus_per_node, gpus);
  g_array_set_size (layout->tiles, 0);
  nodes = (gpus + layout->gpus_per_node - 1) / layout->gpus_per_node;
  if (nodes <= MAX_TILES)
    {
      for (guint node = 0; node < nodes; node++)
        append (layout, SHARDWISE_TILE_NODE, node, 1);
      return;
    }
  runs = g_array_new (FALSE, FALSE, sizeof (ShardwiseNodeRun));
  for (guint node = 0; node < nodes; node++)
    {
      ShardwiseNodeRun *last = runs->len ? &g_array_index (runs, ShardwiseNodeRun, runs->len - 1)
                                         : NULL;

      if (last && nodes_alike (strategy, gpus, layout->gpus_per_node, last->first, node, group))
        last->count++;
      else
        g_array_append_vals (runs, &(ShardwiseNodeRun){ node, 1 }, 1);
    }
  if (runs->len <= MOST_ALIKE / 2)
    choose_nodes (layout, runs);
  else
    choose_runs (layout, runs, nodes);
}

/**
 * shardwise_cluster_layout_clear:
 * @layout: a layout
 *
 * Frees its contents.
 */
void
shardwise_cluster_layout_clear (ShardwiseClusterLayout *layout)
{
  g_return_if_fail (layout != NULL);
  g_clear_pointer (&layout->tiles, g_array_unref);
}

/**
 * shardwise_cluster_layout_is_drawn:
 *
 * Returns: whether the tile shows the squares of a node
 */
gboolean
shardwise_cluster_layout_is_drawn (const ShardwiseTile *tile)
{
  return tile->kind == SHARDWISE_TILE_NODE || tile->kind == SHARDWISE_TILE_RUN;
}

/**
 * shardwise_cluster_layout_squares:
 *
 * Returns: the number of squares per node
 */
guint
shardwise_cluster_layout_squares (const ShardwiseClusterLayout *layout)
{
  return MIN (layout->gpus_per_node, MAX_SQUARES);
}

/**
 * shardwise_cluster_layout_columns:
 *
 * Returns: squares per line
 */
guint
shardwise_cluster_layout_columns (const ShardwiseClusterLayout *layout)
{
  return MIN (layout->gpus_per_node,
              layout->gpus_per_node >= LARGE_NODE ? LARGE_NODE_COLUMNS : MAX_COLUMNS);
}

static int
columns_wide (const ShardwiseClusterLayout *layout, int square)
{
  int columns = MAX (MIN_COLUMNS, shardwise_cluster_layout_columns (layout));

  return columns * (square + SHARDWISE_CLUSTER_GAP) - SHARDWISE_CLUSTER_GAP
         + 2 * SHARDWISE_CLUSTER_PADDING;
}

/**
 * shardwise_cluster_layout_tile_width:
 *
 * Returns: minimum width of a node, in pixels, including room for its label
 */
int
shardwise_cluster_layout_tile_width (const ShardwiseClusterLayout *layout)
{
  return columns_wide (layout, SHARDWISE_CLUSTER_SQUARE);
}

static int
across_of (const ShardwiseClusterLayout *layout, int width, int square)
{
  int pitch = columns_wide (layout, square) + SHARDWISE_CLUSTER_TILE_GAP;

  return CLAMP ((width + SHARDWISE_CLUSTER_TILE_GAP) / pitch, 1, MAX (1, (int) layout->tiles->len));
}

static int
lines_of (const ShardwiseClusterLayout *layout, int across)
{
  return ((int) layout->tiles->len + across - 1) / across;
}

/* Squares grow to use the width that the tiles of a line leave. */
static int
square_of (const ShardwiseClusterLayout *layout, int width, int across)
{
  int columns = MAX (MIN_COLUMNS, shardwise_cluster_layout_columns (layout));
  int tile = (width - (across - 1) * SHARDWISE_CLUSTER_TILE_GAP) / across;
  int square = (tile - 2 * SHARDWISE_CLUSTER_PADDING + SHARDWISE_CLUSTER_GAP) / columns
               - SHARDWISE_CLUSTER_GAP;

  return CLAMP (square, SHARDWISE_CLUSTER_LEAST_SQUARE, SHARDWISE_CLUSTER_LARGEST_SQUARE);
}

static int
row_height (int square)
{
  return square + SHARDWISE_CLUSTER_BAR + 2 * SHARDWISE_CLUSTER_GAP;
}

static int
tile_height_of (const ShardwiseClusterLayout *layout, int square)
{
  guint columns = shardwise_cluster_layout_columns (layout);
  int rows = (shardwise_cluster_layout_squares (layout) + columns - 1) / columns;

  return SHARDWISE_CLUSTER_LABEL_HEIGHT + rows * row_height (square) - SHARDWISE_CLUSTER_GAP
         + 2 * SHARDWISE_CLUSTER_PADDING;
}

static int
height_of (const ShardwiseClusterLayout *layout, int width, int across)
{
  return lines_of (layout, across)
         * (tile_height_of (layout, square_of (layout, width, across))
            + SHARDWISE_CLUSTER_TILE_GAP);
}

/* As many as fit; fewer per line if the height allows larger squares. */
static int
tiles_across (const ShardwiseClusterLayout *layout, int width)
{
  int most = across_of (layout, width, SHARDWISE_CLUSTER_SQUARE), best;
  const int tight = across_of (layout, width, SHARDWISE_CLUSTER_TIGHT_SQUARE);

  if (lines_of (layout, tight) < lines_of (layout, most))
    most = tight;
  /* A picture at its minimum height uses smaller squares rather than many lines. */
  if (layout->room <= 0 && lines_of (layout, most) > FEW_LINES)
    most = across_of (layout, width, SHARDWISE_CLUSTER_LEAST_SQUARE);
  best = most;
  for (int across = most - 1; across > 0; across--)
    if (height_of (layout, width, across) <= layout->room
        && square_of (layout, width, across) > square_of (layout, width, best))
      best = across;
  return best;
}

static int
square_size (const ShardwiseClusterLayout *layout, int width)
{
  return square_of (layout, width, tiles_across (layout, width));
}

/**
 * shardwise_cluster_layout_height:
 * @width: pixels
 *
 * Returns: height of all tiles at that width, pixels
 */
int
shardwise_cluster_layout_height (const ShardwiseClusterLayout *layout, int width)
{
  return height_of (layout, width, tiles_across (layout, width));
}

/**
 * shardwise_cluster_layout_tile:
 * @index: number of a tile
 * @out: (out): its rectangle
 */
void
shardwise_cluster_layout_tile (const ShardwiseClusterLayout *layout, guint index,
                               graphene_rect_t *out)
{
  int across = tiles_across (layout, layout->width),
      width = columns_wide (layout, square_size (layout, layout->width));
  int height = tile_height_of (layout, square_size (layout, layout->width));
  int x = (int) index % across * (width + SHARDWISE_CLUSTER_TILE_GAP);
  int y = (int) index / across * (height + SHARDWISE_CLUSTER_TILE_GAP);

  graphene_rect_init (out, layout->mirrored ? layout->width - x - width : x, y, width, height);
}

/**
 * shardwise_cluster_layout_square:
 * @tile: the rectangle of the node
 * @slot: number of the GPU in the node
 * @out: (out): the rectangle of the GPU
 */
void
shardwise_cluster_layout_square (const ShardwiseClusterLayout *layout, const graphene_rect_t *tile,
                                 guint slot, graphene_rect_t *out)
{
  guint columns = shardwise_cluster_layout_columns (layout);
  int square = square_size (layout, layout->width);
  int x = slot % columns * (square + SHARDWISE_CLUSTER_GAP),
      y = slot / columns * row_height (square);

  graphene_rect_init (out, tile->origin.x + SHARDWISE_CLUSTER_PADDING + x,
                      tile->origin.y + SHARDWISE_CLUSTER_PADDING + SHARDWISE_CLUSTER_LABEL_HEIGHT
                          + y,
                      square, square);
}

/**
 * shardwise_cluster_layout_gpu_at:
 * @x: pixels
 * @y: pixels
 *
 * Returns: the GPU drawn there, or -1
 */
int
shardwise_cluster_layout_gpu_at (const ShardwiseClusterLayout *layout, double x, double y)
{
  graphene_point_t point = GRAPHENE_POINT_INIT (x, y);

  for (guint i = 0; layout->tiles && i < layout->tiles->len; i++)
    {
      const ShardwiseTile *tile = &g_array_index (layout->tiles, ShardwiseTile, i);
      graphene_rect_t place, square;

      shardwise_cluster_layout_tile (layout, i, &place);
      if (!shardwise_cluster_layout_is_drawn (tile)
          || !graphene_rect_contains_point (&place, &point))
        continue;
      for (guint slot = 0; slot < shardwise_cluster_layout_squares (layout); slot++)
        {
          const guint gpu = tile->node * layout->gpus_per_node + slot;

          shardwise_cluster_layout_square (layout, &place, slot, &square);
          graphene_rect_inset (&square, -SHARDWISE_CLUSTER_GAP / 2.0f,
                               -SHARDWISE_CLUSTER_GAP / 2.0f);
          if (gpu < layout->gpus && graphene_rect_contains_point (&square, &point))
            return (int) gpu;
        }
    }
  return -1;
}

/**
 * shardwise_cluster_layout_place:
 * @gpu: number of a GPU
 * @out: (out): its square
 *
 * Returns: %FALSE if the GPU is only summarised
 */
gboolean
shardwise_cluster_layout_place (const ShardwiseClusterLayout *layout, guint gpu,
                                graphene_rect_t *out)
{
  guint node = gpu / MAX (1, layout->gpus_per_node), slot = gpu % MAX (1, layout->gpus_per_node);

  if (!layout->tiles || gpu >= layout->gpus || slot >= shardwise_cluster_layout_squares (layout))
    return FALSE;
  for (guint i = 0; i < layout->tiles->len; i++)
    {
      const ShardwiseTile *tile = &g_array_index (layout->tiles, ShardwiseTile, i);
      graphene_rect_t place;

      if (tile->node != node || !shardwise_cluster_layout_is_drawn (tile))
        continue;
      shardwise_cluster_layout_tile (layout, i, &place);
      shardwise_cluster_layout_square (layout, &place, slot, out);
      return TRUE;
    }
  return FALSE;
}

/**
 * shardwise_cluster_layout_label:
 *
 * Returns: (transfer full): what is written on the tile
 */
char *
shardwise_cluster_layout_label (const ShardwiseClusterLayout *layout, const ShardwiseTile *tile)
{
  g_autofree char *content = NULL;

  if (tile->kind == SHARDWISE_TILE_MORE_ALIKE)
    return g_strdup_printf (
        ngettext ("… and %u more node alike", "… and %u more nodes alike", tile->count),
        tile->count);
  if (tile->kind == SHARDWISE_TILE_MORE)
    return g_strdup_printf (ngettext ("… and %u more node", "… and %u more nodes", tile->count),
                            tile->count);
  content = shardwise_cluster_map_node_content (
      &layout->strategy, layout->gpus, layout->gpus_per_node, layout->generates, tile->node);
  if (tile->kind == SHARDWISE_TILE_RUN)
    /* Translators: nodes of the cluster, first and last, and what each holds: "nodes 0–3 · stage 0"
     */
    return g_strdup_printf (_ ("nodes %u–%u · %s"), tile->node, tile->node + tile->count - 1,
                            content);
  /* Translators: a node of the cluster and what it holds: "node 0 · stage 0" */
  return g_strdup_printf (_ ("node %u · %s"), tile->node, content);
}

/**
 * shardwise_cluster_shade:
 * @strategy: how the GPUs are grouped
 * @rank: place of one GPU
 * @out: (out): its category and number
 */
void
shardwise_cluster_shade (const SwStrategy *strategy, const ShardwiseRank *rank,
                         ShardwiseClusterShade *out)
{
  if (strategy->pp > 1)
    *out = (ShardwiseClusterShade){ SHARDWISE_COLOR_PIPELINE, rank->pp, strategy->pp };
  else if (strategy->dp > 1)
    *out = (ShardwiseClusterShade){ SHARDWISE_COLOR_DATA, rank->dp, strategy->dp };
  else
    *out = (ShardwiseClusterShade){ SHARDWISE_COLOR_TENSOR, 0, 1 };
}

/**
 * shardwise_cluster_shade_ink:
 * @shade: category and number
 *
 * Neighbouring numbers have distinct colors and patterns of the palette, the first that of the
 * category; every eighth repeats, as the number is written on the square, too.
 *
 * Returns: whose color and pattern it has
 */
ShardwiseColor
shardwise_cluster_shade_ink (const ShardwiseClusterShade *shade)
{
  static const ShardwiseColor inks[] = {
    SHARDWISE_COLOR_PIPELINE, SHARDWISE_COLOR_COMPUTE, SHARDWISE_COLOR_DATA,
    SHARDWISE_COLOR_EXPERT,   SHARDWISE_COLOR_CONTEXT, SHARDWISE_COLOR_ACTIVATIONS,
    SHARDWISE_COLOR_LOGITS,   SHARDWISE_COLOR_BUFFERS,
  };
  const guint index = shade->index % G_N_ELEMENTS (inks);
  guint own = 0;

  if (shade->count < 2 || index == 0)
    return shade->category;
  while (own < G_N_ELEMENTS (inks) - 1 && inks[own] != shade->category)
    own++;
  return inks[(own + index) % G_N_ELEMENTS (inks)];
}

/**
 * shardwise_cluster_shade_color:
 * @shade: category and number
 * @dark: the color scheme
 * @out: (out): an opaque color, as of shardwise_cluster_shade_ink()
 */
void
shardwise_cluster_shade_color (const ShardwiseClusterShade *shade, gboolean dark, GdkRGBA *out)
{
  shardwise_palette_get (shardwise_cluster_shade_ink (shade), dark, out);
}

/**
 * shardwise_cluster_group_color:
 * @groups: communicators that two GPUs share
 * @dark: the color scheme
 * @out: (out): color of the innermost of them
 */
void
shardwise_cluster_group_color (ShardwiseGroups groups, gboolean dark, GdkRGBA *out)
{
  static const struct {
    ShardwiseGroups group;
    ShardwiseColor color;
  } order[] = {
    { SHARDWISE_GROUP_TENSOR, SHARDWISE_COLOR_TENSOR },
    { SHARDWISE_GROUP_CONTEXT, SHARDWISE_COLOR_CONTEXT },
    { SHARDWISE_GROUP_PIPELINE, SHARDWISE_COLOR_PIPELINE },
    { SHARDWISE_GROUP_EXPERT, SHARDWISE_COLOR_EXPERT },
    { SHARDWISE_GROUP_DATA, SHARDWISE_COLOR_DATA },
  };

  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    if (groups & order[i].group)
      {
        shardwise_palette_get (order[i].color, dark, out);
        return;
      }
  shardwise_palette_text (dark, 1, out);
}
