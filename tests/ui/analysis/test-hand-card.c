/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-degree-chip.h"
#include "shardwise-hand-card.h"
#include "shardwise-hand-card.h"
#include "shardwise-wrapped-label.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"

#include "ui-fixture.h"

static const char scenario_70b[] =
    "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": \"llama-3-70b\"},"
    " \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 64}, \"training\": {\"framework\": "
    "\"megatron-core\"}, \"strategy\": {\"tp\": 4, \"pp\": 4, \"schedule\": \"1f1b\", \"vpp\": 1}}";

static const SwProblem *
problem_of (ShardwiseAdvisor *advisor)
{
  return shardwise_advice_get_problem (shardwise_advisor_get_advice (advisor));
}

static ShardwiseHandCard *
card_new (ShardwiseAdvisor *advisor)
{
  ShardwiseHandCard *card = g_object_new (SHARDWISE_TYPE_HAND_CARD, NULL);

  shardwise_hand_card_set_advisor (card, advisor);
  return card;
}

/* The label with this text, anywhere below; NULL: there is none. */
static GtkWidget *
label_with (GtkWidget *widget, const char *text)
{
  if (GTK_IS_LABEL (widget) && strstr (gtk_label_get_label (GTK_LABEL (widget)), text) != NULL)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = label_with (child, text);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* What follows from a dimension that is set; all GPUs stay in use. */
static void
test_follows (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);
  const SwProblem *problem = problem_of (advisor);
  SwStrategy s = shardwise_advisor_get_selected (advisor)->strategy;

  g_assert_cmpuint (s.dp, ==, 4);
  shardwise_hand_set (problem, &s, SW_DIM_TP, 8);
  g_assert_cmpuint (s.dp, ==, 2);
  g_assert_cmpuint (s.etp, ==, 8);
  g_assert_cmpuint (s.shard_group, ==, 2);
  shardwise_hand_set (problem, &s, SW_DIM_VPP, 4);
  g_assert_cmpuint (s.schedule, ==, SW_SCHEDULE_INTERLEAVED);
  shardwise_hand_set (problem, &s, SW_DIM_SCHEDULE, SW_SCHEDULE_GPIPE);
  g_assert_cmpuint (s.vpp, ==, 1);
  shardwise_hand_set (problem, &s, SW_DIM_SCHEDULE, SW_SCHEDULE_INTERLEAVED);
  g_assert_cmpuint (s.vpp, ==, 2);
  shardwise_hand_set (problem, &s, SW_DIM_PP, 1);
  g_assert_cmpuint (s.vpp, ==, 1);
  g_assert_cmpuint (s.schedule, ==, SW_SCHEDULE_1F1B);
  g_assert_cmpuint (s.dp, ==, 8);
  shardwise_hand_set (problem, &s, SW_DIM_TP, 1);
  g_assert_false (s.sequence_parallel);
  shardwise_hand_set (problem, &s, SW_DIM_TP, 2);
  g_assert_true (s.sequence_parallel);
  g_assert_cmpuint (s.dp, ==, 32);
  shardwise_hand_set (problem, &s, SW_DIM_DP, 8); /* fewer replicas leave GPUs idle */
  g_assert_cmpuint (s.tp, ==, 2);
  g_assert_cmpuint (sw_strategy_gpus (&s), ==, 16);
}

/* Every dimension offers several values in order, the present one among them, and takes all of
 * them. */
static void
test_values (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);
  const SwProblem *problem = problem_of (advisor);
  SwStrategy chosen = shardwise_advisor_get_selected (advisor)->strategy;

  for (guint dimension = 0; dimension < SW_N_DIMENSIONS; dimension++)
    {
      guint values[SHARDWISE_HAND_MAX_VALUES];
      guint n = shardwise_hand_values (problem, &chosen, dimension, values);
      gboolean has_present = FALSE;

      g_assert_cmpuint (n, >, 0);
      for (guint i = 0; i < n; i++)
        {
          SwStrategy strategy = chosen;
          SwEstimate estimate;

          g_assert_true (i == 0 || values[i] > values[i - 1]);
          has_present |= values[i] == sw_strategy_get (&chosen, dimension);
          shardwise_hand_set (problem, &strategy, dimension, values[i]);
          if (shardwise_hand_estimate (problem, &strategy, &estimate))
            g_assert_cmpfloat (estimate.time.step_s, >, 0);
          else
            g_assert_cmpint (estimate.rule, !=, SW_RULE_OK);
          g_assert_cmpint (estimate.rule, !=, SW_RULE_PIN);
        }
      g_assert_true (has_present);
    }
}

/* At first it is the recommendation; a change is estimated at once and compared, and neither the
 * recommendation nor what the pages look at follows. */
static void
test_compares (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);
  ShardwiseHandCard *card = card_new (advisor);
  GtkWidget *window = ui_show (GTK_WIDGET (card), 900, 600);
  SwEstimate recommended = *shardwise_advisor_get_selected (advisor), expected;
  g_autofree char *memory = NULL, *base = NULL;
  SwStrategy strategy = recommended.strategy;

  g_assert_true (sw_strategy_equal (&shardwise_hand_card_get_estimate (card)->strategy, &strategy));
  g_assert_nonnull (label_with (GTK_WIDGET (card), "It fits"));
  shardwise_hand_card_set_dimension (card, SW_DIM_RECOMPUTE, SW_RECOMPUTE_FULL);
  strategy.recompute = SW_RECOMPUTE_FULL;
  shardwise_hand_estimate (problem_of (advisor), &strategy, &expected);
  g_assert_cmpfloat (shardwise_hand_card_get_estimate (card)->time.step_s, ==,
                     expected.time.step_s);
  g_assert_cmpfloat (expected.time.step_s, >, recommended.time.step_s);
  memory = shardwise_format_bytes (expected.memory.peak.total);
  base = shardwise_format_bytes (recommended.memory.peak.total);
  g_assert_nonnull (label_with (ui_find (GTK_WIDGET (card), SHARDWISE_TYPE_HAND_TABLE), memory));
  g_assert_nonnull (label_with (ui_find (GTK_WIDGET (card), SHARDWISE_TYPE_HAND_TABLE), base));
  g_assert_nonnull (label_with (ui_find (GTK_WIDGET (card), SHARDWISE_TYPE_HAND_TABLE), "▼"));
  g_assert_true (sw_strategy_equal (&shardwise_advisor_get_selected (advisor)->strategy,
                                    &recommended.strategy));
  cairo_surface_destroy (ui_picture (GTK_WIDGET (card), "hand-card"));
  gtk_widget_activate_action (GTK_WIDGET (card), "hand.reset", NULL);
  g_assert_true (sw_strategy_equal (&shardwise_hand_card_get_estimate (card)->strategy,
                                    &recommended.strategy));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* What cannot run has no figures but the rule that it breaks; what is too large has both. */
static void
test_rules (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);
  ShardwiseHandCard *card = card_new (advisor);
  GtkWidget *window = ui_show (GTK_WIDGET (card), 360, 900);

  shardwise_hand_card_set_dimension (card, SW_DIM_TP, 64);
  shardwise_hand_card_set_dimension (card, SW_DIM_PP, 8);
  g_assert_cmpint (shardwise_hand_card_get_estimate (card)->rule, ==, SW_RULE_WORLD_SIZE);
  g_assert_nonnull (label_with (GTK_WIDGET (card), "It cannot run: "));
  g_assert_null (label_with (ui_find (GTK_WIDGET (card), SHARDWISE_TYPE_HAND_TABLE), "points"));
  cairo_surface_destroy (ui_picture (GTK_WIDGET (card), "hand-card-360"));
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (card)), ==, 360);
  gtk_widget_activate_action (GTK_WIDGET (card), "hand.reset", NULL);
  shardwise_hand_card_set_dimension (card, SW_DIM_PP, 1);
  shardwise_hand_card_set_dimension (card, SW_DIM_ZERO, 0);
  g_assert_cmpint (shardwise_hand_card_get_estimate (card)->rule, ==, SW_RULE_GPU_MEMORY);
  g_assert_nonnull (label_with (GTK_WIDGET (card), "It does not fit: "));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Looked at on demand; what was set stays while the advice changes. */
static void
test_show (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);
  g_autoptr (ShardwiseAdvisor) larger = ui_advisor (
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
      "\"llama-3-70b\"},"
      " \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 128}}");
  ShardwiseHandCard *card = card_new (advisor);
  GtkWidget *window = ui_show (GTK_WIDGET (card), 900, 600);

  shardwise_hand_card_set_dimension (card, SW_DIM_TP, 8);
  gtk_widget_activate_action (GTK_WIDGET (card), "hand.show", NULL);
  g_assert_cmpuint (shardwise_advisor_get_selected (advisor)->strategy.tp, ==, 8);
  g_assert_cmpuint (shardwise_advisor_get_selected (advisor)->strategy.dp, ==, 2);
  shardwise_hand_card_set_advisor (card, larger);
  g_assert_cmpuint (shardwise_hand_card_get_estimate (card)->strategy.tp, ==, 8);
  g_assert_cmpuint (shardwise_hand_card_get_estimate (card)->gpus_idle, ==, 64);
  g_object_ref (card);
  gtk_window_destroy (GTK_WINDOW (window));
  g_assert_finalize_object (card);
}

static gboolean
is_list_of_experts (GtkWidget *widget, gconstpointer unused)
{
  g_autofree char *name = shardwise_text_dimension (SW_DIM_EP), *other = NULL;

  if (!GTK_IS_DROP_DOWN (widget))
    return FALSE;
  other = gtk_test_accessible_check_property (GTK_ACCESSIBLE (widget),
                                              GTK_ACCESSIBLE_PROPERTY_LABEL, name);
  return other == NULL && gtk_widget_is_visible (widget);
}

/* Expert parallelism that was set for another model can be taken back, and is offered no more. */
static void
test_experts (void)
{
  g_autoptr (ShardwiseAdvisor)
      dense = ui_advisor (scenario_70b),
      experts = ui_advisor (
          "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {\"preset\": "
          "\"mixtral-8x7b\"}, \"cluster\": {\"gpu\": \"h100-80-sxm\", \"gpus\": 64}}");
  ShardwiseHandCard *card = card_new (experts);
  GtkWidget *window = ui_show (GTK_WIDGET (card), 900, 600), *list;

  shardwise_hand_card_set_dimension (card, SW_DIM_EP, 1); /* which need not be another value */
  shardwise_hand_card_set_dimension (card, SW_DIM_EP, 4);
  shardwise_hand_card_set_advisor (card, dense);
  g_assert_cmpuint (shardwise_hand_card_get_estimate (card)->strategy.ep, ==, 4);
  list = ui_find_match (GTK_WIDGET (card), is_list_of_experts, NULL);
  g_assert_nonnull (list);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (list), 0);
  g_assert_cmpuint (shardwise_hand_card_get_estimate (card)->strategy.ep, ==, 1);
  g_assert_null (ui_find_match (GTK_WIDGET (card), is_list_of_experts, NULL));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Each list has the dimension's name for a screen reader, and choosing in it sets the dimension. */
static void
test_lists (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (scenario_70b);
  ShardwiseHandCard *card = card_new (advisor);
  GtkWidget *window = ui_show (GTK_WIDGET (card), 900, 600);
  GtkDropDown *tp = GTK_DROP_DOWN (ui_find (GTK_WIDGET (card), GTK_TYPE_DROP_DOWN));
  GtkStringObject *word = gtk_drop_down_get_selected_item (tp);
  GListModel *model = gtk_drop_down_get_model (tp);
  g_autofree char *name = shardwise_text_dimension (SW_DIM_TP);

  g_assert_cmpstr (gtk_string_object_get_string (word), ==, "4");
  gtk_test_accessible_assert_property (tp, GTK_ACCESSIBLE_PROPERTY_LABEL, name);
  gtk_drop_down_set_selected (tp, 0);
  g_assert_cmpuint (shardwise_hand_card_get_estimate (card)->strategy.tp, ==, 1);
  g_assert_cmpuint (shardwise_hand_card_get_estimate (card)->strategy.dp, ==, 16);
  g_assert_true (gtk_drop_down_get_model (tp) == model); /* whose selection GTK still uses */
  gtk_window_destroy (GTK_WINDOW (window));
}

/* In a window from right to left a percentage still has its sign behind it; elsewhere nothing is
 * added to a figure. */
static void
test_right_to_left (void)
{
  g_autofree char *plain = shardwise_isolate ("46.4 %"), *isolated = NULL, *none = NULL;
  GtkWidget *label;
  PangoLayout *layout;
  PangoRectangle digit, percent;

  g_assert_cmpstr (plain, ==, "46.4 %");
  gtk_widget_set_default_direction (GTK_TEXT_DIR_RTL);
  isolated = shardwise_isolate ("46.4 %");
  none = shardwise_isolate (NULL);
  label = g_object_ref_sink (shardwise_figure_label_new ("46.4 %"));
  layout = gtk_label_get_layout (GTK_LABEL (label));
  pango_layout_index_to_pos (layout, strstr (isolated, "4") - isolated, &digit);
  pango_layout_index_to_pos (layout, strstr (isolated, "%") - isolated, &percent);
  gtk_widget_set_default_direction (GTK_TEXT_DIR_LTR);
  g_assert_null (none);
  g_assert_cmpint (digit.x, <, percent.x);
  g_assert_finalize_object (label);
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;

  g_test_add_func ("/hand-card/follows", test_follows);
  g_test_add_func ("/hand-card/values", test_values);
  g_test_add_func ("/hand-card/compares", test_compares);
  g_test_add_func ("/hand-card/rules", test_rules);
  g_test_add_func ("/hand-card/show", test_show);
  g_test_add_func ("/hand-card/experts", test_experts);
  g_test_add_func ("/hand-card/lists", test_lists);
  g_test_add_func ("/hand-card/right-to-left", test_right_to_left);
  return g_test_run ();
}
