/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-palette.h"

#include <string.h>

static GdkRGBA
rgba (const char *text)
{
  GdkRGBA out;

  g_assert_true (gdk_rgba_parse (&out, text));
  return out;
}

/* Values of the WCAG 2.1 definition, by hand: black on white 21; #777777 on white is the well-known
 * 4.48. */
static void
test_contrast_formula (void)
{
  GdkRGBA white = rgba ("#ffffff"), black = rgba ("#000000"), grey = rgba ("#777777");

  g_assert_cmpfloat_with_epsilon (shardwise_palette_contrast (&white, &black), 21, 1e-6);
  g_assert_cmpfloat_with_epsilon (shardwise_palette_contrast (&grey, &white), 4.48, 0.005);
  g_assert_cmpfloat_with_epsilon (shardwise_palette_contrast (&white, &grey), 4.48, 0.005);
  g_assert_cmpfloat_with_epsilon (shardwise_palette_contrast (&grey, &grey), 1, 1e-9);
}

/* Each colour is told from the card and from the window behind it, in both schemes: 3:1. */
static void
test_contrast (void)
{
  const char *const backgrounds[2][2] = { { "#ffffff", "#fafafa" }, { "#363636", "#242424" } };

  for (guint dark = 0; dark < 2; dark++)
    for (guint color = 0; color < SHARDWISE_N_COLORS; color++)
      for (guint i = 0; i < 2; i++)
        {
          GdkRGBA background = rgba (backgrounds[dark][i]), fill;

          shardwise_palette_get (color, dark, &fill);
          g_test_message ("colour %u on %s", color, backgrounds[dark][i]);
          g_assert_cmpfloat (fill.alpha, ==, 1);
          g_assert_cmpfloat (shardwise_palette_contrast (&fill, &background), >=, 3);
        }
}

/* Text on a category's colour: 4.5:1. */
static void
test_text (void)
{
  for (guint dark = 0; dark < 2; dark++)
    for (guint color = 0; color < SHARDWISE_N_COLORS; color++)
      {
        GdkRGBA fill, text;

        shardwise_palette_get (color, dark, &fill);
        shardwise_palette_text_on (&fill, &text);
        g_assert_cmpfloat (shardwise_palette_contrast (&fill, &text), >=, 4.5);
      }
}

static void
test_values (void)
{
  const struct {
    ShardwiseColor color;
    const char *light, *dark;
  } cases[] = {
    { SHARDWISE_COLOR_COMPUTE, "#1c71d8", "#62a0ea" },
    { SHARDWISE_COLOR_TENSOR, "#813d9c", "#c061cb" },
    { SHARDWISE_COLOR_PIPELINE, "#c64600", "#ffa348" },
    { SHARDWISE_COLOR_DATA, "#26a269", "#57e389" },
    { SHARDWISE_COLOR_CONTEXT, "#0a7e8c", "#5bc8d6" },
    { SHARDWISE_COLOR_EXPERT, "#a51d5c", "#f66fa5" },
    { SHARDWISE_COLOR_OPTIMIZER, "#865e3c", "#cdab8f" },
    { SHARDWISE_COLOR_ACTIVATIONS, "#ae7b03", "#f8e45c" },
    { SHARDWISE_COLOR_LIMIT, "#c01c28", "#ff7b7b" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint dark = 0; dark < 2; dark++)
      {
        GdkRGBA wanted = rgba (dark ? cases[i].dark : cases[i].light), given;

        shardwise_palette_get (cases[i].color, dark, &given);
        g_assert_true (gdk_rgba_equal (&wanted, &given));
      }
}

/* No two categories that meet in one chart have the same pattern. */
static void
test_patterns (void)
{
  const ShardwiseColor memory[] = { SHARDWISE_COLOR_PARAMETERS, SHARDWISE_COLOR_GRADIENTS,
                                    SHARDWISE_COLOR_OPTIMIZER,  SHARDWISE_COLOR_ACTIVATIONS,
                                    SHARDWISE_COLOR_LOGITS,     SHARDWISE_COLOR_BUFFERS,
                                    SHARDWISE_COLOR_OTHER };
  const ShardwiseColor pipeline[] = { SHARDWISE_COLOR_COMPUTE, SHARDWISE_COLOR_BACKWARD,
                                      SHARDWISE_COLOR_BACKWARD_WEIGHT, SHARDWISE_COLOR_BUBBLE };
  const struct {
    const ShardwiseColor *colors;
    guint n;
  } charts[] = { { memory, G_N_ELEMENTS (memory) }, { pipeline, G_N_ELEMENTS (pipeline) } };

  for (guint chart = 0; chart < 2; chart++)
    for (guint i = 0; i < charts[chart].n; i++)
      for (guint j = 0; j < i; j++)
        g_assert_cmpint (shardwise_ink_pattern (charts[chart].colors[i]), !=,
                         shardwise_ink_pattern (charts[chart].colors[j]));
}

/* A pattern draws something, leaves something, and stays within its rectangle. */
static void
test_hatch (void)
{
  const GdkRGBA black = { 0, 0, 0, 1 };

  for (guint pattern = SHARDWISE_PATTERN_RISING; pattern <= SHARDWISE_PATTERN_DOTS; pattern++)
    {
      cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_A8, 40, 40);
      cairo_t *cr = cairo_create (surface);
      guint inked = 0;

      shardwise_palette_hatch (cr, pattern, &black, 10, 10, 20, 20);
      cairo_destroy (cr);
      cairo_surface_flush (surface);
      for (int y = 0; y < 40; y++)
        for (int x = 0; x < 40; x++)
          {
            guchar alpha = cairo_image_surface_get_data (
                surface)[y * cairo_image_surface_get_stride (surface) + x];

            inked += alpha > 0;
            if (x < 10 || x >= 30 || y < 10 || y >= 30)
              g_assert_cmpint (alpha, ==, 0);
          }
      g_assert_cmpint (inked, >, 20);
      g_assert_cmpint (inked, <, 400);
      cairo_surface_destroy (surface);
    }
}

/* A scale is read by its luminance, which only rises; on every colour of it there is legible text
 * (WCAG 2.1: 4.5:1), and its ends are cut. */
static void
test_ramp (void)
{
  const GdkRGBA black = { 0, 0, 0, 1 };
  GdkRGBA color, text, first, last;
  double before = 0;

  for (guint i = 0; i <= 100; i++)
    {
      shardwise_palette_ramp (i / 100.0, &color);
      shardwise_palette_text_on (&color, &text);
      g_assert_cmpfloat (shardwise_palette_contrast (&color, &black), >, before);
      g_assert_cmpfloat (shardwise_palette_contrast (&color, &text), >=, 4.5);
      before = shardwise_palette_contrast (&color, &black);
    }
  shardwise_palette_ramp (-1, &first);
  shardwise_palette_ramp (2, &last);
  g_assert_true (gdk_rgba_equal (&last, &color));
  g_assert_cmpfloat (shardwise_palette_contrast (&first, &last), >, 7);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/palette/contrast-formula", test_contrast_formula);
  g_test_add_func ("/palette/contrast", test_contrast);
  g_test_add_func ("/palette/text", test_text);
  g_test_add_func ("/palette/values", test_values);
  g_test_add_func ("/palette/patterns", test_patterns);
  g_test_add_func ("/palette/ramp", test_ramp);
  g_test_add_func ("/palette/hatch", test_hatch);
  return g_test_run ();
}
