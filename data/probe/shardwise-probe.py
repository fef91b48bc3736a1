#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures what a training step is made of, on the machine that it runs on.

Shardwise predicts a step from constants: how fast matrices are multiplied, how fast memory is
copied, what a collective costs over NVLink or over the network. Those of its catalogue are means
over many machines. This file measures yours in two minutes and writes one JSON, which you open in
Shardwise (or drop on its window, or paste): it becomes a measured cluster.

It needs PyTorch 2.1 or newer and nothing else, and runs on CUDA, on ROCm, and on CPUs (which tests
the file and says little of training). Each of these writes shardwise-probe.json, the last from
anywhere that srun works:

    python3 shardwise-probe.py                                   # one GPU
    torchrun --standalone --nproc-per-node 8 shardwise-probe.py  # all GPUs of a node
    srun --nodes 2 --ntasks-per-node 8 --gpus-per-node 8 python3 shardwise-probe.py  # by Slurm

Measure on a quiet machine, and on the nodes that you will train on. `--quick` takes half a minute
and is less sure. The JSON holds no host names (unless you add --hosts) and no paths.

How to read the file: what is measured is listed in the sections from "Matrix products" on, one
function each. All of them hand a piece of work to Probe.time(), which runs it again and again and
records the median, how far the repeats spread, and what fails, after which the rest goes on.
"""
import argparse
import datetime
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F

FORMAT, VERSION = "shardwise-probe", 1

# The shapes of the open scenario come first; Shardwise writes them here. GEMMs are (rows, columns,
# inner dimension), attentions (sequences, heads, tokens, head size), groups (ranks, GPUs from one
# rank to the next).
SCENARIO = {"gemms": [], "attentions": [], "groups": []}
QUICK = False

# What everybody's models compute: square matrices, then the layers of an 8B model over 8,192
# tokens, and of a 70B one cut by eight.
GEMMS = [(4096, 4096, 4096), (8192, 8192, 8192), (8192, 6144, 4096), (8192, 28672, 4096),
         (8192, 4096, 14336), (8192, 7168, 8192), (8192, 8192, 3584), (4096, 14336, 8192)]
ATTENTIONS = [(1, 32, 4096, 128), (1, 32, 8192, 128), (2, 16, 2048, 64), (1, 8, 16384, 128)]
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
OPERATIONS = ["all-reduce", "all-gather", "reduce-scatter", "all-to-all", "p2p"]
MESSAGES = [256 * KIB, 2 * MIB, 16 * MIB, 64 * MIB, 256 * MIB]  # bytes of a collective's buffer
COPY_BYTES = 512 * MIB
FEWEST, MOST = 5, 200   # repeats of a measurement
MEMORY_SHARE = 0.5      # of the free memory that one measurement may take
CPU_GEMM, CPU_TOKENS, CPU_BYTES = 512, 256, 8 * MIB  # caps where there is no GPU


# ---- the machine ------------------------------------------------------------------------------

class Machine:
    """Where this process runs: its device, its rank and its node."""

    def __init__(self):
        # torchrun and srun use different variables for the rank of this process. A process that the
        # batch script itself starts is alone, whatever the job has.
        environment = os.environ
        self.rank = int(environment.get("RANK", environment.get("SLURM_PROCID", 0)))
        self.world = int(environment.get("WORLD_SIZE", environment.get("SLURM_STEP_NUM_TASKS", 1)))
        self.local_rank = int(environment.get("LOCAL_RANK", environment.get("SLURM_LOCALID", 0)))
        nodes = int(environment.get("SLURM_STEP_NUM_NODES", 1))
        self.per_node = int(environment.get("LOCAL_WORLD_SIZE", self.world // nodes))
        self.per_node = max(1, min(self.per_node, self.world))
        if torch.cuda.is_available():  # ROCm calls its devices cuda, too
            # A launcher may show each process its own GPU alone.
            torch.cuda.set_device(self.local_rank % torch.cuda.device_count())
            self.device = torch.device("cuda", torch.cuda.current_device())
            self.kind = "rocm" if torch.version.hip else "cuda"
        else:
            self.device = torch.device("cpu")
            self.kind = "cpu"
        self.is_gpu = self.kind != "cpu"

    def connect(self):
        """Joins the processes; one alone needs no communication."""
        if self.world == 1:
            return
        # Rank 0 is on the first node of Slurm's list: "gpu[03-07,9]", or "a,b".
        nodes = os.environ.get("SLURM_STEP_NODELIST", "127.0.0.1")
        os.environ.setdefault("MASTER_ADDR", "".join(re.match(r"([^[,]+)\[?(\w*)", nodes).groups()))
        os.environ.setdefault("MASTER_PORT", "29501")
        dist.init_process_group("nccl" if self.is_gpu else "gloo", rank=self.rank,
                                world_size=self.world, timeout=datetime.timedelta(seconds=120))

    def leave(self):
        """Closes the connections. Gloo's destructor can deadlock: it holds Python's lock while one
        of its threads needs that to free a tensor. So a CPU's process ends without it."""
        if self.is_gpu:
            dist.destroy_process_group()
            return
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)

    def synchronize(self):
        if self.is_gpu:
            torch.cuda.synchronize()

    def free_bytes(self):
        return torch.cuda.mem_get_info()[0] if self.is_gpu else 2 * GIB

    def describe(self):
        """What Shardwise finds the machine in its catalogue by."""
        out = {"kind": self.kind, "processes": self.world, "per_node": self.per_node,
               "nodes": -(-self.world // self.per_node)}
        if self.is_gpu:
            properties = torch.cuda.get_device_properties(self.device)
            out |= {"gpu": properties.name, "memory_gib": properties.total_memory / GIB,
                    "processors": properties.multi_processor_count,
                    "capability": f"{properties.major}.{properties.minor}"}
        else:
            out |= {"gpu": "CPU", "processors": torch.get_num_threads()}
        return out


# ---- its software -----------------------------------------------------------------------------

def local_peers(machine):
    """Whether the GPUs of this node reach each other's memory; None where only one is seen."""
    others = [i for i in range(torch.cuda.device_count()) if i != machine.device.index]
    if not others:
        return None
    return all(torch.cuda.can_device_access_peer(machine.device.index, i) for i in others)


def software(machine):
    out = {"python": platform.python_version(), "torch": torch.__version__,
           "cuda": torch.version.cuda, "hip": torch.version.hip, "nccl": None, "driver": None,
           "peer_access": local_peers(machine) if machine.is_gpu else None}
    try:
        if machine.is_gpu:
            out["nccl"] = ".".join(str(part) for part in torch.cuda.nccl.version())
    except Exception:  # a build without it
        pass
    out["driver"] = (nvidia_smi("driver_version", machine.local_rank) or [None])[0]
    # Only these say how NCCL may use the network; none holds a path or a name of a host.
    out["environment"] = {name: os.environ[name] for name in
                          ("NCCL_P2P_DISABLE", "NCCL_IB_DISABLE", "NCCL_NET_GDR_LEVEL",
                           "NCCL_ALGO", "NCCL_PROTO", "CUDA_DEVICE_MAX_CONNECTIONS")
                          if os.environ.get(name, "").isalnum()}
    return out


def nvidia_smi(fields, index):
    """Values of nvidia-smi's query as words; None where there is no such program."""
    if torch.version.hip or not shutil.which("nvidia-smi"):
        return None
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
    if index < len(visible) and visible[index]:  # nvidia-smi counts the hidden ones, too
        index = visible[index]
    try:
        line = subprocess.run(["nvidia-smi", f"--query-gpu={fields}", f"--id={index}",
                               "--format=csv,noheader,nounits"], capture_output=True, text=True,
                              timeout=10, check=True).stdout
        return [word.strip() for word in line.split(",")]
    except (OSError, subprocess.SubprocessError):
        return None


# ---- timing -----------------------------------------------------------------------------------

def plain_reason(error):
    """Why something failed, without paths and addresses."""
    line = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: " + re.sub(r"\S*[/\\\[@:]\S*", "…", line)[:120]


class Probe:
    """Runs measurements within a time, and keeps what they say."""

    def __init__(self, machine, seconds):
        self.machine = machine
        self.seconds = seconds
        self.begin = time.monotonic()
        self.results = []
        self.slice_s = 1.0

    def share(self, part, cases):
        """Each of so many `cases` may take its part of `part` of the time."""
        self.slice_s = self.seconds * part / max(cases, 1)

    def time(self, kind, what, make, flops=0, moved=0, needs=0, group=None, together=False):
        """Measures the work that make() returns a function for.

        flops and moved (bytes) are what the work does, so that rates can be told; needs is the
        memory that make() takes, at most. Where the ranks of a group work together every one must
        repeat as often, which rank 0 decides; the slowest counts.
        """
        entry = {"kind": kind, **what, "flops": flops, "bytes": moved, "bytes_held": needs}
        failed, work = None, None
        if needs > MEMORY_SHARE * self.machine.free_bytes():
            failed = "needs too much memory"
        else:
            try:
                work = make()
                work()
                self.machine.synchronize()
            except Exception as error:  # this one is recorded as failing, the rest goes on
                failed = plain_reason(error)
        if together and self.agree(failed is not None):
            failed = failed or "failed on another rank"
        if failed is None:
            try:
                samples = self.repeat(work, together)
                entry |= self.summary(samples, together)
            except Exception as error:
                failed = plain_reason(error)
        if failed is not None:
            entry["failed"] = failed
        self.results.append(entry)
        work = None
        if self.machine.is_gpu:
            torch.cuda.empty_cache()
        return entry.get("seconds")

    def agree(self, value):
        """Whether `value` is true on any rank."""
        flag = torch.tensor([int(value)], device=self.machine.device)
        if self.machine.world > 1:
            dist.all_reduce(flag, op=dist.ReduceOp.MAX)
        return bool(flag.item())

    def repeat(self, work, together):
        """Seconds of one run, several times.

        A GPU runs behind its host: many runs are queued between two events, so that what is
        measured is the GPU's time and not the host's.
        """
        once = max(self.timed(work, 1), 1e-7)
        inner = max(1, min(1000, int(0.02 / once))) if self.machine.is_gpu else 1
        late = time.monotonic() - self.begin > 1.5 * self.seconds  # then the rest is brief
        repeats = FEWEST if late else max(FEWEST, min(MOST, int(self.slice_s / (once * inner))))
        if together and self.machine.world > 1:
            counts = torch.tensor([inner, repeats], device=self.machine.device)
            dist.broadcast(counts, 0)
            inner, repeats = (int(count) for count in counts)
        return [self.timed(work, inner) for _ in range(repeats)]

    def timed(self, work, inner):
        if self.machine.is_gpu:
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            for _ in range(inner):
                work()
            end.record()
            torch.cuda.synchronize()
            return start.elapsed_time(end) / 1e3 / inner
        begin = time.perf_counter()
        for _ in range(inner):
            work()
        return (time.perf_counter() - begin) / inner

    def summary(self, samples, together):
        """The median, and half the distance between the quartiles as a share of it."""
        median = statistics.median(samples)
        quartiles = statistics.quantiles(samples, n=4)
        spread = (quartiles[2] - quartiles[0]) / 2 / median if median > 0 else 0
        if together and self.machine.world > 1:
            worst = torch.tensor([median, spread], dtype=torch.float32,
                                 device=self.machine.device)
            dist.all_reduce(worst, op=dist.ReduceOp.MAX)
            median, spread = (float(value) for value in worst)
        return {"seconds": median, "spread": spread, "repeats": len(samples)}

    def say(self, text):
        if self.machine.rank == 0:
            print(f"{time.monotonic() - self.begin:5.0f} s  {text}", file=sys.stderr, flush=True)

    def write(self, path, report):
        """Rank 0 writes; a probe that dies halfway leaves what it had."""
        if self.machine.rank != 0:
            return
        report |= {"date": datetime.date.today().isoformat(), "machine": self.machine.describe(),
                   "took_s": time.monotonic() - self.begin, "measurements": self.results}
        with open(path + ".part", "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1, allow_nan=False)
            file.write("\n")
        os.replace(path + ".part", path)
        if report["complete"]:
            failed = sum("failed" in entry for entry in self.results)
            self.say(f"wrote {path}: {len(self.results)} measurements, {failed} failed")


# ---- matrix products --------------------------------------------------------------------------

def unique(cases):
    return list(dict.fromkeys(tuple(case) for case in cases))


def gemm_cases(machine, quick):
    cases = unique([*SCENARIO["gemms"], *(GEMMS[:4] if quick else GEMMS)])
    if not machine.is_gpu:
        cases = unique(tuple(min(size, CPU_GEMM) for size in case) for case in cases)
    return cases


def make_gemm(machine, precision, m, n, k):
    """y[m, n] = x[m, k] w[k, n], as a linear layer computes it: the weight is kept as [n, k]."""
    if precision == "fp8":
        # AMD's GPUs before the MI350 have a format of their own.
        own = machine.kind == "rocm" and torch.cuda.get_device_capability() < (9, 5)
        kind = torch.float8_e4m3fnuz if own else torch.float8_e4m3fn
        x = torch.randn(m, k, device=machine.device).to(kind)
        w = torch.randn(n, k, device=machine.device).to(kind)
        one = torch.ones((), device=machine.device)
        return lambda: torch._scaled_mm(x, w.t(), scale_a=one, scale_b=one,
                                        out_dtype=torch.bfloat16)
    kind = {"bf16": torch.bfloat16, "fp16": torch.float16}[precision]
    x = torch.randn(m, k, device=machine.device, dtype=kind)
    w = torch.randn(n, k, device=machine.device, dtype=kind)
    out = torch.empty(m, n, device=machine.device, dtype=kind)
    return lambda: torch.mm(x, w.t(), out=out)


def measure_gemms(probe, quick):
    machine = probe.machine
    precisions = ["bf16", "fp16"] + (["fp8"] if hasattr(torch, "float8_e4m3fn") else [])
    cases = gemm_cases(machine, quick)
    probe.share(0.25, len(precisions) * len(cases))
    for precision in precisions:
        for m, n, k in cases:
            probe.time("gemm", {"precision": precision, "m": m, "n": n, "k": k},
                       lambda: make_gemm(machine, precision, m, n, k), flops=2 * m * n * k,
                       needs=4 * (m * k + n * k) + 2 * m * n)


# ---- attention --------------------------------------------------------------------------------

def make_attention(machine, backward, batch, heads, tokens, size):
    """Causal attention by PyTorch's own choice of kernel: flash where there is one."""
    kind = torch.bfloat16 if machine.is_gpu else torch.float32
    q, k, v = (torch.randn(batch, heads, tokens, size, device=machine.device, dtype=kind,
                           requires_grad=backward) for _ in range(3))
    if not backward:
        return lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True)
    out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    gradient = torch.randn_like(out)
    return lambda: torch.autograd.grad(out, (q, k, v), gradient, retain_graph=True)


def measure_attention(probe, quick):
    machine = probe.machine
    cases = unique([*SCENARIO["attentions"], *(ATTENTIONS[:2] if quick else ATTENTIONS)])
    if not machine.is_gpu:
        cases = unique((1, min(heads, 4), min(tokens, CPU_TOKENS), size)
                       for _, heads, tokens, size in cases)
    probe.share(0.1, 2 * len(cases))
    for batch, heads, tokens, size in cases:
        for backward in (False, True):
            # The mask leaves half of the square; backward has 2.5 times the products.
            probe.time("attention", {"pass": "backward" if backward else "forward",
                                     "sequences": batch, "heads": heads, "tokens": tokens,
                                     "head_size": size},
                       lambda: make_attention(machine, backward, batch, heads, tokens, size),
                       flops=2 * batch * heads * tokens ** 2 * size * (2.5 if backward else 1),
                       needs=20 * batch * heads * tokens * size)


# ---- memory -----------------------------------------------------------------------------------

def measure_memory(probe):
    """What memory bounds: copies, sums, norms and activation functions, and copies to the host."""
    machine = probe.machine
    size = COPY_BYTES if machine.is_gpu else CPU_BYTES
    rows, width = size // 2 // 4096, 4096

    def tensors(count):
        return [torch.ones(rows, width, device=machine.device, dtype=torch.bfloat16)
                for _ in range(count)]

    def copy():
        x, y = tensors(2)
        return lambda: y.copy_(x)

    def add():
        x, y, out = tensors(3)
        return lambda: torch.add(x, y, out=out)

    def norm():
        x, weight = tensors(1)[0], torch.ones(width, device=machine.device, dtype=torch.bfloat16)
        return lambda: F.layer_norm(x, (width,), weight)

    def activation():
        x = tensors(1)[0]
        return lambda: F.gelu(x)

    kernels = [("copy", copy, 2), ("add", add, 3), ("norm", norm, 2), ("activation", activation, 2)]
    probe.share(0.06, len(kernels) + 2)
    for name, make, passes in kernels:
        probe.time("memory", {"kernel": name}, make, moved=passes * size, needs=3 * size)
    if machine.is_gpu:
        measure_host_copies(probe, size)


def measure_host_copies(probe, size):
    """All GPUs of a node copy at once, as they do when they offload."""
    def make(to_host):
        host = torch.empty(size // 4, dtype=torch.float32, pin_memory=True)
        device = torch.empty(size // 4, dtype=torch.float32, device=probe.machine.device)
        source, target = (device, host) if to_host else (host, device)
        return lambda: target.copy_(source, non_blocking=True)

    for to_host in (False, True):
        probe.time("host-copy", {"direction": "to-host" if to_host else "to-device"},
                   lambda: make(to_host), moved=size, needs=size, together=True)


# ---- launches ---------------------------------------------------------------------------------

class Layer(torch.nn.Module):
    """A transformer layer as Hugging Face writes it: gated MLP, rotation left out."""

    def __init__(self, hidden, heads):
        super().__init__()
        self.heads = heads
        self.norms = torch.nn.ModuleList(torch.nn.LayerNorm(hidden) for _ in range(2))
        self.q, self.k, self.v, self.o = (torch.nn.Linear(hidden, hidden, bias=False)
                                          for _ in range(4))
        self.gate, self.up = (torch.nn.Linear(hidden, 2 * hidden, bias=False) for _ in range(2))
        self.down = torch.nn.Linear(2 * hidden, hidden, bias=False)

    def forward(self, x):
        batch, tokens, hidden = x.shape
        y = self.norms[0](x)
        q, k, v = (part(y).view(batch, tokens, self.heads, -1).transpose(1, 2)
                   for part in (self.q, self.k, self.v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(batch, tokens, hidden))
        y = self.norms[1](x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


def measure_launches(probe, quick):
    """What the host takes to launch a layer's kernels: the layer is so small that the GPU waits."""
    machine = probe.machine
    kind = torch.bfloat16 if machine.is_gpu else torch.float32

    def make(compiled, backward):
        layer = Layer(64, 2).to(machine.device, kind)
        x = torch.randn(1, 16, 64, device=machine.device, dtype=kind, requires_grad=True)
        call = torch.compile(layer) if compiled else layer
        if not backward:
            return lambda: call(x)
        call(x).sum().backward()  # compiles both passes
        return lambda: call(x).sum().backward()

    modes = [False] if quick or not machine.is_gpu else [False, True]
    probe.share(0.04, 2 * len(modes))
    for compiled in modes:
        for backward in (False, True):
            probe.time("launch", {"mode": "compiled" if compiled else "eager",
                                  "pass": "both" if backward else "forward"},
                       lambda: make(compiled, backward))


# ---- communication ----------------------------------------------------------------------------

def group_cases(machine):
    """Layouts: those of the strategy, then a node, the same GPU of each node, all, and pairs."""
    world, node = machine.world, machine.per_node
    cases = [*SCENARIO["groups"], (node, 1), (world, 1), (world // node, node), (2, 1)]
    if world > node:
        cases.append((2, node))
    return [(size, stride) for size, stride in unique(cases)
            if size > 1 and world % (size * stride) == 0]


def make_group(machine, size, stride):
    """This process's group among those of a layout; all of them work at once, as in training."""
    mine = None
    for block in range(0, machine.world, size * stride):
        for offset in range(stride):
            ranks = [block + offset + i * stride for i in range(size)]
            group = dist.new_group(ranks)
            if machine.rank in ranks:
                mine = group, ranks
    return mine


def make_collective(machine, operation, group, ranks, size):
    """`size` is what is reduced, gathered to, scattered from, or sent by one rank."""
    count, members = max(size // 4 // len(ranks), 1), len(ranks)
    whole = torch.ones(count * members, device=machine.device)
    part = torch.ones(count, device=machine.device)
    place = ranks.index(machine.rank)

    def exchange():
        # A ring: each sends to the next and receives from the one before.
        sends = dist.P2POp(dist.isend, whole, ranks[(place + 1) % members], group)
        receives = dist.P2POp(dist.irecv, received, ranks[place - 1], group)
        for request in dist.batch_isend_irecv([sends, receives]):
            request.wait()

    if operation == "all-reduce":
        return lambda: dist.all_reduce(whole, group=group)
    if operation == "all-gather":
        return lambda: dist.all_gather_into_tensor(whole, part, group=group)
    if operation == "reduce-scatter":
        return lambda: dist.reduce_scatter_tensor(part, whole, group=group)
    received = torch.empty_like(whole)
    if operation == "all-to-all":
        return lambda: dist.all_to_all_single(received, whole, group=group)
    return exchange


def used_outside(machine):
    """Bytes of the GPU that PyTorch's allocator does not know of: contexts and communicators."""
    free, total = torch.cuda.mem_get_info()
    return total - free - torch.cuda.memory_reserved()


def measure_communication(probe, quick):
    machine = probe.machine
    if machine.world == 1:
        return
    sizes = MESSAGES[1::2] if quick else MESSAGES
    if not machine.is_gpu:
        sizes = sorted({min(size, CPU_BYTES // 8) for size in sizes})
    groups = group_cases(machine)
    probe.share(0.3, len(OPERATIONS) * len(sizes) * len(groups))
    for members, stride in groups:
        before = used_outside(machine) if machine.is_gpu else 0
        group, ranks = make_group(machine, members, stride)
        for operation in OPERATIONS:
            for size in sizes:
                probe.time("collective", {"operation": operation, "ranks": members,
                                          "stride": stride},
                           lambda: make_collective(machine, operation, group, ranks, size),
                           moved=size, needs=2 * size, together=True)
        if machine.is_gpu:
            held = max(used_outside(machine) - before, 0)
            probe.results.append({"kind": "footprint", "of": "communicator", "ranks": members,
                                  "stride": stride, "bytes": held})


def measure_overlap(probe):
    """Both at once: what matrix products and a collective take from each other."""
    machine = probe.machine
    if machine.world == 1:
        return
    n, size = (8192, 256 * MIB) if machine.is_gpu else (CPU_GEMM, CPU_BYTES)
    side = torch.cuda.Stream() if machine.is_gpu else None
    group, ranks = make_group(machine, machine.world, 1)
    product = make_gemm(machine, "bf16", n, n, n)
    probe.share(0.06, 3 * len(OPERATIONS))
    for operation in OPERATIONS:
        send = make_collective(machine, operation, group, ranks, size)
        # As many products as take about as long as the collective.
        try:
            times = [min(probe.timed(work, 1) for _ in range(3)) for work in (product, send)]
        except Exception as error:  # a backend that does not have it
            probe.results.append({"kind": "overlap", "what": "both", "operation": operation,
                                  "failed": plain_reason(error)})
            continue
        count = torch.tensor([max(1, min(200, round(times[1] / times[0])))], device=machine.device)
        dist.broadcast(count, 0)

        def products(count=int(count)):
            for _ in range(count):
                product()

        def both():
            # A second stream lets the GPU do both; a CPU does one after the other.
            if side is not None:
                side.wait_stream(torch.cuda.current_stream())
                with torch.cuda.stream(side):
                    send()
            products()
            if side is not None:
                torch.cuda.current_stream().wait_stream(side)
            else:
                send()

        for name, work in (("compute", products), ("communication", send), ("both", both)):
            probe.time("overlap", {"what": name, "operation": operation}, lambda: work,
                       flops=2 * n ** 3 * int(count), moved=size, needs=2 * size, together=True)


# ---- load -------------------------------------------------------------------------------------

def sample_load(probe, work, seconds):
    """The rate of one product, second by second, with clocks and power where they can be read."""
    machine, samples = probe.machine, []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        begin, took = time.monotonic(), []
        while time.monotonic() - begin < min(1.0, seconds / 2):
            took.append(probe.timed(work, 10 if machine.is_gpu else 1))
        sample = {"at_s": time.monotonic() - probe.begin, "seconds": statistics.median(took)}
        words = nvidia_smi("clocks.sm,clocks.max.sm,power.draw,temperature.gpu",
                           machine.local_rank) or []
        for name, word in zip(("clock_mhz", "most_mhz", "power_w", "celsius"), words):
            try:
                sample[name] = float(word)
            except ValueError:  # "[N/A]"
                pass
        if not words and machine.is_gpu:  # ROCm, or no nvidia-smi: what PyTorch itself can read
            for name, read, unit in (("clock_mhz", "clock_rate", 1),
                                     ("power_w", "power_draw", 1e-3)):
                try:
                    sample[name] = getattr(torch.cuda, read)() * unit
                except Exception:
                    pass
        samples.append(sample)
    return samples


def measure_load(probe):
    """Power and heat slow a GPU down after a while: the same product, now and later."""
    n = 8192 if probe.machine.is_gpu else CPU_GEMM
    try:
        work = make_gemm(probe.machine, "bf16", n, n, n)
        work()
        samples = sample_load(probe, work, probe.seconds * 0.06)
        probe.results.append({"kind": "load", "flops": 2 * n ** 3, "samples": samples})
        return 2 * n ** 3 / statistics.median(sample["seconds"] for sample in samples)
    except Exception as error:
        probe.results.append({"kind": "load", "failed": plain_reason(error)})
        return None


def report_ranks(probe, rates, hosts):
    """One line for each rank: a slow GPU, or a slow node, holds up all others."""
    machine = probe.machine
    copies = [entry for entry in probe.results if entry["kind"] == "memory"
              and entry["kernel"] == "copy" and "seconds" in entry]
    mine = {"rank": machine.rank, "node": machine.rank // machine.per_node,
            "flops_per_s": rates[-1], "first_flops_per_s": rates[0],
            "copy_bytes_per_s": copies[0]["bytes"] / copies[0]["seconds"] if copies else None}
    if hosts:
        mine["host"] = platform.node()
    if machine.world == 1:
        return [mine]
    ranks = [None] * machine.world
    dist.all_gather_object(ranks, mine)
    return ranks


# ---- the whole --------------------------------------------------------------------------------

def parse():
    parser = argparse.ArgumentParser(description="Measures a cluster for Shardwise.")
    parser.add_argument("--quick", action="store_true", default=QUICK, help="half a minute")
    parser.add_argument("--seconds", type=float, help="how long, instead of 120 or 30")
    parser.add_argument("--output", default="shardwise-probe.json", help="the file to write")
    parser.add_argument("--hosts", action="store_true", help="write the names of the hosts, too")
    return parser.parse_args()


def main():
    arguments = parse()
    machine = Machine()
    probe = Probe(machine, arguments.seconds or (30 if arguments.quick else 120))
    if machine.is_gpu:
        torch.ones(1, device=machine.device)
        machine.synchronize()
        probe.results.append({"kind": "footprint", "of": "context",
                              "bytes": used_outside(machine)})
    machine.connect()
    torch.manual_seed(machine.rank)
    rates = [measure_load(probe)]

    def write(complete, ranks):
        probe.write(arguments.output, {
            "format": FORMAT, "version": VERSION, "complete": complete, "quick": arguments.quick,
            "software": software(machine), "ranks": ranks})

    sections = [("matrix products", lambda: measure_gemms(probe, arguments.quick)),
                ("attention", lambda: measure_attention(probe, arguments.quick)),
                ("memory", lambda: measure_memory(probe)),
                ("launches", lambda: measure_launches(probe, arguments.quick)),
                ("communication", lambda: measure_communication(probe, arguments.quick)),
                ("overlap", lambda: measure_overlap(probe))]
    for title, section in sections:
        probe.say(title)
        try:
            section()
        except Exception as error:
            probe.results.append({"kind": "section", "title": title,
                                  "failed": plain_reason(error)})
        write(False, [])
        if machine.world > 1:
            dist.barrier()
    rates.append(measure_load(probe))
    write(True, report_ranks(probe, rates, arguments.hosts))
    if machine.world > 1:
        dist.barrier()  # rank 0 writes the file; nobody closes connections before
        machine.leave()


if __name__ == "__main__":
    main()
