/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-advice-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <gtk/gtk.h>

#include "shardwise-advice-lists.h"
#include "shardwise-advice.h"
#include "shardwise-cluster-picture.h"
#include "shardwise-column.h"
#include "shardwise-degree-chip.h"
#include "shardwise-diagnosis-view.h"
#include "shardwise-fit-look.h"
#include "shardwise-framework-strip.h"
#include "shardwise-diagnosis.h"
#include "shardwise-metric-card.h"
#include "shardwise-strategy-words.h"
#include "shardwise-format.h"
#include "shardwise-text-estimate.h"
#include "shardwise-text-strategy.h"
#include "shardwise-text-advice.h"
#include "shardwise-text-search.h"
#include "shardwise-wrapped-label.h"
#include "shardwise-wrap-layout.h"
#include "shardwise-resolve.h"

enum { HERO_MEMORY, HERO_THROUGHPUT, HERO_COST, N_HEROES };

/* The answer, top down. Widgets stay and get new values, so that the scroll position, the focus and
 * unfolded rows survive an edit; only lists of sentences are made anew, and only when the advice is
 * another one. */

struct _ShardwiseAdvicePage {
  ShardwisePage parent_instance;
  GtkStack *stack;
  AdwStatusPage *empty;
  ShardwiseColumn *content;
  GtkWidget *pill, *copy, *selected_bar, *fastest_bar, *unpin;
  GtkWidget *ways_out_section, *strategy_section, *cause_list;
  AdwActionRow *cause;
  AdwExpanderRow *nearest_row; /* nothing fits: folds away what there is to see of a strategy */
  GtkImage *pill_icon;
  GtkLabel *pill_label, *verdict, *verdict_rest, *selected_label, *fastest_label, *facts;
  GtkBox *below, *heroes;
  GtkListBox *ways_out, *nearest, *actions;
  ShardwiseChipRow *chips;
  ShardwiseClusterPicture *picture;
  ShardwiseFrameworkStrip *frameworks;
  ShardwiseExportPage *export;
  ShardwiseMetricCard *metrics[N_HEROES];
  ShardwiseDiagnosisView *diagnosis; /* above the answer, or below the reason why there is no
                                        answer */
  ShardwiseAdvice *shown;            /* the advice that the lists were made from */
};

G_DEFINE_FINAL_TYPE (ShardwiseAdvicePage, shardwise_advice_page, SHARDWISE_TYPE_PAGE)

/* ---- the head ---- */

static void
show_pill (ShardwiseAdvicePage *self, SwFit fit)
{
  static const char *const labels[SHARDWISE_N_FITS] = {
    [SW_FIT_FITS] = N_ ("Fits"),
    [SW_FIT_MAY_NOT] = N_ ("May not fit"),
    [SW_FIT_DOES_NOT_FIT] = N_ ("Does not fit"),
  };

  gtk_label_set_label (self->pill_label, _ (labels[fit]));
  shardwise_fit_look_show (fit, self->pill, self->pill_icon);
}

/* Its first sentence stands out. */
static void
show_verdict (ShardwiseAdvicePage *self, const char *verdict)
{
  static const char *const ends[] = { ". ", "。 " };
  const char *rest = NULL;
  g_autofree char *first = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (ends) && rest == NULL; i++)
    if ((rest = strstr (verdict, ends[i])) != NULL)
      rest += strlen (ends[i]);
  first = rest != NULL ? g_strndup (verdict, (gsize) (rest - 1 - verdict)) : g_strdup (verdict);
  gtk_label_set_label (self->verdict, first);
  gtk_label_set_label (self->verdict_rest, rest != NULL ? rest : "");
  gtk_widget_set_visible (GTK_WIDGET (self->verdict_rest), rest != NULL);
}

static void
show_head (ShardwiseAdvicePage *self, ShardwiseAdvisor *advisor, ShardwiseAdvice *advice,
           const SwEstimate *selected)
{
  const SwEstimate *recommended = shardwise_advice_get_recommended (advice);
  const SwEstimate *shown = selected != NULL ? selected : recommended;
  gboolean fits = selected ? selected->fits : shardwise_advice_get_fits (advice);
  gboolean other = selected && !sw_strategy_equal (&selected->strategy, &recommended->strategy);
  g_autofree char *why = NULL;
  g_autofree char *sentence =
      shardwise_strategy_verdict (advice, shardwise_advisor_get_scenario (advisor), selected);
  g_autofree char *verdict = shardwise_format_unbroken (sentence);

  show_pill (self, fits ? shown->fit : SW_FIT_DOES_NOT_FIT);
  why = fits ? shardwise_text_fit (shown) : NULL;
  gtk_widget_set_tooltip_text (self->pill, why);
  show_verdict (self, verdict);
  gtk_widget_set_visible (self->copy, fits);
  gtk_widget_set_visible (self->selected_bar, other);
  if (other)
    {
      g_autofree char *strategy = shardwise_text_strategy (&recommended->strategy);
      g_autofree char *text =
          g_strdup_printf (_ ("This is an alternative. The recommended strategy is %s."), strategy);

      gtk_label_set_label (self->selected_label, text);
    }
}

/* What is predicted to be faster than what to start with. */
static void
show_fastest (ShardwiseAdvicePage *self, ShardwiseAdvice *advice, const SwEstimate *selected)
{
  const SwEstimate *recommended = shardwise_advice_get_recommended (advice);
  const SwEstimate *fastest = shardwise_advice_get_fastest (advice);
  gboolean offered = fastest && selected
                     && sw_strategy_equal (&selected->strategy, &recommended->strategy);

  gtk_widget_set_visible (self->fastest_bar, offered);
  if (offered)
    {
      g_autofree char *text = shardwise_text_faster (recommended, fastest);

      shardwise_wrapped_label_show (self->fastest_label, text);
    }
}

/* If earlier advice is still shown, the window shows above it what is wrong now. */
static void
show_error (ShardwiseAdvicePage *self, ShardwiseAdvisor *advisor)
{
  gboolean wrong = shardwise_advisor_get_status (advisor) == SHARDWISE_STATUS_ERROR;
  const char *message = shardwise_advisor_get_error_message (advisor),
             *path = shardwise_advisor_get_error_path (advisor);
  g_autofree char *text = wrong && message
                              ? shardwise_describe_error (path, message)
                              : g_strdup (_ ("It appears as soon as the inputs are complete."));
  g_autofree char *markup = g_markup_escape_text (text, -1); /* messages contain what the user
                                                                typed */
  GVariant *changes = NULL;

  adw_status_page_set_title (self->empty, wrong && g_strcmp0 (path, SHARDWISE_NO_MODEL) == 0
                                              ? _ ("Which Model?")
                                          : wrong ? _ ("The Inputs Do Not Work Together")
                                                  : _ ("No Advice Yet"));
  adw_status_page_set_description (self->empty, markup);
  /* A diagnosis below it takes the room of the picture. */
  adw_status_page_set_icon_name (self->empty, shardwise_diagnosis_view_is_of_job (self->diagnosis)
                                                  ? NULL
                                                  : "view-grid-symbolic");

  /* Offers to unpin the strategy if nothing else contradicts the inputs. */
  if (wrong && shardwise_advisor_get_scenario (advisor) != NULL)
    changes = shardwise_scenario_get_unpinning (shardwise_advisor_get_scenario (advisor));
  gtk_widget_set_visible (self->unpin, changes != NULL);
  if (changes == NULL)
    return;
  gtk_actionable_set_action_target_value (GTK_ACTIONABLE (self->unpin), changes);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->unpin), "win.apply");
}

/* ---- the strategy that is looked at ---- */

static void
show_strategy (ShardwiseAdvicePage *self, ShardwiseAdvice *advice, const SwEstimate *selected)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  g_autofree char *facts = shardwise_strategy_facts (problem, selected);

  shardwise_chip_row_set_strategy (self->chips, &selected->strategy);
  gtk_label_set_label (self->facts, facts);
  shardwise_cluster_picture_set_strategy (self->picture, &selected->strategy, problem->cluster.gpus,
                                          problem->cluster.gpus_per_node,
                                          shardwise_cluster_map_generates (&problem->training));
}

static void
back_cb (ShardwiseAdvicePage *self)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));

  if (advisor)
    shardwise_advisor_set_selected (advisor, NULL);
}

static void
fastest_cb (ShardwiseAdvicePage *self)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  ShardwiseAdvice *advice = advisor ? shardwise_advisor_get_advice (advisor) : NULL;
  const SwEstimate *fastest = advice ? shardwise_advice_get_fastest (advice) : NULL;

  if (fastest)
    shardwise_advisor_set_selected (advisor, fastest);
}

static void
framework_chosen_cb (ShardwiseAdvicePage *self, guint index)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  GArray *choices = self->shown ? shardwise_advice_get_frameworks (self->shown) : NULL;

  if (advisor && choices && index < choices->len)
    {
      const SwEstimate *best = &g_array_index (choices, ShardwiseFrameworkChoice, index).estimate;

      shardwise_advisor_set_selected (advisor, index > 0 ? best : NULL);
      shardwise_export_page_keep (self->export, index > 0);
    }
}

/* Its reasons are on another page. */
static void
dimension_activated_cb (ShardwiseAdvicePage *self, int dimension)
{
  g_autofree char *place = g_strdup_printf ("analysis/reasons/%d", dimension);

  gtk_widget_activate_action (GTK_WIDGET (self), "win.page", "s", place);
}

/* ---- updates ---- */

static void
show_figures (ShardwiseAdvicePage *self, ShardwiseScenario *scenario, ShardwiseAdvice *advice,
              const SwEstimate *selected)
{
  const SwProblem *problem = shardwise_advice_get_problem (advice);
  const ShardwiseNearestRun *nearest = shardwise_advice_get_nearest_run (advice);
  ShardwiseMetric *const shown[N_HEROES] = {
    [HERO_MEMORY] = shardwise_metric_new (SHARDWISE_METRIC_MEMORY, problem, selected, nearest),
    [HERO_THROUGHPUT] = shardwise_metric_new (SHARDWISE_METRIC_THROUGHPUT, problem, selected,
                                              nearest),
    [HERO_COST] = selected->fits ? shardwise_metric_new_cost (scenario, problem, selected) : NULL,
  };

  for (guint i = 0; i < N_HEROES; i++)
    {
      gtk_widget_set_visible (GTK_WIDGET (self->metrics[i]), shown[i] != NULL);
      if (shown[i] != NULL)
        shardwise_metric_card_set_metric (self->metrics[i], shown[i]);
    }
}

/* What fills the memory that does not suffice. */
static void
show_cause (ShardwiseAdvicePage *self, ShardwiseAdvice *advice)
{
  const SwEstimate *nearest = shardwise_advice_get_recommended (advice);
  const SwRule rule = nearest != NULL ? nearest->rule : SW_RULE_OK;
  g_autofree char *cause = NULL, *others = NULL, *title = NULL, *subtitle = NULL;

  if (rule == SW_RULE_GPU_MEMORY)
    {
      cause = shardwise_text_largest_part (nearest);
      others = shardwise_text_other_parts (nearest);
    }
  else if (rule == SW_RULE_HOST_MEMORY)
    cause = shardwise_text_host_lack (shardwise_advice_get_problem (advice), nearest);
  title = shardwise_format_unbroken (cause != NULL ? cause : "");
  subtitle = shardwise_format_unbroken (others != NULL ? others : "");
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->cause), title);
  adw_action_row_set_subtitle (self->cause, subtitle);
  gtk_widget_set_visible (self->cause_list, *title != '\0');
}

/* Of a job that does not fit, the strategy is folded away: a screen has the reason and the ways
 * out. */
static void
show_details (ShardwiseAdvicePage *self)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  const SwEstimate *selected = advisor != NULL ? shardwise_advisor_get_selected (advisor) : NULL;
  const gboolean open = !gtk_widget_get_visible (GTK_WIDGET (self->nearest))
                        || adw_expander_row_get_expanded (self->nearest_row);

  if (self->shown == NULL)
    return;
  gtk_widget_set_visible (GTK_WIDGET (self->heroes), open && selected != NULL);
  gtk_widget_set_visible (self->strategy_section, open && selected != NULL);
  gtk_widget_set_visible (
      GTK_WIDGET (self->frameworks),
      shardwise_framework_strip_set (self->frameworks, self->shown, selected) > 0 && open);
  gtk_widget_set_visible (GTK_WIDGET (self->export), open);
}

static void
show_nearest (ShardwiseAdvicePage *self, ShardwiseAdvice *advice)
{
  const SwEstimate *nearest = shardwise_advice_get_recommended (advice);
  const gboolean folds = nearest != NULL && !shardwise_advice_get_fits (advice);
  g_autofree char *strategy = folds ? shardwise_text_strategy (&nearest->strategy) : g_strdup (""),
                  *subtitle = shardwise_format_unbroken (strategy);

  adw_expander_row_set_subtitle (self->nearest_row, subtitle);
  gtk_widget_set_visible (GTK_WIDGET (self->nearest), folds);
}

static void
show_lists (ShardwiseAdvicePage *self, ShardwiseAdvice *advice)
{
  gboolean fits = shardwise_advice_get_fits (advice);

  show_cause (self, advice);
  /* The diagnosis of a job, or of how it ended, has the same changes. */
  gtk_widget_set_visible (self->ways_out_section,
                          shardwise_advice_list_ways_out (self->ways_out, advice) > 0
                              && !shardwise_diagnosis_view_has_ways (self->diagnosis));
  show_nearest (self, advice);
  gtk_widget_set_visible (GTK_WIDGET (self->actions),
                          fits && shardwise_advice_list_actions (self->actions, advice) > 0);
}

/* Says on the button what it copies: what the preview shows. */
static void
update_copy_label (ShardwiseAdvicePage *self)
{
  const ShardwiseFormatInfo *info =
      shardwise_format_find (shardwise_export_page_get_format (self->export));
  /* Translators: name of a framework; the underscore marks the mnemonic */
  g_autofree char *label = g_strdup_printf (_ ("_Copy %s Configuration"), info->title);

  gtk_button_set_label (GTK_BUTTON (self->copy), label);
}

/* If the inputs contradict each other, there is no answer, and the diagnosis is shown alone. */
static void
place_diagnosis (ShardwiseAdvicePage *self, gboolean has_advice)
{
  GtkWidget *diagnosis = GTK_WIDGET (self->diagnosis);
  gboolean above = gtk_widget_get_parent (diagnosis) == GTK_WIDGET (self->content);

  if (above == has_advice)
    return;
  gtk_widget_unparent (diagnosis);
  if (has_advice)
    gtk_widget_insert_after (diagnosis, GTK_WIDGET (self->content), NULL);
  else
    gtk_box_append (self->below, diagnosis);
}

static void
shardwise_advice_page_update (ShardwisePage *page)
{
  ShardwiseAdvicePage *self = SHARDWISE_ADVICE_PAGE (page);
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (page);
  ShardwiseAdvice *advice = advisor ? shardwise_advisor_get_advice (advisor) : NULL;
  const SwEstimate *selected = advice ? shardwise_advisor_get_selected (advisor) : NULL;

  if (!advisor)
    return;
  show_error (self, advisor);
  gtk_stack_set_visible_child_name (self->stack, advice ? "result" : "empty");
  place_diagnosis (self, advice != NULL);
  if (!advice || shardwise_advisor_get_status (advisor) == SHARDWISE_STATUS_ERROR
      || advice != self->shown)
    shardwise_diagnosis_view_update (self->diagnosis, shardwise_advisor_get_scenario (advisor));
  if (!advice)
    return;
  show_head (self, advisor, advice, selected);
  show_fastest (self, advice, selected);
  if (selected)
    {
      show_strategy (self, advice, selected);
      show_figures (self, shardwise_advisor_get_scenario (advisor), advice, selected);
    }
  if (g_set_object (&self->shown, advice))
    {
      shardwise_column_rest (self->content);
      show_lists (self, advice);
    }
  show_details (self);
}

/* ---- object ---- */

/**
 * shardwise_advice_page_set_import:
 * @import: (nullable): the file of a job or a model that the scenario came from
 */
void
shardwise_advice_page_set_import (ShardwiseAdvicePage *self, const ShardwiseImport *import)
{
  ShardwiseAdvisor *advisor;

  g_return_if_fail (SHARDWISE_IS_ADVICE_PAGE (self));

  advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));
  shardwise_diagnosis_view_set_import (self->diagnosis, import);
  g_clear_object (&self->shown); /* the lists depend on it */
  if (advisor)
    shardwise_diagnosis_view_update (self->diagnosis, shardwise_advisor_get_scenario (advisor));
}

/**
 * shardwise_advice_page_get_export:
 *
 * Returns: (transfer none): the files, at its foot
 */
ShardwiseExportPage *
shardwise_advice_page_get_export (ShardwiseAdvicePage *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ADVICE_PAGE (self), NULL);

  return self->export;
}

/**
 * shardwise_advice_page_show_files:
 *
 * Unfolds the files, which a page of a job that does not fit folds away.
 */
void
shardwise_advice_page_show_files (ShardwiseAdvicePage *self)
{
  g_return_if_fail (SHARDWISE_IS_ADVICE_PAGE (self));

  adw_expander_row_set_expanded (self->nearest_row, TRUE);
}

static void
shardwise_advice_page_dispose (GObject *object)
{
  ShardwiseAdvicePage *self = SHARDWISE_ADVICE_PAGE (object);

  g_clear_object (&self->diagnosis);

  g_clear_object (&self->shown);
  gtk_widget_dispose_template (GTK_WIDGET (self), SHARDWISE_TYPE_ADVICE_PAGE);
  G_OBJECT_CLASS (shardwise_advice_page_parent_class)->dispose (object);
}

#define BIND(name) gtk_widget_class_bind_template_child (widget_class, ShardwiseAdvicePage, name)

static void
shardwise_advice_page_class_init (ShardwiseAdvicePageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_advice_page_dispose;
  SHARDWISE_PAGE_CLASS (klass)->update = shardwise_advice_page_update;
  g_type_ensure (SHARDWISE_TYPE_CHIP_ROW);
  g_type_ensure (SHARDWISE_TYPE_CLUSTER_PICTURE);
  g_type_ensure (SHARDWISE_TYPE_COLUMN);
  g_type_ensure (SHARDWISE_TYPE_EXPORT_PAGE);
  g_type_ensure (SHARDWISE_TYPE_FRAMEWORK_STRIP);
  g_type_ensure (SHARDWISE_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-advice-page.ui");
  BIND (stack);
  BIND (below);
  BIND (empty);
  BIND (unpin);
  BIND (content);
  BIND (pill);
  BIND (pill_icon);
  BIND (pill_label);
  BIND (verdict);
  BIND (verdict_rest);
  BIND (copy);
  BIND (selected_bar);
  BIND (selected_label);
  BIND (fastest_bar);
  BIND (fastest_label);
  BIND (ways_out_section);
  BIND (ways_out);
  BIND (cause_list);
  BIND (cause);
  BIND (nearest);
  BIND (heroes);
  BIND (strategy_section);
  BIND (nearest_row);
  BIND (chips);
  BIND (facts);
  BIND (picture);
  BIND (frameworks);
  BIND (actions);
  BIND (export);
  gtk_widget_class_bind_template_callback (widget_class, back_cb);
  gtk_widget_class_bind_template_callback (widget_class, fastest_cb);
  gtk_widget_class_bind_template_callback (widget_class, framework_chosen_cb);
  gtk_widget_class_bind_template_callback (widget_class, dimension_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, show_details);
  gtk_widget_class_bind_template_callback (widget_class, update_copy_label);
}

static void
shardwise_advice_page_init (ShardwiseAdvicePage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->diagnosis = SHARDWISE_DIAGNOSIS_VIEW (g_object_ref_sink (shardwise_diagnosis_view_new ()));
  gtk_widget_insert_after (GTK_WIDGET (self->diagnosis), GTK_WIDGET (self->content), NULL);
  for (guint i = 0; i < N_HEROES; i++)
    {
      self->metrics[i] = SHARDWISE_METRIC_CARD (shardwise_metric_card_new (TRUE));
      gtk_box_append (self->heroes, GTK_WIDGET (self->metrics[i]));
    }
  update_copy_label (self);
  shardwise_button_wrap (GTK_BUTTON (self->copy));
}
