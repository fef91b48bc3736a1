/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>

#include "shardwise-advisor.h"

G_BEGIN_DECLS

/* The cost of the job, the share of time spent training, what a budget buys, and the cluster for a
 * deadline.
 *
 * CSS class: .cost-section */
#define SHARDWISE_TYPE_COST_SECTION (shardwise_cost_section_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseCostSection, shardwise_cost_section, SHARDWISE, COST_SECTION, AdwBin)

typedef enum {
  SHARDWISE_COST_PART_COST,
  SHARDWISE_COST_PART_BUDGET, /* includes the deadline */
  SHARDWISE_COST_PART_FAILURES,
  SHARDWISE_N_COST_PARTS
} ShardwiseCostPart;

void shardwise_cost_section_show_part (ShardwiseCostSection *self, ShardwiseCostPart part);
GtkWidget *shardwise_cost_section_new (void);
void shardwise_cost_section_show (ShardwiseCostSection *self, ShardwiseAdvisor *advisor);
void shardwise_cost_section_plan (ShardwiseCostSection *self, ShardwiseAdvisor *advisor);

G_END_DECLS
