/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-rejected-view.h"

#include <glib/gi18n.h>
#include "shardwise-advice-lists.h"

#define SPACING 9 /* pixels, within a section */
#define GAP 24    /* between the sections */

struct _ShardwiseRejectedView {
  GtkWidget parent_instance;

  ShardwiseAdvice *shown; /* (nullable): whose strategies are listed */
  GtkListBox *nearest, *search;
};

G_DEFINE_FINAL_TYPE (ShardwiseRejectedView, shardwise_rejected_view, GTK_TYPE_WIDGET)

/**
 * shardwise_rejected_view_set_advice:
 * @advice: (nullable): an answer
 *
 * Lists the strategies of @advice that fell away, where all of them did. A list that is unfolded
 * stays so while the answer is the same.
 */
void
shardwise_rejected_view_set_advice (ShardwiseRejectedView *self, ShardwiseAdvice *advice)
{
  ShardwiseAdvice *listed = NULL;

  g_return_if_fail (SHARDWISE_IS_REJECTED_VIEW (self));
  g_return_if_fail (advice == NULL || SHARDWISE_IS_ADVICE (advice));

  if (advice != NULL && shardwise_advice_get_search (advice) != NULL
      && !shardwise_advice_get_fits (advice))
    listed = advice;
  gtk_widget_set_visible (GTK_WIDGET (self), listed != NULL);
  if (!g_set_object (&self->shown, listed) || listed == NULL)
    return;
  gtk_widget_set_visible (gtk_widget_get_parent (GTK_WIDGET (self->nearest)),
                          shardwise_advice_list_nearest (self->nearest, advice) > 0);
  shardwise_advice_list_search (self->search, advice);
}

static void
shardwise_rejected_view_dispose (GObject *object)
{
  GtkWidget *child;

  g_clear_object (&SHARDWISE_REJECTED_VIEW (object)->shown);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (shardwise_rejected_view_parent_class)->dispose (object);
}

static void
shardwise_rejected_view_class_init (ShardwiseRejectedViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_rejected_view_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
}

static GtkListBox *
add_section (ShardwiseRejectedView *self, const char *title)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, SPACING);
  GtkWidget *label = g_object_new (GTK_TYPE_LABEL, "label", title, "xalign", 0.0, NULL);
  GtkWidget *list = g_object_new (GTK_TYPE_LIST_BOX, "selection-mode", GTK_SELECTION_NONE, NULL);

  gtk_widget_add_css_class (label, "title-4");
  gtk_widget_add_css_class (list, "boxed-list");
  gtk_accessible_update_relation (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_RELATION_LABELLED_BY, label,
                                  NULL, -1);
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), list);
  gtk_widget_set_parent (box, GTK_WIDGET (self));
  return GTK_LIST_BOX (list);
}

static void
shardwise_rejected_view_init (ShardwiseRejectedView *self)
{
  GtkBoxLayout *layout = GTK_BOX_LAYOUT (gtk_widget_get_layout_manager (GTK_WIDGET (self)));

  gtk_orientable_set_orientation (GTK_ORIENTABLE (layout), GTK_ORIENTATION_VERTICAL);
  gtk_box_layout_set_spacing (layout, GAP);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
  self->nearest = add_section (self, _ ("Nearest strategies"));
  self->search = add_section (self, _ ("What was searched"));
}
