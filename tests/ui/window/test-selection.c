/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One selection on every page, Export with its libraries among them. */
#include "shardwise-advice-page.h"
#include "shardwise-alternatives-page.h"
#include "shardwise-analysis-page.h"
#include "shardwise-comparison-view.h"
#include "shardwise-degree-chip.h"
#include "shardwise-export-page.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "ui-fixture.h"

/* What the page Advice says of a dimension. */
static const char *
chip_value (GtkWidget *page, SwDimension dimension)
{
  GtkWidget *chip = ui_find (page, SHARDWISE_TYPE_DEGREE_CHIP);

  while (shardwise_degree_chip_get_dimension (SHARDWISE_DEGREE_CHIP (chip)) != dimension)
    chip = gtk_widget_get_next_sibling (chip);
  return shardwise_degree_chip_get_value (SHARDWISE_DEGREE_CHIP (chip));
}

/* The pages Advice, Analysis and Export beside the page Alternatives. */
typedef struct {
  GtkWidget *advice, *analysis, *export;
} Others;

static gboolean
is_written (Others *others, const SwStrategy *strategy)
{
  ShardwiseExportPage *page = SHARDWISE_EXPORT_PAGE (others->export);
  g_autofree char *text = ui_text_in (ui_child (others->export, "preview"));
  g_autofree char *tp = g_strdup_printf ("--tensor-model-parallel-size %u", strategy->tp);

  return g_str_equal (shardwise_export_page_get_state (page), "ready") && strstr (text, tp) != NULL;
}

/* What every other page says is this strategy. */
static void
assert_shown (Others *others, const SwStrategy *strategy)
{
  g_autofree char *tp = shardwise_text_dimension_value (SW_DIM_TP, strategy->tp);
  g_autofree char *name = shardwise_text_strategy (strategy),
                  *shown = shardwise_format_unbroken (name);

  shardwise_page_update_now (SHARDWISE_PAGE (others->advice));
  shardwise_page_update_now (SHARDWISE_PAGE (others->analysis));
  g_assert_cmpstr (chip_value (others->advice, SW_DIM_TP), ==, tp);
  g_assert_cmpstr (gtk_label_get_label (ui_child (others->analysis, "strategy_label")), ==, shown);
  wait_until (is_written (others, strategy));
}

/* A compared strategy that is looked at is what Advice and Analysis show and what Export writes; so
 * is the recommended one when it comes back. */
static void
test_everywhere (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (
      "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8}, "
      "\"training\": {\"framework\": \"megatron-core\"}}");
  GtkWidget *page = g_object_new (SHARDWISE_TYPE_ALTERNATIVES_PAGE, NULL),
            *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *window;
  Others others = { g_object_new (SHARDWISE_TYPE_ADVICE_PAGE, NULL),
                    g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL),
                    g_object_new (SHARDWISE_TYPE_EXPORT_PAGE, NULL) };
  GtkWidget *pages[] = { page, others.advice, others.analysis, others.export };
  const SwSearchResult *search =
      shardwise_advice_get_search (shardwise_advisor_get_advice (advisor));
  const SwStrategy best = shardwise_advisor_get_selected (advisor)->strategy;
  SwStrategy other = best;

  for (guint i = 0; i < search->n_best && other.tp == best.tp; i++)
    other = search->best[i].strategy;
  g_assert_cmpuint (other.tp, !=, best.tp);
  for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
    {
      shardwise_page_set_advisor (SHARDWISE_PAGE (pages[i]), advisor);
      gtk_box_append (GTK_BOX (box), pages[i]);
    }
  shardwise_export_page_select (SHARDWISE_EXPORT_PAGE (others.export), "megatron");
  window = ui_show (box, 1000, 2600);
  assert_shown (&others, &best);
  shardwise_comparison_pin (
      shardwise_alternatives_page_get_comparison (SHARDWISE_ALTERNATIVES_PAGE (page)), &other);
  g_signal_emit_by_name (ui_find (page, SHARDWISE_TYPE_COMPARISON_VIEW), "activated", 0u);
  g_assert_true (sw_strategy_equal (&shardwise_advisor_get_selected (advisor)->strategy, &other));
  assert_shown (&others, &other);
  gtk_widget_activate_action (page, "alternatives.back", NULL);
  assert_shown (&others, &best);
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;

  g_test_add_func ("/selection/everywhere", test_everywhere);
  return g_test_run ();
}
