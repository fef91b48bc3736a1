/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The quantities that rules of the playbook can use, as numbers. */
#include "shardwise-quantity.h"

#include <glib/gi18n.h>

#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "sw-communication.h"
#include "sw-playbook.h"
#include "sw-quick-score.h"

/* GPUs that the fast link joins. */
static guint
fast_domain (const SwProblem *problem)
{
  return MAX (1, MAX (problem->cluster.nvlink_domain, problem->cluster.gpus_per_node));
}

#define OF_JOB(name, expression)                                                                   \
  static double name (const SwProblem *p, const SwEstimate *e) { return (double) (expression); }

/* ---- the job ---- */

OF_JOB (get_gpus, p->cluster.gpus)
OF_JOB (get_nodes, sw_cluster_nodes (&p->cluster))
OF_JOB (get_domain, MAX (1, fast_domain (p)))
OF_JOB (get_beyond_domain, MAX (1, fast_domain (p)) + 1)
OF_JOB (get_parameters, p->count.total / 1e9)
OF_JOB (get_experts, p->model.moe.experts)
OF_JOB (get_vision, p->model.kind != SW_MODEL_DECODER)
OF_JOB (get_sequence, p->training.sequence_length)
OF_JOB (get_batch, p->training.global_batch)
OF_JOB (get_batch_tokens, (double) p->training.global_batch * p->training.sequence_length / 1e6)
OF_JOB (get_pretraining, p->training.type == SW_TRAINING_PRETRAIN)
OF_JOB (get_adapter, sw_training_is_adapter (&p->training))
OF_JOB (get_fp16, p->training.precision == SW_PRECISION_FP16)
OF_JOB (get_has_bf16, sw_cluster_has_precision (&p->cluster, SW_PRECISION_BF16))
OF_JOB (get_flash, p->training.attention == SW_ATTENTION_FLASH)
OF_JOB (get_overlap, p->training.overlap != SW_OVERLAP_NONE)
OF_JOB (get_pcie, p->cluster.intra.is_pcie)
OF_JOB (get_ethernet, p->cluster.inter.is_ethernet)

/* ---- the strategy and what the model says of it ---- */

OF_JOB (get_fits, e->fits)
OF_JOB (get_memory, e->memory_utilisation * 100)
OF_JOB (get_memory_gib, e->memory.peak.total / SW_GIB)
OF_JOB (get_states_gib,
        (e->memory.peak.parameters + e->memory.peak.gradients + e->memory.peak.optimizer) / SW_GIB)
OF_JOB (get_bubble, e->bubble_fraction * 100)
OF_JOB (get_communication, e->communication_overhead * 100)
OF_JOB (get_efficiency, e->scaling_efficiency * 100)
OF_JOB (get_ratio, e->compute_to_communication)
OF_JOB (get_accumulation, e->gradient_accumulation)
OF_JOB (get_micro_batches, sw_strategy_micro_batches (p, &e->strategy))
OF_JOB (get_idle, e->gpus_idle)
OF_JOB (get_model_parallel, (double) e->strategy.tp * e->strategy.pp * e->strategy.cp)
OF_JOB (get_sequence_gpu, (double) p->training.sequence_length / MAX (1, e->strategy.cp))
OF_JOB (get_layers_over, p->model.layers % MAX (1, e->strategy.pp))
OF_JOB (get_heads_over, p->model.kv_heads % MAX (1, e->strategy.tp))
OF_JOB (get_expert_reach, (double) e->strategy.ep * e->strategy.etp)
OF_JOB (get_context_reach, (double) e->strategy.tp * e->strategy.cp)
OF_JOB (get_shard_reach,
        (double) e->strategy.shard_group * e->strategy.tp * MAX (1, e->strategy.cp))
OF_JOB (get_data_hidden,
        e->time.dp_hidden_s + e->time.dp_exposed_s > 0
            ? 100 * e->time.dp_hidden_s / (e->time.dp_hidden_s + e->time.dp_exposed_s)
            : 100)

/* Share of the step, in percent. */
static double
share (const SwEstimate *e, double seconds)
{
  return e->time.step_s > 0 ? 100 * seconds / e->time.step_s : 0;
}

OF_JOB (get_tp_share, share (e, e->time.tp_exposed_s))
OF_JOB (get_dp_share, share (e, e->time.dp_exposed_s))
OF_JOB (get_ep_share, share (e, e->time.ep_exposed_s))
OF_JOB (get_other_share, share (e, e->time.other_s))
OF_JOB (get_interval, 50 * (e->step_high_s - e->step_low_s) / MAX (1e-12, e->time.step_s))

/* Mean size of a data-parallel call for gradients: what one GPU sends in it. */
static double
get_bucket (const SwProblem *p, const SwEstimate *e)
{
  SwCommunication rows[SW_MAX_COMMUNICATIONS];
  const guint n = sw_communication (p, &e->strategy, rows);
  double bytes = 0, calls = 0;

  for (guint i = 0; i < n; i++)
    if (rows[i].group == SW_COMMUNICATION_DATA && rows[i].use == SW_COMMUNICATION_GRADIENTS)
      {
        bytes += rows[i].bytes;
        calls += rows[i].calls;
      }
  return calls > 0 ? bytes / calls / 1e6 : 0;
}

/* ---- what rules of thumb make of it ---- */

static SwQuickScore
quick_score (const SwProblem *p, const SwEstimate *e)
{
  SwQuickScore score;

  sw_quick_score_evaluate (p, e->strategy.tp, e->strategy.pp, e->strategy.dp, &score);
  /* Based on the micro-batches of the job, whether or not its batch is set. */
  score.compute_utilisation += score.bubble;
  score.bubble = sw_quick_score_bubble (e->strategy.pp, e->gradient_accumulation);
  score.compute_utilisation -= score.bubble;
  return score;
}

/* The tree's result without pins. */
static SwPlaybook
decision_tree (const SwProblem *p)
{
  SwProblem unpinned = *p;
  SwPlaybook tree;

  unpinned.pins.mask = 0;
  unpinned.training.micro_batch = sw_problem_stated_micro_batch (p);
  sw_playbook (&unpinned, &tree);
  return tree;
}

OF_JOB (get_quick_tp, quick_score (p, e).tp_overhead * 100)
OF_JOB (get_quick_dp, quick_score (p, e).dp_overhead * 100)
OF_JOB (get_quick_bubble, quick_score (p, e).bubble * 100)
OF_JOB (get_quick_memory, quick_score (p, e).memory_gb *SW_GB / SW_GIB)
OF_JOB (get_quick_zero, quick_score (p, e).zero_stage)
OF_JOB (get_quick_utilisation, quick_score (p, e).compute_utilisation * 100)
OF_JOB (get_tree_dp, decision_tree (p).strategy.dp)
OF_JOB (get_tree_tp, decision_tree (p).strategy.tp)
OF_JOB (get_tree_pp, decision_tree (p).strategy.pp)
OF_JOB (get_tree_cp, decision_tree (p).strategy.cp)
/* ETP GPUs of a stage share an expert. */
OF_JOB (get_largest_ep,
        p->model.moe.experts > 0
            ? sw_greatest_common_divisor (p->model.moe.experts, e->strategy.tp * e->strategy.cp
                                                                    * e->strategy.dp
                                                                    / MAX (1, e->strategy.etp))
            : 1)

/* 2 bytes of weights, 2 of gradients and 12 of optimizer per parameter; ZeRO 1, 2 and 3 shard the
 * last, the second and the first of them over the data-parallel ranks. */
static double
get_sixteen (const SwProblem *p, const SwEstimate *e)
{
  const SwStrategy *s = &e->strategy;
  const double dp = MAX (1, s->shard_group);
  const double bytes = 2.0 / (s->zero_stage >= 3 ? dp : 1) + 2.0 / (s->zero_stage >= 2 ? dp : 1)
                       + 12.0 / (s->zero_stage >= 1 ? dp : 1);

  return p->count.total * bytes / ((double) s->tp * s->pp) / SW_GIB;
}

/* N parameters, N gradients and 2 N optimizer states, 4 N over all GPUs; in billions. */
OF_JOB (get_elements, 4 * p->count.total / MAX (1, sw_strategy_gpus (&e->strategy)) / 1e9)

#define OF_STRATEGY(name, dimension) OF_JOB (name, sw_strategy_get (&e->strategy, dimension))

OF_STRATEGY (get_tp, SW_DIM_TP)
OF_STRATEGY (get_etp, SW_DIM_ETP)
OF_STRATEGY (get_pp, SW_DIM_PP)
OF_STRATEGY (get_vpp, SW_DIM_VPP)
OF_STRATEGY (get_dp, SW_DIM_DP)
OF_STRATEGY (get_cp, SW_DIM_CP)
OF_STRATEGY (get_ep, SW_DIM_EP)
OF_STRATEGY (get_sp, SW_DIM_SP)
OF_STRATEGY (get_zero, SW_DIM_ZERO)
OF_STRATEGY (get_shard_group, SW_DIM_SHARD_GROUP)
OF_STRATEGY (get_micro_batch, SW_DIM_MICRO_BATCH)
OF_STRATEGY (get_recompute, SW_DIM_RECOMPUTE)
OF_STRATEGY (get_offload, SW_DIM_OFFLOAD)

#define OF(name, label, unit, get)                                                                 \
  {                                                                                                \
    name, label, SHARDWISE_UNIT_##unit, SW_N_DIMENSIONS, get                                       \
  }
#define DIMENSION(name, dimension, get)                                                            \
  {                                                                                                \
    name, "", SHARDWISE_UNIT_DIMENSION, SW_DIM_##dimension, get                                    \
  }

static const ShardwiseQuantity quantities[] = {
  DIMENSION ("tp", TP, get_tp),
  DIMENSION ("etp", ETP, get_etp),
  DIMENSION ("pp", PP, get_pp),
  DIMENSION ("vpp", VPP, get_vpp),
  DIMENSION ("dp", DP, get_dp),
  DIMENSION ("cp", CP, get_cp),
  DIMENSION ("ep", EP, get_ep),
  DIMENSION ("sp", SP, get_sp),
  DIMENSION ("zero", ZERO, get_zero),
  DIMENSION ("shard-group", SHARD_GROUP, get_shard_group),
  DIMENSION ("micro-batch", MICRO_BATCH, get_micro_batch),
  DIMENSION ("recompute", RECOMPUTE, get_recompute),
  DIMENSION ("offload", OFFLOAD, get_offload),
  OF ("gpus", N_ ("GPUs"), COUNT, get_gpus),
  OF ("nodes", N_ ("nodes"), COUNT, get_nodes),
  OF ("domain", N_ ("GPUs per scale-up domain"), COUNT, get_domain),
  OF ("beyond-domain", N_ ("scale-up domain plus one GPU"), COUNT, get_beyond_domain),
  OF ("params", N_ ("parameters"), BILLIONS, get_parameters),
  OF ("experts", N_ ("experts"), COUNT, get_experts),
  OF ("vision", N_ ("vision or diffusion model"), FLAG, get_vision),
  OF ("sequence", N_ ("tokens per sequence"), COUNT, get_sequence),
  OF ("batch", N_ ("global batch"), COUNT, get_batch),
  OF ("batch-tokens", N_ ("tokens per batch"), MILLIONS, get_batch_tokens),
  OF ("pretraining", N_ ("pre-training"), FLAG, get_pretraining),
  OF ("adapter", N_ ("adapters"), FLAG, get_adapter),
  OF ("fp16", N_ ("fp16"), FLAG, get_fp16),
  OF ("has-bf16", N_ ("bf16 support of the GPU"), FLAG, get_has_bf16),
  OF ("flash", N_ ("flash attention"), FLAG, get_flash),
  OF ("overlap", N_ ("communication overlap"), FLAG, get_overlap),
  OF ("pcie", N_ ("GPUs connected only by PCIe"), FLAG, get_pcie),
  OF ("ethernet", N_ ("Ethernet between nodes"), FLAG, get_ethernet),
  OF ("fits", N_ ("fits"), FLAG, get_fits),
  OF ("memory", N_ ("memory use"), PERCENT, get_memory),
  OF ("memory-gib", N_ ("peak memory"), GIB, get_memory_gib),
  OF ("states-gib", N_ ("model states"), GIB, get_states_gib),
  OF ("bubble", N_ ("pipeline bubble"), PERCENT, get_bubble),
  OF ("communication", N_ ("exposed communication"), PERCENT, get_communication),
  OF ("efficiency", N_ ("scaling efficiency"), PERCENT, get_efficiency),
  OF ("ratio", N_ ("compute-to-communication ratio"), RATIO, get_ratio),
  OF ("accumulation", N_ ("gradient accumulation"), COUNT, get_accumulation),
  OF ("micro-batches", N_ ("micro-batches"), COUNT, get_micro_batches),
  OF ("idle", N_ ("idle GPUs"), COUNT, get_idle),
  OF ("model-parallel", N_ ("GPUs per replica"), COUNT, get_model_parallel),
  OF ("sequence-gpu", N_ ("tokens per sequence on one GPU"), COUNT, get_sequence_gpu),
  OF ("layers-over", N_ ("layers not divisible by PP"), COUNT, get_layers_over),
  OF ("heads-over", N_ ("KV heads not divisible by TP"), COUNT, get_heads_over),
  OF ("expert-reach", N_ ("expert parallel group size"), COUNT, get_expert_reach),
  OF ("context-reach", N_ ("GPUs per sequence"), COUNT, get_context_reach),
  OF ("shard-reach", N_ ("GPUs per shard group"), COUNT, get_shard_reach),
  OF ("data-hidden", N_ ("overlapped data-parallel communication"), PERCENT, get_data_hidden),
  OF ("tp-share", N_ ("tensor-parallel share of the step"), PERCENT, get_tp_share),
  OF ("dp-share", N_ ("data-parallel share of the step"), PERCENT, get_dp_share),
  OF ("ep-share", N_ ("expert-parallel share of the step"), PERCENT, get_ep_share),
  OF ("other-share", N_ ("other time, such as data loading"), PERCENT, get_other_share),
  OF ("interval", N_ ("half the interval of the step time"), PERCENT, get_interval),
  OF ("bucket", N_ ("gradient bucket size"), MEGABYTES, get_bucket),
  OF ("rule-tp-share", N_ ("tensor-parallel share"), PERCENT, get_quick_tp),
  OF ("rule-dp-share", N_ ("data-parallel share"), PERCENT, get_quick_dp),
  OF ("rule-bubble", N_ ("pipeline bubble"), PERCENT, get_quick_bubble),
  OF ("rule-memory", N_ ("peak memory"), GIB, get_quick_memory),
  OF ("rule-zero", N_ ("ZeRO stage"), COUNT, get_quick_zero),
  OF ("rule-utilisation", N_ ("compute utilization"), PERCENT, get_quick_utilisation),
  OF ("rule-states", N_ ("model states"), GIB, get_sixteen),
  OF ("rule-elements", N_ ("elements per GPU"), BILLIONS, get_elements),
  OF ("rule-tp", N_ ("tensor parallel"), COUNT, get_tree_tp),
  OF ("rule-pp", N_ ("pipeline stages"), COUNT, get_tree_pp),
  OF ("rule-dp", N_ ("data parallel"), COUNT, get_tree_dp),
  OF ("rule-cp", N_ ("context parallel"), COUNT, get_tree_cp),
  OF ("rule-ep", N_ ("expert parallel"), COUNT, get_largest_ep),
};

/**
 * shardwise_quantity_find:
 * @name: its name in conditions
 *
 * Returns: (nullable): the quantity
 */
const ShardwiseQuantity *
shardwise_quantity_find (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (quantities); i++)
    if (g_str_equal (quantities[i].name, name))
      return &quantities[i];
  return NULL;
}

/**
 * shardwise_quantity_get:
 * @self: a quantity
 * @problem: the question, prepared
 * @estimate: of the selected strategy
 *
 * Returns: its value, in the quantity's unit
 */
double
shardwise_quantity_get (const ShardwiseQuantity *self, const SwProblem *problem,
                        const SwEstimate *estimate)
{
  return self->get (problem, estimate);
}

static char *
format (const ShardwiseQuantity *self, double value, const char *number)
{
  switch (self->unit)
    {
    case SHARDWISE_UNIT_PERCENT:
      /* Translators: a percentage */
      return g_strdup_printf (_ ("%s %%"), number);
    case SHARDWISE_UNIT_GIB: return g_strdup_printf ("%s GiB", number);
    case SHARDWISE_UNIT_MEGABYTES:
      /* Translators: 1e6 bytes */
      return g_strdup_printf (_ ("%s MB"), number);
    case SHARDWISE_UNIT_RATIO:
      /* Translators: a ratio */
      return g_strdup_printf (_ ("%s : 1"), number);
    case SHARDWISE_UNIT_FLAG: return g_strdup (value > 0 ? _ ("yes") : _ ("no"));
    case SHARDWISE_UNIT_DIMENSION:
      return shardwise_text_dimension_value (self->dimension, (guint) MAX (0, value));
    case SHARDWISE_UNIT_COUNT:
    case SHARDWISE_UNIT_BILLIONS:
    case SHARDWISE_UNIT_MILLIONS:
    default: return g_strdup (number);
    }
}

/**
 * shardwise_quantity_format:
 * @self: a quantity
 * @value: a computed value, in its unit
 *
 * Returns: (transfer full): "61.2 GiB", "selective", "yes"
 */
char *
shardwise_quantity_format (const ShardwiseQuantity *self, double value)
{
  g_autofree char *number = shardwise_format_significant (value);

  if (self->unit == SHARDWISE_UNIT_COUNT)
    return shardwise_format_whole (value);
  if (self->unit == SHARDWISE_UNIT_BILLIONS)
    return shardwise_format_count (value * 1e9);
  if (self->unit == SHARDWISE_UNIT_MILLIONS)
    return shardwise_format_count (value * 1e6);
  if (self->unit == SHARDWISE_UNIT_PERCENT)
    return shardwise_format_percent (value / 100);
  if (self->unit == SHARDWISE_UNIT_GIB && !shardwise_memory_unit_is_decimal ())
    return shardwise_format_bytes (value * SW_GIB); /* else in GiB, as in rules */
  return format (self, value, number);
}

/**
 * shardwise_quantity_format_bound:
 * @self: a quantity
 * @value: a bound in a rule, in its unit
 *
 * Returns: (transfer full): "8 GiB", with the digits of the rule
 */
char *
shardwise_quantity_format_bound (const ShardwiseQuantity *self, double value)
{
  g_autofree char *number = g_strdup_printf ("%'.10g", value);

  if (self->unit == SHARDWISE_UNIT_BILLIONS)
    return shardwise_format_tick (value * 1e9);
  if (self->unit == SHARDWISE_UNIT_MILLIONS)
    return shardwise_format_tick (value * 1e6);
  return format (self, value, number);
}

/**
 * shardwise_quantity_describe:
 * @self: a quantity
 * @value: in its unit
 *
 * Returns: (transfer full): with its name: "TP 8", "pipeline bubble 8.6 %"
 */
char *
shardwise_quantity_describe (const ShardwiseQuantity *self, double value)
{
  g_autofree char *number = NULL;

  if (self->unit == SHARDWISE_UNIT_DIMENSION)
    return shardwise_text_label (self->dimension, (guint) MAX (0, value));
  number = shardwise_quantity_format (self, value);
  if (self->unit == SHARDWISE_UNIT_FLAG)
    return g_strdup_printf (
        /* Translators: a property and "yes" or "no": "flash attention: yes" */
        C_ ("quantity", "%s: %s"), _ (self->label), number);
  return g_strdup_printf (
      /* Translators: a figure and its value: "pipeline bubble 8.6 %" */
      C_ ("quantity", "%s %s"), _ (self->label), number);
}
