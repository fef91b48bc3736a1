/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-advisor.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

/* If the reasons take longer than this, the figures are shown first; otherwise everything comes at
 * once. */
#define REASONS_MS 250

/* ---- on a worker thread ---- */

/* answer: (transfer none): without reasons */
typedef void (*ShardwiseAnsweredFunc) (ShardwiseAdvice *answer, gpointer data);

typedef struct {
  ShardwiseScenario *scenario; /* a private copy */
  ShardwiseAdviceOptions options;
  ShardwiseAnsweredFunc answered; /* NULL: no reasons requested */
  gpointer data;                  /* for `answered` */
} ComputeData;

typedef struct {
  GTask *task;
  ShardwiseAdvice *answer;
} Answered;

static void
compute_data_free (gpointer data)
{
  ComputeData *compute = data;

  g_object_unref (compute->scenario);
  g_free (compute);
}

static void
answered_free (gpointer data)
{
  Answered *answered = data;

  g_object_unref (answered->answer);
  g_object_unref (answered->task);
  g_free (answered);
}

static gboolean
tell_answer_cb (gpointer data)
{
  Answered *answered = data;
  const ComputeData *compute = g_task_get_task_data (answered->task);

  if (!g_task_get_completed (answered->task))
    compute->answered (answered->answer, compute->data);
  return G_SOURCE_REMOVE;
}

/* In the thread of the task's callback, and before. */
static void
tell_answer (GTask *task, ShardwiseAdvice *answer)
{
  g_autoptr (GSource) source = g_idle_source_new ();
  Answered *answered = g_new (Answered, 1);

  *answered = (Answered){ g_object_ref (task), g_object_ref (answer) };
  g_source_set_priority (source, g_task_get_priority (task));
  g_source_set_callback (source, tell_answer_cb, answered, answered_free);
  g_source_attach (source, g_task_get_context (task));
}

static void
compute_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  ComputeData *compute = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseAdvice) advice =
      shardwise_advice_compute (compute->scenario, &compute->options, cancellable, &error);

  if (advice != NULL && compute->answered != NULL)
    {
      g_autoptr (ShardwiseAdvice) answer = g_steal_pointer (&advice);

      tell_answer (task, answer);
      advice = shardwise_advice_explain (answer, compute->scenario, cancellable, &error);
    }
#ifdef __GLIBC__
  /* A complete search briefly needs much memory on all cores: returns the allocator's free memory,
   * which has a heap per thread, to the system. */
  if (compute->options.complete)
    malloc_trim (0);
#endif

  if (advice != NULL)
    g_task_return_pointer (task, g_steal_pointer (&advice), g_object_unref);
  else
    g_task_return_error (task, g_steal_pointer (&error));
}

/* shardwise_advice_compute() in a worker thread. With `answered`, calls it with the advice without
 * reasons, then continues with shardwise_advice_explain(). */
static void
compute_async (ShardwiseScenario *scenario, const ShardwiseAdviceOptions *options,
               GCancellable *cancellable, ShardwiseAnsweredFunc answered,
               GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  ComputeData *compute = g_new (ComputeData, 1);

  *compute = (ComputeData){ shardwise_scenario_copy (scenario), *options, answered, data };
  g_task_set_source_tag (task, compute_async);
  g_task_set_task_data (task, compute, compute_data_free);
  g_task_run_in_thread (task, compute_thread);
}

/**
 * shardwise_advisor_compute_async:
 * @scenario: the inputs, copied here
 * @options: copied; its progress function is called on the worker thread
 * @cancellable: (nullable): stops the work
 * @callback: called on the thread-default main context of the caller
 *
 * shardwise_advice_compute() on a worker thread.
 */
void
shardwise_advisor_compute_async (ShardwiseScenario *scenario, const ShardwiseAdviceOptions *options,
                                 GCancellable *cancellable, GAsyncReadyCallback callback,
                                 gpointer data)
{
  g_return_if_fail (SHARDWISE_IS_SCENARIO (scenario) && options != NULL);

  compute_async (scenario, options, cancellable, NULL, callback, data);
}

/**
 * shardwise_advisor_compute_finish:
 *
 * Returns: (transfer full): the advice, or %NULL with @error
 */
ShardwiseAdvice *
shardwise_advisor_compute_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

/* ---- the advisor ---- */

struct _ShardwiseAdvisor {
  GObject parent_instance;
  ShardwiseScenario *scenario;
  ShardwiseAdvice *advice;
  ShardwiseStatus status;
  ShardwiseMethod method;
  gboolean live, has_selected;
  gboolean was_running; /* as last notified */
  SwEstimate selected;
  char *error_message, *error_path;
  GCancellable *cancellable; /* of the run in progress */
  ShardwiseAdvice *answer;   /* the advice, while its reasons are computed */
  guint debounce_id, answer_id;
};

G_DEFINE_FINAL_TYPE (ShardwiseAdvisor, shardwise_advisor, G_TYPE_OBJECT)

enum {
  PROP_0,
  PROP_SCENARIO,
  PROP_LIVE,
  PROP_METHOD,
  PROP_ADVICE,
  PROP_STATUS,
  PROP_RUNNING,
  PROP_ERROR_MESSAGE,
  PROP_ERROR_PATH,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];
static guint selected_changed_signal;

G_DEFINE_ENUM_TYPE (ShardwiseStatus, shardwise_status,
                    G_DEFINE_ENUM_VALUE (SHARDWISE_STATUS_EMPTY, "empty"),
                    G_DEFINE_ENUM_VALUE (SHARDWISE_STATUS_STALE, "stale"),
                    G_DEFINE_ENUM_VALUE (SHARDWISE_STATUS_READY, "ready"),
                    G_DEFINE_ENUM_VALUE (SHARDWISE_STATUS_ERROR, "error"))

static void
set_status (ShardwiseAdvisor *self, ShardwiseStatus status)
{
  if (self->status == status)
    return;
  self->status = status;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATUS]);
}

static void
set_error (ShardwiseAdvisor *self, const GError *error)
{
  const char *message = error != NULL ? error->message : NULL;
  const char *path = error != NULL ? shardwise_error_path (error) : NULL;

  if (g_strcmp0 (self->error_message, message) != 0)
    {
      g_free (self->error_message);
      self->error_message = g_strdup (message);
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ERROR_MESSAGE]);
    }
  if (g_strcmp0 (self->error_path, path) != 0)
    {
      g_free (self->error_path);
      self->error_path = g_strdup (path);
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ERROR_PATH]);
    }
}

/* `explains`: adds reasons to the advice already shown, so the selection stays. */
static void
set_advice (ShardwiseAdvisor *self, ShardwiseAdvice *advice, gboolean explains)
{
  g_set_object (&self->advice, advice);
  self->has_selected = self->has_selected && explains;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ADVICE]);
  if (!explains)
    g_signal_emit (self, selected_changed_signal, 0);
}

/* Call this whenever a run may have started or ended. */
static void
tell_running (ShardwiseAdvisor *self)
{
  if (self->was_running == shardwise_advisor_is_running (self))
    return;
  self->was_running = !self->was_running;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_RUNNING]);
}

/* A run made obsolete by an edit or a new scenario ends silently. */
static void
cancel (ShardwiseAdvisor *self)
{
  g_clear_handle_id (&self->debounce_id, g_source_remove);
  g_clear_handle_id (&self->answer_id, g_source_remove);
  g_clear_object (&self->answer);
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
}

/* The data of a run's callback: the advisor, unless it is gone, and the number of the run. */
typedef struct {
  GWeakRef advisor;
  GCancellable *cancellable;
} Run;

static void
explained_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Run *run = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseAdvice) advice = shardwise_advisor_compute_finish (result, &error);
  g_autoptr (ShardwiseAdvisor) self = g_weak_ref_get (&run->advisor);

  g_assert (advice != NULL || error != NULL);
  if (self != NULL && self->cancellable == run->cancellable)
    {
      /* The end of a run, with complete results or with an error. */
      gboolean explains = self->answer != NULL && self->answer == self->advice;

      g_clear_handle_id (&self->answer_id, g_source_remove);
      g_clear_object (&self->answer);
      g_clear_object (&self->cancellable);
      set_error (self, error);
      g_debug ("evaluated: %s", error == NULL ? "answered" : error->message);
      if (advice != NULL)
        set_advice (self, advice, explains);
      set_status (self, advice != NULL ? SHARDWISE_STATUS_READY : SHARDWISE_STATUS_ERROR);
      tell_running (self);
    }
  g_weak_ref_clear (&run->advisor);
  g_object_unref (run->cancellable);
  g_free (run);
}

/* The reasons take long: shows the figures meanwhile. */
static gboolean
show_answer_cb (gpointer data)
{
  ShardwiseAdvisor *self = data;

  g_assert (self->answer != NULL);
  self->answer_id = 0;
  set_error (self, NULL);
  set_advice (self, self->answer, FALSE);
  set_status (self, SHARDWISE_STATUS_STALE); /* for the first run: no longer empty */
  return G_SOURCE_REMOVE;
}

static void
answered_cb (ShardwiseAdvice *answer, gpointer data)
{
  Run *run = data;
  g_autoptr (ShardwiseAdvisor) self = g_weak_ref_get (&run->advisor);

  if (self == NULL || self->cancellable != run->cancellable)
    return;
  g_assert (self->answer_id == 0); /* each run answers once */
  g_set_object (&self->answer, answer);
  self->answer_id = g_timeout_add (REASONS_MS, show_answer_cb, self);
}

/**
 * shardwise_advisor_evaluate:
 *
 * Computes now, without the debounce; a run in progress is cancelled.
 */
void
shardwise_advisor_evaluate (ShardwiseAdvisor *self)
{
  ShardwiseAdviceOptions options = { .top = SHARDWISE_ADVICE_TOP };
  Run *run;

  g_return_if_fail (SHARDWISE_IS_ADVISOR (self));

  cancel (self);
  if (self->scenario == NULL)
    return;
  options.method = self->method;
  self->cancellable = g_cancellable_new ();
  if (self->advice != NULL || self->status == SHARDWISE_STATUS_ERROR)
    set_status (self, SHARDWISE_STATUS_STALE);
  run = g_new0 (Run, 1);
  g_weak_ref_init (&run->advisor, self);
  run->cancellable = g_object_ref (self->cancellable);
  compute_async (self->scenario, &options, self->cancellable, answered_cb, explained_cb, run);
  tell_running (self);
}

static gboolean
debounced_cb (gpointer data)
{
  ShardwiseAdvisor *self = data;

  g_assert (self->scenario != NULL);
  self->debounce_id = 0;
  shardwise_advisor_evaluate (self);
  return G_SOURCE_REMOVE;
}

static void
invalidate (ShardwiseAdvisor *self)
{
  cancel (self);
  if (self->live && self->scenario != NULL)
    /* Several values set in a row are one question, evaluated before the next frame. */
    self->debounce_id = g_idle_add_full (G_PRIORITY_DEFAULT, debounced_cb, self, NULL);
  if (self->advice != NULL || self->status == SHARDWISE_STATUS_ERROR)
    set_status (self, SHARDWISE_STATUS_STALE);
  tell_running (self);
}

static void
scenario_changed_cb (ShardwiseScenario *scenario, const char *path, ShardwiseAdvisor *self)
{
  /* These do not affect the engine. */
  if (g_str_equal (path, shardwise_key_path (SHARDWISE_KEY_NAME))
      || g_str_equal (path, shardwise_key_path (SHARDWISE_KEY_NOTES)))
    return;
  invalidate (self);
}

/**
 * shardwise_advisor_stop:
 *
 * Stops the run in progress; the advice, if any, stays but is stale.
 */
void
shardwise_advisor_stop (ShardwiseAdvisor *self)
{
  g_return_if_fail (SHARDWISE_IS_ADVISOR (self));

  cancel (self);
  tell_running (self);
}

/**
 * shardwise_advisor_set_scenario:
 * @scenario: (nullable): the document to follow
 *
 * The advice of another scenario is dropped.
 */
void
shardwise_advisor_set_scenario (ShardwiseAdvisor *self, ShardwiseScenario *scenario)
{
  g_return_if_fail (SHARDWISE_IS_ADVISOR (self));
  g_return_if_fail (scenario == NULL || SHARDWISE_IS_SCENARIO (scenario));

  if (self->scenario == scenario)
    return;
  cancel (self);
  if (self->scenario != NULL)
    g_signal_handlers_disconnect_by_func (self->scenario, scenario_changed_cb, self);
  g_set_object (&self->scenario, scenario);
  if (scenario != NULL)
    g_signal_connect_object (scenario, "changed", G_CALLBACK (scenario_changed_cb), self, 0);
  set_error (self, NULL);
  if (self->advice != NULL)
    set_advice (self, NULL, FALSE);
  set_status (self, SHARDWISE_STATUS_EMPTY);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SCENARIO]);
  invalidate (self);
}

/**
 * shardwise_advisor_get_scenario:
 *
 * Returns: (transfer none) (nullable): the document that is followed
 */
ShardwiseScenario *
shardwise_advisor_get_scenario (ShardwiseAdvisor *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVISOR (self), NULL);

  return self->scenario;
}

/**
 * shardwise_advisor_get_advice:
 *
 * Returns: (transfer none) (nullable): the last advice, perhaps stale
 */
ShardwiseAdvice *
shardwise_advisor_get_advice (ShardwiseAdvisor *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVISOR (self), NULL);

  return self->advice;
}

/**
 * shardwise_advisor_get_status:
 *
 * Returns: whether there is an advice, and whether it is for the current inputs
 */
ShardwiseStatus
shardwise_advisor_get_status (ShardwiseAdvisor *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVISOR (self), SHARDWISE_STATUS_EMPTY);

  return self->status;
}

/**
 * shardwise_advisor_get_error_message:
 *
 * Returns: (transfer none) (nullable): why there is no advice for the current inputs
 */
const char *
shardwise_advisor_get_error_message (ShardwiseAdvisor *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVISOR (self), NULL);

  return self->error_message;
}

/**
 * shardwise_advisor_get_error_path:
 *
 * Returns: (transfer none) (nullable): the invalid key
 */
const char *
shardwise_advisor_get_error_path (ShardwiseAdvisor *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVISOR (self), NULL);

  return self->error_path;
}

/**
 * shardwise_advisor_get_selected:
 *
 * Returns: (transfer none) (nullable): the strategy that all pages show; valid until the next
 * change
 */
const SwEstimate *
shardwise_advisor_get_selected (ShardwiseAdvisor *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVISOR (self), NULL);

  if (self->advice == NULL)
    return NULL;
  return self->has_selected ? &self->selected : shardwise_advice_get_recommended (self->advice);
}

/**
 * shardwise_advisor_set_selected:
 * @estimate: (nullable): copied; %NULL: the recommended one
 *
 * Selects another strategy of the current advice.
 */
void
shardwise_advisor_set_selected (ShardwiseAdvisor *self, const SwEstimate *estimate)
{
  const SwEstimate *present;

  g_return_if_fail (SHARDWISE_IS_ADVISOR (self));

  present = shardwise_advisor_get_selected (self);
  if (present == NULL)
    return;
  if (estimate == NULL)
    estimate = shardwise_advice_get_recommended (self->advice);
  if (sw_strategy_equal (&present->strategy, &estimate->strategy))
    return;
  self->selected = *estimate;
  self->has_selected = TRUE;
  g_signal_emit (self, selected_changed_signal, 0);
}

/**
 * shardwise_advisor_set_live:
 * @live: whether edits are evaluated automatically
 */
void
shardwise_advisor_set_live (ShardwiseAdvisor *self, gboolean live)
{
  g_return_if_fail (SHARDWISE_IS_ADVISOR (self));

  live = !!live;
  if (self->live == live)
    return;
  self->live = live;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LIVE]);
  if (live && self->status != SHARDWISE_STATUS_READY && self->cancellable == NULL)
    invalidate (self);
}

/**
 * shardwise_advisor_is_running:
 *
 * Returns: whether an answer is being computed, or will be before the next frame
 */
gboolean
shardwise_advisor_is_running (ShardwiseAdvisor *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVISOR (self), FALSE);

  return self->cancellable != NULL || self->debounce_id != 0;
}

/**
 * shardwise_advisor_get_live:
 *
 * Returns: whether edits are evaluated automatically
 */
gboolean
shardwise_advisor_get_live (ShardwiseAdvisor *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVISOR (self), FALSE);

  return self->live;
}

static void
shardwise_advisor_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  ShardwiseAdvisor *self = SHARDWISE_ADVISOR (object);

  switch (prop_id)
    {
    case PROP_SCENARIO: g_value_set_object (value, self->scenario); break;
    case PROP_LIVE: g_value_set_boolean (value, self->live); break;
    case PROP_RUNNING: g_value_set_boolean (value, shardwise_advisor_is_running (self)); break;
    case PROP_METHOD: g_value_set_int (value, (int) self->method); break;
    case PROP_ADVICE: g_value_set_object (value, self->advice); break;
    case PROP_STATUS: g_value_set_enum (value, (int) self->status); break;
    case PROP_ERROR_MESSAGE: g_value_set_string (value, self->error_message); break;
    case PROP_ERROR_PATH: g_value_set_string (value, self->error_path); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
shardwise_advisor_set_property (GObject *object, guint prop_id, const GValue *value,
                                GParamSpec *pspec)
{
  ShardwiseAdvisor *self = SHARDWISE_ADVISOR (object);

  switch (prop_id)
    {
    case PROP_SCENARIO: shardwise_advisor_set_scenario (self, g_value_get_object (value)); break;
    case PROP_LIVE: shardwise_advisor_set_live (self, g_value_get_boolean (value)); break;
    case PROP_METHOD:
      if ((int) self->method == g_value_get_int (value))
        break;
      self->method = (ShardwiseMethod) g_value_get_int (value);
      g_object_notify_by_pspec (object, pspec);
      invalidate (self);
      break;

    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
shardwise_advisor_dispose (GObject *object)
{
  ShardwiseAdvisor *self = SHARDWISE_ADVISOR (object);

  cancel (self);
  if (self->scenario != NULL)
    g_signal_handlers_disconnect_by_func (self->scenario, scenario_changed_cb, self);
  g_clear_object (&self->scenario);
  g_clear_object (&self->advice);
  g_clear_pointer (&self->error_message, g_free);
  g_clear_pointer (&self->error_path, g_free);
  G_OBJECT_CLASS (shardwise_advisor_parent_class)->dispose (object);
}

static void
shardwise_advisor_class_init (ShardwiseAdvisorClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  const GParamFlags writable = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->get_property = shardwise_advisor_get_property;
  object_class->set_property = shardwise_advisor_set_property;
  object_class->dispose = shardwise_advisor_dispose;

  properties[PROP_SCENARIO] = g_param_spec_object ("scenario", NULL, NULL, SHARDWISE_TYPE_SCENARIO,
                                                   writable);
  properties[PROP_LIVE] = g_param_spec_boolean ("live", NULL, NULL, TRUE, writable);
  properties[PROP_METHOD] = g_param_spec_int ("method", NULL, NULL, 0, SHARDWISE_METHOD_QUICK_SCORE,
                                              0, writable);
  properties[PROP_ADVICE] = g_param_spec_object ("advice", NULL, NULL, SHARDWISE_TYPE_ADVICE,
                                                 readable);
  properties[PROP_STATUS] = g_param_spec_enum ("status", NULL, NULL, SHARDWISE_TYPE_STATUS,
                                               SHARDWISE_STATUS_EMPTY, readable);
  properties[PROP_RUNNING] = g_param_spec_boolean ("running", NULL, NULL, FALSE, readable);
  properties[PROP_ERROR_MESSAGE] = g_param_spec_string ("error-message", NULL, NULL, NULL,
                                                        readable);
  properties[PROP_ERROR_PATH] = g_param_spec_string ("error-path", NULL, NULL, NULL, readable);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  /**
   * ShardwiseAdvisor::selected-changed:
   *
   * Another strategy was selected, or the advice changed.
   */
  selected_changed_signal = g_signal_new ("selected-changed", SHARDWISE_TYPE_ADVISOR,
                                          G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
shardwise_advisor_init (ShardwiseAdvisor *self)
{
  self->live = TRUE;
}

/**
 * shardwise_advisor_new:
 * @scenario: (nullable): the document to follow
 *
 * Returns: (transfer full): an advisor that evaluates @scenario as it changes
 */
ShardwiseAdvisor *
shardwise_advisor_new (ShardwiseScenario *scenario)
{
  return g_object_new (SHARDWISE_TYPE_ADVISOR, "scenario", scenario, NULL);
}

/**
 * shardwise_advisor_begin:
 * @scenario: the document to follow
 *
 * Unlike the other functions of an advisor, this may be called in any thread. The advisor then
 * belongs to the main thread and emits its signals there.
 *
 * Returns: (transfer full): an advisor that is not live and that is computing its first answer
 */
ShardwiseAdvisor *
shardwise_advisor_begin (ShardwiseScenario *scenario)
{
  ShardwiseAdvisor *self = g_object_new (SHARDWISE_TYPE_ADVISOR, "live", FALSE, "scenario",
                                         scenario, NULL);

  shardwise_advisor_evaluate (self);
  return self;
}
