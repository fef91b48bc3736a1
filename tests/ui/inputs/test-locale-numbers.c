/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers as they are written in other countries, in every row that takes one. The locales are made
 * from the sources that glibc has, since few machines have them installed. */
#include <locale.h>
#include <math.h>

#include "shardwise-input-control.h"
#include "shardwise-input-number.h"
#include "shardwise-inputs.h"
#include "shardwise-key.h"
#include "ui-fixture.h"

#define AMBIGUOUS INFINITY

typedef struct {
  const char *text;
  double value; /* NAN: refused; AMBIGUOUS: refused, as it could be two numbers */
} Case;

typedef struct {
  const char *name;
  Case cases[16];
} Locale;

static const Locale locales[] = {
  { "de_DE",
    { { "1.234,5", 1234.5 },
      { "1.234", 1234 },
      { "1,234", 1.234 },
      { "8.192", 8192 },
      { "1.048.576", 1048576 },
      { "2,5", 2.5 },
      { "0.9", 0.9 },
      { "1 234,5", 1234.5 },
      { "1,5 M", 1.5e6 },
      { "1.234,5 K", 1234500 },
      { "1.23.4", NAN },
      { "1,2,3", NAN },
      { "eins", NAN } } },
  { "fr_FR",
    { { "1\u202f234,5", 1234.5 },
      { "1\u00a0234,5", 1234.5 },
      { "1 234,5", 1234.5 },
      { "1\u202f048\u202f576", 1048576 },
      { "1,234", 1.234 },
      { "2.5", 2.5 },
      { "1.234", AMBIGUOUS },
      { "12.345", AMBIGUOUS },
      { "0.125", 0.125 },
      { "1.234,5", 1234.5 },
      { "1\u202f23", NAN } } },
  { "en_US",
    { { "1,234", 1234 },
      { "1.234", 1.234 },
      { "1,234.5", 1234.5 },
      { "1.234,5", 1234.5 },
      { "2,5", 2.5 },
      { "16,384", 16384 } } },
  { "de_CH", { { "1’234.5", 1234.5 }, { "1.234", 1.234 }, { "1,234", AMBIGUOUS } } },
};

/* The rows that take a number keep it, or say why not, and never take another. */
static void
check_row (const ShardwiseKey *key, const Case *c)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) value = shardwise_control_value (key, c->text, &error);

  if (isfinite (c->value))
    {
      g_assert_no_error (error);
      g_variant_ref_sink (value);
      if (strpbrk (c->text, "KM") == NULL) /* of tokens they are powers of 1024 */
        g_assert_cmpfloat_with_epsilon (g_variant_get_double (value), c->value, c->value * 1e-12);
      return;
    }
  g_assert_null (value);
  g_assert_nonnull (strstr (error->message, c->text));
  g_assert_nonnull (
      strstr (error->message, isnan (c->value) ? "is not a number" : "or a fraction"));
}

static void
check_case (const Case *c)
{
  double value = 0;
  ShardwiseNumberKind read = shardwise_input_number_read (c->text, FALSE, &value);

  g_test_message ("“%s”", c->text);
  g_assert_cmpint (read, ==,
                   isnan (c->value)   ? SHARDWISE_NUMBER_NONE
                   : isinf (c->value) ? SHARDWISE_NUMBER_AMBIGUOUS
                                      : SHARDWISE_NUMBER_ONE);
  if (read == SHARDWISE_NUMBER_ONE)
    g_assert_cmpfloat_with_epsilon (value, c->value, c->value * 1e-12);
  for (ShardwiseKeyId i = SHARDWISE_KEY_NONE + 1; i < SHARDWISE_N_KEYS; i++)
    if (shardwise_key_get (i)->kind == SHARDWISE_KIND_INTEGER
        || shardwise_key_get (i)->kind == SHARDWISE_KIND_NUMBER)
      check_row (shardwise_key_get (i), c);
}

/* What an entry shows there is read back to the same number. */
static void
check_shown (void)
{
  static const double numbers[] = {
    0.05, 0.125, 2.5, 1.234, 999.999, 1234.5, 16384, 131072, 15.6e12
  };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    for (guint integer = 0; integer < 2; integer++)
      {
        g_autofree char *text = NULL;
        double value = 0;

        if (integer && numbers[i] != floor (numbers[i]))
          continue;
        text = shardwise_input_number_format (numbers[i], integer);
        g_test_message ("%g is shown as “%s”", numbers[i], text);
        g_assert_true (shardwise_input_number_parse (text, FALSE, &value));
        g_assert_cmpfloat_with_epsilon (value, numbers[i], numbers[i] * 1e-11);
      }
}

/* What is refused is quoted as it was typed. */
static void
check_refused (void)
{
  static const double numbers[] = { 12.5, 1234567.5 };
  const ShardwiseKey *key = shardwise_key_get (SHARDWISE_KEY_CLUSTER_GPUS);

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autofree char *text = shardwise_input_number_format (numbers[i], FALSE);
      g_autoptr (GVariant) value = g_variant_ref_sink (g_variant_new_double (numbers[i]));
      g_autoptr (GError) error = NULL;

      g_assert_false (shardwise_control_accepts (key, value, text, &error));
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, text));
      g_assert_nonnull (strstr (error->message, i == 0 ? "whole number" : "out of range"));
    }
}

static gboolean
make_locale (const char *folder, const char *name)
{
  g_autofree char *file = g_strconcat (name, ".UTF-8", NULL);
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autoptr (GSubprocess) process =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_SILENCE, NULL,
                        "localedef", "-i", name, "-f", "UTF-8", path, NULL);

  return process != NULL && g_subprocess_wait_check (process, NULL, NULL)
         && setlocale (LC_NUMERIC, file) != NULL;
}

static void
test_locale (gconstpointer data)
{
  const Locale *locale = data;
  g_autofree char *before = g_strdup (setlocale (LC_NUMERIC, NULL));
  g_autofree char *folder = g_dir_make_tmp ("shardwise-XXXXXX", NULL);

  g_setenv ("LOCPATH", folder, TRUE);
  if (!make_locale (folder, locale->name))
    g_test_skip ("the sources of glibc's locales are not installed");
  else
    {
      for (guint i = 0; locale->cases[i].text != NULL; i++)
        check_case (&locale->cases[i]);
      check_shown ();
      check_refused ();
    }
  setlocale (LC_NUMERIC, before);
  g_unsetenv ("LOCPATH");
  remove_tree (folder);
}

/* An ambiguous number marks its row, with the reason, and leaves the scenario as it is. */
static void
test_row (void)
{
  g_autoptr (ShardwiseScenario) scenario = shardwise_scenario_new ();
  GtkWidget *inputs = g_object_ref_sink (g_object_new (SHARDWISE_TYPE_INPUTS, NULL));
  ShardwiseInputRow *row;
  GtkWidget *entry;
  double before;

  shardwise_inputs_set_scenario (SHARDWISE_INPUTS (inputs), scenario);
  row = shardwise_inputs_find_row (SHARDWISE_INPUTS (inputs), SHARDWISE_KEY_CLUSTER_GPUS);
  entry = shardwise_input_row_get_control (row);
  before = shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0);
  gtk_editable_set_text (GTK_EDITABLE (entry), "1 2");
  shardwise_inputs_flush (SHARDWISE_INPUTS (inputs));
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==,
                     before);
  g_assert_true (gtk_widget_has_css_class (GTK_WIDGET (row), "error"));
  g_assert_nonnull (strstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (row)), "“1 2” is not a "
                                                                                "number"));
  gtk_editable_set_text (GTK_EDITABLE (entry), "12.50");
  shardwise_inputs_flush (SHARDWISE_INPUTS (inputs));
  g_assert_nonnull (
      strstr (adw_action_row_get_subtitle (ADW_ACTION_ROW (row)), "“12.50” is not a whole number"));
  gtk_editable_set_text (GTK_EDITABLE (entry), "1,024");
  shardwise_inputs_flush (SHARDWISE_INPUTS (inputs));
  g_assert_cmpfloat (shardwise_scenario_get_number (scenario, SHARDWISE_KEY_CLUSTER_GPUS, 0), ==,
                     1024);
  g_assert_false (gtk_widget_has_css_class (GTK_WIDGET (row), "error"));
  g_object_unref (inputs);
}

int
main (int argc, char *argv[])
{
  if (!ui_init (&argc, &argv))
    return 0;

  for (guint i = 0; i < G_N_ELEMENTS (locales); i++)
    {
      g_autofree char *path = g_strdup_printf ("/locale-numbers/%s", locales[i].name);

      g_test_add_data_func (path, &locales[i], test_locale);
    }
  g_test_add_func ("/locale-numbers/row", test_row);
  return g_test_run ();
}
