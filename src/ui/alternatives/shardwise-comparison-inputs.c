/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-comparison-inputs.h"

#include <glib/gi18n.h>

#include "shardwise-input-control.h"

static void
input_free (gpointer data)
{
  ShardwiseComparisonInput *input = data;

  for (guint i = 0; i < input->n; i++)
    g_free (input->texts[i]);
  g_free (input->title);
  g_free (input);
}

/* What says nothing to the engine, and is shown elsewhere. */
static gboolean
is_remark (const ShardwiseKey *key)
{
  return g_str_equal (key->path, "name") || g_str_equal (key->path, "notes");
}

static char *
title_of (const ShardwiseKey *key)
{
  const char *unit = shardwise_control_unit (key);

  if (*unit == '\0')
    return g_strdup (_ (key->title));
  /* Translators: an input and its unit ("Sequence length, tokens") */
  return g_strdup_printf (_ ("%s, %s"), _ (key->title), unit);
}

/* NULL: it is the same in all, or follows from other inputs in each. */
static ShardwiseComparisonInput *
compare (ShardwiseComparison *comparison, const ShardwiseKey *key)
{
  guint n = shardwise_comparison_get_n (comparison);
  ShardwiseComparisonInput *input = g_new0 (ShardwiseComparisonInput, 1);
  gboolean is_set = FALSE, differs = FALSE;

  for (guint i = 0; i < n; i++)
    {
      ShardwiseScenario *scenario = shardwise_comparison_get_scenario (comparison, i);
      g_autofree char *text = scenario != NULL ? shardwise_control_describe (key, scenario)
                                               : g_strdup ("");

      is_set |= scenario != NULL && shardwise_scenario_is_set (scenario, key->path);
      input->texts[input->n++] = *text != '\0' ? g_steal_pointer (&text) : g_strdup ("–");
      differs |= !g_str_equal (input->texts[i], input->texts[0]);
    }
  if (!is_set || !differs)
    {
      input_free (input);
      return NULL;
    }
  input->title = title_of (key);
  return input;
}

/**
 * shardwise_comparison_inputs:
 * @comparison: strategies
 *
 * Returns: (transfer full) (element-type ShardwiseComparisonInput): what their scenarios state
 * differently; none where all are of the present inputs
 */
GPtrArray *
shardwise_comparison_inputs (ShardwiseComparison *comparison)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func (input_free);
  gboolean others = FALSE;
  guint n_keys;
  const ShardwiseKey *keys = shardwise_keys (&n_keys);

  g_return_val_if_fail (SHARDWISE_IS_COMPARISON (comparison), inputs);

  for (guint i = 0; i < shardwise_comparison_get_n (comparison); i++)
    others |= shardwise_comparison_get_name (comparison, i) != NULL;
  for (guint k = 0; others && k < n_keys; k++)
    {
      ShardwiseComparisonInput *input = is_remark (&keys[k]) ? NULL
                                                             : compare (comparison, &keys[k]);

      if (input != NULL)
        g_ptr_array_add (inputs, input);
    }
  return inputs;
}
