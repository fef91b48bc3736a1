# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands for PEFT, which Debian does not have: adapters in place of linear layers."""
import torch
from torch import nn


class LoraConfig:
    def __init__(self, r, lora_alpha, target_modules, lora_dropout=0.0, task_type=None):
        assert lora_dropout == 0
        self.r, self.lora_alpha, self.target_modules = r, lora_alpha, target_modules


class LoraLinear(nn.Module):
    def __init__(self, base_layer, config):
        super().__init__()
        self.base_layer = base_layer
        options = {"bias": False, "device": base_layer.weight.device, "dtype": base_layer.weight.dtype}
        self.lora_A = nn.ModuleDict({"default": nn.Linear(base_layer.in_features, config.r, **options)})
        self.lora_B = nn.ModuleDict({"default": nn.Linear(config.r, base_layer.out_features, **options)})
        nn.init.zeros_(self.lora_B["default"].weight)
        self.scaling = config.lora_alpha / config.r

    def forward(self, x):
        down = self.lora_A["default"]
        added = self.lora_B["default"](down(x.to(down.weight.dtype)))
        return self.base_layer(x) + added.to(x.dtype) * self.scaling


def inject_adapter_in_model(config, model):
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            chosen = config.target_modules == "all-linear" or name in config.target_modules
            if isinstance(child, nn.Linear) and chosen and name != "lm_head":
                setattr(parent, name, LoraLinear(child, config))
    return model
