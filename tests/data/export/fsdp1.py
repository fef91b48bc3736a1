import os

import torch
import torch.distributed as dist
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    apply_activation_checkpointing,
    checkpoint_wrapper,
)
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import (
    BackwardPrefetch,
    FullyShardedDataParallel as FSDP,
    MixedPrecision,
    ShardingStrategy,
)
from torch.distributed.fsdp.wrap import ModuleWrapPolicy

WORLD_SIZE = 16
MICRO_BATCH = 4  # sequences
ACCUMULATION = 2  # micro-batches of one optimizer step
SEQUENCE_LENGTH = 8192
GLOBAL_BATCH = 128  # MICRO_BATCH * ACCUMULATION * 16 replicas


def build_mesh():
    mesh = init_device_mesh(
        "cuda",
        (16,),
        mesh_dim_names=("dp",),
    )
    return mesh


def layers_of(model):
    """The transformer layers: the first list of modules in a Hugging Face model."""
    return next(module for module in model.modules() if isinstance(module, torch.nn.ModuleList))


def wrap(layer):
    layer = checkpoint_wrapper(layer, preserve_rng_state=False)
    return layer


def recompute(model, layers):
    chosen = {id(layer) for layer in layers}
    apply_activation_checkpointing(
        model, checkpoint_wrapper_fn=wrap, check_fn=lambda module: id(module) in chosen)


def cross_entropy(logits, labels):
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1).float(), labels.flatten())


def shard(model, mesh):
    layer_types = {type(layer) for layer in layers_of(model)}
    return FSDP(
        model,
        device_mesh=mesh["dp"],
        sharding_strategy=ShardingStrategy.FULL_SHARD,
        auto_wrap_policy=ModuleWrapPolicy(layer_types),
        mixed_precision=MixedPrecision(
            param_dtype=torch.bfloat16,
            reduce_dtype=torch.float32,
            buffer_dtype=torch.bfloat16,
        ),
        backward_prefetch=BackwardPrefetch.BACKWARD_PRE,
        limit_all_gathers=True,
        use_orig_params=True,
        device_id=torch.cuda.current_device(),
        sync_module_states=True,  # from the first rank, which alone has the weights
        param_init_fn=lambda module: module.to_empty(device=torch.cuda.current_device(), recurse=False),
    )


def parallelize(model, mesh):
    """Tensor parallelism first, then FSDP; the layers recompute inside their shards."""
    layers = list(layers_of(model))
    model = shard(model, mesh)
    recompute(model, layers)
    model.compile()
    return model


def make_optimizer(model):
    parameters = [p for p in model.parameters() if p.requires_grad]
    return torch.optim.AdamW(parameters, lr=1.5e-4, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1, fused=True)


def positions_of(tokens):
    return torch.arange(tokens.shape[1], device=tokens.device).repeat(len(tokens), 1)


def train_step(model, optimizer, mesh, micro_batches):
    """micro_batches: ACCUMULATION pairs of tokens and labels, MICRO_BATCH sequences each."""
    total = 0
    for tokens, labels in micro_batches:
        positions = positions_of(tokens)
        output = model(input_ids=tokens, position_ids=positions, use_cache=False)
        loss = cross_entropy(output.logits, labels) / ACCUMULATION
        loss.backward()
        total += loss.detach()
    model.clip_grad_norm_(1.0)
    optimizer.step()
    optimizer.zero_grad()
    return total


def replica(mesh):
    """Which replica this rank is of, and of how many: each takes its own sequences."""
    return mesh["dp"].get_local_rank(), mesh["dp"].size()


def start():
    """Call this first; then parallelize the model on the mesh that it returns."""
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    if dist.get_world_size() != WORLD_SIZE:
        raise RuntimeError(f"this strategy is for {WORLD_SIZE} GPUs, not {dist.get_world_size()}")
    return build_mesh()
