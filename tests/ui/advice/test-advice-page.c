/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-advice-lists.h"
#include "shardwise-advice-page.h"
#include "shardwise-alternative-card.h"
#include "shardwise-cluster-picture.h"
#include "shardwise-degree-chip.h"
#include "shardwise-evidence.h"
#include "shardwise-fold.h"
#include "shardwise-metric-card.h"
#include "shardwise-neighbour-table.h"
#include "shardwise-reason-row.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "ui-fixture.h"

/* Of the page in a window of 1240 x 820, beside the inputs. */
enum { PAGE_WIDTH = 890, SCREEN_HEIGHT = 820 };
/* Of the page in a window of 1000 x 800. */
enum { SMALL_PAGE_WIDTH = 640, SMALL_SCREEN_HEIGHT = 740 };
/* Changes that make a job fit which are seen at once. */
enum { MOST_WAYS = 3 };

typedef struct {
  ShardwiseAdvisor *advisor;
  GtkWidget *page, *evidence; /* the answer, and what stands behind it */
} Fixture;

/* 70B on 32 H100 with sequences of 8192; `data`: other GPU count, as a number in a pointer. */
static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "data", "examples",
                                                 "llama-3-70b-32.shardwise", NULL);
  g_autoptr (ShardwiseScenario) scenario = NULL;
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  g_file_get_contents (path, &text, &length, &error);
  g_assert_no_error (error);
  scenario = shardwise_scenario_from_json (text, length, &error);
  g_assert_no_error (error);
  /* Others may fit in the host's memory. */
  if (data)
    g_assert_true (shardwise_scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS,
                                           g_variant_new_int64 (GPOINTER_TO_INT (data)), &error)
                   && shardwise_scenario_set (scenario, SHARDWISE_KEY_TRAINING_FRAMEWORK,
                                              g_variant_new_string ("megatron-core"), &error));
  fixture->advisor = shardwise_advisor_new (scenario);
  shardwise_advisor_evaluate (fixture->advisor);
  ui_await_advice (fixture->advisor);
  fixture->page = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_ADVICE_PAGE, NULL));
  shardwise_page_set_advisor (SHARDWISE_PAGE (fixture->page), fixture->advisor);
  fixture->evidence = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_EVIDENCE, NULL));
  shardwise_page_set_advisor (SHARDWISE_PAGE (fixture->evidence), fixture->advisor);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  ui_await_export (shardwise_advice_page_get_export (SHARDWISE_ADVICE_PAGE (fixture->page)));
  g_assert_finalize_object (fixture->evidence);
  g_assert_finalize_object (fixture->page);
  g_object_unref (fixture->advisor);
}

static gpointer
child (Fixture *fixture, const char *name)
{
  return ui_child (fixture->page, name);
}

/* A row of the evidence behind the answer. */
static gpointer
behind (Fixture *fixture, const char *name)
{
  return ui_child (fixture->evidence, name);
}

static gboolean
shows (Fixture *fixture, const char *name)
{
  return gtk_widget_get_visible (child (fixture, name));
}

/* The n-th descendant of a type, depth first. */
static GtkWidget *
find_nth (GtkWidget *widget, GType type, guint *n)
{
  if (G_TYPE_CHECK_INSTANCE_TYPE (widget, type) && (*n)-- == 0)
    return widget;
  for (GtkWidget *c = gtk_widget_get_first_child (widget); c; c = gtk_widget_get_next_sibling (c))
    {
      GtkWidget *found = find_nth (c, type, n);

      if (found)
        return found;
    }
  return NULL;
}

static GtkWidget *
find (GtkWidget *widget, GType type, guint n)
{
  return find_nth (widget, type, &n);
}

static const ShardwiseMetric *
metric_of (Fixture *fixture, ShardwiseMetricKind kind)
{
  GtkWidget *const pages[] = { fixture->page, fixture->evidence };
  GtkWidget *card;

  for (guint p = 0; p < G_N_ELEMENTS (pages); p++)
    for (guint i = 0; (card = find (pages[p], SHARDWISE_TYPE_METRIC_CARD, i)); i++)
      {
        const ShardwiseMetric *metric =
            shardwise_metric_card_get_metric (SHARDWISE_METRIC_CARD (card));

        if (metric && metric->kind == kind)
          return metric;
      }
  g_assert_not_reached ();
}

static guint
count_rows (GtkListBox *list)
{
  guint n = 0;

  while (gtk_list_box_get_row_at_index (list, n))
    n++;
  return n;
}

/* Returns (transfer full): its first sentence, which stands out, and the others. */
static char *
verdict_of (Fixture *fixture)
{
  const char *first = gtk_label_get_label (child (fixture, "verdict")),
             *rest = gtk_label_get_label (child (fixture, "verdict_rest"));

  return *rest != '\0' ? g_strjoin (" ", first, rest, NULL) : g_strdup (first);
}

/* The verdict says so, with the spaces at which no line is broken. */
static void
assert_verdict (Fixture *fixture, const char *text)
{
  g_autofree char *expected = shardwise_format_unbroken (text), *shown = verdict_of (fixture);

  g_assert_cmpstr (shown, ==, expected);
}

/* Warns where the upper end of memory's interval is beyond the GPU. */
static void
test_head (Fixture *fixture, gconstpointer data)
{
  static const char *const pills[] = { "Fits", "May not fit", "Does not fit" };
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (fixture->advisor);

  g_assert_true (shardwise_advice_get_fits (advice));
  g_assert_cmpstr (gtk_stack_get_visible_child_name (child (fixture, "stack")), ==, "result");
  assert_verdict (fixture, shardwise_advice_get_verdict (advice));
  g_assert_cmpstr (gtk_label_get_label (child (fixture, "pill_label")), ==,
                   pills[shardwise_advice_get_recommended (advice)->fit]);
  g_assert_true (shows (fixture, "copy"));
  g_assert_cmpstr (gtk_button_get_label (child (fixture, "copy")), ==,
                   "_Copy Megatron-LM Configuration");
  g_assert_false (shows (fixture, "ways_out_section"));
  g_assert_false (shows (fixture, "cause_list"));
  g_assert_false (shows (fixture, "nearest"));
  g_assert_true (shows (fixture, "heroes"));
  g_assert_true (shows (fixture, "export"));
  g_assert_false (shows (fixture, "selected_bar"));
}

/* A strategy that is predicted to be faster than the recommended one is shown beside it and is one
 * click away: some with micro-batches of four sequences, which nobody has run. */
static void
test_fastest (Fixture *fixture, gconstpointer data)
{
  GtkWidget *button = gtk_widget_get_last_child (child (fixture, "fastest_bar"));
  const SwEstimate *fastest;

  g_assert_null (shardwise_advice_get_fastest (shardwise_advisor_get_advice (fixture->advisor)));
  g_assert_false (shows (fixture, "fastest_bar"));
  shardwise_scenario_set (shardwise_advisor_get_scenario (fixture->advisor),
                          SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, g_variant_new_int64 (2048),
                          NULL);
  shardwise_scenario_set (shardwise_advisor_get_scenario (fixture->advisor),
                          SHARDWISE_KEY_TRAINING_MICRO_BATCH_SIZE, g_variant_new_int64 (4), NULL);
  ui_await_advice (fixture->advisor);
  fastest = shardwise_advice_get_fastest (shardwise_advisor_get_advice (fixture->advisor));
  g_assert_nonnull (fastest);
  g_assert_true (shows (fixture, "fastest_bar"));
  g_signal_emit_by_name (button, "clicked");
  g_assert_true (sw_strategy_equal (&shardwise_advisor_get_selected (fixture->advisor)->strategy,
                                    &fastest->strategy));
  g_assert_false (shows (fixture, "fastest_bar"));
  g_assert_true (shows (fixture, "selected_bar"));
}

static void
test_metrics (Fixture *fixture, gconstpointer data)
{
  const SwEstimate *e = shardwise_advisor_get_selected (fixture->advisor);
  g_autofree char *memory = shardwise_format_significant (e->memory.peak.total / SW_GIB);
  g_autofree char *tokens = shardwise_format_count (e->tokens_per_s);
  const ShardwiseMetric *mfu = metric_of (fixture, SHARDWISE_METRIC_MFU);

  g_assert_cmpstr (metric_of (fixture, SHARDWISE_METRIC_MEMORY)->number, ==, memory);
  g_assert_cmpstr (metric_of (fixture, SHARDWISE_METRIC_MEMORY)->unit, ==, "GiB");
  g_assert_cmpstr (metric_of (fixture, SHARDWISE_METRIC_THROUGHPUT)->number, ==, tokens);
  g_assert_nonnull (strstr (mfu->detail, "989 TFLOP/s dense bf16"));
  g_assert_nonnull (strstr (mfu->exact, "causal attention halved"));
  g_assert_nonnull (metric_of (fixture, SHARDWISE_METRIC_STEP)->interval);
  g_assert_cmpfloat_with_epsilon (metric_of (fixture, SHARDWISE_METRIC_MEMORY_USE)->limit, 0.9,
                                  1e-9);
  g_assert_cmpfloat_with_epsilon (metric_of (fixture, SHARDWISE_METRIC_MEMORY_USE)->level,
                                  e->memory_utilisation, 1e-9);
}

/* The parts of memory and of the step add up to the whole: nothing is left out of a sum. */
static void
test_sums (Fixture *fixture, gconstpointer data)
{
  static const ShardwiseMetricKind kinds[] = { SHARDWISE_METRIC_MEMORY, SHARDWISE_METRIC_STEP };

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      const ShardwiseMetric *metric = metric_of (fixture, kinds[k]);
      double share = 0;

      for (guint i = 0; i < metric->parts->len; i++)
        {
          const ShardwisePart *part = g_ptr_array_index (metric->parts, i);

          share += MAX (0, part->share);
        }
      g_assert_cmpfloat_with_epsilon (share, 1, 1e-6);
      g_assert_cmpuint (metric->assumptions->len, >, 0);
    }
}

/* Batch and sequence stand in the sum as the user entered them, not rounded to three digits. */
static void
test_whole_batch (Fixture *fixture, gconstpointer data)
{
  const ShardwiseMetric *metric = metric_of (fixture, SHARDWISE_METRIC_THROUGHPUT);
  const SwTraining *training =
      &shardwise_advice_get_problem (shardwise_advisor_get_advice (fixture->advisor))->training;
  const guint factors[] = { training->global_batch, training->sequence_length,
                            training->global_batch * training->sequence_length };

  for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
    {
      g_autofree char *text = g_strdup_printf ("%'u", factors[i]);

      g_assert_cmpstr (((ShardwisePart *) metric->parts->pdata[i])->value, ==, text);
    }
}

/* A message contains text of the file, which is not markup. */
static void
test_message (void)
{
  g_autoptr (ShardwiseScenario) scenario =
      shardwise_scenario_from_json ("{\"model\": {\"preset\": \"A & <B>\"}}", -1, NULL);
  g_autoptr (ShardwiseAdvisor) advisor = shardwise_advisor_new (scenario);
  GtkWidget *page = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_ADVICE_PAGE, NULL));
  g_autofree char *text = NULL;
  AdwStatusPage *empty;

  shardwise_page_set_advisor (SHARDWISE_PAGE (page), advisor);
  shardwise_advisor_evaluate (advisor);
  while (shardwise_advisor_get_status (advisor) != SHARDWISE_STATUS_ERROR)
    g_main_context_iteration (NULL, TRUE);
  empty =
      ADW_STATUS_PAGE (gtk_widget_get_template_child (page, SHARDWISE_TYPE_ADVICE_PAGE, "empty"));
  g_assert_true (
      pango_parse_markup (adw_status_page_get_description (empty), -1, 0, NULL, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "A & <B>"));
  g_assert_finalize_object (page);
}

/* Another advisor's answer is shown at once, although its inputs have changed since. */
static void
test_other_advisor (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ShardwiseAdvisor) other = ui_advisor (NULL);
  g_autofree char *before = g_strdup (gtk_label_get_label (child (fixture, "verdict")));

  shardwise_advisor_set_live (other, FALSE);
  g_assert_true (shardwise_scenario_set (shardwise_advisor_get_scenario (other),
                                         SHARDWISE_KEY_CLUSTER_GPUS, g_variant_new_int64 (16),
                                         NULL));
  g_assert_cmpint (shardwise_advisor_get_status (other), ==, SHARDWISE_STATUS_STALE);
  shardwise_page_set_advisor (SHARDWISE_PAGE (fixture->page), other);
  g_assert_cmpstr (gtk_label_get_label (child (fixture, "verdict")), !=, before);
}

/* (nullable): the chip of a dimension. */
static ShardwiseDegreeChip *
chip_of (ShardwiseChipRow *chips, SwDimension dimension)
{
  GtkWidget *chip = gtk_widget_get_first_child (GTK_WIDGET (chips));

  while (chip != NULL
         && shardwise_degree_chip_get_dimension (SHARDWISE_DEGREE_CHIP (chip)) != dimension)
    chip = gtk_widget_get_next_sibling (chip);
  return (ShardwiseDegreeChip *) chip;
}

static void
test_chips (Fixture *fixture, gconstpointer data)
{
  const SwEstimate *e = shardwise_advisor_get_selected (fixture->advisor);
  ShardwiseChipRow *chips = child (fixture, "chips");
  SwDimension shown[SW_N_DIMENSIONS];
  guint n = shardwise_degree_chip_dimensions (&e->strategy, shown), mask = 0;

  for (guint i = 0; i < n; i++)
    {
      ShardwiseDegreeChip *chip = chip_of (chips, shown[i]);
      g_autofree char *value = shardwise_text_value (&e->strategy, shown[i]);

      mask |= 1u << shown[i];
      g_assert_cmpstr (shardwise_degree_chip_get_value (chip), ==, value);
      g_assert_nonnull (gtk_widget_get_tooltip_text (GTK_WIDGET (chip)));
    }
  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    {
      ShardwiseDegreeChip *chip = chip_of (chips, i);

      if (chip)
        g_assert_cmpint (gtk_widget_get_visible (GTK_WIDGET (chip)), ==, !!(mask & (1u << i)));
    }
  gtk_test_accessible_assert_property (chip_of (chips, SW_DIM_MICRO_BATCH),
                                       GTK_ACCESSIBLE_PROPERTY_LABEL, "µ-batch 1");
}

static ShardwiseReasonRow *
reason_row (Fixture *fixture, SwDimension dimension)
{
  GtkListBox *list = behind (fixture, "reasons");
  GtkListBoxRow *row;

  for (guint i = 0; (row = gtk_list_box_get_row_at_index (list, i)); i++)
    if (shardwise_reason_row_get_dimension (SHARDWISE_REASON_ROW (row)) == dimension)
      return SHARDWISE_REASON_ROW (row);
  return NULL;
}

/* A reason is unfolded, with a table of all neighbours in place of the line about two. */
static void
test_reasons (Fixture *fixture, gconstpointer data)
{
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (fixture->advisor);
  GPtrArray *rationale = shardwise_advice_get_rationale (advice);
  ShardwiseReasonRow *row = reason_row (fixture, SW_DIM_TP);

  g_assert_cmpuint (count_rows (behind (fixture, "reasons")), ==, rationale->len);
  g_assert_nonnull (row);
  g_assert_null (find (GTK_WIDGET (row), SHARDWISE_TYPE_FOLD, 0));
  g_assert_cmpuint (strlen (adw_expander_row_get_subtitle (ADW_EXPANDER_ROW (row))), >, 0);
  g_assert_true (shardwise_evidence_unfold (SHARDWISE_EVIDENCE (fixture->evidence), SW_DIM_TP)
                 == GTK_WIDGET (row));
  g_assert_true (adw_expander_row_get_expanded (ADW_EXPANDER_ROW (row)));
  g_assert_nonnull (find (GTK_WIDGET (row), SHARDWISE_TYPE_FOLD, 0));
  g_assert_cmpstr (adw_expander_row_get_subtitle (ADW_EXPANDER_ROW (row)), ==, "");
}

/* An edit keeps the rows, and what is unfolded. */
static void
test_edit (Fixture *fixture, gconstpointer data)
{
  ShardwiseReasonRow *row = reason_row (fixture, SW_DIM_TP);
  g_autofree char *before = g_strdup (gtk_label_get_label (child (fixture, "verdict")));
  g_autoptr (GError) error = NULL;

  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (row), TRUE);
  shardwise_scenario_set (shardwise_advisor_get_scenario (fixture->advisor),
                          SHARDWISE_KEY_CLUSTER_GPUS, g_variant_new_int64 (64), &error);
  g_assert_no_error (error);
  shardwise_advisor_evaluate (fixture->advisor);
  ui_await_advice (fixture->advisor);
  g_assert_cmpstr (gtk_label_get_label (child (fixture, "verdict")), !=, before);
  g_assert_true (reason_row (fixture, SW_DIM_TP) == row);
  g_assert_true (adw_expander_row_get_expanded (ADW_EXPANDER_ROW (row)));
  g_assert_nonnull (find (GTK_WIDGET (row), SHARDWISE_TYPE_FOLD, 0));
}

static void
test_alternatives (Fixture *fixture, gconstpointer data)
{
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (fixture->advisor);
  GtkWidget *card = find (behind (fixture, "alternatives"), SHARDWISE_TYPE_ALTERNATIVE_CARD, 0);
  const SwEstimate *alternative = shardwise_advice_get_alternative (advice, 0);
  g_autofree char *memory = shardwise_format_significant (alternative->memory.peak.total / SW_GIB);

  g_assert_true (gtk_widget_get_visible (card));
  g_signal_emit_by_name (card, "clicked");
  g_assert_true (sw_strategy_equal (&shardwise_advisor_get_selected (fixture->advisor)->strategy,
                                    &alternative->strategy));
  g_assert_true (shows (fixture, "selected_bar"));
  g_assert_true (gtk_widget_has_css_class (card, "selected"));
  g_assert_cmpstr (metric_of (fixture, SHARDWISE_METRIC_MEMORY)->number, ==, memory);
  shardwise_advisor_set_selected (fixture->advisor, NULL);
  g_assert_false (shows (fixture, "selected_bar"));
  assert_verdict (fixture, shardwise_advice_get_verdict (advice));
}

/* A row for each framework in question: choosing one shows it on every page, its button names it. */
static void
test_frameworks (Fixture *fixture, gconstpointer data)
{
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (fixture->advisor);
  GArray *choices = shardwise_advice_get_frameworks (advice);
  GtkListBox *list = behind (fixture, "frameworks");
  GtkListBoxRow *second = gtk_list_box_get_row_at_index (list, 1);
  const SwEstimate *estimate = &g_array_index (choices, ShardwiseFrameworkChoice, 1).estimate;
  GtkWidget *use = find (GTK_WIDGET (second), GTK_TYPE_BUTTON, 0);
  g_autoptr (ShardwiseScenario) changed =
      shardwise_scenario_copy (shardwise_advisor_get_scenario (fixture->advisor));

  g_assert_true (gtk_widget_get_visible (behind (fixture, "frameworks_section")));
  g_assert_cmpuint (choices->len, >=, 2);
  g_assert_cmpuint (count_rows (list), ==, choices->len);
  g_assert_null (find (GTK_WIDGET (gtk_list_box_get_row_at_index (list, 0)), GTK_TYPE_BUTTON, 0));
  g_signal_emit_by_name (list, "row-activated", second);
  g_assert_true (sw_strategy_equal (&shardwise_advisor_get_selected (fixture->advisor)->strategy,
                                    &estimate->strategy));
  g_signal_emit_by_name (list, "row-activated", gtk_list_box_get_row_at_index (list, 0));
  g_assert_true (sw_strategy_equal (&shardwise_advisor_get_selected (fixture->advisor)->strategy,
                                    &shardwise_advice_get_recommended (advice)->strategy));
  /* A framework that is named leaves no choice. */
  g_assert_true (shardwise_scenario_apply (
      changed, gtk_actionable_get_action_target_value (GTK_ACTIONABLE (use)), NULL));
  g_assert_cmpstr (shardwise_scenario_peek_string (changed, SHARDWISE_KEY_TRAINING_FRAMEWORK), ==,
                   sw_framework_names[estimate->strategy.framework]);
  shardwise_advisor_set_scenario (fixture->advisor, changed);
  shardwise_advisor_evaluate (fixture->advisor);
  ui_await_advice (fixture->advisor);
  g_assert_false (gtk_widget_get_visible (behind (fixture, "frameworks_section")));
  g_assert_false (shows (fixture, "frameworks"));
}

/* One click on a framework switches everything: the page, the charts and the file. */
static void
test_framework_strip (Fixture *fixture, gconstpointer data)
{
  GArray *choices =
      shardwise_advice_get_frameworks (shardwise_advisor_get_advice (fixture->advisor));
  ShardwiseExportPage *export =
      shardwise_advice_page_get_export (SHARDWISE_ADVICE_PAGE (fixture->page));
  GtkWidget *strip = child (fixture, "frameworks");
  guint i = 0;

  ui_await_export (export);
  g_assert_cmpstr (shardwise_export_page_get_format (export), ==, "megatron");
  while (i < choices->len
         && g_array_index (choices, ShardwiseFrameworkChoice, i).framework
                != SW_FRAMEWORK_DEEPSPEED)
    i++;
  g_assert_cmpuint (i, <, choices->len);
  g_assert_true (
      gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (find (strip, GTK_TYPE_TOGGLE_BUTTON, 0))));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (find (strip, GTK_TYPE_TOGGLE_BUTTON, i)), TRUE);
  g_assert_true (
      sw_strategy_equal (&shardwise_advisor_get_selected (fixture->advisor)->strategy,
                         &g_array_index (choices, ShardwiseFrameworkChoice, i).estimate.strategy));
  g_assert_false (
      gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (find (strip, GTK_TYPE_TOGGLE_BUTTON, 0))));
  ui_await_export (export);
  g_assert_cmpstr (shardwise_export_page_get_format (export), ==, "deepspeed");
  g_assert_cmpstr (gtk_button_get_label (child (fixture, "copy")), ==,
                   "_Copy DeepSpeed Configuration");
  g_assert_false (gtk_widget_get_visible (ui_child (GTK_WIDGET (export), "other_bar")));
}

/* The height of what the page says, in a window of this size. */
static int
measure_page (Fixture *fixture, int width, int height)
{
  GtkWidget *window = ui_show (fixture->page, width, height);
  int natural;

  ui_await_export (shardwise_advice_page_get_export (SHARDWISE_ADVICE_PAGE (fixture->page)));
  ui_run_for (300);
  gtk_widget_measure (child (fixture, "content"), GTK_ORIENTATION_VERTICAL, width, NULL, &natural,
                      NULL, NULL);
  g_test_message ("the answer is %d pixels long", natural);
  g_object_ref (fixture->page);
  gtk_window_set_child (GTK_WINDOW (window), NULL);
  gtk_window_destroy (GTK_WINDOW (window));
  g_object_unref (fixture->page);
  return natural;
}

/* At a usual size the answer takes a screen and a half at most. */
static void
test_length (Fixture *fixture, gconstpointer data)
{
  g_assert_cmpint (measure_page (fixture, PAGE_WIDTH, SCREEN_HEIGHT), <=, SCREEN_HEIGHT * 3 / 2);
}

/* Of a job that does not fit, a screen has the reason and the ways out; the strategy that comes
 * nearest and its files are folded away, until somebody asks for them. */
static void
test_misfit_length (Fixture *fixture, gconstpointer data)
{
  const int folded = measure_page (fixture, SMALL_PAGE_WIDTH, SMALL_SCREEN_HEIGHT);

  g_assert_cmpint (folded, <=, SMALL_SCREEN_HEIGHT);
  g_assert_false (shows (fixture, "heroes"));
  g_assert_false (shows (fixture, "strategy_section"));
  g_assert_false (shows (fixture, "export"));
  shardwise_advice_page_show_files (SHARDWISE_ADVICE_PAGE (fixture->page));
  g_assert_true (shows (fixture, "heroes"));
  g_assert_true (shows (fixture, "strategy_section"));
  g_assert_true (shows (fixture, "export"));
  adw_expander_row_set_expanded (child (fixture, "nearest_row"), FALSE);
  g_assert_false (shows (fixture, "export"));
}

/* The stepper says what the advice says: title, figure and words of each step, and whether it is
 * done. */
static void
check_steps (Fixture *fixture)
{
  GPtrArray *steps = shardwise_advice_get_steps (shardwise_advisor_get_advice (fixture->advisor));
  GtkWidget *stepper = behind (fixture, "steps"), *box = gtk_widget_get_first_child (stepper);

  gtk_test_accessible_assert_role (stepper, GTK_ACCESSIBLE_ROLE_LIST);
  g_assert_cmpuint (steps->len, ==, 3);
  for (guint i = 0; i < 3; i++, box = gtk_widget_get_next_sibling (box))
    {
      const ShardwiseStep *step = g_ptr_array_index (steps, i);
      g_autofree char *title = g_strdup_printf ("%u. %s", i + 1, step->title);
      g_autofree char *name = g_strdup_printf ("%s: %s, done", title, step->value);
      g_autofree char *text = shardwise_format_unbroken (step->text);

      g_assert_true (step->done);
      g_assert_cmpstr (gtk_label_get_label (GTK_LABEL (find (box, GTK_TYPE_LABEL, 0))), ==, title);
      g_assert_cmpstr (gtk_label_get_label (GTK_LABEL (find (box, GTK_TYPE_LABEL, 1))), ==,
                       step->value);
      g_assert_cmpstr (gtk_label_get_label (GTK_LABEL (find (box, GTK_TYPE_LABEL, 2))), ==, text);
      gtk_test_accessible_assert_role (box, GTK_ACCESSIBLE_ROLE_LIST_ITEM);
      gtk_test_accessible_assert_property (box, GTK_ACCESSIBLE_PROPERTY_LABEL, name);
      gtk_test_accessible_assert_property (box, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, step->text);
    }
  g_assert_null (box);
}

static void
test_lists (Fixture *fixture, gconstpointer data)
{
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (fixture->advisor);

  check_steps (fixture);
  g_assert_cmpuint (count_rows (behind (fixture, "notices")), ==,
                    shardwise_advice_get_recommendations (advice)->len
                        + shardwise_advice_get_notes (advice)->len);
  g_assert_cmpuint (count_rows (behind (fixture, "search")), >=, 2);
  g_assert_true (gtk_widget_get_visible (behind (fixture, "usual_section")));
  g_assert_cmpuint (count_rows (behind (fixture, "usual")), ==,
                    shardwise_advice_get_usual (advice)->len);
}

/* The plan to verify it: what to look at, a ladder with buttons, what may be slow; a row that is open
 * stays open. */
static void
test_verify (Fixture *fixture, gconstpointer data)
{
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (fixture->advisor);
  const ShardwiseVerify *verify = shardwise_advice_get_verify (advice);
  const ShardwiseRemedy *first = g_ptr_array_index (verify->if_out_of_memory, 0);
  GtkListBox *list = behind (fixture, "verify");
  AdwExpanderRow *memory = ADW_EXPANDER_ROW (gtk_list_box_get_row_at_index (list, 1));
  g_autofree char *text = shardwise_format_unbroken (first->text);
  AdwPreferencesRow *row;
  GtkWidget *apply;

  g_assert_true (gtk_widget_get_visible (behind (fixture, "verify_section")));
  g_assert_cmpuint (count_rows (list), ==, 3);
  g_assert_cmpstr (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (memory)), ==,
                   "If it is out of memory");
  adw_expander_row_set_expanded (memory, TRUE);
  /* behind that of the expander's own head */
  row = ADW_PREFERENCES_ROW (find (GTK_WIDGET (memory), ADW_TYPE_ACTION_ROW, 1));
  g_assert_cmpstr (adw_preferences_row_get_title (row), ==, text);
  for (guint i = 0; (apply = find (GTK_WIDGET (memory), GTK_TYPE_BUTTON, i)); i++)
    if (GTK_IS_ACTIONABLE (apply)
        && g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (apply)), "win.apply") == 0)
      break;
  g_assert_nonnull (apply);
  g_assert_true (g_variant_equal (gtk_actionable_get_action_target_value (GTK_ACTIONABLE (apply)),
                                  first->changes));
  shardwise_advice_list_verify (list, advice);
  memory = ADW_EXPANDER_ROW (gtk_list_box_get_row_at_index (list, 1));
  g_assert_true (adw_expander_row_get_expanded (memory));
}

static void
test_second_opinions (Fixture *fixture, gconstpointer data)
{
  const SwPlaybook *playbook =
      shardwise_advice_get_playbook (shardwise_advisor_get_advice (fixture->advisor));
  /* Each card has a button that unfolds its reasons, and below it one that uses its strategy. */
  GtkWidget *use = find (behind (fixture, "opinions"), GTK_TYPE_BUTTON, 1);
  GVariant *target = gtk_actionable_get_action_target_value (GTK_ACTIONABLE (use));
  const char *recompute;
  gint64 tp;

  g_assert_cmpstr (gtk_actionable_get_action_name (GTK_ACTIONABLE (use)), ==, "win.apply");
  g_assert_true (g_variant_lookup (target, "strategy.tp", "x", &tp));
  g_assert_cmpint (tp, ==, playbook->strategy.tp);
  use = find (behind (fixture, "opinions"), GTK_TYPE_BUTTON, 3);
  g_assert_nonnull (use);
  /* The score's split with what it takes for granted, and the reasons of both methods. */
  target = gtk_actionable_get_action_target_value (GTK_ACTIONABLE (use));
  g_assert_true (g_variant_lookup (target, "strategy.recompute", "&s", &recompute));
  g_assert_cmpstr (recompute, ==, "full");
  g_assert_true (g_variant_lookup (target, "strategy.sequence_parallel", "b", NULL));
  for (guint i = 0; i < 2; i++)
    {
      GtkWidget *why = find (behind (fixture, "opinions"), GTK_TYPE_TOGGLE_BUTTON, i);
      GtkRevealer *reasons =
          GTK_REVEALER (find (behind (fixture, "opinions"), GTK_TYPE_REVEALER, i));

      g_assert_nonnull (gtk_widget_get_first_child (gtk_revealer_get_child (reasons)));
      g_assert_false (gtk_revealer_get_reveal_child (reasons));
      gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (why), TRUE);
      g_assert_true (gtk_revealer_get_reveal_child (reasons));
    }
}

/* Two GPUs: 70 B parameters do not fit; the page says what is missing and what would mend it. */
static void
test_nothing_fits (Fixture *fixture, gconstpointer data)
{
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (fixture->advisor);
  GPtrArray *ways = shardwise_advice_get_ways_out (advice);
  const SwEstimate *nearest = shardwise_advice_get_recommended (advice);

  g_assert_false (shardwise_advice_get_fits (advice));
  g_assert_nonnull (nearest);
  g_assert_cmpfloat (nearest->missing_bytes, >, 0);
  g_assert_cmpstr (gtk_label_get_label (child (fixture, "pill_label")), ==, "Does not fit");
  assert_verdict (fixture, shardwise_advice_get_verdict (advice));
  g_assert_false (shows (fixture, "copy"));
  g_assert_false (gtk_widget_get_visible (behind (fixture, "alternatives_section")));
  g_assert_false (gtk_widget_get_visible (behind (fixture, "verify_section")));
  g_assert_true (g_str_has_prefix (adw_preferences_row_get_title (child (fixture, "cause")),
                                   "Largest part of memory: "));
  g_assert_cmpuint (ways->len, >, 0);
  g_assert_cmpuint (count_rows (child (fixture, "ways_out")), ==,
                    MIN (ways->len, MOST_WAYS + 1)
                        + (shardwise_advice_get_misses (advice)->len > 0));
  for (guint i = 0; i < ways->len; i++)
    {
      const ShardwiseWayOut *way = g_ptr_array_index (ways, i);

      g_assert_true (way->result.fits);
    }
}

/* Fits a phone, and grows no taller on a wide screen. */
static void
test_widths (Fixture *fixture, gconstpointer data)
{
  static const int widths[] = { 360, 600, 1000, 1600 };
  GtkWidget *content = child (fixture, "content");
  int minimum, last = G_MAXINT;

  gtk_widget_measure (fixture->page, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  g_test_message ("least width %d", minimum);
  g_assert_cmpint (minimum, <=, 360);
  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      int height;

      gtk_widget_measure (content, GTK_ORIENTATION_VERTICAL, widths[i], &height, NULL, NULL, NULL);
      g_assert_cmpint (height, >, 0);
      g_assert_cmpint (height, <=, last);
      last = height;
    }
}

static void
test_table_folds (Fixture *fixture, gconstpointer data)
{
  GPtrArray *rationale =
      shardwise_advice_get_rationale (shardwise_advisor_get_advice (fixture->advisor));
  GtkWidget *table =
      g_object_ref_sink (shardwise_neighbour_table_new (g_ptr_array_index (rationale, 0)));
  int minimum, natural, height;

  gtk_widget_measure (table, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, NULL, NULL);
  g_assert_cmpint (minimum, <, 300);
  gtk_widget_measure (table, GTK_ORIENTATION_VERTICAL, 300, &height, NULL, NULL, NULL);
  gtk_widget_size_allocate (table, &(GtkAllocation){ 0, 0, 300, height }, -1);
  g_assert_false (gtk_widget_get_child_visible (gtk_widget_get_first_child (table)));
  g_assert_true (gtk_widget_get_child_visible (gtk_widget_get_last_child (table)));
  gtk_widget_measure (table, GTK_ORIENTATION_VERTICAL, natural, &height, NULL, NULL, NULL);
  gtk_widget_size_allocate (table, &(GtkAllocation){ 0, 0, natural, height }, -1);
  g_assert_true (gtk_widget_get_child_visible (gtk_widget_get_first_child (table)));
  g_assert_false (gtk_widget_get_child_visible (gtk_widget_get_last_child (table)));
  g_object_unref (table);
}

static void
test_accessible (Fixture *fixture, gconstpointer data)
{
  const ShardwiseMetric *metric = metric_of (fixture, SHARDWISE_METRIC_MEMORY);
  GtkWidget *card = find (fixture->page, SHARDWISE_TYPE_METRIC_CARD, 0);
  g_autofree char *sentence = shardwise_metric_sentence (metric);

  gtk_test_accessible_assert_role (gtk_widget_get_first_child (card), GTK_ACCESSIBLE_ROLE_BUTTON);
  gtk_test_accessible_assert_property (gtk_widget_get_first_child (card),
                                       GTK_ACCESSIBLE_PROPERTY_LABEL, sentence);
  gtk_test_accessible_assert_role (child (fixture, "picture"), GTK_ACCESSIBLE_ROLE_IMG);
  g_assert_true (g_str_has_prefix (sentence, "Memory per GPU: "));
}

/* For a strategy set by hand that does not fit, the page shows the memory above the limit, not that
 * nothing fits. */
static void
test_misfit (Fixture *fixture, gconstpointer data)
{
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (fixture->advisor);
  SwStrategy strategy;
  SwEstimate estimate;
  g_autofree char *verdict = NULL;

  sw_strategy_init_default (&strategy);
  strategy.dp = 32;
  sw_estimate (shardwise_advice_get_problem (advice), &strategy, &estimate);
  g_assert_cmpint (estimate.rule, ==, SW_RULE_GPU_MEMORY);
  shardwise_advisor_set_selected (fixture->advisor, &estimate);
  verdict = verdict_of (fixture);
  g_assert_nonnull (strstr (verdict, "cannot be trained with"));
  g_assert_nonnull (strstr (verdict, "it needs"));
  g_assert_null (strstr (verdict, "nearest"));
}

#define ADD(path, gpus, test)                                                                      \
  g_test_add ("/advice-page/" path, Fixture, GINT_TO_POINTER (gpus), set_up, test, tear_down)

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;
  ADD ("head", 0, test_head);
  ADD ("other-advisor", 0, test_other_advisor);
  ADD ("metrics", 0, test_metrics);
  ADD ("sums", 0, test_sums);
  ADD ("whole-batch", 0, test_whole_batch);
  ADD ("chips", 0, test_chips);
  ADD ("reasons", 0, test_reasons);
  ADD ("edit", 0, test_edit);
  ADD ("alternatives", 0, test_alternatives);
  ADD ("frameworks", 0, test_frameworks);
  ADD ("framework-strip", 0, test_framework_strip);
  ADD ("length", 0, test_length);
  ADD ("lists", 0, test_lists);
  ADD ("verify", 0, test_verify);
  ADD ("second-opinions", 0, test_second_opinions);
  ADD ("misfit-length", 2, test_misfit_length);
  ADD ("nothing-fits", 2, test_nothing_fits);
  ADD ("widths", 0, test_widths);
  ADD ("table-folds", 0, test_table_folds);
  ADD ("accessible", 0, test_accessible);
  ADD ("validated", 0, test_fastest);
  ADD ("misfit", 0, test_misfit);
  g_test_add_func ("/advice-page/message", test_message);
  return g_test_run ();
}
