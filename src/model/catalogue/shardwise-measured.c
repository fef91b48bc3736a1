/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measured training runs as questions to the engine: recipes, defaults for missing columns, which
 * rows can be predicted, and the columns of data/catalogue/measured_runs.csv. */
#include "shardwise-measured.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-catalogue.h"
#include "shardwise-csv.h"
#include "shardwise-key.h"
#include "sw-framework.h"
#include "sw-problem.h"

/* How recipes of measured jobs differ from their framework's software profile: taken from their
 * sources, by framework and date, never by run. */

/* The software profile nearest to the software of a job, by the start of its name in lower case,
 * and the features in which the job differs from it. InternEvo is a Megatron of its time with
 * PyTorch's own kernels; JAX compiles and overlaps like FSDP2, and uses cuDNN's attention;
 * AutoModel uses Transformer Engine's layers; Hugging Face or DeepSpeed jobs with Megatron's layers
 * have its fused kernels. */
static const struct {
  const char *prefix;
  SwFramework framework;
  guint with, without;
} frameworks[] = {
  { "megatron-lm 202", SW_FRAMEWORK_MEGATRON_2021 },
  { "megatron-lm (202", SW_FRAMEWORK_MEGATRON_2021 },
  { "megatron-lm v2", SW_FRAMEWORK_MEGATRON_2021 },
  { "oneflow", SW_FRAMEWORK_MEGATRON_2021 },
  { "megatron-deepspeed", SW_FRAMEWORK_DEEPSPEED, SW_HAS (FUSED_KERNELS), 0 },
  { "deepspeed+megatron", SW_FRAMEWORK_DEEPSPEED, SW_HAS (FUSED_KERNELS), 0 },
  { "atorch deepspeed", SW_FRAMEWORK_DEEPSPEED, SW_HAS (FUSED_KERNELS), 0 },
  { "deepspeed", SW_FRAMEWORK_DEEPSPEED },
  { "bmtrain", SW_FRAMEWORK_DEEPSPEED, SW_HAS (FUSED_KERNELS) | SW_HAS (DP_OVERLAP), 0 },
  { "hf trainer + deepspeed", SW_FRAMEWORK_DEEPSPEED },
  { "xtuner", SW_FRAMEWORK_DEEPSPEED },
  { "nemo automodel", SW_FRAMEWORK_FSDP2, SW_HAS (FUSED_KERNELS) | SW_HAS (FLASH_3),
    SW_HAS (COMPILE) },
  { "torchtitan", SW_FRAMEWORK_FSDP2 },
  { "nnscaler", SW_FRAMEWORK_FSDP2 },
  { "maxtext", SW_FRAMEWORK_FSDP2, SW_HAS (COMPILE) | SW_HAS (FLASH_3) | SW_HAS (ASYNC_TP), 0 },
  { "paxml", SW_FRAMEWORK_FSDP2, SW_HAS (COMPILE) | SW_HAS (FLASH_3) | SW_HAS (ASYNC_TP), 0 },
  { "fms", SW_FRAMEWORK_FSDP, SW_HAS (COMPILE), 0 },
  { "llm-foundry", SW_FRAMEWORK_FSDP, SW_HAS (FUSED_CROSS_ENTROPY), 0 },
  { "lit", SW_FRAMEWORK_FSDP },
  { "hf ", SW_FRAMEWORK_HF_TRAINER },
  { "pytorch", SW_FRAMEWORK_FSDP },
  { "atorch", SW_FRAMEWORK_FSDP },
  { "nanotron", SW_FRAMEWORK_NANOTRON },
  { "internevo", SW_FRAMEWORK_MEGATRON_CORE, 0, SW_HAS (FUSED_KERNELS) | SW_HAS (ASYNC_TP) },
};

/* What the name of the framework and the notes of a row say of the software, in words. The fused
 * operations and kernels of fms-acceleration are the loss, RMSNorm and rotary embedding of Unsloth;
 * with Liger the loss is its fused linear cross-entropy (plugins/fused-ops-and-kernels/README.md). */
static const struct {
  const char *words;
  SwFeature feature;
} noted[] = {
  { "LAUNCH_BLOCKING", SW_FEATURE_BLOCKING_LAUNCHES },
  { "blocking kernel launches", SW_FEATURE_BLOCKING_LAUNCHES },
  { "asynctp", SW_FEATURE_ASYNC_TP },
  { "async tp", SW_FEATURE_ASYNC_TP },
  { "asynchronous tp", SW_FEATURE_ASYNC_TP },
  { "ep overlap", SW_FEATURE_MOE_OVERLAP },
  { "router/preprocess cg", SW_FEATURE_CUDA_GRAPHS },
  { "partial cg", SW_FEATURE_CUDA_GRAPHS },
  { "full cg", SW_FEATURE_CUDA_GRAPHS },
  { "foak", SW_FEATURE_FUSED_KERNELS },
  { "foak", SW_FEATURE_FUSED_CROSS_ENTROPY },
  { "sdpa, unsloth", SW_FEATURE_FUSED_CROSS_ENTROPY },
  { "liger", SW_FEATURE_CHUNKED_CROSS_ENTROPY },
  { "liger kernels", SW_FEATURE_FUSED_KERNELS },
};

/* Sets the states, their update and the fine-tuning of a recipe of @framework, as tables of
 * measured runs spell it; the model, the kind of training and the date are known. */
static void
read_recipe (const char *framework, SwProblem *problem)
{
  SwTraining *training = &problem->training;
  gboolean bridge = g_str_has_prefix (framework, "Megatron-Bridge");
  gboolean nemo = g_str_has_prefix (framework, "NeMo");
  gboolean auto_model = g_str_has_prefix (framework, "NeMo AutoModel");
  gboolean intern_evo = g_str_has_prefix (framework, "InternEvo");
  gboolean packs = bridge || (nemo && !auto_model);

  /* The recipes of NeMo and Megatron-Bridge accumulate and reduce gradients in bf16 (bf16_mixed:
   * grad_reduce_in_fp32 False), and so do InternEvo and the scripts of Megatron-LM's published runs
   * (examples/llama: --grad-reduce-in-bf16); Megatron-LM without options uses fp32. 0: the
   * profile's. */
  if (training->gradient_bytes <= 0)
    training->gradient_bytes =
        nemo || bridge || intern_evo || g_str_equal (framework, "Megatron-LM") ? 2 : 0;
  /* What a fine-tuning recipe adapts, and its data. Those of NeMo and Megatron-Bridge only adapt
   * the attention's input projection (peft.target_modules linear_qkv), for which attention is the
   * nearest, and pack the questions of SQuAD into sequences (packed_sequence_size): paragraphs of
   * about 120 words with a question of ten and an answer (Rajpurkar et al. 2016), some 180 tokens.
   * AutoModel adapts every linear layer and trains on mock data of full length. */
  if (training->lora_rank == 0)
    training->lora_rank = (guint) shardwise_defaults_get ("training.lora.rank");
  training->lora_all_linear = training->lora_all_linear && !packs;
  if (packs && training->type != SW_TRAINING_PRETRAIN)
    training->mean_document = 180;
  if (bridge)
    {
      /* Megatron-Bridge's recipes of dense models keep no transposed FP8 weights
       * (disable_parameter_transpose_cache). It trains models with latent attention with bf16
       * moments and the lower half of fp32 master weights (recipes of DeepSeek and Moonlight:
       * use_precision_aware_optimizer, store_param_remainders), which Transformer Engine's Adam
       * converted to fp32 for the step until this was fused (February 2026; its containers some
       * months later). */
      training->weights_once = problem->model.moe.experts == 0;
      if (problem->model.mla.kv_lora_rank > 0 && !sw_training_is_adapter (training))
        {
          training->master_bytes = training->moment_bytes = 2;
          training->step_bytes = 4 + 4;
        }
    }
  else if (auto_model)
    {
      /* AutoModel's benchmarks train bf16 parameters with PyTorch's Adam, so its moments are
       * bf16. */
      training->no_master = TRUE;
    }
  else if (nemo && training->software_year < problem->calibration->since.nemo_2)
    /* NeMo before its second version ran Apex's distributed Adam, with fp32 moments and the lower
     * half of master weights (megatron_base_model.py: store_param_remainders). */
    training->master_bytes = 2;
  else if (intern_evo)
    {
      /* InternEvo runs PyTorch's AdamW on fp32 copies of the gradients: 4 bytes of gradients and
       * twice 4 of denominators. Its own ZeRO has released 4 of fp32 copies for the norm and 2 of
       * flattened gradients by then (hybrid_zero_optim.py; utils.py, reduce_grads); under FSDP the
       * blocks are of one size and serve again. */
      training->step_bytes = 4 + 4 + 4;
      training->step_released_bytes = 4 + 2;
    }
}

/* Scripts with dropout in their adapters (fsdp_qlora's train.py: lora_dropout 0.1; Qwen's
 * finetune.py and litgpt's configurations: 0.05), by the start of the framework's name. */
static const char *const dropping_out[] = { "PyTorch FSDP1 + bitsandbytes",
                                            "HF Trainer + DeepSpeed + PEFT", "LitGPT (Fabric)" };

/* Models without logits.float(): Qwen's own code (modeling_qwen.py), llm-foundry's MPT
 * (models/mpt/modeling_mpt.py) and litgpt's (model.py). */
static const char *const own_loss[] = { "HF Trainer + DeepSpeed + PEFT", "llm-foundry", "LitGPT" };

/* The releases of PyTorch mentioned in notes, by year; builds of a development branch are some
 * months older. */
static const struct {
  const char *words;
  double year;
} releases[] = {
  { "PyTorch 2.8", 2025.6 },
  { "PyTorch 2.9", 2025.65 },
  { "PyTorch 2.10", 2025.9 },
};

/* Which rows of measured runs the engine can predict. */

/* A value that is not a number is reported when the row is read. */
static double
ratio_of (const ShardwiseCsv *csv, guint row, const char *column, double fallback)
{
  double value = fallback;

  shardwise_csv_number (csv, row, column, &value, NULL);
  return value;
}

/* Returns: (transfer full) (nullable): why the row cannot be predicted: numbers outside the range
 * of the corresponding scenario key. Empty fields are ignored; values that must not be 0 are
 * checked after the whole row is read. */
static char *
check_row (const ShardwiseCsv *csv, guint row)
{
  static const struct {
    const char *column;
    ShardwiseKeyId key;
  } keys[] = {
    { "layers", SHARDWISE_KEY_MODEL_LAYERS },
    { "hidden", SHARDWISE_KEY_MODEL_HIDDEN_SIZE },
    { "ffn_hidden", SHARDWISE_KEY_MODEL_INTERMEDIATE_SIZE },
    { "heads", SHARDWISE_KEY_MODEL_ATTENTION_HEADS },
    { "kv_heads", SHARDWISE_KEY_MODEL_KV_HEADS },
    { "head_dim", SHARDWISE_KEY_MODEL_HEAD_DIM },
    { "vocab", SHARDWISE_KEY_MODEL_VOCAB_SIZE },
    { "moe_experts", SHARDWISE_KEY_MODEL_MOE_EXPERTS },
    { "moe_topk", SHARDWISE_KEY_MODEL_MOE_TOP_K },
    { "moe_ffn_hidden", SHARDWISE_KEY_MODEL_MOE_INTERMEDIATE_SIZE },
    { "moe_shared_ffn", SHARDWISE_KEY_MODEL_MOE_SHARED_INTERMEDIATE_SIZE },
    { "moe_dense_layers", SHARDWISE_KEY_MODEL_MOE_FIRST_DENSE_LAYERS },
    { "gpus", SHARDWISE_KEY_CLUSTER_GPUS },
    { "gpus_per_node", SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE },
    { "nvlink_domain", SHARDWISE_KEY_CLUSTER_NVLINK_DOMAIN },
    { "intra_gb_s", SHARDWISE_KEY_CLUSTER_INTRA_NODE_GB_S },
    { "inter_gb_s_per_gpu", SHARDWISE_KEY_CLUSTER_INTER_NODE_GB_S },
    { "seq_len", SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH },
    { "global_batch", SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE },
    { "micro_batch", SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE },
    { "tp", SHARDWISE_KEY_STRATEGY_TP },
    { "etp", SHARDWISE_KEY_STRATEGY_ETP },
    { "pp", SHARDWISE_KEY_STRATEGY_PP },
    { "vpp", SHARDWISE_KEY_STRATEGY_VPP },
    { "cp", SHARDWISE_KEY_STRATEGY_CP },
    { "ep", SHARDWISE_KEY_STRATEGY_EP },
    { "dp", SHARDWISE_KEY_STRATEGY_DP },
  };

  double pp = MAX (ratio_of (csv, row, "pp", 1), 1), tp = MAX (ratio_of (csv, row, "tp", 1), 1);
  double dense = tp * pp * MAX (ratio_of (csv, row, "cp", 1), 1)
                 * MAX (ratio_of (csv, row, "dp", 1), 1);
  double sparse = MAX (ratio_of (csv, row, "etp", tp), 1) * pp
                  * MAX (ratio_of (csv, row, "ep", 1), 1);

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      const ShardwiseKey *key = shardwise_key_get (keys[i].key);
      gboolean is_rate = key->kind == SHARDWISE_KIND_NUMBER; /* a count may be 0: none */
      double value = ratio_of (csv, row, keys[i].column, key->maximum);
      g_autofree char *range = NULL;

      if (value <= key->maximum && (!is_rate || value >= key->minimum))
        continue;
      range = shardwise_key_describe_range (key);
      /* Translators: a column of a table, then the range of numbers that it accepts */
      return g_strdup_printf (_ ("%s is out of range; allowed: %s"), keys[i].column, range);
    }
  /* Each way to count the ranks of a split must give a number of GPUs. */
  if (MAX (dense, sparse) > shardwise_key_get (SHARDWISE_KEY_CLUSTER_GPUS)->maximum)
    return g_strdup (_ ("the split needs more GPUs than any cluster has"));
  return NULL;
}

/* Measured training runs as questions to the engine. The columns are those of
 * data/catalogue/measured_runs.csv. Values that a source does not state are filled in the same way
 * for all rows, never from the measurements. */

#define BUILTIN_PATH "/io/github/shardwise/Shardwise/catalogue/measured_runs.csv"

/* One row while it is read: the first invalid number stops it. */
typedef struct {
  const ShardwiseCsv *csv;
  guint row;
  GError *error;
} Row;

static const char *
text (const Row *row, const char *column)
{
  return shardwise_csv_text (row->csv, row->row, column);
}

static double
number (Row *row, const char *column, double fallback)
{
  double value = fallback;

  if (row->error == NULL)
    shardwise_csv_number (row->csv, row->row, column, &value, &row->error);
  return value;
}

static guint
count (Row *row, const char *column, guint fallback)
{
  double value = number (row, column, fallback);

  if (row->error == NULL && (value != floor (value) || value > G_MAXINT))
    row->error = shardwise_error_new (SHARDWISE_ERROR_TYPE, column,
                                      _ ("line %u: %g is not valid; allowed: a whole number"),
                                      shardwise_csv_line (row->csv, row->row), value);
  return row->error == NULL ? (guint) value : fallback;
}

static void
read_model (Row *row, SwModelSpec *model)
{
  const char *attention = text (row, "attention"), *notes, *tied;
  SwMoe *moe = &model->moe;
  guint dense;
  gboolean old, biased;

  g_strlcpy (model->name, text (row, "model_name"), sizeof model->name);
  model->kind = SW_MODEL_DECODER;
  model->layers = count (row, "layers", 0);
  model->hidden_size = count (row, "hidden", 0);
  model->intermediate_size = count (row, "ffn_hidden", 4 * model->hidden_size);
  model->attention_heads = count (row, "heads", 0);
  model->kv_heads = count (row, "kv_heads", model->attention_heads);
  model->head_dim = count (row, "head_dim",
                           model->attention_heads > 0 ? model->hidden_size / model->attention_heads
                                                      : 0);
  model->vocab_size = count (row, "vocab", 50304);
  model->gated_mlp = count (row, "gated_mlp", 1) != 0;
  model->max_position_embeddings = count (row, "seq_len", 0);
  dense = count (row, "moe_dense_layers", 0);
  moe->experts = count (row, "moe_experts", 0);
  if (moe->experts > 0)
    {
      moe->top_k = MAX (count (row, "moe_topk", 1), 1);
      moe->intermediate_size = count (row, "moe_ffn_hidden", model->intermediate_size);
      moe->shared_intermediate_size = count (row, "moe_shared_ffn", 0);
      moe->layer_frequency = 1;
      if (dense * 2 == model->layers) /* every second layer, as in Llama 4 Maverick */
        moe->layer_frequency = 2;
      else
        moe->first_dense_layers = dense;
    }

  shardwise_catalogue_complete_routing (shardwise_catalogue_get (), model);
  /* The table has no columns for latent attention: its models with it are of the DeepSeek family,
   * whose small models do not compress queries (DeepSeek-V3, section 4.2; Moonlight's
   * configuration). */
  if (g_str_equal (attention, "mla"))
    model->mla = (SwMla){ .kv_lora_rank = 512,
                          .q_lora_rank = model->hidden_size >= 4096 ? 1536 : 0,
                          .qk_nope_head_dim = 128,
                          .qk_rope_head_dim = 64,
                          .v_head_dim = 128 };

  if (g_str_has_prefix (attention, "swa"))
    {
      model->sliding_window = (guint) g_ascii_strtoull (attention + 3, NULL, 10);
      model->window_pattern = strstr (attention, "alternating") != NULL ? SW_WINDOW_EVERY_SECOND
                                                                        : SW_WINDOW_ALL;
    }
  /* Old models (plain MLP) have biases, layer norms with them, learned positions and tied
   * embeddings; those with a gated MLP follow Llama. The table has no column for biases: mixtures
   * of experts with alternating windows are of the GPT-OSS family, which has them everywhere. */
  notes = text (row, "notes");
  tied = strstr (notes, "tied embedding");
  old = !model->gated_mlp;
  biased = model->moe.experts > 0 && model->window_pattern == SW_WINDOW_EVERY_SECOND;
  model->qkv_bias = model->attn_out_bias = model->mlp_bias = old || biased;
  model->norm = old ? SW_NORM_LAYERNORM : SW_NORM_RMSNORM;
  model->position = old ? SW_POSITION_LEARNED : SW_POSITION_ROPE;
  model->tied_embeddings =
      old
      || (tied != NULL && (tied == notes || !g_ascii_isalpha (tied[-1]))); /* and not "untied" */
  model->norms_per_layer = 2;
}

/* Bytes per second of a network that a row describes in words, "8x200G HDR IB", "400G RDMA per
 * GPU", "InfiniBand 100 Gb/s": number of cards and gigabits per card, of a node unless stated
 * otherwise; without figures, the GPU's usual network. */
static void
read_network_words (const char *words, SwLink *link)
{
  const char *at = strpbrk (words, "0123456789");
  double cards = 1, gigabits;
  char *end;

  if (at == NULL)
    return;
  gigabits = g_ascii_strtod (at, &end);
  if (*end == 'x')
    {
      cards = gigabits;
      gigabits = g_ascii_strtod (end + 1, &end);
    }
  while (*end == ' ')
    end++;
  if (*end != 'G' || gigabits <= 0)
    return;
  link->bytes_per_s = cards * gigabits * 1e9 / 8;
  link->shared_by_node = strstr (words, "per GPU") == NULL;
}

/* Returns: (transfer full) (nullable): why the row cannot be predicted. */
static char *
read_cluster (Row *row, SwCluster *cluster)
{
  static const char *const ids[][2] = {
    { "A100-40", "a100-40-sxm" },
    { "A100-80", "a100-80-sxm" },
    { "A800-80", "a800-80-sxm" },
    { "H100-80", "h100-80-sxm" },
    { "H100-96(HBM2e,500W)", "h100-96-500w" },
    { "H200", "h200-141-sxm" },
    { "H800", "h800-80-sxm" },
    { "B200", "b200-180-sxm" },
    { "B300", "b300-288-sxm" },
    { "GB200", "gb200-nvl72" },
    { "GB300", "gb300-nvl72" },
    { "V100-32", "v100-32-sxm" },
    { "A5000", "rtx-a5000" },
    { "RTX6000Ada", "rtx-6000-ada" },
  };
  const ShardwiseCatalogue *catalogue = shardwise_catalogue_get ();
  const char *id = text (row, "gpu");
  const SwGpu *gpu;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    if (g_str_equal (ids[i][0], text (row, "gpu")))
      id = ids[i][1];
  /* Meta's H100s, which the notes consider likely. */
  if (g_str_equal (id, "h100-80-sxm") && strstr (text (row, "notes"), "96 GB/500 W") != NULL)
    id = "h100-96-500w";
  gpu = shardwise_catalogue_find_gpu (catalogue, id);
  if (gpu == NULL)
    return g_strdup_printf (_ ("the GPU “%s” is not in the catalog"), text (row, "gpu"));
  cluster->gpu = *gpu;
  /* Cards that notes call power-limited without a figure: three quarters of the watts, as for
   * torchao's B200 (750 of 1000 W). */
  if (strstr (text (row, "notes"), "POWER-LIMITED") != NULL)
    cluster->gpu.tdp_w *= 0.75;
  cluster->gpus = count (row, "gpus", 0);
  cluster->gpus_per_node =
      MAX (count (row, "gpus_per_node", shardwise_defaults_get ("cluster.gpus_per_node")), 1);
  cluster->nvlink_domain = MAX (count (row, "nvlink_domain", cluster->gpus_per_node), 1);
  cluster->oversubscription = 1;
  cluster->host_ram_bytes = 2e12;
  cluster->usable_bytes = gpu->usable_bytes;
  if (!shardwise_catalogue_find_link (catalogue, NULL, &cluster->gpu, FALSE, &cluster->intra,
                                      &error)
      || !shardwise_catalogue_find_rdma (catalogue, &cluster->gpu, &cluster->inter, &error))
    return g_strdup (error->message);
  /* "NVLink3 (4 links)" joins two GPUs: a GPU in a group of four has as many links to each of the
   * others, and collectives use all of them, which gives the GPU's nominal rate. */
  if (!g_str_has_suffix (text (row, "intra_node"), " links)"))
    cluster->intra.bytes_per_s = number (row, "intra_gb_s", cluster->intra.bytes_per_s / SW_GB)
                                 * SW_GB;
  /* Two cards on a desktop board without a stated rate: eight lanes of PCIe 3 each. */
  if (strstr (text (row, "notes"), "slow PCIe lanes") != NULL)
    cluster->intra.bytes_per_s = 7.9 * SW_GB;
  if (*text (row, "inter_gb_s_per_gpu") != '\0')
    {
      cluster->inter.bytes_per_s = number (row, "inter_gb_s_per_gpu", 0) * SW_GB;
      cluster->inter.shared_by_node = FALSE;
    }
  else
    read_network_words (text (row, "inter_node"), &cluster->inter);
  return NULL;
}

/* InternEvo's recipes shard optimizer states within a node (parallel.zero1.size = 8), unless a row
 * states all replicas. */
static gboolean
shares_within_node (const Row *row)
{
  return g_str_equal (text (row, "framework"), "InternEvo")
         && strstr (text (row, "notes"), "all DP ranks") == NULL;
}

/* Sets the profile that ran a job and the features that a row states in @training. */
static void
read_software (const Row *row, SwTraining *training)
{
  g_autofree char *name = g_ascii_strdown (text (row, "framework"), -1);
  g_autofree char *notes = g_ascii_strdown (text (row, "notes"), -1);
  const char *compile = text (row, "compile");

  training->framework = SW_FRAMEWORK_MEGATRON_CORE;
  for (guint i = 0; i < G_N_ELEMENTS (frameworks); i++)
    if (g_str_has_prefix (name, frameworks[i].prefix))
      {
        training->framework = frameworks[i].framework;
        training->software.stated = frameworks[i].with | frameworks[i].without;
        training->software.on = frameworks[i].with;
        break;
      }
  /* Qwen's finetune_lora_single_gpu.sh runs the trainer without DeepSpeed, its others with it. */
  if (g_str_has_prefix (name, "hf trainer + deepspeed + peft")
      && g_str_equal (text (row, "task"), "lora") && g_str_equal (text (row, "zero"), "0"))
    training->framework = SW_FRAMEWORK_HF_TRAINER;
  /* The dispatcher that moves tokens to their experts, if a row states it. */
  if (strstr (notes, "deepep") != NULL || strstr (notes, "hybridep") != NULL)
    sw_software_state_forwarding (&training->software, TRUE);
  else if (strstr (notes, "a2a dispatcher") != NULL
           || strstr (notes, "alltoall dispatcher") != NULL)
    sw_software_state_forwarding (&training->software, FALSE);
  /* InternEvo reduces gradients in buckets beside the backward pass (overlap_sync_grad) and has each
   * rank broadcast the parameters that it keeps, whole tensors, once all have stepped
   * (hybrid_zero_optim.py: broadcast_params; overlap_sync_param is off): next to nothing within a node,
   * but over all replicas nothing hides it. */
  if (g_str_equal (name, "internevo"))
    sw_software_state (&training->software, SW_FEATURE_FLAT_BUFFERS, shares_within_node (row));
  /* Rows of Megatron-LM and torchtitan state the features they enable. */
  if (g_str_equal (name, "megatron-lm"))
    sw_software_state (&training->software, SW_FEATURE_MOE_OVERLAP, FALSE);
  if (g_str_equal (name, "torchtitan"))
    sw_software_state (&training->software, SW_FEATURE_COMPILE, strstr (notes, "compile") != NULL);
  if (*compile != '\0')
    sw_software_state (&training->software, SW_FEATURE_COMPILE, g_str_equal (compile, "1"));
  for (guint i = 0; i < G_N_ELEMENTS (noted); i++)
    {
      g_autofree char *words = g_ascii_strdown (noted[i].words, -1);
      g_autofree char *none = g_strconcat ("no ", words, NULL);

      if ((strstr (notes, words) != NULL || strstr (name, words) != NULL)
          && strstr (notes, none) == NULL)
        sw_software_state (&training->software, noted[i].feature, TRUE);
    }
  /* ms-swift fuses the loss where a script says so (megatron_args.py: cross_entropy_loss_fusion,
   * false until January 2026), which its examples came to do in August 2025; those that call the
   * optimizer of bf16 moments are newer. */
  if (g_str_has_prefix (name, "megatron-swift") && training->software_year < 2025.65
      && strstr (text (row, "optimizer"), "bf16 moments") == NULL)
    sw_software_state (&training->software, SW_FEATURE_FUSED_CROSS_ENTROPY, FALSE);
}

/* Year of the software: "2025-02" as a fraction, or the year of a release or feature mentioned in
 * the notes if that is later; 0 if no date is stated. */
static double
read_year (Row *row)
{
  const char *date = text (row, "software_date");
  double year = 0;

  if (strlen (date) >= 7)
    year = (double) g_ascii_strtoull (date, NULL, 10)
           + (double) g_ascii_strtoull (date + 5, NULL, 10) / 12.0;
  /* TorchTitan added expert parallelism in July 2025
   * (torchtitan/distributed/expert_parallel.py). */
  if (year > 0 && g_str_has_prefix (text (row, "framework"), "torchtitan")
      && count (row, "ep", 1) > 1)
    year = MAX (year, 2025 + 7 / 12.0);
  for (guint i = 0; i < G_N_ELEMENTS (releases) && year > 0; i++)
    if (strstr (text (row, "notes"), releases[i].words) != NULL)
      year = MAX (year, releases[i].year);
  return year;
}

/* The precision of states, and the frozen parts. */
static void
read_states (Row *row, SwTraining *training)
{
  const char *states = text (row, "states"), *optimizer = text (row, "optimizer");
  const char *notes = text (row, "notes"), *framework = text (row, "framework");
  gboolean is_adapter = sw_training_is_adapter (training);
  gboolean mixed = g_str_equal (states, "mixed"), plain;

  if (strstr (optimizer, "bf16 moments") != NULL)
    training->moment_bytes = 2;
  /* Hugging Face's trainer casts a model to fp32 only where FSDP wraps it (accelerate,
   * Accelerator.prepare_model: "upcast of low precision parameters"): on one GPU the states have the
   * type in which the model was loaded. */
  if (mixed && count (row, "gpus", 1) == 1 && g_str_has_prefix (framework, "HF SFTTrainer"))
    mixed = FALSE;
  training->autocast = strstr (notes, "AMP (fp32 master") != NULL;
  /* PEFT's prepare_model_for_kbit_training casts embeddings and norms to fp32, but where FSDP wraps
   * the model (trl, SFTTrainer). */
  training->residual_fp32 = strstr (framework, "baseline-peft-bnb") != NULL
                            && count (row, "gpus", 1) == 1;
  training->layout_is_given = training->states_stated = TRUE;
  /* fsdp_qlora's train.py: "ddp" is ShardingStrategy.NO_SHARD. */
  training->wraps_replicas = g_str_has_prefix (framework, "PyTorch FSDP1 + bitsandbytes");
  /* "log every accumulation boundary" */
  training->accumulates = strstr (notes, "accumulation boundary") != NULL;
  /* Lightning Fabric's no_backward_sync is FSDP's no_sync. */
  if (g_str_has_prefix (framework, "LitGPT (Fabric)"))
    sw_software_state (&training->software, SW_FEATURE_UNSHARDED_ACCUMULATION, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (own_loss); i++)
    if (g_str_has_prefix (framework, own_loss[i]))
      sw_software_state (&training->software, SW_FEATURE_LOSS_UPCAST, FALSE);
  /* litgpt repeats keys and values for every query head (model.py), and Thunder's replicas reduce
   * gradients bucket by bucket without keeping the buckets (thunder/distributed). */
  training->repeats_keys = g_str_has_prefix (framework, "LitGPT");
  training->views_buckets = strstr (framework, "Thunder") != NULL
                            && strstr (notes, "; Thunder [") != NULL;
  training->single_scales = strstr (notes, "quantize=bnb.nf4") != NULL
                            && strstr (notes, "nf4-dq") == NULL;
  /* Hugging Face's trainer checkpoints re-entrantly, others say so. */
  if (strstr (notes, "re-entrant") != NULL)
    sw_software_state (&training->software, SW_FEATURE_REENTRANT_CHECKPOINTING, TRUE);
  /* fms-acceleration takes Unsloth's loss, norms, rotation and adapters, not its activation.
   * Lightning Thunder runs again within a fusion of nvFuser alone. */
  training->gating_apart = strstr (framework, "-foak") != NULL
                           || strstr (framework, "foak-fast") != NULL
                           || strstr (notes, "nvfuser") != NULL;
  if (is_adapter)
    {
      if (mixed)
        training->base = SW_BASE_FP32;
      else if (count (row, "base_bits", 0) == 4 && strstr (notes, "GPTQ") != NULL)
        training->base = SW_BASE_INT4;
      else if (count (row, "base_bits", 0) == 8)
        training->base = SW_BASE_FP8;
      /* Adapters have the type of a bf16 base in programs that know no other, and in PEFT before 0.12
       * (July 2024: autocast_adapter_dtype). */
      plain = sw_engine (training->framework) == SW_FRAMEWORK_FSDP;
      training->no_master = plain
                            && (!g_str_has_prefix (framework, "HF")
                                    ? !training->autocast
                                    : training->software_year < 2024 + 7 / 12.0);
      training->lora_vocabulary = strstr (notes, "embedding and lm_head trained too") != NULL;
      /* fms-acceleration's fused adapters are those of a 4-bit base (plugins/fused-ops-and-kernels,
       * fast_quantized_peft). Qwen's trainer unpacks GPTQ without ExLlama's kernels (finetune.py:
       * GPTQConfig, disable_exllama). */
      sw_software_state (&training->software, SW_FEATURE_FUSED_ADAPTERS,
                         count (row, "base_bits", 0) != 0);
      training->unpacks_eagerly = training->base == SW_BASE_INT4
                                  && g_str_has_prefix (framework, "HF Trainer + DeepSpeed");
      for (guint i = 0; i < G_N_ELEMENTS (dropping_out); i++)
        if (g_str_has_prefix (framework, dropping_out[i]))
          training->lora_dropout = TRUE;
    }
  else if (!mixed && *states != '\0')
    {
      training->no_master = TRUE;
      training->gradient_bytes = 2;
    }
}

static char *
read_training (Row *row, SwTraining *training)
{
  static const char *const mlp[] = { "gate", "up", "down", "mlp", "w1", "w2", "all" };
  const char *task = text (row, "task"), *targets = text (row, "lora_targets");
  const char *offload = text (row, "offload");
  const char *end = strstr (offload, " layers"), *start = end;
  int precision = sw_name_index (sw_precision_names, text (row, "precision"));

  if (precision < 0)
    return g_strdup_printf (_ ("the precision “%s” is unknown"), text (row, "precision"));
  training->type = g_str_equal (task, "sft") ? SW_TRAINING_FINETUNE
                                             : MAX (sw_name_index (sw_training_type_names, task),
                                                    (int) SW_TRAINING_PRETRAIN);
  training->precision = precision;
  training->sequence_length = count (row, "seq_len", 0);
  training->global_batch = count (row, "global_batch", 0);
  training->optimizer = SW_OPTIMIZER_ADAMW;
  training->software_year = read_year (row);
  read_software (row, training);
  /* Before flash kernels came to Megatron-LM there was nothing else. Gemma 2 caps its attention's
   * scores, which no flash kernel of litgpt does (model.py: attention_logit_softcapping). */
  training->attention = g_str_equal (text (row, "kernel"), "unfused")
                                || strstr (text (row, "notes"), "without FlashAttention") != NULL
                                || (g_str_has_prefix (text (row, "framework"), "LitGPT")
                                    && g_str_has_prefix (text (row, "model_name"), "Gemma-2-"))
                                || (training->framework == SW_FRAMEWORK_MEGATRON_2021
                                    && !g_str_equal (text (row, "kernel"), "flash"))
                            ? SW_ATTENTION_UNFUSED
                            : SW_ATTENTION_FLASH;
  /* Row-wise scaling of FP8 is described in words. */
  if (training->precision == SW_PRECISION_FP8 && strstr (text (row, "notes"), "rowwise") != NULL)
    training->precision = SW_PRECISION_FP8_ROWWISE;
  training->overlap = g_str_equal (text (row, "overlap"), "none") ? SW_OVERLAP_NONE
                                                                  : SW_OVERLAP_AUTO;
  training->memory_target = 1.0;
  /* "cpu activation offload 20 layers": 20; 0 if no number of layers is given. */
  while (start > offload && g_ascii_isdigit (start[-1]))
    start--;
  training->offload_layers = end != NULL && start < end ? (guint) g_ascii_strtoull (start, NULL, 10)
                                                        : 0;

  read_states (row, training);
  /* Only attention has adapters if no MLP matrix is mentioned. */
  training->lora_rank = count (row, "lora_rank", 0);
  training->lora_all_linear = *targets == '\0';
  for (guint i = 0; i < G_N_ELEMENTS (mlp); i++)
    if (strstr (targets, mlp[i]) != NULL)
      training->lora_all_linear = TRUE;
  return NULL;
}

/* Usual settings of runs for columns that the table omits. */
static void
fill_usual (const Row *row, const SwProblem *problem, SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;
  const SwTraining *training = &problem->training;
  gboolean is_core = s->framework == SW_FRAMEWORK_MEGATRON_CORE;

  /* Mixtures of experts, in Megatron-Core's recipes of mid-2025 on: "selective" without names is
   * the norms and the experts' activation functions, which is what the sources that do name modules
   * name. NeMo's of DeepSeek before ran again the whole MLPs and experts (its recommended
   * configurations: mla_up_proj, mlp, moe). */
  if (s->recompute == SW_RECOMPUTE_SELECTIVE && s->recompute_modules == 0 && is_core
      && model->moe.experts > 0)
    {
      if (training->software_year >= problem->calibration->since.selective_norms)
        s->recompute_modules = SW_MODULE_LAYERNORM | SW_MODULE_MOE_ACT;
      else if (model->mla.kv_lora_rank > 0)
        s->recompute_modules = SW_MODULE_MLA_UP_PROJ | SW_MODULE_MLP | SW_MODULE_MOE;
    }
  /* The default micro-batch: one sequence in a pipeline, else about 8192 tokens; more for narrower
   * layers (with TP of four or more, TP / 2 times); a divisor of the sequences of a rank. */
  if (s->micro_batch == 0)
    {
      guint per_rank = MAX (training->global_batch / MAX (s->dp, 1), 1);
      guint tokens = 8192 * MAX (s->tp / 2, 1);
      guint wanted = s->pp > 1 ? 1 : MAX (tokens / MAX (training->sequence_length, 1), 1);

      wanted = MIN (wanted, per_rank);
      while (per_rank % wanted != 0)
        wanted--;
      s->micro_batch = wanted;
    }
  /* The default number of chunks per stage: Megatron-Core only overlaps its transfers if it
   * interleaves, and its tuned runs do so, with chunks of two layers or more if these divide, else
   * of one. torchtitan's interleaved schedules have two by default; its other schedules have
   * one. */
  if (*text (row, "vpp") == '\0')
    {
      guint layers = model->layers / s->pp, chunks = layers / 2;

      if (s->framework == SW_FRAMEWORK_FSDP2 && s->pp > 1)
        s->vpp = 2;
      else if (!is_core || s->pp < 2 || model->layers % s->pp != 0
               || sw_strategy_micro_batches (problem, s) % s->pp != 0)
        s->vpp = 1;
      else
        {
          while (chunks > 1 && layers % chunks != 0)
            chunks--;
          s->vpp = chunks > 1 ? chunks : layers;
        }
    }
}

/* Modules that are recomputed, "mlp+core_attn": of their column or, with @words, where that is empty,
 * of the first words of the notes that name two or more. */
static guint
read_modules (Row *row, gboolean words)
{
  const char *column = text (row, "recompute_modules");
  g_auto (GStrv) lists = g_strsplit_set (*column == '\0' && words ? text (row, "notes") : column,
                                         " ;,", -1);

  for (guint i = 0; lists[i] != NULL; i++)
    {
      g_auto (GStrv) names = g_strsplit_set (lists[i], "+/", -1);
      guint modules = 0, n = 0;
      int module = 0;

      for (; names[n] != NULL && module >= 0; n++)
        if ((module = sw_name_index (sw_recompute_module_names, names[n])) >= 0)
          modules |= 1u << module;
      if (module >= 0 && (n > 1 || *column != '\0'))
        return modules;
    }
  return 0;
}

static void
read_strategy (Row *row, const SwProblem *problem, ShardwiseRun *run)
{
  SwStrategy *s = &run->strategy;
  guint experts = problem->model.moe.experts, domain = problem->cluster.gpus_per_node, model_ranks;
  const char *zero = text (row, "zero"), *offload = text (row, "offload");
  int recompute = sw_name_index (sw_recompute_names, text (row, "recompute"));
  gboolean spread = experts > 0 && problem->cluster.gpus % domain == 0 && experts % domain == 0;

  sw_strategy_init_default (s);
  s->framework = problem->training.framework;
  s->tp = MAX (count (row, "tp", 1), 1);
  s->pp = MAX (count (row, "pp", 1), 1);
  s->vpp = MAX (count (row, "vpp", 1), 1);
  s->cp = MAX (count (row, "cp", 1), 1);
  /* Default expert parallelism: the experts are spread over the GPUs of a node; otherwise none of
   * these runs could gather them in the measured time. */
  s->ep = MAX (count (row, "ep", spread ? domain : 1), 1);
  s->etp = MAX (count (row, "etp", s->tp), 1);
  model_ranks = s->tp * s->pp * s->cp;
  s->dp = MAX (count (row, "dp", problem->cluster.gpus / model_ranks), 1);
  s->sequence_parallel = s->tp > 1
                         && count (row, "sp",
                                   s->framework == SW_FRAMEWORK_MEGATRON_CORE
                                       || s->framework == SW_FRAMEWORK_FSDP2
                                       /* scripts/scaling_benchmarks.py: tp_mode REDUCE_SCATTER */
                                       || s->framework == SW_FRAMEWORK_NANOTRON)
                                != 0;
  s->cp_method = s->framework == SW_FRAMEWORK_FSDP2 ? SW_CP_ALLGATHER : SW_CP_RING;
  s->offload = g_str_has_prefix (offload, "optimizer+params") ? SW_OFFLOAD_OPTIMIZER_PARAMS
               : g_str_has_prefix (offload, "optimizer")      ? SW_OFFLOAD_OPTIMIZER
               : strstr (offload, "activation") != NULL       ? SW_OFFLOAD_ACTIVATIONS
                                                              : SW_OFFLOAD_NONE;
  s->shard_group = s->dp;
  if (g_str_equal (zero, "fsdp") || g_str_equal (zero, "hsdp"))
    s->zero_stage = 3;
  else
    s->zero_stage = count (
        row, "zero",
        s->framework == SW_FRAMEWORK_MEGATRON_2021 || s->framework == SW_FRAMEWORK_DEEPSPEED ? 0
                                                                                             : 1);
  /* Qwen's finetune_ds.sh, for one GPU or many, runs stage 3. */
  if (g_str_has_prefix (text (row, "framework"), "HF Trainer + DeepSpeed + PEFT")
      && problem->training.type == SW_TRAINING_FINETUNE)
    s->zero_stage = 3;
  if (g_str_equal (zero, "hsdp") || (s->zero_stage == 1 && shares_within_node (row)))
    s->shard_group = MAX (MIN (problem->cluster.gpus_per_node / MAX (s->tp * s->cp, 1), s->dp), 1);
  /* Megatron-FSDP's guide has gradients reduced in 16 bits (--grad-reduce-in-bf16). */
  if (s->framework == SW_FRAMEWORK_MEGATRON_CORE && s->zero_stage >= 3)
    run->problem.training.gradient_bytes = 2;
  /* JAX programs rematerialise by a policy that keeps some products' outputs: operations in part.
   * */
  s->recompute = recompute >= 0
                     ? (SwRecompute) recompute
                     : (strstr (text (row, "framework"), "JAX") != NULL ? SW_RECOMPUTE_SELECTIVE
                                                                        : SW_RECOMPUTE_NONE);
  s->recompute_modules = read_modules (row, s->recompute == SW_RECOMPUTE_SELECTIVE);
  run->recompute_unknown = recompute < 0 && s->recompute == SW_RECOMPUTE_NONE;
  run->modules_unknown = s->recompute == SW_RECOMPUTE_SELECTIVE && s->recompute_modules == 0;
  s->micro_batch = count (row, "micro_batch", 0);
  fill_usual (row, problem, s);

  s->schedule = s->vpp > 1 ? SW_SCHEDULE_INTERLEAVED : SW_SCHEDULE_1F1B;
}

/* ---- what was measured ---- */

/* A rate of almost nothing would give an infinite time: it counts as not measured. */
static double
finite_or_zero (double value)
{
  return isfinite (value) ? value : 0;
}

/* ---- rows ---- */

static char *
check_complete (const SwProblem *problem, const SwStrategy *s)
{
  const SwModelSpec *model = &problem->model;

  if (model->layers == 0 || model->hidden_size == 0 || model->attention_heads == 0
      || model->head_dim == 0)
    return g_strdup (_ ("the model dimensions are missing"));
  if (problem->cluster.gpus == 0)
    return g_strdup (_ ("the number of GPUs is missing"));
  if (problem->training.global_batch == 0 || problem->training.sequence_length == 0)
    return g_strdup (_ ("the batch or the sequence length is missing"));
  if (s->pp > model->layers || s->micro_batch == 0)
    return g_strdup (_ ("the split does not match the model"));
  return NULL;
}

static void
run_free (gpointer data)
{
  ShardwiseRun *run = data;

  g_free (run->id);
  g_free (run->family);
  g_free (run->source);
  g_free (run->description);
  g_free (run->skip);
  g_free (run);
}

static void
read_problem (Row *row, ShardwiseRun *run)
{
  SwProblem *problem = &run->problem;

  run->skip = check_row (row->csv, row->row);
  if (run->skip != NULL)
    return;
  problem->calibration = shardwise_catalogue_calibration (shardwise_catalogue_get ());
  read_model (row, &problem->model);
  run->skip = read_cluster (row, &problem->cluster);
  if (run->skip == NULL)
    run->skip = read_training (row, &problem->training);
  if (run->skip != NULL)
    return;
  read_recipe (text (row, "framework"), problem);
  read_strategy (row, problem, run);
  run->skip = check_complete (problem, &run->strategy);
  if (run->skip == NULL)
    sw_problem_prepare (problem);
}

static ShardwiseRun *
read_run (Row *row)
{
  ShardwiseRun *run = g_new0 (ShardwiseRun, 1);
  const SwProblem *problem = &run->problem;
  const char *family = text (row, "family"), *quality = text (row, "quality");
  gsize letters = 0;
  double rate;

  run->id = g_strdup (text (row, "id"));
  while (g_ascii_isalpha (run->id[letters]))
    letters++;
  run->family = *family != '\0' ? g_strdup (family) : g_strndup (run->id, letters);
  run->source = g_strdup (text (row, "source"));
  read_problem (row, run);
  run->description = g_strdup_printf ("%s, %s × %s", text (row, "model_name"), text (row, "gpus"),
                                      *problem->cluster.gpu.name != '\0' ? problem->cluster.gpu.name
                                                                         : text (row, "gpu"));

  /* Step time: as measured, else from the token rate, else from the published FLOP rate. */
  run->measured_step_s = number (row, "iter_time_s", 0);
  rate = number (row, "tokens_per_s_per_gpu", 0);
  if (!(run->measured_step_s > 0))
    run->measured_step_s = rate > 0 ? (double) problem->training.global_batch
                                          * problem->training.sequence_length / rate
                                          / MAX (problem->cluster.gpus, 1)
                                    : number (row, "iter_time_derived_s", 0);
  run->measured_step_s = finite_or_zero (run->measured_step_s);
  /* The column's unit holds for every row: Megatron-Bridge's rows were printed as GB, which may be
   * 1e9 bytes or GiB, 7 % apart. What InternEvo's documentation gives as "GPU memory" goes within a
   * gigabyte of what a process can have, and is taken for that of the process. */
  run->measured_memory_bytes = number (row, "mem_gib_per_gpu", 0) * SW_GIB;
  run->memory_kind = text (row, "mem_kind")[0];
  if (g_str_has_prefix (text (row, "framework"), "InternEvo"))
    run->memory_kind = 'p';
  /* Nanotron's benchmark writes what the allocator has at the first rank (helpers.py,
   * create_table_log, log_throughput). */
  else if (g_str_has_prefix (text (row, "framework"), "nanotron"))
    run->memory_kind = 'r';
  /* litgpt prints max_memory_allocated() / 1e9 (finetune/lora.py, extensions/thunder/pretrain.py),
   * and its tables repeat it. */
  else if (g_str_has_prefix (text (row, "framework"), "LitGPT"))
    {
      run->memory_kind = 'a';
      run->measured_memory_bytes *= SW_GB / SW_GIB;
    }
  run->measured_memory_bytes = finite_or_zero (run->measured_memory_bytes);
  run->quality = quality[0];
  run->oom = g_str_has_suffix (quality, "-oom");
  run->judged = (quality[0] == 'A' || quality[0] == 'B') && !run->oom
                && (run->measured_step_s > 0 || run->measured_memory_bytes > 0);
  return run;
}

/**
 * shardwise_runs_parse:
 * @csv: a table with the columns of data/catalogue/measured_runs.csv; missing columns count as
 * empty, except those that every prediction needs
 * @length: in bytes; -1: null-terminated
 * @error: the reason, with the line
 *
 * Returns: (transfer full) (element-type ShardwiseRun): every row, in order; NULL with @error set
 */
GPtrArray *
shardwise_runs_parse (const char *csv, gssize length, GError **error)
{
  static const char *const required[] = { "id",        "layers",   "hidden",  "heads",
                                          "gpu",       "gpus",     "seq_len", "global_batch",
                                          "precision", "framework" };
  g_autoptr (ShardwiseCsv) table = shardwise_csv_parse (csv, length, error);
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func (run_free);

  if (table == NULL)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (required); i++)
    if (!shardwise_csv_has_column (table, required[i]))
      {
        g_propagate_error (error, shardwise_error_new (SHARDWISE_ERROR_MISSING, required[i], "%s",
                                                       _ ("the table does not have this column")));
        return NULL;
      }
  for (guint i = 0; i < shardwise_csv_n_rows (table); i++)
    {
      Row row = { table, i, NULL };

      g_ptr_array_add (runs, read_run (&row));
      if (row.error != NULL)
        {
          g_propagate_error (error, row.error);
          return NULL;
        }
    }
  return g_steal_pointer (&runs);
}

/**
 * shardwise_runs_builtin:
 *
 * Returns: (transfer full) (element-type ShardwiseRun): the measured runs compiled into the program
 */
GPtrArray *
shardwise_runs_builtin (void)
{
  g_autoptr (GBytes) bytes = g_resources_lookup_data (BUILTIN_PATH, G_RESOURCE_LOOKUP_FLAGS_NONE,
                                                      NULL);
  g_autoptr (GError) error = NULL;
  GPtrArray *runs;
  gsize length;
  const char *csv;

  g_assert (bytes != NULL);
  csv = g_bytes_get_data (bytes, &length);
  runs = shardwise_runs_parse (csv, (gssize) length, &error);
  if (runs == NULL)
    g_error ("measured_runs.csv: %s", error->message);
  return runs;
}
