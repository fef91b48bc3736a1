/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-input-folds.h"

#include <glib/gi18n.h>

#include "shardwise-input-control.h"
#include "shardwise-input-row.h"
#include "shardwise-format.h"

#define DEFAULTS_SHOWN 3 /* of those that most people look at: the first ones */

typedef struct {
  AdwExpanderRow *expander;
  GPtrArray *rows; /* of ShardwiseInputRow */
} Fold;

static void
fold_free (gpointer data)
{
  Fold *fold = data;

  g_ptr_array_unref (fold->rows);
  g_free (fold);
}

/* @fold: (nullable): what the rows below @widget are folded away in. */
static void
collect (GPtrArray *folds, GtkWidget *widget, Fold *fold)
{
  if (SHARDWISE_IS_INPUT_ROW (widget))
    {
      if (fold != NULL)
        g_ptr_array_add (fold->rows, widget);
      return;
    }
  if (ADW_IS_EXPANDER_ROW (widget))
    {
      fold = g_new0 (Fold, 1);
      fold->expander = ADW_EXPANDER_ROW (widget);
      fold->rows = g_ptr_array_new ();
      g_ptr_array_add (folds, fold);
      adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (widget), FALSE);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    collect (folds, child, fold);
}

/**
 * shardwise_input_folds_find:
 * @root: what the rows are in
 *
 * Returns: (transfer full): the expander rows below @root, for shardwise_input_folds_update(); not
 *   to be used after @root is gone
 */
GPtrArray *
shardwise_input_folds_find (GtkWidget *root)
{
  GPtrArray *folds = g_ptr_array_new_with_free_func (fold_free);

  g_return_val_if_fail (GTK_IS_WIDGET (root), folds);

  collect (folds, root, NULL);
  return folds;
}

static void
append (GString *text, const ShardwiseKey *key, const char *value)
{
  const char *unit = shardwise_control_unit (key);

  g_string_append_printf (text, "%s%s %s%s%s", text->len > 0 ? " · " : "", _ (key->title), value,
                          *unit != '\0' ? " " : "", unit);
}

/* "GPUs per node 8 · GPU memory 80 GB": the first defaults, and all that is set. Of dimensions that
 * the search chooses only those that are pinned; "Auto" where none is. */
static char *
describe (const Fold *fold, ShardwiseScenario *scenario)
{
  GString *text = g_string_new (NULL);
  gboolean dimensions = FALSE;

  for (guint i = 0; i < fold->rows->len; i++)
    {
      const char *path = shardwise_input_row_get_path (g_ptr_array_index (fold->rows, i));
      const ShardwiseKey *key = shardwise_key_find (path);
      gboolean set = shardwise_scenario_is_set (scenario, path);
      g_autofree char *value = NULL;

      dimensions = g_str_has_prefix (path, "strategy.");
      if (!set && (dimensions || i >= DEFAULTS_SHOWN))
        continue;
      value = set || shardwise_control_kind (key, FALSE) != SHARDWISE_CONTROL_LIST
                  ? shardwise_control_describe (key, scenario)
                  : shardwise_control_usual (key, scenario); /* its name rather than "Usual" */
      if (value != NULL && *value != '\0')
        append (text, key, value);
    }
  if (text->len == 0 && dimensions)
    g_string_append (text, _ ("Auto"));
  return g_string_free (text, FALSE);
}

/**
 * shardwise_input_folds_update:
 * @folds: of shardwise_input_folds_find()
 * @scenario: whose values are told
 */
void
shardwise_input_folds_update (GPtrArray *folds, ShardwiseScenario *scenario)
{
  g_return_if_fail (folds != NULL && SHARDWISE_IS_SCENARIO (scenario));

  for (guint i = 0; i < folds->len; i++)
    {
      const Fold *fold = g_ptr_array_index (folds, i);
      g_autofree char *said = describe (fold, scenario), *text = shardwise_format_unbroken (said);

      if (g_strcmp0 (text, adw_expander_row_get_subtitle (fold->expander)) != 0)
        adw_expander_row_set_subtitle (fold->expander, text);
    }
}
