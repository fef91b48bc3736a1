/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-rule-finding.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-condition.h"
#include "shardwise-work.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-text-search.h"
#include "shardwise-estimate.h"

/* Figures of a rule and of the model that differ by less than this agree; smaller changes of the
 * throughput than the second share are negligible. */
#define SAME_FIGURE 0.1
#define SAME_THROUGHPUT 0.001

const char *const shardwise_rule_state_names[SHARDWISE_N_RULE_STATES] = {
  [SHARDWISE_RULE_UNKNOWN] = "unknown",   [SHARDWISE_RULE_NOT_RELEVANT] = "not-relevant",
  [SHARDWISE_RULE_APPLIES] = "applies",   [SHARDWISE_RULE_SATISFIED] = "satisfied",
  [SHARDWISE_RULE_VIOLATED] = "violated",
};

static const char *const state_words[SHARDWISE_N_RULE_STATES] = {
  N_ ("Not checked"), N_ ("Not relevant"), N_ ("Applies"), N_ ("Satisfied"), N_ ("Violated"),
};

/**
 * shardwise_rule_finding_free:
 * @self: (nullable): a finding
 */
void
shardwise_rule_finding_free (ShardwiseRuleFinding *self)
{
  if (self == NULL)
    return;
  g_free (self->number);
  g_free (self->comparison);
  g_free (self);
}

/* "TP 16, wanted: at most 8" */
static char *
describe_term (const ShardwiseTerm *term, ShardwiseRuleState state)
{
  g_autofree char *value = shardwise_quantity_describe (term->quantity, term->value);
  g_autofree char *range = NULL;

  if (state == SHARDWISE_RULE_APPLIES || term->quantity->unit == SHARDWISE_UNIT_FLAG)
    return g_steal_pointer (&value);
  range = shardwise_term_describe_range (term);
  return state == SHARDWISE_RULE_NOT_RELEVANT
             ? g_strdup_printf (
                 /* Translators: "TP 1", then the values that a rule is about: "at least 2" */
                 _ ("%s; the rule is for %s"), value, range)
             : g_strdup_printf (
                 /* Translators: "TP 16", then the values that a rule asks for: "at most 8" */
                 _ ("%s; expected: %s"), value, range);
}

/* "Rule of thumb: pipeline bubble 15.8 %; the model: 8.6 %" */
static void
set_figures (ShardwiseRuleFinding *self, const ShardwiseHeuristic *rule, const SwProblem *problem,
             const SwEstimate *estimate)
{
  const ShardwiseQuantity *by_rule = shardwise_quantity_find (rule->rule),
                          *by_model = shardwise_quantity_find (rule->model);
  const double a = by_rule != NULL ? shardwise_quantity_get (by_rule, problem, estimate) : 0;
  const double b = by_model != NULL ? shardwise_quantity_get (by_model, problem, estimate) : 0;
  g_autofree char *first = by_rule != NULL ? shardwise_quantity_describe (by_rule, a) : NULL;
  g_autofree char *second = by_model != NULL ? shardwise_quantity_describe (by_model, b) : NULL;

  if (first == NULL && second == NULL)
    return;
  g_free (self->number);
  if (first != NULL && second != NULL)
    {
      self->number = g_steal_pointer (&first);
      self->comparison = g_strdup_printf (
          /* Translators: a figure: "pipeline bubble 8.6 %" */
          _ ("Model prediction: %s"), second);
      self->disagrees = fabs (a - b) > SAME_FIGURE * MAX (fabs (a), fabs (b));
    }
  else
    self->number = g_strdup (first != NULL ? first : second);
}

static void
check (ShardwiseRuleFinding *self, const ShardwiseCondition *when, const ShardwiseCondition *want,
       gboolean is_advice, const SwProblem *problem, const SwEstimate *estimate)
{
  g_autoptr (GArray) terms = g_array_new (FALSE, FALSE, sizeof (ShardwiseTerm));
  GString *text = g_string_new (NULL);
  gboolean failing;

  if (!shardwise_condition_check (when, problem, estimate, terms))
    self->state = SHARDWISE_RULE_NOT_RELEVANT;
  else if (is_advice)
    self->state = SHARDWISE_RULE_APPLIES;
  else if (shardwise_condition_check (want, problem, estimate, terms))
    self->state = SHARDWISE_RULE_SATISFIED;
  else
    {
      self->state = SHARDWISE_RULE_VIOLATED;
      /* The nearest values that satisfy the rule, for the dimensions of a strategy. */
      sw_strategy_init_default (&self->follow.value);
      for (guint i = 0; i < terms->len; i++)
        {
          const ShardwiseTerm *term = &g_array_index (terms, ShardwiseTerm, i);
          const double value = term->value < term->low ? ceil (term->low) : floor (term->high);

          if (term->holds || term->quantity->unit != SHARDWISE_UNIT_DIMENSION)
            continue;
          self->follow.mask |= 1u << term->quantity->dimension;
          sw_strategy_set (&self->follow.value, term->quantity->dimension, (guint) MAX (0, value));
        }
    }

  /* From the terms that fail or, if all hold, from those that hold. */
  failing = self->state == SHARDWISE_RULE_VIOLATED || self->state == SHARDWISE_RULE_NOT_RELEVANT;
  for (guint i = 0; i < terms->len; i++)
    {
      const ShardwiseTerm *term = &g_array_index (terms, ShardwiseTerm, i);
      g_autofree char *line = NULL;

      if (term->holds == failing)
        continue;
      line = describe_term (term, self->state);
      g_string_append_printf (text, "%s%s", text->len > 0 ? " · " : "", line);
    }
  self->number = g_string_free (text, FALSE);
}

/**
 * shardwise_rule_finding_new:
 * @rule: of the playbook, or the user's
 * @problem: (nullable): the question, prepared
 * @estimate: (nullable): of the selected strategy
 *
 * Applies a rule to a job without searching; see shardwise_rule_finding_compare() for the effect of
 * following it.
 *
 * Returns: (transfer full): the finding; free with shardwise_rule_finding_free()
 */
ShardwiseRuleFinding *
shardwise_rule_finding_new (const ShardwiseHeuristic *rule, const SwProblem *problem,
                            const SwEstimate *estimate)
{
  ShardwiseRuleFinding *self = g_new0 (ShardwiseRuleFinding, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseCondition) when = shardwise_condition_parse (rule->when, &error);
  g_autoptr (ShardwiseCondition) want = when != NULL
                                            ? shardwise_condition_parse (rule->want, &error)
                                            : NULL;

  if (want == NULL || estimate == NULL || problem == NULL)
    {
      self->number = g_strdup (error != NULL ? error->message : "");
      return self;
    }
  /* Figures of a strategy that breaks a rule other than memory are meaningless. */
  if (!(estimate->rule == SW_RULE_OK || estimate->rule == SW_RULE_GPU_MEMORY
        || estimate->rule == SW_RULE_HOST_MEMORY))
    {
      self->number = shardwise_text_rule (problem, &estimate->strategy, estimate->rule,
                                          estimate->missing_bytes);
      return self;
    }
  check (self, when, want, *rule->want == '\0', problem, estimate);
  if (self->state != SHARDWISE_RULE_NOT_RELEVANT)
    set_figures (self, rule, problem, estimate);
  return self;
}

static gboolean
is_slower (const SwEstimate *then, const SwEstimate *now)
{
  return then->tokens_per_s < now->tokens_per_s * (1 - SAME_THROUGHPUT);
}

/* "with PyTorch FSDP and ZeRO 3: 32.7 k tokens/s (−3.5 %)" */
static char *
describe_gain (const SwEstimate *now, const SwEstimate *then, const char *way)
{
  g_autofree char *tokens = shardwise_format_count (then->tokens_per_s);
  g_autofree char *change = shardwise_format_change (then->tokens_per_s / now->tokens_per_s - 1);

  return g_strdup_printf (
      /* Translators: "TP 8, ZeRO 1", a count, a percentage with its sign */
      _ ("with %s: %s tokens/s (%s)"), way, tokens, change);
}

/* If the framework has no such strategy, or it does not fit there, another framework may have one.
 * misfit: the nearest one there. */
static void
compare_frameworks (ShardwiseRuleFinding *self, const SwProblem *problem,
                    const SwEstimate *estimate, const SwEstimate *misfit, const char *way)
{
  const char *here = shardwise_text_framework (estimate->strategy.framework);
  g_autofree char *there = NULL, *gain = NULL, *why = NULL;
  SwEstimate then;

  self->disagrees = !shardwise_what_if_pins (problem, &estimate->strategy, SW_FRAMEWORK_ANY,
                                             &self->follow, &then);
  if (self->disagrees)
    {
      why = shardwise_text_misfit (problem, way, misfit);
      self->comparison = g_strdup_printf (
          /* Translators: a figure: "pipeline bubble 8.6 %" */
          _ ("Model prediction: %s"), why);
      return;
    }
  if (!estimate->fits)
    {
      self->comparison = g_strdup_printf (
          /* Translators: "TP 8, ZeRO 1", a framework, another framework */
          _ ("Model prediction: %s does not fit or is not possible with %s; with %s it fits"), way,
          here, shardwise_text_framework (then.strategy.framework));
      return;
    }
  self->disagrees = is_slower (&then, estimate);
  there = g_strdup_printf (
      /* Translators: a framework, then "ZeRO 3" */
      _ ("%s and %s"), shardwise_text_framework (then.strategy.framework), way);
  gain = describe_gain (estimate, &then, there);
  self->comparison = g_strdup_printf (
      /* Translators: "ZeRO 3", a framework, then "with PyTorch FSDP and ZeRO 3: 32.7 k tokens/s" */
      _ ("Model prediction: %s does not fit or is not possible with %s; %s"), way, here, gain);
}

/**
 * shardwise_rule_finding_compare:
 * @self: a finding
 * @problem: its question
 * @estimate: of its strategy
 *
 * Computes the effect of following a violated rule, with the rest of the strategy optimized again.
 * This is a search: do not call it in the main thread.
 */
void
shardwise_rule_finding_compare (ShardwiseRuleFinding *self, const SwProblem *problem,
                                const SwEstimate *estimate)
{
  g_autofree char *way = NULL, *now = NULL, *gain = NULL;
  GString *text;
  SwEstimate then;

  if (self->follow.mask == 0 || self->comparison != NULL)
    return;

  text = g_string_new (NULL); /* "TP 8, ZeRO 1" */
  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    if (sw_pins_has (&self->follow, (SwDimension) i))
      {
        g_autofree char *label = shardwise_text_label (
            (SwDimension) i, sw_strategy_get (&self->follow.value, (SwDimension) i));

        shardwise_text_items (text, "%s", label);
      }
  way = g_string_free (text, FALSE);
  if (!shardwise_what_if_pins (problem, &estimate->strategy,
                               (SwFramework) estimate->strategy.framework, &self->follow, &then))
    {
      compare_frameworks (self, problem, estimate, &then, way);
      return;
    }
  if (!estimate->fits)
    {
      now = shardwise_format_bytes (then.memory.peak.total);
      self->comparison = g_strdup_printf (
          /* Translators: "TP 8, ZeRO 1" and an amount of memory */
          _ ("Model prediction: %s fits, with %s per GPU"), way, now);
      return;
    }
  now = shardwise_format_count (estimate->tokens_per_s);
  gain = describe_gain (estimate, &then, way);
  self->disagrees = is_slower (&then, estimate);
  self->comparison = g_strdup_printf (
      /* Translators: a count, then "with TP 8: 32.7 k tokens/s (−3.5 %)" */
      _ ("Model prediction: %s tokens/s as is, %s"), now, gain);
}

/**
 * shardwise_rule_finding_text:
 * @self: a finding
 *
 * Returns: (transfer full): its state, the decisive figure, and on a separate line the prediction
 * of the model
 */
char *
shardwise_rule_finding_text (const ShardwiseRuleFinding *self)
{
  const char *state = _ (state_words[self->state]);
  GString *text = g_string_new (*self->number == '\0' ? state : NULL);

  if (*self->number != '\0')
    /* Translators: the state of a rule, and the figures that decided it */
    g_string_append_printf (text, _ ("%s: %s"), state, self->number);
  if (self->comparison != NULL)
    {
      g_string_append_c (text, '\n');
      /* Translators: "Model prediction: with TP 8: 32.7 k tokens/s (−3.5 %)" */
      g_string_append_printf (text, self->disagrees ? _ ("%s, which violates the rule") : "%s",
                              self->comparison);
    }
  return g_string_free (text, FALSE);
}

/* ---- all of them, on a worker thread ---- */

typedef struct {
  GPtrArray *rules;        /* copies */
  ShardwiseAdvice *advice; /* owns the data that the problem points to */
  SwProblem problem;
  SwEstimate estimate;
  int cancelled; /* atomic */
} Job;

static void
job_free (Job *job)
{
  g_ptr_array_unref (job->rules);
  g_object_unref (job->advice);
  g_free (job);
}

static void
make_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  GPtrArray *findings =
      g_ptr_array_new_with_free_func ((GDestroyNotify) shardwise_rule_finding_free);
  const gulong handler = shardwise_parallel_watch (cancellable, &job->cancelled);

  job->problem.cancelled = &job->cancelled;
  for (guint i = 0; i < job->rules->len && !g_cancellable_is_cancelled (cancellable); i++)
    {
      ShardwiseRuleFinding *finding = shardwise_rule_finding_new (job->rules->pdata[i],
                                                                  &job->problem, &job->estimate);

      shardwise_rule_finding_compare (finding, &job->problem, &job->estimate);
      g_ptr_array_add (findings, finding);
    }
  g_cancellable_disconnect (cancellable, handler);
  g_task_return_pointer (task, findings, (GDestroyNotify) g_ptr_array_unref);
}

/**
 * shardwise_rule_findings_make_async:
 * @rules: (element-type ShardwiseHeuristic): copied
 * @advice: the rules are applied to its question
 * @estimate: of the selected strategy
 * @cancellable: (nullable): ends it early
 * @callback: called when all rules have been applied
 * @data: for @callback
 */
void
shardwise_rule_findings_make_async (GPtrArray *rules, ShardwiseAdvice *advice,
                                    const SwEstimate *estimate, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (advice, cancellable, callback, data);
  Job *job = g_new0 (Job, 1);

  job->rules = g_ptr_array_new_with_free_func ((GDestroyNotify) shardwise_heuristic_free);
  for (guint i = 0; i < rules->len; i++)
    g_ptr_array_add (job->rules, shardwise_heuristic_copy (rules->pdata[i]));
  job->advice = g_object_ref (advice);
  job->problem = *shardwise_advice_get_problem (advice);
  job->estimate = *estimate;
  g_task_set_source_tag (task, shardwise_rule_findings_make_async);
  g_task_set_task_data (task, job, (GDestroyNotify) job_free);
  g_task_run_in_thread (task, make_thread);
}

/**
 * shardwise_rule_findings_make_finish:
 * @result: of shardwise_rule_findings_make_async()
 * @error: (out): it was canceled
 *
 * Returns: (transfer full) (element-type ShardwiseRuleFinding) (nullable): in the order of the
 * rules
 */
GPtrArray *
shardwise_rule_findings_make_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (G_IS_TASK (result), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
