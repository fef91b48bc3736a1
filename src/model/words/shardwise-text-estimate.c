/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts about an estimate: its phases, its unmeasured parts, the communication of a step, and the
 * tensors at the peak of a stage. */
#include "shardwise-text-estimate.h"
#include <glib/gi18n.h>
#include <string.h>
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "sw-framework.h"

/**
 * shardwise_text_phase:
 * @phase: of a step of reinforcement learning
 *
 * Returns: its name
 */
const char *
shardwise_text_phase (SwPhaseKind phase)
{
  switch (phase)
    {
    case SW_PHASE_GENERATION: return _ ("Generation");
    case SW_PHASE_SCORING: return _ ("Scoring");
    case SW_PHASE_CRITIC: return _ ("Critic training");
    case SW_PHASE_POLICY: return _ ("Policy training");
    case SW_N_PHASES:
    default: g_return_val_if_reached ("");
    }
}

/* How a step divides into its phases; NULL if it has none. */
static char *
phases_text (const SwEstimate *estimate)
{
  g_autofree char *step = shardwise_format_seconds (estimate->time.step_s);
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint i = 0; i < estimate->phases.n; i++)
    {
      const SwPhase *phase = &estimate->phases.phase[i];
      g_autofree char *share =
          shardwise_format_percent (phase->time.step_s / estimate->time.step_s);

      shardwise_text_items (list, "%s %s", shardwise_text_phase (phase->kind), share);
    }
  if (list->len == 0)
    return NULL;
  return g_strdup_printf (
      /* Translators: a duration, then a list: "Generation 61.2 %, Scoring 9.8 %, …" */
      _ ("A step takes %s: %s."), step, list->str);
}

/**
 * shardwise_text_generation:
 * @problem: the question
 * @estimate: of one strategy
 *
 * Returns: (transfer full) (nullable): how answers are generated, with the assumptions; %NULL if
 * none are
 */
char *
shardwise_text_generation (const SwProblem *problem, const SwEstimate *estimate)
{
  const SwGenerationPlan *plan = &estimate->phases.generation;
  g_autofree char *gpus = NULL, *replicas = NULL, *cache = NULL, *copy = NULL;
  GString *text = g_string_new (NULL);

  if (estimate->phases.n == 0)
    return g_string_free (text, TRUE);
  gpus = shardwise_format_gpus (plan->tp);
  replicas = g_strdup_printf (
      /* Translators: a number of copies of the model, then "4 GPUs" */
      ngettext ("%u replica of %s", "%u replicas of %s", plan->replicas), plan->replicas, gpus);
  cache = shardwise_format_bytes (plan->cache_bytes);
  copy = shardwise_format_bytes (plan->weight_bytes);
  shardwise_text_append (
      text, g_strdup_printf (
                /* Translators: "8 replicas of 4 GPUs", sequences at once, sequences in all, memory,
           tokens of an answer, tokens of a sequence */
                _ ("Generation runs on %s, with %'u of %'u sequences at a time and %s of KV cache "
                   "per GPU; the answer takes %'u of the %'u tokens in a sequence."),
                replicas, plan->concurrent, plan->sequences, cache,
                sw_rlhf_response_tokens (&problem->training), problem->training.sequence_length));
  if (!problem->training.rlhf_colocated)
    shardwise_text_append (
        text, g_strdup_printf (
                  /* Translators: a number of GPUs */
                  ngettext ("The %'u GPU that is not used for training generates the answers.",
                            "The %'u GPUs that are not used for training generate the answers.",
                            plan->gpus),
                  plan->gpus));
  else if (plan->moved)
    shardwise_text_append (
        text,
        g_strdup_printf (
            /* Translators: an amount of memory */
            _ ("Once per step, the weights are gathered into a copy of %s for generation."), copy));
  shardwise_text_append (
      text,
      g_strdup (
          problem->training.rlhf_ppo
              ? _ ("The phases run one after another; nothing moves to the host between them.")
              : _ ("The phases run one after another; nothing moves to the host between them. "
                   "Rewards come from rules, not from a model.")));
  return g_string_free (text, FALSE);
}

/**
 * shardwise_text_unmeasured:
 * @problem: the question
 * @estimate: of one strategy
 *
 * Returns: (transfer full) (nullable): parts without published measurements, because of which the
 * figures are not validated; %NULL: none
 */
char *
shardwise_text_unmeasured (const SwProblem *problem, const SwEstimate *estimate)
{
  GString *text = g_string_new (NULL);

  if (sw_estimate_is_validated (estimate))
    return g_string_free (text, TRUE);
  if (estimate->unmeasured & SW_UNMEASURED_GPU)
    shardwise_text_append (text, g_strdup_printf (
                                     /* Translators: the name of a GPU */
                                     _ ("No measured runs used %s."), problem->cluster.gpu.name));
  if (estimate->unmeasured & SW_UNMEASURED_TRAINING)
    shardwise_text_append (text, g_strdup (_ ("No measured runs used reinforcement learning.")));
  if (estimate->unmeasured & SW_UNMEASURED_OFFLOAD)
    shardwise_text_append (text,
                           g_strdup (_ ("Too few measured runs used offload to validate it.")));
  if (estimate->unmeasured & SW_UNMEASURED_PCIE)
    shardwise_text_append (
        text,
        g_strdup (_ ("Too few measured runs used GPUs connected only by PCIe to validate them.")));
  shardwise_text_append (text, g_strdup (_ ("These figures are not validated; their error interval "
                                            "is wider than that of any measured kind of run.")));
  return g_string_free (text, FALSE);
}

/**
 * shardwise_text_untried:
 * @untried: a set of #SwUntried
 *
 * Returns: (transfer full) (nullable): features of a strategy that no recipe uses, as a list of
 * phrases; %NULL if there are none
 */
char *
shardwise_text_untried (guint untried)
{
  /* Translators: "The recommended strategy avoids …" */
  static const char *const phrases[SW_N_UNTRIED] = {
    N_ ("offload to host memory"),
    N_ ("tensor parallelism beyond a node or 8 GPUs"),
    N_ ("context parallelism with such short parts of a sequence"),
    N_ ("expert parallelism over more than 64 GPUs"),
    N_ ("pipeline stages with different numbers of layers"),
    N_ ("this pipeline schedule"),
    N_ ("sharding over parts of nodes"),
    N_ ("tensor parallelism with this framework"),
    N_ ("expert parallelism with this framework"),
    N_ ("pipeline parallelism with this framework"),
  };
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  g_autofree char *first = NULL;
  const char *last;

  for (guint i = 0; i < SW_N_UNTRIED; i++)
    if ((untried & 1u << i) != 0)
      g_ptr_array_add (found, (gpointer) _ (phrases[i]));
  if (found->len == 0)
    return NULL;
  last = found->pdata[found->len - 1];
  if (found->len == 1)
    return g_strdup (last);
  found->pdata[found->len - 1] = NULL;
  first = shardwise_text_enumerate ((const char *const *) found->pdata);
  return g_strdup_printf (_ ("%s and %s"), first, last);
}

/**
 * shardwise_text_fit:
 * @estimate: of one strategy
 *
 * Returns: (transfer full) (nullable): that its memory may not suffice, or barely does and what
 * that may cost; %NULL if it fits by the upper end of its interval with memory left, or does not
 * fit at all
 */
char *
shardwise_text_fit (const SwEstimate *estimate)
{
  g_autofree char *high = shardwise_format_bytes (estimate->memory_high_bytes),
                  *usable = shardwise_format_bytes (estimate->usable_bytes);
  GString *text = g_string_new (NULL);

  if (estimate->fit == SW_FIT_MAY_NOT)
    shardwise_text_append (
        text,
        g_strdup_printf (
            /* Translators: two amounts of memory */
            _ ("It may not fit: at the upper end of the interval, it needs %s, but a GPU has %s."),
            high, usable));
  if (estimate->retries && estimate->fits)
    shardwise_text_append (text,
                           g_strdup (_ ("So little memory is free that the allocator may have to "
                                        "retry, which can make steps several times as long.")));
  return g_string_free (text, text->len == 0);
}

/**
 * shardwise_text_evaluation:
 * @estimate: of one strategy
 * @moments: of it
 *
 * Returns: (transfer full) (nullable): that evaluation needs more memory than a step; %NULL if it
 *   does not
 */
char *
shardwise_text_evaluation (const SwEstimate *estimate, const SwMoments *moments)
{
  g_autofree char *needs = shardwise_format_bytes (moments->evaluation),
                  *step = shardwise_format_bytes (estimate->memory.peak.total);

  if (moments->evaluation <= estimate->memory.peak.total)
    return NULL;
  return g_strdup_printf (
      /* Translators: two amounts of memory */
      _ ("Evaluation needs %s per GPU, more than the %s of a training step: evaluate smaller "
         "batches "
         "(per_device_eval_batch_size)."),
      needs, step);
}

/**
 * shardwise_text_interval:
 * @problem: the question
 * @estimate: of one strategy
 *
 * Returns: (transfer full) (nullable): the meaning and the basis of the interval; %NULL if
 * shardwise_text_unmeasured() explains why it has none
 */
char *
shardwise_text_interval (const SwProblem *problem, const SwEstimate *estimate)
{
  const SwFramework framework = (SwFramework) estimate->strategy.framework;
  const char *name = shardwise_text_framework (sw_engine (framework)),
             *gpu = problem->cluster.gpu.name;
  guint runs = sw_calibration_residual (problem->calibration, problem->cluster.gpu.generation,
                                        framework, problem->model.moe.experts > 0,
                                        sw_training_is_adapter (&problem->training))
                   ->rows;

  if (!sw_estimate_is_validated (estimate))
    return NULL;
  if (estimate->unmeasured & SW_UNMEASURED_FRAMEWORK)
    return g_strdup_printf (
        /* Translators: names of a framework and of a GPU */
        _ ("Very few measured runs of this kind used %s on GPUs of the same generation as %s, so "
           "the interval is wider than that of any measured kind of run."),
        name, gpu);
  return g_strdup_printf (
      /* Translators: a number of runs, names of a framework and of a GPU */
      ngettext (
          "The interval covers nine in ten runs of this kind, each predicted without data from its "
          "own source; %u measured run used %s on GPUs of the same generation as %s.",
          "The interval covers nine in ten runs of this kind, each predicted without data from its "
          "own source; %u measured runs used %s on GPUs of the same generation as %s.",
          runs),
      runs, name, gpu);
}

/**
 * shardwise_text_accuracy:
 * @a: the calibration's accuracy
 *
 * Returns: (transfer full): the accuracy that the program states
 */
char *
shardwise_text_accuracy (const SwAccuracy *a)
{
  g_autofree char *time = shardwise_format_percent (a->time_median),
                  *most_time = shardwise_format_percent (a->time_p90),
                  *memory = shardwise_format_percent (a->memory_median),
                  *most_memory = shardwise_format_percent (a->memory_p90);

  return g_strdup_printf (
      /* Translators: four percentages: median and nine in ten, of time and of memory */
      _ ("Of measured runs of labs that its constants were not fitted on, half have a step time "
         "within %s of the predicted one, nine in ten within %s; memory is within %s and %s."),
      time, most_time, memory, most_memory);
}

static void
add_note (GPtrArray *notes, char *text)
{
  if (text != NULL)
    g_ptr_array_add (notes, text);
}

/**
 * shardwise_note_estimate:
 * @notes: of char*; notes on the estimate's figures are added
 */
void
shardwise_note_estimate (GPtrArray *notes, const SwProblem *problem, const SwEstimate *estimate)
{
  add_note (notes, shardwise_text_unmeasured (problem, estimate));
  add_note (notes, phases_text (estimate));
  add_note (notes, shardwise_text_generation (problem, estimate));
}

/**
 * shardwise_text_communication:
 * @row: of the table of communication
 *
 * Returns: (transfer none): what is communicated: "Data parallel, gradients"
 */
const char *
shardwise_text_communication (const SwCommunication *row)
{
  gboolean other = row->use == SW_COMMUNICATION_OTHER_PHASES;

  switch (row->group)
    {
    case SW_COMMUNICATION_TENSOR:
      return other ? _ ("Tensor parallel, other phases") : _ ("Tensor parallel");
    case SW_COMMUNICATION_CONTEXT:
      if (row->use == SW_COMMUNICATION_MERGES)
        return _ ("Context parallel, merging partial results");
      return other ? _ ("Context parallel, other phases") : _ ("Context parallel");
    case SW_COMMUNICATION_EXPERT:
      return other ? _ ("Expert parallel, other phases") : _ ("Expert parallel");
    case SW_COMMUNICATION_PIPELINE:
      return other ? _ ("Pipeline transfers, other phases") : _ ("Pipeline transfers");
    case SW_COMMUNICATION_DATA:
      if (row->use == SW_COMMUNICATION_GRADIENTS)
        return row->is_experts ? _ ("Data parallel, expert gradients")
                               : _ ("Data parallel, gradients");
      if (row->use == SW_COMMUNICATION_REPLICAS)
        return row->is_experts ? _ ("Data parallel, expert gradients across shards")
                               : _ ("Data parallel, gradients across shards");
      if (row->use == SW_COMMUNICATION_PARAMETERS)
        return row->is_experts ? _ ("Data parallel, expert parameters")
                               : _ ("Data parallel, parameters");
      g_return_val_if_fail (other, "");
      return _ ("Data parallel, other phases");
    case SW_N_COMMUNICATION_GROUPS:
    default: g_return_val_if_reached ("");
    }
}

/**
 * shardwise_text_collective:
 * @row: of the table of communication
 *
 * Returns: (transfer none): the operation as named in collective libraries; "–" if nothing is sent,
 * or several kinds
 */
const char *
shardwise_text_collective (const SwCommunication *row)
{
  if (row->calls <= 0)
    return "–";
  switch (row->kind)
    {
    case SW_COLLECTIVE_ALL_REDUCE: return C_ ("collective", "all-reduce");
    case SW_COLLECTIVE_ALL_GATHER: return C_ ("collective", "all-gather");
    case SW_COLLECTIVE_REDUCE_SCATTER: return C_ ("collective", "reduce-scatter");
    case SW_COLLECTIVE_ALL_TO_ALL: return C_ ("collective", "all-to-all");
    case SW_COLLECTIVE_P2P:
    default: return C_ ("collective", "send and receive");
    }
}

/* The name of a link without the machines that have it. */
static char *
short_name (const SwLink *link)
{
  const char *end = strstr (link->name, " (");

  return end != NULL ? g_strndup (link->name, (gsize) (end - link->name)) : g_strdup (link->name);
}

/**
 * shardwise_text_links:
 * @problem: the question
 * @row: of the table of communication
 *
 * Returns: (transfer full): its links; "–" if nothing is sent
 */
char *
shardwise_text_links (const SwProblem *problem, const SwCommunication *row)
{
  g_autofree char *intra = short_name (&problem->cluster.intra),
                  *inter = short_name (&problem->cluster.inter);

  if (row->inside && row->network)
    /* Translators: two kinds of links: "NVLink 4 + NVSwitch and InfiniBand NDR 400" */
    return g_strdup_printf (_ ("%s and %s"), intra, inter);
  if (row->network)
    return g_steal_pointer (&inter);
  return row->inside ? g_steal_pointer (&intra) : g_strdup ("–");
}

/**
 * shardwise_text_communications:
 * @problem: the question
 * @rows: the table of communication
 * @n: their number
 *
 * Returns: (transfer full): the row that delays the step most, its links, and how much is hidden
 */
char *
shardwise_text_communications (const SwProblem *problem, const SwCommunication *rows, guint n)
{
  const SwCommunication *most = &rows[0];
  g_autofree char *links = NULL, *time = NULL, *hidden = NULL;

  if (n == 0)
    return g_strdup (_ ("There is no communication: the model runs on one GPU."));
  for (guint i = 1; i < n; i++)
    if (rows[i].exposed_s > most->exposed_s
        || (rows[i].exposed_s >= most->exposed_s && rows[i].seconds > most->seconds))
      most = &rows[i];
  time = shardwise_format_seconds (most->seconds);
  hidden = shardwise_format_percent (most->seconds > 0 ? most->hidden_s / most->seconds : 0);
  if (most->calls <= 0)
    return g_strdup_printf (
        /* Translators: what costs ("Tensor parallel, other phases"), a duration, a percentage */
        _ ("Largest cost: %s, %s per step, %s of it overlapped with compute."),
        shardwise_text_communication (most), time, hidden);
  links = shardwise_text_links (problem, most);
  return g_strdup_printf (
      /* Translators: what is sent ("Tensor parallel"), how ("all-gather"), over which links, a
     * duration, a percentage */
      _ ("Largest cost: %s (%s) over %s, %s per step, %s of it overlapped with compute."),
      shardwise_text_communication (most), shardwise_text_collective (most), links, time, hidden);
}

/* Weights, gradients and states also mention the parameters that they belong to. */
static const char *const state_names[][SW_N_OWNERS] = {
  [SW_TENSOR_WEIGHTS] = { NULL, N_ ("Layer weights"), N_ ("Embedding and head weights"),
                          N_ ("Expert weights") },
  [SW_TENSOR_FROZEN_WEIGHTS] = { NULL, N_ ("Frozen layer weights"),
                                 N_ ("Frozen embedding and head weights"),
                                 N_ ("Frozen expert weights") },
  [SW_TENSOR_GRADIENTS] = { NULL, N_ ("Layer gradients"), N_ ("Embedding and head gradients"),
                            N_ ("Expert gradients") },
  [SW_TENSOR_OPTIMIZER] = { NULL, N_ ("Layer optimizer states"),
                            N_ ("Embedding and head optimizer states"),
                            N_ ("Expert optimizer states") },
};

static const char *const kind_names[SW_N_TENSOR_KINDS] = {
  [SW_TENSOR_REFERENCE] = N_ ("Reference or teacher weights"),
  [SW_TENSOR_LAYER_INPUTS] = N_ ("Layer inputs"),
  [SW_TENSOR_NORMS] = N_ ("Norm outputs"),
  [SW_TENSOR_QUERIES_KEYS_VALUES] = N_ ("Queries, keys and values"),
  [SW_TENSOR_MLA_PROJECTIONS] = N_ ("Latents projected up to queries, keys and values"),
  [SW_TENSOR_ATTENTION_SCORES] = N_ ("Attention scores or their statistics"),
  [SW_TENSOR_ATTENTION_OUTPUT] = N_ ("Attention output"),
  [SW_TENSOR_ATTENTION_CONTEXT] = N_ ("Inputs of the output projection and other norms"),
  [SW_TENSOR_MLP] = N_ ("MLP, before the activation function"),
  [SW_TENSOR_MLP_ACTIVATION] = N_ ("MLP, after the activation function"),
  [SW_TENSOR_EXPERTS] = N_ ("Experts, before the activation function"),
  [SW_TENSOR_EXPERT_ACTIVATION] = N_ ("Experts, after the activation function"),
  [SW_TENSOR_SHARED_EXPERTS] = N_ ("Shared experts"),
  [SW_TENSOR_ROUTER] = N_ ("Router"),
  [SW_TENSOR_MTP_LAYERS] = N_ ("Multi-token prediction layers"),
  [SW_TENSOR_EMBEDDING_MASK] = N_ ("Embedding dropout mask"),
  [SW_TENSOR_RUNNING_LAYER] = N_ ("Layer in the backward pass"),
  [SW_TENSOR_LOGITS] = N_ ("Logits and cross-entropy"),
  [SW_TENSOR_PIPELINE_BUFFERS] = N_ ("Pipeline buffers"),
  [SW_TENSOR_WEIGHT_GRADIENTS] = N_ ("Weight gradients in flight"),
  [SW_TENSOR_SHARDING_BUFFERS] = N_ ("Gathered parameters and gradient buckets"),
  [SW_TENSOR_OPTIMIZER_STEP] = N_ ("Copies made by the optimizer step"),
  [SW_TENSOR_FRAGMENTATION] = N_ ("Fragmentation"),
  [SW_TENSOR_CUDA_CONTEXT] = N_ ("CUDA context and kernels"),
  [SW_TENSOR_COMMUNICATORS] = N_ ("Communicator buffers"),
  [SW_TENSOR_OTHER_PHASE] = N_ ("Other models and other phases"),
};

/**
 * shardwise_text_tensor:
 * @tensor: an entry of sw_memory_tensors()
 *
 * Returns: (transfer none): its name, translated: "Weights of the experts"
 */
const char *
shardwise_text_tensor (const SwTensor *tensor)
{
  g_return_val_if_fail (tensor != NULL, NULL);
  return _ (tensor->owner != SW_OWNER_NONE ? state_names[tensor->kind][tensor->owner]
                                           : kind_names[tensor->kind]);
}

/**
 * shardwise_text_tensor_detail:
 * @tensor: an entry of sw_memory_tensors()
 *
 * Returns: (transfer full): their number and how they are sharded, translated; may be ""
 */
char *
shardwise_text_tensor_detail (const SwTensor *tensor)
{
  g_autofree char *whole = NULL, *each = NULL, *count = NULL, *cut = NULL;

  g_return_val_if_fail (tensor != NULL, NULL);

  whole = shardwise_format_count (tensor->count);
  if (tensor->owner != SW_OWNER_NONE)
    /* Translators: %s is a count such as 13.1 B */
    count = g_strdup_printf (_ ("%s parameters"), whole);
  else if (tensor->count > 1)
    {
      each = shardwise_format_bytes (tensor->bytes / tensor->count);
      /* Translators: how many tensors of which size: 80 × 64 MiB */
      count = g_strdup_printf (_ ("%s × %s"), whole, each);
    }
  /* Only for states the number of GPUs that shard them; for kept activations the strategy shows
   * it. */
  if (tensor->owner != SW_OWNER_NONE && tensor->data > 1)
    cut = g_strdup_printf (ngettext ("sharded over %'u GPU", "sharded over %'u GPUs", tensor->data),
                           tensor->data);
  if (count != NULL && cut != NULL)
    /* Translators: two parts of one description: “13.1 B parameters, sharded over 8 GPUs” */
    return g_strdup_printf (_ ("%s, %s"), count, cut);
  return g_strdup (count != NULL ? count : cut != NULL ? cut : "");
}

/**
 * shardwise_text_memory_part:
 * @part: of the memory of a GPU
 *
 * Returns: (transfer none): its translated name
 */
const char *
shardwise_text_memory_part (SwMemoryPart part)
{
  static const char *const names[SW_N_PARTS] = {
    [SW_PART_PARAMETERS] = N_ ("Parameters"), [SW_PART_GRADIENTS] = N_ ("Gradients"),
    [SW_PART_OPTIMIZER] = N_ ("Optimizer"),   [SW_PART_ACTIVATIONS] = N_ ("Activations"),
    [SW_PART_LOGITS] = N_ ("Logits"),         [SW_PART_BUFFERS] = N_ ("Buffers"),
    [SW_PART_FRAMEWORK] = N_ ("Framework"),
  };

  return _ (names[part]);
}

/* The parts of the memory of the fullest GPU, the largest first. */
static void
sort_parts (const SwMemoryParts *parts, SwMemoryPart sorted[SW_N_PARTS])
{
  for (guint i = 0; i < SW_N_PARTS; i++)
    {
      const double bytes = sw_memory_part_bytes (parts, (SwMemoryPart) i);
      guint at = i;

      for (; at > 0 && sw_memory_part_bytes (parts, sorted[at - 1]) < bytes; at--)
        sorted[at] = sorted[at - 1];
      sorted[at] = (SwMemoryPart) i;
    }
}

/**
 * shardwise_text_largest_part:
 * @estimate: of a strategy
 *
 * Returns: (transfer full): what takes the most memory of its fullest GPU, and how much
 */
char *
shardwise_text_largest_part (const SwEstimate *estimate)
{
  const SwMemoryParts *peak = &estimate->memory.peak;
  SwMemoryPart sorted[SW_N_PARTS];
  g_autofree char *bytes = NULL, *total = shardwise_format_bytes (peak->total);

  sort_parts (peak, sorted);
  bytes = shardwise_format_bytes (sw_memory_part_bytes (peak, sorted[0]));
  /* Translators: "Optimizer", its memory, and that of everything on the GPU */
  return g_strdup_printf (_ ("Largest part of memory: %s, %s of %s per GPU"),
                          shardwise_text_memory_part (sorted[0]), bytes, total);
}

/**
 * shardwise_text_other_parts:
 * @estimate: of a strategy
 *
 * Returns: (transfer full): what else takes at least a twentieth of the memory of its fullest GPU,
 * the largest first: "Gradients 25.1 GiB · Activations 8.2 GiB"; "" if nothing does
 */
char *
shardwise_text_other_parts (const SwEstimate *estimate)
{
  const SwMemoryParts *peak = &estimate->memory.peak;
  SwMemoryPart sorted[SW_N_PARTS];
  GString *text = g_string_new (NULL);

  sort_parts (peak, sorted);
  for (guint i = 1; i < SW_N_PARTS; i++)
    {
      const double part = sw_memory_part_bytes (peak, sorted[i]);
      g_autofree char *bytes = shardwise_format_bytes (part);

      if (part < peak->total / 20)
        break;
      g_string_append_printf (text, "%s%s %s", i > 1 ? " · " : "",
                              shardwise_text_memory_part (sorted[i]), bytes);
    }
  return g_string_free (text, FALSE);
}

/**
 * shardwise_text_memory:
 * @problem: the question
 * @estimate: of a strategy
 *
 * Returns: (transfer full): the memory in use on its fullest GPU and the usable memory
 */
char *
shardwise_text_memory (const SwProblem *problem, const SwEstimate *estimate)
{
  g_autofree char *peak = shardwise_format_bytes (estimate->memory.peak.total);
  g_autofree char *usable = shardwise_format_bytes (estimate->usable_bytes);
  g_autofree char *share = shardwise_format_percent (estimate->memory_utilisation);
  g_autofree char *missing = shardwise_format_bytes (estimate->missing_bytes);
  g_autofree char *held = shardwise_format_bytes (estimate->memory.host_bytes), *host = NULL;
  const double host_bytes = sw_cluster_host_bytes (&problem->cluster);
  g_autofree char *there = shardwise_format_bytes (host_bytes);
  g_autofree char *gpu = shardwise_text_gpu_of_stage (&estimate->strategy,
                                                      estimate->memory.peak_stage);

  if (estimate->rule == SW_RULE_GPU_MEMORY)
    /* Translators: "a GPU of stage 3", its memory, what of it can be used, a percentage, and what
     * is too much */
    return g_strdup_printf (
        _ ("At its peak, %s needs %s of %s (%s), which is %s above the memory target."), gpu, peak,
        usable, share, missing);
  if (host_bytes > 0)
    /* Translators: memory in use, and memory that there is */
    host = g_strdup_printf (_ ("%s of %s"), held, there);
  if (estimate->memory.host_bytes > 0)
    /* Translators: "a GPU of stage 3", its memory, what of it can be used, a percentage, and the
     * memory of the host */
    return g_strdup_printf (
        _ ("At its peak, %s holds %s of %s (%s); in addition, each host holds %s."), gpu, peak,
        usable, share, host != NULL ? host : held);
  /* Translators: "a GPU of stage 3", its memory, what of it can be used, and a percentage */
  return g_strdup_printf (_ ("At its peak, %s holds %s of %s (%s)."), gpu, peak, usable, share);
}

/* ---- the pipeline ---- */

/**
 * shardwise_text_task:
 * @kind: of work on a micro-batch
 *
 * Returns: (transfer none): its translated name
 */
const char *
shardwise_text_task (SwTaskKind kind)
{
  switch (kind)
    {
    case SW_TASK_FORWARD: return _ ("Forward");
    case SW_TASK_BACKWARD_INPUT: return _ ("Backward (input)");
    case SW_TASK_BACKWARD_WEIGHT: return _ ("Backward (weight)");
    case SW_TASK_BACKWARD:
    default: return _ ("Backward");
    }
}

/**
 * shardwise_text_pipeline:
 * @pipeline: a simulated step
 *
 * Returns: (transfer full): how long an average GPU waits, and why
 */
char *
shardwise_text_pipeline (const SwPipeline *pipeline)
{
  double total_s = pipeline->total_s > 0 ? pipeline->total_s : 1;
  g_autofree char *idle = shardwise_format_percent (pipeline->bubble_fraction);
  g_autofree char *waits = shardwise_format_seconds (pipeline->bubble_fraction * total_s);
  g_autofree char *total = shardwise_format_seconds (pipeline->total_s);
  g_autofree char *bubble = shardwise_format_percent (pipeline->bubble_s / total_s);
  g_autofree char *transfers = shardwise_format_percent (pipeline->transfer_s / total_s);
  g_autofree char *uneven = shardwise_format_percent (pipeline->uneven_s / total_s);

  return g_strdup_printf (
      /* Translators: a percentage, two times, and the three percentages that the first consists of
       */
      _ ("On average, a GPU is idle %s of the time, %s of the pipeline’s %s: %s is pipeline "
         "bubble, %s is waiting for transfers and %s is due to the slowest stage."),
      idle, waits, total, bubble, transfers, uneven);
}

/* ---- what more of a resource gives ---- */

/**
 * shardwise_text_resource:
 * @resource: of a cluster or a job
 *
 * Returns: (transfer none): its translated name
 */
const char *
shardwise_text_resource (SwResource resource)
{
  static const char *const names[SW_N_RESOURCES] = {
    [SW_RESOURCE_COMPUTE] = N_ ("Compute rate"), [SW_RESOURCE_MEMORY] = N_ ("Memory capacity"),
    [SW_RESOURCE_HBM] = N_ ("Memory bandwidth"), [SW_RESOURCE_INTRA] = N_ ("Links within a node"),
    [SW_RESOURCE_NETWORK] = N_ ("Network"),      [SW_RESOURCE_BATCH] = N_ ("Global batch"),
  };

  return _ (names[resource]);
}

/**
 * shardwise_text_more:
 * @factor: the new amount relative to the old one; 1: unchanged
 *
 * Returns: (transfer full): the increase in percent
 */
char *
shardwise_text_more (double factor)
{
  /* Translators: how much more of something, in percent */
  return g_strdup_printf (_ ("+%.0f %%"), (factor - 1) * 100);
}

/**
 * shardwise_text_gain:
 * @resource: the increased resource
 * @gain: its effect
 * @now: the strategy without it
 *
 * Returns: (transfer full): both in one sentence
 */
char *
shardwise_text_gain (SwResource resource, const SwSensitivity *gain, const SwStrategy *now)
{
  const char *name = shardwise_text_resource (resource);
  g_autofree char *more = shardwise_text_more (gain->factor),
                  *held = shardwise_format_change (gain->held),
                  *best = shardwise_format_change (gain->reoptimised), *strategy = NULL;

  if (sw_strategy_equal (&gain->strategy, now))
    /* Translators: a resource ("Network"), how much more of it, and the change of the throughput
       ("+12 %") */
    return g_strdup_printf (_ ("%s %s: %s tokens/s; this strategy remains the best"), name, more,
                            best);
  strategy = shardwise_text_strategy (&gain->strategy);
  if (!gain->runs)
    return g_strdup_printf (
        /* Translators: a resource ("Global batch"), how much more of it, the change of the throughput
         ("+12 %"), and a strategy */
        _ ("%s %s: this strategy cannot run; %s tokens/s with %s"), name, more, best, strategy);
  return g_strdup_printf (
      /* Translators: a resource ("Network"), how much more of it, two changes of the throughput
       ("+12 %"), and a strategy */
      _ ("%s %s: %s tokens/s with this strategy, %s with %s"), name, more, held, best, strategy);
}
