/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-cli-advise.h"
#include "shardwise-cli-bench.h"
#include "shardwise-cli-catalogue.h"
#include "shardwise-cli-compare.h"
#include "shardwise-cli-cost.h"
#include "shardwise-cli-formats.h"
#include "shardwise-cli-input.h"
#include "shardwise-cli-journal.h"
#include "shardwise-cli-plan.h"
#include "shardwise-cli-scale.h"
#include "shardwise-config.h"
#include "shardwise-mcp.h"
#include "shardwise-prices.h"

#include <glib/gi18n.h>
#include <locale.h>

typedef struct {
  const char *name, *parameters, *summary;
  int (*run) (int argc, char **argv);
} Command;

static int
mcp (int argc, char **argv)
{
  g_auto (GStrv) rest = NULL;
  const int status = shardwise_cli_options (
      argc, argv, NULL, "",
      _ ("Runs an MCP server for an assistant over standard input and output."), 0, &rest);

  return status == SHARDWISE_CLI_DONE ? shardwise_mcp_run () : status;
}

static const Command commands[] = {
  { "advise", N_ ("FILE"), N_ ("find the best strategy and explain it"), shardwise_cli_advise },
  { "estimate", N_ ("FILE"), N_ ("predict memory and step time of the strategy in the file"),
    shardwise_cli_estimate },
  { "export", N_ ("FILE --to FRAMEWORK"), N_ ("write the configuration for a framework"),
    shardwise_cli_export },
  { "import", N_ ("FILE…"), N_ ("read a training job or model as a scenario, and diagnose it"),
    shardwise_cli_import },
  { "scale", N_ ("FILE [--gpus 8,16,…] [--atlas]"),
    N_ ("find the best strategy for each number of GPUs"), shardwise_cli_scale },
  { "cost", N_ ("FILE"), N_ ("estimate duration, cost and energy, including failures"),
    shardwise_cli_cost },
  { "plan", N_ ("GPU | --model ID"),
    N_ ("list what a machine can fine-tune, or what a model needs"), shardwise_cli_plan },
  { "compare", N_ ("FILE FILE…"), N_ ("compare two to four scenarios or jobs side by side"),
    shardwise_cli_compare },
  { "sensitivity", N_ ("FILE"), N_ ("show the effect of more of one resource at a time"),
    shardwise_cli_sensitivity },
  { "playbook", N_ ("FILE"), N_ ("check a job against the rules of the playbook"),
    shardwise_cli_playbook },
  { "journal", N_ ("list|add|fit"), N_ ("manage your own runs and calibrate the model with them"),
    shardwise_cli_journal },
  { "report", N_ ("FILE --output PDF"), N_ ("write the report that the window prints"),
    shardwise_cli_report },
  { "probe", N_ ("[FILE] --to DIR"), N_ ("write a script that measures a cluster"),
    shardwise_cli_probe },
  { "step-probe", N_ ("[FILE] --to DIR|--measured JSON"),
    N_ ("measure a layer of the best strategy, and compare"), shardwise_cli_step_probe },
  { "ask", N_ ("FILE QUESTION"), N_ ("answer a question"), shardwise_cli_ask },
  { "validate", N_ ("CSV"), N_ ("compare predictions with measured runs"), shardwise_cli_validate },
  { "mcp", "", N_ ("serve an assistant over the Model Context Protocol"), mcp },
  { "bench", "", N_ ("measure the speed of the strategy search"), shardwise_cli_bench },
  { "models", "", N_ ("list the models in the catalog"), shardwise_cli_models },
  { "gpus", "", N_ ("list the GPUs in the catalog"), shardwise_cli_gpus },
  { "prices", N_ ("[GPU [PRICE]]"), N_ ("list or set your own prices per GPU-hour"),
    shardwise_cli_prices },
};

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  g_log_writer_default_set_use_stderr (TRUE); /* debug messages must not mix with the answer */
  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  g_set_prgname ("shardwise-cli");
  if (!shardwise_prices_open (NULL, &error))
    g_printerr ("%s\n", error->message);
  if (argc < 2)
    return shardwise_cli_usage (NULL, _ ("a command is required"));
  if (g_str_equal (argv[1], "--help") || g_str_equal (argv[1], "-h")
      || g_str_equal (argv[1], "help"))
    {
      g_print (_ ("Usage: shardwise-cli COMMAND …\n\nShows how to split the training of a large "
                  "model over a GPU cluster.\n\nCommands:\n"));
      for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
        {
          g_autofree char *synopsis =
              g_strdup_printf ("%s %s", commands[i].name,
                               *commands[i].parameters != '\0' ? _ (commands[i].parameters) : "");

          /* printf() pads by bytes, and "…" has three. */
          g_print ("  %s%*s%s\n", synopsis, (int) MAX (1, 31 - g_utf8_strlen (synopsis, -1)), "",
                   _ (commands[i].summary));
        }
      g_print (_ ("\nFILE is a scenario (*.shardwise) or - for standard input. Instead of FILE, "
                  "use --model ID --gpu ID --gpus N …\n--json prints one JSON object. "
                  "“shardwise-cli COMMAND --help” lists the options of a command.\nExit status: 0 "
                  "success, 1 invalid input, 2 wrong usage, 3 no strategy fits.\n"));
      return SHARDWISE_CLI_DONE;
    }
  if (g_str_equal (argv[1], "--version"))
    {
      g_print ("shardwise-cli %s\n", PACKAGE_VERSION);
      return SHARDWISE_CLI_DONE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (g_str_equal (argv[1], commands[i].name))
      return commands[i].run (argc - 1, argv + 1);
  return shardwise_cli_usage (NULL, _ ("unknown command"));
}
