/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-filter-bar.h"

#include <glib/gi18n.h>

#include "shardwise-container.h"
#include "shardwise-degree-chip.h"
#include "shardwise-format.h"
#include "shardwise-wrap-layout.h"
#include "shardwise-wrapped-label.h"
#include "shardwise-text-strategy.h"

/* A chip lists at most this many values, otherwise their number. */
#define NAMED 3

struct _ShardwiseFacetChip {
  GtkWidget parent_instance;
  guint facet;
  GtkMenuButton *button;
  GtkLabel *label;
  GtkWidget *box, *any;
  GArray *values; /* guint elements: the values of the check boxes */
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (ShardwiseFacetChip, shardwise_facet_chip, GTK_TYPE_WIDGET)

enum { VALUE_TOGGLED, CLEARED, N_FACET_SIGNALS };
static guint facet_signals[N_FACET_SIGNALS];

#define VALUE "shardwise-value"

static char *
full_name (guint facet)
{
  return facet == SHARDWISE_FACET_FRAMEWORK ? g_strdup (_ ("Framework"))
                                            : shardwise_text_dimension ((SwDimension) facet);
}

static char *
value_text (guint facet, guint value)
{
  return facet == SHARDWISE_FACET_FRAMEWORK
             ? g_strdup (shardwise_text_framework (value))
             : shardwise_text_dimension_value ((SwDimension) facet, value);
}

static void
facet_toggled_cb (ShardwiseFacetChip *self, GtkCheckButton *check)
{
  if (!self->updating)
    g_signal_emit (self, facet_signals[VALUE_TOGGLED], 0,
                   GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (check), VALUE)),
                   gtk_check_button_get_active (check));
}

static void
any_cb (ShardwiseFacetChip *self)
{
  g_assert (SHARDWISE_IS_FACET_CHIP (self));

  g_signal_emit (self, facet_signals[CLEARED], 0);
}

static void
build_checks (ShardwiseFacetChip *self, GArray *values)
{
  /* An array that has never had a value has no data to compare. */
  if (self->values->len == values->len
      && (values->len == 0
          || memcmp (self->values->data, values->data, values->len * sizeof (guint)) == 0))
    return;
  shardwise_container_empty (self->box);
  g_array_set_size (self->values, 0);
  g_array_append_vals (self->values, values->data, values->len);
  for (guint i = 0; i < values->len; i++)
    {
      GtkWidget *check = gtk_check_button_new ();

      g_object_set_data (G_OBJECT (check), VALUE,
                         GUINT_TO_POINTER (g_array_index (values, guint, i)));
      g_signal_connect_object (check, "toggled", G_CALLBACK (facet_toggled_cb), self,
                               G_CONNECT_SWAPPED);
      gtk_widget_add_css_class (check, "numeric");
      gtk_box_append (GTK_BOX (self->box), check);
    }
}

static guint
count_of (const ShardwiseFacetValue *found, guint n, guint value)
{
  for (guint i = 0; i < n; i++)
    if (found[i].value == value)
      return found[i].count;
  return 0;
}

static void
update_checks (ShardwiseFacetChip *self, const ShardwiseFacetValue *found, guint n,
               const ShardwiseCandidateFilter *filter)
{
  guint i = 0;

  self->updating = TRUE;
  for (GtkWidget *check = gtk_widget_get_first_child (self->box); check != NULL;
       check = gtk_widget_get_next_sibling (check), i++)
    {
      guint value = g_array_index (self->values, guint, i), count = count_of (found, n, value);
      gboolean chosen = shardwise_candidate_filter_has_chosen (filter, self->facet, value);
      g_autofree char *text = value_text (self->facet, value);
      /* Translators: a value to filter by, and how many strategies have it: "8 (1,204)" */
      g_autofree char *label = g_strdup_printf (_ ("%s (%'u)"), text, count);

      gtk_check_button_set_label (GTK_CHECK_BUTTON (check), label);
      gtk_check_button_set_active (GTK_CHECK_BUTTON (check), chosen);
      gtk_widget_set_sensitive (check, chosen || count > 0);
    }
  self->updating = FALSE;
}

/* "TP" or, with chosen values, "TP 2, 4": distinguished not only by color. */
static char *
label_text (ShardwiseFacetChip *self, const ShardwiseCandidateFilter *filter)
{
  /* Degrees by their abbreviations. */
  g_autofree char *name = self->facet < SW_DIM_SHARD_GROUP ? g_strdup (
                              shardwise_dimension_short_name ((SwDimension) self->facet))
                                                           : full_name (self->facet);
  guint n = filter->n_chosen[self->facet];
  g_autoptr (GString) values = g_string_new (NULL);

  if (n > NAMED)
    /* Translators: the name of a dimension, and how many of its values are chosen, four or more */
    return g_strdup_printf (ngettext ("%s: %u value", "%s: %u values", n), name, n);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *value = value_text (self->facet, filter->chosen[self->facet][i]);

      shardwise_text_items (values, "%s", value);
    }
  return n > 0 ? g_strdup_printf ("%s %s", name, values->str) : g_steal_pointer (&name);
}

static void
update_label (ShardwiseFacetChip *self, const ShardwiseCandidateFilter *filter)
{
  gboolean chosen = filter->n_chosen[self->facet] > 0;
  g_autofree char *text = label_text (self, filter), *name = full_name (self->facet),
                  *spoken = NULL;

  gtk_label_set_label (self->label, text);
  if (chosen)
    gtk_widget_add_css_class (GTK_WIDGET (self->button), "chosen-chip");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->button), "chosen-chip");
  gtk_widget_set_visible (self->any, chosen);
  /* Translators: what a chip filters by and what is chosen: "Tensor parallel: TP 2, 4" */
  spoken = chosen ? g_strdup_printf (_ ("Filter by %s: %s"), name, text)
                  /* Translators: what a chip filters by: "Tensor parallel" */
                  : g_strdup_printf (_ ("Filter by %s: any"), name);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  spoken, -1);
  shardwise_tooltip_set (GTK_WIDGET (self->button), name);
}

/* 
 * shardwise_facet_chip_set:
 * @facets: (nullable): the values of the strategies; %NULL: none
 * @filter: the chosen values */
static void
shardwise_facet_chip_set (ShardwiseFacetChip *self, const ShardwiseCandidateFacets *facets,
                          const ShardwiseCandidateFilter *filter)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (guint));
  const ShardwiseFacetValue *found = NULL;
  const guint *chosen = filter->chosen[self->facet];
  guint n = 0, n_chosen = filter->n_chosen[self->facet], at = 0;

  if (facets != NULL)
    found = shardwise_candidate_facets_get (facets, self->facet, &n);
  /* Chosen values that no strategy has anymore can still be unchecked. */
  for (guint i = 0; i < n; i++)
    {
      for (; at < n_chosen && chosen[at] < found[i].value; at++)
        g_array_append_val (values, chosen[at]);
      at += at < n_chosen && chosen[at] == found[i].value;
      g_array_append_val (values, found[i].value);
    }
  for (; at < n_chosen; at++)
    g_array_append_val (values, chosen[at]);
  build_checks (self, values);
  update_checks (self, found, n, filter);
  update_label (self, filter);
  gtk_widget_set_visible (GTK_WIDGET (self), values->len > 1 || filter->n_chosen[self->facet] > 0);
}

/**
 * shardwise_facet_chip_get_facet:
 *
 * Returns: a SwDimension, or %SHARDWISE_FACET_FRAMEWORK
 */
guint
shardwise_facet_chip_get_facet (ShardwiseFacetChip *self)
{
  g_return_val_if_fail (SHARDWISE_IS_FACET_CHIP (self), 0);

  return self->facet;
}

static void
shardwise_facet_chip_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_FACET_CHIP);
  G_OBJECT_CLASS (shardwise_facet_chip_parent_class)->dispose (object);
}

static void
shardwise_facet_chip_finalize (GObject *object)
{
  g_array_unref (SHARDWISE_FACET_CHIP (object)->values);
  G_OBJECT_CLASS (shardwise_facet_chip_parent_class)->finalize (object);
}

static void
shardwise_facet_chip_class_init (ShardwiseFacetChipClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = shardwise_facet_chip_dispose;
  object_class->finalize = shardwise_facet_chip_finalize;
  facet_signals[VALUE_TOGGLED] = g_signal_new ("value-toggled", G_TYPE_FROM_CLASS (klass),
                                               G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                               2, G_TYPE_UINT, G_TYPE_BOOLEAN);
  facet_signals[CLEARED] = g_signal_new ("cleared", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                         NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-facet-chip.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseFacetChip, button);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseFacetChip, label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseFacetChip, box);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseFacetChip, any);
  gtk_widget_class_bind_template_callback (widget_class, any_cb);
}

static void
shardwise_facet_chip_init (ShardwiseFacetChip *self)
{
  self->values = g_array_new (FALSE, FALSE, sizeof (guint));
  gtk_widget_init_template (GTK_WIDGET (self));
}

#define ROOMY 0.75 /* of the usable memory: the chip "Memory below 75 %" */

struct _ShardwiseFilterBar {
  ShardwiseContainer parent_instance;
  ShardwiseCandidateFilter filter;
  double usable_bytes;
  GtkEditable *search_entry;
  GtkToggleButton *roomy_chip;
  GtkButton *clear_button;
  GtkBox *chip_box;
  GtkWidget *first_line;
};

G_DEFINE_FINAL_TYPE (ShardwiseFilterBar, shardwise_filter_bar, SHARDWISE_TYPE_CONTAINER)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* The most common filters come first; the others are reached by scrolling. */
static const guint order[] = {
  SW_DIM_TP,
  SW_DIM_PP,
  SW_DIM_DP,
  SW_DIM_CP,
  SW_DIM_EP,
  SW_DIM_ZERO,
  SW_DIM_MICRO_BATCH,
  SW_DIM_RECOMPUTE,
  SW_DIM_SCHEDULE,
  SW_DIM_VPP,
  SHARDWISE_FACET_FRAMEWORK,
  SW_DIM_OFFLOAD,
  SW_DIM_SP,
  SW_DIM_ETP,
  SW_DIM_CP_METHOD,
  SW_DIM_SHARD_GROUP,
};

G_STATIC_ASSERT (G_N_ELEMENTS (order) == SHARDWISE_N_FACETS);

static gboolean
is_empty (ShardwiseFilterBar *self)
{
  return shardwise_candidate_filter_is_empty (&self->filter)
         && *gtk_editable_get_text (self->search_entry) == '\0';
}

static void
changed (ShardwiseFilterBar *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self->clear_button), !is_empty (self));
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
search_changed_cb (ShardwiseFilterBar *self)
{
  shardwise_candidate_filter_set_text (&self->filter, gtk_editable_get_text (self->search_entry));
  changed (self);
}

static void
update_memory (ShardwiseFilterBar *self)
{
  self->filter.memory_below_bytes = gtk_toggle_button_get_active (self->roomy_chip)
                                        ? ROOMY * self->usable_bytes
                                        : 0;
  changed (self);
}

static void
toggled_cb (ShardwiseFilterBar *self, guint value, gboolean chosen, ShardwiseFacetChip *chip)
{
  shardwise_candidate_filter_choose (&self->filter, shardwise_facet_chip_get_facet (chip), value,
                                     chosen);
  changed (self);
}

static void
cleared_cb (ShardwiseFilterBar *self, ShardwiseFacetChip *chip)
{
  shardwise_candidate_filter_clear_facet (&self->filter, shardwise_facet_chip_get_facet (chip));
  changed (self);
}

/**
 * shardwise_filter_bar_get_filter:
 *
 * Returns: (transfer none): the current filter
 */
const ShardwiseCandidateFilter *
shardwise_filter_bar_get_filter (ShardwiseFilterBar *self)
{
  g_return_val_if_fail (SHARDWISE_IS_FILTER_BAR (self), NULL);

  return &self->filter;
}

/**
 * shardwise_filter_bar_set_usable_bytes:
 * @usable_bytes: memory of one GPU; the memory chip uses a share of it
 */
void
shardwise_filter_bar_set_usable_bytes (ShardwiseFilterBar *self, double usable_bytes)
{
  g_return_if_fail (SHARDWISE_IS_FILTER_BAR (self));

  if (self->usable_bytes >= usable_bytes && self->usable_bytes <= usable_bytes)
    return;
  self->usable_bytes = usable_bytes;
  if (gtk_toggle_button_get_active (self->roomy_chip))
    update_memory (self);
}

/**
 * shardwise_filter_bar_set_facets:
 * @facets: (nullable): the values of the strategies; copied
 */
void
shardwise_filter_bar_set_facets (ShardwiseFilterBar *self, const ShardwiseCandidateFacets *facets)
{
  g_return_if_fail (SHARDWISE_IS_FILTER_BAR (self));

  for (GtkWidget *chip = gtk_widget_get_first_child (GTK_WIDGET (self->chip_box)); chip != NULL;
       chip = gtk_widget_get_next_sibling (chip))
    shardwise_facet_chip_set (SHARDWISE_FACET_CHIP (chip), facets, &self->filter);
}

/**
 * shardwise_filter_bar_append:
 * @child: a control beside the search entry
 */
void
shardwise_filter_bar_append (ShardwiseFilterBar *self, GtkWidget *child)
{
  g_return_if_fail (SHARDWISE_IS_FILTER_BAR (self) && GTK_IS_WIDGET (child));

  gtk_widget_set_parent (child, self->first_line);
}

static void
clear_cb (ShardwiseFilterBar *self)
{
  g_assert (SHARDWISE_IS_FILTER_BAR (self));

  if (is_empty (self))
    return;
  shardwise_candidate_filter_init (&self->filter);
  gtk_editable_set_text (self->search_entry, "");
  gtk_toggle_button_set_active (self->roomy_chip, FALSE);
  changed (self);
}

/* Type */

static void
shardwise_filter_bar_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_FILTER_BAR);
  G_OBJECT_CLASS (shardwise_filter_bar_parent_class)->dispose (object);
}

static void
shardwise_filter_bar_class_init (ShardwiseFilterBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_filter_bar_dispose;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  g_type_ensure (SHARDWISE_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-filter-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseFilterBar, first_line);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseFilterBar, search_entry);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseFilterBar, clear_button);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseFilterBar, roomy_chip);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseFilterBar, chip_box);
  gtk_widget_class_bind_template_callback (widget_class, search_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, clear_cb);
  gtk_widget_class_bind_template_callback (widget_class, update_memory);
}

static void
shardwise_filter_bar_init (ShardwiseFilterBar *self)
{
  shardwise_candidate_filter_init (&self->filter);
  gtk_widget_init_template (GTK_WIDGET (self));
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    {
      GtkWidget *chip = g_object_new (SHARDWISE_TYPE_FACET_CHIP, "visible", FALSE, NULL);

      SHARDWISE_FACET_CHIP (chip)->facet = order[i];
      g_signal_connect_object (chip, "value-toggled", G_CALLBACK (toggled_cb), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (chip, "cleared", G_CALLBACK (cleared_cb), self, G_CONNECT_SWAPPED);
      gtk_box_append (self->chip_box, chip);
    }
}

/**
 * shardwise_filter_bar_set_text:
 * @self: a bar
 * @text: as typed: "tp 8 pp 4"
 */
void
shardwise_filter_bar_set_text (ShardwiseFilterBar *self, const char *text)
{
  g_return_if_fail (SHARDWISE_IS_FILTER_BAR (self) && text != NULL);

  gtk_editable_set_text (self->search_entry, text);
}
