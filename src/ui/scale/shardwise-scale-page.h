/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-page.h"

G_BEGIN_DECLS

#define SHARDWISE_TYPE_SCALE_PAGE (shardwise_scale_page_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseScalePage, shardwise_scale_page, SHARDWISE, SCALE_PAGE,
                      ShardwisePage)

GtkWidget *shardwise_scale_page_new (void);

G_END_DECLS
