# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands for TRL and Accelerate, which Debian does not have: what an exported script hands to the
trainers of answers and of pairs, trained in plain PyTorch with the FSDP that accelerate.yaml says. Of
one process SHARDWISE_RANKS times as many micro-batches make the same step."""
import copy
import math
import os
import pathlib

import torch
import torch.distributed as dist
import yaml
from torch import nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint


class Config:
    def __init__(self, **named):
        unknown = named.keys() - self.FIELDS
        if unknown:
            raise TypeError(f"unexpected arguments {sorted(unknown)}")
        vars(self).update(named)

    FIELDS = set("""output_dir per_device_train_batch_size gradient_accumulation_steps max_steps warmup_steps
learning_rate lr_scheduler_type max_grad_norm optim bf16 fp16 max_length gradient_checkpointing
gradient_checkpointing_kwargs logging_steps save_steps report_to""".split())


class SFTConfig(Config):
    FIELDS = Config.FIELDS | {"packing", "packing_strategy"}


class DPOConfig(Config):
    FIELDS = Config.FIELDS | {"loss_type"}


def recomputed(model):
    """Each layer runs forward again in its backward pass."""
    for layer in model.model.layers:
        layer.forward = (lambda inner: lambda *given, **named: checkpoint(
            inner, *given, use_reentrant=False, **named))(layer.forward)


class Trainer:
    def __init__(self, model, args, train_dataset, processing_class, peft_config=None):
        self.model, self.args, self.tokens = model, args, processing_class
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.parts = int(os.environ.get("SHARDWISE_RANKS", "1"))
        if peft_config is not None:
            import peft
            peft.inject_adapter_in_model(peft_config, model)
        self.before = {name: p.detach().clone() for name, p in model.named_parameters() if p.requires_grad}
        self.prepare(train_dataset)
        file = pathlib.Path("accelerate.yaml")
        self.plan = yaml.safe_load(file.read_text()) if self.parts == 1 else {}
        assert self.plan.get("num_processes", self.world) == self.world, "another number of processes"
        self.fsdp = self.plan.get("fsdp_config", {})
        if self.args.gradient_checkpointing or self.fsdp.get("fsdp_activation_checkpointing"):
            recomputed(model)
        self.model = self.shard(model)
        self.trained = [p for p in self.model.parameters() if p.requires_grad]

    def shard(self, model):
        if not self.fsdp:
            return model
        layers = list(model.model.layers)
        if self.fsdp["fsdp_version"] == 2:
            from torch.distributed.fsdp import fully_shard
            for module in [*layers, model]:
                fully_shard(module, reshard_after_forward=self.fsdp["fsdp_reshard_after_forward"])
            return model
        from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy
        from torch.distributed.fsdp.wrap import ModuleWrapPolicy
        return FullyShardedDataParallel(
            model, use_orig_params=True,
            sharding_strategy=ShardingStrategy[self.fsdp["fsdp_sharding_strategy"]],
            auto_wrap_policy=ModuleWrapPolicy({type(layers[0])}), device_id=torch.device("cpu"))

    def rate(self, step):
        warm, steps = max(self.args.warmup_steps, 1), self.args.max_steps
        if step < warm:
            return (step + 1) / (warm + 1)
        return 0.5 * (1 + math.cos(math.pi * (step - warm) / max(steps - warm, 1)))

    def train(self):
        args = self.args
        assert args.optim == "adamw_torch_fused" and args.lr_scheduler_type == "cosine"
        optimizer = torch.optim.AdamW(self.trained, lr=args.learning_rate, weight_decay=0)
        micro, count = args.per_device_train_batch_size, args.gradient_accumulation_steps * self.parts
        for step in range(args.max_steps):
            for group in optimizer.param_groups:
                group["lr"] = args.learning_rate * self.rate(step)
            for part in range(count):
                first = ((step * count + part) * self.world + self.rank) * micro
                (self.loss(range(first, first + micro)) / count).backward()
            if not self.fsdp:
                for p in self.trained:
                    dist.all_reduce(p.grad)
                    p.grad /= self.world
            clip = getattr(self.model, "clip_grad_norm_", None)
            self.norm = clip(args.max_grad_norm) if clip else nn.utils.clip_grad_norm_(
                self.trained, args.max_grad_norm)
            optimizer.step()
            optimizer.zero_grad()

    def save_model(self):
        whole = get_model_state_dict(self.model, options=StateDictOptions(full_state_dict=True))
        if self.rank == 0:
            after = {name: whole[name] for name in self.before}
            torch.save((self.before, after, float(self.norm)), os.environ["SHARDWISE_SAVE"])

    def logits(self, model, tokens):
        places = torch.arange(tokens.shape[1]).expand_as(tokens)
        return model(input_ids=tokens, position_ids=places).logits

    def ids(self, text):
        return self.tokens(text)["input_ids"]


class SFTTrainer(Trainer):
    def prepare(self, rows):
        """Packed: all answers one after the other, cut by length."""
        assert self.args.packing
        ids = [i for row in rows for i in self.ids(row["prompt"] + row["completion"]) + [95]]
        size = self.args.max_length
        self.rows = [torch.tensor(ids[at:at + size]) for at in range(0, len(ids) - size, size)]

    def loss(self, indices):
        tokens = torch.stack([self.rows[i] for i in indices])
        logits = self.logits(self.model, tokens)[:, :-1]
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


class DPOTrainer(Trainer):
    def prepare(self, rows):
        """Pairs of one length each: an answer begins after a prompt of half of it."""
        size = self.args.max_length
        self.rows = [[torch.tensor((self.ids(row["prompt"]) * size)[:size // 2]
                                   + (self.ids(row[which]) * size)[:size - size // 2])
                      for which in ("chosen", "rejected")] for row in rows]
        self.reference = copy.deepcopy(self.model).requires_grad_(False)

    def scores(self, model, tokens):
        known = F.log_softmax(self.logits(model, tokens)[:, :-1], -1)
        known = known.gather(-1, tokens[:, 1:, None])[..., 0]
        return known[:, tokens.shape[1] // 2 - 1:].sum(-1)

    def loss(self, indices):
        tokens = torch.stack([self.rows[i][which] for which in (0, 1) for i in indices])
        with torch.no_grad():
            usual = self.scores(self.reference, tokens)
        more = (self.scores(self.model, tokens) - usual).chunk(2)
        return -F.logsigmoid(0.1 * (more[0] - more[1])).mean()
