/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gtksourceview/gtksource.h>

#include "shardwise-advice-page.h"
#include "shardwise-export-page.h"
#include "shardwise-export-picker.h"
#include "ui-fixture.h"

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
      g_object_ref_sink (SHARDWISE_EXPORT_PAGE (g_object_new (SHARDWISE_TYPE_EXPORT_PAGE, NULL)));
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

static GtkWidget *
find_button (ShardwiseExportPage *page, const char *label)
{
  GtkWidget *button = ui_find_button (GTK_WIDGET (page), label);

  g_assert_nonnull (button);
  return button;
}

static char *
text_of (ShardwiseExportPage *page)
{
  GtkTextView *preview = ui_child (GTK_WIDGET (page), "preview");
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (preview);
  GtkTextIter cursor;

  gtk_text_buffer_get_iter_at_mark (buffer, &cursor, gtk_text_buffer_get_insert (buffer));
  g_assert_true (gtk_text_iter_is_start (&cursor)); /* where the focus goes */
  return ui_text_in (preview);
}

static GtkSourceBuffer *
buffer_of (ShardwiseExportPage *page)
{
  return GTK_SOURCE_BUFFER (gtk_text_view_get_buffer (ui_child (GTK_WIDGET (page), "preview")));
}

static const char *
shown_part (ShardwiseExportPage *page)
{
  return gtk_stack_get_visible_child_name (ui_child (GTK_WIDGET (page), "stack"));
}

/* Drops the last reference of the test. A cancelled run holds the page until its thread has
 * noticed. */
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
      g_object_ref_sink (SHARDWISE_EXPORT_PAGE (g_object_new (SHARDWISE_TYPE_EXPORT_PAGE, NULL)));

  g_assert_cmpstr (shardwise_export_page_get_state (page), ==, "empty");
  g_assert_false (shardwise_export_page_copy (page));
  g_assert_cmpstr (shown_part (page), ==, "empty");
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
    { "megatron", "sh", "--micro-batch-size 4" },
    { "torchtitan", "toml", "[parallelism]" },
    { "accelerate", "yaml", "num_processes: 32" },
    { "megatron-bridge", "python3", "cfg.train.micro_batch_size = 4" },
    { "torchrun", "sh", "torchrun" },
    { "slurm", "sh", "#SBATCH --nodes=4" },
    { "kubernetes", "yaml", "kind: TrainJob" },
    { "nanotron", "yaml", "micro_batch_size: 4" },
  };
  ShardwiseExportPage *page = page_for (SCENARIO (""));

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = NULL;
      GtkSourceBuffer *buffer = buffer_of (page);

      shardwise_export_page_select (page, cases[i].id);
      wait_for_state (page, "ready");
      text = text_of (page);
      g_assert_cmpstr (shardwise_export_page_get_format (page), ==, cases[i].id);
      g_assert_nonnull (strstr (text, cases[i].part));
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
  text = text_of (page);
  copied = ui_read_clipboard (gtk_widget_get_clipboard (GTK_WIDGET (page)));
  g_assert_cmpstr (copied, ==, text);

  /* Asked for while it is still written. */
  shardwise_export_page_select (page, "nanotron");
  g_assert_cmpstr (shardwise_export_page_get_state (page), ==, "working");
  g_assert_true (shardwise_export_page_copy (page));
  wait_for_state (page, "ready");
  second = text_of (page);
  copied_second = ui_read_clipboard (gtk_widget_get_clipboard (GTK_WIDGET (page)));
  g_assert_cmpstr (copied_second, ==, second);
  g_assert_cmpstr (second, !=, text);
  assert_gone (page);
}

/* The command is that of the files shown, and is copied whole. */
static void
test_start (void)
{
  ShardwiseExportPage *page = page_for (SCENARIO (""));
  GtkWidget *row = ui_find (GTK_WIDGET (page), g_type_from_name ("ShardwiseStartRow"));
  g_autofree char *copied = NULL;

  shardwise_export_page_select (page, "megatron");
  wait_for_state (page, "ready");
  g_assert_cmpstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (row)), ==, "bash megatron.sh");
  g_signal_emit_by_name (ui_find (row, GTK_TYPE_BUTTON), "clicked");
  copied = ui_read_clipboard (gtk_widget_get_clipboard (GTK_WIDGET (page)));
  g_assert_cmpstr (copied, ==, "bash megatron.sh");
  shardwise_export_page_select (page, "deepspeed");
  wait_for_state (page, "ready");
  /* Lines do not end within an option; what is copied has plain hyphens. */
  g_assert_nonnull (strstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (row)),
                            "torchrun -\342\201\240-\342\201\240nnodes=4 "));
  g_signal_emit_by_name (ui_find (row, GTK_TYPE_BUTTON), "clicked");
  g_free (copied);
  copied = ui_read_clipboard (gtk_widget_get_clipboard (GTK_WIDGET (page)));
  g_assert_true (g_str_has_prefix (copied, "torchrun --nnodes=4 "));
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
  text = text_of (page);
  g_assert_nonnull (strstr (text, "deepspeed.initialize"));
  assert_gone (page);
}

static ShardwiseExportPicker *
find_picker (ShardwiseExportPage *page)
{
  return SHARDWISE_EXPORT_PICKER (ui_find (GTK_WIDGET (page), SHARDWISE_TYPE_EXPORT_PICKER));
}

static void
assert_has_button (ShardwiseExportPage *page, const char *label, gboolean has)
{
  GtkWidget *button = ui_find_button (GTK_WIDGET (page), label);

  g_assert_true ((button != NULL) == has);
}

static void
test_bundle (void)
{
  ShardwiseExportPage *page = page_for (SCENARIO (""));
  g_autofree char *text = NULL;

  shardwise_export_page_select (page, "nanotron");
  wait_for_state (page, "ready");
  assert_has_button (page, "README.md", FALSE);
  shardwise_export_picker_set_bundle (find_picker (page), TRUE);
  assert_has_button (page, "nanotron.yaml", TRUE);
  assert_has_button (page, "launch.sh", TRUE);
  assert_has_button (page, "_Save All…", TRUE);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (find_button (page, "README.md")), TRUE);
  text = text_of (page);
  g_assert_nonnull (strstr (text, "launch.sh"));

  shardwise_export_picker_set_bundle (find_picker (page), FALSE);
  assert_has_button (page, "README.md", FALSE);
  assert_has_button (page, "_Save…", TRUE);
  assert_gone (page);
}

static void
test_versions (void)
{
  ShardwiseExportPage *page = page_for (SCENARIO (""));
  g_autoptr (GSettings) settings = g_settings_new ("io.github.shardwise.Shardwise");
  g_autofree char *text = NULL, *version = NULL;

  shardwise_export_picker_set_format (find_picker (page), SHARDWISE_FORMAT_TORCHTITAN_MAIN);
  wait_for_state (page, "ready");
  g_assert_cmpstr (shardwise_export_page_get_format (page), ==, "torchtitan");
  text = text_of (page);
  g_assert_nonnull (strstr (text, "Trainer.Config"));
  version = g_settings_get_string (settings, "export-version");
  g_assert_cmpstr (version, ==, "main (2026-08)");
  assert_gone (page);

  page =
      g_object_ref_sink (SHARDWISE_EXPORT_PAGE (g_object_new (SHARDWISE_TYPE_EXPORT_PAGE, NULL)));
  g_assert_cmpuint (shardwise_export_picker_get_format (find_picker (page)), ==,
                    SHARDWISE_FORMAT_TORCHTITAN_MAIN);
  assert_gone (page);
}

/* Every launcher of the drop-down can be remembered. */
static void
test_launchers (void)
{
  ShardwiseExportPage *page = page_for (SCENARIO (""));
  g_autoptr (GSettings) settings = g_settings_new ("io.github.shardwise.Shardwise");
  GtkDropDown *launchers = GTK_DROP_DOWN (ui_child (GTK_WIDGET (find_picker (page)), "starters"));
  const guint n = g_list_model_get_n_items (gtk_drop_down_get_model (launchers));

  g_assert_cmpuint (n, ==, 4);
  for (guint i = n; i-- > 0;)
    {
      const ShardwiseFormat format = (ShardwiseFormat) (SHARDWISE_FORMAT_TORCHRUN + i);
      g_autofree char *kept = NULL;

      gtk_drop_down_set_selected (launchers, i);
      kept = g_settings_get_string (settings, "export-launcher");
      g_assert_cmpstr (kept, ==, shardwise_format_info (format)->id);
    }
  assert_gone (page);
}

/* The list of versions keeps its model where another one is chosen: GTK still uses its
 * selection. */
static void
test_choose_version (void)
{
  ShardwiseExportPage *page = page_for (SCENARIO (""));
  ShardwiseExportPicker *picker = find_picker (page);
  GtkDropDown *versions = GTK_DROP_DOWN (ui_find (GTK_WIDGET (picker), GTK_TYPE_DROP_DOWN));
  GListModel *model;

  shardwise_export_picker_set_format (picker, SHARDWISE_FORMAT_TORCHTITAN_MAIN);
  model = gtk_drop_down_get_model (versions);
  g_assert_cmpuint (g_list_model_get_n_items (model), >, 1);
  g_assert_cmpuint (gtk_drop_down_get_selected (versions), !=, 0);
  gtk_drop_down_set_selected (versions, 0);
  g_assert_cmpuint (shardwise_export_picker_get_format (picker), ==, SHARDWISE_FORMAT_TORCHTITAN);
  g_assert_true (gtk_drop_down_get_model (versions) == model);
  shardwise_export_picker_set_format (picker, SHARDWISE_FORMAT_NANOTRON);
  g_assert_cmpuint (g_list_model_get_n_items (model), ==, 1);
  g_assert_true (gtk_drop_down_get_model (versions) == model);
  assert_gone (page);
}

static void
test_refused (void)
{
  ShardwiseExportPage *page = page_for (SCENARIO (", \"strategy\": {\"pp\": 4}"));
  g_autofree char *text = NULL;
  AdwStatusPage *refused;

  shardwise_export_page_select (page, "fsdp1");
  wait_for_state (page, "refused");
  g_assert_cmpstr (shown_part (page), ==, "refused");
  refused = ADW_STATUS_PAGE (ui_child (GTK_WIDGET (page), "refused"));
  g_assert_true (g_str_has_suffix (adw_status_page_get_description (refused), ")."));

  g_signal_emit_by_name (find_button (page, "_Export the Nearest That Runs"), "clicked");
  wait_for_state (page, "ready");
  text = text_of (page);
  g_assert_nonnull (strstr (text, "FullyShardedDataParallel"));
  assert_gone (page);
}

/* What another page offers to copy is written, whatever was chosen here and refused. */
static void
test_offered (void)
{
  ShardwiseExportPage *page = page_for (SCENARIO (""));
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (page));
  g_autoptr (GSettings) settings = g_settings_new ("io.github.shardwise.Shardwise");
  const ShardwiseFormatInfo *offered;

  shardwise_scenario_set (shardwise_advisor_get_scenario (advisor), SHARDWISE_KEY_TRAINING_TYPE,
                          g_variant_new_string ("rlhf"), NULL);
  shardwise_scenario_set (shardwise_advisor_get_scenario (advisor),
                          SHARDWISE_KEY_TRAINING_FRAMEWORK, g_variant_new_string ("megatron-core"),
                          NULL);
  shardwise_advisor_evaluate (advisor);
  shardwise_export_page_select (page, "megatron");
  wait_for_state (page, "refused");
  g_assert_cmpstr (shardwise_export_page_get_format (page), ==, "megatron");

  offered = shardwise_export_picker_get_offered (settings, shardwise_advisor_get_advice (advisor),
                                                 shardwise_advisor_get_selected (advisor));
  g_assert_cmpint (offered->format, !=, SHARDWISE_FORMAT_MEGATRON);
  g_assert_true (shardwise_export_page_copy (page));
  wait_for_state (page, "ready");
  g_assert_cmpstr (shardwise_export_page_get_format (page), ==, offered->id);
  assert_gone (page);
  g_settings_reset (settings, "export-format");
  g_settings_reset (settings, "export-framework");
}

/* If the framework cannot run the shown strategy, copying shows the framework's own best one from
 * then on: the page shows what was copied. */
static void
test_copy_other (void)
{
  ShardwiseExportPage *page = page_for (SCENARIO (""));
  GtkWidget *overlay = adw_toast_overlay_new (), *window;

  adw_toast_overlay_set_child (ADW_TOAST_OVERLAY (overlay), GTK_WIDGET (page));
  window = ui_show (overlay, 800, 600);
  ui_await_advice (shardwise_page_get_advisor (SHARDWISE_PAGE (page)));
  shardwise_export_page_select (page, "deepspeed");
  wait_for_state (page, "ready");
  g_assert_true (shardwise_export_page_copy (page));
  ui_await_export (page);
  g_assert_true (ui_says (overlay, "Copied ds_config.json"));
  g_assert_cmpint (
      shardwise_advisor_get_selected (shardwise_page_get_advisor (SHARDWISE_PAGE (page)))
          ->strategy.framework,
      ==, SW_FRAMEWORK_DEEPSPEED);
  gtk_test_widget_wait_for_draw (window);
  ui_await_export (page);
  g_assert_false (gtk_widget_get_visible (ui_child (GTK_WIDGET (page), "other_bar")));
  gtk_window_destroy (GTK_WINDOW (window));
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

  ui_await_advice (advisor);
  shardwise_export_page_select (page, "nanotron");
  wait_for_state (page, "ready");

  selected = *shardwise_advisor_get_selected (advisor);
  sw_strategy_init_default (&selected.strategy);
  selected.strategy.framework = SW_FRAMEWORK_NANOTRON;
  selected.strategy.tp = selected.strategy.etp = 8;
  selected.strategy.pp = selected.strategy.micro_batch = 4;
  selected.strategy.zero_stage = 1;
  selected.strategy.sequence_parallel = TRUE;
  selected.strategy.recompute = SW_RECOMPUTE_FULL;
  shardwise_advisor_set_selected (advisor, &selected);
  wait_for_state (page, "working");
  wait_for_state (page, "ready");
  text = text_of (page);
  g_assert_nonnull (strstr (text, "  tp: 8\n"));
  g_assert_nonnull (strstr (text, "  pp: 4\n"));

  /* Another framework's file shows that one's best. */
  shardwise_export_page_select (page, "fsdp2");
  wait_for_state (page, "ready");
  g_assert_cmpint (shardwise_advisor_get_selected (advisor)->strategy.framework, ==,
                   SW_FRAMEWORK_FSDP2);
  assert_gone (page);
}

static void
test_remembers (void)
{
  g_autoptr (GSettings) settings = g_settings_new ("io.github.shardwise.Shardwise");
  ShardwiseExportPage *page =
      g_object_ref_sink (SHARDWISE_EXPORT_PAGE (g_object_new (SHARDWISE_TYPE_EXPORT_PAGE, NULL)));
  g_autofree char *last = NULL;

  shardwise_export_page_select (page, "fsdp2");
  last = g_settings_get_string (settings, "export-format");
  g_assert_cmpstr (last, ==, "fsdp2");
  assert_gone (page);

  page =
      g_object_ref_sink (SHARDWISE_EXPORT_PAGE (g_object_new (SHARDWISE_TYPE_EXPORT_PAGE, NULL)));
  g_assert_cmpstr (shardwise_export_page_get_format (page), ==, "fsdp2");
  assert_gone (page);
}

/* Until a format is chosen it is that of the scenario's framework; a choice stays where it can
 * express the framework, or was made for it. */
static void
test_follows (void)
{
  static const struct {
    const char *framework, *chosen, *expected;
  } cases[] = {
    { "fsdp2", "", "fsdp2" },
    { "deepspeed", "", "deepspeed" },
    { "megatron-core", "", "megatron" },
    { "fsdp2", "torchtitan", "torchtitan" },
    { "megatron-core", "torchtitan", "megatron" },
    { "megatron-core", "slurm", "slurm" },
  };
  g_autoptr (GSettings) settings = g_settings_new ("io.github.shardwise.Shardwise");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_from_json (SCENARIO (""), -1,
                                                                             &error);
      g_autoptr (ShardwiseAdvisor) advisor = NULL;
      ShardwiseExportPage *page;

      g_assert_no_error (error);
      g_settings_set_string (settings, "export-format", cases[i].chosen);
      g_settings_set_string (settings, "export-framework", "nanotron");
      page = g_object_ref_sink (
          SHARDWISE_EXPORT_PAGE (g_object_new (SHARDWISE_TYPE_EXPORT_PAGE, NULL)));
      shardwise_scenario_set (scenario, SHARDWISE_KEY_TRAINING_FRAMEWORK,
                              g_variant_new_string (cases[i].framework), &error);
      g_assert_no_error (error);
      advisor = shardwise_advisor_new (scenario);
      shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
      shardwise_advisor_evaluate (advisor);
      wait_for_state (page, "ready");
      g_assert_cmpstr (shardwise_export_page_get_format (page), ==, cases[i].expected);
      shardwise_export_page_select (page, "nanotron"); /* a choice for this framework stays */
      shardwise_page_update_now (SHARDWISE_PAGE (page));
      g_assert_cmpstr (shardwise_export_page_get_format (page), ==, "nanotron");
      assert_gone (page);
    }
  g_settings_reset (settings, "export-format");
  g_settings_reset (settings, "export-framework");
}

/* The button of the answer names what is written. */
static void
test_copy_label (void)
{
  g_autoptr (GSettings) settings = g_settings_new ("io.github.shardwise.Shardwise");
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (SCENARIO (""));
  const SwStrategy *strategy = &shardwise_advisor_get_selected (advisor)->strategy;
  GtkWidget *page = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_ADVICE_PAGE, NULL));
  ShardwiseExportPage *export = shardwise_advice_page_get_export (SHARDWISE_ADVICE_PAGE (page));
  GtkButton *copy = ui_child (page, "copy");

  g_assert_cmpint (strategy->framework, ==, SW_FRAMEWORK_MEGATRON_CORE);
  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  g_assert_cmpstr (gtk_button_get_label (copy), ==, "_Copy Megatron-LM Configuration");
  shardwise_export_page_select (export, "torchtitan");
  g_assert_cmpstr (gtk_button_get_label (copy), ==, "_Copy TorchTitan Configuration");
  ui_await_export (export);
  g_settings_reset (settings, "export-format");
  g_settings_reset (settings, "export-framework");
  g_assert_finalize_object (page);
}

static void
test_dark (void)
{
  ShardwiseExportPage *page =
      g_object_ref_sink (SHARDWISE_EXPORT_PAGE (g_object_new (SHARDWISE_TYPE_EXPORT_PAGE, NULL)));
  AdwStyleManager *manager = adw_style_manager_get_default ();
  GtkSourceBuffer *buffer = buffer_of (page);

  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_FORCE_DARK);
  g_assert_cmpstr (gtk_source_style_scheme_get_id (gtk_source_buffer_get_style_scheme (buffer)), ==,
                   "Adwaita-dark");
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_FORCE_LIGHT);
  g_assert_cmpstr (gtk_source_style_scheme_get_id (gtk_source_buffer_get_style_scheme (buffer)), ==,
                   "Adwaita");
  assert_gone (page);
}

static gboolean
is_format_button (GtkWidget *widget, gconstpointer unused)
{
  return GTK_IS_TOGGLE_BUTTON (widget) && gtk_widget_has_css_class (widget, "export-format");
}

static void
test_accessible (void)
{
  ShardwiseExportPage *page =
      g_object_ref_sink (SHARDWISE_EXPORT_PAGE (g_object_new (SHARDWISE_TYPE_EXPORT_PAGE, NULL)));
  GtkWidget *button = ui_find_match (GTK_WIDGET (page), is_format_button, NULL);
  GtkWidget *preview = ui_find (GTK_WIDGET (page), GTK_SOURCE_TYPE_VIEW);

  gtk_test_accessible_assert_property (button, GTK_ACCESSIBLE_PROPERTY_LABEL, "DeepSpeed");
  gtk_test_accessible_assert_property (preview, GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       "Preview of the file");
  gtk_test_accessible_assert_role (gtk_widget_get_parent (button), GTK_ACCESSIBLE_ROLE_GROUP);
  assert_gone (page);
}

/* Its line numbers, once drawn, hold the preview in GtkSourceView 5.6, with the text of the
 * file. */
static void
test_freed (void)
{
  ShardwiseExportPage *page = page_for (SCENARIO (""));
  GtkWidget *window, *preview;
  gpointer weak;

  wait_for_state (page, "ready");
  window = ui_show (GTK_WIDGET (page), 1400, 800);
  preview = weak = ui_find (GTK_WIDGET (page), GTK_SOURCE_TYPE_VIEW);
  g_object_add_weak_pointer (G_OBJECT (preview), &weak);
  while (!gtk_source_view_get_show_line_numbers (GTK_SOURCE_VIEW (preview)))
    g_main_context_iteration (NULL, TRUE);
  gtk_test_widget_wait_for_draw (window);
  gtk_window_destroy (GTK_WINDOW (window));
  assert_gone (page);
  g_assert_null (weak);
}

int
main (int argc, char **argv)
{
  if (!ui_init (&argc, &argv))
    return 0;
  gtk_source_init ();

  g_test_add_func ("/export-page/empty", test_empty);
  g_test_add_func ("/export-page/formats", test_formats);
  g_test_add_func ("/export-page/copy", test_copy);
  g_test_add_func ("/export-page/copy-other", test_copy_other);
  g_test_add_func ("/export-page/start", test_start);
  g_test_add_func ("/export-page/files", test_files);
  g_test_add_func ("/export-page/bundle", test_bundle);
  g_test_add_func ("/export-page/versions", test_versions);
  g_test_add_func ("/export-page/launchers", test_launchers);
  g_test_add_func ("/export-page/choose-version", test_choose_version);
  g_test_add_func ("/export-page/refused", test_refused);
  g_test_add_func ("/export-page/offered", test_offered);
  g_test_add_func ("/export-page/selected", test_selected);
  g_test_add_func ("/export-page/remembers", test_remembers);
  g_test_add_func ("/export-page/follows", test_follows);
  g_test_add_func ("/export-page/copy-label", test_copy_label);
  g_test_add_func ("/export-page/dark", test_dark);
  g_test_add_func ("/export-page/accessible", test_accessible);
  g_test_add_func ("/export-page/freed", test_freed);

  return g_test_run ();
}
