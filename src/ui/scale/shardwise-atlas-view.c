/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-atlas-view.h"

#include <glib/gi18n.h>

#include "shardwise-atlas-chart.h"
#include "shardwise-chart-card.h"
#include "shardwise-option-list.h"
#include "shardwise-changes.h"
#include "shardwise-sweep.h"
#include "shardwise-wrap-layout.h"

/* Source of batch, sequence, precision and other inputs of every cell. */
typedef enum { TRAINING_BENCHMARK, TRAINING_SCENARIO } Training;

struct _ShardwiseAtlasView {
  AdwBin parent_instance;

  ShardwiseScenario *scenario; /* (nullable): the document */
  ShardwiseAdvice *advice;     /* (nullable): the answer to it */
  ShardwiseScenario *question; /* (nullable): of the cells that are shown */
  ShardwiseScenario *asked;    /* (nullable): source of the cells computed or started last */

  ShardwiseSweep *sweep;
  ShardwiseChartCard *card;
  ShardwiseAtlasChart *chart;
  GtkDropDown *gpu_list, *training_list, *nodes_list;
};

G_DEFINE_FINAL_TYPE (ShardwiseAtlasView, shardwise_atlas_view, ADW_TYPE_BIN)

/* What the worker needs. */
typedef struct {
  ShardwiseScenario *scenario; /* a copy */
  guint n_nodes;
} Job;

static void
job_free (gpointer data)
{
  g_object_unref (((Job *) data)->scenario);
  g_free (data);
}

static GPtrArray *
work (gpointer data, void (*progress) (double fraction, gpointer data), gpointer progress_data,
      GCancellable *cancellable, GError **error)
{
  Job *self = data;

  return shardwise_atlas_compute (self->scenario, NULL, 0, shardwise_atlas_nodes, self->n_nodes,
                                  progress, progress_data, cancellable, error);
}

static ShardwiseScenario *
question_new (ShardwiseAtlasView *self, GError **error)
{
  const char *gpu = shardwise_option_list_get_value (self->gpu_list);

  if (gtk_drop_down_get_selected (self->training_list) == TRAINING_BENCHMARK)
    return shardwise_atlas_benchmark (gpu, error);
  if (g_str_equal (gpu, shardwise_advice_get_problem (self->advice)->cluster.gpu.id))
    return shardwise_scenario_copy (self->scenario);
  return shardwise_other_cluster_of_gpu (self->scenario, gpu, error);
}

static void
compute (ShardwiseAtlasView *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseScenario) question = NULL;
  Job *job;

  if (self->advice == NULL)
    return;
  question = question_new (self, &error);
  if (question == NULL)
    {
      shardwise_sweep_stop (self->sweep);
      shardwise_sweep_offer (self->sweep, error->message);
      return;
    }
  g_set_object (&self->asked, question);
  job = g_new0 (Job, 1);
  job->scenario = shardwise_scenario_copy (question);
  job->n_nodes = gtk_drop_down_get_selected (self->nodes_list) == 0
                     ? SHARDWISE_ATLAS_BENCHMARK_NODES
                     : SHARDWISE_ATLAS_NODES;
  shardwise_sweep_run (self->sweep, work, job, job_free);
}

static void
computed_cb (ShardwiseAtlasView *self, GPtrArray *cells)
{
  g_set_object (&self->question, self->asked);
  shardwise_atlas_chart_set_cells (
      self->chart, cells,
      shardwise_input_option_get_label (gtk_drop_down_get_selected_item (self->gpu_list)));
}

/* Opens the cell as a new scenario; the open document does not change. */
static void
cell_activated_cb (ShardwiseAtlasView *self, guint index)
{
  const ShardwiseAtlasCell *cell = shardwise_atlas_chart_get_cell (self->chart, index);
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_copy (self->question);
  g_autofree char *json = NULL;

  if (!shardwise_atlas_cell_scenario (scenario, cell, NULL))
    return;
  json = shardwise_scenario_to_json (scenario);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.open-scenario", "s", json);
}

/* The controls above the chart */

static GtkDropDown *
list_new (const char *name, const char *const *labels, const char *const *subtitles)
{
  g_autoptr (GListStore) options = g_list_store_new (SHARDWISE_TYPE_INPUT_OPTION);

  for (guint i = 0; labels[i] != NULL; i++)
    shardwise_control_list_add (options, labels[i], _ (labels[i]), _ (subtitles[i]));
  return GTK_DROP_DOWN (shardwise_option_list_new (name, G_LIST_MODEL (options)));
}

static void
add_control (ShardwiseAtlasView *self, GtkWidget *line, const char *name, GtkDropDown *list)
{
  gtk_box_append (GTK_BOX (line), shardwise_labelled_new (name, GTK_WIDGET (list)));
  g_signal_connect_object (list, "notify::selected", G_CALLBACK (compute), self, G_CONNECT_SWAPPED);
}

/**
 * shardwise_atlas_view_show:
 * @self: a view
 * @scenario: the document
 * @advice: the answer to it
 *
 * Computes the atlas when it is first shown, and again if it uses the scenario and that has
 * changed.
 */
void
shardwise_atlas_view_show (ShardwiseAtlasView *self, ShardwiseScenario *scenario,
                           ShardwiseAdvice *advice)
{
  gboolean is_first;

  g_return_if_fail (SHARDWISE_IS_ATLAS_VIEW (self));

  is_first = self->advice == NULL;
  if (!g_set_object (&self->advice, advice))
    return;
  g_set_object (&self->scenario, scenario);
  if (is_first || gtk_drop_down_get_selected (self->training_list) == TRAINING_SCENARIO)
    compute (self);
}

static void
shardwise_atlas_view_dispose (GObject *object)
{
  ShardwiseAtlasView *self = SHARDWISE_ATLAS_VIEW (object);

  g_clear_object (&self->scenario);
  g_clear_object (&self->advice);
  g_clear_object (&self->question);
  g_clear_object (&self->asked);
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_ATLAS_VIEW);
  G_OBJECT_CLASS (shardwise_atlas_view_parent_class)->dispose (object);
}

static void
shardwise_atlas_view_class_init (ShardwiseAtlasViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_atlas_view_dispose;

  g_type_ensure (SHARDWISE_TYPE_ATLAS_CHART);
  g_type_ensure (SHARDWISE_TYPE_CHART_CARD);
  g_type_ensure (SHARDWISE_TYPE_SWEEP);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-atlas-view.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAtlasView, sweep);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAtlasView, card);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAtlasView, chart);
  gtk_widget_class_bind_template_callback (widget_class, computed_cb);
  gtk_widget_class_bind_template_callback (widget_class, compute);
  gtk_widget_class_bind_template_callback (widget_class, cell_activated_cb);
}

static void
shardwise_atlas_view_init (ShardwiseAtlasView *self)
{
  static const char *const trainings[] = { N_ ("Benchmark"), N_ ("This scenario"), NULL };
  static const char *const about[] = { N_ ("Sequences of 4,096, 1 M tokens per step, no offload"),
                                       N_ ("Its batch, sequence, precision and so on"), NULL };
  static const char *const nodes[] = { N_ ("1 to 64"), N_ ("1 to 2,048"), NULL };
  static const char *const clusters[] = { N_ ("As the benchmark"),
                                          N_ ("Up to the largest clusters that are planned"),
                                          NULL };
  g_autoptr (GListStore) gpus = g_list_store_new (SHARDWISE_TYPE_INPUT_OPTION);
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_widget_set_layout_manager (line, shardwise_wrap_layout_new (12, 6, 0, 0));
  gtk_widget_set_hexpand (line, TRUE);
  shardwise_control_list_add_catalogue (gpus, "",
                                        shardwise_catalogue_gpus (shardwise_catalogue_get ()));
  self->gpu_list = GTK_DROP_DOWN (shardwise_option_list_new (_ ("GPU"), G_LIST_MODEL (gpus)));
  shardwise_option_list_set_value (self->gpu_list, "h100-80-sxm");
  self->training_list = list_new (_ ("Training"), trainings, about);
  self->nodes_list = list_new (_ ("Nodes"), nodes, clusters);
  add_control (self, line, _ ("GPU"), self->gpu_list);
  add_control (self, line, _ ("Training"), self->training_list);
  add_control (self, line, _ ("Nodes"), self->nodes_list);
  shardwise_chart_card_set_controls (self->card, line);
  shardwise_sweep_keep (self->sweep, GTK_WIDGET (self->chart));
}
