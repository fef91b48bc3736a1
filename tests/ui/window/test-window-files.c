/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <unistd.h>

#include "shardwise-advice-page.h"
#include "shardwise-ahead.h"
#include "shardwise-diagnosis-view.h"
#include "shardwise-machine.h"
#include "shardwise-metric-card.h"
#include "shardwise-start-page.h"
#include "shardwise-window-private.h"
#include "shardwise-format.h"
#include "ui-fixture.h"
#include "window-fixture.h"

static void
test_bad_text (Fixture *fixture, gconstpointer data)
{
  static const struct {
    const char *text, *says;
  } cases[] = {
    { "", "" },
    { "Hello", "" },
    { "{", "" },
    { "[]", "" },
    { "{}", "" },
    { "\xff\xfe", "" },
    { HEAD "\"cluster\": {\"gpus\": NaN}}", "" },
    { HEAD "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8, \"gpsu\": 8}}",
      "cluster.gpsu" },
    { HEAD "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 1e400}}", "" },
    { HEAD "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 0}}", "cluster.gpus" },
    { HEAD "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": \"8\"}}",
      "cluster.gpus" },
    { HEAD "\"model\": {\"parameters_b\": 1e9}, \"cluster\": {\"gpus\": 8}}",
      "model.parameters_b" },
  };
  g_autofree char *before = NULL;

  activate (fixture->window, "start", NULL);
  before = get_json (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *after = NULL;

      g_test_message ("%s", cases[i].text);
      g_assert_false (shardwise_window_open_text (fixture->window, cases[i].text, -1, "test"));
      dismiss_dialog (fixture, cases[i].says);
      after = get_json (fixture);
      g_assert_cmpstr (after, ==, before);
    }
}

/* 100 MB, a directory, no file: refused without reading it all. */
static void
test_bad_file (Fixture *fixture, gconstpointer data)
{
  g_autofree char *big_path = g_build_filename (fixture->directory, "big.shardwise", NULL);
  int descriptor = g_open (big_path, O_CREAT | O_WRONLY, 0600);
  g_autoptr (GFile) big = g_file_new_for_path (big_path),
                    directory = g_file_new_for_path (fixture->directory),
                    missing = g_file_get_child (directory, "missing.shardwise");
  GFile *files[] = { big, directory, missing };

  g_assert_cmpint (ftruncate (descriptor, 100 * 1000 * 1000), ==, 0);
  close (descriptor);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      shardwise_window_open_file (fixture->window, files[i]);
      wait_until (has_dialog ());
      dismiss_dialog (fixture, "");
      g_assert_true (shardwise_window_is_unused (fixture->window));
    }
}

/* What the program starts with is read, and answered, before there is a window. */
static void
test_ahead (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file =
      write_file (fixture, "ahead.shardwise",
                  HEAD "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 24}}");
  g_autoptr (GFile) missing = g_file_new_build_filename (fixture->directory, "missing", NULL);
  g_autoptr (ShardwiseAhead) ahead = shardwise_ahead_new (file, TRUE),
                             quiet = shardwise_ahead_new (file, FALSE),
                             bad = shardwise_ahead_new (missing, TRUE),
                             unwanted = shardwise_ahead_new (file, TRUE);
  g_autoptr (ShardwiseAdvisor) advisor = NULL, none = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseImport) import = shardwise_ahead_take (ahead, &advisor, &error),
                              other = shardwise_ahead_take (quiet, &none, &error);
  ShardwiseAdvice *advice;

  g_assert_no_error (error);
  g_assert_true (shardwise_ahead_is_of (unwanted, file));
  g_assert_false (shardwise_ahead_is_of (unwanted, missing));
  g_assert_nonnull (other);
  g_assert_null (none);
  g_assert_true (shardwise_advisor_get_scenario (advisor) == import->scenario);
  g_assert_false (shardwise_advisor_get_live (advisor));
  wait_until (shardwise_advisor_get_status (advisor) == SHARDWISE_STATUS_READY);
  advice = shardwise_advisor_get_advice (advisor);
  g_assert_cmpuint (shardwise_advice_get_problem (advice)->cluster.gpus, ==, 24);
  g_assert_cmpuint (shardwise_advice_get_rationale (advice)->len, >, 0);
  g_assert_null (shardwise_ahead_take (bad, &none, &error));
  g_assert_nonnull (error);
}

static void
test_open_and_save (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file = write_file (
      fixture, "mine.shardwise",
      HEAD
      "\"name\": \"Mine\", \"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 16}}");
  g_autofree char *text = NULL, *expected = NULL;
  ShardwiseScenario *scenario;

  shardwise_window_open_file (fixture->window, file);
  wait_until (shardwise_window_get_scenario (fixture->window) != NULL);
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (fixture->window)), ==, "Mine – Shardwise");
  activate (fixture->window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (32)));
  g_assert_true (is_enabled (fixture->window, "revert"));
  save (fixture);
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (fixture->window)), ==, "Mine – Shardwise");
  g_assert_true (g_file_load_contents (file, NULL, &text, NULL, NULL, NULL));
  expected = get_json (fixture);
  g_assert_cmpstr (text, ==, expected);

  scenario = shardwise_window_get_scenario (fixture->window);
  activate (fixture->window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (64)));
  activate (fixture->window, "revert", NULL);
  wait_until (!shardwise_scenario_get_modified (scenario));
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==,
                     32);
}

/* Each file has its window, and a file that is open already is not opened again. */
static void
test_open_two (Fixture *fixture, gconstpointer data)
{
  const char *text = HEAD "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 16}}";
  g_autoptr (GFile) first = write_file (fixture, "first.shardwise", text);
  g_autoptr (GFile) second = write_file (fixture, "second.shardwise", text);
  GFile *files[] = { first, second };

  g_application_open (G_APPLICATION (fixture->application), files, 2, "");
  wait_until (count_windows (fixture, first) == 1 && count_windows (fixture, second) == 1);
  g_assert_cmpuint (count_windows (fixture, NULL), ==, 2);
  g_application_open (G_APPLICATION (fixture->application), files, 2, "");
  g_assert_cmpuint (count_windows (fixture, NULL), ==, 2);
}

static guint
count_dialogs (void)
{
  GListModel *windows = gtk_window_get_toplevels ();
  guint n = 0;

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GObject) window = g_list_model_get_item (windows, i);

      n += ADW_IS_MESSAGE_DIALOG (window);
    }
  return n;
}

/* What the start page says below its field. */
static GtkWidget *
start_note (Fixture *fixture)
{
  GtkWidget *page = ui_find (GTK_WIDGET (fixture->window), SHARDWISE_TYPE_START_PAGE);

  return ui_child (page, "note");
}

/* JSON text that is pasted opens; other text is answered with a reason and changes nothing. */
static void
test_paste (Fixture *fixture, gconstpointer data)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (fixture->window));

  gdk_clipboard_set_text (clipboard, "not a scenario");
  activate (fixture->window, "paste", NULL);
  wait_until (ui_says (start_note (fixture), "Name a model and the GPUs"));
  g_assert_true (shardwise_window_is_unused (fixture->window));
  gdk_clipboard_set_text (clipboard, "{\"model\": ");
  activate (fixture->window, "paste", NULL);
  wait_until (ui_says (start_note (fixture), "line 1"));
  g_assert_true (shardwise_window_is_unused (fixture->window));

  gdk_clipboard_set_text (clipboard, HEAD
                          "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 24}}");
  activate (fixture->window, "paste", NULL);
  wait_until (shardwise_window_get_scenario (fixture->window) != NULL);
  g_assert_cmpfloat (shardwise_scenario_get_number (shardwise_window_get_scenario (fixture->window),
                                                    SHARDWISE_KEY_CLUSTER_GPUS, 0),
                     ==, 24);
  gdk_clipboard_set_text (clipboard, "not a scenario");
  activate (fixture->window, "paste", NULL);
  wait_until (has_dialog ());
  dismiss_dialog (fixture, "not a configuration");
}

/* A script is pasted as well; Python, too, which is parsed and never executed. */
static void
test_paste_script (Fixture *fixture, gconstpointer data)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (fixture->window));
  g_autofree char *framework = NULL;

  gdk_clipboard_set_text (clipboard, "from torch.distributed.fsdp import fully_shard\n"
                                     "mesh = init_device_mesh('cuda', (2, 8), "
                                     "mesh_dim_names=('dp_shard', 'tp'))\nfully_shard(model)\n");
  activate (fixture->window, "paste", NULL);
  wait_until (shardwise_window_get_scenario (fixture->window) != NULL);
  framework = shardwise_scenario_get_string (shardwise_window_get_scenario (fixture->window),
                                             SHARDWISE_KEY_TRAINING_FRAMEWORK);
  g_assert_cmpstr (framework, ==, "fsdp2");
  g_assert_cmpfloat (shardwise_scenario_get_number (shardwise_window_get_scenario (fixture->window),
                                                    SHARDWISE_KEY_STRATEGY_TP, 0),
                     ==, 8);
}

#define SCRIPT                                                                                     \
  "torchrun --nproc-per-node 8 p.py --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 "   \
  "--num-attention-heads 32 --group-query-attention --num-query-groups 8 --seq-length 4096 "       \
  "--max-position-embeddings 8192 --position-embedding-type rope --normalization RMSNorm "         \
  "--swiglu --disable-bias-linear --untie-embeddings-and-output-weights --vocab-size 128256 "      \
  "--tensor-model-parallel-size %u --micro-batch-size 1 --global-batch-size 64 --bf16 "            \
  "--use-distributed-optimizer\n"

static void
find_buttons (GtkWidget *widget, GPtrArray *buttons)
{
  if (GTK_IS_BUTTON (widget)
      && g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (widget)), "win.apply") == 0
      && gtk_widget_get_mapped (widget))
    g_ptr_array_add (buttons, widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    find_buttons (child, buttons);
}

static guint
count_buttons (Fixture *fixture)
{
  GtkWidget *view = ui_find (GTK_WIDGET (fixture->window), SHARDWISE_TYPE_DIAGNOSIS_VIEW);
  g_autoptr (GPtrArray) buttons = g_ptr_array_new ();

  if (view != NULL && gtk_widget_get_mapped (view))
    find_buttons (view, buttons);
  return buttons->len;
}

/* What a run ended with is said of the job that is open; a way out that is applied ends the others. */
static void
test_paste_error (Fixture *fixture, gconstpointer data)
{
  static const char error[] =
      "    loss.backward()\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 "
      "GiB. GPU 0 has a total capacity of 23.65 GiB of which 512.00 MiB is free. Of the allocated "
      "memory 20.82 GiB is allocated by PyTorch, and 312.00 MiB is reserved by PyTorch but "
      "unallocated.";
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (fixture->window));
  g_autofree char *type = NULL;

  gdk_clipboard_set_text (clipboard, error);
  activate (fixture->window, "paste", NULL);
  wait_until (ui_says (start_note (fixture), "Which job failed?"));
  g_assert_true (shardwise_window_is_unused (fixture->window));

  g_assert_true (shardwise_window_open_text (
      fixture->window,
      HEAD
      "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"rtx-4090\", \"gpus\": "
      "1}, \"training\": {\"type\": \"lora\", \"sequence_length\": 4096}}",
      -1, "job"));
  gtk_window_present (GTK_WINDOW (fixture->window));
  wait_until (has_status (fixture->window, "ready")
              && gtk_widget_get_mapped (GTK_WIDGET (fixture->window)));
  gdk_clipboard_set_text (clipboard, error);
  activate (fixture->window, "paste", NULL);
  wait_until (count_buttons (fixture) > 0);
  g_assert_true (
      ui_says (ui_find (GTK_WIDGET (fixture->window), SHARDWISE_TYPE_DIAGNOSIS_VIEW), "backward"));
  activate (fixture->window, "apply", g_variant_new_parsed ("{'training.type': <'qlora'>}"));
  wait_until (count_buttons (fixture) == 0);
  type = shardwise_scenario_get_string (shardwise_window_get_scenario (fixture->window),
                                        SHARDWISE_KEY_TRAINING_TYPE);
  g_assert_cmpstr (type, ==, "qlora");
  g_assert_true (
      ui_says (ui_find (GTK_WIDGET (fixture->window), SHARDWISE_TYPE_DIAGNOSIS_VIEW), "backward"));
}

static gboolean
has_title (GtkWidget *widget, gconstpointer part)
{
  g_autofree char *unbroken = shardwise_format_unbroken (part);

  return ADW_IS_PREFERENCES_ROW (widget)
         && strstr (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (widget)), unbroken) != NULL;
}

static gboolean
has_row (Fixture *fixture, const char *part)
{
  GtkWidget *view = ui_find (GTK_WIDGET (fixture->window), SHARDWISE_TYPE_DIAGNOSIS_VIEW);

  return view != NULL && ui_find_match (view, has_title, part) != NULL;
}

static gboolean
is_breakable (GtkWidget *widget, gconstpointer data)
{
  const char *title = ADW_IS_ACTION_ROW (widget)
                          ? adw_preferences_row_get_title (ADW_PREFERENCES_ROW (widget))
                          : "";
  g_autofree char *unbroken = shardwise_format_unbroken (title);

  return !g_str_equal (unbroken, title);
}

/* A launch script opens as a new scenario that was never saved, with its diagnosis; Apply changes
 * it. */
static void
test_open_job (Fixture *fixture, gconstpointer data)
{
  g_autofree char *script = g_strdup_printf (SCRIPT, 8u);
  g_autoptr (GFile) file = write_file (fixture, "train.sh", script);
  g_autoptr (GPtrArray) buttons = g_ptr_array_new ();
  g_autoptr (GSettings) settings = g_settings_new ("io.github.shardwise.Shardwise");
  ShardwiseScenario *scenario;
  GtkWidget *view;
  g_autofree char *preset = NULL, *format = NULL;

  g_settings_set_string (settings, "export-format", "deepspeed");
  gtk_window_present (GTK_WINDOW (fixture->window));
  shardwise_window_open_file (fixture->window, file);
  wait_until (shardwise_window_get_scenario (fixture->window) != NULL);
  format = g_settings_get_string (settings, "export-format");
  g_assert_cmpstr (format, ==, "megatron"); /* to be exported as what it was */
  scenario = shardwise_window_get_scenario (fixture->window);
  preset = shardwise_scenario_get_string (scenario, SHARDWISE_KEY_MODEL_PRESET);
  g_assert_cmpstr (preset, ==, "llama-3-8b");
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, SHARDWISE_KEY_STRATEGY_TP, 0), ==, 8);
  g_assert_true (shardwise_scenario_get_modified (scenario));
  g_assert_false (is_enabled (fixture->window, "revert"));
  g_assert_false (is_enabled (fixture->window, "undo")); /* to what was never the job */
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (fixture->window)), ==,
                   "• train.sh – Shardwise");
  wait_until (count_buttons (fixture) > 0);
  view = ui_find (GTK_WIDGET (fixture->window), SHARDWISE_TYPE_DIAGNOSIS_VIEW);
  g_assert_null (ui_find_match (view, is_breakable, NULL)); /* a number stays with its unit */
  find_buttons (view, buttons);
  /* Not gtk_widget_activate(): it clicks a quarter of a second later, when an answer that came
   * meanwhile may have moved the view. */
  g_signal_emit_by_name (buttons->pdata[0], "clicked");
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, SHARDWISE_KEY_STRATEGY_TP, 0), !=, 8);
  activate (fixture->window, "undo", NULL);
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, SHARDWISE_KEY_STRATEGY_TP, 0), ==, 8);
}

/* A job whose degrees contradict each other opens, too: its diagnosis is what helps. */
static void
test_open_broken_job (Fixture *fixture, gconstpointer data)
{
  g_autofree char *script = g_strdup_printf (SCRIPT, 16u);

  gtk_window_present (GTK_WINDOW (fixture->window));
  g_assert_true (shardwise_window_open_text (fixture->window, script, -1, "test"));
  wait_until (count_buttons (fixture) > 0);
  g_assert_true (has_row (fixture, "multiple of TP × PP × CP = 16"));
  activate (fixture->window, "apply", one_change ("strategy.tp", g_variant_new_int32 (4)));
  wait_until (!has_row (fixture, "multiple of TP × PP × CP = 16") && count_buttons (fixture) > 0);
  g_assert_true (has_row (fixture, "CUDA_DEVICE_MAX_CONNECTIONS")); /* which the file still lacks */
}

/* config.json keeps the cluster at hand. */
static void
test_open_model (Fixture *fixture, gconstpointer data)
{
  ShardwiseScenario *scenario;
  g_autofree char *preset = NULL;

  g_assert_true (shardwise_window_open_text (
      fixture->window, HEAD "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 48}}",
      -1, "test"));
  g_assert_true (shardwise_window_open_text (
      fixture->window,
      "{\"model_type\": \"mixtral\", \"max_position_embeddings\": 32768, \"sliding_window\": null}",
      -1, "test"));
  scenario = shardwise_window_get_scenario (fixture->window);
  preset = shardwise_scenario_get_string (scenario, SHARDWISE_KEY_MODEL_PRESET);
  g_assert_cmpstr (preset, ==, "mixtral-8x7b");
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==,
                     48);
}

/* The default of a cluster that no file specifies is reported until the user chooses another
 * one. */
static void
test_assumed_cluster (Fixture *fixture, gconstpointer data)
{
  static const char model[] = "{\"model_type\": \"mixtral\", \"sliding_window\": null}";
  GSettings *settings = shardwise_application_get_settings (fixture->application);
  ShardwiseScenario *scenario;

  gtk_window_present (GTK_WINDOW (fixture->window));
  g_assert_true (shardwise_window_open_text (fixture->window, model, -1, "test"));
  wait_until (has_row (fixture, "8 GPUs until you choose"));
  activate (fixture->window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (32)));
  wait_until (!has_row (fixture, "8 GPUs until you choose"));
  activate (fixture->window, "undo", NULL);
  wait_until (has_row (fixture, "8 GPUs until you choose"));

  g_settings_set_value (settings, "default-cluster",
                        one_change ("cluster.gpus", g_variant_new_int32 (64)));
  gtk_window_destroy (GTK_WINDOW (fixture->window));
  g_object_unref (fixture->window);
  fixture->window =
      g_object_ref (shardwise_window_new (GTK_APPLICATION (fixture->application), settings));
  g_assert_true (shardwise_window_open_text (fixture->window, model, -1, "test"));
  g_settings_reset (settings, "default-cluster");
  scenario = shardwise_window_get_scenario (fixture->window);
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==,
                     64);
  wait_until (!has_row (fixture, "until you"));
}

/* Bad files are told of in the window that is there, and leave no empty ones. */
static void
test_open_bad_ones (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) first = write_file (fixture, "a.shardwise", "{"),
                    second = write_file (fixture, "b.yaml", "a: [1"),
                    third = write_file (fixture, "c.shardwise",
                                        HEAD "\"model\": {\"preset\": \"llama-3-8b\"}, "
                                             "\"cluster\": {\"gpus\": 8}}");
  GFile *files[] = { first, second, third };
  guint n_dialogs = 0;

  g_application_open (G_APPLICATION (fixture->application), files, 3, "");
  wait_until (count_windows (fixture, third) == 1 && count_dialogs () == 2);
  n_dialogs = count_dialogs ();
  g_assert_cmpuint (n_dialogs, ==, 2);
  g_assert_cmpuint (count_windows (fixture, NULL), ==, 1);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (fixture->window)));
}

/* A figure that changes fades. */
static void
assert_figures_there (GtkWidget *widget)
{
  if (gtk_widget_get_ancestor (widget, SHARDWISE_TYPE_METRIC_CARD) != NULL)
    g_assert_cmpfloat (gtk_widget_get_opacity (widget), ==, 1);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    assert_figures_there (child);
}

/* A window stands there at once, without offering to begin something else than its file, and its first
 * figures come whole. */
static void
test_appear (Fixture *fixture, gconstpointer data)
{
  GtkWidget *window = GTK_WIDGET (fixture->window);
  g_autoptr (GFile) file =
      write_file (fixture, "appears.shardwise",
                  HEAD "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8}}");

  g_application_open (G_APPLICATION (fixture->application), &file, 1, "");
  g_assert_true (gtk_widget_get_visible (window));
  g_assert_cmpstr (gtk_stack_get_visible_child_name (GTK_STACK (ui_child (window, "main_stack"))),
                   ==, "blank");
  wait_until (has_status (fixture->window, "ready") && gtk_widget_get_mapped (window));
  assert_figures_there (ui_find (window, SHARDWISE_TYPE_ADVICE_PAGE));
}

static void
drop_files (ShardwiseWindow *window, GSList *list)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (window));
  g_auto (GValue) value = G_VALUE_INIT;
  gboolean taken = FALSE;

  g_value_init (&value, GDK_TYPE_FILE_LIST);
  g_value_take_boxed (&value, gdk_file_list_new_from_list (list));
  for (guint i = 0; !taken && i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GObject) target = g_list_model_get_item (controllers, i);

      if (GTK_IS_DROP_TARGET (target)
          && gdk_content_formats_contain_gtype (
              gtk_drop_target_get_formats (GTK_DROP_TARGET (target)), GDK_TYPE_FILE_LIST))
        g_signal_emit_by_name (target, "drop", &value, 0.0, 0.0, &taken);
    }
  g_assert_true (taken);
}

/* Files that are dropped together all open, also where the first takes longest to be read. */
static void
test_drop (Fixture *fixture, gconstpointer data)
{
  static const char json[] = HEAD
      "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8}}";
  g_autofree char *padding = g_strnfill (12 << 20, ' '), *text = g_strconcat (json, padding, NULL);
  g_autoptr (GFile) slow = write_file (fixture, "slow.shardwise", text),
                    quick = write_file (fixture, "quick.shardwise", json);
  g_autoptr (GSList) list = g_slist_append (g_slist_append (NULL, slow), quick);

  gtk_window_present (GTK_WINDOW (fixture->window));
  drop_files (fixture->window, list);
  wait_until (count_windows (fixture, slow) == 1);
  wait_until (count_windows (fixture, quick) == 1);
  g_assert_cmpuint (count_windows (fixture, NULL), ==, 2);
}

/* The files of one job that are dropped together are one document, which asks for what none of them
 * says: the model. */
static void
test_drop_job (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) launcher = write_file (fixture, "train.sh",
                                           "torchrun --nproc_per_node 8 train.py --deepspeed "
                                           "ds.json --per_device_train_batch_size 2\n"),
                    config = write_file (fixture, "ds.json",
                                         "{\"train_micro_batch_size_per_gpu\": \"auto\", "
                                         "\"bf16\": {\"enabled\": true}, "
                                         "\"zero_optimization\": {\"stage\": 3}}");
  g_autoptr (GSList) list = g_slist_append (g_slist_append (NULL, launcher), config);
  ShardwiseScenario *scenario;

  gtk_window_present (GTK_WINDOW (fixture->window));
  drop_files (fixture->window, list);
  wait_until (shardwise_window_get_scenario (fixture->window) != NULL);
  g_assert_cmpuint (count_windows (fixture, NULL), ==, 1);
  scenario = shardwise_window_get_scenario (fixture->window);
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, SHARDWISE_KEY_STRATEGY_ZERO_STAGE, 0),
                     ==, 3);
  g_assert_cmpfloat (
      shardwise_scenario_get_number (scenario, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE, 0), ==, 2);
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==,
                     8);

  wait_until (has_status (fixture->window, "error"));
  wait_until (ui_says (fixture->window, "Which Model?"));
  /* The page says it itself; above the others the bar does. */
  g_assert_false (gtk_revealer_get_reveal_child (fixture->window->error_revealer));
  activate (fixture->window, "page", g_variant_new_string ("scale"));
  g_assert_true (gtk_revealer_get_reveal_child (fixture->window->error_revealer));
  activate (fixture->window, "page", g_variant_new_string ("advice"));
  activate (fixture->window, "apply",
            one_change ("model.preset", g_variant_new_string ("llama-3-8b")));
  wait_until (has_status (fixture->window, "ready"));
}

/* A window with unsaved edits asks; Cancel keeps it, Save saves and closes it. */
static void
test_close (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GFile) file =
      write_file (fixture, "closing.shardwise",
                  HEAD "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 16}}");
  g_autofree char *text = NULL;

  shardwise_window_open_file (fixture->window, file);
  wait_until (shardwise_window_get_scenario (fixture->window) != NULL);
  gtk_window_present (GTK_WINDOW (fixture->window));
  activate (fixture->window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (40)));
  gtk_window_close (GTK_WINDOW (fixture->window));
  g_assert_nonnull (find_dialog ());
  answer ("cancel");
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (fixture->window)));

  gtk_window_close (GTK_WINDOW (fixture->window));
  answer ("save");
  wait_until (gtk_window_get_application (GTK_WINDOW (fixture->window)) == NULL);
  g_assert_true (g_file_load_contents (file, NULL, &text, NULL, NULL, NULL));
  g_assert_nonnull (strstr (text, "40"));
}

/* What a probe measured is an edit of the scenario that is open, and can be undone. */
static void
test_probe (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "probe", "h100-80-sxm.json",
                                                 NULL),
                  *text = NULL, *before = NULL, *measured = NULL, *after = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_true (shardwise_window_open_text (
      fixture->window,
      "{\"model\": {\"preset\": \"llama-3-70b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", "
      "\"gpus\": 8, \"gpus_per_node\": 8}}",
      -1, "job"));
  before = get_json (fixture);
  g_assert_true (shardwise_window_open_text (fixture->window, text, -1, "probe"));
  measured = get_json (fixture);
  g_assert_nonnull (strstr (measured, "llama-3-70b"));
  g_assert_nonnull (strstr (measured, "gemm_tflops"));
  shardwise_scenario_undo (shardwise_window_get_scenario (fixture->window));
  after = get_json (fixture);
  g_assert_cmpstr (before, ==, after);
}

static guint
count_kept (void)
{
  g_autoptr (GPtrArray) clusters = shardwise_clusters_list ();

  return clusters->len;
}

static gboolean
holds (Fixture *fixture, const char *text)
{
  g_autofree char *json = get_json (fixture);

  return strstr (json, text) != NULL;
}

/* However a probe comes: it is an edit, and its cluster is kept to be chosen again; a layer is no
 * cluster. */
static void
test_probe_ways (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "probe", "h100-80-sxm.json",
                                                 NULL),
                  *layer_path = g_test_build_filename (G_TEST_DIST, "fuzz", "corpus",
                                                       "import-probe", "step.json", NULL),
                  *text = NULL, *layer = NULL;
  guint before;
  g_autoptr (GPtrArray) clusters = NULL;
  g_autoptr (GFile) file = NULL;
  g_autoptr (GSList) list = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_true (g_file_get_contents (layer_path, &layer, NULL, NULL));
  file = write_file (fixture, "shardwise-probe.json", text);
  list = g_slist_append (NULL, file);
  gtk_window_present (GTK_WINDOW (fixture->window));
  g_assert_true (shardwise_window_open_text (
      fixture->window,
      "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", "
      "\"gpus\": 8, \"gpus_per_node\": 8}}",
      -1, "job"));
  before = count_kept (); /* of other tests */
  g_assert_true (shardwise_window_open_text (fixture->window, layer, -1, "layer"));
  g_assert_true (holds (fixture, "recompute_operators"));

  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (fixture->window)), text);
  activate (fixture->window, "paste", NULL);
  wait_until (holds (fixture, "gemm_tflops"));
  g_assert_true (holds (fixture, "recompute_operators")); /* the layer is still there */
  shardwise_scenario_undo (shardwise_window_get_scenario (fixture->window));
  g_assert_false (holds (fixture, "gemm_tflops"));

  drop_files (fixture->window, list);
  wait_until (holds (fixture, "gemm_tflops"));
  g_assert_cmpuint (count_windows (fixture, NULL), ==, 1);
  wait_until (count_kept () == 1);
  g_assert_cmpuint (before, <=, 1);
  clusters = shardwise_clusters_list ();
  g_assert_nonnull (
      strstr (((ShardwiseKeptCluster *) clusters->pdata[0])->name, "H100 SXM5 80 GB, measured"));
}

int
main (int argc, char *argv[])
{
  if (!init_window_test (&argc, &argv))
    return 0;

  ADD ("/window-files/bad-text", test_bad_text);
  ADD ("/window-files/bad-file", test_bad_file);
  ADD ("/window-files/ahead", test_ahead);
  ADD ("/window-files/open-and-save", test_open_and_save);
  ADD ("/window-files/open-two", test_open_two);
  ADD ("/window-files/open-job", test_open_job);
  ADD ("/window-files/open-broken-job", test_open_broken_job);
  ADD ("/window-files/open-model", test_open_model);
  ADD ("/window-files/assumed-cluster", test_assumed_cluster);
  ADD ("/window-files/open-bad-ones", test_open_bad_ones);
  ADD ("/window-files/appear", test_appear);
  ADD ("/window-files/paste", test_paste);
  ADD ("/window-files/paste-script", test_paste_script);
  ADD ("/window-files/paste-error", test_paste_error);
  ADD ("/window-files/probe", test_probe);
  ADD ("/window-files/probe-ways", test_probe_ways);
  ADD ("/window-files/drop", test_drop);
  ADD ("/window-files/drop-job", test_drop_job);
  ADD ("/window-files/close", test_close);
  return g_test_run ();
}
