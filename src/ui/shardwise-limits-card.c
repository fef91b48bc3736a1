/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-limits-card.h"

#include <glib/gi18n.h>
#include "shardwise-chart-card.h"
#include "shardwise-sensitivity.h"
#include "shardwise-tornado-chart.h"

#define MORE 1.25 /* of one resource at a time */

struct _ShardwiseLimitsCard {
  AdwBin parent_instance;

  ShardwiseChartCard *card;
  ShardwiseTornadoChart *chart;
  ShardwiseAdvice *advice; /* (nullable): of what is shown or asked for */
  SwStrategy strategy;
  GCancellable *running; /* (nullable) */
};

G_DEFINE_FINAL_TYPE (ShardwiseLimitsCard, shardwise_limits_card, ADW_TYPE_BIN)

static void
stop (ShardwiseLimitsCard *self)
{
  if (self->running != NULL)
    g_cancellable_cancel (self->running);
  g_clear_object (&self->running);
}

static void
computed_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseLimitsCard) self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) gains = shardwise_sensitivity_finish (result, &error);

  if (gains == NULL)
    return; /* stopped: another question took its place */
  g_clear_object (&self->running);
  shardwise_tornado_chart_set_gains (self->chart, &g_array_index (gains, SwSensitivity, 0), MORE,
                                     &self->strategy);
  shardwise_chart_card_set_takeaway (self->card, NULL);
}

/**
 * shardwise_limits_card_set_strategy:
 * @self: a card
 * @advice: whose question it is
 * @estimate: of the strategy that is looked at
 *
 * Shows what limits @estimate, as soon as that is computed; the same question is not asked twice.
 */
void
shardwise_limits_card_set_strategy (ShardwiseLimitsCard *self, ShardwiseAdvice *advice,
                                    const SwEstimate *estimate)
{
  g_return_if_fail (SHARDWISE_IS_LIMITS_CARD (self));

  if (self->advice == advice && sw_strategy_equal (&self->strategy, &estimate->strategy))
    return;
  stop (self);
  g_set_object (&self->advice, advice);
  self->strategy = estimate->strategy;
  gtk_widget_set_visible (GTK_WIDGET (self), estimate->fits);
  if (!estimate->fits)
    return;
  shardwise_tornado_chart_set_gains (self->chart, NULL, MORE, &self->strategy);
  shardwise_chart_card_set_takeaway (self->card, _ ("Evaluating the strategy with more of each "
                                                    "resource…"));
  self->running = g_cancellable_new ();
  shardwise_sensitivity_async (shardwise_advice_get_problem (advice), estimate, MORE, self->running,
                               computed_cb, g_object_ref (self));
}

static void
shardwise_limits_card_dispose (GObject *object)
{
  ShardwiseLimitsCard *self = SHARDWISE_LIMITS_CARD (object);

  stop (self);
  g_clear_object (&self->advice);
  G_OBJECT_CLASS (shardwise_limits_card_parent_class)->dispose (object);
}

static void
shardwise_limits_card_class_init (ShardwiseLimitsCardClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = shardwise_limits_card_dispose;
}

static void
shardwise_limits_card_init (ShardwiseLimitsCard *self)
{
  self->chart = g_object_new (SHARDWISE_TYPE_TORNADO_CHART, NULL);
  self->card = g_object_new (SHARDWISE_TYPE_CHART_CARD, "title", _ ("What limits the speed"),
                             "chart", self->chart, NULL);
  adw_bin_set_child (ADW_BIN (self), GTK_WIDGET (self->card));
  /* What computes holds the card, which its window would not dispose of. */
  g_signal_connect (self, "unrealize", G_CALLBACK (stop), NULL);
}
