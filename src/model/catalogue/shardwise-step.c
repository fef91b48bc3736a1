/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One layer of a strategy: as the script that measures it runs it (data/probe), and as the layer
 * model predicts it, by kind. */
#include "shardwise-step.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-catalogue-read.h"
#include "shardwise-format.h"
#include "shardwise-json.h"
#include "sw-framework.h"
#include "sw-layer-memory.h"
#include "sw-layer-time.h"

/* The table of all fields: the name in the script and in files, and the maximum. */
static const struct {
  const char *name;
  guint least, most;
} fields[SHARDWISE_N_LAYER_FIELDS] = {
  [SHARDWISE_LAYER_HIDDEN] = { "hidden_size", 1, 1 << 20 },
  [SHARDWISE_LAYER_INTERMEDIATE] = { "intermediate_size", 0, 1 << 22 },
  [SHARDWISE_LAYER_HEADS] = { "attention_heads", 1, 1 << 14 },
  [SHARDWISE_LAYER_KV_HEADS] = { "kv_heads", 1, 1 << 14 },
  [SHARDWISE_LAYER_HEAD_SIZE] = { "head_size", 1, 1 << 14 },
  [SHARDWISE_LAYER_GATED] = { "gated", 0, 1 },
  [SHARDWISE_LAYER_ROTARY] = { "rotary", 0, 1 },
  [SHARDWISE_LAYER_RMS_NORM] = { "rms_norm", 0, 1 },
  [SHARDWISE_LAYER_EXPERTS] = { "experts", 0, 1 << 16 },
  [SHARDWISE_LAYER_TOP_K] = { "top_k", 0, 1 << 10 },
  [SHARDWISE_LAYER_EXPERT_SIZE] = { "expert_size", 0, 1 << 20 },
  [SHARDWISE_LAYER_SHARED_SIZE] = { "shared_size", 0, 1 << 20 },
  [SHARDWISE_LAYER_KV_LORA_RANK] = { "kv_lora_rank", 0, 1 << 16 },
  [SHARDWISE_LAYER_Q_LORA_RANK] = { "q_lora_rank", 0, 1 << 16 },
  [SHARDWISE_LAYER_NOPE_SIZE] = { "nope_size", 0, 1 << 14 },
  [SHARDWISE_LAYER_ROPE_SIZE] = { "rope_size", 0, 1 << 14 },
  [SHARDWISE_LAYER_VALUE_SIZE] = { "value_size", 1, 1 << 14 },
  [SHARDWISE_LAYER_TOKENS] = { "tokens", 1, 1 << 26 },
  [SHARDWISE_LAYER_SEQUENCES] = { "sequences", 1, 1 << 16 },
  [SHARDWISE_LAYER_TP] = { "tp", 1, 1 << 10 },
  [SHARDWISE_LAYER_CP] = { "cp", 1, 1 << 10 },
  [SHARDWISE_LAYER_ETP] = { "etp", 1, 1 << 10 },
  [SHARDWISE_LAYER_SEQUENCE_PARALLEL] = { "sequence_parallel", 0, 1 },
  [SHARDWISE_LAYER_RING] = { "ring", 0, 1 },
  [SHARDWISE_LAYER_ULYSSES] = { "ulysses", 0, 1 },
  [SHARDWISE_LAYER_FUSED] = { "fused", 0, 1 },
  [SHARDWISE_LAYER_RECOMPUTE] = { "recompute_layer", 0, 1 },
  [SHARDWISE_LAYER_RECOMPUTE_OPERATORS] = { "recompute_operators", 0, 1 },
  [SHARDWISE_LAYER_RECOMPUTE_CORE] = { "recompute_core", 0, 1 },
  [SHARDWISE_LAYER_RECOMPUTE_NORMS] = { "recompute_norms", 0, 1 },
  [SHARDWISE_LAYER_RECOMPUTE_UP] = { "recompute_up", 0, 1 },
  [SHARDWISE_LAYER_RECOMPUTE_MLP] = { "recompute_mlp", 0, 1 },
  [SHARDWISE_LAYER_RECOMPUTE_EXPERTS] = { "recompute_experts", 0, 1 },
  [SHARDWISE_LAYER_RECOMPUTE_ACTIVATION] = { "recompute_activation", 0, 1 },
  [SHARDWISE_LAYER_RECOMPUTE_SHARED] = { "recompute_shared", 0, 1 },
};

/* The modules that selective recomputation can list. */
static const struct {
  ShardwiseLayerField field;
  guint module;
} modules[] = {
  { SHARDWISE_LAYER_RECOMPUTE_CORE, SW_MODULE_CORE_ATTN },
  { SHARDWISE_LAYER_RECOMPUTE_NORMS, SW_MODULE_LAYERNORM },
  { SHARDWISE_LAYER_RECOMPUTE_UP, SW_MODULE_MLA_UP_PROJ },
  { SHARDWISE_LAYER_RECOMPUTE_MLP, SW_MODULE_MLP },
  { SHARDWISE_LAYER_RECOMPUTE_EXPERTS, SW_MODULE_MOE },
  { SHARDWISE_LAYER_RECOMPUTE_ACTIVATION, SW_MODULE_MOE_ACT },
  { SHARDWISE_LAYER_RECOMPUTE_SHARED, SW_MODULE_SHARED_EXPERTS },
};

/* The table of all kinds; bytes have no pass. */
static const struct {
  const char *kind, *title;
} kinds[] = {
  { "attention", N_ ("Attention") },
  { "linear", N_ ("Linear layers") },
  { "experts", N_ ("Experts") },
  { "element-wise", N_ ("Element-wise operations") },
  { "tensor-parallel", N_ ("Tensor parallelism") },
  { "context-parallel", N_ ("Context parallelism") },
  { "recomputation", N_ ("Recomputation") },
  { "layer", N_ ("The whole layer") },
  { "kept", N_ ("Kept for backward") },
  { "peak", N_ ("Peak in backward") },
};

/* Limits for a layer: a day, and more than any GPU has. */
#define MOST_SECONDS 86400.0
#define MOST_BYTES 1e13
#define LEAST 1e-9

static guint
kind_of (ShardwiseStepRowId id)
{
  return id < SHARDWISE_STEP_KEPT ? id / 2 : id - SHARDWISE_STEP_KEPT + SHARDWISE_STEP_KEPT / 2;
}

/**
 * shardwise_step_layer_name:
 * @field: of a layer
 *
 * Returns: (transfer none): its name in the script and the files
 */
const char *
shardwise_step_layer_name (ShardwiseLayerField field)
{
  return fields[field].name;
}

/**
 * shardwise_step_layer_most:
 * @field: of a layer
 *
 * Returns: its maximum
 */
guint
shardwise_step_layer_most (ShardwiseLayerField field)
{
  return fields[field].most;
}

/**
 * shardwise_step_has_layer:
 * @layer: numbers of a file, each within its range
 *
 * Returns: whether they are consistent, so that the layer can be predicted
 */
gboolean
shardwise_step_has_layer (const guint layer[SHARDWISE_N_LAYER_FIELDS])
{
  for (guint i = 0; i < SHARDWISE_N_LAYER_FIELDS; i++)
    if (layer[i] < fields[i].least)
      return FALSE;
  if (layer[SHARDWISE_LAYER_EXPERTS] > 0
          ? layer[SHARDWISE_LAYER_TOP_K] == 0 || layer[SHARDWISE_LAYER_EXPERT_SIZE] == 0
          : layer[SHARDWISE_LAYER_INTERMEDIATE] == 0)
    return FALSE;
  return layer[SHARDWISE_LAYER_KV_LORA_RANK] == 0
         || layer[SHARDWISE_LAYER_NOPE_SIZE] + layer[SHARDWISE_LAYER_ROPE_SIZE] > 0;
}

/**
 * shardwise_step_kind:
 * @id: a row
 *
 * Returns: (transfer none): its kind in the files
 */
const char *
shardwise_step_kind (ShardwiseStepRowId id)
{
  return kinds[kind_of (id)].kind;
}

/**
 * shardwise_step_pass:
 * @id: a row
 *
 * Returns: (transfer none) (nullable): its pass in the files; %NULL for bytes
 */
const char *
shardwise_step_pass (ShardwiseStepRowId id)
{
  if (id >= SHARDWISE_STEP_KEPT)
    return NULL;
  return id % 2 == 0 ? "forward" : "backward";
}

/**
 * shardwise_step_title:
 * @id: a row
 *
 * Returns: (transfer full): its title, translated
 */
char *
shardwise_step_title (ShardwiseStepRowId id)
{
  const char *kind = _ (kinds[kind_of (id)].title);

  if (id >= SHARDWISE_STEP_KEPT || id == SHARDWISE_STEP_RECOMPUTATION + 1)
    return g_strdup (kind);
  /* Translators: a part of a layer ("Attention") */
  return g_strdup_printf (id % 2 == 0 ? _ ("%s, forward") : _ ("%s, backward"), kind);
}

/**
 * shardwise_step_text:
 * @id: a row
 * @value: seconds or bytes
 *
 * Returns: (transfer full): "1.42 ms"
 */
char *
shardwise_step_text (ShardwiseStepRowId id, double value)
{
  return id >= SHARDWISE_STEP_KEPT ? shardwise_format_bytes (value)
                                   : shardwise_format_seconds (value);
}

/**
 * shardwise_step_describe:
 * @self: what was measured
 * @framework: the name of its framework
 *
 * Returns: (transfer full): the layer and where it ran
 */
char *
shardwise_step_describe (const ShardwiseMeasuredStep *self, const char *framework)
{
  const guint *layer = self->layer;

  return g_strdup_printf (
      /* Translators: name of a GPU, of a framework, degrees of tensor and context parallelism,
         sequences, tokens */
      _ ("One layer on %s, as in %s: TP %u, CP %u, %u × %'u tokens"), self->gpu, framework,
      layer[SHARDWISE_LAYER_TP], layer[SHARDWISE_LAYER_CP], layer[SHARDWISE_LAYER_SEQUENCES],
      layer[SHARDWISE_LAYER_TOKENS]);
}

/* ---- from and to the engine's question ---- */

/* The member for a field that is also a count there; otherwise NULL. */
static guint *
place (ShardwiseLayerField field, SwModelSpec *model, SwTraining *training, SwStrategy *strategy)
{
  switch ((int) field)
    {
    case SHARDWISE_LAYER_HIDDEN: return &model->hidden_size;
    case SHARDWISE_LAYER_INTERMEDIATE: return &model->intermediate_size;
    case SHARDWISE_LAYER_HEADS: return &model->attention_heads;
    case SHARDWISE_LAYER_KV_HEADS: return &model->kv_heads;
    case SHARDWISE_LAYER_HEAD_SIZE: return &model->head_dim;
    case SHARDWISE_LAYER_EXPERTS: return &model->moe.experts;
    case SHARDWISE_LAYER_TOP_K: return &model->moe.top_k;
    case SHARDWISE_LAYER_EXPERT_SIZE: return &model->moe.intermediate_size;
    case SHARDWISE_LAYER_SHARED_SIZE: return &model->moe.shared_intermediate_size;
    case SHARDWISE_LAYER_KV_LORA_RANK: return &model->mla.kv_lora_rank;
    case SHARDWISE_LAYER_Q_LORA_RANK: return &model->mla.q_lora_rank;
    case SHARDWISE_LAYER_NOPE_SIZE: return &model->mla.qk_nope_head_dim;
    case SHARDWISE_LAYER_ROPE_SIZE: return &model->mla.qk_rope_head_dim;
    case SHARDWISE_LAYER_TOKENS: return &training->sequence_length;
    case SHARDWISE_LAYER_SEQUENCES: return &strategy->micro_batch;
    case SHARDWISE_LAYER_TP: return &strategy->tp;
    case SHARDWISE_LAYER_CP: return &strategy->cp;
    case SHARDWISE_LAYER_ETP: return &strategy->etp;
    default: return NULL;
    }
}

/**
 * shardwise_step_from_strategy:
 * @problem: a question
 * @strategy: a strategy for it
 * @out: (out): the layer to measure, without measurements
 *
 * For a model with experts, it is a layer with experts. Context-parallel ranks beyond the node are
 * omitted with their part of the sequence, and expert-parallel ranks with their experts.
 */
void
shardwise_step_from_strategy (const SwProblem *problem, const SwStrategy *strategy,
                              ShardwiseMeasuredStep *out)
{
  const guint node = MAX (MIN (problem->cluster.gpus_per_node, problem->cluster.gpus), 1);
  const gboolean by_operators = sw_selected_modules (strategy) == 0;
  SwStrategy s = *strategy;
  SwProblem p = *problem;
  guint *layer = out->layer;

  memset (out, 0, sizeof *out);
  out->framework = s.framework;
  while (s.cp > 1 && (s.tp * s.cp > node || strategy->cp % s.cp != 0))
    s.cp--;
  p.training.sequence_length = MAX (p.training.sequence_length / strategy->cp * s.cp, 1);
  p.model.kv_heads = MAX (p.model.kv_heads, 1);
  p.model.moe.experts /= s.ep;
  if (p.model.moe.experts == 0)
    p.model.moe = (SwMoe){ .experts = 0 };
  for (guint i = 0; i < SHARDWISE_N_LAYER_FIELDS; i++)
    {
      const guint *from = place ((ShardwiseLayerField) i, &p.model, &p.training, &s);

      layer[i] = from != NULL ? *from : 0;
    }
  layer[SHARDWISE_LAYER_VALUE_SIZE] = sw_model_value_head_dim (&p.model);
  layer[SHARDWISE_LAYER_GATED] = p.model.gated_mlp;
  layer[SHARDWISE_LAYER_ROTARY] = p.model.position == SW_POSITION_ROPE
                                  || p.model.mla.kv_lora_rank > 0;
  layer[SHARDWISE_LAYER_RMS_NORM] = p.model.norm == SW_NORM_RMSNORM;
  layer[SHARDWISE_LAYER_SEQUENCE_PARALLEL] = s.sequence_parallel && s.tp > 1;
  layer[SHARDWISE_LAYER_RING] = s.cp > 1 && s.cp_method == SW_CP_RING;
  layer[SHARDWISE_LAYER_ULYSSES] = s.cp > 1 && s.cp_method == SW_CP_ULYSSES;
  layer[SHARDWISE_LAYER_FUSED] = sw_problem_kernel_class (problem, s.framework)
                                 != SW_KERNEL_CLASS_EAGER;
  layer[SHARDWISE_LAYER_RECOMPUTE] = s.recompute == SW_RECOMPUTE_FULL
                                     || (s.recompute == SW_RECOMPUTE_FULL_LAYERS
                                         && s.full_layers > 0);
  layer[SHARDWISE_LAYER_RECOMPUTE_OPERATORS] = s.recompute == SW_RECOMPUTE_SELECTIVE
                                               && by_operators;
  for (guint i = 0; i < G_N_ELEMENTS (modules); i++)
    layer[modules[i].field] = s.recompute == SW_RECOMPUTE_SELECTIVE
                              && (sw_selected_modules (&s) & modules[i].module) != 0;
}

/* The question that the script answers, with the constants and the software of @base: 16 bits,
 * PyTorch's flash attention, no frozen weights. */
static void
to_problem (const ShardwiseMeasuredStep *self, const SwProblem *base, SwProblem *problem,
            SwStrategy *strategy)
{
  SwModelSpec *model = &problem->model;
  SwTraining *training = &problem->training;
  guint layer[SHARDWISE_N_LAYER_FIELDS];

  memcpy (layer, self->layer, sizeof layer);
  *problem = *base;
  sw_strategy_init_default (strategy);
  strategy->framework = (guint8) self->framework;
  for (guint i = 0; i < SHARDWISE_N_LAYER_FIELDS; i++)
    {
      guint *to = place ((ShardwiseLayerField) i, model, training, strategy);

      if (to != NULL)
        *to = layer[i];
    }
  model->kind = SW_MODEL_DECODER;
  model->mla.v_head_dim = layer[SHARDWISE_LAYER_VALUE_SIZE];
  model->gated_mlp = (gboolean) layer[SHARDWISE_LAYER_GATED];
  model->position = layer[SHARDWISE_LAYER_ROTARY] ? SW_POSITION_ROPE : SW_POSITION_NONE;
  model->norm = layer[SHARDWISE_LAYER_RMS_NORM] ? SW_NORM_RMSNORM : SW_NORM_LAYERNORM;
  model->norms_per_layer = 2;
  model->qk_norm = SW_QK_NORM_NONE;
  model->sliding_window = model->mtp_layers = model->moe.first_dense_layers = 0;
  model->moe.layer_frequency = 1;
  model->moe.groups = model->moe.chosen_groups = 0;
  model->parallel_block = model->attention_output_gate = FALSE;
  model->qkv_bias = model->attn_out_bias = model->mlp_bias = FALSE;
  model->extra_params_per_layer = 0;
  training->type = SW_TRAINING_PRETRAIN;
  training->precision = base->cluster.gpu.peak_bf16_flops_per_s > 0 ? SW_PRECISION_BF16
                                                                    : SW_PRECISION_FP16;
  training->attention = SW_ATTENTION_FLASH;
  training->autocast = training->residual_fp32 = training->scalar_head = FALSE;
  training->forward_passes = training->mean_document = 0;
  training->repeats_keys = model->kv_heads < model->attention_heads;
  problem->cluster.gpus = MAX (problem->cluster.gpus, strategy->tp * strategy->cp);
  strategy->sequence_parallel = (guint8) layer[SHARDWISE_LAYER_SEQUENCE_PARALLEL];
  strategy->cp_method = layer[SHARDWISE_LAYER_RING]      ? SW_CP_RING
                        : layer[SHARDWISE_LAYER_ULYSSES] ? SW_CP_ULYSSES
                                                         : SW_CP_ALLGATHER;
  for (guint i = 0; i < G_N_ELEMENTS (modules); i++)
    strategy->recompute_modules |= layer[modules[i].field] ? modules[i].module : 0;
  strategy->recompute = layer[SHARDWISE_LAYER_RECOMPUTE] ? SW_RECOMPUTE_FULL
                        : strategy->recompute_modules != 0
                                || layer[SHARDWISE_LAYER_RECOMPUTE_OPERATORS]
                            ? SW_RECOMPUTE_SELECTIVE
                            : SW_RECOMPUTE_NONE;
  sw_problem_prepare (problem);
}

/* ---- the prediction ---- */

static void
add_kernels (const SwWork *work, ShardwiseStepRowId rest, double out[SHARDWISE_N_STEP_ROWS])
{
  const double memory_s = work->memory_s / (1 + SW_ELEMENTWISE_BACKWARD);

  out[SHARDWISE_STEP_ATTENTION] += work->core_s;
  out[SHARDWISE_STEP_ATTENTION + 1] += work->core_backward_s;
  out[SHARDWISE_STEP_ELEMENTWISE] += memory_s;
  out[SHARDWISE_STEP_ELEMENTWISE + 1] += work->memory_s - memory_s;
  out[rest] += work->forward_s - work->core_s - memory_s;
  out[rest + 1] += work->input_s + work->weight_s - work->core_backward_s
                   - (work->memory_s - memory_s);
}

static void
add_comm (const SwLayerComm *comm, ShardwiseStepRowId row, double out[SHARDWISE_N_STEP_ROWS])
{
  out[row] += comm->forward_exposed_s + comm->forward_hidden_s;
  out[row + 1] += comm->backward_exposed_s + comm->backward_hidden_s;
}

static double
backward_seconds (const SwLayerTimePart *part)
{
  return part->backward_s + part->recompute_s + part->backward_comm_s;
}

static void
predict (const ShardwiseMeasuredStep *self, const SwProblem *base,
         double out[SHARDWISE_N_STEP_ROWS])
{
  const gboolean is_moe = self->layer[SHARDWISE_LAYER_EXPERTS] > 0;
  const guint kind = is_moe ? SW_LAYER_MOE : SW_LAYER_DENSE;
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  SwLayerExperts experts;
  SwLayerMemory memory;
  SwLayerComm context;
  SwLayerTime time, plain;
  SwStrategy strategy;
  SwLayerBase layer;

  memset (out, 0, SHARDWISE_N_STEP_ROWS * sizeof *out);
  to_problem (self, base, problem, &strategy);
  sw_layer_base (problem, &strategy, &layer);
  sw_layer_experts (&layer, &strategy, &experts);
  sw_layer_compose (&layer, &experts, &strategy, &time);
  sw_layer_memory (problem, &strategy, &memory);
  add_kernels (&layer.attention, SHARDWISE_STEP_LINEAR, out);
  add_kernels (is_moe ? &layer.shared : &layer.mlp, SHARDWISE_STEP_LINEAR, out);
  add_kernels (&experts.work, SHARDWISE_STEP_EXPERTS, out);
  add_comm (is_moe ? &experts.tensor : &layer.dense_comm, SHARDWISE_STEP_TENSOR, out);
  layer.scene.strategy = &strategy;
  sw_layer_comm_context (&layer.scene, layer.attention.core_s, &context);
  add_comm (&context, SHARDWISE_STEP_CONTEXT, out);
  out[SHARDWISE_STEP_LAYER] = time.part[kind].forward_s + time.part[kind].forward_comm_s;
  out[SHARDWISE_STEP_LAYER + 1] = backward_seconds (&time.part[kind]);
  out[SHARDWISE_STEP_KEPT] = strategy.recompute == SW_RECOMPUTE_FULL
                                 ? memory.activation_full_bytes
                                 : memory.activation_bytes[kind];
  out[SHARDWISE_STEP_PEAK] = out[SHARDWISE_STEP_KEPT] + memory.recompute_peak_bytes[kind];
  strategy.recompute = SW_RECOMPUTE_NONE;
  sw_layer_time (problem, &strategy, &plain);
  out[SHARDWISE_STEP_RECOMPUTATION + 1] = out[SHARDWISE_STEP_LAYER + 1]
                                          - backward_seconds (&plain.part[kind]);
}

/**
 * shardwise_step_rows:
 * @self: what was measured
 * @base: the machine, constants and software for the prediction
 * @out: (out): each measured row with its prediction
 *
 * Returns: their number
 */
guint
shardwise_step_rows (const ShardwiseMeasuredStep *self, const SwProblem *base,
                     ShardwiseStepRow out[SHARDWISE_N_STEP_ROWS])
{
  double predicted[SHARDWISE_N_STEP_ROWS];
  guint n = 0;

  if (self->gpu[0] == '\0')
    return 0;
  predict (self, base, predicted);
  for (guint i = 0; i < SHARDWISE_N_STEP_ROWS; i++)
    if (self->row[i].value > 0 && predicted[i] > 0)
      out[n++] = (ShardwiseStepRow){ (ShardwiseStepRowId) i, self->row[i].value,
                                     self->row[i].spread, predicted[i] };
  return n;
}

/* ---- the file ---- */

static char *
row_name (ShardwiseStepRowId id)
{
  const char *pass = shardwise_step_pass (id);

  return g_strconcat (shardwise_step_kind (id), pass != NULL ? " " : NULL, pass, NULL);
}

static double
most_of (ShardwiseStepRowId id)
{
  return id >= SHARDWISE_STEP_KEPT ? MOST_BYTES : MOST_SECONDS;
}

static gboolean
read_layer (JsonNode *node, ShardwiseMeasuredStep *out, GError **error)
{
  JsonObject *object = node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node)
                                                                     : NULL;

  if (object == NULL || json_object_get_size (object) != SHARDWISE_N_LAYER_FIELDS)
    return shardwise_measured_refuse (error, "step.layer",
                                      _ ("not a layer; allowed: the output of a probe"));
  for (guint i = 0; i < SHARDWISE_N_LAYER_FIELDS; i++)
    {
      g_autofree char *path = g_strconcat ("step.layer.", fields[i].name, NULL);
      double number;

      if (!shardwise_measured_number (json_object_get_member (object, fields[i].name), path,
                                      fields[i].least, fields[i].most, &number, error))
        return FALSE;
      out->layer[i] = (guint) number;
    }
  return shardwise_step_has_layer (out->layer)
         || shardwise_measured_refuse (error, "step.layer",
                                       _ ("not a layer; allowed: the output of a probe"));
}

/**
 * shardwise_step_read:
 * @node: the section
 * @out: (out): zeroed first
 *
 * Returns: whether it is valid; else @error has the path
 */
gboolean
shardwise_step_read (JsonNode *node, ShardwiseMeasuredStep *out, GError **error)
{
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
  const char *gpu = object != NULL ? shardwise_json_text (object, "gpu") : NULL,
             *framework = object != NULL ? shardwise_json_text (object, "framework") : NULL;
  const int index = framework != NULL ? sw_name_index (sw_framework_names, framework) : -1;
  guint n = 3; /* gpu, framework and layer */

  memset (out, 0, sizeof *out);
  if (gpu == NULL || gpu[0] == '\0' || strlen (gpu) >= sizeof out->gpu || index < 0
      || index == SW_FRAMEWORK_ANY)
    return shardwise_measured_refuse (error, "step",
                                      _ ("not a layer; allowed: the output of a probe"));
  out->framework = (guint) index;
  if (!read_layer (json_object_get_member (object, "layer"), out, error))
    return FALSE;
  for (guint i = 0; i < SHARDWISE_N_STEP_ROWS; i++)
    {
      g_autofree char *name = row_name ((ShardwiseStepRowId) i),
                      *path = g_strconcat ("step.", name, NULL);

      if (!json_object_has_member (object, name))
        continue;
      n++;
      if (!shardwise_measurement_read (json_object_get_member (object, name), path, LEAST,
                                       most_of ((ShardwiseStepRowId) i), &out->row[i], error))
        return FALSE;
    }
  if (n != json_object_get_size (object))
    return shardwise_measured_refuse (error, "step",
                                      _ ("unknown key; allowed: the keys that a probe writes"));
  g_strlcpy (out->gpu, gpu, sizeof out->gpu);
  return TRUE;
}

/**
 * shardwise_step_to_json:
 * @self: what was measured
 *
 * Returns: (transfer full): the section
 */
JsonObject *
shardwise_step_to_json (const ShardwiseMeasuredStep *self)
{
  JsonObject *object = json_object_new (), *layer = json_object_new ();

  json_object_set_string_member (object, "gpu", self->gpu);
  json_object_set_string_member (object, "framework", sw_framework_names[self->framework]);
  for (guint i = 0; i < SHARDWISE_N_LAYER_FIELDS; i++)
    json_object_set_int_member (layer, fields[i].name, self->layer[i]);
  json_object_set_object_member (object, "layer", layer);
  for (guint i = 0; i < SHARDWISE_N_STEP_ROWS; i++)
    {
      g_autofree char *name = row_name ((ShardwiseStepRowId) i);

      if (self->row[i].value > 0)
        json_object_set_object_member (
            object, name,
            shardwise_measurement_to_json (&self->row[i], LEAST, most_of ((ShardwiseStepRowId) i)));
    }
  return object;
}
