/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Hugging Face calls a model and its parts: its name on the Hub, the class of its layers in
 * transformers, and the projections of its attention. Read in the modeling files of transformers
 * (github huggingface/transformers, src/transformers/models) and in the model cards. */
#include "shardwise-export-names.h"

#include <math.h>
#include <string.h>

#include "shardwise-catalogue.h"

/* How the projections of attention are named. */
typedef enum {
  APART,   /* q_proj, k_proj, v_proj, o_proj, beside gate_proj, up_proj, down_proj */
  LATENT,  /* multi-head latent attention */
  DENSE,   /* q_proj, k_proj, v_proj, dense */
  OUT,     /* q_proj, k_proj, v_proj, out_proj */
  QKV,     /* qkv_proj, o_proj */
  QUERY,   /* query_key_value, dense */
  CONV,    /* c_attn, c_proj */
  PACKED,  /* W_pack, o_proj */
  INTERN,  /* wqkv, wo */
  UNUSUAL, /* q_proj, k_proj, v_proj, o_proj, where other parts are not as APART has them */
} Projections;

static const char *const adapted[] = {
  [APART] = "\"q_proj\", \"k_proj\", \"v_proj\", \"o_proj\"",
  [LATENT] = NULL, /* by whether queries are compressed */
  [DENSE] = "\"q_proj\", \"k_proj\", \"v_proj\", \"dense\"",
  [OUT] = "\"q_proj\", \"k_proj\", \"v_proj\", \"out_proj\"",
  [QKV] = "\"qkv_proj\", \"o_proj\"",
  [QUERY] = "\"query_key_value\", \"dense\"",
  [CONV] = "\"c_attn\", \"c_proj\"",
  [PACKED] = "\"W_pack\", \"o_proj\"",
  [INTERN] = "\"wqkv\", \"wo\"",
  [UNUSUAL] = "\"q_proj\", \"k_proj\", \"v_proj\", \"o_proj\"",
};

/* By the start of the catalog id. */
static const struct {
  const char *prefix, *layer_class;
  Projections projections;
} families[] = {
  { "llama-4", "Llama4TextDecoderLayer", UNUSUAL },
  { "llama", "LlamaDecoderLayer", APART },
  { "codellama", "LlamaDecoderLayer", APART },
  { "tinyllama", "LlamaDecoderLayer", APART },
  { "smollm3", "SmolLM3DecoderLayer", APART },
  { "smollm", "LlamaDecoderLayer", APART },
  { "yi-", "LlamaDecoderLayer", APART },
  { "deepseek-llm", "LlamaDecoderLayer", APART },
  { "mistral", "MistralDecoderLayer", APART },
  { "mixtral", "MixtralDecoderLayer", UNUSUAL },
  { "qwen3-30b", "Qwen3MoeDecoderLayer", UNUSUAL },
  { "qwen3-235b", "Qwen3MoeDecoderLayer", UNUSUAL },
  { "qwen3-next", "Qwen3NextDecoderLayer", UNUSUAL },
  { "qwen3", "Qwen3DecoderLayer", APART },
  { "qwen2-57b", "Qwen2MoeDecoderLayer", UNUSUAL },
  { "qwen", "Qwen2DecoderLayer", APART },
  { "deepseek-v3", "DeepseekV3DecoderLayer", LATENT },
  { "deepseek-v2", "DeepseekV2DecoderLayer", LATENT },
  { "gemma-2-", "Gemma2DecoderLayer", APART }, /* not gemma-2b */
  { "gemma-3-1b", "Gemma3DecoderLayer", APART },
  { "gemma-3", "Gemma3DecoderLayer", UNUSUAL }, /* beside a vision tower */
  { "gemma", "GemmaDecoderLayer", APART },
  { "phi-3", "Phi3DecoderLayer", QKV },
  { "phi-4", "Phi3DecoderLayer", QKV },
  { "phi-2", "PhiDecoderLayer", DENSE },
  { "olmo-2", "Olmo2DecoderLayer", UNUSUAL }, /* its q_norm goes over all heads */
  { "olmoe", "OlmoeDecoderLayer", UNUSUAL },
  { "olmo", "OlmoDecoderLayer", APART },
  { "gpt2", "GPT2Block", CONV },
  { "starcoder2", "Starcoder2DecoderLayer", UNUSUAL },
  { "starcoder", "GPTBigCodeBlock", CONV },
  { "baichuan2", "DecoderLayer", PACKED },
  { "internlm2", "InternLM2DecoderLayer", INTERN },
  { "gpt-neox", "GPTNeoXLayer", QUERY },
  { "pythia", "GPTNeoXLayer", QUERY },
  { "gpt-oss", "GptOssDecoderLayer", UNUSUAL },
  { "glm-4.5", "Glm4MoeDecoderLayer", UNUSUAL },
  { "falcon3", "LlamaDecoderLayer", APART },
  { "falcon", "FalconDecoderLayer", QUERY },
  { "bloom", "BloomBlock", QUERY },
  { "opt", "OPTDecoderLayer", OUT },
};

/* Catalogue id, name on the Hub. */
static const char *const hub[][2] = {
  { "gpt2-small", "openai-community/gpt2" },
  { "gpt2-medium", "openai-community/gpt2-medium" },
  { "gpt2-large", "openai-community/gpt2-large" },
  { "gpt2-xl", "openai-community/gpt2-xl" },
  { "opt-125m", "facebook/opt-125m" },
  { "opt-1.3b", "facebook/opt-1.3b" },
  { "opt-6.7b", "facebook/opt-6.7b" },
  { "opt-13b", "facebook/opt-13b" },
  { "opt-30b", "facebook/opt-30b" },
  { "opt-66b", "facebook/opt-66b" },
  { "bloom-7b1", "bigscience/bloom-7b1" },
  { "bloom-176b", "bigscience/bloom" },
  { "gpt-neox-20b", "EleutherAI/gpt-neox-20b" },
  { "pythia-1b", "EleutherAI/pythia-1b" },
  { "pythia-1.4b", "EleutherAI/pythia-1.4b" },
  { "pythia-2.8b", "EleutherAI/pythia-2.8b" },
  { "pythia-6.9b", "EleutherAI/pythia-6.9b" },
  { "pythia-12b", "EleutherAI/pythia-12b" },
  { "falcon-7b", "tiiuae/falcon-7b" },
  { "falcon-40b", "tiiuae/falcon-40b" },
  { "falcon-180b", "tiiuae/falcon-180B" },
  { "falcon3-7b", "tiiuae/Falcon3-7B-Base" },
  { "falcon3-10b", "tiiuae/Falcon3-10B-Base" },
  { "llama-7b", "huggyllama/llama-7b" },
  { "llama-13b", "huggyllama/llama-13b" },
  { "llama-33b", "huggyllama/llama-30b" },
  { "llama-65b", "huggyllama/llama-65b" },
  { "llama-2-7b", "meta-llama/Llama-2-7b-hf" },
  { "llama-2-13b", "meta-llama/Llama-2-13b-hf" },
  { "llama-2-70b", "meta-llama/Llama-2-70b-hf" },
  { "codellama-7b", "codellama/CodeLlama-7b-hf" },
  { "codellama-13b", "codellama/CodeLlama-13b-hf" },
  { "codellama-34b", "codellama/CodeLlama-34b-hf" },
  { "codellama-70b", "codellama/CodeLlama-70b-hf" },
  { "llama-3-8b", "meta-llama/Meta-Llama-3-8B" },
  { "llama-3-70b", "meta-llama/Meta-Llama-3-70B" },
  { "llama-3.1-8b", "meta-llama/Llama-3.1-8B" },
  { "llama-3.1-70b", "meta-llama/Llama-3.1-70B" },
  { "llama-3.1-405b", "meta-llama/Llama-3.1-405B" },
  { "llama-3.2-1b", "meta-llama/Llama-3.2-1B" },
  { "llama-3.2-3b", "meta-llama/Llama-3.2-3B" },
  { "llama-3.3-70b", "meta-llama/Llama-3.3-70B-Instruct" },
  { "mistral-7b-v0.1", "mistralai/Mistral-7B-v0.1" },
  { "mistral-7b-v0.3", "mistralai/Mistral-7B-v0.3" },
  { "mistral-nemo-12b", "mistralai/Mistral-Nemo-Base-2407" },
  { "mistral-small-24b", "mistralai/Mistral-Small-24B-Base-2501" },
  { "mistral-large-123b", "mistralai/Mistral-Large-Instruct-2407" },
  { "mixtral-8x7b", "mistralai/Mixtral-8x7B-v0.1" },
  { "mixtral-8x22b", "mistralai/Mixtral-8x22B-v0.1" },
  { "qwen1.5-7b", "Qwen/Qwen1.5-7B" },
  { "qwen1.5-14b", "Qwen/Qwen1.5-14B" },
  { "qwen1.5-72b", "Qwen/Qwen1.5-72B" },
  { "qwen2-0.5b", "Qwen/Qwen2-0.5B" },
  { "qwen2-1.5b", "Qwen/Qwen2-1.5B" },
  { "qwen2-7b", "Qwen/Qwen2-7B" },
  { "qwen2-72b", "Qwen/Qwen2-72B" },
  { "qwen2-57b-a14b", "Qwen/Qwen2-57B-A14B" },
  { "qwen2.5-0.5b", "Qwen/Qwen2.5-0.5B" },
  { "qwen2.5-1.5b", "Qwen/Qwen2.5-1.5B" },
  { "qwen2.5-3b", "Qwen/Qwen2.5-3B" },
  { "qwen2.5-7b", "Qwen/Qwen2.5-7B" },
  { "qwen2.5-14b", "Qwen/Qwen2.5-14B" },
  { "qwen2.5-32b", "Qwen/Qwen2.5-32B" },
  { "qwen2.5-72b", "Qwen/Qwen2.5-72B" },
  { "qwen3-0.6b", "Qwen/Qwen3-0.6B-Base" },
  { "qwen3-1.7b", "Qwen/Qwen3-1.7B-Base" },
  { "qwen3-4b", "Qwen/Qwen3-4B-Base" },
  { "qwen3-8b", "Qwen/Qwen3-8B-Base" },
  { "qwen3-14b", "Qwen/Qwen3-14B-Base" },
  { "qwen3-32b", "Qwen/Qwen3-32B" },
  { "qwen3-30b-a3b", "Qwen/Qwen3-30B-A3B-Base" },
  { "qwen3-235b-a22b", "Qwen/Qwen3-235B-A22B" },
  { "qwen3-next-80b-a3b", "Qwen/Qwen3-Next-80B-A3B-Instruct" },
  { "deepseek-llm-7b", "deepseek-ai/deepseek-llm-7b-base" },
  { "deepseek-llm-67b", "deepseek-ai/deepseek-llm-67b-base" },
  { "deepseek-moe-16b", "deepseek-ai/deepseek-moe-16b-base" },
  { "deepseek-v2-lite", "deepseek-ai/DeepSeek-V2-Lite" },
  { "deepseek-v2", "deepseek-ai/DeepSeek-V2" },
  { "deepseek-v3", "deepseek-ai/DeepSeek-V3-Base" },
  { "kimi-k2", "moonshotai/Kimi-K2-Base" },
  { "moonlight-16b-a3b", "moonshotai/Moonlight-16B-A3B" },
  { "gemma-2b", "google/gemma-2b" },
  { "gemma-7b", "google/gemma-7b" },
  { "gemma-2-2b", "google/gemma-2-2b" },
  { "gemma-2-9b", "google/gemma-2-9b" },
  { "gemma-2-27b", "google/gemma-2-27b" },
  { "gemma-3-1b", "google/gemma-3-1b-pt" },
  { "phi-2", "microsoft/phi-2" },
  { "phi-3-mini", "microsoft/Phi-3-mini-4k-instruct" },
  { "phi-3-medium", "microsoft/Phi-3-medium-4k-instruct" },
  { "phi-4", "microsoft/phi-4" },
  { "phi-4-mini", "microsoft/Phi-4-mini-instruct" },
  { "olmo-1b", "allenai/OLMo-1B-hf" },
  { "olmo-7b", "allenai/OLMo-7B-hf" },
  { "olmo-2-7b", "allenai/OLMo-2-1124-7B" },
  { "olmo-2-13b", "allenai/OLMo-2-1124-13B" },
  { "olmo-2-32b", "allenai/OLMo-2-0325-32B" },
  { "olmoe-7b-a1b", "allenai/OLMoE-1B-7B-0924" },
  { "smollm-135m", "HuggingFaceTB/SmolLM-135M" },
  { "smollm-360m", "HuggingFaceTB/SmolLM-360M" },
  { "smollm-1.7b", "HuggingFaceTB/SmolLM-1.7B" },
  { "smollm2-135m", "HuggingFaceTB/SmolLM2-135M" },
  { "smollm2-360m", "HuggingFaceTB/SmolLM2-360M" },
  { "smollm2-1.7b", "HuggingFaceTB/SmolLM2-1.7B" },
  { "smollm3-3b", "HuggingFaceTB/SmolLM3-3B-Base" },
  { "tinyllama-1.1b", "TinyLlama/TinyLlama_v1.1" },
  { "yi-6b", "01-ai/Yi-6B" },
  { "yi-9b", "01-ai/Yi-9B" },
  { "yi-34b", "01-ai/Yi-34B" },
  { "gpt-oss-20b", "openai/gpt-oss-20b" },
  { "gpt-oss-120b", "openai/gpt-oss-120b" },
  { "starcoder2-3b", "bigcode/starcoder2-3b" },
  { "starcoder2-7b", "bigcode/starcoder2-7b" },
  { "starcoder2-15b", "bigcode/starcoder2-15b" },
  { "starcoder-15b", "bigcode/starcoder" },
};

/* Catalogue id, what SkyPilot calls the accelerator (`sky gpus list`). The first of a name is the one
 * that it is read as. */
static const char *const accelerators[][2] = {
  { "v100-16-sxm", "V100" },
  { "v100-32-sxm", "V100-32GB" },
  { "t4", "T4" },
  { "a100-40-sxm", "A100" },
  { "a100-80-sxm", "A100-80GB" },
  { "a100-40-pcie", "A100" },
  { "a100-80-pcie", "A100-80GB" },
  { "a10g", "A10G" },
  { "a10", "A10" },
  { "a40", "A40" },
  { "rtx-a6000", "RTXA6000" },
  { "rtx-a5000", "RTXA5000" },
  { "rtx-3090", "RTX3090" },
  { "rtx-4090", "RTX4090" },
  { "rtx-5090", "RTX5090" },
  { "rtx-pro-6000", "RTXPRO6000" },
  { "rtx-6000-ada", "RTX6000-Ada" },
  { "l4", "L4" },
  { "l40s", "L40S" },
  { "h100-80-sxm", "H100" },
  { "h100-80-pcie", "H100" },
  { "h100-94-nvl", "H100NVL" },
  { "h200-141-sxm", "H200" },
  { "gh200-96", "GH200" },
  { "b200-180-sxm", "B200" },
  { "b300-288-sxm", "B300" },
  { "gb200-nvl72", "GB200" },
  { "mi300x", "MI300X" },
};

/* Models that no family is known of are trained as the one whose dimensions they have. */
static Projections
projections_of (const SwModelSpec *model)
{
  if (model->mla.kv_lora_rank > 0)
    return LATENT;
  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    if (g_str_has_prefix (model->id, families[i].prefix))
      return families[i].projections;
  if (model->position == SW_POSITION_LEARNED)
    return CONV;
  return model->gated_mlp && model->moe.experts == 0 && !model->parallel_block
                 && model->qk_norm != SW_QK_NORM_FULL_WIDTH
             ? APART
             : UNUSUAL;
}

/**
 * shardwise_names_layer_class:
 * @model: a model
 *
 * Returns: (nullable): what transformers calls a layer of it, where it is known
 */
const char *
shardwise_names_layer_class (const SwModelSpec *model)
{
  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    if (g_str_has_prefix (model->id, families[i].prefix))
      return families[i].layer_class;

  return NULL;
}

/**
 * shardwise_names_hub:
 * @model: a model
 *
 * Returns: (nullable): its name on the Hugging Face Hub, where it is known
 */
const char *
shardwise_names_hub (const SwModelSpec *model)
{
  for (guint i = 0; i < G_N_ELEMENTS (hub); i++)
    if (g_str_equal (hub[i][0], model->id))
      return hub[i][1];

  return NULL;
}

/**
 * shardwise_names_sibling:
 * @model: a model
 * @parameters: how many the other one has
 * @knows: (nullable): which models are possible
 *
 * Returns: (transfer none) (nullable): the model nearest in size, within 2 %, that has its tokenizer:
 *   the vocabulary of a model of the same publisher; the newest of several, or the model itself
 */
const SwModelSpec *
shardwise_names_sibling (const SwModelSpec *model, double parameters,
                         gboolean (*knows) (const SwModelSpec *model))
{
  const char *own = shardwise_names_hub (model);
  const SwModelSpec *found = NULL;
  double least = 0.02;

  for (guint i = 0; own != NULL && i < G_N_ELEMENTS (hub); i++)
    {
      const SwModelSpec *other = shardwise_catalogue_find_model (shardwise_catalogue_get (),
                                                                 hub[i][0]);
      SwParameterCount count;
      double off;

      if (other == NULL || other->vocab_size != model->vocab_size
          || strncmp (hub[i][1], own, strcspn (own, "/") + 1) != 0
          || (knows != NULL && !knows (other)))
        continue;
      sw_model_count (other, &count);
      off = fabs (count.total / parameters - 1);
      if (off > least || (found != NULL && off == least && g_str_equal (found->id, model->id)))
        continue;
      least = off;
      found = other;
    }
  return found;
}

/**
 * shardwise_names_of_hub:
 * @name: a name on the Hugging Face Hub
 *
 * Returns: (nullable): the catalog id of the model of that very name
 */
const char *
shardwise_names_of_hub (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (hub); i++)
    if (g_ascii_strcasecmp (hub[i][1], name) == 0)
      return hub[i][0];
  return NULL;
}

/**
 * shardwise_names_projections_apart:
 * @model: a model
 *
 * Returns: whether queries, keys and values, gate and up are projections of their own, each of
 * which a tensor-parallel style can split by heads or columns
 */
gboolean
shardwise_names_projections_apart (const SwModelSpec *model)
{
  return projections_of (model) == APART && model->kind == SW_MODEL_DECODER && !model->approximated;
}

/**
 * shardwise_names_append_adapted:
 * @problem: a question about adapters
 * @text: where to append a Python value to
 *
 * Appends PEFT's target_modules: all linear layers but the head, or those of attention.
 */
void
shardwise_names_append_adapted (const SwProblem *problem, GString *text)
{
  const Projections projections = projections_of (&problem->model);
  const guint modules = problem->training.lora_modules;
  const char *separator = "[";

  if (modules != 0 && modules != (SW_LORA_ATTENTION | SW_LORA_MLP) && modules != SW_LORA_ATTENTION)
    {
      for (guint i = 0; sw_lora_module_names[i] != NULL; i++)
        if ((modules & 1u << i) != 0)
          {
            g_string_append_printf (text, "%s\"%s_proj\"", separator, sw_lora_module_names[i]);
            separator = ", ";
          }
      g_string_append_c (text, ']');
    }
  else if ((sw_lora_modules (&problem->training) & SW_LORA_MLP) != 0)
    g_string_append (text, "\"all-linear\"");
  else if (projections == LATENT)
    g_string_append_printf (text, "[%s, \"kv_a_proj_with_mqa\", \"kv_b_proj\", \"o_proj\"]",
                            problem->model.mla.q_lora_rank > 0 ? "\"q_a_proj\", \"q_b_proj\""
                                                               : "\"q_proj\"");
  else
    g_string_append_printf (text, "[%s]", adapted[projections]);
}

/**
 * shardwise_names_accelerator:
 * @gpu: a catalogue id
 *
 * Returns: (nullable): what SkyPilot calls it, where that is known
 */
const char *
shardwise_names_accelerator (const char *gpu)
{
  for (guint i = 0; i < G_N_ELEMENTS (accelerators); i++)
    if (g_str_equal (accelerators[i][0], gpu))
      return accelerators[i][1];
  return NULL;
}

/**
 * shardwise_names_gpu:
 * @accelerator: a name of SkyPilot's, in any case
 *
 * Returns: (nullable): the catalog id of a GPU of that name
 */
const char *
shardwise_names_gpu (const char *accelerator)
{
  for (guint i = 0; i < G_N_ELEMENTS (accelerators); i++)
    if (g_ascii_strcasecmp (accelerators[i][1], accelerator) == 0)
      return accelerators[i][0];
  return NULL;
}

/**
 * shardwise_names_list_adapted:
 * @problem: a question about adapters of attention
 * @separator: what comes between two names
 *
 * Returns: (transfer full): the names of what shardwise_names_append_adapted() appends, without
 * quotes and brackets
 */
char *
shardwise_names_list_adapted (const SwProblem *problem, const char *separator)
{
  GString *text = g_string_new (NULL);

  shardwise_names_append_adapted (problem, text);
  for (guint i = 0; i < 3; i++)
    g_string_replace (text, i == 0 ? "\"" : i == 1 ? "[" : "]", "", 0);
  g_string_replace (text, ", ", separator, 0);
  return g_string_free (text, FALSE);
}
