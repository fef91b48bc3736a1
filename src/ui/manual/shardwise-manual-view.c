/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-manual-view.h"

#include "shardwise-manual-blocks.h"

struct _ShardwiseManualView {
  GtkWidget parent_instance;
  GtkWidget *scroller, *clamp;
  GtkWidget *target; /* (nullable): to scroll to as soon as it has a place; of the page */
  guint scroll_id;
};

G_DEFINE_FINAL_TYPE (ShardwiseManualView, shardwise_manual_view, GTK_TYPE_WIDGET)

static guint open_signal;

static gboolean
link_cb (GtkLabel *label, const char *address, ShardwiseManualView *self)
{
  if (strstr (address, "://") != NULL)
    return FALSE; /* GTK opens it */
  g_signal_emit (self, open_signal, 0, address);
  return TRUE;
}

static void
follow_links (ShardwiseManualView *self, GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget))
    g_signal_connect_object (widget, "activate-link", G_CALLBACK (link_cb), self, 0);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    follow_links (self, child);
}

static GtkWidget *
find_named (GtkWidget *widget, const char *name)
{
  if (g_str_equal (gtk_widget_get_name (widget), name))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_named (child, name);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* A section has its place once its own page was laid out, not the one before. */
static gboolean
scroll_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  ShardwiseManualView *self = SHARDWISE_MANUAL_VIEW (widget);
  GtkAdjustment *adjustment =
      gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scroller));
  graphene_rect_t bounds;

  if (self->target != NULL && gtk_widget_get_height (self->target) == 0)
    return G_SOURCE_CONTINUE;
  if (self->target != NULL && gtk_widget_compute_bounds (self->target, self->clamp, &bounds))
    gtk_adjustment_set_value (adjustment, bounds.origin.y);
  self->scroll_id = 0;
  return G_SOURCE_REMOVE;
}

static void
shardwise_manual_view_dispose (GObject *object)
{
  ShardwiseManualView *self = SHARDWISE_MANUAL_VIEW (object);

  if (self->scroll_id != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->scroll_id);
  self->scroll_id = 0;
  self->target = NULL;
  g_clear_pointer (&self->scroller, gtk_widget_unparent);
  G_OBJECT_CLASS (shardwise_manual_view_parent_class)->dispose (object);
}

static void
shardwise_manual_view_class_init (ShardwiseManualViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = shardwise_manual_view_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);

  /**
   * ShardwiseManualView::open:
   * @topic: that a link leads to
   */
  open_signal = g_signal_new ("open", SHARDWISE_TYPE_MANUAL_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                              NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
shardwise_manual_view_init (ShardwiseManualView *self)
{
  self->scroller = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  self->clamp = adw_clamp_new ();
  adw_clamp_set_maximum_size (ADW_CLAMP (self->clamp), 720);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), self->clamp);
  /* At its least height a picture has none. */
  gtk_scrollable_set_vscroll_policy (
      GTK_SCROLLABLE (gtk_scrolled_window_get_child (GTK_SCROLLED_WINDOW (self->scroller))),
      GTK_SCROLL_NATURAL);
  gtk_widget_set_focusable (self->scroller, TRUE); /* so that keys scroll it */
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
}

/**
 * shardwise_manual_view_new:
 *
 * Returns: (transfer floating): a view that shows nothing yet
 */
GtkWidget *
shardwise_manual_view_new (void)
{
  return g_object_new (SHARDWISE_TYPE_MANUAL_VIEW, NULL);
}

/**
 * shardwise_manual_view_show_topic:
 * @topic: a page, or a section of it to begin with
 *
 * Returns: whether there is such a topic; else nothing has changed
 */
gboolean
shardwise_manual_view_show_topic (ShardwiseManualView *self, ShardwiseManual *manual,
                                  const char *topic)
{
  const ShardwiseManualNode *page = NULL;
  const char *section = strchr (topic, '#');
  g_autofree char *title = NULL;
  GtkAdjustment *adjustment;
  GtkWidget *content;

  g_return_val_if_fail (SHARDWISE_IS_MANUAL_VIEW (self), FALSE);

  if (shardwise_manual_find (manual, topic, &page) == NULL)
    return FALSE;
  title = shardwise_manual_node_title (page);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->scroller), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  title, -1);
  gtk_widget_grab_focus (self->scroller); /* the link that was followed goes away */
  content = shardwise_manual_page_blocks (manual, page);
  follow_links (self, content);
  adw_clamp_set_child (ADW_CLAMP (self->clamp), content);
  adjustment = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scroller));
  gtk_adjustment_set_value (adjustment, 0);
  self->target = section != NULL ? find_named (content, section + 1) : NULL;
  if (self->target != NULL && self->scroll_id == 0)
    self->scroll_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), scroll_cb, NULL, NULL);
  return TRUE;
}
