/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-fsdp.h"

/* The parts of the FSDP files. Only values computed here enter the code, never a string of the
 * user. */

static gboolean
is_float8 (const SwProblem *problem)
{
  return problem->training.precision == SW_PRECISION_FP8
         || problem->training.precision == SW_PRECISION_FP8_ROWWISE;
}

static void
append_fsdp_imports (const ShardwiseExportJob *job, GString *text)
{
  gboolean offload = job->estimate.strategy.offload == SW_OFFLOAD_OPTIMIZER_PARAMS;

  if (shardwise_fsdp_is_first (job))
    g_string_append_printf (text,
                            "from torch.distributed.fsdp import (\n"
                            "    BackwardPrefetch,\n"
                            "%s"
                            "    FullyShardedDataParallel as FSDP,\n"
                            "    MixedPrecision,\n"
                            "    ShardingStrategy,\n"
                            ")\n"
                            "from torch.distributed.fsdp.wrap import ModuleWrapPolicy\n",
                            offload ? "    CPUOffload,\n" : "");
  else
    g_string_append_printf (
        text, "from torch.distributed.fsdp import %sMixedPrecisionPolicy, fully_shard\n",
        offload ? "CPUOffloadPolicy, " : "");
}

static void
append_recompute_imports (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *strategy = &job->estimate.strategy;

  if (!shardwise_fsdp_wraps_layers (strategy))
    return;

  g_string_append (text,
                   "from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import (\n");
  if (shardwise_fsdp_is_first (job))
    g_string_append (text, "    apply_activation_checkpointing,\n");
  if (strategy->recompute != SW_RECOMPUTE_NONE)
    g_string_append (text, "    checkpoint_wrapper,\n");
  if (strategy->offload == SW_OFFLOAD_ACTIVATIONS)
    g_string_append (text, "    offload_wrapper,\n");
  g_string_append (text, ")\n");
}

static void
append_tensor_imports (const SwStrategy *strategy, GString *text)
{
  if (strategy->tp == 1)
    return;

  g_string_append_printf (text,
                          "from torch.distributed.tensor import Replicate%s\n"
                          "from torch.distributed.tensor.parallel import (\n"
                          "    ColwiseParallel,\n"
                          "%s"
                          "    RowwiseParallel,\n"
                          "%s"
                          "    parallelize_module,\n"
                          ")\n",
                          strategy->sequence_parallel ? ", Shard" : "",
                          strategy->sequence_parallel ? "    PrepareModuleInput,\n" : "",
                          strategy->sequence_parallel ? "    SequenceParallel,\n" : "");
}

/**
 * shardwise_fsdp_append_imports:
 * @job: the job
 * @text: where to append to
 */
void
shardwise_fsdp_append_imports (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *strategy = &job->estimate.strategy;

  if (strategy->pp > 1)
    g_string_append (text, "import copy\n");
  g_string_append (text, "import os\n\n"
                         "import torch\n"
                         "import torch.distributed as dist\n");
  append_recompute_imports (job, text);
  g_string_append (text, "from torch.distributed.device_mesh import init_device_mesh\n");
  append_fsdp_imports (job, text);
  if (strategy->pp > 1)
    g_string_append_printf (text, "from torch.distributed.pipelining import PipelineStage, %s\n",
                            shardwise_fsdp_schedule (strategy));
  append_tensor_imports (strategy, text);
  if (strategy->cp > 1)
    g_string_append (
        text, "from torch.distributed.tensor.experimental import context_parallel\n"
              "from torch.distributed.tensor.experimental._attention import set_rotate_method\n");
  if (strategy->recompute == SW_RECOMPUTE_SELECTIVE)
    g_string_append (text, "from torch.utils.checkpoint import CheckpointPolicy, "
                           "create_selective_checkpoint_contexts\n");
}

/**
 * shardwise_fsdp_append_constants:
 * @job: the job
 * @text: where to append to
 */
void
shardwise_fsdp_append_constants (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *strategy = &job->estimate.strategy;

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
  if (shardwise_fsdp_is_first (job) && (s->zero_stage == 0 || !shardwise_fsdp_is_hybrid (s)))
    {
      dimensions[n++] = (MeshDimension){ "dp", s->dp };
    }
  else if (shardwise_fsdp_is_hybrid (s))
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

/**
 * shardwise_fsdp_append_mesh:
 * @job: the job
 * @text: where to append to
 */
void
shardwise_fsdp_append_mesh (const ShardwiseExportJob *job, GString *text)
{
  MeshDimension dimensions[5];
  guint n = mesh_dimensions (job, dimensions);

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
}

static void
append_root_plan (const SwStrategy *strategy, GString *text)
{
  if (strategy->sequence_parallel)
    g_string_append (
        text,
        "    parallelize_module(model, mesh, {\n"
        "        \"tok_embeddings\": RowwiseParallel(input_layouts=Replicate(), "
        "output_layouts=Shard(1)),\n"
        "        \"norm\": SequenceParallel(),\n"
        "        \"output\": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),\n"
        "    })\n");
  else
    g_string_append (text, "    parallelize_module(model, mesh, {\n"
                           "        \"tok_embeddings\": RowwiseParallel(input_layouts=Replicate(), "
                           "output_layouts=Replicate()),\n"
                           "        \"output\": ColwiseParallel(output_layouts=Replicate()),\n"
                           "    })\n");
}

static void
append_layer_plan (const ShardwiseExportJob *job, GString *text)
{
  gboolean sequence = job->estimate.strategy.sequence_parallel;
  const char *row = sequence ? "RowwiseParallel(output_layouts=Shard(1))" : "RowwiseParallel()";

  g_string_append (text, "    for _, layer in model.layers.named_children():\n"
                         "        parallelize_module(layer, mesh, {\n");
  if (sequence)
    g_string_append (text, "            \"attention_norm\": SequenceParallel(),\n"
                           "            \"attention\": PrepareModuleInput(\n"
                           "                input_layouts=(Shard(1), None), "
                           "desired_input_layouts=(Replicate(), None)),\n");
  g_string_append_printf (text,
                          "            \"attention.wq\": ColwiseParallel(),\n"
                          "            \"attention.wk\": ColwiseParallel(),\n"
                          "            \"attention.wv\": ColwiseParallel(),\n"
                          "            \"attention.wo\": %s,\n",
                          row);
  if (sequence)
    g_string_append (
        text,
        "            \"ffn_norm\": SequenceParallel(),\n"
        "            \"feed_forward\": PrepareModuleInput(\n"
        "                input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),)),\n");
  g_string_append (text, "            \"feed_forward.w1\": ColwiseParallel(),\n");
  if (job->problem.model.gated_mlp)
    g_string_append (text, "            \"feed_forward.w3\": ColwiseParallel(),\n");
  g_string_append_printf (text, "            \"feed_forward.w2\": %s,\n        })\n", row);
}

/**
 * shardwise_fsdp_append_tensor_parallel:
 * @job: the job
 * @text: where to append to
 */
void
shardwise_fsdp_append_tensor_parallel (const ShardwiseExportJob *job, GString *text)
{
  if (job->estimate.strategy.tp == 1)
    return;

  g_string_append (text, "\n\ndef tensor_parallel(model, mesh):\n");
  append_root_plan (&job->estimate.strategy, text);
  append_layer_plan (job, text);
}

static void
append_policy (GString *text)
{
  g_string_append (text, "\n\nKEPT = {  # everything else is computed again in the backward pass\n"
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

static const char *
wrapper_call (const SwStrategy *strategy)
{
  if (strategy->recompute == SW_RECOMPUTE_SELECTIVE)
    return "checkpoint_wrapper(layer, context_fn=selective_contexts, preserve_rng_state=False)";
  if (strategy->recompute != SW_RECOMPUTE_NONE)
    return "checkpoint_wrapper(layer, preserve_rng_state=False)";

  return "offload_wrapper(layer)";
}

static void
append_wrap (const SwStrategy *strategy, GString *text)
{
  g_string_append_printf (text, "\n\ndef wrap(layer):\n    layer = %s\n", wrapper_call (strategy));
  if (strategy->recompute != SW_RECOMPUTE_NONE && strategy->offload == SW_OFFLOAD_ACTIVATIONS)
    g_string_append (text, "    layer = offload_wrapper(layer)\n");
  g_string_append (text, "    return layer\n");
}

/**
 * shardwise_fsdp_append_recompute:
 * @job: the job
 * @text: where to append to
 */
void
shardwise_fsdp_append_recompute (const ShardwiseExportJob *job, GString *text)
{
  const SwStrategy *strategy = &job->estimate.strategy;
  const char *slice = "";

  if (!shardwise_fsdp_wraps_layers (strategy))
    return;

  if (strategy->recompute == SW_RECOMPUTE_FULL_LAYERS) /* counted over stages by stage_model() */
    slice = strategy->vpp > 1 ? "[:model.recomputed]" : "[:RECOMPUTED_LAYERS]";
  if (strategy->recompute == SW_RECOMPUTE_SELECTIVE)
    append_policy (text);
  append_wrap (strategy, text);
  if (shardwise_fsdp_is_first (job))
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
                            "    for name, layer in list(model.layers.named_children())%s:\n"
                            "        model.layers.register_module(name, wrap(layer))\n",
                            slice);
}

/**
 * shardwise_fsdp_append_model_changes:
 * @job: the job
 * @text: where to append to
 *
 * Appends what changes the model before it is split: adapters and 8-bit layers.
 */
void
shardwise_fsdp_append_model_changes (const ShardwiseExportJob *job, GString *text)
{
  const SwTraining *training = &job->problem.training;

  if (shardwise_export_has_adapters (&job->problem))
    g_string_append_printf (
        text,
        "\n\ndef add_adapters(model):\n"
        "    from peft import LoraConfig, inject_adapter_in_model\n\n"
        "    inject_adapter_in_model(LoraConfig(r=%u, target_modules=%s), model)\n",
        training->lora_rank,
        training->lora_all_linear ? "[\"wq\", \"wk\", \"wv\", \"wo\", \"w1\", \"w2\", \"w3\"]"
                                  : "[\"wq\", \"wk\", \"wv\", \"wo\"]");
  if (is_float8 (&job->problem))
    g_string_append_printf (
        text,
        "\n\ndef use_float8(model):\n"
        "    from torchao.float8 import Float8LinearConfig, convert_to_float8_training\n\n"
        "    convert_to_float8_training(\n"
        "        model,\n"
        "        config=Float8LinearConfig.from_recipe_name(\"%s\"),\n"
        "        module_filter_fn=lambda module, name: name != \"output\",\n"
        "    )\n",
        training->precision == SW_PRECISION_FP8_ROWWISE ? "rowwise" : "tensorwise");
}

/**
 * shardwise_fsdp_append_optimizer:
 * @job: the job
 * @text: where to append to
 */
void
shardwise_fsdp_append_optimizer (const ShardwiseExportJob *job, GString *text)
{
  const char *import = NULL, *call = NULL;

  switch (job->problem.training.optimizer)
    {
    case SW_OPTIMIZER_ADAM8BIT:
      /* torchao's keeps its states as DTensors, which FSDP 1 does not know. */
      import = shardwise_fsdp_is_first (job) ? "from bitsandbytes.optim import AdamW8bit"
                                             : "from torchao.optim import AdamW8bit";
      call = "AdamW8bit(parameters, lr=1.5e-4, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1)";
      break;
    case SW_OPTIMIZER_ADAFACTOR: call = "torch.optim.Adafactor(parameters, lr=1e-3)"; break;
    case SW_OPTIMIZER_SGD: call = "torch.optim.SGD(parameters, lr=0.1, momentum=0.9)"; break;
    case SW_OPTIMIZER_ADAMW:
    case SW_OPTIMIZER_MUON:
    default:
      call = "torch.optim.AdamW(parameters, lr=1.5e-4, betas=(0.9, 0.95), eps=1e-8, "
             "weight_decay=0.1, fused=True)";
      break;
    }

  g_string_append (text, "\n\ndef make_optimizer(model):\n");
  if (import != NULL)
    g_string_append_printf (text, "    %s\n\n", import);
  g_string_append_printf (text,
                          "    parameters = [p for p in model.parameters() if p.requires_grad]\n"
                          "    return %s\n",
                          call);
}

/* Saved tensors that a hook moves to the host keep Dynamo out. */
static gboolean
compiles (const ShardwiseExportJob *job)
{
  return job->estimate.strategy.offload != SW_OFFLOAD_ACTIVATIONS;
}

/**
 * shardwise_fsdp_append_compilation:
 * @job: the job
 * @text: where to append to
 *
 * Appends torch.compile() of what the measured runs compiled, on which the prediction rests: the
 * layers and, with FSDP 2, the loss, which holds the logits in 32 bits otherwise.
 */
void
shardwise_fsdp_append_compilation (const ShardwiseExportJob *job, GString *text)
{
  if (shardwise_fsdp_is_first (job))
    return;

  if (compiles (job))
    g_string_append (text, "\n\ndef compile_layers(model):\n"
                           "    for _, layer in model.layers.named_children():\n"
                           "        layer.compile()\n");
  g_string_append (text,
                   "\n\n@torch.compile\n"
                   "def cross_entropy(logits, labels):\n"
                   "    \"\"\"Compiled, for it would copy all logits to 32 bits otherwise.\"\"\"\n"
                   "    return torch.nn.functional.cross_entropy("
                   "logits.flatten(0, 1).float(), labels.flatten())\n");
}

/**
 * shardwise_fsdp_compile_call:
 * @job: the job
 *
 * Returns: (nullable): the statement of parallelize() that compiles the model
 */
const char *
shardwise_fsdp_compile_call (const ShardwiseExportJob *job)
{
  if (!compiles (job))
    return NULL;

  return shardwise_fsdp_is_first (job) ? "model.compile()" : "compile_layers(model)";
}
