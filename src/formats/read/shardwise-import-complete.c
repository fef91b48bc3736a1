/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a file does not say: the model, the cluster and the batch that stand for it, each named in a
 * warning. */
#include "shardwise-import-private.h"

#include <glib/gi18n.h>
#include <math.h>

static gboolean
any_set (ShardwiseScenario *scenario, const char *section)
{
  guint n_keys;
  const ShardwiseKey *keys = shardwise_keys (&n_keys);

  for (guint i = 0; i < n_keys; i++)
    if (g_str_has_prefix (keys[i].path, section)
        && shardwise_scenario_is_set (scenario, keys[i].path))
      return TRUE;
  return FALSE;
}

static void
copy_from_base (ShardwiseImportJob *job, const char *section)
{
  guint n_keys;
  const ShardwiseKey *keys = shardwise_keys (&n_keys);

  for (guint i = 0; i < n_keys; i++)
    {
      g_autoptr (GVariant) value = NULL;

      if (!g_str_has_prefix (keys[i].path, section)
          || g_str_equal (keys[i].path, "training.micro_batch_size")
          || !shardwise_scenario_is_set (job->base, keys[i].path)
          || shardwise_scenario_is_set (job->out->scenario, keys[i].path))
        continue;
      value = shardwise_scenario_get (job->base, keys[i].path);
      shardwise_import_put (job, keys[i].path, value);
    }
}

static double
stated_or_one (ShardwiseImportJob *job, const char *path)
{
  return shardwise_scenario_is_set (job->out->scenario, path)
             ? shardwise_scenario_get_number (job->out->scenario, path, 1)
             : 1;
}

/* Expert parallelism wants a model with as many experts. */
static const char *
stand_in (ShardwiseImportJob *job)
{
  const double ep = stated_or_one (job, "strategy.ep");

  if (ep <= 1)
    return "llama-3-8b";
  return ep == 2 || ep == 4 || ep == 8 ? "mixtral-8x7b" : "deepseek-v3";
}

/* Every figure hangs on the model: that it is assumed is said before all else. */
static void
complete_model (ShardwiseImportJob *job)
{
  const char *id;

  if (any_set (job->out->scenario, "model."))
    return;
  if (job->base != NULL)
    {
      copy_from_base (job, "model.");
      shardwise_import_warn (
          job,
          g_strdup (_ ("The file does not name the model: that of the scenario before stays.")));
      return;
    }
  id = stand_in (job);
  shardwise_import_put_word (job, "model.preset", id);
  shardwise_import_find (
      job, SHARDWISE_SEVERITY_ERROR, "model-unknown",
      /* Translators: the name of a model */
      g_strdup_printf (_ ("The model is unknown: the file does not name it. Every figure is that "
                          "of %s, which is assumed: choose the model that you train."),
                       shardwise_catalogue_find_model (shardwise_catalogue_get (), id)->name));
}

/* The GPUs that the degrees need together; a pipeline whose stages are not stated has two, and
 * replicas that are not stated are what they shard over. */
static guint
needed_gpus (ShardwiseImportJob *job)
{
  static const char *const factors[] = { "strategy.tp", "strategy.pp", "strategy.cp",
                                         "strategy.dp" };
  double product = 1;

  for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
    if (shardwise_scenario_is_set (job->out->scenario, factors[i]))
      product *= shardwise_scenario_get_number (job->out->scenario, factors[i], 1);
    else if (g_str_equal (factors[i], "strategy.pp") && shardwise_import_is_job (job->out->kind))
      product *= 2;
  if (!shardwise_scenario_is_set (job->out->scenario, "strategy.dp"))
    product *= stated_or_one (job, "strategy.shard_group");
  return (guint) MIN (product, 131072);
}

/* Where no cluster is stated at all, one whose replicas can split the batch. */
static guint
fit_to_batch (ShardwiseImportJob *job, guint gpus, guint needed)
{
  const double batch = stated_or_one (job, "training.global_batch_size"),
               micro = stated_or_one (job, "strategy.micro_batch_size");

  if (job->base != NULL || !shardwise_import_is_job (job->out->kind)
      || !shardwise_scenario_is_set (job->out->scenario, "training.global_batch_size")
      || shardwise_scenario_is_set (job->out->scenario, "strategy.dp"))
    return gpus;
  while (gpus > needed && fmod (batch, gpus / needed * micro) != 0)
    gpus -= needed;
  return gpus;
}

/* As many as the scenario at hand has, else a node: a multiple of what the degrees need. */
static void
put_gpus (ShardwiseImportJob *job)
{
  guint needed = needed_gpus (job);
  guint here = job->base != NULL
                   ? (guint) shardwise_scenario_get_number (job->base, "cluster.gpus", 8)
                   : 8;
  guint gpus = here >= needed && here % needed == 0 ? here
               : here >= needed                     ? here / needed * needed
                                                    : needed;

  gpus = fit_to_batch (job, gpus, needed);
  shardwise_import_put_int (job, "cluster.gpus", gpus);
  shardwise_import_assume (
      job, "cluster.gpus",
      job->base != NULL && gpus == here
          ? g_strdup (
              _ ("The file does not say on what it runs: the cluster of the scenario before "
                 "stays."))
          : g_strdup_printf (
              _ ("The file does not say on what it runs: %u GPUs stand for it until you "
                 "choose yours."),
              gpus));
}

static void
complete_cluster (ShardwiseImportJob *job)
{
  if (!shardwise_scenario_is_set (job->out->scenario, "cluster.gpus"))
    put_gpus (job);
  else
    shardwise_import_assume (
        job, "cluster.gpu",
        job->base != NULL
            ? g_strdup (_ ("The file does not name the GPU: that of the scenario before stays."))
            : g_strdup (_ ("The file does not name the GPU: H100 80 GB stands for it until you "
                           "choose yours.")));
  if (job->base != NULL)
    copy_from_base (job, "cluster.");
  if (!shardwise_scenario_is_set (job->out->scenario, "cluster.gpu")
      && !shardwise_scenario_is_set (job->out->scenario, "cluster.gpu_memory_gb"))
    shardwise_import_put_word (job, "cluster.gpu", "h100-80-sxm");
}

/* About a million tokens, as where a scenario states none. */
static guint
usual_batch (ShardwiseScenario *scenario)
{
  return (guint) MAX (
      1, 1048576 / shardwise_scenario_get_number (scenario, "training.sequence_length", 4096));
}

/* A batch that the file does not state must not be what its degrees cannot split. */
static void
complete_batch (ShardwiseImportJob *job, gboolean is_stated)
{
  ShardwiseScenario *scenario = job->out->scenario;
  double dp = stated_or_one (job, "strategy.dp"),
         micro = stated_or_one (job, "strategy.micro_batch_size"),
         batch = shardwise_scenario_is_set (scenario, "training.global_batch_size")
                     ? shardwise_scenario_get_number (scenario, "training.global_batch_size", 1)
                     : usual_batch (scenario),
         whole = ceil (batch / (dp * micro)) * dp * micro;

  if (is_stated || whole == batch || whole > 1e9)
    return;
  shardwise_import_put_int (job, "training.global_batch_size", (gint64) whole);
  shardwise_import_assume (
      job, "training.global_batch_size",
      /* Translators: a number of sequences */
      g_strdup_printf (_ ("The file does not state the global batch: %.0f sequences, which its "
                          "degrees can split, stand for it until you state yours."),
                       whole));
}

static void
complete_training (ShardwiseImportJob *job)
{
  const gboolean is_job = shardwise_import_is_job (job->out->kind),
                 has_batch = shardwise_scenario_is_set (job->out->scenario,
                                                        "training.global_batch_size");

  if (job->base != NULL)
    {
      copy_from_base (job, "training.");
      copy_from_base (job, "cost.");
    }
  if (is_job)
    complete_batch (job, has_batch);
  if (job->base == NULL && is_job
      && !shardwise_scenario_is_set (job->out->scenario, "training.sequence_length"))
    shardwise_import_assume (job, "training.sequence_length",
                             g_strdup (_ ("The file does not state the sequence length: 4096 "
                                          "tokens stand for it until you state yours.")));
}

/**
 * shardwise_import_complete:
 * @job: whose file was read
 *
 * Takes the rest from the scenario at hand, else from defaults, and warns of what it takes.
 */
void
shardwise_import_complete (ShardwiseImportJob *job)
{
  if (job->is_part && job->base != NULL)
    copy_from_base (job, "strategy.");
  complete_model (job);
  complete_cluster (job);
  complete_training (job);
  shardwise_import_settle (job->out);
}
