/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The share of a job's wall-clock time that makes progress. A value; seconds. */
typedef struct {
  double mtbf_s, write_s, restart_s; /* of the whole job: time between interruptions, to write a
                                        checkpoint, and to restart */
  double young_s, interval_s;        /* work between checkpoints, by Young's formula and by Daly's;
                                 Daly's is used */
  double ratio;                      /* 0-1; 0: too many interruptions to make progress */
  double checkpoint_share, interruption_share; /* of the wall-clock time; their sum with ratio is
                                                  1 */
} ShardwiseGoodput;

double shardwise_young_interval (double mtbf_s, double write_s);
double shardwise_daly_interval (double mtbf_s, double write_s);
double shardwise_goodput_ratio (double mtbf_s, double write_s, double restart_s, double interval_s);
void
shardwise_goodput_compute (double mtbf_s, double write_s, double restart_s, ShardwiseGoodput *out);

G_END_DECLS
