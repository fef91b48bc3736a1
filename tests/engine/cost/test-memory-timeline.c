/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-memory-timeline.h"

#include <math.h>
#include "sw-fixture.h"

#define CASES 10000
#define MOST_TASKS 4096

static double
peak_of (const SwMemoryTimeline *timeline)
{
  return sw_memory_moment_total (
      &g_array_index (timeline->moments, SwMemoryMoment, timeline->peak));
}

/* Under 1F1B the first of four stages holds four micro-batches, the last one has one and the
 * logits. */
static void
test_1f1b (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwMemoryTimeline first, last;
  double logits = 0;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  g_assert_cmpuint (strategy.pp, ==, 4);
  g_assert_true (sw_memory_timeline (&problem, &strategy, 0, MOST_TASKS, &first));
  g_assert_true (sw_memory_timeline (&problem, &strategy, 3, MOST_TASKS, &last));
  g_assert_cmpfloat (g_array_index (first.moments, SwMemoryMoment, first.peak).micro_batches, ==,
                     4);
  g_assert_cmpfloat (g_array_index (last.moments, SwMemoryMoment, last.peak).micro_batches, ==, 1);
  g_assert_cmpfloat (first.total_s, >, first.passes_s);
  for (guint i = 0; i < last.moments->len; i++)
    logits = MAX (logits,
                  g_array_index (last.moments, SwMemoryMoment, i).part_bytes[SW_PART_LOGITS]);
  g_assert_cmpfloat (logits, >, 0);
  for (guint i = 0; i < first.moments->len; i++)
    g_assert_cmpfloat (g_array_index (first.moments, SwMemoryMoment, i).part_bytes[SW_PART_LOGITS],
                       ==, 0);
  sw_memory_timeline_clear (&first);
  sw_memory_timeline_clear (&last);
}

/* Under GPipe the losses of all micro-batches wait: the logits grow with every forward pass and go
 * with the backward passes, but for what a loss takes while it is computed. */
static void
test_gpipe (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwMemoryTimeline last;
  SwLayerMemory layer;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  strategy.schedule = SW_SCHEDULE_GPIPE;
  sw_layer_memory (&problem, &strategy, &layer);
  g_assert_cmpfloat (layer.logits_kept_bytes, >, 0);
  g_assert_true (sw_memory_timeline (&problem, &strategy, 3, MOST_TASKS, &last));
  for (guint i = 0; i < last.moments->len; i++)
    {
      const SwMemoryMoment *moment = &g_array_index (last.moments, SwMemoryMoment, i);
      double kept = moment->micro_batches * layer.logits_kept_bytes;

      g_assert_cmpfloat (moment->part_bytes[SW_PART_LOGITS], >=, kept - 1);
      g_assert_cmpfloat (moment->part_bytes[SW_PART_LOGITS], <=,
                         MAX (kept - layer.logits_kept_bytes, 0) + layer.logits_bytes + 1);
    }
  sw_memory_timeline_clear (&last);
}

static void
test_too_many (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwMemoryTimeline timeline = { 0 };

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  g_assert_false (sw_memory_timeline (&problem, &strategy, 0, 3, &timeline));
  g_assert_null (timeline.moments);
}

/* The most of the line is the total of the stage, time never runs back, and nothing is negative. */
/* Returns: FALSE where the drawn strategy cannot run, or has too many passes. */
static gboolean
check_case (GRand *rand, const SwProblem *problem)
{
  SwStrategy strategy;
  SwMemoryTimeline timeline;
  SwLayerMemory layer;
  SwMemoryParts parts;
  guint stage;
  double last = 0;

  if (!sw_fixture_random_strategy (rand, problem, &strategy))
    return FALSE;
  stage = g_rand_int_range (rand, 0, strategy.pp);
  if (!sw_memory_timeline (problem, &strategy, stage, MOST_TASKS, &timeline))
    return FALSE;
  sw_layer_memory (problem, &strategy, &layer);
  sw_memory_stage (problem, &strategy, &layer, stage, &parts);
  g_assert_cmpfloat (fabs (peak_of (&timeline) / parts.total - 1), <, 1e-9);
  for (guint i = 0; i < timeline.moments->len; i++)
    {
      const SwMemoryMoment *moment = &g_array_index (timeline.moments, SwMemoryMoment, i);

      g_assert_cmpfloat (moment->time_s, >=, last - 1e-12);
      last = moment->time_s;
      for (guint part = 0; part < SW_N_PARTS; part++)
        g_assert_cmpfloat (moment->part_bytes[part], >=, -1e-6 * parts.total);
    }
  g_assert_cmpfloat_with_epsilon (last, timeline.total_s, 1e-9 * timeline.total_s);
  sw_memory_timeline_clear (&timeline);
  return TRUE;
}

static void
test_random (void)
{
  guint32 seed = g_test_rand_int ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  SwProblem problems[3];
  SwModelSpec model;

  g_test_message ("seed %u", seed);
  sw_fixture_problem_70b (&problems[0]);
  sw_fixture_mixtral_8x7b (&model);
  sw_fixture_problem (&problems[1], &model, 64);
  sw_fixture_deepseek_v3 (&model);
  sw_fixture_problem (&problems[2], &model, 512);
  for (guint checked = 0, i = 0; checked < CASES; i++)
    checked += check_case (rand, &problems[i % G_N_ELEMENTS (problems)]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/memory-timeline/1f1b", test_1f1b);
  g_test_add_func ("/memory-timeline/gpipe", test_gpipe);
  g_test_add_func ("/memory-timeline/too-many", test_too_many);
  g_test_add_func ("/memory-timeline/random", test_random);
  return g_test_run ();
}
