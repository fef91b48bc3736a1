/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "shardwise-cli.h"

#include <glib/gi18n.h>

#include "shardwise-estimate.h"
#include "shardwise-text-search.h"
#include "shardwise-advice-json.h"

static char *
estimate_to_text (const SwProblem *problem, const SwEstimate *estimate, GPtrArray *notes)
{
  GString *out = g_string_new (NULL);

  if (estimate->fits)
    g_string_append_printf (out, "%s\n", _ ("This strategy fits."));
  else
    {
      g_autofree char *reason = shardwise_text_rule (problem, &estimate->strategy, estimate->rule,
                                                     estimate->missing_bytes);
      /* Translators: %s is a reason */
      g_autofree char *text = g_strdup_printf (_ ("This strategy does not run: %s"), reason);

      shardwise_cli_append_wrapped (out, "", text);
    }
  shardwise_cli_append_estimate (out, problem, estimate);
  shardwise_cli_append_communication (out, problem, &estimate->strategy);
  shardwise_cli_append_notes (out, notes);
  return g_string_free (out, FALSE);
}

static int
estimate_scenario (ShardwiseCliInput *input)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) notes = NULL;
  g_autofree char *text = NULL;
  SwProblem problem;
  SwEstimate estimate;
  int status;

  if (!shardwise_estimate_scenario (input->scenario, &problem, &estimate, &notes, &error))
    return shardwise_cli_fail (input->file, error);
  status = estimate.fits ? SHARDWISE_CLI_DONE : SHARDWISE_CLI_NOTHING_FITS;
  if (input->json)
    return shardwise_cli_print_json (
        shardwise_estimate_scenario_to_json (input->scenario, &problem, &estimate, notes), status);
  text = estimate_to_text (&problem, &estimate, notes);
  return shardwise_cli_print (text, status);
}

int
shardwise_cli_estimate (int argc, char **argv)
{
  ShardwiseCliInput input = { 0 };
  int status = shardwise_cli_input_read (&input, argc, argv, NULL,
                                         _ ("Memory and time of the strategy in the scenario."));

  if (status == SHARDWISE_CLI_DONE)
    status = estimate_scenario (&input);
  shardwise_cli_input_clear (&input);
  return status;
}
