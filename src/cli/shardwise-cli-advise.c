/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands about one cluster: the best strategy, the strategy of the file, a question about
 * them. */
#include "shardwise-cli-advise.h"

#include <glib/gi18n.h>

#include "shardwise-advice-json.h"
#include "shardwise-ask-answer.h"
#include "shardwise-candidate-view.h"
#include "shardwise-changes.h"
#include "shardwise-cli-input.h"
#include "shardwise-cli-output.h"
#include "shardwise-estimate.h"
#include "shardwise-export-search.h"
#include "shardwise-format.h"
#include "shardwise-resolve.h"
#include "shardwise-text-advice.h"
#include "shardwise-text-method.h"
#include "shardwise-text-search.h"
#include "shardwise-text-strategy.h"
#include "shardwise-trade.h"

/* ---- advise ---- */

/* The heading of a list; nothing for an empty list. */
static void
append_list_heading (GString *out, const char *title, guint n)
{
  if (n > 0)
    shardwise_cli_append_heading (out, title);
}

/* "  Title: value", followed by indented text. */
static void
append_titled (GString *out, const char *title, const char *value, const char *text)
{
  /* Translators: the title of a paragraph, and the value that it explains */
  g_autofree char *line = g_strdup_printf (_ ("%s: %s"), title, value);

  g_string_append_printf (out, "  %s\n", line);
  shardwise_cli_append_wrapped (out, "    ", text);
}

/* The usual choices of others. */
static void
append_usual (GString *out, ShardwiseAdvice *advice)
{
  GPtrArray *all = shardwise_advice_get_usual (advice);

  append_list_heading (out, _ ("Conventional and published"), all->len);
  for (guint i = 0; i < all->len; i++)
    {
      const ShardwiseUsual *usual = g_ptr_array_index (all, i);
      g_autofree char *strategy = shardwise_text_strategy (&usual->estimate.strategy);
      /* Translators: the name of a way to train, its strategy and framework: "NVIDIA’s recipe:
       * TP 4 · … · Megatron-Core" */
      g_autofree char *line =
          g_strdup_printf (_ ("%s: %s · %s"), usual->name, strategy,
                           shardwise_text_framework (usual->estimate.strategy.framework));

      shardwise_cli_append_wrapped (out, "  ", line);
      shardwise_cli_append_wrapped (out, "    ", usual->text);
      if (usual->recipe != NULL)
        shardwise_cli_append_wrapped (out, "    ", usual->recipe->source);
    }
}

/* The internals of a rule of thumb: its score, utilizations, GB and overheads. */
static void
append_figures (GString *out, ShardwiseAdvice *advice)
{
  const SwQuickScore *best = &shardwise_advice_get_quick_score (advice)->best;
  g_autoptr (GPtrArray) figures = NULL;

  switch (shardwise_advice_get_method (advice))
    {
    case SHARDWISE_METHOD_PLAYBOOK:
      shardwise_cli_append_heading (out, _ ("The playbook’s estimate"));
      figures = shardwise_text_playbook_figures (shardwise_advice_get_playbook (advice));
      break;
      case SHARDWISE_METHOD_QUICK_SCORE: {
        g_autofree char *split = shardwise_text_quick_split (best);

        g_string_append_printf (out, "\n%s\n  %s\n", _ ("The quick score’s estimate"), split);
        figures = shardwise_text_quick_figures (shardwise_advice_get_problem (advice), best);
        break;
      }
    case SHARDWISE_METHOD_ANALYTICAL:
    default: return;
    }
  for (guint i = 0; i < figures->len; i++)
    {
      const ShardwiseFigure *figure = g_ptr_array_index (figures, i);

      shardwise_cli_append_row (out, figure->label, figure->value);
    }
}

/* The deciding factor among the alternatives of the quick score, and the argument against one. */
static void
append_score (GString *out, const SwProblem *problem, const SwEstimate *estimate,
              const SwQuickScore *score)
{
  g_autofree char *memory = shardwise_format_significant (score->memory_gb);

  g_string_append_printf (
      out,
      /* Translators: the score of a split, memory in units of 1e9 bytes as the score counts it */
      _ ("     Score %.3f, %s GB by its own estimate\n"), score->score, memory);
  if (!estimate->fits)
    {
      g_autofree char *reason = shardwise_text_rule (problem, &estimate->strategy, estimate->rule,
                                                     estimate->missing_bytes);
      g_autofree char *text = g_strdup_printf (
          /* Translators: %s is a reason */
          _ ("This strategy cannot run: %s"), reason);

      shardwise_cli_append_wrapped (out, "     ", text);
    }
}

/* The recommended strategy or the one that would fit, the reason, and the alternatives. */
static void
append_reasons (GString *out, ShardwiseAdvice *advice)
{
  GPtrArray *recommendations = shardwise_advice_get_recommendations (advice),
            *ways_out = shardwise_advice_get_ways_out (advice),
            *misses = shardwise_advice_get_misses (advice),
            *rationale = shardwise_advice_get_rationale (advice),
            *steps = shardwise_advice_get_steps (advice);
  const SwEstimate *recommended = shardwise_advice_get_recommended (advice);
  const guint n = shardwise_advice_get_n_alternatives (advice);
  const double best = recommended->tokens_per_s;

  append_list_heading (out, _ ("Recommendations"), recommendations->len);
  for (guint i = 0; i < recommendations->len; i++)
    {
      const ShardwiseRecommendation *recommendation = g_ptr_array_index (recommendations, i);

      shardwise_cli_append_wrapped (out, "  ", recommendation->text);
    }
  append_list_heading (out, _ ("What would fit"), ways_out->len);
  for (guint i = 0; i < ways_out->len; i++)
    {
      const ShardwiseWayOut *way = g_ptr_array_index (ways_out, i);
      g_autofree char *summary = shardwise_text_strategy (&way->result.strategy);

      shardwise_cli_append_wrapped (out, "  ", way->change);
      shardwise_cli_append_wrapped (out, "    ", summary);
    }
  append_list_heading (out, _ ("Not enough on its own"), misses->len);
  for (guint i = 0; i < misses->len; i++)
    shardwise_cli_append_wrapped (out, "  ",
                                  ((const ShardwiseMiss *) g_ptr_array_index (misses, i))->text);
  append_list_heading (out, _ ("Why"), rationale->len);
  for (guint i = 0; i < rationale->len; i++)
    {
      const ShardwiseRationale *reason = g_ptr_array_index (rationale, i);

      append_titled (out, reason->title, reason->value, reason->text);
    }
  shardwise_cli_append_heading (out, _ ("Step by step"));
  for (guint i = 0; i < steps->len; i++)
    {
      const ShardwiseStep *step = g_ptr_array_index (steps, i);
      g_autofree char *title = g_strdup_printf ("%u. %s", i + 1, step->title);

      append_titled (out, title, step->value, step->text);
    }
  append_usual (out, advice);
  append_list_heading (out,
                       shardwise_advice_get_method (advice) == SHARDWISE_METHOD_PLAYBOOK
                           ? _ ("Alternatives of the analytical model")
                           : _ ("Alternatives"),
                       n);
  for (guint i = 0; i < n; i++)
    {
      const SwEstimate *estimate = shardwise_advice_get_alternative (advice, i);
      g_autofree char *summary = shardwise_text_strategy (&estimate->strategy),
                      *rate = shardwise_format_count (estimate->tokens_per_s),
                      *memory = shardwise_format_bytes (estimate->memory.peak.total),
                      *trades = shardwise_text_trades (recommended, estimate),
                      *share = shardwise_format_percent (best > 0 ? estimate->tokens_per_s / best
                                                                  : 0);

      g_string_append_printf (out, "  %u. %s", i + 1, summary);
      if (estimate->strategy.framework != recommended->strategy.framework)
        g_string_append_printf (out, " · %s",
                                shardwise_text_framework (estimate->strategy.framework));
      g_string_append_c (out, '\n');
      /* Translators: tokens per second, share of the best one, memory */
      g_string_append_printf (out, _ ("     %s tokens/s (%s of the recommended strategy), %s\n"),
                              rate, share, memory);
      if (trades != NULL)
        shardwise_cli_append_wrapped (out, "     ", trades);
      if (shardwise_advice_get_method (advice) == SHARDWISE_METHOD_QUICK_SCORE)
        append_score (out, shardwise_advice_get_problem (advice), estimate,
                      &shardwise_advice_get_quick_score (advice)->alternatives[i]);
    }
}

/* How to check the figures on the cluster. */
static void
append_verify (GString *out, const ShardwiseVerify *verify)
{
  g_autofree char *summary = shardwise_verify_summary ();

  shardwise_cli_append_heading (out, _ ("Verify on the cluster"));
  shardwise_cli_append_wrapped (out, "  ", summary);
  for (guint i = 0; i < verify->look_at->len; i++)
    {
      const ShardwiseLookAt *look = g_ptr_array_index (verify->look_at, i);

      append_titled (out, look->title, look->value, look->where);
    }
  if (verify->if_out_of_memory->len > 0)
    g_string_append_printf (out, "  %s\n", _ ("If it runs out of memory, try these in order:"));
  for (guint i = 0; i < verify->if_out_of_memory->len; i++)
    shardwise_cli_append_wrapped (
        out, "    ",
        ((const ShardwiseRemedy *) g_ptr_array_index (verify->if_out_of_memory, i))->text);
  if (verify->if_slower->len > 0)
    g_string_append_printf (out, "  %s\n", _ ("If it is slower than predicted:"));
  for (guint i = 0; i < verify->if_slower->len; i++)
    shardwise_cli_append_wrapped (
        out, "    ", ((const ShardwiseSuspect *) g_ptr_array_index (verify->if_slower, i))->text);
}

/* The assumptions behind the answer. */
static void
append_assumptions (GString *out, GPtrArray *assumptions)
{
  append_list_heading (out, _ ("Assumed"), assumptions->len);
  for (guint i = 0; i < assumptions->len; i++)
    shardwise_cli_append_wrapped (
        out, "  ", ((const ShardwiseAssumption *) g_ptr_array_index (assumptions, i))->text);
}

/* The number of tried strategies, why others were excluded, and which limits filter or only
 * rank. */
static void
append_search (GString *out, ShardwiseAdvice *advice)
{
  const SwSearchResult *search = shardwise_advice_get_search (advice);
  g_autofree char *kind = shardwise_text_search_kind (search),
                  *searched = shardwise_text_searched (search),
                  *filters = shardwise_text_limits (TRUE), *ranks = shardwise_text_limits (FALSE);
  guint rules[SW_N_RULES];
  guint64 total;
  const guint n = shardwise_search_rejections (search, rules, &total);

  g_string_append_printf (out, "\n%s\n  %s\n", _ ("Search"), searched);
  shardwise_cli_append_wrapped (out, "  ", kind);
  if (n > 0)
    g_string_append_printf (out, "  %s\n", _ ("Excluded, by the first rule that they violate:"));
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, "    %'12" G_GUINT64_FORMAT "  %s\n", search->rejected[rules[i]],
                            shardwise_text_rule_title ((SwRule) rules[i]));
  shardwise_cli_append_wrapped (out, "  ", filters);
  shardwise_cli_append_wrapped (out, "  ", ranks);
}

/* The results of each framework that is usual for the job, and the formats that configure it. */
static void
append_frameworks (GString *out, ShardwiseAdvice *advice)
{
  GArray *choices = shardwise_advice_get_frameworks (advice);

  append_list_heading (out, _ ("By framework"), choices->len);
  for (guint i = 0; i < choices->len; i++)
    {
      const ShardwiseFrameworkChoice *choice = &g_array_index (choices, ShardwiseFrameworkChoice,
                                                               i);
      g_autofree char *figures = shardwise_text_framework_figures (
                          shardwise_advice_get_problem (advice), choice),
                      *line = NULL;

      /* Translators: name of a framework, then what it gives */
      line = g_strdup_printf (_ ("%s: %s"), shardwise_text_framework (choice->framework), figures);
      shardwise_cli_append_wrapped (out, "  ", line);
      if (choice->has_strategy)
        {
          g_autofree char *summary = shardwise_text_strategy (&choice->estimate.strategy),
                          *targets = shardwise_targets_of_choice (advice, choice), *exports = NULL;

          /* Translators: names of file formats */
          exports = g_strdup_printf (_ ("Exports: %s"), targets);
          shardwise_cli_append_wrapped (out, "    ", summary);
          shardwise_cli_append_wrapped (out, "    ", exports);
        }
    }
}

static char *
advice_to_text (ShardwiseAdvice *advice)
{
  const SwEstimate *recommended = shardwise_advice_get_recommended (advice),
                   *fastest = shardwise_advice_get_fastest (advice);
  const ShardwiseNearestRun *run = shardwise_advice_get_nearest_run (advice);
  const guint sensible = shardwise_advice_get_sensible_gpus (advice);
  const gboolean is_rule = shardwise_advice_get_method (advice) != SHARDWISE_METHOD_ANALYTICAL;
  guint n_least;
  const SwLeastGpus *least = shardwise_advice_get_least (advice, &n_least);
  GString *out = g_string_new (NULL);

  shardwise_cli_append_wrapped (out, "", shardwise_advice_get_verdict (advice));
  if (fastest != NULL)
    {
      g_autofree char *choice = shardwise_text_faster (recommended, fastest);

      shardwise_cli_append_wrapped (out, "", choice);
    }
  append_figures (out, advice);
  shardwise_cli_append_estimate (out, shardwise_advice_get_problem (advice), recommended);
  append_frameworks (out, advice);
  append_reasons (out, advice);
  append_assumptions (out, shardwise_advice_get_assumptions (advice));
  if (shardwise_advice_get_verify (advice) != NULL)
    append_verify (out, shardwise_advice_get_verify (advice));
  if (n_least > 0)
    {
      g_autofree char *numbers = shardwise_text_least (least, n_least), *text = NULL;

      text = is_rule
                 /* Translators: numbers of GPUs, and what they take: "24; 8 with 8-bit Adam" */
                 ? g_strdup_printf (_ ("Fewest GPUs on which the job is certain to fit, by the "
                                       "analytical model: %s."),
                                    numbers)
                 : shardwise_text_least_sentence (least, n_least);
      g_string_append_c (out, '\n');
      shardwise_cli_append_wrapped (out, "", text);
      if (sensible > 0)
        /* Translators: a number of GPUs */
        g_string_append_printf (out, _ ("Sensible number of GPUs: %'u, without offload.\n"),
                                sensible);
    }
  if (!is_rule) /* this one does not search */
    append_search (out, advice);
  if (run != NULL)
    {
      g_autofree char *measured = shardwise_format_seconds (run->measured_step_s),
                      *predicted = shardwise_format_seconds_beside (run->predicted_step_s,
                                                                    run->measured_step_s),
                      *text = NULL;

      shardwise_cli_append_heading (out, _ ("Nearest measured run"));
      /* Translators: description of a run, its id, source, and the two durations of a step */
      text = g_strdup_printf (_ ("%s (%s; %s): measured step time %s, predicted %s."),
                              run->description, run->id, run->source, measured, predicted);
      shardwise_cli_append_wrapped (out, "  ", text);
    }
  shardwise_cli_append_notes (out, shardwise_advice_get_notes (advice));
  return g_string_free (out, FALSE);
}

/* ---- every alternative, for a spreadsheet ---- */

#define CSV_BLOCK 65536 /* bytes printed at a time */

/* The value of a dimension in the spelling of the scenario file. */
static void
append_dimension (GString *out, const SwStrategy *strategy, SwDimension dimension)
{
  g_autoptr (GVariant) value = NULL;
  g_autofree char *text = NULL;

  if (dimension == SW_DIM_RECOMPUTE && strategy->recompute == SW_RECOMPUTE_FULL_LAYERS)
    {
      g_string_append_printf (out, "full_layers:%u,", strategy->full_layers);
      return;
    }
  value = g_variant_ref_sink (
      shardwise_dimension_to_variant (dimension, sw_strategy_get (strategy, dimension)));
  text = g_variant_is_of_type (value, G_VARIANT_TYPE_STRING) ? g_variant_dup_string (value, NULL)
                                                             : g_variant_print (value, FALSE);
  g_string_append_printf (out, "%s,", text);
}

/* Every strategy that fits, best first, in blocks, because there may be millions. */
static int
print_csv (ShardwiseAdvice *advice, guint most, int status)
{
  guint n;
  const SwCandidate *candidates = shardwise_advice_get_candidates (advice, &n);
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  g_autoptr (GString) out = g_string_new ("rank,framework,");

  for (guint d = 0; d < SW_N_DIMENSIONS; d++)
    g_string_append_printf (out, "%s,", sw_dimension_names[d]);
  g_string_append (out, "gradient_accumulation,gpus_used,fit,level,total_gib,step_s,tokens_per_s,"
                        "tokens_per_s_per_gpu,mfu\r\n");
  for (guint i = 0; i < MIN (n, most) && status != SHARDWISE_CLI_WRONG_INPUT; i++)
    {
      const SwStrategy *strategy = &candidates[i].strategy;
      SwEstimate e;

      sw_estimate (problem, strategy, &e);
      g_string_append_printf (out, "%u,%s,", i + 1, sw_framework_names[strategy->framework]);
      for (guint d = 0; d < SW_N_DIMENSIONS; d++)
        append_dimension (out, strategy, (SwDimension) d);
      g_string_append_printf (out, "%u,%u,%s,%s", e.gradient_accumulation, e.gpus_used,
                              sw_fit_names[e.fit], sw_level_names[e.level]);

      const double figures[] = { e.memory.peak.total / SW_GIB, e.time.step_s, e.tokens_per_s,
                                 e.tokens_per_s_per_gpu, e.mfu };

      for (guint f = 0; f < G_N_ELEMENTS (figures); f++)
        shardwise_cli_append_number (out, figures[f], TRUE);
      g_string_append (out, "\r\n");
      if (out->len < CSV_BLOCK)
        continue;
      status = shardwise_cli_print (g_strdup (out->str), status);
      g_string_truncate (out, 0);
    }
  return shardwise_cli_print (g_strdup (out->str), status);
}

/* The options of one call. */
typedef struct {
  char **method; /* (nullable): a key path */
  int top;       /* -1: the usual number */
  gboolean complete, csv;
} Advise;

static int
method_index (const Advise *self)
{
  return *self->method == NULL ? SHARDWISE_METHOD_ANALYTICAL
                               : sw_name_index (shardwise_method_names, *self->method);
}

static const char *
check_options (gconstpointer data)
{
  const Advise *self = data;

  if (method_index (self) < 0)
    return _ ("--method must be analytical, playbook or quick-score");
  if (self->top < -1 || self->top > 10000)
    return _ ("--top is out of range; allowed: 0 to 10000");
  if (self->csv && method_index (self) != SHARDWISE_METHOD_ANALYTICAL)
    return _ ("--csv works only with the analytical method");
  return NULL;
}

int
shardwise_cli_advise (int argc, char **argv)
{
  g_autofree char *method = NULL;
  Advise self = { .method = &method, .top = -1 };
  g_auto (ShardwiseCliInput) input = { .check = check_options, .data = &self };
  const GOptionEntry entries[] = {
    { "method", 0, 0, G_OPTION_ARG_STRING, &method, N_ ("analytical, playbook or quick-score"),
      N_ ("METHOD") },
    { "top", 0, 0, G_OPTION_ARG_INT, &self.top, N_ ("Number of alternatives to show (default: 3)"),
      "N" },
    { "complete", 0, 0, G_OPTION_ARG_NONE, &self.complete,
      N_ ("Try every strategy and count every reason for rejection"), NULL },
    { "csv", 0, 0, G_OPTION_ARG_NONE, &self.csv,
      N_ ("Print all strategies that fit, or the best --top, as comma-separated values"), NULL },
    { NULL },
  };
  int status = shardwise_cli_input_read (&input, argc, argv, entries,
                                         _ ("Finds the best strategy and explains it."));
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseAdvice) advice = NULL;
  ShardwiseAdviceOptions options;

  if (status != SHARDWISE_CLI_DONE)
    return status;
  options = (ShardwiseAdviceOptions){
    .method = (ShardwiseMethod) method_index (&self),
    .top = self.top < 0 ? 3 : (guint) self.top,
    .complete = self.complete || self.csv,
    .explain = !self.csv,
    .bare = self.csv,
  };
  advice = shardwise_advice_compute (input.scenario, &options, NULL, &error);
  if (advice == NULL)
    return shardwise_cli_fail (input.file, error);
  status = shardwise_advice_get_fits (advice) ? SHARDWISE_CLI_DONE : SHARDWISE_CLI_NOTHING_FITS;
  if (self.csv)
    return print_csv (advice, self.top < 0 ? G_MAXUINT : (guint) self.top, status);
  if (input.json)
    return shardwise_cli_print_json (shardwise_export_advice_to_json (advice), status);
  return shardwise_cli_print (advice_to_text (advice), status);
}

/* ---- estimate ---- */

int
shardwise_cli_estimate (int argc, char **argv)
{
  g_auto (ShardwiseCliInput) input = { 0 };
  int status = shardwise_cli_input_read (
      &input, argc, argv, NULL,
      _ ("Predicts memory and step time of the strategy in the scenario."));
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) notes = NULL, assumptions = NULL;
  SwProblem problem;
  SwEstimate estimate;
  GString *out;

  if (status != SHARDWISE_CLI_DONE)
    return status;
  if (!shardwise_estimate_scenario (input.scenario, &problem, &estimate, &notes, &error))
    return shardwise_cli_fail (input.file, error);
  status = estimate.fit != SW_FIT_DOES_NOT_FIT ? SHARDWISE_CLI_DONE : SHARDWISE_CLI_NOTHING_FITS;
  if (input.json)
    return shardwise_cli_print_json (
        shardwise_estimate_scenario_to_json (input.scenario, &problem, &estimate, notes), status);
  out = g_string_new (NULL);
  if (estimate.fits)
    g_string_append_printf (out, "%s\n", _ ("This strategy fits."));
  else
    {
      g_autofree char *reason = shardwise_text_rule (&problem, &estimate.strategy, estimate.rule,
                                                     estimate.missing_bytes);
      g_autofree char *text =
          g_strdup_printf (estimate.fit == SW_FIT_DOES_NOT_FIT
                               /* Translators: %s is a reason */
                               ? _ ("This strategy cannot run: %s")
                               /* Translators: %s is a reason: "Megatron-Core does not support …" */
                               : _ ("Its memory suffices, but this strategy cannot run: %s"),
                           reason);

      shardwise_cli_append_wrapped (out, "", text);
    }
  shardwise_cli_append_estimate (out, &problem, &estimate);
  shardwise_cli_append_communication (out, &problem, &estimate.strategy);
  assumptions = shardwise_assumptions_list (input.scenario, &problem, &estimate);
  append_assumptions (out, assumptions);
  shardwise_cli_append_notes (out, notes);
  return shardwise_cli_print (g_string_free (out, FALSE), status);
}

/* ---- ask ---- */

/* The parts of the text that were understood, and the unused ones. */
static void
append_understood (GString *out, const ShardwiseAnswer *answer, const ShardwiseQuestion *question)
{
  GString *list = g_string_new (NULL);
  g_autofree char *text = NULL;

  for (guint i = 0; i < answer->understood->len; i++)
    g_string_append_printf (
        list, "%s%s", i > 0 ? " · " : "",
        ((ShardwiseAskPart *) g_ptr_array_index (answer->understood, i))->value);
  /* Translators: parts of a question */
  text = g_strdup_printf (_ ("Interpreted as: %s"), list->str);
  shardwise_cli_append_wrapped (out, "", text);
  g_string_truncate (list, 0);
  for (guint i = 0; i < question->left_out->len; i++)
    {
      const ShardwiseAskLeftOut *left = g_ptr_array_index (question->left_out, i);

      shardwise_text_list (list, "%s (%s)", left->words, left->why);
    }
  if (list->len > 0)
    {
      g_autofree char *rest = g_strdup_printf (_ ("Left out: %s."), list->str);

      shardwise_cli_append_wrapped (out, "", rest);
    }
  g_string_append_c (out, '\n');
  g_string_free (list, TRUE);
}

int
shardwise_cli_ask (int argc, char **argv)
{
  /* The titles of pages in the window. */
  static const struct {
    const char *page, *title;
  } titles[] = {
    { "advice", N_ ("Answer") },
    { "analysis", N_ ("Why") },
    { "alternatives", N_ ("Compare") },
    { "scale", N_ ("Plan") },
  };
  g_auto (ShardwiseCliInput) input = { .takes_question = TRUE };
  const int status = shardwise_cli_input_read (&input, argc, argv, NULL,
                                               _ ("Answers a question in English or German."));
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseQuestion) question = NULL;
  g_autoptr (ShardwiseAnswer) answer = NULL;
  SwProblem problem;
  GString *out;

  if (status != SHARDWISE_CLI_DONE)
    return status;
  if (!shardwise_scenario_resolve (input.scenario, &problem, NULL, &error))
    return shardwise_cli_fail (input.file, error);
  question = shardwise_question_parse (input.question, input.scenario, NULL);
  answer = shardwise_answer_compute (input.scenario, question, NULL, &error);
  if (answer == NULL)
    return shardwise_cli_fail (input.file, error);
  if (input.json)
    return shardwise_cli_print_json (shardwise_answer_to_json (answer, question), status);
  out = g_string_new (NULL);
  append_understood (out, answer, question);
  {
    g_auto (GStrv) paragraphs = g_strsplit (answer->text, "\n", -1);

    for (guint i = 0; paragraphs[i] != NULL; i++)
      shardwise_cli_append_wrapped (out, "", paragraphs[i]);
  }
  if (answer->change != NULL && *answer->change != '\0')
    /* Translators: changes to a scenario: "64 GPUs" */
    g_string_append_printf (out, _ ("\nChange: %s\n"), answer->change);
  for (guint i = 0; answer->page != NULL && i < G_N_ELEMENTS (titles); i++)
    if (g_str_equal (titles[i].page, answer->page))
      /* Translators: name of a page of the window: "Advice" */
      g_string_append_printf (out, _ ("Shown on page: %s\n"), _ (titles[i].title));
  shardwise_cli_append_heading (out, _ ("You can also ask:"));
  for (guint i = 0; i < answer->suggestions->len; i++)
    g_string_append_printf (out, "  %s\n", (char *) g_ptr_array_index (answer->suggestions, i));
  return shardwise_cli_print (g_string_free (out, FALSE), status);
}
