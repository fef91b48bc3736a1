/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-export-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <gtksourceview/gtksource.h>

#include "shardwise-container.h"
#include "shardwise-gtk-faults.h"
#include "shardwise-export-picker.h"
#include "shardwise-export-save.h"
#include "shardwise-export-task.h"
#include "shardwise-export.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-wrap-layout.h"
#include "shardwise-line-layout.h"
#include "shardwise-wrapped-label.h"

/* How formats and their files look. */

/* GtkSourceView's ids, by the end of the file's name. */
static const struct {
  const char *suffix, *language;
} languages[] = {
  { ".json", "json" }, { ".py", "python3" }, { ".yaml", "yaml" },   { ".toml", "toml" },
  { ".sh", "sh" },     { ".sbatch", "sh" },  { ".md", "markdown" },
};

static const char *
language_of (const char *file_name)
{
  for (guint i = 0; i < G_N_ELEMENTS (languages); i++)
    if (g_str_has_suffix (file_name, languages[i].suffix))
      return languages[i].language;

  return "text";
}

static void
update_scheme (GtkSourceView *view)
{
  gboolean dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  GtkSourceStyleScheme *scheme = gtk_source_style_scheme_manager_get_scheme (
      gtk_source_style_scheme_manager_get_default (), dark ? "Adwaita-dark" : "Adwaita");
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));

  if (scheme != NULL)
    gtk_source_buffer_set_style_scheme (GTK_SOURCE_BUFFER (buffer), scheme);
}

/* @view: a preview that goes away
 *
 * Lets go of what @view has drawn beside its lines, which holds @view in GtkSourceView 5.6 until
 * the numbers are drawn anew: for ever, with the whole text. Without any numbers there is nothing
 * to be drawn. */
static void
let_preview_go (GtkSourceView *view)
{
  g_autoptr (GtkSnapshot) nothing = gtk_snapshot_new ();
  GtkSourceGutter *gutter;
  GtkWidget *child;

  gutter = gtk_source_view_get_gutter (view, GTK_TEXT_WINDOW_LEFT);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (gutter))) != NULL)
    gtk_source_gutter_remove (gutter, GTK_SOURCE_GUTTER_RENDERER (child));
  GTK_WIDGET_GET_CLASS (gutter)->snapshot (GTK_WIDGET (gutter), nothing);
}

/* How to start the files that were written, as a command to copy. The subtitle is the command; its
 * lines break only between words, not after a hyphen. Copying keeps the original command. */
#define SHARDWISE_TYPE_START_ROW (shardwise_start_row_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseStartRow, shardwise_start_row, SHARDWISE, START_ROW, AdwActionRow)

struct _ShardwiseStartRow {
  AdwActionRow parent_instance;

  char *command; /* (nullable): the command to copy */
};

G_DEFINE_FINAL_TYPE (ShardwiseStartRow, shardwise_start_row, ADW_TYPE_ACTION_ROW)

static void
copy_command_cb (ShardwiseStartRow *self)
{
  g_autofree char *text = NULL;

  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), self->command);
  /* Translators: %s is a file name, "ds_config.json" */
  text = g_strdup_printf (_ ("Copied %s"), self->command);
  shardwise_page_toast (shardwise_page_of (self), text);
}

static void
shardwise_start_row_finalize (GObject *object)
{
  g_free (SHARDWISE_START_ROW (object)->command);

  G_OBJECT_CLASS (shardwise_start_row_parent_class)->finalize (object);
}

static void
shardwise_start_row_class_init (ShardwiseStartRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = shardwise_start_row_finalize;
}

static void
shardwise_start_row_init (ShardwiseStartRow *self)
{
  GtkWidget *button = gtk_button_new_from_icon_name ("edit-copy-symbolic");

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (self), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), _ ("Start"));
  adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (self), 0);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (button, _ ("Copy the command"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Copy the command"), -1);
  gtk_widget_add_css_class (button, "flat");
  g_signal_connect_object (button, "clicked", G_CALLBACK (copy_command_cb), self,
                           G_CONNECT_SWAPPED);
  adw_action_row_add_suffix (ADW_ACTION_ROW (self), button);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (self), FALSE);
  shardwise_line_layout_rows (GTK_WIDGET (self));
  shardwise_tooltip_wrap (GTK_WIDGET (self));
}

/* Shows how the files that were written are started. */
static void
shardwise_start_row_show (ShardwiseStartRow *self, const ShardwiseExport *files)
{
  g_autofree char *words = NULL;

  g_free (self->command);
  self->command = shardwise_export_start (files);
  words = shardwise_format_unhyphenated (self->command);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self), words);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self),
                               strstr (self->command, "NODE_RANK") != NULL
                                   ? _ ("Run this on every node. Set NODE_RANK (starting at 0) and "
                                        "set MASTER_ADDR to the address of the first node.")
                                   : NULL);
}

/* Below this width of the preview its line numbers would take too much of the lines. */
#define NARROW_PREVIEW 520

typedef enum { STATE_EMPTY, STATE_WORKING, STATE_READY, STATE_REFUSED } PageState;
static const char *const state_names[] = { "empty", "working", "ready", "refused" };

struct _ShardwiseExportPage {
  ShardwisePage parent_instance;

  GtkWidget *picker, *stack, *refused, *nearest_button, *other_bar, *notes_row, *files;
  GtkWidget *start_row, *preview_window, *preview, *save_button;
  GtkLabel *other_label;

  GCancellable *cancellable;
  ShardwiseExportResult *result;
  ShardwiseAdvice *advice; /* (nullable): the last one */
  GtkListBox *notes;
  GPtrArray *note_rows;
  ShardwiseExportMode mode; /* NEAREST: asked for, until the advice or the format changes */
  PageState state;
  guint shown_file, adapt_id;
  gboolean copy_when_ready;
};

G_DEFINE_FINAL_TYPE (ShardwiseExportPage, shardwise_export_page, SHARDWISE_TYPE_PAGE)

enum { PROP_0, PROP_FORMAT, PROP_STATE, N_PROPS };
static GParamSpec *properties[N_PROPS];

static const ShardwiseFormatInfo *
current_format (ShardwiseExportPage *self)
{
  ShardwiseExportPicker *picker = SHARDWISE_EXPORT_PICKER (self->picker);

  return shardwise_format_info (shardwise_export_picker_get_format (picker));
}

static void
set_state (ShardwiseExportPage *self, PageState state)
{
  if (self->state == state)
    return;

  self->state = state;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
}

static const ShardwiseExportFile *
shown_file (ShardwiseExportPage *self)
{
  if (self->result == NULL || self->shown_file >= self->result->files->files->len)
    return NULL;

  return g_ptr_array_index (self->result->files->files, self->shown_file);
}

static void
file_toggled_cb (GtkToggleButton *button, ShardwiseExportPage *self)
{
  if (gtk_toggle_button_get_active (button))
    {
      const ShardwiseExportFile *file;
      GtkTextBuffer *buffer;
      GtkTextIter start;

      self->shown_file = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "index"));
      file = shown_file (self);
      if (file == NULL)
        return;
      /* The text of the file in the colors of its language. */
      buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->preview));
      gtk_source_buffer_set_language (
          GTK_SOURCE_BUFFER (buffer),
          gtk_source_language_manager_get_language (gtk_source_language_manager_get_default (),
                                                    language_of (file->name)));
      gtk_text_buffer_set_text (buffer, file->content, -1);
      gtk_text_buffer_get_start_iter (buffer, &start); /* not at the end */
      gtk_text_buffer_place_cursor (buffer, &start);
    }
}

static void
fill_files (ShardwiseExportPage *self)
{
  GPtrArray *files = self->result->files->files;
  GtkWidget *first = NULL;

  shardwise_container_empty (self->files);
  for (guint i = 0; i < files->len; i++)
    {
      const ShardwiseExportFile *file = g_ptr_array_index (files, i);
      GtkWidget *button = gtk_toggle_button_new_with_label (file->name);

      g_object_set_data (G_OBJECT (button), "index", GUINT_TO_POINTER (i));
      gtk_toggle_button_set_group (GTK_TOGGLE_BUTTON (button), GTK_TOGGLE_BUTTON (first));
      first = first == NULL ? button : first;
      gtk_box_append (GTK_BOX (self->files), button);
      g_signal_connect (button, "toggled", G_CALLBACK (file_toggled_cb), self);
    }
  if (self->shown_file >= files->len)
    self->shown_file = 0;
  for (GtkWidget *child = gtk_widget_get_first_child (self->files); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (child), "index")) == self->shown_file)
      gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (child), TRUE);
}

/* Notes on what would stop the run are unfolded and amber; the others are folded. */
static void
fill_notes (ShardwiseExportPage *self)
{
  GPtrArray *notes = self->result->files->not_expressed;
  g_autofree char *title = NULL;
  guint n_folded = 0;

  for (guint i = 0; i < self->note_rows->len; i++)
    {
      GtkWidget *row = g_ptr_array_index (self->note_rows, i);

      if (gtk_widget_get_parent (row) == GTK_WIDGET (self->notes))
        gtk_list_box_remove (self->notes, row);
      else
        adw_expander_row_remove (ADW_EXPANDER_ROW (self->notes_row), row);
    }
  g_ptr_array_set_size (self->note_rows, 0);

  for (guint i = 0; i < notes->len; i++)
    {
      g_autofree char *markup = g_markup_escape_text (shardwise_export_note_text (notes, i), -1);
      const ShardwiseExportNote *note = g_ptr_array_index (notes, i);
      GtkWidget *row = g_object_new (ADW_TYPE_ACTION_ROW, "title", markup, "title-lines", 0, NULL);

      g_ptr_array_add (self->note_rows, row);
      if (note->effect == SHARDWISE_EFFECT_BREAKS_RUN)
        {
          GtkWidget *image = gtk_image_new_from_icon_name ("dialog-warning-symbolic");

          gtk_widget_add_css_class (image, "warning");
          gtk_widget_set_tooltip_text (image, _ ("The run stops without this"));
          gtk_accessible_update_property (GTK_ACCESSIBLE (image), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                          _ ("The run stops without this"), -1);
          adw_action_row_add_prefix (ADW_ACTION_ROW (row), image);
          gtk_widget_add_css_class (row, "amber");
          gtk_list_box_insert (self->notes, row,
                               gtk_list_box_row_get_index (GTK_LIST_BOX_ROW (self->notes_row)));
          continue;
        }
      adw_expander_row_add_row (ADW_EXPANDER_ROW (self->notes_row), row);
      n_folded++;
    }
  title = g_strdup_printf (ngettext ("%u note", "%u notes", n_folded), n_folded);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->notes_row), title);
  gtk_widget_set_visible (self->notes_row, n_folded > 0);
}

/* The page states how the file differs from the strategy that it shows, if it does. */
static void
fill_strategy (ShardwiseExportPage *self)
{
  const SwEstimate *written = &self->result->files->estimate;
  g_autofree char *difference = shardwise_export_describe_difference (self->result);

  gtk_widget_set_visible (self->other_bar, difference != NULL);
  if (difference != NULL)
    {
      g_autofree char *strategy = shardwise_text_strategy (&written->strategy);
      g_autofree char *tokens = shardwise_format_count (written->tokens_per_s);
      g_autofree char *memory = shardwise_format_bytes (written->memory.peak.total);
      /* Translators: a strategy, "TP 8 · PP 4", tokens per second, memory, "61.2 GiB", and how the
       * strategy differs from that of the page */
      g_autofree char *text = g_strdup_printf (_ ("The file holds %s: %s tokens/s, %s per GPU. %s"),
                                               strategy, tokens, memory, difference);

      shardwise_wrapped_label_show (self->other_label, text);
    }
  shardwise_start_row_show (SHARDWISE_START_ROW (self->start_row), self->result->files);
}

static void
copy_now (ShardwiseExportPage *self)
{
  const ShardwiseExportFile *file = shown_file (self);
  g_autofree char *text = NULL;

  self->copy_when_ready = FALSE;
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), file->content);
  if (shardwise_export_is_shown (self->result))
    /* Translators: %s is a file name, "ds_config.json" */
    text = g_strdup_printf (_ ("Copied %s"), file->name);
  else
    /* Translators: a file name, "ds_config.json", and a framework, "DeepSpeed"; the strategy is not
     * the recommended one, which is for another framework */
    text = g_strdup_printf (_ ("Copied %s, with the strategy for %s"), file->name,
                            current_format (self)->title);
  shardwise_page_toast (SHARDWISE_PAGE (self), text);
}

static gboolean
is_bundle (ShardwiseExportPage *self)
{
  return shardwise_export_picker_get_bundle (SHARDWISE_EXPORT_PICKER (self->picker));
}

static gboolean
has_many (ShardwiseExportPage *self)
{
  return self->result->files->files->len > 1;
}

static void
show_result (ShardwiseExportPage *self)
{
  ShardwiseExportPicker *picker = SHARDWISE_EXPORT_PICKER (self->picker);

  if (is_bundle (self))
    shardwise_export_bundle (self->result->files, shardwise_export_picker_get_launcher (picker));
  else
    shardwise_export_unbundle (self->result->files);
  fill_strategy (self);
  fill_notes (self);
  fill_files (self);
  gtk_button_set_label (GTK_BUTTON (self->save_button),
                        has_many (self) ? _ ("_Save All…") : _ ("_Save…"));
  gtk_widget_set_tooltip_text (self->save_button, has_many (self)
                                                      ? _ ("Save all files in a folder")
                                                      : _ ("Save the file in a folder"));
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), "files");
  set_state (self, STATE_READY);
  if (self->copy_when_ready)
    copy_now (self);
}

static gboolean
is_refusal (const GError *error)
{
  return g_error_matches (error, SHARDWISE_ERROR, SHARDWISE_ERROR_UNSUPPORTED);
}

static void
show_refusal (ShardwiseExportPage *self, const GError *error)
{
  const char *framework = current_format (self)->title;
  /* Translators: %s is a framework, "DeepSpeed" */
  g_autofree char *title = g_strdup_printf (
      is_refusal (error) ? _ ("%s Cannot Run This") : _ ("%s Files Could Not Be Written"),
      framework);
  g_autofree char *words = shardwise_text_capitalise (shardwise_export_explain_refusal (error));
  /* Messages of errors are no sentences, for the command line puts them behind a path. */
  g_autofree char *sentence = g_strdup_printf (_ ("%s."), words);
  g_autofree char *unbroken = shardwise_format_unbroken (sentence);
  g_autofree char *markup = g_markup_escape_text (unbroken, -1);
  const char *path = shardwise_error_path (error);

  adw_status_page_set_title (ADW_STATUS_PAGE (self->refused), title);
  adw_status_page_set_description (ADW_STATUS_PAGE (self->refused), markup);
  /* Where not a pinned dimension is to blame, no other strategy helps. */
  gtk_widget_set_visible (self->nearest_button,
                          is_refusal (error) && self->mode != SHARDWISE_EXPORT_NEAREST
                              && path != NULL && g_str_has_prefix (path, "strategy"));
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), "refused");
  set_state (self, STATE_REFUSED);
  if (self->copy_when_ready)
    {
      self->copy_when_ready = FALSE;
      gtk_widget_activate_action (GTK_WIDGET (self), "win.page", "s", "advice");
      shardwise_page_toast (SHARDWISE_PAGE (self), _ ("Nothing was copied"));
    }
}

static void
export_done_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseExportPage) self = data;
  g_autoptr (GError) error = NULL;
  ShardwiseExportResult *files = shardwise_export_finish (result, &error);

  if (g_task_get_cancellable (G_TASK (result)) != self->cancellable)
    {
      shardwise_export_result_free (files); /* a later run is under way, or the page is gone */
      return;
    }

  g_clear_pointer (&self->result, shardwise_export_result_free);
  self->result = files;
  if (files != NULL)
    show_result (self);
  else
    show_refusal (self, error);
}

static void
cancel (ShardwiseExportPage *self)
{
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
}

static void
start (ShardwiseExportPage *self)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));

  cancel (self);
  if (advisor == NULL || shardwise_advisor_get_advice (advisor) == NULL
      || shardwise_advisor_get_selected (advisor) == NULL)
    {
      g_clear_pointer (&self->result, shardwise_export_result_free);
      self->copy_when_ready = FALSE;
      gtk_stack_set_visible_child_name (GTK_STACK (self->stack), "empty");
      set_state (self, STATE_EMPTY);
      return;
    }

  self->cancellable = g_cancellable_new ();
  set_state (self, STATE_WORKING);
  shardwise_export_async (advisor, current_format (self)->format, self->mode, self->cancellable,
                          export_done_cb, g_object_ref (self));
}

/* Whether the strategy is the answer's for its framework, not one that the user picked: then, if it
 * is rejected, the best one that can be written replaces it. */
static gboolean
is_offered (ShardwiseAdvice *advice, const SwEstimate *selected)
{
  GArray *choices = shardwise_advice_get_frameworks (advice);
  gboolean is = sw_strategy_equal (&selected->strategy,
                                   &shardwise_advice_get_recommended (advice)->strategy);

  for (guint i = 0; i < choices->len && !is; i++)
    {
      const ShardwiseFrameworkChoice *choice = &g_array_index (choices, ShardwiseFrameworkChoice,
                                                               i);

      is = choice->has_strategy
           && sw_strategy_equal (&selected->strategy, &choice->estimate.strategy);
    }
  return is;
}

/* Choosing the file of another framework selects the best strategy of that framework, so that page,
 * charts and file show the same strategy. Launchers start the selected strategy. */
static void
follow_format (ShardwiseExportPage *self, ShardwiseAdvice *advice, const SwEstimate *selected)
{
  const ShardwiseFormatInfo *info = current_format (self);
  GArray *choices = shardwise_advice_get_frameworks (advice);

  if (info->launcher || shardwise_format_is_of (info, (SwFramework) selected->strategy.framework))
    return;
  for (guint i = 0; i < choices->len; i++)
    {
      const ShardwiseFrameworkChoice *choice = &g_array_index (choices, ShardwiseFrameworkChoice,
                                                               i);

      if (!choice->has_strategy || !choice->estimate.fits
          || !shardwise_format_is_of (info, choice->framework))
        continue;
      shardwise_export_picker_choose_for (SHARDWISE_EXPORT_PICKER (self->picker),
                                          (SwFramework) choice->estimate.strategy.framework);
      shardwise_advisor_set_selected (shardwise_page_get_advisor (SHARDWISE_PAGE (self)),
                                      i > 0 ? &choice->estimate : NULL);
      return;
    }
}

/* A choice for a framework stays for the next answer. But selecting a strategy of another framework
 * in the same answer shows the file of that framework. */
static void
shardwise_export_page_update (ShardwisePage *page)
{
  ShardwiseExportPage *self = SHARDWISE_EXPORT_PAGE (page);
  ShardwiseExportPicker *picker = SHARDWISE_EXPORT_PICKER (self->picker);
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (page);
  ShardwiseAdvice *advice = advisor != NULL ? shardwise_advisor_get_advice (advisor) : NULL;
  const SwEstimate *selected = advice != NULL ? shardwise_advisor_get_selected (advisor) : NULL;
  const gboolean is_new = g_set_object (&self->advice, advice);

  self->mode = SHARDWISE_EXPORT_BEST;
  if (selected != NULL)
    {
      const gboolean waits = is_new && shardwise_export_picker_is_chosen (picker)
                             && shardwise_advisor_get_status (advisor) != SHARDWISE_STATUS_READY
                             && shardwise_advice_get_frameworks (advice)->len == 0;

      if (is_new && shardwise_export_picker_is_chosen (picker))
        follow_format (self, advice, selected);
      selected = shardwise_advisor_get_selected (advisor);
      if (!waits && shardwise_export_picker_follow (picker, advice, selected))
        return; /* the change of the format starts it */
      if (shardwise_export_picker_is_chosen (picker))
        follow_format (self, advice, selected);
      selected = shardwise_advisor_get_selected (advisor);
      if (!is_offered (advice, selected))
        self->mode = SHARDWISE_EXPORT_SELECTED;
    }
  start (self);
}

/* The page shows what the file holds. */
static void
show_written_cb (ShardwiseExportPage *self)
{
  g_assert (SHARDWISE_IS_EXPORT_PAGE (self));

  if (self->result != NULL)
    shardwise_advisor_set_selected (shardwise_page_get_advisor (SHARDWISE_PAGE (self)),
                                    &self->result->files->estimate);
}

static void
nearest_cb (ShardwiseExportPage *self)
{
  g_assert (SHARDWISE_IS_EXPORT_PAGE (self));

  self->mode = SHARDWISE_EXPORT_NEAREST;
  start (self);
}

static void
format_changed_cb (ShardwiseExportPage *self)
{
  g_assert (SHARDWISE_IS_EXPORT_PAGE (self));

  self->shown_file = 0;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FORMAT]);
  shardwise_export_page_update (SHARDWISE_PAGE (self));
}

/* The strategy stays: only what accompanies its file changes. */
static void
bundle_changed_cb (ShardwiseExportPage *self)
{
  g_assert (SHARDWISE_IS_EXPORT_PAGE (self));

  if (self->state == STATE_READY)
    show_result (self);
}

static gboolean
adapt_preview_cb (gpointer data)
{
  ShardwiseExportPage *self = data;
  GtkAdjustment *adjustment =
      gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (self->preview_window));

  self->adapt_id = 0;
  gtk_source_view_set_show_line_numbers (
      GTK_SOURCE_VIEW (self->preview), gtk_adjustment_get_page_size (adjustment) >= NARROW_PREVIEW);

  return G_SOURCE_REMOVE;
}

/* The width is known while the preview is laid out, when its line numbers cannot come and go. */
static void
preview_width_cb (ShardwiseExportPage *self)
{
  if (self->adapt_id == 0)
    self->adapt_id = g_idle_add (adapt_preview_cb, self);
}

static GdkContentProvider *
drag_prepare_cb (GtkDragSource *source, double x, double y, ShardwiseExportPage *self)
{
  g_assert (SHARDWISE_IS_EXPORT_PAGE (self));

  if (shown_file (self) == NULL)
    return NULL;

  return shardwise_export_drag_content (self->result->files->files, self->shown_file,
                                        is_bundle (self));
}

static void
shardwise_export_page_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  ShardwiseExportPage *self = SHARDWISE_EXPORT_PAGE (object);

  switch (id)
    {
    case PROP_FORMAT: g_value_set_string (value, shardwise_export_page_get_format (self)); break;
    case PROP_STATE: g_value_set_string (value, shardwise_export_page_get_state (self)); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
shardwise_export_page_set_property (GObject *object, guint id, const GValue *value,
                                    GParamSpec *pspec)
{
  switch (id)
    {
    case PROP_FORMAT:
      shardwise_export_page_select (SHARDWISE_EXPORT_PAGE (object), g_value_get_string (value));
      break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
shardwise_export_page_dispose (GObject *object)
{
  ShardwiseExportPage *self = SHARDWISE_EXPORT_PAGE (object);

  cancel (self);
  g_clear_handle_id (&self->adapt_id, g_source_remove);
  g_clear_pointer (&self->result, shardwise_export_result_free);
  g_clear_object (&self->advice);
  g_clear_pointer (&self->note_rows, g_ptr_array_unref);
  if (self->preview != NULL)
    let_preview_go (GTK_SOURCE_VIEW (self->preview));
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_EXPORT_PAGE);

  G_OBJECT_CLASS (shardwise_export_page_parent_class)->dispose (object);
}

static void
shardwise_export_page_class_init (ShardwiseExportPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = shardwise_export_page_get_property;
  object_class->set_property = shardwise_export_page_set_property;
  object_class->dispose = shardwise_export_page_dispose;
  SHARDWISE_PAGE_CLASS (klass)->update = shardwise_export_page_update;

  properties[PROP_FORMAT] = g_param_spec_string ("format", NULL, NULL, "deepspeed",
                                                 G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY
                                                     | G_PARAM_STATIC_STRINGS);
  properties[PROP_STATE] = g_param_spec_string ("state", NULL, NULL, "empty",
                                                G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY
                                                    | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  g_type_ensure (GTK_SOURCE_TYPE_VIEW);
  g_type_ensure (SHARDWISE_TYPE_EXPORT_PICKER);
  g_type_ensure (SHARDWISE_TYPE_START_ROW);
  g_type_ensure (SHARDWISE_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-export-page.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseExportPage, picker);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseExportPage, stack);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseExportPage, refused);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseExportPage, nearest_button);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseExportPage, other_bar);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseExportPage, other_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseExportPage, start_row);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseExportPage, notes_row);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseExportPage, notes);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseExportPage, files);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseExportPage, preview_window);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseExportPage, preview);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseExportPage, save_button);
  gtk_widget_class_bind_template_callback (widget_class, format_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, bundle_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, nearest_cb);
  gtk_widget_class_bind_template_callback (widget_class, show_written_cb);
  gtk_widget_class_bind_template_callback (widget_class, drag_prepare_cb);
}

static void
shardwise_export_page_init (ShardwiseExportPage *self)
{
  GtkScrolledWindow *window;

  gtk_widget_init_template (GTK_WIDGET (self));
  self->note_rows = g_ptr_array_new ();
  shardwise_button_wrap (GTK_BUTTON (self->nearest_button));
  /* An export that runs holds the page, which its window would not dispose of. */
  g_signal_connect (self, "unrealize", G_CALLBACK (cancel), NULL);

  /* Code reads from left to right in every language. */
  gtk_widget_set_direction (self->preview, GTK_TEXT_DIR_LTR);
  window = GTK_SCROLLED_WINDOW (self->preview_window);
  shardwise_gtk_pass_wheel_on (window);
  g_signal_connect_object (gtk_scrolled_window_get_hadjustment (window), "notify::page-size",
                           G_CALLBACK (preview_width_cb), self, G_CONNECT_SWAPPED);
  /* GtkSourceView does not follow the light or dark style by itself. */
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (update_scheme), self->preview, G_CONNECT_SWAPPED);
  update_scheme (GTK_SOURCE_VIEW (self->preview));
}

/**
 * shardwise_export_page_select:
 * @self: the page
 * @format_id: the id of a format; an unknown one changes nothing
 *
 * Shows the files of that format, and remembers it.
 */
void
shardwise_export_page_select (ShardwiseExportPage *self, const char *format_id)
{
  g_return_if_fail (SHARDWISE_IS_EXPORT_PAGE (self));

  shardwise_export_picker_select (SHARDWISE_EXPORT_PICKER (self->picker), format_id);
}

/**
 * shardwise_export_page_keep:
 * @self: the page
 * @keep: whether the next answer keeps the framework of the selected strategy
 */
void
shardwise_export_page_keep (ShardwiseExportPage *self, gboolean keep)
{
  g_return_if_fail (SHARDWISE_IS_EXPORT_PAGE (self));

  shardwise_page_update_now (SHARDWISE_PAGE (self));
  if (keep)
    shardwise_export_picker_select (SHARDWISE_EXPORT_PICKER (self->picker),
                                    current_format (self)->id);
  else
    shardwise_export_picker_let_go (SHARDWISE_EXPORT_PICKER (self->picker));
}

/**
 * shardwise_export_page_get_format:
 * @self: the page
 *
 * Returns: the id of the format that is shown
 */
const char *
shardwise_export_page_get_format (ShardwiseExportPage *self)
{
  g_return_val_if_fail (SHARDWISE_IS_EXPORT_PAGE (self), NULL);

  return current_format (self)->id;
}

/**
 * shardwise_export_page_get_state:
 * @self: the page
 *
 * Returns: empty, working, ready or refused
 */
const char *
shardwise_export_page_get_state (ShardwiseExportPage *self)
{
  g_return_val_if_fail (SHARDWISE_IS_EXPORT_PAGE (self), NULL);

  return state_names[self->state];
}

/**
 * shardwise_export_page_copy:
 * @self: the page
 *
 * Copies the shown file to the clipboard as soon as it is written. If another page asks for this, a
 * format that would be rejected is replaced by the offered one.
 *
 * Returns: %FALSE if there is nothing to copy
 */
gboolean
shardwise_export_page_copy (ShardwiseExportPage *self)
{
  g_return_val_if_fail (SHARDWISE_IS_EXPORT_PAGE (self), FALSE);

  shardwise_page_update_now (SHARDWISE_PAGE (self));
  if (self->state == STATE_REFUSED && !gtk_widget_get_mapped (GTK_WIDGET (self)))
    {
      shardwise_export_picker_let_go (SHARDWISE_EXPORT_PICKER (self->picker));
      shardwise_export_page_update (SHARDWISE_PAGE (self));
    }
  self->copy_when_ready = self->state == STATE_WORKING;
  if (self->state == STATE_READY)
    copy_now (self);

  return self->state == STATE_READY || self->state == STATE_WORKING;
}

/**
 * shardwise_export_page_save:
 * @self: the page
 *
 * Asks where to save the shown file, or for the folder of a bundle; does nothing without a file.
 */
void
shardwise_export_page_save (ShardwiseExportPage *self)
{
  const ShardwiseExportFile *file;

  g_return_if_fail (SHARDWISE_IS_EXPORT_PAGE (self));

  shardwise_page_update_now (SHARDWISE_PAGE (self));
  file = self->state == STATE_READY ? shown_file (self) : NULL;
  if (file != NULL && has_many (self))
    shardwise_export_save_folder (SHARDWISE_PAGE (self), self->result->files->files);
  else if (file != NULL)
    shardwise_export_save_file (SHARDWISE_PAGE (self), file);
  else
    shardwise_page_toast (SHARDWISE_PAGE (self), _ ("There is no file to save yet"));
}
