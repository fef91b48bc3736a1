/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-comparison.h"

G_BEGIN_DECLS

/* One figure or parallel size of a compared strategy. */
typedef struct {
  char *text;                 /* as displayed; "–": none */
  char *interval;             /* (nullable): interval of the figure */
  gboolean is_known, differs; /* differs: from the first strategy */
  double number;              /* in the unit of the row */
  double change; /* of a figure: relative to the first strategy; of a share: points / 100; NAN:
                    undefined */
} ShardwiseComparisonCell;

typedef struct {
  const char *section; /* translated; static */
  char *title;         /* translated */
  char *unit;          /* of the numbers; NULL: the cells are words */
  gboolean is_share;   /* percentages: changes are in points */
  int better;          /* 1: higher is better; -1: lower; 0: neither */
  guint n;
  ShardwiseComparisonCell cells[SHARDWISE_COMPARISON_MAX];
} ShardwiseComparisonFigure;

GPtrArray *shardwise_comparison_figures (ShardwiseComparison *comparison);
gboolean shardwise_comparison_figure_differs (const ShardwiseComparisonFigure *figure);
char shardwise_comparison_letter (guint index);

char *shardwise_comparison_to_csv (ShardwiseComparison *comparison);

G_END_DECLS
