/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-analysis-page.h"

struct _ShardwiseAnalysisPage {
  ShardwisePage parent_instance;
};

G_DEFINE_FINAL_TYPE (ShardwiseAnalysisPage, shardwise_analysis_page, SHARDWISE_TYPE_PAGE)

static void
shardwise_analysis_page_class_init (ShardwiseAnalysisPageClass *klass)
{
  gtk_widget_class_set_template_from_resource (
    GTK_WIDGET_CLASS (klass), "/io/github/shardwise/Shardwise/ui/shardwise-analysis-page.ui");
}

static void
shardwise_analysis_page_init (ShardwiseAnalysisPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * shardwise_analysis_page_new:
 *
 * Returns: (transfer floating): an empty page
 */
GtkWidget *
shardwise_analysis_page_new (void)
{
  return g_object_new (SHARDWISE_TYPE_ANALYSIS_PAGE, NULL);
}
