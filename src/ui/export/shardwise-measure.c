/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-measure.h"

#include <glib/gi18n.h>
#include <string.h>

#include "shardwise-compat.h"
#include "shardwise-file.h"
#include "shardwise-format.h"
#include "shardwise-probe-script.h"
#include "shardwise-toast.h"
#include "shardwise-work.h"
#include "shardwise-wrapped-label.h"

/* The script, on its way out of the window. */
typedef struct {
  GtkWindow *window;
  ShardwiseExportFile *script; /* in files */
  GPtrArray *files;
} Measure;

static void
measure_free (gpointer data)
{
  Measure *self = data;

  g_clear_object (&self->window);
  g_ptr_array_unref (self->files);
  g_free (self);
}

static void
write_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Measure *self = g_object_get_data (G_OBJECT (task), "measure");
  GError *error = NULL;

  if (shardwise_write_file (source, self->script->content, strlen (self->script->content), &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
written_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;

  if (!g_task_propagate_boolean (G_TASK (result), &error))
    {
      g_autofree char *name = g_file_get_basename (G_FILE (source));

      shardwise_late_error_tell (name, error);
    }
}

static void
chosen_cb (GFile *file, gpointer data)
{
  Measure *self = data;
  g_autoptr (GTask) task = NULL;

  if (file == NULL)
    {
      measure_free (self);
      return;
    }
  task = g_task_new (file, NULL, written_cb, NULL);
  g_object_set_data_full (G_OBJECT (task), "measure", self, measure_free);
  shardwise_hold_for_task (task);
  g_task_run_in_thread (task, write_thread);
}

static void
answered_cb (const char *response, gpointer data)
{
  Measure *self = data;

  if (g_str_equal (response, "copy"))
    gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self->window)),
                            self->script->content);
  if (g_str_equal (response, "save"))
    shardwise_compat_save_file (self->window, _ ("Save the Script"), NULL, self->script->name,
                                chosen_cb, self);
  else
    measure_free (self);
}

/* Each of the lines is a command. */
static GtkWidget *
commands_new (const char *commands)
{
  GtkWidget *list = gtk_list_box_new ();
  g_auto (GStrv) lines = g_strsplit (commands, "\n", -1);

  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  gtk_widget_add_css_class (list, "boxed-list");
  for (guint i = 0; lines[i] != NULL; i++)
    {
      GtkWidget *label, *row = gtk_list_box_row_new ();
      g_autofree char *line = shardwise_format_unhyphenated (lines[i]);

      label = shardwise_wrapped_label_new (line, "monospace");
      gtk_widget_add_css_class (label, "measure-command");
      gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
      gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), label);
      gtk_list_box_append (GTK_LIST_BOX (list), row);
    }
  return list;
}

/**
 * shardwise_measure_ask:
 * @window: whose scenario it is
 * @advice: (nullable): whose shapes are measured first
 * @strategy: (nullable): for its job, of which a layer is measured instead
 */
void
shardwise_measure_ask (GtkWindow *window, ShardwiseAdvice *advice, const SwStrategy *strategy)
{
  const ShardwiseResponse responses[] = {
    { "cancel", _ ("_Cancel"), ADW_RESPONSE_DEFAULT },
    { "copy", _ ("_Copy"), ADW_RESPONSE_DEFAULT },
    { "save", _ ("_Save…"), ADW_RESPONSE_SUGGESTED },
  };
  const ShardwiseProbeOptions options = { .advice = advice, .strategy = strategy };
  g_autofree char *start = shardwise_probe_start (&options), *text = NULL, *end = NULL;
  g_auto (GStrv) paragraphs = NULL; /* what to do, the commands, and what then */
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 18), *label;
  GtkWindow *dialog;
  Measure *self = g_new0 (Measure, 1);

  self->window = g_object_ref (window);
  self->files = shardwise_probe_files (&options);
  self->script = self->files->pdata[0];
  text = g_strdup_printf (
      strategy == NULL
          /* Translators: %s is what is typed in a shell */
          ? _ ("A Python script measures the cluster in two minutes. It requires only PyTorch. "
               "Start it while the cluster is idle, on as many GPUs as you want to "
               "measure:\n\n%s\n\nThe script writes shardwise-probe.json. Open that file here, "
               "drop it on the window, or paste it.")
          /* Translators: %s is what is typed in a shell */
          : _ ("A Python script runs one layer of this strategy for a minute. It requires only "
               "PyTorch. Start it on an idle node:\n\n%s\n\nThe script writes "
               "shardwise-step-probe.json. Open that file here, drop it on the window, or paste "
               "it. The page Why then compares it with the prediction."),
      start);
  paragraphs = g_strsplit (text, "\n\n", 3);
  dialog = shardwise_compat_ask (
      window, strategy == NULL ? _ ("Measure This Cluster") : _ ("Measure a Layer"), paragraphs[0],
      responses, G_N_ELEMENTS (responses), answered_cb, self, measure_free);
  end = shardwise_format_unhyphenated (paragraphs[2]);
  label = shardwise_wrapped_label_new (end, NULL);
  gtk_label_set_xalign (GTK_LABEL (label), 0.5);
  gtk_label_set_justify (GTK_LABEL (label), GTK_JUSTIFY_CENTER);
  gtk_box_append (GTK_BOX (box), commands_new (paragraphs[1]));
  gtk_box_append (GTK_BOX (box), label);
  shardwise_compat_add_to_question (dialog, box);
}
