/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-advice-page.h"

struct _ShardwiseAdvicePage {
  ShardwisePage parent_instance;
};

G_DEFINE_FINAL_TYPE (ShardwiseAdvicePage, shardwise_advice_page, SHARDWISE_TYPE_PAGE)

static void
shardwise_advice_page_class_init (ShardwiseAdvicePageClass *klass)
{
  gtk_widget_class_set_template_from_resource (
    GTK_WIDGET_CLASS (klass), "/io/github/shardwise/Shardwise/ui/shardwise-advice-page.ui");
}

static void
shardwise_advice_page_init (ShardwiseAdvicePage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * shardwise_advice_page_new:
 *
 * Returns: (transfer floating): an empty page
 */
GtkWidget *
shardwise_advice_page_new (void)
{
  return g_object_new (SHARDWISE_TYPE_ADVICE_PAGE, NULL);
}
