/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever is searched stops soon after it is told to: within 5 ms of what its thread gets of the
 * processor, since the clock is not ours alone. */
#include "sw-changes.h"
#include "sw-means.h"
#include "sw-explain.h"
#include "sw-fixture.h"
#include "sw-search.h"

#include <pthread.h>
#include <time.h>

#define MOST_S 0.005
#define MOST_ABSURD_S 0.02 /* 10,000 layers on 131,072 GPUs */

enum {
  MOMENTS = 12 /* at which a job is told to stop */
};

typedef void (*Work) (const SwProblem *problem);

typedef struct {
  SwProblem problem;
  Work work;
  int cancelled, is_running; /* atomic */
  clockid_t clock;           /* of the thread that works */
  double ended_s;            /* by that clock */
} Job;

static double
seconds_of (clockid_t clock)
{
  struct timespec now;

  clock_gettime (clock, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

static gpointer
job_run (gpointer data)
{
  Job *job = data;

  pthread_getcpuclockid (pthread_self (), &job->clock);
  g_atomic_int_set (&job->is_running, 1);
  job->work (&job->problem);
  job->ended_s = seconds_of (CLOCK_THREAD_CPUTIME_ID);
  g_atomic_int_set (&job->is_running, 0);
  return NULL;
}

/* Stops the job after it has run for `after_s`. Returns the seconds until its thread ends; negative
 * if it had ended before. */
static double
stop_after (const SwProblem *problem, Work work, double after_s)
{
  Job job = { .problem = *problem, .work = work };
  double told_s = 0.0;
  GThread *thread;

  job.problem.cancelled = &job.cancelled;
  thread = g_thread_new ("job", job_run, &job);
  while (g_atomic_int_get (&job.is_running) == 0 && job.ended_s <= 0.0)
    g_thread_yield ();
  while (g_atomic_int_get (&job.is_running) != 0 && (told_s = seconds_of (job.clock)) < after_s)
    g_usleep (100);
  g_atomic_int_set (&job.cancelled, 1);
  g_thread_join (thread);
  return told_s < after_s ? -1.0 : job.ended_s - told_s;
}

static void
check_within (const char *name, const SwProblem *problem, Work work, double longest_s,
              double most_s)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) g_test_rand_int ());
  double worst_s = 0.0, second_s = 0.0;
  guint stopped = 0;

  for (guint i = 0; i < MOMENTS; i++)
    {
      const double after_s = longest_s * g_rand_double (rand);
      const double seconds = stop_after (problem, work, after_s);

      stopped += seconds >= 0.0;
      second_s = MAX (second_s, MIN (worst_s, seconds));
      worst_s = MAX (worst_s, seconds);
      if (seconds < 0.0)
        longest_s = MAX (after_s * 0.9, 1e-4); /* it takes less than that */
    }
  g_test_message ("%s: %.3f ms at most, stopped %u times of %d", name, worst_s * 1e3, stopped,
                  MOMENTS);
  g_assert_cmpuint (stopped, >, 0);
  /* An interrupt is counted to the thread that it hits: one moment may be longer, by a little. */
  g_assert_cmpfloat (second_s, <, most_s);
  g_assert_cmpfloat (worst_s, <, 4.0 * most_s);
}

static void
check (const char *name, const SwProblem *problem, Work work, double longest_s)
{
  check_within (name, problem, work, longest_s, MOST_S);
}

static void
search (const SwProblem *problem, const SwSearchOptions *options)
{
  SwSearchResult result;

  sw_search (problem, options, &result);
  sw_search_result_clear (&result);
}

static void
live (const SwProblem *problem)
{
  search (problem, &(SwSearchOptions){ .top = 50 });
}

static void
complete (const SwProblem *problem)
{
  search (problem, &(SwSearchOptions){ .top = 50, .complete = TRUE });
}

static void
complete_on_threads (const SwProblem *problem)
{
  search (problem, &(SwSearchOptions){ .top = 50, .complete = TRUE, .threads = 3 });
}

static void
sizes (const SwProblem *problem)
{
  sw_sensible_gpus (problem);
}

static void
changes (const SwProblem *problem)
{
  SwChange all[SW_MOST_CHANGES];
  SwLeastGpus least[SW_N_MEANS];

  sw_changes_tried (problem, all);
  sw_change_for_safety (problem, all);
  sw_least_gpus_by (problem, least);
}

static void
reasons (const SwProblem *problem)
{
  SwProblem free = *problem;
  SwStrategy strategy;
  SwEstimate chosen;
  SwExplainer *explainer;

  free.cancelled = NULL;
  sw_fixture_strategy_70b (&strategy);
  sw_estimate (&free, &strategy, &chosen);
  explainer = sw_explainer_new (problem, &chosen);
  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    {
      SwReason reason;

      sw_explainer_explain (explainer, (SwDimension) i, &reason);
    }
  sw_explainer_free (explainer);
}

static void
test_live (void)
{
  SwProblem problem;

  sw_fixture_problem_bench (&problem, SW_FRAMEWORK_ANY, TRUE, 16384);
  check ("256 experts", &problem, live, 0.05);
  problem.training.global_batch = 735134400;
  problem.training.sequence_length = 16;
  problem.model.layers = 10000;
  problem.cluster.gpus = 131072;
  sw_problem_prepare (&problem);
  check_within ("10,000 layers", &problem, live, 0.3, MOST_ABSURD_S);
}

static void
test_complete (void)
{
  SwProblem problem;

  sw_fixture_problem_bench (&problem, SW_FRAMEWORK_ANY, FALSE, 512);
  check ("complete", &problem, complete, 2.0);
  check ("complete, on threads", &problem, complete_on_threads, 1.0);
  sw_fixture_problem_bench (&problem, SW_FRAMEWORK_ANY, FALSE, 8);
  check ("complete, small", &problem, complete, 0.1);
}

static void
test_phases (void)
{
  SwProblem problem;

  sw_fixture_problem_bench (&problem, SW_FRAMEWORK_ANY, FALSE, 256);
  problem.training.type = SW_TRAINING_RLHF;
  problem.training.rlhf_ppo = TRUE;
  problem.training.rlhf_response_length = 1024;
  for (guint i = 0; i < 2; i++)
    {
      problem.training.rlhf_colocated = i == 0;
      sw_problem_prepare (&problem);
      check (i == 0 ? "colocated" : "split", &problem, live, 0.2);
    }
}

static void
test_more_than_one_search (void)
{
  SwProblem problem;

  sw_fixture_problem_bench (&problem, SW_FRAMEWORK_ANY, FALSE, 1024);
  check ("sensible GPUs", &problem, sizes, 0.05);
  sw_fixture_problem_70b (&problem);
  check ("reasons", &problem, reasons, 0.05);
  sw_fixture_problem_bench (&problem, SW_FRAMEWORK_ANY, TRUE, 8);
  problem.training.type = SW_TRAINING_FINETUNE;
  sw_problem_prepare (&problem);
  check ("changes", &problem, changes, 0.1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cancelling/live", test_live);
  g_test_add_func ("/cancelling/complete", test_complete);
  g_test_add_func ("/cancelling/phases", test_phases);
  g_test_add_func ("/cancelling/more-than-one-search", test_more_than_one_search);
  return g_test_run ();
}
