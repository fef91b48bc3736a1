/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sw-types.h"

const char *const sw_model_kind_names[] = { "decoder", "vit", "dit", NULL };
const char *const sw_training_type_names[] = {
  "pretrain", "finetune", "lora", "qlora", "rlhf", NULL
};
const char *const sw_training_choices[] = { "pretrain", "finetune", "lora",    "qlora", "rlhf",
                                            "dpo",      "reward",   "distill", NULL };
const char *const sw_algorithm_names[] = { "ppo", "grpo", "rloo",  "dpo", "ipo",
                                           "kto", "orpo", "simpo", NULL };
const char *const sw_lora_module_names[] = { "q", "k", "v", "o", "gate", "up", "down", NULL };
const char *const sw_precision_names[] = { "bf16",  "fp16",  "fp8", "fp8-rowwise",
                                           "mxfp8", "nvfp4", NULL };
const char *const sw_optimizer_names[] = { "adamw", "adam8bit",         "adafactor", "muon",
                                           "sgd",   "paged-adamw-8bit", "lion",      NULL };
const char *const sw_base_names[] = { "auto", "bf16", "fp8", "nf4", "int4", "fp32", NULL };
const char *const sw_attention_names[] = { "flash", "unfused", NULL };
#define FRAMEWORKS                                                                                 \
  "any", "megatron-2021", "megatron-core", "fsdp", "fsdp2", "deepspeed", "nanotron", "hf-trainer", \
      "unsloth", "torchtune", "verl", "openrlhf", NULL
const char *const sw_framework_names[] = { FRAMEWORKS };
const char *const sw_framework_choices[] = { "auto", FRAMEWORKS };
G_STATIC_ASSERT (G_N_ELEMENTS (sw_framework_names) == SW_N_FRAMEWORKS + 1);
const char *const sw_overlap_names[] = { "auto", "none", NULL };
const char *const sw_recompute_names[] = { "none", "selective", "full", "full_layers", NULL };
const char *const sw_schedule_names[] = { "gpipe", "1f1b", "interleaved", "zero-bubble", NULL };
const char *const sw_offload_names[] = { "none", "optimizer", "optimizer+params", "activations",
                                         NULL };
const char *const sw_cp_method_names[] = { "ring", "allgather", "ulysses", NULL };
const char *const sw_recompute_module_names[] = {
  "core_attn", "layernorm", "mla_up_proj", "mlp", "moe", "moe_act", "shared_experts", NULL
};

/**
 * sw_name_index:
 * @names: one of the NULL-terminated tables of this file
 * @name: a spelling
 *
 * Returns: the index of @name in @names, which is the value of the enumeration; -1 if there is
 * none
 */
int
sw_name_index (const char *const *names, const char *name)
{
  for (int i = 0; names[i] != NULL; i++)
    if (g_str_equal (names[i], name))
      return i;
  return -1;
}

/**
 * sw_greatest_common_divisor:
 * @a: a number
 * @b: another one
 *
 * Returns: the greatest common divisor; if one is 0, the other
 */
guint
sw_greatest_common_divisor (guint a, guint b)
{
  while (b > 0)
    {
      const guint rest = a % b;

      a = b;
      b = rest;
    }
  return a;
}

/**
 * sw_compare_doubles:
 * @a: a double
 * @b: another one
 *
 * Returns: for qsort() and similar functions, ascending
 */
int
sw_compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/**
 * sw_median:
 * @values: (element-type double): any; they are sorted
 *
 * Returns: the middle value, or the mean of the two middle values; 0 if empty
 */
double
sw_median (GArray *values)
{
  g_array_sort (values, sw_compare_doubles);
  if (values->len == 0)
    return 0;
  return (g_array_index (values, double, (values->len - 1) / 2)
          + g_array_index (values, double, values->len / 2))
         / 2;
}
