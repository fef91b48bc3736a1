/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-fixture.h"

#include <math.h>
#include <string.h>

/* An architecture and its parameter counts in billions, to the four digits that were published or
 * worked out by hand from the dimensions. */
typedef struct {
  const char *name;
  SwModelSpec model;
  double total_b, active_b; /* active 0: dense */
} Known;

#define DECODER(layers_, hidden_, mlp_, heads_, kv_, dim_, vocab_)                                 \
  .layers = layers_, .hidden_size = hidden_, .intermediate_size = mlp_, .attention_heads = heads_, \
  .kv_heads = kv_, .head_dim = dim_, .vocab_size = vocab_

#define LLAMA_LIKE                                                                                 \
  .gated_mlp = TRUE, .norm = SW_NORM_RMSNORM, .norms_per_layer = 2, .position = SW_POSITION_ROPE

#define GPT_LIKE                                                                                   \
  .tied_embeddings = TRUE, .norm = SW_NORM_LAYERNORM, .norms_per_layer = 2, .qkv_bias = TRUE,      \
  .attn_out_bias = TRUE, .mlp_bias = TRUE

static const Known known[] = {
  { "gpt2-xl",
    { DECODER (48, 1600, 6400, 25, 25, 64, 50257), GPT_LIKE, .position = SW_POSITION_LEARNED,
      .max_position_embeddings = 1024 },
    1.5576,
    0 },
  { "gpt3-175b",
    { DECODER (96, 12288, 49152, 96, 96, 128, 50257), GPT_LIKE, .position = SW_POSITION_LEARNED,
      .max_position_embeddings = 2048 },
    174.6043,
    0 },
  { "bloom-176b",
    { DECODER (70, 14336, 57344, 112, 112, 128, 250880), GPT_LIKE, .position = SW_POSITION_ALIBI,
      .other_params = 2 * 14336 },
    176.2473,
    0 },
  { "falcon-40b",
    { DECODER (60, 8192, 32768, 128, 8, 64, 65024), .tied_embeddings = TRUE,
      .norm = SW_NORM_LAYERNORM, .norms_per_layer = 2, .position = SW_POSITION_ROPE,
      .parallel_block = TRUE },
    41.3033,
    0 },
  { "phi-2",
    { DECODER (32, 2560, 10240, 32, 32, 80, 51200), .norm = SW_NORM_LAYERNORM, .norms_per_layer = 1,
      .position = SW_POSITION_ROPE, .qkv_bias = TRUE, .attn_out_bias = TRUE, .mlp_bias = TRUE,
      .parallel_block = TRUE, .other_params = 51200 },
    2.7797,
    0 },
  { "llama-3-70b", { DECODER (80, 8192, 28672, 64, 8, 128, 128256), LLAMA_LIKE }, 70.5537, 0 },
  { "qwen2.5-72b",
    { DECODER (80, 8192, 29568, 64, 8, 128, 152064), LLAMA_LIKE, .qkv_bias = TRUE },
    72.7062,
    0 },
  { "olmo-2-7b",
    { DECODER (32, 4096, 11008, 32, 32, 128, 100352), LLAMA_LIKE,
      .qk_norm = SW_QK_NORM_FULL_WIDTH },
    7.2986,
    0 },
  { "gemma-3-27b",
    { DECODER (62, 5376, 21504, 32, 16, 128, 262208), .gated_mlp = TRUE, .tied_embeddings = TRUE,
      .norm = SW_NORM_RMSNORM, .norms_per_layer = 4, .qk_norm = SW_QK_NORM_PER_HEAD_DIM },
    27.0093,
    0 },
  { "mixtral-8x7b",
    { DECODER (32, 4096, 14336, 32, 8, 128, 32000), LLAMA_LIKE,
      .moe = { .experts = 8, .top_k = 2, .intermediate_size = 14336, .layer_frequency = 1 } },
    46.7028,
    12.8799 },
  { "qwen3-30b-a3b",
    { DECODER (48, 2048, 6144, 32, 4, 128, 151936), LLAMA_LIKE, .qk_norm = SW_QK_NORM_PER_HEAD_DIM,
      .moe = { .experts = 128, .top_k = 8, .intermediate_size = 768, .layer_frequency = 1 } },
    30.5321,
    3.3530 },
  { "qwen2-57b-a14b",
    { DECODER (28, 3584, 18944, 28, 4, 128, 151936), LLAMA_LIKE, .qkv_bias = TRUE,
      .moe = { .experts = 64,
               .top_k = 8,
               .intermediate_size = 2560,
               .shared_intermediate_size = 20480,
               .layer_frequency = 1,
               .shared_gate = TRUE } },
    57.4087,
    14.2493 },
  { "llama-4-maverick",
    { DECODER (48, 5120, 16384, 40, 8, 128, 202048), LLAMA_LIKE,
      .moe = { .experts = 128,
               .top_k = 1,
               .intermediate_size = 8192,
               .shared_intermediate_size = 8192,
               .layer_frequency = 2 } },
    400.7118,
    17.1847 },
  { "gpt-oss-20b", /* with a sink per head and layer */
    { DECODER (24, 2880, 2880, 64, 8, 64, 201088), LLAMA_LIKE, .qkv_bias = TRUE,
      .attn_out_bias = TRUE, .mlp_bias = TRUE, .extra_params_per_layer = 64,
      .moe = { .experts = 32,
               .top_k = 4,
               .intermediate_size = 2880,
               .layer_frequency = 1,
               .router_bias = TRUE } },
    20.9148,
    4.1874 },
  { "deepseek-v3",
    { DECODER (61, 7168, 18432, 128, 128, 192, 129280), LLAMA_LIKE,
      .moe = { .experts = 256,
               .top_k = 8,
               .intermediate_size = 2048,
               .shared_intermediate_size = 2048,
               .first_dense_layers = 3,
               .layer_frequency = 1,
               .router_bias = TRUE },
      .mla = { .kv_lora_rank = 512,
               .q_lora_rank = 1536,
               .qk_nope_head_dim = 128,
               .qk_rope_head_dim = 64,
               .v_head_dim = 128 } },
    671.0264,
    37.5523 },
};

static void
test_known_counts (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    {
      SwParameterCount count;
      double active = known[i].active_b > 0 ? known[i].active_b : known[i].total_b;

      sw_model_count (&known[i].model, &count);
      g_test_message ("%s: %.4f B, %.4f B active", known[i].name, count.total / 1e9,
                      count.active / 1e9);
      g_assert_cmpfloat_with_epsilon (count.total / 1e9, known[i].total_b, 5.1e-5);
      g_assert_cmpfloat_with_epsilon (count.active / 1e9, active, 5.1e-5);
    }
}

/* DeepSeek-V3, section 4.2: the multi-token-prediction module has 11.5 B parameters of its own,
 * outside the 671 B. */
static void
test_mtp_is_outside_the_total (void)
{
  SwModelSpec model;
  SwParameterCount count;

  sw_fixture_deepseek_v3 (&model);
  sw_model_count (&model, &count);
  g_assert_cmpfloat_with_epsilon (count.total / 1e9, 671.0264, 5.1e-5);
  g_assert_cmpfloat_with_epsilon (count.mtp / 1e9, 11.61, 0.02);
}

static void
assert_parts_add_up (const SwModelSpec *model)
{
  SwParameterCount count;
  double moe_layers = sw_model_moe_layers (model), sum;
  guint layers = 0;

  sw_model_count (model, &count);
  for (guint i = 0; i < model->layers; i++)
    layers += sw_model_layer_is_moe (model, i) ? 1 : 0;
  g_assert_cmpuint (layers, ==, sw_model_moe_layers (model));
  sum = count.embedding + count.head + count.final_norm
        + (model->layers - moe_layers) * count.dense_layer + moe_layers * count.moe_layer;
  g_assert_cmpfloat_with_epsilon (sum / count.total, 1, 1e-12);
  g_assert_cmpfloat (count.active, <=, count.total);
}

static void
test_parts_add_up (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    assert_parts_add_up (&known[i].model);
}

static guint
divisors (guint n)
{
  guint count = 0;

  for (guint d = 1; d <= n; d++)
    count += n % d == 0 ? 1 : 0;
  return count;
}

static void
assert_size (double parameters)
{
  SwModelSpec model;
  SwParameterCount count;

  sw_model_from_size (parameters, &model);
  sw_model_count (&model, &count);
  g_assert_cmpfloat_with_epsilon (count.total / parameters, 1, 0.01);
  g_assert_cmpuint (model.attention_heads % 8, ==, 0);
  g_assert_cmpuint (model.kv_heads, ==, 8);
  g_assert_cmpuint (model.hidden_size, ==, model.attention_heads * model.head_dim);
  g_assert_cmpuint (model.intermediate_size % 16, ==, 0);
  g_assert_cmpuint (divisors (model.layers), >=, 4);
  g_assert_cmpfloat ((double) model.intermediate_size / model.hidden_size, >, 2);
  g_assert_cmpfloat ((double) model.intermediate_size / model.hidden_size, <, 6);
}

static void
test_from_size_matches_the_size (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (20261120);

  assert_size (0.1e9);
  assert_size (10e12);
  for (guint i = 0; i < 200; i++)
    assert_size (pow (10, g_rand_double_range (rand, 8, 13)));
}

static void
test_from_size_has_the_usual_shape (void)
{
  static const struct {
    double parameters;
    guint layers, hidden;
  } shapes[] = {
    { 8e9, 32, 4096 },
    { 70e9, 80, 8192 },
    { 405e9, 120, 16384 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      SwModelSpec model;

      sw_model_from_size (shapes[i].parameters, &model);
      g_assert_cmpuint (model.layers, ==, shapes[i].layers);
      g_assert_cmpuint (model.hidden_size, ==, shapes[i].hidden);
    }
}

/* Llama 3 8B at 8192 tokens, by hand. Weights of a layer: 4096 (4096 + 2 * 1024 + 4096) + 3 * 4096
 * * 14336 = 218,103,808; of the head 525,336,576; both times 2. Attention: 32 layers * 4 * 4096 *
 * (8192 or half). */
static void
test_forward_flops (void)
{
  SwModelSpec model;
  double weights = 2 * (32 * 218103808.0 + 525336576.0), attention = 32 * 4 * 4096.0 * 8192;

  sw_fixture_llama3_8b (&model);
  g_assert_cmpfloat_with_epsilon (
      sw_model_forward_flops_per_token (&model, 8192, FALSE) / (weights + attention), 1, 1e-12);
  g_assert_cmpfloat_with_epsilon (
      sw_model_forward_flops_per_token (&model, 8192, TRUE) / (weights + attention / 2), 1, 1e-12);
}

/* Attended tokens by summing over the positions, each of which sees the window before it. */
static void
test_sliding_window (void)
{
  SwModelSpec model = known[8].model;
  double window = 0;

  model.sliding_window = 1024;
  model.window_pattern = SW_WINDOW_FIVE_TO_ONE;
  for (guint i = 0; i < 8192; i++)
    window += MIN (i + 0.5, 1024) / 8192;
  g_assert_cmpfloat_with_epsilon (sw_model_attended_tokens (&model, 8192, TRUE),
                                  (52 * window + 10 * 4096) / 62, 0.01);
  g_assert_cmpfloat (sw_model_attended_tokens (&model, 512, TRUE), ==, 256);
}

/* Patches of a picture have no order: every one attends to all, and to the whole window. */
static void
test_no_mask (void)
{
  SwModelSpec model = known[8].model;

  model.kind = SW_MODEL_VIT;
  g_assert_cmpfloat (sw_model_attended_tokens (&model, 4096, TRUE), ==, 4096);
  g_assert_cmpfloat (sw_model_forward_flops_per_token (&model, 4096, TRUE), ==,
                     sw_model_forward_flops_per_token (&model, 4096, FALSE));
  model.sliding_window = 1024;
  model.window_pattern = SW_WINDOW_ALL;
  g_assert_cmpfloat (sw_model_attended_tokens (&model, 4096, TRUE), ==, 1024);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model/known-counts", test_known_counts);
  g_test_add_func ("/model/mtp-is-outside-the-total", test_mtp_is_outside_the_total);
  g_test_add_func ("/model/parts-add-up", test_parts_add_up);
  g_test_add_func ("/model/from-size/matches-the-size", test_from_size_matches_the_size);
  g_test_add_func ("/model/from-size/has-the-usual-shape", test_from_size_has_the_usual_shape);
  g_test_add_func ("/model/forward-flops", test_forward_flops);
  g_test_add_func ("/model/no-mask", test_no_mask);
  g_test_add_func ("/model/sliding-window", test_sliding_window);
  return g_test_run ();
}
