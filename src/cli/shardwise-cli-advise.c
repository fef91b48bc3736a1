/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-cli.h"

#include <glib/gi18n.h>

#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-text-search.h"
#include "shardwise-text-advice.h"
#include "shardwise-advice-json.h"

static void
append_recommendations (GString *out, ShardwiseAdvice *advice)
{
  GPtrArray *all = shardwise_advice_get_recommendations (advice);

  if (all->len > 0)
    g_string_append_printf (out, "\n%s\n", _ ("Recommendations"));
  for (guint i = 0; i < all->len; i++)
    {
      const ShardwiseRecommendation *recommendation = g_ptr_array_index (all, i);

      shardwise_cli_append_wrapped (out, "  ", recommendation->text);
    }
}

static void
append_rationale (GString *out, ShardwiseAdvice *advice)
{
  GPtrArray *all = shardwise_advice_get_rationale (advice);

  if (all->len > 0)
    g_string_append_printf (out, "\n%s\n", _ ("Why"));
  for (guint i = 0; i < all->len; i++)
    {
      const ShardwiseRationale *rationale = g_ptr_array_index (all, i);

      g_string_append_printf (out, "  %s: %s\n", rationale->title, rationale->value);
      shardwise_cli_append_wrapped (out, "    ", rationale->text);
    }
}

static void
append_steps (GString *out, ShardwiseAdvice *advice)
{
  GPtrArray *all = shardwise_advice_get_steps (advice);

  g_string_append_printf (out, "\n%s\n", _ ("Step by step"));
  for (guint i = 0; i < all->len; i++)
    {
      const ShardwiseStep *step = g_ptr_array_index (all, i);

      g_string_append_printf (out, "  %u. %s: %s\n", i + 1, step->title, step->value);
      shardwise_cli_append_wrapped (out, "     ", step->text);
    }
}

static void
append_alternatives (GString *out, ShardwiseAdvice *advice)
{
  guint n = shardwise_advice_get_n_alternatives (advice);
  const SwEstimate *recommended = shardwise_advice_get_recommended (advice);
  double best = recommended->tokens_per_s;

  if (n > 0)
    g_string_append_printf (out, "\n%s\n", _ ("Alternatives"));
  for (guint i = 0; i < n; i++)
    {
      const SwEstimate *estimate = shardwise_advice_get_alternative (advice, i);
      g_autofree char *summary = shardwise_text_strategy (&estimate->strategy);
      g_autofree char *rate = shardwise_format_count (estimate->tokens_per_s);
      g_autofree char *memory = shardwise_format_bytes (estimate->memory.peak.total);
      g_autofree char *share = shardwise_format_percent (best > 0 ? estimate->tokens_per_s / best
                                                                  : 0);

      g_string_append_printf (out, "  %u. %s", i + 1, summary);
      if (estimate->strategy.framework != recommended->strategy.framework)
        g_string_append_printf (out, " · %s",
                                shardwise_text_framework (estimate->strategy.framework));
      g_string_append_c (out, '\n');
      /* Translators: tokens per second, share of the best one, memory */
      g_string_append_printf (out, _ ("     %s tokens/s (%s of the recommended), %s\n"), rate,
                              share, memory);
    }
}

static void
append_ways_out (GString *out, ShardwiseAdvice *advice)
{
  GPtrArray *all = shardwise_advice_get_ways_out (advice);

  if (all->len > 0)
    g_string_append_printf (out, "\n%s\n", _ ("What would fit"));
  for (guint i = 0; i < all->len; i++)
    {
      const ShardwiseWayOut *way = g_ptr_array_index (all, i);
      g_autofree char *summary = shardwise_text_strategy (&way->result.strategy);

      g_string_append_printf (out, "  %s\n", way->change);
      shardwise_cli_append_wrapped (out, "    ", summary);
    }
}

static void
append_misses (GString *out, ShardwiseAdvice *advice)
{
  GPtrArray *all = shardwise_advice_get_misses (advice);

  if (all->len > 0)
    g_string_append_printf (out, "\n%s\n", _ ("What alone does not suffice"));
  for (guint i = 0; i < all->len; i++)
    shardwise_cli_append_wrapped (out, "  ",
                                  ((const ShardwiseMiss *) g_ptr_array_index (all, i))->text);
}

/* What was tried, why the rest fell away, and what filters or only ranks. */
static void
append_search (GString *out, ShardwiseAdvice *advice)
{
  const SwSearchResult *search = shardwise_advice_get_search (advice);
  g_autofree char *kind = shardwise_text_search_kind (search);
  g_autofree char *searched = shardwise_text_searched (search);
  g_autofree char *filters = shardwise_text_limits (TRUE), *ranks = shardwise_text_limits (FALSE);
  guint rules[SW_N_RULES];
  guint64 total;
  const guint n = shardwise_search_rejections (search, rules, &total);

  g_string_append_printf (out, "\n%s\n  %s\n", _ ("Search"), searched);
  shardwise_cli_append_wrapped (out, "  ", kind);
  if (n > 0)
    g_string_append_printf (out, "  %s\n", _ ("Left out, by the first rule that they break:"));
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, "    %'12" G_GUINT64_FORMAT "  %s\n", search->rejected[rules[i]],
                            shardwise_text_rule_title ((SwRule) rules[i]));
  shardwise_cli_append_wrapped (out, "  ", filters);
  shardwise_cli_append_wrapped (out, "  ", ranks);
}

static void
append_sizes (GString *out, ShardwiseAdvice *advice)
{
  guint least = shardwise_advice_get_least_gpus (advice),
        sensible = shardwise_advice_get_sensible_gpus (advice);

  if (least == 0)
    return;
  g_string_append_c (out, '\n');
  /* Translators: a number of GPUs */
  g_string_append_printf (
      out, ngettext ("The least that fits is %'u GPU", "The least that fits are %'u GPUs", least),
      least);
  if (sensible > 0)
    /* Translators: follows “The least that fits are 16 GPUs”; a number of GPUs */
    g_string_append_printf (
        out, ngettext (", a sensible number is %'u.", ", a sensible number is %'u.", sensible),
        sensible);
  g_string_append_c (out, '\n');
}

static void
append_nearest_run (GString *out, ShardwiseAdvice *advice)
{
  const ShardwiseNearestRun *run = shardwise_advice_get_nearest_run (advice);
  g_autofree char *measured = NULL, *predicted = NULL, *text = NULL;

  if (run == NULL)
    return;
  measured = shardwise_format_seconds (run->measured_step_s);
  predicted = shardwise_format_seconds_beside (run->predicted_step_s, run->measured_step_s);
  g_string_append_printf (out, "\n%s\n", _ ("Nearest measured run"));
  /* Translators: description of a run, its id, source, and the two durations of a step */
  text = g_strdup_printf (_ ("%s (%s; %s): a step was measured at %s, our model says %s."),
                          run->description, run->id, run->source, measured, predicted);
  shardwise_cli_append_wrapped (out, "  ", text);
}

static void
append_verdict (GString *out, ShardwiseAdvice *advice)
{
  const SwEstimate *validated = shardwise_advice_get_validated (advice);
  g_autofree char *choice = NULL;

  shardwise_cli_append_wrapped (out, "", shardwise_advice_get_verdict (advice));
  if (validated == NULL)
    return;
  choice = shardwise_text_validated_choice (shardwise_advice_get_recommended (advice), validated);
  shardwise_cli_append_wrapped (out, "", choice);
}

static int
advise (ShardwiseCliInput *input, const ShardwiseAdviceOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseAdvice) advice = shardwise_advice_compute (input->scenario, options, NULL,
                                                                 &error);
  g_autofree char *text = NULL;
  int status;

  if (advice == NULL)
    return shardwise_cli_fail (input->file, error);
  status = shardwise_advice_get_fits (advice) ? SHARDWISE_CLI_DONE : SHARDWISE_CLI_NOTHING_FITS;
  if (input->json)
    return shardwise_cli_print_json (shardwise_advice_to_json (advice), status);

  GString *out = g_string_new (NULL);

  append_verdict (out, advice);
  shardwise_cli_append_estimate (out, shardwise_advice_get_problem (advice),
                                 shardwise_advice_get_recommended (advice));
  append_recommendations (out, advice);
  append_ways_out (out, advice);
  append_misses (out, advice);
  append_rationale (out, advice);
  append_steps (out, advice);
  append_alternatives (out, advice);
  append_sizes (out, advice);
  append_search (out, advice);
  append_nearest_run (out, advice);
  shardwise_cli_append_notes (out, shardwise_advice_get_notes (advice));
  text = g_string_free (out, FALSE);
  return shardwise_cli_print (text, status);
}

/* The options of one call. */
typedef struct {
  char *method;
  int top;
  gboolean complete;
} Advise;

static int
method_index (const Advise *self)
{
  return self->method == NULL ? SHARDWISE_METHOD_ANALYTICAL
                              : sw_name_index (shardwise_method_names, self->method);
}

static const char *
check_options (gconstpointer data)
{
  const Advise *self = data;

  if (method_index (self) < 0)
    return _ ("--method is none of analytical, playbook and quick-score");
  if (self->top < 0 || self->top > 10000)
    return _ ("--top is out of range, accepted: 0 to 10000");
  return NULL;
}

int
shardwise_cli_advise (int argc, char **argv)
{
  Advise self = { .top = 3 };
  ShardwiseCliInput input = { .check = check_options, .data = &self };
  int status;
  const GOptionEntry entries[] = {
    { "method", 0, 0, G_OPTION_ARG_STRING, &self.method, N_ ("analytical, playbook or quick-score"),
      N_ ("METHOD") },
    { "top", 0, 0, G_OPTION_ARG_INT, &self.top, N_ ("Number of alternatives (3)"), "N" },
    { "complete", 0, 0, G_OPTION_ARG_NONE, &self.complete,
      N_ ("Try every strategy, and count every reason of rejection"), NULL },
    { NULL },
  };

  status = shardwise_cli_input_read (&input, argc, argv, entries,
                                     _ ("Finds the best strategy and says why."));
  if (status == SHARDWISE_CLI_DONE)
    {
      const ShardwiseAdviceOptions options = {
        .method = (ShardwiseMethod) method_index (&self),
        .top = (guint) self.top,
        .complete = self.complete,
        .explain = TRUE,
      };

      status = advise (&input, &options);
    }
  shardwise_cli_input_clear (&input);
  g_free (self.method);
  return status;
}
