/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "shardwise-container.h"

G_BEGIN_DECLS

/* A message about the document across the window, with buttons. AdwBanner requires libadwaita 1.3
 * and has only one button. */
#define SHARDWISE_TYPE_BANNER (shardwise_banner_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseBanner, shardwise_banner, SHARDWISE, BANNER, ShardwiseContainer)

typedef struct {
  const char *label;  /* with mnemonic, translated */
  const char *action; /* "win.reload" */
} ShardwiseBannerButton;

void shardwise_banner_say (ShardwiseBanner *self, const char *text,
                           const ShardwiseBannerButton *buttons, guint n_buttons);
void shardwise_banner_hide (ShardwiseBanner *self);

G_END_DECLS
