/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long generation takes at least, whatever the strategy. A replica generates its sequences in
 * rounds; none of them takes less than its sequences times the least that any round takes for one
 * of its own. A round of more sequences takes no less time (a test), so that one round bounds all that
 * are little larger. */
#include "sw-generation-floor.h"

/* Up to this many sequences every round is looked at; beyond, one for all within a sixteenth. */
enum
{
  EVERY_ROUND = 64,
  COARSENESS = 16,
  MOST_STEPS = 352, /* reach beyond 2^32 sequences */
  MOST_REPLICA_SIZES = 20
};

typedef struct
{
  guint most;    /* sequences */
  double each_s; /* that a round of at most so many takes for one of them */
} Step;

/* Replicas of `tp` GPUs. */
typedef struct
{
  guint tp, n;
  Step steps[MOST_STEPS];
} Replicas;

struct _SwGenerationFloor
{
  guint batch, n;
  Replicas replicas[MOST_REPLICA_SIZES];
};

static void
replicas_init (Replicas *self, const SwProblem *problem, guint tp)
{
  const guint most = sw_generation_most_at_once (problem, tp);
  double least = G_MAXDOUBLE;

  self->tp = tp;
  self->n = 0;
  for (guint64 from = 1, to; from <= most && self->n < MOST_STEPS; from = to + 1)
    {
      to = from <= EVERY_ROUND ? from : from + from / COARSENESS;
      least = MIN (least, sw_generation_round_s (problem, tp, (guint)from) / (double)to);
      self->steps[self->n++] = (Step){ (guint)MIN (to, G_MAXUINT), least };
    }
}

/**
 * sw_generation_floor_new:
 * @problem: a prepared question of reinforcement learning
 *
 * Returns: (transfer full): free with sw_generation_floor_free()
 */
SwGenerationFloor *
sw_generation_floor_new (const SwProblem *problem)
{
  SwGenerationFloor *self = g_new (SwGenerationFloor, 1);
  const guint heads = problem->model.attention_heads;

  self->batch = problem->training.global_batch;
  self->n = 0;
  for (guint tp = 1; tp <= problem->cluster.gpus && tp <= heads && heads % tp == 0; tp *= 2)
    if (self->n < MOST_REPLICA_SIZES)
      replicas_init (&self->replicas[self->n++], problem, tp);
  return self;
}

/**
 * sw_generation_floor_free:
 * @self: (nullable) (transfer full): of sw_generation_floor_new()
 */
void
sw_generation_floor_free (SwGenerationFloor *self)
{
  g_free (self);
}

/* Seconds for each of `sequences` of a replica. */
static double
each_s (const Replicas *replicas, guint sequences)
{
  guint low = 0, high = replicas->n - 1;

  while (low < high)
    {
      const guint middle = low + (high - low) / 2;

      if (replicas->steps[middle].most >= sequences)
        high = middle;
      else
        low = middle + 1;
    }
  return replicas->steps[low].each_s;
}

/**
 * sw_generation_floor_s:
 * @self: of the question
 * @gpus: that generate
 *
 * Returns: seconds that they take at least for the sequences of a step
 */
double
sw_generation_floor_s (const SwGenerationFloor *self, guint gpus)
{
  double least = G_MAXDOUBLE;

  for (guint i = 0; i < self->n; i++)
    {
      const Replicas *replicas = &self->replicas[i];
      const guint n = MAX (gpus / replicas->tp, 1);
      const guint sequences = (self->batch + n - 1) / n;

      if (i == 0 || replicas->tp <= gpus)
        least = MIN (least, sequences * each_s (replicas, sequences));
    }
  return least;
}
