import copy
import os

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.pipelining import PipelineStage, Schedule1F1B
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)

WORLD_SIZE = 32
MICRO_BATCH = 4  # sequences
ACCUMULATION = 32  # micro-batches of one optimizer step
SEQUENCE_LENGTH = 8192
GLOBAL_BATCH = 128  # MICRO_BATCH * ACCUMULATION * 1 replicas


def build_mesh():
    mesh = init_device_mesh(
        "cuda",
        (4, 1, 8),
        mesh_dim_names=("pp", "dp_shard", "tp"),
    )
    return mesh


def tensor_parallel(model, mesh):
    parallelize_module(model, mesh, {
        "tok_embeddings": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
        "norm": SequenceParallel(),
        "output": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
    })
    for _, layer in model.layers.named_children():
        parallelize_module(layer, mesh, {
            "attention_norm": SequenceParallel(),
            "attention": PrepareModuleInput(
                input_layouts=(Shard(1), None), desired_input_layouts=(Replicate(), None)),
            "attention.wq": ColwiseParallel(),
            "attention.wk": ColwiseParallel(),
            "attention.wv": ColwiseParallel(),
            "attention.wo": RowwiseParallel(output_layouts=Shard(1)),
            "ffn_norm": SequenceParallel(),
            "feed_forward": PrepareModuleInput(
                input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),)),
            "feed_forward.w1": ColwiseParallel(),
            "feed_forward.w3": ColwiseParallel(),
            "feed_forward.w2": RowwiseParallel(output_layouts=Shard(1)),
        })


def compile_layers(model):
    for _, layer in model.layers.named_children():
        layer.compile()


@torch.compile
def cross_entropy(logits, labels):
    """Compiled, for it would copy all logits to 32 bits otherwise."""
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1).float(), labels.flatten())


def shard(model, mesh):
    options = {
        "mesh": mesh["dp_shard"],
        "mp_policy": MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32),
        "reshard_after_forward": False,  # ZeRO 3; a pipeline gathers once per step, not once per micro-batch
    }
    for _, layer in model.layers.named_children():
        fully_shard(layer, **options)
    return fully_shard(model, **options)


def parallelize(model, mesh):
    """Tensor parallelism, recomputation, compilation, FSDP: each wraps what the one before made."""
    tensor_parallel(model, mesh["tp"])
    compile_layers(model)
    return shard(model, mesh)


LAYERS_PER_STAGE = [20, 20, 20, 20]


def stage_model(model, index):
    """The layers of one stage; a forward() that skips what is None runs each part."""
    part = copy.deepcopy(model)
    first = sum(LAYERS_PER_STAGE[:index])
    layers = list(part.layers.named_children())[first:first + LAYERS_PER_STAGE[index]]
    part.layers = torch.nn.ModuleDict(layers)
    if index > 0:
        part.tok_embeddings = None
    if index < len(LAYERS_PER_STAGE) - 1:
        part.norm = part.output = None
    return part


def build_pipeline(model, mesh, loss_fn=cross_entropy):
    """Returns the schedule and this rank's parts of the model.

    model: built under torch.device("meta"). Call to_empty() on the parts, then initialise or load their
    weights. schedule.step() runs forward and backward passes of ACCUMULATION micro-batches.
    """
    device = torch.device("cuda", torch.cuda.current_device())
    group = mesh["pp"].get_group()
    stages, parts = [], []
    for index in range(mesh["pp"].get_local_rank(), len(LAYERS_PER_STAGE), mesh["pp"].size()):
        part = parallelize(stage_model(model, index), mesh)
        parts.append(part)
        stages.append(PipelineStage(part, index, len(LAYERS_PER_STAGE), device, group=group))
    schedule = Schedule1F1B(stages[0], n_microbatches=ACCUMULATION, loss_fn=loss_fn)
    return schedule, torch.nn.ModuleList(parts)


def make_optimizer(model):
    parameters = [p for p in model.parameters() if p.requires_grad]
    return torch.optim.AdamW(parameters, lr=1.5e-4, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1, fused=True)


def clip_gradients(model, mesh, limit=1.0):
    """Clips by the norm over all ranks: of each mesh's shards, of the meshes, of the stages."""
    groups = {}
    for parameter in model.parameters():
        if parameter.grad is not None:
            groups.setdefault(parameter.grad.device_mesh, []).append(parameter.grad)
    square = sum(torch.nn.utils.get_total_norm(grads).full_tensor() ** 2 for grads in groups.values())
    dist.all_reduce(square, group=mesh["pp"].get_group())
    scale = torch.clamp(limit / (square.sqrt() + 1e-6), max=1.0)
    for grads in groups.values():
        for grad in grads:
            grad.mul_(scale)


def train_step(schedule, model, optimizer, mesh, tokens, labels):
    """tokens and labels: MICRO_BATCH * ACCUMULATION sequences."""
    rank, last = mesh["pp"].get_local_rank(), mesh["pp"].size() - 1
    inputs = (tokens,) if rank == 0 else ()
    target = labels if rank == last else None
    schedule.step(*inputs, target=target)
    clip_gradients(model, mesh)
    optimizer.step()
    optimizer.zero_grad()


def start():
    """Call this first; then parallelize the model on the mesh that it returns."""
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    if dist.get_world_size() != WORLD_SIZE:
        raise RuntimeError(f"this strategy is for {WORLD_SIZE} GPUs, not {dist.get_world_size()}")
    return build_mesh()
