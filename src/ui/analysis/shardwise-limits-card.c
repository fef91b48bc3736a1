/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-limits-card.h"

#include <glib/gi18n.h>
#include "shardwise-chart-card.h"
#include "shardwise-estimate.h"
#include "shardwise-sweep.h"
#include "shardwise-tornado-chart.h"

#define MORE 1.25 /* of one resource at a time */

struct _ShardwiseLimitsCard {
  AdwBin parent_instance;

  ShardwiseSweep *sweep;
  ShardwiseChartCard *card;
  ShardwiseTornadoChart *chart;
  ShardwiseAdvice *advice; /* (nullable): of what is shown or asked for */
  SwEstimate estimate;     /* the same */
};

G_DEFINE_FINAL_TYPE (ShardwiseLimitsCard, shardwise_limits_card, ADW_TYPE_BIN)

/* What the worker needs. */
typedef struct {
  SwProblem problem;
  SwEstimate estimate;
} Question;

static GPtrArray *
work (gpointer data, void (*progress) (double fraction, gpointer data), gpointer progress_data,
      GCancellable *cancellable, GError **error)
{
  const Question *question = data;

  return shardwise_sensitivity_compute (&question->problem, &question->estimate, MORE, progress,
                                        progress_data, cancellable, error);
}

static void
compute (ShardwiseLimitsCard *self)
{
  Question *question;

  if (self->advice == NULL || !self->estimate.fits)
    return;
  question = g_new (Question, 1);
  *question = (Question){ *shardwise_advice_get_problem (self->advice), self->estimate };
  shardwise_sweep_run (self->sweep, work, question, g_free);
}

static void
computed_cb (ShardwiseLimitsCard *self, GPtrArray *gains)
{
  SwSensitivity all[SW_N_RESOURCES];

  for (guint i = 0; i < SW_N_RESOURCES; i++)
    all[i] = *(const SwSensitivity *) g_ptr_array_index (gains, i);
  shardwise_tornado_chart_set_gains (self->chart, all, MORE, &self->estimate.strategy);
  gtk_widget_set_visible (GTK_WIDGET (self->card), TRUE);
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

  if (self->advice == advice && sw_strategy_equal (&self->estimate.strategy, &estimate->strategy))
    return;
  shardwise_sweep_drop (self->sweep);
  g_set_object (&self->advice, advice);
  self->estimate = *estimate;
  gtk_widget_set_visible (GTK_WIDGET (self), estimate->fits);
  compute (self);
}

/**
 * shardwise_limits_card_await:
 * @self: a card
 *
 * Waits for what is under way, for little more than a frame at most.
 */
void
shardwise_limits_card_await (ShardwiseLimitsCard *self)
{
  g_return_if_fail (SHARDWISE_IS_LIMITS_CARD (self));

  shardwise_sweep_await (self->sweep, SHARDWISE_SWEEP_SOON_US);
}

static void
shardwise_limits_card_dispose (GObject *object)
{
  ShardwiseLimitsCard *self = SHARDWISE_LIMITS_CARD (object);

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
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);

  self->sweep = g_object_new (SHARDWISE_TYPE_SWEEP, "text",
                              _ ("Evaluating the strategy with more of each resource"), NULL);
  self->chart = g_object_new (SHARDWISE_TYPE_TORNADO_CHART, NULL);
  self->card = g_object_new (SHARDWISE_TYPE_CHART_CARD, "title", _ ("What limits the speed"),
                             "chart", self->chart, "visible", FALSE, NULL);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->sweep));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->card));
  adw_bin_set_child (ADW_BIN (self), box);
  shardwise_sweep_keep (self->sweep, GTK_WIDGET (self->card));
  g_signal_connect_object (self->sweep, "computed", G_CALLBACK (computed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->sweep, "again", G_CALLBACK (compute), self, G_CONNECT_SWAPPED);
}
