/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-facet-chip.h"

#include <glib/gi18n.h>
#include "shardwise-degree-chip.h"
#include "shardwise-text-strategy.h"
#include "shardwise-wrapped-label.h"

/* Pixels; a popover with more values scrolls. */
#define POPOVER_HEIGHT 360
/* A chip names no more values; of more it says how many. */
#define NAMED 3

struct _ShardwiseFacetChip {
  GtkWidget parent_instance;
  guint facet;
  GtkMenuButton *button;
  GtkLabel *label;
  GtkWidget *box, *any;
  GArray *values; /* of guint: those that the boxes are of */
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (ShardwiseFacetChip, shardwise_facet_chip, GTK_TYPE_WIDGET)

enum { VALUE_TOGGLED, CLEARED, N_SIGNALS };
static guint signals[N_SIGNALS];

#define VALUE "shardwise-value"

static char *
full_name (guint facet)
{
  return facet == SHARDWISE_FACET_FRAMEWORK ? g_strdup (_ ("Framework"))
                                            : shardwise_text_dimension ((SwDimension) facet);
}

/* Degrees by their abbreviations. */
static char *
facet_name (guint facet)
{
  return facet < SW_DIM_SHARD_GROUP
             ? g_strdup (shardwise_dimension_short_name ((SwDimension) facet))
             : full_name (facet);
}

static char *
value_text (guint facet, guint value)
{
  return facet == SHARDWISE_FACET_FRAMEWORK
             ? g_strdup (shardwise_text_framework (value))
             : shardwise_text_dimension_value ((SwDimension) facet, value);
}

static void
toggled_cb (ShardwiseFacetChip *self, GtkCheckButton *check)
{
  if (!self->updating)
    g_signal_emit (self, signals[VALUE_TOGGLED], 0,
                   GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (check), VALUE)),
                   gtk_check_button_get_active (check));
}

static void
any_cb (ShardwiseFacetChip *self)
{
  g_signal_emit (self, signals[CLEARED], 0);
}

/* Chosen values that strategies no longer have can still be let go of. */
static void
list_values (ShardwiseFacetChip *self, const ShardwiseFacetValue *found, guint n,
             const ShardwiseCandidateFilter *filter, GArray *out)
{
  const guint *chosen = filter->chosen[self->facet];
  guint n_chosen = filter->n_chosen[self->facet], at = 0;

  for (guint i = 0; i < n; i++)
    {
      for (; at < n_chosen && chosen[at] < found[i].value; at++)
        g_array_append_val (out, chosen[at]);
      at += at < n_chosen && chosen[at] == found[i].value;
      g_array_append_val (out, found[i].value);
    }
  for (; at < n_chosen; at++)
    g_array_append_val (out, chosen[at]);
}

static void
build_checks (ShardwiseFacetChip *self, GArray *values)
{
  GtkWidget *child;

  /* An array that has never had a value has no data to compare. */
  if (self->values->len == values->len
      && (values->len == 0
          || memcmp (self->values->data, values->data, values->len * sizeof (guint)) == 0))
    return;
  while ((child = gtk_widget_get_first_child (self->box)) != NULL)
    gtk_box_remove (GTK_BOX (self->box), child);
  g_array_set_size (self->values, 0);
  g_array_append_vals (self->values, values->data, values->len);
  for (guint i = 0; i < values->len; i++)
    {
      GtkWidget *check = gtk_check_button_new ();

      g_object_set_data (G_OBJECT (check), VALUE,
                         GUINT_TO_POINTER (g_array_index (values, guint, i)));
      g_signal_connect_object (check, "toggled", G_CALLBACK (toggled_cb), self, G_CONNECT_SWAPPED);
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

/* "TP" or, where values are chosen, "TP 2, 4": told apart by more than the colour. */
static char *
label_text (ShardwiseFacetChip *self, const ShardwiseCandidateFilter *filter)
{
  g_autofree char *name = facet_name (self->facet);
  GString *text = g_string_new (name);
  guint n = filter->n_chosen[self->facet];

  if (n > NAMED)
    /* Translators: after the name of a dimension: how many of its values are chosen, four or more
     */
    g_string_append_printf (text, ngettext (": %u value", ": %u values", n), n);
  for (guint i = 0; i < n && n <= NAMED; i++)
    {
      g_autofree char *value = value_text (self->facet, filter->chosen[self->facet][i]);

      g_string_append_printf (text, "%s%s", i > 0 ? ", " : " ", value);
    }
  return g_string_free (text, FALSE);
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

/**
 * shardwise_facet_chip_set:
 * @facets: (nullable): the values that strategies have; %NULL: none
 * @filter: what is chosen
 */
void
shardwise_facet_chip_set (ShardwiseFacetChip *self, const ShardwiseCandidateFacets *facets,
                          const ShardwiseCandidateFilter *filter)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (guint));
  const ShardwiseFacetValue *found = NULL;
  guint n = 0;

  g_return_if_fail (SHARDWISE_IS_FACET_CHIP (self) && filter != NULL);

  if (facets != NULL)
    found = shardwise_candidate_facets_get (facets, self->facet, &n);
  list_values (self, found, n, filter, values);
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
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
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

  object_class->dispose = shardwise_facet_chip_dispose;
  object_class->finalize = shardwise_facet_chip_finalize;
  signals[VALUE_TOGGLED] = g_signal_new ("value-toggled", G_TYPE_FROM_CLASS (klass),
                                         G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                                         G_TYPE_UINT, G_TYPE_BOOLEAN);
  signals[CLEARED] = g_signal_new ("cleared", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static GtkWidget *
popover_new (ShardwiseFacetChip *self)
{
  GtkWidget *popover = gtk_popover_new (), *scroller = gtk_scrolled_window_new ();
  GtkWidget *content = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  self->any = gtk_button_new_with_mnemonic (_ ("_Any"));
  gtk_widget_add_css_class (self->any, "flat");
  g_signal_connect_object (self->any, "clicked", G_CALLBACK (any_cb), self, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (content), self->box);
  gtk_box_append (GTK_BOX (content), self->any);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), content);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroller), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scroller), POPOVER_HEIGHT);
  gtk_popover_set_child (GTK_POPOVER (popover), scroller);
  return popover;
}

static void
shardwise_facet_chip_init (ShardwiseFacetChip *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);

  self->values = g_array_new (FALSE, FALSE, sizeof (guint));
  self->label = GTK_LABEL (gtk_label_new (NULL));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->label));
  gtk_box_append (GTK_BOX (box), gtk_image_new_from_icon_name ("pan-down-symbolic"));
  self->button = GTK_MENU_BUTTON (gtk_menu_button_new ());
  gtk_menu_button_set_child (self->button, box);
  gtk_menu_button_set_popover (self->button, popover_new (self));
  gtk_widget_add_css_class (GTK_WIDGET (self->button), "chip");
  gtk_widget_set_parent (GTK_WIDGET (self->button), GTK_WIDGET (self));
}

/**
 * shardwise_facet_chip_new:
 * @facet: a SwDimension, or %SHARDWISE_FACET_FRAMEWORK
 *
 * Returns: (transfer floating): a chip without values
 */
GtkWidget *
shardwise_facet_chip_new (guint facet)
{
  ShardwiseFacetChip *self;

  g_return_val_if_fail (facet < SHARDWISE_N_FACETS, NULL);

  self = g_object_new (SHARDWISE_TYPE_FACET_CHIP, "visible", FALSE, NULL);
  self->facet = facet;
  return GTK_WIDGET (self);
}
