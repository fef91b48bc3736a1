/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cost, failures and the cluster for a date as the page Scale shows them. */
#include <math.h>

#include "shardwise-budget-card.h"
#include "shardwise-chart-draw.h"
#include "shardwise-cost-card.h"
#include "shardwise-cost-section.h"
#include "shardwise-deadline-card.h"
#include "shardwise-goodput-card.h"
#include "shardwise-goodput-chart.h"
#include "shardwise-input-row.h"
#include "shardwise-json.h"
#include "shardwise-plan-chart.h"
#include "shardwise-sweep.h"
#include "shardwise-format.h"
#include "shardwise-cost-card.h"

#include "ui-fixture.h"

#define JOB                                                                                        \
  "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 16}, \"training\": \
{\"tokens\": 1e12%s}, \"cost\": {%s}}"
#define BOTH "\"price\": 2.5, \"price_date\": \"2026-11\", \"capex_per_gpu\": 35000, \"pue\": 1.3"

static gboolean
is_running (GtkWidget *card)
{
  return shardwise_sweep_is_running (SHARDWISE_SWEEP (ui_find (card, SHARDWISE_TYPE_SWEEP)));
}

static void
wait_for_plan (GtkWidget *widget)
{
  GtkWidget *card = ui_find (widget, SHARDWISE_TYPE_DEADLINE_CARD);

  wait_until (!is_running (card));
}

/* All that a page has it show. */
static void
show (GtkWidget *section, ShardwiseAdvisor *advisor)
{
  shardwise_cost_section_show (SHARDWISE_COST_SECTION (section), advisor);
  shardwise_cost_section_plan (SHARDWISE_COST_SECTION (section), advisor);
}

/* A section that shows the job while the cluster for its date is still sought; the window owns
 * it. */
static GtkWidget *
show_costs (const char *training, const char *costs, int width, ShardwiseAdvisor **advisor,
            GtkWidget **window)
{
  g_autofree char *json = g_strdup_printf (JOB, training, costs);
  GtkWidget *section = shardwise_cost_section_new (), *scroller = gtk_scrolled_window_new ();

  *advisor = ui_advisor (json);
  gtk_widget_set_valign (section, GTK_ALIGN_START);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), section);
  *window = ui_show (scroller, width, 2600);
  show (section, *advisor);
  return section;
}

/* The same with all that it says. */
static GtkWidget *
show_job (const char *training, const char *costs, int width, ShardwiseAdvisor **advisor,
          GtkWidget **window)
{
  GtkWidget *section = show_costs (training, costs, width, advisor, window);

  wait_for_plan (section);
  return section;
}

/* ---- the same numbers everywhere ---- */

static double
number (JsonNode *node, const char *name)
{
  return json_object_get_double_member (json_node_get_object (node), name);
}

/* What the card shows is what `shardwise-cli cost` prints, to the last digit. */
static void
test_command_line (void)
{
  static const char *const types[] = { "pretrain", "finetune", "lora", "rlhf" };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autofree char *type = g_strdup_printf (", \"type\": \"%s\"", types[i]),
                      *json = g_strdup_printf (JOB, type, BOTH);
      g_autoptr (ShardwiseAdvisor) advisor = NULL;
      g_autoptr (JsonNode) printed = ui_run_cli (json, "cost", NULL, NULL);
      GtkWidget *window, *section = show_costs (type, BOTH, 1000, &advisor, &window);
      const ShardwiseCost *cost = shardwise_cost_card_get_cost (
          SHARDWISE_COST_CARD (ui_find (section, SHARDWISE_TYPE_COST_CARD)));

      g_test_message ("%s", types[i]);
      g_assert_cmpfloat (cost->days, ==, number (printed, "days"));
      g_assert_cmpfloat (shardwise_cost_bill (cost)->total, ==, number (printed, "total"));
      g_assert_cmpfloat (cost->goodput.ratio, ==, number (printed, "goodput"));
      g_assert_cmpfloat (cost->energy_kwh, ==, number (printed, "energy_kwh"));
      g_assert_cmpfloat (cost->kg_co2, ==, number (printed, "kg_co2"));
      gtk_window_destroy (GTK_WINDOW (window));
    }
}

/* ---- the cost card ---- */

static gboolean
is_figure (GtkWidget *widget, gconstpointer unused)
{
  return GTK_IS_LABEL (widget) && gtk_widget_has_css_class (widget, "numeric");
}

/* The first text with figures in the widget. */
static const char *
figure_in (GtkWidget *widget)
{
  return gtk_label_get_label (GTK_LABEL (ui_find_match (widget, is_figure, NULL)));
}

static double
amount_in (GtkWidget *row)
{
  const char *text = figure_in (row);

  g_assert_true (g_str_has_prefix (text, "$"));
  return g_ascii_strtod (text + 1, NULL);
}

static guint
collect_values (GtkWidget *widget, GPtrArray *rows)
{
  /* but for those that only lead to an input */
  if (SHARDWISE_IS_VALUE_ROW (widget) && gtk_widget_get_visible (widget)
      && gtk_actionable_get_action_name (GTK_ACTIONABLE (widget)) == NULL)
    g_ptr_array_add (rows, widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    collect_values (child, rows);
  return rows->len;
}

/* Each bill adds up in what can be read: its items, then the total and the price of tokens. A row
 * is called with its amount: its title alone does not name it. */
static void
test_bills (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = NULL;
  GtkWidget *window, *section = show_job ("", BOTH, 1000, &advisor, &window);
  GtkWidget *list = ui_find (section, SHARDWISE_TYPE_BILL_LIST);
  guint n_lists = 0;

  for (; list != NULL; list = gtk_widget_get_next_sibling (list), n_lists++)
    {
      g_autoptr (GPtrArray) rows = g_ptr_array_new ();
      guint n = collect_values (list, rows);
      double sum = 0;

      g_assert_cmpuint (n, >=, 5);
      for (guint i = 0; i + 2 < n; i++)
        {
          sum += amount_in (rows->pdata[i]);
          g_assert_true (
              gtk_test_accessible_has_property (rows->pdata[i], GTK_ACCESSIBLE_PROPERTY_LABEL));
          g_assert_false (gtk_test_accessible_has_relation (rows->pdata[i],
                                                            GTK_ACCESSIBLE_RELATION_LABELLED_BY));
        }
      g_assert_cmpfloat_with_epsilon (sum, amount_in (rows->pdata[n - 2]), 1e-6);
    }
  g_assert_cmpuint (n_lists, ==, 2);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Below the total stands what it may be, as the speed may be another one. */
static void
test_interval (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = NULL;
  GtkWidget *window, *section = show_job ("", "\"price\": 2.5", 1000, &advisor, &window);
  const SwEstimate *e = shardwise_advisor_get_selected (advisor);
  ShardwiseCostCard *card = SHARDWISE_COST_CARD (ui_find (section, SHARDWISE_TYPE_COST_CARD));
  double hours = e->gpus_used * 1e12 / 3600, price = 2.5;
  double goodput = shardwise_cost_card_get_cost (card)->goodput.ratio;
  g_autofree char *least = NULL, *most = NULL, *text = NULL;

  least = shardwise_format_money (price * hours / e->tokens_high_per_s / goodput, "USD");
  most = shardwise_format_money (price * hours / e->tokens_low_per_s / goodput, "USD");
  text = g_strdup_printf ("%s to %s", least, most);
  g_assert_cmpstr (least, !=, most);
  g_assert_true (ui_says (section, text));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A row of the failures has one figure beside its title, so that a narrow window has room for both;
 * its share and its money are below. */
static void
test_failures (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = NULL;
  GtkWidget *window, *section = show_job ("", BOTH, 360, &advisor, &window);
  g_autoptr (GPtrArray) rows = g_ptr_array_new ();

  collect_values (ui_find (section, SHARDWISE_TYPE_GOODPUT_CARD), rows);
  g_assert_cmpuint (rows->len, >=, 3);
  for (guint i = 0; i < 3; i++)
    {
      const char *below = adw_action_row_get_subtitle (ADW_ACTION_ROW (rows->pdata[i]));

      g_assert_null (strstr (figure_in (rows->pdata[i]), " · "));
      g_assert_nonnull (strstr (below, "%"));
      g_assert_nonnull (strstr (below, "$"));
    }
  /* The last one is the storage: an input, said once, with the digits of the inputs. */
  g_assert_cmpstr (figure_in (rows->pdata[rows->len - 1]), ==, "1.302 GB/s");
  g_assert_null (
      strstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (rows->pdata[rows->len - 1])), " · "));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The money of the failures is that of the bill above them, to the digit. */
static void
test_failures_of_bill (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = NULL;
  GtkWidget *window, *section = show_job ("", "\"price\": 2.5", 1000, &advisor, &window);
  g_autoptr (GPtrArray) rows = g_ptr_array_new (), items = g_ptr_array_new ();

  collect_values (ui_find (section, SHARDWISE_TYPE_GOODPUT_CARD), rows);
  collect_values (ui_find (section, SHARDWISE_TYPE_BILL_LIST), items);
  for (guint i = 0; i < 3; i++)
    g_assert_true (g_str_has_suffix (adw_action_row_get_subtitle (ADW_ACTION_ROW (rows->pdata[i])),
                                     figure_in (items->pdata[i])));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The price stands once, in the inputs: its row leads there. */
static void
test_edit (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = NULL;
  GtkWidget *window, *section = show_job ("", "\"price\": 1.75", 1000, &advisor, &window);
  GtkWidget *row = ui_find (ui_find (section, SHARDWISE_TYPE_BILL_LIST), SHARDWISE_TYPE_VALUE_ROW);

  g_assert_null (ui_find (section, SHARDWISE_TYPE_INPUT_ROW));
  g_assert_cmpstr (gtk_actionable_get_action_name (GTK_ACTIONABLE (row)), ==, "win.show-input");
  g_assert_cmpstr (
      g_variant_get_string (gtk_actionable_get_action_target_value (GTK_ACTIONABLE (row)), NULL),
      ==, "cost.price");
  g_assert_true (ui_says (row, "1.75"));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Without tokens, or where nothing fits, no number is made up. */
static void
test_nothing (void)
{
  static const struct {
    const char *json;
    gboolean fits;
  } jobs[] = {
    { "{\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8}}", TRUE },
    { "{\"model\": {\"preset\": \"llama-3.1-405b\"}, \"cluster\": {\"gpus\": 1}, \"training\": "
      "{\"tokens\": 1e9}}",
      FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++)
    {
      g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (jobs[i].json);
      GtkWidget *section = shardwise_cost_section_new (), *window = ui_show (section, 600, 2600),
                *card;

      show (section, advisor);
      wait_for_plan (section);
      card = ui_find (section, SHARDWISE_TYPE_COST_CARD);
      g_assert_cmpint (gtk_widget_get_visible (card), ==, jobs[i].fits);
      g_assert_cmpfloat (shardwise_cost_card_get_cost (SHARDWISE_COST_CARD (card))->days, ==, 0);
      if (jobs[i].fits)
        g_assert_cmpstr (figure_in (card), ==, "");
      gtk_window_destroy (GTK_WINDOW (window));
    }
}

/* ---- failures ---- */

/* Whether a colour is in the area of a point: 0xrrggbb. */
static gboolean
has_color (cairo_surface_t *picture, const graphene_rect_t *area, guint32 color)
{
  for (double y = area->origin.y; y < area->origin.y + area->size.height; y++)
    for (double x = area->origin.x; x < area->origin.x + area->size.width; x++)
      if (ui_pixel (picture, x, y) == color)
        return TRUE;
  return FALSE;
}

/* The curve is highest where the card says, at the share that the bill counts with. */
static void
test_curve (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = NULL;
  GtkWidget *window, *section = show_job ("", BOTH, 1000, &advisor, &window);
  ShardwiseChart *chart = SHARDWISE_CHART (ui_find (section, SHARDWISE_TYPE_GOODPUT_CHART));
  const ShardwiseCost *cost = shardwise_cost_card_get_cost (
      SHARDWISE_COST_CARD (ui_find (section, SHARDWISE_TYPE_COST_CARD)));
  guint n = shardwise_chart_n_points (chart);
  cairo_surface_t *picture = ui_picture (GTK_WIDGET (chart), "cost-curve");
  double best = 0;

  g_assert_cmpuint (n, >, 10);
  for (guint i = 0; i < n; i++)
    {
      ShardwiseChartCell cell = { 0 };
      graphene_rect_t area;

      g_assert_true (SHARDWISE_CHART_GET_CLASS (chart)->point_area (chart, i, &area));
      g_assert_true (has_color (picture, &area, 0x1c71d8)); /* the curve goes through its points */
      g_assert_cmpfloat (area.origin.x, >, 0);
      g_assert_cmpfloat (area.origin.x + area.size.width, <,
                         gtk_widget_get_width (GTK_WIDGET (chart)));
      g_assert_cmpfloat (area.origin.y + area.size.height, <,
                         gtk_widget_get_height (GTK_WIDGET (chart)));
      SHARDWISE_CHART_GET_CLASS (chart)->cell (chart, i, 1, &cell);
      best = MAX (best, cell.number / 100);
    }
  g_assert_cmpfloat_with_epsilon (best, cost->goodput.ratio, 1e-4);
  cairo_surface_destroy (picture);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* ---- the date ---- */

static void
apply_cb (GSimpleAction *action, GVariant *changes, gpointer data)
{
  g_assert_true (g_variant_lookup (changes, "cluster.gpus", "x", data));
}

static char *
in_days (int days)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autoptr (GDateTime) then = g_date_time_add_days (now, days);
  g_autofree char *date = g_date_time_format (then, "%Y-%m-%d");

  return g_strdup_printf (", \"deadline\": \"%s\"", date);
}

/* The button that takes the smallest cluster. */
#define USE "Use "

static gboolean
is_smallest (GtkWidget *widget, gconstpointer unused)
{
  const char *label = GTK_IS_BUTTON (widget) ? gtk_button_get_label (GTK_BUTTON (widget)) : NULL;

  return label != NULL && gtk_widget_get_mapped (widget) && g_str_has_prefix (label, USE);
}

static void
test_deadline (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = NULL;
  g_autofree char *training = in_days (40);
  GtkWidget *window, *section = show_job (training, BOTH, 1000, &advisor, &window);
  GtkWidget *card = ui_find (section, SHARDWISE_TYPE_DEADLINE_CARD),
            *use = ui_find_match (card, is_smallest, NULL);
  ShardwiseChart *chart = SHARDWISE_CHART (ui_find (section, SHARDWISE_TYPE_PLAN_CHART));
  g_autoptr (GSimpleActionGroup) group = g_simple_action_group_new ();
  g_autoptr (GSimpleAction) apply = g_simple_action_new ("apply", G_VARIANT_TYPE_VARDICT);
  guint smallest;
  gint64 applied = 0;

  g_assert_nonnull (use);
  smallest = (guint) atoi (gtk_button_get_label (GTK_BUTTON (use)) + strlen (USE));
  g_assert_cmpuint (smallest, >, 16);
  g_assert_true (ui_says (card, "smallest cluster"));
  g_assert_true (ui_says (card, "\302\240GPUs")); /* no line ends between a number and its unit */
  for (guint i = 0; i < shardwise_chart_n_points (chart); i++)
    {
      ShardwiseChartCell gpus, days;

      SHARDWISE_CHART_GET_CLASS (chart)->cell (chart, i, 0, &gpus);
      SHARDWISE_CHART_GET_CLASS (chart)->cell (chart, i, 1, &days);
      g_assert_true (gpus.number >= smallest || days.number > 40);
    }
  g_signal_connect (apply, "activate", G_CALLBACK (apply_cb), &applied);
  g_action_map_add_action (G_ACTION_MAP (group), G_ACTION (apply));
  gtk_widget_insert_action_group (window, "win", G_ACTION_GROUP (group));
  g_signal_emit_by_name (use, "clicked");
  g_assert_cmpint (applied, ==, smallest);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Above the curve there is room for the name of a deadline only where there is one. */
static void
test_no_deadline (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = NULL;
  GtkWidget *window, *section = show_job ("", "\"price\": 2.5", 1000, &advisor, &window);
  ShardwiseChart *chart = SHARDWISE_CHART (ui_find (section, SHARDWISE_TYPE_PLAN_CHART));
  float top = G_MAXFLOAT;
  graphene_rect_t plot, point;

  ui_wake (section);
  gtk_test_widget_wait_for_draw (window);
  shardwise_chart_get_plot (chart, &plot);
  g_assert_cmpfloat (plot.size.height, >, 100);
  g_assert_cmpuint (shardwise_chart_n_points (chart), >, 0);
  for (guint i = 0; i < shardwise_chart_n_points (chart); i++)
    {
      SHARDWISE_CHART_GET_CLASS (chart)->point_area (chart, i, &point);
      top = MIN (top, point.origin.y);
    }
  g_assert_cmpfloat (top - plot.origin.y, <, 3 * shardwise_draw_line_height (chart));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Without tokens there is nothing to be done by a date: a search that is under way is given up, or
 * its plan would stand there as the answer. */
static void
test_no_tokens (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = NULL;
  g_autofree char *training = in_days (40);
  GtkWidget *window, *section = show_costs (training, BOTH, 1000, &advisor, &window);
  GtkWidget *card = ui_find (section, SHARDWISE_TYPE_DEADLINE_CARD);

  g_assert_true (is_running (card));
  shardwise_scenario_reset (shardwise_advisor_get_scenario (advisor),
                            SHARDWISE_KEY_TRAINING_TOKENS);
  while (shardwise_advisor_get_status (advisor) != SHARDWISE_STATUS_READY)
    g_main_context_iteration (NULL, TRUE);
  show (section, advisor);
  g_assert_false (is_running (card));
  g_assert_true (ui_says (card, "Set the number of tokens"));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Tomorrow is too soon for any cluster: that is said, and nothing is offered. */
static void
test_impossible (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = NULL;
  g_autofree char *training = in_days (1);
  GtkWidget *window, *section = show_job (training, BOTH, 500, &advisor, &window);
  GtkWidget *card = ui_find (section, SHARDWISE_TYPE_DEADLINE_CARD);

  g_assert_null (ui_find_match (card, is_smallest, NULL));
  g_assert_true (ui_says (card, "None of these clusters"));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* ---- the budget ---- */

static gboolean
is_offer (GtkWidget *widget, gconstpointer unused)
{
  return SHARDWISE_IS_VALUE_ROW (widget) && gtk_widget_get_visible (widget);
}

static guint
count_offers (GtkWidget *widget)
{
  return ui_count (widget, is_offer, NULL);
}

/* As an amount is typed and applied. */
static void
type_amount (GtkWidget *card, const char *amount)
{
  GtkWidget *entry = ui_find (card, ADW_TYPE_ENTRY_ROW);

  gtk_editable_set_text (GTK_EDITABLE (entry), amount);
  g_signal_emit_by_name (entry, "apply");
}

/* Tokens that the first row's button asks for; 0: there is none. */
static double
tokens_of_offer (GtkWidget *widget)
{
  double tokens = 0;

  if (GTK_IS_BUTTON (widget))
    {
      GVariant *target = gtk_actionable_get_action_target_value (GTK_ACTIONABLE (widget));

      if (target != NULL && g_variant_is_of_type (target, G_VARIANT_TYPE_VARDICT))
        g_variant_lookup (target, "training.tokens", "d", &tokens);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && tokens == 0;
       child = gtk_widget_get_next_sibling (child))
    tokens = tokens_of_offer (child);
  return tokens;
}

/* An amount is read as people write it; what is none is told of and leaves nothing behind. What is
 * applied has four digits, so that its field shows all of it. */
static void
test_budget (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = NULL;
  GtkWidget *window, *section = show_job ("", BOTH, 500, &advisor, &window);
  GtkWidget *card = ui_find (section, SHARDWISE_TYPE_BUDGET_CARD);
  double tokens;
  guint n;

  g_assert_cmpuint (count_offers (card), ==, 0);
  type_amount (card, "$50,000");
  wait_until (!is_running (card));
  n = count_offers (card);
  g_assert_cmpuint (n, >, 4);
  tokens = tokens_of_offer (card);
  g_assert_cmpfloat (tokens, >=, 1e9);
  g_assert_cmpfloat (fmod (tokens, 1e6), ==, 0);
  type_amount (card, "much");
  g_assert_cmpuint (count_offers (card), ==, 0);
  type_amount (card, "50k");
  wait_until (!is_running (card));
  g_assert_cmpuint (count_offers (card), ==, n);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Rows that are seen and dimmed: what they say is of another amount. */
static gboolean
is_dimmed_offer (GtkWidget *widget, gconstpointer unused)
{
  return is_offer (widget, NULL) && gtk_widget_has_css_class (widget, "kept");
}

/* What another amount bought is dimmed until this one is known; an amount that is taken back leaves
 * neither that nor a search behind. */
static void
test_other_budget (void)
{
  g_autoptr (ShardwiseAdvisor) advisor = NULL;
  GtkWidget *window, *section = show_job ("", BOTH, 500, &advisor, &window);
  GtkWidget *card = ui_find (section, SHARDWISE_TYPE_BUDGET_CARD);

  type_amount (card, "50k");
  wait_until (!is_running (card));
  g_assert_cmpuint (ui_count (card, is_dimmed_offer, NULL), ==, 0);
  type_amount (card, "60k");
  g_assert_cmpuint (ui_count (card, is_dimmed_offer, NULL), ==, count_offers (card));
  type_amount (card, "");
  g_assert_false (is_running (card));
  g_assert_cmpuint (count_offers (card), ==, 0);
  g_assert_false (gtk_widget_get_visible (ui_find (card, SHARDWISE_TYPE_SWEEP)));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* ---- pictures ---- */

static void
test_pictures (void)
{
  static const int widths[] = { 336, 640, 1200 };
  AdwStyleManager *manager = adw_style_manager_get_default ();
  g_autofree char *training = in_days (40);

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      g_autoptr (ShardwiseAdvisor) advisor = NULL;
      GtkWidget *window, *section = show_job (training, BOTH, widths[i], &advisor, &window);

      for (guint dark = 0; dark < 2; dark++)
        {
          g_autofree char *name = g_strdup_printf ("cost-%d%s", widths[i], dark ? "-dark" : "");

          adw_style_manager_set_color_scheme (manager, dark ? ADW_COLOR_SCHEME_FORCE_DARK
                                                            : ADW_COLOR_SCHEME_FORCE_LIGHT);
          cairo_surface_destroy (ui_picture (gtk_widget_get_parent (section), name));
          g_assert_cmpint (gtk_widget_get_width (section), ==, widths[i]);
        }
      gtk_window_destroy (GTK_WINDOW (window));
    }
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_DEFAULT);
}

/* A section that goes while clusters are searched leaves nothing behind. */
static void
test_destroy_running (void)
{
  g_autofree char *json = g_strdup_printf (JOB, "", BOTH);
  g_autoptr (ShardwiseAdvisor) advisor = ui_advisor (json);
  GtkWidget *section = shardwise_cost_section_new (), *window = ui_show (section, 500, 700);
  GWeakRef weak;

  g_weak_ref_init (&weak, section);
  show (section, advisor);
  gtk_window_destroy (GTK_WINDOW (window));
  ui_await_gone (&weak);
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;

  g_test_add_func ("/cost-section/command-line", test_command_line);
  g_test_add_func ("/cost-section/bills", test_bills);
  g_test_add_func ("/cost-section/interval", test_interval);
  g_test_add_func ("/cost-section/failures", test_failures);
  g_test_add_func ("/cost-section/no-deadline", test_no_deadline);
  g_test_add_func ("/cost-section/failures-of-bill", test_failures_of_bill);
  g_test_add_func ("/cost-section/edit", test_edit);
  g_test_add_func ("/cost-section/nothing", test_nothing);
  g_test_add_func ("/cost-section/curve", test_curve);
  g_test_add_func ("/cost-section/deadline", test_deadline);
  g_test_add_func ("/cost-section/no-tokens", test_no_tokens);
  g_test_add_func ("/cost-section/budget", test_budget);
  g_test_add_func ("/cost-section/other-budget", test_other_budget);
  g_test_add_func ("/cost-section/impossible", test_impossible);
  g_test_add_func ("/cost-section/destroy-running", test_destroy_running);
  g_test_add_func ("/cost-section/pictures", test_pictures);
  return g_test_run ();
}
