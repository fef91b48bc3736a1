import copy
import os

import torch
import torch.distributed as dist
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    checkpoint_wrapper,
    offload_wrapper,
)
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.pipelining import PipelineStage, ScheduleInterleaved1F1B
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)
from torch.distributed.tensor.experimental import context_parallel
from torch.distributed.tensor.experimental._attention import set_rotate_method

WORLD_SIZE = 32
MICRO_BATCH = 1  # sequences
ACCUMULATION = 128  # micro-batches of one optimizer step
SEQUENCE_LENGTH = 8192
GLOBAL_BATCH = 128  # MICRO_BATCH * ACCUMULATION * 1 replicas
RECOMPUTED_LAYERS = 3  # of each rank, the first ones


def build_mesh():
    mesh = init_device_mesh(
        "cuda",
        (4, 1, 2, 4),
        mesh_dim_names=("pp", "dp_shard", "cp", "tp"),
    )
    mesh["dp_shard", "cp"]._flatten("dp_shard_cp")  # parameters are sharded over both
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


def wrap(layer):
    layer = checkpoint_wrapper(layer, preserve_rng_state=False)
    layer = offload_wrapper(layer)
    return layer


def recompute(model):
    for name, layer in list(model.layers.named_children())[:model.recomputed]:
        model.layers.register_module(name, wrap(layer))


def shard(model, mesh):
    options = {
        "mesh": mesh["dp_shard_cp"],
        "mp_policy": MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32),
        "reshard_after_forward": False,  # ZeRO 2
    }
    for _, layer in model.layers.named_children():
        fully_shard(layer, **options)
    return fully_shard(model, **options)


def parallelize(model, mesh):
    """Tensor parallelism, then recomputation, then FSDP: each wraps what the one before it made."""
    tensor_parallel(model, mesh["tp"])
    recompute(model)
    return shard(model, mesh)


LAYERS_PER_STAGE = [10, 10, 10, 10, 10, 10, 10, 10]


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
    # The first layers of a rank recompute, over all its stages.
    before = sum(LAYERS_PER_STAGE[index % 4:index:4])
    part.recomputed = max(0, RECOMPUTED_LAYERS - before)
    return part


def build_pipeline(model, mesh, loss_fn):
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
    schedule = ScheduleInterleaved1F1B(stages, n_microbatches=ACCUMULATION, loss_fn=loss_fn)
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
    set_rotate_method("alltoall")
    with context_parallel(
        mesh["cp"],
        buffers=[tokens, labels, *[part.freqs_cis for part in model]],  # split along the sequence
        buffer_seq_dims=[1, 1, *[0 for _ in model]],
        no_restore_buffers={tokens, labels},
    ):
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
