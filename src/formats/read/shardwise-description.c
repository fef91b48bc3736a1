/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-description.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-ask-answer.h"
#include "shardwise-catalogue.h"
#include "shardwise-failure.h"
#include "shardwise-import.h"
#include "shardwise-input-control.h"
#include "shardwise-key.h"
#include "shardwise-resolve.h"

#define MAX_WORDS 2000        /* bytes of a question */
#define MEMORY_FOR_STATES 0.6 /* of a GPU; the rest is for activations */
#define MOST_GPUS 4096        /* the largest number if none is stated */

/* ---- what was understood ---- */

static void
add_part (ShardwiseDescription *self, char *text)
{
  if (text != NULL && *text != '\0')
    g_ptr_array_add (self->parts, text);
  else
    g_free (text);
}

/* "64 × H100", or the stated part of it. */
static void
add_cluster (ShardwiseDescription *self, const SwCluster *cluster, gboolean gpu, gboolean gpus)
{
  if (gpu && gpus)
    add_part (self, g_strdup_printf ("%u × %s", cluster->gpus, cluster->gpu.name));
  else if (gpu)
    add_part (self, g_strdup (cluster->gpu.name));
  else if (gpus)
    add_part (self,
              g_strdup_printf (ngettext ("%'u GPU", "%'u GPUs", cluster->gpus), cluster->gpus));
}

/* Lists the usual inputs that a scenario sets, or those in @changes (nullable): all of them. */
static void
add_scenario (ShardwiseDescription *self, ShardwiseScenario *scenario, GVariant *changes)
{
  static const ShardwiseKeyId usual[] = { SHARDWISE_KEY_TRAINING_TYPE,
                                          SHARDWISE_KEY_TRAINING_FRAMEWORK,
                                          SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH,
                                          SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE,
                                          SHARDWISE_KEY_TRAINING_TOKENS };
  gboolean is_named[SHARDWISE_N_KEYS] = { FALSE };
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);

  for (ShardwiseKeyId id = SHARDWISE_KEY_NONE + 1; id < SHARDWISE_N_KEYS; id++)
    is_named[id] = shardwise_scenario_is_set (scenario, id)
                   && (changes == NULL
                       || g_variant_lookup (changes, shardwise_key_path (id), "*", NULL));
  if (shardwise_scenario_resolve (scenario, problem, NULL, NULL))
    {
      if (shardwise_names_model (scenario)
          && (changes == NULL || is_named[SHARDWISE_KEY_MODEL_PRESET]
              || is_named[SHARDWISE_KEY_MODEL_PARAMETERS_B]))
        add_part (self, g_strdup (problem->model.name));
      add_cluster (self, &problem->cluster,
                   is_named[SHARDWISE_KEY_CLUSTER_GPU]
                       || is_named[SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB],
                   is_named[SHARDWISE_KEY_CLUSTER_GPUS]);
    }
  for (ShardwiseKeyId id = SHARDWISE_KEY_NONE + 1; id < SHARDWISE_N_KEYS; id++)
    {
      const ShardwiseKey *key = shardwise_key_get (id);
      gboolean is_usual = FALSE;
      g_autofree char *value = NULL;

      for (guint i = 0; i < G_N_ELEMENTS (usual); i++)
        is_usual = is_usual || usual[i] == id;
      if (!is_named[id] || !(is_usual || changes != NULL) || id == SHARDWISE_KEY_MODEL_PRESET
          || id == SHARDWISE_KEY_MODEL_PARAMETERS_B || id == SHARDWISE_KEY_CLUSTER_GPU
          || id == SHARDWISE_KEY_CLUSTER_GPUS || id == SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB)
        continue;
      value = shardwise_control_describe (key, scenario);
      add_part (self, id == SHARDWISE_KEY_TRAINING_TYPE || id == SHARDWISE_KEY_TRAINING_FRAMEWORK
                          ? g_steal_pointer (&value)
                          : g_strdup_printf ("%s %s", _ (key->title), value));
    }
}

/* ---- words ---- */

/* The description of a job, as Ask's reader parses it. A bare "8k" is the sequence length; without
 * that word, it is a number of the unit before. In "24 GB or 48 GB cards" both are cards. */
static char *
spell_out (const char *text)
{
  static const struct {
    const char *pattern, *replacement;
  } rules[] = {
    { "(^|[\\s,;(])(\\d{1,4}k)(?=$|[\\s,;.:?)])(?![\\s]*(?:tok|con|ctx|seq|kontext|step|gpu|card|"
      "example|"
      "sample|document|sequen|batch|long))",
      "\\1sequence length \\2" },
    { "(\\d)-(gb)-", "\\1 \\2 " },
    { "(\\d ?gb),? (or|oder) (\\d+ ?gb (cards|gpus|karten))", "\\1 \\4 \\2 \\3" },
  };
  char *words = g_strdup (text);

  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    {
      g_autoptr (GRegex) regex = g_regex_new (rules[i].pattern, G_REGEX_CASELESS | G_REGEX_OPTIMIZE,
                                              (GRegexMatchFlags) 0, NULL);
      char *spelt = g_regex_replace (regex, words, -1, 0, rules[i].replacement,
                                     (GRegexMatchFlags) 0, NULL);

      g_free (words);
      words = spelt;
    }
  return words;
}

/* The GPU for which only the memory is stated, if the catalog has one of exactly that size.
 * Returns: (transfer none) (nullable): its id */
static const char *
card_of (ShardwiseScenario *job)
{
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  const SwGpu *gpu = shardwise_scenario_resolve (job, problem, NULL, NULL)
                         ? shardwise_catalogue_find_gpu (shardwise_catalogue_get (),
                                                         problem->cluster.gpu.id)
                         : NULL;

  return gpu != NULL && gpu->memory_gb == problem->cluster.gpu.memory_gb ? gpu->id : NULL;
}

/* Cards of a second size, against the first ones. */
static void
add_card (ShardwiseDescription *self, GVariant *memory)
{
  g_autoptr (ShardwiseScenario) job = shardwise_scenario_new ();
  GVariantDict size;
  g_autoptr (GVariant) sized = NULL, changes = NULL;
  const char *id = NULL;

  g_variant_dict_init (&size, NULL);
  g_variant_dict_insert_value (&size, shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB),
                               memory);
  sized = g_variant_ref_sink (g_variant_dict_end (&size));
  changes = shardwise_asking_settle (sized, job);
  if (shardwise_scenario_apply (job, changes, NULL))
    id = card_of (job);
  if (id != NULL)
    g_ptr_array_add (self->others, g_strdup (id));
}

/* The combined values of all sides of a question: "H100 or H200 for 70B" is one job with two GPUs;
 * only the first GPU is used. Returns: (transfer full): a{sv} */
static GVariant *
collect (ShardwiseDescription *self)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  for (guint i = 0; i < self->question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->question->slots, i);
      const ShardwiseKey *key = shardwise_key_find (slot->path);

      if (slot->value == NULL || key == NULL)
        continue;
      if (!g_variant_dict_contains (&dict, slot->path))
        g_variant_dict_insert_value (&dict, slot->path, slot->value);
      else if (key->id == SHARDWISE_KEY_CLUSTER_GPU)
        g_ptr_array_add (self->others, g_variant_dup_string (slot->value, NULL));
      else if (key->id == SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB)
        add_card (self, slot->value);
    }
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

static gboolean
names (GVariant *values, ShardwiseKeyId id)
{
  return g_variant_lookup (values, shardwise_key_path (id), "*", NULL);
}

/* Does not ask for what the answer page, or a comparison of GPUs, shows anyway. */
static gboolean
asks_more (const ShardwiseQuestion *question, gboolean is_comparison)
{
  const gboolean asked = strpbrk (question->text, "?？") != NULL;

  switch (question->intent)
    {
    case SHARDWISE_INTENT_WHY:
    case SHARDWISE_INTENT_SLOW:
    case SHARDWISE_INTENT_LIMIT:
    case SHARDWISE_INTENT_FAULT:
    case SHARDWISE_INTENT_HOW_TO: return question->confidence >= 0.7;
    case SHARDWISE_INTENT_GPUS:
    case SHARDWISE_INTENT_DEFINE:
    case SHARDWISE_INTENT_ALLOWED: return asked;
    case SHARDWISE_INTENT_COMPARE: return asked && !is_comparison;
    case SHARDWISE_INTENT_UNKNOWN:
    case SHARDWISE_INTENT_WHAT_IF:
    case SHARDWISE_INTENT_FITS:
    case SHARDWISE_INTENT_MEMORY:
    case SHARDWISE_INTENT_TIME:
    case SHARDWISE_INTENT_COST:
    case SHARDWISE_INTENT_THROUGHPUT:
    case SHARDWISE_INTENT_OOM:
    case SHARDWISE_INTENT_BEST:
    case SHARDWISE_N_INTENTS:
    default: return FALSE;
    }
}

/* A job that ran out of memory and is not described further is assumed to run with the defaults of
 * a script: no checkpointing, one sequence at a time, all GPUs as replicas. */
static void
take_plain (ShardwiseScenario *scenario)
{
  static const struct {
    ShardwiseKeyId id;
    const char *word;
  } plain[] = { { SHARDWISE_KEY_STRATEGY_RECOMPUTE, "none" },
                { SHARDWISE_KEY_STRATEGY_OFFLOAD, "none" } };
  static const ShardwiseKeyId whole[] = { SHARDWISE_KEY_STRATEGY_TP, SHARDWISE_KEY_STRATEGY_PP,
                                          SHARDWISE_KEY_STRATEGY_CP,
                                          SHARDWISE_KEY_TRAINING_MICRO_BATCH_SIZE };

  for (guint i = 0; i < G_N_ELEMENTS (plain); i++)
    if (!shardwise_scenario_is_set (scenario, plain[i].id))
      shardwise_scenario_set (scenario, plain[i].id, g_variant_new_string (plain[i].word), NULL);
  for (guint i = 0; i < G_N_ELEMENTS (whole); i++)
    if (!shardwise_scenario_is_set (scenario, whole[i]))
      shardwise_scenario_set (scenario, whole[i], g_variant_new_int64 (1), NULL);
}

/* If the number of GPUs is not specified, each GPU type gets the smallest power of two that holds
 * the model, and at least a node of eight. */
static void
take_enough_gpus (ShardwiseDescription *self, ShardwiseScenario *job)
{
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  double memory, needed, each; /* minimum bytes per parameter in training */
  guint gpus = 8;

  if (!shardwise_scenario_resolve (job, problem, NULL, NULL))
    return;
  each = problem->training.type == SW_TRAINING_QLORA  ? 0.6
         : problem->training.type == SW_TRAINING_LORA ? 2
                                                      : 16;
  memory = problem->cluster.gpu.memory_gb * 1e9;
  for (guint i = 0; i < self->others->len; i++)
    {
      const SwGpu *other = shardwise_catalogue_find_gpu (shardwise_catalogue_get (),
                                                         self->others->pdata[i]);

      memory = other != NULL ? MIN (memory, other->memory_gb * 1e9) : memory;
    }
  needed = problem->count.total * each / (MEMORY_FOR_STATES * memory);
  while (gpus < needed && gpus < MOST_GPUS)
    gpus *= 2;
  if (gpus <= problem->cluster.gpus)
    return;
  shardwise_scenario_set (job, SHARDWISE_KEY_CLUSTER_GPUS, g_variant_new_int64 (gpus), NULL);
  /* Translators: a number of GPUs that was not stated */
  add_part (self, g_strdup_printf (_ ("%'u GPUs, which is enough to hold it"), gpus));
}

/* For cards with only their memory stated: those of exactly that size, with names. */
static void
name_gpu (ShardwiseScenario *job, GVariant *named)
{
  const char *id = names (named, SHARDWISE_KEY_CLUSTER_GPU)
                           || !names (named, SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB)
                       ? NULL
                       : card_of (job);

  if (id == NULL)
    return;
  shardwise_scenario_reset (job, SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB);
  shardwise_scenario_set (job, SHARDWISE_KEY_CLUSTER_GPU, g_variant_new_string (id), NULL);
}

static void
read_words (ShardwiseDescription *self, const char *text, ShardwiseScenario *fresh)
{
  g_autofree char *words = spell_out (text);
  g_autoptr (ShardwiseScenario) job = shardwise_scenario_copy (fresh);
  g_autoptr (GVariant) named = NULL, settled = NULL;
  g_autoptr (GError) error = NULL;
  gboolean has_model;

  self->question = shardwise_question_parse (words, fresh, NULL);
  g_free (self->question->text);
  self->question->text = g_strdup (text);
  named = collect (self);
  settled = shardwise_asking_settle (named, fresh);
  if (!shardwise_scenario_apply (job, settled, &error))
    {
      self->lacks = g_strdup (error->message);
      return;
    }
  self->asks = asks_more (self->question, self->others->len > 0);
  if (self->asks || self->question->intent == SHARDWISE_INTENT_OOM)
    add_part (self, g_strdup (shardwise_intent_title (self->question->intent)));
  add_scenario (self, job, named);
  for (guint i = 0; i < self->others->len; i++)
    {
      g_autoptr (GVariant) other =
          g_variant_ref_sink (g_variant_new_string (self->others->pdata[i]));
      g_autoptr (ShardwiseScenario) with = shardwise_scenario_copy (job);

      shardwise_scenario_set (with, SHARDWISE_KEY_CLUSTER_GPU, other, NULL);
      /* Translators: what is held against the rest */
      g_autofree char *gpu =
          shardwise_control_describe (shardwise_key_get (SHARDWISE_KEY_CLUSTER_GPU), with);
      add_part (self, g_strdup_printf (_ ("against %s"), gpu));
    }
  has_model = names (named, SHARDWISE_KEY_MODEL_PRESET)
              || names (named, SHARDWISE_KEY_MODEL_PARAMETERS_B);
  if (has_model)
    {
      name_gpu (job, named);
      if (!names (named, SHARDWISE_KEY_CLUSTER_GPUS))
        take_enough_gpus (self, job);
      if (self->question->intent == SHARDWISE_INTENT_OOM)
        take_plain (job);
      self->scenario = shardwise_scenario_copy (job); /* without the undo steps that made it */
    }
  else if (self->parts->len > 0)
    self->lacks = g_strdup (_ ("Which model? Add its name or its size: “Llama 3 70B”, “8B”."));
  else
    self->lacks =
        g_strdup (_ ("Name a model and the GPUs: “70B on 64 H100, 8k”, or paste a configuration."));
}

/* ---- files ---- */

/**
 * shardwise_description_refusal:
 * @text: the input, read as a file
 * @length: in bytes
 * @message: the error
 *
 * Returns: (transfer full): the same without a position if it is about the whole text; for words,
 *   that they are not a file
 */
char *
shardwise_description_refusal (const char *text, gsize length, const char *message)
{
  g_autofree char *place = g_strdup_printf (_ ("line %u, column %u: %s"), 1, 1, "");
  const gboolean looks_like_file = length > 0 && strchr ("{[<#", *text) != NULL;
  const char *why = message + strlen (place);

  if (!g_str_has_prefix (message, place))
    return g_strdup (message);
  if (!looks_like_file && shardwise_import_detect (text, length, "") == SHARDWISE_IMPORT_UNKNOWN
      && strlen (why) > 200) /* the list of all readable formats */
    return g_strdup (
        _ ("This is not a configuration, script, log or model that Shardwise can read."));
  return g_strdup (why);
}

static gboolean
is_file (const char *text)
{
  return shardwise_import_detect (text, strlen (text), "") != SHARDWISE_IMPORT_UNKNOWN;
}

/* Whether two lines set keys in the spelling of files. Read as words, "micro_batch_size: 2" above
 * "sequence_len: 8192" would be a sequence of 2 tokens. */
static gboolean
sets_keys (const char *text)
{
  return g_regex_match_simple ("^[ \t]*[a-z0-9]+_[a-z0-9_]+[ \t]*[:=].*"
                               "\n[ \t]*[a-z0-9]+_[a-z0-9_]+[ \t]*[:=]",
                               text, G_REGEX_MULTILINE | G_REGEX_DOTALL, 0);
}

static void
read_file (ShardwiseDescription *self, const char *text, ShardwiseScenario *base)
{
  g_autoptr (GError) error = NULL;

  self->import = shardwise_import_document (text, strlen (text), "", base, &error);
  if (self->import == NULL)
    self->lacks = shardwise_description_refusal (text, strlen (text), error->message);
  else
    add_part (self, g_strdup (shardwise_import_title (self->import->kind)));
  if (self->import != NULL && self->import->kind != SHARDWISE_IMPORT_ERROR)
    add_scenario (self, self->import->scenario, NULL);
}

/* The error message of a run with the job next to it, in words or as a file. The message determines
 * the GPU if the job does not. */
static void
read_failure (ShardwiseDescription *self, const char *text, const ShardwiseFailure *failure,
              ShardwiseScenario *fresh)
{
  g_autofree char *beside = shardwise_failure_beside (text);
  g_autoptr (ShardwiseScenario) base = shardwise_scenario_copy (fresh);
  const SwGpu *seen = shardwise_failure_gpu (failure);

  add_part (self, g_strdup (shardwise_import_title (SHARDWISE_IMPORT_ERROR)));
  if (is_file (beside))
    {
      read_file (self, text, NULL);
      return;
    }
  if (seen != NULL)
    shardwise_scenario_set (base, SHARDWISE_KEY_CLUSTER_GPU, g_variant_new_string (seen->id), NULL);
  if (*beside != '\0' && strlen (beside) <= MAX_WORDS)
    read_words (self, beside, base);
  if (self->scenario == NULL)
    {
      g_free (self->lacks);
      self->lacks = g_strdup (_ ("Which job failed? Describe it above: “fine-tuning of 8B with "
                                 "FSDP on 4 A100”, or paste its configuration there."));
      return;
    }
  if (failure->kind == SHARDWISE_FAILURE_OUT_OF_MEMORY)
    take_plain (self->scenario);
  read_file (self, text, self->scenario);
}

/* For words that report an out-of-memory job: the same as for an error message. */
static void
diagnose (ShardwiseDescription *self)
{
  const ShardwiseFailure failure = { .kind = SHARDWISE_FAILURE_OUT_OF_MEMORY };

  self->import = shardwise_import_new (SHARDWISE_IMPORT_ERROR);
  self->import->scenario = g_object_ref (self->scenario);
  g_ptr_array_unref (self->import->findings);
  self->import->findings = shardwise_failure_findings (&failure, self->scenario);
}

/**
 * shardwise_description_read:
 * @text: any bytes: words in English or German, files of frameworks, error messages of runs
 * @length: in bytes
 * @fresh: the defaults of a new scenario
 *
 * Reads any description of a job. Unstated values come from @fresh, which is not changed. May be
 * called on a thread of its own with a copy of the scenario.
 *
 * Returns: (transfer full): the parsed description
 */
ShardwiseDescription *
shardwise_description_read (const char *text, gsize length, ShardwiseScenario *fresh)
{
  ShardwiseDescription *self = g_new0 (ShardwiseDescription, 1);
  g_autofree char *valid = NULL;
  ShardwiseFailure failure;
  const char *rest;

  g_return_val_if_fail (text != NULL && SHARDWISE_IS_SCENARIO (fresh), NULL);

  valid = g_strstrip (g_utf8_make_valid (text, (gssize) length));
  self->parts = g_ptr_array_new_with_free_func (g_free);
  self->others = g_ptr_array_new_with_free_func (g_free);
  if (*valid == '\0')
    return self;
  rest = strchr (valid, '\n');
  if (shardwise_failure_read (valid, -1, &failure))
    read_failure (self, valid, &failure, fresh);
  else if (is_file (valid))
    read_file (self, valid, NULL);
  else if (rest != NULL && is_file (rest + 1)) /* a line of words above it */
    {
      g_autofree char *words = g_strndup (valid, (gsize) (rest - valid));

      read_words (self, words, fresh);
      g_clear_pointer (&self->lacks, g_free);
      read_file (self, rest + 1, self->scenario);
    }
  else if (strlen (valid) > MAX_WORDS || strchr ("{[<", *valid) != NULL || sets_keys (valid))
    read_file (self, valid, NULL);
  else
    {
      read_words (self, valid, fresh);
      if (self->scenario != NULL && self->question->intent == SHARDWISE_INTENT_OOM)
        diagnose (self);
    }
  return self;
}

/**
 * shardwise_description_can_open:
 *
 * Returns: whether it describes a job
 */
gboolean
shardwise_description_can_open (const ShardwiseDescription *self)
{
  return self->import != NULL || self->scenario != NULL;
}

/**
 * shardwise_description_free:
 * @self: (transfer full) (nullable): a description
 */
void
shardwise_description_free (ShardwiseDescription *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->import, shardwise_import_free);
  g_clear_object (&self->scenario);
  g_clear_pointer (&self->question, shardwise_question_free);
  g_ptr_array_unref (self->parts);
  g_ptr_array_unref (self->others);
  g_free (self->lacks);
  g_free (self);
}
