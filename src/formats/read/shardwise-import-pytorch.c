/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PyTorch scripts with FSDP 1 or 2: the device mesh, the arguments of FSDP, and constants with
 * common names; tensor, context and pipeline parallelism, recomputation, offload, precision and
 * optimizer, from their calls. */
#include "shardwise-import-job.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-import-python.h"

/* The sizes of a device mesh; 1 for missing dimensions; 0: unknown, left to the search. */
typedef struct {
  guint pp, replicate, shard, cp, tp, ep;
  gboolean is_stated; /* the script creates one */
} Mesh;

/* ---- the mesh ---- */

typedef struct {
  const char *name;
  guint offset; /* in Mesh */
} MeshName;

#define IN_MESH(field) G_STRUCT_OFFSET (Mesh, field)

static const MeshName mesh_names[] = {
  { "pp", IN_MESH (pp) },
  { "pipeline", IN_MESH (pp) },
  { "dp", IN_MESH (shard) },
  { "data", IN_MESH (shard) },
  { "data_parallel", IN_MESH (shard) },
  { "fsdp", IN_MESH (shard) },
  { "dp_shard", IN_MESH (shard) },
  { "shard", IN_MESH (shard) },
  { "dp_replicate", IN_MESH (replicate) },
  { "replicate", IN_MESH (replicate) },
  { "ddp", IN_MESH (replicate) },
  { "hsdp", IN_MESH (replicate) },
  { "cp", IN_MESH (cp) },
  { "context", IN_MESH (cp) },
  { "tp", IN_MESH (tp) },
  { "tensor", IN_MESH (tp) },
  { "model", IN_MESH (tp) },
  { "ep", IN_MESH (ep) },
};

/* init_device_mesh (device, shape, mesh_dim_names=…): without names, one dimension is FSDP's, and
 * two are replicas and shards. */
static void
read_mesh (ShardwiseImportJob *job, Mesh *mesh)
{
  static const char *const one[] = { "dp_shard" }, *const two[] = { "dp_replicate", "dp_shard" };
  const ShardwiseNode *call = shardwise_python_call (job->root, "init_device_mesh"),
                      *shape = shardwise_python_argument (call, "mesh_shape", 1),
                      *names = shardwise_python_argument (call, "mesh_dim_names", 2);
  const gboolean named = names != NULL && names->type == SHARDWISE_NODE_LIST,
                 sized = shape != NULL && shape->type == SHARDWISE_NODE_LIST;
  const guint n = sized ? shape->items->len : named ? names->items->len : 0;

  mesh->is_stated = n > 0;
  if (!mesh->is_stated)
    {
      /* The splits of a call over a mesh that the script does not state. */
      static const MeshName calls[] = {
        { "parallelize_module", IN_MESH (tp) },
        { "context_parallel", IN_MESH (cp) },
        { "PipelineStage", IN_MESH (pp) },
      };

      mesh->shard = 0;
      for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
        if (shardwise_python_call (job->root, calls[i].name) != NULL)
          *(guint *) ((char *) mesh + calls[i].offset) = 0;
    }
  for (guint i = 0; i < n; i++)
    {
      const ShardwiseNode *name = named && i < names->items->len ? names->items->pdata[i] : NULL;
      const char *text = name != NULL && name->type == SHARDWISE_NODE_STRING ? name->text
                         : n == 1                                            ? one[0]
                         : n == 2                                            ? two[i]
                                                                             : "?";

      /* @size: NULL if @call has an unknown shape. */
      const ShardwiseNode *size = sized ? shape->items->pdata[i] : NULL;
      guint *field = NULL;

      for (guint k = 0; k < G_N_ELEMENTS (mesh_names) && field == NULL; k++)
        if (g_ascii_strcasecmp (mesh_names[k].name, text) == 0)
          field = (guint *) ((char *) mesh + mesh_names[k].offset);
      if (field == NULL)
        shardwise_import_warn (
            job, _ ("The mesh dimension “%.40s” (line %u) is unknown and is ignored."), text,
            size != NULL ? size->line : call->line);
      else if (!shardwise_node_is_number (size))
        *field = 0;
      else if (size->number >= 1 && size->number <= 131072)
        *field = (guint) size->number;
      else
        shardwise_import_fail (job, size, text, _ ("out of range; allowed: 1–131,072"));
    }
}

/* ---- constants ---- */

/* The first of these names, in upper or lower case, to which the script assigns a number; 0:
 * none. */
static guint
constant (ShardwiseImportJob *job, const char *const *names, ShardwiseKeyId id)
{
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *upper = g_ascii_strup (names[i], -1);
      const char *const spellings[] = { upper, names[i] };
      guint value;

      for (guint j = 0; j < G_N_ELEMENTS (spellings); j++)
        if (shardwise_node_is_number (shardwise_import_at (job, spellings[j]))
            && shardwise_import_count (job, spellings[j], id, &value))
          return value;
    }
  return 0;
}

/* DP; 0: unknown */
static guint
replicas (const Mesh *mesh)
{
  return (guint) shardwise_import_product (mesh->replicate, mesh->shard, 1, 1);
}

/* A single unknown size follows from the world size, if the script states it. */
static void
read_world (ShardwiseImportJob *job, Mesh *mesh)
{
  static const char *const names[] = { "world_size", "num_gpus", "n_gpus", NULL };
  guint *const sizes[] = { &mesh->pp, &mesh->replicate, &mesh->shard, &mesh->cp, &mesh->tp };
  guint world = constant (job, names, SHARDWISE_KEY_CLUSTER_GPUS), *open = NULL, n_open = 0;
  double product = 1;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    if (*sizes[i] > 0)
      product *= *sizes[i];
    else
      {
        open = sizes[i];
        n_open++;
      }
  if (n_open == 0 && world > 0 && product != world)
    shardwise_import_find (job, SHARDWISE_SEVERITY_ERROR, "world-size",
                           _ ("The device mesh has %.0f ranks but the script sets a world size of "
                              "%u: init_device_mesh() requires them to be equal."),
                           product, world);
  if (n_open == 0 && product <= 131072)
    world = (guint) product;
  else if (n_open == 1 && fmod (world, product) == 0)
    *open = (guint) (world / product);
  shardwise_import_put_world (job, world, 0);
}

static void
read_batch (ShardwiseImportJob *job, const Mesh *mesh)
{
  static const char *const micro_names[] = { "micro_batch",
                                             "micro_batch_size",
                                             "per_device_train_batch_size",
                                             "batch_size_per_gpu",
                                             "local_batch_size",
                                             "train_batch_size",
                                             "batch_size",
                                             NULL };
  static const char *const accumulation_names[] = {
    "accumulation",     "gradient_accumulation_steps", "grad_accumulation_steps",
    "grad_accum_steps", "accumulation_steps",          NULL
  };
  static const char *const global_names[] = { "global_batch", "global_batch_size", NULL };
  static const char *const length_names[] = { "sequence_length", "seq_length",     "seq_len",
                                              "max_seq_len",     "max_seq_length", "block_size",
                                              "max_length",      "context_length", NULL };
  guint micro = constant (job, micro_names, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE),
        accumulation = constant (job, accumulation_names, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE),
        global = constant (job, global_names, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE),
        length = constant (job, length_names, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH);
  const ShardwiseNode *loader =
      shardwise_python_argument (shardwise_python_call (job->root, "DataLoader"), "batch_size", 1);

  if (micro == 0 && shardwise_node_is_number (loader) && loader->number >= 1
      && loader->number <= 65536)
    micro = (guint) loader->number;
  if (micro > 0)
    shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE, micro);
  if (global == 0 && micro > 0 && replicas (mesh) > 0
      && shardwise_import_product (micro, MAX (accumulation, 1), replicas (mesh), 1) <= 1000000000)
    global = (guint) shardwise_import_product (micro, MAX (accumulation, 1), replicas (mesh), 1);
  if (global > 0)
    shardwise_import_put_int (job, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, global);
  if (length > 0)
    shardwise_import_put_int (job, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH, length);
}

/* ---- what FSDP shards ---- */

/* The ZeRO stage. FSDP 1 has an option for it, and shards everything by default; fully_shard ()
 * keeps whole parameters between forward and backward on request. */
static guint
sharding_stage (ShardwiseImportJob *job, const ShardwiseNode *call, gboolean is_first,
                const Mesh *mesh)
{
  static const struct {
    const char *name;
    guint stage;
    gboolean hybrid;
  } known[] = {
    { "FULL_SHARD", 3, FALSE },  { "SHARD_GRAD_OP", 2, FALSE },      { "NO_SHARD", 0, FALSE },
    { "HYBRID_SHARD", 3, TRUE }, { "_HYBRID_SHARD_ZERO2", 2, TRUE },
  };
  const ShardwiseNode *stated = is_first ? shardwise_python_argument (call, "sharding_strategy", 2)
                                         : shardwise_node_member (call, "reshard_after_forward");

  for (guint i = 0; is_first && i < G_N_ELEMENTS (known); i++)
    if (shardwise_python_refers (stated, known[i].name))
      {
        if (known[i].hybrid && !mesh->is_stated)
          shardwise_import_warn (job, _ ("Hybrid sharding without a mesh shards over a "
                                         "node: the shard group is searched."));
        return known[i].stage;
      }
  if (is_first && stated != NULL)
    shardwise_import_warn (
        job, _ ("The sharding strategy is not a constant: Shardwise uses FULL_SHARD."));
  if (is_first)
    return 3;
  if (mesh->replicate != 1 && mesh->shard == 1 && mesh->cp == 1)
    return 0;
  if (stated != NULL && stated->type == SHARDWISE_NODE_BOOLEAN && stated->number == 0)
    return mesh->pp > 1 ? 3 : 2; /* the same if micro-batches follow each other */
  if (shardwise_node_is_number (stated))
    shardwise_import_warn (job, _ ("Resharding to a smaller group after the forward pass is "
                                   "modeled as resharding to all."));
  return 3;
}

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

/* The first argument of a call, by its name, or %NULL. */
static const ShardwiseNode *
first_argument (const ShardwiseImportJob *job, const char *name)
{
  return shardwise_python_argument (shardwise_python_call (job->root, name), NULL, 0);
}

/* ---- degrees ---- */

/* Sets the splits of the model other than FSDP. */
static void
read_splits (ShardwiseImportJob *job, const Mesh *mesh)
{
  const struct {
    ShardwiseKeyId key;
    guint size;
  } degrees[] = {
    { SHARDWISE_KEY_STRATEGY_TP, mesh->tp },
    { SHARDWISE_KEY_STRATEGY_PP, mesh->pp },
    { SHARDWISE_KEY_STRATEGY_CP, mesh->cp },
    { SHARDWISE_KEY_STRATEGY_EP, mesh->ep },
  };
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
  const gboolean sequence = calls (job, "SequenceParallel");
  guint n_open = mesh->is_stated && mesh->replicate * mesh->shard == 0;

  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    if (degrees[i].size > 0)
      shardwise_import_put_int (job, degrees[i].key, degrees[i].size);
    else
      n_open++;
  if (n_open > 0)
    shardwise_import_warn (job, _ ("The sizes of the device mesh come from outside the script: "
                                   "those that are not constants are searched."));
  if (mesh->tp > 0 || !sequence)
    shardwise_import_put_bool (job, SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL,
                               mesh->tp > 1 && sequence);
  if (mesh->cp != 1)
    {
      const ShardwiseNode *method = first_argument (job, "set_rotate_method");

      shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_CP_METHOD,
                                 shardwise_node_is_text (method, "alltoall") ? "ring"
                                                                             : "allgather");
    }
  for (guint i = 0; i < G_N_ELEMENTS (known) && mesh->pp != 1; i++)
    if (calls (job, known[i].name))
      {
        schedule = known[i].schedule;
        if (i >= 2)
          shardwise_import_warn (
              job, _ ("The schedule “%.40s” is not modeled: Shardwise uses the nearest."),
              known[i].name);
      }
  shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_SCHEDULE, sw_schedule_names[schedule]);
  if (schedule != SW_SCHEDULE_INTERLEAVED)
    shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_VPP, 1);
  else if (mesh->pp > 0) /* an unknown number of stages implies nothing */
    {
      /* The list of layers of each stage from which the script builds its stages. */
      const ShardwiseNode *list = shardwise_import_at (job, "LAYERS_PER_STAGE");
      guint stages = 2;

      if (list != NULL && list->type == SHARDWISE_NODE_LIST && list->items->len >= 2 * mesh->pp
          && list->items->len % mesh->pp == 0)
        stages = MIN (list->items->len / mesh->pp, 10000);
      else
        shardwise_import_warn (job, _ ("The script does not set the virtual stages of its "
                                       "interleaved pipeline: Shardwise uses 2."));
      shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_VPP, stages);
    }
}

/* ---- all of it ---- */

/* Reads a script that uses FSDP or a device mesh. It is parsed, never executed. */
static void
read_file (ShardwiseImportJob *job)
{
  /* Every wrapper of a layer, and the model's own methods for all layers. */
  static const char *const whole[] = {
    "checkpoint_wrapper", "apply_activation_checkpointing", "checkpoint",
    "CheckpointImpl",     "gradient_checkpointing_enable",  NULL
  };
  static const char *const eight_bit[] = { "AdamW8bit", "Adam8bit", NULL };
  static const char *const paged[] = { "PagedAdamW8bit", "PagedAdam8bit", NULL };
  static const char *const lion[] = { "Lion", "Lion8bit", NULL };
  const ShardwiseNode *first = shardwise_python_call (job->root, "FullyShardedDataParallel"),
                      *second = shardwise_python_call (job->root, "fully_shard"),
                      *wrapper = shardwise_python_call (job->root, "checkpoint_wrapper"),
                      *old = shardwise_python_call (job->root, "CPUOffload"),
                      *offloads = shardwise_node_member (old, "offload_params"),
                      *policy = shardwise_python_call (job->root, "MixedPrecisionPolicy");
  const gboolean is_first = second == NULL && first != NULL;
  g_autofree char *layers = NULL;
  SwOffload offload = SW_OFFLOAD_NONE;
  SwPrecision precision = SW_PRECISION_BF16;
  SwOptimizer optimizer = SW_OPTIMIZER_ADAMW;
  Mesh mesh = { 1, 1, 1, 1, 1, 1, FALSE };
  guint stage = 0, n = 0;

  read_mesh (job, &mesh);
  if (job->error != NULL)
    return;
  read_world (job, &mesh);
  if (job->error == NULL && replicas (&mesh) > 131072)
    shardwise_import_fail (job, NULL, "init_device_mesh",
                           _ ("more ranks than supported; allowed: up to 131,072"));
  if (first != NULL || second != NULL)
    stage = sharding_stage (job, is_first ? first : second, is_first, &mesh);
  shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_FRAMEWORK, is_first ? "fsdp" : "fsdp2");
  shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_ZERO_STAGE, stage);
  if (replicas (&mesh) > 0)
    shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_DP, replicas (&mesh));
  if (mesh.replicate != 1 && mesh.shard > 1 && stage > 0)
    shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_SHARD_GROUP, mesh.shard);
  read_splits (job, &mesh);
  read_batch (job, &mesh);

  if (shardwise_node_member (wrapper, "context_fn") != NULL)
    shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_RECOMPUTE, "selective");
  else if (!calls_any (job, whole)
           || (wrapper == NULL && calls (job, "offload_wrapper") && !calls (job, "checkpoint")))
    shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_RECOMPUTE, "none");
  else if (shardwise_import_at (job, "RECOMPUTED_LAYERS") != NULL
           && shardwise_import_count (job, "RECOMPUTED_LAYERS", SHARDWISE_KEY_MODEL_LAYERS, &n))
    {
      layers = g_strdup_printf ("full_layers:%u", n);
      shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_RECOMPUTE, layers);
    }
  else
    shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_RECOMPUTE, "full");

  if (calls (job, "CPUOffloadPolicy")
      || (offloads != NULL && offloads->type == SHARDWISE_NODE_BOOLEAN && offloads->number != 0))
    offload = SW_OFFLOAD_OPTIMIZER_PARAMS;
  else if (calls (job, "offload_wrapper") || calls (job, "save_on_cpu"))
    offload = SW_OFFLOAD_ACTIVATIONS;
  shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_OFFLOAD, sw_offload_names[offload]);

  if (policy == NULL)
    policy = shardwise_python_call (job->root, "MixedPrecision");
  if (calls (job, "convert_to_float8_training"))
    precision = shardwise_node_is_text (first_argument (job, "from_recipe_name"), "rowwise")
                    ? SW_PRECISION_FP8_ROWWISE
                    : SW_PRECISION_FP8;
  else if (shardwise_python_refers (shardwise_node_member (policy, "param_dtype"), "float16"))
    precision = SW_PRECISION_FP16;
  shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_PRECISION, sw_precision_names[precision]);

  if (calls_any (job, eight_bit))
    optimizer = SW_OPTIMIZER_ADAM8BIT;
  else if (calls_any (job, paged))
    optimizer = SW_OPTIMIZER_PAGED_ADAM8BIT;
  else if (calls_any (job, lion))
    optimizer = SW_OPTIMIZER_LION;
  else if (calls (job, "Adafactor"))
    optimizer = SW_OPTIMIZER_ADAFACTOR;
  else if (calls (job, "SGD"))
    optimizer = SW_OPTIMIZER_SGD;
  else if (calls (job, "Muon"))
    optimizer = SW_OPTIMIZER_MUON;
  shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_OPTIMIZER, sw_optimizer_names[optimizer]);
  shardwise_python_read_model (job);
  if (!mesh.is_stated && mesh.shard == 0)
    shardwise_import_warn (job, _ ("The script has no device mesh with constant sizes: DP is the "
                                   "number of GPUs that you set."));
  shardwise_python_warn_condition (job, job->root);
}

const ShardwiseImportReader shardwise_import_pytorch = { "pytorch", N_ ("PyTorch FSDP script"),
                                                         SHARDWISE_FORMAT_FSDP2, read_file };
