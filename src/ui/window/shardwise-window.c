/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-window-private.h"

#include <glib/gi18n.h>

#include "shardwise-advice-page.h"
#include "shardwise-alternatives-page.h"
#include "shardwise-analysis-page.h"
#include "shardwise-container.h"
#include "shardwise-gtk-faults.h"
#include "shardwise-toast.h"
#include "shardwise-config.h"
#include "shardwise-diagnosis.h"
#include "shardwise-manual-window.h"
#include "shardwise-scale-page.h"
#include "shardwise-window-actions.h"
#include "shardwise-window-files.h"

enum {
  INPUTS_WIDTH = 860, /* minimum width in pixels of a window with inputs and page side by side */
  ASK_WIDTH = 1300,   /* where the panel of questions does, too */
  FIELD_WIDTH = 1180, /* where the header bar has room for its field */
  OPEN_WIDTH = 440,   /* and for the button that opens files */
  SLACK = 40          /* pixels by which a window can be made narrower before the inputs fold */
};

G_DEFINE_FINAL_TYPE (ShardwiseWindow, shardwise_window, ADW_TYPE_APPLICATION_WINDOW)

/* ---- the document and its answer ---- */

static void
scenario_state_cb (ShardwiseWindow *self)
{
  g_autofree char *name = NULL, *title = NULL;

  g_object_get (shardwise_document_get_scenario (self->document), "name", &name, NULL);
  if (name == NULL || *name == '\0')
    {
      g_free (name);
      name = shardwise_document_get_file (self->document) != NULL
                 ? shardwise_file_name (shardwise_document_get_file (self->document))
                 : g_strdup (_ ("New Scenario"));
    }
  if (shardwise_scenario_get_modified (shardwise_document_get_scenario (self->document)))
    /* Translators: the title of a window whose scenario has unsaved edits; %s is the scenario's
     * name */
    title = g_strdup_printf (_ ("• %s – Shardwise"), name);
  else
    /* Translators: the title of a window; %s is the scenario's name */
    title = g_strdup_printf (_ ("%s – Shardwise"), name);
  gtk_window_set_title (GTK_WINDOW (self), title);
  gtk_label_set_label (self->document_name, name);
  gtk_label_set_text (self->document_edited, shardwise_scenario_get_modified (
                                                 shardwise_document_get_scenario (self->document))
                                                 ? _ ("Edited")
                                                 : "");
  shardwise_window_update_actions (self);
}

static void
scenario_changed_cb (ShardwiseWindow *self)
{
  if (self->ending == SHARDWISE_ENDING_GIVEN_UP)
    self->ending = SHARDWISE_ENDING_NONE; /* what is edited after the answer was not meant by it */
  scenario_state_cb (self);
  shardwise_document_queue_draft (self->document);
  shardwise_window_calibrate (self);
}

static const struct {
  const char *name;
  GType (*get_type) (void);
} pages[] = {
  { "advice", shardwise_advice_page_get_type },
  { "analysis", shardwise_analysis_page_get_type },
  { "alternatives", shardwise_alternatives_page_get_type },
  { "scale", shardwise_scale_page_get_type },
};

/* The reason why there is no new advice, above the page unless that says it itself; the row that
 * caused it is marked by the inputs. */
static void
update_error (ShardwiseWindow *self)
{
  gboolean error = self->advisor != NULL
                   && shardwise_advisor_get_status (self->advisor) == SHARDWISE_STATUS_ERROR;
  const char *message = error ? shardwise_advisor_get_error_message (self->advisor) : NULL;
  const char *path = error ? shardwise_advisor_get_error_path (self->advisor) : NULL;
  gboolean is_told =
      error && shardwise_advisor_get_advice (self->advisor) == NULL
      && g_strcmp0 (adw_view_stack_get_visible_child_name (self->view_stack), pages[0].name) == 0;

  if (message != NULL)
    {
      g_autofree char *text = shardwise_describe_error (path, message);

      gtk_label_set_label (self->error_label, text);
    }
  gtk_revealer_set_reveal_child (self->error_revealer, error && !is_told);
  shardwise_inputs_set_error (self->inputs, path, message);
}

static void
advisor_status_cb (ShardwiseWindow *self)
{
  update_error (self);
  shardwise_window_update_actions (self);
}

static void
show_diagnosis (ShardwiseWindow *self)
{
  GtkWidget *bin = adw_view_stack_get_child_by_name (self->view_stack, "advice");
  GtkWidget *page = bin != NULL ? adw_bin_get_child (ADW_BIN (bin)) : NULL;

  if (page != NULL)
    shardwise_advice_page_set_import (SHARDWISE_ADVICE_PAGE (page),
                                      shardwise_document_get_import (self->document));
}

/* The page of that name, which is made when it is wanted first: a window starts with one of four.
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
        if (g_str_equal (name, "alternatives"))
          {
            ShardwiseAlternativesPage *page =
                SHARDWISE_ALTERNATIVES_PAGE (adw_bin_get_child (ADW_BIN (bin)));

            shardwise_alternatives_page_show (page, "compare");
            shardwise_alternatives_page_group (page);
          }
        shardwise_window_connect_page (self, adw_bin_get_child (ADW_BIN (bin)));
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
  if (self->ask_panel != NULL)
    shardwise_ask_panel_set_page (self->ask_panel, name);
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
    shardwise_window_take_advisor (
        self, shardwise_advisor_new (shardwise_document_get_scenario (self->document)));
  else if (shardwise_advisor_get_scenario (self->advisor)
           == shardwise_document_get_scenario (self->document))
    return; /* has begun while the file was read */
  else
    shardwise_advisor_set_scenario (self->advisor,
                                    shardwise_document_get_scenario (self->document));
  if (shardwise_advisor_get_live (self->advisor))
    shardwise_advisor_evaluate (self->advisor); /* without the delay for typing */
}

/* Notes of an imported job or model are shown until another document opens. import: (nullable): its
 * notes are used, not its scenario. */
void
shardwise_window_set_import (ShardwiseWindow *self, ShardwiseImport *import)
{
  shardwise_document_set_import (self->document, import);
  show_diagnosis (self);
}

/* Takes over a scenario, as read from `file` or new; the one before is gone.
 * scenario: (transfer none). file: (nullable). */
void
shardwise_window_set_scenario (ShardwiseWindow *self, ShardwiseScenario *scenario, GFile *file)
{
  gboolean blank = g_strcmp0 (gtk_stack_get_visible_child_name (self->main_stack), "blank") == 0;

  g_assert (SHARDWISE_IS_WINDOW (self));
  g_assert (SHARDWISE_IS_SCENARIO (scenario));

  shardwise_document_set_scenario (self->document, scenario, file);
  show_diagnosis (self);
  g_signal_group_set_target (self->scenario_signals, scenario);
  begin_advice (self);
  shardwise_inputs_set_scenario (self->inputs, scenario);
  g_signal_group_set_target (self->advisor_signals, self->advisor);
  visible_page_cb (self);
  shardwise_inputs_set_advisor (self->inputs, self->advisor);
  shardwise_ask_panel_set_advisor (self->ask_panel, self->advisor);
  advisor_status_cb (self);
  gtk_stack_set_visible_child_full (self->main_stack, "work",
                                    blank ? GTK_STACK_TRANSITION_TYPE_NONE
                                          : GTK_STACK_TRANSITION_TYPE_CROSSFADE);
  adw_view_switcher_title_set_view_switcher_enabled (self->switcher_title, TRUE);
  g_clear_pointer (&self->calibrated_gpu, g_free);
  scenario_changed_cb (self);
  shardwise_window_show_journal_again (self);
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    shardwise_inputs_prepare (self->inputs); /* while the answer is on its way */
}

/* Shows a short message. text: translated. */
void
shardwise_window_toast (ShardwiseWindow *self, const char *text)
{
  if (!shardwise_window_is_closed (self))
    shardwise_toast_show (self->toasts, text);
}

/* Shows the page of that name, or a section: "analysis/memory"; FALSE if there is none. */
gboolean
shardwise_window_set_page (ShardwiseWindow *self, const char *name)
{
  g_auto (GStrv) parts = g_strsplit (name, "/", 2);

  if (parts[0] == NULL || adw_view_stack_get_child_by_name (self->view_stack, parts[0]) == NULL)
    return FALSE;
  adw_view_stack_set_visible_child_name (self->view_stack, parts[0]);
  if (parts[1] == NULL || self->advisor == NULL)
    return parts[1] == NULL;
  if (g_str_equal (parts[0], "alternatives"))
    return shardwise_alternatives_page_show (
        SHARDWISE_ALTERNATIVES_PAGE (shardwise_window_get_page (self, "alternatives")), parts[1]);
  if (g_str_equal (parts[0], "scale"))
    return shardwise_scale_page_show (
        SHARDWISE_SCALE_PAGE (shardwise_window_get_page (self, "scale")), parts[1]);
  return g_str_equal (parts[0], "analysis")
         && shardwise_analysis_page_show (
             SHARDWISE_ANALYSIS_PAGE (shardwise_window_get_page (self, "analysis")), parts[1]);
}

/* Whether it is closed, and only running tasks hold it. */
gboolean
shardwise_window_is_closed (ShardwiseWindow *self)
{
  return gtk_window_get_application (GTK_WINDOW (self)) == NULL;
}

/* The page of a window without a document; its field has the focus. */
void
shardwise_window_show_start (ShardwiseWindow *self)
{
  gtk_stack_set_visible_child_name (self->main_stack, "start");
  gtk_widget_grab_focus (GTK_WIDGET (self->start_page));
}

/* ---- panes beside the pages ---- */

/* Of a wide window, and above them in a narrow one. The flaps are told where they stand, not left to
 * find out: a flap that folds or unfolds while sizes are given out, and does so at once where
 * animations are off, is drawn without a size. */

/* A flap divides the velocity of its animation by its size: where it has none that is no number,
 * and what it draws then is no number of pixels wide. */
static gboolean
has_no_size (AdwFlap *flap)
{
  return gtk_widget_get_mapped (GTK_WIDGET (flap)) && gtk_widget_get_width (GTK_WIDGET (flap)) == 0;
}

static gboolean
reveal_later_cb (GtkWidget *flap, GdkFrameClock *clock, gpointer reveal)
{
  if (has_no_size (ADW_FLAP (flap)))
    return G_SOURCE_CONTINUE;
  adw_flap_set_reveal_flap (ADW_FLAP (flap), GPOINTER_TO_INT (reveal));
  return G_SOURCE_REMOVE;
}

/* Shows or hides the panes beside the pages, as soon as they have a size. */
void
shardwise_window_reveal (AdwFlap *flap, gboolean reveal)
{
  if (has_no_size (flap))
    gtk_widget_add_tick_callback (GTK_WIDGET (flap), reveal_later_cb, GINT_TO_POINTER (reveal),
                                  NULL);
  else
    adw_flap_set_reveal_flap (flap, reveal);
}

/* An unlocked flap is revealed when it unfolds. */
static void
fold (AdwFlap *flap, gboolean folds)
{
  const AdwFlapFoldPolicy policy = folds ? ADW_FLAP_FOLD_POLICY_ALWAYS : ADW_FLAP_FOLD_POLICY_NEVER;
  const gboolean waits = has_no_size (flap) && !adw_flap_get_locked (flap);

  if (adw_flap_get_fold_policy (flap) == policy)
    return;
  if (waits)
    adw_flap_set_locked (flap, TRUE);
  adw_flap_set_fold_policy (flap, policy);
  if (!waits)
    return;
  adw_flap_set_locked (flap, FALSE);
  shardwise_window_reveal (flap, !folds);
}

/* In the narrowest windows files are opened from the menu. */
static void
layout_cb (ShardwiseWindow *self, int width)
{
  int inputs, content;

  /* With large text the inputs fold at a larger width, because they set the minimum width of the
   * window while they are beside the page. */
  gtk_widget_measure (adw_flap_get_flap (self->flap), GTK_ORIENTATION_HORIZONTAL, -1, &inputs, NULL,
                      NULL, NULL);
  gtk_widget_measure (adw_flap_get_content (self->flap), GTK_ORIENTATION_HORIZONTAL, -1, &content,
                      NULL, NULL, NULL);
  gtk_widget_set_visible (self->ask_bin, width < FIELD_WIDTH);
  gtk_widget_set_visible (self->ask_field_bin, width >= FIELD_WIDTH);
  shardwise_ask_panel_set_has_entry (self->ask_panel, width < FIELD_WIDTH);
  gtk_widget_set_visible (self->open_squeezer, width >= OPEN_WIDTH);
  fold (self->ask_flap, width < ASK_WIDTH);
  fold (self->flap, width < MAX (INPUTS_WIDTH, inputs + content + SLACK));
}

/* A window is made no narrower than its content, which must fold before. One that is not realized
 * yet may still get another content: measured before, that would be for nothing. */
static void
default_width_cb (ShardwiseWindow *self)
{
  int width, height;

  if (!gtk_widget_get_realized (GTK_WIDGET (self)))
    return;
  gtk_window_get_default_size (GTK_WINDOW (self), &width, &height);
  if (width > 0 && !gtk_window_is_maximized (GTK_WINDOW (self))
      && !gtk_window_is_fullscreen (GTK_WINDOW (self)))
    layout_cb (self, width);
}

static void
realize_cb (ShardwiseWindow *self)
{
  default_width_cb (self);
  g_signal_connect_object (gtk_native_get_surface (GTK_NATIVE (self)), "layout",
                           G_CALLBACK (layout_cb), self, G_CONNECT_SWAPPED);
}

static void
sync_inputs_action (ShardwiseWindow *self)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self), "toggle-inputs");

  g_simple_action_set_state (G_SIMPLE_ACTION (action),
                             g_variant_new_boolean (adw_flap_get_reveal_flap (self->flap)));
}

static gboolean
inputs_cover (ShardwiseWindow *self)
{
  return adw_flap_get_folded (self->flap) && adw_flap_get_reveal_flap (self->flap);
}

/* What the inputs cover has no focus: nobody would see it. */
static void
cover_cb (ShardwiseWindow *self)
{
  GtkWidget *content = adw_flap_get_content (self->flap);

  if (inputs_cover (self))
    shardwise_gtk_let_go_of_focus (content);
  gtk_widget_set_can_focus (content, !inputs_cover (self));
}

static void
inputs_mapped_cb (ShardwiseWindow *self)
{
  const ShardwiseKeyId due = self->input_due;

  self->input_due = SHARDWISE_KEY_NONE;
  if (due != SHARDWISE_KEY_NONE)
    shardwise_inputs_show (self->inputs, due);
  else if (inputs_cover (self))
    gtk_widget_grab_focus (
        GTK_WIDGET (shardwise_inputs_find_row (self->inputs, SHARDWISE_KEY_MODEL_PRESET)));
}

static gboolean
is_within (GtkWidget *focus, GtkWidget *widget)
{
  return focus != NULL && (focus == widget || gtk_widget_is_ancestor (focus, widget));
}

/* The one field of questions that there is: of the header bar, or of the panel. */
static void
focus_ask_cb (ShardwiseWindow *self)
{
  g_assert (SHARDWISE_IS_WINDOW (self));

  gtk_widget_grab_focus (gtk_widget_get_mapped (self->ask_field) ? self->ask_field
                                                                 : GTK_WIDGET (self->ask_panel));
}

/* Where the focus goes back to from there. */
static void
keep_focus (ShardwiseWindow *self)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));

  if (!is_within (focus, self->ask_field) && !is_within (focus, GTK_WIDGET (self->ask_panel)))
    g_weak_ref_set (&self->ask_back, focus);
}

/* Leads to the field of questions, wherever it is. */
void
shardwise_window_focus_ask (ShardwiseWindow *self)
{
  if (shardwise_document_get_scenario (self->document) == NULL)
    gtk_widget_grab_focus (GTK_WIDGET (self->start_page));
  else if (gtk_widget_get_mapped (self->ask_field)
           || gtk_widget_get_mapped (GTK_WIDGET (self->ask_panel)))
    {
      keep_focus (self);
      focus_ask_cb (self);
    }
  else
    shardwise_window_reveal (self->ask_flap, TRUE);
}

/* A question is answered in the panel; what is no words opens. */
static void
ask_field_cb (ShardwiseWindow *self)
{
  g_autofree char *text = g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->ask_field)));

  g_assert (SHARDWISE_IS_WINDOW (self));

  if (shardwise_window_is_job (text))
    {
      gtk_editable_set_text (GTK_EDITABLE (self->ask_field), "");
      shardwise_window_open_text (self, text, -1, _ ("Pasted Text"));
      return;
    }
  shardwise_ask_panel_ask_typed (self->ask_panel);
  shardwise_window_reveal (self->ask_flap, TRUE);
}

/* Escape leaves the field, and closes the panel that it opened. */
static gboolean
ask_field_key_cb (ShardwiseWindow *self, guint keyval)
{
  GtkWidget *back;

  g_assert (SHARDWISE_IS_WINDOW (self));

  if (keyval != GDK_KEY_Escape)
    return GDK_EVENT_PROPAGATE;
  if (adw_flap_get_reveal_flap (self->ask_flap))
    shardwise_window_reveal (self->ask_flap, FALSE);
  else if ((back = g_weak_ref_get (&self->ask_back)) != NULL)
    {
      gtk_widget_grab_focus (back);
      g_object_unref (back);
    }
  return GDK_EVENT_STOP;
}

static void
described_cb (ShardwiseWindow *self, ShardwiseDescription *what)
{
  g_assert (SHARDWISE_IS_WINDOW (self));

  shardwise_window_open_description (self, what);
}

/* Moves the focus to the question, and later back. */
static void
ask_revealed_cb (ShardwiseWindow *self)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self)), *back;

  if (adw_flap_get_reveal_flap (self->ask_flap))
    {
      keep_focus (self);
      if (gtk_widget_get_mapped (GTK_WIDGET (self->ask_panel)))
        focus_ask_cb (self);
      return;
    }
  back = g_weak_ref_get (&self->ask_back);
  if (back != NULL && gtk_widget_get_mapped (back)
      && (focus == NULL || is_within (focus, self->ask_field)
          || is_within (focus, GTK_WIDGET (self->ask_panel))))
    gtk_widget_grab_focus (back);
  g_clear_object (&back);
}

/* A panel above the page would hide what it points at. */
static void
page_activated_cb (ShardwiseWindow *self, const char *page)
{
  g_assert (SHARDWISE_IS_WINDOW (self));

  shardwise_window_set_page (self, page);
  if (adw_flap_get_folded (self->ask_flap))
    adw_flap_set_reveal_flap (self->ask_flap, FALSE);
}

static void
sync_ask_action (ShardwiseWindow *self)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self), "toggle-ask");

  g_simple_action_set_state (G_SIMPLE_ACTION (action),
                             g_variant_new_boolean (adw_flap_get_reveal_flap (self->ask_flap)));
}

/* Of a question or an input: no scenario holds it yet. */
static void
typed_cb (ShardwiseWindow *self)
{
  g_assert (SHARDWISE_IS_WINDOW (self));

  shardwise_document_queue_draft (self->document);
}

/* ---- object ---- */

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
  if (shardwise_document_get_scenario (self->document) != NULL)
    g_settings_set_string (self->settings, "page",
                           adw_view_stack_get_visible_child_name (self->view_stack));
}

static gboolean
shardwise_window_close_request (GtkWindow *window)
{
  ShardwiseWindow *self = SHARDWISE_WINDOW (window);

  shardwise_inputs_flush (self->inputs);
  if (self->ending != SHARDWISE_ENDING_GIVEN_UP && shardwise_document_has_unsaved (self->document))
    {
      shardwise_window_ask_to_close (self);
      return TRUE;
    }
  save_state (self);
  if (shardwise_document_get_scenario (self->document) != NULL)
    {
      /* Nobody looks at a window that waits for a slow disk. */
      gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
      gdk_display_flush (gtk_widget_get_display (GTK_WIDGET (self)));
      shardwise_document_end_draft (self->document, self->quitting == SHARDWISE_QUITTING_NOW);
    }
  return GTK_WINDOW_CLASS (shardwise_window_parent_class)->close_request (window);
}

static void
shardwise_window_dispose (GObject *object)
{
  ShardwiseWindow *self = SHARDWISE_WINDOW (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_pointer (&self->recent, shardwise_recent_free);
  g_clear_weak_pointer (&self->plan);
  g_clear_object (&self->scenario_signals);
  g_clear_object (&self->advisor_signals);
  if (self->advisor != NULL)
    shardwise_advisor_stop (self->advisor);
  if (self->primary_menu != NULL)
    shardwise_menu_empty (self->primary_menu);
  if (self->recent_menu != NULL)
    shardwise_menu_empty (self->recent_menu);
  gtk_widget_dispose_template (GTK_WIDGET (self), SHARDWISE_TYPE_WINDOW);
  shardwise_document_close (self->document);
  g_clear_object (&self->advisor);
  g_clear_object (&self->settings);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->calibrated_gpu, g_free);
  g_weak_ref_set (&self->ask_back, NULL);

  G_OBJECT_CLASS (shardwise_window_parent_class)->dispose (object);
}

/* What was under way for it ends after it. */
static void
shardwise_window_finalize (GObject *object)
{
  g_clear_object (&SHARDWISE_WINDOW (object)->document);
  G_OBJECT_CLASS (shardwise_window_parent_class)->finalize (object);
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
  G_OBJECT_CLASS (klass)->finalize = shardwise_window_finalize;
  widget_class->map = shardwise_window_map;
  GTK_WINDOW_CLASS (klass)->close_request = shardwise_window_close_request;

  g_type_ensure (SHARDWISE_TYPE_ASK_PANEL);
  g_type_ensure (SHARDWISE_TYPE_BANNER);
  g_type_ensure (SHARDWISE_TYPE_INPUTS);
  g_type_ensure (SHARDWISE_TYPE_START_PAGE);
  g_type_ensure (SHARDWISE_TYPE_WINDOW_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               APPLICATION_PATH "/ui/shardwise-window.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, flap);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, ask_flap);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, ask_panel);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, ask_bin);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, ask_field_bin);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, ask_field);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, open_squeezer);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, document_name);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, document_edited);
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
  gtk_widget_class_bind_template_child (widget_class, ShardwiseWindow, start_page);
  gtk_widget_class_bind_template_callback (widget_class, visible_page_cb);
  gtk_widget_class_bind_template_callback (widget_class, typed_cb);
  gtk_widget_class_bind_template_callback (widget_class, ask_revealed_cb);
  gtk_widget_class_bind_template_callback (widget_class, ask_field_cb);
  gtk_widget_class_bind_template_callback (widget_class, ask_field_key_cb);
  gtk_widget_class_bind_template_callback (widget_class, described_cb);
  gtk_widget_class_bind_template_callback (widget_class, cover_cb);
  gtk_widget_class_bind_template_callback (widget_class, focus_ask_cb);
  gtk_widget_class_bind_template_callback (widget_class, inputs_mapped_cb);
  gtk_widget_class_bind_template_callback (widget_class, page_activated_cb);
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
  self->document = shardwise_window_document_new (self);
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
  g_signal_connect_object (self->view_stack, "notify::visible-child", G_CALLBACK (update_error),
                           self, G_CONNECT_SWAPPED);

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
  g_autofree char *page = NULL;

  g_return_val_if_fail (G_IS_SETTINGS (settings), NULL);

  page = g_settings_get_string (settings, "page");
  self = g_object_new (SHARDWISE_TYPE_WINDOW, "application", application, NULL);
  self->settings = g_object_ref (settings);
  g_settings_bind (settings, "live-evaluation", self->inputs, "live", G_SETTINGS_BIND_GET);
  shardwise_window_add_actions (self);
  g_signal_connect_object (self->ask_flap, "notify::reveal-flap", G_CALLBACK (sync_ask_action),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->flap, "notify::reveal-flap", G_CALLBACK (sync_inputs_action), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect (self, "realize", G_CALLBACK (realize_cb), NULL);
  g_signal_connect (self, "notify::default-width", G_CALLBACK (default_width_cb), NULL);
  shardwise_window_add_controllers (self);
  shardwise_start_page_set_up (self->start_page, settings, G_MENU_MODEL (self->recent_menu));
  self->recent = shardwise_recent_new (self->recent_menu);
  gtk_entry_set_buffer (
      GTK_ENTRY (self->ask_field),
      gtk_entry_get_buffer (GTK_ENTRY (shardwise_ask_panel_get_entry (self->ask_panel))));
  shardwise_window_take_pasted_jobs (self, shardwise_ask_panel_get_entry (self->ask_panel));
  shardwise_window_take_pasted_jobs (self, self->ask_field);
  gtk_window_set_default_size (GTK_WINDOW (self),
                               g_settings_get_int (self->settings, "window-width"),
                               g_settings_get_int (self->settings, "window-height"));
  if (g_settings_get_boolean (self->settings, "window-maximized"))
    gtk_window_maximize (GTK_WINDOW (self));
  if (!adw_flap_get_folded (self->flap))
    adw_flap_set_reveal_flap (self->flap,
                              g_settings_get_boolean (self->settings, "inputs-visible"));
  shardwise_window_set_page (self, page);
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
  return shardwise_document_get_scenario (self->document);
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
  return shardwise_document_get_scenario (self->document) == NULL && !self->opening;
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

  if (shardwise_document_get_scenario (self->document) == NULL)
    return NULL;
  topic = is_within (gtk_window_get_focus (GTK_WINDOW (self)), self->ask_field)
              ? "ask"
              : shardwise_help_topic (gtk_window_get_focus (GTK_WINDOW (self)));
  return topic != NULL ? topic
                       : adw_view_stack_get_visible_child_name (
                           self->view_stack); /* the manual has a page for each */
}

/* ---- its layout ---- */

struct _ShardwiseWindowLayout {
  GtkLayoutManager parent_instance;
};

G_DEFINE_FINAL_TYPE (ShardwiseWindowLayout, shardwise_window_layout, GTK_TYPE_LAYOUT_MANAGER)

static GtkSizeRequestMode
shardwise_window_layout_get_request_mode (GtkLayoutManager *manager, GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_CONSTANT_SIZE;
}

/* The least height is the window's own. */
static void
shardwise_window_layout_measure (GtkLayoutManager *manager, GtkWidget *widget,
                                 GtkOrientation orientation, int for_size, int *minimum,
                                 int *natural, int *minimum_baseline, int *natural_baseline)
{
  GtkWidget *child = gtk_widget_get_first_child (widget);

  *minimum = *natural = 0;
  if (child != NULL && orientation == GTK_ORIENTATION_HORIZONTAL)
    gtk_widget_measure (child, orientation, -1, minimum, natural, NULL, NULL);
}

static void
shardwise_window_layout_allocate (GtkLayoutManager *manager, GtkWidget *widget, int width,
                                  int height, int baseline)
{
  GtkWidget *child = gtk_widget_get_first_child (widget);
  int least;

  if (child == NULL)
    return;
  gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, width, &least, NULL, NULL, NULL);
  gtk_widget_allocate (child, width, MAX (height, least), baseline, NULL);
}

static void
shardwise_window_layout_class_init (ShardwiseWindowLayoutClass *klass)
{
  GtkLayoutManagerClass *layout_class = GTK_LAYOUT_MANAGER_CLASS (klass);

  layout_class->get_request_mode = shardwise_window_layout_get_request_mode;
  layout_class->measure = shardwise_window_layout_measure;
  layout_class->allocate = shardwise_window_layout_allocate;
}

static void
shardwise_window_layout_init (ShardwiseWindowLayout *self)
{}
