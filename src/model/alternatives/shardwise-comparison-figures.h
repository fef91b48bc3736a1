/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-comparison.h"

G_BEGIN_DECLS

/* One figure or degree of each compared strategy. */
typedef struct {
  char *text;                 /* as it is shown; "–": there is none */
  char *interval;             /* (nullable): where the figure lies */
  gboolean is_known, differs; /* differs: from the first one */
  double number;              /* in the unit of the row */
  double change; /* of a figure: relative to the first one, of a share in points / 100; NAN: it
                    * cannot be told */
} ShardwiseComparisonCell;

typedef struct {
  const char *section; /* translated; static */
  char *title;         /* translated */
  char *unit;          /* of the numbers; NULL: the cells are words */
  gboolean is_share;   /* of percentages: changes are in points */
  int better;          /* 1: more is better; -1: less is; 0: neither */
  guint n;
  ShardwiseComparisonCell cells[SHARDWISE_COMPARISON_MAX];
} ShardwiseComparisonFigure;

GPtrArray *shardwise_comparison_figures (ShardwiseComparison *comparison);
gboolean shardwise_comparison_figure_differs (const ShardwiseComparisonFigure *figure);
char shardwise_comparison_letter (guint index);

char *shardwise_comparison_to_csv (ShardwiseComparison *comparison);

G_END_DECLS
