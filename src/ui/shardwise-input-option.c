/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-input-option.h"

#include <glib/gi18n.h>

#include "shardwise-texts.h"

struct _ShardwiseInputOption
{
  GObject parent_instance;
  char *value, *label, *subtitle;
  gboolean enabled;
};

G_DEFINE_FINAL_TYPE (ShardwiseInputOption, shardwise_input_option, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_LABEL,
  PROP_SUBTITLE,
  PROP_ENABLED,
  N_PROPS
};
static GParamSpec *properties[N_PROPS];

static void
shardwise_input_option_get_property (GObject *object,
                                     guint prop_id,
                                     GValue *value,
                                     GParamSpec *pspec)
{
  ShardwiseInputOption *self = SHARDWISE_INPUT_OPTION (object);

  switch (prop_id)
    {
    case PROP_LABEL:
      g_value_set_string (value, self->label);
      break;
    case PROP_SUBTITLE:
      g_value_set_string (value, self->subtitle);
      break;
    case PROP_ENABLED:
      g_value_set_boolean (value, self->enabled);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
shardwise_input_option_finalize (GObject *object)
{
  ShardwiseInputOption *self = SHARDWISE_INPUT_OPTION (object);

  g_free (self->value);
  g_free (self->label);
  g_free (self->subtitle);
  G_OBJECT_CLASS (shardwise_input_option_parent_class)->finalize (object);
}

static void
shardwise_input_option_class_init (ShardwiseInputOptionClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->get_property = shardwise_input_option_get_property;
  object_class->finalize = shardwise_input_option_finalize;
  properties[PROP_LABEL] = g_param_spec_string ("label", NULL, NULL, NULL, flags);
  properties[PROP_SUBTITLE] = g_param_spec_string ("subtitle", NULL, NULL, NULL, flags);
  properties[PROP_ENABLED] = g_param_spec_boolean ("enabled", NULL, NULL, TRUE, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
shardwise_input_option_init (ShardwiseInputOption *self)
{
}

/**
 * shardwise_input_option_new:
 * @value: a word, number or id of the scenario file as text; "" for what is chosen by itself
 * @label: what the line says, translated
 * @subtitle: (nullable): more about it, or why it cannot be chosen, translated
 * @enabled: whether it can be chosen
 *
 * Returns: (transfer full): the line
 */
ShardwiseInputOption *
shardwise_input_option_new (const char *value,
                            const char *label,
                            const char *subtitle,
                            gboolean enabled)
{
  ShardwiseInputOption *self = g_object_new (SHARDWISE_TYPE_INPUT_OPTION, NULL);

  self->value = g_strdup (value);
  self->label = g_strdup (label);
  self->subtitle = g_strdup (subtitle);
  self->enabled = enabled;
  return self;
}

/**
 * shardwise_input_option_get_value:
 *
 * Returns: (transfer none): what the scenario file says for this line
 */
const char *
shardwise_input_option_get_value (ShardwiseInputOption *self)
{
  g_return_val_if_fail (SHARDWISE_IS_INPUT_OPTION (self), NULL);
  return self->value;
}

/**
 * shardwise_input_option_get_label:
 *
 * Returns: (transfer none): what the line says
 */
const char *
shardwise_input_option_get_label (ShardwiseInputOption *self)
{
  g_return_val_if_fail (SHARDWISE_IS_INPUT_OPTION (self), NULL);
  return self->label;
}

/**
 * shardwise_input_option_get_subtitle:
 *
 * Returns: (transfer none) (nullable): more about the line
 */
const char *
shardwise_input_option_get_subtitle (ShardwiseInputOption *self)
{
  g_return_val_if_fail (SHARDWISE_IS_INPUT_OPTION (self), NULL);
  return self->subtitle;
}

/**
 * shardwise_input_option_get_enabled:
 *
 * Returns: whether the line can be chosen
 */
gboolean
shardwise_input_option_get_enabled (ShardwiseInputOption *self)
{
  g_return_val_if_fail (SHARDWISE_IS_INPUT_OPTION (self), FALSE);
  return self->enabled;
}

/**
 * shardwise_input_option_equal:
 * @a: (nullable): a line
 * @b: another
 *
 * Returns: whether both say and do the same
 */
gboolean
shardwise_input_option_equal (ShardwiseInputOption *a, ShardwiseInputOption *b)
{
  return a != NULL && g_str_equal (a->value, b->value) && g_str_equal (a->label, b->label)
         && g_strcmp0 (a->subtitle, b->subtitle) == 0 && a->enabled == b->enabled;
}

/* The same word may mean different things under different keys: a key of its own comes first. */
static const struct
{
  const char *path, *word, *title;
} titles[] = {
  { "training.type", "pretrain", N_("Pre-training") },
  { "training.type", "finetune", N_("Full fine-tuning") },
  { "training.type", "lora", N_("LoRA") },
  { "training.type", "qlora", N_("QLoRA") },
  { "training.type", "rlhf", N_("RLHF") },
  { "training.precision", "bf16", N_("BF16") },
  { "training.precision", "fp16", N_("FP16") },
  { "training.precision", "fp8", N_("FP8, one scale per tensor") },
  { "training.precision", "fp8-tensorwise", N_("FP8, one scale per tensor") },
  { "training.precision", "fp8-rowwise", N_("FP8, one scale per row") },
  { "training.precision", "mxfp8", N_("MXFP8") },
  { "training.precision", "nvfp4", N_("NVFP4") },
  { "training.optimizer", "adamw", N_("AdamW") },
  { "training.optimizer", "adam8bit", N_("8-bit Adam") },
  { "training.optimizer", "adafactor", N_("Adafactor") },
  { "training.optimizer", "muon", N_("Muon") },
  { "training.optimizer", "sgd", N_("SGD with momentum") },
  { "training.attention", "flash", N_("FlashAttention") },
  { "training.attention", "unfused", N_("Unfused") },
  { "training.overlap", "auto", N_("As the framework does") },
  { "training.overlap", "none", N_("None") },
  { "training.lora.targets", "all-linear", N_("All linear layers") },
  { "training.lora.targets", "attention", N_("Attention only") },
  { "training.rlhf.algorithm", "ppo", N_("PPO") },
  { "training.rlhf.algorithm", "grpo", N_("GRPO") },
  { "strategy.recompute", "none", N_("None") },
  { "strategy.recompute", "selective", N_("Selective") },
  { "strategy.recompute", "full", N_("Full") },
  { "strategy.schedule", "gpipe", N_("GPipe") },
  { "strategy.schedule", "1f1b", N_("1F1B") },
  { "strategy.schedule", "interleaved", N_("Interleaved 1F1B") },
  { "strategy.schedule", "zero-bubble", N_("Zero bubble (ZB-H1)") },
  { "strategy.offload", "none", N_("None") },
  { "strategy.offload", "optimizer", N_("Optimizer") },
  { "strategy.offload", "optimizer+params", N_("Optimizer and parameters") },
  { "strategy.offload", "activations", N_("Activations") },
  { "strategy.cp_method", "ring", N_("Ring") },
  { "strategy.cp_method", "allgather", N_("All-gather") },
  { "strategy.cp_method", "ulysses", N_("Ulysses") },
  { "strategy.zero_stage", "0", N_("0 – nothing sharded") },
  { "strategy.zero_stage", "1", N_("1 – optimizer sharded") },
  { "strategy.zero_stage", "2", N_("2 – and gradients") },
  { "strategy.zero_stage", "3", N_("3 – and parameters") },
  { "cluster", "nvlink", N_("NVLink") },
  { "cluster", "infiniband", N_("InfiniBand") },
  { "cluster", "roce", N_("RoCE") },
  { "cluster", "pcie", N_("PCIe") },
  { "cluster", "ethernet", N_("Ethernet") },
  { "cluster", "efa", N_("EFA") },
};

/**
 * shardwise_input_word_title:
 * @path: of a key of the scenario file
 * @word: one of its words
 *
 * Returns: (transfer none): the name that the user reads, translated; @word itself where it has
 * none
 */
const char *
shardwise_input_word_title (const char *path, const char *word)
{
  int framework = sw_name_index (sw_framework_names, word);

  if (g_str_equal (path, "training.framework") && framework >= 0)
    return shardwise_text_framework (framework);
  for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
    if (g_str_has_prefix (path, titles[i].path) && g_str_equal (titles[i].word, word))
      return _(titles[i].title);
  return word;
}
