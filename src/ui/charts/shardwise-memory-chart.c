/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-memory-chart.h"

#include <glib/gi18n.h>

#include "shardwise-format.h"
#include "shardwise-text-estimate.h"
#include "shardwise-text-strategy.h"
#include "shardwise-text-search.h"
#include "sw-tensors.h"

#define N_PARTS SW_N_PARTS

typedef struct {
  double bytes[N_PARTS], total;
} Bar;

/* One colored piece of a bar; for a note the whole row. */
typedef struct {
  guint row, part; /* part: N_PARTS for a note */
  double from, to; /* bytes */
} Segment;

struct _ShardwiseMemoryChart {
  ShardwiseBarChart parent_instance;

  GArray *bars, *segments; /* Bar and Segment elements */
  double capacity, limit;  /* bytes */
  char *summary;
};

G_DEFINE_FINAL_TYPE (ShardwiseMemoryChart, shardwise_memory_chart, SHARDWISE_TYPE_BAR_CHART)

static const char *
note_of (ShardwiseMemoryChart *self, guint row)
{
  return shardwise_bar_chart_get_row (SHARDWISE_BAR_CHART (self), row)->note;
}

/* Drawing */

static void
set_range (ShardwiseBarChart *chart, ShardwiseAxis *axis)
{
  ShardwiseMemoryChart *self = SHARDWISE_MEMORY_CHART (chart);
  double most = self->capacity;

  for (guint i = 0; i < self->bars->len; i++)
    most = MAX (most, g_array_index (self->bars, Bar, i).total);
  axis->max = most > 0 ? most / shardwise_memory_unit_bytes () * 1.02 : 1;
}

static double
pixel_of (const ShardwiseBarRows *rows, double bytes)
{
  return shardwise_axis_to_pixel (&rows->axis, bytes / shardwise_memory_unit_bytes ());
}

static char *
format_size (double value, double unit, double step)
{
  /* Translators: a size in GiB on an axis */
  g_autofree char *text = g_strdup_printf (_ ("%.*f GiB"), shardwise_axis_digits (step), value);

  return shardwise_memory_unit_text (text);
}

/* The reserve of each row is behind the parts, its capacity and target are in front. */
static void
draw_bars (ShardwiseBarChart *chart, const ShardwisePen *pen, const ShardwiseBarRows *rows)
{
  ShardwiseMemoryChart *self = SHARDWISE_MEMORY_CHART (chart);
  double limit = pixel_of (rows, self->limit), capacity = pixel_of (rows, self->capacity);
  GdkRGBA red;

  for (guint row = 0; row < rows->n; row++)
    if (note_of (self, row) == NULL)
      shardwise_draw_hatched (pen, SHARDWISE_COLOR_LIMIT, limit,
                              shardwise_bar_rows_bar_y (rows, row), capacity - limit,
                              rows->bar_height);
  for (guint i = 0; i < self->segments->len; i++)
    {
      const Segment *segment = &g_array_index (self->segments, Segment, i);
      double from = pixel_of (rows, segment->from);

      if (segment->part < N_PARTS)
        shardwise_draw_box (pen, shardwise_ink_of_memory (segment->part), FALSE, from,
                            shardwise_bar_rows_bar_y (rows, segment->row),
                            pixel_of (rows, segment->to) - from, rows->bar_height);
    }
  shardwise_palette_get (SHARDWISE_COLOR_LIMIT, pen->dark, &red);
  for (guint row = 0; row < rows->n; row++)
    {
      double top = rows->narrow ? shardwise_bar_rows_bar_y (rows, row) - 2
                                : rows->top + row * rows->row_height;
      double height = rows->narrow ? rows->bar_height + 4 : rows->row_height;

      if (note_of (self, row) != NULL)
        continue;
      shardwise_draw_line (pen, &red, capacity - 1, top, 2, height);
      if (self->limit < self->capacity)
        shardwise_draw_line (pen, &red, limit, top, 1, height);
    }
}

static guint
legend (ShardwiseChart *chart, ShardwiseLegendEntry out[SHARDWISE_LEGEND_MAX])
{
  ShardwiseMemoryChart *self = SHARDWISE_MEMORY_CHART (chart);
  gboolean there[N_PARTS + 1] = { FALSE };
  guint n = 0;

  for (guint i = 0; i < self->segments->len; i++)
    there[g_array_index (self->segments, Segment, i).part] = TRUE;
  for (guint i = 0; i < N_PARTS; i++)
    if (there[i])
      out[n++] = (ShardwiseLegendEntry){ shardwise_ink_of_memory (i),
                                         shardwise_text_memory_part (i) };
  if (n > 0 && self->limit < self->capacity)
    out[n++] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_LIMIT, _ ("Reserve"), .hatched = TRUE };
  if (n > 0)
    out[n++] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_LIMIT, _ ("Usable memory") };
  return n;
}

/* Points */

static guint
n_points (ShardwiseChart *chart)
{
  return SHARDWISE_MEMORY_CHART (chart)->segments->len;
}

static ShardwiseBar
bar (ShardwiseBarChart *chart, guint point)
{
  const Segment *segment = &g_array_index (SHARDWISE_MEMORY_CHART (chart)->segments, Segment,
                                           point);
  const double unit = shardwise_memory_unit_bytes ();

  return (ShardwiseBar){ segment->row, segment->from / unit, segment->to / unit };
}

/* The same part of the next row if it has one, otherwise its first part. */
static int
step (ShardwiseChart *chart, guint point, GtkDirectionType direction)
{
  ShardwiseMemoryChart *self = SHARDWISE_MEMORY_CHART (chart);
  const Segment *here = &g_array_index (self->segments, Segment, point);
  int wanted = (int) here->row + (direction == GTK_DIR_DOWN ? 1 : -1), found = (int) point;

  if (direction != GTK_DIR_UP && direction != GTK_DIR_DOWN)
    return direction == GTK_DIR_LEFT ? (int) point - 1 : (int) point + 1;
  for (guint i = self->segments->len; i-- > 0;)
    {
      const Segment *segment = &g_array_index (self->segments, Segment, i);

      if ((int) segment->row == wanted
          && (segment->part == here->part || found == (int) point || segment->part > here->part))
        found = (int) i;
    }
  return found;
}

static char *
readout (ShardwiseChart *chart, guint point)
{
  ShardwiseMemoryChart *self = SHARDWISE_MEMORY_CHART (chart);
  const Segment *segment = &g_array_index (self->segments, Segment, point);
  g_autofree char *size = shardwise_format_bytes (segment->to - segment->from);
  g_autofree char *share =
      shardwise_format_percent ((segment->to - segment->from) / self->capacity);
  const ShardwiseBarRow *row = shardwise_bar_chart_get_row (SHARDWISE_BAR_CHART (chart),
                                                            segment->row);

  if (segment->part == N_PARTS)
    /* Translators: a ZeRO stage, and why it cannot be used */
    return g_strdup_printf (_ ("%s: %s"), row->label, row->note);
  /* Translators: a stage, a part of its memory ("Gradients"), its size, its share of the GPU, and
   * all parts together */
  return g_strdup_printf (_ ("%s: %s %s, %s of the GPU; together %s"), row->label,
                          shardwise_text_memory_part (segment->part), size, share, row->value);
}

static char *
summary (ShardwiseChart *chart)
{
  return g_strdup (SHARDWISE_MEMORY_CHART (chart)->summary);
}

/* Table */

static const ShardwiseChartColumn columns[] = {
  { N_ ("Stage"), -1 },
  { N_ ("Parameters (GiB)"), 2 },
  { N_ ("Gradients (GiB)"), 2 },
  { N_ ("Optimizer (GiB)"), 2 },
  { N_ ("Activations (GiB)"), 2 },
  { N_ ("Logits (GiB)"), 2 },
  { N_ ("Buffers (GiB)"), 2 },
  { N_ ("Framework (GiB)"), 2 },
  { N_ ("Total (GiB)"), 2 },
  { N_ ("Of capacity (%)"), 1 },
  { NULL, 0 },
};

static void
cell (ShardwiseChart *chart, guint row, guint column, ShardwiseChartCell *out)
{
  ShardwiseMemoryChart *self = SHARDWISE_MEMORY_CHART (chart);
  const ShardwiseBarRow *texts = shardwise_bar_chart_get_row (SHARDWISE_BAR_CHART (chart), row);
  const Bar *shown = &g_array_index (self->bars, Bar, row);

  if (column == 0)
    out->text = g_strdup (texts->label);
  else if (texts->note != NULL)
    out->text = g_strdup (column == 1 ? texts->note : "");
  else if (column <= N_PARTS)
    out->number = shown->bytes[column - 1] / SW_GIB;
  else
    out->number = column == N_PARTS + 1 ? shown->total / SW_GIB
                                        : shown->total / self->capacity * 100;
}

/* Data */

static void
reset (ShardwiseMemoryChart *self, const SwEstimate *estimate)
{
  g_array_set_size (self->bars, 0);
  shardwise_bar_chart_clear (SHARDWISE_BAR_CHART (self));
  g_array_set_size (self->segments, 0);
  g_clear_pointer (&self->summary, g_free);
  self->capacity = estimate != NULL ? estimate->usable_bytes : 0;
  self->limit = estimate != NULL ? estimate->memory_limit_bytes : 0;
}

static void
add_bar (ShardwiseMemoryChart *self, char *label, gboolean strong, const SwMemoryParts *memory)
{
  Bar added = { { memory->parameters, memory->gradients, memory->optimizer, memory->activations,
                  memory->logits, memory->buffers, memory->framework },
                memory->total };
  g_autofree char *size = shardwise_format_bytes (memory->total);
  g_autofree char *share = shardwise_format_percent (memory->total / self->capacity);
  char *value;
  double from = 0;

  for (guint part = 0; part < N_PARTS; part++)
    {
      Segment segment = { self->bars->len, part, from, from + added.bytes[part] };

      if (added.bytes[part] > 0)
        g_array_append_val (self->segments, segment);
      from = segment.to;
    }
  g_array_append_val (self->bars, added);
  /* Translators: a size and its percentage of the capacity */
  value = g_strdup_printf (_ ("%s · %s"), size, share);
  shardwise_bar_chart_add_row (SHARDWISE_BAR_CHART (self),
                               (ShardwiseBarRow){ label, value, strong });
}

/**
 * shardwise_memory_chart_set_stages:
 * @self: a chart
 * @problem: (nullable): the question
 * @estimate: (nullable): the estimate with the stages; NULL: shows nothing
 */
void
shardwise_memory_chart_set_stages (ShardwiseMemoryChart *self, const SwProblem *problem,
                                   const SwEstimate *estimate)
{
  g_return_if_fail (SHARDWISE_IS_MEMORY_CHART (self));

  reset (self, estimate);
  for (guint stage = 0; estimate != NULL && stage < estimate->strategy.pp; stage++)
    {
      guint layers = sw_stage_layers (problem, &estimate->strategy, stage);
      gboolean is_pipeline = estimate->strategy.pp > 1;
      SwMemoryParts memory;

      sw_estimate_stage (problem, &estimate->strategy, stage, &memory);
      add_bar (
          self,
          is_pipeline
              /* Translators: number of a pipeline stage, and the count of its layers */
              ? g_strdup_printf (ngettext ("Stage %u, %u layer", "Stage %u, %u layers", layers),
                                 stage, layers)
              : g_strdup (_ ("Every GPU")),
          is_pipeline && stage == estimate->memory.peak_stage, &memory);
    }
  self->summary = estimate != NULL ? shardwise_text_memory (problem, estimate) : g_strdup ("");
  shardwise_chart_changed (SHARDWISE_CHART (self));
}

static char *
zero_summary (ShardwiseMemoryChart *self, const SwEstimate *estimate)
{
  const Bar *none = &g_array_index (self->bars, Bar, 0),
            *chosen = &g_array_index (self->bars, Bar, estimate->strategy.zero_stage);
  g_autofree char *here = shardwise_format_bytes (chosen->total),
                  *before = shardwise_format_bytes (none->total);

  if (estimate->strategy.dp * estimate->strategy.cp == 1)
    return g_strdup (
        _ ("With one replica there is nothing to shard: the ZeRO stages do not differ."));
  if (note_of (self, 0) != NULL || estimate->strategy.zero_stage == 0)
    /* Translators: a ZeRO stage and a size */
    return g_strdup_printf (_ ("ZeRO %u takes %s on the fullest GPU."),
                            estimate->strategy.zero_stage, here);
  /* Translators: a ZeRO stage, a size, and the size without it */
  return g_strdup_printf (
      _ ("ZeRO %u takes %s on the fullest GPU; without sharding it would be %s."),
      estimate->strategy.zero_stage, here, before);
}

/**
 * shardwise_memory_chart_set_zero_stages:
 * @self: a chart
 * @problem: (nullable): the question
 * @estimate: (nullable): the strategy, of which only the ZeRO stage varies; NULL: shows nothing
 *
 * Shows the fullest stage under ZeRO 0 to 3, or the broken rule.
 */
void
shardwise_memory_chart_set_zero_stages (ShardwiseMemoryChart *self, const SwProblem *problem,
                                        const SwEstimate *estimate)
{
  SwProblem unpinned;

  g_return_if_fail (SHARDWISE_IS_MEMORY_CHART (self));

  reset (self, estimate);
  if (estimate != NULL)
    {
      unpinned = *problem;
      unpinned.pins.mask &= ~(1u << SW_DIM_ZERO);
      for (guint stage = 0; stage < 4; stage++)
        {
          SwStrategy strategy = estimate->strategy;
          SwEstimate varied;
          char *label;

          strategy.zero_stage = (guint8) stage;
          sw_estimate (&unpinned, &strategy, &varied);
          /* Translators: a ZeRO stage, 0 to 3 */
          label = g_strdup_printf (_ ("ZeRO %u"), stage);
          if (varied.rule == SW_RULE_OK || varied.rule == SW_RULE_GPU_MEMORY
              || varied.rule == SW_RULE_HOST_MEMORY)
            add_bar (self, label, stage == estimate->strategy.zero_stage, &varied.memory.peak);
          else
            {
              const Bar none = { { 0 } };
              Segment segment = { self->bars->len, N_PARTS, 0, self->capacity };
              char *note = shardwise_text_rule (&unpinned, &strategy, varied.rule,
                                                varied.missing_bytes);

              g_array_append_val (self->segments, segment);
              g_array_append_val (self->bars, none);
              shardwise_bar_chart_add_row (SHARDWISE_BAR_CHART (self),
                                           (ShardwiseBarRow){ label, g_strdup ("–"), FALSE, note });
            }
        }
    }
  self->summary = estimate != NULL ? zero_summary (self, estimate) : g_strdup ("");
  shardwise_chart_changed (SHARDWISE_CHART (self));
}

/* Type */

static void
shardwise_memory_chart_finalize (GObject *object)
{
  ShardwiseMemoryChart *self = SHARDWISE_MEMORY_CHART (object);

  g_array_unref (self->bars);
  g_array_unref (self->segments);
  g_free (self->summary);
  G_OBJECT_CLASS (shardwise_memory_chart_parent_class)->finalize (object);
}

static void
shardwise_memory_chart_class_init (ShardwiseMemoryChartClass *klass)
{
  ShardwiseChartClass *chart_class = SHARDWISE_CHART_CLASS (klass);
  ShardwiseBarChartClass *bar_class = SHARDWISE_BAR_CHART_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = shardwise_memory_chart_finalize;
  chart_class->legend = legend;
  chart_class->n_points = n_points;
  chart_class->step = step;
  chart_class->readout = readout;
  chart_class->summary = summary;
  chart_class->columns = columns;
  chart_class->cell = cell;
  bar_class->format = format_size;
  bar_class->set_range = set_range;
  bar_class->draw_bars = draw_bars;
  bar_class->bar = bar;
  bar_class->least_width = 1;
  bar_class->has_parts = TRUE;
}

static void
shardwise_memory_chart_init (ShardwiseMemoryChart *self)
{
  self->bars = g_array_new (FALSE, TRUE, sizeof (Bar));
  self->segments = g_array_new (FALSE, TRUE, sizeof (Segment));
  self->summary = g_strdup ("");
}
