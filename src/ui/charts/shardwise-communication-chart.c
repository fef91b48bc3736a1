/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-communication-chart.h"

#include <glib/gi18n.h>

#include "shardwise-chart-draw.h"
#include "shardwise-format.h"
#include "shardwise-text-estimate.h"

#define NARROW 34       /* lines of text: in a narrower chart the bar is below the texts */
#define BAR 14          /* pixels */
#define GAP 12          /* between texts and bar, and between rows */
#define TEXT_SHARE 0.66 /* of the width, for the texts next to the bar */
#define STRETCH 1.5     /* of a row in a chart of few rows, relative to its minimum */

/* The texts of a row; links NULL: unknown, like everything but its time. */
typedef struct {
  char *name, *time, *links, *figures; /* owned */
} Words;

struct _ShardwiseCommunicationChart {
  ShardwiseChart parent_instance;

  SwCommunication row[SW_MAX_COMMUNICATIONS];
  Words words[SW_MAX_COMMUNICATIONS];
  guint n;
  char *summary;
  gboolean narrow;
  double row_top[SW_MAX_COMMUNICATIONS + 1], line; /* the last: the end of all rows */
  ShardwiseAxis axis;                              /* of the bars */
  double text_left, text_width;
};

G_DEFINE_FINAL_TYPE (ShardwiseCommunicationChart, shardwise_communication_chart,
                     SHARDWISE_TYPE_CHART)

/**
 * shardwise_communication_color:
 * @group: a kind of group
 *
 * Returns: its color in every chart
 */
ShardwiseColor
shardwise_communication_color (SwCommunicationGroup group)
{
  static const ShardwiseColor colors[SW_N_COMMUNICATION_GROUPS] = {
    SHARDWISE_COLOR_TENSOR,   SHARDWISE_COLOR_CONTEXT, SHARDWISE_COLOR_EXPERT,
    SHARDWISE_COLOR_PIPELINE, SHARDWISE_COLOR_DATA,
  };

  return colors[group];
}

/* Drawing */

/* The second line of a row with room next to the bar. */
static char *
words_of_line (const Words *words)
{
  return words->links != NULL ? g_strdup_printf ("%s · %s", words->links, words->figures)
                              : g_strdup (words->figures);
}

/* Whether the chart is too narrow for texts next to the bars. */
static gboolean
is_narrow (ShardwiseCommunicationChart *self, double width)
{
  ShardwiseChart *chart = SHARDWISE_CHART (self);

  if (width < NARROW * shardwise_draw_line_height (chart))
    return TRUE;
  for (guint i = 0; i < self->n; i++)
    {
      g_autofree char *line = words_of_line (&self->words[i]);

      if (shardwise_draw_text_width (chart, line) > width * TEXT_SHARE - GAP)
        return TRUE;
    }
  return FALSE;
}

/* A narrow chart truncates nothing: the name, next to the time, and the figures wrap. */
static guint
name_lines (ShardwiseCommunicationChart *self, guint row, double width)
{
  ShardwiseChart *chart = SHARDWISE_CHART (self);
  const Words *words = &self->words[row];

  return shardwise_draw_line_count (chart, words->name,
                                    width - shardwise_draw_text_width (chart, words->time) - GAP);
}

/* All lines of a row above its bar. */
static guint
row_lines (ShardwiseCommunicationChart *self, guint row, double width)
{
  const Words *words = &self->words[row];
  guint lines = name_lines (self, row, width) + 1;

  return words->links == NULL
             ? lines
             : lines + shardwise_draw_line_count (SHARDWISE_CHART (self), words->figures, width);
}

/* In a narrow chart each row has its own height, so short texts leave no gaps. */
static double
row_height (ShardwiseCommunicationChart *self, guint row, double width, gboolean narrow)
{
  double line = shardwise_draw_line_height (SHARDWISE_CHART (self));

  return narrow ? row_lines (self, row, width) * line + BAR + 4 + GAP : 2 * line + GAP;
}

static double
rows_height (ShardwiseCommunicationChart *self, double width)
{
  gboolean narrow = is_narrow (self, width);
  double height = 0;

  for (guint i = 0; i < self->n; i++)
    height += row_height (self, i, width, narrow);
  return height;
}

static double
longest_s (ShardwiseCommunicationChart *self)
{
  double most = 0;

  for (guint i = 0; i < self->n; i++)
    most = MAX (most, self->row[i].seconds);
  return most;
}

static int
plot_height (ShardwiseChart *chart, int width, int *minimum)
{
  ShardwiseCommunicationChart *self = SHARDWISE_COMMUNICATION_CHART (chart);

  *minimum = (int) rows_height (self, width);
  return *minimum;
}

static int
plot_most (ShardwiseChart *chart, int width)
{
  ShardwiseCommunicationChart *self = SHARDWISE_COMMUNICATION_CHART (chart);

  return (int) (rows_height (self, width) * STRETCH);
}

static void
layout (ShardwiseChart *chart, const graphene_rect_t *plot)
{
  ShardwiseCommunicationChart *self = SHARDWISE_COMMUNICATION_CHART (chart);
  double left = plot->origin.x, right = left + plot->size.width, most = longest_s (self);
  double needed = rows_height (self, plot->size.width),
         stretch = MIN (plot->size.height / MAX (needed, 1), STRETCH);

  self->narrow = is_narrow (self, plot->size.width);
  self->line = shardwise_draw_line_height (chart);
  self->row_top[0] = plot->origin.y;
  for (guint i = 0; i < self->n; i++)
    self->row_top[i + 1] = self->row_top[i]
                           + row_height (self, i, plot->size.width, self->narrow) * stretch;
  self->text_left = left;
  self->text_width = self->narrow ? plot->size.width : plot->size.width * TEXT_SHARE - GAP;
  self->axis = (ShardwiseAxis){ SHARDWISE_SCALE_LINEAR, 0, most > 0 ? most : 1,
                                self->narrow ? left : left + plot->size.width * TEXT_SHARE, right };
}

static gboolean
point_area (ShardwiseChart *chart, guint row, graphene_rect_t *out)
{
  ShardwiseCommunicationChart *self = SHARDWISE_COMMUNICATION_CHART (chart);
  double y = self->row_top[row],
         width = shardwise_axis_to_pixel (&self->axis, self->row[row].seconds) - self->axis.start;

  y += self->narrow ? row_lines (self, row, self->text_width) * self->line + 4
                    : self->line + (self->line - BAR) / 2 + 2;
  graphene_rect_init (out, (float) self->axis.start, (float) y, (float) MAX (width, 1), BAR);
  return TRUE;
}

static void
draw_words (ShardwiseCommunicationChart *self, const ShardwisePen *pen, guint row)
{
  const Words *words = &self->words[row];
  double y = self->row_top[row], width = self->text_width;
  g_autofree char *both = words_of_line (words);
  double time = shardwise_draw_text_width (pen->chart, words->time);
  gboolean in_two = self->narrow && words->links != NULL;

  if (self->narrow)
    shardwise_draw_text_lines (pen, words->name, &pen->text, self->text_left, y,
                               width - time - GAP);
  else
    shardwise_draw_text_within (pen, words->name, &pen->text, self->text_left, y, width, 0);
  shardwise_draw_text (pen, words->time, &pen->text,
                       self->narrow ? self->text_left + width : self->axis.start, y,
                       self->narrow ? 1 : 0, 0);
  y += self->narrow ? name_lines (self, row, width) * self->line : self->line;
  shardwise_draw_text_within (pen, in_two ? words->links : both, &pen->dim, self->text_left, y,
                              width, 0);
  if (in_two)
    shardwise_draw_text_lines (pen, words->figures, &pen->dim, self->text_left, y + self->line,
                               width);
}

static void
draw (ShardwiseChart *chart, const ShardwisePen *pen)
{
  ShardwiseCommunicationChart *self = SHARDWISE_COMMUNICATION_CHART (chart);

  for (guint row = 0; row < self->n; row++)
    {
      const SwCommunication *one = &self->row[row];
      ShardwiseColor color = shardwise_communication_color (one->group);
      graphene_rect_t bar;
      double exposed;

      draw_words (self, pen, row);
      point_area (chart, row, &bar);
      /* The exposed part first, then the hidden one. */
      exposed = one->seconds > 0 ? bar.size.width * one->exposed_s / one->seconds : 0;
      shardwise_draw_box (pen, color, TRUE, bar.origin.x + exposed, bar.origin.y,
                          bar.size.width - exposed, BAR);
      shardwise_draw_box (pen, color, FALSE, bar.origin.x, bar.origin.y,
                          one->exposed_s > 0 ? MAX (exposed, 1) : 0, BAR);
    }
}

static guint
legend (ShardwiseChart *chart, ShardwiseLegendEntry out[SHARDWISE_LEGEND_MAX])
{
  ShardwiseCommunicationChart *self = SHARDWISE_COMMUNICATION_CHART (chart);
  ShardwiseColor color;

  if (self->n == 0)
    return 0;
  color = shardwise_communication_color (self->row[0].group);
  out[0] = (ShardwiseLegendEntry){ color, _ ("Exposed; included in the sum") };
  out[1] = (ShardwiseLegendEntry){ color, _ ("Hidden behind compute; not included in the sum"),
                                   .pale = TRUE };
  return 2;
}

/* Points */

static guint
n_points (ShardwiseChart *chart)
{
  return SHARDWISE_COMMUNICATION_CHART (chart)->n;
}

static int
pick (ShardwiseChart *chart, double x, double y)
{
  ShardwiseCommunicationChart *self = SHARDWISE_COMMUNICATION_CHART (chart);

  for (guint row = 0; row < self->n; row++)
    if (y >= self->row_top[row] && y < self->row_top[row + 1])
      return (int) row;
  return -1;
}

static char *
readout (ShardwiseChart *chart, guint point)
{
  ShardwiseCommunicationChart *self = SHARDWISE_COMMUNICATION_CHART (chart);
  const SwCommunication *row = &self->row[point];
  const Words *words = &self->words[point];
  const double unit = shardwise_seconds_unit (longest_s (self)); /* a chart has one */
  g_autofree char *exposed = shardwise_format_seconds_in (row->exposed_s, unit, 0),
                  *hidden = shardwise_format_seconds_in (row->hidden_s, unit, 0);

  /* Translators: what is sent, its links, "8 GPUs · 512 calls · …", then two durations */
  return g_strdup_printf (_ ("%s, %s: %s; %s exposed, %s hidden behind compute"), words->name,
                          words->links != NULL ? words->links : words->figures,
                          words->links != NULL ? words->figures : words->time, exposed, hidden);
}

static char *
summary (ShardwiseChart *chart)
{
  const char *text = SHARDWISE_COMMUNICATION_CHART (chart)->summary;

  return g_strdup (text != NULL ? text : "");
}

/* Table */

static const ShardwiseChartColumn columns[] = {
  { N_ ("What is sent"), -1 },
  { N_ ("Collective"), -1 },
  { N_ ("GPUs in the group"), 0 },
  { N_ ("Links"), -1 },
  { N_ ("Calls per step"), 0 },
  { N_ ("Sent per GPU (GiB)"), 3 },
  { N_ ("Sent over the network (GiB)"), 3 },
  { N_ ("Bus bandwidth (GB/s)"), 1 },
  { N_ ("Time (ms)"), 2 },
  { N_ ("Exposed (ms)"), 2 },
  { N_ ("Hidden (ms)"), 2 },
  { NULL, 0 },
};

static void
cell (ShardwiseChart *chart, guint row, guint column, ShardwiseChartCell *out)
{
  ShardwiseCommunicationChart *self = SHARDWISE_COMMUNICATION_CHART (chart);
  const SwCommunication *one = &self->row[row];
  const double numbers[] = { 0,
                             0,
                             one->gpus,
                             0,
                             one->calls,
                             one->bytes / SW_GIB,
                             one->network_bytes / SW_GIB,
                             one->bus_bytes_per_s / SW_GB,
                             one->seconds * 1e3,
                             one->exposed_s * 1e3,
                             one->hidden_s * 1e3 };

  if (column == 0)
    out->text = g_strdup (shardwise_text_communication (one));
  else if (column == 1)
    out->text = g_strdup (one->calls > 0 ? shardwise_text_collective (one)
                                         : self->words[row].figures); /* why the rest is missing */
  else if (column == 3 && self->words[row].links != NULL)
    out->text = g_strdup (self->words[row].links);
  else if (one->calls <= 0 && column < 8)
    out->text = g_strdup ("–");
  else
    out->number = numbers[column];
}

/* Data */

static void
clear (ShardwiseCommunicationChart *self)
{
  for (guint i = 0; i < self->n; i++)
    {
      g_free (self->words[i].name);
      g_free (self->words[i].time);
      g_free (self->words[i].links);
      g_free (self->words[i].figures);
    }
  self->n = 0;
  g_clear_pointer (&self->summary, g_free);
}

/* "8 GPUs · 512 calls · 3.20 GiB per GPU · 310 GB/s" */
static char *
figures_of (const SwCommunication *row)
{
  g_autofree char *calls = shardwise_format_count (row->calls),
                  *bytes = shardwise_format_bytes (row->bytes),
                  *rate = shardwise_format_significant (row->bus_bytes_per_s / SW_GB);

  if (row->calls <= 0)
    return g_strdup (row->use == SW_COMMUNICATION_MERGES ? _ ("on the GPU, nothing is sent")
                                                         : _ ("only the time is known"));
  /* Translators: a number of GPUs, how often it is called, how much a GPU sends, and how fast */
  return g_strdup_printf (_ ("%'u GPUs · %s calls · %s per GPU · %s GB/s"), row->gpus, calls, bytes,
                          rate);
}

/**
 * shardwise_communication_chart_set_strategy:
 * @self: a chart
 * @problem: the question, prepared
 * @strategy: the strategy to show
 *
 * Returns: whether there is any communication
 */
gboolean
shardwise_communication_chart_set_strategy (ShardwiseCommunicationChart *self,
                                            const SwProblem *problem, const SwStrategy *strategy)
{
  double unit;

  g_return_val_if_fail (SHARDWISE_IS_COMMUNICATION_CHART (self), FALSE);
  g_return_val_if_fail (problem != NULL && strategy != NULL, FALSE);

  clear (self);
  self->n = sw_communication (problem, strategy, self->row);
  unit = shardwise_seconds_unit (longest_s (self));
  for (guint i = 0; i < self->n; i++)
    {
      const SwCommunication *row = &self->row[i];
      const char *what = shardwise_text_communication (row);

      self->words[i] = (Words){
        row->calls > 0 ? g_strdup_printf ("%s · %s", what, shardwise_text_collective (row))
                       : g_strdup (what),
        shardwise_format_seconds_in (row->seconds, unit, 0),
        row->inside || row->network ? shardwise_text_links (problem, row) : NULL, figures_of (row)
      };
    }
  self->summary = shardwise_text_communications (problem, self->row, self->n);
  shardwise_chart_changed (SHARDWISE_CHART (self));
  return self->n > 0;
}

/* Type */

static void
shardwise_communication_chart_finalize (GObject *object)
{
  clear (SHARDWISE_COMMUNICATION_CHART (object));
  G_OBJECT_CLASS (shardwise_communication_chart_parent_class)->finalize (object);
}

static void
shardwise_communication_chart_class_init (ShardwiseCommunicationChartClass *klass)
{
  ShardwiseChartClass *chart_class = SHARDWISE_CHART_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = shardwise_communication_chart_finalize;
  chart_class->plot_height = plot_height;
  chart_class->plot_most = plot_most;
  chart_class->is_whole = TRUE;
  chart_class->layout = layout;
  chart_class->draw = draw;
  chart_class->legend = legend;
  chart_class->n_points = n_points;
  chart_class->point_area = point_area;
  chart_class->pick = pick;
  chart_class->readout = readout;
  chart_class->summary = summary;
  chart_class->columns = columns;
  chart_class->cell = cell;
}

static void
shardwise_communication_chart_init (ShardwiseCommunicationChart *self)
{}
