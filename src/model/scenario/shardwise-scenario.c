/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The document: values by key, undo steps, and its JSON. */
#include "shardwise-scenario.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-json.h"
#include "shardwise-resolve.h"
#include "shardwise-values.h"

/* Number of undo steps. A step is an array of references, not of copies. */
#define MAX_UNDO 200

/* `values` is by ShardwiseKeyId; NULL: not set. */
struct _ShardwiseScenario {
  GObject parent_instance;
  GPtrArray *values;
  GPtrArray *undo, *redo; /* of GPtrArray */
  GPtrArray *saved;
  SwProblem *defaults; /* the problem that defaults are read from; NULL: not computed, or there
                          is none */
  gboolean defaults_tried, resolves;
  ShardwiseFactors factors;
};

G_DEFINE_FINAL_TYPE (ShardwiseScenario, shardwise_scenario, G_TYPE_OBJECT)

enum { PROP_0, PROP_NAME, PROP_MODIFIED, PROP_CAN_UNDO, PROP_CAN_REDO, N_PROPS };

static GParamSpec *properties[N_PROPS];
static guint changed_signal;

static void
forget_defaults (ShardwiseScenario *self)
{
  g_clear_pointer (&self->defaults, g_free);
  self->defaults_tried = FALSE;
}

/* Makes @values the current values. Returns: the old ones. */
static GPtrArray *
exchange (ShardwiseScenario *self, GPtrArray *values)
{
  GPtrArray *old = self->values;

  self->values = values;
  forget_defaults (self);
  return old;
}

static void
announce (ShardwiseScenario *self, GPtrArray *old)
{
  ShardwiseKeyId key = SHARDWISE_KEY_NONE;
  guint n = shardwise_values_differ (old, self->values, &key);
  const char *path = n > 1 ? "" : shardwise_key_path (key);

  if (n == 0)
    return;
  if (!shardwise_value_equal (shardwise_values_get (old, SHARDWISE_KEY_NAME),
                              shardwise_values_get (self->values, SHARDWISE_KEY_NAME)))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_NAME]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MODIFIED]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CAN_UNDO]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CAN_REDO]);

  g_signal_emit (self, changed_signal, g_quark_from_string (path), path);
}

/* Makes @values (transfer full) the current values as one undo step, unless they are equal. */
static void
commit (ShardwiseScenario *self, GPtrArray *values)
{
  g_autoptr (GPtrArray) old = NULL;

  if (shardwise_values_equal (self->values, values))
    {
      g_ptr_array_unref (values);
      return;
    }
  old = exchange (self, values);
  g_ptr_array_add (self->undo, g_ptr_array_ref (old));
  if (self->undo->len > MAX_UNDO)
    g_ptr_array_remove_index (self->undo, 0);
  g_ptr_array_set_size (self->redo, 0);
  announce (self, old);
}

static void
step (ShardwiseScenario *self, GPtrArray *from, GPtrArray *to)
{
  g_autoptr (GPtrArray) old = NULL;

  if (from->len == 0)
    return;
  old = exchange (self, g_ptr_array_steal_index (from, from->len - 1));
  g_ptr_array_add (to, g_ptr_array_ref (old));
  announce (self, old);
}

/**
 * shardwise_scenario_undo:
 *
 * Undoes the last change, if any.
 */
void
shardwise_scenario_undo (ShardwiseScenario *self)
{
  g_return_if_fail (SHARDWISE_IS_SCENARIO (self));

  step (self, self->undo, self->redo);
}

/**
 * shardwise_scenario_redo:
 *
 * Redoes the last undone change, if any.
 */
void
shardwise_scenario_redo (ShardwiseScenario *self)
{
  g_return_if_fail (SHARDWISE_IS_SCENARIO (self));

  step (self, self->redo, self->undo);
}

static gboolean
is_empty (GVariant *value)
{
  return g_variant_is_of_type (value, G_VARIANT_TYPE_STRING)
         && *g_variant_get_string (value, NULL) == '\0';
}

/* One change of @values; an empty text resets the key if @empty_resets (in a file it is a
 * value). */
static gboolean
change (GPtrArray *values, ShardwiseKeyId id, GVariant *value, gboolean empty_resets,
        GError **error)
{
  g_autoptr (GVariant) normalised = NULL;

  if (!empty_resets || !is_empty (value))
    {
      normalised = shardwise_key_normalise (shardwise_key_get (id), value, error);
      if (normalised == NULL)
        return FALSE;
      if (shardwise_model_form (id) != SHARDWISE_MODEL_NONE)
        shardwise_values_drop_other_models (values, shardwise_model_form (id));
    }
  shardwise_values_set (values, id, normalised);
  return TRUE;
}

/**
 * shardwise_scenario_set:
 * @id: a key
 * @value: sunk if floating; a text of "" resets the key
 *
 * Sets one value as one undo step. Setting model.preset, model.parameters_b or an architecture key
 * drops the other two forms.
 *
 * Returns: whether @value was accepted; otherwise nothing changed and @error states the allowed
 * values
 */
gboolean
shardwise_scenario_set (ShardwiseScenario *self, ShardwiseKeyId id, GVariant *value, GError **error)
{
  g_autoptr (GVariant) held = NULL;
  g_autoptr (GPtrArray) values = NULL;

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (self), FALSE);
  g_return_val_if_fail (value != NULL, FALSE);

  held = g_variant_ref_sink (value);
  values = shardwise_values_copy (self->values);
  if (!change (values, id, held, TRUE, error))
    return FALSE;
  commit (self, g_steal_pointer (&values));
  return TRUE;
}

/* Two forms of a model in one set of changes contradict each other. */
static gboolean
check_forms (ShardwiseModelForm *seen, ShardwiseKeyId id, GVariant *value, GError **error)
{
  ShardwiseModelForm form = shardwise_model_form (id);

  if (form == SHARDWISE_MODEL_NONE || is_empty (value))
    return TRUE;
  if (*seen == SHARDWISE_MODEL_NONE)
    *seen = form;
  if (*seen == form)
    return TRUE;
  g_propagate_error (
      error, shardwise_error_new (SHARDWISE_ERROR_INCONSISTENT, shardwise_key_path (id),
                                  _ ("the model is specified twice; allowed: one of model.preset, "
                                     "model.parameters_b or an architecture")));
  return FALSE;
}

/**
 * shardwise_scenario_apply:
 * @changes: sunk if floating; a{sv} of key path to value; a text of "" resets
 *
 * Sets several values as one undo step, all or none.
 *
 * Returns: whether all were accepted
 */
gboolean
shardwise_scenario_apply (ShardwiseScenario *self, GVariant *changes, GError **error)
{
  g_autoptr (GVariant) held = NULL;
  g_autoptr (GPtrArray) values = NULL;
  ShardwiseModelForm seen = SHARDWISE_MODEL_NONE;
  GVariantIter iter;
  const char *path;
  GVariant *value;

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (self), FALSE);
  g_return_val_if_fail (changes != NULL && g_variant_is_of_type (changes, G_VARIANT_TYPE_VARDICT),
                        FALSE);

  held = g_variant_ref_sink (changes);
  values = shardwise_values_copy (self->values);
  g_variant_iter_init (&iter, held);
  while (g_variant_iter_loop (&iter, "{&sv}", &path, &value))
    {
      const ShardwiseKey *key = shardwise_key_find (path);

      if (key == NULL)
        g_propagate_error (error, shardwise_unknown_key_error (path));
      else if (check_forms (&seen, key->id, value, error)
               && change (values, key->id, value, TRUE, error))
        continue;
      g_variant_unref (value);
      return FALSE;
    }
  commit (self, g_steal_pointer (&values));
  return TRUE;
}

/* Sets a value (sunk if floating) while a scenario is created: without an undo step or a signal.
 * Two forms of a model are an error here, whereas shardwise_scenario_set() replaces. */
static gboolean
load (ShardwiseScenario *self, ShardwiseKeyId id, GVariant *value, GError **error)
{
  g_autoptr (GVariant) held = g_variant_ref_sink (value);
  ShardwiseModelForm seen = SHARDWISE_MODEL_NONE;

  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1;
       i < SHARDWISE_N_KEYS && seen == SHARDWISE_MODEL_NONE; i++)
    if (shardwise_values_get (self->values, i) != NULL)
      seen = shardwise_model_form (i);
  if (!check_forms (&seen, id, held, error))
    return FALSE;
  forget_defaults (self);
  return change (self->values, id, held, FALSE, error);
}

/**
 * shardwise_scenario_reset:
 * @id: a key
 *
 * Resets @id to its default.
 */
void
shardwise_scenario_reset (ShardwiseScenario *self, ShardwiseKeyId id)
{
  GPtrArray *values;

  g_return_if_fail (SHARDWISE_IS_SCENARIO (self));

  values = shardwise_values_copy (self->values);
  shardwise_values_set (values, id, NULL);
  commit (self, values);
}

/**
 * shardwise_scenario_is_set:
 *
 * Returns: whether @id has a value of its own
 */
gboolean
shardwise_scenario_is_set (ShardwiseScenario *self, ShardwiseKeyId id)
{
  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (self), FALSE);

  return shardwise_values_get (self->values, id) != NULL;
}

/* The value set at @id: (transfer none) (nullable). */
GVariant *
shardwise_scenario_peek (ShardwiseScenario *self, ShardwiseKeyId id)
{
  return shardwise_values_get (self->values, id);
}

/* (transfer full) (nullable): the question of @self; NULL if it is inconsistent. */
static SwProblem *
problem_of (ShardwiseScenario *self)
{
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);

  return shardwise_scenario_resolve (self, problem, NULL, NULL) ? g_steal_pointer (&problem) : NULL;
}

/* Defaults depend on the other values (nodes of the GPU, links of the GPU), so they are read from
 * the resolved question, which is cached until the next change. */
static const SwProblem *
defaults_of (ShardwiseScenario *self)
{
  if (!self->defaults_tried)
    {
      self->defaults = problem_of (self);
      self->resolves = self->defaults != NULL;
      if (!self->resolves)
        {
          /* The question of @self without its pins, which are the most common contradiction and do
           * not affect other defaults. */
          g_autoptr (ShardwiseScenario) without = shardwise_scenario_copy (self);

          for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
            if (g_str_has_prefix (shardwise_key_path (i), "strategy."))
              shardwise_values_set (without->values, i, NULL);
          self->defaults = problem_of (without);
        }
      self->defaults_tried = TRUE;
    }
  return self->defaults;
}

/**
 * shardwise_scenario_get_resolves:
 *
 * Returns: whether the scenario is complete. If it is not, and not only because of its pinned
 * strategy, values that are not set have no default
 */
gboolean
shardwise_scenario_get_resolves (ShardwiseScenario *self)
{
  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (self), FALSE);

  defaults_of (self);
  return self->resolves;
}

/**
 * shardwise_scenario_get:
 *
 * Returns: (transfer full) (nullable): the value that was set, else its current default; %NULL if
 * there is none
 */
GVariant *
shardwise_scenario_get (ShardwiseScenario *self, ShardwiseKeyId id)
{
  GVariant *value, *fallback;

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (self), NULL);

  value = shardwise_values_get (self->values, id);
  if (value != NULL)
    return g_variant_ref (value);
  fallback = defaults_of (self) != NULL ? shardwise_resolve_default (self->defaults, id) : NULL;
  return fallback != NULL ? g_variant_ref_sink (fallback) : NULL;
}

/**
 * shardwise_scenario_get_modified:
 *
 * Returns: whether the values differ from those last saved
 */
gboolean
shardwise_scenario_get_modified (ShardwiseScenario *self)
{
  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (self), FALSE);

  return !shardwise_values_equal (self->values, self->saved);
}

/**
 * shardwise_scenario_set_saved_as:
 * @written: a copy of the scenario at the time of writing, or the scenario itself
 *
 * The values of @written are those in the file; it may have been edited since.
 */
void
shardwise_scenario_set_saved_as (ShardwiseScenario *self, ShardwiseScenario *written)
{
  g_return_if_fail (SHARDWISE_IS_SCENARIO (self));
  g_return_if_fail (SHARDWISE_IS_SCENARIO (written));

  g_ptr_array_unref (self->saved);
  self->saved = shardwise_values_copy (written->values);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MODIFIED]);
}

/**
 * shardwise_scenario_set_factors:
 * @factors: of the user's runs; neutral: no calibration
 *
 * From now on, evaluations are calibrated with @factors, and their notes state this. This is not an
 * undo step: the document does not change.
 */
void
shardwise_scenario_set_factors (ShardwiseScenario *self, const ShardwiseFactors *factors)
{
  g_return_if_fail (SHARDWISE_IS_SCENARIO (self) && factors != NULL);

  if (shardwise_factors_equal (&self->factors, factors))
    return;
  self->factors = shardwise_factors_round (factors);
  forget_defaults (self);
  g_signal_emit (self, changed_signal, 0, "");
}

/**
 * shardwise_scenario_get_factors:
 *
 * Returns: the current factors
 */
ShardwiseFactors
shardwise_scenario_get_factors (ShardwiseScenario *self)
{
  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (self), SHARDWISE_FACTORS_NEUTRAL);
  return self->factors;
}

/**
 * shardwise_scenario_copy:
 *
 * Returns: (transfer full): the same values, unmodified, without history, for a worker thread
 */
ShardwiseScenario *
shardwise_scenario_copy (ShardwiseScenario *self)
{
  ShardwiseScenario *copy;

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (self), NULL);

  copy = g_object_new (SHARDWISE_TYPE_SCENARIO, NULL);
  g_ptr_array_unref (copy->values);
  g_ptr_array_unref (copy->saved);
  copy->values = shardwise_values_copy (self->values);
  copy->saved = shardwise_values_copy (self->values);
  copy->factors = self->factors;
  return copy;
}

/**
 * shardwise_scenario_replace:
 * @other: the source of the values
 *
 * Returns: whether anything changed
 */
gboolean
shardwise_scenario_replace (ShardwiseScenario *self, ShardwiseScenario *other)
{
  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (self), FALSE);
  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (other), FALSE);

  if (shardwise_values_equal (self->values, other->values))
    return FALSE;
  commit (self, shardwise_values_copy (other->values));
  return TRUE;
}

/**
 * shardwise_scenario_new:
 *
 * Returns: (transfer full): a valid and complete scenario: Llama 3 8B on eight H100
 */
ShardwiseScenario *
shardwise_scenario_new (void)
{
  ShardwiseScenario *self = g_object_new (SHARDWISE_TYPE_SCENARIO, NULL);

  load (self, SHARDWISE_KEY_MODEL_PRESET, g_variant_new_string ("llama-3-8b"), NULL);
  load (self, SHARDWISE_KEY_CLUSTER_GPU, g_variant_new_string ("h100-80-sxm"), NULL);
  load (self, SHARDWISE_KEY_CLUSTER_GPUS, g_variant_new_int64 (8), NULL);
  shardwise_scenario_set_saved_as (self, self);
  return self;
}

static void
shardwise_scenario_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  ShardwiseScenario *self = SHARDWISE_SCENARIO (object);

  switch (prop_id)
    {
    case PROP_NAME:
      g_value_set_string (value, shardwise_scenario_peek_string (self, SHARDWISE_KEY_NAME));
      break;
    case PROP_MODIFIED: g_value_set_boolean (value, shardwise_scenario_get_modified (self)); break;
    case PROP_CAN_UNDO: g_value_set_boolean (value, self->undo->len > 0); break;
    case PROP_CAN_REDO: g_value_set_boolean (value, self->redo->len > 0); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
shardwise_scenario_set_property (GObject *object, guint prop_id, const GValue *value,
                                 GParamSpec *pspec)
{
  const char *name = g_value_get_string (value);

  if (prop_id == PROP_NAME)
    shardwise_scenario_set (SHARDWISE_SCENARIO (object), SHARDWISE_KEY_NAME,
                            g_variant_new_string (name != NULL ? name : ""), NULL);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static void
shardwise_scenario_finalize (GObject *object)
{
  ShardwiseScenario *self = SHARDWISE_SCENARIO (object);

  g_ptr_array_unref (self->values);
  g_ptr_array_unref (self->saved);
  g_ptr_array_unref (self->undo);
  g_ptr_array_unref (self->redo);
  forget_defaults (self);
  G_OBJECT_CLASS (shardwise_scenario_parent_class)->finalize (object);
}

static void
shardwise_scenario_class_init (ShardwiseScenarioClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = shardwise_scenario_get_property;
  object_class->set_property = shardwise_scenario_set_property;
  object_class->finalize = shardwise_scenario_finalize;

  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL,
                                               G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY
                                                   | G_PARAM_STATIC_STRINGS);
  properties[PROP_MODIFIED] = g_param_spec_boolean ("modified", NULL, NULL, FALSE,
                                                    G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_CAN_UNDO] = g_param_spec_boolean ("can-undo", NULL, NULL, FALSE,
                                                    G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_CAN_REDO] = g_param_spec_boolean ("can-redo", NULL, NULL, FALSE,
                                                    G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  /**
   * ShardwiseScenario::changed:
   * @path: the changed key, which is also the detail; "": several keys
   */
  changed_signal = g_signal_new ("changed", SHARDWISE_TYPE_SCENARIO,
                                 G_SIGNAL_RUN_LAST | G_SIGNAL_DETAILED, 0, NULL, NULL, NULL,
                                 G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
shardwise_scenario_init (ShardwiseScenario *self)
{
  self->factors = SHARDWISE_FACTORS_NEUTRAL;
  self->values = shardwise_values_new ();
  self->saved = shardwise_values_new ();
  self->undo = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  self->redo = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
}

/* Values of a scenario as numbers and texts. */

static double
number_of (GVariant *value, double fallback)
{
  if (value == NULL)
    return fallback;
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_INT64))
    return (double) g_variant_get_int64 (value);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE))
    return g_variant_get_double (value);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    return g_variant_get_boolean (value);
  return fallback;
}

/* The number or boolean set at @id, else @fallback. */
double
shardwise_scenario_peek_number (ShardwiseScenario *self, ShardwiseKeyId id, double fallback)
{
  return number_of (shardwise_scenario_peek (self, id), fallback);
}

/* The text set at @id: (transfer none) (nullable). */
const char *
shardwise_scenario_peek_string (ShardwiseScenario *self, ShardwiseKeyId id)
{
  GVariant *value = shardwise_scenario_peek (self, id);

  return value != NULL && g_variant_is_of_type (value, G_VARIANT_TYPE_STRING)
             ? g_variant_get_string (value, NULL)
             : NULL;
}

/**
 * shardwise_scenario_get_string:
 *
 * Returns: (transfer full) (nullable): the value at @id, or its default, as text: numbers in the
 * C locale, an array's words joined by commas
 */
char *
shardwise_scenario_get_string (ShardwiseScenario *self, ShardwiseKeyId id)
{
  g_autoptr (GVariant) value = shardwise_scenario_get (self, id);
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (value == NULL)
    return NULL;
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    return g_variant_dup_string (value, NULL);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    return g_strdup (g_variant_get_boolean (value) ? "true" : "false");
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING_ARRAY))
    {
      g_autofree const char **words = g_variant_get_strv (value, NULL);

      return g_strjoinv (",", (char **) words);
    }
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_INT64))
    return g_strdup_printf ("%" G_GINT64_FORMAT, g_variant_get_int64 (value));
  return g_strdup (g_ascii_formatd (buffer, sizeof buffer, "%.15g", g_variant_get_double (value)));
}

/**
 * shardwise_scenario_get_number:
 *
 * Returns: the number (or 0 and 1 of a boolean) at @id, or its default; @fallback if it has neither
 */
double
shardwise_scenario_get_number (ShardwiseScenario *self, ShardwiseKeyId id, double fallback)
{
  g_autoptr (GVariant) value = shardwise_scenario_get (self, id);

  return number_of (value, fallback);
}

/* Scenario files: from JSON to values by key path, and back. */

#define FORMAT "shardwise-scenario"
#define VERSION 1

static gboolean
is_section (const char *path)
{
  gsize length = strlen (path);

  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    if (g_str_has_prefix (shardwise_key_path (i), path) && shardwise_key_path (i)[length] == '.')
      return TRUE;
  return FALSE;
}

static GVariant *
node_to_variant (const ShardwiseKey *key, JsonNode *node)
{
  if (JSON_NODE_HOLDS_VALUE (node))
    {
      switch (json_node_get_value_type (node))
        {
        case G_TYPE_BOOLEAN: return g_variant_new_boolean (json_node_get_boolean (node));
        case G_TYPE_INT64: return g_variant_new_int64 (json_node_get_int (node));
        case G_TYPE_DOUBLE: return g_variant_new_double (json_node_get_double (node));
        case G_TYPE_STRING: return g_variant_new_string (json_node_get_string (node));
        default: return NULL;
        }
    }
  if (JSON_NODE_HOLDS_ARRAY (node) && key->kind == SHARDWISE_KIND_STRINGS)
    {
      JsonArray *array = json_node_get_array (node);
      g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
      g_auto (GStrv) words = NULL;

      for (guint i = 0; i < json_array_get_length (array); i++)
        {
          JsonNode *item = json_array_get_element (array, i);

          if (json_node_get_value_type (item) != G_TYPE_STRING)
            return NULL;
          g_strv_builder_add (builder, json_node_get_string (item));
        }
      words = g_strv_builder_end (builder);
      return g_variant_new_strv ((const char *const *) words, -1);
    }
  if (JSON_NODE_HOLDS_OBJECT (node) && key->kind == SHARDWISE_KIND_RECOMPUTE)
    {
      /* {"full_layers": N} -> "full_layers:N" */
      JsonObject *object = json_node_get_object (node);
      JsonNode *layers = json_object_get_member (object, "full_layers");

      if (json_object_get_size (object) != 1 || layers == NULL
          || json_node_get_value_type (layers) != G_TYPE_INT64)
        return NULL;
      return g_variant_new_take_string (
          g_strdup_printf ("full_layers:%" G_GINT64_FORMAT, json_node_get_int (layers)));
    }
  if (JSON_NODE_HOLDS_OBJECT (node) && key->kind == SHARDWISE_KIND_GPU)
    return g_variant_new_take_string (g_strstrip (shardwise_json_to_string (node)));
  return NULL;
}

static gboolean
load_object (ShardwiseScenario *self, const char *prefix, JsonObject *object, GError **error)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &node))
    {
      g_autofree char *path = prefix != NULL ? g_strconcat (prefix, ".", name, NULL)
                                             : g_strdup (name);
      const ShardwiseKey *key = shardwise_key_find (path);

      if (prefix == NULL && (g_str_equal (name, "format") || g_str_equal (name, "version")))
        continue;
      if (key != NULL)
        {
          GVariant *value = node_to_variant (key, node);

          if (value == NULL)
            {
              g_autofree char *accepted = shardwise_key_describe_range (key);
              const char *kind = JSON_NODE_HOLDS_OBJECT (node)  ? _ ("an object")
                                 : JSON_NODE_HOLDS_ARRAY (node) ? _ ("an array")
                                                                : "null";

              if (key->kind == SHARDWISE_KIND_GPU && JSON_NODE_HOLDS_ARRAY (node))
                g_propagate_error (
                    error, shardwise_error_new (SHARDWISE_ERROR_TYPE, path,
                                                _ ("one job cannot use several GPU types; allowed: "
                                                   "one GPU type. Run “advise” for each type")));
              else
                /* Translators: "an object" or "an array", then what is allowed */
                g_propagate_error (error,
                                   shardwise_error_new (SHARDWISE_ERROR_TYPE, path,
                                                        _ ("%s has the wrong type; allowed: %s"),
                                                        kind, accepted));
              return FALSE;
            }
          if (!load (self, key->id, value, error))
            return FALSE;
        }
      else if (!is_section (path))
        {
          g_propagate_error (error, shardwise_unknown_key_error (path));
          return FALSE;
        }
      else if (!JSON_NODE_HOLDS_OBJECT (node))
        {
          g_propagate_error (error,
                             shardwise_error_new (SHARDWISE_ERROR_TYPE, path,
                                                  _ ("has the wrong type; allowed: an object")));
          return FALSE;
        }
      else if (!load_object (self, path, json_node_get_object (node), error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_header (JsonObject *object, GError **error)
{
  JsonNode *format = json_object_get_member (object, "format"),
           *version = json_object_get_member (object, "version");

  if (format != NULL
      && (json_node_get_value_type (format) != G_TYPE_STRING
          || !g_str_equal (json_node_get_string (format), FORMAT)))
    g_propagate_error (error,
                       shardwise_error_new (SHARDWISE_ERROR_CHOICE, "format",
                                            _ ("not a Shardwise scenario; allowed: %s"), FORMAT));
  else if (version != NULL
           && (json_node_get_value_type (version) != G_TYPE_INT64
               || json_node_get_int (version) != VERSION))
    g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_CHOICE, "version",
                                                   _ ("unknown version; allowed: %d"), VERSION));
  else
    return TRUE;
  return FALSE;
}

/**
 * shardwise_scenario_from_json:
 * @text: a scenario file
 * @length: in bytes; -1: null-terminated
 *
 * Returns: (transfer full): the scenario, unmodified; %NULL with @error, which states the line or
 * the key path
 */
ShardwiseScenario *
shardwise_scenario_from_json (const char *text, gssize length, GError **error)
{
  g_autoptr (ShardwiseScenario) self = NULL;
  g_autoptr (JsonNode) root = NULL;

  g_return_val_if_fail (text != NULL, NULL);

  root = shardwise_json_parse (text, length < 0 ? strlen (text) : (gsize) length, error);
  if (root == NULL)
    return NULL;
  if (!JSON_NODE_HOLDS_OBJECT (root))
    {
      g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_TYPE, NULL,
                                                     _ ("not a scenario; allowed: a JSON object")));
      return NULL;
    }
  self = g_object_new (SHARDWISE_TYPE_SCENARIO, NULL);
  if (!check_header (json_node_get_object (root), error)
      || !load_object (self, NULL, json_node_get_object (root), error))
    return NULL;
  g_debug ("read a scenario");
  shardwise_scenario_set_saved_as (self, self);
  return g_steal_pointer (&self);
}

static JsonNode *
variant_to_node (const ShardwiseKey *key, GVariant *value)
{
  const char *text;
  JsonNode *node = NULL;

  if (key->kind == SHARDWISE_KIND_VERSION && g_variant_get_int64 (value) == 0)
    return json_node_init_boolean (json_node_alloc (), FALSE);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_INT64))
    return json_node_init_int (json_node_alloc (), g_variant_get_int64 (value));
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE))
    return json_node_init_double (json_node_alloc (), g_variant_get_double (value));
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    return json_node_init_boolean (json_node_alloc (), g_variant_get_boolean (value));
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING_ARRAY))
    {
      g_autofree const char **words = g_variant_get_strv (value, NULL);
      JsonArray *array = json_array_new ();

      node = json_node_alloc ();
      for (guint i = 0; words[i] != NULL; i++)
        json_array_add_string_element (array, words[i]);
      json_node_init_array (node, array);
      json_array_unref (array);
      return node;
    }
  text = g_variant_get_string (value, NULL);
  if (key->kind == SHARDWISE_KIND_GPU && text[0] == '{')
    node = shardwise_json_parse (text, strlen (text), NULL);
  if (node == NULL && key->kind == SHARDWISE_KIND_RECOMPUTE
      && g_str_has_prefix (text, "full_layers:"))
    {
      JsonObject *object = json_object_new ();

      json_object_set_int_member (object, "full_layers",
                                  g_ascii_strtoll (text + strlen ("full_layers:"), NULL, 10));
      node = shardwise_json_take_object (object);
    }
  return node != NULL ? node : json_node_init_string (json_node_alloc (), text);
}

/**
 * shardwise_scenario_to_json:
 *
 * Returns: (transfer full): the scenario file: every value that was set, in the order of the key
 * table
 */
char *
shardwise_scenario_to_json (ShardwiseScenario *self)
{
  JsonObject *object = json_object_new ();
  g_autoptr (JsonNode) root = shardwise_json_take_object (object);

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (self), NULL);

  json_object_set_string_member (object, "format", FORMAT);
  json_object_set_int_member (object, "version", VERSION);
  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    {
      GVariant *value = shardwise_scenario_peek (self, i);
      g_auto (GStrv) parts = g_strsplit (shardwise_key_path (i), ".", -1);
      JsonObject *section = object;
      guint last = 0;

      if (value == NULL)
        continue;
      for (; parts[last + 1] != NULL; last++)
        {
          if (!json_object_has_member (section, parts[last]))
            json_object_set_object_member (section, parts[last], json_object_new ());
          section = json_object_get_object_member (section, parts[last]);
        }
      json_object_set_member (section, parts[last], variant_to_node (shardwise_key_get (i), value));
    }
  return shardwise_json_to_string (root);
}
