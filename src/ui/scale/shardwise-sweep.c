/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-sweep.h"

#include <glib/gi18n.h>

/* Input of the worker, and its progress. */
typedef struct {
  ShardwiseSweepFunc work;
  gpointer data; /* owned */
  GDestroyNotify destroy;
  int permille; /* atomic */
  GMutex lock;  /* of the following */
  GCond ended;
  gboolean has_ended;
  GPtrArray *result; /* (nullable) */
} Job;

struct _ShardwiseSweep {
  AdwBin parent_instance;

  GCancellable *running; /* (nullable): of the running computation */
  Job *job;              /* (nullable): its progress */
  guint progress_id;
  char *text;
  GPtrArray *kept; /* of GtkWidget: dimmed while they show another result */

  GtkRevealer *progress_revealer;
  GtkProgressBar *progress_bar;
  GtkWidget *stopped_box;
  GtkLabel *stopped_label;
};

G_DEFINE_FINAL_TYPE (ShardwiseSweep, shardwise_sweep, ADW_TYPE_BIN)

enum { PROP_0, PROP_TEXT, N_PROPS };
enum { SIGNAL_COMPUTED, SIGNAL_AGAIN, N_SIGNALS };
static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

static void
job_clear (Job *job)
{
  if (job->destroy != NULL)
    job->destroy (job->data);
  g_clear_pointer (&job->result, g_ptr_array_unref);
  g_mutex_clear (&job->lock);
  g_cond_clear (&job->ended);
}

static void
job_unref (gpointer job)
{
  g_atomic_rc_box_release_full (job, (GDestroyNotify) job_clear);
}

static void
progress_cb (double fraction, gpointer data)
{
  g_atomic_int_set (&((Job *) data)->permille, (int) (fraction * 1000));
}

static void
thread_func (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;
  GPtrArray *result = job->work (job->data, progress_cb, job, cancellable, &error);

  g_mutex_lock (&job->lock);
  job->has_ended = TRUE;
  if (result != NULL)
    job->result = g_ptr_array_ref (result);
  g_cond_signal (&job->ended);
  g_mutex_unlock (&job->lock);
  if (result != NULL)
    g_task_return_pointer (task, result, (GDestroyNotify) g_ptr_array_unref);
  else
    g_task_return_error (task, error);
}

static gboolean
show_progress_cb (gpointer data)
{
  ShardwiseSweep *self = data;

  gtk_progress_bar_set_fraction (self->progress_bar,
                                 g_atomic_int_get (&self->job->permille) / 1000.0);
  return G_SOURCE_CONTINUE;
}

static void
update_visible (ShardwiseSweep *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self),
                          self->running != NULL || gtk_widget_get_visible (self->stopped_box));
}

static void
dim_kept (ShardwiseSweep *self, gboolean dim)
{
  for (guint i = 0; i < self->kept->len; i++)
    (dim ? gtk_widget_add_css_class : gtk_widget_remove_css_class) (self->kept->pdata[i], "kept");
}

static void
forget (ShardwiseSweep *self)
{
  if (self->running != NULL)
    g_cancellable_cancel (self->running);
  g_clear_object (&self->running);
  g_clear_handle_id (&self->progress_id, g_source_remove);
  g_clear_pointer (&self->job, job_unref);
}

static void
set_running (ShardwiseSweep *self, GCancellable *running, Job *job)
{
  forget (self);
  gtk_revealer_set_reveal_child (self->progress_revealer, running != NULL);
  if (running != NULL)
    {
      self->running = g_object_ref (running);
      self->job = g_atomic_rc_box_acquire (job);
      gtk_progress_bar_set_fraction (self->progress_bar, 0);
      self->progress_id = g_timeout_add (50, show_progress_cb, self);
    }
  update_visible (self);
}

static void
show_result (ShardwiseSweep *self, GPtrArray *points)
{
  set_running (self, NULL, NULL);
  dim_kept (self, FALSE);
  g_signal_emit (self, signals[SIGNAL_COMPUTED], 0, points);
}

static void
computed_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseSweep) self = data;
  g_autoptr (GPtrArray) points = NULL;
  g_autoptr (GError) error = NULL;

  points = g_task_propagate_pointer (G_TASK (result), &error);
  if (g_task_get_cancellable (G_TASK (result)) != self->running)
    return; /* stopped or awaited, or another one took its place */
  if (error == NULL)
    {
      show_result (self, points);
      return;
    }
  set_running (self, NULL, NULL);
  shardwise_sweep_offer (self, error->message);
}

/**
 * shardwise_sweep_run:
 * @self: a sweep
 * @work: what a worker thread does
 * @data: (transfer full): for @work
 * @destroy: (nullable): frees @data, on any thread
 *
 * Begins; what was under way is stopped and forgotten.
 */
void
shardwise_sweep_run (ShardwiseSweep *self, ShardwiseSweepFunc work, gpointer data,
                     GDestroyNotify destroy)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GTask) task = NULL;
  Job *job;

  g_return_if_fail (SHARDWISE_IS_SWEEP (self) && work != NULL);

  job = g_atomic_rc_box_new0 (Job);
  job->work = work;
  job->data = data;
  job->destroy = destroy;
  g_mutex_init (&job->lock);
  g_cond_init (&job->ended);
  shardwise_sweep_offer (self, NULL);
  set_running (self, cancellable, job);
  dim_kept (self, TRUE);
  g_debug ("sweep begins: %s", self->text);
  /* The widget is no source object: the worker may drop the last reference to that, and widgets
   * live on this thread. */
  task = g_task_new (NULL, cancellable, computed_cb, g_object_ref (self));
  g_task_set_source_tag (task, shardwise_sweep_run);
  g_task_set_task_data (task, job, job_unref);
  g_task_run_in_thread (task, thread_func);
}

/**
 * shardwise_sweep_await:
 * @self: a sweep
 * @most_us: for how long, microseconds: less than anyone notices
 *
 * Waits for what is under way: a result that is there so soon is shown with all else that is new,
 * and its progress in no frame.
 */
void
shardwise_sweep_await (ShardwiseSweep *self, gint64 most_us)
{
  const gint64 until = g_get_monotonic_time () + most_us;
  g_autoptr (GPtrArray) result = NULL;
  Job *job;

  g_return_if_fail (SHARDWISE_IS_SWEEP (self));

  job = self->job;
  if (job == NULL)
    return;
  g_mutex_lock (&job->lock);
  while (!job->has_ended && g_cond_wait_until (&job->ended, &job->lock, until))
    ;
  if (job->result != NULL)
    result = g_ptr_array_ref (job->result);
  g_mutex_unlock (&job->lock);
  if (result != NULL)
    show_result (self, result);
}

/**
 * shardwise_sweep_stop:
 * @self: a sweep
 *
 * Stops what is under way, at once, and offers to begin again.
 */
void
shardwise_sweep_stop (ShardwiseSweep *self)
{
  g_return_if_fail (SHARDWISE_IS_SWEEP (self));

  if (self->running == NULL)
    return;
  set_running (self, NULL, NULL);
  shardwise_sweep_offer (self, _ ("Stopped before everything was computed."));
}

/**
 * shardwise_sweep_drop:
 * @self: a sweep
 *
 * Forgets what is under way and what was offered: there is nothing to compute any more.
 */
void
shardwise_sweep_drop (ShardwiseSweep *self)
{
  g_return_if_fail (SHARDWISE_IS_SWEEP (self));

  set_running (self, NULL, NULL);
  shardwise_sweep_offer (self, NULL);
  dim_kept (self, FALSE);
}

/**
 * shardwise_sweep_keep:
 * @self: a sweep
 * @widget: shows what was computed
 *
 * Dims @widget from the next computation on until there is its result.
 */
void
shardwise_sweep_keep (ShardwiseSweep *self, GtkWidget *widget)
{
  g_return_if_fail (SHARDWISE_IS_SWEEP (self) && GTK_IS_WIDGET (widget));

  g_ptr_array_add (self->kept, g_object_ref (widget));
}

/**
 * shardwise_sweep_go_on:
 * @self: a sweep
 *
 * What is under way adds to the result that is shown, which is not dimmed.
 */
void
shardwise_sweep_go_on (ShardwiseSweep *self)
{
  g_return_if_fail (SHARDWISE_IS_SWEEP (self));

  dim_kept (self, FALSE);
}

/**
 * shardwise_sweep_offer:
 * @self: a sweep
 * @why: (nullable): why there is no result; %NULL: nothing to say
 *
 * Shows the reason beside a button that computes.
 */
void
shardwise_sweep_offer (ShardwiseSweep *self, const char *why)
{
  g_return_if_fail (SHARDWISE_IS_SWEEP (self));

  gtk_widget_set_visible (self->stopped_box, why != NULL);
  gtk_label_set_label (self->stopped_label, why != NULL ? why : "");
  update_visible (self);
}

/**
 * shardwise_sweep_is_running:
 * @self: a sweep
 *
 * Returns: %TRUE while it computes
 */
gboolean
shardwise_sweep_is_running (ShardwiseSweep *self)
{
  g_return_val_if_fail (SHARDWISE_IS_SWEEP (self), FALSE);
  return self->running != NULL;
}

static void
stop_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  shardwise_sweep_stop (SHARDWISE_SWEEP (widget));
}

static void
compute_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  g_signal_emit (widget, signals[SIGNAL_AGAIN], 0);
}

static void
shardwise_sweep_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  if (id == PROP_TEXT)
    g_value_set_string (value, SHARDWISE_SWEEP (object)->text);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
}

static void
shardwise_sweep_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  if (id == PROP_TEXT)
    {
      g_free (SHARDWISE_SWEEP (object)->text);
      SHARDWISE_SWEEP (object)->text = g_value_dup_string (value);
    }
  else
    {
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, spec);
    }
}

static void
shardwise_sweep_dispose (GObject *object)
{
  forget (SHARDWISE_SWEEP (object));
  g_ptr_array_set_size (SHARDWISE_SWEEP (object)->kept, 0);
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_SWEEP);
  G_OBJECT_CLASS (shardwise_sweep_parent_class)->dispose (object);
}

static void
shardwise_sweep_finalize (GObject *object)
{
  g_ptr_array_unref (SHARDWISE_SWEEP (object)->kept);
  g_free (SHARDWISE_SWEEP (object)->text);
  G_OBJECT_CLASS (shardwise_sweep_parent_class)->finalize (object);
}

static void
shardwise_sweep_class_init (ShardwiseSweepClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = shardwise_sweep_dispose;
  object_class->finalize = shardwise_sweep_finalize;
  object_class->get_property = shardwise_sweep_get_property;
  object_class->set_property = shardwise_sweep_set_property;
  properties[PROP_TEXT] = g_param_spec_string ("text", NULL, NULL, NULL,
                                               G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  signals[SIGNAL_COMPUTED] = g_signal_new ("computed", SHARDWISE_TYPE_SWEEP, G_SIGNAL_RUN_LAST, 0,
                                           NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_PTR_ARRAY);
  signals[SIGNAL_AGAIN] = g_signal_new ("again", SHARDWISE_TYPE_SWEEP, G_SIGNAL_RUN_LAST, 0, NULL,
                                        NULL, NULL, G_TYPE_NONE, 0);

  gtk_widget_class_install_action (widget_class, "sweep.stop", NULL, stop_cb);
  gtk_widget_class_install_action (widget_class, "sweep.compute", NULL, compute_cb);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/shardwise/Shardwise/ui/"
                                                             "shardwise-sweep.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSweep, progress_revealer);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSweep, progress_bar);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSweep, stopped_box);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSweep, stopped_label);
}

static void
shardwise_sweep_init (ShardwiseSweep *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->kept = g_ptr_array_new_with_free_func (g_object_unref);
  /* What computes holds the sweep, which its window would not dispose of. */
  g_signal_connect (self, "unrealize", G_CALLBACK (forget), NULL);
  update_visible (self);
}
