/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

const char *shardwise_key_word_title (const char *path, const char *word); /* "adamw": "AdamW" */

G_END_DECLS
