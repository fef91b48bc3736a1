/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code that all readers share: it converts values of the file to keys of the scenario, reports
 * errors with their position, and assumes the model, the cluster and the batch if the file does not
 * set them. */
#include "shardwise-import-job.h"
#include "shardwise-catalogue.h"
#include "shardwise-format.h"
#include "shardwise-node-python.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

static char *
text_of (const char *format, va_list args)
{
  g_autofree char *text = g_strdup_vprintf (format, args);

  return g_utf8_make_valid (text, -1); /* a quotation from a file may be cut within a character */
}

static void
warn (ShardwiseImportJob *job, const char *text)
{
  if (!g_ptr_array_find_with_equal_func (job->out->warnings, text, g_str_equal, NULL))
    g_ptr_array_add (job->out->warnings, g_strdup (text));
}

/* Adds a sentence on a missing value of the file, once. */
void
shardwise_import_warn (ShardwiseImportJob *job, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = text_of (format, args);
  va_end (args);
  warn (job, text);
}

/* Like shardwise_import_warn(), for a value assumed for the key @id. */
void
shardwise_import_assume (ShardwiseImportJob *job, ShardwiseKeyId id, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = text_of (format, args);
  va_end (args);
  shardwise_import_add_assumption (job->out, text, id, "");
  warn (job, text);
}

/* Adds a value that the framework refuses or ignores. */
void
shardwise_import_find (ShardwiseImportJob *job, ShardwiseSeverity severity, const char *code,
                       const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_ptr_array_add (job->out->findings,
                   shardwise_finding_new (severity, code, g_strdup_vprintf (format, args), NULL));
  va_end (args);
}

/* Adds a value that the framework refuses. */
void
shardwise_import_find_error (ShardwiseImportJob *job, const char *code, const char *text)
{
  shardwise_import_find (job, SHARDWISE_SEVERITY_ERROR, code, "%s", text);
}

/* A key in the file's spelling. */
static const char *
spelled (ShardwiseImportJob *job, const char *key)
{
  return job->spell != NULL ? job->spell (key) : key;
}

void
shardwise_import_fail (ShardwiseImportJob *job, const ShardwiseNode *where, const char *key,
                       const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  if (job->error != NULL)
    return;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  key = spelled (job, key);
  if (where != NULL && where->line > 0)
    job->error = shardwise_position_error (where->line, where->column, "%s: %s", key, text);
  else
    job->error = shardwise_error_new (SHARDWISE_ERROR_SYNTAX, NULL, "%s: %s", key, text);
}

/* The accepted values of the key, as an error at @where. */
static void
fail_type (ShardwiseImportJob *job, const ShardwiseNode *where, const char *key,
           const char *accepted)
{
  static const char *const types[] = {
    [SHARDWISE_NODE_NULL] = N_ ("null"),           [SHARDWISE_NODE_BOOLEAN] = N_ ("true or false"),
    [SHARDWISE_NODE_INTEGER] = N_ ("a number"),    [SHARDWISE_NODE_FLOAT] = N_ ("a number"),
    [SHARDWISE_NODE_STRING] = N_ ("text"),         [SHARDWISE_NODE_LIST] = N_ ("a list"),
    [SHARDWISE_NODE_MAP] = N_ ("a group of keys"),
  };

  if (g_strcmp0 (where->text, key) == 0) /* an option of a script, followed directly by the next */
    shardwise_import_fail (job, where, key, _ ("has no value; allowed: %s"), accepted);
  else if (where->text != NULL)
    shardwise_import_fail (job, where, key,
                           /* Translators: a value of a wrong type, then what is accepted */
                           _ ("“%.60s” has the wrong type; allowed: %s"), where->text, accepted);
  else
    shardwise_import_fail (job, where, key,
                           /* Translators: "a list", then what is accepted */
                           _ ("%s has the wrong type; allowed: %s"), _ (types[where->type]),
                           accepted);
}

/**
 * shardwise_import_has_part:
 * @kind: the kind of a file
 *
 * Returns: whether another file of the job is of that kind
 */
gboolean
shardwise_import_has_part (const ShardwiseImportJob *job, ShardwiseImportKind kind)
{
  for (guint i = 0; i < job->parts->len; i++)
    {
      const ShardwiseImportPart *part = job->parts->pdata[i];

      if (part != job->part && part->kind == kind && !part->is_launcher)
        return TRUE;
    }
  return FALSE;
}

/* ---- reading ---- */

const ShardwiseNode *
shardwise_import_at (ShardwiseImportJob *job, const char *key)
{
  const ShardwiseNode *node = shardwise_node_find (job->root, key);

  /* A plain value in place of a group of keys, none of which would be read. In a script, a word
   * from outside may replace a group. */
  for (const char *dot = node == NULL ? strchr (key, '.') : NULL; dot != NULL;
       dot = strchr (dot + 1, '.'))
    {
      g_autofree char *name = g_strndup (key, (gsize) (dot - key));
      const ShardwiseNode *group = shardwise_node_find (job->root, name);

      if (group == NULL || group->type == SHARDWISE_NODE_NULL)
        return NULL;
      if (group->type != SHARDWISE_NODE_MAP && group->type != SHARDWISE_NODE_STRING)
        fail_type (job, group, name, _ ("a group of keys"));
    }
  return node != NULL && node->type != SHARDWISE_NODE_NULL ? node : NULL;
}

/* A script's value from outside, or from a function that is not called. */
static gboolean
is_unknown (ShardwiseImportJob *job, const ShardwiseNode *node, const char *key)
{
  const gboolean is_text = node->type == SHARDWISE_NODE_STRING
                           && strchr (node->text, SHARDWISE_NODE_UNKNOWN) != NULL;

  if (!is_text && shardwise_node_member (node, SHARDWISE_NODE_CALLEE) == NULL)
    return FALSE;
  shardwise_import_warn (
      job,
      /* Translators: an option, a line number */
      _ ("The value of %s in line %u is unknown: it comes from outside the script."),
      spelled (job, key), node->line);
  return TRUE;
}

/**
 * shardwise_import_is_open:
 * @key: a key of the file
 *
 * Returns: whether it has an unknown value, for which a warning is added
 */
gboolean
shardwise_import_is_open (ShardwiseImportJob *job, const char *key)
{
  const ShardwiseNode *node = shardwise_import_at (job, key);

  return node != NULL && is_unknown (job, node, key);
}

/**
 * shardwise_import_count_of:
 * @node: (nullable): a value of the file
 * @key: its name in the file
 * @id: the scenario's key, which has the range
 * @out: (out): the number; unchanged if there is none
 *
 * Returns: whether it is a number within the range; another value is an error
 */
gboolean
shardwise_import_count_of (ShardwiseImportJob *job, const ShardwiseNode *node, const char *key,
                           ShardwiseKeyId id, guint *out)
{
  const ShardwiseKey *range = shardwise_key_get (id);
  g_autofree char *accepted = NULL;

  if (job->error != NULL || node == NULL || is_unknown (job, node, key))
    return FALSE;
  accepted = shardwise_key_describe_range (range);
  if (!shardwise_node_is_number (node) || node->number != floor (node->number))
    fail_type (job, node, key, accepted);
  else if (node->number < range->minimum || node->number > range->maximum)
    {
      shardwise_import_fail (job, node, key, _ ("%s is out of range; allowed: %s"), node->text,
                             accepted);
    }
  else
    {
      *out = (guint) node->number;
      return TRUE;
    }
  return FALSE;
}

/* Like shardwise_import_count_of(), for the value of a key of the file. */
gboolean
shardwise_import_count (ShardwiseImportJob *job, const char *key, ShardwiseKeyId id, guint *out)
{
  return shardwise_import_count_of (job, shardwise_import_at (job, key), key, id, out);
}

/* Reads the count under @key and stores it under @id; @fallback if the key is absent. */
guint
shardwise_import_count_or (ShardwiseImportJob *job, const char *key, ShardwiseKeyId id,
                           guint fallback)
{
  shardwise_import_count (job, key, id, &fallback);
  return fallback;
}

/**
 * shardwise_import_degree:
 * @key: a degree of parallelism in the file
 * @id: the scenario's key, which has the range
 *
 * Returns: the degree; 1 if the file does not state it
 */
guint
shardwise_import_degree (ShardwiseImportJob *job, const char *key, ShardwiseKeyId id)
{
  return shardwise_import_count_or (job, key, id, 1);
}

/**
 * shardwise_import_truth:
 * @job: the job being read
 * @key: a key of the current map
 * @fallback: if the key is missing or its value is unknown
 *
 * Returns: the value; a value other than true or false fails the job
 */
gboolean
shardwise_import_truth (ShardwiseImportJob *job, const char *key, gboolean fallback)
{
  const ShardwiseNode *node = shardwise_import_at (job, key);

  if (job->error != NULL || node == NULL || is_unknown (job, node, key))
    return fallback;
  if (node->type == SHARDWISE_NODE_BOOLEAN)
    return node->number != 0;
  fail_type (job, node, key, _ ("true or false"));
  return fallback;
}

/**
 * shardwise_import_put_switch:
 * @job: the job being read
 * @key: a key of the current map
 * @id: the scenario's key
 *
 * Sets @id to the value of @key, if present and known.
 */
void
shardwise_import_put_switch (ShardwiseImportJob *job, const char *key, ShardwiseKeyId id)
{
  if (shardwise_import_at (job, key) != NULL && !shardwise_import_is_open (job, key))
    shardwise_import_put_bool (job, id, shardwise_import_truth (job, key, FALSE));
}

const char *
shardwise_import_text (ShardwiseImportJob *job, const char *key)
{
  const ShardwiseNode *node = shardwise_import_at (job, key);

  if (job->error != NULL || node == NULL || is_unknown (job, node, key))
    return NULL;
  if (node->type == SHARDWISE_NODE_STRING)
    return node->text;
  fail_type (job, node, key, _ ("text"));
  return NULL;
}

/**
 * shardwise_import_word_index:
 * @key: a key of the file
 * @words: NULL-terminated: the accepted words
 * @out: (out): the index of its word
 *
 * Returns: whether the file has one of the words, in any case; another word is an error
 */
gboolean
shardwise_import_word_index (ShardwiseImportJob *job, const char *key, const char *const *words,
                             guint *out)
{
  const char *text = shardwise_import_text (job, key);
  g_autofree char *accepted = NULL;

  if (text == NULL)
    return FALSE;
  for (guint i = 0; words[i] != NULL; i++)
    if (g_ascii_strcasecmp (words[i], text) == 0)
      {
        *out = i;
        return TRUE;
      }
  accepted = shardwise_text_enumerate (words);
  shardwise_import_fail (job, shardwise_import_at (job, key), key,
                         /* Translators: a word that is none of the known ones, then these */
                         _ ("“%.60s” is unknown; allowed: %s"), text, accepted);
  return FALSE;
}

/* ---- into the scenario ---- */

/* Values from the readers themselves are within range; an exception is a bug, not wrong input. */
void
shardwise_import_put (ShardwiseImportJob *job, ShardwiseKeyId id, GVariant *value)
{
  g_autoptr (GVariant) held = g_variant_ref_sink (value);
  GError *error = NULL;

  if (job->error == NULL && !shardwise_scenario_set (job->out->scenario, id, held, &error))
    job->error = error;
}

/* Stores a whole number under @id of the scenario. */
void
shardwise_import_put_int (ShardwiseImportJob *job, ShardwiseKeyId id, gint64 value)
{
  shardwise_import_put (job, id, g_variant_new_int64 (value));
}

/* Stores a word under @id of the scenario. */
void
shardwise_import_put_word (ShardwiseImportJob *job, ShardwiseKeyId id, const char *word)
{
  shardwise_import_put (job, id, g_variant_new_string (word));
}

/* Stores a boolean under @id of the scenario. */
void
shardwise_import_put_bool (ShardwiseImportJob *job, ShardwiseKeyId id, gboolean value)
{
  shardwise_import_put (job, id, g_variant_new_boolean (value));
}

gboolean
shardwise_import_copy_count (ShardwiseImportJob *job, const char *key, ShardwiseKeyId id)
{
  guint value;

  if (!shardwise_import_count (job, key, id, &value))
    return FALSE;
  shardwise_import_put_int (job, id, value);
  return TRUE;
}

guint64
shardwise_import_product (guint a, guint b, guint c, guint d)
{
  const guint factors[] = { b, c, d };
  const guint64 most = (guint64) 1 << 33;
  guint64 product = a;

  for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
    product = MIN (product * factors[i], most);
  return product;
}

/**
 * shardwise_import_put_world:
 * @gpus: GPUs of the whole job; 0: unknown
 * @per_node: GPUs per node; 0: unknown
 *
 * Sets the cluster as far as a launcher states it.
 */
void
shardwise_import_put_world (ShardwiseImportJob *job, guint gpus, guint per_node)
{
  if (gpus > 0)
    shardwise_import_put_int (job, SHARDWISE_KEY_CLUSTER_GPUS, gpus);
  if (per_node > 0)
    shardwise_import_put_int (job, SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE, per_node);
}

/* ---- keys that nothing reads ---- */

/* @word in place of the %s of a translated sentence: (transfer full). */
char *
shardwise_import_fill (const char *sentence, const char *word)
{
  g_auto (GStrv) parts = g_strsplit (sentence, "%s", 2);

  return g_strjoinv (word, parts);
}

/**
 * shardwise_import_check_keys:
 * @section: (nullable): a group of the file; %NULL: the file itself
 * @keys: the known keys
 * @severity: for an unknown key
 * @code: for an unknown key
 * @sentence: with %s for the key
 *
 * Reports every key of the section that the framework does not know, up to ten.
 */
void
shardwise_import_check_keys (ShardwiseImportJob *job, const char *section, const char *const *keys,
                             ShardwiseSeverity severity, const char *code, const char *sentence)
{
  const ShardwiseNode *map = section != NULL ? shardwise_node_find (job->root, section) : job->root;
  guint n = 0;

  if (map == NULL || map->type != SHARDWISE_NODE_MAP)
    return;
  for (guint i = 0; i < map->keys->len && n < 10; i++)
    {
      const char *key = map->keys->pdata[i];
      const ShardwiseNode *item = map->items->pdata[i];
      g_autofree char *path = NULL, *where = NULL, *text = NULL;

      if (g_strv_contains (keys, key))
        continue;
      path = section != NULL ? g_strdup_printf ("%s.%.60s", section, key)
                             : g_strdup_printf ("%.60s", key);
      /* Translators: a key of a file and the line it stands in */
      where = g_strdup_printf (_ ("%s (line %u)"), path, item->line);
      text = shardwise_import_fill (sentence, where);
      shardwise_import_find (job, severity, code, "%s", text);
      n++;
    }
}

/* ---- what the file does not say, each named in a warning ---- */

static void
copy_from_base (ShardwiseImportJob *job, const char *section)
{
  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    {
      g_autoptr (GVariant) value = NULL;

      if (!g_str_has_prefix (shardwise_key_path (i), section)
          || i == SHARDWISE_KEY_TRAINING_MICRO_BATCH_SIZE
          || !shardwise_scenario_is_set (job->base, i)
          || shardwise_scenario_is_set (job->out->scenario, i))
        continue;
      value = shardwise_scenario_get (job->base, i);
      shardwise_import_put (job, i, value);
    }
}

static double
stated_or_one (ShardwiseImportJob *job, ShardwiseKeyId id)
{
  return shardwise_scenario_is_set (job->out->scenario, id)
             ? shardwise_scenario_get_number (job->out->scenario, id, 1)
             : 1;
}

/* Every figure depends on the model, so a missing model is requested first. */
static void
complete_model (ShardwiseImportJob *job)
{
  if (shardwise_names_model (job->out->scenario))
    return;
  if (job->base != NULL)
    copy_from_base (job, "model.");
  if (job->base != NULL)
    shardwise_import_warn (
        job,
        _ ("The file does not specify the model: the model of the previous scenario is kept."));
  else if (job->named[0] != '\0')
    shardwise_import_find (job, SHARDWISE_SEVERITY_ERROR, "model-unknown",
                           /* Translators: a checkpoint, "Qwen/Qwen3-VL-8B" */
                           _ ("The model “%s” is not in the catalog. Choose a model of its size: "
                              "without a model, there are no results."),
                           job->named);
  else
    shardwise_import_find_error (job, "model-unknown",
                                 _ ("The file does not specify the model. Choose the model that "
                                    "you train: without a model, there are no results."));
}

/* As many GPUs as in the current scenario, otherwise a node: a multiple of the product of the
 * parallel sizes. A pipeline with an open number of stages gets two, and open replicas get the size
 * of the shard group. */
static void
put_gpus (ShardwiseImportJob *job)
{
  static const ShardwiseKeyId factors[] = { SHARDWISE_KEY_STRATEGY_TP, SHARDWISE_KEY_STRATEGY_PP,
                                            SHARDWISE_KEY_STRATEGY_CP, SHARDWISE_KEY_STRATEGY_DP };
  ShardwiseScenario *scenario = job->out->scenario;
  const double batch = stated_or_one (job, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE),
               micro = stated_or_one (job, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE);
  const gboolean is_job = shardwise_import_is_job (job->out->kind),
                 has_dp = shardwise_scenario_is_set (scenario, SHARDWISE_KEY_STRATEGY_DP);
  const guint here = job->base != NULL ? (guint) shardwise_scenario_get_number (
                         job->base, SHARDWISE_KEY_CLUSTER_GPUS, 8)
                                       : 8;
  double product = has_dp ? 1 : stated_or_one (job, SHARDWISE_KEY_STRATEGY_SHARD_GROUP);
  guint needed, gpus;

  for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
    if (shardwise_scenario_is_set (scenario, factors[i]))
      product *= shardwise_scenario_get_number (scenario, factors[i], 1);
    else if (factors[i] == SHARDWISE_KEY_STRATEGY_PP && is_job)
      product *= 2;
  needed = (guint) MIN (product, 131072);
  gpus = here >= needed ? here / needed * needed : needed;
  /* If no cluster is stated, the smallest one whose replicas can split the batch. */
  if (job->base == NULL && is_job && !has_dp
      && shardwise_scenario_is_set (scenario, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE))
    while (gpus > needed && fmod (batch, gpus / needed * micro) != 0)
      gpus -= needed;
  shardwise_import_put_int (job, SHARDWISE_KEY_CLUSTER_GPUS, gpus);
  if (job->base != NULL && gpus == here)
    shardwise_import_assume (
        job, SHARDWISE_KEY_CLUSTER_GPUS,
        _ ("The file does not specify the cluster: the cluster of the previous scenario is kept."));
  else
    shardwise_import_assume (
        job, SHARDWISE_KEY_CLUSTER_GPUS,
        _ ("The file does not specify the cluster: Shardwise uses %u GPUs until you choose yours."),
        gpus);
}

/* The GPU, identified by the memory in an error message. */
static void
put_seen (ShardwiseImportJob *job)
{
  if (shardwise_scenario_is_set (job->out->scenario, SHARDWISE_KEY_CLUSTER_GPU)
      || shardwise_scenario_is_set (job->out->scenario, SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB))
    return;
  shardwise_import_put_word (job, SHARDWISE_KEY_CLUSTER_GPU, job->seen->id);
  shardwise_import_assume (
      job, SHARDWISE_KEY_CLUSTER_GPU,
      /* Translators: a GPU */
      _ ("The file does not specify the GPU: Shardwise uses %s, with the memory of the GPU in the "
         "error, until you choose yours."),
      job->seen->name);
}

/**
 * shardwise_import_complete:
 * @job: a job whose file was read
 *
 * Takes missing values from the current scenario, otherwise from defaults, with a warning for each.
 */
void
shardwise_import_complete (ShardwiseImportJob *job)
{
  ShardwiseScenario *scenario = job->out->scenario;
  const gboolean is_job = shardwise_import_is_job (job->out->kind);
  gboolean has_batch;
  double dp, micro, batch, whole;

  if (job->is_part && job->base != NULL)
    copy_from_base (job, "strategy.");
  complete_model (job);
  if (job->seen != NULL && job->base == NULL)
    put_seen (job);
  if (!shardwise_scenario_is_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS))
    put_gpus (job);
  else if (!shardwise_scenario_is_set (scenario, SHARDWISE_KEY_CLUSTER_GPU))
    shardwise_import_assume (
        job, SHARDWISE_KEY_CLUSTER_GPU,
        job->base != NULL
            ? _ ("The file does not specify the GPU: the GPU of the previous scenario is kept.")
            : _ ("The file does not specify the GPU: Shardwise uses H100 80 GB until you choose "
                 "yours."));
  if (job->base != NULL)
    copy_from_base (job, "cluster.");
  if (!shardwise_scenario_is_set (scenario, SHARDWISE_KEY_CLUSTER_GPU)
      && !shardwise_scenario_is_set (scenario, SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB))
    shardwise_import_put_word (job, SHARDWISE_KEY_CLUSTER_GPU, "h100-80-sxm");

  has_batch = shardwise_scenario_is_set (scenario, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE);
  if (job->base != NULL)
    {
      copy_from_base (job, "training.");
      copy_from_base (job, "cost.");
    }
  if (!is_job)
    return;
  /* A missing batch must be divisible by the degrees: about a million tokens, the default of a
   * scenario. */
  dp = stated_or_one (job, SHARDWISE_KEY_STRATEGY_DP);
  micro = stated_or_one (job, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE);
  batch = shardwise_scenario_is_set (scenario, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE)
              ? shardwise_scenario_get_number (scenario, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE,
                                               1)
              : (guint) MAX (1, 1048576
                                    / shardwise_scenario_get_number (
                                        scenario, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH,
                                        shardwise_defaults_get ("training.sequence_length")));
  whole = ceil (batch / (dp * micro)) * dp * micro;
  if (!has_batch && whole != batch && whole <= 1e9)
    {
      shardwise_import_put_int (job, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, (gint64) whole);
      shardwise_import_assume (job, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE,
                               /* Translators: a number of sequences */
                               _ ("The file does not set the global batch: Shardwise uses %.0f "
                                  "sequences, which fits its parallel sizes, until you set yours."),
                               whole);
    }
  if (job->base == NULL
      && !shardwise_scenario_is_set (scenario, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH))
    shardwise_import_assume (job, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH,
                             _ ("The file does not set the sequence length: Shardwise uses 4096 "
                                "tokens until you set yours."));
}
