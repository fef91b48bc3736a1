/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which strategies recipes and documentation of the frameworks use, and which they avoid or no
 * measured run checks. The search for a strategy to start with excludes the latter. */
#include "sw-level.h"

#include "sw-framework.h"

const char *const sw_level_names[] = { "measured", "usual", "untried", NULL };

/* Recipes stay within the eight GPUs of a baseboard, even in racks with wider links
 * (Megatron-Bridge's for GB200 and GB300). */
#define MOST_TP 8
/* DeepSeek-V3 spreads experts over 64 GPUs; Megatron-Bridge's recipes do not exceed that. */
#define MOST_EP 64
/* Llama 3 405B splits sequences of 131,072 tokens over 16 GPUs, NeMo's recipes 16,384 over 2: no
 * part has fewer tokens than this. */
#define LEAST_CP_TOKENS 4096

/* Whether a framework's recipes only shard such a job. FSDP's do for adapters, and for a policy
 * with critics (torchtune, verl). DeepSpeed's do for every job with a pretrained model (its own
 * chat recipes, Accelerate and Axolotl), because only Megatron-DeepSpeed splits layers and stages,
 * and it trains from scratch. */
static gboolean
is_sharded_alone (const SwProblem *problem, SwFramework framework)
{
  const SwTrainingType type = problem->training.type;
  const SwFramework engine = sw_engine (framework);

  if (engine == SW_FRAMEWORK_DEEPSPEED)
    return type != SW_TRAINING_PRETRAIN;
  return engine == SW_FRAMEWORK_FSDP2
         && (sw_training_is_adapter (&problem->training) || type == SW_TRAINING_RLHF);
}

/* Families, by the start of their IDs, whose experts TorchTitan spreads over FSDP 2 (its registry), and
 * DeepSpeed (auto_ep_presets). */
static const char *const titan_experts[] = { "llama-4-",  "deepseek-v2", "deepseek-v3",
                                             "qwen3-30b", "qwen3-235b",  "gpt-oss-",
                                             NULL };
static const char *const deepspeed_experts[] = { "mixtral-",  "deepseek-v2", "deepseek-v3",
                                                 "qwen3-30b", "qwen3-235b",  NULL };

static gboolean
is_among (const char *const *prefixes, const SwModelSpec *model)
{
  for (; *prefixes != NULL; prefixes++)
    if (g_str_has_prefix (model->id, *prefixes))
      return TRUE;
  return FALSE;
}

/* Those of TorchTitan that it does not split into stages. */
static const char *const unpiped_experts[] = { "qwen3-30b", "qwen3-235b", "gpt-oss-", NULL };

/**
 * sw_usual_tp:
 * @problem: a prepared question
 * @framework: what runs it
 * @tp: tensor parallel size
 *
 * No recipe for FSDP 1 splits layers. For FSDP 2, TorchTitan's recipes do, for full training over
 * fast links (with experts only its own models), and torchtune's for several nodes
 * (recipes/configs/llama3_3/70B_full_multinode.yaml).
 *
 * Returns: whether recipes split layers over this many GPUs
 */
gboolean
sw_usual_tp (const SwProblem *problem, SwFramework framework, guint tp)
{
  if (tp > 1
      && (sw_engine (framework) == SW_FRAMEWORK_FSDP || is_sharded_alone (problem, framework)
          || (sw_engine (framework) == SW_FRAMEWORK_FSDP2 && problem->cluster.intra.is_pcie)
          || (framework == SW_FRAMEWORK_FSDP2 && problem->model.moe.experts > 0
              && !is_among (titan_experts, &problem->model))
          || (framework == SW_FRAMEWORK_TORCHTUNE
              && problem->cluster.gpus <= problem->cluster.gpus_per_node)))
    return FALSE;
  return tp <= MIN (MAX (problem->cluster.nvlink_domain, problem->cluster.gpus_per_node), MOST_TP);
}

/**
 * sw_usual_cp:
 * @problem: a prepared question
 * @cp: context parallel size
 *
 * Returns: whether recipes split such sequences into this many parts
 */
gboolean
sw_usual_cp (const SwProblem *problem, guint cp)
{
  return cp == 1 || problem->training.sequence_length / cp >= LEAST_CP_TOKENS;
}

/**
 * sw_usual_ep:
 * @problem: a prepared question
 * @framework: what runs it
 * @ep: expert parallel size
 *
 * With FSDP 2, TorchTitan's recipes spread experts, and with DeepSpeed those of some models do; both
 * train all weights on the next token.
 *
 * Returns: whether recipes spread experts over this many GPUs
 */
gboolean
sw_usual_ep (const SwProblem *problem, SwFramework framework, guint ep)
{
  const SwTraining *training = &problem->training;
  const char *const *families = framework == SW_FRAMEWORK_FSDP2       ? titan_experts
                                : framework == SW_FRAMEWORK_DEEPSPEED ? deepspeed_experts
                                                                      : NULL;

  if (ep > 1 && families != NULL
      && (training->type > SW_TRAINING_FINETUNE || training->method != SW_METHOD_TOKENS
          || !is_among (families, &problem->model)))
    return FALSE;
  return ep <= MOST_EP;
}

/**
 * sw_usual_pp:
 * @problem: a prepared question
 * @framework: what runs it
 * @pp: pipeline stages
 *
 * With FSDP 2, only TorchTitan's recipes have a pipeline, for pre-training on several nodes.
 *
 * Recipes divide the layers evenly, or count embedding, head and predicted tokens as layers with
 * them (Llama 3 405B: 126 and 2 over 16 stages; DeepSeek-V3: 61 and 3). With layers of experts,
 * which compute little, the ends count as three even without predicted tokens (Kimi K2 in
 * Megatron-Bridge: 61 over 16).
 *
 * Returns: whether recipes split the model into this many stages
 */
gboolean
sw_usual_pp (const SwProblem *problem, SwFramework framework, guint pp)
{
  const guint layers = problem->model.layers,
              ends = MAX (2 + problem->model.mtp_layers, problem->model.moe.experts > 0 ? 3 : 0);

  if (pp > 1
      && (is_sharded_alone (problem, framework)
          || (framework == SW_FRAMEWORK_FSDP2
              && (problem->training.type != SW_TRAINING_PRETRAIN
                  || problem->cluster.gpus <= problem->cluster.gpus_per_node
                  || is_among (unpiped_experts, &problem->model)))))
    return FALSE;
  for (guint i = 0; i <= ends; i++)
    if ((layers + i) % pp == 0)
      return TRUE;
  return FALSE;
}

/**
 * sw_usual_shard_group:
 * @problem: a prepared question
 * @shard_group: number of replicas that ZeRO shards over
 * @dp: replicas
 * @ranks: adjacent GPUs of each replica, tp x cp
 *
 * Returns: whether recipes shard this way: over all replicas, or over whole nodes
 */
gboolean
sw_usual_shard_group (const SwProblem *problem, guint shard_group, guint dp, guint ranks)
{
  return shard_group == dp || shard_group * ranks % problem->cluster.gpus_per_node == 0;
}

/* Sequences with at least this many tokens are split over ranks. */
#define LONG_SEQUENCE 32768

/* Frameworks that people use for a kind of job, in the order in which they try them; ends with
 * ANY. */
typedef enum {
  JOB_TRAINING_ON_NODES, /* pre-training on nodes with fast links inside */
  JOB_TRAINING_ON_NODE,  /* the same on one of them */
  JOB_TUNING_ON_NODES,   /* full fine-tuning of a pretrained model on such nodes */
  JOB_TUNING,            /* the same on one node or without fast links */
  JOB_TUNING_ON_GPU,     /* the same on one GPU */
  JOB_ADAPTERS,          /* adapters on dense models, several GPUs */
  JOB_ADAPTERS_ON_GPU,
  JOB_RLHF_ON_NODES, /* reinforcement learning on several nodes */
  JOB_RLHF,
  JOB_PLAIN,        /* pre-training on GPUs without fast links */
  JOB_TRAINING_AMD, /* pre-training: Primus and ROCm's Megatron-LM, and PyTorch itself */
  JOB_PLAIN_AMD,
  JOB_TRAINING_GAUDI, /* Intel's forks of Megatron-LM and DeepSpeed */
  JOB_TUNING_GAUDI,   /* Optimum for Gaudi on Intel's fork of DeepSpeed */
  N_JOBS
} Job;

/* Recipes for pre-training: Megatron-LM, NeMo, TorchTitan, Megatron-DeepSpeed and Nanotron. For
 * fine-tuning: torchtune and Hugging Face, with FSDP and DeepSpeed; on one GPU Unsloth's notebooks;
 * for full fine-tuning on several nodes NeMo. For reinforcement learning: verl, OpenRLHF, TRL and,
 * for policies that do not fit there, verl with Megatron workers. torchtune comes last because its
 * development has ended
 * (meta-pytorch/torchtune#2883). */
static const SwFramework usual_frameworks[N_JOBS][SW_N_FRAMEWORKS] = {
  [JOB_TRAINING_ON_NODES] = { SW_FRAMEWORK_MEGATRON_CORE, SW_FRAMEWORK_FSDP2,
                              SW_FRAMEWORK_DEEPSPEED, SW_FRAMEWORK_NANOTRON },
  [JOB_TRAINING_ON_NODE] = { SW_FRAMEWORK_FSDP2, SW_FRAMEWORK_MEGATRON_CORE, SW_FRAMEWORK_DEEPSPEED,
                             SW_FRAMEWORK_NANOTRON },
  [JOB_TUNING_ON_NODES] = { SW_FRAMEWORK_FSDP2, SW_FRAMEWORK_DEEPSPEED, SW_FRAMEWORK_HF_TRAINER,
                            SW_FRAMEWORK_MEGATRON_CORE },
  [JOB_TUNING] = { SW_FRAMEWORK_HF_TRAINER, SW_FRAMEWORK_DEEPSPEED, SW_FRAMEWORK_FSDP2,
                   SW_FRAMEWORK_TORCHTUNE },
  [JOB_TUNING_ON_GPU] = { SW_FRAMEWORK_HF_TRAINER, SW_FRAMEWORK_UNSLOTH, SW_FRAMEWORK_DEEPSPEED,
                          SW_FRAMEWORK_TORCHTUNE },
  [JOB_ADAPTERS] = { SW_FRAMEWORK_HF_TRAINER, SW_FRAMEWORK_DEEPSPEED, SW_FRAMEWORK_TORCHTUNE },
  [JOB_ADAPTERS_ON_GPU] = { SW_FRAMEWORK_UNSLOTH, SW_FRAMEWORK_HF_TRAINER, SW_FRAMEWORK_TORCHTUNE },
  [JOB_RLHF_ON_NODES] = { SW_FRAMEWORK_VERL, SW_FRAMEWORK_OPENRLHF, SW_FRAMEWORK_MEGATRON_CORE },
  [JOB_RLHF] = { SW_FRAMEWORK_VERL, SW_FRAMEWORK_OPENRLHF, SW_FRAMEWORK_HF_TRAINER },
  [JOB_PLAIN] = { SW_FRAMEWORK_FSDP2, SW_FRAMEWORK_DEEPSPEED, SW_FRAMEWORK_FSDP },
  [JOB_TRAINING_AMD] = { SW_FRAMEWORK_MEGATRON_CORE, SW_FRAMEWORK_FSDP2 },
  [JOB_PLAIN_AMD] = { SW_FRAMEWORK_FSDP2, SW_FRAMEWORK_MEGATRON_CORE },
  [JOB_TRAINING_GAUDI] = { SW_FRAMEWORK_MEGATRON_CORE, SW_FRAMEWORK_DEEPSPEED },
  [JOB_TUNING_GAUDI] = { SW_FRAMEWORK_DEEPSPEED, SW_FRAMEWORK_HF_TRAINER },
};

static Job
job_of (const SwProblem *problem)
{
  const SwCluster *cluster = &problem->cluster;
  const gboolean fast = !cluster->intra.is_pcie && cluster->gpus > 1;
  /* Experts and long sequences are split over ranks that FSDP's recipes do not use, like several
   * nodes. */
  const gboolean nodes = cluster->gpus > cluster->gpus_per_node
                         || (problem->training.type != SW_TRAINING_PRETRAIN
                             && (problem->model.moe.experts > 0
                                 || problem->training.sequence_length >= LONG_SEQUENCE));
  const gboolean anew = problem->training.type == SW_TRAINING_PRETRAIN,
                 adapts = sw_training_is_adapter (&problem->training);

  if (cluster->gpu.generation == SW_GENERATION_GAUDI)
    return anew ? JOB_TRAINING_GAUDI : JOB_TUNING_GAUDI;
  if (anew && cluster->gpu.generation == SW_GENERATION_CDNA)
    return nodes ? JOB_TRAINING_AMD : JOB_PLAIN_AMD;
  if (problem->training.type == SW_TRAINING_RLHF)
    return nodes ? JOB_RLHF_ON_NODES : JOB_RLHF;
  if (!anew && cluster->gpus == 1)
    return adapts ? JOB_ADAPTERS_ON_GPU : JOB_TUNING_ON_GPU;
  /* torchtune supports few mixtures of experts; NeMo Automodel's recipes use expert parallelism. */
  if (!fast || (adapts && problem->model.moe.experts == 0))
    return anew ? JOB_PLAIN : adapts ? JOB_ADAPTERS : JOB_TUNING;
  if (anew)
    return nodes ? JOB_TRAINING_ON_NODES : JOB_TRAINING_ON_NODE;
  return nodes ? JOB_TUNING_ON_NODES : JOB_TUNING;
}

/* Whether a framework supports the training method. Preferences and teachers need a tool: plain
 * PyTorch and Megatron-LM only train on the next token; torchtune has recipes for DPO and for
 * distillation with adapters. */
static gboolean
has_method (SwFramework framework, const SwProblem *problem)
{
  const SwTraining *training = &problem->training;

  if (training->type == SW_TRAINING_RLHF || training->method == SW_METHOD_TOKENS)
    return TRUE;
  if (framework != SW_FRAMEWORK_TORCHTUNE)
    return framework != SW_FRAMEWORK_FSDP2 && framework != SW_FRAMEWORK_MEGATRON_CORE;
  return training->method == SW_METHOD_PREFERENCE
             ? training->algorithm == SW_ALGORITHM_DPO
             : training->method == SW_METHOD_DISTILL && sw_training_is_adapter (training);
}

/**
 * sw_usual_frameworks:
 * @problem: a question
 * @frameworks: (out caller-allocates): frameworks that people use for such a job on such hardware
 *   and that support the model, an expert's first choice first
 *
 * Returns: their number
 */
guint
sw_usual_frameworks (const SwProblem *problem, SwFramework frameworks[SW_N_FRAMEWORKS])
{
  const Job job = job_of (problem);
  guint n = 0;

  for (const SwFramework *f = usual_frameworks[job]; *f != SW_FRAMEWORK_ANY; f++)
    {
      const guint types = sw_framework_rules (*f)->types;

      /* TRL's PPO is experimental (docs/source/ppo_trainer.md). */
      if (*f == SW_FRAMEWORK_HF_TRAINER && problem->training.type == SW_TRAINING_RLHF
          && problem->training.rlhf_ppo)
        continue;
      if ((types == 0
           || (sw_framework_allows (types, problem->training.type)
               && sw_framework_allows (types, sw_training_states (&problem->training))))
          && sw_framework_builds (*f, &problem->model) && has_method (*f, problem))
        frameworks[n++] = *f;
    }
  return n;
}

/**
 * sw_is_last_resort:
 * @problem: a question
 * @framework: one of those that are usual for it
 *
 * verl's Megatron workers are started by scripts for one model each (its examples for Megatron), which
 * no exporter writes.
 *
 * Returns: whether the job begins with it only where nothing may fit in the others
 */
gboolean
sw_is_last_resort (const SwProblem *problem, SwFramework framework)
{
  return problem->training.type == SW_TRAINING_RLHF && framework == SW_FRAMEWORK_MEGATRON_CORE;
}

/**
 * sw_usual_modules:
 * @problem: a prepared question
 * @framework: what runs it
 * @sets: (out caller-allocates): sets of #SwRecomputeModules that "selective" may recompute, the
 *   framework's default (0) first
 *
 * Megatron-Bridge's recipes for models with experts name modules (perf_recipes: DeepSeek-V3 and
 * Kimi K2 the up-projection of latent attention, with or without the dense MLPs, Qwen3 the norms
 * and the experts' activation); its recipes for dense models name none.
 *
 * Returns: the number of sets
 */
guint
sw_usual_modules (const SwProblem *problem, SwFramework framework, guint sets[SW_MOST_MODULE_SETS])
{
  guint n = 0;

  sets[n++] = 0;
  if (framework != SW_FRAMEWORK_MEGATRON_CORE || problem->model.moe.experts == 0)
    return n;
  if (problem->model.mla.kv_lora_rank > 0)
    {
      sets[n++] = SW_MODULE_MLA_UP_PROJ;
      sets[n++] = SW_MODULE_MLA_UP_PROJ | SW_MODULE_MLP;
    }
  sets[n++] = SW_MODULE_LAYERNORM | SW_MODULE_MOE_ACT;
  return n;
}

/* Unusual parts: for every framework, or only for this one. */
static guint
bit_of (gboolean is_usual_here, gboolean is_usual, SwUntried everywhere, SwUntried here)
{
  if (is_usual_here)
    return 0;
  return is_usual ? here : everywhere;
}

/**
 * sw_untried:
 * @problem: a prepared question
 * @strategy: a strategy
 *
 * Returns: its unproven parts, a set of #SwUntried; 0: none
 */
guint
sw_untried (const SwProblem *problem, const SwStrategy *strategy)
{
  const SwStrategy *s = strategy;
  const SwFramework here = (SwFramework) s->framework, any = SW_FRAMEWORK_ANY;
  guint out = 0;

  if (s->offload != SW_OFFLOAD_NONE)
    out |= SW_UNTRIED_OFFLOAD;
  out |= bit_of (sw_usual_tp (problem, here, s->tp), sw_usual_tp (problem, any, s->tp),
                 SW_UNTRIED_TP, SW_UNTRIED_TP_HERE);
  if (!sw_usual_cp (problem, s->cp))
    out |= SW_UNTRIED_CP;
  out |= bit_of (sw_usual_ep (problem, here, s->ep), sw_usual_ep (problem, any, s->ep),
                 SW_UNTRIED_EP, SW_UNTRIED_EP_HERE);
  out |= bit_of (sw_usual_pp (problem, here, s->pp), sw_usual_pp (problem, any, s->pp),
                 SW_UNTRIED_STAGES, SW_UNTRIED_PP_HERE);
  if (s->pp > 1 && !sw_framework_allows (SW_USUAL_SCHEDULES, s->schedule))
    out |= SW_UNTRIED_SCHEDULE;
  if (s->zero_stage > 0 && !sw_usual_shard_group (problem, s->shard_group, s->dp, s->tp * s->cp))
    out |= SW_UNTRIED_SHARD_GROUP;
  return out;
}

/**
 * sw_is_left_out:
 * @problem: a prepared question
 * @strategy: a strategy
 *
 * Returns: whether the question excludes the strategy because a dimension that is not pinned is
 *   untried
 */
gboolean
sw_is_left_out (const SwProblem *problem, const SwStrategy *strategy)
{
  static const SwDimension dimensions[SW_N_UNTRIED] = {
    SW_DIM_OFFLOAD,  SW_DIM_TP,          SW_DIM_CP, SW_DIM_EP, SW_DIM_PP,
    SW_DIM_SCHEDULE, SW_DIM_SHARD_GROUP, SW_DIM_TP, SW_DIM_EP, SW_DIM_PP,
  };
  guint untried;

  if (problem->training.left_out == 0)
    return FALSE;
  untried = sw_untried (problem, strategy) & problem->training.left_out;
  for (guint i = 0; i < SW_N_UNTRIED; i++)
    if ((untried & 1u << i) != 0 && !sw_pins_has (&problem->pins, dimensions[i]))
      return TRUE;
  return FALSE;
}
