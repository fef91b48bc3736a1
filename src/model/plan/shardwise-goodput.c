/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checkpoints and interruptions: how often to write, and the remaining share of time. */
#include "shardwise-goodput.h"

#include <math.h>
#include <string.h>

/* Below this share a job would take a million times its time and is reported as not advancing. */
#define LEAST_RATIO 1e-6

/**
 * shardwise_young_interval:
 * @mtbf_s: mean time between interruptions of the job; seconds, above 0
 * @write_s: time of one checkpoint, during which training waits; seconds
 *
 * Returns: the work between two checkpoints that loses the least, to first order: sqrt (2 write
 * mtbf) (Young 1974, "A first order approximation to the optimum checkpoint interval"); seconds
 */
double
shardwise_young_interval (double mtbf_s, double write_s)
{
  return sqrt (2 * write_s * mtbf_s);
}

/**
 * shardwise_daly_interval:
 * @mtbf_s: mean time between interruptions of the job; seconds, above 0
 * @write_s: time of one checkpoint, during which training waits; seconds
 *
 * Returns: the same to higher order, without the time of the checkpoint (Daly 2006, "A higher order
 * estimate of the optimum checkpoint interval for restart dumps", equation 37); seconds
 */
double
shardwise_daly_interval (double mtbf_s, double write_s)
{
  double x = write_s / (2 * mtbf_s);

  if (x >= 1)
    return mtbf_s;
  return shardwise_young_interval (mtbf_s, write_s) * (1 + sqrt (x) / 3 + x / 9) - write_s;
}

/**
 * shardwise_goodput_ratio:
 * @mtbf_s: mean time between interruptions of the job; seconds, above 0
 * @write_s: time of one checkpoint, during which training waits; seconds
 * @restart_s: from an interruption until training runs again; seconds
 * @interval_s: work between two checkpoints; seconds
 *
 * Daly 2006, equation 20: interruptions arrive as a Poisson process, during checkpoints and
 * restarts too, and work since the last checkpoint is lost. The expected time of an interval t is M
 * exp (R / M) (exp ((t + write) / M) - 1). Simplified: an interval is not rounded to whole steps,
 * and checkpoints written in the background cost less.
 *
 * Returns: the share of the time that advances the job, 0-1
 */
double
shardwise_goodput_ratio (double mtbf_s, double write_s, double restart_s, double interval_s)
{
  double expected = mtbf_s * exp (restart_s / mtbf_s) * expm1 ((interval_s + write_s) / mtbf_s);

  if (!(interval_s > 0)) /* writing takes no time: checkpoints are always current */
    return exp (-restart_s / mtbf_s);
  return isfinite (expected) ? interval_s / expected : 0;
}

/**
 * shardwise_goodput_compute:
 * @mtbf_s: mean time between interruptions of the job; seconds, above 0
 * @write_s: time of one checkpoint, during which training waits; seconds
 * @restart_s: from an interruption until training runs again; seconds
 * @out: (out): the share of the time that advances the job at Daly's interval
 */
void
shardwise_goodput_compute (double mtbf_s, double write_s, double restart_s, ShardwiseGoodput *out)
{
  double interval;

  g_return_if_fail (mtbf_s > 0 && write_s >= 0 && restart_s >= 0);

  memset (out, 0, sizeof *out);
  out->mtbf_s = mtbf_s;
  out->write_s = write_s;
  out->restart_s = restart_s;
  out->young_s = shardwise_young_interval (mtbf_s, write_s);
  out->interval_s = interval = shardwise_daly_interval (mtbf_s, write_s);
  out->ratio = shardwise_goodput_ratio (mtbf_s, write_s, restart_s, interval);
  if (!(out->ratio >= LEAST_RATIO))
    out->ratio = 0;
  out->checkpoint_share = interval > 0 ? out->ratio * write_s / interval : 0;
  out->interruption_share = MAX (0, 1 - out->ratio - out->checkpoint_share);
}
