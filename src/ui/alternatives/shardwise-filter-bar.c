/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-filter-bar.h"

#include <glib/gi18n.h>
#include "shardwise-facet-chip.h"
#include "shardwise-wrap-layout.h"

#define ROOMY 0.75 /* of the usable memory: the chip "Memory below 75 %" */

struct _ShardwiseFilterBar {
  GtkWidget parent_instance;
  ShardwiseCandidateFilter filter;
  double usable_bytes;
  GtkEditable *search_entry;
  GtkToggleButton *roomy_chip;
  GtkButton *clear_button;
  GtkBox *chip_box;
  GtkWidget *first_line;
};

G_DEFINE_FINAL_TYPE (ShardwiseFilterBar, shardwise_filter_bar, GTK_TYPE_WIDGET)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* What is asked for most comes first; the rest is scrolled to. */
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
 * Returns: (transfer none): what is asked for
 */
const ShardwiseCandidateFilter *
shardwise_filter_bar_get_filter (ShardwiseFilterBar *self)
{
  g_return_val_if_fail (SHARDWISE_IS_FILTER_BAR (self), NULL);

  return &self->filter;
}

/**
 * shardwise_filter_bar_set_usable_bytes:
 * @usable_bytes: memory of one GPU, of which the memory chip takes a share
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
 * @facets: (nullable): the values that strategies have; not kept
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
  GtkWidget *line = SHARDWISE_FILTER_BAR (object)->first_line, *child;

  while (line != NULL && (child = gtk_widget_get_first_child (line)) != NULL)
    gtk_widget_unparent (child);
  SHARDWISE_FILTER_BAR (object)->first_line = NULL;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (shardwise_filter_bar_parent_class)->dispose (object);
}

static void
shardwise_filter_bar_class_init (ShardwiseFilterBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_filter_bar_dispose;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
build_first_line (ShardwiseFilterBar *self)
{
  GtkWidget *entry = gtk_search_entry_new ();

  self->first_line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_set_layout_manager (self->first_line, shardwise_wrap_layout_new (6, 6, 0, 0));
  self->search_entry = GTK_EDITABLE (entry);
  g_object_set (entry, "placeholder-text", _ ("Filter, as in “TP 8 ZeRO 1”"), NULL);
  gtk_editable_set_width_chars (self->search_entry, 20);
  gtk_widget_set_hexpand (entry, TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Filter the strategies"), -1);
  self->clear_button = GTK_BUTTON (gtk_button_new_with_mnemonic (_ ("C_lear All")));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->clear_button), _ ("Show every strategy again"));
  gtk_widget_add_css_class (GTK_WIDGET (self->clear_button), "flat");
  gtk_widget_set_visible (GTK_WIDGET (self->clear_button), FALSE);
  gtk_widget_set_parent (entry, self->first_line);
  gtk_widget_set_parent (GTK_WIDGET (self->clear_button), self->first_line);
  gtk_widget_set_parent (self->first_line, GTK_WIDGET (self));
}

static void
build_chips (ShardwiseFilterBar *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new (),
            *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  self->chip_box = GTK_BOX (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6));
  self->roomy_chip = GTK_TOGGLE_BUTTON (gtk_toggle_button_new_with_label (_ ("Memory below 75 %")));
  gtk_widget_add_css_class (GTK_WIDGET (self->roomy_chip), "chip");
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    {
      GtkWidget *chip = shardwise_facet_chip_new (order[i]);

      g_signal_connect_object (chip, "value-toggled", G_CALLBACK (toggled_cb), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (chip, "cleared", G_CALLBACK (cleared_cb), self, G_CONNECT_SWAPPED);
      gtk_box_append (self->chip_box, chip);
    }
  gtk_box_append (GTK_BOX (line), GTK_WIDGET (self->roomy_chip));
  gtk_box_append (GTK_BOX (line), GTK_WIDGET (self->chip_box));
  gtk_widget_set_margin_bottom (line, 6); /* of the scrollbar that lies over it */
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), line);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_AUTOMATIC,
                                  GTK_POLICY_NEVER);
  gtk_widget_set_parent (scroller, GTK_WIDGET (self));
}

static void
shardwise_filter_bar_init (ShardwiseFilterBar *self)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self));

  shardwise_candidate_filter_init (&self->filter);
  gtk_orientable_set_orientation (GTK_ORIENTABLE (layout), GTK_ORIENTATION_VERTICAL);
  gtk_box_layout_set_spacing (GTK_BOX_LAYOUT (layout), 6);
  build_first_line (self);
  build_chips (self);
  g_signal_connect_object (self->search_entry, "search-changed", G_CALLBACK (search_changed_cb),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->roomy_chip, "toggled", G_CALLBACK (update_memory), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->clear_button, "clicked", G_CALLBACK (clear_cb), self,
                           G_CONNECT_SWAPPED);
}
