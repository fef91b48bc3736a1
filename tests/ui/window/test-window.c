/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-advice-page.h"
#include "shardwise-alternatives-page.h"
#include "shardwise-analysis-page.h"
#include "shardwise-toast.h"
#include "shardwise-config.h"
#include "shardwise-preferences.h"
#include "shardwise-scale-page.h"
#include "shardwise-shortcuts-window.h"
#include "ui-fixture.h"
#include "window-fixture.h"

static void
collect_examples (GtkWidget *widget, GHashTable *names)
{
  if (ADW_IS_ACTION_ROW (widget))
    {
      GtkActionable *row = GTK_ACTIONABLE (widget);

      if (g_strcmp0 (gtk_actionable_get_action_name (row), "win.open-example") == 0)
        g_hash_table_insert (
            names, g_variant_dup_string (gtk_actionable_get_action_target_value (row), NULL),
            g_strdup (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (widget))));
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    collect_examples (child, names);
}

static guint
count_examples (ShardwiseWindow *window)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  collect_examples (GTK_WIDGET (window), names);
  return g_hash_table_size (names);
}

/* The start page leads to every example there is. */
static void
assert_examples (ShardwiseWindow *window)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_auto (GStrv) files = g_resources_enumerate_children (APPLICATION_PATH "/examples",
                                                         G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

  collect_examples (GTK_WIDGET (window), names);
  g_assert_cmpuint (g_strv_length (files), ==, g_hash_table_size (names));
  for (guint i = 0; files[i] != NULL; i++)
    {
      *strrchr (files[i], '.') = '\0';
      g_assert_true (g_hash_table_contains (names, files[i]));
    }
}

static void
test_start (Fixture *fixture, gconstpointer data)
{
  g_assert_cmpstr (get_status (fixture->window), ==, "empty");
  g_assert_true (shardwise_window_is_unused (fixture->window));
  g_assert_false (is_enabled (fixture->window, "save"));
  g_assert_false (is_enabled (fixture->window, "evaluate"));
  gtk_window_present (GTK_WINDOW (fixture->window)); /* examples are listed once they are seen */
  wait_until (count_examples (fixture->window) > 0);
  assert_examples (fixture->window);
  activate (fixture->window, "start", NULL);
  g_assert_false (shardwise_window_is_unused (fixture->window));
  g_assert_true (is_enabled (fixture->window, "save"));
  g_assert_false (is_enabled (fixture->window, "start")); /* it would drop the document */
  wait_until (has_status (fixture->window, "ready"));
  g_assert_nonnull (shardwise_advisor_get_advice (shardwise_window_get_advisor (fixture->window)));
}

/* The names that menus, shortcuts and other programs rely on. */
static void
test_action_names (Fixture *fixture, gconstpointer data)
{
  static const char *const app_names[] = { "new",  "open",  "preferences", "shortcuts",
                                           "help", "about", "quit" };
  static const struct {
    const char *name, *parameter;
  } names[] = {
    { "save", NULL },         { "save-as", NULL },       { "revert", NULL },
    { "undo", NULL },         { "redo", NULL },          { "evaluate", NULL },
    { "stop", NULL },         { "toggle-inputs", NULL }, { "toggle-ask", NULL },
    { "page", "s" },          { "apply", "a{sv}" },      { "export-to", "s" },
    { "copy-export", NULL },  { "save-export", NULL },   { "status", NULL },
    { "print-report", NULL }, { "save-report", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (app_names); i++)
    g_assert_true (g_action_group_has_action (G_ACTION_GROUP (fixture->application), app_names[i]));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const GVariantType *type = g_action_group_get_action_parameter_type (
          G_ACTION_GROUP (fixture->window), names[i].name);

      g_test_message ("win.%s", names[i].name);
      g_assert_true (g_action_group_has_action (G_ACTION_GROUP (fixture->window), names[i].name));
      g_assert_cmpint (type != NULL, ==, names[i].parameter != NULL);
      if (type != NULL)
        g_assert_true (g_variant_type_equal (type, G_VARIANT_TYPE (names[i].parameter)));
    }
  g_action_group_change_action_state (G_ACTION_GROUP (fixture->window), "status",
                                      g_variant_new_string ("ready"));
  g_assert_cmpstr (get_status (fixture->window), ==, "empty");
}

static void
test_apply (Fixture *fixture, gconstpointer data)
{
  ShardwiseScenario *scenario;
  GVariantDict both;
  g_autofree char *before = NULL, *after = NULL;

  activate (fixture->window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (64)));
  scenario = shardwise_window_get_scenario (fixture->window);
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==,
                     64);

  before = get_json (fixture);
  g_variant_dict_init (&both, NULL);
  g_variant_dict_insert (&both, "cluster.gpus", "i", 128);
  g_variant_dict_insert (&both, "training.sequence_length", "i", -1);
  activate (fixture->window, "apply", g_variant_dict_end (&both));
  activate (fixture->window, "apply", one_change ("cluster.gpsu", g_variant_new_int32 (64)));
  after = get_json (fixture);
  g_assert_cmpstr (after, ==, before);
}

static void
test_undo (Fixture *fixture, gconstpointer data)
{
  ShardwiseScenario *scenario;

  activate (fixture->window, "start", NULL);
  scenario = shardwise_window_get_scenario (fixture->window);
  g_assert_false (is_enabled (fixture->window, "undo"));
  activate (fixture->window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (64)));
  g_assert_true (g_str_has_prefix (gtk_window_get_title (GTK_WINDOW (fixture->window)), "• "));
  g_assert_true (is_enabled (fixture->window, "undo"));
  activate (fixture->window, "undo", NULL);
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==,
                     8);
  g_assert_false (g_str_has_prefix (gtk_window_get_title (GTK_WINDOW (fixture->window)), "• "));
  g_assert_true (is_enabled (fixture->window, "redo"));
  activate (fixture->window, "redo", NULL);
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==,
                     64);
}

/* Reset All is one step back, and offers to take it. */
static void
test_reset (Fixture *fixture, gconstpointer data)
{
  g_autofree char *before = NULL, *after = NULL;

  g_assert_false (is_enabled (fixture->window, "reset-inputs"));
  activate (fixture->window, "start", NULL);
  activate (fixture->window, "apply",
            one_change ("cluster.gpus_per_node", g_variant_new_int32 (4)));
  before = get_json (fixture);
  activate (fixture->window, "reset-inputs", NULL);
  g_assert_cmpfloat (shardwise_scenario_get_number (shardwise_window_get_scenario (fixture->window),
                                                    SHARDWISE_KEY_CLUSTER_GPUS_PER_NODE, 0),
                     ==, 8);
  activate (fixture->window, "undo", NULL);
  after = get_json (fixture);
  g_assert_cmpstr (after, ==, before);
}

/* A preferred cluster is what a scenario begins with; one that makes no sense is passed over. */
static void
test_default_cluster (Fixture *fixture, gconstpointer data)
{
  GSettings *settings = shardwise_application_get_settings (fixture->application);
  g_autoptr (ShardwiseScenario) fresh = NULL, other = NULL;
  g_autofree char *text = NULL, *gpu = NULL;

  activate (fixture->window, "start", NULL);
  activate (fixture->window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (48)));
  activate (fixture->window, "apply",
            one_change ("cluster.gpu", g_variant_new_string ("a100-80-sxm")));
  activate (fixture->window, "apply",
            one_change ("training.sequence_length", g_variant_new_int32 (512)));
  activate (fixture->window, "keep-cluster", NULL);

  fresh = shardwise_new_scenario (settings);
  gpu = shardwise_scenario_get_string (fresh, SHARDWISE_KEY_CLUSTER_GPU);
  g_assert_cmpstr (gpu, ==, "a100-80-sxm");
  g_assert_cmpfloat (shardwise_scenario_get_number (fresh, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==, 48);
  g_assert_cmpfloat (
      shardwise_scenario_get_number (fresh, SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH, 0), ==, 4096);
  g_assert_false (shardwise_scenario_get_modified (fresh));
  text = shardwise_new_scenario_describe_cluster (settings);
  g_assert_nonnull (strstr (text, "48 × A100"));

  g_settings_set_value (settings, "default-cluster",
                        one_change ("cluster.gpu", g_variant_new_string ("abacus")));
  other = shardwise_new_scenario (settings);
  g_assert_cmpfloat (shardwise_scenario_get_number (other, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==, 8);
  g_settings_reset (settings, "default-cluster");
}

static gboolean
has_gib (GtkWidget *widget, gconstpointer unused)
{
  return GTK_IS_LABEL (widget) && strstr (gtk_label_get_text (GTK_LABEL (widget)), "GiB") != NULL;
}

/* A label that tells memory in GiB; NULL: none does. */
static GtkWidget *
find_gib (GtkWidget *widget)
{
  return ui_find_match (widget, has_gib, NULL);
}

static const char *
memory_of (ShardwiseWindow *window, const char *unit)
{
  ShardwiseAdvice *advice = shardwise_advisor_get_advice (shardwise_window_get_advisor (window));

  return strstr (shardwise_advice_get_verdict (advice), unit);
}

/* The preferred unit is that of every label, at once, and back. */
static void
test_memory_unit (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "advice", "analysis", "alternatives", "scale" };
  GSettings *settings = shardwise_application_get_settings (fixture->application);

  gtk_window_present (GTK_WINDOW (fixture->window));
  activate (fixture->window, "open-example", g_variant_new_string ("llama-3-8b-8"));
  wait_until (has_status (fixture->window, "ready"));
  g_assert_nonnull (memory_of (fixture->window, " GiB"));
  wait_until (find_gib (GTK_WIDGET (fixture->window)) != NULL);
  g_settings_set_string (settings, "memory-unit", "GB");
  wait_until (has_status (fixture->window, "ready") && memory_of (fixture->window, " GiB") == NULL);
  g_assert_nonnull (memory_of (fixture->window, "85.0 GB")); /* 79.2 GiB */
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      activate (fixture->window, "page", g_variant_new_string (names[i]));
      gtk_test_widget_wait_for_draw (GTK_WIDGET (fixture->window));
      ui_wake (GTK_WIDGET (fixture->window));
      wait_until (find_gib (GTK_WIDGET (fixture->window)) == NULL); /* by the next frame */
    }
  g_settings_reset (settings, "memory-unit");
  wait_until (memory_of (fixture->window, " GiB") != NULL);
}

static void
test_pages (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "analysis", "alternatives", "scale", "advice" };

  activate (fixture->window, "start", NULL);
  gtk_window_set_focus (GTK_WINDOW (fixture->window), NULL); /* no longer in the inputs */
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GVariant) state = NULL;

      activate (fixture->window, "page", g_variant_new_string (names[i]));
      state = g_action_group_get_action_state (G_ACTION_GROUP (fixture->window), "page");
      g_assert_cmpstr (g_variant_get_string (state, NULL), ==, names[i]);
      g_assert_cmpstr (shardwise_window_get_help_page (fixture->window), ==, names[i]);
    }
  activate (fixture->window, "page", g_variant_new_string ("nowhere"));
  activate (fixture->window, "export-to", g_variant_new_string ("nothing"));
  g_assert_cmpstr (
      g_variant_get_string (
          g_action_group_get_action_state (G_ACTION_GROUP (fixture->window), "page"), NULL),
      ==, "advice");
}

static void
test_examples (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "llama-3-8b-8",
                                       "llama-3-70b-32",
                                       "mixtral-8x22b-128",
                                       "llama-3.1-405b-16384",
                                       "llama-3-70b-lora-8",
                                       "llama-3-70b-qlora-2",
                                       "llama-3-8b-long-context",
                                       "llama-3.1-405b-too-large" };
  g_autoptr (GHashTable) titles = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  gtk_window_present (GTK_WINDOW (fixture->window));
  wait_until (count_examples (fixture->window) > 0);
  collect_examples (GTK_WIDGET (fixture->window), titles);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *name = NULL;
      ShardwiseScenario *scenario;

      activate (fixture->window, "open-example", g_variant_new_string (names[i]));
      scenario = shardwise_window_get_scenario (fixture->window);
      name = shardwise_scenario_get_string (scenario, SHARDWISE_KEY_NAME);
      g_assert_false (has_dialog ());
      g_assert_false (shardwise_scenario_get_modified (scenario));
      g_assert_nonnull (name);
      g_assert_true (g_str_has_suffix (g_hash_table_lookup (titles, names[i]), "?"));
      wait_until (has_status (fixture->window, "ready") || has_status (fixture->window, "error"));
      g_test_message ("%s: %s", names[i], get_status (fixture->window));
      g_assert_cmpstr (get_status (fixture->window), ==, "ready");
    }
}

/* An error of the question: status error, the last advice stays, and a good value mends it. */
static void
test_error (Fixture *fixture, gconstpointer data)
{
  ShardwiseAdvisor *advisor;

  activate (fixture->window, "start", NULL);
  wait_until (has_status (fixture->window, "ready"));
  advisor = shardwise_window_get_advisor (fixture->window);
  activate (fixture->window, "apply",
            one_change ("cluster.inter_node", g_variant_new_string ("carrier-pigeon")));
  wait_until (has_status (fixture->window, "error"));
  g_assert_nonnull (shardwise_advisor_get_advice (advisor));
  g_assert_cmpstr (shardwise_advisor_get_error_path (advisor), ==, "cluster.inter_node");
  activate (fixture->window, "apply",
            one_change ("cluster.inter_node", g_variant_new_string ("infiniband")));
  wait_until (has_status (fixture->window, "ready"));
}

/* Where pinned degrees contradict each other, one click lets the search choose. */
static void
test_unpin (Fixture *fixture, gconstpointer data)
{
  static const char json[] = "{\"format\": \"shardwise-scenario\", \"version\": 1,"
                             "\"model\": {\"preset\": \"llama-3-8b\"}, \"cluster\": {\"gpus\": 8},"
                             "\"strategy\": {\"tp\": 8, \"pp\": 8}}";
  GtkWidget *button;

  g_assert_true (shardwise_window_open_text (fixture->window, json, -1, "test"));
  wait_until (has_status (fixture->window, "error"));
  gtk_window_present (GTK_WINDOW (fixture->window)); /* pages are brought up to date as they show */
  button = ui_find_button (GTK_WIDGET (fixture->window), "_Let the Search Choose");
  g_assert_nonnull (button);
  wait_until (gtk_widget_get_visible (button));
  g_signal_emit_by_name (button, "clicked");
  wait_until (has_status (fixture->window, "ready"));
  wait_until (!gtk_widget_get_visible (button)); /* the page follows with the next frame */
}

/* Without live evaluation an edit makes the advice stale until it is asked for. */
static void
test_not_live (Fixture *fixture, gconstpointer data)
{
  GSettings *settings = shardwise_application_get_settings (fixture->application);
  ShardwiseAdvice *before;

  activate (fixture->window, "start", NULL);
  wait_until (has_status (fixture->window, "ready"));
  g_settings_set_boolean (settings, "live-evaluation", FALSE);
  before = shardwise_advisor_get_advice (shardwise_window_get_advisor (fixture->window));
  activate (fixture->window, "apply", one_change ("cluster.gpus", g_variant_new_int32 (16)));
  g_assert_cmpstr (get_status (fixture->window), ==, "stale");
  g_assert_true (shardwise_advisor_get_advice (shardwise_window_get_advisor (fixture->window))
                 == before);
  /* Nothing is computed, and no page says that anything were. */
  g_assert_false (shardwise_advisor_is_running (shardwise_window_get_advisor (fixture->window)));
  gtk_test_accessible_assert_state (
      GTK_ACCESSIBLE (shardwise_window_get_page (fixture->window, "advice")),
      GTK_ACCESSIBLE_STATE_BUSY, FALSE);
  activate (fixture->window, "evaluate", NULL);
  wait_until (has_status (fixture->window, "ready"));
  g_assert_cmpuint (
      shardwise_advice_get_problem (
          shardwise_advisor_get_advice (shardwise_window_get_advisor (fixture->window)))
          ->cluster.gpus,
      ==, 16);
  g_settings_set_boolean (settings, "live-evaluation", TRUE);
}

static gboolean
has_tooltip (GtkWidget *widget, gconstpointer tooltip)
{
  return g_strcmp0 (gtk_widget_get_tooltip_text (widget), tooltip) == 0;
}

static GtkWidget *
find_by_tooltip (GtkWidget *widget, const char *tooltip)
{
  return ui_find_match (widget, has_tooltip, tooltip);
}

/* Every button that shows only an icon has a tooltip, and so a name. */
static void
check_icon_buttons (GtkWidget *widget, guint *n_checked)
{
  if (GTK_IS_BUTTON (widget) && gtk_button_get_icon_name (GTK_BUTTON (widget)) != NULL
      && GTK_IS_BOX (gtk_widget_get_parent (widget)))
    {
      if (gtk_widget_get_tooltip_text (widget) == NULL)
        g_error ("the button “%s” has no tooltip", gtk_button_get_icon_name (GTK_BUTTON (widget)));
      (*n_checked)++;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    check_icon_buttons (child, n_checked);
}

static void
test_accessible (Fixture *fixture, gconstpointer data)
{
  GtkWidget *inputs = find_by_tooltip (GTK_WIDGET (fixture->window), "Show or hide the inputs");
  GtkWidget *menu = find_by_tooltip (GTK_WIDGET (fixture->window), "Main menu");
  GtkWidget *undo = find_by_tooltip (GTK_WIDGET (fixture->window), "Undo");
  guint n_checked = 0;

  gtk_test_accessible_assert_role (undo, GTK_ACCESSIBLE_ROLE_BUTTON);
  gtk_test_accessible_assert_property (inputs, GTK_ACCESSIBLE_PROPERTY_LABEL, "Inputs");
  gtk_test_accessible_assert_property (menu, GTK_ACCESSIBLE_PROPERTY_LABEL, "Main menu");
  gtk_test_accessible_assert_property (undo, GTK_ACCESSIBLE_PROPERTY_LABEL, "Undo");
  check_icon_buttons (GTK_WIDGET (fixture->window), &n_checked);
  g_assert_cmpuint (n_checked, >=, 3);
}

static guint
count_keys (GtkWidget *widget)
{
  guint n = GTK_IS_SHORTCUT_LABEL (widget);

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += count_keys (child);
  return n;
}

/* The keys are all there, in a window that is no wider than a narrow screen. */
static void
check_shortcuts (void)
{
  GListModel *windows = gtk_window_get_toplevels ();
  guint n_keys = 0;

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);
      int least;

      if (!SHARDWISE_IS_SHORTCUTS_WINDOW (window))
        continue;
      n_keys += count_keys (window);
      gtk_widget_measure (window, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
      g_assert_cmpint (least, <=, 360);
    }
  g_assert_cmpuint (n_keys, ==, 26);
}

static void
test_dialogs (Fixture *fixture, gconstpointer data)
{
  GtkWidget *preferences =
      shardwise_preferences_new (shardwise_application_get_settings (fixture->application));

  gtk_window_destroy (GTK_WINDOW (preferences));
  gtk_window_present (GTK_WINDOW (fixture->window));
  g_action_group_activate_action (G_ACTION_GROUP (fixture->application), "shortcuts", NULL);
  check_shortcuts ();
  g_action_group_activate_action (G_ACTION_GROUP (fixture->application), "about", NULL);
}

/* What the application needs at run time brings the loader of SVG: without it GTK draws a broken
 * picture for each icon of ours, and says nothing. */
static void
test_icons (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "..", "data", "icons", "hicolor", "symbolic", "apps",
                             "io.github.shardwise.Shardwise-symbolic.svg", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GdkPixbuf) icon = gdk_pixbuf_new_from_file_at_size (path, 16, 16, &error);

  g_assert_no_error (error);
  g_assert_cmpint (gdk_pixbuf_get_width (icon), ==, 16);
}

static void
test_templates (void)
{
  const GType types[] = { SHARDWISE_TYPE_ADVICE_PAGE, SHARDWISE_TYPE_ANALYSIS_PAGE,
                          SHARDWISE_TYPE_ALTERNATIVES_PAGE, SHARDWISE_TYPE_SCALE_PAGE,
                          SHARDWISE_TYPE_EXPORT_PAGE };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      GtkWidget *page = g_object_ref_sink (g_object_new (types[i], NULL));

      g_test_message ("%s", g_type_name (types[i]));
      g_assert_true (SHARDWISE_IS_PAGE (page));
      g_assert_finalize_object (page);
    }
}

static ShardwiseWindow *
other_window (Fixture *fixture)
{
  GList *windows = gtk_application_get_windows (GTK_APPLICATION (fixture->application));

  for (; windows != NULL; windows = windows->next)
    if (SHARDWISE_IS_WINDOW (windows->data) && windows->data != fixture->window)
      return windows->data;
  return NULL;
}

/* A cell of the atlas opens a new window, and this one does not change. */
static void
test_open_scenario (Fixture *fixture, gconstpointer data)
{
  const char *json = "{\"format\": \"shardwise-scenario\", \"version\": 1, \"model\": "
                     "{\"parameters_b\": 3}, \"cluster\": {\"gpus\": 16}}";
  g_autofree char *before = NULL, *after = NULL;
  ShardwiseWindow *other;
  ShardwiseAdvisor *advisor;

  activate (fixture->window, "start", NULL);
  wait_until (has_status (fixture->window, "ready"));
  before = get_json (fixture);
  activate (fixture->window, "open-scenario", g_variant_new_string ("{\"model\": 1}"));
  g_assert_null (other_window (fixture));
  activate (fixture->window, "open-scenario", g_variant_new_string (json));
  other = other_window (fixture);
  g_assert_nonnull (other);
  wait_until (has_status (other, "ready"));
  advisor = shardwise_window_get_advisor (other);
  g_assert_cmpuint (
      shardwise_advice_get_problem (shardwise_advisor_get_advice (advisor))->cluster.gpus, ==, 16);
  after = get_json (fixture);
  g_assert_cmpstr (after, ==, before);
}

static void
parsing_error_cb (GtkCssProvider *provider, GtkCssSection *section, GError *error, gpointer data)
{
  g_autofree char *where = gtk_css_section_to_string (section);

  g_error ("%s: %s", where, error->message);
}

static void
test_style (void)
{
  g_autoptr (GtkCssProvider) provider = gtk_css_provider_new ();

  g_signal_connect (provider, "parsing-error", G_CALLBACK (parsing_error_cb), NULL);
  gtk_css_provider_load_from_resource (provider, APPLICATION_PATH "/style.css");
}

/* Names of files and errors are no markup. A toast that takes the place of another appears for half
 * a second and goes in less: one that goes at once must not be missed by what makes it appear. */
static void
test_toasts (void)
{
  AdwToastOverlay *overlay = ADW_TOAST_OVERLAY (adw_toast_overlay_new ());
  GtkWidget *window = gtk_window_new ();
  AdwToast *toasts[3];

  gtk_window_set_child (GTK_WINDOW (window), GTK_WIDGET (overlay));
  gtk_window_present (GTK_WINDOW (window));
  wait_until (gtk_widget_get_mapped (window));
  for (guint i = 0; i < G_N_ELEMENTS (toasts); i++)
    {
      toasts[i] = shardwise_toast_show (overlay, "A & B <1>");
      g_object_add_weak_pointer (G_OBJECT (toasts[i]), (gpointer *) &toasts[i]);
    }
  g_assert_cmpstr (adw_toast_get_title (toasts[0]), ==, "A &amp; B &lt;1&gt;");
  gtk_test_widget_wait_for_draw (window);
  for (guint i = 0; i < G_N_ELEMENTS (toasts); i++)
    adw_toast_dismiss (toasts[i]);
  for (guint i = 0; i < G_N_ELEMENTS (toasts); i++)
    wait_until (toasts[i] == NULL);
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int argc, char *argv[])
{
  if (!init_window_test (&argc, &argv))
    return 0;

  g_test_add_func ("/window/style", test_style);
  g_test_add_func ("/window/icons", test_icons);
  g_test_add_func ("/window/templates", test_templates);
  g_test_add_func ("/window/toasts", test_toasts);
  ADD ("/window/start", test_start);
  ADD ("/window/action-names", test_action_names);
  ADD ("/window/apply", test_apply);
  ADD ("/window/undo", test_undo);
  ADD ("/window/reset", test_reset);
  ADD ("/window/memory-unit", test_memory_unit);
  ADD ("/window/default-cluster", test_default_cluster);
  ADD ("/window/pages", test_pages);
  ADD ("/window/examples", test_examples);
  ADD ("/window/error", test_error);
  ADD ("/window/unpin", test_unpin);
  ADD ("/window/open-scenario", test_open_scenario);
  ADD ("/window/not-live", test_not_live);
  ADD ("/window/accessible", test_accessible);
  ADD ("/window/dialogs", test_dialogs);
  return g_test_run ();
}
