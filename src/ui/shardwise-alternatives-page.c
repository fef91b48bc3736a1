/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-alternatives-page.h"

#include <glib/gi18n.h>
#include "shardwise-fold.h"
#include "shardwise-strategy-columns.h"
#include "shardwise-texts.h"
#include "shardwise-wrap-layout.h"

#define ROOMY 0.75 /* of the usable memory: the chip "Memory below 75 %" */

struct _ShardwiseAlternativesPage {
  ShardwisePage parent_instance;

  GListModel *strategies; /* (nullable): of the advisor */
  GtkFilterListModel *filtered;
  GtkFilter *filter;
  GtkSingleSelection *selection;
  char **words;     /* of the entry, folded; (nullable) */
  guint8 framework; /* SW_FRAMEWORK_ANY: all */

  GtkStack *stack;
  GtkRevealer *banner;
  GtkLabel *banner_label, *foot_label, *rejected_label;
  GtkExpander *foot;
  GtkEditable *search_entry;
  GtkToggleButton *no_pipeline_chip, *no_recompute_chip, *roomy_chip;
  GtkDropDown *framework_drop_down;
  AdwBin *fold_bin;
  AdwStatusPage *empty_page;
  GtkWidget *wide, *narrow;
  GtkColumnView *column_view;
  GtkListView *list_view;
};

G_DEFINE_FINAL_TYPE (ShardwiseAlternativesPage, shardwise_alternatives_page, SHARDWISE_TYPE_PAGE)

/* Filter */

/* Without spaces and case, so that "tp8" finds "TP 8". */
static char *
fold_text (const char *text)
{
  g_autofree char *folded = g_utf8_casefold (text, -1);
  GString *out = g_string_new (NULL);

  for (const char *c = folded; *c != '\0'; c = g_utf8_next_char (c))
    if (!g_unichar_isspace (g_utf8_get_char (c)))
      g_string_append_unichar (out, g_utf8_get_char (c));
  return g_string_free (out, FALSE);
}

static gboolean
matches_words (ShardwiseAlternativesPage *self, ShardwiseStrategy *strategy)
{
  g_autofree char *summary = NULL, *folded = NULL;

  if (self->words == NULL || self->words[0] == NULL)
    return TRUE;
  g_object_get (strategy, "summary", &summary, NULL);
  folded = fold_text (summary);
  for (guint i = 0; self->words[i] != NULL; i++)
    if (strstr (folded, self->words[i]) == NULL)
      return FALSE;
  return TRUE;
}

static gboolean
filter_cb (gpointer item, gpointer data)
{
  ShardwiseAlternativesPage *self = data;
  const SwEstimate *estimate = shardwise_strategy_get_estimate (item);
  const SwStrategy *strategy = &estimate->strategy;

  if (gtk_toggle_button_get_active (self->no_pipeline_chip) && strategy->pp > 1)
    return FALSE;
  if (gtk_toggle_button_get_active (self->no_recompute_chip)
      && strategy->recompute != SW_RECOMPUTE_NONE)
    return FALSE;
  if (gtk_toggle_button_get_active (self->roomy_chip) && estimate->memory_utilisation >= ROOMY)
    return FALSE;
  if (self->framework != SW_FRAMEWORK_ANY && strategy->framework != self->framework)
    return FALSE;
  return matches_words (self, item);
}

/* A degree and its number belong together: "tp 8 pp 4" is two words, "TP8" one. */
static char **
split_words (const char *text)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  g_auto (GStrv) given = g_strsplit_set (text, " \t·,", -1);

  for (guint i = 0; given[i] != NULL; i++)
    {
      gboolean number = g_ascii_isdigit (given[i][0]) && words->len > 0;
      g_autofree char *folded = fold_text (given[i]);

      if (*folded == '\0')
        continue;
      if (number)
        {
          char *last = g_ptr_array_index (words, words->len - 1);

          g_ptr_array_index (words, words->len - 1) = g_strconcat (last, folded, NULL);
          g_free (last);
        }
      else
        {
          g_ptr_array_add (words, g_steal_pointer (&folded));
        }
    }
  g_ptr_array_add (words, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&words), FALSE);
}

static void
filter_changed (ShardwiseAlternativesPage *self)
{
  guint chosen = gtk_drop_down_get_selected (self->framework_drop_down);

  g_strfreev (self->words);
  self->words = split_words (gtk_editable_get_text (self->search_entry));
  self->framework = chosen < SW_N_FRAMEWORKS ? (guint8) chosen : SW_FRAMEWORK_ANY;
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
}

static void
fill_frameworks (ShardwiseAlternativesPage *self)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);

  gtk_string_list_append (names, _ ("Every framework"));
  for (guint i = 1; i < SW_N_FRAMEWORKS; i++)
    gtk_string_list_append (names, shardwise_text_framework (i));
  gtk_drop_down_set_model (self->framework_drop_down, G_LIST_MODEL (names));
}

/* Selection */

static void
activate_cb (ShardwiseAlternativesPage *self, guint position)
{
  g_autoptr (ShardwiseStrategy) strategy =
    g_list_model_get_item (G_LIST_MODEL (self->selection), position);
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));

  if (strategy != NULL && advisor != NULL)
    shardwise_advisor_set_selected (advisor, shardwise_strategy_get_estimate (strategy));
}

static void
back_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  shardwise_advisor_set_selected (shardwise_page_get_advisor (SHARDWISE_PAGE (widget)), NULL);
}

static guint
rank_of (ShardwiseAlternativesPage *self, const SwEstimate *estimate)
{
  for (guint i = 0, n = self->strategies != NULL ? g_list_model_get_n_items (self->strategies) : 0;
       i < n; i++)
    {
      g_autoptr (ShardwiseStrategy) strategy = g_list_model_get_item (self->strategies, i);
      guint rank;

      if (!sw_strategy_equal (&shardwise_strategy_get_estimate (strategy)->strategy,
                              &estimate->strategy))
        continue;
      g_object_get (strategy, "rank", &rank, NULL);
      return rank;
    }
  return 0;
}

static void
update_banner (ShardwiseAlternativesPage *self, const SwEstimate *recommended,
               const SwEstimate *selected)
{
  gboolean other = !sw_strategy_equal (&recommended->strategy, &selected->strategy);
  g_autofree char *text = NULL, *summary = NULL;
  guint rank;

  gtk_revealer_set_reveal_child (self->banner, other);
  if (!other)
    return;
  rank = rank_of (self, selected);
  summary = shardwise_text_strategy (&selected->strategy);
  if (rank > 0)
    /* Translators: the rank of a strategy, and what it is ("TP 8 · PP 4 …") */
    text = g_strdup_printf (_ ("You look at alternative %u on every page: %s"), rank, summary);
  else
    /* Translators: what a strategy is ("TP 8 · PP 4 …") */
    text = g_strdup_printf (_ ("You look at another strategy on every page: %s"), summary);
  gtk_label_set_label (self->banner_label, text);
}

/* Foot */

static const char *
rule_name (SwRule rule)
{
  static const char *const names[SW_N_RULES] = {
    [SW_RULE_WORLD_SIZE] = N_ ("does not divide the GPUs"),
    [SW_RULE_TP_HEADS] = N_ ("attention heads are not a multiple of TP"),
    [SW_RULE_TP_KV_HEADS] = N_ ("KV heads do not suit TP"),
    [SW_RULE_TP_WIDTH] = N_ ("widths are not a multiple of TP"),
    [SW_RULE_ETP] = N_ ("the experts' width does not suit their tensor parallelism"),
    [SW_RULE_PP_LAYERS] = N_ ("layers do not suit the pipeline"),
    [SW_RULE_VPP_LAYERS] = N_ ("layers do not suit the virtual stages"),
    [SW_RULE_VPP_MICRO_BATCHES] = N_ ("interleaving wants micro-batches in multiples of PP"),
    [SW_RULE_CP_SEQUENCE] = N_ ("the sequence does not suit CP"),
    [SW_RULE_CP_HEADS] = N_ ("heads do not suit Ulysses"),
    [SW_RULE_EP_EXPERTS] = N_ ("experts are not a multiple of EP"),
    [SW_RULE_EP_WORLD] = N_ ("EP does not divide the replicas"),
    [SW_RULE_BATCH] = N_ ("the batch is not a multiple of DP × micro-batch"),
    [SW_RULE_SHARD_GROUP] = N_ ("the shard group does not divide DP"),
    [SW_RULE_SEQUENCE_PARALLEL] = N_ ("sequence parallelism without TP"),
    [SW_RULE_FRAMEWORK_TP] = N_ ("the framework has no such TP"),
    [SW_RULE_FRAMEWORK_PP] = N_ ("the framework has no such pipeline"),
    [SW_RULE_FRAMEWORK_CP] = N_ ("the framework has no such CP"),
    [SW_RULE_FRAMEWORK_EP] = N_ ("the framework has no such EP"),
    [SW_RULE_FRAMEWORK_ZERO] = N_ ("the framework refuses this ZeRO stage here"),
    [SW_RULE_FRAMEWORK_SCHEDULE] = N_ ("the framework has no such schedule"),
    [SW_RULE_FRAMEWORK_RECOMPUTE] = N_ ("the framework has no such recomputation"),
    [SW_RULE_FRAMEWORK_OFFLOAD] = N_ ("the framework has no such offload"),
    [SW_RULE_FRAMEWORK_SP] = N_ ("the framework has no sequence parallelism"),
    [SW_RULE_PRECISION] = N_ ("no such arithmetic"),
    [SW_RULE_PIN] = N_ ("another value is fixed"),
    [SW_RULE_GPU_MEMORY] = N_ ("over the memory target"),
    [SW_RULE_HOST_MEMORY] = N_ ("over the memory of the host"),
  };

  return names[rule] != NULL ? _ (names[rule]) : sw_rule_names[rule];
}

static char *
grouped (guint64 count)
{
  return g_strdup_printf ("%'" G_GUINT64_FORMAT, count);
}

static char *
list_rejections (const SwSearchResult *search)
{
  GString *text = g_string_new (NULL);

  for (guint rule = SW_RULE_OK + 1; rule < SW_N_RULES; rule++)
    if (search->rejected[rule] > 0)
      {
        if (text->len > 0)
          g_string_append_c (text, '\n');
        g_string_append_printf (text, "%'" G_GUINT64_FORMAT "  %s", search->rejected[rule],
                                rule_name (rule));
      }
  return g_string_free (text, FALSE);
}

static void
update_foot (ShardwiseAlternativesPage *self, const SwSearchResult *search)
{
  g_autofree char *rejected = list_rejections (search), *text = NULL;
  g_autofree char *tried = grouped (search->tried), *timed = grouped (search->timed),
                  *fit = grouped (search->fit);
  guint shown = g_list_model_get_n_items (G_LIST_MODEL (self->filtered));
  guint all = self->strategies != NULL ? g_list_model_get_n_items (self->strategies) : 0;

  /* Translators: counts of strategies: tried, timed by the model, fitting; then how many the list shows of how many it has */
  text = g_strdup_printf (
    _ ("%s tried, %s timed, %s fit. The list shows %'u of the best %'u. Why the others fell away"),
    tried, timed, fit, shown, all);
  gtk_label_set_label (self->foot_label, text);
  gtk_label_set_label (self->rejected_label, rejected);
}

static void
shown_changed_cb (ShardwiseAlternativesPage *self)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  ShardwiseAdvice *advice = advisor != NULL ? shardwise_advisor_get_advice (advisor) : NULL;

  if (advice != NULL && shardwise_advice_get_search (advice) != NULL)
    update_foot (self, shardwise_advice_get_search (advice));
}

/* Page */

static void
set_strategies (ShardwiseAlternativesPage *self, GListModel *strategies)
{
  if (g_set_object (&self->strategies, strategies))
    gtk_filter_list_model_set_model (self->filtered, strategies);
}

static void
shardwise_alternatives_page_update (ShardwisePage *page)
{
  ShardwiseAlternativesPage *self = SHARDWISE_ALTERNATIVES_PAGE (page);
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (page);
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);
  const SwEstimate *selected = shardwise_advisor_get_selected (advisor);
  gboolean fits = advice != NULL && shardwise_advice_get_fits (advice);

  set_strategies (self, shardwise_advisor_get_strategies (advisor));
  gtk_stack_set_visible_child_name (self->stack, fits ? "list" : "empty");
  if (advice != NULL && !fits)
    {
      adw_status_page_set_title (self->empty_page, _ ("Nothing Fits"));
      adw_status_page_set_description (
        self->empty_page, _ ("No strategy fits this cluster; the Advice page says what would."));
    }
  if (advice == NULL || selected == NULL)
    return;
  update_banner (self, shardwise_advice_get_recommended (advice), selected);
  shown_changed_cb (self);
}

static void
shardwise_alternatives_page_dispose (GObject *object)
{
  ShardwiseAlternativesPage *self = SHARDWISE_ALTERNATIVES_PAGE (object);

  if (self->filtered != NULL)
    gtk_filter_list_model_set_filter (self->filtered, NULL); /* it reads the chips, which go now */
  g_clear_object (&self->strategies);
  g_clear_object (&self->filtered);
  g_clear_object (&self->filter);
  g_clear_object (&self->selection);
  g_clear_pointer (&self->words, g_strfreev);
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_ALTERNATIVES_PAGE);
  G_OBJECT_CLASS (shardwise_alternatives_page_parent_class)->dispose (object);
}

static void
bind_children (GtkWidgetClass *widget_class)
{
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, stack);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, banner);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, banner_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, foot);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, foot_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, rejected_label);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, search_entry);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, no_pipeline_chip);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, no_recompute_chip);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, roomy_chip);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage,
                                        framework_drop_down);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, fold_bin);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, empty_page);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, wide);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, narrow);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, column_view);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAlternativesPage, list_view);
}

static void
shardwise_alternatives_page_class_init (ShardwiseAlternativesPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_alternatives_page_dispose;
  SHARDWISE_PAGE_CLASS (klass)->update = shardwise_alternatives_page_update;

  g_type_ensure (SHARDWISE_TYPE_WRAP_LAYOUT);
  gtk_widget_class_install_action (widget_class, "alternatives.back", NULL, back_cb);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-alternatives-page.ui");
  bind_children (widget_class);
}

/* Filter, then sort by the headings, then select. The sort makes an object of every row: right for the best few
 * that the live search keeps. */
static void
build_models (ShardwiseAlternativesPage *self)
{
  GtkSorter *sorter = gtk_column_view_get_sorter (self->column_view);
  GtkSortListModel *sorted;

  self->filter = GTK_FILTER (gtk_custom_filter_new (filter_cb, self, NULL));
  self->filtered = gtk_filter_list_model_new (NULL, g_object_ref (self->filter));
  sorted =
    gtk_sort_list_model_new (G_LIST_MODEL (g_object_ref (self->filtered)), g_object_ref (sorter));
  gtk_sort_list_model_set_incremental (sorted, TRUE);
  self->selection = gtk_single_selection_new (G_LIST_MODEL (sorted));
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  gtk_column_view_set_model (self->column_view, GTK_SELECTION_MODEL (self->selection));
  gtk_list_view_set_model (self->list_view, GTK_SELECTION_MODEL (self->selection));
}

static void
connect_signals (ShardwiseAlternativesPage *self)
{
  GtkWidget *chips[] = { GTK_WIDGET (self->no_pipeline_chip), GTK_WIDGET (self->no_recompute_chip),
                         GTK_WIDGET (self->roomy_chip) };

  for (guint i = 0; i < G_N_ELEMENTS (chips); i++)
    g_signal_connect_object (chips[i], "toggled", G_CALLBACK (filter_changed), self,
                             G_CONNECT_SWAPPED);
  g_signal_connect_object (self->search_entry, "search-changed", G_CALLBACK (filter_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->framework_drop_down, "notify::selected",
                           G_CALLBACK (filter_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->column_view, "activate", G_CALLBACK (activate_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->list_view, "activate", G_CALLBACK (activate_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->filtered, "items-changed", G_CALLBACK (shown_changed_cb), self,
                           G_CONNECT_SWAPPED);
}

static void
shardwise_alternatives_page_init (ShardwiseAlternativesPage *self)
{
  g_autoptr (GtkListItemFactory) rows = shardwise_strategy_row_factory_new ();

  gtk_widget_init_template (GTK_WIDGET (self));
  shardwise_strategy_columns_append (self->column_view);
  gtk_list_view_set_factory (self->list_view, rows);
  adw_bin_set_child (self->fold_bin, shardwise_fold_new (self->wide, self->narrow));
  fill_frameworks (self);
  build_models (self);
  connect_signals (self);
}

/**
 * shardwise_alternatives_page_new:
 *
 * Returns: (transfer floating): an empty page
 */
GtkWidget *
shardwise_alternatives_page_new (void)
{
  return g_object_new (SHARDWISE_TYPE_ALTERNATIVES_PAGE, NULL);
}
