/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui-fixture.h"

#include "shardwise-palette.h"

/* Text of the window on what is behind it, as it is drawn: 4.5:1 (WCAG 2.1, 1.4.3) in the scheme
 * that the run has; the colours of the charts are tested in test-palette.c. */

#define EDGE 3 /* pixels from the edge that show only the background */

static const struct {
  const char *behind, *box, *text; /* style classes; "" : none */
} cases[] = {
  { "background", "", "" },
  { "background", "", "dim-label" },
  { "background", "", "error" },
  { "background", "", "success" },
  { "background", "", "warning" },
  { "background", "", "accent" },
  { "background", "card", "" },
  { "background", "card", "dim-label" },
  { "background", "card", "error" },
  { "background", "card", "success" },
  { "background", "card", "warning" },
  { "background", "card", "accent" },
  { "background", "status-pill", "" },
  { "background", "status-pill", "success" },
  { "background", "status-pill", "warning" },
  { "background", "status-pill", "error" },
  { "background", "error-bar", "" },
  { "background", "looked-at", "" },
  { "background", "looked-at", "dim-label" },
  { "background", "ask-question", "" },
  { "background", "manual-note", "" },
  { "background", "manual-note", "dim-label" },
};

static void
add_class (GtkWidget *widget, const char *name)
{
  if (*name != '\0')
    gtk_widget_add_css_class (widget, name);
}

static GdkRGBA
color_of (guint32 pixel)
{
  return (GdkRGBA){ ((pixel >> 16) & 0xff) / 255.f, ((pixel >> 8) & 0xff) / 255.f,
                    (pixel & 0xff) / 255.f, 1 };
}

/* The strokes of a large letter are wide enough for a pixel of the text's colour alone. */
static double
measure (guint i)
{
  GtkWidget *behind = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *window;
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *label = gtk_label_new (NULL);
  cairo_surface_t *surface;
  GdkRGBA background;
  double most = 1;

  gtk_label_set_markup (GTK_LABEL (label), "<span size=\"60pt\" weight=\"bold\">I</span>");
  add_class (behind, cases[i].behind);
  add_class (box, cases[i].box);
  /* a pill has its colour by itself, its text takes it on */
  add_class (g_str_equal (cases[i].box, "status-pill") ? box : label, cases[i].text);
  gtk_widget_set_hexpand (box, TRUE);
  gtk_widget_set_vexpand (box, TRUE);
  gtk_box_append (GTK_BOX (behind), box);
  gtk_box_append (GTK_BOX (box), label);
  window = ui_show (behind, 200, 160);
  surface = ui_picture (behind, "contrast");
  background = color_of (ui_pixel (surface, 100, EDGE));
  for (int y = EDGE; y < gtk_widget_get_height (behind) - EDGE; y++)
    for (int x = 60; x < 140; x++)
      {
        GdkRGBA color = color_of (ui_pixel (surface, x, y));

        most = MAX (most, shardwise_palette_contrast (&color, &background));
      }
  cairo_surface_destroy (surface);
  gtk_window_destroy (GTK_WINDOW (window));
  return most;
}

static void
check_scheme (AdwColorScheme scheme)
{
  adw_style_manager_set_color_scheme (adw_style_manager_get_default (), scheme);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      double contrast = measure (i);

      g_test_message ("%s text in %s: %.2f", cases[i].text, cases[i].box, contrast);
      if (contrast < 4.5)
        g_test_fail_printf ("“%s” text in “%s” has %.2f:1", cases[i].text, cases[i].box, contrast);
    }
}

static void
test_light (void)
{
  check_scheme (ADW_COLOR_SCHEME_FORCE_LIGHT);
}

static void
test_dark (void)
{
  check_scheme (ADW_COLOR_SCHEME_FORCE_DARK);
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;

  g_test_add_func ("/contrast/light", test_light);
  g_test_add_func ("/contrast/dark", test_dark);
  return g_test_run ();
}
