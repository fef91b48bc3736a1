/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time, cost, throughput and limits of a job; slow jobs; faults that no model covers. */
#include "shardwise-ask-needs.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-budget.h"
#include "shardwise-deadline.h"
#include "shardwise-format.h"
#include "shardwise-resolve.h"
#include "shardwise-text-estimate.h"
#include "shardwise-text-reasons.h"
#include "shardwise-terms.h"
#include "sw-sensitivity.h"

/* Tokens of which days and money are told where the question and the scenario name none. */
#define SOME_TOKENS 1e11
#define DAY 86400.0

/* ---- time and money ---- */

/* Returns (transfer full) (nullable): the named scenario with tokens; is_open: (out): they are assumed. */
static ShardwiseScenario *
with_tokens (ShardwiseAsking *self, gboolean *is_open)
{
  g_autoptr (GVariant) changes = shardwise_asking_changes (self, 0);
  ShardwiseScenario *changed = shardwise_asking_changed (self, changes);

  shardwise_asking_offer (self, changes);
  *is_open = changed != NULL && !shardwise_scenario_is_set (changed, SHARDWISE_KEY_TRAINING_TOKENS);
  if (*is_open)
    shardwise_scenario_set (changed, SHARDWISE_KEY_TRAINING_TOKENS,
                            g_variant_new_double (SOME_TOKENS), NULL);
  return changed;
}

/* Returns (transfer full) (nullable): the one point of that scenario's own size. */
static GPtrArray *
own_point (ShardwiseAsking *self, ShardwiseScenario *scenario)
{
  guint gpus = (guint) shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0);
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
                  *rate = shardwise_text_rate (e);
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
  shardwise_asking_say (self,
                        ngettext (
                            /* Translators: tokens, a duration, its interval,
                                    number of GPUs, a rate, a percentage */
                            "%s tokens take %s (%s–%s) on %'u GPU at %s; %s of the time advances "
                            "the training, the rest are checkpoints and interruptions.",
                            "%s tokens take %s (%s–%s) on %'u GPUs at %s; %s of the time advances "
                            "the training, the rest are checkpoints and interruptions.",
                            point->gpus),
                        tokens, days, low, high, point->gpus, rate, ratio);
}

/* Evaluates the point and says why there is none; else TRUE. */
static gboolean
has_days (ShardwiseAsking *self, const ShardwiseSizingPoint *point)
{
  if (!point->estimate.fits)
    {
      g_autoptr (ShardwiseAdvice) advice = shardwise_asking_own (self);

      if (advice != NULL)
        shardwise_asking_misfit (self, advice);
      return FALSE;
    }
  if (point->bill.days > 0)
    return TRUE;
  shardwise_asking_tell (self,
                         _ ("The job does not advance: interruptions undo more than is trained."));
  return FALSE;
}

/* Days until the training must be done. FALSE: there is no such limit. */
static gboolean
days_there (ShardwiseAsking *self, ShardwiseScenario *scenario, double *days)
{
  g_autofree char *text = shardwise_scenario_get_string (scenario, SHARDWISE_KEY_TRAINING_DEADLINE);
  GDate deadline, today;

  *days = shardwise_question_number (self->question, "days");
  if (*days > 0)
    ;
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
  shardwise_asking_take (
      self, there <= 0      ? g_strdup (_ ("The deadline has passed."))
            : there >= days ? g_strdup_printf (_ ("That is within the %.4g days there are."), there)
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
  shardwise_asking_say (self,
                        /* Translators: days, a number of tokens, its interval */
                        _ ("In %.4g days these GPUs train %s tokens (%s–%s)."), days, tokens, low,
                        high);
}

/* Tells the tokens that a budget buys, or that the available days allow. */
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
  shardwise_asking_say (self,
                        /* Translators: a number of tokens, its interval, a duration */
                        _ ("The budget named buys %s tokens (%s–%s), in %s."), tokens, low, high,
                        days);
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
  const double budget = shardwise_question_number (self->question, "budget");
  ShardwiseCostInputs inputs;
  SwProblem problem;
  g_autofree char *total = NULL, *hours = shardwise_format_count (cost->gpu_hours);

  if (!shardwise_scenario_resolve (scenario, &problem, NULL, NULL))
    return;
  shardwise_cost_inputs_read (scenario, &problem, &inputs);
  shardwise_asking_fact (self, "gpu_hours", cost->gpu_hours, "h");
  shardwise_asking_fact (self, "energy", cost->energy_kwh, "kWh");
  if (bill == NULL)
    {
      /* Translators: a number of hours */
      shardwise_asking_say (self, _ ("That is %s GPU-hours; no price is known: name one."), hours);
      return;
    }
  shardwise_asking_fact (self, "total", bill->total, g_intern_string (inputs.currency));
  total = shardwise_format_significant (bill->total);
  if (is_rented)
    {
      shardwise_asking_fact (self, "price", inputs.price, "per GPU-hour");
      shardwise_asking_say (self,
                            /* Translators: money, its currency, GPU-hours, the price of one */
                            _ ("It costs about %s %s: %s GPU-hours at %.2f."), total,
                            inputs.currency, hours, inputs.price);
    }
  else
    shardwise_asking_take (self, shardwise_cost_verdict (&inputs, cost, point->gpus));
  if (budget > 0 && !is_open)
    shardwise_asking_tell (self, bill->total <= budget
                                     ? _ ("The budget named is enough for that.")
                                     : _ ("The budget named is not enough for that."));
  if (is_rented && !inputs.price_is_stated)
    shardwise_asking_tell (self, _ ("The price is the lowest price in the catalog, not yours."));
  shardwise_asking_fact (self, "co2", cost->kg_co2, "kg");
  shardwise_asking_take (self, shardwise_cost_energy_text (&inputs, cost));
  shardwise_asking_take (self, shardwise_cost_break_even_text (&inputs, cost));
}

/* The days of the run that is named, after the money that they cost; each with what there is of both. */
static void
say_run (ShardwiseAsking *self, gboolean of_money)
{
  const double budget = shardwise_question_number (self->question, "budget");
  gboolean is_open;
  g_autoptr (ShardwiseScenario) changed = with_tokens (self, &is_open);
  g_autoptr (GPtrArray) points = changed != NULL ? own_point (self, changed) : NULL;
  const ShardwiseSizingPoint *point;
  double there;

  self->answer->page = "scale";
  if (points == NULL || !has_days (self, g_ptr_array_index (points, 0)))
    return;
  point = g_ptr_array_index (points, 0);
  if (is_open && of_money && budget > 0)
    say_budget (self, changed, point, budget);
  else if (is_open && !of_money && days_there (self, changed, &there) && there > 0)
    say_trained_in (self, point, there);
  if (is_open)
    shardwise_asking_tell (self,
                           _ ("The number of tokens is not given; this is of each 100 billion."));
  if (of_money)
    say_bill (self, changed, point, is_open);
  say_days (self, point);
  if (!is_open && days_there (self, changed, &there))
    say_whether_in_time (self, there, point->bill.days);
}

/* "How long does it take?" */
void
shardwise_asking_time (ShardwiseAsking *self)
{
  say_run (self, FALSE);
}

/* "What does it cost?" */
void
shardwise_asking_cost (ShardwiseAsking *self)
{
  say_run (self, TRUE);
}

/* Returns (transfer full) (nullable): the run as it is stated, where it fits; else it is said why not. */
static ShardwiseAdvice *
own_that_fits (ShardwiseAsking *self)
{
  g_autoptr (ShardwiseAdvice) advice = shardwise_asking_own (self);

  self->answer->page = "analysis";
  if (advice == NULL || shardwise_advice_get_fits (advice))
    return g_steal_pointer (&advice);
  shardwise_asking_misfit (self, advice);
  return NULL;
}

/* "How fast is it?" */
void
shardwise_asking_throughput (ShardwiseAsking *self)
{
  g_autoptr (ShardwiseAdvice) advice = own_that_fits (self);
  g_autoptr (GVariant) named = shardwise_asking_changes (self, 0);

  if (advice == NULL)
    return;
  shardwise_asking_tell_of (
      self, advice,
      _ ("{rate}, {tokens_per_s_per_gpu} per GPU; a step takes {step}. That is {tflops_per_gpu} "
         "TFLOP/s per GPU, an MFU of {mfu} of the dense peak of {peak_tflops} TFLOP/s (causal "
         "attention halved)."));
  shardwise_asking_verdict (self, advice);
  shardwise_asking_topics (self, advice, SHARDWISE_TERM_OF_TIME);
  shardwise_asking_offer (self, named);
}

#define MORE 1.25    /* of one resource at a time, as on the Why page */
#define NOTHING 0.01 /* of the throughput, below which more of a resource buys nothing */

/* ---- limits ---- */

/* What a quarter more of each resource gives, the most first. */
static void
say_gains (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  SwSensitivity all[SW_N_RESOURCES];
  GString *list = g_string_new (NULL);

  sw_sensitivity (shardwise_advice_get_asked (advice), shardwise_advice_get_recommended (advice),
                  MORE, all);
  for (guint n = 0; n < SW_N_RESOURCES; n++)
    {
      g_autofree char *name = NULL, *more = NULL, *share = NULL;
      guint best = 0;

      for (guint i = 1; i < SW_N_RESOURCES; i++)
        if (all[i].reoptimised > all[best].reoptimised)
          best = i;
      name = g_strconcat ("gain_", sw_resource_names[best], NULL);
      more = shardwise_text_more (all[best].factor);
      share = shardwise_format_change (all[best].reoptimised);
      shardwise_asking_fact (self, name, all[best].reoptimised, "1");
      if (all[best].reoptimised >= NOTHING)
        /* Translators: a resource, how much more of it, change of the throughput */
        shardwise_text_list (list, _ ("%s %s: %s"), shardwise_text_resource ((SwResource) best),
                             more, share);
      all[best].reoptimised = -G_MAXDOUBLE;
    }
  if (list->len == 0)
    shardwise_asking_tell (
        self, _ ("A quarter more of any one resource changes the throughput by less than 1 %."));
  /* Translators: a list: "Network +25 %: +4 %; …" */
  shardwise_asking_say_list (self, _ ("More of one resource at a time would give: %s."), list);
}

/* The parts of a step above one per cent, the greatest first. */
static void
say_step (ShardwiseAsking *self, const SwEstimate *e)
{
  ShardwiseTimePart parts[SHARDWISE_N_TIME_PARTS];
  GString *list = g_string_new (NULL);

  shardwise_time_parts (&e->time, parts);
  for (guint n = 0; n < 3; n++)
    {
      guint best = 0;
      g_autofree char *share = NULL;

      for (guint i = 1; i < SHARDWISE_N_TIME_PARTS; i++)
        if (parts[i].seconds > parts[best].seconds)
          best = i;
      if (parts[best].seconds < 0.01 * e->time.step_s)
        break;
      share = shardwise_format_percent (parts[best].seconds / e->time.step_s);
      shardwise_text_list (list, "%s %s", _ (parts[best].name), share);
      parts[best].seconds = -1;
    }
  /* Translators: parts of the time of a step: "computation 70 %, …" */
  shardwise_asking_say_list (self, _ ("Of a step: %s."), list);
}

void
shardwise_asking_limit (ShardwiseAsking *self)
{
  g_autoptr (ShardwiseAdvice) advice = own_that_fits (self);

  if (advice == NULL)
    return;
  say_step (self, shardwise_advice_get_recommended (advice));
  say_gains (self, advice);
  shardwise_asking_facts (self, "", advice);
}

/* ---- slow ---- */

/* Compares a measured value with the expected one and its interval. */
static void
say_measured (ShardwiseAsking *self, double value, const SwEstimate *e, double expected)
{
  const gboolean is_step = expected == e->time.step_s;
  const double share = is_step ? expected / value : value / expected;
  g_autofree char *has = NULL, *want = NULL, *speed = NULL;

  if (!(value > 0))
    return;
  has = is_step ? shardwise_format_seconds (value) : shardwise_format_significant (value);
  want = is_step ? shardwise_format_seconds_beside (expected, value)
                 : shardwise_format_significant (expected);
  speed = shardwise_format_percent (share);
  shardwise_asking_fact (self, "measured_of_expected", share, "1");
  if (share > e->tokens_high_per_s / e->tokens_per_s)
    shardwise_asking_say (
        self,
        /* Translators: two rates or durations in the same unit */
        _ ("You measured %s, but the model expects %s, and the difference is larger than its "
           "error: check model, batch and strategy."),
        has, want);
  else if (share >= e->tokens_low_per_s / e->tokens_per_s)
    shardwise_asking_say (self,
                          /* Translators: two rates or durations in the same unit */
                          _ ("Your %s is within the error of the %s that the model "
                             "expects: nothing seems wrong."),
                          has, want);
  else
    shardwise_asking_say (
        self,
        /* Translators: two rates or durations in the same unit, a percentage */
        _ ("You measured %1$s, but the model expects %2$s: you reach %3$s of the expected speed."
           " Something slows the step down."),
        has, want, speed);
}

/* A rate without "per GPU" is that of one where it is near it: people quote either. */
static void
say_against_measured (ShardwiseAsking *self, const SwEstimate *e)
{
  const ShardwiseQuestion *q = self->question;
  const double rate = shardwise_question_number (q, "measured.tokens_per_s");
  const gboolean is_each = rate < 2 * e->tokens_per_s_per_gpu;

  say_measured (self, 100 * shardwise_question_number (q, "measured.mfu"), e, 100 * e->mfu);
  say_measured (self, shardwise_question_number (q, "measured.tflops_per_gpu"), e,
                e->model_flops_per_s_per_gpu / 1e12);
  say_measured (self, shardwise_question_number (q, "measured.step_s"), e, e->time.step_s);
  say_measured (self, shardwise_question_number (q, "measured.tokens_per_s_per_gpu"), e,
                e->tokens_per_s_per_gpu);
  say_measured (self, rate, e, is_each ? e->tokens_per_s_per_gpu : e->tokens_per_s);
}

/* The reasons for what slows most, with the nearest other values. */
static void
say_neighbours (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  GPtrArray *all = shardwise_advice_get_rationale (advice);

  for (guint i = 0; i < all->len; i++)
    {
      const ShardwiseRationale *r = g_ptr_array_index (all, i);

      if (r->dimension == SW_DIM_TP || r->dimension == SW_DIM_PP || r->dimension == SW_DIM_RECOMPUTE
          || r->dimension == SW_DIM_MICRO_BATCH)
        shardwise_asking_tell (self, r->text);
    }
}

/* "Why is it slow?": what the run should do, where the time goes, and what would help. */
void
shardwise_asking_slow (ShardwiseAsking *self)
{
  g_autoptr (ShardwiseAdvice) advice = own_that_fits (self);
  const SwEstimate *e;

  if (advice == NULL)
    return;
  e = shardwise_advice_get_recommended (advice);
  say_against_measured (self, e);
  shardwise_asking_tell_of (
      self, advice,
      _ ("Expected with {strategy}: {rate}, {tokens_per_s_per_gpu} per GPU, a "
         "step of {step}, {tflops_per_gpu} TFLOP/s per GPU, an MFU of {mfu}."));
  say_step (self, e);
  shardwise_asking_topics (self, advice, SHARDWISE_TERM_OF_TIME);
  shardwise_asking_apart (self);
  say_neighbours (self, advice);
  say_gains (self, advice);
  if (e->retries)
    shardwise_asking_tell (self, _ ("Memory is nearly full: the allocator may free and ask again, "
                                    "which has made steps several times as long."));
  shardwise_asking_facts (self, "", advice);
  shardwise_asking_tell (self, _ ("If yours is far below with the same strategy, measure what no "
                                  "model sees: the links with nccl-tests (all_reduce_perf) against "
                                  "the rates of the Why page, clocks and throttling with "
                                  "nvidia-smi -q -d PERFORMANCE, the data loader by training on "
                                  "one fixed batch, and the gaps in a profile."));
}

/* ---- what the engine cannot know ---- */

/* Faults of software or hardware: the engine does not know them, and says what it does know. */
void
shardwise_asking_fault (ShardwiseAsking *self)
{
  const char *topic = self->question->topics->len > 0
                          ? g_ptr_array_index (self->question->topics, 0)
                          : "software";
  g_autofree char *id = g_strconcat ("fault-", topic, NULL);
  const ShardwiseTerm *term = shardwise_term_find (id);

  shardwise_asking_tell (
      self,
      _ ("A model of performance cannot know that: it takes hardware and software as sound."));
  if (term != NULL)
    shardwise_asking_tell (self, _ (g_ptr_array_index (term->sentences, 0)));
}
