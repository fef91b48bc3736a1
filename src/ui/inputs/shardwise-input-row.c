/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-input-row.h"

#include <glib/gi18n.h>
#include <math.h>

#include "shardwise-cost.h"
#include "shardwise-drop-down.h"
#include "shardwise-format.h"
#include "shardwise-input-control.h"
#include "shardwise-input-number.h"
#include "shardwise-option-list.h"
#include "shardwise-input-marks.h"
#include "shardwise-key.h"
#include "shardwise-wrapped-label.h"

#define COMMIT_DELAY_MS 250 /* one undo step and one evaluation for continuous typing */

struct _ShardwiseInputRow {
  AdwActionRow parent_instance;
  char *hint;
  gboolean automatic;
  const ShardwiseKey *key;
  ShardwiseControlKind kind;

  ShardwiseScenario *scenario;
  GSignalGroup *signals;
  char *own_error;   /* the typed text is refused; the scenario keeps the previous value */
  char *given_error; /* of the advice */
  char *chosen;      /* by the search */
  guint commit_id;
  gboolean typing;     /* since Enter, or since the entry was left */
  GListModel *offered; /* by shardwise_input_row_set_choice(), before there was a control */
  gboolean loading;    /* the control follows the scenario: its signals are not the user's */

  GtkWidget *control;
  GListStore *options; /* of a drop-down */
  ShardwiseInputMarks marks;
};

G_DEFINE_FINAL_TYPE (ShardwiseInputRow, shardwise_input_row, ADW_TYPE_ACTION_ROW)

enum { PROP_0, PROP_PATH, PROP_HINT, PROP_AUTOMATIC, PROP_SCENARIO, N_PROPS };
static GParamSpec *properties[N_PROPS];
static guint typed_signal;

static gboolean
query_cb (GtkWidget *row, int x, int y, gboolean by_keyboard, GtkTooltip *tooltip, gpointer data)
{
  g_autofree char *help = shardwise_input_help_text (SHARDWISE_INPUT_ROW (row));
  /* Translators: below what an input means; F1 is the key */
  g_autofree char *text = g_strconcat (help, "\n", _ ("Press F1 for help on this input"), NULL);

  shardwise_tooltip_fill (tooltip, row, text);
  return TRUE;
}

static void
update_subtitle (ShardwiseInputRow *self)
{
  int lines = self->hint != NULL ? 3 : 1;
  const char *error = self->own_error != NULL ? self->own_error : self->given_error;
  g_autofree char *by_date = error == NULL ? shardwise_control_by_date (self->key, self->scenario)
                                           : NULL;

  if (by_date != NULL)
    adw_action_row_set_subtitle (ADW_ACTION_ROW (self), by_date);
  else if (error == NULL)
    {
      const char *said = shardwise_input_subtitle (self->key, self->control, self->hint);
      g_autofree char *text = said != NULL ? shardwise_format_unbroken (said) : NULL;

      adw_action_row_set_subtitle (ADW_ACTION_ROW (self), text);
    }
  else
    adw_action_row_set_subtitle (ADW_ACTION_ROW (self), error);
  /* A row keeps its height during typing. */
  if (self->typing || self->key->id == SHARDWISE_KEY_MODEL_PRESET)
    lines = 1;
  else if (error != NULL)
    lines = 0; /* all of them */
  adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (self), lines);
  shardwise_input_mark_wrong (GTK_WIDGET (self), self->control, error != NULL);
}

static void
set_own_error (ShardwiseInputRow *self, const char *message)
{
  if (g_strcmp0 (self->own_error, message) == 0)
    return;
  g_free (self->own_error);
  self->own_error = g_strdup (message);
  update_subtitle (self);
}

static void
update_marks (ShardwiseInputRow *self)
{
  shardwise_input_marks_update (&self->marks, self->key, self->automatic, self->scenario,
                                self->given_error != NULL);
}

static void
load_entry (ShardwiseInputRow *self)
{
  g_autofree char *text = shardwise_control_text (self->key, self->scenario), *placeholder = NULL;

  /* A default that is computed for the job: its value is shown after "Auto". */
  if (self->key->id == SHARDWISE_KEY_TRAINING_GLOBAL_BATCH_SIZE
      && !shardwise_scenario_is_set (self->scenario, self->key->id))
    {
      placeholder = *text != '\0' ? g_strdup_printf (_ ("Auto (%s)"), text) : g_strdup (_ ("Auto"));
      *text = '\0';
    }
  else if (*text == '\0'
           && (self->key->id == SHARDWISE_KEY_COST_PRICE
               || self->key->id == SHARDWISE_KEY_COST_PRICE_DATE))
    placeholder = shardwise_cost_usual_price (self->scenario, self->key->id);
  gtk_entry_set_placeholder_text (GTK_ENTRY (self->control), placeholder);
  if (!g_str_equal (gtk_editable_get_text (GTK_EDITABLE (self->control)), text))
    gtk_editable_set_text (GTK_EDITABLE (self->control), text);
}

/* Shows the value of the scenario. */
static void
load (ShardwiseInputRow *self)
{
  if (self->scenario == NULL)
    return;
  self->loading = TRUE;
  g_clear_handle_id (&self->commit_id, g_source_remove);
  set_own_error (self, NULL);
  switch (self->kind)
    {
    case SHARDWISE_CONTROL_LIST:
      if (self->key->id == SHARDWISE_KEY_MODEL_PRESET)
        shardwise_control_name_custom (self->options, self->scenario);
      gtk_drop_down_set_selected (
          GTK_DROP_DOWN (self->control),
          shardwise_control_list_position (self->options, self->key, self->scenario));
      break;
    case SHARDWISE_CONTROL_SWITCH:
      gtk_switch_set_active (GTK_SWITCH (self->control),
                             shardwise_scenario_get_number (self->scenario, self->key->id, 0) != 0);
      break;
    case SHARDWISE_CONTROL_ENTRY:
    default: load_entry (self);
    }
  update_marks (self);
  update_subtitle (self);
  self->loading = FALSE;
}

/* An edit elsewhere may change this row's default. Text that is being typed or was refused
 * stays. */
static void
scenario_changed_cb (ShardwiseScenario *scenario, const char *path, ShardwiseInputRow *self)
{
  gboolean mine = *path == '\0' || g_str_equal (path, self->key->path);

  if (self->loading || self->control == NULL)
    return;
  if (!mine && !shardwise_scenario_is_set (scenario, self->key->id)
      && !shardwise_scenario_get_resolves (scenario))
    return; /* another row is wrong: the previous default stays visible */
  if (self->commit_id == 0 && (mine || self->own_error == NULL))
    load (self);
  else
    update_marks (self);
}

/* Sets a value in the scenario. If it is rejected, the row shows the reason and keeps the text. */
static void
commit (ShardwiseInputRow *self, GVariant *floating, GError *unreadable)
{
  g_autoptr (GError) error = unreadable;
  g_autoptr (GVariant) value = floating != NULL ? g_variant_ref_sink (floating) : NULL;

  g_clear_handle_id (&self->commit_id, g_source_remove);
  if (self->scenario == NULL)
    return;
  self->loading = TRUE;
  if (value != NULL)
    shardwise_control_set (self->key, self->scenario, value, &error);
  self->loading = FALSE;
  set_own_error (self,
                 error != NULL ? shardwise_control_without_path (self->key, error->message) : NULL);
  update_subtitle (self);
  update_marks (self);
}

static void
commit_entry (ShardwiseInputRow *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->control));
  GError *error = NULL;
  g_autoptr (GVariant) value = shardwise_control_value (self->key, text, &error);

  if (value != NULL)
    g_variant_ref_sink (value);
  if (value != NULL && !shardwise_control_accepts (self->key, value, text, &error))
    g_clear_pointer (&value, g_variant_unref);
  commit (self, value, error);
}

static gboolean
commit_cb (gpointer data)
{
  ShardwiseInputRow *self = data;

  self->commit_id = 0;
  commit_entry (self);
  return G_SOURCE_REMOVE;
}

static void
entry_changed_cb (ShardwiseInputRow *self)
{
  if (self->loading)
    return;
  g_clear_handle_id (&self->commit_id, g_source_remove);
  self->commit_id = g_timeout_add (COMMIT_DELAY_MS, commit_cb, self);
  self->typing = TRUE;
  g_signal_emit (self, typed_signal, 0);
}

/* Enter, or leaving the entry, applies the text at once and formats it; invalid text stays. */
static void
entry_done_cb (ShardwiseInputRow *self)
{
  self->typing = FALSE;
  if (self->commit_id != 0)
    commit_entry (self);
  if (self->own_error == NULL)
    load (self);
  else
    update_subtitle (self);
}

static gboolean
entry_key_cb (GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
              ShardwiseInputRow *self)
{
  int direction = keyval == GDK_KEY_Up ? 1 : keyval == GDK_KEY_Down ? -1 : 0;
  double value;

  if (direction == 0
      || (self->key->kind != SHARDWISE_KIND_INTEGER && self->key->kind != SHARDWISE_KIND_NUMBER))
    return GDK_EVENT_PROPAGATE;
  entry_done_cb (self);
  value = shardwise_scenario_get_number (self->scenario, self->key->id, NAN);
  if (isnan (value))
    return GDK_EVENT_PROPAGATE;
  commit (self, g_variant_new_double (shardwise_control_step (self->key, value, direction)), NULL);
  load (self);
  return GDK_EVENT_STOP;
}

static void
selected_cb (ShardwiseInputRow *self)
{
  ShardwiseInputOption *option = gtk_drop_down_get_selected_item (GTK_DROP_DOWN (self->control));

  if (self->loading || option == NULL)
    return;
  commit (self,
          shardwise_control_value (self->key, shardwise_input_option_get_value (option), NULL),
          NULL);
}

static void
switched_cb (ShardwiseInputRow *self)
{
  if (!self->loading)
    commit (self, g_variant_new_boolean (gtk_switch_get_active (GTK_SWITCH (self->control))), NULL);
}

static void
reset_cb (ShardwiseInputRow *self)
{
  if (self->scenario == NULL)
    return;
  gtk_widget_grab_focus (self->control); /* the button disappears */
  shardwise_scenario_reset (self->scenario, self->key->id);
  load (self);
}

/* The word for an automatic value; NULL: it is never automatic. */
static const char *
auto_word (ShardwiseInputRow *self)
{
  return self->automatic ? "" : self->key->id == SHARDWISE_KEY_TRAINING_FRAMEWORK ? "auto" : NULL;
}

static void
update_choice (ShardwiseInputRow *self)
{
  g_autoptr (ShardwiseInputOption) automatic = NULL;
  g_autofree char *label = NULL;

  /* Translators: chosen by the search; %s is what it chose, a number or a word */
  label = self->chosen != NULL ? g_strdup_printf (_ ("Auto (%s)"), self->chosen)
                               : g_strdup (_ ("Auto"));
  automatic = shardwise_input_option_new (auto_word (self), label, NULL, TRUE);
  self->loading = TRUE;
  g_list_store_splice (self->options, 0, 1, (gpointer *) &automatic, 1);
  if (self->offered != NULL)
    shardwise_control_list_replace (self->options, self->offered);
  self->loading = FALSE;
}

static void
offer_size (ShardwiseInputRow *self, const char *typed)
{
  const gboolean was_loading = self->loading;

  self->loading = TRUE;
  shardwise_control_offer_size (self->options, typed);
  self->loading = was_loading;
}

static gboolean
forget_size_cb (gpointer data)
{
  ShardwiseInputRow *self = data;

  if (self->options != NULL)
    offer_size (self, "");
  return G_SOURCE_REMOVE;
}

/* A size typed into the search of models is also an option. GTK clears the search text just before
 * it selects the chosen line. */
static void
size_typed_cb (ShardwiseInputRow *self, GtkEditable *search)
{
  const char *typed = gtk_editable_get_text (search);

  if (*typed != '\0')
    offer_size (self, typed);
  else
    g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, forget_size_cb, g_object_ref (self), g_object_unref);
}

/* The control is created when the row becomes visible: most rows are folded, and drop-downs are
 * expensive. */
static void
ensure_control (ShardwiseInputRow *self)
{
  g_autofree char *help = NULL;

  if (self->control != NULL)
    return;
  if (self->kind == SHARDWISE_CONTROL_LIST)
    {
      self->options = g_list_store_new (SHARDWISE_TYPE_INPUT_OPTION);
      shardwise_control_list_fill (self->options, self->key, self->automatic);
    }
  self->control = shardwise_control_new (self->key, self->kind, G_LIST_MODEL (self->options));
  if (self->kind == SHARDWISE_CONTROL_ENTRY)
    {
      GtkEventController *keys = gtk_event_controller_key_new ();
      GtkEventController *focus = gtk_event_controller_focus_new ();

      g_signal_connect_swapped (self->control, "changed", G_CALLBACK (entry_changed_cb), self);
      g_signal_connect_swapped (self->control, "activate", G_CALLBACK (entry_done_cb), self);
      g_signal_connect_swapped (focus, "leave", G_CALLBACK (entry_done_cb), self);
      gtk_widget_add_controller (self->control, focus);
      gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
      g_signal_connect (keys, "key-pressed", G_CALLBACK (entry_key_cb), self);
      gtk_widget_add_controller (self->control, keys);
    }
  else if (self->kind == SHARDWISE_CONTROL_LIST)
    {
      GtkWidget *search = shardwise_drop_down_get_search (GTK_DROP_DOWN (self->control));

      g_signal_connect_swapped (self->control, "notify::selected", G_CALLBACK (selected_cb), self);
      if (self->key->id == SHARDWISE_KEY_MODEL_PRESET && search != NULL)
        g_signal_connect_object (search, "search-changed", G_CALLBACK (size_typed_cb), self,
                                 G_CONNECT_SWAPPED);
    }
  else
    g_signal_connect_swapped (self->control, "notify::active", G_CALLBACK (switched_cb), self);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (self), self->control);
  help = shardwise_key_describe_help (self->key, NULL);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  g_signal_connect (self, "query-tooltip", G_CALLBACK (query_cb), NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->control),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, help, -1);
  shardwise_input_marks_make (&self->marks, self->key, self->automatic);
  g_signal_connect_swapped (self->marks.reset, "clicked", G_CALLBACK (reset_cb), self);
  /* The marks come first, so that the controls are aligned. */
  adw_action_row_add_suffix (ADW_ACTION_ROW (self), self->marks.reset);
  adw_action_row_add_suffix (ADW_ACTION_ROW (self), self->marks.pin);
  adw_action_row_add_suffix (ADW_ACTION_ROW (self), self->control);
  if (auto_word (self) != NULL && self->kind == SHARDWISE_CONTROL_LIST)
    update_choice (self);
  load (self);
  update_subtitle (self);
  update_marks (self);
}

static void
shardwise_input_row_map (GtkWidget *widget)
{
  ensure_control (SHARDWISE_INPUT_ROW (widget));
  GTK_WIDGET_CLASS (shardwise_input_row_parent_class)->map (widget);
}

/* Tab moves from entry to entry: text typed on a row itself would be lost. */
static gboolean
shardwise_input_row_focus (GtkWidget *widget, GtkDirectionType direction)
{
  ShardwiseInputRow *self = SHARDWISE_INPUT_ROW (widget);

  ensure_control (self); /* it may be about to become visible */
  if (self->kind == SHARDWISE_CONTROL_ENTRY
      && (direction == GTK_DIR_TAB_FORWARD || direction == GTK_DIR_TAB_BACKWARD))
    return shardwise_input_marks_focus (&self->marks, self->control, direction);
  return GTK_WIDGET_CLASS (shardwise_input_row_parent_class)->focus (widget, direction);
}

static void
shardwise_input_row_constructed (GObject *object)
{
  ShardwiseInputRow *self = SHARDWISE_INPUT_ROW (object);

  G_OBJECT_CLASS (shardwise_input_row_parent_class)->constructed (object);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (self),
                                      FALSE); /* messages contain what the user typed */
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), _ (self->key->title));
  self->kind = shardwise_control_kind (self->key, self->automatic);
}

static void
shardwise_input_row_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  ShardwiseInputRow *self = SHARDWISE_INPUT_ROW (object);

  switch (prop_id)
    {
    case PROP_PATH: g_value_set_string (value, self->key->path); break;
    case PROP_HINT: g_value_set_string (value, self->hint); break;
    case PROP_AUTOMATIC: g_value_set_boolean (value, self->automatic); break;
    case PROP_SCENARIO: g_value_set_object (value, self->scenario); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
shardwise_input_row_set_property (GObject *object, guint prop_id, const GValue *value,
                                  GParamSpec *pspec)
{
  ShardwiseInputRow *self = SHARDWISE_INPUT_ROW (object);

  switch (prop_id)
    {
    case PROP_PATH:
      self->key = shardwise_key_find (g_value_get_string (value));
      if (self->key == NULL)
        g_error ("ShardwiseInputRow: no key “%s”",
                 g_value_get_string (value)); /* an error in a template */
      break;
    case PROP_HINT:
      g_free (self->hint);
      self->hint = g_value_dup_string (value);
      if (self->control != NULL)
        update_subtitle (self);
      break;
    case PROP_AUTOMATIC: self->automatic = g_value_get_boolean (value); break;
    case PROP_SCENARIO: shardwise_input_row_set_scenario (self, g_value_get_object (value)); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
shardwise_input_row_dispose (GObject *object)
{
  ShardwiseInputRow *self = SHARDWISE_INPUT_ROW (object);

  g_clear_handle_id (&self->commit_id, g_source_remove);
  g_clear_object (&self->signals);
  g_clear_object (&self->scenario);
  g_clear_object (&self->options);
  g_clear_object (&self->offered);
  G_OBJECT_CLASS (shardwise_input_row_parent_class)->dispose (object);
}

static void
shardwise_input_row_finalize (GObject *object)
{
  ShardwiseInputRow *self = SHARDWISE_INPUT_ROW (object);

  g_free (self->hint);
  g_free (self->own_error);
  g_free (self->given_error);
  g_free (self->chosen);
  G_OBJECT_CLASS (shardwise_input_row_parent_class)->finalize (object);
}

static void
shardwise_input_row_class_init (ShardwiseInputRowClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  object_class->constructed = shardwise_input_row_constructed;
  object_class->get_property = shardwise_input_row_get_property;
  object_class->set_property = shardwise_input_row_set_property;
  object_class->dispose = shardwise_input_row_dispose;
  object_class->finalize = shardwise_input_row_finalize;
  GTK_WIDGET_CLASS (klass)->map = shardwise_input_row_map;
  GTK_WIDGET_CLASS (klass)->focus = shardwise_input_row_focus;

  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL,
                                               flags | G_PARAM_CONSTRUCT_ONLY);
  properties[PROP_HINT] = g_param_spec_string ("hint", NULL, NULL, NULL, flags);
  properties[PROP_AUTOMATIC] = g_param_spec_boolean ("automatic", NULL, NULL, FALSE,
                                                     flags | G_PARAM_CONSTRUCT_ONLY);
  properties[PROP_SCENARIO] = g_param_spec_object ("scenario", NULL, NULL, SHARDWISE_TYPE_SCENARIO,
                                                   flags | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  typed_signal = g_signal_new ("typed", SHARDWISE_TYPE_INPUT_ROW, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                               NULL, G_TYPE_NONE, 0);
}

static void
shardwise_input_row_init (ShardwiseInputRow *self)
{
  self->signals = g_signal_group_new (SHARDWISE_TYPE_SCENARIO);
  g_signal_group_connect (self->signals, "changed", G_CALLBACK (scenario_changed_cb), self);
}

/**
 * shardwise_input_row_get_key:
 *
 * Returns: (transfer none): the row's key
 */
const ShardwiseKey *
shardwise_input_row_get_key (ShardwiseInputRow *self)
{
  g_return_val_if_fail (SHARDWISE_IS_INPUT_ROW (self), NULL);
  return self->key;
}

/**
 * shardwise_input_row_get_control:
 *
 * Returns: (transfer none): the entry, drop-down or switch
 */
GtkWidget *
shardwise_input_row_get_control (ShardwiseInputRow *self)
{
  g_return_val_if_fail (SHARDWISE_IS_INPUT_ROW (self), NULL);

  ensure_control (self);
  return self->control;
}

/**
 * shardwise_input_row_set_scenario:
 * @scenario: (nullable): the scenario with the row's value
 */
void
shardwise_input_row_set_scenario (ShardwiseInputRow *self, ShardwiseScenario *scenario)
{
  g_return_if_fail (SHARDWISE_IS_INPUT_ROW (self));

  if (!g_set_object (&self->scenario, scenario))
    return;
  g_signal_group_set_target (self->signals, scenario);
  if (self->control != NULL)
    load (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SCENARIO]);
}

/**
 * shardwise_input_row_set_error:
 * @message: (nullable): the translated reason that this value prevents the advice
 */
void
shardwise_input_row_set_error (ShardwiseInputRow *self, const char *message)
{
  g_return_if_fail (SHARDWISE_IS_INPUT_ROW (self));

  ensure_control (self);
  message = shardwise_control_without_path (self->key, message);
  if (g_strcmp0 (self->given_error, message) == 0)
    return;
  g_free (self->given_error);
  self->given_error = g_strdup (message);
  update_subtitle (self);
  update_marks (self);
}

/**
 * shardwise_input_row_flush:
 *
 * Applies pending typed text at once.
 */
void
shardwise_input_row_flush (ShardwiseInputRow *self)
{
  g_return_if_fail (SHARDWISE_IS_INPUT_ROW (self));

  if (self->commit_id != 0)
    commit_entry (self);
}

/**
 * shardwise_input_row_get_typed:
 *
 * Returns: (transfer none) (nullable): the text of the entry if the scenario does not have it: it
 * is pending or rejected
 */
const char *
shardwise_input_row_get_typed (ShardwiseInputRow *self)
{
  g_return_val_if_fail (SHARDWISE_IS_INPUT_ROW (self), NULL);

  if (self->kind != SHARDWISE_CONTROL_ENTRY || (self->commit_id == 0 && self->own_error == NULL))
    return NULL;
  return gtk_editable_get_text (GTK_EDITABLE (self->control));
}

/**
 * shardwise_input_row_set_typed:
 * @text: from shardwise_input_row_get_typed()
 *
 * Types @text again; a row without an entry ignores it.
 */
void
shardwise_input_row_set_typed (ShardwiseInputRow *self, const char *text)
{
  g_return_if_fail (SHARDWISE_IS_INPUT_ROW (self) && text != NULL);

  ensure_control (self);
  if (self->kind == SHARDWISE_CONTROL_ENTRY)
    gtk_editable_set_text (GTK_EDITABLE (self->control), text);
}

/**
 * shardwise_input_row_set_choice:
 * @chosen: (nullable): the choice of the search, for display
 * @options: (nullable): the possible fixed values, #ShardwiseInputOption; %NULL: as before
 *
 * Updates the list of a row with an automatic value.
 */
void
shardwise_input_row_set_choice (ShardwiseInputRow *self, const char *chosen, GListModel *options)
{
  gboolean same;

  g_return_if_fail (SHARDWISE_IS_INPUT_ROW (self));
  g_return_if_fail (auto_word (self) != NULL && self->kind == SHARDWISE_CONTROL_LIST);

  same = g_strcmp0 (self->chosen, chosen) == 0 && options == NULL;
  g_free (self->chosen);
  self->chosen = g_strdup (chosen);
  g_set_object (&self->offered, options);
  if (self->control == NULL || same)
    return;
  update_choice (self);
  if (self->scenario != NULL && self->own_error == NULL)
    load (self);
}

/* The meaning, range and default of an input: the tooltip of its row, and the description of its
 * control. */

/**
 * shardwise_input_help_text:
 *
 * Returns: (transfer full): the text for the row's key, with its default in the current scenario
 */
char *
shardwise_input_help_text (ShardwiseInputRow *row)
{
  const ShardwiseKey *key = row->key;
  g_autoptr (ShardwiseScenario) scenario = NULL;
  g_autofree char *usual = NULL;

  g_object_get (row, "scenario", &scenario, NULL);
  if (scenario != NULL)
    usual = shardwise_control_usual (key, scenario);
  return shardwise_key_describe_help (key, usual);
}
