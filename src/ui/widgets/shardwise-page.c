/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-page.h"

#include "shardwise-container.h"
#include "shardwise-gtk-faults.h"
#include "shardwise-toast.h"

/* A result page fills itself with its children. While the advice is stale they fade (style.css) and
 * a spinner turns above them, both after 200 ms, so that a quick answer does not flicker, with
 * animations or without; they are never blank.
 *
 * # CSS nodes
 * `page`, with the class `.waiting` while the first advice is being computed, `.late` once it or
 * a newer one takes its time, and `.answered` from the first newer one that did: what is in the
 * page is styled anew with each class that comes or goes, so a quick answer sets none */

#define LATE_MS 200

typedef struct {
  ShardwiseAdvisor *advisor;
  GSignalGroup *signals;
  GtkSpinner *spinner;
  guint late_id, update_id, finish_id;
  ShardwiseStatus status; /* the last reported one */
  gboolean busy;
  gboolean pending;    /* an update is due when the page becomes visible */
  gboolean unfinished; /* the rest of an update, due after the next frame */
  gboolean framed;     /* the frame of the update was drawn */
} ShardwisePagePrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ShardwisePage, shardwise_page, SHARDWISE_TYPE_CONTAINER)

enum { PROP_0, PROP_ADVISOR, N_PROPS };
static GParamSpec *properties[N_PROPS];

#define PRIV(self) ((ShardwisePagePrivate *) shardwise_page_get_instance_private (self))

static void
set_class (ShardwisePage *self, const char *name, gboolean set)
{
  if (set)
    gtk_widget_add_css_class (GTK_WIDGET (self), name);
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), name);
}

static void
late_cb (gpointer data)
{
  ShardwisePage *self = data;
  ShardwisePagePrivate *priv = PRIV (self);

  priv->late_id = 0;
  set_class (self, "late", TRUE);
  if (!gtk_widget_has_css_class (GTK_WIDGET (self), "waiting"))
    set_class (self, "answered", TRUE);
  gtk_widget_insert_before (GTK_WIDGET (priv->spinner), GTK_WIDGET (self),
                            NULL); /* above the rest */
  gtk_widget_set_visible (GTK_WIDGET (priv->spinner), TRUE);
  gtk_spinner_start (priv->spinner);
}

static void
set_busy (ShardwisePage *self, gboolean busy)
{
  ShardwisePagePrivate *priv = PRIV (self);

  if (busy == priv->busy)
    return;
  priv->busy = busy;
  g_clear_handle_id (&priv->late_id, g_source_remove);
  gtk_accessible_update_state (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_STATE_BUSY, busy, -1);
  if (busy)
    {
      priv->late_id = g_timeout_add_once (LATE_MS, late_cb, self);
    }
  else
    {
      set_class (self, "late", FALSE);
      gtk_spinner_stop (priv->spinner);
      gtk_widget_set_visible (GTK_WIDGET (priv->spinner), FALSE);
    }
}

static void
update (ShardwisePage *self)
{
  ShardwisePagePrivate *priv = PRIV (self);

  if (!priv->pending)
    return;
  priv->pending = FALSE;
  g_clear_handle_id (&priv->update_id, g_source_remove);
  if (priv->advisor == NULL || SHARDWISE_PAGE_GET_CLASS (self)->update == NULL)
    return;
  SHARDWISE_PAGE_GET_CLASS (self)->update (self);
  priv->unfinished = SHARDWISE_PAGE_GET_CLASS (self)->finish != NULL;
}

static void
stop_waiting (ShardwisePage *self)
{
  if (PRIV (self)->finish_id != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), PRIV (self)->finish_id);
  PRIV (self)->finish_id = 0;
}

static void
finish (ShardwisePage *self)
{
  stop_waiting (self);
  if (!PRIV (self)->unfinished)
    return;
  PRIV (self)->unfinished = FALSE;
  SHARDWISE_PAGE_GET_CLASS (self)->finish (self);
}

/**
 * shardwise_page_update_now:
 *
 * Runs a pending update, which waits because the page is hidden or until the next frame. For
 * callers that read a page that may not be visible.
 */
void
shardwise_page_update_now (ShardwisePage *self)
{
  g_return_if_fail (SHARDWISE_IS_PAGE (self));

  update (self);
  finish (self);
}

static gboolean
finish_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  ShardwisePagePrivate *priv = PRIV (SHARDWISE_PAGE (widget));

  if (priv->framed)
    finish (SHARDWISE_PAGE (widget));
  priv->framed = TRUE;
  return G_SOURCE_CONTINUE; /* unless finish() removed it */
}

static gboolean
update_idle_cb (gpointer data)
{
  ShardwisePagePrivate *priv = PRIV (data);

  priv->update_id = 0;
  update (data);
  stop_waiting (data);
  priv->framed = FALSE;
  if (priv->unfinished)
    priv->finish_id = gtk_widget_add_tick_callback (data, finish_cb, NULL, NULL);
  return G_SOURCE_REMOVE;
}

/* A change of the advice emits several signals: in a window they cause one update before the next
 * frame, and none while the page is hidden. A page without a window updates at once. */
static void
queue_update (ShardwisePage *self)
{
  ShardwisePagePrivate *priv = PRIV (self);

  priv->pending = TRUE;
  if (gtk_widget_get_root (GTK_WIDGET (self)) == NULL)
    shardwise_page_update_now (self);
  else if (gtk_widget_get_mapped (GTK_WIDGET (self)) && priv->update_id == 0)
    priv->update_id = g_idle_add_full (GDK_PRIORITY_REDRAW - 5, update_idle_cb, self, NULL);
}

/* With live evaluation off, an edit does not start a request, so there is nothing to wait for. */
static void
running_cb (ShardwisePage *self)
{
  ShardwiseAdvisor *advisor = PRIV (self)->advisor;
  ShardwiseStatus status = advisor != NULL ? shardwise_advisor_get_status (advisor)
                                           : SHARDWISE_STATUS_EMPTY;
  gboolean running = advisor != NULL && shardwise_advisor_is_running (advisor);
  gboolean waiting = advisor != NULL && status == SHARDWISE_STATUS_EMPTY
                     && (running || shardwise_advisor_get_live (advisor));

  set_class (self, "waiting", waiting);
  set_busy (self, waiting || (running && status == SHARDWISE_STATUS_STALE));
}

static void
status_cb (ShardwisePage *self)
{
  ShardwiseAdvisor *advisor = PRIV (self)->advisor;
  ShardwiseStatus status = advisor != NULL ? shardwise_advisor_get_status (advisor)
                                           : SHARDWISE_STATUS_EMPTY;

  running_cb (self);
  /* Most pages stay unchanged during the next request: an update would only cause frames that delay
   * the answer. */
  if (status != SHARDWISE_STATUS_STALE || PRIV (self)->status != SHARDWISE_STATUS_READY
      || SHARDWISE_PAGE_GET_CLASS (self)->minds_stale)
    queue_update (self);
  PRIV (self)->status = status;
}

static void
shardwise_page_map (GtkWidget *widget)
{
  shardwise_page_update_now (SHARDWISE_PAGE (widget));
  GTK_WIDGET_CLASS (shardwise_page_parent_class)->map (widget);
}

/* Pending updates wait until the page is visible again. If the focus is in the page, the page gives
 * it up here. */
static void
shardwise_page_unmap (GtkWidget *widget)
{
  shardwise_gtk_let_go_of_focus (widget);
  g_clear_handle_id (&PRIV (SHARDWISE_PAGE (widget))->update_id, g_source_remove);
  stop_waiting (SHARDWISE_PAGE (widget));
  GTK_WIDGET_CLASS (shardwise_page_parent_class)->unmap (widget);
}

static void
shardwise_page_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  switch (prop_id)
    {
    case PROP_ADVISOR:
      g_value_set_object (value, shardwise_page_get_advisor (SHARDWISE_PAGE (object)));
      break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
shardwise_page_set_property (GObject *object, guint prop_id, const GValue *value, GParamSpec *pspec)
{
  switch (prop_id)
    {
    case PROP_ADVISOR:
      shardwise_page_set_advisor (SHARDWISE_PAGE (object), g_value_get_object (value));
      break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
shardwise_page_dispose (GObject *object)
{
  ShardwisePagePrivate *priv = PRIV (SHARDWISE_PAGE (object));

  g_clear_handle_id (&priv->late_id, g_source_remove);
  g_clear_handle_id (&priv->update_id, g_source_remove);
  stop_waiting (SHARDWISE_PAGE (object));
  g_clear_object (&priv->signals);
  g_clear_object (&priv->advisor);
  priv->spinner = NULL;

  G_OBJECT_CLASS (shardwise_page_parent_class)->dispose (object);
}

static void
shardwise_page_class_init (ShardwisePageClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->get_property = shardwise_page_get_property;
  object_class->set_property = shardwise_page_set_property;
  object_class->dispose = shardwise_page_dispose;
  widget_class->map = shardwise_page_map;
  widget_class->unmap = shardwise_page_unmap;

  properties[PROP_ADVISOR] = g_param_spec_object ("advisor", NULL, NULL, SHARDWISE_TYPE_ADVISOR,
                                                  G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY
                                                      | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  gtk_widget_class_set_css_name (widget_class, "page");
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
}

static void
shardwise_page_init (ShardwisePage *self)
{
  ShardwisePagePrivate *priv = PRIV (self);

  priv->spinner = g_object_new (GTK_TYPE_SPINNER, "visible", FALSE, "can-target", FALSE, "halign",
                                GTK_ALIGN_CENTER, "valign", GTK_ALIGN_START, "margin-top", 48,
                                "width-request", 32, "height-request", 32, NULL);
  gtk_widget_set_parent (GTK_WIDGET (priv->spinner), GTK_WIDGET (self));

  priv->signals = g_signal_group_new (SHARDWISE_TYPE_ADVISOR);
  g_signal_group_connect_swapped (priv->signals, "notify::advice", G_CALLBACK (queue_update), self);
  g_signal_group_connect_swapped (priv->signals, "notify::status", G_CALLBACK (status_cb), self);
  g_signal_group_connect_swapped (priv->signals, "notify::running", G_CALLBACK (running_cb), self);
  g_signal_group_connect_swapped (priv->signals, "selected-changed", G_CALLBACK (queue_update),
                                  self);
}

/**
 * shardwise_page_get_advisor:
 *
 * Returns: (transfer none) (nullable): the source of the advice
 */
ShardwiseAdvisor *
shardwise_page_get_advisor (ShardwisePage *self)
{
  g_return_val_if_fail (SHARDWISE_IS_PAGE (self), NULL);
  return PRIV (self)->advisor;
}

/**
 * shardwise_page_set_advisor:
 * @advisor: (nullable): the new source of the advice
 */
void
shardwise_page_set_advisor (ShardwisePage *self, ShardwiseAdvisor *advisor)
{
  ShardwisePagePrivate *priv = PRIV (self);

  g_return_if_fail (SHARDWISE_IS_PAGE (self));
  g_return_if_fail (advisor == NULL || SHARDWISE_IS_ADVISOR (advisor));

  if (!g_set_object (&priv->advisor, advisor))
    return;
  g_signal_group_set_target (priv->signals, advisor);
  priv->status = SHARDWISE_STATUS_EMPTY; /* nothing from this one was shown yet */
  status_cb (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ADVISOR]);
}

/**
 * shardwise_page_of:
 * @widget: (type GtkWidget): a widget
 *
 * Returns: (transfer none) (nullable): the page around it; %NULL if there is none
 */
ShardwisePage *
shardwise_page_of (gpointer widget)
{
  GtkWidget *page = gtk_widget_get_ancestor (GTK_WIDGET (widget), SHARDWISE_TYPE_PAGE);

  return page != NULL ? SHARDWISE_PAGE (page) : NULL;
}

/**
 * shardwise_page_toast:
 * @self: (nullable): a page
 * @text: what happened, translated
 *
 * Shows a short message on the window; nothing if the page has none.
 */
void
shardwise_page_toast (ShardwisePage *self, const char *text)
{
  AdwToastOverlay *overlay;

  g_return_if_fail (self == NULL || SHARDWISE_IS_PAGE (self));
  g_return_if_fail (text != NULL);

  overlay = shardwise_toast_overlay_of (self);
  if (overlay != NULL)
    shardwise_toast_show (overlay, text);
}
