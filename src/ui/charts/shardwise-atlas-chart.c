/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-atlas-chart.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-chart-draw.h"
#include "shardwise-scaling.h"

#define GAP 2 /* pixels between two cells */
#define SCALE_WIDTH 160
#define SCALE_HEIGHT 12
#define SCALE_STEPS 32  /* steps of color in the scale */
#define SCALE_STEP 0.05 /* of MFU, to which the ends of the scale are rounded */

struct _ShardwiseAtlasChart {
  ShardwiseChart parent_instance;

  GPtrArray *cells; /* (nullable) ShardwiseAtlasCell elements, row by row */
  guint columns;
  char *gpu;
  double low, high; /* MFU at the ends of the scale; high 0: nothing fits */

  /* In pixels, from the layout: the cells, and the scale above them. */
  graphene_rect_t grid, scale;
};

G_DEFINE_FINAL_TYPE (ShardwiseAtlasChart, shardwise_atlas_chart, SHARDWISE_TYPE_CHART)

/* The number of cells; 0: there is no answer yet. */
static guint
n_points (ShardwiseChart *chart)
{
  ShardwiseAtlasChart *self = SHARDWISE_ATLAS_CHART (chart);

  return self->cells != NULL ? self->cells->len : 0;
}

/* The cell of an index, row by row. */
static const ShardwiseAtlasCell *
cell_at (ShardwiseAtlasChart *self, guint index)
{
  return g_ptr_array_index (self->cells, index);
}

/* Layout */

static guint
n_rows (ShardwiseAtlasChart *self)
{
  return self->columns > 0 ? n_points (SHARDWISE_CHART (self)) / self->columns : 0;
}

static int
label_width (ShardwiseChart *chart)
{
  return shardwise_draw_text_width (chart, "00000 B") + 8;
}

/* The height of the scale with its numbers, above the cells. */
static int
scale_height (ShardwiseChart *chart)
{
  return SCALE_HEIGHT + shardwise_draw_line_height (chart) + 14;
}

/* The minimum width with room for the number of each cell. */
static int
plot_width (ShardwiseChart *chart)
{
  guint columns = SHARDWISE_ATLAS_CHART (chart)->columns;

  return MAX (240, label_width (chart)
                       + (int) columns * (shardwise_draw_text_width (chart, "00.0") + 6));
}

static int
plot_height (ShardwiseChart *chart, int width, int *minimum)
{
  *minimum = scale_height (chart)
             + (int) n_rows (SHARDWISE_ATLAS_CHART (chart))
                   * (2 * shardwise_draw_line_height (chart) + 8)
             + 2 * shardwise_draw_axis_height (chart);
  return *minimum;
}

/* Places the grid in the plot. */
static void
layout (ShardwiseChart *chart, const graphene_rect_t *plot)
{
  ShardwiseAtlasChart *self = SHARDWISE_ATLAS_CHART (chart);
  double left = plot->origin.x + label_width (chart), top = plot->origin.y + scale_height (chart),
         bottom = plot->origin.y + plot->size.height - 2 * shardwise_draw_axis_height (chart);

  graphene_rect_init (&self->grid, left, top, MAX (plot->origin.x + plot->size.width - left, 1),
                      MAX (bottom - top, 1));
  graphene_rect_init (&self->scale,
                      plot->origin.x + shardwise_draw_text_width (chart, _ ("MFU")) + 8,
                      plot->origin.y, SCALE_WIDTH, SCALE_HEIGHT);
}

/* The rectangle of a cell. */
static gboolean
point_area (ShardwiseChart *chart, guint index, graphene_rect_t *out)
{
  ShardwiseAtlasChart *self = SHARDWISE_ATLAS_CHART (chart);
  double width = self->grid.size.width / MAX (self->columns, 1),
         height = self->grid.size.height / MAX (n_rows (self), 1);

  graphene_rect_init (out, self->grid.origin.x + index % self->columns * width,
                      self->grid.origin.y + index / self->columns * height, MAX (width - GAP, 1),
                      MAX (height - GAP, 1));
  return TRUE;
}

/* Drawing */

/* "TP 8 PP 4" as "TP8 PP4": without the spaces before numbers. */
static void
compact (char *text)
{
  char *end = text;

  for (; *text != '\0'; text++)
    if (*text != ' ' || !g_ascii_isdigit (text[1]))
      *end++ = *text;
  *end = '\0';
}

/* The MFU in the middle of a cell, and below it the strategy, abbreviated if it is too long. Text
 * that does not fit is omitted, because a truncated word is useless; the readout and the table have
 * it. */
static void
draw_cell (ShardwiseAtlasChart *self, const ShardwisePen *pen, guint index)
{
  const SwEstimate *estimate = &cell_at (self, index)->estimate;
  g_autofree char *strategy = NULL, *mfu = NULL;
  int line = shardwise_draw_line_height (pen->chart);
  graphene_rect_t area;
  double width, x, y;
  gboolean both;
  GdkRGBA color, text;

  point_area (pen->chart, index, &area);
  if (!estimate->fits)
    {
      shardwise_draw_hatched (pen, SHARDWISE_COLOR_OTHER, area.origin.x, area.origin.y,
                              area.size.width, area.size.height);
      return;
    }
  shardwise_palette_ramp ((estimate->mfu - self->low) / (self->high - self->low), &color);
  shardwise_palette_text_on (&color, &text);
  gtk_snapshot_append_color (pen->snapshot, &color, &area);
  if (pen->high_contrast)
    shardwise_draw_outline (pen, &pen->text, &area, 1);
  width = area.size.width - 2;
  strategy = shardwise_sizing_strategy_text (&estimate->strategy);
  if (shardwise_draw_text_width (pen->chart, strategy) > width)
    compact (strategy);
  both = area.size.height >= 2 * line && shardwise_draw_text_width (pen->chart, strategy) <= width;
  mfu = shardwise_format_percent (estimate->mfu);
  if (shardwise_draw_text_width (pen->chart, mfu) > width)
    {
      /* "46.8 %" as "46.8": the scale above says that these are percentages. */
      g_free (mfu);
      mfu = g_strdup_printf ("%.1f", 100 * estimate->mfu);
    }
  if (shardwise_draw_text_width (pen->chart, mfu) > width)
    return;
  x = area.origin.x + area.size.width / 2;
  y = area.origin.y + area.size.height / 2;
  shardwise_draw_text (pen, mfu, &text, x, both ? y - line / 2.0 : y, 0.5, 0.5);
  if (both)
    shardwise_draw_text (pen, strategy, &text, x, y + line / 2.0, 0.5, 0.5);
}

static void
draw_axes (ShardwiseAtlasChart *self, const ShardwisePen *pen)
{
  double bottom = self->grid.origin.y + self->grid.size.height;
  graphene_rect_t area;

  for (guint row = 0; row < n_rows (self); row++)
    {
      /* Translators: size of a model in billions of parameters, on an axis */
      g_autofree char *label = g_strdup_printf (_ ("%'g B"),
                                                cell_at (self, row * self->columns)->parameters_b);

      point_area (pen->chart, row * self->columns, &area);
      shardwise_draw_text (pen, label, &pen->dim, self->grid.origin.x - 6,
                           area.origin.y + area.size.height / 2, 1, 0.5);
    }
  for (guint column = 0; column < self->columns; column++)
    {
      g_autofree char *label = shardwise_format_whole (cell_at (self, column)->nodes);

      point_area (pen->chart, column, &area);
      shardwise_draw_text (pen, label, &pen->dim, area.origin.x + area.size.width / 2, bottom + 4,
                           0.5, 0);
    }
  shardwise_draw_text (pen, _ ("Nodes"), &pen->dim, self->grid.origin.x + self->grid.size.width / 2,
                       bottom + shardwise_draw_axis_height (pen->chart), 0.5, 0);
}

/* The colors with the MFU at both ends and in the middle. */
static void
draw_scale (ShardwiseAtlasChart *self, const ShardwisePen *pen)
{
  double width = self->scale.size.width / SCALE_STEPS;

  shardwise_draw_text (pen, _ ("MFU"), &pen->text, self->scale.origin.x - 8,
                       self->scale.origin.y + SCALE_HEIGHT / 2.0, 1, 0.5);
  for (guint i = 0; i < SCALE_STEPS; i++)
    {
      GdkRGBA color;

      shardwise_palette_ramp ((i + 0.5) / SCALE_STEPS, &color);
      gtk_snapshot_append_color (pen->snapshot, &color,
                                 &GRAPHENE_RECT_INIT (self->scale.origin.x + i * width,
                                                      self->scale.origin.y, width, SCALE_HEIGHT));
    }
  shardwise_draw_outline (pen, &pen->dim, &self->scale, 1);
  for (guint i = 0; i < 3; i++)
    {
      double share = i / 2.0;
      g_autofree char *label = g_strdup_printf (
          /* Translators: a percentage on an axis */
          _ ("%.3g %%"), 100 * (self->low + share * (self->high - self->low)));

      shardwise_draw_text (pen, label, &pen->dim,
                           self->scale.origin.x + share * self->scale.size.width,
                           self->scale.origin.y + SCALE_HEIGHT + 2, share, 0);
    }
}

/* Draws the cells, the axes and the scale of colors. */
static void
draw (ShardwiseChart *chart, const ShardwisePen *pen)
{
  ShardwiseAtlasChart *self = SHARDWISE_ATLAS_CHART (chart);

  if (n_points (SHARDWISE_CHART (self)) == 0)
    return;
  if (self->high > 0)
    draw_scale (self, pen);
  for (guint i = 0; i < n_points (SHARDWISE_CHART (self)); i++)
    draw_cell (self, pen, i);
  draw_axes (self, pen);
}

/* Points */

/* In the order of the cells. */
static int
step (ShardwiseChart *chart, guint index, GtkDirectionType direction)
{
  guint columns = SHARDWISE_ATLAS_CHART (chart)->columns, to = index;

  if (direction == GTK_DIR_LEFT && index % columns > 0)
    to--;
  else if (direction == GTK_DIR_RIGHT && index % columns + 1 < columns)
    to++;
  else if (direction == GTK_DIR_UP && index >= columns)
    to -= columns;
  else if (direction == GTK_DIR_DOWN && index + columns < n_points (chart))
    to += columns;
  return (int) to;
}

/* "80 B on 4 nodes (32 GPUs)" */
static char *
place_text (const ShardwiseAtlasCell *cell)
{
  g_autofree char *nodes =
      /* Translators: a number of nodes */
      g_strdup_printf (ngettext ("%'u node", "%'u nodes", cell->nodes), cell->nodes);

  /* Translators: size of a model in billions of parameters, a number of nodes, a number of GPUs */
  return g_strdup_printf (_ ("%'g B on %s (%'u GPUs)"), cell->parameters_b, nodes, cell->gpus);
}

static char *
readout (ShardwiseChart *chart, guint index)
{
  const ShardwiseAtlasCell *cell = cell_at (SHARDWISE_ATLAS_CHART (chart), index);
  const SwEstimate *estimate = &cell->estimate;
  g_autofree char *place = place_text (cell), *mfu = shardwise_format_percent (estimate->mfu),
                  *speed = shardwise_format_count (estimate->tokens_per_s),
                  *memory = shardwise_format_bytes (estimate->memory.peak.total),
                  *share = shardwise_format_percent (estimate->memory_utilisation),
                  *strategy = shardwise_text_strategy (&estimate->strategy),
                  *missing = shardwise_format_bytes (estimate->missing_bytes), *text = NULL;

  if (!estimate->fits)
    /* Translators: "80 B on 2 nodes (16 GPUs)", an amount of memory */
    return g_strdup_printf (_ ("%s: nothing fits; %s over the limit"), place, missing);
  /* Translators: "80 B on 4 nodes (32 GPUs)", a percentage, tokens per second, memory, a
   * percentage, a strategy */
  text = g_strdup_printf (_ ("%s: MFU %s, %s tokens/s, %s per GPU (%s), with %s"), place, mfu,
                          speed, memory, share, strategy);
  return sw_estimate_is_validated (estimate) ? g_steal_pointer (&text)
                                             : g_strdup_printf (_ ("%s · not validated"), text);
}

static char *
summary (ShardwiseChart *chart)
{
  ShardwiseAtlasChart *self = SHARDWISE_ATLAS_CHART (chart);
  const ShardwiseAtlasCell *best = NULL, *largest = NULL; /* largest: on the most nodes */
  g_autofree char *best_place = NULL, *best_mfu = NULL, *largest_place = NULL, *largest_mfu = NULL;

  if (n_points (SHARDWISE_CHART (self)) == 0)
    return g_strdup ("");
  for (guint i = 0; i < n_points (SHARDWISE_CHART (self)); i++)
    {
      const ShardwiseAtlasCell *cell = cell_at (self, i);

      if (!cell->estimate.fits)
        continue;
      if (best == NULL || cell->estimate.mfu > best->estimate.mfu)
        best = cell;
      largest = cell;
    }
  if (best == NULL)
    return g_strdup (_ ("None of these models fits on any of these numbers of nodes."));
  best_place = place_text (best);
  best_mfu = shardwise_format_percent (best->estimate.mfu);
  largest_place = place_text (largest);
  largest_mfu = shardwise_format_percent (largest->estimate.mfu);
  /* Translators: a GPU, "8 B on 1 node (8 GPUs)", a percentage, and both of the largest model */
  return g_strdup_printf (
      _ ("%s reaches its highest MFU with %s: %s. The largest model that fits is %s, with %s."),
      self->gpu, best_place, best_mfu, largest_place, largest_mfu);
}

static guint
legend (ShardwiseChart *chart, ShardwiseLegendEntry out[SHARDWISE_LEGEND_MAX])
{
  if (n_points (chart) == 0)
    return 0;
  out[0] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_OTHER, _ ("Nothing fits"), .hatched = TRUE };
  return 1;
}

/* Table */

enum {
  COLUMN_STRATEGY,
  COLUMN_SIZE,
  COLUMN_NODES,
  COLUMN_GPUS,
  COLUMN_MFU,
  COLUMN_RATE,
  COLUMN_MEMORY,
  COLUMN_MISSING,
  N_COLUMNS
};

static const ShardwiseChartColumn table_columns[] = {
  { N_ ("Strategy"), -1 },    { N_ ("Parameters (B)"), 0 }, { N_ ("Nodes"), 0 },
  { N_ ("GPUs"), 0 },         { N_ ("MFU (%)"), 1 },        { N_ ("Tokens/s"), 0 },
  { N_ ("Memory (GiB)"), 1 }, { N_ ("Missing (GiB)"), 1 },  { NULL, 0 },
};

static void
cell (ShardwiseChart *chart, guint row, guint column, ShardwiseChartCell *out)
{
  const ShardwiseAtlasCell *cell = cell_at (SHARDWISE_ATLAS_CHART (chart), row);
  const SwEstimate *estimate = &cell->estimate;
  const double numbers[N_COLUMNS] = {
    [COLUMN_SIZE] = cell->parameters_b,
    [COLUMN_NODES] = cell->nodes,
    [COLUMN_GPUS] = cell->gpus,
    [COLUMN_MFU] = estimate->mfu * 100,
    [COLUMN_RATE] = estimate->tokens_per_s,
    [COLUMN_MEMORY] = estimate->memory.peak.total / SW_GIB,
    [COLUMN_MISSING] = estimate->missing_bytes / SW_GIB,
  };

  if (column == COLUMN_STRATEGY)
    out->text = estimate->fits ? shardwise_text_strategy (&estimate->strategy)
                               : g_strdup (_ ("nothing fits"));
  else if (column >= COLUMN_MFU && estimate->fits == (column == COLUMN_MISSING))
    out->text = g_strdup ("–");
  else
    out->number = numbers[column];
}

/* Public */

/**
 * shardwise_atlas_chart_set_cells:
 * @self: a chart
 * @cells: (nullable): ShardwiseAtlasCell elements, size by size, each with the same numbers of
 * nodes
 * @gpu: (nullable): its name
 */
void
shardwise_atlas_chart_set_cells (ShardwiseAtlasChart *self, GPtrArray *cells, const char *gpu)
{
  double low = G_MAXDOUBLE, high = 0;

  g_return_if_fail (SHARDWISE_IS_ATLAS_CHART (self));

  if (cells != NULL)
    g_ptr_array_ref (cells);
  g_clear_pointer (&self->cells, g_ptr_array_unref);
  self->cells = cells;
  g_free (self->gpu);
  self->gpu = g_strdup (gpu != NULL ? gpu : "");
  self->columns = 0;
  while (self->columns < n_points (SHARDWISE_CHART (self))
         && cell_at (self, self->columns)->parameters_b == cell_at (self, 0)->parameters_b)
    self->columns++;
  for (guint i = 0; i < n_points (SHARDWISE_CHART (self)); i++)
    {
      const SwEstimate *estimate = &cell_at (self, i)->estimate;

      if (!estimate->fits)
        continue;
      low = MIN (low, estimate->mfu);
      high = MAX (high, estimate->mfu);
    }
  self->high = ceil (high / SCALE_STEP) * SCALE_STEP;
  self->low = high > 0 ? floor (low / SCALE_STEP) * SCALE_STEP : 0;
  if (self->high > 0 && self->high - self->low < SCALE_STEP)
    self->low = MAX (self->high - SCALE_STEP, 0);
  shardwise_chart_changed (SHARDWISE_CHART (self));
}

/**
 * shardwise_atlas_chart_get_cell:
 * @self: a chart
 * @index: the index of a point
 *
 * Returns: (transfer none): its cell
 */
const ShardwiseAtlasCell *
shardwise_atlas_chart_get_cell (ShardwiseAtlasChart *self, guint index)
{
  g_return_val_if_fail (SHARDWISE_IS_ATLAS_CHART (self), NULL);
  g_return_val_if_fail (index < n_points (SHARDWISE_CHART (self)), NULL);

  return cell_at (self, index);
}

/* Type */

static void
shardwise_atlas_chart_finalize (GObject *object)
{
  ShardwiseAtlasChart *self = SHARDWISE_ATLAS_CHART (object);

  g_clear_pointer (&self->cells, g_ptr_array_unref);
  g_free (self->gpu);
  G_OBJECT_CLASS (shardwise_atlas_chart_parent_class)->finalize (object);
}

static void
shardwise_atlas_chart_class_init (ShardwiseAtlasChartClass *klass)
{
  ShardwiseChartClass *chart_class = SHARDWISE_CHART_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = shardwise_atlas_chart_finalize;
  chart_class->plot_width = plot_width;
  chart_class->plot_height = plot_height;
  chart_class->layout = layout;
  chart_class->draw = draw;
  chart_class->legend = legend;
  chart_class->n_points = n_points;
  chart_class->point_area = point_area;
  chart_class->step = step;
  chart_class->readout = readout;
  chart_class->summary = summary;
  chart_class->columns = table_columns;
  chart_class->cell = cell;
}

static void
shardwise_atlas_chart_init (ShardwiseAtlasChart *self)
{}
