/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-fixture.h"
#include "sw-pipeline.h"
#include "sw-schedule-time.h"

#include <math.h>

#define MOST_STAGES 64

/* Uniform stages: forward 1, input gradient 1, weight gradient 1 second per stage, split over the
 * chunks. */
static void
simulate_uniform (SwSchedule schedule, guint pp, guint vpp, guint m, SwPipeline *out)
{
  static double forward[MOST_STAGES], backward[MOST_STAGES], input[MOST_STAGES];
  SwPipelineSpec spec = { schedule, pp, vpp, m, forward, backward, input, 0 };

  g_assert_cmpuint (pp * vpp, <=, MOST_STAGES);
  for (guint i = 0; i < pp * vpp; i++)
    {
      forward[i] = input[i] = 1.0 / vpp;
      backward[i] = 2.0 / vpp;
    }
  sw_pipeline_simulate (&spec, out);
}

/* Idle time over busy time of uniform stages without transfer time: GPipe and 1F1B (p - 1) / m;
 * interleaved (p - 1) / (v m) (Narayanan et al. 2021, section 2.2); ZB-H1 a third of 1F1B's where
 * forward, input-gradient and weight-gradient passes are of equal length (Qi et al. 2023, table 1),
 * more where fewer micro-batches than stages leave fewer weight gradients to fill it with. */
static double
bubble_ratio (SwSchedule schedule, guint pp, guint vpp, guint micro_batches)
{
  double ratio = (pp - 1.0) / micro_batches;

  if (schedule == SW_SCHEDULE_INTERLEAVED)
    return ratio / vpp;
  if (schedule == SW_SCHEDULE_ZERO_BUBBLE)
    return ratio - (pp - 1.0 + MIN (pp, micro_batches) - 1.0) / (3.0 * micro_batches);
  return ratio;
}

static void
test_closed_form (void)
{
  static const struct {
    SwSchedule schedule;
    guint pp, vpp, m;
  } cases[] = {
    { SW_SCHEDULE_GPIPE, 1, 1, 4 },        { SW_SCHEDULE_GPIPE, 4, 1, 8 },
    { SW_SCHEDULE_GPIPE, 8, 1, 3 },        { SW_SCHEDULE_1F1B, 1, 1, 5 },
    { SW_SCHEDULE_1F1B, 2, 1, 1 },         { SW_SCHEDULE_1F1B, 4, 1, 8 },
    { SW_SCHEDULE_1F1B, 8, 1, 4 },         { SW_SCHEDULE_1F1B, 7, 1, 21 },
    { SW_SCHEDULE_INTERLEAVED, 2, 2, 4 },  { SW_SCHEDULE_INTERLEAVED, 4, 2, 4 },
    { SW_SCHEDULE_INTERLEAVED, 4, 3, 8 },  { SW_SCHEDULE_INTERLEAVED, 8, 5, 32 },
    { SW_SCHEDULE_INTERLEAVED, 3, 4, 9 },  { SW_SCHEDULE_ZERO_BUBBLE, 1, 1, 4 },
    { SW_SCHEDULE_ZERO_BUBBLE, 2, 1, 4 },  { SW_SCHEDULE_ZERO_BUBBLE, 4, 1, 8 },
    { SW_SCHEDULE_ZERO_BUBBLE, 8, 1, 24 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      guint m = cases[i].m;
      double ratio = bubble_ratio (cases[i].schedule, cases[i].pp, cases[i].vpp, m);
      SwPipeline pipeline;

      g_test_message ("%s p %u v %u m %u", sw_schedule_names[cases[i].schedule], cases[i].pp,
                      cases[i].vpp, m);
      simulate_uniform (cases[i].schedule, cases[i].pp, cases[i].vpp, m, &pipeline);
      g_assert_cmpfloat_with_epsilon (pipeline.total_s, 3.0 * m * (1 + ratio), 1e-9);
      g_assert_cmpfloat_with_epsilon (pipeline.bubble_fraction, ratio / (1 + ratio), 1e-9);
      sw_pipeline_clear (&pipeline);
    }
}

/* Every task once, none before its input, none beside another of its rank. */
static void
test_order (void)
{
  static const SwSchedule schedules[] = { SW_SCHEDULE_GPIPE, SW_SCHEDULE_1F1B,
                                          SW_SCHEDULE_INTERLEAVED, SW_SCHEDULE_ZERO_BUBBLE };

  for (guint s = 0; s < G_N_ELEMENTS (schedules); s++)
    {
      guint vpp = schedules[s] == SW_SCHEDULE_INTERLEAVED ? 3 : 1,
            passes = schedules[s] == SW_SCHEDULE_ZERO_BUBBLE ? 3 : 2;
      double forward_end[MOST_STAGES][8] = { 0 };
      SwPipeline pipeline;

      simulate_uniform (schedules[s], 4, vpp, 8, &pipeline);
      g_assert_cmpuint (pipeline.tasks->len, ==, 4 * vpp * 8 * passes);
      for (guint i = 0; i < pipeline.tasks->len; i++)
        {
          const SwTask *task = &g_array_index (pipeline.tasks, SwTask, i);
          const SwTask *before = i > 0 ? &g_array_index (pipeline.tasks, SwTask, i - 1) : NULL;
          guint stage = task->chunk * 4 + task->rank;

          if (before != NULL && before->rank == task->rank)
            g_assert_cmpfloat (task->start_s, >=, before->end_s - 1e-12);
          if (task->kind == SW_TASK_FORWARD)
            forward_end[stage][task->micro_batch] = task->end_s;
        }
      for (guint stage = 1; stage < 4 * vpp; stage++)
        for (guint m = 0; m < 8; m++)
          g_assert_cmpfloat (forward_end[stage][m], >=,
                             forward_end[stage - 1][m] + 1.0 / vpp - 1e-12);
      sw_pipeline_clear (&pipeline);
    }
}

/* A slow stage sets the pace: m times its time, and at most each of the others once, which the
 * closed form takes. Halving it changes the chart. */
static void
test_uneven_stage (void)
{
  double forward[4] = { 1, 1, 2, 1 }, backward[4] = { 2, 2, 4, 2 };
  SwPipelineSpec spec = { SW_SCHEDULE_1F1B, 4, 1, 16, forward, backward, backward, 0 };
  SwPipeline slow, even;

  sw_pipeline_simulate (&spec, &slow);
  g_assert_cmpfloat (slow.total_s, >, 16 * 6);
  g_assert_cmpfloat (slow.total_s, <=, 16 * 6 + 3 * 3);
  g_assert_cmpfloat_with_epsilon (slow.uneven_s, 16 * (6 - (6 + 3 * 3) / 4.0), 1e-9);
  g_assert_cmpfloat_with_epsilon (slow.bubble_s, slow.total_s - 16 * 6, 1e-9);
  g_assert_cmpfloat (slow.transfer_s, ==, 0);
  forward[2] = 1;
  backward[2] = 2;
  sw_pipeline_simulate (&spec, &even);
  g_assert_cmpfloat_with_epsilon (even.total_s, 16 * 3 + 3 * 3, 1e-9);
  g_assert_cmpfloat (even.bubble_fraction, <, slow.bubble_fraction);
  sw_pipeline_clear (&slow);
  sw_pipeline_clear (&even);
}

static void
test_transfers (void)
{
  double forward[2] = { 1, 1 }, backward[2] = { 2, 2 };
  SwPipelineSpec spec = { SW_SCHEDULE_1F1B, 2, 1, 1, forward, backward, backward, 0.25 };
  SwPipeline pipeline;

  sw_pipeline_simulate (&spec, &pipeline);
  g_assert_cmpfloat_with_epsilon (pipeline.total_s, 6 + 2 * 0.25, 1e-12);
  g_assert_cmpfloat_with_epsilon (pipeline.transfer_s, 2 * 0.25, 1e-12);
  g_assert_cmpfloat_with_epsilon (pipeline.bubble_s, 3, 1e-12);
  g_assert_cmpfloat (pipeline.uneven_s, ==, 0);
  sw_pipeline_clear (&pipeline);
}

/* Where ranks wait for transfers the step is longer by as much as the time of the step counts: two
 * of every micro-batch, and those of filling and draining. */
static void
test_blocking_transfers (void)
{
  const double p2p = 0.25;
  double forward[4] = { 1, 1, 1, 1 }, backward[4] = { 2, 2, 2, 2 };
  SwPipelineSpec spec = { SW_SCHEDULE_1F1B, 4, 1, 16, forward, backward, backward, p2p, 1 };
  SwPipeline pipeline;

  sw_pipeline_simulate (&spec, &pipeline);
  g_assert_cmpfloat_with_epsilon (pipeline.transfer_s, (2 * 16 + 2 * 3) * p2p, 1e-9);
  g_assert_cmpfloat_with_epsilon (pipeline.bubble_s, 3 * 3, 1e-9);
  g_assert_cmpfloat_with_epsilon (pipeline.total_s, (16 + 3) * (3 + 2 * p2p), 1e-9);
  sw_pipeline_clear (&pipeline);
}

/* On uniform stages the step is longer by exactly what its time counts as exposed, whatever the
 * schedule: while an interleaved pipeline fills and drains, what comes back from the last stage to
 * the first one's next chunk has no work to hide behind. */
static void
test_late_transfers (void)
{
  static const guint chunks[] = { 1, 2, 4, 10, 20 };
  double forward[160], backward[160];
  SwProblem problem;
  SwStrategy strategy;
  SwLayerTime layer;

  for (guint i = 0; i < G_N_ELEMENTS (forward); i++)
    backward[i] = 2 * (forward[i] = 0.1);
  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  sw_layer_time (&problem, &strategy, &layer);
  for (guint c = 0; c < G_N_ELEMENTS (chunks); c++)
    for (guint m = 4; m <= 32; m *= 2)
      for (strategy.pp = 2; strategy.pp <= 4; strategy.pp += 2)
        {
          SwCollectiveCall steady, fill;
          SwPipelineSpec spec;
          SwPipeline pipeline;

          strategy.vpp = chunks[c];
          strategy.schedule = strategy.vpp > 1 ? SW_SCHEDULE_INTERLEAVED : SW_SCHEDULE_1F1B;
          sw_schedule_point_to_point (&problem, &strategy, &layer, m, &steady, &fill);
          spec = (SwPipelineSpec){ strategy.schedule,
                                   strategy.pp,
                                   strategy.vpp,
                                   m,
                                   forward,
                                   backward,
                                   backward,
                                   steady.seconds,
                                   sw_schedule_blocked_share (&problem, &strategy) };
          sw_pipeline_simulate (&spec, &pipeline);
          g_assert_cmpfloat_with_epsilon (pipeline.transfer_s,
                                          steady.units[0] * steady.seconds * steady.exposed_share[0]
                                              + fill.seconds,
                                          1e-9 * pipeline.total_s);
          sw_pipeline_clear (&pipeline);
        }
}

/* The chart of a strategy: the engine's own times; as long as the closed form says within what the
 * ends' even third leaves open. */
static void
test_of_strategy (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwLayerTime layer;
  SwScheduleTime schedule;
  SwPipeline pipeline;
  double closed;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  strategy.micro_batch = 1;
  g_assert_true (sw_pipeline_of_strategy (&problem, &strategy, 100000, &pipeline));
  sw_layer_time (&problem, &strategy, &layer);
  sw_schedule_time (&problem, &strategy, &layer, &schedule);
  closed = schedule.compute_s + schedule.uneven_s + schedule.tp_exposed_s + schedule.bubble_s
           + schedule.pp_exposed_s;
  g_assert_cmpfloat (fabs (log (pipeline.total_s / closed)), <, 0.05);
  g_assert_cmpuint (pipeline.tasks->len, ==,
                    2 * 4 * sw_strategy_micro_batches (&problem, &strategy));
  sw_pipeline_clear (&pipeline);
  g_assert_false (sw_pipeline_of_strategy (&problem, &strategy, 10, &pipeline));
}

/* What an average rank waits has three reasons; the bubble among them is that of the estimate. */
static void
test_waiting (void)
{
  static const guint chunks[] = { 1, 2, 4, 10, 20 };
  SwProblem problem;
  SwStrategy strategy;
  SwLayerTime layer;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  strategy.micro_batch = 1;
  for (guint i = 0; i < G_N_ELEMENTS (chunks); i++)
    {
      SwScheduleTime schedule;
      SwPipeline pipeline;

      strategy.vpp = chunks[i];
      strategy.schedule = chunks[i] > 1 ? SW_SCHEDULE_INTERLEAVED : SW_SCHEDULE_1F1B;
      sw_layer_time (&problem, &strategy, &layer);
      sw_schedule_time (&problem, &strategy, &layer, &schedule);
      g_assert_true (sw_pipeline_of_strategy (&problem, &strategy, 100000, &pipeline));
      g_assert_cmpfloat (fabs (log (pipeline.bubble_s / schedule.bubble_s)), <, 0.05);
      g_assert_cmpfloat (pipeline.transfer_s, >, 0);
      g_assert_cmpfloat (pipeline.uneven_s, >, 0);
      g_assert_cmpfloat_with_epsilon (pipeline.bubble_s + pipeline.transfer_s + pipeline.uneven_s,
                                      pipeline.bubble_fraction * pipeline.total_s,
                                      1e-9 * pipeline.total_s);
      sw_pipeline_clear (&pipeline);
    }
}

static double
longest_forward (const SwPipeline *pipeline, guint rank, guint chunk)
{
  double longest_s = 0;

  for (guint i = 0; i < pipeline->tasks->len; i++)
    {
      const SwTask *task = &g_array_index (pipeline->tasks, SwTask, i);

      if (task->rank == rank && task->chunk == chunk && task->kind == SW_TASK_FORWARD)
        longest_s = MAX (longest_s, task->end_s - task->start_s);
    }
  return longest_s;
}

/* With 78 layers the embedding and the head stand for one layer each: their chunks hold one less,
 * as --account-for-embedding-in-pipeline-split has it, and the others are as long as on any
 * rank. */
static void
test_ends_count_as_layers (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwPipeline pipeline;
  double inner_s;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  problem.model.layers = 78;
  strategy.micro_batch = 1;
  strategy.vpp = 4;
  strategy.schedule = SW_SCHEDULE_INTERLEAVED;
  g_assert_true (sw_pipeline_of_strategy (&problem, &strategy, 100000, &pipeline));
  inner_s = longest_forward (&pipeline, 1, 0);
  for (guint chunk = 0; chunk < 3; chunk++)
    {
      g_assert_cmpfloat_with_epsilon (longest_forward (&pipeline, 0, chunk + 1), inner_s, 1e-9);
      g_assert_cmpfloat_with_epsilon (longest_forward (&pipeline, 3, chunk), inner_s, 1e-9);
    }
  g_assert_cmpfloat (longest_forward (&pipeline, 0, 0), <, 0.81 * inner_s);
  g_assert_cmpfloat (longest_forward (&pipeline, 3, 3), <, inner_s);
  sw_pipeline_clear (&pipeline);
}

static void
test_stages_differ (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwLayerTime layer;
  SwStageTime first, middle, last;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  sw_layer_time (&problem, &strategy, &layer);
  sw_stage_time (&problem, &strategy, &layer, 0, &first);
  sw_stage_time (&problem, &strategy, &layer, 1, &middle);
  sw_stage_time (&problem, &strategy, &layer, 3, &last);
  g_assert_cmpfloat (middle.ends_s, ==, 0);
  g_assert_cmpfloat (first.ends_s, >, 0);
  g_assert_cmpfloat (last.ends_s, >, first.ends_s);
  g_assert_cmpfloat_with_epsilon (first.forward_s, middle.forward_s, 1e-12);
  g_assert_cmpfloat (middle.backward_input_s, <, middle.backward_s);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pipeline/closed-form", test_closed_form);
  g_test_add_func ("/pipeline/order", test_order);
  g_test_add_func ("/pipeline/uneven-stage", test_uneven_stage);
  g_test_add_func ("/pipeline/transfers", test_transfers);
  g_test_add_func ("/pipeline/blocking-transfers", test_blocking_transfers);
  g_test_add_func ("/pipeline/late-transfers", test_late_transfers);
  g_test_add_func ("/pipeline/of-strategy", test_of_strategy);
  g_test_add_func ("/pipeline/waiting", test_waiting);
  g_test_add_func ("/pipeline/ends-count-as-layers", test_ends_count_as_layers);
  g_test_add_func ("/pipeline/stages-differ", test_stages_differ);
  return g_test_run ();
}
