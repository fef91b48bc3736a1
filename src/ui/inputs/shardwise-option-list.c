/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-option-list.h"

#include <glib/gi18n.h>

#include "shardwise-drop-down.h"
#include "shardwise-input-option.h"

#define FACE_CHARS 22
#define MANY 12 /* minimum number of options for a search field */

static GtkWidget *
item_label (const char *css_class)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 36);
  if (css_class != NULL)
    {
      gtk_widget_add_css_class (label, css_class);
      gtk_widget_add_css_class (label, "dim-label");
      gtk_label_set_width_chars (GTK_LABEL (label), 26); /* not wrapped to the drop-down's width */
    }
  return label;
}

/* A line of an open list: name, details below, and a mark at the end if it is chosen. */
static void
item_setup_cb (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *texts = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *mark = gtk_image_new_from_icon_name ("object-select-symbolic");

  gtk_box_append (GTK_BOX (texts), item_label (NULL));
  gtk_box_append (GTK_BOX (texts), item_label ("caption"));
  gtk_widget_set_valign (texts, GTK_ALIGN_CENTER);
  gtk_widget_set_hexpand (texts, TRUE);
  gtk_box_append (GTK_BOX (line), texts);
  gtk_box_append (GTK_BOX (line), mark);
  g_object_bind_property (item, "selected", mark, "visible", G_BINDING_SYNC_CREATE);
  gtk_list_item_set_child (item, line);
}

/* Instead of expressions in a template, because GTK 4.8 cannot watch a GtkListItem that is
 * freed. */
static void
item_bind_cb (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  ShardwiseInputOption *option = gtk_list_item_get_item (item);
  GtkWidget *texts = gtk_widget_get_first_child (gtk_list_item_get_child (item));
  GtkWidget *label = gtk_widget_get_first_child (texts), *more = gtk_widget_get_last_child (texts);
  const char *subtitle = shardwise_input_option_get_subtitle (option);
  gboolean enabled = shardwise_input_option_get_enabled (option);

  gtk_label_set_label (GTK_LABEL (label), shardwise_input_option_get_label (option));
  gtk_label_set_label (GTK_LABEL (more), subtitle != NULL ? subtitle : "");
  gtk_widget_set_visible (more, subtitle != NULL && *subtitle != '\0');
  gtk_widget_set_sensitive (label, enabled);
  gtk_list_item_set_activatable (item, enabled);
  gtk_list_item_set_selectable (item, enabled);
}

static void
face_setup_cb (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_list_item_set_child (item, label);
}

/* A long name without the part in brackets, which the list and the tooltip show. */
static char *
face_text (ShardwiseInputOption *option)
{
  const char *label = shardwise_input_option_get_label (option);
  const char *bracket = strstr (label, " (");
  const char *value = shardwise_input_option_get_value (option);
  const gboolean named = *value != '\0' && !g_str_equal (value, "auto");

  if (named && bracket != NULL && g_utf8_strlen (label, -1) > FACE_CHARS)
    return g_strndup (label, bracket - label);
  return g_strdup (label);
}

/* The button shows the chosen line, in full if it is short, because the subtitle next to it can
 * wrap. */
static void
face_bind_cb (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data)
{
  const char *label = shardwise_input_option_get_label (gtk_list_item_get_item (item));
  GtkWidget *widget = gtk_list_item_get_child (item);
  g_autofree char *face = face_text (gtk_list_item_get_item (item));
  int length = (int) MIN (g_utf8_strlen (face, -1), FACE_CHARS);

  gtk_label_set_label (GTK_LABEL (widget), face);
  gtk_label_set_width_chars (GTK_LABEL (widget), MAX (length - 1, 2));
  gtk_label_set_max_width_chars (GTK_LABEL (widget), FACE_CHARS);
  gtk_widget_set_tooltip_text (widget, label);
}

static GtkListItemFactory *
factory_new (void (*setup) (GtkSignalListItemFactory *, GtkListItem *, gpointer),
             void (*bind) (GtkSignalListItemFactory *, GtkListItem *, gpointer))
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();

  g_signal_connect (factory, "setup", G_CALLBACK (setup), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (bind), NULL);
  return factory;
}

/* The lines are created when the list is about to open: there may be two hundred, and most lists
 * stay closed. */
static void
button_state_cb (GtkWidget *button, GtkStateFlags before, GtkDropDown *list)
{
  g_autoptr (GtkListItemFactory) factory = NULL;

  if (!(gtk_widget_get_state_flags (button) & GTK_STATE_FLAG_CHECKED))
    return;
  g_signal_handlers_disconnect_by_func (button, button_state_cb, list);
  factory = factory_new (item_setup_cb, item_bind_cb);
  gtk_drop_down_set_list_factory (list, factory);
}

/**
 * shardwise_input_list_new:
 * @options: (transfer none): #ShardwiseInputOption elements
 *
 * Returns: (transfer floating): a drop-down that shows them, with a search field where there are
 * many
 */
GtkWidget *
shardwise_input_list_new (GListModel *options)
{
  gboolean searchable = g_list_model_get_n_items (options) >= MANY;
  g_autoptr (GtkListItemFactory) face = factory_new (face_setup_cb, face_bind_cb);
  g_autoptr (GtkListItemFactory) blank = gtk_signal_list_item_factory_new ();
  GtkExpression *label = gtk_property_expression_new (SHARDWISE_TYPE_INPUT_OPTION, NULL, "label");
  GtkWidget *widget = gtk_drop_down_new (NULL, label);

  gtk_drop_down_set_factory (GTK_DROP_DOWN (widget), face);
  gtk_drop_down_set_list_factory (GTK_DROP_DOWN (widget), blank);
  gtk_drop_down_set_model (GTK_DROP_DOWN (widget), options);
  gtk_drop_down_set_enable_search (GTK_DROP_DOWN (widget), searchable);
  if (searchable)
    shardwise_drop_down_search_anywhere (GTK_DROP_DOWN (widget));
  shardwise_drop_down_show_chosen (GTK_DROP_DOWN (widget));
  g_signal_connect (gtk_widget_get_first_child (widget), "state-flags-changed",
                    G_CALLBACK (button_state_cb), widget);
  gtk_widget_set_valign (widget, GTK_ALIGN_CENTER);
  return widget;
}

/**
 * shardwise_option_list_new:
 * @name: the accessible name, translated
 * @options: (transfer none): ShardwiseInputOption elements
 *
 * Returns: (transfer floating): a drop-down, with a search field where there are many options
 */
GtkWidget *
shardwise_option_list_new (const char *name, GListModel *options)
{
  GtkWidget *list = shardwise_input_list_new (options);

  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  return list;
}

/**
 * shardwise_option_list_get_value:
 *
 * Returns: (transfer none): the value of the option that is chosen; "" if none is
 */
const char *
shardwise_option_list_get_value (GtkDropDown *list)
{
  gpointer option = gtk_drop_down_get_selected_item (list);

  return option != NULL ? shardwise_input_option_get_value (option) : "";
}

/**
 * shardwise_option_list_set_value:
 * @value: of an option
 *
 * Chooses an option.
 *
 * Returns: whether there is one of that value; else nothing changes
 */
gboolean
shardwise_option_list_set_value (GtkDropDown *list, const char *value)
{
  GListModel *options = gtk_drop_down_get_model (list);

  for (guint i = 0; i < g_list_model_get_n_items (options); i++)
    {
      g_autoptr (ShardwiseInputOption) option = g_list_model_get_item (options, i);

      if (g_str_equal (shardwise_input_option_get_value (option), value))
        {
          gtk_drop_down_set_selected (list, i);
          return TRUE;
        }
    }
  return FALSE;
}

/**
 * shardwise_labelled_new:
 * @name: translated
 * @control: what it names
 *
 * Returns: (transfer floating): the control under its name
 */
GtkWidget *
shardwise_labelled_new (const char *name, GtkWidget *control)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3), *label = gtk_label_new (name);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (label, "caption");
  gtk_widget_add_css_class (label, "dim-label");
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), control);
  return box;
}

static GtkWidget *
entry_new (gboolean number)
{
  GtkWidget *entry = gtk_entry_new ();

  gtk_editable_set_width_chars (GTK_EDITABLE (entry), 9);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (entry), number ? 11 : 16);
  gtk_editable_set_alignment (GTK_EDITABLE (entry), number ? 1 : 0);
  gtk_widget_add_css_class (entry, "numeric");
  return entry;
}

/* The widget that sets a key, with its accessible name; options (nullable): those of a drop-down.
 * Returns: (transfer floating). */
GtkWidget *
shardwise_control_new (const ShardwiseKey *key, ShardwiseControlKind kind, GListModel *options)
{
  GtkWidget *widget = kind == SHARDWISE_CONTROL_ENTRY ? entry_new (
                          key->kind == SHARDWISE_KIND_INTEGER || key->kind == SHARDWISE_KIND_NUMBER)
                      : kind == SHARDWISE_CONTROL_LIST ? shardwise_input_list_new (options)
                                                       : gtk_switch_new ();

  gtk_widget_set_valign (widget, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ (key->title), -1);
  return widget;
}
