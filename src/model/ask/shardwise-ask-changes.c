/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the slots of a question to the changes that the window could apply, and their evaluation. */
#include "shardwise-ask-answer-private.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-key.h"
#include "shardwise-changes.h"
#include "shardwise-format.h"

/* ---- changes ---- */

static gboolean
has (GVariant *changes, const char *path)
{
  g_autoptr (GVariant) value = g_variant_lookup_value (changes, path, NULL);

  return value != NULL;
}

static void
reset (GVariantDict *dict, ShardwiseScenario *scenario, GVariant *changes, const char *path)
{
  if (!has (changes, path) && shardwise_scenario_is_set (scenario, path))
    g_variant_dict_insert (dict, path, "s", "");
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
  if (has (changes, "cluster.gpu"))
    shardwise_other_cluster_forget_gpu (&dict, scenario);
  if (has (changes, "cluster.gpu_memory_gb"))
    reset (&dict, scenario, changes, "cluster.gpu");
  if (has (changes, "cluster.inter_node"))
    reset (&dict, scenario, changes, "cluster.inter_node_gb_s");
  if (has (changes, "cluster.intra_node"))
    reset (&dict, scenario, changes, "cluster.intra_node_gb_s");
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

/* "Twice the batch" of the scenario's; integers stay integers. */
static void
insert_factor (ShardwiseAsking *self, GVariantDict *dict, const ShardwiseAskSlot *slot)
{
  const ShardwiseKey *key = shardwise_key_find (slot->path);
  double now = shardwise_scenario_get_number (self->scenario, slot->path, NAN),
         value = now * slot->factor;

  if (key == NULL || isnan (now) || g_variant_dict_contains (dict, slot->path))
    return;
  if (key->kind == SHARDWISE_KEY_INTEGER)
    g_variant_dict_insert (dict, slot->path, "x", (gint64) MAX (1, floor (value)));
  else
    g_variant_dict_insert (dict, slot->path, "d", value);
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

      if (slot->side == side && slot->factor > 0 && slot->value == NULL)
        insert_factor (self, &dict, slot);
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
describe_number (const ShardwiseKey *key, GVariant *value)
{
  double number = g_variant_is_of_type (value, G_VARIANT_TYPE_INT64)
                      ? (double) g_variant_get_int64 (value)
                      : g_variant_get_double (value);
  g_autofree char *count = number >= 1e6 ? shardwise_format_count (number)
                                         : shardwise_format_tick (number);
  g_autofree char *plain = floor (number) == number && number < 1e6
                               ? shardwise_format_whole (number)
                           : number < 1e6 ? g_strdup_printf ("%.4g", number)
                                          : g_strdup (count);

  if (g_str_equal (key->path, "cluster.gpus"))
    return shardwise_format_gpus ((guint) number);
  /* Translators: name of an input, its value: "Sequence length 8192" */
  if (key->unit == NULL)
    return g_strdup_printf (_ ("%s %s"), _ (key->title), plain);
  /* Translators: name of an input, its value, its unit: "Network bandwidth per GPU 100 GB/s" */
  return g_strdup_printf (_ ("%s %s %s"), _ (key->title), plain, _ (key->unit));
}

static char *
describe_change (const ShardwiseKey *key, GVariant *value)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  const char *text;

  if (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    return g_strdup_printf (_ ("%s %s"), _ (key->title),
                            g_variant_get_boolean (value) ? _ ("on") : _ ("off"));
  if (!g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    return g_variant_is_of_type (value, G_VARIANT_TYPE_INT64)
                   || g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE)
               ? describe_number (key, value)
               : NULL;
  text = g_variant_get_string (value, NULL);
  if (*text == '\0')
    return NULL;
  if (g_str_equal (key->path, "cluster.gpu")
      && shardwise_catalogue_find_gpu (catalogue, text) != NULL)
    return g_strdup (shardwise_catalogue_find_gpu (catalogue, text)->name);
  if (g_str_equal (key->path, "model.preset")
      && shardwise_catalogue_find_model (catalogue, text) != NULL)
    return g_strdup (shardwise_catalogue_find_model (catalogue, text)->name);
  return g_strdup_printf (_ ("%s %s"), _ (key->title), shardwise_key_word_title (key->path, text));
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
  guint n;
  const ShardwiseKey *keys = shardwise_keys (&n);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GVariant) value = g_variant_lookup_value (changes, keys[i].path, NULL);
      g_autofree char *text = value != NULL ? describe_change (&keys[i], value) : NULL;

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
  shardwise_asking_say (self,
                        g_strdup_printf (_ ("That cannot be evaluated: %s."), error->message));
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
    shardwise_asking_say (self,
                          g_strdup_printf (_ ("That cannot be evaluated: %s."), why->message));
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
  const ShardwiseAdviceOptions options = { .top = 1, .explain = explain };
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
