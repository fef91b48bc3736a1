/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-tensor-list.h"

#include <glib/gi18n.h>
#include "shardwise-line-layout.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-text-estimate.h"
#include "sw-tensors.h"

struct _ShardwiseTensorList {
  AdwExpanderRow parent_instance;

  SwTensor tensors[SW_MAX_TENSORS]; /* greatest first */
  guint n;
  gboolean stale;  /* rows are made when they are seen */
  GPtrArray *rows; /* of GtkWidget, transfer none */
};

G_DEFINE_FINAL_TYPE (ShardwiseTensorList, shardwise_tensor_list, ADW_TYPE_EXPANDER_ROW)

static int
compare_tensors (const void *a, const void *b)
{
  double x = ((const SwTensor *) a)->bytes, y = ((const SwTensor *) b)->bytes;

  return (x < y) - (x > y);
}

static GtkWidget *
make_row (const SwTensor *tensor)
{
  GtkWidget *row = adw_action_row_new (), *label;
  g_autofree char *bytes = shardwise_format_bytes (tensor->bytes);
  g_autofree char *detail = shardwise_text_tensor_detail (tensor);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), shardwise_text_tensor (tensor));
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), detail);
  label = gtk_label_new (bytes);
  gtk_widget_add_css_class (label, "numeric");
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), label);
  shardwise_line_layout_rows (row);
  return row;
}

static void
fill (ShardwiseTensorList *self)
{
  if (!self->stale || !adw_expander_row_get_expanded (ADW_EXPANDER_ROW (self)))
    return;
  self->stale = FALSE;
  for (guint i = 0; i < self->rows->len; i++)
    adw_expander_row_remove (ADW_EXPANDER_ROW (self), g_ptr_array_index (self->rows, i));
  g_ptr_array_set_size (self->rows, 0);
  for (guint i = 0; i < self->n; i++)
    {
      GtkWidget *row = make_row (&self->tensors[i]);

      adw_expander_row_add_row (ADW_EXPANDER_ROW (self), row);
      g_ptr_array_add (self->rows, row);
    }
}

static void
shardwise_tensor_list_finalize (GObject *object)
{
  g_ptr_array_unref (SHARDWISE_TENSOR_LIST (object)->rows);
  G_OBJECT_CLASS (shardwise_tensor_list_parent_class)->finalize (object);
}

static void
shardwise_tensor_list_class_init (ShardwiseTensorListClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = shardwise_tensor_list_finalize;
}

static void
shardwise_tensor_list_init (ShardwiseTensorList *self)
{
  self->rows = g_ptr_array_new ();
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), _ ("Tensor by tensor"));
  g_signal_connect (self, "notify::expanded", G_CALLBACK (fill), NULL);
}

/**
 * shardwise_tensor_list_set_estimate:
 * @self: a list
 * @problem: a prepared question
 * @estimate: of a strategy; its fullest stage is listed
 */
void
shardwise_tensor_list_set_estimate (ShardwiseTensorList *self, const SwProblem *problem,
                                    const SwEstimate *estimate)
{
  guint stage = estimate->memory.peak_stage;
  g_autofree char *total = shardwise_format_bytes (estimate->memory.peak.total), *subtitle = NULL,
                  *gpu = NULL;

  g_return_if_fail (SHARDWISE_IS_TENSOR_LIST (self));

  self->n = sw_memory_tensors (problem, &estimate->strategy, stage, self->tensors);
  qsort (self->tensors, self->n, sizeof *self->tensors, compare_tensors);
  gpu = shardwise_text_gpu_of_stage (&estimate->strategy, stage);
  /* Translators: memory, such as 61.2 GiB, and "a GPU of stage 3" */
  subtitle = g_strdup_printf (_ ("What makes up the %s of %s when it holds most"), total, gpu);
  adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (self), subtitle);
  self->stale = TRUE;
  fill (self);
}
