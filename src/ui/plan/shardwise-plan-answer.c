/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-plan-answer.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "shardwise-fit-look.h"
#include "shardwise-fold.h"
#include "shardwise-format.h"
#include "shardwise-line-layout.h"
#include "shardwise-text-strategy.h"
#include "shardwise-wrapped-label.h"

#define FEW_CHARS 11 /* of a line of a cell: below it a list is read more easily than a table */

static SwFit
fit_of (const ShardwiseCapacityCell *cell)
{
  return cell->estimate.fits ? cell->estimate.fit : SW_FIT_DOES_NOT_FIT;
}

/* An icon for whether it fits; the words beside it have the same meaning. */
static GtkWidget *
icon_new (const ShardwiseCapacityCell *cell)
{
  GtkWidget *icon = gtk_image_new_from_icon_name (shardwise_fit_looks[fit_of (cell)].icon);

  gtk_widget_add_css_class (icon, shardwise_fit_looks[fit_of (cell)].css_class);
  return icon;
}

/* The main text of a cell: its speed, or that it does not fit. */
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
  gtk_grid_attach (GTK_GRID (grid), icon_new (cell), 0, 0, 1, 1);
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
  g_autofree char *tooltip = g_strjoin ("\n", sure, strategy, _ ("Open the job as a scenario"),
                                        NULL);

  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, tooltip, -1);
  shardwise_tooltip_set (widget, tooltip);
}

/* A cell of the table: a button where the model fits; index: of its row in the answer. */
static GtkWidget *
cell_new (const ShardwiseCapacityRow *row, guint index, const ShardwiseCapacityCell *cell)
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

/* The same as a row of a list; suffix: (nullable): the widget at its end. */
static GtkWidget *
answer_row_new (const char *title, const char *subtitle, GtkWidget *suffix, guint index,
                const ShardwiseCapacityCell *cell)
{
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *unbroken = shardwise_format_unbroken (subtitle);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), unbroken);
  adw_action_row_add_prefix (ADW_ACTION_ROW (row), icon_new (cell));
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

/* ---- what can be trained on a machine ---- */

#define NAME_CHARS 11

static const ShardwiseCapacityRow *
row_at (const ShardwiseCapacity *capacity, guint index)
{
  return g_ptr_array_index (capacity->rows, index);
}

static char *
size_text (const ShardwiseCapacityRow *row)
{
  g_autofree char *count = shardwise_format_count (row->parameters);

  /* Translators: a number with its unit: "8.03 B" */
  return g_strdup_printf (_ ("%s parameters"), count);
}

static GtkWidget *
model_new (const ShardwiseCapacityRow *row)
{
  g_autofree char *size = size_text (row);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0),
            *name = shardwise_wrapped_label_new (row->name, "heading"),
            *label = shardwise_wrapped_label_new (size, "caption");

  gtk_label_set_width_chars (GTK_LABEL (name), NAME_CHARS);
  gtk_widget_add_css_class (label, "dim-label");
  gtk_widget_add_css_class (label, "numeric");
  gtk_box_append (GTK_BOX (box), name);
  gtk_box_append (GTK_BOX (box), label);
  gtk_widget_add_css_class (box, "plan-cell");
  return box;
}

static GtkWidget *
heading_new (const char *text)
{
  GtkWidget *label = shardwise_wrapped_label_new (text, "caption-heading");

  gtk_widget_add_css_class (label, "dim-label");
  gtk_widget_add_css_class (label, "plan-cell");
  return label;
}

static GtkWidget *
table_new (const ShardwiseCapacity *capacity)
{
  GtkWidget *widget = gtk_grid_new ();
  GtkGrid *grid = GTK_GRID (widget);

  gtk_widget_add_css_class (widget, "card");
  gtk_widget_add_css_class (widget, "plan-table");
  gtk_grid_attach (grid, heading_new (_ ("Model")), 0, 0, 1, 1);
  for (guint t = 0; t < SHARDWISE_N_TUNINGS; t++)
    gtk_grid_attach (grid, heading_new (shardwise_tuning_title ((ShardwiseTuning) t)), (int) t + 1,
                     0, 1, 1);
  for (guint i = 0; i < capacity->rows->len; i++)
    {
      const int line = 2 * (int) i + 1;

      gtk_grid_attach (grid, gtk_separator_new (GTK_ORIENTATION_HORIZONTAL), 0, line,
                       SHARDWISE_N_TUNINGS + 1, 1);
      gtk_grid_attach (grid, model_new (row_at (capacity, i)), 0, line + 1, 1, 1);
      for (guint t = 0; t < SHARDWISE_N_TUNINGS; t++)
        {
          GtkWidget *cell = cell_new (row_at (capacity, i), i, &row_at (capacity, i)->cells[t]);

          gtk_widget_set_hexpand (cell, TRUE);
          gtk_grid_attach (grid, cell, (int) t + 1, line + 1, 1, 1);
        }
    }
  return widget;
}

static GtkWidget *
list_new (const ShardwiseCapacity *capacity)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 18);

  for (guint i = 0; i < capacity->rows->len; i++)
    {
      const ShardwiseCapacityRow *row = row_at (capacity, i);
      GtkWidget *group = adw_preferences_group_new ();
      g_autofree char *title = g_markup_escape_text (row->name, -1), *size = size_text (row);

      adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (group), title);
      adw_preferences_group_set_description (ADW_PREFERENCES_GROUP (group), size);
      for (guint t = 0; t < SHARDWISE_N_TUNINGS; t++)
        {
          g_autofree char *text = shardwise_capacity_text (&row->cells[t]);

          adw_preferences_group_add (ADW_PREFERENCES_GROUP (group),
                                     answer_row_new (shardwise_tuning_title ((ShardwiseTuning) t),
                                                     text, NULL, i, &row->cells[t]));
        }
      gtk_box_append (GTK_BOX (box), group);
    }
  return box;
}

/**
 * shardwise_machine_table_new:
 * @capacity: an answer of models; not kept
 *
 * Returns: (transfer floating): the table
 */
GtkWidget *
shardwise_machine_table_new (const ShardwiseCapacity *capacity)
{
  g_return_val_if_fail (capacity != NULL && !capacity->of_gpus, NULL);
  return shardwise_fold_new (table_new (capacity), list_new (capacity));
}

/* Returns: (nullable): the largest model that certainly fits so. */
static const ShardwiseCapacityRow *
largest (const ShardwiseCapacity *capacity, ShardwiseTuning tuning)
{
  const ShardwiseCapacityRow *found = NULL;

  for (guint i = 0; i < capacity->rows->len; i++)
    {
      const ShardwiseCapacityRow *row = row_at (capacity, i);
      const SwEstimate *estimate = &row->cells[tuning].estimate;

      if (estimate->fits && estimate->fit == SW_FIT_FITS
          && (found == NULL || row->parameters > found->parameters))
        found = row;
    }
  return found;
}

/**
 * shardwise_machine_table_summary:
 * @capacity: an answer of models
 *
 * Returns: (transfer full): the answer in one sentence
 */
char *
shardwise_machine_table_summary (const ShardwiseCapacity *capacity)
{
  const SwCluster *cluster = &capacity->problem.cluster;
  g_autofree char *machine = g_strdup_printf ("%u × %s", cluster->gpus, cluster->gpu.name);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) models = NULL;
  g_autofree char *list = NULL;

  for (guint t = 0; t < SHARDWISE_N_TUNINGS; t++)
    {
      const ShardwiseCapacityRow *row = largest (capacity, (ShardwiseTuning) t);
      g_autoptr (GString) ways = NULL;
      g_autofree char *item = NULL;

      if (row == NULL)
        continue;
      ways = g_string_new (shardwise_tuning_title ((ShardwiseTuning) t));
      while (t + 1 < SHARDWISE_N_TUNINGS && largest (capacity, (ShardwiseTuning) (t + 1)) == row)
        shardwise_text_list (ways, "%s", shardwise_tuning_title ((ShardwiseTuning) ++t));
      /* Translators: the name of a model, and ways to tune it */
      item = g_strdup_printf (_ ("%s (%s)"), row->name, ways->str);
      g_strv_builder_add (builder, item);
    }
  models = g_strv_builder_end (builder);
  if (models[0] == NULL)
    /* Translators: a number of GPUs and their name: "1 × GeForce RTX 4090" */
    return g_strdup_printf (_ ("No model of this table certainly fits on %s."), machine);
  list = g_strjoinv (" · ", models);
  /* Translators: a number of GPUs and their name: "1 × GeForce RTX 4090"; a list of models */
  return g_strdup_printf (_ ("The largest models that certainly fit on %s: %s"), machine, list);
}

/* ---- what a model needs ---- */

static char *
machine_text (const ShardwiseCapacityRow *row, const ShardwiseCapacityCell *cell)
{
  return g_strdup_printf ("%u × %s", cell->gpus, row->name);
}

static char *
hour_text (const ShardwiseCapacityCell *cell)
{
  g_autofree char *price = shardwise_format_price (cell->price_per_hour, cell->currency);

  /* Translators: a price: "$10.32 an hour" */
  return g_strdup_printf (_ ("%s an hour"), price);
}

static GtkWidget *
price_new (const ShardwiseCapacityCell *cell)
{
  g_autofree char *price = shardwise_format_price (cell->price_per_hour, cell->currency),
                  *months = shardwise_format_months (cell->price_date),
                  /* Translators: a price and the month in which it was looked up */
                      *text = *cell->price_date != '\0'
                                  ? g_strdup_printf (_ ("%s an hour (%s)"), price, months)
                                  : hour_text (cell);
  GtkWidget *label = gtk_label_new (text);

  gtk_widget_add_css_class (label, "numeric");
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_xalign (GTK_LABEL (label), 1);
  gtk_widget_set_valign (label, GTK_ALIGN_CENTER);
  return label;
}

static GtkWidget *
row_new (const ShardwiseCapacity *capacity, const ShardwiseCapacityRow *row, ShardwiseTuning tuning)
{
  const ShardwiseCapacityCell *cell = &row->cells[tuning];
  g_autofree char *title = machine_text (row, cell), *text = shardwise_capacity_text (cell);
  GtkWidget *widget;
  guint index;

  g_ptr_array_find (capacity->rows, row, &index);
  widget = answer_row_new (title, text, cell->price_per_hour > 0 ? price_new (cell) : NULL, index,
                           cell);
  shardwise_line_layout_stack_suffixes (GTK_LIST_BOX_ROW (widget));
  return widget;
}

/**
 * shardwise_needs_list_new:
 * @capacity: an answer of GPUs; not kept
 * @tuning: a way to fine-tune
 *
 * Returns: (transfer floating) (nullable): the list; %NULL if the model fits on no GPU of the
 *   catalogue
 */
GtkWidget *
shardwise_needs_list_new (const ShardwiseCapacity *capacity, ShardwiseTuning tuning)
{
  g_autoptr (GPtrArray) sorted = NULL;
  GtkWidget *box, *groups[2] = { NULL, NULL };

  g_return_val_if_fail (capacity != NULL && capacity->of_gpus, NULL);

  sorted = shardwise_capacity_by_price (capacity, tuning);
  if (sorted->len == 0)
    return NULL;
  box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 18);
  for (guint i = 0; i < sorted->len; i++)
    {
      const ShardwiseCapacityRow *row = g_ptr_array_index (sorted, i);
      const gboolean priced = row->cells[tuning].price_per_hour > 0;

      if (groups[priced] == NULL)
        {
          groups[priced] = adw_preferences_group_new ();
          adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (groups[priced]),
                                           priced ? _ ("By Price") : _ ("Without a Known Price"));
          gtk_box_append (GTK_BOX (box), groups[priced]);
        }
      adw_preferences_group_add (ADW_PREFERENCES_GROUP (groups[priced]),
                                 row_new (capacity, row, tuning));
    }
  return box;
}

/**
 * shardwise_needs_list_summary:
 * @capacity: an answer of GPUs
 * @tuning: a way to fine-tune
 *
 * Returns: (transfer full): the answer in one sentence
 */
char *
shardwise_needs_list_summary (const ShardwiseCapacity *capacity, ShardwiseTuning tuning)
{
  g_autoptr (GPtrArray) sorted = shardwise_capacity_by_price (capacity, tuning);
  const char *model = capacity->problem.model.name, *method = shardwise_tuning_title (tuning);
  const ShardwiseCapacityCell *cell;
  g_autofree char *machine = NULL, *hour = NULL;

  if (sorted->len == 0)
    /* Translators: the name of a model, a way to tune it */
    return g_strdup_printf (_ ("%s (%s) does not fit on any GPU of the catalog."), model, method);
  cell = &((const ShardwiseCapacityRow *) g_ptr_array_index (sorted, 0))->cells[tuning];
  machine = machine_text (g_ptr_array_index (sorted, 0), cell);
  if (cell->price_per_hour <= 0)
    /* Translators: the name of a model, a way to tune it, "2 × GeForce RTX 4090" */
    return g_strdup_printf (_ ("%s (%s) needs %s; no price is known."), model, method, machine);
  hour = hour_text (cell);
  /* Translators: the name of a model, a way to tune it, "2 × GeForce RTX 4090", "$0.80 an hour" */
  return g_strdup_printf (_ ("The cheapest machine for %s (%s): %s, %s"), model, method, machine,
                          hour);
}
