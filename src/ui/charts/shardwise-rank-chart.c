/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-rank-chart.h"

#include <glib/gi18n.h>

#include "shardwise-chart-draw.h"
#include "shardwise-cluster-map.h"
#include "shardwise-communication-chart.h"
#include "shardwise-format.h"
#include "shardwise-text-estimate.h"

#define NAMED 4  /* number of a group's GPUs in the readout */
#define ROOM 220 /* maximum pixels of height for few nodes */

struct _ShardwiseRankChart {
  ShardwiseChart parent_instance;

  ShardwiseClusterLayout layout; /* no tiles: empty */
  SwCommunicationGroup group;
  char *links[SW_N_COMMUNICATION_GROUPS]; /* owned */
  double top;
};

G_DEFINE_FINAL_TYPE (ShardwiseRankChart, shardwise_rank_chart, SHARDWISE_TYPE_CHART)

/* Groups */

/* The communicator of a kind: the number of GPUs, and their distance in the rank order. */
static SwGroup
group_of (const SwStrategy *s, SwCommunicationGroup group)
{
  switch (group)
    {
    case SW_COMMUNICATION_CONTEXT: return (SwGroup){ s->cp, s->tp };
    case SW_COMMUNICATION_EXPERT: return (SwGroup){ s->ep, MAX (s->etp, 1) };
    case SW_COMMUNICATION_PIPELINE: return (SwGroup){ s->pp, s->tp * s->cp * s->dp };
    case SW_COMMUNICATION_DATA: return (SwGroup){ s->dp, s->tp * s->cp };
    case SW_COMMUNICATION_TENSOR:
    case SW_N_COMMUNICATION_GROUPS:
    default: return (SwGroup){ s->tp, 1 };
    }
}

static guint
coordinate_of (ShardwiseRankChart *self, guint gpu, SwCommunicationGroup group)
{
  ShardwiseRank rank;

  shardwise_rank_of_gpu (&self->layout.strategy, gpu, &rank);
  return shardwise_rank_coordinate (&rank, group);
}

/**
 * shardwise_rank_chart_is_lit:
 * @self: a chart
 * @gpu: a GPU
 * @by: the GPU under the pointer
 *
 * Returns: whether the two are in the same group of the shown kind
 */
gboolean
shardwise_rank_chart_is_lit (ShardwiseRankChart *self, guint gpu, guint by)
{
  SwGroup group = group_of (&self->layout.strategy, self->group);
  guint used = sw_strategy_gpus (&self->layout.strategy), first;

  g_return_val_if_fail (SHARDWISE_IS_RANK_CHART (self), FALSE);
  if (gpu >= used || by >= used)
    return gpu == by;
  first = by - coordinate_of (self, by, self->group) * group.stride;
  return gpu >= first && (gpu - first) % group.stride == 0
         && (gpu - first) / group.stride < group.size;
}

/* Drawing */

static int
plot_height (ShardwiseChart *chart, int width, int *minimum)
{
  ShardwiseRankChart *self = SHARDWISE_RANK_CHART (chart);

  *minimum = self->layout.tiles != NULL ? shardwise_cluster_layout_height (&self->layout, width)
                                        : 0;
  return *minimum;
}

static int
plot_most (ShardwiseChart *chart, int width)
{
  int minimum;

  return plot_height (chart, width, &minimum);
}

static int
plot_width (ShardwiseChart *chart)
{
  ShardwiseRankChart *self = SHARDWISE_RANK_CHART (chart);

  return self->layout.tiles != NULL ? shardwise_cluster_layout_tile_width (&self->layout) : 0;
}

static void
layout (ShardwiseChart *chart, const graphene_rect_t *plot)
{
  ShardwiseRankChart *self = SHARDWISE_RANK_CHART (chart);

  self->top = plot->origin.y;
  self->layout.width = (int) plot->size.width;
}

/* The squares of a tile; with `by` >= 0 only those of that GPU's group, in an outline. */
static void
draw_squares (ShardwiseRankChart *self, const ShardwisePen *pen, const ShardwiseTile *tile,
              const graphene_rect_t *place, int by)
{
  const SwStrategy *strategy = &self->layout.strategy;
  ShardwiseClusterShade shade = { shardwise_communication_color (self->group), 0,
                                  group_of (strategy, self->group).size };

  for (guint slot = 0; slot < shardwise_cluster_layout_squares (&self->layout); slot++)
    {
      guint gpu = tile->node * self->layout.gpus_per_node + slot;
      gboolean used = gpu < sw_strategy_gpus (strategy);
      g_autofree char *number = NULL;
      graphene_rect_t square;
      GdkRGBA fill = pen->dim, text;

      if (gpu >= self->layout.gpus
          || (by >= 0 && !shardwise_rank_chart_is_lit (self, gpu, (guint) by)))
        continue;
      shardwise_cluster_layout_square (&self->layout, place, slot, &square);
      shade.index = coordinate_of (self, gpu, self->group);
      if (used)
        shardwise_cluster_shade_color (&shade, pen->dark, &fill);
      else
        fill.alpha *= 0.5f;
      if (used || self->layout.generates)
        gtk_snapshot_append_color (pen->snapshot, &fill, &square);
      else
        shardwise_draw_outline (pen, &pen->dim, &square, 1);
      if (used && pen->high_contrast)
        shardwise_draw_outline (pen, &pen->text, &square, 1);
      if (used && shade.index <= 999)
        {
          number = g_strdup_printf ("%u", shade.index);
          shardwise_palette_text_on (&fill, &text);
          shardwise_draw_text (pen, number, &text, square.origin.x + square.size.width / 2,
                               square.origin.y + square.size.height / 2, 0.5, 0.5);
        }
      if (by >= 0)
        shardwise_draw_outline (pen, &pen->text, &square, (int) gpu == by ? 3 : 1.5);
    }
}

static void
tile_place (ShardwiseRankChart *self, guint tile, graphene_rect_t *out)
{
  shardwise_cluster_layout_tile (&self->layout, tile, out);
  graphene_rect_offset (out, 0, (float) self->top);
}

static void
draw (ShardwiseChart *chart, const ShardwisePen *pen)
{
  ShardwiseRankChart *self = SHARDWISE_RANK_CHART (chart);

  for (guint i = 0; self->layout.tiles != NULL && i < self->layout.tiles->len; i++)
    {
      const ShardwiseTile *tile = &g_array_index (self->layout.tiles, ShardwiseTile, i);
      g_autofree char *label = shardwise_cluster_layout_label (&self->layout, tile);
      gboolean drawn = shardwise_cluster_layout_is_drawn (tile);
      GdkRGBA ground = pen->text;
      graphene_rect_t area;

      tile_place (self, i, &area);
      ground.alpha = 0.05f;
      if (drawn)
        gtk_snapshot_append_color (pen->snapshot, &ground, &area);
      shardwise_draw_text_within (pen, label, &pen->text, area.origin.x + SHARDWISE_CLUSTER_PADDING,
                                  area.origin.y + SHARDWISE_CLUSTER_PADDING / 2.0,
                                  area.size.width - 2 * SHARDWISE_CLUSTER_PADDING, 0);
      if (drawn)
        draw_squares (self, pen, tile, &area, -1);
    }
}

/* The group in full color above a veil. */
static void
draw_point (ShardwiseChart *chart, const ShardwisePen *pen, guint point)
{
  ShardwiseRankChart *self = SHARDWISE_RANK_CHART (chart);
  GdkRGBA veil = pen->card;

  veil.alpha = 0.65f;
  gtk_snapshot_append_color (pen->snapshot, &veil, &pen->plot);
  for (guint i = 0; i < self->layout.tiles->len; i++)
    {
      const ShardwiseTile *tile = &g_array_index (self->layout.tiles, ShardwiseTile, i);
      graphene_rect_t place;

      if (!shardwise_cluster_layout_is_drawn (tile))
        continue;
      tile_place (self, i, &place);
      draw_squares (self, pen, tile, &place, (int) point);
    }
}

/* Points */

static guint
n_points (ShardwiseChart *chart)
{
  ShardwiseRankChart *self = SHARDWISE_RANK_CHART (chart);

  return self->layout.tiles != NULL ? self->layout.gpus : 0;
}

static gboolean
point_area (ShardwiseChart *chart, guint point, graphene_rect_t *out)
{
  ShardwiseRankChart *self = SHARDWISE_RANK_CHART (chart);

  if (!shardwise_cluster_layout_place (&self->layout, point, out))
    return FALSE;
  graphene_rect_offset (out, 0, (float) self->top);
  return TRUE;
}

static int
pick (ShardwiseChart *chart, double x, double y)
{
  ShardwiseRankChart *self = SHARDWISE_RANK_CHART (chart);

  return shardwise_cluster_layout_gpu_at (&self->layout, x, y - self->top);
}

static int
step (ShardwiseChart *chart, guint point, GtkDirectionType direction)
{
  ShardwiseRankChart *self = SHARDWISE_RANK_CHART (chart);
  int across = direction == GTK_DIR_LEFT ? -1 : 1, down = direction == GTK_DIR_UP
                                                              ? -(int) self->layout.gpus_per_node
                                                              : (int) self->layout.gpus_per_node;
  gboolean vertical = direction == GTK_DIR_UP || direction == GTK_DIR_DOWN;
  int to = (int) point + (vertical ? down : across);

  return to >= 0 && to < (int) self->layout.gpus ? to : (int) point;
}

/* "0, 8, 16, … 56" */
static char *
members_text (ShardwiseRankChart *self, guint gpu)
{
  SwGroup group = group_of (&self->layout.strategy, self->group);
  guint first = gpu - coordinate_of (self, gpu, self->group) * group.stride;
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < group.size; i++)
    if (i < NAMED - 1 || i + 1 == group.size || group.size <= NAMED)
      shardwise_text_items (text, "%u", first + i * group.stride);
    else if (i == NAMED - 1)
      shardwise_text_items (text, "…");
  return g_string_free (text, FALSE);
}

static char *
readout (ShardwiseChart *chart, guint point)
{
  ShardwiseRankChart *self = SHARDWISE_RANK_CHART (chart);
  guint per_node = self->layout.gpus_per_node;
  g_autofree char *place = NULL, *members = NULL;

  if (point >= sw_strategy_gpus (&self->layout.strategy))
    return shardwise_cluster_map_describe (&self->layout.strategy, per_node, self->layout.generates,
                                           point);
  place = shardwise_cluster_map_coordinates (&self->layout.strategy, per_node, point);
  members = members_text (self, point);
  /* Translators: GPUs of a group ("0, 8, 16, … 56"); the links between them; a GPU and its
   * coordinates */
  return g_strdup_printf (_ ("Group of GPUs %s over %s: %s"), members, self->links[self->group],
                          place);
}

static char *
summary (ShardwiseChart *chart)
{
  ShardwiseRankChart *self = SHARDWISE_RANK_CHART (chart);
  SwGroup group;
  guint groups;
  const char *links;

  if (self->layout.tiles == NULL)
    return g_strdup ("");
  group = group_of (&self->layout.strategy, self->group);
  groups = sw_strategy_gpus (&self->layout.strategy) / MAX (group.size, 1);
  links = self->links[self->group];
  return g_strdup_printf (
      /* Translators: in each: how many groups, how many GPUs in each, the links between them */
      self->group == SW_COMMUNICATION_CONTEXT
          ? _ ("Context parallel: %'u × a group of %'u GPUs, over %s.")
      : self->group == SW_COMMUNICATION_EXPERT
          ? _ ("Expert parallel: %'u × a group of %'u GPUs, over %s.")
      : self->group == SW_COMMUNICATION_PIPELINE
          ? _ ("Pipeline: %'u × a group of %'u GPUs, over %s.")
      : self->group == SW_COMMUNICATION_DATA
          ? _ ("Data parallel: %'u × a group of %'u GPUs, over %s.")
          : _ ("Tensor parallel: %'u × a group of %'u GPUs, over %s."),
      groups, group.size, links);
}

/* Table */

static const ShardwiseChartColumn columns[] = {
  { N_ ("GPU"), 0 },
  { N_ ("Node"), 0 },
  { N_ ("Tensor rank"), -1 },
  { N_ ("Context rank"), -1 },
  { N_ ("Expert rank"), -1 },
  { N_ ("Replica"), -1 },
  { N_ ("Pipeline stage"), -1 },
  { NULL, 0 },
};

static void
cell (ShardwiseChart *chart, guint row, guint column, ShardwiseChartCell *out)
{
  static const SwCommunicationGroup groups[] = {
    SW_COMMUNICATION_TENSOR, SW_COMMUNICATION_CONTEXT,  SW_COMMUNICATION_EXPERT,
    SW_COMMUNICATION_DATA,   SW_COMMUNICATION_PIPELINE,
  };
  ShardwiseRankChart *self = SHARDWISE_RANK_CHART (chart);

  if (column == 0)
    out->number = row;
  else if (column == 1)
    out->number = row / self->layout.gpus_per_node;
  else if (row >= sw_strategy_gpus (&self->layout.strategy))
    out->text = g_strdup (self->layout.generates ? _ ("generation") : _ ("idle"));
  else
    out->text = g_strdup_printf ("%u", coordinate_of (self, row, groups[column - 2]));
}

/* Data */

/**
 * shardwise_rank_chart_has_group:
 *
 * Returns: whether the groups of that kind have more than one GPU
 */
gboolean
shardwise_rank_chart_has_group (ShardwiseRankChart *self, SwCommunicationGroup group)
{
  g_return_val_if_fail (SHARDWISE_IS_RANK_CHART (self), FALSE);
  return self->layout.tiles != NULL && group_of (&self->layout.strategy, group).size > 1;
}

/**
 * shardwise_rank_chart_get_group:
 *
 * Returns: the kind of group for the colors
 */
SwCommunicationGroup
shardwise_rank_chart_get_group (ShardwiseRankChart *self)
{
  g_return_val_if_fail (SHARDWISE_IS_RANK_CHART (self), SW_COMMUNICATION_TENSOR);
  return self->group;
}

/**
 * shardwise_rank_chart_set_group:
 * @self: a chart with a strategy
 * @group: the kind of group for the colors
 */
void
shardwise_rank_chart_set_group (ShardwiseRankChart *self, SwCommunicationGroup group)
{
  const SwStrategy strategy = self->layout.strategy;

  g_return_if_fail (SHARDWISE_IS_RANK_CHART (self) && self->layout.tiles != NULL);
  g_return_if_fail (group < SW_N_COMMUNICATION_GROUPS);

  self->group = group;
  shardwise_cluster_layout_set (&self->layout, &strategy, self->layout.gpus,
                                self->layout.gpus_per_node, group);
  shardwise_chart_changed (SHARDWISE_CHART (self));
}

/**
 * shardwise_rank_chart_set_strategy:
 * @self: a chart
 * @problem: the question, prepared
 * @strategy: the strategy to show; the group stays if it has several GPUs, otherwise the first such
 * group is used
 *
 * Returns: whether any group has more than one GPU
 */
gboolean
shardwise_rank_chart_set_strategy (ShardwiseRankChart *self, const SwProblem *problem,
                                   const SwStrategy *strategy)
{
  guint group;

  g_return_val_if_fail (SHARDWISE_IS_RANK_CHART (self), FALSE);
  g_return_val_if_fail (problem != NULL && strategy != NULL, FALSE);

  group = self->group;
  for (guint i = 0; i < SW_N_COMMUNICATION_GROUPS && group_of (strategy, group).size < 2; i++)
    group = i;
  for (guint i = 0; i < SW_N_COMMUNICATION_GROUPS; i++)
    {
      SwCommunication row = { .group = (SwCommunicationGroup) i };
      SwGroup gpus = group_of (strategy, row.group);
      /* The stages of a pipeline send in pairs. */
      const gboolean is_pair = row.group == SW_COMMUNICATION_PIPELINE;

      if (is_pair)
        gpus.size = MIN (gpus.size, 2);
      if (gpus.size > 1)
        sw_collective_links (&problem->cluster,
                             is_pair ? SW_COLLECTIVE_P2P : SW_COLLECTIVE_ALL_REDUCE, gpus,
                             &row.inside, &row.network);
      g_free (self->links[i]);
      self->links[i] = shardwise_text_links (problem, &row);
    }
  self->group = (SwCommunicationGroup) group;
  self->layout.generates = shardwise_cluster_map_generates (&problem->training);
  shardwise_cluster_layout_set (&self->layout, strategy, problem->cluster.gpus,
                                problem->cluster.gpus_per_node, self->group);
  shardwise_chart_changed (SHARDWISE_CHART (self));
  return group_of (strategy, self->group).size > 1;
}

/* Type */

static void
shardwise_rank_chart_finalize (GObject *object)
{
  ShardwiseRankChart *self = SHARDWISE_RANK_CHART (object);

  shardwise_cluster_layout_clear (&self->layout);
  for (guint i = 0; i < SW_N_COMMUNICATION_GROUPS; i++)
    g_free (self->links[i]);
  G_OBJECT_CLASS (shardwise_rank_chart_parent_class)->finalize (object);
}

static void
shardwise_rank_chart_class_init (ShardwiseRankChartClass *klass)
{
  ShardwiseChartClass *chart_class = SHARDWISE_CHART_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = shardwise_rank_chart_finalize;
  chart_class->plot_height = plot_height;
  chart_class->plot_most = plot_most;
  chart_class->plot_width = plot_width;
  chart_class->layout = layout;
  chart_class->draw = draw;
  chart_class->draw_point = draw_point;
  chart_class->n_points = n_points;
  chart_class->point_area = point_area;
  chart_class->pick = pick;
  chart_class->step = step;
  chart_class->readout = readout;
  chart_class->summary = summary;
  chart_class->columns = columns;
  chart_class->cell = cell;
}

static void
shardwise_rank_chart_init (ShardwiseRankChart *self)
{
  self->layout.room = ROOM;
}
