/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a walk over strategies would work out again and again of a step's other phases: the levels
 * of sw-estimate.h of every model and pass, the last of each kept. */
#include "sw-rlhf.h"

/**
 * sw_rlhf_memo_init:
 * @memo: (out): knows nothing yet; for one thread
 * @problem: a prepared question of reinforcement learning; outlives @memo
 */
void
sw_rlhf_memo_init (SwRlhfMemo *memo, const SwProblem *problem)
{
  memo->problem = problem;
  memo->policy = *problem;
  memo->policy.training.type = SW_TRAINING_FINETUNE;
  sw_rlhf_critic (problem, &memo->critic);
  memo->has_memory = memo->has_plan = FALSE;
  for (guint i = 0; i < SW_N_RLHF_PASSES; i++)
    memo->pass[i].has_layer = memo->pass[i].has_schedule = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (memo->rounds.round); i++)
    memo->rounds.round[i].tp = 0;
}

/* The fields that level 1 does not read are as good as none. */
static SwStrategy
layer_key (const SwStrategy *strategy)
{
  SwStrategy key = *strategy;

  key.pp = key.vpp = key.dp = key.shard_group = 1;
  key.full_layers = key.zero_stage = key.schedule = key.offload = 0;
  return key;
}

static SwStrategy
schedule_key (const SwStrategy *strategy)
{
  SwStrategy key = *strategy;

  key.zero_stage = 0;
  key.shard_group = 1;
  if (key.offload != SW_OFFLOAD_ACTIVATIONS)
    key.offload = SW_OFFLOAD_NONE;
  return key;
}

/**
 * sw_rlhf_layer_memory:
 * @memo: of the question
 * @strategy: its fields of level 1 are read
 * @policy: (out): of the policy; valid until the next call
 * @critic: (out): of the critic, likewise
 */
void
sw_rlhf_layer_memory (SwRlhfMemo *memo, const SwStrategy *strategy, const SwLayerMemory **policy,
                      const SwLayerMemory **critic)
{
  const SwStrategy key = layer_key (strategy);

  if (!memo->has_memory || !sw_strategy_equal (&memo->memory_key, &key))
    {
      sw_layer_memory (memo->problem, strategy, &memo->policy_memory);
      sw_layer_memory (&memo->critic, strategy, &memo->critic_memory);
      memo->critic_memory.head_parameters = memo->critic_memory.logits_bytes = 0;
      memo->memory_key = key;
      memo->has_memory = TRUE;
    }
  *policy = &memo->policy_memory;
  *critic = &memo->critic_memory;
}

/* Of a layer's communication the part that its forward pass waits for; what is hidden beside it is
 * taken as the same share. */
static void
keep_forward (SwLayerTimePart *part)
{
  double exposed = part->tp_exposed_s + part->cp_exposed_s + part->ep_exposed_s;
  double share = exposed > 0 ? part->forward_comm_s / exposed : 0;

  part->tp_exposed_s *= share;
  part->tp_hidden_s *= share;
  part->cp_exposed_s *= share;
  part->cp_hidden_s *= share;
  part->ep_exposed_s *= share;
  part->ep_hidden_s *= share;
  part->backward_s = part->backward_input_s = part->recompute_s = part->backward_comm_s = 0;
}

/* Nothing is kept for a backward pass. @scalar: a value of each token instead of the vocabulary's
 * logits. */
static void
keep_forward_layers (SwLayerTime *layer, gboolean scalar)
{
  /* The look-up's share of what the embedding moves forward and backward; a third of the head. */
  const double embedding_forward = 4.0 / 14, head_forward = scalar ? 0 : 1.0 / 3;

  for (guint kind = 0; kind < SW_N_LAYER_KINDS; kind++)
    keep_forward (&layer->part[kind]);
  layer->embedding_s *= embedding_forward;
  layer->head_s *= head_forward;
  layer->head_tp_exposed_s *= scalar ? 0 : 0.5;
  layer->mtp_s = 0;
}

static gboolean
is_forward (SwRlhfPassKind kind)
{
  return kind == SW_RLHF_POLICY_FORWARD || kind == SW_RLHF_CRITIC_FORWARD;
}

static gboolean
is_critic (SwRlhfPassKind kind)
{
  return kind == SW_RLHF_CRITIC_FORWARD || kind == SW_RLHF_CRITIC_TRAINING;
}

/* The model that a pass is of, trained by itself. */
static const SwProblem *
model_of (const SwRlhfMemo *memo, SwRlhfPassKind kind)
{
  return is_critic (kind) ? &memo->critic : &memo->policy;
}

static void
find_layer (SwRlhfMemo *memo, SwRlhfPassKind kind)
{
  const SwProblem *model = model_of (memo, kind);
  SwRlhfPass *pass = &memo->pass[kind];

  sw_layer_time (model, &pass->strategy, &pass->layer);
  sw_layer_memory (model, &pass->strategy, &pass->memory);
  if (is_forward (kind))
    keep_forward_layers (&pass->layer, is_critic (kind));
  else if (is_critic (kind))
    pass->memory.head_parameters = pass->layer.head_s = pass->layer.head_tp_exposed_s = 0;
}

/* Activations pass on, no gradient comes back in a forward pass. */
static void
find_schedule (SwRlhfMemo *memo, SwRlhfPassKind kind)
{
  SwRlhfPass *pass = &memo->pass[kind];

  sw_schedule_time (model_of (memo, kind), &pass->strategy, &pass->layer, &pass->schedule);
  if (!is_forward (kind))
    return;
  pass->schedule.pp_exposed_s /= 2;
  pass->schedule.pp_hidden_s /= 2;
}

/* The strategy of training, of which a forward pass recomputes, offloads and delays nothing. */
static SwStrategy
strategy_of (const SwStrategy *strategy, SwRlhfPassKind kind)
{
  SwStrategy own = *strategy;

  if (!is_forward (kind))
    return own;
  own.recompute = SW_RECOMPUTE_NONE;
  own.full_layers = 0;
  own.offload = SW_OFFLOAD_NONE;
  if (own.schedule == SW_SCHEDULE_ZERO_BUBBLE)
    own.schedule = SW_SCHEDULE_1F1B;
  return own;
}

/* Level 1 of a pass under the strategy of training. */
static SwRlhfPass *
layer_of (SwRlhfMemo *memo, SwRlhfPassKind kind, const SwStrategy *strategy)
{
  SwRlhfPass *pass = &memo->pass[kind];
  SwStrategy key;

  pass->strategy = strategy_of (strategy, kind);
  key = layer_key (&pass->strategy);
  if (pass->has_layer && sw_strategy_equal (&pass->layer_key, &key))
    return pass;
  find_layer (memo, kind);
  pass->layer_key = key;
  pass->has_layer = TRUE;
  pass->has_schedule = FALSE;
  return pass;
}

/* Levels 1 and 2. */
static const SwRlhfPass *
pass_of (SwRlhfMemo *memo, SwRlhfPassKind kind, const SwStrategy *strategy)
{
  SwRlhfPass *pass = layer_of (memo, kind, strategy);
  const SwStrategy key = schedule_key (&pass->strategy);

  if (pass->has_schedule && sw_strategy_equal (&pass->schedule_key, &key))
    return pass;
  find_schedule (memo, kind);
  pass->schedule_key = key;
  pass->has_schedule = TRUE;
  return pass;
}

/**
 * sw_rlhf_pass_layer:
 * @memo: of the question
 * @kind: which model runs how
 * @strategy: its fields of level 1 are read
 * @model: (out): that model, trained by itself
 *
 * Returns: level 1 of the pass; valid until the next call for its kind
 */
const SwLayerTime *
sw_rlhf_pass_layer (SwRlhfMemo *memo, SwRlhfPassKind kind, const SwStrategy *strategy,
                    const SwProblem **model)
{
  *model = model_of (memo, kind);
  return &layer_of (memo, kind, strategy)->layer;
}

/**
 * sw_rlhf_pass_time:
 * @memo: of the question
 * @kind: which model runs how
 * @strategy: how training is split
 * @out: filled in: a forward pass over the step's sequences, or a whole training step
 */
void
sw_rlhf_pass_time (SwRlhfMemo *memo, SwRlhfPassKind kind, const SwStrategy *strategy, SwTime *out)
{
  const SwRlhfPass *pass = pass_of (memo, kind, strategy);
  const SwProblem *model = model_of (memo, kind);

  if (is_forward (kind))
    sw_time_forward (model, &pass->strategy, &pass->memory, &pass->schedule, out);
  else
    sw_time (model, &pass->strategy, &pass->memory, &pass->schedule, out);
}

static double
pass_schedule_s (SwRlhfMemo *memo, SwRlhfPassKind kind, const SwStrategy *strategy)
{
  return sw_schedule_time_sum (&pass_of (memo, kind, strategy)->schedule);
}

/**
 * sw_rlhf_schedule_s:
 * @memo: of the question
 * @strategy: its fields of levels 1 and 2 are read
 *
 * Returns: seconds that scoring and the critic's training take at least, whatever the sharding:
 * what it communicates, the optimizer and stragglers come on top
 */
double
sw_rlhf_schedule_s (SwRlhfMemo *memo, const SwStrategy *strategy)
{
  double seconds = pass_schedule_s (memo, SW_RLHF_POLICY_FORWARD, strategy);

  if (!memo->problem->training.rlhf_ppo)
    return seconds;
  return seconds + 2 * pass_schedule_s (memo, SW_RLHF_CRITIC_FORWARD, strategy)
         + pass_schedule_s (memo, SW_RLHF_CRITIC_TRAINING, strategy);
}
