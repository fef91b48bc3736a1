/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The colors and patterns of charts, on the screen and on paper. */
#include "shardwise-ink.h"

#include <math.h>

typedef struct {
  guint32 light, dark; /* 0xrrggbb */
  ShardwisePattern pattern;
} Entry;

static const Entry entries[SHARDWISE_N_COLORS] = {
  [SHARDWISE_COLOR_COMPUTE] = { 0x1c71d8, 0x62a0ea, SHARDWISE_PATTERN_NONE },
  [SHARDWISE_COLOR_TENSOR] = { 0x813d9c, 0xc061cb, SHARDWISE_PATTERN_RISING },
  [SHARDWISE_COLOR_PIPELINE] = { 0xc64600, 0xffa348, SHARDWISE_PATTERN_VERTICAL },
  [SHARDWISE_COLOR_DATA] = { 0x26a269, 0x57e389, SHARDWISE_PATTERN_HORIZONTAL },
  [SHARDWISE_COLOR_CONTEXT] = { 0x0a7e8c, 0x5bc8d6, SHARDWISE_PATTERN_FALLING },
  [SHARDWISE_COLOR_EXPERT] = { 0xa51d5c, 0xf66fa5, SHARDWISE_PATTERN_DIAMONDS },
  [SHARDWISE_COLOR_OPTIMIZER] = { 0x865e3c, 0xcdab8f, SHARDWISE_PATTERN_GRID },
  [SHARDWISE_COLOR_BUBBLE] = { 0x77767b, 0x9a9996, SHARDWISE_PATTERN_RISING },
  [SHARDWISE_COLOR_ACTIVATIONS] = { 0xae7b03, 0xf8e45c, SHARDWISE_PATTERN_FALLING },
  [SHARDWISE_COLOR_LIMIT] = { 0xc01c28, 0xff7b7b, SHARDWISE_PATTERN_NONE },
  [SHARDWISE_COLOR_PARAMETERS] = { 0x4b4bb3, 0x9d9df5, SHARDWISE_PATTERN_NONE },
  [SHARDWISE_COLOR_GRADIENTS] = { 0x5e7a1f, 0xb9d66b, SHARDWISE_PATTERN_HORIZONTAL },
  [SHARDWISE_COLOR_LOGITS] = { 0xb030b0, 0xee82ee, SHARDWISE_PATTERN_DOTS },
  [SHARDWISE_COLOR_BUFFERS] = { 0x4a6572, 0x9fb8c4, SHARDWISE_PATTERN_VERTICAL },
  [SHARDWISE_COLOR_OTHER] = { 0x5e5c64, 0xc0bfbc, SHARDWISE_PATTERN_DIAMONDS },
  [SHARDWISE_COLOR_BACKWARD] = { 0x15396e, 0xb5d3f7, SHARDWISE_PATTERN_FALLING },
  [SHARDWISE_COLOR_BACKWARD_WEIGHT] = { 0x5a7da8, 0x8397b3, SHARDWISE_PATTERN_DOTS },
  [SHARDWISE_COLOR_RECOMPUTE] = { 0x3f6aa0, 0x99c1f1, SHARDWISE_PATTERN_FALLING },
};

/**
 * shardwise_ink_get:
 * @color: a category
 * @dark: for a dark background
 *
 * Returns: the opaque color, 0xrrggbb; at least 3:1 against the card of that scheme (WCAG 2.1,
 * 1.4.11)
 */
guint32
shardwise_ink_get (ShardwiseColor color, gboolean dark)
{
  g_return_val_if_fail (color < SHARDWISE_N_COLORS, 0);

  return dark ? entries[color].dark : entries[color].light;
}

/**
 * shardwise_ink_pattern:
 * @color: a category
 *
 * Returns: the pattern that distinguishes it without colors
 */
ShardwisePattern
shardwise_ink_pattern (ShardwiseColor color)
{
  g_return_val_if_fail (color < SHARDWISE_N_COLORS, SHARDWISE_PATTERN_NONE);

  return entries[color].pattern;
}

static const ShardwiseColor part_colors[SW_N_PARTS] = {
  [SW_PART_PARAMETERS] = SHARDWISE_COLOR_PARAMETERS,
  [SW_PART_GRADIENTS] = SHARDWISE_COLOR_GRADIENTS,
  [SW_PART_OPTIMIZER] = SHARDWISE_COLOR_OPTIMIZER,
  [SW_PART_ACTIVATIONS] = SHARDWISE_COLOR_ACTIVATIONS,
  [SW_PART_LOGITS] = SHARDWISE_COLOR_LOGITS,
  [SW_PART_BUFFERS] = SHARDWISE_COLOR_BUFFERS,
  [SW_PART_FRAMEWORK] = SHARDWISE_COLOR_OTHER,
};

/**
 * shardwise_ink_of_memory:
 * @part: a part of the memory of a GPU
 *
 * Returns: its color on every chart
 */
ShardwiseColor
shardwise_ink_of_memory (SwMemoryPart part)
{
  return part_colors[part];
}

/**
 * shardwise_ink_of_task:
 * @kind: the kind of a task
 *
 * Returns: its color
 */
ShardwiseColor
shardwise_ink_of_task (SwTaskKind kind)
{
  switch (kind)
    {
    case SW_TASK_FORWARD: return SHARDWISE_COLOR_COMPUTE;
    case SW_TASK_BACKWARD_WEIGHT: return SHARDWISE_COLOR_BACKWARD_WEIGHT;
    case SW_TASK_BACKWARD:
    case SW_TASK_BACKWARD_INPUT:
    default: return SHARDWISE_COLOR_BACKWARD;
    }
}

/* Lines with slope `dy`/`dx` in steps of SHARDWISE_HATCH_STEP, anchored to the origin so that
 * neighbors join up. */
static void
diagonals (cairo_t *cr, gboolean rising, double x, double y, double width, double height)
{
  double first = floor ((x - height) / SHARDWISE_HATCH_STEP) * SHARDWISE_HATCH_STEP;

  for (double start = first; start < x + width + height; start += SHARDWISE_HATCH_STEP)
    {
      cairo_move_to (cr, start, rising ? y + height : y);
      cairo_line_to (cr, start + height, rising ? y : y + height);
    }
  cairo_stroke (cr);
}

static void
parallels (cairo_t *cr, gboolean vertical, double x, double y, double width, double height)
{
  for (double at = SHARDWISE_HATCH_STEP / 2; at < (vertical ? width : height);
       at += SHARDWISE_HATCH_STEP)
    {
      cairo_move_to (cr, vertical ? x + at : x, vertical ? y : y + at);
      cairo_rel_line_to (cr, vertical ? 0 : width, vertical ? height : 0);
    }
  cairo_stroke (cr);
}

/**
 * shardwise_ink_hatch:
 * @cr: where to draw, with the color of the lines set
 * @pattern: the pattern
 * @x: left
 * @y: top
 * @width: in units of @cr
 * @height: in units of @cr
 *
 * Draws the lines of a pattern inside a rectangle, without a background.
 */
void
shardwise_ink_hatch (cairo_t *cr, ShardwisePattern pattern, double x, double y, double width,
                     double height)
{
  cairo_save (cr);
  cairo_rectangle (cr, x, y, width, height);
  cairo_clip (cr);
  cairo_set_line_width (cr, 1);
  if (pattern == SHARDWISE_PATTERN_RISING || pattern == SHARDWISE_PATTERN_DIAMONDS)
    diagonals (cr, TRUE, x, y, width, height);
  if (pattern == SHARDWISE_PATTERN_FALLING || pattern == SHARDWISE_PATTERN_DIAMONDS)
    diagonals (cr, FALSE, x, y, width, height);
  if (pattern == SHARDWISE_PATTERN_HORIZONTAL || pattern == SHARDWISE_PATTERN_GRID)
    parallels (cr, FALSE, x, y, width, height);
  if (pattern == SHARDWISE_PATTERN_VERTICAL || pattern == SHARDWISE_PATTERN_GRID)
    parallels (cr, TRUE, x, y, width, height);
  if (pattern == SHARDWISE_PATTERN_DOTS)
    {
      for (double cy = y + SHARDWISE_HATCH_STEP / 2; cy < y + height; cy += SHARDWISE_HATCH_STEP)
        for (double cx = x + SHARDWISE_HATCH_STEP / 2; cx < x + width; cx += SHARDWISE_HATCH_STEP)
          cairo_rectangle (cr, cx - 1, cy - 1, 2, 2);
      cairo_fill (cr);
    }

  cairo_restore (cr);
}
