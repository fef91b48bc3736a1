/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the predictions put strategies of one job in the order that was measured. */
#include "shardwise-validation.h"

#include <math.h>

/* Pairs measured nearer than that are ties: the same run measured again differs by as much. */
#define APART 1.05

/* One strategy of a group: repeated measurements of it are one, their mean. */
typedef struct {
  SwStrategy strategy;
  double predicted_s, measured_s;
  guint times;
} Candidate;

static gboolean
is_ranked (const ShardwiseRunPrediction *p)
{
  return p->run->judged && p->run->measured_step_s > 0;
}

/* Runs that differ in strategy alone: of one source, with the same model, GPUs (type, number, nodes
 * and links), task, sequence length, global batch (so that steps are of the same tokens),
 * precision, framework and date of the software. */
static gboolean
same_group (const ShardwiseRunPrediction *a, const ShardwiseRunPrediction *b)
{
  const SwProblem *p = &a->run->problem, *q = &b->run->problem;

  return g_str_equal (a->run->family, b->run->family)
         && (g_str_equal (p->model.name, q->model.name) && p->model.layers == q->model.layers
             && p->model.hidden_size == q->model.hidden_size
             && p->model.intermediate_size == q->model.intermediate_size
             && p->model.attention_heads == q->model.attention_heads
             && p->model.vocab_size == q->model.vocab_size
             && p->model.moe.experts == q->model.moe.experts
             && p->model.moe.top_k == q->model.moe.top_k)
         && (g_str_equal (p->cluster.gpu.id, q->cluster.gpu.id)
             && p->cluster.gpus == q->cluster.gpus
             && p->cluster.gpus_per_node == q->cluster.gpus_per_node
             && p->cluster.nvlink_domain == q->cluster.nvlink_domain
             && p->cluster.intra.bytes_per_s == q->cluster.intra.bytes_per_s
             && p->cluster.inter.bytes_per_s == q->cluster.inter.bytes_per_s)
         && (p->training.type == q->training.type
             && p->training.sequence_length == q->training.sequence_length
             && p->training.global_batch == q->training.global_batch
             && p->training.precision == q->training.precision
             && p->training.attention == q->training.attention
             && p->training.overlap == q->training.overlap
             && p->training.framework == q->training.framework
             && p->training.software_year == q->training.software_year);
}

static void
add_candidate (GArray *group, const ShardwiseRunPrediction *p)
{
  Candidate new = {
    .strategy = p->used, .predicted_s = p->step_s, .measured_s = p->run->measured_step_s, .times = 1
  };

  for (guint i = 0; i < group->len; i++)
    {
      Candidate *c = &g_array_index (group, Candidate, i);

      if (!sw_strategy_equal (&c->strategy, &p->used))
        continue;
      c->measured_s = (c->measured_s * c->times + p->run->measured_step_s) / (c->times + 1);
      c->times++;
      return;
    }
  g_array_append_val (group, new);
}

/* The measured time of what is predicted fastest over the least measured, less 1. Of strategies
 * that are predicted alike the model would pick any: their mean. */
static double
regret_of (GArray *group)
{
  double predicted = INFINITY, least = INFINITY, sum = 0;
  guint chosen = 0;

  for (guint i = 0; i < group->len; i++)
    {
      const Candidate *c = &g_array_index (group, Candidate, i);

      predicted = MIN (predicted, c->predicted_s);
      least = MIN (least, c->measured_s);
    }
  for (guint i = 0; i < group->len; i++)
    {
      const Candidate *c = &g_array_index (group, Candidate, i);

      if (c->predicted_s > predicted * (1 + 1e-9))
        continue;
      sum += c->measured_s;
      chosen++;
    }
  return sum / chosen / least - 1;
}

/* Pairs in the measured order less pairs in the opposite one; those predicted alike are neither. */
static double
concordance (GArray *group, guint *pairs)
{
  double sum = 0;

  for (guint i = 0; i < group->len; i++)
    for (guint j = 0; j < i; j++)
      {
        const Candidate *a = &g_array_index (group, Candidate, i),
                        *b = &g_array_index (group, Candidate, j);
        double measured = log (a->measured_s / b->measured_s);
        double predicted = log (a->predicted_s / b->predicted_s);

        if (fabs (measured) <= log (APART))
          continue;
        (*pairs)++;
        sum += measured * predicted > 0 ? 1 : measured * predicted < 0 ? -1 : 0;
      }
  return sum;
}

/* The group of the run at `first`. `done` marks what is in a group. */
static void
collect_group (GArray *predictions, guint first, gboolean *done, GArray *group)
{
  const ShardwiseRunPrediction *head = &g_array_index (predictions, ShardwiseRunPrediction, first);

  for (guint i = first; i < predictions->len; i++)
    {
      const ShardwiseRunPrediction *p = &g_array_index (predictions, ShardwiseRunPrediction, i);

      if (done[i] || !is_ranked (p) || !same_group (head, p))
        continue;
      add_candidate (group, p);
      done[i] = TRUE;
    }
}

/* Kendall's tau and regret of a family's groups of strategies. */
void
shardwise_validation_rank (GArray *predictions, ShardwiseFamilyErrors *family)
{
  g_autofree gboolean *done = g_new0 (gboolean, predictions->len + 1);
  g_autoptr (GArray) group = g_array_new (FALSE, FALSE, sizeof (Candidate));
  double sum = 0, regret = 0;

  for (guint i = 0; i < predictions->len; i++)
    {
      const ShardwiseRunPrediction *p = &g_array_index (predictions, ShardwiseRunPrediction, i);

      if (done[i] || !is_ranked (p) || !g_str_equal (p->run->family, family->family))
        continue;
      g_array_set_size (group, 0);
      collect_group (predictions, i, done, group);
      if (group->len < 2)
        continue;
      family->groups++;
      regret += regret_of (group);
      sum += concordance (group, &family->pairs);
    }
  family->kendall_tau = family->pairs > 0 ? sum / family->pairs : 0;
  family->regret = family->groups > 0 ? regret / family->groups : 0;
}
