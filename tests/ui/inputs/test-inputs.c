/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <adwaita.h>
#include <math.h>

#include "inputs-fixture.h"
#include "shardwise-software.h"
#include "shardwise-changes-button.h"

static void
test_entry (Fixture *fixture, gconstpointer data)
{
  ShardwiseInputRow *row = find_row (fixture, SHARDWISE_KEY_CLUSTER_GPUS);

  g_assert_cmpstr (shown_text (row), ==, "8");
  type_text (row, "1k");
  g_assert_cmpfloat (
      shardwise_scenario_get_number (fixture->scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==, 1000);
  shardwise_scenario_undo (fixture->scenario);
  g_assert_cmpstr (shown_text (row), ==, "8");
  shardwise_scenario_set (fixture->scenario, SHARDWISE_KEY_CLUSTER_GPUS, g_variant_new_int64 (64),
                          NULL);
  g_assert_cmpstr (shown_text (row), ==, "64");
}

/* What is typed in one go is one step back. */
static void
test_entry_delay (Fixture *fixture, gconstpointer data)
{
  ShardwiseInputRow *row = find_row (fixture, SHARDWISE_KEY_CLUSTER_GPUS);
  GtkEditable *entry = GTK_EDITABLE (shardwise_input_row_get_control (row));

  gtk_editable_set_text (entry, "2");
  gtk_editable_set_text (entry, "25");
  gtk_editable_set_text (entry, "256");
  g_assert_cmpfloat (
      shardwise_scenario_get_number (fixture->scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==, 8);
  while (shardwise_scenario_get_number (fixture->scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0) != 256)
    g_main_context_iteration (NULL, TRUE);
  shardwise_scenario_undo (fixture->scenario);
  g_assert_cmpfloat (
      shardwise_scenario_get_number (fixture->scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==, 8);
}

/* A refused value: the row says why, keeps what was typed, and the scenario keeps what it had. */
static void
test_bad_entry (Fixture *fixture, gconstpointer data)
{
  static const struct {
    const char *path, *text, *says;
  } cases[] = {
    { "cluster.gpus", "200,000", "131" },      { "cluster.gpus", "0", "131" },
    { "cluster.gpus", "-8", "131" },           { "cluster.gpus", "8.5", "" },
    { "cluster.gpus", "many", "many" },        { "cluster.gpu_memory_gb", "1e300", "320" },
    { "cluster.gpu_memory_gb", "4", "320" },   { "training.memory_target", "1.5", "0.05" },
    { "training.sequence_length", "2G", "1" }, { "cost.price_date", "yesterday", "YYYY" },
    { "cost.price", "-1", "1000000" },         { "cost.price", "cheap", "cheap" },
    { "cost.price", "1e9", "1000000" },        { "cost.currency", "Bitcoin", "three-letter" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const ShardwiseKeyId key = shardwise_key_find (cases[i].path)->id;
      ShardwiseInputRow *row = find_row (fixture, key);
      g_autofree char *before = shardwise_scenario_get_string (fixture->scenario, key);
      g_autofree char *after = NULL;

      g_test_message ("%s = %s", cases[i].path, cases[i].text);
      type_text (row, cases[i].text);
      after = shardwise_scenario_get_string (fixture->scenario, key);
      g_assert_cmpstr (after, ==, before);
      g_assert_cmpstr (shown_text (row), ==, cases[i].text);
      g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (row), "error"));
      g_assert_nonnull (strstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (row)), cases[i].says));
      gtk_test_accessible_assert_state (shardwise_input_row_get_control (row),
                                        GTK_ACCESSIBLE_STATE_INVALID, GTK_ACCESSIBLE_INVALID_TRUE);
    }
}

/* A default that was computed is shown to the digits that say something, and is not changed by
 * that; what the user types stays as it is. */
static void
test_long_default (Fixture *fixture, gconstpointer data)
{
  const ShardwiseKeyId key = SHARDWISE_KEY_TRAINING_RLHF_CRITIC_PARAMETERS_B;
  ShardwiseInputRow *row = find_row (fixture, key);
  ShardwiseScenario *scenario = fixture->scenario;
  double before;

  g_assert_true (shardwise_scenario_set (scenario, SHARDWISE_KEY_MODEL_PRESET,
                                         g_variant_new_string ("llama-3-70b"), NULL));
  g_assert_true (shardwise_scenario_set (scenario, SHARDWISE_KEY_TRAINING_TYPE,
                                         g_variant_new_string ("rlhf"), NULL));
  before = shardwise_scenario_get_number (scenario, key, 0);
  g_assert_cmpfloat (fabs (before - 70.55), >, 0.001);
  g_assert_cmpstr (shown_text (row), ==, "70.55");
  g_signal_emit_by_name (shardwise_input_row_get_control (row), "activate");
  g_assert_false (shardwise_scenario_is_set (scenario, key));
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, key, 0), ==, before);
  type_text (row, "7.123456");
  g_assert_cmpstr (shown_text (row), ==, "7.123456");
}

static gboolean
press_key (GtkWidget *widget, guint key)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);
  gboolean handled = FALSE;

  for (guint i = 0; !handled && i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_KEY (controller))
        g_signal_emit_by_name (controller, "key-pressed", key, 0, 0, &handled);
    }
  return handled;
}

/* Up and Down change a number by a tenth of its size, without the noise of fractions of two. */
static void
test_steps (Fixture *fixture, gconstpointer data)
{
  static const struct {
    const char *text;
    guint key;
    double value;
  } cases[] = {
    { "1.2", GDK_KEY_Up, 1.3 },           { "0", GDK_KEY_Up, 0.1 },
    { "0.28", GDK_KEY_Up, 0.29 },         { "12", GDK_KEY_Down, 11 },
    { "0.05", GDK_KEY_Up, 0.051 },        { "0", GDK_KEY_Down, 0 },
    { "2.34567", GDK_KEY_Down, 2.24567 },
  };
  ShardwiseInputRow *row = find_row (fixture, SHARDWISE_KEY_COST_PRICE);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("%s", cases[i].text);
      type_text (row, cases[i].text);
      g_assert_true (press_key (shardwise_input_row_get_control (row), cases[i].key));
      g_assert_cmpfloat (
          shardwise_scenario_get_number (fixture->scenario, SHARDWISE_KEY_COST_PRICE, -1), ==,
          cases[i].value);
    }
}

/* The size of a model stands beneath it, also of one's own. */
static void
test_model_size (Fixture *fixture, gconstpointer data)
{
  AdwActionRow *row = ADW_ACTION_ROW (find_row (fixture, SHARDWISE_KEY_MODEL_PRESET));
  g_autoptr (ShardwiseAdvisor) advisor = NULL;

  choose (find_row (fixture, SHARDWISE_KEY_MODEL_PRESET), "llama-3-8b");
  g_assert_cmpstr (adw_action_row_get_subtitle (row), ==, "8.03 B parameters, 32 layers");
  type_text (find_row (fixture, SHARDWISE_KEY_MODEL_LAYERS), "16");
  advisor = shardwise_advisor_new (fixture->scenario);
  shardwise_inputs_set_advisor (SHARDWISE_INPUTS (fixture->inputs), advisor);
  shardwise_advisor_evaluate (advisor);
  ui_await_advice (advisor);
  g_assert_cmpstr (adw_action_row_get_subtitle (row), ==, "4.54 B parameters, 16 layers");
  choose (find_row (fixture, SHARDWISE_KEY_MODEL_PRESET), "llama-3-70b");
  g_assert_cmpstr (adw_action_row_get_subtitle (row), ==, "70.6 B parameters, 80 layers");
  shardwise_inputs_set_advisor (SHARDWISE_INPUTS (fixture->inputs), NULL);
}

/* An error of one row survives edits of another, and goes with a good value. */
static void
test_error_stays (Fixture *fixture, gconstpointer data)
{
  ShardwiseInputRow *gpus = find_row (fixture, SHARDWISE_KEY_CLUSTER_GPUS);

  type_text (gpus, "0");
  type_text (find_row (fixture, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH), "8k");
  g_assert_cmpfloat (
      shardwise_scenario_get_number (fixture->scenario, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH, 0),
      ==, 8192);
  g_assert_cmpstr (shown_text (gpus), ==, "0");
  g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (gpus), "error"));
  type_text (gpus, "16");
  g_assert_false (gtk_widget_has_css_class (GTK_WIDGET (gpus), "error"));
}

static void
test_given_error (Fixture *fixture, gconstpointer data)
{
  ShardwiseInputRow *row = find_row (fixture, SHARDWISE_KEY_STRATEGY_TP);

  shardwise_inputs_set_error (SHARDWISE_INPUTS (fixture->inputs), "strategy.tp",
                              "strategy.tp: 7 does not divide 32 & more");
  g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (row), "error"));
  g_assert_cmpstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (row)), ==,
                   "7 does not divide 32 & more");
  shardwise_inputs_set_error (SHARDWISE_INPUTS (fixture->inputs), NULL, NULL);
  g_assert_false (gtk_widget_has_css_class (GTK_WIDGET (row), "error"));
}

static void
test_custom_size (Fixture *fixture, gconstpointer data)
{
  ShardwiseInputRow *size = find_row (fixture, SHARDWISE_KEY_MODEL_PARAMETERS_B);

  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (size)));
  choose (find_row (fixture, SHARDWISE_KEY_MODEL_PRESET), "");
  g_assert_false (shardwise_scenario_is_set (fixture->scenario, SHARDWISE_KEY_MODEL_PRESET));
  g_assert_cmpfloat (
      shardwise_scenario_get_number (fixture->scenario, SHARDWISE_KEY_MODEL_PARAMETERS_B, 0), ==,
      8); /* of Llama 3 8B */
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (size)));
  type_text (size, "13");
  g_assert_cmpfloat (
      shardwise_scenario_get_number (fixture->scenario, SHARDWISE_KEY_MODEL_PARAMETERS_B, 0), ==,
      13);
}

/* Editing one part of a catalogue model keeps the others as they were. */
static void
test_architecture (Fixture *fixture, gconstpointer data)
{
  type_text (find_row (fixture, SHARDWISE_KEY_MODEL_LAYERS), "24");
  g_assert_false (shardwise_scenario_is_set (fixture->scenario, SHARDWISE_KEY_MODEL_PRESET));
  g_assert_cmpfloat (
      shardwise_scenario_get_number (fixture->scenario, SHARDWISE_KEY_MODEL_LAYERS, 0), ==, 24);
  g_assert_cmpfloat (
      shardwise_scenario_get_number (fixture->scenario, SHARDWISE_KEY_MODEL_HIDDEN_SIZE, 0), ==,
      4096);
  g_assert_cmpfloat (
      shardwise_scenario_get_number (fixture->scenario, SHARDWISE_KEY_MODEL_KV_HEADS, 0), ==, 8);
  shardwise_scenario_undo (fixture->scenario);
  g_assert_true (shardwise_scenario_is_set (fixture->scenario, SHARDWISE_KEY_MODEL_PRESET));
}

/* Each control can be told from the others without seeing it. */
static void
test_accessible (Fixture *fixture, gconstpointer data)
{
  guint n_rows = 0;

  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    {
      ShardwiseInputRow *row = shardwise_inputs_find_row (SHARDWISE_INPUTS (fixture->inputs), i);
      GtkWidget *control;

      if (row == NULL)
        continue;
      control = shardwise_input_row_get_control (row);
      gtk_test_accessible_assert_property (control, GTK_ACCESSIBLE_PROPERTY_LABEL,
                                           shardwise_key_get (i)->title);
      if (GTK_IS_ENTRY (control))
        g_assert_true (gtk_test_accessible_has_property (GTK_ACCESSIBLE (control),
                                                         GTK_ACCESSIBLE_PROPERTY_DESCRIPTION));
      if (GTK_IS_SWITCH (control))
        gtk_test_accessible_assert_role (control, GTK_ACCESSIBLE_ROLE_SWITCH);
      if (GTK_IS_DROP_DOWN (control))
        gtk_test_accessible_assert_role (control, GTK_ACCESSIBLE_ROLE_COMBO_BOX);
      n_rows++;
    }
  g_assert_cmpuint (n_rows, >, 50);
}

/* Every key that has a place in the window has a row; the rest is listed here with
 * the reason. */
static void
test_complete (Fixture *fixture, gconstpointer data)
{
  static const char *const without[] = { "name", "notes", "strategy.micro_batch_size",
                                         "strategy.recompute_modules", NULL };

  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    {
      gboolean expected = !g_str_has_prefix (shardwise_key_path (i), "model.")
                          && !g_strv_contains (without, shardwise_key_path (i));

      if (expected && shardwise_inputs_find_row (SHARDWISE_INPUTS (fixture->inputs), i) == NULL)
        g_error ("no row sets %s", shardwise_key_path (i));
    }
}

static gboolean
try_text (Fixture *fixture, GtkEditable *entry, const char *text, const char *before)
{
  g_autofree char *after = NULL;

  gtk_editable_set_text (entry, text);
  g_signal_emit_by_name (entry, "activate");
  after = shardwise_scenario_to_json (fixture->scenario);
  return !g_str_equal (before, after);
}

/* Gives the row another value, as a user does; every entry takes at least one of these. Returns
 * FALSE for a list that has one line until the search has answered. */
static gboolean
change_row (Fixture *fixture, ShardwiseInputRow *row)
{
  static const char *const texts[] = {
    "2", "16", "1000", "0.5", "EUR", "2026-01-02", "q, v", "word"
  };
  g_autofree char *before = shardwise_scenario_to_json (fixture->scenario);
  GtkWidget *control = shardwise_input_row_get_control (row);

  if (GTK_IS_SWITCH (control))
    {
      gtk_switch_set_active (GTK_SWITCH (control), !gtk_switch_get_active (GTK_SWITCH (control)));
      return TRUE;
    }
  if (GTK_IS_DROP_DOWN (control))
    {
      GtkDropDown *list = GTK_DROP_DOWN (control);
      guint n = g_list_model_get_n_items (gtk_drop_down_get_model (list));

      gtk_drop_down_set_selected (list, (gtk_drop_down_get_selected (list) + 1) % n);
      return n > 1;
    }
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    if (try_text (fixture, GTK_EDITABLE (control), texts[i], before))
      return TRUE;
  g_error ("%s takes nothing", shardwise_input_row_get_key (row)->path);
  return FALSE;
}

/* Whatever row is changed, in a scenario where those before it were changed, too: one step back is
 * the scenario before, byte for byte, one step on the one after; all steps back is the first. */
static void
test_undo (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (texts, shardwise_scenario_to_json (fixture->scenario));
  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    {
      ShardwiseInputRow *row = shardwise_inputs_find_row (SHARDWISE_INPUTS (fixture->inputs), i);
      const char *before = texts->pdata[texts->len - 1];
      g_autofree char *undone = NULL, *redone = NULL;
      char *after;

      if (row == NULL || !change_row (fixture, row))
        continue;
      g_test_message ("%s", shardwise_key_path (i));
      after = shardwise_scenario_to_json (fixture->scenario);
      g_assert_cmpstr (after, !=, before);
      shardwise_scenario_undo (fixture->scenario);
      undone = shardwise_scenario_to_json (fixture->scenario);
      g_assert_cmpstr (undone, ==, before);
      shardwise_scenario_redo (fixture->scenario);
      redone = shardwise_scenario_to_json (fixture->scenario);
      g_assert_cmpstr (redone, ==, after);
      g_ptr_array_add (texts, after);
    }
  g_assert_cmpuint (texts->len, >, 50);
  for (guint i = texts->len; i > 0; i--)
    {
      g_autofree char *text = shardwise_scenario_to_json (fixture->scenario);

      g_assert_cmpstr (text, ==, texts->pdata[i - 1]);
      shardwise_scenario_undo (fixture->scenario);
    }
  g_assert_false (shardwise_scenario_get_modified (fixture->scenario));
}

static gboolean
offers_reset (GtkWidget *widget)
{
  if (gtk_widget_has_css_class (widget, "reset"))
    return gtk_widget_get_visible (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (offers_reset (child))
      return TRUE;
  return FALSE;
}

/* What is set otherwise than it would be by itself is listed, and can be reset one by one or as a
 * whole; what is set to its default is no change, and the model and the GPUs have none. */
static void
test_changes (Fixture *fixture, gconstpointer data)
{
  GtkWidget *button = ui_find (fixture->inputs, SHARDWISE_TYPE_CHANGES_BUTTON);
  GtkMenuButton *opener = GTK_MENU_BUTTON (gtk_widget_get_first_child (button));
  g_autofree char *before = NULL, *after = NULL;

  choose (find_row (fixture, SHARDWISE_KEY_MODEL_PRESET), "llama-3-70b");
  type_text (find_row (fixture, SHARDWISE_KEY_CLUSTER_GPUS), "64");
  choose (find_row (fixture, SHARDWISE_KEY_CLUSTER_GPU), "a100-80-sxm");
  type_text (find_row (fixture, SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE), "8"); /* as it is by itself */
  g_assert_false (gtk_widget_get_visible (button));
  g_assert_false (offers_reset (fixture->inputs));

  type_text (find_row (fixture, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH), "8192");
  g_assert_cmpstr (gtk_menu_button_get_label (opener), ==, "1 change from the defaults");
  before = shardwise_scenario_to_json (fixture->scenario);
  type_text (find_row (fixture, SHARDWISE_KEY_CLUSTER_HOST_RAM_GB), "999");
  choose (find_row (fixture, SHARDWISE_KEY_STRATEGY_OFFLOAD), "none");
  g_assert_true (gtk_widget_get_visible (button));
  g_assert_cmpstr (gtk_menu_button_get_label (opener), ==, "3 changes from the defaults");

  shardwise_scenario_reset (fixture->scenario, SHARDWISE_KEY_STRATEGY_OFFLOAD);
  g_assert_cmpuint (shardwise_input_changes_reset (fixture->scenario), ==, 2);
  g_assert_cmpfloat (
      shardwise_scenario_get_number (fixture->scenario, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH, 0),
      ==, 4096);
  g_assert_cmpfloat (
      shardwise_scenario_get_number (fixture->scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==, 64);
  g_assert_false (gtk_widget_get_visible (button));
  for (guint i = 0; i < 4; i++) /* a value, two, one less, all */
    shardwise_scenario_undo (fixture->scenario);
  after = shardwise_scenario_to_json (fixture->scenario);
  g_assert_cmpstr (after, ==, before);
}

/* A button that a key has pressed says so a moment later: its list may be closed by then, and what
 * it listed be another change. */
static void
test_late_reset (Fixture *fixture, gconstpointer data)
{
  GtkWidget *button = ui_find (fixture->inputs, SHARDWISE_TYPE_CHANGES_BUTTON);
  GtkMenuButton *opener = GTK_MENU_BUTTON (gtk_widget_get_first_child (button));
  GtkWidget *window = ui_show (fixture->inputs, 400, 700), *list, *last;

  type_text (find_row (fixture, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH), "8192");
  type_text (find_row (fixture, SHARDWISE_KEY_CLUSTER_HOST_RAM_GB), "999");
  gtk_menu_button_popup (opener);
  list = ui_find (GTK_WIDGET (opener), GTK_TYPE_LIST_BOX);
  wait_until (gtk_widget_get_mapped (list));
  last = ui_find (GTK_WIDGET (gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), 1)),
                  GTK_TYPE_BUTTON);
  gtk_menu_button_popdown (opener);
  wait_until (!gtk_widget_get_mapped (list));
  shardwise_input_changes_reset (fixture->scenario);
  type_text (find_row (fixture, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH), "16384");
  g_signal_emit_by_name (last, "clicked");
  g_assert_cmpstr (gtk_menu_button_get_label (opener), ==, "1 change from the defaults");
  gtk_window_destroy (GTK_WINDOW (window));
}

static const char *
fold_text (Fixture *fixture, ShardwiseKeyId id)
{
  GtkWidget *fold = gtk_widget_get_ancestor (GTK_WIDGET (find_row (fixture, id)),
                                             ADW_TYPE_EXPANDER_ROW);

  g_assert_nonnull (fold);
  return adw_expander_row_get_subtitle (ADW_EXPANDER_ROW (fold));
}

static void
assert_fold_text (Fixture *fixture, ShardwiseKeyId id, const char *expected)
{
  g_assert_cmpstr (fold_text (fixture, id), ==, expected);
}

static gboolean
has_pin (GtkWidget *widget)
{
  if (GTK_IS_IMAGE (widget)
      && g_strcmp0 (gtk_image_get_icon_name (GTK_IMAGE (widget)), "view-pin-symbolic") == 0)
    return gtk_widget_get_visible (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (has_pin (child))
      return TRUE;
  return FALSE;
}

/* Whether the fold of that row shows that something in it is fixed. */
static gboolean
fold_is_pinned (Fixture *fixture, ShardwiseKeyId id)
{
  GtkWidget *fold = gtk_widget_get_ancestor (GTK_WIDGET (find_row (fixture, id)),
                                             ADW_TYPE_EXPANDER_ROW);

  return has_pin (ui_find (fold, ADW_TYPE_ACTION_ROW)); /* its header */
}

/* What is asked for is at hand, in this order; what is folded away is told where it differs from the
 * defaults, with its units, on one line with them. */
static void
test_folds (Fixture *fixture, gconstpointer data)
{
  static const ShardwiseKeyId asked[] = { SHARDWISE_KEY_MODEL_PRESET,
                                          SHARDWISE_KEY_CLUSTER_GPU,
                                          SHARDWISE_KEY_CLUSTER_GPUS,
                                          SHARDWISE_KEY_TRAINING_FRAMEWORK,
                                          SHARDWISE_KEY_TRAINING_TYPE,
                                          SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH,
                                          SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE,
                                          SHARDWISE_KEY_TRAINING_TOKENS };
  static const ShardwiseKeyId folded[] = { SHARDWISE_KEY_MODEL_LAYERS,
                                           SHARDWISE_KEY_CLUSTER_INTER_NODE,
                                           SHARDWISE_KEY_TRAINING_OPTIMIZER,
                                           SHARDWISE_KEY_STRATEGY_TP, SHARDWISE_KEY_COST_PRICE };
  GtkWidget *list = gtk_widget_get_ancestor (
      GTK_WIDGET (find_row (fixture, SHARDWISE_KEY_MODEL_PRESET)), GTK_TYPE_LIST_BOX);

  for (guint i = 0; i < G_N_ELEMENTS (asked); i++)
    g_assert_true (GTK_WIDGET (gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), (int) i))
                   == GTK_WIDGET (find_row (fixture, asked[i])));
  for (guint i = 0; i < G_N_ELEMENTS (folded); i++)
    assert_fold_text (fixture, folded[i], "");
  type_text (find_row (fixture, SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE), "8"); /* as by itself */
  assert_fold_text (fixture, SHARDWISE_KEY_CLUSTER_HOST_RAM_GB, "");
  type_text (find_row (fixture, SHARDWISE_KEY_CLUSTER_HOST_RAM_GB), "999");
  assert_fold_text (fixture, SHARDWISE_KEY_CLUSTER_HOST_RAM_GB,
                    "Host memory per node 999\302\240GB");
  choose (find_row (fixture, SHARDWISE_KEY_TRAINING_OPTIMIZER), "muon");
  assert_fold_text (fixture, SHARDWISE_KEY_TRAINING_OPTIMIZER, "Optimizer Muon");
  g_assert_false (fold_is_pinned (fixture, SHARDWISE_KEY_TRAINING_OPTIMIZER));
  g_assert_false (fold_is_pinned (fixture, SHARDWISE_KEY_STRATEGY_TP));
  choose (find_row (fixture, SHARDWISE_KEY_STRATEGY_OFFLOAD), "none");
  assert_fold_text (fixture, SHARDWISE_KEY_STRATEGY_TP, "Offload None");
  g_assert_true (fold_is_pinned (fixture, SHARDWISE_KEY_STRATEGY_TP));
}

/* The fold of a kind of training bears its name; one that has nothing of its own has none. */
static void
test_kind_fold (Fixture *fixture, gconstpointer data)
{
  ShardwiseInputRow *rank = find_row (fixture, SHARDWISE_KEY_TRAINING_LORA_RANK);
  GtkWidget *fold = gtk_widget_get_ancestor (GTK_WIDGET (rank), ADW_TYPE_EXPANDER_ROW);

  g_assert_false (gtk_widget_get_visible (fold));
  choose (find_row (fixture, SHARDWISE_KEY_TRAINING_TYPE), "qlora");
  g_assert_true (gtk_widget_get_visible (fold));
  g_assert_cmpstr (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (fold)), ==, "QLoRA");
  type_text (rank, "64");
  assert_fold_text (fixture, SHARDWISE_KEY_TRAINING_LORA_RANK, "LoRA rank\302\24064");
}

/* With every kind of training all that is folded or not stands in a window of 820 pixels, less its
 * header bar. */
static void
test_height (Fixture *fixture, gconstpointer data)
{
  GtkWidget *window = ui_show (fixture->inputs, 346, 820 - 47), *scroller;
  GtkAdjustment *place;

  choose (find_row (fixture, SHARDWISE_KEY_TRAINING_TYPE), "lora");
  choose (find_row (fixture, SHARDWISE_KEY_STRATEGY_OFFLOAD), "none");
  ui_run_for (100);
  scroller = ui_find (fixture->inputs, GTK_TYPE_SCROLLED_WINDOW);
  place = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller));
  g_assert_cmpfloat (gtk_adjustment_get_upper (place), <=, gtk_adjustment_get_page_size (place));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The batch is what the job would have, until one is typed. */
static void
test_auto_batch (Fixture *fixture, gconstpointer data)
{
  ShardwiseInputRow *row = find_row (fixture, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE);
  GtkEntry *entry = GTK_ENTRY (shardwise_input_row_get_control (row));

  g_assert_cmpstr (shown_text (row), ==, "");
  g_assert_cmpstr (gtk_entry_get_placeholder_text (entry), ==, "Auto (256)");
  type_text (find_row (fixture, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH), "8k");
  g_assert_cmpstr (gtk_entry_get_placeholder_text (entry), ==, "Auto (128)");
  type_text (row, "512");
  g_assert_cmpstr (shown_text (row), ==, "512");
  type_text (row, "");
  g_assert_false (
      shardwise_scenario_is_set (fixture->scenario, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE));
  g_assert_cmpstr (gtk_entry_get_placeholder_text (entry), ==, "Auto (128)");
}

/* A price that nobody states is the catalogue's, which shows in grey. */
static void
test_usual_price (Fixture *fixture, gconstpointer data)
{
  GtkEntry *price =
      GTK_ENTRY (shardwise_input_row_get_control (find_row (fixture, SHARDWISE_KEY_COST_PRICE)));

  choose (find_row (fixture, SHARDWISE_KEY_CLUSTER_GPU), "h100-80-sxm");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (price)), ==, "");
  g_assert_cmpfloat (g_ascii_strtod (gtk_entry_get_placeholder_text (price), NULL), >, 0.5);
  choose (find_row (fixture, SHARDWISE_KEY_CLUSTER_GPU), "a100-80-sxm");
  g_assert_cmpfloat (g_ascii_strtod (gtk_entry_get_placeholder_text (price), NULL), >, 0.2);
  type_text (find_row (fixture, SHARDWISE_KEY_COST_PRICE), "3.1");
  g_assert_cmpstr (shown_text (find_row (fixture, SHARDWISE_KEY_COST_PRICE)), ==, "3.1");
}

/* A framework that is left to the search says which it is; one that is chosen is pinned. */
static void
test_auto_framework (Fixture *fixture, gconstpointer data)
{
  ShardwiseInputRow *row = find_row (fixture, SHARDWISE_KEY_TRAINING_FRAMEWORK);
  g_autofree char *value = NULL;

  shardwise_input_row_get_control (row);
  g_assert_cmpstr (chosen_label (row), ==, "Auto");
  shardwise_input_row_set_choice (row, "Megatron-Core", NULL);
  g_assert_cmpstr (chosen_label (row), ==, "Auto (Megatron-Core)");
  g_assert_false (shardwise_scenario_is_set (fixture->scenario, SHARDWISE_KEY_TRAINING_FRAMEWORK));
  choose (row, "fsdp2");
  value = shardwise_scenario_get_string (fixture->scenario, SHARDWISE_KEY_TRAINING_FRAMEWORK);
  g_assert_cmpstr (value, ==, "fsdp2");
  choose (row, "auto");
}

/* Features of the software are as the date has them, which each row tells, until they are stated; a
 * later date may have others. */
static void
test_features (Fixture *fixture, gconstpointer data)
{
  ShardwiseInputRow *compile = find_row (fixture, SHARDWISE_KEY_TRAINING_SOFTWARE_COMPILE),
                    *flash = find_row (fixture, SHARDWISE_KEY_TRAINING_SOFTWARE_FLASH_ATTENTION),
                    *kernel = find_row (fixture, SHARDWISE_KEY_TRAINING_ATTENTION),
                    *framework = find_row (fixture, SHARDWISE_KEY_TRAINING_FRAMEWORK);
  g_autofree char *unstated = NULL, *stated = NULL;

  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    if (shardwise_software_is_key (i))
      shardwise_input_row_get_control (find_row (fixture, i));
  unstated = chosen_value (compile);
  g_assert_cmpstr (unstated, ==, "");
  g_assert_cmpstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (compile)), ==,
                   "By date, as each framework does");
  choose (framework, "megatron-core");
  g_assert_cmpstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (compile)), ==, "By date: Off");
  assert_fold_text (fixture, SHARDWISE_KEY_TRAINING_SOFTWARE_COMPILE, "");
  choose (framework, "fsdp2");
  g_assert_cmpstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (compile)), ==, "By date: On");
  choose (framework, "any");
  g_assert_cmpstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (compile)), ==,
                   "By date, as each framework does");
  choose (framework, "megatron-core");

  choose (compile, "true");
  g_assert_cmpfloat (shardwise_scenario_get_number (fixture->scenario,
                                                    SHARDWISE_KEY_TRAINING_SOFTWARE_COMPILE, -1),
                     ==, 1);
  assert_fold_text (fixture, SHARDWISE_KEY_TRAINING_SOFTWARE_COMPILE,
                    "Compile with torch.compile On");
  choose (compile, "");
  g_assert_false (
      shardwise_scenario_is_set (fixture->scenario, SHARDWISE_KEY_TRAINING_SOFTWARE_COMPILE));

  g_assert_cmpstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (flash)), ==,
                   "By date: FlashAttention 3");
  type_text (find_row (fixture, SHARDWISE_KEY_TRAINING_SOFTWARE_DATE), "2024-01");
  g_assert_cmpstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (flash)), ==,
                   "By date: FlashAttention 2");
  choose (flash, "1");
  stated = chosen_value (flash);
  g_assert_cmpstr (stated, ==, "1");
  choose (flash, "0");
  g_assert_nonnull (strstr (fold_text (fixture, SHARDWISE_KEY_TRAINING_SOFTWARE_FLASH_ATTENTION),
                            "FlashAttention version None"));
  shardwise_input_row_get_control (kernel);
  g_assert_cmpstr (chosen_label (kernel), ==, "Unfused");
}

/* A long name is cut rather than that the inputs take the window from the pages. */
static void
test_long_name (Fixture *fixture, gconstpointer data)
{
  const char *name = "A scenario whose name says in all detail what is to be trained, and on what";
  int before, after;

  gtk_widget_measure (fixture->inputs, GTK_ORIENTATION_HORIZONTAL, -1, &before, NULL, NULL, NULL);
  g_assert_true (shardwise_scenario_set (fixture->scenario, SHARDWISE_KEY_NAME,
                                         g_variant_new_string (name), NULL));
  gtk_widget_measure (fixture->inputs, GTK_ORIENTATION_HORIZONTAL, -1, &after, NULL, NULL, NULL);
  g_assert_cmpint (after, ==, before);
}

/* Languages with long words write the changes below whether the scenario is edited. */
static void
test_long_words (Fixture *fixture, gconstpointer data)
{
  GtkWidget *edited;
  int before, after;

  type_text (find_row (fixture, SHARDWISE_KEY_TRAINING_TOKENS), "1e12");
  gtk_widget_measure (fixture->inputs, GTK_ORIENTATION_HORIZONTAL, -1, &before, NULL, NULL, NULL);
  edited = ui_find_match (fixture->inputs, ui_is_label_saying, "Edited");
  gtk_widget_set_visible (edited, TRUE);
  gtk_label_set_label (GTK_LABEL (edited), "Nicht gespeichert");
  gtk_widget_measure (fixture->inputs, GTK_ORIENTATION_HORIZONTAL, -1, &after, NULL, NULL, NULL);
  g_assert_cmpint (after, ==, before);
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;

  ADD ("/inputs/entry", test_entry);
  ADD ("/inputs/entry/delay", test_entry_delay);
  ADD ("/inputs/entry/bad", test_bad_entry);
  ADD ("/inputs/entry/long-default", test_long_default);
  ADD ("/inputs/steps", test_steps);
  ADD ("/inputs/model-size", test_model_size);
  ADD ("/inputs/entry/error-stays", test_error_stays);
  ADD ("/inputs/folds", test_folds);
  ADD ("/inputs/folds/kind", test_kind_fold);
  ADD ("/inputs/height", test_height);
  ADD ("/inputs/auto-batch", test_auto_batch);
  ADD ("/inputs/usual-price", test_usual_price);
  ADD ("/inputs/auto-framework", test_auto_framework);
  ADD ("/inputs/features", test_features);
  ADD ("/inputs/changes", test_changes);
  ADD ("/inputs/long-words", test_long_words);
  ADD ("/inputs/late-reset", test_late_reset);
  ADD ("/inputs/given-error", test_given_error);
  ADD ("/inputs/custom-size", test_custom_size);
  ADD ("/inputs/architecture", test_architecture);
  ADD ("/inputs/accessible", test_accessible);
  ADD ("/inputs/complete", test_complete);
  ADD ("/inputs/undo", test_undo);
  ADD ("/inputs/long-name", test_long_name);
  return g_test_run ();
}
