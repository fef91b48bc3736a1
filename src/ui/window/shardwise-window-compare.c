/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-window-compare.h"

#include "shardwise-advice.h"
#include "shardwise-alternatives-page.h"
#include "shardwise-asking.h"
#include "shardwise-resolve.h"
#include "shardwise-window-private.h"

/* A column that a thread evaluates. */
typedef struct {
  ShardwiseScenario *scenario;
  char *name;
  ShardwiseAdvice *advice; /* (nullable): once it is evaluated */
} Column;

static void
column_free (gpointer data)
{
  Column *column = data;

  g_object_unref (column->scenario);
  g_clear_object (&column->advice);
  g_free (column->name);
  g_free (column);
}

/* changes: (nullable): what differs; it also is the column's name. */
static void
add_column (GPtrArray *columns, ShardwiseScenario *scenario, GVariant *changes)
{
  Column *column = g_new0 (Column, 1);
  g_autofree SwProblem *problem = g_new0 (SwProblem, 1);
  g_autoptr (GVariant) settled = changes != NULL ? shardwise_asking_settle (changes, scenario)
                                                 : NULL;

  column->scenario = shardwise_scenario_copy (scenario);
  g_ptr_array_add (columns, column);
  if (settled != NULL)
    shardwise_scenario_apply (column->scenario, settled, NULL);
  if (shardwise_scenario_resolve (column->scenario, problem, NULL, NULL)
      && (changes == NULL
          || g_variant_lookup (changes, shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPU), "*", NULL)))
    column->name = g_strdup (problem->cluster.gpu.name);
  else
    column->name = changes != NULL ? shardwise_asking_describe (changes) : g_strdup ("");
}

static void
evaluate_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const ShardwiseAdviceOptions options = { .top = 1 };
  GPtrArray *columns = data;

  for (guint i = 0; i < columns->len && !g_cancellable_is_cancelled (cancellable); i++)
    {
      Column *column = columns->pdata[i];

      column->advice = shardwise_advice_compute (column->scenario, &options, cancellable, NULL);
    }
  g_task_return_boolean (task, TRUE);
}

static void
evaluated_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseWindow) self = data;
  const GPtrArray *columns = g_task_get_task_data (G_TASK (result));
  ShardwiseAlternativesPage *page;
  ShardwiseComparison *comparison;

  if (shardwise_window_is_closed (self) || self->advisor == NULL)
    return;
  page = SHARDWISE_ALTERNATIVES_PAGE (shardwise_window_get_page (self, "alternatives"));
  comparison = shardwise_alternatives_page_get_comparison (page);
  shardwise_comparison_clear (comparison);
  for (guint i = 0; i < columns->len; i++)
    {
      const Column *column = columns->pdata[i];

      if (column->advice != NULL)
        shardwise_comparison_add_scenario (comparison, column->name, column->advice,
                                           column->scenario, NULL);
    }
  shardwise_window_set_page (self, "alternatives");
  gtk_widget_activate_action (GTK_WIDGET (page), "alternatives.compare", NULL);
}

static void
compare_cb (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ShardwiseWindow *self = data;
  ShardwiseScenario *scenario = shardwise_document_get_scenario (self->document);
  GPtrArray *columns = g_ptr_array_new_with_free_func (column_free);
  g_autoptr (GTask) task = g_task_new (NULL, self->cancellable, evaluated_cb, g_object_ref (self));

  add_column (columns, scenario, NULL);
  for (gsize i = 0; i < g_variant_n_children (parameter) && i + 1 < SHARDWISE_COMPARISON_MAX; i++)
    {
      g_autoptr (GVariant) changes = g_variant_get_child_value (parameter, i);

      add_column (columns, scenario, changes);
    }
  g_task_set_source_tag (task, compare_cb);
  g_task_set_task_data (task, columns, (GDestroyNotify) g_ptr_array_unref);
  g_task_run_in_thread (task, evaluate_thread);
}

void
shardwise_window_add_compare_action (ShardwiseWindow *self)
{
  static const GActionEntry entry = { .name = "compare",
                                      .activate = compare_cb,
                                      .parameter_type = "aa{sv}" };

  g_action_map_add_action_entries (G_ACTION_MAP (self), &entry, 1, self);
}
