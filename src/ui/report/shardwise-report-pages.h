/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

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

G_END_DECLS
