/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each key means, for the person who sets it. */
#include "shardwise-key-help.h"

#include <glib/gi18n.h>

static const struct {
  const char *path, *topic, *text;
} table[] = {
  { "name", "scenario-file", N_ ("What the scenario is called, in the window and in reports.") },
  { "notes", "scenario-file", N_ ("Text of your own that the file keeps.") },

  { "model.preset", "inputs#model",
    N_ ("A model of the catalogue, with its published architecture.") },
  { "model.parameters_b", "inputs#model",
    N_ ("A bare size. A Llama-like architecture of as many parameters is derived from it.") },
  { "model.kind", "inputs#model",
    N_ ("A language model, or a vision or diffusion transformer, which is approximated as "
        "a decoder without causal mask.") },
  { "model.layers", "formula-parameters",
    N_ ("Transformer layers. Pipeline stages are cut between them.") },
  { "model.hidden_size", "formula-parameters",
    N_ ("Width of the residual stream between the layers.") },
  { "model.intermediate_size", "formula-parameters", N_ ("Width inside the MLP of a layer.") },
  { "model.attention_heads", "formula-parameters",
    N_ ("Query heads. Tensor parallelism has to divide them.") },
  { "model.kv_heads", "formula-parameters",
    N_ ("Heads of keys and values: fewer than query heads with grouped-query attention. "
        "By default as many as query heads.") },
  { "model.head_dim", "formula-parameters",
    N_ ("Width of a head. By default hidden size over attention heads.") },
  { "model.vocab_size", "formula-parameters",
    N_ ("Tokens of the vocabulary: size of embedding, head and logits.") },
  { "model.max_position_embeddings", "inputs#model",
    N_ ("The longest sequence that the model was made for. A longer one is computed, with "
        "a note.") },
  { "model.gated_mlp", "formula-parameters",
    N_ ("Three matrices in the MLP (SwiGLU and its like) instead of two.") },
  { "model.tied_embeddings", "formula-parameters",
    N_ ("The head uses the weights of the embedding.") },
  { "model.norm", "formula-parameters",
    N_ ("RMSNorm has a weight, LayerNorm a weight and a bias.") },
  { "model.norms_per_layer", "formula-parameters",
    N_ ("Norms in a layer. Each has weights and keeps its input.") },
  { "model.qk_norm", "formula-parameters",
    N_ ("Whether queries and keys are normalised, by head or over their whole width.") },
  { "model.bias.qkv", "formula-parameters",
    N_ ("Whether the projections of query, key and value have a bias.") },
  { "model.bias.attn_out", "formula-parameters",
    N_ ("Whether the output projection of attention has a bias.") },
  { "model.bias.mlp", "formula-parameters", N_ ("Whether the matrices of the MLP have a bias.") },
  { "model.position_embedding", "formula-parameters",
    N_ ("Learned positions are parameters; rotary ones are not.") },
  { "model.parallel_block", "formula-overlap#tensor",
    N_ ("Attention and MLP read the same input: one tensor-parallel exchange a layer "
        "instead of two.") },
  { "model.sliding_window", "formula-attention",
    N_ ("Tokens that a query looks back on. Without one it sees all before it.") },
  { "model.sliding_window_pattern", "formula-attention",
    N_ ("Which layers have the sliding window.") },
  { "model.mtp_layers", "formula-parameters",
    N_ ("Layers for multi-token prediction at the end of the last stage.") },
  { "model.moe.experts", "formula-experts", N_ ("Routed experts of a layer.") },
  { "model.moe.top_k", "formula-experts", N_ ("Experts that each token is sent to.") },
  { "model.moe.intermediate_size", "formula-experts", N_ ("Width inside one expert.") },
  { "model.moe.shared_intermediate_size", "formula-experts",
    N_ ("Width of the experts that every token passes, together. 0: there are none.") },
  { "model.moe.first_dense_layers", "formula-experts",
    N_ ("Layers at the start that have an MLP in place of experts.") },
  { "model.moe.layer_frequency", "formula-experts",
    N_ ("1: experts in every layer; 2: in every second one.") },
  { "model.mla.q_lora_rank", "formula-parameters",
    N_ ("Width to which queries are compressed. 0: they are not.") },
  { "model.mla.kv_lora_rank", "formula-parameters",
    N_ ("Width to which keys and values are compressed (multi-head latent attention).") },
  { "model.mla.qk_nope_head_dim", "formula-parameters",
    N_ ("Width of queries and keys, by head, that is not rotated.") },
  { "model.mla.qk_rope_head_dim", "formula-parameters",
    N_ ("Width of queries and keys, by head, that carries the position.") },
  { "model.mla.v_head_dim", "formula-parameters", N_ ("Width of values, by head.") },

  { "cluster.gpu", "inputs#cluster",
    N_ ("Decides memory, peak rates, the link inside a node and what a GPU-hour usually "
        "costs.") },
  { "cluster.gpus", "inputs#cluster",
    N_ ("How many GPUs the job may use. A strategy may leave some idle, and says so.") },
  { "cluster.gpus_per_node", "inputs#cluster",
    N_ ("GPUs that share a host. Tensor parallelism should stay within.") },
  { "cluster.gpu_memory_gb", "formula-states#usable",
    N_ ("Nominal memory. What can be used is a little less, in the proportion of the GPU "
        "chosen.") },
  { "cluster.nvlink_domain", "formula-collectives",
    N_ ("GPUs that the fast link joins: a node, or a whole rack.") },
  { "cluster.intra_node", "formula-collectives",
    N_ ("What joins the GPUs of a node. By default that of the GPU.") },
  { "cluster.intra_node_gb_s", "formula-collectives",
    N_ ("Of each GPU, in one direction. By default the rate of the link.") },
  { "cluster.inter_node", "formula-collectives",
    N_ ("What joins the nodes. By default what is usual for the GPU.") },
  { "cluster.inter_node_gb_s", "formula-collectives",
    N_ ("Each GPU’s part of the network, in one direction: 400 Gbit/s are 50 GB/s.") },
  { "cluster.oversubscription", "formula-collectives",
    N_ ("How much thinner the network is beyond a pod: 1 is a full one, 2 has half the "
        "bandwidth between pods.") },
  { "cluster.pod_gpus", "formula-collectives",
    N_ ("GPUs behind one switch with full bandwidth. 0: those of a node.") },
  { "cluster.host_ram_gb", "formula-offload",
    N_ ("What offloaded states have to fit into, on each node.") },

  { "training.type", "jobs",
    N_ ("Pre-training and full fine-tuning train all parameters; LoRA and QLoRA adapters "
        "beside frozen ones; reinforcement learning generates and scores answers too.") },
  { "training.sequence_length", "formula-attention",
    N_ ("Tokens of one sequence. By default 4,096.") },
  { "training.global_batch_size", "formula-pipeline",
    N_ ("Sequences of one optimizer step, over all replicas. By default about a million "
        "tokens. For tokens divide by the sequence length.") },
  { "training.micro_batch_size", "formula-activations",
    N_ ("Sequences that a GPU processes at once. Larger: better kernels, more memory, a "
        "larger bubble.") },
  { "training.precision", "formula-gemm",
    N_ ("Of the matrix products. Below 16 bits master weights and attention stay as they "
        "are.") },
  { "training.optimizer", "formula-states",
    N_ ("Decides the bytes of state for each parameter, and the time of the step’s end.") },
  { "training.attention", "formula-attention",
    N_ ("Flash attention keeps no scores; the unfused kernel keeps the whole square.") },
  { "training.framework", "inputs#training",
    N_ ("Whose rules, memory and overlap hold. “any” takes the best of all; each result "
        "names its own.") },
  { "training.software_date", "inputs#training",
    N_ ("Release of the framework, by its month: what it could do then. By default the "
        "newest one known.") },
  { "training.overlap", "formula-overlap",
    N_ ("Without overlap all communication delays the step.") },
  { "training.memory_target", "formula-states#usable",
    N_ ("Share of the usable memory that a strategy may fill: 0.9, or 0.8 in the quick "
        "score.") },
  { "training.tokens", "formula-cost",
    N_ ("How many the model is to see: what days and cost are computed for.") },
  { "training.deadline", "cost#deadline",
    N_ ("When training is to be done. The Scale page finds the smallest cluster that is "
        "in time.") },
  { "training.lora.rank", "formula-lora",
    N_ ("Inner width of the adapters: more of it, more trained parameters. By default 16.") },
  { "training.lora.targets", "formula-lora",
    N_ ("Adapters beside all linear layers, or beside those of attention alone.") },
  { "training.rlhf.algorithm", "formula-rlhf", N_ ("PPO trains a critic too; GRPO has none.") },
  { "training.rlhf.critic_parameters_b", "formula-rlhf",
    N_ ("Size of critic and reward model. By default that of the policy.") },
  { "training.rlhf.response_length", "formula-rlhf",
    N_ ("Tokens of each sequence that are generated; the rest is the prompt.") },
  { "training.rlhf.colocated", "formula-rlhf",
    N_ ("On: the GPUs that train also generate, one after the other. Off: those that "
        "training leaves over do.") },
  { "training.packing.mean_document", "formula-attention",
    N_ ("Where documents are packed into a sequence a token sees its own one only: their "
        "mean length.") },

  { "strategy.tp", "dimensions#tp", N_ ("GPUs that share the matrices of every layer.") },
  { "strategy.etp", "dimensions#ep",
    N_ ("GPUs that share the matrices of each expert. By default those of tensor "
        "parallelism.") },
  { "strategy.pp", "dimensions#pp", N_ ("Stages that the layers are cut into.") },
  { "strategy.vpp", "dimensions#pp",
    N_ ("Chunks of layers on each GPU of an interleaved pipeline: a smaller bubble, more "
        "transfers.") },
  { "strategy.dp", "dimensions#dp", N_ ("Replicas, each with its part of the batch.") },
  { "strategy.cp", "dimensions#cp", N_ ("GPUs that share each sequence.") },
  { "strategy.cp_method", "formula-overlap#context",
    N_ ("How they exchange keys and values: round a ring, gathered at once, or by heads "
        "(Ulysses).") },
  { "strategy.ep", "dimensions#ep", N_ ("GPUs over which the experts are spread.") },
  { "strategy.sequence_parallel", "dimensions#tp",
    N_ ("Cuts the activations between the matrices of tensor parallelism over the same "
        "GPUs; costs nothing more.") },
  { "strategy.zero_stage", "dimensions#dp",
    N_ ("What replicas share instead of repeating: 1 optimizer states, 2 gradients too, 3 "
        "parameters too (FSDP).") },
  { "strategy.shard_group", "dimensions#dp",
    N_ ("Over how many of the replicas. Fewer than all is hybrid sharding.") },
  { "strategy.micro_batch_size", "formula-activations",
    N_ ("Sequences that a GPU processes at once. This wins over the value of the "
        "training.") },
  { "strategy.recompute", "formula-activations#recompute",
    N_ ("Activations that are dropped and computed again in the backward pass.") },
  { "strategy.recompute_modules", "formula-activations#recompute",
    N_ ("Which parts of a layer “selective” computes again, by the names of "
        "Megatron-Core.") },
  { "strategy.schedule", "formula-pipeline",
    N_ ("Order of forward and backward passes through the stages.") },
  { "strategy.offload", "formula-offload", N_ ("What lives in the memory of the host.") },

  { "cost.price", "formula-cost",
    N_ ("What an hour of one GPU costs, rented. By default the lowest of the catalogue, "
        "with its date.") },
  { "cost.currency", "formula-cost", N_ ("Of all prices. None is converted.") },
  { "cost.price_date", "formula-cost", N_ ("When the price was asked for; shown beside it.") },
  { "cost.capex_per_gpu", "formula-cost",
    N_ ("Owned hardware: a GPU with its share of node and network.") },
  { "cost.depreciation_years", "formula-cost",
    N_ ("Years over which the purchase is spread evenly. By default 4, an assumption.") },
  { "cost.power_w", "formula-cost",
    N_ ("What a GPU at work draws, with its share of the node. By default its rated "
        "power, an upper bound.") },
  { "cost.pue", "formula-cost",
    N_ ("Power of the whole building over that of its computers. By default 1.56, the "
        "mean of a survey.") },
  { "cost.kwh_price", "formula-cost",
    N_ ("Of electricity. By default that of industry in the United States.") },
  { "cost.grid_kg_co2_per_kwh", "formula-cost",
    N_ ("Of your grid. By default the mean of the world.") },
  { "cost.overhead_share", "formula-cost",
    N_ ("Staff, network and buildings, as a share of hardware and electricity. By default "
        "0.2, an assumption.") },
  { "cost.mtbf_gpu_hours", "formula-goodput",
    N_ ("Hours between interruptions of one GPU; a job of N GPUs meets them N times as "
        "often.") },
  { "cost.storage_gb_s", "formula-goodput",
    N_ ("Rate at which checkpoints are written, of the whole job. By default in "
        "proportion to the GPUs.") },
  { "cost.restart_s", "formula-goodput",
    N_ ("From an interruption until the job trains again, without the work that is lost.") },
};

static gsize
find (const ShardwiseKey *key)
{
  for (gsize i = 0; i < G_N_ELEMENTS (table); i++)
    if (g_str_equal (table[i].path, key->path))
      return i;
  g_error ("No help for the key “%s”", key->path); /* a test walks all keys */
}

/**
 * shardwise_key_get_help:
 *
 * Returns: (transfer none): what @key means, translated
 */
const char *
shardwise_key_get_help (const ShardwiseKey *key)
{
  g_return_val_if_fail (key != NULL, NULL);

  return _ (table[find (key)].text);
}

/**
 * shardwise_key_get_topic:
 *
 * Returns: (transfer none): the page of the manual about @key, or a section of one
 */
const char *
shardwise_key_get_topic (const ShardwiseKey *key)
{
  g_return_val_if_fail (key != NULL, NULL);

  return table[find (key)].topic;
}

/**
 * shardwise_key_describe_help:
 * @usual: (nullable): its default here, as the user reads it
 *
 * Returns: (transfer full): what @key means, what it accepts and its default, a line each
 */
char *
shardwise_key_describe_help (const ShardwiseKey *key, const char *usual)
{
  g_autofree char *range = NULL;
  GString *text;

  g_return_val_if_fail (key != NULL, NULL);

  text = g_string_new (shardwise_key_get_help (key));
  if (key->kind == SHARDWISE_KEY_INTEGER || key->kind == SHARDWISE_KEY_NUMBER
      || key->kind == SHARDWISE_KEY_DATE || key->kind == SHARDWISE_KEY_CURRENCY)
    {
      range = shardwise_key_describe_range (key);
      g_string_append_c (text, '\n');
      /* Translators: what an input accepts: "Accepted: 1 to 131,072 GPUs" */
      g_string_append_printf (text, _ ("Accepted: %s"), range);
    }
  if (usual != NULL && *usual != '\0')
    {
      g_string_append_c (text, '\n');
      /* Translators: the value of an input that was not set */
      g_string_append_printf (text, _ ("Default here: %s"), usual);
    }
  return g_string_free (text, FALSE);
}
