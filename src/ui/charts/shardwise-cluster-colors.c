/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-cluster-colors.h"

/**
 * shardwise_cluster_shade:
 * @strategy: how the GPUs are grouped
 * @rank: place of one GPU
 * @out: (out): its category and number
 */
void
shardwise_cluster_shade (const SwStrategy *strategy, const ShardwiseRank *rank,
                         ShardwiseClusterShade *out)
{
  if (strategy->pp > 1)
    *out = (ShardwiseClusterShade){ SHARDWISE_COLOR_PIPELINE, rank->pp, strategy->pp };
  else if (strategy->dp > 1)
    *out = (ShardwiseClusterShade){ SHARDWISE_COLOR_DATA, rank->dp, strategy->dp };
  else
    *out = (ShardwiseClusterShade){ SHARDWISE_COLOR_TENSOR, 0, 1 };
}

/**
 * shardwise_cluster_shade_color:
 * @shade: category and number
 * @dark: the colour scheme
 * @out: (out): an opaque colour
 *
 * Neighbouring numbers differ in lightness within the colour of their category; every fourth
 * repeats, as the number is written on the square too.
 */
void
shardwise_cluster_shade_color (const ShardwiseClusterShade *shade, gboolean dark, GdkRGBA *out)
{
  static const float steps[] = { 1.0f, 0.72f, 0.5f, 0.32f };
  float share = shade->count > 1 ? steps[shade->index % G_N_ELEMENTS (steps)] : 1,
        ground = (1 - share) * (dark ? 0.16f : 1);
  GdkRGBA color;

  shardwise_palette_get (shade->category, dark, &color);
  *out = (GdkRGBA){ color.red * share + ground, color.green * share + ground,
                    color.blue * share + ground, 1 };
}

/**
 * shardwise_cluster_group_color:
 * @groups: communicators that two GPUs share
 * @dark: the colour scheme
 * @out: (out): colour of the innermost of them
 */
void
shardwise_cluster_group_color (ShardwiseGroups groups, gboolean dark, GdkRGBA *out)
{
  static const struct {
    ShardwiseGroups group;
    ShardwiseColor color;
  } order[] = {
    { SHARDWISE_GROUP_TENSOR, SHARDWISE_COLOR_TENSOR },
    { SHARDWISE_GROUP_CONTEXT, SHARDWISE_COLOR_CONTEXT },
    { SHARDWISE_GROUP_PIPELINE, SHARDWISE_COLOR_PIPELINE },
    { SHARDWISE_GROUP_EXPERT, SHARDWISE_COLOR_EXPERT },
    { SHARDWISE_GROUP_DATA, SHARDWISE_COLOR_DATA },
  };

  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    if (groups & order[i].group)
      {
        shardwise_palette_get (order[i].color, dark, out);
        return;
      }
  shardwise_palette_text (dark, 1, out);
}
