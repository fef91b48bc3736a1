import copy
import inspect
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
    plan = {
        "model.model.embed_tokens": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
        "model.model.norm": SequenceParallel(),
        "model.lm_head": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
    }
    there = dict(model.named_modules())
    plan = {name: style for name, style in plan.items() if hasattr(there.get(name), "weight")}
    parallelize_module(model, mesh, plan)
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
        "reshard_after_forward": False,  # ZeRO 3; a pipeline gathers once per step, not once per micro-batch
    }
    for layer in layers_of(model):
        fully_shard(layer, **options)
    return fully_shard(model, **options)


def named_tensors(model):
    """What this rank has of parameters and buffers, by its name in the whole model."""
    for part in model:
        for name, tensor in [*part.named_parameters(), *part.named_buffers()]:
            name = name.replace("_checkpoint_wrapped_module.", "")
            yield part.whole_name(name), tensor


def parallelize(model, mesh):
    """Tensor parallelism, recomputation, compilation, FSDP: each wraps what the one before made."""
    drop_masks(model)
    tensor_parallel(model, mesh["tp"])
    compile_layers(model)
    return shard(model, mesh)


LAYERS_PER_STAGE = [20, 20, 20, 20]


class Own(torch.autograd.Function):
    """The same values in a tensor of its own: the schedule detaches the output in place, which a view is not for."""

    @staticmethod
    def forward(ctx, tensor):
        return tensor.detach()

    @staticmethod
    def backward(ctx, grad):
        return grad


class Stage(torch.nn.Module):
    """The layers of one stage, run by the model's own forward()."""

    def __init__(self, model, index):
        super().__init__()
        self.model = copy.deepcopy(model)
        self.first_layer = sum(LAYERS_PER_STAGE[:index])
        last = self.first_layer + LAYERS_PER_STAGE[index]
        base = self.model.base_model
        base.layers = base.layers[self.first_layer:last]
        base.config.num_hidden_layers = LAYERS_PER_STAGE[index]
        if getattr(base.config, "layer_types", None):
            base.config.layer_types = base.config.layer_types[self.first_layer:last]
        if index > 0:
            base.embed_tokens = None
        if index < len(LAYERS_PER_STAGE) - 1:
            base.norm = self.model.lm_head = torch.nn.Identity()

    def forward(self, states, position_ids):
        name = "inputs_embeds" if states.is_floating_point() else "input_ids"
        output = self.model(**{name: states}, position_ids=position_ids, use_cache=False)
        return Own.apply(output.logits)

    def whole_name(self, name):
        """What a parameter of this stage is called in the whole model."""
        parts = name.removeprefix("model.").split(".")
        if "layers" in parts:
            place = parts.index("layers") + 1
            parts[place] = str(int(parts[place]) + self.first_layer)
        return ".".join(parts)


def build_pipeline(model, mesh):
    """Returns the schedule and this rank's stages of the model, which was made under torch.device("meta")."""
    device = torch.device("cuda", torch.cuda.current_device())
    group = mesh["pp"].get_group()
    stages, parts = [], []
    for index in range(mesh["pp"].get_local_rank(), len(LAYERS_PER_STAGE), mesh["pp"].size()):
        part = parallelize(Stage(model, index), mesh)
        parts.append(part)
        stages.append(PipelineStage(part, index, len(LAYERS_PER_STAGE), device, group=group))
    options = {"n_microbatches": ACCUMULATION, "loss_fn": micro_loss}
    if "scale_grads" in inspect.signature(Schedule1F1B).parameters:  # PyTorch 2.7 and later
        options["scale_grads"] = False
    schedule = Schedule1F1B(stages[0], **options)
    return schedule, torch.nn.ModuleList(parts)


def micro_loss(logits, labels):
    """What a micro-batch adds to the loss of the step: the schedule sums gradients."""
    return cross_entropy(logits, labels) / ACCUMULATION


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


def positions_of(tokens):
    return torch.arange(tokens.shape[1], device=tokens.device).repeat(len(tokens), 1)


def train_step(schedule, model, optimizer, mesh, tokens, labels):
    """tokens and labels: MICRO_BATCH * ACCUMULATION sequences. The last stage returns the loss."""
    rank, last = mesh["pp"].get_local_rank(), mesh["pp"].size() - 1
    positions = positions_of(tokens)
    losses = []
    inputs = (tokens,) if rank == 0 else ()
    target = labels if rank == last else None
    schedule.step(*inputs, target=target, losses=losses, position_ids=positions)
    total = sum(loss.detach() for loss in losses) if rank == last else None
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
