/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-report.h"

G_BEGIN_DECLS

/* A report as a PDF file, drawn into memory page by page, so that none of it takes longer than a
 * frame. For the main thread, as its charts are. */
typedef struct _ShardwiseReportPdf ShardwiseReportPdf;

ShardwiseReportPdf *shardwise_report_pdf_new (ShardwiseReport *report);
gboolean shardwise_report_pdf_draw_next (ShardwiseReportPdf *self);
GBytes *shardwise_report_pdf_finish (ShardwiseReportPdf *self, GError **error);
void shardwise_report_pdf_free (ShardwiseReportPdf *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseReportPdf, shardwise_report_pdf_free)

G_END_DECLS
