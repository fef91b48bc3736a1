/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <pango/pangocairo.h>

#include "shardwise-report.h"

G_BEGIN_DECLS

/* A report laid out on pages of one size. */
typedef struct _ShardwiseReportPages ShardwiseReportPages;

ShardwiseReportPages *shardwise_report_pages_new (ShardwiseReport *report, PangoContext *context,
                                                  double width, double height); /* points */
void shardwise_report_pages_free (ShardwiseReportPages *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseReportPages, shardwise_report_pages_free)

guint shardwise_report_pages_count (const ShardwiseReportPages *self);
void shardwise_report_pages_draw (const ShardwiseReportPages *self, cairo_t *cr, guint page);

/* A report as a PDF file, drawn into memory one page at a time, so that no call takes longer than a
 * frame. */
typedef struct _ShardwiseReportPdf ShardwiseReportPdf;

ShardwiseReportPdf *shardwise_report_pdf_new (ShardwiseReport *report);
gboolean shardwise_report_pdf_draw_next (ShardwiseReportPdf *self);
GBytes *shardwise_report_pdf_finish (ShardwiseReportPdf *self, GError **error);
void shardwise_report_pdf_free (ShardwiseReportPdf *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseReportPdf, shardwise_report_pdf_free)
GBytes *shardwise_report_to_pdf (ShardwiseReport *report, guint *n_pages, GError **error);

G_END_DECLS
