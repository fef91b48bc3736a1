/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <adwaita.h>
#include "shardwise-advisor.h"
#include "shardwise-container.h"

G_BEGIN_DECLS

/* A result page of the window. Subclasses follow the advisor: `update` runs whenever advice, status
 * or the selected strategy changed (and once when the advisor is set), in a window only while it is
 * seen; while the status is stale the page dims itself. `finish` runs after each update, on the
 * screen in the next frame: for what nobody waits for. */
#define SHARDWISE_TYPE_PAGE (shardwise_page_get_type ())
G_DECLARE_DERIVABLE_TYPE (ShardwisePage, shardwise_page, SHARDWISE, PAGE, ShardwiseContainer)

struct _ShardwisePageClass {
  ShardwiseContainerClass parent_class;
  void (*update) (ShardwisePage *self);
  void (*finish) (ShardwisePage *self);
  gboolean minds_stale; /* shows an answer otherwise once it is no longer that of the inputs */
};

ShardwiseAdvisor *shardwise_page_get_advisor (ShardwisePage *self); /* property "advisor" */
void shardwise_page_set_advisor (ShardwisePage *self, ShardwiseAdvisor *advisor);
void shardwise_page_update_now (ShardwisePage *self); /* an update put off while hidden */
ShardwisePage *shardwise_page_of (gpointer widget);   /* (nullable): that it is on */
/* on the window's toast overlay; self: (nullable) */
void shardwise_page_toast (ShardwisePage *self, const char *text);

G_END_DECLS
