/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-scale-page.h"

#include <glib/gi18n.h>
#include "shardwise-chart-card.h"
#include "shardwise-sizing-chart.h"
#include "shardwise-texts.h"

/* What the worker needs, and what it tells. */
typedef struct {
  ShardwiseScenario *scenario; /* a copy */
  int permille;                /* atomic */
} Sweep;

struct _ShardwiseScalePage {
  ShardwisePage parent_instance;

  GCancellable *running; /* (nullable): the sweep that is under way */
  Sweep *sweep;          /* (nullable): its progress */
  ShardwiseAdvice
    *shown; /* (nullable): the advice for which sizes were computed or are being computed */
  guint progress_id;
  guint chosen_gpus;

  GtkStack *stack;
  GtkRevealer *progress_revealer, *choice_revealer;
  GtkProgressBar *progress_bar;
  GtkWidget *stopped_box;
  GtkLabel *stopped_label, *choice_label;
  GtkButton *choice_button;
  ShardwiseSizingChart *chart;
};

G_DEFINE_FINAL_TYPE (ShardwiseScalePage, shardwise_scale_page, SHARDWISE_TYPE_PAGE)

static void
sweep_clear (Sweep *sweep)
{
  g_object_unref (sweep->scenario);
}

static void
sweep_unref (gpointer sweep)
{
  g_atomic_rc_box_release_full (sweep, (GDestroyNotify) sweep_clear);
}

static void
progress_cb (double fraction, gpointer data)
{
  g_atomic_int_set (&((Sweep *) data)->permille, (int) (fraction * 1000));
}

static void
sweep_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  GPtrArray *points = shardwise_sizing_compute (((Sweep *) data)->scenario, NULL, 0, progress_cb,
                                                data, cancellable, &error);

  if (points != NULL)
    g_task_return_pointer (task, points, (GDestroyNotify) g_ptr_array_unref);
  else
    g_task_return_error (task, error);
}

static gboolean
show_progress_cb (gpointer data)
{
  ShardwiseScalePage *self = data;

  gtk_progress_bar_set_fraction (self->progress_bar,
                                 g_atomic_int_get (&self->sweep->permille) / 1000.0);
  return G_SOURCE_CONTINUE;
}

static void
set_running (ShardwiseScalePage *self, GCancellable *running, Sweep *sweep)
{
  if (self->running != NULL)
    g_cancellable_cancel (self->running);
  g_clear_handle_id (&self->progress_id, g_source_remove);
  g_clear_pointer (&self->sweep, sweep_unref);
  g_set_object (&self->running, running);
  gtk_revealer_set_reveal_child (self->progress_revealer, running != NULL);
  if (running == NULL)
    return;
  self->sweep = g_atomic_rc_box_acquire (sweep);
  gtk_progress_bar_set_fraction (self->progress_bar, 0);
  self->progress_id = g_timeout_add (50, show_progress_cb, self);
}

static void
offer_compute (ShardwiseScalePage *self, const char *why)
{
  gtk_widget_set_visible (self->stopped_box, why != NULL);
  gtk_label_set_label (self->stopped_label, why != NULL ? why : "");
}

static void
show_points (ShardwiseScalePage *self, GPtrArray *points)
{
  const char *currency = NULL;

  shardwise_advice_get_cost (self->shown, &currency);
  shardwise_sizing_chart_set_points (self->chart, points, currency);
  shardwise_sizing_chart_set_marks (self->chart,
                                    shardwise_advice_get_problem (self->shown)->cluster.gpus,
                                    shardwise_advice_get_least_gpus (self->shown),
                                    shardwise_advice_get_sensible_gpus (self->shown));
  gtk_revealer_set_reveal_child (self->choice_revealer, FALSE);
}

static void
computed_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseScalePage) self = data;
  g_autoptr (GPtrArray) points = NULL;
  g_autoptr (GError) error = NULL;

  points = g_task_propagate_pointer (G_TASK (result), &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return; /* another sweep or nothing took its place */
  set_running (self, NULL, NULL);
  if (error != NULL)
    offer_compute (self, error->message);
  else if (self->shown != NULL)
    show_points (self, points);
}

static void
compute (ShardwiseScalePage *self)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GTask) task = NULL;
  Sweep *sweep = g_atomic_rc_box_new0 (Sweep);

  sweep->scenario = shardwise_scenario_copy (shardwise_advisor_get_scenario (advisor));
  offer_compute (self, NULL);
  set_running (self, cancellable, sweep);
  /* The page is no source object: the worker may drop the last reference to that, and widgets live on this thread. */
  task = g_task_new (NULL, cancellable, computed_cb, g_object_ref (self));
  g_task_set_source_tag (task, compute);
  g_task_set_task_data (task, sweep, sweep_unref);
  g_task_run_in_thread (task, sweep_thread);
}

static void
stop (ShardwiseScalePage *self)
{
  if (self->running == NULL)
    return;
  set_running (self, NULL, NULL);
  offer_compute (self, _ ("Stopped before all sizes were computed."));
}

static void
stop_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  stop (SHARDWISE_SCALE_PAGE (widget));
}

static void
compute_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  if (SHARDWISE_SCALE_PAGE (widget)->shown != NULL)
    compute (SHARDWISE_SCALE_PAGE (widget));
}

static void
use_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  GVariantBuilder changes;

  g_variant_builder_init (&changes, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&changes, "{sv}", "cluster.gpus",
                         g_variant_new_int64 (SHARDWISE_SCALE_PAGE (widget)->chosen_gpus));
  gtk_widget_activate_action_variant (widget, "win.apply", g_variant_builder_end (&changes));
}

static void
point_activated_cb (ShardwiseScalePage *self, guint index)
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
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "scale.use", point->estimate.fits);
  gtk_revealer_set_reveal_child (self->choice_revealer, TRUE);
}

/* A page updates only while it can be seen, so the sweep begins when someone looks. */
static void
shardwise_scale_page_update (ShardwisePage *page)
{
  ShardwiseScalePage *self = SHARDWISE_SCALE_PAGE (page);
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (page);
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);

  gtk_stack_set_visible_child_name (self->stack, advice != NULL ? "charts" : "empty");
  if (shardwise_advisor_get_status (advisor) != SHARDWISE_STATUS_READY || advice == self->shown)
    return;
  g_set_object (&self->shown, advice);
  compute (self);
}

static void
shardwise_scale_page_dispose (GObject *object)
{
  ShardwiseScalePage *self = SHARDWISE_SCALE_PAGE (object);

  if (self->running != NULL)
    g_cancellable_cancel (self->running);
  g_clear_object (&self->running);
  g_clear_pointer (&self->sweep, sweep_unref);
  g_clear_object (&self->shown);
  g_clear_handle_id (&self->progress_id, g_source_remove);
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_SCALE_PAGE);
  G_OBJECT_CLASS (shardwise_scale_page_parent_class)->dispose (object);
}

static void
shardwise_scale_page_class_init (ShardwiseScalePageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_scale_page_dispose;
  SHARDWISE_PAGE_CLASS (klass)->update = shardwise_scale_page_update;

  g_type_ensure (SHARDWISE_TYPE_CHART_CARD);
  g_type_ensure (SHARDWISE_TYPE_SIZING_CHART);
  gtk_widget_class_install_action (widget_class, "scale.stop", NULL, stop_cb);
  gtk_widget_class_install_action (widget_class, "scale.compute", NULL, compute_cb);
  gtk_widget_class_install_action (widget_class, "scale.use", NULL, use_cb);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-scale-page.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, stack);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, progress_revealer);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, progress_bar);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, choice_revealer);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, choice_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, choice_button);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, stopped_box);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, stopped_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseScalePage, chart);
}

static void
shardwise_scale_page_init (ShardwiseScalePage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "scale.use", FALSE);
  g_signal_connect_object (self->chart, "point-activated", G_CALLBACK (point_activated_cb), self,
                           G_CONNECT_SWAPPED);
}

/**
 * shardwise_scale_page_new:
 *
 * Returns: (transfer floating): an empty page
 */
GtkWidget *
shardwise_scale_page_new (void)
{
  return g_object_new (SHARDWISE_TYPE_SCALE_PAGE, NULL);
}
