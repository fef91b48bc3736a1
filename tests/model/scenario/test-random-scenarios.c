/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenarios drawn at random over the whole table of keys, each key anywhere in its range: those
 * that are accepted are answered with finite numbers, and survive being written and read. The seed
 * is printed and taken from SHARDWISE_TEST_SEED. */
#include "shardwise-estimate.h"
#include "shardwise-json.h"
#include "shardwise-advice-json.h"

#include <math.h>
#include <string.h>

#define CASES 10000
#define SEED 20261120
/* Thousands of stages are some megabytes of JSON, which the strict reader refuses. */
#define MOST_PRINTED_STAGES 64

static gint64
random_integer (GRand *rand, double low, double high)
{
  /* Small numbers as often as great ones, and now and then a bound. */
  switch (g_rand_int_range (rand, 0, 10))
    {
    case 0: return (gint64) low;
    case 1: return (gint64) high;
    case 2:
      return (gint64) 1 << g_rand_int_range (rand, 0, 1 + (gint32) floor (log2 (MAX (high, 1))));
    default:
      return (gint64) floor (exp (g_rand_double_range (rand, log (MAX (low, 1)), log (high + 1))));
    }
}

static double
random_number (GRand *rand, double low, double high)
{
  int kind = g_rand_int_range (rand, 0, 10);

  if (kind < 2)
    return kind == 0 ? low : high;
  return exp (g_rand_double_range (rand, log (MAX (low, 1e-3)), log (high)));
}

static GVariant *
random_entry (GRand *rand, GListModel *list)
{
  guint at = (guint) g_rand_int_range (rand, 0, (gint32) g_list_model_get_n_items (list));
  g_autoptr (ShardwiseCatalogueEntry) entry = g_list_model_get_item (list, at);

  char *id;

  g_object_get (entry, "id", &id, NULL);
  return g_variant_new_take_string (id);
}

static const char *
random_word (GRand *rand, const char *const *words)
{
  guint n = 0;

  while (words[n] != NULL)
    n++;
  return words[g_rand_int_range (rand, 0, (gint32) n)];
}

static GVariant *
random_text (GRand *rand, ShardwiseKeyId id, GListModel *models)
{
  static const char *const links[] = { "nvlink",   "infiniband", "roce",     "pcie",
                                       "ethernet", "efa",        "scale_up", NULL };

  if (id == SHARDWISE_KEY_MODEL_PRESET)
    return random_entry (rand, models);
  if (g_str_has_suffix (shardwise_key_path (id), "_node"))
    return g_variant_new_string (random_word (rand, links));
  return g_variant_new_string ("EUR");
}

static GVariant *
random_recompute (GRand *rand)
{
  static const char *const words[] = { "none", "selective", "full", NULL };

  if (g_rand_int_range (rand, 0, 4) > 0)
    return g_variant_new_string (random_word (rand, words));
  return g_variant_new_take_string (
      g_strdup_printf ("full_layers:%d", g_rand_int_range (rand, 1, 100)));
}

static GVariant *
random_value (GRand *rand, const ShardwiseKey *key, GListModel *models, GListModel *gpus)
{
  switch (key->kind)
    {
    case SHARDWISE_KIND_BOOLEAN: return g_variant_new_boolean (g_rand_boolean (rand));
    case SHARDWISE_KIND_INTEGER:
      return g_variant_new_int64 (random_integer (rand, key->minimum, key->maximum));
    case SHARDWISE_KIND_NUMBER:
      return g_variant_new_double (random_number (rand, key->minimum, key->maximum));
    case SHARDWISE_KIND_CHOICE: return g_variant_new_string (random_word (rand, key->choices));
    case SHARDWISE_KIND_DATE:
      return g_variant_new_take_string (g_strdup_printf (
          "%d-%02d", g_rand_int_range (rand, 2018, 2031), g_rand_int_range (rand, 1, 13)));
    case SHARDWISE_KIND_CURRENCY:
      return g_variant_new_string (g_rand_boolean (rand) ? "USD" : "JPY");
    case SHARDWISE_KIND_STRINGS: return g_variant_new_strv (key->choices, 1);
    case SHARDWISE_KIND_VERSION: return g_variant_new_int64 (g_rand_int_range (rand, 0, 4));
    case SHARDWISE_KIND_RECOMPUTE: return random_recompute (rand);
    case SHARDWISE_KIND_GPU: return random_entry (rand, gpus);
    case SHARDWISE_KIND_STRING:
    default: return random_text (rand, key->id, models);
    }
}

/* A model comes by name (0), by size (1), or by its dimensions (2). */
static gboolean
belongs (ShardwiseKeyId id, guint by)
{
  if (!g_str_has_prefix (shardwise_key_path (id), "model."))
    return TRUE;
  if (id == SHARDWISE_KEY_MODEL_PRESET)
    return by == 0;
  if (id == SHARDWISE_KEY_MODEL_PARAMETERS_B)
    return by == 1;
  return by == 2;
}

/* Without these nothing is accepted. */
static gboolean
is_vital (ShardwiseKeyId id, guint by)
{
  static const ShardwiseKeyId vital[] = {
    SHARDWISE_KEY_MODEL_LAYERS,          SHARDWISE_KEY_MODEL_HIDDEN_SIZE,
    SHARDWISE_KEY_MODEL_ATTENTION_HEADS, SHARDWISE_KEY_MODEL_HEAD_DIM,
    SHARDWISE_KEY_MODEL_VOCAB_SIZE,      SHARDWISE_KEY_MODEL_PRESET,
    SHARDWISE_KEY_MODEL_PARAMETERS_B,    SHARDWISE_KEY_STRATEGY_TP,
    SHARDWISE_KEY_STRATEGY_PP,           SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE
  };

  for (guint i = 0; i < G_N_ELEMENTS (vital); i++)
    if (id == vital[i])
      return belongs (id, by);
  return FALSE;
}

/* Keys that only make sense together. */
static gboolean
is_grouped (ShardwiseKeyId id)
{
  return g_str_has_prefix (shardwise_key_path (id), "model.moe.")
         || g_str_has_prefix (shardwise_key_path (id), "model.mla.");
}

/* Degrees and batches are mostly small and divide one another; else all would be refused. */
static GVariant *
gentle_value (GRand *rand, const ShardwiseKey *key, GListModel *models, GListModel *gpus)
{
  static const gint64 degrees[] = { 1, 1, 1, 2, 4, 8 };
  gint64 degree = degrees[g_rand_int_range (rand, 0, G_N_ELEMENTS (degrees))];

  if (key->kind != SHARDWISE_KIND_INTEGER || g_rand_int_range (rand, 0, 8) == 0)
    return random_value (rand, key, models, gpus);
  if (g_str_has_prefix (key->path, "strategy."))
    return g_variant_new_int64 (CLAMP (degree, (gint64) key->minimum, (gint64) key->maximum));
  if (g_str_has_suffix (key->path, "_heads"))
    return g_variant_new_int64 (8 << g_rand_int_range (rand, 0, 4));
  if (key->id == SHARDWISE_KEY_CLUSTER_GPUS)
    return g_variant_new_int64 (8 << g_rand_int_range (rand, 0, 15));
  if (key->id == SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE)
    return g_variant_new_int64 ((gint64) 1 << g_rand_int_range (rand, 4, 24));
  return random_value (rand, key, models, gpus);
}

/* Most keys are left to their defaults, so that those that are set meet them. */
static ShardwiseScenario *
random_scenario (GRand *rand, GListModel *models, GListModel *gpus)
{
  ShardwiseScenario *scenario = shardwise_scenario_new ();
  guint by = (guint) g_rand_int_range (rand, 0, 3);
  double share = g_rand_double_range (rand, 0, 0.15);
  gboolean grouped = g_rand_int_range (rand, 0, 4) == 0;
  g_autoptr (GVariant) all = NULL;
  g_autoptr (GError) error = NULL;
  GVariantDict changes;

  g_variant_dict_init (&changes, NULL);
  g_variant_dict_insert (&changes, "model.preset", "s", "");
  g_variant_dict_insert (&changes, "cluster.gpus", "x",
                         (gint64) 8 << g_rand_int_range (rand, 0, 15));
  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    if (belongs (i, by)
        && (is_vital (i, by) || (is_grouped (i) ? grouped : g_rand_double (rand) < share)))
      g_variant_dict_insert_value (&changes, shardwise_key_path (i),
                                   gentle_value (rand, shardwise_key_get (i), models, gpus));
  all = g_variant_ref_sink (g_variant_dict_end (&changes));
  shardwise_scenario_apply (scenario, all, &error);
  g_assert_no_error (error);
  return scenario;
}

static void
check_round_trip (ShardwiseScenario *scenario)
{
  g_autofree char *json = shardwise_scenario_to_json (scenario), *again = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseScenario) back = shardwise_scenario_from_json (json, (gssize) strlen (json),
                                                                     &error);

  g_assert_no_error (error);
  again = shardwise_scenario_to_json (back);
  g_assert_cmpstr (json, ==, again);
}

/* What is printed can be read: no number of JSON is infinite or not a number. */
static void
check_json (const SwProblem *problem, const SwEstimate *estimate)
{
  g_autoptr (JsonNode) node = shardwise_estimate_to_json (problem, estimate, NULL), back = NULL;
  g_autofree char *json = shardwise_json_to_string (node);
  g_autoptr (GError) error = NULL;

  back = shardwise_json_parse (json, strlen (json), &error);
  g_assert_no_error (error);
}

static gboolean
is_finite (const SwEstimate *e)
{
  const double values[] = { e->time.step_s,
                            e->time.compute_s,
                            e->time.uneven_s,
                            e->time.bubble_s,
                            e->time.dp_exposed_s,
                            e->tokens_per_s,
                            e->mfu,
                            e->hfu,
                            e->bubble_fraction,
                            e->communication_overhead,
                            e->memory.peak.total,
                            e->step_low_s,
                            e->step_high_s,
                            e->memory_high_bytes,
                            e->memory_low_bytes,
                            e->memory.host_bytes,
                            e->tokens_low_per_s,
                            e->tokens_high_per_s,
                            e->missing_bytes,
                            e->compute_to_communication,
                            e->mfu_full_attention,
                            e->memory_utilisation,
                            e->usable_bytes };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    if (!isfinite (values[i]) || values[i] < 0)
      return FALSE;
  return e->time.step_s > 0 && e->memory.peak.total > 0;
}

static void
test_random (void)
{
  const char *given = g_getenv ("SHARDWISE_TEST_SEED");
  guint32 seed = given != NULL ? (guint32) g_ascii_strtoull (given, NULL, 10) : SEED;
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  g_autoptr (GListModel) models = shardwise_catalogue_models (shardwise_catalogue_get ());
  g_autoptr (GListModel) gpus = shardwise_catalogue_gpus (shardwise_catalogue_get ());
  guint drawn = 0, accepted = 0, kept = 0, seen[SW_N_RULES] = { 0 };

  g_test_message ("SHARDWISE_TEST_SEED=%u", seed);
  while (accepted < CASES)
    {
      g_autoptr (ShardwiseScenario) scenario = random_scenario (rand, models, gpus);
      g_autoptr (GError) error = NULL;
      SwEstimate estimate;
      SwProblem problem;

      g_assert_cmpuint (drawn++, <, 100 * CASES);
      if (drawn % 10 == 0)
        check_round_trip (scenario);
      if (!shardwise_estimate_scenario (scenario, &problem, &estimate, NULL, &error))
        {
          g_assert_nonnull (error);
          continue;
        }
      accepted++;
      seen[estimate.rule]++;
      kept += estimate.rule == SW_RULE_OK ? 1 : 0;
      if (!is_finite (&estimate))
        {
          g_autofree char *question = shardwise_scenario_to_json (scenario);

          g_error ("step %g s, memory %g bytes: %s", estimate.time.step_s,
                   estimate.memory.peak.total, question);
        }
      if (estimate.strategy.pp <= MOST_PRINTED_STAGES && accepted % 10 == 0)
        check_json (&problem, &estimate);
    }
  g_test_message ("%u drawn, %u accepted, %u of them fit", drawn, accepted, kept);
  for (guint i = 0; i < SW_N_RULES; i++)
    g_test_message ("%s: %u", sw_rule_names[i], seen[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/random-scenarios/answered", test_random);
  return g_test_run ();
}
