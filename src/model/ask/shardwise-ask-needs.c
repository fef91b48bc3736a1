/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether it fits, and what it takes: GPUs, memory, time, money. */
#include "shardwise-ask-answer-private.h"

#include <glib/gi18n.h>

#include "shardwise-budget.h"
#include "shardwise-deadline.h"
#include "shardwise-resolve.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"

/* Tokens of which days and money are told where the question and the scenario name none. */
#define SOME_TOKENS 1e11
#define DAY 86400.0

/* The advice for what the question names; FALSE: there is none, and that was said. */
static ShardwiseAdvice *
evaluate_named (ShardwiseAsking *self, gboolean explain)
{
  g_autoptr (GVariant) changes = shardwise_asking_changes (self, 0);
  ShardwiseAdvice *advice = shardwise_asking_evaluate (self, changes, explain);

  shardwise_asking_offer (self, changes);
  return advice;
}

static void
say_misfit (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  shardwise_asking_say (self, g_strdup (_ ("No.")));
  shardwise_asking_verdict (self, advice);
  shardwise_asking_states (self, advice);
  shardwise_asking_ways_out (self, advice);
}

void
shardwise_asking_fits (ShardwiseAsking *self)
{
  g_autoptr (ShardwiseAdvice) advice = NULL;

  self->answer->page = "advice";
  if (shardwise_asking_largest (self))
    return;
  advice = evaluate_named (self, TRUE);
  if (advice == NULL)
    return;
  if (!shardwise_advice_get_fits (advice))
    {
      GPtrArray *ways = shardwise_advice_get_ways_out (advice);

      say_misfit (self, advice);
      if (ways->len > 0
          && g_variant_n_children (((ShardwiseWayOut *) g_ptr_array_index (ways, 0))->changes) > 0)
        {
          const ShardwiseWayOut *way = g_ptr_array_index (ways, 0);
          g_autoptr (GVariant) named = shardwise_asking_changes (self, 0),
                               both = shardwise_asking_join (named, way->changes);

          shardwise_asking_offer (self, both);
        }
      return;
    }
  shardwise_asking_say (self, g_strdup (_ ("Yes.")));
  shardwise_asking_verdict (self, advice);
}

/* ---- how many GPUs ---- */

static void
offer_gpus (ShardwiseAsking *self, guint gpus)
{
  g_autoptr (GVariant) named = shardwise_asking_changes (self, 0), changes = NULL;
  GVariantDict dict;

  g_variant_dict_init (&dict, named);
  g_variant_dict_insert (&dict, "cluster.gpus", "x", (gint64) gpus);
  changes = g_variant_ref_sink (g_variant_dict_end (&dict));
  shardwise_asking_offer (self, changes);
}

/* The smallest of a row of clusters that is done in time. */
static void
say_gpus_for_days (ShardwiseAsking *self, double days)
{
  g_autoptr (GVariant) changes = shardwise_asking_changes (self, 0);
  g_autoptr (ShardwiseScenario) changed = shardwise_asking_changed (self, changes);
  g_autoptr (GArray) sizes = NULL;
  g_autoptr (GPtrArray) points = NULL;
  g_autoptr (GError) error = NULL;
  const ShardwiseSizingPoint *best = NULL;

  if (changed == NULL)
    return;
  if (!shardwise_scenario_is_set (changed, "training.tokens"))
    {
      shardwise_asking_say (
          self,
          g_strdup (_ ("How long it takes depends on the number of tokens, which is not given: "
                       "name it, for example “for 1T tokens in 30 days”.")));
      return;
    }
  sizes =
      shardwise_deadline_sizes ((guint) shardwise_scenario_get_number (changed, "cluster.gpus", 8));
  points = shardwise_sizing_compute (changed, (const guint *) (gpointer) sizes->data, sizes->len,
                                     NULL, NULL, self->cancellable, &error);
  if (points == NULL)
    shardwise_asking_fail (self, g_steal_pointer (&error));
  for (guint i = 0; points != NULL && i < points->len; i++)
    {
      const ShardwiseSizingPoint *point = g_ptr_array_index (points, i);

      if (point->estimate.fits && point->days > 0 && point->days <= days
          && (best == NULL || point->gpus < best->gpus))
        best = point;
    }
  if (best != NULL)
    {
      g_autofree char *takes = shardwise_format_significant (best->days),
                      *wanted = shardwise_format_significant (days),
                      *rate = shardwise_asking_rate (&best->estimate);

      shardwise_asking_fact (self, "gpus", best->gpus, "GPUs");
      shardwise_asking_fact (self, "days", best->days, "d");
      shardwise_asking_say (
          self, g_strdup_printf (ngettext (
                                     /* Translators: number of GPUs, a rate, days that it
                                        takes, days that were asked for */
                                     "%'u GPU: %s, which takes %s days with checkpoints and "
                                     "interruptions, within the %s asked for.",
                                     "%'u GPUs: %s, which takes %s days with checkpoints "
                                     "and interruptions, within the %s asked for.",
                                     best->gpus),
                                 best->gpus, rate, takes, wanted));
      offer_gpus (self, best->gpus);
    }
  else if (points != NULL)
    shardwise_asking_say (
        self, g_strdup_printf (_ ("None of the sizes up to %'u GPUs is done in %.4g days."),
                               g_array_index (sizes, guint, sizes->len - 1), days));
}

static void
say_least (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  guint least = shardwise_advice_get_least_gpus (advice),
        sensible = shardwise_advice_get_sensible_gpus (advice);

  if (least == 0)
    {
      shardwise_asking_say (self, g_strdup_printf (
                                      /* Translators: a model, a GPU */
                                      _ ("No number of %2$s that was tried holds %1$s."),
                                      problem->model.name, problem->cluster.gpu.name));
      shardwise_asking_ways_out (self, advice);
      return;
    }
  shardwise_asking_fact (self, "least_gpus", least, "GPUs");
  shardwise_asking_fact (self, "sensible_gpus", sensible, "GPUs");
  shardwise_asking_say (self, g_strdup_printf (
                                  /* Translators: a model, a number, a GPU */
                                  _ ("%s fits from %'u %s on."), problem->model.name, least,
                                  problem->cluster.gpu.name));
  if (sensible > 0)
    shardwise_asking_say (
        self, g_strdup_printf (ngettext ("A sensible number is %'u GPU: fewer slow each one down.",
                                         "A sensible number is %'u GPUs: fewer slow each one down.",
                                         sensible),
                               sensible));
  offer_gpus (self, sensible > 0 ? sensible : least);
}

/* "How many GPUs do I need?", also to be done in some days. */
void
shardwise_asking_gpus (ShardwiseAsking *self)
{
  const ShardwiseAskSlot *days = shardwise_question_find (self->question, "days", 0);
  g_autoptr (ShardwiseAdvice) advice = NULL;

  self->answer->page = "scale";
  if (days != NULL)
    {
      say_gpus_for_days (self, g_variant_get_double (days->value));
      return;
    }
  advice = evaluate_named (self, TRUE);
  if (advice != NULL)
    say_least (self, advice);
}

/* ---- memory ---- */

static void
say_parts (ShardwiseAsking *self, const SwMemoryParts *parts)
{
  const struct {
    const char *name, *title;
    double bytes;
  } all[] = {
    { "parameters", N_ ("parameters"), parts->parameters },
    { "gradients", N_ ("gradients"), parts->gradients },
    { "optimizer", N_ ("optimizer states"), parts->optimizer },
    { "activations", N_ ("activations"), parts->activations },
    { "logits", N_ ("logits"), parts->logits },
    { "buffers", N_ ("buffers"), parts->buffers },
    { "framework", N_ ("framework"), parts->framework },
  };
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    {
      g_autofree char *bytes = shardwise_format_bytes (all[i].bytes);

      shardwise_asking_fact (self, all[i].name, all[i].bytes / SW_GIB, "GiB");
      if (all[i].bytes > 0.005 * parts->total)
        g_string_append_printf (list, "%s%s %s", list->len > 0 ? ", " : "", _ (all[i].title),
                                bytes);
    }
  /* Translators: a list: "parameters 12 GiB, gradients …" */
  shardwise_asking_say (self, g_strdup_printf (_ ("Of that: %s."), list->str));
  g_string_free (list, TRUE);
}

/* "How much memory does it take?" */
void
shardwise_asking_memory (ShardwiseAsking *self)
{
  g_autoptr (ShardwiseAdvice) advice = evaluate_named (self, TRUE);
  const SwEstimate *e;
  g_autofree char *total = NULL, *low = NULL, *high = NULL, *usable = NULL, *strategy = NULL;

  self->answer->page = "analysis";
  if (advice == NULL)
    return;
  e = shardwise_advice_get_recommended (advice);
  total = shardwise_format_bytes (e->memory.peak.total);
  low = shardwise_format_bytes (e->memory_low_bytes);
  high = shardwise_format_bytes (e->memory_high_bytes);
  usable = shardwise_format_bytes (e->usable_bytes);
  strategy = shardwise_text_strategy (&e->strategy);
  shardwise_asking_say (self,
                        g_strdup_printf (
                            /* Translators: memory, its interval, what a GPU has, a strategy */
                            _ ("The fullest GPU holds %s at its peak (%s–%s) of %s, with %s."),
                            total, low, high, usable, strategy));
  say_parts (self, &e->memory.peak);
  shardwise_asking_facts (self, "", advice);
  if (!shardwise_advice_get_fits (advice))
    {
      shardwise_asking_say (self, g_strdup (_ ("That does not fit.")));
      shardwise_asking_ways_out (self, advice);
    }
  shardwise_asking_states (self, advice);
}

/* ---- time and money ---- */

/* Returns (transfer full) (nullable): the scenario that the question names, with a number of
 * tokens. is_open: (out): whether neither of them gives one. */
static ShardwiseScenario *
with_tokens (ShardwiseAsking *self, gboolean *is_open)
{
  g_autoptr (GVariant) changes = shardwise_asking_changes (self, 0);
  ShardwiseScenario *changed = shardwise_asking_changed (self, changes);

  shardwise_asking_offer (self, changes);
  *is_open = changed != NULL && !shardwise_scenario_is_set (changed, "training.tokens");
  if (*is_open)
    shardwise_scenario_set (changed, "training.tokens", g_variant_new_double (SOME_TOKENS), NULL);
  return changed;
}

static void
say_some_tokens (ShardwiseAsking *self)
{
  shardwise_asking_say (
      self, g_strdup (_ ("The number of tokens is not given; this is of each 100 billion.")));
}

/* Returns (transfer full) (nullable): the one point of that scenario's own size. */
static GPtrArray *
own_point (ShardwiseAsking *self, ShardwiseScenario *scenario)
{
  guint gpus = (guint) shardwise_scenario_get_number (scenario, "cluster.gpus", 0);
  g_autoptr (GError) error = NULL;
  GPtrArray *points = shardwise_sizing_compute (scenario, &gpus, 1, NULL, NULL, self->cancellable,
                                                &error);

  if (points == NULL)
    shardwise_asking_fail (self, g_steal_pointer (&error));
  return points;
}

static void
say_days (ShardwiseAsking *self, const ShardwiseSizingPoint *point)
{
  const ShardwiseCost *cost = &point->bill;
  const SwEstimate *e = &point->estimate;
  g_autofree char *tokens = shardwise_format_count (cost->tokens),
                  *days = shardwise_format_seconds (cost->days * DAY), *low = NULL, *high = NULL,
                  *ratio = shardwise_format_percent (cost->goodput.ratio),
                  *rate = shardwise_asking_rate (e);
  double least, most;

  shardwise_cost_spread (cost->days, e, &least, &most);
  low = shardwise_format_seconds_beside (least * DAY, cost->days * DAY);
  high = shardwise_format_seconds_beside (most * DAY, cost->days * DAY);
  shardwise_asking_fact (self, "days", cost->days, "d");
  shardwise_asking_fact (self, "days_low", least, "d");
  shardwise_asking_fact (self, "days_high", most, "d");
  shardwise_asking_fact (self, "goodput", cost->goodput.ratio, "1");
  shardwise_asking_fact (self, "tokens", cost->tokens, "tokens");
  shardwise_asking_fact (self, "gpus", point->gpus, "GPUs");
  shardwise_asking_say (
      self, g_strdup_printf (ngettext (
                                 /* Translators: tokens, a duration, its interval,
                                    number of GPUs, a rate, a percentage */
                                 "%s tokens take %s (%s–%s) on %'u GPU at %s; %s of the "
                                 "time advances the training, the rest are "
                                 "checkpoints and interruptions.",
                                 "%s tokens take %s (%s–%s) on %'u GPUs at %s; %s of "
                                 "the time advances the training, the rest are "
                                 "checkpoints and interruptions.",
                                 point->gpus),
                             tokens, days, low, high, point->gpus, rate, ratio));
}

/* Evaluates the point and says why there is none; else TRUE. */
static gboolean
has_days (ShardwiseAsking *self, const ShardwiseSizingPoint *point)
{
  if (!point->estimate.fits)
    {
      g_autoptr (ShardwiseAdvice) advice = evaluate_named (self, TRUE);

      if (advice != NULL)
        say_misfit (self, advice);
      return FALSE;
    }
  if (point->bill.days > 0)
    return TRUE;
  shardwise_asking_say (
      self, g_strdup (_ ("The job does not advance: interruptions undo more than is trained.")));
  return FALSE;
}

/* Days until the training must be done. FALSE: there is no such limit. */
static gboolean
days_there (ShardwiseAsking *self, ShardwiseScenario *scenario, double *days)
{
  g_autofree char *text = shardwise_scenario_get_string (scenario, "training.deadline");
  const ShardwiseAskSlot *asked = shardwise_question_find (self->question, "days", 0);
  GDate deadline, today;

  if (asked != NULL)
    *days = g_variant_get_double (asked->value);
  else if (text != NULL && shardwise_date_parse (text, &deadline))
    {
      shardwise_date_today (&today);
      *days = g_date_days_between (&today, &deadline);
    }
  else
    return FALSE;
  shardwise_asking_fact (self, "days_there", *days, "d");
  return TRUE;
}

static void
say_whether_in_time (ShardwiseAsking *self, double there, double days)
{
  if (there <= 0)
    {
      shardwise_asking_say (self, g_strdup (_ ("The deadline has passed.")));
      return;
    }
  shardwise_asking_say (
      self, there >= days ? g_strdup_printf (_ ("That is within the %.4g days there are."), there)
                          : g_strdup_printf (_ ("There are only %.4g days."), there));
}

/* Who names days and no tokens asks how many are trained in them: both are in proportion. */
static void
say_trained_in (ShardwiseAsking *self, const ShardwiseSizingPoint *point, double days)
{
  const SwEstimate *e = &point->estimate;
  const double count = days / point->bill.days * point->bill.tokens,
               least = count * e->tokens_low_per_s / e->tokens_per_s,
               most = count * e->tokens_high_per_s / e->tokens_per_s;
  g_autofree char *tokens = shardwise_format_count (count), *low = shardwise_format_count (least),
                  *high = shardwise_format_count (most);

  shardwise_asking_fact (self, "tokens_there", count, "tokens");
  shardwise_asking_say (
      self, g_strdup_printf (
                /* Translators: days, a number of tokens, its interval */
                _ ("In %.4g days these GPUs train %s tokens (%s–%s)."), days, tokens, low, high));
}

static void
say_deadline (ShardwiseAsking *self, ShardwiseScenario *scenario, const ShardwiseSizingPoint *point)
{
  double there;

  if (days_there (self, scenario, &there))
    say_whether_in_time (self, there, point->bill.days);
}

/* "How long does it take?" */
void
shardwise_asking_time (ShardwiseAsking *self)
{
  gboolean is_open;
  g_autoptr (ShardwiseScenario) changed = with_tokens (self, &is_open);
  g_autoptr (GPtrArray) points = changed != NULL ? own_point (self, changed) : NULL;
  const ShardwiseSizingPoint *point;
  double there;

  self->answer->page = "scale";
  if (points == NULL || !has_days (self, g_ptr_array_index (points, 0)))
    return;
  point = g_ptr_array_index (points, 0);
  if (is_open && days_there (self, changed, &there) && there > 0)
    say_trained_in (self, point, there);
  if (is_open)
    say_some_tokens (self);
  say_days (self, point);
  if (!is_open)
    say_deadline (self, changed, point);
}

/* Who names money and no tokens asks how many it buys, in the days there are if there is such a
 * limit: whichever of the two ends first. */
static void
say_budget (ShardwiseAsking *self, ShardwiseScenario *scenario, const ShardwiseSizingPoint *point,
            double amount)
{
  g_autofree char *tokens = NULL, *days = NULL, *low = NULL, *high = NULL;
  ShardwiseBudgetOffer offer;
  double there;

  if (!(amount > 0) || !shardwise_budget_offer (point, amount, &offer))
    return;
  shardwise_asking_fact (self, "budget_tokens", offer.tokens, "tokens");
  shardwise_asking_fact (self, "budget_days", offer.days, "d");
  tokens = shardwise_format_count (offer.tokens);
  low = shardwise_format_count (offer.tokens_low);
  high = shardwise_format_count (offer.tokens_high);
  days = shardwise_format_seconds (offer.days * DAY);
  shardwise_asking_say (
      self, g_strdup_printf (
                /* Translators: a number of tokens, its interval, a duration */
                _ ("The budget named buys %s tokens (%s–%s), in %s."), tokens, low, high, days));
  if (!days_there (self, scenario, &there))
    return;
  say_whether_in_time (self, there, offer.days);
  if (there > 0 && there < offer.days)
    say_trained_in (self, point, there);
}

static void
say_bill (ShardwiseAsking *self, ShardwiseScenario *scenario, const ShardwiseSizingPoint *point,
          gboolean is_open)
{
  const ShardwiseCost *cost = &point->bill;
  const ShardwiseBill *bill = shardwise_cost_bill (cost);
  const gboolean is_rented = cost->basis == SHARDWISE_BASIS_CLOUD;
  const ShardwiseAskSlot *budget = shardwise_question_find (self->question, "budget", 0);
  ShardwiseCostInputs inputs;
  SwProblem problem;
  g_autofree char *total = NULL, *hours = shardwise_format_count (cost->gpu_hours), *even = NULL;

  if (!shardwise_scenario_resolve (scenario, &problem, NULL, NULL))
    return;
  shardwise_cost_inputs_read (scenario, &problem, &inputs);
  shardwise_asking_fact (self, "gpu_hours", cost->gpu_hours, "h");
  shardwise_asking_fact (self, "energy", cost->energy_kwh, "kWh");
  if (bill == NULL)
    {
      /* Translators: a number of hours */
      shardwise_asking_say (
          self, g_strdup_printf (_ ("That is %s GPU-hours; no price is known: name one."), hours));
      return;
    }
  shardwise_asking_fact (self, "total", bill->total, g_intern_string (inputs.currency));
  total = shardwise_format_significant (bill->total);
  if (is_rented)
    {
      shardwise_asking_fact (self, "price", inputs.price, "per GPU-hour");
      shardwise_asking_say (self,
                            g_strdup_printf (
                                /* Translators: money, its currency, GPU-hours, the price of one */
                                _ ("It costs about %s %s: %s GPU-hours at %.2f."), total,
                                inputs.currency, hours, inputs.price));
    }
  else
    shardwise_asking_say (self, shardwise_cost_verdict (&inputs, cost, point->gpus));
  if (budget != NULL && !is_open)
    shardwise_asking_say (self, bill->total <= g_variant_get_double (budget->value)
                                    ? g_strdup (_ ("The budget named is enough for that."))
                                    : g_strdup (_ ("The budget named is not enough for that.")));
  if (is_rented && !inputs.price_is_stated)
    shardwise_asking_say (self,
                          g_strdup (_ ("The price is the lowest of the catalogue, not yours.")));
  if (cost->energy_kwh > 0)
    {
      g_autofree char *energy = shardwise_format_energy (cost->energy_kwh);

      /* Translators: an amount of energy with its unit */
      shardwise_asking_say (self, g_strdup_printf (_ ("Energy: %s."), energy));
    }
  even = shardwise_cost_break_even_text (&inputs, cost);
  shardwise_asking_say (self, g_steal_pointer (&even));
}

/* "What does it cost?" */
void
shardwise_asking_cost (ShardwiseAsking *self)
{
  const ShardwiseAskSlot *budget = shardwise_question_find (self->question, "budget", 0);
  gboolean is_open;
  g_autoptr (ShardwiseScenario) changed = with_tokens (self, &is_open);
  g_autoptr (GPtrArray) points = changed != NULL ? own_point (self, changed) : NULL;
  const ShardwiseSizingPoint *point;

  self->answer->page = "scale";
  if (points == NULL || !has_days (self, g_ptr_array_index (points, 0)))
    return;
  point = g_ptr_array_index (points, 0);
  if (is_open && budget != NULL)
    say_budget (self, changed, point, g_variant_get_double (budget->value));
  if (is_open)
    say_some_tokens (self);
  say_bill (self, changed, point, is_open);
  say_days (self, point);
  if (!is_open)
    say_deadline (self, changed, point);
}

/* "How fast is it?" */
void
shardwise_asking_throughput (ShardwiseAsking *self)
{
  g_autoptr (ShardwiseAdvice) advice = evaluate_named (self, TRUE);
  const SwEstimate *e;
  g_autofree char *rate = NULL, *each = NULL, *step = NULL, *mfu = NULL, *peak = NULL,
                  *flops = NULL;

  self->answer->page = "analysis";
  if (advice == NULL)
    return;
  if (!shardwise_advice_get_fits (advice))
    {
      say_misfit (self, advice);
      return;
    }
  e = shardwise_advice_get_recommended (advice);
  rate = shardwise_asking_rate (e);
  each = shardwise_format_significant (e->tokens_per_s_per_gpu);
  step = shardwise_format_seconds (e->time.step_s);
  mfu = shardwise_format_percent (e->mfu);
  peak = shardwise_format_significant (e->peak_flops_per_s / 1e12);
  flops = shardwise_format_significant (e->model_flops_per_s_per_gpu / 1e12);
  shardwise_asking_say (
      self,
      g_strdup_printf (
          /* Translators: a rate with its interval, the same per GPU, duration of a step, TFLOP/s,
             MFU, the peak in TFLOP/s */
          _ ("%s, %s per GPU; a step takes %s. That is %s TFLOP/s per GPU, an MFU of %s of the "
             "dense peak of %s TFLOP/s (causal attention halved)."),
          rate, each, step, flops, mfu, peak));
  shardwise_asking_verdict (self, advice);
}
