/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PyTorch scripts: tensor, context and pipeline parallelism, recomputation, offload, precision and
 * optimizer, by the calls that make them. */
#include "shardwise-import-pytorch.h"

#include <glib/gi18n.h>

static gboolean
calls (const ShardwiseImportJob *job, const char *name)
{
  return shardwise_python_call (job->root, name) != NULL;
}

static gboolean
calls_any (const ShardwiseImportJob *job, const char *const *names)
{
  for (guint i = 0; names[i] != NULL; i++)
    if (calls (job, names[i]))
      return TRUE;
  return FALSE;
}

/* The first argument of a call by its name; NULL where there is none. */
static const ShardwiseNode *
first_argument (const ShardwiseImportJob *job, const char *name)
{
  return shardwise_python_argument (shardwise_python_call (job->root, name), NULL, 0);
}

/* ---- degrees ---- */

/* The list of layers of each stage that the script builds its stages by; of a number of stages
 * that is not known nothing follows. */
static void
put_virtual_stages (ShardwiseImportJob *job, const ShardwiseMesh *mesh)
{
  const ShardwiseNode *list = shardwise_import_at (job, "LAYERS_PER_STAGE");
  guint stages = 2;

  if (mesh->pp == 0)
    return;
  if (list != NULL && list->type == SHARDWISE_NODE_LIST && list->items->len >= 2 * mesh->pp
      && list->items->len % mesh->pp == 0)
    stages = MIN (list->items->len / mesh->pp, 10000);
  else
    shardwise_import_warn (job, g_strdup (_ ("The script does not state the virtual stages of its "
                                             "interleaved pipeline: 2 stand for them.")));
  shardwise_import_put_int (job, "strategy.vpp", stages);
}

static void
read_schedule (ShardwiseImportJob *job, const ShardwiseMesh *mesh)
{
  static const struct {
    const char *name;
    SwSchedule schedule;
  } known[] = {
    { "ScheduleGPipe", SW_SCHEDULE_GPIPE },
    { "ScheduleInterleaved1F1B", SW_SCHEDULE_INTERLEAVED },
    { "ScheduleLoopedBFS", SW_SCHEDULE_INTERLEAVED },
    { "ScheduleInterleavedZeroBubble", SW_SCHEDULE_INTERLEAVED },
    { "ScheduleZBVZeroBubble", SW_SCHEDULE_ZERO_BUBBLE },
  };
  SwSchedule schedule = SW_SCHEDULE_1F1B;

  for (guint i = 0; i < G_N_ELEMENTS (known) && mesh->pp != 1; i++)
    if (calls (job, known[i].name))
      {
        schedule = known[i].schedule;
        if (i >= 2)
          shardwise_import_warn (job, g_strdup_printf (_ ("The schedule “%.40s” is not computed: "
                                                          "the nearest stands for it."),
                                                       known[i].name));
      }
  shardwise_import_put_word (job, "strategy.schedule", sw_schedule_names[schedule]);
  if (schedule == SW_SCHEDULE_INTERLEAVED)
    put_virtual_stages (job, mesh);
  else
    shardwise_import_put_int (job, "strategy.vpp", 1);
}

static void
read_context (ShardwiseImportJob *job)
{
  const ShardwiseNode *method = first_argument (job, "set_rotate_method");

  shardwise_import_put_word (job, "strategy.cp_method",
                             shardwise_node_is_text (method, "alltoall") ? "ring" : "allgather");
}

/**
 * shardwise_pytorch_read_splits:
 * @mesh: the script's
 *
 * States how the model is split beside FSDP.
 */
void
shardwise_pytorch_read_splits (ShardwiseImportJob *job, const ShardwiseMesh *mesh)
{
  const struct {
    const char *path;
    guint size;
  } degrees[] = {
    { "strategy.tp", mesh->tp },
    { "strategy.pp", mesh->pp },
    { "strategy.cp", mesh->cp },
    { "strategy.ep", mesh->ep },
  };
  const gboolean sequence = calls (job, "SequenceParallel");
  guint n_open = mesh->is_stated && mesh->replicate * mesh->shard == 0;

  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    if (degrees[i].size > 0)
      shardwise_import_put_int (job, degrees[i].path, degrees[i].size);
    else
      n_open++;
  if (n_open > 0)
    shardwise_import_warn (job, g_strdup (_ ("The sizes of the device mesh come from outside of "
                                             "the script: those that are not constants are "
                                             "searched.")));
  if (mesh->tp > 0 || !sequence)
    shardwise_import_put_bool (job, "strategy.sequence_parallel", mesh->tp > 1 && sequence);
  if (mesh->cp != 1)
    read_context (job);
  read_schedule (job, mesh);
}

/* ---- memory ---- */

/* Every wrapper of a layer, and what a model's own method does to all of them. */
static void
read_recompute (ShardwiseImportJob *job)
{
  static const char *const whole[] = {
    "checkpoint_wrapper", "apply_activation_checkpointing", "checkpoint",
    "CheckpointImpl",     "gradient_checkpointing_enable",  NULL
  };
  const ShardwiseNode *wrapper = shardwise_python_call (job->root, "checkpoint_wrapper");
  g_autofree char *layers = NULL;
  guint n = 0;

  if (shardwise_node_member (wrapper, "context_fn") != NULL)
    shardwise_import_put_word (job, "strategy.recompute", "selective");
  else if (!calls_any (job, whole)
           || (wrapper == NULL && calls (job, "offload_wrapper") && !calls (job, "checkpoint")))
    shardwise_import_put_word (job, "strategy.recompute", "none");
  else if (shardwise_import_at (job, "RECOMPUTED_LAYERS") != NULL
           && shardwise_import_count (job, "RECOMPUTED_LAYERS", "model.layers", &n))
    {
      layers = g_strdup_printf ("full_layers:%u", n);
      shardwise_import_put_word (job, "strategy.recompute", layers);
    }
  else
    shardwise_import_put_word (job, "strategy.recompute", "full");
}

static void
read_offload (ShardwiseImportJob *job)
{
  const ShardwiseNode *old = shardwise_python_call (job->root, "CPUOffload"),
                      *stated = shardwise_node_member (old, "offload_params");
  SwOffload offload = SW_OFFLOAD_NONE;

  if (calls (job, "CPUOffloadPolicy")
      || (stated != NULL && stated->type == SHARDWISE_NODE_BOOLEAN && stated->number != 0))
    offload = SW_OFFLOAD_OPTIMIZER_PARAMS;
  else if (calls (job, "offload_wrapper") || calls (job, "save_on_cpu"))
    offload = SW_OFFLOAD_ACTIVATIONS;
  shardwise_import_put_word (job, "strategy.offload", sw_offload_names[offload]);
}

/* ---- numbers ---- */

static void
read_precision (ShardwiseImportJob *job)
{
  const ShardwiseNode *policy = shardwise_python_call (job->root, "MixedPrecisionPolicy");
  const ShardwiseNode *recipe = first_argument (job, "from_recipe_name");
  SwPrecision precision = SW_PRECISION_BF16;

  if (policy == NULL)
    policy = shardwise_python_call (job->root, "MixedPrecision");
  if (calls (job, "convert_to_float8_training"))
    precision = shardwise_node_is_text (recipe, "rowwise") ? SW_PRECISION_FP8_ROWWISE
                                                           : SW_PRECISION_FP8;
  else if (shardwise_python_refers (shardwise_node_member (policy, "param_dtype"), "float16"))
    precision = SW_PRECISION_FP16;
  shardwise_import_put_word (job, "training.precision", sw_precision_names[precision]);
}

static void
read_optimizer (ShardwiseImportJob *job)
{
  static const char *const eight_bit[] = { "AdamW8bit", "Adam8bit", "PagedAdamW8bit", NULL };
  SwOptimizer optimizer = SW_OPTIMIZER_ADAMW;

  if (calls_any (job, eight_bit))
    optimizer = SW_OPTIMIZER_ADAM8BIT;
  else if (calls (job, "Adafactor"))
    optimizer = SW_OPTIMIZER_ADAFACTOR;
  else if (calls (job, "SGD"))
    optimizer = SW_OPTIMIZER_SGD;
  else if (calls (job, "Muon"))
    optimizer = SW_OPTIMIZER_MUON;
  shardwise_import_put_word (job, "training.optimizer", sw_optimizer_names[optimizer]);
}

static void
read_adapters (ShardwiseImportJob *job)
{
  const ShardwiseNode *call = shardwise_python_call (job->root, "LoraConfig"),
                      *rank = shardwise_node_member (call, "r");

  if (call == NULL)
    return;
  shardwise_import_put_word (job, "training.type", "lora");
  if (shardwise_node_is_number (rank) && rank->number >= 1 && rank->number <= 65536)
    shardwise_import_put_int (job, "training.lora.rank", (gint64) rank->number);
}

/* from_pretrained ("meta-llama/Meta-Llama-3-8B") */
static void
read_model (ShardwiseImportJob *job)
{
  const ShardwiseNode *list = shardwise_node_member (job->root, SHARDWISE_NODE_CALLS);

  for (guint i = 0; i < list->items->len; i++)
    {
      const ShardwiseNode *call = list->items->pdata[i],
                          *name = shardwise_python_argument (call, NULL, 0);

      if (g_str_equal (shardwise_python_callee (call), "from_pretrained") && name != NULL
          && name->type == SHARDWISE_NODE_STRING
          && shardwise_import_put_model_named (job, name->text))
        return;
    }
}

/**
 * shardwise_pytorch_read_model:
 *
 * States what a script trains: the model that it loads, and adapters.
 */
void
shardwise_pytorch_read_model (ShardwiseImportJob *job)
{
  read_adapters (job);
  read_model (job);
}

/**
 * shardwise_pytorch_read_rest:
 * @mesh: the script's
 *
 * States what else a step's memory and time depend on.
 */
void
shardwise_pytorch_read_rest (ShardwiseImportJob *job, const ShardwiseMesh *mesh)
{
  read_recompute (job);
  read_offload (job);
  read_precision (job);
  read_optimizer (job);
  shardwise_pytorch_read_model (job);
}
