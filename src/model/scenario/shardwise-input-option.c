/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-input-option.h"

struct _ShardwiseInputOption {
  GObject parent_instance;
  char *value, *label, *subtitle;
  gboolean enabled;
};

G_DEFINE_FINAL_TYPE (ShardwiseInputOption, shardwise_input_option, G_TYPE_OBJECT)

enum { PROP_0, PROP_LABEL, PROP_SUBTITLE, PROP_ENABLED, N_PROPS };
static GParamSpec *properties[N_PROPS];

static void
shardwise_input_option_get_property (GObject *object, guint prop_id, GValue *value,
                                     GParamSpec *pspec)
{
  ShardwiseInputOption *self = SHARDWISE_INPUT_OPTION (object);

  switch (prop_id)
    {
    case PROP_LABEL: g_value_set_string (value, self->label); break;
    case PROP_SUBTITLE: g_value_set_string (value, self->subtitle); break;
    case PROP_ENABLED: g_value_set_boolean (value, self->enabled); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
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
{}

/**
 * shardwise_input_option_new:
 * @value: a word, number or id of the scenario file as text; "" for the automatic choice
 * @label: its text, translated
 * @subtitle: (nullable): details, or why it cannot be chosen, translated
 * @enabled: whether it can be chosen
 *
 * Returns: (transfer full): the option
 */
ShardwiseInputOption *
shardwise_input_option_new (const char *value, const char *label, const char *subtitle,
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
 * Returns: (transfer none): its value in scenario files
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
 * Returns: (transfer none): its text
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
 * Returns: (transfer none) (nullable): its details
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
 * Returns: whether it can be chosen
 */
gboolean
shardwise_input_option_get_enabled (ShardwiseInputOption *self)
{
  g_return_val_if_fail (SHARDWISE_IS_INPUT_OPTION (self), FALSE);
  return self->enabled;
}

/**
 * shardwise_input_option_equal:
 * @a: (nullable): an option
 * @b: another
 *
 * Returns: whether both have the same contents
 */
gboolean
shardwise_input_option_equal (ShardwiseInputOption *a, ShardwiseInputOption *b)
{
  return a != NULL && g_str_equal (a->value, b->value) && g_str_equal (a->label, b->label)
         && g_strcmp0 (a->subtitle, b->subtitle) == 0 && a->enabled == b->enabled;
}
