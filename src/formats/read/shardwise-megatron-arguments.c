/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Megatron-LM's arguments, core 0.20.0, with the defaults of arguments.py: the model, and how it is
 * split. */
#include "shardwise-megatron-arguments.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-import-config.h"

#define TP "--tensor-model-parallel-size"
#define PP "--pipeline-model-parallel-size"
#define CP "--context-parallel-size"
#define EP "--expert-model-parallel-size"
#define LAYOUT "--pipeline-model-parallel-layout"

/* Whether the command line has @option. */
gboolean
shardwise_megatron_has (ShardwiseImportJob *job, const char *option)
{
  return shardwise_import_at (job, option) != NULL;
}

/* Whether an option has a value, including its default. A part of a command has no defaults,
 * because another file completes it. */
static gboolean
says (ShardwiseImportJob *job, const char *option)
{
  return !job->is_part || shardwise_megatron_has (job, option);
}

/* ---- the model ---- */

#define MOST_LAYERS 10000u /* the maximum of model.layers */
#define MOST_DEPTH 8u      /* nested parentheses */

/* A sum of terms: "[0]*3+([0]*1+[1]*1)*24", each a list or a sum in parentheses with its number of
 * repeats: appends for each layer whether it has experts. */
static gboolean
read_layers (const char **at, guint depth, GByteArray *layers)
{
  for (;; (*at)++)
    {
      const guint start = layers->len;

      if (**at == '(' && depth < MOST_DEPTH)
        {
          (*at)++;
          if (!read_layers (at, depth + 1, layers) || *(*at)++ != ')')
            return FALSE;
        }
      else if (**at != '[')
        return FALSE;
      else
        {
          do
            {
              const char flag = *++*at;
              const guint8 has_experts = flag == '1';

              if (flag != '0' && flag != '1')
                return FALSE;
              g_byte_array_append (layers, &has_experts, 1);
              (*at)++;
            }
          while (**at == ',');
          if (*(*at)++ != ']')
            return FALSE;
        }
      if (layers->len > MOST_LAYERS)
        return FALSE;
      if (**at == '*')
        {
          const guint length = layers->len - start;
          char *end;
          const guint64 times = MIN (g_ascii_strtoull (*at + 1, &end, 10), MOST_LAYERS + 1);

          if (end == *at + 1 || times * length > MOST_LAYERS - start)
            return FALSE;
          *at = end;
          g_byte_array_set_size (layers, start + (guint) times * length);
          for (guint i = start + length; i < layers->len; i++)
            layers->data[i] = layers->data[i - length];
        }
      if (**at != '+')
        return TRUE;
    }
}

/* Whether the pattern is some dense layers, then experts in every n-th. */
static gboolean
is_regular (const GByteArray *layers, SwMoe *moe)
{
  guint n = 0, first = 0, last = 0, every = 1;

  for (guint i = 0; i < layers->len; i++)
    {
      if (!layers->data[i])
        continue;
      if (n == 0)
        first = i;
      else if (n == 1)
        every = i - last;
      else if (i - last != every)
        return FALSE;
      last = i;
      n++;
    }
  first -= MIN (first, every - 1);
  if (n == 0 || (layers->len - first) / every != n)
    return FALSE;
  moe->first_dense_layers = first;
  moe->layer_frequency = every;
  return TRUE;
}

static void
read_experts (ShardwiseImportJob *job, SwModelSpec *out)
{
  static const char *const spaces[] = { " ", "'", "\"" }; /* shell quotes in a YAML */
  const ShardwiseNode *node = shardwise_import_at (job, "--moe-layer-freq");
  g_autoptr (GByteArray) layers = g_byte_array_new ();
  g_autoptr (GString) text = g_string_new (node != NULL ? node->text : NULL);
  SwMoe *moe = &out->moe;
  const char *at;

  if (!shardwise_import_count (job, "--num-experts", SHARDWISE_KEY_MODEL_MOE_EXPERTS,
                               &moe->experts))
    return;
  moe->top_k = shardwise_import_count_or (job, "--moe-router-topk", SHARDWISE_KEY_MODEL_MOE_TOP_K,
                                          2);
  moe->intermediate_size = shardwise_import_count_or (job, "--moe-ffn-hidden-size",
                                                      SHARDWISE_KEY_MODEL_MOE_INTERMEDIATE_SIZE,
                                                      out->intermediate_size);
  shardwise_import_count (job, "--moe-shared-expert-intermediate-size",
                          SHARDWISE_KEY_MODEL_MOE_SHARED_INTERMEDIATE_SIZE,
                          &moe->shared_intermediate_size);

  /* A number n, or a list in Python: "([0]*3+[1]*58)", "([0]*1+[1]*1)*24". */
  moe->layer_frequency = 1;
  if (node == NULL)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (spaces); i++)
    g_string_replace (text, spaces[i], "", 0);
  at = text->str;
  if (shardwise_node_is_number (node))
    shardwise_import_count (job, "--moe-layer-freq", SHARDWISE_KEY_MODEL_MOE_LAYER_FREQUENCY,
                            &moe->layer_frequency);
  else if (!read_layers (&at, 0, layers) || *at != '\0' || !is_regular (layers, moe))
    shardwise_import_warn (job, _ ("The layers with experts (--moe-layer-freq) are not understood: "
                                   "all layers are modeled with experts."));
}

/* Megatron-LM refuses a fork's option; the meaning of some is known. */
static SwPosition
position (ShardwiseImportJob *job)
{
  static const struct {
    const char *word;
    SwPosition position;
    gboolean is_core;
  } words[] = {
    { "learned_absolute", SW_POSITION_LEARNED, TRUE },
    { "rope", SW_POSITION_ROPE, TRUE },
    { "none", SW_POSITION_NONE, TRUE },
    { "relative", SW_POSITION_RELATIVE, TRUE },
    { "mrope", SW_POSITION_ROPE, TRUE },
    { "yarn", SW_POSITION_ROPE, TRUE },
    { "alibi", SW_POSITION_ALIBI, FALSE },
    { "rotary", SW_POSITION_ROPE, FALSE },
  };
  const char *const option = "--position-embedding-type";
  const char *word = shardwise_import_text (job, option);
  SwPosition found = SW_POSITION_LEARNED;

  if (word == NULL)
    return found;
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_str_equal (words[i].word, word))
      {
        found = words[i].position;
        if (words[i].is_core)
          return found;
      }
  if (shardwise_megatron_has (job, "--deepspeed")) /* forks have these options */
    return found;
  shardwise_import_find (
      job, SHARDWISE_SEVERITY_ERROR, "unknown-key",
      /* Translators: a word of the file, the line it stands in */
      _ ("Megatron-LM core 0.20.0 rejects --position-embedding-type “%.60s” (line %u); allowed: "
         "learned_absolute, rope, none, relative, mrope, yarn."),
      word, shardwise_import_at (job, option)->line);
  return found;
}

/* The name of the tokenizer, of any kind: "meta-llama/Llama-3-8B", "GPT2BPETokenizer". */
static const char *
word_of (ShardwiseImportJob *job, const char *option)
{
  const ShardwiseNode *node = shardwise_import_at (job, option);

  return node != NULL && node->type == SHARDWISE_NODE_STRING ? node->text : "";
}

/* The missing vocabulary: from the tokenizer's type or files, if they have only one size; otherwise
 * from a known model with these layers, the largest of several unless the tokenizer is of Llama 2's
 * kind. */
static guint
vocabulary (ShardwiseImportJob *job, const SwModelSpec *model)
{
  static const struct {
    const char *option, *part; /* part: of its value */
    guint size;
  } known[] = {
    { "--tokenizer-model", "lama-3", 128256 },
    { "--tokenizer-model", "lama3", 128256 },
    { "--tokenizer-type", "GPT2BPETokenizer", 50257 },
    { "--tokenizer-type", "BertWordPieceLowerCase", 30522 },
    { "--tokenizer-type", "BertWordPieceCase", 28996 },
    { "--tokenizer-name-or-path", "bigscience", 250880 },
    { "--vocab-file", "gpt2", 50257 },
    { "--vocab-file", "bert-large-cased", 28996 },
    { "--vocab-file", "bert", 30522 },
    { "--merge-file", "", 50257 },
    { "--vocab-file", "", 30522 }, /* without merges: BERT's word pieces */
  };
  const char *type = word_of (job, "--tokenizer-type");
  const gboolean is_small = strstr (type, "SentencePiece") != NULL
                            || strstr (type, "Llama2") != NULL;
  const SwModelSpec *named = shardwise_import_model_named (word_of (job, "--tokenizer-model"));
  const SwModelSpec *alike = shardwise_import_match_but_vocabulary (model, job->text, !is_small);
  guint size = 0;

  if (shardwise_import_count (job, "--vocab-size", SHARDWISE_KEY_MODEL_VOCAB_SIZE, &size)
      || shardwise_import_count (job, "--padded-vocab-size", SHARDWISE_KEY_MODEL_VOCAB_SIZE, &size))
    return size;
  if (named != NULL)
    size = named->vocab_size;
  for (guint i = 0; i < G_N_ELEMENTS (known) && size == 0; i++)
    if (shardwise_megatron_has (job, known[i].option)
        && strstr (word_of (job, known[i].option), known[i].part) != NULL)
      size = known[i].size;
  if (size == 0 && alike != NULL)
    {
      shardwise_import_warn (
          job,
          _ ("The vocabulary size depends on the tokenizer, which is not in the script: Shardwise "
             "uses %'u tokens, as in %s, whose layers are similar."),
          alike->vocab_size, alike->name);
      return alike->vocab_size;
    }
  size = size > 0 ? size : 32000;
  shardwise_import_warn (job,
                         _ ("The vocabulary size depends on the tokenizer, which is not in the "
                            "script: Shardwise uses %'u tokens."),
                         size);
  return size;
}

/* "M-M-*-": the pattern of a hybrid has a letter for each mixer (attention or state) and each MLP;
 * in other models a layer has both. The number of layers; 0: the pattern does not have both. */
static guint
hybrid_layers (ShardwiseImportJob *job)
{
  static const char *const options[] = { "--hybrid-override-pattern", "--hybrid-layer-pattern" };
  guint mixers = 0, mlps = 0;

  for (guint i = 0; i < G_N_ELEMENTS (options) && mixers == 0; i++)
    for (const char *c = word_of (job, options[i]); *c != '\0'; c++)
      {
        mixers += *c == 'M' || *c == '*';
        mlps += *c == '-' || *c == 'E';
      }
  return mlps > 0 ? MIN (mixers, MOST_LAYERS) : 0;
}

/**
 * shardwise_megatron_read_model:
 * @job: a job with the options in its root
 *
 * Sets the model from the arguments; if they come from a checkpoint, the current scenario
 * determines it.
 */
void
shardwise_megatron_read_model (ShardwiseImportJob *job)
{
  static const char *const norms[] = { "LayerNorm", "RMSNorm", NULL }, *const latent_keys[] = {
    "--q-lora-rank", "--qk-head-dim", "--qk-pos-emb-head-dim", "--v-head-dim"
  };
  const gboolean biases = !shardwise_megatron_has (job, "--disable-bias-linear");
  SwModelSpec model = { .gated_mlp = shardwise_megatron_has (job, "--swiglu")
                                     || shardwise_megatron_has (job, "--quick-geglu") };
  const char *window;
  guint norm = 0, skip = 0;

  if (!shardwise_import_count (job, "--num-layers", SHARDWISE_KEY_MODEL_LAYERS, &model.layers)
      || !shardwise_import_count (job, "--hidden-size", SHARDWISE_KEY_MODEL_HIDDEN_SIZE,
                                  &model.hidden_size)
      || !shardwise_import_count (job, "--num-attention-heads", SHARDWISE_KEY_MODEL_ATTENTION_HEADS,
                                  &model.attention_heads))
    return;
  if (hybrid_layers (job) > 0)
    model.layers = hybrid_layers (job);
  /* ffn_hidden_size, as in arguments.py. */
  model.intermediate_size = shardwise_import_count_or (
      job, "--ffn-hidden-size", SHARDWISE_KEY_MODEL_INTERMEDIATE_SIZE,
      (model.gated_mlp ? (guint) ((guint64) 4 * model.hidden_size * 2 / 3 / 64 * 64)
                       : 4 * model.hidden_size));
  model.max_position_embeddings = shardwise_import_count_or (
      job, "--max-position-embeddings", SHARDWISE_KEY_MODEL_MAX_POSITION_EMBEDDINGS, 4096);
  model.kv_heads = model.attention_heads;
  if (shardwise_megatron_has (job, "--group-query-attention"))
    model.kv_heads = shardwise_import_count_or (job, "--num-query-groups",
                                                SHARDWISE_KEY_MODEL_KV_HEADS, 1);
  model.head_dim =
      shardwise_import_count_or (job, "--kv-channels", SHARDWISE_KEY_MODEL_HEAD_DIM,
                                 MAX (1, model.hidden_size / MAX (1, model.attention_heads)));
  model.qk_norm = shardwise_megatron_has (job, "--qk-layernorm") ? SW_QK_NORM_PER_HEAD_DIM
                                                                 : SW_QK_NORM_NONE;
  if (shardwise_megatron_has (job, "--multi-latent-attention"))
    {
      model.mla.kv_lora_rank = shardwise_import_count_or (job, "--kv-lora-rank",
                                                          SHARDWISE_KEY_MODEL_MLA_KV_LORA_RANK, 32);
      shardwise_import_latent (job, latent_keys, &model);
    }
  /* "4096,0" and "(4096, 0)": the first number; every n-th layer has no window. */
  window = shardwise_import_text (job, "--window-size");
  if (window != NULL)
    {
      model.sliding_window =
          (guint) MIN (g_ascii_strtoull (window + strspn (window, "( "), NULL, 10), 1073741824);
      if (shardwise_import_count (job, "--window-attn-skip-freq", SHARDWISE_KEY_MODEL_LAYERS,
                                  &skip))
        model.window_pattern = skip <= 3 ? SW_WINDOW_EVERY_SECOND : SW_WINDOW_FIVE_TO_ONE;
    }
  shardwise_import_word_index (job, "--normalization", norms, &norm);
  model.norm = norm == 0 ? SW_NORM_LAYERNORM : SW_NORM_RMSNORM;
  model.norms_per_layer = 2;
  model.position = position (job);
  if (shardwise_megatron_has (job, "--use-rotary-position-embeddings"))
    model.position = SW_POSITION_ROPE;
  else if (shardwise_megatron_has (job, "--no-position-embedding")
           && model.position == SW_POSITION_LEARNED)
    model.position = SW_POSITION_NONE;
  model.mlp_bias = model.attn_out_bias = biases;
  model.qkv_bias = biases || shardwise_megatron_has (job, "--add-qkv-bias");
  model.tied_embeddings = !shardwise_megatron_has (job, "--untie-embeddings-and-output-weights");
  shardwise_import_count (job, "--mtp-num-layers", SHARDWISE_KEY_MODEL_MTP_LAYERS,
                          &model.mtp_layers);
  read_experts (job, &model);
  model.vocab_size = vocabulary (job, &model);
  shardwise_import_put_model (job, &model);
}

/* ---- degrees ---- */

typedef struct {
  guint tp, pp, cp, vpp, layers;
} Degrees;

static guint
virtual_stages (ShardwiseImportJob *job, const Degrees *degrees)
{
  const ShardwiseNode *node = shardwise_import_at (job, LAYOUT);
  const char *layout = node != NULL && node->type == SHARDWISE_NODE_LIST
                           ? NULL
                           : shardwise_import_text (job, LAYOUT);
  guint per_stage, vpp = 1, layers = degrees->layers, bars = 0, before = 0;

  /* The stages of a layout, each a Python list. */
  if (node != NULL && node->type == SHARDWISE_NODE_LIST && node->items->len > 0)
    return MAX (1, node->items->len / degrees->pp);
  /* "Et*3|(tt|)*2tL": a bar ends a stage, once in each repeat of the brackets. */
  for (const char *c = layout; c != NULL && *c != '\0'; c++)
    if (*c == '|')
      bars++;
    else if (*c == '(')
      before = bars;
    else if (*c == ')' && c[1] == '*')
      bars = before + (bars - before) * (guint) MIN (g_ascii_strtoull (c + 2, NULL, 10), 1000);
  if (layout != NULL && bars + 1 > 0)
    return MAX (1, (bars + 1) / degrees->pp);
  if (shardwise_import_count (job, "--num-virtual-stages-per-pipeline-rank",
                              SHARDWISE_KEY_STRATEGY_VPP, &vpp))
    return vpp;
  if (!shardwise_import_count (job, "--num-layers-per-virtual-pipeline-stage",
                               SHARDWISE_KEY_MODEL_LAYERS, &per_stage)
      || layers == 0)
    return 1;
  /* Each end counts as one more layer. */
  layers += shardwise_megatron_has (job, "--account-for-embedding-in-pipeline-split") ? 1 : 0;
  layers += shardwise_megatron_has (job, "--account-for-loss-in-pipeline-split") ? 1 : 0;
  if (layers % degrees->pp != 0 || layers / degrees->pp % per_stage != 0)
    shardwise_import_find_error (job, "vpp-layers",
                                 _ ("Megatron-LM requires the layers of a pipeline rank to be a "
                                    "multiple of --num-layers-per-virtual-pipeline-stage."));
  return MAX (1, layers / degrees->pp / per_stage);
}

/* A value from outside of the script stays open. */
static void
put_degree (ShardwiseImportJob *job, const char *option, ShardwiseKeyId id, guint value)
{
  if (says (job, option) && !shardwise_import_is_open (job, option))
    shardwise_import_put_int (job, id, value);
}

/* Sets the enabled features of the software. CUDA graphs are those of a part or of all of a
 * layer. */
static void
read_software (ShardwiseImportJob *job)
{
  static const struct {
    const char *option;
    ShardwiseKeyId key;
  } flags[] = {
    { "--overlap-grad-reduce", SHARDWISE_KEY_TRAINING_SOFTWARE_DP_OVERLAP },
    { "--tp-comm-overlap", SHARDWISE_KEY_TRAINING_SOFTWARE_ASYNC_TP },
    { "--overlap-moe-expert-parallel-comm", SHARDWISE_KEY_TRAINING_SOFTWARE_MOE_OVERLAP },
    { "--cross-entropy-loss-fusion", SHARDWISE_KEY_TRAINING_SOFTWARE_FUSED_CROSS_ENTROPY },
    { "--enable-cuda-graph", SHARDWISE_KEY_TRAINING_SOFTWARE_CUDA_GRAPHS },
    { "--external-cuda-graph", SHARDWISE_KEY_TRAINING_SOFTWARE_CUDA_GRAPHS },
    { "--cuda-graph-scope", SHARDWISE_KEY_TRAINING_SOFTWARE_CUDA_GRAPHS },
    { "--cuda-graph-modules", SHARDWISE_KEY_TRAINING_SOFTWARE_CUDA_GRAPHS },
  };

  const char *dispatcher = shardwise_import_text (job, "--moe-token-dispatcher-type"),
             *backend = shardwise_import_text (job, "--moe-flex-dispatcher-backend");

  for (guint i = 0; i < G_N_ELEMENTS (flags); i++)
    if (shardwise_megatron_has (job, flags[i].option))
      shardwise_import_put_bool (job, flags[i].key, TRUE);
  if (dispatcher != NULL)
    shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_SOFTWARE_MOE_DISPATCHER,
                               !g_str_equal (dispatcher, "flex")               ? "alltoall"
                               : backend != NULL && strstr (backend, "hybrid") ? "hybridep"
                                                                               : "deepep");
}

/* The experts, in addition to other recomputation. */
#define MOE_LAYER_RECOMPUTE "--moe-layer-recompute"

static void
add_moe_layer (GPtrArray *modules)
{
  if (modules->len == 0)
    g_ptr_array_add (modules, (char *) "core_attn");
  g_ptr_array_add (modules, (char *) "moe");
}

/* One step: recomputation, offload, number formats and kernels. */
static void
read_step (ShardwiseImportJob *job, guint vpp)
{
  static const char *const granularities[] = { "full", "selective", NULL };
  const ShardwiseNode *list = shardwise_import_at (job, "--recompute-modules"),
                      *recipe = shardwise_import_at (job, "--fp8-recipe");
  g_autoptr (GPtrArray) modules = g_ptr_array_new ();
  g_autofree char *word = NULL;
  const char *optimizer;
  SwOffload offload = SW_OFFLOAD_NONE;
  SwPrecision precision = SW_PRECISION_BF16;
  SwOptimizer known = SW_OPTIMIZER_ADAMW;
  guint granularity, layers;

  if (shardwise_import_word_index (job, "--recompute-granularity", granularities, &granularity))
    {
      for (guint i = 0; granularity == 1 && list != NULL && list->type == SHARDWISE_NODE_LIST
                        && i < list->items->len;
           i++)
        {
          const ShardwiseNode *item = list->items->pdata[i];

          if (item->type == SHARDWISE_NODE_STRING
              && sw_name_index (sw_recompute_module_names, item->text) >= 0)
            g_ptr_array_add (modules, item->text);
        }
      if (granularity == 1 && shardwise_megatron_has (job, MOE_LAYER_RECOMPUTE))
        add_moe_layer (modules);
      if (modules->len > 0)
        shardwise_import_put (
            job, SHARDWISE_KEY_STRATEGY_RECOMPUTE_MODULES,
            g_variant_new_strv ((const char *const *) modules->pdata, modules->len));
      if (granularity == 0
          && shardwise_node_is_text (shardwise_import_at (job, "--recompute-method"), "block")
          && shardwise_import_count (job, "--recompute-num-layers", SHARDWISE_KEY_MODEL_LAYERS,
                                     &layers))
        word = g_strdup_printf ("full_layers:%u", MIN (layers * vpp, 10000)); /* per chunk */
      shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_RECOMPUTE,
                                 word != NULL ? word : granularities[granularity]);
    }
  else if (shardwise_megatron_has (job, "--recompute-activations")
           || shardwise_megatron_has (job, MOE_LAYER_RECOMPUTE))
    {
      shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_RECOMPUTE, "selective");
      if (shardwise_megatron_has (job, MOE_LAYER_RECOMPUTE))
        {
          add_moe_layer (modules);
          shardwise_import_put (
              job, SHARDWISE_KEY_STRATEGY_RECOMPUTE_MODULES,
              g_variant_new_strv ((const char *const *) modules->pdata, modules->len));
        }
    }
  else if (shardwise_megatron_has (job, "--checkpoint-activations")
           || shardwise_megatron_has (job, "--activations-checkpoint-method")) /* before 2022 */
    shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_RECOMPUTE, "full");
  else if (!job->is_part && !shardwise_import_is_open (job, "--recompute-granularity"))
    shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_RECOMPUTE, "none");

  if (shardwise_megatron_has (job, "--optimizer-cpu-offload"))
    offload = SW_OFFLOAD_OPTIMIZER;
  else if (shardwise_megatron_has (job, "--cpu-offloading-num-layers")
           || shardwise_megatron_has (job, "--cpu-offloading")
           || shardwise_megatron_has (job, "--fine-grained-activation-offloading"))
    offload = SW_OFFLOAD_ACTIVATIONS;
  if (!job->is_part || offload != SW_OFFLOAD_NONE)
    shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_OFFLOAD, sw_offload_names[offload]);
  if (shardwise_megatron_has (job, "--fp4-format") || shardwise_megatron_has (job, "--fp4"))
    precision = SW_PRECISION_NVFP4;
  else if (shardwise_megatron_has (job, "--fp8-format") || shardwise_megatron_has (job, "--fp8"))
    precision = shardwise_node_is_text (recipe, "mxfp8") ? SW_PRECISION_MXFP8 : SW_PRECISION_FP8;
  else if (shardwise_megatron_has (job, "--fp16"))
    precision = SW_PRECISION_FP16;
  else if (!shardwise_megatron_has (job, "--bf16") && !job->is_part)
    shardwise_import_warn (job, _ ("Neither --bf16 nor --fp16 is set: the job runs in fp32, which "
                                   "is not modeled; Shardwise uses bf16."));
  shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_PRECISION, sw_precision_names[precision]);
  optimizer = shardwise_import_text (job, "--optimizer");
  if (optimizer != NULL && g_str_equal (optimizer, "sgd"))
    known = SW_OPTIMIZER_SGD;
  else if (optimizer != NULL && strstr (optimizer, "muon") != NULL)
    known = SW_OPTIMIZER_MUON;
  shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_OPTIMIZER, sw_optimizer_names[known]);
  if (shardwise_node_is_text (shardwise_import_at (job, "--attention-backend"), "unfused"))
    shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_ATTENTION, "unfused");
  read_software (job);
}

/* ---- all of it ---- */

/**
 * shardwise_megatron_read_strategy:
 * @job: a job with the options in its root
 * @world: the total number of processes; 0: unknown
 *
 * Sets the split of the model, and one step.
 */
void
shardwise_megatron_read_strategy (ShardwiseImportJob *job, guint world)
{
  static const char *const cp_types[] = { "p2p", "all_gather", "a2a", "a2a+p2p", NULL },
                           *const stages[] = { "no_shard", "optim", "optim_grads",
                                               "optim_grads_params", NULL };
  const gboolean fsdp = shardwise_megatron_has (job, "--use-megatron-fsdp")
                        || shardwise_megatron_has (job, "--use-torch-fsdp2");
  Degrees degrees = { .tp = shardwise_import_degree (job, TP, SHARDWISE_KEY_STRATEGY_TP),
                      .pp = shardwise_import_degree (job, PP, SHARDWISE_KEY_STRATEGY_PP),
                      .cp = shardwise_import_degree (job, CP, SHARDWISE_KEY_STRATEGY_CP) };
  const gboolean is_open = shardwise_import_is_open (job, TP) || shardwise_import_is_open (job, PP)
                           || shardwise_import_is_open (job, CP);
  guint64 model = (guint64) degrees.tp * degrees.pp * degrees.cp;
  guint dp = 0, cp_type = 0, etp, instances, stage = 0, micro = 0, global;

  shardwise_import_count (job, "--num-layers", SHARDWISE_KEY_MODEL_LAYERS, &degrees.layers);
  if (job->error != NULL)
    return;
  degrees.vpp = MIN (virtual_stages (job, &degrees), 10000);
  if (!is_open && world % model == 0) /* otherwise the diagnosis reports it */
    dp = (guint) (world / model);
  put_degree (job, TP, SHARDWISE_KEY_STRATEGY_TP, degrees.tp);
  put_degree (job, PP, SHARDWISE_KEY_STRATEGY_PP, degrees.pp);
  put_degree (job, CP, SHARDWISE_KEY_STRATEGY_CP, degrees.cp);
  /* A pipeline with an unknown number of stages implies nothing. */
  if (says (job, PP) && !shardwise_import_is_open (job, PP)
      && !shardwise_import_is_open (job, LAYOUT)
      && !shardwise_import_is_open (job, "--num-layers-per-virtual-pipeline-stage")
      && !shardwise_import_is_open (job, "--num-virtual-stages-per-pipeline-rank"))
    {
      shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_VPP, degrees.vpp);
      shardwise_import_put_word (
          job, SHARDWISE_KEY_STRATEGY_SCHEDULE,
          sw_schedule_names[degrees.vpp > 1 ? SW_SCHEDULE_INTERLEAVED : SW_SCHEDULE_1F1B]);
    }
  if (degrees.cp > 1)
    {
      shardwise_import_word_index (job, "--cp-comm-type", cp_types, &cp_type);
      shardwise_import_put_word (job, SHARDWISE_KEY_STRATEGY_CP_METHOD,
                                 sw_cp_method_names[MIN (cp_type, 2)]);
    }
  put_degree (job, EP, SHARDWISE_KEY_STRATEGY_EP,
              shardwise_import_degree (job, EP, SHARDWISE_KEY_STRATEGY_EP));
  if (shardwise_import_count (job, "--expert-tensor-parallel-size", SHARDWISE_KEY_STRATEGY_ETP,
                              &etp))
    shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_ETP, etp);
  /* Megatron switches it off if TP is 1. */
  if (says (job, TP) && !shardwise_import_is_open (job, TP))
    shardwise_import_put_bool (job, SHARDWISE_KEY_STRATEGY_SEQUENCE_PARALLEL,
                               degrees.tp > 1
                                   && shardwise_megatron_has (job, "--sequence-parallel"));
  instances = shardwise_import_degree (job, "--num-distributed-optimizer-instances",
                                       SHARDWISE_KEY_STRATEGY_DP);
  shardwise_import_put_word (job, SHARDWISE_KEY_TRAINING_FRAMEWORK,
                             fsdp                                          ? "fsdp2"
                             : shardwise_megatron_has (job, "--deepspeed") ? "deepspeed"
                                                                           : "megatron-core");
  /* Megatron's own FSDP is computed by the profile of FSDP 2. */
  if (shardwise_megatron_has (job, "--use-torch-fsdp2"))
    stage = 3;
  else if (shardwise_megatron_has (job, "--deepspeed"))
    shardwise_import_count (job, "--zero-stage", SHARDWISE_KEY_STRATEGY_ZERO_STAGE, &stage);
  else if (fsdp)
    shardwise_import_word_index (job, "--data-parallel-sharding-strategy", stages, &stage);
  else if (shardwise_megatron_has (job, "--use-distributed-optimizer"))
    stage = 1;
  if (stage > 0
      || (!job->is_part
          && !shardwise_scenario_is_set (job->out->scenario, SHARDWISE_KEY_STRATEGY_ZERO_STAGE)))
    shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_ZERO_STAGE, stage);
  if (dp > 0 && !job->is_part)
    shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_DP, dp);
  if (dp > 0 && instances > 1 && dp % instances == 0)
    shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_SHARD_GROUP, dp / instances);
  if (shardwise_import_count (job, "--micro-batch-size", SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE,
                              &micro))
    shardwise_import_put_int (job, SHARDWISE_KEY_STRATEGY_MICRO_BATCH_SIZE, micro);
  if (shardwise_import_count (job, "--global-batch-size", SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE,
                              &global))
    shardwise_import_put_int (job, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, global);
  else if (!shardwise_megatron_has (job, "--global-batch-size") && micro > 0 && dp > 0
           && (guint64) micro * dp <= 1000000000)
    shardwise_import_put_int (job, SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE, (gint64) micro * dp);
  shardwise_import_copy_count (job,
                               shardwise_megatron_has (job, "--encoder-seq-length")
                                   ? "--encoder-seq-length"
                                   : "--seq-length",
                               SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH);
  read_step (job, degrees.vpp);
}
