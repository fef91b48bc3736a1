/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Keeps the program running until a task is done. */
void shardwise_hold_for_task (GTask *task);

G_END_DECLS
