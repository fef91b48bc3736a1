/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The days, money and energy of the job, including failures. */
#include "shardwise-cli-cost.h"

#include <glib/gi18n.h>

#include "shardwise-cli-input.h"
#include "shardwise-cli-output.h"
#include "shardwise-deadline.h"
#include "shardwise-resolve.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"

/* The answer: the scenario's own cluster and, with a deadline, the plan over many sizes. */
typedef struct {
  SwProblem problem;
  ShardwiseCostInputs costs;
  GPtrArray *own, *swept; /* ShardwiseSizingPoint elements; swept NULL: no deadline */
  ShardwiseDeadlinePlan plan;
} Answer;

static const ShardwiseSizingPoint *
own_point (const Answer *self)
{
  return g_ptr_array_index (self->own, 0);
}

/* The cheapest cluster that meets the deadline; only called if there is one. */
static const ShardwiseSizingPoint *
cheapest_point (const Answer *self)
{
  return g_ptr_array_index (self->swept, (guint) self->plan.cheapest);
}

/* ---- text ---- */

/* Columns by characters, whatever the number of bytes. */
static void
append_amount (GString *out, const char *name, const char *amount, const char *currency)
{
  int padding = (int) MAX (1, 40 - g_utf8_strlen (name, -1)),
      before = (int) MAX (0, 18 - g_utf8_strlen (amount, -1));

  g_string_append_printf (out, "  %s%*s%*s%s %s\n", name, padding, "", before, "", amount,
                          currency);
}

static void
append_bill (GString *out, const char *title, const ShardwiseBill *bill, const char *currency)
{
  g_autofree char *total = shardwise_format_amount (bill->total, bill->total),
                  *per_tokens = bill->per_million_tokens < 1e-3
                                    ? shardwise_format_amount (bill->per_million_tokens,
                                                               bill->per_million_tokens)
                                    : g_strdup_printf ("%'.6f", bill->per_million_tokens);
  double shown[SHARDWISE_BILL_ITEMS];

  if (bill->n == 0)
    return;
  shardwise_bill_shown (bill, shown);
  shardwise_cli_append_heading (out, title);
  for (guint i = 0; i < bill->n; i++)
    {
      g_autofree char *amount = shardwise_format_amount (shown[i], bill->total);

      append_amount (out, shardwise_text_cost_item (bill->items[i].kind), amount, currency);
    }
  append_amount (out, _ ("Total"), total, currency);
  append_amount (out, _ ("Per million tokens"), per_tokens, currency);
}

static void
append_sentence (GString *out, char *text)
{
  if (text != NULL)
    shardwise_cli_append_wrapped (out, "", text);
  g_free (text);
}

/* The job on its own cluster. The first line: days, money and the share of the time that trains. */
static void
append_job (GString *out, const Answer *self)
{
  const ShardwiseSizingPoint *own = own_point (self);
  const ShardwiseCost *cost = &own->bill;
  const ShardwiseBill *bill = shardwise_cost_bill (cost);
  const char *currency = self->costs.currency;

  if (cost->days > 0)
    {
      g_autofree char *time = shardwise_format_seconds (cost->days * 86400),
                      *hours = shardwise_format_count (cost->gpu_hours),
                      *ratio = shardwise_format_percent (cost->goodput.ratio),
                      *total = bill != NULL ? shardwise_format_amount (bill->total, bill->total)
                                            : NULL;

      g_string_append_printf (
          out,
          /* Translators: a duration, a number of GPUs, of GPU-hours, a percentage */
          ngettext ("%s on %'u GPU: %s GPU-hours, of which %s advance the training.",
                    "%s on %'u GPUs: %s GPU-hours, of which %s advance the training.", own->gpus),
          time, own->gpus, hours, ratio);
      if (total != NULL)
        g_string_append_printf (out, " %s %s.", total, currency);
      g_string_append_c (out, '\n');
    }
  append_sentence (out, shardwise_text_strategy (&own->estimate.strategy));
  append_bill (out, _ ("Cloud"), &cost->cloud, currency);
  append_bill (out, _ ("Owned"), &cost->owned, currency);
  append_sentence (out, shardwise_cost_break_even_text (&self->costs, cost));
  if (cost->energy_kwh > 0)
    {
      g_string_append_c (out, '\n');
      append_sentence (out, shardwise_cost_energy_text (&self->costs, cost));
    }
  append_sentence (out, shardwise_cost_goodput_text (cost));
}

static char *
to_text (const Answer *self, GPtrArray *notes)
{
  const ShardwiseSizingPoint *own = own_point (self);
  const ShardwiseCost *cost = &own->bill;
  GString *out = g_string_new (NULL);

  if (own->estimate.fits)
    append_job (out, self);
  else
    {
      g_autofree char *strategy = shardwise_text_strategy (&own->estimate.strategy),
                      *missing = shardwise_format_bytes (own->estimate.missing_bytes);

      g_string_append_printf (
          out,
          /* Translators: a number of GPUs */
          ngettext ("No strategy fits %'u GPU.", "No strategy fits %'u GPUs.", own->gpus),
          own->gpus);
      g_string_append_c (out, '\n');
      if (own->estimate.missing_bytes > 0)
        append_sentence (
            out, g_strdup_printf (
                     /* Translators: an amount of memory, a strategy */
                     _ ("The nearest strategy needs %s more memory: %s"), missing, strategy));
    }
  if (self->swept != NULL)
    {
      shardwise_cli_append_heading (out, _ ("Deadline"));
      append_sentence (out,
                       shardwise_deadline_text (&self->plan, self->swept, self->costs.currency));
      if (!own->estimate.fits && self->plan.cheapest >= 0)
        cost = &cheapest_point (self)->bill;
    }
  if (cost->basis != SHARDWISE_BASIS_NONE)
    {
      g_string_append_c (out, '\n');
      append_sentence (out, shardwise_cost_included (cost));
      append_sentence (out, shardwise_cost_not_included (cost));
    }
  shardwise_cli_append_notes (out, notes);
  return g_string_free (out, FALSE);
}

/* ---- CSV ---- */

static void
append_line (GString *out, const char *part, const char *item, double amount, const char *unit)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (out, "%s,%s,%s,%s\r\n", part, item,
                          g_ascii_dtostr (buffer, sizeof buffer, amount), unit);
}

static void
append_bill_lines (GString *out, const char *part, const ShardwiseBill *bill, const char *currency)
{
  for (guint i = 0; i < bill->n; i++)
    append_line (out, part, shardwise_cost_names[bill->items[i].kind], bill->items[i].amount,
                 currency);
  if (bill->n == 0)
    return;
  append_line (out, part, "total", bill->total, currency);
  append_line (out, part, "per-million-tokens", bill->per_million_tokens, currency);
}

/* Unrounded numbers; unknown ones get no line. */
static char *
to_csv (const Answer *self)
{
  const ShardwiseCost *cost = &own_point (self)->bill;
  GString *out = g_string_new ("part,item,amount,unit\r\n");

  append_line (out, "job", "gpus", own_point (self)->gpus, "GPUs");
  if (own_point (self)->estimate.fits)
    append_line (out, "job", "goodput", cost->goodput.ratio, "share");
  if (cost->days > 0)
    {
      append_line (out, "job", "days", cost->days, "days");
      append_line (out, "job", "gpu-hours", cost->gpu_hours, "GPU-hours");
    }
  append_bill_lines (out, "cloud", &cost->cloud, self->costs.currency);
  append_bill_lines (out, "owned", &cost->owned, self->costs.currency);
  if (cost->energy_kwh > 0)
    {
      append_line (out, "energy", "energy", cost->energy_kwh, "kWh");
      append_line (out, "energy", "co2", cost->kg_co2, "kg");
    }
  if (cost->break_even_hours > 0)
    append_line (out, "break-even", "use", cost->break_even_hours, "GPU-hours");
  return g_string_free (out, FALSE);
}

/* ---- the command ---- */

/* Notes on the figures: first on money, then on the scenario. */
static GPtrArray *
collect_notes (const Answer *self, GPtrArray *scenario)
{
  const ShardwiseSizingPoint *own = own_point (self), *counted = own;
  g_autoptr (GPtrArray) money = NULL;
  GPtrArray *all = g_ptr_array_new_with_free_func (g_free);

  if (!own->estimate.fits)
    {
      const char *why = _ ("No strategy fits this cluster, so there is no duration or cost.");

      g_ptr_array_add (all, g_strdup (why));
      counted = self->swept != NULL && self->plan.cheapest >= 0 ? cheapest_point (self) : NULL;
    }
  money = counted != NULL ? shardwise_cost_notes (&self->costs, &counted->bill) : NULL;
  for (guint i = 0; money != NULL && i < money->len; i++)
    g_ptr_array_add (all, g_strdup (g_ptr_array_index (money, i)));
  for (guint i = 0; i < scenario->len; i++)
    g_ptr_array_add (all, g_strdup (g_ptr_array_index (scenario, i)));
  return all;
}

/* Searches the scenario's cluster and, with a deadline, the other sizes. */
static int
cost (ShardwiseCliInput *input, const GDate *start, gboolean csv)
{
  ShardwiseScenario *scenario = input->scenario;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) stated = NULL, own = NULL, swept = NULL, notes = NULL;
  Answer answer = { .own = NULL };
  int status;

  if (!shardwise_scenario_resolve (scenario, &answer.problem, &stated, &error))
    return shardwise_cli_fail (input->file, error);
  if (answer.problem.training.tokens <= 0) /* neither tokens nor examples */
    {
      const ShardwiseKey *key = shardwise_key_get (SHARDWISE_KEY_TRAINING_TOKENS);
      g_autofree char *accepted = shardwise_key_describe_range (key);

      error = shardwise_error_new (SHARDWISE_ERROR_MISSING, key->path,
                                   /* Translators: what is accepted: 1 to 1e+18 tokens */
                                   _ ("is required; allowed: %s"), accepted);
      return shardwise_cli_fail (input->file, error);
    }
  shardwise_cost_inputs_read (scenario, &answer.problem, &answer.costs);
  answer.own = own = shardwise_sizing_compute (scenario, &answer.problem.cluster.gpus, 1, NULL,
                                               NULL, NULL, &error);
  if (own == NULL)
    return shardwise_cli_fail (input->file, error);
  if (shardwise_scenario_is_set (scenario, SHARDWISE_KEY_TRAINING_DEADLINE))
    {
      answer.swept = swept = shardwise_deadline_search (scenario, start, NULL, NULL, NULL, &error);
      if (swept == NULL)
        return shardwise_cli_fail (input->file, error);
      shardwise_deadline_plan (scenario, start, swept, &answer.plan);
    }
  status = own_point (&answer)->estimate.fits ? SHARDWISE_CLI_DONE : SHARDWISE_CLI_NOTHING_FITS;
  notes = collect_notes (&answer, stated);
  if (input->json)
    {
      JsonNode *node = shardwise_cost_to_json (&answer.costs, &own_point (&answer)->bill, notes);
      JsonObject *object = json_node_get_object (node);

      json_object_set_int_member (object, "gpus", own_point (&answer)->gpus);
      if (swept != NULL)
        json_object_set_member (object, "deadline",
                                shardwise_deadline_to_json (&answer.plan, swept));
      return shardwise_cli_print_json (node, status);
    }
  return shardwise_cli_print (csv ? to_csv (&answer) : to_text (&answer, notes), status);
}

static const char *
check_start (gconstpointer data)
{
  const char *const *from = data;
  GDate start;

  return shardwise_cli_parse_start (*from, &start)
             ? NULL
             : _ ("--from must be a date in the form YYYY-MM-DD");
}

int
shardwise_cli_cost (int argc, char **argv)
{
  g_autofree char *from = NULL;
  gboolean csv = FALSE;
  g_auto (ShardwiseCliInput) input = { .check = check_start, .data = &from };
  const GOptionEntry entries[] = {
    { "from", 0, 0, G_OPTION_ARG_STRING, &from,
      N_ ("Start date of the training, for the deadline (default: today)"), "YYYY-MM-DD" },
    { "csv", 0, 0, G_OPTION_ARG_NONE, &csv, N_ ("Print comma-separated values"), NULL },
    { NULL },
  };
  int status = shardwise_cli_input_read (
      &input, argc, argv, entries,
      _ ("Estimates duration, cost and energy of the job, including failures."));
  GDate start;

  if (status == SHARDWISE_CLI_DONE && shardwise_cli_parse_start (from, &start))
    status = cost (&input, &start, csv);
  return status;
}
