/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The field with which everything begins, and its like in the header bar. */
#include "shardwise-start-page.h"

#include "shardwise-ask-panel.h"
#include "shardwise-alternatives-page.h"
#include "shardwise-diagnosis-view.h"
#include "shardwise-window-files.h"
#include "ui-fixture.h"
#include "window-fixture.h"

#define OUT_OF_MEMORY                                                                              \
  "Traceback (most recent call last):\n  File \"train.py\", line 9, in <module>\n"                 \
  "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 3 has a total "     \
  "capacity of 39.39 GiB of which 512.00 MiB is free.\n"

static GtkWidget *
get_start (Fixture *fixture)
{
  return ui_find (GTK_WIDGET (fixture->window), SHARDWISE_TYPE_START_PAGE);
}

static void
show (Fixture *fixture)
{
  gtk_window_present (GTK_WINDOW (fixture->window));
  wait_until (gtk_widget_get_mapped (get_start (fixture)));
}

static void
type_text (Fixture *fixture, const char *text)
{
  GtkTextView *view = ui_child (get_start (fixture), "text");

  gtk_text_buffer_set_text (gtk_text_view_get_buffer (view), text, -1);
}

static gboolean
press (Fixture *fixture, guint key, GdkModifierType state)
{
  g_autoptr (GListModel) controllers =
      gtk_widget_observe_controllers (ui_child (get_start (fixture), "text"));
  gboolean handled = FALSE;

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_KEY (controller)
          && gtk_event_controller_get_propagation_phase (controller) == GTK_PHASE_CAPTURE)
        g_signal_emit_by_name (controller, "key-pressed", key, 0, state, &handled);
    }
  return handled;
}

/* With Shift it begins a line. */
static void
enter (Fixture *fixture)
{
  g_assert_false (press (fixture, GDK_KEY_Return, GDK_SHIFT_MASK));
  g_assert_true (press (fixture, GDK_KEY_Return, 0));
}

static guint
count_chips (Fixture *fixture)
{
  guint n = 0;

  for (GtkWidget *chip = gtk_widget_get_first_child (ui_child (get_start (fixture), "chips"));
       chip != NULL; chip = gtk_widget_get_next_sibling (chip))
    n++;
  return n;
}

static double
get_number (Fixture *fixture, ShardwiseKeyId id)
{
  return shardwise_scenario_get_number (shardwise_window_get_scenario (fixture->window), id, -1);
}

/* The field has the focus; what is understood stands below it while it is typed, and nothing else
 * moves. */
static void
test_chips (Fixture *fixture, gconstpointer data)
{
  GtkWidget *lists, *view;
  double before, after;

  show (fixture);
  view = ui_child (get_start (fixture), "text");
  lists = ui_child (get_start (fixture), "lists");
  g_assert_true (gtk_window_get_focus (GTK_WINDOW (fixture->window)) == view);
  g_assert_cmpuint (count_chips (fixture), ==, 0);
  ui_run_for (100);
  gtk_widget_translate_coordinates (lists, get_start (fixture), 0, 0, NULL, &before);
  type_text (fixture, "70B on 64 H100, 8k");
  wait_until (count_chips (fixture) == 3);
  g_assert_true (ui_says (ui_child (get_start (fixture), "chips"), "64 × H100"));
  ui_run_for (100);
  gtk_widget_translate_coordinates (lists, get_start (fixture), 0, 0, NULL, &after);
  g_assert_cmpfloat (after, ==, before);
  type_text (fixture, "");
  wait_until (count_chips (fixture) == 0);
}

/* Enter right after the last letter opens what was typed, not what was understood before. */
static void
test_enter (Fixture *fixture, gconstpointer data)
{
  show (fixture);
  type_text (fixture, "8B on 8 A100");
  wait_until (count_chips (fixture) > 0);
  type_text (fixture, "70B on 64 H100, 8k");
  enter (fixture);
  wait_until (has_status (fixture->window, "ready"));
  g_assert_cmpfloat (get_number (fixture, SHARDWISE_KEY_MODEL_PARAMETERS_B), ==, 70);
  g_assert_cmpfloat (get_number (fixture, SHARDWISE_KEY_CLUSTER_GPUS), ==, 64);
  g_assert_cmpfloat (get_number (fixture, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH), ==, 8192);
  g_assert_true (shardwise_scenario_get_modified (shardwise_window_get_scenario (fixture->window)));
}

/* Words that name no job are answered with what is missing, and nothing opens. */
static void
test_lacks (Fixture *fixture, gconstpointer data)
{
  GtkWidget *note;

  show (fixture);
  note = ui_child (get_start (fixture), "note");
  type_text (fixture, "hello");
  enter (fixture);
  wait_until (ui_says (note, "Name a model and the GPUs"));
  wait_until (gtk_widget_has_css_class (note, "error"));
  type_text (fixture, "64 H100");
  wait_until (ui_says (note, "Which model?"));
  g_assert_false (gtk_widget_has_css_class (note, "error"));
  type_text (fixture, OUT_OF_MEMORY);
  enter (fixture);
  wait_until (ui_says (note, "Which job failed?"));
  g_assert_true (shardwise_window_is_unused (fixture->window));
  g_assert_false (has_dialog ());
}

/* What was understood goes on by hand. */
static void
test_by_hand (Fixture *fixture, gconstpointer data)
{
  show (fixture);
  type_text (fixture, "8B on 32 A100");
  wait_until (count_chips (fixture) == 2);
  activate (fixture->window, "start", NULL);
  g_assert_cmpfloat (get_number (fixture, SHARDWISE_KEY_CLUSTER_GPUS), ==, 32);
}

/* Every kind of text. */
static void
test_files (Fixture *fixture, gconstpointer data)
{
  static const char *const texts[] = {
    "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 24}}",
    "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nnum_processes: 24\n",
    "torchrun --nproc_per_node 8 --nnodes 3 pretrain_gpt.py --num-layers 32 --hidden-size 4096 "
    "--num-attention-heads 32 --tensor-model-parallel-size 2 --seq-length 4096 "
    "--max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 60\n",
  };
  const char *text = texts[GPOINTER_TO_INT (data)];

  show (fixture);
  type_text (fixture, text);
  enter (fixture);
  wait_until (shardwise_window_get_scenario (fixture->window) != NULL);
  g_assert_cmpfloat (get_number (fixture, SHARDWISE_KEY_CLUSTER_GPUS), ==, 24);
}

/* What a run ended with, as a file without its job: the field has it, and asks for the job. */
static void
test_failure_file (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->directory, "error.log", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  show (fixture);
  g_assert_true (g_file_set_contents (path, OUT_OF_MEMORY, -1, NULL));
  shardwise_window_open_file (fixture->window, file);
  wait_until (ui_says (ui_child (get_start (fixture), "note"), "Which job failed?"));
  g_assert_true (shardwise_window_is_unused (fixture->window));
}

static gboolean
is_way (GtkWidget *widget, gconstpointer data)
{
  return GTK_IS_BUTTON (widget) && gtk_widget_get_mapped (widget)
         && g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (widget)), "win.apply") == 0;
}

/* A job that ran out of memory: its ways out, checkpointing first; one click applies it. */
static void
test_out_of_memory (Fixture *fixture, gconstpointer data)
{
  GtkWidget *view, *way;
  g_autofree char *recompute = NULL;

  show (fixture);
  type_text (fixture, data);
  enter (fixture);
  wait_until (has_status (fixture->window, "ready"));
  view = ui_find (GTK_WIDGET (fixture->window), SHARDWISE_TYPE_DIAGNOSIS_VIEW);
  wait_until (ui_find_match (view, is_way, NULL) != NULL);
  way = ui_find_match (view, is_way, NULL);
  g_signal_emit_by_name (way, "clicked");
  recompute = shardwise_scenario_get_string (shardwise_window_get_scenario (fixture->window),
                                             SHARDWISE_KEY_STRATEGY_RECOMPUTE);
  g_assert_cmpstr (recompute, ==, "full");
}

/* Several GPUs stand side by side at once. */
static void
test_compare (Fixture *fixture, gconstpointer data)
{
  ShardwiseAlternativesPage *page;
  ShardwiseComparison *comparison;

  show (fixture);
  type_text (fixture, "A100, H100 or H200 for Llama 3 8B on 16 GPUs, 1 T tokens");
  enter (fixture);
  wait_until (ui_find (GTK_WIDGET (fixture->window), SHARDWISE_TYPE_ALTERNATIVES_PAGE) != NULL);
  page = SHARDWISE_ALTERNATIVES_PAGE (
      ui_find (GTK_WIDGET (fixture->window), SHARDWISE_TYPE_ALTERNATIVES_PAGE));
  comparison = shardwise_alternatives_page_get_comparison (page);
  wait_until (shardwise_comparison_get_n (comparison) == 3);
  g_assert_cmpfloat (get_number (fixture, SHARDWISE_KEY_CLUSTER_GPUS), ==, 16);
  for (guint i = 0; i < 3; i++)
    g_assert_true (shardwise_comparison_has_figures (comparison, i));
}

/* What the words ask beside the job is answered in the panel. */
static void
test_asks (Fixture *fixture, gconstpointer data)
{
  GtkWidget *panel;

  show (fixture);
  panel = ui_find (GTK_WIDGET (fixture->window), SHARDWISE_TYPE_ASK_PANEL);
  type_text (fixture, "Why is 8B on 32 A100 so slow?");
  enter (fixture);
  wait_until (shardwise_window_get_scenario (fixture->window) != NULL
              && gtk_widget_get_mapped (panel));
  g_assert_true (ui_says (panel, "so slow?"));
}

/* Ctrl+K moves the focus to the field of the header bar if there is room for it, and else to that
 * of the panel; on the start page to its own field. */
static void
test_field (Fixture *fixture, gconstpointer data)
{
  const int width = GPOINTER_TO_INT (data);
  GtkWidget *field, *panel, *entry, *focus;

  gtk_window_set_default_size (GTK_WINDOW (fixture->window), width, 700);
  show (fixture);
  activate (fixture->window, "ask", NULL);
  g_assert_true (gtk_window_get_focus (GTK_WINDOW (fixture->window))
                 == ui_child (get_start (fixture), "text"));
  type_text (fixture, "8B on 8 H100");
  enter (fixture);
  wait_until (has_status (fixture->window, "ready"));
  field = ui_child (GTK_WIDGET (fixture->window), "ask_field");
  panel = ui_find (GTK_WIDGET (fixture->window), SHARDWISE_TYPE_ASK_PANEL);
  activate (fixture->window, "ask", NULL);
  entry = width >= 1180 ? field : ui_child (panel, "entry");
  wait_until (gtk_widget_get_mapped (entry));
  g_assert_cmpint (gtk_widget_get_mapped (field), ==, width >= 1180);
  focus = gtk_window_get_focus (GTK_WINDOW (fixture->window));
  g_assert_true (gtk_widget_is_ancestor (focus, entry));
  gtk_editable_set_text (GTK_EDITABLE (entry), "What if I use 16 GPUs?");
  g_signal_emit_by_name (entry, "activate");
  wait_until (gtk_widget_get_mapped (panel) && ui_says (panel, "Understood:"));
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, "");
}

static gboolean
shows_cursor (GtkTextView *text)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (text);
  GdkRectangle cursor, seen;
  GtkTextIter at;

  gtk_text_buffer_get_iter_at_mark (buffer, &at, gtk_text_buffer_get_insert (buffer));
  gtk_text_view_get_iter_location (text, &at, &cursor);
  gtk_text_view_get_visible_rect (text, &seen);
  return seen.y > 0 && cursor.y >= seen.y && cursor.y + cursor.height <= seen.y + seen.height;
}

/* The field scrolls to the end of a text that is pasted into it, whose lines are measured later. */
static void
test_paste_scrolls (Fixture *fixture, gconstpointer data)
{
  GtkTextView *text = ui_child (get_start (fixture), "text");
  GString *lines = g_string_new ("{\n");

  show (fixture);
  for (guint i = 0; i < 200; i++)
    g_string_append_printf (lines, "  \"key_%u\": \"%s\",\n", i,
                            i % 3 == 0 ? "a value that is longer than a line of the field, which "
                                         "wraps it, so that its height is not known at first"
                                       : "short");
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (text)), lines->str);
  g_string_free (lines, TRUE);
  for (guint i = 0; i < 3; i++)
    {
      gtk_text_buffer_set_text (gtk_text_view_get_buffer (text), "", 0);
      ui_run_for (100);
      g_signal_emit_by_name (text, "paste-clipboard");
      wait_until (shows_cursor (text));
    }
}

/* As a key does that is handled while a frame begins. */
static gboolean
insert_line_cb (GtkWidget *text, GdkFrameClock *clock, gpointer data)
{
  guint *left = data;
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (text));

  gtk_text_buffer_insert_at_cursor (buffer, "\n", 1);
  gtk_text_view_scroll_mark_onscreen (GTK_TEXT_VIEW (text), gtk_text_buffer_get_insert (buffer));
  return --*left > 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

/* Lines that come while a frame is made are measured before it is drawn, or GTK warns. */
static void
test_lines_come (Fixture *fixture, gconstpointer data)
{
  GtkWidget *text = ui_child (get_start (fixture), "text");
  guint left = 30;

  show (fixture);
  gtk_widget_add_tick_callback (text, insert_line_cb, &left, NULL);
  wait_until (left == 0);
  ui_run_for (100); /* until the last one is drawn */
}

/* A job that is pasted where questions are typed opens, in the header bar and in the panel. */
static void
test_field_paste (Fixture *fixture, gconstpointer data)
{
  GtkEditable *field;
  GtkWidget *text;

  gtk_window_set_default_size (GTK_WINDOW (fixture->window), GPOINTER_TO_INT (data), 700);
  show (fixture);
  activate (fixture->window, "start", NULL);
  wait_until (has_status (fixture->window, "ready"));
  activate (fixture->window, "ask", NULL);
  wait_until (GTK_IS_TEXT (gtk_window_get_focus (GTK_WINDOW (fixture->window))));
  text = gtk_window_get_focus (GTK_WINDOW (fixture->window));
  field = GTK_EDITABLE (text);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (text), "two\nlines");
  g_signal_emit_by_name (text, "paste-clipboard");
  wait_until (g_str_equal (gtk_editable_get_text (field), "two lines"));
  gdk_clipboard_set_text (
      gtk_widget_get_clipboard (text),
      "{\n\"model\": {\"preset\": \"llama-3-8b\"},\n\"cluster\": {\"gpus\": 48}}");
  g_signal_emit_by_name (text, "paste-clipboard");
  wait_until (get_number (fixture, SHARDWISE_KEY_CLUSTER_GPUS) == 48);
}

/* Where the inputs are folded away the name, that it is edited, and undo stay in sight. */
static void
test_folded (Fixture *fixture, gconstpointer data)
{
  GtkWidget *name, *edited;

  gtk_window_set_default_size (GTK_WINDOW (fixture->window), 360, 640);
  show (fixture);
  type_text (fixture, "8B on 8 H100");
  enter (fixture);
  wait_until (has_status (fixture->window, "ready"));
  name = ui_child (GTK_WIDGET (fixture->window), "document_name");
  edited = ui_child (GTK_WIDGET (fixture->window), "document_edited");
  wait_until (gtk_widget_get_mapped (name));
  g_assert_cmpstr (gtk_label_get_label (GTK_LABEL (name)), ==, "New Scenario");
  g_assert_cmpstr (gtk_label_get_label (GTK_LABEL (edited)), ==, "Edited");
}

static void
test_pictures (Fixture *fixture, gconstpointer data)
{
  const int width = GPOINTER_TO_INT (data);
  g_autofree char *name = g_strdup_printf ("start-page-%d", width);

  gtk_window_set_default_size (GTK_WINDOW (fixture->window), width, 760);
  show (fixture);
  type_text (fixture, "LoRA of Llama 3 70B on two 48 GB cards, 4k context");
  wait_until (count_chips (fixture) == 4);
  ui_run_for (100);
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (fixture->window)), <=, width);
  cairo_surface_destroy (ui_picture (GTK_WIDGET (fixture->window), name));
}

int
main (int argc, char *argv[])
{
  static const int widths[] = { 360, 1000, 1600 };

  if (!init_window_test (&argc, &argv))
    return 0;

  ADD ("/start-page/chips", test_chips);
  ADD ("/start-page/enter", test_enter);
  ADD ("/start-page/lacks", test_lacks);
  ADD ("/start-page/by-hand", test_by_hand);
  ADD ("/start-page/failure-file", test_failure_file);
  for (int i = 0; i < 3; i++)
    {
      g_autofree char *file = g_strdup_printf ("/start-page/file/%d", i);
      g_autofree char *field = g_strdup_printf ("/start-page/field/%d", widths[i]);
      g_autofree char *picture = g_strdup_printf ("/start-page/picture/%d", widths[i]);

      g_test_add (file, Fixture, GINT_TO_POINTER (i), set_up, test_files, tear_down);
      g_test_add (field, Fixture, GINT_TO_POINTER (widths[i]), set_up, test_field, tear_down);
      g_test_add (picture, Fixture, GINT_TO_POINTER (widths[i]), set_up, test_pictures, tear_down);
    }
  g_test_add ("/start-page/out-of-memory/words", Fixture,
              "My FSDP fine-tuning of 8B on 4 × A100-40 is out of memory", set_up,
              test_out_of_memory, tear_down);
  g_test_add ("/start-page/out-of-memory/traceback", Fixture,
              "FSDP fine-tuning of 8B on 4 × A100-40\n" OUT_OF_MEMORY, set_up, test_out_of_memory,
              tear_down);
  g_test_add ("/start-page/out-of-memory/command", Fixture,
              "$ torchrun --nproc_per_node 4 train.py --model_name_or_path meta-llama/Llama-3.1-8B "
              "--per_device_train_batch_size 2 --bf16 True\n" OUT_OF_MEMORY,
              set_up, test_out_of_memory, tear_down);
  ADD ("/start-page/compare", test_compare);
  ADD ("/start-page/asks", test_asks);
  g_test_add ("/start-page/paste-scrolls", Fixture, NULL, set_up, test_paste_scrolls, tear_down);
  g_test_add ("/start-page/lines-come", Fixture, NULL, set_up, test_lines_come, tear_down);
  g_test_add ("/start-page/field/paste/wide", Fixture, GINT_TO_POINTER (1240), set_up,
              test_field_paste, tear_down);
  g_test_add ("/start-page/field/paste/narrow", Fixture, GINT_TO_POINTER (360), set_up,
              test_field_paste, tear_down);
  ADD ("/start-page/folded", test_folded);
  return g_test_run ();
}
