/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

const char *shardwise_foreign_configuration (const char *text); /* (nullable): whose it is */
const char *shardwise_foreign_command (const char *text);       /* (nullable): what it starts */
const char *shardwise_foreign_script (const char *text);        /* (nullable): what it is for */

G_END_DECLS
