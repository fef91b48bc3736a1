/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-ask-panel.h"

#include <glib/gi18n.h>

#include "shardwise-ask-card.h"
#include "shardwise-ask-answer.h"
#include "shardwise-container.h"
#include "shardwise-config.h"
#include "shardwise-wrap-layout.h"
#include "shardwise-wrapped-label.h"

struct _ShardwiseAskPanel {
  ShardwiseContainer parent_instance;

  ShardwiseAdvisor *advisor;   /* (nullable) */
  ShardwiseScenario *scenario; /* (nullable): what the conversation is about */
  GSignalGroup *advisor_signals, *scenario_signals;
  ShardwiseQuestion *before; /* (nullable): that was answered last */
  GCancellable *cancellable; /* (nullable): of the question that is being answered */
  char *asked;               /* (nullable): that question */
  char *input;               /* (nullable): what it is computed for, as text */
  const char *page;          /* (nullable): that the window shows */
  guint scroll_id;
  gboolean follows;   /* the end of the conversation stays in sight */
  gboolean has_entry; /* else the field is elsewhere */

  GtkWidget *clear_button, *send_button, *stop_button, *entry;
  GtkStack *stack;
  GtkScrolledWindow *scroller;
  GtkBox *examples, *transcript;
  GPtrArray *questions;   /* (nullable): of the examples */
  GtkWidget *pending;     /* (nullable): the place of the answer */
  GtkWidget *suggestions; /* (nullable): under the last answer */
};

G_DEFINE_FINAL_TYPE (ShardwiseAskPanel, shardwise_ask_panel, SHARDWISE_TYPE_CONTAINER)

enum { PAGE_ACTIVATED, TYPED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* Everything that an answer depends on. */
static char *
describe_input (ShardwiseScenario *scenario)
{
  g_autofree char *json = shardwise_scenario_to_json (scenario);
  ShardwiseFactors factors = shardwise_scenario_get_factors (scenario);
  g_autofree char *text = shardwise_factors_to_text (&factors);

  return g_strconcat (json, "\n", text, NULL);
}

static void
update_buttons (ShardwiseAskPanel *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  gboolean is_answering = self->cancellable != NULL;

  gtk_widget_set_visible (self->stop_button, is_answering);
  gtk_widget_set_visible (self->send_button, !is_answering && self->has_entry);
  gtk_widget_set_visible (self->entry, self->has_entry);
  gtk_widget_set_sensitive (self->send_button, self->scenario != NULL && *text != '\0');
  gtk_widget_set_sensitive (self->clear_button,
                            gtk_widget_get_first_child (GTK_WIDGET (self->transcript)) != NULL);
}

/* ---- the conversation ---- */

static void
add_to_transcript (ShardwiseAskPanel *self, GtkWidget *widget)
{
  self->follows = TRUE;
  gtk_box_append (self->transcript, widget);
  gtk_stack_set_visible_child_name (self->stack, "conversation");
  update_buttons (self);
}

static void
clear_widget (ShardwiseAskPanel *self, GtkWidget **widget)
{
  if (*widget != NULL)
    gtk_box_remove (self->transcript, *widget);
  *widget = NULL;
}

static void ask (ShardwiseAskPanel *self, const char *text);
static void begin (ShardwiseAskPanel *self, const char *text, ShardwiseQuestion *question);

static void
suggestion_cb (ShardwiseAskPanel *self, GtkButton *button)
{
  /* a copy: the button is removed with its answer */
  g_autofree char *text = g_strdup (g_object_get_data (G_OBJECT (button), "question"));

  ask (self, text);
  gtk_widget_grab_focus (self->entry);
}

/* A chip that asks its own text, or another question. question: (nullable) */
static GtkWidget *
suggestion_new (ShardwiseAskPanel *self, const char *text, const char *question)
{
  GtkWidget *button = gtk_button_new (), *label = gtk_label_new (text);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_natural_wrap_mode (GTK_LABEL (label), GTK_NATURAL_WRAP_NONE);
  gtk_label_set_justify (GTK_LABEL (label), GTK_JUSTIFY_CENTER);
  gtk_button_set_child (GTK_BUTTON (button), label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
  gtk_widget_add_css_class (button, "chip");
  g_object_set_data_full (G_OBJECT (button), "question",
                          g_strdup (question != NULL ? question : text), g_free);
  g_signal_connect_object (button, "clicked", G_CALLBACK (suggestion_cb), self, G_CONNECT_SWAPPED);
  return button;
}

static GtkWidget *
suggestions_new (void)
{
  GtkWidget *box = g_object_new (GTK_TYPE_BOX, "accessible-role", GTK_ACCESSIBLE_ROLE_GROUP, NULL);

  gtk_widget_set_layout_manager (box, shardwise_wrap_layout_new (6, 6, 0, 0));
  gtk_accessible_update_property (GTK_ACCESSIBLE (box), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Further questions"), -1);
  return box;
}

static void
card_applied_cb (ShardwiseAskPanel *self, ShardwiseAskCard *card)
{
  g_autofree char *input = describe_input (self->scenario);

  shardwise_ask_card_set_applied (card, input);
}

static void
card_page_cb (ShardwiseAskPanel *self, const char *page)
{
  g_signal_emit (self, signals[PAGE_ACTIVATED], 0, page);
}

/* The same question with another part. */
static void
card_corrected_cb (ShardwiseAskPanel *self, const char *part, const char *value,
                   ShardwiseAskCard *card)
{
  const ShardwiseQuestion *question = shardwise_ask_card_get_question (card);
  ShardwiseQuestion *changed = shardwise_question_with (question, part, value, self->scenario);
  g_autofree char *text = g_strdup_printf (
      "%s → %s", question->text,
      g_str_equal (part, "intent") ? shardwise_intent_title (changed->intent) : value);

  begin (self, text, changed);
}

/* ---- asking ---- */

static void
answer_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  GtkWidget *card;
  g_autoptr (ShardwiseAskPanel) self = data;
  g_autoptr (ShardwiseQuestion) question = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (ShardwiseAnswer) answer = shardwise_answer_finish (result, &question, &error);

  if (g_task_get_cancellable (G_TASK (result)) != self->cancellable)
    return; /* nobody waits for it any more */
  g_clear_object (&self->cancellable);
  clear_widget (self, &self->pending);
  g_clear_pointer (&self->before, shardwise_question_free);
  self->before = g_steal_pointer (&question);
  card = shardwise_ask_card_new (answer, self->before, self->input);
  g_signal_connect_object (card, "page-activated", G_CALLBACK (card_page_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (card, "applied", G_CALLBACK (card_applied_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (card, "corrected", G_CALLBACK (card_corrected_cb), self,
                           G_CONNECT_SWAPPED);
  add_to_transcript (self, card);
  if (answer->suggestions->len == 0)
    return;
  self->suggestions = suggestions_new ();
  for (guint i = 0; i < answer->suggestions->len; i++)
    gtk_box_append (GTK_BOX (self->suggestions),
                    suggestion_new (self, g_ptr_array_index (answer->suggestions, i), NULL));
  add_to_transcript (self, self->suggestions);
}

/* Drops the question that is being answered; FALSE if there is none. */
static gboolean
cancel (ShardwiseAskPanel *self)
{
  g_autoptr (GCancellable) cancellable = g_steal_pointer (&self->cancellable);

  if (cancellable == NULL)
    return FALSE;
  g_cancellable_cancel (cancellable);
  clear_widget (self, &self->pending);
  return TRUE;
}

/* Drops it and says why, with a way to ask again. */
static void
interrupt (ShardwiseAskPanel *self, const char *why)
{
  GtkWidget *note;

  if (!cancel (self))
    return;
  note = g_object_new (GTK_TYPE_LABEL, "label", why, "wrap", TRUE, "xalign", 0.0, "accessible-role",
                       GTK_ACCESSIBLE_ROLE_STATUS, NULL);
  gtk_widget_add_css_class (note, "dim-label");
  add_to_transcript (self, note);
  self->suggestions = suggestions_new ();
  gtk_box_append (GTK_BOX (self->suggestions), suggestion_new (self, _ ("Ask Again"), self->asked));
  add_to_transcript (self, self->suggestions);
}

/* An empty question is ignored; a new question replaces the one being answered. */
static void
ask (ShardwiseAskPanel *self, const char *text)
{
  g_autofree char *question = g_strstrip (g_strdup (text));

  if (self->scenario != NULL && *question != '\0')
    begin (self, question, shardwise_question_parse (question, self->scenario, self->before));
}

/* Answers @question (transfer full), which is shown as @text. */
static void
begin (ShardwiseAskPanel *self, const char *text, ShardwiseQuestion *question)
{
  GtkWidget *label, *spinner;

  cancel (self);
  clear_widget (self, &self->suggestions);
  g_free (self->input);
  self->input = describe_input (self->scenario);
  g_free (self->asked);
  self->asked = g_strdup (text);
  self->cancellable = g_cancellable_new ();
  label = shardwise_wrapped_label_new (self->asked, "ask-question");
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_widget_set_halign (label, GTK_ALIGN_END);
  add_to_transcript (self, label);
  /* A spinner in the place of the answer. */
  spinner = gtk_spinner_new ();
  label = gtk_label_new (_ ("Computing…"));
  self->pending = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  gtk_spinner_start (GTK_SPINNER (spinner));
  gtk_widget_add_css_class (label, "dim-label");
  gtk_box_append (GTK_BOX (self->pending), spinner);
  gtk_box_append (GTK_BOX (self->pending), label);
  add_to_transcript (self, self->pending);
  shardwise_answer_async (self->scenario, question, self->cancellable, answer_cb,
                          g_object_ref (self));
}

static void
stop_cb (ShardwiseAskPanel *self)
{
  g_assert (SHARDWISE_IS_ASK_PANEL (self));

  interrupt (self, _ ("Stopped."));
  gtk_widget_grab_focus (self->entry);
}

/* Begins a new conversation: the next question continues none. */
static void
clear (ShardwiseAskPanel *self)
{
  g_return_if_fail (SHARDWISE_IS_ASK_PANEL (self));

  cancel (self);
  g_clear_pointer (&self->before, shardwise_question_free);
  shardwise_container_empty (GTK_WIDGET (self->transcript));
  self->suggestions = NULL;
  self->follows = FALSE;
  gtk_stack_set_visible_child_name (self->stack, "examples");
  update_buttons (self);
}

static void
entry_changed_cb (ShardwiseAskPanel *self)
{
  g_assert (SHARDWISE_IS_ASK_PANEL (self));

  update_buttons (self);
  g_signal_emit (self, signals[TYPED], 0);
}

/**
 * shardwise_ask_panel_get_typed:
 *
 * Returns: (transfer none): the question that is being typed; "" where there is none
 */
const char *
shardwise_ask_panel_get_typed (ShardwiseAskPanel *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ASK_PANEL (self), "");
  return gtk_editable_get_text (GTK_EDITABLE (self->entry));
}

/**
 * shardwise_ask_panel_set_typed:
 * @text: a question
 *
 * Types it, and does not ask it.
 */
void
shardwise_ask_panel_set_typed (ShardwiseAskPanel *self, const char *text)
{
  g_return_if_fail (SHARDWISE_IS_ASK_PANEL (self) && text != NULL);
  gtk_editable_set_text (GTK_EDITABLE (self->entry), text);
}

static void
entry_activate_cb (ShardwiseAskPanel *self)
{
  g_autofree char *text = g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->entry)));

  gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
  ask (self, text);
  if (self->has_entry)
    gtk_widget_grab_focus (self->entry);
}

/**
 * shardwise_ask_panel_get_entry:
 *
 * Returns: (transfer none): the #GtkEntry in which a question is typed; one in its stead has its buffer
 */
GtkWidget *
shardwise_ask_panel_get_entry (ShardwiseAskPanel *self)
{
  g_return_val_if_fail (SHARDWISE_IS_ASK_PANEL (self), NULL);
  return self->entry;
}

/**
 * shardwise_ask_panel_set_has_entry:
 * @has_entry: whether questions are typed in the panel, not elsewhere
 */
void
shardwise_ask_panel_set_has_entry (ShardwiseAskPanel *self, gboolean has_entry)
{
  g_return_if_fail (SHARDWISE_IS_ASK_PANEL (self));

  if (self->has_entry == has_entry)
    return;
  self->has_entry = has_entry;
  update_buttons (self);
}

/**
 * shardwise_ask_panel_ask_typed:
 *
 * Asks the question that is being typed.
 */
void
shardwise_ask_panel_ask_typed (ShardwiseAskPanel *self)
{
  g_return_if_fail (SHARDWISE_IS_ASK_PANEL (self));
  entry_activate_cb (self);
}

/**
 * shardwise_ask_panel_ask:
 * @question: in plain words
 */
void
shardwise_ask_panel_ask (ShardwiseAskPanel *self, const char *question)
{
  g_return_if_fail (SHARDWISE_IS_ASK_PANEL (self) && question != NULL);
  ask (self, question);
}

static void
clear_cb (ShardwiseAskPanel *self)
{
  g_assert (SHARDWISE_IS_ASK_PANEL (self));

  clear (self);
  gtk_widget_grab_focus (self->entry);
}

/* ---- the scenario ---- */

/* Answers for another input say so; one that is being computed would be for another input too. */
static void
scenario_changed_cb (ShardwiseAskPanel *self)
{
  g_autofree char *input = describe_input (self->scenario);

  if (self->cancellable != NULL && !g_str_equal (input, self->input))
    interrupt (self, _ ("The inputs changed, so this was not answered."));
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->transcript)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (SHARDWISE_IS_ASK_CARD (child))
      shardwise_ask_card_set_input (SHARDWISE_ASK_CARD (child), input);
}

static gboolean
are_same (GPtrArray *a, GPtrArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    if (!g_str_equal (g_ptr_array_index (a, i), g_ptr_array_index (b, i)))
      return FALSE;
  return TRUE;
}

/* Where another answer leaves the questions as they are, their buttons stay, and the focus. */
static void
update_examples (ShardwiseAskPanel *self)
{
  g_autoptr (GPtrArray) questions = NULL;

  if (self->scenario == NULL
      || shardwise_advisor_get_status (self->advisor) == SHARDWISE_STATUS_STALE)
    return;
  questions = shardwise_ask_examples (self->scenario, shardwise_advisor_get_advice (self->advisor),
                                      self->page);
  if (self->questions != NULL && are_same (questions, self->questions))
    return;
  shardwise_container_empty (GTK_WIDGET (self->examples));
  for (guint i = 0; i < questions->len; i++)
    gtk_box_append (self->examples, suggestion_new (self, g_ptr_array_index (questions, i), NULL));
  g_clear_pointer (&self->questions, g_ptr_array_unref);
  self->questions = g_steal_pointer (&questions);
}

static void
advisor_scenario_cb (ShardwiseAskPanel *self)
{
  if (!g_set_object (&self->scenario, shardwise_advisor_get_scenario (self->advisor)))
    return;
  clear (self);
  g_signal_group_set_target (self->scenario_signals, self->scenario);
  update_examples (self);
}

/**
 * shardwise_ask_panel_set_advisor:
 * @advisor: whose scenario is asked about; another scenario of it begins a new conversation
 */
void
shardwise_ask_panel_set_advisor (ShardwiseAskPanel *self, ShardwiseAdvisor *advisor)
{
  g_return_if_fail (SHARDWISE_IS_ASK_PANEL (self) && SHARDWISE_IS_ADVISOR (advisor));

  if (!g_set_object (&self->advisor, advisor))
    return;
  g_signal_group_set_target (self->advisor_signals, advisor);
  advisor_scenario_cb (self);
}

/**
 * shardwise_ask_panel_set_page:
 * @page: (nullable): name of the page that the window shows, whose questions are offered
 */
void
shardwise_ask_panel_set_page (ShardwiseAskPanel *self, const char *page)
{
  g_return_if_fail (SHARDWISE_IS_ASK_PANEL (self));

  self->page = page != NULL ? g_intern_string (page) : NULL;
  update_examples (self);
}

/* ---- scrolling ---- */

static gboolean
scroll_idle_cb (gpointer data)
{
  ShardwiseAskPanel *self = data;
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (self->scroller);

  self->scroll_id = 0;
  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_upper (adjustment));
  return G_SOURCE_REMOVE;
}

/* Not at once: this is called while the conversation is laid out, which would not be done again. */
static void
scroll_to_end (ShardwiseAskPanel *self)
{
  if (self->follows && self->scroll_id == 0)
    self->scroll_id = g_idle_add_full (G_PRIORITY_HIGH_IDLE, scroll_idle_cb, self, NULL);
}

/* Whoever scrolls back is left there. */
static void
scrolled_cb (ShardwiseAskPanel *self)
{
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (self->scroller);
  double rest = gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_page_size (adjustment)
                - gtk_adjustment_get_value (adjustment);

  self->follows = rest < 1;
}

/* ---- type ---- */

static gboolean
shardwise_ask_panel_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (SHARDWISE_ASK_PANEL (widget)->entry);
}

static void
shardwise_ask_panel_dispose (GObject *object)
{
  ShardwiseAskPanel *self = SHARDWISE_ASK_PANEL (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_handle_id (&self->scroll_id, g_source_remove);
  g_clear_object (&self->advisor_signals);
  g_clear_object (&self->scenario_signals);
  gtk_widget_dispose_template (GTK_WIDGET (self), SHARDWISE_TYPE_ASK_PANEL);
  g_clear_object (&self->advisor);
  g_clear_object (&self->scenario);
  g_clear_pointer (&self->before, shardwise_question_free);
  g_clear_pointer (&self->asked, g_free);
  g_clear_pointer (&self->input, g_free);
  g_clear_pointer (&self->questions, g_ptr_array_unref);
  G_OBJECT_CLASS (shardwise_ask_panel_parent_class)->dispose (object);
}

static void
shardwise_ask_panel_class_init (ShardwiseAskPanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_ask_panel_dispose;
  widget_class->grab_focus = shardwise_ask_panel_grab_focus;
  signals[PAGE_ACTIVATED] = g_signal_new ("page-activated", SHARDWISE_TYPE_ASK_PANEL,
                                          G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                          G_TYPE_STRING);
  signals[TYPED] = g_signal_new ("typed", SHARDWISE_TYPE_ASK_PANEL, G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               APPLICATION_PATH "/ui/shardwise-ask-panel.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAskPanel, clear_button);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAskPanel, send_button);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAskPanel, stop_button);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAskPanel, entry);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAskPanel, stack);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAskPanel, scroller);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAskPanel, examples);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseAskPanel, transcript);
  gtk_widget_class_bind_template_callback (widget_class, entry_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, entry_activate_cb);
  gtk_widget_class_bind_template_callback (widget_class, clear_cb);
  gtk_widget_class_bind_template_callback (widget_class, stop_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "win.toggle-ask", NULL);
  gtk_widget_class_set_css_name (widget_class, "askpanel");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_REGION);
}

static void
shardwise_ask_panel_init (ShardwiseAskPanel *self)
{
  GtkAdjustment *adjustment;

  self->has_entry = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  /* What answers holds the panel, which its window would not dispose of. */
  g_signal_connect (self, "unrealize", G_CALLBACK (cancel), NULL);
  self->advisor_signals = g_signal_group_new (SHARDWISE_TYPE_ADVISOR);
  g_signal_group_connect_swapped (self->advisor_signals, "notify::scenario",
                                  G_CALLBACK (advisor_scenario_cb), self);
  g_signal_group_connect_swapped (self->advisor_signals, "notify::status",
                                  G_CALLBACK (update_examples), self);
  self->scenario_signals = g_signal_group_new (SHARDWISE_TYPE_SCENARIO);
  g_signal_group_connect_swapped (self->scenario_signals, "changed",
                                  G_CALLBACK (scenario_changed_cb), self);
  adjustment = gtk_scrolled_window_get_vadjustment (self->scroller);
  g_signal_connect_object (adjustment, "changed", G_CALLBACK (scroll_to_end), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (adjustment, "value-changed", G_CALLBACK (scrolled_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Ask"),
                                  -1);
}
