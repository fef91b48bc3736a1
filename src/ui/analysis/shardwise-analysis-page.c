/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-analysis-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "shardwise-advice.h"
#include "shardwise-chart-card.h"
#include "shardwise-communication-chart.h"
#include "shardwise-container.h"
#include "shardwise-evidence.h"
#include "shardwise-hand-card.h"
#include "shardwise-line-layout.h"
#include "shardwise-measured-chart.h"
#include "shardwise-memory-chart.h"
#include "shardwise-pipeline-chart.h"
#include "shardwise-resolve.h"
#include "shardwise-schedule-chart.h"
#include "shardwise-sections.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-text-estimate.h"
#include "shardwise-sweep.h"
#include "shardwise-timeline-chart.h"
#include "shardwise-tornado-chart.h"
#include "shardwise-waterfall-chart.h"
#include "shardwise-wrapped-label.h"
#include "sw-estimate.h"

/* The tensors of the fullest stage at its peak, in a row that unfolds. */
#define SHARDWISE_TYPE_TENSOR_LIST (shardwise_tensor_list_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseTensorList, shardwise_tensor_list, SHARDWISE, TENSOR_LIST,
                      AdwExpanderRow)

struct _ShardwiseTensorList {
  AdwExpanderRow parent_instance;

  SwTensor tensors[SW_MAX_TENSORS]; /* largest first */
  guint n;
  gboolean stale;  /* rows are created when visible */
  GPtrArray *rows; /* GtkWidget elements, transfer none */
};

G_DEFINE_FINAL_TYPE (ShardwiseTensorList, shardwise_tensor_list, ADW_TYPE_EXPANDER_ROW)

/* A row with an amount of memory at its end, which is @value. */
static GtkWidget *
bytes_row_new (const char *title, GtkWidget *value)
{
  GtkWidget *row = adw_action_row_new ();

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  gtk_widget_add_css_class (value, "numeric");
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), value);
  return row;
}

static int
compare_tensors (const void *a, const void *b)
{
  double x = ((const SwTensor *) a)->bytes, y = ((const SwTensor *) b)->bytes;

  return (x < y) - (x > y);
}

static void
fill (ShardwiseTensorList *self)
{
  if (!self->stale || !adw_expander_row_get_expanded (ADW_EXPANDER_ROW (self)))
    return;
  self->stale = FALSE;
  for (guint i = 0; i < self->rows->len; i++)
    adw_expander_row_remove (ADW_EXPANDER_ROW (self), g_ptr_array_index (self->rows, i));
  g_ptr_array_set_size (self->rows, 0);
  for (guint i = 0; i < self->n; i++)
    {
      const SwTensor *tensor = &self->tensors[i];
      g_autofree char *bytes = shardwise_format_bytes (tensor->bytes);
      g_autofree char *detail = shardwise_text_tensor_detail (tensor);
      GtkWidget *row = bytes_row_new (shardwise_text_tensor (tensor), gtk_label_new (bytes));

      adw_action_row_set_subtitle (ADW_ACTION_ROW (row), detail);
      shardwise_line_layout_rows (row);
      adw_expander_row_add_row (ADW_EXPANDER_ROW (self), row);
      g_ptr_array_add (self->rows, row);
    }
}

static void
shardwise_tensor_list_finalize (GObject *object)
{
  g_ptr_array_unref (SHARDWISE_TENSOR_LIST (object)->rows);
  G_OBJECT_CLASS (shardwise_tensor_list_parent_class)->finalize (object);
}

static void
shardwise_tensor_list_class_init (ShardwiseTensorListClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = shardwise_tensor_list_finalize;
}

static void
shardwise_tensor_list_init (ShardwiseTensorList *self)
{
  self->rows = g_ptr_array_new ();
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), _ ("Tensor by tensor"));
  g_signal_connect (self, "notify::expanded", G_CALLBACK (fill), NULL);
}

/* @self: a list
 * @problem: a prepared question
 * @estimate: of a strategy; its fullest stage is listed */
static void
shardwise_tensor_list_set_estimate (ShardwiseTensorList *self, const SwProblem *problem,
                                    const SwEstimate *estimate)
{
  guint stage = estimate->memory.peak_stage;
  g_autofree char *total = shardwise_format_bytes (estimate->memory.peak.total), *subtitle = NULL,
                  *gpu = NULL;

  g_return_if_fail (SHARDWISE_IS_TENSOR_LIST (self));

  self->n = sw_memory_tensors (problem, &estimate->strategy, stage, self->tensors);
  qsort (self->tensors, self->n, sizeof *self->tensors, compare_tensors);
  gpu = shardwise_text_gpu_of_stage (&estimate->strategy, stage);
  /* Translators: memory, such as 61.2 GiB, and "a GPU of stage 3" */
  subtitle = g_strdup_printf (_ ("Contents of the %s of %s at its peak"), total, gpu);
  adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (self), subtitle);
  self->stale = TRUE;
  fill (self);
}

/* The card with the resource that limits a strategy. It asks the engine on a worker thread for each
 * new strategy, and cancels the previous request. */
#define SHARDWISE_TYPE_LIMITS_CARD (shardwise_limits_card_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseLimitsCard, shardwise_limits_card, SHARDWISE, LIMITS_CARD, AdwBin)

#define MORE 1.25 /* of one resource at a time */

struct _ShardwiseLimitsCard {
  AdwBin parent_instance;

  ShardwiseSweep *sweep;
  ShardwiseChartCard *card;
  ShardwiseTornadoChart *chart;
  ShardwiseAdvice *advice; /* (nullable): for the shown or requested strategy */
  SwEstimate estimate;     /* that strategy */
};

G_DEFINE_FINAL_TYPE (ShardwiseLimitsCard, shardwise_limits_card, ADW_TYPE_BIN)

/* The worker's input. */
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

/* @self: a card
 * @advice: the source of the question
 * @estimate: of the selected strategy
 *
 * Shows the limits of @estimate once they are computed; the same question is not asked twice. */
static void
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

struct _ShardwiseGroupButtons {
  ShardwiseContainer parent_instance;

  ShardwiseRankChart *chart; /* weak: its page owns both */
  GtkToggleButton *button[SW_N_COMMUNICATION_GROUPS];
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (ShardwiseGroupButtons, shardwise_group_buttons, SHARDWISE_TYPE_CONTAINER)

/* Short, so that all five fit in a narrow window. */
static const struct {
  const char *label, *name;
} groups[SW_N_COMMUNICATION_GROUPS] = {
  { N_ ("TP"), N_ ("Color by Tensor Parallel Rank") },
  { N_ ("CP"), N_ ("Color by Context Parallel Rank") },
  { N_ ("EP"), N_ ("Color by Expert Parallel Rank") },
  { N_ ("PP"), N_ ("Color by Pipeline Stage") },
  { N_ ("DP"), N_ ("Color by Data Parallel Replica") },
};

static void
toggled_cb (ShardwiseGroupButtons *self, GtkToggleButton *button)
{
  if (self->updating || self->chart == NULL || !gtk_toggle_button_get_active (button))
    return;
  for (guint i = 0; i < SW_N_COMMUNICATION_GROUPS; i++)
    if (self->button[i] == button)
      shardwise_rank_chart_set_group (self->chart, (SwCommunicationGroup) i);
}

/* 
 * shardwise_group_buttons_update:
 * @self: a row of buttons
 *
 * Shows the groups of the chart's strategy and the one for the colors; call it after the strategy
 * has changed. */
static void
shardwise_group_buttons_update (ShardwiseGroupButtons *self)
{
  g_return_if_fail (SHARDWISE_IS_GROUP_BUTTONS (self));

  if (self->chart == NULL)
    return;
  self->updating = TRUE;
  for (guint i = 0; i < SW_N_COMMUNICATION_GROUPS; i++)
    {
      SwCommunicationGroup group = (SwCommunicationGroup) i;

      gtk_widget_set_visible (GTK_WIDGET (self->button[i]),
                              shardwise_rank_chart_has_group (self->chart, group));
      gtk_toggle_button_set_active (self->button[i],
                                    shardwise_rank_chart_get_group (self->chart) == group);
    }
  self->updating = FALSE;
}

static void
shardwise_group_buttons_dispose (GObject *object)
{
  ShardwiseGroupButtons *self = SHARDWISE_GROUP_BUTTONS (object);

  self->updating = TRUE;
  g_clear_weak_pointer (&self->chart);
  G_OBJECT_CLASS (shardwise_group_buttons_parent_class)->dispose (object);
}

static void
shardwise_group_buttons_class_init (ShardwiseGroupButtonsClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = shardwise_group_buttons_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
shardwise_group_buttons_init (ShardwiseGroupButtons *self)
{
  gtk_widget_add_css_class (GTK_WIDGET (self), "linked");
  for (guint i = 0; i < SW_N_COMMUNICATION_GROUPS; i++)
    {
      GtkWidget *button = gtk_toggle_button_new_with_label (_ (groups[i].label));

      self->button[i] = GTK_TOGGLE_BUTTON (button);
      if (i > 0)
        gtk_toggle_button_set_group (self->button[i], self->button[0]);
      gtk_widget_set_tooltip_text (button, _ (groups[i].name));
      gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      _ (groups[i].name), -1);
      g_signal_connect_object (button, "toggled", G_CALLBACK (toggled_cb), self, G_CONNECT_SWAPPED);
      gtk_widget_set_parent (button, GTK_WIDGET (self));
    }
}

/* Additional memory of the run before its steady steps, and during evaluation. */
static const struct {
  const char *title;
  gsize offset; /* of the bytes in SwMoments */
} moments[] = {
  { N_ ("Loading, per GPU"), G_STRUCT_OFFSET (SwMoments, loading) },
  { N_ ("Loading, per host"), G_STRUCT_OFFSET (SwMoments, loading_host) },
  { N_ ("First backward pass"), G_STRUCT_OFFSET (SwMoments, first_backward) },
  { N_ ("Evaluation"), G_STRUCT_OFFSET (SwMoments, evaluation) },
};

#define N_MOMENTS G_N_ELEMENTS (moments)

struct _ShardwiseAnalysisPage {
  ShardwisePage parent_instance;

  GtkStack *stack;
  ShardwiseSections *sections;
  GtkStack *content;
  ShardwiseEvidence *evidence;
  GtkLabel *kind_label, *strategy_label, *generation_label;
  GtkWidget *phases_card;
  ShardwiseWaterfallChart *time_chart, *phases_chart;
  ShardwiseLimitsCard *limits_card;
  ShardwiseCommunicationChart *communication_chart;
  GtkWidget *communication_card, *measured_card, *step_card;
  ShardwiseMeasuredChart *measured_chart, *step_chart;
  ShardwiseRankChart *rank_chart;
  ShardwiseChartCard *rank_card;
  GtkWidget *group_buttons;
  ShardwisePipelineChart *pipeline_chart;
  ShardwiseChartCard *pipeline_card;
  ShardwiseScheduleChart *schedule_chart;
  GtkWidget *schedule_card;
  ShardwiseMemoryChart *memory_chart, *zero_chart;
  ShardwiseTimelineChart *timeline_chart;
  GtkWidget *timeline_card;
  ShardwiseTensorList *tensor_list;
  GtkWidget *moments_group;
  GtkLabel *moments[N_MOMENTS];
  ShardwiseHandCard *hand_card;
  AdwBin *runs_bin, *rules_bin; /* for content from the window */
};

G_DEFINE_FINAL_TYPE (ShardwiseAnalysisPage, shardwise_analysis_page, SHARDWISE_TYPE_PAGE)

static guint wanted_signal;

/* The index. Sections of the evidence are the children of the evidence. */
static const ShardwiseSection sections[] = {
  { "memory", N_ ("Memory") },
  { "sharding", N_ ("Memory in a step") },
  { "time", N_ ("Time") },
  { "communication", N_ ("Communication") },
  { "pipeline", N_ ("Pipeline") },
  { "ranks", N_ ("Ranks") },
  { "reasons", N_ ("Reasons and neighbors") },
  { "figures", N_ ("More figures") },
  { "assumptions", N_ ("Assumptions and checks") },
  { "search", N_ ("What was searched") },
  { "opinions", N_ ("Second opinions") },
  { "frameworks", N_ ("Frameworks and recipes") },
  { "runs", N_ ("Measured runs") },
  { "rules", N_ ("Rules of thumb") },
};

static void
section_cb (ShardwiseAnalysisPage *self)
{
  const char *id = shardwise_sections_get_section (self->sections);

  if (gtk_stack_get_child_by_name (self->content, id) != NULL)
    {
      gtk_stack_set_visible_child_name (self->content, id);
      return;
    }
  shardwise_evidence_show (self->evidence, id);
  gtk_stack_set_visible_child_name (self->content, "evidence");
}

/* A section with content from the window became visible. */
static void
wanted_cb (ShardwiseAnalysisPage *self)
{
  g_signal_emit (self, wanted_signal, 0, shardwise_sections_get_section (self->sections));
}

static void
show_moments (ShardwiseAnalysisPage *self, const SwProblem *problem, const SwEstimate *estimate)
{
  SwMoments held;
  const gboolean has_any = sw_moments (problem, estimate, &held);
  g_autofree char *evaluation = has_any ? shardwise_text_evaluation (estimate, &held) : NULL;

  gtk_widget_set_visible (self->moments_group, has_any);
  adw_preferences_group_set_description (ADW_PREFERENCES_GROUP (self->moments_group), evaluation);
  for (guint i = 0; has_any && i < N_MOMENTS; i++)
    {
      g_autofree char *bytes =
          shardwise_format_bytes (G_STRUCT_MEMBER (double, &held, moments[i].offset));

      gtk_label_set_label (self->moments[i], bytes);
    }
}

static void
show_estimate (ShardwiseAnalysisPage *self, const SwProblem *problem, const SwEstimate *estimate)
{
  g_autofree char *name = shardwise_text_strategy (&estimate->strategy);
  g_autofree char *strategy = shardwise_format_unbroken (name);
  double kernels[SW_N_KERNELS];

  gtk_label_set_label (self->strategy_label, strategy);
  sw_kernels (problem, &estimate->strategy, &estimate->time, kernels);
  shardwise_waterfall_chart_set_time (self->time_chart, &estimate->time, kernels);

  /* A step of reinforcement learning has phases; others have none to show. */
  g_autofree char *generation = shardwise_text_generation (problem, estimate);

  gtk_widget_set_visible (self->phases_card, estimate->phases.n > 0);
  shardwise_wrapped_label_show (self->generation_label, generation);
  shardwise_waterfall_chart_set_phases (self->phases_chart, &estimate->phases);
  gtk_widget_set_visible (self->communication_card,
                          shardwise_communication_chart_set_strategy (
                              self->communication_chart, problem, &estimate->strategy));
  gtk_widget_set_visible (
      GTK_WIDGET (self->rank_card),
      shardwise_rank_chart_set_strategy (self->rank_chart, problem, &estimate->strategy));
  shardwise_group_buttons_update (SHARDWISE_GROUP_BUTTONS (self->group_buttons));
  shardwise_pipeline_chart_set_strategy (self->pipeline_chart, problem, &estimate->strategy);
  gtk_widget_set_visible (self->schedule_card, shardwise_schedule_chart_set_estimate (
                                                   self->schedule_chart, problem, estimate));
  shardwise_memory_chart_set_stages (self->memory_chart, problem, estimate);
  shardwise_tensor_list_set_estimate (self->tensor_list, problem, estimate);
  show_moments (self, problem, estimate);
  shardwise_memory_chart_set_zero_stages (self->zero_chart, problem, estimate);
  gtk_widget_set_visible (self->timeline_card, shardwise_timeline_chart_set_strategy (
                                                   self->timeline_chart, problem, estimate));
}

/* For a measured cluster, compares each figure with the prediction of the catalog; for a measured
 * layer, with the prediction for @problem, which includes the other measurements of the machine. */
static void
show_machine (ShardwiseAnalysisPage *self, ShardwiseScenario *scenario, const SwProblem *problem)
{
  g_autofree SwProblem *base = g_new0 (SwProblem, 1);
  ShardwiseMachine machine;
  const gboolean is_measured = shardwise_scenario_get_machine (scenario, &machine, base);

  gtk_widget_set_visible (self->measured_card,
                          shardwise_measured_chart_set_machine (
                              self->measured_chart, is_measured ? &machine : NULL, base));
  gtk_widget_set_visible (self->step_card, shardwise_measured_chart_set_step (
                                               self->step_chart, &machine.step, problem));
}

/* States which strategy the figures belong to, because the page looks the same for all. */
static const char *
describe_kind (ShardwiseAdvice *advice, const SwEstimate *selected)
{
  const SwEstimate *recommended = shardwise_advice_get_recommended (advice);

  if (!sw_strategy_equal (&recommended->strategy, &selected->strategy))
    return _ ("The strategy that you selected");
  if (!shardwise_advice_get_fits (advice))
    return _ ("Nothing fits; this is the nearest strategy");
  return _ ("The recommended strategy");
}

static void
shardwise_analysis_page_update (ShardwisePage *page)
{
  ShardwiseAnalysisPage *self = SHARDWISE_ANALYSIS_PAGE (page);
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (page);
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);
  const SwEstimate *selected = shardwise_advisor_get_selected (advisor);
  gboolean there = advice != NULL && selected != NULL;

  gtk_stack_set_visible_child_name (self->stack, there ? "charts" : "empty");
  if (!there)
    return;
  shardwise_limits_card_set_strategy (self->limits_card, advice, selected);

  /* Every chart of the page shows figures of that strategy. */
  const char *kind = describe_kind (advice, selected);
  g_autofree char *text = sw_estimate_is_validated (selected)
                              ? g_strdup (kind)
                              /* Translators: %s is the strategy whose figures are shown: "The
                               * recommended strategy" */
                              : g_strdup_printf (_ ("%s · not validated"), kind);

  gtk_label_set_label (self->kind_label, text);
  show_estimate (self, shardwise_advice_get_problem (advice), selected);
  show_machine (self, shardwise_advisor_get_scenario (advisor),
                shardwise_advice_get_problem (advice));
  shardwise_hand_card_set_advisor (self->hand_card, advisor);
  /* Waits for the running work, for little more than a frame. */
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    shardwise_sweep_await (self->limits_card->sweep, SHARDWISE_SWEEP_SOON_US);
}

static void
shardwise_analysis_page_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_ANALYSIS_PAGE);
  G_OBJECT_CLASS (shardwise_analysis_page_parent_class)->dispose (object);
}

static void
shardwise_analysis_page_class_init (ShardwiseAnalysisPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_analysis_page_dispose;
  SHARDWISE_PAGE_CLASS (klass)->update = shardwise_analysis_page_update;
  wanted_signal = g_signal_new ("section-wanted", SHARDWISE_TYPE_ANALYSIS_PAGE, G_SIGNAL_RUN_LAST,
                                0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);

  g_type_ensure (SHARDWISE_TYPE_CHART_CARD);
  g_type_ensure (SHARDWISE_TYPE_COMMUNICATION_CHART);
  g_type_ensure (SHARDWISE_TYPE_EVIDENCE);
  g_type_ensure (SHARDWISE_TYPE_HAND_CARD);
  g_type_ensure (SHARDWISE_TYPE_LIMITS_CARD);
  g_type_ensure (SHARDWISE_TYPE_MEASURED_CHART);
  g_type_ensure (SHARDWISE_TYPE_MEMORY_CHART);
  g_type_ensure (SHARDWISE_TYPE_PIPELINE_CHART);
  g_type_ensure (SHARDWISE_TYPE_RANK_CHART);
  g_type_ensure (SHARDWISE_TYPE_SCHEDULE_CHART);
  g_type_ensure (SHARDWISE_TYPE_SECTIONS);
  g_type_ensure (SHARDWISE_TYPE_TENSOR_LIST);
  g_type_ensure (SHARDWISE_TYPE_TIMELINE_CHART);
  g_type_ensure (SHARDWISE_TYPE_WATERFALL_CHART);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-analysis-page.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, stack);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, sections);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, content);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, evidence);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, kind_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, strategy_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, time_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, limits_card);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, phases_card);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, phases_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, generation_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, communication_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, communication_card);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, measured_card);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, measured_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, step_card);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, step_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, rank_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, rank_card);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, pipeline_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, pipeline_card);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, schedule_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, schedule_card);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, memory_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, tensor_list);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, moments_group);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, hand_card);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, runs_bin);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, rules_bin);
  gtk_widget_class_bind_template_callback (widget_class, wanted_cb);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, zero_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, timeline_chart);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAnalysisPage, timeline_card);
}

static void
shardwise_analysis_page_init (ShardwiseAnalysisPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_object (self->sections, "notify::section", G_CALLBACK (section_cb), self,
                           G_CONNECT_SWAPPED);
  for (guint i = 0; i < N_MOMENTS; i++)
    {
      GtkWidget *value = gtk_label_new (NULL), *row = bytes_row_new (_ (moments[i].title), value);

      self->moments[i] = GTK_LABEL (value);
      shardwise_line_layout_rows (row);
      adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->moments_group), row);
    }
  shardwise_sections_fill (self->sections, sections, G_N_ELEMENTS (sections));
  self->group_buttons = g_object_new (SHARDWISE_TYPE_GROUP_BUTTONS, NULL);
  g_set_weak_pointer (&SHARDWISE_GROUP_BUTTONS (self->group_buttons)->chart, self->rank_chart);
  shardwise_chart_card_set_controls (self->rank_card, self->group_buttons);
  shardwise_chart_card_set_controls (self->pipeline_card,
                                     shardwise_pipeline_player_new (self->pipeline_chart));
}

/**
 * shardwise_analysis_page_show:
 * @self: a page
 * @place: the id of a section, or that of the reasons with a dimension: "reasons/3"
 *
 * Returns: %FALSE if there is no such section
 */
gboolean
shardwise_analysis_page_show (ShardwiseAnalysisPage *self, const char *place)
{
  g_auto (GStrv) parts = g_strsplit (place, "/", 2);
  guint64 dimension;
  GtkWidget *row;

  g_return_val_if_fail (SHARDWISE_IS_ANALYSIS_PAGE (self), FALSE);

  if (!shardwise_sections_set_section (self->sections, parts[0]))
    return FALSE;
  if (parts[1] == NULL
      || !g_ascii_string_to_unsigned (parts[1], 10, 0, SW_N_DIMENSIONS - 1, &dimension, NULL))
    return TRUE;
  row = shardwise_evidence_unfold (self->evidence, (SwDimension) dimension);
  if (row != NULL)
    shardwise_sections_scroll_to (self->sections, row);
  return TRUE;
}

/**
 * shardwise_analysis_page_get_bin:
 * @self: a page
 * @section: the id of a section for the window's content: runs or rules
 *
 * Returns: (transfer none): its container
 */
AdwBin *
shardwise_analysis_page_get_bin (ShardwiseAnalysisPage *self, const char *section)
{
  g_return_val_if_fail (SHARDWISE_IS_ANALYSIS_PAGE (self), NULL);

  return g_str_equal (section, "runs") ? self->runs_bin : self->rules_bin;
}
