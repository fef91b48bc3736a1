/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-comparison-figures.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-comparison.h"
#include "shardwise-csv.h"
#include "shardwise-text-estimate.h"
#include "shardwise-input-control.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"

/* An input in which compared scenarios are not the same. */
typedef struct {
  char *title; /* "Sequence length, tokens"; translated */
  guint n;
  char *texts[SHARDWISE_COMPARISON_MAX]; /* of each column; "–": not set */
} ShardwiseComparisonInput;

static void
input_free (gpointer data)
{
  ShardwiseComparisonInput *input = data;

  for (guint i = 0; i < input->n; i++)
    g_free (input->texts[i]);
  g_free (input->title);
  g_free (input);
}

/* NULL: the same in all, or derived from other inputs in each. */
static ShardwiseComparisonInput *
compare (ShardwiseComparison *comparison, const ShardwiseKey *key)
{
  guint n = shardwise_comparison_get_n (comparison);
  const char *unit = shardwise_control_unit (key);
  ShardwiseComparisonInput *input = g_new0 (ShardwiseComparisonInput, 1);
  gboolean is_set = FALSE, differs = FALSE;

  for (guint i = 0; i < n; i++)
    {
      ShardwiseScenario *scenario = shardwise_comparison_get_scenario (comparison, i);
      g_autofree char *text = scenario != NULL ? shardwise_control_describe (key, scenario)
                                               : g_strdup ("");

      if (scenario != NULL && *text == '\0'
          && (key->id == SHARDWISE_KEY_COST_PRICE || key->id == SHARDWISE_KEY_COST_PRICE_DATE))
        {
          g_free (text);
          text = shardwise_cost_usual_price (scenario, key->id);
        }
      is_set |= scenario != NULL && shardwise_scenario_is_set (scenario, key->id);
      input->texts[input->n++] = text != NULL && *text != '\0' ? g_steal_pointer (&text)
                                                               : g_strdup ("–");
      differs |= !g_str_equal (input->texts[i], input->texts[0]);
    }
  if (!is_set || !differs)
    {
      input_free (input);
      return NULL;
    }
  input->title = *unit == '\0' ? g_strdup (_ (key->title))
                               /* Translators: an input and its unit ("Sequence length, tokens") */
                               : g_strdup_printf (_ ("%s, %s"), _ (key->title), unit);
  return input;
}

/* @comparison: strategies
 *
 * Returns: (transfer full) (element-type ShardwiseComparisonInput): the inputs in which their
 * scenarios differ; empty if all have the current inputs */
static GPtrArray *
shardwise_comparison_inputs (ShardwiseComparison *comparison)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func (input_free);
  gboolean others = FALSE;

  for (guint i = 0; i < shardwise_comparison_get_n (comparison); i++)
    others |= shardwise_comparison_get_name (comparison, i) != NULL;
  for (ShardwiseKeyId k = SHARDWISE_KEY_NONE + 1; others && k < SHARDWISE_N_KEYS; k++)
    {
      ShardwiseComparisonInput *input;

      /* Keys that do not affect the engine and are shown elsewhere. */
      if (k == SHARDWISE_KEY_NAME || k == SHARDWISE_KEY_NOTES)
        continue;
      input = compare (comparison, shardwise_key_get (k));
      if (input != NULL)
        g_ptr_array_add (inputs, input);
    }
  return inputs;
}

/* A change of less than half of the last digit shown counts as no change. */
#define NO_CHANGE 0.0005

typedef enum { WHOLE, SECONDS, BYTES, COUNT, SHARE, DAYS, AMOUNT } Form;

/* What is being listed, for the helpers below. */
typedef struct {
  ShardwiseComparison *comparison;
  GPtrArray *figures;
  const char *section; /* of the figures to add */
} Listing;

static void
figure_free (gpointer data)
{
  ShardwiseComparisonFigure *figure = data;

  for (guint i = 0; i < figure->n; i++)
    {
      g_free (figure->cells[i].text);
      g_free (figure->cells[i].interval);
    }
  g_free (figure->title);
  g_free (figure->unit);
  g_free (figure);
}

static ShardwiseComparisonFigure *
add_figure (Listing *listing, char *title, const char *unit, int better)
{
  ShardwiseComparisonFigure *figure = g_new0 (ShardwiseComparisonFigure, 1);

  figure->section = listing->section;
  figure->title = title;
  figure->unit = g_strdup (unit);
  figure->better = better;
  figure->n = shardwise_comparison_get_n (listing->comparison);
  g_ptr_array_add (listing->figures, figure);
  return figure;
}

/* Words */

static void
compare_words (ShardwiseComparisonFigure *figure)
{
  for (guint i = 0; i < figure->n; i++)
    {
      figure->cells[i].is_known = TRUE;
      figure->cells[i].change = NAN;
      figure->cells[i].differs = !g_str_equal (figure->cells[i].text, figure->cells[0].text);
    }
}

/* Inputs in which compared scenarios differ. */
static void
add_inputs (Listing *listing)
{
  g_autoptr (GPtrArray) inputs = shardwise_comparison_inputs (listing->comparison);

  listing->section = _ ("Inputs");
  for (guint row = 0; row < inputs->len; row++)
    {
      const ShardwiseComparisonInput *input = g_ptr_array_index (inputs, row);
      ShardwiseComparisonFigure *figure = add_figure (listing, g_strdup (input->title), NULL, 0);

      for (guint i = 0; i < figure->n; i++)
        figure->cells[i].text = g_strdup (input->texts[i]);
      compare_words (figure);
    }
}

static void
add_dimension (Listing *listing, SwDimension dimension)
{
  ShardwiseComparisonFigure *figure;
  gboolean used = FALSE;

  for (guint i = 0; i < shardwise_comparison_get_n (listing->comparison); i++)
    used |= shardwise_dimension_matters (
        &shardwise_comparison_get_estimate (listing->comparison, i)->strategy, dimension,
        SHARDWISE_MATTERS_IN_USE);
  if (!used)
    return;
  figure = add_figure (listing, shardwise_text_dimension (dimension), NULL, 0);
  for (guint i = 0; i < figure->n; i++)
    {
      /* The value of a dimension that is off shows that; otherwise it has none. */
      const SwStrategy *strategy =
          &shardwise_comparison_get_estimate (listing->comparison, i)->strategy;
      gboolean says_off = dimension == SW_DIM_VPP || dimension == SW_DIM_CP
                          || dimension == SW_DIM_EP || dimension == SW_DIM_SP
                          || dimension == SW_DIM_OFFLOAD;

      figure->cells[i].text =
          says_off || shardwise_dimension_matters (strategy, dimension, SHARDWISE_MATTERS_IN_USE)
              ? shardwise_text_value (strategy, dimension)
              : g_strdup ("–");
    }
  compare_words (figure);
}

static void
add_strategy (Listing *listing)
{
  ShardwiseComparisonFigure *figure;

  listing->section = _ ("Strategy");
  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    add_dimension (listing, (SwDimension) i);
  figure = add_figure (listing, g_strdup (_ ("Framework")), NULL, 0);
  for (guint i = 0; i < figure->n; i++)
    figure->cells[i].text = g_strdup (shardwise_text_framework (
        shardwise_comparison_get_estimate (listing->comparison, i)->strategy.framework));
  compare_words (figure);
}

/* Numbers */

static char *
write_number (double number, Form form)
{
  switch (form)
    {
    case SECONDS: return shardwise_format_seconds (number);
    case BYTES: return shardwise_format_bytes (number);
    case COUNT: return shardwise_format_count (number);
    case SHARE: return shardwise_format_percent (number);
    case DAYS:
    case AMOUNT: return shardwise_format_significant (number);
    case WHOLE:
    default: return shardwise_format_whole (number);
    }
}

static void
set_cell (ShardwiseComparisonFigure *figure, guint i, double number, Form form)
{
  ShardwiseComparisonCell *cell = &figure->cells[i];

  cell->is_known = isfinite (number);
  cell->number = form == BYTES ? number / SW_GIB : form == SHARE ? number * 100 : number;
  g_free (cell->text);
  cell->text = cell->is_known ? write_number (number, form) : g_strdup ("–");
}

static void
compare_numbers (ShardwiseComparisonFigure *figure)
{
  const ShardwiseComparisonCell *first = &figure->cells[0];

  for (guint i = 0; i < figure->n; i++)
    {
      ShardwiseComparisonCell *cell = &figure->cells[i];
      double change = figure->is_share ? (cell->number - first->number) / 100
                                       : cell->number / first->number - 1;

      cell->change = first->is_known && cell->is_known && isfinite (change) ? change : NAN;
      cell->differs = isnan (cell->change) ? !g_str_equal (cell->text, first->text)
                                           : fabs (cell->change) >= NO_CHANGE;
    }
}

static const char *
unit_of (Form form)
{
  switch (form)
    {
    case SECONDS: return "s";
    case BYTES: return "GiB";
    case SHARE: return "%";
    case DAYS: return "d";
    case WHOLE:
    case COUNT:
    case AMOUNT:
    default: return "";
    }
}

typedef double (*Getter) (const SwEstimate *estimate);

/* Figures that are empty for all are omitted. */
static ShardwiseComparisonFigure *
add_numbers (Listing *listing, const char *title, Getter get, Form form, int better)
{
  ShardwiseComparisonFigure *figure;
  gboolean some = FALSE;

  for (guint i = 0; i < shardwise_comparison_get_n (listing->comparison); i++)
    some |= shardwise_comparison_has_figures (listing->comparison, i)
            && get (shardwise_comparison_get_estimate (listing->comparison, i)) > 0;
  if (!some)
    return NULL;
  figure = add_figure (listing, g_strdup (title), unit_of (form), better);
  figure->is_share = form == SHARE;
  for (guint i = 0; i < figure->n; i++)
    set_cell (figure, i,
              shardwise_comparison_has_figures (listing->comparison, i)
                  ? get (shardwise_comparison_get_estimate (listing->comparison, i))
                  : NAN,
              form);
  compare_numbers (figure);
  return figure;
}

static void
add_interval (Listing *listing, ShardwiseComparisonFigure *figure, Getter low, Getter high,
              Form form)
{
  for (guint i = 0; figure != NULL && i < figure->n; i++)
    if (figure->cells[i].is_known)
      {
        const SwEstimate *estimate = shardwise_comparison_get_estimate (listing->comparison, i);
        g_autofree char *least = write_number (low (estimate), form),
                        *most = write_number (high (estimate), form);

        /* Translators: the interval in which a figure lies */
        figure->cells[i].interval = g_strdup_printf (_ ("%s – %s"), least, most);
      }
}

#define GETTER(name, member)                                                                       \
  static double name (const SwEstimate *e) { return e->member; }

GETTER (gpus_used, gpus_used)
GETTER (gpus_idle, gpus_idle)
GETTER (accumulation, gradient_accumulation)
GETTER (step, time.step_s)
GETTER (step_low, step_low_s)
GETTER (step_high, step_high_s)
GETTER (tokens, tokens_per_s)
GETTER (tokens_low, tokens_low_per_s)
GETTER (tokens_high, tokens_high_per_s)
GETTER (tokens_per_gpu, tokens_per_s_per_gpu)
GETTER (mfu, mfu)
GETTER (compute, time.compute_s)
GETTER (recompute, time.recompute_s)
GETTER (uneven, time.uneven_s)
GETTER (bubble, time.bubble_s)
GETTER (bubble_share, bubble_fraction)
GETTER (optimizer, time.optimizer_s)
GETTER (exposed_share, communication_overhead)
GETTER (tp_exposed, time.tp_exposed_s)
GETTER (cp_exposed, time.cp_exposed_s)
GETTER (ep_exposed, time.ep_exposed_s)
GETTER (pp_exposed, time.pp_exposed_s)
GETTER (dp_exposed, time.dp_exposed_s)
GETTER (offload_exposed, time.offload_exposed_s)
GETTER (peak, memory.peak.total)
GETTER (peak_low, memory_low_bytes)
GETTER (peak_high, memory_high_bytes)
GETTER (utilisation, memory_utilisation)
GETTER (missing, missing_bytes)
GETTER (host, memory.host_bytes)
GETTER (parameters_bytes, memory.peak.parameters)
GETTER (gradients_bytes, memory.peak.gradients)
GETTER (optimizer_bytes, memory.peak.optimizer)
GETTER (activations_bytes, memory.peak.activations)
GETTER (logits_bytes, memory.peak.logits)
GETTER (buffers_bytes, memory.peak.buffers)
GETTER (framework_bytes, memory.peak.framework)

/* More bytes are worse on GPUs with the same memory; on a larger GPU they are neutral. */
static int
bytes_better (ShardwiseComparison *comparison)
{
  double first = 0;

  for (guint i = 0; i < shardwise_comparison_get_n (comparison); i++)
    {
      const SwEstimate *estimate = shardwise_comparison_get_estimate (comparison, i);
      double usable = estimate->memory.peak.total / estimate->memory_utilisation;

      if (!shardwise_comparison_has_figures (comparison, i) || !(usable > 0))
        continue;
      if (first > 0 && fabs (usable / first - 1) > 0.01)
        return 0;
      first = usable;
    }
  return -1;
}

/* Cost */

/* The common currency; NULL: there are several. */
static const char *
common_currency (ShardwiseComparison *comparison)
{
  const char *common = NULL;

  for (guint i = 0; i < shardwise_comparison_get_n (comparison); i++)
    {
      const char *currency;
      ShardwiseCost cost;

      if (!shardwise_comparison_get_cost (comparison, i, &cost, &currency)
          || shardwise_cost_bill (&cost) == NULL)
        continue;
      if (common != NULL && !g_str_equal (currency, common))
        return NULL;
      common = currency;
    }
  return common != NULL ? common : "";
}

static gboolean
is_known (const ShardwiseComparisonFigure *figure)
{
  for (guint i = 0; i < figure->n; i++)
    if (figure->cells[i].is_known)
      return TRUE;
  return FALSE;
}

/* Without a number of tokens there is no cost of the job. */
static void
add_cost (Listing *listing)
{
  const char *currency = common_currency (listing->comparison);
  ShardwiseComparisonFigure *days, *total;

  days = add_figure (listing, g_strdup (_ ("Days")), unit_of (DAYS), -1);
  total = add_figure (listing,
                      /* Translators: of the whole job; a currency */
                      currency != NULL ? g_strdup_printf (_ ("Cost of the job, %s"), currency)
                                       : g_strdup (_ ("Cost of the job")),
                      currency, currency != NULL ? -1 : 0);
  for (guint i = 0; i < days->n; i++)
    {
      const char *its_currency = NULL;
      ShardwiseCost cost = { 0 };
      gboolean known = shardwise_comparison_get_cost (listing->comparison, i, &cost, &its_currency);
      const ShardwiseBill *bill = known ? shardwise_cost_bill (&cost) : NULL;

      set_cell (days, i, known && cost.days > 0 ? cost.days : NAN, DAYS);
      /* Amounts in several currencies include the currency, and have no relative change. */
      set_cell (total, i, bill != NULL ? bill->total : NAN, AMOUNT);
      if (total->unit == NULL && total->cells[i].is_known)
        {
          g_autofree char *number = g_steal_pointer (&total->cells[i].text);

          total->cells[i].text = g_strdup_printf ("%s %s", number, its_currency);
        }
    }
  compare_numbers (days);
  if (is_known (total) && currency == NULL)
    compare_words (total);
  else
    compare_numbers (total);
  if (!is_known (total))
    g_ptr_array_remove (listing->figures, total);
  if (!is_known (days))
    g_ptr_array_remove (listing->figures, days);
}

/**
 * shardwise_comparison_figures:
 * @comparison: strategies
 *
 * Returns: (transfer full) (element-type ShardwiseComparisonFigure): their parallel sizes and
 * figures, by section; rows that are empty for all are omitted
 */
GPtrArray *
shardwise_comparison_figures (ShardwiseComparison *comparison)
{
  static const Getter parts[SW_N_PARTS] = {
    [SW_PART_PARAMETERS] = parameters_bytes, [SW_PART_GRADIENTS] = gradients_bytes,
    [SW_PART_OPTIMIZER] = optimizer_bytes,   [SW_PART_ACTIVATIONS] = activations_bytes,
    [SW_PART_LOGITS] = logits_bytes,         [SW_PART_BUFFERS] = buffers_bytes,
    [SW_PART_FRAMEWORK] = framework_bytes,
  };
  Listing listing = { comparison, g_ptr_array_new_with_free_func (figure_free), NULL };
  int bytes;

  g_return_val_if_fail (SHARDWISE_IS_COMPARISON (comparison), listing.figures);

  if (shardwise_comparison_get_n (comparison) == 0)
    return listing.figures;
  bytes = bytes_better (comparison);
  listing.section = _ ("The whole job");
  add_cost (&listing);
  add_interval (&listing, add_numbers (&listing, _ ("Tokens/s"), tokens, COUNT, 1), tokens_low,
                tokens_high, COUNT);
  add_interval (&listing, add_numbers (&listing, _ ("Memory per GPU"), peak, BYTES, bytes),
                peak_low, peak_high, BYTES);
  add_inputs (&listing);
  add_strategy (&listing);
  listing.section = _ ("Speed");
  add_interval (&listing, add_numbers (&listing, _ ("Time of a step"), step, SECONDS, -1), step_low,
                step_high, SECONDS);
  add_numbers (&listing, _ ("Tokens/s per GPU used"), tokens_per_gpu, COUNT, 1);
  add_numbers (&listing, _ ("MFU (dense peak)"), mfu, SHARE, 1);
  add_numbers (&listing, _ ("GPUs used"), gpus_used, WHOLE, 0);
  add_numbers (&listing, _ ("GPUs left over"), gpus_idle, WHOLE, -1);
  add_numbers (&listing, _ ("Micro-batches per step"), accumulation, WHOLE, 0);
  listing.section = _ ("Where the time goes");
  add_numbers (&listing, _ ("Compute"), compute, SECONDS, -1);
  add_numbers (&listing, _ ("Recomputation (part of compute)"), recompute, SECONDS, -1);
  add_numbers (&listing, _ ("Uneven stages"), uneven, SECONDS, -1);
  add_numbers (&listing, _ ("Exposed communication"), exposed_share, SHARE, -1);
  add_numbers (&listing, _ ("Exposed, tensor parallel"), tp_exposed, SECONDS, -1);
  add_numbers (&listing, _ ("Exposed, context parallel"), cp_exposed, SECONDS, -1);
  add_numbers (&listing, _ ("Exposed, expert parallel"), ep_exposed, SECONDS, -1);
  add_numbers (&listing, _ ("Exposed, pipeline parallel"), pp_exposed, SECONDS, -1);
  add_numbers (&listing, _ ("Exposed, data parallel"), dp_exposed, SECONDS, -1);
  add_numbers (&listing, _ ("Exposed, offload"), offload_exposed, SECONDS, -1);
  add_numbers (&listing, _ ("Pipeline bubble"), bubble_share, SHARE, -1);
  add_numbers (&listing, _ ("Pipeline bubble, time"), bubble, SECONDS, -1);
  add_numbers (&listing, _ ("Optimizer"), optimizer, SECONDS, -1);
  listing.section = _ ("Peak memory of the fullest GPU");
  add_numbers (&listing, _ ("Share of usable memory"), utilisation, SHARE, -1);
  add_numbers (&listing, _ ("Missing"), missing, BYTES, -1);
  for (guint i = 0; i < SW_N_PARTS; i++)
    add_numbers (&listing, shardwise_text_memory_part ((SwMemoryPart) i), parts[i], BYTES, bytes);
  add_numbers (&listing, _ ("Memory per host"), host, BYTES, -1);
  return listing.figures;
}

/**
 * shardwise_comparison_figure_differs:
 *
 * Returns: whether the strategies differ in it
 */
gboolean
shardwise_comparison_figure_differs (const ShardwiseComparisonFigure *figure)
{
  for (guint i = 1; i < figure->n; i++)
    if (figure->cells[i].differs)
      return TRUE;
  return FALSE;
}

/**
 * shardwise_comparison_letter:
 * @index: of a compared strategy
 *
 * Returns: its letter: A, B, C, D
 */
char
shardwise_comparison_letter (guint index)
{
  return (char) ('A' + index);
}

/**
 * shardwise_comparison_to_csv:
 * @comparison: strategies
 *
 * Returns: (transfer full): a line for each figure with its unit, a column for each strategy (RFC
 * 4180); numbers with nine digits and a point in every locale, empty if there is none
 */
char *
shardwise_comparison_to_csv (ShardwiseComparison *comparison)
{
  g_autoptr (GPtrArray) figures = shardwise_comparison_figures (comparison);
  GString *csv = g_string_new (NULL), *line = g_string_new (NULL);
  gboolean others = FALSE;

  g_string_append_printf (csv, "%s,%s", _ ("Figure"), _ ("Unit"));
  for (guint i = 0; i < shardwise_comparison_get_n (comparison); i++)
    g_string_append_printf (csv, ",%c", shardwise_comparison_letter (i));
  g_string_append (csv, "\r\n");

  /* The scenario of each column's figures, if they differ. */
  shardwise_csv_append_field (line, _ ("Scenario"));
  g_string_append_c (line, ',');
  for (guint i = 0; i < shardwise_comparison_get_n (comparison); i++)
    {
      const char *name = shardwise_comparison_get_name (comparison, i);

      others |= name != NULL;
      g_string_append_c (line, ',');
      shardwise_csv_append_field (line, name != NULL ? name : "");
    }
  if (others)
    g_string_append_printf (csv, "%s\r\n", line->str);
  g_string_free (line, TRUE);
  shardwise_csv_append_field (csv, _ ("Does not match the inputs"));
  g_string_append_c (csv, ',');
  for (guint i = 0; i < shardwise_comparison_get_n (comparison); i++)
    {
      g_autofree char *obstacle = shardwise_comparison_get_obstacle (comparison, i);

      g_string_append_c (csv, ',');
      shardwise_csv_append_field (csv, obstacle != NULL ? obstacle : "");
    }
  g_string_append (csv, "\r\n");
  for (guint row = 0; row < figures->len; row++)
    {
      const ShardwiseComparisonFigure *figure = g_ptr_array_index (figures, row);

      shardwise_csv_append_field (csv, figure->title);
      g_string_append_c (csv, ',');
      shardwise_csv_append_field (csv, figure->unit != NULL ? figure->unit : "");
      for (guint i = 0; i < figure->n; i++)
        {
          const ShardwiseComparisonCell *cell = &figure->cells[i];
          char number[G_ASCII_DTOSTR_BUF_SIZE + 32];

          g_string_append_c (csv, ',');
          if (figure->unit == NULL)
            shardwise_csv_append_field (csv, cell->text);
          else if (cell->is_known)
            g_string_append (csv, g_ascii_formatd (number, sizeof number, "%.9g", cell->number));
        }
      g_string_append (csv, "\r\n");
    }
  return g_string_free (csv, FALSE);
}
