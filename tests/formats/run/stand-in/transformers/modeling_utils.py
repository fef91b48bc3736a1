# SPDX-License-Identifier: GPL-3.0-or-later
"""The attention of all models, which others may replace."""
from torch import nn
from torch.nn import functional as F


class PreTrainedModel(nn.Module):
    pass


def sdpa(module, query, key, value, attention_mask, **kwargs):
    key, value = (x.repeat_interleave(module.num_key_value_groups, dim=1) for x in (key, value))
    mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=attention_mask,
                                           is_causal=attention_mask is None)
    return mixed.transpose(1, 2).contiguous(), None


ALL_ATTENTION_FUNCTIONS = {"sdpa": sdpa}
