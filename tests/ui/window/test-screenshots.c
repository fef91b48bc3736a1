/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-advice-page.h"
#include "shardwise-alternatives-page.h"
#include "shardwise-analysis-page.h"
#include "shardwise-scale-page.h"

#include "charts-ready.h"
#include "ui-fixture.h"

/* Every page at the widths that matter, light, dark, from right to left and with large text, and of
 * other kinds of jobs; once more in high contrast where this is run with ADW_DEBUG_HIGH_CONTRAST=1.
 * The pictures are to be looked at; what is tested is that nothing is wider than its window, and
 * that GTK warns of nothing. */

#define MOST_HEIGHT 9000

typedef struct {
  const char *name;
  GType (*get_type) (void);
} Page;

static const Page pages[] = {
  { "advice", shardwise_advice_page_get_type },
  { "analysis", shardwise_analysis_page_get_type },
  { "alternatives", shardwise_alternatives_page_get_type },
  { "scale", shardwise_scale_page_get_type },
};

#define N_PAGES_OF_STRATEGY 3 /* the first ones: they differ most from job to job */

static const int widths[] = { 360, 720, 1000, 1600 };

/* Jobs that show what the first does not: experts, context parallelism, adapters, phases, and that
 * nothing fits. */
static const struct {
  const char *name, *model, *training;
  guint gpus;
} jobs[] = {
  { "moe", "mixtral-8x22b", "{\"sequence_length\": 4096, \"global_batch_size\": 1024}", 128 },
  { "long-context", "llama-3.1-8b", "{\"sequence_length\": 131072, \"global_batch_size\": 32}",
    64 },
  { "lora", "llama-3-70b", "{\"type\": \"lora\", \"global_batch_size\": 64}", 8 },
  { "rlhf", "llama-3-8b",
    "{\"type\": \"rlhf\", \"sequence_length\": 4096, \"global_batch_size\": 128}", 16 },
  { "nothing-fits", "llama-3-70b", "{\"sequence_length\": 8192}", 4 },
};

typedef struct {
  ShardwiseAdvisor *advisor;
} Fixture;

/* Charts that are seen have data, and the files are there. */
static gboolean
is_ready (GtkWidget *page)
{
  return ui_charts_are_ready (page)
         && (!SHARDWISE_IS_ADVICE_PAGE (page)
             || !g_str_equal (shardwise_export_page_get_state (
                                  shardwise_advice_page_get_export (SHARDWISE_ADVICE_PAGE (page))),
                              "working"));
}

/* As high as what scrolls in it wants to be. */
static int
whole_height (GtkWidget *widget, int width)
{
  int most = 700, natural;

  if (GTK_IS_VIEWPORT (widget) && gtk_widget_get_mapped (widget))
    {
      gtk_widget_measure (gtk_widget_get_first_child (widget), GTK_ORIENTATION_VERTICAL, width,
                          NULL, &natural, NULL, NULL);
      return CLAMP (natural, most, MOST_HEIGHT); /* what scrolls within has room then */
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    most = MAX (most, whole_height (child, width));
  return most;
}

/* The page may be larger than the screen: it scrolls in the window, and the picture has all of it.
 */
static GtkWidget *
show_scrolled (GtkWidget *page)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();

  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_EXTERNAL,
                                  GTK_POLICY_EXTERNAL);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), page);
  return ui_show (scroller, 300, 300);
}

static void
take (Fixture *fixture, const Page *kind, int width, const char *state)
{
  g_autofree char *name = g_strdup_printf ("screenshot-%s-%d-%s", kind->name, width, state);
  GtkWidget *page = g_object_new (kind->get_type (), NULL), *window;
  int height;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), fixture->advisor);
  gtk_widget_set_size_request (page, width, 700);
  window = show_scrolled (page);
  for (ui_wake (page); !is_ready (page); ui_wake (page))
    g_main_context_iteration (NULL, TRUE);
  height = whole_height (page, width);
  gtk_widget_set_size_request (page, width, height);
  while (gtk_widget_get_height (page) < height)
    g_main_context_iteration (NULL, TRUE);
  cairo_surface_destroy (ui_picture (page, name));
  g_assert_cmpint (gtk_widget_get_width (page), ==, width);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
take_all (Fixture *fixture, const char *state, int least_width)
{
  for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
    for (guint k = 0; k < G_N_ELEMENTS (widths); k++)
      if (widths[k] >= least_width)
        take (fixture, &pages[i], widths[k], state);
}

static gboolean
is_high_contrast (void)
{
  return adw_style_manager_get_high_contrast (adw_style_manager_get_default ());
}

static void
test_schemes (Fixture *fixture, gconstpointer data)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();

  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_FORCE_LIGHT);
  take_all (fixture, is_high_contrast () ? "high-contrast" : "light", 0);
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_FORCE_DARK);
  take_all (fixture, is_high_contrast () ? "high-contrast-dark" : "dark", 0);
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_DEFAULT);
}

static void
test_right_to_left (Fixture *fixture, gconstpointer data)
{
  if (is_high_contrast ())
    return;
  gtk_widget_set_default_direction (GTK_TEXT_DIR_RTL);
  take_all (fixture, "right-to-left", 0);
  gtk_widget_set_default_direction (GTK_TEXT_DIR_LTR);
}

/* From 720 pixels on; what is narrower scrolls. */
static void
test_large_text (Fixture *fixture, gconstpointer data)
{
  GtkSettings *settings = gtk_settings_get_default ();
  int dpi;

  if (is_high_contrast ())
    return;
  g_object_get (settings, "gtk-xft-dpi", &dpi, NULL);
  g_object_set (settings, "gtk-xft-dpi", 2 * 96 * 1024, NULL);
  take_all (fixture, "large-text", 720);
  g_object_set (settings, "gtk-xft-dpi", dpi, NULL);
}

static void
test_jobs (Fixture *fixture, gconstpointer data)
{
  ShardwiseAdvisor *first = fixture->advisor;

  if (is_high_contrast ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    {
      g_autofree char *json = g_strdup_printf (
          "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": \"%s\"}, "
          "\"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": %u}, \"training\": %s}",
          jobs[i].model, jobs[i].gpus, jobs[i].training);

      fixture->advisor = ui_advisor (json);
      for (guint k = 0; k < N_PAGES_OF_STRATEGY; k++)
        take (fixture, &pages[k], 1000, jobs[i].name);
      g_object_unref (fixture->advisor);
    }
  fixture->advisor = first;
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->advisor = ui_advisor (
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
      "\"llama-3-70b\"},"
      " \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 32}, \"training\": {\"framework\": "
      "\"megatron-core\", \"tokens\": 1e11}, \"cost\": {\"price\": 2.5}}");
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_object_unref (fixture->advisor);
}

#define ADD(name, test) g_test_add (name, Fixture, NULL, set_up, test, tear_down)

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;

  ADD ("/screenshots/schemes", test_schemes);
  ADD ("/screenshots/right-to-left", test_right_to_left);
  ADD ("/screenshots/large-text", test_large_text);
  ADD ("/screenshots/jobs", test_jobs);
  return g_test_run ();
}
