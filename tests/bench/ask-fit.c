/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Learns which intent the features of a question speak for, from labelled questions:
 *   ask-fit --folds N QUESTIONS…            how often the intent of questions left out is right
 *   ask-fit --test FILE QUESTIONS…          the same of the questions of FILE ("question | intent")
 *   ask-fit --write WEIGHTS QUESTIONS…      writes data/catalogue/ask-weights.txt
 * QUESTIONS are files as tests/data/ask/train-en.txt, or as questions.txt ("question | intent |
 * …"). Multinomial logistic regression with a quadratic penalty, by adaptive gradient descent over
 * all questions (Duchi, Hazan, Singer 2011): no chance in it, so that it yields the same each time.
 */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shardwise-ask-intent.h"
#include "sw-types.h"

enum {
  ROUNDS = 400,
  LEAST_SEEN = 2, /* questions that a feature must stand in */
};

#define PENALTY 4e-6 /* on the square of each weight, per question */
#define RATE 0.8
#define SMALLEST 0.25 /* weight that is kept */
#define STEP 0.05     /* to which weights are rounded */

typedef struct {
  char *text;
  int intent, found;
  GArray *features; /* of ShardwiseAskFeature */
  guint *index;     /* of each feature, in the table; G_MAXUINT: not learnt */
} Sample;

typedef struct {
  GPtrArray *samples; /* of Sample */
  GHashTable *index;  /* feature name -> its number */
  GPtrArray *names;
  double (*weights)[SHARDWISE_N_INTENTS];
} Fit;

/* ---- reading ---- */

static void
sample_free (gpointer data)
{
  Sample *self = data;

  g_free (self->text);
  g_array_unref (self->features);
  g_free (self->index);
  g_free (self);
}

static ShardwiseScenario *
scenario_new (void)
{
  g_autoptr (GError) error = NULL;
  ShardwiseScenario *scenario = shardwise_scenario_from_json (
      "{\"format\":\"shardwise-scenario\",\"version\":1,\"model\":{\"preset\":\"llama-3-70b\"},"
      "\"cluster\":{\"gpu\":\"h100-80-sxm\",\"gpus\":32,\"gpus_per_node\":8},"
      "\"training\":{\"sequence_length\":8192,\"global_batch_size\":128}}",
      -1, &error);

  g_assert_no_error (error);
  return scenario;
}

static void
add_sample (GPtrArray *samples, ShardwiseScenario *scenario, const char *text, int intent)
{
  Sample *sample = g_new0 (Sample, 1);

  sample->text = g_strdup (text);
  sample->intent = intent;
  sample->features = shardwise_ask_features_of (text, scenario);
  g_ptr_array_add (samples, sample);
}

static void
read_line (GPtrArray *samples, ShardwiseScenario *scenario, char *line, int *intent)
{
  g_auto (GStrv) columns = g_strsplit (line, " | ", 3);
  int own = *intent;

  if (*line == '#' || *line == '\0')
    return;
  if (*line == '[' && g_str_has_suffix (line, "]"))
    {
      line[strlen (line) - 1] = '\0';
      *intent = sw_name_index (shardwise_intent_names, line + 1);
      if (*intent < 0)
        g_error ("%s is no intent", line);
      return;
    }
  if (columns[1] != NULL)
    {
      g_auto (GStrv) words = g_strsplit (columns[1], " ", 2);

      own = sw_name_index (shardwise_intent_names, words[0]);
    }
  if (own < 0)
    g_error ("%s: no intent", line);
  add_sample (samples, scenario, columns[0], own);
}

static GPtrArray *
read_samples (char **paths, guint n)
{
  g_autoptr (ShardwiseScenario) scenario = scenario_new ();
  GPtrArray *samples = g_ptr_array_new_with_free_func (sample_free);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *text = NULL;
      g_autoptr (GError) error = NULL;
      g_auto (GStrv) lines = NULL;
      int intent = -1;

      if (!g_file_get_contents (paths[i], &text, NULL, &error))
        g_error ("%s", error->message);
      lines = g_strsplit (text, "\n", -1);
      for (guint j = 0; lines[j] != NULL; j++)
        read_line (samples, scenario, lines[j], &intent);
    }
  return samples;
}

/* ---- learning ---- */

static void
number_features (Fit *self)
{
  g_autoptr (GHashTable) counts = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < self->samples->len; i++)
    {
      const Sample *sample = g_ptr_array_index (self->samples, i);

      for (guint j = 0; j < sample->features->len; j++)
        {
          char *name = g_array_index (sample->features, ShardwiseAskFeature, j).name;
          guint seen = GPOINTER_TO_UINT (g_hash_table_lookup (counts, name)) + 1;

          g_hash_table_insert (counts, name, GUINT_TO_POINTER (seen));
          if (seen != LEAST_SEEN)
            continue;
          g_hash_table_insert (self->index, name, GUINT_TO_POINTER (self->names->len + 1));
          g_ptr_array_add (self->names, name);
        }
    }
}

static void
index_sample (const Fit *self, Sample *sample)
{
  g_free (sample->index);
  sample->index = g_new (guint, sample->features->len);
  for (guint j = 0; j < sample->features->len; j++)
    sample->index[j] =
        GPOINTER_TO_UINT (g_hash_table_lookup (
            self->index, g_array_index (sample->features, ShardwiseAskFeature, j).name))
        - 1;
}

static void
shares_of (const Fit *self, const Sample *sample, double shares[SHARDWISE_N_INTENTS])
{
  double most = -G_MAXDOUBLE, sum = 0;

  memset (shares, 0, SHARDWISE_N_INTENTS * sizeof *shares);
  for (guint j = 0; j < sample->features->len; j++)
    for (guint k = 0; sample->index[j] != G_MAXUINT && k < SHARDWISE_N_INTENTS; k++)
      shares[k] += self->weights[sample->index[j]][k]
                   * g_array_index (sample->features, ShardwiseAskFeature, j).value;
  for (guint k = 0; k < SHARDWISE_N_INTENTS; k++)
    most = MAX (most, shares[k]);
  for (guint k = 0; k < SHARDWISE_N_INTENTS; k++)
    sum += shares[k] = exp (shares[k] - most);
  for (guint k = 0; k < SHARDWISE_N_INTENTS; k++)
    shares[k] /= sum;
}

static void
add_gradient (const Fit *self, double (*gradient)[SHARDWISE_N_INTENTS])
{
  for (guint i = 0; i < self->samples->len; i++)
    {
      const Sample *sample = g_ptr_array_index (self->samples, i);
      double shares[SHARDWISE_N_INTENTS];

      shares_of (self, sample, shares);
      shares[sample->intent] -= 1;
      for (guint j = 0; j < sample->features->len; j++)
        for (guint k = 0; sample->index[j] != G_MAXUINT && k < SHARDWISE_N_INTENTS; k++)
          gradient[sample->index[j]][k] +=
              shares[k] * g_array_index (sample->features, ShardwiseAskFeature, j).value;
    }
}

static void
descend (Fit *self)
{
  gsize n = self->names->len;
  g_autofree double (*gradient)[SHARDWISE_N_INTENTS] = g_malloc (n * sizeof *gradient),
                    (*squares)[SHARDWISE_N_INTENTS] = g_malloc0 (n * sizeof *squares);

  self->weights = g_malloc0 (n * sizeof *self->weights);
  for (guint i = 0; i < self->samples->len; i++)
    index_sample (self, g_ptr_array_index (self->samples, i));
  for (guint round = 0; round < ROUNDS; round++)
    {
      memset (gradient, 0, n * sizeof *gradient);
      add_gradient (self, gradient);
      for (gsize i = 0; i < n; i++)
        for (guint k = 0; k < SHARDWISE_N_INTENTS; k++)
          {
            double slope = gradient[i][k] + PENALTY * self->samples->len * self->weights[i][k];

            squares[i][k] += slope * slope;
            if (squares[i][k] > 0)
              self->weights[i][k] -= RATE * slope / sqrt (squares[i][k]);
          }
    }
}

/* What hardly counts is left out, so that the file stays small. Shares do not change where all
 * weights of a feature move alike: they are told from their mean. */
static void
prune (Fit *self)
{
  for (guint i = 0; i < self->names->len; i++)
    {
      double *weights = self->weights[i], mean = 0;

      for (guint k = 0; k < SHARDWISE_N_INTENTS; k++)
        mean += weights[k] / SHARDWISE_N_INTENTS;
      for (guint k = 0; k < SHARDWISE_N_INTENTS; k++)
        weights[k] = fabs (weights[k] - mean) < SMALLEST
                         ? 0
                         : STEP * round ((weights[k] - mean) / STEP);
    }
}

static void
fit_clear (Fit *self)
{
  g_hash_table_unref (self->index);
  g_ptr_array_unref (self->names);
  g_ptr_array_unref (self->samples);
  g_free (self->weights);
}

static Fit
fit_new (GPtrArray *samples)
{
  Fit self = { g_ptr_array_ref (samples), g_hash_table_new (g_str_hash, g_str_equal),
               g_ptr_array_new (), NULL };

  number_features (&self);
  descend (&self);
  prune (&self);
  return self;
}

/* ---- what it is good for ---- */

static int
find_intent (const Fit *self, Sample *sample)
{
  double shares[SHARDWISE_N_INTENTS];
  int best = 0;

  index_sample (self, sample);
  shares_of (self, sample, shares);
  for (int k = 1; k < SHARDWISE_N_INTENTS; k++)
    if (shares[k] > shares[best])
      best = k;
  return best;
}

static void
report (GPtrArray *samples)
{
  guint right[SHARDWISE_N_INTENTS] = { 0 }, all[SHARDWISE_N_INTENTS] = { 0 }, sum = 0;

  for (guint i = 0; i < samples->len; i++)
    {
      const Sample *sample = g_ptr_array_index (samples, i);

      all[sample->intent]++;
      if (sample->found == sample->intent)
        {
          right[sample->intent]++;
          sum++;
        }
      else
        g_print ("%s | %s | found %s\n", sample->text, shardwise_intent_names[sample->intent],
                 shardwise_intent_names[sample->found]);
    }
  for (guint k = 0; k < SHARDWISE_N_INTENTS; k++)
    if (all[k] > 0)
      g_print ("%-12s %3u of %3u\n", shardwise_intent_names[k], right[k], all[k]);
  g_print ("%u of %u, %.1f %%\n", sum, samples->len, 100.0 * sum / samples->len);
}

static void
cross_validate (GPtrArray *samples, guint folds)
{
  for (guint fold = 0; fold < folds; fold++)
    {
      g_autoptr (GPtrArray) rest = g_ptr_array_new ();
      Fit fit;

      for (guint i = 0; i < samples->len; i++)
        if (i % folds != fold)
          g_ptr_array_add (rest, g_ptr_array_index (samples, i));
      fit = fit_new (rest);
      for (guint i = fold; i < samples->len; i += folds)
        {
          Sample *sample = g_ptr_array_index (samples, i);

          sample->found = find_intent (&fit, sample);
        }
      fit_clear (&fit);
    }
  report (samples);
}

/* ---- writing ---- */

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static void
write_weights (const Fit *self, const char *path)
{
  GString *out = g_string_new ("# Written by tests/bench/ask-fit: meson compile refit-ask\n");
  g_autoptr (GPtrArray) names = g_ptr_array_copy (self->names, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);
      const double *weights =
          self->weights[GPOINTER_TO_UINT (g_hash_table_lookup (self->index, name)) - 1];
      gboolean first = TRUE;

      for (guint k = 0; k < SHARDWISE_N_INTENTS; k++)
        if (weights[k] != 0)
          {
            g_string_append_printf (out, "%s%c%s:%.4g", first ? name : "", first ? '\t' : ' ',
                                    shardwise_intent_names[k], weights[k]);
            first = FALSE;
          }
      if (!first)
        g_string_append_c (out, '\n');
    }
  if (!g_file_set_contents (path, out->str, (gssize) out->len, &error))
    g_error ("%s", error->message);
  g_string_free (out, TRUE);
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) samples = NULL;

  setlocale (LC_NUMERIC, "C");
  if (argc < 4)
    g_error ("usage: ask-fit --folds N | --test FILE | --write WEIGHTS QUESTIONS…");
  samples = read_samples (argv + 3, (guint) argc - 3);
  if (g_str_equal (argv[1], "--folds"))
    cross_validate (samples, (guint) atoi (argv[2]));
  else
    {
      Fit fit = fit_new (samples);

      if (g_str_equal (argv[1], "--write"))
        write_weights (&fit, argv[2]);
      else
        {
          g_autoptr (GPtrArray) others = read_samples (argv + 2, 1);

          for (guint i = 0; i < others->len; i++)
            {
              Sample *sample = g_ptr_array_index (others, i);

              sample->found = find_intent (&fit, sample);
            }
          report (others);
        }
      fit_clear (&fit);
    }
  return 0;
}
