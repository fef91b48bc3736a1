/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-sizing-view.h"

#include <glib/gi18n.h>
#include "shardwise-chart-card.h"
#include "shardwise-sizing-chart.h"
#include "shardwise-sweep.h"

struct _ShardwiseSizingView {
  AdwBin parent_instance;

  ShardwiseScenario *scenario; /* (nullable): the question */
  ShardwiseAdvice *advice;     /* (nullable): for which sizes were computed or are being computed */
  guint chosen_gpus;

  ShardwiseSweep *sweep;
  GtkRevealer *choice_revealer;
  GtkLabel *choice_label;
  GtkButton *choice_button;
  ShardwiseSizingChart *chart;
};

G_DEFINE_FINAL_TYPE (ShardwiseSizingView, shardwise_sizing_view, ADW_TYPE_BIN)

static GPtrArray *
work (gpointer data, void (*progress) (double fraction, gpointer data), gpointer progress_data,
      GCancellable *cancellable, GError **error)
{
  return shardwise_sizing_compute (data, NULL, 0, progress, progress_data, cancellable, error);
}

static void
compute (ShardwiseSizingView *self)
{
  if (self->scenario != NULL)
    shardwise_sweep_run (self->sweep, work, shardwise_scenario_copy (self->scenario), g_object_unref);
}

static void
computed_cb (ShardwiseSizingView *self, GPtrArray *points)
{
  const char *currency = NULL;

  shardwise_advice_get_cost (self->advice, &currency);
  shardwise_sizing_chart_set_points (self->chart, points, currency);
  shardwise_sizing_chart_set_marks (self->chart, shardwise_advice_get_problem (self->advice)->cluster.gpus,
                                    shardwise_advice_get_least_gpus (self->advice),
                                    shardwise_advice_get_sensible_gpus (self->advice));
  gtk_revealer_set_reveal_child (self->choice_revealer, FALSE);
}

static void
use_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  GVariantBuilder changes;

  g_variant_builder_init (&changes, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&changes, "{sv}", "cluster.gpus",
                         g_variant_new_int64 (SHARDWISE_SIZING_VIEW (widget)->chosen_gpus));
  gtk_widget_activate_action_variant (widget, "win.apply", g_variant_builder_end (&changes));
}

static void
point_activated_cb (ShardwiseSizingView *self, guint index)
{
  const ShardwiseSizingPoint *point = shardwise_sizing_chart_get_sizing_point (self->chart, index);
  /* Translators: a count of GPUs; a button that changes the scenario to it */
  g_autofree char *label = g_strdup_printf (_ ("Use %'u GPUs"), point->gpus);
  const char *readout = shardwise_chart_get_readout (SHARDWISE_CHART (self->chart));
  g_autofree char *text = sw_estimate_is_validated (&point->estimate)
                            ? g_strdup (readout)
                            /* Translators: %s is what a point of the chart says */
                            : g_strdup_printf (_ ("%s · not validated"), readout);

  self->chosen_gpus = point->gpus;
  gtk_label_set_label (self->choice_label, text);
  gtk_button_set_label (self->choice_button, label);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sizing.use", point->estimate.fits);
  gtk_revealer_set_reveal_child (self->choice_revealer, TRUE);
}

/**
 * shardwise_sizing_view_show:
 * @self: a view
 * @scenario: the question
 * @advice: the answer to it
 *
 * Computes the sizes of a question, unless they were computed for this very answer.
 */
void
shardwise_sizing_view_show (ShardwiseSizingView *self, ShardwiseScenario *scenario, ShardwiseAdvice *advice)
{
  g_return_if_fail (SHARDWISE_IS_SIZING_VIEW (self));

  if (!g_set_object (&self->advice, advice))
    return;
  g_set_object (&self->scenario, scenario);
  compute (self);
}

static void
shardwise_sizing_view_dispose (GObject *object)
{
  ShardwiseSizingView *self = SHARDWISE_SIZING_VIEW (object);

  g_clear_object (&self->scenario);
  g_clear_object (&self->advice);
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_SIZING_VIEW);
  G_OBJECT_CLASS (shardwise_sizing_view_parent_class)->dispose (object);
}

static void
shardwise_sizing_view_class_init (ShardwiseSizingViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_sizing_view_dispose;

  g_type_ensure (SHARDWISE_TYPE_CHART_CARD);
  g_type_ensure (SHARDWISE_TYPE_SIZING_CHART);
  g_type_ensure (SHARDWISE_TYPE_SWEEP);
  gtk_widget_class_install_action (widget_class, "sizing.use", NULL, use_cb);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-sizing-view.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSizingView, sweep);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSizingView, choice_revealer);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSizingView, choice_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSizingView, choice_button);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSizingView, chart);
}

static void
shardwise_sizing_view_init (ShardwiseSizingView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sizing.use", FALSE);
  g_signal_connect_object (self->sweep, "computed", G_CALLBACK (computed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->sweep, "again", G_CALLBACK (compute), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->chart, "point-activated", G_CALLBACK (point_activated_cb), self,
                           G_CONNECT_SWAPPED);
}
