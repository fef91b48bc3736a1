/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The largest model, micro-batch or context that fits, searched for with the engine. */
#include "shardwise-ask-answer-private.h"

#include <glib/gi18n.h>
#include <math.h>

/* What is searched: doubled from @least until it does not fit or is more than @most, then
 * bisected @steps times. */
typedef struct {
  const char *goal, *path, *fact, *unit;
  double least, most;
  guint steps;
} Largest;

enum { LARGEST_MODEL, LARGEST_BATCH, LARGEST_CONTEXT, N_LARGEST };

static const Largest all[N_LARGEST] = {
  [LARGEST_MODEL] = { "largest-model", "model.parameters_b", "largest_model_b", "1e9 parameters",
                      0.5, 10000, 5 },
  [LARGEST_BATCH] = { "largest-batch", "strategy.micro_batch_size", "largest_micro_batch",
                      "sequences", 1, 4096, 0 },
  [LARGEST_CONTEXT] = { "largest-context", "training.sequence_length", "largest_sequence", "tokens",
                        1024, 33554432, 0 },
};

static GVariant *
with_value (ShardwiseAsking *self, const Largest *what, double value)
{
  g_autoptr (GVariant) named = shardwise_asking_changes (self, 0);
  const ShardwiseKey *key = shardwise_key_find (what->path);
  GVariantDict dict;

  g_variant_dict_init (&dict, named);
  if (key->kind == SHARDWISE_KEY_INTEGER)
    g_variant_dict_insert (&dict, what->path, "x", (gint64) value);
  else
    g_variant_dict_insert (&dict, what->path, "d", value);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/* Whether anything fits with @value; FALSE, too, where that was cancelled, which self->error says.
 */
static gboolean
fits_with (ShardwiseAsking *self, const Largest *what, double value)
{
  const ShardwiseAdviceOptions options = { .top = 1, .bare = TRUE };
  g_autoptr (GVariant) changes = with_value (self, what, value);
  g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (self->scenario);
  g_autoptr (ShardwiseAdvice) advice = NULL;
  g_autoptr (GError) error = NULL;

  if (!shardwise_scenario_apply (changed, changes, &error))
    return FALSE;
  advice = shardwise_advice_compute (changed, &options, self->cancellable, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED) && self->error == NULL)
    self->error = g_steal_pointer (&error);
  return advice != NULL && shardwise_advice_get_fits (advice);
}

/* The greatest value that fits, 0 where none does; @misfit: the least that was found not to. */
static double
find_largest (ShardwiseAsking *self, const Largest *what, double *misfit)
{
  double fit = 0, next = what->least;

  while (next <= what->most && self->error == NULL && fits_with (self, what, next))
    {
      fit = next;
      next *= 2;
    }
  for (guint i = 0; i < what->steps && fit > 0 && self->error == NULL; i++)
    {
      double middle = sqrt (fit * next);

      if (fits_with (self, what, middle))
        fit = middle;
      else
        next = middle;
    }
  *misfit = next;
  return fit;
}

/* To two digits, down for what fits and up for what does not: neither is said of more than was
 * shown. */
static double
rounded (double value, gboolean up)
{
  double unit = pow (10, floor (log10 (value)) - 1);

  return unit * (up ? ceil (value / unit) : floor (value / unit));
}

static char *
bound_text (const Largest *what, double fit, double misfit)
{
  if (misfit > what->most)
    /* Translators: name of an input, a value */
    return g_strdup_printf (_ ("%s: even %'.0f fits; more was not tried."),
                            _ (shardwise_key_find (what->path)->title), fit);
  if (what == &all[LARGEST_MODEL])
    return g_strdup_printf (_ ("The largest dense model that fits has about %.4g billion "
                               "parameters; %.4g billion do not fit."),
                            fit, misfit);
  if (what == &all[LARGEST_BATCH])
    return g_strdup_printf (_ ("The largest micro-batch that fits is %.0f, in powers of two; %.0f "
                               "does not. Memory does not bound the global batch, which is "
                               "accumulated from micro-batches."),
                            fit, misfit);
  return g_strdup_printf (_ ("The longest sequence that fits has %'.0f tokens, in powers of two; "
                             "%'.0f do not fit."),
                          fit, misfit);
}

static void
say_largest (ShardwiseAsking *self, const Largest *what, double fit, double misfit)
{
  g_autoptr (GVariant) changes = with_value (self, what, fit);
  g_autoptr (ShardwiseAdvice) advice = shardwise_asking_evaluate (self, changes, TRUE);

  shardwise_asking_fact (self, what->fact, fit, what->unit);
  shardwise_asking_say (self, bound_text (what, fit, misfit));
  if (advice == NULL)
    return;
  shardwise_asking_verdict (self, advice);
  shardwise_asking_offer (self, changes);
}

/**
 * shardwise_asking_largest:
 * @self: of a question whether something fits
 *
 * Returns: whether the question asks for the largest model, batch or context and that was answered
 */
gboolean
shardwise_asking_largest (ShardwiseAsking *self)
{
  const ShardwiseQuestion *question = self->question;

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    {
      const ShardwiseAskSlot *slot = shardwise_question_find (question, all[i].path, 0);
      double fit, misfit;

      if (g_strcmp0 (question->goal, all[i].goal) != 0 || (slot != NULL && slot->value != NULL))
        continue;
      fit = find_largest (self, &all[i], &misfit);
      if (self->error != NULL || fit == 0)
        return self->error != NULL;
      if (all[i].steps > 0)
        {
          fit = rounded (fit, FALSE);
          misfit = rounded (misfit, TRUE);
        }
      say_largest (self, &all[i], fit, misfit);
      return TRUE;
    }
  return FALSE;
}
