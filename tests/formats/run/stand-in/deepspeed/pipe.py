# SPDX-License-Identifier: GPL-3.0-or-later
"""A pipeline that each process computes whole. Its stages have weights of their own, but for those
of TiedLayerSpec, whose gradients are summed."""
import copy
import re
import types

import torch
import torch.distributed as dist

from . import Engine


class LayerSpec:
    def __init__(self, typename, *arguments, **options):
        self.typename, self.arguments, self.options = typename, arguments, options


class TiedLayerSpec(LayerSpec):
    def __init__(self, key, typename, *arguments, forward_fn=None, tied_weight_attr="weight",
                 **options):
        super().__init__(typename, *arguments, **options)
        self.key, self.forward_fn = key, forward_fn


def stages_of(weights, stages):
    """The first layer of each stage, with as little weight as may be on the fullest."""
    best = max(sum(weights) // stages, 1)
    while True:
        starts, sum_ = [0], 0
        for index, weight in enumerate(weights):
            if sum_ + weight > best:
                starts.append(index)
                sum_ = 0
            sum_ += weight
        if len(starts) <= stages:
            return starts
        best += 1


class PipelineModule(torch.nn.Module):
    def __init__(self, layers, topology, loss_fn, partition_method, checkpointable_layers=None):
        super().__init__()
        self.topology, self.loss_fn, self.functions = topology, loss_fn, []
        if topology.size != dist.get_world_size():
            raise ValueError("the topology is not that of the processes")
        kinds = [getattr(x, "typename", type(x)).__name__ for x in layers]
        pattern = re.compile(partition_method.removeprefix("type:"), re.IGNORECASE)
        starts = stages_of([bool(pattern.search(kind)) for kind in kinds], topology.pipe)
        if len(starts) < topology.pipe:
            raise ValueError(f"stages begin at {starts} only")
        self.checkpointable, self.tied_modules = checkpointable_layers, torch.nn.ModuleDict()
        for first, end in zip(starts, starts[1:] + [len(layers)]):
            seen = {}  # a stage shares weights with itself only
            for index, layer in list(enumerate(layers))[first:end]:
                function = None
                if isinstance(layer, TiedLayerSpec):
                    key, function = layer.key, layer.forward_fn
                    if key not in self.tied_modules:
                        self.tied_modules[key] = layer.typename(*layer.arguments, **layer.options)
                    module = self.tied_modules[key]
                elif isinstance(layer, LayerSpec):
                    module = layer.typename(*layer.arguments, **layer.options)
                    self.add_module(str(index), module)
                else:
                    module = copy.deepcopy(layer, seen)
                    self.add_module(str(index), module)
                self.functions.append((module, function))

    def forward(self, states):
        for module, function in self.functions:
            states = function(module, states) if function else module(states)
        return states


class PipelineEngine(Engine):
    def __init__(self, model, *arguments):
        super().__init__(model, *arguments)
        recomputes = self.values["pipeline"].get("activation_checkpoint_interval", 0)
        if recomputes and not model.checkpointable:
            raise ValueError("the embedding would be recomputed, whose input has no gradient")
        place = dist.get_rank() // model.topology.model % model.topology.data
        self.grid = types.SimpleNamespace(get_data_parallel_id=lambda: place)

    def train_batch(self, data_iter):
        losses = []
        for _ in range(self.accumulation):
            tokens, labels = next(data_iter)
            losses.append(self.module.loss_fn(self.module(tokens), labels))
            self.backward(losses[-1])
            self.step()
        return torch.stack(losses).mean()
