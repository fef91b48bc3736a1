/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* A layer of Llama 3 8B over two GPUs, in the "measured" section of a cluster. */
#define MEASURED_LAYER                                                                             \
  "\"step\": {\"gpu\": \"NVIDIA H100 80GB HBM3\", \"framework\": \"megatron-core\", \"layer\": {"  \
  "\"hidden_size\": 4096, \"intermediate_size\": 14336, \"attention_heads\": 32, \"kv_heads\": "   \
  "8, \"head_size\": 128, \"gated\": 1, \"rotary\": 1, \"rms_norm\": 1, \"experts\": 0, "          \
  "\"top_k\": 0, \"expert_size\": 0, \"shared_size\": 0, \"kv_lora_rank\": 0, \"q_lora_rank\": "   \
  "0, \"nope_size\": 0, \"rope_size\": 0, \"value_size\": 128, \"tokens\": 8192, \"sequences\": "  \
  "1, \"tp\": 2, \"cp\": 1, \"etp\": 2, \"sequence_parallel\": 1, \"ring\": 0, \"ulysses\": 0, "   \
  "\"fused\": 1, \"recompute_layer\": 0, \"recompute_operators\": 0, \"recompute_core\": 0, "      \
  "\"recompute_norms\": 0, \"recompute_up\": 0, \"recompute_mlp\": 0, \"recompute_experts\": 0, "  \
  "\"recompute_activation\": 0, \"recompute_shared\": 0}, "                                        \
  "\"attention forward\": {\"value\": 0.001, \"spread\": 0.01}, "                                  \
  "\"tensor-parallel forward\": {\"value\": 0.01, \"spread\": 0.05}, "                             \
  "\"layer forward\": {\"value\": 0.005, \"spread\": 0.02}, "                                      \
  "\"kept\": {\"value\": 4e8, \"spread\": 0}}"
