/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds of the time of every strategy, whatever the constants: on questions drawn at random,
 * CASES of each law. The seed is printed and taken from SHARDWISE_TEST_SEED. */
#include "sw-estimate.h"
#include "sw-fixture.h"

#include <math.h>

#define CASES 10000
#define SEED 20261120
/* Sums are taken in another order where a term vanishes. */
#define ROUNDING 1e-9

static guint
pick (GRand *rand, guint low, guint high)
{
  return (guint) g_rand_int_range (rand, (gint32) low, (gint32) high + 1);
}

static guint
power_of_two (GRand *rand, guint most)
{
  return 1u << pick (rand, 0, most);
}

static GRand *
new_rand (void)
{
  const char *given = g_getenv ("SHARDWISE_TEST_SEED");
  guint32 seed = given != NULL ? (guint32) g_ascii_strtoull (given, NULL, 10) : SEED;

  g_test_message ("SHARDWISE_TEST_SEED=%u", seed);
  return g_rand_new_with_seed (seed);
}

/* ---- questions ---- */

static void
random_experts (GRand *rand, SwModelSpec *model)
{
  model->moe = (SwMoe){ .experts = power_of_two (rand, 8),
                        .intermediate_size = 128 * pick (rand, 2, 64),
                        .first_dense_layers = pick (rand, 0, MIN (3, model->layers - 1)),
                        .layer_frequency = pick (rand, 1, 2) };
  model->moe.top_k = MIN (power_of_two (rand, 3), model->moe.experts);
  model->moe.shared_intermediate_size = g_rand_boolean (rand) ? model->moe.intermediate_size : 0;
}

static void
random_model (GRand *rand, SwModelSpec *model)
{
  guint heads = 8 * pick (rand, 1, 16);

  *model = (SwModelSpec){ .kind = SW_MODEL_DECODER,
                          .layers = pick (rand, 1, 96),
                          .hidden_size = 128 * heads,
                          .attention_heads = heads,
                          .kv_heads = g_rand_boolean (rand) ? heads : 8,
                          .head_dim = 128,
                          .vocab_size = 128 * pick (rand, 200, 2000),
                          .max_position_embeddings = 131072,
                          .gated_mlp = g_rand_boolean (rand),
                          .tied_embeddings = g_rand_boolean (rand),
                          .norms_per_layer = 2,
                          .sliding_window = g_rand_boolean (rand) ? 0 : power_of_two (rand, 14),
                          .mtp_layers = pick (rand, 0, 1) };
  model->intermediate_size = model->hidden_size * pick (rand, 2, 4);
  if (pick (rand, 0, 2) == 0)
    random_experts (rand, model);
  if (pick (rand, 0, 4) == 0)
    model->mla = (SwMla){ 512, g_rand_boolean (rand) ? 1536 : 0, 128, 64, 128 };
}

static void
random_cluster (GRand *rand, SwCluster *cluster)
{
  double peak = g_rand_double_range (rand, 1e14, 3e15);

  sw_fixture_cluster (cluster, 1u << pick (rand, 0, 13));
  cluster->gpu.generation = pick (rand, 0, SW_N_GENERATIONS - 1);
  cluster->gpu.peak_bf16_flops_per_s = cluster->gpu.peak_fp16_flops_per_s = peak;
  cluster->gpu.peak_fp8_flops_per_s = 2 * peak;
  cluster->gpu.peak_fp4_flops_per_s = 4 * peak;
  cluster->gpu.measured_bf16_flops_per_s = g_rand_boolean (rand) ? 0.7 * peak : 0;
  cluster->gpu.hbm_bytes_per_s = g_rand_double_range (rand, 5e11, 1e13);
  cluster->gpus_per_node = power_of_two (rand, 4);
  cluster->nvlink_domain = g_rand_boolean (rand) ? cluster->gpus_per_node : 72;
  cluster->intra.bytes_per_s = exp (g_rand_double_range (rand, log (4e9), log (1e12)));
  cluster->intra.is_pcie = pick (rand, 0, 4) == 0;
  cluster->inter.bytes_per_s = exp (g_rand_double_range (rand, log (1e8), log (2e11)));
  cluster->inter.shared_by_node = g_rand_boolean (rand);
  cluster->oversubscription = g_rand_boolean (rand) ? 1 : g_rand_double_range (rand, 1, 8);
  cluster->pod_gpus = g_rand_boolean (rand) ? 0 : power_of_two (rand, 10);
}

static void
random_training (GRand *rand, SwTraining *training)
{
  static const SwTrainingType types[] = { SW_TRAINING_PRETRAIN, SW_TRAINING_PRETRAIN,
                                          SW_TRAINING_FINETUNE, SW_TRAINING_LORA };

  sw_fixture_training (training);
  training->type = types[pick (rand, 0, G_N_ELEMENTS (types) - 1)];
  training->sequence_length = 256u << pick (rand, 0, 8);
  training->global_batch = 16u << pick (rand, 0, 10);
  training->precision = pick (rand, 0, SW_PRECISION_NVFP4);
  training->optimizer = pick (rand, 0, SW_OPTIMIZER_SGD);
  training->attention = g_rand_boolean (rand) ? SW_ATTENTION_FLASH : SW_ATTENTION_UNFUSED;
  training->overlap = pick (rand, 0, 3) == 0 ? SW_OVERLAP_NONE : SW_OVERLAP_AUTO;
  training->software_year = g_rand_double_range (rand, 2020, 2027);
}

/* Whether the time of kernels enters only where shorter ones shorten the step. Three coarse terms
 * of the model do otherwise, by up to 2 %: the launches of selective recomputation are taken by its
 * share of the forward pass's time, the zero-bubble schedule fills its bubble with weight
 * gradients, of which there are less where they are shorter, and attention hides both the ring of
 * context parallelism and the traffic of data parallelism. */
static gboolean
kernels_are_exact (const SwProblem *problem, const SwStrategy *strategy)
{
  return strategy->recompute != SW_RECOMPUTE_SELECTIVE
         && (strategy->schedule != SW_SCHEDULE_ZERO_BUBBLE || strategy->pp == 1)
         && strategy->cp == 1;
}

/* Whether every stage has the same layers. Where stages differ the engine takes data-parallel
 * communication and optimizer of the stage that computes longest, which a better question may move
 * to a stage that has more of them: there the laws hold of the pipeline alone. */
static gboolean
stages_are_alike (const SwProblem *problem, const SwStrategy *strategy)
{
  const SwModelSpec *model = &problem->model;

  return strategy->pp == 1
         || (model->layers % strategy->pp == 0
             && (model->moe.experts == 0
                 || (model->moe.first_dense_layers == 0 && model->moe.layer_frequency == 1)));
}

/* A question and a strategy that its framework can run, whether or not it fits the memory. */
static void
draw (GRand *rand, gboolean alike, SwProblem *problem, SwStrategy *strategy)
{
  do
    {
      SwModelSpec model;

      random_model (rand, &model);
      sw_fixture_problem (problem, &model, 8);
      random_cluster (rand, &problem->cluster);
      random_training (rand, &problem->training);
      problem->training.framework = SW_FRAMEWORK_ANY;
      sw_problem_prepare (problem);
      for (guint i = 0; i < 20; i++)
        if (sw_fixture_random_strategy (rand, problem, strategy)
            && (!alike || stages_are_alike (problem, strategy)))
          {
            problem->training.framework = strategy->framework;
            return;
          }
    }
  while (TRUE);
}

static double
step_seconds (const SwProblem *problem, const SwStrategy *strategy)
{
  SwEstimate e;

  sw_estimate (problem, strategy, &e);
  return e.time.step_s;
}

static void
describe (const SwProblem *p, const SwStrategy *s)
{
  g_test_message (
      "%s: layers %u hidden %u experts %u, %u GPUs of %u a node, sequence %u batch %u, tp %u pp %u "
      "vpp %u cp %u (%s) ep %u etp %u dp %u of %u, micro-batch %u, ZeRO %u, %s, %s, %s, sp %u, "
      "overlap %d",
      sw_framework_names[s->framework], p->model.layers, p->model.hidden_size, p->model.moe.experts,
      p->cluster.gpus, p->cluster.gpus_per_node, p->training.sequence_length,
      p->training.global_batch, s->tp, s->pp, s->vpp, s->cp, sw_cp_method_names[s->cp_method],
      s->ep, s->etp, s->dp, s->shard_group, s->micro_batch, s->zero_stage,
      sw_recompute_names[s->recompute], sw_schedule_names[s->schedule],
      sw_precision_names[p->training.precision], s->sequence_parallel, p->training.overlap);
}

static void
describe_time (const SwProblem *problem, const SwStrategy *strategy)
{
  SwEstimate e;

  sw_estimate (problem, strategy, &e);
  g_test_message (
      "step %.9g = compute %.9g (again %.9g) + uneven %.9g + tp %.9g + cp %.9g + ep %.9g + pp %.9g "
      "+ dp %.9g + bubble %.9g + optimizer %.9g + offload %.9g + other %.9g",
      e.time.step_s, e.time.compute_s, e.time.recompute_s, e.time.uneven_s, e.time.tp_exposed_s,
      e.time.cp_exposed_s, e.time.ep_exposed_s, e.time.pp_exposed_s, e.time.dp_exposed_s,
      e.time.bubble_s, e.time.optimizer_s, e.time.offload_exposed_s, e.time.other_s);
}

/* ---- laws: a better question takes no longer ---- */

typedef void (*Better) (GRand *rand, SwProblem *problem, SwStrategy *strategy);

static double
factor (GRand *rand)
{
  return exp (g_rand_double_range (rand, 0, 2));
}

static void
faster_inside_nodes (GRand *rand, SwProblem *problem, SwStrategy *strategy)
{
  problem->cluster.intra.bytes_per_s *= factor (rand);
}

static void
faster_network (GRand *rand, SwProblem *problem, SwStrategy *strategy)
{
  problem->cluster.inter.bytes_per_s *= factor (rand);
}

static void
lower_latency (GRand *rand, SwProblem *problem, SwStrategy *strategy)
{
  problem->cluster.inter.latency_s /= factor (rand);
  problem->cluster.intra.latency_s /= factor (rand);
}

static void
faster_pcie (GRand *rand, SwProblem *problem, SwStrategy *strategy)
{
  problem->cluster.gpu.pcie_bytes_per_s *= factor (rand);
}

static void
less_oversubscribed (GRand *rand, SwProblem *problem, SwStrategy *strategy)
{
  problem->cluster.oversubscription = 1;
}

static void
more_flops (GRand *rand, SwProblem *problem, SwStrategy *strategy)
{
  SwGpu *gpu = &problem->cluster.gpu;
  double more = factor (rand);

  gpu->peak_bf16_flops_per_s *= more;
  gpu->peak_fp16_flops_per_s *= more;
  gpu->peak_fp8_flops_per_s *= more;
  gpu->peak_fp4_flops_per_s *= more;
  gpu->measured_bf16_flops_per_s *= more;
}

static void
faster_memory (GRand *rand, SwProblem *problem, SwStrategy *strategy)
{
  problem->cluster.gpu.hbm_bytes_per_s *= factor (rand);
}

static void
overlapped (GRand *rand, SwProblem *problem, SwStrategy *strategy)
{
  problem->training.overlap = SW_OVERLAP_AUTO;
}

/* The same strategy on half of the sequences. */
static void
smaller_batch (GRand *rand, SwProblem *problem, SwStrategy *strategy)
{
  guint least = strategy->dp * strategy->micro_batch;
  guint least_micro_batches = strategy->vpp > 1 ? strategy->pp : 1;

  if (problem->training.global_batch % (2 * least * least_micro_batches) == 0)
    problem->training.global_batch /= 2;
}

static const struct {
  const char *path;
  Better better;
  gboolean offload; /* the law is of what is offloaded: draw that too */
  gboolean kernels; /* the law is of the time of kernels */
} laws[] = {
  { "/laws/faster-inside-nodes", faster_inside_nodes, FALSE, FALSE },
  { "/laws/faster-network", faster_network, FALSE, FALSE },
  { "/laws/lower-latency", lower_latency, FALSE, FALSE },
  { "/laws/faster-pcie", faster_pcie, TRUE, FALSE },
  { "/laws/less-oversubscribed", less_oversubscribed, FALSE, FALSE },
  { "/laws/more-flops", more_flops, FALSE, TRUE },
  { "/laws/faster-memory", faster_memory, FALSE, TRUE },
  { "/laws/overlapped", overlapped, FALSE, FALSE },
  { "/laws/smaller-batch", smaller_batch, FALSE, FALSE },
};

static void
test_law (gconstpointer data)
{
  guint law = GPOINTER_TO_UINT (data), shorter = 0;
  g_autoptr (GRand) rand = new_rand ();

  for (guint i = 0; i < CASES; i++)
    {
      SwProblem problem, better;
      SwStrategy strategy;
      double before, after;

      do
        draw (rand, TRUE, &problem, &strategy);
      while (laws[law].kernels && !kernels_are_exact (&problem, &strategy));
      if (laws[law].offload)
        strategy.offload = pick (rand, SW_OFFLOAD_NONE, SW_OFFLOAD_ACTIVATIONS);
      before = step_seconds (&problem, &strategy);
      better = problem;
      laws[law].better (rand, &better, &strategy);
      after = step_seconds (&better, &strategy);
      shorter += after < before * (1 - ROUNDING) ? 1 : 0;
      if (after <= before * (1 + ROUNDING))
        continue;
      describe (&problem, &strategy);
      describe_time (&problem, &strategy);
      describe_time (&better, &strategy);
      g_error ("case %u: %.9g s, then %.9g s", i, before, after);
    }
  g_assert_cmpuint (shorter, >, CASES / 50); /* the law has something to bite on */
}

/* ---- sums ---- */

static void
check_sums (const SwEstimate *e)
{
  const SwTime *t = &e->time;
  const SwMemoryParts *p = &e->memory.peak;

  g_assert_cmpfloat_with_epsilon (t->compute_s + t->uneven_s + t->tp_exposed_s + t->cp_exposed_s
                                      + t->ep_exposed_s + t->pp_exposed_s + t->dp_exposed_s
                                      + t->bubble_s + t->optimizer_s + t->offload_exposed_s
                                      + t->other_s,
                                  t->step_s, ROUNDING * t->step_s);
  g_assert_cmpfloat_with_epsilon (p->parameters + p->gradients + p->optimizer + p->activations
                                      + p->logits + p->buffers + p->framework,
                                  p->total, ROUNDING * p->total);
  g_assert_cmpfloat_with_epsilon (
      e->scaling_efficiency + e->communication_overhead + e->bubble_fraction, 1, ROUNDING);
  g_assert_cmpfloat (t->recompute_s, <=, t->compute_s * (1 + ROUNDING));
}

/* Finite, and nothing that is a duration, a size or a share is negative. */
static void
check_finite (const SwEstimate *e)
{
  const double values[] = {
    e->time.compute_s,
    e->time.recompute_s,
    e->time.uneven_s,
    e->time.tp_exposed_s,
    e->time.cp_exposed_s,
    e->time.ep_exposed_s,
    e->time.pp_exposed_s,
    e->time.dp_exposed_s,
    e->time.bubble_s,
    e->time.optimizer_s,
    e->time.other_s,
    e->time.tp_hidden_s,
    e->time.cp_hidden_s,
    e->time.ep_hidden_s,
    e->time.pp_hidden_s,
    e->time.dp_hidden_s,
    e->time.offload_exposed_s,
    e->memory.peak.total,
    e->memory.host_bytes,
    e->tokens_per_s,
    e->mfu,
    e->hfu,
    e->bubble_fraction,
    e->communication_overhead,
    e->scaling_efficiency,
    e->compute_to_communication,
    e->step_low_s,
    e->memory_low_bytes,
    e->tokens_low_per_s,
    e->memory.peak.parameters,
    e->memory.peak.gradients,
    e->memory.peak.optimizer,
    e->memory.peak.activations,
    e->memory.peak.logits,
    e->memory.peak.buffers,
    e->memory.peak.framework,
    e->missing_bytes,
    e->memory_utilisation,
  };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    if (!isfinite (values[i]) || values[i] < 0)
      g_error ("value %u is %g", i, values[i]);
  g_assert_cmpfloat (e->time.step_s, >, 0);
  g_assert_true (isfinite (e->step_high_s) && isfinite (e->memory_high_bytes)
                 && isfinite (e->tokens_high_per_s));
  g_assert_cmpfloat (e->mfu, <=, e->hfu * (1 + ROUNDING));
  g_assert_cmpfloat (e->mfu, <=, 1);
}

static void
test_sums (void)
{
  g_autoptr (GRand) rand = new_rand ();

  for (guint i = 0; i < CASES; i++)
    {
      SwProblem problem;
      SwStrategy strategy;
      SwEstimate e;

      draw (rand, FALSE, &problem, &strategy);
      strategy.offload = pick (rand, SW_OFFLOAD_NONE, SW_OFFLOAD_ACTIVATIONS);
      sw_estimate (&problem, &strategy, &e);
      check_sums (&e);
      check_finite (&e);
    }
}

/* ---- the bubble ---- */

/* Twice the micro-batches of a pipeline: the bubble is a smaller share of the step. */
static void
test_bubble (void)
{
  g_autoptr (GRand) rand = new_rand ();

  for (guint i = 0; i < CASES;)
    {
      SwProblem problem, more;
      SwStrategy strategy;
      SwEstimate before, after;

      draw (rand, FALSE, &problem, &strategy);
      if (strategy.pp == 1)
        continue;
      i++;
      more = problem;
      more.training.global_batch *= 2;
      sw_estimate (&problem, &strategy, &before);
      sw_estimate (&more, &strategy, &after);
      if (after.bubble_fraction <= before.bubble_fraction + ROUNDING)
        continue;
      describe (&problem, &strategy);
      describe_time (&problem, &strategy);
      describe_time (&more, &strategy);
      g_error ("case %u: %.9g, then %.9g", i, before.bubble_fraction, after.bubble_fraction);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (laws); i++)
    g_test_add_data_func (laws[i].path, GUINT_TO_POINTER (i), test_law);
  g_test_add_func ("/laws/sums", test_sums);
  g_test_add_func ("/laws/bubble", test_bubble);
  return g_test_run ();
}
