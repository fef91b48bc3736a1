/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-advice.h"
#include "shardwise-picture.h"

G_BEGIN_DECLS

typedef enum {
  SHARDWISE_REPORT_TITLE,
  SHARDWISE_REPORT_HEADING,
  SHARDWISE_REPORT_PARAGRAPH,
  SHARDWISE_REPORT_SMALL, /* a paragraph in small type */
  SHARDWISE_REPORT_ROW,   /* cells in a row */
  SHARDWISE_REPORT_CHART,
} ShardwiseReportKind;

enum { SHARDWISE_REPORT_CELLS = 4 };

/* A block that is not split across pages, except for text longer than a page. */
typedef struct {
  ShardwiseReportKind kind;
  char *cells[SHARDWISE_REPORT_CELLS]; /* owned; other kinds use only the first */
  guint n_cells;
  gboolean strong;           /* for rows: head or total */
  ShardwisePicture *picture; /* (nullable): owned */
} ShardwiseReportItem;

/* The content of a report from top to bottom, independent of pages. */
#define SHARDWISE_TYPE_REPORT (shardwise_report_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseReport, shardwise_report, SHARDWISE, REPORT, GObject)

ShardwiseReport *shardwise_report_new (const char *title);
const char *shardwise_report_get_title (ShardwiseReport *self);
/* text: (nullable) */
void shardwise_report_add_text (ShardwiseReport *self, ShardwiseReportKind kind, const char *text);
/* cells: NULL-terminated */
void shardwise_report_add_row (ShardwiseReport *self, gboolean strong, const char *const *cells);
guint shardwise_report_n_items (ShardwiseReport *self);
const ShardwiseReportItem *shardwise_report_get_item (ShardwiseReport *self, guint index);

/* Results computed only for the report. Slow: compute them in any thread. */
typedef struct {
  GPtrArray
      *clusters; /* (nullable): of ShardwiseSizingPoint: other cluster sizes with days and cost */
  GPtrArray *opinions; /* of ShardwiseAdvice: answers of the rules of thumb */
} ShardwiseReportExtras;

ShardwiseReportExtras *
shardwise_report_extras_new (ShardwiseScenario *scenario, ShardwiseAdvice *advice,
                             GCancellable *cancellable, GError **error);
void shardwise_report_extras_free (ShardwiseReportExtras *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ShardwiseReportExtras, shardwise_report_extras_free)

/* The report of a scenario: verdict, strategy, charts, reasons, second opinions, cost,
 * assumptions. */
ShardwiseReport *
shardwise_report_of_scenario (ShardwiseScenario *scenario, ShardwiseAdvice *advice,
                              const SwEstimate *estimate, const ShardwiseReportExtras *extras);

G_END_DECLS
