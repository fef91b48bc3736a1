/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-estimate.h"

#include <math.h>

#include "sw-framework.h"

const char *const sw_fit_names[] = { "fits", "may-not-fit", "does-not-fit", NULL };

/**
 * sw_estimate_memory:
 * @problem: a prepared question
 * @strategy: a strategy
 * @schedule: level 2 of the same strategy
 * @out: (out): like sw_memory(), including all phases of reinforcement learning
 */
void
sw_estimate_memory (const SwProblem *problem, const SwStrategy *strategy,
                    const SwScheduleMemory *schedule, SwMemory *out)
{
  SwRlhfMemo memo;

  if (problem->training.type != SW_TRAINING_RLHF)
    {
      sw_memory (problem, strategy, schedule, out);
      return;
    }
  sw_rlhf_memo_init (&memo, problem);
  sw_rlhf_memory_within (&memo, NULL, problem, strategy, schedule, INFINITY, out);
}

/**
 * sw_estimate_time:
 * @problem: the question, prepared
 * @strategy: the whole strategy
 * @layer_memory: as for sw_time()
 * @schedule: as for sw_time()
 * @out: like sw_time(), including all phases of reinforcement learning
 */
void
sw_estimate_time (const SwProblem *problem, const SwStrategy *strategy,
                  const SwLayerMemory *layer_memory, const SwScheduleTime *schedule, SwTime *out)
{
  SwRlhfMemo memo;

  sw_time (problem, strategy, layer_memory, schedule, out);
  if (problem->training.type != SW_TRAINING_RLHF)
    return;
  sw_rlhf_memo_init (&memo, problem);
  sw_rlhf_add_time (&memo, strategy, out);
}

/* Whether the computed memory is what the strategy holds. A schedule is only an order of passes
 * over the same weights and states: if a published run used one that the framework lacks, its
 * memory is still right. If another rule is broken, the memory is unknown. */
static gboolean
is_sound (const SwEstimate *estimate)
{
  return estimate->rule == SW_RULE_OK || estimate->rule == SW_RULE_FRAMEWORK_SCHEDULE;
}

/* If memory is short on GPUs and hosts, the rule is the one with more bytes missing; for a host,
 * summed over all of its GPUs. */
static void
set_memory (const SwProblem *problem, const SwStrategy *strategy, const SwLayerMemory *layer,
            SwEstimate *out)
{
  const SwCluster *cluster = &problem->cluster;
  SwScheduleMemory schedule;
  const double host_bytes = sw_cluster_host_bytes (cluster);
  double over_gpu, over_host;
  SwRule broken = SW_RULE_OK;

  sw_schedule_memory (problem, strategy, layer, &schedule);
  sw_estimate_memory (problem, strategy, &schedule, &out->memory);
  out->usable_bytes = cluster->usable_bytes;
  out->memory_limit_bytes = cluster->usable_bytes * problem->training.memory_target;
  out->memory_utilisation = cluster->usable_bytes > 0
                                ? out->memory.peak.total / cluster->usable_bytes
                                : 0;
  /* Missing bytes also count from the target, because searches respect it. */
  over_gpu = out->memory.peak.total > cluster->usable_bytes * sw_memory_most (problem)
                 ? out->memory.peak.total - out->memory_limit_bytes
                 : 0;
  over_host = host_bytes > 0 ? out->memory.host_bytes - host_bytes : 0;
  if (!is_sound (out))
    return;
  if (over_gpu > 0 && over_gpu >= over_host / cluster->gpus_per_node)
    broken = SW_RULE_GPU_MEMORY;
  else if (over_host > 0)
    broken = SW_RULE_HOST_MEMORY;
  out->missing_bytes = broken == SW_RULE_HOST_MEMORY ? over_host : MAX (over_gpu, 0);
  if (out->rule == SW_RULE_OK)
    out->rule = broken;
}

static void
set_rates (const SwProblem *problem, SwEstimate *out)
{
  double seconds = out->time.step_s, gpus = MAX (out->gpus_used, 1);
  SwFlops *causal = &out->flops_per_token, *full = &out->flops_per_token_full_attention;
  double per_peak;

  out->tokens_per_s = (double) problem->training.global_batch * problem->training.sequence_length
                      / seconds;
  out->tokens_per_s_per_gpu = out->tokens_per_s / gpus;
  sw_flops_per_token (problem, &out->strategy, TRUE, causal);
  sw_flops_per_token (problem, &out->strategy, FALSE, full);
  out->model_flops_per_s_per_gpu = causal->model * out->tokens_per_s_per_gpu;
  out->peak_flops_per_s = sw_cluster_peak_flops (&problem->cluster, problem->training.precision);
  if (out->peak_flops_per_s <= 0)
    return;
  per_peak = out->tokens_per_s_per_gpu / out->peak_flops_per_s;
  out->mfu = causal->model * per_peak;
  out->mfu_full_attention = full->model * per_peak;
  out->hfu = (causal->model + causal->recomputed) * per_peak;
  out->hfu_full_attention = (full->model + full->recomputed) * per_peak;
}

/* PyTorch's allocator frees its cache and asks the driver again if a request finds no space
 * (torch.cuda, memory management: cudaMalloc retries), and the GPU waits each time. How often this
 * happens is unpredictable, so only the upper end of the interval includes it, in full if no memory
 * is left. */
static void
add_retries (const SwCalibration *c, SwEstimate *out)
{
  const double from = c->retries_from * out->usable_bytes;
  double factor;

  out->retries = out->memory.peak.total > from;
  if (!out->retries)
    return;
  factor =
      1 + c->retries_most * MIN ((out->memory.peak.total - from) / (out->usable_bytes - from), 1);
  out->step_high_s *= factor;
  out->tokens_low_per_s /= factor;
}

/* The interval that contains nine in ten runs of this kind from an unseen lab (the calibration's
 * residuals). If no run of this kind was measured, nothing bounds the error: it is assumed to be a
 * quarter larger than that of the worst measured kind, of dense models or of mixtures of experts,
 * and at least one and a half times that of all runs. Returns: the unmeasured parts
 * that a probe measured on this machine. */
static guint
set_interval (const SwProblem *problem, SwEstimate *out)
{
  const SwCalibration *c = problem->calibration;
  const SwCluster *cluster = &problem->cluster;
  const SwTrainingType type = problem->training.type;
  gboolean is_moe = problem->model.moe.experts > 0;
  const SwResidual *kind = sw_calibration_residual (c, cluster->gpu.generation,
                                                    out->strategy.framework, is_moe,
                                                    sw_training_is_adapter (&problem->training));
  double time = kind->time_p90, memory = kind->memory_p90;
  SwResidual widest;
  guint excused;

  /* The parts of a strategy without any measured run. */
  if (!sw_calibration_knows_gpu (c, cluster->gpu.id))
    out->unmeasured |= SW_UNMEASURED_GPU;
  if (type == SW_TRAINING_RLHF)
    out->unmeasured |= SW_UNMEASURED_TRAINING;
  if (out->strategy.offload != SW_OFFLOAD_NONE)
    out->unmeasured |= SW_UNMEASURED_OFFLOAD;
  if (cluster->intra.is_pcie && sw_strategy_gpus (&out->strategy) > 1)
    out->unmeasured |= SW_UNMEASURED_PCIE;
  if (kind == &c->residual_all)
    out->unmeasured |= SW_UNMEASURED_FRAMEWORK;
  excused = out->unmeasured & c->excuses;
  out->unmeasured &= ~excused;
  if (out->unmeasured != 0)
    {
      sw_calibration_widest (c, is_moe, &widest);
      time = MAX (c->unmeasured_beyond_widest * widest.time_p90,
                  c->unmeasured_beyond_all * c->residual_all.time_p90);
      memory = MAX (c->unmeasured_beyond_widest * widest.memory_p90,
                    c->unmeasured_beyond_all * c->residual_all.memory_p90);
    }
  time = exp (time);
  memory = exp (memory);
  out->step_low_s = out->time.step_s / time;
  out->step_high_s = out->time.step_s * time;
  out->tokens_low_per_s = out->tokens_per_s / time;
  out->tokens_high_per_s = out->tokens_per_s * time;
  out->memory_low_bytes = out->memory.peak.total / memory;
  out->memory_high_bytes = out->memory.peak.total * memory;
  add_retries (c, out);
  return excused;
}

static void
set_fit (SwEstimate *out)
{
  if (!is_sound (out) || out->missing_bytes > 0)
    out->fit = SW_FIT_DOES_NOT_FIT;
  else
    out->fit = out->memory_high_bytes > out->usable_bytes
                       || out->memory.peak.total > out->memory_limit_bytes
                   ? SW_FIT_MAY_NOT
                   : SW_FIT_FITS;
}

/* GPUs that train, and separate GPUs that generate. */
static guint
gpus_used (const SwProblem *problem, const SwStrategy *strategy)
{
  const SwTraining *training = &problem->training;
  guint used = sw_strategy_gpus (strategy);

  if (training->type != SW_TRAINING_RLHF || training->rlhf_colocated)
    return used;
  return used + sw_rlhf_generating_gpus (problem, strategy);
}

/**
 * sw_estimate:
 * @problem: the question, prepared
 * @strategy: a strategy, whether it can run or not
 * @out: filled in. If a rule other than memory is broken, the figures are an unchecked
 * extrapolation; show only the rule
 *
 * Evaluates one strategy: rule, memory, time, rates and error interval.
 */
void
sw_estimate (const SwProblem *problem, const SwStrategy *strategy, SwEstimate *out)
{
  const SwTime *t = &out->time;
  SwLayerMemory memory;
  SwLayerTime layer;
  SwScheduleTime schedule;
  double exposed, hidden;
  guint excused;

  *out = (SwEstimate){ .strategy = *strategy, .rule = sw_rules_check (problem, strategy) };
  out->gpus_used = gpus_used (problem, strategy);
  out->gpus_idle = problem->cluster.gpus > out->gpus_used ? problem->cluster.gpus - out->gpus_used
                                                          : 0;
  out->gradient_accumulation = sw_strategy_micro_batches (problem, strategy);
  sw_layer_memory (problem, strategy, &memory);
  set_memory (problem, strategy, &memory, out);
  out->fits = out->rule == SW_RULE_OK;
  sw_layer_time (problem, strategy, &layer);
  sw_schedule_time (problem, strategy, &layer, &schedule);
  sw_estimate_time (problem, strategy, &memory, &schedule, &out->time);
  sw_rlhf_phases (problem, strategy, &out->phases);
  set_rates (problem, out);
  exposed = t->tp_exposed_s + t->cp_exposed_s + t->ep_exposed_s + t->pp_exposed_s + t->dp_exposed_s;
  hidden = t->tp_hidden_s + t->cp_hidden_s + t->ep_hidden_s + t->pp_hidden_s + t->dp_hidden_s;
  out->communication_overhead = exposed / t->step_s;
  out->bubble_fraction = t->bubble_s / t->step_s;
  out->scaling_efficiency = 1 - out->communication_overhead - out->bubble_fraction;
  out->compute_to_communication = exposed + hidden > 0
                                      ? (t->compute_s + t->uneven_s) / (exposed + hidden)
                                      : 0;
  excused = set_interval (problem, out);
  set_fit (out);
  out->untried = sw_untried (problem, strategy);
  out->level = out->untried != 0                  ? SW_LEVEL_UNTRIED
               : (out->unmeasured | excused) == 0 ? SW_LEVEL_MEASURED
                                                  : SW_LEVEL_USUAL;
}

/**
 * sw_estimate_is_validated:
 * @estimate: of one strategy
 *
 * Returns: whether runs on such a GPU, of such a job and with such links were measured. A framework
 * without measured runs on this GPU generation only widens the interval, because its constants were
 * measured elsewhere.
 */
gboolean
sw_estimate_is_validated (const SwEstimate *estimate)
{
  return (estimate->unmeasured & ~(guint) SW_UNMEASURED_FRAMEWORK) == 0;
}

/**
 * sw_estimate_stage:
 * @problem: the question, prepared
 * @strategy: a strategy
 * @stage: of the pipeline, from 0
 * @out: what the memory of that stage's GPUs holds
 */
void
sw_estimate_stage (const SwProblem *problem, const SwStrategy *strategy, guint stage,
                   SwMemoryParts *out)
{
  SwLayerMemory layer;

  if (problem->training.type == SW_TRAINING_RLHF)
    {
      sw_rlhf_stage_memory (problem, strategy, stage, out);
      return;
    }
  sw_layer_memory (problem, strategy, &layer);
  sw_memory_stage (problem, strategy, &layer, stage, out);
}

/* GPUs that compute for less than this share of the time. A judgment: no source states when waiting
 * stops being worthwhile. */
#define LEAST_WORK 0.1

/**
 * sw_estimate_hardly_works:
 * @estimate: of a strategy that fits
 *
 * Returns: whether the GPUs compute for less than a tenth of the time, so that the job is not worth
 *   running
 */
gboolean
sw_estimate_hardly_works (const SwEstimate *estimate)
{
  return estimate->fits && estimate->time.compute_s < LEAST_WORK * estimate->time.step_s;
}

/* ---- moments that are no steady steps ---- */

/* Who reads the weights. */
typedef enum {
  READ_BY_EACH, /* every process reads all weights */
  READ_ONCE,    /* one process per node; the others start with empty weights */
  READ_PIECES   /* every process, moving weights to its GPU one after another */
} Readers;

/* How weights reach the GPUs. With FSDP, only the first process of a node loads them (accelerate,
 * FullyShardedDataParallelPlugin.cpu_ram_efficient_loading; verl, get_init_weight_context_manager).
 * DeepSpeed's ZeRO 3 shards each weight when it is created (zero.Init). Quantized weights and
 * Unsloth's move to the GPU one by one (transformers, device_map). Trainers without these, ZeRO 1
 * and 2, and torchtune's checkpointers read all weights in each process. */
static Readers
readers_of (const SwProblem *problem, const SwStrategy *s)
{
  const SwFramework tool = problem->training.framework,
                    engine = sw_engine ((SwFramework) s->framework);

  if (tool == SW_FRAMEWORK_TORCHTUNE || s->framework == SW_FRAMEWORK_TORCHTUNE)
    return READ_BY_EACH;
  if (engine == SW_FRAMEWORK_DEEPSPEED)
    return s->zero_stage == 3 || problem->training.type == SW_TRAINING_QLORA ? READ_PIECES
                                                                             : READ_BY_EACH;
  if (sw_framework_is_fsdp (engine) && s->zero_stage > 0 && s->dp * s->cp > 1)
    return READ_ONCE;
  if (!sw_framework_is_fsdp (engine) || tool == SW_FRAMEWORK_UNSLOTH
      || problem->training.type == SW_TRAINING_QLORA)
    return READ_PIECES;
  return READ_BY_EACH;
}

/* Bytes per weight when it is read: fp32 if the optimizer updates fp32 weights. */
static double
read_bytes (const SwProblem *problem, const SwStrategy *s)
{
  return sw_training_is_adapter (&problem->training) || problem->training.no_master
                 || problem->training.parameter_bytes == 2
                 || !sw_framework_is_fsdp (sw_engine ((SwFramework) s->framework))
                 || sw_updates_16_bits (problem, s)
             ? 2
             : 4;
}

/**
 * sw_moments:
 * @problem: a prepared question
 * @estimate: of a strategy
 * @out: (out): memory outside steady steps; bytes
 *
 * Evaluation uses the micro-batch of training with all logits, copied to 32 bits, because no fused
 * loss runs there (transformers, ForCausalLMLoss).
 *
 * Returns: whether the job has such moments: it starts from pretrained weights and does not
 * generate
 */
gboolean
sw_moments (const SwProblem *problem, const SwEstimate *estimate, SwMoments *out)
{
  const SwStrategy *s = &estimate->strategy;
  const SwTraining *training = &problem->training;
  const SwMemoryParts *peak = &estimate->memory.peak;
  const SwModelSpec *model = &problem->model;
  const double bytes = read_bytes (problem, s), layers = MAX (model->layers, 1),
               vocabulary = (double) model->vocab_size * model->hidden_size,
               layer = (problem->count.total - vocabulary) / layers,
               piece = bytes * MAX (vocabulary, layer),
               processes = MIN (estimate->gpus_used, problem->cluster.gpus_per_node),
               logits = training->scalar_head ? 0
                                              : (double) s->micro_batch * training->sequence_length
                                                    / s->cp * model->vocab_size / s->tp * (2 + 4),
               whole = bytes * problem->count.total * (1 + training->frozen_copies);

  if (training->type == SW_TRAINING_PRETRAIN || training->type == SW_TRAINING_RLHF)
    return FALSE;
  switch (readers_of (problem, s))
    {
    case READ_BY_EACH: out->loading_host = processes * whole; break;
    case READ_ONCE: out->loading_host = whole; break;
    case READ_PIECES:
    default: out->loading_host = processes * piece; break;
    }
  out->loading = peak->parameters + peak->framework
                 + (s->dp * s->cp > 1 && s->zero_stage > 0 ? piece : 0);
  /* DeepSpeed allocates the optimizer's states before the first step
   * (initialize_optimizer_states). */
  out->first_backward =
      peak->total
      - (sw_framework_is_fsdp (sw_engine ((SwFramework) s->framework)) ? peak->optimizer : 0);
  out->evaluation = peak->parameters + peak->optimizer + peak->framework + logits;
  return TRUE;
}
