/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-atlas-chart-private.h"

#include <glib/gi18n.h>

#include "shardwise-chart-draw.h"
#include "shardwise-format.h"

#define GAP 2 /* pixels between two cells */
#define SCALE_WIDTH 160
#define SCALE_HEIGHT 12
#define SCALE_STEPS 32 /* in which the scale is drawn */

/* Layout */

static guint
n_rows (ShardwiseAtlasChart *self)
{
  return self->columns > 0 ? shardwise_atlas_chart_n_cells (self) / self->columns : 0;
}

static int
cell_height (ShardwiseChart *chart)
{
  return 2 * shardwise_draw_line_height (chart) + 8;
}

static int
label_width (ShardwiseChart *chart)
{
  return shardwise_draw_text_width (chart, "00000 B") + 8;
}

/* Of the scale with its numbers, above the cells. */
static int
scale_height (ShardwiseChart *chart)
{
  return SCALE_HEIGHT + shardwise_draw_line_height (chart) + 14;
}

/* The least width in which every cell can say its number. */
int
shardwise_atlas_chart_plot_width (ShardwiseChart *chart)
{
  guint columns = SHARDWISE_ATLAS_CHART (chart)->columns;

  return MAX (240, label_width (chart)
                       + (int) columns * (shardwise_draw_text_width (chart, "00.0") + 6));
}

/* As #ShardwiseChartClass wants it. */
int
shardwise_atlas_chart_plot_height (ShardwiseChart *chart, int width, int *minimum)
{
  *minimum = scale_height (chart)
             + (int) n_rows (SHARDWISE_ATLAS_CHART (chart)) * cell_height (chart)
             + 2 * shardwise_draw_axis_height (chart);
  return *minimum;
}

/* Places the grid in the plot. */
void
shardwise_atlas_chart_layout (ShardwiseChart *chart, const graphene_rect_t *plot)
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

/* Where a cell is drawn. */
void
shardwise_atlas_chart_area (ShardwiseAtlasChart *self, guint index, graphene_rect_t *out)
{
  double width = self->grid.size.width / MAX (self->columns, 1),
         height = self->grid.size.height / MAX (n_rows (self), 1);

  graphene_rect_init (out, self->grid.origin.x + index % self->columns * width,
                      self->grid.origin.y + index / self->columns * height, MAX (width - GAP, 1),
                      MAX (height - GAP, 1));
}

/* Drawing */

static void
fill (ShardwiseAtlasChart *self, double mfu, GdkRGBA *out)
{
  shardwise_palette_ramp ((mfu - self->low) / (self->high - self->low), out);
}

/* "TP 8 PP 4" as "TP8 PP4": without the spaces before numbers. */
static char *
compact (const char *text)
{
  GString *out = g_string_new (NULL);

  for (; *text != '\0'; text++)
    if (*text != ' ' || !g_ascii_isdigit (text[1]))
      g_string_append_c (out, *text);
  return g_string_free (out, FALSE);
}

/* "46.8 %", or where that is too wide "46.8": the scale above says that these are percentages. */
static char *
mfu_text (ShardwiseChart *chart, double mfu, double width)
{
  char *text = shardwise_format_percent (mfu);

  if (shardwise_draw_text_width (chart, text) > width)
    {
      g_free (text);
      text = g_strdup_printf ("%.1f", 100 * mfu);
    }
  return text;
}

/* The MFU in the middle of a cell with the strategy under it, in short where it is too long. What
 * has no room is left out, since a cut word says nothing: the readout and the table have it. */
static void
draw_texts (ShardwiseChart *chart, GtkSnapshot *snapshot, const GdkRGBA *color,
            const graphene_rect_t *area, double share, const char *strategy)
{
  g_autofree char *shorter = compact (strategy),
                  *mfu = mfu_text (chart, share, area->size.width - 2);
  int line = shardwise_draw_line_height (chart);
  double width = area->size.width - 2, x = area->origin.x + area->size.width / 2,
         y = area->origin.y + area->size.height / 2;
  const char *second = shardwise_draw_text_width (chart, strategy) <= width ? strategy : shorter;
  gboolean both = area->size.height >= 2 * line
                  && shardwise_draw_text_width (chart, second) <= width;

  if (shardwise_draw_text_width (chart, mfu) > width)
    return;
  shardwise_draw_text (chart, snapshot, mfu, color, x, both ? y - line / 2.0 : y, 0.5, 0.5);
  if (both)
    shardwise_draw_text (chart, snapshot, second, color, x, y + line / 2.0, 0.5, 0.5);
}

static void
draw_cell (ShardwiseAtlasChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style,
           guint index)
{
  const SwEstimate *estimate = &shardwise_atlas_chart_at (self, index)->estimate;
  g_autofree char *strategy = NULL;
  graphene_rect_t area;
  GdkRGBA color, text;

  shardwise_atlas_chart_area (self, index, &area);
  if (!estimate->fits)
    {
      shardwise_draw_hatched (snapshot, style, SHARDWISE_COLOR_OTHER, area.origin.x, area.origin.y,
                              area.size.width, area.size.height);
      return;
    }
  fill (self, estimate->mfu, &color);
  shardwise_palette_text_on (&color, &text);
  gtk_snapshot_append_color (snapshot, &color, &area);
  if (style->high_contrast)
    shardwise_draw_outline (snapshot, &style->text, &area, 1);
  strategy = shardwise_sizing_strategy_text (&estimate->strategy);
  draw_texts (SHARDWISE_CHART (self), snapshot, &text, &area, estimate->mfu, strategy);
}

static void
draw_axes (ShardwiseAtlasChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style)
{
  ShardwiseChart *chart = SHARDWISE_CHART (self);
  double bottom = self->grid.origin.y + self->grid.size.height;
  graphene_rect_t area;

  for (guint row = 0; row < n_rows (self); row++)
    {
      /* Translators: size of a model in billions of parameters, on an axis */
      g_autofree char *label = g_strdup_printf (
          _ ("%'g B"), shardwise_atlas_chart_at (self, row * self->columns)->parameters_b);

      shardwise_atlas_chart_area (self, row * self->columns, &area);
      shardwise_draw_text (chart, snapshot, label, &style->dim, self->grid.origin.x - 6,
                           area.origin.y + area.size.height / 2, 1, 0.5);
    }
  for (guint column = 0; column < self->columns; column++)
    {
      g_autofree char *label =
          shardwise_format_whole (shardwise_atlas_chart_at (self, column)->nodes);

      shardwise_atlas_chart_area (self, column, &area);
      shardwise_draw_text (chart, snapshot, label, &style->dim, area.origin.x + area.size.width / 2,
                           bottom + 4, 0.5, 0);
    }
  shardwise_draw_text (chart, snapshot, _ ("Nodes"), &style->dim,
                       self->grid.origin.x + self->grid.size.width / 2,
                       bottom + shardwise_draw_axis_height (chart), 0.5, 0);
}

/* The colours with the MFU at both ends and in the middle. */
static void
draw_scale (ShardwiseAtlasChart *self, GtkSnapshot *snapshot, const ShardwiseChartStyle *style)
{
  ShardwiseChart *chart = SHARDWISE_CHART (self);
  double width = self->scale.size.width / SCALE_STEPS;

  shardwise_draw_text (chart, snapshot, _ ("MFU"), &style->text, self->scale.origin.x - 8,
                       self->scale.origin.y + SCALE_HEIGHT / 2.0, 1, 0.5);
  for (guint i = 0; i < SCALE_STEPS; i++)
    {
      GdkRGBA color;

      shardwise_palette_ramp ((i + 0.5) / SCALE_STEPS, &color);
      gtk_snapshot_append_color (snapshot, &color,
                                 &GRAPHENE_RECT_INIT (self->scale.origin.x + i * width,
                                                      self->scale.origin.y, width, SCALE_HEIGHT));
    }
  shardwise_draw_outline (snapshot, &style->dim, &self->scale, 1);
  for (guint i = 0; i < 3; i++)
    {
      double share = i / 2.0;
      g_autofree char *label = g_strdup_printf (
          /* Translators: a percentage on an axis */
          _ ("%.3g %%"), 100 * (self->low + share * (self->high - self->low)));

      shardwise_draw_text (chart, snapshot, label, &style->dim,
                           self->scale.origin.x + share * self->scale.size.width,
                           self->scale.origin.y + SCALE_HEIGHT + 2, share, 0);
    }
}

/* Draws the cells, the axes and the scale of colours. */
void
shardwise_atlas_chart_draw (ShardwiseChart *chart, GtkSnapshot *snapshot,
                            const ShardwiseChartStyle *style)
{
  ShardwiseAtlasChart *self = SHARDWISE_ATLAS_CHART (chart);

  if (shardwise_atlas_chart_n_cells (self) == 0)
    return;
  if (self->high > 0)
    draw_scale (self, snapshot, style);
  for (guint i = 0; i < shardwise_atlas_chart_n_cells (self); i++)
    draw_cell (self, snapshot, style, i);
  draw_axes (self, snapshot, style);
}
