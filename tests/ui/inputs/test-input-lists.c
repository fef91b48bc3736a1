/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lists among the inputs: what they offer, and how they open. */
#include <adwaita.h>

#include "inputs-fixture.h"
#include "shardwise-drop-down.h"
#include "shardwise-input-control.h"
#include "shardwise-input-degrees.h"
#include "shardwise-option-list.h"
#include "shardwise-resolve.h"

static void
test_list (Fixture *fixture, gconstpointer data)
{
  ShardwiseInputRow *row = find_row (fixture, SHARDWISE_KEY_TRAINING_TYPE);
  g_autofree char *type = NULL, *shown = NULL, *preset = NULL;

  choose (row, "lora");
  type = shardwise_scenario_get_string (fixture->scenario, SHARDWISE_KEY_TRAINING_TYPE);
  g_assert_cmpstr (type, ==, "lora");
  g_assert_true (
      gtk_widget_get_visible (GTK_WIDGET (find_row (fixture, SHARDWISE_KEY_TRAINING_LORA_RANK))));
  shardwise_scenario_undo (fixture->scenario);
  shown = chosen_value (row);
  g_assert_cmpstr (shown, ==, "pretrain");
  g_assert_false (
      gtk_widget_get_visible (GTK_WIDGET (find_row (fixture, SHARDWISE_KEY_TRAINING_LORA_RANK))));

  choose (find_row (fixture, SHARDWISE_KEY_MODEL_PRESET), "llama-3-70b");
  preset = shardwise_scenario_get_string (fixture->scenario, SHARDWISE_KEY_MODEL_PRESET);
  g_assert_cmpstr (preset, ==, "llama-3-70b");
}

/* A value that the list does not offer is shown, not changed. */
static void
test_list_foreign (Fixture *fixture, gconstpointer data)
{
  g_autofree char *shown = NULL;

  g_assert_true (shardwise_scenario_set (fixture->scenario, SHARDWISE_KEY_CLUSTER_INTER_NODE,
                                         g_variant_new_string ("ib-hdr"), NULL));
  shown = chosen_value (find_row (fixture, SHARDWISE_KEY_CLUSTER_INTER_NODE));
  g_assert_cmpstr (shown, ==, "ib-hdr");
  g_assert_nonnull (
      strstr (chosen_label (find_row (fixture, SHARDWISE_KEY_CLUSTER_INTER_NODE)), "InfiniBand"));
}

/* Ethernet is called by its speed, which is another one where cards stand in workstations. */
static void
test_list_ethernet (Fixture *fixture, gconstpointer data)
{
  static const char *const words[][2] = { { "h100-80-sxm", "Ethernet 100 Gb/s" },
                                          { "rtx-4090", "Ethernet 10 Gb/s" } };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      g_autofree char *json =
          g_strdup_printf ("{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 16, "
                           "\"gpu\": \"%s\", \"inter_node\": \"ethernet\"}}",
                           words[i][0]);
      g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_from_json (json, -1, NULL);
      g_autoptr (ShardwiseScenario) before = g_object_ref (fixture->scenario);
      g_autofree char *shown = shardwise_control_describe (
          shardwise_key_get (SHARDWISE_KEY_CLUSTER_INTER_NODE), scenario);

      shardwise_inputs_set_scenario (SHARDWISE_INPUTS (fixture->inputs), scenario);
      g_assert_nonnull (strstr (chosen_label (find_row (fixture, SHARDWISE_KEY_CLUSTER_INTER_NODE)),
                                words[i][1]));
      g_assert_nonnull (strstr (shown, words[i][1]));
      shardwise_inputs_set_scenario (SHARDWISE_INPUTS (fixture->inputs), before);
    }
}

/* What a file says beyond the list is called in words, too. */
static void
test_list_words (Fixture *fixture, gconstpointer data)
{
  static const char json[] =
      "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8, \"gpu\": {\"base\": "
      "\"h100-80-sxm\", \"memory_gb\": 96}}, \"strategy\": {\"recompute\": {\"full_layers\": 4}}}";
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_from_json (json, -1, &error);

  g_assert_no_error (error);
  shardwise_inputs_set_scenario (SHARDWISE_INPUTS (fixture->inputs), scenario);
  g_assert_cmpstr (chosen_label (find_row (fixture, SHARDWISE_KEY_STRATEGY_RECOMPUTE)), ==,
                   "First 4 layers");
  g_assert_cmpstr (chosen_label (find_row (fixture, SHARDWISE_KEY_CLUSTER_GPU)), ==, "Custom");
  shardwise_inputs_set_scenario (SHARDWISE_INPUTS (fixture->inputs), fixture->scenario);
}

static ShardwiseInputOption *
option_of (GListModel *options, const char *value)
{
  for (guint i = 0; i < g_list_model_get_n_items (options); i++)
    {
      g_autoptr (ShardwiseInputOption) option = g_list_model_get_item (options, i);

      if (g_str_equal (shardwise_input_option_get_value (option), value))
        return g_steal_pointer (&option);
    }
  return NULL;
}

/* Sequence 1,000 over 8 context ranks: each takes two chunks, and 1,000 is no multiple of 16. */
static void
test_degrees (Fixture *fixture, gconstpointer data)
{
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  g_autoptr (GListModel) options = NULL;
  g_autoptr (ShardwiseInputOption) good = NULL, bad = NULL;
  g_autofree char *reason = NULL;
  gboolean enabled;

  shardwise_scenario_set (fixture->scenario, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH,
                          g_variant_new_int64 (1000), NULL);
  g_assert_true (shardwise_scenario_resolve (fixture->scenario, problem, NULL, NULL));
  options = shardwise_input_degrees (problem, SW_DIM_CP, SHARDWISE_KEY_STRATEGY_CP);
  good = option_of (options, "4");
  bad = option_of (options, "8");
  g_assert_null (option_of (options, "16")); /* there are 8 GPUs */
  g_object_get (good, "enabled", &enabled, NULL);
  g_assert_true (enabled);
  g_object_get (bad, "enabled", &enabled, "subtitle", &reason, NULL);
  g_assert_false (enabled);
  g_assert_cmpuint (strlen (reason), >, 0);
}

/* However many values there are, the largest is among them. */
static void
test_many_degrees (Fixture *fixture, gconstpointer data)
{
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  g_autoptr (GListModel) options = NULL;
  g_autoptr (ShardwiseInputOption) all = NULL;

  shardwise_scenario_set (fixture->scenario, SHARDWISE_KEY_CLUSTER_GPUS,
                          g_variant_new_int32 (110880), NULL);
  g_assert_true (shardwise_scenario_resolve (fixture->scenario, problem, NULL, NULL));
  options = shardwise_input_degrees (problem, SW_DIM_DP, SHARDWISE_KEY_STRATEGY_DP);
  all = option_of (options, "110880");
  g_assert_nonnull (all);
}

static void
test_choice (Fixture *fixture, gconstpointer data)
{
  ShardwiseInputRow *row = find_row (fixture, SHARDWISE_KEY_STRATEGY_RECOMPUTE);
  GtkDropDown *list = GTK_DROP_DOWN (shardwise_input_row_get_control (row));

  shardwise_input_row_set_choice (row, "selective", NULL);
  g_assert_cmpstr (shardwise_input_option_get_label (gtk_drop_down_get_selected_item (list)), ==,
                   "Auto (selective)");
  g_assert_false (shardwise_scenario_is_set (fixture->scenario, SHARDWISE_KEY_STRATEGY_RECOMPUTE));
  choose (row, "full");
  g_assert_true (shardwise_scenario_is_set (fixture->scenario, SHARDWISE_KEY_STRATEGY_RECOMPUTE));
  choose (row, "");
  g_assert_false (shardwise_scenario_is_set (fixture->scenario, SHARDWISE_KEY_STRATEGY_RECOMPUTE));
}

/* Who types while the list of models is open searches it. */
static void
test_search (Fixture *fixture, gconstpointer data)
{
  GtkWidget *list =
                shardwise_input_row_get_control (find_row (fixture, SHARDWISE_KEY_MODEL_PRESET)),
            *entry = ui_find (list, GTK_TYPE_SEARCH_ENTRY);

  g_assert_nonnull (entry);
  g_assert_true (gtk_search_entry_get_key_capture_widget (GTK_SEARCH_ENTRY (entry))
                 == gtk_widget_get_ancestor (entry, GTK_TYPE_POPOVER));
}

/* A size can be typed into the search of models: it finds the models of that size, then offers the
 * size itself. */
static void
test_size (Fixture *fixture, gconstpointer data)
{
  ShardwiseInputRow *row = find_row (fixture, SHARDWISE_KEY_MODEL_PRESET);
  GtkWidget *list = shardwise_input_row_get_control (row),
            *window = ui_show (fixture->inputs, 400, 700), *button, *entry;
  GListModel *found;
  guint n;

  gtk_widget_grab_focus (list);
  button = ui_find (list, GTK_TYPE_TOGGLE_BUTTON);
  entry = ui_find (list, GTK_TYPE_SEARCH_ENTRY);
  found =
      G_LIST_MODEL (gtk_list_view_get_model (GTK_LIST_VIEW (ui_find (list, GTK_TYPE_LIST_VIEW))));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (button), TRUE);
  gtk_editable_set_text (GTK_EDITABLE (entry), "70b");
  wait_until (g_list_model_get_n_items (found) > 1 && g_list_model_get_n_items (found) < 20);
  n = g_list_model_get_n_items (found);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (ShardwiseInputOption) option = g_list_model_get_item (found, i);
      const char *label = shardwise_input_option_get_label (option);

      g_test_message ("%s", label);
      if (i + 1 < n)
        g_assert_nonnull (strstr (label, "70B"));
      else
        g_assert_cmpstr (label, ==, "Custom, 70 B parameters");
    }
  gtk_editable_set_text (GTK_EDITABLE (entry), "1.25b");
  wait_until (g_list_model_get_n_items (found) == 1);
  g_signal_emit_by_name (entry, "activate");
  wait_until (shardwise_scenario_is_set (fixture->scenario, SHARDWISE_KEY_MODEL_PARAMETERS_B));
  g_assert_cmpfloat (
      shardwise_scenario_get_number (fixture->scenario, SHARDWISE_KEY_MODEL_PARAMETERS_B, 0), ==,
      1.25);
  g_assert_false (shardwise_scenario_is_set (fixture->scenario, SHARDWISE_KEY_MODEL_PRESET));
  wait_until (g_str_equal (chosen_label (row), "Custom, 1.25 B parameters"));
  shardwise_scenario_undo (fixture->scenario);
  g_assert_false (shardwise_scenario_is_set (fixture->scenario, SHARDWISE_KEY_MODEL_PARAMETERS_B));
  ui_run_for (300); /* what closes the list, and forgets the size */
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The lines of a list are made when it opens. */
static void
test_list_opens (void)
{
  g_autoptr (GListStore) options = g_list_store_new (SHARDWISE_TYPE_INPUT_OPTION);
  GtkWidget *list, *lines, *window;

  shardwise_control_list_add (options, "a", "Alpha", NULL);
  shardwise_control_list_add (options, "b", "Beta", "Second");
  list = shardwise_input_list_new (G_LIST_MODEL (options));
  window = ui_show (list, 300, 200);
  lines = ui_find (list, GTK_TYPE_LIST_VIEW);
  g_assert_null (ui_find (lines, GTK_TYPE_LABEL));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (ui_find (list, GTK_TYPE_TOGGLE_BUTTON)), TRUE);
  g_assert_cmpstr (gtk_label_get_label (GTK_LABEL (ui_find (lines, GTK_TYPE_LABEL))), ==, "Alpha");
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A long list opens at the line that is chosen. */
static void
test_list_opens_at_chosen (void)
{
  g_autoptr (GListStore) options = g_list_store_new (SHARDWISE_TYPE_INPUT_OPTION);
  GtkAdjustment *place;
  GtkWidget *list, *window, *lines;

  for (guint i = 0; i < 100; i++)
    {
      g_autofree char *name = g_strdup_printf ("Model %u", i);

      shardwise_control_list_add (options, name, name, "8.03 B parameters, 32 layers");
    }
  list = shardwise_input_list_new (G_LIST_MODEL (options));
  gtk_drop_down_set_selected (GTK_DROP_DOWN (list), 60);
  window = ui_show (list, 300, 200);
  lines = ui_find (list, GTK_TYPE_LIST_VIEW);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (ui_find (list, GTK_TYPE_TOGGLE_BUTTON)), TRUE);
  place = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (lines));
  wait_until (gtk_adjustment_get_value (place) > gtk_adjustment_get_upper (place) / 3);
  g_assert_cmpfloat (gtk_adjustment_get_value (place), <, gtk_adjustment_get_upper (place) * 0.62);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Of a search the first line that is found is marked, and taken by Enter; without one what is
 * chosen is marked. */
static void
test_list_search (void)
{
  static const char *const names[] = { "GPT 7B", "Llama 8B", "Llama 7B", "Qwen 7B", "GPT 2.7B" };
  g_autoptr (GListStore) options = g_list_store_new (SHARDWISE_TYPE_INPUT_OPTION);
  GtkWidget *list, *window, *lines, *entry, *button;
  GtkSelectionModel *marked;

  for (guint i = 0; i < 16; i++)
    {
      const char *name = i < G_N_ELEMENTS (names) ? names[i] : "BLOOM";

      shardwise_control_list_add (options, name, name, NULL);
    }
  list = shardwise_input_list_new (G_LIST_MODEL (options));
  gtk_drop_down_set_selected (GTK_DROP_DOWN (list), 1);
  window = ui_show (list, 300, 200);
  lines = ui_find (list, GTK_TYPE_LIST_VIEW);
  entry = ui_find (list, GTK_TYPE_SEARCH_ENTRY);
  button = ui_find (list, GTK_TYPE_TOGGLE_BUTTON);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (button), TRUE);
  marked = gtk_list_view_get_model (GTK_LIST_VIEW (lines));
  gtk_editable_set_text (GTK_EDITABLE (entry), "a 7b");
  wait_until (g_list_model_get_n_items (G_LIST_MODEL (marked)) == 1);
  gtk_editable_set_text (GTK_EDITABLE (entry), "7b");
  wait_until (g_list_model_get_n_items (G_LIST_MODEL (marked)) == 3);
  wait_until (gtk_selection_model_is_selected (marked, 0));
  gtk_editable_set_text (GTK_EDITABLE (entry), "");
  wait_until (gtk_selection_model_is_selected (marked, 1));
  gtk_editable_set_text (GTK_EDITABLE (entry), "a 7b");
  wait_until (g_list_model_get_n_items (G_LIST_MODEL (marked)) == 1);
  g_signal_emit_by_name (entry, "activate");
  g_assert_cmpuint (gtk_drop_down_get_selected (GTK_DROP_DOWN (list)), ==, 2);
  g_assert_false (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (button)));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Escape closes a list that is searched, and leaves what is chosen. */
static void
test_list_search_stops (void)
{
  g_autoptr (GListStore) options = g_list_store_new (SHARDWISE_TYPE_INPUT_OPTION);
  GtkWidget *list, *window, *entry, *button;
  GtkSelectionModel *marked;

  for (guint i = 0; i < 16; i++)
    {
      g_autofree char *name = g_strdup_printf ("Model %u", i);

      shardwise_control_list_add (options, name, name, NULL);
    }
  list = shardwise_input_list_new (G_LIST_MODEL (options));
  gtk_drop_down_set_selected (GTK_DROP_DOWN (list), 3);
  window = ui_show (list, 300, 200);
  entry = ui_find (list, GTK_TYPE_SEARCH_ENTRY);
  button = ui_find (list, GTK_TYPE_TOGGLE_BUTTON);
  marked = gtk_list_view_get_model (GTK_LIST_VIEW (ui_find (list, GTK_TYPE_LIST_VIEW)));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (button), TRUE);
  gtk_editable_set_text (GTK_EDITABLE (entry), "15");
  wait_until (g_list_model_get_n_items (G_LIST_MODEL (marked)) == 1);
  g_signal_emit_by_name (entry, "stop-search");
  wait_until (!gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (button)));
  g_assert_cmpuint (gtk_drop_down_get_selected (GTK_DROP_DOWN (list)), ==, 3);
  gtk_window_destroy (GTK_WINDOW (window));
}

static gboolean
found (const char *typed, const char *name)
{
  g_autoptr (GtkExpression) expression = gtk_property_expression_new (GTK_TYPE_STRING_OBJECT, NULL,
                                                                      "string");
  g_autoptr (ShardwiseNameSearch) search = shardwise_name_search_new (expression);
  g_autoptr (GtkStringObject) item = gtk_string_object_new (name);

  g_assert_true (gtk_filter_match (GTK_FILTER (search), item));
  shardwise_name_search_set_text (search, typed);
  return gtk_filter_match (GTK_FILTER (search), item);
}

/* A number that is searched for is not found within another one. */
static void
test_search_numbers (void)
{
  static const struct {
    const char *typed, *name;
    gboolean found;
  } cases[] = {
    { "7b", "LLaMA 7B", TRUE },           { "7b", "GPT-3 2.7B", FALSE },
    { "7b", "Qwen3 1.7B", FALSE },        { "7b", "Llama 4 Scout 17B-16E", FALSE },
    { "7b", "DeepSeek LLM 67B", FALSE },  { "7b", "BLOOM 7B1", TRUE },
    { "7b", "Mixtral 8x7B", TRUE },       { "2.7", "Phi-2 2.7B", TRUE },
    { "7", "Llama 2 70B", TRUE },         { "70", "Llama 2 70B", TRUE },
    { "0b", "Llama 2 70B", FALSE },       { "100", "H100 80 GB SXM", TRUE },
    { "llama 2 7b", "Llama 2 7B", TRUE }, { "llama 2 7b", "Llama 2 70B", FALSE },
    { "llama 3 8b", "Llama 3 8B", TRUE }, { "llama 3 8b", "Llama 3.1 8B", FALSE },
    { "llama 3", "Llama 3.1 8B", TRUE },  { "llama 3 ", "LLaMA 33B", FALSE },
    { "70b llama", "Llama 3 70B", TRUE }, { " qwen  8b", "Qwen3 8B", TRUE },
    { "nemo", "Mistral Nemo 12B", TRUE }, { "b-a2", "Qwen3 235B-A22B", TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("“%s” in “%s”", cases[i].typed, cases[i].name);
      g_assert_cmpint (found (cases[i].typed, cases[i].name), ==, cases[i].found);
    }
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;

  ADD ("/input-lists/search", test_search);
  ADD ("/input-lists/size", test_size);
  ADD ("/input-lists/list", test_list);
  g_test_add_func ("/input-lists/list/opens", test_list_opens);
  g_test_add_func ("/input-lists/list/search", test_list_search);
  g_test_add_func ("/input-lists/list/search-stops", test_list_search_stops);
  g_test_add_func ("/input-lists/list/search-numbers", test_search_numbers);
  g_test_add_func ("/input-lists/list/opens-at-chosen", test_list_opens_at_chosen);
  ADD ("/input-lists/list/foreign", test_list_foreign);
  ADD ("/input-lists/list/words", test_list_words);
  ADD ("/input-lists/list/ethernet", test_list_ethernet);
  ADD ("/input-lists/degrees", test_degrees);
  ADD ("/input-lists/many-degrees", test_many_degrees);
  ADD ("/input-lists/choice", test_choice);
  return g_test_run ();
}
