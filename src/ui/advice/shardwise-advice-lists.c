/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-advice-lists.h"

#include <glib/gi18n.h>

#include "shardwise-changes.h"
#include "shardwise-container.h"
#include "shardwise-fit-look.h"
#include "shardwise-export-search.h"
#include "shardwise-line-layout.h"
#include "shardwise-format.h"
#include "shardwise-text-strategy.h"
#include "shardwise-text-search.h"
#include "shardwise-wrapped-label.h"

#define MAX_ACTIONS 3
#define MAX_WAYS 3 /* ways out that are not folded away */

static AdwActionRow *
row_new (const char *title, const char *subtitle)
{
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *unbroken = shardwise_format_unbroken (title);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), unbroken);
  if (subtitle)
    {
      g_autofree char *text = shardwise_format_unbroken (subtitle);

      adw_action_row_set_subtitle (ADW_ACTION_ROW (row), text);
    }
  gtk_widget_add_css_class (row, "numeric");
  shardwise_line_layout_rows (row);
  return ADW_ACTION_ROW (row);
}

static AdwActionRow *
add_row (GtkListBox *list, const char *title, const char *subtitle)
{
  AdwActionRow *row = row_new (title, subtitle);

  gtk_list_box_append (list, GTK_WIDGET (row));
  return row;
}

/* A screen reader reads the words in the row, so it skips the icon. */
static void
add_icon (AdwActionRow *row, const char *icon, const char *css_class)
{
  GtkWidget *image = g_object_new (GTK_TYPE_IMAGE, "icon-name", icon, "accessible-role",
                                   GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);

  if (css_class)
    gtk_widget_add_css_class (image, css_class);
  adw_action_row_add_prefix (row, image);
}

/**
 * shardwise_apply_button_new:
 * @label: what it says
 * @tooltip: (nullable): what it does in full
 * @changes: a{sv} of key paths and values; sunk if floating
 *
 * Returns: (transfer floating): a button of win.apply
 */
GtkWidget *
shardwise_apply_button_new (const char *label, const char *tooltip, GVariant *changes)
{
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (button, tooltip);
  shardwise_tooltip_wrap (button);
  gtk_actionable_set_action_target_value (GTK_ACTIONABLE (button), changes);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.apply");
  if (tooltip)
    gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                    tooltip, -1);
  return button;
}

/**
 * shardwise_apply_button_add:
 * @row: a row
 * @text: what applying does
 * @changes: as of shardwise_apply_button_new()
 *
 * Adds an Apply button, which is below the text in a narrow window.
 */
void
shardwise_apply_button_add (AdwActionRow *row, const char *text, GVariant *changes)
{
  adw_action_row_add_suffix (row, shardwise_apply_button_new (_ ("Apply"), text, changes));
  shardwise_line_layout_stack_suffixes (GTK_LIST_BOX_ROW (row));
}

/**
 * shardwise_result_text:
 * @estimate: a strategy
 *
 * Returns: (transfer full): its memory and throughput, or what is missing
 */
char *
shardwise_result_text (const SwEstimate *estimate)
{
  g_autofree char *memory = NULL, *tokens = NULL, *missing = NULL;
  double over;

  g_return_val_if_fail (estimate != NULL, NULL);
  /* What is missing may be the host's. */
  over = estimate->memory.peak.total - estimate->memory_limit_bytes;
  memory = shardwise_format_bytes (estimate->memory.peak.total);
  tokens = shardwise_format_significant (estimate->tokens_per_s_per_gpu);
  if (estimate->missing_bytes <= 0 || over <= 0)
    /* Translators: memory and tokens per second of one GPU */
    return g_strdup_printf (_ ("%s and %s tokens/s per GPU"), memory, tokens);
  missing = shardwise_format_bytes (over);
  /* Translators: memory of one GPU, and how much more that is than it may use */
  return g_strdup_printf (_ ("%s per GPU, %s over the limit"), memory, missing);
}

static const struct {
  const char *icon, *css_class;
} notice_looks[] = {
  [SHARDWISE_SEVERITY_INFO] = { "dialog-information-symbolic", "accent" },
  [SHARDWISE_SEVERITY_WARNING] = { "dialog-warning-symbolic", "warning" },
  [SHARDWISE_SEVERITY_ERROR] = { "dialog-error-symbolic", "error" },
};

/* What nothing can be done about is no warning. */
static void
add_notice (GtkListBox *list, const ShardwiseRecommendation *notice)
{
  const guint look = notice->changes ? notice->severity : SHARDWISE_SEVERITY_INFO;
  AdwActionRow *row = add_row (list, notice->text, NULL);

  add_icon (row, notice_looks[look].icon, notice_looks[look].css_class);
  if (notice->changes)
    shardwise_apply_button_add (row, notice->text, notice->changes);
}

/**
 * shardwise_advice_list_actions:
 *
 * Returns: number of rows: what can be done at once, the most urgent first, at most three
 */
guint
shardwise_advice_list_actions (GtkListBox *list, ShardwiseAdvice *advice)
{
  GPtrArray *notices = shardwise_advice_get_recommendations (advice);
  guint n = 0;

  shardwise_container_empty_list (list);
  for (int severity = SHARDWISE_SEVERITY_ERROR; severity >= SHARDWISE_SEVERITY_INFO; severity--)
    for (guint i = 0; i < notices->len && n < MAX_ACTIONS; i++)
      {
        const ShardwiseRecommendation *notice = g_ptr_array_index (notices, i);

        if ((int) notice->severity != severity || !notice->changes)
          continue;
        add_notice (list, notice);
        n++;
      }
  return n;
}

/**
 * shardwise_advice_list_notices:
 *
 * Returns: number of warnings and recommendations
 */
guint
shardwise_advice_list_notices (GtkListBox *list, ShardwiseAdvice *advice)
{
  GPtrArray *notices = shardwise_advice_get_recommendations (advice),
            *notes = shardwise_advice_get_notes (advice);

  shardwise_container_empty_list (list);
  for (guint i = 0; i < notices->len; i++)
    add_notice (list, g_ptr_array_index (notices, i));
  for (guint i = 0; i < notes->len; i++)
    add_icon (add_row (list, g_ptr_array_index (notes, i), NULL), "dialog-information-symbolic",
              "dim-label");
  return notices->len + notes->len;
}

/**
 * shardwise_advice_list_assumptions:
 *
 * Returns: number of rows: each leads to the input that changes what it says
 */
guint
shardwise_advice_list_assumptions (GtkListBox *list, ShardwiseAdvice *advice)
{
  GPtrArray *assumptions = shardwise_advice_get_assumptions (advice);

  shardwise_container_empty_list (list);
  for (guint i = 0; i < assumptions->len; i++)
    {
      const ShardwiseAssumption *assumption = g_ptr_array_index (assumptions, i);
      AdwActionRow *row = add_row (list, assumption->text, NULL);
      GtkWidget *image = g_object_new (GTK_TYPE_IMAGE, "icon-name", "go-next-symbolic",
                                       "accessible-role", GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);

      gtk_widget_add_css_class (image, "dim-label");
      adw_action_row_add_suffix (row, image);
      gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
      gtk_actionable_set_action_target (GTK_ACTIONABLE (row), "s",
                                        shardwise_key_path (assumption->key));
      gtk_actionable_set_action_name (GTK_ACTIONABLE (row), "win.show-input");
      gtk_widget_set_tooltip_text (GTK_WIDGET (row), _ ("Change this input"));
      gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                      _ ("Change this input"), -1);
    }
  return assumptions->len;
}

static AdwExpanderRow *
add_expander (GtkListBox *list, const char *title, const char *subtitle, gboolean expanded)
{
  GtkWidget *row = adw_expander_row_new ();

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (row), subtitle);
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (row), expanded);
  shardwise_line_layout_rows (row);
  gtk_list_box_append (list, row);
  return ADW_EXPANDER_ROW (row);
}

static GtkWidget *
way_row_new (const ShardwiseWayOut *way)
{
  AdwActionRow *row = row_new (way->change, NULL); /* the text includes the result */

  if (way->changes)
    shardwise_apply_button_add (row, way->change, way->changes);
  return GTK_WIDGET (row);
}

/* What is no way out need not be compared. */
static guint
add_misses (GtkListBox *list, ShardwiseAdvice *advice)
{
  GPtrArray *misses = shardwise_advice_get_misses (advice);
  AdwExpanderRow *parent;

  if (misses->len == 0)
    return 0;
  parent = add_expander (list, _ ("These changes alone are not enough"), "", FALSE);
  for (guint i = 0; i < misses->len; i++)
    {
      const ShardwiseMiss *miss = g_ptr_array_index (misses, i);

      adw_expander_row_add_row (parent, GTK_WIDGET (row_new (miss->text, NULL)));
    }
  return 1;
}

/**
 * shardwise_advice_list_ways_out:
 *
 * Returns: number of rows: the first single changes that make the job fit, one that folds away the
 * others, and one for all changes that alone do not
 */
guint
shardwise_advice_list_ways_out (GtkListBox *list, ShardwiseAdvice *advice)
{
  GPtrArray *ways = shardwise_advice_get_ways_out (advice);
  /* A fold of one row is as long as the row. */
  const guint n = ways->len > MAX_WAYS + 1 ? MAX_WAYS : ways->len, others = ways->len - n;

  shardwise_container_empty_list (list);
  for (guint i = 0; i < n; i++)
    gtk_list_box_append (list, way_row_new (g_ptr_array_index (ways, i)));
  if (others > 0)
    {
      g_autofree char *title = g_strdup_printf (
          ngettext ("%u more change that makes it fit", "%u more changes that make it fit", others),
          others);
      AdwExpanderRow *parent = add_expander (list, title, "", FALSE);

      for (guint i = n; i < ways->len; i++)
        adw_expander_row_add_row (parent, way_row_new (g_ptr_array_index (ways, i)));
    }
  return n + (others > 0) + add_misses (list, advice);
}

/**
 * shardwise_advice_list_frameworks:
 *
 * Returns: number of rows: the result of each framework that is usual for the job, that of the
 * answer first, in the order of shardwise_advice_get_frameworks()
 */
guint
shardwise_advice_list_frameworks (GtkListBox *list, ShardwiseAdvice *advice)
{
  GArray *choices = shardwise_advice_get_frameworks (advice);
  const SwProblem *problem = shardwise_advice_get_problem (advice);

  shardwise_container_empty_list (list);
  for (guint i = 0; i < choices->len; i++)
    {
      const ShardwiseFrameworkChoice *choice = &g_array_index (choices, ShardwiseFrameworkChoice,
                                                               i);
      const SwFit fit = choice->has_strategy ? choice->estimate.fit : SW_FIT_DOES_NOT_FIT;
      g_autofree char *figures = shardwise_text_framework_figures (problem, choice),
                      *strategy = shardwise_text_strategy (&choice->estimate.strategy),
                      *targets = shardwise_targets_of_choice (advice, choice), *subtitle = NULL;
      AdwActionRow *row;

      subtitle = choice->has_strategy
                     /* Translators: figures of a strategy, the strategy, names of file formats */
                     ? g_strdup_printf (_ ("%s\n%s\nExports: %s"), figures, strategy, targets)
                     : g_strdup (figures);
      row = add_row (list, shardwise_text_framework (choice->framework), subtitle);
      add_icon (row, shardwise_fit_looks[fit].icon, shardwise_fit_looks[fit].css_class);
      gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), choice->has_strategy);
      if (i > 0 && choice->has_strategy)
        {
          GVariantDict changes;
          /* Translators: name of a framework */
          g_autofree char *tooltip = g_strdup_printf (_ ("Search only %s strategies"),
                                                      shardwise_text_framework (choice->framework));

          g_variant_dict_init (&changes, NULL);
          shardwise_changes_insert (&changes, SHARDWISE_KEY_TRAINING_FRAMEWORK, "s",
                                    sw_framework_names[choice->framework]);
          adw_action_row_add_suffix (
              row, shardwise_apply_button_new (_ ("Use"), tooltip, g_variant_dict_end (&changes)));
          shardwise_line_layout_stack_suffixes (GTK_LIST_BOX_ROW (row));
        }
    }
  return choices->len;
}

/**
 * shardwise_advice_list_nearest:
 *
 * Returns: number of strategies that miss the least memory
 */
guint
shardwise_advice_list_nearest (GtkListBox *list, ShardwiseAdvice *advice)
{
  const SwSearchResult *search = shardwise_advice_get_search (advice);
  const SwProblem *problem = shardwise_advice_get_problem (advice);

  shardwise_container_empty_list (list);
  for (guint i = 0; i < search->n_nearest; i++)
    {
      SwEstimate estimate;
      g_autofree char *title = shardwise_text_strategy (&search->nearest[i].strategy),
                      *result = NULL, *host = NULL, *subtitle = NULL;

      sw_estimate (problem, &search->nearest[i].strategy, &estimate);
      result = shardwise_result_text (&estimate);
      host = shardwise_text_host_lack (problem, &estimate);
      subtitle = *host != '\0' ? g_strdup_printf ("%s. %s", result, host) : g_strdup (result);
      add_row (list, title, subtitle);
    }
  return search->n_nearest;
}

/**
 * shardwise_advice_list_usual:
 *
 * Returns: number of rows: the convention of the framework, and published recipes
 */
guint
shardwise_advice_list_usual (GtkListBox *list, ShardwiseAdvice *advice)
{
  GPtrArray *all = shardwise_advice_get_usual (advice);

  shardwise_container_empty_list (list);
  for (guint i = 0; i < all->len; i++)
    {
      const ShardwiseUsual *usual = g_ptr_array_index (all, i);
      g_autofree char *strategy = shardwise_text_strategy (&usual->estimate.strategy),
                      *text = g_strdup_printf (
                          "%s · %s\n%s", strategy,
                          shardwise_text_framework (usual->estimate.strategy.framework),
                          usual->text);
      AdwActionRow *row = add_row (list, usual->name, text);

      if (usual->recipe != NULL)
        {
          gtk_widget_set_tooltip_text (GTK_WIDGET (row), usual->recipe->source);
          shardwise_tooltip_wrap (GTK_WIDGET (row));
        }
      if (usual->estimate.fits)
        shardwise_apply_button_add (row, _ ("Pin this strategy"), usual->changes);
    }
  return all->len;
}

/* ---- the plan to verify it ---- */

enum { VERIFY_LOOK, VERIFY_MEMORY, VERIFY_SLOWER, N_VERIFY };

/**
 * shardwise_advice_list_verify:
 *
 * Returns: number of rows: what to look at on the cluster, and what to change; rows that were open stay
 * open
 */
guint
shardwise_advice_list_verify (GtkListBox *list, ShardwiseAdvice *advice)
{
  const ShardwiseVerify *verify = shardwise_advice_get_verify (advice);
  g_autofree char *summary = shardwise_verify_summary ();
  gboolean open[N_VERIFY] = { FALSE };
  AdwExpanderRow *parent;

  for (guint i = 0; i < N_VERIFY; i++)
    {
      GtkListBoxRow *row = gtk_list_box_get_row_at_index (list, (int) i);

      open[i] = row != NULL && adw_expander_row_get_expanded (ADW_EXPANDER_ROW (row));
    }
  shardwise_container_empty_list (list);
  if (verify == NULL)
    return 0;
  parent = add_expander (list, _ ("What to look at"), summary, open[VERIFY_LOOK]);
  for (guint i = 0; i < verify->look_at->len; i++)
    {
      const ShardwiseLookAt *look = g_ptr_array_index (verify->look_at, i);
      /* Translators: the name of a figure, and what is predicted of it */
      g_autofree char *title = g_strdup_printf (_ ("%s: %s"), look->title, look->value);

      adw_expander_row_add_row (parent, GTK_WIDGET (row_new (title, look->where)));
    }
  parent = add_expander (
      list, _ ("If it is out of memory"),
      _ ("Make one change after another; each figure includes the changes before it."),
      open[VERIFY_MEMORY]);
  for (guint i = 0; i < verify->if_out_of_memory->len; i++)
    {
      const ShardwiseRemedy *remedy = g_ptr_array_index (verify->if_out_of_memory, i);
      AdwActionRow *row = row_new (remedy->text, NULL);

      shardwise_apply_button_add (row, remedy->text, remedy->changes);
      adw_expander_row_add_row (parent, GTK_WIDGET (row));
    }
  gtk_widget_set_visible (GTK_WIDGET (parent), verify->if_out_of_memory->len > 0);
  parent = add_expander (list, _ ("If it is slower"),
                         _ ("The parts of a step that take longest, except compute."),
                         open[VERIFY_SLOWER]);
  for (guint i = 0; i < verify->if_slower->len; i++)
    {
      const ShardwiseSuspect *suspect = g_ptr_array_index (verify->if_slower, i);

      adw_expander_row_add_row (parent, GTK_WIDGET (row_new (suspect->text, NULL)));
    }
  return N_VERIFY;
}

/* ---- the search ---- */

static void
add_count (AdwExpanderRow *parent, const char *title, guint64 count)
{
  GtkWidget *row = adw_action_row_new (), *label;
  g_autofree char *text = shardwise_format_whole ((double) count);

  label = gtk_label_new (text);
  gtk_widget_add_css_class (label, "numeric");
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), label);
  adw_expander_row_add_row (parent, row);
}

static void
add_rejections (GtkListBox *list, const SwSearchResult *search)
{
  GtkWidget *row;
  guint rules[SW_N_RULES];
  guint64 total = 0;
  const guint n = shardwise_search_rejections (search, rules, &total);
  g_autofree char *title = NULL, *count = shardwise_format_whole ((double) total);

  if (n == 0)
    return;
  row = adw_expander_row_new ();
  title = g_strdup_printf (_ ("%s rejected, listed by the first rule that they violate"), count);
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  for (guint i = 0; i < n; i++)
    add_count (ADW_EXPANDER_ROW (row), shardwise_text_rule_title ((SwRule) rules[i]),
               search->rejected[rules[i]]);
  shardwise_line_layout_rows (row);
  gtk_list_box_append (list, row);
}

static void
add_gpu_counts (GtkListBox *list, ShardwiseAdvice *advice)
{
  guint n, sensible = shardwise_advice_get_sensible_gpus (advice);
  const SwLeastGpus *least = shardwise_advice_get_least (advice, &n);
  g_autofree char *numbers = shardwise_text_least (least, n), *title = NULL, *subtitle = NULL;

  if (n == 0)
    return;
  /* Translators: numbers of GPUs, and what they take: "24; 8 with 8-bit Adam" */
  title = g_strdup_printf (_ ("Fewest GPUs on which it certainly fits: %s"), numbers);
  if (sensible > 0)
    /* Translators: a number of GPUs */
    subtitle = g_strdup_printf (_ ("Sensible number: %'u, without offload"), sensible);
  add_row (list, title, subtitle);
}

/**
 * shardwise_advice_list_search:
 *
 * Returns: number of rows: strategies that were tried, rejected ones with the reasons, and the GPUs
 * that are needed
 */
guint
shardwise_advice_list_search (GtkListBox *list, ShardwiseAdvice *advice)
{
  const SwSearchResult *search = shardwise_advice_get_search (advice);
  g_autofree char *fit = shardwise_format_whole ((double) search->fit),
                  *subtitle = shardwise_text_searched (search), *title = NULL;
  guint n = 0;
  g_autofree char *filters = shardwise_text_limits (TRUE), *ranks = shardwise_text_limits (FALSE);

  shardwise_container_empty_list (list);
  if (search->fit > 0)
    /* Translators: number of strategies that fit */
    title = g_strdup_printf (ngettext ("Best of %s strategy that fits",
                                       "Best of %s strategies that fit", (gulong) search->fit),
                             fit);
  else
    title = g_strdup (_ ("No strategy fits"));
  add_row (list, title, subtitle);
  add_rejections (list, search);
  add_row (list, filters, ranks);
  add_gpu_counts (list, advice);
  while (gtk_list_box_get_row_at_index (list, n))
    n++;
  return n;
}
