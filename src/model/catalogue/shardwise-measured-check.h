/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-csv.h"

G_BEGIN_DECLS

char *shardwise_measured_check_row (const ShardwiseCsv *csv, guint row); /* (nullable) */

G_END_DECLS
