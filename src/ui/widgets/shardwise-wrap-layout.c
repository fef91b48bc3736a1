/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-wrap-layout.h"

struct _ShardwiseWrapLayout {
  GtkLayoutManager parent_instance;
  int spacing, line_spacing, item_width, max_columns;
};

G_DEFINE_FINAL_TYPE (ShardwiseWrapLayout, shardwise_wrap_layout, GTK_TYPE_LAYOUT_MANAGER)

enum { PROP_0, PROP_SPACING, PROP_LINE_SPACING, PROP_ITEM_WIDTH, PROP_MAX_COLUMNS, N_PROPS };
static GParamSpec *properties[N_PROPS];

/* One line: children first .. first + count - 1 of the array. */
typedef struct {
  guint first, count;
  int width, height, expanding;
} Line;
typedef struct {
  GtkWidget *widget;
  int minimum, natural, width;
} Item;

static void
collect (GtkWidget *widget, GArray *items)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child;
       child = gtk_widget_get_next_sibling (child))
    {
      Item item = { .widget = child };

      if (!gtk_widget_should_layout (child))
        continue;
      gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &item.minimum, &item.natural, NULL,
                          NULL);
      g_array_append_val (items, item);
    }
}

/* A last line with gaps looks incomplete, so fewer columns are used, down to half of them, unless
 * there are many full lines. */
static int
even_columns (int columns, int n_items)
{
  if (n_items >= 4 * columns)
    return columns;
  for (int fewer = columns; 2 * fewer >= columns; fewer--)
    if (n_items % fewer == 0)
      return fewer;
  return columns;
}

static int
column_count (ShardwiseWrapLayout *self, int item_width, guint n_items, int width)
{
  int columns = MAX (1, (width + self->spacing) / (item_width + self->spacing));

  if (self->max_columns > 0)
    columns = MIN (columns, self->max_columns);
  return even_columns (MIN (columns, MAX (1, (int) n_items)), n_items);
}

/* A wider child than the column would be truncated, so the widest minimum determines the width. */
static int
effective_item_width (ShardwiseWrapLayout *self, GArray *items)
{
  int width = self->item_width;

  for (guint i = 0; i < items->len; i++)
    width = MAX (width, g_array_index (items, Item, i).minimum);
  return width;
}

static void
break_columns (ShardwiseWrapLayout *self, GArray *items, int width, GArray *lines)
{
  int columns = column_count (self, effective_item_width (self, items), items->len, width);
  int room = MAX (0, width - (columns - 1) * self->spacing);

  for (guint i = 0; i < items->len; i++)
    {
      if (i % columns == 0)
        g_array_append_vals (lines, &(Line){ .first = i }, 1);
      /* The remaining pixels go to the first columns, so that rows with other numbers of columns
       * end at the same place. */
      g_array_index (items, Item, i).width = room / columns
                                             + ((int) (i % columns) < room % columns ? 1 : 0);
      g_array_index (lines, Line, lines->len - 1).count++;
    }
}

static void
break_natural (ShardwiseWrapLayout *self, GArray *items, int width, GArray *lines)
{
  for (guint i = 0; i < items->len; i++)
    {
      Item *item = &g_array_index (items, Item, i);
      Line *line = lines->len ? &g_array_index (lines, Line, lines->len - 1) : NULL;

      item->width = MIN (item->natural, MAX (width, item->minimum));
      if (!line || line->width + self->spacing + item->width > width)
        {
          g_array_append_vals (lines, &(Line){ .first = i, .width = -self->spacing }, 1);
          line = &g_array_index (lines, Line, lines->len - 1);
        }
      line->count++;
      line->width += self->spacing + item->width;
      line->expanding += gtk_widget_compute_expand (item->widget, GTK_ORIENTATION_HORIZONTAL);
    }
}

/* Breaks into lines and allocates the height of each line. Returns the total height. */
static int
break_lines (ShardwiseWrapLayout *self, GArray *items, int width, GArray *lines)
{
  int total = 0;

  if (self->item_width > 0)
    break_columns (self, items, width, lines);
  else
    break_natural (self, items, width, lines);
  for (guint l = 0; l < lines->len; l++)
    {
      Line *line = &g_array_index (lines, Line, l);

      if (self->item_width == 0)
        {
          int rest = MAX (0, width - line->width), left = line->expanding;

          for (guint i = line->first; i < line->first + line->count && left > 0; i++)
            {
              Item *item = &g_array_index (items, Item, i);

              if (!gtk_widget_compute_expand (item->widget, GTK_ORIENTATION_HORIZONTAL))
                continue;
              item->width += rest / left;
              rest -= rest / left;
              left--;
            }
        }
      for (guint i = line->first; i < line->first + line->count; i++)
        {
          const Item *item = &g_array_index (items, Item, i);
          int natural;

          gtk_widget_measure (item->widget, GTK_ORIENTATION_VERTICAL, item->width, NULL, &natural,
                              NULL, NULL);
          line->height = MAX (line->height, natural);
        }
      total += line->height + (l > 0 ? self->line_spacing : 0);
    }
  return total;
}

static void
measure_width (ShardwiseWrapLayout *self, GArray *items, int *minimum, int *natural)
{
  int widest = 0, sum = 0, each = effective_item_width (self, items), columns;

  for (guint i = 0; i < items->len; i++)
    {
      const Item *item = &g_array_index (items, Item, i);

      widest = MAX (widest, item->minimum);
      sum += item->natural + (i > 0 ? self->spacing : 0);
    }
  *minimum = widest;
  *natural = MAX (widest, sum);
  if (self->item_width > 0)
    {
      columns = self->max_columns > 0 ? MIN (self->max_columns, (int) items->len)
                                      : (int) items->len;
      *natural = MAX (widest, columns * (each + self->spacing) - self->spacing);
    }
}

static void
shardwise_wrap_layout_measure (GtkLayoutManager *manager, GtkWidget *widget,
                               GtkOrientation orientation, int for_size, int *minimum, int *natural,
                               int *minimum_baseline, int *natural_baseline)
{
  ShardwiseWrapLayout *self = SHARDWISE_WRAP_LAYOUT (manager);
  g_autoptr (GArray) items = g_array_new (FALSE, TRUE, sizeof (Item));
  g_autoptr (GArray) lines = g_array_new (FALSE, TRUE, sizeof (Line));
  int least, wanted;

  collect (widget, items);
  *minimum = *natural = 0;
  if (items->len == 0)
    return;
  measure_width (self, items, &least, &wanted);
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = least;
      *natural = wanted;
      return;
    }
  *minimum = *natural = break_lines (self, items, for_size < 0 ? wanted : MAX (for_size, least),
                                     lines);
}

/* Start of a line: in a centered container, lines are centered too. */
static int
line_start (ShardwiseWrapLayout *self, GtkWidget *widget, GArray *items, const Line *line,
            int width)
{
  int used = self->spacing * ((int) line->count - 1);

  if (gtk_widget_get_halign (widget) != GTK_ALIGN_CENTER)
    return 0;
  for (guint i = line->first; i < line->first + line->count; i++)
    used += g_array_index (items, Item, i).width;
  return MAX (0, (width - used) / 2);
}

static void
shardwise_wrap_layout_allocate (GtkLayoutManager *manager, GtkWidget *widget, int width, int height,
                                int baseline)
{
  ShardwiseWrapLayout *self = SHARDWISE_WRAP_LAYOUT (manager);
  gboolean mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  g_autoptr (GArray) items = g_array_new (FALSE, TRUE, sizeof (Item));
  g_autoptr (GArray) lines = g_array_new (FALSE, TRUE, sizeof (Line));
  int y = 0;

  collect (widget, items);
  break_lines (self, items, width, lines);
  for (guint l = 0; l < lines->len; l++)
    {
      const Line *line = &g_array_index (lines, Line, l);
      int x = line_start (self, widget, items, line, width);

      for (guint i = line->first; i < line->first + line->count; i++)
        {
          const Item *item = &g_array_index (items, Item, i);
          GtkAllocation place = { mirrored ? width - x - item->width : x, y, item->width,
                                  line->height };

          gtk_widget_size_allocate (item->widget, &place, -1);
          x += item->width + self->spacing;
        }
      y += line->height + self->line_spacing;
    }
}

static GtkSizeRequestMode
shardwise_wrap_layout_get_request_mode (GtkLayoutManager *manager, GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static int *
field (ShardwiseWrapLayout *self, guint id)
{
  int *fields[] = { NULL, &self->spacing, &self->line_spacing, &self->item_width,
                    &self->max_columns };

  g_assert (id > 0 && id < G_N_ELEMENTS (fields));
  return fields[id];
}

static void
shardwise_wrap_layout_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_int (value, *field (SHARDWISE_WRAP_LAYOUT (object), id));
}

static void
shardwise_wrap_layout_set_property (GObject *object, guint id, const GValue *value,
                                    GParamSpec *pspec)
{
  int *target = field (SHARDWISE_WRAP_LAYOUT (object), id);

  if (*target == g_value_get_int (value))
    return;
  *target = g_value_get_int (value);
  gtk_layout_manager_layout_changed (GTK_LAYOUT_MANAGER (object));
  g_object_notify_by_pspec (object, pspec);
}

static void
shardwise_wrap_layout_class_init (ShardwiseWrapLayoutClass *klass)
{
  static const char *const names[] = { NULL, "spacing", "line-spacing", "item-width",
                                       "max-columns" };
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkLayoutManagerClass *layout_class = GTK_LAYOUT_MANAGER_CLASS (klass);

  object_class->get_property = shardwise_wrap_layout_get_property;
  object_class->set_property = shardwise_wrap_layout_set_property;
  layout_class->measure = shardwise_wrap_layout_measure;
  layout_class->allocate = shardwise_wrap_layout_allocate;
  layout_class->get_request_mode = shardwise_wrap_layout_get_request_mode;
  for (guint i = 1; i < N_PROPS; i++)
    properties[i] = g_param_spec_int (names[i], NULL, NULL, 0, G_MAXINT, 0,
                                      G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY
                                          | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
shardwise_wrap_layout_init (ShardwiseWrapLayout *self)
{}

/**
 * shardwise_wrap_layout_new:
 * @spacing: pixels between the children of a line
 * @line_spacing: pixels between lines
 * @item_width: minimum width of equal columns, in pixels; 0: natural widths
 * @max_columns: maximum number of equal columns; 0: no limit
 *
 * Returns: (transfer full): a layout manager
 */
GtkLayoutManager *
shardwise_wrap_layout_new (int spacing, int line_spacing, int item_width, int max_columns)
{
  return g_object_new (SHARDWISE_TYPE_WRAP_LAYOUT, "spacing", spacing, "line-spacing", line_spacing,
                       "item-width", item_width, "max-columns", max_columns, NULL);
}
