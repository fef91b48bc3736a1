#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures one transformer layer of a strategy, on the GPUs that it runs on.

Shardwise predicts a step layer by layer, and a layer kernel by kernel. This file runs one layer of
the open scenario as the advised strategy cuts it over the tensor- and context-parallel group of
one node, and writes one JSON, which Shardwise lays beside its prediction line by line: attention,
linear layers, experts, element-wise work, communication and recomputation, forward and backward,
the layer as a whole, and the memory that it keeps and needs.

It needs PyTorch 2.1 or newer and nothing else, and runs on CUDA, on ROCm, and on CPUs (which tests
the file and says little of training). Each of these writes shardwise-step-probe.json:

    python3 shardwise-step-probe.py                                   # a layer on one GPU
    torchrun --standalone --nproc-per-node 8 shardwise-step-probe.py  # of tp x cp = 8 GPUs

How to read the file: from "communication" on the layer is written down as frameworks have it, in
plain PyTorch, each of its parts by Layer.part(), which can list them; "measuring" times the whole
and then the parts. Probe.time() repeats each and records what fails, after which the rest goes on.
Left out are the all-to-all of experts, dropout, and arithmetic of 8 bits.
"""
import argparse
import datetime
import json
import os
import re
import statistics
import sys
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

FORMAT, VERSION = "shardwise-step-probe", 1

# The layer to measure; Shardwise writes it here. Sizes are those of the whole layer, except for
# experts: there they are those of one rank. 1 is yes, 0 is no.
LAYER = {"hidden_size": 1024, "intermediate_size": 4096, "attention_heads": 16, "kv_heads": 16,
         "head_size": 64, "gated": 1, "rotary": 1, "rms_norm": 1,
         "experts": 0, "top_k": 0, "expert_size": 0, "shared_size": 0,
         "kv_lora_rank": 0, "q_lora_rank": 0, "nope_size": 0, "rope_size": 0, "value_size": 64,
         "tokens": 2048, "sequences": 1, "tp": 1, "cp": 1, "etp": 1,
         "sequence_parallel": 0, "ring": 0, "ulysses": 0, "fused": 0,
         "recompute_layer": 0, "recompute_operators": 0, "recompute_core": 0, "recompute_norms": 0,
         "recompute_up": 0, "recompute_mlp": 0, "recompute_experts": 0, "recompute_activation": 0,
         "recompute_shared": 0}
FRAMEWORK = "fsdp2"

FEWEST, MOST = 5, 50    # repeats of a measurement
MEMORY_SHARE = 0.7      # of the free memory that one measurement may take
CPU_TOKENS = 256        # cap where there is no GPU
GIB = 1 << 30


# @shared: the machine


# @shared: timing


# ---- communication ----------------------------------------------------------------------------

def make_group(machine, size, stride):
    """This process's group of so many ranks, so far apart; all groups work at once."""
    mine = None
    for block in range(0, machine.world, size * stride):
        for offset in range(stride):
            ranks = [block + offset + i * stride for i in range(size)]
            group = dist.new_group(ranks) if size > 1 else None
            if machine.rank in ranks:
                mine = Group(group, ranks, ranks.index(machine.rank))
    return mine


class Group:
    """Ranks that share a layer. Tensors are cut, and joined again, along their first dimension."""

    def __init__(self, group, ranks, place):
        self.group, self.ranks, self.place, self.size = group, ranks, place, len(ranks)

    def gather(self, x):
        out = x.new_empty((x.shape[0] * self.size, *x.shape[1:]))
        dist.all_gather_into_tensor(out, x.contiguous(), group=self.group)
        return out

    def scatter(self, x):
        """The sum over all ranks, of which each keeps its part."""
        if not x.is_cuda:  # gloo knows no reduce-scatter
            return self.reduce(x).chunk(self.size)[self.place].clone()
        out = x.new_empty((x.shape[0] // self.size, *x.shape[1:]))
        dist.reduce_scatter_tensor(out, x.contiguous(), group=self.group)
        return out

    def reduce(self, x):
        out = x.clone()
        dist.all_reduce(out, group=self.group)
        return out

    def exchange(self, x):
        """The first part goes to the first rank, the second to the second, and so on."""
        out = torch.empty_like(x)
        dist.all_to_all_single(out, x.contiguous(), group=self.group)
        return out

    def turn(self, x, step):
        """Passes x on to the next rank (step 1) or to the one before (-1)."""
        x, out = x.contiguous(), torch.empty_like(x)
        target = self.ranks[(self.place + step) % self.size]
        source = self.ranks[(self.place - step) % self.size]
        for request in dist.batch_isend_irecv([dist.P2POp(dist.isend, x, target, self.group),
                                               dist.P2POp(dist.irecv, out, source, self.group)]):
            request.wait()
        return out


class Both(torch.autograd.Function):
    """A collective whose gradient is another one: both are functions of a tensor."""

    @staticmethod
    def forward(ctx, x, there, back):
        ctx.back = back
        return there(x)

    @staticmethod
    def backward(ctx, gradient):
        return ctx.back(gradient), None, None


class GatheredLinear(torch.autograd.Function):
    """A linear layer whose input is gathered from the ranks that share the sequence.

    Only this rank's part of the input is kept; it is gathered again for the weight's gradient. This
    is sequence parallelism as Megatron-LM has it. Without a weight it is communication alone.
    """

    @staticmethod
    def forward(ctx, x, weight, group):
        ctx.group = group
        ctx.save_for_backward(x, weight)
        whole = group.gather(x)
        return whole if weight is None else F.linear(whole, weight)

    @staticmethod
    def backward(ctx, gradient):
        x, weight = ctx.saved_tensors
        of_weight = None
        if weight is None or ctx.needs_input_grad[1]:
            whole = ctx.group.gather(x)
            if weight is not None:
                of_weight = gradient.flatten(0, -2).t() @ whole.flatten(0, -2)
        of_x = ctx.group.scatter(gradient if weight is None else gradient @ weight)
        return of_x, of_weight, None


# ---- the layer's pieces -----------------------------------------------------------------------

def rms_norm(x, weight):
    """As models of Hugging Face write it: in 32 bits, kernel by kernel."""
    y = x.float()
    y = y * torch.rsqrt(y.square().mean(-1, keepdim=True) + 1e-5)
    return weight * y.to(x.dtype)


def rotate(x, cos, sin):
    """Rotary position embedding of [tokens, sequences, heads, size]."""
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat((-second, first), -1) * sin


def gated(x):
    gate, up = x.chunk(2, -1)
    return F.silu(gate) * up


def attend(q, k, v, causal):
    """Attention of [tokens, sequences, heads, size]; keys of several heads of queries are one's.
    Flash kernels want values as wide as keys, which those of latent attention are not."""
    q, k, v = (x.permute(1, 2, 0, 3) for x in (q, k, v))
    k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], 1) for x in (k, v))
    out = F.scaled_dot_product_attention(q, k, F.pad(v, (0, q.shape[-1] - v.shape[-1])),
                                         is_causal=causal)
    return out[..., :v.shape[-1]].permute(2, 0, 1, 3)


def save_some(context, operator, *arguments, **options):
    """TorchTitan's policy: attention and every second matrix product are kept."""
    from torch.utils.checkpoint import CheckpointPolicy as Policy
    is_product = str(operator) == "aten.mm.default"
    save_some.products += is_product
    kept = "attention" in str(operator) or (is_product and save_some.products % 2)
    return Policy.MUST_SAVE if kept else Policy.PREFER_RECOMPUTE


save_some.products = 0
KEPT = {}  # bytes by address, of what autograd keeps; see Steps.memory()


def note_kept(*values):
    KEPT.update((x.untyped_storage().data_ptr(), x.untyped_storage().nbytes())
                for x in values if isinstance(x, torch.Tensor))


# ---- the layer --------------------------------------------------------------------------------

class Layer:
    """One layer on one rank: [tokens, sequences, hidden] in and out.

    Matrices are cut over the tensor-parallel ranks as Megatron-LM cuts them: the first of a block
    by its columns, the last by its rows, and one collective before and after.
    """

    def __init__(self, machine, shape):
        self.machine, self.shape = machine, shape
        self.tensor = make_group(machine, shape["tp"], 1)
        self.context = make_group(machine, shape["cp"], shape["tp"])
        self.expert = make_group(machine, shape["etp"], 1)
        self.kind = torch.float32
        if machine.is_gpu:
            self.kind = torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
        self.weights, self.recomputes, self.parts = {}, True, None
        self.is_latent = shape["kv_lora_rank"] > 0
        self.heads = shape["attention_heads"] // shape["tp"]
        self.keys = self.heads if self.is_latent else max(shape["kv_heads"] // shape["tp"], 1)
        self.query_size = shape["head_size"] if not self.is_latent else (shape["nope_size"]
                                                                         + shape["rope_size"])
        self.local = shape["tokens"] // shape["cp"]  # tokens of this rank, before its tp group
        self.spread = shape["tp"] if shape["sequence_parallel"] else 1
        pieces = (rms_norm if shape["rms_norm"] else lambda x, w: F.layer_norm(x, w.shape, w),
                  gated if shape["gated"] else F.gelu, rotate)
        fuse = torch.compile if shape["fused"] and machine.is_gpu else (lambda function: function)
        self.norm, self.activation, self.rotate = (fuse(piece) for piece in pieces)
        self.make_weights()

    def tensor_of(self, *sizes):
        return torch.randn(*sizes, device=self.machine.device, dtype=self.kind).mul_(0.02)

    def weight(self, name, *sizes):
        self.weights[name] = self.tensor_of(*sizes).requires_grad_()

    def make_weights(self):
        s, gates = self.shape, 2 if self.shape["gated"] else 1
        hidden, tp = s["hidden_size"], s["tp"]
        self.weight("norm1", hidden)
        self.weight("norm2", hidden)
        if self.is_latent:
            self.weight("kv_down", s["kv_lora_rank"] + s["rope_size"], hidden)
            self.weight("kv_norm", s["kv_lora_rank"])
            self.weight("kv_up", self.heads * (s["nope_size"] + s["value_size"]), s["kv_lora_rank"])
            if s["q_lora_rank"]:
                self.weight("q_down", s["q_lora_rank"], hidden)
                self.weight("q_norm", s["q_lora_rank"])
            self.weight("q_up", self.heads * self.query_size, s["q_lora_rank"] or hidden)
        else:
            self.weight("qkv", (self.heads + 2 * self.keys) * s["head_size"], hidden)
        self.weight("out", hidden, self.heads * s["value_size"])
        width = s["shared_size"] if s["experts"] else s["intermediate_size"]
        if width:
            self.weight("up", gates * width // tp, hidden)
            self.weight("down", hidden, width // tp)
        if s["experts"]:
            width = s["expert_size"] // s["etp"]
            self.weight("router", s["experts"], hidden)
            self.weight("experts_up", s["experts"], hidden, gates * width)
            self.weight("experts_down", s["experts"], width, hidden)
        angles = torch.rand(self.local, 1, 1, s["rope_size"] or s["head_size"],
                            device=self.machine.device)
        self.cos, self.sin = angles.cos().to(self.kind), angles.sin().to(self.kind)

    def bytes_needed(self):
        """A generous bound: weights with gradients, activations, and those that run again."""
        s = self.shape
        wide = (4 * s["hidden_size"] + 6 * self.heads * self.query_size
                + 8 * (s["intermediate_size"] if not s["experts"] else s["shared_size"]) // s["tp"]
                + 8 * s["top_k"] * (s["expert_size"] + s["hidden_size"]))
        weights = sum(weight.numel() for weight in self.weights.values())
        return 8 * (weights + self.local * s["sequences"] * wide)

    def part(self, kind, function, *arguments):
        """Runs a part of the layer; while its parts are listed, it is taken down, too."""
        if self.parts is not None:
            own = [x.detach().requires_grad_(x.requires_grad) for x in arguments]
            self.parts.setdefault(kind, []).append((function, own))
        return function(*arguments)

    def again(self, flag, function, *arguments):
        """Keeps the arguments alone of what is computed again backward."""
        if not (self.recomputes and self.shape[flag]):
            return function(*arguments)
        note_kept(*arguments)
        policy = {}
        if flag == "recompute_operators":  # PyTorch 2.4 and newer
            from torch.utils.checkpoint import create_selective_checkpoint_contexts as contexts
            policy = {"context_fn": lambda: contexts(save_some)}
        return checkpoint(function, *arguments, use_reentrant=False, **policy)

    def enter(self, x, name=None):
        """The first linear layer of a block, with what must be sent for it; or the latter alone."""
        weight, group = self.weights.get(name), self.tensor
        if self.spread > 1 and self.parts is None:
            return GatheredLinear.apply(x, weight, group)
        if self.spread > 1:
            x = self.part("tensor-parallel", lambda y: GatheredLinear.apply(y, None, group), x)
        elif group.size > 1:
            x = self.part("tensor-parallel", lambda y: Both.apply(y, torch.clone, group.reduce), x)
        return x if weight is None else self.linear(x, name)

    def leave(self, x):
        """After the last linear layer of a block, of which every rank has a summand."""
        group = self.tensor
        if group.size == 1:
            return x
        pair = (group.scatter, group.gather) if self.spread > 1 else (group.reduce, torch.clone)
        return self.part("tensor-parallel", lambda y: Both.apply(y, *pair), x)

    def linear(self, x, name):
        return self.part("linear", F.linear, x, self.weights[name])

    def plain(self, function, *arguments):
        """Work that memory bounds."""
        return self.part("element-wise", function, *arguments)

    def project(self, x):
        """Queries, keys and values of this rank's heads."""
        if self.is_latent:
            return self.project_latent(x)
        parts = self.enter(x, "qkv").unflatten(-1, (-1, self.shape["head_size"]))
        q, k, v = parts.split((self.heads, self.keys, self.keys), 2)
        if self.shape["rotary"]:
            q, k = (self.plain(self.rotate, part, self.cos, self.sin) for part in (q, k))
        return q, k, v

    def project_latent(self, x):
        """Multi-head latent attention (DeepSeek-V2, section 2.1)."""
        s, weights, x = self.shape, self.weights, self.enter(x)
        latent, rope = self.linear(x, "kv_down").split((s["kv_lora_rank"], s["rope_size"]), -1)
        latent = self.plain(self.norm, latent, weights["kv_norm"])
        if s["q_lora_rank"]:
            x = self.plain(self.norm, self.linear(x, "q_down"), weights["q_norm"])
        return self.again("recompute_up", self.expand, x, latent, rope)

    def expand(self, query, latent, rope):
        s, sizes = self.shape, (self.shape["nope_size"], self.shape["value_size"])
        q = self.linear(query, "q_up").unflatten(-1, (-1, self.query_size))
        k, v = self.linear(latent, "kv_up").unflatten(-1, (-1, sum(sizes))).split(sizes, -1)

        def turn(q, k, rope):
            first, last = q.split((s["nope_size"], s["rope_size"]), -1)
            rope = self.rotate(rope[:, :, None], self.cos, self.sin).expand(-1, -1, self.heads, -1)
            return (torch.cat((first, self.rotate(last, self.cos, self.sin)), -1),
                    torch.cat((k, rope), -1))

        return *self.plain(turn, q, k, rope), v

    def swap(self, x, cut, join):
        """All-to-all: each rank gives parts of one dimension away and gets parts of another."""
        group = self.context
        parts = torch.stack(x.chunk(group.size, cut))
        return torch.cat(Both.apply(parts, group.exchange, group.exchange).unbind(), join)

    def turn(self, x):
        group = self.context
        return Both.apply(x, lambda y: group.turn(y, 1), lambda y: group.turn(y, -1))

    def send(self, q, k, v):
        """What context parallelism sends before attention."""
        if self.shape["ulysses"]:
            if self.keys % self.context.size:
                k, v = (x.repeat_interleave(self.heads // self.keys, 2) for x in (k, v))
            return tuple(self.swap(x, 2, 0) for x in (q, k, v))
        return q, *(Both.apply(x, self.context.gather, self.context.scatter) for x in (k, v))

    def pass_round(self, k, v):
        """What a ring sends in all, between the steps of attention."""
        for _ in range(self.context.size - 1):
            k, v = self.turn(k), self.turn(v)
        return k, v

    def core(self, q, k, v):
        """Attention itself. Every rank has an early and a late part of the sequence, so that all
        have as much to do: on the average half of all tokens are attended to."""
        s, group, half = self.shape, self.context, q.shape[0] // 2
        if group.size == 1 or s["ulysses"]:
            return attend(q, k, v, True)
        if not s["ring"]:  # keys and values of the whole sequence are there
            part = k.shape[0] // (2 * group.size)
            early, late = (group.place + 1) * part, k.shape[0] - group.place * part
            return torch.cat((attend(q[:half], k[:early], v[:early], False),
                              attend(q[half:], k[:late], v[:late], False)))
        out = attend(q, k, v, True)
        for _ in range(group.size - 1):
            if self.parts is None:  # else what is sent is a part of its own
                k, v = self.turn(k), self.turn(v)
            out = out + attend(q, k[:half], v[:half], False)  # the sum stands for merging
        return out

    def attention(self, x):
        y = self.again("recompute_norms", self.plain, self.norm, x, self.weights["norm1"])
        q, k, v = self.project(y)
        if self.context.size > 1 and not self.shape["ring"]:
            q, k, v = self.part("context-parallel", self.send, q, k, v)
        elif self.context.size > 1 and self.parts is not None:
            self.part("context-parallel", self.pass_round, k, v)
        out = self.again("recompute_core", self.part, "attention", self.core, q, k, v)
        if self.context.size > 1 and self.shape["ulysses"]:
            out = self.part("context-parallel", lambda y: self.swap(y, 0, 2), out)
        return self.plain(torch.add, x, self.leave(self.linear(out.flatten(-2), "out")))

    def mlp(self, x):
        y = self.plain(self.activation, self.enter(x, "up"))
        return self.leave(self.linear(y, "down"))

    def widen(self, rows, back=False):
        """Rows of all ranks that share experts; back: their sums, to each its own."""
        group = self.expert
        pair = (group.scatter, group.gather) if back else (group.gather, group.scatter)
        return self.part("tensor-parallel", lambda y: Both.apply(
            y.transpose(0, 1), *pair).transpose(0, 1), rows) if group.size > 1 else rows

    def experts(self, x):
        """Router, permutation, and this rank's experts, of which each has as many tokens. The ranks
        of a tensor-parallel group each route their part; experts that are cut gather all copies."""
        shape, group, x = x.shape, self.tensor, x.flatten(0, 1)
        count, top_k = self.shape["experts"], self.shape["top_k"]
        is_cut = self.spread == 1 and group.size > 1

        def own_part(y):
            return y.chunk(group.size)[group.place]

        def pick(x):
            return x[token].view(count, -1, x.shape[1])

        def unite(x, rows, scores):
            rows = rows.flatten(0, 1) * scores.float().softmax(-1).amax(-1)[token][:, None]
            return torch.zeros_like(x).index_add(0, token, rows.to(x.dtype))

        x = own_part(x) if is_cut else x
        copies = torch.arange(-(-x.shape[0] * top_k // count) * count, device=x.device)
        token = (copies.view(-1, count).t().flatten() // top_k).clamp(max=x.shape[0] - 1)
        scores = self.part("experts", F.linear, x, self.weights["router"])
        rows = self.widen(self.plain(pick, x))
        rows = self.part("experts", torch.bmm, rows, self.weights["experts_up"])
        rows = self.again("recompute_activation", self.plain, self.activation, rows)
        rows = self.widen(self.part("experts", torch.bmm, rows, self.weights["experts_down"]), True)
        out = self.plain(unite, x, rows, scores)
        return (Both.apply(out, group.gather, own_part) if is_cut else out).view(shape)

    def blocks(self, x):
        x = self.attention(x)
        y = self.again("recompute_norms", self.plain, self.norm, x, self.weights["norm2"])
        if not self.shape["experts"]:
            return self.plain(torch.add, x, self.again("recompute_mlp", self.mlp, y))
        out = self.again("recompute_experts", self.experts, y)
        if self.shape["shared_size"]:
            out = self.plain(torch.add, out, self.again("recompute_shared", self.mlp, y))
        return self.plain(torch.add, x, out)

    def __call__(self, x):
        by_operator = self.shape["recompute_operators"]
        return self.again("recompute_operators" if by_operator else "recompute_layer", self.blocks,
                          x)


# ---- measuring --------------------------------------------------------------------------------

class Steps:
    """The measurements of a layer."""

    def __init__(self, probe, layer):
        self.probe, self.layer = probe, layer
        shape = layer.shape
        self.x = layer.tensor_of(layer.local // layer.spread, shape["sequences"],
                                 shape["hidden_size"]).requires_grad_()

    def time(self, kind, which, make):
        self.probe.time(kind, {"pass": which}, make, needs=self.layer.bytes_needed(), together=True)
        return self.probe.results[-1]

    def difference(self, kind, which, more, less):
        """An entry for what one measurement takes beyond another."""
        entry = {"kind": kind, "pass": which, "failed": "less than the spread of the whole"}
        if "seconds" not in more or "seconds" not in less:
            entry["failed"] = more.get("failed") or less.get("failed")
        elif more["seconds"] > less["seconds"]:
            del entry["failed"]
            entry["seconds"] = more["seconds"] - less["seconds"]
            entry["spread"] = max(x["spread"] * x["seconds"]
                                  for x in (more, less)) / entry["seconds"]
        self.probe.results.append(entry)

    def both(self):
        """Seconds of the layer there and back, as a step has it."""
        wanted = [self.x, *self.layer.weights.values()]

        def work():
            out = self.layer(self.x)
            torch.autograd.grad(out, wanted, torch.ones_like(out), allow_unused=True)

        self.time("passes", "both", lambda: work)
        return self.probe.results.pop()

    def whole(self):
        """The layer, with what it computes again; and what that takes, by leaving it out."""
        shape = self.layer.shape
        forward = self.time("layer", "forward", lambda: lambda: self.layer(self.x))
        both = self.both()
        self.difference("layer", "backward", both, forward)
        if any(value for flag, value in shape.items() if flag.startswith("recompute")):
            self.layer.recomputes = False
            self.difference("recomputation", "backward", both, self.both())
            self.layer.recomputes = True

    def memory(self):
        """Bytes from forward to backward, and at the peak of the backward pass. Gradients of
        weights are left out: they belong to the optimizer's part of the memory."""
        layer = self.layer
        kept, peak = ({"failed": "needs a GPU's allocator"} for _ in range(2))
        KEPT.clear()
        try:
            if self.probe.machine.is_gpu:
                before = torch.cuda.memory_allocated()
                out = layer(self.x)  # the output stands for the input, which was there before
                kept = {"bytes": torch.cuda.memory_allocated() - before}
                torch.cuda.reset_peak_memory_stats()
                torch.autograd.grad(out, self.x, torch.ones_like(out))
                peak = {"bytes": torch.cuda.max_memory_allocated() - before}
            elif not layer.shape["recompute_operators"]:
                with torch.autograd.graph.saved_tensors_hooks(lambda y: note_kept(y) or y,
                                                              lambda y: y):
                    layer(self.x)
                for x in (*layer.weights.values(), layer.cos, layer.sin):
                    KEPT.pop(x.untyped_storage().data_ptr(), None)
                kept = {"bytes": sum(KEPT.values())}
        except Exception as error:
            kept = peak = {"failed": plain_reason(error)}
        self.probe.results += [{"kind": "kept", **kept}, {"kind": "peak", **peak}]

    def parts(self):
        """Each kind of part by itself: all of the layer's, one after the other."""
        layer = self.layer
        layer.recomputes, layer.parts = False, {}
        layer(self.x)
        for kind, parts in layer.parts.items():
            wanted = [x for _, inputs in parts for x in inputs if x.requires_grad]

            def forward():
                outputs = [function(*inputs) for function, inputs in parts]
                return [x for out in outputs for x in (out if isinstance(out, tuple) else (out,))]

            def make_backward():
                outputs = forward()
                gradients = [torch.ones_like(x) for x in outputs]
                return lambda: torch.autograd.grad(outputs, wanted, gradients, retain_graph=True,
                                                   allow_unused=True)

            self.time(kind, "forward", lambda: forward)
            self.time(kind, "backward", make_backward)


# ---- the whole --------------------------------------------------------------------------------

def main():
    parser = argparse.ArgumentParser(description="Measures a transformer layer for Shardwise.")
    parser.add_argument("--seconds", type=float, default=60, help="about how long; 60")
    parser.add_argument("--output", default="shardwise-step-probe.json", help="the file to write")
    arguments = parser.parse_args()
    machine, shape = Machine(), dict(LAYER)
    if machine.world % (shape["tp"] * shape["cp"]):
        sys.exit(f"{machine.world} processes; a multiple of tp x cp = {shape['tp']} x "
                 f"{shape['cp']} is needed: torchrun --nproc-per-node {shape['tp'] * shape['cp']}")
    if not machine.is_gpu:
        shape["tokens"] = min(shape["tokens"], CPU_TOKENS)
    probe = Probe(machine, arguments.seconds)
    machine.connect()
    torch.manual_seed(machine.rank)
    steps = Steps(probe, Layer(machine, shape))
    probe.share(1, 16)
    for section in (steps.whole, steps.memory, steps.parts):
        probe.say(section.__name__)
        try:
            section()
        except Exception as error:
            probe.results.append({"kind": "section", "title": section.__name__,
                                  "failed": plain_reason(error)})
        probe.write(arguments.output, {
            "format": FORMAT, "version": VERSION, "complete": section == steps.parts,
            "framework": FRAMEWORK, "layer": shape, "software": {"torch": torch.__version__}})
        if machine.world > 1:
            dist.barrier()
    if machine.world > 1:
        machine.leave()


if __name__ == "__main__":
    main()
