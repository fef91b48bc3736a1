/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-absence-view.h"
#include "shardwise-estimate.h"
#include "shardwise-text-search.h"

#include <glib/gi18n.h>

#include "shardwise-container.h"

struct _ShardwiseAbsenceView {
  ShardwiseContainer parent_instance;
  AdwStatusPage *status_page;
  GCancellable *asked; /* (nullable): of the running search for the reason */
};

G_DEFINE_FINAL_TYPE (ShardwiseAbsenceView, shardwise_absence_view, SHARDWISE_TYPE_CONTAINER)

/* A status page accepts markup. */
static void
say (ShardwiseAbsenceView *self, const char *text)
{
  g_autofree char *markup = g_markup_escape_text (text, -1);

  adw_status_page_set_description (self->status_page, markup);
}

static void
answered_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseAbsenceView) self = data;
  g_autofree ShardwiseAbsence *absence = shardwise_absence_finish (result);
  g_autofree char *text = NULL;

  if (absence == NULL || self->asked != g_task_get_cancellable (G_TASK (result)))
    return;
  g_clear_object (&self->asked);
  text = shardwise_text_absence (absence);
  say (self, text);
}

/**
 * shardwise_absence_view_drop:
 *
 * Cancels the search for the reason.
 */
void
shardwise_absence_view_drop (ShardwiseAbsenceView *self)
{
  g_return_if_fail (SHARDWISE_IS_ABSENCE_VIEW (self));

  if (self->asked != NULL)
    g_cancellable_cancel (self->asked);
  g_clear_object (&self->asked);
}

/**
 * shardwise_absence_view_ask:
 * @advice: the answer with the listed strategies
 * @degrees: degrees that none of them has, for which the engine finds the reason. None: another
 * filter hides all
 */
void
shardwise_absence_view_ask (ShardwiseAbsenceView *self, ShardwiseAdvice *advice,
                            const SwPins *degrees)
{
  g_return_if_fail (SHARDWISE_IS_ABSENCE_VIEW (self) && SHARDWISE_IS_ADVICE (advice)
                    && degrees != NULL);

  shardwise_absence_view_drop (self);
  if (degrees->mask == 0)
    {
      say (self, _ ("No strategy that fits matches the filter."));
      return;
    }
  say (self, _ ("Looking for the reason…"));
  self->asked = g_cancellable_new ();
  shardwise_absence_async (shardwise_advice_get_problem (advice),
                           &shardwise_advice_get_recommended (advice)->strategy, degrees,
                           self->asked, answered_cb, g_object_ref (self));
}

/**
 * shardwise_absence_view_is_asking:
 *
 * Returns: whether the search for the reason is running
 */
gboolean
shardwise_absence_view_is_asking (ShardwiseAbsenceView *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ABSENCE_VIEW (self), FALSE);

  return self->asked != NULL;
}

static void
shardwise_absence_view_dispose (GObject *object)
{
  shardwise_absence_view_drop (SHARDWISE_ABSENCE_VIEW (object));
  G_OBJECT_CLASS (shardwise_absence_view_parent_class)->dispose (object);
}

static void
shardwise_absence_view_class_init (ShardwiseAbsenceViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = shardwise_absence_view_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
shardwise_absence_view_init (ShardwiseAbsenceView *self)
{
  self->status_page = g_object_new (ADW_TYPE_STATUS_PAGE, "icon-name", "edit-find-symbolic",
                                    "title", _ ("Not in the List"), NULL);
  gtk_widget_add_css_class (GTK_WIDGET (self->status_page), "compact");
  gtk_widget_set_parent (GTK_WIDGET (self->status_page), GTK_WIDGET (self));
  /* The search for a reason keeps a reference to the view, so that its window could not dispose of
   * it. */
  g_signal_connect (self, "unrealize", G_CALLBACK (shardwise_absence_view_drop), NULL);
}
