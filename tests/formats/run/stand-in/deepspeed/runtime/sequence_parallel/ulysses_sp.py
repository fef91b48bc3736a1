# SPDX-License-Identifier: GPL-3.0-or-later
"""Each process computes the whole sequence, of which it was given a part, and returns its part."""
import types

import torch
import torch.distributed as dist


class UlyssesSPAttentionHF:
    @staticmethod
    def register_with_transformers(model_name_or_path, core_attn_implementation,
                                   sequence_parallel_size, micro_batch_size, seq_length,
                                   seq_length_is_variable):
        size, config = sequence_parallel_size, model_name_or_path.config
        if config.num_attention_heads % size or seq_length % size:
            raise ValueError("heads and sequence have to be divisible")
        heads = config.num_key_value_heads
        if heads % size and size % heads:
            raise ValueError("heads of keys and values have to be divisible, or to divide")
        groups = [dist.new_group(range(first, first + size))
                  for first in range(0, dist.get_world_size(), size)]
        group, place = groups[dist.get_rank() // size], dist.get_rank() % size

        def gather(module, arguments, options):
            for name in ("input_ids", "position_ids"):
                part = options[name]
                if part.shape != (micro_batch_size, seq_length // size):
                    raise ValueError(f"{name} is not a part of the sequence")
                parts = [torch.empty_like(part) for _ in range(size)]
                dist.all_gather(parts, part, group=group)
                options[name] = torch.cat(parts, dim=1)
            return arguments, options

        def own(module, arguments, output):
            output["logits"] = output["logits"].chunk(size, dim=1)[place]
            return output

        model_name_or_path.register_forward_pre_hook(gather, with_kwargs=True)
        model_name_or_path.register_forward_hook(own)
        return types.SimpleNamespace(size=size)
