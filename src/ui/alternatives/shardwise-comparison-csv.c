/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-comparison-csv.h"

#include <glib/gi18n.h>

#include "shardwise-comparison-figures.h"
#include "shardwise-csv.h"

static void
append_number (GString *csv, const ShardwiseComparisonFigure *figure,
               const ShardwiseComparisonCell *cell)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE + 32];

  if (figure->unit == NULL)
    shardwise_csv_append_field (csv, cell->text);
  else if (cell->is_known)
    g_string_append (csv, g_ascii_formatd (number, sizeof number, "%.9g", cell->number));
}

/* Which scenario the figures of each column are of, where one is another. */
static void
append_scenarios (GString *csv, ShardwiseComparison *comparison)
{
  GString *line = g_string_new (NULL);
  gboolean others = FALSE;

  shardwise_csv_append_field (line, _ ("Scenario"));
  g_string_append_c (line, ',');
  for (guint i = 0; i < shardwise_comparison_get_n (comparison); i++)
    {
      const char *name = shardwise_comparison_get_name (comparison, i);

      others |= name != NULL;
      g_string_append_c (line, ',');
      shardwise_csv_append_field (line, name != NULL ? name : "");
    }
  if (others)
    g_string_append_printf (csv, "%s\r\n", line->str);
  g_string_free (line, TRUE);
}

static void
append_obstacles (GString *csv, ShardwiseComparison *comparison)
{
  shardwise_csv_append_field (csv, _ ("Does not fit the inputs"));
  g_string_append_c (csv, ',');
  for (guint i = 0; i < shardwise_comparison_get_n (comparison); i++)
    {
      g_autofree char *obstacle = shardwise_comparison_get_obstacle (comparison, i);

      g_string_append_c (csv, ',');
      shardwise_csv_append_field (csv, obstacle != NULL ? obstacle : "");
    }
  g_string_append (csv, "\r\n");
}

/**
 * shardwise_comparison_to_csv:
 * @comparison: strategies
 *
 * Returns: (transfer full): a line for each figure with its unit, a column for each strategy (RFC
 * 4180); numbers with nine digits and a point in every locale, empty where there is none
 */
char *
shardwise_comparison_to_csv (ShardwiseComparison *comparison)
{
  g_autoptr (GPtrArray) figures = shardwise_comparison_figures (comparison);
  GString *csv = g_string_new (NULL);

  g_string_append_printf (csv, "%s,%s", _ ("Figure"), _ ("Unit"));
  for (guint i = 0; i < shardwise_comparison_get_n (comparison); i++)
    g_string_append_printf (csv, ",%c", shardwise_comparison_letter (i));
  g_string_append (csv, "\r\n");
  append_scenarios (csv, comparison);
  append_obstacles (csv, comparison);
  for (guint row = 0; row < figures->len; row++)
    {
      const ShardwiseComparisonFigure *figure = g_ptr_array_index (figures, row);

      shardwise_csv_append_field (csv, figure->title);
      g_string_append_c (csv, ',');
      shardwise_csv_append_field (csv, figure->unit != NULL ? figure->unit : "");
      for (guint i = 0; i < figure->n; i++)
        {
          g_string_append_c (csv, ',');
          append_number (csv, figure, &figure->cells[i]);
        }
      g_string_append (csv, "\r\n");
    }
  return g_string_free (csv, FALSE);
}
