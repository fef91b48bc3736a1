/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-memory-parts.h"

#include <glib/gi18n.h>

static const struct {
  ShardwiseColor color;
  const char *name;
} parts[SW_N_PARTS] = {
  [SW_PART_PARAMETERS] = { SHARDWISE_COLOR_PARAMETERS, N_ ("Parameters") },
  [SW_PART_GRADIENTS] = { SHARDWISE_COLOR_GRADIENTS, N_ ("Gradients") },
  [SW_PART_OPTIMIZER] = { SHARDWISE_COLOR_OPTIMIZER, N_ ("Optimizer") },
  [SW_PART_ACTIVATIONS] = { SHARDWISE_COLOR_ACTIVATIONS, N_ ("Activations") },
  [SW_PART_LOGITS] = { SHARDWISE_COLOR_LOGITS, N_ ("Logits") },
  [SW_PART_BUFFERS] = { SHARDWISE_COLOR_BUFFERS, N_ ("Buffers") },
  [SW_PART_FRAMEWORK] = { SHARDWISE_COLOR_OTHER, N_ ("Framework") },
};

/**
 * shardwise_memory_part_color:
 * @part: of the memory of a GPU
 *
 * Returns: its colour on every chart
 */
ShardwiseColor
shardwise_memory_part_color (SwMemoryPart part)
{
  return parts[part].color;
}

/**
 * shardwise_memory_part_name:
 * @part: of the memory of a GPU
 *
 * Returns: (transfer none): its translated name
 */
const char *
shardwise_memory_part_name (SwMemoryPart part)
{
  return _ (parts[part].name);
}
