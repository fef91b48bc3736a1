/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast the machine is on which a test runs: what has to be drawn within a frame is judged by
 * it, since a test that holds on a fast machine is to hold on a slow and busy one as well. */
#pragma once

#include <cairo.h>
#include <glib.h>
#include <time.h>

#define UI_FRAME_S (1 / 60.0)

/* What a frame may take in a test that everybody runs: what comes near it on a machine like ours
 * may take longer by half where other programs take the caches. */
#define UI_LATE_FRAME_S (2 * UI_FRAME_S)

/* What ui_paint_s() takes on two cores of a server of 2023 with little else to do, where the
 * limits were set. */
#define UI_PAINT_S 0.0042

/* Seconds that this thread has computed: what others do meanwhile is left out. */
static inline double
ui_computed_s (void)
{
  struct timespec now;

  g_assert_cmpint (clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now), ==, 0);
  return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

/* Seconds of this thread for 10,000 rectangles of as many colours, as a chart paints them. */
static inline double
ui_paint_s (void)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 1000, 1000);
  cairo_t *cr = cairo_create (surface);
  double before = ui_computed_s (), seconds;

  for (guint i = 0; i < 10000; i++)
    {
      cairo_rectangle (cr, i % 100 * 10 + 0.3, i / 100 * 10 + 0.6, 8.5, 7.5);
      cairo_set_source_rgb (cr, i % 7 / 7.0, i % 11 / 11.0, i % 13 / 13.0);
      cairo_fill (cr);
    }
  cairo_surface_flush (surface);
  seconds = ui_computed_s () - before;
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return seconds;
}

static inline int
ui_compare_doubles (const void *a, const void *b)
{
  const double *one = a, *other = b;

  return (*one > *other) - (*one < *other);
}

/* Sorts them. */
static inline double
ui_median (double *values, guint n)
{
  qsort (values, n, sizeof *values, ui_compare_doubles);
  return (values[n / 2] + values[(n - 1) / 2]) / 2;
}

/* How many times as long as where the limits were set it takes here and now to paint; at least 1.
 * Measured beside what is judged, whose caches others take as well. */
static inline double
ui_slowness (void)
{
  double times[9];

  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    times[i] = ui_paint_s ();
  return MAX (1, ui_median (times, G_N_ELEMENTS (times)) / UI_PAINT_S);
}
