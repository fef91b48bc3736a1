/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-advice-page.h"
#include "soak-driver.h"

#include "shardwise-chart.h"
#include "shardwise-export.h"
#include "shardwise-key.h"
#include "application-fixture.h"

#define MOST_TOPLEVELS 4
#define EXAMPLE "llama-3-70b-32"

static const char *const pages[] = { "advice", "analysis", "alternatives", "scale" };

static const char *const texts[] = {
  "",
  "8",
  "64",
  "16384",
  "131072",
  "0",
  "-1",
  "1e99",
  "nan",
  "8k",
  "128 K",
  "1,5",
  "1.5",
  "1.234,5",
  "1\u202f234,5",
  "7 B",
  "15.6 T",
  "llama",
  "h200",
  "1,000,000",
  "0.1",
  "\uff13\uff12",
  "\u0663\u0662",
  "x",
  "Why TP=4 rather than 8?",
  "What if I use H200s?",
  "I get OOM with ZeRO-3, what now?",
  "{\"hidden_size\": 64}",
  "\u202e\u0430\u0301 abc",
  "2025-02-30",
};

static const char *const pasted[] = {
  "{\"architectures\": [\"LlamaForCausalLM\"], \"model_type\": \"llama\", \"hidden_size\": 4096, "
  "\"intermediate_size\": 14336, \"num_hidden_layers\": 32, \"num_attention_heads\": 32, "
  "\"num_key_value_heads\": 8, \"vocab_size\": 128256, \"max_position_embeddings\": 8192}",
  "{\"zero_optimization\": {\"stage\": 3}, \"train_micro_batch_size_per_gpu\": 2, \"bf16\": "
  "{\"enabled\": true}}",
  "{",
  "",
  "[parallelism]\ntensor_parallel_degree = 4\n",
  "no configuration at all",
};

static const char *const examples[] = { "llama-3-8b-8",
                                        EXAMPLE,
                                        "mixtral-8x22b-128",
                                        "llama-3-70b-lora-8",
                                        "llama-3-8b-long-context",
                                        "llama-3.1-405b-too-large" };

static guint
below (SoakDriver *self, guint n)
{
  return (guint) g_rand_int_range (self->rand, 0, (gint32) n);
}

static gboolean
coin (SoakDriver *self)
{
  return g_rand_boolean (self->rand);
}

/* ---- windows ---- */

static GtkWindow *
toplevel (SoakDriver *self)
{
  GListModel *windows = gtk_window_get_toplevels ();
  guint n = g_list_model_get_n_items (windows);
  g_autoptr (GtkWindow) window = n > 0 ? g_list_model_get_item (windows, below (self, n)) : NULL;

  return window;
}

/* Choosers of files and printers are the toolkit's, and the pages of a dialog about the program
 * lead to the web: those are only closed. */
static gboolean
is_ours (GtkWindow *window)
{
  return SHARDWISE_IS_WINDOW (window)
         || (!ADW_IS_ABOUT_WINDOW (window) && !GTK_IS_DIALOG (window)
             && (g_str_has_prefix (G_OBJECT_TYPE_NAME (window), "Shardwise")
                 || ADW_IS_MESSAGE_DIALOG (window)));
}

static void
resize (SoakDriver *self)
{
  static const int widths[] = { 360, 420, 700, 860, 1000, 1300, 1600 };
  static const int heights[] = { 294, 600, 800, 1200 };
  int width = widths[below (self, G_N_ELEMENTS (widths))];
  int height = heights[below (self, G_N_ELEMENTS (heights))];

  soak_driver_note (self, "resize to %d × %d", width, height);
  gtk_window_set_default_size (GTK_WINDOW (self->window), width, height);
}

/* ---- actions ---- */

/* A value for a key that it takes, that is at or beyond its bounds, or of another kind. */
static GVariant *
value_of_key (SoakDriver *self, const ShardwiseKey *key)
{
  switch (below (self, 8))
    {
    case 0: return g_variant_new_string ("");
    case 1: return g_variant_new_string (texts[below (self, G_N_ELEMENTS (texts))]);
    case 2: return g_variant_new_boolean (coin (self));
    case 3: return g_variant_new_double (key->maximum * (coin (self) ? 1 : 2));
    default: break;
    }
  if (key->choices != NULL)
    {
      guint n = g_strv_length ((char **) key->choices);

      return g_variant_new_string (key->choices[below (self, n)]);
    }
  if (key->kind == SHARDWISE_KIND_INTEGER)
    return g_variant_new_int32 (1 << below (self, 12));
  return g_variant_new_double (g_rand_double_range (self->rand, 0.1, 200));
}

static void
apply_value (SoakDriver *self)
{
  const ShardwiseKey *key = shardwise_key_get (1 + below (self, SHARDWISE_N_KEYS - 1));
  GVariantDict changes;
  g_autoptr (GVariant) value = g_variant_ref_sink (value_of_key (self, key));
  g_autofree char *text = g_variant_print (value, TRUE);

  soak_driver_note (self, "apply %s %s", key->path, text);
  g_variant_dict_init (&changes, NULL);
  g_variant_dict_insert_value (&changes, key->path, value);
  activate (self->window, "apply", g_variant_dict_end (&changes));
}

static void
activate_plain (SoakDriver *self)
{
  static const char *const names[] = { "undo",        "undo",        "redo",    "evaluate",
                                       "stop",        "save",        "save-as", "revert",
                                       "save-export", "copy-export", "journal", "playbook",
                                       "paste",       "save-report", "start",   "plan" };
  const char *name = names[below (self, G_N_ELEMENTS (names))];

  soak_driver_note (self, "win.%s", name);
  if (g_str_equal (name, "paste"))
    gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self->window)),
                            pasted[below (self, G_N_ELEMENTS (pasted))]);
  if (is_enabled (self->window, name))
    activate (self->window, name, NULL);
}

static void
activate_of_application (SoakDriver *self)
{
  static const char *const names[] = { "new", "open", "preferences", "shortcuts", "help", "about" };
  const char *name = names[below (self, G_N_ELEMENTS (names))];

  soak_driver_note (self, "app.%s", name);
  g_action_group_activate_action (G_ACTION_GROUP (self->application), name, NULL);
}

static void
toggle (SoakDriver *self)
{
  const char *name = coin (self) ? "toggle-ask" : "toggle-inputs";

  soak_driver_note (self, "win.%s", name);
  if (is_enabled (self->window, name))
    g_action_group_activate_action (G_ACTION_GROUP (self->window), name, NULL);
}

static void
change_page (SoakDriver *self)
{
  const char *name = pages[below (self, G_N_ELEMENTS (pages))];

  soak_driver_note (self, "page %s", name);
  if (is_enabled (self->window, "page"))
    activate (self->window, "page", g_variant_new_string (name));
}

static void
export_to (SoakDriver *self)
{
  const ShardwiseFormatInfo *format = shardwise_format_info (below (self, SHARDWISE_N_FORMATS));

  soak_driver_note (self, "export to %s", format->id);
  if (is_enabled (self->window, "export-to"))
    activate (self->window, "export-to", g_variant_new_string (format->id));
}

static void
open_example (SoakDriver *self)
{
  const char *name = examples[below (self, G_N_ELEMENTS (examples))];

  soak_driver_note (self, "example %s", name);
  activate (self->window, "open-example", g_variant_new_string (name));
}

/* A file that is a scenario, or cut short. */
static void
open_file (SoakDriver *self)
{
  g_autofree char *path = g_build_filename (self->directory, "soak.shardwise", NULL);
  ShardwiseScenario *scenario = shardwise_window_get_scenario (self->window);
  g_autofree char *json = scenario != NULL ? shardwise_scenario_to_json (scenario)
                                           : g_strdup ("{}");
  gboolean whole = coin (self);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  soak_driver_note (self, "open %s file", whole ? "a" : "half a");
  g_file_set_contents (path, json, (gssize) strlen (json) / (whole ? 1 : 2), NULL);
  shardwise_window_open_file (self->window, file);
}

static void
ask (SoakDriver *self)
{
  const char *text = texts[below (self, G_N_ELEMENTS (texts))];

  soak_driver_note (self, "ask “%s”", text);
  gtk_editable_set_text (ui_child (GTK_WIDGET (self->window->ask_panel), "entry"), text);
  g_signal_emit_by_name (ui_child (GTK_WIDGET (self->window->ask_panel), "entry"), "activate");
}

/* ---- widgets ---- */

static gboolean
is_control (GtkWidget *widget)
{
  return GTK_IS_BUTTON (widget) || GTK_IS_EDITABLE (widget) || GTK_IS_DROP_DOWN (widget)
         || GTK_IS_SWITCH (widget) || GTK_IS_RANGE (widget) || GTK_IS_SCROLLED_WINDOW (widget)
         || GTK_IS_LIST_BOX_ROW (widget) || GTK_IS_EXPANDER (widget) || SHARDWISE_IS_CHART (widget)
         || GTK_IS_MENU_BUTTON (widget) || GTK_IS_POPOVER (widget) || GTK_IS_CHECK_BUTTON (widget)
         || GTK_IS_COLUMN_VIEW (widget) || GTK_IS_LIST_VIEW (widget);
}

/* Whether a click on its middle would reach it: nobody opens a menu scrolled out of sight. */
static gboolean
is_in_reach (GtkWidget *widget)
{
  GtkWidget *native = GTK_WIDGET (gtk_widget_get_native (widget)), *picked;
  graphene_point_t middle = { (float) gtk_widget_get_width (widget) / 2,
                              (float) gtk_widget_get_height (widget) / 2 };

  if (widget == native || !gtk_widget_compute_point (widget, native, &middle, &middle))
    return widget == native;
  picked = gtk_widget_pick (native, middle.x, middle.y, GTK_PICK_DEFAULT);
  return picked != NULL && (picked == widget || gtk_widget_is_ancestor (picked, widget));
}

static void
collect (GtkWidget *widget, GPtrArray *out)
{
  if (!gtk_widget_get_mapped (widget) || !gtk_widget_is_sensitive (widget))
    return;
  if (is_control (widget) && is_in_reach (widget))
    g_ptr_array_add (out, widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    collect (child, out);
}

/* GTK 4.8 complains about its own chooser where that closes while it is filled. */
static gboolean
inserts_emoji (GtkShortcutAction *action)
{
  return GTK_IS_NAMED_ACTION (action)
         && strstr (gtk_named_action_get_action_name (GTK_NAMED_ACTION (action)), "emoji") != NULL;
}

/* GTK 4.8 asks which widget of a popover has the focus without asking whether any has; a person's
 * key gets to a popover only from a widget in it. */
static gboolean
needs_focus_inside (GtkWidget *widget)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkWidget *focus = root == NULL ? NULL : gtk_root_get_focus (root);

  return GTK_IS_POPOVER (widget)
         && (focus == NULL || (focus != widget && !gtk_widget_is_ancestor (focus, widget)));
}

static void
press_shortcut (SoakDriver *self, GtkWidget *widget)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);
      guint n = GTK_IS_SHORTCUT_CONTROLLER (controller)
                    ? g_list_model_get_n_items (G_LIST_MODEL (controller))
                    : 0;
      g_autoptr (GtkShortcut) shortcut =
          n > 0 ? g_list_model_get_item (G_LIST_MODEL (controller), below (self, n)) : NULL;

      if (shortcut == NULL || needs_focus_inside (widget)
          || inserts_emoji (gtk_shortcut_get_action (shortcut)))
        continue;
      gtk_shortcut_action_activate (gtk_shortcut_get_action (shortcut), 0, widget,
                                    gtk_shortcut_get_arguments (shortcut));
      return;
    }
}

static void
move_adjustment (SoakDriver *self, GtkAdjustment *adjustment)
{
  double lower = gtk_adjustment_get_lower (adjustment);
  double upper = gtk_adjustment_get_upper (adjustment);

  /* A list that was not laid out yet cannot go anywhere, and GTK 4.8 says so. */
  if (upper > lower && gtk_adjustment_get_page_size (adjustment) > 0)
    gtk_adjustment_set_value (adjustment, g_rand_double_range (self->rand, lower, upper));
}

static void
type_into (SoakDriver *self, GtkWidget *widget)
{
  gtk_editable_set_text (GTK_EDITABLE (widget), texts[below (self, G_N_ELEMENTS (texts))]);
  if (coin (self) && GTK_IS_ENTRY (widget))
    g_signal_emit_by_name (widget, "activate");
}

static void
choose (SoakDriver *self, GtkDropDown *list)
{
  GListModel *model = gtk_drop_down_get_model (list);
  guint n = model != NULL ? g_list_model_get_n_items (model) : 0;

  if (n > 0)
    gtk_drop_down_set_selected (list, below (self, n));
}

static void
select_item (SoakDriver *self, GtkSelectionModel *model)
{
  guint n = model != NULL ? g_list_model_get_n_items (G_LIST_MODEL (model)) : 0;

  if (n > 0)
    gtk_selection_model_select_item (model, below (self, n), TRUE);
}

static void
use_control (SoakDriver *self, GtkWidget *widget)
{
  if (GTK_IS_LINK_BUTTON (widget))
    return; /* leads to the web */
  if (GTK_IS_SWITCH (widget))
    gtk_switch_set_active (GTK_SWITCH (widget), coin (self));
  else if (GTK_IS_CHECK_BUTTON (widget))
    gtk_check_button_set_active (GTK_CHECK_BUTTON (widget), coin (self));
  else if (GTK_IS_TOGGLE_BUTTON (widget))
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (widget), coin (self));
  else if (GTK_IS_BUTTON (widget))
    g_signal_emit_by_name (widget, "clicked");
  else if (GTK_IS_EDITABLE (widget))
    type_into (self, widget);
  else if (GTK_IS_DROP_DOWN (widget))
    choose (self, GTK_DROP_DOWN (widget));
  else if (GTK_IS_RANGE (widget))
    move_adjustment (self, gtk_range_get_adjustment (GTK_RANGE (widget)));
  else if (GTK_IS_SCROLLED_WINDOW (widget))
    move_adjustment (self, gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (widget)));
  else if (ADW_IS_EXPANDER_ROW (widget))
    adw_expander_row_set_expanded (ADW_EXPANDER_ROW (widget), coin (self));
  else if (GTK_IS_LIST_BOX_ROW (widget))
    g_signal_emit_by_name (widget, "activate");
  else if (GTK_IS_EXPANDER (widget))
    gtk_expander_set_expanded (GTK_EXPANDER (widget), coin (self));
  else if (GTK_IS_MENU_BUTTON (widget))
    gtk_menu_button_popup (GTK_MENU_BUTTON (widget));
  else if (GTK_IS_POPOVER (widget))
    gtk_popover_popdown (GTK_POPOVER (widget));
  else if (GTK_IS_COLUMN_VIEW (widget))
    select_item (self, gtk_column_view_get_model (GTK_COLUMN_VIEW (widget)));
  else if (GTK_IS_LIST_VIEW (widget))
    select_item (self, gtk_list_view_get_model (GTK_LIST_VIEW (widget)));
  else
    press_shortcut (self, widget);
}

static void
use_control_within (SoakDriver *self, GtkWidget *container)
{
  g_autoptr (GPtrArray) controls = g_ptr_array_new ();
  gboolean key = below (self, 4) == 0;
  GtkWidget *widget;

  collect (container, controls);
  if (controls->len == 0)
    return;
  widget = controls->pdata[below (self, controls->len)];
  soak_driver_note (self, "%s %s in %s “%s”", key ? "key of" : "use", G_OBJECT_TYPE_NAME (widget),
                    G_OBJECT_TYPE_NAME (container),
                    GTK_IS_BUTTON (widget) && gtk_button_get_label (GTK_BUTTON (widget)) != NULL
                        ? gtk_button_get_label (GTK_BUTTON (widget))
                        : "");
  if (key)
    press_shortcut (self, widget);
  else
    use_control (self, widget);
}

static void
use_popover (SoakDriver *self, GtkWidget *popover)
{
  if (coin (self))
    {
      use_control_within (self, popover);
      return;
    }
  soak_driver_note (self, "close %s", G_OBJECT_TYPE_NAME (popover));
  gtk_popover_popdown (GTK_POPOVER (popover));
}

/* A control of any window: pressed, typed into, chosen from, moved, or one of its keys pressed. */
static void
use_some_control (SoakDriver *self)
{
  GtkWindow *window = toplevel (self);

  if (window == NULL)
    return;
  if (is_ours (window))
    {
      use_control_within (self, GTK_WIDGET (window));
      return;
    }
  soak_driver_note (self, "close %s", G_OBJECT_TYPE_NAME (window));
  soak_driver_close_window (self, window);
}

/* Any key of the window itself: those of menus and pages. */
static void
press_key_of_window (SoakDriver *self)
{
  soak_driver_note (self, "key of the window");
  press_shortcut (self, GTK_WIDGET (self->window));
}

static void
move_focus (SoakDriver *self)
{
  GtkDirectionType direction = (GtkDirectionType) below (self, GTK_DIR_RIGHT + 1);

  soak_driver_note (self, "focus %d", direction);
  gtk_widget_child_focus (GTK_WIDGET (self->window), direction);
}

/* ---- the driver ---- */

static const struct {
  guint weight; /* of a hundred */
  void (*func) (SoakDriver *self);
} kinds[] = {
  { 40, use_some_control },
  { 15, apply_value },
  { 9, activate_plain },
  { 9, change_page },
  { 6, export_to },
  { 5, resize },
  { 4, toggle },
  { 3, open_example },
  { 3, press_key_of_window },
  { 2, move_focus },
  { 2, ask },
  { 1, open_file },
  { 1, activate_of_application },
};

static void
begin_step (SoakDriver *self)
{
  guint32 state[2] = { self->seed, ++self->step };

  g_rand_set_seed_array (self->rand, state, G_N_ELEMENTS (state));
  soak_driver_take_window (self, MOST_TOPLEVELS);
}

static gboolean
is_exported (ShardwiseWindow *window)
{
  g_autofree char *state = NULL;

  g_object_get (shardwise_advice_page_get_export (
                    SHARDWISE_ADVICE_PAGE (shardwise_window_get_page (window, "advice"))),
                "state", &state, NULL);
  return g_str_equal (state, "ready") || g_str_equal (state, "refused");
}

/* What the text needs of fonts, in every weight that the style has and in that of code. One that
 * has Chinese characters keeps a megabyte for each weight. */
static void
load_fonts (GtkWidget *widget, const char *text)
{
  static const PangoWeight weights[] = { PANGO_WEIGHT_LIGHT, PANGO_WEIGHT_NORMAL, PANGO_WEIGHT_BOLD,
                                         PANGO_WEIGHT_ULTRABOLD };
  const char *const families[] = { NULL, "monospace" };

  for (guint i = 0; i < G_N_ELEMENTS (families) * G_N_ELEMENTS (weights); i++)
    {
      g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (widget, text);
      PangoContext *context = pango_layout_get_context (layout);
      g_autoptr (PangoFontDescription) font =
          pango_font_description_copy (pango_context_get_font_description (context));

      if (families[i / G_N_ELEMENTS (weights)] != NULL)
        pango_font_description_set_family (font, families[i / G_N_ELEMENTS (weights)]);
      pango_font_description_set_weight (font, weights[i % G_N_ELEMENTS (weights)]);
      pango_layout_set_font_description (layout, font);
      pango_layout_get_pixel_size (layout, NULL, NULL);
    }
}

/* The fonts of every text and the languages of every file, each of which is read once and kept:
 * half a megabyte or more. */
static void
fill_caches (SoakDriver *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    load_fonts (GTK_WIDGET (self->window), texts[i]);
  wait_until (has_status (self->window, "ready"));
  for (guint i = 0; i < SHARDWISE_N_FORMATS; i++)
    {
      activate (self->window, "export-to", g_variant_new_string (shardwise_format_info (i)->id));
      wait_until (is_exported (self->window));
    }
}

/* Fills caches, then makes some steps of every kind, seldom ones too: what is made once is made
 * then. */
void
soak_driver_step_of_each_kind (SoakDriver *self)
{
  fill_caches (self);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    for (guint times = 0; times < 4; times++)
      {
        begin_step (self);
        kinds[i].func (self);
        while (g_main_context_iteration (NULL, FALSE))
          ;
      }
}

void
soak_driver_step (SoakDriver *self)
{
  GtkWidget *popover;
  guint drawn;

  begin_step (self);
  popover = soak_driver_find_popover_of_any ();
  if (popover != NULL)
    {
      use_popover (self, popover);
      return;
    }
  drawn = below (self, 100);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      if (drawn < kinds[i].weight)
        {
          kinds[i].func (self);
          return;
        }
      drawn -= kinds[i].weight;
    }
  g_assert_not_reached ();
}
