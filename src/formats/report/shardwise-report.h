/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "shardwise-picture.h"

G_BEGIN_DECLS

typedef enum {
  SHARDWISE_REPORT_TITLE,
  SHARDWISE_REPORT_HEADING,
  SHARDWISE_REPORT_PARAGRAPH,
  SHARDWISE_REPORT_SMALL, /* a paragraph in small letters */
  SHARDWISE_REPORT_ROW,   /* cells beside each other */
  SHARDWISE_REPORT_CHART,
} ShardwiseReportKind;

enum { SHARDWISE_REPORT_CELLS = 4 };

/* A block that is never split over two pages, except text that is longer than a page. */
typedef struct {
  ShardwiseReportKind kind;
  char *cells[SHARDWISE_REPORT_CELLS]; /* owned; of others than a row only the first */
  guint n_cells;
  gboolean strong;           /* of a row: its head or its total */
  ShardwisePicture *picture; /* (nullable): owned */
} ShardwiseReportItem;

/* What is printed, from top to bottom, without knowing of pages. */
#define SHARDWISE_TYPE_REPORT (shardwise_report_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseReport, shardwise_report, SHARDWISE, REPORT, GObject)

ShardwiseReport *shardwise_report_new (const char *title);
const char *shardwise_report_get_title (ShardwiseReport *self);
/* (nullable) */
void shardwise_report_add_text (ShardwiseReport *self, ShardwiseReportKind kind, const char *text);
/* NULL-terminated */
void shardwise_report_add_row (ShardwiseReport *self, gboolean strong, const char *const *cells);
/* (transfer floating) */
guint shardwise_report_n_items (ShardwiseReport *self);
const ShardwiseReportItem *shardwise_report_get_item (ShardwiseReport *self, guint index);

/* What is computed for it alone: it takes a while, and may be done on any thread. */
typedef struct {
  GPtrArray
      *clusters; /* (nullable): of ShardwiseSizingPoint: other sizes with their days and cost */
  GPtrArray *opinions; /* of ShardwiseAdvice: what the rules of thumb answer */
} ShardwiseReportExtras;

ShardwiseReportExtras *
shardwise_report_extras_new (ShardwiseScenario *scenario, ShardwiseAdvice *advice,
                             GCancellable *cancellable, GError **error);
void shardwise_report_extras_free (ShardwiseReportExtras *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseReportExtras, shardwise_report_extras_free)

/* Everything of a scenario: verdict, strategy, charts, reasons, second opinions, cost, assumptions. */
ShardwiseReport *
shardwise_report_of_scenario (ShardwiseScenario *scenario, ShardwiseAdvice *advice,
                              const SwEstimate *estimate, const ShardwiseReportExtras *extras);

G_END_DECLS
