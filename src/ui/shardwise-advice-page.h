/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-page.h"

G_BEGIN_DECLS

#define SHARDWISE_TYPE_ADVICE_PAGE (shardwise_advice_page_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAdvicePage, shardwise_advice_page, SHARDWISE, ADVICE_PAGE,
                      ShardwisePage)

GtkWidget *shardwise_advice_page_new (void);

G_END_DECLS
