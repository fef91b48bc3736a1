/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What words mean and what explains an observation, each with the figures of this job. Sources of the sums:
 * bubbles from Narayanan et al. 2021 and Qi et al. 2023 (zero bubble), DualPipe's from its README;
 * attention scores from Korthikanti et al. 2022; buckets from the defaults of PyTorch, DeepSpeed and
 * Megatron-Core. */
#include "shardwise-asking.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-changes.h"
#include "shardwise-format.h"
#include "shardwise-text-estimate.h"
#include "shardwise-text-strategy.h"
#include "sw-memory.h"
#include "sw-recipe.h"

enum { MOST_TOPICS = 2, MOST_STAGES = 8 };

/* ---- sums of sharding ---- */

/* Bytes per parameter of all that is trained: whole on each GPU, and divided by the group. */
static void
recipe_bytes (const SwProblem *problem, SwFramework framework, guint stage, guint gpus,
              double *whole, double *shared)
{
  SwStrategy s;
  SwRecipe recipes[SW_N_RECIPES];
  const SwRecipe *r = &recipes[SW_RECIPE_LAYERS];

  sw_strategy_init_default (&s);
  s.framework = (guint8) framework;
  s.zero_stage = (guint8) stage;
  s.tp = s.pp = s.cp = s.ep = s.etp = s.vpp = s.micro_batch = 1;
  s.dp = s.shard_group = gpus;
  sw_recipes_init (problem, &s, recipes);
  *whole = r->parameters_whole + r->gradients_whole + r->optimizer_whole;
  *shared = r->parameters_shared + r->gradients_shared + r->optimizer_shared;
}

/* The framework itself where it has the stage, else DeepSpeed, which has all. */
static SwFramework
framework_of_stage (SwFramework framework, guint stage)
{
  return sw_framework_allows (sw_framework_rules (framework)->zero_mask, stage)
             ? framework
             : SW_FRAMEWORK_DEEPSPEED;
}

/**
 * shardwise_asking_sharding:
 * @advice: whose job it is about
 *
 * What the states take on a GPU under each ZeRO stage if all GPUs are data-parallel.
 */
void
shardwise_asking_sharding (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const SwFramework own =
      (SwFramework) shardwise_advice_get_recommended (advice)->strategy.framework;
  const guint gpus = problem->cluster.gpus;
  GString *list;

  if (sw_training_is_adapter (&problem->training) || gpus < 2
      || shardwise_asking_told (self, SHARDWISE_TOLD_SHARDING))
    return;
  list = g_string_new (NULL);
  for (guint stage = 0; stage <= 3; stage++)
    {
      const SwFramework framework = framework_of_stage (own, stage);
      double whole, shared, bytes;
      g_autofree char *text = NULL, *name = g_strdup_printf ("zero_%u_states", stage);

      recipe_bytes (problem, framework, stage, gpus, &whole, &shared);
      bytes = problem->count.total * (whole + shared / gpus);
      text = shardwise_asking_bytes (bytes);
      shardwise_asking_fact (self, name, bytes / SW_GIB, "GiB");
      /* Translators: ZeRO stage, a framework, bytes per parameter that are whole, and divided by a
         number of GPUs, bytes */
      g_string_append (list, stage > 0 ? "; " : "");
      g_string_append_printf (list, _ ("ZeRO %u (%s): %.4g + %.4g/%u bytes = %s"), stage,
                              shardwise_text_framework (framework), whole, shared, gpus, text);
    }
  shardwise_asking_apart (self);
  /* Translators: a list of ZeRO stages with what each takes */
  shardwise_asking_say (self, _ ("States per GPU if nothing else splits the model: %s."),
                        list->str);
  g_string_free (list, TRUE);
}

static void
figure_bytes (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  GString *list = g_string_new (NULL);

  for (guint f = SW_FRAMEWORK_MEGATRON_CORE; f < SW_N_FRAMEWORKS; f++)
    {
      SwStrategy s;
      SwRecipe recipes[SW_N_RECIPES];
      const SwRecipe *r = &recipes[SW_RECIPE_LAYERS];
      double w, g, o;

      sw_strategy_init_default (&s);
      s.framework = (guint8) f;
      s.zero_stage = f == SW_FRAMEWORK_FSDP || f == SW_FRAMEWORK_FSDP2 ? 3 : 1;
      s.dp = s.shard_group = MAX (2, problem->cluster.gpus);
      s.micro_batch = 1;
      sw_recipes_init (problem, &s, recipes);
      w = r->parameters_whole + r->parameters_shared;
      g = r->gradients_whole + r->gradients_shared;
      o = r->optimizer_whole + r->optimizer_shared;
      g_string_append_printf (list, "%s%s %.3g + %.3g + %.4g = %.4g", list->len > 0 ? "; " : "",
                              shardwise_text_framework (f), w, g, o, w + g + o);
    }
  /* Translators: a list: a framework, then bytes of weight, gradient, optimizer and their sum */
  shardwise_asking_say (self, _ ("Bytes per parameter here (weights + gradients + optimizer): %s."),
                        list->str);
  g_string_free (list, TRUE);
  shardwise_asking_sum (self, advice);
}

static void
figure_zero (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  shardwise_asking_sharding (self, advice);
  shardwise_asking_sum (self, advice);
}

static void
figure_bytes_and_zero (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  figure_bytes (self, advice);
  shardwise_asking_sharding (self, advice);
}

static void
figure_sum (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  shardwise_asking_sum (self, advice);
}

static void
figure_parts (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  shardwise_asking_parts (self, advice);
}

static void
figure_methods (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  shardwise_asking_sum (self, advice);
  shardwise_asking_methods (self, FALSE);
}

static void
figure_host (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const guint nodes = sw_cluster_nodes (&problem->cluster);
  const double optimizer = 12 * problem->count.total / nodes,
               all = 16 * problem->count.total / nodes,
               there = sw_cluster_host_bytes (&problem->cluster);
  g_autofree char *a = shardwise_asking_bytes (optimizer), *b = shardwise_asking_bytes (all),
                  *has = shardwise_asking_bytes (there);

  shardwise_asking_fact (self, "host_all", all / SW_GIB, "GiB");
  /* Translators: memory for the optimizer's states, for all states, and that a node has */
  shardwise_asking_say (self,
                        _ ("For each node here: %s for the optimizer’s states at 12 bytes a "
                           "parameter, up to %s with weights and gradients at 16, and pinned "
                           "buffers beside; a node has %s."),
                        a, b, has);
  if (1.5 * all > there && there > 0)
    {
      g_autofree char *buffered = shardwise_asking_bytes (1.5 * all);

      /* DeepSpeed's estimate_zero3_model_states_mem_needs has an additional_buffer_factor of 1.5. */
      /* Translators: an amount of memory */
      shardwise_asking_say (self,
                            _ ("With the half as much again that DeepSpeed’s own estimator adds "
                               "for buffers it is %s, which does not fit: the host runs out."),
                            buffered);
    }
}

/* ---- pipelines ---- */

static double
bubble_of (double p, double v, double m)
{
  return (p - 1) / (v * m);
}

/* A strategy with a pipeline: the own one, or that of the job with one of four stages. */
static ShardwiseAdvice *
with_pipeline (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  g_autoptr (GVariant) changes = NULL;
  GVariantDict dict;
  ShardwiseAdvice *found;

  if (shardwise_advice_get_recommended (advice)->strategy.pp > 1)
    return g_object_ref (advice);
  g_variant_dict_init (&dict, NULL);
  shardwise_changes_insert (&dict, SHARDWISE_KEY_STRATEGY_PP, "x", (gint64) 4);
  changes = g_variant_ref_sink (g_variant_dict_end (&dict));
  found = shardwise_asking_try (self, changes);
  if (found != NULL && shardwise_advice_get_recommended (found)->strategy.pp > 1)
    {
      shardwise_asking_tell (self, _ ("Nothing is pipelined here; with four stages:"));
      return found;
    }
  g_clear_object (&found);
  return NULL;
}

static void
figure_bubble (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  g_autoptr (ShardwiseAdvice) piped = shardwise_asking_told (self, SHARDWISE_TOLD_BUBBLE)
                                          ? NULL
                                          : with_pipeline (self, advice);
  const SwProblem *problem;
  const SwEstimate *e;
  const SwStrategy *s;
  g_autofree char *share = NULL, *ideal = NULL, *of_pass = NULL;
  GString *list;
  guint m;
  double bubble;

  if (piped == NULL)
    return;
  e = shardwise_advice_get_recommended (piped);
  s = &e->strategy;
  problem = shardwise_advice_get_problem (piped);
  m = sw_strategy_micro_batches (problem, s);
  bubble = bubble_of (s->pp, s->vpp, m);
  ideal = shardwise_format_percent (bubble);
  of_pass = shardwise_format_percent (bubble / (1 + bubble));
  share = shardwise_format_percent (e->bubble_fraction);
  shardwise_asking_fact (self, "bubble", e->bubble_fraction, "1");
  shardwise_asking_fact (self, "bubble_ideal", bubble, "1");
  shardwise_asking_fact (self, "micro_batches", m, "");
  shardwise_asking_say (
      self,
      /* Translators: stages, virtual stages, micro-batches, the bubble by the formula, its share
             of the pass, its share of the step */
      _ ("Here PP is %u, with %u virtual stages and %u micro-batches: (p − 1)/(v·m) = %s of the "
         "computation, (p − 1)/(v·m + p − 1) = %s of the pass, %s of the step as simulated."),
      s->pp, s->vpp, m, ideal, of_pass, share);
  list = g_string_new (NULL);
  for (guint b = 1; b <= 8; b *= 2)
    {
      const guint n = problem->training.global_batch / MAX (1, s->dp * b);
      g_autofree char *text = NULL;

      if (n == 0)
        break;
      text = shardwise_format_percent (bubble_of (s->pp, s->vpp, n));
      /* Translators: micro-batch, number of micro-batches, the bubble */
      g_string_append (list, b > 1 ? "; " : "");
      g_string_append_printf (list, _ ("micro-batch %u: m = %u, %s"), b, n, text);
    }
  /* Translators: a list of micro-batches with their bubble */
  shardwise_asking_say (self, _ ("By micro-batch at the same global batch: %s."), list->str);
  g_string_free (list, TRUE);
  shardwise_asking_say (self,
                        /* Translators: number of micro-batches, twice */
                        _ ("Four times as many micro-batches as stages (%u) make it small; "
                           "there are %u."),
                        4 * s->pp, m);
}

static void
figure_schedules (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  g_autoptr (ShardwiseAdvice) piped = with_pipeline (self, advice);
  const SwStrategy *s;
  double p, m, all;

  if (piped == NULL)
    return;
  s = &shardwise_advice_get_recommended (piped)->strategy;
  p = s->pp;
  m = sw_strategy_micro_batches (shardwise_advice_get_problem (piped), s);
  all = 3 * m; /* F = W = 1, B = 2 of each micro-batch */
  shardwise_asking_say (
      self,
      /* Translators: stages, micro-batches, then shares in per cent of each schedule */
      _ ("At p = %.0f and m = %.0f, of the computation: GPipe and 1F1B %.2f %%, interleaved with v "
         "= 2 %.2f %%, ZB-H1 %.2f %%, DualPipe and DualPipeV %.2f %%, ZB-V 0 %%. In flight are p "
         "micro-batches under 1F1B and ZB-H1, p + 1 under DualPipe, m under GPipe."),
      p, m, 100 * 3 * (p - 1) / all, 100 * 3 * (p - 1) / 2 / all, 100 * (p - 1) / all,
      100 * 2 * MAX (0, p / 2 - 1) / all);
  shardwise_asking_fact (self, "bubble_1f1b", 3 * (p - 1) / all, "1");
  shardwise_asking_fact (self, "bubble_interleaved", 3 * (p - 1) / 2 / all, "1");
  shardwise_asking_fact (self, "bubble_dualpipe", 2 * MAX (0, p / 2 - 1) / all, "1");
}

static void
figure_group (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  g_autoptr (ShardwiseAdvice) piped = with_pipeline (self, advice);
  const SwStrategy *s;
  guint m;

  if (piped == NULL)
    return;
  s = &shardwise_advice_get_recommended (piped)->strategy;
  m = sw_strategy_micro_batches (shardwise_advice_get_problem (piped), s);
  shardwise_asking_fact (self, "micro_batches", m, "");
  shardwise_asking_say (
      self,
      /* Translators: numbers: micro-batches, stages, and the same again in words */
      m < s->pp        ? _ ("Here there are %u micro-batches for %u stages: too few, so raise the "
                                   "accumulation or take a smaller micro-batch, or fewer stages.")
      : m % s->pp == 0 ? _ ("Here there are %u micro-batches for %u stages: a multiple, as it must "
                            "be.")
                       : _ ("Here there are %u micro-batches for %u stages: no multiple, so "
                            "interleaving is refused."),
      m, s->pp);
}

/**
 * shardwise_asking_division:
 * @problem: the job
 * @base: the strategy that is asked about
 *
 * Whether the layers go into the stages: by PP, and by the chunks of interleaved and V-shaped schedules.
 *
 * Returns: whether they do
 */
gboolean
shardwise_asking_division (ShardwiseAsking *self, const SwProblem *problem, const SwStrategy *base)
{
  const guint layers = problem->model.layers;
  guint p = base->pp, v = base->vpp, chunks;

  if (g_ptr_array_find_with_equal_func (self->question->topics, "schedules", g_str_equal, NULL)
      && v == 1)
    v = 2; /* ZB-V and DualPipeV have two chunks on each GPU */
  chunks = p * v;
  if (p < 2 || chunks < 2
      || (v == 1
          && !shardwise_question_find (self->question,
                                       shardwise_key_path (SHARDWISE_KEY_MODEL_LAYERS), 0)))
    return TRUE;
  shardwise_asking_fact (self, "layers_over", layers % chunks, "");
  shardwise_asking_take (
      self,
      layers % chunks == 0
          ? g_strdup_printf (
              /* Translators: layers, stages, virtual stages, layers of each */
              _ ("%u layers divide into PP %u × %u chunks: %u layers each."), layers, p, v,
              layers / chunks)
          : g_strdup_printf (
              /* Translators: layers, stages, virtual stages, chunks, the rest, two numbers of
                       layers that divide */
              _ ("%u layers do not divide into PP %u × %u chunks = %u: %u are left over, which "
                 "an even split drops or refuses; %u or %u would, or an uneven split with fewer "
                 "layers in the first and last stage where the framework has one."),
              layers, p, v, chunks, layers % chunks, layers / chunks * chunks,
              (layers / chunks + 1) * chunks));
  return layers % chunks == 0;
}

/* ---- memory ---- */

/**
 * shardwise_asking_stages:
 * @advice: of whose strategy each stage is told
 */
void
shardwise_asking_stages (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const SwEstimate *e = shardwise_advice_get_recommended (advice);
  const SwStrategy *s = &e->strategy;
  const guint m = sw_strategy_micro_batches (problem, s);
  GString *list = g_string_new (NULL);

  for (guint stage = 0; s->pp > 1 && stage < s->pp; stage++)
    {
      SwMemoryParts parts;
      g_autofree char *total = NULL, *activations = NULL;

      if (s->pp > MOST_STAGES && stage >= MOST_STAGES / 2 && stage + 2 < s->pp)
        continue;
      sw_estimate_stage (problem, s, stage, &parts);
      total = shardwise_format_bytes (parts.total);
      activations = shardwise_format_bytes (parts.activations);
      /* Translators: number of a stage, its layers, micro-batches in flight, memory of activations
         and in all */
      g_string_append (list, list->len > 0 ? "; " : "");
      g_string_append_printf (
          list, _ ("stage %u: %u layers, %.3g in flight, activations %s, in all %s"), stage,
          sw_stage_layers (problem, s, stage), sw_in_flight (s, m, stage), activations, total);
    }
  shardwise_asking_apart (self);
  if (list->len > 0 && !shardwise_asking_told (self, SHARDWISE_TOLD_STAGES))
    shardwise_asking_say (self,
                          /* Translators: a list of stages, the fullest of them */
                          _ ("By stage: %s. The fullest is stage %u."), list->str,
                          e->memory.peak_stage);
  g_string_free (list, TRUE);
}

static void
figure_stages (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  g_autoptr (ShardwiseAdvice) piped = with_pipeline (self, advice);

  if (piped != NULL)
    shardwise_asking_stages (self, piped);
}

static void
figure_lazy (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwEstimate *e = shardwise_advice_get_recommended (advice);
  const SwMemoryParts *peak = &e->memory.peak;
  g_autofree char *before = shardwise_asking_bytes (peak->total - peak->optimizer),
                  *states = shardwise_asking_bytes (peak->optimizer),
                  *after = shardwise_asking_bytes (peak->total),
                  *has = shardwise_asking_bytes (e->usable_bytes);

  shardwise_asking_fact (self, "before_first_step", (peak->total - peak->optimizer) / SW_GIB,
                         "GiB");
  /* Translators: memory without the optimizer, of the optimizer, with it, and that there is */
  shardwise_asking_say (self,
                        _ ("Here: at most %s until the first step, then %s of "
                           "optimizer states come, %s in all, of %s."),
                        before, states, after, has);
}

static void
figure_load (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const guint ranks = MIN (problem->cluster.gpus_per_node, problem->cluster.gpus);
  g_autofree char *half = shardwise_asking_bytes (2 * problem->count.total),
                  *full = shardwise_asking_bytes (4 * problem->count.total),
                  *node = shardwise_asking_bytes (2 * problem->count.total * ranks),
                  *has = shardwise_asking_bytes (problem->cluster.usable_bytes);

  shardwise_asking_fact (self, "weights", 2 * problem->count.total / SW_GIB, "GiB");
  /* Translators: memory of the weights in 16 bits and in 32, what a GPU has, number of processes,
     memory of all of them */
  shardwise_asking_say (self,
                        _ ("The whole weights are %s in 16 bits, %s in fp32; a GPU has %s. %u "
                           "processes of a node that each load them take %s of its host memory."),
                        half, full, has, ranks, node);
}

static void
figure_validation (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const SwEstimate *e = shardwise_advice_get_recommended (advice);
  g_autofree char *logits = shardwise_asking_bytes (4.0 * problem->training.sequence_length
                                                    * problem->model.vocab_size / e->strategy.tp),
                  *train = shardwise_asking_bytes (e->memory.peak.total);

  /* Translators: memory of the logits of one sequence, and of training */
  shardwise_asking_say (self,
                        _ ("Here fp32 logits are %s for each sequence of a "
                           "validation batch; training peaks at %s."),
                        logits, train);
}

static void
figure_floor (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwEstimate *e = shardwise_advice_get_recommended (advice);
  const SwMemoryParts *p = &e->memory.peak;
  const double states = p->parameters + p->gradients + p->optimizer;
  g_autofree char *a = shardwise_asking_bytes (states),
                  *b = shardwise_format_bytes (p->activations),
                  *c = shardwise_format_bytes (p->logits), *d = shardwise_format_bytes (p->buffers),
                  *f = shardwise_format_bytes (p->framework),
                  *rest = shardwise_asking_bytes (p->total - states);

  if (shardwise_asking_told (self, SHARDWISE_TOLD_FLOOR))
    return;
  shardwise_asking_fact (self, "states_on_gpu", states / SW_GIB, "GiB");
  shardwise_asking_fact (self, "beside_states", (p->total - states) / SW_GIB, "GiB");
  /* Translators: memory of states, of the rest, then the parts of the rest */
  shardwise_asking_say (self,
                        _ ("Here the states are %s on a GPU, and %s stand beside them: activations "
                           "%s, logits %s, buffers and gathered layers %s, CUDA context, "
                           "communicators and fragmentation %s."),
                        a, rest, b, c, d, f);
}

static void
figure_scores (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const SwStrategy *s = &shardwise_advice_get_recommended (advice)->strategy;
  const double bytes = 5.0 * problem->model.attention_heads / s->tp
                       * pow (problem->training.sequence_length / s->cp, 2) * s->micro_batch,
               layers = ceil ((double) problem->model.layers / s->pp);
  g_autofree char *one = shardwise_asking_bytes (bytes),
                  *all = shardwise_asking_bytes (bytes * layers);

  shardwise_asking_fact (self, "scores", bytes * layers / SW_GIB, "GiB");
  shardwise_asking_say (
      self,
      /* Translators: bytes of a layer, number of layers, bytes of all, how attention runs
                   in this job */
      _ ("Unfused that is %s a layer and micro-batch here, %s over %.0f layers if they are "
         "kept; this job has %s attention."),
      one, all, layers,
      problem->training.attention == SW_ATTENTION_FLASH ? _ ("fused") : _ ("unfused"));
}

static void
figure_norms (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const SwStrategy *s = &shardwise_advice_get_recommended (advice)->strategy;
  const double n = problem->count.norms * problem->model.layers + problem->count.final_norm;
  g_autofree char *count = shardwise_format_count (n), *bytes = shardwise_asking_bytes (16 * n);

  /* Translators: number of parameters, bytes, degree of TP */
  shardwise_asking_say (self,
                        _ ("Here they are %s parameters, %s at 16 bytes, whole on "
                           "each of TP %u ranks: too few to matter."),
                        count, bytes, s->tp);
}

static void
figure_count (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const SwModelSpec *m = &problem->model;
  const double third = (double) m->layers * m->hidden_size * m->intermediate_size;
  g_autofree char *all = shardwise_format_count (problem->count.total),
                  *layer = shardwise_format_count (problem->count.dense_layer),
                  *two = shardwise_format_count (problem->count.total - third),
                  *active = shardwise_format_count (problem->count.active);

  shardwise_asking_fact (self, "parameters_b", problem->count.total / 1e9, "1e9 parameters");
  if (m->moe.experts > 0)
    /* Translators: number of parameters of a mixture, and those active for a token */
    shardwise_asking_say (self,
                          _ ("%s has %s parameters, of which a token uses %s; "
                             "states are of all of them."),
                          m->name, all, active);
  else
    shardwise_asking_say (
        self,
        /* Translators: a model, its parameters, layers, parameters of a layer, hidden and
                     intermediate size, and the parameters that a count with two matrices gives */
        _ ("%s has %s: %u layers of %s (hidden %u, intermediate %u) and the embeddings; "
           "with two MLP matrices in place of three it would be %s."),
        m->name, all, m->layers, layer, m->hidden_size, m->intermediate_size,
        m->gated_mlp ? two : all);
}

static void
figure_experts (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const SwMoe *moe = &problem->model.moe;
  const SwStrategy *s = &shardwise_advice_get_recommended (advice)->strategy;
  const double layer = problem->count.expert * moe->experts;
  g_autofree char *count = shardwise_format_count (layer),
                  *bytes = shardwise_asking_bytes (2 * layer),
                  *split = shardwise_asking_bytes (2 * layer / 8);

  if (moe->experts == 0)
    {
      shardwise_asking_tell (self, _ ("This model is dense: it has no experts."));
      return;
    }
  shardwise_asking_fact (self, "expert_layer", 2 * layer / SW_GIB, "GiB");
  shardwise_asking_say (
      self,
      /* Translators: experts, parameters of one, of a layer, bytes of a layer, bytes with
                   EP 8, the degree here */
      _ ("One layer of %u experts has %s parameters, %s in 16 bits: with EP 1 a sharded layer "
         "is gathered whole, with EP 8 only %s of it. Here EP is %u."),
      moe->experts, count, bytes, split, s->ep);
}

/* ---- the rest ---- */

static void
figure_traffic (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const SwEstimate *e = shardwise_advice_get_recommended (advice);
  SwCommunication rows[SW_MAX_COMMUNICATIONS];
  const guint n = sw_communication (problem, &e->strategy, rows);
  g_autofree char *text = n > 0 ? shardwise_text_communications (problem, rows, n) : NULL,
                  *line = text != NULL ? shardwise_text_join (text) : NULL,
                  *waits = shardwise_format_percent (e->communication_overhead);

  if (line != NULL)
    /* Translators: rows of the table of communication, share of the step */
    shardwise_asking_say (self, _ ("Sent in a step here: %s; waiting for it takes %s of the step."),
                          line, waits);
}

static void
figure_overlap (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwTime *t = &shardwise_advice_get_recommended (advice)->time;
  const double exposed = t->tp_exposed_s + t->cp_exposed_s + t->ep_exposed_s + t->pp_exposed_s
                         + t->dp_exposed_s,
               hidden = t->tp_hidden_s + t->cp_hidden_s + t->ep_hidden_s + t->pp_hidden_s
                        + t->dp_hidden_s;
  g_autofree char *a = shardwise_format_seconds (hidden), *b = shardwise_format_seconds (exposed),
                  *step = shardwise_format_seconds (t->step_s);

  /* Translators: three durations */
  shardwise_asking_say (
      self, _ ("Here %s of communication are hidden and %s exposed, in a step of %s."), a, b, step);
}

static void
figure_buckets (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const SwStrategy *s = &shardwise_advice_get_recommended (advice)->strategy;
  const double each = sw_gradient_bytes (problem, s),
               bytes = each * problem->count.total * sw_trained_share (problem) / (s->tp * s->pp);
  g_autofree char *all = shardwise_asking_bytes (bytes);

  /* Translators: bytes of gradients, number of buckets */
  shardwise_asking_say (self,
                        _ ("Here a GPU has %s of gradients to reduce: %.0f buckets of 25 MB."), all,
                        ceil (bytes / 25e6));
  figure_overlap (self, advice);
}

static void
figure_product (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwStrategy *s = &shardwise_advice_get_recommended (advice)->strategy;
  guint product = 1;
  gboolean named = FALSE;
  guint degrees[] = { 1, 1, 1, 1 };
  static const ShardwiseKeyId keys[] = { SHARDWISE_KEY_STRATEGY_TP, SHARDWISE_KEY_STRATEGY_CP,
                                         SHARDWISE_KEY_STRATEGY_DP, SHARDWISE_KEY_STRATEGY_PP };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      const ShardwiseAskSlot *slot = shardwise_question_find (self->question,
                                                              shardwise_key_path (keys[i]), 0);

      if (slot == NULL && keys[i] == SHARDWISE_KEY_STRATEGY_DP)
        slot = shardwise_question_find (self->question,
                                        shardwise_key_path (SHARDWISE_KEY_STRATEGY_SHARD_GROUP), 0);
      if (slot != NULL && slot->value != NULL)
        {
          degrees[i] = (guint) g_variant_get_int64 (slot->value);
          named = TRUE;
        }
    }
  if (!named)
    {
      degrees[0] = s->tp;
      degrees[1] = s->cp;
      degrees[2] = s->dp;
      degrees[3] = s->pp;
    }
  for (guint i = 0; i < G_N_ELEMENTS (degrees); i++)
    product *= degrees[i];
  shardwise_asking_fact (self, "product", product, "GPUs");
  shardwise_asking_say (
      self,
      /* Translators: the degrees, their product, and the strides of DP and PP ranks */
      _ ("TP %u × CP %u × DP %u × PP %u = %u GPUs: ranks 0 to %u are one TP group, DP ranks "
         "are %u apart, stages %u."),
      degrees[0], degrees[1], degrees[2], degrees[3], product, degrees[0] - 1,
      degrees[0] * degrees[1], degrees[0] * degrees[1] * degrees[2]);
}

static void
figure_groups (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const guint node = MIN (problem->cluster.gpus_per_node, problem->cluster.gpus);
  double whole, shared;
  g_autofree char *in_node = NULL, *in_all = NULL;

  recipe_bytes (problem, SW_FRAMEWORK_FSDP2, 3, node, &whole, &shared);
  in_node = shardwise_asking_bytes (problem->count.total * (whole + shared / node));
  recipe_bytes (problem, SW_FRAMEWORK_FSDP2, 3, problem->cluster.gpus, &whole, &shared);
  in_all = shardwise_asking_bytes (problem->count.total * (whole + shared / problem->cluster.gpus));
  /* Translators: GPUs of a node, states of a GPU then, all GPUs, states of a GPU then */
  shardwise_asking_say (self,
                        _ ("Here shards over a node of %u are %s of states a GPU, "
                           "over all %u GPUs %s."),
                        node, in_node, problem->cluster.gpus, in_all);
}

static void
figure_fsdp (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  figure_groups (self, advice);
  shardwise_asking_sharding (self, advice);
}

static void
figure_recompute (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const SwEstimate *e = shardwise_advice_get_recommended (advice);
  GString *list = g_string_new (NULL);

  for (guint r = SW_RECOMPUTE_NONE; r <= SW_RECOMPUTE_FULL; r++)
    {
      SwStrategy s = e->strategy;
      SwProblem open = *problem;
      SwEstimate then;
      g_autofree char *label = shardwise_text_label (SW_DIM_RECOMPUTE, r), *memory = NULL,
                      *step = NULL;

      s.recompute = (guint8) r;
      open.pins.mask = 0;
      sw_estimate (&open, &s, &then);
      if (then.rule != SW_RULE_OK && then.rule != SW_RULE_GPU_MEMORY)
        continue;
      memory = shardwise_format_bytes (then.memory.peak.total);
      step = shardwise_format_seconds (then.time.step_s);
      /* Translators: a setting, memory, duration of a step */
      g_string_append (list, list->len > 0 ? "; " : "");
      g_string_append_printf (list, _ ("%s: %s per GPU, a step of %s"), label, memory, step);
    }
  /* Translators: a list of settings with what each gives */
  shardwise_asking_say (self, _ ("Here, the rest held: %s."), list->str);
  g_string_free (list, TRUE);
}

static void
figure_share (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  const SwEstimate *e = shardwise_advice_get_recommended (advice);
  g_autofree char *mfu = shardwise_format_percent (e->mfu),
                  *hfu = shardwise_format_percent (e->hfu),
                  *scaling = shardwise_format_percent (e->scaling_efficiency),
                  *flops = shardwise_format_significant (e->model_flops_per_s_per_gpu / 1e12),
                  *peak = shardwise_format_significant (e->peak_flops_per_s / 1e12);

  shardwise_asking_fact (self, "mfu", e->mfu, "1");
  shardwise_asking_fact (self, "hfu", e->hfu, "1");
  shardwise_asking_fact (self, "scaling-efficiency", e->scaling_efficiency, "1");
  /* Translators: TFLOP/s, the peak, three percentages */
  shardwise_asking_say (self,
                        _ ("Here a GPU does %s of %s TFLOP/s: MFU %s, HFU %s, "
                           "scaling efficiency %s."),
                        flops, peak, mfu, hfu, scaling);
}

/* ---- micro-batches ---- */

/* What was measured spreads more than what the model predicts: something else is at work. */
static void
say_spread (ShardwiseAsking *self, double least, double most)
{
  double low = G_MAXDOUBLE, high = 0;
  guint n = 0;
  g_autofree char *seen = NULL, *predicted = NULL;

  for (guint i = 0; i < self->question->slots->len; i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->question->slots, i);

      if (!g_str_equal (slot->path, "said.time"))
        continue;
      low = MIN (low, g_variant_get_double (slot->value));
      high = MAX (high, g_variant_get_double (slot->value));
      n++;
    }
  if (n < 2 || !(low > 0))
    return;
  seen = shardwise_format_significant (high / low);
  predicted = shardwise_format_significant (most / least);
  shardwise_asking_fact (self, "seen_spread", high / low, "1");
  shardwise_asking_fact (self, "predicted_spread", most / least, "1");
  shardwise_asking_say (
      self,
      /* Translators: two factors */
      _ ("The times named differ by a factor of %s, those of a whole step here by %s. At a "
         "fixed global batch more than that is no matter of the micro-batch: measure the share "
         "of padding, the data loader and one profile of each. Times of one micro-batch that "
         "grow in proportion to it say that the GPU is busy already."),
      seen, predicted);
}

/* The same strategy at several micro-batches: time, memory, bubble. */
static void
say_micro_batches (ShardwiseAsking *self, const SwProblem *problem, const SwStrategy *strategy,
                   const guint *sizes, guint n)
{
  GString *list = g_string_new (NULL);
  double least = G_MAXDOUBLE, most = 0; /* seconds of a step */

  for (guint i = 0; i < n; i++)
    {
      SwStrategy s = *strategy;
      SwProblem open = *problem;
      SwEstimate e;
      g_autofree char *step = NULL, *rate = NULL, *memory = NULL, *share = NULL, *bubble = NULL;

      s.micro_batch = sizes[i];
      open.pins.mask = 0;
      open.training.micro_batch = 0;
      if (open.training.global_batch % (s.dp * s.micro_batch) != 0)
        open.training.global_batch = (open.training.global_batch / (s.dp * s.micro_batch) + 1)
                                     * s.dp * s.micro_batch;
      sw_estimate (&open, &s, &e);
      if (e.rule != SW_RULE_OK && e.rule != SW_RULE_GPU_MEMORY)
        continue;
      least = MIN (least, e.time.step_s);
      most = MAX (most, e.time.step_s);
      step = shardwise_format_seconds (e.time.step_s / MAX (1, e.gradient_accumulation));
      rate = shardwise_format_count (e.tokens_per_s);
      memory = shardwise_format_bytes (e.memory.peak.total);
      share = shardwise_format_percent (e.memory_utilisation);
      bubble = shardwise_format_percent (e.bubble_fraction);
      /* Translators: micro-batch, number of micro-batches, time of each, a rate, memory and its share
         of the GPU, the bubble */
      g_string_append (list, list->len > 0 ? "; " : "");
      g_string_append_printf (
          list, _ ("micro-batch %u (%u a step): %s each, %s tokens/s, %s per GPU (%s), bubble %s"),
          sizes[i], e.gradient_accumulation, step, rate, memory, share, bubble);
    }
  if (list->len > 0 && !shardwise_asking_told (self, SHARDWISE_TOLD_MICRO_BATCHES))
    {
      /* Translators: a list of micro-batches with what each gives */
      shardwise_asking_say (self, _ ("All else held: %s."), list->str);
      say_spread (self, least, most);
    }
  g_string_free (list, TRUE);
}

static void
figure_micro_batch (ShardwiseAsking *self, ShardwiseAdvice *advice)
{
  static const guint usual[] = { 1, 2, 4, 8, 16 };
  guint sizes[8], n = 0;

  for (guint i = 0; i < self->question->slots->len && n < G_N_ELEMENTS (sizes); i++)
    {
      const ShardwiseAskSlot *slot = g_ptr_array_index (self->question->slots, i);

      if (g_str_equal (slot->path, shardwise_key_path (SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE))
          && slot->value != NULL)
        sizes[n++] = (guint) g_variant_get_int64 (slot->value);
    }
  say_micro_batches (self, shardwise_advice_get_problem (advice),
                     &shardwise_advice_get_recommended (advice)->strategy, n > 1 ? sizes : usual,
                     n > 1 ? n : G_N_ELEMENTS (usual));
}

/* ---- words ---- */

typedef struct {
  const char *name, *text, *page;
  guint scope; /* of what questions it explains the observation, beside those for its meaning */
  void (*figure) (ShardwiseAsking *self, ShardwiseAdvice *advice); /* (nullable) */
} Term;

static const Term terms[] = {
  { "bubble",
    N_ ("The pipeline bubble is the time in which stages wait at the beginning and end of a "
        "step, for the first micro-batches to arrive and the last to return. With p stages, "
        "v virtual stages and m micro-batches it is about (p − 1)/(v·m) of the computation."),
    "analysis", SHARDWISE_ASK_OF_TIME, figure_bubble },
  { "mfu",
    N_ ("MFU, model FLOPs utilisation, is the arithmetic that the model needs per second "
        "over the GPU’s dense peak. Recomputation does not count, and the masked half of "
        "causal attention is left out."),
    "advice", 0, figure_share },
  { "hfu",
    N_ ("HFU, hardware FLOPs utilisation, is the arithmetic that is done per second, "
        "recomputation included, over the dense peak."),
    "advice", 0, figure_share },
  { "tp",
    N_ ("Tensor parallelism cuts every matrix of a layer over some GPUs, which exchange "
        "activations twice in each direction of a layer; so it should stay on the fast link "
        "of a node."),
    "advice", 0, figure_traffic },
  { "pp",
    N_ ("Pipeline parallelism gives consecutive layers to different GPUs, which pass "
        "activations on; little is sent, but stages wait for one another: the bubble."),
    "analysis", 0, figure_bubble },
  { "dp",
    N_ ("Data parallelism trains replicas on different sequences; their gradients are "
        "summed once a step."),
    "advice", 0, figure_traffic },
  { "cp",
    N_ ("Context parallelism cuts the sequence over GPUs, which exchange keys and values; "
        "it is for sequences whose activations do not fit otherwise."),
    "advice", 0, figure_traffic },
  { "ep",
    N_ ("Expert parallelism gives the experts of a mixture to different GPUs; tokens go to "
        "their experts and back by all-to-all."),
    "advice", 0, figure_experts },
  { "sp",
    N_ ("Sequence parallelism cuts norms and dropout, which tensor parallelism leaves whole, along "
        "the sequence over the same GPUs: less activation memory at the same communication."),
    "advice", 0, NULL },
  { "zero",
    N_ ("ZeRO shards what data-parallel replicas hold alike: stage 1 the optimizer states, stage 2 "
        "the gradients too, stage 3 the parameters too, which are then gathered layer by layer."),
    "analysis", 0, figure_zero },
  { "fsdp",
    N_ ("FSDP is PyTorch’s sharded data parallelism, like ZeRO 3: parameters are gathered "
        "layer by layer. HSDP shards within groups and replicates between them."),
    "advice", 0, figure_fsdp },
  { "micro-batch",
    N_ ("A micro-batch is what one GPU runs through the model at once. A larger one makes "
        "larger, more efficient kernels, and takes activations in proportion."),
    "advice", SHARDWISE_ASK_OF_TIME, figure_micro_batch },
  { "global-batch",
    N_ ("The global batch is all sequences of one optimizer step: micro-batch × gradient "
        "accumulation × data parallel."),
    "advice", 0, figure_micro_batch },
  { "gradient-accumulation",
    N_ ("Gradient accumulation runs several micro-batches before one optimizer step; it is "
        "the global batch over micro-batch × data parallel."),
    "advice", SHARDWISE_ASK_OF_TIME, figure_bubble },
  { "recompute",
    N_ ("Recomputation (activation checkpointing) drops activations in the forward pass and "
        "computes them again in the backward pass: full recomputation costs about a third "
        "more arithmetic, selective only that of cheap, large parts."),
    "analysis", 0, figure_recompute },
  { "offload",
    N_ ("Offloading keeps optimizer states, parameters or activations in the host’s memory "
        "and moves them over PCIe when they are needed."),
    "analysis", 0, figure_host },
  { "schedule",
    N_ ("The schedule is the order in which a stage runs forward and backward passes: GPipe "
        "all forward first, 1F1B one of each in turn, interleaved with several virtual "
        "stages per GPU, zero-bubble with weight gradients put off into the gaps."),
    "analysis", SHARDWISE_ASK_OF_TIME, figure_schedules },
  { "goodput",
    N_ ("Goodput is the share of the time that advances the training: what checkpoints, "
        "failures and restarts leave."),
    "scale", 0, NULL },
  { "scaling-efficiency",
    N_ ("Scaling efficiency is what is left of a step after exposed communication and bubble."),
    "scale", 0, figure_share },
  { "intensity",
    N_ ("The ratio of computation to communication: from about 10 to 1 on, communication "
        "can hide behind computation."),
    "advice", 0, NULL },
  { "lora",
    N_ ("LoRA trains small matrices beside frozen weights, QLoRA beside weights in four "
        "bits; only the small ones need gradients and optimizer states."),
    "advice", 0, figure_methods },
  { "moe",
    N_ ("A mixture of experts has many MLPs per layer, of which each token uses a few: many "
        "parameters, little arithmetic."),
    "advice", 0, figure_experts },
  { "activations",
    N_ ("Activations are what the forward pass keeps for the backward pass; they grow with "
        "micro-batch and sequence, and with the micro-batches in flight of a pipeline."),
    "analysis", 0, figure_parts },
  { "optimizer-states",
    N_ ("Adam keeps master weights and two moments in 4 bytes each, 12 bytes per parameter, "
        "beside weights and gradients in 2 bytes each."),
    "analysis", 0, figure_bytes },
  { "all-reduce",
    N_ ("Collectives are exchanges of a whole group: all-reduce sums over all and gives everyone "
        "the sum, reduce-scatter gives each a part of it, all-gather collects the parts."),
    "analysis", 0, figure_traffic },
  { "nvlink",
    N_ ("NVLink joins the GPUs of a node, or of a rack, many times as fast as the network."),
    "analysis", 0, NULL },
  { "infiniband",
    N_ ("InfiniBand and RoCE join nodes with direct access to memory (RDMA), typically 25 "
        "to 100 GB/s per GPU."),
    "analysis", 0, NULL },
  { "memory-target",
    N_ ("The memory target is the share of the usable memory that a strategy may take; what "
        "is above it is left out of the search."),
    "advice", 0, NULL },
  { "error-interval",
    N_ ("The interval beside a figure holds nine in ten measured runs of that kind, each "
        "predicted without having seen its source."),
    "advice", 0, NULL },
  { "pareto",
    N_ ("The Pareto front holds the strategies of which no other is both faster and smaller."),
    "alternatives", 0, NULL },
  { "playbook",
    N_ ("The Ultra-Scale Playbook is a decision tree of rules of thumb; its strategy stands "
        "beside the model’s as a second opinion."),
    "advice", 0, NULL },
  { "quick-score",
    N_ ("The quick score enumerates strategies and weighs four shares; a second opinion."),
    "advice", 0, NULL },
  { "step-time",
    N_ ("The step time is that of one optimizer step: computation, exposed communication, "
        "bubble and optimizer."),
    "analysis", 0, NULL },
  { "tokens-per-second", N_ ("Throughput is the tokens of a global batch over the time of a step."),
    "advice", 0, NULL },
  { "mixed-precision",
    N_ ("In mixed precision matrices multiply in bf16, fp16 or fp8, while sums and master "
        "weights stay in fp32; fp8 about doubles the peak where the GPU has it."),
    "advice", 0, NULL },
  { "bytes",
    N_ ("Training keeps for each parameter its weight, a gradient and the optimizer’s "
        "state. With Adam in mixed precision these are 2 bytes of weight, 2 or 4 of "
        "gradient and 12 of fp32 master weight and two moments: 16 or 18 by framework. "
        "Formulas such as 4 P + 12 P/N count what ZeRO leaves whole on each GPU and what it "
        "divides among N; in DeepSpeed’s own 4 P + 16 P/N the 4 are 2 bytes of weight and 2 of "
        "gradient, the 16 fp32 weight, fp32 gradient and two moments."),
    "analysis", SHARDWISE_ASK_OF_MEMORY, figure_bytes_and_zero },
  { "in-flight",
    N_ ("Under 1F1B stage s of p holds the activations of up to p − s micro-batches at "
        "once, so the first stages hold most though layers are balanced; the last holds the "
        "logits besides. That is normal."),
    "analysis", SHARDWISE_ASK_OF_MEMORY, figure_stages },
  { "lazy-states",
    N_ ("Adam’s moments are created at the first optimizer.step(), not before: the forward "
        "and backward pass of the first step run with less memory than all later ones, and "
        "the peak is that of the second step."),
    "analysis", SHARDWISE_ASK_OF_MEMORY, figure_lazy },
  { "load-peak",
    N_ ("Loading can need more than training: every process that reads the whole checkpoint "
        "before it is sharded holds all weights, in the type of the file, and all processes "
        "of a node do so in host memory. Build the model on the meta device and load shards "
        "(FSDP with sync_module_states, ZeRO 3 with zero.Init)."),
    "analysis", SHARDWISE_ASK_OF_MEMORY, figure_load },
  { "validation",
    N_ ("Validation keeps no gradients and adds no optimizer state, but a larger batch, "
        "logits of all tokens in fp32, or a generation with its cache may peak above "
        "training, and what training has reserved stays reserved. Use the micro-batch of "
        "training, torch.no_grad(), and empty the cache before."),
    "analysis", SHARDWISE_ASK_OF_MEMORY, figure_validation },
  { "floor",
    N_ ("More GPUs divide only what is sharded. On each GPU stay the gathered layers, "
        "prefetch and bucket buffers, activations and logits of the micro-batch, the CUDA "
        "context and communicators."),
    "analysis", SHARDWISE_ASK_OF_MEMORY, figure_floor },
  { "missing",
    N_ ("Estimators that count weights, gradients and optimizer leave out activations, "
        "logits and the loss, buffers of communication, the CUDA context and what the "
        "allocator loses to fragmentation."),
    "analysis", SHARDWISE_ASK_OF_MEMORY, figure_floor },
  { "host",
    N_ ("What is offloaded lies in the host’s memory, for all GPUs of a node together, with "
        "pinned buffers besides."),
    "analysis", SHARDWISE_ASK_OF_MEMORY, figure_host },
  { "attention-scores",
    N_ ("Without a fused kernel attention keeps its score matrix, softmax and dropout mask: 5 · "
        "heads · sequence² bytes a sequence and layer. Flash attention keeps none of them."),
    "analysis", SHARDWISE_ASK_OF_MEMORY, figure_scores },
  { "norms",
    N_ ("Weights of norms are not divided by tensor parallelism: each of its ranks holds "
        "all of them, and their states are divided over data parallelism alone."),
    "analysis", SHARDWISE_ASK_OF_MEMORY, figure_norms },
  { "dp-link",
    N_ ("Which link data parallelism uses follows from where its ranks lie, not from their "
        "number: tensor-parallel ranks are neighbours, so the data-parallel ranks are TP × "
        "CP GPUs apart, and cross nodes where that leaves the node."),
    "analysis", SHARDWISE_ASK_OF_MEMORY, figure_traffic },
  { "uneven",
    N_ ("Stages of an uneven pipeline are estimated one by one from the layers that each "
        "really has, with embedding and head where they lie; the answer is the largest of "
        "them, not the mean."),
    "analysis", SHARDWISE_ASK_OF_MEMORY, figure_stages },
  { "counting",
    N_ ("Parameters are counted from the architecture: a gated MLP has three matrices of "
        "hidden × intermediate size, not two, and the intermediate size is the configured "
        "one, not a multiple of the hidden size."),
    "advice", SHARDWISE_ASK_OF_MEMORY, figure_count },
  { "5d",
    N_ ("The degrees multiply to the number of GPUs: TP × CP × DP × PP, where “FSDP 8” is a "
        "DP of 8 that shards. Ranks are numbered with TP innermost, then CP, EP and DP, "
        "then PP: TP ranks are neighbours in a node, stages lie farthest apart. EP is no "
        "further factor: it takes ranks of DP and CP."),
    "analysis", 0, figure_product },
  { "hsdp",
    N_ ("HYBRID_SHARD shards within a group of GPUs and replicates between groups: gathers "
        "stay in the group, only gradients cross it, and each GPU holds 1/group of the "
        "states in place of 1/DP."),
    "analysis", 0, figure_groups },
  { "grad-op",
    N_ ("SHARD_GRAD_OP is ZeRO 2: gradients and optimizer states are sharded, and "
        "parameters stay gathered between forward and backward pass."),
    "analysis", 0, figure_zero },
  { "replicates",
    N_ ("FSDP does not replicate the model: each GPU holds 1/N of weights, gradients and "
        "optimizer states, and gathers one layer at a time."),
    "analysis", SHARDWISE_ASK_OF_MEMORY, figure_sum },
  { "buckets",
    N_ ("Gradients are reduced in buckets while the backward pass goes on, so that "
        "communication overlaps with it: PyTorch’s DDP by 25 MB, DeepSpeed by 5·10⁸ "
        "elements, Megatron by 40 M parameters or more."),
    "analysis", 0, figure_buckets },
  { "overlap",
    N_ ("Communication that runs while kernels compute costs no time; what is left over is "
        "exposed. Gradient buckets, prefetched layers and asynchronous sends hide it, as "
        "long as the computation beside it is longer."),
    "analysis", 0, figure_overlap },
  { "prefetch",
    N_ ("FSDP and ZeRO 3 gather the next layer while the present one computes; it costs the "
        "memory of one or two gathered layers."),
    "analysis", 0, figure_overlap },
  { "schedules",
    N_ ("Bubbles compare at the same number of stages and micro-batches, in forward times F of one "
        "micro-batch and stage, with a backward pass of 2 F of which W = F are weight gradients: "
        "1F1B (p − 1)(F + B), interleaved that over v, ZB-H1 (p − 1)(F + B − 2 W), DualPipe (p/2 − "
        "1)(F&B + B − 3 W) with twice the parameters; DualPipeV folds it to one copy on half the "
        "stages, and ZB-V has none where all passes are equal."),
    "analysis", SHARDWISE_ASK_OF_TIME, figure_schedules },
  { "vpp-group",
    N_ ("Interleaved schedules pass micro-batches in groups through each virtual stage; the "
        "group is as large as PP unless set otherwise "
        "(--microbatch-group-size-per-virtual-pipeline-stage), and the number of "
        "micro-batches must be a multiple of it."),
    "analysis", SHARDWISE_ASK_OF_TIME, figure_group },
  { "few-micro-batches",
    N_ ("With fewer micro-batches than stages some stages never have work at once; several "
        "implementations refuse or hang. Take at least as many as stages, better four times "
        "as many."),
    "analysis", SHARDWISE_ASK_OF_TIME, figure_group },
  { "micro-batch-sweep",
    N_ ("A larger micro-batch makes larger kernels until the GPU is busy, and then time grows with "
        "it; fewer micro-batches make a larger bubble, and activations grow in proportion. Above "
        "90 to 95 percent of the memory the allocator frees and asks again, which slows all."),
    "analysis", SHARDWISE_ASK_OF_TIME, figure_micro_batch },
  { "encoder-decoder",
    N_ ("Encoder–decoder models are not modelled: the figures are those of a decoder of the "
        "same size, and are a guide at best."),
    "advice", SHARDWISE_ASK_OF_MEMORY, NULL },
  { "small-stages",
    N_ ("Stages of few small layers leave kernels too small to fill a GPU, and launches and "
        "transfers between them weigh more: a bubble of 30 to 47 percent makes a step at "
        "most twice as long, so it alone cannot explain several times."),
    "analysis", SHARDWISE_ASK_OF_TIME, figure_bubble },
  { "padding",
    N_ ("Padding computes tokens that train nothing: a batch padded to the longest sequence takes "
        "its time for all. It is no input here; measure the share of padding in a batch."),
    "analysis", SHARDWISE_ASK_OF_TIME, NULL },
};

static const Term *
find_term (const char *name)
{
  for (guint i = 0; name != NULL && i < G_N_ELEMENTS (terms); i++)
    if (g_str_equal (terms[i].name, name))
      return &terms[i];
  return NULL;
}

/**
 * shardwise_ask_topic_scope:
 * @name: of what can be explained
 *
 * Returns: of #ShardwiseAskScope: which questions it explains the observation of; 0: it is only a word
 */
guint
shardwise_ask_topic_scope (const char *name)
{
  const Term *term = find_term (name);

  return term != NULL ? term->scope : 0;
}

/**
 * shardwise_asking_topics:
 * @advice: whose figures are told
 * @scope: of #ShardwiseAskScope: what the question is about
 *
 * What explains the observations that the question speaks of, each with its figures here.
 */
void
shardwise_asking_topics (ShardwiseAsking *self, ShardwiseAdvice *advice, guint scope)
{
  GPtrArray *topics = self->question->topics;
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const Term *last = NULL;

  /* What matters whether it was named or not. */
  if ((scope & SHARDWISE_ASK_OF_MEMORY) && problem->training.attention == SW_ATTENTION_UNFUSED
      && !g_ptr_array_find_with_equal_func (topics, "attention-scores", g_str_equal, NULL))
    figure_scores (self, advice);
  if (problem->model.moe.experts > 0
      && (shardwise_question_find (self->question, shardwise_key_path (SHARDWISE_KEY_STRATEGY_EP),
                                   0)
          || g_ptr_array_find_with_equal_func (topics, "ep", g_str_equal, NULL)))
    figure_experts (self, advice);
  for (guint i = 0, n = 0; i < topics->len && n < MOST_TOPICS; i++)
    {
      const Term *term = find_term (g_ptr_array_index (topics, i));

      if (term == NULL || (term->scope & scope) == 0
          || (last != NULL && last->figure == term->figure))
        continue;
      last = term;
      shardwise_asking_apart (self);
      shardwise_asking_tell (self, _ (term->text));
      if (term->figure != NULL)
        term->figure (self, advice);
      n++;
    }
}

/**
 * shardwise_asking_words:
 *
 * What the words of a comparison without values mean.
 */
void
shardwise_asking_words (ShardwiseAsking *self)
{
  GPtrArray *topics = self->question->topics;

  for (guint i = 0, n = 0; i < topics->len && n < MOST_TOPICS; i++)
    {
      const Term *term = find_term (g_ptr_array_index (topics, i));

      if (term == NULL || term->scope != 0)
        continue;
      shardwise_asking_tell (self, _ (term->text));
      n++;
    }
}

/* "What is the pipeline bubble?": what it means, and its figures here. */
void
shardwise_asking_define (ShardwiseAsking *self)
{
  GPtrArray *topics = self->question->topics;
  g_autoptr (ShardwiseAdvice) now = shardwise_asking_own (self);
  guint n = 0;
  gboolean is_narrow = FALSE; /* what was told explains all that the others would */

  for (guint i = 0; i < topics->len && n < MOST_TOPICS; i++)
    {
      const Term *term = find_term (g_ptr_array_index (topics, i));

      if (term == NULL || (n > 0 && is_narrow))
        continue;
      is_narrow = term->scope != 0 || g_str_equal (term->name, "5d");
      if (n++ == 0)
        self->answer->page = term->page;
      shardwise_asking_apart (self);
      shardwise_asking_tell (self, _ (term->text));
      if (term->figure != NULL && now != NULL)
        term->figure (self, now);
    }
  if (n == 0)
    {
      shardwise_asking_unknown (self);
      return;
    }
  if (now != NULL && shardwise_advice_get_fits (now))
    {
      g_autofree char *strategy =
          shardwise_text_strategy (&shardwise_advice_get_recommended (now)->strategy);

      /* Translators: a strategy */
      shardwise_asking_say (self, _ ("Recommended here: %s."), strategy);
      shardwise_asking_facts (self, "", now);
    }
}
