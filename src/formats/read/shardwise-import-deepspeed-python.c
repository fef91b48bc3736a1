/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Python that starts DeepSpeed: the pipeline's topology, which no JSON states, and the
 * configuration where it is a dict of the script. */
#include "shardwise-import-deepspeed.h"

#include <glib/gi18n.h>

#include "shardwise-import-pytorch.h"

typedef struct {
  const char *callee, *keyword;
  guint place;
  const char *path; /* of the range */
  guint offset;     /* in ShardwisePipeTopology */
} Degree;

#define IN_TOPOLOGY(field) G_STRUCT_OFFSET (ShardwisePipeTopology, field)

/* deepspeed/runtime/pipe/topology.py and module.py, 0.19.6 */
static const Degree degrees[] = {
  { "PipelineModule", "num_stages", 1, "strategy.pp", IN_TOPOLOGY (pp) },
  { "PipeDataParallelTopology", "num_pp", 0, "strategy.pp", IN_TOPOLOGY (pp) },
  { "PipeDataParallelTopology", "num_dp", 1, "strategy.dp", IN_TOPOLOGY (dp) },
  { "PipeModelDataParallelTopology", "num_pp", 0, "strategy.pp", IN_TOPOLOGY (pp) },
  { "PipeModelDataParallelTopology", "num_mp", 1, "strategy.tp", IN_TOPOLOGY (tp) },
  { "PipeModelDataParallelTopology", "num_dp", 2, "strategy.dp", IN_TOPOLOGY (dp) },
};

static void
read_topology (ShardwiseImportJob *job, ShardwisePipeTopology *out)
{
  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    {
      const ShardwiseNode *call = shardwise_python_call (job->root, degrees[i].callee);

      shardwise_import_count_of (
          job, shardwise_python_argument (call, degrees[i].keyword, degrees[i].place),
          degrees[i].keyword, degrees[i].path, (guint *) ((char *) out + degrees[i].offset));
    }
  if (shardwise_python_call (job->root, "PipelineModule") != NULL && out->pp == 0)
    shardwise_import_warn (job, g_strdup (_ ("The number of the pipeline’s stages is no constant "
                                             "of the script: PP is searched.")));
}

/* A script without a configuration of its own is one part of two. */
static void
put_topology (ShardwiseImportJob *job, const ShardwisePipeTopology *topology)
{
  job->is_part = TRUE;
  shardwise_import_warn (job, g_strdup (_ ("The script’s configuration stands in another file, "
                                           "which is not opened. Open that file first and this "
                                           "script after it: what both say is then put "
                                           "together.")));
  if (topology->pp == 0)
    return;
  shardwise_import_put_int (job, "strategy.pp", topology->pp);
  shardwise_import_put_int (job, "strategy.tp", MAX (topology->tp, 1));
  shardwise_import_put_bool (job, "strategy.sequence_parallel", FALSE);
  shardwise_import_put_int (job, "strategy.cp", 1);
  if (topology->dp > 0)
    {
      shardwise_import_put_int (job, "strategy.dp", topology->dp);
      shardwise_import_put_world (
          job,
          (guint) MIN (
              shardwise_import_product (topology->pp, MAX (topology->tp, 1), topology->dp, 1),
              131072),
          0);
    }
}

/**
 * shardwise_deepspeed_read_script:
 * @job: with a Python file as its root
 *
 * Reads a script that starts DeepSpeed. It is parsed, never executed.
 */
void
shardwise_deepspeed_read_script (ShardwiseImportJob *job)
{
  const ShardwiseNode *start = shardwise_python_call (job->root, "initialize"),
                      *config = shardwise_python_argument (start, "config", 10),
                      *script = job->root;
  ShardwisePipeTopology topology = { 0 };

  if (config == NULL)
    config = shardwise_python_argument (start, "config_params", 12);
  read_topology (job, &topology);
  shardwise_pytorch_read_model (job);
  if (shardwise_python_call (script, "PipelineModule") == NULL)
    shardwise_import_put_word (
        job, "strategy.recompute",
        shardwise_python_call (script, "gradient_checkpointing_enable") != NULL ? "full" : "none");
  if (config != NULL && config->type == SHARDWISE_NODE_MAP)
    {
      job->root = config;
      shardwise_deepspeed_read_config (job, &topology);
      job->root = script;
    }
  else
    put_topology (job, &topology);
  shardwise_python_warn_condition (job, script);
}
