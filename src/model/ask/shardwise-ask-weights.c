/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much each feature of a question speaks for each intent: data/catalogue/ask-weights.txt, which
 * tests/bench/ask-fit learns from tests/data/ask/train-*.txt. A line is a feature, a tab, and
 * "intent:weight" for those that it speaks for or against (above zero: for). */
#include "shardwise-ask-weights.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

#include "shardwise-ask-features.h"
#include "sw-types.h"

#define PATH "/io/github/shardwise/Shardwise/catalogue/ask-weights.txt"

typedef struct {
  guint8 intent;
  float weight;
} Weight;

static void
read_weights (GArray *weights, char *text)
{
  for (char *word = strtok_r (text, " ", &text); word != NULL; word = strtok_r (NULL, " ", &text))
    {
      char *colon = strchr (word, ':');
      int intent;

      if (colon == NULL)
        continue;
      *colon = '\0';
      intent = sw_name_index (shardwise_intent_names, word);
      if (intent >= 0)
        {
          Weight weight = { (guint8) intent, (float) g_ascii_strtod (colon + 1, NULL) };

          g_array_append_val (weights, weight);
        }
    }
}

static GHashTable *
table_new (void)
{
  g_autoptr (GBytes) bytes = g_resources_lookup_data (PATH, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  GHashTable *table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                             (GDestroyNotify) g_array_unref);
  g_autofree char *text = NULL;
  char *rest;

  if (bytes == NULL)
    g_error ("%s: not compiled in", PATH);
  text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  for (char *line = strtok_r (text, "\n", &rest); line != NULL; line = strtok_r (NULL, "\n", &rest))
    {
      char *tab = strchr (line, '\t');
      GArray *weights;

      if (tab == NULL || *line == '#')
        continue;
      *tab = '\0';
      weights = g_array_new (FALSE, FALSE, sizeof (Weight));
      read_weights (weights, tab + 1);
      g_hash_table_insert (table, g_strdup (line), weights);
    }
  return table;
}

static GHashTable *
table_get (void)
{
  static gsize once = 0;
  static GHashTable *table;

  if (g_once_init_enter (&once))
    {
      table = table_new ();
      g_once_init_leave (&once, 1);
    }
  return table;
}

/**
 * shardwise_ask_weigh:
 * @features: of shardwise_ask_features()
 * @shares: (out): of each intent, how likely it is the one meant; together one
 *
 * Multinomial logistic regression: shares are exp (Σ weight × feature), normalised.
 */
void
shardwise_ask_weigh (GArray *features, double shares[SHARDWISE_N_INTENTS])
{
  GHashTable *table = table_get ();
  double most = -G_MAXDOUBLE, sum = 0;

  memset (shares, 0, SHARDWISE_N_INTENTS * sizeof *shares);
  for (guint i = 0; i < features->len; i++)
    {
      const ShardwiseAskFeature *feature = &g_array_index (features, ShardwiseAskFeature, i);
      GArray *weights = g_hash_table_lookup (table, feature->name);

      for (guint j = 0; weights != NULL && j < weights->len; j++)
        {
          const Weight *weight = &g_array_index (weights, Weight, j);

          shares[weight->intent] += (double) weight->weight * feature->value;
        }
    }
  for (guint i = 0; i < SHARDWISE_N_INTENTS; i++)
    most = MAX (most, shares[i]);
  for (guint i = 0; i < SHARDWISE_N_INTENTS; i++)
    sum += shares[i] = exp (shares[i] - most);
  for (guint i = 0; i < SHARDWISE_N_INTENTS; i++)
    shares[i] /= sum;
}
