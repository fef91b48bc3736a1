/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-metric-card.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <gtk/gtk.h>

#include "shardwise-line-layout.h"
#include "shardwise-palette.h"
#include "shardwise-wrapped-label.h"

/* A thin bar with a filled share and a line at a limit. */
#define SHARDWISE_TYPE_LEVEL (shardwise_level_get_type ())
G_DECLARE_FINAL_TYPE (ShardwiseLevel, shardwise_level, SHARDWISE, LEVEL, GtkWidget)

struct _ShardwiseLevel {
  GtkWidget parent_instance;
  double level, limit, low, high;
};

G_DEFINE_FINAL_TYPE (ShardwiseLevel, shardwise_level, GTK_TYPE_WIDGET)

/* In pixels. */
enum { BAR_HEIGHT = 8, LIMIT_WIDTH = 2, OVERHANG = 2, NATURAL_WIDTH = 120 };

static void
shardwise_level_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                         int *natural, int *minimum_baseline, int *natural_baseline)
{
  if (orientation == GTK_ORIENTATION_VERTICAL)
    *minimum = *natural = BAR_HEIGHT + 2 * OVERHANG;
  else
    {
      *minimum = 24;
      *natural = NATURAL_WIDTH;
    }
}

static void
shardwise_level_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  ShardwiseLevel *self = SHARDWISE_LEVEL (widget);
  float width = gtk_widget_get_width (widget), filled = width * CLAMP (self->level, 0, 1),
        at = width * CLAMP (self->limit, 0, 1);
  gboolean dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  gboolean mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  gboolean over = self->limit > 0 && self->level > self->limit;
  GdkRGBA fill, ground, line;
  GskRoundedRect outline;

  shardwise_palette_get (over ? SHARDWISE_COLOR_LIMIT : SHARDWISE_COLOR_COMPUTE, dark, &fill);
  shardwise_palette_get (SHARDWISE_COLOR_LIMIT, dark, &line);
  shardwise_palette_text (dark, 1, &ground);
  ground.alpha *= 0.12f;
  gsk_rounded_rect_init_from_rect (&outline, &GRAPHENE_RECT_INIT (0, OVERHANG, width, BAR_HEIGHT),
                                   BAR_HEIGHT / 2.0f);
  gtk_snapshot_push_rounded_clip (snapshot, &outline);
  gtk_snapshot_append_color (snapshot, &ground, &outline.bounds);
  gtk_snapshot_append_color (
      snapshot, &fill,
      &GRAPHENE_RECT_INIT (mirrored ? width - filled : 0, OVERHANG, filled, BAR_HEIGHT));
  if (self->high > self->low)
    {
      const float low = width * CLAMP (self->low, 0, 1), high = width * CLAMP (self->high, 0, 1);

      /* equally dark on the filled part and the rest */
      ground.alpha *= 3;
      gtk_snapshot_append_color (
          snapshot, &ground,
          &GRAPHENE_RECT_INIT (mirrored ? width - high : low, OVERHANG, high - low, BAR_HEIGHT));
    }
  gtk_snapshot_pop (snapshot);
  if (self->limit > 0 && self->limit < 1)
    gtk_snapshot_append_color (
        snapshot, &line,
        &GRAPHENE_RECT_INIT ((mirrored ? width - at : at) - LIMIT_WIDTH / 2.0f, 0, LIMIT_WIDTH,
                             BAR_HEIGHT + 2 * OVERHANG));
}

static void
shardwise_level_class_init (ShardwiseLevelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->measure = shardwise_level_measure;
  widget_class->snapshot = shardwise_level_snapshot;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_METER);
  gtk_widget_class_set_css_name (widget_class, "level");
}

static void
shardwise_level_init (ShardwiseLevel *self)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_VALUE_MIN, 0.0,
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_MAX, 1.0, -1);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (gtk_widget_queue_draw), self, G_CONNECT_SWAPPED);
}

/* @level: the filled share, 0-1; larger values fill the bar
 * @limit: the position of the line, 0-1; the bar turns red above it
 * @low: the start of the interval of the level, a band; 0 with
 * @high: its end: no band */
static void
shardwise_level_set (ShardwiseLevel *self, double level, double limit, double low, double high)
{
  g_autofree char *words = NULL;

  g_return_if_fail (SHARDWISE_IS_LEVEL (self));
  self->level = level;
  self->limit = limit;
  self->low = low;
  self->high = high;
  /* Translators: how full a bar is and where its limit is, in percent */
  words = g_strdup_printf (_ ("%.0f %%, limit %.0f %%"), level * 100, limit * 100);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, level,
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, words, -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

#define FADE_MS 150
#define FADED 0.2     /* the opacity that it begins with */
#define SUM_WIDTH 310 /* pixels */

struct _ShardwiseMetricCard {
  GtkWidget parent_instance;
  GtkWidget *button, *popover;
  GtkLabel *title, *figure, *detail, *assessment;
  GtkImage *grade_icon;
  GtkWidget *grade, *level;
  ShardwiseMetric *metric;
  AdwAnimation *fade;
};

G_DEFINE_FINAL_TYPE (ShardwiseMetricCard, shardwise_metric_card, GTK_TYPE_WIDGET)

static const struct {
  const char *css_class, *icon;
} grades[] = {
  [SHARDWISE_GRADE_NONE] = { NULL, NULL },
  [SHARDWISE_GRADE_GOOD] = { "success", "object-select-symbolic" },
  [SHARDWISE_GRADE_FAIR] = { "warning", "dialog-warning-symbolic" },
  [SHARDWISE_GRADE_POOR] = { "error", "dialog-error-symbolic" },
};

/* ---- the popover ---- */

static GtkWidget *
paragraph (const char *text, const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 42);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_widget_set_can_focus (label, FALSE);
  if (css_class)
    gtk_widget_add_css_class (label, css_class);
  return label;
}

static void
attach_part (GtkGrid *grid, const ShardwisePart *part, int row)
{
  GtkWidget *label = gtk_label_new (part->label), *value = shardwise_figure_label_new (part->value);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_xalign (GTK_LABEL (value), 1);
  gtk_label_set_selectable (GTK_LABEL (value), TRUE);
  gtk_widget_set_can_focus (value, FALSE);
  gtk_widget_add_css_class (value, "numeric");
  gtk_widget_set_hexpand (label, TRUE);
  if (part->is_total)
    {
      gtk_widget_add_css_class (label, "heading");
      gtk_widget_add_css_class (value, "heading");
    }
  gtk_grid_attach (grid, label, 0, row, 1, 1);
  if (part->share >= 0)
    {
      GtkWidget *bar = g_object_new (SHARDWISE_TYPE_LEVEL, NULL);

      shardwise_level_set (SHARDWISE_LEVEL (bar), part->share, 1, 0, 0);
      gtk_widget_set_size_request (bar, 64, -1);
      gtk_widget_set_valign (bar, GTK_ALIGN_CENTER);
      gtk_grid_attach (grid, bar, 1, row, 1, 1);
    }
  gtk_grid_attach (grid, value, 2, row, 1, 1);
}

/* (transfer floating) (nullable): the meaning of the figure, its sum, its assumptions, and the
 * nearest run. */
static GtkWidget *
build_sum (ShardwiseMetricCard *self)
{
  GtkWidget *box, *grid;

  g_return_val_if_fail (SHARDWISE_IS_METRIC_CARD (self), NULL);
  if (!self->metric)
    return NULL;
  box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 9);
  gtk_widget_add_css_class (box, "metric-sum");
  grid = gtk_grid_new ();
  gtk_box_append (GTK_BOX (box), paragraph (self->metric->title, "heading"));
  gtk_box_append (GTK_BOX (box), paragraph (self->metric->meaning, NULL));
  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 4);
  for (guint i = 0; i < self->metric->parts->len; i++)
    attach_part (GTK_GRID (grid), g_ptr_array_index (self->metric->parts, i), i);
  gtk_box_append (GTK_BOX (box), grid);
  gtk_box_append (GTK_BOX (box), paragraph (self->metric->exact, "dim-label"));
  for (guint i = 0; i < self->metric->assumptions->len; i++)
    gtk_box_append (GTK_BOX (box),
                    paragraph (g_ptr_array_index (self->metric->assumptions, i), "dim-label"));
  if (self->metric->nearest)
    {
      gtk_box_append (GTK_BOX (box), paragraph (_ ("Nearest measured run"), "heading"));
      gtk_box_append (GTK_BOX (box), paragraph (self->metric->nearest, NULL));
    }
  return box;
}

static void
closed_cb (ShardwiseMetricCard *self)
{
  gtk_accessible_update_state (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_STATE_EXPANDED, FALSE,
                               -1);
}

/* The popover is created on first use; its content whenever it opens, so that it does not change
 * while it is read. It does not open if the inputs of a narrow window cover the card: GTK 4.8
 * complains if neither the card nor the popover has the focus. */
static void
clicked_cb (ShardwiseMetricCard *self)
{
  GtkWidget *content, *clamp;

  /* A key press clicks a moment later, after the page may have been left or scrolled; a popover for
   * a place above the screen would shrink to nothing. */
  GtkWidget *native = GTK_WIDGET (gtk_widget_get_native (GTK_WIDGET (self)));
  graphene_rect_t bounds, all;

  if (!(gtk_widget_get_mapped (GTK_WIDGET (self))
        && gtk_widget_compute_bounds (GTK_WIDGET (self), native, &bounds)
        && gtk_widget_compute_bounds (native, native, &all)
        && graphene_rect_intersection (&bounds, &all, NULL))
      || !gtk_widget_grab_focus (self->button))
    return;
  content = build_sum (self);
  if (!content)
    return;
  if (!self->popover)
    {
      self->popover = gtk_popover_new ();
      gtk_widget_set_parent (self->popover, GTK_WIDGET (self));
      g_signal_connect_object (self->popover, "closed", G_CALLBACK (closed_cb), self,
                               G_CONNECT_SWAPPED);
    }
  /* GtkPopover requests the height for a larger width than it allocates, so the width is fixed. */
  gtk_widget_set_size_request (content, SUM_WIDTH, -1);
  clamp = adw_clamp_new ();
  adw_clamp_set_maximum_size (ADW_CLAMP (clamp), SUM_WIDTH);
  adw_clamp_set_tightening_threshold (ADW_CLAMP (clamp), SUM_WIDTH);
  adw_clamp_set_child (ADW_CLAMP (clamp), content);
  gtk_popover_set_child (GTK_POPOVER (self->popover), clamp);
  gtk_accessible_update_state (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_STATE_EXPANDED, TRUE,
                               -1);
  gtk_popover_popup (GTK_POPOVER (self->popover));
}

/* ---- the card ---- */

static void
show_figure (ShardwiseMetricCard *self, const ShardwiseMetric *metric)
{
  g_autofree char *figure = g_markup_printf_escaped (
      "%s<span size=\"60%%\" weight=\"normal\"> %s</span>", metric->number, metric->unit);
  g_autofree char *markup = shardwise_isolate (figure);
  gboolean changed = g_strcmp0 (gtk_label_get_label (self->figure), markup) != 0;

  if (!changed)
    return;
  gtk_label_set_markup (self->figure, markup);
  if (self->metric == NULL || !gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  /* From now on: by the first frame of a busy machine the animation may be over. */
  if (adw_get_enable_animations (GTK_WIDGET (self)))
    gtk_widget_set_opacity (GTK_WIDGET (self->figure), FADED);
  adw_animation_play (self->fade);
}

static void
show_grade (ShardwiseMetricCard *self, const ShardwiseMetric *metric)
{
  gtk_widget_set_visible (self->grade, metric->assessment != NULL);
  if (!metric->assessment)
    return;
  gtk_label_set_label (self->assessment, metric->assessment);
  gtk_image_set_from_icon_name (self->grade_icon, grades[metric->grade].icon);
  for (guint i = SHARDWISE_GRADE_GOOD; i < G_N_ELEMENTS (grades); i++)
    {
      if (i == metric->grade)
        gtk_widget_add_css_class (self->grade, grades[i].css_class);
      else
        gtk_widget_remove_css_class (self->grade, grades[i].css_class);
    }
}

static void
shardwise_metric_card_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                               int *minimum, int *natural, int *minimum_baseline,
                               int *natural_baseline)
{
  gtk_widget_measure (SHARDWISE_METRIC_CARD (widget)->button, orientation, for_size, minimum,
                      natural, NULL, NULL);
}

static void
shardwise_metric_card_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  ShardwiseMetricCard *self = SHARDWISE_METRIC_CARD (widget);

  gtk_widget_size_allocate (self->button, &(GtkAllocation){ 0, 0, width, height }, -1);
  if (self->popover)
    gtk_popover_present (GTK_POPOVER (self->popover));
}

static GtkSizeRequestMode
shardwise_metric_card_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
shardwise_metric_card_dispose (GObject *object)
{
  ShardwiseMetricCard *self = SHARDWISE_METRIC_CARD (object);

  g_clear_object (&self->fade);
  g_clear_pointer (&self->metric, shardwise_metric_free);
  g_clear_pointer (&self->popover, gtk_widget_unparent);
  gtk_widget_dispose_template (GTK_WIDGET (self), SHARDWISE_TYPE_METRIC_CARD);
  G_OBJECT_CLASS (shardwise_metric_card_parent_class)->dispose (object);
}

static void
shardwise_metric_card_class_init (ShardwiseMetricCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_metric_card_dispose;
  widget_class->measure = shardwise_metric_card_measure;
  widget_class->size_allocate = shardwise_metric_card_size_allocate;
  widget_class->get_request_mode = shardwise_metric_card_get_request_mode;
  g_type_ensure (SHARDWISE_TYPE_LEVEL);
  g_type_ensure (SHARDWISE_TYPE_LINE_LAYOUT);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-metric-card.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseMetricCard, button);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseMetricCard, title);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseMetricCard, figure);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseMetricCard, detail);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseMetricCard, assessment);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseMetricCard, grade);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseMetricCard, grade_icon);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseMetricCard, level);
  gtk_widget_class_bind_template_callback (widget_class, clicked_cb);
}

static void
shardwise_metric_card_init (ShardwiseMetricCard *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->fade = adw_timed_animation_new (
      GTK_WIDGET (self->figure), FADED, 1, FADE_MS,
      adw_property_animation_target_new (G_OBJECT (self->figure), "opacity"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_HAS_POPUP,
                                  TRUE, -1);
}

/**
 * shardwise_metric_card_new:
 * @large: whether it is one of the large figures at the top of the page
 *
 * Returns: (transfer floating): an empty card
 */
GtkWidget *
shardwise_metric_card_new (gboolean large)
{
  GtkWidget *self = g_object_new (SHARDWISE_TYPE_METRIC_CARD, NULL);

  if (large)
    gtk_widget_add_css_class (self, "large");
  return self;
}

/**
 * shardwise_metric_card_set_metric:
 * @metric: (transfer full): the metric to show
 *
 * A changed figure fades in; the first one appears at once.
 */
void
shardwise_metric_card_set_metric (ShardwiseMetricCard *self, ShardwiseMetric *metric)
{
  g_autofree char *interval = NULL, *text = NULL;
  g_autofree char *sentence = NULL;

  g_return_if_fail (SHARDWISE_IS_METRIC_CARD (self) && metric != NULL);
  gtk_label_set_label (self->title, metric->title);
  show_figure (self, metric);
  /* "± 6 % · of 79.2 GiB usable" */
  interval = shardwise_isolate (metric->interval);
  if (interval && metric->detail)
    text = g_strdup_printf ("%s · %s", interval, metric->detail);
  else
    text = g_strdup (interval ? interval : metric->detail);
  gtk_widget_set_visible (GTK_WIDGET (self->detail), text != NULL);
  gtk_label_set_label (self->detail, text ? text : "");
  show_grade (self, metric);
  gtk_widget_set_visible (self->level, metric->level >= 0);
  if (metric->level >= 0)
    shardwise_level_set (SHARDWISE_LEVEL (self->level), metric->level, metric->limit, metric->low,
                         metric->high);
  shardwise_tooltip_set (self->button, metric->exact);
  sentence = shardwise_metric_sentence (metric);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  sentence, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, metric->meaning,
                                  -1);
  g_clear_pointer (&self->metric, shardwise_metric_free);
  self->metric = metric;
}

/**
 * shardwise_metric_card_get_metric:
 *
 * Returns: (transfer none) (nullable): the shown metric
 */
const ShardwiseMetric *
shardwise_metric_card_get_metric (ShardwiseMetricCard *self)
{
  g_return_val_if_fail (SHARDWISE_IS_METRIC_CARD (self), NULL);
  return self->metric;
}
