/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pages of a window cost nothing before they are seen. */
#include "shardwise-evidence.h"
#include "shardwise-filter-bar.h"
#include "shardwise-metric-card.h"
#include "shardwise-preferences.h"
#include "shardwise-strategy-view.h"
#include "shardwise-window-private.h"
#include "ui-fixture.h"
#include "window-fixture.h"

static GtkWidget *
page_of (Fixture *fixture, const char *name)
{
  GtkWidget *stack = ui_find (GTK_WIDGET (fixture->window), ADW_TYPE_VIEW_STACK);
  GtkWidget *bin = adw_view_stack_get_child_by_name (ADW_VIEW_STACK (stack), name);

  return adw_bin_get_child (ADW_BIN (bin));
}

static void
test_made_when_seen (Fixture *fixture, gconstpointer data)
{
  static const char *const others[] = { "analysis", "alternatives", "scale" };

  activate (fixture->window, "open-example", g_variant_new_string ("llama-3-8b-8"));
  gtk_window_present (GTK_WINDOW (fixture->window));
  wait_until (has_status (fixture->window, "ready"));
  g_assert_nonnull (page_of (fixture, "advice"));
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    g_assert_null (page_of (fixture, others[i]));
  activate (fixture->window, "page", g_variant_new_string ("scale"));
  g_assert_nonnull (page_of (fixture, "scale"));
}

/* A change of the inputs reaches a page when it is seen again. */
static void
test_hidden (Fixture *fixture, gconstpointer data)
{
  ShardwiseMetricCard *card;
  const ShardwiseMetric *before;

  activate (fixture->window, "open-example", g_variant_new_string ("llama-3-8b-8"));
  gtk_window_present (GTK_WINDOW (fixture->window));
  wait_until (has_status (fixture->window, "ready"));
  card = SHARDWISE_METRIC_CARD (ui_find (page_of (fixture, "advice"), SHARDWISE_TYPE_METRIC_CARD));
  wait_until (gtk_widget_get_mapped (GTK_WIDGET (card)));
  activate (fixture->window, "page", g_variant_new_string ("scale"));
  wait_until (!gtk_widget_get_mapped (page_of (fixture, "advice"))); /* may take a transition */
  before = shardwise_metric_card_get_metric (card);
  activate (fixture->window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (16)));
  wait_until (has_status (fixture->window, "ready"));
  shardwise_page_update_now (SHARDWISE_PAGE (page_of (fixture, "scale")));
  g_assert_true (shardwise_metric_card_get_metric (card) == before);
  activate (fixture->window, "page", g_variant_new_string ("advice"));
  wait_until (shardwise_metric_card_get_metric (card) != before);
}

/* The row of an assumption leads to its input, where nothing hides it and where the inputs are
 * hidden. */
static void
test_assumptions (Fixture *fixture, gconstpointer data)
{
  GtkWidget *list, *input;
  GtkWindow *window = GTK_WINDOW (fixture->window);
  guint n = 0;

  activate (fixture->window, "open-example", g_variant_new_string ("llama-3-8b-8"));
  activate (fixture->window, "apply",
            one_change ("cluster.gpus_per_node", g_variant_new_string ("")));
  gtk_window_present (window);
  wait_until (has_status (fixture->window, "ready"));
  activate (fixture->window, "page", g_variant_new_string ("analysis/assumptions"));
  list = ui_child (ui_find (page_of (fixture, "analysis"), SHARDWISE_TYPE_EVIDENCE), "assumptions");
  wait_until (gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), 0) != NULL);
  if (data != NULL)
    {
      g_action_group_change_action_state (G_ACTION_GROUP (fixture->window), "toggle-inputs",
                                          g_variant_new_boolean (FALSE));
      wait_until (!gtk_widget_get_mapped (GTK_WIDGET (fixture->window->inputs)));
    }
  for (GtkListBoxRow *row; (row = gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), n)); n++)
    if (g_str_has_prefix (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)),
                          "GPUs per node"))
      break;
  g_assert_true (
      gtk_widget_activate (GTK_WIDGET (gtk_list_box_get_row_at_index (GTK_LIST_BOX (list), n))));
  input = GTK_WIDGET (
      shardwise_inputs_find_row (fixture->window->inputs, SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE));
  wait_until (gtk_window_get_focus (window) != NULL
              && gtk_widget_is_ancestor (gtk_window_get_focus (window), input));
}

static void
count_cb (guint *frames)
{
  (*frames)++;
}

static void
await_frames (Fixture *fixture)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (fixture->window));
  guint frames = 0;
  gulong handler = g_signal_connect_swapped (clock, "after-paint", G_CALLBACK (count_cb), &frames);

  while (frames < 3)
    {
      gtk_widget_queue_draw (GTK_WIDGET (fixture->window));
      g_main_context_iteration (NULL, TRUE);
    }
  g_signal_handler_disconnect (clock, handler);
}

static guint n_updates;

static void
count_update (ShardwisePage *page)
{
  n_updates++;
}

/* While a question waits for its answer a page has nothing else to show: its frames are left to the
 * answer. */
static void
test_stale (Fixture *fixture, gconstpointer data)
{
  ShardwiseAdvisor *advisor;
  ShardwisePageClass *class;
  void (*update) (ShardwisePage * page);

  activate (fixture->window, "open-example", g_variant_new_string ("llama-3-8b-8"));
  gtk_window_present (GTK_WINDOW (fixture->window));
  wait_until (has_status (fixture->window, "ready"));
  advisor = shardwise_window_get_advisor (fixture->window);
  activate (fixture->window, "page", g_variant_new_string ("analysis"));
  wait_until (gtk_widget_get_mapped (page_of (fixture, "analysis")));
  await_frames (fixture); /* what it has to show of this answer */
  class = SHARDWISE_PAGE_GET_CLASS (page_of (fixture, "analysis"));
  update = class->update;
  class->update = count_update;
  shardwise_advisor_set_live (advisor, FALSE);
  activate (fixture->window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (16)));
  wait_until (has_status (fixture->window, "stale"));
  await_frames (fixture);
  g_assert_cmpuint (n_updates, ==, 0);
  shardwise_advisor_set_live (advisor, TRUE);
  wait_until (has_status (fixture->window, "ready") && n_updates > 0);
  class->update = update;
}

static guint n_finished;

static void
count_finish (ShardwisePage *page)
{
  n_finished++;
}

/* What follows an update a frame later begins searches: not while nobody looks. */
static void
test_left_before_finished (Fixture *fixture, gconstpointer data)
{
  ShardwisePageClass *class;
  GtkWidget *page;
  void (*update) (ShardwisePage * page), (*finish) (ShardwisePage * page);

  activate (fixture->window, "open-example", g_variant_new_string ("llama-3-8b-8"));
  gtk_window_present (GTK_WINDOW (fixture->window));
  wait_until (has_status (fixture->window, "ready"));
  activate (fixture->window, "page", g_variant_new_string ("scale"));
  page = page_of (fixture, "scale");
  wait_until (gtk_widget_get_mapped (page));
  await_frames (fixture);
  class = SHARDWISE_PAGE_GET_CLASS (page);
  update = class->update;
  finish = class->finish;
  class->update = count_update;
  class->finish = count_finish;
  n_updates = n_finished = 0;
  activate (fixture->window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (16)));
  wait_until (n_updates > 0);
  gtk_widget_set_visible (page, FALSE);
  await_frames (fixture);
  wait_until (has_status (fixture->window, "ready"));
  await_frames (fixture);
  g_assert_cmpuint (n_finished, ==, 0);
  gtk_widget_set_visible (page, TRUE);
  wait_until (n_finished > 0);
  class->update = update;
  class->finish = finish;
}

/* Where a part of a page that has all of its width lies in the window. */
static graphene_rect_t
part_of (Fixture *fixture, const char *name, const char *id)
{
  GtkWidget *part;
  graphene_rect_t place;

  activate (fixture->window, "page", g_variant_new_string (name));
  part = ui_child (page_of (fixture, name), id);
  wait_until (gtk_widget_get_mapped (part) && gtk_widget_get_width (part) > 0);
  g_assert_true (gtk_widget_compute_bounds (part, GTK_WIDGET (fixture->window), &place));
  return place;
}

/* Nothing moves sideways between pages with an index. */
static void
test_margins (Fixture *fixture, gconstpointer data)
{
  static const char *const others[][2] = { { "scale", "content" } };
  graphene_rect_t advice;

  gtk_window_set_default_size (GTK_WINDOW (fixture->window), 1600, 900);
  activate (fixture->window, "open-example", g_variant_new_string ("llama-3-8b-8"));
  gtk_window_present (GTK_WINDOW (fixture->window));
  wait_until (has_status (fixture->window, "ready"));
  advice = part_of (fixture, "analysis", "content");
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      graphene_rect_t other = part_of (fixture, others[i][0], others[i][1]);

      g_assert_cmpfloat (other.origin.x, ==, advice.origin.x);
      g_assert_cmpfloat (other.size.width, ==, advice.size.width);
    }
}

/* GTK 4.8 complains of a popover of texts that opens where nothing has the focus. */
static void
test_sum (Fixture *fixture, gconstpointer data)
{
  GtkWidget *card, *popover;

  activate (fixture->window, "open-example", g_variant_new_string ("llama-3-8b-8"));
  gtk_window_present (GTK_WINDOW (fixture->window));
  wait_until (has_status (fixture->window, "ready"));
  card = ui_find (page_of (fixture, "advice"), SHARDWISE_TYPE_METRIC_CARD);
  wait_until (gtk_widget_get_mapped (card));
  gtk_window_set_focus (GTK_WINDOW (fixture->window), NULL);
  g_signal_emit_by_name (gtk_widget_get_first_child (card), "clicked");
  popover = ui_find (card, GTK_TYPE_POPOVER);
  wait_until (gtk_widget_get_mapped (popover));
  gtk_popover_popdown (GTK_POPOVER (popover));
  activate (fixture->window, "page", g_variant_new_string ("scale"));
  wait_until (!gtk_widget_get_mapped (card));
  g_signal_emit_by_name (gtk_widget_get_first_child (card), "clicked");
  g_assert_false (gtk_widget_get_visible (popover));
}

/* Where the figure was scrolled out of sight before the key that was pressed on it clicks, nothing
 * opens: it would be squeezed to nothing. */
static void
test_sum_out_of_sight (Fixture *fixture, gconstpointer data)
{
  GtkWidget *card;
  GtkAdjustment *adjustment;
  graphene_rect_t bounds;

  activate (fixture->window, "open-example", g_variant_new_string ("llama-3-8b-8"));
  gtk_window_set_default_size (GTK_WINDOW (fixture->window), 860, 294);
  gtk_window_present (GTK_WINDOW (fixture->window));
  wait_until (has_status (fixture->window, "ready"));
  card = ui_find (page_of (fixture, "advice"), SHARDWISE_TYPE_METRIC_CARD);
  adjustment = gtk_scrolled_window_get_vadjustment (
      GTK_SCROLLED_WINDOW (gtk_widget_get_ancestor (card, GTK_TYPE_SCROLLED_WINDOW)));
  wait_until (gtk_adjustment_get_upper (adjustment) > 1000);
  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_upper (adjustment));
  wait_until (gtk_widget_compute_bounds (card, GTK_WIDGET (fixture->window), &bounds)
              && bounds.origin.y + bounds.size.height < 0);
  g_signal_emit_by_name (gtk_widget_get_first_child (card), "clicked");
  g_assert_null (ui_find (card, GTK_TYPE_POPOVER));
}

/* In a narrow window the inputs have the focus while they cover the page, which cannot have it: nor
 * does what a key was pressed on before open anything there. */
static void
test_covered (Fixture *fixture, gconstpointer data)
{
  GtkWidget *inputs, *focus, *card;

  gtk_window_set_default_size (GTK_WINDOW (fixture->window), 360, 600);
  gtk_window_present (GTK_WINDOW (fixture->window));
  activate (fixture->window, "start", NULL);
  inputs = ui_find (GTK_WIDGET (fixture->window), SHARDWISE_TYPE_INPUTS);
  wait_until (gtk_widget_get_mapped (inputs) && has_status (fixture->window, "ready"));
  for (guint i = 0; i < 5; i++)
    {
      gtk_widget_child_focus (GTK_WIDGET (fixture->window), GTK_DIR_TAB_FORWARD);
      focus = gtk_window_get_focus (GTK_WINDOW (fixture->window));
      g_assert_true (gtk_widget_is_ancestor (focus, inputs));
    }
  g_assert_false (gtk_widget_get_can_focus (adw_flap_get_content (fixture->window->flap)));
  gtk_window_set_focus (GTK_WINDOW (fixture->window), NULL);
  card = ui_find (page_of (fixture, "advice"), SHARDWISE_TYPE_METRIC_CARD);
  wait_until (gtk_widget_get_mapped (card));
  g_signal_emit_by_name (gtk_widget_get_first_child (card), "clicked");
  g_assert_null (ui_find (card, GTK_TYPE_POPOVER));
  g_action_group_change_action_state (G_ACTION_GROUP (fixture->window), "toggle-inputs",
                                      g_variant_new_boolean (FALSE));
  wait_until (!gtk_widget_get_mapped (inputs));
  g_assert_true (gtk_widget_get_can_focus (adw_flap_get_content (fixture->window->flap)));
}

/* A page is freed that was left with the focus in it, whatever goes before the next frame. */
static void
test_focus (Fixture *fixture, gconstpointer data)
{
  GtkWidget *page, *card;

  if (gtk_get_minor_version () >= 10)
    {
      g_test_skip ("it is GTK 4.8 that loses sight of what had the focus");
      return;
    }
  activate (fixture->window, "open-example", g_variant_new_string ("llama-3-8b-8"));
  gtk_window_present (GTK_WINDOW (fixture->window));
  wait_until (has_status (fixture->window, "ready"));
  page = page_of (fixture, "advice");
  g_object_add_weak_pointer (G_OBJECT (page), (gpointer *) &page);
  card = ui_find (page, SHARDWISE_TYPE_METRIC_CARD);
  wait_until (gtk_widget_get_mapped (card));
  g_assert_true (gtk_widget_grab_focus (gtk_widget_get_first_child (card)));
  g_signal_connect_swapped (page, "unmap", G_CALLBACK (gtk_widget_hide), card);
  activate (fixture->window, "page", g_variant_new_string ("scale"));
  gtk_widget_set_visible (ui_find (GTK_WIDGET (fixture->window), ADW_TYPE_VIEW_STACK), FALSE);
  gtk_window_destroy (GTK_WINDOW (fixture->window));
  g_clear_object (&fixture->window);
  wait_until (page == NULL);
}

/* As is one to which the focus came from a popover that had closed with the focus in it. */
static void
test_focus_in_popover (Fixture *fixture, gconstpointer data)
{
  GtkWidget *pages[2], *popover, *focus;

  if (gtk_get_minor_version () >= 10)
    {
      g_test_skip ("it is GTK 4.8 that loses sight of what had the focus");
      return;
    }
  activate (fixture->window, "open-example", g_variant_new_string ("llama-3-8b-8"));
  activate (fixture->window, "page", g_variant_new_string ("alternatives/list"));
  gtk_window_present (GTK_WINDOW (fixture->window));
  wait_until (has_status (fixture->window, "ready"));
  pages[0] = page_of (fixture, "alternatives");
  popover = ui_find (ui_find (pages[0], SHARDWISE_TYPE_FACET_CHIP), GTK_TYPE_POPOVER);
  wait_until (gtk_widget_get_mapped (gtk_widget_get_parent (popover)));
  gtk_popover_popup (GTK_POPOVER (popover));
  wait_until (gtk_widget_get_mapped (popover)
              && (focus = gtk_window_get_focus (GTK_WINDOW (fixture->window))) != NULL
              && gtk_widget_is_ancestor (focus, popover));
  gtk_popover_popdown (GTK_POPOVER (popover));
  activate (fixture->window, "page", g_variant_new_string ("advice"));
  pages[1] = page_of (fixture, "advice");
  for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
    g_object_add_weak_pointer (G_OBJECT (pages[i]), (gpointer *) &pages[i]);
  wait_until (gtk_widget_grab_focus (ui_find (pages[1], GTK_TYPE_BUTTON)));
  activate (fixture->window, "page", g_variant_new_string ("alternatives/list"));
  activate (fixture->window, "page", g_variant_new_string ("scale"));
  gtk_window_destroy (GTK_WINDOW (fixture->window));
  g_clear_object (&fixture->window);
  wait_until (pages[0] == NULL && pages[1] == NULL);
}

/* A popover that is open is freed with its window, also where the page of it was left. */
static void
test_popover (Fixture *fixture, gconstpointer page)
{
  GtkWidget *popover;

  activate (fixture->window, "open-example", g_variant_new_string ("llama-3-8b-8"));
  activate (fixture->window, "page", g_variant_new_string ("alternatives/list"));
  gtk_window_present (GTK_WINDOW (fixture->window));
  wait_until (has_status (fixture->window, "ready"));
  popover = ui_find (ui_find (page_of (fixture, "alternatives"), SHARDWISE_TYPE_FACET_CHIP),
                     GTK_TYPE_POPOVER);
  wait_until (gtk_widget_get_mapped (gtk_widget_get_parent (popover)));
  gtk_popover_popup (GTK_POPOVER (popover));
  wait_until (gtk_widget_get_mapped (popover));
  g_object_add_weak_pointer (G_OBJECT (popover), (gpointer *) &popover);
  activate (fixture->window, "page", g_variant_new_string (page));
  gtk_window_destroy (GTK_WINDOW (fixture->window));
  g_clear_object (&fixture->window);
  wait_until (popover == NULL);
}

/* The preferences close with the window that they stand over, and are freed with all that is in
 * them. */
static void
test_preferences (Fixture *fixture, gconstpointer data)
{
  GtkWindow *preferences;
  GtkWidget *page, *group;

  gtk_window_present (GTK_WINDOW (fixture->window));
  g_action_group_activate_action (G_ACTION_GROUP (fixture->application), "preferences", NULL);
  preferences = gtk_application_get_active_window (GTK_APPLICATION (fixture->application));
  g_assert_true (SHARDWISE_IS_PREFERENCES (preferences));
  page = ui_find (GTK_WIDGET (preferences), ADW_TYPE_PREFERENCES_PAGE);
  group = ui_find (page, ADW_TYPE_PREFERENCES_GROUP);
  g_object_add_weak_pointer (G_OBJECT (page), (gpointer *) &page);
  g_object_add_weak_pointer (G_OBJECT (group), (gpointer *) &group);
  wait_until (gtk_widget_get_mapped (page));
  gtk_window_destroy (GTK_WINDOW (fixture->window));
  g_clear_object (&fixture->window);
  wait_until (page == NULL && group == NULL);
}

/* Nothing of the menus stays: GTK 4.8 never frees their sections. */
static void
test_menus (Fixture *fixture, gconstpointer data)
{
  const char *const links[] = { G_MENU_LINK_SECTION, G_MENU_LINK_SECTION, G_MENU_LINK_SUBMENU };
  GMenuModel *menus[G_N_ELEMENTS (links)], *sections[G_N_ELEMENTS (links)];

  activate (fixture->window, "open-example", g_variant_new_string ("llama-3-8b-8"));
  activate (fixture->window, "page", g_variant_new_string ("alternatives/list"));
  menus[0] = G_MENU_MODEL (fixture->window->primary_menu);
  menus[1] = G_MENU_MODEL (fixture->window->recent_menu);
  menus[2] = shardwise_strategy_view_get_menu (SHARDWISE_STRATEGY_VIEW (
      ui_find (page_of (fixture, "alternatives"), SHARDWISE_TYPE_STRATEGY_VIEW)));
  for (guint i = 0; i < G_N_ELEMENTS (menus); i++)
    {
      wait_until (g_menu_model_get_n_items (menus[i]) > 0);
      sections[i] = g_menu_model_get_item_link (menus[i], 0, links[i]);
      g_assert_cmpint (g_menu_model_get_n_items (sections[i]), >, 0);
    }
  gtk_window_destroy (GTK_WINDOW (fixture->window));
  g_clear_object (&fixture->window);
  for (guint i = 0; i < G_N_ELEMENTS (menus); i++)
    {
      wait_until (g_menu_model_get_n_items (sections[i]) == 0);
      g_object_unref (sections[i]);
    }
}

int
main (int argc, char *argv[])
{
  if (!init_window_test (&argc, &argv))
    return 0;
  ADD ("/window-pages/made-when-seen", test_made_when_seen);
  ADD ("/window-pages/hidden", test_hidden);
  ADD ("/window-pages/stale", test_stale);
  ADD ("/window-pages/left-before-finished", test_left_before_finished);
  ADD ("/window-pages/margins", test_margins);
  ADD ("/window-pages/sum", test_sum);
  ADD ("/window-pages/sum-out-of-sight", test_sum_out_of_sight);
  ADD ("/window-pages/covered", test_covered);
  ADD ("/window-pages/focus", test_focus);
  ADD ("/window-pages/focus-in-popover", test_focus_in_popover);
  g_test_add ("/window-pages/assumptions", Fixture, NULL, set_up, test_assumptions, tear_down);
  g_test_add ("/window-pages/assumptions-hidden", Fixture, "hidden", set_up, test_assumptions,
              tear_down);
  g_test_add ("/window-pages/popover", Fixture, "alternatives", set_up, test_popover, tear_down);
  g_test_add ("/window-pages/popover-left", Fixture, "advice", set_up, test_popover, tear_down);
  ADD ("/window-pages/preferences", test_preferences);
  ADD ("/window-pages/menus", test_menus);
  return g_test_run ();
}
