/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-stepper.h"

#include <glib/gi18n.h>

#include "shardwise-format.h"
#include "shardwise-line-layout.h"
#include "shardwise-wrap-layout.h"
#include "shardwise-wrapped-label.h"

#define N_STEPS 3
#define STEP_WIDTH 230 /* minimum, pixels */

/* One step: a number in a ring with a line to the next one, its figure, and the changes for it. */
typedef struct {
  GtkWidget *box;
  GtkImage *mark;
  GtkLabel *title, *value, *text;
} Step;

struct _ShardwiseStepper {
  ShardwiseContainer parent_instance;
  Step steps[N_STEPS];
};

G_DEFINE_FINAL_TYPE (ShardwiseStepper, shardwise_stepper, SHARDWISE_TYPE_CONTAINER)

static GtkLabel *
stepper_label_new (GtkWidget *box, const char *css_class)
{
  GtkWidget *label = shardwise_wrapped_label_new (NULL, css_class);

  gtk_widget_add_css_class (label, "numeric");
  gtk_box_append (GTK_BOX (box), label);
  return GTK_LABEL (label);
}

/**
 * shardwise_stepper_set_advice:
 * @self: a stepper
 * @advice: the advice with the steps
 */
void
shardwise_stepper_set_advice (ShardwiseStepper *self, ShardwiseAdvice *advice)
{
  GPtrArray *steps = shardwise_advice_get_steps (advice);

  g_return_if_fail (SHARDWISE_IS_STEPPER (self));

  for (guint i = 0; i < N_STEPS; i++)
    {
      gtk_widget_set_visible (self->steps[i].box, i < steps->len);
      if (i < steps->len)
        {
          Step *shown = &self->steps[i];
          const ShardwiseStep *step = g_ptr_array_index (steps, i);
          /* Translators: number and title of a step: "1. Fit in memory" */
          g_autofree char *title = g_strdup_printf (_ ("%u. %s"), i + 1, step->title);
          /* Translators: number and title of a step, its figure, and whether it is reached */
          g_autofree char *name = g_strdup_printf (_ ("%s: %s, %s"), title, step->value,
                                                   step->done ? _ ("done") : _ ("not reached"));
          g_autofree char *text = shardwise_format_unbroken (step->text);

          gtk_image_set_from_icon_name (shown->mark, step->done ? "object-select-symbolic"
                                                                : "window-close-symbolic");
          gtk_widget_remove_css_class (GTK_WIDGET (shown->mark), step->done ? "error" : "success");
          gtk_widget_add_css_class (GTK_WIDGET (shown->mark), step->done ? "success" : "error");
          gtk_label_set_label (shown->title, title);
          gtk_label_set_label (shown->value, step->value);
          gtk_label_set_label (shown->text, text);
          gtk_accessible_update_property (GTK_ACCESSIBLE (shown->box),
                                          GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                          GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, step->text, -1);
        }
    }
}

static void
shardwise_stepper_class_init (ShardwiseStepperClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_css_name (widget_class, "stepper");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LIST);
}

static void
shardwise_stepper_init (ShardwiseStepper *self)
{
  gtk_widget_set_layout_manager (GTK_WIDGET (self),
                                 shardwise_wrap_layout_new (18, 18, STEP_WIDTH, N_STEPS));
  gtk_widget_add_css_class (GTK_WIDGET (self), "card");
  for (guint i = 0; i < N_STEPS; i++)
    {
      Step *step = &self->steps[i];
      GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

      gtk_widget_set_layout_manager (head, shardwise_line_layout_new (9, TRUE));
      step->box = g_object_new (GTK_TYPE_BOX, "orientation", GTK_ORIENTATION_VERTICAL, "spacing", 6,
                                "accessible-role", GTK_ACCESSIBLE_ROLE_LIST_ITEM, NULL);
      step->mark = g_object_new (GTK_TYPE_IMAGE, "accessible-role",
                                 GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);
      gtk_widget_add_css_class (step->box, "step");
      gtk_widget_add_css_class (GTK_WIDGET (step->mark), "step-mark");
      gtk_widget_set_valign (GTK_WIDGET (step->mark), GTK_ALIGN_CENTER);
      gtk_box_append (GTK_BOX (head), GTK_WIDGET (step->mark));
      step->title = stepper_label_new (head, "heading");
      if (i + 1 < N_STEPS)
        {
          GtkWidget *line = gtk_separator_new (GTK_ORIENTATION_HORIZONTAL);

          gtk_widget_set_hexpand (line, TRUE);
          gtk_widget_set_valign (line, GTK_ALIGN_CENTER);
          gtk_box_append (GTK_BOX (head), line);
        }
      gtk_box_append (GTK_BOX (step->box), head);
      step->value = stepper_label_new (step->box, "title-4");
      step->text = stepper_label_new (step->box, "body");
      gtk_widget_set_parent (step->box, GTK_WIDGET (self));
    }
}
