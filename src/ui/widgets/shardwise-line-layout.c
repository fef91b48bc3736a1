/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-line-layout.h"

#include <adwaita.h>

#define ROW_SPACING 6  /* between the parts of a row of libadwaita */
#define LEAST_TEXT 180 /* of the texts next to a last child that can move below */

struct _ShardwiseLineLayout {
  GtkLayoutManager parent_instance;
  int spacing;
  gboolean centered, stacks;
};

G_DEFINE_FINAL_TYPE (ShardwiseLineLayout, shardwise_line_layout, GTK_TYPE_LAYOUT_MANAGER)

enum { PROP_0, PROP_SPACING, PROP_CENTERED, PROP_STACKS, N_PROPS };
static GParamSpec *properties[N_PROPS];

/* The visible children with their widths without a height: a GArray of GtkRequestedSize. */
static GArray *
collect (GtkWidget *widget)
{
  GArray *sizes = g_array_new (FALSE, TRUE, sizeof (GtkRequestedSize));

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkRequestedSize size = { .data = child };

      if (!gtk_widget_should_layout (child))
        continue;
      gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &size.minimum_size,
                          &size.natural_size, NULL, NULL);
      g_array_append_val (sizes, size);
    }
  return sizes;
}

/* Removes the last child from the line if it would leave too little space for texts.
 * Returns: whether @last was removed, to be placed below */
static gboolean
take_last (ShardwiseLineLayout *self, GArray *sizes, int width, GtkRequestedSize *last)
{
  int rest = width - (int) (sizes->len - 1) * self->spacing;

  for (guint i = 0; i < sizes->len; i++)
    {
      *last = g_array_index (sizes, GtkRequestedSize, i);
      if (!gtk_widget_compute_expand (last->data, GTK_ORIENTATION_HORIZONTAL))
        rest -= last->natural_size;
    }
  if (!self->stacks || sizes->len < 2 || width < 0 || rest >= LEAST_TEXT)
    return FALSE;
  g_array_set_size (sizes, sizes->len - 1);
  return TRUE;
}

static int
height_of (GtkWidget *child, int width)
{
  int natural;

  gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, width, NULL, &natural, NULL, NULL);
  return natural;
}

/* Turns the minimum sizes into widths for a line of the given width. */
static void
share (ShardwiseLineLayout *self, GArray *sizes, int width)
{
  GtkRequestedSize *all = (GtkRequestedSize *) (void *) sizes->data;
  int rest = width - (int) (sizes->len - 1) * self->spacing, expanding = 0;

  for (guint i = 0; i < sizes->len; i++)
    {
      rest -= all[i].minimum_size;
      expanding += gtk_widget_compute_expand (all[i].data, GTK_ORIENTATION_HORIZONTAL);
    }
  rest = gtk_distribute_natural_allocation (MAX (0, rest), sizes->len, all);
  for (guint i = 0; i < sizes->len && expanding > 0; i++)
    if (gtk_widget_compute_expand (all[i].data, GTK_ORIENTATION_HORIZONTAL))
      {
        all[i].minimum_size += rest / expanding;
        rest -= rest / expanding;
        expanding--;
      }
}

static void
measure_height (ShardwiseLineLayout *self, GArray *sizes, int width, int *minimum, int *natural)
{
  GtkRequestedSize last;
  gboolean below = take_last (self, sizes, width, &last);

  if (width >= 0)
    share (self, sizes, width);
  for (guint i = 0; i < sizes->len; i++)
    {
      const GtkRequestedSize *size = &g_array_index (sizes, GtkRequestedSize, i);
      int least, wanted;

      gtk_widget_measure (size->data, GTK_ORIENTATION_VERTICAL,
                          width >= 0 ? size->minimum_size : -1, &least, &wanted, NULL, NULL);
      *minimum = MAX (*minimum, least);
      *natural = MAX (*natural, wanted);
    }
  if (below)
    {
      int height = height_of (last.data, MIN (last.natural_size, width)) + self->spacing;

      *minimum += height;
      *natural += height;
    }
}

static void
shardwise_line_layout_measure (GtkLayoutManager *manager, GtkWidget *widget,
                               GtkOrientation orientation, int for_size, int *minimum, int *natural,
                               int *minimum_baseline, int *natural_baseline)
{
  ShardwiseLineLayout *self = SHARDWISE_LINE_LAYOUT (manager);
  g_autoptr (GArray) sizes = collect (widget);

  *minimum = *natural = 0;
  if (sizes->len == 0)
    return;
  if (orientation == GTK_ORIENTATION_VERTICAL)
    {
      measure_height (self, sizes, for_size, minimum, natural);
      return;
    }
  *minimum = *natural = (int) (sizes->len - 1) * self->spacing;
  for (guint i = 0; i < sizes->len; i++)
    {
      *minimum += g_array_index (sizes, GtkRequestedSize, i).minimum_size;
      *natural += g_array_index (sizes, GtkRequestedSize, i).natural_size;
    }
}

/* Below the texts, which have a margin there, and as wide as it likes.
 *
 * Returns: the height that is left for the line */
static int
place_below (ShardwiseLineLayout *self, GArray *sizes, const GtkRequestedSize *last,
             const GtkAllocation *whole, gboolean mirrored)
{
  int x = 0, width, height;

  for (guint i = 0; i < sizes->len; i++)
    {
      const GtkRequestedSize *size = &g_array_index (sizes, GtkRequestedSize, i);

      if (gtk_widget_compute_expand (size->data, GTK_ORIENTATION_HORIZONTAL))
        break;
      x += size->natural_size + self->spacing;
    }
  width = MIN (last->natural_size, whole->width - x);
  height = height_of (last->data, width) + self->spacing;
  gtk_widget_size_allocate (last->data,
                            &(GtkAllocation){ mirrored ? whole->width - x - width : x,
                                              whole->height - height, width,
                                              height - self->spacing },
                            -1);
  return whole->height - height;
}

static void
shardwise_line_layout_allocate (GtkLayoutManager *manager, GtkWidget *widget, int width, int height,
                                int baseline)
{
  ShardwiseLineLayout *self = SHARDWISE_LINE_LAYOUT (manager);
  gboolean mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  g_autoptr (GArray) sizes = collect (widget);
  GtkRequestedSize last;
  int x = 0;

  if (sizes->len == 0)
    return;
  if (take_last (self, sizes, width, &last))
    height = place_below (self, sizes, &last, &(GtkAllocation){ 0, 0, width, height }, mirrored);
  share (self, sizes, width);
  for (guint i = 0; i < sizes->len; i++)
    {
      const GtkRequestedSize *size = &g_array_index (sizes, GtkRequestedSize, i);
      int own = size->minimum_size;

      const GtkAllocation *place = &(GtkAllocation){ mirrored ? width - x - own : x, 0, own,
                                                     height };
      GtkAllocation inner = *place;

      if (self->centered
          && gtk_widget_get_request_mode (size->data) == GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH)
        {
          inner.height = MIN (height_of (size->data, place->width), place->height);
          inner.y = (place->height - inner.height) / 2;
        }
      gtk_widget_size_allocate (size->data, &inner, -1);
      x += own + self->spacing;
    }
}

static GtkSizeRequestMode
shardwise_line_layout_get_request_mode (GtkLayoutManager *manager, GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
shardwise_line_layout_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  ShardwiseLineLayout *self = SHARDWISE_LINE_LAYOUT (object);

  if (id == PROP_SPACING)
    g_value_set_int (value, self->spacing);
  else
    g_value_set_boolean (value, id == PROP_STACKS ? self->stacks : self->centered);
}

static void
shardwise_line_layout_set_property (GObject *object, guint id, const GValue *value,
                                    GParamSpec *pspec)
{
  ShardwiseLineLayout *self = SHARDWISE_LINE_LAYOUT (object);

  if (id == PROP_SPACING)
    self->spacing = g_value_get_int (value);
  else if (id == PROP_STACKS)
    self->stacks = g_value_get_boolean (value);
  else
    self->centered = g_value_get_boolean (value);
  gtk_layout_manager_layout_changed (GTK_LAYOUT_MANAGER (object));
}

static void
shardwise_line_layout_class_init (ShardwiseLineLayoutClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkLayoutManagerClass *layout_class = GTK_LAYOUT_MANAGER_CLASS (klass);
  GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  object_class->get_property = shardwise_line_layout_get_property;
  object_class->set_property = shardwise_line_layout_set_property;
  layout_class->measure = shardwise_line_layout_measure;
  layout_class->allocate = shardwise_line_layout_allocate;
  layout_class->get_request_mode = shardwise_line_layout_get_request_mode;
  properties[PROP_SPACING] = g_param_spec_int ("spacing", NULL, NULL, 0, G_MAXINT, 0, flags);
  properties[PROP_CENTERED] = g_param_spec_boolean ("centered", NULL, NULL, FALSE, flags);
  properties[PROP_STACKS] = g_param_spec_boolean ("stacks", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
shardwise_line_layout_init (ShardwiseLineLayout *self)
{}

/**
 * shardwise_line_layout_new:
 * @spacing: pixels between the children
 * @centered: whether texts are vertically centered in the line
 *
 * Returns: (transfer full): a layout manager
 */
GtkLayoutManager *
shardwise_line_layout_new (int spacing, gboolean centered)
{
  return g_object_new (SHARDWISE_TYPE_LINE_LAYOUT, "spacing", spacing, "centered", centered, NULL);
}

static void
lay_out_header (GtkListBoxRow *row)
{
  GtkWidget *header = gtk_list_box_row_get_child (row);

  if (header == NULL || SHARDWISE_IS_LINE_LAYOUT (gtk_widget_get_layout_manager (header)))
    return;
  for (GtkWidget *child = gtk_widget_get_first_child (header); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_get_valign (child) == GTK_ALIGN_CENTER && !GTK_IS_IMAGE (child))
      gtk_widget_set_valign (child, GTK_ALIGN_FILL); /* the layout centers it */
  gtk_widget_set_layout_manager (header, shardwise_line_layout_new (ROW_SPACING, TRUE));
}

/* GtkRevealer measures what it hides too. */
static void
show_rows_cb (AdwExpanderRow *row, GParamSpec *pspec, GtkWidget *list)
{
  if (adw_expander_row_get_expanded (row))
    gtk_widget_set_visible (list, TRUE);
}

static void
hide_folded_rows (AdwExpanderRow *row)
{
  GtkWidget *box = gtk_list_box_row_get_child (GTK_LIST_BOX_ROW (row));
  GtkWidget *revealer = box != NULL ? gtk_widget_get_last_child (box) : NULL;
  GtkWidget *list = GTK_IS_REVEALER (revealer) ? gtk_revealer_get_child (GTK_REVEALER (revealer))
                                               : NULL;

  if (list == NULL || adw_expander_row_get_expanded (row) || !gtk_widget_get_visible (list))
    return;
  gtk_widget_set_visible (list, FALSE);
  g_signal_connect_object (row, "notify::expanded", G_CALLBACK (show_rows_cb), list, 0);
}

/**
 * shardwise_line_layout_rows:
 * @root: a row of libadwaita, or a widget with such rows in it
 *
 * Lays the rows out as lines, and leaves those folded away in expander rows out of the layout until
 * they are unfolded for the first time. It looks the same and takes a fraction of the time.
 */
void
shardwise_line_layout_rows (GtkWidget *root)
{
  g_return_if_fail (GTK_IS_WIDGET (root));

  if (ADW_IS_ACTION_ROW (root))
    {
      lay_out_header (GTK_LIST_BOX_ROW (root));
      return;
    }
  if (ADW_IS_EXPANDER_ROW (root))
    hide_folded_rows (ADW_EXPANDER_ROW (root));
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    shardwise_line_layout_rows (child);
}

/**
 * shardwise_line_layout_stack_suffixes:
 * @row: a row of libadwaita with suffixes
 *
 * Lays it out as a line, with the suffixes below the texts if these would be too narrow.
 */
void
shardwise_line_layout_stack_suffixes (GtkListBoxRow *row)
{
  g_return_if_fail (GTK_IS_LIST_BOX_ROW (row));

  lay_out_header (row);
  g_object_set (gtk_widget_get_layout_manager (gtk_list_box_row_get_child (row)), "stacks", TRUE,
                NULL);
}
