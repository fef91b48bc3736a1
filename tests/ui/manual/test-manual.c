/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The manual in a window of our own: every page is rendered and every link leads somewhere; F1 has
 * a topic for every input and page. */
#include "window-fixture.h"

#include "shardwise-config.h"
#include "shardwise-input-row.h"
#include "shardwise-manual-window.h"
#include "shardwise-inputs.h"
#include "shardwise-key.h"
#include "shardwise-manual-view.h"
#include "shardwise-manual-window.h"
#include "ui-fixture.h"

static void
check_links (ShardwiseManual *manual, const ShardwiseManualNode *node, const char *page, guint *n)
{
  const char *xref = shardwise_manual_node_get (node, "xref");

  if (node->name == NULL)
    return;
  if (xref != NULL && shardwise_manual_find (manual, xref, NULL) == NULL)
    g_error ("%s: there is no topic “%s”", page, xref);
  *n += xref != NULL;
  if (g_str_equal (node->name, "media"))
    {
      g_autofree char *path = g_strconcat (APPLICATION_PATH "/help/",
                                           shardwise_manual_node_get (node, "src"), NULL);

      if (!g_resources_get_info (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL, NULL, NULL))
        g_error ("%s: there is no picture “%s”", page, path);
    }
  for (guint i = 0; i < node->children->len; i++)
    check_links (manual, node->children->pdata[i], page, n);
}

static void
test_links (void)
{
  g_autoptr (ShardwiseManual) manual = shardwise_manual_new ();
  GPtrArray *pages = shardwise_manual_get_pages (manual);
  guint n = 0;

  g_assert_cmpuint (pages->len, >, 40);
  for (guint i = 0; i < pages->len; i++)
    check_links (manual, pages->pdata[i], shardwise_manual_node_get (pages->pdata[i], "id"), &n);
  g_assert_cmpuint (n, >, 100);
  g_assert_null (shardwise_manual_find (manual, "no-such-page", NULL));
  g_assert_null (shardwise_manual_find (manual, "inputs#no-such-section", NULL));
}

/* Elements that are not known are warnings, which end a test. */
static void
test_pages (void)
{
  g_autoptr (ShardwiseManual) manual = shardwise_manual_new ();
  GPtrArray *pages = shardwise_manual_get_pages (manual);

  for (guint i = 0; i < pages->len; i++)
    {
      const char *id = shardwise_manual_node_get (pages->pdata[i], "id");
      g_autofree char *title = shardwise_manual_node_title (pages->pdata[i]);
      GtkWidget *view = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_MANUAL_VIEW, NULL));
      int least;

      g_assert_cmpstr (title, !=, "");
      g_assert_true (shardwise_manual_view_show_topic (SHARDWISE_MANUAL_VIEW (view), manual, id));
      gtk_widget_measure (view, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
      if (least > 360)
        g_error ("%s: %d pixels wide at the least", id, least);
      g_assert_false (
          shardwise_manual_view_show_topic (SHARDWISE_MANUAL_VIEW (view), manual, "no-such"));
      g_object_unref (view);
    }
}

/* Every page is reached from the contents: it says which section of them leads to it. */
static void
test_contents (void)
{
  static const char *const sections[] = { "index#use", "index#understand", "index#formulas",
                                          "index#methods", "index#reference" };
  g_autoptr (ShardwiseManual) manual = shardwise_manual_new ();
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (sections); i++)
    {
      g_autoptr (GPtrArray) pages = shardwise_manual_get_guided (manual, sections[i]);

      g_assert_nonnull (shardwise_manual_find (manual, sections[i], NULL));
      g_assert_cmpuint (pages->len, >, 0);
      n += pages->len;
    }
  g_assert_cmpuint (n, ==, shardwise_manual_get_pages (manual)->len - 1);
}

static void
test_search (void)
{
  g_autoptr (ShardwiseManual) manual = shardwise_manual_new ();
  g_autoptr (GPtrArray) hits = shardwise_manual_search (manual, "Daly checkpoint");
  g_autoptr (GPtrArray) title = shardwise_manual_search (manual, "ROOFLINE");
  g_autoptr (GPtrArray) none = shardwise_manual_search (manual, "zzzz");
  g_autoptr (GPtrArray) empty = shardwise_manual_search (manual, "  ");

  g_assert_cmpuint (hits->len, >, 0);
  g_assert_cmpuint (title->len, >, 0);
  g_assert_cmpuint (none->len, ==, 0);
  g_assert_cmpuint (empty->len, ==, 0);
  for (guint i = 0; i < hits->len; i++)
    g_assert_nonnull (
        shardwise_manual_find (manual, ((ShardwiseManualHit *) hits->pdata[i])->topic, NULL));
}

/* What a key means, what it accepts, and where F1 leads. */
static void
test_keys (void)
{
  g_autoptr (ShardwiseManual) manual = shardwise_manual_new ();

  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    {
      const char *topic = shardwise_key_get (i)->topic;
      g_autofree char *help = shardwise_key_describe_help (shardwise_key_get (i), "7");
      g_autofree char *range = shardwise_key_describe_range (shardwise_key_get (i));

      if (shardwise_manual_find (manual, topic, NULL) == NULL)
        g_error ("%s: there is no topic “%s”", shardwise_key_path (i), topic);
      g_assert_cmpuint (strlen (shardwise_key_get (i)->help), >, 20);
      g_assert_nonnull (strstr (help, shardwise_key_get (i)->help));
      g_assert_nonnull (strstr (help, "Default here: 7"));
      if (shardwise_key_get (i)->kind == SHARDWISE_KIND_INTEGER
          || shardwise_key_get (i)->kind == SHARDWISE_KIND_NUMBER)
        g_assert_nonnull (strstr (help, range));
    }
}

/* The manual has every key, as the program describes it. */
static void
test_key_table (void)
{
  g_autoptr (ShardwiseManual) manual = shardwise_manual_new ();
  const ShardwiseManualNode *section = shardwise_manual_find (manual, "scenario-file#keys", NULL);
  g_autofree char *text = NULL;
  guint wrong = 0;

  g_assert_nonnull (section);
  text = shardwise_manual_node_text (section);
  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    {
      g_autofree char *range = shardwise_key_describe_range (shardwise_key_get (i));
      g_autofree char *row = g_strdup_printf ("%s %s %s", shardwise_key_path (i),
                                              shardwise_key_get (i)->help, range);

      if (strstr (text, row) == NULL)
        {
          g_test_message ("<tr><td><p><code>%s</code></p></td><td><p>%s</p></td><td><p>%s</p></td>"
                          "</tr>",
                          shardwise_key_path (i), shardwise_key_get (i)->help, range);
          wrong++;
        }
    }
  g_assert_cmpuint (wrong, ==, 0);
}

static guint
check_inputs (ShardwiseManual *manual, GtkWidget *widget)
{
  guint n = 0;

  if (SHARDWISE_IS_INPUT_ROW (widget))
    {
      GtkWidget *control = shardwise_input_row_get_control (SHARDWISE_INPUT_ROW (widget));
      g_autofree char *help = shardwise_input_help_text (SHARDWISE_INPUT_ROW (widget));
      const char *topic = shardwise_help_topic (control);

      g_assert_true (gtk_widget_get_has_tooltip (widget));
      g_assert_cmpstr (help, !=, "");
      g_assert_nonnull (topic);
      g_assert_nonnull (shardwise_manual_find (manual, topic, NULL));
      return 1;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += check_inputs (manual, child);
  return n;
}

static void
test_inputs (void)
{
  g_autoptr (ShardwiseManual) manual = shardwise_manual_new ();
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  GtkWidget *inputs = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_INPUTS, NULL));
  ShardwiseInputRow *row;
  g_autofree char *help = NULL;

  shardwise_inputs_set_scenario (SHARDWISE_INPUTS (inputs), scenario);
  g_assert_cmpuint (check_inputs (manual, inputs), >, 60);
  row = shardwise_inputs_find_row (SHARDWISE_INPUTS (inputs),
                                   SHARDWISE_KEY_TRAINING_SEQUENCE_LENGTH);
  help = shardwise_input_help_text (row);
  g_assert_nonnull (strstr (help, "4,096"));
  g_object_unref (inputs);
}

static void
check_focusable (ShardwiseManual *manual, GtkWidget *widget, guint *n)
{
  if (gtk_widget_get_focusable (widget))
    {
      const char *topic = shardwise_help_topic (widget);

      if (topic != NULL)
        g_assert_nonnull (shardwise_manual_find (manual, topic, NULL));
      *n += topic != NULL;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    check_focusable (manual, child, n);
}

/* Whatever has the focus on a page leads to a topic. */
static void
test_focus (Fixture *fixture, gconstpointer data)
{
  static const char *const pages[] = { "advice", "analysis", "alternatives", "scale" };
  g_autoptr (ShardwiseManual) manual = shardwise_manual_new ();
  const char *const *topics = shardwise_help_topics ();
  guint n = 0;

  g_action_group_activate_action (G_ACTION_GROUP (fixture->window), "open-example",
                                  g_variant_new_string ("llama-3-70b-32"));
  wait_until (has_status (fixture->window, "ready"));
  for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
    {
      g_action_group_activate_action (G_ACTION_GROUP (fixture->window), "page",
                                      g_variant_new_string (pages[i]));
      gtk_window_set_focus (GTK_WINDOW (fixture->window), NULL);
      g_assert_nonnull (
          shardwise_manual_find (manual, shardwise_window_get_help_page (fixture->window), NULL));
    }
  check_focusable (manual, GTK_WIDGET (fixture->window), &n);
  g_assert_cmpuint (n, >, 50);
  for (guint i = 0; topics[i] != NULL; i += 2)
    if (shardwise_manual_find (manual, topics[i + 1], NULL) == NULL)
      g_error ("%s: there is no topic “%s”", topics[i], topics[i + 1]);
}

static gboolean
is_visible_of_type (GtkWidget *widget, gconstpointer type)
{
  return ui_is_of_type (widget, type) && gtk_widget_get_visible (widget);
}

static GtkWidget *
find_type (GtkWidget *widget, GType type)
{
  return ui_find_match (widget, is_visible_of_type, &type);
}

/* The title of the page that is open. */
static const char *
page_of (GtkWidget *window)
{
  return adw_window_title_get_subtitle (ui_child (window, "title"));
}

static double
scrolled_by (GtkWidget *view)
{
  GtkWidget *scroller = ui_find (view, GTK_TYPE_SCROLLED_WINDOW);

  return gtk_adjustment_get_value (
      gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller)));
}

/* A link to a section begins with it, also from a page that is shown already. */
static void
test_section (void)
{
  GtkWidget *window = shardwise_manual_window_new ();
  GtkWidget *view = find_type (window, SHARDWISE_TYPE_MANUAL_VIEW);

  gtk_window_present (GTK_WINDOW (window));
  gtk_test_widget_wait_for_draw (window);
  g_assert_cmpfloat (scrolled_by (view), ==, 0);
  g_signal_emit_by_name (view, "open", "formula-activations#recompute");
  wait_until (scrolled_by (view) > 0);
  g_signal_emit_by_name (view, "open", "formula-activations");
  g_assert_cmpfloat (scrolled_by (view), ==, 0);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* A link leads on, Back back; a search finds a page and Enter opens it. */
static void
test_window (void)
{
  GtkWidget *window = shardwise_manual_window_new ();
  ShardwiseManualWindow *manual = SHARDWISE_MANUAL_WINDOW (window);
  GtkWidget *view = find_type (window, SHARDWISE_TYPE_MANUAL_VIEW), *search;
  g_autofree char *contents = g_strdup (page_of (window));

  gtk_window_present (GTK_WINDOW (window));
  g_assert_true (gtk_window_get_group (GTK_WINDOW (window)) != gtk_window_get_group (NULL));
  g_signal_emit_by_name (view, "open", "formula-activations#recompute");
  g_assert_cmpstr (page_of (window), ==, "Bytes of activations");
  gtk_widget_activate_action (window, "manual.back", NULL);
  g_assert_cmpstr (page_of (window), ==, contents);
  shardwise_manual_window_open (manual, "no-such-page");
  g_assert_cmpstr (page_of (window), ==, contents);
  gtk_widget_activate_action (window, "manual.find", NULL);
  search = find_type (window, GTK_TYPE_SEARCH_ENTRY);
  gtk_editable_set_text (GTK_EDITABLE (search), "checkpoints Young");
  g_signal_emit_by_name (search, "search-changed");
  g_signal_emit_by_name (search, "activate");
  g_assert_cmpstr (page_of (window), !=, contents);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
picture (const char *topic, int width, const char *name)
{
  g_autoptr (ShardwiseManual) manual = shardwise_manual_new ();
  GtkWidget *view = g_object_new (SHARDWISE_TYPE_MANUAL_VIEW, NULL), *window, *media;

  gtk_widget_set_size_request (view, width, 900);
  g_assert_true (shardwise_manual_view_show_topic (SHARDWISE_MANUAL_VIEW (view), manual, topic));
  window = ui_show (view, width, 900);
  cairo_surface_destroy (ui_picture (view, name));
  g_assert_cmpint (gtk_widget_get_width (view), ==, width);
  media = ui_find (view, GTK_TYPE_PICTURE);
  if (media != NULL) /* as wide as the text, on a page that is longer than the window too */
    g_assert_cmpint (gtk_widget_get_height (media), >, width / 4);
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_pictures (void)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();

  ui_load_style ();
  picture ("index", 360, "manual-index-360");
  picture ("index", 760, "manual-index-760");
  picture ("formula-activations", 360, "manual-activations-360");
  picture ("formula-activations", 760, "manual-activations-760");
  picture ("accuracy", 360, "manual-accuracy-360");
  picture ("rules", 760, "manual-rules-760");
  picture ("advice", 760, "manual-advice-760");
  picture ("charts", 760, "manual-charts-760");
  picture ("alternatives", 360, "manual-alternatives-360");
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_FORCE_DARK);
  picture ("formula-gemm", 760, "manual-gemm-dark");
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_DEFAULT);
  gtk_widget_set_default_direction (GTK_TEXT_DIR_RTL);
  picture ("start", 360, "manual-start-rtl");
  gtk_widget_set_default_direction (GTK_TEXT_DIR_LTR);
}

int
main (int argc, char *argv[])
{
  if (!init_window_test (&argc, &argv))
    return 0;

  g_test_add_func ("/manual/links", test_links);
  g_test_add_func ("/manual/pages", test_pages);
  g_test_add_func ("/manual/contents", test_contents);
  g_test_add_func ("/manual/search", test_search);
  g_test_add_func ("/manual/keys", test_keys);
  g_test_add_func ("/manual/key-table", test_key_table);
  g_test_add_func ("/manual/inputs", test_inputs);
  ADD ("/manual/focus", test_focus);
  g_test_add_func ("/manual/section", test_section);
  g_test_add_func ("/manual/window", test_window);
  g_test_add_func ("/manual/pictures", test_pictures);
  return g_test_run ();
}
