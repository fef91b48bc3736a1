/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Orders that practitioners measure: of two ways to run one job, which is faster and by how much at
 * least, with the constants of the catalogue. */
#include <string.h>
#include "scenario-fixture.h"
#include "shardwise-estimate.h"

typedef struct {
  const char *model, *cluster, *training, *strategy; /* members of the scenario's objects */
  guint micro_batch;                                 /* 0: 1 */
} Job;

static void
estimate (const Job *job, SwEstimate *out)
{
  g_autofree char *json = g_strdup_printf (
      "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": {%s}, \"cluster\": {%s}, "
      "\"training\": {\"micro_batch_size\": %u, %s}, \"strategy\": {%s}}",
      job->model, job->cluster, MAX (job->micro_batch, 1), job->training, job->strategy);
  g_autoptr (ShardwiseScenario) scenario = scenario_of (json);
  g_autoptr (GPtrArray) notes = NULL;
  g_autoptr (GError) error = NULL;
  SwProblem problem;

  shardwise_estimate_scenario (scenario, &problem, out, &notes, &error);
  g_assert_no_error (error);
}

static double
step_s (const Job *job)
{
  SwEstimate out;

  estimate (job, &out);
  return out.time.step_s;
}

/* The second takes at least `least` and at most `most` times as long as the first. */
static void
assert_slower (const Job *fast, const Job *slow, double least, double most)
{
  double ratio = step_s (slow) / step_s (fast);

  g_test_message ("%.3f times as long", ratio);
  g_assert_cmpfloat (ratio, >, least);
  g_assert_cmpfloat (ratio, <, most);
}

static const char nodes_8_of_a100[] =
    "\"gpu\": \"a100-80-sxm\", \"gpus\": 64, \"inter_node_gb_s\": 3.125";
static const char one_node[] = "\"gpu\": \"a100-80-sxm\", \"gpus\": 8";

/* Over 25 GB/s a node sharding over all nodes gathers every layer over the network, twice a
 * micro-batch; hybrid sharding reduces a node's part of the gradients once a step. */
static void
test_hybrid_sharding (void)
{
  static const char *const frameworks[] = { "fsdp", "fsdp2", "deepspeed" };

  for (guint i = 0; i < G_N_ELEMENTS (frameworks); i++)
    {
      g_autofree char *training = g_strdup_printf (
          "\"sequence_length\": 4096, \"global_batch_size\": 256, \"framework\": \"%s\"",
          frameworks[i]);
      Job hybrid = { "\"preset\": \"llama-2-7b\"", nodes_8_of_a100, training,
                     "\"tp\": 1, \"pp\": 1, \"cp\": 1, \"ep\": 1, \"dp\": 64, \"zero_stage\": 3, "
                     "\"shard_group\": 8, \"recompute\": \"none\"" };
      Job full = hybrid;

      full.strategy = "\"tp\": 1, \"pp\": 1, \"cp\": 1, \"ep\": 1, \"dp\": 64, \"zero_stage\": 3, "
                      "\"recompute\": \"none\"";
      assert_slower (&hybrid, &full, 1.5, 4);
    }
}

/* Over a fast network there is little to win. */
static void
test_hybrid_sharding_fast (void)
{
  Job hybrid = { "\"preset\": \"llama-2-7b\"",
                 "\"gpu\": \"h100-80-sxm\", \"gpus\": 64, \"inter_node\": \"ib-ndr\"",
                 "\"sequence_length\": 4096, \"global_batch_size\": 256, \"framework\": \"fsdp2\"",
                 "\"tp\": 1, \"pp\": 1, \"cp\": 1, \"ep\": 1, \"dp\": 64, \"zero_stage\": 3, "
                 "\"shard_group\": 8, \"recompute\": \"none\"" };
  Job full = hybrid;

  full.strategy = "\"tp\": 1, \"pp\": 1, \"cp\": 1, \"ep\": 1, \"dp\": 64, \"zero_stage\": 3, "
                  "\"recompute\": \"none\"";
  assert_slower (&hybrid, &full, 0.95, 1.15);
}

/* Inside a node replicas of a small model exchange gradients once a step; full sharding gathers
 * parameters and scatters gradients with every micro-batch. */
static void
test_replicas_of_a_small_model (void)
{
  static const char *const frameworks[] = { "fsdp", "fsdp2", "deepspeed" };
  static const char *const clusters[] = { one_node, "\"gpu\": \"h100-80-sxm\", \"gpus\": 8" };

  for (guint i = 0; i < G_N_ELEMENTS (frameworks); i++)
    for (guint k = 0; k < G_N_ELEMENTS (clusters); k++)
      {
        g_autofree char *training = g_strdup_printf (
            "\"sequence_length\": 2048, \"global_batch_size\": 128, \"framework\": \"%s\"",
            frameworks[i]);
        Job replicas = { "\"parameters_b\": 1.1", clusters[k], training,
                         "\"tp\": 1, \"pp\": 1, \"cp\": 1, \"ep\": 1, \"dp\": 8, "
                         "\"zero_stage\": 0, \"recompute\": \"none\"",
                         4 };
        Job sharded = replicas;

        sharded.strategy = "\"tp\": 1, \"pp\": 1, \"cp\": 1, \"ep\": 1, \"dp\": 8, "
                           "\"zero_stage\": 3, \"recompute\": \"none\"";
        assert_slower (&replicas, &sharded, 1.005, 1.2);
      }
}

/* Stage 3 of DeepSpeed gathers every module by itself: short micro-batches wait for the host, as many
 * times as long as under FSDP, which gathers layers; long ones hide it. */
static void
test_hooks_of_modules (void)
{
  static const struct {
    guint sequence;
    double least, most;
  } table[] = { { 256, 1.5, 5 }, { 16384, 0.95, 1.15 } };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autofree char *units = g_strdup_printf (
          "\"sequence_length\": %u, \"global_batch_size\": 64, \"framework\": \"fsdp\"",
          table[i].sequence);
      g_autofree char *modules = g_strdup_printf (
          "\"sequence_length\": %u, \"global_batch_size\": 64, \"framework\": \"deepspeed\"",
          table[i].sequence);
      Job layers = { "\"parameters_b\": 1.1", one_node, units,
                     "\"tp\": 1, \"pp\": 1, \"cp\": 1, \"ep\": 1, \"dp\": 8, "
                     "\"zero_stage\": 3, \"recompute\": \"full\"" };
      Job each = layers;

      each.training = modules;
      assert_slower (&layers, &each, table[i].least, table[i].most);
    }
}

static double
expert_parallel (const char *date, const char *dispatcher, guint ep, double *exposed_s)
{
  g_autofree char *training = g_strdup_printf (
      "\"sequence_length\": 4096, \"global_batch_size\": 4096, \"framework\": \"megatron-core\", "
      "\"software_date\": \"%s\", \"software\": {\"moe_dispatcher\": \"%s\"}",
      date, dispatcher);
  g_autofree char *strategy = g_strdup_printf (
      "\"tp\": 1, \"pp\": 8, \"cp\": 1, \"ep\": %u, \"dp\": 64, \"zero_stage\": 1, \"schedule\": "
      "\"1f1b\", \"recompute\": \"full\"",
      ep);
  Job job = { "\"preset\": \"deepseek-v3\"",
              "\"gpu\": \"h100-80-sxm\", \"gpus\": 512, \"inter_node\": \"ib-ndr\"", training,
              strategy };
  SwEstimate out;

  estimate (&job, &out);
  *exposed_s = out.time.ep_exposed_s;
  return out.time.step_s;
}

/* Expert parallelism costs more the farther it goes, of old software and of new, by each dispatcher;
 * and by a plain all-to-all more than by one that forwards. */
static void
test_experts_leave_the_node (void)
{
  static const struct {
    const char *date, *dispatcher;
  } cases[] = { { "2024-06", "alltoall" },
                { "2025-06", "alltoall" },
                { "2025-06", "deepep" },
                { "2026-06", "alltoall" },
                { "2026-06", "deepep" } };
  double plain[4] = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const gboolean forwards = g_str_equal (cases[i].dispatcher, "deepep");
      double exposed_s[4], seconds[4];

      for (guint k = 0; k < 4; k++)
        seconds[k] = expert_parallel (cases[i].date, cases[i].dispatcher, 8u << k, &exposed_s[k]);
      g_test_message ("%s, %s: %.3g, %.3g, %.3g, %.3g s, of them %.3g, %.3g, %.3g, %.3g s exposed",
                      cases[i].date, cases[i].dispatcher, seconds[0], seconds[1], seconds[2],
                      seconds[3], exposed_s[0], exposed_s[1], exposed_s[2], exposed_s[3]);
      for (guint k = 1; k < 4; k++)
        g_assert_cmpfloat (exposed_s[k], >, exposed_s[k - 1]);
      for (guint k = 2; k < 4; k++)
        g_assert_cmpfloat (seconds[k], >, seconds[k - 1]);
      g_assert_cmpfloat (seconds[3], >, 1.02 * seconds[0]);
      for (guint k = 0; k < 4 && forwards; k++)
        g_assert_cmpfloat (seconds[k], <, plain[k]);
      memcpy (plain, seconds, sizeof plain);
    }
}

/* All cores of a host step 7 billion parameters in about four seconds, eight GPUs in a hundredth of
 * that (github deepspeedai/DeepSpeed, issue 6834: 0.2 s and 10 s for 72 billion on four nodes). */
static void
test_optimizer_on_the_host (void)
{
  Job inside = { "\"preset\": \"llama-2-7b\"", one_node,
                 "\"sequence_length\": 2048, \"global_batch_size\": 64, \"framework\": "
                 "\"deepspeed\"",
                 "\"tp\": 1, \"pp\": 1, \"cp\": 1, \"ep\": 1, \"dp\": 8, \"zero_stage\": 3, "
                 "\"recompute\": \"full\", \"offload\": \"none\"" };
  Job optimizer = inside, both = inside;
  SwEstimate a, b, c;

  optimizer.strategy = "\"tp\": 1, \"pp\": 1, \"cp\": 1, \"ep\": 1, \"dp\": 8, \"zero_stage\": 3, "
                       "\"recompute\": \"full\", \"offload\": \"optimizer\"";
  both.strategy = "\"tp\": 1, \"pp\": 1, \"cp\": 1, \"ep\": 1, \"dp\": 8, \"zero_stage\": 3, "
                  "\"recompute\": \"full\", \"offload\": \"optimizer+params\"";
  estimate (&inside, &a);
  estimate (&optimizer, &b);
  estimate (&both, &c);
  g_test_message ("step %.2f, %.2f, %.2f s", a.time.step_s, b.time.step_s, c.time.step_s);
  g_assert_cmpfloat (b.time.optimizer_s, >, 3);
  g_assert_cmpfloat (b.time.optimizer_s, <, 6);
  g_assert_cmpfloat (b.time.step_s, >, 1.4 * a.time.step_s);
  g_assert_cmpfloat (c.time.step_s, >, b.time.step_s);
  both.training = "\"sequence_length\": 2048, \"global_batch_size\": 64, \"framework\": \"fsdp2\"";
  estimate (&both, &b);
  g_assert_cmpfloat (b.time.optimizer_s, >, 4 * c.time.optimizer_s);
}

static double
gain_of_fp8 (const char *gpu)
{
  g_autofree char *cluster = g_strdup_printf ("\"gpu\": \"%s\", \"gpus\": 8", gpu);
  Job job = { "\"preset\": \"llama-3-8b\"", cluster,
              "\"sequence_length\": 8192, \"global_batch_size\": 64, \"framework\": \"fsdp2\", "
              "\"precision\": \"bf16\"",
              "\"tp\": 1, \"pp\": 1, \"cp\": 1, \"ep\": 1, \"dp\": 8, \"zero_stage\": 3, "
              "\"recompute\": \"selective\"" };
  double half_s = step_s (&job);

  job.training = "\"sequence_length\": 8192, \"global_batch_size\": 64, \"framework\": \"fsdp2\", "
                 "\"precision\": \"fp8\"";
  return half_s / step_s (&job);
}

/* FP8 wins less on an MI300X than on an H100. */
static void
test_fp8_of_vendors (void)
{
  double mi300x = gain_of_fp8 ("mi300x"), h100 = gain_of_fp8 ("h100-80-sxm");

  g_test_message ("%.2f on MI300X, %.2f on H100", mi300x, h100);
  g_assert_cmpfloat (mi300x, >, 1);
  g_assert_cmpfloat (mi300x, <, 1.3);
  g_assert_cmpfloat (mi300x, <, h100);
}

/* All-to-alls lose by paths that a hash picks; rings, of few long flows that recipes pin, do not. */
static void
test_hashed_paths (void)
{
  Job fabric = { "\"preset\": \"mixtral-8x7b\"",
                 "\"gpu\": \"a100-80-sxm\", \"gpus\": 32, \"gpus_per_node\": 4, "
                 "\"inter_node\": \"ib-hdr\", \"inter_node_gb_s\": 12.5",
                 "\"sequence_length\": 4096, \"global_batch_size\": 256, \"framework\": "
                 "\"megatron-core\", \"software_date\": \"2024-06\"",
                 "\"tp\": 1, \"pp\": 4, \"cp\": 1, \"ep\": 8, \"dp\": 8, \"zero_stage\": 1, "
                 "\"schedule\": \"1f1b\", \"recompute\": \"full\"" };
  Job hashed = fabric;
  SwEstimate a, b;

  hashed.cluster = "\"gpu\": \"a100-80-sxm\", \"gpus\": 32, \"gpus_per_node\": 4, "
                   "\"inter_node\": \"roce-200\", \"inter_node_gb_s\": 12.5";
  estimate (&fabric, &a);
  estimate (&hashed, &b);
  g_test_message ("all-to-all %.2f and %.2f s", a.time.ep_exposed_s, b.time.ep_exposed_s);
  g_assert_cmpfloat (b.time.ep_exposed_s, >, 1.3 * a.time.ep_exposed_s);
  g_assert_cmpfloat (b.time.ep_exposed_s, <, 1.8 * a.time.ep_exposed_s);
  g_assert_cmpfloat_with_epsilon (b.time.dp_exposed_s, a.time.dp_exposed_s,
                                  0.01 * a.time.dp_exposed_s);
}

/* What FP8 layers read is gathered in a byte an element, forward and both times backward; what they
 * sum is scattered in two: two thirds of the bytes, and of the time where bandwidth bounds it. */
static void
test_tensor_parallel_in_fp8 (void)
{
  static const char *const precisions[] = { "fp8", "mxfp8" };

  for (guint i = 0; i < G_N_ELEMENTS (precisions); i++)
    {
      g_autofree char *training =
          g_strdup_printf ("\"sequence_length\": 8192, \"global_batch_size\": 32, \"framework\": "
                           "\"megatron-core\", \"overlap\": \"none\", \"precision\": \"%s\"",
                           precisions[i]);
      Job half = { "\"preset\": \"llama-3-70b\"", "\"gpu\": \"b200-180-sxm\", \"gpus\": 8",
                   "\"sequence_length\": 8192, \"global_batch_size\": 32, \"framework\": "
                   "\"megatron-core\", \"overlap\": \"none\", \"precision\": \"bf16\"",
                   "\"tp\": 8, \"pp\": 1, \"cp\": 1, \"ep\": 1, \"dp\": 1, \"zero_stage\": 1, "
                   "\"sequence_parallel\": true, \"recompute\": \"none\"" };
      Job eight = half;
      SwEstimate a, b;

      eight.training = training;
      estimate (&half, &a);
      estimate (&eight, &b);
      g_test_message ("%s: %.2f of %.2f s", precisions[i], b.time.tp_exposed_s,
                      a.time.tp_exposed_s);
      g_assert_cmpfloat (b.time.tp_exposed_s, <, 0.8 * a.time.tp_exposed_s);
      g_assert_cmpfloat (b.time.tp_exposed_s, >, 0.6 * a.time.tp_exposed_s);
    }
}

/* FSDP2 gathers weights of tensor-wise FP8 in a byte each, those of row-wise FP8 in two. */
static void
test_gathers_in_fp8 (void)
{
  Job rows = { "\"preset\": \"llama-3-8b\"",
               "\"gpu\": \"h100-80-sxm\", \"gpus\": 64, \"inter_node_gb_s\": 3.125",
               "\"sequence_length\": 8192, \"global_batch_size\": 64, \"framework\": \"fsdp2\", "
               "\"overlap\": \"none\", \"precision\": \"fp8-rowwise\"",
               "\"tp\": 1, \"pp\": 1, \"cp\": 1, \"ep\": 1, \"dp\": 64, \"zero_stage\": 3, "
               "\"recompute\": \"none\"" };
  Job tensors = rows;
  SwEstimate a, b;

  tensors.training = "\"sequence_length\": 8192, \"global_batch_size\": 64, \"framework\": "
                     "\"fsdp2\", \"overlap\": \"none\", \"precision\": \"fp8\"";
  estimate (&rows, &a);
  estimate (&tensors, &b);
  /* two gathers of two bytes and gradients of four: eight; of one: six, but for embedding and head */
  g_assert_cmpfloat (b.time.dp_exposed_s, <, 0.82 * a.time.dp_exposed_s);
  g_assert_cmpfloat (b.time.dp_exposed_s, >, 0.74 * a.time.dp_exposed_s);
}

/* Where each micro-batch reduces, it has the whole accumulation to hide in; where the last does,
 * that one pass. DeepSpeed's ZeRO reduces in 16 bits, Nanotron in 32 and beside nothing. */
static void
test_slow_reductions (void)
{
  Job nanotron = { "\"preset\": \"llama-2-7b\"", nodes_8_of_a100,
                   "\"sequence_length\": 4096, \"global_batch_size\": 256, \"framework\": "
                   "\"nanotron\"",
                   "\"tp\": 4, \"pp\": 1, \"cp\": 1, \"ep\": 1, \"dp\": 16, \"zero_stage\": 0, "
                   "\"recompute\": \"none\"" };
  Job megatron = nanotron;
  SwEstimate a, b;

  megatron.training = "\"sequence_length\": 4096, \"global_batch_size\": 256, \"framework\": "
                      "\"megatron-core\"";
  estimate (&megatron, &a);
  estimate (&nanotron, &b);
  g_assert_cmpfloat (b.time.dp_exposed_s, >, a.time.dp_exposed_s);
  g_assert_cmpfloat (b.time.dp_hidden_s, ==, 0);
}

/* Weak scaling: the same work of each GPU takes longer on more of them, and twice as many cost
 * about as much again as before. */
static void
test_stragglers (void)
{
  double before = 0, first = 0;

  for (guint dp = 2; dp <= 256; dp *= 2)
    {
      g_autofree char *cluster = g_strdup_printf (
          "\"gpu\": \"h100-80-sxm\", \"gpus\": %u, \"inter_node\": \"ib-ndr\"", 64 * dp);
      g_autofree char *training =
          g_strdup_printf ("\"sequence_length\": 8192, \"global_batch_size\": %u, \"framework\": "
                           "\"megatron-core\"",
                           32 * dp);
      g_autofree char *strategy = g_strdup_printf (
          "\"tp\": 8, \"pp\": 8, \"vpp\": 5, \"schedule\": \"interleaved\", \"cp\": 1, \"ep\": 1, "
          "\"dp\": %u, \"zero_stage\": 1, \"sequence_parallel\": true, \"recompute\": \"none\"",
          dp);
      Job job = { "\"preset\": \"llama-3-70b\"", cluster, training, strategy };
      double now = step_s (&job);

      if (before > 0)
        g_assert_cmpfloat (now, >, 1.004 * before);
      else
        first = now;
      before = now;
    }
  g_assert_cmpfloat (before, <, 1.12 * first);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/direction/hybrid-sharding", test_hybrid_sharding);
  g_test_add_func ("/direction/hybrid-sharding-fast", test_hybrid_sharding_fast);
  g_test_add_func ("/direction/replicas-of-a-small-model", test_replicas_of_a_small_model);
  g_test_add_func ("/direction/hooks-of-modules", test_hooks_of_modules);
  g_test_add_func ("/direction/experts-leave-the-node", test_experts_leave_the_node);
  g_test_add_func ("/direction/optimizer-on-the-host", test_optimizer_on_the_host);
  g_test_add_func ("/direction/fp8-of-vendors", test_fp8_of_vendors);
  g_test_add_func ("/direction/hashed-paths", test_hashed_paths);
  g_test_add_func ("/direction/tensor-parallel-in-fp8", test_tensor_parallel_in_fp8);
  g_test_add_func ("/direction/gathers-in-fp8", test_gathers_in_fp8);
  g_test_add_func ("/direction/slow-reductions", test_slow_reductions);
  g_test_add_func ("/direction/stragglers", test_stragglers);
  return g_test_run ();
}
