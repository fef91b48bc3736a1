/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-scenario-button.h"

#include <glib/gi18n.h>

#include "shardwise-compat.h"
#include "shardwise-container.h"
#include "shardwise-import.h"
#include "shardwise-page.h"
#include "shardwise-window.h"
#include "shardwise-wrapped-label.h"

struct _ShardwiseScenarioButton {
  GtkWidget parent_instance;
  ShardwiseComparison *comparison;
  GCancellable *cancellable;
  guint adding; /* scenarios being read and evaluated */
  GtkWidget *button;
};

G_DEFINE_FINAL_TYPE (ShardwiseScenarioButton, shardwise_scenario_button, GTK_TYPE_WIDGET)

static void
add (ShardwiseScenarioButton *self, const char *name, ShardwiseAdvice *advice,
     ShardwiseScenario *scenario, const SwStrategy *strategy)
{
  if (shardwise_comparison_get_n (self->comparison) == SHARDWISE_COMPARISON_MAX)
    shardwise_page_toast (shardwise_page_of (self),
                          _ ("You can compare up to four. Remove one first."));
  else if (!shardwise_comparison_add_scenario (self->comparison, name, advice, scenario, strategy))
    {
      /* Translators: the name of a scenario */
      g_autofree char *text = g_strdup_printf (_ ("No strategy of “%s” can be estimated"), name);

      shardwise_page_toast (shardwise_page_of (self), text);
    }
}

/* Files */

/* The thread's input and output. */
typedef struct {
  GFile *file;
  ShardwiseScenario *base;     /* (nullable): a copy of the current scenario */
  ShardwiseScenario *scenario; /* the result */
} Reading;

static void
reading_free (gpointer data)
{
  Reading *reading = data;

  g_object_unref (reading->file);
  g_clear_object (&reading->base);
  g_clear_object (&reading->scenario);
  g_free (reading);
}

/* The same factors of the user's runs apply to both, so that the figures are comparable. */
static ShardwiseAdvice *
evaluate (Reading *reading, GCancellable *cancellable, GError **error)
{
  const ShardwiseAdviceOptions options = { .top = 1 };
  g_autoptr (ShardwiseImport) import = shardwise_import_file (reading->file, reading->base,
                                                              cancellable, error);

  if (import == NULL)
    return NULL;
  reading->scenario = g_object_ref (import->scenario);
  if (reading->base != NULL)
    {
      ShardwiseFactors factors = shardwise_scenario_get_factors (reading->base);

      shardwise_scenario_set_factors (reading->scenario, &factors);
    }
  return shardwise_advice_compute (reading->scenario, &options, cancellable, error);
}

static void
read_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  ShardwiseAdvice *advice = evaluate (data, cancellable, &error);

  if (advice != NULL)
    g_task_return_pointer (task, advice, g_object_unref);
  else
    g_task_return_error (task, error);
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseScenarioButton) self = data;
  const Reading *reading = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseAdvice) advice = g_task_propagate_pointer (G_TASK (result), &error);
  g_autofree char *base = g_file_get_basename (reading->file);

  g_autofree char *name = g_filename_display_name (base);
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));

  self->adding--;
  if (root == NULL)
    return; /* its window was closed */
  if (advice != NULL)
    add (self, name, advice, reading->scenario, NULL);
  else
    {
      /* Translators: the name of a file */
      g_autofree char *heading = g_strdup_printf (_ ("“%s” Cannot Be Compared"), name);

      shardwise_compat_tell (GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL, heading,
                             error->message);
    }
}

/**
 * shardwise_scenario_button_add_file:
 * @file: a scenario, or the configuration of a job or a model
 *
 * Reads and evaluates it on a thread, and adds its recommended strategy; a dialog has the reason of
 * a failure.
 */
void
shardwise_scenario_button_add_file (ShardwiseScenarioButton *self, GFile *file)
{
  g_autoptr (GTask) task = NULL;
  ShardwisePage *page;
  ShardwiseAdvisor *advisor;
  ShardwiseScenario *scenario;
  Reading *reading;

  g_return_if_fail (SHARDWISE_IS_SCENARIO_BUTTON (self) && G_IS_FILE (file));

  page = shardwise_page_of (self);
  advisor = page != NULL ? shardwise_page_get_advisor (page) : NULL;
  scenario = advisor != NULL ? shardwise_advisor_get_scenario (advisor) : NULL;
  reading = g_new0 (Reading, 1);
  reading->file = g_object_ref (file);
  reading->base = scenario != NULL ? shardwise_scenario_copy (scenario) : NULL;
  /* Not the task's source, because the thread could release the last reference. */
  task = g_task_new (NULL, self->cancellable, read_cb, g_object_ref (self));
  g_task_set_source_tag (task, shardwise_scenario_button_add_file);
  g_task_set_task_data (task, reading, reading_free);
  self->adding++;
  g_task_run_in_thread (task, read_thread);
}

static void
chosen_cb (GFile *file, gpointer data)
{
  g_autoptr (ShardwiseScenarioButton) self = data;

  if (file != NULL)
    shardwise_scenario_button_add_file (self, file);
}

static void
open_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  GtkRoot *root = gtk_widget_get_root (widget);

  shardwise_compat_open_file (GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL,
                              _ ("Compare with a Scenario"), chosen_cb, g_object_ref (widget));
}

/* Windows */

/* Adds the selected strategy of the other window to the comparison. */
static void
add_advisor (ShardwiseScenarioButton *self, const char *name, ShardwiseAdvisor *advisor)
{
  const SwEstimate *selected = advisor != NULL ? shardwise_advisor_get_selected (advisor) : NULL;

  if (selected == NULL || shardwise_advisor_get_status (advisor) != SHARDWISE_STATUS_READY)
    shardwise_page_toast (shardwise_page_of (self), _ ("There is no advice for these inputs yet"));
  else
    add (self, name, shardwise_advisor_get_advice (advisor),
         shardwise_advisor_get_scenario (advisor), &selected->strategy);
}

/* The user's name for its scenario, otherwise the title of the window. */
static char *
window_name (ShardwiseWindow *window)
{
  g_autofree char *name = shardwise_scenario_get_string (shardwise_window_get_scenario (window),
                                                         SHARDWISE_KEY_NAME);
  const char *title = gtk_window_get_title (GTK_WINDOW (window));

  return name != NULL && *name != '\0' ? g_steal_pointer (&name) : g_strdup (title);
}

static ShardwiseWindow *
other_window (ShardwiseScenarioButton *self, guint position)
{
  g_autoptr (GtkWindow) window = g_list_model_get_item (gtk_window_get_toplevels (), position);

  return window != NULL && SHARDWISE_IS_WINDOW (window)
                 && (GtkRoot *) window != gtk_widget_get_root (GTK_WIDGET (self))
                 && shardwise_window_get_scenario (SHARDWISE_WINDOW (window)) != NULL
             ? SHARDWISE_WINDOW (window)
             : NULL;
}

static void
add_window_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ShardwiseScenarioButton *self = SHARDWISE_SCENARIO_BUTTON (widget);
  guint id = g_variant_get_uint32 (parameter);

  for (guint i = 0; i < g_list_model_get_n_items (gtk_window_get_toplevels ()); i++)
    {
      ShardwiseWindow *window = other_window (self, i);
      g_autofree char *name = NULL;

      if (window == NULL || gtk_application_window_get_id (GTK_APPLICATION_WINDOW (window)) != id)
        continue;
      name = window_name (window);
      add_advisor (self, name, shardwise_window_get_advisor (window));
      return;
    }
}

static void
keep_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ShardwiseScenarioButton *self = SHARDWISE_SCENARIO_BUTTON (widget);
  ShardwisePage *page = shardwise_page_of (self);
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  /* Translators: how the inputs that were kept for a comparison are called; as strftime() */
  g_autofree char *name = g_date_time_format (now, _ ("Kept at %H:%M:%S"));

  add_advisor (self, name, page != NULL ? shardwise_page_get_advisor (page) : NULL);
}

/* Button */

static void
fill_menu_cb (GtkMenuButton *button, gpointer data)
{
  g_autoptr (GMenu) menu = g_menu_new (), windows = g_menu_new ();

  g_menu_append (menu, _ ("_Keep These Inputs"), "scenario.keep");
  g_menu_append (menu, _ ("_Open a File…"), "scenario.open");
  for (guint i = 0; i < g_list_model_get_n_items (gtk_window_get_toplevels ()); i++)
    {
      ShardwiseWindow *window = other_window (data, i);
      g_autoptr (GMenuItem) item = NULL;
      g_autofree char *name = NULL, *label = NULL;

      if (window == NULL)
        continue;
      name = window_name (window);
      label = shardwise_menu_label (name);
      item = g_menu_item_new (label, NULL);
      g_menu_item_set_action_and_target (
          item, "scenario.add-window", "u",
          gtk_application_window_get_id (GTK_APPLICATION_WINDOW (window)));
      g_menu_append_item (windows, item);
    }
  if (g_menu_model_get_n_items (G_MENU_MODEL (windows)) > 0)
    g_menu_append_section (menu, _ ("Of Another Window"), G_MENU_MODEL (windows));
  gtk_menu_button_set_menu_model (button, G_MENU_MODEL (menu));
}

static void
comparison_changed_cb (ShardwiseScenarioButton *self)
{
  gtk_widget_set_sensitive (self->button, shardwise_comparison_get_n (self->comparison)
                                              < SHARDWISE_COMPARISON_MAX);
}

/**
 * shardwise_scenario_button_set_comparison:
 * @comparison: the comparison for the scenarios
 */
void
shardwise_scenario_button_set_comparison (ShardwiseScenarioButton *self,
                                          ShardwiseComparison *comparison)
{
  g_return_if_fail (SHARDWISE_IS_SCENARIO_BUTTON (self) && SHARDWISE_IS_COMPARISON (comparison));

  if (self->comparison != NULL)
    g_signal_handlers_disconnect_by_data (self->comparison, self);
  g_set_object (&self->comparison, comparison);
  g_signal_connect_object (comparison, "changed", G_CALLBACK (comparison_changed_cb), self,
                           G_CONNECT_SWAPPED);
  comparison_changed_cb (self);
}

/**
 * shardwise_scenario_button_is_adding:
 *
 * Returns: whether a file is being read or evaluated
 */
gboolean
shardwise_scenario_button_is_adding (ShardwiseScenarioButton *self)
{
  g_return_val_if_fail (SHARDWISE_IS_SCENARIO_BUTTON (self), FALSE);

  return self->adding > 0;
}

/* Type */

static void
shardwise_scenario_button_dispose (GObject *object)
{
  ShardwiseScenarioButton *self = SHARDWISE_SCENARIO_BUTTON (object);

  g_cancellable_cancel (self->cancellable);
  if (self->comparison != NULL)
    g_signal_handlers_disconnect_by_data (self->comparison, self);
  g_clear_object (&self->comparison);
  g_clear_pointer (&self->button, gtk_widget_unparent);
  G_OBJECT_CLASS (shardwise_scenario_button_parent_class)->dispose (object);
}

static void
shardwise_scenario_button_finalize (GObject *object)
{
  g_object_unref (SHARDWISE_SCENARIO_BUTTON (object)->cancellable);
  G_OBJECT_CLASS (shardwise_scenario_button_parent_class)->finalize (object);
}

static void
shardwise_scenario_button_class_init (ShardwiseScenarioButtonClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_scenario_button_dispose;
  G_OBJECT_CLASS (klass)->finalize = shardwise_scenario_button_finalize;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_install_action (widget_class, "scenario.keep", NULL, keep_cb);
  gtk_widget_class_install_action (widget_class, "scenario.open", NULL, open_cb);
  gtk_widget_class_install_action (widget_class, "scenario.add-window", "u", add_window_cb);
}

static void
shardwise_scenario_button_init (ShardwiseScenarioButton *self)
{
  self->cancellable = g_cancellable_new ();
  self->button = gtk_menu_button_new ();
  gtk_menu_button_set_label (GTK_MENU_BUTTON (self->button), _ ("Add a _Scenario"));
  gtk_menu_button_set_use_underline (GTK_MENU_BUTTON (self->button), TRUE);
  gtk_widget_set_tooltip_text (
      self->button, _ ("Compare with other inputs: a file, another window, or the current inputs"));
  shardwise_tooltip_wrap (self->button);
  gtk_menu_button_set_create_popup_func (GTK_MENU_BUTTON (self->button), fill_menu_cb, self, NULL);
  gtk_widget_set_valign (GTK_WIDGET (self), GTK_ALIGN_CENTER);
  gtk_widget_set_parent (self->button, GTK_WIDGET (self));
}
