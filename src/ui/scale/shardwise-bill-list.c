/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-cost-card.h"

#include <glib/gi18n.h>

#include "shardwise-input-row.h"
#include "shardwise-format.h"
#include "shardwise-money.h"
#include "shardwise-cost-card.h"
#include "shardwise-wrapped-label.h"

struct _ShardwiseBillList {
  AdwBin parent_instance;

  AdwPreferencesGroup *group;
  GtkLabel *basis; /* under the list, so that the lists beside each other begin at one height */
  ShardwiseInputRow *input;
  ShardwiseValueRow *items[SHARDWISE_N_COSTS], *total, *per_tokens;
};

G_DEFINE_FINAL_TYPE (ShardwiseBillList, shardwise_bill_list, ADW_TYPE_BIN)

static ShardwiseValueRow *
add_row (ShardwiseBillList *self, const char *title, gboolean strong)
{
  GtkWidget *row = shardwise_value_row_new (title, strong);

  adw_preferences_group_add (self->group, row);
  return SHARDWISE_VALUE_ROW (row);
}

static void
shardwise_bill_list_class_init (ShardwiseBillListClass *klass)
{}

static void
shardwise_bill_list_init (ShardwiseBillList *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  self->group = ADW_PREFERENCES_GROUP (adw_preferences_group_new ());
  self->basis = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_wrap (self->basis, TRUE);
  gtk_label_set_xalign (self->basis, 0);
  gtk_widget_add_css_class (GTK_WIDGET (self->basis), "caption");
  gtk_widget_add_css_class (GTK_WIDGET (self->basis), "dim-label");
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->group));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->basis));
  adw_bin_set_child (ADW_BIN (self), box);
}

/**
 * shardwise_bill_list_new:
 * @title: whose bill it is, translated
 * @path: the key of the price that it needs
 *
 * Returns: (transfer floating): a list without a bill
 */
GtkWidget *
shardwise_bill_list_new (const char *title, const char *path)
{
  ShardwiseBillList *self = g_object_new (SHARDWISE_TYPE_BILL_LIST, NULL);

  adw_preferences_group_set_title (self->group, title);
  self->input = g_object_new (SHARDWISE_TYPE_INPUT_ROW, "path", path, NULL);
  adw_preferences_group_add (self->group, GTK_WIDGET (self->input));
  for (guint i = 0; i < SHARDWISE_N_COSTS; i++)
    self->items[i] = add_row (self, shardwise_text_cost_item ((ShardwiseCostKind) i), FALSE);
  self->total = add_row (self, _ ("Total"), TRUE);
  self->per_tokens = add_row (self, _ ("Per million tokens"), FALSE);
  return GTK_WIDGET (self);
}

static void
set_share (ShardwiseValueRow *row, double shown, double amount, double total, const char *currency)
{
  g_autofree char *value = shardwise_format_item (shown, total, currency),
                  *share = total > 0 ? shardwise_format_percent (amount / total) : NULL;

  shardwise_value_row_set (row, value, share);
}

/**
 * shardwise_bill_list_show:
 * @self: a list
 * @scenario: whose price is edited above the bill
 * @bill: without items only the price is asked for
 * @currency: of the amounts
 * @basis: (nullable): what the bill goes by, or why there is none
 */
void
shardwise_bill_list_show (ShardwiseBillList *self, ShardwiseScenario *scenario,
                          const ShardwiseBill *bill, const char *currency, const char *basis)
{
  g_autofree char *total = NULL, *per_tokens = NULL;
  double shown[SHARDWISE_BILL_ITEMS];

  g_return_if_fail (SHARDWISE_IS_BILL_LIST (self) && bill != NULL);

  shardwise_bill_shown (bill, shown);
  shardwise_input_row_set_scenario (self->input, scenario);
  shardwise_wrapped_label_show (self->basis, basis);
  for (guint i = 0; i < SHARDWISE_N_COSTS; i++)
    shardwise_value_row_set (self->items[i], NULL, NULL);
  for (guint i = 0; i < bill->n; i++)
    if (bill->items[i].amount > 0)
      set_share (self->items[bill->items[i].kind], shown[i], bill->items[i].amount, bill->total,
                 currency);
  if (bill->n == 0)
    {
      shardwise_value_row_set (self->total, NULL, NULL);
      shardwise_value_row_set (self->per_tokens, NULL, NULL);
      return;
    }
  total = shardwise_format_price (bill->total, currency);
  shardwise_value_row_set (self->total, total, NULL);
  per_tokens = shardwise_format_price (bill->per_million_tokens, currency);
  shardwise_value_row_set (self->per_tokens, per_tokens, NULL);
}
