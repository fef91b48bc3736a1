/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-pipeline-player.h"

#include <glib/gi18n.h>

#define SECONDS_SEEN 12.0 /* in which what is seen at once is played */
#define SECONDS_STEP 1.0  /* between two tasks, without animations */

struct _ShardwisePipelinePlayer {
  GtkWidget parent_instance;

  ShardwisePipelineChart *chart; /* weak: its page owns both */
  GtkToggleButton *button;
  guint tick_id;
  gint64 last_us; /* frame clock; 0: the first frame is to come */
  double waited;  /* seconds since the last step, without animations */
};

G_DEFINE_FINAL_TYPE (ShardwisePipelinePlayer, shardwise_pipeline_player, GTK_TYPE_WIDGET)

/**
 * shardwise_pipeline_player_advance:
 * @self: a player that plays
 * @seconds: that have passed
 *
 * Moves on; at the end of the step, or where another is shown meanwhile, it stops.
 */
void
shardwise_pipeline_player_advance (ShardwisePipelinePlayer *self, double seconds)
{
  gboolean animated = TRUE;
  double now, from, to;

  g_return_if_fail (SHARDWISE_IS_PIPELINE_PLAYER (self));

  if (self->chart == NULL || !shardwise_pipeline_player_is_playing (self))
    return;
  now = shardwise_pipeline_chart_get_now (self->chart);
  g_object_get (gtk_widget_get_settings (GTK_WIDGET (self)), "gtk-enable-animations", &animated,
                NULL);
  if (now >= 0 && animated)
    {
      shardwise_pipeline_chart_get_view (self->chart, &from, &to);
      now += (to - from) * seconds / SECONDS_SEEN;
    }
  else if (now >= 0)
    {
      self->waited += seconds;
      if (self->waited >= SECONDS_STEP)
        {
          self->waited = 0;
          now = shardwise_pipeline_chart_next_event (self->chart, now);
        }
    }
  if (now < 0 || !shardwise_pipeline_chart_set_now (self->chart, now))
    gtk_toggle_button_set_active (self->button, FALSE);
}

static gboolean
tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  ShardwisePipelinePlayer *self = SHARDWISE_PIPELINE_PLAYER (widget);
  gint64 now_us = gdk_frame_clock_get_frame_time (clock), last_us = self->last_us;

  self->last_us = now_us;
  if (last_us > 0)
    shardwise_pipeline_player_advance (self, (double) (now_us - last_us) / G_USEC_PER_SEC);
  return G_SOURCE_CONTINUE;
}

static void
stop (ShardwisePipelinePlayer *self)
{
  if (self->tick_id != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->tick_id);
  self->tick_id = 0;
}

/* Goes on where it was paused; from what is seen first otherwise. */
static void
start (ShardwisePipelinePlayer *self)
{
  double from, to;

  if (self->chart == NULL)
    return;
  shardwise_pipeline_chart_get_view (self->chart, &from, &to);
  if (shardwise_pipeline_chart_get_now (self->chart) < 0)
    shardwise_pipeline_chart_set_now (self->chart, from);
  self->last_us = 0;
  self->waited = 0;
  if (self->tick_id == 0)
    self->tick_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), tick_cb, NULL, NULL);
}

static void
toggled_cb (ShardwisePipelinePlayer *self)
{
  gboolean plays = gtk_toggle_button_get_active (self->button);
  const char *label = plays ? _ ("Pause") : _ ("Play the Step");

  gtk_button_set_icon_name (GTK_BUTTON (self->button), plays ? "media-playback-pause-symbolic"
                                                             : "media-playback-start-symbolic");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->button), label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  label, -1);
  if (plays)
    start (self);
  else
    stop (self);
}

/**
 * shardwise_pipeline_player_is_playing:
 *
 * Returns: whether time passes
 */
gboolean
shardwise_pipeline_player_is_playing (ShardwisePipelinePlayer *self)
{
  g_return_val_if_fail (SHARDWISE_IS_PIPELINE_PLAYER (self), FALSE);
  return gtk_toggle_button_get_active (self->button);
}

static void
shardwise_pipeline_player_dispose (GObject *object)
{
  ShardwisePipelinePlayer *self = SHARDWISE_PIPELINE_PLAYER (object);
  GtkWidget *child;

  stop (self);
  g_clear_weak_pointer (&self->chart);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (shardwise_pipeline_player_parent_class)->dispose (object);
}

static void
shardwise_pipeline_player_class_init (ShardwisePipelinePlayerClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = shardwise_pipeline_player_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
shardwise_pipeline_player_init (ShardwisePipelinePlayer *self)
{
  self->button = GTK_TOGGLE_BUTTON (gtk_toggle_button_new ());
  g_signal_connect_object (self->button, "toggled", G_CALLBACK (toggled_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_widget_set_parent (GTK_WIDGET (self->button), GTK_WIDGET (self));
  toggled_cb (self);
}

/**
 * shardwise_pipeline_player_new:
 * @chart: what is played
 *
 * Returns: (transfer floating): a player at rest
 */
GtkWidget *
shardwise_pipeline_player_new (ShardwisePipelineChart *chart)
{
  ShardwisePipelinePlayer *self = g_object_new (SHARDWISE_TYPE_PIPELINE_PLAYER, NULL);

  g_set_weak_pointer (&self->chart, chart);
  return GTK_WIDGET (self);
}
