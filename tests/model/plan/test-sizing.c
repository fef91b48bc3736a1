/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenario-fixture.h"
#include "shardwise-changes.h"
#include "shardwise-scaling.h"
#include "shardwise-resolve.h"

#include <string.h>

static void
count_progress (double fraction, gpointer data)
{
  double *last = data;

  g_assert_cmpfloat (fraction, >, *last);
  g_assert_cmpfloat (fraction, <=, 1);
  *last = fraction;
}

/* Every size has what a search of that size finds, in the order that was asked for. */
static void
test_points (void)
{
  static const guint sizes[] = { 64, 1, 8, 32 };
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) points = NULL;
  double last = 0;

  points = shardwise_sizing_compute (scenario, sizes, G_N_ELEMENTS (sizes), count_progress, &last,
                                     NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (points->len, ==, G_N_ELEMENTS (sizes));
  g_assert_cmpfloat (last, ==, 1);
  for (guint i = 0; i < points->len; i++)
    {
      const ShardwiseSizingPoint *point = g_ptr_array_index (points, i);
      const SwSearchOptions options = { .top = 1 };
      SwSearchResult result;
      SwProblem problem;

      g_assert_true (shardwise_scenario_resolve (scenario, &problem, NULL, NULL));
      problem.cluster.gpus = sizes[i];
      sw_search_start (&problem, &options, &result);
      g_assert_cmpuint (point->gpus, ==, sizes[i]);
      g_assert_cmpint (point->estimate.fits, ==, result.n_best > 0);
      if (result.n_best > 0)
        g_assert_true (sw_strategy_equal (&point->estimate.strategy, &result.best[0].strategy));
      sw_search_result_clear (&result);
    }
}

/* Larger models need more nodes, and each cell has its model and number of nodes. */
static void
test_atlas (void)
{
  static const double sizes_b[] = { 1, 70 };
  static const guint nodes[] = { 1, 16 };
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) cells = NULL;

  scenario_set (scenario, SHARDWISE_KEY_STRATEGY_OFFLOAD, "'none'");
  cells = shardwise_atlas_compute (scenario, sizes_b, 2, nodes, 2, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (cells->len, ==, 4);
  for (guint i = 0; i < cells->len; i++)
    {
      const ShardwiseAtlasCell *cell = g_ptr_array_index (cells, i);

      g_assert_cmpfloat (cell->parameters_b, ==, sizes_b[i / 2]);
      g_assert_cmpuint (cell->nodes, ==, nodes[i % 2]);
      g_assert_cmpuint (cell->gpus, ==, 8 * nodes[i % 2]);
      g_assert_cmpint (cell->estimate.fits, ==, i != 2); /* 70 B on 8 H100 */
      g_assert_cmpfloat (cell->estimate.mfu, <, 1);
    }
}

static void
assert_asks_for_network (const GError *error)
{
  g_assert_error (error, SHARDWISE_ERROR, SHARDWISE_ERROR_MISSING);
  g_assert_cmpstr (shardwise_error_path (error), ==, "cluster.inter_node");
}

/* A job inside one node needs no network; nothing is said of larger clusters without one. */
static void
test_no_network (void)
{
  static const guint sizes[] = { 4, 8, 16 }, nodes[] = { 1, 2 };
  static const double small[] = { 1 };
  const ShardwiseAdviceOptions options = { .explain = TRUE };
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (GError) error = NULL, other_error = NULL;
  g_autoptr (GPtrArray) points = NULL, cells = NULL;
  g_autoptr (ShardwiseAdvice) advice = NULL;

  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, "8");
  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPU, "'rubin-288'");
  points = shardwise_sizing_compute (scenario, sizes, 2, NULL, NULL, NULL, &error);
  cells = shardwise_atlas_compute (scenario, small, 1, nodes, 1, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (shardwise_sizing_compute (scenario, sizes, 3, NULL, NULL, NULL, &error));
  assert_asks_for_network (error);
  g_assert_null (
      shardwise_atlas_compute (scenario, small, 1, nodes, 2, NULL, NULL, NULL, &other_error));
  assert_asks_for_network (other_error);
  advice = shardwise_advice_compute (scenario, &options, NULL, NULL);
  g_assert_cmpuint (shardwise_advice_get_least_gpus (advice), <=, 2);
  g_assert_cmpuint (shardwise_advice_get_sensible_gpus (advice), ==, 0);
}

/* Pins need not hold on every size: one that is too small for them has no strategy. */
static void
test_pins (void)
{
  static const guint sizes[] = { 8, 32 };
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (GPtrArray) points = NULL;
  g_autoptr (GError) error = NULL;

  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, "8");
  scenario_set (scenario, SHARDWISE_KEY_STRATEGY_TP, "8");
  scenario_set (scenario, SHARDWISE_KEY_STRATEGY_PP, "4");
  points = shardwise_sizing_compute (scenario, sizes, 2, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_false (((const ShardwiseSizingPoint *) points->pdata[0])->estimate.fits);
  g_assert_true (((const ShardwiseSizingPoint *) points->pdata[1])->estimate.fits);
  g_assert_null (shardwise_sizing_compute (scenario, sizes, 1, NULL, NULL, NULL, &error));
  g_assert_cmpstr (shardwise_error_path (error), ==, "strategy.pp");
}

/* Powers of two, and the present size in its place. */
static void
test_sizes (void)
{
  g_autoptr (GArray) usual = shardwise_sizing_sizes (8, 32), odd = shardwise_sizing_sizes (8, 24),
                     tiny = shardwise_sizing_sizes (8, 3);

  g_assert_cmpuint (usual->len, ==, 15);
  g_assert_cmpuint (g_array_index (usual, guint, 0), ==, 8);
  g_assert_cmpuint (g_array_index (usual, guint, 14), ==, 131072);
  g_assert_cmpuint (odd->len, ==, 16);
  g_assert_cmpuint (g_array_index (odd, guint, 2), ==, 24);
  g_assert_cmpuint (tiny->len, ==, 17);
  g_assert_cmpuint (g_array_index (tiny, guint, 0), ==, 3);
  g_assert_cmpuint (g_array_index (tiny, guint, 1), ==, 4);
}

static void
test_parse (void)
{
  static const struct {
    const char *text, *named;
  } wrong[] = {
    { "8,x", "x" },   { "0", "0" },   { "131073", "131073" },
    { "8.5", "8.5" }, { "-8", "-8" }, { " , ", "0 numbers" },
  };
  g_autoptr (GArray) sizes = NULL;

  g_assert_true (shardwise_sizing_parse (" 64, 8 16,,8", &sizes, NULL));
  g_assert_cmpuint (sizes->len, ==, 4);
  g_assert_cmpuint (g_array_index (sizes, guint, 0), ==, 64);
  shardwise_sizing_sort (sizes);
  g_assert_cmpuint (sizes->len, ==, 3);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (g_array_index (sizes, guint, i), ==, ((const guint[]){ 8, 16, 64 })[i]);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autofree char *why = NULL;

      g_assert_false (shardwise_sizing_parse (wrong[i].text, NULL, &why));
      g_assert_nonnull (strstr (why, wrong[i].named));
      g_assert_nonnull (strstr (why, "allowed"));
    }
}

static GPtrArray *
points_with (ShardwiseScenario *scenario, const guint *gpus, guint n, ShardwiseBatchRule rule)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *points = shardwise_sizing_compute_with (scenario, gpus, n, rule, NULL, NULL, NULL,
                                                     &error);

  g_assert_no_error (error);
  return points;
}

/* Each GPU keeps its share of the batch: a larger cluster gets a larger one, and keeps its pace,
 * where a fixed batch leaves it too little to do. */
static void
test_batch_rule (void)
{
  static const guint sizes[] = { 8, 24, 1024 };
  static const guint batches[] = { 64, 192, 8192 };
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (GPtrArray) fixed = NULL, scaled = NULL;

  scenario_set (scenario, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, "64");
  fixed = points_with (scenario, sizes, 3, SHARDWISE_BATCH_FIXED);
  scaled = points_with (scenario, sizes, 3, SHARDWISE_BATCH_PER_GPU);
  for (guint i = 0; i < 3; i++)
    {
      const ShardwiseSizingPoint *a = g_ptr_array_index (fixed, i),
                                 *b = g_ptr_array_index (scaled, i);

      g_assert_cmpuint (a->global_batch, ==, 64);
      g_assert_cmpuint (b->global_batch, ==, batches[i]);
      g_assert_true (a->estimate.fits && b->estimate.fits);
    }
  g_assert_cmpfloat (shardwise_sizing_efficiency (fixed->pdata[0], fixed->pdata[2]), <, 0.5);
  g_assert_cmpfloat (shardwise_sizing_efficiency (scaled->pdata[0], scaled->pdata[2]), >, 0.8);
}

/* A share that is no whole number of sequences: as many for each GPU. */
static void
test_batch_rounding (void)
{
  static const guint sizes[] = { 1, 8, 24, 64 };
  static const guint batches[] = { 11, 88, 256, 704 };
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (GPtrArray) points = NULL;

  scenario_set (scenario, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, "256");
  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPUS, "24");
  points = points_with (scenario, sizes, 4, SHARDWISE_BATCH_PER_GPU);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpuint (((ShardwiseSizingPoint *) points->pdata[i])->global_batch, ==, batches[i]);
}

/* 70 B on 16 GPUs needs full recomputation or the host's memory; a GPU of 128 does more, and that
 * is why. */
static void
test_gain (void)
{
  static const guint sizes[] = { 128, 16 };
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (GPtrArray) points = NULL;
  const ShardwiseSizingPoint *reference;
  g_autofree char *gain = NULL, *none = NULL;

  scenario_set (scenario, SHARDWISE_KEY_MODEL_PRESET, "'llama-3-70b'");
  scenario_set (scenario, SHARDWISE_KEY_TRAINING_FRAMEWORK, "'megatron-core'");
  points = points_with (scenario, sizes, 2, SHARDWISE_BATCH_FIXED);
  reference = shardwise_sizing_reference (points);
  g_assert_true (reference == points->pdata[1]);
  g_assert_cmpfloat (shardwise_sizing_efficiency (reference, reference), ==, 1);
  g_assert_cmpfloat (shardwise_sizing_efficiency (reference, points->pdata[0]), >, 1);
  none = shardwise_sizing_gain_text (reference, reference);
  g_assert_null (none);
  gain = shardwise_sizing_gain_text (reference, points->pdata[0]);
  g_assert_nonnull (strstr (gain, "On 128 GPUs, the throughput per GPU is"));
  g_assert_nonnull (strstr (gain, "free memory"));
}

/* A size on which the job only just fits is not what scaling is counted against, and that is
 * said. */
static void
test_reference (void)
{
  ShardwiseSizingPoint just = { .gpus = 64 }, fair = { .gpus = 128 }, best = { .gpus = 256 },
                       none = { .gpus = 32 };
  g_autoptr (GPtrArray) points = g_ptr_array_new ();
  g_autofree char *text = NULL, *nothing = NULL, *one = NULL;

  just.estimate = fair.estimate = best.estimate = (SwEstimate){ .fits = TRUE };
  just.estimate.tokens_per_s = 64 * 49;
  fair.estimate.tokens_per_s = 128 * 50;
  best.estimate.tokens_per_s = 256 * 100;
  g_ptr_array_add (points, &best);
  g_ptr_array_add (points, &none);
  g_assert_true (shardwise_sizing_reference (points) == &best);
  g_ptr_array_add (points, &just);
  g_assert_true (shardwise_sizing_reference (points) == &best);
  g_ptr_array_add (points, &fair);
  g_assert_true (shardwise_sizing_reference (points) == &fair);
  g_assert_cmpfloat (shardwise_sizing_efficiency (&fair, &best), ==, 2);
  text = shardwise_sizing_least_text (points);
  g_assert_nonnull (strstr (text, "On 64 GPUs"));
  g_assert_nonnull (strstr (text, "98.0 % of that on 128"));
  just.estimate.tokens_per_s = 64 * 50;
  nothing = shardwise_sizing_least_text (points);
  g_assert_null (nothing);
  just.estimate.tokens_per_s = 49;
  just.gpus = 1;
  one = shardwise_sizing_least_text (points);
  g_assert_nonnull (
      strstr (one, "On 1 GPU, the job barely fits: the throughput per GPU is 98.0 %"));
  g_ptr_array_set_size (points, 0);
  g_assert_null (shardwise_sizing_reference (points));
}

/* The part of the time that shrinks most is named. */
static void
test_gain_reasons (void)
{
  ShardwiseSizingPoint a = { .gpus = 8 }, b = { .gpus = 16 };
  g_autofree char *recompute = NULL, *bubble = NULL, *idle = NULL;

  sw_strategy_init_default (&a.estimate.strategy);
  a.estimate.fits = TRUE;
  a.estimate.gpus_used = 8;
  a.estimate.tokens_per_s = 800;
  a.estimate.time.step_s = 10;
  a.estimate.time.compute_s = 8;
  a.estimate.time.recompute_s = 2;
  a.estimate.time.bubble_s = 2;
  a.estimate.strategy.recompute = SW_RECOMPUTE_FULL;
  b = a;
  b.gpus = b.estimate.gpus_used = 16;
  b.estimate.tokens_per_s = 2000; /* 4 s of 8 GPUs rather than 5 for as many tokens */
  b.estimate.time.compute_s = 6;
  b.estimate.time.recompute_s = 0;
  b.estimate.time.step_s = 8;
  b.estimate.strategy.recompute = SW_RECOMPUTE_NONE;
  recompute = shardwise_sizing_gain_text (&a, &b);
  g_assert_nonnull (strstr (recompute, "25.0 % higher"));
  g_assert_nonnull (strstr (recompute, "none instead of full"));

  b.estimate.time.compute_s = 8;
  b.estimate.time.recompute_s = 2;
  b.estimate.time.bubble_s = 0;
  b.estimate.strategy.recompute = SW_RECOMPUTE_FULL;
  bubble = shardwise_sizing_gain_text (&a, &b);
  g_assert_nonnull (strstr (bubble, "pipeline"));

  a.gpus = 14;
  b.estimate.time = a.estimate.time;
  b.estimate.tokens_per_s = 1600;
  idle = shardwise_sizing_gain_text (&a, &b);
  g_assert_nonnull (strstr (idle, "idle GPUs"));
}

/* A size on which a GPU does less than on a smaller one, though a larger one makes up for it, says why;
 * what a growing cluster loses anyway does not. */
static void
test_dip (void)
{
  ShardwiseSizingPoint sizes[4];
  g_autoptr (GPtrArray) points = g_ptr_array_new ();
  g_autofree char *none = NULL, *dip = NULL, *same = NULL, *other = NULL, *idle = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      SwEstimate *estimate = &sizes[i].estimate;

      sizes[i] = (ShardwiseSizingPoint){ .gpus = 8 << i };
      sw_strategy_init_default (&estimate->strategy);
      estimate->fits = TRUE;
      estimate->gpus_used = sizes[i].gpus;
      estimate->tokens_per_s = sizes[i].gpus * (100.0 - 8.0 * i);
      estimate->time.step_s = 10;
      estimate->time.compute_s = 8;
      g_ptr_array_add (points, &sizes[i]);
    }
  none = shardwise_sizing_dip_text (points, NULL);
  g_assert_null (none);

  sizes[1].estimate.tokens_per_s = 16 * 50;
  sizes[1].estimate.time.step_s = 20;
  sizes[1].estimate.time.dp_exposed_s = 10;
  sizes[1].estimate.strategy.pp = 2;
  dip = shardwise_sizing_dip_text (points, NULL);
  g_assert_cmpstr (dip, ==,
                   "On 16 GPUs, the throughput per GPU is 50.0 % lower than on 8: more exposed "
                   "communication, with PP 2.");
  same = shardwise_sizing_dip_text (points, &sizes[1]);
  other = shardwise_sizing_dip_text (points, &sizes[2]);
  g_assert_cmpstr (same, ==, dip);
  g_assert_null (other);

  sizes[1].estimate = sizes[0].estimate;
  idle = shardwise_sizing_dip_text (points, NULL);
  g_assert_nonnull (strstr (idle, "on 8: more idle GPUs."));
}

/* The same job elsewhere: what belonged to the GPU that was replaced is not taken along. */
static void
test_others (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new (), gpu = NULL, network = NULL,
                                none = NULL;
  g_autoptr (GError) error = NULL;
  SwProblem problem;

  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPU_MEMORY_GB, "40");
  scenario_set (scenario, SHARDWISE_KEY_COST_PRICE, "9");
  scenario_set (scenario, SHARDWISE_KEY_TRAINING_TOKENS, "1e9");
  gpu = shardwise_other_cluster_of_gpu (scenario, "h200-141-sxm", &error);
  g_assert_no_error (error);
  g_assert_true (shardwise_scenario_resolve (gpu, &problem, NULL, NULL));
  g_assert_cmpstr (problem.cluster.gpu.id, ==, "h200-141-sxm");
  g_assert_cmpfloat (problem.cluster.gpu.memory_gb, ==, 141);
  g_assert_false (shardwise_scenario_is_set (gpu, SHARDWISE_KEY_COST_PRICE));
  g_assert_true (shardwise_scenario_is_set (gpu, SHARDWISE_KEY_TRAINING_TOKENS));
  g_assert_true (shardwise_scenario_is_set (scenario, SHARDWISE_KEY_COST_PRICE));

  network = shardwise_other_cluster_of_network (scenario, "ib-edr", &error);
  g_assert_no_error (error);
  g_assert_true (shardwise_scenario_resolve (network, &problem, NULL, NULL));
  g_assert_cmpstr (problem.cluster.inter.id, ==, "ib-edr");
  g_assert_true (shardwise_scenario_is_set (network, SHARDWISE_KEY_COST_PRICE));

  none = shardwise_other_cluster_of_gpu (scenario, "no-such-gpu", &error);
  g_assert_null (none);
  g_assert_nonnull (error);
}

/* A question that names a GPU: what was stated of another one goes, unless it is said anew. */
static void
test_forgetting (void)
{
  static const struct {
    const char *gpu, *said, *reset;
  } cases[] = {
    { "h200-141-sxm", NULL, "cost.price cost.power_w" },
    { "h200-141-sxm", "cost.price", "cost.power_w" },
    { "h100-80-sxm", NULL, "" },
  };
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();

  scenario_set (scenario, SHARDWISE_KEY_CLUSTER_GPU, "'h100-80-sxm'");
  scenario_set (scenario, SHARDWISE_KEY_COST_PRICE, "9");
  scenario_set (scenario, SHARDWISE_KEY_COST_POWER_W, "500");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GVariant) changes = NULL;
      g_auto (GStrv) reset = g_strsplit (cases[i].reset, " ", -1);
      const gsize others = cases[i].said != NULL ? 2 : 1;
      GVariantDict dict;

      g_variant_dict_init (&dict, NULL);
      g_variant_dict_insert (&dict, "cluster.gpu", "s", cases[i].gpu);
      if (cases[i].said != NULL)
        g_variant_dict_insert (&dict, cases[i].said, "d", 3.0);
      shardwise_other_cluster_forget_gpu (&dict, scenario);
      changes = g_variant_ref_sink (g_variant_dict_end (&dict));
      g_assert_cmpuint (g_variant_n_children (changes), ==, others + g_strv_length (reset));
      for (guint j = 0; reset[j] != NULL; j++)
        {
          const char *value;

          g_assert_true (g_variant_lookup (changes, reset[j], "&s", &value));
          g_assert_cmpstr (value, ==, "");
        }
    }
}

static const ShardwiseAtlasCell *
cell_of (GPtrArray *cells, double parameters_b, guint nodes)
{
  for (guint i = 0; i < cells->len; i++)
    {
      const ShardwiseAtlasCell *cell = g_ptr_array_index (cells, i);

      if (cell->parameters_b == parameters_b && cell->nodes == nodes)
        return cell;
    }
  g_assert_not_reached ();
}

/* As in the published benchmark: with as many tokens a step, more nodes use each GPU less; 80 B on
 * 4 nodes is near the memory limit, and does not fit on 2. */
static void
test_benchmark (void)
{
  static const double small[] = { 1, 3, 8 };
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseScenario) scenario = shardwise_atlas_benchmark (NULL, &error);
  g_autoptr (GPtrArray) cells = NULL;
  const ShardwiseAtlasCell *large;
  SwProblem problem;

  g_assert_no_error (error);
  g_assert_true (shardwise_scenario_resolve (scenario, &problem, NULL, &error));
  g_assert_cmpstr (problem.cluster.gpu.id, ==, "h100-80-sxm");
  g_assert_cmpuint (problem.cluster.gpus_per_node, ==, 8);
  g_assert_cmpuint (problem.training.sequence_length, ==, 4096);
  g_assert_cmpuint (problem.training.global_batch * problem.training.sequence_length, ==, 1 << 20);
  scenario_set (scenario, SHARDWISE_KEY_TRAINING_FRAMEWORK,
                "'nanotron'"); /* which it was run with */
  cells = shardwise_atlas_compute (scenario, NULL, 0, shardwise_atlas_nodes,
                                   SHARDWISE_ATLAS_BENCHMARK_NODES, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (cells->len, ==, SHARDWISE_ATLAS_SIZES * SHARDWISE_ATLAS_BENCHMARK_NODES);
  for (guint i = 0; i < G_N_ELEMENTS (small); i++)
    for (guint nodes = 2; nodes <= 64; nodes *= 2)
      g_assert_cmpfloat (cell_of (cells, small[i], nodes)->estimate.mfu, <,
                         1.03 * cell_of (cells, small[i], nodes / 2)->estimate.mfu); /* ties */
  large = cell_of (cells, 80, 4);
  g_assert_true (large->estimate.fits);
  g_assert_cmpfloat (large->estimate.memory.peak.total / large->estimate.memory_limit_bytes, >,
                     0.8);
  g_assert_false (cell_of (cells, 80, 2)->estimate.fits);
}

/* A cell opens as the question it is the answer to. */
static void
test_cell_scenario (void)
{
  static const double size = 13;
  static const guint nodes = 4;
  g_autoptr (ShardwiseScenario) scenario = shardwise_atlas_benchmark ("h200-141-sxm", NULL);
  g_autoptr (GPtrArray) cells = shardwise_atlas_compute (scenario, &size, 1, &nodes, 1, NULL, NULL,
                                                         NULL, NULL);
  const ShardwiseAtlasCell *cell = g_ptr_array_index (cells, 0);
  g_autoptr (GError) error = NULL;
  const SwSearchOptions options = { .top = 1 };
  SwSearchResult result;
  SwProblem problem;

  g_assert_true (shardwise_atlas_cell_scenario (scenario, cell, &error));
  g_assert_true (shardwise_scenario_resolve (scenario, &problem, NULL, NULL));
  g_assert_cmpuint (problem.cluster.gpus, ==, 32);
  sw_search_start (&problem, &options, &result);
  g_assert_true (sw_strategy_equal (&cell->estimate.strategy, &result.best[0].strategy));
  sw_search_result_clear (&result);
}

static void
test_cancelled (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_null (
      shardwise_atlas_compute (scenario, NULL, 0, NULL, 0, NULL, NULL, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sizing/points", test_points);
  g_test_add_func ("/sizing/atlas", test_atlas);
  g_test_add_func ("/sizing/no-network", test_no_network);
  g_test_add_func ("/sizing/pins", test_pins);
  g_test_add_func ("/sizing/sizes", test_sizes);
  g_test_add_func ("/sizing/parse", test_parse);
  g_test_add_func ("/sizing/batch-rule", test_batch_rule);
  g_test_add_func ("/sizing/batch-rounding", test_batch_rounding);
  g_test_add_func ("/sizing/gain", test_gain);
  g_test_add_func ("/sizing/reference", test_reference);
  g_test_add_func ("/sizing/gain-reasons", test_gain_reasons);
  g_test_add_func ("/sizing/dip", test_dip);
  g_test_add_func ("/sizing/others", test_others);
  g_test_add_func ("/sizing/forgetting", test_forgetting);
  g_test_add_func ("/sizing/benchmark", test_benchmark);
  g_test_add_func ("/sizing/cell-scenario", test_cell_scenario);
  g_test_add_func ("/sizing/cancelled", test_cancelled);
  return g_test_run ();
}
