/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-atlas-chart-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-format.h"
#include "shardwise-text-strategy.h"

#define SCALE_STEP 0.05 /* of MFU, to which the ends of the scale are rounded */

G_DEFINE_FINAL_TYPE (ShardwiseAtlasChart, shardwise_atlas_chart, SHARDWISE_TYPE_CHART)

/* Of all cells; 0: there is no answer yet. */
guint
shardwise_atlas_chart_n_cells (ShardwiseAtlasChart *self)
{
  return self->cells != NULL ? self->cells->len : 0;
}

/* The cell of an index, row by row. */
const ShardwiseAtlasCell *
shardwise_atlas_chart_at (ShardwiseAtlasChart *self, guint index)
{
  return g_ptr_array_index (self->cells, index);
}

/* Points */

static guint
n_points (ShardwiseChart *chart)
{
  return shardwise_atlas_chart_n_cells (SHARDWISE_ATLAS_CHART (chart));
}

static gboolean
point_area (ShardwiseChart *chart, guint index, graphene_rect_t *out)
{
  shardwise_atlas_chart_area (SHARDWISE_ATLAS_CHART (chart), index, out);
  return TRUE;
}

/* As the cells lie. */
static int
step (ShardwiseChart *chart, guint index, GtkDirectionType direction)
{
  ShardwiseAtlasChart *self = SHARDWISE_ATLAS_CHART (chart);
  guint columns = self->columns, n = shardwise_atlas_chart_n_cells (self);

  switch (direction)
    {
    case GTK_DIR_LEFT: return (int) (index % columns > 0 ? index - 1 : index);
    case GTK_DIR_RIGHT: return (int) (index % columns + 1 < columns ? index + 1 : index);
    case GTK_DIR_UP: return (int) (index >= columns ? index - columns : index);
    case GTK_DIR_DOWN: return (int) (index + columns < n ? index + columns : index);
    case GTK_DIR_TAB_FORWARD:
    case GTK_DIR_TAB_BACKWARD:
    default: return (int) index;
    }
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
  const ShardwiseAtlasCell *cell = shardwise_atlas_chart_at (SHARDWISE_ATLAS_CHART (chart), index);
  const SwEstimate *estimate = &cell->estimate;
  g_autofree char *place = place_text (cell), *mfu = shardwise_format_percent (estimate->mfu),
                  *speed = shardwise_format_count (estimate->tokens_per_s),
                  *memory = shardwise_format_bytes (estimate->memory.peak.total),
                  *share = shardwise_format_percent (estimate->memory_utilisation),
                  *strategy = shardwise_text_strategy (&estimate->strategy),
                  *missing = shardwise_format_bytes (estimate->missing_bytes), *text = NULL;

  if (!estimate->fits)
    /* Translators: "80 B on 2 nodes (16 GPUs)", an amount of memory */
    return g_strdup_printf (_ ("%s: nothing fits; %s are missing"), place, missing);
  /* Translators: "80 B on 4 nodes (32 GPUs)", a percentage, tokens per second, memory, a
   * percentage, a strategy */
  text = g_strdup_printf (_ ("%s: MFU %s, %s tokens/s, %s per GPU (%s), with %s"), place, mfu,
                          speed, memory, share, strategy);
  return sw_estimate_is_validated (estimate) ? g_steal_pointer (&text)
                                             : g_strdup_printf (_ ("%s · not validated"), text);
}

static const ShardwiseAtlasCell *
best_cell (ShardwiseAtlasChart *self)
{
  const ShardwiseAtlasCell *best = NULL;

  for (guint i = 0; i < shardwise_atlas_chart_n_cells (self); i++)
    {
      const ShardwiseAtlasCell *cell = shardwise_atlas_chart_at (self, i);

      if (cell->estimate.fits && (best == NULL || cell->estimate.mfu > best->estimate.mfu))
        best = cell;
    }
  return best;
}

/* The largest model that fits on the most nodes. */
static const ShardwiseAtlasCell *
largest_cell (ShardwiseAtlasChart *self)
{
  for (guint i = shardwise_atlas_chart_n_cells (self); i > 0; i--)
    if (shardwise_atlas_chart_at (self, i - 1)->estimate.fits)
      return shardwise_atlas_chart_at (self, i - 1);
  return NULL;
}

static char *
summary (ShardwiseChart *chart)
{
  ShardwiseAtlasChart *self = SHARDWISE_ATLAS_CHART (chart);
  const ShardwiseAtlasCell *best = best_cell (self), *largest = largest_cell (self);
  g_autofree char *best_place = NULL, *best_mfu = NULL, *largest_place = NULL, *largest_mfu = NULL;

  if (shardwise_atlas_chart_n_cells (self) == 0)
    return g_strdup ("");
  if (best == NULL)
    return g_strdup (_ ("None of these models fits on any of these numbers of nodes."));
  best_place = place_text (best);
  best_mfu = shardwise_format_percent (best->estimate.mfu);
  largest_place = place_text (largest);
  largest_mfu = shardwise_format_percent (largest->estimate.mfu);
  /* Translators: a GPU, "8 B on 1 node (8 GPUs)", a percentage, and both of the largest model */
  return g_strdup_printf (
      _ ("%s is used best by %s, with an MFU of %s; the largest model that fits "
         "is %s, with %s."),
      self->gpu, best_place, best_mfu, largest_place, largest_mfu);
}

static guint
legend (ShardwiseChart *chart, ShardwiseLegendEntry out[SHARDWISE_LEGEND_MAX])
{
  if (shardwise_atlas_chart_n_cells (SHARDWISE_ATLAS_CHART (chart)) == 0)
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

static const ShardwiseChartColumn *
columns (ShardwiseChart *chart, guint *n)
{
  static const ShardwiseChartColumn described[N_COLUMNS] = {
    { N_ ("Strategy"), -1 },    { N_ ("Parameters (B)"), 0 }, { N_ ("Nodes"), 0 },
    { N_ ("GPUs"), 0 },         { N_ ("MFU (%)"), 1 },        { N_ ("Tokens/s"), 0 },
    { N_ ("Memory (GiB)"), 1 }, { N_ ("Missing (GiB)"), 1 },
  };

  *n = G_N_ELEMENTS (described);
  return described;
}

static void
cell (ShardwiseChart *chart, guint row, guint column, ShardwiseChartCell *out)
{
  const ShardwiseAtlasCell *cell = shardwise_atlas_chart_at (SHARDWISE_ATLAS_CHART (chart), row);
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

static void
find_scale (ShardwiseAtlasChart *self)
{
  double low = G_MAXDOUBLE, high = 0;

  for (guint i = 0; i < shardwise_atlas_chart_n_cells (self); i++)
    {
      const SwEstimate *estimate = &shardwise_atlas_chart_at (self, i)->estimate;

      if (!estimate->fits)
        continue;
      low = MIN (low, estimate->mfu);
      high = MAX (high, estimate->mfu);
    }
  self->high = ceil (high / SCALE_STEP) * SCALE_STEP;
  self->low = high > 0 ? floor (low / SCALE_STEP) * SCALE_STEP : 0;
  if (self->high > 0 && self->high - self->low < SCALE_STEP)
    self->low = MAX (self->high - SCALE_STEP, 0);
}

/**
 * shardwise_atlas_chart_set_cells:
 * @self: a chart
 * @cells: (nullable): of ShardwiseAtlasCell, size by size, each with the same numbers of nodes
 * @gpu: (nullable): its name
 */
void
shardwise_atlas_chart_set_cells (ShardwiseAtlasChart *self, GPtrArray *cells, const char *gpu)
{
  g_return_if_fail (SHARDWISE_IS_ATLAS_CHART (self));

  if (cells != NULL)
    g_ptr_array_ref (cells);
  g_clear_pointer (&self->cells, g_ptr_array_unref);
  self->cells = cells;
  g_free (self->gpu);
  self->gpu = g_strdup (gpu != NULL ? gpu : "");
  self->columns = 0;
  while (self->columns < shardwise_atlas_chart_n_cells (self)
         && shardwise_atlas_chart_at (self, self->columns)->parameters_b
                == shardwise_atlas_chart_at (self, 0)->parameters_b)
    self->columns++;
  find_scale (self);
  shardwise_chart_changed (SHARDWISE_CHART (self));
}

/**
 * shardwise_atlas_chart_get_cell:
 * @self: a chart
 * @index: of a point
 *
 * Returns: (transfer none): the cell there
 */
const ShardwiseAtlasCell *
shardwise_atlas_chart_get_cell (ShardwiseAtlasChart *self, guint index)
{
  g_return_val_if_fail (SHARDWISE_IS_ATLAS_CHART (self), NULL);
  g_return_val_if_fail (index < shardwise_atlas_chart_n_cells (self), NULL);

  return shardwise_atlas_chart_at (self, index);
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
  chart_class->plot_width = shardwise_atlas_chart_plot_width;
  chart_class->plot_height = shardwise_atlas_chart_plot_height;
  chart_class->layout = shardwise_atlas_chart_layout;
  chart_class->draw = shardwise_atlas_chart_draw;
  chart_class->legend = legend;
  chart_class->n_points = n_points;
  chart_class->point_area = point_area;
  chart_class->step = step;
  chart_class->readout = readout;
  chart_class->summary = summary;
  chart_class->columns = columns;
  chart_class->n_rows = n_points;
  chart_class->cell = cell;
}

static void
shardwise_atlas_chart_init (ShardwiseAtlasChart *self)
{}
