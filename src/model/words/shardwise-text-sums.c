/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory, time and speed of an estimate as sums with their terms, to check by hand; and a whole job
 * as one text. */
#include "shardwise-text-sums.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "sw-recipe.h"
#include "sw-tensors.h"

/* One term of the states: a number of parameters at a number of bytes, partly whole, partly shared
 * by a group. */
typedef struct {
  SwTensorKind kind;
  double parameters, bytes, whole, shared, group;
} Term;

/* For a tensor of states, from the recipe of its kind of parameters. */
static void
make_term (const SwTensor *tensor, const SwRecipe *recipe, Term *out)
{
  *out = (Term){ .kind = tensor->kind, .parameters = tensor->count, .bytes = tensor->bytes };
  out->group = MAX (recipe->group, 1);
  if (tensor->kind == SW_TENSOR_WEIGHTS)
    out->whole = recipe->parameters_whole, out->shared = recipe->parameters_shared;
  else if (tensor->kind == SW_TENSOR_FROZEN_WEIGHTS)
    out->whole = recipe->frozen_whole, out->shared = recipe->frozen_shared;
  else if (tensor->kind == SW_TENSOR_GRADIENTS)
    out->whole = recipe->gradients_whole, out->shared = recipe->gradients_shared;
  else
    out->whole = recipe->optimizer_whole, out->shared = recipe->optimizer_shared;
  /* If the sum has more parts than the recipe lists, only the result is shown. */
  if (fabs (out->parameters * (out->whole + out->shared / out->group) / out->bytes - 1) > 0.01)
    {
      out->whole = out->bytes / out->parameters;
      out->shared = 0;
    }
}

/* The states among the tensors of a stage; kinds of parameters with equal recipes are one term. */
static guint
collect (const SwProblem *problem, const SwStrategy *strategy, guint stage,
         Term terms[SW_MAX_TENSORS])
{
  static const guint kinds[SW_N_OWNERS] = {
    [SW_OWNER_LAYERS] = SW_RECIPE_LAYERS,
    [SW_OWNER_VOCABULARY] = SW_RECIPE_VOCABULARY,
    [SW_OWNER_EXPERTS] = SW_RECIPE_EXPERTS,
  };
  SwTensor tensors[SW_MAX_TENSORS];
  SwRecipe recipes[SW_N_RECIPES];
  const guint n = sw_memory_tensors (problem, strategy, stage, tensors);
  guint n_terms = 0;

  sw_recipes_init (problem, strategy, recipes);
  for (guint i = 0; i < n; i++)
    {
      Term one;
      guint j = 0;

      if (tensors[i].owner == SW_OWNER_NONE || tensors[i].bytes <= 0 || tensors[i].count <= 0)
        continue;
      make_term (&tensors[i], &recipes[kinds[tensors[i].owner]], &one);
      while (j < n_terms
             && (terms[j].kind != one.kind || terms[j].group != one.group
                 || fabs (terms[j].whole - one.whole) > 0.01
                 || fabs (terms[j].shared - one.shared) > 0.01))
        j++;
      if (j == n_terms)
        terms[n_terms++] = one;
      else
        {
          terms[j].parameters += one.parameters;
          terms[j].bytes += one.bytes;
        }
    }
  return n_terms;
}

/* "2", "12 ÷ 16", "(2 + 4 ÷ 8)" */
static char *
each_text (const Term *term)
{
  if (term->shared <= 0)
    return g_strdup_printf ("%.3g", term->whole);
  if (term->group <= 1)
    return g_strdup_printf ("%.3g", term->whole + term->shared);
  if (term->whole <= 0)
    return g_strdup_printf ("%.3g ÷ %.0f", term->shared, term->group);
  return g_strdup_printf ("(%.3g + %.3g ÷ %.0f)", term->whole, term->shared, term->group);
}

/**
 * shardwise_text_states:
 * @problem: a prepared question
 * @estimate: of a strategy
 * @stage: of its pipeline, from 0
 *
 * Returns: (transfer full): memory of parameters, gradients and optimizer on a GPU of the stage:
 *   "weights 70.6 B parameters × 2 ÷ 16 bytes = 8.21 GiB + …: together 65.7 GiB"
 */
char *
shardwise_text_states (const SwProblem *problem, const SwEstimate *estimate, guint stage)
{
  Term terms[SW_MAX_TENSORS];
  const guint n = collect (problem, &estimate->strategy, stage, terms);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *all = NULL, *whole = NULL;
  double sum = 0;
  const double unsharded = sw_unsharded_state_bytes (problem, &estimate->strategy);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *count = shardwise_format_count (terms[i].parameters),
                      *each = each_text (&terms[i]),
                      *bytes = shardwise_format_bytes (terms[i].bytes);

      g_string_append (text, i > 0 ? " + " : "");
      /* Translators: "weights", a number of parameters, bytes of each, what it comes to */
      g_string_append_printf (text, _ ("%s %s parameters × %s bytes = %s"),
                              terms[i].kind == SW_TENSOR_WEIGHTS          ? _ ("weights")
                              : terms[i].kind == SW_TENSOR_FROZEN_WEIGHTS ? _ ("frozen weights")
                              : terms[i].kind == SW_TENSOR_GRADIENTS      ? _ ("gradients")
                                                                          : _ ("optimizer"),
                              count, each, bytes);
      sum += terms[i].bytes;
    }
  if (n == 0)
    g_string_append (text, _ ("all of them in host memory"));
  all = shardwise_format_bytes (sum);
  whole = shardwise_format_significant (unsharded / SW_GB);
  /* Translators: a sum, what it comes to, and the same in GB without sharding */
  return g_strdup_printf (
      _ ("Model states per GPU: %s: total %s. One unsharded copy of the whole model: %s GB."),
      text->str, all, whole);
}

typedef struct {
  const char *name;
  double value;
} Part;

/* "91.1 GiB = parameters 8.21 + gradients 8.21 + …": the parts that are not zero. */
static char *
sum_text (double total, const Part *parts, guint n, char *(*format) (double value))
{
  g_autofree char *whole = format (total);
  GString *text = g_string_new (whole);
  const char *separator = " = ";

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *value = format (parts[i].value);

      if (parts[i].value < total * 5e-4)
        continue;
      g_string_append_printf (text, "%s%s %s", separator, _ (parts[i].name), value);
      separator = " + ";
    }
  return g_string_free (text, FALSE);
}

/**
 * shardwise_text_sums:
 * @problem: a prepared question
 * @estimate: of a strategy
 *
 * Returns: (transfer full) (element-type utf8): the states and all memory of a GPU of the fullest stage,
 *   the time of a step, the speed and the GPUs, each as a sum
 */
GPtrArray *
shardwise_text_sums (const SwProblem *problem, const SwEstimate *estimate)
{
  const SwMemoryParts *peak = &estimate->memory.peak;
  const SwTime *time = &estimate->time;
  const Part memory[] = {
    { N_ ("parameters"), peak->parameters }, { N_ ("gradients"), peak->gradients },
    { N_ ("optimizer"), peak->optimizer },   { N_ ("activations"), peak->activations },
    { N_ ("logits"), peak->logits },         { N_ ("buffers"), peak->buffers },
    { N_ ("framework"), peak->framework },
  };
  const Part seconds[] = {
    { N_ ("compute"), time->compute_s },       { N_ ("uneven stages"), time->uneven_s },
    { N_ ("exposed TP"), time->tp_exposed_s }, { N_ ("exposed CP"), time->cp_exposed_s },
    { N_ ("exposed EP"), time->ep_exposed_s }, { N_ ("exposed PP"), time->pp_exposed_s },
    { N_ ("exposed DP"), time->dp_exposed_s }, { N_ ("bubble"), time->bubble_s },
    { N_ ("optimizer"), time->optimizer_s },   { N_ ("offload"), time->offload_exposed_s },
    { N_ ("other"), time->other_s },
  };
  g_autofree char *usable = shardwise_format_bytes (estimate->usable_bytes),
                  *rate = shardwise_format_count (estimate->tokens_per_s),
                  *step = shardwise_format_seconds (time->step_s),
                  *bytes = sum_text (peak->total, memory, G_N_ELEMENTS (memory),
                                     shardwise_format_bytes),
                  *length = sum_text (time->step_s, seconds, G_N_ELEMENTS (seconds),
                                      shardwise_format_seconds);
  const SwStrategy *s = &estimate->strategy;
  GPtrArray *sums = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (sums, shardwise_text_states (problem, estimate, estimate->memory.peak_stage));
  /* Translators: a sum, an amount of memory */
  g_ptr_array_add (
      sums, g_strdup_printf (_ ("Memory of the fullest GPU: %s, of %s usable."), bytes, usable));
  /* Translators: a sum */
  g_ptr_array_add (sums, g_strdup_printf (_ ("Step: %s."), length));
  /* Translators: sequences, tokens of each, a duration, a rate */
  g_ptr_array_add (sums,
                   g_strdup_printf (_ ("Throughput: %u sequences × %u tokens ÷ %s = %s tokens/s."),
                                    problem->training.global_batch,
                                    problem->training.sequence_length, step, rate));
  g_ptr_array_add (sums, g_strdup_printf (
                             /* Translators: degrees of parallelism and their product */
                             _ ("GPUs: TP %u × CP %u × DP %u × PP %u = %u; the rank order is TP, "
                                "CP, DP, PP, with TP varying fastest."),
                             s->tp, s->cp, s->dp, s->pp, sw_strategy_gpus (s)));
  return sums;
}

/* ---- a job in one text, to be pasted where there are no tools ---- */

/* A heading before the first item of a list. */
static void
append_item (GString *out, const char **heading, const char *title, const char *text)
{
  if (*heading != NULL)
    g_string_append_printf (out, "\n## %s\n", *heading);
  *heading = NULL;
  if (title != NULL)
    {
      g_string_append (out, "- ");
      /* Translators: the name of a figure, and its value */
      g_string_append_printf (out, _ ("%s: %s"), title, text);
      g_string_append_c (out, '\n');
    }
  else
    g_string_append_printf (out, "- %s\n", text);
}

/**
 * shardwise_text_brief:
 * @scenario: a job
 * @advice: its advice
 *
 * Returns: (transfer full): the scenario as in its file, the strategy with its sums, the reasons,
 *   what would fit, warnings and assumptions, with headings
 */
char *
shardwise_text_brief (ShardwiseScenario *scenario, ShardwiseAdvice *advice)
{
  const SwEstimate *estimate = shardwise_advice_get_recommended (advice);
  g_autofree char *json = shardwise_scenario_to_json (scenario),
                  *strategy = shardwise_text_strategy (&estimate->strategy);
  g_autoptr (GPtrArray) sums = shardwise_text_sums (shardwise_advice_get_problem (advice),
                                                    estimate);
  GPtrArray *rows;
  GString *out = g_string_new (NULL);
  const char *heading;

  /* Translators: heading of a text: a training job */
  g_string_append_printf (out, "# %s\n\n```json\n%s```\n\n%s\n", _ ("Training job (Shardwise)"),
                          json, shardwise_advice_get_verdict (advice));
  heading = _ ("Strategy");
  append_item (out, &heading, shardwise_text_framework (estimate->strategy.framework), strategy);
  for (guint i = 0; i < sums->len; i++)
    append_item (out, &heading, NULL, sums->pdata[i]);
  heading = _ ("What would fit");
  rows = shardwise_advice_get_ways_out (advice);
  for (guint i = 0; i < rows->len; i++)
    append_item (out, &heading, NULL, ((const ShardwiseWayOut *) rows->pdata[i])->change);
  heading = _ ("Why");
  rows = shardwise_advice_get_rationale (advice);
  for (guint i = 0; i < rows->len; i++)
    {
      const ShardwiseRationale *reason = rows->pdata[i];
      /* Translators: a dimension and its value: "Tensor parallel 8" */
      g_autofree char *title = g_strdup_printf (_ ("%s %s"), reason->title, reason->value);

      append_item (out, &heading, title, reason->text);
    }
  heading = _ ("Recommendations");
  rows = shardwise_advice_get_recommendations (advice);
  for (guint i = 0; i < rows->len; i++)
    append_item (out, &heading, NULL, ((const ShardwiseRecommendation *) rows->pdata[i])->text);
  heading = _ ("Assumed");
  rows = shardwise_advice_get_assumptions (advice);
  for (guint i = 0; i < rows->len; i++)
    append_item (out, &heading, NULL, ((const ShardwiseAssumption *) rows->pdata[i])->text);
  heading = _ ("Notes");
  rows = shardwise_advice_get_notes (advice);
  for (guint i = 0; i < rows->len; i++)
    append_item (out, &heading, NULL, rows->pdata[i]);
  return g_string_free (out, FALSE);
}
