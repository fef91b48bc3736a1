/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-column.h"

#include "shardwise-container.h"

#define GUESS 160 /* assumed pixels of a section that was never visible */
#define REST_MS 150
#define MARGIN 24 /* pixels around a section for its shadow and focus ring */

struct _ShardwiseColumn {
  ShardwiseContainer parent_instance;
  int spacing;
  int least;       /* the width of the last request */
  int width;       /* the last allocated width */
  int asleep_from; /* pixels from the top; G_MAXINT: every section is awake */
  gboolean all;    /* every section is awake */
  int pages;       /* sections within so many pages below the visible part are awake */
  guint resize_id, wake_id;
  GSignalGroup *scrolling; /* of the vertical adjustment */
};

G_DEFINE_FINAL_TYPE (ShardwiseColumn, shardwise_column, SHARDWISE_TYPE_CONTAINER)

enum { PROP_0, PROP_SPACING, N_PROPS };
static GParamSpec *properties[N_PROPS];

/* A section, as wide as the column. */
typedef struct {
  GtkWidget *widget;
  gboolean asleep;
  int least;             /* its minimum width */
  GtkRequestedSize size; /* its height */
} Section;

/* The size of a section when it was last measured. */
typedef struct {
  GtkRequestedSize width, height;
} Request;

/* NULL: never. */
static GQuark
request_quark (void)
{
  return g_quark_from_static_string ("shardwise-column-request");
}

static const Request *
recall (GtkWidget *child)
{
  static const Request guess = { .height = { .minimum_size = GUESS, .natural_size = GUESS } };
  const Request *request = g_object_get_qdata (G_OBJECT (child), request_quark ());

  return request != NULL ? request : &guess;
}

static gboolean
resize_cb (gpointer data)
{
  ShardwiseColumn *self = data;

  self->resize_id = 0;
  gtk_widget_queue_resize (GTK_WIDGET (self));
  return G_SOURCE_REMOVE;
}

/* Before the next frame, but not during a layout. */
static void
resize_soon (ShardwiseColumn *self)
{
  if (self->resize_id == 0)
    self->resize_id = g_idle_add_full (GDK_PRIORITY_REDRAW - 5, resize_cb, self, NULL);
}

/* Wakes one page further down at a time, to the end: a screen reader visits sections without
 * scrolling, and only those that are awake exist for it. */
static gboolean
wake_cb (gpointer data)
{
  ShardwiseColumn *self = data;

  self->wake_id = 0;
  self->pages++;
  gtk_widget_queue_resize (GTK_WIDGET (self));
  return G_SOURCE_REMOVE;
}

/* Sections out of sight sleep until nothing has happened for a while. */
static void
rest (ShardwiseColumn *self)
{
  self->pages = 1;
  g_clear_handle_id (&self->wake_id, g_source_remove);
}

/* (nullable): the scrolled window around the column. */
static GtkAdjustment *
find_adjustment (ShardwiseColumn *self)
{
  GtkWidget *window = gtk_widget_get_ancestor (GTK_WIDGET (self), GTK_TYPE_SCROLLED_WINDOW);
  GtkAdjustment *adjustment =
      window != NULL ? gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (window)) : NULL;

  g_signal_group_set_target (self->scrolling, adjustment);
  return adjustment;
}

/* The first layout comes before the scrolled window has a height, which is at most that of the
 * window. */
static double
page_height (ShardwiseColumn *self, GtkAdjustment *adjustment)
{
  double page = gtk_adjustment_get_page_size (adjustment);
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  int width, height = 0;

  if (page > 1 || root == NULL)
    return page;
  if (GTK_IS_WINDOW (root))
    gtk_window_get_default_size (GTK_WINDOW (root), &width, &height);
  return MAX (height, gtk_widget_get_height (GTK_WIDGET (root)));
}

/* Sections that begin further down may sleep. After a first scroll there will be others. `pages`:
 * as in the column. */
static int
sleeping_limit (ShardwiseColumn *self, int pages)
{
  GtkAdjustment *adjustment = find_adjustment (self);
  double page, value;

  if (adjustment == NULL || self->all)
    return G_MAXINT;
  page = page_height (self, adjustment);
  value = gtk_adjustment_get_value (adjustment);
  return (int) (value + (pages + (value > 0)) * page);
}

static gboolean
has_focus (GtkWidget *widget)
{
  return gtk_widget_get_state_flags (widget) & GTK_STATE_FLAG_FOCUS_WITHIN;
}

static void
measure_section (ShardwiseColumn *self, Section *section, int width)
{
  int before = recall (section->widget)->width.minimum_size;
  Request now = { 0 };

  gtk_widget_measure (section->widget, GTK_ORIENTATION_HORIZONTAL, -1, &now.width.minimum_size,
                      &now.width.natural_size, NULL, NULL);
  section->least = now.width.minimum_size;
  if (section->least > self->least || (section->least < before && before == self->least))
    resize_soon (self); /* it slept when the width was requested */
  gtk_widget_measure (section->widget, GTK_ORIENTATION_VERTICAL,
                      width < 0 ? -1 : MAX (width, section->least), &now.height.minimum_size,
                      &now.height.natural_size, NULL, NULL);
  section->size = now.height;
  g_object_set_qdata_full (G_OBJECT (section->widget), request_quark (),
                           g_memdup2 (&now, sizeof now), g_free);
}

/* The visible sections from the top, a GArray of Section. wakes: those that came near are awake
 * from now on. For a new width only visible sections are measured, because each width of a resize
 * is visible for one frame. */
static GArray *
collect (ShardwiseColumn *self, int width, gboolean wakes)
{
  GArray *sections = g_array_new (FALSE, TRUE, sizeof (Section));
  int limit = sleeping_limit (self, width == self->width ? self->pages : 1), y = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      Section section = { .widget = child, .size = recall (child)->height };
      gboolean awake = y < limit || has_focus (child);

      if (!gtk_widget_get_visible (child))
        continue;
      if (awake && wakes)
        gtk_widget_set_child_visible (child, TRUE);
      section.asleep = !awake || !gtk_widget_get_child_visible (child);
      if (!section.asleep)
        measure_section (self, &section, width);
      g_array_append_val (sections, section);
      y += section.size.natural_size + self->spacing;
    }
  return sections;
}

/* Only visible sections, or the presumably visible ones at first, are measured. The others keep
 * their last width, or none, until they wake. */
static void
measure_width (ShardwiseColumn *self, int *minimum, int *natural)
{
  int limit = sleeping_limit (self, 1), y = 0;

  *minimum = *natural = 0;
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkRequestedSize width = recall (child)->width;
      gboolean near = y < limit;

      if (!gtk_widget_should_layout (child))
        continue;
      y += recall (child)->height.natural_size + self->spacing;
      if (near)
        gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &width.minimum_size,
                            &width.natural_size, NULL, NULL);
      *minimum = MAX (*minimum, width.minimum_size);
      *natural = MAX (*natural, width.natural_size);
    }
  self->least = *minimum;
}

static void
measure_height (ShardwiseColumn *self, int width, int *minimum, int *natural)
{
  g_autoptr (GArray) sections = collect (self, width, TRUE);

  *minimum = *natural = sections->len > 0 ? (int) (sections->len - 1) * self->spacing : 0;
  for (guint i = 0; i < sections->len; i++)
    {
      *minimum += g_array_index (sections, Section, i).size.minimum_size;
      *natural += g_array_index (sections, Section, i).size.natural_size;
    }
}

static void
shardwise_column_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                          int *natural, int *minimum_baseline, int *natural_baseline)
{
  ShardwiseColumn *self = SHARDWISE_COLUMN (widget);

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    measure_width (self, minimum, natural);
  else
    measure_height (self, for_size, minimum, natural);
}

static void
shardwise_column_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  ShardwiseColumn *self = SHARDWISE_COLUMN (widget);
  g_autoptr (GArray) sections = NULL;
  int y = 0;

  if (width != self->width)
    rest (self);
  self->width = width;
  sections = collect (self, width, FALSE);

  /* Allocates the heights of the sections: the minimum, and additional space up to the natural
   * height. */
  g_autofree GtkRequestedSize *sizes = g_new (GtkRequestedSize, sections->len);
  int rest = height - MAX (0, (int) sections->len - 1) * self->spacing;

  for (guint i = 0; i < sections->len; i++)
    {
      sizes[i] = g_array_index (sections, Section, i).size;
      rest -= sizes[i].minimum_size;
    }
  gtk_distribute_natural_allocation (MAX (0, rest), sections->len, sizes);
  for (guint i = 0; i < sections->len; i++)
    g_array_index (sections, Section, i).size = sizes[i];
  self->asleep_from = G_MAXINT;
  for (guint i = 0; i < sections->len; i++)
    {
      const Section *section = &g_array_index (sections, Section, i);
      int own = section->size.minimum_size;

      if (section->asleep)
        {
          gtk_widget_set_child_visible (section->widget, FALSE);
          self->asleep_from = MIN (self->asleep_from, y);
        }
      else
        {
          gtk_widget_size_allocate (section->widget,
                                    &(GtkAllocation){ 0, y, MAX (width, section->least), own }, -1);
        }
      y += own + self->spacing;
    }
  if (self->asleep_from < G_MAXINT && self->wake_id == 0)
    self->wake_id = g_timeout_add_full (G_PRIORITY_LOW, REST_MS, wake_cb, self, NULL);
}

/* Sections out of sight are not drawn, whereas a viewport draws all of its child. */
static void
shardwise_column_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  GtkWidget *window = gtk_widget_get_ancestor (widget, GTK_TYPE_SCROLLED_WINDOW);

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      graphene_rect_t bounds, sight;

      if (window != NULL && gtk_widget_compute_bounds (child, window, &bounds))
        {
          graphene_rect_inset (&bounds, -MARGIN, -MARGIN);
          graphene_rect_init (&sight, 0, 0, (float) gtk_widget_get_width (window),
                              (float) gtk_widget_get_height (window));
          if (!graphene_rect_intersection (&bounds, &sight, NULL))
            continue;
        }
      gtk_widget_snapshot_child (widget, child, snapshot);
    }
}

static void
scrolled_cb (ShardwiseColumn *self)
{
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (self->asleep_from < sleeping_limit (self, self->pages))
    resize_soon (self);
}

/* Everything sleeps until it is measured. */
static void
shardwise_column_map (GtkWidget *widget)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (!(g_object_get_qdata (G_OBJECT (child), request_quark ()) != NULL))
      gtk_widget_set_child_visible (child, FALSE);
  GTK_WIDGET_CLASS (shardwise_column_parent_class)->map (widget);
}

/* The keyboard reaches sleeping sections like all others. */
static gboolean
shardwise_column_focus (GtkWidget *widget, GtkDirectionType direction)
{
  ShardwiseColumn *self = SHARDWISE_COLUMN (widget);
  GtkWidgetClass *parent = GTK_WIDGET_CLASS (shardwise_column_parent_class);
  gboolean sleeps = self->asleep_from < G_MAXINT;

  if (sleeps && !has_focus (widget)
      && (direction == GTK_DIR_TAB_BACKWARD || direction == GTK_DIR_UP))
    shardwise_column_wake (self); /* from below: the last one comes first */
  if (parent->focus (widget, direction))
    return TRUE;
  if (!sleeps || self->all)
    return FALSE;
  shardwise_column_wake (self);
  return parent->focus (widget, direction);
}

static GtkSizeRequestMode
shardwise_column_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
shardwise_column_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_SPACING)
    g_value_set_int (value, SHARDWISE_COLUMN (object)->spacing);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
shardwise_column_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_SPACING)
    SHARDWISE_COLUMN (object)->spacing = g_value_get_int (value);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
shardwise_column_dispose (GObject *object)
{
  ShardwiseColumn *self = SHARDWISE_COLUMN (object);

  g_clear_handle_id (&self->resize_id, g_source_remove);
  g_clear_handle_id (&self->wake_id, g_source_remove);
  g_clear_object (&self->scrolling);
  G_OBJECT_CLASS (shardwise_column_parent_class)->dispose (object);
}

static void
shardwise_column_class_init (ShardwiseColumnClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->get_property = shardwise_column_get_property;
  object_class->set_property = shardwise_column_set_property;
  object_class->dispose = shardwise_column_dispose;
  widget_class->measure = shardwise_column_measure;
  widget_class->size_allocate = shardwise_column_size_allocate;
  widget_class->get_request_mode = shardwise_column_get_request_mode;
  widget_class->map = shardwise_column_map;
  widget_class->snapshot = shardwise_column_snapshot;
  widget_class->focus = shardwise_column_focus;
  properties[PROP_SPACING] = g_param_spec_int ("spacing", NULL, NULL, 0, G_MAXINT, 0,
                                               G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  gtk_widget_class_set_css_name (widget_class, "column");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
shardwise_column_init (ShardwiseColumn *self)
{
  self->asleep_from = G_MAXINT;
  self->pages = 1;
  self->scrolling = g_signal_group_new (GTK_TYPE_ADJUSTMENT);
  g_signal_group_connect_swapped (self->scrolling, "value-changed", G_CALLBACK (scrolled_cb), self);
  g_signal_group_connect_swapped (self->scrolling, "changed", G_CALLBACK (scrolled_cb), self);
}

/**
 * shardwise_column_rest:
 *
 * Lets sections out of sight sleep until nothing has happened for a while. For callers about to
 * change the content of all of them while the user waits.
 */
void
shardwise_column_rest (ShardwiseColumn *self)
{
  g_return_if_fail (SHARDWISE_IS_COLUMN (self));

  rest (self);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

/**
 * shardwise_column_wake:
 *
 * Lays out every section at once and from now on. For callers about to move the focus there.
 */
void
shardwise_column_wake (ShardwiseColumn *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkAdjustment *adjustment;
  int before = gtk_widget_get_height (widget), minimum, natural;

  g_return_if_fail (SHARDWISE_IS_COLUMN (self));

  self->all = TRUE;
  if (self->asleep_from == G_MAXINT)
    return;
  measure_height (self, gtk_widget_get_width (widget), &minimum, &natural);
  shardwise_column_size_allocate (widget, gtk_widget_get_width (widget), natural, -1);
  adjustment = find_adjustment (self);
  if (adjustment != NULL) /* so that it scrolls to the focus */
    gtk_adjustment_set_upper (adjustment,
                              gtk_adjustment_get_upper (adjustment) + MAX (0, natural - before));
  gtk_widget_queue_resize (widget);
}
