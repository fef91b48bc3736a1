/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define SW_GIB (1024.0 * 1024.0 * 1024.0)
#define SW_GB 1e9

/* Each enumeration has a NULL-terminated table of names, in the order of the values: the spellings
 * in scenario files and JSON output. */

typedef enum { SW_MODEL_DECODER, SW_MODEL_VIT, SW_MODEL_DIT } SwModelKind;
extern const char *const sw_model_kind_names[];

typedef enum {
  SW_TRAINING_PRETRAIN,
  SW_TRAINING_FINETUNE,
  SW_TRAINING_LORA,
  SW_TRAINING_QLORA,
  SW_TRAINING_RLHF
} SwTrainingType;
extern const char *const sw_training_type_names[];

/* The training signal, if it is not only the next token. */
typedef enum {
  SW_METHOD_TOKENS,
  SW_METHOD_PREFERENCE, /* pairs of answers: DPO and similar */
  SW_METHOD_REWARD,     /* pairs of answers, scored by the model */
  SW_METHOD_DISTILL     /* a teacher's logits */
} SwMethod;
/* The values of a scenario's training type: those of SwTrainingType, then the methods. */
extern const char *const sw_training_choices[];

typedef enum {
  SW_ALGORITHM_PPO,
  SW_ALGORITHM_GRPO,
  SW_ALGORITHM_RLOO,
  SW_ALGORITHM_DPO,
  SW_ALGORITHM_IPO,
  SW_ALGORITHM_KTO,
  SW_ALGORITHM_ORPO,
  SW_ALGORITHM_SIMPO
} SwAlgorithm;
extern const char *const sw_algorithm_names[];

/* Linear layers that have adapters; a bit each. */
typedef enum {
  SW_LORA_Q = 1 << 0,
  SW_LORA_K = 1 << 1,
  SW_LORA_V = 1 << 2,
  SW_LORA_O = 1 << 3,
  SW_LORA_GATE = 1 << 4,
  SW_LORA_UP = 1 << 5,
  SW_LORA_DOWN = 1 << 6,
  SW_LORA_ATTENTION = SW_LORA_Q | SW_LORA_K | SW_LORA_V | SW_LORA_O,
  SW_LORA_MLP = SW_LORA_GATE | SW_LORA_UP | SW_LORA_DOWN
} SwLoraModules;
extern const char *const sw_lora_module_names[];

typedef enum {
  SW_PRECISION_BF16,
  SW_PRECISION_FP16,
  SW_PRECISION_FP8, /* tensor-wise scaling; "fp8-tensorwise" is an alias */
  SW_PRECISION_FP8_ROWWISE,
  SW_PRECISION_MXFP8,
  SW_PRECISION_NVFP4,
} SwPrecision;
extern const char *const sw_precision_names[];

typedef enum {
  SW_OPTIMIZER_ADAMW,
  SW_OPTIMIZER_ADAM8BIT,
  SW_OPTIMIZER_ADAFACTOR,
  SW_OPTIMIZER_MUON,
  SW_OPTIMIZER_SGD,
  SW_OPTIMIZER_PAGED_ADAM8BIT, /* the driver moves its states to the host when memory is short */
  SW_OPTIMIZER_LION
} SwOptimizer;
extern const char *const sw_optimizer_names[];

/* Storage of the adapters' frozen base. */
typedef enum {
  SW_BASE_AUTO, /* by training type: bf16, or NF4 for QLoRA */
  SW_BASE_BF16,
  SW_BASE_FP8,
  SW_BASE_NF4,
  SW_BASE_INT4, /* GPTQ, groups of 128 */
  SW_BASE_FP32, /* fp32 weights, as autocast keeps them */
} SwBase;
extern const char *const sw_base_names[];

typedef enum { SW_ATTENTION_FLASH, SW_ATTENTION_UNFUSED } SwAttentionKernel;
extern const char *const sw_attention_names[];

/* The software profile that runs the job. ANY is the union of all except the tools; each result
 * names its own. */
typedef enum {
  SW_FRAMEWORK_ANY,
  SW_FRAMEWORK_MEGATRON_2021,
  SW_FRAMEWORK_MEGATRON_CORE,
  SW_FRAMEWORK_FSDP,
  SW_FRAMEWORK_FSDP2,
  SW_FRAMEWORK_DEEPSPEED,
  SW_FRAMEWORK_NANOTRON,
  /* Fine-tuning tools; each computes like one of the engines above: sw_engine(). */
  SW_FRAMEWORK_HF_TRAINER,
  SW_FRAMEWORK_UNSLOTH,
  SW_FRAMEWORK_TORCHTUNE,
  SW_FRAMEWORK_VERL,
  SW_FRAMEWORK_OPENRLHF,
  SW_N_FRAMEWORKS,
  SW_N_ENGINES = SW_FRAMEWORK_HF_TRAINER
} SwFramework;
extern const char *const sw_framework_names[];
/* The same for values of a scenario: the first is "auto", the usual one for the job. */
extern const char *const sw_framework_choices[];

typedef enum { SW_OVERLAP_AUTO, SW_OVERLAP_NONE } SwOverlap;
extern const char *const sw_overlap_names[];

/* FULL_LAYERS: the first `full_layers` layers of each stage are recomputed whole. */
typedef enum {
  SW_RECOMPUTE_NONE,
  SW_RECOMPUTE_SELECTIVE,
  SW_RECOMPUTE_FULL,
  SW_RECOMPUTE_FULL_LAYERS
} SwRecompute;
extern const char *const sw_recompute_names[];

typedef enum {
  SW_SCHEDULE_GPIPE,
  SW_SCHEDULE_1F1B,
  SW_SCHEDULE_INTERLEAVED,
  SW_SCHEDULE_ZERO_BUBBLE
} SwSchedule;
extern const char *const sw_schedule_names[];

typedef enum {
  SW_OFFLOAD_NONE,
  SW_OFFLOAD_OPTIMIZER,
  SW_OFFLOAD_OPTIMIZER_PARAMS,
  SW_OFFLOAD_ACTIVATIONS
} SwOffload;
extern const char *const sw_offload_names[];

typedef enum { SW_CP_RING, SW_CP_ALLGATHER, SW_CP_ULYSSES } SwCpMethod;
extern const char *const sw_cp_method_names[];

/* Modules that Megatron-Core can recompute selectively; a bit each in `recompute_modules`. */
typedef enum {
  SW_MODULE_CORE_ATTN = 1 << 0,
  SW_MODULE_LAYERNORM = 1 << 1,
  SW_MODULE_MLA_UP_PROJ = 1 << 2,
  SW_MODULE_MLP = 1 << 3,
  SW_MODULE_MOE = 1 << 4,
  SW_MODULE_MOE_ACT = 1 << 5,
  SW_MODULE_SHARED_EXPERTS = 1 << 6,
} SwRecomputeModules;
extern const char *const sw_recompute_module_names[];

int sw_name_index (const char *const *names, const char *name);
guint sw_greatest_common_divisor (guint a, guint b);
int sw_compare_doubles (gconstpointer a, gconstpointer b);
double sw_median (GArray *values); /* of doubles; sorts them */

G_END_DECLS
