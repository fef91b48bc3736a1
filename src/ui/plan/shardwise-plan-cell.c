/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-plan-cell.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "shardwise-fit-look.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-wrapped-label.h"

#define FEW_CHARS 11 /* of a line of a cell: below it a list is read more easily than a table */

static SwFit
fit_of (const ShardwiseCapacityCell *cell)
{
  return cell->estimate.fits ? cell->estimate.fit : SW_FIT_DOES_NOT_FIT;
}

/**
 * shardwise_plan_icon_new:
 * @cell: of an answer
 *
 * Returns: (transfer floating): whether it fits, as an icon; the words beside it say the same
 */
GtkWidget *
shardwise_plan_icon_new (const ShardwiseCapacityCell *cell)
{
  GtkWidget *icon = gtk_image_new_from_icon_name (shardwise_fit_looks[fit_of (cell)].icon);

  gtk_widget_add_css_class (icon, shardwise_fit_looks[fit_of (cell)].css_class);
  return icon;
}

/* What stands out of a cell: how fast it is, else that it does not fit. */
static char *
headline (const ShardwiseCapacityCell *cell)
{
  g_autofree char *rate = NULL;

  if (!cell->estimate.fits)
    return g_strdup (_ ("does not fit"));
  rate = shardwise_format_count (cell->estimate.tokens_per_s);
  /* Translators: a number */
  return g_strdup_printf (_ ("%s tokens/s"), rate);
}

/* Returns: (nullable) */
static char *
small_print (const ShardwiseCapacityCell *cell)
{
  g_autofree char *amount = NULL;
  const gboolean offloads = cell->estimate.strategy.offload != SW_OFFLOAD_NONE;

  if (!cell->estimate.fits && cell->estimate.missing_bytes <= 0)
    return NULL;
  if (!cell->estimate.fits)
    {
      amount = shardwise_format_bytes (cell->estimate.missing_bytes);
      /* Translators: an amount of memory */
      return g_strdup_printf (_ ("%s missing"), amount);
    }
  amount = shardwise_format_whole (cell->longest_sequence);
  if (cell->estimate.fit == SW_FIT_MAY_NOT)
    /* Translators: a number */
    return g_strdup_printf (offloads ? _ ("may not fit, up to %s tokens, with the host’s memory")
                                     : _ ("may not fit, up to %s tokens"),
                            amount);
  /* Translators: a number */
  return g_strdup_printf (
      offloads ? _ ("up to %s tokens, with the host’s memory") : _ ("up to %s tokens"), amount);
}

static GtkWidget *
line_new (const char *text)
{
  GtkWidget *label = shardwise_wrapped_label_new (NULL, "numeric");

  shardwise_wrapped_label_show (GTK_LABEL (label), text);
  gtk_label_set_width_chars (GTK_LABEL (label), FEW_CHARS);
  return label;
}

static GtkWidget *
content_new (const ShardwiseCapacityCell *cell)
{
  g_autofree char *first = headline (cell), *second = small_print (cell);
  GtkWidget *grid = gtk_grid_new (), *line = line_new (first);

  gtk_grid_set_column_spacing (GTK_GRID (grid), 6);
  gtk_grid_attach (GTK_GRID (grid), shardwise_plan_icon_new (cell), 0, 0, 1, 1);
  gtk_widget_add_css_class (line, shardwise_fit_looks[fit_of (cell)].css_class);
  gtk_grid_attach (GTK_GRID (grid), line, 1, 0, 1, 1);
  if (second != NULL)
    {
      line = line_new (second);
      gtk_widget_add_css_class (line, "caption");
      gtk_widget_add_css_class (line, "dim-label");
      gtk_grid_attach (GTK_GRID (grid), line, 1, 1, 1, 1);
    }
  return grid;
}

/* What can be pressed says what to start with, and what it leads to. */
static void
describe (GtkWidget *widget, const char *name, const char *text, const SwEstimate *estimate)
{
  g_autofree char *sure = sw_estimate_is_validated (estimate)
                              ? g_strdup (text)
                              /* Translators: %s is what fits, and how fast it is */
                              : g_strdup_printf (_ ("%s · not validated"), text);
  g_autofree char *strategy = shardwise_text_strategy (&estimate->strategy);
  g_autofree char *tooltip = g_strjoin ("\n", sure, strategy, _ ("Opens the job as a scenario"),
                                        NULL);

  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, tooltip, -1);
  shardwise_tooltip_set (widget, tooltip);
}

/**
 * shardwise_plan_cell_new:
 * @row: of an answer
 * @index: its place in the answer
 * @cell: of @row
 *
 * Returns: (transfer floating): a cell of the table: a button where the model fits
 */
GtkWidget *
shardwise_plan_cell_new (const ShardwiseCapacityRow *row, guint index,
                         const ShardwiseCapacityCell *cell)
{
  g_autofree char *text = shardwise_capacity_text (cell), *name = NULL;
  GtkWidget *content = content_new (cell), *button;

  if (!cell->estimate.fits)
    {
      gtk_widget_add_css_class (content, "plan-cell");
      return content;
    }
  button = gtk_button_new ();
  gtk_button_set_child (GTK_BUTTON (button), content);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "plan-cell");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "plan.open");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), SHARDWISE_PLAN_TARGET, index,
                                    (guint) cell->tuning);
  /* Translators: the name of a model, and a way to tune it */
  name = g_strdup_printf (_ ("%s, %s"), row->name, shardwise_tuning_title (cell->tuning));
  describe (button, name, text, &cell->estimate);
  return button;
}

/**
 * shardwise_plan_row_new:
 * @title: what tells it from others
 * @subtitle: what it says
 * @suffix: (transfer floating) (nullable): what stands at its end
 * @index: place of the cell's row in the answer
 * @cell: of an answer
 *
 * Returns: (transfer floating): the same as a row of a list
 */
GtkWidget *
shardwise_plan_row_new (const char *title, const char *subtitle, GtkWidget *suffix, guint index,
                        const ShardwiseCapacityCell *cell)
{
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *unbroken = shardwise_format_unbroken (subtitle);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), unbroken);
  adw_action_row_add_prefix (ADW_ACTION_ROW (row), shardwise_plan_icon_new (cell));
  gtk_widget_add_css_class (row, "numeric");
  if (suffix != NULL)
    adw_action_row_add_suffix (ADW_ACTION_ROW (row), suffix);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, subtitle, -1);
  if (!cell->estimate.fits)
    return row;
  adw_action_row_add_suffix (ADW_ACTION_ROW (row),
                             gtk_image_new_from_icon_name ("go-next-symbolic"));
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (row), "plan.open");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (row), SHARDWISE_PLAN_TARGET, index,
                                    (guint) cell->tuning);
  describe (row, title, subtitle, &cell->estimate);
  return row;
}
