/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-advice-lists.h"

#include <glib/gi18n.h>

#include "shardwise-texts.h"

static void
clear (GtkListBox *list)
{
  GtkListBoxRow *row;

  while ((row = gtk_list_box_get_row_at_index (list, 0)))
    gtk_list_box_remove (list, GTK_WIDGET (row));
}

static AdwActionRow *
add_row (GtkListBox *list, const char *title, const char *subtitle)
{
  GtkWidget *row = adw_action_row_new ();

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  if (subtitle)
    adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
  gtk_widget_add_css_class (row, "numeric");
  gtk_list_box_append (list, row);
  return ADW_ACTION_ROW (row);
}

/* The words stand in the row: the icon is left out of what a screen reader says. */
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
  gtk_actionable_set_action_target_value (GTK_ACTIONABLE (button), changes);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "win.apply");
  if (tooltip)
    gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                    tooltip, -1);
  return button;
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

  g_return_val_if_fail (estimate != NULL, NULL);
  memory = shardwise_format_bytes (estimate->memory.peak.total);
  tokens = shardwise_format_significant (estimate->tokens_per_s_per_gpu);
  if (estimate->missing_bytes <= 0)
    /* Translators: memory and tokens per second of one GPU */
    return g_strdup_printf (_ ("%s and %s tokens/s per GPU"), memory, tokens);
  missing = shardwise_format_bytes (estimate->missing_bytes);
  /* Translators: memory of one GPU, and how much more that is than it may use */
  return g_strdup_printf (_ ("%s per GPU, %s too much"), memory, missing);
}

/**
 * shardwise_advice_list_notices:
 *
 * Returns: number of warnings and recommendations
 */
guint
shardwise_advice_list_notices (GtkListBox *list, ShardwiseAdvice *advice)
{
  static const struct {
    const char *icon, *css_class;
  } looks[] = {
    [SHARDWISE_SEVERITY_INFO] = { "dialog-information-symbolic", "accent" },
    [SHARDWISE_SEVERITY_WARNING] = { "dialog-warning-symbolic", "warning" },
    [SHARDWISE_SEVERITY_ERROR] = { "dialog-error-symbolic", "error" },
  };
  GPtrArray *notices = shardwise_advice_get_recommendations (advice),
            *notes = shardwise_advice_get_notes (advice);

  clear (list);
  for (guint i = 0; i < notices->len; i++)
    {
      const ShardwiseRecommendation *notice = g_ptr_array_index (notices, i);
      AdwActionRow *row = add_row (list, notice->text, NULL);

      add_icon (row, looks[notice->severity].icon, looks[notice->severity].css_class);
      if (notice->changes)
        adw_action_row_add_suffix (
          row, shardwise_apply_button_new (_ ("Apply"), notice->text, notice->changes));
    }
  for (guint i = 0; i < notes->len; i++)
    add_icon (add_row (list, g_ptr_array_index (notes, i), NULL), "dialog-information-symbolic",
              "dim-label");
  return notices->len + notes->len;
}

/**
 * shardwise_advice_list_ways_out:
 *
 * Returns: number of single changes that make it fit
 */
guint
shardwise_advice_list_ways_out (GtkListBox *list, ShardwiseAdvice *advice)
{
  GPtrArray *ways = shardwise_advice_get_ways_out (advice);

  clear (list);
  for (guint i = 0; i < ways->len; i++)
    {
      const ShardwiseWayOut *way = g_ptr_array_index (ways, i);
      AdwActionRow *row = add_row (list, way->change, NULL); /* the text tells the result too */

      if (way->changes)
        adw_action_row_add_suffix (
          row, shardwise_apply_button_new (_ ("Apply"), way->change, way->changes));
    }
  return ways->len;
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

  clear (list);
  for (guint i = 0; i < search->n_nearest; i++)
    {
      SwEstimate estimate;
      g_autofree char *title = shardwise_text_strategy (&search->nearest[i].strategy),
                      *subtitle = NULL;

      sw_estimate (shardwise_advice_get_problem (advice), &search->nearest[i].strategy, &estimate);
      subtitle = shardwise_result_text (&estimate);
      add_row (list, title, subtitle);
    }
  return search->n_nearest;
}

/* ---- the search ---- */

/* Why candidates were left out; the exact numbers of one candidate are in shardwise_text_rule(). */
static const char *const rule_titles[SW_N_RULES] = {
  [SW_RULE_OK] = NULL,
  [SW_RULE_WORLD_SIZE] = N_ ("The degrees need more GPUs than there are"),
  [SW_RULE_TP_HEADS] = N_ ("Attention heads do not divide by TP"),
  [SW_RULE_TP_KV_HEADS] = N_ ("KV heads do not go with TP"),
  [SW_RULE_TP_WIDTH] = N_ ("Layer width does not divide by TP"),
  [SW_RULE_ETP] = N_ ("Expert tensor parallel does not go with TP or the expert width"),
  [SW_RULE_PP_LAYERS] = N_ ("Layers cannot be cut into so many stages"),
  [SW_RULE_VPP_LAYERS] = N_ ("Layers of a stage do not divide into virtual stages"),
  [SW_RULE_VPP_MICRO_BATCHES] = N_ ("Interleaving wants micro-batches in multiples of PP"),
  [SW_RULE_CP_SEQUENCE] = N_ ("The sequence does not divide by CP"),
  [SW_RULE_CP_HEADS] = N_ ("Attention heads do not divide by TP × CP"),
  [SW_RULE_EP_EXPERTS] = N_ ("Experts do not divide by EP"),
  [SW_RULE_EP_WORLD] = N_ ("EP does not divide the GPUs of a stage"),
  [SW_RULE_BATCH] = N_ ("The global batch does not divide by DP × micro-batch"),
  [SW_RULE_SHARD_GROUP] = N_ ("DP does not divide into shard groups"),
  [SW_RULE_SEQUENCE_PARALLEL] = N_ ("Sequence parallelism needs TP"),
  [SW_RULE_FRAMEWORK_TP] = N_ ("The framework has no tensor parallelism"),
  [SW_RULE_FRAMEWORK_PP] = N_ ("The framework has no such pipeline"),
  [SW_RULE_FRAMEWORK_CP] = N_ ("The framework has no such context parallelism"),
  [SW_RULE_FRAMEWORK_EP] = N_ ("The framework has no expert parallelism"),
  [SW_RULE_FRAMEWORK_ZERO] = N_ ("The framework refuses that ZeRO stage"),
  [SW_RULE_FRAMEWORK_SCHEDULE] = N_ ("The framework has no such schedule"),
  [SW_RULE_FRAMEWORK_RECOMPUTE] = N_ ("The framework has no such recomputation"),
  [SW_RULE_FRAMEWORK_OFFLOAD] = N_ ("The framework has no such offload"),
  [SW_RULE_FRAMEWORK_SP] = N_ ("The framework decides sequence parallelism otherwise"),
  [SW_RULE_PRECISION] = N_ ("GPU or framework lacks that arithmetic"),
  [SW_RULE_PIN] = N_ ("Another value is pinned"),
  [SW_RULE_GPU_MEMORY] = N_ ("Over the memory target"),
  [SW_RULE_HOST_MEMORY] = N_ ("Over the memory of the host"),
};

static int
by_count (gconstpointer a, gconstpointer b, gpointer data)
{
  const guint64 *rejected = data;
  guint64 x = rejected[*(const guint *) a], y = rejected[*(const guint *) b];

  return x < y ? 1 : x > y ? -1 : 0;
}

static char *
count_text (guint64 count)
{
  return g_strdup_printf ("%'" G_GUINT64_FORMAT, count);
}

static void
add_count (AdwExpanderRow *parent, const char *title, guint64 count)
{
  GtkWidget *row = adw_action_row_new (), *label;
  g_autofree char *text = count_text (count);

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
  GtkWidget *row = adw_expander_row_new ();
  guint order[SW_N_RULES], n = 0;
  guint64 total = 0;
  g_autofree char *title = NULL, *count = NULL;

  for (guint rule = SW_RULE_OK + 1; rule < SW_N_RULES; rule++)
    if (search->rejected[rule] > 0)
      {
        order[n++] = rule;
        total += search->rejected[rule];
      }
  if (n == 0)
    return;
  g_qsort_with_data (order, n, sizeof order[0], by_count, (gpointer) search->rejected);
  count = count_text (total);
  title = g_strdup_printf (_ ("%s left out, by the first rule that they break"), count);
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  for (guint i = 0; i < n; i++)
    add_count (ADW_EXPANDER_ROW (row), _ (rule_titles[order[i]]), search->rejected[order[i]]);
  gtk_list_box_append (list, row);
}

static void
add_gpu_counts (GtkListBox *list, ShardwiseAdvice *advice)
{
  guint least = shardwise_advice_get_least_gpus (advice),
        sensible = shardwise_advice_get_sensible_gpus (advice);
  g_autofree char *title = NULL, *subtitle = NULL;

  if (least == 0)
    return;
  title = g_strdup_printf (ngettext ("Fits from %u GPU on", "Fits from %u GPUs on", least), least);
  if (sensible > 0)
    subtitle = g_strdup_printf (
      ngettext ("%u GPU is the sensible number", "%u GPUs is the sensible number", sensible),
      sensible);
  add_row (list, title, subtitle);
}

/**
 * shardwise_advice_list_search:
 *
 * Returns: number of rows: what was tried, what was left out and why, how many GPUs it takes
 */
guint
shardwise_advice_list_search (GtkListBox *list, ShardwiseAdvice *advice)
{
  const SwSearchResult *search = shardwise_advice_get_search (advice);
  g_autofree char *fit = count_text (search->fit), *tried = count_text (search->tried),
                  *timed = count_text (search->timed);
  g_autofree char *seconds = shardwise_format_seconds (search->seconds), *title = NULL,
                  *subtitle = NULL;
  guint n = 0;

  clear (list);
  if (search->fit > 0)
    /* Translators: number of strategies that fit */
    title = g_strdup_printf (ngettext ("Best of %s strategy that fits",
                                       "Best of %s strategies that fit", (gulong) search->fit),
                             fit);
  else
    title = g_strdup (_ ("No strategy fits"));
  /* Translators: number of strategies tried, number that were timed, duration of the search */
  subtitle = g_strdup_printf (_ ("%s tried, %s of them timed, in %s"), tried, timed, seconds);
  add_row (list, title, subtitle);
  add_rejections (list, search);
  add_gpu_counts (list, advice);
  while (gtk_list_box_get_row_at_index (list, n))
    n++;
  return n;
}
