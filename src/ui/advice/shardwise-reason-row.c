/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-reason-row.h"

#include <glib/gi18n.h>

#include "shardwise-degree-chip.h"
#include "shardwise-line-layout.h"
#include "shardwise-neighbour-table.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-palette.h"

struct _ShardwiseReasonRow {
  AdwExpanderRow parent_instance;
  SwDimension dimension;
  GtkBox *content;
  GtkLabel *paragraph;
  GtkWidget *table; /* for `rationale`; created when the row is first unfolded */
  ShardwiseAdvice *advice;
  const ShardwiseRationale *rationale; /* owned by advice */
};

G_DEFINE_FINAL_TYPE (ShardwiseReasonRow, shardwise_reason_row, ADW_TYPE_EXPANDER_ROW)

/* "TP 4 lacks 31 GB; TP 16 leaves the node": the values on either side of the chosen one. */
static char *
one_line (const ShardwiseRationale *rationale)
{
  const char *name = shardwise_dimension_short_name (rationale->dimension);
  GString *text = g_string_new (NULL);
  char *unbroken;

  for (guint i = 0; i < rationale->rows->len; i++)
    {
      const ShardwiseNeighbourRow *row = g_ptr_array_index (rationale->rows, i);

      if (!row->beside)
        continue;
      /* Translators: a dimension, a value of it, and what is different with it: "TP 4: lacks 31 GB"
       */
      shardwise_text_list (text, _ ("%s %s: %s"), name, row->value, row->reason);
    }
  unbroken = shardwise_format_unbroken (text->str);
  g_string_free (text, TRUE);
  return unbroken;
}

static void
build_table (ShardwiseReasonRow *self)
{
  if (self->table || !self->rationale || !adw_expander_row_get_expanded (ADW_EXPANDER_ROW (self)))
    return;
  if (self->rationale->rows->len == 0)
    return;
  self->table = shardwise_neighbour_table_new (self->rationale);
  gtk_box_append (self->content, self->table);
}

/* When unfolded, the paragraph and the table contain all of it, and more. */
static void
update_subtitle (ShardwiseReasonRow *self)
{
  AdwExpanderRow *row = ADW_EXPANDER_ROW (self);
  g_autofree char *subtitle = NULL;

  if (self->rationale && !adw_expander_row_get_expanded (row))
    subtitle = one_line (self->rationale);
  adw_expander_row_set_subtitle (row, subtitle ? subtitle : "");
}

static void
expanded_cb (ShardwiseReasonRow *self)
{
  update_subtitle (self);
  build_table (self);
}

static void
shardwise_reason_row_dispose (GObject *object)
{
  ShardwiseReasonRow *self = SHARDWISE_REASON_ROW (object);

  self->rationale = NULL;
  g_clear_object (&self->advice);
  G_OBJECT_CLASS (shardwise_reason_row_parent_class)->dispose (object);
}

static void
shardwise_reason_row_class_init (ShardwiseReasonRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_reason_row_dispose;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-reason-row.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseReasonRow, content);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseReasonRow, paragraph);
}

static void
shardwise_reason_row_init (ShardwiseReasonRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  shardwise_line_layout_rows (GTK_WIDGET (self));
  g_signal_connect (self, "notify::expanded", G_CALLBACK (expanded_cb), NULL);
}

/**
 * shardwise_reason_row_new:
 * @dimension: the row's dimension
 *
 * Returns: (transfer floating): an empty row
 */
GtkWidget *
shardwise_reason_row_new (SwDimension dimension)
{
  ShardwiseReasonRow *self = g_object_new (SHARDWISE_TYPE_REASON_ROW, NULL);

  self->dimension = dimension;
  adw_expander_row_add_prefix (ADW_EXPANDER_ROW (self),
                               shardwise_swatch_new (shardwise_dimension_color (dimension)));
  return GTK_WIDGET (self);
}

/**
 * shardwise_reason_row_get_dimension:
 *
 * Returns: the row's dimension
 */
SwDimension
shardwise_reason_row_get_dimension (ShardwiseReasonRow *self)
{
  g_return_val_if_fail (SHARDWISE_IS_REASON_ROW (self), SW_DIM_TP);
  return self->dimension;
}

/**
 * shardwise_reason_row_set_rationale:
 * @advice: owner of @rationale; the row keeps a reference
 * @rationale: the rationale to show
 *
 * An unfolded row stays unfolded.
 */
void
shardwise_reason_row_set_rationale (ShardwiseReasonRow *self, ShardwiseAdvice *advice,
                                    const ShardwiseRationale *rationale)
{
  const SwEstimate *recommended;
  g_autofree char *value = NULL, *title = NULL;

  g_return_if_fail (SHARDWISE_IS_REASON_ROW (self) && SHARDWISE_IS_ADVICE (advice)
                    && rationale != NULL);
  g_set_object (&self->advice, advice);
  self->rationale = rationale;
  recommended = shardwise_advice_get_recommended (advice);
  value = shardwise_text_value (&recommended->strategy, rationale->dimension);
  /* Translators: a dimension and its value: "Tensor parallel 8" */
  title = g_strdup_printf (_ ("%s %s"), rationale->title, value);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), title);
  update_subtitle (self);
  gtk_label_set_label (self->paragraph, rationale->text);
  if (self->table)
    gtk_box_remove (self->content, self->table);
  self->table = NULL;
  build_table (self);
}
