/* SPDX-License-Identifier: GPL-3.0-or-later */
/* On demand, reserved or spot: no discount is guessed; what is computed is the price from which on
 * each pays. */
#include "shardwise-cost-rent.h"

#include <glib/gi18n.h>
#include <math.h>

#define DAY_S 86400.0
#define YEAR_S (365.25 * DAY_S)

const char *const shardwise_rent_names[] = { "reserved", "spot", NULL };

static const struct {
  ShardwiseRentKind kind;
  double period_s;
  const char *title;
} kinds[] = {
  { SHARDWISE_RENT_RESERVED, YEAR_S / 12, N_ ("Reserved for months") },
  { SHARDWISE_RENT_RESERVED, YEAR_S / 4, N_ ("Reserved for quarters") },
  { SHARDWISE_RENT_RESERVED, YEAR_S, N_ ("Reserved for years") },
  { SHARDWISE_RENT_RESERVED, 3 * YEAR_S, N_ ("Reserved for three years") },
  { SHARDWISE_RENT_SPOT, DAY_S, N_ ("Spot, taken away once a day") },
  { SHARDWISE_RENT_SPOT, DAY_S / 4, N_ ("Spot, taken away every six hours") },
  { SHARDWISE_RENT_SPOT, DAY_S / 24, N_ ("Spot, taken away every hour") },
};
G_STATIC_ASSERT (G_N_ELEMENTS (kinds) == SHARDWISE_N_RENT_OFFERS);

/* Terms are begun as often as the job needs and paid for to their end. */
static void
fill_reserved (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost,
               ShardwiseRentOffer *out)
{
  double seconds = cost->days * DAY_S, terms = ceil (seconds / out->period_s);

  out->job_days = cost->days;
  out->price_below = inputs->price * seconds / (terms * out->period_s);
}

/* GPUs that are taken away interrupt the job besides their failures, and it goes on at once with
 * others: rates of interruptions add up. Days go with 1 / ratio, and so does the bill. */
static void
fill_spot (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost, ShardwiseRentOffer *out)
{
  const ShardwiseGoodput *usual = &cost->goodput;
  ShardwiseGoodput spot;

  shardwise_goodput_compute (1 / (1 / usual->mtbf_s + 1 / out->period_s), usual->write_s,
                             usual->restart_s, &spot);
  out->job_days = spot.ratio > 0 ? cost->days * usual->ratio / spot.ratio : 0;
  out->price_below = inputs->price * spot.ratio / usual->ratio;
}

/**
 * shardwise_cost_rent_offers:
 * @inputs: prices and failures
 * @cost: computed of them
 * @out: (out): other ways to rent
 *
 * Returns: their count; 0 where no price or no time of the job is known
 */
guint
shardwise_cost_rent_offers (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost,
                            ShardwiseRentOffer out[SHARDWISE_N_RENT_OFFERS])
{
  if (!(inputs->price > 0) || !(cost->days > 0))
    return 0;
  for (guint i = 0; i < SHARDWISE_N_RENT_OFFERS; i++)
    {
      out[i] = (ShardwiseRentOffer){ .kind = kinds[i].kind, .period_s = kinds[i].period_s };
      (out[i].kind == SHARDWISE_RENT_SPOT ? fill_spot : fill_reserved) (inputs, cost, &out[i]);
    }
  return SHARDWISE_N_RENT_OFFERS;
}

/**
 * shardwise_rent_offer_title:
 * @offer: one of shardwise_cost_rent_offers()
 *
 * Returns: (transfer full): what it is, translated: "Spot, taken away once a day"
 */
char *
shardwise_rent_offer_title (const ShardwiseRentOffer *offer)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].kind == offer->kind && kinds[i].period_s == offer->period_s)
      return g_strdup (_ (kinds[i].title));
  g_return_val_if_reached (NULL);
}

/**
 * shardwise_rent_offers_to_json:
 * @inputs: prices and failures
 * @cost: computed of them
 *
 * Returns: (transfer full): [{"kind", "period_s", "price_below", "job_days"}]
 */
JsonArray *
shardwise_rent_offers_to_json (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost)
{
  ShardwiseRentOffer offers[SHARDWISE_N_RENT_OFFERS];
  guint n = shardwise_cost_rent_offers (inputs, cost, offers);
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < n; i++)
    {
      JsonObject *object = json_object_new ();

      json_object_set_string_member (object, "kind", shardwise_rent_names[offers[i].kind]);
      json_object_set_double_member (object, "period_s", offers[i].period_s);
      json_object_set_double_member (object, "price_below", offers[i].price_below);
      json_object_set_double_member (object, "job_days", offers[i].job_days);
      json_array_add_object_element (array, object);
    }
  return array;
}
