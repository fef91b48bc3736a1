/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-cluster-layout.h"

#include <glib/gi18n.h>

/* Up to MAX_TILES nodes are all drawn, of more no more than MOST_ALIKE that look the same; a node
 * of more than MAX_SQUARES GPUs is cut short. */
enum {
  MAX_TILES = 16,
  MOST_ALIKE = 8,
  MAX_COLUMNS = 8,
  LARGE_NODE = 32,
  LARGE_NODE_COLUMNS = 12,
  MAX_SQUARES = 144,
  MIN_COLUMNS = 4,
  FEW_LINES = 4 /* of nodes: the answer goes on below them */
};

static void
append (ShardwiseClusterLayout *layout, ShardwiseTileKind kind, guint node, guint count)
{
  g_array_append_vals (layout->tiles, &(ShardwiseTile){ kind, node, count }, 1);
}

/* Few runs: some nodes of each, and how many follow that look the same. */
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

/* Many runs: one node for each, and how many nodes are left. */
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
 * @layout: zero-initialised, or set before
 * @strategy: how the GPUs are grouped
 * @gpus: of the cluster
 * @gpus_per_node: of one node
 * @group: by whose coordinate GPUs are coloured; SW_N_COMMUNICATION_GROUPS: as the picture of the
 * advice does, by stage or replica
 *
 * Chooses what is drawn. Cost: linear in the number of GPUs.
 */
void
shardwise_cluster_layout_set (ShardwiseClusterLayout *layout, const SwStrategy *strategy,
                              guint gpus, guint gpus_per_node, SwCommunicationGroup group)
{
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
  g_autoptr (GArray) runs = shardwise_cluster_map_runs (strategy, gpus, layout->gpus_per_node,
                                                        group);
  if (runs->len <= MOST_ALIKE / 2)
    choose_nodes (layout, runs);
  else
    choose_runs (layout, runs, nodes);
}

/**
 * shardwise_cluster_layout_clear:
 * @layout: a layout
 *
 * Frees what it owns.
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
 * Returns: squares drawn of one node
 */
guint
shardwise_cluster_layout_squares (const ShardwiseClusterLayout *layout)
{
  return MIN (layout->gpus_per_node, MAX_SQUARES);
}

/**
 * shardwise_cluster_layout_columns:
 *
 * Returns: squares beside one another
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
 * Returns: least width of one node, pixels; a node of one GPU still has room for its label
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

/* A picture that is as low as it can be has smaller squares before it has many lines. */
static int
most_across (const ShardwiseClusterLayout *layout, int width)
{
  int across = across_of (layout, width, SHARDWISE_CLUSTER_SQUARE);

  if (layout->room > 0 || lines_of (layout, across) <= FEW_LINES)
    return across;
  return across_of (layout, width, SHARDWISE_CLUSTER_LEAST_SQUARE);
}

/* The squares grow with what the tiles of a line leave of the width. */
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

/* As many as there is room for; fewer in a line where there is room below for larger squares. */
static int
tiles_across (const ShardwiseClusterLayout *layout, int width)
{
  int most = most_across (layout, width), best = most;

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

static int
tile_height (const ShardwiseClusterLayout *layout, int width)
{
  return tile_height_of (layout, square_size (layout, width));
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
 * @out: (out): where it is
 */
void
shardwise_cluster_layout_tile (const ShardwiseClusterLayout *layout, guint index,
                               graphene_rect_t *out)
{
  int across = tiles_across (layout, layout->width),
      width = columns_wide (layout, square_size (layout, layout->width));
  int height = tile_height (layout, layout->width);
  int x = (int) index % across * (width + SHARDWISE_CLUSTER_TILE_GAP);
  int y = (int) index / across * (height + SHARDWISE_CLUSTER_TILE_GAP);

  graphene_rect_init (out, layout->mirrored ? layout->width - x - width : x, y, width, height);
}

/**
 * shardwise_cluster_layout_square:
 * @tile: where the node is
 * @slot: number of the GPU in the node
 * @out: (out): where the GPU is
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

static int
slot_at (const ShardwiseClusterLayout *layout, const graphene_rect_t *tile,
         const graphene_point_t *point)
{
  for (guint slot = 0; slot < shardwise_cluster_layout_squares (layout); slot++)
    {
      graphene_rect_t square;

      shardwise_cluster_layout_square (layout, tile, slot, &square);
      graphene_rect_inset (&square, -SHARDWISE_CLUSTER_GAP / 2.0f, -SHARDWISE_CLUSTER_GAP / 2.0f);
      if (graphene_rect_contains_point (&square, point))
        return slot;
    }
  return -1;
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
      graphene_rect_t place;
      int slot;

      shardwise_cluster_layout_tile (layout, i, &place);
      if (!shardwise_cluster_layout_is_drawn (tile)
          || !graphene_rect_contains_point (&place, &point))
        continue;
      slot = slot_at (layout, &place, &point);
      if (slot >= 0 && tile->node * layout->gpus_per_node + slot < layout->gpus)
        return tile->node * layout->gpus_per_node + slot;
    }
  return -1;
}

/**
 * shardwise_cluster_layout_place:
 * @gpu: number of a GPU
 * @out: (out): its square
 *
 * Returns: %FALSE where the GPU is only summarised
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
