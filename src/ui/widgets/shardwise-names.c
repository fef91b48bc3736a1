/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-names.h"

#include <adwaita.h>

#include "shardwise-page.h"

/* gtk_test_accessible_* are the only functions of GTK to query a name, although they are meant for
 * tests. */
static gboolean
is_labelled (GtkWidget *widget)
{
  return gtk_test_accessible_has_relation (GTK_ACCESSIBLE (widget),
                                           GTK_ACCESSIBLE_RELATION_LABELLED_BY);
}

static gboolean
has_label (GtkWidget *widget)
{
  return gtk_test_accessible_has_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL);
}

static void
set_label (GtkWidget *widget, const char *text)
{
  if (text != NULL && *text != '\0')
    gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, text,
                                    -1);
}

/* second: (nullable) */
static void
label_by (GtkWidget *widget, GtkWidget *first, GtkWidget *second)
{
  if (second != NULL)
    gtk_accessible_update_relation (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                    first, second, NULL, -1);
  else
    gtk_accessible_update_relation (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                    first, NULL, -1);
}

/* A label for the widget has priority, as in ARIA; GTK 4.8 would say both: “_Paste Paste”, “GPUs
 * GPUs”. */
static void
say_once (GtkWidget *widget)
{
  if (is_labelled (widget) && has_label (widget))
    gtk_accessible_reset_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL);
}

/* The first visible text in it. */
static GtkWidget *
find_text (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget) && *gtk_label_get_text (GTK_LABEL (widget)) != '\0')
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      gboolean shown = gtk_widget_get_visible (child) && gtk_widget_get_child_visible (child);
      GtkWidget *found = shown ? find_text (child) : NULL;

      if (found != NULL)
        return found;
    }
  return NULL;
}

static void
name_button (GtkWidget *button)
{
  GtkWidget *parent = gtk_widget_get_parent (button), *text;

  if (gtk_button_get_icon_name (GTK_BUTTON (button)) != NULL)
    {
      if (ADW_IS_SPLIT_BUTTON (parent))
        return;
      /* GTK uses the picture as its label, which has no name. */
      gtk_accessible_reset_relation (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_RELATION_LABELLED_BY);
      if (!has_label (button))
        set_label (button, gtk_widget_get_tooltip_text (button));
      return;
    }
  if (gtk_button_get_label (GTK_BUTTON (button)) != NULL)
    {
      g_signal_handlers_disconnect_by_func (button, say_once, NULL); /* shown again */
      g_signal_connect (button, "notify::label", G_CALLBACK (say_once), NULL);
      return;
    }
  if (has_label (button) || is_labelled (button))
    return;
  if (GTK_IS_DROP_DOWN (parent) || GTK_IS_MENU_BUTTON (parent))
    {
      /* The part of a drop-down or menu button that has the focus gets the name of the whole and
       * the chosen value. GTK follows labels only one step. */
      GtkWidget *row = gtk_widget_get_ancestor (parent, ADW_TYPE_PREFERENCES_ROW);
      GtkWidget *name = is_labelled (parent) && row != NULL ? find_text (row) : parent;

      label_by (button, name != NULL ? name : parent, find_text (button));
      return;
    }
  text = find_text (button);
  if (text != NULL)
    label_by (button, text, NULL);
  else
    set_label (button, gtk_widget_get_tooltip_text (button));
}

static void
title_cb (GtkWidget *row)
{
  set_label (row, adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)));
}

static gboolean
is_heading (GtkWidget *widget)
{
  static const char *const classes[] = { "heading", "title-1", "title-2", "title-3", "title-4" };

  for (guint i = 0; GTK_IS_LABEL (widget) && i < G_N_ELEMENTS (classes); i++)
    if (gtk_widget_has_css_class (widget, classes[i]))
      return TRUE;
  return FALSE;
}

static GtkWidget *
find_heading (GtkWidget *widget)
{
  GtkWidget *found = is_heading (widget) ? widget : NULL;

  if (!gtk_widget_get_visible (widget))
    return NULL;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_heading (child);
  return found;
}

/* The heading above it: a sibling of the widget or of one of its parents, on the same page. */
static GtkWidget *
find_heading_above (GtkWidget *widget)
{
  GtkWidget *found = NULL;

  for (; widget != NULL && !SHARDWISE_IS_PAGE (widget) && found == NULL;
       widget = gtk_widget_get_parent (widget))
    for (GtkWidget *before = gtk_widget_get_prev_sibling (widget); before != NULL && found == NULL;
         before = gtk_widget_get_prev_sibling (before))
      found = find_heading (before);
  return found;
}

/* A list gets the name of its expander row, or of the heading above it. */
static void
name_list (GtkWidget *list)
{
  GtkWidget *row = gtk_widget_get_ancestor (list, ADW_TYPE_EXPANDER_ROW), *name;

  if (has_label (list) || is_labelled (list))
    return;
  name = row != NULL ? row : find_heading_above (list);
  if (name != NULL)
    label_by (list, name, NULL);
}

static gboolean
realize_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  GtkWidget *widget = g_value_get_object (&values[0]);

  if (ADW_IS_SPLIT_BUTTON (widget))
    {
      GtkWidget *button = gtk_widget_get_first_child (widget);
      GtkWidget *menu = gtk_widget_get_last_child (widget);

      if (GTK_IS_BUTTON (button)
          && adw_split_button_get_icon_name (ADW_SPLIT_BUTTON (widget)) != NULL)
        label_by (button, widget, NULL);
      if (GTK_IS_MENU_BUTTON (menu) && !has_label (menu))
        set_label (menu, adw_split_button_get_dropdown_tooltip (ADW_SPLIT_BUTTON (widget)));
    }
  else if (GTK_IS_BUTTON (widget))
    name_button (widget);
  else if (GTK_IS_MENU_BUTTON (widget) && !has_label (widget) && !is_labelled (widget))
    set_label (widget, gtk_widget_get_tooltip_text (widget));
  else if (ADW_IS_EXPANDER_ROW (widget))
    {
      if (!is_labelled (widget) && !has_label (widget))
        {
          g_signal_connect (widget, "notify::title", G_CALLBACK (title_cb), NULL);
          title_cb (widget);
        }
    }
  else if (GTK_IS_LIST_BOX (widget))
    name_list (widget);
  else if (GTK_IS_EXPANDER (widget) || GTK_IS_LIST_VIEW (gtk_widget_get_parent (widget)))
    {
      /* Uses the first label in it: the text of a row in a list view may change, but the label
       * stays. */
      GtkWidget *text = find_text (widget);

      if (text != NULL && !has_label (widget) && !is_labelled (widget))
        label_by (widget, text, NULL);
    }
  say_once (widget);
  return G_SOURCE_CONTINUE;
}

/**
 * shardwise_names_install:
 *
 * From now on every widget without a name gets one as soon as it is shown.
 *
 * Returns: the hook for shardwise_names_remove()
 */
gulong
shardwise_names_install (void)
{
  g_type_ensure (GTK_TYPE_WIDGET);
  g_type_class_unref (g_type_class_ref (GTK_TYPE_WIDGET));
  return g_signal_add_emission_hook (g_signal_lookup ("realize", GTK_TYPE_WIDGET), 0, realize_cb,
                                     NULL, NULL);
}

/**
 * shardwise_names_remove:
 * @hook: from shardwise_names_install()
 *
 * Widgets that are shown later keep their names.
 */
void
shardwise_names_remove (gulong hook)
{
  g_signal_remove_emission_hook (g_signal_lookup ("realize", GTK_TYPE_WIDGET), hook);
}
