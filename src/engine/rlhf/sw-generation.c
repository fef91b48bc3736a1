/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generating answers: the roofline of decoding (Pope et al. 2022, "Efficiently Scaling Transformer
 * Inference", section 2): each new token of a batch reads every weight and the cached keys and
 * values once, so that memory bounds small batches and arithmetic large ones; prompts are one
 * forward pass. Every answer is assumed to have the stated length; an engine's scheduler, sampling
 * and gaps between kernels are not included. */
#include "sw-generation.h"

#include "sw-collective.h"
#include "sw-framework.h"

#include <math.h>

/* Tokens of a prefill pass: engines cut prompts into chunks of about that many (vLLM's
 * max_num_batched_tokens). */
static const double prefill_tokens = 8192;

/* Bytes of keys and values of one token on one GPU in all layers: 16 bits. MLA's latent is
 * replicated on all GPUs (DeepSeek-V2, section 2.1.2), and so is a KV head if there are more GPUs
 * than heads. */
static double
cache_bytes_per_token (const SwModelSpec *model, guint tp)
{
  double heads = MAX ((double) model->kv_heads / tp, 1);

  if (model->mla.kv_lora_rank > 0)
    return 2.0 * model->layers * (model->mla.kv_lora_rank + model->mla.qk_rope_head_dim);
  return 2.0 * model->layers * heads
         * (sw_model_query_head_dim (model) + sw_model_value_head_dim (model));
}

/* Mean over the layers of the part of `tokens` that the cache keeps: a sliding window drops the
 * rest. */
static double
cached_tokens (const SwModelSpec *model, double tokens)
{
  return sw_model_attended_tokens (model, (guint) MAX (tokens, 1), FALSE);
}

/* Weights on one of `tp` GPUs, in 16 bits. */
static double
copied_bytes (const SwProblem *problem, guint tp)
{
  return 2 * problem->count.total / tp;
}

/* FLOPs of the next token of one sequence. */
static double
logits_bytes (const SwProblem *problem, guint tp)
{
  return 4.0 * problem->model.vocab_size / tp;
}

/* The plan with `tp` GPUs per replica; concurrent is 0 if not even one sequence fits. */
static void
plan_with (const SwProblem *problem, const SwStrategy *strategy, double resident_bytes, guint gpus,
           guint tp, SwGenerationPlan *out)
{
  const SwModelSpec *model = &problem->model;
  double limit = problem->cluster.usable_bytes * problem->training.memory_target;
  double tokens = cached_tokens (model, problem->training.sequence_length);
  double each = tokens * cache_bytes_per_token (model, tp), logits = logits_bytes (problem, tp);
  double room;

  *out = (SwGenerationPlan){ .gpus = gpus, .tp = tp, .replicas = MAX (gpus / tp, 1) };
  /* Training has 16-bit weights as generation needs them: split by the same tp, on every GPU. */
  out->moved = !(problem->training.rlhf_colocated && strategy->tp == tp && strategy->pp == 1
                 && strategy->ep == 1 && strategy->etp == strategy->tp && strategy->zero_stage < 3
                 && strategy->offload != SW_OFFLOAD_OPTIMIZER_PARAMS
                 && !sw_framework_is_fsdp ((SwFramework) strategy->framework));
  out->weight_bytes = out->moved ? copied_bytes (problem, tp) : 0;
  out->sequences = (problem->training.global_batch + out->replicas - 1) / out->replicas;
  room = (limit - resident_bytes - out->weight_bytes) / (each + logits);
  if (room >= 1)
    {
      /* As few rounds as memory allows, all equal. */
      const guint most = (guint) MIN (room, out->sequences);
      const guint rounds = (out->sequences + most - 1) / most;

      out->concurrent = (out->sequences + rounds - 1) / rounds;
      out->rounds = (out->sequences + out->concurrent - 1) / out->concurrent;
    }
  out->cache_bytes = MAX (out->concurrent, 1) * each;
  out->logits_bytes = MAX (out->concurrent, 1) * logits;
}

/* The policy in an inference engine: 16-bit weights, fused kernels, captured graphs.
 * Megatron-Core's newest profile is the closest. */
typedef struct {
  SwProblem problem;
  SwStrategy strategy;
  double prompt, response;
} Engine;

/* Forward pass of all layers over the scene's tokens, without the attention core: linear layers by
 * the roofline, which for few rows is the time to read the weights, and the operations between
 * them. */
static double
layers_seconds (const SwLayerScene *scene, double *core_s, double *communication_s)
{
  const SwModelSpec *model = &scene->problem->model;
  double moe = sw_model_moe_layers (model), dense = model->layers - moe;
  SwWork attention = { 0 }, mlp = { 0 }, experts = { 0 };
  SwLayerComm comm;

  sw_layer_work_attention (scene, &attention);
  *core_s = model->layers * attention.core_s;
  if (dense > 0)
    sw_layer_work_mlp (scene, model->intermediate_size, scene->strategy->tp, SW_MODULE_MLP, &mlp);
  if (moe > 0)
    sw_layer_work_experts (scene, &experts);
  if (moe > 0 && model->moe.shared_intermediate_size > 0)
    sw_layer_work_mlp (scene, model->moe.shared_intermediate_size, scene->strategy->tp,
                       SW_MODULE_SHARED_EXPERTS, &experts);
  /* Routed copies stay on their GPU, which has a part of every expert: one all-reduce per block,
   * for experts as for a dense MLP. */
  sw_layer_comm_tensor (scene, FALSE, &comm);
  *communication_s = model->layers * comm.forward_exposed_s;
  return model->layers * (attention.forward_s - attention.core_s) + dense * mlp.forward_s
         + moe * experts.forward_s;
}

/* One new token for each of `sequences`. Returns: seconds, including communication. */
static double
decode_seconds (Engine *engine, double sequences, double *communication_s)
{
  const SwModelSpec *model = &engine->problem.model;
  const guint experts = model->moe.experts;
  double keys = cached_tokens (model, engine->prompt + engine->response / 2);
  double bytes = sequences * keys * cache_bytes_per_token (model, engine->strategy.tp), core, work;
  SwLayerScene scene;
  SwWork head = { 0 };

  engine->problem.training.sequence_length = 1;
  engine->strategy.micro_batch = (guint) sequences;
  /* Of E experts, the number that at least one of the tokens' copies reaches with even routing:
   * only these are read. */
  if (experts > 0)
    engine->problem.model.moe.experts =
        (guint) ceil (experts * (1 - pow (1 - model->moe.top_k / (double) experts, sequences)));
  sw_layer_scene_init (&scene, &engine->problem, &engine->strategy);
  work = layers_seconds (&scene, &core, communication_s);
  sw_layer_work_head (&scene, &head);
  engine->problem.model.moe.experts = experts;
  return work + head.forward_s + bytes / scene.rates.stream_bytes_per_s + *communication_s;
}

/* The prompts of `sequences`, in passes of about 8192 tokens. Sequences of a group share one prompt
 * with its keys and values (vLLM's automatic prefix caching). */
static double
prefill_seconds (Engine *engine, double sequences, double *communication_s)
{
  double prompts = MAX (sequences / MAX (engine->problem.training.rlhf_group, 1), 1);
  double at_once = CLAMP (floor (prefill_tokens / engine->prompt), 1, prompts);
  double passes = prompts / at_once, core, work;
  SwLayerScene scene;

  engine->problem.training.sequence_length = (guint) engine->prompt;
  engine->strategy.micro_batch = (guint) at_once;
  sw_layer_scene_init (&scene, &engine->problem, &engine->strategy);
  work = layers_seconds (&scene, &core, communication_s);
  *communication_s *= passes;
  return passes * (work + core) + *communication_s;
}

/* One round: the prompts, then one token at a time. */
static void
find_round (const SwProblem *problem, const SwGenerationPlan *plan, guint sequences,
            SwGenerationRound *out)
{
  Engine engine = { .problem = *problem,
                    .prompt = sw_rlhf_prompt_tokens (&problem->training),
                    .response = sw_rlhf_response_tokens (&problem->training) };
  SwTraining *training = &engine.problem.training;

  training->type = SW_TRAINING_FINETUNE;
  if (training->precision != SW_PRECISION_FP16)
    training->precision = SW_PRECISION_BF16;
  training->attention = SW_ATTENTION_FLASH;
  training->mean_document = 0;
  training->software_year = 0;
  training->software = (SwSoftware){ 0, 0 }; /* the inference engine is different software */
  sw_strategy_init_default (&engine.strategy);
  engine.strategy.tp = engine.strategy.etp = plan->tp;
  *out = (SwGenerationRound){ plan->tp, sequences, 0, 0, 0, 0 };
  out->prefill_s = prefill_seconds (&engine, sequences, &out->prefill_comm_s);
  out->decode_s = engine.response * decode_seconds (&engine, sequences, &out->decode_comm_s);
  out->decode_comm_s *= engine.response;
}

/* @rounds: (nullable): a cache. */
static SwGenerationRound
known_round (SwGenerationRounds *rounds, const SwProblem *problem, const SwGenerationPlan *plan,
             guint sequences)
{
  SwGenerationRound new, *known;

  if (rounds == NULL)
    {
      find_round (problem, plan, sequences, &new);
      return new;
    }
  known = &rounds->round[(plan->tp * 31 + sequences) % G_N_ELEMENTS (rounds->round)];
  if (known->tp != plan->tp || known->sequences != sequences)
    find_round (problem, plan, sequences, known);
  return *known;
}

static void
add_round (const SwGenerationRound *round, double times, SwGenerationPlan *plan, SwTime *out)
{
  double prefill = round->prefill_s, decode = round->decode_s;

  plan->prefill_s += times * prefill;
  plan->decode_s += times * decode;
  out->compute_s += times * (prefill - round->prefill_comm_s + decode - round->decode_comm_s);
  out->tp_exposed_s += times * (round->prefill_comm_s + round->decode_comm_s);
}

/**
 * sw_generation_time_with:
 * @rounds: (nullable): a cache of the same question's rounds; updated
 * @problem: a prepared question of reinforcement learning
 * @strategy: how training is split
 * @plan: (inout): its times are filled in
 * @out: filled in: the phase's time
 *
 * Each round has as many sequences as fit into the KV cache; the last may have fewer.
 */
void
sw_generation_time_with (SwGenerationRounds *rounds, const SwProblem *problem,
                         const SwStrategy *strategy, SwGenerationPlan *plan, SwTime *out)
{
  guint full = plan->sequences / plan->concurrent, rest = plan->sequences % plan->concurrent;
  guint replica = strategy->tp * strategy->pp
                  * (strategy->zero_stage >= 3 ? MAX (strategy->shard_group, 1) * strategy->cp : 1);
  SwGroup group = { MAX (replica, 2), 1 };
  SwGenerationRound round;

  *out = (SwTime){ 0 };
  plan->prefill_s = plan->decode_s = 0;
  if (full > 0)
    {
      round = known_round (rounds, problem, plan, plan->concurrent);
      add_round (&round, full, plan, out);
    }
  if (rest > 0)
    {
      round = known_round (rounds, problem, plan, rest);
      add_round (&round, 1, plan, out);
    }
  /* The weights are gathered from where training keeps them: from a replica's GPUs, or across the
   * network if other GPUs generate. */
  if (!problem->training.rlhf_colocated)
    group = (SwGroup){ 2, MAX (sw_strategy_gpus (strategy), problem->cluster.nvlink_domain) };
  plan->transfer_s = plan->moved ? sw_collective_seconds (problem, SW_COLLECTIVE_ALL_GATHER, group,
                                                          copied_bytes (problem, plan->tp),
                                                          problem->model.layers)
                                 : 0;
  out->dp_exposed_s = plan->transfer_s;
  out->step_s = sw_time_sum (out);
}

/**
 * sw_generation_time:
 * @problem: a prepared question of reinforcement learning
 * @strategy: how training is split
 * @plan: (inout): its times are filled in
 * @out: filled in: the phase's time
 */
void
sw_generation_time (const SwProblem *problem, const SwStrategy *strategy, SwGenerationPlan *plan,
                    SwTime *out)
{
  sw_generation_time_with (NULL, problem, strategy, plan, out);
}

/* Memory that a generating GPU needs for one sequence beyond what stays. */
static double
least_bytes (const SwGenerationPlan *plan)
{
  return plan->weight_bytes + plan->cache_bytes + plan->logits_bytes;
}

/**
 * sw_generation_plan:
 * @rounds: (nullable): a cache of the same question's rounds; updated
 * @problem: a prepared question of reinforcement learning
 * @strategy: how training is split
 * @resident_bytes: bytes that stay on a generating GPU meanwhile
 * @out: filled in except for the times; concurrent is at least 1, even if that does not fit
 *
 * Replicas of the policy get the number of GPUs with the shortest generation time: more GPUs read
 * the weights faster and have space for a larger cache, fewer wait less for each other. If no
 * number fits even one sequence, the one that comes closest.
 */
void
sw_generation_plan (SwGenerationRounds *rounds, const SwProblem *problem,
                    const SwStrategy *strategy, double resident_bytes, SwGenerationPlan *out)
{
  guint gpus = MAX (sw_rlhf_generating_gpus (problem, strategy), 1);
  double least_s = INFINITY;

  for (guint tp = 1; tp <= gpus && problem->model.attention_heads % tp == 0; tp *= 2)
    {
      SwGenerationPlan plan;
      SwTime time;

      plan_with (problem, strategy, resident_bytes, gpus, tp, &plan);
      if (plan.concurrent == 0)
        {
          if (tp == 1 || (least_s == INFINITY && least_bytes (&plan) < least_bytes (out)))
            *out = plan;
          continue;
        }
      sw_generation_time_with (rounds, problem, strategy, &plan, &time);
      if (!(time.step_s < least_s))
        continue;
      least_s = time.step_s;
      *out = plan;
    }
  if (out->concurrent > 0)
    return;
  out->concurrent = 1;
  out->rounds = out->sequences;
}

/**
 * sw_generation_most_at_once:
 * @problem: a prepared question of reinforcement learning
 * @tp: GPUs of a replica
 *
 * Returns: the largest number of sequences that a replica generates at once, with all memory beyond
 * its weights used for the cache, whether or not training keeps the weights; 0 if not even one fits
 */
guint
sw_generation_most_at_once (const SwProblem *problem, guint tp)
{
  const double limit = problem->cluster.usable_bytes * problem->training.memory_target;
  const double tokens = cached_tokens (&problem->model, problem->training.sequence_length);
  const double each = tokens * cache_bytes_per_token (&problem->model, tp);
  const double most = (limit - copied_bytes (problem, tp)) / (each + logits_bytes (problem, tp));

  return (guint) CLAMP (most, 0, problem->training.global_batch);
}

/**
 * sw_generation_round_s:
 * @problem: a prepared question of reinforcement learning
 * @tp: GPUs of a replica, dividing the attention heads
 * @sequences: generated at once, at least 1
 *
 * Returns: seconds of one round
 */
double
sw_generation_round_s (const SwProblem *problem, guint tp, guint sequences)
{
  const SwGenerationPlan plan = { .tp = tp };
  SwGenerationRound round;

  find_round (problem, &plan, sequences, &round);
  return round.prefill_s + round.decode_s;
}

/* Lower bound of the generation time over all strategies. A replica generates its sequences in
 * rounds; each takes at least its number of sequences times the minimum time per sequence of any
 * round. A round of more sequences takes no less time (a test verifies it), so one round bounds all
 * slightly larger ones. If separate GPUs generate, only the number of GPUs of the strategy matters,
 * and the time is computed as planned. */

/* Every number of sequences up to this is evaluated; beyond, one within every sixteenth. */
enum {
  EVERY_ROUND = 64,
  COARSENESS = 16,
  MOST_STEPS = 352, /* reach beyond 2^32 sequences */
  MOST_REPLICA_SIZES = 20,
  FINENESS = 128 /* cluster sizes that differ by less than 1 / this count as equal */
};

typedef struct {
  guint most;     /* sequences */
  double each_s;  /* minimum time per sequence of a round with at most that many */
  double later_s; /* minimum time of all larger rounds, in total */
} Step;

/* Replicas of `tp` GPUs, which have memory for at least one sequence besides the weights. */
typedef struct {
  guint tp, n;
  Step steps[MOST_STEPS];
} Replicas;

/* Lower bound of the time for this many generating GPUs, up to the next size. */
typedef struct {
  guint gpus;
  double seconds;
} Size;

/* Lower bound of a step by the number of training GPUs: work / gpus + generation_s; the lowest of
 * all such lines from `from_work` on. */
typedef struct {
  double from_work, gpus, generation_s;
} Line;

struct _SwGenerationFloor {
  guint batch, n;
  Replicas replicas[MOST_REPLICA_SIZES];
  /* If separate GPUs generate: */
  GArray *sizes; /* of Size: by number of GPUs, ascending from one */
  GArray *lines; /* of Line: by from_work */
};

/* Lower bound over all replicas on this many GPUs; fewer GPUs never take less. */
static double
floor_s (const SwGenerationFloor *self, guint gpus)
{
  double least = G_MAXDOUBLE;

  for (guint i = 0; i < self->n; i++)
    {
      const Replicas *replicas = &self->replicas[i];
      const guint n = MAX (gpus / replicas->tp, 1);
      const guint sequences = (self->batch + n - 1) / n;
      guint low = 0, high = replicas->n - 1;

      if (i > 0 && replicas->tp > gpus)
        continue;
      /* The step that this many sequences of a replica belong to. */
      while (low < high)
        {
          const guint middle = low + (high - low) / 2;

          if (replicas->steps[middle].most >= sequences)
            high = middle;
          else
            low = middle + 1;
        }
      least = MIN (least,
                   MIN (sequences * replicas->steps[low].each_s, replicas->steps[low].later_s));
    }
  return least;
}

/* The next number of generating GPUs with which the busiest replica of some size has fewer
 * sequences, or which is the first for replicas of that size. */
static guint
next_change (const SwGenerationFloor *self, guint gpus)
{
  guint64 next = G_MAXUINT;

  for (guint i = 0; i < self->n; i++)
    {
      const guint64 tp = self->replicas[i].tp, n = MAX (gpus / tp, 1);
      const guint64 sequences = (self->batch + n - 1) / n;

      if (tp > gpus)
        next = MIN (next, tp);
      if (sequences > 1)
        next = MIN (next, (self->batch + sequences - 2) / (sequences - 1) * tp);
    }
  return (guint) next;
}

/* If separate GPUs generate, only the number of GPUs of the strategy affects generation, and few
 * numbers differ. If many differ, the lower bound replaces values that are slightly larger. */
static void
add_sizes (SwGenerationFloor *self, const SwProblem *problem)
{
  const guint all = problem->cluster.gpus;

  for (guint gpus = 1, next; gpus <= all; gpus = next)
    {
      const guint near = gpus + gpus / FINENESS + 1;
      Size size = { gpus, 0.0 };

      next = next_change (self, gpus);
      if (next >= near)
        {
          /* They are planned while at most this many train. */
          SwProblem sized = *problem;
          SwGenerationPlan plan;
          SwStrategy strategy;
          SwTime time;

          next = MIN (next, all + 1);
          sw_strategy_init_default (&strategy);
          strategy.dp = MAX (all + 1 - next, 1);
          sized.cluster.gpus = strategy.dp + gpus;
          sw_generation_plan (NULL, &sized, &strategy, problem->calibration->context_bytes, &plan);
          sw_generation_time (&sized, &strategy, &plan, &time);
          size.seconds = time.step_s;
        }
      else
        {
          next = MIN (near, all + 1);
          size.seconds = floor_s (self, next - 1);
        }
      g_array_append_val (self->sizes, size);
    }
  /* From the most generating GPUs to the fewest: more and more train. */
  for (guint i = self->sizes->len; i-- > 0;)
    {
      const Size *size = &g_array_index (self->sizes, Size, i);
      Line line = { 0.0, MAX (all - size->gpus, 1), size->seconds };

      /* The lower envelope: drops earlier lines that the new line, for more training GPUs,
       * undercuts from the work on where they would be the lowest. */
      for (; self->lines->len > 0; g_array_set_size (self->lines, self->lines->len - 1))
        {
          const Line *last = &g_array_index (self->lines, Line, self->lines->len - 1);

          line.from_work = (line.generation_s - last->generation_s)
                           / (1.0 / last->gpus - 1.0 / line.gpus);
          if (line.from_work > last->from_work)
            break;
        }
      if (self->lines->len == 0)
        line.from_work = 0.0;
      g_array_append_val (self->lines, line);
    }
}

/**
 * sw_generation_floor_new:
 * @problem: a prepared question of reinforcement learning
 *
 * Returns: (transfer full): free with sw_generation_floor_free()
 */
SwGenerationFloor *
sw_generation_floor_new (const SwProblem *problem)
{
  SwGenerationFloor *self = g_new (SwGenerationFloor, 1);
  const guint heads = problem->model.attention_heads;

  self->batch = problem->training.global_batch;
  self->sizes = g_array_new (FALSE, FALSE, sizeof (Size));
  self->lines = g_array_new (FALSE, FALSE, sizeof (Line));
  self->n = 0;
  for (guint tp = 1; tp <= problem->cluster.gpus && tp <= heads && heads % tp == 0; tp *= 2)
    {
      const guint most = sw_generation_most_at_once (problem, tp);
      Replicas *replicas = &self->replicas[self->n];
      double least = G_MAXDOUBLE;

      if (self->n == MOST_REPLICA_SIZES || most == 0)
        continue;
      self->n++;
      replicas->tp = tp;
      replicas->n = 0;
      for (guint64 from = 1, to; from <= most && replicas->n < MOST_STEPS; from = to + 1)
        {
          to = from <= EVERY_ROUND ? from : from + from / COARSENESS;
          least = MIN (least, sw_generation_round_s (problem, tp, (guint) from) / (double) to);
          replicas->steps[replicas->n++] = (Step){ (guint) MIN (to, G_MAXUINT), least,
                                                   G_MAXDOUBLE };
        }
      for (guint i = replicas->n; i-- > 1;)
        {
          const Step *step = &replicas->steps[i];

          replicas->steps[i - 1].later_s = MIN (step->later_s,
                                                (step[-1].most + 1.0) * step->each_s);
        }
    }
  if (!problem->training.rlhf_colocated)
    add_sizes (self, problem);
  return self;
}

/**
 * sw_generation_floor_free:
 * @self: (nullable) (transfer full): of sw_generation_floor_new()
 */
void
sw_generation_floor_free (SwGenerationFloor *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->sizes);
  g_array_unref (self->lines);
  g_free (self);
}

/**
 * sw_generation_floor_s:
 * @self: of the question
 * @gpus: generating GPUs
 *
 * Returns: lower bound of the seconds for the sequences of a step
 */
double
sw_generation_floor_s (const SwGenerationFloor *self, guint gpus)
{
  const Size *sizes = (const Size *) (gconstpointer) self->sizes->data;
  guint low = 0, high = self->sizes->len;

  if (high == 0)
    return floor_s (self, gpus);
  while (high - low > 1)
    {
      const guint middle = low + (high - low) / 2;

      *(sizes[middle].gpus <= gpus ? &low : &high) = middle;
    }
  return sizes[low].seconds;
}

/**
 * sw_generation_split_s:
 * @self: for a question with separate generating GPUs
 * @work: lower bound of the GPU-seconds of everything else in a step
 *
 * Over all splits of the GPUs: the more train, the fewer generate.
 *
 * Returns: lower bound of the seconds of a step
 */
double
sw_generation_split_s (const SwGenerationFloor *self, double work)
{
  const Line *lines = (const Line *) (gconstpointer) self->lines->data;
  guint low = 0, high = self->lines->len - 1;

  while (low < high)
    {
      const guint middle = low + (high - low + 1) / 2;

      if (lines[middle].from_work <= work)
        low = middle;
      else
        high = middle - 1;
    }
  return work / lines[low].gpus + lines[low].generation_s;
}
