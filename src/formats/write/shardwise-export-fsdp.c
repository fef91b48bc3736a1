/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-job.h"

#include <glib/gi18n.h>

#include "shardwise-export-names.h"
#include "shardwise-export-program.h"
#include "shardwise-launch.h"
#include "sw-split.h"

/* PyTorch: a Python file for either generation of FSDP, for the models of Hugging Face's
 * transformers, whose module names it uses. What it cannot run is from the checks of
 * FullyShardedDataParallel and fully_shard, and what there is no interface for. What is written is
 * run on CPU processes by tests/formats/run. */

static gboolean
unsharded_cp (const SwProblem *problem, const SwStrategy *s)
{
  return s->zero_stage == 0 && s->cp > 1;
}

static gboolean
hybrid_tp (const SwProblem *problem, const SwStrategy *s)
{
  return s->zero_stage > 0 && s->shard_group < s->dp && s->tp > 1;
}

/* Its tensor-parallel extension works on shards alone; of one GPU FSDP 1 makes no shards. */
static gboolean
whole_tp (const SwProblem *problem, const SwStrategy *s)
{
  return s->tp > 1 && (s->zero_stage == 0 || s->dp == 1);
}

static gboolean
offload_optimizer (const SwProblem *problem, const SwStrategy *s)
{
  return s->offload == SW_OFFLOAD_OPTIMIZER;
}

static gboolean
half_pipeline (const SwProblem *problem, const SwStrategy *s)
{
  return s->pp > 1 && problem->training.precision == SW_PRECISION_FP16;
}

static gboolean
is_muon (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.optimizer == SW_OPTIMIZER_MUON;
}

static gboolean
is_adafactor (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.optimizer == SW_OPTIMIZER_ADAFACTOR;
}

static gboolean
is_sharded_adafactor (const SwProblem *problem, const SwStrategy *s)
{
  return is_adafactor (problem, s) && (s->tp > 1 || (s->zero_stage > 0 && s->shard_group > 1));
}

/* The optimizers of bitsandbytes keep states of another kind than DTensors. */
static gboolean
is_of_bitsandbytes (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.optimizer == SW_OPTIMIZER_PAGED_ADAM8BIT
         || problem->training.optimizer == SW_OPTIMIZER_LION;
}

/* The styles of tensor parallelism split a projection by heads or columns: not one matrix of
 * queries, keys and values, nor what is a parameter of its own. */
static gboolean
other_projections (const SwProblem *problem, const SwStrategy *s)
{
  return s->tp > 1 && !shardwise_names_projections_apart (&problem->model);
}

/* A stage is run by the model's own forward(), which passes states from layer to layer alone. */
static gboolean
other_stages (const SwProblem *problem, const SwStrategy *s)
{
  return s->pp > 1 && !shardwise_names_projections_apart (&problem->model)
         && problem->model.moe.experts == 0;
}

static gboolean
tied_stages (const SwProblem *problem, const SwStrategy *s)
{
  return s->pp > 1 && problem->model.tied_embeddings;
}

static gboolean
eight_bit_on_fsdp1 (const SwProblem *problem, const SwStrategy *s)
{
  SwPrecision precision = problem->training.precision;

  return precision != SW_PRECISION_BF16 && precision != SW_PRECISION_FP16;
}

static gboolean
not_in_torchao (const SwProblem *problem, const SwStrategy *s)
{
  return problem->training.precision == SW_PRECISION_MXFP8
         || problem->training.precision == SW_PRECISION_NVFP4;
}

#define D(name) SHARDWISE_DIM (SW_DIM_##name)
#define EP_RULE N_ ("PyTorch has no expert parallelism of its own; EP must be 1, or use TorchTitan")
#define MOE_TP_RULE                                                                                \
  N_ ("PyTorch’s tensor-parallel styles do not split experts; a mixture of experts requires TP 1")
#define ZERO_RULE                                                                                  \
  N_ ("FSDP shards gradients and optimizer (ZeRO 2), parameters too (ZeRO 3), or nothing; it has " \
      "no ZeRO 1")
#define OFFLOAD_RULE                                                                               \
  N_ ("FSDP offloads parameters, gradients and optimizer together; it cannot offload the "         \
      "optimizer alone")
#define MUON_RULE                                                                                  \
  N_ ("PyTorch does not include Muon; Shardwise writes AdamW, 8-bit Adam, Adafactor and SGD")
#define PROJECTIONS_RULE                                                                           \
  N_ ("PyTorch’s tensor-parallel styles require separate projections for queries, keys and "     \
      "values, which this model does not have; TP must be 1")
#define ADAPTERS_RULE                                                                              \
  N_ ("PyTorch’s tensor-parallel styles do not split LoRA adapters; TP must be 1")

static const ShardwiseFormatRule rules1[] = {
  { SHARDWISE_KEY_STRATEGY_PP, D (PP), sw_rule_lacks_pp,
    N_ ("FSDP has no pipeline parallelism; PP must be 1") },
  { SHARDWISE_KEY_STRATEGY_CP, D (CP), sw_rule_lacks_cp,
    N_ ("FSDP 1 does not split sequences; CP must be 1") },
  { SHARDWISE_KEY_STRATEGY_EP, D (EP), sw_rule_lacks_ep, EP_RULE },
  { SHARDWISE_KEY_STRATEGY_TP, D (TP), sw_rule_splits_experts, MOE_TP_RULE },
  { SHARDWISE_KEY_STRATEGY_TP, D (TP), other_projections, PROJECTIONS_RULE },
  { SHARDWISE_KEY_STRATEGY_ZERO_STAGE, D (ZERO) | D (DP) | D (CP), sw_rule_has_zero_one,
    ZERO_RULE },
  { SHARDWISE_KEY_STRATEGY_SHARD_GROUP, D (SHARD_GROUP) | D (DP) | D (TP), hybrid_tp,
    N_ ("FSDP 1 requires a one-dimensional mesh with tensor parallelism; with TP above 1 it shards "
        "over all of DP") },
  { SHARDWISE_KEY_STRATEGY_TP, D (TP) | D (ZERO) | D (DP), whole_tp,
    N_ ("FSDP 1 supports tensor parallelism with ZeRO 2 or 3 over at least two replicas only; use "
        "FSDP 2 otherwise") },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD), offload_optimizer, OFFLOAD_RULE },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD) | D (ZERO), sw_rule_offloads_whole,
    N_ ("FSDP offloads sharded parameters only, which requires ZeRO 3") },
  { SHARDWISE_KEY_STRATEGY_TP, D (TP), sw_rule_splits_adapters, ADAPTERS_RULE },
  { SHARDWISE_KEY_TRAINING_OPTIMIZER, 0, is_muon, MUON_RULE },
  { SHARDWISE_KEY_TRAINING_OPTIMIZER, D (ZERO) | D (TP) | D (SHARD_GROUP), is_sharded_adafactor,
    N_ ("Adafactor needs the norms of rows and columns, but FSDP 1 leaves each GPU flat pieces; it "
        "requires states that are not sharded (ZeRO 0, TP 1)") },
  { SHARDWISE_KEY_TRAINING_PRECISION, 0, eight_bit_on_fsdp1,
    N_ ("FSDP 1 supports bf16 and fp16; 8-bit layers require FSDP 2") },
  { SHARDWISE_KEY_STRATEGY_VPP, D (VPP), sw_rule_lacks_vpp,
    N_ ("FSDP has no pipeline and therefore no virtual stages") },
};

static const ShardwiseFormatRule rules2[] = {
  { SHARDWISE_KEY_STRATEGY_CP_METHOD, D (CP) | D (CP_METHOD), sw_rule_lacks_cp_method,
    N_ ("PyTorch’s context parallelism is ring attention or all-gather, not Ulysses") },
  { SHARDWISE_KEY_STRATEGY_EP, D (EP), sw_rule_has_ep, EP_RULE },
  { SHARDWISE_KEY_STRATEGY_TP, D (TP), sw_rule_splits_experts, MOE_TP_RULE },
  { SHARDWISE_KEY_STRATEGY_TP, D (TP), other_projections, PROJECTIONS_RULE },
  { SHARDWISE_KEY_STRATEGY_ZERO_STAGE, D (ZERO) | D (DP) | D (CP), sw_rule_has_zero_one,
    ZERO_RULE },
  { SHARDWISE_KEY_STRATEGY_ZERO_STAGE, D (ZERO) | D (CP), unsharded_cp,
    N_ ("FSDP also shards over the ranks of context parallelism; CP above 1 requires ZeRO 2 or "
        "3") },
  { SHARDWISE_KEY_STRATEGY_SCHEDULE, D (PP) | D (SCHEDULE), sw_rule_is_zero_bubble,
    N_ ("PyTorch’s zero-bubble schedules require two stages per rank and differ from ZB-H1; "
        "Shardwise writes GPipe, 1F1B and interleaved 1F1B") },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD), offload_optimizer, OFFLOAD_RULE },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, D (OFFLOAD) | D (ZERO), sw_rule_offloads_whole,
    N_ ("FSDP offloads sharded parameters only, which requires ZeRO 3") },
  { SHARDWISE_KEY_STRATEGY_TP, D (TP), sw_rule_splits_adapters, ADAPTERS_RULE },
  { SHARDWISE_KEY_STRATEGY_PP, D (PP), tied_stages,
    N_ ("PyTorch’s pipelines do not synchronize embedding and head across stages; a model with "
        "tied embeddings requires PP 1") },
  { SHARDWISE_KEY_STRATEGY_PP, D (PP), other_stages,
    N_ ("A pipeline stage runs the model’s own forward pass, which cannot start between two layers "
        "of this model; PP must be 1") },
  { SHARDWISE_KEY_STRATEGY_PP, D (PP), sw_rule_pipes_adapters,
    N_ ("LoRA adapters are inserted into a whole Hugging Face model; PP must be 1") },
  { SHARDWISE_KEY_STRATEGY_PP, D (PP), half_pipeline,
    N_ ("PyTorch’s pipeline schedules do not scale the loss, as fp16 requires; with fp16, PP must "
        "be 1") },
  { SHARDWISE_KEY_TRAINING_OPTIMIZER, 0, is_muon, MUON_RULE },
  /* Its norms of DTensors give an update that differs from one GPU's by 85 %, sharded or not. */
  { SHARDWISE_KEY_TRAINING_OPTIMIZER, 0, is_adafactor,
    N_ ("PyTorch’s Adafactor computes wrong steps on the tensors of FSDP 2; use FSDP 1 with ZeRO "
        "0") },
  { SHARDWISE_KEY_TRAINING_OPTIMIZER, 0, is_of_bitsandbytes,
    N_ ("Lion and paged 8-bit AdamW come from bitsandbytes, which does not support the sharded "
        "tensors of FSDP 2; use FSDP 1 or DeepSpeed") },
  { SHARDWISE_KEY_TRAINING_PRECISION, 0, not_in_torchao,
    N_ ("The released 8-bit training of torchao is fp8 with one scale per tensor or per row; it "
        "does not include MXFP8 and NVFP4") },
};

/* The parts of the FSDP files. Only values computed here enter the code, never a string of the
 * user. */

/* Whether it is for FullyShardedDataParallel, not for fully_shard(). */
static gboolean
is_first (const ShardwiseExportJob *job)
{
  return job->info->format == SHARDWISE_FORMAT_FSDP1;
}

/* Whether layers recompute or offload their activations. */
static gboolean
wraps_layers (const SwStrategy *strategy)
{
  return strategy->recompute != SW_RECOMPUTE_NONE || strategy->offload == SW_OFFLOAD_ACTIVATIONS;
}

/* Whether it shards over a part of the replicas (HSDP); unsharded replicas are the same with a
   group of 1. */
static gboolean
is_hybrid (const SwStrategy *strategy)
{
  return strategy->dp > 1 && (strategy->zero_stage == 0 || strategy->shard_group < strategy->dp);
}

/* Whether FSDP 1 takes a mesh of replicas and shards. */
static gboolean
is_split_twice (const ShardwiseExportJob *job)
{
  return job->estimate.strategy.zero_stage > 0 && is_hybrid (&job->estimate.strategy);
}

/* The class of torch.distributed.pipelining that runs its schedule. */
static const char *
schedule_class (const SwStrategy *strategy)
{
  switch ((SwSchedule) strategy->schedule)
    {
    case SW_SCHEDULE_GPIPE: return "ScheduleGPipe";
    case SW_SCHEDULE_INTERLEAVED: return "ScheduleInterleaved1F1B";
    case SW_SCHEDULE_1F1B:
    case SW_SCHEDULE_ZERO_BUBBLE:
    default: return strategy->vpp > 1 ? "ScheduleInterleaved1F1B" : "Schedule1F1B";
    }
}

static void
append_imports (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  gboolean offload = job->estimate.strategy.offload == SW_OFFLOAD_OPTIMIZER_PARAMS;
  /* Norms over the sequence's parts, and those of queries and keys, of which each GPU sees its own
   * heads, are given a style of tensor parallelism. */
  gboolean splits_norms = strategy->sequence_parallel
                          || job->problem.model.qk_norm != SW_QK_NORM_NONE;

  if (strategy->pp > 1)
    g_string_append (text, "import copy\nimport inspect\n");
  g_string_append (text, "import os\n\n"
                         "import torch\n"
                         "import torch.distributed as dist\n");
  if (wraps_layers (strategy))
    {
      g_string_append (
          text, "from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import (\n");
      if (is_first (job))
        g_string_append (text, "    apply_activation_checkpointing,\n");
      if (strategy->recompute != SW_RECOMPUTE_NONE)
        g_string_append (text, "    checkpoint_wrapper,\n");
      if (strategy->offload == SW_OFFLOAD_ACTIVATIONS)
        g_string_append (text, "    offload_wrapper,\n");
      g_string_append (text, ")\n");
    }
  g_string_append (text, "from torch.distributed.device_mesh import init_device_mesh\n");

  if (is_first (job))
    g_string_append_printf (text,
                            "from torch.distributed.fsdp import (\n"
                            "    BackwardPrefetch,\n"
                            "%s"
                            "    FullyShardedDataParallel as FSDP,\n"
                            "    MixedPrecision,\n"
                            "    ShardingStrategy,\n"
                            ")\n"
                            "from torch.distributed.fsdp.wrap import %s\n",
                            offload ? "    CPUOffload,\n" : "",
                            shardwise_export_has_adapters (&job->problem) ? "CustomPolicy"
                                                                          : "ModuleWrapPolicy");
  else
    g_string_append_printf (
        text, "from torch.distributed.fsdp import %sMixedPrecisionPolicy, fully_shard\n",
        offload ? "CPUOffloadPolicy, " : "");
  if (strategy->pp > 1)
    g_string_append_printf (text, "from torch.distributed.pipelining import PipelineStage, %s\n",
                            schedule_class (strategy));
  if (strategy->tp > 1)
    {
      g_string_append_printf (text,
                              "from torch.distributed.tensor import %sReplicate%s\n"
                              "from torch.distributed.tensor.parallel import (\n"
                              "    ColwiseParallel,\n"
                              "%s"
                              "    RowwiseParallel,\n"
                              "%s"
                              "    parallelize_module,\n"
                              ")\n",
                              is_first (job) ? "DTensor, " : "",
                              strategy->sequence_parallel ? ", Shard" : "",
                              strategy->sequence_parallel ? "    PrepareModuleInput,\n" : "",
                              splits_norms ? "    SequenceParallel,\n" : "");
    }
  if (strategy->cp > 1)
    g_string_append (
        text, "from torch.distributed.tensor.experimental import context_parallel\n"
              "from torch.distributed.tensor.experimental._attention import set_rotate_method\n");
  if (strategy->recompute == SW_RECOMPUTE_SELECTIVE)
    g_string_append (text, "from torch.utils.checkpoint import CheckpointPolicy, "
                           "create_selective_checkpoint_contexts\n");
}

typedef struct {
  const char *name;
  guint size;
} MeshDimension;

/* From the outermost to the innermost; TP is the last one, so that it stays inside a node. */
static guint
mesh_dimensions (const ShardwiseExportJob *job, MeshDimension dimensions[5])
{
  const SwStrategy *s = &job->estimate.strategy;
  guint group = s->zero_stage == 0 ? 1 : s->shard_group;
  guint n = 0;

  if (s->pp > 1)
    dimensions[n++] = (MeshDimension){ "pp", s->pp };
  if (is_first (job) && !is_split_twice (job))
    {
      dimensions[n++] = (MeshDimension){ "dp", s->dp };
    }
  else if (is_hybrid (s))
    {
      dimensions[n++] = (MeshDimension){ "dp_replicate", s->dp / group };
      dimensions[n++] = (MeshDimension){ "dp_shard", group };
    }
  else
    {
      dimensions[n++] = (MeshDimension){ "dp_shard", s->dp };
    }
  if (s->cp > 1)
    dimensions[n++] = (MeshDimension){ "cp", s->cp };
  if (s->tp > 1)
    dimensions[n++] = (MeshDimension){ "tp", s->tp };

  return n;
}

/* The plan for Hugging Face's Llama and similar models. A pipeline stage contains the model as
 * `model`, and only some of the modules before and after the layers. */
static void
append_tensor_parallel (const ShardwiseExportJob *job, GString *text)
{
  const SwModelSpec *model = &job->problem.model;
  const gboolean sequence = job->estimate.strategy.sequence_parallel,
                 parts = job->estimate.strategy.pp > 1;
  const char *row = sequence ? "RowwiseParallel(output_layouts=Shard(1))" : "RowwiseParallel()";
  const char *root = parts ? "model." : "";

  if (job->estimate.strategy.tp == 1)
    return;

  g_string_append_printf (
      text,
      "\n\ndef tensor_parallel(model, mesh):\n"
      "    %s{\n"
      "        \"%smodel.embed_tokens\": RowwiseParallel(input_layouts=Replicate(), "
      "output_layouts=%s),\n",
      parts ? "plan = " : "parallelize_module(model, mesh, ", root,
      sequence ? "Shard(1)" : "Replicate()");
  if (sequence)
    g_string_append_printf (text, "        \"%smodel.norm\": SequenceParallel(),\n", root);
  g_string_append_printf (text,
                          "        \"%slm_head\": ColwiseParallel(%soutput_layouts=Replicate()),\n",
                          root, sequence ? "input_layouts=Shard(1), " : "");
  g_string_append (text, parts ? "    }\n"
                                 "    there = dict(model.named_modules())\n"
                                 "    plan = {name: style for name, style in plan.items() if "
                                 "hasattr(there.get(name), \"weight\")}\n"
                                 "    parallelize_module(model, mesh, plan)\n"
                               : "    })\n");
  if (model->tied_embeddings)
    g_string_append (text, "    model.lm_head.weight = model.model.embed_tokens.weight  # which "
                           "splitting has made two\n");

  g_string_append (text, "    for layer in layers_of(model):\n"
                         "        plan = {\n");
  if (sequence)
    g_string_append (text, "            \"self_attn\": PrepareModuleInput(\n"
                           "                input_kwarg_layouts={\"hidden_states\": Shard(1)},\n"
                           "                desired_input_kwarg_layouts={\"hidden_states\": "
                           "Replicate()}),\n");
  g_string_append_printf (text,
                          "            \"self_attn.q_proj\": ColwiseParallel(),\n"
                          "            \"self_attn.k_proj\": ColwiseParallel(),\n"
                          "            \"self_attn.v_proj\": ColwiseParallel(),\n"
                          "            \"self_attn.o_proj\": %s,\n",
                          row);
  if (model->qk_norm != SW_QK_NORM_NONE)
    g_string_append (text,
                     "            # Each GPU sees its own heads alone: the gradients of these "
                     "are summed.\n"
                     "            \"self_attn.q_norm\": SequenceParallel(sequence_dim=2, "
                     "use_local_output=True),\n"
                     "            \"self_attn.k_norm\": SequenceParallel(sequence_dim=2, "
                     "use_local_output=True),\n");
  if (sequence)
    g_string_append (text, "            \"mlp\": PrepareModuleInput(\n"
                           "                input_layouts=(Shard(1),), "
                           "desired_input_layouts=(Replicate(),)),\n");
  g_string_append_printf (text,
                          "            \"mlp.gate_proj\": ColwiseParallel(),\n"
                          "            \"mlp.up_proj\": ColwiseParallel(),\n"
                          "            \"mlp.down_proj\": %s,\n"
                          "        }\n",
                          row);
  if (sequence)
    g_string_append (
        text, "        plan |= {name: SequenceParallel(use_local_output=True) for name, _ in "
              "layer.named_children() if name.endswith(\"layernorm\")}\n");
  g_string_append (text, "        parallelize_module(layer, mesh, plan)\n");
}

/* Whether a layer sees a part of the sequence, of which the model would make a wrong mask. */
static gboolean
splits_sequence (const SwStrategy *strategy)
{
  return strategy->cp > 1 || (strategy->tp > 1 && strategy->sequence_parallel);
}

static void
append_layers_of (const ShardwiseExportJob *job, GString *text)
{
  g_string_append (text, "\n\ndef layers_of(model):\n"
                         "    \"\"\"The transformer layers: the first list of modules in a Hugging "
                         "Face model.\"\"\"\n"
                         "    return next(module for module in model.modules() if "
                         "isinstance(module, torch.nn.ModuleList))\n");
  if (splits_sequence (&job->estimate.strategy))
    g_string_append (text,
                     "\n\ndef drop_masks(model):\n"
                     "    \"\"\"Attention is causal without a mask, which the model would make for "
                     "a part of the sequence.\"\"\"\n\n"
                     "    def without(module, args, kwargs):\n"
                     "        return args, kwargs | {\"attention_mask\": None}\n\n"
                     "    for name, module in model.named_modules():\n"
                     "        if name.endswith(\"self_attn\"):\n"
                     "            module.register_forward_pre_hook(without, with_kwargs=True, "
                     "prepend=True)\n");
}

static void
append_recompute (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  const char *slice = "", *call = "offload_wrapper(layer)";

  if (!wraps_layers (strategy))
    return;

  if (strategy->recompute == SW_RECOMPUTE_FULL_LAYERS) /* counted over stages by Stage */
    slice = strategy->vpp > 1 ? "[:model.recomputed]" : "[:RECOMPUTED_LAYERS]";
  if (strategy->recompute == SW_RECOMPUTE_SELECTIVE)
    {
      call = "checkpoint_wrapper(layer, context_fn=selective_contexts, preserve_rng_state=False)";
      g_string_append (text,
                       "\n\nKEPT = {  # everything else is computed again in the backward pass\n"
                       "    torch.ops.aten.mm.default,\n"
                       "    torch.ops.aten._scaled_dot_product_efficient_attention.default,\n"
                       "    torch.ops.aten._scaled_dot_product_flash_attention.default,\n"
                       "    torch.ops._c10d_functional.reduce_scatter_tensor.default,\n"
                       "}\n"
                       "\n\ndef selective_contexts():\n"
                       "    def policy(ctx, op, *args, **kwargs):\n"
                       "        return CheckpointPolicy.MUST_SAVE if op in KEPT else "
                       "CheckpointPolicy.PREFER_RECOMPUTE\n\n"
                       "    return create_selective_checkpoint_contexts(policy)\n");
    }
  else if (strategy->recompute != SW_RECOMPUTE_NONE)
    call = "checkpoint_wrapper(layer, preserve_rng_state=False)";
  g_string_append_printf (text, "\n\ndef wrap(layer):\n    layer = %s\n", call);
  if (strategy->recompute != SW_RECOMPUTE_NONE && strategy->offload == SW_OFFLOAD_ACTIVATIONS)
    g_string_append (text, "    layer = offload_wrapper(layer)\n");
  g_string_append (text, "    return layer\n");
  if (is_first (job))
    g_string_append_printf (text,
                            "\n\ndef recompute(model, layers):\n"
                            "    chosen = {id(layer) for layer in layers%s}\n"
                            "    apply_activation_checkpointing(\n"
                            "        model, checkpoint_wrapper_fn=wrap, check_fn=lambda module: "
                            "id(module) in chosen)\n",
                            slice);
  else
    g_string_append_printf (text,
                            "\n\ndef recompute(model):\n"
                            "    layers = layers_of(model)\n"
                            "    for index, layer in enumerate(list(layers)%s):\n"
                            "        layers[index] = wrap(layer)\n",
                            slice);
}

/* Saved tensors that a hook moves to the host keep Dynamo out. */
static gboolean
compiles (const ShardwiseExportJob *job)
{
  return job->estimate.strategy.offload != SW_OFFLOAD_ACTIVATIONS
         && shardwise_export_wants (job, SW_FEATURE_COMPILE, TRUE);
}

/* The parts of the FSDP files that run a step: pipeline schedule, accumulation, clipping. */

static void
append_pipeline (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  const char *schedule = schedule_class (strategy);
  gboolean many = g_str_equal (schedule, "ScheduleInterleaved1F1B");
  guint stages = strategy->pp * strategy->vpp;
  SwSplit split;

  sw_split (&job->problem, strategy, &split);
  g_string_append (text, "\n\nLAYERS_PER_STAGE = [");
  for (guint i = 0; i < stages; i++)
    {
      guint layers = sw_split_chunk_layers (&split, strategy->vpp, i % strategy->pp,
                                            i / strategy->pp);

      g_string_append_printf (text, i + 1 < stages ? "%u, " : "%u", layers);
    }
  g_string_append (text, "]\n");
  if (strategy->tp > 1)
    g_string_append (
        text,
        "\n\nclass Own(torch.autograd.Function):\n"
        "    \"\"\"The same values in a tensor of its own: the schedule detaches the output in "
        "place, which a view is not for.\"\"\"\n\n"
        "    @staticmethod\n"
        "    def forward(ctx, tensor):\n"
        "        return tensor.detach()\n\n"
        "    @staticmethod\n"
        "    def backward(ctx, grad):\n"
        "        return grad\n");
  g_string_append (text,
                   "\n\nclass Stage(torch.nn.Module):\n"
                   "    \"\"\"The layers of one stage, run by the model's own forward().\"\"\"\n\n"
                   "    def __init__(self, model, index):\n"
                   "        super().__init__()\n"
                   "        self.model = copy.deepcopy(model)\n"
                   "        self.first_layer = sum(LAYERS_PER_STAGE[:index])\n"
                   "        last = self.first_layer + LAYERS_PER_STAGE[index]\n"
                   "        base = self.model.base_model\n"
                   "        base.layers = base.layers[self.first_layer:last]\n"
                   "        base.config.num_hidden_layers = LAYERS_PER_STAGE[index]\n"
                   "        if getattr(base.config, \"layer_types\", None):\n"
                   "            base.config.layer_types = "
                   "base.config.layer_types[self.first_layer:last]\n"
                   "        if index > 0:\n"
                   "            base.embed_tokens = None\n"
                   "        if index < len(LAYERS_PER_STAGE) - 1:\n"
                   "            base.norm = self.model.lm_head = torch.nn.Identity()\n");
  if (strategy->recompute == SW_RECOMPUTE_FULL_LAYERS && strategy->vpp > 1)
    g_string_append_printf (text,
                            "        # The first layers of a rank recompute, over all its stages.\n"
                            "        before = sum(LAYERS_PER_STAGE[index %% %u:index:%u])\n"
                            "        self.recomputed = max(0, RECOMPUTED_LAYERS - before)\n",
                            strategy->pp, strategy->pp);
  g_string_append_printf (
      text,
      "\n    def forward(self, states, position_ids):\n"
      "        name = \"inputs_embeds\" if states.is_floating_point() else \"input_ids\"\n"
      "        output = self.model(**{name: states}, position_ids=position_ids, use_cache=False)\n"
      "        return %s\n"
      "\n    def whole_name(self, name):\n"
      "        \"\"\"What a parameter of this stage is called in the whole model.\"\"\"\n"
      "        parts = name.removeprefix(\"model.\").split(\".\")\n"
      "        if \"layers\" in parts:\n"
      "            place = parts.index(\"layers\") + 1\n"
      "            parts[place] = str(int(parts[place]) + self.first_layer)\n"
      "        return \".\".join(parts)\n",
      strategy->tp > 1 ? "Own.apply(output.logits)" : "output.logits");
  g_string_append_printf (
      text,
      "\n\ndef build_pipeline(model, mesh):\n"
      "    \"\"\"Returns the schedule and this rank's stages of the model, which was made under "
      "torch.device(\"meta\").\"\"\"\n"
      "    device = torch.device(\"cuda\", torch.cuda.current_device())\n"
      "    group = mesh[\"pp\"].get_group()\n"
      "    stages, parts = [], []\n"
      "    for index in range(mesh[\"pp\"].get_local_rank(), "
      "len(LAYERS_PER_STAGE), mesh[\"pp\"].size()):\n"
      "        part = parallelize(Stage(model, index), mesh)\n"
      "        parts.append(part)\n"
      "        stages.append(PipelineStage(part, index, len(LAYERS_PER_STAGE), "
      "device, group=group))\n"
      "    options = {\"n_microbatches\": ACCUMULATION, \"loss_fn\": micro_loss}\n"
      "    if \"scale_grads\" in inspect.signature(%s).parameters:  # PyTorch 2.7 and later\n"
      "        options[\"scale_grads\"] = False\n"
      "    schedule = %s(%s, **options)\n"
      "    return schedule, torch.nn.ModuleList(parts)\n"
      "\n\ndef micro_loss(logits, labels):\n"
      "    \"\"\"What a micro-batch adds to the loss of the step: the schedule sums "
      "gradients.\"\"\"\n"
      "    return cross_entropy(logits, labels) / ACCUMULATION\n",
      schedule, schedule, many ? "stages" : "stages[0]");
}

static void
append_context (const SwStrategy *strategy, GString *text, const char *indent)
{
  if (strategy->cp == 1)
    return;

  g_string_append_printf (text,
                          "%sset_rotate_method(\"%s\")\n"
                          "%swith context_parallel(\n"
                          "%s    mesh[\"cp\"],\n"
                          "%s    buffers=[tokens, labels, positions],  # split along the sequence\n"
                          "%s    buffer_seq_dims=[1, 1, 1],\n"
                          "%s    no_restore_buffers={tokens, labels, positions},\n"
                          "%s):\n",
                          indent, strategy->cp_method == SW_CP_ALLGATHER ? "allgather" : "alltoall",
                          indent, indent, indent, indent, indent, indent);
}

static void
append_plain_step (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  const char *indent = strategy->cp > 1 ? "            " : "        ";

  g_string_append (text, "\n\ndef train_step(model, optimizer, mesh, micro_batches):\n"
                         "    \"\"\"micro_batches: ACCUMULATION pairs of tokens and labels, "
                         "MICRO_BATCH sequences each.\"\"\"\n"
                         "    total = 0\n"
                         "    for tokens, labels in micro_batches:\n"
                         "        positions = positions_of(tokens)\n");
  append_context (strategy, text, "        ");
  g_string_append_printf (text,
                          "%soutput = model(input_ids=tokens, position_ids=positions, "
                          "use_cache=False)\n"
                          "%sloss = cross_entropy(output.logits, labels) / ACCUMULATION\n"
                          "%s%s\n"
                          "        total += loss.detach()\n",
                          indent, indent, indent,
                          job->problem.training.precision == SW_PRECISION_FP16
                              ? "SCALER.scale(loss).backward()"
                              : "loss.backward()");
}

static void
append_pipeline_step (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  const char *indent = strategy->cp > 1 ? "        " : "    ";

  g_string_append (text,
                   "\n\ndef train_step(schedule, model, optimizer, mesh, tokens, labels):\n"
                   "    \"\"\"tokens and labels: MICRO_BATCH * ACCUMULATION sequences. The last "
                   "stage returns the loss.\"\"\"\n"
                   "    rank, last = mesh[\"pp\"].get_local_rank(), mesh[\"pp\"].size() - 1\n"
                   "    positions = positions_of(tokens)\n"
                   "    losses = []\n");
  append_context (strategy, text, "    ");
  g_string_append_printf (text,
                          "%sinputs = (tokens,) if rank == 0 else ()\n"
                          "%starget = labels if rank == last else None\n"
                          "%sschedule.step(*inputs, target=target, losses=losses, "
                          "position_ids=positions)\n"
                          "    total = sum(loss.detach() for loss in losses) if rank == last else "
                          "None\n",
                          indent, indent, indent);
}

/* Gradients of different meshes cannot be clipped in one call, and a pipeline's stages are on
 * different ranks. */
static gboolean
needs_own_clipping (const ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;

  return strategy->tp > 1 || strategy->pp > 1;
}

/* FSDP 1 is aware of its own shards only: with tensor parallelism it would compute the norm of one
 * part. */
static void
append_clipping_of_first (const ShardwiseExportJob *job, GString *text)
{
  g_string_append (
      text,
      "\n\ndef clip_gradients(model, mesh, limit=1.0):\n"
      "    \"\"\"Clips by the norm over all ranks: what tensor parallelism splits is on several of "
      "them.\"\"\"\n"
      "    squares = torch.zeros(2, device=torch.cuda.current_device())  # of whole and of split "
      "parameters\n"
      "    for name, parameter in model.named_parameters():\n"
      "        if parameter.grad is not None:\n"
      "            square = parameter.grad.float().square().sum()\n"
      "            squares[int(plain(name) in model.split)] += square.to(squares.device)\n");
  if (job->estimate.strategy.zero_stage > 0)
    g_string_append (text, "    dist.all_reduce(squares, group=mesh[\"dp\"].get_group())\n");
  g_string_append (text, "    dist.all_reduce(squares[1:], group=mesh[\"tp\"].get_group())\n"
                         "    scale = torch.clamp(limit / (squares.sum().sqrt() + 1e-6), max=1.0)\n"
                         "    for parameter in model.parameters():\n"
                         "        if parameter.grad is not None:\n"
                         "            parameter.grad.mul_(scale.to(parameter.grad.device))\n");
}

static void
append_clipping (const ShardwiseExportJob *job, GString *text)
{
  const gboolean parts = job->estimate.strategy.pp > 1;

  if (is_first (job))
    {
      append_clipping_of_first (job, text);
      return;
    }
  g_string_append_printf (text, "\n\ndef clip_gradients(model, mesh, limit=1.0):\n");
  g_string_append (
      text, "    \"\"\"Clips by the norm over all ranks: of each mesh's shards, of the meshes, of "
            "the stages.\"\"\"\n"
            "    groups = {}\n"
            "    for parameter in model.parameters():\n"
            "        if parameter.grad is not None:\n"
            "            groups.setdefault(parameter.grad.device_mesh, []).append(parameter.grad)\n"
            "    square = sum(torch.nn.utils.get_total_norm(grads).full_tensor() ** 2 for grads in "
            "groups.values())\n");
  if (parts)
    g_string_append (text, "    dist.all_reduce(square, group=mesh[\"pp\"].get_group())\n");
  g_string_append (text, "    scale = torch.clamp(limit / (square.sqrt() + 1e-6), max=1.0)\n"
                         "    for grads in groups.values():\n"
                         "        for grad in grads:\n"
                         "            grad.mul_(scale)\n");
}

/* Appends one optimizer step, and the start of the job with a check of its size. */
static void
append_train_step (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  /* of gradients that FSDP 2 offloads the norm is reduced on the hosts */
  const gboolean reduces_on_host = strategy->offload == SW_OFFLOAD_OPTIMIZER_PARAMS
                                   && !is_first (job);
  gboolean fp16 = job->problem.training.precision == SW_PRECISION_FP16;

  if (job->problem.training.precision == SW_PRECISION_FP16)
    g_string_append (
        text,
        is_first (job)
            ? "\n\nfrom torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler\n\n"
              "SCALER = ShardedGradScaler()\n"
            : "\n\nSCALER = torch.amp.GradScaler(\"cuda\")\n");

  if (needs_own_clipping (job))
    append_clipping (job, text);
  g_string_append (text, "\n\ndef positions_of(tokens):\n"
                         "    return torch.arange(tokens.shape[1], device=tokens.device).repeat("
                         "len(tokens), 1)\n");
  if (strategy->pp > 1)
    append_pipeline_step (job, text);
  else
    append_plain_step (job, text);

  if (fp16)
    g_string_append (text, "    SCALER.unscale_(optimizer)\n");
  if (needs_own_clipping (job))
    g_string_append (text, "    clip_gradients(model, mesh)\n");
  else if (is_first (job))
    g_string_append (text, "    model.clip_grad_norm_(1.0)\n");
  else
    g_string_append (text, "    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n");
  g_string_append (text, fp16 ? "    SCALER.step(optimizer)\n    SCALER.update()\n"
                              : "    optimizer.step()\n");
  g_string_append (text, "    optimizer.zero_grad()\n"
                         "    return total\n");

  g_string_append (text,
                   "\n\ndef replica(mesh):\n"
                   "    \"\"\"Which replica this rank is of, and of how many: each takes its own "
                   "sequences.\"\"\"\n");
  if (is_first (job) && !is_split_twice (job))
    g_string_append (text, "    return mesh[\"dp\"].get_local_rank(), mesh[\"dp\"].size()\n");
  else if (is_hybrid (strategy))
    g_string_append (
        text, "    group = mesh[\"dp_shard\"].size()\n"
              "    return mesh[\"dp_replicate\"].get_local_rank() * group + "
              "mesh[\"dp_shard\"].get_local_rank(), mesh[\"dp_replicate\"].size() * group\n");
  else
    g_string_append (text,
                     "    return mesh[\"dp_shard\"].get_local_rank(), mesh[\"dp_shard\"].size()\n");

  g_string_append_printf (
      text,
      "\n\ndef start():\n"
      "    \"\"\"Call this first; then parallelize the model on the mesh that it returns.\"\"\"\n"
      "    torch.cuda.set_device(int(os.environ[\"LOCAL_RANK\"]))\n"
      "    dist.init_process_group(\"%s\")\n",
      reduces_on_host ? "cpu:gloo,cuda:nccl" : "nccl");
  g_string_append (text,
                   "    if dist.get_world_size() != WORLD_SIZE:\n"
                   "        raise RuntimeError(f\"this strategy is for {WORLD_SIZE} GPUs, not "
                   "{dist.get_world_size()}\")\n"
                   "    return build_mesh()\n");
}

/* torch's name of the type that the parameters are computed in. */
static const char *
dtype_of (const SwProblem *problem)
{
  return problem->training.precision == SW_PRECISION_FP16 ? "torch.float16" : "torch.bfloat16";
}

static void
add_notes (ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;

  shardwise_export_note (job, SHARDWISE_NOTE_OWN_WAY,
                         _ ("Model: Hugging Face Transformers creates it, and the script uses its "
                            "module names; rename them for another implementation."));
  if (strategy->pp > 1 && strategy->dp == 1)
    shardwise_export_note (
        job, SHARDWISE_NOTE_OWN_WAY,
        _ ("With one replica, FSDP shards nothing; it only sets the mixed precision."));
  if (strategy->recompute == SW_RECOMPUTE_SELECTIVE)
    shardwise_export_note (job, SHARDWISE_NOTE_OWN_WAY,
                           _ ("Modules of selective recomputation: the policy keeps matrix "
                              "products and attention, as TorchTitan’s does."));
  if (job->estimate.strategy.offload == SW_OFFLOAD_ACTIVATIONS)
    shardwise_export_note (
        job, SHARDWISE_NOTE_OTHERWISE,
        _ ("Compiled layers: time and memory are predicted for them, but torch.compile does not "
           "support the hooks that offload activations, so these layers are slower."));
  shardwise_export_note_software (job, SHARDWISE_FEATURE (COMPILE));
  shardwise_export_note_common (job);
}

/* What both kinds of FSDP begin with. */
static GString *
begin_file (ShardwiseExportJob *job)
{
  GString *text = g_string_new (NULL);
  guint nodes;
  const SwStrategy *strategy = &job->estimate.strategy;
  MeshDimension dimensions[5];
  guint n = mesh_dimensions (job, dimensions);
  const SwTraining *training = &job->problem.training;

  add_notes (job);
  nodes = shardwise_export_nodes (job);
  shardwise_export_append_header (job, text);
  g_string_append_printf (text,
                          "#\n# torchrun --nnodes=%u --nproc-per-node=%u " SHARDWISE_PROGRAM "\n",
                          nodes, shardwise_export_gpus_per_node (job));
  append_imports (job, text);

  g_string_append_printf (text,
                          "\nWORLD_SIZE = %u\n"
                          "MICRO_BATCH = %u  # sequences\n"
                          "ACCUMULATION = %u  # micro-batches of one optimizer step\n"
                          "SEQUENCE_LENGTH = %u\n"
                          "GLOBAL_BATCH = %u  # MICRO_BATCH * ACCUMULATION * %u replicas\n",
                          shardwise_export_gpus (job), strategy->micro_batch,
                          MAX (job->estimate.gradient_accumulation, 1),
                          job->problem.training.sequence_length,
                          shardwise_export_global_batch (job), strategy->dp);
  if (strategy->recompute == SW_RECOMPUTE_FULL_LAYERS)
    g_string_append_printf (text, "RECOMPUTED_LAYERS = %u  # of each rank, the first ones\n",
                            strategy->full_layers);

  g_string_append (text, "\n\ndef build_mesh():\n"
                         "    mesh = init_device_mesh(\n"
                         "        \"cuda\",\n"
                         "        (");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, i + 1 < n ? "%u, " : n == 1 ? "%u," : "%u", dimensions[i].size);
  g_string_append (text, "),\n        mesh_dim_names=(");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text,
                            i + 1 < n ? "\"%s\", "
                            : n == 1  ? "\"%s\","
                                      : "\"%s\"",
                            dimensions[i].name);
  g_string_append (text, "),\n    )\n");
  if (job->estimate.strategy.cp > 1)
    g_string_append (text, "    mesh[\"dp_shard\", \"cp\"]._flatten(\"dp_shard_cp\")  # parameters "
                           "are sharded over both\n");
  g_string_append (text, "    return mesh\n");

  append_layers_of (job, text);
  shardwise_export_append_adapters (job, text);
  if (job->problem.training.precision == SW_PRECISION_FP8
      || job->problem.training.precision == SW_PRECISION_FP8_ROWWISE)
    g_string_append_printf (
        text,
        "\n\ndef use_float8(model):\n"
        "    from torchao.float8 import Float8LinearConfig, convert_to_float8_training\n\n"
        "    convert_to_float8_training(\n"
        "        model,\n"
        "        config=Float8LinearConfig.from_recipe_name(\"%s\"),\n"
        "        module_filter_fn=lambda module, name: name != \"lm_head\",\n"
        "    )\n",
        training->precision == SW_PRECISION_FP8_ROWWISE ? "rowwise" : "tensorwise");
  append_tensor_parallel (job, text);
  append_recompute (job, text);
  /* What the measured runs compiled, on which the prediction rests: the layers and, with FSDP 2,
     the loss, which holds the logits in 32 bits otherwise. */
  if (!is_first (job) && compiles (job))
    g_string_append (text, "\n\ndef compile_layers(model):\n"
                           "    for layer in layers_of(model):\n"
                           "        layer.compile()\n");
  g_string_append_printf (
      text,
      "\n\n%sdef cross_entropy(logits, labels):\n"
      "%s"
      "    return torch.nn.functional.cross_entropy("
      "logits.flatten(0, 1).float(), labels.flatten())\n",
      is_first (job) ? "" : "@torch.compile\n",
      is_first (job)
          ? ""
          : "    \"\"\"Compiled, for it would copy all logits to 32 bits otherwise.\"\"\"\n");
  return text;
}

/* The statement of parallelize() that compiles the model. */
static void
append_compile_call (const ShardwiseExportJob *job, GString *text)
{
  if (compiles (job))
    g_string_append (text,
                     is_first (job) ? "    model.compile()\n" : "    compile_layers(model)\n");
}

static void
append_parallelize (const ShardwiseExportJob *job, GString *text, const char *doc)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  SwPrecision precision = job->problem.training.precision;

  g_string_append_printf (text, "\n\ndef parallelize(model, mesh):\n    \"\"\"%s\"\"\"\n", doc);
  if (shardwise_export_has_adapters (&job->problem))
    g_string_append (text, "    add_adapters(model)\n");
  if (precision != SW_PRECISION_BF16 && precision != SW_PRECISION_FP16)
    g_string_append (text, "    use_float8(model)\n");
  if (splits_sequence (strategy))
    g_string_append (text, "    drop_masks(model)\n");
  if (strategy->tp > 1)
    g_string_append (text, "    tensor_parallel(model, mesh[\"tp\"])\n");
}

static void
write_fsdp2 (ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  GString *text = begin_file (job);
  const char *shards = strategy->cp > 1 ? "dp_shard_cp" : "dp_shard";
  const gboolean three = strategy->zero_stage == 3;
  const char *reason = strategy->zero_stage == 0 ? "every replica holds everything"
                       : three && strategy->pp > 1
                           ? "ZeRO 3; a pipeline gathers once per step, not once per micro-batch"
                       : three ? "ZeRO 3"
                               : "ZeRO 2";

  g_string_append_printf (
      text,
      "\n\ndef shard(model, mesh):\n"
      "    options = {\n"
      "        \"mesh\": mesh[%s\"%s\"],\n"
      "        \"mp_policy\": MixedPrecisionPolicy(param_dtype=%s, reduce_dtype=torch.float32),\n"
      "        \"reshard_after_forward\": %s,  # %s\n",
      is_hybrid (strategy) ? "\"dp_replicate\", " : "", shards, dtype_of (&job->problem),
      three && strategy->pp == 1 ? "True" : "False", reason);
  if (strategy->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
    g_string_append (text, "        \"offload_policy\": CPUOffloadPolicy(pin_memory=True),\n");
  g_string_append (text, "    }\n"
                         "    for layer in layers_of(model):\n");
  if (shardwise_export_has_adapters (&job->problem))
    g_string_append (text, "        # What is trained is of another type than what is frozen: a "
                           "group of its own.\n"
                           "        fully_shard([m for m in layer.modules() if is_trained(m)], "
                           "**options)\n");
  g_string_append (text,
                   "        fully_shard(layer, **options)\n"
                   "    return fully_shard(model, **options)\n"
                   "\n\ndef named_tensors(model):\n"
                   "    \"\"\"What this rank has of parameters and buffers, by its name in the "
                   "whole model.\"\"\"\n");
  g_string_append_printf (
      text,
      "    for part in %s:\n"
      "        for name, tensor in [*part.named_parameters(), *part.named_buffers()]:\n"
      "            name = name.replace(\"_checkpoint_wrapped_module.\", \"\")\n"
      "            yield %s, tensor\n",
      strategy->pp > 1 ? "model" : "[model]", strategy->pp > 1 ? "part.whole_name(name)" : "name");
  append_parallelize (
      job, text,
      "Tensor parallelism, recomputation, compilation, FSDP: each wraps what the one before made.");
  if (wraps_layers (strategy))
    g_string_append (text, "    recompute(model)\n");
  append_compile_call (job, text);
  g_string_append (text, "    return shard(model, mesh)\n");
  if (strategy->pp > 1)
    append_pipeline (job, text);
  shardwise_export_append_optimizer (job, text);
  append_train_step (job, text);

  shardwise_export_add_file (job, job->info->file_name, g_string_free (text, FALSE));
}

static void
write_fsdp1 (ShardwiseExportJob *job)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  GString *text = begin_file (job);
  const char *dtype = dtype_of (&job->problem);
  const gboolean three = strategy->zero_stage == 3,
                 two = strategy->zero_stage > 0 && strategy->shard_group < strategy->dp;
  const char *name = strategy->zero_stage == 0 ? "NO_SHARD"
                     : two                     ? three ? "HYBRID_SHARD" : "_HYBRID_SHARD_ZERO2"
                     : three                   ? "FULL_SHARD"
                                               : "SHARD_GRAD_OP";

  g_string_append_printf (
      text,
      "\n\ndef shard(model, mesh):\n"
      "    layer_types = {type(layer) for layer in layers_of(model)}\n"
      "    return FSDP(\n"
      "        model,\n"
      "        device_mesh=%s,\n"
      "        sharding_strategy=ShardingStrategy.%s,\n"
      "        auto_wrap_policy=%s,\n"
      "        mixed_precision=MixedPrecision(\n"
      "            param_dtype=%s,\n"
      "            reduce_dtype=torch.float32,\n"
      "            buffer_dtype=%s,\n"
      "        ),\n"
      "        backward_prefetch=BackwardPrefetch.BACKWARD_PRE,\n"
      "        limit_all_gathers=True,\n"
      "        use_orig_params=True,\n",
      two ? "mesh[\"dp_replicate\", \"dp_shard\"]" : "mesh[\"dp\"]", name,
      /* Trained and frozen parameters have different types, so the trained ones form a separate
       * unit. */
      shardwise_export_has_adapters (&job->problem)
          ? "CustomPolicy(lambda module: type(module) in layer_types or is_trained(module))"
          : "ModuleWrapPolicy(layer_types)",
      dtype, dtype);
  if (strategy->offload == SW_OFFLOAD_OPTIMIZER_PARAMS)
    g_string_append (text, "        cpu_offload=CPUOffload(offload_params=True),\n");
  g_string_append (text, "        device_id=torch.cuda.current_device(),\n");
  if (strategy->tp == 1) /* tensor parallelism splits what every rank has */
    g_string_append (text, "        sync_module_states=True,  # from the first rank, which alone "
                           "has the weights\n"
                           "        param_init_fn=lambda module: module.to_empty("
                           "device=torch.cuda.current_device(), recurse=False),\n");
  g_string_append (text, "    )\n");
  if (strategy->tp > 1)
    g_string_append (text, "\n\ndef plain(name):\n"
                           "    return name.replace(\"_fsdp_wrapped_module.\", \"\").replace("
                           "\"_checkpoint_wrapped_module.\", \"\")\n");
  append_parallelize (
      job, text, "Tensor parallelism first, then FSDP; the layers recompute inside their shards.");
  if (wraps_layers (strategy))
    g_string_append (text, "    layers = list(layers_of(model))\n");
  if (strategy->tp > 1)
    g_string_append (text,
                     "    split = {\n"
                     "        name for name, parameter in model.named_parameters()\n"
                     "        if isinstance(parameter, DTensor) and any(p.is_shard() for p in "
                     "parameter.placements)\n"
                     "    }\n");
  g_string_append (text, "    model = shard(model, mesh)\n");
  if (strategy->tp > 1)
    g_string_append (text, "    model.split = split\n");
  if (wraps_layers (strategy))
    g_string_append (text, "    recompute(model, layers)\n");
  append_compile_call (job, text);
  g_string_append (text, "    return model\n");
  shardwise_export_append_optimizer (job, text);
  append_train_step (job, text);

  shardwise_export_add_file (job, job->info->file_name, g_string_free (text, FALSE));
}

static void
launch (const ShardwiseExportJob *job, ShardwiseLaunch *out)
{
  shardwise_launch_init (out, SHARDWISE_PROGRAM);
}

static const ShardwiseFormatPin narrow1[] = {
  { SHARDWISE_KEY_STRATEGY_EP, NULL, FALSE },
  { SHARDWISE_KEY_STRATEGY_TP, NULL, TRUE },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, "none", FALSE },
  { SHARDWISE_KEY_NONE, NULL, FALSE },
};
static const ShardwiseFormatPin narrow2[] = {
  { SHARDWISE_KEY_STRATEGY_EP, NULL, FALSE },
  { SHARDWISE_KEY_STRATEGY_TP, NULL, TRUE },
  { SHARDWISE_KEY_STRATEGY_SCHEDULE, "1f1b", FALSE },
  { SHARDWISE_KEY_STRATEGY_OFFLOAD, "none", FALSE },
  { SHARDWISE_KEY_NONE, NULL, FALSE },
};

const ShardwiseFormatWriter shardwise_fsdp1_writer = {
  .rules = rules1,
  .n_rules = G_N_ELEMENTS (rules1),
  .narrow = narrow1,
  .write = write_fsdp1,
  .program = shardwise_program_of_fsdp,
  .launch = launch,
};

const ShardwiseFormatWriter shardwise_fsdp2_writer = {
  .rules = rules2,
  .n_rules = G_N_ELEMENTS (rules2),
  .narrow = narrow2,
  .write = write_fsdp2,
  .program = shardwise_program_of_fsdp,
  .launch = launch,
};
