/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands beside the pages of a wide window, and above them in a narrow one. The flaps are told
 * where they stand, not left to find out: a flap that folds or unfolds while sizes are given out,
 * and does so at once where animations are off, is drawn without a size. */
#include "shardwise-compat.h"
#include "shardwise-window-private.h"

enum {
  INPUTS_WIDTH = 860, /* pixels: of a window where inputs and page stand side by side */
  ASK_WIDTH = 1300,   /* where the panel of questions does, too */
  BUTTON_WIDTH = 400, /* where the header bar has room for its button */
  SLACK = 40          /* pixels by which a window can be made narrower before the inputs fold */
};

/* A flap divides the velocity of its animation by its size: where it has none that is no number,
 * and what it draws then is no number of pixels wide. */
static gboolean
has_no_size (AdwFlap *flap)
{
  return gtk_widget_get_mapped (GTK_WIDGET (flap)) && gtk_widget_get_width (GTK_WIDGET (flap)) == 0;
}

static gboolean
reveal_cb (GtkWidget *flap, GdkFrameClock *clock, gpointer reveal)
{
  if (has_no_size (ADW_FLAP (flap)))
    return G_SOURCE_CONTINUE;
  adw_flap_set_reveal_flap (ADW_FLAP (flap), GPOINTER_TO_INT (reveal));
  return G_SOURCE_REMOVE;
}

/* Shows or hides what stands beside the pages, which waits until they have a size. */
void
shardwise_window_reveal (AdwFlap *flap, gboolean reveal)
{
  if (has_no_size (flap))
    gtk_widget_add_tick_callback (GTK_WIDGET (flap), reveal_cb, GINT_TO_POINTER (reveal), NULL);
  else
    adw_flap_set_reveal_flap (flap, reveal);
}

/* One that is not locked is revealed as it unfolds. */
static void
fold (AdwFlap *flap, gboolean folds)
{
  const AdwFlapFoldPolicy policy = folds ? ADW_FLAP_FOLD_POLICY_ALWAYS : ADW_FLAP_FOLD_POLICY_NEVER;
  const gboolean waits = has_no_size (flap) && !adw_flap_get_locked (flap);

  if (adw_flap_get_fold_policy (flap) == policy)
    return;
  if (waits)
    adw_flap_set_locked (flap, TRUE);
  adw_flap_set_fold_policy (flap, policy);
  if (!waits)
    return;
  adw_flap_set_locked (flap, FALSE);
  shardwise_window_reveal (flap, !folds);
}

/* Pixels below which the inputs fold: more with large text, which a window cannot be made too
 * narrow for while they stand beside the page. */
static int
inputs_width (ShardwiseWindow *self)
{
  int inputs, content;

  gtk_widget_measure (adw_flap_get_flap (self->flap), GTK_ORIENTATION_HORIZONTAL, -1, &inputs, NULL,
                      NULL, NULL);
  gtk_widget_measure (adw_flap_get_content (self->flap), GTK_ORIENTATION_HORIZONTAL, -1, &content,
                      NULL, NULL, NULL);
  return MAX (INPUTS_WIDTH, inputs + content + SLACK);
}

/* In the narrowest windows the menu and Ctrl+K are left for questions. */
static void
layout_cb (ShardwiseWindow *self, int width)
{
  gtk_widget_set_visible (self->ask_bin, width >= BUTTON_WIDTH);
  fold (self->ask_flap, width < ASK_WIDTH);
  fold (self->flap, width < inputs_width (self));
}

/* A window is made no narrower than its content, which must fold before. One that is not realized
 * yet may still get another content: measured before, that would be for nothing. */
static void
default_width_cb (ShardwiseWindow *self)
{
  int width, height;

  if (!gtk_widget_get_realized (GTK_WIDGET (self)))
    return;
  gtk_window_get_default_size (GTK_WINDOW (self), &width, &height);
  if (width > 0 && !gtk_window_is_maximized (GTK_WINDOW (self))
      && !gtk_window_is_fullscreen (GTK_WINDOW (self)))
    layout_cb (self, width);
}

static void
sync_action (ShardwiseWindow *self)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self), "toggle-inputs");

  g_simple_action_set_state (G_SIMPLE_ACTION (action),
                             g_variant_new_boolean (adw_flap_get_reveal_flap (self->flap)));
}

static gboolean
inputs_cover (ShardwiseWindow *self)
{
  return adw_flap_get_folded (self->flap) && adw_flap_get_reveal_flap (self->flap);
}

/* What the inputs cover has no focus: nobody would see it. */
static void
cover_cb (ShardwiseWindow *self)
{
  GtkWidget *content = adw_flap_get_content (self->flap);

  if (inputs_cover (self))
    shardwise_compat_let_go_of_focus (content);
  gtk_widget_set_can_focus (content, !inputs_cover (self));
}

static void
inputs_mapped_cb (ShardwiseWindow *self)
{
  if (inputs_cover (self))
    gtk_widget_grab_focus (GTK_WIDGET (shardwise_inputs_find_row (self->inputs, "model.preset")));
}

static void
realize_cb (ShardwiseWindow *self)
{
  default_width_cb (self);
  g_signal_connect_object (gtk_native_get_surface (GTK_NATIVE (self)), "layout",
                           G_CALLBACK (layout_cb), self, G_CONNECT_SWAPPED);
}

/* Connects what folds to the width of the window, once the actions are there. */
void
shardwise_window_set_up_folds (ShardwiseWindow *self)
{
  g_assert (SHARDWISE_IS_WINDOW (self));

  g_signal_connect_object (self->flap, "notify::reveal-flap", G_CALLBACK (sync_action), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->flap, "notify::reveal-flap", G_CALLBACK (cover_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->flap, "notify::folded", G_CALLBACK (cover_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->inputs, "map", G_CALLBACK (inputs_mapped_cb), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect (self, "realize", G_CALLBACK (realize_cb), NULL);
  g_signal_connect (self, "notify::default-width", G_CALLBACK (default_width_cb), NULL);
}
