/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can be fine-tuned on a machine, and what a model needs. */
#include "shardwise-capacity.h"

#include <string.h>

#include "scenario-fixture.h"
#include "shardwise-advice.h"

static const ShardwiseCapacityCell *
cell_of (const ShardwiseCapacity *capacity, const char *id, ShardwiseTuning tuning)
{
  for (guint i = 0; i < capacity->rows->len; i++)
    {
      const ShardwiseCapacityRow *row = g_ptr_array_index (capacity->rows, i);

      if (g_str_equal (row->id, id))
        return &row->cells[tuning];
    }
  g_assert_not_reached ();
}

/* A cell says what the advice for its scenario says, and the longest sequence is the last that fits. */
static void
test_machine (void)
{
  static const char machine[] = "{\"cluster\": {\"gpu\": \"rtx-4090\", \"gpus\": 1}, \"training\": "
                                "{\"sequence_length\": 2048}, \"strategy\": {\"tp\": 1}}";
  g_autoptr (ShardwiseScenario) scenario = scenario_of (machine), changed = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseCapacity) capacity = shardwise_capacity_of_machine (scenario, NULL, NULL,
                                                                          NULL, NULL, &error);
  const ShardwiseAdviceOptions options = { .top = 1 };
  const ShardwiseCapacityCell *cell;
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  g_assert_true (shardwise_capacity_fits (capacity));
  g_assert_false (cell_of (capacity, "llama-3.1-8b", SHARDWISE_TUNING_FULL)->estimate.fits);
  g_assert_false (cell_of (capacity, "deepseek-v3", SHARDWISE_TUNING_QLORA)->estimate.fits);
  cell = cell_of (capacity, "llama-3.1-8b", SHARDWISE_TUNING_QLORA);
  g_assert_true (cell->estimate.fits);
  text = shardwise_capacity_text (cell);
  g_assert_nonnull (strstr (text, "tokens/s"));
  g_assert_nonnull (strstr (text, "micro-batch"));
  for (guint factor = 1; factor <= 2; factor++)
    {
      g_autoptr (ShardwiseAdvice) advice = NULL;

      g_clear_object (&changed);
      changed = shardwise_scenario_copy (scenario);
      g_assert_true (shardwise_scenario_apply (changed, cell->changes, NULL));
      g_assert_false (shardwise_scenario_is_set (changed, SHARDWISE_KEY_STRATEGY_TP));
      g_assert_true (shardwise_scenario_set (
          changed, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH,
          g_variant_new_int64 (factor == 1 ? 2048 : cell->longest_sequence), NULL));
      advice = shardwise_advice_compute (changed, &options, NULL, &error);
      g_assert_no_error (error);
      g_assert_true (shardwise_advice_get_recommended (advice)->fits);
      if (factor == 1)
        g_assert_cmpfloat (shardwise_advice_get_recommended (advice)->tokens_per_s, ==,
                           cell->estimate.tokens_per_s);
    }
}

/* The least number fits for certain, half of it does not; the cheapest hour comes first, and what has no
 * price last. */
static void
test_model (void)
{
  static const char model[] = "{\"model\": {\"preset\": \"llama-3.1-8b\"}, \"training\": "
                              "{\"sequence_length\": 4096}}";
  g_autoptr (ShardwiseScenario) scenario = scenario_of (model);
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseCapacity) capacity = shardwise_capacity_for_model (scenario, NULL, NULL, NULL,
                                                                         &error);
  const ShardwiseAdviceOptions options = { .top = 1 };
  const ShardwiseCapacityCell *cell;
  double before = 0;

  g_assert_no_error (error);
  cell = cell_of (capacity, "a100-40-sxm", SHARDWISE_TUNING_FULL);
  for (guint divisor = 1; divisor <= 2; divisor++)
    {
      g_autoptr (ShardwiseScenario) changed = shardwise_scenario_copy (scenario);
      g_autoptr (ShardwiseAdvice) advice = NULL;

      g_assert_true (shardwise_scenario_apply (changed, cell->changes, NULL));
      g_assert_true (shardwise_scenario_set (changed, SHARDWISE_KEY_CLUSTER_GPUS,
                                             g_variant_new_int64 (cell->gpus / divisor), NULL));
      advice = shardwise_advice_compute (changed, &options, NULL, &error);
      g_assert_no_error (error);
      g_assert_true (
          (shardwise_advice_get_recommended (advice)->fit == SW_FIT_FITS
           && shardwise_advice_get_recommended (advice)->strategy.offload == SW_OFFLOAD_NONE)
          == (divisor == 1));
    }
  for (guint t = 0; t < SHARDWISE_N_TUNINGS; t++)
    {
      g_autoptr (GPtrArray) sorted = shardwise_capacity_by_price (capacity, (ShardwiseTuning) t);

      g_assert_cmpuint (sorted->len, >, 10);
      before = 0;
      for (guint i = 0; i < sorted->len; i++)
        {
          const ShardwiseCapacityRow *row = g_ptr_array_index (sorted, i);
          const double price = row->cells[t].price_per_hour;

          g_assert_true (price == 0 || (price >= before && row->cells[t].price_date[0] != '\0'));
          before = price > 0 ? price : G_MAXDOUBLE;
        }
    }
}

/* What is wrong is said; work that nobody waits for stops. */
static void
test_errors (void)
{
  static const char *const unknown[] = { "llama-9-1t", NULL };
  g_autoptr (ShardwiseScenario) machine = scenario_of ("{\"cluster\": {\"gpu\": \"t4\", \"gpus\": "
                                                       "1}}"),
                                empty = scenario_of ("{}");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (shardwise_capacity_of_machine (machine, unknown, NULL, NULL, NULL, &error));
  g_assert_nonnull (strstr (error->message, "llama-9-1t"));
  g_clear_error (&error);
  g_assert_null (shardwise_capacity_for_model (empty, NULL, NULL, NULL, &error));
  g_assert_nonnull (strstr (error->message, "model"));
  g_clear_error (&error);
  g_cancellable_cancel (cancellable);
  g_assert_null (shardwise_capacity_of_machine (machine, NULL, NULL, NULL, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/capacity/machine", test_machine);
  g_test_add_func ("/capacity/model", test_model);
  g_test_add_func ("/capacity/errors", test_errors);
  return g_test_run ();
}
