/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-needs-list.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "shardwise-format.h"
#include "shardwise-line-layout.h"
#include "shardwise-plan-cell.h"

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
  widget = shardwise_plan_row_new (title, text, cell->price_per_hour > 0 ? price_new (cell) : NULL,
                                   index, cell);
  shardwise_line_layout_stack_suffixes (GTK_LIST_BOX_ROW (widget));
  return widget;
}

static GtkWidget *
group_new (GtkWidget *box, const char *title)
{
  GtkWidget *group = adw_preferences_group_new ();

  adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (group), title);
  gtk_box_append (GTK_BOX (box), group);
  return group;
}

/**
 * shardwise_needs_list_new:
 * @capacity: an answer of GPUs; not kept
 * @tuning: a way to fine-tune
 *
 * Returns: (transfer floating) (nullable): the list; %NULL where the model fits on no GPU of the
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
        groups[priced] = group_new (box, priced ? _ ("By Price") : _ ("Without a Known Price"));
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
