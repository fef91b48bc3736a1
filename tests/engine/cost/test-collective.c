/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-collective.h"
#include "sw-fixture.h"

#include <math.h>

#define GB 1e9

/* Large messages by hand: what every rank sends over what its links carry; NVLink 450 and
 * InfiniBand 50 GB/s at 0.75. A group inside a node; one rank a node; eight ranks a node, whose
 * cards share the node's part. */
static const struct {
  SwCollective kind;
  SwGroup group;
  double bytes_per_s; /* of the buffer */
} large[] = {
  { SW_COLLECTIVE_ALL_REDUCE, { 8, 1 }, 450e9 * 0.75 / (2 * 7.0 / 8) },
  { SW_COLLECTIVE_ALL_GATHER, { 8, 1 }, 450e9 * 0.75 / (7.0 / 8) },
  { SW_COLLECTIVE_REDUCE_SCATTER, { 4, 8 }, 50e9 * 0.75 / (3.0 / 4) },
  { SW_COLLECTIVE_ALL_REDUCE, { 4, 8 }, 50e9 * 0.75 / (2 * 3.0 / 4) },
  { SW_COLLECTIVE_ALL_REDUCE,
    { 32, 1 },
    8 * 50e9 * 0.75 / (2 * 31.0 / 32) }, /* 8 x 50 < 450: the network is slower */
  { SW_COLLECTIVE_ALL_REDUCE, { 16, 2 }, 4 * 50e9 * 0.75 / (2 * 15.0 / 16) },
  { SW_COLLECTIVE_ALL_TO_ALL, { 8, 1 }, 450e9 * 0.75 * 0.8 / (7.0 / 8) },
  { SW_COLLECTIVE_ALL_TO_ALL, { 16, 1 }, 50e9 * 0.75 * 0.8 / (8.0 / 16) },
  { SW_COLLECTIVE_P2P, { 2, 8 }, 50e9 * 0.75 },
  { SW_COLLECTIVE_P2P, { 2, 1 }, 450e9 * 0.75 },
};

static void
test_large_messages (void)
{
  SwProblem problem;

  sw_fixture_problem_70b (&problem);
  for (guint i = 0; i < G_N_ELEMENTS (large); i++)
    {
      double bytes = 1000 * GB,
             seconds = sw_collective_seconds (&problem, large[i].kind, large[i].group, bytes, 1);

      g_assert_cmpfloat_with_epsilon (seconds * large[i].bytes_per_s / bytes, 1.0, 2e-3);
    }
}

static void
test_group_of_one (void)
{
  SwProblem problem;

  sw_fixture_problem_70b (&problem);
  for (guint kind = SW_COLLECTIVE_ALL_REDUCE; kind <= SW_COLLECTIVE_P2P; kind++)
    g_assert_cmpfloat (sw_collective_seconds (&problem, kind, (SwGroup){ 1, 8 }, GB, 4), ==, 0);
}

/* Ranks of one group that share a domain with a rank of it, by counting: the fewest anywhere. */
static guint
count_together (guint domain, guint size, guint stride, guint gpus)
{
  guint fewest = size;

  for (guint block = 0; block + size * stride <= gpus; block += size * stride)
    for (guint offset = 0; offset < stride; offset++)
      for (guint rank = 0; rank < size; rank++)
        {
          const guint place = (block + offset + rank * stride) / domain;
          guint together = 0;

          for (guint other = 0; other < size; other++)
            together += (block + offset + other * stride) / domain == place;
          fewest = MIN (fewest, together);
        }
  return fewest;
}

/* Groups that lie askew in their nodes wait for the one with the fewest ranks in a node. */
static void
test_groups_askew (void)
{
  for (guint domain = 1; domain <= 12; domain++)
    for (guint stride = 1; stride <= 12; stride++)
      for (guint size = 1; size <= 12; size++)
        {
          const SwCluster cluster = { .gpus = domain * stride * size,
                                      .gpus_per_node = domain,
                                      .nvlink_domain = domain };
          const guint together = sw_cluster_ranks_together (&cluster, domain, size, stride),
                      counted = count_together (domain, size, stride, cluster.gpus);

          if (domain % stride == 0 || stride >= domain)
            g_assert_cmpuint (together, ==, counted);
          else
            g_assert_cmpuint (together, <=, counted); /* taken for none: some may share a node */
        }
}

/* One node, and racks that a job gets in whole groups, are never crossed by what fits into them. */
static void
test_groups_inside (void)
{
  const SwCluster node = { .gpus = 6, .gpus_per_node = 8, .nvlink_domain = 8 },
                  nodes = { .gpus = 24, .gpus_per_node = 8, .nvlink_domain = 8 },
                  racks = { .gpus = 576, .gpus_per_node = 4, .nvlink_domain = 72 };

  g_assert_cmpuint (sw_cluster_tp_together (&node, 6), ==, 6);
  g_assert_cmpuint (sw_cluster_tp_together (&nodes, 6), ==, 2);
  g_assert_cmpuint (sw_cluster_tp_together (&nodes, 3), ==, 1);
  g_assert_cmpuint (sw_cluster_tp_together (&nodes, 4), ==, 4);
  g_assert_cmpuint (sw_cluster_tp_together (&nodes, 24), ==, 8);
  g_assert_cmpuint (sw_cluster_tp_together (&racks, 64), ==, 64);
  g_assert_cmpuint (sw_cluster_tp_together (&racks, 144), ==, 72);
}

/* A ring of pairs inside a node has its links, however far the pairs lie from each other there. */
static void
test_pairs (void)
{
  SwProblem problem;
  gboolean inside, network;

  sw_fixture_problem_70b (&problem);
  for (guint stride = 1; stride <= 16; stride++)
    {
      sw_collective_links (&problem.cluster, SW_COLLECTIVE_P2P, (SwGroup){ 2, stride }, &inside,
                           &network);
      g_assert_cmpint (inside, ==, stride < 8);
      g_assert_cmpint (network, ==, stride >= 8);
    }
}

/* Bus bandwidth falls with short messages and with the same bytes in many of them. */
static void
test_message_size (void)
{
  SwProblem problem;
  double last = 0;

  sw_fixture_problem_70b (&problem);
  for (double bytes = 1024; bytes < 1e10; bytes *= 4)
    {
      double rate = bytes
                    / sw_collective_seconds (&problem, SW_COLLECTIVE_ALL_REDUCE, (SwGroup){ 32, 8 },
                                             bytes, 1);

      g_assert_cmpfloat (rate, >, last);
      last = rate;
    }
  g_assert_cmpfloat (
      sw_collective_seconds (&problem, SW_COLLECTIVE_ALL_GATHER, (SwGroup){ 32, 8 }, GB, 100), >,
      1.05 * sw_collective_seconds (&problem, SW_COLLECTIVE_ALL_GATHER, (SwGroup){ 32, 8 }, GB, 1));
}

/* A ring over 8 H100s with slices of 1 MB at half rate: 8 MB lose 8 x 8 / (8 + 2) MB. On links
 * twice as fast a slice has to be twice as long; four ranks need half of eight's message. */
static void
test_ring_slices (void)
{
  SwCalibration calibration = *sw_fixture_calibration ();
  SwCollectiveCost eight, four, faster;
  SwProblem problem;

  sw_fixture_problem_70b (&problem);
  calibration.intra_slice_bytes = 1e6;
  problem.calibration = &calibration;
  sw_collective_cost (&problem, SW_COLLECTIVE_ALL_GATHER, (SwGroup){ 8, 1 }, &eight);
  sw_collective_cost (&problem, SW_COLLECTIVE_ALL_GATHER, (SwGroup){ 4, 1 }, &four);
  problem.cluster.intra.bytes_per_s = 900e9;
  sw_collective_cost (&problem, SW_COLLECTIVE_ALL_GATHER, (SwGroup){ 8, 1 }, &faster);
  eight.latency_s = 0;
  g_assert_cmpfloat_with_epsilon (sw_collective_cost_seconds (&eight, 8e6, 1),
                                  (8e6 + 6.4e6) * 7 / 8 / (450e9 * 0.75), 1e-12);
  g_assert_cmpfloat_with_epsilon (four.intra_half_bytes, 4e6, 1);
  g_assert_cmpfloat_with_epsilon (faster.intra_half_bytes, 16e6, 1);
}

/* A tree keeps the latency of an all-reduce logarithmic; an all-gather's ring is linear. */
static void
test_latency_grows (void)
{
  SwProblem problem;
  SwCollectiveCost small, big;

  sw_fixture_problem_70b (&problem);
  sw_collective_cost (&problem, SW_COLLECTIVE_ALL_REDUCE, (SwGroup){ 64, 8 }, &small);
  sw_collective_cost (&problem, SW_COLLECTIVE_ALL_REDUCE, (SwGroup){ 4096, 8 }, &big);
  g_assert_cmpfloat (big.latency_s / small.latency_s, <, 2.1);
  sw_collective_cost (&problem, SW_COLLECTIVE_ALL_GATHER, (SwGroup){ 64, 8 }, &small);
  sw_collective_cost (&problem, SW_COLLECTIVE_ALL_GATHER, (SwGroup){ 4096, 8 }, &big);
  g_assert_cmpfloat (big.latency_s / small.latency_s, >, 50);
}

/* An NVL72 domain keeps 64 ranks off the network. */
static void
test_large_domain (void)
{
  SwProblem problem;
  double nodes_of_8, one_domain;

  sw_fixture_problem_70b (&problem);
  nodes_of_8 = sw_collective_seconds (&problem, SW_COLLECTIVE_ALL_TO_ALL, (SwGroup){ 64, 1 }, GB,
                                      1);
  problem.cluster.nvlink_domain = 72;
  problem.cluster.gpus_per_node = 4;
  one_domain = sw_collective_seconds (&problem, SW_COLLECTIVE_ALL_TO_ALL, (SwGroup){ 64, 1 }, GB,
                                      1);
  g_assert_cmpfloat (nodes_of_8, >, 5 * one_domain);
}

static void
test_thin_networks (void)
{
  SwProblem problem;
  SwGroup near = { 4, 8 }, far = { 64, 8 };
  double before_near, before_far;

  sw_fixture_problem_70b (&problem);
  problem.cluster.pod_gpus = 64;
  before_near = sw_collective_seconds (&problem, SW_COLLECTIVE_REDUCE_SCATTER, near, 100 * GB, 1);
  before_far = sw_collective_seconds (&problem, SW_COLLECTIVE_REDUCE_SCATTER, far, 100 * GB, 1);
  problem.cluster.oversubscription = 3;
  g_assert_cmpfloat (
      sw_collective_seconds (&problem, SW_COLLECTIVE_REDUCE_SCATTER, near, 100 * GB, 1), ==,
      before_near);
  g_assert_cmpfloat_with_epsilon (
      sw_collective_seconds (&problem, SW_COLLECTIVE_REDUCE_SCATTER, far, 100 * GB, 1) / before_far,
      3, 0.02);
  problem.cluster.oversubscription = 1;
  problem.cluster.inter.shared_by_node = TRUE;
  g_assert_cmpfloat_with_epsilon (
      sw_collective_seconds (&problem, SW_COLLECTIVE_REDUCE_SCATTER, near, 100 * GB, 1)
          / before_near,
      8, 0.02);
}

/* Time never shrinks with a slower link, whatever the group. */
static void
test_slower_links (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);

  for (guint i = 0; i < 2000; i++)
    {
      SwProblem problem;
      SwCollective kind = g_rand_int_range (rand, 0, SW_COLLECTIVE_P2P + 1);
      SwGroup group = { 1u << g_rand_int_range (rand, 1, 10), 1u << g_rand_int_range (rand, 0, 6) };
      double bytes = pow (2, g_rand_double_range (rand, 8, 36)), before;

      sw_fixture_problem_70b (&problem);
      before = sw_collective_seconds (&problem, kind, group, bytes, 3);
      g_assert_true (isfinite (before) && before > 0);
      problem.cluster.inter.bytes_per_s *= 0.7;
      g_assert_cmpfloat (sw_collective_seconds (&problem, kind, group, bytes, 3), >=, before);
      problem.cluster.intra.bytes_per_s *= 0.5;
      g_assert_cmpfloat (sw_collective_seconds (&problem, kind, group, bytes, 3), >=, before);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/collective/large-messages", test_large_messages);
  g_test_add_func ("/collective/group-of-one", test_group_of_one);
  g_test_add_func ("/collective/groups-askew", test_groups_askew);
  g_test_add_func ("/collective/groups-inside", test_groups_inside);
  g_test_add_func ("/collective/pairs", test_pairs);
  g_test_add_func ("/collective/message-size", test_message_size);
  g_test_add_func ("/collective/ring-slices", test_ring_slices);
  g_test_add_func ("/collective/latency", test_latency_grows);
  g_test_add_func ("/collective/large-domain", test_large_domain);
  g_test_add_func ("/collective/thin-networks", test_thin_networks);
  g_test_add_func ("/collective/slower-links", test_slower_links);
  return g_test_run ();
}
