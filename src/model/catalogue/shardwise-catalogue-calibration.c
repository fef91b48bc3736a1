/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The constants of the model, as they are and with the factors of a user's runs. */
#include "shardwise-catalogue-private.h"

/* The constants with the factors of a user's runs. They live as long as the program, as an answer
 * that was made with them may: there are as many as a journal has had states. */
typedef struct {
  ShardwiseFactors factors;
  SwCalibration calibration;
} Calibrated;

/* Read on first use, shared by all threads, as the rest of the catalogue. */
static struct {
  GOnce once;
  GMutex lock;
  GPtrArray *calibrated; /* (nullable) of Calibrated, under the lock */
} constants = { .once = G_ONCE_INIT };

static gpointer
load_calibration (gpointer data)
{
  g_autoptr (JsonNode) root = shardwise_catalogue_load ("calibration.json");
  g_autoptr (GError) error = NULL;
  SwCalibration *calibration = g_new0 (SwCalibration, 1);

  if (!shardwise_catalogue_read_calibration (json_node_get_object (root), calibration, &error))
    g_error ("calibration.json: %s", error->message);
  return calibration;
}

/**
 * shardwise_catalogue_calibration:
 *
 * Returns: (transfer none): the constants of the model; they live as long as the program
 */
const SwCalibration *
shardwise_catalogue_calibration (const ShardwiseCatalogue *self)
{
  return g_once (&constants.once, load_calibration, NULL);
}

static const Calibrated *
find_calibrated (const ShardwiseFactors *factors)
{
  for (guint i = 0; constants.calibrated != NULL && i < constants.calibrated->len; i++)
    {
      const Calibrated *calibrated = g_ptr_array_index (constants.calibrated, i);

      if (shardwise_factors_equal (&calibrated->factors, factors))
        return calibrated;
    }
  return NULL;
}

/**
 * shardwise_catalogue_calibration_with:
 * @factors: of a user's runs; counted to a thousandth
 *
 * Returns: (transfer none): the constants with @factors; they live as long as the program. Any
 * thread may ask.
 */
const SwCalibration *
shardwise_catalogue_calibration_with (const ShardwiseCatalogue *self,
                                      const ShardwiseFactors *factors)
{
  const SwCalibration *base = shardwise_catalogue_calibration (self);
  ShardwiseFactors rounded = shardwise_factors_round (factors);
  const Calibrated *calibrated;

  if (shardwise_factors_are_neutral (&rounded))
    return base;
  g_mutex_lock (&constants.lock);
  calibrated = find_calibrated (&rounded);
  if (calibrated == NULL)
    {
      Calibrated *made = g_new0 (Calibrated, 1);

      made->factors = rounded;
      shardwise_factors_apply (&rounded, base, &made->calibration);
      if (constants.calibrated == NULL)
        constants.calibrated = g_ptr_array_new ();
      g_ptr_array_add (constants.calibrated, made);
      calibrated = made;
    }
  g_mutex_unlock (&constants.lock);
  return &calibrated->calibration;
}
