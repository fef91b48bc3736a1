/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Around Megatron-LM's arguments: how many processes the launcher starts, and what Megatron-LM
 * refuses at its start. */
#include "shardwise-import-megatron.h"

#include <glib/gi18n.h>
#include <string.h>

/* ---- processes ---- */

/* "8", "2:8" of an elastic job (the most), "gpu:8" and "gpu:h100:8" of Slurm: the last number. */
static guint
last_number (const char *text)
{
  const char *last = text != NULL ? strrchr (text, ':') : NULL;
  guint64 value;

  if (text == NULL
      || !g_ascii_string_to_unsigned (last != NULL ? last + 1 : text, 10, 1, 131072, &value, NULL))
    return 0;
  return (guint) value;
}

static guint
of_options (ShardwiseImportJob *job, const char *const *options)
{
  for (guint i = 0; options[i] != NULL; i++)
    {
      const ShardwiseNode *node = shardwise_import_at (job, options[i]);
      guint value = node != NULL && node->text != NULL ? last_number (node->text) : 0;

      if (value > 0)
        return value;
    }
  return 0;
}

static guint
of_sbatch (const ShardwiseShell *shell, const char *const *options)
{
  for (guint i = 0; options[i] != NULL; i++)
    for (guint j = 0; j < shell->sbatch->len; j++)
      {
        const char *text = ((ShardwiseShellWord *) shell->sbatch->pdata[j])->text;
        gsize length = strlen (options[i]);
        guint value = 0;

        if (!g_str_has_prefix (text, options[i]))
          continue;
        if (text[length] == '=')
          value = last_number (text + length + 1);
        else if (text[length] == '\0' && j + 1 < shell->sbatch->len)
          value = last_number (((ShardwiseShellWord *) shell->sbatch->pdata[j + 1])->text);
        if (value > 0)
          return value;
      }
  return 0;
}

static guint
of_variables (const ShardwiseShell *shell, const char *const *names)
{
  for (guint i = 0; names[i] != NULL; i++)
    {
      guint value = last_number (g_hash_table_lookup (shell->variables, names[i]));

      if (value > 0)
        return value;
    }
  return 0;
}

static guint
first_known (guint a, guint b, guint c)
{
  return a > 0 ? a : b > 0 ? b : c;
}

/**
 * shardwise_megatron_read_world:
 * @shell: the script
 * @gpus: (out): processes in all; untouched where the script does not say
 *
 * States the cluster: by the launcher's options, the #SBATCH lines, or variables by their usual
 * names.
 */
void
shardwise_megatron_read_world (ShardwiseImportJob *job, const ShardwiseShell *shell, guint *gpus)
{
  static const char *const node_options[] = { "--nnodes", "--num-nodes", "--num_nodes", NULL };
  static const char *const node_lines[] = { "--nodes", "-N", NULL };
  static const char *const node_names[] = { "NNODES",       "NUM_NODES",           "N_NODES",
                                            "SLURM_NNODES", "SLURM_JOB_NUM_NODES", NULL };
  static const char *const gpu_options[] = { "--nproc-per-node", "--num-gpus", "--num_gpus",
                                             "--ntasks-per-node", NULL };
  static const char *const gpu_lines[] = { "--gpus-per-node", "--gres", "--ntasks-per-node", NULL };
  static const char *const gpu_names[] = { "GPUS_PER_NODE", "NPROC_PER_NODE", "NUM_GPUS",
                                           "NGPUS",         "N_GPUS",         NULL };
  static const char *const world_names[] = { "WORLD_SIZE", "NPROCS", NULL };
  guint nodes = first_known (of_options (job, node_options), of_sbatch (shell, node_lines),
                             of_variables (shell, node_names));
  guint per_node = first_known (of_options (job, gpu_options), of_sbatch (shell, gpu_lines),
                                of_variables (shell, gpu_names));
  guint64 world = of_variables (shell, world_names);

  /* torchrun starts one node where none are stated. */
  if (per_node > 0 && nodes == 0 && world == 0 && shardwise_megatron_has (job, "--nproc-per-node")
      && !shardwise_megatron_has (job, "--nnodes"))
    nodes = 1;
  if (nodes > 0 && per_node > 0)
    world = (guint64) nodes * per_node;
  if (world == 0 || world > 131072)
    {
      shardwise_import_warn (job,
                             g_strdup (_ ("The script does not say how many processes it "
                                          "starts: DP follows from the GPUs that you state.")));
      return;
    }
  *gpus = (guint) world;
  shardwise_import_put_world (job, *gpus, per_node <= 1024 ? per_node : 0);
}

/* ---- what Megatron-LM refuses ---- */

static void
error_finding (ShardwiseImportJob *job, const char *code, const char *text)
{
  shardwise_import_find (job, SHARDWISE_SEVERITY_ERROR, code, g_strdup (text));
}

/* Options that other pages offer. */
static void
find_no_options (ShardwiseImportJob *job)
{
  static const char *const options[] = {
    "--tensor-parallel-size",        "--pipeline-parallel-size", "--sequence-parallel-size",
    "--gradient-accumulation-steps", "--data-parallel-size",     "--world-size",
    "--overlap-p2p-communication"
  };

  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    {
      const ShardwiseNode *node = shardwise_node_member (job->root, options[i]);

      if (node != NULL)
        shardwise_import_find (
            job, SHARDWISE_SEVERITY_ERROR, "unknown-key",
            /* Translators: an option and the line it stands in */
            g_strdup_printf (
                _ ("%s (line %u) is no option of Megatron-LM, which refuses what it does "
                   "not know."),
                options[i], node->line));
    }
}

static void
find_connections (ShardwiseImportJob *job, const ShardwiseShell *shell)
{
  const char *stated = g_hash_table_lookup (shell->variables, "CUDA_DEVICE_MAX_CONNECTIONS");
  const gboolean fsdp = shardwise_megatron_has (job, "--use-megatron-fsdp")
                        || shardwise_megatron_has (job, "--use-torch-fsdp2");
  const gboolean split =
      shardwise_import_count_or (job, "--tensor-model-parallel-size", "strategy.tp", 1) > 1
      || shardwise_import_count_or (job, "--context-parallel-size", "strategy.cp", 1) > 1;

  if (fsdp && g_strcmp0 (stated, "1") == 0)
    error_finding (job, "connections",
                   _ ("Megatron-LM’s FSDP refuses CUDA_DEVICE_MAX_CONNECTIONS=1."));
  if (!fsdp && split && g_strcmp0 (stated, "1") != 0)
    shardwise_import_find (
        job, SHARDWISE_SEVERITY_WARNING, "connections",
        g_strdup (_ ("On NVIDIA’s Hopper and older, and on AMD’s GPUs, Megatron-LM refuses TP or "
                     "CP above 1 without CUDA_DEVICE_MAX_CONNECTIONS=1 in the environment, which "
                     "the script does not set.")));
}

static void
find_contradictions (ShardwiseImportJob *job)
{
  const gboolean param_gather = shardwise_megatron_has (job, "--overlap-param-gather");
  guint vpp_options = shardwise_megatron_has (job, "--num-layers-per-virtual-pipeline-stage")
                      + shardwise_megatron_has (job, "--num-virtual-stages-per-pipeline-rank")
                      + shardwise_megatron_has (job, "--pipeline-model-parallel-layout");
  guint length = shardwise_import_count_or (job, "--seq-length", "training.sequence_length", 0);
  guint positions = shardwise_import_count_or (job, "--max-position-embeddings",
                                               "model.max_position_embeddings", G_MAXUINT);

  if (vpp_options > 1)
    error_finding (job, "vpp-layers",
                   _ ("Megatron-LM wants at most one of "
                      "--num-layers-per-virtual-pipeline-stage, "
                      "--num-virtual-stages-per-pipeline-rank and "
                      "--pipeline-model-parallel-layout."));
  if (param_gather
      && (!shardwise_megatron_has (job, "--overlap-grad-reduce")
          || !shardwise_megatron_has (job, "--use-distributed-optimizer")))
    error_finding (job, "overlap",
                   _ ("--overlap-param-gather needs --overlap-grad-reduce and "
                      "--use-distributed-optimizer."));
  if (shardwise_megatron_has (job, "--tp-comm-overlap")
      && !shardwise_megatron_has (job, "--sequence-parallel"))
    error_finding (job, "overlap", _ ("--tp-comm-overlap needs --sequence-parallel."));
  if (shardwise_node_is_text (shardwise_import_at (job, "--recompute-granularity"), "full")
      && !shardwise_megatron_has (job, "--recompute-method"))
    error_finding (job, "recompute", _ ("Full recomputation needs --recompute-method."));
  if (!shardwise_megatron_has (job, "--micro-batch-size"))
    error_finding (job, "missing-key",
                   _ ("--micro-batch-size is missing: Megatron-LM refuses to start "
                      "without it."));
  if (positions < length)
    error_finding (job, "sequence",
                   _ ("Megatron-LM wants --max-position-embeddings of at least "
                      "--seq-length."));
  if (shardwise_megatron_has (job, "--save") && !shardwise_megatron_has (job, "--save-interval"))
    error_finding (job, "missing-key", _ ("--save needs --save-interval."));
}

/**
 * shardwise_megatron_find_errors:
 * @shell: the script
 *
 * Reports what Megatron-LM's own checks of its arguments refuse, beyond divisibility, which is
 * checked on the scenario.
 */
void
shardwise_megatron_find_errors (ShardwiseImportJob *job, const ShardwiseShell *shell)
{
  find_no_options (job);
  find_connections (job, shell);
  find_contradictions (job);
}
