/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An alternative beside the recommended strategy: its card, and the words for what differs. */
#include <math.h>

#include "shardwise-alternative-card.h"
#include "shardwise-neighbour-table.h"
#include "shardwise-strategy-words.h"
#include "shardwise-format.h"
#include "ui-fixture.h"

static void
test_changes (void)
{
  static const struct {
    double change;
    const char *text;
    const char *more_is_better, *more_is_worse;
  } cases[] = {
    { 0.08, "▲ +8.0 %", "success", "error" },
    { -0.031, "▼ −3.1 %", "error", "success" },
    { 0, "±0 %", NULL, NULL },
    { INFINITY, "–", NULL, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = shardwise_signed_percent (cases[i].change);

      g_assert_cmpstr (text, ==, cases[i].text);
      g_assert_cmpstr (shardwise_change_class (cases[i].change, TRUE), ==, cases[i].more_is_better);
      g_assert_cmpstr (shardwise_change_class (cases[i].change, FALSE), ==, cases[i].more_is_worse);
    }
}

static void
test_difference (void)
{
  SwStrategy a, b;
  g_autofree char *same = NULL, *other = NULL;

  sw_strategy_init_default (&a);
  a.tp = a.etp = 8;
  a.pp = 4;
  b = a;
  same = shardwise_strategy_difference (&a, &b);
  g_assert_cmpstr (same, ==, "");
  b.tp = b.etp = 4;
  b.pp = 8;
  other = shardwise_strategy_difference (&a, &b);
  g_assert_cmpstr (other, ==, "TP 4, not 8 · PP 8, not 4");
}

/* A screen reader is told what differs also where that is the framework alone. */
static void
test_name (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (NULL);
  const SwEstimate *recommended =
      shardwise_advice_get_recommended (shardwise_advisor_get_advice (advisor));
  GtkWidget *card = g_object_ref_sink (shardwise_alternative_card_new ());
  g_autofree char *rate = shardwise_format_count (recommended->tokens_per_s),
                  *memory = shardwise_format_bytes (recommended->memory.peak.total),
                  *name = g_strdup_printf ("Nanotron: %s tokens/s, ±0 %%; %s per GPU, the same",
                                           rate, memory);
  SwEstimate other = *recommended;

  other.strategy.framework = SW_FRAMEWORK_NANOTRON;
  shardwise_alternative_card_set (SHARDWISE_ALTERNATIVE_CARD (card), recommended, &other, FALSE);
  gtk_test_accessible_assert_property (card, GTK_ACCESSIBLE_PROPERTY_LABEL, name);
  other.strategy.zero_stage ^= 1; /* where more differs, too */
  shardwise_alternative_card_set (SHARDWISE_ALTERNATIVE_CARD (card), recommended, &other, FALSE);
  g_assert_true (ui_says (card, "Nanotron"));
  g_object_unref (card);
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;
  g_test_add_func ("/alternative-card/changes", test_changes);
  g_test_add_func ("/alternative-card/difference", test_difference);
  g_test_add_func ("/alternative-card/name", test_name);
  return g_test_run ();
}
