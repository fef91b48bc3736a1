/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-neighbour-table.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-degree-chip.h"
#include "shardwise-fold.h"
#include "shardwise-format.h"
#include "shardwise-wrapped-label.h"

/* A change below half of the last displayed digit counts as none. */
#define NO_CHANGE 0.0005

enum {
  COLUMN_VALUE,
  COLUMN_FITS,
  COLUMN_MEMORY,
  COLUMN_TOKENS,
  COLUMN_CHANGE,
  COLUMN_REASON,
  N_COLUMNS
};

/**
 * shardwise_change_class:
 * @change: relative
 * @more_is_better: %FALSE if more is worse
 *
 * Returns: (nullable): the CSS class of a change for the better or the worse
 */
const char *
shardwise_change_class (double change, gboolean more_is_better)
{
  if (!isfinite (change) || fabs (change) < NO_CHANGE)
    return NULL;
  return (change > 0) == !!more_is_better ? "success" : "error";
}

static gboolean
has_figures (const SwNeighbour *neighbour)
{
  return neighbour->estimate.memory.peak.total > 0;
}

static char *
fits_text (const SwNeighbour *neighbour)
{
  g_autofree char *missing = NULL;

  if (neighbour->rule == SW_RULE_OK)
    return g_strdup (C_ ("fits", "yes"));
  if (neighbour->estimate.missing_bytes <= 0)
    return g_strdup (C_ ("fits", "no"));
  missing = shardwise_format_bytes (neighbour->estimate.missing_bytes);
  /* Translators: it does not fit, by how much memory */
  return g_strdup_printf (C_ ("fits", "no, +%s"), missing);
}

static char *
cell_text (const ShardwiseNeighbourRow *row, guint column)
{
  const SwNeighbour *neighbour = &row->neighbour;
  gboolean runs = neighbour->rule == SW_RULE_OK;

  switch (column)
    {
    case COLUMN_VALUE: return g_strdup (row->value);
    case COLUMN_FITS: return fits_text (neighbour);
    case COLUMN_MEMORY:
      return has_figures (neighbour) ? shardwise_format_significant (
                 neighbour->estimate.memory.peak.total / shardwise_memory_unit_bytes ())
                                     : g_strdup ("–");
    case COLUMN_TOKENS:
      return runs ? shardwise_format_significant (neighbour->estimate.tokens_per_s_per_gpu)
                  : g_strdup ("–");
    case COLUMN_CHANGE:
      return runs && !neighbour->chosen ? shardwise_signed_percent (neighbour->change)
                                        : g_strdup ("–");
    default: return g_strdup (row->reason);
    }
}

/* Figures are rounded to three digits: the tooltip has the rest. */
static void
set_exact_tooltip (GtkWidget *label, const SwNeighbour *neighbour, guint column)
{
  g_autofree char *exact = NULL;

  if (column == COLUMN_MEMORY && has_figures (neighbour))
    {
      g_autofree char *text = g_strdup_printf (
          _ ("%.3f GiB"), neighbour->estimate.memory.peak.total / shardwise_memory_unit_bytes ());

      exact = shardwise_memory_unit_text (text);
    }
  else if (column == COLUMN_TOKENS && neighbour->rule == SW_RULE_OK)
    exact = g_strdup_printf (_ ("%.2f tokens/s on each GPU; %.4f s a step"),
                             neighbour->estimate.tokens_per_s_per_gpu,
                             neighbour->estimate.time.step_s);
  if (exact != NULL)
    shardwise_tooltip_set (label, exact);
}

static GtkWidget *
cell_label (const ShardwiseNeighbourRow *row, guint column)
{
  g_autofree char *text = cell_text (row, column);
  GtkWidget *label = column == COLUMN_REASON ? gtk_label_new (text)
                                             : shardwise_figure_label_new (text);
  const char *css_class = NULL;

  gtk_label_set_xalign (GTK_LABEL (label),
                        column >= COLUMN_MEMORY && column <= COLUMN_CHANGE ? 1 : 0);
  gtk_widget_add_css_class (label, "numeric");
  if (column == COLUMN_CHANGE && row->neighbour.rule == SW_RULE_OK && !row->neighbour.chosen)
    css_class = shardwise_change_class (row->neighbour.change, FALSE);
  else if (column == COLUMN_FITS && row->neighbour.rule != SW_RULE_OK)
    css_class = "error";
  if (css_class)
    gtk_widget_add_css_class (label, css_class);
  if (row->neighbour.chosen)
    gtk_widget_add_css_class (label, "chosen");
  if (column == COLUMN_REASON)
    {
      gtk_label_set_wrap (GTK_LABEL (label), TRUE);
      gtk_label_set_width_chars (GTK_LABEL (label), 26);
      gtk_widget_set_hexpand (label, TRUE);
    }
  set_exact_tooltip (label, &row->neighbour, column);
  gtk_widget_set_valign (label, GTK_ALIGN_BASELINE);
  return label;
}

static GtkWidget *
header_label (SwDimension dimension, guint column)
{
  g_autofree char *memory = shardwise_memory_unit_text (_ ("GiB/GPU"));
  const char *titles[N_COLUMNS] = {
    [COLUMN_VALUE] = shardwise_dimension_short_name (dimension),
    [COLUMN_FITS] = _ ("Fits"),
    [COLUMN_MEMORY] = memory,
    [COLUMN_TOKENS] = _ ("tokens/s/GPU"),
    [COLUMN_CHANGE] = _ ("Time per token"),
    [COLUMN_REASON] = _ ("What changes"),
  };
  GtkWidget *label = gtk_label_new (titles[column]);

  gtk_label_set_xalign (GTK_LABEL (label),
                        column >= COLUMN_MEMORY && column <= COLUMN_CHANGE ? 1 : 0);
  gtk_widget_add_css_class (label, "caption-heading");
  gtk_widget_add_css_class (label, "dim-label");
  return label;
}

static GtkWidget *
build_grid (const ShardwiseRationale *rationale)
{
  GtkWidget *grid = gtk_grid_new ();

  gtk_grid_set_column_spacing (GTK_GRID (grid), 18);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 6);
  for (guint column = 0; column < N_COLUMNS; column++)
    {
      gtk_grid_attach (GTK_GRID (grid), header_label (rationale->dimension, column), column, 0, 1,
                       1);
      for (guint i = 0; i < rationale->rows->len; i++)
        gtk_grid_attach (GTK_GRID (grid),
                         cell_label (g_ptr_array_index (rationale->rows, i), column), column, i + 1,
                         1, 1);
    }
  return grid;
}

/* "61.2 GiB · 410 tokens/s · ▲ +8.0 %" */
static char *
figures_line (const ShardwiseNeighbourRow *row)
{
  g_autofree char *memory = NULL, *tokens = NULL, *change = NULL;

  if (!has_figures (&row->neighbour))
    return NULL;
  memory = shardwise_format_bytes (row->neighbour.estimate.memory.peak.total);
  if (row->neighbour.rule != SW_RULE_OK)
    return g_steal_pointer (&memory);
  tokens = cell_text (row, COLUMN_TOKENS);
  if (row->neighbour.chosen)
    /* Translators: memory and tokens per second of one GPU */
    return g_strdup_printf (_ ("%s · %s tokens/s per GPU"), memory, tokens);
  change = cell_text (row, COLUMN_CHANGE);
  /* Translators: memory and tokens per second of one GPU, and the change of the time per token */
  return g_strdup_printf (_ ("%s · %s tokens/s per GPU · %s time"), memory, tokens, change);
}

static void
append_line (GtkWidget *box, const char *text, const char *css_class, gboolean chosen)
{
  GtkWidget *label = shardwise_wrapped_label_new (text, css_class);

  gtk_widget_add_css_class (label, "numeric");
  if (chosen)
    gtk_widget_add_css_class (label, "chosen");
  gtk_box_append (GTK_BOX (box), label);
}

static GtkWidget *
build_lines (const ShardwiseRationale *rationale)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);

  for (guint i = 0; i < rationale->rows->len; i++)
    {
      const ShardwiseNeighbourRow *row = g_ptr_array_index (rationale->rows, i);
      /* Translators: a dimension, a value of it, and what is different with it: "TP 4: lacks 31 GB"
       */
      g_autofree char *title =
          g_strdup_printf (_ ("%s %s: %s"), shardwise_dimension_short_name (rationale->dimension),
                           row->value, row->reason);
      g_autofree char *figures = figures_line (row);

      append_line (box, title, NULL, row->neighbour.chosen);
      if (figures)
        append_line (box, figures, "dim-label", row->neighbour.chosen);
    }
  return box;
}

/**
 * shardwise_neighbour_table_new:
 * @rationale: one dimension with its neighbors; not kept
 *
 * Returns: (transfer floating): the table
 */
GtkWidget *
shardwise_neighbour_table_new (const ShardwiseRationale *rationale)
{
  g_return_val_if_fail (rationale != NULL, NULL);
  return shardwise_fold_new (build_grid (rationale), build_lines (rationale));
}
