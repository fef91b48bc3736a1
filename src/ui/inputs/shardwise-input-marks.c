/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-input-marks.h"

#include <glib/gi18n.h>

#include "shardwise-input-control.h"
#include "shardwise-input-option.h"

/**
 * shardwise_input_pin_new:
 *
 * Returns: (transfer floating): the mark of a fixed value
 */
GtkWidget *
shardwise_input_pin_new (void)
{
  GtkWidget *pin = gtk_image_new_from_icon_name ("view-pin-symbolic");

  gtk_widget_set_tooltip_text (pin, _ ("Pinned: the search does not change it"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (pin), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Pinned"),
                                  -1);
  return pin;
}

/**
 * shardwise_input_marks_make:
 * @self: (out): the widgets, not yet in a row
 * @key: the row's key
 * @automatic: whether the search may choose it
 */
void
shardwise_input_marks_make (ShardwiseInputMarks *self, const ShardwiseKey *key, gboolean automatic)
{
  /* Translators: %s is the title of an input: "Sequence length" */
  g_autofree char *label = g_strdup_printf (_ ("Reset %s to its default"), _ (key->title));

  self->pin = shardwise_input_pin_new ();
  self->reset = gtk_button_new_from_icon_name ("edit-undo-symbolic");
  gtk_widget_set_tooltip_text (self->reset, automatic ? _ ("Let the search choose")
                                                      : _ ("Reset to the default"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->reset), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  label, -1);
  gtk_widget_set_valign (self->reset, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (self->reset, "flat");
  gtk_widget_add_css_class (self->reset, "circular");
  gtk_widget_add_css_class (self->reset, "reset");
}

/**
 * shardwise_input_marks_update:
 * @scenario: (nullable): the scenario with the row's value
 * @wrong: whether that value prevents the advice
 */
void
shardwise_input_marks_update (ShardwiseInputMarks *self, const ShardwiseKey *key,
                              gboolean automatic, ShardwiseScenario *scenario, gboolean wrong)
{
  gboolean set = scenario != NULL && shardwise_scenario_is_set (scenario, key->id);

  gtk_widget_set_visible (self->pin, set
                                         && (automatic
                                             || (key->id == SHARDWISE_KEY_TRAINING_FRAMEWORK
                                                 && shardwise_control_differs (key, scenario))));
  if (scenario != NULL && !shardwise_scenario_get_resolves (scenario))
    { /* there are no defaults now */
      gtk_widget_set_visible (self->reset, set && (wrong || gtk_widget_get_visible (self->reset)));
      return;
    }
  gtk_widget_set_visible (self->reset,
                          set && (automatic || shardwise_control_differs (key, scenario)));
}

/**
 * shardwise_input_marks_focus:
 * @entry: the control of the row
 * @direction: of Tab, forward or backward
 *
 * Moves the focus through a row with an entry. Forward it only goes to the entry, so that text
 * typed after Tab is typed there; backward it also stops at its reset button.
 *
 * Returns: whether the focus is in the row now; otherwise it continues to the next one
 */
gboolean
shardwise_input_marks_focus (ShardwiseInputMarks *self, GtkWidget *entry,
                             GtkDirectionType direction)
{
  GtkRoot *root = gtk_widget_get_root (entry);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  gboolean in_entry = focus != NULL && (focus == entry || gtk_widget_is_ancestor (focus, entry));

  if (in_entry)
    return direction == GTK_DIR_TAB_BACKWARD && gtk_widget_get_visible (self->reset)
           && gtk_widget_grab_focus (self->reset);
  if (focus == self->reset && direction == GTK_DIR_TAB_BACKWARD)
    return FALSE;
  return gtk_widget_grab_focus (entry);
}

/**
 * shardwise_input_subtitle:
 * @control: the entry, drop-down or switch of the row
 * @hint: (nullable): a more specific text
 *
 * Returns: (transfer none) (nullable): the subtitle of a valid row: the hint, what the chosen line
 * adds, or the unit if it is not in the title
 */
const char *
shardwise_input_subtitle (const ShardwiseKey *key, GtkWidget *control, const char *hint)
{
  ShardwiseInputOption *option = GTK_IS_DROP_DOWN (control)
                                     ? gtk_drop_down_get_selected_item (GTK_DROP_DOWN (control))
                                     : NULL;

  if (hint != NULL)
    return hint;
  if (option != NULL && shardwise_input_option_get_subtitle (option) != NULL)
    return shardwise_input_option_get_subtitle (option);
  return shardwise_control_unit (key);
}

/**
 * shardwise_input_mark_wrong:
 * @row: (nullable): the row, if it is to be marked too
 * @control: its entry, drop-down or switch
 * @wrong: whether its value is refused, or prevents the advice
 */
void
shardwise_input_mark_wrong (GtkWidget *row, GtkWidget *control, gboolean wrong)
{
  GtkWidget *const widgets[] = { control, row };

  for (guint i = 0; i < (row != NULL ? 2 : 1); i++)
    (wrong ? gtk_widget_add_css_class : gtk_widget_remove_css_class) (widgets[i], "error");
  gtk_accessible_update_state (GTK_ACCESSIBLE (control), GTK_ACCESSIBLE_STATE_INVALID,
                               wrong ? GTK_ACCESSIBLE_INVALID_TRUE : GTK_ACCESSIBLE_INVALID_FALSE,
                               -1);
}
