/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What answers to questions share: sentences and facts, the changes that a question names and their
 * evaluation, and the sums behind a yes or no. */
#include "shardwise-asking.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-changes.h"
#include "shardwise-format.h"
#include "shardwise-key.h"
#include "shardwise-resolve.h"
#include "shardwise-text-search.h"
#include "shardwise-text-strategy.h"
#include "sw-means.h"
#include "sw-recipe.h"

/* What counts as no change. */
#define SAME 0.005

/**
 * shardwise_asking_take:
 * @sentence: (transfer full) (nullable): appended to the answer
 */
void
shardwise_asking_take (ShardwiseAsking *self, char *sentence)
{
  if (sentence != NULL && *sentence != '\0')
    {
      if (self->text->len > 0 && !g_str_has_suffix (self->text->str, "\n"))
        g_string_append_c (self->text, ' ');
      g_string_append (self->text, sentence);
    }
  g_free (sentence);
}

/* The same of a text as it is. */
void
shardwise_asking_tell (ShardwiseAsking *self, const char *sentence)
{
  shardwise_asking_take (self, g_strdup (sentence));
}

/* The same of a format with its arguments. */
void
shardwise_asking_say (ShardwiseAsking *self, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  shardwise_asking_take (self, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

/* Facts are finite, whatever the engine could not tell. */
void
shardwise_asking_fact (ShardwiseAsking *self, const char *name, double value, const char *unit)
{
  ShardwiseAskFact *fact;

  if (!isfinite (value))
    return;
  fact = g_new0 (ShardwiseAskFact, 1);
  fact->name = g_strdup (name);
  fact->value = value;
  fact->unit = unit;
  g_ptr_array_add (self->answer->facts, fact);
}

static void
prefixed_fact (ShardwiseAsking *self, const char *prefix, const char *name, double value,
               const char *unit)
{
  g_autofree char *full = g_strconcat (prefix, name, NULL);

  shardwise_asking_fact (self, full, value, unit);
}

/**
 * shardwise_asking_facts:
 * @prefix: of their names: "", "now_"
 * @advice: whose figures they are
 */
void
shardwise_asking_facts (ShardwiseAsking *self, const char *prefix, ShardwiseAdvice *advice)
{
  const SwEstimate *e = shardwise_advice_get_recommended (advice);
  const SwProblem *problem = shardwise_advice_get_problem (advice);

  prefixed_fact (self, prefix, "fits", shardwise_advice_get_fits (advice) ? 1 : 0, "");
  prefixed_fact (self, prefix, "gpus", problem->cluster.gpus, "GPUs");
  prefixed_fact (self, prefix, "memory", e->memory.peak.total / SW_GIB, "GiB");
  prefixed_fact (self, prefix, "memory_low", e->memory_low_bytes / SW_GIB, "GiB");
  prefixed_fact (self, prefix, "memory_high", e->memory_high_bytes / SW_GIB, "GiB");
  prefixed_fact (self, prefix, "usable_memory", e->usable_bytes / SW_GIB, "GiB");
  if (!shardwise_advice_get_fits (advice))
    {
      prefixed_fact (self, prefix, "missing_memory", e->missing_bytes / SW_GIB, "GiB");
      return;
    }
  prefixed_fact (self, prefix, "tokens_per_s", e->tokens_per_s, "tokens/s");
  prefixed_fact (self, prefix, "tokens_per_s_low", e->tokens_low_per_s, "tokens/s");
  prefixed_fact (self, prefix, "tokens_per_s_high", e->tokens_high_per_s, "tokens/s");
  prefixed_fact (self, prefix, "step", e->time.step_s, "s");
  prefixed_fact (self, prefix, "mfu", e->mfu, "1");
  if (shardwise_advice_get_days (advice) > 0)
    prefixed_fact (self, prefix, "days", shardwise_advice_get_days (advice), "d");
}

/* The verdict, with its interval, and what it is the verdict on. */
void
shardwise_asking_verdict (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  shardwise_asking_tell (self, shardwise_advice_get_verdict (advice));
  if (shardwise_advice_get_fits (advice))
    {
      g_autofree char *strategy =
          shardwise_text_strategy (&shardwise_advice_get_recommended (advice)->strategy);

      /* Translators: a strategy: "TP 8 · PP 4" */
      shardwise_asking_say (self, _ ("Strategy: %s."), strategy);
    }
  shardwise_asking_facts (self, "", advice);
}

/* "26.1 k tokens/s (24.0 k–28.2 k)" */
char *
shardwise_asking_rate (const SwEstimate *e)
{
  g_autofree char *rate = shardwise_format_count (e->tokens_per_s),
                  *low = shardwise_format_count (e->tokens_low_per_s),
                  *high = shardwise_format_count (e->tokens_high_per_s);

  /* Translators: a rate and its interval */
  return g_strdup_printf (_ ("%s tokens/s (%s–%s)"), rate, low, high);
}

/* ---- one against another ---- */

static void
say_rates (ShardwiseAsking *self, const char *what, const SwEstimate *then, const char *than,
           const SwEstimate *now)
{
  double ratio = then->tokens_per_s / now->tokens_per_s;
  g_autofree char *a = shardwise_asking_rate (then), *b = shardwise_asking_rate (now),
                  *share = shardwise_format_percent (fabs (ratio - 1)),
                  *times = shardwise_format_significant (ratio), *beside = NULL;

  if (fabs (ratio - 1) < SAME)
    beside = g_strdup (_ ("as fast"));
  else if (ratio >= 2)
    /* Translators: a factor: "2.1 times as fast" */
    beside = g_strdup_printf (_ ("%s times as fast"), times);
  else
    /* Translators: a percentage */
    beside = ratio > 1 ? g_strdup_printf (_ ("%s faster"), share)
                       : g_strdup_printf (_ ("%s slower"), share);
  shardwise_asking_say (
      self,
      /* Translators: what is changed ("64 GPUs"), a rate with its interval, what it is held
             against, its rate with its interval, and how the two compare ("12 % faster") */
      _ ("%s: %s, against %s: %s; that is %s."), what, a, than, b, beside);
  if (then->gpus_used != now->gpus_used)
    {
      g_autofree char *each =
          shardwise_format_percent (then->tokens_per_s_per_gpu / now->tokens_per_s_per_gpu);

      shardwise_asking_say (self,
                            /* Translators: a percentage */
                            _ ("Per GPU it is %s."), each);
    }
  if (then->tokens_low_per_s < now->tokens_high_per_s
      && now->tokens_low_per_s < then->tokens_high_per_s && fabs (ratio - 1) >= SAME)
    shardwise_asking_tell (self,
                           _ ("The intervals overlap, though both share most of their error."));
}

/**
 * shardwise_asking_against:
 * @what: names of the changes, translated
 * @then: with them
 * @than: what they are held against, translated
 * @now: without
 *
 * Says how the two compare, and gives the facts of both.
 */
void
shardwise_asking_against (ShardwiseAsking *self, const char *what, ShardwiseAdvice *then,
                          const char *than, ShardwiseAdvice *now)
{
  const SwEstimate *a = shardwise_advice_get_recommended (then),
                   *b = shardwise_advice_get_recommended (now);
  g_autofree char *begin = shardwise_text_capitalise (what),
                  *other = shardwise_text_capitalise (than), *memory = NULL, *less = NULL,
                  *of = NULL, *strategy = NULL;

  shardwise_asking_facts (self, "", then);
  shardwise_asking_facts (self, "now_", now);
  if (shardwise_advice_get_fits (then) && shardwise_advice_get_fits (now))
    {
      say_rates (self, begin, a, than, b);
      memory = shardwise_format_bytes (a->memory.peak.total);
      less = shardwise_format_bytes (b->memory.peak.total);
      of = shardwise_format_bytes (a->usable_bytes);
      strategy = shardwise_text_strategy (&a->strategy);
      /* Translators: memory, usable memory, other memory, a strategy */
      shardwise_asking_say (self, _ ("Memory per GPU: %s of %s, against %s. Strategy: %s."), memory,
                            of, less, strategy);
      if (shardwise_advice_get_days (then) > 0 && shardwise_advice_get_days (now) > 0)
        {
          g_autofree char *days = shardwise_format_significant (shardwise_advice_get_days (then)),
                          *against = shardwise_format_significant (shardwise_advice_get_days (now));

          /* Translators: two numbers of days */
          shardwise_asking_say (self, _ ("The training takes %s days, against %s."), days, against);
        }
      return;
    }
  /* Translators: what is changed, then a verdict on it */
  shardwise_asking_say (self, _ ("%s: %s"), begin, shardwise_advice_get_verdict (then));
  shardwise_asking_say (self, _ ("%s: %s"), other, shardwise_advice_get_verdict (now));
}

/* ---- sums ---- */

/* Whether something was told already; it is then. */
gboolean
shardwise_asking_told (ShardwiseAsking *self, ShardwiseTold what)
{
  const gboolean told = (self->said & what) != 0;

  self->said |= what;
  return told;
}

/* Begins a paragraph. */
void
shardwise_asking_apart (ShardwiseAsking *self)
{
  if (self->text->len > 0 && !g_str_has_suffix (self->text->str, "\n"))
    g_string_append_c (self->text, '\n');
}

/* "70.6 GB (65.7 GiB)": both units, as forums and programs count. */
char *
shardwise_asking_bytes (double bytes)
{
  static const char *const units[] = { "MB", "GB", "TB" };
  guint unit = bytes < 1e9 ? 0 : bytes < 1e12 ? 1 : 2;
  g_autofree char *value = shardwise_format_significant (bytes / pow (1000, unit + 2)),
                  *binary = shardwise_format_bytes (bytes);

  return shardwise_memory_unit_is_decimal ()
             ? g_steal_pointer (&binary)
             : g_strdup_printf ("%s %s (%s)", value, units[unit], binary);
}

/* Bytes of each kind of state per parameter, as the engine's recipe has them, if all is whole. */
typedef struct {
  double weights, gradients, optimizer, base, trained;
} StateBytes;

static StateBytes
state_bytes (const SwProblem *problem, const SwStrategy *strategy)
{
  SwRecipe recipes[SW_N_RECIPES];
  const SwRecipe *r = &recipes[SW_RECIPE_LAYERS];

  sw_recipes_init (problem, strategy, recipes);
  return (StateBytes){ r->parameters_whole + r->parameters_shared,
                       r->gradients_whole + r->gradients_shared,
                       r->optimizer_whole + r->optimizer_shared, r->frozen_whole + r->frozen_shared,
                       r->trained_share };
}

/**
 * shardwise_asking_sum:
 * @advice: whose recommended or nearest strategy it is about
 *
 * The sum behind a yes or no: what the states of training take by the bytes of each kind, and what
 * there is; then the fullest GPU of that strategy, part by part.
 */
void
shardwise_asking_sum (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const SwEstimate *e = shardwise_advice_get_recommended (advice);
  const StateBytes each = state_bytes (problem, &e->strategy);
  const double states = sw_unsharded_state_bytes (problem, &e->strategy),
               there = problem->cluster.gpus * problem->cluster.usable_bytes;
  g_autofree char *parameters = shardwise_format_count (problem->count.total),
                  *need = shardwise_asking_bytes (states),
                  *share = shardwise_asking_bytes (states / problem->cluster.gpus),
                  *have = shardwise_asking_bytes (there), *bytes = NULL;

  if (problem->training.type == SW_TRAINING_RLHF
      || shardwise_asking_told (self, SHARDWISE_TOLD_SUM))
    return;
  if (sw_training_is_adapter (&problem->training))
    bytes = g_strdup_printf (
        /* Translators: bytes per parameter of the frozen model, share that is trained, bytes per
           parameter of that */
        _ ("%.3g bytes of the frozen model, and for the %.2g %% that is trained %.3g"), each.base,
        100 * sw_trained_share (problem), each.weights + each.gradients + each.optimizer);
  else
    bytes = g_strdup_printf (
        /* Translators: bytes per parameter: of all, weights, gradients, optimizer */
        _ ("%.4g bytes (weights %.3g, gradients %.3g, optimizer and any master weights %.4g)"),
        each.weights + each.gradients + each.optimizer, each.weights, each.gradients,
        each.optimizer);
  shardwise_asking_apart (self);
  shardwise_asking_say (
      self,
      ngettext (
          /* Translators: parameters, bytes of each, a framework, bytes of all, number of
                       GPUs, bytes for each GPU, bytes that the GPUs have */
          "The sum: %1$s parameters × %2$s in %3$s are %4$s of states before any "
          "activation, %6$s on each of %5$'u GPU, which has %7$s.",
          "The sum: %1$s parameters × %2$s in %3$s are %4$s of states before any activation, %6$s "
          "on each of %5$'u GPUs if all of it is sharded; together they have %7$s.",
          problem->cluster.gpus),
      parameters, bytes, shardwise_text_framework (e->strategy.framework), need,
      problem->cluster.gpus, share, have);
  shardwise_asking_fact (self, "states", states / SW_GIB, "GiB");
  shardwise_asking_fact (self, "states_per_gpu", states / problem->cluster.gpus / SW_GIB, "GiB");
  shardwise_asking_fact (self, "bytes_per_parameter", states / problem->count.total, "B");
  shardwise_asking_fact (self, "memory_of_all_gpus", there / SW_GIB, "GiB");
  /* What was said to be enough for all of it. */
  for (guint i = 0; i < self->question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->question->slots, i);
      double said = g_str_equal (slot->path, "said.memory_gb")
                        ? g_variant_get_double (slot->value) * 1e9
                        : 0;

      if (said > 2 * problem->cluster.usable_bytes && said < 0.95 * states)
        {
          g_autofree char *claim = shardwise_format_significant (said / 1e9),
                          *times = shardwise_format_significant (states / said),
                          *rest = shardwise_format_significant (said / problem->count.total);

          shardwise_asking_say (
              self,
              /* Translators: an amount that was named, a factor, bytes per parameter */
              _ ("The %s GB named cannot be right for that: the states alone are %s times as "
                 "much. They would be %s bytes a parameter, as with 16-bit states and 8-bit "
                 "Adam (6) or adapters (2)."),
              claim, times, rest);
        }
    }
}

/**
 * shardwise_asking_parts:
 * @advice: whose fullest GPU is told part by part
 */
void
shardwise_asking_parts (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  static const struct {
    const char *name, *title;
    gsize bytes; /* offset of the part */
  } parts[] = {
    { "parameters", N_ ("parameters"), G_STRUCT_OFFSET (SwMemoryParts, parameters) },
    { "gradients", N_ ("gradients"), G_STRUCT_OFFSET (SwMemoryParts, gradients) },
    { "optimizer", N_ ("optimizer states"), G_STRUCT_OFFSET (SwMemoryParts, optimizer) },
    { "activations", N_ ("activations"), G_STRUCT_OFFSET (SwMemoryParts, activations) },
    { "logits", N_ ("logits"), G_STRUCT_OFFSET (SwMemoryParts, logits) },
    { "buffers", N_ ("buffers"), G_STRUCT_OFFSET (SwMemoryParts, buffers) },
    { "framework", N_ ("framework"), G_STRUCT_OFFSET (SwMemoryParts, framework) },
  };
  const SwEstimate *e = shardwise_advice_get_recommended (advice);
  g_autofree char *total = shardwise_format_bytes (e->memory.peak.total),
                  *low = shardwise_format_bytes (e->memory_low_bytes),
                  *high = shardwise_format_bytes (e->memory_high_bytes),
                  *usable = shardwise_format_bytes (e->usable_bytes),
                  *limit = shardwise_format_bytes (e->memory_limit_bytes),
                  *strategy = shardwise_text_strategy (&e->strategy);
  g_autoptr (GString) list = g_string_new (NULL);

  if (!(e->memory.peak.total > 0) || shardwise_asking_told (self, SHARDWISE_TOLD_PARTS))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      double bytes = G_STRUCT_MEMBER (double, &e->memory.peak, parts[i].bytes);
      g_autofree char *text = shardwise_format_bytes (bytes);

      shardwise_asking_fact (self, parts[i].name, bytes / SW_GIB, "GiB");
      if (bytes > 0.005 * e->memory.peak.total)
        g_string_append_printf (list, "%s%s %s", list->len > 0 ? " + " : "", _ (parts[i].title),
                                text);
    }
  shardwise_asking_apart (self);
  shardwise_asking_say (
      self,
      /* Translators: a strategy, a sum of parts, the whole, its interval, what a GPU has,
                   the part of that which may be used */
      _ ("The fullest GPU with %s: %s = %s (%s–%s) of %s; at most %s may be taken."), strategy,
      list->str, total, low, high, usable, limit);
  if (e->memory.host_bytes > 0)
    {
      const SwProblem *problem = shardwise_advice_get_problem (advice);
      g_autofree char *host = shardwise_asking_bytes (e->memory.host_bytes),
                      *has = shardwise_asking_bytes (sw_cluster_host_bytes (&problem->cluster));

      shardwise_asking_fact (self, "host", e->memory.host_bytes / SW_GIB, "GiB");
      /* Translators: memory of a node that is needed, and that it has */
      shardwise_asking_say (self, _ ("Host memory of a node: %s needed, of %s."), host, has);
    }
}

/* ---- ways that fit ---- */

/* Another way to train is free to be laid out otherwise: adapters are not split as the whole model. */
static GVariant *
method_changes (ShardwiseScenario *scenario, GVariant *changes, gboolean is_tuning)
{
  static const ShardwiseKeyId freed[] = {
    SHARDWISE_KEY_STRATEGY_OFFLOAD,           SHARDWISE_KEY_TRAINING_OPTIMIZER,
    SHARDWISE_KEY_TRAINING_STATES_PARAMETERS, SHARDWISE_KEY_TRAINING_STATES_GRADIENTS,
    SHARDWISE_KEY_TRAINING_STATES_MASTER,     SHARDWISE_KEY_TRAINING_STATES_MOMENTS
  };
  GVariantDict dict;

  g_variant_dict_init (&dict, changes);
  for (guint i = 0; is_tuning && i < G_N_ELEMENTS (freed); i++)
    if (shardwise_scenario_is_set (scenario, freed[i]))
      shardwise_changes_insert (&dict, freed[i], "s", "");
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

typedef struct {
  const char *title;
  const char *changes; /* of a{sv}, as text */
} Method;

/* Ways to train with fewer bytes, what changes least first. */
static const Method methods[] = {
  { N_ ("8-bit Adam"), "{'training.optimizer': <'adam8bit'>}" },
  { N_ ("16-bit weights and gradients with 8-bit Adam"),
    "{'training.optimizer': <'adam8bit'>, 'training.states.parameters': <'bf16'>, "
    "'training.states.gradients': <'bf16'>, 'training.states.master': <'none'>}" },
  { N_ ("optimizer in host memory"), "{'strategy.offload': <'optimizer'>}" },
  { N_ ("optimizer and parameters in host memory"), "{'strategy.offload': <'optimizer+params'>}" },
  { N_ ("LoRA"), "{'training.type': <'lora'>}" },
  { N_ ("QLoRA"), "{'training.type': <'qlora'>}" },
};

/* Whether @changes are what the scenario has already. */
static gboolean
is_so_already (ShardwiseScenario *scenario, GVariant *changes)
{
  GVariantIter iter;
  const char *path;
  GVariant *value;
  gboolean same = TRUE;

  g_variant_iter_init (&iter, changes);
  while (g_variant_iter_loop (&iter, "{&sv}", &path, &value))
    {
      g_autoptr (GVariant) now = shardwise_scenario_get (scenario, shardwise_key_find (path)->id);

      same = same && now != NULL && g_variant_equal (now, value);
    }
  return same;
}

/**
 * shardwise_asking_methods:
 * @least: whether the least number of GPUs is told of each, else whether it fits on these
 *
 * Each way to train with fewer bytes per parameter, evaluated on the job that the question names.
 */
void
shardwise_asking_methods (ShardwiseAsking *self, gboolean least)
{
  g_autoptr (GVariant) named = shardwise_asking_changes (self, 0);
  g_autoptr (ShardwiseScenario) own = shardwise_asking_changed (self, named);
  g_autofree char *type = own != NULL
                              ? shardwise_scenario_get_string (own, SHARDWISE_KEY_TRAINING_TYPE)
                              : NULL;
  GString *list = g_string_new (NULL);

  for (guint i = 0; own != NULL && i < G_N_ELEMENTS (methods); i++)
    {
      g_autoptr (GVariant) changes = g_variant_ref_sink (g_variant_new_parsed (methods[i].changes)),
                           all = NULL;
      g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (own);
      g_autofree char *figure = NULL;
      const gboolean is_tuning = strstr (methods[i].changes, "lora") != NULL;

      /* Adapters save no more of adapters. */
      if ((g_strcmp0 (type, "lora") == 0 && !strstr (methods[i].changes, "qlora"))
          || g_strcmp0 (type, "qlora") == 0 || is_so_already (own, changes)
          || (least && strstr (methods[i].changes, "offload") != NULL))
        continue;
      all = method_changes (own, changes, is_tuning);
      if (!(shardwise_scenario_is_set (own, SHARDWISE_KEY_STRATEGY_OFFLOAD))
          && strstr (methods[i].changes, "offload") == NULL)
        shardwise_scenario_set (changed, SHARDWISE_KEY_STRATEGY_OFFLOAD,
                                g_variant_new_string ("none"), NULL);
      if (!shardwise_scenario_apply (changed, all, NULL))
        continue;
      if (least)
        {
          SwProblem problem;
          guint gpus = shardwise_scenario_resolve (changed, &problem, NULL, NULL)
                           ? sw_least_gpus_with (&problem, SW_MEANS_NONE, TRUE)
                           : 0;

          if (gpus > 0)
            figure = shardwise_format_gpus (gpus);
        }
      else
        {
          const ShardwiseAdviceOptions options = { .top = 1, .bare = TRUE };
          g_autoptr (ShardwiseAdvice) advice = shardwise_advice_compute (changed, &options,
                                                                         self->cancellable, NULL);
          const SwEstimate *e = advice != NULL ? shardwise_advice_get_recommended (advice) : NULL;
          g_autofree char *bytes = e != NULL ? shardwise_asking_bytes (e->memory.peak.total) : NULL,
                          *states = e != NULL ? shardwise_format_bytes (e->memory.peak.parameters
                                                                        + e->memory.peak.gradients
                                                                        + e->memory.peak.optimizer)
                                              : NULL;

          if (e != NULL && (e->rule == SW_RULE_OK || e->rule == SW_RULE_GPU_MEMORY))
            figure = g_strdup_printf (
                /* Translators: memory of a GPU, of it for states */
                e->fit == SW_FIT_FITS      ? _ ("%s per GPU (states %s), fits")
                : e->fit == SW_FIT_MAY_NOT ? _ ("%s per GPU (states %s), may not fit")
                                           : _ ("%s per GPU (states %s), does not fit"),
                bytes, states);
          else if (e != NULL && e->rule == SW_RULE_HOST_MEMORY)
            figure = shardwise_text_rule (shardwise_advice_get_problem (advice), &e->strategy,
                                          e->rule, e->missing_bytes);
        }
      if (figure != NULL)
        g_string_append_printf (list, "%s%s: %s", list->len > 0 ? "; " : "", _ (methods[i].title),
                                figure);
    }
  shardwise_asking_apart (self);
  if (list->len > 0)
    shardwise_asking_say (self,
                          least ? /* Translators: a list: "LoRA: 4 GPUs" */
                              _ ("Fewest GPUs by other methods: %s.")
                                : /* Translators: a list: "LoRA: 17 GiB per GPU, fits" */
                              _ ("The same job by other methods: %s."),
                          list->str);
  g_string_free (list, TRUE);
}

/**
 * shardwise_asking_ways_out:
 * @advice: with reasons; where nothing fits the smallest changes that do are named
 */
void
shardwise_asking_ways_out (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  GPtrArray *ways = shardwise_advice_get_ways_out (advice);
  GString *list = g_string_new (NULL);
  guint n;
  const SwLeastGpus *least = shardwise_advice_get_least (advice, &n);
  g_autofree char *numbers = shardwise_text_least (least, n);

  for (guint i = 0; i < MIN (ways->len, 3); i++)
    {
      const ShardwiseWayOut *way = g_ptr_array_index (ways, i);

      g_string_append_printf (list, "%s%s", i > 0 ? "; " : "", way->change);
    }
  shardwise_asking_apart (self);
  if (ways->len > 0)
    /* Translators: a list of changes that make a job fit */
    shardwise_asking_say (self, _ ("What would fit: %s."), list->str);
  else if (n == 0)
    shardwise_asking_tell (self, _ ("No small change makes it fit."));
  if (n > 0)
    {
      shardwise_asking_fact (self, "least_gpus", least[0].gpus, "GPUs");
      /* Translators: numbers of GPUs, and what they take: "24; 8 with 8-bit Adam" */
      shardwise_asking_say (self, _ ("Fewest GPUs on which it fits for certain: %s."), numbers);
    }
  g_string_free (list, TRUE);
}

/* From the slots of a question to the changes that the window could apply, and their evaluation. */

/* ---- changes ---- */

static gboolean
has (GVariant *changes, ShardwiseKeyId id)
{
  g_autoptr (GVariant) value = g_variant_lookup_value (changes, shardwise_key_path (id), NULL);

  return value != NULL;
}

static void
reset (GVariantDict *dict, ShardwiseScenario *scenario, GVariant *changes, ShardwiseKeyId id)
{
  if (!has (changes, id) && shardwise_scenario_is_set (scenario, id))
    shardwise_changes_insert (dict, id, "s", "");
}

/**
 * shardwise_asking_settle:
 * @changes: (transfer none): a{sv}
 * @scenario: that they are made to
 *
 * Another GPU brings its own memory, links and prices; GPUs of which only the memory is named are
 * not those of the scenario.
 *
 * Returns: (transfer full): a{sv}, with resets of what @changes makes void
 */
GVariant *
shardwise_asking_settle (GVariant *changes, ShardwiseScenario *scenario)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, changes);
  if (has (changes, SHARDWISE_KEY_CLUSTER_GPU))
    shardwise_other_cluster_forget_gpu (&dict, scenario);
  if (has (changes, SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB))
    reset (&dict, scenario, changes, SHARDWISE_KEY_CLUSTER_GPU);
  if (has (changes, SHARDWISE_KEY_CLUSTER_INTER_NODE))
    reset (&dict, scenario, changes, SHARDWISE_KEY_CLUSTER_INTER_NODE_GB_S);
  if (has (changes, SHARDWISE_KEY_CLUSTER_INTRA_NODE))
    reset (&dict, scenario, changes, SHARDWISE_KEY_CLUSTER_INTRA_NODE_GB_S);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/**
 * shardwise_asking_named:
 * @side: of the question
 *
 * Returns: (transfer full): a{sv}: what the question names; empty where it names nothing
 */
GVariant *
shardwise_asking_named (ShardwiseAsking *self, guint side)
{
  g_autoptr (GVariant) named =
      g_variant_ref_sink (shardwise_question_changes (self->question, side));
  GVariantDict dict;

  g_variant_dict_init (&dict, named);
  for (guint i = 0; i < self->question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->question->slots, i);
      const ShardwiseKey *key = shardwise_key_find (slot->path);
      double now = key != NULL ? shardwise_scenario_get_number (self->scenario, key->id, NAN) : NAN,
             value = now * slot->factor;

      if (slot->side != side || !(slot->factor > 0) || slot->value != NULL || isnan (now)
          || g_variant_dict_contains (&dict, slot->path))
        continue;
      /* "Twice the batch" of the scenario's; integers stay integers. */
      if (key->kind == SHARDWISE_KIND_INTEGER)
        g_variant_dict_insert (&dict, slot->path, "x", (gint64) MAX (1, floor (value)));
      else
        g_variant_dict_insert (&dict, slot->path, "d", value);
    }
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/**
 * shardwise_asking_changes:
 * @side: of the question
 *
 * Returns: (transfer full): a{sv}: shardwise_asking_named(), settled
 */
GVariant *
shardwise_asking_changes (ShardwiseAsking *self, guint side)
{
  g_autoptr (GVariant) named = shardwise_asking_named (self, side);

  return shardwise_asking_settle (named, self->scenario);
}

/* ---- words ---- */

static char *
describe_change (const ShardwiseKey *key, GVariant *value)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  g_autofree char *plain = NULL;
  const char *text;
  double number;

  if (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    return g_strdup_printf (_ ("%s %s"), _ (key->title),
                            g_variant_get_boolean (value) ? _ ("on") : _ ("off"));
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    {
      text = g_variant_get_string (value, NULL);
      if (*text == '\0')
        return NULL;
      if (key->id == SHARDWISE_KEY_CLUSTER_GPU
          && shardwise_catalogue_find_gpu (catalogue, text) != NULL)
        return g_strdup (shardwise_catalogue_find_gpu (catalogue, text)->name);
      if (key->id == SHARDWISE_KEY_MODEL_PRESET
          && shardwise_catalogue_find_model (catalogue, text) != NULL)
        return g_strdup (shardwise_catalogue_find_model (catalogue, text)->name);
      return g_strdup_printf (_ ("%s %s"), _ (key->title),
                              shardwise_key_word_title (key->id, text));
    }
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_INT64))
    number = (double) g_variant_get_int64 (value);
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE))
    number = g_variant_get_double (value);
  else
    return NULL;
  if (key->id == SHARDWISE_KEY_CLUSTER_GPUS)
    return shardwise_format_gpus ((guint) number);
  plain = number >= 1e6              ? shardwise_format_count (number)
          : floor (number) == number ? shardwise_format_whole (number)
                                     : g_strdup_printf ("%.4g", number);
  /* Translators: name of an input, its value: "Sequence length 8192" */
  if (key->unit == NULL)
    return g_strdup_printf (_ ("%s %s"), _ (key->title), plain);
  /* Translators: name of an input, its value, its unit: "Network bandwidth per GPU 100 GB/s" */
  return g_strdup_printf (_ ("%s %s %s"), _ (key->title), plain, _ (key->unit));
}

/**
 * shardwise_asking_describe:
 * @changes: a{sv}
 *
 * Returns: (transfer full): "64 GPUs, H200 SXM5 141 GB, Tensor parallel 4", in the order of the
 * file
 */
char *
shardwise_asking_describe (GVariant *changes)
{
  GString *out = g_string_new (NULL);

  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    {
      g_autoptr (GVariant) value = g_variant_lookup_value (changes, shardwise_key_path (i), NULL);
      g_autofree char *text = value != NULL ? describe_change (shardwise_key_get (i), value) : NULL;

      if (text != NULL)
        g_string_append_printf (out, "%s%s", out->len > 0 ? ", " : "", text);
    }
  return g_string_free (out, FALSE);
}

/* ---- evaluation ---- */

/**
 * shardwise_asking_changed:
 * @changes: a{sv}
 *
 * Returns: (transfer full) (nullable): the scenario with them; %NULL where it does not take them,
 *   which is then said
 */
ShardwiseScenario *
shardwise_asking_changed (ShardwiseAsking *self, GVariant *changes)
{
  g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (self->scenario);
  g_autoptr (GError) error = NULL;

  if (shardwise_scenario_apply (changed, changes, &error))
    return g_steal_pointer (&changed);
  /* Translators: why a change cannot be made */
  shardwise_asking_say (self, _ ("That cannot be evaluated: %s."), error->message);
  return NULL;
}

/**
 * shardwise_asking_fail:
 * @error: (transfer full): why something was not computed
 *
 * Says so, or keeps that it was cancelled: then there is no answer.
 */
void
shardwise_asking_fail (ShardwiseAsking *self, GError *error)
{
  g_autoptr (GError) why = error;

  if (g_error_matches (why, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_clear_error (&self->error);
      self->error = g_steal_pointer (&why);
    }
  else
    shardwise_asking_say (self, _ ("That cannot be evaluated: %s."), why->message);
}

/**
 * shardwise_asking_join:
 * @base: a{sv}
 * @more: a{sv}
 *
 * Returns: (transfer full): a{sv}: @base, and @more over it
 */
GVariant *
shardwise_asking_join (GVariant *base, GVariant *more)
{
  GVariantDict dict;
  GVariantIter iter;
  const char *path;
  GVariant *value;

  g_variant_dict_init (&dict, base);
  g_variant_iter_init (&iter, more);
  while (g_variant_iter_loop (&iter, "{&sv}", &path, &value))
    g_variant_dict_insert_value (&dict, path, value);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/**
 * shardwise_asking_evaluate:
 * @changes: (nullable): a{sv}
 * @explain: whether reasons and ways out are needed
 *
 * Returns: (transfer full) (nullable): the advice for the scenario with them; %NULL where there is
 *   none, which is then said, or where it was cancelled
 */
ShardwiseAdvice *
shardwise_asking_evaluate (ShardwiseAsking *self, GVariant *changes, gboolean explain)
{
  const ShardwiseAdviceOptions options = { .top = 4, .explain = explain };
  g_autoptr (ShardwiseScenario) changed = NULL;
  g_autoptr (GError) error = NULL;
  ShardwiseAdvice *advice;

  changed = changes != NULL ? shardwise_asking_changed (self, changes)
                            : g_object_ref (self->scenario);
  if (changed == NULL)
    return NULL;
  advice = shardwise_advice_compute (changed, &options, self->cancellable, &error);
  if (advice != NULL)
    return advice;
  shardwise_asking_fail (self, g_steal_pointer (&error));
  return NULL;
}

/**
 * shardwise_asking_offer:
 * @changes: (nullable): a{sv}: what the button under the answer does; replaces an earlier offer
 */
void
shardwise_asking_offer (ShardwiseAsking *self, GVariant *changes)
{
  ShardwiseAnswer *answer = self->answer;

  g_clear_pointer (&answer->changes, g_variant_unref);
  g_clear_pointer (&answer->change, g_free);
  if (changes == NULL || g_variant_n_children (changes) == 0)
    return;
  answer->changes = g_variant_ref (changes);
  answer->change = shardwise_asking_describe (changes);
}

/* ---- the asker's own run ---- */

static gboolean
is_fixed (ShardwiseAsking *self, GVariant *changes, ShardwiseKeyId id)
{
  return has (changes, id) || shardwise_scenario_peek (self->scenario, id) != NULL;
}

/**
 * shardwise_asking_own_changes:
 * @side: of the question
 *
 * What the question names, and no technique besides: who speaks of ZeRO 3 or FSDP without a degree
 * splits nothing else.
 *
 * Returns: (transfer full): a{sv}
 */
GVariant *
shardwise_asking_own_changes (ShardwiseAsking *self, guint side)
{
  static const ShardwiseKeyId degrees[] = { SHARDWISE_KEY_STRATEGY_TP, SHARDWISE_KEY_STRATEGY_PP,
                                            SHARDWISE_KEY_STRATEGY_CP };
  g_autoptr (GVariant) changes = shardwise_asking_changes (self, side),
                       zero = g_variant_lookup_value (
                           changes, shardwise_key_path (SHARDWISE_KEY_STRATEGY_ZERO_STAGE), NULL);
  const char *micro_batch = shardwise_key_path (SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE);
  GVariantDict dict;
  gboolean is_alone = zero != NULL && g_variant_get_int64 (zero) >= 2;

  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    is_alone = is_alone && !is_fixed (self, changes, degrees[i]);
  g_variant_dict_init (&dict, changes);
  for (guint i = 0; is_alone && i < G_N_ELEMENTS (degrees); i++)
    shardwise_changes_insert (&dict, degrees[i], "x", (gint64) 1);
  /* Micro-batches that are held against each other are none of the run. */
  if (side == 0 && shardwise_question_find (self->question, micro_batch, 1) != NULL)
    g_variant_dict_remove (&dict, micro_batch);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/* What the plainest run has that nobody spoke of, and how much of it is let go. */
typedef enum { PLAIN, RECOMPUTED, SPLIT } Freedom;

static GVariant *
restrict_changes (ShardwiseAsking *self, GVariant *changes, Freedom freedom)
{
  static const struct {
    ShardwiseKeyId key;
    const char *word; /* %NULL: 1 */
    Freedom until;
  } plain[] = {
    { SHARDWISE_KEY_STRATEGY_OFFLOAD, "none", SPLIT },
    { SHARDWISE_KEY_STRATEGY_RECOMPUTE, "none", PLAIN },
    { SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE, NULL, RECOMPUTED },
    { SHARDWISE_KEY_STRATEGY_TP, NULL, RECOMPUTED },
    { SHARDWISE_KEY_STRATEGY_PP, NULL, RECOMPUTED },
    { SHARDWISE_KEY_STRATEGY_CP, NULL, RECOMPUTED },
  };
  const gboolean has_pp = is_fixed (self, changes, SHARDWISE_KEY_STRATEGY_PP),
                 has_split = has_pp || is_fixed (self, changes, SHARDWISE_KEY_STRATEGY_TP)
                             || is_fixed (self, changes, SHARDWISE_KEY_STRATEGY_CP)
                             || is_fixed (self, changes, SHARDWISE_KEY_STRATEGY_EP);
  GVariantDict dict;

  g_variant_dict_init (&dict, changes);
  for (guint i = 0; i < G_N_ELEMENTS (plain); i++)
    if (freedom <= plain[i].until && !is_fixed (self, changes, plain[i].key)
        && !(plain[i].key == SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE
             && shardwise_scenario_peek (self->scenario, SHARDWISE_KEY_TRAINING_MICRO_BATCH_SIZE))
        /* Who states one degree is asked for no other. */
        && !(has_split
             && (plain[i].key == SHARDWISE_KEY_STRATEGY_TP
                 || plain[i].key == SHARDWISE_KEY_STRATEGY_PP)
             && freedom > PLAIN))
      {
        if (plain[i].word != NULL)
          shardwise_changes_insert (&dict, plain[i].key, "s", plain[i].word);
        else
          shardwise_changes_insert (&dict, plain[i].key, "x", (gint64) 1);
      }
  if (has_pp && !is_fixed (self, changes, SHARDWISE_KEY_STRATEGY_VPP)
      && !is_fixed (self, changes, SHARDWISE_KEY_STRATEGY_SCHEDULE))
    shardwise_changes_insert (&dict, SHARDWISE_KEY_STRATEGY_VPP, "x", (gint64) 1);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/**
 * shardwise_asking_plain:
 *
 * The run with nothing that nobody spoke of: no split, no recomputation, one sequence at a time; then
 * with recomputation. What it needs is kept for shardwise_asking_say_plain().
 *
 * Returns: (transfer full) (nullable): its advice with reasons; %NULL where it does not fit
 */
ShardwiseAdvice *
shardwise_asking_plain (ShardwiseAsking *self)
{
  g_autoptr (GVariant) changes = shardwise_asking_own_changes (self, 0);

  for (Freedom freedom = PLAIN; freedom < SPLIT; freedom++)
    {
      g_autoptr (GVariant) plain = restrict_changes (self, changes, freedom);
      g_autoptr (ShardwiseAdvice) advice = shardwise_asking_try (self, plain);
      const SwEstimate *e = advice != NULL ? shardwise_advice_get_recommended (advice) : NULL;
      g_autofree char *strategy = NULL, *bytes = NULL, *has = NULL, *text = NULL, *before = NULL;

      if (e == NULL || (!e->fits && (freedom > PLAIN || e->rule != SW_RULE_GPU_MEMORY)))
        continue;
      strategy = shardwise_text_strategy (&e->strategy);
      bytes = shardwise_asking_bytes (e->memory.peak.total);
      has = shardwise_format_bytes (e->usable_bytes);
      text = g_strdup_printf (
          /* Translators: the plainest strategy, memory that it needs, and that a GPU has */
          e->fits ? _ ("Plainly, with %s, a GPU needs %s of %s: that fits.")
                  : _ ("Plainly, with %s, a GPU needs %s of %s: that does not fit."),
          strategy, bytes, has);
      before = g_steal_pointer (&self->plain);
      self->plain = before != NULL ? g_strconcat (before, " ", text, NULL)
                                   : g_steal_pointer (&text);
      if (e->fits)
        return shardwise_asking_evaluate (self, plain, TRUE);
    }
  return NULL;
}

/* What the plainest run needs, once. */
void
shardwise_asking_say_plain (ShardwiseAsking *self)
{
  shardwise_asking_take (self, g_steal_pointer (&self->plain));
}

/**
 * shardwise_asking_own:
 *
 * Returns: (transfer full) (nullable): the advice with reasons for the run as it is stated; never with
 * offload where nobody spoke of it
 */
ShardwiseAdvice *
shardwise_asking_own (ShardwiseAsking *self)
{
  g_autoptr (GVariant) changes = shardwise_asking_own_changes (self, 0),
                       last = restrict_changes (self, changes, SPLIT);

  return shardwise_asking_evaluate (self, last, TRUE);
}

/**
 * shardwise_asking_try:
 * @changes: a{sv}
 *
 * Returns: (transfer full) (nullable): the bare advice with them; %NULL, and nothing is said, where
 *   they cannot be made
 */
ShardwiseAdvice *
shardwise_asking_try (ShardwiseAsking *self, GVariant *changes)
{
  const ShardwiseAdviceOptions options = { .top = 1 };
  g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (self->scenario);

  return shardwise_scenario_apply (changed, changes, NULL)
             ? shardwise_advice_compute (changed, &options, self->cancellable, NULL)
             : NULL;
}
