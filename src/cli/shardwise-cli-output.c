/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Output of commands: JSON, tables and wrapped paragraphs. */
#include "shardwise-cli-output.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>

#include "shardwise-cli-input.h"
#include "shardwise-json.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-text-estimate.h"
#include "sw-estimate.h"

#define WIDTH 100

/**
 * shardwise_cli_print:
 * @text: (transfer full): the output
 * @status: the exit status
 *
 * Returns: @status; %SHARDWISE_CLI_WRONG_INPUT if writing fails (a full disk)
 */
int
shardwise_cli_print (char *text, int status)
{
  g_autofree char *held = text;

  if (fputs (text, stdout) == EOF || fflush (stdout) == EOF)
    {
      g_printerr ("shardwise-cli: %s\n", g_strerror (errno));
      return SHARDWISE_CLI_WRONG_INPUT;
    }
  return status;
}

/**
 * shardwise_cli_print_json:
 * @node: (transfer full): the object
 * @status: the exit status
 */
int
shardwise_cli_print_json (JsonNode *node, int status)
{
  g_autoptr (JsonNode) held = node;

  return shardwise_cli_print (shardwise_json_to_string (held), status);
}

/**
 * shardwise_cli_append_wrapped:
 * @indent: the start of every line
 * @text: a paragraph; a number and its unit stay on one line
 */
void
shardwise_cli_append_wrapped (GString *out, const char *indent, const char *text)
{
  g_autofree char *unbroken = shardwise_format_unbroken (text);
  g_auto (GStrv) words = g_strsplit (unbroken, " ", -1);
  glong column = 0;

  for (guint i = 0; words[i] != NULL; i++)
    {
      g_autoptr (GString) word = g_string_new (words[i]);
      glong length;

      g_string_replace (word, "\302\240", " ", 0);
      g_string_replace (word, "\342\201\240", "", 0); /* a word joiner: a terminal may show it */
      length = g_utf8_strlen (word->str, -1);
      if (column > 0 && column + 1 + length > WIDTH)
        {
          g_string_append_c (out, '\n');
          column = 0;
        }
      g_string_append (out, column == 0 ? indent : " ");
      g_string_append (out, word->str);
      column += length + (column == 0 ? (glong) strlen (indent) : 1);
    }
  g_string_append_c (out, '\n');
}

/**
 * shardwise_cli_append_heading:
 * @title: the translated heading
 */
void
shardwise_cli_append_heading (GString *out, const char *title)
{
  g_string_append_printf (out, "\n%s\n", title);
}

/**
 * shardwise_cli_append_row:
 * @label: padded by characters
 * @value: beside it
 */
void
shardwise_cli_append_row (GString *out, const char *label, const char *value)
{
  g_string_append (out, "  ");
  shardwise_text_append_cell (out, -33, label);
  g_string_append_printf (out, " %s\n", value);
}

/**
 * shardwise_cli_append_number:
 * @csv: a line
 * @value: the number of its next field, unrounded
 * @known: whether there is one; otherwise the field is empty
 */
void
shardwise_cli_append_number (GString *csv, double value, gboolean known)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (csv, ",%s", known ? g_ascii_dtostr (buffer, sizeof buffer, value) : "");
}

/* Takes @value. */
static void
append_row (GString *out, const char *label, char *value)
{
  shardwise_cli_append_row (out, label, value);
  g_free (value);
}

static void
append_bytes (GString *out, const char *label, double bytes)
{
  if (bytes > 0)
    append_row (out, label, shardwise_format_bytes (bytes));
}

/* A row with two columns of values. */
static void
append_pair (GString *out, const char *label, const char *first, const char *second)
{
  g_autoptr (GString) value = g_string_new (NULL);

  shardwise_text_append_cell (value, -10, first);
  g_string_append_printf (value, " %s", second);
  append_row (out, label, g_strdup (value->str));
}

static void
append_seconds (GString *out, const char *label, double seconds, double step)
{
  g_autofree char *value = NULL, *share = NULL;

  if (seconds <= 0)
    return;
  value = shardwise_format_seconds (seconds);
  share = shardwise_format_percent (seconds / step);
  append_pair (out, label, value, share);
}

/* A heading of figures; it mentions if no measurement confirms them. */
static void
append_figures_heading (GString *out, const char *title, const SwEstimate *estimate)
{
  g_autofree char *doubted = NULL;

  if (!sw_estimate_is_validated (estimate))
    doubted = g_strdup_printf ("%s (%s)", title, _ ("not validated"));
  shardwise_cli_append_heading (out, doubted != NULL ? doubted : title);
}

static void
append_rates (GString *out, const SwProblem *problem, const SwEstimate *estimate)
{
  g_autofree char *interval = shardwise_text_interval (problem, estimate);
  const double step_s = estimate->time.step_s;
  g_autofree char *low = shardwise_format_seconds_beside (estimate->step_low_s, step_s),
                  *high = shardwise_format_seconds_beside (estimate->step_high_s, step_s);
  g_autofree char *rate = shardwise_format_count (estimate->tokens_per_s),
                  *per_gpu = shardwise_format_count (estimate->tokens_per_s_per_gpu);
  g_autofree char *mfu = shardwise_format_percent (estimate->mfu);
  g_autofree char *flops =
      shardwise_format_significant (estimate->model_flops_per_s_per_gpu / 1e12);
  g_autofree char *peak = shardwise_format_significant (estimate->peak_flops_per_s / 1e12);

  append_figures_heading (out, _ ("Throughput"), estimate);
  append_row (out, _ ("Tokens per second"), g_strdup (rate));
  append_row (out, _ ("Tokens per second per GPU"), g_strdup (per_gpu));
  /* Translators: utilisation in percent, rate and peak rate in TFLOP/s */
  append_row (out, _ ("Model FLOPs utilization"),
              g_strdup_printf (_ ("%s: %s of %s TFLOP/s dense, causal attention halved"), mfu,
                               flops, peak));
  append_row (out, _ ("Exposed communication"),
              shardwise_format_percent (estimate->communication_overhead));
  append_row (out, _ ("Pipeline bubble"), shardwise_format_percent (estimate->bubble_fraction));
  append_row (out, _ ("Scaling efficiency"),
              shardwise_format_percent (estimate->scaling_efficiency));
  /* Translators: two durations */
  append_row (out, _ ("Error interval of the step time"),
              g_strdup_printf (_ ("%s to %s"), low, high));
  if (interval != NULL)
    shardwise_cli_append_wrapped (out, "  ", interval);
}

/* "20, 20, 20, 20" as "4 × 20" if all stages are alike. */
static char *
layers_text (const SwProblem *problem, const SwStrategy *strategy)
{
  GString *text = g_string_new (NULL);
  gboolean alike = TRUE;

  for (guint stage = 0; stage < strategy->pp; stage++)
    {
      alike = alike
              && sw_stage_layers (problem, strategy, stage)
                     == sw_stage_layers (problem, strategy, 0);
      g_string_append_printf (text, stage > 0 ? ", %u" : "%u",
                              sw_stage_layers (problem, strategy, stage));
    }
  if (alike && strategy->pp > 1)
    g_string_printf (text, "%u × %u", strategy->pp, sw_stage_layers (problem, strategy, 0));
  return g_string_free (text, FALSE);
}

/**
 * shardwise_cli_append_communication:
 * @out: receives the communication table; unchanged on a single GPU
 * @problem: the question
 * @strategy: a strategy
 */
void
shardwise_cli_append_communication (GString *out, const SwProblem *problem,
                                    const SwStrategy *strategy)
{
  SwCommunication rows[SW_MAX_COMMUNICATIONS];
  guint n = sw_communication (problem, strategy, rows);

  if (n > 0)
    shardwise_cli_append_heading (out, _ ("Communication per step"));
  for (guint i = 0; i < n; i++)
    {
      const SwCommunication *row = &rows[i];
      g_autofree char *links = shardwise_text_links (problem, row),
                      *time = shardwise_format_seconds (row->seconds),
                      *exposed = shardwise_format_seconds (row->exposed_s),
                      *bytes = shardwise_format_bytes (row->bytes),
                      *calls = shardwise_format_count (row->calls);

      g_string_append_printf (out, "  %s\n", shardwise_text_communication (row));
      if (row->calls > 0)
        /* Translators: "all-gather", how often, GPUs of the group, amount of memory, links */
        g_string_append_printf (out, _ ("    %s, %s calls across %'u GPUs, %s sent per GPU, %s\n"),
                                shardwise_text_collective (row), calls, row->gpus, bytes, links);
      /* Translators: two durations */
      g_string_append_printf (out, _ ("    %s, of which %s is exposed\n"), time, exposed);
    }
}

/**
 * shardwise_cli_append_estimate:
 * @out: receives the tables
 * @problem: the question
 * @estimate: of one strategy
 */
void
shardwise_cli_append_estimate (GString *out, const SwProblem *problem, const SwEstimate *estimate)
{
  const SwStrategy *strategy = &estimate->strategy;
  const SwMemoryParts *peak = &estimate->memory.peak;
  const SwTime *time = &estimate->time;
  g_autofree char *summary = shardwise_text_strategy (strategy),
                  *total = shardwise_format_bytes (peak->total),
                  *usable = shardwise_format_bytes (estimate->usable_bytes),
                  *share = shardwise_format_percent (estimate->memory_utilisation), *fit = NULL;
  SwMoments moments;

  shardwise_cli_append_heading (out, _ ("Strategy"));
  shardwise_cli_append_wrapped (out, "  ", summary);
  append_row (out, _ ("Framework"), g_strdup (sw_framework_names[strategy->framework]));
  append_row (out, _ ("Gradient accumulation"),
              g_strdup_printf ("%u", estimate->gradient_accumulation));
  append_row (out, _ ("Layers per stage"), layers_text (problem, strategy));
  /* Translators: GPUs that work, GPUs that are left over */
  append_row (out, _ ("GPUs"),
              g_strdup_printf (_ ("%'u used, %'u idle"), estimate->gpus_used, estimate->gpus_idle));

  append_figures_heading (out, _ ("Memory per GPU on the fullest stage"), estimate);
  append_bytes (out, _ ("Parameters"), peak->parameters);
  append_bytes (out, _ ("Gradients"), peak->gradients);
  append_bytes (out, _ ("Optimizer"), peak->optimizer);
  append_bytes (out, _ ("Activations"), peak->activations);
  append_bytes (out, _ ("Logits"), peak->logits);
  append_bytes (out, _ ("Buffers"), peak->buffers);
  append_bytes (out, _ ("Framework"), peak->framework);
  /* Translators: memory used, memory that can be used, share in percent */
  append_row (out, _ ("Peak of a training step"),
              g_strdup_printf (_ ("%s of %s (%s)"), total, usable, share));
  append_bytes (out, _ ("Host memory per node"), estimate->memory.host_bytes);
  if (sw_moments (problem, estimate, &moments)) /* before steady steps, and during evaluation */
    {
      g_autofree char *evaluation = shardwise_text_evaluation (estimate, &moments);

      shardwise_cli_append_heading (out, _ ("Memory at other moments of the run"));
      append_bytes (out, _ ("Loading, per GPU"), moments.loading);
      append_bytes (out, _ ("Loading, per host"), moments.loading_host);
      append_bytes (out, _ ("First backward pass"), moments.first_backward);
      append_bytes (out, _ ("Evaluation"), moments.evaluation);
      if (evaluation != NULL)
        shardwise_cli_append_wrapped (out, "  ", evaluation);
    }

  fit = shardwise_text_fit (estimate);
  if (fit != NULL)
    shardwise_cli_append_wrapped (out, "  ", fit);

  append_figures_heading (out, _ ("Time of a step"), estimate);
  append_seconds (out, _ ("Compute"), time->compute_s, time->step_s);
  append_seconds (out, _ ("  of which recomputation"), time->recompute_s, time->step_s);
  append_seconds (out, _ ("Uneven stages"), time->uneven_s, time->step_s);
  append_seconds (out, _ ("Tensor-parallel communication"), time->tp_exposed_s, time->step_s);
  append_seconds (out, _ ("Context-parallel communication"), time->cp_exposed_s, time->step_s);
  append_seconds (out, _ ("Expert-parallel communication"), time->ep_exposed_s, time->step_s);
  append_seconds (out, _ ("Pipeline communication"), time->pp_exposed_s, time->step_s);
  append_seconds (out, _ ("Data-parallel communication"), time->dp_exposed_s, time->step_s);
  append_seconds (out, _ ("Pipeline bubble"), time->bubble_s, time->step_s);
  append_seconds (out, _ ("Optimizer"), time->optimizer_s, time->step_s);
  append_seconds (out, _ ("Offload"), time->offload_exposed_s, time->step_s);
  append_seconds (out, _ ("Other"), time->other_s, time->step_s);
  append_row (out, _ ("Step"), shardwise_format_seconds (time->step_s));

  if (estimate->phases.n > 0)
    shardwise_cli_append_heading (out, _ ("Phases of a step"));
  for (guint i = 0; i < estimate->phases.n; i++)
    {
      const SwPhase *phase = &estimate->phases.phase[i];
      g_autofree char *takes = shardwise_format_seconds (phase->time.step_s),
                      *of_step = shardwise_format_percent (phase->time.step_s / time->step_s),
                      *memory = shardwise_format_bytes (phase->memory.total);

      /* Translators: share of the step, memory of a GPU meanwhile: "12.5 % with 61.2 GiB per
       * GPU" */
      g_autofree char *rest = g_strdup_printf (_ ("%s with %s per GPU"), of_step, memory);

      append_pair (out, shardwise_text_phase (phase->kind), takes, rest);
    }
  append_rates (out, problem, estimate);
}

/**
 * shardwise_cli_append_notes:
 * @notes: (nullable): of strings*
 */
void
shardwise_cli_append_notes (GString *out, GPtrArray *notes)
{
  if (notes == NULL || notes->len == 0)
    return;
  shardwise_cli_append_heading (out, _ ("Notes"));
  for (guint i = 0; i < notes->len; i++)
    shardwise_cli_append_wrapped (out, "  ", g_ptr_array_index (notes, i));
}
