/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The object of `shardwise-cli cost --json`. */
#include "shardwise-cost-rent.h"

#include "shardwise-json.h"

static JsonArray *
items_to_json (const ShardwiseBill *bill, const char *currency)
{
  JsonArray *items = json_array_new ();

  for (guint i = 0; i < bill->n; i++)
    {
      JsonObject *item = json_object_new ();

      json_object_set_string_member (item, "code", shardwise_cost_names[bill->items[i].kind]);
      json_object_set_string_member (item, "name", shardwise_text_cost_item (bill->items[i].kind));
      json_object_set_double_member (item, "amount", bill->items[i].amount);
      json_object_set_string_member (item, "unit", currency);
      json_array_add_object_element (items, item);
    }
  return items;
}

static void
set_bill (JsonObject *object, const ShardwiseBill *bill, const char *currency)
{
  static const ShardwiseBill none = { 0 };

  json_object_set_array_member (object, "items",
                                items_to_json (bill != NULL ? bill : &none, currency));
  if (bill == NULL)
    bill = &none;
  shardwise_json_set_known (object, "total", bill->total, bill->n > 0);
  shardwise_json_set_known (object, "per_million_tokens", bill->per_million_tokens, bill->n > 0);
}

static void
set_named_bill (JsonObject *object, const char *name, const ShardwiseBill *bill,
                const char *currency)
{
  JsonObject *member = json_object_new ();

  set_bill (member, bill, currency);
  json_object_set_object_member (object, name, member);
}

static void
set_numbers (JsonObject *object, const ShardwiseCostInputs *inputs, const ShardwiseCost *cost)
{
  const gboolean has_days = cost->days > 0;
  const ShardwiseGoodput *goodput = &cost->goodput;
  const struct {
    const char *name;
    double value;
  } numbers[] = {
    { "goodput", goodput->ratio },
    { "checkpoint_bytes", cost->checkpoint_bytes },
    { "checkpoint_write_s", goodput->write_s },
    { "mean_time_between_interruptions_s", goodput->mtbf_s },
    { "restart_s", goodput->restart_s },
    { "young_interval_s", goodput->young_s },
    { "checkpoint_interval_s", goodput->interval_s },
    { "checkpoint_share", goodput->checkpoint_share },
    { "interruption_share", goodput->interruption_share },
    { "break_even_gpu_hours", cost->break_even_hours },
    { "break_even_share", cost->break_even_share },
  };

  shardwise_json_set_known (object, "days", cost->days, has_days);
  shardwise_json_set_known (object, "training_days", cost->training_s / 86400, has_days);
  shardwise_json_set_known (object, "gpu_hours", cost->gpu_hours, has_days);
  shardwise_json_set_known (object, "energy_kwh", cost->energy_kwh,
                            has_days && inputs->power_w > 0);
  shardwise_json_set_known (object, "kg_co2", cost->kg_co2, has_days && inputs->power_w > 0);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    json_object_set_double_member (object, numbers[i].name, numbers[i].value);
}

/**
 * shardwise_cost_to_json:
 * @inputs: prices, power and failures
 * @cost: computed of them
 * @notes: (nullable) (element-type utf8): sentences
 *
 * Returns: (transfer full): the object; its items add up to its total, nothing is rounded
 */
JsonNode *
shardwise_cost_to_json (const ShardwiseCostInputs *inputs, const ShardwiseCost *cost,
                        GPtrArray *notes)
{
  JsonObject *object = json_object_new ();
  g_autofree char *included = shardwise_cost_included (cost),
                  *not_included = shardwise_cost_not_included (cost);

  set_bill (object, shardwise_cost_bill (cost), inputs->currency);
  json_object_set_string_member (object, "currency", inputs->currency);
  json_object_set_string_member (object, "basis", shardwise_basis_names[cost->basis]);
  shardwise_json_set_known (object, "price", inputs->price,
                            inputs->price_is_stated || inputs->price > 0);
  json_object_set_string_member (object, "price_date", inputs->price_date);
  set_numbers (object, inputs, cost);
  set_named_bill (object, "cloud", &cost->cloud, inputs->currency);
  set_named_bill (object, "owned", &cost->owned, inputs->currency);
  json_object_set_array_member (object, "other_rents",
                                shardwise_rent_offers_to_json (inputs, cost));
  json_object_set_string_member (object, "included", included);
  json_object_set_string_member (object, "not_included", not_included);
  json_object_set_array_member (object, "notes", shardwise_json_strings (notes));
  return shardwise_json_take_object (object);
}
