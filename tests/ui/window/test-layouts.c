/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layouts of a line, a column and a window: where they put children, and what they leave
 * unmeasured. */
#include "shardwise-column.h"
#include "shardwise-line-layout.h"
#include "shardwise-window.h"
#include "ui-fixture.h"

#define LONG "a text of several words that wraps over more than one line where the line is narrow"

static GtkWidget *
text_new (const char *text, gboolean expand)
{
  return g_object_new (GTK_TYPE_LABEL, "label", text, "wrap", TRUE, "xalign", 0.0, "hexpand",
                       expand, NULL);
}

static GtkWidget *
line_new (gboolean centered)
{
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_widget_set_layout_manager (line, shardwise_line_layout_new (10, centered));
  gtk_box_append (GTK_BOX (line), text_new ("first", FALSE));
  gtk_box_append (GTK_BOX (line), text_new (LONG, TRUE));
  gtk_box_append (GTK_BOX (line),
                  g_object_new (GTK_TYPE_PICTURE, "width-request", 40, "height-request", 20, NULL));
  return line;
}

static graphene_rect_t
place_of (GtkWidget *line, guint index)
{
  GtkWidget *child = gtk_widget_get_first_child (line);
  graphene_rect_t place;

  while (index-- > 0)
    child = gtk_widget_get_next_sibling (child);
  g_assert_true (gtk_widget_compute_bounds (child, line, &place));
  return place;
}

static void
test_line (void)
{
  GtkWidget *line = line_new (TRUE), *window = ui_show (line, 300, 200);
  graphene_rect_t first = place_of (line, 0), text = place_of (line, 1), last = place_of (line, 2);

  g_assert_cmpfloat (first.origin.x, ==, 0);
  g_assert_cmpfloat (text.origin.x, ==, first.size.width + 10);
  g_assert_cmpfloat (last.origin.x, ==, 300 - 40);
  g_assert_cmpfloat (text.size.width, ==, 300 - 40 - 20 - first.size.width);
  g_assert_cmpfloat (text.size.height, >, 1.5 * first.size.height); /* it wraps */
  g_assert_cmpfloat (fabs (text.origin.y + text.size.height / 2 - 100), <=, 1);
  g_assert_cmpfloat (fabs (first.origin.y + first.size.height / 2 - 100), <=, 1);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A button that would leave little of a narrow row to its text stands below it. */
static void
test_line_stacked (void)
{
  static const int widths[] = { 260, 600 };

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      GtkWidget *row = adw_action_row_new (), *button = gtk_button_new_with_label ("Apply this"),
                *list = gtk_list_box_new (), *window, *title;
      graphene_rect_t text, place;

      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), LONG);
      gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
      adw_action_row_add_suffix (ADW_ACTION_ROW (row), button);
      shardwise_line_layout_stack_suffixes (GTK_LIST_BOX_ROW (row));
      gtk_list_box_append (GTK_LIST_BOX (list), row);
      gtk_widget_set_valign (list, GTK_ALIGN_START);
      window = ui_show (list, widths[i], 300);
      title = ui_find_match (row, ui_is_label_saying, LONG);
      g_assert_true (gtk_widget_compute_bounds (title, row, &text));
      g_assert_true (gtk_widget_compute_bounds (button, row, &place));
      if (i == 0)
        {
          g_assert_cmpfloat (place.origin.y, >=, text.origin.y + text.size.height);
          g_assert_cmpfloat (place.origin.x, ==, text.origin.x);
          g_assert_cmpfloat (place.origin.y + place.size.height, <=, gtk_widget_get_height (row));
        }
      else
        g_assert_cmpfloat (place.origin.x, >=, text.origin.x + text.size.width);
      gtk_window_destroy (GTK_WINDOW (window));
    }
}

static void
test_line_mirrored (void)
{
  GtkWidget *line = line_new (FALSE), *window;
  graphene_rect_t first, last;

  gtk_widget_set_direction (line, GTK_TEXT_DIR_RTL);
  window = ui_show (line, 300, 200);
  first = place_of (line, 0);
  last = place_of (line, 2);
  g_assert_cmpfloat (first.origin.x + first.size.width, ==, 300);
  g_assert_cmpfloat (last.origin.x, ==, 0);
  g_assert_cmpfloat (first.size.height, ==, 200);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* It asks for as much as a box does. */
static void
test_line_measure (void)
{
  g_autoptr (GtkWidget) line = g_object_ref_sink (line_new (TRUE));
  g_autoptr (GtkWidget) box = g_object_ref_sink (line_new (TRUE));

  gtk_widget_set_layout_manager (box, gtk_box_layout_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_box_layout_set_spacing (GTK_BOX_LAYOUT (gtk_widget_get_layout_manager (box)), 10);
  for (int width = -1; width < 700; width += 233)
    for (GtkOrientation o = GTK_ORIENTATION_HORIZONTAL; o <= GTK_ORIENTATION_VERTICAL; o++)
      {
        int least, wanted, expected_least, expected_wanted;
        int for_size = o == GTK_ORIENTATION_VERTICAL ? width : -1;

        gtk_widget_measure (line, o, for_size, &least, &wanted, NULL, NULL);
        gtk_widget_measure (box, o, for_size, &expected_least, &expected_wanted, NULL, NULL);
        g_assert_cmpint (least, ==, expected_least);
        g_assert_cmpint (wanted, ==, expected_wanted);
      }
}

/* Folded rows cost no layout until they are unfolded, and are there then. */
static void
test_folded_rows (void)
{
  GtkWidget *list = gtk_list_box_new (), *expander = adw_expander_row_new (),
            *row = adw_action_row_new (), *window;

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), LONG);
  adw_expander_row_add_row (ADW_EXPANDER_ROW (expander), row);
  gtk_list_box_append (GTK_LIST_BOX (list), expander);
  shardwise_line_layout_rows (list);
  window = ui_show (list, 400, 300);
  g_assert_false (gtk_widget_is_visible (row));
  g_assert_false (gtk_widget_get_mapped (row));
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (expander), TRUE);
  g_assert_true (gtk_widget_is_visible (row));
  while (gtk_widget_get_height (row) == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_true (gtk_widget_get_mapped (row));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A window asks for its content's width, and for no height that goes with it. */
static void
test_window_layout (void)
{
  GtkWidget *content = adw_bin_new (), *text = text_new (LONG, FALSE), *window;
  int least, expected;

  gtk_widget_set_layout_manager (content, g_object_new (SHARDWISE_TYPE_WINDOW_LAYOUT, NULL));
  adw_bin_set_child (ADW_BIN (content), text);
  window = ui_show (content, 300, 200);
  g_assert_cmpint (gtk_widget_get_request_mode (content), ==, GTK_SIZE_REQUEST_CONSTANT_SIZE);
  g_assert_cmpint (gtk_widget_get_width (text), ==, 300);
  g_assert_cmpint (gtk_widget_get_height (text), ==, 200);
  gtk_widget_measure (content, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  gtk_widget_measure (text, GTK_ORIENTATION_HORIZONTAL, -1, &expected, NULL, NULL, NULL);
  g_assert_cmpint (least, ==, expected);
  gtk_window_destroy (GTK_WINDOW (window));
}

#define N_SECTIONS 10
#define SECTION_HEIGHT 200

/* Ten buttons that fill a section each, in a window that shows two of them. */
static GtkWidget *
column_show (GtkWidget **column)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();

  *column = g_object_new (SHARDWISE_TYPE_COLUMN, "spacing", 10, NULL);
  for (guint i = 0; i < N_SECTIONS; i++)
    gtk_widget_set_parent (g_object_new (GTK_TYPE_BUTTON, "height-request", SECTION_HEIGHT,
                                         "width-request", i == N_SECTIONS - 1 ? 290 : 20, NULL),
                           *column);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), *column);
  return ui_show (scroller, 300, 400);
}

static guint
count_mapped (GtkWidget *column)
{
  guint n = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (column); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += gtk_widget_get_mapped (child);
  return n;
}

static GtkAdjustment *
column_adjustment (GtkWidget *column)
{
  return gtk_scrolled_window_get_vadjustment (
      GTK_SCROLLED_WINDOW (gtk_widget_get_ancestor (column, GTK_TYPE_SCROLLED_WINDOW)));
}

/* What is out of sight sleeps until the person scrolls there, and then has the height it wants. */
static void
test_column_scroll (void)
{
  GtkWidget *column, *window = column_show (&column);
  GtkAdjustment *adjustment = column_adjustment (column);
  graphene_rect_t last;

  g_assert_cmpuint (count_mapped (column), ==, 2);
  g_assert_cmpfloat (place_of (column, 1).origin.y, ==, SECTION_HEIGHT + 10);
  gtk_adjustment_set_value (adjustment, SECTION_HEIGHT);
  while (count_mapped (column) < 5) /* down to a page below what is seen */
    g_main_context_iteration (NULL, TRUE);
  while (count_mapped (column) < N_SECTIONS)
    {
      gtk_adjustment_set_value (adjustment, gtk_adjustment_get_upper (adjustment));
      g_main_context_iteration (NULL, TRUE);
    }
  while (gtk_widget_get_height (column) != N_SECTIONS * (SECTION_HEIGHT + 10) - 10)
    g_main_context_iteration (NULL, TRUE);
  last = place_of (column, N_SECTIONS - 1);
  g_assert_cmpfloat (last.size.height, ==, SECTION_HEIGHT);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
draw_cb (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer drawn)
{
  (*(guint *) drawn)++;
}

/* What is scrolled past is not drawn again before it is scrolled back to. */
static void
test_column_sight (void)
{
  GtkWidget *column, *window = column_show (&column);
  GtkAdjustment *adjustment = column_adjustment (column);
  GtkWidget *first = gtk_drawing_area_new (), *last = gtk_drawing_area_new ();
  guint drawn_first = 0, drawn_last = 0, before;

  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (first), draw_cb, &drawn_first, NULL);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (last), draw_cb, &drawn_last, NULL);
  gtk_button_set_child (GTK_BUTTON (gtk_widget_get_first_child (column)), first);
  gtk_button_set_child (GTK_BUTTON (gtk_widget_get_last_child (column)), last);
  while (count_mapped (column) < N_SECTIONS || drawn_first == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (drawn_last, ==, 0);

  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_upper (adjustment));
  while (drawn_last == 0)
    g_main_context_iteration (NULL, TRUE);
  before = drawn_first;
  gtk_widget_queue_draw (first);
  gtk_widget_queue_draw (last);
  drawn_last = 0;
  while (drawn_last == 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (drawn_first, ==, before);

  gtk_adjustment_set_value (adjustment, 0);
  while (drawn_first == before)
    g_main_context_iteration (NULL, TRUE);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A screen reader finds every section, though nobody scrolls. */
static void
test_column_rest (void)
{
  GtkWidget *column, *window = column_show (&column);

  while (count_mapped (column) < N_SECTIONS)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpfloat (gtk_adjustment_get_value (column_adjustment (column)), ==, 0);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
wait_for_mapped (GtkWidget *column, guint n)
{
  while (count_mapped (column) != n)
    g_main_context_iteration (NULL, TRUE);
}

/* What is out of sight sleeps again while there is something to wait for: new content, and another
 * width. Heights stay as they were meanwhile. */
static void
test_column_again (void)
{
  GtkWidget *column, *window = column_show (&column);
  const int whole = N_SECTIONS * (SECTION_HEIGHT + 10) - 10;

  wait_for_mapped (column, N_SECTIONS);
  shardwise_column_rest (SHARDWISE_COLUMN (column));
  wait_for_mapped (column, 2);
  g_assert_cmpint (gtk_widget_get_height (column), ==, whole);
  wait_for_mapped (column, N_SECTIONS);
  gtk_window_set_default_size (GTK_WINDOW (window), 500, 400);
  wait_for_mapped (column, 2);
  g_assert_cmpint (gtk_widget_get_height (column), ==, whole);
  wait_for_mapped (column, N_SECTIONS);
  g_assert_cmpint (gtk_widget_get_height (column), ==, whole);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The width that is asked for before anything is shown is that of what will be in sight: else the
 * first frame would have to be laid out twice. */
static void
test_column_first_width (void)
{
  GtkWidget *window = gtk_window_new (), *scroller = gtk_scrolled_window_new ();
  GtkWidget *column = g_object_new (SHARDWISE_TYPE_COLUMN, NULL);
  int least, natural;

  for (guint i = 0; i < N_SECTIONS; i++)
    gtk_widget_set_parent (
        g_object_new (GTK_TYPE_BUTTON, "width-request", i == 0 ? 120 : (int) (100 + i * 20), NULL),
        column);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), column);
  gtk_window_set_child (GTK_WINDOW (window), scroller);
  gtk_window_set_default_size (GTK_WINDOW (window), 300, 400);
  gtk_widget_measure (column, GTK_ORIENTATION_HORIZONTAL, -1, &least, &natural, NULL, NULL);
  g_assert_cmpint (least, >=, 120);
  g_assert_cmpint (least, <, 100 + (N_SECTIONS - 1) * 20);
  gtk_window_destroy (GTK_WINDOW (window));
}

static int
least_width (GtkWidget *column)
{
  int least;

  gtk_widget_measure (column, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  return least;
}

/* What sleeps is not measured for its width either: it counts as it was, until it wakes wider or
 * narrower. */
static void
test_column_widths (void)
{
  GtkWidget *column, *window = column_show (&column);
  GtkWidget *last = gtk_widget_get_last_child (column);
  int before = 290;

  wait_for_mapped (column, N_SECTIONS);
  while (least_width (column) != before)
    g_main_context_iteration (NULL, TRUE);
  for (int width = 295; width > 200; before = width, width -= 90)
    {
      shardwise_column_rest (SHARDWISE_COLUMN (column));
      wait_for_mapped (column, 2);
      gtk_widget_set_size_request (last, width, SECTION_HEIGHT);
      g_assert_cmpint (least_width (column), ==, before);
      wait_for_mapped (column, N_SECTIONS);
      while (least_width (column) != width)
        g_main_context_iteration (NULL, TRUE);
    }
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The keyboard comes to every section in turn, in sight, and back from below to the last. */
static void
test_column_focus (void)
{
  GtkWidget *column, *window = column_show (&column);
  GtkAdjustment *adjustment = column_adjustment (column);
  GtkWidget *child = gtk_widget_get_first_child (column);

  for (; child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      graphene_rect_t place;

      if (gtk_window_get_focus (GTK_WINDOW (window)) != child) /* the window takes the first */
        g_assert_true (gtk_widget_child_focus (window, GTK_DIR_TAB_FORWARD));
      g_assert_true (gtk_window_get_focus (GTK_WINDOW (window)) == child);
      g_assert_true (gtk_widget_get_mapped (child));
      g_assert_true (gtk_widget_compute_bounds (child, column, &place));
      g_assert_cmpfloat (place.size.height, ==, SECTION_HEIGHT);
      while (gtk_adjustment_get_value (adjustment) > place.origin.y
             || gtk_adjustment_get_value (adjustment) + 400 < place.origin.y + SECTION_HEIGHT)
        g_main_context_iteration (NULL, TRUE); /* it scrolls there */
    }
  gtk_window_destroy (GTK_WINDOW (window));

  window = column_show (&column);
  gtk_window_set_focus (GTK_WINDOW (window), NULL);
  g_assert_true (gtk_widget_child_focus (column, GTK_DIR_TAB_BACKWARD));
  g_assert_true (gtk_window_get_focus (GTK_WINDOW (window)) == gtk_widget_get_last_child (column));
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;
  g_test_add_func ("/layouts/line", test_line);
  g_test_add_func ("/layouts/line-stacked", test_line_stacked);
  g_test_add_func ("/layouts/line-mirrored", test_line_mirrored);
  g_test_add_func ("/layouts/line-measure", test_line_measure);
  g_test_add_func ("/layouts/folded-rows", test_folded_rows);
  g_test_add_func ("/layouts/window", test_window_layout);
  g_test_add_func ("/layouts/column-scroll", test_column_scroll);
  g_test_add_func ("/layouts/column-sight", test_column_sight);
  g_test_add_func ("/layouts/column-rest", test_column_rest);
  g_test_add_func ("/layouts/column-again", test_column_again);
  g_test_add_func ("/layouts/column-first-width", test_column_first_width);
  g_test_add_func ("/layouts/column-widths", test_column_widths);
  g_test_add_func ("/layouts/column-focus", test_column_focus);
  return g_test_run ();
}
