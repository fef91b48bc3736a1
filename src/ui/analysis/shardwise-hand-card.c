/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-hand-card.h"

#include <glib/gi18n.h>

#include "shardwise-compat.h"
#include "shardwise-degree-chip.h"
#include "shardwise-hand-strategy.h"
#include "shardwise-hand-table.h"
#include "shardwise-option-list.h"
#include "shardwise-changes.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-text-search.h"
#include "shardwise-tooltip.h"
#include "shardwise-wrap-layout.h"
#include "shardwise-wrapped-label.h"

/* One dimension: its name above a list of its values. */
typedef struct {
  GtkWidget *box;
  GtkDropDown *list;
  guint values[SHARDWISE_HAND_MAX_VALUES];
  guint n;
} Control;

struct _ShardwiseHandCard {
  AdwBin parent_instance;

  ShardwiseAdvisor *advisor; /* (nullable) */
  ShardwiseAdvice *advice;   /* (nullable): of which it was last filled */
  SwStrategy strategy;
  SwEstimate estimate;
  gboolean edited, has_figures, filling;

  Control controls[SW_N_DIMENSIONS];
  ShardwiseHandTable *table;
  GtkLabel *verdict;
  GtkImage *verdict_icon;
  GtkButton *pin_button;
};

G_DEFINE_FINAL_TYPE (ShardwiseHandCard, shardwise_hand_card, ADW_TYPE_BIN)

static const SwDimension order[] = {
  SW_DIM_TP,  SW_DIM_PP,       SW_DIM_DP,          SW_DIM_CP,          SW_DIM_EP,
  SW_DIM_ETP, SW_DIM_ZERO,     SW_DIM_SHARD_GROUP, SW_DIM_MICRO_BATCH, SW_DIM_RECOMPUTE,
  SW_DIM_SP,  SW_DIM_SCHEDULE, SW_DIM_VPP,         SW_DIM_CP_METHOD,   SW_DIM_OFFLOAD,
};

/* ---- what is shown ---- */

static char *
word_of (const SwStrategy *strategy, SwDimension dimension, guint value)
{
  SwStrategy other = *strategy;

  sw_strategy_set (&other, dimension, value);
  return shardwise_text_value (&other, dimension);
}

static void
fill_control (ShardwiseHandCard *self, const SwProblem *problem, SwDimension dimension)
{
  Control *control = &self->controls[dimension];
  guint values[SHARDWISE_HAND_MAX_VALUES], present = sw_strategy_get (&self->strategy, dimension);
  guint n = shardwise_hand_values (problem, &self->strategy, dimension, values);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) words = NULL;

  gtk_widget_set_visible (control->box,
                          shardwise_hand_applies (problem, &self->strategy, dimension));
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *word = word_of (&self->strategy, dimension, values[i]);

      g_strv_builder_add (builder, word);
    }
  words = g_strv_builder_end (builder);
  memcpy (control->values, values, n * sizeof *values);
  control->n = n;
  shardwise_compat_set_words (control->list, (const char *const *) words);
  for (guint i = 0; i < n; i++)
    if (values[i] == present)
      gtk_drop_down_set_selected (control->list, i);
}

static char *
verdict_of (ShardwiseHandCard *self, const SwProblem *problem)
{
  const SwEstimate *e = &self->estimate;
  g_autofree char *memory = shardwise_format_bytes (e->memory.peak.total),
                  *limit = shardwise_format_bytes (e->memory_limit_bytes), *rule = NULL;

  if (e->fits)
    /* Translators: memory of a GPU, and how much of it may be used */
    return g_strdup_printf (_ ("It fits: %s on the fullest GPU, %s may be used."), memory, limit);
  rule = shardwise_text_rule (problem, &e->strategy, e->rule, e->missing_bytes);
  /* Translators: why a strategy cannot be used: "64 attention heads are not divisible by TP 3" */
  return self->has_figures ? g_strdup_printf (_ ("It does not fit: %s."), rule)
                           : g_strdup_printf (_ ("It cannot run: %s."), rule);
}

static void
show_verdict (ShardwiseHandCard *self, const SwProblem *problem)
{
  g_autofree char *text = verdict_of (self, problem);
  gboolean fits = self->estimate.fits;

  shardwise_wrapped_label_show (self->verdict, text);
  gtk_image_set_from_icon_name (self->verdict_icon,
                                fits ? "object-select-symbolic" : "window-close-symbolic");
  gtk_widget_remove_css_class (GTK_WIDGET (self->verdict_icon), fits ? "error" : "success");
  gtk_widget_add_css_class (GTK_WIDGET (self->verdict_icon), fits ? "success" : "error");
}

static void
show_pin (ShardwiseHandCard *self, const SwProblem *problem)
{
  guint dimensions = 0;

  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    if (shardwise_hand_applies (problem, &self->strategy, order[i]))
      dimensions |= 1u << order[i];
  gtk_actionable_set_action_target_value (GTK_ACTIONABLE (self->pin_button),
                                          shardwise_strategy_changes (&self->strategy, dimensions));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->pin_button), "win.apply");
  gtk_widget_set_visible (GTK_WIDGET (self->pin_button), self->has_figures);
}

static void
show (ShardwiseHandCard *self)
{
  const SwProblem *problem = shardwise_advice_get_problem (self->advice);
  const SwEstimate *recommended = shardwise_advice_get_recommended (self->advice);

  self->has_figures = shardwise_hand_estimate (problem, &self->strategy, &self->estimate);
  self->filling = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    fill_control (self, problem, order[i]);
  self->filling = FALSE;
  show_verdict (self, problem);
  show_pin (self, problem);
  shardwise_hand_table_set (self->table, recommended, &self->estimate, self->has_figures);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "hand.reset", self->edited);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "hand.show", self->has_figures);
}

/* ---- what is done ---- */

/**
 * shardwise_hand_card_set_dimension:
 * @self: a card with advice
 * @dimension: a dimension
 * @value: of it, allowed or not
 *
 * Sets a dimension as if the user chose it.
 */
void
shardwise_hand_card_set_dimension (ShardwiseHandCard *self, SwDimension dimension, guint value)
{
  g_return_if_fail (SHARDWISE_IS_HAND_CARD (self) && self->advice != NULL);

  if (sw_strategy_get (&self->strategy, dimension) == value)
    return;
  self->edited = TRUE;
  shardwise_hand_set (shardwise_advice_get_problem (self->advice), &self->strategy, dimension,
                      value);
  show (self);
}

static void
selected_cb (GtkDropDown *list, GParamSpec *spec, ShardwiseHandCard *self)
{
  guint at = gtk_drop_down_get_selected (list);

  if (self->filling || at == GTK_INVALID_LIST_POSITION)
    return;
  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    if (self->controls[i].list == list && at < self->controls[i].n)
      {
        shardwise_hand_card_set_dimension (self, i, self->controls[i].values[at]);
        return;
      }
}

static void
reset_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ShardwiseHandCard *self = SHARDWISE_HAND_CARD (widget);

  if (self->advice == NULL)
    return;
  self->edited = FALSE;
  self->strategy = shardwise_advice_get_recommended (self->advice)->strategy;
  show (self);
}

/* Every page looks at it then, as at one of the alternatives. */
static void
show_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ShardwiseHandCard *self = SHARDWISE_HAND_CARD (widget);

  if (self->advisor != NULL && self->has_figures)
    shardwise_advisor_set_selected (self->advisor, &self->estimate);
}

/**
 * shardwise_hand_card_set_advisor:
 * @self: a card
 * @advisor: whose present advice is compared with; what was set by hand stays as the advice changes
 */
void
shardwise_hand_card_set_advisor (ShardwiseHandCard *self, ShardwiseAdvisor *advisor)
{
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);

  g_return_if_fail (SHARDWISE_IS_HAND_CARD (self));

  g_set_object (&self->advisor, advisor);
  gtk_widget_set_visible (GTK_WIDGET (self), advice != NULL);
  if (advice == NULL || !g_set_object (&self->advice, advice))
    return;
  if (!self->edited)
    self->strategy = shardwise_advice_get_recommended (advice)->strategy;
  show (self);
}

/**
 * shardwise_hand_card_get_estimate:
 *
 * Returns: (transfer none): what the engine says of what is set
 */
const SwEstimate *
shardwise_hand_card_get_estimate (ShardwiseHandCard *self)
{
  g_return_val_if_fail (SHARDWISE_IS_HAND_CARD (self), NULL);
  return &self->estimate;
}

/* ---- the card ---- */

static GtkWidget *
add_control (ShardwiseHandCard *self, SwDimension dimension)
{
  Control *control = &self->controls[dimension];
  GtkWidget *list = gtk_drop_down_new (NULL, NULL);
  g_autofree char *name = shardwise_text_dimension (dimension);

  control->list = GTK_DROP_DOWN (list);
  control->box = shardwise_labelled_new (shardwise_dimension_short_name (dimension), list);
  gtk_widget_set_tooltip_text (control->box, name);
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  g_signal_connect_object (list, "notify::selected", G_CALLBACK (selected_cb), self, 0);
  return control->box;
}

static GtkWidget *
controls_new (ShardwiseHandCard *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_widget_set_layout_manager (box, shardwise_wrap_layout_new (9, 9, 130, 0));
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    gtk_box_append (GTK_BOX (box), add_control (self, order[i]));
  return box;
}

static GtkWidget *
verdict_new (ShardwiseHandCard *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 9);

  self->verdict_icon = g_object_new (GTK_TYPE_IMAGE, "accessible-role",
                                     GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);
  self->verdict = GTK_LABEL (shardwise_wrapped_label_new (NULL, "numeric"));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->verdict_icon));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->verdict));
  return box;
}

static GtkWidget *
button_new (const char *label, const char *tooltip, const char *action)
{
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_widget_set_tooltip_text (button, tooltip);
  shardwise_tooltip_wrap (button);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  return button;
}

static GtkWidget *
buttons_new (ShardwiseHandCard *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_widget_set_layout_manager (box, shardwise_wrap_layout_new (9, 9, 0, 0));
  /* Its action comes with the values: win.apply takes no button without them. */
  self->pin_button = GTK_BUTTON (
      button_new (_ ("Pin in the Inputs"), _ ("Fixes these values in the scenario"), NULL));
  gtk_box_append (GTK_BOX (box), button_new (_ ("Show in the Charts"),
                                             _ ("Every page looks at this strategy"), "hand.show"));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->pin_button));
  gtk_box_append (GTK_BOX (box),
                  button_new (_ ("Reset"), _ ("Back to the recommended strategy"), "hand.reset"));
  return box;
}

static void
shardwise_hand_card_dispose (GObject *object)
{
  g_clear_object (&SHARDWISE_HAND_CARD (object)->advisor);
  g_clear_object (&SHARDWISE_HAND_CARD (object)->advice);
  G_OBJECT_CLASS (shardwise_hand_card_parent_class)->dispose (object);
}

static void
shardwise_hand_card_class_init (ShardwiseHandCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_hand_card_dispose;
  gtk_widget_class_install_action (widget_class, "hand.reset", NULL, reset_cb);
  gtk_widget_class_install_action (widget_class, "hand.show", NULL, show_cb);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
shardwise_hand_card_init (ShardwiseHandCard *self)
{
  GtkWidget *card = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);

  self->table = SHARDWISE_HAND_TABLE (shardwise_hand_table_new ());
  gtk_widget_add_css_class (card, "card");
  gtk_widget_add_css_class (card, "opinion-card");
  gtk_box_append (GTK_BOX (card),
                  shardwise_wrapped_label_new (_ ("Calculator by hand"), "heading"));
  gtk_box_append (
      GTK_BOX (card),
      shardwise_wrapped_label_new (
          _ ("Set any degree: the recommendation and the inputs stay as they are."), "dim-label"));
  gtk_box_append (GTK_BOX (card), controls_new (self));
  gtk_box_append (GTK_BOX (card), verdict_new (self));
  gtk_box_append (GTK_BOX (card), GTK_WIDGET (self->table));
  gtk_box_append (GTK_BOX (card), buttons_new (self));
  adw_bin_set_child (ADW_BIN (self), card);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Calculator by hand"), -1);
}
