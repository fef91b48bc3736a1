/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-page.h"

struct _ShardwiseExportPage {
  ShardwisePage parent_instance;
};

G_DEFINE_FINAL_TYPE (ShardwiseExportPage, shardwise_export_page, SHARDWISE_TYPE_PAGE)

static void
shardwise_export_page_class_init (ShardwiseExportPageClass *klass)
{
  gtk_widget_class_set_template_from_resource (
    GTK_WIDGET_CLASS (klass), "/io/github/shardwise/Shardwise/ui/shardwise-export-page.ui");
}

static void
shardwise_export_page_init (ShardwiseExportPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * shardwise_export_page_new:
 *
 * Returns: (transfer floating): an empty page
 */
GtkWidget *
shardwise_export_page_new (void)
{
  return g_object_new (SHARDWISE_TYPE_EXPORT_PAGE, NULL);
}
