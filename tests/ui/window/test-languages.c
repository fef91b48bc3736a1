/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window in other languages, above all in one that is longer than English and has brackets
 * around what is translated (tests/tools/with-languages): nothing is wider than its window, no text
 * is cut, and all of it was translated. */
#include <libintl.h>
#include <locale.h>

#include "charts-ready.h"
#include "shardwise-ask-panel.h"
#include "shardwise-chart.h"
#include "shardwise-config.h"
#include "shardwise-journal-view.h"
#include "shardwise-manual-window.h"
#include "shardwise-plan-view.h"
#include "shardwise-playbook-view.h"
#include "shardwise-preferences.h"
#include "shardwise-shortcuts-window.h"
#include "window-fixture.h"

#define NARROW 360

typedef struct {
  const char *place;
  GHashTable *said; /* each finding once */
  gboolean whole;   /* also what was translated */
} Look;

static void G_GNUC_PRINTF (2, 3) complain (Look *look, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  if (!g_hash_table_contains (look->said, text))
    {
      g_printerr ("%s: %s\n", look->place, text);
      g_hash_table_add (look->said, g_steal_pointer (&text));
    }
}

/* ---- what was translated ---- */

/* What is called so in every language: programs, models, GPUs, links, files, and what the toolkit
 * translates: a title of libadwaita, keys. */
#define NAMES                                                                                      \
  "DeepSpeed|PyTorch|Nanotron|Megatron|Core|LM|TorchTitan|Accelerate|Bridge|torchrun|Slurm|"       \
  "Axolotl|LLaMA-Factory|torchtune|Unsloth|verl|OpenRLHF|SkyPilot(?: main)?|00052df|"              \
  "Kubernetes|Kubeflow|TrainJob|v1alpha1|dev0|Mixtral|NVLink|NVSwitch|^bash |"                     \
  "Llama|Qwen3|gpt-oss|Mistral Small|DeepSeek|GeForce|Instinct|Gaudi|Blackwell Workstation|"       \
  "\\(whole module, 2 GCD\\)|"                                                                     \
  "\\S+\\.(?:sh|json|py|yaml|toml)|^(?:Preferences|Ctrl|Shift)$"

/* Whether a translator saw it: what is left without what is in brackets, and without names, has no
 * word. */
static gboolean
is_translated (const char *text)
{
  g_autoptr (GString) rest = g_string_new (NULL);
  g_autoptr (GRegex) names = g_regex_new (NAMES, G_REGEX_OPTIMIZE, 0, NULL);
  g_autofree char *left = NULL;
  guint depth = 0;

  for (const char *c = text; *c != '\0'; c = g_utf8_next_char (c))
    {
      if (*c == '[')
        depth++;
      else if (*c == ']' && depth > 0)
        depth--;
      else if (depth == 0)
        g_string_append_unichar (rest, g_utf8_get_char (c));
    }
  left = g_regex_replace_literal (names, rest->str, -1, 0, "", 0, NULL);
  return !g_regex_match_simple ("[a-z]{3,}", left, 0, 0);
}

static void
check_text (Look *look, GtkWidget *widget, const char *what, const char *text)
{
  if (look->whole && text != NULL && !is_translated (text))
    complain (look, "not translated, %s of a %s in a %s: “%s”", what, G_OBJECT_TYPE_NAME (widget),
              G_OBJECT_TYPE_NAME (gtk_widget_get_parent (widget)), text);
}

/* ---- what is cut ---- */

/* A tooltip has all of it, or the toolkit has it so: placeholders, titles of windows and pages, and
 * the title that an row for text shows while it is empty; of what is chosen in a row it shows
 * twenty letters. */
static gboolean
may_be_cut (GtkWidget *widget)
{
  for (; widget != NULL; widget = gtk_widget_get_parent (widget))
    if (gtk_widget_get_has_tooltip (widget) || GTK_IS_TEXT (widget) || ADW_IS_HEADER_BAR (widget)
        || ADW_IS_VIEW_SWITCHER (widget) || ADW_IS_ENTRY_ROW (widget) || ADW_IS_COMBO_ROW (widget))
      return TRUE;
  return FALSE;
}

static void
check_label (Look *look, GtkWidget *widget)
{
  GtkLabel *label = GTK_LABEL (widget);
  PangoLayout *layout = gtk_label_get_layout (label);
  const char *text = gtk_label_get_text (label);
  int width, height;

  check_text (look, widget, "text", text);
  pango_layout_get_pixel_size (layout, &width, &height);
  if (pango_layout_is_ellipsized (layout))
    {
      if (!may_be_cut (widget))
        complain (look, "cut with an ellipsis: “%s”", text);
    }
  else if (width > gtk_widget_get_width (widget) + 1 || height > gtk_widget_get_height (widget) + 1)
    complain (look, "%d × %d is cut to %d × %d: “%s”", width, height, gtk_widget_get_width (widget),
              gtk_widget_get_height (widget), text);
}

/* The places of the texts in a drawing. */
static void
collect_texts (GskRenderNode *node, GskTransform *transform, GArray *places)
{
  g_autoptr (GskTransform) inner = NULL;
  graphene_rect_t place;

  switch ((guint) gsk_render_node_get_node_type (node))
    {
    case GSK_CONTAINER_NODE:
      for (guint i = 0; i < gsk_container_node_get_n_children (node); i++)
        collect_texts (gsk_container_node_get_child (node, i), transform, places);
      break;
    case GSK_TRANSFORM_NODE:
      inner = gsk_transform_transform (gsk_transform_ref (transform),
                                       gsk_transform_node_get_transform (node));
      collect_texts (gsk_transform_node_get_child (node), inner, places);
      break;
    case GSK_OPACITY_NODE:
      collect_texts (gsk_opacity_node_get_child (node), transform, places);
      break;
    case GSK_TEXT_NODE:
      gsk_render_node_get_bounds (node, &place);
      gsk_transform_transform_bounds (transform, &place, &place);
      g_array_append_val (places, place);
      break;
    case GSK_CLIP_NODE: /* to the chart */
      collect_texts (gsk_clip_node_get_child (node), transform, places);
      break;
    default: break;
    }
}

static void
check_chart (Look *look, GtkWidget *chart)
{
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (chart);
  g_autoptr (GtkSnapshot) snapshot = gtk_snapshot_new ();
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (graphene_rect_t));
  g_autoptr (GskRenderNode) node = NULL;
  graphene_rect_t whole;

  check_text (look, chart, "summary", shardwise_chart_get_summary (SHARDWISE_CHART (chart)));
  whole = GRAPHENE_RECT_INIT (-3, -3, gtk_widget_get_width (chart) + 6, /* glyphs overhang */
                              gtk_widget_get_height (chart) + 6);
  gdk_paintable_snapshot (paintable, snapshot, gtk_widget_get_width (chart),
                          gtk_widget_get_height (chart));
  node = gtk_snapshot_to_node (snapshot);
  if (node != NULL)
    collect_texts (node, NULL, places);
  for (guint i = 0; i < places->len; i++)
    {
      const graphene_rect_t *place = &g_array_index (places, graphene_rect_t, i);

      if (!graphene_rect_contains_rect (&whole, place))
        complain (look, "a text of a %s reaches from %g, %g to %g, %g of %d × %d",
                  G_OBJECT_TYPE_NAME (chart), place->origin.x, place->origin.y,
                  place->origin.x + place->size.width, place->origin.y + place->size.height,
                  gtk_widget_get_width (chart), gtk_widget_get_height (chart));
    }
}

/* What may be beside the window is within something that scrolls, or pushed away by a flap. */
static gboolean
may_be_beside (GtkWidget *widget)
{
  GtkWidget *parent = gtk_widget_get_parent (widget), *flap;
  GtkPolicyType policy = GTK_POLICY_NEVER;

  if (ADW_IS_FLAP (parent) && adw_flap_get_folded (ADW_FLAP (parent)))
    {
      flap = adw_flap_get_flap (ADW_FLAP (parent));
      return flap != widget && !gtk_widget_is_ancestor (flap, widget);
    }

  if (GTK_IS_SCROLLED_WINDOW (widget))
    gtk_scrolled_window_get_policy (GTK_SCROLLED_WINDOW (widget), &policy, NULL);
  return policy != GTK_POLICY_NEVER;
}

static void
check (Look *look, GtkWidget *widget, GtkWidget *window, gboolean side)
{
  graphene_rect_t place;

  if (!gtk_widget_get_mapped (widget) || !gtk_widget_get_child_visible (widget)
      || GTK_IS_SCROLLBAR (widget)) /* an overlay */
    return;
  side = side || may_be_beside (widget);
  if (GTK_IS_LABEL (widget))
    check_label (look, widget);
  if (GTK_IS_TEXT (widget))
    check_text (look, widget, "placeholder", gtk_text_get_placeholder_text (GTK_TEXT (widget)));
  if (SHARDWISE_IS_CHART (widget))
    check_chart (look, widget);
  check_text (look, widget, "tooltip", gtk_widget_get_tooltip_text (widget));
  if (!side && gtk_widget_compute_bounds (widget, window, &place) && place.size.width > 0
      && place.size.height > 0
      && (place.origin.x < -1
          || place.origin.x + place.size.width > gtk_widget_get_width (window) + 1))
    {
      complain (look, "a %s in a %s reaches from %g to %g of %d", G_OBJECT_TYPE_NAME (widget),
                G_OBJECT_TYPE_NAME (gtk_widget_get_parent (widget)), place.origin.x,
                place.origin.x + place.size.width, gtk_widget_get_width (window));
      return;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    check (look, child, window, side);
}

/* ---- the tour ---- */

static int
least_width (GtkWidget *widget)
{
  int least;

  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  return least;
}

/* Names what is too wide. */
static void
check_width (Look *look, GtkWidget *widget)
{
  if (!gtk_widget_get_visible (widget) || least_width (widget) <= NARROW)
    return;
  complain (look, "a %s is at least %d wide", G_OBJECT_TYPE_NAME (widget), least_width (widget));
  if (may_be_beside (widget))
    return;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    check_width (look, child);
}

/* Holds what a window shows against what is looked for, once its charts have data. */
static void
look_at (Look *look, GtkWidget *window, const char *place)
{
  GtkWidget *content = gtk_widget_get_first_child (window);

  wait_until (ui_charts_are_ready (content));
  gtk_test_widget_wait_for_draw (window);
  look->place = place;
  if (gtk_widget_get_width (content) <= NARROW)
    check_width (look, content);
  check (look, content, content, FALSE);
}

/* The content is as wide as this, the window wider by its frame. */
static void
show (GtkWidget *window, int width)
{
  GtkWidget *content = gtk_widget_get_first_child (window);

  gtk_window_set_default_size (GTK_WINDOW (window), width, 1200);
  gtk_window_present (GTK_WINDOW (window));
  wait_until (gtk_widget_get_width (content) > 0);
  gtk_window_set_default_size (GTK_WINDOW (window), 2 * width - gtk_widget_get_width (content),
                               1200);
  gtk_test_widget_wait_for_draw (window);
}

static void
apply_job (ShardwiseWindow *window)
{
  GVariantDict changes;

  g_variant_dict_init (&changes, NULL);
  g_variant_dict_insert (&changes, "model.preset", "s", "mixtral-8x7b");
  g_variant_dict_insert (&changes, "cluster.gpus", "i", 16);
  activate (window, "apply", g_variant_dict_end (&changes));
  wait_until (has_status (window, "ready"));
}

static void
look_at_pages (Look *look, Fixture *fixture, int width)
{
  static const char *const names[] = { "advice", "analysis", "alternatives", "scale" };
  GtkWidget *window = GTK_WIDGET (fixture->window);

  show (window, width);
  look_at (look, window, "start page");
  apply_job (fixture->window);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      activate (fixture->window, "page", g_variant_new_string (names[i]));
      look_at (look, window, names[i]);
    }
  activate (fixture->window, "toggle-inputs", NULL);
  look_at (look, window, "inputs");
  activate (fixture->window, "toggle-ask", NULL);
  look_at (look, window, "Ask");
}

static void
look_at_window (Look *look, GtkWidget *window, int width, const char *place)
{
  show (window, width);
  look_at (look, window, place);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Both views, once they have their answers. */
static void
look_at_plan (Look *look, ShardwiseScenario *scenario, int width)
{
  GtkWidget *window = shardwise_plan_window_new (scenario);
  AdwViewStack *views = ADW_VIEW_STACK (ui_find (window, ADW_TYPE_VIEW_STACK));
  static const char *const names[] = { "machine", "model" };

  show (window, width);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      adw_view_stack_set_visible_child_name (views, names[i]);
      wait_until (gtk_widget_get_visible (ui_child (ui_child (window, names[i]), "answer_box")));
      look_at (look, window, names[i]);
    }
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
look_at_windows (Look *look, Fixture *fixture, int width)
{
  ShardwiseAdvisor *advisor = shardwise_window_get_advisor (fixture->window);
  g_autofree char *file = g_build_filename (fixture->directory, "journal.db", NULL);
  g_autoptr (ShardwiseJournal) journal = shardwise_journal_new (file);
  GSettings *settings = shardwise_application_get_settings (fixture->application);
  GtkWidget *shortcuts = shardwise_shortcuts_window_new (GTK_APPLICATION (fixture->application));

  look_at_window (look, shardwise_preferences_new (settings), width, "preferences");
  look_at_window (look, ui_window_of (shardwise_playbook_view_new (NULL, advisor)), width,
                  "playbook");
  look_at_window (look, ui_window_of (shardwise_journal_view_new (journal, advisor, NULL)), width,
                  "journal");
  look_at_plan (look, shardwise_window_get_scenario (fixture->window), width);
  look_at_window (look, shardwise_manual_window_new (), width, "manual");
  look_at_window (look, shortcuts, width, "shortcuts");
}

/* From here on this language is spoken, by what is made from here on. */
static void
speak (const char *language)
{
  g_autofree char *folder = g_build_filename (g_getenv ("SHARDWISE_LANGUAGES"), language, NULL);

  bindtextdomain (GETTEXT_PACKAGE, folder);
}

static void
set_up_language (Fixture *fixture, gconstpointer language)
{
  speak (language);
  set_up (fixture, NULL);
}

static void
tour (Fixture *fixture, const char *language, int width)
{
  Look look = { .said = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
                .whole = g_str_equal (language, "pseudo") };

  look_at_pages (&look, fixture, width);
  look_at_windows (&look, fixture, width);
  g_assert_cmpuint (g_hash_table_size (look.said), ==, 0);
  g_hash_table_unref (look.said);
}

static void
test_narrow (Fixture *fixture, gconstpointer language)
{
  tour (fixture, language, NARROW);
}

static void
test_wide (Fixture *fixture, gconstpointer language)
{
  tour (fixture, language, 1000);
}

/* What the window calls an example is in its language: it becomes the name of the scenario. */
static void
test_example (Fixture *fixture, gconstpointer language)
{
  g_autofree char *name = NULL;

  activate (fixture->window, "open-example", g_variant_new_string ("llama-3.1-405b-too-large"));
  name = shardwise_scenario_get_string (shardwise_window_get_scenario (fixture->window),
                                        SHARDWISE_KEY_NAME);
  g_assert_cmpint (*name, ==, '[');
  g_assert_false (
      shardwise_scenario_get_modified (shardwise_window_get_scenario (fixture->window)));
}

static void
add_tests (const char *language)
{
  g_autofree char *narrow = g_strdup_printf ("/languages/%s/narrow", language);
  g_autofree char *wide = g_strdup_printf ("/languages/%s/wide", language);

  g_test_add (narrow, Fixture, g_intern_string (language), set_up_language, test_narrow, tear_down);
  if (g_str_equal (language, "pseudo"))
    {
      g_test_add (wide, Fixture, "pseudo", set_up_language, test_wide, tear_down);
      g_test_add ("/languages/pseudo/example", Fixture, "pseudo", set_up_language, test_example,
                  tear_down);
    }
}

int
main (int argc, char *argv[])
{
  const char *folder = g_getenv ("SHARDWISE_LANGUAGES"), *name;
  g_autoptr (GDir) languages = folder != NULL ? g_dir_open (folder, 0, NULL) : NULL;

  setlocale (LC_ALL, "");
  if (languages == NULL || setlocale (LC_MESSAGES, "en_US.UTF-8") == NULL)
    {
      g_print ("1..0 # SKIP no tools for languages\n");
      return 0;
    }
  gtk_disable_setlocale ();
  textdomain (GETTEXT_PACKAGE);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  speak ("pseudo");
  if (!init_window_test (&argc, &argv))
    return 0;
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);

  while ((name = g_dir_read_name (languages)) != NULL)
    add_tests (name);
  return g_test_run ();
}
