/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "shardwise-goodput.h"
#include "shardwise-scenario.h"
#include "sw-estimate.h"

G_BEGIN_DECLS

/* Prices, power and failures of a scenario, with defaults filled in. A value. */
typedef struct {
  double price;                 /* per GPU-hour; 0: none */
  gboolean price_is_stated;     /* by the scenario; else the catalog's lowest */
  double price_low, price_high; /* lowest and highest of the catalog, USD; 0: none */
  char price_date[24];          /* "" if unknown */
  char currency[16];
  double capex_per_gpu, depreciation_years; /* 0: not owned */
  double power_w;                           /* of a busy GPU; 0: unknown */
  gboolean power_is_stated;                 /* by the scenario; else the rated power */
  double pue, kwh_price;                    /* kwh_price < 0: unknown in this currency */
  double grid_kg_co2_per_kwh, overhead_share;
  double mtbf_gpu_hours, restart_s;
  double storage_bytes_per_s; /* of the whole job; 0: proportional to the GPUs */
} ShardwiseCostInputs;

typedef enum {
  SHARDWISE_COST_STEPS,         /* cloud: training GPUs while they make progress */
  SHARDWISE_COST_CHECKPOINTS,   /* cloud: training GPUs while they wait for a checkpoint */
  SHARDWISE_COST_INTERRUPTIONS, /* cloud: lost work and restarts */
  SHARDWISE_COST_IDLE,          /* cloud: GPUs that the strategy leaves idle */
  SHARDWISE_COST_PURCHASE,      /* owned: depreciation during the job */
  SHARDWISE_COST_ENERGY,        /* owned */
  SHARDWISE_COST_OVERHEAD,      /* owned: staff, network and buildings */
  SHARDWISE_N_COSTS
} ShardwiseCostKind;
extern const char *const shardwise_cost_names[];

typedef struct {
  ShardwiseCostKind kind;
  double amount;
} ShardwiseCostItem;

enum { SHARDWISE_BILL_ITEMS = 4 };

/* In the scenario's currency, not rounded; the total is the sum of the items. */
typedef struct {
  guint n; /* 0: unknown */
  ShardwiseCostItem items[SHARDWISE_BILL_ITEMS];
  double total, per_million_tokens;
} ShardwiseBill;

typedef enum {
  SHARDWISE_BASIS_NONE,
  SHARDWISE_BASIS_CLOUD,
  SHARDWISE_BASIS_OWNED
} ShardwiseCostBasis;

/* The time, energy and cost of a job. A value. */
typedef struct {
  ShardwiseCostBasis basis; /* the bill that the answer uses */
  ShardwiseBill cloud, owned;
  ShardwiseGoodput goodput; /* ratio 0: the job makes no progress and has no days */
  double checkpoint_bytes, storage_bytes_per_s;
  double tokens, training_s; /* training_s: steps only */
  double days, gpu_hours;    /* with checkpoints and interruptions, for all GPUs of the cluster;
                                0: unknown */
  double energy_kwh, kg_co2;
  double break_even_hours; /* hours of GPU use after which owning is cheaper; 0: never, or
                              unknown */
  double break_even_share; /* share of the depreciation period; above 1: never within it */
} ShardwiseCost;

typedef enum {
  SHARDWISE_RENT_RESERVED, /* paid until the end of its term */
  SHARDWISE_RENT_SPOT,     /* interrupted occasionally */
} ShardwiseRentKind;

/* Another way to rent, and the price below which it is cheaper than the scenario's. A value. */
typedef struct {
  ShardwiseRentKind kind;
  double period_s;    /* the term, or the time between interruptions */
  double price_below; /* per GPU-hour */
  double job_days;    /* duration of the job with it; 0: no progress */
} ShardwiseRentOffer;

enum { SHARDWISE_N_RENT_OFFERS = 7 };

const char *shardwise_cost_source (ShardwiseKeyId id);
double shardwise_cost_default (const SwProblem *problem, ShardwiseKeyId id);
void shardwise_cost_inputs_read (ShardwiseScenario *scenario, const SwProblem *problem,
                                 ShardwiseCostInputs *out);
char *shardwise_cost_usual_price (ShardwiseScenario *scenario, ShardwiseKeyId id);
void shardwise_cost_compute (const ShardwiseCostInputs *inputs, const SwProblem *problem,
                             const SwEstimate *estimate, ShardwiseCost *out);
double shardwise_cost_least_hour (const ShardwiseCostInputs *inputs);
double shardwise_cost_total (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost,
                             gboolean *is_stated);
const ShardwiseBill *shardwise_cost_bill (const ShardwiseCost *cost); /* (nullable) */

void shardwise_cost_spread (double amount, const SwEstimate *estimate, double *low, double *high);
guint shardwise_cost_rent_offers (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost,
                                  ShardwiseRentOffer out[SHARDWISE_N_RENT_OFFERS]);
char *shardwise_rent_offer_title (const ShardwiseRentOffer *offer);

/* ---- translated texts ---- */
const char *shardwise_text_cost_item (ShardwiseCostKind kind);
void shardwise_bill_shown (const ShardwiseBill *bill, double amounts[SHARDWISE_BILL_ITEMS]);
/* (nullable) */
char *
shardwise_cost_verdict (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost, guint gpus);
char *shardwise_cost_cloud_text (const ShardwiseCostInputs *inputs);
char *shardwise_cost_owned_text (const ShardwiseCostInputs *inputs);
/* (nullable) */
char *
shardwise_cost_assumption (ShardwiseScenario *scenario, const SwProblem *problem,
                           const ShardwiseCostInputs *inputs, ShardwiseKeyId id, char **detail);
char *shardwise_format_energy (double kwh); /* "63.4 MWh" */
char *shardwise_format_mass (double kg);    /* "30.0 t" */
/* of char* */
GPtrArray *shardwise_cost_notes (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost);
char *shardwise_cost_included (const ShardwiseCost *cost);
char *shardwise_cost_not_included (const ShardwiseCost *cost);
/* (nullable) */
char *shardwise_cost_energy_text (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost);
char *shardwise_cost_break_even_text (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost);
char *shardwise_cost_goodput_text (const ShardwiseCost *cost); /* (nullable) */
JsonNode *shardwise_cost_to_json (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost,
                                  GPtrArray *notes);

G_END_DECLS
