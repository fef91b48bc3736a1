/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-advisor.h"
#include "shardwise-container.h"

G_BEGIN_DECLS

/* A result page of the window. Subclasses follow the advisor: `update` runs when advice, status or
 * selected strategy change, and when the advisor is set; in a window only while the page is
 * visible. The page dims itself while the status is stale. `finish` runs after each update, in the
 * next frame if the page is visible, for work that nobody waits for. */
#define SHARDWISE_TYPE_PAGE (shardwise_page_get_type ())
G_DECLARE_DERIVABLE_TYPE (ShardwisePage, shardwise_page, SHARDWISE, PAGE, ShardwiseContainer)

struct _ShardwisePageClass {
  ShardwiseContainerClass parent_class;
  void (*update) (ShardwisePage *self);
  void (*finish) (ShardwisePage *self);
  gboolean minds_stale; /* shows an outdated answer differently */
};

ShardwiseAdvisor *shardwise_page_get_advisor (ShardwisePage *self); /* property "advisor" */
void shardwise_page_set_advisor (ShardwisePage *self, ShardwiseAdvisor *advisor);
void shardwise_page_update_now (ShardwisePage *self); /* runs an update deferred while hidden */
ShardwisePage *shardwise_page_of (gpointer widget);   /* (nullable): the page that contains the
                                                         widget */
/* Shows a toast in the window of self; self: (nullable). */
void shardwise_page_toast (ShardwisePage *self, const char *text);

G_END_DECLS
