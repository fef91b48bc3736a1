/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-picture.h"

#include <math.h>

/* In points. */
#define FONT "Sans 8"
#define GAP 6.0
#define ROW 16.0       /* of a bar, including the space around it */
#define LOW_ROW 7.0    /* if there are many */
#define MANY 24        /* from this number of rows on, they are low */
#define PLOT 170.0     /* height between the axes of curves */
#define SWATCH 8.0     /* in a legend */
#define TICK_EACH 55.0 /* space per tick of a horizontal axis */
#define DOT 2.2        /* radius */
#define PALE 0.35

/* A piece of a row, a curve, a mark or an entry of the legend. */
typedef struct {
  ShardwiseColor color;
  ShardwiseInkStyle style;
  guint row, n;
  double from, to;     /* from: also the position of a mark */
  char *label, *value; /* owned */
  double *x, *y;       /* [n]; owned */
  gboolean joined, dots;
} Part;

struct _ShardwisePicture {
  gboolean has_rows;
  ShardwiseAxis x, y;
  ShardwiseTickFormat format_x, format_y;
  char *title_x, *title_y;
  GArray *rows, *pieces, *curves, *marks, *legend; /* Part elements */
};

static void
part_clear (gpointer data)
{
  Part *part = data;

  g_free (part->label);
  g_free (part->value);
  g_free (part->x);
  g_free (part->y);
}

static GArray *
parts_new (void)
{
  GArray *parts = g_array_new (FALSE, TRUE, sizeof (Part));

  g_array_set_clear_func (parts, part_clear);
  return parts;
}

static ShardwisePicture *
picture_new (void)
{
  ShardwisePicture *self = g_new0 (ShardwisePicture, 1);

  self->rows = parts_new ();
  self->pieces = parts_new ();
  self->curves = parts_new ();
  self->marks = parts_new ();
  self->legend = parts_new ();
  return self;
}

/**
 * shardwise_picture_new_bars:
 * @most: the end of the axis, which begins at 0
 * @unit: the unit in which ticks are round; 0: one
 * @format: formats ticks
 *
 * Returns: (transfer full): a picture for rows of bars
 */
ShardwisePicture *
shardwise_picture_new_bars (double most, double unit, ShardwiseTickFormat format)
{
  ShardwisePicture *self = picture_new ();

  self->has_rows = TRUE;
  self->x = (ShardwiseAxis){ SHARDWISE_SCALE_LINEAR, 0, most > 0 ? most : 1, 0, 1, unit };
  self->format_x = format;
  return self;
}

/**
 * shardwise_picture_new_curves:
 * @x: scale and range of the horizontal axis
 * @y: scale and range of the vertical axis
 * @format_x: formats ticks
 * @format_y: formats ticks
 * @title_x: including the unit
 * @title_y: including the unit
 *
 * Returns: (transfer full): a picture with two axes for curves
 */
ShardwisePicture *
shardwise_picture_new_curves (const ShardwiseAxis *x, const ShardwiseAxis *y,
                              ShardwiseTickFormat format_x, ShardwiseTickFormat format_y,
                              const char *title_x, const char *title_y)
{
  ShardwisePicture *self = picture_new ();

  self->x = *x;
  self->y = *y;
  self->format_x = format_x;
  self->format_y = format_y;
  self->title_x = g_strdup (title_x);
  self->title_y = g_strdup (title_y);
  return self;
}

/**
 * shardwise_picture_free:
 * @self: a picture
 */
void
shardwise_picture_free (ShardwisePicture *self)
{
  g_array_unref (self->rows);
  g_array_unref (self->pieces);
  g_array_unref (self->curves);
  g_array_unref (self->marks);
  g_array_unref (self->legend);
  g_free (self->title_x);
  g_free (self->title_y);
  g_free (self);
}

/**
 * shardwise_picture_add_row:
 * @label: its label
 * @value: (nullable): the text at its end
 */
void
shardwise_picture_add_row (ShardwisePicture *self, const char *label, const char *value)
{
  const Part row = { .label = g_strdup (label), .value = g_strdup (value) };

  g_array_append_val (self->rows, row);
}

/**
 * shardwise_picture_add_piece:
 * @color: a category
 * @style: its fill
 * @from: its start on the axis
 * @to: its end
 *
 * Adds to the last row.
 */
void
shardwise_picture_add_piece (ShardwisePicture *self, ShardwiseColor color, ShardwiseInkStyle style,
                             double from, double to)
{
  const Part piece = {
    .color = color, .style = style, .row = self->rows->len - 1, .from = from, .to = to
  };

  g_return_if_fail (self->rows->len > 0);
  if (to > from)
    g_array_append_val (self->pieces, piece);
}

/**
 * shardwise_picture_add_curve:
 * @color: a category
 * @x: (array length=n): ascending if joined
 * @y: (array length=n): their values
 * @joined: whether a line joins them
 * @dots: whether each value gets a dot
 */
void
shardwise_picture_add_curve (ShardwisePicture *self, ShardwiseColor color, const double *x,
                             const double *y, guint n, gboolean joined, gboolean dots)
{
  const Part curve = { .color = color,
                       .n = n,
                       .x = g_memdup2 (x, n * sizeof *x),
                       .y = g_memdup2 (y, n * sizeof *y),
                       .joined = joined,
                       .dots = dots };

  g_array_append_val (self->curves, curve);
}

/**
 * shardwise_picture_add_mark:
 * @color: a category
 * @at: a value of the horizontal axis
 * @label: (nullable): its name
 */
void
shardwise_picture_add_mark (ShardwisePicture *self, ShardwiseColor color, double at,
                            const char *label)
{
  const Part mark = { .color = color, .from = at, .label = g_strdup (label) };

  g_array_append_val (self->marks, mark);
}

/**
 * shardwise_picture_add_legend:
 * @color: a category
 * @style: the fill
 * @label: its meaning
 */
void
shardwise_picture_add_legend (ShardwisePicture *self, ShardwiseColor color, ShardwiseInkStyle style,
                              const char *label)
{
  const Part entry = { .color = color, .style = style, .label = g_strdup (label) };

  g_array_append_val (self->legend, entry);
}

/* ---- drawing ---- */

/* The drawing context; cr NULL: only measure. */
typedef struct {
  cairo_t *cr;
  PangoContext *context;
  double width;
} Sheet;

static void
set_color (cairo_t *cr, ShardwiseColor color, double alpha)
{
  const guint32 hex = shardwise_ink_get (color, FALSE);

  cairo_set_source_rgba (cr, (hex >> 16) / 255.0, ((hex >> 8) & 0xff) / 255.0, (hex & 0xff) / 255.0,
                         alpha);
}

/* Writes a text with its middle at @y, and the fraction @xalign of its width at @x. Returns: its
 * width */
static double
draw_text (const Sheet *sheet, const char *text, double x, double y, double xalign, double grey)
{
  g_autoptr (PangoFontDescription) font = pango_font_description_from_string (FONT);
  g_autoptr (PangoLayout) layout = pango_layout_new (sheet->context);
  int width, height;

  pango_layout_set_font_description (layout, font);
  pango_layout_set_text (layout, text, -1);
  pango_layout_get_size (layout, &width, &height);
  if (sheet->cr != NULL)
    {
      cairo_set_source_rgb (sheet->cr, grey, grey, grey);
      cairo_move_to (sheet->cr, x - xalign * width / PANGO_SCALE, y - 0.5 * height / PANGO_SCALE);
      pango_cairo_show_layout (sheet->cr, layout);
    }
  return (double) width / PANGO_SCALE;
}

static double
text_width (const Sheet *sheet, const char *text)
{
  const Sheet measured = { NULL, sheet->context, sheet->width };

  return text != NULL ? draw_text (&measured, text, 0, 0, 0, 0) : 0;
}

static void
fill (cairo_t *cr, ShardwiseColor color, ShardwiseInkStyle style, double x, double y, double width,
      double height)
{
  set_color (cr, color, style == SHARDWISE_INK_PALE ? PALE : 1);
  if (style == SHARDWISE_INK_HATCHED)
    {
      shardwise_ink_hatch (cr, SHARDWISE_PATTERN_RISING, x, y, width, height);
      return;
    }
  cairo_rectangle (cr, x, y, width, height);
  cairo_fill (cr);
}

static void
rule (cairo_t *cr, double x1, double y1, double x2, double y2, double grey)
{
  cairo_set_line_width (cr, 0.5);
  cairo_set_source_rgb (cr, grey, grey, grey);
  cairo_move_to (cr, x1, y1);
  cairo_line_to (cr, x2, y2);
  cairo_stroke (cr);
}

/* Entries in lines, as many as fit on each. Returns: the height */
static double
draw_legend (const ShardwisePicture *self, const Sheet *sheet)
{
  double x = 0, y = ROW / 2;

  for (guint i = 0; i < self->legend->len; i++)
    {
      const Part *entry = &g_array_index (self->legend, Part, i);
      const double width = SWATCH + GAP / 2 + text_width (sheet, entry->label);

      if (x > 0 && x + width > sheet->width)
        {
          x = 0;
          y += ROW - 2;
        }
      if (sheet->cr != NULL)
        {
          fill (sheet->cr, entry->color, entry->style, x, y - SWATCH / 2, SWATCH, SWATCH);
          draw_text (sheet, entry->label, x + SWATCH + GAP / 2, y, 0, 0.2);
        }
      x += width + 2 * GAP;
    }
  return self->legend->len > 0 ? y + ROW / 2 + 2 : 0;
}

/* Ticks of the horizontal axis: lines from @top to @bottom, labels below. */
static void
draw_level_ticks (const ShardwisePicture *self, const Sheet *sheet, double top, double bottom)
{
  double ticks[SHARDWISE_AXIS_MAX_TICKS];
  const guint n = shardwise_axis_ticks (
      &self->x, (guint) CLAMP ((self->x.end - self->x.start) / TICK_EACH, 2, 12), ticks);

  for (guint i = 0; i < n; i++)
    {
      const double x = shardwise_axis_to_pixel (&self->x, ticks[i]);
      g_autofree char *label = self->format_x (ticks[i], self->x.unit,
                                               self->x.scale != SHARDWISE_SCALE_LINEAR ? ticks[i]
                                               : n > 1 ? ticks[1] - ticks[0]
                                                       : ticks[0]);

      rule (sheet->cr, x, top, x, bottom, 0.85);
      draw_text (sheet, label, x, bottom + ROW / 2, 0.5, 0.35);
    }
}

static void
draw_marks (const ShardwisePicture *self, const Sheet *sheet, double top, double bottom)
{
  for (guint i = 0; i < self->marks->len; i++)
    {
      const Part *mark = &g_array_index (self->marks, Part, i);
      const double x = shardwise_axis_to_pixel (&self->x, mark->from);

      if (x < self->x.start - 0.5 || x > self->x.end + 0.5)
        continue;
      set_color (sheet->cr, mark->color, 1);
      cairo_set_line_width (sheet->cr, 1);
      cairo_move_to (sheet->cr, x, top);
      cairo_line_to (sheet->cr, x, bottom);
      cairo_stroke (sheet->cr);
      if (mark->label != NULL)
        draw_text (sheet, mark->label, x, top - ROW * (0.5 + (i % 2)),
                   x - self->x.start > (self->x.end - self->x.start) / 2 ? 1 : 0, 0.2);
    }
}

/* The number of lines above the plot for the names of marks. */
static double
marks_height (const ShardwisePicture *self)
{
  guint named = 0;

  for (guint i = 0; i < self->marks->len; i++)
    named += g_array_index (self->marks, Part, i).label != NULL;
  return MIN (named, 2) * ROW;
}

static double
row_height (const ShardwisePicture *self)
{
  return self->rows->len >= MANY ? LOW_ROW : ROW;
}

/* If there are many rows, only some are labeled. */
static gboolean
has_label (const ShardwisePicture *self, guint row)
{
  const guint every = row_height (self) < ROW ? 4 : 1;

  return row % every == 0;
}

static void
draw_bars (ShardwisePicture *self, const Sheet *sheet, double top)
{
  const double height = row_height (self), bottom = top + self->rows->len * height;
  double label = 0, value = 0;

  for (guint i = 0; i < self->rows->len; i++)
    {
      label = MAX (label, text_width (sheet, g_array_index (self->rows, Part, i).label));
      value = MAX (value, text_width (sheet, g_array_index (self->rows, Part, i).value));
    }
  self->x.start = label + GAP;
  self->x.end = MAX (sheet->width - value - (value > 0 ? GAP : 2 * GAP), self->x.start + 1);
  draw_level_ticks (self, sheet, top, bottom);
  for (guint i = 0; i < self->pieces->len; i++)
    {
      const Part *piece = &g_array_index (self->pieces, Part, i);
      const double from = shardwise_axis_to_pixel (&self->x, piece->from),
                   to = shardwise_axis_to_pixel (&self->x, piece->to);

      fill (sheet->cr, piece->color, piece->style, from, top + piece->row * height + height * 0.12,
            to - from, height * 0.76);
    }
  for (guint i = 0; i < self->rows->len; i++)
    {
      const Part *row = &g_array_index (self->rows, Part, i);
      const double middle = top + (i + 0.5) * height;

      if (has_label (self, i))
        draw_text (sheet, row->label, 0, middle, 0, 0);
      if (row->value != NULL && has_label (self, i))
        draw_text (sheet, row->value, sheet->width, middle, 1, 0);
    }
  draw_marks (self, sheet, top, bottom);
}

static void
draw_curve (const ShardwisePicture *self, const Sheet *sheet, const Part *curve)
{
  cairo_new_path (sheet->cr);
  set_color (sheet->cr, curve->color, 1);
  cairo_set_line_width (sheet->cr, 1.2);
  for (guint i = 0; curve->joined && i < curve->n; i++)
    cairo_line_to (sheet->cr, shardwise_axis_to_pixel (&self->x, curve->x[i]),
                   shardwise_axis_to_pixel (&self->y, curve->y[i]));
  cairo_stroke (sheet->cr);
  for (guint i = 0; curve->dots && i < curve->n; i++)
    {
      cairo_new_sub_path (sheet->cr);
      cairo_arc (sheet->cr, shardwise_axis_to_pixel (&self->x, curve->x[i]),
                 shardwise_axis_to_pixel (&self->y, curve->y[i]), DOT, 0, 2 * G_PI);
      cairo_fill (sheet->cr);
    }
}

static void
draw_curves (ShardwisePicture *self, const Sheet *sheet, double top)
{
  const double bottom = top + PLOT;
  double ticks[SHARDWISE_AXIS_MAX_TICKS], label = 0;
  g_autoptr (GPtrArray) labels = g_ptr_array_new_with_free_func (g_free);
  guint n;

  self->y.start = bottom;
  self->y.end = top;
  n = shardwise_axis_ticks (&self->y, 6, ticks);
  for (guint i = 0; i < n; i++)
    {
      g_ptr_array_add (labels, self->format_y (ticks[i], self->y.unit,
                                               self->y.scale != SHARDWISE_SCALE_LINEAR ? ticks[i]
                                               : n > 1 ? ticks[1] - ticks[0]
                                                       : ticks[0]));
      label = MAX (label, text_width (sheet, labels->pdata[i]));
    }
  self->x.start = label + GAP;
  self->x.end = sheet->width - 2 * GAP;
  draw_text (sheet, self->title_y, 0, top - ROW / 2 - marks_height (self), 0, 0.2);
  draw_level_ticks (self, sheet, top, bottom);
  for (guint i = 0; i < n; i++)
    {
      const double y = shardwise_axis_to_pixel (&self->y, ticks[i]);

      rule (sheet->cr, self->x.start, y, self->x.end, y, 0.85);
      draw_text (sheet, labels->pdata[i], label, y, 1, 0.35);
    }
  draw_text (sheet, self->title_x, self->x.end, bottom + ROW * 1.5, 1, 0.2);
  draw_marks (self, sheet, top, bottom);
  for (guint i = 0; i < self->curves->len; i++)
    draw_curve (self, sheet, &g_array_index (self->curves, Part, i));
}

/* Above the plot: the title of the vertical axis, and the names of marks. */
static double
head_height (const ShardwisePicture *self)
{
  return marks_height (self) + (self->has_rows ? 0 : ROW);
}

/**
 * shardwise_picture_height:
 * @context: for the fonts, with one unit a point
 * @width: points
 *
 * Returns: its height; points
 */
double
shardwise_picture_height (ShardwisePicture *self, PangoContext *context, double width)
{
  const Sheet sheet = { NULL, context, width };

  return draw_legend (self, &sheet) + head_height (self)
         + (self->has_rows ? self->rows->len * row_height (self) + ROW : PLOT + 2 * ROW);
}

/**
 * shardwise_picture_draw:
 * @cr: where to draw, at its origin, with one unit a point
 * @context: as for shardwise_picture_height()
 * @width: points
 */
void
shardwise_picture_draw (ShardwisePicture *self, cairo_t *cr, PangoContext *context, double width)
{
  const Sheet sheet = { cr, context, width };
  const double top = draw_legend (self, &sheet) + head_height (self);

  (self->has_rows ? draw_bars : draw_curves) (self, &sheet, top);
}
