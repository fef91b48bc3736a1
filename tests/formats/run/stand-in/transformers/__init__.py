# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands for Hugging Face's transformers, which Debian does not have: a decoder in plain PyTorch
with its module names and ways of calling, a configuration, and a tokenizer of characters."""
import json
from collections import OrderedDict

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils import _pytree as pytree

from .modeling_utils import ALL_ATTENTION_FUNCTIONS, PreTrainedModel


class Config:
    def __init__(self, model_type, **values):
        self.model_type = model_type
        self._attn_implementation = "sdpa"
        for name, value in values.items():
            setattr(self, name, value)

    def get_text_config(self):
        return self


class AutoConfig:
    @staticmethod
    def from_pretrained(name):
        with open(f"{name}/config.json") as file:
            model = json.load(file)
        return Config("llama", num_hidden_layers=model["layers"],
                      num_attention_heads=model["attention_heads"],
                      num_key_value_heads=model["kv_heads"], attention_bias=False,
                      tie_word_embeddings=model["tied_embeddings"], rope_theta=10000,
                      **{name: model[name] for name in ("hidden_size", "intermediate_size",
                                                        "head_dim", "vocab_size")})

    @staticmethod
    def for_model(model_type, **values):
        return Config(model_type, **values)


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        scaled = x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * scaled.to(x.dtype)


class RotaryEmbedding(nn.Module):
    def __init__(self, config):
        super().__init__()
        power = torch.arange(0, config.head_dim, 2, device="cpu") / config.head_dim
        self.register_buffer("inv_freq", (1 / config.rope_theta**power).to(torch.empty(0).device),
                             persistent=False)

    def forward(self, x, position_ids):
        angles = position_ids[:, :, None].float() * self.inv_freq
        angles = torch.cat((angles, angles), dim=-1)
        return angles.cos().to(x.dtype), angles.sin().to(x.dtype)


def rotate(x, cos, sin):
    half = x.shape[-1] // 2
    turned = torch.cat((-x[..., half:], x[..., :half]), dim=-1)
    return x * cos.unsqueeze(1) + turned * sin.unsqueeze(1)


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.head_dim = config.head_dim
        self.num_key_value_groups = config.num_attention_heads // config.num_key_value_heads
        wide, narrow = config.num_attention_heads * config.head_dim, config.num_key_value_heads * config.head_dim
        bias = config.attention_bias
        self.q_proj = nn.Linear(config.hidden_size, wide, bias=bias)
        self.k_proj = nn.Linear(config.hidden_size, narrow, bias=bias)
        self.v_proj = nn.Linear(config.hidden_size, narrow, bias=bias)
        self.o_proj = nn.Linear(wide, config.hidden_size, bias=False)
        self.q_norm = self.k_norm = None
        if config.model_type == "qwen3":
            self.q_norm, self.k_norm = Norm(config.head_dim), Norm(config.head_dim)

    def forward(self, hidden_states, position_embeddings, attention_mask, **kwargs):
        shape = hidden_states.shape[:-1]
        query, key, value = (
            projection(hidden_states).view(*shape, -1, self.head_dim)
            for projection in (self.q_proj, self.k_proj, self.v_proj)
        )
        if self.q_norm is not None:
            query, key = self.q_norm(query), self.k_norm(key)
        query, key, value = (x.transpose(1, 2) for x in (query, key, value))
        query, key = rotate(query, *position_embeddings), rotate(key, *position_embeddings)
        mixed, _ = ALL_ATTENTION_FUNCTIONS["sdpa"](self, query, key, value, attention_mask, **kwargs)
        return self.o_proj(mixed.reshape(*shape, -1)), None


class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class DecoderLayer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.self_attn = Attention(config)
        self.mlp = MLP(config)
        self.input_layernorm = Norm(config.hidden_size)
        self.post_attention_layernorm = Norm(config.hidden_size)

    def forward(self, hidden_states, **kwargs):
        attended, _ = self.self_attn(hidden_states=self.input_layernorm(hidden_states), **kwargs)
        hidden_states = hidden_states + attended
        return hidden_states + self.mlp(self.post_attention_layernorm(hidden_states))


class Model(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(config.num_hidden_layers))
        self.norm = Norm(config.hidden_size)
        self.rotary_emb = RotaryEmbedding(config)

    def forward(self, input_ids, inputs_embeds, position_ids, use_cache):
        if (input_ids is None) == (inputs_embeds is None) or use_cache:
            raise ValueError("either tokens or states, and no cache")
        states = self.embed_tokens(input_ids) if inputs_embeds is None else inputs_embeds
        positions = self.rotary_emb(states, position_ids=position_ids)
        # A mask of a part of a sequence would be wrong: transformers makes none for a whole one.
        mask = None
        if states.shape[1] != position_ids.shape[1]:
            mask = torch.ones(states.shape[1], states.shape[1], dtype=torch.bool).tril()
        for layer in self.layers[: self.config.num_hidden_layers]:
            states = layer(states, attention_mask=mask, position_ids=position_ids,
                           position_embeddings=positions, use_cache=use_cache)
        return self.norm(states)


class Output(OrderedDict):
    """A dictionary with members that PyTorch looks into, as transformers' outputs are."""

    @property
    def logits(self):
        return self["logits"]


pytree.register_pytree_node(
    Output,
    lambda output: (list(output.values()), list(output)),
    lambda values, names: Output(zip(names, values)),
)


class CausalLM(PreTrainedModel):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.model = Model(config)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        # Larger than usual: gradients are to be long enough to be clipped.
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.15)
        if config.tie_word_embeddings:
            self.lm_head.weight = self.model.embed_tokens.weight

    @property
    def base_model(self):
        return self.model

    def get_input_embeddings(self):
        return self.model.embed_tokens

    def get_output_embeddings(self):
        return self.lm_head

    def gradient_checkpointing_enable(self, gradient_checkpointing_kwargs=None):
        pass

    def forward(self, input_ids=None, inputs_embeds=None, position_ids=None, use_cache=False):
        states = self.model(input_ids, inputs_embeds, position_ids, use_cache)
        return Output(logits=self.lm_head(states))


class AutoModelForCausalLM:
    @staticmethod
    def from_config(config, attn_implementation):
        return CausalLM(config)

    @staticmethod
    def from_pretrained(name, attn_implementation, dtype=torch.float32):
        torch.manual_seed(1)
        return CausalLM(AutoConfig.from_pretrained(name))


class AutoTokenizer:
    eos_token_id = 95

    @staticmethod
    def from_pretrained(name):
        return AutoTokenizer()

    def __call__(self, text):
        return {"input_ids": [ord(c) % 95 for c in text]}
