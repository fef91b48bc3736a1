/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-mcp-arguments.h"

G_BEGIN_DECLS

/* Tools for one job, or a comparison of a few. See the table in shardwise-mcp-tools.c. */
JsonObject *shardwise_mcp_advise (ShardwiseMcpCall *call, GError **error);
JsonObject *shardwise_mcp_estimate (ShardwiseMcpCall *call, GError **error);
JsonObject *shardwise_mcp_memory (ShardwiseMcpCall *call, GError **error);
JsonObject *shardwise_mcp_pipeline (ShardwiseMcpCall *call, GError **error);
JsonObject *shardwise_mcp_communication (ShardwiseMcpCall *call, GError **error);
JsonObject *shardwise_mcp_rules (ShardwiseMcpCall *call, GError **error);
JsonObject *shardwise_mcp_explain (ShardwiseMcpCall *call, GError **error);
JsonObject *shardwise_mcp_term (ShardwiseMcpCall *call, GError **error);
JsonObject *shardwise_mcp_compare (ShardwiseMcpCall *call, GError **error);
JsonObject *shardwise_mcp_what_if (ShardwiseMcpCall *call, GError **error);
JsonObject *shardwise_mcp_measured (ShardwiseMcpCall *call, GError **error);
JsonObject *shardwise_mcp_playbook (ShardwiseMcpCall *call, GError **error);

/* Parts of their output schemas. */
#define SHARDWISE_MCP_FIT                                                                          \
  "fit=fits|may-not-fit|does-not-fit level=measured|usual|untried rule:s why?:s warning?:s "
#define SHARDWISE_MCP_STRATEGY                                                                     \
  "strategy{text:s framework:s tp:i pp:i vpp:i dp:i cp:i ep:i zero_stage:i shard_group:i "         \
  "sequence_parallel:b micro_batch_size:i gradient_accumulation:i recompute:s schedule:s "         \
  "offload:s gpus_used:i gpus_idle:i} "
#define SHARDWISE_MCP_MEMORY                                                                       \
  "memory{total_gib:n low_gib:n high_gib:n usable_gib:n missing_gib:n parameters_gib:n "           \
  "gradients_gib:n optimizer_gib:n activations_gib:n logits_gib:n buffers_gib:n framework_gib:n "  \
  "host_gib_per_node:n} "
#define SHARDWISE_MCP_SPEED                                                                        \
  "step_s:n step_low_s:n step_high_s:n tokens_per_s:n tokens_per_s_low:n tokens_per_s_high:n "     \
  "tokens_per_s_per_gpu:n tflops_per_gpu:n mfu:n bubble_fraction:n communication_overhead:n "
#define SHARDWISE_MCP_ESTIMATE                                                                     \
  SHARDWISE_MCP_FIT SHARDWISE_MCP_STRATEGY SHARDWISE_MCP_MEMORY SHARDWISE_MCP_SPEED "sums[0]:s "
#define SHARDWISE_MCP_ROW                                                                          \
  "name:s " SHARDWISE_MCP_FIT "strategy{text:s framework:s} memory{total_gib:n low_gib:n "         \
  "high_gib:n usable_gib:n missing_gib:n activations_gib:n} " SHARDWISE_MCP_SPEED                  \
  "states:s communication[8]{group:s use:s collective:s? sent_gib:n exposed_s:n} "                 \
  "slower_by?:n "

G_END_DECLS
