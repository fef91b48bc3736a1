/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-import.h"
#include "shardwise-page.h"

G_BEGIN_DECLS

#define SHARDWISE_TYPE_ADVICE_PAGE (shardwise_advice_page_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseAdvicePage, shardwise_advice_page, SHARDWISE, ADVICE_PAGE,
                      ShardwisePage)

GtkWidget *shardwise_advice_page_new (void);
/* (nullable) */
void shardwise_advice_page_set_import (ShardwiseAdvicePage *self, const ShardwiseImport *import);

G_END_DECLS
