/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-note-editor.h"

#include <glib/gi18n.h>

#include "shardwise-condition.h"
#include "shardwise-config.h"
#include "shardwise-editor.h"
#include "shardwise-input-marks.h"

struct _ShardwiseNoteEditor {
  ShardwiseEditor parent_instance;
  ShardwiseNotes *notes;
  ShardwiseHeuristic *rule;
  AdwEntryRow *title, *when, *want, *source;
  GtkTextView *text;
  GtkLabel *error;
  GtkRevealer *error_revealer;
  GtkWidget *page, *save;
};

G_DEFINE_FINAL_TYPE (ShardwiseNoteEditor, shardwise_note_editor, SHARDWISE_TYPE_EDITOR)

static const char *
get_text (AdwEntryRow *row)
{
  return gtk_editable_get_text (GTK_EDITABLE (row));
}

static void
show_error (ShardwiseNoteEditor *self, const GError *error)
{
  if (error != NULL)
    gtk_label_set_label (self->error, error->message);
  gtk_revealer_set_reveal_child (self->error_revealer, error != NULL);
}

/* An invalid condition marks its row; the first such error is shown. */
static gboolean
check_row (AdwEntryRow *row, GError **error)
{
  g_autoptr (GError) wrong = NULL;
  g_autoptr (ShardwiseCondition) condition = shardwise_condition_parse (get_text (row), &wrong);

  shardwise_input_mark_wrong (NULL, GTK_WIDGET (row), condition == NULL);
  if (condition != NULL)
    return TRUE;
  if (error != NULL && *error == NULL)
    g_propagate_error (error, g_steal_pointer (&wrong));
  return FALSE;
}

static void
changed_cb (ShardwiseNoteEditor *self)
{
  g_autoptr (GError) error = NULL;
  const gboolean when = check_row (self->when, &error), want = check_row (self->want, &error);

  show_error (self, error);
  gtk_widget_set_sensitive (self->save, when && want && *get_text (self->title) != '\0');
}

static void
take (char **field, const char *text)
{
  g_free (*field);
  *field = g_strstrip (g_strdup (text));
}

static void
saved_cb (GObject *notes, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseNoteEditor) self = shardwise_weak_take (data);
  g_autoptr (GError) error = NULL;

  shardwise_notes_finish (SHARDWISE_NOTES (notes), result, NULL, &error);
  if (shardwise_editor_end_save ((ShardwiseEditor *) self, "playbook.json", error))
    show_error (self, error);
}

static void
save_cb (ShardwiseNoteEditor *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->text);
  g_autofree char *text = NULL;
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  text = gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
  take (&self->rule->title, get_text (self->title));
  take (&self->rule->text, text);
  take (&self->rule->source, get_text (self->source));
  take (&self->rule->when, get_text (self->when));
  take (&self->rule->want, get_text (self->want));
  shardwise_editor_begin_save (SHARDWISE_EDITOR (self));
  shardwise_notes_save_async (self->notes, self->rule, saved_cb, shardwise_weak_new (self));
}

static void
shardwise_note_editor_dispose (GObject *object)
{
  ShardwiseNoteEditor *self = SHARDWISE_NOTE_EDITOR (object);

  gtk_widget_dispose_template (GTK_WIDGET (self), SHARDWISE_TYPE_NOTE_EDITOR);
  g_clear_object (&self->notes);
  g_clear_pointer (&self->rule, shardwise_heuristic_free);
  G_OBJECT_CLASS (shardwise_note_editor_parent_class)->dispose (object);
}

static void
shardwise_note_editor_class_init (ShardwiseNoteEditorClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_note_editor_dispose;
  gtk_widget_class_set_template_from_resource (widget_class,
                                               APPLICATION_PATH "/ui/shardwise-note-editor.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseNoteEditor, title);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseNoteEditor, when);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseNoteEditor, want);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseNoteEditor, source);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseNoteEditor, text);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseNoteEditor, error);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseNoteEditor, error_revealer);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseNoteEditor, page);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseNoteEditor, save);
  gtk_widget_class_bind_template_callback (widget_class, changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, save_cb);
}

static void
shardwise_note_editor_init (ShardwiseNoteEditor *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * shardwise_note_editor_new:
 * @notes: the notes to save the rule to
 * @rule: (nullable): the rule to change; %NULL: a new one
 *
 * Returns: (transfer floating): the window
 */
GtkWidget *
shardwise_note_editor_new (ShardwiseNotes *notes, const ShardwiseHeuristic *rule)
{
  ShardwiseNoteEditor *self = g_object_new (SHARDWISE_TYPE_NOTE_EDITOR, NULL);

  g_return_val_if_fail (SHARDWISE_IS_NOTES (notes), NULL);

  self->notes = g_object_ref (notes);
  self->rule = rule != NULL ? shardwise_heuristic_copy (rule) : shardwise_heuristic_new ();
  if (rule != NULL)
    gtk_window_set_title (GTK_WINDOW (self), _ ("Edit Note"));
  gtk_editable_set_text (GTK_EDITABLE (self->title), self->rule->title);
  gtk_editable_set_text (GTK_EDITABLE (self->when), self->rule->when);
  gtk_editable_set_text (GTK_EDITABLE (self->want), self->rule->want);
  gtk_editable_set_text (GTK_EDITABLE (self->source), self->rule->source);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->text), self->rule->text, -1);
  changed_cb (self);
  shardwise_editor_begin (SHARDWISE_EDITOR (self), self->page, self->save,
                          SHARDWISE_NOTE_EDITOR_KIND, rule != NULL ? rule->id : "", "");
  gtk_widget_grab_focus (GTK_WIDGET (self->title));
  return GTK_WIDGET (self);
}
