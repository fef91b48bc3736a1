import os

import torch
import torch.distributed as dist
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    checkpoint_wrapper,
)
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
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
ACCUMULATION = 8  # micro-batches of one optimizer step
SEQUENCE_LENGTH = 8192
GLOBAL_BATCH = 128  # MICRO_BATCH * ACCUMULATION * 4 replicas


def build_mesh():
    mesh = init_device_mesh(
        "cuda",
        (4, 8),
        mesh_dim_names=("dp_shard", "tp"),
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


def wrap(layer):
    layer = checkpoint_wrapper(layer, preserve_rng_state=False)
    return layer


def recompute(model):
    for name, layer in list(model.layers.named_children()):
        model.layers.register_module(name, wrap(layer))


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
        "reshard_after_forward": True,  # ZeRO 3
    }
    for _, layer in model.layers.named_children():
        fully_shard(layer, **options)
    return fully_shard(model, **options)


def parallelize(model, mesh):
    """Tensor parallelism, recomputation, compilation, FSDP: each wraps what the one before made."""
    tensor_parallel(model, mesh["tp"])
    recompute(model)
    compile_layers(model)
    return shard(model, mesh)


def make_optimizer(model):
    parameters = [p for p in model.parameters() if p.requires_grad]
    return torch.optim.AdamW(parameters, lr=1.5e-4, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1, fused=True)


def clip_gradients(model, limit=1.0):
    """Clips by the norm over all ranks: of each mesh's shards, of the meshes, of the stages."""
    groups = {}
    for parameter in model.parameters():
        if parameter.grad is not None:
            groups.setdefault(parameter.grad.device_mesh, []).append(parameter.grad)
    square = sum(torch.nn.utils.get_total_norm(grads).full_tensor() ** 2 for grads in groups.values())
    scale = torch.clamp(limit / (square.sqrt() + 1e-6), max=1.0)
    for grads in groups.values():
        for grad in grads:
            grad.mul_(scale)


def train_step(model, optimizer, mesh, micro_batches, loss_fn=cross_entropy):
    """micro_batches: ACCUMULATION pairs of tokens and labels, MICRO_BATCH sequences each."""
    for tokens, labels in micro_batches:
        loss = loss_fn(model(tokens), labels) / ACCUMULATION
        loss.backward()
    clip_gradients(model)
    optimizer.step()
    optimizer.zero_grad()


def start():
    """Call this first; then parallelize the model on the mesh that it returns."""
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    if dist.get_world_size() != WORLD_SIZE:
        raise RuntimeError(f"this strategy is for {WORLD_SIZE} GPUs, not {dist.get_world_size()}")
    return build_mesh()
