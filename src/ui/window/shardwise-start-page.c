/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-start-page.h"

#include <glib/gi18n.h>

#include "shardwise-config.h"
#include "shardwise-gtk-faults.h"
#include "shardwise-preferences.h"
#include "shardwise-work.h"
#include "shardwise-wrap-layout.h"

#define READ_DELAY_MS 60      /* after the last letter */
#define MAX_SHOWN (64 * 1024) /* bytes: what is pasted beyond that is read, and not shown */

struct _ShardwiseStartPage {
  ShardwiseContainer parent_instance;
  GSettings *settings;
  GMenuModel *menu;                 /* of documents and examples */
  ShardwiseDescription *understood; /* (nullable): of the current or a former text of the field */
  guint read_id, reading;           /* to be read; the last reading that was begun */
  guint fill_id;                    /* the lists need to be filled */
  guint scroll_id;                  /* the cursor is out of sight */
  gboolean is_read;                 /* the text of the field is understood */
  gboolean opens;                   /* submit as soon as it is understood */

  GtkTextView *text;
  GtkWidget *placeholder, *chips, *note, *open_button, *lists;
};

G_DEFINE_FINAL_TYPE (ShardwiseStartPage, shardwise_start_page, SHARDWISE_TYPE_CONTAINER)

static guint described_signal;

/* ---- what is understood ---- */

static char *
get_text (ShardwiseStartPage *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->text);
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
}

static void
show_understood (ShardwiseStartPage *self)
{
  const GPtrArray *parts = self->understood != NULL ? self->understood->parts : NULL;
  const char *lacks = self->understood != NULL ? self->understood->lacks : NULL;

  shardwise_container_empty (self->chips);
  for (guint i = 0; parts != NULL && i < parts->len; i++)
    {
      GtkWidget *chip = gtk_label_new (parts->pdata[i]);

      gtk_label_set_ellipsize (GTK_LABEL (chip), PANGO_ELLIPSIZE_END);
      gtk_widget_add_css_class (chip, "understood");
      gtk_box_append (GTK_BOX (self->chips), chip);
    }
  gtk_label_set_label (GTK_LABEL (self->note),
                       lacks != NULL
                           ? lacks
                           : _ ("For example “70B on 64 H100, 8k” or “LoRA of Llama 3 8B on "
                                "one 24 GB card”"));
  (lacks != NULL ? gtk_widget_remove_css_class : gtk_widget_add_css_class) (self->note,
                                                                            "dim-label");
  gtk_widget_set_sensitive (
      self->open_button,
      self->understood != NULL
          && (shardwise_description_can_open (self->understood) || lacks != NULL));
}

/* Opens what is understood; where that is no job, the line below says why, once more with weight. */
static void
open_understood (ShardwiseStartPage *self)
{
  self->opens = FALSE;
  if (self->understood == NULL)
    return;
  if (shardwise_description_can_open (self->understood))
    {
      g_autoptr (ShardwiseDescription) whole = g_steal_pointer (&self->understood);

      gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->text), "", 0);
      g_signal_emit (self, described_signal, 0, whole);
    }
  else
    {
      gtk_widget_add_css_class (self->note, "error");
      gtk_widget_grab_focus (GTK_WIDGET (self->text));
    }
}

/* What a thread reads. */
typedef struct {
  char *text;
  ShardwiseScenario *fresh;
  guint reading;
} Reading;

static void
reading_free (gpointer data)
{
  Reading *reading = data;

  g_free (reading->text);
  g_object_unref (reading->fresh);
  g_free (reading);
}

static void
read_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Reading *reading = data;

  g_task_return_pointer (
      task, shardwise_description_read (reading->text, strlen (reading->text), reading->fresh),
      (GDestroyNotify) shardwise_description_free);
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseStartPage) self = data;
  const Reading *reading = g_task_get_task_data (G_TASK (result));
  ShardwiseDescription *understood = g_task_propagate_pointer (G_TASK (result), NULL);

  if (reading->reading != self->reading || self->settings == NULL)
    {
      shardwise_description_free (understood); /* something else was typed, or the window is gone */
      return;
    }
  g_clear_pointer (&self->understood, shardwise_description_free);
  self->understood = understood;
  self->is_read = TRUE;
  show_understood (self);
  if (self->opens)
    open_understood (self);
}

/* text: (transfer full) */
static void
read_text (ShardwiseStartPage *self, char *text)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, read_cb, g_object_ref (self));
  Reading *reading = g_new0 (Reading, 1);

  g_clear_handle_id (&self->read_id, g_source_remove);
  *reading = (Reading){ text, shardwise_new_scenario (self->settings), ++self->reading };
  g_task_set_source_tag (task, read_text);
  g_task_set_task_data (task, reading, reading_free);
  g_task_run_in_thread (task, read_thread);
}

static gboolean
read_delay_cb (gpointer data)
{
  ShardwiseStartPage *self = data;

  self->read_id = 0;
  read_text (self, get_text (self));
  return G_SOURCE_REMOVE;
}

static void
changed_cb (ShardwiseStartPage *self)
{
  g_assert (SHARDWISE_IS_START_PAGE (self));

  gtk_widget_remove_css_class (self->note, "error");
  gtk_widget_set_visible (self->placeholder,
                          gtk_text_buffer_get_char_count (gtk_text_view_get_buffer (self->text))
                              == 0);
  self->is_read = FALSE;
  self->opens = FALSE;
  g_clear_handle_id (&self->read_id, g_source_remove);
  self->read_id = g_timeout_add (READ_DELAY_MS, read_delay_cb, self);
}

/* ---- the field ---- */

static void
open_cb (ShardwiseStartPage *self)
{
  g_assert (SHARDWISE_IS_START_PAGE (self));

  if (self->is_read)
    {
      open_understood (self);
      return;
    }
  self->opens = TRUE;
  if (self->read_id != 0)
    read_text (self, get_text (self));
}

/* Enter opens what was understood, with Shift it begins a line; an input method comes first. */
static gboolean
key_cb (ShardwiseStartPage *self, guint keyval, guint keycode, GdkModifierType state,
        GtkEventController *controller)
{
  GdkEvent *event = gtk_event_controller_get_current_event (controller);

  if ((keyval != GDK_KEY_Return && keyval != GDK_KEY_KP_Enter && keyval != GDK_KEY_ISO_Enter)
      || (state & (GDK_SHIFT_MASK | GDK_CONTROL_MASK | GDK_ALT_MASK)) != 0)
    return GDK_EVENT_PROPAGATE;
  if (event == NULL || !gtk_text_view_im_context_filter_keypress (self->text, event))
    open_cb (self);
  return GDK_EVENT_STOP;
}

static gboolean
scroll_cb (gpointer data)
{
  ShardwiseStartPage *self = data;

  self->scroll_id = 0;
  gtk_text_view_scroll_mark_onscreen (
      self->text, gtk_text_buffer_get_insert (gtk_text_view_get_buffer (self->text)));
  return G_SOURCE_REMOVE;
}

/* A text view measures its lines in idle time. If it scrolls before that, it stops short of the
 * cursor. */
static void
scroll_when_measured (ShardwiseStartPage *self)
{
  if (self->scroll_id == 0)
    self->scroll_id = g_idle_add (scroll_cb, self);
}

static void
pasted_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseStartPage) self = data;
  char *text = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (source), result, NULL);
  GtkTextBuffer *buffer;

  if (text == NULL || self->settings == NULL)
    {
      g_free (text);
      return;
    }
  if (strlen (text) > MAX_SHOWN)
    {
      self->is_read = FALSE;
      self->opens = TRUE;
      read_text (self, text);
      return;
    }
  buffer = gtk_text_view_get_buffer (self->text);
  gtk_text_buffer_begin_user_action (buffer);
  gtk_text_buffer_delete_selection (buffer, TRUE, TRUE);
  gtk_text_buffer_insert_at_cursor (buffer, text, -1);
  gtk_text_buffer_end_user_action (buffer);
  scroll_when_measured (self);
  g_free (text);
}

/* A log of megabytes is not laid out. */
static void
paste_cb (ShardwiseStartPage *self)
{
  g_assert (SHARDWISE_IS_START_PAGE (self));

  g_signal_stop_emission_by_name (self->text, "paste-clipboard");
  gdk_clipboard_read_text_async (gtk_widget_get_clipboard (GTK_WIDGET (self)), NULL, pasted_cb,
                                 g_object_ref (self));
}

/**
 * shardwise_start_page_set_text:
 * @text: the text to put into the field
 * @opens: whether it is opened as soon as it is understood
 */
void
shardwise_start_page_set_text (ShardwiseStartPage *self, const char *text, gboolean opens)
{
  g_return_if_fail (SHARDWISE_IS_START_PAGE (self) && text != NULL);

  if (strlen (text) <= MAX_SHOWN)
    {
      gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->text), text, -1);
      if (opens)
        open_cb (self);
      return;
    }
  self->is_read = FALSE;
  self->opens = opens;
  read_text (self, g_strdup (text));
}

/**
 * shardwise_start_page_take_named:
 *
 * Empties the field.
 *
 * Returns: (transfer full) (nullable): the job that was named in it, to go on with by hand
 */
ShardwiseScenario *
shardwise_start_page_take_named (ShardwiseStartPage *self)
{
  g_autoptr (ShardwiseDescription) whole = NULL;

  g_return_val_if_fail (SHARDWISE_IS_START_PAGE (self), NULL);

  if (!self->is_read)
    return NULL;
  whole = g_steal_pointer (&self->understood);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->text), "", 0);
  return whole != NULL ? g_steal_pointer (&whole->scenario) : NULL;
}

/* ---- documents and examples ---- */

static GtkWidget *
row_new (GMenuModel *section, int i)
{
  GtkWidget *row = adw_action_row_new (),
            *arrow = gtk_image_new_from_icon_name ("go-next-symbolic");
  g_autoptr (GVariant) target =
      g_menu_model_get_item_attribute_value (section, i, G_MENU_ATTRIBUTE_TARGET, NULL);
  g_autofree char *label = NULL, *action = NULL;

  g_menu_model_get_item_attribute (section, i, G_MENU_ATTRIBUTE_LABEL, "s", &label);
  g_menu_model_get_item_attribute (section, i, G_MENU_ATTRIBUTE_ACTION, "s", &action);
  adw_preferences_row_set_use_underline (ADW_PREFERENCES_ROW (row), TRUE); /* as menus do */
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), label);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (row), action);
  gtk_actionable_set_action_target_value (GTK_ACTIONABLE (row), target);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), arrow);
  return row;
}

/* A list of rows for each section of the menu. */
static gboolean
fill_lists_cb (gpointer data)
{
  ShardwiseStartPage *self = data;

  self->fill_id = 0;
  shardwise_container_empty (self->lists);
  for (int i = 0; i < g_menu_model_get_n_items (self->menu); i++)
    {
      g_autoptr (GMenuModel) section = g_menu_model_get_item_link (self->menu, i,
                                                                   G_MENU_LINK_SECTION);
      g_autofree char *title = NULL;
      GtkWidget *group = adw_preferences_group_new ();

      if (section == NULL)
        continue;
      g_menu_model_get_item_attribute (self->menu, i, G_MENU_ATTRIBUTE_LABEL, "s", &title);
      adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (group), title);
      for (int j = 0; j < g_menu_model_get_n_items (section); j++)
        adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), row_new (section, j));
      gtk_box_append (GTK_BOX (self->lists), group);
    }
  return G_SOURCE_REMOVE;
}

/* Once they are seen, for most windows open with a document; and once for all sections, which come
 * one after the other. */
static void
fill_lists (ShardwiseStartPage *self)
{
  if (self->fill_id == 0 && gtk_widget_get_mapped (GTK_WIDGET (self))
      && g_menu_model_get_n_items (self->menu) > 0)
    self->fill_id = g_idle_add (fill_lists_cb, self);
}

/* ---- object ---- */

static void
shardwise_start_page_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (shardwise_start_page_parent_class)->map (widget);
  fill_lists (SHARDWISE_START_PAGE (widget));
}

static gboolean
shardwise_start_page_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (SHARDWISE_START_PAGE (widget)->text));
}

static void
shardwise_start_page_dispose (GObject *object)
{
  ShardwiseStartPage *self = SHARDWISE_START_PAGE (object);

  g_clear_handle_id (&self->read_id, g_source_remove);
  g_clear_handle_id (&self->fill_id, g_source_remove);
  g_clear_handle_id (&self->scroll_id, g_source_remove);
  if (self->menu != NULL)
    g_signal_handlers_disconnect_by_data (self->menu, self);
  g_clear_object (&self->menu);
  g_clear_object (&self->settings);
  g_clear_pointer (&self->understood, shardwise_description_free);
  gtk_widget_dispose_template (GTK_WIDGET (self), SHARDWISE_TYPE_START_PAGE);
  G_OBJECT_CLASS (shardwise_start_page_parent_class)->dispose (object);
}

static void
shardwise_start_page_class_init (ShardwiseStartPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_start_page_dispose;
  widget_class->map = shardwise_start_page_map;
  widget_class->grab_focus = shardwise_start_page_grab_focus;
  described_signal = g_signal_new ("described", SHARDWISE_TYPE_START_PAGE, G_SIGNAL_RUN_LAST, 0,
                                   NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);
  g_type_ensure (SHARDWISE_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "startpage");
  gtk_widget_class_set_template_from_resource (widget_class,
                                               APPLICATION_PATH "/ui/shardwise-start-page.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseStartPage, text);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseStartPage, placeholder);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseStartPage, chips);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseStartPage, note);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseStartPage, open_button);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseStartPage, lists);
  gtk_widget_class_bind_template_callback (widget_class, changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, key_cb);
  gtk_widget_class_bind_template_callback (widget_class, open_cb);
  gtk_widget_class_bind_template_callback (widget_class, paste_cb);
}

static void
shardwise_start_page_init (ShardwiseStartPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  shardwise_gtk_measure_before_drawing (self->text);
  show_understood (self);
}

/**
 * shardwise_start_page_set_up:
 * @settings: the preferences, with which new scenarios begin
 * @menu: sections of documents and examples, which are listed below the field
 */
void
shardwise_start_page_set_up (ShardwiseStartPage *self, GSettings *settings, GMenuModel *menu)
{
  g_return_if_fail (SHARDWISE_IS_START_PAGE (self) && self->settings == NULL);

  self->settings = g_object_ref (settings);
  self->menu = g_object_ref (menu);
  g_signal_connect_swapped (menu, "items-changed", G_CALLBACK (fill_lists), self);
}
