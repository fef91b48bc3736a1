/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds a job back, and jobs that fail, are slow, or are ill in ways that no model knows. */
#include "shardwise-ask-answer-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-text-reasons.h"
#include "sw-sensitivity.h"

#define MORE 1.25    /* of one resource at a time, as on the Analysis page */
#define NOTHING 0.01 /* of the throughput, below which more of a resource buys nothing */

/* ---- limits ---- */

static const char *const resource_titles[SW_N_RESOURCES] = {
  [SW_RESOURCE_COMPUTE] = N_ ("arithmetic rate"), [SW_RESOURCE_MEMORY] = N_ ("GPU memory"),
  [SW_RESOURCE_HBM] = N_ ("memory bandwidth"),    [SW_RESOURCE_INTRA] = N_ ("link inside the node"),
  [SW_RESOURCE_NETWORK] = N_ ("network"),         [SW_RESOURCE_BATCH] = N_ ("global batch"),
};

typedef struct {
  SwResource resource;
  double gain, factor;
} Gain;

static int
compare_gains (const void *a, const void *b)
{
  const Gain *x = a, *y = b;

  return x->gain < y->gain ? 1 : x->gain > y->gain ? -1 : 0;
}

static void
rank_gains (const SwProblem *problem, const SwEstimate *e, Gain out[SW_N_RESOURCES])
{
  SwSensitivity all[SW_N_RESOURCES];

  sw_sensitivity (problem, e, MORE, all);
  for (guint i = 0; i < SW_N_RESOURCES; i++)
    out[i] = (Gain){ (SwResource) i, all[i].reoptimised, all[i].factor };
  qsort (out, SW_N_RESOURCES, sizeof *out, compare_gains);
}

/* A batch grows by whole micro-batches, perhaps by more than a quarter. */
static char *
resource_title (const Gain *gain)
{
  const char *title = _ (resource_titles[gain->resource]);
  g_autofree char *more = shardwise_format_percent (gain->factor - 1);

  if (fabs (gain->factor - MORE) < 0.005)
    return g_strdup (title);
  return g_strdup_printf ("%s (+%s)", title, more);
}

static void
say_gains (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  SwProblem problem = *shardwise_advice_get_problem (advice);
  Gain gains[SW_N_RESOURCES];
  GString *list = g_string_new (NULL);

  rank_gains (&problem, shardwise_advice_get_recommended (advice), gains);
  for (guint i = 0; i < SW_N_RESOURCES; i++)
    {
      g_autofree char *share = shardwise_format_percent (gains[i].gain),
                      *title = resource_title (&gains[i]),
                      *name = g_strconcat ("gain_", sw_resource_names[gains[i].resource], NULL);

      shardwise_asking_fact (self, name, gains[i].gain, "1");
      if (gains[i].gain >= NOTHING)
        g_string_append_printf (list, "%s%s +%s", list->len > 0 ? ", " : "", title, share);
    }
  if (list->len == 0)
    shardwise_asking_say (
        self, g_strdup (_ (
                  "A quarter more of any one resource changes the throughput by less than 1 %.")));
  else
    /* Translators: a list: "network +4 %, …" */
    shardwise_asking_say (
        self, g_strdup_printf (_ ("A quarter more of one resource at a time would give: %s."),
                               list->str));
  g_string_free (list, TRUE);
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
      g_string_append_printf (list, "%s%s %s", n > 0 ? ", " : "", _ (parts[best].name), share);
      parts[best].seconds = -1;
    }
  /* Translators: parts of the time of a step: "computation 70 %, …" */
  shardwise_asking_say (self, g_strdup_printf (_ ("Of a step: %s."), list->str));
  g_string_free (list, TRUE);
}

void
shardwise_asking_limit (ShardwiseAsking *self)
{
  g_autoptr (GVariant) changes = shardwise_asking_changes (self, 0);
  g_autoptr (ShardwiseAdvice) advice = shardwise_asking_evaluate (self, changes, TRUE);

  self->answer->page = "analysis";
  if (advice == NULL)
    return;
  if (!shardwise_advice_get_fits (advice))
    {
      shardwise_asking_say (self, g_strdup (_ ("Memory: nothing fits.")));
      shardwise_asking_verdict (self, advice);
      shardwise_asking_ways_out (self, advice);
      return;
    }
  say_step (self, shardwise_advice_get_recommended (advice));
  say_gains (self, advice);
  shardwise_asking_facts (self, "", advice);
  shardwise_asking_offer (self, changes);
}

/* ---- out of memory ---- */

/* "Why do I run out of memory?", and what would help. */
void
shardwise_asking_oom (ShardwiseAsking *self)
{
  g_autoptr (GVariant) changes = shardwise_asking_changes (self, 0);
  g_autoptr (ShardwiseAdvice) advice = shardwise_asking_evaluate (self, changes, TRUE);

  self->answer->page = "analysis";
  if (advice == NULL)
    return;
  if (!shardwise_advice_get_fits (advice))
    {
      SwRule rule = shardwise_advice_get_recommended (advice)->rule;

      if (rule == SW_RULE_GPU_MEMORY || rule == SW_RULE_HOST_MEMORY)
        shardwise_asking_say (self, g_strdup (_ ("By the model, too, this does not fit.")));
      shardwise_asking_verdict (self, advice);
      shardwise_asking_states (self, advice);
      shardwise_asking_ways_out (self, advice);
      return;
    }
  shardwise_asking_say (
      self,
      g_strdup (_ ("By the model this input has a strategy that fits, so compare yours with it.")));
  shardwise_asking_verdict (self, advice);
  shardwise_asking_levers (self, "memory", changes);
  shardwise_asking_say (
      self, g_strdup (_ ("What the model cannot see: fragmentation beyond the usual, other "
                         "processes on the GPU, buffers of "
                         "your own code. Measure torch.cuda.memory_summary() at the peak, and "
                         "nvidia-smi before the start; "
                         "import the job’s configuration to have it diagnosed as it is.")));
}

/* ---- slow ---- */

static void
say_measured (ShardwiseAsking *self, double value, double low, double expected)
{
  double high = expected * expected / low; /* the interval is one of ratios */
  g_autofree char *has = shardwise_format_significant (value),
                  *want = shardwise_format_significant (expected),
                  *share = shardwise_format_percent (value / expected);

  shardwise_asking_fact (self, "measured_of_expected", value / expected, "1");
  if (value > high)
    shardwise_asking_say (
        self,
        g_strdup_printf (
            /* Translators: two rates in the same unit */
            _ ("Your %s is more than the %s that the model expects, beyond its error: model, batch "
               "or strategy may not be the ones given here."),
            has, want));
  else if (value >= low)
    shardwise_asking_say (self, g_strdup_printf (
                                    /* Translators: two rates in the same unit */
                                    _ ("Your %s is within the error of the %s that the model "
                                       "expects: nothing seems wrong."),
                                    has, want));
  else
    shardwise_asking_say (
        self, g_strdup_printf (
                  /* Translators: two rates in the same unit, a percentage */
                  _ ("Your %1$s is %3$s of the %2$s that the model expects: something costs time."),
                  has, want, share));
}

/* A step is slower the longer it is, and is of the batch that the scenario has. */
static void
say_measured_step (ShardwiseAsking *self, double seconds, const SwEstimate *e)
{
  double high = e->time.step_s * e->tokens_per_s / e->tokens_low_per_s,
         low = e->time.step_s * e->tokens_per_s / e->tokens_high_per_s;
  g_autofree char *has = shardwise_format_seconds (seconds),
                  *want = shardwise_format_seconds_beside (e->time.step_s, seconds);

  shardwise_asking_fact (self, "measured_of_expected", e->time.step_s / seconds, "1");
  if (seconds < low)
    shardwise_asking_say (
        self,
        g_strdup_printf (
            /* Translators: two durations */
            _ ("A step of %s is shorter than the %s that the model expects, beyond its error: "
               "model, batch or strategy may not be the ones given here."),
            has, want));
  else
    shardwise_asking_say (
        self, seconds <= high
                  ? g_strdup_printf (
                      /* Translators: two durations */
                      _ ("A step of %s is within the error of the %s that the model expects with "
                         "this batch: nothing seems wrong."),
                      has, want)
                  : g_strdup_printf (
                      /* Translators: two durations, how many times as long the first is */
                      _ ("A step of %s is more than the %s that the model expects with this "
                         "batch, %.2f times as long: something costs time."),
                      has, want, seconds / e->time.step_s));
}

static double
measured (const ShardwiseAsking *self, const char *path)
{
  const ShardwiseAskSlot *slot = shardwise_question_find (self->question, path, 0);

  return slot != NULL && slot->value != NULL ? g_variant_get_double (slot->value) : 0;
}

/* A rate without "per GPU" is that of one where it is near it: people quote either. */
static void
say_against_measured (ShardwiseAsking *self, const SwEstimate *e)
{
  double mfu = measured (self, "measured.mfu"), rate = measured (self, "measured.tokens_per_s"),
         each = measured (self, "measured.tokens_per_s_per_gpu"),
         step = measured (self, "measured.step_s"),
         tflops = measured (self, "measured.tflops_per_gpu"),
         low = e->tokens_low_per_s / e->tokens_per_s,
         expected_tflops = e->model_flops_per_s_per_gpu / 1e12;

  if (each <= 0 && rate < 2 * e->tokens_per_s_per_gpu)
    each = rate;
  if (mfu > 0)
    say_measured (self, 100 * mfu, 100 * e->mfu * low, 100 * e->mfu);
  if (tflops > 0)
    say_measured (self, tflops, expected_tflops * low, expected_tflops);
  if (step > 0)
    say_measured_step (self, step, e);
  if (each > 0)
    say_measured (self, each, e->tokens_per_s_per_gpu * low, e->tokens_per_s_per_gpu);
  else if (rate > 0)
    say_measured (self, rate, e->tokens_low_per_s, e->tokens_per_s);
}

/* "Why is it slow?": where the time goes, and what would help. */
void
shardwise_asking_slow (ShardwiseAsking *self)
{
  g_autoptr (GVariant) changes = shardwise_asking_changes (self, 0);
  g_autoptr (ShardwiseAdvice) advice = shardwise_asking_evaluate (self, changes, TRUE);
  const SwEstimate *e;
  g_autofree char *rate = NULL, *each = NULL, *mfu = NULL, *strategy = NULL;

  self->answer->page = "analysis";
  if (advice == NULL)
    return;
  if (!shardwise_advice_get_fits (advice))
    {
      shardwise_asking_verdict (self, advice);
      shardwise_asking_ways_out (self, advice);
      return;
    }
  e = shardwise_advice_get_recommended (advice);
  rate = shardwise_asking_rate (e);
  each = shardwise_format_significant (e->tokens_per_s_per_gpu);
  mfu = shardwise_format_percent (e->mfu);
  strategy = shardwise_text_strategy (&e->strategy);
  say_against_measured (self, e);
  shardwise_asking_say (
      self, g_strdup_printf (
                /* Translators: a rate with its interval, the same per GPU, an MFU, a strategy */
                _ ("Expected: %s, %s per GPU, an MFU of %s, with %s."), rate, each, mfu, strategy));
  say_step (self, e);
  say_gains (self, advice);
  shardwise_asking_facts (self, "", advice);
  shardwise_asking_say (self, g_strdup (_ ("If yours is far below with the same strategy, measure "
                                           "what no model sees: the links with nccl-tests "
                                           "(all_reduce_perf) against the rates of the Analysis "
                                           "page, clocks and throttling with nvidia-smi -q "
                                           "-d PERFORMANCE, the data loader by training on one "
                                           "fixed batch, and the gaps in a profile.")));
}

/* ---- what the engine cannot know ---- */

static const struct {
  const char *topic, *text;
} faults[] = {
  { "network", N_ ("Measure: nccl-tests (all_reduce_perf, sendrecv_perf) on each pair of nodes, so "
                   "that the slow or "
                   "failing one stands out; error counters of the links (perfquery or ethtool -S) "
                   "before and after; "
                   "NCCL_DEBUG=INFO for the last call; the stack of every rank (py-spy dump) where "
                   "one hangs, since one "
                   "rank that does not come holds up all.") },
  { "numerics", N_ ("Losses, learning rates and accuracy are no matter of speed or memory. "
                    "Measure: the norm of the "
                    "gradients and the loss of each step, the same step in fp32 or bf16, one batch "
                    "again with the same "
                    "seed on another node, and the data around the step where it began.") },
  { "hardware",
    N_ ("Measure: dcgmi diag -r 3 on each node, the Xid and ECC lines of dmesg, clocks, power and "
        "temperature under load (nvidia-smi -q -d PERFORMANCE,CLOCK,ECC), and the step time of "
        "each rank: "
        "one slow GPU slows all that wait for it.") },
  { "data", N_ ("Measure: the step time on one fixed batch in memory; what is faster then is the "
                "data loader or the "
                "storage. Then iostat on the nodes, and the number of loader processes.") },
  { "software", N_ ("Find out: the first error of the first rank that failed, the smallest job "
                    "that still fails (one node, one "
                    "GPU), the same with CUDA_LAUNCH_BLOCKING=1, and versions of driver, CUDA, "
                    "NCCL and framework side by "
                    "side on all nodes.") },
};

/* Faults of software or hardware: the engine does not know them, and says what it does know. */
void
shardwise_asking_fault (ShardwiseAsking *self)
{
  const char *topic = self->question->term != NULL ? self->question->term : "software";
  g_autoptr (GVariant) changes = shardwise_asking_changes (self, 0);
  g_autoptr (ShardwiseAdvice) advice = shardwise_asking_evaluate (self, changes, FALSE);

  shardwise_asking_say (
      self,
      g_strdup (
          _ ("A model of performance cannot know that: it takes hardware and software as sound.")));
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    if (g_str_equal (faults[i].topic, topic))
      shardwise_asking_say (self, g_strdup (_ (faults[i].text)));
  if (advice == NULL || !shardwise_advice_get_fits (advice))
    return;
  shardwise_asking_facts (self, "", advice);
  shardwise_asking_say (self, g_strdup (_ ("What a sound job does, to hold yours against:")));
  shardwise_asking_say (self, g_strdup (shardwise_advice_get_verdict (advice)));
  self->answer->page = "analysis";
}
