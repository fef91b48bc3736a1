/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layers of each pipeline stage: the framework's own split if the layers divide evenly or it
 * supports no other, otherwise the split that exports set. */
#include "sw-split.h"

#include "sw-framework.h"

/* Remaining layers go to the first stages: DeepSpeed's partition_balanced(), TorchTitan's
 * generate_llm_fqn_per_model_part() with embedding and head as @ends layers each. */
static void
split_rest_first (SwSplit *split, guint ends)
{
  guint all = split->layers + 2 * ends, base = all / split->pp, rest = all % split->pp;

  split->first = base + MIN (rest, 1) - ends;
  split->last = base - ends;
  split->between = base;
  split->longer = rest > 0 ? rest - 1 : 0;
  split->longer_first = TRUE;
}

/* An end that costs as much as @end layers, more than one: the last stage has fewer layers, as many
 * as the slowest stage allows. */
static void
split_balanced (SwSplit *split, double end, gboolean longer_first)
{
  const gint64 layers = split->layers, others = split->pp - 1;
  const double each = (layers + end) / split->pp;
  const gint64 whole = (gint64) each, most = whole + (whole < each ? 1 : 0);
  const gint64 shorter = layers - (most - 1) * others;
  guint rest;

  /* With one layer less on the others, the last stage is the slowest, but the step may be
   * shorter. */
  if (shorter >= 1 && shorter + end < most)
    split->last = (guint) shorter;
  else
    split->last = most > end + 1 ? (guint) (most - end) : 1;
  split->between = (split->layers - split->last) / (guint) others;
  rest = (split->layers - split->last) % (guint) others;
  split->first = split->between + (longer_first && rest > 0 ? 1 : 0);
  split->longer = longer_first && rest > 0 ? rest - 1 : rest;
  split->longer_first = longer_first;
}

/**
 * sw_split:
 * @problem: a prepared question
 * @strategy: its framework and pp are read
 * @out: (out): how the layers are split
 */
void
sw_split (const SwProblem *problem, const SwStrategy *strategy, SwSplit *out)
{
  const SwModelSpec *model = &problem->model;
  guint layers = model->layers, pp = strategy->pp;
  SwFramework framework = sw_engine (strategy->framework);
  gboolean first = framework == SW_FRAMEWORK_FSDP2 || framework == SW_FRAMEWORK_DEEPSPEED;
  gboolean told = framework == SW_FRAMEWORK_FSDP2 || framework == SW_FRAMEWORK_MEGATRON_CORE;

  *out = (SwSplit){ .layers = layers, .pp = pp };
  if (pp > 1 && framework == SW_FRAMEWORK_NANOTRON)
    {
      /* Nanotron's build_model() moves on to the next stage after the layer that exceeds the
       * stage's share of the total cost, by get_block_compute_costs(), which counts matrices as
       * without grouped queries. */
      double h = model->hidden_size, width = model->intermediate_size > 0
                                                 ? model->intermediate_size
                                                 : model->moe.intermediate_size;
      double layer = 4 * h * h + 3 * width * h;

      out->share = (layers + model->vocab_size * h / layer) / pp;
      out->first = sw_split_start (out, 1);
      out->last = layers - MIN (sw_split_start (out, pp - 1), layers);
    }
  else if (layers % pp == 0)
    out->first = out->last = out->between = layers / pp;
  else if (pp > 2 && (layers + 2) % pp == 0 && (layers + 2) / pp > 1)
    /* Embedding and head as a layer each even out the stages
     * (--account-for-embedding-in-pipeline-split and --account-for-loss-in-pipeline-split;
     * TorchTitan's default; BLOOM was trained so). */
    split_rest_first (out, 1);
  else if (told && problem->end_layers > 1)
    split_balanced (out, problem->end_layers, first);
  else if (first)
    split_rest_first (out, framework == SW_FRAMEWORK_FSDP2 && (layers + 2) / pp > 1 ? 1 : 0);
  else
    {
      /* Remaining layers go to the stages before the last: they hold fewer micro-batches than the
       * first stages, and no head. */
      guint rest = layers % pp;

      out->last = out->between = layers / pp;
      out->first = out->last + (rest == pp - 1 ? 1 : 0);
      out->longer = MIN (rest, pp - 2);
    }
}

/**
 * sw_split_start:
 * @split: how the layers are split
 * @stage: a pipeline stage, from 0; pp for the end of the last
 *
 * Returns: number of layers before the stage
 */
guint
sw_split_start (const SwSplit *split, guint stage)
{
  guint before = stage - 1, shorter = split->pp - 2 - split->longer, more;

  if (stage == 0)
    return 0;
  if (stage >= split->pp)
    return split->layers;
  if (split->share > 0)
    return MIN ((guint) (stage * split->share) + 1, split->layers);
  more = split->longer_first ? MIN (before, split->longer) : before - MIN (before, shorter);
  return split->first + before * split->between + more;
}

/**
 * sw_split_stage_of:
 * @split: how the layers are split
 * @layer: counted from 0
 *
 * Returns: the stage of the layer; the last stage for larger numbers
 */
guint
sw_split_stage_of (const SwSplit *split, guint layer)
{
  guint stage = MIN (layer / MAX (split->layers / split->pp, 1), split->pp - 1);

  while (stage > 0 && sw_split_start (split, stage) > layer)
    stage--;
  while (stage + 1 < split->pp && sw_split_start (split, stage + 1) <= layer)
    stage++;
  return stage;
}

/**
 * sw_split_kinds:
 * @split: how the layers are split
 * @model: whose layers they are
 * @stage: a pipeline stage, from 0
 * @layers: (out): how many dense layers and how many with experts it holds
 */
void
sw_split_kinds (const SwSplit *split, const SwModelSpec *model, guint stage,
                guint layers[SW_N_LAYER_KINDS])
{
  sw_model_kinds_between (model, sw_split_start (split, stage), sw_split_start (split, stage + 1),
                          layers);
}

/**
 * sw_stage_layers:
 * @problem: a prepared question
 * @strategy: its framework and pp are read
 * @stage: a pipeline stage, from 0
 *
 * Returns: how many layers the stage holds
 */
guint
sw_stage_layers (const SwProblem *problem, const SwStrategy *strategy, guint stage)
{
  SwSplit split;

  sw_split (problem, strategy, &split);
  return sw_split_start (&split, stage + 1) - sw_split_start (&split, stage);
}

/**
 * sw_stage_layer_kinds:
 * @problem: a prepared question
 * @strategy: its framework and pp are read
 * @stage: a pipeline stage, from 0
 * @layers: (out): how many dense layers and how many with experts it holds
 */
void
sw_stage_layer_kinds (const SwProblem *problem, const SwStrategy *strategy, guint stage,
                      guint layers[SW_N_LAYER_KINDS])
{
  SwSplit split;

  sw_split (problem, strategy, &split);
  sw_split_kinds (&split, &problem->model, stage, layers);
}

/**
 * sw_split_longest:
 * @split: how the layers are split
 *
 * Returns: the stage with the most layers; among several, one that is not an end
 */
guint
sw_split_longest (const SwSplit *split)
{
  if (split->pp < 3 || split->share > 0)
    return 0;
  return split->longer_first ? 1 : split->pp - 2;
}

/**
 * sw_split_most_layers:
 * @split: how the layers are split
 *
 * Returns: the largest number of layers of a stage
 */
guint
sw_split_most_layers (const SwSplit *split)
{
  guint stage = sw_split_longest (split);

  return MAX (sw_split_start (split, stage + 1) - sw_split_start (split, stage), split->first);
}

/**
 * sw_split_has_chunks:
 * @split: how the layers are split
 * @vpp: virtual stages of each stage
 *
 * Interleaved stages need equal chunks, apart from the ends: embedding and head may count as a
 * layer each, and the last chunk may have fewer layers if its end costs more.
 *
 * Returns: whether the stages divide this way
 */
gboolean
sw_split_has_chunks (const SwSplit *split, guint vpp)
{
  guint chunks = split->pp * vpp;

  if (split->layers % chunks == 0 || (split->layers + 2) % chunks == 0)
    return TRUE;
  return split->share <= 0 && split->longer == 0 && split->first == split->between
         && split->between % vpp == 0 && split->between - split->last < split->between / vpp;
}

/**
 * sw_split_chunk_layers:
 * @split: how the layers are split
 * @vpp: virtual stages of each stage
 * @stage: a pipeline stage, from 0
 * @chunk: one of its virtual stages, from 0
 *
 * Returns: number of layers of the chunk. Missing layers of an end stage are missing from its end
 * chunk.
 */
guint
sw_split_chunk_layers (const SwSplit *split, guint vpp, guint stage, guint chunk)
{
  guint held = sw_split_start (split, stage + 1) - sw_split_start (split, stage);
  guint whole = (sw_split_most_layers (split) + vpp - 1) / vpp, lack = whole * vpp - held;
  gboolean is_end = stage == 0 || stage == split->pp - 1;

  if (lack > 0 && (!is_end || lack > whole))
    return held * (chunk + 1) / vpp - held * chunk / vpp;
  return whole - (chunk == (stage == 0 ? 0 : vpp - 1) ? lack : 0);
}
