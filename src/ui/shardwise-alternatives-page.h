/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-page.h"

G_BEGIN_DECLS

#define SHARDWISE_TYPE_ALTERNATIVES_PAGE (shardwise_alternatives_page_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAlternativesPage, shardwise_alternatives_page, SHARDWISE, ALTERNATIVES_PAGE, ShardwisePage)

GtkWidget *shardwise_alternatives_page_new (void);

G_END_DECLS
