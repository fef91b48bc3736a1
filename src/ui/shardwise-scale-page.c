/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-scale-page.h"

struct _ShardwiseScalePage {
  ShardwisePage parent_instance;
};

G_DEFINE_FINAL_TYPE (ShardwiseScalePage, shardwise_scale_page, SHARDWISE_TYPE_PAGE)

static void
shardwise_scale_page_class_init (ShardwiseScalePageClass *klass)
{
  gtk_widget_class_set_template_from_resource (
    GTK_WIDGET_CLASS (klass), "/io/github/shardwise/Shardwise/ui/shardwise-scale-page.ui");
}

static void
shardwise_scale_page_init (ShardwiseScalePage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * shardwise_scale_page_new:
 *
 * Returns: (transfer floating): an empty page
 */
GtkWidget *
shardwise_scale_page_new (void)
{
  return g_object_new (SHARDWISE_TYPE_SCALE_PAGE, NULL);
}
