/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-budget-card.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "shardwise-advice-lists.h"
#include "shardwise-budget.h"
#include "shardwise-cost-card.h"
#include "shardwise-input-marks.h"
#include "shardwise-input-number.h"
#include "shardwise-sweep.h"
#include "shardwise-format.h"
#include "shardwise-wrapped-label.h"

#define MOST_OFFERS 10
#define DAY_S 86400.0
#define MOST_MONEY 1e15

struct _ShardwiseBudgetCard {
  AdwBin parent_instance;

  ShardwiseScenario *scenario; /* (nullable): the question */
  ShardwiseAdvice *advice;     /* (nullable): the answer to it */
  double amount;               /* 0: no amount */

  GtkWidget *entry, *rows[MOST_OFFERS], *buttons[MOST_OFFERS];
  GtkLabel *note;
  ShardwiseSweep *sweep;
};

G_DEFINE_FINAL_TYPE (ShardwiseBudgetCard, shardwise_budget_card, ADW_TYPE_BIN)

/* ---- computing ---- */

typedef struct {
  ShardwiseScenario *scenario;
  double amount;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  g_object_unref (job->scenario);
  g_free (job);
}

static GPtrArray *
work (gpointer data, void (*progress) (double fraction, gpointer data), gpointer progress_data,
      GCancellable *cancellable, GError **error)
{
  const Job *job = data;

  return shardwise_budget_search (job->scenario, job->amount, progress, progress_data, cancellable,
                                  error);
}

static void
compute (ShardwiseBudgetCard *self)
{
  Job *job;

  if (self->scenario == NULL || !(self->amount > 0))
    return;
  job = g_new0 (Job, 1);
  job->scenario = shardwise_scenario_copy (self->scenario);
  job->amount = self->amount;
  shardwise_sweep_run (self->sweep, work, job, job_free);
}

/* ---- showing ---- */

static GVariant *
changes_of (const ShardwiseBudgetOffer *offer)
{
  /* Tokens rounded to four digits, downward so that the money suffices. */
  const double unit = offer->tokens >= 1 ? pow (10, MAX (floor (log10 (offer->tokens)) - 3, 0)) : 1;
  GVariantBuilder changes;

  g_variant_builder_init (&changes, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&changes, "{sv}", shardwise_key_path (SHARDWISE_KEY_CLUSTER_GPUS),
                         g_variant_new_int64 (offer->gpus));
  g_variant_builder_add (&changes, "{sv}", shardwise_key_path (SHARDWISE_KEY_TRAINING_TOKENS),
                         g_variant_new_double (floor (offer->tokens / unit) * unit));
  return g_variant_builder_end (&changes);
}

static void
show_offer (ShardwiseBudgetCard *self, guint index, const ShardwiseBudgetOffer *offer)
{
  g_autofree char *title = shardwise_format_gpus (offer->gpus),
                  *days = shardwise_format_seconds (offer->days * DAY_S),
                  *count = shardwise_format_count (offer->tokens),
                  *low = shardwise_format_count (offer->tokens_low),
                  *high = shardwise_format_count (offer->tokens_high),
                  *tokens = g_strdup_printf (_ ("%s tokens"), count),
                  /* word joiners: no line is broken at the dash */
                      *range = g_strdup_printf ("%s\u2060–\u2060%s", low, high),
                  *whole = shardwise_format_unbroken (range),
                  *detail = g_strdup_printf ("%s · %s", days, whole);

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->rows[index]), title);
  shardwise_value_row_set (SHARDWISE_VALUE_ROW (self->rows[index]), tokens, detail);
  gtk_actionable_set_action_target_value (GTK_ACTIONABLE (self->buttons[index]),
                                          changes_of (offer));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->buttons[index]),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, title, -1);
}

/* If there are more offers than rows, the smallest clusters, which buy the most. */
static void
computed_cb (ShardwiseBudgetCard *self, GPtrArray *offers)
{
  for (guint i = 0; i < MOST_OFFERS; i++)
    if (i < offers->len)
      show_offer (self, i, g_ptr_array_index (offers, i));
    else
      shardwise_value_row_set (SHARDWISE_VALUE_ROW (self->rows[i]), NULL, NULL);
  shardwise_wrapped_label_show (self->note, offers->len > 0
                                                ? NULL
                                                : _ ("The budget does not pay for one day on any "
                                                     "cluster that fits, or no price is known."));
}

static void
apply_cb (ShardwiseBudgetCard *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  const gboolean empty = *text == '\0';
  double amount;
  /* "50000", "50k", "$50,000". */
  static const char *const symbols[] = { "$", "€", "£" };
  g_autofree char *number = g_strstrip (g_strdup (text));

  for (guint i = 0; i < G_N_ELEMENTS (symbols); i++)
    if (g_str_has_prefix (number, symbols[i]))
      memmove (number, number + strlen (symbols[i]), strlen (number) - strlen (symbols[i]) + 1);
  gboolean good = shardwise_input_number_parse (g_strstrip (number), FALSE, &amount) && amount > 0
                  && amount <= MOST_MONEY;

  shardwise_input_mark_wrong (NULL, self->entry, !good && !empty);
  shardwise_wrapped_label_show (self->note, NULL);
  if (good)
    {
      self->amount = amount;
      compute (self);
      return;
    }
  self->amount = 0;
  shardwise_sweep_drop (self->sweep);
  for (guint i = 0; i < MOST_OFFERS; i++)
    shardwise_value_row_set (SHARDWISE_VALUE_ROW (self->rows[i]), NULL, NULL);
  if (!empty)
    shardwise_wrapped_label_show (self->note, _ ("An amount of money, such as 50000 or 50k."));
}

/**
 * shardwise_budget_card_show:
 * @self: a card
 * @scenario: the question
 * @advice: the answer to it
 *
 * Searches again for the clusters that the amount buys, unless it did so for this very answer.
 */
void
shardwise_budget_card_show (ShardwiseBudgetCard *self, ShardwiseScenario *scenario,
                            ShardwiseAdvice *advice)
{
  const char *currency = NULL;
  g_autofree char *title = NULL;

  g_return_if_fail (SHARDWISE_IS_BUDGET_CARD (self));

  if (!g_set_object (&self->advice, advice))
    return;
  g_set_object (&self->scenario, scenario);
  shardwise_advice_get_cost (advice, &currency);
  /* Translators: the code of a currency */
  title = g_strdup_printf (_ ("Budget in %s"), currency != NULL ? currency : "USD");
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->entry), title);
  compute (self);
}

/* ---- building ---- */

static GtkWidget *
make_group (ShardwiseBudgetCard *self)
{
  GtkWidget *group = adw_preferences_group_new ();

  adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (group), _ ("What a budget buys"));
  self->entry = adw_entry_row_new ();
  adw_entry_row_set_show_apply_button (ADW_ENTRY_ROW (self->entry), TRUE);
  adw_entry_row_set_input_purpose (ADW_ENTRY_ROW (self->entry), GTK_INPUT_PURPOSE_NUMBER);
  gtk_widget_add_css_class (self->entry, "numeric");
  g_signal_connect_object (self->entry, "apply", G_CALLBACK (apply_cb), self, G_CONNECT_SWAPPED);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), self->entry);
  for (guint i = 0; i < MOST_OFFERS; i++)
    {
      const ShardwiseBudgetOffer none = { 0 };

      self->rows[i] = shardwise_value_row_new ("", FALSE);
      self->buttons[i] = shardwise_apply_button_new (_ ("Apply"), NULL, changes_of (&none));
      adw_action_row_add_suffix (ADW_ACTION_ROW (self->rows[i]), self->buttons[i]);
      adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), self->rows[i]);
      shardwise_sweep_keep (self->sweep, self->rows[i]);
    }
  return group;
}

static void
shardwise_budget_card_dispose (GObject *object)
{
  ShardwiseBudgetCard *self = SHARDWISE_BUDGET_CARD (object);

  g_clear_object (&self->scenario);
  g_clear_object (&self->advice);
  G_OBJECT_CLASS (shardwise_budget_card_parent_class)->dispose (object);
}

static void
shardwise_budget_card_class_init (ShardwiseBudgetCardClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = shardwise_budget_card_dispose;
}

static void
shardwise_budget_card_init (ShardwiseBudgetCard *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);

  self->sweep = g_object_new (SHARDWISE_TYPE_SWEEP, "text", _ ("Computing what the budget buys"),
                              NULL);
  self->note = GTK_LABEL (shardwise_wrapped_label_new (NULL, "dim-label"));
  gtk_widget_set_visible (GTK_WIDGET (self->note), FALSE);
  gtk_box_append (GTK_BOX (box), make_group (self));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->note));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->sweep));
  adw_bin_set_child (ADW_BIN (self), box);
  g_signal_connect_object (self->sweep, "computed", G_CALLBACK (computed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->sweep, "again", G_CALLBACK (compute), self, G_CONNECT_SWAPPED);
}
