/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-hand-card.h"

#include <glib/gi18n.h>
#include <gtk/gtk.h>
#include <math.h>

#include "shardwise-container.h"
#include "shardwise-drop-down.h"
#include "shardwise-degree-chip.h"
#include "shardwise-input-degrees.h"
#include "shardwise-neighbour-table.h"
#include "shardwise-option-list.h"
#include "shardwise-changes.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-text-search.h"
#include "shardwise-wrapped-label.h"
#include "shardwise-wrap-layout.h"
#include "sw-estimate.h"

/* A strategy set by hand, one dimension after the other, even if the search would reject it. */

/* @problem: the question
 * @strategy: the current values
 * @dimension: one of its dimensions
 *
 * Returns: whether the dimension has a choice, given the others */
static gboolean
shardwise_hand_applies (const SwProblem *problem, const SwStrategy *strategy, SwDimension dimension)
{
  switch (dimension)
    {
    case SW_DIM_SP: return strategy->tp > 1;
    case SW_DIM_VPP:
    case SW_DIM_SCHEDULE: return strategy->pp > 1;
    case SW_DIM_CP_METHOD: return strategy->cp > 1;
    case SW_DIM_EP:
      return problem->model.moe.experts > 0 || strategy->ep > 1; /* left from another model */
    case SW_DIM_ETP: return strategy->ep > 1;
    case SW_DIM_SHARD_GROUP: return strategy->zero_stage > 0 && strategy->dp > 1;
    case SW_DIM_TP:
    case SW_DIM_PP:
    case SW_DIM_DP:
    case SW_DIM_CP:
    case SW_DIM_ZERO:
    case SW_DIM_MICRO_BATCH:
    case SW_DIM_RECOMPUTE:
    case SW_DIM_OFFLOAD:
    case SW_N_DIMENSIONS:
    default: return dimension < SW_N_DIMENSIONS;
    }
}

/* The last value of a dimension with words or stages as values, which are all offered. */
static guint
last_word (const SwStrategy *strategy, SwDimension dimension)
{
  switch ((guint) dimension)
    {
    case SW_DIM_SP: return TRUE;
    case SW_DIM_ZERO: return 3;
    case SW_DIM_RECOMPUTE: /* the number of full layers cannot be set here */
      return strategy->full_layers > 0 ? SW_RECOMPUTE_FULL_LAYERS : SW_RECOMPUTE_FULL;
    case SW_DIM_SCHEDULE: return SW_SCHEDULE_ZERO_BUBBLE;
    case SW_DIM_OFFLOAD: return SW_OFFLOAD_ACTIVATIONS;
    case SW_DIM_CP_METHOD: return SW_CP_ULYSSES;
    default: return 0;
    }
}

/* Keeps the list in order. */
static guint
insert_value (guint *values, guint n, guint value)
{
  guint at = n;

  for (guint i = 0; i < n; i++)
    if (values[i] == value)
      return n;
  for (; at > 0 && values[at - 1] > value; at--)
    values[at] = values[at - 1];
  values[at] = value;
  return n + 1;
}

/* @problem: the question
 * @strategy: the current values
 * @dimension: one of its dimensions
 * @out: (out): the values to choose from, in order, including the current one
 *
 * Returns: their number */
guint
shardwise_hand_values (const SwProblem *problem, const SwStrategy *strategy, SwDimension dimension,
                       guint out[SHARDWISE_HAND_MAX_VALUES])
{
  guint last = last_word (strategy, dimension), n = 0;

  G_STATIC_ASSERT (SHARDWISE_HAND_MAX_VALUES > SHARDWISE_INPUT_MAX_DEGREES);
  if (last == 0)
    n = shardwise_input_degree_values (problem, dimension, out);
  else
    for (guint value = 0; value <= last; value++)
      out[n++] = value;
  return insert_value (out, n, sw_strategy_get (strategy, dimension));
}

/* @problem: the question
 * @strategy: (inout): the current values
 * @dimension: one of its dimensions
 * @value: its value, allowed or not
 *
 * Sets a dimension, and those that depend on it: the number of replicas follows when TP, PP or CP
 * change, sequence parallelism follows TP, chunks the schedule; meaningless values return to their
 * defaults. */
void
shardwise_hand_set (const SwProblem *problem, SwStrategy *strategy, SwDimension dimension,
                    guint value)
{
  gboolean whole_groups = strategy->shard_group == strategy->dp,
           same_tp = strategy->etp == strategy->tp;
  gboolean was_single = strategy->tp == 1;

  sw_strategy_set (strategy, dimension, value);
  /* The number of replicas for the GPUs. */
  if (dimension == SW_DIM_TP || dimension == SW_DIM_PP || dimension == SW_DIM_CP)
    strategy->dp = MAX (problem->cluster.gpus / MAX (strategy->tp * strategy->pp * strategy->cp, 1),
                        1);
  if (strategy->tp == 1 || (dimension == SW_DIM_TP && was_single))
    strategy->sequence_parallel = strategy->tp > 1;
  if (dimension != SW_DIM_ETP && (same_tp || strategy->ep == 1))
    strategy->etp = strategy->tp;
  if (dimension != SW_DIM_SHARD_GROUP && (whole_groups || strategy->shard_group > strategy->dp))
    strategy->shard_group = strategy->dp;
  if (strategy->zero_stage == 0)
    strategy->shard_group = strategy->dp;
  if (strategy->cp == 1)
    strategy->cp_method = SW_CP_RING;
  if (dimension == SW_DIM_VPP)
    strategy->schedule = strategy->vpp > 1                               ? SW_SCHEDULE_INTERLEAVED
                         : strategy->schedule == SW_SCHEDULE_INTERLEAVED ? SW_SCHEDULE_1F1B
                                                                         : strategy->schedule;
  else if (dimension == SW_DIM_SCHEDULE)
    strategy->vpp = strategy->schedule == SW_SCHEDULE_INTERLEAVED ? MAX (strategy->vpp, 2) : 1;
  if (strategy->pp > 1)
    return;
  strategy->vpp = 1;
  strategy->schedule = SW_SCHEDULE_1F1B;
}

/* @problem: the question
 * @strategy: the current values
 * @out: (out): the engine's estimate, regardless of pins in the question
 *
 * Returns: whether the figures are valid: no rule is broken, except for the memory */
gboolean
shardwise_hand_estimate (const SwProblem *problem, const SwStrategy *strategy, SwEstimate *out)
{
  SwProblem free_problem = *problem;

  free_problem.pins.mask = 0;
  sw_estimate (&free_problem, strategy, out);
  return out->fits || out->rule == SW_RULE_GPU_MEMORY || out->rule == SW_RULE_HOST_MEMORY;
}

/* One figure: that of the strategy, that of the other one, and the difference. */
enum { LABEL_VALUE, LABEL_BASE, LABEL_CHANGE, N_LABELS };

/* A change below half of the last displayed digit counts as none. */

typedef enum {
  FIGURE_MEMORY,
  FIGURE_HOST,
  FIGURE_STEP,
  FIGURE_TOKENS,
  FIGURE_MFU,
  FIGURE_COMMUNICATION,
  FIGURE_BUBBLE,
  FIGURE_ACCUMULATION,
  FIGURE_GPUS,
  N_FIGURES
} Figure;

typedef struct {
  const char *name;
  char *(*format) (double value);
  gboolean is_share; /* the difference is in points */
  int better;        /* 1: more, -1: less, 0: neither */
} FigureInfo;

static const FigureInfo figures[N_FIGURES] = {
  [FIGURE_MEMORY] = { N_ ("Memory per GPU"), shardwise_format_bytes, FALSE, -1 },
  [FIGURE_HOST] = { N_ ("Host memory per node"), shardwise_format_bytes, FALSE, -1 },
  [FIGURE_STEP] = { N_ ("Step"), shardwise_format_seconds, FALSE, -1 },
  [FIGURE_TOKENS] = { N_ ("Tokens/s per GPU"), shardwise_format_significant, FALSE, 1 },
  [FIGURE_MFU] = { N_ ("MFU, dense peak"), shardwise_format_percent, TRUE, 1 },
  [FIGURE_COMMUNICATION] = { N_ ("Communication"), shardwise_format_percent, TRUE, -1 },
  [FIGURE_BUBBLE] = { N_ ("Bubble"), shardwise_format_percent, TRUE, -1 },
  [FIGURE_ACCUMULATION] = { N_ ("Micro-batches per step"), shardwise_format_whole, FALSE, 0 },
  [FIGURE_GPUS] = { N_ ("GPUs used"), shardwise_format_whole, FALSE, 0 },
};

struct _ShardwiseHandTable {
  ShardwiseContainer parent_instance;
  GtkWidget *tiles[N_FIGURES];
  GtkLabel *labels[N_FIGURES][N_LABELS];
};

G_DEFINE_FINAL_TYPE (ShardwiseHandTable, shardwise_hand_table, SHARDWISE_TYPE_CONTAINER)

static double
figure_of (const SwEstimate *estimate, Figure figure)
{
  switch (figure)
    {
    case FIGURE_MEMORY: return estimate->memory.peak.total;
    case FIGURE_HOST: return estimate->memory.host_bytes;
    case FIGURE_STEP: return estimate->time.step_s;
    case FIGURE_TOKENS: return estimate->tokens_per_s_per_gpu;
    case FIGURE_MFU: return estimate->mfu;
    case FIGURE_COMMUNICATION: return estimate->communication_overhead;
    case FIGURE_BUBBLE: return estimate->bubble_fraction;
    case FIGURE_ACCUMULATION: return estimate->gradient_accumulation;
    case FIGURE_GPUS: return estimate->gpus_used;
    case N_FIGURES:
    default: return 0;
    }
}

static void
show_figure (ShardwiseHandTable *self, Figure figure, const SwEstimate *base,
             const SwEstimate *other)
{
  GtkLabel **labels = self->labels[figure];
  g_autofree char *before = figures[figure].format (figure_of (base, figure));
  g_autofree char *after = other != NULL ? figures[figure].format (figure_of (other, figure))
                                         : g_strdup ("–");
  /* Translators: a figure of the recommended strategy */
  g_autofree char *recommended = g_strdup_printf (_ ("recommended %s"), before);
  const gboolean is_other = other == NULL || !sw_strategy_equal (&base->strategy, &other->strategy);

  gtk_widget_set_visible (self->tiles[figure],
                          figure != FIGURE_HOST || base->memory.host_bytes > 0
                              || (other != NULL && other->memory.host_bytes > 0));
  gtk_label_set_label (labels[LABEL_BASE], recommended);
  gtk_widget_set_visible (GTK_WIDGET (labels[LABEL_BASE]), is_other);
  shardwise_label_set_figure (labels[LABEL_VALUE], after);
  gtk_widget_set_visible (GTK_WIDGET (labels[LABEL_CHANGE]), other != NULL && is_other);
  gtk_label_set_label (labels[LABEL_CHANGE], "");
  if (other != NULL)
    {
      const FigureInfo *info = &figures[figure];
      double old = figure_of (base, figure), now = figure_of (other, figure);
      double change = info->is_share ? now - old : now / old - 1;
      const char *css_class = info->better != 0 ? shardwise_change_class (change, info->better > 0)
                                                : NULL;
      g_autofree char *text = info->is_share ? shardwise_signed_points (change)
                                             : shardwise_signed_percent (change);

      shardwise_label_set_figure (labels[LABEL_CHANGE], text);
      gtk_widget_remove_css_class (GTK_WIDGET (labels[LABEL_CHANGE]), "success");
      gtk_widget_remove_css_class (GTK_WIDGET (labels[LABEL_CHANGE]), "error");
      if (css_class != NULL)
        gtk_widget_add_css_class (GTK_WIDGET (labels[LABEL_CHANGE]), css_class);
    }
}

static GtkLabel *
add_label (GtkWidget *tile, const char *text, const char *css_class, gboolean dim)
{
  GtkWidget *label = shardwise_wrapped_label_new (text, css_class);

  gtk_widget_add_css_class (label, "numeric");
  if (dim)
    gtk_widget_add_css_class (label, "dim-label");
  gtk_box_append (GTK_BOX (tile), label);
  return GTK_LABEL (label);
}

static void
shardwise_hand_table_class_init (ShardwiseHandTableClass *klass)
{
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
shardwise_hand_table_init (ShardwiseHandTable *self)
{
  gtk_widget_set_layout_manager (GTK_WIDGET (self), shardwise_wrap_layout_new (12, 12, 140, 0));
  for (guint figure = 0; figure < N_FIGURES; figure++)
    {
      GtkWidget *tile = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
      GtkLabel **labels = self->labels[figure];

      add_label (tile, _ (figures[figure].name), "caption", TRUE);
      labels[LABEL_VALUE] = add_label (tile, NULL, "heading", FALSE);
      labels[LABEL_CHANGE] = add_label (tile, NULL, "caption", FALSE);
      labels[LABEL_BASE] = add_label (tile, NULL, "caption", TRUE);
      gtk_widget_set_parent (tile, GTK_WIDGET (self));
      self->tiles[figure] = tile;
    }
}

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
  ShardwiseAdvice *advice;   /* (nullable): the source of the values */
  SwStrategy strategy;
  SwEstimate estimate;
  gboolean edited, has_figures, filling;

  Control controls[SW_N_DIMENSIONS];
  ShardwiseHandTable *table;
  GtkLabel *verdict;
  GtkImage *verdict_icon;
  GtkButton *pin_button;
  GtkWidget *show_button, *reset_button;
  GtkBox *controls_box;
};

G_DEFINE_FINAL_TYPE (ShardwiseHandCard, shardwise_hand_card, ADW_TYPE_BIN)

static const SwDimension order[] = {
  SW_DIM_TP,  SW_DIM_PP,       SW_DIM_DP,          SW_DIM_CP,          SW_DIM_EP,
  SW_DIM_ETP, SW_DIM_ZERO,     SW_DIM_SHARD_GROUP, SW_DIM_MICRO_BATCH, SW_DIM_RECOMPUTE,
  SW_DIM_SP,  SW_DIM_SCHEDULE, SW_DIM_VPP,         SW_DIM_CP_METHOD,   SW_DIM_OFFLOAD,
};

/* ---- what is shown ---- */

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
      SwStrategy other = self->strategy;
      g_autofree char *word = NULL;

      sw_strategy_set (&other, dimension, values[i]);
      word = shardwise_text_value (&other, dimension);
      g_strv_builder_add (builder, word);
    }
  words = g_strv_builder_end (builder);
  memcpy (control->values, values, n * sizeof *values);
  control->n = n;
  shardwise_drop_down_set_words (control->list, (const char *const *) words);
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
    return g_strdup_printf (_ ("It fits: %s on the fullest GPU; the limit is %s."), memory, limit);
  rule = shardwise_text_rule (problem, &e->strategy, e->rule, e->missing_bytes);
  /* Translators: why a strategy cannot be used: "64 attention heads are not divisible by TP 3" */
  return self->has_figures ? g_strdup_printf (_ ("It does not fit: %s."), rule)
                           : g_strdup_printf (_ ("It cannot run: %s."), rule);
}

static void
show (ShardwiseHandCard *self)
{
  const SwProblem *problem = shardwise_advice_get_problem (self->advice);
  const SwEstimate *recommended = shardwise_advice_get_recommended (self->advice);
  g_autofree char *text = NULL;
  guint dimensions = 0;
  gboolean fits;

  self->has_figures = shardwise_hand_estimate (problem, &self->strategy, &self->estimate);
  self->filling = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    fill_control (self, problem, order[i]);
  self->filling = FALSE;
  text = verdict_of (self, problem);
  fits = self->estimate.fits;
  shardwise_wrapped_label_show (self->verdict, text);
  gtk_image_set_from_icon_name (self->verdict_icon,
                                fits ? "object-select-symbolic" : "window-close-symbolic");
  gtk_widget_remove_css_class (GTK_WIDGET (self->verdict_icon), fits ? "error" : "success");
  gtk_widget_add_css_class (GTK_WIDGET (self->verdict_icon), fits ? "success" : "error");
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    if (shardwise_hand_applies (problem, &self->strategy, order[i]))
      dimensions |= 1u << order[i];
  gtk_actionable_set_action_target_value (GTK_ACTIONABLE (self->pin_button),
                                          shardwise_strategy_changes (&self->strategy, dimensions));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->pin_button), "win.apply");
  gtk_widget_set_visible (GTK_WIDGET (self->pin_button), self->has_figures);
  /* without an estimate, only the broken rule is shown */
  for (guint figure = 0; figure < N_FIGURES; figure++)
    show_figure (self->table, figure, recommended, self->has_figures ? &self->estimate : NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "hand.reset", self->edited);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "hand.show", self->has_figures);
}

/* ---- what is done ---- */

/**
 * shardwise_hand_card_set_dimension:
 * @self: a card with advice
 * @dimension: a dimension
 * @value: its value, allowed or not
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

/* Every page then shows it, like one of the alternatives. */
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
 * @advisor: the source of the advice to compare with; values set by hand stay when the advice
 * changes
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
 * Returns: (transfer none): the estimate of the current strategy
 */
const SwEstimate *
shardwise_hand_card_get_estimate (ShardwiseHandCard *self)
{
  g_return_val_if_fail (SHARDWISE_IS_HAND_CARD (self), NULL);
  return &self->estimate;
}

/* ---- the card ---- */

static void
shardwise_hand_card_dispose (GObject *object)
{
  g_clear_object (&SHARDWISE_HAND_CARD (object)->advisor);
  g_clear_object (&SHARDWISE_HAND_CARD (object)->advice);
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_HAND_CARD);
  G_OBJECT_CLASS (shardwise_hand_card_parent_class)->dispose (object);
}

static void
shardwise_hand_card_class_init (ShardwiseHandCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_hand_card_dispose;
  g_type_ensure (SHARDWISE_TYPE_HAND_TABLE);
  g_type_ensure (SHARDWISE_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-hand-card.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseHandCard, controls_box);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseHandCard, verdict_icon);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseHandCard, verdict);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseHandCard, table);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseHandCard, show_button);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseHandCard, pin_button);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseHandCard, reset_button);
  gtk_widget_class_install_action (widget_class, "hand.reset", NULL, reset_cb);
  gtk_widget_class_install_action (widget_class, "hand.show", NULL, show_cb);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
shardwise_hand_card_init (ShardwiseHandCard *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  shardwise_tooltip_wrap (self->show_button);
  shardwise_tooltip_wrap (GTK_WIDGET (self->pin_button));
  shardwise_tooltip_wrap (self->reset_button);
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    {
      Control *control = &self->controls[order[i]];
      GtkWidget *list = gtk_drop_down_new (NULL, NULL);
      g_autofree char *name = shardwise_text_dimension (order[i]);

      control->list = GTK_DROP_DOWN (list);
      control->box = shardwise_labelled_new (shardwise_dimension_short_name (order[i]), list);
      gtk_widget_set_tooltip_text (control->box, name);
      gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                      -1);
      g_signal_connect_object (list, "notify::selected", G_CALLBACK (selected_cb), self, 0);
      gtk_box_append (self->controls_box, control->box);
    }
}
