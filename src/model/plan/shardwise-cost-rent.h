/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-cost.h"

G_BEGIN_DECLS

typedef enum {
  SHARDWISE_RENT_RESERVED, /* paid for to the end of its term */
  SHARDWISE_RENT_SPOT,     /* taken away now and then */
} ShardwiseRentKind;
extern const char *const shardwise_rent_names[];

/* Another way to rent, and the price below which it costs less than the scenario's. A value. */
typedef struct {
  ShardwiseRentKind kind;
  double period_s;    /* of the term; or between two times that the GPUs are taken away */
  double price_below; /* of a GPU-hour */
  double job_days;    /* what the job takes then; 0: it does not advance */
} ShardwiseRentOffer;

enum { SHARDWISE_N_RENT_OFFERS = 7 };

guint shardwise_cost_rent_offers (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost,
                                  ShardwiseRentOffer out[SHARDWISE_N_RENT_OFFERS]);
char *shardwise_rent_offer_title (const ShardwiseRentOffer *offer);
JsonArray *
shardwise_rent_offers_to_json (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost);

G_END_DECLS
