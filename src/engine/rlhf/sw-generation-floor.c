/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long generation takes at least, whatever the strategy. A replica generates its sequences in
 * rounds; none of them takes less than its sequences times the least that any round takes for one
 * of its own. A round of more sequences takes no less time (a test), so that one round bounds all
 * that are little larger. Where others generate than train, the strategy does not matter at all but
 * for the number of its GPUs: then it is worked out as it is planned. */
#include "sw-generation-floor.h"

/* Up to this many sequences every round is looked at; beyond, one for all within a sixteenth. */
enum {
  EVERY_ROUND = 64,
  COARSENESS = 16,
  MOST_STEPS = 352, /* reach beyond 2^32 sequences */
  MOST_REPLICA_SIZES = 20,
  FINENESS = 128 /* sizes of clusters that differ by less than this part count as one */
};

typedef struct {
  guint most;     /* sequences */
  double each_s;  /* that a round of at most so many takes for one of them */
  double later_s; /* what any number beyond takes at least, all of them */
} Step;

/* Replicas of `tp` GPUs, which have room for a sequence beside the weights. */
typedef struct {
  guint tp, n;
  Step steps[MOST_STEPS];
} Replicas;

/* So many generating GPUs, up to the next size, take at least so long. */
typedef struct {
  guint gpus;
  double seconds;
} Size;

/* What a step takes with so many GPUs training: work / gpus + generation_s; the least of all such
 * lines from `from_work` on. */
typedef struct {
  double from_work, gpus, generation_s;
} Line;

struct _SwGenerationFloor {
  guint batch, n;
  Replicas replicas[MOST_REPLICA_SIZES];
  /* Where others generate than train: */
  GArray *sizes; /* of Size: by the number of GPUs, from one on */
  GArray *lines; /* of Line: by from_work */
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
      least = MIN (least, sw_generation_round_s (problem, tp, (guint) from) / (double) to);
      self->steps[self->n++] = (Step){ (guint) MIN (to, G_MAXUINT), least, G_MAXDOUBLE };
    }
  for (guint i = self->n; i-- > 1;)
    self->steps[i - 1].later_s = MIN (self->steps[i].later_s,
                                      (self->steps[i - 1].most + 1.0) * self->steps[i].each_s);
}

/* Seconds for `sequences` of a replica, or more. */
static double
sequences_s (const Replicas *replicas, guint sequences)
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
  return MIN (sequences * replicas->steps[low].each_s, replicas->steps[low].later_s);
}

/* What any replicas on so many GPUs take at least: no less with fewer. */
static double
floor_s (const SwGenerationFloor *self, guint gpus)
{
  double least = G_MAXDOUBLE;

  for (guint i = 0; i < self->n; i++)
    {
      const Replicas *replicas = &self->replicas[i];
      const guint n = MAX (gpus / replicas->tp, 1);
      const guint sequences = (self->batch + n - 1) / n;

      if (i == 0 || replicas->tp <= gpus)
        least = MIN (least, sequences_s (replicas, sequences));
    }
  return least;
}

/* Work at which the latter line, of more GPUs, becomes the lower. */
static double
crossing (const Line *line, const Line *more)
{
  return (more->generation_s - line->generation_s) / (1.0 / line->gpus - 1.0 / more->gpus);
}

/* The lower envelope, one line after the other. */
static void
add_line (GArray *lines, Line line)
{
  for (; lines->len > 0; g_array_set_size (lines, lines->len - 1))
    {
      const Line *last = &g_array_index (lines, Line, lines->len - 1);

      line.from_work = crossing (last, &line);
      if (line.from_work > last->from_work)
        break;
    }
  if (lines->len == 0)
    line.from_work = 0.0;
  g_array_append_val (lines, line);
}

/* The next number of generating GPUs with which the busiest replica of some size has fewer
 * sequences, or which is the first for replicas of that size. */
static guint
next_change (const SwGenerationFloor *self, guint gpus)
{
  guint64 next = G_MAXUINT;

  for (guint i = 0; i < self->n; i++)
    {
      const guint64 tp = self->replicas[i].tp, n = MAX (gpus / tp, 1);
      const guint64 sequences = (self->batch + n - 1) / n;

      if (tp > gpus)
        next = MIN (next, tp);
      if (sequences > 1)
        next = MIN (next, (self->batch + sequences - 2) / (sequences - 1) * tp);
    }
  return (guint) next;
}

/* What `gpus` take to generate while no more than `training` train. */
static double
planned_s (const SwProblem *problem, guint gpus, guint training)
{
  SwProblem sized = *problem;
  SwGenerationPlan plan;
  SwStrategy strategy;
  SwTime time;

  sw_strategy_init_default (&strategy);
  strategy.dp = MAX (training, 1);
  sized.cluster.gpus = strategy.dp + gpus;
  sw_generation_plan (NULL, &sized, &strategy, problem->calibration->context_bytes, &plan);
  sw_generation_time (&sized, &strategy, &plan, &time);
  return time.step_s;
}

/* Where others generate than train, nothing of the strategy but the number of its GPUs has to do
 * with how they generate, and few numbers make a difference. Where many do, the floor stands for
 * those that are little more. */
static void
add_sizes (SwGenerationFloor *self, const SwProblem *problem)
{
  const guint all = problem->cluster.gpus;

  for (guint gpus = 1, next; gpus <= all; gpus = next)
    {
      const guint near = gpus + gpus / FINENESS + 1;
      Size size = { gpus, 0.0 };

      next = next_change (self, gpus);
      if (next >= near)
        {
          next = MIN (next, all + 1);
          size.seconds = planned_s (problem, gpus, all + 1 - next);
        }
      else
        {
          next = MIN (near, all + 1);
          size.seconds = floor_s (self, next - 1);
        }
      g_array_append_val (self->sizes, size);
    }
  /* From the most GPUs that generate to the fewest: more and more train. */
  for (guint i = self->sizes->len; i-- > 0;)
    {
      const Size *size = &g_array_index (self->sizes, Size, i);

      add_line (self->lines, (Line){ 0.0, MAX (all - size->gpus, 1), size->seconds });
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
  self->sizes = g_array_new (FALSE, FALSE, sizeof (Size));
  self->lines = g_array_new (FALSE, FALSE, sizeof (Line));
  self->n = 0;
  for (guint tp = 1; tp <= problem->cluster.gpus && tp <= heads && heads % tp == 0; tp *= 2)
    if (self->n < MOST_REPLICA_SIZES && sw_generation_most_at_once (problem, tp) > 0)
      replicas_init (&self->replicas[self->n++], problem, tp);
  if (!problem->training.rlhf_colocated)
    add_sizes (self, problem);
  return self;
}

/**
 * sw_generation_floor_free:
 * @self: (nullable) (transfer full): of sw_generation_floor_new()
 */
void
sw_generation_floor_free (SwGenerationFloor *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->sizes);
  g_array_unref (self->lines);
  g_free (self);
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
  const Size *sizes = (const Size *) (gconstpointer) self->sizes->data;
  guint low = 0, high = self->sizes->len;

  if (high == 0)
    return floor_s (self, gpus);
  while (high - low > 1)
    {
      const guint middle = low + (high - low) / 2;

      *(sizes[middle].gpus <= gpus ? &low : &high) = middle;
    }
  return sizes[low].seconds;
}

/**
 * sw_generation_split_s:
 * @self: of a question whose generation has GPUs of its own
 * @work: GPU-seconds of all else in a step, at least
 *
 * However the GPUs are split between the two: the more train, the fewer generate.
 *
 * Returns: seconds that a step takes at least
 */
double
sw_generation_split_s (const SwGenerationFloor *self, double work)
{
  const Line *lines = (const Line *) (gconstpointer) self->lines->data;
  guint low = 0, high = self->lines->len - 1;

  while (low < high)
    {
      const guint middle = low + (high - low + 1) / 2;

      if (lines[middle].from_work <= work)
        low = middle;
      else
        high = middle - 1;
    }
  return work / lines[low].gpus + lines[low].generation_s;
}
