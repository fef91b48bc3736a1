/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-deadline-card.h"

#include <glib/gi18n.h>

#include "shardwise-chart-card.h"
#include "shardwise-deadline.h"
#include "shardwise-cost-card.h"
#include "shardwise-plan-chart.h"
#include "shardwise-sweep.h"
#include "shardwise-wrapped-label.h"

struct _ShardwiseDeadlineCard {
  AdwBin parent_instance;

  ShardwiseScenario *scenario; /* (nullable): the question */
  ShardwiseAdvice *advice;     /* (nullable): what it was computed for */
  guint smallest, cheapest;    /* GPUs; 0: none */

  ShardwiseValueRow *deadline;
  ShardwiseSweep *sweep;
  ShardwiseChartCard *card;
  ShardwisePlanChart *chart;
  GtkLabel *answer;
  GtkWidget *buttons, *smallest_button, *cheapest_button;
};

G_DEFINE_FINAL_TYPE (ShardwiseDeadlineCard, shardwise_deadline_card, ADW_TYPE_BIN)

static GPtrArray *
work (gpointer data, void (*progress) (double fraction, gpointer data), gpointer progress_data,
      GCancellable *cancellable, GError **error)
{
  GDate today;

  shardwise_date_today (&today);
  return shardwise_deadline_search (data, &today, progress, progress_data, cancellable, error);
}

static void
compute (ShardwiseDeadlineCard *self)
{
  if (self->scenario != NULL)
    shardwise_sweep_run (self->sweep, work, shardwise_scenario_copy (self->scenario),
                         g_object_unref);
}

/* ---- the answer ---- */

static guint
gpus_at (GPtrArray *points, int index)
{
  return index >= 0
             ? ((const ShardwiseSizingPoint *) g_ptr_array_index (points, (guint) index))->gpus
             : 0;
}

static void
set_button (GtkWidget *button, const char *format, guint gpus)
{
  g_autofree char *label = NULL;

  gtk_widget_set_visible (button, gpus > 0);
  if (gpus == 0)
    return;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  label = g_strdup_printf (format, gpus);
#pragma GCC diagnostic pop
  gtk_button_set_label (GTK_BUTTON (button), label);
}

static void
show_answer (ShardwiseDeadlineCard *self, const char *text)
{
  shardwise_wrapped_label_show (self->answer, text);
  /* Translators: a count of GPUs; a button that changes the scenario to it */
  set_button (self->smallest_button, ngettext ("Use %'u GPU", "Use %'u GPUs", self->smallest),
              self->smallest);
  set_button (self->cheapest_button,
              /* Translators: a count of GPUs; a button that changes the scenario to it */
              ngettext ("Use %'u GPU, the Cheapest", "Use %'u GPUs, the Cheapest", self->cheapest),
              self->cheapest != self->smallest ? self->cheapest : 0);
  gtk_widget_set_visible (self->buttons, self->smallest > 0);
}

static void
computed_cb (ShardwiseDeadlineCard *self, GPtrArray *points)
{
  const char *currency = NULL;
  ShardwiseDeadlinePlan plan;
  g_autofree char *text = NULL;
  gboolean has_plan;
  GDate today;

  shardwise_date_today (&today);
  shardwise_advice_get_cost (self->advice, &currency);
  has_plan = shardwise_deadline_plan (self->scenario, &today, points, &plan);
  self->smallest = has_plan ? gpus_at (points, plan.smallest) : 0;
  self->cheapest = has_plan ? gpus_at (points, plan.cheapest) : 0;
  shardwise_plan_chart_set_plan (self->chart, points, has_plan ? &plan : NULL, currency);
  shardwise_chart_card_set_takeaway (self->card, NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->card),
                          shardwise_chart_n_points (SHARDWISE_CHART (self->chart)) > 0);
  if (has_plan)
    text = shardwise_deadline_text (&plan, points, currency);
  else
    text =
        g_strdup (_ ("Set a deadline to see the smallest and the cheapest cluster that meets it."));
  show_answer (self, text);
}

static void
use (ShardwiseDeadlineCard *self, guint gpus)
{
  GVariantBuilder changes;

  g_variant_builder_init (&changes, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&changes, "{sv}", shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPUS),
                         g_variant_new_int64 (gpus));
  gtk_widget_activate_action_variant (GTK_WIDGET (self), "win.apply",
                                      g_variant_builder_end (&changes));
}

static void
smallest_cb (ShardwiseDeadlineCard *self)
{
  use (self, self->smallest);
}

static void
cheapest_cb (ShardwiseDeadlineCard *self)
{
  use (self, self->cheapest);
}

/**
 * shardwise_deadline_card_show:
 * @self: a card
 * @scenario: the question
 * @advice: the answer to it
 *
 * Searches the clusters of a question, unless that was done for this very answer; without a number
 * of tokens there is nothing to search.
 */
void
shardwise_deadline_card_show (ShardwiseDeadlineCard *self, ShardwiseScenario *scenario,
                              ShardwiseAdvice *advice)
{
  g_return_if_fail (SHARDWISE_IS_DEADLINE_CARD (self));

  if (!g_set_object (&self->advice, advice))
    return;
  g_set_object (&self->scenario, scenario);
  shardwise_value_row_set (
      self->deadline,
      shardwise_scenario_is_set (scenario, SHARDWISE_KEY_TRAINING_DEADLINE)
          ? shardwise_scenario_peek_string (scenario, SHARDWISE_KEY_TRAINING_DEADLINE)
          : _ ("not set"),
      NULL);
  if (shardwise_advice_get_problem (advice)->training.tokens > 0)
    {
      compute (self);
      return;
    }
  shardwise_sweep_drop (self->sweep);
  self->smallest = self->cheapest = 0;
  gtk_widget_set_visible (GTK_WIDGET (self->card), FALSE);
  show_answer (self, _ ("Set the number of tokens to train on. Days and cost depend on it."));
}

static void
shardwise_deadline_card_dispose (GObject *object)
{
  ShardwiseDeadlineCard *self = SHARDWISE_DEADLINE_CARD (object);

  g_clear_object (&self->scenario);
  g_clear_object (&self->advice);
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_DEADLINE_CARD);
  G_OBJECT_CLASS (shardwise_deadline_card_parent_class)->dispose (object);
}

#define BIND(name) gtk_widget_class_bind_template_child (widget_class, ShardwiseDeadlineCard, name)

static void
shardwise_deadline_card_class_init (ShardwiseDeadlineCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_deadline_card_dispose;
  g_type_ensure (SHARDWISE_TYPE_CHART_CARD);
  g_type_ensure (SHARDWISE_TYPE_VALUE_ROW);
  g_type_ensure (SHARDWISE_TYPE_PLAN_CHART);
  g_type_ensure (SHARDWISE_TYPE_SWEEP);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-deadline-card.ui");
  BIND (deadline);
  BIND (answer);
  BIND (buttons);
  BIND (smallest_button);
  BIND (cheapest_button);
  BIND (sweep);
  BIND (card);
  BIND (chart);
  gtk_widget_class_bind_template_callback (widget_class, smallest_cb);
  gtk_widget_class_bind_template_callback (widget_class, cheapest_cb);
  gtk_widget_class_bind_template_callback (widget_class, computed_cb);
  gtk_widget_class_bind_template_callback (widget_class, compute);
}

static void
shardwise_deadline_card_init (ShardwiseDeadlineCard *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  shardwise_value_row_lead (self->deadline, SHARDWISE_KEY_TRAINING_DEADLINE);
  shardwise_sweep_keep (self->sweep, GTK_WIDGET (self->answer));
  shardwise_sweep_keep (self->sweep, self->buttons);
  shardwise_sweep_keep (self->sweep, GTK_WIDGET (self->card));
}
