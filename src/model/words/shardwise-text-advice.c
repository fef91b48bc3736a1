/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer in words: the verdict, the three steps of the playbook for this very input (fit in
 * memory, hit the batch size, optimize throughput), and the recommendations: the published texts
 * for the quick score; for the analytical model each with its own figure and the effect of
 * following it. Then the changes that would fit if nothing does. */
#include "shardwise-text-advice.h"
#include <glib/gi18n.h>
#include <math.h>
#include "shardwise-format.h"
#include "shardwise-text-estimate.h"
#include "shardwise-text-method.h"
#include "shardwise-text-reasons.h"
#include "shardwise-text-search.h"
#include "shardwise-text-strategy.h"
#include "sw-recipe.h"

enum {
  LONG_SEQUENCE = 131072, /* tokens of a sequence that the playbook calls long: 128 K */
  PLAYBOOK_NODE = 8       /* GPUs that its starting points assume */
};

static char *
fit_verdict (const SwProblem *problem, const SwEstimate *e)
{
  const double gpus = MAX (1, e->gpus_used);
  g_autofree char *rate = shardwise_format_significant (e->tokens_per_s_per_gpu);
  g_autofree char *low = shardwise_format_significant (e->tokens_low_per_s / gpus);
  g_autofree char *high = shardwise_format_significant (e->tokens_high_per_s / gpus);
  g_autofree char *used =
      shardwise_format_significant (e->memory.peak.total / shardwise_memory_unit_bytes ());
  g_autofree char *usable = shardwise_format_bytes (e->usable_bytes);

  if (e->gpus_idle > 0)
    return g_strdup_printf (
        /* Translators: model, used GPUs, all GPUs, GPU name, rate with its interval, memory used
           and usable */
        _ ("%s trains on %'u of these %'u %s at about %s tokens/s per GPU (%s–%s), using %s of "
           "%s."),
        problem->model.name, e->gpus_used, problem->cluster.gpus, problem->cluster.gpu.name, rate,
        low, high, used, usable);
  return g_strdup_printf (
      /* Translators: model, number of GPUs, GPU name, rate with its interval, memory used and
         usable */
      ngettext ("%s trains on %'u %s at about %s tokens/s per GPU (%s–%s), using %s of %s.",
                "%s trains on these %'u %s at about %s tokens/s per GPU (%s–%s), using %s of %s.",
                problem->cluster.gpus),
      problem->model.name, problem->cluster.gpus, problem->cluster.gpu.name, rate, low, high, used,
      usable);
}

/* The means that a smallest number of GPUs requires. */
static char *
means_text (const SwLeastGpus *least)
{
  g_autofree char *host = shardwise_format_bytes (least->host_bytes);

  switch (least->means)
    {
    case SW_MEANS_OPTIMIZER_8BIT: return g_strdup (_ ("with 8-bit Adam"));
    case SW_MEANS_OFFLOAD_OPTIMIZER:
      /* Translators: memory of a node, “512 GiB”; follows a number of GPUs */
      return g_strdup_printf (_ ("with the optimizer in host memory (%s per node)"), host);
    case SW_MEANS_OFFLOAD_OPTIMIZER_PARAMS:
      return g_strdup_printf (
          /* Translators: memory of a node, “512 GiB”; follows a number of GPUs */
          _ ("with the optimizer and the parameters in host memory (%s per node)"), host);
    case SW_MEANS_NONE:
    case SW_N_MEANS:
    default:
      /* Translators: memory of a node, “512 GiB”; follows a number of GPUs */
      return least->host_bytes > 0 ? g_strdup_printf (_ ("with %s of host memory per node"), host)
                                   : g_strdup ("");
    }
}

/**
 * shardwise_text_least:
 * @least: of sw_least_gpus_by()
 * @n: their number
 *
 * Returns: (transfer full): the numbers with their means: "24; 8 with 8-bit Adam". The first says that
 *   it is without offload where another one is with it
 */
char *
shardwise_text_least (const SwLeastGpus *least, guint n)
{
  const gboolean offloads = n > 1 && least[n - 1].host_bytes > 0;
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *gpus = shardwise_format_whole (least[i].gpus);
      g_autofree char *means = i == 0 && offloads && least[i].host_bytes <= 0
                                   ? g_strdup (_ ("without offload"))
                                   : means_text (&least[i]);

      shardwise_text_list (text, *means != '\0' ? "%s %s" : "%s%s", gpus, means);
    }
  return g_string_free (text, FALSE);
}

/**
 * shardwise_text_least_sentence:
 * @least: of sw_least_gpus_by()
 * @n: how many
 *
 * Returns: (transfer full) (nullable): the numbers with their means in a sentence; %NULL if there are
 *   none
 */
char *
shardwise_text_least_sentence (const SwLeastGpus *least, guint n)
{
  g_autofree char *numbers = shardwise_text_least (least, n);

  /* Translators: numbers of GPUs, and what they take: "24; 8 with 8-bit Adam" */
  return n > 0 ? g_strdup_printf (_ ("Fewest GPUs on which it fits for certain: %s."), numbers)
               : NULL;
}

/* If memory is short: the number of GPUs on which it would fit, and how much memory the nearest
 * strategy lacks. */
static char *
memory_verdict (const SwProblem *problem, const SwEstimate *e, gboolean fits_unpinned,
                const SwLeastGpus *least, guint n_least)
{
  const guint gpus = problem->cluster.gpus;
  const char *model = problem->model.name, *gpu = problem->cluster.gpu.name;
  g_autofree char *numbers = shardwise_text_least (least, n_least);
  g_autofree char *need = shardwise_format_bytes (e->memory.peak.total);
  g_autofree char *missing = shardwise_format_bytes (e->missing_bytes);
  GString *text = g_string_new (NULL);

  if (fits_unpinned)
    shardwise_text_append (
        text,
        g_strdup_printf (
            /* Translators: model, number of GPUs, GPU name */
            ngettext (
                "%s does not fit on %'u %s with the pinned values, but fits without them.",
                "%s does not fit on these %'u %s with the pinned values, but fits without them.",
                gpus),
            model, gpus, gpu));
  else if (n_least > 0 && least[n_least - 1].gpus > gpus)
    shardwise_text_append (
        text,
        g_strdup_printf (
            /* Translators: model, number of GPUs, GPU name, the number that it needs: "64; 16
                     with 8-bit Adam" */
            _ ("%s does not fit on %'u %s; it needs at least %s."), model, gpus, gpu, numbers));
  else if (n_least > 0 && least[0].gpus <= gpus) /* of a rule of thumb */
    shardwise_text_append (
        text, g_strdup_printf (
                  /* Translators: model, number of GPUs, GPU name */
                  _ ("%s does not fit on %'u %s with this strategy, but fits with others."), model,
                  gpus, gpu));
  else if (n_least > 0)
    shardwise_text_append (
        text,
        g_strdup_printf (
            /* Translators: model, number of GPUs, GPU name, numbers of GPUs and what they take:
                     "64; 8 with 8-bit Adam" */
            _ ("%s does not fit on %'u %s as configured; it needs at least %s."), model, gpus, gpu,
            numbers));
  else
    shardwise_text_append (
        text,
        g_strdup_printf (
            /* Translators: model, number of GPUs, GPU name */
            _ ("%s does not fit on %'u %s or on any larger number of them."), model, gpus, gpu));
  if (e->rule == SW_RULE_HOST_MEMORY)
    shardwise_text_append (
        text, g_strdup_printf (
                  /* Translators: an amount of memory */
                  _ ("The nearest strategy needs %s more host memory per node."), missing));
  else
    shardwise_text_append (
        text, g_strdup_printf (
                  /* Translators: memory needed, how much of it is above the memory target */
                  _ ("The nearest strategy needs %s per GPU, which is %s above the memory target."),
                  need, missing));
  return g_string_free (text, FALSE);
}

static char *
misfit_verdict (const SwProblem *problem, const SwEstimate *e, gboolean fits_unpinned,
                const SwLeastGpus *least, guint n_least)
{
  g_autofree char *numbers = NULL;
  GString *text;

  if (e->rule == SW_RULE_GPU_MEMORY || e->rule == SW_RULE_HOST_MEMORY)
    return memory_verdict (problem, e, fits_unpinned, least, n_least);
  text = g_string_new (NULL);
  shardwise_text_append (text, shardwise_text_refusal (problem, e));
  if (!fits_unpinned && n_least > 0 && least[0].gpus > problem->cluster.gpus)
    {
      numbers = shardwise_text_least (least, n_least);
      shardwise_text_append (text, g_strdup_printf (
                                       /* Translators: numbers of GPUs and what they take: "24; 8
                                          with 8-bit Adam" */
                                       _ ("Fewest GPUs that fit: %s."), numbers));
    }
  return g_string_free (text, FALSE);
}

/**
 * shardwise_text_verdict:
 * @problem: the question
 * @estimate: (nullable): of the recommended strategy, else of the nearest; %NULL: no strategy is
 * valid
 * @fits_unpinned: if nothing fits: whether something does without the pinned values
 * @least: (array length=n_least): if nothing fits, the smallest numbers of GPUs on which it does
 * @n_least: their number; 0: none, or not requested
 * @days: to train the tokens; 0: unknown
 * @cost: of that; 0: unknown
 * @cost_is_stated: the scenario sets its price; otherwise it is the catalog's, and the text states
 * that
 * @currency: (nullable): of @cost
 *
 * Returns: (transfer full): the answer in one or two sentences
 */
char *
shardwise_text_verdict (const SwProblem *problem, const SwEstimate *estimate,
                        gboolean fits_unpinned, const SwLeastGpus *least, guint n_least,
                        double days, double cost, gboolean cost_is_stated, const char *currency)
{
  g_autofree char *tokens = NULL, *duration = NULL, *money = NULL, *step = NULL, *share = NULL,
                  *high = NULL;
  GString *text = g_string_new (NULL);

  if (estimate == NULL)
    shardwise_text_append (
        text, g_strdup_printf (
                  /* Translators: model, number of GPUs, GPU name */
                  ngettext ("The pinned values allow no valid strategy for %s on %'u %s.",
                            "The pinned values allow no valid strategy for %s on these %'u %s.",
                            problem->cluster.gpus),
                  problem->model.name, problem->cluster.gpus, problem->cluster.gpu.name));
  else if (estimate->fits)
    {
      shardwise_text_append (text, fit_verdict (problem, estimate));
      if (estimate->fit == SW_FIT_MAY_NOT)
        {
          high = shardwise_format_bytes (estimate->memory_high_bytes);
          /* Translators: an amount of memory */
          shardwise_text_append (
              text, g_strdup_printf (_ ("It may not fit: it may need up to %s."), high));
        }
      if (problem->training.tokens > 0.0 && days > 0.0)
        {
          tokens = shardwise_format_count (problem->training.tokens);
          duration = shardwise_format_seconds (days * 86400.0);
          money = shardwise_format_money (cost, currency);
          shardwise_text_append (
              text,
              cost <= 0.0
                  ? g_strdup_printf (
                      /* Translators: a number of tokens, then a duration */
                      _ ("Training on %s tokens takes %s."), tokens, duration)
                  : g_strdup_printf (
                      cost_is_stated
                          /* Translators: a number of tokens, a duration, an amount of money */
                          ? _ ("Training on %s tokens takes %s and costs about %s.")
                          /* Translators: a number of tokens, a duration, an amount of money */
                          : _ ("Training on %s tokens takes %s and costs about %s at the "
                               "lowest price in the catalog."),
                      tokens, duration, money));
        }
      if (estimate->phases.n > 0)
        {
          step = shardwise_format_seconds (estimate->time.step_s);
          share = shardwise_format_percent (estimate->phases.phase[0].time.step_s
                                            / estimate->time.step_s);
          shardwise_text_append (
              text,
              g_strdup_printf (
                  /* Translators: a percentage and a duration: how long answers are generated */
                  _ ("Generation takes %s of the step time of %s."), share, step));
        }
    }
  else
    shardwise_text_append (text, misfit_verdict (problem, estimate, fits_unpinned, least, n_least));
  if (estimate != NULL && !sw_estimate_is_validated (estimate))
    shardwise_text_append (text, g_strdup (_ ("These figures are not validated.")));
  return g_string_free (text, FALSE);
}

/**
 * shardwise_text_framework_choice:
 * @choices: the results of each framework in question, the answer's first
 * @n: their number
 *
 * Returns: (transfer full) (nullable): the framework to use and why, in a sentence; %NULL if the
 *   question sets it
 */
char *
shardwise_text_framework_choice (const ShardwiseFrameworkChoice *choices, guint n)
{
  const ShardwiseFrameworkChoice *next = NULL, *faster = NULL;
  g_autofree char *share = NULL;
  const char *name;
  double gain;

  if (n == 0)
    return NULL;
  name = shardwise_text_framework (choices[0].framework);
  if (choices[0].class == SW_START_NONE)
    return g_strdup (_ ("Shardwise tried all usual frameworks for this job."));
  if (n == 1)
    /* Translators: name of a framework */
    return g_strdup_printf (_ ("Use %s, the usual choice for this kind of job."), name);
  for (guint i = 1; i < n; i++)
    if (choices[i].class == choices[0].class
        && (next == NULL || choices[i].estimate.tokens_per_s > next->estimate.tokens_per_s))
      next = &choices[i];
  for (guint i = 1; i < n; i++)
    if (choices[i].class != SW_START_NONE && choices[i].class < choices[0].class
        && choices[i].estimate.tokens_per_s > choices[0].estimate.tokens_per_s
        && (faster == NULL || choices[i].estimate.tokens_per_s > faster->estimate.tokens_per_s))
      faster = &choices[i];
  if (next == NULL && faster == NULL)
    /* Translators: name of a framework */
    return g_strdup_printf (
        _ ("Use %s: with the other usual frameworks, the job does not fit or may not fit."), name);
  if (next == NULL)
    {
      share = shardwise_format_percent (
          faster->estimate.tokens_per_s / choices[0].estimate.tokens_per_s - 1);
      return g_strdup_printf (
          faster->class == SW_START_TIGHT
              /* Translators: two names of frameworks, a percentage */
              ? _ ("Use %s: %s would be %s faster, but may not fit.")
              /* Translators: two names of frameworks, a percentage */
              : _ ("Use %s: %s would be %s faster, but only with untried settings."),
          name, shardwise_text_framework (faster->framework), share);
    }
  gain = choices[0].estimate.tokens_per_s / next->estimate.tokens_per_s - 1;
  share = shardwise_format_percent (gain < 0 ? 1 / (1 + gain) - 1 : gain); /* of the slower one */
  if (gain < 0)
    return g_strdup_printf (
        /* Translators: two names of frameworks, a percentage */
        _ ("Use %s, the usual choice for this kind of job: %s is predicted to be %s faster, which "
           "is within the prediction error."),
        name, shardwise_text_framework (next->framework), share);
  /* The next framework is within the error of its figures, and less usual. */
  if (gain <= SW_FRAMEWORK_BAND)
    return g_strdup_printf (
        /* Translators: two names of frameworks */
        _ ("Use %s, the usual choice for this kind of job: within the prediction error, %s is as "
           "fast."),
        name, shardwise_text_framework (next->framework));
  return g_strdup_printf (
      /* Translators: name of a framework, a percentage, name of another framework */
      _ ("Use %s: it is %s faster than the next best framework, %s."), name, share,
      shardwise_text_framework (next->framework));
}

/**
 * shardwise_text_framework_cost:
 * @named: the best strategy of the framework in the question
 * @other: the best strategy of the framework that would be chosen
 *
 * Returns: (transfer full): the cost of that framework, in a sentence
 */
char *
shardwise_text_framework_cost (const SwEstimate *named, const SwEstimate *other)
{
  g_autofree char *gain = shardwise_format_percent (named->time.step_s / other->time.step_s - 1),
                  *strategy = shardwise_text_strategy (&other->strategy);

  return g_strdup_printf (
      /* Translators: two names of frameworks, a percentage, a strategy */
      _ ("%s is pinned; %s would be %s faster: %s."),
      shardwise_text_framework (named->strategy.framework),
      shardwise_text_framework (other->strategy.framework), gain, strategy);
}

/**
 * shardwise_text_framework_figures:
 * @problem: the question
 * @choice: the result of one framework
 *
 * Returns: (transfer full): throughput with its interval, memory, and how well tested it is; or
 *   what it needs
 */
char *
shardwise_text_framework_figures (const SwProblem *problem, const ShardwiseFrameworkChoice *choice)
{
  static const char *const levels[] = { N_ ("measured"), N_ ("usual"), N_ ("untried") };
  const SwEstimate *e = &choice->estimate;
  g_autofree char *memory = NULL, *rate = NULL, *low = NULL, *high = NULL;
  double gpus;

  if (!choice->has_strategy)
    return g_strdup (_ ("No valid strategy."));
  memory = shardwise_format_bytes (e->memory.peak.total);
  if (!e->fits)
    {
      g_autofree char *why = shardwise_text_rule (problem, &e->strategy, e->rule, e->missing_bytes);

      /* Translators: a reason, such as "it needs 3.1 GiB more per GPU" */
      return g_strdup_printf (_ ("Does not fit: %s"), why);
    }
  gpus = MAX (1, e->gpus_used);
  rate = shardwise_format_significant (e->tokens_per_s_per_gpu);
  low = shardwise_format_significant (e->tokens_low_per_s / gpus);
  high = shardwise_format_significant (e->tokens_high_per_s / gpus);
  return g_strdup_printf (
      e->fit == SW_FIT_FITS
          /* Translators: tokens per second of a GPU with their interval, memory, then "measured",
             "usual" or "untried" */
          ? _ ("%s tokens/s per GPU (%s–%s), %s, %s")
          /* Translators: tokens per second of a GPU with their interval, memory, then "measured",
             "usual" or "untried" */
          : _ ("%s tokens/s per GPU (%s–%s), %s, may not fit, %s"),
      rate, low, high, memory, _ (levels[e->level]));
}

/**
 * shardwise_text_faster:
 * @recommended: the recommended strategy
 * @fastest: a faster strategy
 *
 * Returns: (transfer full): the choice between them in a sentence or two: by how much it is faster,
 * and why it is not recommended
 */
char *
shardwise_text_faster (const SwEstimate *recommended, const SwEstimate *fastest)
{
  g_autofree char *strategy = shardwise_text_strategy (&fastest->strategy);
  g_autofree char *gain =
      shardwise_format_percent (recommended->time.step_s / fastest->time.step_s - 1);
  g_autofree char *untried = shardwise_text_untried (fastest->untried & ~recommended->untried);
  GString *text = g_string_new (NULL);

  if (fastest->strategy.framework != recommended->strategy.framework)
    shardwise_text_append (
        text, g_strdup_printf (
                  /* Translators: name of a framework, a percentage and a strategy */
                  _ ("Another strategy, with %s, is predicted to be %s faster: %s."),
                  shardwise_text_framework (fastest->strategy.framework), gain, strategy));
  else
    shardwise_text_append (
        text, g_strdup_printf (
                  /* Translators: a percentage and a strategy */
                  _ ("Another strategy is predicted to be %s faster: %s."), gain, strategy));
  if (untried != NULL)
    shardwise_text_append (text, g_strdup_printf (
                                     /* Translators: what of a strategy is not proven: "offload to
                                      * the host’s memory" */
                                     _ ("The recommended strategy avoids %s."), untried));
  if (fastest->fit == SW_FIT_MAY_NOT && recommended->fit == SW_FIT_FITS)
    shardwise_text_append (text, shardwise_text_fit (fastest));
  return g_string_free (text, FALSE);
}

static void
step_free (gpointer data)
{
  ShardwiseStep *step = data;

  g_free (step->title);
  g_free (step->text);
  g_free (step->value);
  g_free (step);
}

static ShardwiseStep *
step_new (const char *step, const char *title, char *text, char *value, gboolean done)
{
  ShardwiseStep *self = g_new0 (ShardwiseStep, 1);

  self->step = step;
  self->title = g_strdup (title);
  self->text = text;
  self->value = value;
  self->done = done;
  return self;
}

static char *
fit_sentence (const SwProblem *problem, const SwEstimate *e)
{
  const SwMemoryParts *peak = &e->memory.peak;
  g_autofree char *states =
      shardwise_format_bytes (peak->parameters + peak->gradients + peak->optimizer);
  g_autofree char *activations = shardwise_format_bytes (peak->activations);
  g_autofree char *missing = shardwise_format_bytes (e->missing_bytes);
  g_autofree char *strategy = shardwise_text_strategy (&e->strategy);
  g_autofree char *rule = NULL;

  if (e->fits)
    return g_strdup_printf (
        /* Translators: a strategy, memory of states and of activations per GPU */
        _ ("With %s, the fullest GPU holds %s of model states and %s of activations."), strategy,
        states, activations);
  if (e->rule == SW_RULE_GPU_MEMORY || e->rule == SW_RULE_HOST_MEMORY)
    return g_strdup_printf (
        /* Translators: a strategy, missing memory */
        _ ("The nearest strategy, %s, needs %s more memory."), strategy, missing);
  rule = shardwise_text_rule (problem, &e->strategy, e->rule, e->missing_bytes);
  return g_strdup_printf (
      /* Translators: a strategy, then why it cannot run */
      _ ("%s cannot run: %s."), strategy, rule);
}

/* Where the Ultra-Scale Playbook starts for a model of this size, sequence and kind. Its decision
 * tree only considers memory, and may end elsewhere. */
static char *
starting_point (const SwProblem *problem, gboolean fits, gboolean by_tree)
{
  const double parameters = problem->count.total;
  const char *start = parameters < 10e9    ? _ ("TP 8 or ZeRO-3 with full recomputation on 8 GPUs")
                      : parameters < 100e9 ? _ ("TP 8 with PP, TP 8 with ZeRO-3, or ZeRO-3 alone")
                                           : _ ("TP 8 with PP and ZeRO-2");
  GString *text = g_string_new (NULL);

  /* The playbook calls this GPU-poor: its other starting points assume a node of 8. */
  if (!fits || problem->cluster.gpus < PLAYBOOK_NODE)
    start = _ ("full recomputation, gradient accumulation and a smaller micro-batch");
  g_string_append_printf (text,
                          by_tree
                              /* Translators: a way to split a model */
                              ? _ ("For this model, the recipe next to the tree starts with %s; "
                                   "the tree considers memory only.")
                              /* Translators: a way to split a model */
                              : _ ("For this model, the playbook starts with %s."),
                          start);
  if (problem->training.sequence_length >= LONG_SEQUENCE)
    shardwise_text_append (text,
                           g_strdup (_ ("For sequences this long, it adds CP across nodes.")));
  if (problem->model.moe.experts > 0)
    shardwise_text_append (text, g_strdup (_ ("For MoE models, it adds EP across nodes.")));
  return g_string_free (text, FALSE);
}

static char *
throughput_text (const SwProblem *problem, const SwEstimate *e, const SwSearchResult *search,
                 gboolean by_tree)
{
  g_autofree char *communication = shardwise_format_percent (e->communication_overhead);
  g_autofree char *bubble = shardwise_format_percent (e->bubble_fraction);
  g_autofree char *fit = NULL, *tried = NULL;
  const guint gpus = problem->cluster.gpus;
  /* The playbook's next step. It never uses less than a node. */
  const char *next =
      gpus <= 8     ? _ ("TP 8 or ZeRO-3")
      : gpus <= 64  ? _ ("TP 8 with PP, or with ZeRO-3")
      : gpus < 1024 ? _ ("TP 8 with PP and DP (ZeRO-1 or 2)")
                    : _ ("TP 8 with PP, DP (ZeRO-2), CP for long sequences and EP for experts");
  GString *text = g_string_new (NULL);

  if (search != NULL && search->n_best > 0
      && sw_strategy_equal (&search->best[0].strategy, &e->strategy))
    {
      fit = shardwise_format_whole ((double) search->fit);
      tried = shardwise_format_whole ((double) search->tried);
      shardwise_text_append (
          text, g_strdup_printf (
                    /* Translators: two numbers of strategies */
                    _ ("Of %s strategies tried, %s fit. This is the fastest of those that are "
                       "equally certain to run, or within 3 %% of it and simpler."),
                    tried, fit));
    }
  shardwise_text_append (
      text, g_strdup_printf (
                /* Translators: two percentages */
                _ ("Communication takes %s of the step, and the pipeline bubble takes %s."),
                communication, bubble));
  if (gpus >= PLAYBOOK_NODE && !by_tree)
    shardwise_text_append (text,
                           g_strdup_printf (
                               /* Translators: a number of GPUs, then a way to split a model */
                               ngettext ("For %'u GPU, the playbook suggests %s.",
                                         "For %'u GPUs, the playbook suggests %s.", gpus),
                               gpus, next));
  return g_string_free (text, FALSE);
}

/**
 * shardwise_text_steps:
 * @problem: the question
 * @estimate: of the recommended strategy, or of the nearest if nothing fits
 * @search: (nullable): the search that found it
 * @by_tree: the decision tree of the playbook recommends it
 *
 * Returns: (transfer full) (element-type ShardwiseStep): fit, batch, throughput
 */
GPtrArray *
shardwise_text_steps (const SwProblem *problem, const SwEstimate *estimate,
                      const SwSearchResult *search, gboolean by_tree)
{
  GPtrArray *steps = g_ptr_array_new_with_free_func (step_free);
  GString *fit = g_string_new (NULL);
  const SwTraining *training = &problem->training;
  const SwStrategy *strategy = &estimate->strategy;
  const guint64 product = (guint64) strategy->dp * strategy->micro_batch
                          * estimate->gradient_accumulation;
  g_autofree char *used = shardwise_format_significant (estimate->memory.peak.total
                                                        / shardwise_memory_unit_bytes ()),
                  *usable = shardwise_format_bytes (estimate->usable_bytes),
                  *whole = shardwise_format_bytes (sw_unsharded_state_bytes (problem, strategy)),
                  *tokens = shardwise_format_count ((double) training->global_batch
                                                    * training->sequence_length),
                  *rate = shardwise_format_significant (estimate->tokens_per_s_per_gpu);

  /* Memory of full training with Adam without sharding; only shown for this recipe. */
  if (training->optimizer == SW_OPTIMIZER_ADAMW
      && (training->type == SW_TRAINING_PRETRAIN || training->type == SW_TRAINING_FINETUNE))
    shardwise_text_append (
        fit,
        sw_updates_16_bits (problem, strategy)
            /* Translators: memory of all model states */
            ? g_strdup_printf (_ ("With Adam in 16 bits, without a 32-bit copy of the weights, "
                                  "the unsharded model states take %s."),
                               whole)
            /* Translators: memory of all model states */
            : g_strdup_printf (
                _ ("In mixed precision with Adam, the unsharded model states take %s."), whole));
  shardwise_text_append (fit, fit_sentence (problem, estimate));
  shardwise_text_append (fit, starting_point (problem, estimate->fits, by_tree));
  g_ptr_array_add (steps,
                   step_new ("fit", _ ("Fit in memory"), g_string_free (fit, FALSE),
                             /* Translators: memory used and usable: "61.2 of 79.2 GiB" */
                             g_strdup_printf (_ ("%s of %s"), used, usable), estimate->fits));
  g_ptr_array_add (
      steps,
      step_new ("batch", _ ("Reach the batch size"),
                g_strdup_printf (
                    /* Translators: sequences of a batch, replicas, sequences of a
                                    micro-batch, accumulation steps, tokens */
                    _ ("The global batch of %'u sequences is DP %u × micro-batch %u × %u "
                       "accumulation steps, or %s tokens per step. More DP or accumulation raises "
                       "it; more TP or PP instead of DP lowers it."),
                    training->global_batch, strategy->dp, strategy->micro_batch,
                    estimate->gradient_accumulation, tokens),
                /* Translators: a number of tokens */
                g_strdup_printf (_ ("%s tokens"), tokens), product == training->global_batch));
  g_ptr_array_add (steps,
                   step_new ("throughput", _ ("Optimize throughput"),
                             throughput_text (problem, estimate, search, by_tree),
                             /* Translators: a rate per GPU */
                             g_strdup_printf (_ ("%s tokens/s per GPU"), rate), estimate->fits));
  return steps;
}

const char *const shardwise_severity_names[] = { "info", "warning", "error", NULL };

/**
 * shardwise_advice_severity:
 * @code: a recommendation
 *
 * Returns: its severity
 */
ShardwiseSeverity
shardwise_advice_severity (SwAdviceCode code)
{
  switch ((int) code)
    {
    case SW_ADVICE_DOES_NOT_FIT: return SHARDWISE_SEVERITY_ERROR;
    case SW_ADVICE_TP_ACROSS_NODES:
    case SW_ADVICE_MEMORY_HIGH:
    case SW_ADVICE_BUBBLE_LARGE:
    case SW_ADVICE_COMMUNICATION_HIGH:
    case SW_ADVICE_PIN_COSTS:
    case SW_ADVICE_PINS_COST: return SHARDWISE_SEVERITY_WARNING;
    default: return SHARDWISE_SEVERITY_INFO;
    }
}

/**
 * shardwise_text_quick_advice:
 * @problem: the question
 * @result: of the quick score
 * @code: one of sw_quick_score_advice()
 *
 * Returns: (transfer full): the method's text
 */
char *
shardwise_text_quick_advice (const SwProblem *problem, const SwQuickScoreResult *result,
                             SwAdviceCode code)
{
  const SwQuickScore *best = &result->best;
  g_autofree char *used = shardwise_format_percent (best->memory_utilisation);
  g_autofree char *overhead = shardwise_format_percent (best->tp_overhead);
  /* Whether a split into half as many parts would not fit, so that neither less TP nor less PP
   * does. */
  const gboolean is_least = 2 * best->memory_gb > best->limit_gb;

  switch ((int) code)
    {
    case SW_ADVICE_DOES_NOT_FIT:
      return shardwise_text_count_misfit (problem, best->memory_gb, best->limit_gb);
    case SW_ADVICE_RAISE_TP:
      if (2 * best->tp * best->pp > problem->cluster.gpus)
        return g_strdup (
            _ ("Increase tensor parallelism to reduce per-GPU memory. This requires more GPUs."));
      return g_strdup (_ ("Increase tensor parallelism to reduce per-GPU memory."));
    case SW_ADVICE_BIGGER_GPU:
      return g_strdup (
          problem->cluster.gpu.memory_gb < 80    ? _ ("Consider H100 80 GB or H200 141 GB.")
          : problem->cluster.gpu.memory_gb < 141 ? _ ("Consider H200 141 GB.")
                                                 : _ ("Consider GPUs with more memory."));
    case SW_ADVICE_TP_OVERHEAD:
      return g_strdup_printf (
          /* Translators: a percentage */
          _ ("Tensor parallelism has a significant communication overhead (%s). Consider reducing "
             "TP and increasing PP or DP."),
          overhead);
    case SW_ADVICE_MEMORY_HIGH:
      return g_strdup_printf (
          /* Translators: a percentage */
          _ ("Memory use is high (%s). Consider gradient checkpointing or ZeRO-3 offloading for "
             "stability."),
          used);
    case SW_ADVICE_MEMORY_LOW:
      return g_strdup_printf (
          is_least
              /* Translators: a percentage */
              ? _ (
                  "Memory use is low (%s). Consider a larger batch. Less parallelism does not fit.")
              /* Translators: a percentage */
              : _ ("Memory use is low (%s). Consider a larger batch or less parallelism."),
          used);
    case SW_ADVICE_DP_ONE:
      if (is_least)
        return g_strdup (_ ("DP 1 limits throughput scaling, and no split with a higher DP fits. "
                            "Use gradient accumulation."));
      return g_strdup (
          _ ("DP 1 limits throughput scaling. Consider configurations with higher DP."));
    default: return g_strdup ("");
    }
}

/* "TP 4 would lower throughput by 3.1 % with 70.2 GiB per GPU." */
static char *
effect_sentence (const SwProblem *problem, const SwEstimate *now, const ShardwiseEffect *effect)
{
  const SwEstimate *then = &effect->then;
  g_autofree char *alone = shardwise_text_label (effect->dimension, effect->value);
  g_autofree char *label = NULL, *rest = NULL, *figure = NULL, *memory = NULL, *misfit = NULL;
  double gain;

  if (!effect->fits && !effect->frees)
    {
      misfit = shardwise_text_misfit (problem, alone, then);
      return g_strdup_printf (
          /* Translators: ends a sentence */
          _ ("%s."), misfit);
    }
  if (effect->frees)
    rest = shardwise_text_differences (&now->strategy, &then->strategy, effect->dimension);
  label = rest == NULL ? g_steal_pointer (&alone)
                       : g_strdup_printf (
                           /* Translators: "TP 4", then what changes with it: "PP 8, DP 1" */
                           _ ("%s (with %s)"), alone, rest);
  memory = shardwise_format_bytes (then->memory.peak.total);
  if (!now->fits)
    return g_strdup_printf (
        /* Translators: "TP 8", memory per GPU */
        _ ("%s fits and needs %s per GPU."), label, memory);
  gain = now->time.step_s / then->time.step_s - 1.0;
  figure = shardwise_format_percent (fabs (gain));
  if (gain >= 0.0)
    return g_strdup_printf (
        /* Translators: "TP 4", a percentage, memory per GPU */
        _ ("%s would raise throughput by %s and use %s per GPU."), label, figure, memory);
  return g_strdup_printf (
      /* Translators: "TP 4", a percentage, memory per GPU */
      _ ("%s would lower throughput by %s and use %s per GPU."), label, figure, memory);
}

static char *
misfit_sentence (const SwProblem *problem, const SwEstimate *e, const ShardwiseEffect *effect)
{
  g_autofree char *need = shardwise_format_bytes (e->memory.peak.total);
  g_autofree char *limit = shardwise_format_bytes (e->memory_limit_bytes);
  g_autofree char *usable = shardwise_format_bytes (e->usable_bytes);
  GString *text = g_string_new (NULL);

  if (e->rule == SW_RULE_GPU_MEMORY)
    shardwise_text_append (text, g_strdup_printf (
                                     /* Translators: memory needed, memory allowed, memory usable */
                                     _ ("The model requires %s per GPU, but the memory target "
                                        "allows only %s of the GPU’s %s."),
                                     need, limit, usable));
  else
    {
      g_autofree char *rule = shardwise_text_rule (problem, &e->strategy, e->rule,
                                                   e->missing_bytes);

      shardwise_text_append (text, g_strdup_printf (
                                       /* Translators: why a strategy cannot run */
                                       _ ("The strategy cannot run: %s."), rule));
    }
  if (effect != NULL && effect->fits_unpinned)
    shardwise_text_append (text,
                           g_strdup (_ ("Without the pinned values, it fits on these GPUs.")));
  else if (effect != NULL && effect->n_least > 0 && effect->least[0].gpus > problem->cluster.gpus)
    {
      g_autofree char *least = shardwise_text_least (effect->least, effect->n_least);

      shardwise_text_append (
          text,
          g_strdup_printf (
              /* Translators: the name of the GPU, then the least numbers of
                                          them and what they take: "64; 16 with 8-bit Adam" */
              _ ("Number of %s needed: at least %s. Alternatively, consider different hardware."),
              problem->cluster.gpu.name, least));
    }
  else if (e->rule == SW_RULE_PRECISION)
    shardwise_text_append (text, g_strdup (_ ("Consider another precision, framework or GPU.")));
  else if (e->rule == SW_RULE_GPU_MEMORY || e->rule == SW_RULE_HOST_MEMORY)
    shardwise_text_append (text, g_strdup (_ ("Consider more GPUs or different hardware.")));
  return g_string_free (text, FALSE);
}

/* The effect of another batch. */
static void
append_other_batch (GString *text, const SwEstimate *e, const ShardwiseEffect *effect)
{
  g_autofree char *change =
      shardwise_format_change (1.0 / (effect->seconds_per_token * e->tokens_per_s) - 1.0);

  shardwise_text_append (text, g_strdup_printf (
                                   /* Translators: sequences, signed change of throughput */
                                   _ ("A batch of %'u sequences would change throughput by %s."),
                                   effect->batch, change));
}

/* Twice or half of the batch, with its effect. */
static char *
batch_sentence (const SwProblem *problem, const SwEstimate *e, gboolean large,
                const ShardwiseEffect *effect)
{
  const double tokens = (double) problem->training.global_batch * problem->training.sequence_length;
  g_autofree char *count = shardwise_format_count (tokens);
  GString *text = g_string_new (NULL);

  shardwise_text_append (text, large ? g_strdup_printf (
                                   /* Translators: tokens of a batch */
                                   _ ("A batch of %s tokens is large: beyond the critical batch "
                                      "size, more tokens per step improve training very little."),
                                   count)
                                     : g_strdup_printf (
                                         /* Translators: tokens of a batch */
                                         _ ("A batch of %s tokens is small for pre-training, so "
                                            "each step gives the GPUs little work."),
                                         count));
  if (effect != NULL && effect->seconds_per_token > 0)
    append_other_batch (text, e, effect);
  return g_string_free (text, FALSE);
}

/* The cost of pins, and the best strategy without them in the same framework. */
static char *
pin_sentence (const SwEstimate *e, const ShardwiseEffect *effect)
{
  const SwEstimate *then = &effect->then;
  g_autofree char *cost = shardwise_format_percent (1.0 - then->time.step_s / e->time.step_s);
  const char *framework = shardwise_text_framework (then->strategy.framework);
  g_autofree char *label = NULL, *strategy = shardwise_text_strategy (&then->strategy);

  if (effect->dimension == SW_N_DIMENSIONS)
    return g_strdup_printf (
        /* Translators: a percentage, a strategy, a framework */
        _ ("Together, the pinned values cost %s of the throughput. Unpin them: %s is then the best "
           "strategy on %s."),
        cost, strategy, framework);
  label = shardwise_text_part (&e->strategy, effect->dimension);
  return g_strdup_printf (
      /* Translators: "Micro-batch 4", a percentage, a strategy, a framework */
      _ ("Pinning %s costs %s of the throughput. Unpin it: %s is then the best strategy on %s."),
      label, cost, strategy, framework);
}

/* A default batch, and a better one. */
static char *
default_batch_sentence (const SwProblem *problem, const SwEstimate *e,
                        const ShardwiseEffect *effect)
{
  GString *text = g_string_new (NULL);

  shardwise_text_append (text, g_strdup_printf (
                                   /* Translators: sequences of a batch */
                                   ngettext ("No batch size is set, so %'u sequence is assumed.",
                                             "No batch size is set, so %'u sequences are assumed.",
                                             problem->training.global_batch),
                                   problem->training.global_batch));
  if (effect->seconds_per_token > 0)
    {
      append_other_batch (text, e, effect);
      shardwise_text_append (
          text, g_strdup (_ ("Use this batch size if training converges equally well with it.")));
    }
  return g_string_free (text, FALSE);
}

/* The figure of a recommendation. */
static char *
advice_figure (const SwEstimate *e, SwAdviceCode code)
{
  g_autofree char *tp = shardwise_format_percent (e->time.tp_exposed_s / e->time.step_s);
  g_autofree char *memory = shardwise_format_percent (e->memory_utilisation);
  g_autofree char *bubble = shardwise_format_percent (e->bubble_fraction);

  switch ((int) code)
    {
    case SW_ADVICE_RAISE_TP:
      return g_strdup (_ ("More tensor parallelism reduces the memory per GPU."));
    case SW_ADVICE_TP_OVERHEAD:
      return g_strdup_printf (
          /* Translators: TP degree, a percentage */
          _ ("With TP %u, exposed tensor-parallel communication takes %s of the step. Consider "
             "less TP and more PP or DP."),
          e->strategy.tp, tp);
    case SW_ADVICE_MEMORY_HIGH:
      return g_strdup_printf (
          /* Translators: a percentage */
          _ ("Memory use is high (%s of usable memory). Recomputation or ZeRO-3 offload would "
             "leave more headroom."),
          memory);
    case SW_ADVICE_MEMORY_LOW:
      return g_strdup_printf (
          e->gpus_used > 1
              /* Translators: a percentage */
              ? _ ("Memory use is low (%s of usable memory). Consider a larger micro-batch or less "
                   "parallelism.")
              /* Translators: a percentage */
              : _ ("Memory use is low (%s of usable memory). Consider a larger micro-batch."),
          memory);
    case SW_ADVICE_DP_ONE:
      return g_strdup (_ ("DP 1: all GPUs share one replica of the model, which processes one "
                          "micro-batch after another."));
    case SW_ADVICE_TP_ACROSS_NODES:
      return g_strdup_printf (
          /* Translators: TP degree, a percentage */
          _ ("TP %u crosses nodes: exposed tensor-parallel communication takes %s of the step."),
          e->strategy.tp, tp);
    default:
      return g_strdup_printf (
          /* Translators: a percentage, number of micro-batches, number of stages */
          _ ("The pipeline bubble takes %s of the step: %u micro-batches are too few for %u "
             "stages."),
          bubble, e->gradient_accumulation, e->strategy.pp);
    }
}

/**
 * shardwise_text_advice:
 * @problem: the question
 * @estimate: of the shown strategy
 * @code: one of sw_estimate_advice()
 * @effect: (nullable): of shardwise_what_if_advised()
 *
 * Returns: (transfer full): the recommendation with the model's figure and the effect of following
 * it
 */
char *
shardwise_text_advice (const SwProblem *problem, const SwEstimate *estimate, SwAdviceCode code,
                       const ShardwiseEffect *effect)
{
  g_autofree char *total = NULL, *share = NULL, *replica = NULL;
  ShardwiseTimePart parts[SHARDWISE_N_TIME_PARTS];
  guint most = SHARDWISE_FIRST_COMMUNICATION;
  GString *text;

  switch ((int) code)
    {
    case SW_ADVICE_DOES_NOT_FIT: return misfit_sentence (problem, estimate, effect);
    case SW_ADVICE_BIGGER_GPU:
      if (effect->gpu == NULL)
        return g_strdup (_ ("No larger GPU in the catalog makes the job fit on the same number of "
                            "GPUs; use more of them."));
      return g_strdup_printf (
          /* Translators: the name of a GPU */
          _ ("The job fits on the same number of %s. Consider that GPU."), effect->gpu->name);
    case SW_ADVICE_COMMUNICATION_HIGH:
      shardwise_time_parts (&estimate->time, parts);
      for (guint i = most; i <= SHARDWISE_LAST_COMMUNICATION; i++)
        if (parts[i].seconds > parts[most].seconds)
          most = i;
      total = shardwise_format_percent (estimate->communication_overhead);
      share = shardwise_format_percent (parts[most].seconds / estimate->time.step_s);
      return g_strdup_printf (
          /* Translators: a percentage, a kind of communication, its percentage */
          _ ("Exposed communication takes %s of the step, mainly %s (%s). For a "
             "compute-to-communication ratio of 10, use a larger batch, a faster link or more "
             "gradient accumulation."),
          total, _ (parts[most].name), share);
    case SW_ADVICE_BATCH_LARGE:
    case SW_ADVICE_BATCH_SMALL:
      return batch_sentence (problem, estimate, code == SW_ADVICE_BATCH_LARGE, effect);
    case SW_ADVICE_PIN_COSTS:
    case SW_ADVICE_PINS_COST: return pin_sentence (estimate, effect);
    case SW_ADVICE_BATCH_DEFAULT: return default_batch_sentence (problem, estimate, effect);
    case SW_ADVICE_GPUS_IDLE:
      replica = shardwise_format_gpus (estimate->gpus_used / MAX (1, estimate->strategy.dp));
      text = g_string_new (NULL);
      shardwise_text_append (
          text,
          g_strdup_printf (
              /* Translators: idle GPUs, all GPUs, what a replica takes ("8 GPUs"), sequences of a
             batch */
              ngettext ("%'u of the %'u GPUs is idle: replicas of %s and a global batch of %'u "
                        "sequences cannot use it.",
                        "%'u of the %'u GPUs are idle: replicas of %s and a global batch of %'u "
                        "sequences cannot use them.",
                        estimate->gpus_idle),
              estimate->gpus_idle, problem->cluster.gpus, replica, problem->training.global_batch));
      if (effect != NULL && effect->batch > 0)
        {
          share = shardwise_format_percent (1 / (effect->seconds_per_token * estimate->tokens_per_s)
                                            - 1);
          shardwise_text_append (
              text,
              g_strdup_printf (
                  /* Translators: a number of sequences, a percentage */
                  _ ("A batch of %'u sequences would use more GPUs and raise throughput by %s."),
                  effect->batch, share));
        }
      return g_string_free (text, FALSE);
    default:
      text = g_string_new (NULL);
      shardwise_text_append (text, advice_figure (estimate, code));
      if (effect != NULL && (estimate->fits || code == SW_ADVICE_RAISE_TP))
        shardwise_text_append (text, effect_sentence (problem, estimate, effect));
      return g_string_free (text, FALSE);
    }
}

/* One part of a change. */
static char *
part_name (const SwProblem *problem, const SwChangePart *part)
{
  const SwDimension dimension = sw_change_dimension (part->kind);
  const guint value = (guint) part->value;
  g_autofree char *percent = shardwise_format_percent (part->value), *label = NULL;

  switch ((int) part->kind)
    {
    case SW_CHANGE_GPUS:
      return g_strdup_printf (
          /* Translators: two numbers of GPUs */
          ngettext ("%'u GPU instead of %'u", "%'u GPUs instead of %'u", value), value,
          problem->cluster.gpus);
    case SW_CHANGE_OPTIMIZER_8BIT: return g_strdup (_ ("8-bit Adam instead of AdamW"));
    case SW_CHANGE_LORA: return g_strdup (_ ("LoRA instead of full fine-tuning"));
    case SW_CHANGE_QLORA: return g_strdup (_ ("QLoRA: adapters on a 4-bit base model"));
    case SW_CHANGE_SEQUENCE:
      return g_strdup_printf (
          /* Translators: two lengths of a sequence, in tokens */
          _ ("Sequences of %'u tokens instead of %'u, with the same number of tokens per batch"),
          value, problem->training.sequence_length);
    case SW_CHANGE_MEMORY_TARGET:
      return g_strdup_printf (
          /* Translators: a percentage */
          _ ("A memory target of %s"), percent);
    case SW_CHANGE_FRAMEWORK:
      return g_strdup_printf (
          /* Translators: the names of two frameworks */
          _ ("%s instead of %s"), shardwise_text_framework (value),
          shardwise_text_framework (problem->training.framework));
    case SW_CHANGE_HOST_MEMORY:
      return g_strdup_printf (
          /* Translators: GB of memory */
          _ ("Nodes with %'u GB of host memory"), value);
    case SW_CHANGE_UNPIN: return g_strdup (_ ("No pinned values"));
    default: break;
    }
  label = shardwise_text_label (dimension, value);
  if (!sw_pins_has (&problem->pins, dimension) || part->kind == SW_CHANGE_RECOMPUTE
      || part->kind == SW_CHANGE_OFFLOAD)
    return g_steal_pointer (&label);
  return g_strdup_printf (
      /* Translators: "TP 8", then the number that it replaces */
      _ ("%s instead of %u"), label, sw_strategy_get (&problem->pins.value, dimension));
}

/**
 * shardwise_text_change_name:
 * @problem: a question for which nothing fits
 * @change: of sw_changes_tried()
 *
 * Returns: (transfer full): the change alone: "64 GPUs instead of 32", both if there are two
 */
char *
shardwise_text_change_name (const SwProblem *problem, const SwChange *change)
{
  const SwChangePart *parts = change->parts;
  /* More GPUs come last in a pair, but first in a sentence. */
  const guint head = change->n_parts == 2 && parts[1].kind == SW_CHANGE_GPUS ? 1 : 0;
  g_autofree char *first = part_name (problem, &parts[head]), *second = NULL;

  if (change->n_parts < 2)
    return g_steal_pointer (&first);
  second = part_name (problem, &parts[1 - head]);
  /* Translators: two changes that are made together */
  return g_strdup_printf (_ ("%s, and %s"), first, second);
}

/**
 * shardwise_text_change:
 * @problem: a question for which nothing fits
 * @change: of sw_changes_tried(), one that fits
 *
 * Returns: (transfer full): the change and its effect: "64 GPUs instead of 32: 61.2 GiB per GPU, …"
 */
char *
shardwise_text_change (const SwProblem *problem, const SwChange *change)
{
  const guint offload = sw_strategy_get (&change->result.strategy, SW_DIM_OFFLOAD);
  g_autofree char *name = shardwise_text_change_name (problem, change);
  g_autofree char *memory = shardwise_format_bytes (change->result.memory.peak.total);
  g_autofree char *rate = shardwise_format_significant (change->result.tokens_per_s_per_gpu);
  gboolean says_offload = offload == SW_OFFLOAD_NONE
                          || sw_pins_has (&problem->pins, SW_DIM_OFFLOAD);

  for (guint i = 0; i < change->n_parts; i++)
    says_offload |= change->parts[i].kind == SW_CHANGE_OFFLOAD;
  if (!says_offload) /* otherwise the memory would seem to be that without offload */
    {
      g_autofree char *alone = g_steal_pointer (&name),
                      *with = shardwise_text_label (SW_DIM_OFFLOAD, offload);

      name = g_strdup_printf (_ ("%s, and %s"), alone, with);
    }
  return g_strdup_printf (
      change->result.fit == SW_FIT_MAY_NOT
          /* Translators: the change, memory per GPU, tokens per second and GPU */
          ? _ ("%s: %s per GPU (may not fit), %s tokens/s per GPU")
          /* Translators: the change, memory per GPU, tokens per second and GPU */
          : _ ("%s: %s per GPU, %s tokens/s per GPU"),
      name, memory, rate);
}

/**
 * shardwise_text_miss:
 * @problem: a question for which nothing fits
 * @change: of sw_changes_tried(), one that does not fit
 *
 * Returns: (transfer full): the change and what is still missing: "Recomputation: full (it needs
 * 231 GiB more per GPU)"
 */
char *
shardwise_text_miss (const SwProblem *problem, const SwChange *change)
{
  const SwEstimate *nearest = &change->result;
  g_autofree char *name = shardwise_text_change_name (problem, change);
  g_autofree char *lack = shardwise_text_rule (problem, &nearest->strategy, nearest->rule,
                                               nearest->missing_bytes);

  /* Translators: a change, and why it does not suffice: "it needs 31.2 GiB more per GPU" */
  return g_strdup_printf (_ ("%s (%s)"), name, lack);
}

/**
 * shardwise_text_safety:
 * @problem: a question whose answer may not fit
 * @now: that answer
 * @change: (nullable): of sw_change_for_safety(); %NULL: there is none
 *
 * Returns: (transfer full): the upper end of memory, and the smallest change with which it
 * certainly fits, with its cost
 */
char *
shardwise_text_safety (const SwProblem *problem, const SwEstimate *now, const SwChange *change)
{
  const gboolean per_gpu = change != NULL && change->result.gpus_used != now->gpus_used;
  g_autofree char *high = shardwise_format_bytes (now->memory_high_bytes);
  g_autofree char *usable = shardwise_format_bytes (now->usable_bytes);
  g_autofree char *name = NULL, *share = NULL, *safe = NULL, *untried = NULL, *untried_now = NULL;
  GString *text = g_string_new (NULL);
  double gain;

  if (now->level == SW_LEVEL_UNTRIED)
    untried_now = shardwise_text_untried (now->untried);
  if (untried_now != NULL)
    shardwise_text_append (text, g_strdup_printf (
                                     /* Translators: what of a strategy is not proven: "offload to
                                      * the host’s memory" */
                                     _ ("It fits only with untried settings: %s."), untried_now));
  if (now->fit == SW_FIT_MAY_NOT)
    shardwise_text_append (
        text, g_strdup_printf (
                  /* Translators: two amounts of memory */
                  _ ("It may not fit: peak memory may reach %s of %s."), high, usable));
  if (change == NULL)
    {
      shardwise_text_append (text, g_strdup (now->fit == SW_FIT_FITS
                                                 ? _ ("No small change avoids that.")
                                                 : _ ("No small change makes it certain to fit.")));
      return g_string_free (text, FALSE);
    }
  name = shardwise_text_change_name (problem, change);
  safe = shardwise_format_bytes (change->result.memory_high_bytes);
  shardwise_text_append (
      text,
      g_strdup_printf (now->fit == SW_FIT_FITS
                           /* Translators: a change ("TP 8 instead of 4"), then memory */
                           ? _ ("Smallest change that avoids that: %s (at most %s).")
                           /* Translators: a change ("TP 8 instead of 4"), then memory */
                           : _ ("Smallest change that makes it certain to fit: %s (at most %s)."),
                       name, safe));
  gain = per_gpu ? change->result.tokens_per_s_per_gpu / now->tokens_per_s_per_gpu - 1.0
                 : change->result.tokens_per_s / now->tokens_per_s - 1.0;
  share = shardwise_format_percent (fabs (gain));
  shardwise_text_append (text, per_gpu && gain < 0.0 ? g_strdup_printf (
                                   /* Translators: a percentage */
                                   _ ("It lowers the throughput per GPU by %s."), share)
                               : per_gpu ? g_strdup_printf (
                                     /* Translators: a percentage */
                                     _ ("It raises the throughput per GPU by %s."), share)
                               : gain < 0.0 ? g_strdup_printf (
                                     /* Translators: a percentage */
                                     _ ("It lowers throughput by %s."), share)
                                            : g_strdup_printf (
                                                /* Translators: a percentage */
                                                _ ("It raises throughput by %s."), share));
  untried = shardwise_text_untried (change->result.untried & ~now->untried);
  if (untried != NULL)
    shardwise_text_append (text, g_strdup_printf (
                                     /* Translators: what of a strategy is not proven: "offload to
                                      * the host’s memory" */
                                     _ ("Untried: %s."), untried));
  return g_string_free (text, FALSE);
}

/**
 * shardwise_text_waiting:
 * @problem: a question
 * @now: its answer, which sw_estimate_hardly_works()
 * @change: (nullable): of sw_change_to_work(); %NULL: there is none
 *
 * Returns: (transfer full): the small share of compute in a step, what it mostly waits for, and a
 *   change that is much faster
 */
char *
shardwise_text_waiting (const SwProblem *problem, const SwEstimate *now, const SwChange *change)
{
  const SwTime *time = &now->time;
  const double network_s = time->tp_exposed_s + time->cp_exposed_s + time->ep_exposed_s
                           + time->pp_exposed_s + time->dp_exposed_s;
  const double host_s = time->offload_exposed_s + time->optimizer_s;
  g_autofree char *work = shardwise_format_percent (time->compute_s / time->step_s);
  g_autofree char *name = NULL, *faster = NULL;
  GString *text = g_string_new (NULL);

  shardwise_text_append (
      text, g_strdup_printf (network_s >= host_s
                                 /* Translators: a percentage */
                                 ? _ ("Compute takes only %s of the step; most of the rest is "
                                      "waiting for the network. This setup is not practical.")
                                 /* Translators: a percentage */
                                 : _ ("Compute takes only %s of the step; most of the rest is "
                                      "waiting for host memory. This setup is not practical."),
                             work));
  if (change != NULL)
    {
      name = shardwise_text_change_name (problem, change);
      faster = shardwise_format_significant (change->result.tokens_per_s / now->tokens_per_s);
      shardwise_text_append (
          text, g_strdup_printf (
                    /* Translators: a change ("QLoRA instead of LoRA"), then a number */
                    _ ("%s: %s times the throughput."), name, faster));
    }
  return g_string_free (text, FALSE);
}
