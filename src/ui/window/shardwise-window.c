/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-window-private.h"

#include <glib/gi18n.h>

#include "shardwise-advice-page.h"
#include "shardwise-alternatives-page.h"
#include "shardwise-analysis-page.h"
#include "shardwise-compat.h"
#include "shardwise-config.h"
#include "shardwise-diagnosis.h"
#include "shardwise-manual-window.h"
#include "shardwise-scale-page.h"
#include "shardwise-window-layout.h"
#include "shardwise-wrap-layout.h"

G_DEFINE_FINAL_TYPE (ShardwiseWindow, shardwise_window, ADW_TYPE_APPLICATION_WINDOW)

static void
update_title (ShardwiseWindow *self)
{
  g_autofree char *name = NULL, *title = NULL;

  if (self->scenario == NULL)
    {
      gtk_window_set_title (GTK_WINDOW (self), _ ("Shardwise"));
      return;
    }
  g_object_get (self->scenario, "name", &name, NULL);
  if (name == NULL || *name == '\0')
    {
      g_free (name);
      name = self->file != NULL ? shardwise_file_name (self->file) : g_strdup (_ ("New Scenario"));
    }
  if (shardwise_scenario_get_modified (self->scenario))
    /* Translators: the title of a window whose scenario has unsaved edits; %s is the scenario's
     * name */
    title = g_strdup_printf (_ ("• %s – Shardwise"), name);
  else
    /* Translators: the title of a window; %s is the scenario's name */
    title = g_strdup_printf (_ ("%s – Shardwise"), name);
  gtk_window_set_title (GTK_WINDOW (self), title);
}

static void
scenario_state_cb (ShardwiseWindow *self)
{
  update_title (self);
  shardwise_window_update_actions (self);
}

static void
scenario_changed_cb (ShardwiseWindow *self)
{
  self->discard = FALSE; /* what is edited after the answer was not meant by it */
  scenario_state_cb (self);
  shardwise_window_queue_session (self);
}

/* The reason why there is no new advice, above the page; the row that caused it is marked by the
 * inputs. */
static void
update_error (ShardwiseWindow *self)
{
  gboolean error = self->advisor != NULL
                   && shardwise_advisor_get_status (self->advisor) == SHARDWISE_STATUS_ERROR;
  const char *message = error ? shardwise_advisor_get_error_message (self->advisor) : NULL;
  const char *path = error ? shardwise_advisor_get_error_path (self->advisor) : NULL;

  if (message != NULL)
    {
      g_autofree char *text = shardwise_describe_error (path, message);

      gtk_label_set_label (self->error_label, text);
    }
  gtk_revealer_set_reveal_child (self->error_revealer, error);
  shardwise_inputs_set_error (self->inputs, path, message);
}

static void
advisor_status_cb (ShardwiseWindow *self)
{
  update_error (self);
  shardwise_window_update_actions (self);
  shardwise_window_appear_if_ready (self);
}

static const struct {
  const char *name;
  GType (*get_type) (void);
} pages[] = {
  { "advice", shardwise_advice_page_get_type },
  { "analysis", shardwise_analysis_page_get_type },
  { "alternatives", shardwise_alternatives_page_get_type },
  { "scale", shardwise_scale_page_get_type },
  { "export", shardwise_export_page_get_type },
};

static void
show_diagnosis (ShardwiseWindow *self)
{
  GtkWidget *bin = adw_view_stack_get_child_by_name (self->view_stack, "advice");
  GtkWidget *page = bin != NULL ? adw_bin_get_child (ADW_BIN (bin)) : NULL;

  if (page != NULL)
    shardwise_advice_page_set_import (SHARDWISE_ADVICE_PAGE (page), self->import);
}

/* The page of that name, which is made when it is wanted first: a window starts with one of five.
 * Returns: (transfer none) (nullable). */
ShardwisePage *
shardwise_window_get_page (ShardwiseWindow *self, const char *name)
{
  GtkWidget *bin = adw_view_stack_get_child_by_name (self->view_stack, name);

  for (guint i = 0;
       bin != NULL && adw_bin_get_child (ADW_BIN (bin)) == NULL && i < G_N_ELEMENTS (pages); i++)
    if (g_str_equal (pages[i].name, name))
      {
        adw_bin_set_child (ADW_BIN (bin),
                           g_object_new (pages[i].get_type (), "advisor", self->advisor, NULL));
        show_diagnosis (self);
      }
  return bin != NULL ? SHARDWISE_PAGE (adw_bin_get_child (ADW_BIN (bin))) : NULL;
}

static void
visible_page_cb (ShardwiseWindow *self)
{
  const char *name = adw_view_stack_get_visible_child_name (self->view_stack);

  if (name != NULL && self->advisor != NULL)
    shardwise_window_get_page (self, name);
}

/* The advisor of a window that has none yet.
 * advisor: (transfer full): may have begun with the scenario that comes. */
void
shardwise_window_take_advisor (ShardwiseWindow *self, ShardwiseAdvisor *advisor)
{
  g_assert (self->advisor == NULL);

  self->advisor = advisor;
  g_settings_bind (self->settings, "live-evaluation", advisor, "live", G_SETTINGS_BIND_GET);
}

/* Begins at once: the advisor works on a thread while the page is made. */
static void
begin_advice (ShardwiseWindow *self)
{
  if (self->advisor == NULL)
    shardwise_window_take_advisor (self, shardwise_advisor_new (self->scenario));
  else if (shardwise_advisor_get_scenario (self->advisor) == self->scenario)
    return; /* has begun while the file was read */
  else
    shardwise_advisor_set_scenario (self->advisor, self->scenario);
  if (shardwise_advisor_get_live (self->advisor))
    shardwise_advisor_evaluate (self->advisor); /* without the delay for typing */
}

static void
show_advisor (ShardwiseWindow *self)
{
  g_signal_group_set_target (self->advisor_signals, self->advisor);
  visible_page_cb (self);
  shardwise_inputs_set_advisor (self->inputs, self->advisor);
  shardwise_ask_panel_set_advisor (self->ask_panel, self->advisor);
  advisor_status_cb (self);
}

static void
show_work (ShardwiseWindow *self)
{
  gboolean blank = g_strcmp0 (gtk_stack_get_visible_child_name (self->main_stack), "blank") == 0;

  gtk_stack_set_visible_child_full (self->main_stack, "work",
                                    blank ? GTK_STACK_TRANSITION_TYPE_NONE
                                          : GTK_STACK_TRANSITION_TYPE_CROSSFADE);
  adw_view_switcher_title_set_view_switcher_enabled (self->switcher_title, TRUE);
}

/* What a file of a job or a model said beside its scenario is shown until another document
 * comes. */
void
shardwise_window_set_import (ShardwiseWindow *self, ShardwiseImport *import)
{
  ShardwiseImport *taken = NULL;

  if (import != NULL)
    {
      taken = g_new0 (ShardwiseImport, 1);
      *taken = (ShardwiseImport){ .kind = import->kind,
                                  .warnings = g_ptr_array_ref (import->warnings),
                                  .assumed = g_ptr_array_ref (import->assumed),
                                  .findings = g_ptr_array_ref (import->findings) };
    }
  g_clear_pointer (&self->import, shardwise_import_free);
  self->import = taken;
  show_diagnosis (self);
}

/* Takes over a scenario, as read from `file` or new; the one before is gone.
 * scenario: (transfer none). file: (nullable). */
void
shardwise_window_set_scenario (ShardwiseWindow *self, ShardwiseScenario *scenario, GFile *file)
{
  g_assert (SHARDWISE_IS_WINDOW (self));
  g_assert (SHARDWISE_IS_SCENARIO (scenario));

  g_set_object (&self->scenario, scenario);
  shardwise_window_set_import (self, NULL);
  shardwise_window_set_saved (self, scenario);
  self->restored = FALSE;
  shardwise_window_set_file (self, file);
  g_signal_group_set_target (self->scenario_signals, scenario);
  begin_advice (self);
  shardwise_inputs_set_scenario (self->inputs, scenario);
  show_advisor (self);
  show_work (self);
  scenario_changed_cb (self);
  shardwise_window_calibrate (self);
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    shardwise_inputs_prepare (self->inputs); /* while the answer is on its way */
}

/* Shows a short message. text: translated. */
void
shardwise_window_toast (ShardwiseWindow *self, const char *text)
{
  if (!shardwise_window_is_closed (self))
    shardwise_compat_toast (self->toasts, text);
}

/* Shows the page of that name; FALSE where there is none. */
gboolean
shardwise_window_set_page (ShardwiseWindow *self, const char *name)
{
  if (adw_view_stack_get_child_by_name (self->view_stack, name) == NULL)
    return FALSE;
  adw_view_stack_set_visible_child_name (self->view_stack, name);
  return TRUE;
}

static void
save_state (ShardwiseWindow *self)
{
  gboolean maximized = gtk_window_is_maximized (GTK_WINDOW (self));
  int width, height;

  gtk_window_get_default_size (GTK_WINDOW (self), &width, &height);
  g_settings_set_boolean (self->settings, "window-maximized", maximized);
  if (!maximized && width >= 360 && height >= 294)
    {
      g_settings_set_int (self->settings, "window-width", MIN (width, 16384));
      g_settings_set_int (self->settings, "window-height", MIN (height, 16384));
    }
  if (!adw_flap_get_folded (self->flap))
    g_settings_set_boolean (self->settings, "inputs-visible",
                            adw_flap_get_reveal_flap (self->flap));
  if (self->scenario != NULL)
    g_settings_set_string (self->settings, "page",
                           adw_view_stack_get_visible_child_name (self->view_stack));
}

static void
restore_state (ShardwiseWindow *self)
{
  g_autofree char *page = g_settings_get_string (self->settings, "page");

  gtk_window_set_default_size (GTK_WINDOW (self),
                               g_settings_get_int (self->settings, "window-width"),
                               g_settings_get_int (self->settings, "window-height"));
  if (g_settings_get_boolean (self->settings, "window-maximized"))
    gtk_window_maximize (GTK_WINDOW (self));
  if (!adw_flap_get_folded (self->flap))
    adw_flap_set_reveal_flap (self->flap,
                              g_settings_get_boolean (self->settings, "inputs-visible"));
  shardwise_window_set_page (self, page);
}

static gboolean
shardwise_window_close_request (GtkWindow *window)
{
  ShardwiseWindow *self = SHARDWISE_WINDOW (window);

  shardwise_inputs_flush (self->inputs);
  if (!self->discard && shardwise_window_has_unsaved (self))
    {
      shardwise_window_ask_to_close (self);
      return TRUE;
    }
  save_state (self);
  if (self->scenario != NULL)
    shardwise_window_end_session (self);
  return GTK_WINDOW_CLASS (shardwise_window_parent_class)->close_request (window);
}

static void
shardwise_window_dispose (GObject *object)
{
  ShardwiseWindow *self = SHARDWISE_WINDOW (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_handle_id (&self->session_id, g_source_remove);
  g_clear_handle_id (&self->appear_id, g_source_remove);
  g_clear_handle_id (&self->recent_id, g_source_remove);
  g_clear_weak_pointer (&self->playbook);
  g_clear_pointer (&self->import, shardwise_import_free);
  if (self->watch != NULL)
    g_signal_handlers_disconnect_by_data (self->watch, self);
  g_clear_object (&self->watch);
  g_clear_object (&self->draft);
  g_clear_object (&self->scenario_signals);
  g_clear_object (&self->advisor_signals);
  if (self->advisor != NULL)
    shardwise_advisor_stop (self->advisor);
  if (self->primary_menu != NULL)
    shardwise_compat_empty_menu (self->primary_menu);
  if (self->recent_menu != NULL)
    shardwise_compat_empty_menu (self->recent_menu);
  gtk_widget_dispose_template (GTK_WIDGET (self), SHARDWISE_TYPE_WINDOW);
  g_clear_object (&self->advisor);
  g_clear_object (&self->scenario);
  g_clear_object (&self->file);
  g_clear_pointer (&self->saved, g_free);
  g_clear_object (&self->settings);
  g_clear_object (&self->cancellable);
  g_weak_ref_set (&self->ask_back, NULL);

  G_OBJECT_CLASS (shardwise_window_parent_class)->dispose (object);
}

/* Before GTK gives the focus to the first button of the header bar. */
static void
shardwise_window_map (GtkWidget *widget)
{
  ShardwiseWindow *self = SHARDWISE_WINDOW (widget);

  GTK_WIDGET_CLASS (shardwise_window_parent_class)->map (widget);
  if (gtk_window_get_focus (GTK_WINDOW (self)) == NULL
      && g_strcmp0 (gtk_stack_get_visible_child_name (self->main_stack), "start") == 0)
    shardwise_window_show_start (self);
}

static void
shardwise_window_class_init (ShardwiseWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_window_dispose;
  widget_class->map = shardwise_window_map;
  GTK_WINDOW_CLASS (klass)->close_request = shardwise_window_close_request;

  g_type_ensure (SHARDWISE_TYPE_ASK_PANEL);
  g_type_ensure (SHARDWISE_TYPE_BANNER);
  g_type_ensure (SHARDWISE_TYPE_INPUTS);
  g_type_ensure (SHARDWISE_TYPE_WINDOW_LAYOUT);
  g_type_ensure (SHARDWISE_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               APPLICATION_PATH "/ui/shardwise-window.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, flap);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, ask_flap);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, ask_panel);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, ask_bin);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, main_stack);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, view_stack);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, switcher_title);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, toasts);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, error_revealer);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, banner);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, error_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, primary_menu);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, recent_menu);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, inputs);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, start_button);
  gtk_widget_class_bind_template_callback (widget_class, visible_page_cb);
  gtk_widget_class_bind_template_callback (widget_class, shardwise_window_queue_session);
}

/* What gives way to something narrower does so at once: while it fades, cairo paints the whole
 * window several times, in the frames of a resize of all. */
static void
stop_fading (GtkWidget *widget)
{
  if (ADW_IS_SQUEEZER (widget))
    adw_squeezer_set_transition_type (ADW_SQUEEZER (widget), ADW_SQUEEZER_TRANSITION_TYPE_NONE);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    stop_fading (child);
}

static void
shardwise_window_init (ShardwiseWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));

  g_weak_ref_init (&self->ask_back, NULL);
  self->cancellable = g_cancellable_new ();
  self->scenario_signals = g_signal_group_new (SHARDWISE_TYPE_SCENARIO);
  g_signal_group_connect_swapped (self->scenario_signals, "changed",
                                  G_CALLBACK (scenario_changed_cb), self);
  g_signal_group_connect_swapped (self->scenario_signals, "notify", G_CALLBACK (scenario_state_cb),
                                  self);
  self->advisor_signals = g_signal_group_new (SHARDWISE_TYPE_ADVISOR);
  g_signal_group_connect_swapped (self->advisor_signals, "notify::status",
                                  G_CALLBACK (advisor_status_cb), self);
  g_signal_group_connect_swapped (self->advisor_signals, "notify::error-message",
                                  G_CALLBACK (update_error), self);

  if (g_strcmp0 (g_getenv ("GSK_RENDERER"), "cairo") == 0)
    {
      gtk_widget_add_css_class (GTK_WIDGET (self), "software");
      stop_fading (
          gtk_widget_get_ancestor (GTK_WIDGET (self->switcher_title), ADW_TYPE_HEADER_BAR));
    }
#ifdef SHARDWISE_DEVEL
  gtk_widget_add_css_class (GTK_WIDGET (self), "devel");
#endif
  adw_view_switcher_title_set_view_switcher_enabled (self->switcher_title, FALSE);
}

/**
 * shardwise_window_new:
 * @application: the program that the window belongs to
 * @settings: where its size and the user's preferences are kept
 *
 * Returns: (transfer none): a window that shows the start page
 */
ShardwiseWindow *
shardwise_window_new (GtkApplication *application, GSettings *settings)
{
  ShardwiseWindow *self;

  g_return_val_if_fail (G_IS_SETTINGS (settings), NULL);

  self = g_object_new (SHARDWISE_TYPE_WINDOW, "application", application, NULL);
  self->settings = g_object_ref (settings);
  g_settings_bind (settings, "live-evaluation", self->inputs, "live", G_SETTINGS_BIND_GET);
  shardwise_window_add_actions (self);
  shardwise_window_set_up_ask (self);
  shardwise_window_set_up_folds (self);
  shardwise_window_set_up_disk (self);
  shardwise_window_add_controllers (self);
  g_signal_connect_object (gtk_recent_manager_get_default (), "changed",
                           G_CALLBACK (shardwise_window_update_recent), self, G_CONNECT_SWAPPED);
  shardwise_window_update_recent (self);
  restore_state (self);
  shardwise_window_update_actions (self);
  return self;
}

/**
 * shardwise_window_get_scenario:
 *
 * Returns: (transfer none) (nullable): the document; %NULL on the start page
 */
ShardwiseScenario *
shardwise_window_get_scenario (ShardwiseWindow *self)
{
  g_return_val_if_fail (SHARDWISE_IS_WINDOW (self), NULL);
  return self->scenario;
}

/**
 * shardwise_window_get_advisor:
 *
 * Returns: (transfer none) (nullable): what evaluates the document; %NULL on the start page
 */
ShardwiseAdvisor *
shardwise_window_get_advisor (ShardwiseWindow *self)
{
  g_return_val_if_fail (SHARDWISE_IS_WINDOW (self), NULL);
  return self->advisor;
}

/**
 * shardwise_window_is_unused:
 *
 * Returns: whether the window still shows the start page, so that a file may open in it
 */
gboolean
shardwise_window_is_unused (ShardwiseWindow *self)
{
  g_return_val_if_fail (SHARDWISE_IS_WINDOW (self), FALSE);
  return self->scenario == NULL && !self->opening;
}

/**
 * shardwise_window_get_help_page:
 *
 * Returns: (transfer none) (nullable): the topic of the manual about what has the focus; %NULL on
 * the start page
 */
const char *
shardwise_window_get_help_page (ShardwiseWindow *self)
{
  const char *topic;

  g_return_val_if_fail (SHARDWISE_IS_WINDOW (self), NULL);

  if (self->scenario == NULL)
    return NULL;
  topic = shardwise_help_topic (gtk_window_get_focus (GTK_WINDOW (self)));
  return topic != NULL ? topic
                       : adw_view_stack_get_visible_child_name (
                           self->view_stack); /* the manual has a page for each */
}

/**
 * shardwise_window_shows_file:
 *
 * Returns: whether the document is the one of @file
 */
gboolean
shardwise_window_shows_file (ShardwiseWindow *self, GFile *file)
{
  g_return_val_if_fail (SHARDWISE_IS_WINDOW (self), FALSE);
  return shardwise_window_is_saving_to (self, file)
         || (self->watch != NULL && shardwise_file_watch_is_of (self->watch, file));
}
