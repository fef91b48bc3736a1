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
  g_autofree char *start = shardwise_probe_start (&options), *text = NULL, *body = NULL;
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
  body = shardwise_format_unhyphenated (text);
  shardwise_compat_ask (window,
                        strategy == NULL ? _ ("Measure This Cluster") : _ ("Measure a Layer"), body,
                        responses, G_N_ELEMENTS (responses), answered_cb, self, measure_free);
}
