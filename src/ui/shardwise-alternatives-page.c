/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-alternatives-page.h"

struct _ShardwiseAlternativesPage {
  ShardwisePage parent_instance;
};

G_DEFINE_FINAL_TYPE (ShardwiseAlternativesPage, shardwise_alternatives_page, SHARDWISE_TYPE_PAGE)

static void
shardwise_alternatives_page_class_init (ShardwiseAlternativesPageClass *klass)
{
  gtk_widget_class_set_template_from_resource (
    GTK_WIDGET_CLASS (klass), "/io/github/shardwise/Shardwise/ui/shardwise-alternatives-page.ui");
}

static void
shardwise_alternatives_page_init (ShardwiseAlternativesPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * shardwise_alternatives_page_new:
 *
 * Returns: (transfer floating): an empty page
 */
GtkWidget *
shardwise_alternatives_page_new (void)
{
  return g_object_new (SHARDWISE_TYPE_ALTERNATIVES_PAGE, NULL);
}
