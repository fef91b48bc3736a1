/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which rows of measured runs the engine can count with. */
#include "shardwise-measured-check.h"

#include <glib/gi18n.h>

#include "shardwise-key.h"

/* What is no number is said when the row is read. */
static double
number (const ShardwiseCsv *csv, guint row, const char *column, double fallback)
{
  double value = fallback;

  shardwise_csv_number (csv, row, column, &value, NULL);
  return value;
}

/* What the engine cannot count with: numbers beyond the range of the scenario's key of that
 * meaning. A blank is none; what must not be 0 is checked once the whole row is read. */
static char *
check_ranges (const ShardwiseCsv *csv, guint row)
{
  static const char *const keys[][2] = {
    { "layers", "model.layers" },
    { "hidden", "model.hidden_size" },
    { "ffn_hidden", "model.intermediate_size" },
    { "heads", "model.attention_heads" },
    { "kv_heads", "model.kv_heads" },
    { "head_dim", "model.head_dim" },
    { "vocab", "model.vocab_size" },
    { "moe_experts", "model.moe.experts" },
    { "moe_topk", "model.moe.top_k" },
    { "moe_ffn_hidden", "model.moe.intermediate_size" },
    { "moe_shared_ffn", "model.moe.shared_intermediate_size" },
    { "moe_dense_layers", "model.moe.first_dense_layers" },
    { "gpus", "cluster.gpus" },
    { "gpus_per_node", "cluster.gpus_per_node" },
    { "nvlink_domain", "cluster.nvlink_domain" },
    { "intra_gb_s", "cluster.intra_node_gb_s" },
    { "inter_gb_s_per_gpu", "cluster.inter_node_gb_s" },
    { "seq_len", "training.sequence_length" },
    { "global_batch", "training.global_batch_size" },
    { "micro_batch", "strategy.micro_batch_size" },
    { "tp", "strategy.tp" },
    { "etp", "strategy.etp" },
    { "pp", "strategy.pp" },
    { "vpp", "strategy.vpp" },
    { "cp", "strategy.cp" },
    { "ep", "strategy.ep" },
    { "dp", "strategy.dp" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      const ShardwiseKey *key = shardwise_key_find (keys[i][1]);
      gboolean is_rate = key->kind == SHARDWISE_KEY_NUMBER; /* a count may be 0: none */
      double value = number (csv, row, keys[i][0], key->maximum);
      g_autofree char *range = NULL;

      if (value <= key->maximum && (!is_rate || value >= key->minimum))
        continue;
      range = shardwise_key_describe_range (key);
      /* Translators: a column of a table, then the range of numbers that it accepts */
      return g_strdup_printf (_ ("%s: accepted: %s"), keys[i][0], range);
    }
  return NULL;
}

/* Each way to count the ranks of a split must be a number of GPUs. */
static char *
check_split (const ShardwiseCsv *csv, guint row)
{
  double pp = MAX (number (csv, row, "pp", 1), 1), tp = MAX (number (csv, row, "tp", 1), 1);
  double dense = tp * pp * MAX (number (csv, row, "cp", 1), 1)
                 * MAX (number (csv, row, "dp", 1), 1);
  double sparse = MAX (number (csv, row, "etp", tp), 1) * pp * MAX (number (csv, row, "ep", 1), 1);

  if (MAX (dense, sparse) > shardwise_key_find ("cluster.gpus")->maximum)
    return g_strdup (_ ("the split needs more GPUs than there are anywhere"));
  return NULL;
}

/**
 * shardwise_measured_check_row:
 * @csv: a table of measured runs
 * @row: from 0
 *
 * Returns: (transfer full) (nullable): why that row cannot be predicted, whatever else it says
 */
char *
shardwise_measured_check_row (const ShardwiseCsv *csv, guint row)
{
  char *reason = check_ranges (csv, row);

  return reason != NULL ? reason : check_split (csv, row);
}
