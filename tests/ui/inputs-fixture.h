/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "shardwise-input-option.h"
#include "shardwise-inputs.h"
#include "ui-fixture.h"

G_BEGIN_DECLS

/* The inputs of a scenario, and what a user does with a row. */
typedef struct {
  ShardwiseScenario *scenario;
  GtkWidget *inputs;
} Fixture;

static inline void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->scenario = shardwise_scenario_new ();
  fixture->inputs = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_INPUTS, NULL));
  shardwise_inputs_set_scenario (SHARDWISE_INPUTS (fixture->inputs), fixture->scenario);
}

static inline void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_assert_finalize_object (fixture->inputs);
  g_assert_finalize_object (fixture->scenario);
}

static inline ShardwiseInputRow *
find_row (Fixture *fixture, ShardwiseKeyId id)
{
  ShardwiseInputRow *row = shardwise_inputs_find_row (SHARDWISE_INPUTS (fixture->inputs), id);

  g_assert_nonnull (row);
  return row;
}

static inline void
type_text (ShardwiseInputRow *row, const char *text)
{
  GtkWidget *entry = shardwise_input_row_get_control (row);

  gtk_editable_set_text (GTK_EDITABLE (entry), text);
  g_signal_emit_by_name (entry, "activate");
}

static inline const char *
shown_text (ShardwiseInputRow *row)
{
  return gtk_editable_get_text (GTK_EDITABLE (shardwise_input_row_get_control (row)));
}

static inline void
choose (ShardwiseInputRow *row, const char *value)
{
  GtkDropDown *list = GTK_DROP_DOWN (shardwise_input_row_get_control (row));
  GListModel *model = gtk_drop_down_get_model (list);

  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr (ShardwiseInputOption) option = g_list_model_get_item (model, i);

      if (g_str_equal (shardwise_input_option_get_value (option), value))
        {
          gtk_drop_down_set_selected (list, i);
          return;
        }
    }
  g_assert_not_reached ();
}

static inline char *
chosen_value (ShardwiseInputRow *row)
{
  ShardwiseInputOption *option =
      gtk_drop_down_get_selected_item (GTK_DROP_DOWN (shardwise_input_row_get_control (row)));

  return g_strdup (shardwise_input_option_get_value (option));
}

static inline const char *
chosen_label (ShardwiseInputRow *row)
{
  return shardwise_input_option_get_label (
      gtk_drop_down_get_selected_item (GTK_DROP_DOWN (shardwise_input_row_get_control (row))));
}

#define ADD(path, func) g_test_add (path, Fixture, NULL, set_up, func, tear_down)

G_END_DECLS
