/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is alive at the peak of a stage, for people and as JSON. */

#include <glib/gi18n.h>

#include "shardwise-json.h"
#include "sw-tensors.h"
#include "shardwise-format.h"

/* Of weights, gradients and states the parameters that they belong to are named too. */
static const char *
state_name (const SwTensor *tensor)
{
  static const char *const names[][SW_N_OWNERS] = {
    [SW_TENSOR_WEIGHTS] = { NULL, N_ ("Weights of the layers"),
                            N_ ("Weights of embedding and head"), N_ ("Weights of the experts") },
    [SW_TENSOR_FROZEN_WEIGHTS] = { NULL, N_ ("Frozen weights of the layers"),
                                   N_ ("Frozen weights of embedding and head"),
                                   N_ ("Frozen weights of the experts") },
    [SW_TENSOR_GRADIENTS] = { NULL, N_ ("Gradients of the layers"),
                              N_ ("Gradients of embedding and head"),
                              N_ ("Gradients of the experts") },
    [SW_TENSOR_OPTIMIZER] = { NULL, N_ ("Optimizer states of the layers"),
                              N_ ("Optimizer states of embedding and head"),
                              N_ ("Optimizer states of the experts") },
  };

  return names[tensor->kind][tensor->owner];
}

static const char *
kind_name (SwTensorKind kind)
{
  static const char *const names[SW_N_TENSOR_KINDS] = {
    [SW_TENSOR_LAYER_INPUTS] = N_ ("Inputs of the layers"),
    [SW_TENSOR_NORMS] = N_ ("Outputs of the norms"),
    [SW_TENSOR_QUERIES_KEYS_VALUES] = N_ ("Queries, keys and values"),
    [SW_TENSOR_MLA_PROJECTIONS] = N_ ("Latents projected up to queries, keys and values"),
    [SW_TENSOR_ATTENTION_SCORES] = N_ ("Attention scores or their statistics"),
    [SW_TENSOR_ATTENTION_OUTPUT] = N_ ("Output of attention"),
    [SW_TENSOR_ATTENTION_CONTEXT] = N_ ("Inputs of the output projection and of further norms"),
    [SW_TENSOR_MLP] = N_ ("MLP, before the activation function"),
    [SW_TENSOR_MLP_ACTIVATION] = N_ ("MLP, after the activation function"),
    [SW_TENSOR_EXPERTS] = N_ ("Experts, before the activation function"),
    [SW_TENSOR_EXPERT_ACTIVATION] = N_ ("Experts, after the activation function"),
    [SW_TENSOR_SHARED_EXPERTS] = N_ ("Shared experts"),
    [SW_TENSOR_ROUTER] = N_ ("Router"),
    [SW_TENSOR_MTP_LAYERS] = N_ ("Layers of multi-token prediction"),
    [SW_TENSOR_EMBEDDING_MASK] = N_ ("Dropout mask of the embedding"),
    [SW_TENSOR_RUNNING_LAYER] = N_ ("The layer that runs backward"),
    [SW_TENSOR_LOGITS] = N_ ("Logits and cross-entropy"),
    [SW_TENSOR_PIPELINE_BUFFERS] = N_ ("Buffers of the pipeline"),
    [SW_TENSOR_WEIGHT_GRADIENTS] = N_ ("Weight gradients under way"),
    [SW_TENSOR_SHARDING_BUFFERS] = N_ ("Gathered units and gradient buckets"),
    [SW_TENSOR_OPTIMIZER_STEP] = N_ ("Copies that the optimizer’s step makes"),
    [SW_TENSOR_FRAGMENTATION] = N_ ("Fragmentation"),
    [SW_TENSOR_CUDA_CONTEXT] = N_ ("CUDA context and kernels"),
    [SW_TENSOR_COMMUNICATORS] = N_ ("Buffers of communicators"),
    [SW_TENSOR_OTHER_PHASE] = N_ ("Other models and other phases"),
  };

  return names[kind];
}

/**
 * shardwise_text_tensor:
 * @tensor: an entry of sw_memory_tensors()
 *
 * Returns: (transfer none): its name, translated: "Weights of the experts"
 */
const char *
shardwise_text_tensor (const SwTensor *tensor)
{
  g_return_val_if_fail (tensor != NULL, NULL);
  return _ (tensor->owner != SW_OWNER_NONE ? state_name (tensor) : kind_name (tensor->kind));
}

/* "80 × 64 MiB", or the count of parameters. */
static char *
describe_count (const SwTensor *tensor)
{
  g_autofree char *count = shardwise_format_count (tensor->count);
  g_autofree char *each = NULL;

  if (tensor->owner != SW_OWNER_NONE)
    /* Translators: %s is a count such as 13.1 B */
    return g_strdup_printf (_ ("%s parameters"), count);
  if (tensor->count <= 1)
    return NULL;
  each = shardwise_format_bytes (tensor->bytes / tensor->count);
  /* Translators: how many tensors of which size: 80 × 64 MiB */
  return g_strdup_printf (_ ("%s × %s"), count, each);
}

static char *
describe_cut (const SwTensor *tensor)
{
  /* Only states say over how many GPUs they are sharded; what a pass keeps says nothing that the
   * strategy does not. */
  if (tensor->owner == SW_OWNER_NONE || tensor->data <= 1)
    return NULL;
  return g_strdup_printf (ngettext ("sharded over %'u GPU", "sharded over %'u GPUs", tensor->data),
                          tensor->data);
}

/**
 * shardwise_text_tensor_detail:
 * @tensor: an entry of sw_memory_tensors()
 *
 * Returns: (transfer full): how many there are and over what they are sharded, translated; may
 * be ""
 */
char *
shardwise_text_tensor_detail (const SwTensor *tensor)
{
  g_autofree char *count = NULL, *cut = NULL;

  g_return_val_if_fail (tensor != NULL, NULL);

  count = describe_count (tensor);
  cut = describe_cut (tensor);
  if (count != NULL && cut != NULL)
    /* Translators: two parts of one description: “13.1 B parameters, sharded over 8 GPUs” */
    return g_strdup_printf (_ ("%s, %s"), count, cut);
  return g_strdup (count != NULL ? count : cut != NULL ? cut : "");
}

static JsonObject *
tensor_to_object (const SwTensor *tensor)
{
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "name", sw_tensor_kind_names[tensor->kind]);
  json_object_set_string_member (object, "part", sw_memory_part_names[tensor->part]);
  if (tensor->owner != SW_OWNER_NONE)
    json_object_set_string_member (object, "of", sw_tensor_owner_names[tensor->owner]);
  shardwise_json_set_gib (object, "gib", tensor->bytes);
  json_object_set_double_member (object, "count", tensor->count);
  json_object_set_int_member (object, "tensor_parallel", tensor->tp);
  json_object_set_int_member (object, "sharded_over", tensor->data);
  return object;
}

/**
 * shardwise_tensors_to_json:
 * @problem: a prepared question
 * @strategy: a strategy
 * @stage: a pipeline stage, from 0
 *
 * Returns: (transfer full): the "tensors" of a stage in `estimate --json`
 */
JsonArray *
shardwise_tensors_to_json (const SwProblem *problem, const SwStrategy *strategy, guint stage)
{
  SwTensor tensors[SW_MAX_TENSORS];
  JsonArray *array = json_array_new ();
  guint n;

  g_return_val_if_fail (problem != NULL && strategy != NULL, NULL);

  n = sw_memory_tensors (problem, strategy, stage, tensors);
  for (guint i = 0; i < n; i++)
    json_array_add_object_element (array, tensor_to_object (&tensors[i]));
  return array;
}
