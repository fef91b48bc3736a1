# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands for DeepSpeed, which Debian does not have. It takes a configuration by DeepSpeed's
documented rules (batch sizes, sections, ZeRO, optimizers), and a step as the sum over the replicas
that it says. States are whole on each process: how they are sharded changes no result. Pipelines
and tensor parallelism are computed whole, too, but for what their stages do not share; the part of
a sequence is computed with those of the other processes. run-exports takes DeepSpeed itself
instead, where SHARDWISE_DEEPSPEED names its folder."""
import contextlib
import json
import math
import types

import torch
import torch.distributed as dist

SECTIONS = {
    "bf16": {"enabled"},
    "fp16": {"enabled", "loss_scale", "initial_scale_power", "loss_scale_window", "hysteresis",
             "min_loss_scale"},
    "data_types": {"grad_accum_dtype"},
    "optimizer": {"type", "params"},
    "scheduler": {"type", "params"},
    "zero_optimization": {
        "stage", "overlap_comm", "contiguous_gradients", "reduce_scatter", "reduce_bucket_size",
        "allgather_bucket_size", "stage3_gather_16bit_weights_on_model_save", "mics_shard_size",
        "offload_optimizer", "offload_param"},
    "activation_checkpointing": {
        "partition_activations", "cpu_checkpointing", "contiguous_memory_optimization",
        "synchronize_checkpoint_boundary"},
    "pipeline": {"activation_checkpoint_interval", "pipe_partitioned", "grad_partitioned"},
    "tensor_parallel": {"autotp_size", "preset_model", "tp_overlap_comm"},
    "expert_parallel": {"enabled", "autoep_size", "preset_model"},
}
PLAIN = {"train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps",
         "data_parallel_size", "sequence_parallel_size", "steps_per_print", "gradient_clipping",
         "zero_allow_untested_optimizer", "wall_clock_breakdown"}


def init_distributed():
    if not dist.is_initialized():
        dist.init_process_group("gloo")


def once(pairs):
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key stands twice")
    return dict(pairs)


def read(config, replicas, pipeline):
    """The configuration, whose sections are there, by the rules of DeepSpeed's page."""
    with open(config) as file:
        values = json.load(file, object_pairs_hook=once)
    for name, value in values.items():
        known = SECTIONS.get(name, set()) if isinstance(value, dict) else PLAIN
        wrong = set(value) - known if isinstance(value, dict) else {name} - known
        if wrong:
            raise ValueError(f"unknown: {sorted(wrong)} of {name}")
    for name in SECTIONS:
        values.setdefault(name, {})
    micro = values["train_micro_batch_size_per_gpu"]
    whole = micro * values["gradient_accumulation_steps"] * replicas
    if values.get("train_batch_size", whole) != whole:
        raise ValueError(f"train_batch_size is not {whole}: {replicas} replicas of {micro}")
    zero, half = values["zero_optimization"], None
    stage, offload = zero.get("stage", 0), zero.get("offload_optimizer", {}).get("device", "none")
    kinds = {"bf16": torch.bfloat16, "fp16": torch.float16}
    for name, kind in kinds.items():
        if values[name].get("enabled"):
            if half:
                raise ValueError("bf16 and fp16")
            half = kind
    values["half"], sums = half, values["data_types"].get("grad_accum_dtype")
    if stage == 0 and half and sums == "fp32":
        raise ValueError("gradients of another type than the model's need ZeRO")
    if pipeline and stage > 1:
        raise ValueError("a pipeline with ZeRO 2 or 3")
    if offload != "none" and stage == 0 or "offload_param" in zero and stage < 3:
        raise ValueError(f"offload with ZeRO {stage}")
    if offload != "none" and values["optimizer"].get("type", "AdamW") != "AdamW":
        raise ValueError("the optimizer on the host is AdamW")
    if stage > 0 and values["optimizer"].get("type") != "AdamW" \
            and not values.get("zero_allow_untested_optimizer"):
        raise ValueError("ZeRO with an optimizer that DeepSpeed has not tested")
    return values


class Lion(torch.optim.Optimizer):
    """Chen et al. 2023, algorithm 2."""

    def __init__(self, parameters, lr, betas, weight_decay):
        super().__init__(parameters, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            one, two = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                mean = self.state[p].setdefault("exp_avg", torch.zeros_like(p))
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.sub_((mean * one + p.grad * (1 - one)).sign(), alpha=group["lr"])
                mean.mul_(two).add_(p.grad, alpha=1 - two)


def make_optimizer(section, parameters):
    kinds = {"AdamW": torch.optim.AdamW, "SGD": torch.optim.SGD, "Lion": Lion}
    return kinds[section["type"]](parameters, **section["params"])


def rate(section, step):
    """The share of the learning rate of WarmupCosineLR, which begins with the first step's end."""
    values, step = section["params"], step - 1
    rise = max(2, values["warmup_num_steps"])
    if step < rise:
        if values.get("warmup_type", "log") == "linear":
            return max(step, 0) / rise
        return math.log(step + 1) / math.log(rise) if step > 0 else 0
    done = min(1, (step - rise + 1) / max(1, values["total_num_steps"] - rise))
    low = values["cos_min_ratio"]
    return low + (1 - low) * (1 + math.cos(math.pi * done)) / 2


class Engine:
    def __init__(self, model, parameters, values, optimizer, replicas):
        self.module, self.values, self.micro_steps, self.steps = model, values, 0, 0
        self.accumulation = values["gradient_accumulation_steps"]
        self.parameters = list(parameters)
        # Where arithmetic has 16 bits, the optimizer's copy has 32, as its gradients do.
        self.half = values["half"]
        self.master = [p.detach().to(self.half).float() if self.half else p for p in self.parameters]
        self.optimizer = optimizer or make_optimizer(values["optimizer"], self.master)
        self.rates = [group["lr"] for group in self.optimizer.param_groups]
        if self.half:
            model.to(self.half)
        self.sums = [torch.zeros_like(p) for p in self.master]

    def train(self):
        self.module.train()

    def __call__(self, **arguments):
        return self.module(**arguments)

    def backward(self, loss):
        (loss / self.accumulation).backward()
        for p, total in zip(self.parameters, self.sums):
            total += p.grad.float()
            p.grad = None

    def step(self):
        self.micro_steps += 1
        if self.micro_steps % self.accumulation:
            return
        for p, total in zip(self.master, self.sums):
            dist.all_reduce(total)
            p.grad = total / dist.get_world_size()
            total.zero_()
        share = rate(self.values["scheduler"], self.steps)
        for group, whole in zip(self.optimizer.param_groups, self.rates):
            group["lr"] = whole * share
        if self.values["gradient_clipping"]:
            torch.nn.utils.clip_grad_norm_(self.master, self.values["gradient_clipping"])
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.steps += 1
        if self.half:
            for p, whole in zip(self.parameters, self.master):
                p.data.copy_(whole)

    def save_checkpoint(self, place):
        names = {id(p): name for name, p in self.module.named_parameters()}
        weights = {names[id(p)]: m.detach() for p, m in zip(self.parameters, self.master)}
        if dist.get_rank() == 0:
            torch.save(weights, f"{place}.pt")


def initialize(model, model_parameters, config, optimizer=None, mpu=None, training_data=None):
    from .pipe import PipelineEngine, PipelineModule

    init_distributed()
    pipeline, ranks = isinstance(model, PipelineModule), dist.get_world_size()
    replicas = model.topology.data if pipeline else ranks // mpu.size if mpu else ranks
    values = read(config, replicas, pipeline)
    if values.get("sequence_parallel_size", 1) * values.get("data_parallel_size", ranks) != ranks:
        raise ValueError("the mesh is not that of the processes")
    kind = PipelineEngine if pipeline else Engine
    engine = kind(model, model_parameters, values, optimizer, replicas)
    return engine, engine.optimizer, None, None


zero = types.SimpleNamespace(
    MiCS_Init=lambda config_dict_or_path: contextlib.nullcontext())
