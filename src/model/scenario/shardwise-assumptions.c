/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The assumptions of an answer: keys that a scenario does not set and that affect the answer. */
#include "shardwise-assumptions.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-format.h"
#include "shardwise-resolve.h"

/* The answer. */
typedef struct {
  ShardwiseScenario *scenario;
  const SwProblem *problem;
  const SwEstimate *estimate;
} Answer;

/* A key that may be assumed. */
typedef struct {
  ShardwiseKeyId key, instead;              /* instead: another key that sets it as well */
  gboolean (*bears) (const Answer *answer); /* (nullable): NULL: always applies */
  char *(*show) (const Answer *answer);     /* (nullable): formats its value */
  char *(*explain) (const Answer *answer);  /* (nullable): NULL: no explanation */
} Row;

/* ---- keys that affect an answer ---- */

static gboolean
has_several_gpus (const Answer *answer)
{
  return answer->problem->cluster.gpus > 1;
}

static gboolean
uses_link (const Answer *answer)
{
  const SwCluster *cluster = &answer->problem->cluster;

  return cluster->gpus > 1 && MAX (cluster->gpus_per_node, cluster->nvlink_domain) > 1;
}

static gboolean
uses_network (const Answer *answer)
{
  const SwCluster *cluster = &answer->problem->cluster;

  return cluster->gpus > MAX (cluster->gpus_per_node, cluster->nvlink_domain);
}

/* If the fast link does not end at the node. */
static gboolean
has_other_domain (const Answer *answer)
{
  const SwCluster *cluster = &answer->problem->cluster;

  return cluster->nvlink_domain != cluster->gpus_per_node
         && cluster->gpus > MIN (cluster->nvlink_domain, cluster->gpus_per_node);
}

static gboolean
uses_host (const Answer *answer)
{
  return answer->estimate->memory.host_bytes > 0 || answer->estimate->rule == SW_RULE_HOST_MEMORY;
}

static gboolean
uses_drives (const Answer *answer)
{
  const guint8 offload = answer->estimate->strategy.offload;

  return answer->problem->training.offloads_to_nvme
         && (offload == SW_OFFLOAD_OPTIMIZER || offload == SW_OFFLOAD_OPTIMIZER_PARAMS);
}

static gboolean
is_adapter (const Answer *answer)
{
  return sw_training_is_adapter (&answer->problem->training);
}

static gboolean
is_rlhf (const Answer *answer)
{
  return answer->problem->training.type == SW_TRAINING_RLHF;
}

/* The dispatcher matters if the experts of a layer are on several nodes. */
static gboolean
spreads_experts (const Answer *answer)
{
  const SwStrategy *strategy = &answer->estimate->strategy;

  return (guint) strategy->ep * strategy->etp > MAX (answer->problem->cluster.gpus_per_node, 8)
         && (strategy->framework != SW_FRAMEWORK_MEGATRON_CORE
             || sw_problem_enables (answer->problem, strategy, SW_FEATURE_MOE_FORWARDING));
}

/* ---- its words ---- */

static char *
show_gpu (const Answer *answer)
{
  return g_strdup (answer->problem->cluster.gpu.name);
}

static char *
show_link (const Answer *answer)
{
  return g_strdup (answer->problem->cluster.intra.name);
}

static char *
show_network (const Answer *answer)
{
  return g_strdup (answer->problem->cluster.inter.name);
}

static char *
show_target (const Answer *answer)
{
  return shardwise_format_percent (answer->problem->training.memory_target);
}

static char *
show_framework (const Answer *answer)
{
  return g_strdup (shardwise_key_word_title (
      SHARDWISE_KEY_TRAINING_FRAMEWORK, sw_framework_names[answer->estimate->strategy.framework]));
}

/* ---- why it has that value ---- */

static char *
rate_of (const SwLink *link)
{
  return g_strdup_printf (link->shared_by_node
                              /* Translators: nominal bandwidth of a network */
                              ? _ ("%.4g GB/s per node")
                              : _ ("%.4g GB/s per GPU"),
                          link->bytes_per_s / SW_GB);
}

static char *
explain_nodes (const Answer *answer)
{
  /* Translators: the name of a GPU: why a node has as many of them as is assumed */
  return g_strdup_printf (_ ("usual for %s"), answer->problem->cluster.gpu.name);
}

static char *
explain_link (const Answer *answer)
{
  return rate_of (&answer->problem->cluster.intra);
}

static char *
explain_network (const Answer *answer)
{
  g_autofree char *rate = rate_of (&answer->problem->cluster.inter);

  /* Translators: "12.5 GB/s per node", the name of a GPU */
  return g_strdup_printf (_ ("%s, usual between nodes with %s"), rate,
                          answer->problem->cluster.gpu.name);
}

static char *
explain_host (const Answer *answer)
{
  const SwCluster *cluster = &answer->problem->cluster;

  /* Translators: gigabytes, the name of a GPU */
  return g_strdup_printf (_ ("%.4g GB per %s"), cluster->host_bytes_per_gpu / SW_GB,
                          cluster->gpu.name);
}

static char *
explain_target (const Answer *answer)
{
  g_autofree char *rest = shardwise_format_percent (1 - answer->problem->training.memory_target);

  /* Translators: a percentage */
  return g_strdup_printf (_ ("%s of GPU memory stays in reserve"), rest);
}

static char *
explain_batch (const Answer *answer)
{
  const SwTraining *training = &answer->problem->training;
  g_autofree char *tokens =
      shardwise_format_count ((double) training->global_batch * training->sequence_length);

  /* Translators: a number of tokens */
  return g_strdup_printf (_ ("%s tokens"), tokens);
}

static char *
explain_framework (const Answer *answer)
{
  return g_strdup (_ ("best of the usual frameworks for the job"));
}

static char *
explain_dispatcher (const Answer *answer)
{
  return answer->estimate->strategy.framework != SW_FRAMEWORK_MEGATRON_CORE
             ? NULL
             : g_strdup (_ ("the recipes’ own; it must be installed"));
}

/* In the order of the list: values that affect an answer most come first. */
static const Row rows[] = {
  { SHARDWISE_KEY_TRAINING_TYPE },
  { SHARDWISE_KEY_CLUSTER_GPU, .show = show_gpu },
  { SHARDWISE_KEY_TRAINING_FRAMEWORK, .show = show_framework, .explain = explain_framework },
  { SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, .explain = explain_batch },
  { SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH },
  { SHARDWISE_KEY_TRAINING_PRECISION },
  { SHARDWISE_KEY_TRAINING_OPTIMIZER },
  { SHARDWISE_KEY_TRAINING_LORA_RANK, .bears = is_adapter },
  { SHARDWISE_KEY_TRAINING_LORA_TARGETS, .bears = is_adapter },
  { SHARDWISE_KEY_TRAINING_RLHF_ALGORITHM, .bears = is_rlhf },
  { SHARDWISE_KEY_TRAINING_RLHF_RESPONSE_LENGTH, .bears = is_rlhf },
  { SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE, .bears = has_several_gpus, .explain = explain_nodes },
  { SHARDWISE_KEY_CLUSTER_INTRA_NODE, SHARDWISE_KEY_CLUSTER_INTRA_NODE_GB_S, uses_link, show_link,
    explain_link },
  { SHARDWISE_KEY_CLUSTER_NVLINK_DOMAIN, .bears = has_other_domain, .explain = explain_nodes },
  { SHARDWISE_KEY_CLUSTER_INTER_NODE, SHARDWISE_KEY_CLUSTER_INTER_NODE_GB_S, uses_network,
    show_network, explain_network },
  { SHARDWISE_KEY_CLUSTER_HOST_RAM_GB, .bears = uses_host, .explain = explain_host },
  { SHARDWISE_KEY_CLUSTER_NVME_GB_S, .bears = uses_drives },
  { SHARDWISE_KEY_TRAINING_MEMORY_TARGET, .show = show_target, .explain = explain_target },
  { SHARDWISE_KEY_TRAINING_SOFTWARE_MOE_DISPATCHER, .bears = spreads_experts,
    .explain = explain_dispatcher },
  { SHARDWISE_KEY_TRAINING_SOFTWARE_DATE },
};

/* A number with its unit, or the name of a word. */
static char *
show_value (const ShardwiseKey *key, GVariant *value)
{
  g_autofree char *number = NULL;

  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    return g_strdup (shardwise_key_word_title (key->id, g_variant_get_string (value, NULL)));
  number = shardwise_format_whole (g_variant_is_of_type (value, G_VARIANT_TYPE_INT64)
                                       ? (double) g_variant_get_int64 (value)
                                       : g_variant_get_double (value));
  /* Translators: a number and its unit: "4,096 tokens" */
  return key->unit != NULL && strstr (_ (key->title), _ (key->unit)) == NULL
             ? g_strdup_printf (_ ("%s %s"), number, _ (key->unit))
             : g_steal_pointer (&number);
}

static void
assumption_free (gpointer data)
{
  ShardwiseAssumption *self = data;

  g_variant_unref (self->value);
  g_free (self->text);
  g_free (self);
}

static ShardwiseAssumption *
assumption_new (const Answer *answer, const Row *row)
{
  const ShardwiseKey *key = shardwise_key_get (row->key);
  ShardwiseAssumption *self = g_new0 (ShardwiseAssumption, 1);
  g_autofree char *shown = NULL, *why = NULL;

  self->key = row->key;
  self->value = g_variant_ref_sink (
      row->key == SHARDWISE_KEY_TRAINING_FRAMEWORK
          ? g_variant_new_string (sw_framework_names[answer->estimate->strategy.framework])
          : shardwise_resolve_default (answer->problem, row->key));
  shown = row->show != NULL ? row->show (answer) : show_value (key, self->value);
  why = row->explain != NULL ? row->explain (answer) : NULL;
  self->text = why != NULL
                   /* Translators: an input, its value, why it has that: "GPUs per node: 8 (usual
                      for H100)" */
                   ? g_strdup_printf (_ ("%s: %s (%s)"), _ (key->title), shown, why)
                   /* Translators: an input and its value: "Precision: BF16" */
                   : g_strdup_printf (_ ("%s: %s"), _ (key->title), shown);
  return self;
}

/* "auto" leaves the choice open. */
static gboolean
is_stated (ShardwiseScenario *scenario, ShardwiseKeyId key)
{
  return key != SHARDWISE_KEY_NONE && shardwise_scenario_is_set (scenario, key)
         && g_strcmp0 (shardwise_scenario_peek_string (scenario, key), "auto") != 0;
}

/**
 * shardwise_assumptions_list:
 * @scenario: the user's scenario
 * @problem: the resolved question
 * @estimate: the answer: values that it does not use are not assumptions
 *
 * Returns: (transfer full) (element-type ShardwiseAssumption): the assumptions, most important
 *   first; host memory only if something is offloaded, the network only if the job extends beyond
 *   the fast link
 */
GPtrArray *
shardwise_assumptions_list (ShardwiseScenario *scenario, const SwProblem *problem,
                            const SwEstimate *estimate)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (assumption_free);
  SwProblem chosen;
  const Answer answer = { scenario, &chosen, estimate };

  g_return_val_if_fail (SHARDWISE_IS_SCENARIO (scenario) && problem != NULL && estimate != NULL,
                        list);

  chosen = *problem; /* software has the defaults of the answer's framework */
  if (chosen.training.framework == SW_FRAMEWORK_ANY)
    chosen.training.framework = (SwFramework) estimate->strategy.framework;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (!is_stated (scenario, rows[i].key) && !is_stated (scenario, rows[i].instead)
        && (rows[i].bears == NULL || rows[i].bears (&answer)))
      g_ptr_array_add (list, assumption_new (&answer, &rows[i]));
  return list;
}
