/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-input-control.h"

#include <glib/gi18n.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "shardwise-catalogue.h"
#include "shardwise-changes.h"
#include "shardwise-error.h"
#include "shardwise-input-number.h"
#include "shardwise-key.h"
#include "shardwise-machine.h"
#include "shardwise-resolve.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-software.h"

#define DIGITS 4           /* significant digits of a default */
#define DIGITS_OF_STEPS 12 /* significant digits of a stepped value: 0.3, not 0.30000000000000004 */

/* Plain words for links; a file may name any link of the catalog. */
static const char *const intra_words[] = { "nvlink", "pcie", NULL };
static const char *const inter_words[] = { "infiniband",   "roce", "ethernet-10", "ethernet-25",
                                           "ethernet-100", "efa",  NULL };

static const char *const *
link_words (const ShardwiseKey *key)
{
  if (key->id == SHARDWISE_KEY_CLUSTER_INTRA_NODE)
    return intra_words;
  return key->id == SHARDWISE_KEY_CLUSTER_INTER_NODE ? inter_words : NULL;
}

static gboolean
is_number (const ShardwiseKey *key)
{
  return key->kind == SHARDWISE_KIND_INTEGER || key->kind == SHARDWISE_KIND_NUMBER;
}

/* The widget for a key. automatic: the search may choose its value. */
ShardwiseControlKind
shardwise_control_kind (const ShardwiseKey *key, gboolean automatic)
{
  if (shardwise_software_is_key (key->id))
    return SHARDWISE_CONTROL_LIST;
  if (key->kind == SHARDWISE_KIND_BOOLEAN)
    return automatic ? SHARDWISE_CONTROL_LIST : SHARDWISE_CONTROL_SWITCH;
  if (key->kind == SHARDWISE_KIND_CHOICE || key->kind == SHARDWISE_KIND_GPU
      || key->kind == SHARDWISE_KIND_RECOMPUTE)
    return SHARDWISE_CONTROL_LIST;
  if (key->id == SHARDWISE_KEY_MODEL_PRESET || link_words (key) != NULL)
    return SHARDWISE_CONTROL_LIST;
  return automatic && key->kind == SHARDWISE_KIND_INTEGER ? SHARDWISE_CONTROL_LIST
                                                          : SHARDWISE_CONTROL_ENTRY;
}

/* Rounds a computed default to four significant digits; typed values keep all their digits. */
static double
sensible (double value)
{
  double scale;

  if (!(fabs (value) > 0) || !isfinite (value))
    return value;
  scale = pow (10, CLAMP (DIGITS - 1 - floor (log10 (fabs (value))), 0, 15));
  return round (value * scale) / scale;
}

/* The text of an entry for the value or its default; "" if there is neither. */
char *
shardwise_control_text (const ShardwiseKey *key, ShardwiseScenario *scenario)
{
  char *text;

  if (is_number (key))
    {
      double value = shardwise_scenario_get_number (scenario, key->id, NAN);

      return isnan (value)
                 ? g_strdup ("")
                 : shardwise_input_number_format (
                     shardwise_scenario_is_set (scenario, key->id) ? value : sensible (value),
                     key->kind == SHARDWISE_KIND_INTEGER);
    }
  text = shardwise_scenario_get_string (scenario, key->id);
  return text != NULL ? text : g_strdup ("");
}

/* The value for the text of an entry or an option: floating; "" resets the key. */
GVariant *
shardwise_control_value (const ShardwiseKey *key, const char *text, GError **error)
{
  g_autofree char *stripped = g_strstrip (g_strdup (text));
  g_autofree char *range = NULL;
  ShardwiseNumberKind read;
  double number;

  if (*stripped == '\0')
    return g_variant_new_string ("");
  if (key->kind == SHARDWISE_KIND_BOOLEAN)
    return g_variant_new_boolean (g_str_equal (stripped, "true"));
  if (key->kind == SHARDWISE_KIND_VERSION)
    return g_variant_new_double (g_ascii_strtod (stripped, NULL));
  if (key->kind == SHARDWISE_KIND_STRINGS)
    {
      g_auto (GStrv) words = g_strsplit_set (stripped, ", ", -1);
      GVariantBuilder named;

      g_variant_builder_init (&named, G_VARIANT_TYPE_STRING_ARRAY);
      for (guint i = 0; words[i] != NULL; i++)
        if (*words[i] != '\0') /* as between a comma and a space */
          g_variant_builder_add (&named, "s", words[i]);
      return g_variant_builder_end (&named);
    }
  if (!is_number (key))
    return g_variant_new_string (stripped);
  /* Lengths in tokens use powers of two: 8k is 8,192. */
  read = shardwise_input_number_read (
      stripped, key->kind == SHARDWISE_KIND_INTEGER && g_strcmp0 (key->unit, "tokens") == 0,
      &number);
  if (read == SHARDWISE_NUMBER_ONE)
    return g_variant_new_double (number);
  range = shardwise_key_describe_range (key);
  g_set_error (
      error, SHARDWISE_ERROR, SHARDWISE_ERROR_TYPE,
      read == SHARDWISE_NUMBER_AMBIGUOUS
          /* Translators: the first %s is what was typed, as "1.234", the second a range as in
       * "1 to 64" */
          ? _ ("“%s” can mean thousands or a fraction. Omit the separator; allowed: %s")
          /* Translators: the first %s is what was typed, the second a range as in "1 to 64" */
          : _ ("“%s” is not a number; allowed: %s"),
      stripped, range);
  return NULL;
}

/* Whether the value is within the key's range; the error quotes the typed text, not the number as
 * files write it. */
gboolean
shardwise_control_accepts (const ShardwiseKey *key, GVariant *value, const char *text,
                           GError **error)
{
  g_autofree char *range = NULL, *quoted = NULL;
  gboolean in_range;
  double number;

  if (!is_number (key) || !g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE))
    return TRUE;
  number = g_variant_get_double (value);
  in_range = number >= key->minimum && number <= key->maximum;
  if (in_range && (key->kind == SHARDWISE_KIND_NUMBER || number == floor (number)))
    return TRUE;
  range = shardwise_key_describe_range (key);
  quoted = g_strdup_printf ("“%s”", text);
  g_set_error (error, SHARDWISE_ERROR, in_range ? SHARDWISE_ERROR_TYPE : SHARDWISE_ERROR_RANGE,
               in_range ? _ ("%s is not a whole number; allowed: %s")
                        : _ ("%s is out of range; allowed: %s"),
               quoted, range);
  return FALSE;
}

/* Up and Down in an entry: counts of GPUs and lengths double or halve, other integers change by
 * one, and numbers by a tenth of their size. */
double
shardwise_control_step (const ShardwiseKey *key, double value, int direction)
{
  gboolean doubles = key->kind == SHARDWISE_KIND_INTEGER && key->maximum >= 1024;
  double stepped, tenth, scale;

  if (doubles)
    stepped = direction > 0 ? value * 2 : floor (value / 2);
  else if (key->kind == SHARDWISE_KIND_INTEGER)
    stepped = value + direction;
  else
    {
      tenth = floor (log10 (fabs (value) > 0 ? fabs (value) : 1)) - 1;
      scale = pow (10, MAX (0, DIGITS_OF_STEPS - tenth));
      stepped = round ((value + direction * pow (10, tenth)) * scale) / scale;
    }
  return CLAMP (stepped, key->minimum, key->maximum);
}

static gboolean
names_model (ShardwiseKeyId id)
{
  return id == SHARDWISE_KEY_MODEL_PRESET || id == SHARDWISE_KEY_MODEL_PARAMETERS_B;
}

/* Editing a part of a preset's or a size's architecture makes all of it the user's own. */
static GVariant *
whole_architecture (const ShardwiseKey *key, ShardwiseScenario *scenario, GVariant *value)
{
  GVariantDict changes;

  g_variant_dict_init (&changes, NULL);
  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    {
      g_autoptr (GVariant) present = NULL;

      if (!g_str_has_prefix (shardwise_key_path (i), "model.") || names_model (i))
        continue;
      present = shardwise_scenario_get (scenario, i);
      if (present != NULL)
        g_variant_dict_insert_value (&changes, shardwise_key_path (i), present);
    }
  g_variant_dict_insert_value (&changes, key->path, value);
  return g_variant_dict_end (&changes);
}

/* From a model of the catalog to a bare size: keeps its number of parameters. */
static GVariant *
custom_size (ShardwiseScenario *scenario)
{
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  double billions = 7;
  GVariantDict changes;

  if (shardwise_scenario_resolve (scenario, problem, NULL, NULL))
    billions = CLAMP (round (problem->count.total / 1e8) / 10, 0.1, 10000);
  g_variant_dict_init (&changes, NULL);
  shardwise_changes_insert (&changes, SHARDWISE_KEY_MODEL_PARAMETERS_B, "d", billions);
  return g_variant_dict_end (&changes);
}

/* Billions of parameters in the option of a size: "=70"; 0: not a size. */
static double
size_of (GVariant *value)
{
  const char *text = g_variant_is_of_type (value, G_VARIANT_TYPE_STRING)
                         ? g_variant_get_string (value, NULL)
                         : "";

  return *text == '=' ? g_ascii_strtod (text + 1, NULL) : 0;
}

/* Sets a value: without a preset there is still a size, and an architecture is edited as a whole.
 */
gboolean
shardwise_control_set (const ShardwiseKey *key, ShardwiseScenario *scenario, GVariant *value,
                       GError **error)
{
  gboolean resets = g_variant_is_of_type (value, G_VARIANT_TYPE_STRING)
                    && *g_variant_get_string (value, NULL) == '\0';
  gboolean given = shardwise_scenario_is_set (scenario, SHARDWISE_KEY_MODEL_PRESET)
                   || shardwise_scenario_is_set (scenario, SHARDWISE_KEY_MODEL_PARAMETERS_B);

  if (key->id == SHARDWISE_KEY_MODEL_PRESET && size_of (value) > 0)
    {
      GVariantDict size;

      g_variant_dict_init (&size, NULL);
      shardwise_changes_insert (&size, SHARDWISE_KEY_MODEL_PARAMETERS_B, "d", size_of (value));
      return shardwise_scenario_apply (scenario, g_variant_dict_end (&size), error);
    }
  if (resets && key->id == SHARDWISE_KEY_MODEL_PRESET)
    return shardwise_scenario_apply (scenario, custom_size (scenario), error);
  if (given && !names_model (key->id) && g_str_has_prefix (key->path, "model."))
    return shardwise_scenario_apply (scenario, whole_architecture (key, scenario, value), error);
  return shardwise_scenario_set (scenario, key->id, value, error);
}

/* The subject of a scenario has no default: choosing the GPUs is not a change. */
static gboolean
has_default (ShardwiseKeyId id)
{
  return !names_model (id) && id != SHARDWISE_KEY_CLUSTER_GPU && id != SHARDWISE_KEY_CLUSTER_GPUS;
}

/* Whether the value differs from the default that the other inputs imply. */
gboolean
shardwise_control_differs (const ShardwiseKey *key, ShardwiseScenario *scenario)
{
  g_autoptr (ShardwiseScenario) without = NULL;
  g_autofree char *mine = NULL, *usual = NULL;

  if (!has_default (key->id))
    return FALSE;
  without = shardwise_scenario_copy (scenario);
  shardwise_scenario_reset (without, key->id);
  mine = shardwise_scenario_get_string (scenario, key->id);
  usual = shardwise_scenario_get_string (without, key->id);
  return g_strcmp0 (mine, usual) != 0;
}

/* Appends an option. subtitle: (nullable). */
void
shardwise_control_list_add (GListStore *store, const char *value, const char *label,
                            const char *subtitle)
{
  g_autoptr (ShardwiseInputOption) option = shardwise_input_option_new (value, label, subtitle,
                                                                        TRUE);

  g_list_store_append (store, option);
}

/* "full_layers:4" in the user's words; NULL: another value. */
static char *
name_of_layers (const char *value)
{
  SwStrategy strategy;
  g_autofree char *text = NULL;

  sw_strategy_init_default (&strategy);
  strategy.recompute = SW_RECOMPUTE_FULL_LAYERS;
  if (sscanf (value, "full_layers:%u", &strategy.full_layers) != 1)
    return NULL;
  text = shardwise_text_value (&strategy, SW_DIM_RECOMPUTE);
  return shardwise_text_capitalise (text);
}

/* The display name of a value without a word of the key: a link of the catalog, or an object based
 * on an entry; otherwise the value itself. A plain word for a link is displayed as its meaning in
 * @scenario: which Ethernet. scenario: (nullable): has that value. */
static char *
name_of_value (const ShardwiseKey *key, const char *value, ShardwiseScenario *scenario)
{
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  const gboolean inter_node = key->id == SHARDWISE_KEY_CLUSTER_INTER_NODE;
  g_autofree char *layers = key->kind == SHARDWISE_KIND_RECOMPUTE ? name_of_layers (value) : NULL;
  SwProblem problem;
  SwLink link;

  if (layers != NULL)
    return g_steal_pointer (&layers);
  if (*value == '{')
    {
      char *name = shardwise_cluster_name (value);

      return name != NULL ? name : g_strdup (_ ("Custom"));
    }
  if (link_words (key) != NULL && scenario != NULL
      && shardwise_scenario_resolve (scenario, &problem, NULL, NULL))
    return g_strdup (inter_node ? problem.cluster.inter.name : problem.cluster.intra.name);
  if (link_words (key) != NULL
      && shardwise_catalogue_find_link (catalogue, value,
                                        shardwise_catalogue_gpu_for_memory (catalogue, 80),
                                        inter_node, &link, NULL))
    return g_strdup (link.name);
  if (key->id == SHARDWISE_KEY_CLUSTER_GPU)
    {
      const SwGpu *gpu = shardwise_catalogue_find_gpu (catalogue, value);

      return g_strdup (gpu != NULL ? gpu->name : value);
    }
  return g_strdup (value);
}

static void
add_words (GListStore *store, const ShardwiseKey *key, const char *const *words)
{
  for (; words != NULL && *words != NULL; words++)
    if (!g_str_equal (*words, "fp8-tensorwise")) /* the long spelling of fp8 */
      {
        const char *title = shardwise_key_word_title (key->id, *words);
        g_autofree char *name = title == *words ? name_of_value (key, *words, NULL)
                                                : g_strdup (title);

        shardwise_control_list_add (store, *words, name, NULL);
      }
}

/* Appends an option for each entry of the catalog (transfer full), with `prefix` before its id. */
void
shardwise_control_list_add_catalogue (GListStore *store, const char *prefix, GListModel *entries)
{
  for (guint i = 0; i < g_list_model_get_n_items (entries); i++)
    {
      g_autoptr (GObject) entry = g_list_model_get_item (entries, i);
      g_autofree char *id = NULL, *name = NULL, *subtitle = NULL, *value = NULL;

      g_object_get (entry, "id", &id, "name", &name, "subtitle", &subtitle, NULL);
      value = g_strconcat (prefix, id, NULL);
      shardwise_control_list_add (store, value, name, subtitle);
    }
  g_object_unref (entries);
}

/* Fills a drop-down with the values that the key accepts; the first option is "" if the key may be
 * absent. */
void
shardwise_control_list_fill (GListStore *store, const ShardwiseKey *key, gboolean automatic)
{
  static const char *const recompute_words[] = { "none", "selective", "full", NULL };
  static const char *const version_words[] = { "3", "2", "1", "0", NULL };
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();

  if (automatic)
    shardwise_control_list_add (store, "", _ ("Auto"), NULL);
  else if (shardwise_software_is_key (key->id))
    /* Translators: a feature is on or off as the framework had it at the date of the software */
    shardwise_control_list_add (store, "", _ ("By date"), NULL);
  if (key->id == SHARDWISE_KEY_MODEL_PRESET)
    {
      shardwise_control_list_add (store, "", _ ("Custom"), _ ("Custom size or architecture"));
      shardwise_control_list_add_catalogue (store, "", shardwise_catalogue_models (catalogue));
    }
  else if (key->kind == SHARDWISE_KIND_GPU)
    {
      g_autoptr (GPtrArray) clusters = shardwise_clusters_list ();

      for (guint n = 0; n < clusters->len; n++)
        {
          const ShardwiseKeptCluster *cluster = clusters->pdata[n];

          shardwise_control_list_add (store, cluster->object, cluster->name,
                                      _ ("Measured on your machine"));
        }
      shardwise_control_list_add_catalogue (store, "", shardwise_catalogue_gpus (catalogue));
    }
  else if (link_words (key) != NULL)
    {
      shardwise_control_list_add (store, "", _ ("Usual"), NULL);
      add_words (store, key, link_words (key));
    }
  else if (key->kind == SHARDWISE_KIND_RECOMPUTE)
    {
      add_words (store, key, recompute_words);
    }
  else if (key->kind == SHARDWISE_KIND_VERSION)
    {
      add_words (store, key, version_words);
    }
  else if (key->kind == SHARDWISE_KIND_BOOLEAN)
    {
      shardwise_control_list_add (store, "true", _ ("On"), NULL);
      shardwise_control_list_add (store, "false", _ ("Off"), NULL);
    }
  else
    {
      add_words (store, key, key->choices);
    }
}

/* Position of the option with that value; G_MAXUINT: none. */
static guint
list_find (GListModel *model, const char *value)
{
  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr (ShardwiseInputOption) option = g_list_model_get_item (model, i);

      if (g_str_equal (shardwise_input_option_get_value (option), value))
        return i;
    }
  return G_MAXUINT;
}

/* billions: of parameters. (transfer full) */
static char *
custom_name (double billions)
{
  g_autofree char *number = shardwise_input_number_format (billions, FALSE);

  /* Translators: a model that is not in the list; %s is a number of billions: "70" */
  return g_strdup_printf (_ ("Custom, %s B parameters"), number);
}

/**
 * shardwise_control_offer_size:
 * @store: the models to choose from
 * @typed: the search text: "70b", "1.5 B", "13"
 *
 * Appends the option of a model of that size; removes it if the text is not a size.
 */
void
shardwise_control_offer_size (GListStore *store, const char *typed)
{
  const ShardwiseKey *key = shardwise_key_get (SHARDWISE_KEY_MODEL_PARAMETERS_B);
  const guint n = g_list_model_get_n_items (G_LIST_MODEL (store));
  g_autoptr (ShardwiseInputOption) last = g_list_model_get_item (G_LIST_MODEL (store), n - 1);
  g_autofree char *text = g_utf8_strdown (typed, -1), *value = NULL, *name = NULL;
  double billions = 0, factor = 1;
  char *unit;

  if (*shardwise_input_option_get_value (last) == '=')
    g_list_store_remove (store, n - 1);
  g_strstrip (text);
  unit = text + strspn (text, "0123456789.,");
  if (strchr ("bm", *unit) != NULL && *unit != '\0' && unit[1] == '\0')
    {
      factor = *unit == 'm' ? 1e-3 : 1;
      *unit = '\0';
    }
  if (!shardwise_input_number_parse (text, FALSE, &billions))
    return;
  billions *= factor;
  if (billions < key->minimum || billions > key->maximum)
    return;
  value = g_strdup_printf ("=%.10g", billions);
  name = custom_name (billions);
  shardwise_control_list_add (store, value, name, NULL);
}

/**
 * shardwise_control_name_custom:
 * @store: the models to choose from, the user's own first
 * @scenario: a scenario
 *
 * Names the user's own model by its size, if the scenario sets one.
 */
void
shardwise_control_name_custom (GListStore *store, ShardwiseScenario *scenario)
{
  const gboolean sized = shardwise_scenario_is_set (scenario, SHARDWISE_KEY_MODEL_PARAMETERS_B);
  g_autoptr (ShardwiseInputOption) old = g_list_model_get_item (G_LIST_MODEL (store), 0);
  g_autofree char *name = sized ? custom_name (shardwise_scenario_get_number (
                              scenario, SHARDWISE_KEY_MODEL_PARAMETERS_B, 0))
                                : g_strdup (_ ("Custom"));
  g_autoptr (ShardwiseInputOption) option = NULL;

  if (g_str_equal (shardwise_input_option_get_label (old), name))
    return;
  option = shardwise_input_option_new ("", name, sized ? NULL : _ ("Custom size or architecture"),
                                       TRUE);
  g_list_store_splice (store, 0, 1, (gpointer *) &option, 1);
}

/* Replaces the options after the first one if they differ: an open list keeps its position. */
void
shardwise_control_list_replace (GListStore *store, GListModel *options)
{
  guint n_old = g_list_model_get_n_items (G_LIST_MODEL (store)) - 1;
  guint n_new = g_list_model_get_n_items (options);
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);
  gboolean same = n_old == n_new;

  for (guint i = 0; i < n_new; i++)
    {
      g_autoptr (ShardwiseInputOption) old = g_list_model_get_item (G_LIST_MODEL (store), i + 1);

      g_ptr_array_add (items, g_list_model_get_item (options, i));
      same = same && shardwise_input_option_equal (old, items->pdata[i]);
    }
  if (!same)
    g_list_store_splice (store, 1, n_old, items->pdata, n_new);
}

/* (transfer full) (nullable): the displayed default of a key in this scenario; NULL: none, or the
 * scenario cannot be evaluated. */
char *
shardwise_control_usual (const ShardwiseKey *key, ShardwiseScenario *scenario)
{
  g_autoptr (ShardwiseScenario) without = NULL;
  g_autofree char *value = NULL;

  if (g_str_has_prefix (key->path, "strategy.")
      || key->id == SHARDWISE_KEY_TRAINING_MICRO_BATCH_SIZE)
    return g_strdup (_ ("chosen by the search"));
  if (!has_default (key->id))
    return NULL;
  without = shardwise_scenario_copy (scenario);
  shardwise_scenario_reset (without, key->id);
  if (!shardwise_scenario_get_resolves (without))
    return NULL;
  value = shardwise_control_text (key, without);
  if (*value == '\0')
    return NULL;
  if (key->kind == SHARDWISE_KIND_BOOLEAN)
    return g_strdup (g_str_equal (value, "true") ? _ ("On") : _ ("Off"));
  if (key->kind == SHARDWISE_KIND_CHOICE || key->kind == SHARDWISE_KIND_VERSION)
    return g_strdup (shardwise_key_word_title (key->id, value));
  return name_of_value (key, value, without);
}

/* (transfer full) (nullable): the text below the title of a software feature: its state by the
 * date. scenario: (nullable). */
char *
shardwise_control_by_date (const ShardwiseKey *key, ShardwiseScenario *scenario)
{
  g_autofree char *usual = NULL;

  if (scenario == NULL || !shardwise_software_is_key (key->id)
      || !shardwise_scenario_get_resolves (scenario))
    return NULL;
  usual = shardwise_control_usual (key, scenario);
  if (usual == NULL)
    return g_strdup (_ ("By date, as each framework does"));
  /* Translators: of a feature of software; %s is "On", "Off" or a version */
  return g_strdup_printf (_ ("By date: %s"), usual);
}

/* Whether a title contains a unit (not "") as a word: the "w" of "Power" is not a watt. Scripts
 * without spaces are searched without word boundaries. */
static gboolean
says_unit (const char *title, const char *unit)
{
  for (const char *at = strstr (title, unit); at != NULL; at = strstr (at + 1, unit))
    if ((at == title || !g_ascii_isalpha (at[-1])) && !g_ascii_isalpha (at[strlen (unit)]))
      return TRUE;
  return FALSE;
}

/* The displayed unit; "" if the title contains it. */
const char *
shardwise_control_unit (const ShardwiseKey *key)
{
  g_autofree char *title = NULL, *unit = NULL;

  if (key->unit == NULL)
    return "";
  title = g_utf8_casefold (_ (key->title), -1);
  unit = g_utf8_casefold (_ (key->unit), -1);
  return says_unit (title, unit) ? "" : _ (key->unit);
}

/* Position of the scenario's value, or of its default; of "" if the key may be and is not set. */
guint
shardwise_control_list_position (GListStore *store, const ShardwiseKey *key,
                                 ShardwiseScenario *scenario)
{
  gboolean may_be_absent = list_find (G_LIST_MODEL (store), "") != G_MAXUINT;
  g_autofree char *value = NULL, *name = NULL;
  guint position;

  if (shardwise_scenario_is_set (scenario, key->id) || !may_be_absent)
    value = shardwise_scenario_get_string (scenario, key->id);
  if (value == NULL)
    value = g_strdup ("");
  position = list_find (G_LIST_MODEL (store), value);
  if (position != G_MAXUINT
      && (link_words (key) == NULL || *value == '\0' || g_strv_contains (link_words (key), value)))
    return position;
  /* a file may have a value that the list lacks, and a link's word may mean another one there */
  name = name_of_value (key, value, scenario);
  if (position != G_MAXUINT)
    {
      g_autoptr (ShardwiseInputOption) old = g_list_model_get_item (G_LIST_MODEL (store), position);

      if (g_str_equal (shardwise_input_option_get_label (old), name))
        return position;
      g_list_store_remove (store, position);
    }
  shardwise_control_list_add (store, value, name, NULL);
  return g_list_model_get_n_items (G_LIST_MODEL (store)) - 1;
}

/* A message starts with the path of its key, which a row does not repeat. message: (nullable). */
const char *
shardwise_control_without_path (const ShardwiseKey *key, const char *message)
{
  gsize length = strlen (key->path);

  if (message != NULL && g_str_has_prefix (message, key->path)
      && g_str_has_prefix (message + length, ": "))
    return message + length + 2;
  return message;
}

/**
 * shardwise_control_describe:
 * @key: a key
 * @scenario: a scenario
 *
 * Returns: (transfer full): the value or its default as the inputs display it
 */
char *
shardwise_control_describe (const ShardwiseKey *key, ShardwiseScenario *scenario)
{
  g_autofree char *text = shardwise_control_text (key, scenario);
  g_autoptr (GListStore) store = g_list_store_new (SHARDWISE_TYPE_INPUT_OPTION);
  g_autoptr (ShardwiseInputOption) option = NULL;
  guint position;

  if (*text == '\0' && g_str_has_prefix (key->path, "strategy."))
    return g_strdup (_ ("Auto"));
  if (shardwise_control_kind (key, FALSE) == SHARDWISE_CONTROL_ENTRY)
    return g_steal_pointer (&text);
  shardwise_control_list_fill (store, key, g_str_has_prefix (key->path, "strategy."));
  position = shardwise_control_list_position (store, key, scenario);
  option = g_list_model_get_item (G_LIST_MODEL (store), position);
  return g_strdup (option != NULL ? shardwise_input_option_get_label (option) : text);
}
