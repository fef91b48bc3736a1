/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-sections.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "shardwise-drop-down.h"
#include "shardwise-wrapped-label.h"

/* In pixels: width of the list, and minimum width of a page with the list. */
enum { INDEX_WIDTH = 200, WIDE = 720, MARGIN = 12 };

struct _ShardwiseSections {
  ShardwiseContainer parent_instance;

  GtkWidget *index, *narrow, *scroller, *bin; /* the list also scrolls in a low window */
  GtkListBox *list;
  GtkDropDown *drop_down;
  const ShardwiseSection *sections; /* static */
  guint n, chosen;
  gboolean choosing;
};

G_DEFINE_FINAL_TYPE (ShardwiseSections, shardwise_sections, SHARDWISE_TYPE_CONTAINER)

enum { PROP_0, PROP_CHILD, PROP_SECTION, N_PROPS };
static GParamSpec *properties[N_PROPS];

/* Each section begins at its top. The list is one stop of the Tab key; the arrows move between its
 * rows. */
static void
choose (ShardwiseSections *self, guint chosen)
{
  gboolean focused = FALSE;

  if (self->choosing || chosen >= self->n)
    return;
  self->choosing = TRUE;
  gtk_list_box_select_row (self->list, gtk_list_box_get_row_at_index (self->list, (int) chosen));
  for (guint i = 0; i < self->n; i++)
    {
      GtkWidget *row = GTK_WIDGET (gtk_list_box_get_row_at_index (self->list, (int) i));

      focused |= gtk_widget_is_focus (row);
      gtk_widget_set_focusable (row, i == chosen);
    }
  if (focused)
    gtk_widget_grab_focus (GTK_WIDGET (gtk_list_box_get_row_at_index (self->list, (int) chosen)));
  gtk_drop_down_set_selected (self->drop_down, chosen);
  self->choosing = FALSE;
  if (chosen == self->chosen)
    return;
  self->chosen = chosen;
  gtk_adjustment_set_value (
      gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scroller)), 0);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SECTION]);
}

static void
row_selected_cb (ShardwiseSections *self, GtkListBoxRow *row)
{
  if (row != NULL)
    choose (self, (guint) gtk_list_box_row_get_index (row));
}

static void
selected_cb (ShardwiseSections *self)
{
  choose (self, gtk_drop_down_get_selected (self->drop_down));
}

static void
shardwise_sections_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                            int *minimum, int *natural, int *minimum_baseline,
                            int *natural_baseline)
{
  ShardwiseSections *self = SHARDWISE_SECTIONS (widget);
  int least, most;

  gtk_widget_measure (self->narrow, orientation, -1, minimum, natural, NULL, NULL);
  gtk_widget_measure (self->scroller, orientation, -1, &least, &most, NULL, NULL);
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = MAX (*minimum + 2 * MARGIN, least);
      *natural = MAX (*minimum, most + INDEX_WIDTH);
    }
  else
    {
      *minimum += least + MARGIN;
      *natural += most + MARGIN;
    }
}

static void
shardwise_sections_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  ShardwiseSections *self = SHARDWISE_SECTIONS (widget);
  const gboolean wide = width >= WIDE,
                 mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  GtkAllocation head = { mirrored ? width - INDEX_WIDTH : 0, 0, INDEX_WIDTH, height };
  GtkAllocation rest = { mirrored ? 0 : INDEX_WIDTH, 0, width - INDEX_WIDTH, height };

  gtk_widget_set_child_visible (self->index, wide);
  gtk_widget_set_child_visible (self->narrow, !wide);
  if (!wide)
    {
      int natural;

      gtk_widget_measure (self->narrow, GTK_ORIENTATION_VERTICAL, -1, NULL, &natural, NULL, NULL);
      head = (GtkAllocation){ MARGIN, MARGIN, width - 2 * MARGIN, natural };
      rest = (GtkAllocation){ 0, natural + MARGIN, width, MAX (0, height - natural - MARGIN) };
    }
  gtk_widget_size_allocate (wide ? self->index : self->narrow, &head, -1);
  gtk_widget_size_allocate (self->scroller, &rest, -1);
}

static void
shardwise_sections_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  ShardwiseSections *self = SHARDWISE_SECTIONS (object);

  switch (id)
    {
    case PROP_CHILD: g_value_set_object (value, adw_bin_get_child (ADW_BIN (self->bin))); break;
    case PROP_SECTION: g_value_set_string (value, shardwise_sections_get_section (self)); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
shardwise_sections_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  ShardwiseSections *self = SHARDWISE_SECTIONS (object);

  switch (id)
    {
    case PROP_CHILD: adw_bin_set_child (ADW_BIN (self->bin), g_value_get_object (value)); break;
    case PROP_SECTION: shardwise_sections_set_section (self, g_value_get_string (value)); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
shardwise_sections_class_init (ShardwiseSectionsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->get_property = shardwise_sections_get_property;
  object_class->set_property = shardwise_sections_set_property;
  widget_class->measure = shardwise_sections_measure;
  widget_class->size_allocate = shardwise_sections_size_allocate;
  properties[PROP_CHILD] = g_param_spec_object ("child", NULL, NULL, GTK_TYPE_WIDGET,
                                                G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  properties[PROP_SECTION] = g_param_spec_string ("section", NULL, NULL, NULL,
                                                  G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY
                                                      | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  gtk_widget_class_set_css_name (widget_class, "sections");
}

static void
shardwise_sections_init (ShardwiseSections *self)
{
  GtkWidget *viewport = gtk_viewport_new (NULL, NULL);

  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_widget_add_css_class (GTK_WIDGET (self->list), "navigation-sidebar");
  gtk_list_box_set_selection_mode (self->list, GTK_SELECTION_BROWSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Sections"), -1);
  g_signal_connect_object (self->list, "row-selected", G_CALLBACK (row_selected_cb), self,
                           G_CONNECT_SWAPPED);
  self->index = g_object_new (GTK_TYPE_SCROLLED_WINDOW, "hscrollbar-policy", GTK_POLICY_NEVER,
                              "child", self->list, NULL);

  self->narrow = gtk_drop_down_new (NULL, NULL);
  self->drop_down = GTK_DROP_DOWN (self->narrow);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->narrow), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Sections"), -1);
  g_signal_connect_object (self->narrow, "notify::selected", G_CALLBACK (selected_cb), self,
                           G_CONNECT_SWAPPED);

  self->bin = adw_bin_new ();
  gtk_widget_add_css_class (self->bin, "sections-content");
  gtk_viewport_set_scroll_to_focus (GTK_VIEWPORT (viewport), TRUE);
  gtk_scrollable_set_vscroll_policy (GTK_SCROLLABLE (viewport), GTK_SCROLL_NATURAL);
  gtk_viewport_set_child (GTK_VIEWPORT (viewport),
                          g_object_new (ADW_TYPE_CLAMP, "maximum-size", 1100,
                                        "tightening-threshold", 900, "child", self->bin, NULL));
  self->scroller = g_object_new (GTK_TYPE_SCROLLED_WINDOW, "hscrollbar-policy", GTK_POLICY_NEVER,
                                 "child", viewport, NULL);
  gtk_widget_set_parent (self->index, GTK_WIDGET (self));
  gtk_widget_set_parent (self->narrow, GTK_WIDGET (self));
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
  self->chosen = G_MAXUINT;
}

/**
 * shardwise_sections_fill:
 * @sections: (transfer none): must stay valid
 * @n: their number
 *
 * Selects the first one.
 */
void
shardwise_sections_fill (ShardwiseSections *self, const ShardwiseSection *sections, guint n)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) titles = NULL;

  g_return_if_fail (SHARDWISE_IS_SECTIONS (self) && self->n == 0);

  self->choosing = TRUE;
  for (guint i = 0; i < n; i++)
    {
      const char *title = _ (sections[i].title);
      GtkWidget *row = gtk_list_box_row_new ();

      gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row),
                                  shardwise_wrapped_label_new (title, NULL));
      gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                      -1);
      gtk_list_box_append (self->list, row);
      g_strv_builder_add (builder, title);
    }
  titles = g_strv_builder_end (builder);
  shardwise_drop_down_set_words (self->drop_down, (const char *const *) titles);
  self->choosing = FALSE;
  self->sections = sections;
  self->n = n;
  choose (self, 0);
}

/**
 * shardwise_sections_get_section:
 *
 * Returns: (nullable): the id of the selected section
 */
const char *
shardwise_sections_get_section (ShardwiseSections *self)
{
  g_return_val_if_fail (SHARDWISE_IS_SECTIONS (self), NULL);

  return self->chosen < self->n ? self->sections[self->chosen].id : NULL;
}

/**
 * shardwise_sections_set_section:
 * @id: the id of a section
 *
 * Returns: %FALSE if the id is unknown
 */
gboolean
shardwise_sections_set_section (ShardwiseSections *self, const char *id)
{
  g_return_val_if_fail (SHARDWISE_IS_SECTIONS (self), FALSE);

  for (guint i = 0; i < self->n; i++)
    if (g_strcmp0 (self->sections[i].id, id) == 0)
      {
        choose (self, i);
        return TRUE;
      }
  return FALSE;
}

/**
 * shardwise_sections_scroll_to:
 * @widget: a widget in its child
 *
 * Scrolls @widget to the top of the view and gives it the focus.
 */
void
shardwise_sections_scroll_to (ShardwiseSections *self, GtkWidget *widget)
{
  double y;

  g_return_if_fail (SHARDWISE_IS_SECTIONS (self));

  if (gtk_widget_translate_coordinates (widget, self->bin, 0, 0, NULL, &y))
    gtk_adjustment_set_value (
        gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scroller)),
        MAX (0, y - 2 * MARGIN));
  gtk_widget_grab_focus (widget);
}
