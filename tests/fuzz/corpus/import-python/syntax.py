#!/usr/bin/env python3
from __future__ import annotations
import os, torch.distributed as dist
from torch.distributed.fsdp import (FullyShardedDataParallel as FSDP,
    ShardingStrategy, CPUOffload)
a: int = 0x1F; b = c = 1_000 ** -2 // 3 % 7 @ x
MICRO_BATCH, (d, *e) = 2, (3, [4, 5])
s = rb'\x00' f"{a!r:>{b}} {{}} {x['y']}" """ three
lines \""" """
o = {"mesh": dist.init_device_mesh("cuda", (2, MICRO_BATCH * 2), mesh_dim_names=("dp", "tp")), **z}
t = [i for i in range(3) if i not in (1, 2)], {k: v for k, v in o.items()}, {1, 2}
@decorator(key=lambda *x, y=1: (x or not y) if x is not y else ...)
async def f[T](p, /, q: list[int] = None, *args, r=8, **kw) -> "T":
    global g
    async with a as b, c(1)[::2, ...] as d.e: await f; return (yield x)
    try: raise X(1) from None
    except* (A, B) as err: del a[0], b.c
    else: assert a <= b < c, "why"
    finally: pass
    while (n := 3) and not a: continue
    match p:
        case [1, *_] | {"k": v} if v: tp = 4
        case _: tp = 8
    a += 1; a.b["c"].d = FSDP(m, device_mesh=o["mesh"], **o)
class C(Base, metaclass=M): x: int = 3
if os.environ.get("X", "8") == "8": \
    y = 5
FSDP(m, sharding_strategy=ShardingStrategy.HYBRID_SHARD, cpu_offload=CPUOffload(offload_params=True))
