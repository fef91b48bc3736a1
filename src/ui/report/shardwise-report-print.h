/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

#include "shardwise-advisor.h"
#include "shardwise-report-pages.h"

G_BEGIN_DECLS

/* Called when the report was printed, written or canceled; error: (nullable). */
typedef void (*ShardwiseReportFunc) (const GError *error, gpointer data);

void shardwise_report_print_async (ShardwiseAdvisor *advisor, GtkWindow *parent, GFile *file,
                                   /* file: (nullable): NULL asks for a printer */
                                   ShardwiseReportFunc func, gpointer data);

G_END_DECLS
