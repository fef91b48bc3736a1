/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-sizing-view.h"

#include <glib/gi18n.h>
#include <string.h>
#include "shardwise-chart-card.h"
#include "shardwise-input-marks.h"
#include "shardwise-option-list.h"
#include "shardwise-changes.h"
#include "shardwise-sizing-chart.h"
#include "shardwise-sweep.h"
#include "shardwise-wrap-layout.h"
#include "shardwise-wrapped-label.h"

#define LEAST_SIZE 8    /* of the range that is shown without numbers of the user's own */
#define LESS 4          /* the range without more sizes: a quarter of the present number, */
#define MORE 16         /* to so many times as much */
#define SOON_SIZE 4096u /* up to which reinforcement learning is searched in a second or two */
#define GPU "gpu:"
#define NETWORK "network:"

struct _ShardwiseSizingView {
  AdwBin parent_instance;

  ShardwiseScenario *scenario; /* (nullable): the question */
  ShardwiseAdvice *advice;     /* (nullable): for which sizes were computed or are being computed */
  GArray *sizes;               /* (nullable): numbers of GPUs of the user's own, ascending */
  guint chosen;                /* point of the chart */
  gboolean is_partial;         /* what is under way is only the sizes that are found soon */
  ShardwiseBatchRule rule;     /* of the points that are shown */
  char *compared;              /* (nullable): what they are compared with, as in its list */

  ShardwiseSweep *sweep;
  ShardwiseChartCard *card;
  GtkWidget *controls, *sizes_entry, *more;
  GtkBox *lists;
  GtkLabel *sizes_error;
  GtkDropDown *batch_list, *compared_list;
  GtkRevealer *choice_revealer;
  GtkLabel *choice_label;
  GtkButton *choice_button;
  ShardwiseSizingChart *chart;
};

G_DEFINE_FINAL_TYPE (ShardwiseSizingView, shardwise_sizing_view, ADW_TYPE_BIN)

/* What the worker needs. */
typedef struct {
  ShardwiseScenario *scenario, *compared; /* copies; compared: (nullable) */
  GArray *sizes;
  ShardwiseBatchRule rule;
  void (*progress) (double fraction, gpointer data);
  gpointer progress_data;
  double done; /* 0 to 1, before the cluster that is being computed */
} Question;

static void
question_free (gpointer data)
{
  Question *self = data;

  g_clear_object (&self->scenario);
  g_clear_object (&self->compared);
  g_array_unref (self->sizes);
  g_free (self);
}

static void
progress_cb (double fraction, gpointer data)
{
  Question *self = data;

  self->progress (self->done + fraction / (self->compared != NULL ? 2 : 1), self->progress_data);
}

/* Returns: of GPtrArray: the points of the scenario's cluster, then those of the other. */
static GPtrArray *
work (gpointer data, void (*progress) (double fraction, gpointer data), gpointer progress_data,
      GCancellable *cancellable, GError **error)
{
  Question *self = data;
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  GPtrArray *points;

  self->progress = progress;
  self->progress_data = progress_data;
  for (guint i = 0; i < (self->compared != NULL ? 2 : 1); i++)
    {
      self->done = i * 0.5;
      points = shardwise_sizing_compute_with (
          i == 0 ? self->scenario : self->compared, (const guint *) (gpointer) self->sizes->data,
          self->sizes->len, self->rule, progress_cb, self, cancellable, error);
      if (points == NULL)
        return NULL;
      g_ptr_array_add (all, points);
    }
  return g_steal_pointer (&all);
}

/* The text after `prefix` in `compared`, a value of the list; NULL if it has another prefix. */
static const char *
id_of (const char *compared, const char *prefix)
{
  return compared != NULL && g_str_has_prefix (compared, prefix) ? compared + strlen (prefix)
                                                                 : NULL;
}

static ShardwiseBatchRule
batch_rule (ShardwiseSizingView *self)
{
  return (ShardwiseBatchRule) gtk_drop_down_get_selected (self->batch_list);
}

/* The numbers of the user, else those around the present one, or the whole range; what the chart marks
 * is among them. */
static GArray *
sizes_now (ShardwiseSizingView *self)
{
  guint present = shardwise_advice_get_problem (self->advice)->cluster.gpus, n_least,
        sensible = shardwise_advice_get_sensible_gpus (self->advice);
  const SwLeastGpus *least = shardwise_advice_get_least (self->advice, &n_least);
  GArray *sizes;

  if (self->sizes != NULL)
    return g_array_copy (self->sizes);
  sizes = shardwise_sizing_sizes (LEAST_SIZE, present);
  for (guint i = sizes->len;
       i > 0 && !gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->more)); i--)
    {
      const guint size = g_array_index (sizes, guint, i - 1);

      if (size < present / LESS || size > (guint64) present * MORE)
        g_array_remove_index (sizes, i - 1);
    }
  for (guint i = 0; i < n_least; i++)
    g_array_append_val (sizes, least[i].gpus);
  if (sensible > 0)
    g_array_append_val (sizes, sensible);
  shardwise_sizing_sort (sizes);
  return sizes;
}

/* Of reinforcement learning, the search of which takes seconds for large clusters, the other sizes
 * come first. Returns: (nullable): these; NULL if they are all of them, or none. */
static GArray *
soon_sizes (ShardwiseSizingView *self, GArray *sizes)
{
  g_autoptr (GArray) soon = g_array_new (FALSE, FALSE, sizeof (guint));

  if (shardwise_advice_get_problem (self->advice)->training.type != SW_TRAINING_RLHF)
    return NULL;
  for (guint i = 0; i < sizes->len; i++)
    if (g_array_index (sizes, guint, i) <= SOON_SIZE)
      g_array_append_val (soon, g_array_index (sizes, guint, i));
  return soon->len > 0 && soon->len < sizes->len ? g_steal_pointer (&soon) : NULL;
}

/* The sizes that are quick to compute, if there are any, or all sizes. */
static void
begin (ShardwiseSizingView *self, gboolean soon)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseScenario) compared = NULL;
  g_autoptr (GArray) first = NULL;
  const char *value;
  Question *question;

  if (self->scenario == NULL)
    return;
  value = shardwise_option_list_get_value (self->compared_list);
  if (id_of (value, GPU) != NULL)
    compared = shardwise_other_cluster_of_gpu (self->scenario, id_of (value, GPU), &error);
  else if (id_of (value, NETWORK) != NULL)
    compared = shardwise_other_cluster_of_network (self->scenario, id_of (value, NETWORK), &error);
  if (error != NULL)
    {
      shardwise_sweep_stop (self->sweep);
      shardwise_sweep_offer (self->sweep, error->message);
      return;
    }
  question = g_new0 (Question, 1);
  question->scenario = shardwise_scenario_copy (self->scenario);
  question->compared = g_steal_pointer (&compared);
  question->sizes = sizes_now (self);
  first = soon ? soon_sizes (self, question->sizes) : NULL;
  self->is_partial = first != NULL;
  if (first != NULL)
    {
      g_array_unref (question->sizes);
      question->sizes = g_steal_pointer (&first);
    }
  question->rule = batch_rule (self);
  shardwise_sweep_run (self->sweep, work, question, question_free);
}

static void
compute (ShardwiseSizingView *self)
{
  begin (self, TRUE);
}

static void
computed_cb (ShardwiseSizingView *self, GPtrArray *all)
{
  g_autofree char *own = NULL, *compared = g_strdup (shardwise_input_option_get_label (
                                   gtk_drop_down_get_selected_item (self->compared_list)));
  const char *currency = NULL;

  self->rule = batch_rule (self);
  g_free (self->compared);
  self->compared = g_strdup (shardwise_option_list_get_value (self->compared_list));

  /* Names of the clusters in the legend, by what differs between them. */
  const SwCluster *cluster = &shardwise_advice_get_problem (self->advice)->cluster;
  guint n_least;
  const SwLeastGpus *least = shardwise_advice_get_least (self->advice, &n_least);

  own = g_strdup (id_of (self->compared, NETWORK) != NULL ? cluster->inter.name
                                                          : cluster->gpu.name);
  shardwise_advice_get_cost (self->advice, &currency);
  shardwise_sizing_chart_set_marks (
      self->chart, shardwise_advice_get_problem (self->advice)->cluster.gpus, least, n_least,
      shardwise_advice_get_sensible_gpus (self->advice));
  shardwise_sizing_chart_set_points (self->chart, g_ptr_array_index (all, 0), own, currency);
  if (all->len > 1)
    shardwise_sizing_chart_set_compared (self->chart, g_ptr_array_index (all, 1), compared);
  gtk_revealer_set_reveal_child (self->choice_revealer, FALSE);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sizing.use", FALSE); /* its point is gone */
  if (!self->is_partial)
    return;
  begin (self, FALSE);
  shardwise_sweep_go_on (self->sweep);
}

/* What the user chooses */

static void
use_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ShardwiseSizingView *self = SHARDWISE_SIZING_VIEW (widget);
  const ShardwiseSizingPoint *point = shardwise_sizing_chart_get_sizing_point (self->chart,
                                                                               self->chosen);
  gboolean is_compared = shardwise_sizing_chart_is_compared (self->chart, self->chosen);
  GVariantDict changes;

  g_variant_dict_init (&changes, NULL);
  shardwise_changes_insert (&changes, SHARDWISE_KEY_CLUSTER_GPUS, "x", (gint64) point->gpus);
  if (self->rule == SHARDWISE_BATCH_PER_GPU)
    shardwise_changes_insert (&changes, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, "x",
                              (gint64) point->global_batch);
  if (is_compared && id_of (self->compared, GPU) != NULL)
    shardwise_other_cluster_add_gpu (&changes, id_of (self->compared, GPU));
  if (is_compared && id_of (self->compared, NETWORK) != NULL)
    shardwise_other_cluster_add_network (&changes, id_of (self->compared, NETWORK));
  gtk_widget_activate_action_variant (widget, "win.apply", g_variant_dict_end (&changes));
}

static void
point_activated_cb (ShardwiseSizingView *self, guint index)
{
  const ShardwiseSizingPoint *point = shardwise_sizing_chart_get_sizing_point (self->chart, index);
  /* Translators: a count of GPUs; a button that changes the scenario to it */
  g_autofree char *label = g_strdup_printf (ngettext ("Use %'u GPU", "Use %'u GPUs", point->gpus),
                                            point->gpus);
  const char *readout = shardwise_chart_get_readout (SHARDWISE_CHART (self->chart));
  g_autofree char *text = sw_estimate_is_validated (&point->estimate)
                              ? g_strdup (readout)
                              /* Translators: %s is what a point of the chart says */
                              : g_strdup_printf (_ ("%s · not validated"), readout);

  self->chosen = index;
  shardwise_wrapped_label_show (self->choice_label, text);
  gtk_button_set_label (self->choice_button, label);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sizing.use", point->estimate.fits);
  gtk_revealer_set_reveal_child (self->choice_revealer, TRUE);
}

/* "16,384" is two sizes or one. Returns: (transfer full) (nullable): the first word that is
 * both. */
static char *
find_ambiguous_size (const char *text)
{
  g_autoptr (GRegex) words = g_regex_new ("(?<![0-9,])[1-9][0-9]{0,2},[0-9]{3}(?![0-9,])", 0, 0,
                                          NULL);
  g_autoptr (GMatchInfo) match = NULL;

  for (g_regex_match (words, text, 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL))
    {
      g_autofree char *word = g_match_info_fetch (match, 0);
      g_auto (GStrv) parts = g_strsplit (word, ",", 2);
      g_autofree char *whole = g_strconcat (parts[0], parts[1], NULL);

      if (g_ascii_strtod (whole, NULL) <= shardwise_key_get (SHARDWISE_KEY_CLUSTER_GPUS)->maximum)
        return g_steal_pointer (&word);
    }
  return NULL;
}

/* Numbers that cannot be read are reported below; the chart does not change. */
static void
sizes_cb (ShardwiseSizingView *self)
{
  g_autofree char *text = g_strstrip (
                      g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->sizes_entry)))),
                  *why = NULL, *ambiguous = find_ambiguous_size (text);
  g_autoptr (GArray) sizes = NULL;
  gboolean valid = *text == '\0'
                   || (ambiguous == NULL && shardwise_sizing_parse (text, &sizes, &why));
  gboolean same;

  if (ambiguous != NULL) /* Translators: %s is what was typed, as "16,384" */
    why = g_strdup_printf (
        _ ("“%s” can mean one number or two. Remove the comma, or add a space after it"),
        ambiguous);
  shardwise_input_mark_wrong (NULL, self->sizes_entry, !valid);
  gtk_label_set_label (self->sizes_error, why != NULL ? why : "");
  gtk_widget_set_visible (GTK_WIDGET (self->sizes_error), !valid);
  if (sizes != NULL)
    shardwise_sizing_sort (sizes);
  same = sizes == NULL || self->sizes == NULL
             ? sizes == self->sizes
             : sizes->len == self->sizes->len
                   && memcmp (sizes->data, self->sizes->data, sizes->len * sizeof (guint)) == 0;
  if (!valid || same)
    return;
  g_clear_pointer (&self->sizes, g_array_unref);
  self->sizes = g_steal_pointer (&sizes);
  compute (self);
}

/**
 * shardwise_sizing_view_show:
 * @self: a view
 * @scenario: the question
 * @advice: the answer to it
 *
 * Computes the sizes of a question, unless they were computed for this very answer.
 *
 * Returns: whether they are soon there: shardwise_sizing_view_await() is worth its time
 */
gboolean
shardwise_sizing_view_show (ShardwiseSizingView *self, ShardwiseScenario *scenario,
                            ShardwiseAdvice *advice)
{
  g_return_val_if_fail (SHARDWISE_IS_SIZING_VIEW (self), FALSE);

  if (!g_set_object (&self->advice, advice))
    return FALSE;
  g_set_object (&self->scenario, scenario);
  compute (self);
  return !self->is_partial;
}

/**
 * shardwise_sizing_view_await:
 * @self: a view
 *
 * Waits for the sizes, for little more than a frame at most.
 */
void
shardwise_sizing_view_await (ShardwiseSizingView *self)
{
  g_return_if_fail (SHARDWISE_IS_SIZING_VIEW (self));

  shardwise_sweep_await (self->sweep, SHARDWISE_SWEEP_SOON_US);
}

static void
shardwise_sizing_view_dispose (GObject *object)
{
  ShardwiseSizingView *self = SHARDWISE_SIZING_VIEW (object);

  g_clear_object (&self->scenario);
  g_clear_object (&self->advice);
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_SIZING_VIEW);
  g_clear_pointer (&self->sizes, g_array_unref); /* the entry that loses the focus is read */
  g_clear_pointer (&self->compared, g_free);
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
  g_type_ensure (SHARDWISE_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-sizing-view.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSizingView, sweep);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSizingView, card);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSizingView, choice_revealer);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSizingView, choice_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSizingView, choice_button);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSizingView, chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSizingView, controls);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSizingView, lists);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSizingView, sizes_entry);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSizingView, more);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSizingView, sizes_error);
  gtk_widget_class_bind_template_callback (widget_class, computed_cb);
  gtk_widget_class_bind_template_callback (widget_class, compute);
  gtk_widget_class_bind_template_callback (widget_class, point_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, sizes_cb);
}

static void
shardwise_sizing_view_init (ShardwiseSizingView *self)
{
  g_autoptr (GListStore) rules = g_list_store_new (SHARDWISE_TYPE_INPUT_OPTION),
                         others = g_list_store_new (SHARDWISE_TYPE_INPUT_OPTION);
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();

  gtk_widget_init_template (GTK_WIDGET (self));
  shardwise_control_list_add (rules, shardwise_batch_rule_names[SHARDWISE_BATCH_FIXED],
                              _ ("As it is"), _ ("More GPUs share the same global batch"));
  shardwise_control_list_add (rules, shardwise_batch_rule_names[SHARDWISE_BATCH_PER_GPU],
                              _ ("Grows with the GPUs"),
                              _ ("Each GPU keeps its share of the batch"));
  self->batch_list =
      GTK_DROP_DOWN (shardwise_option_list_new (_ ("Global batch"), G_LIST_MODEL (rules)));
  shardwise_control_list_add (others, "", _ ("Nothing"), NULL);
  shardwise_control_list_add_catalogue (others, NETWORK, shardwise_catalogue_networks (catalogue));
  shardwise_control_list_add_catalogue (others, GPU, shardwise_catalogue_gpus (catalogue));
  self->compared_list =
      GTK_DROP_DOWN (shardwise_option_list_new (_ ("Compare with"), G_LIST_MODEL (others)));
  shardwise_tooltip_wrap (self->sizes_entry);
  gtk_box_prepend (self->lists,
                   shardwise_labelled_new (_ ("Compare with"), GTK_WIDGET (self->compared_list)));
  gtk_box_prepend (self->lists,
                   shardwise_labelled_new (_ ("Global batch"), GTK_WIDGET (self->batch_list)));
  shardwise_chart_card_set_controls (self->card, self->controls);
  g_signal_connect_object (self->batch_list, "notify::selected", G_CALLBACK (compute), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->compared_list, "notify::selected", G_CALLBACK (compute), self,
                           G_CONNECT_SWAPPED);
  shardwise_sweep_keep (self->sweep, GTK_WIDGET (self->chart));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "sizing.use", FALSE);
}
