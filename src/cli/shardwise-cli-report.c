/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report that the window prints, as a PDF file. */
#include "shardwise-cli-report.h"

#include <glib/gi18n.h>

#include "shardwise-cli-input.h"
#include "shardwise-cli-output.h"
#include "shardwise-file.h"
#include "shardwise-json.h"
#include "shardwise-report-pages.h"

static const char *
check_options (gconstpointer data)
{
  return *(char *const *) data != NULL ? NULL : _ ("--output PDF is required");
}

int
shardwise_cli_report (int argc, char **argv)
{
  g_autofree char *output = NULL;
  const GOptionEntry entries[] = {
    { "output", 0, 0, G_OPTION_ARG_FILENAME, &output, N_ ("Write to this file"), "PDF" },
    { NULL },
  };
  g_auto (ShardwiseCliInput) input = { .check = check_options, .data = &output };
  int status =
      shardwise_cli_input_read (&input, argc, argv, entries,
                                _ ("Writes the report that the window prints: verdict, figures, "
                                   "charts, reasons, second opinions, cost and all assumptions."));
  g_autoptr (ShardwiseAdvice) advice = NULL;
  g_autoptr (ShardwiseReportExtras) extras = NULL;
  g_autoptr (ShardwiseReport) report = NULL;
  g_autoptr (GBytes) content = NULL;
  g_autoptr (GFile) file = NULL;
  g_autoptr (GError) error = NULL;
  guint n_pages;

  if (status != SHARDWISE_CLI_DONE)
    return status;
  advice = shardwise_advice_compute (
      input.scenario, &(ShardwiseAdviceOptions){ .top = SHARDWISE_ADVICE_TOP, .explain = TRUE },
      NULL, &error);
  if (advice == NULL)
    return shardwise_cli_fail (input.file, error);
  extras = shardwise_report_extras_new (input.scenario, advice, NULL, &error);
  report = shardwise_report_of_scenario (input.scenario, advice,
                                         shardwise_advice_get_recommended (advice), extras);
  content = shardwise_report_to_pdf (report, &n_pages, &error);
  file = g_file_new_for_commandline_arg (output);
  if (content == NULL
      || !shardwise_write_file (file, g_bytes_get_data (content, NULL), g_bytes_get_size (content),
                                &error))
    return shardwise_cli_fail (output, error);
  status = shardwise_advice_get_fits (advice) ? SHARDWISE_CLI_DONE : SHARDWISE_CLI_NOTHING_FITS;
  if (input.json)
    {
      JsonObject *object = json_object_new ();

      json_object_set_string_member (object, "file", output);
      json_object_set_int_member (object, "pages", n_pages);
      return shardwise_cli_print_json (shardwise_json_take_object (object), status);
    }
  return shardwise_cli_print (
      /* Translators: the path of a file, and its number of pages */
      g_strdup_printf (ngettext ("wrote %s, %u page\n", "wrote %s, %u pages\n", n_pages), output,
                       n_pages),
      status);
}
