/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-comparison-view.h"

#include <glib/gi18n.h>
#include <gtk/gtk.h>
#include <math.h>

#include "shardwise-column-buttons.h"
#include "shardwise-comparison-figures.h"
#include "shardwise-comparison-offers.h"
#include "shardwise-format.h"
#include "shardwise-container.h"
#include "shardwise-neighbour-table.h"
#include "shardwise-page.h"
#include "shardwise-scenario-button.h"
#include "shardwise-text-strategy.h"
#include "shardwise-wrap-layout.h"
#include "shardwise-wrapped-label.h"

/* A title with equally wide cells beside it, or above them if the row is narrow. Rows of the same
 * width are aligned without knowing each other. */
#define SHARDWISE_TYPE_COMPARISON_ROW (shardwise_comparison_row_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseComparisonRow, shardwise_comparison_row, SHARDWISE, COMPARISON_ROW,
                      ShardwiseContainer)

/* Minimum width of a title beside cells, and what each of these adds, in pixels. */
enum { BESIDE_TITLE = 240, BESIDE_CELL = 100 };
#define TITLE_SHARE 0.28
#define SINGLE_TITLE_SHARE 0.4 /* of one cell */
#define SPACING 6
/* Days, cost, tokens per second and memory. */
#define FIRST_FIGURES 4
/* A cell as narrow as this still has room for a figure and its buttons. */
#define CELL_WIDTH 76
/* What a comparison takes of the room: of one column, and of several. */
enum { SINGLE_WIDTH = 760, MOST_WIDTH = 4000 };

struct _ShardwiseComparisonRow {
  ShardwiseContainer parent_instance;
  GtkWidget *title;
  GPtrArray *cells; /* of GtkWidget */
};

G_DEFINE_FINAL_TYPE (ShardwiseComparisonRow, shardwise_comparison_row, SHARDWISE_TYPE_CONTAINER)

static int
beside_width (ShardwiseComparisonRow *self)
{
  return BESIDE_TITLE + BESIDE_CELL * MAX ((int) self->cells->len, 1);
}

/* Where the cells begin, and how wide each is. */
static int
place_cells (ShardwiseComparisonRow *self, int width, int *each)
{
  const int n = MAX ((int) self->cells->len, 1);
  const double share = n > 1 ? TITLE_SHARE : SINGLE_TITLE_SHARE;
  const int start = width >= beside_width (self) ? (int) (width * share) + SPACING : 0;

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
shardwise_comparison_row_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                                  int *minimum, int *natural, int *minimum_baseline,
                                  int *natural_baseline)
{
  ShardwiseComparisonRow *self = SHARDWISE_COMPARISON_ROW (widget);
  int width = for_size < 0 ? beside_width (self) : for_size, start, each, title;

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      int least = CELL_WIDTH, n = MAX ((int) self->cells->len, 1);

      for (guint i = 0; i < self->cells->len; i++)
        {
          gtk_widget_measure (self->cells->pdata[i], orientation, -1, &each, NULL, NULL, NULL);
          least = MAX (least, each);
        }
      gtk_widget_measure (self->title, orientation, -1, &title, NULL, NULL, NULL);
      *minimum = MAX (title, n * least + (n - 1) * SPACING);
      *natural = MAX (*minimum, beside_width (self));
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
  g_ptr_array_set_size (SHARDWISE_COMPARISON_ROW (object)->cells, 0);
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

/* @title: (nullable): what the cells say
 *
 * Returns: (transfer floating): a row without cells */
static GtkWidget *
shardwise_comparison_row_new (const char *title)
{
  ShardwiseComparisonRow *self = g_object_new (SHARDWISE_TYPE_COMPARISON_ROW, NULL);

  gtk_label_set_label (GTK_LABEL (self->title), title != NULL ? title : "");
  gtk_widget_set_visible (self->title, title != NULL);
  return GTK_WIDGET (self);
}

/* @cell: goes to the end of the row */
static void
shardwise_comparison_row_append (ShardwiseComparisonRow *self, GtkWidget *cell)
{
  g_return_if_fail (SHARDWISE_IS_COMPARISON_ROW (self) && GTK_IS_WIDGET (cell));

  g_ptr_array_add (self->cells, cell);
  gtk_widget_set_parent (cell, GTK_WIDGET (self));
}

struct _ShardwiseComparisonView {
  ShardwiseContainer parent_instance;
  ShardwiseComparison *comparison;
  GPtrArray *figures; /* of ShardwiseComparisonFigure; the rows of the list */
  SwStrategy recommended, selected;
  gboolean has_marks, pending; /* pending: something changed while it was hidden */

  GtkLabel *summary_label, *obstacle_label;
  GtkToggleButton *differences_chip;
  GtkWidget *clear_button;
  GtkWidget *recommended_button;
  ShardwiseColumnButtons *column_buttons;
  ShardwiseScenarioButton *scenario_button;
  GtkStack *stack;
  GtkScrolledWindow *head_scroller, *scroller;
  AdwClamp *head_clamp;
  GtkListBox *list_box;
  GtkWidget *offers_section, *offers;
};

G_DEFINE_FINAL_TYPE (ShardwiseComparisonView, shardwise_comparison_view, SHARDWISE_TYPE_CONTAINER)

enum { ACTIVATED, N_SIGNALS };
static guint signals[N_SIGNALS];

#define INDEX "shardwise-index"

static GtkWidget *
label_new (const char *text, const char *css_class)
{
  g_autofree char *unbroken = shardwise_format_unbroken (text);
  GtkWidget *label = shardwise_figure_label_new (unbroken);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (label, "numeric");
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  return label;
}

/* How a cell differs from the first one: the sign says it, the color repeats it. NULL: it does
 * not. */
static char *
difference_text (const ShardwiseComparisonFigure *figure, const ShardwiseComparisonCell *cell)
{
  if (!cell->differs)
    return NULL;
  if (isnan (cell->change))
    return g_strdup ("≠ A");
  return figure->is_share ? shardwise_signed_points (cell->change)
                          : shardwise_signed_percent (cell->change);
}

/* The difference stands beside the value, or below it where the column is narrow. */
static GtkWidget *
cell_new (const ShardwiseComparisonFigure *figure, guint index)
{
  const ShardwiseComparisonCell *cell = &figure->cells[index];
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0),
            *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  g_autofree char *difference = difference_text (figure, cell);

  gtk_widget_set_layout_manager (line, shardwise_wrap_layout_new (SPACING, 0, 0, 0));
  gtk_box_append (GTK_BOX (line), label_new (cell->text, difference != NULL ? "chosen" : NULL));
  gtk_box_append (GTK_BOX (box), line);
  if (difference != NULL)
    {
      GtkWidget *label = label_new (difference, "caption");
      const char *css_class = figure->better != 0
                                  ? shardwise_change_class (cell->change, figure->better > 0)
                                  : NULL;

      if (css_class != NULL)
        gtk_widget_add_css_class (label, css_class);
      gtk_box_append (GTK_BOX (line), label);
    }
  if (cell->interval != NULL)
    {
      GtkWidget *interval = label_new (cell->interval, "caption");

      gtk_widget_add_css_class (interval, "dim-label");
      gtk_box_append (GTK_BOX (box), interval);
    }
  return box;
}

static GtkWidget *
row_new (const ShardwiseComparisonFigure *figure)
{
  GtkWidget *row = gtk_list_box_row_new (), *cells = shardwise_comparison_row_new (figure->title);
  /* What a screen reader says of a row. */
  GString *text = g_string_new (figure->title);
  g_autofree char *spoken = NULL;

  for (guint i = 0; i < figure->n; i++)
    {
      g_autofree char *difference = difference_text (figure, &figure->cells[i]);
      const char letter[] = { shardwise_comparison_letter (i), '\0' };

      /* Translators: letter of a strategy, and its figure */
      shardwise_text_list (text, _ ("%s: %s"), letter, figure->cells[i].text);
      if (difference != NULL)
        shardwise_text_items (text, "%s", difference);
    }
  spoken = g_string_free (text, FALSE);
  for (guint i = 0; i < figure->n; i++)
    shardwise_comparison_row_append (SHARDWISE_COMPARISON_ROW (cells), cell_new (figure, i));
  gtk_widget_add_css_class (cells, "comparison-row");
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), cells);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, spoken, -1);
  return row;
}

static const ShardwiseComparisonFigure *
figure_of (ShardwiseComparisonView *self, GtkListBoxRow *row)
{
  guint index = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (row), INDEX));

  return index < self->figures->len ? g_ptr_array_index (self->figures, index) : NULL;
}

static void
header_cb (GtkListBoxRow *row, GtkListBoxRow *before, gpointer data)
{
  const ShardwiseComparisonFigure *figure = figure_of (data, row);
  const ShardwiseComparisonFigure *last = before != NULL ? figure_of (data, before) : NULL;
  GtkWidget *heading;

  if (figure == NULL || (last != NULL && g_str_equal (figure->section, last->section)))
    {
      gtk_list_box_row_set_header (row, NULL);
      return;
    }
  heading = label_new (figure->section, "heading");
  gtk_widget_add_css_class (heading, "comparison-section");
  gtk_list_box_row_set_header (row, heading);
}

/* The first figures, days and cost among them, are what people compare for: they stay. */
static gboolean
filter_cb (GtkListBoxRow *row, gpointer data)
{
  ShardwiseComparisonView *self = data;
  const ShardwiseComparisonFigure *figure = figure_of (self, row);

  return !gtk_toggle_button_get_active (self->differences_chip)
         || !gtk_widget_get_visible (GTK_WIDGET (self->differences_chip)) || figure == NULL
         || gtk_list_box_row_get_index (row) < FIRST_FIGURES
         || shardwise_comparison_figure_differs (figure);
}

/* Heads */

static guint
index_of (GtkWidget *button)
{
  return GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), INDEX));
}

/* A strategy of another scenario cannot be selected in this window: its scenario opens in a window
 * of its own. */
static void
look_cb (ShardwiseComparisonView *self, GtkWidget *button)
{
  guint index = index_of (button);

  if (shardwise_comparison_get_name (self->comparison, index) != NULL)
    {
      g_autofree char *json =
          shardwise_scenario_to_json (shardwise_comparison_get_scenario (self->comparison, index));

      gtk_widget_activate_action (GTK_WIDGET (self), "win.open-scenario", "s", json);
    }
  else
    g_signal_emit (self, signals[ACTIVATED], 0, index);
}

static void
unpin_cb (ShardwiseComparisonView *self, GtkWidget *button)
{
  shardwise_comparison_remove (self->comparison, index_of (button));
}

/* The text below the letter. */
static char *
head_caption (ShardwiseComparisonView *self, guint index)
{
  const SwStrategy *strategy =
      &shardwise_comparison_get_estimate (self->comparison, index)->strategy;
  g_autofree char *obstacle = shardwise_comparison_get_obstacle (self->comparison, index);
  const char *name = shardwise_comparison_get_name (self->comparison, index);

  if (obstacle != NULL)
    /* Translators: the name of a scenario */
    return name != NULL ? g_strdup_printf (_ ("%s, does not fit"), name)
                        : g_strdup (_ ("does not fit"));
  if (name != NULL)
    return g_strdup (name);
  if (self->has_marks && sw_strategy_equal (strategy, &self->recommended))
    return g_strdup (_ ("Recommended"));
  if (self->has_marks && sw_strategy_equal (strategy, &self->selected))
    return g_strdup (_ ("Selected"));
  return NULL;
}

/* What the letter does. */
static char *
look_text (ShardwiseComparisonView *self, guint index)
{
  const char *scenario = shardwise_comparison_get_name (self->comparison, index);
  g_autofree char *strategy = shardwise_text_strategy (
      &shardwise_comparison_get_estimate (self->comparison, index)->strategy);

  if (scenario != NULL)
    /* Translators: a strategy ("TP 8 · PP 4 …"), and the name of a scenario */
    return g_strdup_printf (_ ("%s; open “%s” in a window"), strategy, scenario);
  /* Translators: a strategy ("TP 8 · PP 4 …") */
  return g_strdup_printf (_ ("Show %s on every page"), strategy);
}

static GtkWidget *
look_button_new (ShardwiseComparisonView *self, guint index)
{
  GtkWidget *button = gtk_button_new ();
  char letter[] = { shardwise_comparison_letter (index), '\0' };
  g_autofree char *tooltip = look_text (self, index);

  gtk_button_set_child (GTK_BUTTON (button), label_new (letter, "title-3"));
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "comparison-head");
  gtk_widget_set_hexpand (button, TRUE);
  gtk_widget_set_sensitive (button,
                            shardwise_comparison_has_figures (self->comparison, index)
                                || shardwise_comparison_get_name (self->comparison, index) != NULL);
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, tooltip,
                                  -1);
  g_object_set_data (G_OBJECT (button), INDEX, GUINT_TO_POINTER (index));
  g_signal_connect_object (button, "clicked", G_CALLBACK (look_cb), self, G_CONNECT_SWAPPED);
  return button;
}

static GtkWidget *
unpin_button_new (ShardwiseComparisonView *self, guint index)
{
  GtkWidget *button = gtk_button_new_from_icon_name ("window-close-symbolic");
  /* Translators: the letter of a strategy that is compared */
  g_autofree char *label = g_strdup_printf (_ ("Unpin %c"), shardwise_comparison_letter (index));

  gtk_widget_set_valign (button, GTK_ALIGN_START);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "pin");
  gtk_widget_set_tooltip_text (button, label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
  g_object_set_data (G_OBJECT (button), INDEX, GUINT_TO_POINTER (index));
  g_signal_connect_object (button, "clicked", G_CALLBACK (unpin_cb), self, G_CONNECT_SWAPPED);
  return button;
}

/* The letter and the button, and under them what else there is to say. */
static GtkWidget *
head_new (ShardwiseComparisonView *self, guint index)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0),
            *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  g_autofree char *caption = head_caption (self, index);
  GtkWidget *label = gtk_label_new (caption != NULL ? caption : "");

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_tooltip_text (label, caption);
  gtk_widget_add_css_class (label, "heading");
  gtk_box_append (GTK_BOX (line), look_button_new (self, index));
  gtk_box_append (GTK_BOX (line), unpin_button_new (self, index));
  gtk_box_append (GTK_BOX (box), line);
  gtk_box_append (GTK_BOX (box), label);
  return box;
}

static void
build_heads (ShardwiseComparisonView *self)
{
  GtkWidget *heads = shardwise_comparison_row_new (NULL);

  gtk_widget_add_css_class (heads, "comparison-row");
  for (guint i = 0; i < shardwise_comparison_get_n (self->comparison); i++)
    shardwise_comparison_row_append (SHARDWISE_COMPARISON_ROW (heads), head_new (self, i));
  adw_clamp_set_child (self->head_clamp, heads);
}

/* All */

/* One column gets no wider than its figures need, and what to compare it with is one click away. */
static void
show_offers (ShardwiseComparisonView *self)
{
  ShardwisePage *page = shardwise_page_of (GTK_WIDGET (self));
  ShardwiseAdvisor *advisor = page != NULL ? shardwise_page_get_advisor (page) : NULL;
  const gboolean alone = shardwise_comparison_get_n (self->comparison) == 1;
  const int width = alone ? SINGLE_WIDTH : MOST_WIDTH;
  guint n = 0;

  if (alone && advisor != NULL)
    n = shardwise_comparison_offers_fill (self->offers, shardwise_advisor_get_advice (advisor));
  gtk_widget_set_visible (self->offers_section, n > 0);
  adw_clamp_set_tightening_threshold (self->head_clamp, width);
  adw_clamp_set_maximum_size (self->head_clamp, width);
}

static void
update_summary (ShardwiseComparisonView *self)
{
  guint n = shardwise_comparison_get_n (self->comparison);
  g_autofree char *text = g_strdup_printf (
      ngettext ("%u strategy. Pin another one or add a scenario to compare it with",
                "%u strategies side by side. Changes are relative to A", n),
      n);

  show_offers (self);
  /* The offers say it with less words. */
  gtk_label_set_label (self->summary_label,
                       n > 1 || (n == 1 && !gtk_widget_get_visible (self->offers_section)) ? text
                                                                                           : "");
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "comparison.copy", n > 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "comparison.clear", n > 0);
  gtk_widget_set_visible (GTK_WIDGET (self->differences_chip), n > 1);
  gtk_list_box_invalidate_filter (self->list_box);
  gtk_widget_set_visible (self->clear_button, n > 1); /* one has a button of its own */
  gtk_widget_set_visible (self->recommended_button,
                          self->has_marks && n < SHARDWISE_COMPARISON_MAX
                              && !shardwise_comparison_has (self->comparison, &self->recommended));
}

/* Rows keep their place on the screen: the scrolled position is put back. */
static void
rebuild (ShardwiseComparisonView *self)
{
  GString *text = g_string_new (NULL);
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (self->scroller);
  double at = gtk_adjustment_get_value (adjustment);

  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    {
      self->pending = TRUE;
      return;
    }
  self->pending = FALSE;
  update_summary (self);
  for (guint i = 0; i < shardwise_comparison_get_n (self->comparison); i++)
    {
      g_autofree char *obstacle = shardwise_comparison_get_obstacle (self->comparison, i);
      gboolean is_other = shardwise_comparison_get_name (self->comparison, i) != NULL;

      if (obstacle == NULL)
        continue;
      if (text->len > 0)
        g_string_append_c (text, '\n');
      g_string_append_printf (text,
                              /* Translators: the letter of a compared strategy, and why it does not
                               * fit */
                              is_other ? _ ("%c does not fit its scenario: %s.")
                                       : _ ("%c does not fit the current inputs: %s."),
                              shardwise_comparison_letter (i), obstacle);
    }
  gtk_label_set_label (self->obstacle_label, text->str);
  gtk_widget_set_visible (GTK_WIDGET (self->obstacle_label), text->len > 0);
  g_string_free (text, TRUE);
  gtk_stack_set_visible_child_name (
      self->stack, shardwise_comparison_get_n (self->comparison) > 0 ? "figures" : "empty");
  build_heads (self);
  shardwise_container_empty_list (self->list_box);
  g_ptr_array_unref (self->figures);
  self->figures = shardwise_comparison_figures (self->comparison);
  for (guint i = 0; i < self->figures->len; i++)
    {
      GtkWidget *row = row_new (g_ptr_array_index (self->figures, i));

      g_object_set_data (G_OBJECT (row), INDEX, GUINT_TO_POINTER (i));
      gtk_list_box_append (self->list_box, row);
    }
  gtk_adjustment_set_value (adjustment, at);
}

static void
shardwise_comparison_view_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (shardwise_comparison_view_parent_class)->map (widget);
  if (SHARDWISE_COMPARISON_VIEW (widget)->pending)
    rebuild (SHARDWISE_COMPARISON_VIEW (widget));
}

static void
copy_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  g_autofree char *csv =
      shardwise_comparison_to_csv (SHARDWISE_COMPARISON_VIEW (widget)->comparison);

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), csv);
  shardwise_page_toast (shardwise_page_of (widget), _ ("Copied"));
}

static void
clear_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  shardwise_comparison_clear (SHARDWISE_COMPARISON_VIEW (widget)->comparison);
}

/**
 * shardwise_comparison_view_set_marks:
 * @recommended: (nullable): the strategy that is recommended
 * @selected: (nullable): the strategy that every page shows
 *
 * Says which of the compared strategies these are.
 */
void
shardwise_comparison_view_set_marks (ShardwiseComparisonView *self, const SwStrategy *recommended,
                                     const SwStrategy *selected)
{
  gboolean has_marks = recommended != NULL && selected != NULL;

  g_return_if_fail (SHARDWISE_IS_COMPARISON_VIEW (self));

  if (self->has_marks == has_marks
      && (!has_marks
          || (sw_strategy_equal (recommended, &self->recommended)
              && sw_strategy_equal (selected, &self->selected))))
    return;
  self->has_marks = has_marks;
  if (has_marks)
    {
      self->recommended = *recommended;
      self->selected = *selected;
    }
  update_summary (self);
  build_heads (self);
}

/* Type */

static void
shardwise_comparison_view_dispose (GObject *object)
{
  ShardwiseComparisonView *self = SHARDWISE_COMPARISON_VIEW (object);

  if (self->comparison != NULL)
    g_signal_handlers_disconnect_by_data (self->comparison, self);
  g_clear_object (&self->comparison);
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_COMPARISON_VIEW);
  shardwise_container_empty (GTK_WIDGET (self)); /* what shows the figures goes first */
  g_clear_pointer (&self->figures, g_ptr_array_unref);
  G_OBJECT_CLASS (shardwise_comparison_view_parent_class)->dispose (object);
}

static void
shardwise_comparison_view_class_init (ShardwiseComparisonViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_comparison_view_dispose;
  widget_class->map = shardwise_comparison_view_map;
  signals[ACTIVATED] = g_signal_new ("activated", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                     NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_install_action (widget_class, "comparison.copy", NULL, copy_cb);
  gtk_widget_class_install_action (widget_class, "comparison.clear", NULL, clear_cb);
  g_type_ensure (SHARDWISE_TYPE_COLUMN_BUTTONS);
  g_type_ensure (SHARDWISE_TYPE_SCENARIO_BUTTON);
  g_type_ensure (SHARDWISE_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-comparison-view.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseComparisonView, summary_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseComparisonView, obstacle_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseComparisonView, differences_chip);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseComparisonView, clear_button);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseComparisonView, recommended_button);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseComparisonView, column_buttons);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseComparisonView, scenario_button);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseComparisonView, stack);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseComparisonView, head_scroller);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseComparisonView, scroller);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseComparisonView, head_clamp);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseComparisonView, offers_section);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseComparisonView, offers);
  gtk_widget_class_bind_template_callback (widget_class, gtk_list_box_invalidate_filter);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseComparisonView, list_box);
}

static void
shardwise_comparison_view_init (ShardwiseComparisonView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->figures = g_ptr_array_new ();
  self->pending = TRUE;
  gtk_scrolled_window_set_hadjustment (self->head_scroller,
                                       gtk_scrolled_window_get_hadjustment (self->scroller));
  gtk_list_box_set_header_func (self->list_box, header_cb, self, NULL);
  gtk_list_box_set_filter_func (self->list_box, filter_cb, self, NULL);
}

/**
 * shardwise_comparison_view_new:
 * @comparison: what to show
 *
 * Returns: (transfer floating): the view, which follows @comparison while it is seen
 */
GtkWidget *
shardwise_comparison_view_new (ShardwiseComparison *comparison)
{
  ShardwiseComparisonView *self;

  g_return_val_if_fail (SHARDWISE_IS_COMPARISON (comparison), NULL);

  self = g_object_new (SHARDWISE_TYPE_COMPARISON_VIEW, NULL);
  self->comparison = g_object_ref (comparison);
  g_signal_connect_swapped (comparison, "changed", G_CALLBACK (rebuild), self);
  shardwise_column_buttons_set_comparison (self->column_buttons, comparison);
  shardwise_scenario_button_set_comparison (self->scenario_button, comparison);
  return GTK_WIDGET (self);
}
