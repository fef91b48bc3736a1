/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-draft.h"

G_BEGIN_DECLS

/* shardwise-draft-content.c */
char *shardwise_draft_content_to_json (const ShardwiseDraftContent *content);
ShardwiseDraftContent *
shardwise_draft_content_from_json (const char *text, gsize length, GError **error);

G_END_DECLS
