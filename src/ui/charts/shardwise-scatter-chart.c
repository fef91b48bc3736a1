/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-scatter-chart-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include "shardwise-candidate-view.h"
#include "shardwise-memory-unit.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "sw-search-result.h"

G_DEFINE_FINAL_TYPE (ShardwiseScatterChart, shardwise_scatter_chart, SHARDWISE_TYPE_CHART)

static double
tokens_per_s (const SwCandidate *candidate)
{
  return 1 / (double) candidate->seconds_per_token;
}

/* The candidate that a point stands for. */
const SwCandidate *
shardwise_scatter_chart_candidate_at (ShardwiseScatterChart *self, guint point)
{
  if (point < self->front->len)
    return &self->candidates[g_array_index (self->front, guint, point)];
  return &self->candidates
              [g_array_index (self->spots, ShardwiseScatterSpot, point - self->front->len).fastest];
}

/* Where a strategy is drawn. */
void
shardwise_scatter_chart_place (ShardwiseScatterChart *self, const SwCandidate *candidate, double *x,
                               double *y)
{
  *x = shardwise_axis_to_pixel (&self->memory,
                                candidate->memory_bytes / shardwise_memory_unit_bytes ());
  *y = shardwise_axis_to_pixel (&self->throughput, tokens_per_s (candidate));
}

/* Points */

static guint
n_points (ShardwiseChart *chart)
{
  ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (chart);

  return self->front->len + self->spots->len;
}

static gboolean
point_area (ShardwiseChart *chart, guint point, graphene_rect_t *out)
{
  ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (chart);
  double x, y;

  shardwise_scatter_chart_place (self, shardwise_scatter_chart_candidate_at (self, point), &x, &y);
  graphene_rect_init (out, x - SHARDWISE_SCATTER_RADIUS, y - SHARDWISE_SCATTER_RADIUS,
                      2 * SHARDWISE_SCATTER_RADIUS, 2 * SHARDWISE_SCATTER_RADIUS);
  return TRUE;
}

/* The nearest point; the front comes first in the list, so that it wins over a spot on the same
 * place. */
static int
pick (ShardwiseChart *chart, double x, double y)
{
  ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (chart);
  double best = SHARDWISE_SCATTER_REACH;
  int found = -1;

  for (guint i = 0; i < n_points (chart); i++)
    {
      double at_x, at_y, distance;

      shardwise_scatter_chart_place (self, shardwise_scatter_chart_candidate_at (self, i), &at_x,
                                     &at_y);
      distance = hypot (at_x - x, at_y - y);
      if (distance < best)
        {
          best = distance;
          found = (int) i;
        }
    }
  return found;
}

/* The keyboard walks along the front; from elsewhere it goes to the end of the front that needs no
 * more memory. */
static int
step (ShardwiseChart *chart, guint point, GtkDirectionType direction)
{
  ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (chart);
  gboolean back = direction == GTK_DIR_LEFT || direction == GTK_DIR_DOWN;
  guint last = self->front->len - 1;
  float memory;

  if (point <= last)
    return back ? (int) point - 1 : (int) MIN (point + 1, last);
  memory = shardwise_scatter_chart_candidate_at (self, point)->memory_bytes;
  while (last > 0
         && self->candidates[g_array_index (self->front, guint, last)].memory_bytes > memory)
    last--;
  return (int) last;
}

static char *
readout (ShardwiseChart *chart, guint point)
{
  ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (chart);
  const SwCandidate *candidate = shardwise_scatter_chart_candidate_at (self, point);
  g_autofree char *strategy = shardwise_text_strategy (&candidate->strategy);
  g_autofree char *speed = shardwise_format_count (tokens_per_s (candidate));
  g_autofree char *memory = shardwise_format_bytes (candidate->memory_bytes);
  guint alike;

  if (point < self->front->len)
    /* Translators: a strategy ("TP 8 · PP 4 …"), tokens per second, memory */
    return g_strdup_printf (_ ("%s: %s tokens/s in %s; no strategy is faster in as little memory"),
                            strategy, speed, memory);
  alike = g_array_index (self->spots, ShardwiseScatterSpot, point - self->front->len).count - 1;
  if (alike == 0)
    /* Translators: a strategy ("TP 8 · PP 4 …"), tokens per second, memory */
    return g_strdup_printf (_ ("%s: %s tokens/s in %s"), strategy, speed, memory);
  return g_strdup_printf (
      /* Translators: a strategy ("TP 8 · PP 4 …"), tokens per second, memory, and how many
         strategies more are drawn on the same spot */
      ngettext ("%s: %s tokens/s in %s; %'u more on this spot",
                "%s: %s tokens/s in %s; %'u more on this spot", alike),
      strategy, speed, memory, alike);
}

static char *
summary (ShardwiseChart *chart)
{
  ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (chart);
  const SwCandidate *small, *fast;
  g_autofree char *low = NULL, *high = NULL, *little = NULL, *much = NULL;

  if (self->n == 0)
    return g_strdup ("");
  small = &self->candidates[g_array_index (self->front, guint, 0)];
  fast = &self->candidates[g_array_index (self->front, guint, self->front->len - 1)];
  low = shardwise_format_count (tokens_per_s (small));
  high = shardwise_format_count (tokens_per_s (fast));
  little = shardwise_format_bytes (small->memory_bytes);
  much = shardwise_format_bytes (fast->memory_bytes);
  return g_strdup_printf (
      self->is_partial
          /* Translators: as the sentence without "so far"; not every strategy was tried yet, and
             more fit than these */
          ? _ ("%'u of the best strategies so far; on %'u of them no other improves, from %s "
               "tokens/s in %s to %s tokens/s in %s.")
          /* Translators: how many strategies fit, how many of them are on the Pareto front; then
             tokens per second and memory of its two ends */
          : _ ("%'u strategies fit; on %'u of them no other improves, from %s tokens/s in %s to %s "
               "tokens/s in %s."),
      self->total, self->front->len, low, little, high, much);
}

static guint
legend (ShardwiseChart *chart, ShardwiseLegendEntry out[SHARDWISE_LEGEND_MAX])
{
  const ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (chart);
  guint n = 0;

  if (self->n == 0)
    return 0;
  out[n++] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_COMPUTE,
                                     _ ("Pareto front: none is faster in as little memory") };
  out[n++] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_OTHER, _ ("Others that fit") };
  if (self->limit_bytes < self->usable_bytes)
    out[n++] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_LIMIT, _ ("Reserve"), .hatched = TRUE };
  out[n++] = (ShardwiseLegendEntry){ SHARDWISE_COLOR_LIMIT, _ ("Usable memory") };
  return n;
}

/* Table: the front. The list of strategies beside the chart has the others. */

static const ShardwiseChartColumn *
columns (ShardwiseChart *chart, guint *n)
{
  static const ShardwiseChartColumn described[] = {
    { N_ ("Strategy"), -1 },
    { N_ ("Memory (GiB)"), 1 },
    { N_ ("Tokens/s"), 0 },
    { N_ ("Step (s)"), 3 },
  };

  *n = G_N_ELEMENTS (described);
  return described;
}

static guint
n_rows (ShardwiseChart *chart)
{
  return SHARDWISE_SCATTER_CHART (chart)->front->len;
}

static void
cell (ShardwiseChart *chart, guint row, guint column, ShardwiseChartCell *out)
{
  ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (chart);
  const SwCandidate *candidate = &self->candidates[g_array_index (self->front, guint, row)];
  const double numbers[] = { 0, candidate->memory_bytes / SW_GIB, tokens_per_s (candidate),
                             candidate->step_s };

  if (column == 0)
    out->text = shardwise_text_strategy (&candidate->strategy);
  else
    out->number = numbers[column];
}

/* Public */

static void
find_extent (ShardwiseScatterChart *self)
{
  self->most_tokens_per_s = 0;
  self->least_memory_bytes = self->usable_bytes;
  for (guint i = 0; i < self->n; i++)
    {
      self->most_tokens_per_s = MAX (self->most_tokens_per_s, tokens_per_s (&self->candidates[i]));
      self->least_memory_bytes = MIN (self->least_memory_bytes, self->candidates[i].memory_bytes);
    }
}

/**
 * shardwise_scatter_chart_set_candidates:
 * @self: a chart
 * @candidates: (array length=n): strategies that fit
 * @counts: (array length=n) (nullable): how many strategies each stands for; 0: counted with
 * another one, and here for the front; %NULL: 1 each
 * @n: how many; 0 empties the chart
 * @owner: (nullable): what keeps @candidates and @counts alive
 * @usable_bytes: memory of one GPU
 * @limit_bytes: how much of it a strategy may take; the rest is a reserve
 */
void
shardwise_scatter_chart_set_candidates (ShardwiseScatterChart *self, const SwCandidate *candidates,
                                        const guint *counts, guint n, GObject *owner,
                                        double usable_bytes, double limit_bytes)
{
  g_return_if_fail (SHARDWISE_IS_SCATTER_CHART (self));

  g_set_object (&self->owner, owner);
  self->candidates = candidates;
  self->counts = counts;
  self->n = n;
  self->usable_bytes = usable_bytes;
  self->limit_bytes = limit_bytes;
  self->total = 0;
  for (guint i = 0; i < n; i++)
    self->total += counts != NULL ? counts[i] : 1;
  g_array_set_size (self->spots, 0);
  g_array_unref (self->front);
  self->front = sw_pareto_front (candidates, n);
  find_extent (self);
  shardwise_chart_changed (SHARDWISE_CHART (self));
}

/**
 * shardwise_scatter_chart_set_partial:
 * @self: a chart
 * @is_partial: whether not every strategy was tried yet
 *
 * The next candidates are said to be all of those that fit, or those found so far.
 */
void
shardwise_scatter_chart_set_partial (ShardwiseScatterChart *self, gboolean is_partial)
{
  g_return_if_fail (SHARDWISE_IS_SCATTER_CHART (self));

  self->is_partial = is_partial;
}

static void
set_mark (SwCandidate *mark, gboolean *has, const SwCandidate *candidate)
{
  *has = candidate != NULL;
  if (candidate != NULL)
    *mark = *candidate;
}

/**
 * shardwise_scatter_chart_set_marks:
 * @self: a chart
 * @best: (nullable): gets a star; copied
 * @selected: (nullable): is drawn large, with its name; copied
 *
 * Neither needs be among the candidates: a filter may hide them.
 */
void
shardwise_scatter_chart_set_marks (ShardwiseScatterChart *self, const SwCandidate *best,
                                   const SwCandidate *selected)
{
  g_return_if_fail (SHARDWISE_IS_SCATTER_CHART (self));

  set_mark (&self->best, &self->has_best, best);
  set_mark (&self->selected, &self->has_selected, selected);
  shardwise_chart_redraw (SHARDWISE_CHART (self));
}

/**
 * shardwise_scatter_chart_set_pointed:
 * @self: a chart
 * @pointed: (nullable): is crossed by a line to each axis, as what is pointed at; copied
 *
 * For a list beside the chart, to show where its row lies.
 */
void
shardwise_scatter_chart_set_pointed (ShardwiseScatterChart *self, const SwCandidate *pointed)
{
  g_return_if_fail (SHARDWISE_IS_SCATTER_CHART (self));

  if (pointed == NULL && !self->has_pointed)
    return;
  set_mark (&self->pointed, &self->has_pointed, pointed);
  shardwise_chart_redraw (SHARDWISE_CHART (self));
}

/**
 * shardwise_scatter_chart_set_pins:
 * @self: a chart
 * @comparison: those of its strategies that fit the present inputs get their letter; not kept
 */
void
shardwise_scatter_chart_set_pins (ShardwiseScatterChart *self, ShardwiseComparison *comparison)
{
  g_return_if_fail (SHARDWISE_IS_SCATTER_CHART (self) && SHARDWISE_IS_COMPARISON (comparison));

  self->n_pins = 0;
  for (guint i = 0; i < shardwise_comparison_get_n (comparison); i++)
    {
      const SwEstimate *estimate = shardwise_comparison_get_estimate (comparison, i);

      if (!estimate->fits || shardwise_comparison_get_name (comparison, i) != NULL)
        continue;
      self->letters[self->n_pins] = i;
      self->pins[self->n_pins++] = shardwise_candidate_of (estimate);
    }
  shardwise_chart_redraw (SHARDWISE_CHART (self));
}

/**
 * shardwise_scatter_chart_get_candidate:
 * @self: a chart
 * @point: of the chart
 *
 * Returns: (transfer none): the strategy there
 */
const SwCandidate *
shardwise_scatter_chart_get_candidate (ShardwiseScatterChart *self, guint point)
{
  g_return_val_if_fail (SHARDWISE_IS_SCATTER_CHART (self), NULL);
  g_return_val_if_fail (point < n_points (SHARDWISE_CHART (self)), NULL);

  return shardwise_scatter_chart_candidate_at (self, point);
}

/* Type */

static void
shardwise_scatter_chart_finalize (GObject *object)
{
  ShardwiseScatterChart *self = SHARDWISE_SCATTER_CHART (object);

  g_clear_object (&self->owner);
  g_array_unref (self->front);
  g_array_unref (self->spots);
  G_OBJECT_CLASS (shardwise_scatter_chart_parent_class)->finalize (object);
}

static void
shardwise_scatter_chart_class_init (ShardwiseScatterChartClass *klass)
{
  ShardwiseChartClass *chart_class = SHARDWISE_CHART_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = shardwise_scatter_chart_finalize;
  chart_class->plot_height = shardwise_scatter_chart_plot_height;
  chart_class->layout = shardwise_scatter_chart_layout;
  chart_class->draw = shardwise_scatter_chart_draw;
  chart_class->draw_point = shardwise_scatter_chart_draw_point;
  chart_class->legend = legend;
  chart_class->n_points = n_points;
  chart_class->point_area = point_area;
  chart_class->pick = pick;
  chart_class->step = step;
  chart_class->readout = readout;
  chart_class->summary = summary;
  chart_class->columns = columns;
  chart_class->n_rows = n_rows;
  chart_class->cell = cell;
}

static void
shardwise_scatter_chart_init (ShardwiseScatterChart *self)
{
  self->front = g_array_new (FALSE, FALSE, sizeof (guint));
  self->spots = g_array_new (FALSE, FALSE, sizeof (ShardwiseScatterSpot));
}
