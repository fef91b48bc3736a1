/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-banner.h"

#include "shardwise-wrap-layout.h"
#include "shardwise-container.h"
#include "shardwise-wrapped-label.h"

struct _ShardwiseBanner {
  ShardwiseContainer parent_instance;
  GtkWidget *revealer;
  GtkWidget *label;
  GtkWidget *buttons;
};

G_DEFINE_FINAL_TYPE (ShardwiseBanner, shardwise_banner, SHARDWISE_TYPE_CONTAINER)

static void
shardwise_banner_class_init (ShardwiseBannerClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_ALERT);
  gtk_widget_class_set_css_name (widget_class, "documentbanner");
}

static void
shardwise_banner_init (ShardwiseBanner *self)
{
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_widget_set_layout_manager (line, shardwise_wrap_layout_new (12, 6, 0, 0));
  gtk_widget_add_css_class (line, "line");
  self->label = gtk_label_new (NULL);
  gtk_label_set_wrap (GTK_LABEL (self->label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (self->label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (GTK_LABEL (self->label), 0);
  gtk_widget_set_hexpand (self->label, TRUE);
  gtk_box_append (GTK_BOX (line), self->label);
  self->buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  gtk_widget_set_valign (self->buttons, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (line), self->buttons);

  self->revealer = gtk_revealer_new ();
  gtk_revealer_set_child (GTK_REVEALER (self->revealer), line);
  gtk_widget_set_parent (self->revealer, GTK_WIDGET (self));
}

/**
 * shardwise_banner_say:
 * @text: the translated text
 * @buttons: the actions
 * @n_buttons: their number
 *
 * Shows the banner, or changes its content.
 */
void
shardwise_banner_say (ShardwiseBanner *self, const char *text, const ShardwiseBannerButton *buttons,
                      guint n_buttons)
{
  g_return_if_fail (SHARDWISE_IS_BANNER (self));
  g_return_if_fail (text != NULL);

  shardwise_container_empty (self->buttons);
  shardwise_wrapped_label_show (GTK_LABEL (self->label), text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
  for (guint i = 0; i < n_buttons; i++)
    {
      GtkWidget *button = gtk_button_new_with_mnemonic (buttons[i].label);

      gtk_actionable_set_action_name (GTK_ACTIONABLE (button), buttons[i].action);
      gtk_box_append (GTK_BOX (self->buttons), button);
    }
  gtk_revealer_set_reveal_child (GTK_REVEALER (self->revealer), TRUE);
}

/**
 * shardwise_banner_hide:
 *
 * Hides the banner.
 */
void
shardwise_banner_hide (ShardwiseBanner *self)
{
  g_return_if_fail (SHARDWISE_IS_BANNER (self));

  gtk_revealer_set_reveal_child (GTK_REVEALER (self->revealer), FALSE);
}
