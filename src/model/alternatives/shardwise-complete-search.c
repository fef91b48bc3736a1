/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-complete-search.h"

#include "shardwise-advisor.h"

/* Interval for updating the fraction: users see it move. */
#define POLL_MS 100
/* The answer that requested it is drawn first, because the search uses every core. */
#define BEGIN_MS 40
/* Threads share the fraction as an integer. */
#define WHOLE 10000

/* One run; shared with the worker thread, which may outlive the object. */
typedef struct {
  GWeakRef owner;
  GCancellable *cancellable;
  int done; /* atomic; of WHOLE */
} Run;

struct _ShardwiseCompleteSearch {
  GObject parent_instance;
  Run *run;                    /* (nullable): the current run; an atomic box */
  ShardwiseScenario *scenario; /* (nullable): for a run that has not started */
  ShardwiseAdvice *advice;
  double fraction;
  guint begin_id, poll_id;
};

G_DEFINE_FINAL_TYPE (ShardwiseCompleteSearch, shardwise_complete_search, G_TYPE_OBJECT)

enum { PROP_0, PROP_FRACTION, PROP_ADVICE, N_PROPS };

static GParamSpec *properties[N_PROPS];

static void
run_clear (gpointer data)
{
  Run *run = data;

  g_weak_ref_clear (&run->owner);
  g_object_unref (run->cancellable);
}

static void
run_unref (Run *run)
{
  g_atomic_rc_box_release_full (run, run_clear);
}

static void
set_fraction (ShardwiseCompleteSearch *self, double fraction)
{
  if (ABS (self->fraction - fraction) < 0.5 / WHOLE)
    return;
  self->fraction = fraction;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FRACTION]);
}

static void
set_advice (ShardwiseCompleteSearch *self, ShardwiseAdvice *advice)
{
  if (g_set_object (&self->advice, advice))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ADVICE]);
}

static void
progress_cb (double fraction, gpointer data)
{
  Run *run = data;

  g_atomic_int_set (&run->done, (int) (fraction * WHOLE));
}

static gboolean
poll_cb (gpointer data)
{
  ShardwiseCompleteSearch *self = data;

  g_assert (self->run != NULL); /* otherwise this source is removed */
  set_fraction (self, g_atomic_int_get (&self->run->done) / (double) WHOLE);
  return G_SOURCE_CONTINUE;
}

static void
finished_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  Run *run = data;
  g_autoptr (ShardwiseAdvice) advice = shardwise_advisor_compute_finish (result, NULL);
  g_autoptr (ShardwiseCompleteSearch) self = g_weak_ref_get (&run->owner);

  if (self != NULL && self->run == run)
    {
      g_clear_handle_id (&self->poll_id, g_source_remove);
      g_clear_pointer (&self->run, run_unref);
      set_fraction (self, advice != NULL ? 1 : 0);
      set_advice (self, advice);
    }
  run_unref (run);
}

static gboolean
begin_cb (gpointer data)
{
  ShardwiseCompleteSearch *self = data;
  g_autoptr (ShardwiseScenario) scenario = g_steal_pointer (&self->scenario);
  ShardwiseAdviceOptions options = {
    .top = 1, .complete = TRUE, .progress = progress_cb, .progress_data = self->run
  };

  g_assert (scenario != NULL && self->run != NULL);
  self->begin_id = 0;
  shardwise_advisor_compute_async (scenario, &options, self->run->cancellable, finished_cb,
                                   g_atomic_rc_box_acquire (self->run));
  return G_SOURCE_REMOVE;
}

static void
end_run (ShardwiseCompleteSearch *self)
{
  g_clear_handle_id (&self->begin_id, g_source_remove);
  g_clear_handle_id (&self->poll_id, g_source_remove);
  if (self->run != NULL)
    g_cancellable_cancel (self->run->cancellable);
  g_clear_pointer (&self->run, run_unref);
  g_clear_object (&self->scenario);
}

/**
 * shardwise_complete_search_start:
 * @scenario: the inputs; copied
 *
 * Tries every strategy, on all cores, after a short delay; stops and discards a previous run. For
 * an inconsistent scenario it ends without an answer; the advisor reports the error.
 */
void
shardwise_complete_search_start (ShardwiseCompleteSearch *self, ShardwiseScenario *scenario)
{
  g_return_if_fail (SHARDWISE_IS_COMPLETE_SEARCH (self) && SHARDWISE_IS_SCENARIO (scenario));

  end_run (self);
  self->run = g_atomic_rc_box_new0 (Run);
  g_weak_ref_init (&self->run->owner, self);
  self->run->cancellable = g_cancellable_new ();
  self->scenario = shardwise_scenario_copy (scenario);
  self->begin_id = g_timeout_add (BEGIN_MS, begin_cb, self);
  self->poll_id = g_timeout_add (POLL_MS, poll_cb, self);
  set_fraction (self, 0);
  set_advice (self, NULL);
}

/**
 * shardwise_complete_search_stop:
 *
 * Stops a run, and discards the last answer.
 */
void
shardwise_complete_search_stop (ShardwiseCompleteSearch *self)
{
  g_return_if_fail (SHARDWISE_IS_COMPLETE_SEARCH (self));

  end_run (self);
  set_fraction (self, 0);
  set_advice (self, NULL);
}

/**
 * shardwise_complete_search_is_running:
 *
 * Returns: whether it runs
 */
gboolean
shardwise_complete_search_is_running (ShardwiseCompleteSearch *self)
{
  g_return_val_if_fail (SHARDWISE_IS_COMPLETE_SEARCH (self), FALSE);

  return self->run != NULL;
}

/**
 * shardwise_complete_search_get_fraction:
 *
 * Returns: the share of the space that has been walked
 */
double
shardwise_complete_search_get_fraction (ShardwiseCompleteSearch *self)
{
  g_return_val_if_fail (SHARDWISE_IS_COMPLETE_SEARCH (self), 0);

  return self->fraction;
}

/**
 * shardwise_complete_search_get_advice:
 *
 * Returns: (transfer none) (nullable): the answer, with every feasible strategy and the counts by
 * reason, but without explanations
 */
ShardwiseAdvice *
shardwise_complete_search_get_advice (ShardwiseCompleteSearch *self)
{
  g_return_val_if_fail (SHARDWISE_IS_COMPLETE_SEARCH (self), NULL);

  return self->advice;
}

static void
shardwise_complete_search_get_property (GObject *object, guint prop_id, GValue *value,
                                        GParamSpec *pspec)
{
  ShardwiseCompleteSearch *self = SHARDWISE_COMPLETE_SEARCH (object);

  if (prop_id == PROP_FRACTION)
    g_value_set_double (value, self->fraction);
  else if (prop_id == PROP_ADVICE)
    g_value_set_object (value, self->advice);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static void
shardwise_complete_search_dispose (GObject *object)
{
  ShardwiseCompleteSearch *self = SHARDWISE_COMPLETE_SEARCH (object);

  end_run (self);
  g_clear_object (&self->advice);
  G_OBJECT_CLASS (shardwise_complete_search_parent_class)->dispose (object);
}

static void
shardwise_complete_search_class_init (ShardwiseCompleteSearchClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->get_property = shardwise_complete_search_get_property;
  object_class->dispose = shardwise_complete_search_dispose;
  properties[PROP_FRACTION] = g_param_spec_double ("fraction", NULL, NULL, 0, 1, 0, flags);
  properties[PROP_ADVICE] = g_param_spec_object ("advice", NULL, NULL, SHARDWISE_TYPE_ADVICE,
                                                 flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
shardwise_complete_search_init (ShardwiseCompleteSearch *self)
{}

/**
 * shardwise_complete_search_new:
 *
 * Returns: (transfer full): a search that is not running
 */
ShardwiseCompleteSearch *
shardwise_complete_search_new (void)
{
  return g_object_new (SHARDWISE_TYPE_COMPLETE_SEARCH, NULL);
}
