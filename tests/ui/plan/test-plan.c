/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can be trained on a machine and what a model needs, sections of Plan and a window before there
 * is a job: they are computed, follow their inputs, and lead to scenarios. */
#include "window-fixture.h"

#include "shardwise-capacity.h"
#include "shardwise-fold.h"
#include "shardwise-format.h"
#include "shardwise-input-row.h"
#include "shardwise-plan-view.h"
#include "shardwise-scale-page.h"
#include "shardwise-sweep.h"
#include "ui-fixture.h"

#define ONE_CARD                                                                                   \
  HEAD "\"name\": \"Mine\", \"model\": {\"preset\": \"llama-3.3-70b\"}, \"cluster\": {\"gpu\": "   \
       "\"rtx-4090\", \"gpus\": 1}, \"training\": {\"type\": \"qlora\", \"sequence_length\": "     \
       "2048}}"

static GtkWidget *
view_of (GtkWidget *plan, const char *name)
{
  return GTK_WIDGET (ui_child (plan, name));
}

static gboolean
is_length (GtkWidget *view, const char *text)
{
  GtkWidget *control = shardwise_input_row_get_control (ui_child (view, "sequence_row"));

  return g_str_equal (gtk_editable_get_text (GTK_EDITABLE (control)), text);
}

/* Waits until the answer is that of the inputs. */
static void
settle (GtkWidget *view)
{
  wait_until (gtk_widget_get_mapped (view));
  wait_until (gtk_widget_get_visible (ui_child (view, "answer_box"))
              && !shardwise_sweep_is_running (ui_child (view, "sweep")));
  gtk_test_widget_wait_for_draw (view);
}

static GtkWidget *
show_plan (Fixture *fixture)
{
  g_action_group_activate_action (G_ACTION_GROUP (fixture->window), "plan", NULL);
  wait_until (ui_find_window (SHARDWISE_TYPE_PLAN_WINDOW) != NULL);
  return ui_find_window (SHARDWISE_TYPE_PLAN_WINDOW);
}

/* The page Plan, with its sections. */
static GtkWidget *
show_plan_of (Fixture *fixture, const char *json)
{
  gtk_window_present (GTK_WINDOW (fixture->window));
  activate (fixture->window, "open-scenario", g_variant_new_string (json));
  wait_until (has_status (fixture->window, "ready"));
  g_action_group_activate_action (G_ACTION_GROUP (fixture->window), "plan", NULL);
  return ui_find (GTK_WIDGET (fixture->window), SHARDWISE_TYPE_SCALE_PAGE);
}

/* The needs of the model. */
static GtkWidget *
show_needs (GtkWidget *plan)
{
  GtkWidget *view = view_of (plan, "model");

  if (SHARDWISE_IS_SCALE_PAGE (plan))
    shardwise_scale_page_show (SHARDWISE_SCALE_PAGE (plan), "model");
  else
    adw_view_stack_set_visible_child_name (ADW_VIEW_STACK (ui_find (plan, ADW_TYPE_VIEW_STACK)),
                                           "model");
  settle (view);
  return view;
}

static gboolean
is_cell (GtkWidget *widget, gconstpointer target)
{
  g_autoptr (GVariant) value = NULL;

  if (!GTK_IS_ACTIONABLE (widget) || !gtk_widget_get_child_visible (widget)
      || g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (widget)), "plan.open") != 0)
    return FALSE;
  return target == NULL
         || g_variant_equal (gtk_actionable_get_action_target_value (GTK_ACTIONABLE (widget)),
                             target);
}

/* (nullable): of the table, or of the list in its place, that leads to a job. */
static GtkWidget *
find_cell (GtkWidget *view, guint row, ShardwiseTuning tuning)
{
  g_autoptr (GVariant) target = g_variant_ref_sink (g_variant_new ("(uu)", row, (guint) tuning));

  return ui_find_match (ui_child (view, "results"), is_cell, target);
}

/* Whether a sentence, in which no line ends behind a number, has this part. */
static gboolean
says (gpointer label, const char *part)
{
  g_autofree char *unbroken = shardwise_format_unbroken (part);

  return ui_says (label, unbroken) || ui_says (label, part);
}

static void
set_row (GtkWidget *view, const char *row, const char *text)
{
  shardwise_input_row_set_typed (ui_child (view, row), text);
  shardwise_input_row_flush (ui_child (view, row));
}

/* One card: small models fit, large ones do not, and each says so in words and to a screen
 * reader. */
static void
test_machine (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plan = show_plan_of (fixture, ONE_CARD), *view = view_of (plan, "machine"), *cell;

  settle (view);
  g_assert_true (says (ui_child (view, "summary"), "1 × GeForce RTX 4090"));
  g_assert_true (ui_says (ui_child (view, "results"), "does not fit"));
  g_assert_true (ui_says (ui_child (view, "results"), "missing"));
  g_assert_true (ui_says (ui_child (view, "results"), "with the host"));
  cell = find_cell (view, 0, SHARDWISE_TUNING_QLORA);
  g_assert_true (GTK_IS_BUTTON (cell));
  gtk_test_accessible_assert_property (cell, GTK_ACCESSIBLE_PROPERTY_LABEL, "Llama 3.2 1B, QLoRA");
  g_assert_true (gtk_test_accessible_has_property (GTK_ACCESSIBLE (cell),
                                                   GTK_ACCESSIBLE_PROPERTY_DESCRIPTION));
  g_assert_null (find_cell (view, 12, SHARDWISE_TUNING_FULL));
  g_assert_null (ui_find_window (SHARDWISE_TYPE_PLAN_WINDOW));
}

/* More GPUs hold more; the other view is computed when it is seen. */
static void
test_inputs (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plan = show_plan_of (fixture, ONE_CARD), *view = view_of (plan, "machine");

  settle (view);
  g_assert_null (find_cell (view, 8, SHARDWISE_TUNING_LORA)); /* 70B */
  set_row (view, "gpus_row", "8");
  g_assert_true (shardwise_sweep_is_running (ui_child (view, "sweep")));
  g_assert_true (gtk_widget_has_css_class (ui_child (view, "answer_box"), "kept"));
  settle (view);
  g_assert_false (gtk_widget_has_css_class (ui_child (view, "answer_box"), "kept"));
  g_assert_nonnull (find_cell (view, 8, SHARDWISE_TUNING_QLORA));
  g_assert_true (says (ui_child (view, "summary"), "8 × GeForce RTX 4090"));
  g_assert_false (gtk_widget_get_visible (ui_child (view_of (plan, "model"), "answer_box")));

  set_row (view, "sequence_row", "4096");
  g_assert_cmpfloat (shardwise_scenario_get_number (shardwise_window_get_scenario (fixture->window),
                                                    SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH, 0),
                     ==, 2048); /* it is not the window's */
  view = show_needs (plan);
  g_assert_false (shardwise_sweep_is_running (ui_child (view_of (plan, "machine"), "sweep"))
                  && shardwise_sweep_is_running (ui_child (view, "sweep")));
  g_assert_true (is_length (view, "4,096") || is_length (view, "4096"));
}

/* The cheapest comes first, and those without a price are apart. */
static void
test_needs (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plan = show_plan_of (fixture, ONE_CARD), *view = show_needs (plan), *summary;
  g_autofree char *of_qlora = NULL;

  summary = ui_child (view, "summary");
  g_assert_true (says (summary, "Llama 3.3 70B (QLoRA)"));
  g_assert_true (ui_says (view, "By Price"));
  g_assert_true (ui_says (view, "Without a Known Price"));
  g_assert_true (ui_says (ui_child (view, "results"), "an hour"));
  of_qlora = g_strdup (gtk_label_get_text (GTK_LABEL (summary)));
  adw_combo_row_set_selected (ui_child (view, "method_row"), SHARDWISE_TUNING_FULL);
  g_assert_false (shardwise_sweep_is_running (ui_child (view, "sweep"))); /* all were computed */
  g_assert_true (says (summary, "Llama 3.3 70B (Full)"));
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (summary)), !=, of_qlora);
}

/* A window without a document takes the job; another opens one beside. */
static void
test_opens (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plan, *view;
  g_autofree char *model = NULL, *type = NULL, *name = NULL;
  ShardwiseScenario *scenario;
  gboolean can_undo;

  gtk_window_present (GTK_WINDOW (fixture->window));
  plan = show_plan (fixture);
  view = view_of (plan, "machine");
  settle (view);
  g_signal_emit_by_name (find_cell (view, 2, SHARDWISE_TUNING_LORA), "clicked");
  scenario = shardwise_window_get_scenario (fixture->window);
  g_assert_nonnull (scenario);
  model = shardwise_scenario_get_string (scenario, SHARDWISE_KEY_MODEL_PRESET);
  type = shardwise_scenario_get_string (scenario, SHARDWISE_KEY_TRAINING_TYPE);
  g_object_get (scenario, "name", &name, "can-undo", &can_undo, NULL);
  g_assert_cmpstr (model, ==, "llama-3.1-8b");
  g_assert_cmpstr (type, ==, "lora");
  g_assert_true (g_str_has_prefix (name, "Llama 3.1 8B on "));
  g_assert_false (can_undo);
  wait_until (has_status (fixture->window, "ready"));
  g_assert_cmpuint (count_windows (fixture, NULL), ==, 1);

  view = show_needs (plan);
  gtk_widget_activate (ui_find_match (ui_child (view, "results"), is_cell, NULL));
  wait_until (count_windows (fixture, NULL) == 2);
  g_assert_true (shardwise_window_get_scenario (fixture->window) == scenario);
}

/* What is wrong is said instead of an answer, and goes when it is mended. */
static void
test_wrong (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plan = show_plan_of (fixture, ONE_CARD), *view = view_of (plan, "machine");
  g_autoptr (ShardwiseScenario) scenario = NULL;

  settle (view);
  g_object_get (view, "scenario", &scenario, NULL);
  shardwise_scenario_reset (scenario, SHARDWISE_KEY_CLUSTER_GPUS);
  settle (view);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (view, "stack")), ==, "error");
  g_assert_false (gtk_widget_get_visible (ui_child (view, "summary")));
  set_row (view, "gpus_row", "2");
  settle (view);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (ui_child (view, "stack")), ==, "results");
}

/* All of it can be reached and used by keys. */
static void
test_keyboard (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plan = show_plan_of (fixture, ONE_CARD), *view = view_of (plan, "machine"), *focus;
  guint n = 0;

  settle (view);
  gtk_window_set_focus (GTK_WINDOW (fixture->window), NULL);
  for (; n < 60; n++)
    {
      gtk_widget_child_focus (plan, GTK_DIR_TAB_FORWARD);
      focus = gtk_window_get_focus (GTK_WINDOW (fixture->window));
      if (focus != NULL && is_cell (focus, NULL))
        break;
    }
  g_assert_cmpuint (n, <, 60);
  gtk_widget_activate (focus);
  wait_until (count_windows (fixture, NULL) == 2);
}

/* What the content takes at least: how wide a window is made, with its frame, is the display's. */
static int
least_width (GtkWidget *window)
{
  int least;

  gtk_widget_measure (adw_window_get_content (ADW_WINDOW (window)), GTK_ORIENTATION_HORIZONTAL, -1,
                      &least, NULL, NULL, NULL);
  return least;
}

/* A narrow window has a list in place of the table, and nothing is wider than it. */
static void
test_narrow (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_from_json (ONE_CARD, -1, NULL);
  GtkWidget *plan = shardwise_plan_window_new (scenario), *view = view_of (plan, "machine"), *cell;

  gtk_window_set_default_size (GTK_WINDOW (plan), 360, 720);
  gtk_window_present (GTK_WINDOW (plan));
  settle (view);
  g_assert_cmpint (least_width (plan), <=, 360);
  cell = ui_find_match (ui_find (view, SHARDWISE_TYPE_FOLD), is_cell, NULL);
  g_assert_nonnull (cell);
  ui_take_picture (plan, "plan-machine-narrow");
  show_needs (plan);
  g_assert_cmpint (least_width (plan), <=, 360);
  ui_take_picture (plan, "plan-needs-narrow");
  gtk_window_destroy (GTK_WINDOW (plan));
}

/* Closing the window that it belongs to closes it, also while it computes. */
static void
test_parent_goes (Fixture *fixture, gconstpointer data)
{
  GtkWidget *plan;

  gtk_window_present (GTK_WINDOW (fixture->window));
  plan = show_plan (fixture);
  g_object_add_weak_pointer (G_OBJECT (plan), (gpointer *) &plan);
  set_row (view_of (plan, "machine"), "gpus_row", "64");
  gtk_window_destroy (GTK_WINDOW (fixture->window));
  g_clear_object (&fixture->window);
  wait_until (plan == NULL);
}

int
main (int argc, char *argv[])
{
  if (!init_window_test (&argc, &argv))
    return 0;
  ADD ("/plan/machine", test_machine);
  ADD ("/plan/inputs", test_inputs);
  ADD ("/plan/needs", test_needs);
  ADD ("/plan/opens", test_opens);
  ADD ("/plan/wrong", test_wrong);
  ADD ("/plan/keyboard", test_keyboard);
  ADD ("/plan/narrow", test_narrow);
  ADD ("/plan/parent-goes", test_parent_goes);
  return g_test_run ();
}
