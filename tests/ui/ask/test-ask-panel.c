/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-ask-panel.h"
#include "shardwise-input-row.h"

#include "shardwise-ask-card.h"
#include "shardwise-ask-answer.h"
#include "shardwise-ask-question.h"
#include "shardwise-config.h"
#include "ui-fixture.h"
#include "window-fixture.h"

/* between a number and its unit */
#define UNBROKEN "\302\240"

static ShardwiseAskPanel *
get_panel (Fixture *fixture)
{
  return SHARDWISE_ASK_PANEL (ui_find (GTK_WIDGET (fixture->window), SHARDWISE_TYPE_ASK_PANEL));
}

/* The window on a new scenario with the panel open. */
static ShardwiseAskPanel *
open_panel (Fixture *fixture)
{
  ShardwiseAskPanel *panel;

  activate (fixture->window, "start", NULL);
  gtk_window_present (GTK_WINDOW (fixture->window));
  wait_until (has_status (fixture->window, "ready"));
  panel = get_panel (fixture);
  activate (fixture->window, "toggle-ask", NULL);
  wait_until (gtk_widget_get_mapped (GTK_WIDGET (panel)));
  return panel;
}

static GtkWidget *
transcript (ShardwiseAskPanel *panel)
{
  return ui_child (GTK_WIDGET (panel), "transcript");
}

static guint
count_cards (ShardwiseAskPanel *panel)
{
  guint n = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (transcript (panel)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += SHARDWISE_IS_ASK_CARD (child);
  return n;
}

static GtkWidget *
last_card (ShardwiseAskPanel *panel)
{
  GtkWidget *child = gtk_widget_get_last_child (transcript (panel));

  while (!SHARDWISE_IS_ASK_CARD (child))
    child = gtk_widget_get_prev_sibling (child);
  return child;
}

static gboolean
is_answer (GtkWidget *widget, gconstpointer unused)
{
  return GTK_IS_LABEL (widget) && gtk_widget_has_css_class (widget, "numeric");
}

static const char *
card_text (GtkWidget *card)
{
  return gtk_label_get_label (GTK_LABEL (ui_find_match (card, is_answer, NULL)));
}

static gboolean
is_answering (ShardwiseAskPanel *panel)
{
  return gtk_widget_get_visible (ui_child (GTK_WIDGET (panel), "stop_button"));
}

static void
type_question (ShardwiseAskPanel *panel, const char *question)
{
  gtk_editable_set_text (ui_child (GTK_WIDGET (panel), "entry"), question);
  g_signal_emit_by_name (ui_child (GTK_WIDGET (panel), "entry"), "activate");
}

static GtkWidget *
ask (ShardwiseAskPanel *panel, const char *question)
{
  guint before = count_cards (panel);

  type_question (panel, question);
  g_assert_true (is_answering (panel));
  g_assert_cmpstr (gtk_editable_get_text (ui_child (GTK_WIDGET (panel), "entry")), ==, "");
  wait_until (!is_answering (panel));
  g_assert_cmpuint (count_cards (panel), ==, before + 1);
  return last_card (panel);
}

/* The button that says `text` somewhere; NULL: none that is seen. */
static GtkWidget *
find_button (GtkWidget *widget, const char *text)
{
  if (!gtk_widget_get_visible (widget))
    return NULL;
  if (GTK_IS_BUTTON (widget))
    {
      GtkWidget *label = ui_find (widget, GTK_TYPE_LABEL);

      return label != NULL && strstr (gtk_label_get_text (GTK_LABEL (label)), text) ? widget : NULL;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_button (child, text);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static void
click (GtkWidget *button)
{
  g_assert_nonnull (button);
  g_signal_emit_by_name (button, "clicked");
}

static void
test_toggle (Fixture *fixture, gconstpointer data)
{
  ShardwiseAskPanel *panel;
  GtkWidget *before;

  g_assert_false (is_enabled (fixture->window, "toggle-ask")); /* nothing to ask about */
  activate (fixture->window, "start", NULL);
  gtk_window_present (GTK_WINDOW (fixture->window));
  wait_until (has_status (fixture->window, "ready"));
  panel = get_panel (fixture);
  g_assert_false (gtk_widget_get_mapped (GTK_WIDGET (panel)));
  gtk_widget_grab_focus (ui_find (GTK_WIDGET (fixture->window), SHARDWISE_TYPE_INPUT_ROW));
  before = gtk_window_get_focus (GTK_WINDOW (fixture->window));
  g_assert_nonnull (before);
  activate (fixture->window, "toggle-ask", NULL);
  wait_until (gtk_widget_get_mapped (GTK_WIDGET (panel)));
  /* A wide window has the field of questions in its header bar. */
  g_assert_true (gtk_widget_is_ancestor (gtk_window_get_focus (GTK_WINDOW (fixture->window)),
                                         ui_child (GTK_WIDGET (fixture->window), "ask_field")));
  g_assert_false (gtk_widget_get_mapped (ui_child (GTK_WIDGET (panel), "entry")));
  g_assert_cmpstr (shardwise_window_get_help_page (fixture->window), ==, "ask");
  g_assert_true (ui_press (GTK_WIDGET (panel), GDK_KEY_Escape));
  g_assert_true (gtk_window_get_focus (GTK_WINDOW (fixture->window)) == before);
  wait_until (!gtk_widget_get_mapped (GTK_WIDGET (panel)));
}

static void
test_conversation (Fixture *fixture, gconstpointer data)
{
  ShardwiseAskPanel *panel = open_panel (fixture);
  GtkWidget *card = ask (panel, "What if I use 16 GPUs?");

  g_assert_nonnull (find_button (card, "16" UNBROKEN "GPUs"));
  card = ask (panel, "and with 32?"); /* which says of what only with the question before */
  g_assert_nonnull (find_button (card, "32" UNBROKEN "GPUs"));
  g_assert_cmpfloat (get_gpus (fixture), ==, 8);
  click (ui_child (GTK_WIDGET (panel), "clear_button"));
  g_assert_cmpuint (count_cards (panel), ==, 0);
  card = ask (panel, "and with 32?");
  g_assert_null (find_button (card, "32" UNBROKEN "GPUs"));
}

static void
test_apply (Fixture *fixture, gconstpointer data)
{
  ShardwiseAskPanel *panel = open_panel (fixture);
  GtkWidget *card = ask (panel, "What if I use 16 GPUs?");

  click (find_button (card, "Apply"));
  g_assert_cmpfloat (get_gpus (fixture), ==, 16);
  g_assert_null (find_button (card, "Apply"));
  click (find_button (card, "Undo"));
  g_assert_cmpfloat (get_gpus (fixture), ==, 8);
  g_assert_nonnull (find_button (card, "Apply"));
  g_assert_null (find_button (card, "Undo"));
}

/* A paragraph of an answer is a text of its own, so that there is room between two. */
static void
test_paragraphs (Fixture *fixture, gconstpointer data)
{
  GtkWidget *card = ask (open_panel (fixture), "How much memory does it need?"),
            *first = ui_find_match (card, is_answer, NULL),
            *second = gtk_widget_get_next_sibling (first);

  g_assert_true (is_answer (second, NULL));
  g_assert_null (strchr (gtk_label_get_label (GTK_LABEL (first)), '\n'));
  g_assert_true (gtk_label_get_selectable (GTK_LABEL (second)));
}

/* An answer about other inputs than the present ones says so, and cannot be applied to them. */
static void
test_inputs_change (Fixture *fixture, gconstpointer data)
{
  ShardwiseAskPanel *panel = open_panel (fixture);
  GtkWidget *card = ask (panel, "What if I use 16 GPUs?");
  g_autofree char *first = NULL;

  first = g_strdup (card_text (ask (panel, "How fast does it train?")));
  activate (fixture->window, "apply",
            one_change ("training.sequence_length", g_variant_new_int32 (32768)));
  g_assert_null (find_button (card, "Apply"));
  g_assert_cmpstr (card_text (ask (panel, "How fast does it train?")), !=, first);
  activate (fixture->window, "undo", NULL);
  g_assert_nonnull (find_button (card, "Apply"));
}

static void
test_change_while_answering (Fixture *fixture, gconstpointer data)
{
  ShardwiseAskPanel *panel = open_panel (fixture);
  GtkWidget *again;

  type_question (panel, "What if I use 16 GPUs?");
  g_assert_true (is_answering (panel));
  activate (fixture->window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (64)));
  g_assert_false (is_answering (panel));
  again = find_button (transcript (panel), "Ask Again");
  wait_until (has_status (fixture->window, "ready"));
  g_assert_cmpuint (count_cards (panel), ==, 0); /* the answer that was dropped never comes */
  click (again);
  wait_until (!is_answering (panel));
  g_assert_nonnull (find_button (last_card (panel), "16" UNBROKEN "GPUs"));
}

static gboolean
is_gone (GWeakRef *reference)
{
  g_autoptr (GObject) object = g_weak_ref_get (reference);

  return object == NULL;
}

/* What answers in a window that is closed is stopped, and nothing holds the window. */
static void
test_close_while_answering (Fixture *fixture, gconstpointer data)
{
  ShardwiseAskPanel *panel = open_panel (fixture);
  GWeakRef window, held;

  type_question (panel, "What if I use 16 GPUs?");
  g_weak_ref_init (&window, fixture->window);
  g_weak_ref_init (&held, panel);
  gtk_window_destroy (GTK_WINDOW (fixture->window));
  g_clear_object (&fixture->window);
  wait_until (is_gone (&window));
  wait_until (is_gone (&held));
}

static void
test_stop (Fixture *fixture, gconstpointer data)
{
  ShardwiseAskPanel *panel = open_panel (fixture);

  type_question (panel, "Why this strategy?");
  click (ui_child (GTK_WIDGET (panel), "stop_button"));
  g_assert_false (is_answering (panel));
  g_assert_false (gtk_widget_get_visible (ui_child (GTK_WIDGET (panel), "stop_button")));
  ask (panel, "What limits me?");
  g_assert_cmpuint (count_cards (panel), ==, 1);
}

static void
test_page (Fixture *fixture, gconstpointer data)
{
  ShardwiseAskPanel *panel = open_panel (fixture);
  GtkWidget *card = ask (panel, "What limits me?");
  g_autoptr (GVariant) state = NULL;

  click (find_button (card, "Show on Page Why"));
  state = g_action_group_get_action_state (G_ACTION_GROUP (fixture->window), "page");
  g_assert_cmpstr (g_variant_get_string (state, NULL), ==, "analysis");
}

static void
test_unknown (Fixture *fixture, gconstpointer data)
{
  ShardwiseAskPanel *panel = open_panel (fixture);
  GtkWidget *card = ask (panel, "xyzzy plugh"), *suggestions;

  suggestions = gtk_widget_get_next_sibling (card);
  g_assert_nonnull (suggestions);
  click (gtk_widget_get_first_child (suggestions));
  wait_until (!is_answering (panel));
  g_assert_cmpuint (count_cards (panel), ==, 2);
  g_assert_cmpstr (card_text (last_card (panel)), !=, card_text (card));
}

static gboolean
is_chip (GtkWidget *widget, gconstpointer label)
{
  return GTK_IS_MENU_BUTTON (widget)
         && g_strcmp0 (gtk_menu_button_get_label (GTK_MENU_BUTTON (widget)), label) == 0;
}

/* What was understood stands on chips; one that is corrected asks again, and what was left out is told. */
static void
test_understood (Fixture *fixture, gconstpointer data)
{
  ShardwiseAskPanel *panel = open_panel (fixture);
  GtkWidget *card = ask (panel, "It takes 300 GB. Does it fit on 16 GPUs?"), *chip, *entry;
  guint before = count_cards (panel);

  g_assert_nonnull (ui_find_match (card, is_chip, "Does it fit?"));
  chip = ui_find_match (card, is_chip, "16 × H100 SXM5 80 GB");
  g_assert_nonnull (chip);
  g_assert_nonnull (strstr (
      gtk_label_get_label (GTK_LABEL (gtk_widget_get_next_sibling (gtk_widget_get_parent (chip)))),
      "300 gb"));
  entry = gtk_popover_get_child (gtk_menu_button_get_popover (GTK_MENU_BUTTON (chip)));
  gtk_editable_set_text (GTK_EDITABLE (entry), "32 H100");
  g_signal_emit_by_name (entry, "activate");
  wait_until (!is_answering (panel));
  g_assert_cmpuint (count_cards (panel), ==, before + 1);
  g_assert_nonnull (ui_find_match (last_card (panel), is_chip, "32 × H100 SXM5 80 GB"));
}

/* Every example of every scenario is a question that is understood. */
static void
test_examples (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "llama-3-8b-8", "llama-3-70b-32", "mixtral-8x22b-128",
                                       "llama-3-8b-long-context" };
  static const char *const pages[] = { "advice", "analysis", "alternatives", "scale" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GPtrArray) questions = NULL;
      ShardwiseScenario *scenario;

      activate (fixture->window, "open-example", g_variant_new_string (names[i]));
      wait_until (has_status (fixture->window, "ready"));
      scenario = shardwise_window_get_scenario (fixture->window);
      for (guint k = 0; k < G_N_ELEMENTS (pages); k++)
        {
          questions = shardwise_ask_examples (
              scenario,
              shardwise_advisor_get_advice (shardwise_window_get_advisor (fixture->window)),
              pages[k]);
          g_assert_cmpuint (questions->len, >=, 4);
          for (guint j = 0; j < questions->len; j++)
            {
              g_autoptr (ShardwiseQuestion) question =
                  shardwise_question_parse (g_ptr_array_index (questions, j), scenario, NULL);

              g_test_message ("%s: %s", names[i], question->text);
              g_assert_cmpint (question->intent, !=, SHARDWISE_INTENT_UNKNOWN);
              g_assert_cmpfloat (question->confidence, >=, 0.5);
              g_assert_cmpuint (question->left_out->len, ==, 0);
              g_assert_null (question->unknown_gpu);
            }
          g_clear_pointer (&questions, g_ptr_array_unref);
        }
    }
}

/* An answer that leaves the questions as they are leaves the buttons, and the focus on one. */
static void
test_examples_stay (Fixture *fixture, gconstpointer data)
{
  ShardwiseAskPanel *panel = open_panel (fixture);
  GtkWidget *examples = ui_child (GTK_WIDGET (panel), "examples"), *first;
  GVariantDict changes;

  wait_until (gtk_widget_get_first_child (examples) != NULL);
  first = gtk_widget_get_first_child (examples);
  gtk_widget_grab_focus (first);
  g_variant_dict_init (&changes, NULL);
  g_variant_dict_insert (&changes, "cost.price", "d", 3.0);
  activate (fixture->window, "apply", g_variant_dict_end (&changes));
  wait_until (has_status (fixture->window, "ready"));
  g_assert_true (gtk_widget_get_first_child (examples) == first);
  g_assert_true (gtk_widget_has_focus (first));

  g_variant_dict_init (&changes, NULL);
  g_variant_dict_insert (&changes, "cluster.gpus", "i", 64);
  activate (fixture->window, "apply", g_variant_dict_end (&changes));
  wait_until (find_button (examples, "What if I use 128 GPUs?") != NULL);
}

/* The button of the header bar. */
static gboolean
is_toggle (GtkWidget *widget, gconstpointer unused)
{
  return GTK_IS_TOGGLE_BUTTON (widget)
         && g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (widget)), "win.toggle-ask")
                == 0;
}

static gboolean
is_seen (GtkWidget *widget)
{
  return gtk_widget_get_mapped (widget) && gtk_widget_get_child_visible (widget);
}

/* Whether what stands last in the conversation is in sight. */
static gboolean
is_at_end (ShardwiseAskPanel *panel)
{
  GtkWidget *scroller = ui_child (GTK_WIDGET (panel), "scroller");
  GtkWidget *last = gtk_widget_get_last_child (transcript (panel));
  double y;

  return gtk_widget_translate_coordinates (last, scroller, 0, gtk_widget_get_height (last), NULL,
                                           &y)
         && gtk_widget_get_height (last) > 0 && y <= gtk_widget_get_height (scroller);
}

/* Beside the page if both have room, else above it; never wider than a phone. */
static void
test_picture (Fixture *fixture, gconstpointer data)
{
  int width = GPOINTER_TO_INT (data);
  AdwStyleManager *manager = adw_style_manager_get_default ();
  g_autofree char *light = g_strdup_printf ("ask-panel-%d", width);
  g_autofree char *dark = g_strdup_printf ("ask-panel-%d-dark", width);
  ShardwiseAskPanel *panel;

  gtk_window_set_default_size (GTK_WINDOW (fixture->window), width, 760);
  panel = open_panel (fixture);
  ask (panel, "What if I use 16 GPUs?");
  ask (panel, "and with 32?");
  wait_until (is_at_end (panel));
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (fixture->window)), <=, width);
  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (panel)), ==, 340);
  g_assert_cmpint (
      adw_flap_get_folded (ADW_FLAP (gtk_widget_get_ancestor (GTK_WIDGET (panel), ADW_TYPE_FLAP))),
      ==, width < 1300);
  g_assert_cmpint (is_seen (ui_find_match (GTK_WIDGET (fixture->window), is_toggle, NULL)), ==,
                   width < 1180); /* wider ones have a field */
  cairo_surface_destroy (ui_picture (GTK_WIDGET (fixture->window), light));
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_FORCE_DARK);
  cairo_surface_destroy (ui_picture (GTK_WIDGET (fixture->window), dark));
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_DEFAULT);
}

int
main (int argc, char **argv)
{
  static const int widths[] = { 360, 1000, 1600 };

  if (!init_window_test (&argc, &argv))
    return 0;
  ADD ("/ask-panel/toggle", test_toggle);
  ADD ("/ask-panel/conversation", test_conversation);
  ADD ("/ask-panel/apply", test_apply);
  ADD ("/ask-panel/inputs-change", test_inputs_change);
  ADD ("/ask-panel/change-while-answering", test_change_while_answering);
  ADD ("/ask-panel/close-while-answering", test_close_while_answering);
  ADD ("/ask-panel/stop", test_stop);
  ADD ("/ask-panel/page", test_page);
  ADD ("/ask-panel/unknown", test_unknown);
  ADD ("/ask-panel/understood", test_understood);
  ADD ("/ask-panel/paragraphs", test_paragraphs);
  ADD ("/ask-panel/examples", test_examples);
  ADD ("/ask-panel/examples-stay", test_examples_stay);
  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      g_autofree char *path = g_strdup_printf ("/ask-panel/picture/%d", widths[i]);

      g_test_add (path, Fixture, GINT_TO_POINTER (widths[i]), set_up, test_picture, tear_down);
    }
  return g_test_run ();
}
