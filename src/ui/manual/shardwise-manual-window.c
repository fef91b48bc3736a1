/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window of the manual, and the page for each widget. */
#include "shardwise-manual-window.h"

#include "shardwise-container.h"
#include "shardwise-config.h"
#include "shardwise-input-row.h"
#include "shardwise-key.h"
#include "shardwise-manual-view.h"

/* By type name: the innermost one around the focus counts. */
static const char *const topics[] = {
  "ShardwiseInputs",
  "inputs",
  "ShardwiseAskPanel",
  "ask",
  "ShardwiseWaterfallChart",
  "charts#step",
  "ShardwiseMemoryChart",
  "charts#memory",
  "ShardwiseTimelineChart",
  "charts#timeline",
  "ShardwiseCommunicationChart",
  "charts#communication",
  "ShardwiseRankChart",
  "charts#ranks",
  "ShardwisePipelineChart",
  "charts#pipeline",
  "ShardwiseScheduleChart",
  "charts#schedules",
  "ShardwiseTornadoChart",
  "charts#limits",
  "ShardwiseScatterChart",
  "charts#scatter",
  "ShardwiseSizingChart",
  "charts#sizing",
  "ShardwiseAtlasChart",
  "charts#atlas",
  "ShardwiseGoodputChart",
  "charts#goodput",
  "ShardwisePlanChart",
  "charts#plan",
  "ShardwiseClusterPicture",
  "charts#cluster",
  "ShardwiseHandCard",
  "analysis#hand",
  "ShardwiseLimitsCard",
  "charts#limits",
  "ShardwiseComparisonView",
  "alternatives#compare",
  "ShardwiseFilterBar",
  "alternatives#filter",
  "ShardwiseFacetChip",
  "alternatives#chips",
  "ShardwiseDiagnosisView",
  "diagnosis",
  "ShardwiseCostCard",
  "cost#money",
  "ShardwiseGoodputCard",
  "cost#failures",
  "ShardwiseDeadlineCard",
  "cost#deadline",
  "ShardwiseAtlasView",
  "scale#atlas",
  "ShardwiseAdvicePage",
  "advice",
  "ShardwiseAnalysisPage",
  "analysis",
  "ShardwiseAlternativesPage",
  "alternatives",
  "ShardwiseScalePage",
  "scale",
  "ShardwiseExportPage",
  "export",
  "ShardwiseNoteEditor",
  "rules#own",
  "ShardwisePlanWindow",
  "plan",
  "ShardwisePlaybookView",
  "rules",
  "ShardwiseJournalEditor",
  "journal#add",
  "ShardwiseJournalView",
  "journal",
  "ShardwisePreferences",
  "preferences",
  NULL,
  NULL,
};

/**
 * shardwise_help_topic:
 * @focus: (nullable): a widget
 *
 * Returns: (transfer none) (nullable): the page of the manual about it, or a section of one; %NULL
 *   if nothing around it has one
 */
const char *
shardwise_help_topic (GtkWidget *focus)
{
  const char *topic = NULL;

  for (; focus != NULL && topic == NULL; focus = gtk_widget_get_parent (focus))
    if (SHARDWISE_IS_INPUT_ROW (focus))
      topic = shardwise_input_row_get_key (SHARDWISE_INPUT_ROW (focus))->topic;
    else
      for (guint i = 0; topics[i] != NULL && topic == NULL; i += 2)
        if (g_str_equal (topics[i], G_OBJECT_TYPE_NAME (focus)))
          topic = topics[i + 1];
  return topic;
}

/**
 * shardwise_help_topics:
 *
 * Returns: (transfer none) (array zero-terminated=1): names of types and their topics, in turn
 */
const char *const *
shardwise_help_topics (void)
{
  return topics;
}

#define CONTENTS "index"

enum {
  EXCERPT = 160, /* characters of a search result */
  MOST_HITS = 50
};

struct _ShardwiseManualWindow {
  AdwWindow parent_instance;
  ShardwiseManual *manual;
  GPtrArray *history; /* of char *: topics; the last one is shown */
  GtkStack *stack;
  ShardwiseManualView *view;
  GtkListBox *hits;
  GtkSearchBar *search_bar;
  GtkSearchEntry *search;
  AdwWindowTitle *title;
};

G_DEFINE_FINAL_TYPE (ShardwiseManualWindow, shardwise_manual_window, ADW_TYPE_WINDOW)

/* ---- pages ---- */

static const char *
topic_of (ShardwiseManualWindow *self)
{
  return self->history->pdata[self->history->len - 1];
}

static void
show_current (ShardwiseManualWindow *self)
{
  const char *topic = topic_of (self);
  const ShardwiseManualNode *page = NULL;
  g_autofree char *title = NULL;

  shardwise_manual_view_show_topic (self->view, self->manual, topic);
  shardwise_manual_find (self->manual, topic, &page);
  title = shardwise_manual_node_title (page);
  adw_window_title_set_subtitle (self->title, title);
  gtk_stack_set_visible_child_name (self->stack, "page");
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "manual.back", self->history->len > 1);
}

static void
open_cb (ShardwiseManualView *view, const char *topic, ShardwiseManualWindow *self)
{
  g_assert (SHARDWISE_IS_MANUAL_WINDOW (self));

  shardwise_manual_window_open (self, topic);
}

static void
back_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  ShardwiseManualWindow *self = SHARDWISE_MANUAL_WINDOW (widget);

  if (self->history->len < 2)
    return;
  g_ptr_array_set_size (self->history, (int) self->history->len - 1);
  show_current (self);
}

static void
contents_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  shardwise_manual_window_open (SHARDWISE_MANUAL_WINDOW (widget), CONTENTS);
}

/* ---- search ---- */

static void
search_cb (ShardwiseManualWindow *self)
{
  const char *words = gtk_editable_get_text (GTK_EDITABLE (self->search));
  g_autoptr (GPtrArray) hits = shardwise_manual_search (self->manual, words);

  shardwise_container_empty_list (self->hits);
  for (guint i = 0; i < MIN (hits->len, (guint) MOST_HITS); i++)
    {
      const ShardwiseManualHit *hit = hits->pdata[i];
      GtkWidget *found = adw_action_row_new ();
      g_autofree char *excerpt =
          g_utf8_substring (hit->text, 0, MIN (g_utf8_strlen (hit->text, -1), (glong) EXCERPT));

      adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (found), FALSE);
      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (found), hit->title);
      adw_action_row_set_subtitle (ADW_ACTION_ROW (found), excerpt);
      adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (found), 2);
      gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (found), TRUE);
      g_object_set_data_full (G_OBJECT (found), "topic", g_strdup (hit->topic), g_free);
      gtk_list_box_append (self->hits, found);
    }
  gtk_stack_set_visible_child_name (self->stack, *words == '\0'  ? "page"
                                                 : hits->len > 0 ? "hits"
                                                                 : "none");
}

static void
hit_cb (ShardwiseManualWindow *self, GtkListBoxRow *row)
{
  g_autofree char *topic = g_strdup (g_object_get_data (G_OBJECT (row), "topic"));

  gtk_search_bar_set_search_mode (self->search_bar, FALSE);
  shardwise_manual_window_open (self, topic);
}

/* Enter in the search opens the first result. */
static void
first_cb (ShardwiseManualWindow *self)
{
  GtkListBoxRow *row = gtk_list_box_get_row_at_index (self->hits, 0);

  if (row != NULL)
    hit_cb (self, row);
}

static void
find_cb (GtkWidget *widget, const char *action, GVariant *parameter)
{
  gtk_search_bar_set_search_mode (SHARDWISE_MANUAL_WINDOW (widget)->search_bar, TRUE);
}

/* ---- object ---- */

static void
shardwise_manual_window_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), SHARDWISE_TYPE_MANUAL_WINDOW);
  G_OBJECT_CLASS (shardwise_manual_window_parent_class)->dispose (object);
}

static void
shardwise_manual_window_finalize (GObject *object)
{
  ShardwiseManualWindow *self = SHARDWISE_MANUAL_WINDOW (object);

  g_ptr_array_unref (self->history);
  shardwise_manual_free (self->manual);
  G_OBJECT_CLASS (shardwise_manual_window_parent_class)->finalize (object);
}

static void
shardwise_manual_window_class_init (ShardwiseManualWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = shardwise_manual_window_dispose;
  G_OBJECT_CLASS (klass)->finalize = shardwise_manual_window_finalize;
  g_type_ensure (SHARDWISE_TYPE_MANUAL_VIEW);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               APPLICATION_PATH "/ui/shardwise-manual-window.ui");
  gtk_widget_class_bind_template_child (widget_class, ShardwiseManualWindow, stack);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseManualWindow, view);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseManualWindow, hits);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseManualWindow, search_bar);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseManualWindow, search);
  gtk_widget_class_bind_template_child (widget_class, ShardwiseManualWindow, title);
  gtk_widget_class_bind_template_callback (widget_class, open_cb);
  gtk_widget_class_bind_template_callback (widget_class, search_cb);
  gtk_widget_class_bind_template_callback (widget_class, hit_cb);
  gtk_widget_class_bind_template_callback (widget_class, first_cb);
  gtk_widget_class_install_action (widget_class, "manual.back", NULL, back_cb);
  gtk_widget_class_install_action (widget_class, "manual.contents", NULL, contents_cb);
  gtk_widget_class_install_action (widget_class, "manual.find", NULL, find_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Left, GDK_ALT_MASK, "manual.back",
                                       NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Home, GDK_ALT_MASK, "manual.contents",
                                       NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_f, GDK_CONTROL_MASK, "manual.find",
                                       NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_w, GDK_CONTROL_MASK, "window.close",
                                       NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
shardwise_manual_window_init (ShardwiseManualWindow *self)
{
  g_autoptr (GtkWindowGroup) group = gtk_window_group_new ();

  /* Its own window group, so that a modal dialog of another window does not block the manual. */
  gtk_window_group_add_window (group, GTK_WINDOW (self));
  self->manual = shardwise_manual_new ();
  self->history = g_ptr_array_new_with_free_func (g_free);
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_search_bar_connect_entry (self->search_bar, GTK_EDITABLE (self->search));
  gtk_search_bar_set_key_capture_widget (self->search_bar, GTK_WIDGET (self));
  shardwise_manual_window_open (self, CONTENTS);
}

/**
 * shardwise_manual_window_new:
 *
 * Returns: (transfer floating): the window, with the contents of the manual
 */
GtkWidget *
shardwise_manual_window_new (void)
{
  return g_object_new (SHARDWISE_TYPE_MANUAL_WINDOW, NULL);
}

/**
 * shardwise_manual_window_open:
 * @topic: a page of the manual or a section of one; an unknown topic opens the contents
 */
void
shardwise_manual_window_open (ShardwiseManualWindow *self, const char *topic)
{
  g_return_if_fail (SHARDWISE_IS_MANUAL_WINDOW (self) && topic != NULL);

  if (shardwise_manual_find (self->manual, topic, NULL) == NULL)
    topic = CONTENTS;
  if (self->history->len == 0 || !g_str_equal (topic_of (self), topic))
    g_ptr_array_add (self->history, g_strdup (topic));
  show_current (self);
}
