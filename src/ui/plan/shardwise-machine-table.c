/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-machine-table.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "shardwise-fold.h"
#include "shardwise-format.h"
#include "shardwise-plan-cell.h"
#include "shardwise-wrapped-label.h"

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
          GtkWidget *cell = shardwise_plan_cell_new (row_at (capacity, i), i,
                                                     &row_at (capacity, i)->cells[t]);

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

          adw_preferences_group_add (
              ADW_PREFERENCES_GROUP (group),
              shardwise_plan_row_new (shardwise_tuning_title ((ShardwiseTuning) t), text, NULL, i,
                                      &row->cells[t]));
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
        g_string_append_printf (ways, "; %s", shardwise_tuning_title ((ShardwiseTuning) ++t));
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
