/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-report.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-deadline.h"
#include "shardwise-format.h"
#include "shardwise-input-control.h"
#include "shardwise-metric.h"
#include "shardwise-step-parts.h"
#include "shardwise-strategy-words.h"
#include "shardwise-text-estimate.h"
#include "shardwise-text-method.h"
#include "shardwise-text-strategy.h"
#include "shardwise-scaling.h"

#define DAY_S 86400.0

struct _ShardwiseReport {
  GObject parent_instance;

  char *title;
  GPtrArray *items; /* of ShardwiseReportItem */
};

G_DEFINE_FINAL_TYPE (ShardwiseReport, shardwise_report, G_TYPE_OBJECT)

static void shardwise_report_add_cost (ShardwiseReport *self, ShardwiseScenario *scenario,
                                       ShardwiseAdvice *advice, const SwEstimate *estimate,
                                       GPtrArray *clusters);

static void
item_free (gpointer data)
{
  ShardwiseReportItem *item = data;

  for (guint i = 0; i < item->n_cells; i++)
    g_free (item->cells[i]);
  g_clear_pointer (&item->picture, shardwise_picture_free);
  g_free (item);
}

static ShardwiseReportItem *
add_item (ShardwiseReport *self, ShardwiseReportKind kind)
{
  ShardwiseReportItem *item = g_new0 (ShardwiseReportItem, 1);

  item->kind = kind;
  g_ptr_array_add (self->items, item);
  return item;
}

/**
 * shardwise_report_new:
 * @title: the header of each page
 *
 * Returns: (transfer full): a report without content
 */
ShardwiseReport *
shardwise_report_new (const char *title)
{
  ShardwiseReport *self = g_object_new (SHARDWISE_TYPE_REPORT, NULL);

  self->title = g_strdup (title);
  return self;
}

/**
 * shardwise_report_get_title:
 * @self: a report
 *
 * Returns: (transfer none): the header of each page
 */
const char *
shardwise_report_get_title (ShardwiseReport *self)
{
  g_return_val_if_fail (SHARDWISE_IS_REPORT (self), NULL);
  return self->title;
}

/**
 * shardwise_report_add_text:
 * @self: a report
 * @kind: neither a row nor a chart
 * @text: (nullable): %NULL or "" adds nothing
 *
 * Adds a text at the end; numbers stay with their units.
 */
void
shardwise_report_add_text (ShardwiseReport *self, ShardwiseReportKind kind, const char *text)
{
  ShardwiseReportItem *item;

  g_return_if_fail (SHARDWISE_IS_REPORT (self));

  if (text == NULL || *text == '\0')
    return;
  item = add_item (self, kind);
  item->cells[0] = shardwise_format_unbroken (text);
  item->n_cells = 1;
}

/**
 * shardwise_report_add_row:
 * @self: a report
 * @strong: whether it is a heading or a total
 * @cells: (array zero-terminated=1): at most %SHARDWISE_REPORT_CELLS
 *
 * Adds a row of a table at the end; consecutive rows with the same number of cells form a table.
 */
void
shardwise_report_add_row (ShardwiseReport *self, gboolean strong, const char *const *cells)
{
  ShardwiseReportItem *item;

  g_return_if_fail (SHARDWISE_IS_REPORT (self));

  item = add_item (self, SHARDWISE_REPORT_ROW);
  item->strong = strong;
  for (; cells[item->n_cells] != NULL && item->n_cells < SHARDWISE_REPORT_CELLS; item->n_cells++)
    item->cells[item->n_cells] = shardwise_format_unbroken (cells[item->n_cells]);
}

/* Takes ownership of the picture. */
static void
add_picture (ShardwiseReport *self, ShardwisePicture *picture)
{
  add_item (self, SHARDWISE_REPORT_CHART)->picture = picture;
}

/**
 * shardwise_report_n_items:
 * @self: a report
 *
 * Returns: the count of its items
 */
guint
shardwise_report_n_items (ShardwiseReport *self)
{
  g_return_val_if_fail (SHARDWISE_IS_REPORT (self), 0);
  return self->items->len;
}

/**
 * shardwise_report_get_item:
 * @self: a report
 * @index: the index of an item
 *
 * Returns: (transfer none): the item
 */
const ShardwiseReportItem *
shardwise_report_get_item (ShardwiseReport *self, guint index)
{
  g_return_val_if_fail (SHARDWISE_IS_REPORT (self) && index < self->items->len, NULL);
  return g_ptr_array_index (self->items, index);
}

static void
shardwise_report_finalize (GObject *object)
{
  ShardwiseReport *self = SHARDWISE_REPORT (object);

  g_ptr_array_unref (self->items);
  g_free (self->title);
  G_OBJECT_CLASS (shardwise_report_parent_class)->finalize (object);
}

static void
shardwise_report_class_init (ShardwiseReportClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = shardwise_report_finalize;
}

static void
shardwise_report_init (ShardwiseReport *self)
{
  self->items = g_ptr_array_new_with_free_func (item_free);
}

static void
add_heading (ShardwiseReport *self, const char *text)
{
  shardwise_report_add_text (self, SHARDWISE_REPORT_HEADING, text);
}

static void
add_paragraph (ShardwiseReport *self, const char *text)
{
  shardwise_report_add_text (self, SHARDWISE_REPORT_PARAGRAPH, text);
}

/* Takes ownership of the texts. */
static void
add_owned (ShardwiseReport *self, ShardwiseReportKind kind, char *text)
{
  shardwise_report_add_text (self, kind, text);
  g_free (text);
}

static void
add_row (ShardwiseReport *self, const char *a, const char *b)
{
  shardwise_report_add_row (self, FALSE, (const char *const[]){ a, b, NULL });
}

/* ---- figures ---- */

static void
add_figures (ShardwiseReport *self, ShardwiseAdvice *advice, const SwEstimate *estimate)
{
  const char *const head[] = { _ ("Figure"), _ ("Value"), _ ("Meaning"), NULL };

  add_heading (self, _ ("Figures"));
  shardwise_report_add_row (self, TRUE, head);
  for (guint i = 0; i < SHARDWISE_N_METRICS; i++)
    {
      g_autoptr (ShardwiseMetric) metric =
          shardwise_metric_new ((ShardwiseMetricKind) i, shardwise_advice_get_problem (advice),
                                estimate, shardwise_advice_get_nearest_run (advice));
      g_autofree char *value = g_strdup_printf (
          "%s %s%s%s", metric->number, metric->unit != NULL ? metric->unit : "",
          metric->interval != NULL ? " " : "", metric->interval != NULL ? metric->interval : "");
      const char *const cells[] = { metric->title, value,
                                    metric->detail != NULL ? metric->detail : "", NULL };

      shardwise_report_add_row (self, FALSE, cells);
    }
}

/* ---- pictures ---- */

static char *
memory_tick (double value, double unit, double step)
{
  /* Translators: a size in GiB on an axis */
  g_autofree char *text = g_strdup_printf (_ ("%.*f GiB"), shardwise_axis_digits (step), value);

  return shardwise_memory_unit_text (text);
}

static char *
count_tick (double value, double unit, double step)
{
  return shardwise_format_tick (value);
}

static char *
whole_tick (double value, double unit, double step)
{
  return shardwise_format_whole (value);
}

/* On a logarithmic axis each tick has its own unit. */
static char *
duration_tick (double value, double unit, double step)
{
  return shardwise_format_seconds_in (value, shardwise_seconds_unit (value), value);
}

static char *
percent_tick (double value, double unit, double step)
{
  return g_strdup_printf (_ ("%.0f %%"), value * 100);
}

/* The memory of each stage. */
static ShardwisePicture *
memory_picture (const SwProblem *problem, const SwEstimate *estimate)
{
  const double unit = shardwise_memory_unit_bytes ();
  const guint pp = estimate->strategy.pp;
  gboolean there[SW_N_PARTS] = { FALSE };
  ShardwisePicture *self;
  double most = estimate->usable_bytes;

  most = MAX (most, estimate->memory.peak.total);
  self = shardwise_picture_new_bars (most / unit * 1.02, 0, memory_tick);
  for (guint stage = 0; stage < pp; stage++)
    {
      const guint layers = sw_stage_layers (problem, &estimate->strategy, stage);
      g_autofree char *label = NULL, *size = NULL;
      SwMemoryParts memory;
      double from = 0;

      sw_estimate_stage (problem, &estimate->strategy, stage, &memory);
      size = shardwise_format_bytes (memory.total);
      /* Translators: number of a pipeline stage, and the count of its layers */
      label = pp > 1 ? g_strdup_printf (
                  ngettext ("Stage %u, %u layer", "Stage %u, %u layers", layers), stage, layers)
                     : g_strdup (_ ("Every GPU"));
      shardwise_picture_add_row (self, label, size);

      for (guint i = 0; i < SW_N_PARTS; i++)
        {
          const double bytes = sw_memory_part_bytes (&memory, (SwMemoryPart) i);

          shardwise_picture_add_piece (self, shardwise_ink_of_memory ((SwMemoryPart) i),
                                       SHARDWISE_INK_SOLID, from / unit, (from + bytes) / unit);
          there[i] |= bytes > 0;
          from += bytes;
        }
    }
  for (guint i = 0; i < SW_N_PARTS; i++)
    if (there[i])
      shardwise_picture_add_legend (self, shardwise_ink_of_memory ((SwMemoryPart) i),
                                    SHARDWISE_INK_SOLID,
                                    shardwise_text_memory_part ((SwMemoryPart) i));
  shardwise_picture_add_legend (self, SHARDWISE_COLOR_LIMIT, SHARDWISE_INK_SOLID,
                                _ ("Usable memory"));
  shardwise_picture_add_mark (self, SHARDWISE_COLOR_LIMIT, estimate->usable_bytes / unit, NULL);
  return self;
}

/* The terms of the step time. */
static ShardwisePicture *
time_picture (const GArray *parts, double step_s)
{
  const double unit = shardwise_seconds_unit (step_s);
  g_autofree char *whole = shardwise_format_seconds_in (step_s, unit, 0);
  ShardwisePicture *self;
  gboolean hides = FALSE;
  double most = step_s;

  for (guint i = 0; i < parts->len; i++)
    {
      const ShardwiseStepPart *part = &g_array_index (parts, ShardwiseStepPart, i);

      most = MAX (most, part->from_s + part->hidden_s);
      hides |= part->hidden_s > 0;
    }
  self = shardwise_picture_new_bars (most, unit, shardwise_format_seconds_in);
  for (guint i = 0; i < parts->len; i++)
    {
      const ShardwiseStepPart *part = &g_array_index (parts, ShardwiseStepPart, i);
      g_autofree char *value = shardwise_format_seconds_in (part->seconds, unit, 0);

      shardwise_picture_add_row (self, _ (part->name), value);
      shardwise_picture_add_piece (self, part->color, SHARDWISE_INK_PALE, part->from_s,
                                   part->from_s + part->hidden_s);
      shardwise_picture_add_piece (self, part->color,
                                   part->color == SHARDWISE_COLOR_BUBBLE ? SHARDWISE_INK_HATCHED
                                                                         : SHARDWISE_INK_SOLID,
                                   part->from_s, part->from_s + part->seconds);
    }
  shardwise_picture_add_row (self, _ ("Whole step"), whole);
  shardwise_picture_add_piece (self, SHARDWISE_COLOR_OTHER, SHARDWISE_INK_SOLID, 0, step_s);
  if (hides)
    shardwise_picture_add_legend (self, SHARDWISE_COLOR_DATA, SHARDWISE_INK_PALE,
                                  _ ("Hidden behind compute; not included in the sum"));
  return self;
}

#define MOST_TASKS 300000
#define MOST_RANKS 64
#define CELLS 700 /* per rank; shorter tasks are combined */
#define N_TASK_KINDS (SW_TASK_BACKWARD_WEIGHT + 1)

/* Combines a rank's shorter tasks by kind, from the start of the first. */
static void
add_cell (ShardwisePicture *picture, double start_s, double busy_s[N_TASK_KINDS])
{
  for (guint kind = 0; kind < N_TASK_KINDS; kind++)
    {
      shardwise_picture_add_piece (picture, shardwise_ink_of_task ((SwTaskKind) kind),
                                   SHARDWISE_INK_SOLID, start_s, start_s + busy_s[kind]);
      start_s += busy_s[kind];
      busy_s[kind] = 0;
    }
}

/* The tasks of each rank of the pipeline; white is the bubble. */
static ShardwisePicture *
pipeline_picture (const SwPipeline *pipeline, guint ranks)
{
  ShardwisePicture *self = shardwise_picture_new_bars (
      pipeline->total_s, shardwise_seconds_unit (pipeline->total_s), shardwise_format_seconds_in);
  const double least_s = pipeline->total_s / CELLS;
  gboolean there[N_TASK_KINDS] = { FALSE };
  guint next = 0;

  for (guint rank = 0; rank < MIN (ranks, MOST_RANKS); rank++)
    {
      /* Translators: a rank of the pipeline */
      g_autofree char *label = g_strdup_printf (_ ("Rank %u"), rank);
      double busy_s[N_TASK_KINDS] = { 0 }, start_s = -1;

      shardwise_picture_add_row (self, label, NULL);
      for (; next < pipeline->tasks->len
             && g_array_index (pipeline->tasks, SwTask, next).rank == rank;
           next++)
        {
          const SwTask *task = &g_array_index (pipeline->tasks, SwTask, next);

          there[task->kind] = TRUE;
          if (start_s >= 0
              && (task->end_s - start_s > least_s || task->end_s - task->start_s > least_s))
            {
              add_cell (self, start_s, busy_s);
              start_s = -1;
            }
          if (start_s < 0)
            start_s = task->start_s;
          busy_s[task->kind] += task->end_s - task->start_s;
        }
      if (start_s >= 0)
        add_cell (self, start_s, busy_s);
    }
  for (guint kind = 0; kind < N_TASK_KINDS; kind++)
    if (there[kind])
      shardwise_picture_add_legend (self, shardwise_ink_of_task ((SwTaskKind) kind),
                                    SHARDWISE_INK_SOLID, shardwise_text_task ((SwTaskKind) kind));
  return self;
}

static void
add_pipeline (ShardwiseReport *self, const SwProblem *problem, const SwEstimate *estimate)
{
  SwPipeline pipeline = { 0 };
  g_autofree char *text = NULL;

  if (estimate->strategy.pp < 2
      || !sw_pipeline_of_strategy (problem, &estimate->strategy, MOST_TASKS, &pipeline))
    return;
  text = shardwise_text_pipeline (&pipeline);
  add_heading (self, _ ("What the pipeline does"));
  add_paragraph (self, text);
  add_picture (self, pipeline_picture (&pipeline, estimate->strategy.pp));
  sw_pipeline_clear (&pipeline);
}

static void
add_charts (ShardwiseReport *self, const SwProblem *problem, const SwEstimate *estimate)
{
  double kernels[SW_N_KERNELS];
  g_autoptr (GArray) parts = NULL;
  g_autofree char *memory = shardwise_text_memory (problem, estimate), *time = NULL;

  sw_kernels (problem, &estimate->strategy, &estimate->time, kernels);
  parts = shardwise_step_parts (&estimate->time, kernels);
  time = shardwise_step_parts_text (parts, estimate->time.step_s);
  add_heading (self, _ ("What the memory of a GPU contains"));
  add_paragraph (self, memory);
  add_picture (self, memory_picture (problem, estimate));
  add_heading (self, _ ("Where the time of a step goes"));
  add_paragraph (self, time);
  add_picture (self, time_picture (parts, estimate->time.step_s));
  add_pipeline (self, problem, estimate);
}

/* ---- words ---- */

static void
add_reasons (ShardwiseReport *self, ShardwiseAdvice *advice)
{
  GPtrArray *rationale = shardwise_advice_get_rationale (advice);

  if (rationale->len > 0)
    add_heading (self, _ ("Why"));
  for (guint i = 0; i < rationale->len; i++)
    {
      const ShardwiseRationale *reason = g_ptr_array_index (rationale, i);
      /* Translators: a dimension of the strategy ("Tensor parallel"), and its value */
      g_autofree char *title = g_strdup_printf (_ ("%s: %s"), reason->title, reason->value);

      add_row (self, title, reason->text);
    }
}

static void
add_alternatives (ShardwiseReport *self, ShardwiseAdvice *advice)
{
  const char *const head[] = { _ ("Strategy"), _ ("Tokens/s"), _ ("MFU"), _ ("Memory"), NULL };
  guint n = MIN (5, shardwise_advice_get_n_alternatives (advice));

  if (n == 0)
    return;
  add_heading (self, _ ("Next best"));
  shardwise_report_add_row (self, TRUE, head);
  for (guint i = 0; i < n; i++)
    {
      const SwEstimate *e = shardwise_advice_get_alternative (advice, i);
      g_autofree char *strategy = shardwise_text_strategy (&e->strategy),
                      *rate = shardwise_format_count (e->tokens_per_s),
                      *mfu = shardwise_format_percent (e->mfu),
                      *memory = shardwise_format_bytes (e->memory.peak.total);

      shardwise_report_add_row (self, FALSE,
                                (const char *const[]){ strategy, rate, mfu, memory, NULL });
    }
}

/* The results of the rules of thumb, with their own figures. */
static void
add_opinions (ShardwiseReport *self, GPtrArray *opinions)
{
  for (guint i = 0; i < opinions->len; i++)
    {
      ShardwiseAdvice *opinion = opinions->pdata[i];
      const gboolean is_tree = shardwise_advice_get_method (opinion) == SHARDWISE_METHOD_PLAYBOOK;
      const SwQuickScore *best = &shardwise_advice_get_quick_score (opinion)->best;
      g_autofree char *strategy =
          shardwise_text_strategy (&shardwise_advice_get_recommended (opinion)->strategy);
      g_autoptr (GPtrArray) figures =
          is_tree ? shardwise_text_playbook_figures (shardwise_advice_get_playbook (opinion))
                  : shardwise_text_quick_figures (shardwise_advice_get_problem (opinion), best);

      if (i == 0)
        add_heading (self, _ ("Second opinions"));
      shardwise_report_add_row (self, TRUE,
                                (const char *const[]){ is_tree ? _ ("The playbook’s estimate")
                                                               : _ ("The quick score’s estimate"),
                                                       strategy, NULL });
      for (guint f = 0; f < figures->len; f++)
        {
          const ShardwiseFigure *figure = figures->pdata[f];

          add_row (self, figure->label, figure->value);
        }
      add_paragraph (self, shardwise_advice_get_verdict (opinion));
    }
}

/* ---- assumptions ---- */

/* Every key in the scenario, in the order of its file. */
static void
add_inputs (ShardwiseReport *self, ShardwiseScenario *scenario)
{
  add_heading (self, _ ("Scenario settings"));
  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    {
      g_autofree char *value = shardwise_scenario_is_set (scenario, i)
                                   ? shardwise_control_describe (shardwise_key_get (i), scenario)
                                   : NULL;
      g_autofree char *text = NULL;

      if (value == NULL || *value == '\0' || i == SHARDWISE_KEY_NAME
          || i == SHARDWISE_KEY_NOTES) /* which are above */
        continue;
      text = shardwise_key_get (i)->unit != NULL
                 ? g_strdup_printf ("%s %s", value, _ (shardwise_key_get (i)->unit))
                 : g_strdup (value);
      add_row (self, _ (shardwise_key_get (i)->title), text);
    }
}

static void
add_notes (ShardwiseReport *self, ShardwiseAdvice *advice)
{
  const ShardwiseNearestRun *run = shardwise_advice_get_nearest_run (advice);
  GPtrArray *notes = shardwise_advice_get_notes (advice);

  add_heading (self, _ ("What the figures are based on"));
  if (run != NULL)
    {
      g_autofree char *measured = shardwise_format_seconds (run->measured_step_s),
                      *predicted = shardwise_format_seconds_beside (run->predicted_step_s,
                                                                    run->measured_step_s),
                      *text = NULL;

      /* Translators: a published run, its source, two durations */
      text =
          g_strdup_printf (_ ("Nearest measured run: %s (%s): %s per step measured, %s predicted."),
                           run->description, run->source, measured, predicted);
      add_paragraph (self, text);
    }
  for (guint i = 0; i < notes->len; i++)
    add_paragraph (self, g_ptr_array_index (notes, i));
}

static gboolean
is_recommended (ShardwiseAdvice *advice, const SwEstimate *estimate)
{
  return sw_strategy_equal (&estimate->strategy,
                            &shardwise_advice_get_recommended (advice)->strategy);
}

static void
add_strategy (ShardwiseReport *self, ShardwiseAdvice *advice, const SwEstimate *estimate)
{
  g_autofree char *strategy = shardwise_text_strategy (&estimate->strategy), *used = NULL;

  add_heading (self, estimate->fits ? _ ("Strategy") : _ ("Nearest strategy"));
  add_paragraph (self, strategy);
  used = g_strdup_printf (
      ngettext ("%'u GPU in use, %s.", "%'u GPUs in use, %s.", estimate->gpus_used),
      estimate->gpus_used, shardwise_text_framework (estimate->strategy.framework));
  add_paragraph (self, used);
  if (!is_recommended (advice, estimate))
    {
      g_autofree char *best =
          shardwise_text_strategy (&shardwise_advice_get_recommended (advice)->strategy);
      g_autofree char *text =
          g_strdup_printf (_ ("This is an alternative. The recommended strategy is %s."), best);

      add_paragraph (self, text);
    }
}

/**
 * shardwise_report_of_scenario:
 * @scenario: the document
 * @advice: the answer to it
 * @estimate: (nullable): of the selected strategy; the reasons for the recommended one are omitted
 *   if it is another
 * @extras: (nullable): the additional results
 *
 * Returns: (transfer full): the report
 */
ShardwiseReport *
shardwise_report_of_scenario (ShardwiseScenario *scenario, ShardwiseAdvice *advice,
                              const SwEstimate *estimate, const ShardwiseReportExtras *extras)
{
  GPtrArray *ways = shardwise_advice_get_ways_out (advice),
            *recommendations = shardwise_advice_get_recommendations (advice);
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  g_autofree char *name = NULL, *notes = NULL,
                  *verdict = shardwise_strategy_verdict (advice, scenario, estimate);
  ShardwiseReport *self;

  name = shardwise_scenario_get_string (scenario, SHARDWISE_KEY_NAME);
  notes = shardwise_scenario_get_string (scenario, SHARDWISE_KEY_NOTES);
  self = shardwise_report_new (name != NULL && *name != '\0' ? name : problem->model.name);
  shardwise_report_add_text (self, SHARDWISE_REPORT_TITLE, shardwise_report_get_title (self));
  add_paragraph (self, verdict);
  add_paragraph (self, notes);
  if (estimate != NULL)
    add_strategy (self, advice, estimate);
  if (ways->len > 0)
    add_heading (self, _ ("What would fit"));
  for (guint i = 0; i < ways->len; i++)
    add_paragraph (self, ((const ShardwiseWayOut *) g_ptr_array_index (ways, i))->change);
  if (estimate != NULL)
    {
      add_figures (self, advice, estimate);
      add_charts (self, problem, estimate);
    }
  if (recommendations->len > 0)
    add_heading (self, _ ("What to know"));
  for (guint i = 0; i < recommendations->len; i++)
    add_paragraph (
        self, ((const ShardwiseRecommendation *) g_ptr_array_index (recommendations, i))->text);
  if (estimate == NULL || is_recommended (advice, estimate))
    add_reasons (self, advice);
  add_alternatives (self, advice);
  if (extras != NULL)
    add_opinions (self, extras->opinions);
  if (estimate != NULL && estimate->fits)
    shardwise_report_add_cost (self, scenario, advice, estimate,
                               extras != NULL ? extras->clusters : NULL);
  add_inputs (self, scenario);
  add_notes (self, advice);
  return self;
}

/* The report's part on money, energy, failures and the date. */

static void
add_amount (ShardwiseReport *self, gboolean strong, const char *title, double amount, double total,
            const char *currency)
{
  g_autofree char *text = shardwise_format_item (amount, total, currency);

  shardwise_report_add_row (self, strong, (const char *const[]){ title, text, NULL });
}

static void
add_bill (ShardwiseReport *self, const char *title, const ShardwiseBill *bill, const char *currency,
          char *basis)
{
  double shown[SHARDWISE_BILL_ITEMS];

  shardwise_bill_shown (bill, shown);
  if (bill->n > 0)
    {
      shardwise_report_add_text (self, SHARDWISE_REPORT_HEADING, title);
      shardwise_report_add_text (self, SHARDWISE_REPORT_PARAGRAPH, basis);
      for (guint i = 0; i < bill->n; i++)
        add_amount (self, FALSE, shardwise_text_cost_item (bill->items[i].kind), shown[i],
                    bill->total, currency);
      add_amount (self, TRUE, _ ("Total"), bill->total, bill->total, currency);
      add_amount (self, FALSE, _ ("Per million tokens"), bill->per_million_tokens,
                  bill->per_million_tokens, currency);
    }
  g_free (basis);
}

static void
add_offers (ShardwiseReport *self, const ShardwiseCostInputs *inputs, const ShardwiseCost *cost)
{
  ShardwiseRentOffer offers[SHARDWISE_N_RENT_OFFERS];
  guint n = shardwise_cost_rent_offers (inputs, cost, offers);

  if (n > 0)
    shardwise_report_add_row (self, TRUE,
                              (const char *const[]){ _ ("Reserved or spot instead"),
                                                     _ ("Cheaper below, per GPU-hour"), NULL });
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *title = shardwise_rent_offer_title (&offers[i]),
                      *price = shardwise_format_price (offers[i].price_below, inputs->currency);

      shardwise_report_add_row (
          self, FALSE,
          (const char *const[]){ title, offers[i].job_days > 0 ? price : _ ("never"), NULL });
    }
}

/* Throughput of all sizes, and ideal scaling. */
static void
add_sizes (ShardwiseReport *self, ShardwiseAdvice *advice, GPtrArray *clusters)
{
  const ShardwiseSizingPoint *reference = shardwise_sizing_reference (clusters);
  g_autofree double *gpus = g_new (double, clusters->len), *rates = g_new (double, clusters->len);
  g_autofree char *text = shardwise_sizing_text (clusters);
  ShardwiseAxis x = { SHARDWISE_SCALE_DOUBLINGS, 1, 2, 0, 1, 0 },
                y = { SHARDWISE_SCALE_DECADES, 1, 10, 0, 1, 0 };
  const double present = shardwise_advice_get_problem (advice)->cluster.gpus;
  ShardwisePicture *picture;
  guint n = 0;

  for (guint i = 0; i < clusters->len; i++)
    {
      const ShardwiseSizingPoint *point = clusters->pdata[i];

      if (!point->estimate.fits)
        continue;
      gpus[n] = point->gpus;
      rates[n++] = point->estimate.tokens_per_s;
    }
  add_heading (self, _ ("How it scales"));
  add_paragraph (self, text);
  if (n < 2 || reference == NULL)
    return;

  const double each = reference->estimate.tokens_per_s / reference->gpus;
  const double ends[] = { gpus[0], gpus[n - 1] }, ideal[] = { each * ends[0], each * ends[1] };

  x.min = gpus[0];
  x.max = gpus[n - 1];
  y.min = MIN (rates[0], ideal[0]) / 1.5;
  y.max = MAX (rates[n - 1], ideal[1]) * 1.5;
  picture = shardwise_picture_new_curves (&x, &y, whole_tick, count_tick, _ ("GPUs"),
                                          _ ("Tokens/s"));
  shardwise_picture_add_legend (picture, SHARDWISE_COLOR_COMPUTE, SHARDWISE_INK_SOLID,
                                _ ("Best strategy of each size"));
  shardwise_picture_add_legend (picture, SHARDWISE_COLOR_OTHER, SHARDWISE_INK_SOLID,
                                _ ("Ideal scaling"));
  shardwise_picture_add_curve (picture, SHARDWISE_COLOR_OTHER, ends, ideal, 2, TRUE, FALSE);
  shardwise_picture_add_curve (picture, SHARDWISE_COLOR_COMPUTE, gpus, rates, n, TRUE, TRUE);
  shardwise_picture_add_mark (picture, SHARDWISE_COLOR_LIMIT, present, _ ("this cluster"));
  add_picture (self, picture);
}

/* Days and cost of the clusters that fit: the best choices as a line, the others as gray dots. */
static void
add_clusters (ShardwiseReport *self, ShardwiseScenario *scenario, GPtrArray *clusters,
              const char *currency)
{
  g_autoptr (GPtrArray) fit = g_ptr_array_new ();
  ShardwiseAxis x = { SHARDWISE_SCALE_DECADES, G_MAXDOUBLE, 0, 0, 1, 0 }, y = x;
  ShardwiseDeadlinePlan plan;
  ShardwisePicture *picture;
  gboolean has_plan, has_cost = TRUE;
  g_autofree char *text = NULL;
  GDate today;

  for (guint i = 0; i < clusters->len; i++)
    {
      ShardwiseSizingPoint *point = clusters->pdata[i];

      if (!point->estimate.fits || !(point->days > 0))
        continue;
      g_ptr_array_add (fit, point);
      has_cost = has_cost && point->cost > 0;
    }
  if (fit->len == 0)
    return;
  shardwise_date_today (&today);
  has_plan = shardwise_deadline_plan (scenario, &today, clusters, &plan);
  text = shardwise_deadline_extremes_text (fit, currency);
  add_heading (self, _ ("Cost against time"));
  if (has_plan)
    add_owned (self, SHARDWISE_REPORT_PARAGRAPH,
               shardwise_deadline_text (&plan, clusters, currency));
  add_paragraph (self, text);

  g_autofree double *values = g_new (double, 4 * fit->len);
  double *seconds[] = { values, values + fit->len },
         *amounts[] = { values + 2 * fit->len, values + 3 * fit->len };
  guint n[] = { 0, 0 }; /* best choices, and others */

  for (guint i = 0; i < fit->len; i++)
    {
      const ShardwiseSizingPoint *point = fit->pdata[i];
      const guint kind = shardwise_deadline_is_dominated (fit, point, has_cost);
      const double s = point->days * DAY_S, amount = shardwise_deadline_amount (point, has_cost);

      x.min = MIN (x.min, s / 1.3);
      x.max = MAX (x.max, s * 1.3);
      y.min = MIN (y.min, amount / 1.5);
      y.max = MAX (y.max, amount * 1.5);
      seconds[kind][n[kind]] = s;
      amounts[kind][n[kind]++] = amount;
    }
  picture = shardwise_picture_new_curves (&x, &y, duration_tick, count_tick, _ ("Duration"),
                                          has_cost ? currency : _ ("GPU-hours"));
  shardwise_picture_add_legend (picture, SHARDWISE_COLOR_COMPUTE, SHARDWISE_INK_SOLID,
                                _ ("Cluster with its best strategy"));
  shardwise_picture_add_legend (picture, SHARDWISE_COLOR_OTHER, SHARDWISE_INK_SOLID,
                                _ ("Another cluster is as fast but costs less"));
  shardwise_picture_add_curve (picture, SHARDWISE_COLOR_OTHER, seconds[1], amounts[1], n[1], FALSE,
                               TRUE);
  shardwise_picture_add_curve (picture, SHARDWISE_COLOR_COMPUTE, seconds[0], amounts[0], n[0], TRUE,
                               TRUE);
  if (has_plan)
    shardwise_picture_add_mark (picture, SHARDWISE_COLOR_LIMIT, plan.days * DAY_S, _ ("deadline"));
  add_picture (self, picture);
}

#define N_SIDE 16 /* points on each side of the best interval */
#define N_POINTS (2 * N_SIDE + 1)

/* The share of the time that trains, as a function of the work between two checkpoints. */
static void
add_goodput (ShardwiseReport *self, const ShardwiseGoodput *goodput)
{
  double interval_s[N_POINTS], ratio[N_POINTS];
  ShardwisePicture *picture;

  if (!(goodput->ratio > 0) || !(goodput->interval_s > 0))
    return;
  for (int i = 0; i < N_POINTS; i++)
    {
      interval_s[i] = goodput->interval_s * pow (G_SQRT2, i - N_SIDE);
      ratio[i] = shardwise_goodput_ratio (goodput->mtbf_s, goodput->write_s, goodput->restart_s,
                                          interval_s[i]);
    }
  picture = shardwise_picture_new_curves (
      &(ShardwiseAxis){ SHARDWISE_SCALE_DECADES, interval_s[0], interval_s[N_POINTS - 1], 0, 1, 0 },
      &(ShardwiseAxis){ SHARDWISE_SCALE_LINEAR, 0, 1, 0, 1, 0 }, duration_tick, percent_tick,
      _ ("Work between two checkpoints"), _ ("Time spent training"));
  shardwise_picture_add_curve (picture, SHARDWISE_COLOR_COMPUTE, interval_s, ratio, N_POINTS, TRUE,
                               FALSE);
  shardwise_picture_add_mark (picture, SHARDWISE_COLOR_DATA, goodput->interval_s,
                              _ ("Daly, used here"));
  shardwise_picture_add_mark (picture, SHARDWISE_COLOR_OTHER, goodput->young_s, _ ("Young"));
  add_picture (self, picture);
}

/* Stated values are listed with the inputs. */
static void
add_assumptions (ShardwiseReport *self, ShardwiseScenario *scenario, const SwProblem *problem,
                 const ShardwiseCostInputs *inputs)
{
  shardwise_report_add_row (
      self, TRUE, (const char *const[]){ _ ("Cost assumption"), _ ("Value"), _ ("Source"), NULL });
  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    {
      g_autofree char *detail = NULL, *value = NULL;

      if (!g_str_has_prefix (shardwise_key_path (i), "cost.")
          || shardwise_key_get (i)->kind != SHARDWISE_KIND_NUMBER
          || shardwise_scenario_is_set (scenario, i))
        continue;
      value = shardwise_cost_assumption (scenario, problem, inputs, i, &detail);
      if (value != NULL)
        shardwise_report_add_row (
            self, FALSE,
            (const char *const[]){ _ (shardwise_key_get (i)->title), value, detail, NULL });
    }
}

/* 
 * shardwise_report_add_cost:
 * @self: a report
 * @scenario: the document
 * @advice: the answer to it
 * @estimate: of the selected strategy, which fits
 * @clusters: (nullable) (element-type ShardwiseSizingPoint): other sizes with their days and cost
 *
 * Adds the cost of the job, with everything that is included and excluded. */
static void
shardwise_report_add_cost (ShardwiseReport *self, ShardwiseScenario *scenario,
                           ShardwiseAdvice *advice, const SwEstimate *estimate, GPtrArray *clusters)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  ShardwiseCostInputs inputs;
  ShardwiseCost cost;
  g_autoptr (GPtrArray) notes = NULL;

  shardwise_cost_inputs_read (scenario, problem, &inputs);
  shardwise_cost_compute (&inputs, problem, estimate, &cost);
  notes = shardwise_cost_notes (&inputs, &cost);
  shardwise_report_add_text (self, SHARDWISE_REPORT_HEADING, _ ("Cost"));
  add_owned (self, SHARDWISE_REPORT_PARAGRAPH,
             shardwise_cost_verdict (&inputs, &cost, problem->cluster.gpus));
  add_owned (self, SHARDWISE_REPORT_PARAGRAPH, shardwise_cost_break_even_text (&inputs, &cost));
  for (guint i = 0; i < notes->len; i++)
    shardwise_report_add_text (self, SHARDWISE_REPORT_PARAGRAPH, g_ptr_array_index (notes, i));
  if (cost.energy_kwh > 0)
    {
      g_autofree char *energy = shardwise_format_energy (cost.energy_kwh),
                      *mass = shardwise_format_mass (cost.kg_co2);

      add_owned (
          self, SHARDWISE_REPORT_PARAGRAPH,
          /* Translators: energy, power in W, power usage effectiveness, a mass, kg for each kWh */
          g_strdup_printf (
              _ ("Energy: %s at %.0f W per GPU and a PUE of %.2f; CO₂: %s at %.3f kg per kWh."),
              energy, inputs.power_w, inputs.pue, mass, inputs.grid_kg_co2_per_kwh));
    }
  add_bill (self, _ ("Rented"), &cost.cloud, inputs.currency, shardwise_cost_cloud_text (&inputs));
  add_offers (self, &inputs, &cost);
  add_bill (self, _ ("Owned"), &cost.owned, inputs.currency, shardwise_cost_owned_text (&inputs));
  if (cost.basis != SHARDWISE_BASIS_NONE)
    {
      add_owned (self, SHARDWISE_REPORT_SMALL, shardwise_cost_included (&cost));
      add_owned (self, SHARDWISE_REPORT_SMALL, shardwise_cost_not_included (&cost));
    }
  shardwise_report_add_text (self, SHARDWISE_REPORT_HEADING, _ ("Failures and checkpoints"));
  add_owned (self, SHARDWISE_REPORT_PARAGRAPH, shardwise_cost_goodput_text (&cost));
  add_goodput (self, &cost.goodput);
  if (clusters != NULL)
    add_sizes (self, advice, clusters);
  if (clusters != NULL && cost.days > 0)
    add_clusters (self, scenario, clusters, inputs.currency);
  add_assumptions (self, scenario, problem, &inputs);
}

/* ---- what is computed for it ---- */

/**
 * shardwise_report_extras_new:
 * @scenario: the document
 * @advice: the answer to it
 * @cancellable: (nullable): stops it
 * @error: (out): that it was canceled
 *
 * Searches the clusters of the pictures of scaling and cost; without tokens, or with a network that
 * cannot join more nodes than the job's own, there are none. Evaluates the rules of thumb.
 *
 * Returns: (transfer full) (nullable): the results
 */
ShardwiseReportExtras *
shardwise_report_extras_new (ShardwiseScenario *scenario, ShardwiseAdvice *advice,
                             GCancellable *cancellable, GError **error)
{
  static const ShardwiseMethod methods[] = { SHARDWISE_METHOD_PLAYBOOK,
                                             SHARDWISE_METHOD_QUICK_SCORE };
  ShardwiseReportExtras *self = g_new0 (ShardwiseReportExtras, 1);
  g_autoptr (GError) failed = NULL;
  GDate today;

  self->opinions = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < G_N_ELEMENTS (methods); i++)
    {
      ShardwiseAdvice *opinion = shardwise_advice_compute (
          scenario, &(ShardwiseAdviceOptions){ .method = methods[i], .top = 1 }, cancellable, NULL);

      if (opinion != NULL)
        g_ptr_array_add (self->opinions, opinion);
    }
  shardwise_date_today (&today);
  if (shardwise_advice_get_problem (advice)->training.tokens > 0)
    self->clusters = shardwise_deadline_search (scenario, &today, NULL, NULL, cancellable, &failed);
  if (!g_cancellable_set_error_if_cancelled (cancellable, error))
    return self;
  shardwise_report_extras_free (self);
  return NULL;
}

/**
 * shardwise_report_extras_free:
 * @self: the results
 */
void
shardwise_report_extras_free (ShardwiseReportExtras *self)
{
  g_clear_pointer (&self->clusters, g_ptr_array_unref);
  g_ptr_array_unref (self->opinions);
  g_free (self);
}
