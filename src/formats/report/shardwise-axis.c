/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-axis.h"

#include <math.h>

static double
unit_of (const ShardwiseAxis *axis)
{
  return axis->unit > 0 ? axis->unit : 1;
}

static double
to_scale (const ShardwiseAxis *axis, double value)
{
  switch (axis->scale)
    {
    case SHARDWISE_SCALE_DECADES: return log10 (MAX (value / unit_of (axis), 1e-300));
    case SHARDWISE_SCALE_DOUBLINGS: return log2 (MAX (value, 1e-300));
    case SHARDWISE_SCALE_LINEAR:
    default: return value / unit_of (axis);
    }
}

static double
from_scale (const ShardwiseAxis *axis, double scaled)
{
  switch (axis->scale)
    {
    case SHARDWISE_SCALE_DECADES: return pow (10, scaled) * unit_of (axis);
    case SHARDWISE_SCALE_DOUBLINGS: return exp2 (scaled);
    case SHARDWISE_SCALE_LINEAR:
    default: return scaled * unit_of (axis);
    }
}

/**
 * shardwise_axis_to_pixel:
 * @axis: an axis
 * @value: a value of the data
 *
 * Returns: its position in pixels, outside the axis for a value outside; the start if the range is
 * empty
 */
double
shardwise_axis_to_pixel (const ShardwiseAxis *axis, double value)
{
  double low = to_scale (axis, axis->min), span = to_scale (axis, axis->max) - low;

  if (!(span > 0))
    return axis->start;
  return axis->start + (to_scale (axis, value) - low) / span * (axis->end - axis->start);
}

/**
 * shardwise_axis_to_value:
 * @axis: an axis
 * @pixel: a position on it
 *
 * Returns: the value at that position
 */
double
shardwise_axis_to_value (const ShardwiseAxis *axis, double pixel)
{
  double low = to_scale (axis, axis->min), span = to_scale (axis, axis->max) - low;

  if (axis->start == axis->end)
    return axis->min;
  return from_scale (axis, low + (pixel - axis->start) / (axis->end - axis->start) * span);
}

/* The smallest of 1, 2, 5 times a power of ten that is at least `least`. */
static double
nice_step (double least)
{
  double power = pow (10, floor (log10 (least)));
  const double factors[] = { 1, 2, 5, 10 };

  for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
    if (factors[i] * power >= least * (1 - 1e-9))
      return factors[i] * power;
  return 10 * power;
}

/* 2 and 5 between the decades if they fit. */
static guint
fine_decades (const ShardwiseAxis *axis, guint most, double *out)
{
  const double factors[] = { 1, 2, 5 };
  guint n = 0;

  for (double power = floor (to_scale (axis, axis->min)); power <= to_scale (axis, axis->max);
       power++)
    for (guint i = 0; i < 3; i++)
      {
        double value = from_scale (axis, power) * factors[i];

        if (value < axis->min * (1 - 1e-9) || value > axis->max * (1 + 1e-9))
          continue;
        if (n >= most)
          return 0;
        out[n++] = value;
      }
  return n;
}

/**
 * shardwise_axis_ticks:
 * @axis: an axis
 * @most: the maximum number of ticks
 * @out: (out): round values within the axis, ascending
 *
 * Returns: their number
 */
guint
shardwise_axis_ticks (const ShardwiseAxis *axis, guint most, double out[SHARDWISE_AXIS_MAX_TICKS])
{
  double low = to_scale (axis, axis->min), high = to_scale (axis, axis->max), step;
  gboolean is_linear = axis->scale == SHARDWISE_SCALE_LINEAR;
  guint n = 0;

  most = CLAMP (most, 2, SHARDWISE_AXIS_MAX_TICKS);
  if (!(high > low) || !isfinite (high) || !isfinite (low))
    return 0;
  if (axis->scale == SHARDWISE_SCALE_DECADES && (n = fine_decades (axis, most, out)) > 0)
    return n;

  /* The distance of at most so many ticks on the axis: in its unit on a linear axis, in decades or
   * doublings on a logarithmic one. */
  step = (high - low) / most;
  for (step = is_linear ? nice_step (step) : MAX (1, ceil (step));
       floor (high / step + 1e-9) - ceil (low / step - 1e-9) + 1 > most;)
    step = is_linear ? nice_step (step * 1.5) : step + 1;
  for (double i = ceil (low / step - 1e-9);
       i * step <= high + step * 1e-9 && n < SHARDWISE_AXIS_MAX_TICKS; i++)
    out[n++] = from_scale (axis, i * step + 0.0); /* never -0 */
  return n;
}

/**
 * shardwise_axis_digits:
 * @step: the distance of two ticks
 *
 * Returns: the decimals that distinguish them
 */
guint
shardwise_axis_digits (double step)
{
  if (!(step > 0))
    return 0;
  return (guint) CLAMP (-floor (log10 (step) + 1e-9), 0, 9);
}
