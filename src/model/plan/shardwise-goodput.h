/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* How much of the wall-clock time of a job advances it. A value; seconds. */
typedef struct {
  double mtbf_s, write_s, restart_s; /* of the job: between interruptions, of a checkpoint, until it
                                        runs again */
  double young_s, interval_s; /* work between two checkpoints: Young's, and Daly's, which is used */
  double ratio;               /* 0-1; 0: interrupted so often that it does not advance */
  double checkpoint_share, interruption_share; /* of the wall-clock time; with ratio they make 1 */
} ShardwiseGoodput;

double shardwise_young_interval (double mtbf_s, double write_s);
double shardwise_daly_interval (double mtbf_s, double write_s);
double shardwise_goodput_ratio (double mtbf_s, double write_s, double restart_s, double interval_s);
void
shardwise_goodput_compute (double mtbf_s, double write_s, double restart_s, ShardwiseGoodput *out);

G_END_DECLS
