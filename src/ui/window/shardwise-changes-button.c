/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-changes-button.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "shardwise-changes.h"
#include "shardwise-container.h"
#include "shardwise-input-control.h"

struct _ShardwiseChangesButton {
  GtkWidget parent_instance;
  ShardwiseScenario *scenario;
  GSignalGroup *signals;
  GPtrArray *changes; /* const ShardwiseKey elements, as listed */
  GtkWidget *button;
  GtkWidget *list; /* (nullable): not opened yet */
};

G_DEFINE_FINAL_TYPE (ShardwiseChangesButton, shardwise_changes_button, GTK_TYPE_WIDGET)

/* The inputs that differ from their defaults, without name and notes. A model is listed as a whole
 * or not at all. Returns (transfer container): const ShardwiseKey elements */
static GPtrArray *
changes_of (ShardwiseScenario *scenario)
{
  GPtrArray *changes = g_ptr_array_new ();

  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    {
      const char *path = shardwise_key_path (i);

      if (strchr (path, '.') != NULL && !g_str_has_prefix (path, "model.")
          && shardwise_scenario_is_set (scenario, i)
          && (g_str_has_prefix (path, "strategy.")
              || shardwise_control_differs (shardwise_key_get (i), scenario)))
        g_ptr_array_add (changes, (gpointer) shardwise_key_get (i));
    }
  return changes;
}

/**
 * shardwise_input_changes_reset:
 * @scenario: a scenario
 *
 * Resets all listed inputs, as one undo step.
 *
 * Returns: the number of reset values
 */
guint
shardwise_input_changes_reset (ShardwiseScenario *scenario)
{
  g_autoptr (GPtrArray) changes = changes_of (scenario);
  GVariantDict values;

  g_variant_dict_init (&values, NULL);
  for (guint i = 0; i < changes->len; i++)
    {
      const ShardwiseKey *key = g_ptr_array_index (changes, i);

      shardwise_changes_insert (&values, key->id, "s", "");
    }
  shardwise_scenario_apply (scenario, g_variant_dict_end (&values), NULL);
  return changes->len;
}

/* A key press shows the button as pressed for a moment, in which the list may close with the rows
 * of the previous changes. */
static void
reset_cb (GtkWidget *button, ShardwiseChangesButton *self)
{
  GtkWidget *row = gtk_widget_get_ancestor (button, GTK_TYPE_LIST_BOX_ROW);
  int index = gtk_list_box_row_get_index (GTK_LIST_BOX_ROW (row));
  GtkListBoxRow *next;
  const ShardwiseKey *key;

  if (!gtk_widget_get_mapped (button) || index >= (int) self->changes->len)
    return;
  key = self->changes->pdata[index];
  shardwise_scenario_reset (self->scenario, key->id); /* the row disappears */
  /* moves the focus to the button of the next row, or of the last one */
  next = gtk_list_box_get_row_at_index (GTK_LIST_BOX (self->list),
                                        MIN (index, (int) self->changes->len - 1));
  if (next != NULL)
    gtk_widget_child_focus (GTK_WIDGET (next), GTK_DIR_TAB_FORWARD);
}

static GtkWidget *
row_new (ShardwiseChangesButton *self, const ShardwiseKey *key)
{
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *value = shardwise_control_describe (key, self->scenario),
                  *usual = shardwise_control_usual (key, self->scenario),
                  /* Translators: %s is the title of an input: "Sequence length" */
                      *name = g_strdup_printf (_ ("Reset %s to its default"), _ (key->title));
  GtkWidget *label = gtk_label_new (value),
            *button = gtk_button_new_from_icon_name ("edit-undo-symbolic");

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ (key->title));
  if (usual != NULL)
    {
      /* Translators: the value that an input has by itself */
      g_autofree char *text = g_strdup_printf (_ ("Default: %s"), usual);

      adw_action_row_set_subtitle (ADW_ACTION_ROW (row), text);
    }
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (GTK_LABEL (label), (int) MIN (g_utf8_strlen (value, -1), 10));
  gtk_label_set_max_width_chars (GTK_LABEL (label), 16);
  gtk_widget_set_tooltip_text (label, value);
  gtk_widget_add_css_class (label, "numeric");
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
  gtk_widget_set_focusable (row, FALSE); /* its button is */
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), label);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "circular");
  gtk_widget_set_tooltip_text (button, _ ("Reset to the default"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  g_signal_connect (button, "clicked", G_CALLBACK (reset_cb), self);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), button);
  return row;
}

static void
fill_list (ShardwiseChangesButton *self)
{
  shardwise_container_empty_list (GTK_LIST_BOX (self->list));
  for (guint i = 0; i < self->changes->len; i++)
    gtk_list_box_append (GTK_LIST_BOX (self->list),
                         row_new (self, g_ptr_array_index (self->changes, i)));
}

static GtkWidget *
popover_new (ShardwiseChangesButton *self)
{
  GtkWidget *popover = gtk_popover_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12),
            *scroller = gtk_scrolled_window_new (),
            *all = gtk_button_new_with_mnemonic (_ ("_Reset All"));

  self->list = gtk_list_box_new ();
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (self->list), GTK_SELECTION_NONE);
  gtk_widget_set_valign (self->list, GTK_ALIGN_START);
  gtk_widget_add_css_class (self->list, "boxed-list");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Changes from the defaults"), -1);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroller), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scroller), 380);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), self->list);
  gtk_widget_set_size_request (scroller, 300, -1);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (all), "win.reset-inputs");
  gtk_widget_set_halign (all, GTK_ALIGN_END);
  gtk_box_append (GTK_BOX (box), scroller);
  gtk_box_append (GTK_BOX (box), all);
  gtk_popover_set_child (GTK_POPOVER (popover), box);
  return popover;
}

static void
open_cb (GtkMenuButton *button, gpointer data)
{
  ShardwiseChangesButton *self = data;

  if (self->list == NULL)
    gtk_menu_button_set_popover (button, popover_new (self));
  fill_list (self);
}

static void
update (ShardwiseChangesButton *self)
{
  g_autofree char *text = NULL;

  if (self->scenario == NULL || !shardwise_scenario_get_resolves (self->scenario))
    return; /* the row shows the error; the list does not change */
  g_ptr_array_unref (self->changes);
  self->changes = changes_of (self->scenario);
  text = g_strdup_printf (
      /* Translators: of the inputs: how many values are not as they are by themselves */
      ngettext ("%u change from the defaults", "%u changes from the defaults", self->changes->len),
      self->changes->len);
  if (g_strcmp0 (gtk_menu_button_get_label (GTK_MENU_BUTTON (self->button)), text) != 0)
    gtk_menu_button_set_label (GTK_MENU_BUTTON (self->button), text); /* it makes a new child */
  if (self->changes->len == 0)
    gtk_menu_button_popdown (GTK_MENU_BUTTON (self->button));
  else if (self->list != NULL && gtk_widget_get_mapped (self->list))
    fill_list (self);
  gtk_widget_set_visible (GTK_WIDGET (self), self->changes->len > 0);
}

static void
shardwise_changes_button_dispose (GObject *object)
{
  ShardwiseChangesButton *self = SHARDWISE_CHANGES_BUTTON (object);

  g_clear_object (&self->signals);
  g_clear_object (&self->scenario);
  g_clear_pointer (&self->button, gtk_widget_unparent);
  g_clear_pointer (&self->changes, g_ptr_array_unref);
  G_OBJECT_CLASS (shardwise_changes_button_parent_class)->dispose (object);
}

static void
shardwise_changes_button_class_init (ShardwiseChangesButtonClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = shardwise_changes_button_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
shardwise_changes_button_init (ShardwiseChangesButton *self)
{
  self->changes = g_ptr_array_new ();
  self->button = gtk_menu_button_new ();
  gtk_menu_button_set_has_frame (GTK_MENU_BUTTON (self->button), FALSE);
  gtk_menu_button_set_create_popup_func (GTK_MENU_BUTTON (self->button), open_cb, self, NULL);
  gtk_widget_set_halign (self->button, GTK_ALIGN_START);
  gtk_widget_add_css_class (self->button, "caption");
  gtk_widget_set_parent (self->button, GTK_WIDGET (self));
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
  self->signals = g_signal_group_new (SHARDWISE_TYPE_SCENARIO);
  g_signal_group_connect_swapped (self->signals, "changed", G_CALLBACK (update), self);
}

/**
 * shardwise_changes_button_set_scenario:
 * @scenario: (nullable): the scenario whose values are compared with the defaults
 */
void
shardwise_changes_button_set_scenario (ShardwiseChangesButton *self, ShardwiseScenario *scenario)
{
  g_return_if_fail (SHARDWISE_IS_CHANGES_BUTTON (self));

  if (!g_set_object (&self->scenario, scenario))
    return;
  g_signal_group_set_target (self->signals, scenario);
  g_ptr_array_set_size (self->changes, 0); /* of the scenario before */
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
  update (self);
}
