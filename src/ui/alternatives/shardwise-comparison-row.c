/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-comparison-row.h"

/* From this width on the title stands beside the cells, for four of them; pixels. */
#define BESIDE_WIDTH 640
#define TITLE_SHARE 0.28
#define SPACING 6
/* A cell as narrow as this still has room for a figure and its buttons. */
#define CELL_WIDTH 76

struct _ShardwiseComparisonRow {
  GtkWidget parent_instance;
  GtkWidget *title;
  GPtrArray *cells; /* of GtkWidget */
};

G_DEFINE_FINAL_TYPE (ShardwiseComparisonRow, shardwise_comparison_row, GTK_TYPE_WIDGET)

static gboolean
is_beside (int width)
{
  return width < 0 || width >= BESIDE_WIDTH;
}

static int
least_cell (ShardwiseComparisonRow *self)
{
  int least = CELL_WIDTH, minimum;

  for (guint i = 0; i < self->cells->len; i++)
    {
      gtk_widget_measure (self->cells->pdata[i], GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL,
                          NULL, NULL);
      least = MAX (least, minimum);
    }
  return least;
}

/* Where the cells begin, and how wide each is. */
static int
place_cells (ShardwiseComparisonRow *self, int width, int *each)
{
  int n = MAX ((int) self->cells->len, 1),
      start = is_beside (width) ? (int) (width * TITLE_SHARE) + SPACING : 0;

  *each = MAX ((width - start - (n - 1) * SPACING) / n, 1);
  return start;
}

static int
height_of (GtkWidget *widget, int width)
{
  int minimum = 0;

  if (gtk_widget_get_visible (widget))
    gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, width, &minimum, NULL, NULL, NULL);
  return minimum;
}

static int
cells_height (ShardwiseComparisonRow *self, int each)
{
  int height = 0;

  for (guint i = 0; i < self->cells->len; i++)
    height = MAX (height, height_of (self->cells->pdata[i], each));
  return height;
}

static void
measure_width (ShardwiseComparisonRow *self, int *minimum, int *natural)
{
  int n = MAX ((int) self->cells->len, 1), title;

  gtk_widget_measure (self->title, GTK_ORIENTATION_HORIZONTAL, -1, &title, NULL, NULL, NULL);
  *minimum = MAX (title, n * least_cell (self) + (n - 1) * SPACING);
  *natural = MAX (*minimum, BESIDE_WIDTH);
}

static void
shardwise_comparison_row_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                                  int *minimum, int *natural, int *minimum_baseline,
                                  int *natural_baseline)
{
  ShardwiseComparisonRow *self = SHARDWISE_COMPARISON_ROW (widget);
  int width = for_size < 0 ? BESIDE_WIDTH : for_size, start, each, title;

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      measure_width (self, minimum, natural);
      return;
    }
  start = place_cells (self, width, &each);
  title = height_of (self->title, start > 0 ? start - SPACING : width);
  *minimum = *natural = start > 0 ? MAX (title, cells_height (self, each))
                                  : title + cells_height (self, each);
}

static void
allocate (ShardwiseComparisonRow *self, GtkWidget *child, int x, int y, int width, int height)
{
  if (gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL)
    x = gtk_widget_get_width (GTK_WIDGET (self)) - x - width;
  gtk_widget_size_allocate (child, &(GtkAllocation){ x, y, width, height }, -1);
}

static void
shardwise_comparison_row_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  ShardwiseComparisonRow *self = SHARDWISE_COMPARISON_ROW (widget);
  int each, start = place_cells (self, width, &each),
            title_width = start > 0 ? start - SPACING : width;
  int title = height_of (self->title, title_width), top = start > 0 ? 0 : title;

  if (gtk_widget_get_visible (self->title))
    allocate (self, self->title, 0, 0, title_width, title);
  for (guint i = 0; i < self->cells->len; i++)
    allocate (self, self->cells->pdata[i], start + (int) i * (each + SPACING), top, each,
              height - top);
}

static GtkSizeRequestMode
shardwise_comparison_row_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
shardwise_comparison_row_dispose (GObject *object)
{
  GtkWidget *child;

  g_ptr_array_set_size (SHARDWISE_COMPARISON_ROW (object)->cells, 0);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (shardwise_comparison_row_parent_class)->dispose (object);
}

static void
shardwise_comparison_row_finalize (GObject *object)
{
  g_ptr_array_unref (SHARDWISE_COMPARISON_ROW (object)->cells);
  G_OBJECT_CLASS (shardwise_comparison_row_parent_class)->finalize (object);
}

static void
shardwise_comparison_row_class_init (ShardwiseComparisonRowClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = shardwise_comparison_row_dispose;
  object_class->finalize = shardwise_comparison_row_finalize;
  widget_class->measure = shardwise_comparison_row_measure;
  widget_class->size_allocate = shardwise_comparison_row_size_allocate;
  widget_class->get_request_mode = shardwise_comparison_row_get_request_mode;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
shardwise_comparison_row_init (ShardwiseComparisonRow *self)
{
  self->cells = g_ptr_array_new ();
  self->title = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->title), 0);
  gtk_label_set_wrap (GTK_LABEL (self->title), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (self->title), PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (self->title, "dim-label");
  gtk_widget_set_parent (self->title, GTK_WIDGET (self));
}

/**
 * shardwise_comparison_row_new:
 * @title: (nullable): what the cells say
 *
 * Returns: (transfer floating): a row without cells
 */
GtkWidget *
shardwise_comparison_row_new (const char *title)
{
  ShardwiseComparisonRow *self = g_object_new (SHARDWISE_TYPE_COMPARISON_ROW, NULL);

  gtk_label_set_label (GTK_LABEL (self->title), title != NULL ? title : "");
  gtk_widget_set_visible (self->title, title != NULL);
  return GTK_WIDGET (self);
}

/**
 * shardwise_comparison_row_append:
 * @cell: goes to the end of the row
 */
void
shardwise_comparison_row_append (ShardwiseComparisonRow *self, GtkWidget *cell)
{
  g_return_if_fail (SHARDWISE_IS_COMPARISON_ROW (self) && GTK_IS_WIDGET (cell));

  g_ptr_array_add (self->cells, cell);
  gtk_widget_set_parent (cell, GTK_WIDGET (self));
}
