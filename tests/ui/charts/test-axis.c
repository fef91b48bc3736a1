/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-axis.h"

#include <math.h>

static void
test_axis_ticks (void)
{
  const struct {
    ShardwiseAxis axis;
    guint most, n;
    double ticks[8];
  } cases[] = {
    { { SHARDWISE_SCALE_LINEAR, 0, 10, 0, 100 }, 6, 6, { 0, 2, 4, 6, 8, 10 } },
    { { SHARDWISE_SCALE_LINEAR, 0, 0.37, 0, 100 }, 5, 4, { 0, 0.1, 0.2, 0.3 } },
    { { SHARDWISE_SCALE_LINEAR, 79.2, 83.9, 0, 100 }, 6, 4, { 80, 81, 82, 83 } },
    { { SHARDWISE_SCALE_DECADES, 1000, 20000, 0, 100 }, 8, 5, { 1000, 2000, 5000, 10000, 20000 } },
    { { SHARDWISE_SCALE_DECADES, 1, 1e6, 0, 100 }, 4, 4, { 1, 100, 1e4, 1e6 } },
    { { SHARDWISE_SCALE_DOUBLINGS, 8, 128, 0, 100 }, 6, 5, { 8, 16, 32, 64, 128 } },
    { { SHARDWISE_SCALE_DOUBLINGS, 7, 1100, 0, 100 }, 5, 4, { 16, 64, 256, 1024 } },
    { { SHARDWISE_SCALE_LINEAR, 0, 380, 0, 100, .unit = 60 }, 5, 4, { 0, 120, 240, 360 } },
    { { SHARDWISE_SCALE_DECADES, 90, 3100, 0, 100, .unit = 60 },
      8,
      5,
      { 120, 300, 600, 1200, 3000 } },
    { { SHARDWISE_SCALE_LINEAR, 3, 3, 0, 100 }, 5, 0, { 0 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      double ticks[SHARDWISE_AXIS_MAX_TICKS];
      guint n = shardwise_axis_ticks (&cases[i].axis, cases[i].most, ticks);

      g_test_message ("case %u", i);
      g_assert_cmpuint (n, ==, cases[i].n);
      for (guint j = 0; j < n; j++)
        g_assert_cmpfloat_with_epsilon (ticks[j], cases[i].ticks[j],
                                        1e-9 * (1 + cases[i].ticks[j]));
      g_assert_false (n > 0 && signbit (ticks[0]));
    }
}

static void
test_axis_pixels (void)
{
  const ShardwiseAxis linear = { SHARDWISE_SCALE_LINEAR, 0, 10, 100, 300 };
  const ShardwiseAxis upwards = { SHARDWISE_SCALE_DECADES, 1, 100, 200, 0 };
  const ShardwiseAxis minutes = { SHARDWISE_SCALE_DECADES, 60, 6000, 100, 200, .unit = 60 };
  const ShardwiseAxis doublings = { SHARDWISE_SCALE_DOUBLINGS, 8, 128, 0, 400 };

  g_assert_cmpfloat_with_epsilon (shardwise_axis_to_pixel (&linear, 2.5), 150, 1e-9);
  g_assert_cmpfloat_with_epsilon (shardwise_axis_to_pixel (&upwards, 10), 100, 1e-9);
  g_assert_cmpfloat_with_epsilon (shardwise_axis_to_pixel (&doublings, 64), 300, 1e-9);
  g_assert_cmpfloat_with_epsilon (shardwise_axis_to_value (&linear, 150), 2.5, 1e-9);
  g_assert_cmpfloat_with_epsilon (shardwise_axis_to_value (&upwards, 100), 10, 1e-9);
  g_assert_cmpfloat_with_epsilon (shardwise_axis_to_value (&doublings, 300), 64, 1e-9);
  g_assert_cmpfloat_with_epsilon (shardwise_axis_to_pixel (&minutes, 600), 150, 1e-9);
  g_assert_cmpfloat_with_epsilon (shardwise_axis_to_value (&minutes, 150), 600, 1e-9);
  g_assert_cmpuint (shardwise_axis_digits (2), ==, 0);
  g_assert_cmpuint (shardwise_axis_digits (0.5), ==, 1);
  g_assert_cmpuint (shardwise_axis_digits (0.1), ==, 1);
  g_assert_cmpuint (shardwise_axis_digits (0.02), ==, 2);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/axis/ticks", test_axis_ticks);
  g_test_add_func ("/axis/pixels", test_axis_pixels);
  return g_test_run ();
}
