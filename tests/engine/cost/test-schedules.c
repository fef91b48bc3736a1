/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The closed form of the pipeline against the event simulation, and no overlap against overlap. */
#include "sw-estimate.h"
#include "sw-fixture.h"
#include "sw-pipeline.h"

#include <math.h>

static double
closed_form (const SwProblem *problem, const SwStrategy *strategy)
{
  SwLayerTime layer;
  SwScheduleTime t;

  sw_layer_time (problem, strategy, &layer);
  sw_schedule_time (problem, strategy, &layer, &t);
  return t.compute_s + t.uneven_s + t.tp_exposed_s + t.cp_exposed_s + t.ep_exposed_s + t.bubble_s
         + t.pp_exposed_s;
}

/* Simulated over closed form; 0 where there is no pipeline, or one too long to simulate. */
static double
ratio_of (const SwProblem *problem, const SwStrategy *strategy)
{
  SwPipeline pipeline;
  double ratio;

  if (strategy->pp < 2 || !sw_pipeline_of_strategy (problem, strategy, 20000, &pipeline))
    return 0;
  ratio = pipeline.total_s / closed_form (problem, strategy);
  sw_pipeline_clear (&pipeline);
  return ratio;
}

/* A question and a strategy that can run it, drawn at random. */
static gboolean
draw (GRand *rand, SwProblem *problem, SwStrategy *strategy)
{
  SwModelSpec model;

  sw_fixture_random_model (rand, &model);
  sw_fixture_problem (problem, &model, 8u << g_rand_int_range (rand, 0, 6));
  return sw_fixture_random_strategy (rand, problem, strategy);
}

static int
compare_ratios (gconstpointer a, gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Whether the framework gives the first stages what is left over, or splits by cost. */
static gboolean
splits_of_itself (const SwProblem *problem, const SwStrategy *strategy)
{
  return strategy->framework == SW_FRAMEWORK_NANOTRON
         || ((strategy->framework == SW_FRAMEWORK_FSDP2
              || strategy->framework == SW_FRAMEWORK_DEEPSPEED)
             && problem->model.layers % strategy->pp != 0);
}

/* Over stages of any make-up, with embedding, head and layers that do not divide: the closed form
 * is never faster than the simulation by more than 4 % (interleaved: 5 %), which is where some
 * borders lie inside a node, for in the simulation every transfer takes as long as the slowest. It
 * is never slower by more than 7 % (13 %): it takes every stage once to fill and drain, of which
 * the simulation hides a part behind the slowest. Zero-bubble: 3 % in 98 of 100 strategies; of
 * 118,000 drawn one was at 8.5 %, where the weight gradients of a long last stage fill less.
 * Where a framework splits uneven layers of itself, the longest stages come first, and all others
 * hide behind their warm-up: up to 25 % slower; 15 % faster with zero-bubble and a heavy end. */
static void
test_closed_form (void)
{
  const guint32 seed = g_test_rand_int ();
  GRand *rand = g_rand_new_with_seed (seed);
  GArray *ratios[4];
  double least_own = 1, most_own = 1;
  guint n = 0;
  static const struct {
    double least, usual, most; /* `usual`: of 98 in 100 */
  } allowed[4] = {
    [SW_SCHEDULE_GPIPE] = { 0.93, 1.03, 1.04 },
    [SW_SCHEDULE_1F1B] = { 0.93, 1.03, 1.04 },
    [SW_SCHEDULE_INTERLEAVED] = { 0.93, 1.03, 1.05 },
    [SW_SCHEDULE_ZERO_BUBBLE] = { 0.87, 1.03, 1.12 },
  };

  g_test_message ("seed %u", seed);
  for (guint s = 0; s < 4; s++)
    ratios[s] = g_array_new (FALSE, FALSE, sizeof (double));
  while (n < 10000)
    {
      SwProblem problem;
      SwStrategy strategy;
      double ratio = draw (rand, &problem, &strategy) ? ratio_of (&problem, &strategy) : 0;

      if (ratio == 0)
        continue;
      n++;
      if (!splits_of_itself (&problem, &strategy))
        {
          g_array_append_val (ratios[strategy.schedule], ratio);
          continue;
        }
      least_own = MIN (least_own, ratio);
      most_own = MAX (most_own, ratio);
    }
  for (guint s = 0; s < 4; s++)
    {
      const double *sorted = (const double *) ratios[s]->data;
      guint len = ratios[s]->len;

      g_assert_cmpuint (len, >, 100);
      g_array_sort (ratios[s], compare_ratios);
      g_test_message ("%s: %u strategies, simulated over closed form %.4f to %.4f",
                      sw_schedule_names[s], len, sorted[0], sorted[len - 1]);
      g_assert_cmpfloat (sorted[len - 1], <=, allowed[s].most);
      g_assert_cmpfloat (sorted[len * 98 / 100], <=, allowed[s].usual);
      g_assert_cmpfloat (sorted[0], >=, allowed[s].least);
      g_array_unref (ratios[s]);
    }
  g_assert_cmpfloat (least_own, >=, 0.75);
  g_assert_cmpfloat (most_own, <=, 1.15);
  g_rand_free (rand);
}

/* ZB-H1 on uniform stages of any pass lengths, with fewer micro-batches than stages too: the weight
 * gradients that shorten the step are those of the closed form. Its memory is 1F1B's. */
static void
test_zero_bubble (void)
{
  static const double lengths[][3] = { { 1, 1, 1 }, { 1, 1.5, 0.7 }, { 1, 2, 1 }, { 1, 1.2, 1 } };
  double forward[16], backward[16], input[16];

  for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
    for (guint pp = 2; pp <= 16; pp *= 2)
      for (guint m = 1; m <= 24; m++)
        {
          double f = lengths[l][0], b = lengths[l][1], w = lengths[l][2];
          SwPipelineSpec spec = { SW_SCHEDULE_ZERO_BUBBLE, pp, 1, m, forward, backward, input, 0 };
          SwPipeline pipeline;

          for (guint i = 0; i < pp; i++)
            {
              forward[i] = f;
              input[i] = b;
              backward[i] = b + w;
            }
          sw_pipeline_simulate (&spec, &pipeline);
          g_assert_cmpfloat_with_epsilon (
              pipeline.total_s, (m + pp - 1) * (f + b + w) - w * sw_schedule_filled (pp, m), 1e-9);
          sw_pipeline_clear (&pipeline);
        }
}

static void
test_zero_bubble_memory (void)
{
  SwProblem problem;
  SwStrategy strategy;
  SwMemory plain, zero_bubble;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  strategy.framework = SW_FRAMEWORK_FSDP2;
  strategy.zero_stage = 2;
  sw_fixture_memory (&problem, &strategy, &plain);
  strategy.schedule = SW_SCHEDULE_ZERO_BUBBLE;
  sw_fixture_memory (&problem, &strategy, &zero_bubble);
  g_assert_cmpfloat (plain.peak.total, ==, zero_bubble.peak.total);
  strategy.schedule = SW_SCHEDULE_GPIPE;
  sw_fixture_memory (&problem, &strategy, &zero_bubble);
  g_assert_cmpfloat (zero_bubble.peak.total, >, plain.peak.total);
}

/* Whatever the number of stages, they hold all layers, no two differ by more than one, and the last
 * by two where its head is worth more than a layer. */
static void
test_uneven_stages (void)
{
  SwProblem problem;
  SwStrategy strategy;

  sw_fixture_problem_70b (&problem);
  sw_fixture_strategy_70b (&strategy);
  for (guint layers = 2; layers <= 130; layers++)
    for (strategy.pp = 1; strategy.pp <= MIN (layers, 40); strategy.pp++)
      {
        guint sum = 0, least = G_MAXUINT, most = 0;

        problem.model.layers = layers;
        for (guint stage = 0; stage < strategy.pp; stage++)
          {
            guint held = sw_stage_layers (&problem, &strategy, stage);

            sum += held;
            least = MIN (least, held);
            most = MAX (most, held);
            if (stage + 1 < strategy.pp)
              g_assert_cmpuint (most - least, <=, 1);
          }
        g_assert_cmpuint (sum, ==, layers);
        g_assert_cmpuint (least, >=, 1);
        g_assert_cmpuint (most - least, <=, 2);
      }
}

/* Without overlap nothing is hidden, and nothing is faster. */
static void
test_no_overlap (void)
{
  const guint32 seed = g_test_rand_int ();
  GRand *rand = g_rand_new_with_seed (seed);
  guint ran = 0, slower = 0;

  g_test_message ("seed %u", seed);
  while (ran < 10000)
    {
      SwProblem problem;
      SwStrategy strategy;
      SwEstimate with, without;
      const SwTime *t = &without.time;

      if (!draw (rand, &problem, &strategy))
        continue;
      strategy.offload = strategy.pp == 1 ? (guint8) g_rand_int_range (rand, 0, 4)
                                          : SW_OFFLOAD_NONE;
      problem.training.overlap = SW_OVERLAP_AUTO;
      sw_estimate (&problem, &strategy, &with);
      problem.training.overlap = SW_OVERLAP_NONE;
      sw_estimate (&problem, &strategy, &without);
      g_assert_cmpfloat (t->tp_hidden_s, ==, 0);
      g_assert_cmpfloat (t->cp_hidden_s, ==, 0);
      g_assert_cmpfloat (t->ep_hidden_s, ==, 0);
      g_assert_cmpfloat (t->pp_hidden_s, ==, 0);
      g_assert_cmpfloat (t->dp_hidden_s, ==, 0);
      g_assert_cmpfloat (t->offload_hidden_s, ==, 0);
      g_assert_cmpfloat (t->step_s, >=, with.time.step_s * (1 - 1e-9));
      ran++;
      slower += t->step_s > with.time.step_s * 1.0001;
    }
  g_test_message ("%u strategies, %u of them slower without overlap", ran, slower);
  g_assert_cmpuint (slower, >, ran / 4);
  g_rand_free (rand);
}

static double
total_of (const SwStageTime *time)
{
  return time->forward_s + time->backward_s + time->ends_s;
}

/* Layers with experts at any distance, after any number without, any number of them recomputed, split
 * as any framework does: a step is timed by the slowest of all stages, and by all of them. */
static void
test_slowest (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) g_test_rand_int ());

  for (guint i = 0; i < 2000; i++)
    {
      SwScheduleTime schedule;
      SwStageTime stage, slowest;
      SwLayerTime layer;
      SwStrategy strategy;
      SwModelSpec model;
      SwProblem problem;
      double sum_s = 0;

      if (g_rand_boolean (rand))
        sw_fixture_deepseek_v3 (&model);
      else
        sw_fixture_mixtral_8x7b (&model);
      model.layers = (guint) g_rand_int_range (rand, 2, 80);
      model.mtp_layers = 0;
      model.moe.experts = 1u << g_rand_int_range (rand, 1, 9);
      model.moe.first_dense_layers = (guint) g_rand_int_range (rand, 0, 9) % model.layers;
      model.moe.layer_frequency = g_rand_boolean (rand) ? 1 : (guint) g_rand_int_range (rand, 2, 8);
      sw_fixture_problem (&problem, &model, 512);
      sw_strategy_init_default (&strategy);
      strategy.framework = (guint8) g_rand_int_range (rand, 0, SW_N_FRAMEWORKS);
      strategy.pp = (guint) g_rand_int_range (rand, 1, (gint) model.layers + 1);
      strategy.recompute = (guint8) g_rand_int_range (rand, 0, 4);
      strategy.full_layers = strategy.recompute == SW_RECOMPUTE_FULL_LAYERS
                                 ? (guint) g_rand_int_range (rand, 1, 5)
                                 : 0;
      sw_layer_time (&problem, &strategy, &layer);
      sw_schedule_time (&problem, &strategy, &layer, &schedule);
      sw_stage_time (&problem, &strategy, &layer, schedule.stage, &slowest);
      for (guint j = 0; j < strategy.pp; j++)
        {
          sw_stage_time (&problem, &strategy, &layer, j, &stage);
          sum_s += total_of (&stage);
          g_assert_cmpfloat (total_of (&stage), <=, total_of (&slowest) * (1 + 1e-9));
        }
      /* 1F1B fills and drains with every other stage once. */
      if (strategy.pp > 1)
        g_assert_cmpfloat_with_epsilon (schedule.bubble_s, sum_s - total_of (&slowest),
                                        1e-9 * sum_s);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/schedules/slowest", test_slowest);
  g_test_add_func ("/schedules/closed-form", test_closed_form);
  g_test_add_func ("/schedules/zero-bubble", test_zero_bubble);
  g_test_add_func ("/schedules/zero-bubble-memory", test_zero_bubble_memory);
  g_test_add_func ("/schedules/uneven-stages", test_uneven_stages);
  g_test_add_func ("/schedules/no-overlap", test_no_overlap);
  return g_test_run ();
}
