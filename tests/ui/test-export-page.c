/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gtksourceview/gtksource.h>

#include "shardwise-export-page.h"

#define SCENARIO(strategy)                                                                         \
  "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": \"llama-3-70b\"}," \
  " \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 32, \"gpus_per_node\": 8, \"inter_node\": "  \
  "\"infiniband\"},"                                                                               \
  " \"training\": {\"sequence_length\": 8192, \"global_batch_size\": 128, \"micro_batch_size\": "  \
  "4}" strategy "}"

static ShardwiseExportPage *
page_for (const char *json)
{
  ShardwiseExportPage *page =
      g_object_ref_sink (SHARDWISE_EXPORT_PAGE (shardwise_export_page_new ()));
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_from_json (json, -1, &error);
  g_autoptr (ShardwiseAdvisor) advisor = NULL;

  g_assert_no_error (error);
  advisor = shardwise_advisor_new (scenario);
  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  shardwise_advisor_evaluate (advisor);

  return page;
}

static void
wait_for_state (ShardwiseExportPage *page, const char *state)
{
  while (g_strcmp0 (shardwise_export_page_get_state (page), state) != 0)
    g_main_context_iteration (NULL, TRUE);
}

typedef gboolean (*MatchFunc) (GtkWidget *widget, gpointer data);

static GtkWidget *
find_descendant (GtkWidget *widget, MatchFunc match, gpointer data)
{
  if (match (widget, data))
    return widget;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_descendant (child, match, data);

      if (found != NULL)
        return found;
    }

  return NULL;
}

static gboolean
is_button_labelled (GtkWidget *widget, gpointer label)
{
  return GTK_IS_BUTTON (widget)
         && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), label) == 0;
}

static gboolean
is_preview (GtkWidget *widget, gpointer data)
{
  return GTK_SOURCE_IS_VIEW (widget);
}

static GtkWidget *
find_button (ShardwiseExportPage *page, const char *label)
{
  GtkWidget *button = find_descendant (GTK_WIDGET (page), is_button_labelled, (gpointer)label);

  g_assert_nonnull (button);
  return button;
}

static char *
preview_text (ShardwiseExportPage *page, GtkSourceBuffer **out_buffer)
{
  GtkWidget *view = find_descendant (GTK_WIDGET (page), is_preview, NULL);
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  *out_buffer = GTK_SOURCE_BUFFER (buffer);

  return gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
}

static void
text_read_cb (GObject *clipboard, GAsyncResult *result, gpointer data)
{
  char **text = data;
  g_autoptr (GError) error = NULL;

  *text = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (clipboard), result, &error);
  g_assert_no_error (error);
}

static char *
clipboard_text (ShardwiseExportPage *page)
{
  char *text = NULL;

  gdk_clipboard_read_text_async (gtk_widget_get_clipboard (GTK_WIDGET (page)), NULL, text_read_cb,
                                 &text);
  while (text == NULL)
    g_main_context_iteration (NULL, TRUE);

  return text;
}

/* Drops the last reference of the test. A cancelled run holds the page until its thread has noticed. */
static void
assert_gone (ShardwiseExportPage *page)
{
  gint64 deadline = g_get_monotonic_time () + 30 * G_USEC_PER_SEC;
  gpointer weak = page;

  g_object_add_weak_pointer (G_OBJECT (page), &weak);
  g_object_unref (page);
  while (weak != NULL && g_get_monotonic_time () < deadline)
    g_main_context_iteration (NULL, FALSE);
  g_assert_null (weak);
}

static void
test_empty (void)
{
  ShardwiseExportPage *page =
      g_object_ref_sink (SHARDWISE_EXPORT_PAGE (shardwise_export_page_new ()));

  g_assert_cmpstr (shardwise_export_page_get_state (page), ==, "empty");
  g_assert_false (shardwise_export_page_copy (page));
  g_assert_null (shardwise_export_page_get_text (page));
  shardwise_export_page_save (page);
  assert_gone (page);
}

static void
test_formats (void)
{
  static const struct {
    const char *id, *language, *part;
  } cases[] = {
    { "deepspeed", "json", "\"train_micro_batch_size_per_gpu\": 4" },
    { "fsdp1", "python3", "FullyShardedDataParallel" },
    { "fsdp2", "python3", "fully_shard" },
    { "nanotron", "yaml", "micro_batch_size: 4" },
  };
  ShardwiseExportPage *page = page_for (SCENARIO (""));

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = NULL, *shown = NULL;
      GtkSourceBuffer *buffer;

      shardwise_export_page_select (page, cases[i].id);
      wait_for_state (page, "ready");
      text = shardwise_export_page_get_text (page);
      shown = preview_text (page, &buffer);
      g_assert_cmpstr (shardwise_export_page_get_format (page), ==, cases[i].id);
      g_assert_nonnull (strstr (text, cases[i].part));
      g_assert_cmpstr (shown, ==, text);
      g_assert_cmpstr (gtk_source_language_get_id (gtk_source_buffer_get_language (buffer)), ==,
                       cases[i].language);
    }
  shardwise_export_page_select (page, "no-such-format");
  g_assert_cmpstr (shardwise_export_page_get_format (page), ==, "nanotron");
  assert_gone (page);
}

static void
test_copy (void)
{
  ShardwiseExportPage *page = page_for (SCENARIO (""));
  g_autofree char *text = NULL, *copied = NULL, *second = NULL, *copied_second = NULL;

  shardwise_export_page_select (page, "deepspeed");
  wait_for_state (page, "ready");
  g_assert_true (shardwise_export_page_copy (page));
  text = shardwise_export_page_get_text (page);
  copied = clipboard_text (page);
  g_assert_cmpstr (copied, ==, text);

  /* Asked for while it is still written. */
  shardwise_export_page_select (page, "nanotron");
  g_assert_cmpstr (shardwise_export_page_get_state (page), ==, "working");
  g_assert_true (shardwise_export_page_copy (page));
  wait_for_state (page, "ready");
  second = shardwise_export_page_get_text (page);
  copied_second = clipboard_text (page);
  g_assert_cmpstr (copied_second, ==, second);
  g_assert_cmpstr (second, !=, text);
  assert_gone (page);
}

static void
test_files (void)
{
  ShardwiseExportPage *page = page_for (SCENARIO (""));
  g_autofree char *text = NULL;

  shardwise_export_page_select (page, "deepspeed");
  wait_for_state (page, "ready");
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (find_button (page, "ds_setup.py")), TRUE);
  text = shardwise_export_page_get_text (page);
  g_assert_nonnull (strstr (text, "deepspeed.initialize"));
  assert_gone (page);
}

static void
test_refused (void)
{
  ShardwiseExportPage *page = page_for (SCENARIO (", \"strategy\": {\"pp\": 4}"));
  g_autofree char *text = NULL;

  shardwise_export_page_select (page, "fsdp1");
  wait_for_state (page, "refused");
  g_assert_false (shardwise_export_page_copy (page));
  g_assert_null (shardwise_export_page_get_text (page));

  g_signal_emit_by_name (find_button (page, "_Export the Nearest It Can Run"), "clicked");
  wait_for_state (page, "ready");
  text = shardwise_export_page_get_text (page);
  g_assert_nonnull (strstr (text, "FullyShardedDataParallel"));
  assert_gone (page);
}

/* A selected alternative is written as it is, or refused with the rule; not replaced by another
 * one. */
static void
test_selected (void)
{
  ShardwiseExportPage *page = page_for (SCENARIO (""));
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (page));
  SwEstimate selected;
  g_autofree char *text = NULL;

  shardwise_export_page_select (page, "nanotron");
  wait_for_state (page, "ready");

  sw_strategy_init_default (&selected.strategy);
  selected = *shardwise_advisor_get_selected (advisor);
  selected.strategy = (SwStrategy){ .tp = 8,
                                    .etp = 8,
                                    .pp = 4,
                                    .vpp = 1,
                                    .dp = 1,
                                    .cp = 1,
                                    .ep = 1,
                                    .shard_group = 1,
                                    .micro_batch = 4,
                                    .zero_stage = 1,
                                    .sequence_parallel = TRUE,
                                    .recompute = SW_RECOMPUTE_FULL,
                                    .schedule = SW_SCHEDULE_1F1B,
                                    .framework = SW_FRAMEWORK_MEGATRON_CORE };
  shardwise_advisor_set_selected (advisor, &selected);
  wait_for_state (page, "working");
  wait_for_state (page, "ready");
  text = shardwise_export_page_get_text (page);
  g_assert_nonnull (strstr (text, "  tp: 8\n"));
  g_assert_nonnull (strstr (text, "  pp: 4\n"));

  shardwise_export_page_select (page, "fsdp1");
  wait_for_state (page, "refused");
  assert_gone (page);
}

static void
test_remembers (void)
{
  g_autoptr (GSettings) settings = g_settings_new ("io.github.shardwise.Shardwise");
  ShardwiseExportPage *page =
      g_object_ref_sink (SHARDWISE_EXPORT_PAGE (shardwise_export_page_new ()));
  g_autofree char *last = NULL;

  shardwise_export_page_select (page, "fsdp2");
  last = g_settings_get_string (settings, "export-format");
  g_assert_cmpstr (last, ==, "fsdp2");
  assert_gone (page);

  page = g_object_ref_sink (SHARDWISE_EXPORT_PAGE (shardwise_export_page_new ()));
  g_assert_cmpstr (shardwise_export_page_get_format (page), ==, "fsdp2");
  assert_gone (page);
}

static void
test_dark (void)
{
  ShardwiseExportPage *page =
      g_object_ref_sink (SHARDWISE_EXPORT_PAGE (shardwise_export_page_new ()));
  AdwStyleManager *manager = adw_style_manager_get_default ();
  GtkSourceBuffer *buffer;
  g_autofree char *text = preview_text (page, &buffer);

  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_FORCE_DARK);
  g_assert_cmpstr (gtk_source_style_scheme_get_id (gtk_source_buffer_get_style_scheme (buffer)), ==,
                   "Adwaita-dark");
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_FORCE_LIGHT);
  g_assert_cmpstr (gtk_source_style_scheme_get_id (gtk_source_buffer_get_style_scheme (buffer)), ==,
                   "Adwaita");
  assert_gone (page);
}

static gboolean
is_format_button (GtkWidget *widget, gpointer label)
{
  return GTK_IS_TOGGLE_BUTTON (widget) && gtk_widget_has_css_class (widget, "export-format");
}

static void
test_accessible (void)
{
  ShardwiseExportPage *page =
      g_object_ref_sink (SHARDWISE_EXPORT_PAGE (shardwise_export_page_new ()));
  GtkWidget *button = find_descendant (GTK_WIDGET (page), is_format_button, NULL);
  GtkWidget *preview = find_descendant (GTK_WIDGET (page), is_preview, NULL);

  gtk_test_accessible_assert_property (button, GTK_ACCESSIBLE_PROPERTY_LABEL, "DeepSpeed");
  gtk_test_accessible_assert_property (preview, GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "Preview of the file");
  gtk_test_accessible_assert_role (gtk_widget_get_parent (button), GTK_ACCESSIBLE_ROLE_GROUP);
  assert_gone (page);
}

int
main (int argc, char **argv)
{
  gtk_test_init (&argc, &argv, NULL);
  adw_init ();
  gtk_source_init ();

  g_test_add_func ("/export-page/empty", test_empty);
  g_test_add_func ("/export-page/formats", test_formats);
  g_test_add_func ("/export-page/copy", test_copy);
  g_test_add_func ("/export-page/files", test_files);
  g_test_add_func ("/export-page/refused", test_refused);
  g_test_add_func ("/export-page/selected", test_selected);
  g_test_add_func ("/export-page/remembers", test_remembers);
  g_test_add_func ("/export-page/dark", test_dark);
  g_test_add_func ("/export-page/accessible", test_accessible);

  return g_test_run ();
}
