/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-palette.h"

#include <adwaita.h>
#include <math.h>

static void
rgba_of (guint32 hex, GdkRGBA *out)
{
  out->red = ((hex >> 16) & 0xff) / 255.f;
  out->green = ((hex >> 8) & 0xff) / 255.f;
  out->blue = (hex & 0xff) / 255.f;
  out->alpha = 1.f;
}

/**
 * shardwise_palette_get:
 * @color: a category
 * @dark: for a dark background
 * @out: (out): the opaque color; at least 3:1 against the card of that scheme (WCAG 2.1, 1.4.11)
 */
void
shardwise_palette_get (ShardwiseColor color, gboolean dark, GdkRGBA *out)
{
  g_return_if_fail (color < SHARDWISE_N_COLORS);

  rgba_of (shardwise_ink_get (color, dark), out);
}

/**
 * shardwise_palette_ramp:
 * @share: 0 to 1; other values are clamped
 * @out: (out): an opaque color of a scale from dark blue to light yellow
 *
 * For heat maps. Luminance only rises along it, and blue and yellow are distinguishable with every
 * kind of color blindness, so that more is brighter for everyone.
 */
void
shardwise_palette_ramp (double share, GdkRGBA *out)
{
  static const guint32 stops[] = { 0x1c2b64, 0x2f4f8f, 0x3a7a96, 0x5fa58a, 0xa9c972, 0xf7e463 };
  double place = CLAMP (share, 0, 1) * (G_N_ELEMENTS (stops) - 1);
  guint below = MIN ((guint) place, G_N_ELEMENTS (stops) - 2);
  float part = (float) (place - below);
  GdkRGBA a, b;

  rgba_of (stops[below], &a);
  rgba_of (stops[below + 1], &b);
  out->red = a.red + part * (b.red - a.red);
  out->green = a.green + part * (b.green - a.green);
  out->blue = a.blue + part * (b.blue - a.blue);
  out->alpha = 1.f;
}

/**
 * shardwise_palette_card:
 * @dark: for the dark scheme
 * @out: (out): the background of a card in libadwaita 1.2: white, or 8 % white over the window's
 * #242424
 */
void
shardwise_palette_card (gboolean dark, GdkRGBA *out)
{
  rgba_of (dark ? 0x363636 : 0xffffff, out);
}

/**
 * shardwise_palette_text:
 * @dark: for a dark background
 * @strength: opacity, 0 to 1
 * @out: (out): the color of text and lines on a card
 */
void
shardwise_palette_text (gboolean dark, double strength, GdkRGBA *out)
{
  rgba_of (dark ? 0xffffff : 0x000000, out);
  out->alpha = (dark ? 1.0 : 0.8) * strength;
}

/* Relative luminance of an opaque color: WCAG 2.1, definition "relative luminance". */
static double
luminance (const GdkRGBA *color)
{
  const double channels[3] = { color->red, color->green, color->blue };
  const double weights[3] = { 0.2126, 0.7152, 0.0722 };
  double sum = 0;

  for (guint i = 0; i < 3; i++)
    sum += weights[i]
           * (channels[i] <= 0.03928 ? channels[i] / 12.92
                                     : pow ((channels[i] + 0.055) / 1.055, 2.4));
  return sum;
}

/**
 * shardwise_palette_contrast:
 * @a: an opaque color
 * @b: another one
 *
 * Returns: the contrast ratio, 1 to 21 (WCAG 2.1, definition "contrast ratio")
 */
double
shardwise_palette_contrast (const GdkRGBA *a, const GdkRGBA *b)
{
  double la = luminance (a), lb = luminance (b);

  return (MAX (la, lb) + 0.05) / (MIN (la, lb) + 0.05);
}

/**
 * shardwise_palette_text_on:
 * @background: an opaque color
 * @out: (out): black or white, whichever is easier to read on it
 */
void
shardwise_palette_text_on (const GdkRGBA *background, GdkRGBA *out)
{
  GdkRGBA black, white;

  rgba_of (0x000000, &black);
  rgba_of (0xffffff, &white);
  *out = shardwise_palette_contrast (background, &white)
                 >= shardwise_palette_contrast (background, &black)
             ? white
             : black;
}

/**
 * shardwise_palette_hatch:
 * @cr: where to draw
 * @pattern: the pattern
 * @line: the color of its lines
 * @x: left
 * @y: top
 * @width: in pixels
 * @height: in pixels
 *
 * Draws the lines of a pattern inside a rectangle, without a background.
 */
void
shardwise_palette_hatch (cairo_t *cr, ShardwisePattern pattern, const GdkRGBA *line, double x,
                         double y, double width, double height)
{
  cairo_save (cr);
  gdk_cairo_set_source_rgba (cr, line);
  shardwise_ink_hatch (cr, pattern, x, y, width, height);
  cairo_restore (cr);
}

struct _ShardwiseSwatch {
  GtkWidget parent_instance;
  ShardwiseColor color;
};

G_DEFINE_FINAL_TYPE (ShardwiseSwatch, shardwise_swatch, GTK_TYPE_WIDGET)

enum { SIZE = 12, RADIUS = 4 };

static void
shardwise_swatch_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                          int *natural, int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = SIZE;
}

static void
shardwise_swatch_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  GskRoundedRect outline;
  GdkRGBA color;

  shardwise_palette_get (SHARDWISE_SWATCH (widget)->color,
                         adw_style_manager_get_dark (adw_style_manager_get_default ()), &color);
  gsk_rounded_rect_init_from_rect (
      &outline,
      &GRAPHENE_RECT_INIT ((gtk_widget_get_width (widget) - SIZE) / 2.0f,
                           (gtk_widget_get_height (widget) - SIZE) / 2.0f, SIZE, SIZE),
      RADIUS);
  gtk_snapshot_push_rounded_clip (snapshot, &outline);
  gtk_snapshot_append_color (snapshot, &color, &outline.bounds);
  gtk_snapshot_pop (snapshot);
}

static void
shardwise_swatch_class_init (ShardwiseSwatchClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->measure = shardwise_swatch_measure;
  widget_class->snapshot = shardwise_swatch_snapshot;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
shardwise_swatch_init (ShardwiseSwatch *self)
{
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
}

/**
 * shardwise_swatch_new:
 * @color: a category
 *
 * Returns: (transfer floating): its mark; only decoration, because the name is next to it
 */
GtkWidget *
shardwise_swatch_new (ShardwiseColor color)
{
  ShardwiseSwatch *self = g_object_new (SHARDWISE_TYPE_SWATCH, NULL);

  self->color = color;
  return GTK_WIDGET (self);
}
