/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of the two rules of thumb: their figures, the reason for each value, and the changes needed
 * to run their strategies. Memory is in GB of 1e9 bytes, as the methods count it. */
#include "shardwise-text-method.h"

#include <glib/gi18n.h>

#include "shardwise-format.h"
#include "shardwise-text-search.h"
#include "shardwise-text-strategy.h"
#include "sw-thumb.h"

/* ---- figures ---- */

static void
figure_free (gpointer data)
{
  ShardwiseFigure *figure = data;

  g_free (figure->value);
  g_free (figure);
}

/* Takes ownership of @value. */
static void
add_figure (GPtrArray *figures, const char *label, char *value)
{
  ShardwiseFigure *figure = g_new0 (ShardwiseFigure, 1);

  figure->label = label;
  figure->value = value;
  g_ptr_array_add (figures, figure);
}

static char *
gigabytes (double bytes)
{
  g_autofree char *number = shardwise_format_significant (bytes / SW_GB);

  /* Translators: memory in units of 1e9 bytes, as the method counts */
  return g_strdup_printf (_ ("%s GB"), number);
}

/* A number above a limit, with as many digits as needed to show that it is above. */
static char *
more_than (double need, double limit)
{
  g_autofree char *have = shardwise_format_significant (limit);
  char *text = shardwise_format_significant (need);

  for (int digits = 2; g_str_equal (text, have) && digits < 6; digits++)
    {
      g_free (text);
      text = g_strdup_printf ("%'.*f", digits, need);
    }
  return text;
}

/* "75.4 > 72.0 GB" */
static char *
excess (double bytes, double limit)
{
  g_autofree char *need = more_than (bytes / SW_GB, limit / SW_GB);
  g_autofree char *have = shardwise_format_significant (limit / SW_GB);

  /* Translators: two amounts of memory in GB, the first one too much */
  return g_strdup_printf (_ ("%s > %s GB"), need, have);
}

static char *
within (double bytes, double limit)
{
  g_autofree char *need = shardwise_format_significant (bytes / SW_GB);
  g_autofree char *have = shardwise_format_significant (limit / SW_GB);

  /* Translators: memory that is needed and allowed, in units of 1e9 bytes */
  return g_strdup_printf (_ ("%s of %s GB"), need, have);
}

/**
 * shardwise_text_playbook_figures:
 * @playbook: the tree's answer
 *
 * Returns: (transfer full) (element-type ShardwiseFigure): the tree's figures
 */
GPtrArray *
shardwise_text_playbook_figures (const SwPlaybook *playbook)
{
  GPtrArray *figures = g_ptr_array_new_with_free_func (figure_free);

  add_figure (figures, _ ("Total weights"), gigabytes (playbook->weights_bytes));
  add_figure (figures, _ ("Weights per tensor-parallel rank"),
              gigabytes (playbook->weights_bytes_per_tp_rank));
  add_figure (figures, _ ("Model states per GPU, unsharded"), gigabytes (playbook->state_bytes));
  add_figure (figures, _ ("Activations per GPU"), gigabytes (playbook->activation_bytes));
  add_figure (figures, _ ("Total with ZeRO"),
              playbook->fits ? within (playbook->total_bytes, playbook->limit_bytes)
                             : excess (playbook->total_bytes, playbook->limit_bytes));
  return figures;
}

/**
 * shardwise_text_quick_figures:
 * @problem: the question
 * @score: a split with its score
 *
 * Returns: (transfer full) (element-type ShardwiseFigure): the score and its parts
 */
GPtrArray *
shardwise_text_quick_figures (const SwProblem *problem, const SwQuickScore *score)
{
  const double billions = sw_problem_named_parameters (problem) / 1e9;
  GPtrArray *figures = g_ptr_array_new_with_free_func (figure_free);
  const double need = score->memory_gb * SW_GB, limit = score->limit_gb * SW_GB;

  add_figure (figures, _ ("Score"), g_strdup_printf ("%.3f", score->score));
  add_figure (figures, _ ("Compute utilization × 0.6"),
              shardwise_format_percent (score->compute_utilisation));
  add_figure (figures, _ ("Memory utilization × 0.3"),
              shardwise_format_percent (score->memory_utilisation));
  add_figure (figures, _ ("DP bonus × 0.1"), shardwise_format_percent (score->dp_bonus));
  add_figure (figures, _ ("TP overhead"), shardwise_format_percent (score->tp_overhead));
  add_figure (figures, _ ("Pipeline bubble"), shardwise_format_percent (score->bubble));
  add_figure (figures, _ ("DP overhead"), shardwise_format_percent (score->dp_overhead));
  add_figure (figures, _ ("Micro-batches"),
              score->has_batch
                  ? g_strdup_printf ("%u", score->micro_batches)
                  /* Translators: a number of micro-batches */
                  : g_strdup_printf (_ ("%u, the method’s default"), score->micro_batches));
  add_figure (figures, _ ("Memory per GPU"),
              score->fits ? within (need, limit) : excess (need, limit));
  add_figure (figures, _ ("Published for this size"),
              g_strdup (billions < 7      ? _ ("DP only; one GPU may suffice")
                        : billions < 70   ? _ ("TP 2–4, DP for scaling")
                        : billions <= 175 ? _ ("TP 4–8 and PP 2–4")
                                          : _ ("TP, PP and DP together")));
  return figures;
}

/**
 * shardwise_text_quick_split:
 * @score: a split with its score
 *
 * Returns: (transfer full): its parallel sizes and stages, as published
 */
char *
shardwise_text_quick_split (const SwQuickScore *score)
{
  /* Translators: degrees of the quick score, its ZeRO stage, and the name of the FSDP strategy */
  return g_strdup_printf (_ ("TP %u · PP %u · DP %u · ZeRO %u (FSDP %s)"), score->tp, score->pp,
                          score->dp, score->zero_stage, sw_fsdp_strategy_names[score->fsdp]);
}

/* ---- what a framework makes otherwise ---- */

static char *
zero_change (const SwStrategy *decided, const SwStrategy *strategy)
{
  if (decided->zero_stage == strategy->zero_stage)
    return NULL;
  if (strategy->zero_stage > decided->zero_stage && decided->zero_stage > 0
      && strategy->zero_stage == 3)
    return g_strdup_printf (
        /* Translators: two ZeRO stages */
        _ ("ZeRO %u instead of %u because memory is short."), strategy->zero_stage,
        decided->zero_stage);
  if (strategy->pp > 1)
    return g_strdup_printf (
        /* Translators: a framework, two ZeRO stages */
        _ ("%s does not support ZeRO %u with a pipeline: ZeRO %u instead."),
        shardwise_text_framework (strategy->framework), decided->zero_stage, strategy->zero_stage);
  return g_strdup_printf (
      /* Translators: a framework, two ZeRO stages */
      _ ("%s does not support ZeRO %u: ZeRO %u instead."),
      shardwise_text_framework (strategy->framework), decided->zero_stage, strategy->zero_stage);
}

static char *
sp_change (const SwStrategy *decided, const SwStrategy *strategy)
{
  if (decided->sequence_parallel == strategy->sequence_parallel)
    return NULL;
  return g_strdup_printf (
      /* Translators: a framework */
      _ ("%s does not support sequence parallelism here, so it is off."),
      shardwise_text_framework (strategy->framework));
}

static char *
micro_batch_change (const SwStrategy *decided, const SwStrategy *strategy)
{
  if (decided->micro_batch == strategy->micro_batch)
    return NULL;
  return g_strdup_printf (
      /* Translators: two sizes of a micro-batch */
      _ ("Micro-batch %u instead of %u because memory is short."), strategy->micro_batch,
      decided->micro_batch);
}

static void
add_note (GPtrArray *notes, char *note)
{
  if (note != NULL)
    g_ptr_array_add (notes, note);
}

/**
 * shardwise_text_add_changes:
 * @notes: (element-type utf8): gets a sentence for each
 * @problem: the question
 * @decided: the strategy of a rule of thumb
 * @strategy: how it can run
 *
 * Explains which framework was chosen, and which of the method's values it or the memory changes.
 */
void
shardwise_text_add_changes (GPtrArray *notes, const SwProblem *problem, const SwStrategy *decided,
                            const SwStrategy *strategy)
{
  if (problem->training.framework == SW_FRAMEWORK_ANY || problem->training.usual_frameworks)
    add_note (notes, g_strdup_printf (
                         /* Translators: a framework */
                         _ ("No framework is set; %s can run this strategy."),
                         shardwise_text_framework (strategy->framework)));
  add_note (notes, zero_change (decided, strategy));
  add_note (notes, sp_change (decided, strategy));
  add_note (notes, micro_batch_change (decided, strategy));
}

/* ---- reasons ---- */

static char *
batch_reason (const SwProblem *problem, guint dp)
{
  return g_strdup_printf (
      /* Translators: number of replicas, sequences of a batch */
      _ ("DP %u would not divide a global batch of %'u sequences, so TP and PP take GPUs from it."),
      dp, problem->training.global_batch);
}

static void
say_tensor (GString *text, const SwProblem *problem, const SwPlaybook *playbook)
{
  const double limit = playbook->limit_bytes;
  g_autofree char *taken = playbook->tp_fits ? within (playbook->tp_taken.bytes, limit)
                                             : excess (playbook->tp_taken.bytes, limit);
  g_autofree char *before = excess (playbook->tp_before.bytes, limit);
  g_autofree char *weights = gigabytes (playbook->weights_bytes);
  g_autofree char *rank = gigabytes (playbook->weights_bytes_per_tp_rank);

  if (playbook->strategy.tp != playbook->tp_taken.value)
    shardwise_text_append (text, batch_reason (problem, playbook->dp_before));
  else if (!playbook->tp_fits)
    shardwise_text_append (
        text, g_strdup_printf (
                  /* Translators: "75.4 > 72 GB", the TP degree with that */
                  _ ("No TP within a node fits the states of a replica: %s with TP %u."), taken,
                  playbook->tp_taken.value));
  else if (playbook->tp_before.value > 0)
    shardwise_text_append (
        text, g_strdup_printf (
                  /* Translators: "75.4 > 72 GB", the TP degree with that, another TP degree and
                      "37.7 of 72 GB" */
                  _ ("No smaller TP fits: %s with TP %u; TP %u takes %s."), before,
                  playbook->tp_before.value, playbook->tp_taken.value, taken));
  else
    shardwise_text_append (text, g_strdup_printf (
                                     /* Translators: TP degree, "37.7 of 72 GB" */
                                     _ ("The states of a replica fit with TP %u: %s."),
                                     playbook->tp_taken.value, taken));
  shardwise_text_append (
      text,
      g_strdup_printf (
          /* Translators: two amounts of memory */
          _ ("The weights take %s in total and %s per tensor-parallel rank."), weights, rank));
}

/* "126 layers do not divide evenly over PP 4: the stages hold 31 to 32." */
static char *
stages_reason (const SwProblem *problem, const SwStrategy *strategy)
{
  guint least = G_MAXUINT, most = 0;

  if (problem->model.layers % strategy->pp == 0)
    return NULL;
  for (guint stage = 0; stage < strategy->pp; stage++)
    {
      const guint layers = sw_stage_layers (problem, strategy, stage);

      least = MIN (least, layers);
      most = MAX (most, layers);
    }
  return g_strdup_printf (
      /* Translators: number of layers, of stages, and the least and most layers of a stage */
      _ ("%u layers do not divide evenly over PP %u: the stages hold %u to %u."),
      problem->model.layers, strategy->pp, least, most);
}

static void
say_stages (GString *text, const SwProblem *problem, const SwPlaybook *playbook)
{
  const double limit = playbook->limit_bytes;
  g_autofree char *taken = playbook->pp_fits ? within (playbook->pp_taken.bytes, limit)
                                             : excess (playbook->pp_taken.bytes, limit);
  g_autofree char *before = excess (playbook->pp_before.bytes, limit);

  if (playbook->strategy.pp != playbook->pp_taken.value)
    shardwise_text_append (text, batch_reason (problem, playbook->dp_before));
  else if (playbook->pp_before.value > 0 && playbook->pp_fits)
    shardwise_text_append (
        text, g_strdup_printf (
                  /* Translators: "75.4 > 72 GB", the PP degree with that, another PP degree and
                      "40.4 of 72 GB" */
                  _ ("No smaller PP fits: %s with PP %u; PP %u takes %s."), before,
                  playbook->pp_before.value, playbook->pp_taken.value, taken));
  else if (playbook->pp_fits)
    shardwise_text_append (text, g_strdup_printf (
                                     /* Translators: PP degree, "40.4 of 72 GB" */
                                     _ ("States and activations fit with PP %u: %s."),
                                     playbook->pp_taken.value, taken));
  else if (sw_cluster_nodes (&problem->cluster) <= 1)
    shardwise_text_append (text, g_strdup_printf (
                                     /* Translators: "75.4 > 72 GB" */
                                     _ ("States and activations do not fit unsharded (%s), but the "
                                        "tree uses no pipeline within a node."),
                                     taken));
  else
    shardwise_text_append (
        text, g_strdup_printf (
                  /* Translators: "75.4 > 72 GB", the PP degree with that */
                  _ ("No PP is enough: %s with PP %u, the most that the GPUs and layers allow."),
                  taken, playbook->pp_taken.value));
  shardwise_text_append (text, stages_reason (problem, &playbook->strategy));
}

/* Why there are this many replicas; the same for both methods. */
static void
say_replicas (GString *text, const SwProblem *problem, const SwStrategy *strategy)
{
  const guint gpus = problem->cluster.gpus;
  const guint most = gpus / (strategy->tp * strategy->pp * strategy->cp);

  if (strategy->dp < most)
    shardwise_text_append (
        text, g_strdup_printf (
                  /* Translators: sequences of a batch, two numbers of replicas, GPUs */
                  _ ("A global batch of %'u sequences cannot be divided over DP %u; it can be "
                     "divided over DP %u, which leaves %'u GPUs idle."),
                  problem->training.global_batch, most, strategy->dp,
                  gpus - sw_strategy_gpus (strategy)));
  else if (strategy->dp == 1)
    shardwise_text_append (
        text, g_strdup_printf (
                  /* Translators: number of micro-batches, sequences of a batch */
                  _ ("No GPUs are left for DP. Use gradient accumulation: %'u micro-batches for a "
                     "global batch of %'u sequences."),
                  sw_strategy_micro_batches (problem, strategy), problem->training.global_batch));
  else
    shardwise_text_append (text, g_strdup_printf (
                                     /* Translators: GPUs, degrees, number of replicas */
                                     _ ("%'u GPUs / (TP %u × PP %u × CP %u) = %u replicas."), gpus,
                                     strategy->tp, strategy->pp, strategy->cp, strategy->dp));
}

static void
say_zero (GString *text, const SwPlaybook *playbook)
{
  const SwStrategy *strategy = &playbook->strategy;
  g_autofree char *total = playbook->fits ? within (playbook->total_bytes, playbook->limit_bytes)
                                          : excess (playbook->total_bytes, playbook->limit_bytes);
  g_autofree char *before = excess (playbook->zero_before.bytes, playbook->limit_bytes);

  if (strategy->dp == 1)
    shardwise_text_append (text, g_strdup (_ ("With DP 1 there is nothing to shard.")));
  else if (playbook->decided.zero_stage > 1 && playbook->zero_before.value > 0)
    shardwise_text_append (
        text, g_strdup_printf (
                  /* Translators: ZeRO stage, "75.4 > 72 GB" */
                  _ ("ZeRO %u is not enough: %s."), playbook->zero_before.value, before));
  shardwise_text_append (text, zero_change (&playbook->decided, strategy));
  shardwise_text_append (
      text,
      playbook->fits ? g_strdup_printf (
          /* Translators: ZeRO stage, "40.4 of 72 GB" */
          _ ("With ZeRO %u, states and activations take %s."), strategy->zero_stage, total)
                     : g_strdup_printf (
                         /* Translators: ZeRO stage, "75.4 > 72 GB" */
                         _ ("With ZeRO %u, they do not fit: %s."), strategy->zero_stage, total));
}

/* The reason for the micro-batch, which both methods treat the same way. */
static void
say_micro_batch (GString *text, const SwProblem *problem, const SwStrategy *decided,
                 const SwStrategy *strategy)
{
  if (sw_problem_stated_micro_batch (problem) > 0)
    shardwise_text_append (text, g_strdup (_ ("It is set in the inputs.")));
  else if (decided->micro_batch != strategy->micro_batch)
    shardwise_text_append (text, micro_batch_change (decided, strategy));
  else if (strategy->micro_batch == SW_THUMB_MICRO_BATCH)
    shardwise_text_append (text, g_strdup (_ ("The method’s default.")));
  else
    shardwise_text_append (
        text, g_strdup_printf (
                  /* Translators: size of a micro-batch, number of replicas, sequences of a batch */
                  _ ("The largest value, up to the method’s default of %u, with which DP %u "
                     "divides a global batch of %'u sequences."),
                  SW_THUMB_MICRO_BATCH, strategy->dp, problem->training.global_batch));
}

static char *
sp_reason (const SwStrategy *decided, const SwStrategy *strategy)
{
  char *change = sp_change (decided, strategy);

  if (change != NULL)
    return change;
  return strategy->sequence_parallel ? g_strdup (_ ("It is used with TP.")) : NULL;
}

static char *
take (GString *text)
{
  gboolean is_empty = text->len == 0;
  char *taken = g_string_free (text, is_empty);

  return is_empty ? NULL : taken;
}

/**
 * shardwise_text_playbook_reason:
 * @problem: the question
 * @playbook: the tree's answer
 * @dimension: a dimension of its strategy
 *
 * Returns: (transfer full) (nullable): why the tree chooses that value; %NULL if it gives no reason
 */
char *
shardwise_text_playbook_reason (const SwProblem *problem, const SwPlaybook *playbook,
                                SwDimension dimension)
{
  const SwStrategy *strategy = &playbook->strategy;
  GString *text = g_string_new (NULL);

  if (sw_pins_has (&problem->pins, dimension))
    {
      shardwise_text_append (text, g_strdup (_ ("It is pinned.")));
      return take (text);
    }
  switch ((int) dimension)
    {
    case SW_DIM_TP: say_tensor (text, problem, playbook); break;
    case SW_DIM_PP: say_stages (text, problem, playbook); break;
    case SW_DIM_DP: say_replicas (text, problem, strategy); break;
    case SW_DIM_ZERO: say_zero (text, playbook); break;
    case SW_DIM_MICRO_BATCH: say_micro_batch (text, problem, &playbook->decided, strategy); break;
    case SW_DIM_SP: shardwise_text_append (text, sp_reason (&playbook->decided, strategy)); break;
    case SW_DIM_CP:
      if (strategy->cp > 1)
        shardwise_text_append (
            text, g_strdup_printf (
                      /* Translators: tokens of a sequence, CP degree, tokens on a GPU */
                      _ ("Sequences of %'u tokens are longer than 32,768: with CP %u, each GPU "
                         "holds %'u tokens."),
                      problem->training.sequence_length, strategy->cp,
                      problem->training.sequence_length / strategy->cp));
      break;
    case SW_DIM_EP:
      if (problem->model.moe.experts > 0)
        shardwise_text_append (
            text, g_strdup_printf (
                      /* Translators: number of experts, of replicas × CP */
                      _ ("The largest common divisor of %u experts and DP × CP = %u that can run."),
                      problem->model.moe.experts, strategy->dp * strategy->cp));
      break;
    case SW_DIM_RECOMPUTE:
      shardwise_text_append (
          text, g_strdup (_ ("The tree assumes the activations of full recomputation.")));
      break;
    default: break;
    }
  return take (text);
}

static void
say_split (GString *text, const SwQuickScoreResult *result, const SwStrategy *strategy)
{
  const SwQuickScore *best = &result->best;
  const double limit = best->limit_gb * SW_GB;
  g_autofree char *need = excess (best->memory_gb * SW_GB, limit);
  g_autofree char *half = excess (2 * best->memory_gb * SW_GB, limit);
  g_autofree char *score = g_strdup_printf ("%.3f", best->score);
  g_autofree char *overhead = shardwise_format_percent (best->tp_overhead);

  if (!result->fits && best->fits)
    shardwise_text_append (text, g_strdup_printf (
                                     /* Translators: a framework */
                                     _ ("%s cannot run any of the splits."),
                                     shardwise_text_framework (strategy->framework)));
  else if (!result->fits)
    shardwise_text_append (text, g_strdup_printf (
                                     /* Translators: "75.4 > 64 GB" */
                                     _ ("No split fits: the smallest needs %s."), need));
  else
    shardwise_text_append (text, g_strdup_printf (
                                     /* Translators: a score, a number of splits, of all splits */
                                     _ ("The highest score, %s, of the %u of %u splits that fit."),
                                     score, result->n_fit, result->n));
  if (result->fits && best->tp * best->pp > 1 && 2 * best->memory_gb > best->limit_gb)
    shardwise_text_append (text, g_strdup_printf (
                                     /* Translators: "75.4 > 64 GB" */
                                     _ ("No smaller TP × PP fits: half as much needs %s."), half));
  if (best->tp > 1)
    shardwise_text_append (text, g_strdup_printf (
                                     /* Translators: TP degree, a percentage */
                                     _ ("TP %u costs %s of the step."), best->tp, overhead));
}

/**
 * shardwise_text_quick_reason:
 * @problem: the question
 * @result: of the score
 * @strategy: how its best can run
 * @dimension: a dimension
 *
 * Returns: (transfer full) (nullable): why the score chooses that value; %NULL if it gives no
 * reason
 */
char *
shardwise_text_quick_reason (const SwProblem *problem, const SwQuickScoreResult *result,
                             const SwStrategy *strategy, SwDimension dimension)
{
  const SwQuickScore *best = &result->best;
  g_autofree char *bubble = shardwise_format_percent (best->bubble);
  g_autofree char *overhead = shardwise_format_percent (best->dp_overhead);
  g_autofree char *memory = shardwise_format_percent (best->memory_utilisation);
  GString *text = g_string_new (NULL);
  SwStrategy decided;

  sw_quick_score_describe (problem, best, &decided);
  if (sw_pins_has (&problem->pins, dimension))
    {
      shardwise_text_append (text, g_strdup (_ ("It is pinned.")));
      return take (text);
    }
  switch ((int) dimension)
    {
    case SW_DIM_TP: say_split (text, result, strategy); break;
    case SW_DIM_PP:
      if (best->pp > 1)
        shardwise_text_append (
            text, g_strdup_printf (
                      /* Translators: number of stages, of micro-batches, a percentage */
                      _ ("The bubble of %u stages and %u micro-batches takes %s of the step."),
                      best->pp, best->micro_batches, bubble));
      else
        shardwise_text_append (text, g_strdup (_ ("Without a pipeline, there is no bubble.")));
      shardwise_text_append (text, stages_reason (problem, strategy));
      break;
    case SW_DIM_DP:
      say_replicas (text, problem, strategy);
      if (best->dp > 1)
        shardwise_text_append (text, g_strdup_printf (
                                         /* Translators: DP degree, a percentage */
                                         _ ("DP %u costs %s of the step."), best->dp, overhead));
      break;
    case SW_DIM_ZERO:
      shardwise_text_append (
          text, best->dp == 1 ? g_strdup (_ ("With DP 1 there is nothing to shard."))
                : best->zero_stage == 3
                    ? g_strdup_printf (
                        /* Translators: a percentage */
                        _ ("ZeRO 3, because %s of the memory is more than 70 %%."), memory)
                    : g_strdup_printf (
                        /* Translators: a percentage */
                        _ ("ZeRO 2, because %s of the memory is at most 70 %%."), memory));
      shardwise_text_append (text, zero_change (&decided, strategy));
      break;
    case SW_DIM_MICRO_BATCH: say_micro_batch (text, problem, &decided, strategy); break;
    case SW_DIM_SP: shardwise_text_append (text, sp_reason (&decided, strategy)); break;
    case SW_DIM_RECOMPUTE:
      shardwise_text_append (
          text,
          g_strdup (_ ("The score assumes full recomputation, so it counts no activations.")));
      break;
    default: break;
    }
  return take (text);
}

/* ---- verdicts ---- */

/**
 * shardwise_text_count_misfit:
 * @problem: the question
 * @need_gb: the method's memory of a GPU, in 1e9 bytes
 * @limit_gb: its limit
 *
 * Returns: (transfer full): that it does not fit, as published, with the exceeded limit
 */
char *
shardwise_text_count_misfit (const SwProblem *problem, double need_gb, double limit_gb)
{
  g_autofree char *need = more_than (need_gb, limit_gb);
  g_autofree char *limit = shardwise_format_significant (limit_gb);
  g_autofree char *have = shardwise_format_significant (problem->cluster.gpu.memory_gb);

  return g_strdup_printf (
      /* Translators: three amounts of memory in GB: needed, allowed, of the GPU */
      _ ("The model requires %s GB per GPU, but only %s GB of the GPU’s %s GB may be used. "
         "Consider more GPUs or different hardware."),
      need, limit, have);
}

/* The estimates of the method and of the analytical model, if not both fit; NULL if both do. */
static char *
verdict (const SwProblem *problem, const char *count, gboolean fits, double bytes, double limit,
         const SwEstimate *estimate)
{
  GString *text = g_string_new (NULL);
  const gboolean can_run = estimate->rule == SW_RULE_OK || estimate->rule == SW_RULE_GPU_MEMORY
                           || estimate->rule == SW_RULE_HOST_MEMORY;
  g_autofree char *total = fits ? within (bytes, limit) : excess (bytes, limit);
  g_autofree char *memory = shardwise_format_bytes (estimate->memory.peak.total);
  g_autofree char *rule = NULL;

  if (!can_run)
    shardwise_text_append (text, shardwise_text_refusal (problem, estimate));
  else if (!fits)
    {
      shardwise_text_append (
          text,
          g_strdup_printf (
              /* Translators: "The playbook’s estimate", model, number of GPUs, GPU name,
                        "75.4 > 72 GB" */
              ngettext ("%s: %s does not fit on %'u %s (%s).",
                        "%s: %s does not fit on these %'u %s (%s).", problem->cluster.gpus),
              count, problem->model.name, problem->cluster.gpus, problem->cluster.gpu.name, total));
      if (estimate->fits)
        shardwise_text_append (text, g_strdup_printf (
                                         /* Translators: an amount of memory */
                                         _ ("The analytical model predicts %s per GPU for the same "
                                            "strategy, which would fit."),
                                         memory));
    }
  else if (!estimate->fits)
    {
      rule = shardwise_text_rule (problem, &estimate->strategy, estimate->rule,
                                  estimate->missing_bytes);
      shardwise_text_append (
          text, g_strdup_printf (
                    /* Translators: model, number of GPUs, GPU name, "The playbook’s estimate",
                        "60.1 of 72 GB", "it needs 3.2 GiB more per GPU" */
                    ngettext ("%s does not fit on %'u %s with this strategy. %s: %s; by the "
                              "analytical model, %s.",
                              "%s does not fit on these %'u %s with this strategy. %s: %s; by "
                              "the analytical model, %s.",
                              problem->cluster.gpus),
                    problem->model.name, problem->cluster.gpus, problem->cluster.gpu.name, count,
                    total, rule));
    }
  return take (text);
}

/**
 * shardwise_text_playbook_verdict:
 * @problem: the question
 * @playbook: the tree's answer
 *
 * Returns: (transfer full) (nullable): that it is not an answer, and by which estimate; %NULL if it
 * fits
 */
char *
shardwise_text_playbook_verdict (const SwProblem *problem, const SwPlaybook *playbook)
{
  return verdict (problem, _ ("The playbook’s estimate"), playbook->fits, playbook->total_bytes,
                  playbook->limit_bytes, &playbook->estimate);
}

/**
 * shardwise_text_quick_verdict:
 * @problem: the question
 * @result: of the score
 * @estimate: of its best
 *
 * Returns: (transfer full) (nullable): that it is not an answer, and by which estimate; %NULL if it
 * fits
 */
char *
shardwise_text_quick_verdict (const SwProblem *problem, const SwQuickScoreResult *result,
                              const SwEstimate *estimate)
{
  return verdict (problem, _ ("The quick score’s estimate"), result->fits,
                  result->best.memory_gb * SW_GB, result->best.limit_gb * SW_GB, estimate);
}
