/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-hand-card.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-neighbour-table.h"
#include "shardwise-format.h"
#include "shardwise-wrap-layout.h"
#include "shardwise-wrapped-label.h"

/* Of one figure: the one of the strategy, what the other has, and how they differ. */
enum { LABEL_VALUE, LABEL_BASE, LABEL_CHANGE, N_LABELS };

/* Below half of the last digit shown a change is none. */

typedef enum {
  FIGURE_MEMORY,
  FIGURE_HOST,
  FIGURE_STEP,
  FIGURE_TOKENS,
  FIGURE_MFU,
  FIGURE_COMMUNICATION,
  FIGURE_BUBBLE,
  FIGURE_ACCUMULATION,
  FIGURE_GPUS,
  N_FIGURES
} Figure;

typedef struct {
  const char *name;
  char *(*format) (double value);
  gboolean is_share; /* the difference is in points */
  int better;        /* 1: more, -1: less, 0: neither */
} FigureInfo;

static const FigureInfo figures[N_FIGURES] = {
  [FIGURE_MEMORY] = { N_ ("Memory per GPU"), shardwise_format_bytes, FALSE, -1 },
  [FIGURE_HOST] = { N_ ("Host memory per node"), shardwise_format_bytes, FALSE, -1 },
  [FIGURE_STEP] = { N_ ("Step"), shardwise_format_seconds, FALSE, -1 },
  [FIGURE_TOKENS] = { N_ ("Tokens/s per GPU"), shardwise_format_significant, FALSE, 1 },
  [FIGURE_MFU] = { N_ ("MFU, dense peak"), shardwise_format_percent, TRUE, 1 },
  [FIGURE_COMMUNICATION] = { N_ ("Communication"), shardwise_format_percent, TRUE, -1 },
  [FIGURE_BUBBLE] = { N_ ("Bubble"), shardwise_format_percent, TRUE, -1 },
  [FIGURE_ACCUMULATION] = { N_ ("Micro-batches a step"), shardwise_format_whole, FALSE, 0 },
  [FIGURE_GPUS] = { N_ ("GPUs used"), shardwise_format_whole, FALSE, 0 },
};

struct _ShardwiseHandTable {
  GtkWidget parent_instance;
  GtkWidget *tiles[N_FIGURES];
  GtkLabel *labels[N_FIGURES][N_LABELS];
};

G_DEFINE_FINAL_TYPE (ShardwiseHandTable, shardwise_hand_table, GTK_TYPE_WIDGET)

static double
figure_of (const SwEstimate *estimate, Figure figure)
{
  switch (figure)
    {
    case FIGURE_MEMORY: return estimate->memory.peak.total;
    case FIGURE_HOST: return estimate->memory.host_bytes;
    case FIGURE_STEP: return estimate->time.step_s;
    case FIGURE_TOKENS: return estimate->tokens_per_s_per_gpu;
    case FIGURE_MFU: return estimate->mfu;
    case FIGURE_COMMUNICATION: return estimate->communication_overhead;
    case FIGURE_BUBBLE: return estimate->bubble_fraction;
    case FIGURE_ACCUMULATION: return estimate->gradient_accumulation;
    case FIGURE_GPUS: return estimate->gpus_used;
    case N_FIGURES:
    default: return 0;
    }
}

static void
show_change (GtkLabel *label, Figure figure, double base, double other)
{
  const FigureInfo *info = &figures[figure];
  double change = info->is_share ? other - base : other / base - 1;
  const char *css_class = info->better != 0 ? shardwise_change_class (change, info->better > 0)
                                            : NULL;
  g_autofree char *text = info->is_share ? shardwise_signed_points (change)
                                         : shardwise_signed_percent (change);

  shardwise_label_set_figure (label, text);
  gtk_widget_remove_css_class (GTK_WIDGET (label), "success");
  gtk_widget_remove_css_class (GTK_WIDGET (label), "error");
  if (css_class != NULL)
    gtk_widget_add_css_class (GTK_WIDGET (label), css_class);
}

static void
show_figure (ShardwiseHandTable *self, Figure figure, const SwEstimate *base,
             const SwEstimate *other)
{
  GtkLabel **labels = self->labels[figure];
  g_autofree char *before = figures[figure].format (figure_of (base, figure));
  g_autofree char *after = other != NULL ? figures[figure].format (figure_of (other, figure))
                                         : g_strdup ("–");
  /* Translators: a figure of the recommended strategy */
  g_autofree char *recommended = g_strdup_printf (_ ("recommended %s"), before);

  gtk_widget_set_visible (self->tiles[figure],
                          figure != FIGURE_HOST || base->memory.host_bytes > 0
                              || (other != NULL && other->memory.host_bytes > 0));
  gtk_label_set_label (labels[LABEL_BASE], recommended);
  shardwise_label_set_figure (labels[LABEL_VALUE], after);
  gtk_widget_set_visible (GTK_WIDGET (labels[LABEL_CHANGE]), other != NULL);
  gtk_label_set_label (labels[LABEL_CHANGE], "");
  if (other != NULL)
    show_change (labels[LABEL_CHANGE], figure, figure_of (base, figure), figure_of (other, figure));
}

/**
 * shardwise_hand_table_set:
 * @self: a table
 * @base: what is compared with
 * @other: what differs
 * @has_figures: whether those of @other hold; if not, only the rule that it breaks is to be shown
 */
void
shardwise_hand_table_set (ShardwiseHandTable *self, const SwEstimate *base, const SwEstimate *other,
                          gboolean has_figures)
{
  g_return_if_fail (SHARDWISE_IS_HAND_TABLE (self));
  g_return_if_fail (base != NULL && other != NULL);

  for (guint figure = 0; figure < N_FIGURES; figure++)
    show_figure (self, figure, base, has_figures ? other : NULL);
}

static GtkLabel *
add_label (GtkWidget *tile, const char *text, const char *css_class, gboolean dim)
{
  GtkWidget *label = shardwise_wrapped_label_new (text, css_class);

  gtk_widget_add_css_class (label, "numeric");
  if (dim)
    gtk_widget_add_css_class (label, "dim-label");
  gtk_box_append (GTK_BOX (tile), label);
  return GTK_LABEL (label);
}

static void
add_tile (ShardwiseHandTable *self, Figure figure)
{
  GtkWidget *tile = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkLabel **labels = self->labels[figure];

  add_label (tile, _ (figures[figure].name), "caption", TRUE);
  labels[LABEL_VALUE] = add_label (tile, NULL, "heading", FALSE);
  labels[LABEL_CHANGE] = add_label (tile, NULL, "caption", FALSE);
  labels[LABEL_BASE] = add_label (tile, NULL, "caption", TRUE);
  gtk_widget_set_parent (tile, GTK_WIDGET (self));
  self->tiles[figure] = tile;
}

static void
shardwise_hand_table_dispose (GObject *object)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (shardwise_hand_table_parent_class)->dispose (object);
}

static void
shardwise_hand_table_class_init (ShardwiseHandTableClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = shardwise_hand_table_dispose;
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
shardwise_hand_table_init (ShardwiseHandTable *self)
{
  gtk_widget_set_layout_manager (GTK_WIDGET (self), shardwise_wrap_layout_new (12, 12, 140, 0));
  for (guint figure = 0; figure < N_FIGURES; figure++)
    add_tile (self, figure);
}

/**
 * shardwise_hand_table_new:
 *
 * Returns: (transfer floating): an empty table
 */
GtkWidget *
shardwise_hand_table_new (void)
{
  return g_object_new (SHARDWISE_TYPE_HAND_TABLE, NULL);
}
