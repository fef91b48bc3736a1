/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-metric-card.h"

#include <glib/gi18n.h>

#include "shardwise-level.h"

#define FADE_MS 150

struct _ShardwiseMetricCard {
  AdwBin parent_instance;
  GtkMenuButton *button;
  GtkLabel *title, *figure, *interval, *detail, *assessment;
  GtkImage *grade_icon;
  GtkWidget *grade, *level;
  ShardwiseMetric *metric;
  AdwAnimation *fade;
};

G_DEFINE_FINAL_TYPE (ShardwiseMetricCard, shardwise_metric_card, ADW_TYPE_BIN)

static const struct { const char *css_class, *icon; } grades[] = {
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
  gtk_widget_set_focusable (label, FALSE);
  if (css_class)
    gtk_widget_add_css_class (label, css_class);
  return label;
}

static void
attach_part (GtkGrid *grid, const ShardwisePart *part, int row)
{
  GtkWidget *label = gtk_label_new (part->label), *value = gtk_label_new (part->value);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_xalign (GTK_LABEL (value), 1);
  gtk_label_set_selectable (GTK_LABEL (value), TRUE);
  gtk_widget_set_focusable (value, FALSE);
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
      GtkWidget *bar = shardwise_level_new ();

      shardwise_level_set (SHARDWISE_LEVEL (bar), part->share, 1);
      gtk_widget_set_size_request (bar, 64, -1);
      gtk_widget_set_valign (bar, GTK_ALIGN_CENTER);
      gtk_grid_attach (grid, bar, 1, row, 1, 1);
    }
  gtk_grid_attach (grid, value, 2, row, 1, 1);
}

/**
 * shardwise_metric_card_build_sum:
 *
 * Returns: (transfer floating) (nullable): what the figure means, its sum, its assumptions, and the nearest run
 */
GtkWidget *
shardwise_metric_card_build_sum (ShardwiseMetricCard *self)
{
  GtkWidget *box, *grid;

  g_return_val_if_fail (SHARDWISE_IS_METRIC_CARD (self), NULL);
  if (!self->metric)
    return NULL;
  box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 9);
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
    gtk_box_append (GTK_BOX (box), paragraph (g_ptr_array_index (self->metric->assumptions, i), "dim-label"));
  if (self->metric->nearest)
    {
      gtk_box_append (GTK_BOX (box), paragraph (_("Nearest measured run"), "heading"));
      gtk_box_append (GTK_BOX (box), paragraph (self->metric->nearest, NULL));
    }
  return box;
}

static void
create_popup_cb (GtkMenuButton *button, gpointer data)
{
  GtkWidget *content = shardwise_metric_card_build_sum (SHARDWISE_METRIC_CARD (data)), *scroller, *popover;

  if (!content)
    return;
  scroller = gtk_scrolled_window_new ();
  popover = gtk_popover_new ();
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroller), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scroller), 520);
  gtk_widget_set_size_request (scroller, 300, -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), content);
  gtk_widget_add_css_class (popover, "metric-sum");
  gtk_popover_set_child (GTK_POPOVER (popover), scroller);
  gtk_menu_button_set_popover (button, popover);
}

/* ---- the card ---- */

static void
show_figure (ShardwiseMetricCard *self, const ShardwiseMetric *metric)
{
  g_autofree char *markup = g_markup_printf_escaped ("%s<span size=\"65%%\" weight=\"normal\"> %s</span>", metric->number, metric->unit);
  gboolean changed = g_strcmp0 (gtk_label_get_label (self->figure), markup) != 0;

  if (!changed)
    return;
  gtk_label_set_markup (self->figure, markup);
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    adw_animation_play (self->fade);
}

static void
show_text (GtkLabel *label, const char *text)
{
  gtk_widget_set_visible (GTK_WIDGET (label), text != NULL);
  gtk_label_set_label (label, text ? text : "");
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
shardwise_metric_card_dispose (GObject *object)
{
  ShardwiseMetricCard *self = SHARDWISE_METRIC_CARD (object);

  g_clear_object (&self->fade);
  g_clear_pointer (&self->metric, shardwise_metric_free);
  gtk_widget_dispose_template (GTK_WIDGET (self), SHARDWISE_TYPE_METRIC_CARD);
  G_OBJECT_CLASS (shardwise_metric_card_parent_class)->dispose (object);
}

static void
shardwise_metric_card_class_init (ShardwiseMetricCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_metric_card_dispose;
  g_type_ensure (SHARDWISE_TYPE_LEVEL);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-metric-card.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseMetricCard, button);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseMetricCard, title);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseMetricCard, figure);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseMetricCard, interval);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseMetricCard, detail);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseMetricCard, assessment);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseMetricCard, grade);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseMetricCard, grade_icon);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseMetricCard, level);
}

static void
shardwise_metric_card_init (ShardwiseMetricCard *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->fade = adw_timed_animation_new (GTK_WIDGET (self->figure), 0.2, 1, FADE_MS,
                                        adw_property_animation_target_new (G_OBJECT (self->figure), "opacity"));
  gtk_menu_button_set_create_popup_func (self->button, create_popup_cb, self, NULL);
}

/**
 * shardwise_metric_card_new:
 * @large: for one of the large figures at the head of the page
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
 * @metric: (transfer full): what to show
 *
 * A figure that changes fades in.
 */
void
shardwise_metric_card_set_metric (ShardwiseMetricCard *self, ShardwiseMetric *metric)
{
  g_autofree char *sentence = NULL;

  g_return_if_fail (SHARDWISE_IS_METRIC_CARD (self) && metric != NULL);
  gtk_label_set_label (self->title, metric->title);
  show_figure (self, metric);
  show_text (self->interval, metric->interval);
  show_text (self->detail, metric->detail);
  show_grade (self, metric);
  gtk_widget_set_visible (self->level, metric->level >= 0);
  if (metric->level >= 0)
    shardwise_level_set (SHARDWISE_LEVEL (self->level), metric->level, metric->limit);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->button), metric->exact);
  sentence = shardwise_metric_sentence (metric);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_LABEL, sentence,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, metric->meaning, -1);
  g_clear_pointer (&self->metric, shardwise_metric_free);
  self->metric = metric;
}

/**
 * shardwise_metric_card_get_metric:
 *
 * Returns: (transfer none) (nullable): what is shown
 */
const ShardwiseMetric *
shardwise_metric_card_get_metric (ShardwiseMetricCard *self)
{
  g_return_val_if_fail (SHARDWISE_IS_METRIC_CARD (self), NULL);
  return self->metric;
}
