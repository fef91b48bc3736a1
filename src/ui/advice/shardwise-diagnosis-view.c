/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-diagnosis-view.h"

#include <glib/gi18n.h>

#include "shardwise-container.h"
#include "shardwise-advice-lists.h"
#include "shardwise-format.h"
#include "shardwise-diagnosis.h"

struct _ShardwiseDiagnosisView {
  GtkWidget parent_instance;
  GtkWidget *box, *list, *warnings;
  GtkLabel *title;
  ShardwiseImportKind kind;
  GPtrArray *said;           /* (nullable) ShardwiseFinding elements: of the file itself */
  char *as_read;             /* (nullable) the scenario when the file was read */
  gboolean edited;           /* since then */
  char *shown;               /* (nullable) the text of all rows */
  GPtrArray *warnings_said;  /* (nullable) strings: missing values */
  GPtrArray *assumed;        /* (nullable) ShardwiseImportAssumption elements */
  GStrv left_open;           /* (nullable) the values that are still missing */
  GCancellable *cancellable; /* of the running diagnosis */
};

G_DEFINE_FINAL_TYPE (ShardwiseDiagnosisView, shardwise_diagnosis_view, GTK_TYPE_WIDGET)

/* ---- rows ---- */

/* A screen reader reads the words in the row, so it skips the icon; the severity is the
 * description. */
static void
add_icon (AdwActionRow *row, const ShardwiseFinding *finding)
{
  static const struct {
    const char *icon, *css_class, *name;
  } looks[] = {
    [SHARDWISE_SEVERITY_INFO] = { "dialog-information-symbolic", "accent", N_ ("Information") },
    [SHARDWISE_SEVERITY_WARNING] = { "dialog-warning-symbolic", "warning", N_ ("Warning") },
    [SHARDWISE_SEVERITY_ERROR] = { "dialog-error-symbolic", "error", N_ ("Error") },
  };
  const char *icon = looks[finding->severity].icon;
  GtkWidget *image;

  if (g_str_equal (finding->code, "fits"))
    icon = "object-select-symbolic";
  else if (finding->changes != NULL)
    icon = "go-next-symbolic";
  image = g_object_new (GTK_TYPE_IMAGE, "icon-name", icon, "accessible-role",
                        GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);
  gtk_widget_add_css_class (
      image, g_str_equal (finding->code, "fits") ? "success" : looks[finding->severity].css_class);
  adw_action_row_add_prefix (row, image);
  if (finding->severity != SHARDWISE_SEVERITY_INFO)
    gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                    _ (looks[finding->severity].name), -1);
}

static void
add_finding (GtkListBox *list, const ShardwiseFinding *finding)
{
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *title = shardwise_format_unbroken (finding->text);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  if (finding->effect != NULL)
    {
      g_autofree char *effect = shardwise_format_unbroken (finding->effect);

      adw_action_row_set_subtitle (ADW_ACTION_ROW (row), effect);
    }
  gtk_widget_add_css_class (row, "numeric");
  add_icon (ADW_ACTION_ROW (row), finding);
  if (finding->changes != NULL)
    shardwise_apply_button_add (ADW_ACTION_ROW (row), finding->text, finding->changes);
  gtk_list_box_append (list, row);
}

static void
collect (ShardwiseDiagnosisView *self, GPtrArray *findings, GPtrArray *rows)
{
  /* An error in the file stays; contradictions between its degrees are checked again in the
   * scenario once it was edited. */
  static const char *const of_file[] = { "unknown-key", "ignored-key", "missing-key",
                                         "type",        "connections", "overlap",
                                         "precision",   "failure",     NULL };

  for (guint i = 0; findings != NULL && i < findings->len; i++)
    {
      ShardwiseFinding *finding = g_ptr_array_index (findings, i);

      if (findings == self->said ? !self->edited || g_strv_contains (of_file, finding->code)
                                 : self->edited || !shardwise_finding_is_said (finding, self->said))
        g_ptr_array_add (rows, finding);
    }
}

/* Two lists of findings with the same text need no new rows. */
static char *
rows_to_text (GPtrArray *rows)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < rows->len; i++)
    {
      const ShardwiseFinding *finding = g_ptr_array_index (rows, i);
      g_autofree char *changes = finding->changes != NULL ? g_variant_print (finding->changes, TRUE)
                                                          : NULL;

      g_string_append_printf (text, "%d\t%s\t%s\t%s\t%s\n", finding->severity, finding->code,
                              finding->text, finding->effect != NULL ? finding->effect : "",
                              changes != NULL ? changes : "");
    }
  return g_string_free (text, FALSE);
}

/* Unchanged rows are kept, because one of them may have the focus or a pressed button. */
static void
show_findings (ShardwiseDiagnosisView *self, GPtrArray *findings)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new ();
  g_autofree char *text = NULL;

  collect (self, self->said, rows);
  collect (self, findings, rows);

  /* Errors come before notes on the file. */
  guint n = 0;

  for (guint i = 0; i < rows->len; i++)
    {
      const ShardwiseFinding *finding = g_ptr_array_index (rows, i);

      if (finding->severity == SHARDWISE_SEVERITY_ERROR)
        g_ptr_array_insert (rows, (int) n++, g_ptr_array_steal_index (rows, i));
    }
  text = rows_to_text (rows);
  if (g_strcmp0 (text, self->shown) == 0)
    return;
  g_free (self->shown);
  self->shown = g_steal_pointer (&text);
  shardwise_container_empty_list (GTK_LIST_BOX (self->list));
  for (guint i = 0; i < rows->len; i++)
    add_finding (GTK_LIST_BOX (self->list), g_ptr_array_index (rows, i));
  gtk_widget_set_visible (self->list, rows->len > 0);
}

static GtkWidget *
left_open_row (const char *text)
{
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *title = shardwise_format_unbroken (text);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  return row;
}

/* Missing values are folded, because they are read once; a single one is as short as the fold. */
static void
show_left_open (ShardwiseDiagnosisView *self, ShardwiseScenario *scenario)
{
  /* (nullable) scenario: none yet, nothing was chosen. */
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (guint i = 0; self->warnings_said != NULL && i < self->warnings_said->len; i++)
    {
      const char *warning = g_ptr_array_index (self->warnings_said, i);

      if (scenario == NULL || shardwise_assumptions_hold (self->assumed, warning, scenario))
        g_strv_builder_add (builder, warning);
    }
  g_auto (GStrv) open = g_strv_builder_end (builder);
  guint n = g_strv_length (open);
  g_autofree char *title = g_strdup_printf (
      ngettext ("%u setting that the file does not specify or that is approximated",
                "%u settings that the file does not specify or that are approximated", n),
      n);
  GtkWidget *expander;

  if (self->left_open != NULL
      && g_strv_equal ((const char *const *) open, (const char *const *) self->left_open))
    return;
  g_strfreev (self->left_open);
  self->left_open = g_steal_pointer (&open);
  shardwise_container_empty_list (GTK_LIST_BOX (self->warnings));
  gtk_widget_set_visible (self->warnings, n > 0);
  if (n == 1)
    gtk_list_box_append (GTK_LIST_BOX (self->warnings), left_open_row (self->left_open[0]));
  if (n < 2)
    return;
  expander = adw_expander_row_new ();
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (expander), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (expander), title);
  for (guint i = 0; i < n; i++)
    adw_expander_row_add_row (ADW_EXPANDER_ROW (expander), left_open_row (self->left_open[i]));
  gtk_list_box_append (GTK_LIST_BOX (self->warnings), expander);
}

/* ---- the diagnosis ---- */

static void
diagnosed_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (ShardwiseDiagnosisView) self = data;
  g_autoptr (GPtrArray) findings = shardwise_diagnose_finish (result, NULL);

  if (findings != NULL && self->list != NULL)
    show_findings (self, findings);
}

static void
stop (ShardwiseDiagnosisView *self)
{
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
}

/**
 * shardwise_diagnosis_view_update:
 * @scenario: the current job
 *
 * Diagnoses the job again, on a thread; the previous diagnosis is shown until then. Values that the
 * file does not set and that the user has chosen since are no longer listed. A document that is not
 * a job is not diagnosed.
 */
void
shardwise_diagnosis_view_update (ShardwiseDiagnosisView *self, ShardwiseScenario *scenario)
{
  g_autofree char *json = NULL;

  g_return_if_fail (SHARDWISE_IS_DIAGNOSIS_VIEW (self));

  stop (self);
  if (scenario == NULL)
    return;
  show_left_open (self, scenario);
  if (!shardwise_import_is_job (self->kind) && self->kind != SHARDWISE_IMPORT_ERROR)
    return;
  json = shardwise_scenario_to_json (scenario);
  if (self->as_read == NULL)
    self->as_read = g_strdup (json);
  self->edited = !g_str_equal (json, self->as_read);
  if (self->kind == SHARDWISE_IMPORT_ERROR)
    {
      /* These changes belong to the job before the edit. */
      show_findings (self, NULL);
      return;
    }
  self->cancellable = g_cancellable_new ();
  shardwise_diagnose_async (scenario, self->kind, self->cancellable, diagnosed_cb,
                            g_object_ref (self));
}

static void
forget (ShardwiseDiagnosisView *self)
{
  stop (self);
  g_clear_pointer (&self->said, g_ptr_array_unref);
  g_clear_pointer (&self->warnings_said, g_ptr_array_unref);
  g_clear_pointer (&self->assumed, g_ptr_array_unref);
  g_clear_pointer (&self->left_open, g_strfreev);
  g_clear_pointer (&self->as_read, g_free);
  self->edited = FALSE;
  self->kind = SHARDWISE_IMPORT_UNKNOWN;
}

/**
 * shardwise_diagnosis_view_set_import:
 * @import: (nullable): the source of the document; %NULL hides the view
 */
void
shardwise_diagnosis_view_set_import (ShardwiseDiagnosisView *self, const ShardwiseImport *import)
{
  g_autofree char *title = NULL;

  g_return_if_fail (SHARDWISE_IS_DIAGNOSIS_VIEW (self));

  forget (self);
  gtk_widget_set_visible (GTK_WIDGET (self), import != NULL);
  if (import == NULL)
    return;
  self->kind = import->kind;
  self->said = g_ptr_array_ref (import->findings);
  self->warnings_said = g_ptr_array_ref (import->warnings);
  self->assumed = g_ptr_array_ref (import->assumed);
  title = import->kind == SHARDWISE_IMPORT_ERROR ? g_strdup (_ ("How the run ended"))
          : shardwise_import_is_job (import->kind)
              /* Translators: what kind of file a job was read from */
              ? g_strdup_printf (_ ("Diagnosis: %s"), shardwise_import_title (import->kind))
              /* Translators: what kind of file a model was read from */
              : g_strdup_printf (_ ("Imported: %s"), shardwise_import_title (import->kind));
  gtk_label_set_label (self->title, title);
  show_findings (self, NULL);
  show_left_open (self, NULL);
}

/**
 * shardwise_diagnosis_view_is_of_job:
 *
 * Returns: whether the document is a job, so that there is a diagnosis
 */
gboolean
shardwise_diagnosis_view_is_of_job (ShardwiseDiagnosisView *self)
{
  g_return_val_if_fail (SHARDWISE_IS_DIAGNOSIS_VIEW (self), FALSE);
  return shardwise_import_is_job (self->kind);
}

/**
 * shardwise_diagnosis_view_has_ways:
 *
 * Returns: whether it shows changes that make a job fit, or will as soon as it is diagnosed
 */
gboolean
shardwise_diagnosis_view_has_ways (ShardwiseDiagnosisView *self)
{
  g_return_val_if_fail (SHARDWISE_IS_DIAGNOSIS_VIEW (self), FALSE);

  for (guint i = 0; self->said != NULL && !self->edited && i < self->said->len; i++)
    if (((const ShardwiseFinding *) g_ptr_array_index (self->said, i))->changes != NULL)
      return TRUE;
  return shardwise_import_is_job (self->kind);
}

/* ---- object ---- */

static void
shardwise_diagnosis_view_dispose (GObject *object)
{
  ShardwiseDiagnosisView *self = SHARDWISE_DIAGNOSIS_VIEW (object);

  forget (self);
  g_clear_pointer (&self->shown, g_free);
  self->list = NULL;
  g_clear_pointer (&self->box, gtk_widget_unparent);
  G_OBJECT_CLASS (shardwise_diagnosis_view_parent_class)->dispose (object);
}

static void
shardwise_diagnosis_view_class_init (ShardwiseDiagnosisViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = shardwise_diagnosis_view_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_GROUP);
}

static GtkWidget *
new_list (void)
{
  GtkWidget *list = gtk_list_box_new ();

  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  gtk_widget_add_css_class (list, "boxed-list");
  return list;
}

static void
shardwise_diagnosis_view_init (ShardwiseDiagnosisView *self)
{
  self->kind = SHARDWISE_IMPORT_UNKNOWN;
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 9);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  self->title = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (self->title, 0);
  gtk_label_set_wrap (self->title, TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->title), "title-4");
  self->list = new_list ();
  self->warnings = new_list ();
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->title));
  gtk_box_append (GTK_BOX (self->box), self->list);
  gtk_box_append (GTK_BOX (self->box), self->warnings);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                  self->title, NULL, -1);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

/**
 * shardwise_diagnosis_view_new:
 *
 * Returns: (transfer floating): a view that is hidden until it has an import
 */
GtkWidget *
shardwise_diagnosis_view_new (void)
{
  return g_object_new (SHARDWISE_TYPE_DIAGNOSIS_VIEW, NULL);
}
