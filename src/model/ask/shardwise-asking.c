/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by answers: sentences, facts, changes, evaluation, and the run as stated. */
#include "shardwise-asking.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-changes.h"
#include "shardwise-format.h"
#include "shardwise-key.h"
#include "shardwise-text-strategy.h"

/* ---- sentences ---- */

/* @sentence: (transfer full) (nullable): appended to the answer. */
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

/* Begins a paragraph. */
void
shardwise_asking_apart (ShardwiseAsking *self)
{
  if (self->text->len > 0 && !g_str_has_suffix (self->text->str, "\n"))
    g_string_append_c (self->text, '\n');
}

/* Whether something was told already; it is then. */
gboolean
shardwise_asking_is_told (ShardwiseAsking *self, const char *what)
{
  return !g_hash_table_add (self->told, g_strdup (what));
}

/* @format: translated, with a %s for the list; @list: (transfer full): nothing is said of an empty one. */
void
shardwise_asking_say_list (ShardwiseAsking *self, const char *format, GString *list)
{
  g_auto (GStrv) parts = g_strsplit (format, "%s", 2);
  g_autofree char *text = g_string_free (list, FALSE);

  if (*text != '\0')
    shardwise_asking_take (self,
                           g_strconcat (parts[0], text, parts[1] != NULL ? parts[1] : "", NULL));
}

/* ---- facts ---- */

/* Facts are finite, whatever the engine could not tell, and each is given once. */
void
shardwise_asking_fact (ShardwiseAsking *self, const char *name, double value, const char *unit)
{
  GPtrArray *facts = self->answer->facts;
  ShardwiseAskFact *fact;

  for (guint i = 0; i < facts->len; i++)
    if (g_str_equal (((ShardwiseAskFact *) g_ptr_array_index (facts, i))->name, name))
      return;
  if (!isfinite (value))
    return;
  fact = g_new0 (ShardwiseAskFact, 1);
  fact->name = g_strdup (name);
  fact->value = value;
  fact->unit = unit;
  g_ptr_array_add (facts, fact);
}

static void
told_cb (const char *name, double value, const char *unit, gpointer data)
{
  ShardwiseAsking *self = data;
  g_autofree char *full = g_strconcat (self->prefix != NULL ? self->prefix : "", name, NULL);

  shardwise_asking_fact (self, full, value, unit);
}

/* What figures of an advice's strategy are of, beside the micro-batches that the question names. */
static ShardwiseFigures
figures_of (ShardwiseAsking *self, ShardwiseAdvice *advice, gboolean is_told)
{
  ShardwiseFigures out = { .problem = shardwise_advice_get_problem (advice),
                           .estimate = shardwise_advice_get_recommended (advice),
                           .told = is_told ? told_cb : NULL,
                           .data = self };

  out.n_sizes = shardwise_asking_micro_batches (self, out.sizes);
  return out;
}

/* @prefix: of their names: "", "now_"; @advice: whose figures they are. */
void
shardwise_asking_facts (ShardwiseAsking *self, const char *prefix, ShardwiseAdvice *advice)
{
  const gboolean fits = shardwise_advice_get_fits (advice);
  const ShardwiseFigures figures = figures_of (self, advice, TRUE);
  g_autofree char *told = NULL, *more = NULL;

  self->prefix = prefix;
  told = shardwise_figures_fill (&figures,
                                 "{fits}{gpus}{memory}{memory_low}{memory_high}{usable_memory}");
  more = shardwise_figures_fill (
      &figures,
      fits ? "{tokens_per_s}{tokens_per_s_low}{tokens_per_s_high}{step}{mfu}" : "{missing_memory}");
  self->prefix = NULL;
  if (fits && shardwise_advice_get_days (advice) > 0)
    {
      g_autofree char *name = g_strconcat (prefix, "days", NULL);

      shardwise_asking_fact (self, name, shardwise_advice_get_days (advice), "d");
    }
}

/* GPUs that a strategy leaves out. */
void
shardwise_asking_idle (ShardwiseAsking *self, const SwEstimate *estimate)
{
  if (estimate->gpus_idle > 0)
    shardwise_asking_say (
        self, ngettext ("%'u GPU stays idle.", "%'u GPUs stay idle.", estimate->gpus_idle),
        estimate->gpus_idle);
}

/* The verdict, with its interval, and what it is the verdict on. */
void
shardwise_asking_verdict (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  shardwise_asking_tell (self, shardwise_advice_get_verdict (advice));
  if (shardwise_advice_get_fits (advice))
    /* Translators: of a strategy, "TP 8 · PP 4"; the word in braces stays */
    shardwise_asking_tell_of (self, advice, _ ("Strategy: {strategy}."));
  shardwise_asking_idle (self, shardwise_advice_get_recommended (advice));
  shardwise_asking_facts (self, "", advice);
}

/* ---- figures ---- */

/* shardwise_figure() of an advice's strategy. */
double
shardwise_asking_figure (ShardwiseAsking *self, ShardwiseAdvice *advice, const char *name)
{
  const ShardwiseFigures figures = figures_of (self, advice, FALSE);

  return shardwise_figure (&figures, name);
}

/* shardwise_figures_fill() of an advice's strategy. */
char *
shardwise_asking_fill (ShardwiseAsking *self, ShardwiseAdvice *advice, const char *sentence)
{
  const ShardwiseFigures figures = figures_of (self, advice, FALSE);

  return shardwise_figures_fill (&figures, sentence);
}

/* Appends such a sentence to the answer; the figures become facts of it. */
void
shardwise_asking_tell_of (ShardwiseAsking *self, ShardwiseAdvice *advice, const char *sentence)
{
  const ShardwiseFigures figures = figures_of (self, advice, TRUE);

  shardwise_asking_take (self, shardwise_figures_fill (&figures, sentence));
}

/* Returns the number of micro-batch sizes to compare: those of the question, or usual ones. */
guint
shardwise_asking_micro_batches (ShardwiseAsking *self, guint sizes[8])
{
  const ShardwiseAskSlot *slot;
  guint n = 0;

  for (guint i = 0; (slot = shardwise_question_slot (self->question, i)) != NULL && n < 8; i++)
    if (slot->key == SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE && slot->value != NULL)
      sizes[n++] = (guint) g_variant_get_int64 (slot->value);
  if (n < 2)
    for (n = 0; n < 5; n++)
      sizes[n] = 1u << n;
  return n;
}

/* ---- changes ---- */

/* Whether changes have a key. */
gboolean
shardwise_asking_has (GVariant *changes, ShardwiseKeyId key)
{
  g_autoptr (GVariant) value = g_variant_lookup_value (changes, shardwise_key_path (key), NULL);

  return value != NULL;
}

/* Returns (transfer full): a{sv}: @changes (nullable) with one value of @key, as by g_variant_new(). */
GVariant *
shardwise_asking_with (GVariant *changes, ShardwiseKeyId key, const char *format, ...)
{
  GVariantDict dict;
  va_list arguments;

  va_start (arguments, format);
  g_variant_dict_init (&dict, changes);
  g_variant_dict_insert_value (&dict, shardwise_key_path (key),
                               g_variant_new_va (format, NULL, &arguments));
  va_end (arguments);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

static void
reset (GVariantDict *dict, ShardwiseScenario *scenario, GVariant *changes, ShardwiseKeyId id)
{
  if (!shardwise_asking_has (changes, id) && shardwise_scenario_is_set (scenario, id))
    shardwise_changes_insert (dict, id, "s", "");
}

/* Returns (transfer full): a{sv}: @changes, with resets of inputs of @scenario that another GPU or link voids. */
GVariant *
shardwise_asking_settle (GVariant *changes, ShardwiseScenario *scenario)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, changes);
  if (shardwise_asking_has (changes, SHARDWISE_KEY_CLUSTER_GPU))
    shardwise_other_cluster_forget_gpu (&dict, scenario);
  if (shardwise_asking_has (changes, SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB))
    reset (&dict, scenario, changes, SHARDWISE_KEY_CLUSTER_GPU);
  if (shardwise_asking_has (changes, SHARDWISE_KEY_CLUSTER_INTER_NODE))
    reset (&dict, scenario, changes, SHARDWISE_KEY_CLUSTER_INTER_NODE_GB_S);
  if (shardwise_asking_has (changes, SHARDWISE_KEY_CLUSTER_INTRA_NODE))
    reset (&dict, scenario, changes, SHARDWISE_KEY_CLUSTER_INTRA_NODE_GB_S);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/* What "twice" is twice of: the number that the scenario has, or else the best strategy. */
static double
present (ShardwiseAsking *self, ShardwiseKeyId key)
{
  const double stated = shardwise_scenario_get_number (self->scenario, key, NAN);

  if (isnan (stated) && self->now == NULL)
    self->now = shardwise_asking_evaluate (self, NULL, FALSE);
  for (guint d = 0; isnan (stated) && self->now != NULL && d < SW_N_DIMENSIONS; d++)
    if (shardwise_dimension_key ((SwDimension) d) == key)
      return sw_strategy_get (&shardwise_advice_get_recommended (self->now)->strategy,
                              (SwDimension) d);
  return stated;
}

/* Returns (transfer full): a{sv}: what the question names on @side; may be empty. */
GVariant *
shardwise_asking_named (ShardwiseAsking *self, guint side)
{
  g_autoptr (GVariant) named =
      g_variant_ref_sink (shardwise_question_changes (self->question, side));
  const ShardwiseAskSlot *slot;
  GVariantDict dict;

  g_variant_dict_init (&dict, named);
  for (guint i = 0; (slot = shardwise_question_slot (self->question, i)) != NULL; i++)
    {
      double value;

      if (slot->side != side || !(slot->factor > 0) || slot->value != NULL
          || slot->key == SHARDWISE_KEY_NONE || g_variant_dict_contains (&dict, slot->path))
        continue;
      value = slot->factor * present (self, slot->key);
      if (isnan (value))
        continue;
      /* "Twice the batch" of the scenario's; integers stay integers. */
      if (shardwise_key_get (slot->key)->kind == SHARDWISE_KIND_INTEGER)
        g_variant_dict_insert (&dict, slot->path, "x", (gint64) MAX (1, floor (value)));
      else
        g_variant_dict_insert (&dict, slot->path, "d", value);
    }
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/* @side: of the question. Returns: (transfer full): a{sv}: shardwise_asking_named(), settled. */
GVariant *
shardwise_asking_changes (ShardwiseAsking *self, guint side)
{
  g_autoptr (GVariant) named = shardwise_asking_named (self, side);

  return shardwise_asking_settle (named, self->scenario);
}

/* ---- words ---- */

/* Returns (transfer full) (nullable): "Sequence length 8192", or a GPU and a model by its name alone. */
static char *
describe_change (const ShardwiseKey *key, GVariant *value)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  const gboolean is_text = g_variant_is_of_type (value, G_VARIANT_TYPE_STRING);
  const char *text = is_text ? g_variant_get_string (value, NULL) : "";
  const SwGpu *gpu = key->id == SHARDWISE_KEY_CLUSTER_GPU
                         ? shardwise_catalogue_find_gpu (catalogue, text)
                         : NULL;
  const SwModelSpec *model = key->id == SHARDWISE_KEY_MODEL_PRESET
                                 ? shardwise_catalogue_find_model (catalogue, text)
                                 : NULL;
  const double number = g_variant_is_of_type (value, G_VARIANT_TYPE_INT64)
                            ? (double) g_variant_get_int64 (value)
                        : g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE)
                            ? g_variant_get_double (value)
                            : NAN;
  g_autofree char *plain = NULL;

  if (is_text && *text == '\0')
    return NULL;
  if (gpu != NULL || model != NULL)
    return g_strdup (gpu != NULL ? gpu->name : model->name);
  if (key->id == SHARDWISE_KEY_CLUSTER_GPUS)
    return shardwise_format_gpus ((guint) number);
  plain = is_text          ? g_strdup (shardwise_key_word_title (key->id, text))
          : isnan (number) ? g_strdup (g_variant_get_boolean (value) ? _ ("on") : _ ("off"))
          : number >= 1e6  ? shardwise_format_count (number)
          : number == floor (number) ? shardwise_format_whole (number)
                                     : g_strdup_printf ("%.4g", number);
  /* Translators: name of an input, its value: "Sequence length 8192" */
  if (key->unit == NULL)
    return g_strdup_printf (_ ("%s %s"), _ (key->title), plain);
  /* Translators: name of an input, its value, its unit: "Network bandwidth per GPU 100 GB/s" */
  return g_strdup_printf (_ ("%s %s %s"), _ (key->title), plain, _ (key->unit));
}

/* Returns (transfer full): "64 GPUs, H200 SXM5 141 GB, Tensor parallel 4", in the order of the file. */
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

/* Returns (transfer full) (nullable): the scenario with changes; tells why not if it rejects them. */
ShardwiseScenario *
shardwise_asking_changed (ShardwiseAsking *self, GVariant *changes)
{
  g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (self->scenario);
  g_autoptr (GError) error = NULL;

  if (shardwise_scenario_apply (changed, changes, &error))
    return g_steal_pointer (&changed);
  shardwise_asking_fail (self, g_steal_pointer (&error));
  return NULL;
}

/* Tells the error, which makes the answer unsure, or keeps a cancellation. @error: (transfer full). */
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
    {
      /* Translators: why a change cannot be made */
      shardwise_asking_say (self, _ ("That cannot be evaluated: %s."), why->message);
      self->answer->confidence = MIN (self->answer->confidence, SHARDWISE_ASK_UNSURE);
    }
}

/* @base: a{sv}; @more: a{sv}. Returns: (transfer full): a{sv}: @base, and @more over it. */
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

/* Returns (transfer full) (nullable): the advice with changes; @explain: with reasons; tells why not. */
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

/* @changes: (nullable): a{sv}: what the button under the answer does; replaces an earlier offer. */
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

static const ShardwiseKeyId degrees[] = { SHARDWISE_KEY_STRATEGY_TP, SHARDWISE_KEY_STRATEGY_PP,
                                          SHARDWISE_KEY_STRATEGY_CP };

static gboolean
is_fixed (ShardwiseAsking *self, GVariant *changes, ShardwiseKeyId id)
{
  return shardwise_asking_has (changes, id) || shardwise_scenario_peek (self->scenario, id) != NULL;
}

/* Returns (transfer full): a{sv}: changes of @side; ZeRO 2 or 3 without degrees splits nothing else. */
GVariant *
shardwise_asking_own_changes (ShardwiseAsking *self, guint side)
{
  g_autoptr (GVariant) changes = shardwise_asking_changes (self, side);
  GVariantDict dict;
  gint64 zero = 0;
  gboolean is_alone =
      g_variant_lookup (changes, shardwise_key_path (SHARDWISE_KEY_STRATEGY_ZERO_STAGE), "x", &zero)
      && zero >= 2;

  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    is_alone = is_alone && !is_fixed (self, changes, degrees[i]);
  g_variant_dict_init (&dict, changes);
  for (guint i = 0; is_alone && i < G_N_ELEMENTS (degrees); i++)
    shardwise_changes_insert (&dict, degrees[i], "x", (gint64) 1);
  /* Micro-batches that are held against each other are none of the run. */
  if (side == 0 && self->question->intent != SHARDWISE_INTENT_COMPARE
      && self->question->intent != SHARDWISE_INTENT_WHAT_IF
      && shardwise_question_names (self->question, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE, 1))
    g_variant_dict_remove (&dict, shardwise_key_path (SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE));
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/* How much of the plainest run, which has nothing that nobody spoke of, is let go. */
typedef enum { PLAIN, RECOMPUTED, SPLIT } Freedom;

static GVariant *
restrict_changes (ShardwiseAsking *self, GVariant *changes, Freedom freedom)
{
  gboolean has_split = is_fixed (self, changes, SHARDWISE_KEY_STRATEGY_EP);
  GVariantDict dict;

  g_variant_dict_init (&dict, changes);
  if (!is_fixed (self, changes, SHARDWISE_KEY_STRATEGY_OFFLOAD))
    shardwise_changes_insert (&dict, SHARDWISE_KEY_STRATEGY_OFFLOAD, "s", "none");
  if (freedom == PLAIN && !is_fixed (self, changes, SHARDWISE_KEY_STRATEGY_RECOMPUTE))
    shardwise_changes_insert (&dict, SHARDWISE_KEY_STRATEGY_RECOMPUTE, "s", "none");
  if (freedom < SPLIT && !is_fixed (self, changes, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE)
      && !is_fixed (self, changes, SHARDWISE_KEY_TRAINING_MICRO_BATCH_SIZE))
    shardwise_changes_insert (&dict, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE, "x", (gint64) 1);
  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    has_split = has_split || is_fixed (self, changes, degrees[i]);
  /* Who states one degree is asked for no other. */
  for (guint i = 0; freedom < SPLIT && i < G_N_ELEMENTS (degrees); i++)
    if (!is_fixed (self, changes, degrees[i])
        && (!has_split || freedom == PLAIN || degrees[i] == SHARDWISE_KEY_STRATEGY_CP))
      shardwise_changes_insert (&dict, degrees[i], "x", (gint64) 1);
  if (is_fixed (self, changes, SHARDWISE_KEY_STRATEGY_PP)
      && !is_fixed (self, changes, SHARDWISE_KEY_STRATEGY_VPP)
      && !is_fixed (self, changes, SHARDWISE_KEY_STRATEGY_SCHEDULE))
    shardwise_changes_insert (&dict, SHARDWISE_KEY_STRATEGY_VPP, "x", (gint64) 1);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/* Returns (transfer full) (nullable): the advice for the plainest run that fits; @self->plain tells what it needs. */
ShardwiseAdvice *
shardwise_asking_plain (ShardwiseAsking *self)
{
  g_autoptr (GVariant) changes = shardwise_asking_own_changes (self, 0);

  for (Freedom freedom = PLAIN; freedom < SPLIT; freedom++)
    {
      g_autoptr (GVariant) plain = restrict_changes (self, changes, freedom);
      g_autoptr (ShardwiseAdvice) advice = shardwise_asking_try (self, plain);
      const SwEstimate *e = advice != NULL ? shardwise_advice_get_recommended (advice) : NULL;
      g_autofree char *before = NULL, *text = NULL;

      if (e == NULL || (!e->fits && (freedom > PLAIN || e->rule != SW_RULE_GPU_MEMORY)))
        continue;
      /* Translators: the plainest strategy, memory that it needs, and that a GPU has; the words in
         braces stay */
      text = shardwise_asking_fill (
          self, advice,
          e->fits
              ? _ ("Plainly, with {strategy}, a GPU needs {memory} of {usable_memory}: that fits.")
              : _ ("Plainly, with {strategy}, a GPU needs {memory} of {usable_memory}: that does "
                   "not fit."));
      before = g_steal_pointer (&self->plain);
      self->plain = before != NULL ? g_strconcat (before, " ", text, NULL)
                                   : g_steal_pointer (&text);
      if (e->fits)
        return shardwise_asking_evaluate (self, plain, TRUE);
    }
  return NULL;
}

/* Returns (transfer full) (nullable): the advice with reasons for the stated run, without unstated offload. */
ShardwiseAdvice *
shardwise_asking_own (ShardwiseAsking *self)
{
  g_autoptr (GVariant) changes = shardwise_asking_own_changes (self, 0),
                       last = restrict_changes (self, changes, SPLIT);

  return shardwise_asking_evaluate (self, last, TRUE);
}

/* Returns (transfer full) (nullable): the advice with changes; tells nothing if there is none. */
ShardwiseAdvice *
shardwise_asking_try (ShardwiseAsking *self, GVariant *changes)
{
  const ShardwiseAdviceOptions options = { .top = 1 };
  g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (self->scenario);

  return shardwise_scenario_apply (changed, changes, NULL)
             ? shardwise_advice_compute (changed, &options, self->cancellable, NULL)
             : NULL;
}
