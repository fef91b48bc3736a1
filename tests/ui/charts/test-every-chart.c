/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-alternatives-page.h"
#include "shardwise-analysis-page.h"
#include "shardwise-chart-card.h"
#include "shardwise-scale-page.h"
#include "shardwise-sections.h"
#include "shardwise-sweep.h"

#include "charts-ready.h"
#include "measured-layer.h"
#include "ui-fixture.h"

/* Every chart of the program, found on the pages: each has a sentence and a role for the screen
 * reader, points that are stepped through by keyboard with a sentence each, the same figures as a
 * table, and copies as CSV, PNG and SVG. A kind of chart that is on no page fails the test. */

#define MOST_STEPS 40 /* of a chart with thousands of points */

typedef struct {
  GHashTable *seen; /* of GType */
  guint charts;
  GtkWidget *page; /* that is walked */
} Walk;

static void
written_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;

  gdk_content_provider_write_mime_type_finish (GDK_CONTENT_PROVIDER (source), result, &error);
  g_assert_no_error (error);
  *(gboolean *) data = TRUE;
}

/* An X server that is told of an earlier owner late leaves the clipboard to it: then once more,
 * when what it says of that was heard. */
static void
copy_to_clipboard (GtkWidget *card, const char *format)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (card);
  g_autoptr (GdkContentProvider) before = gdk_clipboard_get_content (clipboard);
  guint n = 0;

  if (before != NULL)
    g_object_ref (before); /* no other gets its address */
  g_assert_true (gtk_widget_activate_action (card, "card.copy", "s", format));
  while (gdk_clipboard_get_content (clipboard) == before
         || gdk_clipboard_get_content (clipboard) == NULL)
    {
      g_assert_cmpuint (n++, <, 100);
      ui_run_for (50);
      g_assert_true (gtk_widget_activate_action (card, "card.copy", "s", format));
    }
}

/* What a copy leaves on the clipboard. */
static GBytes *
copy (GtkWidget *card, const char *format, const char *type)
{
  g_autoptr (GOutputStream) stream = g_memory_output_stream_new_resizable ();
  GdkContentProvider *content;
  gboolean written = FALSE;

  copy_to_clipboard (card, format);
  content = gdk_clipboard_get_content (gtk_widget_get_clipboard (card));
  gdk_content_provider_write_mime_type_async (content, type, stream, G_PRIORITY_DEFAULT, NULL,
                                              written_cb, &written);
  while (!written)
    g_main_context_iteration (NULL, TRUE);
  g_output_stream_close (stream, NULL, NULL);
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (stream));
}

static void
check_copies (GtkWidget *card, ShardwiseChart *chart)
{
  g_autoptr (GBytes) png = copy (card, "png", "image/png"),
                     svg = copy (card, "svg", "image/svg+xml");
  g_autoptr (GError) error = NULL;
  g_autoptr (GdkTexture) texture = gdk_texture_new_from_bytes (png, &error);
  g_autofree char *csv = shardwise_chart_to_csv (chart), *text = NULL;
  gsize length;
  const char *xml = g_bytes_get_data (svg, &length);

  g_assert_no_error (error);
  g_assert_cmpint (gdk_texture_get_width (texture), ==,
                   2 * gtk_widget_get_width (GTK_WIDGET (chart)));
  g_assert_cmpint (gdk_texture_get_height (texture), ==,
                   2 * gtk_widget_get_height (GTK_WIDGET (chart)));
  g_assert_nonnull (g_strstr_len (xml, (gssize) length, "<svg"));
  g_assert_null (g_strstr_len (xml, (gssize) length, "<image")); /* it scales without steps */
  g_assert_true (gtk_widget_activate_action (card, "card.copy", "s", "csv"));
  text = ui_read_clipboard (gtk_widget_get_clipboard (card));
  g_assert_cmpstr (text, ==, csv);
}

static void
check_accessible (ShardwiseChart *chart)
{
  const char *summary = shardwise_chart_get_summary (chart);

  gtk_test_accessible_assert_role (chart, GTK_ACCESSIBLE_ROLE_IMG);
  gtk_test_accessible_assert_property (chart, GTK_ACCESSIBLE_PROPERTY_LABEL, summary);
  g_assert_cmpint (strlen (summary), >, 20);
  g_assert_true (g_str_has_suffix (summary, "."));
}

/* From one end to the other: arrows move, and every point has its sentence. */
static void
check_keyboard (ShardwiseChart *chart)
{
  guint n = shardwise_chart_n_points (chart);
  int last = -1;

  g_assert_true (gtk_widget_get_focusable (GTK_WIDGET (chart)));
  g_assert_cmpuint (n, >, 0);
  ui_press (GTK_WIDGET (chart), GDK_KEY_Home);
  for (guint i = 0; i < MIN (n, MOST_STEPS); i++)
    {
      int point = shardwise_chart_get_point (chart);

      g_assert_cmpint (point, !=, last);
      g_assert_cmpint (strlen (shardwise_chart_get_readout (chart)), >, 8);
      gtk_test_accessible_assert_property (chart, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                           shardwise_chart_get_readout (chart));
      last = point;
      ui_press (GTK_WIDGET (chart), GDK_KEY_Right);
      if (shardwise_chart_get_point (chart) == point)
        ui_press (GTK_WIDGET (chart), GDK_KEY_Down); /* the end of a row */
      if (shardwise_chart_get_point (chart) == point)
        break;
    }
  ui_press (GTK_WIDGET (chart), GDK_KEY_End);
  g_assert_cmpint (shardwise_chart_get_point (chart), ==, (int) n - 1);
  ui_press (GTK_WIDGET (chart), GDK_KEY_Escape);
  g_assert_cmpint (shardwise_chart_get_point (chart), ==, -1);
  gtk_test_accessible_assert_property (chart, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, "");
}

/* The rows and columns that the CSV has. */
static void
check_table (GtkWidget *card, ShardwiseChart *chart)
{
  g_autofree char *csv = shardwise_chart_to_csv (chart);
  g_auto (GStrv) lines = g_strsplit (csv, "\r\n", -1);
  guint n_columns, n_rows = SHARDWISE_CHART_GET_CLASS (chart)->n_rows (chart);
  GtkColumnView *view;

  shardwise_chart_get_columns (chart, &n_columns);
  g_assert_cmpuint (n_columns, >, 1);
  g_assert_cmpuint (n_rows, >, 0);
  g_assert_cmpuint (g_strv_length (lines), ==, n_rows + 2); /* the head, and the end */
  g_object_set (card, "table", TRUE, NULL);
  view = GTK_COLUMN_VIEW (ui_find (card, GTK_TYPE_COLUMN_VIEW));
  g_assert_nonnull (view);
  g_assert_cmpuint (g_list_model_get_n_items (gtk_column_view_get_columns (view)), ==, n_columns);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (gtk_column_view_get_model (view))), ==,
                    n_rows);
  g_object_set (card, "table", FALSE, NULL);
}

/* Whether a computation that shows another card at its end is under way. */
static gboolean
is_computing (GtkWidget *widget)
{
  if (SHARDWISE_IS_SWEEP (widget) && gtk_widget_get_mapped (widget)
      && shardwise_sweep_is_running (SHARDWISE_SWEEP (widget)))
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (is_computing (child))
      return TRUE;
  return FALSE;
}

/* Until nothing of the page that is shown is under way. */
static void
await (GtkWidget *page)
{
  for (ui_wake (page); !ui_charts_are_ready (page) || is_computing (page); ui_wake (page))
    g_main_context_iteration (NULL, TRUE);
}

static void check_cards (GtkWidget *widget, Walk *walk);

static void
check_children (GtkWidget *widget, Walk *walk)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    check_cards (child, walk);
}

/* The sections of a page, one after the other, as a user looks at them. */
static void
check_sections (ShardwiseSections *sections, Walk *walk)
{
  /* Of any page. */
  static const char *const ids[] = { "memory", "sharding", "time",    "communication", "pipeline",
                                     "ranks",  "reasons",  "figures", "scaling",       "cost",
                                     "budget", "failures", "atlas" };

  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    if (shardwise_sections_set_section (sections, ids[i]))
      {
        await (walk->page);
        check_children (GTK_WIDGET (sections), walk);
      }
}

static void
check_cards (GtkWidget *widget, Walk *walk)
{
  if (SHARDWISE_IS_CHART_CARD (widget) && gtk_widget_get_mapped (widget))
    {
      ShardwiseChart *chart = SHARDWISE_CHART (ui_find (widget, SHARDWISE_TYPE_CHART));

      g_test_message ("%s", G_OBJECT_TYPE_NAME (chart));
      check_accessible (chart);
      check_keyboard (chart);
      check_copies (widget, chart);
      check_table (widget, chart);
      g_hash_table_add (walk->seen, GSIZE_TO_POINTER (G_OBJECT_TYPE (chart)));
      walk->charts++;
      return;
    }
  if (SHARDWISE_IS_SECTIONS (widget) && gtk_widget_get_mapped (widget))
    check_sections (SHARDWISE_SECTIONS (widget), walk);
  else
    check_children (widget, walk);
}

static void
walk_page (GtkWidget *page, const char *scenario, Walk *walk)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario);
  GtkWidget *window;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  window = ui_show (page, 1600, 900);
  walk->page = page;
  await (page);
  check_cards (page, walk);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Returns: how many kinds of chart derive from a type */
static guint
check_seen (GType type, Walk *walk)
{
  g_autofree GType *kinds = g_type_children (type, NULL);
  guint n = 0;

  for (guint i = 0; kinds[i] != 0; i++)
    {
      n += check_seen (kinds[i], walk);
      if (G_TYPE_IS_ABSTRACT (kinds[i]))
        continue;
      if (!g_hash_table_contains (walk->seen, GSIZE_TO_POINTER (kinds[i])))
        g_error ("no page shows a %s", g_type_name (kinds[i]));
      n++;
    }
  return n;
}

static void
test_every_chart (void)
{
  static const char pipeline[] =
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
      "\"llama-3-70b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 64}, \"training\": "
      "{\"framework\": \"megatron-core\", \"tokens\": 1e11}, \"strategy\": {\"pp\": 4, \"tp\": 4, "
      "\"schedule\": \"1f1b\", \"vpp\": 1}, \"cost\": {\"price\": 2.5}}";
  static const char phases[] =
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
      "\"llama-3-8b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 16}, \"training\": "
      "{\"type\": \"rlhf\", \"sequence_length\": 4096, \"global_batch_size\": 128}}";
  static const char measured[] =
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
      "\"llama-3-8b\"}, \"cluster\": {\"gpu\": {\"base\": \"h100-80-sxm\", \"measured\": {"
      "\"date\": \"2026-11-28\", \"gemm_tflops\": {\"value\": 600, \"spread\": "
      "0.02}, " MEASURED_LAYER "}}, \"gpus\": 8}}";
  Walk walk = { .seen = g_hash_table_new (NULL, NULL) };

  walk_page (g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL), pipeline, &walk);
  /* Time, limits, communication, ranks, pipeline, schedules, memory, over a step, ZeRO. */
  g_assert_cmpuint (walk.charts, ==, 9);
  walk_page (g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL), phases, &walk);
  walk_page (g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL), measured, &walk);
  walk_page (g_object_new (SHARDWISE_TYPE_ALTERNATIVES_PAGE, NULL), pipeline, &walk);
  walk_page (g_object_new (SHARDWISE_TYPE_SCALE_PAGE, NULL), pipeline, &walk);
  g_assert_cmpuint (check_seen (SHARDWISE_TYPE_CHART, &walk), ==, 14);
  g_hash_table_unref (walk.seen);
}

/* Of the other phases of reinforcement learning the time alone is known: no figure is made up. */
static void
test_other_phases (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
      "\"llama-3-70b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 128}, \"training\": "
      "{\"type\": \"rlhf\"}, \"strategy\": {\"tp\": 8}}");
  GtkWidget *page = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL));
  ShardwiseChart *chart = ui_child (page, "communication_chart");
  guint n_unknown = 0, n_heights = 0;
  int height = 0;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  for (guint row = 0; row < shardwise_chart_n_points (chart); row++)
    {
      g_autofree char *calls = shardwise_chart_cell_text (chart, row, 4),
                      *rate = shardwise_chart_cell_text (chart, row, 7),
                      *how = shardwise_chart_cell_text (chart, row, 1);

      g_assert_cmpint (g_str_equal (calls, "–"), ==, g_str_equal (rate, "–"));
      g_assert_cmpstr (how, !=, "–"); /* it says why */
      n_unknown += g_str_equal (calls, "–");
    }
  g_assert_cmpuint (n_unknown, >, 0);
  /* Figures are beside the bar, below the name, or on more lines if there is no room: never
   * truncated. */
  for (int width = 100; width < 3000; width += 20)
    {
      int minimum;

      SHARDWISE_CHART_GET_CLASS (chart)->plot_height (chart, width, &minimum);
      g_assert_true (height == 0 || minimum <= height);
      n_heights += minimum != height;
      height = minimum;
    }
  g_assert_cmpuint (n_heights, >=, 4);
  g_object_unref (page);
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;

  g_test_add_func ("/every-chart", test_every_chart);
  g_test_add_func ("/every-chart/other-phases", test_other_phases);
  return g_test_run ();
}
