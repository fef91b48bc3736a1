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


def layers_of(model):
    """The transformer layers: the first list of modules in a Hugging Face model."""
    return next(module for module in model.modules() if isinstance(module, torch.nn.ModuleList))


def drop_masks(model):
    """Attention is causal without a mask, which the model would make for a part of the sequence."""

    def without(module, args, kwargs):
        return args, kwargs | {"attention_mask": None}

    for name, module in model.named_modules():
        if name.endswith("self_attn"):
            module.register_forward_pre_hook(without, with_kwargs=True, prepend=True)


def tensor_parallel(model, mesh):
    parallelize_module(model, mesh, {
        "model.embed_tokens": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
        "model.norm": SequenceParallel(),
        "lm_head": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
    })
    for layer in layers_of(model):
        plan = {
            "self_attn": PrepareModuleInput(
                input_kwarg_layouts={"hidden_states": Shard(1)},
                desired_input_kwarg_layouts={"hidden_states": Replicate()}),
            "self_attn.q_proj": ColwiseParallel(),
            "self_attn.k_proj": ColwiseParallel(),
            "self_attn.v_proj": ColwiseParallel(),
            "self_attn.o_proj": RowwiseParallel(output_layouts=Shard(1)),
            "mlp": PrepareModuleInput(
                input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),)),
            "mlp.gate_proj": ColwiseParallel(),
            "mlp.up_proj": ColwiseParallel(),
            "mlp.down_proj": RowwiseParallel(output_layouts=Shard(1)),
        }
        plan |= {name: SequenceParallel(use_local_output=True) for name, _ in layer.named_children() if name.endswith("layernorm")}
        parallelize_module(layer, mesh, plan)


def wrap(layer):
    layer = checkpoint_wrapper(layer, preserve_rng_state=False)
    return layer


def recompute(model):
    layers = layers_of(model)
    for index, layer in enumerate(list(layers)):
        layers[index] = wrap(layer)


def compile_layers(model):
    for layer in layers_of(model):
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
    for layer in layers_of(model):
        fully_shard(layer, **options)
    return fully_shard(model, **options)


def named_tensors(model):
    """What this rank has of parameters and buffers, by its name in the whole model."""
    for part in [model]:
        for name, tensor in [*part.named_parameters(), *part.named_buffers()]:
            name = name.replace("_checkpoint_wrapped_module.", "")
            yield name, tensor


def parallelize(model, mesh):
    """Tensor parallelism, recomputation, compilation, FSDP: each wraps what the one before made."""
    drop_masks(model)
    tensor_parallel(model, mesh["tp"])
    recompute(model)
    compile_layers(model)
    return shard(model, mesh)


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
    scale = torch.clamp(limit / (square.sqrt() + 1e-6), max=1.0)
    for grads in groups.values():
        for grad in grads:
            grad.mul_(scale)


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
    clip_gradients(model, mesh)
    optimizer.step()
    optimizer.zero_grad()
    return total


def replica(mesh):
    """Which replica this rank is of, and of how many: each takes its own sequences."""
    return mesh["dp_shard"].get_local_rank(), mesh["dp_shard"].size()


def start():
    """Call this first; then parallelize the model on the mesh that it returns."""
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    if dist.get_world_size() != WORLD_SIZE:
        raise RuntimeError(f"this strategy is for {WORLD_SIZE} GPUs, not {dist.get_world_size()}")
    return build_mesh()
