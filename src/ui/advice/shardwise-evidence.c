/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-evidence.h"

#include <glib/gi18n.h>

#include "shardwise-advice-lists.h"
#include "shardwise-alternative-card.h"
#include "shardwise-metric-card.h"
#include "shardwise-opinion-cards.h"
#include "shardwise-reason-row.h"
#include "shardwise-stepper.h"
#include "shardwise-wrap-layout.h"

#define N_ALTERNATIVES 3

struct _ShardwiseEvidence {
  ShardwisePage parent_instance;

  GtkStack *sections;
  GtkWidget *notices_section, *alternatives_section, *frameworks_section, *usual_section,
      *reasons_section, *steps_section, *verify_section, *assumptions_section;
  GtkBox *cards, *alternatives, *opinions;
  GtkListBox *notices, *frameworks, *usual, *reasons, *verify, *search, *assumptions;
  ShardwiseStepper *steps;
  ShardwiseMetricCard *metrics[SHARDWISE_N_METRICS];
  ShardwiseAlternativeCard *alternative_cards[N_ALTERNATIVES];
  ShardwiseReasonRow *reason_rows[SW_N_DIMENSIONS]; /* made when first needed */
  ShardwiseAdvice *shown;                           /* that the lists were made from */
};

G_DEFINE_FINAL_TYPE (ShardwiseEvidence, shardwise_evidence, SHARDWISE_TYPE_PAGE)

/* The metrics that the answer itself does not show. */
static const ShardwiseMetricKind card_metrics[] = {
  SHARDWISE_METRIC_MFU,    SHARDWISE_METRIC_MEMORY_USE, SHARDWISE_METRIC_COMMUNICATION,
  SHARDWISE_METRIC_BUBBLE, SHARDWISE_METRIC_SCALING,    SHARDWISE_METRIC_PER_GPU,
  SHARDWISE_METRIC_STEP,   SHARDWISE_METRIC_FLOPS,      SHARDWISE_METRIC_HFU,
};

static void
select_estimate (ShardwiseEvidence *self, const SwEstimate *estimate)
{
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (SHARDWISE_PAGE (self));

  if (advisor != NULL)
    shardwise_advisor_set_selected (advisor, estimate);
}

static void
framework_activated_cb (ShardwiseEvidence *self, GtkListBoxRow *row)
{
  GArray *choices = self->shown ? shardwise_advice_get_frameworks (self->shown) : NULL;
  const int index = gtk_list_box_row_get_index (row);

  if (choices && index < (int) choices->len)
    select_estimate (self, index > 0
                               ? &g_array_index (choices, ShardwiseFrameworkChoice, index).estimate
                               : NULL);
}

static void
alternative_clicked_cb (ShardwiseEvidence *self, ShardwiseAlternativeCard *card)
{
  select_estimate (self, shardwise_alternative_card_get_estimate (card));
}

static void
show_alternatives (ShardwiseEvidence *self, ShardwiseAdvice *advice, const SwEstimate *selected)
{
  const SwEstimate *recommended = shardwise_advice_get_recommended (advice);
  guint n = recommended->fits ? MIN (N_ALTERNATIVES, shardwise_advice_get_n_alternatives (advice))
                              : 0;

  gtk_widget_set_visible (self->alternatives_section, n > 0);
  for (guint i = 0; i < N_ALTERNATIVES; i++)
    {
      const SwEstimate *alternative = i < n ? shardwise_advice_get_alternative (advice, i) : NULL;

      gtk_widget_set_visible (GTK_WIDGET (self->alternative_cards[i]), alternative != NULL);
      if (alternative)
        shardwise_alternative_card_set (
            self->alternative_cards[i], recommended, alternative,
            selected && sw_strategy_equal (&selected->strategy, &alternative->strategy));
    }
}

static void
show_reasons (ShardwiseEvidence *self, ShardwiseAdvice *advice)
{
  GPtrArray *rationale = shardwise_advice_get_rationale (advice);
  guint mask = 0;

  for (guint i = 0; i < rationale->len; i++)
    {
      const ShardwiseRationale *reason = g_ptr_array_index (rationale, i);
      ShardwiseReasonRow **row = &self->reason_rows[reason->dimension];

      if (!*row)
        {
          *row = SHARDWISE_REASON_ROW (shardwise_reason_row_new (reason->dimension));
          gtk_list_box_append (self->reasons, GTK_WIDGET (*row));
        }
      shardwise_reason_row_set_rationale (*row, advice, reason);
      mask |= 1u << reason->dimension;
    }
  for (guint i = 0; i < SW_N_DIMENSIONS; i++)
    if (self->reason_rows[i])
      gtk_widget_set_visible (GTK_WIDGET (self->reason_rows[i]), mask & (1u << i));
  gtk_widget_set_visible (self->reasons_section, rationale->len > 0);
  gtk_list_box_invalidate_sort (self->reasons);
}

/* Rows keep the order of the dimensions, in whatever order they are created. */
static int
compare_reasons (GtkListBoxRow *a, GtkListBoxRow *b, gpointer data)
{
  return (int) shardwise_reason_row_get_dimension (SHARDWISE_REASON_ROW (a))
         - (int) shardwise_reason_row_get_dimension (SHARDWISE_REASON_ROW (b));
}

static void
show_lists (ShardwiseEvidence *self, ShardwiseAdvice *advice)
{
  const struct {
    guint (*fill) (GtkListBox *list, ShardwiseAdvice *advice);
    GtkListBox *list;
    GtkWidget *section; /* (nullable): always there */
  } lists[] = {
    { shardwise_advice_list_notices, self->notices, self->notices_section },
    { shardwise_advice_list_frameworks, self->frameworks, self->frameworks_section },
    { shardwise_advice_list_usual, self->usual, self->usual_section },
    { shardwise_advice_list_verify, self->verify, self->verify_section },
    { shardwise_advice_list_assumptions, self->assumptions, self->assumptions_section },
    { shardwise_advice_list_search, self->search, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      const gboolean any = lists[i].fill (lists[i].list, advice) > 0;

      if (lists[i].section)
        gtk_widget_set_visible (lists[i].section, any);
    }
  shardwise_stepper_set_advice (self->steps, advice);
  gtk_widget_set_visible (self->steps_section, shardwise_advice_get_steps (advice)->len > 0);
  show_reasons (self, advice);
  shardwise_opinion_cards_fill (self->opinions, advice);
}

static void
shardwise_evidence_update (ShardwisePage *page)
{
  ShardwiseEvidence *self = SHARDWISE_EVIDENCE (page);
  ShardwiseAdvisor *advisor = shardwise_page_get_advisor (page);
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (advisor);
  const SwEstimate *selected = advice ? shardwise_advisor_get_selected (advisor) : NULL;

  if (!advice)
    return;
  gtk_widget_set_visible (GTK_WIDGET (self->cards), selected != NULL);
  for (guint i = 0; selected && i < G_N_ELEMENTS (card_metrics); i++)
    shardwise_metric_card_set_metric (
        self->metrics[card_metrics[i]],
        shardwise_metric_new (card_metrics[i], shardwise_advice_get_problem (advice), selected,
                              shardwise_advice_get_nearest_run (advice)));
  show_alternatives (self, advice, selected);
  if (g_set_object (&self->shown, advice))
    show_lists (self, advice);
}

/**
 * shardwise_evidence_show:
 * @section: its name
 */
void
shardwise_evidence_show (ShardwiseEvidence *self, const char *section)
{
  g_return_if_fail (SHARDWISE_IS_EVIDENCE (self));

  gtk_stack_set_visible_child_name (self->sections, section);
}

/**
 * shardwise_evidence_unfold:
 * @dimension: of the strategy
 *
 * Shows the reasons, those of @dimension unfolded.
 *
 * Returns: (transfer none) (nullable): their row
 */
GtkWidget *
shardwise_evidence_unfold (ShardwiseEvidence *self, SwDimension dimension)
{
  ShardwiseReasonRow *row;

  g_return_val_if_fail (SHARDWISE_IS_EVIDENCE (self), NULL);

  shardwise_page_update_now (SHARDWISE_PAGE (self));
  shardwise_evidence_show (self, "reasons");
  row = self->reason_rows[dimension];
  if (!row || !gtk_widget_get_visible (GTK_WIDGET (row)))
    return NULL;
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (row), TRUE);
  return GTK_WIDGET (row);
}

static void
shardwise_evidence_dispose (GObject *object)
{
  g_clear_object (&SHARDWISE_EVIDENCE (object)->shown);
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_EVIDENCE);
  G_OBJECT_CLASS (shardwise_evidence_parent_class)->dispose (object);
}

#define BIND(name) gtk_widget_class_bind_template_child (widget_class, ShardwiseEvidence, name)

static void
shardwise_evidence_class_init (ShardwiseEvidenceClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_evidence_dispose;
  SHARDWISE_PAGE_CLASS (klass)->update = shardwise_evidence_update;
  g_type_ensure (SHARDWISE_TYPE_STEPPER);
  g_type_ensure (SHARDWISE_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/shardwise/Shardwise/ui/shardwise-evidence.ui");
  BIND (sections);
  BIND (cards);
  BIND (notices_section);
  BIND (notices);
  BIND (frameworks_section);
  BIND (frameworks);
  BIND (alternatives_section);
  BIND (alternatives);
  BIND (usual_section);
  BIND (usual);
  BIND (reasons_section);
  BIND (reasons);
  BIND (steps_section);
  BIND (steps);
  BIND (verify_section);
  BIND (verify);
  BIND (opinions);
  BIND (assumptions_section);
  BIND (assumptions);
  BIND (search);
  gtk_widget_class_bind_template_callback (widget_class, framework_activated_cb);
}

static void
shardwise_evidence_init (ShardwiseEvidence *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_list_box_set_sort_func (self->reasons, compare_reasons, NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (card_metrics); i++)
    {
      GtkWidget *card = shardwise_metric_card_new (FALSE);

      self->metrics[card_metrics[i]] = SHARDWISE_METRIC_CARD (card);
      gtk_box_append (self->cards, card);
    }
  for (guint i = 0; i < N_ALTERNATIVES; i++)
    {
      GtkWidget *card = shardwise_alternative_card_new ();

      self->alternative_cards[i] = SHARDWISE_ALTERNATIVE_CARD (card);
      g_signal_connect_object (card, "clicked", G_CALLBACK (alternative_clicked_cb), self,
                               G_CONNECT_SWAPPED);
      gtk_box_append (self->alternatives, card);
    }
}
