/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-cost-card.h"

#include <glib/gi18n.h>

#include "shardwise-format.h"
#include "shardwise-cost.h"
#include "shardwise-line-layout.h"
#include "shardwise-wrap-layout.h"
#include "shardwise-wrapped-label.h"

struct _ShardwiseValueRow {
  AdwActionRow parent_instance;

  GtkLabel *value;
};

G_DEFINE_FINAL_TYPE (ShardwiseValueRow, shardwise_value_row, ADW_TYPE_ACTION_ROW)

static void
shardwise_value_row_class_init (ShardwiseValueRowClass *klass)
{}

static void
shardwise_value_row_init (ShardwiseValueRow *self)
{
  self->value = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (self->value, 1);
  gtk_label_set_selectable (self->value, TRUE);
  gtk_widget_set_can_focus (GTK_WIDGET (self->value), FALSE);
  gtk_widget_add_css_class (GTK_WIDGET (self->value), "numeric");
  adw_action_row_add_suffix (ADW_ACTION_ROW (self), GTK_WIDGET (self->value));
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (self), FALSE);
  adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (self), 0);
  /* Its title, which would be its name: the value belongs to it. */
  gtk_accessible_reset_relation (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_RELATION_LABELLED_BY);
  shardwise_line_layout_rows (GTK_WIDGET (self));
}

/**
 * shardwise_value_row_new:
 * @title: what it is, translated
 * @strong: for a total
 *
 * Returns: (transfer floating): a row without a value, which is not shown
 */
GtkWidget *
shardwise_value_row_new (const char *title, gboolean strong)
{
  ShardwiseValueRow *self = g_object_new (SHARDWISE_TYPE_VALUE_ROW, "title", title, "visible",
                                          FALSE, NULL);

  if (strong)
    gtk_widget_add_css_class (GTK_WIDGET (self), "chosen");
  return GTK_WIDGET (self);
}

/**
 * shardwise_value_row_set:
 * @self: a row
 * @value: (nullable): how much, with its unit; %NULL hides the row
 * @detail: (nullable): more about it
 */
void
shardwise_value_row_set (ShardwiseValueRow *self, const char *value, const char *detail)
{
  g_autofree char *sentence = NULL;

  g_return_if_fail (SHARDWISE_IS_VALUE_ROW (self));

  gtk_widget_set_visible (GTK_WIDGET (self), value != NULL);
  if (value == NULL)
    return;
  gtk_label_set_label (self->value, value);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self), detail != NULL ? detail : "");
  /* Translators: title and value of a row, for a screen reader */
  sentence = g_strdup_printf (_ ("%s: %s"),
                              adw_preferences_row_get_title (ADW_PREFERENCES_ROW (self)), value);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, sentence,
                                  -1);
}

/**
 * shardwise_value_row_lead:
 * @self: a row
 * @id: the input that its value is
 *
 * The row leads to that input, where it is changed.
 */
void
shardwise_value_row_lead (ShardwiseValueRow *self, ShardwiseKeyId id)
{
  GtkWidget *image = g_object_new (GTK_TYPE_IMAGE, "icon-name", "go-next-symbolic",
                                   "accessible-role", GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);

  g_return_if_fail (SHARDWISE_IS_VALUE_ROW (self));

  gtk_widget_add_css_class (image, "dim-label");
  gtk_label_set_selectable (self->value, FALSE); /* a click on it is one on the row */
  adw_action_row_add_suffix (ADW_ACTION_ROW (self), image);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (self), TRUE);
  gtk_actionable_set_action_target (GTK_ACTIONABLE (self), "s", shardwise_key_path (id));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self), "win.show-input");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), _ ("Change this input"));
}

struct _ShardwiseBillList {
  AdwBin parent_instance;

  AdwPreferencesGroup *group;
  GtkLabel *basis;   /* below the list, so that adjacent lists begin at the same height */
  ShardwiseKeyId id; /* the required price */
  ShardwiseValueRow *price, *items[SHARDWISE_N_COSTS], *total, *per_tokens;
};

G_DEFINE_FINAL_TYPE (ShardwiseBillList, shardwise_bill_list, ADW_TYPE_BIN)

static ShardwiseValueRow *
bill_add_row (ShardwiseBillList *self, const char *title, gboolean strong)
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

/*
 * shardwise_bill_list_new:
 * @title: whose bill it is, translated
 * @id: the key of the price that it needs
 *
 * Returns: (transfer floating): a list without a bill
 */
static GtkWidget *
shardwise_bill_list_new (const char *title, ShardwiseKeyId id)
{
  ShardwiseBillList *self = g_object_new (SHARDWISE_TYPE_BILL_LIST, NULL);

  adw_preferences_group_set_title (self->group, title);
  self->id = id;
  self->price = bill_add_row (self, _ (shardwise_key_get (id)->title), FALSE);
  shardwise_value_row_lead (self->price, id);
  for (guint i = 0; i < SHARDWISE_N_COSTS; i++)
    self->items[i] = bill_add_row (self, shardwise_text_cost_item ((ShardwiseCostKind) i), FALSE);
  self->total = bill_add_row (self, _ ("Total"), TRUE);
  self->per_tokens = bill_add_row (self, _ ("Per million tokens"), FALSE);
  return GTK_WIDGET (self);
}

/* 
 * shardwise_bill_list_show:
 * @self: a list
 * @price: (nullable): the price of the bill
 * @bill: a bill; without items only the price is shown
 * @currency: the currency of the amounts
 * @basis: (nullable): the basis of the bill, or the reason that there is none */
static void
shardwise_bill_list_show (ShardwiseBillList *self, const char *price, const ShardwiseBill *bill,
                          const char *currency, const char *basis)
{
  g_autofree char *total = NULL, *per_tokens = NULL;
  double shown[SHARDWISE_BILL_ITEMS];

  g_return_if_fail (SHARDWISE_IS_BILL_LIST (self) && bill != NULL);

  shardwise_bill_shown (bill, shown);
  shardwise_value_row_set (self->price, price != NULL ? price : _ ("not set"), NULL);
  shardwise_wrapped_label_show (self->basis, basis);
  for (guint i = 0; i < SHARDWISE_N_COSTS; i++)
    shardwise_value_row_set (self->items[i], NULL, NULL);
  for (guint i = 0; i < bill->n; i++)
    if (bill->items[i].amount > 0)
      {
        g_autofree char *value = shardwise_format_item (shown[i], bill->total, currency),
                        *share = bill->total > 0 ? shardwise_format_percent (bill->items[i].amount
                                                                             / bill->total)
                                                 : NULL;

        shardwise_value_row_set (self->items[bill->items[i].kind], value, share);
      }
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

#define FIGURE_WIDTH 160 /* pixels */
#define LIST_WIDTH 300

typedef enum { FIGURE_TOTAL, FIGURE_TOKENS, FIGURE_ENERGY, FIGURE_CO2, N_FIGURES } Figure;

/* The assumptions and their sources. */
static const ShardwiseKeyId assumed[] = { SHARDWISE_KEY_COST_DEPRECIATION_YEARS,
                                          SHARDWISE_KEY_COST_OVERHEAD_SHARE,
                                          SHARDWISE_KEY_COST_POWER_W,
                                          SHARDWISE_KEY_COST_PUE,
                                          SHARDWISE_KEY_COST_KWH_PRICE,
                                          SHARDWISE_KEY_COST_GRID_KG_CO2_PER_KWH };

struct _ShardwiseCostCard {
  AdwBin parent_instance;

  ShardwiseCost cost; /* what is shown */

  GtkLabel *verdict, *figures[N_FIGURES], *details[N_FIGURES], *break_even, *notes, *foot;
  GtkWidget *figure_boxes[N_FIGURES];
  ShardwiseBillList *cloud, *owned;
  GtkWidget *more, *rent, *assumptions;
  ShardwiseValueRow *offers[SHARDWISE_N_RENT_OFFERS], *assumption_rows[G_N_ELEMENTS (assumed)];
};

G_DEFINE_FINAL_TYPE (ShardwiseCostCard, shardwise_cost_card, ADW_TYPE_BIN)

/* ---- building ---- */

static GtkLabel *
add_label (GtkWidget *box, const char *css_class)
{
  GtkWidget *label = shardwise_wrapped_label_new (NULL, css_class);

  gtk_box_append (GTK_BOX (box), label);
  return GTK_LABEL (label);
}

static GtkWidget *
wrap_box_new (int item_width)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  gtk_widget_set_layout_manager (box, shardwise_wrap_layout_new (18, 12, item_width, 0));
  return box;
}

static GtkWidget *
make_figures (ShardwiseCostCard *self)
{
  static const char *const titles[N_FIGURES] = { N_ ("Total"), N_ ("Per million tokens"),
                                                 N_ ("Energy"), N_ ("CO₂") };
  GtkWidget *wrap = wrap_box_new (FIGURE_WIDTH);

  for (guint i = 0; i < N_FIGURES; i++)
    {
      GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);

      gtk_label_set_label (add_label (box, "caption-heading"), _ (titles[i]));
      self->figures[i] = add_label (box, "title-2");
      gtk_widget_add_css_class (GTK_WIDGET (self->figures[i]), "numeric");
      self->details[i] = add_label (box, "caption");
      gtk_widget_add_css_class (GTK_WIDGET (self->details[i]), "dim-label");
      self->figure_boxes[i] = box;
      gtk_box_append (GTK_BOX (wrap), box);
    }
  return wrap;
}

static GtkWidget *
make_bills (ShardwiseCostCard *self)
{
  GtkWidget *wrap = wrap_box_new (LIST_WIDTH);

  self->cloud =
      SHARDWISE_BILL_LIST (shardwise_bill_list_new (_ ("Rented"), SHARDWISE_KEY_COST_PRICE));
  self->owned =
      SHARDWISE_BILL_LIST (shardwise_bill_list_new (_ ("Owned"), SHARDWISE_KEY_COST_CAPEX_PER_GPU));
  gtk_box_append (GTK_BOX (wrap), GTK_WIDGET (self->cloud));
  gtk_box_append (GTK_BOX (wrap), GTK_WIDGET (self->owned));
  return wrap;
}

static GtkWidget *
expander_new (GtkWidget *list, const char *title, const char *subtitle)
{
  GtkWidget *expander = adw_expander_row_new ();

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (expander), title);
  adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (expander), subtitle);
  gtk_list_box_append (GTK_LIST_BOX (list), expander);
  return expander;
}

static ShardwiseValueRow *
add_row (GtkWidget *expander, const char *title)
{
  GtkWidget *row = shardwise_value_row_new (title, FALSE);

  adw_expander_row_add_row (ADW_EXPANDER_ROW (expander), row);
  return SHARDWISE_VALUE_ROW (row);
}

/* ---- showing ---- */

static void
set_figure (ShardwiseCostCard *self, Figure figure, const char *value, const char *detail)
{
  gtk_widget_set_visible (self->figure_boxes[figure], value != NULL);
  shardwise_wrapped_label_show (self->figures[figure], value);
  shardwise_wrapped_label_show (self->details[figure], detail);
}

static void
show_money (ShardwiseCostCard *self, const ShardwiseCostInputs *inputs, const SwEstimate *estimate)
{
  const ShardwiseBill *bill = shardwise_cost_bill (&self->cost);
  g_autofree char *total = NULL, *low = NULL, *high = NULL, *interval = NULL, *per_tokens = NULL,
                  *count = NULL, *tokens = NULL;
  double least, most;

  if (bill == NULL)
    {
      set_figure (self, FIGURE_TOTAL, NULL, NULL);
      set_figure (self, FIGURE_TOKENS, NULL, NULL);
      return;
    }
  total = shardwise_format_money (bill->total, inputs->currency);
  shardwise_cost_spread (bill->total, estimate, &least, &most);
  low = shardwise_format_money (least, inputs->currency);
  high = shardwise_format_money (most, inputs->currency);
  /* Translators: ends of the error interval */
  interval = g_strdup_printf (_ ("%s to %s"), low, high);
  set_figure (self, FIGURE_TOTAL, total, interval);
  per_tokens = shardwise_format_price (bill->per_million_tokens, inputs->currency);
  if (bill->per_million_tokens > 0)
    {
      count = shardwise_format_count (1e6 / bill->per_million_tokens);
      /* Translators: a number of tokens, a currency */
      tokens = g_strdup_printf (_ ("%s tokens for 1 %s"), count, inputs->currency);
    }
  set_figure (self, FIGURE_TOKENS, per_tokens, tokens);
}

static void
show_energy (ShardwiseCostCard *self, const ShardwiseCostInputs *inputs)
{
  g_autofree char *energy = NULL, *detail = NULL, *mass = NULL, *factor = NULL;

  if (!(self->cost.energy_kwh > 0))
    {
      set_figure (self, FIGURE_ENERGY, NULL, NULL);
      set_figure (self, FIGURE_CO2, NULL, NULL);
      return;
    }
  energy = shardwise_format_energy (self->cost.energy_kwh);
  /* Translators: power of a GPU in W, power usage effectiveness */
  detail = g_strdup_printf (_ ("%.0f W per GPU at work, PUE %.2f"), inputs->power_w, inputs->pue);
  set_figure (self, FIGURE_ENERGY, energy, detail);
  mass = shardwise_format_mass (self->cost.kg_co2);
  /* Translators: kg of CO2 for each kWh */
  factor = g_strdup_printf (_ ("%.3f kg per kWh of the grid"), inputs->grid_kg_co2_per_kwh);
  set_figure (self, FIGURE_CO2, mass, factor);
}

static void
show_offers (ShardwiseCostCard *self, const ShardwiseCostInputs *inputs)
{
  ShardwiseRentOffer offers[SHARDWISE_N_RENT_OFFERS];
  guint n = shardwise_cost_rent_offers (inputs, &self->cost, offers);

  gtk_widget_set_visible (self->rent, n > 0);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *title = shardwise_rent_offer_title (&offers[i]),
                      *price = shardwise_format_price (offers[i].price_below, inputs->currency),
                      *time = shardwise_format_seconds (offers[i].job_days * 86400), *detail = NULL;

      if (offers[i].kind == SHARDWISE_RENT_SPOT && offers[i].job_days > 0)
        /* Translators: a duration */
        detail = g_strdup_printf (_ ("the job then takes %s"), time);
      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->offers[i]), title);
      shardwise_value_row_set (self->offers[i], offers[i].job_days > 0 ? price : _ ("never"),
                               detail);
    }
}

static void
show_texts (ShardwiseCostCard *self, const ShardwiseCostInputs *inputs, guint gpus)
{
  g_autoptr (GPtrArray) notes = shardwise_cost_notes (inputs, &self->cost);
  g_autofree char *verdict = shardwise_cost_verdict (inputs, &self->cost, gpus),
                  *break_even = shardwise_cost_break_even_text (inputs, &self->cost),
                  *included = shardwise_cost_included (&self->cost),
                  *excluded = shardwise_cost_not_included (&self->cost),
                  *foot = g_strdup_printf ("%s\n%s", included, excluded), *joined = NULL;

  g_ptr_array_add (notes, NULL);
  joined = g_strjoinv ("\n", (char **) notes->pdata);
  shardwise_wrapped_label_show (self->verdict, verdict);
  shardwise_wrapped_label_show (self->break_even, break_even);
  shardwise_wrapped_label_show (self->notes, joined);
  shardwise_wrapped_label_show (self->foot, self->cost.basis != SHARDWISE_BASIS_NONE ? foot : NULL);
}

/**
 * shardwise_cost_card_show:
 * @self: a card
 * @scenario: the document
 * @problem: @scenario, resolved
 * @estimate: of the selected strategy, which fits
 *
 * Shows what the job costs with that strategy.
 */
void
shardwise_cost_card_show (ShardwiseCostCard *self, ShardwiseScenario *scenario,
                          const SwProblem *problem, const SwEstimate *estimate)
{
  ShardwiseCostInputs inputs;
  g_autofree char *cloud = NULL, *owned = NULL, *price = NULL, *capex = NULL, *said = NULL;

  g_return_if_fail (SHARDWISE_IS_COST_CARD (self) && SHARDWISE_IS_SCENARIO (scenario));

  shardwise_cost_inputs_read (scenario, problem, &inputs);
  shardwise_cost_compute (&inputs, problem, estimate, &self->cost);
  price = shardwise_cost_assumption (scenario, problem, &inputs, self->cloud->id, &said);
  g_clear_pointer (&said, g_free);
  capex = shardwise_cost_assumption (scenario, problem, &inputs, self->owned->id, &said);
  cloud = shardwise_cost_cloud_text (&inputs);
  owned = shardwise_cost_owned_text (&inputs);
  shardwise_bill_list_show (self->cloud, price, &self->cost.cloud, inputs.currency, cloud);
  shardwise_bill_list_show (self->owned, capex, &self->cost.owned, inputs.currency, owned);
  show_money (self, &inputs, estimate);
  show_energy (self, &inputs);
  show_offers (self, &inputs);
  for (guint i = 0; i < G_N_ELEMENTS (assumed); i++)
    {
      g_autofree char *detail = NULL, *value = shardwise_cost_assumption (
                                          scenario, problem, &inputs, assumed[i], &detail);

      shardwise_value_row_set (self->assumption_rows[i], value, detail);
    }
  show_texts (self, &inputs, problem->cluster.gpus);
}

/**
 * shardwise_cost_card_get_cost:
 * @self: a card
 *
 * Returns: (transfer none): what is shown
 */
const ShardwiseCost *
shardwise_cost_card_get_cost (ShardwiseCostCard *self)
{
  g_return_val_if_fail (SHARDWISE_IS_COST_CARD (self), NULL);
  return &self->cost;
}

static void
shardwise_cost_card_class_init (ShardwiseCostCardClass *klass)
{}

static void
shardwise_cost_card_init (ShardwiseCostCard *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 18),
            *card = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);

  gtk_widget_add_css_class (card, "card");
  gtk_widget_add_css_class (card, "cost-head");
  gtk_label_set_label (add_label (card, "heading"), _ ("Cost"));
  self->verdict = add_label (card, "numeric");
  gtk_box_append (GTK_BOX (card), make_figures (self));
  self->break_even = add_label (card, "numeric");
  self->notes = add_label (card, "dim-label");
  self->more = gtk_list_box_new ();
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (self->more), GTK_SELECTION_NONE);
  gtk_widget_add_css_class (self->more, "boxed-list");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->more), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Cost"), -1);
  self->rent = expander_new (self->more, _ ("Reserved or spot instead"),
                             _ ("The price per GPU-hour below which this costs less"));
  for (guint i = 0; i < SHARDWISE_N_RENT_OFFERS; i++)
    self->offers[i] = add_row (self->rent, "");
  self->assumptions = expander_new (self->more, _ ("Assumptions"),
                                    _ ("Each can be changed under Cost in the sidebar"));
  for (guint i = 0; i < G_N_ELEMENTS (assumed); i++)
    self->assumption_rows[i] = add_row (self->assumptions,
                                        _ (shardwise_key_get (assumed[i])->title));
  gtk_box_append (GTK_BOX (box), card);
  gtk_box_append (GTK_BOX (box), make_bills (self));
  gtk_box_append (GTK_BOX (box), self->more);
  self->foot = add_label (box, "caption");
  gtk_widget_add_css_class (GTK_WIDGET (self->foot), "dim-label");
  adw_bin_set_child (ADW_BIN (self), box);
}
