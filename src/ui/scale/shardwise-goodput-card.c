/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-goodput-card.h"

#include <glib/gi18n.h>

#include "shardwise-chart-card.h"
#include "shardwise-cost-card.h"
#include "shardwise-goodput-chart.h"
#include "shardwise-format.h"

typedef enum {
  ROW_TRAINING,
  ROW_CHECKPOINTS,
  ROW_INTERRUPTIONS,
  ROW_BETWEEN,
  ROW_CHECKPOINT,
  ROW_INTERVAL,
  ROW_RESTART,
  ROW_STORAGE,
  N_ROWS
} Row;

struct _ShardwiseGoodputCard {
  AdwBin parent_instance;

  ShardwiseChartCard *card;
  ShardwiseGoodputChart *chart;
  ShardwiseValueRow *rows[N_ROWS];
};

G_DEFINE_FINAL_TYPE (ShardwiseGoodputCard, shardwise_goodput_card, ADW_TYPE_BIN)

/* What the bill says of the same, so that no two figures differ on a page; owned GPUs have no such
 * item. */
static char *
money_of (const ShardwiseBill *bill, ShardwiseCostKind kind, double share, const char *currency)
{
  double shown[SHARDWISE_BILL_ITEMS];

  shardwise_bill_shown (bill, shown);
  for (guint i = 0; i < bill->n; i++)
    if (bill->items[i].kind == kind)
      return shardwise_format_item (shown[i], bill->total, currency);
  return shardwise_format_money (share * bill->total, currency);
}

/* A share of the job in days, and below it in percent and money, because a narrow window has no
 * room beside the title. */
static void
set_share (ShardwiseGoodputCard *self, Row row, ShardwiseCostKind kind, const ShardwiseCost *cost,
           const char *currency, double share)
{
  const ShardwiseBill *bill = shardwise_cost_bill (cost);
  g_autofree char *percent = shardwise_format_percent (share),
                  *time = shardwise_format_seconds (share * cost->days * 86400),
                  *money = bill != NULL ? money_of (bill, kind, share, currency) : NULL,
                  *detail = NULL;

  if (money != NULL)
    detail = g_strdup_printf ("%s · %s", percent, money);
  if (cost->days > 0)
    shardwise_value_row_set (self->rows[row], time, detail != NULL ? detail : percent);
  else
    shardwise_value_row_set (self->rows[row], percent, NULL);
}

/* (nullable) value: what follows from the assumption; NULL: it is shown itself. */
static void
set_assumption (ShardwiseGoodputCard *self, Row row, ShardwiseScenario *scenario,
                const SwProblem *problem, const ShardwiseCostInputs *inputs, ShardwiseKeyId id,
                const char *value)
{
  g_autofree char *detail = NULL,
                  *assumed = shardwise_cost_assumption (scenario, problem, inputs, id, &detail),
                  *both = NULL;

  if (value != NULL && assumed != NULL && !g_str_equal (assumed, value))
    both = g_strdup_printf ("%s · %s", assumed, detail);
  shardwise_value_row_set (self->rows[row], value != NULL ? value : assumed,
                           both != NULL ? both : detail);
}

static void
show_checkpoint (ShardwiseGoodputCard *self, const ShardwiseCost *cost)
{
  const ShardwiseGoodput *goodput = &cost->goodput;
  g_autofree char *bytes = shardwise_format_bytes (cost->checkpoint_bytes),
                  *write = shardwise_format_seconds (goodput->write_s),
                  *interval = shardwise_format_seconds (goodput->interval_s),
                  *young = shardwise_format_seconds_beside (goodput->young_s, goodput->interval_s),
                  *both = NULL, *detail = NULL;

  /* Translators: an amount of memory, a duration */
  both = g_strdup_printf (_ ("%s in %s"), bytes, write);
  shardwise_value_row_set (
      self->rows[ROW_CHECKPOINT], both,
      _ ("weights and optimizer states, once; training waits while they are written"));
  /* Translators: a duration */
  detail = g_strdup_printf (_ ("Daly 2006; Young 1974 says %s"), young);
  shardwise_value_row_set (self->rows[ROW_INTERVAL], interval, detail);
}

/**
 * shardwise_goodput_card_show:
 * @self: a card
 * @scenario: the document
 * @problem: @scenario, resolved
 * @cost: of the selected strategy
 *
 * Shows where the time goes that does not train.
 */
void
shardwise_goodput_card_show (ShardwiseGoodputCard *self, ShardwiseScenario *scenario,
                             const SwProblem *problem, const ShardwiseCost *cost)
{
  const ShardwiseGoodput *goodput = &cost->goodput;
  ShardwiseCostInputs inputs;
  g_autofree char *between = shardwise_format_seconds (goodput->mtbf_s),
                  *restart = shardwise_format_seconds (goodput->restart_s), *sentence = NULL;

  g_return_if_fail (SHARDWISE_IS_GOODPUT_CARD (self) && SHARDWISE_IS_SCENARIO (scenario));

  shardwise_cost_inputs_read (scenario, problem, &inputs);
  sentence = shardwise_cost_goodput_text (cost);
  shardwise_goodput_chart_set_goodput (self->chart, goodput);
  shardwise_chart_card_set_takeaway (
      self->card, sentence != NULL
                      ? sentence
                      : _ ("The job is interrupted so often that it does not advance."));
  set_share (self, ROW_TRAINING, SHARDWISE_COST_STEPS, cost, inputs.currency, goodput->ratio);
  set_share (self, ROW_CHECKPOINTS, SHARDWISE_COST_CHECKPOINTS, cost, inputs.currency,
             goodput->checkpoint_share);
  set_share (self, ROW_INTERRUPTIONS, SHARDWISE_COST_INTERRUPTIONS, cost, inputs.currency,
             goodput->interruption_share);
  set_assumption (self, ROW_BETWEEN, scenario, problem, &inputs, SHARDWISE_KEY_COST_MTBF_GPU_HOURS,
                  between);
  set_assumption (self, ROW_RESTART, scenario, problem, &inputs, SHARDWISE_KEY_COST_RESTART_S,
                  restart);
  set_assumption (self, ROW_STORAGE, scenario, problem, &inputs, SHARDWISE_KEY_COST_STORAGE_GB_S,
                  NULL);
  show_checkpoint (self, cost);
}

static void
shardwise_goodput_card_class_init (ShardwiseGoodputCardClass *klass)
{}

static void
shardwise_goodput_card_init (ShardwiseGoodputCard *self)
{
  static const char *const titles[N_ROWS] = {
    [ROW_TRAINING] = N_ ("Training advances"),
    [ROW_CHECKPOINTS] = N_ ("Waiting for checkpoints"),
    [ROW_INTERRUPTIONS] = N_ ("Restarts and lost work"),
    [ROW_BETWEEN] = N_ ("Time between two interruptions of the job"),
    [ROW_CHECKPOINT] = N_ ("One checkpoint"),
    [ROW_INTERVAL] = N_ ("Work between two checkpoints"),
    [ROW_RESTART] = N_ ("Restart"),
    [ROW_STORAGE] = N_ ("Storage bandwidth"),
  };
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 18), *list = gtk_list_box_new ();

  self->chart = g_object_new (SHARDWISE_TYPE_GOODPUT_CHART, NULL);
  self->card = g_object_new (SHARDWISE_TYPE_CHART_CARD, "title", _ ("Failures and checkpoints"),
                             "chart", self->chart, NULL);
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  gtk_widget_add_css_class (list, "boxed-list");
  for (guint i = 0; i < N_ROWS; i++)
    {
      self->rows[i] =
          SHARDWISE_VALUE_ROW (shardwise_value_row_new (_ (titles[i]), i == ROW_TRAINING));
      gtk_list_box_append (GTK_LIST_BOX (list), GTK_WIDGET (self->rows[i]));
    }
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->card));
  gtk_box_append (GTK_BOX (box), list);
  adw_bin_set_child (ADW_BIN (self), box);
}
