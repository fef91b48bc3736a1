/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-search-progress.h"

#include <glib/gi18n.h>
#include "shardwise-complete-search.h"
#include "shardwise-format.h"
#include "shardwise-wrapped-label.h"

/* How long every strategy is kept while hidden, in ms: longer than a look at another page takes, as
 * there may be hundreds of megabytes of them. Finding them again takes seconds. */
#define PATIENCE_MS 30000

/* A shorter search is not announced: the bar would push the list down and up again. */
#define QUIET_MS 250

struct _ShardwiseSearchProgress {
  GtkWidget parent_instance;
  ShardwiseCompleteSearch *complete;
  ShardwiseAdvisor *advisor; /* (nullable) */
  ShardwiseAdvice *counted;  /* (nullable): the advice of the search */
  gboolean is_seen, sorts;
  gboolean stopped; /* by the user, for the current advice */
  gboolean is_late; /* longer than QUIET_MS */
  guint patience_ms, release_id, late_id;
  GtkRevealer *revealer;
  GtkProgressBar *bar;
  GtkButton *button;
};

G_DEFINE_FINAL_TYPE (ShardwiseSearchProgress, shardwise_search_progress, GTK_TYPE_WIDGET)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void update (ShardwiseSearchProgress *self);

static gboolean
late_cb (gpointer data)
{
  ShardwiseSearchProgress *self = data;

  self->late_id = 0;
  self->is_late = TRUE;
  update (self);
  return G_SOURCE_REMOVE;
}

static void
update (ShardwiseSearchProgress *self)
{
  gboolean searches = shardwise_complete_search_is_running (self->complete);
  double fraction = shardwise_complete_search_get_fraction (self->complete);
  g_autofree char *share = shardwise_format_percent (fraction), *text = NULL;

  if (!(searches || self->sorts))
    {
      g_clear_handle_id (&self->late_id, g_source_remove);
      self->is_late = FALSE;
    }
  else if (!self->is_late && self->late_id == 0)
    self->late_id = g_timeout_add (QUIET_MS, late_cb, self);
  gtk_revealer_set_reveal_child (self->revealer, self->is_late || self->stopped);
  gtk_widget_set_visible (GTK_WIDGET (self->button), searches || self->stopped);
  gtk_button_set_label (self->button, searches ? _ ("_Stop") : _ ("_Try Every Strategy"));
  if (searches)
    /* Translators: a percentage */
    text = g_strdup_printf (
        _ ("Trying every strategy: %s. Until then, the list shows the best ones"), share);
  else
    text = g_strdup (self->stopped ? _ ("The list shows only the best strategies")
                                   : _ ("Sorting…"));
  gtk_progress_bar_set_fraction (self->bar, fraction);
  gtk_progress_bar_set_text (self->bar, text);
  shardwise_tooltip_set (GTK_WIDGET (self->bar), text); /* ellipsized in a narrow window */
}

static void
changed (ShardwiseSearchProgress *self)
{
  update (self);
  g_signal_emit (self, signals[CHANGED], 0);
}

/* Releases the strategies; the search restarts when the list is visible again. */
static gboolean
release_cb (gpointer data)
{
  ShardwiseSearchProgress *self = data;

  self->release_id = 0;
  g_clear_object (&self->counted);
  shardwise_complete_search_stop (self->complete);
  changed (self);
  return G_SOURCE_REMOVE;
}

/**
 * shardwise_search_progress_follow:
 * @advisor: (nullable): the source of the inputs
 * @is_seen: whether the list is on the screen
 *
 * Starts the search for an answer that was not searched yet, and stops a search if its answer is
 * replaced or its page is hidden. Results are kept for a while.
 */
void
shardwise_search_progress_follow (ShardwiseSearchProgress *self, ShardwiseAdvisor *advisor,
                                  gboolean is_seen)
{
  ShardwiseAdvice *advice = advisor != NULL ? shardwise_advisor_get_advice (advisor) : NULL;
  gboolean is_ready, is_settled; /* found, or stopped by the user */
  ShardwiseAdvice *wanted;

  g_return_if_fail (SHARDWISE_IS_SEARCH_PROGRESS (self));

  g_set_object (&self->advisor, advisor);
  self->is_seen = is_seen;
  if (is_seen)
    g_clear_handle_id (&self->release_id, g_source_remove);
  else if (self->release_id == 0 && shardwise_complete_search_get_advice (self->complete) != NULL)
    self->release_id = g_timeout_add (self->patience_ms, release_cb, self);
  is_ready = advice != NULL && shardwise_advisor_get_status (advisor) == SHARDWISE_STATUS_READY
             && shardwise_advice_get_fits (advice);
  is_settled = self->counted == advice
               && (self->stopped || shardwise_complete_search_get_advice (self->complete) != NULL);
  wanted = is_settled || (is_ready && is_seen) ? advice : NULL;
  if (self->counted == wanted)
    return;
  g_set_object (&self->counted, wanted);
  self->stopped = FALSE;
  g_debug ("search of every strategy: %s", wanted != NULL ? "begins" : "is let go of");
  if (wanted != NULL)
    shardwise_complete_search_start (self->complete, shardwise_advisor_get_scenario (advisor));
  else
    shardwise_complete_search_stop (self->complete);
  changed (self);
}

/* Stops or resumes the search. */
static void
toggle_cb (ShardwiseSearchProgress *self)
{
  g_assert (SHARDWISE_IS_SEARCH_PROGRESS (self));

  self->stopped = shardwise_complete_search_is_running (self->complete);
  if (self->stopped)
    shardwise_complete_search_stop (self->complete);
  else if (self->advisor != NULL && shardwise_advisor_get_scenario (self->advisor) != NULL)
    shardwise_complete_search_start (self->complete,
                                     shardwise_advisor_get_scenario (self->advisor));
  self->is_late = !self->stopped; /* a requested search is always visible */
  update (self);
}

/**
 * shardwise_search_progress_set_sorting:
 * @sorts: whether the list is being filtered and sorted
 */
void
shardwise_search_progress_set_sorting (ShardwiseSearchProgress *self, gboolean sorts)
{
  g_return_if_fail (SHARDWISE_IS_SEARCH_PROGRESS (self));

  self->sorts = sorts;
  update (self);
}

/**
 * shardwise_search_progress_set_patience:
 * @milliseconds: how long the strategies are kept while hidden
 */
void
shardwise_search_progress_set_patience (ShardwiseSearchProgress *self, guint milliseconds)
{
  g_return_if_fail (SHARDWISE_IS_SEARCH_PROGRESS (self));

  self->patience_ms = milliseconds;
}

/**
 * shardwise_search_progress_get_advice:
 *
 * Returns: (transfer none) (nullable): the answer with every strategy; %NULL: not found yet, or no
 * longer kept
 */
ShardwiseAdvice *
shardwise_search_progress_get_advice (ShardwiseSearchProgress *self)
{
  g_return_val_if_fail (SHARDWISE_IS_SEARCH_PROGRESS (self), NULL);

  return shardwise_complete_search_get_advice (self->complete);
}

/**
 * shardwise_search_progress_is_searching:
 *
 * Returns: whether the search for every strategy is running
 */
gboolean
shardwise_search_progress_is_searching (ShardwiseSearchProgress *self)
{
  g_return_val_if_fail (SHARDWISE_IS_SEARCH_PROGRESS (self), FALSE);

  return shardwise_complete_search_is_running (self->complete);
}

/* Type */

static void
shardwise_search_progress_dispose (GObject *object)
{
  ShardwiseSearchProgress *self = SHARDWISE_SEARCH_PROGRESS (object);

  g_clear_handle_id (&self->release_id, g_source_remove);
  g_clear_handle_id (&self->late_id, g_source_remove);
  if (self->complete != NULL)
    g_signal_handlers_disconnect_by_data (self->complete, self);
  g_clear_object (&self->complete);
  g_clear_object (&self->advisor);
  g_clear_object (&self->counted);
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_SEARCH_PROGRESS);
  G_OBJECT_CLASS (shardwise_search_progress_parent_class)->dispose (object);
}

static void
shardwise_search_progress_class_init (ShardwiseSearchProgressClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_search_progress_dispose;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-search-progress.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSearchProgress, revealer);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSearchProgress, bar);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseSearchProgress, button);
  gtk_widget_class_bind_template_callback (widget_class, toggle_cb);
}

static void
shardwise_search_progress_init (ShardwiseSearchProgress *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->patience_ms = PATIENCE_MS;
  self->complete = shardwise_complete_search_new ();
  g_signal_connect_swapped (self->complete, "notify::advice", G_CALLBACK (changed), self);
  g_signal_connect_swapped (self->complete, "notify::fraction", G_CALLBACK (update), self);
}
